"""The page of two runs in a real browser: its rows, what differs, no errors, no network."""

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
class TwoRuns(unittest.TestCase):
    def test_they_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder, Browser(find_chromium()) as b:
            subprocess.run([sys.executable, SOURCE / "bench/models/make_models.py", folder, "--only", "bert_taso"], check=True, stdout=subprocess.DEVNULL)
            for name, flags in (("all", []), ("none", ["--no-rewrite"])):
                subprocess.run([PROGRAM, "-q", "optimize", f"{folder}/bert_taso.ci.onnx", "-o", f"{folder}/out.onnx", "--cost", "roofline:a100", "--no-measure",
                                "--record", f"{folder}/{name}.json", *flags], check=True, stdout=subprocess.DEVNULL)
            page = f"{folder}/page.html"
            subprocess.run([PROGRAM, "report", f"{folder}/all.json", f"{folder}/none.json", "-o", page], check=True, stdout=subprocess.DEVNULL)
            b.resize(1440, 1000)
            b.open(page)
            self.assertEqual(b.errors, [])
            self.assertEqual(b.requests, [f"file://{page}"], "nothing may be fetched")
            count = "document.querySelectorAll('{}').length".format
            self.assertGreater(b.run(count("#figures tr.differs")), 2)
            self.assertGreater(b.run(count("#steps .meter")), 10)
            self.assertGreater(b.run(count("#rules tbody tr")), 0)
            self.assertGreater(b.run(count("#rewrites .side:first-child details")), 0)
            self.assertEqual(b.run(count("#rewrites .side:last-child details")), 0)
            for width in (1440, 400):
                b.resize(width, 1000)
                self.assertLessEqual(b.run("document.documentElement.scrollWidth"), width, "nothing is cut off")


if __name__ == "__main__":
    unittest.main()
