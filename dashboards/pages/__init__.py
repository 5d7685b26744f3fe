"""The pages that people look at: one for each model, the fleet, the week, and a shared one for the lean profile."""
