"""kill -9 while the main job has its candidates beside the output: the next run that writes there removes what was left, and
nothing of a run that lives."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
MAKE = Path(__file__).parents[1] / "data/files/make.py"


class Killed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-killed-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        subprocess.run([sys.executable, MAKE], check=True, cwd=self.path)
        self.out = self.path / "out"
        self.out.mkdir()

    def start(self, name):
        """A run whose timing would take very long, when its candidates lie beside the output."""
        process = subprocess.Popen([PROGRAM, "-q", "optimize", self.path / "m.onnx", "-o", self.out / name, "--pairs",
                                    "100000000", "--cost", "roofline:cpu", "--dim", "n=3", "--no-report"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.time() + 60
        while not list(self.out.glob(f".isomer-*/{name}")):
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "ended before anything lay beside the output")
            time.sleep(0.005)
        return process

    def folders(self):
        return {p for p in self.out.iterdir() if p.is_dir()}

    def test_the_next_run_removes_what_a_killed_one_left(self):
        killed = self.start("killed.onnx")
        of_killed = self.folders()
        living = self.start("living.onnx")
        living.send_signal(signal.SIGSTOP)
        of_living = self.folders() - of_killed
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        self.assertTrue(of_killed & self.folders(), "it had no time to remove anything")
        self.assertTrue(of_living)
        strange = self.out / ".isomer-strange"
        strange.mkdir()

        subprocess.run([PROGRAM, "-q", "optimize", self.path / "m.onnx", "-o", self.out / "next.onnx", "--no-rewrite",
                        "--no-report"], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.folders(), of_living | {strange})


if __name__ == "__main__":
    unittest.main()
