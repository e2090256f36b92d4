"""workers/timing.py with a clock of its own: how many rounds it makes of the time that there is."""

import functools
import itertools
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2] / "workers"))
import timing


class Clock:
    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def perf_counter_ns(self):
        return round(self.now * 1e9)

    process_time_ns = perf_counter_ns


CPU = {"clock": "cpu_ms", "clear": 1.01, "slow_ms": 200}
WALL = CPU | {"clock": "wall_ms"}


def run(load_seconds, run_seconds, deadline, *, max_seconds=20, pairs=60, one_at_a_time=False, second=None, settle=None):
    """What time_targets reports of two targets, equal unless a run of the second takes `second` (a list: load by load), and
    when it ended."""
    clock = Clock()

    def advance(seconds):
        clock.now += seconds

    def opener(*seconds):
        of_load = itertools.cycle(seconds)

        def open_target():
            advance(load_seconds)
            return functools.partial(advance, next(of_load)), None
        return open_target

    with mock.patch.object(timing, "time", clock):
        report = timing.time_targets(
            [timing.Target(opener(run_seconds)), timing.Target(opener(*(second if isinstance(second, list) else [second or run_seconds])))],
            timing.Amounts(min_rounds=min(pairs, 20), max_rounds=pairs, max_seconds=max_seconds, min_sample_ms=1,
                           deadline_seconds=deadline), settle=settle, one_at_a_time=one_at_a_time)
    return report, clock.now


class Rounds(unittest.TestCase):
    def test_are_spread_over_loads_where_there_is_time(self):
        report, seconds = run(0.1, 0.01, 60)
        self.assertGreaterEqual(len(set(report["loads"])), 6)
        self.assertGreaterEqual(report["rounds"], 20)
        self.assertLess(seconds, 25)

    def test_are_fewer_in_a_load_where_six_loads_just_fit(self):
        report, seconds = run(0.5, 0.2, 15)
        self.assertGreaterEqual(len(set(report["loads"])), 6)
        self.assertLessEqual(seconds, 15)

    def test_are_done_in_one_load_where_loads_leave_too_few(self):
        report, seconds = run(5, 1.5, 36)
        self.assertEqual((report["rounds"], set(report["loads"])), (7, {0}))
        self.assertLessEqual(seconds, 36, "it ends with the round that is complete")
        self.assertEqual(run(5, 1.5, 36, pairs=5)[0]["rounds"], 5)

    def test_of_models_that_are_loaded_one_after_the_other_leave_time_for_the_last(self):
        report, seconds = run(9, 3.5, 80, one_at_a_time=True)
        self.assertEqual(report["rounds"], 7)
        self.assertLessEqual(seconds, 80)
        report, seconds = run(9, 3.5, 60, one_at_a_time=True)
        self.assertEqual(report["rounds"], 5, "fewer, and as many of each")
        self.assertLessEqual(seconds, 60)

    def test_no_load_is_begun_that_cannot_end(self):
        report, seconds = run(5, 1.5, 48, pairs=6)
        self.assertEqual(report["rounds"], 6)
        self.assertLess(seconds, 40)

    def test_of_short_runs_are_as_long_as_loading_suggests_where_a_pair_is_to_be_told_apart(self):
        for settle, load_seconds, milliseconds in ((CPU, 0.02, 2), (CPU, 0.001, 1), (CPU, 1, 5), (None, 0.02, 1)):
            report, seconds = run(load_seconds, 0.0001, 600, settle=settle)
            self.assertEqual(report["targets"][0]["repeats"], 10 * milliseconds, (settle, load_seconds))
            loads = len(set(report["loads"]))
            self.assertLess(seconds, 2 * load_seconds * loads * 1.75 + 0.05, "half of what loading takes")
        self.assertEqual(run(0.02, 0.01, 600, settle=CPU)[0]["targets"][0]["repeats"], 1, "a longer run is a sample")

    def test_of_longer_samples_fit_the_time_too(self):
        report, seconds = run(0.5, 0.0001, 7, settle=CPU)
        self.assertLessEqual(seconds, 7)
        self.assertGreaterEqual(len(set(report["loads"])), 3)

    def test_end_where_all_loads_say_the_same(self):
        for second, loads in ((0.009, 6), (0.012, 3), (0.01, 3), (0.00995, 6)):
            report, _ = run(0.1, 0.01, 600, second=second, settle=CPU)
            self.assertEqual(len(set(report["loads"])), loads, second)
        self.assertEqual(len(set(run(0.1, 0.01, 600, second=0.009)[0]["loads"])), 12, "only where it is asked for")


class WarmUps(unittest.TestCase):
    def runs(self, seconds, second_differs, count=3, most_seconds=2):
        clock, runs = Clock(), []

        def call():
            clock.now += seconds
            runs.append(seconds)

        target = timing.Target(lambda: (call, None), second_differs)
        target.open()
        with mock.patch.object(timing, "time", clock):
            target.warm_up(count, most_seconds)
        return len(runs)

    def test_are_one_of_what_takes_long_and_two_where_the_second_differs(self):
        self.assertEqual([self.runs(0.001, differs) for differs in (False, True)], [3, 3])
        self.assertEqual([self.runs(0.01, differs) for differs in (False, True)], [2, 2])
        self.assertEqual([self.runs(0.2, differs) for differs in (False, True)], [1, 2])
        self.assertEqual(self.runs(5, True), 1, "there is no time for two")
        self.assertEqual(self.runs(0.2, True, count=1), 1, "nor asked for")


class Loads(unittest.TestCase):
    def settled(self, ratios, each=1.0, most=12):
        first, second = timing.Target(None), timing.Target(None)
        for ratio in ratios:
            first.cpu_ms += [each * ratio, each * ratio, 50 * each * ratio]  # one round of each load was disturbed
            second.cpu_ms += [each] * 3
        return timing.Settling(CPU, [first, second]).is_settled([n // 3 for n in range(3 * len(ratios))], most)

    def test_settle_a_gain_by_six_that_are_clear(self):
        self.assertTrue(self.settled([1.02] * 6))
        self.assertFalse(self.settled([1.5] * 5), "too few")
        self.assertFalse(self.settled([1.5] * 11 + [1.005]), "one is not clear")

    def test_settle_where_no_interval_can_lie_above_1(self):
        self.assertTrue(self.settled([0.9, 0.99, 1.0]), "of twelve the third lowest counts")
        self.assertTrue(self.settled([1.5, 0.9, 1.5, 0.99, 1.5, 0.98]))
        self.assertFalse(self.settled([0.9, 0.9]))
        self.assertFalse(self.settled([0.9, 0.9, 1.001]))
        self.assertTrue(self.settled([1.004, 0.99], most=8), "of eight the lowest")
        self.assertFalse(self.settled([1.004, 0.99], most=9))
        self.assertFalse(self.settled([1.08] * 4 + [0.99], most=8), "an interval of rounds could lie above 1")

    def test_the_interval_is_that_of_the_program(self):
        self.assertEqual([timing.order_statistic(n) for n in (0, 5, 6, 8, 9, 11, 12, 14, 15, 17)], [0, 0, 1, 1, 2, 2, 3, 3, 4, 5])

    def test_settle_by_few_that_a_slow_one_gains_little(self):
        self.assertTrue(self.settled([1.005, 1.002], each=300.0))
        self.assertFalse(self.settled([1.02, 1.03], each=300.0))
        self.assertFalse(self.settled([1.005, 1.002], each=30.0))

    def test_a_gain_by_most_loads_has_more_time(self):
        with_one_that_says_otherwise = [0.009, 0.009, 0.0101] + [0.009] * 20
        for settle, loads in ((CPU, 12), (None, 6)):
            report, _ = run(0.5, 0.01, 600, max_seconds=6, second=with_one_that_says_otherwise, settle=settle)
            self.assertEqual(len(set(report["loads"])), loads, settle)

    def test_end_within_a_load_where_a_slow_one_gains_nothing(self):
        report, seconds = run(1, 0.5, 30, settle=WALL)
        self.assertEqual(report["rounds"], 3)
        self.assertLessEqual(seconds, 9)
        self.assertGreater(run(1, 0.5, 60, second=0.45, settle=WALL)[0]["rounds"], 3)

    def test_settle_that_there_is_no_clear_gain_by_the_first_six(self):
        self.assertTrue(self.settled([1.002, 1.001, 1.001, 1.008, 1.001, 1.002]))
        self.assertFalse(self.settled([1.002, 1.001, 1.001, 1.012, 1.001, 1.002]), "there may be one")
        self.assertFalse(self.settled([1.002, 1.001, 1.001, 1.008, 1.001, 1.002, 1.003]), "no second look")


if __name__ == "__main__":
    unittest.main()
