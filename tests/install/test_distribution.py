"""The distribution: isomer-opt by name (`isomer` on the package index is somebody else's), imported as isomer."""

import email
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()
NAME = "isomer-opt"
BACKEND = "import sys; from scikit_build_core import build; print(build.prepare_metadata_for_build_wheel(sys.argv[1]))"


class Distribution(unittest.TestCase):
    def test_metadata(self):
        with tempfile.TemporaryDirectory(prefix="isomer-metadata-") as folder:
            done = subprocess.run([sys.executable, "-c", BACKEND, folder], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = email.message_from_string(Path(folder, done.stdout.split()[-1], "METADATA").read_text())
        self.assertEqual((said["Name"], said["Version"]), (NAME, (ROOT / "VERSION").read_text().strip()))
        self.assertEqual(said["Requires-Python"], ">=3.11")

    def test_nobody_is_told_to_install_the_other_one(self):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True).stdout.split("\0")
        pages = [ROOT / name for name in listed if name.endswith((".md", ".py", ".cpp", ".h", ".ipynb", ".toml", ".inc"))]
        self.assertIn(ROOT / "README.md", pages)
        other = re.compile(rf"pip3? install [^`\n]*\bisomer\b(?!{NAME.removeprefix('isomer')})(?!\.)")
        self.assertRegex("pip install isomer[rl]", other)
        self.assertNotRegex(f"pip install {NAME}[rl]", other)
        for page in pages:
            with self.subTest(page.name):
                text = page.read_text(errors="replace") if page.is_file() and page != Path(__file__).resolve() else ""
                self.assertIsNone(other.search(text))


if __name__ == "__main__":
    unittest.main()
