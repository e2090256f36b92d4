"""What tools/run_tests counts: cases, and skips by name and reason, whatever program held them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()
sys.path.insert(0, str(ROOT / "tools"))
from cases import Cases, cases_of_build, cases_of_file  # noqa: E402

GOOGLETEST = """<testsuites tests="5" failures="1" disabled="1"><testsuite name="A">
<testcase name="good" classname="A" status="run" result="completed"/>
<testcase name="bad" classname="A" status="run" result="completed"><failure message="x"/></testcase>
<testcase name="DISABLED_Long" classname="A" status="notrun" result="suppressed"/>
<testcase name="two" classname="A/B" status="run" result="skipped"><skipped message="a.cpp:7&#x0A;no runtime"/></testcase>
<testcase name="three" classname="A" status="run" result="skipped"><skipped message="a.cpp:9&#x0A;"/></testcase>
</testsuite></testsuites>"""
UNITTEST = """import unittest
class Some(unittest.TestCase):
    def test_good(self): pass
    @unittest.skip("no such device")
    def test_device(self): pass
"""
ALL_SKIPPED = """import unittest
@unittest.skip("no browser")
class Page(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): pass
"""
FAULTY = """import unittest
class Some(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self):
        for i in range(3):
            with self.subTest(i): self.fail()
    @unittest.expectedFailure
    def test_known(self): self.fail()
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-cases-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Counting(Folder):
    def of_build(self, tests: str) -> Cases:
        report = self.write("ctest.xml", f"<testsuite>{tests}</testsuite>")
        return cases_of_build(report, self.root / "cases", "release")

    def test_googletest(self):
        self.assertEqual(cases_of_file(self.write("a.xml", GOOGLETEST)),
                         Cases(1, 1, [("A/B.two", "no runtime"), ("A.three", "a.cpp:9")]))

    def test_a_program_that_counts(self):
        self.write("cases/ir.xml", GOOGLETEST)
        found = self.of_build('<testcase name="ir" status="fail"/>')
        self.assertEqual((found.passed, found.failed, found.failures), (1, 1, ["release: ir"]))
        self.assertIn(("release: ir: A/B.two", "no runtime"), found.skipped)

    def test_a_program_that_does_not_count(self):
        self.assertEqual(self.of_build('<testcase name="x" status="run"/>'), Cases(passed=1))
        self.assertEqual(self.of_build('<testcase name="x" status="fail"/>'), Cases(failed=1, failures=["release: x"]))

    def test_a_skipped_program_gives_its_last_line(self):
        skip = '<testcase name="x" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>{}</system-out></testcase>'
        self.assertEqual(self.of_build(skip.format("word\nno z3\n\n")), Cases(skipped=[("release: x", "no z3")]))
        self.assertEqual(self.of_build(skip.format("")), Cases(skipped=[("release: x", "no reason given")]))

    def test_a_program_that_is_missing_is_a_failure(self):
        missing = '<testcase name="x" status="notrun"><skipped message="Unable to find executable"/></testcase>'
        self.assertEqual(self.of_build(missing), Cases(failed=1, failures=["release: x"]))

    def test_nothing_but_skips_is_no_pass(self):
        self.write("cases/x.json", json.dumps({"passed": 0, "failed": 0, "skipped": [["one", "why"], ["two", "why"]]}))
        for test in ('<testcase name="x" status="run"/>',
                     '<testcase name="x" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'):
            with self.subTest(test):
                self.assertEqual(self.of_build(test), Cases(skipped=[("release: x: one", "why"), ("release: x: two", "why")]))

    def test_a_program_without_cases_is_a_failure(self):
        self.write("cases/x.xml", "<testsuites/>")
        self.assertEqual(self.of_build('<testcase name="x" status="run"/>').failed, 1)

    def test_a_program_that_died_is_a_failure(self):
        self.write("cases/x.xml", GOOGLETEST[:100])
        self.assertEqual(self.of_build('<testcase name="x" status="fail"/>').failed, 1)
        self.assertEqual(cases_of_build(self.root / "gone.xml", self.root, "release").failed, 1)

    def test_the_end_of_a_report(self):
        cases = Cases(3, 1, [("a", "no device")], ["release: x"])
        self.assertEqual(cases.lines(), ["skipped: a: no device", "FAILED: release: x", "3 passed, 1 failed, 1 skipped"])
        self.assertEqual(Cases(passed=2).lines(), ["2 passed, 0 failed"])


class RunUnittest(Folder):
    def run_file(self, text: str) -> tuple[int, str, Cases | None]:
        self.write("test_it.py", text)
        counted = self.root / "cases/it.json"
        done = subprocess.run([sys.executable, ROOT / "tests/run_unittest.py", "test_it.py"], cwd=self.root,
                              capture_output=True, text=True, env={**os.environ, "ISOMER_CASES": str(counted)})
        return done.returncode, done.stdout, cases_of_file(counted)

    def test_skips_are_said_and_counted(self):
        name = "test_it.Some.test_device"
        self.assertEqual(self.run_file(UNITTEST), (0, f"skipped: {name}: no such device\n", Cases(1, 0, [(name, "no such device")])))

    def test_nothing_but_skips_is_a_skip(self):
        status, said, counted = self.run_file(ALL_SKIPPED)
        self.assertEqual((status, len(said.splitlines()), len(counted.skipped), counted.passed), (77, 2, 2, 0))

    def test_failures(self):
        status, _, counted = self.run_file(FAULTY)
        self.assertEqual((status, counted), (1, Cases(2, 1, [])))
        self.assertEqual(self.run_file("import gone\n")[0], 1)

    def test_no_test_at_all_is_a_failure(self):
        self.assertEqual(self.run_file("import unittest\n"), (1, "no test was found\n", Cases()))


if __name__ == "__main__":
    unittest.main()
