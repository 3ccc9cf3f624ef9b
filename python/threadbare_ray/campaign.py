"""The loop of `fuzz`: ranges of seeds.

Run number n of a campaign has the seed s + n, so a range of seeds is a campaign of its own. Ranges are handed out in order;
if one has a violation, those before it are still awaited: the violation with the smallest seed is the one that a single
process would have found first.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Sequence

from threadbare_ray.checker import ERROR, split
from threadbare_ray.pool import Answer, Failure, Loss, Order, Pool
from threadbare_ray.progress import Progress, count

# The runs of the first ranges: there is no telling how long a run is.
FIRST_RUNS = 16
# How many ranges a worker has, the one under way included.
RANGES_PER_SLOT = 2
# The seconds of a campaign that says neither runs nor time, as `threadbare fuzz` has them.
DEFAULT_SECONDS = 10.0
LOSSES_IN_A_ROW = 20
LOOK = 0.05


@dataclass(frozen=True)
class Seeds:
    """The seeds from `first` on; as many as there is time for, if `runs` does not say."""

    first: int
    runs: int | None

    def arguments(self, passed_on: Sequence[str], *more: str) -> list[str]:
        """The arguments of `threadbare fuzz` for these."""
        words, cflags = split(passed_on)
        runs = [] if self.runs is None else ["--runs", str(self.runs)]
        return [*words, "--seed", str(self.first), *runs, *more, *cflags]


class Campaign:
    """A campaign on a pool."""

    def __init__(
        self,
        command: str,
        pool: Pool,
        passed_on: Sequence[str],
        seeds: Seeds,
        seconds: float | None,
        budget: float,
        jobs: int,
        workers: int | None,
        progress: Progress,
    ) -> None:
        self._command, self._pool, self._passed_on, self._progress = command, pool, passed_on, progress
        self._seeds, self._budget, self._jobs, self._workers = seeds, budget, jobs, workers
        is_endless = seconds is None and seeds.runs is None
        self._seconds = DEFAULT_SECONDS if is_endless else seconds
        self._next = seeds.first
        self._again: list[Seeds] = []
        self._running: dict[Any, Seeds] = {}
        # The first range with something to report, so far.
        self._found: Seeds | None = None
        self._runs = self._events = self._losses = 0
        self._busy = 0.0
        self._program = ""

    def run(self) -> Seeds | None:
        """Run until something is found, or all is done. Returns the seeds to run again for the report."""
        try:
            while self._hand_out() or self._running:
                for ticket, answer in self._pool.wait(list(self._running), LOOK):
                    self._take(self._running.pop(ticket), answer)
                self._drop_later()
                self._progress.show(
                    f"fuzzing: {count(self._runs, 'run')}, {self._events} events, {count(self._pool.nodes(), 'node')}"
                )
        finally:
            self._pool.cancel(list(self._running))
        return self._found

    def summary(self, form: str) -> str:
        """What there is to say if nothing was found."""
        told = f"{count(self._runs, 'run')} from seed {self._seeds.first}, {self._events} events"
        if form != "json":
            return f"{self._program}: no violation found — {told}; that proves nothing"
        fields = {"command": "fuzz", "program": self._program, "verdict": "no-violation", "reason": f"{told}; that proves nothing"}
        return json.dumps({"schema": 1, **fields, "violations": [], "runs": self._runs, "events": self._events, "seed": self._seeds.first})

    def _hand_out(self) -> bool:
        """Hand out ranges as long as there is room. Returns whether there are more."""
        slots = max(1, self._pool.slots(self._jobs))
        limit = self._workers if self._workers is not None and self._workers < slots else RANGES_PER_SLOT * slots
        while (seeds := self._peek()) is not None and len(self._running) < limit:
            self._start(seeds)
        return seeds is not None

    def _peek(self) -> Seeds | None:
        """The next range, if there is one that could matter."""
        left = self._time_left()
        if left is not None and left <= 0:
            return None
        if self._again:
            return min(self._again, key=lambda seeds: seeds.first)
        end = None if self._seeds.runs is None else self._seeds.first + self._seeds.runs
        if self._found is not None or end == self._next:
            return None
        size = self._size()
        return Seeds(self._next, size if end is None else min(size, end - self._next))

    def _size(self) -> int:
        """As many runs as are likely to take the budget."""
        return max(FIRST_RUNS, int(self._runs / self._busy * self._budget)) if self._busy > 0 else FIRST_RUNS

    def _start(self, seeds: Seeds) -> None:
        if seeds in self._again:
            self._again.remove(seeds)
        else:
            self._next += seeds.runs or 0
        limits = [] if (left := self._time_left()) is None else ["--time", f"{left:.3f}"]
        words = seeds.arguments(self._passed_on, "--format", "json", "--jobs", str(self._jobs), *limits)
        # Paths mean there what they mean here.
        order = Order((self._command, "fuzz", *words), {}, self._jobs, os.getcwd())
        self._running[self._pool.start(order)] = seeds

    def _take(self, seeds: Seeds, answer: Answer | Loss) -> None:
        if isinstance(answer, Answer) and answer.status == ERROR:
            raise Failure(answer.message.strip().removeprefix("error: "))
        if isinstance(answer, Answer) and answer.status in (0, 1, 3):
            self._losses = 0
            self._add(seeds, json.loads(answer.output), answer.status)
            return
        reason = answer.reason if isinstance(answer, Loss) else f"`threadbare fuzz` ended with {answer.status}"
        self._losses += 1
        if self._losses >= LOSSES_IN_A_ROW:
            raise Failure(f"{self._losses} ranges of seeds in a row were lost; the last one: {reason}")
        self._progress.say(f"a range of seeds was lost and is run again: {reason}")
        self._again.append(seeds)

    def _add(self, seeds: Seeds, result: dict[str, Any], status: int) -> None:
        self._program = result["program"]
        self._runs += result["runs"]
        self._events += result["events"]
        self._busy += result["seconds"]["exploration"]
        if status == 0:
            return
        # The run with the violation is enough to show it; what is not modelled is met again by the same range.
        found = [Seeds(found["seed"], 1) for found in result["found"][:1]] or [seeds]
        if self._found is None or found[0].first < self._found.first:
            self._found = found[0]

    def _drop_later(self) -> None:
        """Ranges after the first one with something to report do not matter."""
        if self._found is None:
            return
        first = self._found.first
        later = [ticket for ticket, seeds in self._running.items() if seeds.first > first]
        self._pool.cancel(later)
        for ticket in later:
            del self._running[ticket]
        self._again = [seeds for seeds in self._again if seeds.first < first]

    def _time_left(self) -> float | None:
        return None if self._seconds is None else self._seconds - self._progress.seconds()
