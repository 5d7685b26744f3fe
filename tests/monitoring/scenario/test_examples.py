"""The example's scenarios hold, and leave no alarm of the example out: each is shown to go off and to stay quiet."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from alarms.policy import base_slug
from cloudwatch.alarm import AlarmState
from monitoring.config import load_deployments
from monitoring.plan import plan
from monitoring.scenario import report
from monitoring.scenario.document import Scenario, load_scenario
from monitoring.scenario.run import Outcome, run_scenario

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "examples" / "scenarios").glob("*.yaml"))
KNOWN_FAULTS = sorted((Path(__file__).parent / "known-faults").glob("*.yaml"))

# Claims that rest on a choice that AWS leaves open, by file and switch. Empty is what we want.
FRAGILE: frozenset[tuple[str, str]] = frozenset()


@cache
def outcome(file: Path) -> Outcome:
    """What a scenario gave; each is run once for all tests."""
    return run_scenario(loaded(file))


@cache
def loaded(file: Path) -> Scenario:
    """A scenario; each is read once for all tests."""
    return load_scenario(file)


@cache
def slug_of(account: str, region: str) -> dict[str, str]:
    """Slug of the policy table by AlarmName, of one deployment of the example."""
    deployments = load_deployments(ROOT / "examples" / "acme" / "monitoring.yaml")
    chosen = next(each for each in deployments if (each.site.alias, each.site.region) == (account, region))
    planned = plan(chosen)
    entries = [*planned.alarms, *(entry for model in planned.models for entry in model.alarms)]
    return {entry.alarm.name: base_slug(entry.slug) for entry in entries}


def slugs_of_the_example() -> set[str]:
    """Every slug that any alarm of the example has."""
    deployments = load_deployments(ROOT / "examples" / "acme" / "monitoring.yaml")
    return {slug for each in deployments for slug in slug_of(each.site.alias, each.site.region).values()}


def claimed() -> tuple[set[str], set[str]]:
    """Slugs that a scenario says are in ALARM, and slugs that one says are not."""
    alarmed: set[str] = set()
    quiet: set[str] = set()
    for file in FILES:
        scenario = loaded(file)
        slugs = slug_of(scenario.source["account"], scenario.source["region"])
        for claim in scenario.claims:
            if claim.alarm is None:
                continue
            if claim.state is AlarmState.ALARM:
                alarmed.add(slugs[claim.alarm])
            if claim.state is AlarmState.OK or claim.never is AlarmState.ALARM:
                quiet.add(slugs[claim.alarm])
    return alarmed, quiet


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_claim_of_an_example_holds(file: Path) -> None:
    """A failure prints what `bedrock-monitor test` prints."""
    found = outcome(file)
    assert not found.failures, report.as_text([found], strict=False)


def test_no_claim_of_the_examples_rests_on_an_open_choice() -> None:
    """A verdict that AWS might decide otherwise stands in the table above, with its switch, or nowhere."""
    found = {(file.name, fragile.switch) for file in FILES for fragile in outcome(file).fragile}
    assert found == FRAGILE


def test_every_alarm_of_the_example_is_shown_to_go_off() -> None:
    """An alarm without a scenario in which it is in ALARM is an alarm nobody has seen work."""
    alarmed, _ = claimed()
    assert slugs_of_the_example() - alarmed == set()


def test_every_alarm_of_the_example_is_shown_to_stay_quiet() -> None:
    """An alarm that goes off in every scenario tells nothing."""
    _, quiet = claimed()
    assert slugs_of_the_example() - quiet == set()


def test_every_example_says_who_is_called() -> None:
    """A scenario without a claim on notifications would let a second page pass."""
    silent = [file.name for file in FILES if all(claim.notified is None for claim in loaded(file).claims)]
    assert silent == ["traffic-stops-while-throttled.yaml"]  # see known-faults: a wrong note follows


@pytest.mark.parametrize("file", KNOWN_FAULTS, ids=lambda file: file.stem)
@pytest.mark.xfail(strict=True, reason="an alarm is wrong; once it is mended the file moves to examples/scenarios")
def test_a_known_fault_is_still_there(file: Path) -> None:
    """What should hold and does not yet."""
    assert not outcome(file).failures


def first_scenario(*, with_quota: bool) -> str:
    """The scenario that docs/scenarios.md writes step by step, before or after its fifth step."""
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    steps = text[text.index("## A first scenario") : text.index("## Where the alarms come from")]
    head, series, expect, quota = [block.split("```")[0] for block in steps.split("```yaml\n")[1:]]
    head = head.replace("../acme/monitoring.yaml", str(ROOT / "examples" / "acme" / "monitoring.yaml"))
    return head + series + (quota if with_quota else "") + expect


def test_the_first_scenario_of_the_documentation_is_told_as_it_runs(tmp_path: Path) -> None:
    """It fails by the note, as the page says, and holds once the quota is used up; with fewer throttles it fails again."""
    file = tmp_path / "first.yaml"
    file.write_text(first_scenario(with_quota=False), encoding="utf-8")
    told = report.as_text([run_scenario(load_scenario(file))], strict=False)
    assert "unexpected  llm-prod-assistant-router-throttled-by-reservation" in told
    assert "(4 of 5 claims hold)" in told
    whole = first_scenario(with_quota=True)
    file.write_text(whole, encoding="utf-8")
    assert run_scenario(load_scenario(file)).failures == ()
    file.write_text(whole.replace("150x40", "15x40"), encoding="utf-8")
    assert run_scenario(load_scenario(file)).failures


def test_a_page_that_did_not_come_names_what_held_it_back(tmp_path: Path) -> None:
    """Fallback is in ALARM and held back: the failure says by which alarm and until when, and explain says the same."""
    example = ROOT / "examples" / "scenarios" / "fallback-evidence-comes-too-late.yaml"
    text = example.read_text(encoding="utf-8").replace("../acme", str(ROOT / "examples" / "acme"))
    head, _, _ = text.partition("  - notified:")
    file = tmp_path / "late.yaml"
    file.write_text(f"{head}  - notified: [llm-prod-assistant-assistant-fallback]\n", encoding="utf-8")
    found = run_scenario(load_scenario(file))
    told = report.as_text([found], strict=False)
    assert "missing     llm-prod-assistant-assistant-fallback: in ALARM from" in told
    assert "held back by llm-prod-assistant-assistant-already-paged until" in told
    steps = report.explained(
        found.timeline, alarm="llm-prod-assistant-assistant-slow-decode", at_s=found.timeline.start_s + 90 * 60
    )
    actions = steps.partition("4. Its actions until then")[2].splitlines()
    assert ["waited for llm-prod-assistant-assistant-explained" in line for line in actions[-2:]] == [True, False]
    assert "ran for ALARM" in actions[-1]


def test_a_composite_is_explained_with_what_its_children_saw() -> None:
    """The line of a child has its points, how many breach and how many are needed."""
    found = outcome(ROOT / "examples" / "scenarios" / "throttled-under-the-quota.yaml")
    steps = report.explained(
        found.timeline, alarm="llm-prod-assistant-assistant-throttled", at_s=found.timeline.start_s + 60 * 60
    )
    (child,) = [line for line in steps.splitlines() if "assistant-throttled-1 " in line and "needed" in line]
    assert child.split()[0] == "ALARM"
    assert child.endswith("needed")
