"""The weekly performance review: summaries, verdicts and pages, all from values."""
