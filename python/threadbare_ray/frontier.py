"""The frontier: the subtrees that are left, and the units that hold some of them.

The state keeps a subtree until a result that has taken it is merged. So a unit that is lost costs nothing but its time: its
subtrees are free again. Units are cut in the order of the exploration, for the first violation decides.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from threadbare_ray.state import State


@dataclass(frozen=True)
class Unit:
    """Subtrees that are explored together, for a time."""

    number: int
    take: tuple[str, ...]
    # How often the exploration had started again.
    restarts: int


class Frontier:
    """The subtrees that are left."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._numbers = itertools.count(1)
        self._holder: dict[str, Unit] = {}

    def free(self) -> list[str]:
        """The subtrees that no unit holds, in order."""
        return [subtree for subtree in self.state.left if subtree not in self._holder]

    def cut(self, count: int) -> list[Unit]:
        """At most so many units, which hold all subtrees that were free."""
        free = self.free()
        if not free or count <= 0:
            return []
        size = math.ceil(len(free) / count)
        return [self._hold(free[start : start + size]) for start in range(0, len(free), size)]

    def release(self, unit: Unit) -> None:
        """The unit holds nothing any more: it was lost, or its result is in the state."""
        for subtree in unit.take:
            if self._holder.get(subtree) is unit:
                del self._holder[subtree]

    def update(self, state: State) -> list[Unit]:
        """There is a new state. Returns the units that are of no use any more; they hold nothing."""
        self.state = state
        left = set(state.left)
        holders = {unit.number: unit for unit in self._holder.values()}.values()
        stale = [unit for unit in holders if unit.restarts != state.restarts or not left.issuperset(unit.take)]
        for unit in stale:
            self.release(unit)
        return stale

    def _hold(self, subtrees: list[str]) -> Unit:
        unit = Unit(next(self._numbers), tuple(subtrees), self.state.restarts)
        self._holder.update(dict.fromkeys(subtrees, unit))
        return unit
