"""Where in the console does an answer stand? Deep links and the query that reads the evidence.

The fragments of the console are not documented; they are as the console writes them, unverified on AWS.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from alarms.naming import dashboard_name
from bedrock.evidence import EvidenceRoute

if TYPE_CHECKING:
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel

__all__ = ["alarm_link", "cloudwatch_link", "evidence_query", "insights_link", "page_link", "quotas_link"]

_PLAIN = re.compile(r"[^A-Za-z0-9_.-]")


def cloudwatch_link(site: Site, fragment: str) -> str:
    """Return a link into the CloudWatch console of the Region."""
    return f"{site.console}/cloudwatch/home?region={site.region}#{fragment}"


def page_link(site: Site, page: str) -> str:
    """Return the link to a page: a model key, `fleet` or `weekly`."""
    return cloudwatch_link(site, f"dashboards/dashboard/{dashboard_name(site, page)}")


def alarm_link(site: Site, name: str) -> str:
    """Return the link to an alarm."""
    return cloudwatch_link(site, f"alarmsV2:alarm/{quote(name, safe='')}")


def quotas_link(site: Site) -> str:
    """Return the link to the Bedrock quotas of the account in the Region."""
    return f"{site.console}/servicequotas/home/services/bedrock/quotas?region={site.region}"


def evidence_query(model: MonitoredModel, evidence: EvidencePlan) -> str | None:
    """Return the Logs Insights query that lists throttled and standard-served calls by caller, or None without records."""
    settings = evidence.settings
    if evidence.log_group is None:
        return None
    root = "" if settings.route in {EvidenceRoute.TRAIL, EvidenceRoute.INVOCATION_LOG} else "detail."
    served = f"{root}{settings.latency_path}"
    code = f"{root}errorCode"
    from_log = settings.route is EvidenceRoute.INVOCATION_LOG
    model_field = "modelId" if from_log else f"{root}requestParameters.modelId"
    caller = "identity.arn" if from_log else f"{root}userIdentity.arn"
    message = code if from_log else f"{root}errorMessage"
    ids = ", ".join(f'"{name}"' for name in model.trail_ids)
    throttle = settings.throttle_error_code.rstrip("*")
    return "\n".join(
        (
            f"filter {model_field} in [{ids}]",
            f'| filter {code} like "{throttle}" or {served} = "{settings.standard_value}"',
            f"| stats count(*) as calls by {served} as served, {code} as error, {message} as message, {caller} as caller",
            "| sort calls desc",
            "| limit 50",
        )
    )


def insights_link(site: Site, *, log_group: str, query: str, hours: int = 1) -> str:
    """Return the link that opens Logs Insights with a query over the last hours."""
    detail = (
        f"~(end~0~start~-{hours * 3600}~timeType~'RELATIVE~unit~'seconds"
        f"~editorString~'{_star(query)}~source~(~'{_star(log_group)}))"
    )
    return cloudwatch_link(site, f"logsV2:logs-insights$3FqueryDetail$3D{detail}")


def _star(text: str) -> str:
    """Return text as the console writes it inside a link: what is no letter, digit, `_`, `-` or `.` as `*` and two hex digits."""
    return _PLAIN.sub(lambda found: f"*{ord(found[0]):02x}", text)
