"""The frontier: subtrees are held by one unit at a time, and are free again when it is lost."""

from __future__ import annotations

import json
import unittest

from threadbare_ray.frontier import Frontier
from threadbare_ray.state import State


def state(left: str, restarts: int = 0) -> State:
    unit = {"format": 1, "seed": {"small": True}, "exploration": {"large": True}, "left": left.split(), "told": {}}
    return State(tuple(left.split()), False, restarts, 0, unit)


class FrontierTest(unittest.TestCase):
    def takes(self, frontier: Frontier, count: int) -> list[str]:
        return [" ".join(unit.take) for unit in frontier.cut(count)]

    def test_units_are_cut_in_order_and_hold_everything(self) -> None:
        frontier = Frontier(state("a b c d e"))
        self.assertEqual(self.takes(frontier, 2), ["a b c", "d e"])
        self.assertEqual(self.takes(frontier, 2), [], "all of them are held")

    def test_there_are_no_more_units_than_subtrees(self) -> None:
        self.assertEqual(self.takes(Frontier(state("a b")), 8), ["a", "b"])
        self.assertEqual(self.takes(Frontier(state("a b")), 0), [])
        self.assertEqual(self.takes(Frontier(state("")), 8), [])

    def test_a_lost_unit_costs_nothing(self) -> None:
        frontier = Frontier(state("a b c"))
        first, _ = frontier.cut(2)
        frontier.release(first)
        self.assertEqual(frontier.free(), ["a", "b"])
        again = frontier.cut(1)[0]
        frontier.release(first)
        self.assertEqual(frontier.free(), [], "a unit releases only what it holds itself")
        self.assertNotEqual(first.number, again.number)

    def test_units_under_way_stay_when_others_are_merged(self) -> None:
        frontier = Frontier(state("a b"))
        first, second = frontier.cut(2)
        frontier.release(first)
        self.assertEqual(frontier.update(state("a1 a2 b")), [])
        self.assertEqual(self.takes(frontier, 1), ["a1 a2"])
        frontier.release(second)
        self.assertEqual(frontier.free(), ["b"])

    def test_after_a_restart_everything_is_stale(self) -> None:
        frontier = Frontier(state("a b"))
        units = frontier.cut(2)
        self.assertEqual(frontier.update(state("a", restarts=1)), units)
        self.assertEqual(frontier.free(), ["a"])

    def test_a_unit_with_a_subtree_that_is_gone_is_stale(self) -> None:
        frontier = Frontier(state("a b c"))
        first, second = frontier.cut(2)
        self.assertEqual(frontier.update(state("b c")), [first])
        self.assertEqual(frontier.free(), ["b"])

    def test_a_unit_has_the_seed_and_not_the_exploration(self) -> None:
        unit = json.loads(state("a b c").unit_of(["b"]))["unit"]
        self.assertEqual(unit, {"format": 1, "exploration": {"small": True}, "left": ["b"], "take": ["b"]})


if __name__ == "__main__":
    unittest.main()
