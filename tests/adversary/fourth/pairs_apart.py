"""Pairs that differ: defaults, further outputs, operator sets, edges of integers, halves, tables, ties, sizes."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp

G = "defaults4"
IF = "y = If (c) <then_branch = g1 () => (float[2] p) { p = Relu (x) }, else_branch = g2 () => (float[2] q) { q = Neg (x) }>"
different(G, "f4-default-condition", IF, "y = Relu (x)", {"x": f32(-1, 2), "c": np.bool_(False)}, "The condition has a default and may be given.", x="float[2] x, bool c", y="float[2] y", initializers="bool c = {1}")
LOOP = "y = Loop ({}, d, x) <body = b (int64 i, bool e, float[2] v) => (bool f, float[2] w) {{ f = Identity (e) w = Add (v, v) }}>"
different(G, "f4-default-rounds", LOOP.format("n"), LOOP.format("m"), {"x": f32(1, 2), "n": np.int64(3)}, "How many rounds has a default, and may be given.", x="float[2] x, int64 n", y="float[2] y", initializers="int64 n = {2}", arrays={"d": np.bool_(True), "m": np.int64(2)})
different(G, "f4-default-axes", "y = ReduceSum <keepdims = 1> (x, a)", "y = ReduceSum <keepdims = 1> (x, k)", {"x": ramp(2, 2), "a": i64(0)}, "Which axis has a default, and may be given.", x="float[2, 2] x, int64[1] a", y="float[m, n] y", initializers="int64[1] a = {1}", arrays={"k": i64(1)})
different(G, "f4-default-shape", "y = Reshape (x, s)", "y = Reshape (x, t)", {"x": ramp(2, 3), "s": i64(3, 2)}, "The shape has a default, and may be given.", x="float[2, 3] x, int64[2] s", y="float[m, n] y", initializers="int64[2] s = {2, 3}", arrays={"t": i64(2, 3)})
different(G, "f4-default-of-other", {"body": "y = Add (x, k)", "initializers": "float[2] k = {1, 2}"}, {"body": "y = Add (x, k)", "initializers": "float[2] k = {1, 2.5}"}, {"x": f32(1, 2)}, "Defaults of the same input.", x="float[2] x, float[2] k", y="float[2] y")
different(G, "f4-computed-or-given", {"arrays": {"k": np.float32(0.3)}, "body": "y = Mul (x, k)"}, {"arrays": {"k": np.float32(0.1), "l": np.float32(3.01)}, "body": "m = Mul (k, l) y = Mul (x, m)"}, {"x": f32(1, 2, 3, 4)}, "A tenth three times, and a little.")
different(G, "f4-computed-shape", "s = Shape (x) y = Reshape (x, s)", "s = Shape (x) r = Slice (s, b, e, a, t) y = Reshape (x, r)", {"x": ramp(2, 3)}, "The sizes from behind.", x="float[m, n] x", y="float[a, b] y", arrays={"b": i64(-1), "e": i64(-9), "a": i64(0), "t": i64(-1)})

G = "outputs4"
different(G, "f4-unique-places", "u, y, v = Unique (x)", "u, i, y = Unique (x)", {"x": f32(3, 1, 2, 4)}, "Where the sorted ones are, or where each went.", y="int64[m] y")
different(G, "f4-unique-counts", "u, i, v, y = Unique (x)", "u, y, v, c = Unique (x)", {"x": f32(1, 1, 2, 2)}, "How often, or where.", y="int64[m] y")
different(G, "f4-top-places", "v, y = TopK (x, k)", "v, y = TopK <largest = 0> (x, k)", {"x": f32(1, 2, 3, 4)}, "Places of the largest or of the least.", y="int64[2] y", arrays={"k": i64(2)})
different(G, "f4-norm-mean", "z, y, v = LayerNormalization (x, s)", "z, v, y = LayerNormalization (x, s)", {"x": f32(1, 2, 3, 5, shape=(1, 4))}, "The mean, or one by the deviation.", x="float[1, 4] x", y="float[1, 1] y", arrays={"s": f32(1, 1, 1, 1)})
different(G, "f4-split-order", "y, z = Split <axis = 0, num_outputs = 2> (x)", "z, y = Split <axis = 0, num_outputs = 2> (x)", {"x": f32(1, 2, 3, 4)}, "The first half or the second.", y="float[2] y, float[2] z")
different(G, "f4-pool-place", "v, y = MaxPool <kernel_shape = [2]> (x)", "v, i = MaxPool <kernel_shape = [2]> (x) y = Sub (i, i)", {"x": f32(1, 2, 3, shape=(1, 1, 3))}, "Places of ascending numbers.", x="float[1, 1, 3] x", y="int64[1, 1, 2] y")

G = "versions4"
different(G, "f4-log-softmax-default", {"body": "y = LogSoftmax (x)", "opset": 11}, {"body": "y = LogSoftmax (x)", "opset": 13}, {"x": noise(1, 2, 3, seed=1)}, "From the second axis on, or the last.", x="float[1, 2, 3] x", y="float[1, 2, 3] y")
different(G, "f4-reshape-of-zero", "y = Reshape (x, s)", "y = Reshape <allowzero = 1> (x, s)", {"x": ramp(2, 2)}, "0 is the size that was, or none.", x="float[2, 2] x", y="float[a, b] y", arrays={"s": i64(2, 0)})
different(G, "f4-resize-nearest-of-old", {"body": "y = Resize <mode = \"nearest\"> (x, s)", "opset": 10}, {"body": "y = Resize <mode = \"nearest\"> (x, , s)", "opset": 13}, {"x": ramp(1, 1, 5)}, "Cut off, or rounded at centres.", x="float[1, 1, 5] x", y="float[1, 1, 13] y", arrays={"s": f32(1, 1, 2.6)})
different(G, "f4-sum-axes-empty", "y = ReduceSum <noop_with_empty_axes = 1> (x, a)", "y = ReduceSum (x, a)", {"x": f32(1, 2)}, "An empty list of axes: none or all.", x="float[2] x", y="float[m] y", arrays={"a": np.zeros(0, np.int64)})
different(G, "f4-max-empty-axes", "y = ReduceMax <noop_with_empty_axes = 1> (x)", "y = ReduceMax (x)", {"x": f32(1, 2)}, "Without axes none, or all.", x="float[2] x", y="float[m] y")

G = "integers4"
U64 = dict(x="uint64[2] x", y="uint64[2] y")
BIG = np.array([2 ** 63 + 2, 3], np.uint64)
different(G, "f4-half-of-64", "y = Div (x, k)", "a = Cast <to = 7> (x) b = Div (a, l) y = Cast <to = 13> (b)", {"x": BIG}, "The top half is below zero in int64.", arrays={"k": np.uint64(2), "l": np.int64(2)}, **U64)
different(G, "f4-order-of-64", "y = Less (x, k)", "a = Cast <to = 7> (x) y = Less (a, l)", {"x": BIG}, "The top half is below zero in int64.", x="uint64[2] x", y="bool[2] y", arrays={"k": np.uint64(9), "l": np.int64(9)})
different(G, "f4-through-double", "y = Identity (x)", "a = Cast <to = 11> (x) y = Cast <to = 7> (a)", {"x": i64(2 ** 53 + 1, 1)}, "A number that no double holds.", x="int64[2] x", y="int64[2] y")
different(G, "f4-shift-of-32", "y = BitShift <direction = \"RIGHT\"> (x, k)", "a = Cast <to = 12> (x) b = BitShift <direction = \"RIGHT\"> (a, l) y = Cast <to = 13> (b)", {"x": np.array([2 ** 40, 8], np.uint64)}, "What lies above 32 bits.", arrays={"k": np.uint64([1, 1]), "l": np.uint32([1, 1])}, **U64)
different(G, "f4-square-in-32", "y = Mul (x, x)", "a = Cast <to = 6> (x) b = Mul (a, a) y = Cast <to = 7> (b)", {"x": i64(46341, 3)}, "The first square beyond 2^31.", x="int64[2] x", y="int64[2] y")
different(G, "f4-mean-in-bytes", "a = Cast <to = 6> (x) s = ReduceSum (a, k) d = Div (s, n) y = Cast <to = 2> (d)", "q = Div (x, m) y = ReduceSum (q, k)", {"x": np.array([3, 3, 3, 3], np.uint8)}, "Quarters are cut off each.", x="uint8[4] x", y="uint8[1] y", arrays={"k": i64(0), "n": np.int32(4), "m": np.uint8(4)}, reference=True)
different(G, "f4-remainder-of-least", "y = Mod (x, k)", "a = Abs (x) y = Mod (a, k)", {"x": np.array([-7, 7], np.int32)}, "Below zero the rest to the next multiple.", x="int32[2] x", y="int32[2] y", arrays={"k": np.int32(5)})
different(G, "f4-parity-by-half", "h = Div (x, k) d = Mul (h, k) y = Sub (x, d)", "y = Mod (x, k)", {"x": i64(-3, 2)}, "The rest of an odd one below zero.", x="int64[2] x", y="int64[2] y", arrays={"k": np.int64(2)})
different(G, "f4-clip-of-byte", "a = Cast <to = 6> (x) b = Add (a, k) c = Clip (b, z, t) y = Cast <to = 2> (c)", "a = Cast <to = 6> (x) b = Add (a, k) y = Cast <to = 2> (b)", {"x": np.array([250, 1], np.uint8)}, "Held at the end, or wrapped.", x="uint8[2] x", y="uint8[2] y", arrays={"k": np.int32(10), "z": np.int32(0), "t": np.int32(255)})

G = "halves4"
H = dict(x="float16[2] x", y="float16[2] y", reference=True)


def half(*v):
    return np.array(v, np.float16)


different(G, "f4-four-ones", "a = Add (x, k) b = Add (a, k) c = Add (b, k) y = Add (c, k)", "y = Add (x, l)", {"x": half(2048, 1)}, "Beyond 2048 one more is none.", arrays={"k": np.float16(1), "l": np.float16(4)}, within=True, **H)
different(G, "f4-square-in-half", "q = Mul (x, x) y = Sqrt (q)", "y = Abs (x)", {"x": half(300, 1)}, "The square is infinite.", fault="overflow", **H)
different(G, "f4-product-in-single", "a = Mul (x, k) y = Mul (a, l)", "a = Cast <to = 1> (x) b = Mul (a, m) c = Mul (b, n) y = Cast <to = 10> (c)", {"x": half(1000, 1)}, "Infinite between in half precision only.", arrays={"k": np.float16(100), "l": np.float16(0.01), "m": np.float32(100), "n": np.float32(0.01)}, fault="overflow", **H)
different(G, "f4-small-in-half", "a = Cast <to = 10> (x) y = Cast <to = 1> (a)", "y = Identity (x)", {"x": f32(1e-8, 1)}, "Below the least of half precision.", x="float[2] x", y="float[2] y")
different(G, "f4-brain-or-half", "a = Cast <to = 10> (x) y = Cast <to = 1> (a)", "a = Cast <to = 16> (x) y = Cast <to = 1> (a)", {"x": f32(70000, 1)}, "Beyond the range of half precision.", x="float[2] x", y="float[2] y")
different(G, "f4-eighth-digit", "a = Cast <to = 16> (x) b = Cast <to = 1> (a) y = Sub (x, b)", "y = Sub (x, x)", {"x": f32(257, 1)}, "257 has nine bits.", x="float[2] x", y="float[2] y")

G = "tables4"
T = np.arange(256, dtype=np.float32)
T2 = T.copy()
T2[173] = 172
TAB = dict(x="uint8[2] x", y="float[2] y", body="i = Cast <to = 7> (x) y = Gather (t, i)")
different(G, "f4-one-of-256", {"arrays": {"t": T}}, {"arrays": {"t": T2}}, {"x": np.array([1, 173], np.uint8)}, "One entry.", **TAB)
different(G, "f4-table-or-number", {"arrays": {"t": T2}}, {"body": "y = Cast <to = 1> (x)"}, {"x": np.array([1, 173], np.uint8)}, "All but one entry are the number.", **TAB)
BITS = np.array([bin(i).count("1") for i in range(256)], np.int64)
BITS[255] = 7
different(G, "f4-count-of-bits", {"arrays": {"t": BITS}}, {"arrays": {"t": np.r_[BITS[:255], 8]}}, {"x": np.array([1, 255], np.uint8)}, "All bits set.", x="uint8[2] x", y="int64[2] y", body="i = Cast <to = 7> (x) y = Gather (t, i)")
different(G, "f4-two-step-table", {"arrays": {"t": ramp(16), "u": np.arange(16)[::-1].copy()}, "body": "a = Gather (u, x) y = Gather (t, a)"}, {"arrays": {"t": np.r_[15.0 - np.arange(15), 1].astype(np.float32)}, "body": "y = Gather (t, x)"}, {"x": i64(3, 15)}, "The last of sixteen.", x="int64[2] x", y="float[2] y")
different(G, "f4-row-of-weights", {"arrays": {"w": np.eye(12, dtype=np.float32)}}, {"arrays": {"w": np.eye(12, dtype=np.float32) + np.outer(np.eye(12)[11], np.eye(12)[0]).astype(np.float32) * 0.25}}, {"x": ramp(1, 12)}, "One weight of 144.", x="float[1, 12] x", y="float[1, 12] y", body="y = MatMul (x, w)")

G = "ties4"
different(G, "f4-largest-of-rounded", "y = ArgMax (x)", "r = Round (x) y = ArgMax (r)", {"x": f32(0.6, 0.9, 0, 0)}, "Rounded they are alike.", y="int64[1] y")
different(G, "f4-largest-of-relu", "y = ArgMax (x)", "r = Relu (x) y = ArgMax (r)", {"x": f32(-2, -1, -3, -4)}, "All below zero.", y="int64[1] y")
different(G, "f4-second-largest", "v, i = TopK (x, k) a, y = Split <axis = 0, num_outputs = 2> (v)", "m = ReduceMax (x, z) c = Equal (x, m) w = Where (c, l, x) y = ReduceMax (w, z)", {"x": f32(5, 5, 1, 0)}, "Two are the largest.", y="float[1] y", arrays={"k": i64(2), "z": i64(0), "l": np.float32(-3e38)})
different(G, "f4-top-of-bytes", "v, y = TopK (x, k)", "n = Neg (x) v, y = TopK <largest = 0> (n, k)", {"x": np.array([-2 ** 31, 3, 1, 2], np.int32)}, "The least is its own negative.", x="int32[4] x", y="int64[1] y", arrays={"k": i64(1)})
different(G, "f4-largest-from-behind", "r = Slice (x, b, e, a, t) i = ArgMax <keepdims = 0> (r) y = Sub (k, i)", "y = ArgMax <keepdims = 0> (x)", {"x": f32(1, 3, 3, 2)}, "Two are the largest: the last one first.", y="int64 y", arrays={"b": i64(-1), "e": i64(-9), "a": i64(0), "t": i64(-1), "k": np.int64(3)})

G = "words4"
RS = "y = Resize <coordinate_transformation_mode = \"asymmetric\", mode = \"nearest\", nearest_mode = \"{}\"> (x, , s)"
IMG = dict(x="float[1, 1, 5] x", y="float[1, 1, 3] y", arrays={"s": f32(1, 1, 0.6)})
different(G, "f4-resize-floor", RS.format("floor"), RS.format("ceil"), {"x": ramp(1, 1, 5)}, "Positions 1.67 and 3.33.", **IMG)
different(G, "f4-resize-policy", "y = Resize <mode = \"nearest\", axes = [1, 2], keep_aspect_ratio_policy = \"not_larger\"> (x, , , z)", "y = Resize <mode = \"nearest\", axes = [1, 2], keep_aspect_ratio_policy = \"not_smaller\"> (x, , , z)", {"x": ramp(1, 2, 4)}, "Within the sizes, or around them.", x="float[1, 2, 4] x", y="float[1, a, b] y", arrays={"z": i64(4, 4)})
different(G, "f4-text-case", "y = StringNormalizer <case_change_action = \"LOWER\", locale = \"C\"> (x)", "y = StringNormalizer <case_change_action = \"UPPER\", locale = \"C\"> (x)", {"x": np.array(["Ab"], dtype=object)}, "Small or large.", x="string[1] x", y="string[1] y")
different(G, "f4-scatter-least", "y = ScatterElements <reduction = \"min\"> (x, i, z)", "y = ScatterElements <reduction = \"max\"> (x, i, z)", {"x": f32(1, 2), "z": f32(1, 5)}, "Only the second differs.", x="float[2] x, float[2] z", y="float[2] y", arrays={"i": i64(0, 1)})
different(G, "f4-scatter-product", "y = ScatterND <reduction = \"mul\"> (x, i, z)", "y = ScatterND <reduction = \"add\"> (x, i, z)", {"x": f32(2, 3), "z": f32(2, 4)}, "2 and 2 agree, 3 and 4 do not.", x="float[2] x, float[2] z", y="float[2] y", arrays={"i": i64(0, 1, shape=(2, 1))})
different(G, "f4-einsum-diagonal", "y = Einsum <equation = \"bii->bi\"> (x)", "y = Einsum <equation = \"ibi->bi\"> (x)", {"x": ramp(2, 2, 2)}, "Which two axes are walked together.", x="float[2, 2, 2] x", y="float[2, 2] y")

G = "bodies4"
SCAN = "h, y = Scan (z, x) <num_scan_inputs = 1{}, body = b (float[2] a, float[2] v) => (float[2] p, float[2] q) {{ p = Add (a, v) q = Identity ({}) }}>"
B2 = dict(x="float[2, 2] x", y="float[2, 2] y", arrays={"z": f32(0, 0)})
different(G, "f4-scan-output-axis", SCAN.format("", "p"), SCAN.format(", scan_output_axes = [1]", "p"), {"x": ramp(2, 2)}, "Rows or columns of what is collected.", **B2)
different(G, "f4-scan-before-or-after", SCAN.format("", "p"), SCAN.format("", "a"), {"x": ramp(2, 2, shift=1)}, "Sums with or without the last.", **B2)
W = "y = Loop (m, c, x) <body = b (int64 i, bool d, float[2] v) => (bool e, float[2] w) {{ w = Mul (v, k) s = ReduceSum <keepdims = 0> (w) e = {} (s, t) }}>"
different(G, "f4-loop-until-large", W.format("Less"), W.format("LessOrEqual"), {"x": f32(1, 3)}, "One round more where the bound is met.", x="float[2] x", y="float[2] y", arrays={"m": np.int64(9), "c": np.bool_(True), "k": np.float32(2), "t": np.float32(16)})
different(G, "f4-loop-never-begun", W.format("Less"), W.format("Less").replace("Loop (m, c, x)", "Loop (m, , x)"), {"x": f32(1, 3), "c": np.bool_(False)}, "Without a condition it begins.", x="float[2] x, bool c", y="float[2] y", arrays={"m": np.int64(9), "k": np.float32(2), "t": np.float32(16)})
CB = "s = ReduceSum <keepdims = 0> (x) c = Greater (s, z) y = If (c) <then_branch = g1 () => (float[2] p) {{ p = Mul (x, {}) }}, else_branch = g2 () => (float[2] q) {{ q = Mul (x, {}) }}>"
different(G, "f4-branch-of-large-sum", CB.format("k", "l"), "y = Mul (x, l)", {"x": f32(500, 600)}, "Only where the sum is above a thousand.", x="float[2] x", y="float[2] y", arrays={"z": np.float32(1000), "k": np.float32(2), "l": np.float32(3)})
different(G, "f4-counter-used", "y = Loop (m, c, x) <body = b (int64 i, bool d, float[2] v) => (bool e, float[2] w) { e = Identity (d) f = Cast <to = 1> (i) w = Add (v, f) }>", "y = Add (x, k)", {"x": f32(1, 2), "m": np.int64(4)}, "0 + 1 + 2 is 3, and 3 more.", x="float[2] x, int64 m", y="float[2] y", arrays={"c": np.bool_(True), "k": np.float32(3)})

G = "sizes4"
N = dict(x="float[n] x", y="float[m] y")
different(G, "f4-mean-by-half", "y = ReduceMean (x)", "s = Shape (x) a = Add (s, o) h = Div (a, t) d = Mul (h, t) f = Cast <to = 1> (d) q = ReduceSum (x) y = Div (q, f)", {"x": f32(1, 2, 3)}, "Of an odd number one more is counted.", arrays={"o": i64(1), "t": i64(2)}, **N)
different(G, "f4-tile-by-size", "s = Shape (x) y = Tile (x, s)", "y = Tile (x, k)", {"x": f32(1, 2, 3)}, "As often as there are, or twice.", arrays={"k": i64(2)}, **N)
different(G, "f4-middle", "s = Shape (x) h = Div (s, t) y = Gather (x, h)", "s = Shape (x) l = Sub (s, o) h = Div (l, t) y = Gather (x, h)", {"x": f32(1, 2, 3, 4)}, "Of an even number there are two.", arrays={"o": i64(1), "t": i64(2)}, **N)
different(G, "f4-transposed-product", "t = Transpose (x) y = MatMul (t, x)", "t = Transpose (x) y = MatMul (x, t)", {"x": ramp(2, 2)}, "Of one row and one column the same.", x="float[2, 2] x", y="float[2, 2] y")
