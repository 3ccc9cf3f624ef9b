"""A state of an exploration, as `threadbare merge` writes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

# Fields of a state that a unit of it has no use for.
_OF_STATES = ("seed", "taken", "whole", "told")


@dataclass(frozen=True)
class State:
    """How far an exploration has come. What is in the units is Threadbare's own."""

    left: tuple[str, ...]
    is_over: bool
    # How often it has started again: subtrees have their meaning between two starts.
    restarts: int
    executions: int
    unit: dict[str, Any]

    @staticmethod
    def read(file: Path) -> State:
        """The state in a file."""
        state = json.loads(file.read_text(encoding="utf-8"))
        unit = state["unit"]
        return State(
            left=tuple(unit["left"]),
            is_over=unit["is_over"],
            restarts=len(state["restarts"]),
            executions=sum(state["executions"].values()),
            unit=unit,
        )

    def unit_of(self, take: Sequence[str]) -> str:
        """The text of a unit that takes these subtrees."""
        unit = {name: value for name, value in self.unit.items() if name not in _OF_STATES}
        unit.update(exploration=self.unit["seed"], left=list(take), take=list(take))
        return json.dumps({"unit": unit})
