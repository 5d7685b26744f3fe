"""How do many finished resources reach a stack in one call?

Python speaks to the CDK through jsii, and every call costs about as much as a resource. The CDK itself offers no element that
takes several finished resources: `CfnInclude` parses YAML and builds an object for each. So this package carries a jsii module
of its own, `index.js`: one class whose template fragment is the JSON text it was given. jsii loads modules from npm archives;
the archive is packed from the files next to this one when the module is first needed (docs/adr/0031).
"""

from __future__ import annotations

import atexit
import json
import os
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsii
from aws_cdk import CfnElement

from alarms.naming import logical_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from constructs import Construct

__all__ = ["RawResources", "id_prefix"]

_HERE = Path(__file__).parent
_MODULE = json.loads((_HERE / "package.json").read_text(encoding="utf-8"))
_FILES = {"index.js": "index.js", "package.json": "package.json", "jsii.json": ".jsii"}


def _load() -> None:
    """Pack the files as npm would and let jsii load them."""
    handle, name = tempfile.mkstemp(suffix=".tgz", prefix="bedrock-monitor-raw-")
    os.close(handle)
    archive = Path(name)
    atexit.register(archive.unlink, missing_ok=True)
    with tarfile.open(archive, "w:gz") as tar:
        for source, target in _FILES.items():
            tar.add(_HERE / source, arcname=f"package/{target}")
    jsii.kernel.load(_MODULE["name"], _MODULE["version"], str(archive))


_load()


class RawResources(CfnElement, metaclass=jsii.JSIIMeta, jsii_type=f"{_MODULE['name']}.RawResources"):
    """Finished resources as one element of a stack. The CDK's aspects and tags do not reach into them.

    Args:
        scope: Where they go.
        id: Construct id.
        resources: Each resource by its logical id, as it stands in a template.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 - the CDK's own name
        *,
        resources: Mapping[str, Mapping[str, Any]],
    ) -> None:
        text = json.dumps(resources, separators=(",", ":"), ensure_ascii=False)
        jsii.create(self.__class__, self, [scope, id, text])


def id_prefix(scope: Construct, *, stack: bool) -> str:
    """Return what logical ids in a scope start with: nothing straight under a stack, else the scope's path."""
    if stack:
        return ""
    letters = "".join(character if character.isalnum() else "-" for character in scope.node.path)
    return logical_id(letters)
