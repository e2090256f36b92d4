"""Ctrl-C while the main job works: the first ends what is under way with what there is, the second ends the program;
nothing half-written stays beside the output."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
MODELS = Path(__file__).parents[2] / "bench/models/make_models.py"


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="isomer-interrupt-")
        self.path = Path(self.folder.name)
        subprocess.run([sys.executable, MODELS, self.path, "--only", "bert_base"], check=True, stdout=subprocess.DEVNULL)
        self.model = self.path / "bert_base.ci.onnx"
        self.out = self.path / "out"
        self.out.mkdir()

    def tearDown(self):
        self.folder.cleanup()

    def start(self, *flags):
        """A run whose timing would take very long, stopped within it: when its candidates lie beside the output."""
        process = subprocess.Popen([PROGRAM, "-q", "optimize", self.model, "-o", self.out / "o.onnx", "--json", "--pairs",
                                    "100000000", "--cost", "roofline:a100", *flags], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 60
        while not list(self.out.glob(".isomer-*/o.onnx")):
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "ended before anything was timed")
            time.sleep(0.01)
        time.sleep(1.5)
        return process

    def test_the_first_ends_the_timing(self):
        process = self.start()
        begin = time.time()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertLess(time.time() - begin, 15)
        result = json.loads(out)
        self.assertTrue(result["verified"])
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["o.isomer.html", "o.onnx"])

    def test_the_second_leaves_nothing_behind(self):
        process = self.start()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)  # two of a kind at once may arrive as one
        process.communicate(timeout=60)
        self.assertEqual(list(self.out.iterdir()), [])
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main()
