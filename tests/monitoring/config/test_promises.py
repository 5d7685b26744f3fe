"""What `validate` says without building alarms is what building them shows; what `synth` would refuse, `validate` refuses."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from alarms import naming, policy
from alarms.causes import model_alarms, site_alarms
from alarms.speed import MINIMUM_STREAMING_SHARE
from bedrock.catalogue import catalogue
from bedrock.evidence_plan import plan_evidence
from monitoring.config import load_configuration, presence
from monitoring.config.load import Loaded, load_text
from monitoring.config.plan_gate import unusual
from monitoring.config.settings import models_here
from monitoring.plan import plans
from monitoring.plan_limits import limit_problems

if TYPE_CHECKING:
    from cloudwatch.problems import Problem
    from monitoring.config.merge import Effective
    from monitoring.deployment import Deployment

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent

HEAD = """\
organisation: {name: Acme}
accounts:
  prod:
    id: "111122223333"
    regions: [us-east-1]
    notifications: {page: {create: {emails: [a@example.com]}}, ticket: {create: {emails: [b@example.com]}}}
"""


def loaded(models: str, *, settings: str = "") -> Loaded:
    """Return a configuration of one account with these models."""
    return load_text(f"{HEAD}{settings}    models:\n{models}", file="monitoring.yaml")


def only_model(here: Loaded) -> tuple[Effective, Deployment]:
    """Return the values of the one model of a configuration, and its deployment."""
    assert here.errors == ()
    assert here.source is not None
    (model,) = models_here(here.source, alias="prod", region="us-east-1")
    return model.effective, here.deployments[0]


def built(deployment: Deployment) -> dict[str, str | None]:
    """Return the slug and severity of every alarm that is built for the one model, account-wide ones included."""
    (model,) = deployment.models
    site = deployment.site
    evidence = plan_evidence(
        [model], settings=deployment.evidence, region=site.region, namespace="x", log_group="y", rule_prefix="z"
    )
    entries = [
        *model_alarms(model, site=site, evidence=evidence, targets={}, profile=deployment.profile),
        *site_alarms([model], site=site, evidence=evidence, targets={}),
    ]
    return {policy.base_slug(entry.slug): entry.severity for entry in entries}


VARIATIONS = [
    " ".join(part for part in parts if part)
    for parts in product(
        ("", "latency: optimized,"),
        ("", "streaming_share: 0,", "streaming_share: 0.1,"),
        ("", "objectives: {ttft_p90_ms: 900},", "objectives: {latency_p90_ms: 20000},"),
        ("", "quotas: {rpm: 100},", "quotas: {tpm: 100000},", "quotas: {tpm: 100000, optimized_tpm: 50000},"),
        ("", "prompt_caching: true, reserved_tier: true, baselines: {cache_hit_rate: 0.5},"),
    )
    if not ("streaming_share: 0," in parts and "ttft_p90_ms" in parts[2])
]


@pytest.mark.parametrize(
    "settings", ["", "    profile: lean\n", "    evidence: {route: none}\n"], ids=["default", "lean", "no-evidence"]
)
def test_an_alarm_is_called_absent_exactly_where_none_is_built(settings: str) -> None:
    """Over 140 models in two profiles: which alarms exist, and how loud each cause is, without building any."""
    asked = {slug: presence.SEVERITIES.get(slug) for slug in presence.SLUGS}
    overrides = ", ".join(f"{slug}: {{off: false}}" for slug in presence.OPT_IN)
    for variation in VARIATIONS:
        text = f"      chat: {{ids: [us.amazon.nova-pro-v1:0], {variation} alarms: {{{overrides}}}}}\n"
        values, deployment = only_model(loaded(text, settings=settings))
        here: dict[str, Any] = {"lean": "lean" in settings, "route": "none" if "route" in settings else "eventbridge"}
        absent = presence.absent_alarms(values, **here)
        found = built(deployment)
        # an alarm of the account is absent at a model; what only tells a fallback from another page may be missing
        hidden = {"caller-errors", "fallback-chronic", "decode-rate-standard"}
        hidden |= (
            {"decode-rate"} if here["lean"] else set()
        )  # its numbers reach slow-decode, which carries no symptom there
        assert {slug for slug in asked if slug not in absent} - hidden == set(found) - hidden - set(presence.HELPERS), (
            variation
        )
        told = presence.told_as(values, **here)
        assert {slug: found[slug] for slug in told if slug not in hidden} == {
            slug: severity for slug, severity in told.items() if slug not in hidden
        }, variation


def test_slugs_and_severities_are_those_of_the_policy() -> None:
    """Every row of the policy can be changed or is a helper, with the severity, profile and opt-in of the table."""
    assert set(policy.SLUGS) <= {*presence.SLUGS, *presence.HELPERS}
    assert set(naming.CAUSES) | set(naming.SYMPTOMS) < set(presence.SLUGS)
    for slug, row in policy.policies().items():
        assert presence.SEVERITIES.get(slug) == (row.severity.value if row.severity else None), slug
        assert (slug in presence.OPT_IN) == row.opt_in, slug
        if slug not in presence.HELPERS:
            assert (slug in presence.LEAN) == row.lean, slug
    assert presence.STREAMED == MINIMUM_STREAMING_SHARE


def test_every_alarm_of_the_guide_can_be_changed() -> None:
    """Each slug that docs/alarms.md lists is taken, or answered with the one to change instead."""
    guide = (ROOT / "docs/alarms.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| `([a-z-]+)` \|", guide, re.MULTILINE)
    assert len(set(tables)) >= 15
    for slug in set(tables):
        problems = loaded(f"      chat: {{ids: [us.amazon.nova-pro-v1:0], alarms: {{{slug}: {{off: true}}}}}}\n").errors
        assert [one.message for one in problems] == (
            []
            if slug in presence.SLUGS
            else [f"{slug} only holds back actions: it follows from {presence.HELPERS[slug]}."]
        )


def test_decode_rate_standard_reaches_its_alarm() -> None:
    """A threshold for it is in the alarm that is built."""
    here = loaded(
        "      chat: {ids: [us.amazon.nova-pro-v1:0], latency: optimized, alarms: {decode-rate-standard: {threshold: 66}}}\n"
    )
    assert here.problems == ()
    entry = plans(here.deployments)[0].models[0].alarms.get("decode-rate-standard")
    assert entry is not None
    assert getattr(entry.alarm, "threshold", None) == 66


LARGE = {
    "long ids in one filter": f"      chat: {{ids: [us.amazon.nova-pro-v1:0, us.example.{'x' * 1000}], latency: optimized}}\n",
    "too many filters": "".join(
        f"      m{number}: {{ids: [us.amazon.nova-pro-v1:0-{number}], foundation_model: nova-pro, latency: optimized}}\n"
        for number in range(60)
    ),
    "window of a longer copy": "      chat: {ids: [us.amazon.nova-pro-v1:0], latency: optimized, requests_per_minute: 120, alarms: {decode-rate: {n: 1439, m: 5}}}\n",
}


@pytest.mark.parametrize("name", LARGE)
def test_what_synth_refuses_validate_refuses_where_it_stands(name: str) -> None:
    """A file past a limit of AWS is an error of `validate`, with line, column and what to do."""
    problems = loaded(LARGE[name]).errors
    assert problems
    for problem in problems:
        assert problem.place.line is not None
        assert problem.place.line >= 3
        assert problem.place.column is not None
        assert problem.hint


def test_a_file_that_is_not_unusual_can_be_built() -> None:
    """At the edge of what is built without a look at the limits, every limit is kept with room."""
    model = "{{ids: [{ids}], foundation_model: nova-pro, latency: {latency}, reserved_tier: true, prompt_caching: true, objectives: {{ttft_p90_ms: 900, latency_p90_ms: 9000}}, quotas: {{tpm: 5, optimized_tpm: 5, rpm: 5}}, title: {title}, requests_per_minute: 1, alarms: {{{alarms}}}}}"
    alarms = ", ".join(f"{slug}: {{n: 40, m: 5}}" for slug in presence.SLUGS if policy.policies()[slug].cadences)
    texts = []
    for number in range(20):
        ids = ", ".join(f"us.example.{'x' * 140}{number}-{one}" for one in range(3))
        latency = "optimized" if number < 8 else "standard"
        texts.append(f"      m{number}: {model.format(ids=ids, latency=latency, title='t' * 80, alarms=alarms)}\n")
    here = loaded("".join(texts), settings="    evidence: {expected_delay_s: 20000}\n")
    twelve = ", ".join(f"us.example.{'y' * 140}-{one}" for one in range(12))
    wide = loaded(f"      chat: {model.format(ids=twelve, latency='optimized', title='t' * 80, alarms=alarms)}\n")
    for one in (here, wide):
        assert one.errors == ()
        assert one.source is not None
        assert not unusual(one.places)
        assert limit_problems(plans(one.deployments)) == ()


def test_no_model_can_take_the_name_of_a_page() -> None:
    """Every name that a page of the account may get is refused as the key of a model."""
    for key, refused in (
        ("weekly", True),
        ("fleet", True),
        ("weekly-2", True),
        ("fleet-3", True),
        ("weekly-review", False),
        ("weekly2", False),
    ):
        codes = [problem.code for problem in loaded(f"      {key}: {{ids: [us.amazon.nova-pro-v1:0]}}\n").errors]
        assert codes == (["reserved-key"] if refused else []), key


@pytest.mark.parametrize(
    ("model_id", "meant"),
    [
        ("eu.anthropic.claude-haiku-4.5-20251001-v1:0", "eu.anthropic.claude-haiku-4-5-20251001-v1:0"),
        ("us.amazon.nova-prov1:0", "us.amazon.nova-pro-v1:0"),
        (
            "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pr-v1:0",
            "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0",
        ),
        ("eu.antropic.claude-sonnet-4-20250514-v1:0", "eu.anthropic.claude-sonnet-4-20250514-v1:0"),
        ("us.example.large-v1:0", None),
    ],
)
def test_the_catalogue_finds_the_id_that_was_meant(model_id: str, meant: str | None) -> None:
    """Prefix, ARN and version stay as written."""
    assert catalogue().closest(model_id) == meant


def test_no_id_of_the_catalogue_is_doubted_where_it_can_be_called() -> None:
    """Each model, called by profile from a Region of its geography, is accepted without a word; bare where the catalogue says so."""

    def said(model_id: str, region: str) -> tuple[Problem, ...]:
        head = HEAD.replace("us-east-1", region)
        return load_text(f"{head}    models: {{chat: {{ids: [{model_id}]}}}}\n", file="f").problems

    for entry in catalogue().entries.values():
        for prefix, region in (
            ("us", "us-west-2"),
            ("eu", "eu-west-1"),
            ("apac", "ap-south-1"),
            ("jp", "ap-northeast-1"),
            ("global", "sa-east-1"),
        ):
            assert said(f"{prefix}.{entry.ids[0]}:0", region) == ()
        assert [one.code for one in said(f"{entry.ids[0]}:0", "us-east-1")] == (
            ["profile-only"] if entry.by_profile else []
        )
        assert [one.code for one in said(f"eu.{entry.ids[0]}:0", "us-east-1")] == ["other-geography"]


def test_ids_of_two_geographies_serve_accounts_in_both() -> None:
    """A model of the organisation lists the profiles of all its Regions; each Region needs one that it can call."""
    text = f"{HEAD.replace('[us-east-1]', '[us-east-1, eu-west-1]')}    models: {{chat: {{ids: [us.amazon.nova-pro-v1:0, eu.amazon.nova-pro-v1:0]}}}}\n"
    assert load_text(text, file="f").problems == ()


def test_the_example_says_nothing() -> None:
    """The example of the project has no doubtful number."""
    assert load_configuration(ROOT / "examples/acme/monitoring.yaml").problems == ()
