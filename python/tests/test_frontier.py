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

    def test_subtrees_are_dealt_out_from_the_last_and_all_are_held(self) -> None:
        frontier = Frontier(state("a b c d e"))
        self.assertEqual(self.takes(frontier, 2), ["a c e", "b d"])
        self.assertEqual(self.takes(frontier, 2), [], "all of them are held")

    def test_there_are_no_more_units_than_subtrees(self) -> None:
        self.assertEqual(self.takes(Frontier(state("a b")), 8), ["b", "a"])
        self.assertEqual(self.takes(Frontier(state("a b")), 0), [])
        self.assertEqual(self.takes(Frontier(state("")), 8), [])

    def test_a_lost_unit_costs_nothing(self) -> None:
        frontier = Frontier(state("a b c"))
        first, _ = frontier.cut(2)
        frontier.release(first)
        self.assertEqual(frontier.free(), ["a", "c"])
        again = frontier.cut(1)[0]
        frontier.release(first)
        self.assertEqual(frontier.free(), [], "a unit releases only what it holds itself")
        self.assertNotEqual(first.number, again.number)

    def test_units_under_way_stay_when_others_are_merged(self) -> None:
        frontier = Frontier(state("a b"))
        second, first = frontier.cut(2)
        frontier.divide(first, ["a1", "a2"])
        self.assertEqual(frontier.update(state("a1 a2 b"), [first]), [])
        self.assertEqual(self.takes(frontier, 1), ["a1 a2"])
        frontier.release(second)
        self.assertEqual(frontier.free(), ["b"])

    def test_what_a_result_has_left_is_free_before_it_is_merged(self) -> None:
        frontier = Frontier(state("a b c"))
        _, second = frontier.cut(2)
        frontier.divide(second, ["b1", "b2"])
        self.assertEqual(frontier.free(), ["b1", "b2"])
        self.assertEqual(frontier.update(state("a b c"), []), [], "another result was merged, of which nothing is left")
        self.assertEqual(frontier.free(), ["b1", "b2"])

    def test_results_of_results_are_merged_in_any_portions(self) -> None:
        frontier = Frontier(state("a b"))
        _, first = frontier.cut(2)
        frontier.divide(first, ["a1", "a2"])
        _, second = frontier.cut(2)
        frontier.divide(second, ["a11"])
        self.assertEqual(frontier.update(state("a1 a2 b"), [first]), [])
        self.assertEqual(frontier.free(), ["a11"], "the other half of the first one is held")
        self.assertEqual(frontier.update(state("a11 a2 b"), [second]), [])
        self.assertEqual(frontier.free(), ["a11"])

    def test_a_unit_that_took_everything_is_merged_before_its_rest_is_handed_out(self) -> None:
        frontier = Frontier(state("a"))
        unit = frontier.cut(2)[0]
        frontier.divide(unit, ["a1", "a2"])
        self.assertEqual(frontier.free(), [])
        self.assertEqual(frontier.update(state("a1 a2"), [unit]), [])
        self.assertEqual(frontier.free(), ["a1", "a2"])

    def test_after_a_restart_everything_is_stale(self) -> None:
        frontier = Frontier(state("a b c"))
        first, second, third = frontier.cut(3)
        frontier.divide(second, ["b1", "b2"])
        fourth = frontier.cut(1)[0]
        self.assertEqual(frontier.update(state("a", restarts=1), []), [second, first, third, fourth])
        self.assertEqual(frontier.free(), ["a"])

    def test_a_unit_with_a_subtree_that_is_gone_is_stale(self) -> None:
        frontier = Frontier(state("a b c"))
        first, second = frontier.cut(2)
        self.assertEqual(frontier.update(state("b c"), []), [first])
        self.assertEqual(frontier.free(), ["c"])

    def test_what_was_cut_of_a_stale_result_is_stale(self) -> None:
        frontier = Frontier(state("a b"))
        _, first = frontier.cut(2)
        frontier.divide(first, ["a1", "a2"])
        second = frontier.cut(1)[0]
        self.assertEqual(frontier.update(state("b"), []), [first, second])
        self.assertEqual(frontier.free(), [])

    def test_a_unit_has_the_seed_and_not_the_exploration(self) -> None:
        unit = json.loads(state("a b c").unit_of(["b"]))["unit"]
        self.assertEqual(unit, {"format": 1, "exploration": {"small": True}, "left": ["b"], "take": ["b"]})


if __name__ == "__main__":
    unittest.main()
