"""The line on stderr, if it is a terminal: taken away before anything else is printed."""

from __future__ import annotations

import shutil
import sys
import time

# How often the line changes, in seconds.
TICK = 1.0


class Progress:
    """The line that says how far a run has come."""

    def __init__(self) -> None:
        self._is_watched = sys.stderr.isatty()
        self._start = time.monotonic()
        self._last = self._start
        self._is_shown = False

    def seconds(self) -> float:
        """The time since the start."""
        return time.monotonic() - self._start

    def show(self, text: str) -> None:
        """Show this text, and the seconds, if it is time for a new line."""
        now = time.monotonic()
        if not self._is_watched or now - self._last < TICK:
            return
        self._last = now
        line = f"{text}, {self.seconds():.0f} s"[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()
        self._is_shown = True

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.clear()
        print(f"threadbare-ray: {text}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._is_shown = False


def count(number: int, noun: str) -> str:
    """`1 unit`, `2 units`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
