"""How does a page become a PNG? An installed Chrome or Chromium draws it without a window and without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from cloudwatch.problems import Problem, ProblemsError

__all__ = ["find_browser", "write_picture"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--run-all-compositor-stages-before-draw",
    "--virtual-time-budget=20000",
)
_MAX_HEIGHT_PX = 16_000
_TIMEOUT_S = 120


def find_browser() -> Path | None:
    """Return the browser that CHROME names, else an installed Chrome or Chromium, or None."""
    named = os.environ.get("CHROME")
    if named:
        return Path(named) if Path(named).is_file() else None
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    return next((Path(path) for path in _APPLICATIONS if Path(path).is_file()), None)


def write_picture(page: Path, picture: Path, *, height_px: int, width_px: int = 1280, theme: str = "light") -> None:
    """Write the PNG of an HTML file.

    Args:
        page: The file.
        picture: The PNG.
        height_px: Height of the page at that width; pages beyond 16,000 pixels are cut there.
        width_px: Width.
        theme: `light` or `dark`.

    Raises:
        ProblemsError: There is no browser, or it failed.
    """
    browser = find_browser()
    if browser is None:
        raise ProblemsError(
            [
                Problem(
                    code="no-browser",
                    message="--png needs an installed Chrome or Chromium, and none is found.",
                    hint="Install one, or name it in the environment variable CHROME. The HTML file is written.",
                )
            ]
        )
    picture.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="preview-browser-", ignore_cleanup_errors=True) as profile:
        command = [
            str(browser),
            *_FLAGS,
            f"--user-data-dir={profile}",
            f"--window-size={width_px},{min(height_px, _MAX_HEIGHT_PX)}",
            f"--screenshot={picture.resolve()}",
            f"{page.resolve().as_uri()}#whole&theme={theme}",
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)  # noqa: S603 - our own flags
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        except (OSError, subprocess.TimeoutExpired) as error:
            said = [str(error)]
    if not picture.is_file():
        message = f"{browser} wrote no picture: {said[0][:200]}."
        raise ProblemsError([Problem(code="no-picture", message=message, hint="The HTML file is written.")])
