"""Checkpoints: a state and its program, in files that outlive the run.

The program is beside the state under the name that the state has for it, so `threadbare work`, `threadbare merge` and
`--resume` find it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from threadbare_ray.pool import Failure

STATE = "state.json"


def save(directory: Path, checkpoint: Path) -> None:
    """Copy the state of a working directory, and its program unless it is there."""
    program = directory / _program_of(directory / STATE)
    beside = checkpoint.with_name(program.name)
    if not beside.exists():
        _replace(program, beside)
    _replace(directory / STATE, checkpoint)


def refuse_other(directory: Path, checkpoint: Path) -> None:
    """Refuse a place where the checkpoint of another program is."""
    program = directory / _program_of(directory / STATE)
    beside = checkpoint.with_name(program.name)
    if beside.exists() and beside.read_bytes() != program.read_bytes():
        raise Failure(f"{beside} is another program: choose another directory for {checkpoint.name}")


def load(checkpoint: Path, directory: Path) -> None:
    """Copy a checkpoint into a working directory."""
    try:
        program = _program_of(checkpoint)
        shutil.copyfile(checkpoint, directory / STATE)
        shutil.copyfile(checkpoint.with_name(program), directory / program)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failure(f"cannot resume from {checkpoint}: {error}") from error


def _program_of(state: Path) -> str:
    program = json.loads(state.read_text(encoding="utf-8"))["unit"]["program"]
    return Path(program).name


def _replace(source: Path, target: Path) -> None:
    """Copy a file so that a reader finds the old one or the new one, whole."""
    handle, temporary = tempfile.mkstemp(prefix=".threadbare-", dir=target.parent)
    try:
        with open(source, "rb") as reader, os.fdopen(handle, "wb") as writer:
            shutil.copyfileobj(reader, writer)
            os.fsync(writer.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
