"""A small model m.onnx, and parted.onnx, the same with its weights in parted.bin, in the current folder."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = [numpy_helper.from_array(np.eye(8, 4, dtype=np.float32), "a"),
           numpy_helper.from_array(np.eye(4, 2, dtype=np.float32), "b")]
graph = helper.make_graph([helper.make_node("MatMul", ["x", "a"], ["h"]), helper.make_node("MatMul", ["h", "b"], ["y"])],
                          "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.save(model, "m.onnx")
onnx.save(model, "parted.onnx", save_as_external_data=True, location="parted.bin", size_threshold=0)
