"""What CloudWatch is and what it would answer: values, their limits, and a model that evaluates them."""
