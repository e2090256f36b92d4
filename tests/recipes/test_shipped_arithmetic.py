"""rules/shipped.arithmetic: it knows each shipped rule, by files as they are, and says what is measured (of one file here, of all in
rules.arithmetic, which is long); nothing is measured again where it says so already."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
ROOT = Path(__file__).resolve().parents[2]
ANEW = "tools/rule_arithmetic writes rules/shipped.arithmetic anew"
MEASURED = "arithmetic/1"  # where the store keeps it


class ShippedArithmetic(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def program(self, *words, rules=ROOT / "rules"):
        environment = {**os.environ, "ISOMER_CACHE": str(self.folder / "cache"), "ISOMER_RULES": str(rules)}
        done = subprocess.run([PROGRAM, "-q", *words, "--json"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def kept(self):
        return self.program("cache", "info")["spaces"]

    def shipped(self):
        """By file: hash, and arithmetic by rule."""
        out = {}
        for line in (ROOT / "rules/shipped.arithmetic").read_text().splitlines():
            if line.startswith("  "):
                rule, said = line.strip().split(": ", 1)
                rules[rule] = said
            elif line and not line.startswith("#"):
                file, hash_ = line.split()
                out[file] = (hash_, rules := {})
        return out

    @staticmethod
    def arithmetic(listed):
        return {Path(f["file"]).name: (f["hash"], {r["rule"]: r["arithmetic"] for r in f["rules"]}) for f in listed["files"]}

    def test_each_rule_is_known(self):
        listed = self.program("rules", "list")
        self.assertNotIn(MEASURED, self.kept(), ANEW)
        self.assertEqual(listed["listed"], listed["rules"])
        self.assertGreater(listed["rules"], 300)
        self.assertEqual(self.shipped(), self.arithmetic(listed), ANEW)

    def test_it_says_what_is_measured(self):
        bare = self.folder / "rules"
        bare.mkdir()
        measured = self.arithmetic(self.program("rules", "list", ROOT / "rules/onnxruntime.rules", rules=bare))
        self.assertIn(MEASURED, self.kept())
        self.assertEqual({"onnxruntime.rules": self.shipped()["onnxruntime.rules"]}, measured, ANEW)

    def test_of_another_content_nothing_is_said(self):
        own = self.folder / "own.rules"
        shutil.copy(ROOT / "rules/neighbours.rules", own)
        self.program("rules", "list", own)  # known by its content, wherever it lies
        self.assertNotIn(MEASURED, self.kept())
        own.write_text(own.read_text() + "# one's own\n")
        self.program("rules", "list", own)
        self.assertIn(MEASURED, self.kept())


if __name__ == "__main__":
    unittest.main()
