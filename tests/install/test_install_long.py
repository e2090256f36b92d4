"""What `make install` brings is enough by itself: the program runs, and another project finds and links the library."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()
BUILD = Path(os.environ.get("ISOMER_BINARY_DIR") or ROOT / "build/release")
VERSION = (ROOT / "VERSION").read_text().strip()

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(Isomer REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE isomer::isomer)
"""
PROGRAM = """#include <isomer/isomer.h>
#include <iostream>
int main() { std::cout << isomer::version() << "\\n"; }
"""


def run(*command, **settings) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **settings)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = Path(cls.folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    def test_program_runs_with_what_was_installed(self):
        program = self.prefix / "bin/isomer"
        self.assertIn(VERSION, run(program, "--version"))
        needed = run("ldd", program)
        self.assertIn(str(self.prefix), next(line for line in needed.splitlines() if "highs" in line))
        for name in ("workers/protocol.py", "rules"):
            self.assertTrue((self.prefix / "share/isomer" / name).exists(), name)

    def test_another_project_finds_and_links_the_library(self):
        source = Path(self.folder.name, "consumer")
        source.mkdir()
        (source / "CMakeLists.txt").write_text(PROJECT)
        (source / "main.cpp").write_text(PROGRAM)
        run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", source / "build")
        self.assertEqual(run(source / "build/consumer").strip(), VERSION)


if __name__ == "__main__":
    unittest.main()
