"""`bench mcts --record`: killed at any moment it loses the run that was under way and nothing else; the next bench with that
record goes on there, and ends with the same results."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
GRAPHS = Path(__file__).resolve().parents[1] / "data/tensat/models/dag"
TIMES = ("search_cpu_seconds", "final_cpu_seconds", "steps")  # the steps hold CPU seconds too


def bench(record, *flags, wait=True):
    command = [PROGRAM, "-q", "bench", "mcts", "vgg", "resnet50", "bert", "--device", "a100", "--approach", "ours/ilp,tensat",
               "--seeds", "4", "--budget", "16", "--no-check", "--record", record, *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not wait:
        return process
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def runs(record):
    lines = [json.loads(line) for line in Path(record).read_text().splitlines()]
    return [{k: v for k, v in line.items() if k not in TIMES} for line in lines if line["record"] == "run"]


class Resume(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="isomer-record-")
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_a_killed_bench_goes_on(self):
        whole, killed = self.path / "whole.jsonl", self.path / "killed.jsonl"
        bench(whole)
        self.assertEqual(len(runs(whole)), 15)

        process = bench(killed, wait=False)
        deadline = time.time() + 120
        while not killed.exists() or killed.read_bytes().count(b'"record":"run"') < 6:
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "ended before it could be killed")
            time.sleep(0.002)
        process.kill()
        process.communicate()
        text = killed.read_bytes()
        done = text[:text.rfind(b"\n") + 1]
        self.assertLess(done.count(b"\n"), whole.read_bytes().count(b"\n"))

        killed.write_bytes(done + b'{"record":"run","model":"be')  # as if it had been killed while it wrote
        bench(killed)
        self.assertTrue(killed.read_bytes().startswith(done))
        self.assertEqual(runs(killed), runs(whole))

    def test_nothing_is_run_twice_and_settings_tell_runs_apart(self):
        record = self.path / "record.jsonl"
        bench(record)
        before = record.read_bytes()
        table = bench(record)
        self.assertEqual(record.read_bytes(), before)
        self.assertIn("| BERT | ours/ilp --budget 16 |", table)
        bench(record, "--budget", "8")
        self.assertEqual([r["settings"] for r in runs(record)[15:]], ["--budget 8"] * 12)  # TENSAT knows no budget

    def test_json_holds_what_was_known_too(self):
        record = self.path / "record.jsonl"
        first = bench(record, "--json").splitlines()
        self.assertEqual(len(first), 3 + 15)
        self.assertEqual(sorted(bench(record, "--json").splitlines()), sorted(first))

    def test_another_graph_of_that_name_is_another_run(self):
        record, graphs = self.path / "record.jsonl", self.path / "graphs"
        shutil.copytree(GRAPHS, graphs)
        flags = ("--json", "--graphs", graphs)
        before = bench(record, *flags).splitlines()
        shutil.copy(graphs / "resnet50.dag", graphs / "vgg.dag")
        after = [json.loads(line) for line in set(bench(record, *flags).splitlines()) - set(before)]
        self.assertEqual({r["model"] for r in after}, {"vgg"})
        self.assertEqual(sum(r["record"] == "run" for r in after), 5)
        single = [json.loads(line) for line in bench(record, *flags, "--rules", "single").splitlines()]
        self.assertEqual({r["settings"] for r in single if r["record"] == "run"},
                         {"--budget 16 --rules single", "--rules single"})

    def test_each_value_of_an_axis_with_each(self):
        record = self.path / "record.jsonl"
        bench(record, "--node-limit", "150,300", "--k-multi", "1,2", "--depth", "3", "--rules", "tensat,single")
        seen = [(r["model"], r["approach"], r["settings"], r["seed"]) for r in runs(record)]
        self.assertEqual(len(seen), len(set(seen)))
        self.assertEqual(len(seen), 3 * (4 * 2 * 2 + 2 * 2 * 2))  # k_multi is TENSAT's alone, budget and depth the search's
        self.assertIn(("vgg", "tensat", "--k-multi 2 --node-limit 300 --rules single", 1), seen)

    def test_what_is_no_record_is_refused(self):
        record = self.path / "record.jsonl"
        record.write_text('{"record":"first"}\n{"record":"run"}\n')
        process = bench(record, wait=False)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertIn("record.jsonl:2", err)


if __name__ == "__main__":
    unittest.main()
