"""tools/verdict_changes: what is weaker, stronger, new and gone between two folders of verdicts."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def listed(lists, unchecked=0):
    with tempfile.TemporaryDirectory() as root:
        folders = []
        for name, files in (("old", lists[0]), ("new", lists[1])):
            (Path(root) / name).mkdir()
            folders.append(str(Path(root) / name))
            for file, rules in files.items():
                rows = [{"rule": rule, "verdict": verdict, "how": f"how {rule} | is", "stability": "exact", "stability_reason": "why",
                         "measured_stability": "unstable" if rule == "c" else "exact"} for rule, verdict in rules.items()]
                Path(folders[-1], f"{file}.json").write_text(json.dumps({"rules": len(rows) + unchecked, "list": rows}))
        return subprocess.run([sys.executable, ROOT / "tools/verdict_changes", *folders], capture_output=True, text=True)


class VerdictChanges(unittest.TestCase):
    def test_what_is_weaker_is_listed_with_what_is_said_now(self):
        before = {"algebra.rules": {"a": "proved", "b": "proved", "c": "tested", "gone": "proved"}}
        now = {"algebra.rules": {"a": "identity", "b": "refuted", "c": "identity", "added": "tested"}, "layouts.rules": {"d": "identity"}}
        done = listed((before, now))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| algebra.rules | 4: 3 identity, 1 tested | 4: 2 identity, 1 tested, 1 refuted | 1 | 1 | 1 | 1 |", done.stdout)
        self.assertIn("| layouts.rules | 0: none | 1: 1 identity | 0 | 0 | 1 | 0 |", done.stdout)
        self.assertIn("| algebra.rules | `b` | identity | refuted: how b \\| is |", done.stdout)
        self.assertNotIn("`a`", done.stdout)
        self.assertIn("| algebra.rules | `c` | exact | unstable: why |", done.stdout)
        self.assertIn("algebra.rules, new: `added`", done.stdout)
        self.assertIn("algebra.rules, gone: `gone`", done.stdout)
        self.assertNotIn("`d`", done.stdout)

    def test_what_was_not_checked_is_not_gone(self):
        done = listed(({"a": {"x": "proved", "y": "tested"}}, {"a": {"x": "identity"}}), unchecked=1)
        self.assertIn("| a | 3: 1 identity, 1 tested, 1 not checked | 2: 1 identity, 1 not checked | 0 | 0 | 0 | 0 |", done.stdout)
        self.assertNotIn("gone:", done.stdout)

    def test_a_folder_of_nothing_is_said(self):
        done = listed(({}, {"a": {"b": "tested"}}))
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no .json", done.stderr)


if __name__ == "__main__":
    unittest.main()
