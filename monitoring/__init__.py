"""The product: configuration, stacks, command line."""
