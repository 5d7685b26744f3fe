"""How long does `lint` need? 2,000 alarms and 50 dashboards of JSON in one process; the same alarms as YAML apart.

    python bench/lint.py [--alarms 2000] [--dashboards 50] [--yaml-alarms 200]

Every tenth alarm has a fault, so that places are computed too. Prints one line of JSON. CPU seconds of a new process each, with
its start and imports; the least of the rounds.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]


def alarm(number: int) -> dict[str, Any]:
    """Return a resource: two of three are plain, one is an expression over three metrics; every tenth has a fault."""
    shared = {
        "AlarmName": f"bench-{number}",
        "AlarmDescription": "Measured. https://runbooks.example.com/bench",
        "EvaluationPeriods": 5,
        "DatapointsToAlarm": 9 if number % 10 == 0 else 3,
        "Threshold": 5,
        "ComparisonOperator": "GreaterThanThreshold",
        "TreatMissingData": "notBreaching",
        "AlarmActions": [{"Ref": "Topic"}],
    }
    dimensions = [{"Name": "ModelId", "Value": f"us.amazon.nova-pro-v1:{number}"}]
    if number % 3:
        plain = {"Namespace": "AWS/Bedrock", "MetricName": "InvocationThrottles", "Dimensions": dimensions}
        return {"Type": "AWS::CloudWatch::Alarm", "Properties": {**shared, **plain, "Statistic": "Sum", "Period": 60}}
    names = {"req": "Invocations", "thr": "InvocationThrottles", "err": "InvocationServerErrors"}
    metrics: list[dict[str, Any]] = [
        {
            "Id": key,
            "ReturnData": False,
            "MetricStat": {
                "Metric": {"Namespace": "AWS/Bedrock", "MetricName": name, "Dimensions": dimensions},
                "Period": 60,
                "Stat": "Sum",
            },
        }
        for key, name in names.items()
    ]
    rate = {"Id": "rate", "Expression": "IF(req + thr >= 20, 100 * (thr + err) / (req + thr))"}
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": {**shared, "Metrics": [rate, *metrics]}}


def dashboard(number: int) -> dict[str, Any]:
    """Return a resource with 40 widgets of five rows; one in each dashboard has a fault."""
    widgets = []
    for place in range(40):
        rows = [["AWS/Bedrock", "InvocationLatency", "ModelId", f"us.amazon.nova-pro-v1:{row}"] for row in range(5)]
        properties = {"region": "us-east-1", "title": f"{place}", "stat": "p90", "metrics": rows}
        if place == 7:
            properties["view"] = "timeseries"
        widgets.append({"type": "metric", "x": 0, "y": 6 * place, "width": 24, "height": 6, "properties": properties})
    body = json.dumps({"widgets": widgets})
    return {
        "Type": "AWS::CloudWatch::Dashboard",
        "Properties": {"DashboardName": f"bench-{number}", "DashboardBody": body},
    }


def template(alarms: int, dashboards: int) -> dict[str, Any]:
    """Return one template with everything."""
    resources = {f"A{number}": alarm(number) for number in range(alarms)}
    resources |= {f"D{number}": dashboard(number) for number in range(dashboards)}
    return {"Parameters": {"Topic": {"Type": "String"}}, "Resources": resources}


def cpu_s(file: Path) -> tuple[float, int]:
    """Lint a file in a new process; return its CPU seconds and how much it found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "monitoring", "lint", str(file), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    found = len(json.loads(done.stdout)["findings"])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--alarms", type=int, default=2000)
    parser.add_argument("--dashboards", type=int, default=50)
    parser.add_argument("--yaml-alarms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        as_json = Path(folder) / "bench.json"
        as_json.write_text(json.dumps(template(options.alarms, options.dashboards), indent=1), encoding="utf-8")
        as_yaml = Path(folder) / "bench.yaml"
        stream = io.StringIO()
        YAML(typ="safe", pure=True).dump(template(options.yaml_alarms, 0), stream)
        as_yaml.write_text(stream.getvalue(), encoding="utf-8")
        seconds, found = min(cpu_s(as_json) for _ in range(options.rounds))
        yaml_seconds, _ = min(cpu_s(as_yaml) for _ in range(options.rounds))
    row = {
        "lint_cpu_s": round(seconds, 2),
        "alarms": options.alarms,
        "dashboards": options.dashboards,
        "findings": found,
        "yaml_cpu_s": round(yaml_seconds, 2),
        "yaml_alarms": options.yaml_alarms,
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
