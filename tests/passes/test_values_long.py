"""XLA computes the same before and after passes: modules in which each rule applies (rules.txt), those of the other passes
(pairs), and the corpus by each pass and by all together."""

import collections
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parents[1] / "bench")]
from hlo_fuzz import LIBRARY
from xla import LEFT_OUT_FOR_FUSIONS, ROOT, XlaTest

PROGRAM = os.environ.get("ISOMER_PROGRAM", str(ROOT / "build/release/isomer"))
TOLERANCE = 1e-4  # of the largest element
REORDERED = 1e-3  # where sums are in another order: a program of the corpus takes a root of a difference that cancels
LEAST_THAT_RUN = 40  # of the corpus
LARGEST = 60_000  # bytes of a text
PASSES = [p.stem for p in sorted((FOLDER / "pairs").glob("*.txt"))]
COLLECTIVES = [name for name in PASSES if name.startswith(("all-", "reduce-scatter"))]  # test_replicas_long.py
FUSIONS = [name for name in PASSES if "fusion" in name]
REDUCERS = "".join(f"{name} {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] {opcode}(a, b)\n}}\n\n"
                   for name, opcode in (("sum", "add"), ("most", "maximum")))


class Values(XlaTest):
    def agrees(self, path, passes="algsimp,cse", tolerance=TOLERANCE):
        """True; or None where XLA does not run the module at all."""
        after = Path(self.scratch.name) / "after.hlo"
        done = subprocess.run([PROGRAM, "hlo", "passes", path, "--only", passes, "-o", after], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        disabled = LEFT_OUT_FOR_FUSIONS if passes in FUSIONS else []
        answer = self.worker.ask(op="race", modules=[path.read_text(), after.read_text()], rounds=1, disabled=disabled)
        if not answer["ok"]:
            self.assertIn("{...}", answer["error"] + path.read_text(), f"{path}: {answer['error']}")
            return None
        before, then = answer["modules"]
        if "error" in before:
            return None
        self.assertNotIn("error", then, path)
        self.assertIsNotNone(then["difference"], path)
        self.assertLessEqual(then["difference"], tolerance, path)
        return True

    def test_rules(self):
        for number, case in enumerate(re.split(r"^== ", (FOLDER / "rules.txt").read_text(), flags=re.M)[1:]):
            rule, instructions = case.split("\n", 1)
            path = Path(self.scratch.name) / f"{number}-{rule}.hlo"
            path.write_text(f"HloModule m\n\n{REDUCERS}ENTRY main {{\n{instructions}}}\n")
            with self.subTest(rule=rule):
                self.assertTrue(self.agrees(path))

    def test_pairs(self):
        ran = collections.Counter()
        for file in sorted((FOLDER / "pairs").glob("*.txt")):
            for number, case in enumerate(re.split(r"^== ", file.read_text(), flags=re.M)[1:]):
                about, text = case.split("\n", 1)
                before, arrow, _ = text.partition("\n=>\n")
                if not arrow or "(not asked of XLA" in about or file.stem in COLLECTIVES:
                    continue
                path = Path(self.scratch.name) / f"{file.stem}-{number}.hlo"
                path.write_text(f"HloModule m\n\n{REDUCERS}" + (before if "ENTRY " in before else f"ENTRY main {{\n{before}\n}}\n"))
                with self.subTest(of=file.stem, about=about):
                    ran[file.stem] += bool(self.agrees(path, file.stem))
        self.assertEqual([name for name in PASSES if not ran[name] and name not in (*COLLECTIVES, *LIBRARY)], [])

    def test_corpus(self):
        paths = [p for p in sorted((FOLDER.parent / "hlo/corpus").rglob("*.txt")) if p.stat().st_size < LARGEST]
        for passes, tolerance in (("algsimp,cse", TOLERANCE), (",".join(p for p in PASSES if p not in (*FUSIONS, *LIBRARY)), REORDERED)):
            with self.subTest(passes=passes):
                self.assertGreaterEqual(sum(bool(self.agrees(path, passes, tolerance)) for path in paths), LEAST_THAT_RUN)


if __name__ == "__main__":
    unittest.main()
