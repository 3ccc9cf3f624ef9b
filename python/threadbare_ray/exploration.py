"""The loop of `verify`: hand out units, collect results, merge them.

A worker that has nothing to do gets some of what another one has left (`schedule.py`). Merging goes on beside the loop, and
seldom, for a merge reads and writes the whole state; what a result has left is handed out before it is merged.
"""

from __future__ import annotations

import json
import time
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threadbare_ray import checkpoint, schedule
from threadbare_ray.checker import ERROR, Checker
from threadbare_ray.frontier import Frontier, Unit
from threadbare_ray.pool import Answer, Failure, Loss, Order, Pool
from threadbare_ray.progress import Progress, count
from threadbare_ray.state import State

# Exit statuses of `work` with a result: those of `verify`, and of signals.
WITH_RESULT = (0, 1, 3, 129, 130, 143)
# More results than these are not merged at once.
RESULTS_PER_MERGE = 500
# The shortest time from merge to merge in seconds, as a share of the time so far, and as a multiple of how long the last one
# took.
MERGE_EVERY, MERGE_SHARE, MERGES_APART = 1.0, 0.05, 3.0
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


@dataclass
class Running:
    """A unit under way."""

    unit: Unit
    start: float = field(default_factory=time.monotonic)
    is_stopped: bool = False


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
        self._running: dict[Any, Running] = {}
        self._results: list[tuple[Unit, Path]] = []
        self._merging: Merging | None = None
        self._merge_after = 0.0
        self._checkpoint_after = 0.0
        self._losses = 0
        # So many units in a row were stopped that had not begun.
        self._stopped_in_vain = 0
        self._start = time.monotonic()

    def run(self) -> None:
        """Explore until there is a result, or the time is over. The state is in the working directory then."""
        with ThreadPoolExecutor(max_workers=1) as merger:
            try:
                while not self._frontier.state.is_over and not self._is_time_over():
                    self._hand_out()
                    self._stop_some()
                    self._collect()
                    self._merge(merger)
                    self._show()
            finally:
                self._pool.stop(list(self._running))
                self._finish_merging(merger)
                self._save(is_last=True)

    def _hand_out(self) -> None:
        wanted = self._capacity() - len(self._running)
        left = self._time_left()
        if left is not None and left <= 0:
            return
        for unit in self._frontier.cut(wanted):
            self._running[self._pool.start(self._order(unit))] = Running(unit)

    def _order(self, unit: Unit) -> Order:
        jobs, budget = self._settings.jobs, self._settings.budget
        left = self._time_left()
        budget = budget if left is None else max(0.1, min(budget, left))
        command = [self._command, "work", "unit.json", "--program", "program.tbc"]
        command += ["--budget", f"{budget:.3f}", "--jobs", str(jobs)]
        if self._settings.memory is not None:
            command += ["--memory", self._settings.memory]
        return Order(tuple(command), {"unit.json": self._frontier.state.unit_of(unit.take)}, jobs)

    def _stop_some(self) -> None:
        """Stop units if workers have nothing to do, and there is nothing to hand out."""
        if self._frontier.free():
            return
        now = time.monotonic()
        ages = {ticket: now - it.start for ticket, it in self._running.items() if not it.is_stopped}
        stopped = len(self._running) - len(ages)
        youngest = schedule.youngest(now - self._start, self._stopped_in_vain)
        tickets = schedule.to_stop(ages, stopped, self._workers(), youngest)
        for ticket in tickets:
            self._running[ticket].is_stopped = True
        self._pool.stop(tickets)

    def _workers(self) -> int:
        """How many units are explored at a time."""
        slots = max(1, self._pool.slots(self._settings.jobs))
        return min(slots, self._settings.workers or slots)

    def _capacity(self) -> int:
        """How many units to have under way."""
        workers = self._workers()
        # With fewer workers than there is room for, the second unit of each would be explored at once.
        has_more_room = workers < self._pool.slots(self._settings.jobs)
        return workers if has_more_room else schedule.UNITS_PER_WORKER * workers

    def _collect(self) -> None:
        if not self._running and self._merging is not None:
            futures.wait([self._merging.future], LOOK)
            return
        for ticket, answer in self._pool.wait(list(self._running), LOOK):
            running = self._running.pop(ticket)
            if isinstance(answer, Loss):
                self._lose(running, answer.reason)
            elif answer.status in WITH_RESULT:
                self._keep(running, answer)
            elif answer.status == ERROR and not running.is_stopped:
                raise Failure(answer.message.strip().removeprefix("error: "))
            else:
                self._lose(running, f"`threadbare work` ended with {answer.status}: {answer.message.strip()}")

    def _keep(self, running: Running, answer: Answer) -> None:
        unit = running.unit
        try:
            left = tuple(json.loads(answer.output)["unit"]["left"])
        except ValueError:
            self._lose(running, f"`threadbare work` ended with {answer.status} and no result")
            return
        file = self._directory / f"result-{unit.number}.json"
        file.write_text(answer.output, encoding="utf-8")
        self._results.append((unit, file))
        self._frontier.divide(unit, left)
        self._losses = 0
        if running.is_stopped:
            self._stopped_in_vain = self._stopped_in_vain + 1 if left == unit.take else 0

    def _lose(self, running: Running, reason: str) -> None:
        self._frontier.release(running.unit)
        if running.is_stopped:
            # It may not have begun: that is no loss.
            self._stopped_in_vain += 1
            return
        self._losses += 1
        if self._losses >= LOSSES_IN_A_ROW:
            raise Failure(f"{self._losses} units in a row were lost; the last one: {reason}")
        self._progress.say(f"a unit was lost and is explored again: {reason}")

    def _merge(self, merger: ThreadPoolExecutor) -> None:
        """Put the results of a merge into the frontier when it is done; start one when it is time."""
        if self._merging is not None:
            if self._merging.future.done():
                self._take_merged()
        elif self._results and (self._results_are_needed() or time.monotonic() >= self._merge_after):
            self._start_merge(merger)
        elif not self._results and not self._running and not self._frontier.free():
            raise Failure("nothing is left to explore, and there is no result: is this another version of Threadbare?")

    def _results_are_needed(self) -> bool:
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
        pause = max(MERGE_EVERY, MERGE_SHARE * (now - self._start), MERGES_APART * (now - merging.start))
        self._merge_after = now + pause
        self._save(is_last=False)

    def _drop(self, stale: list[Unit]) -> None:
        """An assumption was refuted, or the end is known: these units are of no use any more."""
        numbers = {unit.number for unit in stale}
        tickets = [ticket for ticket, it in self._running.items() if it.unit.number in numbers]
        self._pool.stop(tickets)
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
