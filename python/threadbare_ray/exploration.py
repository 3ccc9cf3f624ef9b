"""The loop of `verify`: hand out units, collect results, merge them.

A unit may take a twentieth of the time since a worker last had nothing to do. So units are long in the middle of a run, where
each costs a start, and short at its beginning and at its end, where workers wait for what others have left: if nothing is left
to hand out, and a worker waits, it waits that long once, and from then on units are as short as possible.

What a result has left is handed out before it is merged. Merging goes on beside the loop, and seldom: a merge reads and writes
the whole state.
"""

from __future__ import annotations

import json
import time
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threadbare_ray import checkpoint
from threadbare_ray.checker import ERROR, Checker
from threadbare_ray.frontier import Frontier, Unit
from threadbare_ray.log import Log
from threadbare_ray.pool import Answer, Cost, Failure, Loss, Order, Pool
from threadbare_ray.progress import Progress, count
from threadbare_ray.state import State

# The shortest budget of a unit, in seconds: starting one costs a tenth of a second.
SHORTEST = 0.5
# The share that a unit may take of the time since a worker last had nothing to do.
SHARE = 0.05
# How many units a worker has, the one that it explores included: the next one is there when that is done.
UNITS_PER_SLOT = 2
# Exit statuses of `work` with a result: those of `verify`, and of signals.
WITH_RESULT = (0, 1, 3, 129, 130, 143)
# Something is wrong with the program, and that may be the end.
VIOLATED = 1
# More results than these are not merged at once.
RESULTS_PER_MERGE = 500
# The shortest time from merge to merge in seconds, as a share of the time so far, and as a multiple of how long the last one
# took.
MERGE_EVERY, MERGE_SHARE, MERGES_APART = 2.0, 0.05, 3.0
# How often the checkpoint is written at most, in seconds.
CHECKPOINT_EVERY = 5.0
# After so many losses in a row, without any result, it is not the machines.
LOSSES_IN_A_ROW = 20
# How long to wait for something to happen, in seconds.
LOOK = 0.1


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


@dataclass(frozen=True)
class Running:
    """A unit under way."""

    unit: Unit
    budget: float


@dataclass
class Merging:
    """A merge under way."""

    units: list[Unit]
    future: Future[State]
    start: float = field(default_factory=time.monotonic)


class Exploration:
    """An exploration on a pool, whose state is in a working directory."""

    def __init__(
        self,
        checker: Checker,
        command: str,
        pool: Pool,
        directory: Path,
        settings: Settings,
        progress: Progress,
        log: Log,
    ) -> None:
        self._checker, self._command, self._pool = checker, command, pool
        self._directory, self._settings, self._progress, self._log = directory, settings, progress, log
        self._frontier = Frontier(State.read(directory / checkpoint.STATE))
        self._running: dict[Any, Running] = {}
        self._results: list[tuple[Unit, Path]] = []
        self._merging: Merging | None = None
        self._merge_after = 0.0
        self._checkpoint_after = 0.0
        self._losses = 0
        self._start = time.monotonic()
        # When a worker last had nothing to do.
        self._idle_at = self._start
        # How long units have taken, in all, and what they have used of cores.
        self._busy, self._cores = 0.0, 0.0

    def run(self) -> None:
        """Explore until there is a result, or the time is over. The state is in the working directory then."""
        with ThreadPoolExecutor(max_workers=1) as merger:
            try:
                while not self._frontier.state.is_over and not self._is_time_over():
                    self._hand_out()
                    self._look_for_idle_workers()
                    self._collect()
                    self._merge(merger)
                    self._show()
            finally:
                self._pool.cancel(list(self._running))
                self._finish_merging(merger)
                self._save(is_last=True)
                self._log_end()

    def _hand_out(self) -> None:
        left = self._time_left()
        if left is not None and left <= 0:
            return
        for unit in self._frontier.cut(self._capacity() - len(self._running)):
            budget = self._budget()
            self._running[self._pool.start(self._order(unit, budget))] = Running(unit, budget)

    def _order(self, unit: Unit, budget: float) -> Order:
        command = [self._command, "work", "unit.json", "--program", "program.tbc"]
        command += ["--budget", f"{budget:.3f}", "--jobs", str(self._settings.jobs)]
        if self._settings.memory is not None:
            command += ["--memory", self._settings.memory]
        return Order(tuple(command), {"unit.json": self._frontier.state.unit_of(unit.take)}, self._settings.jobs)

    def _budget(self) -> float:
        budget = min(self._settings.budget, max(SHORTEST, SHARE * (time.monotonic() - self._idle_at)))
        left = self._time_left()
        return budget if left is None else max(0.1, min(budget, left))

    def _look_for_idle_workers(self) -> None:
        if len(self._running) < self._workers():
            self._idle_at = time.monotonic()

    def _workers(self) -> int:
        """How many units are explored at a time."""
        slots = max(1, self._pool.slots(self._settings.jobs))
        return min(slots, self._settings.workers or slots)

    def _capacity(self) -> int:
        """How many units to have under way."""
        workers = self._workers()
        # With fewer workers than there is room for, the second unit of each would be explored at once.
        has_more_room = workers < self._pool.slots(self._settings.jobs)
        return workers if has_more_room else UNITS_PER_SLOT * workers

    def _collect(self) -> None:
        if not self._running and self._merging is not None:
            futures.wait([self._merging.future], LOOK)
            return
        for ticket, answer in self._pool.wait(list(self._running), LOOK):
            running = self._running.pop(ticket)
            if isinstance(answer, Loss):
                self._lose(running.unit, answer.reason)
            elif answer.status == ERROR:
                raise Failure(answer.message.strip().removeprefix("error: "))
            elif answer.status in WITH_RESULT and answer.output:
                self._keep(running, answer)
            else:
                message = answer.message.strip() or "no result"
                self._lose(running.unit, f"`threadbare work` ended with {answer.status}: {message}")

    def _keep(self, running: Running, answer: Answer) -> None:
        unit = running.unit
        left = json.loads(answer.output)["unit"]["left"]
        file = self._directory / f"result-{unit.number}.json"
        file.write_text(answer.output, encoding="utf-8")
        self._results.append((unit, file))
        self._frontier.divide(unit, left)
        self._losses = 0
        if answer.status == VIOLATED:
            self._merge_after = 0.0
        self._log_unit(running, len(left), answer.cost)

    def _lose(self, unit: Unit, reason: str) -> None:
        self._frontier.release(unit)
        self._losses += 1
        if self._losses >= LOSSES_IN_A_ROW:
            raise Failure(f"{self._losses} units in a row were lost; the last one: {reason}")
        self._log.write("loss", unit=unit.number, reason=reason)
        self._progress.say(f"a unit was lost and is explored again: {reason}")

    def _merge(self, merger: ThreadPoolExecutor) -> None:
        """Put the results of a merge into the frontier when it is done; start one when it is time."""
        if self._merging is not None:
            if self._merging.future.done():
                self._take_merged()
        elif self._results and (self._waits_for_a_merge() or time.monotonic() >= self._merge_after):
            self._start_merge(merger)
        elif not self._results and not self._running and not self._frontier.free():
            raise Failure("nothing is left to explore, and there is no result: is this another version of Threadbare?")

    def _waits_for_a_merge(self) -> bool:
        """Whether nothing can be done before results are merged."""
        return not self._running and not self._frontier.free()

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
        self._drop(self._frontier.update(merging.future.result(), merging.units))
        now = time.monotonic()
        took = now - merging.start
        self._merge_after = now + max(MERGE_EVERY, MERGE_SHARE * (now - self._start), MERGES_APART * took)
        self._log.write("merge", results=len(merging.units), seconds=round(took, 3))
        self._save(is_last=False)

    def _drop(self, stale: list[Unit]) -> None:
        """An assumption was refuted, or the end is known: these units are of no use any more."""
        numbers = {unit.number for unit in stale}
        tickets = [ticket for ticket, running in self._running.items() if running.unit.number in numbers]
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

    def _log_unit(self, running: Running, left: int, cost: Cost) -> None:
        self._busy += cost.seconds
        self._cores += cost.cores
        self._log.write(
            "unit",
            unit=running.unit.number,
            worker=cost.worker,
            begin=round(cost.begin, 3),
            seconds=round(cost.seconds, 3),
            cores=round(cost.cores, 3),
            budget=round(running.budget, 3),
            took=len(running.unit.take),
            left=left,
        )

    def _log_end(self) -> None:
        seconds = time.monotonic() - self._start
        idle = 1 - self._busy / (seconds * self._workers())
        self._log.write(
            "explored", seconds=round(seconds, 3), workers=self._workers(), cores=round(self._cores, 3), idle=round(idle, 3)
        )

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
