"""The policy of the deploying role follows the configuration."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import typer

from monitoring.cli.deploy_policy import print_policy
from monitoring.config import load_deployments
from monitoring.deploy_policy import deploy_policy
from monitoring.plan import plans

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/acme/monitoring.yaml"
FULL = """\
organisation: {name: Acme}
accounts:
  prod:
    id: "111122223333"
    regions: [us-east-1]
    notifications:
      page:
        create:
          emails: [oncall@acme.example]
          https: [{secret: pager-url}]
          chat: [{name: oncall, workspace_id: T0123ABCDEF, channel_id: C0123ABCDEF}]
      ticket: {create: {emails: [team@acme.example]}}
    models:
      assistant: {ids: [us.amazon.nova-pro-v1:0], latency: optimized}
"""


def statements(text: str, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Return the statements for a configuration by Sid."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(text, encoding="utf-8")
    return {one["Sid"]: one for one in deploy_policy(load_deployments(file))["Statement"]}


def test_the_guide_shows_the_policy_of_a_full_configuration(tmp_path: Path) -> None:
    """The policy in docs/deploying.md is what the command prints for everything at once."""
    guide = (ROOT / "docs/deploying.md").read_text(encoding="utf-8")
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", guide, re.DOTALL)]
    assert {one["Sid"]: one for one in blocks[1]["Statement"]} == statements(FULL, tmp_path)


def test_prefix_account_and_partition_follow_the_configuration(tmp_path: Path) -> None:
    """Another prefix, account and partition are in every name."""
    full = "".join(line for line in FULL.splitlines(keepends=True) if "chat:" not in line)
    text = full.replace("{name: Acme}", "{name: Acme, prefix: bedrock}").replace("111122223333", "444455556666")
    text = (
        text.replace("us-east-1", "us-gov-west-1")
        .replace("us.amazon", "us-gov.amazon")
        .replace(", latency: optimized", "")
    )
    found = statements(text, tmp_path)
    topics = ["page", "ticket"]
    assert found["Notifications"]["Resource"] == [
        f"arn:aws-us-gov:sns:*:444455556666:bedrock-prod-{name}" for name in topics
    ]
    assert found["Rules"]["Resource"] == ["arn:aws-us-gov:events:*:444455556666:rule/bedrock-prod*"]
    assert found["HttpsSubscribers"]["Resource"] == ["arn:aws-us-gov:secretsmanager:*:444455556666:secret:pager-url-*"]


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("          https: [{secret: pager-url}]\n", "", "HttpsSubscribers"),
        ("          chat: [{name: oncall, workspace_id: T0123ABCDEF, channel_id: C0123ABCDEF}]\n", "", "Chat"),
        ("    regions", "    kms_key: arn:aws:kms:us-east-1:111122223333:key/0a1b\n    regions", "Key"),
        ("    regions", "    evidence: {route: none}\n    regions", "Evidence"),
        (
            "    regions",
            "    evidence: {route: trail, log_group: x, trail_home_region: us-east-1}\n    regions",
            "Rules",
        ),
    ],
)
def test_what_is_not_deployed_is_not_allowed(old: str, new: str, gone: str, tmp_path: Path) -> None:
    """Each part of a configuration that is left out takes its statement with it."""
    assert gone in statements(FULL, tmp_path)
    assert gone not in statements(FULL.replace(old, new), tmp_path)


def test_every_named_resource_of_the_plans_is_covered(tmp_path: Path) -> None:
    """Topics and rules that are created match the resources of the policy, with the longest names too."""
    long = FULL.replace("{name: Acme}", f"{{name: Acme, prefix: {'p' * 20}}}").replace("  prod:", f"  {'a' * 40}:")
    for text in (FULL, long):
        found = statements(text, tmp_path)
        for plan in plans(load_deployments(tmp_path / "monitoring.yaml")):
            for topic in plan.notify.topics:
                assert any(fnmatchcase(topic.arn, pattern) for pattern in found["Notifications"]["Resource"])
            assert plan.evidence.rules
            for rule in plan.evidence.rules:
                arn = f"arn:aws:events:us-east-1:111122223333:rule/{rule.name}"
                assert any(fnmatchcase(arn, pattern) for pattern in found["Rules"]["Resource"])


def test_the_command_asks_which_account(capsys: pytest.CaptureFixture[str]) -> None:
    """With several accounts one has to be named; what is printed is that account's policy."""
    for account in (None, "nobody"):
        with pytest.raises(typer.Exit) as left:
            print_policy(str(EXAMPLE), account=account)
        assert left.value.exit_code == 2
        assert "prod-assistant, staging-assistant" in capsys.readouterr().err
    print_policy(str(EXAMPLE), account="staging-assistant")
    assert "444455556666" in capsys.readouterr().out
