"""What exporters compute shapes with, read by the program: nothing stays opaque that need not, and copies compute the
same bits. Also: what a types worker that is missing, crashes or hangs is worth."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ["ISOMER_PROGRAM"]
BUILD = pathlib.Path(os.environ["ISOMER_BINARY_DIR"])

# Opaque operators that are left, and why each is one.
OPAQUE = {
    "fixed/class_token": [],
    "fixed/positions": [],
    "fixed/causal_mask": [],
    "fixed/padding_mask": [],
    "fixed/pyramid": [],
    "fixed/interpolated": ["Resize"],  # cubic
    "fixed/selected": ["Compress"],  # no meaning here
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
        copy = BUILD / "tests" / "onnx_copy"
        models = sorted(self.folder.glob("*/*/model.onnx"))
        done = subprocess.run([sys.executable, HERE / "onnx_roundtrip.py", copy, *models], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("checked only", done.stdout)

    def test_without_inference_the_job_goes_on_and_says_so(self):
        model = self.folder / "named" / "selected" / "model.onnx"
        workers = self.folder / "workers"
        shutil.copytree(HERE.parent.parent / "workers", workers)
        bodies = {"missing": "raise SystemExit('ModuleNotFoundError: onnx')", "crash": "import os; os.abort()"}
        for name, body in bodies.items():
            with self.subTest(name):
                (workers / "onnx_types_worker.py").write_text(body)
                out = self.folder / f"{name}.onnx"
                done = subprocess.run(
                    [PROGRAM, "-q", "optimize", model, "-o", out, "--no-measure", "--cost", "roofline:a100", "--json"],
                    capture_output=True, text=True, env={**os.environ, "ISOMER_WORKERS": str(workers)})
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(result["types_inferred"], 0)
                self.assertTrue(result["verified"])
                self.assertTrue(any("types of opaque results are not inferred" in w for w in result["warnings"]),
                                result["warnings"])


if __name__ == "__main__":
    unittest.main()
