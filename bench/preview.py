"""How quickly is a page made, how large is it, and when can it be used? A week of data on many widgets.

Run `python bench/preview.py [--widgets 40]`. The body is made here: widgets of one to five rows each, at periods of 60, 300 and 3,600
seconds, metric math among them, over a simulated week's worth of minutes with an alarm under every fifth. Reported on the last line, JSON:

* build_cpu_s: CPU seconds of this process to evaluate and write the page (store and body are there, modules are imported);
* file_mb: size of the file in MB (10^6 bytes), as it is: series inside are deflated, the file itself is not compressed further;
* interactive_s: seconds from navigation until the visible widgets are drawn and the page answers, best of three in headless Chromium; null
  without a browser;
* widgets: how many.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cloudwatch.alarm import Comparison, MetricAlarm
from cloudwatch.dashboard.reader import read_body
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.series import Samples
from cloudwatch.store import MetricStore
from cloudwatch.timeline import run_timeline
from dashboards.preview.page import PageSource, render_page
from dashboards.preview.source import PreviewData
from dashboards.preview.timespan import Span

START_S = 1_793_577_600
MINUTES = 7 * 1440
MODELS = 40
REGION, ACCOUNT = "us-east-1", "111122223333"


def metric(name: str, model: int) -> Metric:
    """Return a series of a model, without its place."""
    return Metric(namespace="AWS/Bedrock", name=name, dimensions=(("ModelId", f"model-{model}"),))


def series() -> list[tuple[Metric, Samples]]:
    """Return counts and latencies of a week; a latency has four values a minute; every widget has a model of its own."""
    rng = np.random.default_rng(7)
    minute = np.arange(MINUTES)
    times = START_S + 60 * minute
    day = 1 + 0.6 * np.sin(2 * np.pi * (minute / 1440 - 0.25))
    pairs = []
    for model in range(MODELS):
        for name, level in (("Invocations", 60), ("InputTokenCount", 90_000), ("OutputTokenCount", 20_000)):
            counts = rng.poisson(level * day).astype(float) + 1
            pairs.append(
                (
                    metric(name, model),
                    Samples.of_sets(
                        times, counts=np.full(MINUTES, 60.0), sums=counts, minima=counts / 90, maxima=counts / 30
                    ),
                )
            )
        repeated = np.repeat(times, 4)
        for name, level in (("InvocationLatency", 2500), ("TimeToFirstToken", 500)):
            pairs.append(
                (metric(name, model), Samples.of_values(repeated, rng.lognormal(np.log(level), 0.4, len(repeated))))
            )
    return pairs


def body_of(count: int) -> dict[str, object]:
    """Return a body of that many widgets."""
    widgets = []
    for index in range(count):
        model, kind = index % MODELS, index % 10
        own = ["ModelId", f"model-{model}"]
        properties: dict[str, object] = {
            "region": REGION,
            "title": f"Widget {index}",
            "period": 60 if kind < 6 else 300 if kind < 9 else 3600,
        }
        rows: list[object]
        if kind in {0, 5}:
            rows = [["AWS/Bedrock", "InvocationLatency", *own, {"stat": stat}] for stat in ("p50", "p90", "p99")]
            properties["annotations"] = {"horizontal": [{"value": 5000, "label": "slow", "fill": "above"}]}
        elif kind in {1, 6}:
            rows = [
                [{"expression": "1000*tok/(lat-ft)", "id": "otps", "label": "tokens/s [now ${LAST}]"}],
                ["AWS/Bedrock", "OutputTokenCount", *own, {"stat": "Sum", "id": "tok", "visible": False}],
                ["AWS/Bedrock", "InvocationLatency", *own, {"stat": "Sum", "id": "lat", "visible": False}],
                ["AWS/Bedrock", "TimeToFirstToken", *own, {"stat": "Sum", "id": "ft", "visible": False}],
            ]
        elif kind in {2, 7}:
            rows = [["AWS/Bedrock", name, *own, {"stat": "Sum"}] for name in ("InputTokenCount", "OutputTokenCount")]
            properties["stacked"] = True
        elif kind == 3:
            rows = [["AWS/Bedrock", "Invocations", "ModelId", f"model-{each}", {"stat": "Sum"}] for each in range(5)]
        elif kind == 4:
            rows = [["AWS/Bedrock", "TimeToFirstToken", *own, {"stat": "p90"}]]
            properties |= {"view": "singleValue", "sparkline": True}
        else:
            rows = [["AWS/Bedrock", "Invocations", "ModelId", f"model-{each}", {"stat": "Sum"}] for each in range(4)]
            properties |= {
                "view": "table",
                "table": {"summaryColumns": ["MIN", "MAX", "AVG"], "showTimeSeriesData": False},
            }
        properties["metrics"] = rows
        widgets.append(
            {
                "type": "metric",
                "x": 8 * (index % 3),
                "y": 6 * (index // 3),
                "width": 8,
                "height": 6,
                "properties": properties,
            }
        )
    return {"widgets": widgets, "periodOverride": "inherit"}


def alarms() -> list[MetricAlarm]:
    """Return a latency alarm of each model."""
    return [
        MetricAlarm(
            name=f"slow-{model}",
            queries=(
                MetricQuery(
                    id="m", metric=metric("InvocationLatency", model), stat="p90", period_s=300, return_data=True
                ),
            ),
            comparison=Comparison.GREATER,
            threshold=5000,
            evaluation_periods=3,
            datapoints_to_alarm=2,
            alarm_actions=(f"arn:aws:sns:{REGION}:{ACCOUNT}:oncall",),
        )
        for model in range(MODELS)
    ]


def interactive_s(html: str) -> float | None:
    """Return seconds until a page can be used, best of three; None without a browser."""
    from monitoring.preview.picture import find_browser

    browser = find_browser()
    if browser is None:
        return None
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(html, encoding="utf-8")
        started = playwright.chromium.launch(
            executable_path=str(browser), args=["--no-sandbox", "--disable-gpu", "--disable-quic"]
        )
        times = []
        for _ in range(3):
            page = started.new_page(viewport={"width": 1280, "height": 900})
            page.goto(file.as_uri())
            page.wait_for_function("document.documentElement.dataset.ready")
            times.append(float(page.evaluate("document.documentElement.dataset.ready")) / 1000)
            page.close()
        started.close()
    return round(min(times), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--widgets", type=int, default=40)
    parser.add_argument("--out", help="keep the page here")
    given = parser.parse_args()
    pairs = series()
    span = Span(start_s=START_S, end_s=START_S + 60 * MINUTES)
    timeline = run_timeline(alarms(), store=MetricStore.of(pairs), start=span.start_s, end=span.end_s)
    placed = MetricStore.of((replace(found, region=REGION, account_id=ACCOUNT), source) for found, source in pairs)
    data = PreviewData(store=placed, span=span, home=(ACCOUNT, REGION), timeline=timeline, about="A made-up week.")
    body, problems = read_body(body_of(given.widgets))
    assert not problems, problems
    began = time.process_time()
    rendered = render_page(PageSource(title="bench", body=body, data=data))
    build = time.process_time() - began
    if given.out:
        Path(given.out).write_text(rendered.html, encoding="utf-8")
    print(
        f"{len(pairs)} metrics, {sum(len(source) for _, source in pairs)} rows, {given.widgets} widgets over {MINUTES} minutes"
    )
    result = {
        "build_cpu_s": round(build, 3),
        "file_mb": round(len(rendered.html.encode()) / 1e6, 3),
        "interactive_s": interactive_s(rendered.html),
        "widgets": rendered.widgets,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
