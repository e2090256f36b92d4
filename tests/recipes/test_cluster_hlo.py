"""python -m isomer.cluster hlo: a task a module comes to what the command itself comes to, by processes and by Ray; a killed run
goes on; a lost task is run again; nothing is lost and nothing counted twice when one of two nodes dies."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster_case import OPCODES, PROGRAM, Case, pyarrow, ray, text, two_nodes  # noqa: E402


class ClusterHlo(Case):
    def assert_all_once(self):
        """Every module has one row, which says what the command itself says."""
        rows = self.rows()
        self.assertEqual(sorted(Path(r["file"]).stem for r in rows), sorted(OPCODES))
        for row in rows:
            said = subprocess.run([PROGRAM, "-q", "hlo", "hash", row["file"], "--json"], capture_output=True, check=True).stdout
            self.assertEqual(json.loads(row["result"])["dag_hash"], json.loads(said)["dag_hash"])

    def test_a_task_a_module_and_none_twice(self):
        status, err = self.run_tasks("--jobs", "3", "--parquet", self.path / "table.parquet")
        self.assertEqual(status, 0, err)
        self.assert_all_once()
        self.assertEqual(len(set(pyarrow.parquet.read_table(self.path / "table.parquet").column("dag_hash").to_pylist())), len(OPCODES))
        before = {p: p.stat().st_mtime_ns for p in self.results.iterdir()}
        status, err = self.run_tasks()
        self.assertEqual((status, err), (0, f"{len(OPCODES)} modules, {len(OPCODES)} done before, 0 failed\n"))
        self.assertEqual({p: p.stat().st_mtime_ns for p in self.results.iterdir()}, before)
        (self.set / "same.hlo").write_text(text("abs"))  # the same text: the same task
        self.assertEqual(self.run_tasks()[1], f"{len(OPCODES)} modules, {len(OPCODES)} done before, 0 failed\n")
        self.assertEqual(self.run_tasks(command="stats")[0], 0)  # another command: other tasks
        self.assertEqual(len(self.rows()), 2 * len(OPCODES))

    def test_a_data_set_says_where_its_modules_are_from_and_results_may_hold_modules(self):
        made = self.path / "made"
        subprocess.run([PROGRAM, "-q", "hlo", "dataset", "filter", self.set, "-o", made], check=True, capture_output=True)
        manifest = made / "manifest.jsonl"
        manifest.write_text(manifest.read_text().replace('"package":""', '"package":"here"'))
        words = ["--passes", "algsimp", "--evaluator", "roofline:cpu", "--search", "beam"]
        status, err = self.run_tasks("--keep-modules", command="search", sets=[made], words=words)
        self.assertEqual(status, 0, err)
        rows = self.rows()
        self.assertEqual({r["package"] for r in rows}, {"here"})
        self.assertTrue(all(r["module"].startswith(b"HloModule") and json.loads(r["result"])["cost_after"] > 0 for r in rows))

    def test_a_killed_run_goes_on(self):
        process = self.start("--jobs", "2", program=self.program("sleep 0.2"))
        self.wait_for_rows(process, 3)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        there = len(self.rows())
        self.assertLess(there, len(OPCODES))
        status, err = self.run_tasks()
        self.assertEqual((status, err.splitlines()[-1]), (0, f"{len(OPCODES)} modules, {there} done before, 0 failed"))
        self.assert_all_once()

    def test_what_a_killed_run_left_goes_with_the_next(self):
        tasks = self.path / "tmp"
        tasks.mkdir()
        with unittest.mock.patch.dict(os.environ, {"TMPDIR": str(tasks)}):
            process = self.start("--jobs", "2", program=self.program("[[ $3 == version ]] || sleep 60"))
            deadline = time.time() + 60
            while not any(tasks.glob("isomer-task-*/module*")):
                self.assertLess(time.time(), deadline)
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self.assertTrue(list(self.results.glob(".isomer-*")))
            self.assertTrue(list(tasks.glob("isomer-task-*")))
            (tasks / "isomer-task-file").touch()  # no folder: not ours
            self.assertEqual(self.run_tasks()[0], 0)
        self.assertEqual(list(self.results.glob(".*")), [])
        self.assertEqual([p.name for p in tasks.iterdir()], ["isomer-task-file"])

    def test_a_folder_that_somebody_holds_stays(self):
        from isomer.cluster import own_folder

        with own_folder(self.path, "own-") as first, own_folder(self.path, "own-") as second:
            self.assertNotEqual(first, second)
            self.assertTrue(os.path.isdir(first) and os.path.isdir(second))
        self.assertEqual(list(self.path.glob("*own-*")), [])

    def test_another_version_of_the_program_has_results_of_its_own(self):
        self.assertEqual(self.run_tasks()[0], 0)
        other = self.program('if [[ $3 == version ]]; then echo another; exit; fi')
        self.assertIn(f"{len(OPCODES)} modules, 0 done before", self.run_tasks(program=other)[1])
        self.assertEqual(len(self.rows()), 2 * len(OPCODES))

    def test_what_is_lost_is_run_again_and_what_fails_is_a_result(self):
        (self.set / "odd.hlo").write_text(text("frobnicate"))
        tried = self.path / "tried"
        program = self.program(f'if grep -q "HloModule tanh" "$file"; then echo >> {tried}; [[ $(wc -l < {tried}) -gt 2 ]] || kill -9 $$; fi')
        status, err = self.run_tasks(program=program)
        self.assertEqual(status, 1)
        self.assertEqual(err.count("again"), 2)
        self.assertIn("odd.hlo: ", err)
        self.assertEqual([r["status"] for r in self.rows() if r["file"].endswith("odd.hlo")], [3])
        self.assertEqual(sum(r["status"] == 0 for r in self.rows()), len(OPCODES))
        self.assertEqual(self.run_tasks()[1], f"{len(OPCODES) + 1} modules, {len(OPCODES) + 1} done before, 0 failed\n")
        self.assertIn(" 1 failed\n", self.run_tasks("--again")[1])

    def test_what_is_lost_too_often_is_named_and_no_result(self):
        program = self.program('grep -q "HloModule tanh" "$file" && kill -9 $$')
        status, err = self.run_tasks("--retries", "1", program=program)
        self.assertEqual(status, 1)
        self.assertIn("tanh.hlo: lost 2 times", err)
        self.assertEqual(len(self.rows()), len(OPCODES) - 1)
        self.assertEqual(self.run_tasks()[0], 0)
        self.assert_all_once()

    def test_so_many_tasks_as_are_under_way_are_in_memory(self):
        from isomer.cluster import by_processes

        taken = []

        def jobs():
            for number in range(20):
                taken.append(number)
                yield (["true"],)

        for done, _ in enumerate(by_processes(jobs(), 3)):
            self.assertLessEqual(len(taken) - done, 3)
        self.assertEqual((done, len(taken)), (19, 20))

    def bench(self, *flags, words=("--no-xla",), **more):
        """Exit status, the table, and what was said."""
        process = self.start("--record", self.record, *flags, command="bench", words=words, **more)
        table, err = process.communicate(timeout=300)
        return process.returncode, table, err

    def alone(self, *flags):
        """The table of one process."""
        argv = [PROGRAM, "-q", "bench", "hlo", self.set, "--no-xla", *flags]
        return subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=True).stdout

    def entries(self):
        return [json.loads(line) for line in self.record.read_text().split("\n") if line]

    def test_the_bench_prints_what_the_command_prints(self):
        status, table, err = self.bench()
        self.assertEqual((status, table), (0, self.alone()), err)
        self.assertIn(f"{len(OPCODES)} different modules: ours ended on {len(OPCODES)}\n", table)
        lines = {r["file"]: r["module"].decode().splitlines() for r in self.rows()}
        self.assertEqual([len(of) for of in lines.values()], [1] * len(OPCODES))
        self.assertEqual(sorted(e["file"] for e in self.entries()), sorted(lines))
        for entry in self.entries():  # what its task wrote of it
            self.assertEqual({**json.loads(lines[entry["file"]][0]), "file": entry["file"]}, entry)
        before = self.record.read_text()
        self.assertEqual(self.bench(), (0, table, f"{len(OPCODES)} modules, {len(OPCODES)} done before, 0 failed\n"))
        self.assertEqual(self.record.read_text(), before)
        self.assertEqual(self.run_tasks("--record", self.record, words=["--no-xla"])[0], 2)  # of hash there is none

    def test_the_table_computes_nothing(self):
        program = self.program('grep -q "HloModule tanh" "$file" 2> /dev/null && kill -9 $$')
        status, table, err = self.bench("--retries", "0", program=program)
        self.assertEqual(status, 1)
        self.assertIn("tanh.hlo: lost 1 times", err)
        self.assertTrue(table.endswith(f"ours ended on {len(OPCODES) - 1} (time-limit; --record goes on)\n"), table)
        self.assertEqual(len(self.entries()), len(OPCODES) - 1)
        status, table, err = self.bench()
        self.assertEqual((status, table), (0, self.alone()), err)
        self.assertIn(f"{len(OPCODES) - 1} done before, 0 failed", err)
        self.assertEqual(len(self.entries()), len(OPCODES))

    def test_a_record_grows(self):
        self.alone("--record", self.record)
        before = self.record.read_text()
        (self.set / "more.hlo").write_text(text("abs").replace("[4]", "[5]"))
        with open(self.record, "a") as file:
            file.write('{"record":"mod')  # a killed run left it
        status, table, err = self.bench()
        self.assertEqual((status, table), (0, self.alone()), err)
        self.assertEqual(self.record.read_text()[:len(before)], before)
        self.assertEqual([e["file"] for e in self.entries()[len(OPCODES):]], [str(self.set / "more.hlo")])

    def test_a_record_that_cannot_grow_is_said_before_the_tasks(self):
        self.record = self.set / "abs.hlo"
        self.assertEqual(self.bench()[0], 2)
        self.assertEqual(self.record.read_text(), text("abs"))
        self.record = self.path / "other.jsonl"
        self.record.write_text('{"file":"abs.hlo"}\n')
        self.assertEqual(self.bench()[0], 3)
        self.assertEqual(self.record.read_text(), '{"file":"abs.hlo"}\n')
        self.record = self.path / "none" / "record.jsonl"
        self.assertEqual(self.bench()[0], 3)
        self.assertEqual(self.rows(), [])

    def test_what_the_time_limit_ended_is_not_done(self):
        for _ in range(2):
            status, table, err = self.bench(words=["--no-xla", "--time-limit", "0s"])
            self.assertEqual(status, 1)
            self.assertIn(f"0 done before, {len(OPCODES)} failed", err)
            self.assertIn("abs.hlo: not all of it ended (time-limit)", err)
            self.assertIn("ours ended on 0 (time-limit; --record goes on)", table)

    def test_where_xla_is_another_one_nothing_is_done(self):
        def program(task, here):
            says = "[[ $* == *.hlo* ]] && xla='{}' || xla='{}'".format(task, here)
            say = """echo "{\\"stop_reason\\":\\"saturated\\",\\"xla_lost\\":0,\\"xla\\":$xla}"; exit"""
            return self.program(f"[[ $2 == hlo ]] && exec {PROGRAM} \"$@\"\n{says}\n{say}")

        def said(task, here):
            return self.run_tasks(command="bench", sets=[self.set / "abs.hlo"], program=program(task, here))

        self.assertEqual(said('"1"', "null")[0], 5)
        self.assertIn("abs.hlo: XLA was not there, on this machine 1\n", said("null", '"1"')[1])
        self.assertIn("abs.hlo: XLA 2, on this machine 1\n", said('"2"', '"1"')[1])
        self.assertEqual(said('"1"', '"1"'), (0, f"1 done: {self.set}/abs.hlo\n1 modules, 0 done before, 0 failed\n"))
        self.assertEqual(said('"1"', '"1"'), (0, "1 modules, 1 done before, 0 failed\n"))
        self.assertIn("0 done before, 0 failed", said('"2"', '"2"')[1])

    def test_what_was_lost_is_replaced_in_a_record_and_what_ended_is_not(self):
        from isomer.cluster_hlo_bench import Bench

        self.results.mkdir()
        bench = Bench(PROGRAM, ["--no-xla"], str(self.record), str(self.results))

        def add(*ends):
            entry = {"record": "module", "side": "xla", "module": "1", "settings": "s", "file": "gone", "without": {}}
            bench.add([{"file": "here", "module": json.dumps({**entry, "whole": end}).encode() + b"\n"} for end in ends])
            return [e["whole"] for e in self.entries()]

        lost, hashed, other = {"lost": "killed"}, {"hash": "1", "seconds": 1}, {"hash": "2", "seconds": 2}
        self.assertEqual(add(lost), [lost])
        self.assertEqual(add(lost, lost), [lost])
        self.assertEqual(add(lost, hashed), [lost, hashed])
        self.assertEqual(add(other, lost), [lost, hashed])

    def test_a_record_has_a_line_for_each_module_side_and_settings(self):
        from isomer.cluster_hlo_bench import entries, has_lost, without_limit

        self.assertEqual(entries(b'{"a":1}\n\n{"b":"\xc2\x85"}\n{"c"'), [{"a": 1}, {"b": "\x85"}])
        self.assertFalse(has_lost({"whole": {"hash": "1"}, "without": {"p": {"error": "no"}}}))
        self.assertTrue(has_lost({"whole": {"hash": "1"}, "without": {"p": {"lost": "killed"}}}))
        self.assertEqual(without_limit(["--time-limit", "1", "--no-xla", "--time-limit=2"]), ["--no-xla"])
        (self.set / "same.hlo").write_text(text("abs").replace("x =", "y =").replace("(x)", "(y)"))  # another text, one graph
        status, table, err = self.bench()
        self.assertEqual((status, table), (0, self.alone()), err)
        self.assertEqual((len(self.rows()), len(self.entries())), (len(OPCODES) + 1, len(OPCODES)))

    def test_searches_as_tasks_are_those_of_one_process(self):
        for size in (4, 5, 6):
            lines = "".join(f"  n{i} = f32[{size}]{{0}} negate(k{i})\n  k{i + 1} = f32[{size}]{{0}} negate(n{i})\n" for i in range(2))
            (self.set / f"chain_{size}.hlo").write_text(
                f"HloModule chain_{size}\n\nENTRY e {{\n  x = f32[{size}]{{0}} parameter(0)\n  k0 = f32[{size}]{{0}} exponential(x)\n{lines}"
                f"  s = f32[{size}]{{0}} subtract(k2, x)\n  ROOT r = f32[{size}]{{0}} tanh(s)\n}}\n")
        words = ["--table", "2", "--passes", "algsimp", "--searches", "random,exhaustive", "--seeds", "2", "--evaluations", "2,20"]
        status, table, err = self.bench(words=words)
        self.assertEqual(status, 0, err)
        self.assertEqual(table, subprocess.run([PROGRAM, "-q", "bench", "hlo", str(self.set), *words], capture_output=True, text=True, check=True).stdout)
        self.assertIn("algsimp, below 10 instructions: 3 modules\n", table)
        self.assertEqual(sorted((e["pass"], len(e["runs"])) for e in self.entries()), [("algsimp", 3)] * 3)
        done = len(OPCODES) + 3
        self.assertEqual(self.bench(words=words), (0, table, f"{done} modules, {done} done before, 0 failed\n"))

    def test_what_cannot_be_done_is_said(self):
        self.assertEqual(self.run_tasks(sets=[self.path / "none"])[0], 3)
        (self.set / "manifest.jsonl").write_text('{"file":"gone.hlo"}\n')
        self.assertIn("gone.hlo: cannot be read", self.run_tasks()[1])
        self.assertEqual(self.run_tasks("--keep-modules")[0], 2)
        self.assertEqual(self.run_tasks(words=["-o", "out.hlo"])[0], 2)
        if ray is None:
            self.assertEqual(self.run_tasks("--ray")[0], 5)

    @unittest.skipIf(ray is None, "ray is not installed (it is optional)")
    def test_by_ray_on_this_machine(self):
        status, err = self.run_tasks("--ray", "--jobs", "2")
        self.assertEqual(status, 0, err)
        self.assert_all_once()

    @unittest.skipIf(ray is None, "ray is not installed (it is optional)")
    def test_one_of_two_nodes_dies_midway(self):
        runs = self.path / "runs"
        program = self.program(f'echo $RAY_NODE_ID >> {runs}; sleep 0.5')
        with two_nodes() as (cluster, nodes):
            process = self.start("--ray", cluster.address, program=program)
            self.wait_for_rows(process, 3)
            cluster.remove_node(nodes[0], allow_graceful=False)
            _, err = process.communicate(timeout=240)
            self.assertEqual(process.returncode, 0, err)
        self.assert_all_once()
        self.assertGreaterEqual(len(runs.read_text().splitlines()), len(OPCODES))


if __name__ == "__main__":
    unittest.main()
