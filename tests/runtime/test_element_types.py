"""workers/element_types.py and the table in src/ir/dtype.cpp name the same element types, of the same widths."""

import re
import sys
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workers"))

from element_types import NAME_OF, ROWS  # noqa: E402


class ElementTypes(unittest.TestCase):
    def setUp(self):
        text = (ROOT / "src/ir/dtype.cpp").read_text(encoding="utf-8")
        self.names = set(re.findall(r'set\(DType::\w+,[^"]*"(\w+)"', text))
        self.integers = dict(re.findall(r'integer\("(\w+)", (\d+)', text))

    def test_are_of_the_table(self):
        self.assertGreater(len(self.names), 20)
        self.assertLessEqual({ours for ours, _, _ in ROWS}, self.names)

    def test_have_the_widths_of_the_table(self):
        self.assertEqual(len(self.integers), 14, self.integers)
        for kind, name in NAME_OF.items():
            digits = re.sub(r"\D", "", name)
            self.assertEqual(kind.itemsize * 8, int(digits) if digits else 8, name)
            if name in self.integers:
                self.assertEqual(kind.itemsize * 8, int(self.integers[name]))
            self.assertIs(NAME_OF[np.dtype(kind)], name)


if __name__ == "__main__":
    unittest.main()
