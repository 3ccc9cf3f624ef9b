"""The log: where the time of a run goes, a JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path

from threadbare_ray.pool import Failure
from threadbare_ray.progress import Progress


class Log:
    """A log in a file, or none."""

    def __init__(self, file: Path | None, progress: Progress) -> None:
        self._file, self._progress = file, progress
        if file is not None:
            try:
                file.write_text("")
            except OSError as error:
                raise Failure(f"cannot write the log {file}: {error.strerror}") from error

    def write(self, event: str, **facts: object) -> None:
        """Something has happened now; `at` is in seconds since the command began."""
        if self._file is not None:
            line = {"event": event, "at": round(self._progress.seconds(), 3), **facts}
            with open(self._file, "a", encoding="utf-8") as file:
                print(json.dumps(line), file=file)
