"""What talks to a real AWS account. The only place that imports the AWS SDK."""
