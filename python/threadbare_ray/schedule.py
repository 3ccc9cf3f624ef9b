"""The schedule: how large units are, and which of them are stopped so that others have something to do.

A unit that is stopped loses nothing: what it has explored is its result, and what it has not is divided (`threadbare work`).
So no worker has to wait for the last unit of another one, however long that is.

Differs: budgets that become smaller towards the end, as in guided self-scheduling, need an estimate of what is left.
"""

from __future__ import annotations

import math
from typing import Mapping, TypeVar

# How many units a worker has, the one that it explores included: the next one is there when that is done.
UNITS_PER_WORKER = 2
# A unit that is stopped leaves so many subtrees, if there are as many.
PIECES = 16
# The youngest age of a unit that is stopped, in seconds and as a share of the time so far: starting one costs a tenth of a
# second, and dividing in vain must not become a habit.
YOUNGEST, SHARE = 0.4, 0.01
# The age is doubled so often at most.
MOST_DOUBLINGS = 20

U = TypeVar("U")


def youngest(so_far: float, in_vain: int) -> float:
    """The youngest age of a unit that is stopped, after this time.

    Twice as old if the last one had not begun, and so on: workers may need any time to start.
    """
    return max(YOUNGEST, SHARE * so_far) * 2 ** min(in_vain, MOST_DOUBLINGS)


def to_stop(ages: Mapping[U, float], stopped: int, workers: int, youngest: float) -> list[U]:
    """The units to stop, if nothing is left to hand out: the oldest ones, until there will be something for each worker.

    `ages` has the units under way that were not stopped; so many others were.
    """
    idle = workers - len(ages) - stopped
    missing = idle - stopped * (PIECES - 1)
    count = max(0, math.ceil(missing / (PIECES - 1)))
    old = sorted((unit for unit in ages if ages[unit] >= youngest), key=lambda unit: -ages[unit])
    return old[:count]
