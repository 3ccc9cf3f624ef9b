"""The loop of `verify`, with a fake `threadbare` and without Ray."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable
from unittest import mock

from local_pool import LocalPool
from threadbare_ray import checkpoint
from threadbare_ray.checker import Checker
from threadbare_ray.exploration import LOSSES_IN_A_ROW, Exploration, Settings
from threadbare_ray.log import Log
from threadbare_ray.pool import Answer, Cost, Failure
from threadbare_ray.progress import Progress

FAKE = Path(__file__).with_name("fake_threadbare.py")


class Run:
    """A run of the loop."""

    def __init__(self, directory: Path, resume: Path | None = None, **settings: Any) -> None:
        self.directory, self.checker = directory, Checker(FAKE)
        if resume is None:
            self.checker.write_units(["numbers.c", "--", "-DN=1"], directory)
        else:
            checkpoint.load(resume, directory)
        self.settings = Settings(**settings)
        self.pool = LocalPool(3, (directory / "program.tbc").read_bytes())
        self.log = directory / "log"

    def explore(self, loses: Callable[[int], bool] = lambda _: False) -> Any:
        self.pool._loses = loses
        self.exploration().run()
        return json.loads((self.directory / checkpoint.STATE).read_text())

    def exploration(self) -> Exploration:
        progress = Progress()
        log = Log(self.log, progress)
        return Exploration(self.checker, str(FAKE), self.pool, self.directory, self.settings, progress, log)


class ExplorationTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        self.place("first")
        # Losses are said, and that is not what is tested.
        # The fake runs in this Python.
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        environment = mock.patch.dict(os.environ, {"FAKE_SIZE": "150", "PATH": path})
        for patch in (mock.patch.object(Progress, "say"), environment):
            patch.start()
            self.addCleanup(patch.stop)

    def place(self, name: str) -> Path:
        (self.directory / name).mkdir()
        return self.directory / name

    def run_with(self, environment: dict[str, str], loses: Callable[[int], bool] = lambda _: False) -> dict[str, Any]:
        with mock.patch.dict(os.environ, environment):
            self.run_ = Run(self.directory / "first")
            return self.run_.explore(loses)

    def test_everything_is_explored_once(self) -> None:
        state = self.run_with({})
        self.assertEqual((state["verdict"], state["executions"]["complete"]), ("verified", 150))
        self.assertEqual(list(self.run_.directory.glob("result-*")), [], "results that were merged are removed")

    def test_lost_units_are_explored_again(self) -> None:
        state = self.run_with({}, lambda number: number % 3 == 0)
        self.assertGreater(self.run_.pool.lost, 3)
        self.assertEqual((state["verdict"], state["executions"]["complete"]), ("verified", 150))

    def test_after_a_restart_everything_is_explored_once(self) -> None:
        state = self.run_with({"FAKE_REFUTED": "70"})
        self.assertEqual((state["restarts"], state["executions"]["complete"]), (["refuted"], 150))

    def test_a_violation_ends_it(self) -> None:
        state = self.run_with({"FAKE_WRONG": "100"})
        self.assertEqual((state["verdict"], state["violations"]), ("violated", [{"replay": "100"}]))

    def test_an_error_of_a_unit_ends_it(self) -> None:
        with self.assertRaisesRegex(Failure, "the unit is damaged"):
            self.run_with({"FAKE_ERROR": "1"})

    def test_losses_without_end_are_an_error(self) -> None:
        with self.assertRaisesRegex(Failure, f"{LOSSES_IN_A_ROW} units in a row"):
            self.run_with({}, lambda _: True)

    def test_a_unit_has_no_more_than_it_needs(self) -> None:
        self.run_with({})
        self.assertLessEqual(len(self.run_.pool.orders[0].files["unit.json"]), 300)

    def test_units_are_short_after_a_worker_had_nothing_to_do_and_then_longer(self) -> None:
        exploration = Run(self.directory / "first", budget=2.0).exploration()
        now = exploration._idle_at
        budgets = []
        for later in (0.0, 9.0, 20.0, 100.0):
            with mock.patch("time.monotonic", return_value=now + later):
                budgets.append(exploration._budget())
        self.assertEqual(budgets, [0.5, 0.5, 1.0, 2.0])
        with mock.patch("time.monotonic", return_value=now + 100.0):
            exploration._look_for_idle_workers()
            self.assertEqual(exploration._budget(), 0.5)

    def test_a_unit_without_a_result_is_lost(self) -> None:
        run = Run(self.directory / "first")
        answer, none = run.pool._answer, Answer(3, "", "", Cost("here", 0.0, 0.1, 0.1))
        with mock.patch.object(run.pool, "_answer", lambda number: answer(number) if number else none):
            state = run.explore()
        self.assertEqual((state["verdict"], state["executions"]["complete"]), ("verified", 150))
        Progress.say.assert_called_once_with("a unit was lost and is explored again: `threadbare work` ended with 3: no result")

    def test_what_results_have_left_is_handed_out_before_they_are_merged(self) -> None:
        run = Run(self.directory / "first")
        merges = []
        merge = run.checker.merge

        def count(state: Path, results: Any) -> None:
            merges.append(len(results))
            merge(state, results)

        with mock.patch.object(Checker, "merge", lambda _self, state, results: count(state, results)):
            run.explore()
        self.assertEqual(merges[0], 1, "the first unit took everything")
        self.assertEqual(sum(merges), len(run.pool.orders))
        self.assertGreater(max(merges), 1)

    def test_the_log_says_what_units_have_cost(self) -> None:
        self.run_with({})
        lines = [json.loads(line) for line in self.run_.log.read_text().splitlines()]
        units = [line for line in lines if line["event"] == "unit"]
        self.assertEqual(len(units), len(self.run_.pool.orders))
        self.assertEqual((units[0]["worker"], units[0]["took"], units[0]["left"]), ("here", 1, 2))
        self.assertEqual((lines[-1]["event"], lines[-1]["workers"]), ("explored", 3))
        self.assertAlmostEqual(lines[-1]["cores"], 0.1 * len(units), places=2)

    def test_a_checkpoint_is_resumed(self) -> None:
        target = self.place("kept") / "numbers.json"
        run = Run(self.directory / "first", checkpoint=target)
        with self.assertRaises(KeyboardInterrupt), mock.patch.object(run.pool, "wait", self.interrupted(run.pool, 12)):
            run.explore()
        kept = json.loads(target.read_text())
        self.assertEqual(kept["verdict"], "inconclusive")
        self.assertGreater(kept["executions"]["complete"], 0)
        state = Run(self.place("second"), resume=target).explore()
        self.assertEqual((state["verdict"], state["executions"]["complete"]), ("verified", 150))

    def test_another_program_is_not_overwritten(self) -> None:
        run = Run(self.directory / "first")
        target = self.place("kept") / "numbers.json"
        checkpoint.save(run.directory, target)
        checkpoint.refuse_other(run.directory, target)
        (target.parent / "program.tbc").write_text("another")
        with self.assertRaisesRegex(Failure, "another program"):
            checkpoint.refuse_other(run.directory, target)

    def test_a_timeout_leaves_a_state(self) -> None:
        run = Run(self.directory / "first", timeout=0.0001)
        self.assertEqual(run.explore()["verdict"], "inconclusive")

    @staticmethod
    def interrupted(pool: LocalPool, after: int) -> Callable[..., Any]:
        wait, calls = pool.wait, iter(range(after))

        def interrupt(tickets: Any, seconds: float) -> Any:
            if next(calls, None) is None:
                raise KeyboardInterrupt
            return wait(tickets, seconds)

        return interrupt


if __name__ == "__main__":
    unittest.main()
