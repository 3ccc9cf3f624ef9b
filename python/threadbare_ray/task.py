"""A task: a command of `threadbare` that runs on a node.

This module is sent to the nodes as a value, so that these need Ray and nothing of this package. Files that all tasks have in
common come from Ray's object store; a worker process writes them once, into a directory of its own.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
from typing import Any, Mapping, Sequence

# Directories of worker processes begin with this, and the number of the process.
PREFIX = "threadbare-ray-"

# The directory of this process, once there is one, and the files in it that all tasks have in common, by their names.
_directories: list[str] = []
_written: dict[str, Any] = {}


def run(
    common: Mapping[str, Any], files: Mapping[str, str], command: Sequence[str], cwd: str | None
) -> tuple[int, str, str]:
    """Run a command in the directory of this process, or in `cwd`. Returns its exit status, stdout and stderr.

    `common` has references to objects by file name, `files` the texts of files of this task. The first word of the command
    is a program in the directory if there is such a file.
    """
    directory = _directory()
    for name, reference in common.items():
        _write_once(directory, name, reference)
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    return execute(directory, command, cwd)


def execute(directory: str, command: Sequence[str], cwd: str | None) -> tuple[int, str, str]:
    """Run a command; it ends when this process ends, whatever ends it."""
    own = os.path.join(directory, command[0])
    words = [own if os.path.exists(own) else command[0], *command[1:]]
    prctl = ctypes.CDLL(None).prctl
    done = subprocess.run(
        words,
        cwd=cwd or directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        # PR_SET_PDEATHSIG is 1. A node that is lost must not go on with a unit that is explored elsewhere.
        preexec_fn=lambda: prctl(1, signal.SIGKILL),
    )
    return done.returncode, done.stdout, done.stderr


def _directory() -> str:
    if not _directories:
        _sweep()
        directory = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        _directories.append(directory)
    return _directories[0]


def _write_once(directory: str, name: str, reference: Any) -> None:
    if _written.get(name) == reference:
        return
    import ray

    path = os.path.join(directory, name)
    with open(path + ".new", "wb") as file:
        file.write(ray.get(reference))
    os.chmod(path + ".new", 0o700)
    os.replace(path + ".new", path)
    _written[name] = reference


def _sweep() -> None:
    """Remove the directories of our processes that were killed."""
    for entry in os.scandir(tempfile.gettempdir()):
        number = entry.name.removeprefix(PREFIX).split("-")[0]
        is_dead = number.isdigit() and not os.path.exists(f"/proc/{number}")
        if entry.name.startswith(PREFIX) and is_dead:
            # Those of other users cannot be removed, and stay.
            shutil.rmtree(entry.path, ignore_errors=True)
