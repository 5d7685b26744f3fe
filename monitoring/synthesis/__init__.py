"""From plans to a cloud assembly on disk: which node runs, where the output goes, what was made."""
