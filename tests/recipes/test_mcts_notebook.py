"""bench/mcts.ipynb: its code cells run from a record that the program has just written, the kept runs can be read again, and
the figures are there. (Those that draw need matplotlib, which is optional.)"""

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))
from notebook_cells import code_cells  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("ISOMER_PROGRAM", "build/release/isomer"))


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="isomer-notebook-")
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name)
        cls.kept = cls.path / "kept"
        words = [PROGRAM, "-q", "bench", "mcts", "bert", "vgg", "--device", "a100", "--approach", "ours/ilp,tensat", "--seeds", "1",
                 "--budget", "4,128", "--no-check", "--tree", "40", "--record", cls.path / "runs.jsonl", "--keep", cls.kept]
        subprocess.run(words, check=True, capture_output=True)

    def run_cells(self, figures, drawing):
        """What the cells print, and the names that they leave."""
        environment = {"ISOMER_RECORD": str(self.path / "runs.jsonl"), "ISOMER_KEPT": str(self.kept), "ISOMER_FIGURES": str(figures)}
        names, out = {}, io.StringIO()
        with mock.patch.dict(os.environ, environment), contextlib.chdir(ROOT), contextlib.redirect_stdout(out):
            for source, tags in code_cells(ROOT / "bench/mcts.ipynb"):
                if drawing or "draws" not in tags:
                    exec(compile(source, "bench/mcts.ipynb", "exec"), names)
        return out.getvalue(), names

    def test_cells_rebuild_tables(self):
        text, names = self.run_cells(self.path / "none", drawing=False)
        self.assertIn("| vgg | 2.63518 (0.61) | 2.635 (0.61) | 2.63518 (0.61) | 2.63518 |", text)
        run = next(r for r in names["runs"] if r["model"] == "bert" and r["approach"] == "tensat")
        self.assertIn(f"{run['speedup_percent']:.2f} (18.27)", text)
        self.assertIn("what a budget buys", text)

    @unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "matplotlib is not installed (it is optional)")
    def test_cells_draw_figures(self):
        figures = self.path / "figures"
        self.run_cells(figures, drawing=True)
        there = {f.name for f in figures.iterdir()}
        self.assertLessEqual({"rules_a100.svg", "cost_a100.svg", "speedup_a100.svg", "budget.svg"}, there)
        self.assertEqual(sum(name.startswith("egraph_") for name in there), 2 * len(list(self.kept.glob("*.search.json"))))

    def test_what_was_kept_says_what_the_record_says(self):
        runs = [json.loads(line) for line in (self.path / "runs.jsonl").read_text().splitlines()]
        runs = [r for r in runs if r["record"] == "run"]
        self.assertEqual(len({r["kept"] for r in runs}), len(runs))
        for run in runs:
            search = json.loads((self.kept / f"{run['kept']}.search.json").read_text())
            self.assertEqual([s["cost"] for s in search["steps"]], [s["cost"] for s in run["steps"]])
            self.assertGreaterEqual(len(search["last"]["nodes"]), len(search["first"]["nodes"]))
            self.assertTrue(all(taken for _, _, taken, *_ in search["first"]["nodes"]), "one program alone is in the first")
            for which in ("first", "last"):
                self.boxes_are_apart(search[which]["boxes"])
            for end in ("input", "output"):
                subprocess.run([PROGRAM, "graph", "show", self.kept / f"{run['kept']}.{end}.graph"], check=True, capture_output=True)

    def boxes_are_apart(self, boxes):
        for i, (x, y, columns, rows) in enumerate(boxes):
            for x2, y2, columns2, rows2 in boxes[:i]:
                self.assertTrue(x + columns <= x2 or x2 + columns2 <= x or y + rows <= y2 or y2 + rows2 <= y)


if __name__ == "__main__":
    unittest.main()
