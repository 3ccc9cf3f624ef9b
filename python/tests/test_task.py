"""What runs on a node: a command that is cancelled has an answer."""

from __future__ import annotations

import _thread
import os
import signal
import tempfile
import threading
import unittest

from threadbare_ray import task


class TaskTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def shell(self, script: str) -> tuple[int, str, str]:
        return task.execute(self.directory, ["sh", "-c", script], None)

    def test_status_and_texts_come_back(self) -> None:
        self.assertEqual(self.shell("echo out; echo err >&2; exit 3"), (3, "out\n", "err\n"))

    def test_a_command_that_is_cancelled_is_told_to_end_and_has_an_answer(self) -> None:
        ready = os.path.join(self.directory, "ready")
        os.mkfifo(ready)

        def cancel() -> None:
            # Ray does the same, when the command is under way.
            with open(ready) as file:
                file.read()
            _thread.interrupt_main()

        threading.Thread(target=cancel).start()
        before = signal.getsignal(signal.SIGINT)
        script = "trap 'echo rest; exit 143' TERM; echo > ready; while :; do sleep 0.01; done"
        self.assertEqual(self.shell(script), (143, "rest\n", ""))
        self.assertIs(signal.getsignal(signal.SIGINT), before)


if __name__ == "__main__":
    unittest.main()
