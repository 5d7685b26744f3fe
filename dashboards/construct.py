"""How do pages look in the CDK? One finished AWS::CloudWatch::Dashboard each, body and name as the page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Stack

from alarms.naming import logical_id
from alarms.raw.construct import RawResources, id_prefix
from cloudwatch.cloudformation import DASHBOARD_TYPE, dashboard_properties
from cloudwatch.dashboard.render import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from constructs import Construct

    from dashboards.page import Dashboard

__all__ = ["add_pages"]


def add_pages(scope: Construct, *, pages: Mapping[str, Dashboard]) -> None:
    """Add dashboards.

    Args:
        scope: Where they go: a stack, or a construct inside one.
        pages: The pages by the word that names each (`model`, `fleet`, `weekly`); it becomes part of the logical id.
    """
    prefix = id_prefix(scope, stack=isinstance(scope, Stack))
    resources = {
        prefix + logical_id("page", word): {
            "Type": DASHBOARD_TYPE,
            "Properties": dashboard_properties(page.name, to_json(page.body)),
        }
        for word, page in pages.items()
    }
    if resources:
        RawResources(scope, "Pages", resources=resources)
