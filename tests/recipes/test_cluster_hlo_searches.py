"""python -m isomer.cluster hlo searches: HloEnv's table 2, a task for each module, passes, evaluator, search and seed."""

import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster_case import PROGRAM, Case, ray, text, two_nodes  # noqa: E402


def chain(size):
    """Sums and negations of which some cancel: with something to decide."""
    lines = "".join(f"  n{i} = f32[{size}]{{0}} negate(k{i})\n  k{i + 1} = f32[{size}]{{0}} negate(n{i})\n" for i in range(2))
    return (f"HloModule chain_{size}\n\nENTRY e {{\n  x = f32[{size}]{{0}} parameter(0)\n  k0 = f32[{size}]{{0}} exponential(x)\n{lines}"
            f"  s = f32[{size}]{{0}} subtract(k2, x)\n  ROOT r = f32[{size}]{{0}} tanh(s)\n}}\n")


class ClusterHloSearches(Case):
    TEXTS = {f"chain_{size}": chain(size) for size in (4, 5, 6)}
    FLAGS = ("--passes", "algsimp", "--passes", "algsimp,cse", "--evaluator", "roofline:cpu", "--evaluator", "roofline:a100",
             "--searches", "random,beam,exhaustive", "--seeds", "2", "--evaluations", "2,20")
    TASKS = 3 * 2 * 2 * (2 + 1 + 1)

    def search(self, *flags, **more):
        """Exit status, the tables, and what was said."""
        process = self.start(*self.FLAGS, *flags, command="searches", **more)
        tables, err = process.communicate(timeout=300)
        return process.returncode, tables, err

    def test_each_search_is_a_task_and_none_is_run_twice(self):
        status, tables, err = self.search("--jobs", "2")
        self.assertEqual((status, err.splitlines()[-1]), (0, f"{self.TASKS} tasks, 0 done before, 0 failed"))
        rows = self.rows()
        self.assertEqual(len({r["command"] + r["file"] for r in rows}), self.TASKS)
        for row in rows[::5]:  # what the command itself comes to
            argv = [PROGRAM, "-q", *row["command"].split(), row["file"]]
            said = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
            ours = json.loads(row["result"])
            self.assertEqual([said[k] for k in ("cost_after", "evaluated", "dag_hash")], [ours[k] for k in ("cost_after", "evaluated", "dag_hash")])
        for passes in ("algsimp", "algsimp,cse"):
            for evaluator in ("roofline:cpu", "roofline:a100"):
                self.assertIn(f"3 modules, {passes}, {evaluator}; pick-first costs 0.", tables)
        self.assertEqual(tables.count("exhaustive (3 came to their end)"), 4)
        self.assertEqual(tables.count("| random, 2 |"), 4)
        before = {p: p.stat().st_mtime_ns for p in self.results.iterdir()}
        self.assertEqual(self.search(), (0, tables, f"{self.TASKS} tasks, {self.TASKS} done before, 0 failed\n"))
        self.assertEqual({p: p.stat().st_mtime_ns for p in self.results.iterdir()}, before)

    def test_a_killed_run_goes_on_and_its_tables_are_the_same(self):
        process = self.start(*self.FLAGS, command="searches", program=self.program("sleep 0.05"))
        self.wait_for_rows(process, 5)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        there = len(self.rows())
        self.assertLess(there, self.TASKS)
        status, tables, err = self.search()
        self.assertEqual((status, err.splitlines()[-1]), (0, f"{self.TASKS} tasks, {there} done before, 0 failed"))
        self.results = self.path / "others"
        self.assertEqual(self.search()[:2], (0, tables))

    def test_what_fails_is_named_and_in_no_table(self):
        (self.set / "odd.hlo").write_text(text("frobnicate"))
        status, tables, err = self.search("--retries", "0", program=self.program('grep -q "chain_4" "$file" && kill -9 $$'))
        self.assertEqual(status, 1)
        self.assertIn("odd.hlo: ", err)
        self.assertIn("chain_4.hlo: lost 1 times", err)
        self.assertIn("2 modules, algsimp, roofline:cpu", tables)

    def test_flags_that_cannot_be(self):
        self.assertEqual(self.search("--seeds", "0")[0], 2)
        self.assertEqual(self.search("--evaluations", "ten")[0], 2)
        self.assertEqual(self.search(words=["--passes=cse"])[0], 2)
        self.assertEqual(self.rows(), [])

    @unittest.skipIf(ray is None, "ray is not installed (it is optional)")
    def test_one_of_two_nodes_dies_midway(self):
        with two_nodes() as (cluster, nodes):
            flags = ("--passes", "algsimp", "--searches", "random,beam", "--evaluations", "20")
            process = self.start(*flags, "--ray", cluster.address, command="searches", program=self.program("sleep 0.3"))
            self.wait_for_rows(process, 3)
            cluster.remove_node(nodes[0], allow_graceful=False)
            tables, err = process.communicate(timeout=240)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len({r["command"] + r["file"] for r in self.rows()}), 3 * (3 + 1))
        self.results = self.path / "others"
        alone, _ = self.start(*flags, command="searches").communicate(timeout=240)
        self.assertTrue(alone and tables.endswith(alone), tables)  # Ray says before that a node died


if __name__ == "__main__":
    unittest.main()
