"""Does cfn-lint take every template?

`python -m tests.gates.cfn_lint cdk.out [STACK ...]` looks at a cloud assembly that is there, `--example` synthesises the example
into a temporary folder first.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from monitoring.config import load_deployments
from monitoring.plan import plans
from monitoring.synthesis.run import synthesise

__all__ = ["findings", "main", "region_of"]

_REGION = re.compile(r"\b(?:[a-z]{2}(?:-gov|-iso[a-z]?)?)-(?:north|south|east|west|central)+-\d\b")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "acme" / "monitoring.yaml"


def findings(templates: list[Path], *, region: str = "us-east-1") -> str:
    """Return what cfn-lint says of templates in a Region, warnings included; empty when it says nothing."""
    program = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run(
        [str(program), "--non-zero-exit-code", "informational", "--regions", region, "--", *map(str, templates)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stdout + done.stderr).strip()
    return said or ("" if done.returncode == 0 else f"cfn-lint ended with exit code {done.returncode}")


def region_of(template: Path) -> str:
    """Return the Region in the name of a template's stack: resource types differ by Region."""
    found = _REGION.search(template.name)
    return found[0] if found else "us-east-1"


def main(arguments: list[str]) -> int:
    """Check all templates of a folder, or those of the stacks named; return the exit code."""
    if arguments == ["--example"]:
        with tempfile.TemporaryDirectory() as name:
            out = Path(name) / "cdk.out"
            synthesise(plans(load_deployments(str(EXAMPLE))), out=out)
            return main([str(out)])
    if not arguments:
        sys.stderr.write("usage: python -m tests.gates.cfn_lint FOLDER [STACK ...] | --example\n")
        return 2
    folder, stacks = Path(arguments[0]), arguments[1:]
    templates = sorted(folder.glob("*.template.json"))
    if stacks:
        templates = [path for path in templates if path.name.removesuffix(".template.json") in stacks]
    if not templates:
        sys.stderr.write(f"{folder} holds no template{' of these stacks' if stacks else ''}\n")
        return 2
    regions: dict[str, list[Path]] = {}
    for path in templates:
        regions.setdefault(region_of(path), []).append(path)
    said = "\n".join(filter(None, (findings(found, region=region) for region, found in regions.items())))
    sys.stdout.write(f"{said}\n" if said else f"{len(templates)} templates, no finding\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
