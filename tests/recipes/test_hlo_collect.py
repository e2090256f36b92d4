"""isomer hlo collect: modules that a command dumps become a data set. A small program stands for one that uses XLA: it writes what
XLA would write where its flags say."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
# dump.py MODULE...: `name=opcode` is a module of one such instruction, `wait` goes on when it is told to end.
DUMP = """
import os, re, sys, time
folder = re.search(r"--xla_dump_to=(\\S+)", os.environ["XLA_FLAGS"]).group(1)
os.makedirs(folder + "/below", exist_ok=True)
print("flags", os.environ["XLA_FLAGS"])
for number, word in enumerate(sys.argv[1:]):
    if word == "wait":
        open(os.path.join(folder, "ready"), "w").close()
        time.sleep(60)
    if word == "fail":
        sys.exit(7)
    name, opcode = word.split("=")
    text = f"HloModule {name}\\n\\nENTRY e {{\\n  x = f32[4]{{0}} parameter(0)\\n  ROOT r = f32[4]{{0}} {opcode}(x)\\n}}\\n"
    for end in ("before_optimizations.txt", "cpu_after_optimizations.txt", "obj-file.o"):
        with open(f"{folder}/module_{number:04}.{name}.{end}", "w") as file:
            file.write(text)
"""


class Collect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-collect-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.set = self.path / "set"
        (self.path / "dump.py").write_text(DUMP)

    def command(self, *modules, flags=()):
        return [PROGRAM, "-q", "hlo", "collect", self.set, "--json", *flags, "--", sys.executable, self.path / "dump.py", *modules]

    def collect(self, *modules, flags=(), status=0):
        done = subprocess.run(self.command(*modules, flags=flags), capture_output=True, text=True, timeout=120,
                              env={**os.environ, "XLA_FLAGS": "--xla_of_the_user=1"})
        self.assertEqual(done.returncode, status, done.stderr)
        self.said = done.stderr
        return json.loads(done.stdout) if status == 0 else None

    def lines(self, name="manifest.jsonl"):
        return [json.loads(line) for line in (self.set / name).read_text().splitlines()]

    def test_each_module_is_kept_once_with_its_origin(self):
        found = self.collect("one=negate", "same=negate", "two=exponential", flags=["--package", "p", "--package-version", "1.2", "--licence", "MIT"])
        self.assertEqual([found[k] for k in ("dumped", "added", "known", "refused", "total")], [3, 2, 1, 0, 2])
        self.assertIn("--xla_of_the_user=1", self.said)  # the command's output, and the flags that it found
        first, second = self.lines()
        self.assertEqual([first[k] for k in ("module", "instructions", "elements", "package", "version", "licence")],
                         ["one", 2, 8, "p", "1.2", "MIT"])
        self.assertIn("dump.py one=negate", first["command"])
        self.assertEqual(first["file"], f"modules/{first['hash']}.hlo")
        self.assertIn("exponential(x)", (self.set / second["file"]).read_text())
        self.assertEqual(sorted(p.name for p in self.set.iterdir()), ["commands.jsonl", "manifest.jsonl", "modules", "refused"])

    def test_what_is_no_module_is_kept_apart_with_the_reason(self):
        found = self.collect("one=negate", "odd=frobnicate")
        self.assertEqual([found[k] for k in ("added", "refused")], [1, 1])
        [line] = self.lines("refused.jsonl")
        self.assertIn("expected an opcode, found 'frobnicate'", line["reason"])
        self.assertIn("frobnicate", (self.set / line["file"]).read_text())

    def test_what_is_too_large_is_said_and_not_kept(self):
        self.assertEqual(self.collect("one=negate", flags=["--most-bytes", "10"])["refused"], 1)
        self.assertIn("more than 10", self.lines("refused.jsonl")[0]["reason"])
        self.assertEqual(list((self.set / "refused").iterdir()), [])

    def test_a_command_that_was_done_is_not_run_again(self):
        self.collect("one=negate")
        self.assertTrue(self.collect("one=negate")["done_before"])
        again = self.collect("one=negate", flags=["--again"])
        self.assertEqual([again[k] for k in ("done_before", "dumped", "known")], [False, 1, 1])

    def test_another_command_adds_and_a_torn_line_is_passed_over(self):
        self.collect("one=negate")
        with open(self.set / "manifest.jsonl", "a") as file:
            file.write('{"file": "modules/')
        self.assertEqual(self.collect("one=negate", "two=tanh")["total"], 2)
        done = subprocess.run([PROGRAM, "hlo", "dataset", "stats", self.set, "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["modules"], 2)

    def test_what_a_failing_command_dumped_is_kept(self):
        found = self.collect("one=negate", "fail")
        self.assertEqual([found[k] for k in ("added", "command_status")], [1, 7])

    def test_two_at_once_keep_each_module_once(self):
        both = [subprocess.Popen(self.command("one=negate", f"two={opcode}"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for opcode in ("tanh", "sine")]
        self.assertEqual([one.wait(timeout=120) for one in both], [0, 0])
        self.assertEqual(len(self.lines()), 3)

    def test_the_time_limit_ends_the_command(self):
        found = self.collect("one=negate", "wait", flags=["--time-limit", "2s"])
        self.assertEqual([found[k] for k in ("added", "timed_out")], [1, True])

    def test_an_interrupt_keeps_what_is_there(self):
        process = subprocess.Popen(self.command("one=negate", "wait"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 60
        while not list(self.set.glob(".isomer-*/ready")):
            self.assertLess(time.time(), deadline)
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([json.loads(out)[k] for k in ("added", "interrupted")], [1, True])
        self.assertEqual(len(self.lines()), 1)
        self.assertFalse((self.set / "commands.jsonl").exists())

    def test_a_program_that_is_not_there(self):
        done = subprocess.run([PROGRAM, "hlo", "collect", self.set, "--", "no-such-program"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no-such-program: cannot be started", done.stderr)
        self.assertEqual(list(self.set.glob(".isomer-*")), [])

    def test_a_folder_that_flags_cannot_say(self):
        done = subprocess.run([PROGRAM, "hlo", "collect", self.path / "a set", "--", "true"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no folder with a space", done.stderr)


if __name__ == "__main__":
    unittest.main()
