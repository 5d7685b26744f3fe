"""What does a month of this monitoring cost at AWS?

Counted as AWS bills (CloudWatch User Guide, billing and cost): an alarm for each metric it references, a composite flat, a
dashboard flat, a custom metric for each hour in which it is published, a key flat. List prices without free tier, from the
dated file of `bedrock.prices`. Series that appear only while something throttles, and log ingestion, which follows traffic,
stand apart from the month's sum.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bedrock.evidence import EvidenceRoute
from bedrock.prices import service_price, service_prices
from cloudwatch.alarm import CompositeAlarm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from alarms.alarm_set import AlarmSet
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from monitoring.plan import Plan

__all__ = ["Bill", "BillLine", "LogCost", "ModelBill", "alarm_lines", "bill", "bills_as_json", "bills_as_text"]

EVENTS_NAMESPACE = "AWS/Events"  # published by AWS, not billed as custom metrics
WHOLE_RECORD_BYTES = 2048  # of a CloudTrail record of a runtime call; unverified on AWS
SHRUNK_RECORD_BYTES = 640


@dataclass(frozen=True, slots=True, kw_only=True)
class BillLine:
    """One line: so many of something at a price a month.

    Attributes:
        what: In words.
        count: How many.
        price: US dollars each, a month.
    """

    what: str
    count: int
    price: float

    @property
    def amount(self) -> float:
        """US dollars a month."""
        return self.count * self.price


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCost:
    """What evidence in a log group costs, by traffic.

    Attributes:
        what: Which calls are logged, in words.
        bytes_each: Size of one record.
        per_million: US dollars of ingestion for a million of those calls.
    """

    what: str
    bytes_each: int
    per_million: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBill:
    """What one model adds."""

    model: str
    lines: tuple[BillLine, ...]

    @property
    def amount(self) -> float:
        """US dollars a month."""
        return _sum(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The bill of one account and Region.

    Attributes:
        site: Where.
        profile: Default or lean.
        models: What each model adds.
        shared: What all models share.
        occasional: Series published only while calls are throttled: at most this, if they are throttled in every hour.
        logs: Log ingestion, or None where nothing is logged for this.
    """

    site: Site
    profile: str
    models: tuple[ModelBill, ...]
    shared: tuple[BillLine, ...]
    occasional: BillLine | None
    logs: LogCost | None

    @property
    def amount(self) -> float:
        """US dollars a month, without `occasional` and `logs`."""
        return _sum(self.shared) + sum(model.amount for model in self.models)

    @property
    def per_model(self) -> float:
        """The same divided by the number of models; 0 without models."""
        return self.amount / len(self.models) if self.models else 0.0


def alarm_lines(alarms: AlarmSet) -> tuple[BillLine, ...]:
    """Return the lines of a set of alarms: metrics referenced at standard and high resolution, composites."""
    composites = sum(isinstance(entry.alarm, CompositeAlarm) for entry in alarms)
    metrics = [entry.alarm for entry in alarms if not isinstance(entry.alarm, CompositeAlarm)]
    quick = sum(len(alarm.metrics) for alarm in metrics if alarm.period_s < 60)
    usual = sum(len(alarm.metrics) for alarm in metrics if alarm.period_s >= 60)
    return _lines(
        ("metrics in alarms", usual, "alarm_metric"),
        ("metrics in high-resolution alarms", quick, "high_resolution_alarm_metric"),
        ("composite alarms", composites, "composite_alarm"),
    )


def bill(plan: Plan) -> Bill:
    """Return the bill of one account and Region."""
    evidence = plan.evidence
    models = tuple(
        ModelBill(
            model=each.model.key,
            lines=(
                *alarm_lines(each.alarms),
                *_lines(
                    ("dashboards", int(each.page is not None), "dashboard"),
                    ("custom metrics", _served_metrics(evidence, each.model.key), "custom_metric"),
                ),
            ),
        )
        for each in plan.models
    )
    key = plan.notify.key
    shared = (
        *alarm_lines(plan.alarms),
        *_lines(("dashboards", len(plan.pages), "dashboard"), ("keys", int(key is not None), "kms_key")),
    )
    throttled = {series for _, found in evidence.throttled_series for series in found}
    occasional = _lines(("custom metrics while calls are throttled", len(throttled), "custom_metric"))
    return Bill(
        site=plan.deployment.site,
        profile=str(plan.deployment.profile),
        models=models,
        shared=shared,
        occasional=occasional[0] if occasional else None,
        logs=_log_cost(evidence.settings.route),
    )


def bills_as_json(bills: Iterable[Bill]) -> dict[str, Any]:
    """Return bills as an object for JSON, amounts in US dollars a month."""
    found = tuple(bills)
    price = next(iter(service_prices().values()))
    return {
        "currency": "USD",
        "prices": {"date": price.date.isoformat(), "region": price.region, "verified": price.verified},
        "total": _cents(sum(one.amount for one in found)),
        "bills": [
            {
                "account": one.site.alias,
                "region": one.site.region,
                "profile": one.profile,
                "total": _cents(one.amount),
                "per_model": _cents(one.per_model),
                "shared": [_line_json(line) for line in one.shared],
                "models": [
                    {
                        "model": each.model,
                        "total": _cents(each.amount),
                        "lines": [_line_json(line) for line in each.lines],
                    }
                    for each in one.models
                ],
                "occasional": None if one.occasional is None else _line_json(one.occasional),
                "logs": None if one.logs is None else {**asdict(one.logs), "per_million": _cents(one.logs.per_million)},
            }
            for one in found
        ],
    }


def bills_as_text(bills: Sequence[Bill]) -> str:
    """Return bills as a table for people, with where the prices come from."""
    rows: list[tuple[str, str, str]] = []
    notes: list[str] = []
    for one in bills:
        name = f"{one.site.alias} {one.site.region} ({one.profile})"
        rows.append((name, "", f"{one.amount:.2f}"))
        rows += [(f"  {each.model}", _words(each.lines), f"{each.amount:.2f}") for each in one.models]
        rows.append(("  shared", _words(one.shared), f"{_sum(one.shared):.2f}"))
        if one.models:
            rows.append(("  per model", f"{len(one.models)} models", f"{one.per_model:.2f}"))
        if one.logs is not None:
            notes.append(
                f"{name}: log ingestion ${one.logs.per_million:.2f} for a million calls {one.logs.what} "
                f"({one.logs.bytes_each / 1024:.1f} KB each, unverified)."
            )
        if one.occasional is not None:
            notes.append(
                f"{name}: {one.occasional.count} {one.occasional.what}, billed by the hour: "
                f"at most ${one.occasional.amount:.2f}."
            )
    if len(bills) > 1:
        rows.append(("total", "", f"{sum(one.amount for one in bills):.2f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else [0, 0, 0]
    table = [
        f"{left:<{widths[0]}}  {middle:<{widths[1]}}  {right:>{widths[2]}}".rstrip() for left, middle, right in rows
    ]
    price = next(iter(service_prices().values()))
    checked = "read on AWS's page" if price.verified else "second hand: compare with your bill"
    source = f"US dollars a month, list price of {price.date} in {price.region}, no free tier; {checked}."
    return "\n".join([*table, "", *notes, source])


def _served_metrics(evidence: EvidencePlan, model: str) -> int:
    return len(
        {
            series
            for (key, _), found in evidence.served_series
            for series in found
            if key == model and series.namespace != EVENTS_NAMESPACE
        }
    )


def _log_cost(route: EvidenceRoute) -> LogCost | None:
    if route is EvidenceRoute.EVENTBRIDGE:
        what, size = "of the Bedrock runtime, all of which are logged", WHOLE_RECORD_BYTES
    elif route is EvidenceRoute.RULE_COUNTERS:
        what, size = "that are throttled, or served standard on an optimized model", SHRUNK_RECORD_BYTES
    else:
        return None  # the log group is there already, and paid for
    gigabytes = 1_000_000 * size / 1_000_000_000
    return LogCost(what=what, bytes_each=size, per_million=gigabytes * service_price("logs_ingestion_gb").amount)


def _lines(*wanted: tuple[str, int, str]) -> tuple[BillLine, ...]:
    return tuple(
        BillLine(what=what, count=count, price=service_price(price).amount) for what, count, price in wanted if count
    )


def _sum(lines: Iterable[BillLine]) -> float:
    return sum(line.amount for line in lines)


def _words(lines: Iterable[BillLine]) -> str:
    return ", ".join(f"{line.count} {_counted(line)}" for line in lines)


def _counted(line: BillLine) -> str:
    if line.count != 1:
        return line.what
    return re.sub(r"(alarms|metrics|dashboards|keys)\b", lambda found: found[0][:-1], line.what, count=1)


def _line_json(line: BillLine) -> dict[str, Any]:
    return {**asdict(line), "amount": _cents(line.amount)}


def _cents(amount: float) -> float:
    return round(amount, 2)
