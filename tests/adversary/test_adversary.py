"""Checks of the checks: the interpreter of the witnesses against ONNX Runtime, operator by operator on random operands; and
that witness.py finds a false statement.

    python tests/adversary/test_adversary.py
"""
import sys
import unittest
import zlib
from pathlib import Path

import numpy as np
import onnxruntime

sys.path.insert(0, str(Path(__file__).parent))
from pair_models import i64, model, weights
from rule_language import DTYPES
from tensor_ops import apply
from tensors import Tensor
from witness import SETS, check_instances, check_wrong, load

# operator, ONNX name, attributes here, attributes there, shapes of the operands, ranges, further inputs there
WINDOW = {"strides": [2, 1], "dilations": [1, 2], "pads": [1, 0, 0, 2]}
ONNX_WINDOW = "strides = [2, 1], dilations = [1, 2], pads = [1, 0, 0, 2]"
POOL = WINDOW | {"kernel": [2, 3]}
ONNX_POOL = ONNX_WINDOW + ", kernel_shape = [2, 3]"
CASES = [
    ("conv", "Conv", WINDOW | {"group": 2}, ONNX_WINDOW + ", group = 2", [(1, 4, 7, 8), (6, 2, 2, 3), (6,)]),
    ("conv", "Conv", {"strides": [1], "dilations": [2], "pads": [5, 0], "group": 1}, "dilations = [2], pads = [5, 0]", [(2, 3, 7), (4, 3, 2)]),
    ("conv_transpose", "ConvTranspose", WINDOW | {"group": 2, "output_padding": [1, 0]}, ONNX_WINDOW + ", group = 2, output_padding = [1, 0]",
     [(1, 4, 5, 6), (4, 3, 2, 3)]),
    ("max_pool", "MaxPool", POOL | {"ceil_mode": 1}, ONNX_POOL + ", ceil_mode = 1", [(1, 2, 7, 8)]),
    ("avg_pool", "AveragePool", POOL | {"ceil_mode": 0, "count_include_pad": 1}, ONNX_POOL + ", count_include_pad = 1", [(1, 2, 7, 8)]),
    ("avg_pool", "AveragePool", POOL | {"ceil_mode": 0, "count_include_pad": 0}, ONNX_POOL, [(1, 2, 7, 8)]),
    ("lrn", "LRN", {"size": 5, "alpha": 1.5, "beta": 0.5, "bias": 2.0}, "size = 5, alpha = 1.5, beta = 0.5, bias = 2.0", [(1, 7, 2, 2)]),
    ("matmul", "MatMul", {}, "", [(2, 3, 4), (4, 5)]),
    ("gemm", "Gemm", {"alpha": 0.5, "beta": 2.0, "trans_a": 1, "trans_b": 1}, "alpha = 0.5, beta = 2.0, transA = 1, transB = 1", [(3, 2), (4, 3), (2, 4)]),
    ("softmax", "Softmax", {"axis": 1}, "axis = 1", [(2, 3, 4)]),
    ("log_softmax", "LogSoftmax", {"axis": 0}, "axis = 0", [(2, 3, 4)]),
    ("layer_norm", "LayerNormalization", {"axis": 1, "epsilon": 0.5}, "axis = 1, epsilon = 0.5", [(2, 3, 4), (3, 4), (3, 4)]),
    ("batch_norm", "BatchNormalization", {"epsilon": 0.5}, "epsilon = 0.5", [(2, 3, 4), (3,), (3,), (3,), (3,)], (0.5, 2)),
    ("instance_norm", "InstanceNormalization", {"epsilon": 0.5}, "epsilon = 0.5", [(2, 3, 4), (3,), (3,)]),
    ("depth_to_space", "DepthToSpace", {"blocksize": 2, "mode": "CRD"}, 'blocksize = 2, mode = "CRD"', [(1, 8, 2, 3)]),
    ("depth_to_space", "DepthToSpace", {"blocksize": 2, "mode": "DCR"}, 'blocksize = 2, mode = "DCR"', [(1, 8, 2, 3)]),
    ("space_to_depth", "SpaceToDepth", {"blocksize": 2}, "blocksize = 2", [(1, 3, 4, 6)]),
    ("trilu", "Trilu", {"upper": 1, "k": -2}, "upper = 1", [(2, 5, 4)], None, {"k": np.int64(-2)}),
    ("trilu", "Trilu", {"upper": 0, "k": 1}, "upper = 0", [(5, 4)], None, {"k": np.int64(1)}),
    ("slice", "Slice", {"axes": [1, 0], "starts": [-1, 1], "ends": [-9, 5], "steps": [-3, 2]}, "", [(7, 8)], None,
     {"s": i64(-1, 1), "e": i64(-9, 5), "a": i64(1, 0), "t": i64(-3, 2)}),
    ("transpose", "Transpose", {"perm": [1, 2, 0]}, "perm = [1, 2, 0]", [(2, 3, 4)]),
    ("tile", "Tile", {"repeats": [2, 3]}, "", [(2, 3)], None, {"r": i64(2, 3)}),
    ("gelu", "Gelu", {"approximate": "tanh"}, 'approximate = "tanh"', [(3, 4)]),
    ("gelu", "Gelu", {"approximate": "none"}, "", [(3, 4)]),
    ("celu", "Celu", {"alpha": -1.5}, "alpha = -1.5", [(3, 4)]),
    ("selu", "Selu", {"alpha": 1.5, "gamma": 0.5}, "alpha = 1.5, gamma = 0.5", [(3, 4)]),
    ("hard_sigmoid", "HardSigmoid", {"alpha": 0.3, "beta": 0.4}, "alpha = 0.3, beta = 0.4", [(3, 4)]),
    ("thresholded_relu", "ThresholdedRelu", {"alpha": 0.3}, "alpha = 0.3", [(3, 4)]),
    ("reduce_log_sum_exp", "ReduceLogSumExp", {"axes": [0, 2], "keepdims": 0}, "keepdims = 0", [(2, 3, 4)], None, {"a": i64(0, 2)}),
    ("reduce_l2", "ReduceL2", {"axes": [1], "keepdims": 1}, "", [(2, 3, 4)], None, {"a": i64(1)}),
    ("attention", "Attention", {"scale": 0.5}, "scale = 0.5", [(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2), (2, 3, 4, 6)]),
    ("multi_head_attention", "Attention", {"heads": 2, "scale": 0.5}, "q_num_heads = 2, kv_num_heads = 2, scale = 0.5", [(2, 4, 6), (2, 5, 6), (2, 5, 8)]),
    ("multi_head_attention", "Attention", {"heads": 2, "scale": 0.5}, "q_num_heads = 2, kv_num_heads = 2, scale = 0.5", [(2, 4, 6), (2, 5, 6), (2, 5, 8), (2, 2, 4, 5)]),
    ("taso.conv2d", "Conv", {"stride_h": 2, "stride_w": 1, "padding": 0, "act": 0}, 'auto_pad = "SAME_UPPER", strides = [2, 1], group = 2', [(1, 4, 6, 5), (6, 2, 3, 2)]),
    ("taso.conv2d", "Conv", {"stride_h": 2, "stride_w": 3, "padding": 1, "act": 0}, 'auto_pad = "VALID", strides = [2, 3]', [(1, 4, 6, 5), (3, 4, 3, 2)]),
    ("taso.poolmax", "MaxPool", {"kernel_h": 3, "kernel_w": 2, "stride_h": 2, "stride_w": 1, "padding": 0, "act": 0},
     'auto_pad = "SAME_UPPER", strides = [2, 1], kernel_shape = [3, 2]', [(1, 2, 6, 5)]),
    ("taso.poolavg", "AveragePool", {"kernel_h": 3, "kernel_w": 2, "stride_h": 2, "stride_w": 1, "padding": 0, "act": 0},
     'auto_pad = "SAME_UPPER", strides = [2, 1], kernel_shape = [3, 2]', [(1, 2, 6, 5)]),
    ("rotary_embedding", "RotaryEmbedding", {"interleaved": 0}, "", [(2, 3, 4, 6), (2, 4, 3), (2, 4, 3)]),
    ("rotary_embedding", "RotaryEmbedding", {"interleaved": 1}, "interleaved = 1", [(2, 3, 4, 6), (2, 4, 3), (2, 4, 3)]),
    ("reduce_prod", "ReduceProd", {"axes": [1, 2], "keepdims": 1}, "", [(2, 3, 4)], None, {"a": i64(1, 2)}),
] + [(op, name, {}, "", [(3, 4)]) for op, name in (
    ("softsign", "Softsign"), ("softplus", "Softplus"), ("mish", "Mish"), ("hard_swish", "HardSwish"), ("erf", "Erf"), ("round", "Round"),
    ("sign", "Sign"), ("elu", "Elu"), ("leaky_relu", "LeakyRelu"), ("atan", "Atan"), ("asinh", "Asinh"), ("is_nan", "IsNaN"))] + [
    ("pad", "Pad", {"pads": [2, 1, 1, 3], "mode": mode, "value": 0.0}, f'mode = "{mode}"', [(3, 5)], None, {"p": i64(2, 1, 1, 3)})
    for mode in ("constant", "edge", "reflect", "wrap")]
INTEGERS = [("div", "Div", {}, ""), ("mod", "Mod", {"fmod": 0}, ""), ("mod", "Mod", {"fmod": 1}, "fmod = 1"), ("mul", "Mul", {}, ""),
            ("add", "Add", {}, ""), ("max", "Max", {}, ""), ("bit_xor", "BitwiseXor", {}, ""), ("less", "Less", {}, "")]


# operator, attributes here, which of places and updates it takes, ONNX name, attributes there, further inputs there
PLACES = [("cumsum", {"axis": 1, "exclusive": e, "reverse": r}, "", "CumSum", f"exclusive = {e}, reverse = {r}", {"a": np.int64(1)})
          for e in (0, 1) for r in (0, 1)] + [
    (f"arg_{end}", {"axis": axis, "keepdims": 0, "last": last}, "", f"Arg{end.title()}", f"axis = {axis}, keepdims = 0, select_last_index = {last}", {})
    for end in ("max", "min") for axis in (0, 1) for last in (0, 1)] + [
    ("top_k", {"axis": 1, "k": 3, "largest": largest}, "", "TopK", f"axis = 1, largest = {largest}", {"k": i64(3)}) for largest in (0, 1)] + [
    ("hardmax", {"axis": 1}, "", "Hardmax", "axis = 1", {}),
    ("shrink", {"lambda": 0.5, "bias": 0.25}, "", "Shrink", "lambd = 0.5, bias = 0.25", {}),
    ("gather_elements", {"axis": 0}, "i", "GatherElements", "axis = 0", {}),
    ("scatter_elements", {"axis": 0, "reduction": "add"}, "iu", "ScatterElements", 'axis = 0, reduction = "add"', {}),
    ("scatter_elements", {"axis": 0, "reduction": "max"}, "iu", "ScatterElements", 'axis = 0, reduction = "max"', {})]


# operator, attributes here, operands (element type, elements; the first is x), ONNX name, attributes there, which operands there, result
X = np.array([[-2.5, 0.5, 1.25, 3.0], [1.0, -0.75, 40.0, 2.0], [0.25, 7.0, -1.0, -300.0]])
TUPLES = np.array([[2, -1], [0, 3], [-3, 0]])
FURTHER = [
    ("quantize_linear", {"axis": 1}, [("f32", X), ("f32", np.array([0.5, 1, 2, 1])), ("i8", np.array([3, -5, 0, 100]))], "QuantizeLinear", "axis = 1", "int8"),
    ("dequantize_linear", {"axis": 0}, [("u8", np.arange(12).reshape(3, 4) * 20), ("f32", np.array([0.5, 1, 2])), ("u8", np.array([3, 200, 0]))],
     "DequantizeLinear", "axis = 0", "float"),
    ("gather_nd", {"batch_dims": 0}, [("f32", X), ("i64", TUPLES)], "GatherND", "batch_dims = 0", "float"),
    ("gather_nd", {"batch_dims": 1}, [("f32", X), ("i64", TUPLES[:, :1, None])], "GatherND", "batch_dims = 1", "float"),
    ("scatter_nd", {"reduction": "add"}, [("f32", X), ("i64", np.array([[0, 1], [-3, 1]])), ("f32", np.array([5.0, 6]))], "ScatterND", 'reduction = "add"', "float"),
    ("reverse_sequence", {"batch_axis": 0, "time_axis": 1}, [("f32", X), ("i64", np.array([3, 1, 4]))], "ReverseSequence", "batch_axis = 0, time_axis = 1", "float"),
    ("lp_norm", {"axis": 1, "p": 1}, [("f32", X)], "LpNormalization", "axis = 1, p = 1", "float"),
    ("lp_pool", {"kernel": [2, 2], "strides": [1, 2], "dilations": [1, 1], "pads": [1, 0, 0, 1], "p": 3}, [("f32", X[None, None])], "LpPool",
     "kernel_shape = [2, 2], strides = [1, 2], pads = [1, 0, 0, 1], p = 3", "float"),
    ("einsum", {"equation": "ij,kj->ki"}, [("f32", X), ("f32", X[:2])], "Einsum", 'equation = "ij,kj->ki"', "float"),
    ("bit_shift", {"direction": "RIGHT"}, [("u8", np.arange(12) * 20), ("u8", np.arange(12) % 8)], "BitShift", 'direction = "RIGHT"', "uint8"),
] + [("resize", {"axes": [0, 1], "sizes": [7, 6], "mode": "linear", "coordinates": way}, [("f32", X)], "Resize",
      f'mode = "linear", coordinate_transformation_mode = "{way}"', "float") for way in ("align_corners", "half_pixel", "asymmetric", "pytorch_half_pixel")] + [
    ("resize", {"axes": [0, 1], "sizes": [7, 3], "mode": "nearest", "coordinates": way, "nearest": pick}, [("f32", X)], "Resize",
     f'mode = "nearest", coordinate_transformation_mode = "{way}", nearest_mode = "{pick}"', "float")
    for way in ("align_corners", "half_pixel", "asymmetric") for pick in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")]
ONNX_TYPES = {"f32": ("float", np.float32), "i8": ("int8", np.int8), "u8": ("uint8", np.uint8), "i64": ("int64", np.int64)}


def further_of_runtime(name, attributes, operands, output, sizes):
    names = [f"x{i}" for i in range(len(operands))]
    inputs = ", ".join(f"{ONNX_TYPES[dtype][0]}[{', '.join(map(str, data.shape))}] {n}" for n, (dtype, data) in zip(names, operands))
    given = ", ".join(names) + (", , , k" if sizes else "")
    proto = model(inputs, f"{output} y", f"y = {name} <{attributes}> ({given})", opset=20, ir=9)
    proto = weights(proto, k=i64(*sizes)) if sizes else proto
    proto.graph.output[0].type.tensor_type.ClearField("shape")
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {n: data.astype(ONNX_TYPES[dtype][1]) for n, (dtype, data) in zip(names, operands)})[0]


def places_of_runtime(name, attributes, x, constants):
    outputs = ["float y", "int64 z"] if name == "TopK" else ["int64 y" if name.startswith("Arg") else "float y"]
    text = ", ".join(o.split()[1] for o in outputs)
    proto = weights(model("float[3, 4] x", ", ".join(outputs), f"{text} = {name} <{attributes}> ({', '.join(['x', *constants])})", opset=20, ir=9),
                    **constants)
    for output in proto.graph.output:
        output.type.tensor_type.ClearField("shape")
    return onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x.astype(np.float32)})


def runtime(name, attributes, operands, constants):
    names = [f"x{i}" for i in range(len(operands))]
    kind = {"float64": "float", "int64": "int32", "bool": "bool"}[operands[0].dtype.name]
    inputs = ", ".join(f"{kind}[{', '.join(map(str, o.shape))}] {n}" for n, o in zip(names, operands))
    output = "bool" if name in ("Less", "IsNaN") else kind
    attributes = f" <{attributes}>" if attributes else ""
    proto = weights(model(inputs, f"{output} y", f"y = {name}{attributes} ({', '.join(names + list(constants))})", opset=23, ir=11), **constants)
    proto.graph.output[0].type.tensor_type.ClearField("shape")
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {n: o.astype(np.float32 if kind == "float" else np.int32) for n, o in zip(names, operands)})[0]


class TensorOps(unittest.TestCase):
    def test_floats(self):
        rng = np.random.default_rng(1)
        for op, name, ours, theirs, shapes, *rest in CASES:
            with self.subTest(op=op, attributes=ours):
                bounds = rest[0] if rest and rest[0] else (-2, 2)
                data = [rng.uniform(*bounds, shape).astype(np.float32).astype(np.float64) for shape in shapes]
                mine = apply(op, ours, [Tensor("f32", d) for d in data])
                np.testing.assert_allclose(mine.data, runtime(name, theirs, data, rest[1] if len(rest) > 1 else {}), rtol=2e-5, atol=2e-6)

    def test_integers(self):
        rng = np.random.default_rng(2)
        for op, name, ours, theirs in INTEGERS:
            with self.subTest(op=op, attributes=ours):
                data = [rng.integers(-2 ** 31, 2 ** 31, (50,)), rng.choice([-7, -3, 2, 5, 2 ** 30], 50)]
                mine = apply(op, ours, [Tensor("i32", d) for d in data])
                np.testing.assert_array_equal(mine.data, runtime(name, theirs, data, {}))

    def test_places(self):
        rng = np.random.default_rng(3)
        x, index = rng.integers(-2, 3, (3, 4)).astype(np.float64), np.array([[2, -1, 0, 1]])
        updates = np.array([[5.0, 6.0, 7.0, 8.0]])
        places = Tensor("i64", index)
        for op, ours, others, name, theirs, constants in PLACES:
            with self.subTest(op=op, attributes=ours):
                operands = [Tensor("f32", x)] + ([places] if "i" in others else []) + ([Tensor("f32", updates)] if "u" in others else [])
                mine = apply(op, ours, operands)
                given = constants | {k: v for k, v in (("i", index), ("u", updates.astype(np.float32))) if k in others}
                for one, other in zip(mine if isinstance(mine, list) else [mine], places_of_runtime(name, theirs, x, given)):
                    np.testing.assert_allclose(one.data, other, rtol=2e-5, atol=2e-6)

    def test_further(self):
        for op, ours, operands, name, theirs, output in FURTHER:
            with self.subTest(op=op, attributes=ours):
                mine = apply(op, ours, [Tensor(dtype, data) for dtype, data in operands])
                np.testing.assert_allclose(mine.data, further_of_runtime(name, theirs, operands, output, ours.get("sizes")), rtol=2e-5, atol=2e-5)

    def test_casts(self):
        data = np.array([-1.5, -0.5, 0.5, 1.5, 100.7])
        self.assertEqual(apply("cast", {"to": DTYPES["i32"]}, [Tensor("f32", data)]).data.tolist(), [-1, 0, 0, 1, 100])
        wide = np.array([200, -129, 65536, 3])
        self.assertEqual(apply("cast", {"to": DTYPES["i8"]}, [Tensor("i64", wide)]).data.tolist(), [-56, 127, 0, 3])
        self.assertEqual(apply("cast", {"to": DTYPES["bf16"]}, [Tensor("f32", np.array([1.00390625, 1.01]))]).data.tolist(), [1.0, 1.0078125])


class Witness(unittest.TestCase):
    def test_wrong_rules_are_not_true(self):
        for _, rules, expectations in (found for which in SETS for found in load("wrong", which)):
            for entry in expectations:
                with self.subTest(rule=entry["rule"]):
                    exact = entry["fault"] in ("value", "error")
                    rng = np.random.default_rng(zlib.crc32(entry["rule"].encode()))
                    self.assertTrue(check_instances(rules[entry["rule"]], [entry["witness"]], rng, exact, {"nan"}, 1))

    def test_true_rules_are_not_wrong(self):
        for _, rules, expectations in (found for which in SETS for found in load("true", which)):
            for entry in expectations:
                with self.subTest(rule=entry["rule"]):
                    self.assertTrue(check_wrong(rules[entry["rule"]], {"fault": "value", "witness": entry["instances"][0]}))


if __name__ == "__main__":
    unittest.main()
