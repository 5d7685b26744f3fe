"""Of which kind is a document, and which files does a path stand for?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from monitoring.lint.sources.answers import answer_subjects, is_answer
from monitoring.lint.sources.cloudformation import is_template, template_subjects
from monitoring.lint.sources.terraform import is_terraform, terraform_subjects

if TYPE_CHECKING:
    from monitoring.lint.documents import Document
    from monitoring.lint.subjects import Subject

__all__ = ["KINDS_READ", "files_in", "is_configuration", "subjects_in"]

KINDS_READ = (
    "CloudFormation templates, plans and states of terraform show -json, answers of aws cloudwatch describe-alarms and "
    "get-dashboard and of aws logs describe-metric-filters, dashboard bodies, and monitoring.yaml"
)
_ENDINGS = (".json", ".yaml", ".yml", ".template")


def is_configuration(document: Document) -> bool:
    """Whether a document is a configuration of bedrock-monitor."""
    return isinstance(document.data, Mapping) and {"organisation", "accounts"} <= set(document.data)


def subjects_in(document: Document) -> list[Subject] | None:
    """Return the subjects of a document, None where it is of no kind that is read."""
    if is_template(document.data):
        return template_subjects(document)
    if is_terraform(document.data):
        return terraform_subjects(document)
    if is_answer(document.data):
        return answer_subjects(document)
    if is_configuration(document):
        from monitoring.lint.sources.configuration import configuration_subjects  # noqa: PLC0415 - many modules

        return configuration_subjects(document)
    return None


def files_in(path: str) -> list[str] | None:
    """Return the files of a folder, in order; of a cloud assembly its templates. None for what is no folder."""
    folder = Path(path)
    if not folder.is_dir():
        return None
    templates = sorted(folder.rglob("*.template.json"))
    if templates and (folder / "manifest.json").is_file():
        return [str(file) for file in templates]
    return [str(file) for file in sorted(folder.rglob("*")) if file.suffix in _ENDINGS and file.is_file()]
