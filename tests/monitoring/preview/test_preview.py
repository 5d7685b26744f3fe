"""`bedrock-monitor preview`: which inputs it reads, what it draws them from, what it writes."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cloudwatch.problems import ProblemsError
from cloudwatch.series import Samples
from dashboards.preview import assets
from dashboards.preview.page import PageSource, render_page
from monitoring.cli.main import app
from monitoring.dataset import Dataset, write_dataset
from monitoring.preview import picture
from monitoring.preview.inputs import read_pages
from monitoring.preview.sample import sample_data
from monitoring.preview.series import Drawable, data_of, from_dataset, read_recorded
from monitoring.preview.write import file_name, page_sources, write_pages
from tests.dashboards.preview import kitchen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXAMPLE = Path(__file__).parents[3] / "examples" / "acme" / "monitoring.yaml"
BODY: dict[str, Any] = {"widgets": [kitchen.graph(0, 0, kitchen.row("Invocations", stat="Sum"), title="calls")]}
ALARM = {
    "Type": "AWS::CloudWatch::Alarm",
    "Properties": {
        "AlarmName": "busy",
        "Namespace": "AWS/Bedrock",
        "MetricName": "Invocations",
        "Dimensions": [{"Name": "ModelId", "Value": "nova-pro"}],
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 10,
        "ComparisonOperator": "GreaterThanThreshold",
    },
}


def template(**resources: Any) -> dict[str, Any]:
    """Return a template with these resources."""
    return {"Resources": resources}


def dashboard(name: str = "page", body: Any = BODY) -> dict[str, Any]:
    """Return a dashboard resource."""
    return {
        "Type": "AWS::CloudWatch::Dashboard",
        "Properties": {"DashboardName": name, "DashboardBody": json.dumps(body)},
    }


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a JSON file."""

    def write(name: str, value: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Write a recording of an hour of calls."""
    times = kitchen.START_S + 60 * np.arange(60)
    series = ((kitchen.metric("Invocations", "nova-pro"), Samples.of_values(times, np.full(60, 30.0))),)
    dataset = Dataset(
        start_s=kitchen.START_S,
        end_s=kitchen.START_S + 3600,
        series=series,
        about={"source": "simulation", "title": "An hour"},
    )
    write_dataset(tmp_path / "recording", dataset)
    return tmp_path / "recording"


@pytest.fixture(autouse=True)
def _no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "library", lambda: ("", ""))


def run(*arguments: str | Path) -> int:
    """Run the command and return its exit code."""
    result = app(args=["preview", *map(str, arguments)], prog_name="bedrock-monitor", standalone_mode=False)
    return result if isinstance(result, int) else 0


def names(pages: Sequence[Any]) -> list[str]:
    """Return the names of pages."""
    return [page.name for page in pages]


def test_a_configuration_gives_the_pages_of_every_account() -> None:
    """Fleet, weekly and model pages, each with the account's alarms and what they are for."""
    pages = read_pages(EXAMPLE, account="prod-assistant", region="us-east-1")
    assert names(pages)[:2] == ["llm-prod-assistant-us-east-1-fleet", "llm-prod-assistant-us-east-1-weekly"]
    assert "llm-prod-assistant-us-east-1-assistant" in names(pages)
    environment = pages[0].environment
    assert environment.home == ("111122223333", "us-east-1")
    assert {"page", "ticket", "symptom"} <= set(environment.kinds.values())
    assert len(read_pages(EXAMPLE)) > len(pages)


def test_a_body_a_get_dashboard_answer_and_a_template(written: Callable[..., Path]) -> None:
    """Each form is told by its keys; the answer's ARN says the account."""
    answer = {
        "DashboardArn": "arn:aws:cloudwatch::444455556666:dashboard/ours",
        "DashboardName": "ours",
        "DashboardBody": json.dumps(BODY),
    }
    assert names(read_pages(written("body.json", BODY))) == ["body"]
    (page,) = read_pages(written("answer.json", answer))
    assert (page.name, page.environment.home) == ("ours", ("444455556666", None))
    (page,) = read_pages(written("t.json", template(A=dashboard(), B=ALARM)))
    assert [alarm.name for alarm in page.environment.alarms] == ["busy"]


def test_a_cloud_assembly_joins_the_stacks_of_a_region(written: Callable[..., Path]) -> None:
    """The page of one stack shows alarms of another in the same account and Region, and none of elsewhere."""

    def stack(name: str, place: str) -> dict[str, Any]:
        return {
            "type": "aws:cloudformation:stack",
            "environment": f"aws://{place}",
            "properties": {"templateFile": f"{name}.template.json"},
        }

    manifest = {
        "artifacts": {
            "a": stack("a", "111122223333/eu-west-1"),
            "b": stack("b", "111122223333/eu-west-1"),
            "c": stack("c", "111122223333/us-east-1"),
        }
    }
    folder = written("cdk.out/manifest.json", manifest).parent
    written("cdk.out/a.template.json", template(A=dashboard("one")))
    written("cdk.out/b.template.json", template(B=ALARM))
    written("cdk.out/c.template.json", template(A=dashboard("two")))
    written("cdk.out/tree.json", {"version": "tree-0.1"})
    pages = {page.name: page for page in read_pages(folder)}
    assert pages["one"].environment.home == ("111122223333", "eu-west-1")
    assert [alarm.name for alarm in pages["one"].environment.alarms] == ["busy"]
    assert pages["two"].environment.alarms == ()


@pytest.mark.parametrize("value", [{}, [], {"Resources": {}}, {"a": 1}])
def test_an_input_without_dashboard_is_refused(written: Callable[..., Path], value: Any) -> None:
    """The message names the file and what could be given."""
    with pytest.raises(ProblemsError, match="holds no dashboard"):
        read_pages(written("x.json", value))


def test_problems_of_a_foreign_body_have_a_path_and_the_rest_is_drawn(
    written: Callable[..., Path], tmp_path: Path
) -> None:
    """What PutDashboard would refuse stands on the page; the good widget is drawn all the same."""
    wrong = {"widgets": [*BODY["widgets"], {"type": "metric", "x": 0, "y": 6, "properties": {"metrics": "no"}}]}
    file = written("body.json", wrong)
    (page,) = read_pages(file)
    assert any(sentence.startswith("/widgets/1/properties") for sentence in page.problems)
    assert run(file, "--out", tmp_path / "o.html") == 0
    html = (tmp_path / "o.html").read_text(encoding="utf-8")
    assert "/widgets/1/properties" in html
    assert '"title":"calls"' in html


def test_a_recording_is_drawn_and_alarms_are_evaluated(written: Callable[..., Path], recording: Path) -> None:
    """A template without account takes the recording's place as its home; its alarm goes off in the second minute."""
    from monitoring.dataset import read_dataset

    (page,) = read_pages(written("t.json", template(A=dashboard(), B=ALARM)))
    drawable = from_dataset(read_dataset(recording), environment=page.environment)
    data, left_out = data_of(drawable, environment=page.environment)
    assert left_out == ()
    assert data.home == ("111122223333", "us-east-1")
    assert data.timeline is not None
    assert str(data.timeline.state_at("busy", kitchen.START_S + 120)) == "ALARM"
    assert data.about.startswith("Simulated: An hour, 2026-11-02 00:00")


def test_an_alarm_that_cannot_be_evaluated_is_left_out_with_a_reason(
    written: Callable[..., Path], recording: Path
) -> None:
    """A composite over an alarm of another stack does not keep the others from being shown."""
    from monitoring.dataset import read_dataset

    composite = {
        "Type": "AWS::CloudWatch::CompositeAlarm",
        "Properties": {"AlarmName": "over", "AlarmRule": 'ALARM("elsewhere")'},
    }
    (page,) = read_pages(written("t.json", template(A=dashboard(), B=ALARM, C=composite)))
    data, left_out = data_of(
        from_dataset(read_dataset(recording), environment=page.environment), environment=page.environment
    )
    assert data.timeline is not None
    assert list(data.timeline.alarms) == ["busy"]
    assert "over" in left_out[0]
    assert "elsewhere" in left_out[0]


def test_a_scenario_file_is_drawn_too(written: Callable[..., Path], tmp_path: Path) -> None:
    """The series of a unit test of alarms can be looked at: values and alarm states are the scenario's."""
    file = written("t.json", template(A=dashboard(), B=ALARM))
    scenario = tmp_path / "busy.yaml"
    scenario.write_text(
        "name: busier and busier\nalarms: {template: t.json}\nstart: 2026-11-02T00:00:00Z\nduration: 10m\n"
        "series:\n  - metric: AWS/Bedrock Invocations\n    dimensions: {ModelId: nova-pro}\n    stat: Sum\n"
        "    values: 5x5 20x5\nexpect:\n  - {at: +10m, alarm: busy, state: ALARM}\n",
        encoding="utf-8",
    )
    (page,) = read_pages(file)
    drawable = read_recorded(scenario)(page.environment)
    data, _ = data_of(drawable, environment=page.environment)
    assert data.about == "Scenario: busier and busier."
    assert data.span.length_s == 600
    assert data.timeline is not None
    assert str(data.timeline.state_at("busy", kitchen.START_S + 600)) == "ALARM"


def test_what_a_template_does_not_say_is_on_the_page(written: Callable[..., Path]) -> None:
    """A dashboard that cannot be resolved is named on the pages that can; alone it is an error."""
    unknown = {"Type": "AWS::CloudWatch::Dashboard", "Properties": {"DashboardBody": {"Fn::ImportValue": "x"}}}
    (source,) = page_sources(
        read_pages(written("t.json", template(A=dashboard(), B=unknown))), recorded=None, sample=False, links=False
    )
    assert any("/Resources/B/Properties/DashboardBody" in sentence for sentence in source.problems)
    with pytest.raises(ProblemsError, match="Resources/B"):
        read_pages(written("u.json", template(B=unknown)))


def test_sample_data_simulates_bedrock_and_labels_waves(written: Callable[..., Path]) -> None:
    """Bedrock metrics come from a healthy week of the named model, others are waves and said to be."""
    body = {
        "widgets": [
            kitchen.graph(
                0,
                0,
                kitchen.row("Invocations", "amazon.nova-micro-v1:0"),
                ["AWS/EC2", "CPUUtilization", "InstanceId", "i-1"],
            )
        ]
    }
    pages = read_pages(written("body.json", body))
    drawable = sample_data(pages)
    assert {metric.name for metric, _ in drawable.series} >= {"Invocations", "InvocationLatency", "CPUUtilization"}
    assert {metric.name for metric in drawable.generic} == {"CPUUtilization"}
    assert drawable.end_s - drawable.start_s == 7 * 86_400
    assert "1 metric that the simulator does not know is a wave" in drawable.about


def test_an_alarm_on_a_wave_is_not_evaluated(written: Callable[..., Path]) -> None:
    """A number that means nothing has no alarm state, and the page says so."""
    wave = {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": ALARM["Properties"] | {"AlarmName": "cpu", "Namespace": "AWS/EC2"},
    }
    pages = read_pages(written("t.json", template(A=dashboard(), B=ALARM, C=wave)))
    data, left_out = data_of(sample_data(pages), environment=pages[0].environment)
    assert data.timeline is not None
    assert list(data.timeline.alarms) == ["busy"]
    assert left_out == ("1 alarm is not evaluated: it reads waves that mean nothing.",)


def test_one_file_for_one_dashboard_else_a_folder(written: Callable[..., Path], tmp_path: Path) -> None:
    """Two dashboards do not fit into one file; a page can be chosen; a folder gets a file for each, linked."""
    file = written("t.json", template(A=dashboard("app-one"), B=dashboard("app-two")))
    with pytest.raises(ProblemsError, match="there are 2 dashboards: app-one, app-two"):
        write_pages(read_pages(file), tmp_path / "o.html")
    assert run(file, "--page", "app-two", "--out", tmp_path / "o.html") == 0
    assert run(file, "--out", tmp_path / "pages") == 0
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == [
        "app-one.html",
        "app-two.html",
        "index.html",
    ]
    assert '<a href="app-two.html" title="app-two">two</a>' in (tmp_path / "pages" / "app-one.html").read_text(
        encoding="utf-8"
    )


def test_a_comparison_is_written(
    written: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--against` shows the widget that was added."""
    more = {"widgets": [*BODY["widgets"], kitchen.graph(6, 0, kitchen.row("Invocations"), title="fresh")]}
    newer, older = written("new/page.json", more), written("old/page.json", BODY)
    assert run(newer, "--against", older, "--out", tmp_path / "diff.html") == 0
    html = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert "1 added, 1 the same" in html
    said = capsys.readouterr()
    assert said.out.strip() == str(tmp_path / "diff.html")
    assert "diff.html: 1 widget that differs" in said.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--data", "x", "--sample-data"], "exclude each other"),
        (["--data", "nowhere"], "is no recording"),
        (["--page", "nope"], "there is no dashboard 'nope'; there are: body"),
    ],
)
def test_wrong_calls_end_with_2(
    written: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    """Usage errors are one line and exit code 2."""
    assert run(written("body.json", BODY), *arguments, "--out", tmp_path / "o.html") == 2
    assert told in capsys.readouterr().err


def test_a_picture_without_browser_says_what_is_missing(
    written: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The HTML file is there, the message names the variable."""
    monkeypatch.setattr(picture, "find_browser", lambda: None)
    assert run(written("body.json", BODY), "--out", tmp_path / "o.html", "--png") == 2
    assert (tmp_path / "o.html").is_file()
    assert "environment variable CHROME" in capsys.readouterr().err


def test_the_browser_is_the_one_that_chrome_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A wrong name is no browser, not another one."""
    browser = tmp_path / "browser"
    browser.write_text("")
    monkeypatch.setenv("CHROME", str(browser))
    assert picture.find_browser() == browser
    monkeypatch.setenv("CHROME", str(tmp_path / "none"))
    assert picture.find_browser() is None


@pytest.mark.parametrize(
    ("name", "expected"), [("a b/..c", "a-b-c.html"), ("", "dashboard.html"), ("x" * 300, "x" * 120 + ".html")]
)
def test_file_names_are_safe(name: str, expected: str) -> None:
    """A dashboard's name never leaves the folder."""
    assert file_name(name) == expected


def test_a_missing_chart_library_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The hint is the command that installs it."""
    monkeypatch.undo()
    monkeypatch.setattr(assets, "LIBRARY", tmp_path)
    assets.library.cache_clear()
    with pytest.raises(ProblemsError, match=r"uPlot of the preview is not installed"):
        assets.library()
    assets.library.cache_clear()


@pytest.mark.browser
def test_a_picture_is_written(
    written: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recording: Path
) -> None:
    """--png writes a picture in which the graph has its colour."""
    monkeypatch.undo()
    if picture.find_browser() is None:
        pytest.skip("NOT RUN: PNG of a page - no Chrome or Chromium is installed (or set CHROME)")
    from PIL import Image

    out = tmp_path / "o.html"
    assert run(written("body.json", BODY), "--data", recording, "--out", out, "--png") == 0
    with Image.open(out.with_suffix(".png")) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert pixels.shape[1] == 1280
    assert (np.abs(pixels - [0, 114, 178]).sum(axis=2) < 30).sum() > 100
    shutil.rmtree(recording)


def test_a_recording_opens_on_all_of_it_and_sample_data_on_a_busy_noon(
    written: Callable[..., Path], recording: Path
) -> None:
    """A body that asks for its last half hour gets it of sample data, which end on a weekday at noon, and not of a recording."""
    pages = read_pages(written("body.json", BODY | {"start": "-PT30M"}))
    (recorded,) = page_sources(pages, recorded=read_recorded(recording), sample=False, links=False)
    (sampled,) = page_sources(pages, recorded=None, sample=True, links=False)
    assert shown_seconds(recorded) == (kitchen.START_S, kitchen.START_S + 3600)
    first, last = shown_seconds(sampled)
    assert last - first == 1800
    assert datetime.fromtimestamp(last, tz=UTC).strftime("%a %H:%M") == "Thu 12:00"


def test_the_summary_says_what_the_alarms_did(
    written: Callable[..., Path], recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thirty calls a minute are more than ten: one alarm with an action went off and notified once; the index says so too."""
    busy = {
        "Type": ALARM["Type"],
        "Properties": ALARM["Properties"] | {"AlarmActions": ["arn:aws:sns:us-east-1:111122223333:on"]},
    }
    file = written("t.json", template(A=dashboard("app-one"), B=dashboard("app-two"), C=busy))
    assert run(file, "--data", recording, "--out", tmp_path / "pages") == 0
    captured = capsys.readouterr()
    assert "app-one.html: 1 widget, 1 of 1 alarm went off, 1 notification, " in captured.err
    assert captured.out.splitlines() == [
        str(tmp_path / "pages" / f"{name}.html") for name in ("index", "app-one", "app-two")
    ]
    index = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'class="card" href="([^"]+)"', index) == ["app-one.html", "app-two.html"]
    assert "1 of 1 alarm went off, 1 notification." in index


def test_a_dashboard_called_index_does_not_take_the_place_of_the_index(
    written: Callable[..., Path], tmp_path: Path
) -> None:
    """Its file has a number, and the index lists both."""
    write_pages(read_pages(written("t.json", template(A=dashboard("index"), B=dashboard("other")))), tmp_path / "o")
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == ["index-2.html", "index.html", "other.html"]


def test_pages_of_places_that_a_recording_does_not_hold_are_left_out(tmp_path: Path) -> None:
    """A recording of one Region of one account draws the pages of that place alone, and says what it leaves out."""
    found = replace(kitchen.metric("Invocations", "nova-pro"), region="us-west-2", account_id="111122223333")
    times = kitchen.START_S + 60 * np.arange(5)
    drawable = Drawable(
        series=((found, Samples.of_values(times, np.ones(5))),),
        start_s=kitchen.START_S,
        end_s=kitchen.START_S + 300,
        about="Five minutes.",
        logs={},
    )
    told: list[str] = []
    pages = read_pages(EXAMPLE)
    done = write_pages(pages, tmp_path / "o", recorded=lambda _: drawable, report=told.append)
    drawn = [each.name for each in done if each.name]
    assert drawn == [page.name for page in pages if page.environment.home == ("111122223333", "us-west-2")]
    assert any("of 444455556666 eu-central-1 left out" in line for line in told)


def test_a_place_that_is_not_deployed_to_is_refused_with_those_that_are() -> None:
    """A misspelt account is a mistake with the names that would do, not an input without dashboards."""
    with pytest.raises(ProblemsError) as caught:
        read_pages(EXAMPLE, account="prod")
    (problem,) = caught.value.problems
    assert problem.code == "no-place"
    assert "prod-assistant in us-east-1" in problem.hint


def shown_seconds(source: PageSource) -> tuple[int, int]:
    """Return the range that a page opens on."""
    found = re.search(r'"shown":\[(\d+),(\d+)\]', render_page(source).html)
    assert found is not None
    return int(found[1]), int(found[2])
