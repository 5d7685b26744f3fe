"""What would this model's telemetry look like in that incident? From a configuration to a recording."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from alarms.naming import log_group_name, metric_namespace, rule_prefix
from bedrock.evidence import EvidenceRoute
from bedrock.evidence_plan import plan_evidence
from bedrock.simulator import (
    Detail,
    TelemetrySettings,
    TrailSettings,
    draw,
    evidence_series,
    load_incidents,
    simulate,
    unmet_needs,
)
from cloudwatch.problems import InvalidValueError
from monitoring.dataset import Dataset, LoggedEvent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from bedrock.simulator import Incident, Recording
    from monitoring.deployment import Deployment

__all__ = [
    "dataset_of",
    "events_of",
    "evidence_plan_of",
    "find_deployment",
    "find_incident",
    "library_rows",
    "simulate_incident",
    "trail_of",
]


MATCHED_EVENTS_NAMESPACE = "AWS/Events"


def find_incident(name: str) -> Incident:
    """Return an entry of the library.

    Raises:
        InvalidValueError: There is none of that name.
    """
    library = {incident.name: incident for incident in load_incidents()}
    _check_known(name, library, what="incident", hint="`bedrock-monitor simulate --list` lists them")
    return library[name]


def find_deployment(
    deployments: Sequence[Deployment], *, model: str, account: str | None = None, region: str | None = None
) -> Deployment:
    """Return the one deployment that watches a model.

    Args:
        deployments: What the configuration deploys.
        model: Key of the model.
        account: Alias or id of the account, or None where it does not matter.
        region: Region, or None where it does not matter.

    Raises:
        InvalidValueError: None does, or several do.
    """
    keys = list(dict.fromkeys(one.key for deployment in deployments for one in deployment.models))
    _check_known(model, keys, what="model", hint=f"models: {', '.join(keys)}")
    fitting = [
        deployment
        for deployment in deployments
        if any(one.key == model for one in deployment.models)
        and account in {None, deployment.site.alias, deployment.site.account_id}
        and region in {None, deployment.site.region}
    ]
    if not fitting:
        asked = " in ".join(part for part in (account, region) if part)
        raise InvalidValueError(f"No model {model} in {asked}")
    if len(fitting) > 1:
        places = ", ".join(f"{one.site.alias} in {one.site.region}" for one in fitting)
        raise InvalidValueError(f"Model {model} is in several places ({places}): say which with --account and --region")
    return fitting[0]


def simulate_incident(
    incident: Incident,
    deployment: Deployment,
    *,
    model: str,
    seed: int = 0,
    requests_per_minute: float | None = None,
    start_s: int | None = None,
    detail: Detail = Detail.REQUESTS,
    delay_s: float | None = None,
) -> Recording:
    """Simulate an incident as a deployment would see it.

    Args:
        incident: Entry of the library.
        deployment: Where: see `find_deployment`.
        model: Key of the model that it happens to.
        seed: Seed of every draw.
        requests_per_minute: Traffic, or None for the model's.
        start_s: Start, seconds since 1970, or None for the library's.
        detail: A value for each call, or some rows for each minute.
        delay_s: Mean delay of CloudTrail, or None for the one that the configuration plans for.

    Raises:
        InvalidValueError: The incident cannot happen to the model.
    """
    monitored = next(one for one in deployment.models if one.key == model)
    scenario = draw(incident, monitored, seed=seed, requests_per_minute=requests_per_minute, start_s=start_s)
    site = deployment.site
    telemetry = TelemetrySettings(
        cache_metrics=deployment.cache_metrics, region=site.region, account_id=site.account_id
    )
    return simulate(scenario, detail=detail, trail=trail_of(deployment, delay_s=delay_s), telemetry=telemetry)


def trail_of(deployment: Deployment, *, delay_s: float | None = None) -> TrailSettings:
    """Return a trail that writes what the deployment's evidence settings read.

    Args:
        deployment: Whose evidence settings.
        delay_s: Mean delay, or None for the one that the configuration plans for.
    """
    evidence, site = deployment.evidence, deployment.site
    return TrailSettings(
        mean_delay_s=evidence.expected_delay_s if delay_s is None else delay_s,
        served_latency_path=evidence.latency_path,
        optimized_value=evidence.optimized_value,
        standard_value=evidence.standard_value,
        throttle_error_code=evidence.throttle_error_code.replace("*", "ing"),
        wrapped=evidence.route in {EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS},
        account_id=site.account_id,
        region=site.region,
    )


def dataset_of(recording: Recording, deployment: Deployment, *, derived: bool = False) -> Dataset:
    """Return the series and the truth of a simulation in the form of every recording; `events_of` gives the events.

    Args:
        recording: The simulation.
        deployment: Where: see `find_deployment`.
        derived: Whether the metrics that its filters would make of the events are among the series: for a recording
            without events. Counters of EventBridge rules always are: no event leads to them.
    """
    scenario, site = recording.scenario, deployment.site
    series = dict(recording.series)
    if derived or deployment.evidence.route is EvidenceRoute.RULE_COUNTERS:
        series |= {
            replace(metric, region=site.region, account_id=site.account_id): samples
            for metric, samples in evidence_series(recording, evidence_plan_of(deployment)).items()
            if derived or metric.namespace == MATCHED_EVENTS_NAMESPACE
        }
    truth = asdict(recording.truth) | {
        "deep": recording.truth.deep,
        "objectives": asdict(scenario.objectives),
        "windows": [asdict(window) | {"effect": str(window.effect)} for window in scenario.windows],
    }
    about = {
        "source": "simulation",
        "title": scenario.title,
        "incident": scenario.name,
        "seed": scenario.seed,
        "model": scenario.model.key,
        "requests_per_minute": scenario.requests_per_minute,
        "detail": str(recording.detail),
    }
    return Dataset(
        start_s=scenario.start_s,
        end_s=scenario.start_s + 60 * scenario.minutes,
        series=tuple(series.items()),
        about=about,
        truth=truth,
    )


def events_of(recording: Recording, deployment: Deployment) -> Iterator[LoggedEvent]:
    """Yield the events of the deployment's log group that arrive before the end, in that order; none without evidence."""
    evidence, scenario = deployment.evidence, recording.scenario
    if evidence.route is EvidenceRoute.NONE:
        return
    name = evidence.log_group or log_group_name(deployment.site)
    end_s = scenario.start_s + 60 * scenario.minutes
    from_log = evidence.route is EvidenceRoute.INVOCATION_LOG
    for at_s, record in recording.invocation_log() if from_log else recording.trail_records():
        if at_s >= end_s:
            return
        inside: Any = record.get("detail", record)
        happened = datetime.fromisoformat(inside.get("eventTime") or inside.get("timestamp"))
        yield LoggedEvent(name, min(int(happened.timestamp()), int(at_s)), int(at_s), record)


def evidence_plan_of(deployment: Deployment) -> EvidencePlan:
    """Return the evidence of an account in a Region, without planning its alarms and pages."""
    site = deployment.site
    return plan_evidence(
        deployment.models,
        settings=deployment.evidence,
        region=site.region,
        namespace=metric_namespace(site),
        log_group=log_group_name(site),
        rule_prefix=rule_prefix(site),
    )


def library_rows(model: MonitoredModel | None = None) -> list[dict[str, Any]]:
    """Return what can be simulated: name, kind, title, what pages, what may follow, and what a model would have to be."""
    return [
        {
            "name": incident.name,
            "kind": str(incident.kind),
            "title": incident.title,
            "pages": list(incident.label.pages),
            "tickets": list(incident.label.tickets),
            "needs": [str(need) for need in incident.needs],
        }
        | ({} if model is None else {"fits": not unmet_needs(incident, model)})
        for incident in load_incidents()
    ]


def _check_known(name: str, known: Collection[str], *, what: str, hint: str) -> None:
    if name in known:
        return
    close = get_close_matches(name, known, n=1)
    meant = f"; did you mean {close[0]}?" if close else f"; {hint}."
    raise InvalidValueError(f"There is no {what} {name!r}{meant}")
