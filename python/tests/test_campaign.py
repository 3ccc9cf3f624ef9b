"""The loop of `fuzz`, without Ray and without `threadbare`."""

from __future__ import annotations

import json
import unittest
from typing import Any, Sequence
from unittest import mock

from threadbare_ray.campaign import Campaign, Seeds
from threadbare_ray.pool import Answer, Cost, Failure, Loss, Order
from threadbare_ray.progress import Progress


class SeedPool:
    """Answers for `fuzz`: some seeds are wrong, some orders are lost."""

    def __init__(self, wrong: Sequence[int] = (), lost: Sequence[int] = (), status: int = 1) -> None:
        self.wrong, self.lost, self.status = wrong, lost, status
        self.orders: list[Order] = []
        self.answered: list[int] = []

    def slots(self, cores: int) -> int:
        return 2

    def nodes(self) -> int:
        return 1

    def start(self, order: Order) -> int:
        self.orders.append(order)
        return len(self.orders) - 1

    def wait(self, tickets: Sequence[int], seconds: float) -> list[tuple[Any, Answer | Loss]]:
        # Not in order.
        return [(ticket, self.answer(ticket)) for ticket in sorted(tickets)[:3][-1:]]

    def cancel(self, tickets: Sequence[Any]) -> None:
        pass

    def answer(self, ticket: int) -> Answer | Loss:
        if ticket in self.lost:
            return Loss("the node died")
        words = self.orders[ticket].command
        first, runs = int(words[words.index("--seed") + 1]), int(words[words.index("--runs") + 1])
        found = [seed for seed in self.wrong if first <= seed < first + runs]
        self.answered += range(first, first + runs)
        result = {"program": "p.c", "runs": runs, "events": 10 * runs, "seconds": {"exploration": runs / 8}}
        result["found"] = [{"seed": seed} for seed in found]
        return Answer(self.status if found else 0, json.dumps(result), "error: no such file", Cost("here", 0.0, 0.1, 0.1))


def campaign(pool: SeedPool, seeds: Seeds) -> Campaign:
    return Campaign("threadbare", pool, ["p.c", "--", "-DN=2"], seeds, None, 10.0, 1, None, Progress())


class CampaignTest(unittest.TestCase):
    def setUp(self) -> None:
        patch = mock.patch.object(Progress, "say")
        patch.start()
        self.addCleanup(patch.stop)

    def test_every_seed_is_run_once(self) -> None:
        pool = SeedPool(lost=[1, 3])
        run = campaign(pool, Seeds(100, 1000))
        self.assertIsNone(run.run())
        self.assertEqual(sorted(pool.answered), list(range(100, 1100)))
        self.assertEqual(run.summary("full"), "p.c: no violation found — 1000 runs from seed 100, 10000 events; that proves nothing")
        self.assertEqual(json.loads(run.summary("json"))["runs"], 1000)

    def test_ranges_grow_to_the_budget(self) -> None:
        pool = SeedPool()
        campaign(pool, Seeds(0, 1000)).run()
        words = [order.command for order in pool.orders]
        runs = [int(it[it.index("--runs") + 1]) for it in words]
        self.assertEqual((runs[0], max(runs)), (16, 80))
        self.assertEqual(words[0][-2:], ("--", "-DN=2"))

    def test_the_smallest_seed_is_reported_whichever_is_found_first(self) -> None:
        pool = SeedPool(wrong=[5, 20, 40])
        self.assertEqual(campaign(pool, Seeds(0, 1000)).run(), Seeds(5, 1))
        self.assertLess(max(pool.answered), 200)

    def test_a_range_before_the_violation_that_is_lost_is_run_again(self) -> None:
        pool = SeedPool(wrong=[5, 20], lost=[0])
        self.assertEqual(campaign(pool, Seeds(0, 1000)).run(), Seeds(5, 1))

    def test_an_error_ends_it(self) -> None:
        with self.assertRaisesRegex(Failure, "no such file"):
            campaign(SeedPool(wrong=[0], status=2), Seeds(0, 10)).run()

    def test_flags_for_clang_come_last(self) -> None:
        words = Seeds(7, 1).arguments(["p.c", "--", "-DN=2"], "--format", "json")
        self.assertEqual(words, ["p.c", "--seed", "7", "--runs", "1", "--format", "json", "--", "-DN=2"])


if __name__ == "__main__":
    unittest.main()
