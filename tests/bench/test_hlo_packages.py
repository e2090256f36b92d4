"""What bench/hlo_packages.py and its drivers do without a package: the order of packages, and the layouts of a module's head."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path[:0] = [str(BENCH), str(BENCH / "hlo_drivers")]

from hlo_packages import timed_out_last  # noqa: E402
from lower import with_default_layouts  # noqa: E402


class Packages(unittest.TestCase):
    def test_what_the_limit_ended_comes_after_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            self.assertEqual(timed_out_last(["b", "a", "c"], out), ["b", "a", "c"])
            ends = [("b", True), ("c", True), ("a", False), ("c", False)]
            lines = [json.dumps({"package": package, "timed_out": late}) for package, late in ends]
            (out / "commands.jsonl").write_text("\n".join([*lines, '{"package":"a","timed']))  # a killed run left the last one
            self.assertEqual(timed_out_last(["b", "a", "c", "d"], out), ["a", "c", "d", "b"])

    def test_a_module_has_default_layouts(self):
        head = "HloModule m, entry_computation_layout={(f32[6,3]{0,1}, s32[])->(f32[3]{0}, (f32[2,3,4]{0,2,1}, pred[]))}, replica_count=2"
        self.assertEqual(with_default_layouts(head),
                         "HloModule m, entry_computation_layout={(f32[6,3]{1,0}, s32[])->(f32[3]{0}, (f32[2,3,4]{2,1,0}, pred[]))}, replica_count=2")


if __name__ == "__main__":
    unittest.main()
