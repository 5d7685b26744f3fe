"""What of an account is kept in a recording, how an interrupted run loses nothing, and what a record may hold."""
