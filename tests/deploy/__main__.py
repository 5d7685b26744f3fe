"""`python -m tests.deploy`: make the local cloud's environment, then run the deployment tests."""

from __future__ import annotations

import subprocess
import sys

from tests.deploy.environment import ROOT, ensure_environment


def main() -> int:
    """Return pytest's exit code; 0 with a loud message where there is no Python 3.11."""
    if ensure_environment() is None:
        sys.stdout.write(
            "\n!!! THE DEPLOYMENT TESTS DID NOT RUN !!!\n"
            f"The local CloudFormation needs Python 3.11 and this is {sys.version.split()[0]}; no python3.11 is on PATH.\n"
        )
        return 0
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "deploy", "tests/deploy"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
