"""Models as exporters write them, with a named Split whose parts may be computed otherwise (GEGLU, a fused product for
queries, keys and values, GPT-2's, ShuffleNet's channel shuffle): what is written has each node name once in a graph,
loads, was timed, and is verified."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")


class Model:
    """Nodes named as PyTorch's exporter names them."""

    def __init__(self, name, shape):
        self.rng = np.random.default_rng(7)
        self.name, self.shape = name, shape
        self.nodes, self.weights = [], []

    def constant(self, values):
        self.weights.append(numpy_helper.from_array(values, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *shape):
        return self.constant((self.rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def add(self, op, inputs, outputs=1, **attributes):
        number = len(self.nodes)
        names = [f"{op}_{number}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"/{self.name}/{op}_{number}", **attributes))
        return names[0] if outputs == 1 else names

    def linear(self, x, rows, columns):
        return self.add("Add", [self.add("MatMul", [x, self.weight(rows, columns)]), self.weight(columns)])

    def save(self, path, result):
        graph = helper.make_graph(self.nodes, self.name,
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
                                  [helper.make_tensor_value_info(result, TensorProto.FLOAT, None)], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def geglu(path):
    m = Model("geglu", [16, 32])
    value, gate = m.add("Split", [m.linear("x", 32, 128), m.ints(64, 64)], 2, axis=-1)
    # GELU as exporters write it.
    erf = m.add("Erf", [m.add("Div", [gate, m.weight(1)])])
    gelu = m.add("Mul", [gate, m.add("Add", [erf, m.weight(1)])])
    m.save(path, m.linear(m.add("Mul", [value, gelu]), 64, 32))


def attention(m, x, tokens, width, heads, masked):
    parts = m.add("Split", [m.linear(x, width, 3 * width), m.ints(width, width, width)], 3, axis=-1)
    q, k, v = [m.add("Transpose", [m.add("Reshape", [p, m.ints(1, tokens, heads, width // heads)])], perm=perm)
               for p, perm in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))]
    scores = m.add("Div", [m.add("MatMul", [q, k]), m.weight(1)])
    if masked:
        scores = m.add("Add", [scores, m.constant(np.where(np.tri(tokens, dtype=bool), 0, -1e4).astype(np.float32))])
    mixed = m.add("MatMul", [m.add("Softmax", [scores], axis=-1), v])
    joined = m.add("Reshape", [m.add("Transpose", [mixed], perm=[0, 2, 1, 3]), m.ints(1, tokens, width)])
    return m.linear(joined, width, width)


def fused_qkv(path):
    m = Model("qkv", [1, 24, 48])
    m.save(path, attention(m, "x", 24, 48, 4, masked=False))


def gpt2(path):
    m = Model("gpt2", [1, 16, 32])
    x = "x"
    for _ in range(2):
        normal = m.add("LayerNormalization", [x, m.weight(32), m.weight(32)], axis=-1)
        x = m.add("Add", [x, attention(m, normal, 16, 32, 4, masked=True)])
        normal = m.add("LayerNormalization", [x, m.weight(32), m.weight(32)], axis=-1)
        inner = m.linear(normal, 32, 128)
        x = m.add("Add", [x, m.linear(m.add("Mul", [inner, m.add("Sigmoid", [inner])]), 128, 32)])
    m.save(path, x)


def shufflenet(path):
    m = Model("shuffle", [1, 16, 14, 14])
    x = "x"
    for _ in range(2):
        kept, worked = m.add("Split", [x, m.ints(8, 8)], 2, axis=1)
        worked = m.add("Relu", [m.add("Conv", [worked, m.weight(8, 8, 1, 1), m.weight(8)])])
        worked = m.add("Conv", [worked, m.weight(8, 1, 3, 3), m.weight(8)], group=8, pads=[1, 1, 1, 1])
        worked = m.add("Relu", [m.add("Conv", [worked, m.weight(8, 8, 1, 1), m.weight(8)])])
        both = m.add("Concat", [kept, worked], axis=1)
        apart = m.add("Transpose", [m.add("Reshape", [both, m.ints(1, 2, 8, 14, 14)])], perm=[0, 2, 1, 3, 4])
        x = m.add("Reshape", [apart, m.ints(1, 16, 14, 14)])
    m.save(path, x)


def repeated_names(graph):
    """Names that several nodes of one graph have, also in bodies."""
    names = [n.name for n in graph.node if n.name]
    found = {name for name in names if names.count(name) > 1}
    for node in graph.node:
        for a in node.attribute:
            for body in [a.g] if a.HasField("g") else a.graphs:
                found |= repeated_names(body)
    return found


class SplitNames(unittest.TestCase):
    def optimize(self, folder, make, *flags):
        model, out = Path(folder) / "m.onnx", Path(folder) / "o.onnx"
        make(model)
        done = subprocess.run([PROGRAM, "-q", "optimize", model, "-o", out, "--json", "--pairs", "12", "--cost",
                               "roofline:cpu", *flags], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertTrue(result["verified"], result)
        self.assertNotIn("not timed", result["decision"])
        self.assertEqual(result["refused_by_runtime"], [])
        written = onnx.load(out)
        self.assertEqual(repeated_names(written.graph), set())
        ort.InferenceSession(out, providers=["CPUExecutionProvider"])
        return result, onnx.load(model), written

    def test_models_are_timed_and_verified(self):
        for make in geglu, fused_qkv, gpt2, shufflenet:
            with self.subTest(make.__name__), tempfile.TemporaryDirectory() as folder:
                result, _, _ = self.optimize(folder, make)
                if "no cheaper one was found" not in result["decision"]:
                    self.assertGreater(result["latency_before_ms"], 0)

    def test_what_is_cheaper_by_cost_alone_loads(self):
        for make in geglu, fused_qkv, gpt2, shufflenet:
            with self.subTest(make.__name__), tempfile.TemporaryDirectory() as folder:
                self.optimize(folder, make, "--no-measure")

    def test_an_unchanged_copy_keeps_its_names(self):
        for make in geglu, fused_qkv, gpt2, shufflenet:
            with self.subTest(make.__name__), tempfile.TemporaryDirectory() as folder:
                _, model, written = self.optimize(folder, make, "--no-rewrite", "--no-measure")
                self.assertEqual([n.name for n in written.graph.node], [n.name for n in model.graph.node])


if __name__ == "__main__":
    unittest.main()
