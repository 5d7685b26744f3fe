"""What does CI run, and how long does each part take? Every gate, two at a time, with a table at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

__all__ = ["STAGES", "Stage", "main"]

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent


VECTORS = tuple(str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests/conformance/vectors").glob("*.json")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One gate.

    Attributes:
        name: As the table shows it.
        command: Program and arguments; programs come from the environment that runs this module.
    """

    name: str
    command: tuple[str, ...]


STAGES: tuple[Stage, ...] = (
    Stage(name="mypy --strict", command=("mypy",)),
    Stage(name="tests", command=("python", "-m", "pytest", "-q", "-m", "not synth and not browser and not deploy")),
    Stage(name="ruff check", command=("ruff", "check", ".")),
    Stage(name="ruff format", command=("ruff", "format", "--check", ".")),
    Stage(name="import contracts", command=("lint-imports",)),
    Stage(name="conformance vectors", command=("python", "-m", "tests.conformance", *VECTORS)),
    Stage(name="synthesis tests", command=("python", "-m", "pytest", "-q", "-m", "synth")),
    Stage(name="browser tests", command=("python", "-m", "pytest", "-q", "-m", "browser")),
    Stage(name="local deployment", command=("python", "-m", "tests.deploy")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a stage ended: exit code and wall-clock seconds."""

    stage: Stage
    code: int
    seconds: float


def run(stage: Stage) -> Outcome:
    """Run one stage and print its whole output when it ends, so that two stages never mix their lines."""
    began = time.monotonic()
    program = BIN / stage.command[0]
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(program), *stage.command[1:]],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - began
    verdict = "ok" if done.returncode == 0 else f"FAILED with exit code {done.returncode}"
    sys.stdout.write(f"\n== {stage.name}: {verdict}, {seconds:.1f} s\n{done.stdout.rstrip()}\n")
    sys.stdout.flush()
    return Outcome(stage=stage, code=done.returncode, seconds=seconds)


def main(names: list[str]) -> int:
    """Run every stage, or those whose name contains one of the words given; return the exit code."""
    chosen = [stage for stage in STAGES if not names or any(name in stage.name for name in names)]
    if not chosen:
        sys.stderr.write(f"no stage is named {' or '.join(names)}; there are: {', '.join(s.name for s in STAGES)}\n")
        return 2
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = list(pool.map(run, chosen))
    width = max(len(outcome.stage.name) for outcome in outcomes)
    sys.stdout.write("\nstage" + " " * (width - 5) + "   seconds   result\n")
    for outcome in outcomes:
        result = "ok" if outcome.code == 0 else "FAILED"
        sys.stdout.write(f"{outcome.stage.name:<{width}}   {outcome.seconds:>7.1f}   {result}\n")
    failed = sum(outcome.code != 0 for outcome in outcomes)
    sys.stdout.write(f"\nstages: {len(outcomes) - failed} passed, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
