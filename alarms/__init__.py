"""What may wake a person: symptoms, causes, policy, runbooks."""
