"""Pairs that differ: sizes, wrapping, ties, needles, borders, far numbers, recurrences, quantised ones, bodies."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp

INF = 2 ** 31 - 1

G = "sizes5"
different(G, "f5-squeeze-all-or-first", "s = Squeeze (x) r = Shape (s) y = Size (r)", "s = Squeeze (x, a) r = Shape (s) y = Size (r)", {"x": ramp(1, 1)}, "Both axes have one element.", x="float[1, n] x", y="int64 y", arrays={"a": i64(0)})
different(G, "f5-spread-or-repeated", "y = Expand (x, k)", "y = Tile (x, k)", {"x": f32(1, 2, 3)}, "One is spread to three; three are as many already.", x="float[n] x", y="float[m] y", arrays={"k": i64(3)})
different(G, "f5-last-four", "y = Slice (x, b, e)", "s = Shape (x) t = Sub (s, k) y = Slice (x, t, e)", {"x": f32(1, 2, 3)}, "Of three, four from the end is the beginning; 3 - 4 is the last one.", x="float[n] x", y="float[m] y", arrays={"b": i64(-4), "e": i64(INF), "k": i64(4)})
different(G, "f5-first-half", "y, z = Split <axis = 0, num_outputs = 2> (x)", "s = Shape (x) h = Div (s, t) y = Slice (x, o, h)", {"x": f32(1, 2, 3, 4, 5)}, "The first part of an odd number is the larger one.", x="float[n] x", y="float[m] y", arrays={"t": i64(2), "o": i64(0)})
different(G, "f5-every-other", "y = Range (o, n, t)", "h = Div (n, t) r = Range (o, h, k) y = Mul (r, t)", {"n": np.int64(5)}, "Of an odd number one more.", x="int64 n", y="int64[m] y", arrays={"o": np.int64(0), "t": np.int64(2), "k": np.int64(1)})
different(G, "f5-last-of-shape", "y = Shape <start = -1> (x)", "y = Shape <start = 1, end = 2> (x)", {"x": ramp(1, 2, 3)}, "Of three the second is not the last.", x="float[a, b, c] x", y="int64[1] y")
different(G, "f5-mask-by-row-or-column", "y = Where (c, x, z)", "d = Unsqueeze (c, a) y = Where (d, x, z)", {"x": ramp(2, 2, shift=1), "c": np.array([True, False])}, "As many rows as columns.", x="float[n, n] x, bool[n] c", y="float[n, n] y", arrays={"z": np.float32(0), "a": i64(1)})
different(G, "f5-square-padded", "y = Pad (x, p)", "y = Pad (x, q)", {"x": ramp(2, 2, shift=1)}, "Below and to the right, or above and to the left.", x="float[2, 2] x", y="float[3, 3] y", arrays={"p": i64(0, 0, 1, 1), "q": i64(1, 0, 0, 1)})
different(G, "f5-flat-from-behind", "f = Flatten <axis = 1> (x) s = Shape (f) y = Gather (s, k)", "f = Flatten <axis = -1> (x) s = Shape (f) y = Gather (s, k)", {"x": ramp(1, 2, 3)}, "Of three axes -1 is 2.", x="float[a, b, c] x", y="int64 y", arrays={"k": np.int64(0)})

G = "wraps5"
U8 = dict(x="uint8[3] x, uint8[3] z", y="uint8[3] y")
different(G, "f5-distance-of-bytes", "a = Max (x, z) b = Min (x, z) y = Sub (a, b)", "y = Sub (x, z)", {"x": np.array([1, 9, 3], np.uint8), "z": np.array([2, 4, 3], np.uint8)}, "Below zero it wraps.", **U8)
different(G, "f5-average-of-bytes", "a = Add (x, z) y = Div (a, k)", "a = BitwiseAnd (x, z) b = BitwiseXor (x, z) c = Div (b, k) y = Add (a, c)", {"x": np.array([200, 9, 3], np.uint8), "z": np.array([200, 4, 3], np.uint8)}, "Only a sum above 255 wraps.", arrays={"k": np.uint8(2)}, **U8)
I32 = dict(x="int32[2] x", y="int32[2] y")
different(G, "f5-held-then-scaled", "a = Mul (x, k) y = Clip (a, z, c)", "a = Clip (x, z, d) y = Mul (a, k)", {"x": np.array([858993460, 3], np.int32)}, "Five times it is 4 beyond 2^32.", arrays={"k": np.int32(5), "z": np.int32(0), "c": np.int32(100), "d": np.int32(20)}, **I32)
different(G, "f5-sum-of-largest", "a = Add (x, k) y = Max (a, x)", "y = Add (x, k)", {"x": np.array([2 ** 31 - 3, 3], np.int32)}, "One more than the largest is the least.", arrays={"k": np.int32(7)}, **I32)
different(G, "f5-triangle-number", "a = Add (x, o) b = Mul (x, a) y = Div (b, t)", "h = Div (x, t) a = Add (x, o) y = Mul (h, a)", {"x": np.array([4, 3], np.int32)}, "Half of an odd number.", arrays={"o": np.int32(1), "t": np.int32(2)}, **I32)
different(G, "f5-floor-of-quotient", "y = Div (x, k)", "a = Cast <to = 11> (x) b = Div (a, l) c = Floor (b) y = Cast <to = 6> (c)", {"x": np.array([-5, 5], np.int32)}, "Towards zero, or down.", arrays={"k": np.int32(4), "l": np.float64(4)}, **I32)
different(G, "f5-root-of-integer", "y = Pow (x, k)", "a = Cast <to = 11> (x) b = Sqrt (a) c = Round (b) y = Cast <to = 6> (c)", {"x": np.array([3, 4], np.int32)}, "Cut off, or rounded.", arrays={"k": np.float32(0.5)}, **I32)
different(G, "f5-sum-in-single", "y = ReduceSum <keepdims = 0> (x)", "a = Cast <to = 1> (x) b = ReduceSum <keepdims = 0> (a) c = Cast <to = 6> (b) y = Identity (c)", {"x": np.array([16777217, 0], np.int32)}, "2^24 + 1 is no single.", x="int32[2] x", y="int32 y")

G = "needles5"
different(G, "f5-one-integer", "c = Equal (x, k) y = Where (c, z, x)", "y = Identity (x)", {"x": np.array([123456789, 3], np.int32)}, "One of 2^32.", arrays={"k": np.int32(123456789), "z": np.int32(0)}, **I32)
different(G, "f5-one-behind-product", "a = Mul (x, m) c = Equal (a, k) y = Where (c, z, x)", "y = Identity (x)", {"x": np.array([74074, 3], np.int32)}, "Where three times it is 222222.", arrays={"m": np.int32(3), "k": np.int32(222222), "z": np.int32(0)}, **I32)
different(G, "f5-one-behind-mask", "a = BitwiseXor (x, m) c = Equal (a, k) y = Where (c, z, x)", "y = Identity (x)", {"x": np.array([0x5A5A ^ 0x1234, 3], np.int32)}, "Where it is the mask's complement of a number.", arrays={"m": np.int32(0x5A5A), "k": np.int32(0x1234), "z": np.int32(0)}, **I32)
different(G, "f5-one-pair", "a = Add (x, w) b = Sub (x, w) c = Equal (a, k) d = Equal (b, l) e = And (c, d) y = Where (e, z, x)", "y = Identity (x)", {"x": i64(44444, 1), "w": i64(33333, 1)}, "Their sum and their difference are both asked.", x="int64[2] x, int64[2] w", y="int64[2] y", arrays={"k": np.int64(77777), "l": np.int64(11111), "z": np.int64(0)})
F = dict(x="float[4] x", y="float[4] y")
different(G, "f5-far-threshold", "c = Greater (x, k) d = Mul (x, t) y = Where (c, d, x)", "y = Identity (x)", {"x": f32(1e6, 1, 2, 3)}, "Only beyond 123456.", arrays={"k": np.float32(123456), "t": np.float32(2)}, **F)
different(G, "f5-narrow-band", "a = Greater (x, k) b = Less (x, l) c = And (a, b) y = Where (c, z, x)", "y = Identity (x)", {"x": f32(3.145, 1, 2, 4)}, "Between 3.14 and 3.15.", arrays={"k": np.float32(3.14), "l": np.float32(3.15), "z": np.float32(0)}, **F)
different(G, "f5-band-of-sum", "s = ReduceSum <keepdims = 0> (x) a = Greater (s, k) b = Less (s, l) c = And (a, b) y = Where (c, z, x)", "y = Identity (x)", {"x": f32(10, 20, 30, 40.5)}, "Where the sum is between 100 and 101.", arrays={"k": np.float32(100), "l": np.float32(101), "z": np.float32(0)}, **F)
T = np.arange(1000, dtype=np.float32)
T2 = T.copy()
T2[777] = 778
different(G, "f5-one-of-thousand", {"arrays": {"t": T}}, {"arrays": {"t": T2}}, {"x": i64(1, 777)}, "One entry.", x="int64[2] x", y="float[2] y", body="y = Gather (t, x)")
WG = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
WB = np.zeros((4, 4), np.float32)
WB[:2, :2], WB[2:, 2:] = WG[:2], WG[2:]
WC = WB.copy()
WC[3, 0] = 0.125
different(G, "f5-across-groups", {"arrays": {"w": WG[:, :, None].copy()}, "body": "y = Conv <group = 2> (x, w)"}, {"arrays": {"w": WC[:, :, None].copy()}, "body": "y = Conv (x, w)"}, {"x": f32(1, 0, 0, 0, shape=(1, 4, 1))}, "One weight joins the groups.", x="float[1, 4, 1] x", y="float[1, 4, 1] y")

G = "far5"
different(G, "f5-double-through-single", "a = Cast <to = 1> (x) y = Cast <to = 11> (a)", "y = Identity (x)", {"x": np.array([1e39, 1])}, "No single is as large.", x="double[2] x", y="double[2] y")
different(G, "f5-up-and-down", "a = Mul (x, k) y = Mul (a, l)", "y = Mul (x, m)", {"x": f32(1e10, 1, 2, 3)}, "Infinite between.", arrays={"k": np.float32(1e30), "l": np.float32(1e-30), "m": np.float32(1)}, fault="overflow", **F)
different(G, "f5-logarithm-of-sum", "e = Exp (x) s = ReduceSum <keepdims = 0> (e) y = Log (s)", "y = ReduceLogSumExp <keepdims = 0> (x)", {"x": f32(100, 1, 2, 3)}, "The exponential of 100 is infinite.", x="float[4] x", y="float y", fault="overflow")
different(G, "f5-hyperbolic-by-powers", "t = Add (x, x) e = Exp (t) a = Sub (e, o) b = Add (e, o) y = Div (a, b)", "y = Tanh (x)", {"x": f32(100, 1, 2, 3)}, "Infinity by infinity.", arrays={"o": np.float32(1)}, **F)
different(G, "f5-plus-by-logarithm", "e = Exp (x) a = Add (e, o) y = Log (a)", "y = Softplus (x)", {"x": f32(100, 1, 2, 3)}, "The exponential of 100 is infinite.", arrays={"o": np.float32(1)}, fault="overflow", **F)
different(G, "f5-variance-by-squares", "q = Mul (x, x) m = ReduceMean <keepdims = 0> (q) n = ReduceMean <keepdims = 0> (x) s = Mul (n, n) y = Sub (m, s)", "n = ReduceMean <keepdims = 0> (x) c = Sub (x, n) q = Mul (c, c) y = ReduceMean <keepdims = 0> (q)", {"x": f32(10001, 10002, 10003, 10004)}, "Four digits of eight are gone.", x="float[4] x", y="float y", fault="precision")
different(G, "f5-small-epsilon", "y = LayerNormalization (x, s)", "y = LayerNormalization <epsilon = 0.0000000001> (x, s)", {"x": f32(0.001, 0.002, 0.001, 0.003, shape=(1, 4))}, "Where the variance is as small.", x="float[1, 4] x", y="float[1, 4] y", arrays={"s": f32(1, 1, 1, 1)})
different(G, "f5-steep-side", "y = Elu <alpha = 2.0> (x)", "y = Celu <alpha = 2.0> (x)", {"x": f32(-1, 1, 2, 3)}, "Scaled along one axis or along both.", **F)
different(G, "f5-gate-by-tangent", {"body": "y = Gelu (x)", "opset": 20, "ir": 9}, {"body": "y = Gelu <approximate = \"tanh\"> (x)", "opset": 20, "ir": 9}, {"x": f32(-3, 1, 2, 3)}, "Close, but not below -2.", **F)

G = "ties5"
different(G, "f5-last-of-largest", "y = ArgMax <keepdims = 0> (x)", "y = ArgMax <keepdims = 0, select_last_index = 1> (x)", {"x": f32(1, 3, 3, 2)}, "Two are the largest.", x="float[4] x", y="int64 y")
different(G, "f5-one-hardest", "y = Hardmax <axis = 0> (x)", "m = ReduceMax <keepdims = 0> (x) c = Equal (x, m) y = Cast <to = 1> (c)", {"x": f32(1, 3, 3, 2)}, "Two are the largest.", **F)
different(G, "f5-halves-up", "y = Round (x)", "a = Add (x, h) y = Floor (a)", {"x": f32(2.5, 1.2, 0, 1)}, "Halves go to the even one.", arrays={"h": np.float32(0.5)}, **F)
different(G, "f5-order-of-unique", "y = Unique <sorted = 0> (x)", "y = Unique <sorted = 1> (x)", {"x": f32(3, 1, 2, 1)}, "As they come, or sorted.", x="float[4] x", y="float[m] y")
different(G, "f5-rank-of-sorted", "v, y = TopK <largest = 0> (x, k)", "v, a = TopK <largest = 0> (x, k) w, y = TopK <largest = 0> (a, k)", {"x": f32(2, 0, 1, 3)}, "Which is at each place, or the place of each.", x="float[4] x", y="int64[4] y", arrays={"k": i64(4)})
different(G, "f5-median-of-four", "v, i = TopK (x, k) y = Gather (v, b)", "v, i = TopK <largest = 0> (x, k) y = Gather (v, b)", {"x": f32(3, 1, 2, 0)}, "The second largest of four is not the second least.", x="float[4] x", y="float y", arrays={"k": i64(4), "b": np.int64(1)})

G = "indices5"
different(G, "f5-hot-from-behind", "y = OneHot (x, d, v)", "a = Unsqueeze (x, o) c = Equal (a, r) y = Cast <to = 1> (c)", {"x": i64(-1, 1)}, "-1 is the last one.", x="int64[2] x", y="float[2, 3] y", arrays={"d": np.int64(3), "v": f32(0, 1), "o": i64(1), "r": i64(0, 1, 2)})
different(G, "f5-hot-outside", "y = OneHot (x, d, v)", "y = Gather (e, x)", {"x": i64(7, 1)}, "Outside there is none, or an error.", x="int64[2] x", y="float[2, 3] y", arrays={"d": np.int64(3), "v": f32(0, 1), "e": np.eye(3, dtype=np.float32)})
different(G, "f5-index-held", "y = Gather (t, x)", "a = Max (x, z) y = Gather (t, a)", {"x": i64(-1, 1)}, "-1 is the last one.", x="int64[2] x", y="float[2] y", arrays={"t": f32(1, 2, 3), "z": np.int64(0)})
different(G, "f5-scattered-twice", "y = ScatterElements (x, i, u)", "y = ScatterElements <reduction = \"add\"> (z, i, u)", {"x": f32(0, 0, 0), "i": i64(1, 1), "u": f32(5, 7)}, "Twice to the same place.", x="float[3] x, int64[2] i, float[2] u", y="float[3] y", arrays={"z": f32(0, 0, 0)})
different(G, "f5-elements-or-rows", "y = GatherElements <axis = 0> (x, i)", "y = GatherElements <axis = 1> (x, i)", {"x": ramp(2, 2), "i": i64(0, 1, 0, 1, shape=(2, 2))}, "Down the columns or along the rows.", x="float[2, 2] x, int64[2, 2] i", y="float[2, 2] y")
different(G, "f5-rows-of-nonzero", "y = NonZero (x)", "t = Transpose (x) n = NonZero (t) y = Gather (n, k)", {"x": f32(1, 1, 1, 0, shape=(2, 2))}, "By rows or by columns.", x="float[2, 2] x", y="int64[2, m] y", arrays={"k": i64(1, 0)})

G = "windows5"
X5 = dict(x="float[1, 1, 4] x", y="float[1, 1, m] y")
different(G, "f5-same-upper-or-lower", "y = MaxPool <kernel_shape = [2], auto_pad = \"SAME_UPPER\"> (x)", "y = MaxPool <kernel_shape = [2], auto_pad = \"SAME_LOWER\"> (x)", {"x": ramp(1, 1, 4)}, "An even window has an odd border.", **X5)
different(G, "f5-place-by-column", "v, y = MaxPool <kernel_shape = [1, 1]> (x)", "v, y = MaxPool <kernel_shape = [1, 1], storage_order = 1> (x)", {"x": ramp(1, 1, 2, 3)}, "Counted by rows or by columns.", x="float[1, 1, 2, 3] x", y="int64[1, 1, 2, 3] y")
different(G, "f5-blocks-of-channels", "y = DepthToSpace <blocksize = 2, mode = \"DCR\"> (x)", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", {"x": ramp(1, 8, 1, 1)}, "Of more than one channel.", x="float[1, 8, 1, 1] x", y="float[1, 2, 2, 2] y")
RS = "y = Resize <coordinate_transformation_mode = \"{}\", mode = \"{}\"{}> (x, , s)"
different(G, "f5-half-and-nearest", RS.format("half_pixel", "nearest", ", nearest_mode = \"round_prefer_floor\""), RS.format("half_pixel", "nearest", ", nearest_mode = \"round_prefer_ceil\""), {"x": ramp(1, 1, 4)}, "Every place is a half.", arrays={"s": f32(1, 1, 0.5)}, **X5)
different(G, "f5-cubic-steepness", RS.format("half_pixel", "cubic", ", cubic_coeff_a = -0.5"), RS.format("half_pixel", "cubic", ""), {"x": f32(1, 5, 2, 7, 3, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 9, shape=(1, 1, 4, 4))}, "Half or three quarters.", x="float[1, 1, 4, 4] x", y="float[1, 1, a, b] y", arrays={"s": f32(1, 1, 1.5, 1.5)})
different(G, "f5-grid-outside", {"body": "y = GridSample <padding_mode = \"zeros\"> (x, g)"}, {"body": "y = GridSample <padding_mode = \"border\"> (x, g)"}, {"x": ramp(1, 1, 2, 2, shift=1), "g": f32(0, 0, 2, 2, shape=(1, 1, 2, 2))}, "Beyond the border.", x="float[1, 1, 2, 2] x, float[1, 1, 2, 2] g", y="float[1, 1, 1, 2] y")
different(G, "f5-transposed-output-pad", "y = ConvTranspose <strides = [2], pads = [0, 1]> (x, w)", "y = ConvTranspose <strides = [2], pads = [1, 0]> (x, w)", {"x": ramp(1, 1, 4, shift=1)}, "Cut at one end or at the other.", arrays={"w": f32(1, 2, 3, shape=(1, 1, 3))}, **X5)

G = "steps5"
GW, GR = noise(1, 6, 2, seed=2), noise(1, 6, 2, seed=3)
GB = np.concatenate([np.zeros(6), noise(6, seed=4)])[None].astype(np.float32)
different(G, "f5-gate-before-or-after", "y = GRU <hidden_size = 2> (x, w, r)", "y = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r)", {"x": noise(2, 1, 2, seed=5)}, "From the second step on.", x="float[2, 1, 2] x", y="float[2, 1, 1, 2] y", arrays={"w": GW, "r": GR})
different(G, "f5-gate-of-bias", "y = GRU <hidden_size = 2> (x, w, r, b)", "y = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r, b)", {"x": noise(1, 1, 2, seed=5)}, "The bias is gated at the first step already.", x="float[1, 1, 2] x", y="float[1, 1, 1, 2] y", arrays={"w": GW, "r": GR, "b": GB})
different(G, "f5-last-output-or-state", "a, y = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "a = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r) y = Gather (a, k)", {"x": noise(2, 1, 2, seed=5)}, "Going back the last state is that of the first place.", x="float[2, 1, 2] x", y="float[1, 1, 2] y", arrays={"w": noise(1, 2, 2, seed=6), "r": noise(1, 2, 2, seed=7), "k": np.int64(-1)})
different(G, "f5-scan-backwards", "h, y = Scan (z, x) <num_scan_inputs = 1, body = b (float[2] a, float[2] v) => (float[2] p, float[2] q) { p = Add (a, v) q = Identity (p) }>", "h, y = Scan (z, x) <num_scan_inputs = 1, scan_input_directions = [1], body = b (float[2] a, float[2] v) => (float[2] p, float[2] q) { p = Add (a, v) q = Identity (p) }>", {"x": ramp(2, 2)}, "From the last one.", x="float[2, 2] x", y="float[2, 2] y", arrays={"z": f32(0, 0)})
different(G, "f5-sum-from-behind", "y = CumSum <reverse = 1> (x, a)", "t = ReduceSum (x, k) c = CumSum (x, a) y = Sub (t, c)", {"x": f32(1, 2, 3, 4)}, "Without its own.", arrays={"a": np.int64(0), "k": i64(0)}, **F)
different(G, "f5-rounds-until-odd", "y = Loop (m, c, x) <body = b (int64 i, bool d, int64[2] v) => (bool e, int64[2] w) { w = Add (v, k) s = ReduceMax <keepdims = 0> (w) e = Less (s, t) }>", "y = Loop (n, c, x) <body = b (int64 i, bool d, int64[2] v) => (bool e, int64[2] w) { w = Add (v, k) s = ReduceMax <keepdims = 0> (w) e = Less (s, t) }>", {"x": i64(-100, -100)}, "At most five rounds or six, where it takes so many.", x="int64[2] x", y="int64[2] y", arrays={"m": np.int64(5), "n": np.int64(6), "c": np.bool_(True), "k": np.int64(1), "t": np.int64(3)})

G = "quantised5"
different(G, "f5-quantised-halves", "y = QuantizeLinear (x, s, z)", "a = Add (x, h) b = Floor (a) c = Clip (b, l, u) y = Cast <to = 2> (c)", {"x": f32(2.5, 1, 0, 300)}, "Halves go to the even one.", x="float[4] x", y="uint8[4] y", arrays={"s": np.float32(1), "z": np.uint8(0), "h": np.float32(0.5), "l": np.float32(0), "u": np.float32(255)})
different(G, "f5-zero-of-products", "y = MatMulInteger (x, w, z)", "y = MatMulInteger (x, w, u)", {"x": np.array([[1, 2]], np.uint8)}, "One less.", x="uint8[1, 2] x", y="int32[1, 2] y", arrays={"w": np.array([[1, 2], [3, 4]], np.uint8), "z": np.uint8(128), "u": np.uint8(127)})
different(G, "f5-scale-of-channel", "y = DequantizeLinear <axis = 0> (x, s)", "y = DequantizeLinear <axis = 1> (x, s)", {"x": np.array([[1, 2], [3, 4]], np.uint8)}, "As many rows as columns.", x="uint8[2, 2] x", y="float[2, 2] y", arrays={"s": f32(1, 2)})
different(G, "f5-there-and-back", "q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)", "r = Round (x) y = Identity (r)", {"x": f32(-1, 1, 2, 300)}, "Below zero and above 255 it is held.", arrays={"s": np.float32(1), "z": np.uint8(0)}, **F)

G = "sums5"
different(G, "f5-trace-or-product", "y = Einsum <equation = \"ij,ji->\"> (x, w)", "m = Mul (x, w) y = ReduceSum <keepdims = 0> (m)", {"x": ramp(2, 2), "w": f32(1, 5, 2, 7, shape=(2, 2))}, "Each by its opposite, or by its own.", x="float[2, 2] x, float[2, 2] w", y="float y")
different(G, "f5-implicit-order", "y = Einsum <equation = \"ba\"> (x)", "y = Einsum <equation = \"ba->ba\"> (x)", {"x": ramp(2, 2)}, "Without an arrow the letters are sorted.", x="float[2, 2] x", y="float[2, 2] y")
different(G, "f5-powers-of-norm", "y = LpNormalization <axis = 1, p = 1> (x)", "y = LpNormalization <axis = 1, p = 2> (x)", {"x": f32(1, 0, 3, 4, shape=(2, 2))}, "A row of one number is the same.", x="float[2, 2] x", y="float[2, 2] y")
