"""python -m isomer.cluster hlo collect: a task a command, whose modules go into one data set."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster_case import Case, ray  # noqa: E402


class ClusterHloCollect(Case):
    def setUp(self):
        super().setUp()
        self.data_set, self.commands, self.tried = (self.path / name for name in ("data_set", "commands.jsonl", "tried"))

    def write(self, **scripts):
        """Commands by the names of packages; `$dump` is XLA's folder of dumps."""
        begin = f"echo $0 >> {self.tried}; dump=$(sed 's/.*--xla_dump_to=\\([^ ]*\\).*/\\1/' <<< $XLA_FLAGS); mkdir -p $dump; cd {self.set}"
        self.commands.write_text("".join(
            json.dumps({"command": ["bash", "-c", f"{begin}; {script}", name], "package": name, "version": "1", "licence": "MIT"}) + "\n"
            for name, script in scripts.items()))

    def copies(self, *opcodes):
        return "; ".join(f"cp {opcode}.hlo $dump/{opcode}.before_optimizations.txt" for opcode in opcodes)

    def collect(self, *flags, **more):
        return self.run_tasks("--commands", self.commands, "--jobs", "1", *flags, command="collect", sets=[self.data_set], **more)

    def origins(self):
        lines = [json.loads(line) for line in (self.data_set / "manifest.jsonl").read_text().splitlines()]
        return sorted((line["module"], line["package"], line["licence"]) for line in lines)

    def test_modules_of_all_commands_once(self):
        self.write(one=self.copies("abs", "tanh"), two=self.copies("tanh", "sine"), none="true")
        status, err = self.collect()
        self.assertEqual((status, err.splitlines()[-1]), (0, "3 commands, 0 done before, 0 failed"), err)
        self.assertEqual(self.origins(), [("abs", "one", "MIT"), ("sine", "two", "MIT"), ("tanh", "one", "MIT")])
        self.assertEqual([r["package"] for r in sorted(self.rows(), key=lambda r: r["package"])], ["none", "one", "two"])
        self.assertEqual(self.collect(), (0, "3 commands, 3 done before, 0 failed\n"))
        self.assertEqual(len(self.origins()), 3)

    def test_what_the_limit_ended_keeps_what_it_gave_and_comes_last(self):
        late = self.path / "late"
        self.write(slow=f"{self.copies('abs')}; [[ -e {late} ]] || sleep 60; {self.copies('sign')}", quick=self.copies("tanh"))
        status, err = self.collect(words=["--time-limit", "3s"])
        self.assertEqual(status, 1)
        self.assertIn("ended by its time limit", err)
        self.assertEqual([module for module, _, _ in self.origins()], ["abs", "tanh"])
        late.touch()
        with open(self.commands, "a") as file:
            file.write(json.dumps({"command": ["bash", "-c", f"echo new >> {self.tried}"]}) + "\n")
        status, err = self.collect(words=["--time-limit", "60s"])
        self.assertEqual((status, err.splitlines()[-1]), (0, "3 commands, 1 done before, 0 failed"), err)
        self.assertEqual(self.tried.read_text().split(), ["slow", "quick", "new", "slow"])
        self.assertEqual([module for module, _, _ in self.origins()], ["abs", "sign", "tanh"])

    def test_a_command_that_is_lost_is_run_again(self):
        self.write(one=self.copies("abs"))
        program = self.program(f"[[ $3 != collect || -e {self.path}/again ]] || {{ touch {self.path}/again; kill -9 $$; }}")
        status, err = self.collect(program=program)
        self.assertEqual((status, err.count("again")), (0, 1), err)
        self.assertEqual(self.origins(), [("abs", "one", "MIT")])

    def test_a_command_that_fails_is_named_and_keeps_what_it_gave(self):
        self.write(one=f"{self.copies('abs')}; exit 7")
        status, err = self.collect()
        self.assertEqual(status, 1)
        self.assertIn("the command ended with status 7", err)
        self.assertEqual(self.origins(), [("abs", "one", "MIT")])
        self.assertEqual(self.collect(), (0, "1 commands, 1 done before, 0 failed\n"))
        self.assertEqual(self.collect("--again")[0], 1)

    def test_what_cannot_be_started_and_what_is_no_list(self):
        self.commands.write_text('{"command": ["no such program"]}\n')
        status, err = self.collect()
        self.assertEqual(status, 1)
        self.assertIn("no such program: cannot be started", err)
        self.commands.write_text('{"command": "ls"}\n')
        self.assertIn("commands.jsonl:1: expected", self.collect()[1])

    @unittest.skipIf(ray is None, "ray is not installed (it is optional)")
    def test_by_ray_on_this_machine(self):
        self.write(one=self.copies("abs", "tanh"), two=self.copies("tanh", "sine"))
        status, err = self.collect("--ray")
        self.assertEqual(status, 0, err)
        self.assertEqual([module for module, _, _ in self.origins()], ["abs", "sine", "tanh"])


if __name__ == "__main__":
    unittest.main()
