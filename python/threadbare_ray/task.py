"""A task: a command of `threadbare` that runs on a node.

This module is sent to the nodes as a value, so that these need Ray and nothing of this package. Files that all tasks have in
common come from Ray's object store; a worker process writes them once, into a directory of its own.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import subprocess
import tempfile
import time
from typing import Any, Mapping, Sequence

# The directory of this process, once there is one, and the files in it that all tasks have in common, by their names.
_directories: list[str] = []
_written: dict[str, Any] = {}
_open: list[Any] = []


def run(
    common: Mapping[str, Any], files: Mapping[str, str], command: Sequence[str], cwd: str | None
) -> tuple[int, str, str, tuple[str, float, float, float]]:
    """Run a command in the directory of this process, or in `cwd`. Returns its exit status, stdout and stderr, and what it
    has cost: the worker, the time when it began and how long it took on the clock of the worker, and the seconds of a core.

    `common` has references to objects by file name, `files` the texts of files of this task. The first word of the command
    is a program in the directory if there is such a file.
    """
    begin, cores = time.time(), _core_seconds()
    directory = _directory()
    for name, reference in common.items():
        _write_once(directory, name, reference)
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    status, output, message = execute(directory, command, cwd)
    worker = f"{socket.gethostname()}:{os.getpid()}"
    return status, output, message, (worker, begin, time.time() - begin, _core_seconds() - cores)


def execute(directory: str, command: Sequence[str], cwd: str | None) -> tuple[int, str, str]:
    """Run a command; it ends when this process ends, whatever ends it."""
    own = os.path.join(directory, command[0])
    words = [own if os.path.exists(own) else command[0], *command[1:]]
    with start(words, cwd or directory, subprocess.PIPE) as process:
        try:
            output, message = process.communicate()
        except BaseException:
            # This task was cancelled.
            process.kill()
            raise
    return process.returncode, _text(output), _text(message)


def start(words: Sequence[str], cwd: str, output: int) -> subprocess.Popen[bytes]:
    """Start a command that ends when this process ends, whatever ends it. Ctrl-C is not for it."""
    prctl = ctypes.CDLL(None).prctl
    return subprocess.Popen(
        words,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        # PR_SET_PDEATHSIG is 1. A node that is lost must not go on with a unit that is explored elsewhere.
        preexec_fn=lambda: prctl(1, signal.SIGKILL),
    )


def _text(output: bytes) -> str:
    return output.decode("utf-8", errors="replace")


def _core_seconds() -> float:
    """What the commands of this process have used of cores."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _directory() -> str:
    if not _directories:
        directory = tempfile.mkdtemp(prefix="threadbare-ray-")
        _directories.append(directory)
        _remove_after(directory)
    return _directories[0]


def _remove_after(directory: str) -> None:
    """Remove a directory when this process has ended, whatever ends it: a shell waits for that.

    It is in the background of another shell, for Ray kills the children of a worker that ends.
    """
    script = 'exec 3<&0; { read _ <&3; rm -rf "$0"; } >/dev/null 2>&1 &'
    waiting = subprocess.Popen(["sh", "-c", script, directory], stdin=subprocess.PIPE, start_new_session=True)
    waiting.wait()
    # The pipe must stay open as long as this process lives.
    _open.append(waiting)


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
