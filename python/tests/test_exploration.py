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
from threadbare_ray.pool import Failure
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

    def explore(self, loses: Callable[[int], bool] = lambda _: False) -> Any:
        self.pool._loses = loses
        progress = Progress()
        Exploration(self.checker, str(FAKE), self.pool, self.directory, self.settings, progress).run()
        return json.loads((self.directory / checkpoint.STATE).read_text())


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

    def test_the_first_units_are_shared_by_threads_and_short(self) -> None:
        self.run_with({})
        first, last = self.run_.pool.orders[0].command, self.run_.pool.orders[-1].command
        self.assertEqual(first[first.index("--budget") + 1], "0.500")
        self.assertEqual(first[first.index("--jobs") + 1], "6")
        self.assertLessEqual(len(self.run_.pool.orders[0].files["unit.json"]), 300)
        self.assertEqual(last[1], "work")

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
