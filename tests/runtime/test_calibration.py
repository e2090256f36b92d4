"""workers/calibration.py: when best times are taken for what they are."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

import calibration  # noqa: E402


def rounds_until_settled(*targets):
    """After how many rounds of these times; None: after none of them."""
    settled = calibration.Settled()
    for done in range(1, len(targets[0]) + 1):
        if settled([times[:done] for times in targets]):
            return done
    return None


class SettledTest(unittest.TestCase):
    def test_steady_times_settle_after_the_fewest_rounds(self):
        self.assertEqual(rounds_until_settled([1.0] * 20, [5.0] * 20), calibration.FEWEST)

    def test_a_better_time_has_to_stand_for_as_long_as_it_took(self):
        improving = [10 * 0.9 ** i for i in range(12)]
        self.assertEqual(rounds_until_settled(improving + improving[-1:] * 30, [3.0] * 42), 24)

    def test_times_that_go_on_improving_settle_nothing(self):
        self.assertIsNone(rounds_until_settled([0.9 ** i for i in range(30)], [1.0] * 30))

    def test_rounds_that_not_all_have_done_do_not_count(self):
        settled = calibration.Settled()
        self.assertFalse(settled([[1.0] * 20, [1.0] * (calibration.FEWEST - 1)]))
        self.assertTrue(settled([[1.0] * 20, [1.0] * calibration.FEWEST]))


if __name__ == "__main__":
    unittest.main()
