"""python -m isomer.cluster: the tasks that `bench mcts --plan` names come to what the bench itself comes to, one by one, by
processes and by Ray; a killed run goes on; what fails is named."""

import importlib.util
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(os.environ.get("ISOMER_PROGRAM", "build/release/isomer"))
WORDS = ["bench", "mcts", "vgg", "resnet50", "bert", "--device", "a100", "--approach", "ours/ilp,tensat", "--seeds", "2",
         "--budget", "4,8", "--no-check"]
TIMES = ("search_cpu_seconds", "final_cpu_seconds", "steps", "kept")


def cluster(record, *flags, wait=True):
    command = [sys.executable, "-m", "isomer.cluster", *WORDS, "--record", record, "--jobs", "2", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, "ISOMER_PROGRAM": PROGRAM})
    if not wait:
        return process
    _, err = process.communicate(timeout=300)
    return process.returncode, err


def runs(record):
    lines = [json.loads(line) for line in Path(record).read_text().splitlines()]
    return sorted(json.dumps({k: v for k, v in line.items() if k not in TIMES}, sort_keys=True) for line in lines)


class Cluster(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="isomer-cluster-")
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def bench(self):
        whole = self.path / "whole.jsonl"
        subprocess.run([PROGRAM, "-q", *WORDS, "--record", whole], check=True, capture_output=True)
        self.assertEqual(len(runs(whole)), 3 + 3 * (2 * 2 + 1))
        return whole

    def test_tasks_come_to_what_the_bench_comes_to(self):
        whole, record = self.bench(), self.path / "record.jsonl"
        self.assertEqual(cluster(record, "--keep", self.path / "kept")[0], 0)
        stems = [json.loads(line).get("kept") for line in record.read_text().splitlines()]
        there = [f.name.removesuffix(".search.json") for f in self.path.glob("kept/*.search.json")]
        self.assertEqual(sorted(filter(None, stems)), sorted(there))
        self.assertEqual(runs(record), runs(whole))
        before = record.read_bytes()
        status, err = cluster(record)
        self.assertEqual((status, err), (0, "0 tasks\n"))
        self.assertEqual(record.read_bytes(), before)
        subprocess.run([PROGRAM, "-q", *WORDS, "--record", record], check=True, capture_output=True)
        self.assertEqual(record.read_bytes(), before, "the bench goes on from the cluster's record")

    def test_a_killed_run_loses_a_task_a_worker_at_most(self):
        whole, record = self.bench(), self.path / "record.jsonl"
        process = cluster(record, wait=False)
        deadline = time.time() + 120
        while not record.exists() or record.read_bytes().count(b'"record":"run"') < 4:
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "ended before it could be killed")
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        text = record.read_bytes()
        done = text[:text.rfind(b"\n") + 1]
        self.assertLess(len(done), len(whole.read_bytes()))
        record.write_bytes(done + b'{"record":"run","mod')
        self.assertEqual(cluster(record)[0], 0)
        self.assertTrue(record.read_bytes().startswith(done))
        self.assertEqual(runs(record), runs(whole))

    def test_a_task_that_fails_is_named_and_the_others_go_on(self):
        program, record = self.path / "isomer", self.path / "record.jsonl"
        program.write_text('#!/bin/bash\n[[ " $* " == *" --plan "* || " $* " != *" bert "* ]] || { echo oops >&2; exit 1; }\n'
                           f'exec {PROGRAM} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        status, err = cluster(record, "--program", program)
        self.assertEqual(status, 1)
        self.assertEqual(err.count("failed: bench mcts bert "), 5)
        self.assertIn(": oops\n", err)
        self.assertEqual(len(runs(record)), 2 + 2 * 5)

    def test_priors_are_those_of_the_bench_and_what_ran_otherwise_failed(self):
        words = ["bench", "mcts", "bert", "--device", "a100", "--approach", "plus", "--seeds", "2", "--budget", "4", "--no-check"]
        stores = [self.path / "learned", self.path / "empty"]
        whole, record, other = (self.path / f"{n}.jsonl" for n in ("whole", "record", "other"))

        def command(store, *command, **more):
            return subprocess.run([str(c) for c in command], capture_output=True, text=True,
                                  env={**os.environ, "ISOMER_PROGRAM": PROGRAM, "ISOMER_CACHE": str(store)}, **more)

        def tasks(store, record, *flags):
            return command(store, sys.executable, "-m", "isomer.cluster", *words, "--priors", "--record", record, "--jobs", "2", *flags)

        command(stores[0], PROGRAM, "-q", *words[:2], "nasrnn", *words[3:], "--learn", "--record", self.path / "l.jsonl", check=True)
        command(stores[0], PROGRAM, "-q", *words, "--priors", "--record", whole, check=True)
        self.assertEqual(tasks(stores[0], record).returncode, 0)
        self.assertEqual(runs(record), runs(whole))
        program = self.path / "isomer"  # plans with what was learned, runs without
        program.write_text(f'#!/bin/bash\n[[ " $* " == *" --plan "* ]] || export ISOMER_CACHE={stores[1]}\nexec {PROGRAM} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        done = tasks(stores[0], other, "--program", program)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("what ran is not what was planned"), 2)
        self.assertEqual(other.read_text(), "")

    def test_what_cannot_be_done_is_said(self):
        record = self.path / "record.jsonl"
        status, err = cluster(record, "--approach", "greedy")
        self.assertEqual(status, 2)
        self.assertIn("greedy", err)
        status, err = cluster(record, "--learn")
        self.assertEqual(status, 2)
        self.assertIn("the store keeps the last", err)
        self.assertEqual(cluster(record, "--program", self.path / "none")[0], 5)
        if importlib.util.find_spec("ray") is None:
            status, err = cluster(record, "--ray")
            self.assertEqual(status, 5)
            self.assertIn("pip install ray", err)
        if importlib.util.find_spec("pyarrow") is None:
            self.assertEqual(cluster(record, "--parquet", self.path / "x.parquet")[0], 5)

    @unittest.skipIf(importlib.util.find_spec("ray") is None, "ray is not installed (it is optional)")
    def test_by_ray(self):
        whole, record = self.bench(), self.path / "record.jsonl"
        self.assertEqual(cluster(record, "--ray")[0], 0)
        self.assertEqual(runs(record), runs(whole))

    @unittest.skipIf(importlib.util.find_spec("pyarrow") is None, "pyarrow is not installed (it is optional)")
    def test_as_a_table(self):
        import pyarrow.parquet

        record, table = self.path / "record.jsonl", self.path / "table.parquet"
        self.assertEqual(cluster(record, "--parquet", table)[0], 0)
        rows = pyarrow.parquet.read_table(table).to_pylist()
        self.assertEqual(len(rows), 15)
        of_record = {r["cost"] for r in map(json.loads, record.read_text().splitlines()) if r["record"] == "run"}
        self.assertEqual({r["cost"] for r in rows}, of_record)


if __name__ == "__main__":
    unittest.main()
