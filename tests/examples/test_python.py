"""examples/python: each program runs as it stands, and beats its baseline (it asserts so)."""

import os
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


class Examples(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual(len(list(FOLDER.glob("*.py"))), 4)

    def run_example(self, name):
        run = subprocess.run([sys.executable, FOLDER / name], capture_output=True, text=True, timeout=900,
                             env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


for path in sorted(FOLDER.glob("*.py")):
    setattr(Examples, f"test_{path.stem}", lambda self, name=path.name: self.run_example(name))

if __name__ == "__main__":
    unittest.main()
