"""Range and formulas of several named sizes, as detectors with dynamic images have them (a grid of the places of a feature
map): nothing stays opaque, and what is written counts and reshapes as ONNX Runtime does the original, at many sizes."""

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
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, values, kind=np.int64):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def add(self, op, *inputs, **attributes):
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def size(self, of, axis):
        """A scalar."""
        return self.add("Gather", self.add("Shape", of), self.constant(axis))

    def twice_negated(self, x):
        """Something to gain, so that what is written is not the file as it was."""
        return self.add("Neg", self.add("Neg", x))

    def made(self, result, shape):
        self.nodes[-1].output[0] = "y"
        graph = helper.make_graph(self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info("y", result, None)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def grid(stride):
    """Of a feature map [1, 4, h, w]: the place of each of its h w cells, x before y, beside its channels."""
    m = Model()
    weight = m.constant(np.random.default_rng(1).standard_normal((4, 3, 3, 3)), np.float32)
    features = m.add("Conv", m.twice_negated("x"), weight, strides=[stride, stride], pads=[1, 1, 1, 1])
    zero, one = m.constant(0), m.constant(1)
    sizes = [m.size(features, 2), m.size(features, 3)]
    places = [m.add("Cast", m.add("Range", zero, size, one), to=TensorProto.FLOAT) for size in sizes]
    whole = m.add("Concat", *(m.add("Unsqueeze", size, m.constant([0])) for size in sizes), axis=0)
    rows = m.add("Expand", m.add("Unsqueeze", places[0], m.constant([1])), whole)
    columns = m.add("Expand", places[1], whole)
    cells = m.add("Reshape", m.add("Concat", *(m.add("Unsqueeze", p, m.constant([2])) for p in (columns, rows)), axis=2),
                  m.add("Concat", m.constant([1]), m.add("Unsqueeze", m.add("Mul", *sizes), m.constant([0])), m.constant([2]), axis=0))
    flat = m.add("Transpose", m.add("Reshape", features, m.add("Concat", m.constant([1, 4]), m.add(
        "Unsqueeze", m.add("Mul", *sizes), m.constant([0])), axis=0)), perm=[0, 2, 1])
    m.add("Concat", flat, cells, axis=2)
    return m.made(TensorProto.FLOAT, [1, 3, "height", "width"])


def counted(start, limit, step):
    """Each a number, or a formula of the batch and the width as (batch factor, width factor, more)."""
    m = Model()
    sizes = [m.size("x", 0), m.size("x", 1)]

    def bound(of):
        if isinstance(of, int):
            return m.constant(of)
        parts = [m.add("Mul", size, m.constant(factor)) for size, factor in zip(sizes, of)]
        return m.add("Add", m.add("Add", *parts), m.constant(of[2]))
    numbers = m.add("Cast", m.add("Range", bound(start), bound(limit), m.constant(step)), to=TensorProto.FLOAT)
    total = m.add("ReduceSum", m.twice_negated("x"), keepdims=0)
    m.add("Add", numbers, total)
    return m.made(TensorProto.FLOAT, ["batch", "width"])


class Ranges(unittest.TestCase):
    def check(self, model, shapes):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "m.onnx", Path(folder) / "o.onnx"
            onnx.save(model, path)
            done = subprocess.run([PROGRAM, "-q", "optimize", path, "-o", out, "--json", "--no-measure", "--cost", "roofline:cpu"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(result["opaque_operators"], {}, result["warnings"])
            self.assertTrue(result["changed"], result["decision"])
            self.assertTrue(result["verified"])
            sessions = [ort.InferenceSession(p, providers=["CPUExecutionProvider"]) for p in (path, out)]
        for shape in shapes:
            x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
            expected, got = (s.run(None, {"x": x})[0] for s in sessions)
            self.assertEqual(expected.shape, got.shape)
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)

    def test_grids(self):
        for stride in (1, 2, 4):
            with self.subTest(stride):
                self.check(grid(stride), [(1, 3, h, w) for h, w in ((1, 1), (2, 5), (16, 16), (33, 18), (7, 64))])

    def test_bounds_and_steps(self):
        for case in (((0, (1, 0, 0), 1)), (3, (0, 1, 0), 2), ((0, 1, 0), 0, -1), ((0, 1, 5), (0, 0, 0), -3), ((1, 0, 0), (1, 1, 0), 1),
                     (-4, (2, 1, -1), 3), (5, (0, 1, 0), 1)):
            with self.subTest(case):
                self.check(counted(*case), [(b, w) for b in (1, 2, 5) for w in (1, 3, 8)])


if __name__ == "__main__":
    unittest.main()
