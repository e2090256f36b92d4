"""tools/try_pages on small pages with one fault each, and with none."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()


class TryPages(unittest.TestCase):
    def try_page(self, text: str, *options: str) -> tuple[int, str]:
        """Status and what is printed, of a page in whose folder `isomer` is a program that prints "3 of 4.5"."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "isomer")
            program.write_text('#!/bin/sh\necho "3 of 4.5"; exit "${1:-0}"\n')
            program.chmod(0o755)
            page = Path(folder, "page.md")
            page.write_text(text)
            done = subprocess.run([sys.executable, ROOT / "tools/try_pages", "--build", folder, *options, page],
                                  capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_right_pages(self):
        for text in ("```console\n$ isomer\n3 of 4.5\n```\n",
                     "```console\n$ isomer\n3 of 17.25\n```\n",  # a number with a point is another each time
                     "```console\n$ isomer\n3 ... 4.5\n\n$ echo a; echo b\n...\nb\n```\n",
                     "```console\n$ isomer 4\n3 of 4.5\n$ echo $?\n4\n```\n",
                     "```console measured\n$ isomer\nsomething else\n```\n",
                     "```console noted\n$ no-such-program\n```\n",
                     "```text a.txt\nfirst\n```\n\n```console\n$ cat a.txt\nfirst\n```\n",
                     "```console\n$ echo a \\\n    b\na b\n```\n"):
            with self.subTest(text):
                status, out = self.try_page(text)
                self.assertEqual(status, 0, out)

    def test_wrong_pages(self):
        for text, said in (("```console\n$ isomer\n2 of 4.5\n```\n", "+3 of 4.5"),
                           ("```console\n$ isomer\n```\n", "+3 of 4.5"),
                           ("```console\n$ isomer 3\n3 of 4.5\n```\n", "status 3"),
                           ("```console measured\n$ isomer 3\n```\n", "status 3"),
                           ("```console nonsense\n$ isomer\n```\n", "unknown after console: nonsense"),
                           ("```console\nisomer\n```\n", "expected '$ ' and a command")):
            with self.subTest(text):
                status, out = self.try_page(text)
                self.assertEqual(status, 1, out)
                self.assertIn(said, out)

    def test_what_is_missing(self):
        status, out = self.try_page("```console\n$ isomer 5\n```\n\n```console\n$ isomer\n```\n")
        self.assertEqual(status, 77, out)  # all that there was
        self.assertIn("line 2: 3 of 4.5", out)
        self.assertIn("1 commands", out)

    def test_slow_pages(self):
        text = "```console slow\n$ isomer\n2 of 4.5\n```\n"
        self.assertEqual(self.try_page(text)[0], 0)
        self.assertIn("1 not run", self.try_page(text)[1])
        self.assertEqual(self.try_page(text, "--slow")[0], 1)


if __name__ == "__main__":
    unittest.main()
