"""Makes the small models beside this file, which the tests of src/runtime load: python make_models.py"""

import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

FOLDER = os.path.dirname(os.path.abspath(__file__))


def save(name, nodes, inputs, outputs, constants=()):
    graph = h.make_graph(nodes, name, [h.make_tensor_value_info(*i) for i in inputs],
                         [h.make_tensor_value_info(*o) for o in outputs],
                         [numpy_helper.from_array(array, key) for key, array in constants])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, os.path.join(FOLDER, name + ".onnx"))


def layer(name, shift):
    """relu(x w) + shift, over a symbolic batch."""
    weights = (np.arange(12, dtype=np.float32).reshape(4, 3) - 6) / 8
    save(name, [h.make_node("MatMul", ["x", "w"], ["xw"]), h.make_node("Relu", ["xw"], ["r"]),
                h.make_node("Add", ["r", "s"], ["y"])],
         [("x", T.FLOAT, ["batch", 4])], [("y", T.FLOAT, ["batch", 3])],
         [("w", weights), ("s", np.array(shift, dtype=np.float32))])


def ids(name, step):
    """An integer and a bool output of an integer input, and a gather from a table of 10 rows."""
    save(name, [h.make_node("Add", ["ids", "step"], ["next"]), h.make_node("Less", ["ids", "five"], ["small"]),
                h.make_node("Gather", ["table", "ids"], ["row"])],
         [("ids", T.INT64, [6])], [("next", T.INT64, [6]), ("small", T.BOOL, [6]), ("row", T.FLOAT, [6, 2])],
         [("step", np.array([step])), ("five", np.array([5])),
          ("table", np.arange(20, dtype=np.float32).reshape(10, 2))])


def endless():
    """Counts to 2^60."""
    body = h.make_graph([h.make_node("Add", ["acc", "one"], ["out"]), h.make_node("Identity", ["c"], ["go"])], "body",
                        [h.make_tensor_value_info("i", T.INT64, []), h.make_tensor_value_info("c", T.BOOL, []),
                         h.make_tensor_value_info("acc", T.FLOAT, [1])],
                        [h.make_tensor_value_info("go", T.BOOL, []), h.make_tensor_value_info("out", T.FLOAT, [1])],
                        [numpy_helper.from_array(np.ones(1, np.float32), "one")])
    save("endless", [h.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
         [("x", T.FLOAT, [1])], [("y", T.FLOAT, [1])], [("count", np.array(1 << 60))])


def square(name, size, copies):
    """A chain of `copies` products with one matrix."""
    nodes = [h.make_node("MatMul", [f"y{i}" if i else "x", "w"], [f"y{i + 1}" if i + 1 < copies else "y"])
             for i in range(copies)]
    save(name, nodes, [("x", T.FLOAT, [size, size])], [("y", T.FLOAT, [size, size])],
         [("w", np.eye(size, dtype=np.float32))])


layer("layer", 0.0)
layer("layer_shifted", 0.125)
ids("ids", 1)
ids("ids_wrong", 2)
for name, op in (("log", ["Log"]), ("log_abs", ["Abs", "Log"])):
    chain = [h.make_node(o, [f"t{i}" if i else "x"], [f"t{i + 1}" if i + 1 < len(op) else "y"])
             for i, o in enumerate(op)]
    save(name, chain, [("x", T.FLOAT, [64])], [("y", T.FLOAT, [64])])
save("echo", [h.make_node("Identity", ["text"], ["same"])], [("text", T.STRING, [2])], [("same", T.STRING, [2])])
endless()
square("square_1", 32, 1)
square("square_40", 32, 40)
save("rows", [h.make_node("ReduceMax", ["x"], ["y"], axes=[1])], [("x", T.FLOAT, [32, 32])], [("y", T.FLOAT, [32, 1])])
np.savez(os.path.join(FOLDER, "layer_inputs.npz"), x=np.array([[0, 0, 0, 8]], np.float32))
