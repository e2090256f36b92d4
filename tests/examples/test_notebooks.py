"""examples/python: each notebook runs from its first cell to its last, and what it claims is asserted there."""

import contextlib
import io
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from notebook_cells import code_cells  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


class Notebooks(unittest.TestCase):
    def test_each_runs(self):
        notebooks = sorted((ROOT / "examples/python").glob("*.ipynb"))
        self.assertTrue(notebooks)
        for notebook in notebooks:
            out, names = io.StringIO(), {}
            with self.subTest(notebook.name), contextlib.chdir(ROOT), contextlib.redirect_stdout(out):
                for source, _ in code_cells(notebook):
                    exec(compile(source, str(notebook), "exec"), names)
                self.assertIn("proved optimal", out.getvalue())


if __name__ == "__main__":
    unittest.main()
