"""torch, jax and numba, where they are installed, and isomer work in one process, in whatever order they were imported."""

import importlib.util
import subprocess
import sys
import tempfile
import unittest

from install.beside import GENERATORS, orders, program
from install.installed import ROOT

THERE = [name for name in GENERATORS if importlib.util.find_spec(name)]


@unittest.skipUnless(THERE, f"none of {', '.join(GENERATORS)} is installed")
class Beside(unittest.TestCase):
    def test_every_order(self):
        for order in orders(THERE, []):
            with self.subTest(", ".join(order)), tempfile.TemporaryDirectory(prefix="isomer-beside-") as folder:
                done = subprocess.run([sys.executable, "-c", program(order, ROOT / "tests/data/runtime/square_1.onnx")], cwd=folder,
                                      capture_output=True, text=True, timeout=300)
                self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
