"""How long does synthesis take, and how much is one more model, next to cdk-monitoring-constructs doing the same work?

    python bench/synth.py [--repeat 3] [--models 1,10,30]

Every figure is the best of some fresh processes, start to end, interpreter and imports included. The JavaScript that runs
under TypeScript is the one inside the Python packages, so both sides run the same versions and nothing is downloaded; Node
strips the types itself. All sides get the same App settings (no tree file, no stack traces, no version report, no template
validation). Ours starts at the model's description and plans alarms and page; the others read a finished specification.
Wall-clock slopes mean something on a quiet machine only, CPU slopes on any. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
HERE = Path(__file__).resolve().parent

from monitoring.synthesis.node import use_packaged_node  # noqa: E402 - after the path

JAVASCRIPT = ("aws_cdk/**/_jsii/*.tgz", "constructs/_jsii/*.tgz", "cdk_monitoring_constructs/_jsii/*.tgz")
BODY_TOLERANCE = 0.2


def child(kind: str, number: int, outdir: str) -> None:
    """Synthesise our own models, or nothing at all, in this process."""
    use_packaged_node()
    from aws_cdk import App

    from monitoring.stack import PINNED_CONTEXT, ModelStack

    app = App(
        outdir=outdir,
        analytics_reporting=False,
        stack_traces=False,
        tree_metadata=False,
        post_cli_context=PINNED_CONTEXT,
    )
    if kind == "ours":
        from alarms.naming import stack_name
        from bench.equal_work import SITE, model_plans
        from tests.monitoring.sample_plans import deployment

        where = deployment(site=SITE)
        for plan in model_plans(number):
            ModelStack(app, stack_name(SITE, model=plan.model.key), plan=plan, deployment=where)
    app.synth()


def unpack(folder: Path) -> None:
    """Lay out node_modules from the JavaScript inside the installed Python packages."""
    spec = find_spec("jsii")
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parents[1]
    for archive in (path for pattern in JAVASCRIPT for path in installed.glob(pattern)):
        with tarfile.open(archive) as tar, tempfile.TemporaryDirectory(dir=folder) as fresh:
            tar.extractall(fresh, filter="data")
            package = Path(fresh) / "package"
            target = folder / "node_modules" / json.loads((package / "package.json").read_text())["name"]
            target.parent.mkdir(parents=True, exist_ok=True)
            package.rename(target)


def timed(command: list[str]) -> tuple[float, float]:
    """Return wall-clock and CPU seconds of one fresh process and all that it started."""
    environment = os.environ | {"CDK_VALIDATION": "false", "PYTHONPATH": str(ROOT), "NODE_NO_WARNINGS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run(command, check=True, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(commands: dict[str, list[str]], *, repeat: int) -> dict[str, tuple[float, float]]:
    """Return the shortest times of each command; rounds are interleaved, so that a busy moment hits everybody."""
    rounds = [{who: timed(command) for who, command in commands.items()} for _ in range(repeat)]
    return {who: (min(each[who][0] for each in rounds), min(each[who][1] for each in rounds)) for who in commands}


def assert_equal_work(ours: list[dict[str, Any]], theirs: list[dict[str, Any]], *, who: str) -> None:
    """Stop when the other side did less or more than we did."""
    assert len(ours) == len(theirs), f"{who}: {len(theirs)} stacks, ours {len(ours)}"
    for mine, other in zip(ours, theirs, strict=True):
        for what, count in mine.items():
            if what == "body bytes":
                assert abs(other[what] / count - 1) <= BODY_TOLERANCE, f"{who}: {what} {other[what]}, ours {count}"
            else:
                assert other[what] == count, f"{who}: {what} {other[what]}, ours {count}"


def main() -> None:
    """Run everything and print a table and the JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--models", default="1,10,30")
    parser.add_argument("--child", nargs=3, metavar=("KIND", "NUMBER", "OUTDIR"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], int(options.child[1]), options.child[2])
        return
    from bench.equal_work import counts, model_plans, specification

    numbers = [int(number) for number in options.models.split(",")]
    node = use_packaged_node()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(folder)
        (folder / "synth.cts").write_text((HERE / "cmc" / "synth.cts").read_text())
        out = folder / "out"
        out.mkdir()
        empty = [sys.executable, __file__, "--child", "floor", "0", str(out / "floor")]
        floor_s = best({"floor": empty}, repeat=options.repeat)["floor"][0]
        times: dict[str, dict[str, float]] = {"ours": {}, "cmc_python": {}, "cmc_typescript": {}}
        cpu: dict[str, dict[str, float]] = {who: {} for who in times}
        resources = 0
        for number in numbers:
            spec = folder / f"{number}.json"
            spec.write_text(json.dumps(specification(model_plans(number))))
            commands = {
                "ours": [sys.executable, __file__, "--child", "ours", str(number)],
                "cmc_typescript": [node, str(folder / "synth.cts"), str(spec)],
                "cmc_python": [sys.executable, str(HERE / "cmc" / "synth.py"), str(spec)],
            }
            targets = {who: out / f"{who}-{number}" for who in commands}
            found = best(
                {who: [*command, str(targets[who])] for who, command in commands.items()}, repeat=options.repeat
            )
            for who, (wall_s, cpu_s) in found.items():
                times[who][str(number)], cpu[who][str(number)] = wall_s, cpu_s
                sys.stdout.write(f"{number:>3} models  {who:<15} {wall_s:6.2f} s wall {cpu_s:6.2f} s CPU\n")
            sys.stdout.flush()
            seen = {who: counts(target) for who, target in targets.items()}
            for who, theirs in seen.items():
                assert_equal_work(seen["ours"], theirs, who=who)
            sys.stdout.write(f"            each model: {seen['ours'][0]}\n")
            first = seen["ours"][0]
            resources = first["alarms"] + first["composites"] + first["dashboards"]
    low, high = str(numbers[0]), str(numbers[-1])
    slope_ms, slope_cpu_ms = (
        {who: round(1000 * (each[high] - each[low]) / max(1, int(high) - int(low)), 1) for who, each in found.items()}
        for found in (times, cpu)
    )
    for what, slopes in (("wall clock", slope_ms), ("CPU", slope_cpu_ms)):
        share = slopes["ours"] / slopes["cmc_typescript"] if slopes["cmc_typescript"] else 0.0
        sys.stdout.write(
            f"one model more, {what}: {slopes['ours']} ms, {share:.2f} of TypeScript's, "
            f"{slopes['ours'] / resources:.2f} ms a resource\n"
        )
    rounded = {who: {number: round(value, 3) for number, value in each.items()} for who, each in times.items()}
    sys.stdout.write(
        json.dumps(
            {
                "floor_s": round(floor_s, 3),
                "resources_per_model": resources,
                "ours_s": rounded["ours"],
                "cmc_python_s": rounded["cmc_python"],
                "cmc_typescript_s": rounded["cmc_typescript"],
                "slope_ms": slope_ms,
                "slope_cpu_ms": slope_cpu_ms,
            }
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
