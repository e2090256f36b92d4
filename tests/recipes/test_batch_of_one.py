"""A model whose state is for a batch of one, as recurrent ones have it, though its input's batch has a name: all is done at that. In
which order sizes are tried: sizes_test.cpp."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from onnx import TensorProto, helper, save

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")


class BatchOfOne(unittest.TestCase):
    def test_is_what_all_is_done_at(self):
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq"])
        state = helper.make_tensor_value_info("state", TensorProto.FLOAT, [1, 3])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph([helper.make_node("Concat", ["x", "state"], ["y"], axis=1)], "single", [x, state], [y])
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "single.onnx"
            save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
            done = subprocess.run([PROGRAM, "-q", "optimize", model, "-o", Path(folder) / "out.onnx", "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["sizes"], {"batch": 1, "seq": 64})
        self.assertEqual([sizes["batch"] for sizes in result["verified_sizes"]], [1] * len(result["verified_sizes"]))


if __name__ == "__main__":
    unittest.main()
