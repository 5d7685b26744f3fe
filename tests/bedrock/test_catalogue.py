"""Recognising foundation models, quota arithmetic and prices."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bedrock.catalogue import (
    base_id,
    catalogue,
    geography_prefix,
    is_application_profile,
    is_foundation_model,
    is_inference_profile,
)
from bedrock.models import Prices
from bedrock.prices import price_source, service_price, service_prices, token_prices
from bedrock.quotas import billed_tokens, burndown_for, burndown_rules, consumed_tokens, reserved_tokens

DATA = Path(__file__).parents[2] / "bedrock"


@pytest.mark.parametrize(
    ("model_id", "key"),
    [
        ("amazon.nova-pro-v1:0", "nova-pro"),
        ("us.amazon.nova-pro-v1:0", "nova-pro"),
        ("eu.amazon.nova-lite-v1:0", "nova-lite"),
        ("apac.amazon.nova-micro-v1:0", "nova-micro"),
        ("us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0", "claude-3-7-sonnet"),
        ("global.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("amazon.nova-pro-v1:0:300k", "nova-pro"),
        ("arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0", "nova-pro"),
        ("arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.meta.llama3-1-70b-instruct-v1:0", "llama3-1-70b"),
        ("nova-pro", "nova-pro"),
        ("openai.gpt-oss-120b-1:0", "gpt-oss-120b"),
        ("cypje2y15yrd", None),
        ("arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/cypje2y15yrd", None),
        ("us.amazon.nova-pro-v2:0", None),
    ],
)
def test_a_model_is_recognised_by_whatever_name_it_is_called(model_id: str, key: str | None) -> None:
    """Prefix, version after the colon and ARN do not matter; another version of the model does."""
    entry = catalogue().find(model_id)
    assert (entry.key if entry else None) == key


@pytest.mark.parametrize(
    ("model_id", "prefix", "profile", "application"),
    [
        ("amazon.nova-pro-v1:0", None, False, False),
        ("us.amazon.nova-pro-v1:0", "us", True, False),
        ("global.amazon.nova-2-lite-v1:0", "global", True, False),
        ("ai21.jamba-1-5-large-v1:0", None, False, False),
        ("cypje2y15yrd", None, True, True),
        ("arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/cypje2y15yrd", None, True, True),
        ("arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0", None, False, False),
        ("arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.amazon.nova-pro-v1:0", "us", True, False),
    ],
)
def test_profiles_are_told_from_plain_models(
    model_id: str, prefix: str | None, profile: bool, application: bool
) -> None:
    """Only profiles can be called with latency optimized."""
    assert geography_prefix(model_id) == prefix
    assert is_inference_profile(model_id) is profile
    assert is_foundation_model(model_id) is not profile
    assert is_application_profile(model_id) is application


def test_the_catalogue_is_complete_and_consistent() -> None:
    """Every entry has positive baselines, its own ids in base form, and a token price; every price has an entry."""
    known = catalogue()
    ids = [model_id for entry in known.entries.values() for model_id in entry.ids]
    assert len(ids) == len(set(ids))
    assert [base_id(model_id) for model_id in ids] == ids
    for entry in known.entries.values():
        assert min(entry.otps, entry.output_tokens, entry.input_tokens) > 0, entry.key
        assert entry.prices.input is not None, entry.key
        assert bool(entry.optimized_regions) == (entry.standard_otps is not None), entry.key
        assert bool(entry.optimized_regions) == (entry.optimized_prices.input is not None), entry.key
        assert 0 <= entry.streaming_share <= 1
    prices = tomllib.loads((DATA / "prices.toml").read_text(encoding="utf-8"))
    assert set(prices["tokens"]) == set(known.entries)
    assert set(prices["optimized"]) <= set(known.entries)


def test_latency_optimized_inference_is_offered_where_aws_says() -> None:
    """The Regions of the user guide's page on latency-optimized inference."""
    offered = {key: entry.optimized_regions for key, entry in catalogue().entries.items() if entry.optimized_regions}
    assert offered == {
        "nova-pro": ("us-east-1", "us-east-2", "us-west-2"),
        "claude-3-5-haiku": ("us-east-2", "us-west-2"),
        "llama3-1-70b": ("us-east-2", "us-west-2"),
        "llama3-1-405b": ("us-east-2",),
    }


@pytest.mark.parametrize(
    ("model_id", "rate"),
    [
        ("anthropic.claude-opus-4-8-v1", 15),
        ("anthropic.claude-sonnet-5-v1", 10),
        ("anthropic.claude-opus-5-5-v1", 10),
        ("anthropic.claude-fable-5-1-v1", 10),
        ("openai.gpt-5.6", 10),
        ("anthropic.claude-3-7-sonnet-20250219-v1", 5),
        ("anthropic.claude-sonnet-4-5-20250929-v1", 5),
        ("anthropic.claude-opus-4-7-v1", 5),
        ("anthropic.claude-haiku-4-5-20251001-v1", 5),
        ("anthropic.claude-3-5-haiku-20241022-v1", 1),
        ("openai.gpt-oss-120b-1", 1),
        ("amazon.nova-pro-v1", 1),
    ],
)
def test_burndown_follows_the_family(model_id: str, rate: float) -> None:
    """The first rule that matches gives the rate."""
    assert burndown_for(model_id).rate == rate


def test_burndown_rules_have_a_date_and_a_last_resort() -> None:
    """Rates change: each is dated, and a model that no family names costs 1."""
    assert {rule.date for rule in burndown_rules()} == {catalogue().date}
    assert burndown_rules()[-1].match == ("*",)


def test_quota_arithmetic_of_a_worked_call() -> None:
    """2,500 in, max_tokens 6,000, 300 out at 5x: reserved 8,500, consumed 4,000, billed 2,800."""
    assert reserved_tokens(input_tokens=2500, max_tokens=6000) == 8500
    assert consumed_tokens(input_tokens=2500, output_tokens=300, burndown=5) == 4000
    assert billed_tokens(input_tokens=2500, output_tokens=300) == 2800


def test_quota_of_a_steady_load() -> None:
    """300 requests a minute of 3,000 in and 500 out at 5x need 1.65 million tokens per minute."""
    assert 300 * consumed_tokens(input_tokens=3000, output_tokens=500, burndown=5) == 1_650_000


def test_cache_writes_count_and_cache_reads_do_not() -> None:
    """Writes are consumed at face value; reads are billed only."""
    assert consumed_tokens(input_tokens=100, output_tokens=10, burndown=1, cache_write_tokens=50) == 160
    assert billed_tokens(input_tokens=100, output_tokens=10, cache_read_tokens=1000, cache_write_tokens=50) == 1160


def test_prices_say_what_they_are_worth() -> None:
    """Every price has a date, Region, unit and source, and second-hand ones are not verified."""
    assert token_prices("nova-pro") == Prices(input=0.8, output=3.2, cache_read=0.2, cache_write=0.0)
    assert token_prices("nova-pro", optimized=True).input == 1.0
    assert token_prices("no-such-model") == Prices()
    assert "second hand" in price_source()
    for price in service_prices().values():
        assert price.amount >= 0
        assert price.unit
        assert price.region == "us-east-1"
        assert price.verified is False or "second hand" not in price.source
    assert service_price("alarm_metric").amount == 0.10
    with pytest.raises(KeyError):
        service_price("no-such-line")
