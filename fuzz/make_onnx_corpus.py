"""Makes fuzz/corpus/onnx: small models that between them use every part of the format that the reader looks at.

    python fuzz/make_onnx_corpus.py
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "onnx")
F32, I64 = TensorProto.FLOAT, TensorProto.INT64


def info(name, shape, kind=F32):
    return helper.make_tensor_value_info(name, kind, shape)


def const(name, values, kind=np.int64):
    return numpy_helper.from_array(np.array(values, dtype=kind), name)


def model(nodes, inputs, outputs, initializers=(), opset=17, ir=8, domains=(), **fields):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers), **fields)
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir)


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs, outputs, **attrs)


def models():
    rng = np.random.default_rng(0)
    x = info("x", (1, 2, 5, 5))
    w = const("w", rng.standard_normal((3, 2, 3, 3)), np.float32)
    yield "conv", model([node("Conv", ["x", "w"], ["a"], auto_pad="SAME_UPPER", strides=[2, 2]), node("Relu", ["a"], ["b"]),
                         node("MaxPool", ["b"], ["y"], kernel_shape=[2, 2], ceil_mode=1)], [x], [info("y", (1, 3, 2, 2))], [w])
    yield "dense", model([node("MatMul", ["x", "w"], ["a"]), node("Add", ["a", "b"], ["c"]), node("Softmax", ["c"], ["y"], axis=-1)],
                         [info("x", ("N", 4))], [info("y", ("N", 3))],
                         [const("w", rng.standard_normal((4, 3)), np.float32), const("b", [1, 2, 3], np.float32)])
    yield "gemm_opset9", model([node("Gemm", ["x", "w", "b"], ["a"], transB=1, alpha=0.5), node("Dropout", ["a"], ["d"], ratio=0.5),
                                node("Identity", ["d"], ["y"])], [info("x", (2, 4)), info("w", (3, 4)), info("b", (3,))], [info("y", (2, 3))],
                               [const("w", rng.standard_normal((3, 4)), np.float32), const("b", [1, 2, 3], np.float32)], opset=9, ir=3)
    yield "shapes", model([node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]), node("Concat", ["n", "minus"], ["t"], axis=0),
                           node("Reshape", ["x", "t"], ["r"]), node("Slice", ["r", "zero", "one", "one"], ["y"])],
                          [info("x", ("N", 2, 3))], [info("y", (None, 1))], [const("zero", [0]), const("one", [1]), const("minus", [-1])])
    yield "layout", model([node("Transpose", ["x"], ["t"], perm=[0, 2, 3, 1]), node("Split", ["t", "sizes"], ["a", "b"], axis=1),
                           node("Concat", ["b", "a"], ["c"], axis=-3), node("Pad", ["c", "pads", "value"], ["p"]),
                           node("Squeeze", ["p", "zero"], ["q"]), node("Unsqueeze", ["q", "zero"], ["u"]), node("ReduceMean", ["u"], ["y"], axes=[-1])],
                          [x], [info("y", (1, 6, 6, 1))], [const("sizes", [2, 3]), const("pads", [0, 0, 0, 0, 0, 1, 1, 0]), const("value", 0.5, np.float32),
                                                   const("zero", [0])])
    then = helper.make_graph([node("Add", ["x", "k"], ["t"])], "then", [], [info("t", (2,))])
    other = helper.make_graph([node("If", ["c"], ["e"],
                                    then_branch=helper.make_graph([node("Neg", ["x"], ["e1"])], "n", [], [info("e1", (2,))]),
                                    else_branch=helper.make_graph([node("Mul", ["x", "k"], ["e2"])], "m", [], [info("e2", (2,))]))],
                              "else", [], [info("e", (2,))])
    yield "if", model([node("If", ["c"], ["y"], then_branch=then, else_branch=other)], [info("x", (2,)), info("c", (), TensorProto.BOOL)],
                      [info("y", (2,))], [const("k", [3, 4], np.float32)])
    strings = helper.make_tensor("s", TensorProto.STRING, (2,), [b"a", b"bc"])
    sparse = helper.make_sparse_tensor(const("p", [2.5], np.float32), const("", [3]), [2, 2])
    made = model([node("Identity", ["s"], ["y"]), node("Add", ["x", "p"], ["z"])], [info("x", (2, 2))],
                 [info("y", (2,), TensorProto.STRING), info("z", (2, 2))], [strings])
    made.graph.sparse_initializer.append(sparse)
    yield "strings_sparse", made
    function = helper.make_function("my", "Twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)])
    called = model([node("Twice", ["x"], ["y"], domain="my")], [info("x", (2,))], [info("y", (2,))], domains=["my"])
    called.functions.append(function)
    called.metadata_props.add(key="author", value="corpus")
    yield "function", called
    yield "sequence", model([node("SequenceConstruct", ["x", "x"], ["s"]), node("SequenceAt", ["s", "i"], ["y"])],
                            [info("x", (2,))], [info("y", (2,))], [const("i", 1)])
    yield "topk", model([node("TopK", ["x", "k"], ["v", "i"])], [info("x", (2, 5))], [info("i", (2, 2), I64)], [const("k", [2])])
    typed = helper.make_tensor("h", TensorProto.FLOAT16, (2,), [1.5, 2.5])
    yield "types", model([node("Cast", ["h"], ["a"], to=F32), node("Add", ["x", "a"], ["y"]), node("Constant", [], ["c"], value_floats=[1.0, 2.0]),
                          node("Clip", ["y", "", "top"], ["z"]), node("Where", ["m", "z", "c"], ["v"])],
                         [info("x", (2,)), info("m", (2,), TensorProto.BOOL)], [info("v", (2,))], [typed, const("top", 3, np.float32)])


def main():
    os.makedirs(OUT, exist_ok=True)
    for name, made in models():
        onnx.checker.check_model(made, full_check=name != "strings_sparse")  # inference knows no sparse operands
        with open(os.path.join(OUT, name + ".onnx"), "wb") as f:
            f.write(made.SerializeToString())


if __name__ == "__main__":
    main()
