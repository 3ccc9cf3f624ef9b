"""The whole way, on a Ray cluster of three nodes on this machine, against `threadbare verify` and `threadbare fuzz`.

THREADBARE names the binary. Nodes are on a loopback address other than 127.0.0.1, which Ray would replace by the address of
the machine.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Collection, Sequence

from ray.cluster_utils import Cluster

ROOT = Path(__file__).resolve().parents[2]
THREADBARE = os.path.abspath(os.environ.get("THREADBARE", ROOT / "target/debug/threadbare"))
LOOPBACK = "127.0.0.2"
# Tens of seconds of a core: there is a checkpoint after the first one, so there is time to do something in between.
LONG = [str(ROOT / "tests/bench/readers.c"), "--no-symmetry", "--format", "json", "--", "-DN=25"]
# What must be the same on one machine and on several.
SAME = ("verdict", "reason", "model", "equivalence", "executions", "restarts", "violations")


def start(command: str, words: Sequence[str], address: str | None = None) -> subprocess.Popen[str]:
    """Start `threadbare-ray` on the cluster, or at another address."""
    own = ["--address", address or ClusterTest.cluster.address, "--threadbare", THREADBARE]
    line = [sys.executable, "-m", "threadbare_ray", command, *own, *words]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


def verify(words: Sequence[str]) -> subprocess.Popen[str]:
    """Start `threadbare-ray verify` so that nothing is explored outside of the cluster."""
    return start("verify", ["--no-head-start", *words])


@functools.cache
def long_alone() -> subprocess.CompletedProcess[str]:
    return alone("verify", LONG)


def alone(command: str, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([THREADBARE, command, *words], capture_output=True, encoding="utf-8")


def stat(process: int) -> tuple[str, str, int]:
    """The name, the state and the parent of a process."""
    name, _, rest = Path(f"/proc/{process}/stat").read_text().rpartition(")")
    state, parent = rest.split()[:2]
    return name.partition("(")[2], state, int(parent)


def units_of(raylets: Collection[int]) -> dict[int, int]:
    """The processes of units under way, each with the raylet of its node."""
    parents, units = {}, []
    for process in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        # It may have ended in the meantime.
        with contextlib.suppress(OSError):
            name, _, parents[process] = stat(process)
            if name == "threadbare":
                units.append(process)
    above = {unit: parents.get(parents[unit], 0) for unit in units}
    return {unit: raylet for unit, raylet in above.items() if raylet in raylets}


def stop(process: int) -> bool:
    """Stop a process; whether there was time to."""
    try:
        os.kill(process, signal.SIGSTOP)
        while stat(process)[1] not in "TZX":
            time.sleep(0.01)
        return stat(process)[1] == "T"
    except OSError:
        return False


class ClusterTest(unittest.TestCase):
    maxDiff = None
    cluster: Cluster
    others: list[Any]

    @classmethod
    def setUpClass(cls) -> None:
        node: dict[str, Any] = {"num_cpus": 1, "node_ip_address": LOOPBACK}
        cls.cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        cls.addClassCleanup(cls.cluster.shutdown)
        cls.others = [cls.cluster.add_node(**node) for _ in range(2)]

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.checkpoint = Path(temporary.name) / "kept.json"

    def end(self, process: subprocess.Popen[str]) -> tuple[int, dict[str, Any], str]:
        output, message = process.communicate(timeout=300)
        try:
            return process.returncode, json.loads(output), message
        except ValueError:
            self.fail(f"exit status {process.returncode}, stdout {output!r}, stderr {message!r}")

    def wait_for_the_middle(self, process: subprocess.Popen[str]) -> None:
        """Until some of it was explored, and some is left."""
        while not self.checkpoint.exists():
            self.assertIsNone(process.poll(), "it is under way")
            time.sleep(0.05)
        state = json.loads(self.checkpoint.read_text())
        self.assertFalse(state["unit"]["is_over"], "the program is long enough")
        self.assertGreater(state["executions"]["complete"], 0)

    def kill_a_node_at_work(self) -> None:
        """Kill a node that explores a unit; the unit is stopped first, so that it cannot come to its end before."""
        raylets = {node.all_processes["raylet"][0].process.pid: node for node in self.others}
        for _ in range(30000):
            for unit, raylet in units_of(raylets).items():
                if stop(unit):
                    self.others.remove(raylets[raylet])
                    self.cluster.remove_node(raylets[raylet], allow_graceful=False)
                    return
            time.sleep(0.02)
        self.fail("no node has explored anything in ten minutes")

    def assert_same(self, status: int, result: dict[str, Any], expected: subprocess.CompletedProcess[str]) -> None:
        of_one = json.loads(expected.stdout)
        self.assertEqual(status, expected.returncode)
        self.assertEqual({name: result[name] for name in SAME}, {name: of_one[name] for name in SAME})

    def test_a_killed_node_costs_only_time(self) -> None:
        process = verify(["--checkpoint", str(self.checkpoint), *LONG])
        self.wait_for_the_middle(process)
        self.kill_a_node_at_work()
        status, result, message = self.end(process)
        self.assert_same(status, result, long_alone())
        self.assertIn("a unit was lost and is explored again", message)

    def test_a_run_that_was_ended_is_resumed(self) -> None:
        process = verify(["--checkpoint", str(self.checkpoint), *LONG])
        self.wait_for_the_middle(process)
        process.send_signal(signal.SIGINT)
        status, result, _ = self.end(process)
        self.assertEqual((status, result["verdict"]), (130, "inconclusive"))
        status, result, _ = self.end(verify(["--resume", str(self.checkpoint), "--format", "json"]))
        self.assert_same(status, result, long_alone())

    def test_on_the_cores_of_this_machine_which_has_a_head_start(self) -> None:
        log = self.checkpoint.with_name("log")
        status, result, message = self.end(start("verify", ["--workers", "2", "--log", str(log), *LONG], address="local"))
        self.assert_same(status, result, long_alone())
        self.assertEqual(message, "")
        events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
        self.assertEqual(events[:2], ["connected", "head start is over"])
        self.assertEqual(events[-2:], ["explored", "disconnected"])

    def test_violations_and_restarts_are_the_same(self) -> None:
        for words in (
            [str(ROOT / "examples/mp_relaxed.c"), "--format", "json"],
            [str(ROOT / "tests/locks/ticketlock.c"), "--keep-going", "--format", "json", "--", "-DBUG"],
            [str(ROOT / "tests/right/reference_count_again.c"), "--format", "json"],
            [str(ROOT / "tests/locks/treiber_stack.c"), "--format", "json"],
        ):
            with self.subTest(program=words[0]):
                status, result, _ = self.end(verify(words))
                self.assert_same(status, result, alone("verify", words))

    def test_errors_are_passed_on(self) -> None:
        for words in (["no-such-file.c"], [str(ROOT / "examples/mp.c"), "--no-such-option"]):
            process = start("verify", words)
            _, message = process.communicate(timeout=300)
            expected = alone("verify", words)
            self.assertEqual((process.returncode, message.split("\n")[0]), (2, expected.stderr.split("\n")[0]))

    def test_an_address_where_nothing_listens_is_an_error(self) -> None:
        line = [sys.executable, "-m", "threadbare_ray", "verify", str(ROOT / "examples/mp.c"), "--threadbare", THREADBARE]
        done = subprocess.run([*line, "--address", f"{LOOPBACK}:1"], capture_output=True, encoding="utf-8", timeout=300)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("cannot connect", done.stderr)

    def test_a_campaign_reports_what_one_process_finds_first(self) -> None:
        words = [str(ROOT / "tests/locks/ticketlock.c"), "--runs", "200", "--format", "json", "--", "-DBUG"]
        status, result, _ = self.end(start("fuzz", words))
        self.assert_same(status, result, alone("fuzz", words))
        right = [str(ROOT / "examples/mp.c"), "--runs", "100", "--format", "json"]
        status, result, _ = self.end(start("fuzz", right))
        self.assertEqual((status, result["verdict"], result["runs"]), (0, "no-violation", 100))


if __name__ == "__main__":
    unittest.main()
