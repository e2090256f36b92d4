"""What exporters compute shapes with, read by the program: nothing stays opaque that need not, and copies compute the
same bits. Also: what a types worker that is missing, crashes or hangs is worth."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import onnx
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import onnx_roundtrip  # noqa: E402

PROGRAM = os.environ["ISOMER_PROGRAM"]
BUILD = pathlib.Path(os.environ["ISOMER_BINARY_DIR"])

# Opaque operators that are left, and why each is one.
# Of named sizes: a shape that is written needs numbers (ConstantOfShape, Expand), a slice bounds that are numbers, and
# two names broadcast only where they are equal.
OPAQUE = {
    "fixed/class_token": [],
    "fixed/positions": [],
    "fixed/causal_mask": [],
    "fixed/padding_mask": [],
    "fixed/pyramid": [],
    "fixed/interpolated": [],
    "fixed/selected": ["Compress"],  # by a mask that is computed
    "named/class_token": [],
    "named/positions": [],
    "named/causal_mask": [],
    "named/selected": ["Compress"],
    "named/padding_mask": ["Add", "Slice"],
}


class ShapeArithmetic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="isomer-test-"))
        subprocess.run([sys.executable, HERE / "shape_arithmetic.py", cls.folder], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def opaque(self, pattern, **environment):
        done = subprocess.run([PROGRAM, "graph", "stats", self.folder / pattern / "model.onnx", "--json"], check=True,
                              capture_output=True, text=True, env={**os.environ, **environment})
        rows = json.loads(done.stdout)["operators"]
        return sorted(row["op"].removeprefix("opaque onnx:") for row in rows if row["kind"] == "opaque"
                      for _ in range(row["count"]))

    def test_what_stays_opaque(self):
        self.maxDiff = None
        found = {pattern: self.opaque(pattern) for pattern in OPAQUE}
        self.assertEqual(found, OPAQUE)

    def test_copies_compute_the_same_bits(self):
        """Without the runtime's own rewrites, which fuse more where shapes are known."""
        for model in sorted(self.folder.glob("*/*/model.onnx")):
            with self.subTest(str(model.relative_to(self.folder))):
                copy = model.parent / "copy.onnx"
                subprocess.run([BUILD / "tests" / "onnx_copy", model, copy], check=True, stdout=subprocess.DEVNULL)
                self.assertIsNone(onnx_roundtrip.check(str(copy)))
                feed = onnx_roundtrip.given_inputs(str(model))
                self.assertTrue(onnx_roundtrip.same(self.run_model(model, feed), self.run_model(copy, feed)))

    def run_model(self, path, feed):
        off = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return onnx_roundtrip.session(str(path), off, str(self.folder)).run(None, feed)

    def optimize(self, model, out, worker):
        """With this text in the place of the types worker."""
        workers = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for program in (HERE.parent.parent / "workers").glob("*.py"):
            shutil.copy(program, workers)
        (workers / "onnx_types_worker.py").write_text(worker)
        return subprocess.run(
            [PROGRAM, "-q", "optimize", model, "-o", out, "--no-measure", "--cost", "roofline:a100", "--json"],
            capture_output=True, text=True, env={**os.environ, "ISOMER_WORKERS": str(workers)})

    def test_a_wrong_claim_is_never_written(self):
        """It says one row where there are twenty; the size that a Reshape leaves open then comes out wrong."""
        model = self.folder / "fixed" / "selected" / "model.onnx"
        claim = base64.b64encode(onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [1, 16]).SerializeToString())
        worker = f"""import protocol
protocol.serve(protocol.Channel(), {{"infer": lambda request, progress: {{"types": ["{claim.decode()}"]}}}})"""
        out = self.folder / "wrong.onnx"
        done = self.optimize(model, out, worker)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertEqual(out.exists(), done.returncode == 0)
        if out.exists():
            feed = onnx_roundtrip.given_inputs(str(model))
            self.assertTrue(onnx_roundtrip.same(self.run_model(model, feed), self.run_model(out, feed)))

    def test_without_inference_the_job_goes_on_and_says_so(self):
        model = self.folder / "named" / "selected" / "model.onnx"
        bodies = {"missing": "raise SystemExit('ModuleNotFoundError: onnx')", "crash": "import os; os.abort()"}
        for name, body in bodies.items():
            with self.subTest(name):
                done = self.optimize(model, self.folder / f"{name}.onnx", body)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(result["types_inferred"], 0)
                self.assertTrue(result["verified"])
                self.assertTrue(any("types of opaque results are not inferred" in w for w in result["warnings"]),
                                result["warnings"])


if __name__ == "__main__":
    unittest.main()
