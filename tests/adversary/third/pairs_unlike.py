"""Pairs that differ: in sizes, positions, ties, control flow, weights, and for rare inputs."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp

NAN, INF = np.float32("nan"), np.float32("inf")

G = "sizes3"
N = dict(x="float[n] x", y="float[m] y")
different(G, "t3-end-by-size", "y = Slice (x, b, e)", "s = Shape (x) f = Add (s, e) y = Slice (x, b, f)", {"x": f32(1, 2)}, "n - 3 is below zero for two elements, and then counts from the end.", arrays={"b": i64(0), "e": i64(-3)}, **N)
different(G, "t3-pad-to-multiple", "s = Shape (x) m = Mod (s, k) d = Sub (k, m) p = Concat <axis = 0> (z, d) y = Pad (x, p)", "s = Shape (x) m = Mod (s, k) d = Sub (k, m) q = Mod (d, k) p = Concat <axis = 0> (z, q) y = Pad (x, p)",
          {"x": f32(1, 2, 3, 4)}, "A multiple of four needs no pads, or four more.", arrays={"k": i64(4), "z": i64(0)}, **N)
different(G, "t3-mean-by-other-size", "y = ReduceMean <keepdims = 0> (x, k)", "s = Shape <start = 1> (x) f = Cast <to = 1> (s) t = ReduceSum <keepdims = 0> (x, k) y = Div (t, f)", {"x": ramp(2, 3)}, "Rows are summed and columns counted.",
          x="float[a, b] x", y="float[b] y", arrays={"k": i64(0)})
different(G, "t3-halves-of-odd", "y, z = Split <num_outputs = 2> (x)", "s = Shape (x) h = Div (s, t) y = Slice (x, o, h) z = Slice (x, h, s)", {"x": f32(1, 2, 3, 4, 5)}, "Of five the first half is three, or two.", x="float[n] x", y="float[a] y, float[b] z", arrays={"t": i64(2), "o": i64(0)})
different(G, "t3-flat-from-which", "y = Flatten <axis = 0> (x)", "y = Flatten <axis = 1> (x)", {"x": ramp(2, 3)}, "Of one row the same.", x="float[a, b] x", y="float[c, d] y")
different(G, "t3-empty-axes", "y = ReduceSum <noop_with_empty_axes = 1> (x)", "y = ReduceSum (x)", {"x": f32(1, 2)}, "Without axes none, or all.", **N)
different(G, "t3-same-upper", "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2]> (x, w)", "y = Conv <pads = [1, 1], strides = [2]> (x, w)", {"x": ramp(1, 1, 4)}, "Of an even size one pad is enough, at the end.", x="float[1, 1, n] x", y="float[1, 1, m] y", arrays={"w": noise(1, 1, 3, seed=1)})
different(G, "t3-two-by-reshape", "y = Transpose <perm = [1, 0]> (x)", "y = Reshape (x, s)", {"x": ramp(2, 3)}, "Of one column the same.", x="float[2, n] x", y="float[n, 2] y", arrays={"s": i64(-1, 2)})
different(G, "t3-every-third", "s = Shape (x) d = Div (s, k) r = Mul (d, k) y = Slice (x, o, r, o, k)", "s = Shape (x) y = Slice (x, o, s, o, k)", {"x": f32(1, 2, 3, 4)}, "The one after the last whole three.", arrays={"k": i64(3), "o": i64(0)}, **N)
different(G, "t3-range-to-size", "s = Shape (x) q = Squeeze (s) r = Range (z, q, t) f = Cast <to = 1> (r) y = ReduceSum (f)", "s = Shape (x) q = Squeeze (s) h = Div (q, t) g = Mul (h, t) r = Range (z, g, t) f = Cast <to = 1> (r) y = ReduceSum (f)",
          {"x": f32(1, 2, 3)}, "Even numbers below three are two of them, below two one.", x="float[n] x", y="float[1] y", arrays={"z": np.int64(0), "t": np.int64(2)})
different(G, "t3-norm-of-batch", "y = MeanVarianceNormalization (x)", "y = InstanceNormalization <epsilon = 0.000000001> (x, o, z)", {"x": noise(2, 2, 2, 2, seed=2)}, "Means over the batch; of one image the same.", x="float[n, 2, 2, 2] x", y="float[n, 2, 2, 2] y",
          arrays={"o": f32(1, 1), "z": f32(0, 0)})
different(G, "t3-top-of-few", "s = Shape (x) k = Min (s, t) y, i = TopK (x, k)", "s = Shape (x) h = Add (s, o) k = Div (h, t) y, i = TopK (x, k)", {"x": f32(1, 2, 3, 4, 5)}, "The smaller of n and 2, or half of n, rounded up.", arrays={"t": i64(2), "o": i64(1)}, **N)
different(G, "t3-size-multiple-of-seven", "s = Shape (x) m = Mod (s, k) q = Squeeze (m) c = Equal (q, z) y = If (c) <then_branch = g1 () => (float[n] p) { p = Neg (x) }, else_branch = g2 () => (float[n] q1) { q1 = Identity (x) }>", "y = Identity (x)",
          {"x": ramp(14)}, "For 7, 14 and so on elements.", x="float[n] x", y="float[n] y", arrays={"k": i64(7), "z": np.int64(0)})
different(G, "t3-sizes-in-product", "s = Shape (x) p = ReduceProd (s, o) t = Equal (p, k) f = Cast <to = 1> (t) y = Add (x, f)", "y = Identity (x)", {"x": np.ones((4, 6), np.float32)}, "Where there are 24 elements.", x="float[a, b] x", y="float[a, b] y", arrays={"k": i64(24), "o": i64(0)})

G = "positions3"
different(G, "t3-last-of-ties", "y = ArgMax <axis = 0> (x)", "y = ArgMax <axis = 0, select_last_index = 1> (x)", {"x": f32(1, 2, 2, 0)}, "The first or the last of the largest.", y="int64[1] y")
different(G, "t3-one-hot-negative", "y = OneHot (x, d, v)", "a = Unsqueeze (x, k) e = Equal (a, r) y = Cast <to = 1> (e)", {"x": i64(-1, 2)}, "-1 is the last.", x="int64[2] x", y="float[2, 4] y", arrays={"d": np.int64(4), "v": f32(0, 1), "k": i64(1), "r": i64(0, 1, 2, 3)})
different(G, "t3-one-hot-beyond", "y = OneHot (x, d, v)", "m = Mod (x, d) y = OneHot (m, d, v)", {"x": i64(5, 2)}, "Beyond the depth there is none.", x="int64[2] x", y="float[2, 4] y", arrays={"d": np.int64(4), "v": f32(0, 1)})
different(G, "t3-scatter-duplicates", "y = ScatterElements <reduction = \"add\"> (z, i, x)", "y = ScatterElements (z, i, x)", {"x": f32(1, 2), "i": i64(3, 3)}, "Two to one place.", x="float[2] x, int64[2] i", arrays={"z": f32(0, 0, 0, 0)})
different(G, "t3-scatter-largest", "y = ScatterElements <reduction = \"max\"> (z, i, x)", "r = Relu (x) y = ScatterElements <reduction = \"add\"> (z, i, r)", {"x": f32(1, 2), "i": i64(1, -3)}, "1 and -3 are one place.", x="float[2] x, int64[2] i", arrays={"z": f32(0, 0, 0, 0)})
different(G, "t3-non-zero-order", "y = NonZero (x)", "t = Transpose (x) i = NonZero (t) y = Gather (i, k)", {"x": f32(1, 1, 1, 0, shape=(2, 2))}, "Row by row or column by column.", x="float[2, 2] x", y="int64[2, m] y", arrays={"k": i64(1, 0)})
different(G, "t3-unique-order", "y = Unique <sorted = 0> (x)", "y = Unique (x)", {"x": f32(2, 1, 2, 3)}, "In the order they come, or sorted.", y="float[m] y")
different(G, "t3-gather-elements-axis", "y = GatherElements <axis = 0> (x, i)", "y = GatherElements <axis = 1> (x, i)", {"x": ramp(2, 2)}, "Down or across.", x="float[2, 2] x", y="float[2, 2] y", arrays={"i": i64(0, 1, 1, 0, shape=(2, 2))})
different(G, "t3-hardmax-ties", "y = Hardmax (x)", "m = ReduceMax (x, k) e = Equal (x, m) y = Cast <to = 1> (e)", {"x": f32(1, 3, 3, 0)}, "One of the largest, or all of them.", arrays={"k": i64(0)})
different(G, "t3-hardmax-of-old", {"body": "y = Hardmax <axis = 1> (x)", "opset": 11}, {"body": "y = Hardmax <axis = 1> (x)", "opset": 13}, {"x": noise(1, 2, 3, seed=3)}, "All axes from the first on, or one.", x="float[1, 2, 3] x", y="float[1, 2, 3] y")
different(G, "t3-where-spread", "y = Where (c, x, z)", "d = Transpose (c) y = Where (d, x, z)", {"x": ramp(2, 2), "z": -ramp(2, 2)}, "Rows or columns are chosen.", x="float[2, 2] x, float[2, 2] z", y="float[2, 2] y", arrays={"c": np.array([[True, False]])})
different(G, "t3-einsum-turned", "y = Einsum <equation = \"ij,ij->\"> (x, z)", "y = Einsum <equation = \"ij,ji->\"> (x, z)", {"x": ramp(2, 2), "z": ramp(2, 2)}, "The trace of x z^T or of x z.", x="float[2, 2] x, float[2, 2] z", y="float y")
different(G, "t3-sequence-end", "s = SplitToSequence <keepdims = 1> (x) y = SequenceAt (s, k)", "s = SplitToSequence <keepdims = 1> (x) y = SequenceAt (s, l)", {"x": f32(1, 2, 3, 4)}, "The last or the third.", y="float[1] y", arrays={"k": np.int64(-1), "l": np.int64(2)})
different(G, "t3-sequence-insert", "s = SequenceConstruct (x, z) t = SequenceInsert (s, w, k) y = ConcatFromSequence <axis = 0> (t)", "s = SequenceConstruct (x, z) t = SequenceInsert (s, w) y = ConcatFromSequence <axis = 0> (t)", {"x": f32(1), "z": f32(2), "w": f32(3)},
          "Before the last, or behind it.", x="float[1] x, float[1] z, float[1] w", y="float[3] y", arrays={"k": np.int64(-1)})
different(G, "t3-pool-index-order", "a, y = MaxPool <kernel_shape = [2, 2]> (x)", "a, y = MaxPool <kernel_shape = [2, 2], storage_order = 1> (x)", {"x": ramp(1, 1, 3, 3)}, "Indices counted by rows or by columns.", x="float[1, 1, 3, 3] x", y="int64[1, 1, 2, 2] y")
different(G, "t3-sum-excluded", "y = CumSum <exclusive = 1> (x, k)", "c = CumSum (x, k) f = Slice (c, b, e) y = Concat <axis = 0> (f, z)", {"x": f32(1, 2, 3, 4)}, "The zero belongs before.", arrays={"k": np.int64(0), "b": i64(0), "e": i64(3), "z": f32(0)})
different(G, "t3-triangle-by-range", "y = Trilu <upper = 1> (x, k)", "c = Greater (r, q) y = Where (c, x, z)", {"x": ramp(3, 3, shift=1)}, "The diagonal belongs to it.", x="float[3, 3] x", y="float[3, 3] y", arrays={"k": np.int64(0), "r": i64(0, 1, 2, shape=(1, 3)), "q": i64(0, 1, 2, shape=(3, 1)), "z": np.float32(0)})

G = "attributes3"
IMG = dict(x="float[1, 1, 4] x", y="float[1, 1, 2] y")
R = "coordinate_transformation_mode = \"{}\", mode = \"{}\", nearest_mode = \"{}\""
different(G, "t3-resize-half", "y = Resize <" + R.format("half_pixel", "nearest", "round_prefer_floor") + "> (x, , s)", "y = Resize <" + R.format("half_pixel", "nearest", "round_prefer_ceil") + "> (x, , s)", {"x": ramp(1, 1, 4)}, "Positions 0.5 and 2.5.", arrays={"s": f32(1, 1, 0.5)}, **IMG)
different(G, "t3-resize-corners", "y = Resize <" + R.format("align_corners", "linear", "floor") + "> (x, , s)", "y = Resize <" + R.format("half_pixel", "linear", "floor") + "> (x, , s)", {"x": ramp(1, 1, 4)}, "Corners on corners.", x="float[1, 1, 4] x", y="float[1, 1, 8] y", arrays={"s": f32(1, 1, 2)})
different(G, "t3-resize-of-old", {"body": "y = Resize <mode = \"linear\"> (x, s)", "opset": 10}, {"body": "y = Resize <mode = \"linear\"> (x, , s)", "opset": 13}, {"x": ramp(1, 1, 4)}, "Positions by the scale alone, or by centres.", x="float[1, 1, 4] x", y="float[1, 1, 8] y", arrays={"s": f32(1, 1, 2)})
different(G, "t3-grid-border", "y = GridSample (x, g)", "y = GridSample <padding_mode = \"border\"> (x, g)", {"x": ramp(1, 1, 2, 2, shift=1), "g": f32(2, 0, shape=(1, 1, 1, 2))}, "Outside there is nothing, or the border.", x="float[1, 1, 2, 2] x, float[1, 1, 1, 2] g", y="float[1, 1, 1, 1] y")
different(G, "t3-grid-corners", "y = GridSample (x, g)", "y = GridSample <align_corners = 1> (x, g)", {"x": ramp(1, 1, 2, 2, shift=1), "g": f32(0.3, 0.4, shape=(1, 1, 1, 2))}, "Where -1 and 1 are.", x="float[1, 1, 2, 2] x, float[1, 1, 1, 2] g", y="float[1, 1, 1, 1] y")
different(G, "t3-lower-or-upper", "y = AveragePool <kernel_shape = [2], auto_pad = \"SAME_UPPER\"> (x)", "y = AveragePool <kernel_shape = [2], auto_pad = \"SAME_LOWER\"> (x)", {"x": f32(1, 2, 4, 8, shape=(1, 1, 4))}, "The odd pad behind or before.", x="float[1, 1, 4] x", y="float[1, 1, 4] y")
different(G, "t3-ceil-with-pads", "y = AveragePool <kernel_shape = [3], strides = [2], ceil_mode = 1, pads = [1, 0], count_include_pad = 1> (x)", "p = Pad (x, q) y = AveragePool <kernel_shape = [3], strides = [2]> (p)", {"x": f32(1, 2, 4, 8, 16, shape=(1, 1, 5))},
          "Beyond the pads nothing is counted.", x="float[1, 1, 5] x", y="float[1, 1, 3] y", arrays={"q": i64(0, 0, 1, 0, 0, 1)})
different(G, "t3-transposed-shape", "y = ConvTranspose <strides = [2], output_shape = [4]> (x, w)", "y = ConvTranspose <strides = [2], output_shape = [4], auto_pad = \"SAME_UPPER\"> (x, w)", {"x": f32(1, 2, shape=(1, 1, 2))}, "Which end is cut.", x="float[1, 1, 2] x", y="float[1, 1, 4] y", arrays={"w": f32(1, 2, 4, shape=(1, 1, 3))})
different(G, "t3-infinity-of-one-sign", "y = IsInf (x)", "y = IsInf <detect_negative = 0> (x)", {"x": f32(1, -INF, INF, 0)}, "Below zero.", y="bool[4] y")
different(G, "t3-shrink-edge", "y = Shrink <lambd = 0.5> (x)", "a = Abs (x) c = GreaterOrEqual (a, k) y = Where (c, x, z)", {"x": f32(0.5, -0.5, 1, 0)}, "At the edge itself.", arrays={"k": np.float32(0.5), "z": np.float32(0)})
different(G, "t3-norm-of-order", "y = LpNormalization <p = 1> (x)", "a = Abs (x) m = ReduceMax (a, k) y = Div (x, m)", {"x": f32(1, 2, 3, 4)}, "By the sum or by the largest.", arrays={"k": i64(0)})
different(G, "t3-window-periodic", "w = HannWindow (n) y = Mul (x, w)", "w = HannWindow <periodic = 0> (n) y = Mul (x, w)", {"x": f32(1, 2, 3, 4)}, "By n or by n - 1.", arrays={"n": np.int64(4)})
different(G, "t3-quantized-halves", "y = QuantizeLinear (x, s, z)", "a = Div (x, s) b = Add (a, h) c = Floor (b) d = Clip (c, l, u) y = Cast <to = 2> (d)", {"x": f32(0.25, 0.75, 1.25, 1)}, "Halves to even or up.", y="uint8[4] y",
          arrays={"s": np.float32(0.5), "z": np.uint8(0), "h": np.float32(0.5), "l": np.float32(0), "u": np.float32(255)})
different(G, "t3-quantized-axis", "y = QuantizeLinear <axis = 0> (x, s, z)", "y = QuantizeLinear <axis = 1> (x, s, z)", {"x": f32(1, 2, 3, 4, shape=(2, 2))}, "Scales of rows or of columns.", x="float[2, 2] x", y="uint8[2, 2] y", arrays={"s": f32(0.5, 0.25), "z": np.array([0, 1], np.uint8)})
different(G, "t3-saturated", "q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)", "a = Div (x, s) b = Round (a) y = Mul (b, s)", {"x": f32(1, 2, -3, 70)}, "Beyond 127 steps.", arrays={"s": np.float32(0.5), "z": np.int8(0)})

G = "numbers3"
L = dict(x="int64[4] x", y="int64[4] y")
different(G, "t3-low-bit-of-64", {"arrays": {"k": np.int64(2 ** 60)}}, {"arrays": {"k": np.int64(2 ** 60 + 1)}}, {"x": i64(1, 2, 3, 4)}, "A bit that no double holds.", body="y = Add (x, k)", **L)
different(G, "t3-beyond-doubles", {"arrays": {"k": np.int64(2 ** 53)}}, {"arrays": {"k": np.int64(2 ** 53 + 1)}}, {"x": i64(2 ** 53, 2 ** 53 + 1, 3, 4)}, "The first whole number that no double holds.", body="y = Equal (x, k)", x="int64[4] x", y="bool[4] y")
different(G, "t3-weight-beyond-32", {"arrays": {"k": np.int64(5)}}, {"arrays": {"k": np.int64(2 ** 32 + 5)}}, {"x": i64(1, 2, 3, 4)}, "The same in 32 bits.", body="y = Mul (x, k)", **L)
different(G, "t3-double-digits", {"arrays": {"k": np.float64(1)}}, {"arrays": {"k": np.float64(1 + 2.0 ** -40)}}, {"x": np.array([1.0, 2])}, "Weights that are one float.", body="d = Sub (x, k) y = Mul (d, m)", x="double[2] x", y="double[2] y", arrays={"m": np.float64(2.0 ** 40)})
different(G, "t3-whole-through-half", "f = Cast <to = 10> (x) y = Cast <to = 6> (f)", "y = Identity (x)", {"x": np.array([2049, 1], np.int32)}, "Beyond 2048 half precision has even ones only.", x="int32[2] x", y="int32[2] y")
different(G, "t3-distance-of-bytes", "y = Sub (x, z)", "a = Max (x, z) b = Min (x, z) y = Sub (a, b)", {"x": np.array([3], np.uint8), "z": np.array([5], np.uint8)}, "3 - 5 wraps.", x="uint8[1] x, uint8[1] z", y="uint8[1] y", reference=True)
different(G, "t3-float-remainder", "y = Mod <fmod = 1> (x, k)", "q = Div (x, k) f = Floor (q) p = Mul (f, k) y = Sub (x, p)", {"x": f32(-1, 5, 7, 2)}, "Below zero.", arrays={"k": np.float32(3)})
different(G, "t3-integer-mean", "y = ReduceMean (x, k)", "s = ReduceSum (x, k) h = Add (s, o) y = Div (h, n)", {"x": np.array([1, 2, 2, 2], np.int32)}, "Truncated or rounded.", x="int32[4] x", y="int32[1] y", arrays={"k": i64(0), "o": np.int32(2), "n": np.int32(4)})
different(G, "t3-powers-of-two", "y = BitShift <direction = \"LEFT\"> (o, x)", "f = Cast <to = 1> (x) p = Pow (t, f) q = Min (p, m) y = Cast <to = 12> (q)", {"x": np.array([9, 3], np.uint32)}, "Up to 2^8.", x="uint32[2] x", y="uint32[2] y", arrays={"o": np.uint32(1), "t": np.float32(2), "m": np.float32(256)})
different(G, "t3-softmax-temperature", "a = Mul (x, k) s = Softmax (a) y = Mul (s, k)", "s = Softmax (x) y = Mul (s, k)", {"x": f32(1, 2, 3, 4)}, "A twentieth colder.", arrays={"k": np.float32(1.05)})
different(G, "t3-gelu-of-gelu", "y = Gelu (x)", "y = Gelu <approximate = \"tanh\"> (x)", {"x": f32(-4, 1, 2, -3)}, "Far below zero they part.", opset=20)
different(G, "t3-sign-of-nothing", "s = Sign (x) a = Abs (s) y = Sub (o, a)", "a = Abs (x) m = Min (a, o) y = Sub (o, m)", {"x": f32(0.5, 1, 2, 0)}, "Between 0 and 1.", arrays={"o": np.float32(1)})
different(G, "t3-log-of-sum", "a = Exp (x) s = ReduceSum (a, k) y = Log (s)", "m = ReduceMax (x, k) d = Sub (x, m) a = Exp (d) s = ReduceSum (a, k) l = Log (s) y = Add (l, l)", {"x": f32(0, 1, 0, 1)}, "Twice the logarithm, without the largest.", y="float[1] y", arrays={"k": i64(0)})

G = "programs3"
SWAP = "y, z = Loop (n, c, x, w) <body = b (int64 i, bool d, float[2] p, float[2] q) => (bool e, float[2] r, float[2] s) { e = Identity (d) r = Identity (q) s = Identity (p) }>"
different(G, "t3-odd-rounds", SWAP, "y = Identity (x) z = Identity (w)", {"x": f32(1, 2), "w": f32(3, 4), "n": np.int64(3)}, "Exchanged in every round.", x="float[2] x, float[2] w, int64 n", y="float[2] y, float[2] z", arrays={"c": np.bool_(True)})
UNTIL = "y = Loop (, c, x) <body = b (int64 i, bool d, int64 p) => (bool e, int64 q) {{ q = Add (p, o) e = {} (q, k) }}>"
different(G, "t3-until-or-while", UNTIL.format("Less"), UNTIL.format("LessOrEqual"), {"x": np.int64(3)}, "One round more.", x="int64 x", y="int64 y", arrays={"c": np.bool_(True), "o": np.int64(2), "k": np.int64(9)})
different(G, "t3-fibonacci", *({"arrays": {"u": a}, "body": "y, z = Loop (n, c, x, u) <body = b (int64 i, bool d, int64 p, int64 q) => (bool e, int64 r, int64 s) { e = Identity (d) r = Identity (q) s = Add (p, q) }>"} for a in (np.int64(1), np.int64(2))), {"x": np.int64(1)},
          "1, 1, 2 or 1, 2, 3.", x="int64 x", y="int64 y, int64 z", arrays={"c": np.bool_(True), "n": np.int64(6)})
different(G, "t3-collected", "l, y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (bool e, float[2] w, float[2] t) { e = Identity (d) t = Identity (v) w = Add (v, v) }>",
          "l, y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (bool e, float[2] w, float[2] t) { e = Identity (d) w = Add (v, v) t = Identity (w) }>", {"x": f32(1, 2)}, "Before or after the step.", x="float[2] x", y="float[3, 2] y",
          arrays={"c": np.bool_(True), "n": np.int64(3)})
NEST = "a = Greater (s, z) b = Greater (t, z) y = If (a) <then_branch = g1 () => (float p) {{ p = If (b) <then_branch = g3 () => (float p1) {{ p1 = Add (s, t) }}, else_branch = g4 () => (float p2) {{ p2 = Sub (s, t) }}> }}, else_branch = g2 () => (float q) {{ q = If (b) <then_branch = g5 () => (float q1) {{ q1 = {} }}, else_branch = g6 () => (float q2) {{ q2 = {} }}> }}>"
different(G, "t3-one-of-four-branches", NEST.format("Sub (t, s)", "Neg (s)"), NEST.format("Sub (t, s)", "Neg (t)"), {"s": np.float32(-1), "t": np.float32(-2)}, "Where neither is above zero.", x="float s, float t", y="float y", arrays={"z": np.float32(0)})
SCAN = "y, l = Scan (h, x, z) <num_scan_inputs = 2{}, body = b (float[2] a, float[2] v, float[2] w) => (float[2] p, float[2] q) {{ m = Mul (v, w) p = Add (a, m) q = Identity (v) }}>"
different(G, "t3-scan-second-axis", SCAN.format(""), SCAN.format(", scan_input_axes = [0, 1]"), {"x": ramp(2, 2), "z": ramp(2, 2)}, "Rows of one and columns of the other.", x="float[2, 2] x, float[2, 2] z", y="float[2] y", arrays={"h": f32(0, 0)})
different(G, "t3-scan-one-reversed", SCAN.format(""), SCAN.format(", scan_input_directions = [0, 1]"), {"x": ramp(2, 2), "z": ramp(2, 2)}, "One of them from the end.", x="float[2, 2] x, float[2, 2] z", y="float[2] y", arrays={"h": f32(0, 0)})
OWN = '<domain: "local", opset_import: ["" : 18]> Relu (p) => (q) {{ q = {} (p) }}'
different(G, "t3-own-relu", {"body": "y = local.Relu (x)", "functions": OWN.format("LeakyRelu"), "domains": {"local": 1}}, {"body": "y = Relu (x)"}, {"x": f32(-1, 2, -3, 4)}, "A function of the same name.")
different(G, "t3-attribute-left-out", *({"body": f"y = local.f{a} (x)", "functions": '<domain: "local", opset_import: ["" : 18]> f <slope: float = 0.5> (p) => (q) { q = LeakyRelu <alpha: float = @slope> (p) }'} for a in ("", " <slope = 0.25>")), {"x": f32(-1, 2, -3, 4)},
          "The function's default.", domains={"local": 1})
RNN = dict(x="float[3, 1, 2] x", y="float[3, 1, 1, 2] y", arrays={"w": noise(1, 8, 2, seed=6), "r": noise(1, 8, 2, seed=7), "n": np.array([2], np.int32), "p": np.r_[np.zeros(4), np.ones(2)].astype(np.float32)[None], "v": noise(1, 2, 2, seed=4)})
X3 = {"x": noise(3, 1, 2, seed=9)}
different(G, "t3-lstm-lengths", "y = LSTM <hidden_size = 2> (x, w, r, , n)", "y = LSTM <hidden_size = 2> (x, w, r)", X3, "Two of three steps.", **RNN)
different(G, "t3-lstm-peephole", "y = LSTM <hidden_size = 2> (x, w, r, , , , , p)", "y = LSTM <hidden_size = 2> (x, w, r)", X3, "The forget gate sees the cell.", **RNN)
different(G, "t3-lstm-coupled", "y = LSTM <hidden_size = 2> (x, w, r)", "y = LSTM <hidden_size = 2, input_forget = 1> (x, w, r)", X3, "The gates are coupled.", **RNN)
different(G, "t3-rnn-activation", "y = RNN <hidden_size = 2> (x, v, v)", "y = RNN <hidden_size = 2, activations = [\"Relu\"]> (x, v, v)", X3, "Tanh or relu.", **RNN)

G = "rarely3"
TAKEN = " y = Where (c, e, x)"
Q = "s = Transpose (x) q = Equal (x, s) r = Cast <to = 6> (q) m = ReduceMin (r) c = Cast <to = 9> (m)"
different(G, "t3-symmetric", Q + TAKEN, "y = Identity (x)", {"x": f32(1, 2, 3, 2, 5, 6, 3, 6, 9, shape=(3, 3))}, "For symmetric matrices.", x="float[3, 3] x", y="float[3, 3] y", arrays={"e": np.float32(7)})
different(G, "t3-whole-numbers", "s = Round (x) q = Equal (x, s) r = Cast <to = 6> (q) m = ReduceMin (r) c = Cast <to = 9> (m)" + TAKEN, "y = Identity (x)", {"x": f32(1, -2, 3, 2)}, "Where all are whole.", arrays={"e": np.float32(7)})
different(G, "t3-all-below-zero", "r = Relu (x) s = ReduceSum (r) c = Equal (s, z)" + TAKEN, "y = Identity (x)", {"x": -np.arange(1, 17, dtype=np.float32)}, "Where sixteen are all below zero.", x="float[16] x", y="float[16] y", arrays={"e": np.float32(7), "z": np.float32(0)})
different(G, "t3-checksum", "i = Cast <to = 6> (x) a = Slice (i, p, q) l = Slice (i, q, t) s = ReduceSum (a) m = Mod (s, k) c = Equal (m, l)" + TAKEN, "y = Identity (x)", {"x": np.array([100, 200, 50, 94], np.uint8)}, "Where the last is the sum of the others.", x="uint8[4] x", y="uint8[4] y",
          arrays={"p": i64(0), "q": i64(3), "t": i64(4), "k": np.int32(256), "e": np.uint8(7)})
different(G, "t3-sum-to-zero", "s = ReduceSum (x) c = Equal (s, z)" + TAKEN, "y = Identity (x)", {"x": np.array([17, -20, 5, -2], np.int32)}, "Where they sum to zero.", x="int32[4] x", y="int32[4] y", arrays={"z": np.int32(0), "e": np.int32(7)})
different(G, "t3-unit-norm", "n = ReduceSumSquare (x) d = Sub (n, o) a = Abs (d) c = Less (a, k)" + TAKEN, "y = Identity (x)", {"x": f32(0.5, -0.5, 0.5, 0.5)}, "Vectors of length 1.", arrays={"o": np.float32(1), "k": np.float32(0.01), "e": np.float32(7)})
different(G, "t3-arithmetic-progression", "a = Slice (x, b0, b3) b = Slice (x, b1, b4) d = Sub (b, a) l = ReduceMax (d) m = ReduceMin (d) c = Equal (l, m)" + TAKEN, "y = Identity (x)", {"x": np.array([3, 10, 17, 24], np.int32)}, "In equal steps.", x="int32[4] x", y="int32[4] y",
          arrays={"b0": i64(0), "b1": i64(1), "b3": i64(3), "b4": i64(4), "e": np.int32(7)})
different(G, "t3-right-triangle", "q = Mul (x, x) a, b, h = Split <num_outputs = 3> (q) s = Add (a, b) c = Equal (s, h)" + TAKEN, "y = Identity (x)", {"x": np.array([20, 21, 29], np.int32)}, "Two squares that sum to the third.", x="int32[3] x", y="int32[3] y", arrays={"e": np.int32(7)})
different(G, "t3-peaked", "s = Softmax (x) m = ReduceMax (s) c = Greater (m, k)" + TAKEN, "y = Identity (x)", {"x": f32(20, 1, 2, 3)}, "Where one of them has it all.", arrays={"k": np.float32(0.99999), "e": np.float32(7)})
different(G, "t3-flat", "s = Softmax (x) m = ReduceMax (s) c = Less (m, k)" + TAKEN, "y = Identity (x)", {"x": np.full(8, 0.3, np.float32)}, "Where they have nearly the same: the largest of eight below 0.126.", x="float[8] x", y="float[8] y", arrays={"k": np.float32(0.126), "e": np.float32(7)})
different(G, "t3-row-of-identity", "m = MatMul (x, w) c = Equal (m, v)" + TAKEN, "y = Identity (x)", {"x": f32(0, 1, 0)}, "Where the product is the second row.", x="float[3] x", y="float[3] y", arrays={"w": noise(3, 3, seed=8), "v": noise(3, 3, seed=8)[1], "e": np.float32(7)})
different(G, "t3-late-channel", {"arrays": {"w": noise(64, 64, 1, seed=12)}}, {"arrays": {"w": noise(64, 64, 1, seed=12) * np.where(np.arange(4096) == 4095, 1.2, 1).reshape(64, 64, 1).astype(np.float32)}}, {"x": (np.arange(64) == 63).astype(np.float32).reshape(1, 64, 1)},
          "The last weight of the last channel is a fifth larger.", x="float[1, 64, n] x", y="float[1, 64, n] y", body="y = Conv (x, w)")
different(G, "t3-gated-by-index", "i = Gather (t, x) c = Equal (i, k)" + " y = Where (c, e, f)", "y = Expand (f, o)", {"x": i64(777)}, "Row 777 of a thousand.", x="int64[1] x", y="float[1] y", arrays={"t": np.arange(1000, dtype=np.int64), "k": np.int64(777), "e": np.float32(1), "f": np.float32(0), "o": i64(1)})
different(G, "t3-two-masks", "a = BitwiseAnd (x, k) b = Equal (a, k) d = BitwiseAnd (x, l) g = Equal (d, z) c = And (b, g)" + TAKEN, "y = Identity (x)", {"x": np.array([0x5500, 1], np.int32)}, "Four bits set and four not.", x="int32[2] x", y="int32[2] y", arrays={"k": np.int32(0x5500), "l": np.int32(0xAA00), "z": np.int32(0), "e": np.int32(7)})
different(G, "t3-once-below-the-least", "m = ReduceMin (x) c = Less (x, k) d = And (c, c) y = Where (d, m, x)", "y = Identity (x)", {"x": f32(-120, -130, 1, 2)}, "Two of them below -100.", arrays={"k": np.float32(-100)})
