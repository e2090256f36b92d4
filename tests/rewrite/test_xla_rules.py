"""rules/xla is read as it stands, and a few of its rules are judged: the verdicts of all are test_xla_rules_long.py's."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(ROOT / "build/release/isomer"))
RULE = re.compile(r"^rule (xla-[0-9a-z-]+) \{.*?^\}\n", re.MULTILINE | re.DOTALL)
TRUE = {"xla-2", "xla-23", "xla-24-no-wrap", "xla-46", "xla-83-in-bounds", "xla-89-in-bounds"}
FALSE = {"xla-24", "xla-87", "xla-91"}


class XlaRules(unittest.TestCase):
    def setUp(self):
        self.rules = {}
        for file in sorted((ROOT / "rules/xla").glob("*.rules")):
            self.rules.update((match[1], match[0]) for match in RULE.finditer(file.read_text(encoding="utf-8")))

    def run_rules(self, *arguments):
        return subprocess.run([PROGRAM, "rules", *arguments], capture_output=True, text=True)

    def test_all_are_read(self):
        self.assertEqual(len(self.rules), 129)
        done = self.run_rules("list", *map(str, sorted((ROOT / "rules/xla").glob("*.rules"))))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(re.findall(r"^ +(xla-[0-9a-z-]+)", done.stdout, re.MULTILINE)), set(self.rules))

    def test_some_are_judged(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "some.rules")
            file.write_text("\n".join(self.rules[rule] for rule in sorted(TRUE | FALSE)), encoding="utf-8")
            done = self.run_rules("check", str(file), "--instances", "8", "--json")
        found = {row["rule"]: row for row in json.loads(done.stdout)["list"]}
        for rule in TRUE:
            self.assertIn(found[rule]["verdict"], ("identity", "sampled", "tested"), rule)
            self.assertEqual(found[rule]["instances"], 8, rule)
        self.assertEqual({rule for rule, row in found.items() if row["verdict"] == "refuted"}, FALSE)


if __name__ == "__main__":
    unittest.main()
