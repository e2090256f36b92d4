"""The verdicts of docs/xla_rules.md are those of `isomer rules check` today, for every rule of rules/xla.

    python tests/rewrite/test_xla_rules_long.py --update    # writes them there
"""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(ROOT / "build/release/isomer"))
PAGE = ROOT / "docs/xla_rules.md"
INSTANCES = 32
COUNT = 121  # rules that are stated there
REFUTED = {"24", "25", "83", "87", "89", "91", "120"}
ROW = re.compile(r"^\| (?P<rule>\d+[a-z-]*) \| (?P<statement>.*?) \| (?P<verdict>[^|]*) \| (?P<arithmetic>[^|]*) \| (?P<remark>[^|]*) \|$")
FIT_NOTHING = {"90"}  # rules without a verdict


def verdicts():
    files = [str(path) for path in sorted((ROOT / "rules/xla").glob("*.rules"))]
    done = subprocess.run([PROGRAM, "rules", "check", *files, "--instances", str(INSTANCES), "--json"], capture_output=True,
                          text=True)
    out = {}
    answer = json.loads(done.stdout)
    if answer["checked"] != answer["rules"]:
        raise AssertionError(f"{answer['checked']} of {answer['rules']} rules were checked")
    for row in answer["list"]:
        verdict = "nothing fits" if row["verdict"] == "unknown" and row["instances"] == 0 else row["verdict"]
        if row["other_type"] > row["drawn"]:
            verdict += ", where the types agree"
        rule = row["rule"].removeprefix("xla-")
        if verdict not in ("refuted", "nothing fits") and row["instances"] < INSTANCES:
            verdict += f", at {row['instances']} instances"
        out[rule] = (verdict, row["arithmetic"] or "")
    return out


def rows():
    return [(number, match) for number, line in enumerate(PAGE.read_text(encoding="utf-8").split("\n"))
            if (match := ROW.match(line))]


def update():
    found, lines = verdicts(), PAGE.read_text(encoding="utf-8").split("\n")
    for number, row in rows():
        if row["rule"] in found:
            verdict, arithmetic = found[row["rule"]]
            lines[number] = f"| {row['rule']} | {row['statement']} | {verdict} | {arithmetic} | {row['remark']} |"
    PAGE.write_text("\n".join(lines), encoding="utf-8")


class Page(unittest.TestCase):
    maxDiff = None

    def test_verdicts_are_those_of_today(self):
        stated = {row["rule"]: (row["verdict"], row["arithmetic"]) for _, row in rows()}
        self.assertEqual(stated, verdicts())

    def test_every_rule_has_a_row(self):
        numbers = [row["rule"] for _, row in rows()]
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual({int(n) for n in numbers if n.isdigit()}, set(range(1, COUNT + 1)))

    def test_what_is_wrong_comes_out_so(self):
        by_rule = {row["rule"]: row["verdict"] for _, row in rows()}
        of = lambda verdict: {rule for rule, found in by_rule.items() if found == verdict}  # noqa: E731
        self.assertEqual(of("refuted"), REFUTED)
        self.assertEqual(of("nothing fits"), FIT_NOTHING)
        held = {rule for rule, found in by_rule.items() if found.split(",")[0] in ("identity", "sampled", "tested")}
        self.assertEqual(held, set(by_rule) - REFUTED - FIT_NOTHING)
        self.assertIn("where the types agree", by_rule["119"])


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
