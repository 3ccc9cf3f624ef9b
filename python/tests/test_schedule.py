"""Which units are stopped: a function of ages and numbers."""

from __future__ import annotations

import unittest

from threadbare_ray.schedule import PIECES, SHARE, YOUNGEST, to_stop, youngest


class ScheduleTest(unittest.TestCase):
    def test_nothing_is_stopped_while_all_workers_have_something_to_do(self) -> None:
        self.assertEqual(to_stop({"a": 9.0, "b": 9.0}, 0, 2, 1.0), [])
        self.assertEqual(to_stop({"a": 9.0, "b": 9.0, "c": 9.0}, 0, 2, 1.0), [])

    def test_the_oldest_is_stopped(self) -> None:
        self.assertEqual(to_stop({"a": 2.0, "b": 9.0}, 0, 3, 1.0), ["b"])

    def test_one_that_is_too_young_is_not(self) -> None:
        self.assertEqual(to_stop({"a": 0.5}, 0, 3, 1.0), [])
        self.assertEqual(to_stop({"a": 1.0}, 0, 3, 1.0), ["a"])

    def test_as_many_are_stopped_as_are_needed(self) -> None:
        ages = {number: 2.0 for number in range(100)}
        self.assertEqual(len(to_stop(ages, 0, 100 + PIECES - 1, 1.0)), 1)
        self.assertEqual(len(to_stop(ages, 0, 100 + PIECES, 1.0)), 2)
        self.assertEqual(len(to_stop(ages, 0, 10_000, 1.0)), 100)

    def test_those_that_were_stopped_before_will_leave_something(self) -> None:
        self.assertEqual(to_stop({"a": 2.0}, 1, 3, 1.0), [])
        self.assertEqual(to_stop({"a": 2.0}, 1, 2 + PIECES, 1.0), ["a"])

    def test_in_a_long_run_units_are_stopped_later(self) -> None:
        self.assertEqual(youngest(1.0, 0), YOUNGEST)
        self.assertEqual(youngest(1000.0, 0), 1000.0 * SHARE)

    def test_units_that_are_stopped_in_vain_have_more_time(self) -> None:
        self.assertEqual([youngest(1.0, in_vain) / YOUNGEST for in_vain in range(4)], [1, 2, 4, 8])


if __name__ == "__main__":
    unittest.main()
