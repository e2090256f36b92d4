"""workers/texts.py: texts that two models name, and what their patterns match."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import onnx
except ImportError:
    onnx = None

from texts import LONGEST, matching, texts_of  # noqa: E402


class Patterns(unittest.TestCase):
    def test_some_match_and_some_do_not(self):
        for pattern in ("ab[c-e]", "[a-z]{1,12}", r"a.c|\d+\.", "(x|yz)*q", "[^a]b", r"\s*$"):
            found = matching(pattern)
            self.assertTrue(any(re.fullmatch(pattern, text) for text in found), pattern)
            self.assertTrue(any(not re.fullmatch(pattern, text) for text in found), pattern)

    def test_ends_and_middle_of_a_range_and_both_ends_of_a_count(self):
        self.assertLessEqual({"abc", "abd", "abe"}, set(matching("ab[c-e]")))
        self.assertLessEqual({1, 12}, {len(t) for t in matching("[a-z]{1,12}") if t.isalpha()})

    def test_what_is_no_pattern_or_has_no_end(self):
        self.assertEqual(matching("("), [])
        self.assertTrue(matching("(a*)*"))


class Models(unittest.TestCase):
    @unittest.skipIf(onnx is None, "the package onnx is not installed")
    def test_attributes_constants_and_bodies(self):
        model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]> g (string[1] x, bool c) => (string[1] y)
            <string[1] w = {"given"}> {
            k = Constant <value_string = "written"> ()
            y = If (c) <then_branch = t () => (string[1] a) { a = Constant <value_strings = ["inner"]> () },
                        else_branch = e () => (string[1] b) { b = Identity (w) }>
            }""")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            onnx.save(model, path)
            found = texts_of([str(path)])
        self.assertLessEqual({"given", "written", "inner"}, set(found))
        self.assertIn("agivenb", "".join(found), "between other letters, as a separator")
        self.assertTrue(all(len(text) <= LONGEST for text in found))


if __name__ == "__main__":
    unittest.main()
