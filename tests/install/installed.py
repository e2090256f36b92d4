"""What `make install` brings, in a folder of a test's own."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()
BUILD = Path(os.environ.get("ISOMER_BINARY_DIR") or ROOT / "build/release")
VERSION = (ROOT / "VERSION").read_text().strip()


def run(*command, **settings) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **settings)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="isomer-install-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = Path(cls.folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
