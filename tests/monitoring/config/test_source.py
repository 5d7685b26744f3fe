"""Files that cannot be read, YAML 1.2, limits, and writing values back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.config import load_configuration
from monitoring.config.editing import EditableSource
from monitoring.config.source import parse_source, read_source, shown


def only_problem(file: str | Path) -> tuple[str, str]:
    """Return the code and the text of the one problem of a file."""
    problems = load_configuration(file).problems
    assert len(problems) == 1
    return problems[0].code, str(problems[0])


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("missing.yaml", None, "file-not-found"),
        ("empty.yaml", b"", "file-empty"),
        ("comments.yaml", b"# nothing\n", "file-empty"),
        ("latin.yaml", b"organisation:\n  name: \xe9t\xe9\n", "not-utf-8"),
        ("large.yaml", b"#" * 1_048_577, "file-too-large"),
        ("control.yaml", b"a: \x01\n", "yaml-syntax"),
        ("null.yaml", b"null\n", "wrong-value"),
    ],
)
def test_a_file_that_cannot_be_read_gives_one_problem(
    tmp_path: Path, name: str, content: bytes | None, code: str
) -> None:
    """Whatever is wrong with the file as a whole is one sentence, never a traceback."""
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert only_problem(tmp_path / name)[0] == code


def test_a_directory_is_not_a_file(tmp_path: Path) -> None:
    """A directory is named as such."""
    assert only_problem(tmp_path)[0] == "file-is-directory"


def test_a_byte_that_is_not_utf8_has_a_place(tmp_path: Path) -> None:
    """The line and column of the first wrong byte are told."""
    (tmp_path / "x.yaml").write_bytes(b"organisation:\n  name: \xe9\n")
    assert ":2:9: " in only_problem(tmp_path / "x.yaml")[1]


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    """Files of Windows editors start with a mark that is no content."""
    (tmp_path / "x.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_source(tmp_path / "x.yaml").data == {"a": 1}


def test_yaml_1_2_keeps_text_as_text() -> None:
    """Leading zeros, no, dates, octals and separators stay text; numbers and booleans of the core schema do not."""
    text = "a: 012345670123\nb: no\nc: 2026-01-01\nd: 0o14\ne: 1_000\nf: 1e3\ng: -5\nh: true\ni: ~\nj: '7'\nk: 1:30\n"
    assert parse_source(text, file="f").data == {
        "a": "012345670123",
        "b": "no",
        "c": "2026-01-01",
        "d": "0o14",
        "e": "1_000",
        "f": 1000.0,
        "g": -5,
        "h": True,
        "i": None,
        "j": "7",
        "k": "1:30",
    }


def test_deep_nesting_is_refused() -> None:
    """A thousand brackets give one problem with a place."""
    with pytest.raises(ProblemsError) as caught:
        parse_source("x: " + "[" * 1000, file="f")
    assert caught.value.problems[0].code == "too-deep"
    assert caught.value.problems[0].place.line == 1


def test_aliases_that_multiply_are_refused() -> None:
    """A file of ten lines that stands for a billion values is refused before they are made."""
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(ProblemsError) as caught:
        parse_source("\n".join(lines), file="f")
    assert [problem.code for problem in caught.value.problems] == ["too-large"]


def test_an_alias_inside_its_own_anchor_is_refused() -> None:
    """A value that holds itself never ends."""
    with pytest.raises(ProblemsError) as caught:
        parse_source("a: &a [*a]\n", file="f")
    assert caught.value.problems[0].code == "too-large"


def test_no_edit_of_the_example_is_a_traceback(tmp_path: Path) -> None:
    """Sixty random edits (lines lost, moved, cut, indented, values replaced) each end in deployments or problems with a place."""
    lines = (Path(__file__).parents[3] / "examples/acme/monitoring.yaml").read_text(encoding="utf-8").split("\n")
    values = (
        "",
        "[]",
        "{}",
        "-1",
        "no",
        "true",
        "[a]",
        "{a: b}",
        "1e400",
        "*x",
        "&x y",
        "\t",
        "012",
        "|",
        "- x",
        "a" * 300,
    )
    rng = random.Random(20261101)
    file = tmp_path / "monitoring.yaml"
    for _ in range(60):
        edited = list(lines)
        at = rng.randrange(len(edited))
        edited[at] = rng.choice(
            (
                "",
                edited[rng.randrange(len(edited))],
                edited[at][: rng.randrange(len(edited[at]) + 1)],
                f"{' ' * rng.randint(1, 3)}{edited[at]}",
                f"{edited[at].split(':')[0]}: {rng.choice(values)}",
            )
        )
        file.write_text("\n".join(edited), encoding="utf-8")
        loaded = load_configuration(file)
        assert loaded.errors or loaded.deployments
        assert all(problem.place.line is not None for problem in loaded.problems)


def test_shown_never_repeats_more_than_sixty_characters() -> None:
    """A secret in the wrong place does not go to a build log."""
    assert len(shown("s" * 500)) <= 62
    assert shown({"a": 1}) == "a mapping of 1 key"
    assert shown("a\x1b[31mb") == "'a?[31mb'"


def test_writing_back_keeps_comments_order_and_quotes() -> None:
    """Changing one value changes one line, adding one adds one."""
    text = "# top\norganisation:\n  name: 'Acme' # who\n  tags:\n    b: '1'\n    a: '2'\nmodels: {} # none yet\n"
    edited = EditableSource(text)
    edited.set(("organisation", "tags", "b"), "3")
    edited.set(("organisation", "prefix"), "llm", comment="proposed")
    assert edited.text() == (
        "# top\norganisation:\n  name: 'Acme' # who\n  tags:\n    b: '3'\n    a: '2'\n"
        "  prefix: llm  # proposed\nmodels: {} # none yet\n"
    )
    assert parse_source(edited.text(), file="f").data["organisation"]["prefix"] == "llm"


def test_changing_one_value_of_the_example_changes_one_line() -> None:
    """The rest of the example, comments and empty lines included, survives byte by byte."""
    text = (Path(__file__).parents[3] / "examples/acme/monitoring.yaml").read_text(encoding="utf-8")
    assert EditableSource(text).text() == text
    edited = EditableSource(text)
    edited.set(("models", "assistant", "quotas", "tpm"), 900000)
    changed = [(a, b) for a, b in zip(text.split("\n"), edited.text().split("\n"), strict=True) if a != b]
    assert changed == [("      tpm: 800000", "      tpm: 900000")]


@pytest.mark.parametrize(
    "text",
    [
        "a:\n- x\n- y # second\nb:\n  c: 1\n",
        "a:\n    - x\n    - y # second\nb:\n    c: 1\n",
        "b: # text\n\n    # comment\n    c: 1\na:\n    - x\n    - y # second\n",
        "a: {x: [1, 2]} # flow\nb:\n  c: 1\n",
    ],
)
def test_the_indentation_of_a_file_is_kept(text: str) -> None:
    """Lists at the level of their key or below it, two spaces or four: as it was."""
    edited = EditableSource(text)
    edited.set(("b", "c"), 2)
    assert edited.text() == text.replace("c: 1", "c: 2")


def test_what_is_written_is_read_as_the_same_value() -> None:
    """Text that looks like a number, an empty text and a list item come back as they were set."""
    edited = EditableSource("accounts:\n  prod:\n    regions:\n      - us-east-1\n")
    edited.set(("accounts", "prod", "id"), "012345670123")
    edited.set(("accounts", "prod", "tags", "a"), "4711")
    edited.set(("accounts", "prod", "tags", "b"), "true")
    edited.set(("accounts", "prod", "tags", "c"), "")
    edited.set(("accounts", "prod", "regions", 1), "us-west-2", comment="seen with traffic")
    edited.remove(("accounts", "prod", "regions", 0))
    assert parse_source(edited.text(), file="f").data["accounts"]["prod"] == {
        "regions": ["us-west-2"],
        "id": "012345670123",
        "tags": {"a": "4711", "b": "true", "c": ""},
    }
    assert "us-west-2 # seen with traffic" in edited.text().replace("  #", " #")


def test_set_makes_the_mappings_on_the_way_and_remove_takes_a_value_out() -> None:
    """A path that is not there yet is made; removing what is not there does nothing."""
    edited = EditableSource("accounts:\n  prod:\n    models:\n      chat:\n")
    edited.set(("accounts", "prod", "models", "chat", "quotas", "tpm"), 5)
    edited.remove(("accounts", "prod", "models", "other"))
    assert parse_source(edited.text(), file="f").data == {
        "accounts": {"prod": {"models": {"chat": {"quotas": {"tpm": 5}}}}}
    }
    edited.remove(("accounts", "prod", "models", "chat", "quotas"))
    assert edited.get(("accounts", "prod", "models", "chat")) == {}
    assert edited.get(("accounts", "staging"), default=1) == 1
