"""The parts of a model's page, each a function from what is watched to blocks; empty where it does not apply."""
