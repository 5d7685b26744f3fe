"""Which attempts did the service see? The calls' last attempts and those that were tried again, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bedrock.simulator.gate import Outcome
    from bedrock.simulator.service import CallPlan

__all__ = ["Attempts", "attempts_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """Every attempt. Arrays have shape (attempts,); last attempts in the order of calls, then the earlier ones.

    Attributes:
        call: Index of the call, int64.
        start_s: When it was sent, seconds since the start of the scenario.
        end_s: When it ended.
        status: `gate.Status`, uint8.
    """

    call: np.ndarray
    start_s: np.ndarray
    end_s: np.ndarray
    status: np.ndarray


def attempts_of(plan: CallPlan, outcome: Outcome) -> Attempts:
    """Return every attempt of a simulation."""
    call = np.arange(plan.count)
    if not outcome.earlier:
        return Attempts(call=call, start_s=outcome.start_s, end_s=outcome.end_s, status=outcome.status)
    earlier = sorted(outcome.earlier, key=lambda attempt: (attempt[1], attempt[0]))
    table = np.array(earlier)
    return Attempts(
        call=np.concatenate([call, table[:, 0].astype(np.int64)]),
        start_s=np.concatenate([outcome.start_s, table[:, 1]]),
        end_s=np.concatenate([outcome.end_s, table[:, 2]]),
        status=np.concatenate([outcome.status, table[:, 3].astype(np.uint8)]),
    )
