"""The programs of bench/ that are written in Python: each compiles, and each that is a program says what it does."""

import concurrent.futures
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "bench").glob("**/*.py"))
PROGRAMS = [file for file in FILES if file.read_text().startswith("#!")]


def said_of_itself(program: Path) -> subprocess.CompletedProcess:
    """Without what is optional: a peer's package that is missing is no reason to be silent."""
    return subprocess.run([sys.executable, program, "--help"], capture_output=True, text=True, timeout=120)


class Programs(unittest.TestCase):
    def test_each_file_compiles(self):
        self.assertGreater(len(FILES), len(PROGRAMS))
        for file in FILES:
            with self.subTest(file.name):
                compile(file.read_text(), str(file), "exec")

    def test_each_program_says_what_it_does(self):
        self.assertIn(ROOT / "bench/run.py", PROGRAMS)
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
            for program, done in zip(PROGRAMS, pool.map(said_of_itself, PROGRAMS)):
                with self.subTest(program.name):
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(done.stdout.startswith(f"usage: {program.name}"), done.stdout)
                    self.assertGreater(len(done.stdout.splitlines()), 3)


if __name__ == "__main__":
    unittest.main()
