"""python -m isomer.cluster bench models: its tasks come to what the bench comes to; one that is killed goes on; what fails is kept and
named; two nodes of Ray, one lost midway."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy
from onnx import TensorProto, helper, numpy_helper, save

sys.path.insert(0, str(Path(__file__).parent))
from cluster_case import PROGRAM, ray, two_nodes  # noqa: E402

WORDS = ["--cost", "roofline:a100,ast-size", "--no-measure"]


def write_model(file, products):
    """x times so many matrices, which may be multiplied before."""
    nodes = [helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]) for i in range(products)]
    weights = [numpy_helper.from_array(numpy.eye(4, dtype=numpy.float32), f"w{i}") for i in range(products)]
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3, 4]) for name in ("v0", f"v{products}")]
    save(helper.make_model(helper.make_graph(nodes, "g", value[:1], value[1:], weights),
                           opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)


class ClusterModels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-cluster-models-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.zoo, self.record = self.path / "zoo", self.path / "record.jsonl"
        self.zoo.mkdir()
        for products in range(1, 5):
            write_model(self.zoo / f"m{products}.onnx", products)

    def start(self, *flags):
        argv = [sys.executable, "-m", "isomer.cluster", "bench", "models", self.zoo, *WORDS, "--record", self.record, *flags]
        return subprocess.Popen([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                env={**os.environ, "ISOMER_PROGRAM": PROGRAM})

    def tasks(self, *flags):
        process = self.start(*flags)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def runs(self, record=None):
        """What the cells came to, by what they are."""
        lines = [json.loads(line) for line in (record or self.record).read_text().splitlines()]
        return sorted((r["model"], r["cost"], r["status"], (r["result"] or {}).get("nodes_after")) for r in lines)

    def wait_for_runs(self, process, many):
        deadline = time.time() + 240
        while not self.record.exists() or self.record.read_bytes().count(b"\n") < many:
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "it ended too early")
            time.sleep(0.01)

    def test_tasks_come_to_what_the_bench_comes_to(self):
        whole = self.path / "whole.jsonl"
        bench = subprocess.run([PROGRAM, "-q", "bench", "models", self.zoo, *WORDS, "--record", whole], check=True, capture_output=True, text=True)
        status, out, err = self.tasks("--jobs", "2")
        self.assertEqual((status, err.splitlines()[0]), (0, "8 tasks"))
        self.assertEqual(self.runs(), self.runs(whole))
        self.assertEqual(out.count("| ast-size |"), bench.stdout.count("| ast-size |"))
        self.assertIn("<title>", self.record.with_suffix(".html").read_text())
        before = self.record.read_bytes()
        self.assertEqual(self.tasks()[::2], (0, "0 tasks\n"))
        self.assertEqual(self.record.read_bytes(), before)

    def test_a_killed_run_goes_on(self):
        process = self.start()
        self.wait_for_runs(process, 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        text = self.record.read_bytes()
        done = text[:text.rfind(b"\n") + 1]
        self.record.write_bytes(done + b'{"record":"run","mod')
        self.assertEqual(self.tasks()[0], 0)
        self.assertTrue(self.record.read_bytes().startswith(done))
        self.assertEqual(len(set(self.runs())), 8)
        self.assertEqual(len(self.runs()), 8)

    def test_what_fails_is_kept_and_named(self):
        (self.zoo / "broken.onnx").write_text("no model")
        status, out, err = self.tasks("--jobs", "2")
        self.assertEqual(status, 1)
        self.assertEqual(err.count("failed: bench models"), 2)
        self.assertIn("failed (3)", out)
        self.assertEqual([run[2] for run in self.runs()].count(3), 2)
        status, _, err = self.tasks()
        self.assertEqual((status, err.splitlines()[0]), (1, "0 tasks"))
        self.assertEqual(self.tasks("--again")[2].splitlines()[0], "2 tasks")

    def test_what_cannot_be_done_is_said(self):
        self.assertEqual(self.tasks("--search", "greedy")[0], 2)
        self.assertEqual(self.tasks("--json")[0], 2)

    @unittest.skipIf(ray is None, "ray is not installed (it is optional)")
    def test_two_nodes_one_lost_midway(self):
        with two_nodes() as (cluster, nodes):
            process = self.start("--ray", cluster.address)
            self.wait_for_runs(process, 2)
            cluster.remove_node(nodes[0], allow_graceful=False)
            out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len(self.runs()), 8)
        self.assertEqual(out.count("not run"), 0)


if __name__ == "__main__":
    unittest.main()
