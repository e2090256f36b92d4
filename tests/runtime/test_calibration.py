"""workers/calibration.py: when best times are taken for what they are."""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

import calibration  # noqa: E402
from protocol import Refused  # noqa: E402


def rounds_until_stood(*targets):
    """After how many rounds of these times; None: after none of them."""
    stood = calibration.Stood()
    for done in range(1, len(targets[0]) + 1):
        if stood([times[:done] for times in targets]):
            return done
    return None


class StoodTest(unittest.TestCase):
    def test_steady_times_stand_after_the_fewest_rounds(self):
        self.assertEqual(rounds_until_stood([1.0] * 20, [5.0] * 20), calibration.FEWEST)

    def test_a_better_time_has_to_stand_for_as_long_as_it_took(self):
        improving = [10 * 0.9 ** i for i in range(12)]
        self.assertEqual(rounds_until_stood(improving + improving[-1:] * 30, [3.0] * 42), 24)

    def test_times_that_go_on_improving_settle_nothing(self):
        self.assertIsNone(rounds_until_stood([0.9 ** i for i in range(30)], [1.0] * 30))

    def test_rounds_that_not_all_have_done_do_not_count(self):
        stood = calibration.Stood()
        self.assertFalse(stood([[1.0] * 20, [1.0] * (calibration.FEWEST - 1)]))
        self.assertTrue(stood([[1.0] * 20, [1.0] * calibration.FEWEST]))


class Running:
    """A model that takes a millisecond."""

    inputs = []

    def __init__(self, runs):
        self.runs = runs

    def caller(self, feed):
        def call():
            self.runs.append(self)
            time.sleep(1e-3)
        return call


class CancelledTest(unittest.TestCase):
    def calibrate(self, most):
        """Cancelled after so many runs of the chains, with which it ends."""
        runs, opened = [], []

        def open_model(data):
            opened.append(Running(runs))
            return opened[-1]
        return calibration.calibrate({"threads": 2, "clock": "wall_ms", "seconds": 4}, open_model, "Tanh",
                                     lambda: sum(run in opened[2:] for run in runs) >= most, lambda **what: None)

    def test_what_is_cancelled_before_times_stood_is_no_profile(self):
        for most in (1, 10):
            with self.assertRaises(Refused):
                self.calibrate(most)
        self.assertGreater(self.calibrate(10 ** 6)["product_ms"], 0.5)


if __name__ == "__main__":
    unittest.main()
