"""The page of an e-graph in a real browser: folded to what was chosen, unfolded on a click, searched; no errors, no network."""

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
GRAPH = """graph m {
  %0 = input{name="x"} : f32[3,8]
  %1 = weight{name="a"} : f32[8,4]
  %2 = weight{name="b"} : f32[4,2]
  %3 = matmul(%0, %1) : f32[3,4]
  %4 = matmul(%3, %2) : f32[3,2]
  %5 = relu(%4) : f32[3,2]
  return %5
}
"""


@unittest.skipUnless(find_chromium(), "no Chromium: apt-get install chromium, or set ISOMER_CHROMIUM")
class EGraphPage(unittest.TestCase):
    def test_it_can_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            page = f"{folder}/page.html"
            Path(f"{folder}/m.graph").write_text(GRAPH)
            subprocess.run([PROGRAM, "-q", "explore", f"{folder}/m.graph", "--html", page, "--cost", "roofline:a100"],
                           check=True, stdout=subprocess.DEVNULL)
            with Browser(find_chromium()) as b:
                b.open(page)
                count = "document.querySelectorAll('{}').length".format
                boxes, rows = b.run(count(".eclass")), b.run(count(".eclass rect.row"))
                self.assertEqual(boxes, rows, "folded: an e-node for each class")
                self.assertEqual(b.run(count(".eclass rect.row.picked")), rows)
                self.assertEqual(b.run(count(".eclass.root")), 1)
                b.run("document.getElementById('unfold').click()")
                self.assertGreater(b.run(count(".eclass rect.row")), b.run(count(".eclass")))
                b.run("document.getElementById('fold').click()")
                self.assertEqual(b.run(count(".eclass rect.row")), b.run(count(".eclass")))
                b.run("(() => { const s = document.getElementById('search'); s.value = 'matmul-assoc'; s.dispatchEvent(new Event('input')); })()")
                self.assertRegex(b.run("document.getElementById('found').textContent"), r"^[1-9]\d* e-nodes$")
                self.assertGreater(b.run(count("#aside li")), 0)
                b.run("document.querySelector('#aside button').click()")
                self.assertEqual(b.run(count(".eclass.selected")), 1)
                self.assertEqual(b.errors, [])
                self.assertEqual(b.requests, [f"file://{page}"], "nothing may be fetched")


if __name__ == "__main__":
    unittest.main()
