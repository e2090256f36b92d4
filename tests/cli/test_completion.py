"""The completion scripts in the shells themselves: zsh at a terminal of its own, fish by its `complete -C`. (bash is in
tests/golden/command_line/completion.test.)"""

import os
import pty
import select
import shutil
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("ISOMER_PROGRAM") or os.path.join("build", "release", "isomer")


def script(shell):
    return subprocess.run([PROGRAM, "completion", shell], capture_output=True, text=True, check=True).stdout


@unittest.skipUnless(shutil.which("fish"), "there is no fish")
class Fish(unittest.TestCase):
    def offered(self, words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "isomer.fish")
            with open(path, "w", encoding="utf-8") as file:
                file.write(script("fish"))
            env = os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
            run = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C '{words}'"], capture_output=True, text=True,
                                 timeout=60, cwd=folder, env=env)
        self.assertEqual(run.stderr, "")
        return [line.split("\t")[0] for line in run.stdout.splitlines()]

    def test_commands_options_and_words(self):
        self.assertEqual(self.offered("isomer opt"), ["optimize"])
        self.assertEqual(self.offered("isomer graph sh"), ["show"])
        self.assertEqual(self.offered("isomer optimize --time"), ["--time-limit"])
        self.assertEqual(sorted(self.offered("isomer optimize --search ")), ["mcts", "portfolio", "saturation"])
        self.assertIn("pick-first", self.offered("isomer hlo optimize --search "))


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
class Zsh(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "_isomer"), "w", encoding="utf-8") as file:
            file.write(script("zsh"))
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(self.folder.name)
            os.environ.update(HOME=self.folder.name, TERM="dumb", PS1="", ZDOTDIR=self.folder.name)
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.addCleanup(self.end)
        self.say(f"PS1=; fpath=({self.folder.name} $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy\n", "ready")

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)

    def say(self, keys, wanted):
        """What the shell shows until `wanted` is there; fails after a while."""
        os.write(self.terminal, keys.encode())
        shown, end = "", time.monotonic() + 60
        while wanted not in shown and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                shown += os.read(self.terminal, 4096).decode(errors="replace").replace("\a", "")
        self.assertIn(wanted, shown)
        return shown

    def completed(self, words, line):
        self.say(words + "\t", line)
        self.say("\x15", "")  # the line is dropped

    def test_commands_options_and_words(self):
        self.completed("isomer opt", "isomer optimize ")
        self.completed("isomer graph sh", "isomer graph show ")
        self.completed("isomer optimize --time-l", "isomer optimize --time-limit")
        self.completed("isomer optimize --search po", "isomer optimize --search portfolio")
        self.completed("isomer hlo optimize --search pi", "isomer hlo optimize --search pick-first")


if __name__ == "__main__":
    unittest.main()
