"""Which subjects do answers of the AWS CLI hold? describe-alarms, describe-metric-filters, get-dashboard, and bare bodies.

One document may hold several of them. A bare dashboard body (`{"widgets": [...]}`) is a dashboard named after its file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from monitoring.lint.subjects import Kind, Piece, SamePlaces, Subject

if TYPE_CHECKING:
    from monitoring.lint.documents import Document
    from monitoring.lint.subjects import Path_

__all__ = ["answer_subjects", "is_answer"]

_ANSWERS = ("MetricAlarms", "CompositeAlarms", "metricFilters", "DashboardBody")
_FILTER_NAMES = {
    "filterName": "FilterName",
    "filterPattern": "FilterPattern",
    "logGroupName": "LogGroupName",
    "metricTransformations": "MetricTransformations",
    "applyOnTransformedLogs": "ApplyOnTransformedLogs",
    "emitSystemFieldDimensions": "EmitSystemFieldDimensions",
    "fieldSelectionCriteria": "FieldSelectionCriteria",
    "metricName": "MetricName",
    "metricNamespace": "MetricNamespace",
    "metricValue": "MetricValue",
    "defaultValue": "DefaultValue",
    "dimensions": "Dimensions",
    "unit": "Unit",
}
_ORIGINAL = {new: old for old, new in _FILTER_NAMES.items()}


def is_answer(data: Any) -> bool:
    """Whether a document is an answer, or a dashboard body."""
    return isinstance(data, Mapping) and (any(key in data for key in _ANSWERS) or isinstance(data.get("widgets"), list))


def answer_subjects(document: Document) -> list[Subject]:
    """Return the subjects of an answer, in its order."""
    data: Mapping[str, Any] = document.data
    found: list[Subject] = []
    for key, kind in (("MetricAlarms", Kind.ALARM), ("CompositeAlarms", Kind.COMPOSITE)):
        for position, entry in _entries(data, key):
            found.append(_alarm(document, kind, entry, (key, position)))
    found += [_filter(document, entry, position) for position, entry in _entries(data, "metricFilters")]
    if "DashboardBody" in data:
        name = data.get("DashboardName")
        found.append(_dashboard(document, str(name or Path(document.file).stem), data, SamePlaces()))
    elif isinstance(data.get("widgets"), list):
        properties = {"DashboardBody": json.dumps(data)}
        found.append(_dashboard(document, Path(document.file).stem, properties, BodyPlaces()))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPlaces:
    """The document is a dashboard body itself."""

    def original(self, path: Path_) -> Path_:
        """Return the place of a part of the body."""
        return path[1:] if path[:1] == ("DashboardBody",) else ()

    def pieces(self, path: Path_, text: str) -> list[Piece]:
        """Return the one place of a text of the body."""
        return [Piece(path=self.original(path), start=0, end=len(text))]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterPlaces:
    """Metric filters in the spelling of the Logs API."""

    root: Path_

    def original(self, path: Path_) -> Path_:
        """Return the place of a property."""
        steps = [_ORIGINAL.get(step, step) if isinstance(step, str) else step for step in path]
        if "dimensions" in steps:
            steps = steps[: steps.index("dimensions") + 1]
        return (*self.root, *steps)

    def pieces(self, path: Path_, text: str) -> list[Piece]:
        """Return the one place of a text."""
        return [Piece(path=self.original(path), start=0, end=len(text))]


def _entries(data: Mapping[str, Any], key: str) -> list[tuple[int, Mapping[str, Any]]]:
    value = data.get(key)
    entries = enumerate(value) if isinstance(value, list) else ()
    return [(position, entry) for position, entry in entries if isinstance(entry, Mapping)]


def _alarm(document: Document, kind: Kind, entry: Mapping[str, Any], root: Path_) -> Subject:
    name, arn = entry.get("AlarmName"), entry.get("AlarmArn")
    parts = arn.split(":") if isinstance(arn, str) else []
    return Subject(
        kind=kind,
        name=str(name) if name is not None else f"{root[0]} {root[1]}",
        identity=str(arn or name or root),
        properties=entry,
        document=document,
        places=SamePlaces(root=root),
        region=parts[3] if len(parts) > 5 and parts[3] else None,
    )


def _filter(document: Document, entry: Mapping[str, Any], position: int) -> Subject:
    properties = {_FILTER_NAMES.get(str(key), str(key)): value for key, value in entry.items()}
    transformations = entry.get("metricTransformations")
    if isinstance(transformations, list):
        properties["MetricTransformations"] = [_transformation(one) for one in transformations]
    name = str(entry.get("filterName") or f"metricFilters {position}")
    return Subject(
        kind=Kind.FILTER,
        name=name,
        identity=f"{entry.get('logGroupName')} {name}",
        properties=properties,
        document=document,
        places=FilterPlaces(root=("metricFilters", position)),
    )


def _transformation(one: Any) -> Any:
    if not isinstance(one, Mapping):
        return one
    found = {_FILTER_NAMES.get(str(key), str(key)): value for key, value in one.items()}
    if isinstance(found.get("Dimensions"), Mapping):
        found["Dimensions"] = [{"Key": key, "Value": value} for key, value in found["Dimensions"].items()]
    return found


def _dashboard(
    document: Document, name: str, properties: Mapping[str, Any], places: SamePlaces | BodyPlaces
) -> Subject:
    return Subject(
        kind=Kind.DASHBOARD, name=name, identity=name, properties=properties, document=document, places=places
    )
