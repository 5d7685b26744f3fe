"""Which quota of the account is whose, from names in words."""

from __future__ import annotations

import pytest

from monitoring.quota_match import FoundQuota, QuotaScope, quotas_for, scope_of

NAMES = (
    "On-demand model inference tokens per minute for Amazon Nova Pro",
    "Cross-region model inference tokens per minute for Amazon Nova Pro",
    "Global cross-region model inference tokens per minute for Amazon Nova Pro",
    "Cross-region model inference requests per minute for Amazon Nova Pro",
    "Cross-region, latency-optimized model inference tokens per minute for Amazon Nova Pro",
    "Model invocation max tokens per day for Amazon Nova Pro (doubled for cross-region calls)",
    "Cross-region model inference tokens per minute for Amazon Nova Premier",
    "Cross-region model inference tokens per minute for Anthropic Claude 3.5 Sonnet V2",
    "Cross-region model inference tokens per minute for Anthropic Claude 3.5 Sonnet V1",
    "Cross-region model inference tokens per minute for Llama 3.3 70B",
    "Batch inference job size (in GB) for Nova Pro",
)
QUOTAS = [FoundQuota(code=f"L-{number}", name=name, value=float(number)) for number, name in enumerate(NAMES)]


def found(title: str, scope: QuotaScope) -> dict[str, int]:
    """Key of each quota -> place of its name in the list."""
    return {each.key: int(each.quota.value) for each in quotas_for(title, scope=scope, quotas=QUOTAS)}


@pytest.mark.parametrize(
    ("title", "scope", "expected"),
    [
        ("Amazon Nova Pro", QuotaScope.ON_DEMAND, {"tpm": 0, "tpd": 5}),
        ("Amazon Nova Pro", QuotaScope.CROSS_REGION, {"tpm": 1, "rpm": 3, "optimized_tpm": 4}),
        ("Amazon Nova Pro", QuotaScope.GLOBAL, {"tpm": 2}),
        ("Anthropic Claude 3.5 Sonnet", QuotaScope.CROSS_REGION, {"tpm": 8}),
        ("Meta Llama 3.3 70B Instruct", QuotaScope.CROSS_REGION, {"tpm": 9}),
        ("Amazon Nova", QuotaScope.CROSS_REGION, {}),
    ],
)
def test_names_in_words_are_understood(title: str, scope: QuotaScope, expected: dict[str, int]) -> None:
    """Model, scope and kind decide; another version, another model or a batch quota never does."""
    assert found(title, scope) == expected


def test_two_claims_cancel_each_other() -> None:
    """Where two names say the same, neither is taken."""
    twice = [*QUOTAS, FoundQuota(code="L-x", name=NAMES[1].upper(), value=9.0)]
    keys = [each.key for each in quotas_for("Amazon Nova Pro", scope=QuotaScope.CROSS_REGION, quotas=twice)]
    assert keys == ["rpm", "optimized_tpm"]


def test_the_scope_is_that_of_the_id() -> None:
    """Geography prefix, global prefix, or neither."""
    ids = ("amazon.nova-pro-v1:0", "eu.amazon.nova-pro-v1:0", "global.amazon.nova-pro-v1:0")
    assert [scope_of(name) for name in ids] == [QuotaScope.ON_DEMAND, QuotaScope.CROSS_REGION, QuotaScope.GLOBAL]
