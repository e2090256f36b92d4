"""bench/trust.py: its rows, from what the program says of rules and pairs whose verdicts are known."""

import contextlib
import importlib.util
import io
import os
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(SOURCE / "build/release/isomer"))
BRIEFLY = ("--time-limit", "3s")
WRONG = """rule twice-is-once {
  origin "a test";
  stability exact;
  (add ?x ?x) => ?x;
}
"""


def trust():
    spec = importlib.util.spec_from_file_location("trust", SOURCE / "bench/trust.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Trust(unittest.TestCase):
    def test_a_row_a_rule_file(self):
        with tempfile.TemporaryDirectory(prefix="isomer-trust-") as folder:
            wrong = Path(folder) / "wrong.rules"
            wrong.write_text(WRONG)
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                trust().rules(PROGRAM, [SOURCE / "rules/neighbours.rules", wrong], "--instances", "16")
        title, *rows = [line.split() for line in shown.getvalue().splitlines()]
        self.assertEqual(title[:5], ["rules", "rules", "identity", "tested", "refuted"])
        self.assertEqual([row[:7] for row in rows], [["neighbours.rules", "3", "3", "0", "0", "0", "0"],
                                                     ["wrong.rules", "1", "0", "0", "1", "1", "1"]])
        self.assertLess(float(rows[0][7]), 1e-6)

    def test_every_file_of_rules_is_asked_about(self):
        files = {path.name for path in trust().rule_files()}
        self.assertGreaterEqual(files, {"algebra.rules", "taso_multi.txt"})
        self.assertNotIn("taso_axioms.txt", files)

    def test_a_pair_and_where_it_parts(self):
        folder = SOURCE / "tests/data/verify"  # ONNX Runtime's optimizer: the mask kept, and replaced by its length
        kept = trust().compare(PROGRAM, folder / "mask.onnx", folder / "mask_raw.onnx", *BRIEFLY).split()
        self.assertEqual(kept[0], "equivalent")
        self.assertLess(float(kept[1]), 1e-4)
        replaced = trust().compare(PROGRAM, folder / "mask.onnx", folder / "mask_length.onnx", *BRIEFLY).split()
        self.assertEqual(replaced[0], "different")
        self.assertGreater(float(replaced[1]), 1e-3)
        self.assertEqual(" ".join(replaced[2:]), "Reshape_4: Reshape / com.microsoft.Attention")


if __name__ == "__main__":
    unittest.main()
