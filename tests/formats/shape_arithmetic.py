"""Shape arithmetic as exporters write it, one small model a pattern, each with sizes that are fixed and with sizes that
are only named. Written for these tests; no weights from anywhere.

    shape_arithmetic.py FOLDER       FOLDER/fixed/PATTERN/{model.onnx,in.npz}, FOLDER/named/PATTERN/..."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper

BATCH, SEQ, HEIGHT, WIDTH = ("batch", 2), ("seq", 12), ("height", 12), ("width", 16)


class Graph:
    """Nodes by call: g("Add", a, b) is the name of the sum."""

    def __init__(self, named):
        self.named, self.nodes, self.weights, self.inputs, self.feed = named, [], [], [], {}

    def constant(self, value, kind=np.int64):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(value, dtype=kind), name))
        return name

    def weight(self, *shape):
        return self.constant(np.random.default_rng(len(self.weights)).standard_normal(shape) * 0.1, np.float32)

    def __call__(self, op, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(h.make_node(op, list(inputs), [name], **attributes))
        return name

    def input(self, name, shape, kind=T.FLOAT):
        sizes = [d if isinstance(d, int) else d[1] for d in shape]
        shape = [d if isinstance(d, int) else d[0] if self.named else d[1] for d in shape]
        self.inputs.append(h.make_tensor_value_info(name, kind, shape))
        rng = np.random.default_rng(7)
        self.feed[name] = (rng.standard_normal(sizes).astype(np.float32) if kind == T.FLOAT
                           else rng.integers(0, 2, sizes, dtype=np.int64))
        return name

    def size(self, x, axis):
        return self("Gather", self("Shape", x), self.constant(axis), axis=0)

    def vector(self, *parts):
        return self("Concat", *[self("Unsqueeze", p, self.constant([0])) if isinstance(p, str) else self.constant([p])
                                for p in parts], axis=0)

    def expand(self, x, shape, rank):
        """`expand` of older exporters: -1 keeps a dimension."""
        ones = self("ConstantOfShape", self.constant([rank]), value=h.make_tensor("v", T.INT64, [1], [1]))
        keeps = self("Equal", shape, self("Mul", ones, self.constant(-1)))
        return self("Expand", x, self("Where", keeps, ones, shape))

    def normalised(self, x, width):
        return self("LayerNormalization", x, self.weight(width), self.weight(width), axis=-1)

    def attention(self, x, heads, size, mask=None):
        """`view(batch, seq, heads, size)` by Shape, Gather, Unsqueeze and Concat."""
        width = heads * size

        def head(perm):
            y = self("Add", self("MatMul", x, self.weight(width, width)), self.weight(width))
            view = self("Reshape", y, self.vector(self.size(y, 0), self.size(y, 1), heads, size))
            return self("Transpose", view, perm=perm)

        query, key, values = head([0, 2, 1, 3]), head([0, 2, 3, 1]), head([0, 2, 1, 3])
        root = self("Sqrt", self("Cast", self("Cast", self.constant(size), to=T.FLOAT), to=T.FLOAT))
        scores = self("Div", self("MatMul", query, key), root)
        if mask:
            scores = self("Add", scores, mask)
        y = self("Transpose", self("MatMul", self("Softmax", scores, axis=-1), values), perm=[0, 2, 1, 3])
        y = self("Reshape", y, self.vector(self.size(y, 0), self.size(y, 1), width))
        return self.normalised(self("Add", self("MatMul", y, self.weight(width, width)), x), width)

    def save(self, folder, y, rank):
        output = h.make_tensor_value_info(y, T.FLOAT, [None] * rank)
        graph = h.make_graph(self.nodes, "g", self.inputs, [output], self.weights)
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        os.makedirs(folder)
        onnx.save(model, os.path.join(folder, "model.onnx"))
        np.savez(os.path.join(folder, "in.npz"), **self.feed)


def class_token(g):
    """A class token is expanded over the batch and put before the patches (vision transformers)."""
    x = g.input("pixels", [BATCH, 3, 8, 8])
    patches = g("Conv", x, g.weight(16, 3, 4, 4), kernel_shape=[4, 4], strides=[4, 4])
    front = g("Slice", g("Shape", patches), g.constant([0]), g.constant([2]), g.constant([0]))
    flat = g("Reshape", patches, g("Concat", front, g.constant([-1]), axis=0))
    token = g.expand(g.weight(1, 1, 16), g.vector(g.size(x, 0), -1, -1), 3)
    rows = g("Concat", token, g("Transpose", flat, perm=[0, 2, 1]), axis=1)
    return g.attention(g("Add", rows, g.weight(1, 5, 16)), 2, 8)


def positions(g):
    """Positions by Range over Shape, expanded to the shape of the ids, looked up."""
    ids = g.input("ids", [BATCH, SEQ], T.INT64)
    count = g("Cast", g.size(ids, 1), to=T.INT64)
    row = g("Unsqueeze", g("Range", g.constant(0), count, g.constant(1)), g.constant([0]))
    places = g("Expand", row, g("Shape", ids))
    return g.normalised(g("Add", g("Gather", g.weight(30, 16), ids), g("Gather", g.weight(32, 16), places)), 16)


def causal_mask(g):
    """A mask by ConstantOfShape and Trilu, expanded, added to the scores."""
    x = g.input("x", [BATCH, SEQ, 16])
    batch, seq = g.size(x, 0), g.size(x, 1)
    full = g("ConstantOfShape", g.vector(seq, seq), value=h.make_tensor("v", T.FLOAT, [1], [-1e4]))
    mask = g("Unsqueeze", g("Trilu", full, g.constant(1), upper=1), g.constant([0, 1]))
    return g.attention(x, 2, 8, g.expand(mask, g.vector(batch, 1, seq, seq), 4))


def padding_mask(g):
    """BERT: positions by a slice of a table, the mask by Unsqueeze, Cast, Sub, Mul."""
    ids = g.input("ids", [BATCH, SEQ], T.INT64)
    given = g.input("mask", [BATCH, SEQ], T.INT64)
    seq = g("Unsqueeze", g.size(ids, 1), g.constant([0]))
    places = g("Slice", g.constant(np.arange(512)[None]), g.constant([0]), seq, g.constant([1]), g.constant([1]))
    x = g("Add", g("Gather", g.weight(30, 16), ids), g("Gather", g.weight(512, 16), places))
    mask = g("Cast", g("Unsqueeze", g("Unsqueeze", given, g.constant([1])), g.constant([2])), to=T.FLOAT)
    mask = g("Mul", g("Sub", g.constant(1, np.float32), mask), g.constant(-10000, np.float32))
    return g.attention(x, 2, 8, mask)


def pyramid(g):
    """A map is brought to the size of another: sizes by Concat of slices of Shape."""
    x = g.input("x", [BATCH, 8, HEIGHT, WIDTH])
    small = g("Conv", x, g.weight(8, 8, 3, 3), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    sizes = g("Concat", g("Slice", g("Shape", small), g.constant([0]), g.constant([2]), g.constant([0])),
              g("Slice", g("Shape", x), g.constant([2]), g.constant([4]), g.constant([0])), axis=0)
    large = g("Resize", small, "", "", sizes, mode="nearest", coordinate_transformation_mode="asymmetric",
              nearest_mode="floor")
    return g("Relu", g("Conv", g("Add", large, x), g.weight(8, 8, 1, 1), kernel_shape=[1, 1]))


def interpolated(g):
    """Position embeddings brought to another size: scales by Cast, Floor, Div and Concat."""
    x = g.input("x", [BATCH, 3, HEIGHT, WIDTH])
    patches = g("Conv", x, g.weight(8, 3, 4, 4), kernel_shape=[4, 4], strides=[4, 4])
    counts = [g("Div", g.size(x, axis), g.constant(4)) for axis in (2, 3)]

    def scale(count):
        whole = g("Cast", g("Floor", g("Cast", count, to=T.FLOAT)), to=T.INT64)
        return g("Unsqueeze", g("Div", g("Cast", whole, to=T.FLOAT), g.constant(2, np.float32)), g.constant([0]))

    scales = g("Concat", g.constant([1, 1], np.float32), scale(counts[0]), scale(counts[1]), axis=0)
    grid = g("Resize", g.weight(1, 8, 2, 2), "", scales, mode="cubic", coordinate_transformation_mode="half_pixel")
    rows = g("Reshape", grid, g.vector(1, 8, g("Mul", *counts)))
    flat = g("Reshape", patches, g.vector(g.size(patches, 0), 8, -1))
    return g.normalised(g("Transpose", g("Add", flat, rows), perm=[0, 2, 1]), 8)


def selected(g):
    """Elements that a mask selects: how many there are is known to the run alone; only ONNX's inference says more."""
    x = g.input("x", [BATCH, SEQ, 16])
    rows = g("Reshape", x, g.constant([-1, 16]))
    mask = g("Reshape", g("MatMul", rows, g.weight(16, 1)), g.constant([-1]))  # of all rows, as it happens
    chosen = g("Compress", rows, g("Cast", mask, to=T.BOOL), axis=0)
    return g("Relu", g("Reshape", g("MatMul", chosen, g.weight(16, 16)), g.constant([16, -1])))


PATTERNS = {class_token: 3, positions: 3, causal_mask: 3, padding_mask: 3, pyramid: 4, interpolated: 3, selected: 2}


def main(folder):
    for kind in ("fixed", "named"):
        for pattern, rank in PATTERNS.items():
            g = Graph(kind == "named")
            g.save(os.path.join(folder, kind, pattern.__name__), pattern(g), rank)


if __name__ == "__main__":
    main(sys.argv[1])
