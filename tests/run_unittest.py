"""run_unittest.py WORD ...: `python -m unittest WORD ...`, where skips are seen.

Says each skip with its reason, writes the count of cases to the file that ISOMER_CASES names (tools/cases.py), and
ends with 77, which ctest takes for a skip, where nothing but skips was left; with 1 where there was no test at all.
"""

import json
import os
import sys
import unittest
from pathlib import Path

SKIPPED = 77  # SKIP_RETURN_CODE in tests/CMakeLists.txt


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.passed += 1


def failed_cases(result: unittest.TestResult) -> int:
    """Tests, not subtests."""
    tests = [test for test, _ in result.errors + result.failures] + result.unexpectedSuccesses
    return len({getattr(test, "test_case", test).id() for test in tests})


def main() -> int:
    sys.path[0] = os.getcwd()  # as -m does
    runner = unittest.TextTestRunner(resultclass=Result)
    result = unittest.main(module=None, argv=["unittest", *sys.argv[1:]], testRunner=runner, exit=False).result
    failed, skipped = failed_cases(result), [(test.id(), reason) for test, reason in result.skipped]
    if cases := os.environ.get("ISOMER_CASES"):
        Path(cases).parent.mkdir(parents=True, exist_ok=True)
        Path(cases).write_text(json.dumps({"passed": result.passed, "failed": failed, "skipped": skipped}))
    for name, reason in skipped:
        print(f"skipped: {name}: {reason}")
    if not result.passed and not failed:
        if not skipped:
            print("no test was found")
        return SKIPPED if skipped else 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
