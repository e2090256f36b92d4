"""Another project finds and links the library that `make install` brings."""

import unittest
from pathlib import Path

from install.installed import VERSION, Installed, run

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


class Library(Installed):
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
