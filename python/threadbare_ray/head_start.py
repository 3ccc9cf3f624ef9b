"""A head start: this machine explores until there is a worker. Connecting to a cluster takes seconds, and starting one more.

What is left then is divided already, so there is something for all workers at once.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType

from threadbare_ray import checkpoint, task
from threadbare_ray.checker import Checker

# The longest time, in seconds. A worker is there much sooner.
LONGEST = 60.0


class HeadStart:
    """An exploration of the state in a working directory, from now on. Nothing is lost if it fails."""

    def __init__(self, checker: Checker, directory: Path, threads: int, memory: str | None, timeout: float | None) -> None:
        self._checker, self._state = checker, directory / checkpoint.STATE
        self._result = directory / "head-start.json"
        budget = LONGEST if timeout is None else min(LONGEST, timeout)
        words = [str(checker.path), "work", str(self._state), "--budget", f"{budget:.3f}", "--jobs", str(threads)]
        words += ["--output", str(self._result), *([] if memory is None else ["--memory", memory])]
        self._process = task.start(words, str(directory), subprocess.DEVNULL)

    def __enter__(self) -> HeadStart:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """End it, and put what came of it into the state."""
        self._process.terminate()
        self._process.wait()
        if self._result.exists():
            self._checker.merge(self._state, [self._result])
            self._result.unlink()
