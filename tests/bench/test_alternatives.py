"""What bench/alternatives.py times one at a time: processes that run only while they are asked, and end."""

import faulthandler
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench")]

import alternatives  # noqa: E402
from alternatives import FEWEST_RUNS, Apart, timed  # noqa: E402


def spinning_model(path, threads, feed):
    """Its second thread never sleeps, as those of a runtime that waits for work."""
    count = [0]

    def spin():
        while True:
            count[0] += 1

    threading.Thread(target=spin, daemon=True).start()
    return lambda: time.sleep(feed)


def slow_at_first(path, threads, feed):
    """As a runtime whose caches are cold and whose threads sleep."""
    count = [0]

    def call():
        count[0] += 1
        time.sleep(0.5 if count[0] <= 3 else 0.001)

    return call


def model_that_ends(path, threads, feed):
    return lambda: os._exit(3)


def model_that_is_not_there(path, threads, feed):
    raise FileNotFoundError(path)


def model_that_hangs(path, threads, feed):
    return lambda: time.sleep(600)


def setUpModule():
    """Processes that wait for each other: where one would wait for ever, this says where, and ends it."""
    faulthandler.dump_traceback_later(240, exit=True)


def tearDownModule():
    faulthandler.cancel_dump_traceback_later()


def state(pid):
    """T: stopped, Z: ended and not waited for, ..."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0]


def is_there(pid):
    try:
        return state(pid) != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Alternatives(unittest.TestCase):
    def test_one_runs_while_the_other_is_stopped(self):
        one, other = (Apart(spinning_model, ("", 2, seconds)) for seconds in (0.001, 0.002))
        for target in (one, other):
            self.addCleanup(target.close)
            target.open()
        for target in (one, other):
            target.sample()
            self.assertEqual((state(one._process.pid), state(other._process.pid)), ("T", "T"))
        self.assertGreaterEqual(one.wall_ms[0], 1)
        self.assertGreaterEqual(other.wall_ms[0], 2)
        pids = [target._process.pid for target in (one, other)]
        one.close()
        other.close()
        self.assertFalse(any(map(is_there, pids)))

    def test_first_runs_of_a_block_do_not_count(self):
        target = Apart(slow_at_first, ("", 2, None))
        self.addCleanup(target.close)
        target.open()
        target.sample()
        self.assertLess(target.wall_ms[0], 100)

    def test_what_ends_is_an_error(self):
        target = Apart(model_that_ends, ("", 2, None))
        self.addCleanup(target.close)
        target.open()
        for _ in range(2):
            with self.assertRaisesRegex(RuntimeError, "a process that was timed ended"):
                target.sample()

    def test_what_hangs_is_an_error(self):
        target = Apart(model_that_hangs, ("", 2, None))
        self.addCleanup(target.close)
        target.open()
        with mock.patch.object(alternatives, "MOST_SECONDS", 0.5), self.assertRaisesRegex(RuntimeError, "said nothing"):
            target.sample()

    def test_what_is_still_open_at_the_end_does_not_hold_it_up(self):
        """Where a timing failed half-way, say."""
        script = ("import sys; sys.path[:0] = sys.argv[1:]; from test_alternatives import *\n"
                  "if __name__ == '__main__':\n"
                  "    Apart(spinning_model, ('', 2, 0.001)).open()\n")
        with tempfile.TemporaryDirectory(prefix="isomer-") as folder:
            (file := Path(folder, "bench_that_forgets.py")).write_text(script)
            subprocess.run([sys.executable, file, ROOT / "bench", Path(__file__).parent], check=True, timeout=60)

    def test_what_is_stopped_ends_with_who_asked(self):
        """However that ends: here it is killed."""
        script = ("import sys, time; sys.path[:0] = sys.argv[1:]; from test_alternatives import *\n"
                  "if __name__ == '__main__':\n"
                  "    target = Apart(spinning_model, ('', 2, 0.001)); target.open()\n"
                  "    print(target._process.pid, flush=True); time.sleep(60)\n")
        with tempfile.TemporaryDirectory(prefix="isomer-") as folder:
            (file := Path(folder, "bench_that_is_killed.py")).write_text(script)
            asker = subprocess.Popen([sys.executable, file, ROOT / "bench", Path(__file__).parent], stdout=subprocess.PIPE, text=True)
            pid = int(asker.stdout.readline())
            self.assertTrue(is_there(pid))
            asker.kill()
            asker.communicate(timeout=60)
            end = time.monotonic() + 20
            while is_there(pid) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertFalse(is_there(pid))

    def test_a_sample_has_so_many_runs_at_least(self):
        target = Apart(spinning_model, ("", 2, 0.2))  # so long that blocks end by their number of runs
        self.addCleanup(target.close)
        target.open()
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
