"""CloudWatch metric math: tokens, syntax tree, types, evaluation over aligned slots, and printing."""
