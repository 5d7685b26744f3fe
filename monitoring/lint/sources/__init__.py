"""One reader for each kind of document: all give subjects in CloudFormation's spelling."""
