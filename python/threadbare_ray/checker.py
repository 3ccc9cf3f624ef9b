"""The `threadbare` command on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from threadbare_ray.pool import Failure

# The exit status of a usage, input or internal error.
ERROR = 2


@dataclass(frozen=True)
class Checker:
    """A binary of Threadbare."""

    path: Path

    @staticmethod
    def find(name: str) -> Checker:
        """The binary of this name or path."""
        path = shutil.which(name)
        if path is None:
            raise Failure(f"there is no command `{name}`: say where Threadbare is with --threadbare PATH")
        return Checker(Path(path).resolve())

    def write_units(self, arguments: Sequence[str], directory: Path) -> int:
        """Compile, and write the program and the first state into the directory. Returns the exit status."""
        words, cflags = split(arguments)
        return self.show(["verify", *words, "--units", str(directory), *cflags])

    def merge(self, state: Path, results: Sequence[Path]) -> None:
        """Add results to the state in a file."""
        files = [str(file) for file in results]
        done = self._run(["merge", str(state), *files, "--output", str(state), "--format", "json"], subprocess.PIPE)
        if done.returncode not in (0, 1, 3):
            raise Failure(f"`threadbare merge` failed: {done.stderr.strip()}")

    def show(self, arguments: Sequence[str]) -> int:
        """Run a command whose output is ours. Returns its exit status."""
        sys.stdout.flush()
        sys.stderr.flush()
        return self._run(arguments, None).returncode

    def _run(self, arguments: Sequence[str], output: int | None) -> subprocess.CompletedProcess[str]:
        # In a session of its own it does not get the Ctrl-C that is meant for this process.
        return subprocess.run(
            [str(self.path), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            encoding="utf-8",
            start_new_session=True,
        )


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """What comes before `--`, and the rest with it."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    return words[:end], words[end:]
