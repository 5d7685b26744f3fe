"""bedrock-monitor under one name of its own, for applications that have folders called monitoring/ or dashboards/.

`from bedrock_monitor import BedrockMonitoring` works in any application: importing this package makes every package of the
distribution importable below it (`bedrock_monitor.monitoring.construct`, `bedrock_monitor.cloudwatch.alarm`), from the files
next to it and without touching the application's own `monitoring`. docs/adr/0030-one-name-for-other-apps.md says how.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bedrock_monitor import _aliases

if TYPE_CHECKING:
    from monitoring.construct import BedrockMonitoring
    from monitoring.segment.construct import BedrockSegment

__all__ = ["BedrockMonitoring", "BedrockSegment"]

_aliases.install()
_HOMES = {"BedrockMonitoring": "monitoring.construct", "BedrockSegment": "monitoring.segment.construct"}


def __getattr__(name: str) -> Any:
    """Import a public construct when it is first asked for, so that importing this package starts no Node."""
    if name in _HOMES:
        if "jsii" not in sys.modules:  # the application has not started a Node of its own yet
            import_module(f"{__name__}.monitoring.synthesis.node").use_packaged_node()
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
