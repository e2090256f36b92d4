"""The page of exemplars in a real browser: both graphs of each, what differs, no errors, no network."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from browser import Browser, find_chromium

SOURCE = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(SOURCE / "build/release/isomer"))


@unittest.skipUnless(find_chromium(), "no Chromium: apt-get install chromium, or set ISOMER_CHROMIUM")
class Exemplars(unittest.TestCase):
    def test_it_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder, Browser(find_chromium()) as b:
            parts, page = f"{folder}/parts", f"{folder}/page.html"
            subprocess.run([PROGRAM, "-q", "hlo", "dataset", "subgraphs", SOURCE / "tests/hlo/corpus/hloenv", "-o", parts, "--instructions", "10,20",
                            "--passes", "algsimp", "--tries", "4"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([PROGRAM, "-q", "hlo", "exemplars", parts, "-o", page, "--search", "beam", "--evaluations", "50", "--most", "3"],
                           check=True, stdout=subprocess.DEVNULL)
            b.resize(1440, 1000)
            b.open(page)
            self.assertEqual(b.errors, [])
            self.assertEqual(b.requests, [f"file://{page}"], "nothing may be fetched")
            count = "document.querySelectorAll('{}').length".format
            shown = b.run(count(".exemplar"))
            self.assertGreater(shown, 0)
            self.assertEqual(b.run(count(".exemplar .side svg")), 2 * shown)
            self.assertGreater(b.run(count(".exemplar .side.before .node.alone")), 0)
            self.assertGreater(b.run(count(".exemplar .node > title")), 10)


if __name__ == "__main__":
    unittest.main()
