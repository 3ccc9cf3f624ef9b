"""The head start, with a fake `threadbare`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from threadbare_ray import checkpoint
from threadbare_ray.checker import Checker
from threadbare_ray.head_start import HeadStart

FAKE = Path(__file__).with_name("fake_threadbare.py")


class HeadStartTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory, self.checker = Path(temporary.name), Checker(FAKE)
        # The fake runs in this Python.
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        patch = mock.patch.dict(os.environ, {"FAKE_SIZE": "150", "PATH": path})
        patch.start()
        self.addCleanup(patch.stop)
        self.checker.write_units(["numbers.c"], self.directory)

    def state(self) -> Any:
        return json.loads((self.directory / checkpoint.STATE).read_text())

    def test_its_result_is_in_the_state(self) -> None:
        with HeadStart(self.checker, self.directory, 2, "1G", 5.0) as head_start:
            head_start._process.wait()
        self.assertEqual(self.state()["unit"]["left"], ["10-80", "80-150"])
        self.assertEqual(self.state()["executions"]["complete"], 10)

    def test_it_is_merged_once(self) -> None:
        with HeadStart(self.checker, self.directory, 2, None, None) as head_start:
            head_start._process.wait()
            head_start.end()
            self.assertEqual(self.state()["executions"]["complete"], 10)
        self.assertEqual(self.state()["executions"]["complete"], 10)

    def test_nothing_is_lost_if_it_is_killed_or_fails(self) -> None:
        before = self.state()
        with HeadStart(self.checker, self.directory, 2, None, None) as head_start:
            head_start._process.kill()
        with mock.patch.dict(os.environ, {"FAKE_ERROR": "1"}):
            with HeadStart(self.checker, self.directory, 2, None, None) as head_start:
                self.assertEqual(head_start._process.wait(), 2)
        self.assertEqual(self.state(), before)


if __name__ == "__main__":
    unittest.main()
