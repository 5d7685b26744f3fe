"""A file that people edit is replaced whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.atomic_file import replace_text

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_file_is_written(tmp_path: Path) -> None:
    """Where there was none."""
    replace_text(tmp_path / "a", "x\n", before=None)
    assert (tmp_path / "a").read_text() == "x\n"


def test_a_change_of_somebody_else_wins(tmp_path: Path) -> None:
    """A file that changed since it was read, or appeared, is left alone, and no part file stays."""
    (tmp_path / "a").write_text("theirs")
    for before in ("mine", None):
        with pytest.raises(ProblemsError, match="has changed since it was read"):
            replace_text(tmp_path / "a", "x", before=before)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "theirs")]


def test_mode_and_link_stay(tmp_path: Path) -> None:
    """The mode is kept, and a link still points to the file that was changed."""
    target = tmp_path / "target"
    target.write_text("a")
    target.chmod(0o640)
    (tmp_path / "link").symlink_to(target)
    replace_text(tmp_path / "link", "b", before="a")
    assert (tmp_path / "link").is_symlink()
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("b", 0o640)


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full, the file is as it was and no part file stays."""
    (tmp_path / "a").write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ProblemsError, match="No space left"):
        replace_text(tmp_path / "a", "new", before="old")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]
