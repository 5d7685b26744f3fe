"""Commands that end badly, for the tests of the command line."""


def broken() -> None:
    """Fail as a fault of the program does."""
    raise RuntimeError("two\nlines")


def stopped() -> None:
    """End as on Ctrl-C."""
    raise KeyboardInterrupt


def gone() -> None:
    """End as when nobody reads stdout any more."""
    raise BrokenPipeError
