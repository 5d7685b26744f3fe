"""The catalogue of metrics."""

from __future__ import annotations

import pytest

from bedrock.metrics import BedrockMetric, catalogue, catalogue_metric, invocation_metric, namespaces, tier_metric
from cloudwatch.stat import parse_stat


@pytest.mark.parametrize("name", list(BedrockMetric))
def test_every_name_that_alarms_use_is_in_the_catalogue(name: BedrockMetric) -> None:
    """A typing error in the names we generate from would be an alarm on nothing."""
    assert catalogue_metric("AWS/Bedrock", name) is not None


def test_a_name_occurs_once_in_a_namespace() -> None:
    """Two rows for one metric could disagree."""
    keys = [(metric.namespace, metric.name) for metric in catalogue()]
    assert len(keys) == len(set(keys))


def test_case_matters() -> None:
    """`inputTokenCount` is another metric to CloudWatch, so it is unknown here."""
    assert catalogue_metric("AWS/Bedrock", "inputTokenCount") is None


def test_tpm_usage_is_tokens_and_not_per_cent() -> None:
    """The unit people get wrong most often."""
    metric = catalogue_metric("AWS/Bedrock", "EstimatedTPMQuotaUsage")
    assert metric is not None
    assert metric.unit == "quota tokens"


@pytest.mark.parametrize("metric", catalogue(), ids=lambda metric: f"{metric.namespace}/{metric.name}")
def test_the_usual_statistic_is_one_cloudwatch_knows(metric: object) -> None:
    """Every row can be graphed as it stands."""
    parse_stat(metric.stat)  # type: ignore[attr-defined]
    assert metric.sure in {"documented", "aws", "observed", "unverified"}  # type: ignore[attr-defined]


def test_neighbours_are_known() -> None:
    """Lint needs the namespaces around Bedrock too."""
    assert {"AWS/BedrockMantle", "AWS/SageMaker", "AWS/Events", "AWS/Bedrock/Guardrails"} <= set(namespaces())


def test_series_carry_the_dimensions_of_the_catalogue() -> None:
    """A series with a dimension set that AWS does not publish is empty for ever."""
    plain = invocation_metric("m", BedrockMetric.TTFT)
    tier = tier_metric("m", name=BedrockMetric.TPM_USAGE, asked="reserved", served="default")
    for series in (plain, tier):
        known = catalogue_metric(series.namespace, series.name)
        assert known is not None
        assert frozenset(name for name, _ in series.dimensions) in known.dimensions
