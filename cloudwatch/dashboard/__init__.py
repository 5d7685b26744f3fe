"""A dashboard body: what it can say, how it is written and read, and what PutDashboard would refuse."""
