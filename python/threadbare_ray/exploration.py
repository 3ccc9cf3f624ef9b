"""The loop of `verify`: hand out units, collect results, merge them.

A unit may take a twentieth of the time so far: at the end, when one worker may have to wait for another, that is what it
waits. Merging goes on beside the loop, and seldom: a merge reads and writes the whole state.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threadbare_ray import checkpoint
from threadbare_ray.checker import ERROR, Checker
from threadbare_ray.frontier import Frontier, Unit
from threadbare_ray.pool import Answer, Failure, Loss, Order, Pool
from threadbare_ray.progress import Progress, count
from threadbare_ray.state import State

# The shortest budget of a unit, in seconds: starting one costs a tenth of a second.
SHORTEST = 0.5
# The share of the time so far that a unit may take.
SHARE = 0.05
# How many units a worker has, the one that it explores included: the next one is there when that is done.
UNITS_PER_SLOT = 2
# As long as there are fewer subtrees than units are wanted, a unit is explored by several threads that share it, however few
# cores it has: what each of them has not done is a subtree for others.
THREADS_TO_SPLIT = 16
# Exit statuses of `work` with a result: those of `verify`, and of signals.
WITH_RESULT = (0, 1, 3, 129, 130, 143)
# More results than these are not merged at once.
RESULTS_PER_MERGE = 500
# The shortest time from merge to merge in seconds, and as a multiple of how long the last one took.
MERGE_EVERY, MERGES_APART = 1.0, 3.0
# How often the checkpoint is written at most, in seconds.
CHECKPOINT_EVERY = 5.0
# After so many losses in a row, without any result, it is not the machines.
LOSSES_IN_A_ROW = 20
# How long to wait for something to happen, in seconds.
LOOK = 0.05


@dataclass(frozen=True)
class Settings:
    """How to explore."""

    # The longest budget of a unit, in seconds.
    budget: float = 10.0
    # How many units are explored at a time, if not as many as the cluster has room for.
    workers: int | None = None
    # How many threads explore a unit, and how many cores it is given.
    jobs: int = 1
    memory: str | None = None
    timeout: float | None = None
    checkpoint: Path | None = None


@dataclass
class Merging:
    """A merge under way."""

    units: list[Unit]
    future: Future[State]
    start: float = field(default_factory=time.monotonic)


class Exploration:
    """An exploration on a pool, whose state is in a working directory."""

    def __init__(
        self, checker: Checker, command: str, pool: Pool, directory: Path, settings: Settings, progress: Progress
    ) -> None:
        self._checker, self._command, self._pool = checker, command, pool
        self._directory, self._settings, self._progress = directory, settings, progress
        self._frontier = Frontier(State.read(directory / checkpoint.STATE))
        self._running: dict[Any, Unit] = {}
        self._results: list[tuple[Unit, Path]] = []
        self._merging: Merging | None = None
        self._merge_after = 0.0
        self._checkpoint_after = 0.0
        self._losses = 0
        self._start = time.monotonic()

    def run(self) -> None:
        """Explore until there is a result, or the time is over. The state is in the working directory then."""
        with ThreadPoolExecutor(max_workers=1) as merger:
            try:
                while not self._frontier.state.is_over and not self._is_time_over():
                    self._hand_out()
                    self._collect()
                    self._merge(merger)
                    self._show()
            finally:
                self._pool.cancel(list(self._running))
                self._finish_merging(merger)
                self._save(is_last=True)

    def _hand_out(self) -> None:
        wanted = self._capacity() - len(self._running)
        left = self._time_left()
        if left is not None and left <= 0:
            return
        is_thin = len(self._frontier.state.left) < self._capacity()
        for unit in self._frontier.cut(wanted):
            self._running[self._pool.start(self._order(unit, is_thin))] = unit

    def _order(self, unit: Unit, is_thin: bool) -> Order:
        jobs = self._settings.jobs
        threads = max(jobs, min(self._capacity(), THREADS_TO_SPLIT)) if is_thin else jobs
        command = [self._command, "work", "unit.json", "--program", "program.tbc"]
        command += ["--budget", f"{self._budget():.3f}", "--jobs", str(threads)]
        if self._settings.memory is not None:
            command += ["--memory", self._settings.memory]
        return Order(tuple(command), {"unit.json": self._frontier.state.unit_of(unit.take)}, jobs)

    def _budget(self) -> float:
        budget = min(self._settings.budget, max(SHORTEST, SHARE * (time.monotonic() - self._start)))
        left = self._time_left()
        return budget if left is None else max(0.1, min(budget, left))

    def _capacity(self) -> int:
        """How many units to have under way."""
        slots = max(1, self._pool.slots(self._settings.jobs))
        workers = self._settings.workers
        # With fewer workers than there is room for, the second unit of each would be explored at once.
        return workers if workers is not None and workers < slots else UNITS_PER_SLOT * slots

    def _collect(self) -> None:
        for ticket, answer in self._pool.wait(list(self._running), LOOK):
            unit = self._running.pop(ticket)
            if isinstance(answer, Loss):
                self._lose(unit, answer.reason)
            elif answer.status == ERROR:
                raise Failure(answer.message.strip().removeprefix("error: "))
            elif answer.status in WITH_RESULT:
                self._keep(unit, answer)
            else:
                self._lose(unit, f"`threadbare work` ended with {answer.status}: {answer.message.strip()}")

    def _keep(self, unit: Unit, answer: Answer) -> None:
        file = self._directory / f"result-{unit.number}.json"
        file.write_text(answer.output, encoding="utf-8")
        self._results.append((unit, file))
        self._losses = 0

    def _lose(self, unit: Unit, reason: str) -> None:
        self._frontier.release(unit)
        self._losses += 1
        if self._losses >= LOSSES_IN_A_ROW:
            raise Failure(f"{self._losses} units in a row were lost; the last one: {reason}")
        self._progress.say(f"a unit was lost and is explored again: {reason}")

    def _merge(self, merger: ThreadPoolExecutor) -> None:
        """Put the results of a merge into the frontier when it is done; start one when it is time."""
        if self._merging is not None:
            if self._merging.future.done():
                self._take_merged()
        elif self._results and (self._is_hungry() or time.monotonic() >= self._merge_after):
            self._start_merge(merger)
        elif not self._results and not self._running and not self._frontier.state.left:
            raise Failure("nothing is left to explore, and there is no result: is this another version of Threadbare?")

    def _is_hungry(self) -> bool:
        """Whether there is room for units and nothing to make them of."""
        return len(self._running) < self._capacity() and not self._frontier.free()

    def _start_merge(self, merger: ThreadPoolExecutor) -> None:
        batch, self._results = self._results[:RESULTS_PER_MERGE], self._results[RESULTS_PER_MERGE:]
        future = merger.submit(self._merged, [file for _, file in batch])
        self._merging = Merging([unit for unit, _ in batch], future)

    def _merged(self, results: list[Path]) -> State:
        state = self._directory / checkpoint.STATE
        self._checker.merge(state, results)
        for file in results:
            file.unlink()
        return State.read(state)

    def _take_merged(self) -> None:
        merging, self._merging = self._merging, None
        assert merging is not None, "a merge is under way"
        for unit in merging.units:
            self._frontier.release(unit)
        self._drop(self._frontier.update(merging.future.result()))
        now = time.monotonic()
        self._merge_after = now + max(MERGE_EVERY, MERGES_APART * (now - merging.start))
        self._save(is_last=False)

    def _drop(self, stale: list[Unit]) -> None:
        """An assumption was refuted, or the end is known: these units are of no use any more."""
        numbers = {unit.number for unit in stale}
        tickets = [ticket for ticket, unit in self._running.items() if unit.number in numbers]
        self._pool.cancel(tickets)
        for ticket in tickets:
            del self._running[ticket]
        for unit, file in self._results:
            if unit.number in numbers:
                file.unlink()
        self._results = [(unit, file) for unit, file in self._results if unit.number not in numbers]

    def _finish_merging(self, merger: ThreadPoolExecutor) -> None:
        """Merge what there is, for the last report."""
        while self._merging is not None or (self._results and not self._frontier.state.is_over):
            if self._merging is None:
                self._start_merge(merger)
            self._take_merged()

    def _save(self, is_last: bool) -> None:
        target, now = self._settings.checkpoint, time.monotonic()
        if target is not None and (is_last or now >= self._checkpoint_after):
            checkpoint.save(self._directory, target)
            self._checkpoint_after = now + CHECKPOINT_EVERY

    def _time_left(self) -> float | None:
        timeout = self._settings.timeout
        return None if timeout is None else timeout - self._progress.seconds()

    def _is_time_over(self) -> bool:
        """Whether the time is over, and the last units as well, whose budgets end with it."""
        left = self._time_left()
        return left is not None and (left <= 0 and not self._running or left < -2.0)

    def _show(self) -> None:
        state = self._frontier.state
        rate = state.executions / (time.monotonic() - self._start)
        restarts = f", {count(state.restarts, 'restart')}" if state.restarts else ""
        self._progress.show(
            f"exploring: {state.executions} executions, {rate:.0f}/s, {count(len(self._running), 'unit')}, "
            f"{count(len(state.left), 'subtree')} left{restarts}, {count(self._pool.nodes(), 'node')}"
        )
