"""What does an editor need to know to complete monitoring.yaml?

`python -m monitoring.config.json_schema` writes docs/monitoring.schema.json (JSON Schema 2020-12) from `monitoring.config.schema`, and
the copy that is packaged; a test fails when one is stale. Keys that may stay empty (`assistant:`) allow null.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from monitoring.config.presence import SLUGS
from monitoring.config.regions import KNOWN_REGIONS
from monitoring.config.schema import validator
from monitoring.config.starting_file import PACKAGED_SCHEMA

__all__ = ["SCHEMA_FILE", "schema_text"]

SCHEMA_FILE = Path("docs/monitoring.schema.json")


def schema_text() -> str:
    """Return the JSON Schema of the configuration as text, with a newline at the end."""
    schema: dict[str, Any] = validator().json_schema()
    schema = _tidy(schema)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "bedrock-monitor configuration"
    for mapping in (schema, *schema["$defs"].values()):
        for field in mapping.get("properties", {}).values():
            if set(field) == {"$ref"}:
                field["description"] = schema["$defs"][field["$ref"].rsplit("/", 1)[-1]]["description"]
    for name in ("ModelSettings", "RegionModel", "Model"):
        alarms = next(
            part for part in schema["$defs"][name]["properties"]["alarms"]["anyOf"] if part.get("type") == "object"
        )
        alarms["propertyNames"] = {"enum": list(SLUGS)}
    schema["$defs"]["Account"]["properties"]["regions"]["items"]["examples"] = list(KNOWN_REGIONS)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _tidy(value: Any) -> Any:
    """Drop what an editor would only be confused by: titles made of field names, and `default: null`."""
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    if not isinstance(value, dict):
        return value
    tidy = {key: _tidy(item) for key, item in value.items() if not (key == "default" and item is None)}
    if isinstance(tidy.get("title"), str) and ("type" in tidy or "anyOf" in tidy or "$ref" in tidy):
        del tidy["title"]
    return tidy


if __name__ == "__main__":
    for target in (SCHEMA_FILE, PACKAGED_SCHEMA):
        target.write_text(schema_text(), encoding="utf-8")
        sys.stderr.write(f"{target}\n")
