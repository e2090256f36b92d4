"""Makes the pairs of models beside this file: python make_models.py (needs onnx, onnxruntime and sympy).

mask.onnx          one encoder layer of BERT with a 0/1 attention mask
mask_length.onnx   what ONNX Runtime's transformer optimizer makes of it: the mask has become its length
mask_raw.onnx      the same with --use_raw_attention_mask: the mask stays one
renamed.onnx       mask_length.onnx with every inner value renamed
argmax.onnx, argmax_last.onnx, argmax_wrong.onnx
                   the largest of numbers among which there are ties: first place, last place, another place
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(FOLDER, "..", "..", "..")


def path(name):
    return os.path.join(FOLDER, name + ".onnx")


def encoder():
    sizes = [f"--set={size}" for size in ("layers=1", "hidden=8", "heads=2", "seq=8", "vocab=32")]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(ROOT, "bench", "models", "make_models.py"), folder,
                        "--only", "bert_base", *sizes], check=True, stdout=subprocess.DEVNULL)
        onnx.save(onnx.load(os.path.join(folder, "bert_base.ci.onnx")), path("mask"))


def optimized(name, *flags):
    subprocess.run([sys.executable, "-m", "onnxruntime.transformers.optimizer", "--input", path("mask"), "--output",
                    path(name), "--model_type", "bert", "--num_heads", "2", "--hidden_size", "8", "--opt_level", "0",
                    *flags], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def renamed():
    model = onnx.load(path("mask_length"))
    outer = {v.name for v in [*model.graph.input, *model.graph.output]} | {i.name for i in model.graph.initializer}
    for node in model.graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name and name not in outer:
                    names[i] = "other_" + name
    del model.graph.value_info[:]
    onnx.save(model, path("renamed"))


def argmax(name, last, shift):
    """Columns of a table of few different numbers, so that most maxima are not unique."""
    table = np.tile(np.arange(4, dtype=np.float32), (6, 3)).reshape(6, 12)
    nodes = [h.make_node("Gather", ["table", "row"], ["numbers"], axis=0),
             h.make_node("ArgMax", ["numbers"], ["at"], axis=1, keepdims=0, select_last_index=last),
             h.make_node("Sub", ["at", "shift"], ["place"]) if shift else h.make_node("Identity", ["at"], ["place"])]
    graph = h.make_graph(nodes, name, [h.make_tensor_value_info("row", T.INT64, [5])],
                         [h.make_tensor_value_info("place", T.INT64, [5])],
                         [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array(1), "shift")])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), path(name))


if __name__ == "__main__":
    encoder()
    optimized("mask_length")
    optimized("mask_raw", "--use_raw_attention_mask")
    renamed()
    argmax("argmax", 0, 0)
    argmax("argmax_last", 1, 0)
    argmax("argmax_wrong", 0, 1)
