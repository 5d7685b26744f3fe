"""How do pages look in the CDK? One raw AWS::CloudWatch::Dashboard each, body and name as the page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnResource
from constructs import Construct

from alarms.naming import logical_id
from cloudwatch.cloudformation import DASHBOARD_TYPE, dashboard_properties
from cloudwatch.dashboard.render import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboards.page import Dashboard

__all__ = ["Pages"]


class Pages(Construct):
    """Dashboards by the word that names each (`model`, `fleet`, `weekly`).

    Args:
        scope: Where they go.
        id: Id in that scope.
        pages: The pages; the key becomes part of the logical id.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 - the CDK's own name
        *,
        pages: Mapping[str, Dashboard],
    ) -> None:
        super().__init__(scope, id)
        for word, page in pages.items():
            CfnResource(
                self,
                logical_id(word),
                type=DASHBOARD_TYPE,
                properties=dashboard_properties(page.name, to_json(page.body)),
            )
