"""Ctrl-C while the main job works: the first ends what is under way with what there is, the second ends the program;
nothing half-written stays beside the output."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
ROOT = Path(__file__).parents[2]
MODELS = ROOT / "bench/models/make_models.py"


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

    def start(self, pairs=30):
        """A run whose timing never ends, stopped within it: its runtime is a stand-in that tells so many pairs of runs
        and is then silent until it is ended."""
        workers = self.path / f"workers{pairs}"
        workers.mkdir()
        for file in ("protocol.py", "element_types.py"):
            shutil.copy(ROOT / "workers" / file, workers)
        shutil.copy(ROOT / "tests/data/recipes/stand_in_worker.py", workers / "onnxruntime_worker.py")
        mark = workers / "told"
        told = {"loads": 3, "rounds": pairs // 3, "ratio": 1.5, "mark": str(mark)}
        process = subprocess.Popen([PROGRAM, "-q", "optimize", self.model, "-o", self.out / "o.onnx", "--json", "--cost",
                                    "roofline:a100"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "ISOMER_WORKERS": str(workers), "STAND_IN": json.dumps(told)})
        deadline = time.time() + 60
        while not mark.exists():
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "ended before anything was timed")
            time.sleep(0.01)
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
        process.send_signal(signal.SIGSTOP)  # so that both wait when it goes on, however busy the machine is
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)  # two of a kind at once may arrive as one
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
        self.assertEqual(list(self.out.iterdir()), [])
        self.assertEqual(process.returncode, 130)

    def test_the_pairs_at_hand_decide(self):
        for pairs, changed in ((30, True), (3, False)):
            with self.subTest(pairs=pairs):
                process = self.start(pairs)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0, err)
                result = json.loads(out)
                self.assertEqual(result["interrupted"], "measure")
                self.assertIn("interrupted", result["decision"])
                self.assertEqual(result["changed"], changed, result["decision"])
                self.assertTrue(result["verified"])
                if changed:
                    self.assertAlmostEqual(result["speedup"], 1.5)
                    self.assertGreater(result["speedup_low"], 1)
                else:
                    self.assertIn("too few", result["decision"])
                    self.assertIsNone(result["speedup"])


if __name__ == "__main__":
    unittest.main()
