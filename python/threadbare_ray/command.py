"""The command line: `threadbare-ray verify` and `threadbare-ray fuzz`.

Options that are not known here are Threadbare's own and go to it as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Callable, NoReturn, Sequence

from threadbare_ray import checkpoint
from threadbare_ray.campaign import Campaign, Seeds
from threadbare_ray.checker import ERROR, Checker, split
from threadbare_ray.exploration import Exploration, Settings
from threadbare_ray.head_start import HeadStart
from threadbare_ray.log import Log
from threadbare_ray.pool import Failure, RayPool, connect
from threadbare_ray.progress import Progress

# A command: its options, the arguments for Threadbare, the binary, the line on the terminal. Returns the exit status.
Run = Callable[[argparse.Namespace, list[str], Checker, Progress], int]

# The name of the binary on nodes, if it is sent there.
SENT = "threadbare"

VERIFY_HELP = """\
The file, the other options and the flags for clang are those of `threadbare verify`. The report and the exit status are those
of `threadbare merge`; 130 after Ctrl-C.

Examples:
  threadbare-ray verify queue.c -- -DN=4                      on the cores of this machine
  threadbare-ray verify queue.c --address auto --model ra     on the cluster that this machine belongs to
  threadbare-ray verify queue.c --checkpoint run/queue.json   write what is left from time to time
  threadbare-ray verify --resume run/queue.json               go on from there"""

FUZZ_HELP = """\
The file, the other options and the flags for clang are those of `threadbare fuzz`. Nodes compile the program themselves: they
need clang, and the file under the same path. The violation with the smallest seed is reported.

Examples:
  threadbare-ray fuzz server.c --runs 1000000 --address auto
  threadbare-ray fuzz server.c --time 3600 --strategy pct --address auto"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns the exit status."""
    words, cflags = split(sys.argv[1:] if arguments is None else arguments)
    known, passed_on = _parser().parse_known_args(words)
    ends: list[int] = []

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        # While Ray waits, it knows this exception and no other.
        ends.append(number)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    progress = Progress()
    try:
        checker = Checker.find(known.threadbare)
        run: Run = known.run
        return run(known, [*passed_on, *cflags], checker, progress)
    except Failure as failure:
        progress.clear()
        print(f"error: {failure}", file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        return 128 + ends[0]
    finally:
        progress.clear()


def _verify(known: argparse.Namespace, passed_on: list[str], checker: Checker, progress: Progress) -> int:
    with tempfile.TemporaryDirectory(prefix="threadbare-") as name:
        directory = Path(name)
        if known.resume is None:
            status = checker.write_units(passed_on, directory)
            if status != 0:
                return status
        elif passed_on:
            raise Failure(f"--resume goes on with the program and the options of the checkpoint: leave out {passed_on}")
        else:
            checkpoint.load(known.resume, directory)
        report = ["merge", str(directory / checkpoint.STATE), "--format", known.format]
        try:
            _explore(known, checker, directory, progress)
        except KeyboardInterrupt:
            progress.clear()
            checker.show(report)
            raise
        progress.clear()
        return checker.show(report)


def _explore(known: argparse.Namespace, checker: Checker, directory: Path, progress: Progress) -> None:
    target = known.checkpoint or known.resume
    if target is not None:
        checkpoint.refuse_other(directory, target)
    settings = Settings(
        budget=known.budget,
        workers=known.workers,
        jobs=known.jobs,
        memory=known.memory,
        timeout=known.timeout,
        checkpoint=target,
    )
    common = {"program.tbc": (directory / "program.tbc").read_bytes(), **_sent(known, checker)}
    log = Log(known.log, progress)
    with contextlib.ExitStack() as stack:
        head_start = None if known.no_head_start else stack.enter_context(_head_start(known, checker, directory))
        stack.enter_context(connect(known.address, _cores(known)))
        pool = _pool(known, common)
        log.write("connected")
        if head_start is not None:
            pool.warm_up(known.jobs)
            head_start.end()
            log.write("head start is over")
        Exploration(checker, _command(known), pool, directory, settings, progress, log).run()
    log.write("disconnected")


def _head_start(known: argparse.Namespace, checker: Checker, directory: Path) -> HeadStart:
    threads = _cores(known) or os.cpu_count() or 1
    return HeadStart(checker, directory, min(threads, os.cpu_count() or 1), known.memory, known.timeout)


def _fuzz(known: argparse.Namespace, passed_on: list[str], checker: Checker, progress: Progress) -> int:
    for option in ("--until-saturated", "--keep-going"):
        if option in passed_on:
            raise Failure(f"{option} is for a single process: leave it out")
    seeds = Seeds(known.seed, known.runs)
    with connect(known.address, _cores(known)):
        pool = _pool(known, _sent(known, checker))
        campaign = Campaign(
            _command(known), pool, passed_on, seeds, known.time, known.budget, known.jobs, known.workers, progress
        )
        shown = campaign.run()
    progress.clear()
    if shown is not None:
        return checker.show(["fuzz", *shown.arguments(passed_on, "--format", known.format)])
    print(campaign.summary(known.format))
    return 0


def _pool(known: argparse.Namespace, common: dict[str, bytes]) -> RayPool:
    pool = RayPool(common)
    pool.refuse_without_room(known.jobs)
    return pool


def _sent(known: argparse.Namespace, checker: Checker) -> dict[str, bytes]:
    return {} if known.threadbare_on_nodes else {SENT: checker.path.read_bytes()}


def _command(known: argparse.Namespace) -> str:
    return known.threadbare if known.threadbare_on_nodes else SENT


def _cores(known: argparse.Namespace) -> int | None:
    return None if known.workers is None else known.workers * known.jobs


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="threadbare-ray", description="Threadbare on a Ray cluster", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    verify = _add(commands, "verify", "explore every execution of a program", VERIFY_HELP)
    verify.set_defaults(run=_verify)
    verify.add_argument("--checkpoint", type=Path, metavar="FILE", help="write what is left to this file from time to time")
    verify.add_argument("--resume", type=Path, metavar="FILE", help="go on from this checkpoint, and write it on")
    verify.add_argument("--timeout", type=_positive, metavar="SECONDS", help="stop after this time: inconclusive")
    verify.add_argument("--memory", metavar="LIMIT", help="the memory of each unit, as `512M` or `2G`")
    verify.add_argument("--no-head-start", action="store_true", help="explore nothing here until there is a worker")
    verify.add_argument("--log", type=Path, metavar="FILE", help="write to this file where the time goes")
    fuzz = _add(commands, "fuzz", "random executions of a large program", FUZZ_HELP)
    fuzz.set_defaults(run=_fuzz)
    fuzz.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the first run (default: 0)")
    fuzz.add_argument("--runs", type=_count, metavar="N", help="make so many runs")
    fuzz.add_argument("--time", "--timeout", type=_positive, metavar="SECONDS", help="stop after this time")
    return parser


def _add(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, more: str) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=text,
        description=text.capitalize(),
        usage=f"threadbare-ray {name} FILE [OPTIONS] [-- CFLAGS...]",
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("--address", default="local", help="`auto`, HOST:PORT of the head node, or `local`: this machine (default)")
    command.add_argument("--budget", type=_positive, default=10.0, metavar="SECONDS", help="the longest time of a unit (default: 10)")
    command.add_argument("--workers", type=_count, metavar="N", help="units at a time (default: as many as there are cores)")
    command.add_argument("--jobs", type=_count, default=1, metavar="N", help="threads and cores of each unit (default: 1)")
    command.add_argument("--threadbare", default="threadbare", metavar="PATH", help="the `threadbare` command")
    command.add_argument("--threadbare-on-nodes", action="store_true", help="nodes have that command: do not send it")
    command.add_argument("--format", default="full", choices=["full", "concise", "json"], help="how to print the result")
    return command


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("expected a number of seconds")
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected a number, 1 at least")
    return number
