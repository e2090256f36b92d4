"""Complicated rules of rules/xla, each changed wrongly in one place: all are refuted. That what is right stands says little where what is
wrong would stand too. A mutant is a rule's text with one piece of it replaced, so that both sides still have one type. Of rules of
convolutions four are among them, which take most of the time.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(ROOT / "build/release/isomer"))
INSTANCES = 32
MORE = {"75": 512}  # what is drawn for it seldom has padding
MUTANTS = [  # rule, what stands there, what instead
    ("12", "(mul ?c ?d)", "(add ?c ?d)"),
    ("15", "(mul (add ?a ?b) ?c)", "(mul (sub ?a ?b) ?c)"),
    ("42", "(greater ?a ?b)", "(greater ?b ?a)"),
    ("72", "starts=at(?s, ?m)", "starts=at(?s, ?m) * 0"),
    ("73", "?l == slice(?q, 0, rank(?a))", "?l == slice(?q, rank(?a), 2 * rank(?a))"),
    ("74", "!(?e > ?l)", "!(?e > ?l + 1)"),
    ("75", "starts=?s - ?l, ends=?e - ?l", "starts=?s - 0 * ?l, ends=?e - 0 * ?l"),
    ("76", "starts=?s + ?t, ends=?s + ?f", "starts=?t, ends=?f"),
    ("80", "at(?s, ?d) >= dim(?a, ?d)", "at(?e, ?d) >= dim(?a, ?d)"),
    ("81", "(concat{axis=?d} ?b ?c)", "(concat{axis=?d} ?c ?b)"),
    ("82", "let ?r = ?e - ?s - 1 - (?e - ?s - 1) % ?p;", "let ?r = ?e - ?s - 1;"),
    ("85", "(constant{id=vector(?m)})", "(constant{id=vector(?m * 0)})"),
    ("86", "(gather{axis=0} ?s (constant{id=vector(inverse(?p))}))", "?s"),
    ("88", "(add ?b (dynamic_slice{sizes=shape(?b)} ?a ?s))", "?b"),
    ("94", "if join(?n, ?n) * ?q == 0, ?n * ?i == 0;", ""),
    ("95", "starts=max(0 - ?l, 0), ends=shape(?a) + max(?l, 0) + ?h", "starts=iota(rank(?a)) * 0, ends=shape(?a) + ?l + ?h"),
    ("98", "marks(?d, rank(?a)) + marks(?e, rank(?a))", "marks(?d, rank(?a)) + 0 * marks(?e, rank(?a))"),
    ("116", "splat(?z) == 0, ", ""),
    ("117", "splat(?z) == 0, ", ""),
    ("119-size-kept", "(reverse{axes=iota(?n) + 2} ?w)", "?w"),
    ("121", "splat(?z) == 0, ", ""),
]


def rules():
    """Number -> its text."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "rules/xla").glob("*.rules")))
    return {number: body for number, body in re.findall(r"^(?=rule xla-(\S+) \{)(.*?^\}$)", text, re.MULTILINE | re.DOTALL)}


def verdicts(texts, instances):
    with tempfile.TemporaryDirectory(prefix="isomer-mutants-") as folder:
        file = Path(folder) / "mutants.rules"
        file.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
        done = subprocess.run([PROGRAM, "rules", "check", file, "--instances", str(instances), "--json"], capture_output=True, text=True)
    return {row["rule"]: row for row in json.loads(done.stdout)["list"]}


class Mutants(unittest.TestCase):
    def test_what_is_changed_wrongly_does_not_stand(self):
        known, texts, found = rules(), {}, {}  # texts: by how many instances are checked
        for index, (rule, there, instead) in enumerate(MUTANTS):
            self.assertEqual(known[rule].count(there), 1, f"{rule}: {there}")
            mutant = known[rule].replace(there, instead).replace(f"rule xla-{rule} ", f"rule mutant-{index} ").replace("stability exact", "stability unstable")
            texts.setdefault(MORE.get(rule, INSTANCES), []).append(mutant)
        for instances, mutants in texts.items():
            found.update(verdicts(mutants, instances))
        for index, (rule, there, instead) in enumerate(MUTANTS):
            with self.subTest(rule=rule, there=there, instead=instead):
                row = found[f"mutant-{index}"]
                self.assertEqual(row["verdict"], "refuted", row)


if __name__ == "__main__":
    unittest.main()
