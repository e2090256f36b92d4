"""What bench/alternatives.py times one at a time: processes that run only while they are asked, and end."""

import multiprocessing
import sys
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench")]

from alternatives import FEWEST_RUNS, Apart, timed  # noqa: E402


def spinning_model(path, threads, feed):
    """Its second thread never sleeps, as those of a runtime that waits for work."""
    count = [0]

    def spin():
        while True:
            count[0] += 1

    threading.Thread(target=spin, daemon=True).start()
    return lambda: time.sleep(feed)


def model_that_is_not_there(path, threads, feed):
    raise FileNotFoundError(path)


def state(target):
    return Path(f"/proc/{target._process.pid}/stat").read_text().rsplit(") ", 1)[1][0]


class Alternatives(unittest.TestCase):
    def test_one_runs_while_the_other_is_stopped(self):
        one, other = (Apart(spinning_model, ("", 2, seconds)) for seconds in (0.001, 0.002))
        for target in (one, other):
            target.open()
            self.addCleanup(target.close)
        for target in (one, other):
            target.sample()
            self.assertEqual((state(one), state(other)), ("T", "T"))
        self.assertGreaterEqual(one.wall_ms[0], 1)
        self.assertGreaterEqual(other.wall_ms[0], 2)
        pids = [target._process.pid for target in (one, other)]
        one.close()
        other.close()
        self.assertFalse(any(Path(f"/proc/{pid}").exists() for pid in pids))

    def test_a_sample_is_a_block_of_runs_after_some_that_do_not_count(self):
        target = Apart(spinning_model, ("", 2, 0.2))  # so long that blocks end by their number of runs
        target.open()
        self.addCleanup(target.close)
        begin = time.perf_counter()
        target.sample()
        self.assertGreaterEqual(time.perf_counter() - begin, 0.2 * (FEWEST_RUNS + 2))
        self.assertEqual(len(target.wall_ms), 1)

    def test_what_cannot_be_opened_says_why(self):
        target = Apart(model_that_is_not_there, ("nowhere", 2, None))
        self.addCleanup(target.close)
        with self.assertRaisesRegex(RuntimeError, "FileNotFoundError: nowhere"):
            target.open()

    def test_times_are_by_load(self):
        clock, (one, other) = timed([(spinning_model, "", 0.001), (spinning_model, "", 0.002)], 2, 0.001, 4, 2)
        self.assertEqual(clock, "wall_ms")
        self.assertEqual([len(load) for load in one], [len(load) for load in other])
        self.assertEqual(len(one), 2)
        self.assertEqual(multiprocessing.active_children(), [])


if __name__ == "__main__":
    unittest.main()
