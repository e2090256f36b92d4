"""`isomer verify` on the adversary's pairs: no different one is called equivalent, no equal one different."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import score
    MISSING = None
except ImportError as error:
    MISSING = str(error)

SOURCE = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(SOURCE / "build/release/isomer"))
UNDECIDED = 0.02  # of either kind, at most


@unittest.skipIf(MISSING is not None, MISSING)
@unittest.skipUnless(Path(PROGRAM).exists(), "the program is not built")
class Pairs(unittest.TestCase):
    def test_every_pair(self):
        judged, _ = score.judge_pairs(PROGRAM, "", max(1, (os.cpu_count() or 1) // 2))
        for different in (True, False):
            here = [(p.name, outcome) for p, outcome in judged if p.different == different]
            wrong = "equal" if different else "different"
            self.assertEqual([], [name for name, outcome in here if outcome == wrong], f"called {wrong}")
            undecided = [name for name, outcome in here if outcome == "undecided"]
            self.assertLessEqual(len(undecided), UNDECIDED * len(here), undecided)


if __name__ == "__main__":
    unittest.main()
