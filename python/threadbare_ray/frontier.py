"""The frontier: the subtrees that are left, and the units that hold some of them.

The state keeps a subtree until a result that has taken it is merged. So a unit that is lost costs nothing but its time: its
subtrees are free again. Subtrees that a result has left are free before it is merged; if the merged state does not have what
was taken, all that comes of them is stale.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Collection, Sequence

from threadbare_ray.state import State


@dataclass(frozen=True)
class Unit:
    """Subtrees that are explored together, for a time."""

    number: int
    take: tuple[str, ...]
    # How often the exploration had started again.
    restarts: int
    # It took all that the state had. What it leaves is not handed out before it is merged: the first unit after a start
    # finds the names of threads, and the others must have them from the state.
    is_alone: bool


class Frontier:
    """The subtrees that are left."""

    def __init__(self, state: State) -> None:
        self.state = state
        # Those of the state, with the results that are not merged.
        self._left = list(state.left)
        self._explored: dict[Unit, tuple[str, ...]] = {}
        self._numbers = itertools.count(1)
        self._holder: dict[str, Unit] = {}

    def free(self) -> list[str]:
        """The subtrees that no unit holds, in order."""
        return [subtree for subtree in self._left if subtree not in self._holder]

    def cut(self, count: int) -> list[Unit]:
        """At most so many units, which hold all subtrees that were free.

        They are dealt out from the last to the first, and the unit with the last one comes first: when an exploration was
        stopped, each subtree of its rest is as large as all before it together, more or less. So the workers that take the
        others have as much to do as the one that takes the last.
        """
        free = self.free()[::-1]
        return [self._hold(free[start::count][::-1]) for start in range(min(count, len(free)))]

    def release(self, unit: Unit) -> None:
        """The unit holds nothing any more: it was lost, or explored."""
        for subtree in unit.take:
            if self._holder.get(subtree) is unit:
                del self._holder[subtree]

    def divide(self, unit: Unit, left: Sequence[str]) -> None:
        """The unit was explored, and has left these subtrees. Its result is not merged yet."""
        self._explored[unit] = tuple(left)
        self._replace(unit)

    def update(self, state: State, merged: Collection[Unit]) -> list[Unit]:
        """There is a new state, with the results of these units. Returns the units that are of no use any more; they hold
        nothing."""
        self.state, self._left = state, list(state.left)
        for unit in merged:
            self.release(unit)
            del self._explored[unit]
        stale = []
        # A unit was cut when all results that it relies on had come: they come first.
        for unit in self._explored:
            if self._is_left(unit):
                self._replace(unit)
            else:
                stale.append(unit)
        holders = dict.fromkeys(self._holder.values())
        stale += [unit for unit in holders if unit not in self._explored and not self._is_left(unit)]
        for unit in stale:
            self.release(unit)
            self._explored.pop(unit, None)
        return stale

    def _is_left(self, unit: Unit) -> bool:
        return unit.restarts == self.state.restarts and set(self._left).issuperset(unit.take)

    def _replace(self, unit: Unit) -> None:
        """Put what the unit has left in the place of what it took, unless it must be merged before."""
        if unit.is_alone:
            return
        self.release(unit)
        place, taken = self._left.index(unit.take[0]), set(unit.take)
        after = [subtree for subtree in self._left[place:] if subtree not in taken]
        self._left[place:] = [*self._explored[unit], *after]

    def _hold(self, subtrees: list[str]) -> Unit:
        is_alone = set(subtrees) >= set(self.state.left)
        unit = Unit(next(self._numbers), tuple(subtrees), self.state.restarts, is_alone)
        self._holder.update(dict.fromkeys(subtrees, unit))
        return unit
