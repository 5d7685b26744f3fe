"""Where does the local CloudFormation live? In an environment of its own, because its pins fit nothing else here.

It runs on Python 3.11 only. The environment is made once in .venv-localstack/ from requirements/localstack.txt (versions and
hashes) and made anew when that file changes.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["ENVIRONMENT", "REQUIREMENTS", "ensure_environment", "python_3_11"]

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venv-localstack"
REQUIREMENTS = ROOT / "requirements" / "localstack.txt"


def python_3_11() -> str | None:
    """Return a Python 3.11 that starts, or None."""
    if sys.version_info[:2] == (3, 11):
        return sys.executable
    found = shutil.which("python3.11")
    if found is None:
        return None
    probe = subprocess.run(
        [found, "-c", "import sys; print(sys.version_info[:2] == (3, 11))"], capture_output=True, text=True, check=False
    )
    return found if probe.stdout.strip() == "True" else None


def ensure_environment() -> Path | None:
    """Return the Python of the environment, made first where needed; None where there is no Python 3.11.

    Raises:
        subprocess.CalledProcessError: The environment could not be made; pip says why.
    """
    python = python_3_11()
    if python is None:
        return None
    inside = ENVIRONMENT / "bin" / "python"
    stamp = ENVIRONMENT / "requirements.sha256"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if inside.exists() and stamp.exists() and stamp.read_text() == wanted:
        return inside
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    subprocess.run([python, "-m", "venv", str(ENVIRONMENT)], check=True)
    subprocess.run(
        [
            str(inside),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "-r",
            str(REQUIREMENTS),
        ],
        check=True,
    )
    stamp.write_text(wanted)
    return inside
