"""Where is there FILL that makes a dead metric read healthy? What it does and why: docs/checks/fill-hides-silence.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call, Number, Word, walk
from monitoring.lint.catalogue import is_rare, known_metric
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        tree = None if result is None or result.is_metric else alarm.queries.tree(result)
        if result is None or tree is None or not alarm.breaches_above:
            continue
        fills = [node for node in alarm.queries.expanded(tree) if isinstance(node, Call) and node.function == "FILL"]
        filled = {id(one) for node in fills if node.arguments for one in alarm.queries.metrics_under(node.arguments[0])}
        leaves = alarm.queries.metrics_under(tree)
        if not fills or not leaves or any(id(one) not in filled for one in leaves):
            continue
        repeats = any(
            isinstance(argument, Word) and argument.text == "REPEAT" for node in fills for argument in node.arguments
        )
        zero = any(
            isinstance(argument, Number) and argument.value == 0 for node in fills for argument in node.arguments[1:]
        )
        known = [known_metric(one.namespace, one.name) for one in leaves]
        rare = all(one is not None and is_rare(one) for one in known)
        steady = any(one.stat == "Average" or one.is_percentile for one in leaves)
        if (zero and steady and not rare) or repeats:
            says = "its last value for ever" if repeats else "0"
            message = (
                f"when the metric stops, it reads {says}: the alarm stays as it is, and TreatMissingData never applies."
            )
            place = next(
                (entry for entry, one in alarm.queries.trees if any(node is fills[0] for node in walk(one))), result
            )
            hint = "Leave the gap, and let TreatMissingData say what silence means."
            yield alarm.found(message, path=place.expression_path, span=(fills[0].start, fills[0].end), hint=hint)


CHECK = Check(
    name="fill-hides-silence", severity=Severity.RISK, title="FILL that makes a dead metric read healthy", find=_find
)
