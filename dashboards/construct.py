"""How do pages look in the CDK? One raw AWS::CloudWatch::Dashboard each, body and name as the page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnResource

from alarms.naming import logical_id
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
        scope: Where they go.
        pages: The pages by the word that names each (`model`, `fleet`, `weekly`); it becomes part of the logical id.
    """
    for word, page in pages.items():
        CfnResource(
            scope,
            logical_id("page", word),
            type=DASHBOARD_TYPE,
            properties=dashboard_properties(page.name, to_json(page.body)),
        )
