"""tools/tidy_changed in small repositories, with a clang-tidy that only says what it was given."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()
FAKE = """#!/bin/sh
for last; do :; done
case $last in --version) echo fake; exit;; esac
if grep -q fault "$last"; then echo "$last:1: a fault"; exit 1; fi
"""
LONG_AGO, RECENTLY = "2001-01-01T00:00:00Z", "2001-01-03T00:00:00Z"
FILES = {name: f"// {name}\n" for name in ("src/a.cpp", "src/b.cpp", "src/c.cpp", "src/b.h", "tests/t.cpp")}
FILES["src/c.cpp"] += '#include "b.h"\n'
FILES["src/b.cpp"] += '#include "b.h"\n'


class TidyChanged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-tidy-")
        self.addCleanup(folder.cleanup)
        self.folder, self.root = Path(folder.name), Path(folder.name, "clone")
        first = Path(folder.name, "first")
        first.mkdir()
        self.git("init", "--quiet", "--initial-branch=main", at=first)
        for name, text in {**FILES, ".gitignore": "/build/\n/.venv/\n", ".clang-tidy": "", "tools/tidy_changed": ""}.items():
            (first / name).parent.mkdir(parents=True, exist_ok=True)
            (first / name).write_text(text)
        shutil.copy(ROOT / "tools/tidy_changed", first / "tools/tidy_changed")
        self.commit(LONG_AGO, at=first)
        (first / "src/a.cpp").write_text("// another\n")
        self.commit(RECENTLY, at=first)
        self.git("clone", "--quiet", str(first), str(self.root), at=self.folder)
        tidy = self.root / ".venv/bin/clang-tidy"
        tidy.parent.mkdir(parents=True)
        tidy.write_text(FAKE)
        tidy.chmod(0o755)
        (self.root / "build/release").mkdir(parents=True)
        (self.root / "build/release/compile_commands.json").write_text(json.dumps(
            [{"file": str(self.root / name), "command": f"g++ {name}"} for name in FILES if name.endswith(".cpp")]))

    def git(self, *words: str, at: Path | None = None, **environment: str) -> None:
        who = {f"GIT_{role}_{part}": "x@x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        subprocess.run(["git", *words], cwd=at or self.root, check=True, capture_output=True,
                       env={**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **environment})

    def commit(self, when: str = RECENTLY, at: Path | None = None) -> None:
        self.git("add", "--all", at=at)
        self.git("commit", "--quiet", "--message", "x", at=at, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)

    def change(self, name: str, text: str = "// changed\n") -> None:
        (self.root / name).write_text(text)

    def tidy(self, *flags: str, status: int = 0, **environment: str) -> str:
        inherited = {name: value for name, value in os.environ.items() if name not in ("CI", "ISOMER_BASE", "ISOMER_CASES")}
        done = subprocess.run([sys.executable, self.root / "tools/tidy_changed", *flags], cwd=self.root, capture_output=True,
                              text=True, env={**inherited, "XDG_CACHE_HOME": str(self.folder / "cache"), **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def found_in(self, *names: str, **environment: str) -> None:
        """Exactly these files are read: each file that may be read has a fault in it."""
        said = self.tidy(status=1 if names else 0, **environment)
        self.assertEqual([line.split(":")[0] for line in said.splitlines() if line.endswith("a fault")], list(names), said)

    def fault_everywhere(self) -> None:
        """On the default branch, pushed: what is read shows."""
        for name in FILES:
            self.change(name, (self.root / name).read_text() + "// fault\n")
        self.commit()
        self.git("push", "--quiet", "origin", "HEAD:refs/heads/next")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def test_a_fresh_clone_has_nothing_to_read(self):
        self.assertIn("tidy: no files that differ from origin/main", self.tidy())

    def test_what_is_not_committed_is_read_and_no_more(self):
        self.fault_everywhere()
        self.change("src/a.cpp", "// fault again\n")
        self.found_in("src/a.cpp")
        self.git("switch", "--quiet", "--create", "mine")
        self.found_in("src/a.cpp")
        self.commit()
        self.change("src/new.cpp", "// not compiled yet: no fault can be found\n")
        self.found_in("src/a.cpp")

    def test_commits_that_are_not_pushed_are_read(self):
        self.fault_everywhere()
        self.change("src/c.cpp", "// fault again\n")
        self.commit()
        self.found_in("src/c.cpp")

    def test_a_branch_is_read_from_where_it_left(self):
        self.git("switch", "--quiet", "--create", "mine")
        self.change("src/b.cpp", "// fault\n")
        self.commit()
        self.git("switch", "--quiet", "main")
        self.fault_everywhere()  # after the branch was made
        self.git("switch", "--quiet", "mine")
        self.found_in("src/b.cpp")

    def test_a_header_is_read_through_its_source(self):
        self.fault_everywhere()
        self.change("src/b.h")
        self.found_in("src/b.cpp")

    def test_files_that_are_compiled_together_are_read_each_alone(self):
        unity = self.root / "build/release/CMakeFiles/x.dir/Unity/unity_0_cxx.cxx"
        unity.parent.mkdir(parents=True)
        unity.write_text("".join(f'#include "{self.root / name}"\n\n' for name in FILES if name.endswith(".cpp")))
        header = self.root / "build/release/cmake_pch.hxx"
        (self.root / "build/release/compile_commands.json").write_text(json.dumps(
            [{"file": str(unity), "command": f"g++ -fpch-preprocess -Winvalid-pch -include {header} -O2 -c {unity}"}]))
        self.fault_everywhere()
        self.change("src/b.h")
        self.found_in("src/b.cpp")
        database = json.loads((self.root / "build/release/tidy/compile_commands.json").read_text())
        self.assertIn(f"g++ -O2 -c {self.root}/src/b.cpp", [entry["command"] for entry in database])

    def test_a_base_may_be_named(self):
        self.fault_everywhere()
        self.found_in("src/a.cpp", "src/b.cpp", "src/c.cpp", ISOMER_BASE="HEAD~1")
        self.assertIn("ISOMER_BASE names no commit: gone", self.tidy(status=1, ISOMER_BASE="gone"))

    def test_ci_reads_the_last_landing(self):
        self.assertIn("tidy: 1 files that differ from 12 hours before HEAD", self.tidy(CI="true"))
        self.git("switch", "--quiet", "--create", "mine")
        self.change("src/b.cpp", "// fault\n")
        self.commit()
        self.found_in("src/b.cpp", CI="true")

    def test_what_there_is_no_time_for_is_said_and_counted(self):
        self.change("src/b.cpp")
        self.commit()
        self.change("src/c.cpp", "// changed last\n")
        cases = self.folder / "cases.json"
        said = self.tidy("--time-limit", "0", ISOMER_CASES=str(cases))
        self.assertIn("tidy: not read within 0 s: src/c.cpp src/b.cpp\ntidy: 0 of 0 files have faults, 2 not read", said)
        counted = json.loads(cases.read_text())
        self.assertEqual([name for name, _ in counted["skipped"]], ["clang-tidy of 2 of 2 changed files"])
        self.assertEqual((counted["passed"], counted["failed"]), (1, 0))

    def test_a_clean_file_is_read_once(self):
        self.change("src/c.cpp")
        self.assertIn("1 of these not known to be clean", self.tidy())
        self.assertIn("0 of these not known to be clean", self.tidy())
        self.change("src/c.cpp", "// changed again\n")
        self.assertIn("1 of these not known to be clean", self.tidy())

    def test_named_files(self):
        self.assertIn("tidy: 1 files that were named", self.tidy("src/c.cpp"))
        self.assertIn("tidy: no file of src/, fuzz/, include/: src/gone.cpp", self.tidy("src/gone.cpp", status=1))


if __name__ == "__main__":
    unittest.main()
