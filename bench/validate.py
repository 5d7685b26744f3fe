"""How long does `validate` take, against importing the libraries that it is made of?

CPU time (user + system) of whole processes, measured in turns so that a busy machine hurts all alike; medians. Two bases:
`imports` makes the names that the libraries are used for available (pydantic's BaseModel, typer, ruamel.yaml, rich's Console and
Table), `import_statements` only says `import pydantic, ruamel.yaml, typer, rich`, which loads pydantic and rich in part.
The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CASES = {
    "python": ["-c", "pass"],
    "import_statements": ["-c", "import pydantic, ruamel.yaml, typer, rich"],
    "imports": [
        "-c",
        "from pydantic import BaseModel; import ruamel.yaml, typer; from rich.console import Console; from rich.table import Table",
    ],
    "validate": ["-m", "monitoring", "validate", "examples/acme/monitoring.yaml"],
}


def cpu_s(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11, help="Processes of each kind.")
    rounds = parser.parse_args().rounds
    seen: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(rounds):
        for name, arguments in CASES.items():
            seen[name].append(cpu_s(arguments))
    median = {name: statistics.median(times) for name, times in seen.items()}
    for name, time in median.items():
        print(f"{name:18} {1000 * time:6.0f} ms")
    ratios = {name: round(median["validate"] / median[name], 2) for name in ("imports", "import_statements")}
    print(json.dumps({"cpu_s": {name: round(time, 4) for name, time in median.items()}, "ratio": ratios}))


if __name__ == "__main__":
    main()
