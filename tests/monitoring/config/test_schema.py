"""The JSON Schema that editors read, and the enumerations that the schema repeats."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from textwrap import indent
from typing import Any, get_args

import jsonschema
import pytest

from alarms.alarm_set import Profile, Severity
from alarms.naming import CAUSES, SYMPTOMS
from bedrock import models
from bedrock.evidence import AbsentMeans, EvidenceRoute, EvidenceSettings
from monitoring.config import load_configuration, schema
from monitoring.config.id_checks import OPTIMIZED_SUFFIX
from monitoring.config.json_schema import SCHEMA_FILE, schema_text
from monitoring.config.reference import DOCUMENT, MARKER, reference_text
from monitoring.config.source import read_source
from monitoring.config.starting_file import PACKAGED_SCHEMA

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent


def test_the_committed_schema_is_the_one_of_the_code() -> None:
    """docs/monitoring.schema.json and the packaged copy are fresh; `python -m monitoring.config.json_schema` writes both."""
    for file in (ROOT / SCHEMA_FILE, PACKAGED_SCHEMA):
        assert file.read_text(encoding="utf-8") == schema_text()


def test_the_example_names_the_schema_in_its_first_line() -> None:
    """Editors find the schema from the example by a relative path."""
    example = ROOT / "examples/acme/monitoring.yaml"
    first = example.read_text(encoding="utf-8").splitlines()[0]
    named = first.removeprefix("# yaml-language-server: $schema=")
    assert (example.parent / named).resolve() == (ROOT / SCHEMA_FILE).resolve()


def test_every_key_has_a_description() -> None:
    """An editor explains every key."""
    defs: dict[str, Any] = json.loads(schema_text())["$defs"]
    mappings = [*defs.values(), json.loads(schema_text())]
    bare = [
        key
        for mapping in mappings
        for key, field in mapping.get("properties", {}).items()
        if not field.get("description")
    ]
    assert bare == []


@pytest.mark.parametrize(
    "file",
    [ROOT / "examples/acme/monitoring.yaml", *sorted((HERE / "good").glob("*.yaml"))],
    ids=lambda path: path.stem,
)
def test_editors_accept_what_we_accept(file: Path) -> None:
    """A good file has no underlining in an editor."""
    if file.stem.startswith("account-id-without"):
        pytest.skip("an editor asks for the quotes that we can do without")
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    assert [error.message for error in validator.iter_errors(read_source(file).data)] == []


def test_editors_refuse_what_a_typo_makes() -> None:
    """The schema underlines unknown keys and unknown alarm slugs."""
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    for name in ("unknown-key-in-model", "alarm-slug-is-misspelt", "latency-is-misspelt"):
        assert not validator.is_valid(read_source(HERE / "bad" / f"{name}.yaml").data), name


@pytest.mark.parametrize(
    ("literal", "enumeration"),
    [
        (schema.LatencyMode, models.LatencyMode),
        (schema.OptimizedSeries, models.OptimizedSeries),
        (schema.Severity, Severity),
        (schema.Profile, Profile),
        (schema.EvidenceRoute, EvidenceRoute),
        (schema.AbsentMeans, AbsentMeans),
    ],
)
def test_the_schema_repeats_the_enumerations_in_full(literal: Any, enumeration: Any) -> None:
    """A value added below is added to the schema."""
    assert get_args(literal) == tuple(member.value for member in enumeration)


@pytest.mark.parametrize(
    ("mapping", "value", "renamed"),
    [
        (schema.Objectives, models.Objectives, {}),
        (schema.Baselines, models.Baselines, {}),
        (schema.Quotas, models.Quotas, {}),
        (schema.Prices, models.Prices, {}),
        (schema.Evidence, EvidenceSettings, {}),
        (schema.AlarmChange, models.AlarmOverride, {"n": "evaluation_periods", "m": "datapoints_to_alarm"}),
        (
            schema.Model,
            models.MonitoredModel,
            {"ids": "model_ids", "alarms": "overrides", "foundation_model": "", "regions": "", "in_regions": ""},
        ),
    ],
)
def test_every_field_below_can_be_configured(mapping: Any, value: Any, renamed: dict[str, str]) -> None:
    """A field added to a value below gets a key in the file, and every key has a field."""
    keys = {renamed.get(key, key) for key in mapping.__annotations__}
    assert keys - {""} == {field.name for field in dataclasses.fields(value)} - {"key"}


def test_the_reference_in_the_guide_is_fresh() -> None:
    """docs/configuration.md ends with the reference that `python -m monitoring.config.reference` writes."""
    assert (ROOT / DOCUMENT).read_text(encoding="utf-8").split(MARKER)[1] == "\n\n" + reference_text()


def test_the_examples_of_the_guide_are_right(tmp_path: Path) -> None:
    """The smallest file deploys, and every snippet fits into it."""
    guide = (ROOT / DOCUMENT).read_text(encoding="utf-8")
    smallest, notifications, evidence, alarms = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    account = smallest.replace("[us-east-1]", "[us-east-1, us-west-2]").split("    notifications:")[0]
    tail = "    models:\n      chat:\n        ids: [us.amazon.nova-pro-v1:0]\n"
    texts = [
        smallest,
        account
        + indent(notifications + evidence, "    ")
        + tail
        + indent("alarms:" + alarms.split("alarms:")[1], "        "),
    ]
    for text in texts:
        (tmp_path / "monitoring.yaml").write_text(text, encoding="utf-8")
        assert load_configuration(tmp_path / "monitoring.yaml").problems == ()


def test_the_guide_names_every_alarm() -> None:
    """Each slug that may stand under `alarms` is in the guide."""
    guide = (ROOT / DOCUMENT).read_text(encoding="utf-8")
    assert [slug for slug in (*CAUSES, *SYMPTOMS) if f"`{slug}`" not in guide] == []


def test_the_optimized_suffix_is_the_one_of_bedrock() -> None:
    """The check and the models speak of the same series."""
    assert OPTIMIZED_SUFFIX == models.OPTIMIZED_SUFFIX
