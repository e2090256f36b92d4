"""The checks of tools/ on small trees with one fault each: a check that passes everything checks nothing."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()

TABLE = ("isomer_layer(support)\nisomer_layer(ir USES support LIBS fmt TESTS cost)\nisomer_layer(cost USES ir)\n"
         "isomer_layer(search USES support)\n")


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class CheckLayers(Folder):
    def check(self, **files: str) -> str:
        """What check_layers prints about a tree of headers, named LAYER_NAME=text."""
        (self.root / "src").mkdir(exist_ok=True)
        self.write("CMakeLists.txt", TABLE)
        for name, text in {"support_ids": "", "ir_graph": '#include "support/ids.h"', **files}.items():
            self.write(f"src/{name.replace('_', '/', 1)}.h", f"#pragma once\n{text}\n")
        done = subprocess.run([sys.executable, ROOT / "tools/check_layers", self.root], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0 if ", 0 faults" in done.stdout else 1, done.stdout + done.stderr)
        return done.stdout

    def test_what_is_allowed(self):
        self.assertIn("0 faults", self.check(cost_roof='#include "ir/graph.h"\n#include "support/ids.h"'))

    def test_upward_include(self):
        self.assertIn("src/support/a.h:2: support may not use ir", self.check(support_a='#include "ir/graph.h"'))

    def test_sideways_include(self):
        self.assertIn("src/search/a.h:2: search may not use ir", self.check(search_a='#include "ir/graph.h"'))

    def test_circle(self):
        found = self.check(ir_a='#include "ir/b.h"', ir_b='#include "ir/a.h"')
        self.assertIn("includes itself: src/ir/a.h -> src/ir/b.h -> src/ir/a.h", found)

    def test_relative_include(self):
        self.assertIn("is not a path from src/", self.check(ir_a='#include "graph.h"'))

    def test_missing_file(self):
        self.assertIn("is not a path from src/", self.check(ir_a='#include "ir/gone.h"'))

    def test_table_names_what_stands_above(self):
        (self.root / "src").mkdir()
        self.write("CMakeLists.txt", "isomer_layer(support USES ir)\nisomer_layer(ir)\n")
        done = subprocess.run([sys.executable, ROOT / "tools/check_layers", self.root], capture_output=True, text=True)
        self.assertIn("layer support uses ir, which does not stand before it", done.stdout)

    def test_test_obeys_its_layer(self):
        self.write("tests/support/a_test.cpp", '#include "ir/graph.h"\n')
        self.assertIn("tests/support/a_test.cpp:1: support may not use ir", self.check())

    def test_test_sees_what_its_layer_names_for_it(self):
        self.write("tests/ir/a_test.cpp", '#include "cost/roof.h"\n')
        self.assertIn("0 faults", self.check(cost_roof=""))
        self.assertIn("src/ir/a.h:2: ir may not use cost", self.check(cost_roof="", ir_a='#include "cost/roof.h"'))


class CheckSizes(Folder):
    def check(self, **files: str) -> tuple[int, str]:
        for name, text in files.items():
            self.write(name.replace("__", "."), text)
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        done = subprocess.run([sys.executable, ROOT / "tools/check_sizes", self.root], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_what_is_allowed(self):
        status, said = self.check(a__cpp="void f(int a,\n       int b) {\n" + "  g();\n" * 77 + "}\n", b__py="x = 1\n" * 85)
        self.assertEqual((status, said.splitlines()[0][:16]), (0, "sizes: 2 files, "))

    def test_long_function(self):
        status, said = self.check(a__h="struct S {\n  void f() {\n" + "    g();\n" * 79 + "  }\n};\n")
        self.assertEqual((status, "a.h: void f() {: 81 lines" in said), (1, True), said)
        self.assertIn("b.py: f: 82 lines", self.check(b__py="def f():\n" + "    g()\n" * 81)[1])

    def test_text_is_no_function(self):
        text = 'const char* k = R"(graph f() {\n' + "  line\n" * 90 + '})";\nint g() {\n  return 1;\n}\n'
        self.assertEqual(self.check(a__cpp=text)[0], 0)

    def test_long_file(self):
        status, said = self.check(a__cpp="int x;\n" * 501)
        self.assertEqual((status, "a.cpp: 501 lines, more than 500" in said), (1, True), said)


class Expect(Folder):
    def setUp(self):
        super().setUp()
        self.write("build/isomer", '#!/bin/sh\necho "saw $1 in 12 ms"\necho "no $1" >&2\nexit ${2:-0}\n').chmod(0o755)

    def expect(self, text: str, *flags: str) -> tuple[int, str, str]:
        file = self.write("a.test", text)
        done = subprocess.run([sys.executable, ROOT / "tools/expect", "--build", self.root / "build", *flags, file],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, file.read_text()

    def test_agreement(self):
        text = "%run isomer x 3\nsaw x in {{[0-9]+}} ms\n%stderr\nno x\n%status 3\n"
        self.assertEqual(self.expect(text)[0], 0)

    def test_each_difference_is_seen(self):
        for text in ("%run isomer x\nsaw y in 12 ms\n", "%run isomer x\n", "%run isomer x 3\nsaw x in 12 ms\n",
                     "%run isomer x\nsaw x in 12 ms\n%stderr\nno y\n", "%run isomer x\nsaw x in 12 ms\nmore\n"):
            with self.subTest(text):
                self.assertEqual(self.expect(text)[0], 1)

    def test_update_makes_it_agree_and_keeps_wildcards(self):
        status, _, text = self.expect("About x.\n\n%run isomer x 3\nold\nsaw x in {{[0-9]+}} ms\n", "--update")
        self.assertEqual(status, 0)
        self.assertEqual(text, "About x.\n\n%run isomer x 3\nsaw x in {{[0-9]+}} ms\n%status 3\n")
        self.assertEqual(self.expect(text)[0], 0)

    def test_file_section(self):
        self.assertEqual(self.expect("%file sub/in.txt\none\n%run cat sub/in.txt\none\n")[0], 0)

    def test_a_file_without_commands_is_a_fault(self):
        self.assertNotEqual(self.expect("only text\n")[0], 0)


if __name__ == "__main__":
    unittest.main()
