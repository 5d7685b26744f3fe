"""What is every key, in a table for readers?

`python -m monitoring.config.reference` writes the part of docs/configuration.md below its marker from `monitoring.config.schema`
and the checks' codes; a test fails when it is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from monitoring.config.json_schema import schema_text

__all__ = ["DOCUMENT", "MARKER", "reference_text"]

DOCUMENT = Path("docs/configuration.md")
MARKER = "<!-- Written by python -m monitoring.config.reference; edit monitoring/config/schema.py instead. -->"

# Mappings in reading order, with where they stand in the file.
SECTIONS = (
    ("Configuration", "The file"),
    ("Organisation", "organisation"),
    ("Account", "accounts.ALIAS"),
    ("AccountRegion", "accounts.ALIAS.in_regions.REGION"),
    ("SharedSettings", "organisation.defaults (an account has these keys too)"),
    ("Notifications", "notifications"),
    ("Target", "notifications.page, .ticket, .note"),
    ("CreatedTopic", "create"),
    ("HttpsSubscriber", "create.https[]"),
    ("ChatSubscriber", "create.chat[]"),
    ("Evidence", "evidence"),
    ("CacheMetrics", "cache_metrics"),
    ("Model", "models.KEY, accounts.ALIAS.models.KEY"),
    ("RegionModel", "in_regions.REGION of a model"),
    ("ModelSettings", "model_defaults"),
    ("Objectives", "objectives"),
    ("Baselines", "baselines"),
    ("Quotas", "quotas"),
    ("Prices", "prices"),
    ("AlarmChange", "alarms.SLUG"),
    ("Lint", "lint"),
    ("LintCheck", "lint.checks.CHECK"),
)
# A section lists only what is its own: keys of these are listed once, with the other section named.
INHERITED = {"Account": "SharedSettings", "Model": "RegionModel", "RegionModel": "ModelSettings"}


def reference_text() -> str:
    """Return the reference as Markdown, with a newline at the end."""
    schema: dict[str, Any] = json.loads(schema_text())
    definitions = {**schema["$defs"], "Configuration": schema}
    parts = []
    for name, title in SECTIONS:
        own = dict(definitions[name]["properties"])
        inherited = INHERITED.get(name)
        if inherited:
            own = {key: field for key, field in own.items() if key not in definitions[inherited]["properties"]}
        required = set(definitions[name].get("required", ()))
        lines = [f"### {title}", "", definitions[name]["description"].split("\n")[0], ""]
        lines += ["| key | value | meaning |", "|---|---|---|"]
        lines += [
            f"| `{key}`{' (needed)' if key in required else ''} | {_value(field, schema)} | {_cell(field['description'])} |"
            for key, field in own.items()
        ]
        if inherited:
            shared = dict(SECTIONS)[inherited]
            lines += ["", f"Also every key of *{shared}*."]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _value(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return what may be written, in a few words."""
    if "anyOf" in field:
        return " or ".join(_value(option, schema) for option in field["anyOf"] if option.get("type") != "null")
    if "$ref" in field:
        target = schema["$defs"][field["$ref"].rsplit("/", 1)[-1]]
        return _value(target, schema) if "enum" in target else "mapping"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    kind = field.get("type")
    if kind == "array":
        return f"list of {_value(field['items'], schema)}".replace("list of mapping", "list of mappings")
    if kind == "object":
        return "mapping"
    if kind in {"number", "integer"}:
        return _number(field)
    return {"boolean": "`true`, `false`"}.get(str(kind), "text")


def _number(field: dict[str, Any]) -> str:
    noun = "whole number" if field["type"] == "integer" else "number"
    if "exclusiveMinimum" in field:
        return f"{noun} above {field['exclusiveMinimum']:g}"
    if "minimum" in field and "maximum" in field:
        return f"{noun}, {field['minimum']:g} to {field['maximum']:g}"
    return f"{noun} from {field['minimum']:g}" if "minimum" in field else noun


if __name__ == "__main__":
    guide = DOCUMENT.read_text(encoding="utf-8").split(MARKER)[0]
    DOCUMENT.write_text(f"{guide}{MARKER}\n\n{reference_text()}", encoding="utf-8")
    sys.stderr.write(f"{DOCUMENT}\n")
