"""A pool without Ray: commands run here, one after the other, and some of them are lost."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Callable, Sequence

from threadbare_ray import task
from threadbare_ray.pool import Answer, Cost, Loss, Order


class LocalPool:
    """Runs an order when its answer is awaited. `loses` says which ones, by their number."""

    def __init__(self, slots: int, program: bytes, loses: Callable[[int], bool] = lambda _: False) -> None:
        self._slots, self._program, self._loses = slots, program, loses
        self.orders: list[Order] = []
        self.lost = 0

    def slots(self, cores: int) -> int:
        return self._slots // cores

    def nodes(self) -> int:
        return 1

    def start(self, order: Order) -> Any:
        self.orders.append(order)
        return len(self.orders) - 1

    def wait(self, tickets: Sequence[Any], seconds: float) -> list[tuple[Any, Answer | Loss]]:
        # The newest first: answers come in any order.
        return [(ticket, self._answer(ticket)) for ticket in sorted(tickets)[-1:]]

    def cancel(self, tickets: Sequence[Any]) -> None:
        pass

    def _answer(self, ticket: int) -> Answer | Loss:
        order = self.orders[ticket]
        if self._loses(ticket):
            self.lost += 1
            return Loss("the node died")
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "program.tbc").write_bytes(self._program)
            for name, text in order.files.items():
                (Path(directory) / name).write_text(text)
            return Answer(*task.execute(directory, order.command, order.directory), Cost("here", 0.0, 0.1, 0.1))
