"""A pool: what the loops need of a cluster. Ray is one; tests have another."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import time
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Protocol, Sequence

from threadbare_ray import task


class Failure(Exception):
    """An error that ends the run, for the user."""


@dataclass(frozen=True)
class Order:
    """A command to be run somewhere, with the files that it needs."""

    command: tuple[str, ...]
    files: Mapping[str, str]
    # How many cores it uses.
    cores: int = 1
    # Where to run it, if not in a directory of the worker.
    directory: str | None = None


@dataclass(frozen=True)
class Cost:
    """What a command has cost: its worker, when it began and how long it took on the clock of that, the seconds of a core."""

    worker: str
    begin: float
    seconds: float
    cores: float


@dataclass(frozen=True)
class Answer:
    """What a command has said."""

    status: int
    output: str
    message: str
    cost: Cost


@dataclass(frozen=True)
class Loss:
    """A command that came to no end: its worker or its node died."""

    reason: str


class Pool(Protocol):
    """Where commands run."""

    def slots(self, cores: int) -> int:
        """How many commands run at a time, if each uses so many cores."""
        ...

    def nodes(self) -> int:
        """How many machines there are."""
        ...

    def start(self, order: Order) -> Any:
        """Run a command, now or when there is room. Returns its ticket."""
        ...

    def wait(self, tickets: Sequence[Any], seconds: float) -> list[tuple[Any, Answer | Loss]]:
        """Those that have come to an end, after this time at the latest."""
        ...

    def cancel(self, tickets: Sequence[Any]) -> None:
        """End these commands; they have no answer."""
        ...


class RayPool:
    """A Ray cluster.

    Ray itself retries nothing: what is lost is handed out again by the loops, perhaps cut in other pieces.
    """

    # How long to believe Ray's own numbers, in seconds: each question goes to the head node.
    FRESH = 5.0
    # How long to wait for the first worker, in seconds.
    START = 30.0

    def __init__(self, common: Mapping[str, bytes]) -> None:
        import ray

        self._ray = ray
        ray.cloudpickle.register_pickle_by_value(task)
        self._run = ray.remote(max_retries=0)(task.run)
        self._common = {name: ray.put(content) for name, content in common.items()}
        self._known: tuple[float, list[int]] | None = None

    def slots(self, cores: int) -> int:
        return sum(node // cores for node in self._cores())

    def nodes(self) -> int:
        return len(self._cores())

    def refuse_without_room(self, cores: int) -> None:
        """Refuse commands that no node has cores for: they would wait for ever."""
        largest = max(self._cores(), default=0)
        if 0 < largest < cores:
            raise Failure(f"no node has {cores} cores: the largest has {largest}")

    def warm_up(self, cores: int) -> None:
        """Have all workers start, and wait until one of them has, and has the files; not for ever."""
        orders = [Order(("true",), {}, cores)] * max(1, self.slots(cores))
        self.wait([self.start(order) for order in orders], self.START)

    def start(self, order: Order) -> Any:
        run = self._run.options(num_cpus=order.cores)
        return run.remote(self._common, dict(order.files), list(order.command), order.directory)

    def wait(self, tickets: Sequence[Any], seconds: float) -> list[tuple[Any, Answer | Loss]]:
        if not tickets:
            time.sleep(seconds)
            return []
        self._ray.wait(list(tickets), num_returns=1, timeout=seconds)
        ready, _ = self._ray.wait(list(tickets), num_returns=len(tickets), timeout=0)
        return [(ticket, self._answer(ticket)) for ticket in ready]

    def cancel(self, tickets: Sequence[Any]) -> None:
        for ticket in tickets:
            # Ray raises errors for tasks that have just ended, or whose node is gone.
            with contextlib.suppress(Exception):
                self._ray.cancel(ticket, force=False)

    def _answer(self, ticket: Any) -> Answer | Loss:
        try:
            status, output, message, cost = self._ray.get(ticket)
            return Answer(status, output, message, Cost(*cost))
        except self._ray.exceptions.RayError as error:
            self._known = None
            return Loss(self._reason(error))

    def _reason(self, error: Exception) -> str:
        """An error in one sentence. Ray's own ones go on with advice; those of a task end with what was raised there."""
        lines = str(error).strip().splitlines() or [repr(error)]
        is_raised = isinstance(error, self._ray.exceptions.RayTaskError)
        return lines[-1] if is_raised else lines[0].split(". ")[0]

    def _cores(self) -> list[int]:
        """The cores of each node."""
        now = time.monotonic()
        if self._known is None or now - self._known[0] > self.FRESH:
            alive = [node for node in self._ray.nodes() if node["Alive"]]
            self._known = (now, [int(node["Resources"].get("CPU", 0)) for node in alive])
        return self._known[1]


@contextlib.contextmanager
def connect(address: str, workers: int | None) -> Iterator[None]:
    """Connect to a cluster, or start one on this machine if the address is `local`."""
    import ray

    how: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if address == "local":
        how.update(num_cpus=workers or os.cpu_count(), include_dashboard=False)
    # Ray prints the last lines of a dead node's log to stdout, which is for the report alone.
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            _knock(address)
            ray.init(**how)
        except (OSError, ValueError, RuntimeError) as error:
            # Something listens there. Ray does not say that it wants a token.
            is_refused = isinstance(error, ConnectionError) and "RAY_AUTH_MODE" not in os.environ
            hint = " (RAY_AUTH_MODE=token if the cluster has tokens)" if is_refused else ""
            raise Failure(f"cannot connect to a Ray cluster at `{address}`: {error}{hint}") from error
        try:
            yield
        finally:
            ray.shutdown()


def _knock(address: str) -> None:
    """Raise an error at once if nothing listens at HOST:PORT. Ray itself tries for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in address:
        return
    import ray

    if host in ("127.0.0.1", "localhost"):
        # That is where Ray looks instead.
        host = ray.util.get_node_ip_address()
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except OSError as error:
        raise OSError(f"{host}: {error.strerror or error}") from error
