"""How long does a backtest of a large account take? 1,000 alarms over 15 days of one-minute data, and a what-if grid.

    python bench/backtest.py [--alarms 1000] [--days 15]

Alarms as the product makes them: throttle rate by metric math, 4 of 15 minutes, every tenth of five minutes, a composite that
pages over every tenth. Data with 1 % breaching minutes. CPU seconds of this process; the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import resource
import time


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--alarms", type=int, default=1000)
    parser.add_argument("--days", type=int, default=15)
    given = parser.parse_args()

    import numpy as np

    from alarms.alarm_set import AlarmEntry, Role, Severity
    from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm, MissingData
    from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
    from cloudwatch.series import Samples
    from cloudwatch.store import MetricStore
    from monitoring.backtest.run import backtest
    from monitoring.backtest.what_if import what_if

    start, minutes = 1_793_577_600, given.days * 1440
    times = start + 60 * np.arange(minutes)
    draw = np.random.default_rng(5)
    pairs, entries = [], []
    page = ("arn:aws:sns:us-east-1:111122223333:page",)
    for number in range(given.alarms):
        dimensions = (("ModelId", f"m{number}"),)
        calls = Metric(namespace="AWS/Bedrock", name="Invocations", dimensions=dimensions)
        throttles = Metric(namespace="AWS/Bedrock", name="InvocationThrottles", dimensions=dimensions)
        refused = np.where(draw.random(minutes) < 0.01, 40.0, 1.0)
        ones = np.ones(minutes)
        pairs += [
            (calls, Samples.of_sets(times, counts=120 * ones, sums=120 * ones, minima=ones, maxima=ones)),
            (throttles, Samples.of_sets(times, counts=refused, sums=refused, minima=ones, maxima=ones)),
        ]
        period = 300 if number % 10 == 9 else 60
        alarm = MetricAlarm(
            name=f"throttled-{number}",
            queries=(
                MetricQuery(id="i", metric=calls, stat="Sum", period_s=period),
                MetricQuery(id="t", metric=throttles, stat="Sum", period_s=period),
                ExpressionQuery(id="att", expression="SUM([t, i])"),
                ExpressionQuery(
                    id="rate", expression="IF((att>=20) AND ((t+0*att)>=5), 100*t/att, 0)", return_data=True
                ),
            ),
            comparison=Comparison.GREATER_OR_EQUAL,
            threshold=10,
            evaluation_periods=15 if period == 60 else 3,
            datapoints_to_alarm=4 if period == 60 else 2,
            treat_missing_data=MissingData.NOT_BREACHING,
            alarm_actions=page,
        )
        entries.append(
            AlarmEntry(
                slug="throttled", role=Role.CAUSE, alarm=alarm, title="", severity=Severity.PAGE, model=f"m{number}"
            )
        )
        if number % 10 == 0:
            composite = CompositeAlarm(name=f"over-{number}", rule=f'ALARM("throttled-{number}")', alarm_actions=page)
            entries.append(AlarmEntry(slug="over", role=Role.CAUSE, alarm=composite, title="", severity=Severity.PAGE))
    store = MetricStore.of(pairs)
    before, wall = time.process_time(), time.perf_counter()
    result = backtest(entries, store=store, start_s=start, end_s=start + 60 * minutes)
    done, wall_done = time.process_time(), time.perf_counter()
    grid = what_if(entries, alarm="throttled-0", store=store, start_s=start, end_s=start + 60 * minutes, budget=1)
    varied = time.process_time()
    print(f"{len(entries)} alarms over {given.days} days: {done - before:.1f} s CPU, {result.pages} pages")
    print(f"what-if of {len(grid.variants)} settings of one alarm: {varied - done:.2f} s CPU")
    row = {
        "alarms": len(entries),
        "minutes": minutes,
        "cpu_s": round(done - before, 2),
        "wall_s": round(wall_done - wall, 2),
        "what_if_settings": len(grid.variants),
        "what_if_cpu_s": round(varied - done, 2),
        "pages": result.pages,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
