"""What do the pages look like in an incident? `python -m monitoring.demo --out demo` writes the example in two of them, and a review.

Two incidents of the simulator's library happen to models of the example while the others are healthy: the optimized quota runs out
and calls are served standard, and a token quota throttles. Each gives the model's page and the fleet page, with alarm states and
notifications from the engine. The review of a simulated week stands beside them, and index.html links all. Nothing here reads a
clock or the network.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bedrock.models import LatencyMode
from bedrock.simulator import Detail
from bedrock.simulator.attempts import Attempts
from bedrock.simulator.gate import Status
from bedrock.simulator.records import trail_records
from bedrock.simulator.trail import Delivery, delivery_of
from cloudwatch.problems import ProblemsError
from dashboards.preview.cards import Card, alarm_strip, lanes_of, page_picture
from dashboards.preview.page import PageSource, render_index, render_page
from dashboards.preview.source import LogEvents
from monitoring.config import load_deployments
from monitoring.plan import plan
from monitoring.preview.inputs import pages_of_plan
from monitoring.preview.picture import write_picture
from monitoring.preview.review_page import review_file_name, simulated_review_page
from monitoring.preview.sample import placed_evidence
from monitoring.preview.series import Drawable, data_of
from monitoring.preview.write import counted, write_html
from monitoring.simulation import find_incident, simulate_incident

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bedrock.simulator import Recording
    from cloudwatch.metric import Metric
    from cloudwatch.series import SampleSource
    from monitoring.plan import Plan

__all__ = ["Scene", "main", "scene_data", "write_demo", "write_pictures"]

CONFIGURATION = "examples/acme/monitoring.yaml"
WEEK = "2026-W45"
LEAD = (
    "Nothing here comes from an account. Two incidents of the simulator happen to models of the example, and what the dashboards and "
    "alarms make of them is computed as CloudWatch would. A red bar is an alarm in ALARM, ▼ a notification that was sent."
)
TOLD = {
    "model": "What the engineer on call sees of the model: causes, latency, tokens, quota.",
    "fleet": "All models of the account and Region side by side: which one is it, and is it only one?",
}
PICTURES = (
    ("fallback-model", "model-page-fallback", 1060),
    ("throttling-fleet", "fleet-page-throttling", 1060),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One incident that happens to one model.

    Attributes:
        key: Begins the names of its files.
        title: What is shown.
        incident: Entry of the simulator's library.
        model: Key of the model that it happens to.
        seed: Seed.
    """

    key: str
    title: str
    incident: str
    model: str
    seed: int


SCENES = (
    Scene(
        key="fallback",
        title="Fallback: the optimized quota runs out",
        incident="optimized-quota-exhausted",
        model="assistant",
        seed=3,
    ),
    Scene(
        key="throttling",
        title="Throttling: a token quota is hit",
        incident="throttled-tpm",
        model="contract-review",
        seed=5,
    ),
)


def scene_data(scene: Scene, planned: Plan) -> tuple[Drawable, Recording]:
    """Return what a scene's pages are drawn from, and the simulation of the model that it happens to."""
    deployment = planned.deployment
    main = simulate_incident(
        find_incident(scene.incident), deployment, model=scene.model, seed=scene.seed, detail=Detail.MINUTES
    )
    healthy = replace(find_incident("steady"), minutes=main.scenario.minutes)
    recordings = [main]
    for place, each in enumerate(planned.models):
        if each.model.key != scene.model:
            recordings.append(
                simulate_incident(
                    healthy,
                    deployment,
                    model=each.model.key,
                    seed=scene.seed + place + 1,
                    start_s=main.scenario.start_s,
                    detail=Detail.MINUTES,
                )
            )
    series: list[tuple[Metric, SampleSource]] = []
    for recording in recordings:
        series += recording.series.items()
        series += placed_evidence(recording, planned)
    start_s, end_s = main.scenario.start_s, main.scenario.start_s + 60 * main.scenario.minutes
    logs = {name: _troubled(main) for name in filter(None, [planned.evidence.log_group])}
    title = next(each.model.title for each in planned.models if each.model.key == scene.model)
    about = f"Simulated: {main.scenario.title}, {title}. Numbers and alarm states are computed as CloudWatch would."
    return Drawable(series=tuple(series), start_s=start_s, end_s=end_s, about=about, logs=logs), main


def _troubled(recording: Recording) -> LogEvents:
    """Return the records of calls that were throttled or served standard: all that the pages' log queries ask for.

    Building the records of every call of six hours would take longer than everything else here.
    """
    settings = recording.trail
    if settings is None:
        return LogEvents(records=(), arrived_s=())
    attempts = recording.attempts
    delivery = delivery_of(recording.scenario, recording.plan, attempts, settings=settings)
    inside = delivery.at_s < 60.0 * recording.scenario.minutes
    troubled = attempts.status >= Status.THROTTLED_RPM
    if recording.scenario.model.latency is LatencyMode.OPTIMIZED:
        troubled |= attempts.status == Status.STANDARD
    picked = np.flatnonzero(inside & troubled)
    records = trail_records(
        recording.scenario,
        recording.plan,
        Attempts(**{field.name: getattr(attempts, field.name)[picked] for field in fields(Attempts)}),
        Delivery(**{field.name: getattr(delivery, field.name)[picked] for field in fields(Delivery)}),
        settings=settings,
    )
    known = list(records)
    return LogEvents(records=[record for _, record in known], arrived_s=[int(at_s) for at_s, _ in known])


def write_demo(configuration: str | Path, out: str | Path) -> list[tuple[Path, int]]:
    """Write the pages of both scenes, a weekly review and an index.

    Returns:
        Each file with the height of its page in pixels, the index first.

    Raises:
        ProblemsError: The configuration is wrong, the chart library is missing, or nothing can be written.
    """
    folder = Path(out)
    deployment = load_deployments(configuration)[0]
    planned = plan(deployment)
    pages = list(pages_of_plan(planned))
    by_name = {page.name: page for page in pages}
    written: list[tuple[Path, int]] = []
    cards: list[Card] = []
    names = [(scene, kind) for scene in SCENES for kind in ("model", "fleet")]
    links = [
        (f"{scene.key}: {kind} page", f"{scene.key}-{kind}.html", f"{scene.title} ({kind} page)")
        for scene, kind in names
    ]
    review = folder / review_file_name(planned, week=WEEK)
    links = [("All", "index.html", ""), *links, ("weekly review", review.name, "The review of a simulated week")]
    for scene in SCENES:
        drawable, _ = scene_data(scene, planned)
        model_page = next(each.page for each in planned.models if each.model.key == scene.model)
        chosen = {"model": by_name[model_page.name] if model_page else pages[0], "fleet": pages[0]}
        data, left_out = data_of(drawable, environment=pages[0].environment)
        sent = len([one for one in data.timeline.notifications if one.state == "ALARM"]) if data.timeline else 0
        for kind, page in chosen.items():
            title = f"{scene.title} ({kind} page)"
            body = replace(page.body, start=None, end=None)
            rendered = render_page(PageSource(title=title, body=body, data=data, problems=left_out, links=links))
            file = folder / f"{scene.key}-{kind}.html"
            write_html(file, rendered.html)
            written.append((file, rendered.height_px))
            cards.append(
                Card(
                    title=title,
                    address=file.name,
                    told=f"{TOLD[kind]} {rendered.widgets} widgets, {counted(sent, 'notification')}.",
                    picture=page_picture(body, data=data),
                    strip=alarm_strip(lanes_of(data), span=data.span),
                )
            )
    html, card = simulated_review_page(planned, week=WEEK)
    write_html(review, html)
    index = folder / "index.html"
    title = "bedrock-monitor: the example in two incidents and a week"
    write_html(index, render_index(title=title, cards=[*cards, card], lead=LEAD))
    return [(index, 700), *written]


def write_pictures(demo: str | Path, out: str | Path) -> None:
    """Write the upper parts of two pages as the pictures that the README shows.

    Raises:
        ProblemsError: There is no browser, or it failed.
    """
    Path(out).mkdir(parents=True, exist_ok=True)
    for page, name, height_px in PICTURES:
        write_picture(Path(demo) / f"{page}.html", Path(out) / f"{name}.png", height_px=height_px)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the demo and print the path of its index; exit code 2 where it cannot be written."""
    parser = argparse.ArgumentParser(prog="python -m monitoring.demo", description=__doc__.splitlines()[0])
    parser.add_argument("--config", default=CONFIGURATION, help="configuration to draw; default: the example")
    parser.add_argument("--out", default="demo", help="folder to write")
    parser.add_argument("--pictures", metavar="DIR", help="write the pictures of the README there; needs a browser")
    parser.add_argument("--png", action="store_true", help="write pictures beside the pages; needs Chrome or Chromium")
    given = parser.parse_args(arguments)
    try:
        written = write_demo(given.config, given.out)
        if given.pictures:
            write_pictures(given.out, given.pictures)
        if given.png:
            for file, height_px in written[1:]:
                write_picture(file, file.with_suffix(".png"), height_px=height_px)
    except ProblemsError as error:
        for problem in error.problems:
            sys.stderr.write(f"{problem}\n")
        return 2
    sys.stdout.write(f"{written[0][0]}: open it in a browser\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
