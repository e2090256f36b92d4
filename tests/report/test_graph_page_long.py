"""The page of one program in a real browser: its boxes, what is under the pointer, its search; no errors, no network."""

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
BEGIN = "(() => { const s = document.getElementById('search'); "


@unittest.skipUnless(find_chromium(), "no Chromium: apt-get install chromium, or set ISOMER_CHROMIUM")
class GraphPage(unittest.TestCase):
    def test_it_can_be_read(self):
        with tempfile.TemporaryDirectory() as folder, Browser(find_chromium()) as b:
            page = f"{folder}/page.html"
            subprocess.run([PROGRAM, "-q", "hlo", "graph", SOURCE / "tests/hlo/corpus/jax/lstm_cell.txt", "--html", page],
                           check=True, stdout=subprocess.DEVNULL)
            b.resize(1440, 1000)
            b.open(page)
            count = "document.querySelectorAll('{}').length".format
            self.assertGreater(b.run(count("#panels .node.node")), 10)
            self.assertEqual(b.overlaps(0), 0)
            self.assertIn("as a program", b.run("document.getElementById('note').textContent"))
            b.run(BEGIN + "s.value = 'exp'; s.dispatchEvent(new Event('input')); })()")
            self.assertRegex(b.run("document.getElementById('found').textContent"), r"^[1-9]\d* found$")
            self.assertGreater(b.run(count(".node.match")), 0)
            b.run(BEGIN + "s.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' })); })()")
            self.assertEqual(b.run(count(".node.selected")), 1)
            b.run("document.querySelector('.node.selected').dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 300, clientY: 300 }))")
            self.assertFalse(b.run("document.getElementById('tip').hidden"))
            self.assertIn("shape", b.run("document.getElementById('tip').textContent"))
            theme = b.run("document.documentElement.dataset.theme || ''")
            b.run("document.getElementById('theme').click()")
            self.assertNotEqual(b.run("document.documentElement.dataset.theme"), theme)
            self.assertEqual(b.errors, [])
            self.assertEqual(b.requests, [f"file://{page}"], "nothing may be fetched")


if __name__ == "__main__":
    unittest.main()
