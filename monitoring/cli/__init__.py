"""The command line. See `main` for how a command is added; importing this package imports no command."""
