"""Which value wins, where it comes from, and what deployments are made of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from alarms.alarm_set import Profile, Severity
from alarms.naming import Site
from bedrock.evidence import AbsentMeans, EvidenceRoute
from bedrock.models import AlarmOverride, LatencyMode, OptimizedSeries
from monitoring.config import load_configuration, load_deployments
from monitoring.config.explain import explained
from monitoring.deployment import ChatTarget, Deployment, HttpsTarget
from monitoring.plan import plans

if TYPE_CHECKING:
    from monitoring.config.source import Source

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[2] / "examples/acme/monitoring.yaml"

LEVELS = """\
organisation:
  name: Acme
  defaults:
    model_defaults:
      sdk_max_attempts: 2
      quotas: {rpm: 2, tpd: 2}
      links: {Wiki: https://wiki.example.com, Code: https://code.example.com}
models:
  chat:
    ids: [us.amazon.nova-pro-v1:0]
    quotas: {tpm: 4, rpm: 4}
    links: {Code: https://git.example.com}
    in_regions:
      us-west-2: {quotas: {tpm: 6}}
accounts:
  prod:
    id: "111122223333"
    regions: [us-east-1, us-west-2]
    notifications: {page: {create: {emails: [a@example.com]}}}
    model_defaults:
      sdk_max_attempts: 3
      quotas: {tpd: 3, max_tokens: 3}
    models:
      chat:
        quotas: {max_tokens: 5}
        alarms: {throttled: {threshold: 7}}
        in_regions:
          us-west-2: {quotas: {max_tokens: 7}, alarms: {throttled: {n: 9, m: 3}}}
"""


def written(tmp_path: Path, text: str) -> Path:
    """Write a configuration."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def source(file: Path) -> Source:
    """Return the source of a configuration without errors."""
    loaded = load_configuration(file)
    assert loaded.errors == ()
    assert loaded.source is not None
    return loaded.source


def example(alias: str, region: str) -> Deployment:
    """Return a deployment of the example."""
    return next(one for one in load_deployments(EXAMPLE) if (one.site.alias, one.site.region) == (alias, region))


def test_levels_win_in_the_documented_order(tmp_path: Path) -> None:
    """Catalogue, organisation, account, model, account's model, and the last two in the Region: value by value."""
    east, west = load_deployments(written(tmp_path, LEVELS))
    chat = east.models[0]
    assert (chat.title, chat.sdk_max_attempts) == ("Amazon Nova Pro", 3)
    assert (chat.quotas.tpm, chat.quotas.rpm, chat.quotas.tpd, chat.quotas.max_tokens) == (4, 4, 3, 5)
    assert dict(chat.links) == {"Wiki": "https://wiki.example.com", "Code": "https://git.example.com"}
    assert chat.override("throttled") == AlarmOverride(threshold=7)
    chat = west.models[0]
    assert (chat.quotas.tpm, chat.quotas.rpm, chat.quotas.tpd, chat.quotas.max_tokens) == (6, 4, 3, 7)
    assert chat.override("throttled") == AlarmOverride(threshold=7, evaluation_periods=9, datapoints_to_alarm=3)


def test_explain_names_the_line_that_gave_each_value(tmp_path: Path) -> None:
    """Each row names the line and level, or the catalogue; a second Region shows only what differs."""
    text, problem = explained(source(written(tmp_path, LEVELS)), model="chat")
    assert problem == ""
    rows = {line.split()[0]: line for line in text.split("where it differs")[0].splitlines() if line.strip()}
    assert "line 5, organisation" not in rows["sdk_max_attempts"]
    assert rows["sdk_max_attempts"].endswith("line 21, account")
    assert rows["quotas.rpm"].endswith("line 11, model")
    assert rows["quotas.max_tokens"].endswith("line 25, account's model")
    assert rows["baselines.otps"].endswith("catalogue nova-pro, estimate")
    assert rows["latency"].endswith("built in")
    differs = text.split("where it differs")[1]
    assert "line 14, model, us-west-2" in differs
    assert "quotas.rpm" not in differs


def test_explain_fits_eighty_columns_and_says_what_the_catalogue_is_worth() -> None:
    """The table can be read in a terminal of 80 columns, and estimates are called so with their date."""
    here = source(EXAMPLE)
    for model in ("assistant", "ticket-summaries", "contract-review", "router", "search-answers"):
        text, problem = explained(here, model=model)
        assert problem == ""
        assert max(len(line) for line in text.splitlines() if "arn:" not in line) <= 80
        assert "Catalogue of 2026-11-01; its baselines are a first estimate, not measured." in text


def test_explain_breaks_no_id_and_no_address() -> None:
    """What somebody copies from the table stands in one piece, each id on a line of its own."""
    text, _ = explained(source(EXAMPLE), model="search-answers")
    arn = "arn:aws:bedrock:eu-central-1:444455556666:application-inference-profile/cypje2y15yrd"
    assert arn in [word for line in text.splitlines() for word in line.split()]
    text, _ = explained(source(EXAMPLE), model="ticket-summaries")
    assert any(line.split()[:1] == ["us.amazon.nova-lite-v1:0"] for line in text.splitlines())


def test_explain_lists_the_alarms_with_their_numbers_and_where_they_come_from() -> None:
    """Severity and target, threshold with unit, M of N, missing data, the lines that changed it, and what it follows from."""
    text, _ = explained(source(EXAMPLE), model="router")
    block = re.search(r"^throttled {2,}(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    lines = [line.strip() for line in block.group(1).splitlines()]
    assert lines[0] == "at least 10 % of attempts throttled"
    assert lines[1] == "4 of 15 x 60 s, missing notBreaching"
    assert lines[2] == "page to oncall"
    given = EXAMPLE.read_text(encoding="utf-8").splitlines()
    line = 1 + next(number for number, text in enumerate(given) if "threshold: 10, n: 15, m: 4" in text)
    assert " ".join(lines[3:]) == f"changed by threshold line {line}, n line {line}, m line {line}"
    text, _ = explained(source(EXAMPLE), model="contract-review")
    assert "50 x 0.005^(1/3)" in " ".join(text.split())
    assert "at least 8.5 % of attempts throttled" in text
    assert "slow is below 48 tokens a second" in text


def test_explain_lists_every_alarm_that_is_built(tmp_path: Path) -> None:
    """As JSON, each alarm of the plan has a row, and a page without a target says so."""
    file = written(tmp_path, LEVELS.replace("notifications: {page:", "notifications: {ticket:"))
    here = source(file)
    text, _ = explained(here, model="chat", region="us-west-2", as_json=True)
    rows = {row["alarm"]: row for row in json.loads(text)["alarms"]}
    made = plans(load_configuration(file).deployments)[1]
    assert set(rows) == {entry.slug for entry in (*made.models[0].alarms, *made.alarms)}
    assert rows["throttled"]["targets"] == "nobody: no target"
    assert rows["throttled"]["looks"] == "3 of 9 x 60 s"
    assert rows["throttled"]["from"] == "threshold line 26, n line 28, m line 28"


def test_explain_asks_whether_another_name_was_meant() -> None:
    """A wrong model, account or Region is answered with the closest known one."""
    here = source(EXAMPLE)
    assert "Did you mean 'assistant'?" in explained(here, model="asistant")[1]
    assert "Did you mean 'prod-assistant'?" in explained(here, model="assistant", account="prod-asistant")[1]
    assert "Did you mean 'us-east-1'?" in explained(here, model="assistant", region="us-east1")[1]
    assert "no model router in us-west-2" in explained(here, model="router", region="us-west-2")[1]


def test_the_example_deploys_what_its_comments_say() -> None:
    """Two accounts, three Regions, five models: the values of the example arrive in the deployments."""
    deployments = load_deployments(EXAMPLE)
    assert [one.site for one in deployments] == [
        Site(prefix="llm", alias="prod-assistant", account_id="111122223333", region="us-east-1"),
        Site(prefix="llm", alias="prod-assistant", account_id="111122223333", region="us-west-2"),
        Site(prefix="llm", alias="staging-assistant", account_id="444455556666", region="eu-central-1"),
    ]
    assert {model.key for one in deployments for model in one.models} == {
        "assistant",
        "ticket-summaries",
        "contract-review",
        "router",
        "search-answers",
    }
    east = example("prod-assistant", "us-east-1")
    assistant, summaries, review, router = east.models
    assert assistant.latency is LatencyMode.OPTIMIZED
    assert (assistant.baselines.otps, assistant.baselines.standard_otps) == (118, 74)
    assert assistant.objectives.success_rate == 0.995
    assert not summaries.streams
    assert summaries.override("throttled").severity == "ticket"
    assert review.quotas.burndown == 5
    assert review.prompt_caching
    assert router.override("throttled") == AlarmOverride(threshold=10, evaluation_periods=15, datapoints_to_alarm=4)
    staging = example("staging-assistant", "eu-central-1")
    assert staging.profile is Profile.LEAN
    assert staging.models[0].title == "Anthropic Claude Haiku 4.5"
    assert staging.models[0].trail_ids[0].endswith(":application-inference-profile/cypje2y15yrd")
    assert dict(staging.tags) == {"team": "ai-platform", "cost-centre": "4711", "stage": "staging"}


def test_each_region_notifies_the_topics_that_are_in_it() -> None:
    """An alarm can only notify a topic of its own Region; severities keep the order page, ticket, note."""
    for region in ("us-east-1", "us-west-2"):
        here = example("prod-assistant", region)
        assert [target.severity for target in here.notifications] == [Severity.PAGE, Severity.TICKET, Severity.NOTE]
        page, ticket, note = here.notifications
        assert page.topic_arns == (f"arn:aws:sns:{region}:111122223333:oncall",)
        assert not page.creates_topic
        assert ticket.creates_topic
        assert ticket.emails == ("ai-platform@acme.example",)
        assert (page.ok_actions, note.ok_actions) == (True, False)


def test_every_key_of_an_account_arrives() -> None:
    """Every setting that an account may have reaches the deployment."""
    here = load_deployments(HERE / "good/every-key-of-an-account.yaml")[0]
    ticket = here.notification(Severity.TICKET)
    assert ticket is not None
    assert ticket.https == (HttpsTarget(secret_arn="pager", json_key="url"),)
    assert ticket.chat == (ChatTarget(name="oncall", workspace_id="T0123ABCDEF", channel_id="C0123ABCDEF"),)
    assert here.profile is Profile.LEAN
    assert here.kms_key_arn == "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d"
    assert (here.log_resource_policy, here.bootstrap_qualifier, here.permissions_boundary) == (
        False,
        "acme1",
        "boundary",
    )
    assert here.cache_metrics == ("CacheReadInputTokens", "CacheWriteInputTokenCount")
    assert here.models[0].sdk_max_attempts == 1
    evidence = here.evidence
    assert (evidence.route, evidence.absent_means) == (EvidenceRoute.EVENTBRIDGE, AbsentMeans.STANDARD)
    assert (evidence.served_latency_path, evidence.log_group, evidence.retention_days) == ("a.b", "/x", 7)
    assert evidence.expected_delay_s == 900


def test_every_key_of_a_model_arrives() -> None:
    """Every setting that a model may have reaches the monitored model."""
    model = load_deployments(HERE / "good/every-key-of-a-model.yaml")[0].models[0]
    assert (model.title, model.latency, model.optimized_series) == (
        "Chat",
        LatencyMode.OPTIMIZED,
        OptimizedSeries.INCLUDE,
    )
    assert (model.streaming_share, model.requests_per_minute, model.sdk_max_attempts) == (0.9, 60, 5)
    assert (model.reserved_tier, model.prompt_caching) == (True, True)
    assert (model.objectives.ttft_p99_ms, model.objectives.latency_p90_ms) == (2000, 8000)
    assert (model.baselines.standard_otps, model.baselines.cache_hit_rate) == (60, 0.5)
    assert (model.quotas.tpm, model.quotas.tpd, model.quotas.max_tokens) == (900_000, 1e9, 4000)
    assert (model.prices.cache_read, model.prices.cache_write) == (0.25, 0)
    assert model.override("no-traffic") == AlarmOverride(off=False)


def test_a_new_evidence_route_forgets_the_log_group_of_the_old_one() -> None:
    """The route eventbridge in one Region does not write into the log group of a trail that is in another."""
    east, west = load_deployments(HERE / "good/trail-in-its-home-region-and-eventbridge-elsewhere.yaml")
    assert (east.evidence.route, east.evidence.log_group) == (EvidenceRoute.TRAIL, "trail")
    assert (west.evidence.route, west.evidence.log_group) == (EvidenceRoute.EVENTBRIDGE, None)


def test_standard_baselines_of_the_catalogue_follow_what_callers_ask_for(tmp_path: Path) -> None:
    """A model that can be optimized but asks for standard is compared with the standard rate and price."""
    text = LEVELS.replace("[us.amazon.nova-pro-v1:0]", "[us.amazon.nova-pro-v1:0]\n    latency: MODE")
    standard = load_deployments(written(tmp_path, text.replace("MODE", "standard")))[0].models[0]
    optimized = load_deployments(written(tmp_path, text.replace("MODE", "optimized")))[0].models[0]
    assert standard.baselines.otps == optimized.baselines.standard_otps
    assert standard.baselines.standard_otps is None
    assert (standard.prices.input, optimized.prices.input) == (0.8, 1.0)


def test_a_model_is_deployed_only_in_its_regions() -> None:
    """`regions` of a model leaves it out elsewhere."""
    assert [model.key for model in example("prod-assistant", "us-west-2").models] == ["assistant", "contract-review"]


def test_china_is_its_own_partition() -> None:
    """The partition follows from the Region."""
    assert load_deployments(HERE / "good/china.yaml")[0].site.partition == "aws-cn"
