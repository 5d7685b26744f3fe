"""How are many metrics read at once? GetMetricData in full calls, a few at a time, in whatever order the pages come.

A call takes 500 queries and answers with at most 100,800 points (API, GetMetricData). Points of one query may be spread over
pages; they are put together, ordered and freed of repetitions. A query that AWS answers with an error or only partly counts as
not answered and is said: a hole is never mistaken for silence.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from monitoring.live.session import AwsError, Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cloudwatch.metric import Metric

__all__ = ["POINTS_PER_CALL", "QUERIES_PER_CALL", "DataRequest", "batches", "call", "in_parallel", "metric_data"]

QUERIES_PER_CALL = 500
POINTS_PER_CALL = 100_800
WORKERS = 4

Points = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRequest:
    """One statistic of one metric over a time.

    Attributes:
        metric: What; its account is asked for through the monitoring account where it is set.
        stat: For example `Sum`, `p90`.
        period_s: Seconds of a point.
        start_s, end_s: From, included, to, excluded; epoch seconds.
    """

    metric: Metric
    stat: str
    period_s: int
    start_s: int
    end_s: int

    @property
    def points(self) -> int:
        """How many points the answer has at most."""
        return max(1, (self.end_s - self.start_s) // self.period_s)


def batches(
    requests: Sequence[DataRequest], *, queries: int = QUERIES_PER_CALL, points: int = POINTS_PER_CALL
) -> Iterator[tuple[DataRequest, ...]]:
    """Yield groups that fit one call: one start and end, at most `queries` queries and `points` points."""
    spans: dict[tuple[int, int], list[DataRequest]] = {}
    for request in requests:
        spans.setdefault((request.start_s, request.end_s), []).append(request)
    for together in spans.values():
        batch: list[DataRequest] = []
        size = 0
        for request in together:
            if batch and (len(batch) == queries or size + request.points > points):
                yield tuple(batch)
                batch, size = [], 0
            batch.append(request)
            size += request.points
        yield tuple(batch)


def call(
    connection: Connection, batch: Sequence[DataRequest], *, tell: Callable[[str], None]
) -> dict[DataRequest, Points]:
    """Ask one group; what AWS did not answer completely is left out and told.

    Raises:
        AwsError: The call failed.
    """
    queries = [_query(f"q{number}", request) for number, request in enumerate(batch)]
    found: dict[str, dict[int, float]] = {query["Id"]: {} for query in queries}
    status: dict[str, str] = {}
    said: set[str] = set()
    pages = connection.pages(
        "cloudwatch",
        "get_metric_data",
        MetricDataQueries=queries,
        StartTime=datetime.fromtimestamp(batch[0].start_s, tz=UTC),
        EndTime=datetime.fromtimestamp(batch[0].end_s, tz=UTC),
        ScanBy="TimestampAscending",
    )
    for page in pages:
        said |= {str(message.get("Value", "")) for message in page.get("Messages", ())}
        for result in page.get("MetricDataResults", ()):
            id_ = str(result.get("Id"))
            if id_ not in found:
                continue
            pairs = zip(result.get("Timestamps", ()), result.get("Values", ()), strict=False)
            found[id_].update((int(moment.timestamp()), float(value)) for moment, value in pairs)
            status[id_] = str(result.get("StatusCode", "Complete"))
    answers: dict[DataRequest, Points] = {}
    for query, request in zip(queries, batch, strict=True):
        id_ = query["Id"]
        if status.get(id_) == "Complete":
            answers[request] = tuple(sorted(found[id_].items()))
        else:
            told = status.get(id_, "no answer")
            more = f" ({'; '.join(sorted(said))})" if said else ""
            tell(f"{request.metric.namespace} {request.metric.name} {request.stat}: AWS answered {told}{more}.")
    return answers


def metric_data(
    connection: Connection,
    *,
    requests: Sequence[DataRequest],
    tell: Callable[[str], None],
    advance: Callable[[int], None] = lambda _: None,
) -> Iterator[tuple[DataRequest, Points]]:
    """Yield the answers to many requests, a few calls at a time.

    Args:
        connection: Credentials and Region.
        requests: What to ask.
        tell: Told of each request that was not answered.
        advance: Told how many requests are done.

    Raises:
        AwsError: A call failed; what was answered before has been yielded.
    """
    jobs = [lambda batch=batch: call(connection, batch, tell=tell) for batch in batches(requests)]
    for answers in in_parallel(jobs):
        advance(len(answers))
        yield from answers.items()


def in_parallel(jobs: Sequence[Callable[[], Any]], *, workers: int = WORKERS) -> Iterator[Any]:
    """Run jobs a few at a time and yield results as they come; after a failure no further job is started."""
    if len(jobs) <= 1:
        yield from (job() for job in jobs)
        return
    with ThreadPoolExecutor(max_workers=workers) as pool:
        futures = [pool.submit(job) for job in jobs]
        failure: AwsError | None = None
        try:
            for future in as_completed(futures):
                try:
                    result = future.result() if not future.cancelled() else None
                except AwsError as error:
                    failure = failure or error
                    _cancel(futures)
                    continue
                if result is not None:
                    yield result
        finally:
            _cancel(futures)
        if failure is not None:
            raise failure


def _cancel(futures: Sequence[Any]) -> None:
    for future in futures:
        future.cancel()


def _query(id_: str, request: DataRequest) -> dict[str, Any]:
    metric = request.metric
    query: dict[str, Any] = {
        "Id": id_,
        "MetricStat": {
            "Metric": {
                "Namespace": metric.namespace,
                "MetricName": metric.name,
                "Dimensions": [{"Name": name, "Value": value} for name, value in metric.dimensions],
            },
            "Period": request.period_s,
            "Stat": request.stat,
        },
        "ReturnData": True,
    }
    if metric.account_id is not None:
        query["AccountId"] = metric.account_id
    return query
