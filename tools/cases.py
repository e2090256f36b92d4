"""How many test cases passed, failed and were skipped, from what ctest and the programs under it write.

A program that holds many cases writes them to CASES/TEST.xml (GoogleTest) or CASES/TEST.json, where TEST is its name in
ctest and CASES a folder of the build; tests/CMakeLists.txt tells it so by GTEST_OUTPUT and ISOMER_CASES. The JSON is
{"passed": N, "failed": N, "skipped": [[NAME, REASON], ...]}. Any other program is one case.
"""

import json
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path

NO_REASON = "no reason given"


@dataclass(frozen=True)
class Cases:
    passed: int = 0
    failed: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)  # name, reason
    failures: list[str] = field(default_factory=list)  # names of the programs that failed

    def __add__(self, other: "Cases") -> "Cases":
        return Cases(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped,
                     self.failures + other.failures)

    def named(self, name: str, failed: bool) -> "Cases":
        """The cases of one program; one that fails has at least one failed case."""
        return Cases(self.passed, max(self.failed, int(failed)), self.skipped, [name] if failed or self.failed else [])

    def lines(self) -> list[str]:
        """The end of a report: what failed, what was skipped and why, and the count."""
        count = f"{self.passed} passed, {self.failed} failed" + (f", {len(self.skipped)} skipped" if self.skipped else "")
        skips = [f"skipped: {name}: {reason}" for name, reason in self.skipped]
        return skips + [f"FAILED: {name}" for name in self.failures] + [count]


def reason_of(text: str | None) -> str:
    """GoogleTest puts file and line before a message."""
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return lines[-1] if lines else NO_REASON


def googletest_cases(path: Path) -> Cases:
    passed, failed, skipped = 0, 0, []
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.get("status") == "notrun":  # DISABLED_: run by a test of its own
            continue
        if case.find("failure") is not None:
            failed += 1
        elif case.get("result") == "skipped":
            skip = case.find("skipped")
            skipped.append((f"{case.get('classname')}.{case.get('name')}", reason_of(None if skip is None else skip.text or skip.get("message"))))
        else:
            passed += 1
    return Cases(passed, failed, skipped)


def cases_of_file(path: Path) -> Cases | None:
    """None: the program wrote nothing (or died while it wrote), and is one case."""
    try:
        if path.suffix == ".xml":
            return googletest_cases(path)
        found = json.loads(path.read_text())
        return Cases(found["passed"], found["failed"], [(name, reason) for name, reason in found["skipped"]])
    except (FileNotFoundError, xml.ParseError, json.JSONDecodeError):
        return None


def cases_of_test(test: xml.Element, folder: Path, preset: str) -> Cases:
    """One <testcase> of ctest's report."""
    name, status = test.get("name"), test.get("status")
    title = f"{preset}: {name}"
    inside = next(filter(None, (cases_of_file(folder / f"{name}{end}") for end in (".xml", ".json"))), None)
    if inside is not None:
        inside = Cases(inside.passed, inside.failed, [(f"{title}: {case}", reason) for case, reason in inside.skipped])
    if status == "run":
        inside = inside or Cases(passed=1)
        if inside == Cases():  # a filter that lets nothing through
            return inside.named(f"{title}: no case in it", failed=True)
        return inside.named(title, failed=False)
    skip = test.find("skipped")
    if status == "disabled" or skip is not None and skip.get("message", "").startswith("SKIP_"):  # not: no such program
        said = [line for line in (test.findtext("system-out") or "").splitlines() if line.strip()]
        return inside if inside and inside.skipped else Cases(skipped=[(title, said[-1] if said else NO_REASON)])
    return (inside or Cases()).named(title, failed=True)


def cases_of_build(report: Path, folder: Path, preset: str) -> Cases:
    """ctest's report (JUnit) and what the programs of a build wrote into `folder`."""
    if not report.is_file():
        return Cases().named(f"{preset}: ctest", failed=True)
    return sum((cases_of_test(test, folder, preset) for test in xml.parse(report).getroot().iter("testcase")), Cases())
