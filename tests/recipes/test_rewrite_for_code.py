"""What `isomer compile` makes code of: an equivalent program where that runs faster, else what was read."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
ROWS, WIDTH = 64, 256


def chain(length):
    """x times so many constant matrices, and a sigmoid: one product is enough for a computer of constants."""
    rng = np.random.default_rng(0)
    names = [f"w{i}" for i in range(length)]
    weights = [numpy_helper.from_array((rng.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5).astype(np.float32), n) for n in names]
    values = ["x", *[f"p{i}" for i in range(length)]]
    nodes = [helper.make_node("MatMul", [values[i], names[i]], [values[i + 1]]) for i in range(length)]
    nodes.append(helper.make_node("Sigmoid", [values[-1]], ["y"]))
    ends = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, [ROWS, WIDTH])] for n in ("x", "y")]
    graph = helper.make_graph(nodes, "chain", *ends, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class RewriteForCode(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="isomer-rewrite-for-code-")
        self.addCleanup(self.folder.cleanup)
        self.model, self.out = Path(self.folder.name, "m.onnx"), Path(self.folder.name, "m.so")

    def compile(self, model, *flags):
        onnx.save(model, self.model)
        done = subprocess.run([PROGRAM, "-q", "compile", self.model, "-o", self.out, "--json", *flags], capture_output=True,
                              text=True)
        if done.returncode == 5:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_constant_products_become_one(self):
        made = self.compile(chain(3))
        self.assertTrue(made["rewritten"], made["decision"])
        self.assertGreater(made["rewrite_gain"]["low"], 1)
        self.assertTrue(made["rules_applied"])
        self.assertIn("what was found", made["decision"])
        self.assertRegex(made["verification"], r"^(field;|field, sampled;|no identity).*floats\S* \S*[0-9]")  # held to what was read
        self.assertEqual(made["weight_bytes"], WIDTH * WIDTH * 4)
        self.assertLess(made["difference"], 1e-4)

    def test_what_is_read_stands_where_nobody_may_look_or_time(self):
        for flag in ("--no-rewrite", "--no-check"):
            with self.subTest(flag=flag):
                made = self.compile(chain(3), flag)
                self.assertFalse(made["rewritten"])
                self.assertIsNone(made["rewrite_gain"])
                self.assertEqual(made["rules_applied"], {})
                self.assertIn(flag, made["decision"])
                self.assertEqual(made["weight_bytes"], 3 * WIDTH * WIDTH * 4)

    def test_what_is_read_stands_where_nothing_is_cheaper(self):
        made = self.compile(chain(1))
        self.assertFalse(made["rewritten"])
        self.assertEqual(made["decision"], "the original program: no cheaper one was found")

    def test_no_time(self):
        made = self.compile(chain(6), "--time-limit", "0.001s")
        self.assertFalse(made["rewritten"])
        self.assertIn("no time was left", made["decision"])

    def test_a_rule_that_does_not_suit_does_not_end_the_search(self):
        model = chain(3)
        nodes = model.graph.node
        nodes[-1].output[0] = "s"
        for op, second, result in (("Add", "huge", "a"), ("Sub", "huge", "b"), ("Mul", "tiny", "c")):
            nodes.append(helper.make_node(op, ["x" if op == "Add" else nodes[-1].output[0], second], [result]))
        nodes.append(helper.make_node("Add", ["s", "c"], ["y"]))
        model.graph.initializer.extend([numpy_helper.from_array(np.float32(v), n) for n, v in (("huge", 1e25), ("tiny", 1e-6))])
        made = self.compile(model)
        self.assertTrue(made["rewritten"], made["decision"])
        self.assertEqual(made["weight_bytes"] // (WIDTH * WIDTH * 4), 1, made["decision"])

    def test_the_second_interrupt_leaves_nothing_behind(self):
        onnx.save(chain(6), self.model)
        trials = Path(self.folder.name, "trials")
        trials.mkdir()
        process = subprocess.Popen([PROGRAM, "compile", self.model, "-o", self.out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env={**os.environ, "TMPDIR": str(trials)})
        deadline = time.time() + 60
        while process.poll() is None and not list(trials.glob(".isomer-*/0.so")) and time.time() < deadline:
            time.sleep(0.002)
        process.send_signal(signal.SIGSTOP)  # so that both wait when it goes on
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate(timeout=60)
        if process.returncode == 5:
            self.skipTest(err.strip())
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(list(trials.iterdir()), [])
        self.assertEqual(sorted(p.name for p in Path(self.folder.name).iterdir()), ["m.onnx", "trials"])

    def test_an_interrupted_search_leaves_what_is_read(self):
        onnx.save(chain(6), self.model)
        process = subprocess.Popen([PROGRAM, "compile", self.model, "-o", self.out, "--json"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        if process.returncode == 5:
            self.skipTest(err.strip())
        self.assertEqual(process.returncode, 0, err)
        self.assertTrue(self.out.exists())
        json.loads(out)


if __name__ == "__main__":
    unittest.main()
