"""How fast is the engine beside `promtool test rules`? Whole processes, one run, the same rules over the same week.

    python bench/engine.py [--alarms 100] [--minutes 10080] [--skip-promtool]

Quiet: throttle-rate alarms on healthy one-minute data. Busy: 10 % gaps, 5 % breaching minutes, all four treatments of missing
data, periods of 60 and 300 s, a composite with a suppressor over every pair of alarms. promtool (Debian package prometheus)
runs the quiet rules; its rate is the same for both. Filter patterns: three JSON filters over parsed CloudTrail records.
The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_S = 1_762_128_000


def run_ours(mode: str, alarms: int, minutes: int) -> None:
    """Child process: build data and alarms, run the time line, print what was done."""
    began = time.perf_counter()
    import numpy as np

    from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm, MissingData, Suppressor
    from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
    from cloudwatch.series import GivenStatistic
    from cloudwatch.stat import parse_stat
    from cloudwatch.store import MetricStore
    from cloudwatch.timeline import run_timeline

    imported = time.perf_counter()
    random_source = np.random.default_rng(7)
    times = START_S + 60 * np.arange(minutes)
    total = parse_stat("Sum")
    treatments = list(MissingData)
    pairs = []
    definitions: list[MetricAlarm | CompositeAlarm] = []
    for index in range(alarms):
        dimensions = (("ModelId", f"model-{index}"),)
        calls = Metric(namespace="AWS/Bedrock", name="Invocations", dimensions=dimensions)
        throttles = Metric(namespace="AWS/Bedrock", name="InvocationThrottles", dimensions=dimensions)
        served, refused = np.full(minutes, 120.0), np.full(minutes, 1.0)
        period_s, treat = 60, MissingData.NOT_BREACHING
        if mode == "busy":
            period_s, treat = (60, 300)[index % 2], treatments[index % 4]
            refused[random_source.random(minutes) < 0.05] = 40.0
            gaps = random_source.random(minutes) < 0.10
            served[gaps] = np.nan
            refused[gaps] = np.nan
        for metric, values in ((calls, served), (throttles, refused)):
            pairs.append((metric, GivenStatistic.of_points(times, values, stat=total, period_s=60)))
        definitions.append(
            MetricAlarm(
                name=f"throttled-{index}",
                queries=(
                    MetricQuery(id="i", metric=calls, stat="Sum", period_s=period_s),
                    MetricQuery(id="t", metric=throttles, stat="Sum", period_s=period_s),
                    ExpressionQuery(id="att", expression="SUM([t, i])"),
                    ExpressionQuery(
                        id="rate", expression="IF((att>=20) AND ((t+0*att)>=5), 100*t/att, 0)", return_data=True
                    ),
                ),
                comparison=Comparison.GREATER_OR_EQUAL,
                threshold=5,
                evaluation_periods=10,
                datapoints_to_alarm=2,
                treat_missing_data=treat,
                alarm_actions=("arn:aws:sns:us-east-1:111122223333:page",),
            )
        )
        if mode == "busy" and index % 2:
            definitions.append(
                CompositeAlarm(
                    name=f"either-{index}",
                    rule=f'ALARM("throttled-{index - 1}") OR ALARM("throttled-{index}")',
                    suppressor=Suppressor(alarm=f"throttled-{index - 1}", wait_s=60, extension_s=300),
                    alarm_actions=("arn:aws:sns:us-east-1:111122223333:page",),
                )
            )
    store = MetricStore.of(pairs)
    built = time.perf_counter()
    timeline = run_timeline(definitions, store=store, start=START_S, end=START_S + 60 * minutes)
    changes, notified = len(timeline.changes), len(timeline.notifications)
    done = time.perf_counter()
    print(
        json.dumps(
            {
                "evaluations": len(definitions) * minutes,
                "import_s": imported - began,
                "build_s": built - imported,
                "run_s": done - built,
                "changes": changes,
                "notifications": notified,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


def run_patterns(records: int) -> None:
    """Child process: three filters over parsed records on one core."""
    from cloudwatch.patterns import compile_pattern, parse_pattern

    draw = random.Random(11)
    made = [
        {
            "detail": {
                "eventVersion": "1.11",
                "eventSource": "bedrock.amazonaws.com",
                "eventName": draw.choice(("Converse", "ConverseStream", "InvokeModel")),
                "eventType": draw.choice(("AwsApiCall", "AwsApiCall", "AwsServiceEvent")),
                "awsRegion": "us-east-1",
                "requestParameters": {"modelId": draw.choice(("us.amazon.nova-pro-v1:0", "us.meta.llama-x-v1:0"))},
                "additionalEventData": {"performanceConfig": {"latency": draw.choice(("optimized", "standard"))}},
                **({"errorCode": "ThrottlingException"} if draw.random() < 0.1 else {}),
            }
        }
        for _ in range(records)
    ]
    call = '$.detail.eventType = "AwsApiCall" && $.detail.requestParameters.modelId = "us.amazon.nova-pro-v1:0"'
    latency = "$.detail.additionalEventData.performanceConfig.latency"
    texts = (
        f'{{ {call} && {latency} = "optimized" && $.detail.errorCode NOT EXISTS }}',
        f'{{ {call} && {latency} = "standard" && $.detail.errorCode NOT EXISTS }}',
        f'{{ {call} && $.detail.errorCode = "Throttl*" }}',
    )
    filters = [compile_pattern(parse_pattern(text)) for text in texts]
    began = time.process_time()
    matched = sum(match(record) for record in made for match in filters)
    seconds = time.process_time() - began
    print(json.dumps({"records_per_s": records / seconds, "matched": matched}))


def run_promtool(alarms: int, minutes: int) -> float:
    """Return seconds of a whole `promtool test rules` process over the quiet week."""
    with tempfile.TemporaryDirectory() as folder:
        rules = ["groups:", "- name: throttled", "  interval: 1m", "  rules:"]
        series = ["  input_series:"]
        checks = ["  alert_rule_test:"]
        for index in range(alarms):
            label = f'{{model="m{index}"}}'
            attempts = f"(invocations{label} + throttles{label})"
            rules += [
                f"  - alert: throttled_{index}",
                f"    expr: (100 * throttles{label} / {attempts}) >= 5 and {attempts} >= 20",
            ]
            for name, value in (("invocations", 120), ("throttles", 1)):
                series += [f"  - series: '{name}{label}'", f"    values: '{value}x{minutes - 1}'"]
            checks += [f"  - {{eval_time: {minutes - 1}m, alertname: throttled_{index}, exp_alerts: []}}"]
        head = ["rule_files: [rules.yml]", "evaluation_interval: 1m", "tests:", "- interval: 1m"]
        Path(folder, "rules.yml").write_text("\n".join(rules) + "\n", encoding="utf-8")
        Path(folder, "test.yml").write_text("\n".join([*head, *series, *checks]) + "\n", encoding="utf-8")
        began = time.perf_counter()
        subprocess.run(["promtool", "test", "rules", "test.yml"], cwd=folder, check=True, capture_output=True)
        return time.perf_counter() - began


def child(*arguments: str) -> tuple[dict[str, float], float]:
    """Run this file as a child process; return what it printed and the seconds of the whole process."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout), time.perf_counter() - began


def main() -> None:
    """Run everything and print the table and the JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alarms", type=int, default=100)
    parser.add_argument("--minutes", type=int, default=10_080)
    parser.add_argument("--skip-promtool", action="store_true")
    parser.add_argument("--child", choices=("quiet", "busy", "patterns"))
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.child == "patterns":
        run_patterns(100_000)
        return
    if options.child:
        run_ours(options.child, options.alarms, options.minutes)
        return
    size = (f"--alarms={options.alarms}", f"--minutes={options.minutes}")
    rows: dict[str, tuple[dict[str, float], float]] = {}
    for mode in ("quiet", "busy"):
        rows[mode] = min((child("--child", mode, *size) for _ in range(3)), key=lambda pair: pair[1])
        told, whole = rows[mode]
        print(
            f"{mode}: {told['evaluations']:,.0f} evaluations in {whole:.3f} s for the whole process "
            f"(imports {told['import_s']:.3f}, data {told['build_s']:.3f}, engine {told['run_s']:.3f} s), "
            f"{told['changes']:,.0f} changes, {told['notifications']:,.0f} notifications, {told['peak_mb']:.0f} MB"
        )
    long, long_s = child("--child", "quiet", f"--alarms={options.alarms * 10}", size[1])
    print(f"ten times the alarms: {long['evaluations'] / long_s:,.0f} evaluations/s, {long['peak_mb']:.0f} MB")
    records, _ = child("--child", "patterns")
    print(f"filter patterns: {records['records_per_s']:,.0f} records/s through three filters")
    promtool = 0.0
    if not options.skip_promtool and shutil.which("promtool"):
        seconds = run_promtool(options.alarms, options.minutes)
        promtool = options.alarms * options.minutes / seconds
        print(f"promtool: {options.alarms * options.minutes:,} evaluations in {seconds:.1f} s")
    else:
        print("promtool was not run: it is not installed, or --skip-promtool was given")
    quiet, busy = (rows[mode][0]["evaluations"] / rows[mode][1] for mode in ("quiet", "busy"))
    print(
        json.dumps(
            {
                "ours_evals_per_s": round(quiet),
                "busy_evals_per_s": round(busy),
                "promtool_evals_per_s": round(promtool),
                "ratio": round(quiet / promtool, 1) if promtool else None,
                "busy_ratio": round(busy / promtool, 1) if promtool else None,
                "peak_mb": round(max(row[0]["peak_mb"] for row in rows.values())),
                "records_per_s": round(records["records_per_s"]),
                "engine_evals_per_s": round(rows["quiet"][0]["evaluations"] / rows["quiet"][0]["run_s"]),
                "engine_busy_evals_per_s": round(rows["busy"][0]["evaluations"] / rows["busy"][0]["run_s"]),
                "ten_times_evals_per_s": round(long["evaluations"] / long_s),
            }
        )
    )


if __name__ == "__main__":
    main()
