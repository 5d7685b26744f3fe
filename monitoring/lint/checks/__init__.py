"""One check is one module here, one page in docs/checks and one folder of inputs in the tests."""
