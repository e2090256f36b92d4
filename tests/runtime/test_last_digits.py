"""workers/last_digits.py: what one model makes of a zero that the other computes from zeros."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

from conditions import TooLong  # noqa: E402
from doubts import Doubts  # noqa: E402
from last_digits import beyond_noise, roundings  # noqa: E402
from trials import Campaign  # noqa: E402


class Computed:
    """A model of one output."""

    def __init__(self, function):
        self.function, self.runs = function, 0

    def run(self, feed):
        self.runs += 1
        return [np.asarray(self.function(feed["x"]))]


ROW = np.array([1.7, -0.9, 0.3], np.float32)
TENTH = np.float32(0.1)


def cancels(x):
    return (x[0] + x[1] + x[2]) * TENTH - (x[0] * TENTH + x[1] * TENTH + x[2] * TENTH)


class Noise(unittest.TestCase):
    def beyond(self, second, gap, most=1e-6, first=lambda x: x[0] - x[0], x=ROW, over=lambda: False):
        models = Computed(first), Computed(second)
        return bool(beyond_noise(models, {"x": x}, 0, np.asarray(gap), most, over))

    def test_is_what_cancelled(self):
        self.assertFalse(self.beyond(cancels, 2e-8))
        self.assertTrue(self.beyond(cancels, 2e-8, most=1e-8))
        self.assertTrue(self.beyond(cancels, 1e-3, most=1.0))

    def test_is_no_number_that_was_added(self):
        self.assertTrue(self.beyond(lambda x: x[0] - x[0] + np.float32(3e-7), 3e-7))

    def test_is_no_step_at_its_threshold(self):
        at = np.array([1], np.float32)
        above, from_there = (lambda x: np.float32(x[0] > 1)), (lambda x: np.float32(x[0] >= 1))
        for most in (4.8, np.inf):  # a few roundings of 1e7, that another output holds
            self.assertTrue(self.beyond(above, 1.0, most, from_there, at))
        near = lambda x: np.float32(x[0] > np.nextafter(np.float32(1), np.float32(2)))  # noqa: E731
        self.assertTrue(self.beyond(near, 1.0, 4.8, from_there, at), "by so few digits they are apart on the way, too")

    def test_is_no_infinity_or_nan(self):
        self.assertTrue(self.beyond(lambda x: x[0], np.nan, most=np.inf))

    def test_ends_when_told(self):
        self.assertTrue(self.beyond(cancels, 2e-8, over=lambda: True))

    def test_without_a_value_on_the_way_nothing_is_granted(self):
        self.assertEqual(roundings(np.inf, np.float32), 0)
        self.assertGreater(roundings(1.0, np.float32), 1e-7)


class Granted(unittest.TestCase):
    """By a campaign."""

    def campaign(self, model, limit=None, magnitude=1.0):
        from types import SimpleNamespace

        def run(feed):
            if limit is not None and model.runs >= limit:
                raise TooLong
            return model.run(feed)
        zero = SimpleNamespace(run=lambda feed: [np.float32(0)])
        return SimpleNamespace(a=zero, b=SimpleNamespace(run=run), doubts=Doubts([], 0.0), over=lambda: False,
                               magnitude=lambda feed: magnitude)

    def seen(self, campaign, x, y):
        return Campaign.without_last_digits(campaign, {"x": ROW}, 0, x, y, "normal")

    def test_a_run_that_takes_too_long_grants_nothing(self):
        zero, y = np.zeros((), np.float32), np.asarray(np.float32(2e-8))
        self.assertEqual(self.seen(self.campaign(Computed(cancels)), zero, y), 0)
        for limit in (0, 1):
            self.assertEqual(self.seen(self.campaign(Computed(cancels), limit), zero, y), y)

    def test_nor_does_a_sequence_have_last_digits(self):
        x, y = [np.zeros(2, np.float32)], [np.ones(2, np.float32)]
        self.assertIs(self.seen(self.campaign(Computed(cancels)), x, y), y)
        self.assertIs(Doubts([0], 1e-6).believes(0, x, y), y)


if __name__ == "__main__":
    unittest.main()
