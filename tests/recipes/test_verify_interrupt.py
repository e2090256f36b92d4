"""Ctrl-C and SIGTERM end `isomer verify` soon, wherever it is, and it says what it knows."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper, parser

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
PATIENCE = 10  # a second or two, on a machine that has much other work
SIDE = 512


def save_products(path, after):
    """A run takes tens of milliseconds, and what is to be tried takes minutes."""
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array(rng.standard_normal((SIDE, SIDE)).astype(np.float32) / 32, f"w{i}") for i in range(6)]
    body = " ".join(f"h{i + 1} = MatMul (h{i}, w{i})" for i in range(6)).replace("(h0,", "(x,")
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g (float[{SIDE},{SIDE}] x) => (float[{SIDE},{SIDE}] y) '
                               f"{{ {body} {after} }}")
    model.graph.initializer.extend(weights)
    onnx.save(model, path)


def save_waves(path, last):
    """What takes the interpreter seconds."""
    lines = ['%v0 = input{name="x"} : f32[800,1000]'] + [f"%v{i + 1} = sin(%v{i}) : f32[800,1000]" for i in range(60)]
    path.write_text("graph { " + " ".join(lines) + f" %y = {last} : f32[800,1000] return %y }}")


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="isomer-verify-interrupt-")
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def ended(self, a, b, after, how):
        """What it prints when it gets this signal after so many seconds."""
        process = subprocess.Popen([PROGRAM, "verify", self.path / a, self.path / b, "--time-limit", "300s", "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        self.assertIsNone(process.poll(), "ended before it was interrupted")
        begin = time.monotonic()
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        return json.loads(out)

    def is_undecided(self, result):
        self.assertEqual(result["verdict"], "undecided")
        self.assertIsNone(result["equivalent"])
        self.assertTrue(result["interrupted"])
        self.assertIn("interrupted", result["detail"])

    def test_while_the_runtime_runs(self):
        save_products(self.path / "a.onnx", "y = Relu (h6)")
        save_products(self.path / "b.onnx", "r = Relu (h6) y = Relu (r)")
        for seconds in (3, 15, 60):  # until the first inputs were run
            result = self.ended("a.onnx", "b.onnx", seconds, signal.SIGTERM)
            self.is_undecided(result)
            if result["inputs_tried"] > 0:
                break
        self.assertGreater(result["inputs_tried"], 0)
        self.assertIn("sets of inputs", result["method"])

    def test_before_anything_was_run(self):
        save_products(self.path / "a.onnx", "y = Relu (h6)")
        save_products(self.path / "b.onnx", "r = Relu (h6) y = Relu (r)")
        self.is_undecided(self.ended("a.onnx", "b.onnx", 0.5, signal.SIGINT))

    def test_while_the_interpreter_works(self):
        save_waves(self.path / "a.graph", "sin(%v60)")
        save_waves(self.path / "b.graph", "sub(%v60, %v0)")
        self.is_undecided(self.ended("a.graph", "b.graph", 1, signal.SIGINT))


if __name__ == "__main__":
    unittest.main()
