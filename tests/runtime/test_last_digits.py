"""workers/last_digits.py: what one model makes of a zero that the other computes from zeros."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

from last_digits import beyond_noise, roundings  # noqa: E402


class Computed:
    """A model of one output."""

    def __init__(self, function):
        self.run = lambda feed: [np.asarray(function(feed["x"]))]


class Noise(unittest.TestCase):
    def beyond(self, second, gap, most=1e-6):
        models = Computed(lambda x: x[0] - x[0]), Computed(second)
        return bool(beyond_noise(models, {"x": np.array([1.7, -0.9, 0.3], np.float32)}, 0, np.asarray(gap), most))

    def test_is_what_cancelled(self):
        tenth = np.float32(0.1)
        cancels = lambda x: (x[0] + x[1] + x[2]) * tenth - (x[0] * tenth + x[1] * tenth + x[2] * tenth)  # noqa: E731
        self.assertFalse(self.beyond(cancels, 2e-8))
        self.assertTrue(self.beyond(cancels, 2e-8, most=1e-8))
        self.assertTrue(self.beyond(cancels, 1e-3, most=1.0))

    def test_is_no_number_that_was_added(self):
        self.assertTrue(self.beyond(lambda x: x[0] - x[0] + np.float32(3e-7), 3e-7))

    def test_is_no_infinity_or_nan(self):
        self.assertTrue(self.beyond(lambda x: x[0], np.nan, most=np.inf))

    def test_without_a_value_on_the_way_nothing_is_granted(self):
        self.assertEqual(roundings(np.inf, np.float32), 0)
        self.assertGreater(roundings(1.0, np.float32), 1e-7)


if __name__ == "__main__":
    unittest.main()
