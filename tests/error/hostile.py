"""Inputs that are made to break a reader: for each format at least a hundred, by name. Texts come out of the corpus of its fuzzer, with numbers
at the ends of their types, brackets without end, words of a megabyte, bytes that are no text; ONNX models say what no exporter does."""

import re
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NUMBERS = ["9223372036854775807", "-9223372036854775808", "18446744073709551616", "-1", "0", "1e400", "nan", "9" * 4000, "0x7fffffff", "1e-400"]
OPENED = {"(": ")", "[": "]", "{": "}", "<": ">"}
DEEP = [100, 10_000, 300_000]
NOISE = {"nothing": b"", "nul": b"\0", "no_text": b"\xff\xfe\x80\x81", "mark": b"\xef\xbb\xbf", "half_pair": b'"\\ud800"', "returns": b"\r\r\n\n\r",
         "quote": b'"', "comment": b"/*", "hash": b"#" * 100_000, "spaces": b" " * 1_000_000, "word": b"a" * 1_000_000,
         "minus": b"-" * 100_000, "backslashes": b"\\" * 100_001, "escapes": b'"' + b"\\n" * 100_000}


def texts(corpus: Path):
    """Of a format, from the files of its corpus."""
    for name, noise in NOISE.items():
        yield f"only_{name}", noise
    for depth in DEEP:
        for opened, closed in OPENED.items():
            name = f"deep_{ord(opened):x}_{depth}"
            yield name, opened.encode() * depth
            yield f"{name}_closed", (opened * depth + closed * depth).encode()
    files = sorted(p for p in corpus.iterdir() if p.is_file())
    largest = sorted(files, key=lambda p: p.stat().st_size)[len(files) // 2:]
    for path in largest[:3]:
        seed = path.read_bytes()
        name = path.stem
        for cut in range(1, 8):
            yield f"{name}_cut_{cut}", seed[:len(seed) * cut // 8]
        for word, noise in NOISE.items():
            middle = len(seed) // 2
            yield f"{name}_with_{word}", seed[:middle] + noise + seed[middle:]
        found = list(re.finditer(rb"\d+", seed))
        for number in NUMBERS:
            yield f"{name}_all_{number[:12]}", re.sub(rb"\d+", number.encode(), seed)
            for match in found[::max(1, len(found) // 4)]:
                yield f"{name}_at_{match.start()}_{number[:12]}", seed[:match.start()] + number.encode() + seed[match.end():]
        yield f"{name}_again", seed * max(2, min(2000, 1_000_000 // max(len(seed), 1)))
        for opened in OPENED:
            place = seed.find(opened.encode())
            if place >= 0:
                yield f"{name}_deeper_{ord(opened):x}", seed[:place] + opened.encode() * 100_000 + seed[place:]


def value(name, shape=(2, 3), dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, None if shape is None else list(shape))


def constant(name, values, dtype=np.int64):
    return numpy_helper.from_array(np.array(values, dtype), name)


def model(nodes, inputs=None, outputs=None, weights=(), opsets=(("", 17),), functions=(), ir=8):
    graph = helper.make_graph(nodes, "g", inputs or [value("x")], outputs or [value("y", None)], list(weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*o) for o in opsets], ir_version=ir, functions=list(functions))


def node(op, ins="x", outs="y", domain="", **attrs):
    return helper.make_node(op, ins.split(), outs.split(), domain=domain, **attrs)


LARGE, MOST, LEAST = 1 << 40, (1 << 63) - 1, -(1 << 63)


def of_attributes():
    """An operator with numbers that it cannot have, or that ask for more than a machine has."""
    image, filters = [value("x", (1, 2, 8, 8))], [constant("w", np.ones((2, 2, 3, 3)), np.float32)]
    for n in (0, -1, LARGE, MOST, LEAST):
        for key, length in (("strides", 2), ("dilations", 2), ("pads", 4), ("kernel_shape", 2)):
            yield f"conv_{key}_{n}", model([node("Conv", "x w", **{key: [n] * length})], image, weights=filters)
        yield f"conv_group_{n}", model([node("Conv", "x w", group=n)], image, weights=filters)
        yield f"pool_{n}", model([node("MaxPool", kernel_shape=[n, n], pads=[n] * 4)], image)
        for op in ("Softmax", "Concat", "Flatten", "ArgMax", "LayerNormalization"):
            yield f"{op}_axis_{n}", model([node(op, "x x", axis=n)])
        yield f"transpose_{n}", model([node("Transpose", perm=[n, n])])
        for op, ins in (("Reshape", "x n"), ("Expand", "x n"), ("Tile", "x n"), ("ConstantOfShape", "n"), ("Squeeze", "x n"), ("Unsqueeze", "x n"),
                        ("Pad", "x n"), ("Gather", "x n"), ("Split", "x n"), ("ReduceSum", "x n"), ("TopK", "x k"), ("CumSum", "x k"), ("Slice", "x n n n n"),
                        ("Range", "k k k"), ("OneHot", "n k x"), ("GatherND", "x n"), ("Resize", "x  f"), ("EyeLike", "n"), ("Trilu", "x k")):
            weights = [constant("n", [n, n]), constant("k", n), constant("f", [float(n), float(n)], np.float32)]
            given = [w for w in weights if w.name in ins.split()]
            written = helper.make_node(op, ins.split(" "), ["y"])
            yield f"{op}_{n}", model([written], weights=given)
    for equation in ("", "->", "ij,jk", "i" * 500, "...", "ij->" + "i" * 60, "é,ü->ö", "ij,ij,ij->" + "j" * 3, "i...j...->"):
        yield f"einsum_{equation[:9]}", model([node("Einsum", "x x", equation=equation)])


def of_tensors():
    """Weights that are not what they say."""
    add = [node("Add", "x w")]
    for name, dims in (("negative", [-1]), ("product", [LARGE, LARGE]), ("most", [MOST]), ("zero", [0, MOST]), ("long", [1] * 10_000)):
        tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims, raw_data=b"\0" * 8)
        yield f"weight_{name}", model(add, weights=[tensor])
    for kind in (-1, 0, 16, 23, 99, (1 << 31) - 1):
        yield f"weight_of_type_{kind}", model(add, weights=[TensorProto(name="w", data_type=kind, dims=[2], raw_data=b"\0" * 8)])
    for location, offset, length in (("../../etc/passwd", "0", "8"), ("/etc/passwd", "0", "8"), ("/dev/zero", "0", "8"), (".", "0", "8"), ("m.onnx", "-1", "8"),
                                     ("m.onnx", str(MOST), "8"), ("m.onnx", "0", str(MOST)), ("m.onnx", "x", "y"), ("", "", ""), ("a\0b", "0", "8")):
        tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
        for key, said in (("location", location), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=said)
        yield f"external_{location.strip('/.').replace('/', '_')[:9]}_{offset[:3]}_{length[:3]}", model(add, weights=[tensor])
    sparse = model(add)
    held = sparse.graph.sparse_initializer.add()
    held.values.CopyFrom(constant("w", [1.0], np.float32))
    held.indices.CopyFrom(constant("i", [MOST]))
    held.dims.extend([LARGE, LARGE])
    yield "sparse", sparse


def of_graphs():
    """Names, orders, bodies and sizes."""
    yield "own_output", model([node("Relu", "y", "y")])
    yield "cycle", model([node("Relu", "a", "b"), node("Relu", "b", "a"), node("Add", "x a")])
    yield "twice", model([node("Relu"), node("Neg")])
    yield "missing", model([node("Add", "x gone")])
    yield "no_output", model([node("Relu", "x", "z")])
    yield "no_name", model([helper.make_node("Relu", ["x"], [""])])
    yield "many_inputs", model([helper.make_node("Relu", ["x"] * 1000, ["y"])])
    yield "long_name", model([node("Relu", "x", "n" * 1_000_000), node("Relu", "n" * 1_000_000)])
    yield "chain", model([node("Relu", f"v{i}" if i else "x", f"v{i + 1}" if i < 19_999 else "y") for i in range(20_000)])
    yield "wide", model([helper.make_node("Concat", ["x"] * 10_000, ["y"], axis=0)])
    yield "empty", onnx.ModelProto()
    for n in (0, -1, 1, 6, 29, MOST):
        yield f"opset_{n}", model([node("Relu")], opsets=[("", n)])
    yield "no_opset", model([node("Relu")], opsets=[])
    yield "opsets", model([node("Relu")], opsets=[("", 17), ("", 13), ("x" * 1000, 1)])
    for name in ("a*b", "((((", "-1", "a" * 100_000, "min(a,", "1/0", "a//0", "(" * 50_000, "\u0000"):
        yield f"size_{ord(name[0]):x}_{len(name)}", model([node("Relu")], [value("x", (name, name))])
    for sizes in ((LARGE, LARGE), (MOST,), (0, MOST), (-5,), (1,) * 2000):
        yield f"sizes_{sizes[0]}_{len(sizes)}", model([node("Exp")], [value("x", sizes)])
    for op, sizes, count in (("Concat", ("n", "m"), 80), ("Concat", (2, 3), 80)):
        doubled = [helper.make_node(op, [f"v{i}" if i else "x"] * 2, [f"v{i + 1}" if i < count - 1 else "y"], axis=i % 2) for i in range(count)]
        yield f"doubled_{sizes[0]}", model(doubled, [value("x", sizes)])
    squared = []
    for i in range(24):
        squared += [helper.make_node("Flatten", [f"v{i}" if i else "x"], [f"f{i}"], axis=0),
                    helper.make_node("Transpose", [f"f{i}"], [f"t{i}"], perm=[1, 0]),
                    helper.make_node("MatMul", [f"t{i}", f"f{i}"], [f"v{i + 1}" if i < 23 else "y"])]
    yield "sizes_squared", model(squared, [value("x", ("n", "m"))])
    for depth, both in ((10, True), (24, False)):  # protobuf reads about a hundred messages within each other
        body = helper.make_graph([node("Relu", "x", "b0")], "deepest", [], [value("b0", None)])
        for i in range(depth):
            other = body if both else helper.make_graph([node("Relu", "x", "e")], "e", [], [value("e", None)])
            branch = helper.make_node("If", ["c"], [f"b{i + 1}"], then_branch=body, else_branch=other)
            body = helper.make_graph([branch], f"d{i}", [], [value(f"b{i + 1}", None)])
        yield f"branches_{depth}", model([*body.node, node("Identity", f"b{depth}")], [value("x"), value("c", (), TensorProto.BOOL)])
    for rounds in (-1, 0, LARGE, MOST):
        body = helper.make_graph([node("Concat", "s s", "t", axis=0), node("Identity", "c", "d")], "b",
                                 [value("i", (), TensorProto.INT64), value("c", (), TensorProto.BOOL), value("s", None)],
                                 [value("d", (), TensorProto.BOOL), value("t", None)])
        yield f"loop_{rounds}", model([helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], weights=[constant("n", rounds)])


def of_functions():
    opsets, own = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)], [("", 17), ("own", 1)]

    def function(name, nodes, ins=("a",), outs=("b",)):
        return helper.make_function("own", name, list(ins), list(outs), nodes, opsets)

    called = [node("f0", domain="own")]
    yield "function_of_itself", model(called, functions=[function("f0", [node("f0", "a", "b", "own")])], opsets=own)
    yield "functions_of_each_other", model(called, functions=[function("f0", [node("f1", "a", "b", "own")]), function("f1", [node("f0", "a", "b", "own")])], opsets=own)
    for depth in (20, 60):
        chain = [function(f"f{i}", [node(f"f{i + 1}", "a", "t", "own"), node(f"f{i + 1}", "t", "b", "own")]) for i in range(depth)]
        yield f"functions_doubled_{depth}", model(called, functions=[*chain, function(f"f{depth}", [node("Relu", "a", "b")])], opsets=own)
    yield "function_without_body", model(called, functions=[function("f0", [])], opsets=own)
    yield "function_twice", model(called, functions=[function("f0", [node("Relu", "a", "b")])] * 2, opsets=own)


def models():
    """ONNX files as bytes, by name."""
    for source in (of_attributes, of_tensors, of_graphs, of_functions):
        for name, made in source():
            yield name, made.SerializeToString()
    whole = model([node("MatMul", "x w")], weights=[constant("w", np.eye(3), np.float32)]).SerializeToString()
    for cut in range(1, 12):
        yield f"cut_{cut}", whole[:len(whole) * cut // 12]
    for name, noise in NOISE.items():
        yield f"only_{name}", noise
        yield f"with_{name}", whole + noise
    yield "message_in_message", b"\x3a" * 200_000
    yield "endless_number", b"\xff" * 200_000
    yield "length_beyond", b"\x3a\xff\xff\xff\xff\x0f" + whole
