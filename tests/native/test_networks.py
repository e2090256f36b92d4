"""Shared objects of whole networks against ONNX Runtime: the outputs agree, with one thread and with three to the bit."""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnxruntime

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
sys.path.insert(0, str(ROOT / "bench/models"))
from make_models import DEPLOYED, MODELS  # noqa: E402

TYPES = {"f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}
TOLERANCE = 1e-4  # of the largest element of an output
REWRITTEN = {"nasrnn_shared", "bert_taso"}  # the others as they are read: faster programs are sought for seconds


class Compiled:
    def __init__(self, path):
        self.loaded = ctypes.CDLL(str(path))
        self.loaded.isomer_model_description.restype = ctypes.c_char_p
        self.loaded.isomer_model_new.restype = ctypes.c_void_p
        self.loaded.isomer_model_run.argtypes = [ctypes.c_void_p] * 3
        self.loaded.isomer_model_delete.argtypes = [ctypes.c_void_p]
        self.description = json.loads(self.loaded.isomer_model_description())

    def run(self, feed, threads):
        inputs = [np.ascontiguousarray(feed[i["name"]]) for i in self.description["inputs"]]
        outputs = [np.full(o["shape"], 77, TYPES[o["type"]]) for o in self.description["outputs"]]
        model = self.loaded.isomer_model_new(threads)
        for _ in range(3):  # scratch of one run does not show in the next
            self.loaded.isomer_model_run(model, *((ctypes.c_void_p * len(some))(*[a.ctypes.data for a in some])
                                                  for some in (inputs, outputs)))
        self.loaded.isomer_model_delete(model)
        return outputs


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="isomer-networks-")
        cls.addClassCleanup(cls.folder.cleanup)
        here = Path(cls.folder.name)
        subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", here,
                        *(word for name in MODELS | DEPLOYED for word in ("--only", name))], check=True,
                       stdout=subprocess.DEVNULL)
        cls.manifest = json.loads((here / "manifest.json").read_text())

    def one(self, name):
        entry = self.manifest[f"{name}.ci"]
        path, compiled = Path(self.folder.name) / entry["file"], Path(self.folder.name) / f"{name}.so"
        done = subprocess.run([PROGRAM, "compile", path, "-o", compiled, "--json", *([] if name in REWRITTEN else ["--no-rewrite"])], capture_output=True, text=True)
        if done.returncode == 5:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        ranges = {i["name"]: i["range"] for i in entry["inputs"] if i.get("range")}
        rng, feed = np.random.default_rng(5), {}
        for i in session.get_inputs():
            low, high = ranges.get(i.name) or (-1, 1)
            feed[i.name] = (rng.integers(low, high, i.shape) if "int" in i.type
                            else rng.uniform(low, high, i.shape).astype(np.float32))
        model = Compiled(compiled)
        one, three = model.run(feed, 1), model.run(feed, 3)
        for expected, found, again in zip(session.run(None, feed), one, three, strict=True):
            np.testing.assert_array_equal(found, again)
            self.assertLessEqual(float(np.abs(expected - found).max()), TOLERANCE * float(np.abs(expected).max()))


for network in MODELS | DEPLOYED:
    setattr(Networks, f"test_{network}", lambda self, network=network: self.one(network))

if __name__ == "__main__":
    unittest.main()
