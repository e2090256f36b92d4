"""Pairs that differ: curves, windows, norms, places, steps in whole numbers, rounds, casts, sums, and lengths."""
import numpy as np

from pair_models import different, f, f32, i64, n, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
I64 = dict(x="int64[3] x", y="int64[3] y")
I32 = dict(x="int32[3] x", y="int32[3] y")
U8 = dict(x="uint8[3] x", y="uint8[3] y")
N = dict(x="float[n] x", y="float[n] y")
ONE = dict(x="int64 x", y="int64 y")
SQ = dict(x="float[2, 2] x", y="float[2, 2] y")
X4 = {"x": f32(1, 2, 3, 5)}
X22 = {"x": f32(1, 2, 3, 5, shape=(2, 2))}
T = np.bool_(True)


def i32(*values):
    return np.array(values, np.int32)


def u8(*values):
    return np.array(values, np.uint8)


# ---------------------------------------------------------------------------------------------------------------------------
G = "curves12"
different(G, "f12-hard-gate-by-default", "y = HardSigmoid (x)", "y = HardSigmoid <alpha = 0.2, beta = 0.505> (x)", {"x": f32(0, 1, 2, 9)}, "A half, or a little more.", **F)
different(G, "f12-hard-swish-by-fifth", "y = HardSwish (x)", "h = HardSigmoid (x) y = Mul (x, h)", X4, "A sixth, or a fifth.", **F)
different(G, "f12-bell-ramp-of-two-kinds", "y = Gelu (x)", "y = Gelu <approximate = \"tanh\"> (x)", {"x": f32(-3, 1, 2, 3)}, "Far below zero the curve is another by a tenth.", opset=20, ir=9, **F)
different(G, "f12-half-to-even-or-up", "y = Round (x)", "a = Add (x, h) y = Floor (a)", {"x": f32(2.5, 1, 2, 3)}, "Halves go to the even one.", arrays={"h": f(0.5)}, **F)
different(G, "f12-sign-by-quotient", "y = Sign (x)", "a = Abs (x) y = Div (x, a)", {"x": f32(0, 1, 2, 3)}, "Nothing has no direction.", **F)
different(G, "f12-bounds-the-other-way", "y = Clip (x, l, h)", "a = Min (x, h) y = Max (a, l)", X4, "Where the bounds are exchanged the upper one wins.", arrays={"l": f(2), "h": f(-2)}, **F)
different(G, "f12-slope-of-columns", "y = PRelu (x, s)", "y = PRelu (x, t)", {"x": f32(-1, -1, -1, -1, shape=(2, 2))}, "A slope for each column, or for each row.", arrays={"s": f32(1, 2), "t": f32(1, 2, shape=(2, 1))}, **SQ)
different(G, "f12-elu-of-either-end", "y = Elu <alpha = 2.0> (x)", "y = Celu <alpha = 2.0> (x)", {"x": f32(-1, 1, 2, 3)}, "Stretched upwards, or both ways.", **F)
different(G, "f12-threshold-itself", "y = ThresholdedRelu <alpha = 1.0> (x)", "g = GreaterOrEqual (x, o) y = Where (g, x, z)", X4, "At the threshold itself nothing.", arrays={"o": f(1), "z": f(0)}, **F)
different(G, "f12-shrunk-at-bound", "y = Shrink <lambd = 0.5, bias = 0.5> (x)", "y = Shrink <lambd = 0.5, bias = 0.25> (x)", X4, "By a half or by a quarter.", **F)
different(G, "f12-power-of-opposite-by-half", "a = Pow (x, h) y = Pow (a, t)", "y = Identity (x)", {"x": f32(-4, 1, 2, 3)}, "Below zero there is no root.", arrays={"h": f(0.5), "t": f(2)}, **F)
different(G, "f12-angle-in-quarter", "s = Sin (x) c = Cos (x) t = Div (s, c) y = Atan (t)", "y = Identity (x)", {"x": f32(2, 1, 0.5, 0)}, "An arc tangent knows half the circle.", **F)
different(G, "f12-wave-far-out", "a = Tanh (x) y = Atanh (a)", "y = Identity (x)", {"x": f32(20, 1, 0.5, 0)}, "Far out all waves are one.", **F)
different(G, "f12-either-of-two-roots", "q = Mul (x, x) y = Sqrt (q)", "p = Relu (x) r = Neg (x) l = LeakyRelu <alpha = 0.5> (r) m = Relu (l) y = Add (p, m)", {"x": f32(1e30, 1, 2, 3)}, "A square may be too large.", fault="overflow", **F)
different(G, "f12-soft-ramp-by-logarithm", "e = Exp (x) a = Add (e, o) y = Log (a)", "y = Softplus (x)", {"x": f32(100, 1, 2, 3)}, "The exponential ends first.", fault="overflow", arrays={"o": f(1)}, **F)
different(G, "f12-larger-by-sums", "s = Add (x, z) d = Sub (x, z) a = Abs (d) b = Add (s, a) y = Mul (b, h)", "y = Max (x, z)", {"x": f32(-1e8, 1, 2, 3), "z": f32(1, 5, 2, 0)}, "Beside a large one the small one is lost.", fault="precision", x="float[4] x, float[4] z", y="float[4] y", arrays={"h": f(0.5)})
different(G, "f12-between-two-numbers-alone", "y = Relu (x)", "a = Sub (x, p) b = Abs (a) c = Sub (k, b) d = Relu (c) r = Relu (x) y = Add (r, d)", {"x": f32(17.25, 1, 2, 3)}, "A tent about 17 and a quarter.", arrays={"p": f(17.25), "k": f(0.125)}, **F)
different(G, "f12-three-units-in-corner", "y = Identity (x)", "m = ReduceMin (x) c = Greater (m, k) o = Neg (x) y = Where (c, o, x)", {"x": f32(3.5, 4, 3.1, 5)}, "Where all four are above three.", arrays={"k": f(3)}, **F)
different(G, "f12-rising-unless-first-is-largest", "y = Identity (x)", "i = ArgMax <axis = 0, keepdims = 0> (x) j = ArgMin <axis = 0, keepdims = 0> (x) s = Mul (i, j) e = Equal (s, k) o = Neg (x) y = Where (e, o, x)", {"x": f32(1, 2, 0, 5)}, "The largest is last, the smallest third.", arrays={"k": n(6)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "windows12"
IM = dict(x="float[1, 1, 4, 4] x", y="float[1, 1, 4, 4] y")
L6 = dict(x="float[1, 1, 6] x", y="float[1, 1, k] y")
L5 = dict(x="float[1, 1, 5] x", y="float[1, 1, k] y")
XL6, XL5 = {"x": f32(1, 5, 2, 9, 4, 7, shape=(1, 1, 6))}, {"x": f32(1, 5, 2, 9, 4, shape=(1, 1, 5))}
K2 = f32(1, 2, shape=(1, 1, 2))
different(G, "f12-same-upper-or-lower", "y = Conv <auto_pad = \"SAME_UPPER\"> (x, w)", "y = Conv <auto_pad = \"SAME_LOWER\"> (x, w)", XL6, "The odd border is behind, or in front.", arrays={"w": K2}, **L6)
different(G, "f12-same-with-steps-by-hand", "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2]> (x, w)", "y = Conv <pads = [1, 1], strides = [2]> (x, w)", XL6, "Of an even length the border of three taps is behind alone.", arrays={"w": f32(1, 2, 4, shape=(1, 1, 3))}, **L6)
different(G, "f12-gap-behind", "y = Conv <dilations = [2]> (x, w)", "y = Conv (x, v)", XL6, "The gap is between, not behind.", arrays={"w": K2, "v": f32(1, 2, 0, shape=(1, 1, 3))}, **L6)
different(G, "f12-border-of-spread-out", "y = ConvTranspose <strides = [2], output_padding = [1]> (x, w)", "a = ConvTranspose <strides = [2]> (x, w) y = Pad (a, p)", XL6, "One more behind is one more in front.", arrays={"w": K2, "p": i64(0, 0, 1, 0, 0, 0)}, **L6)
different(G, "f12-groups-in-turn", "y = Conv <group = 2> (x, w)", "y = Conv <group = 2> (x, v)", {"x": f32(1, 5, shape=(1, 2, 1))}, "Four filters of two groups, two and two, not in turn.", x="float[1, 2, 1] x", y="float[1, 4, 1] y", arrays={"w": f32(1, 2, 3, 4, shape=(4, 1, 1)), "v": f32(1, 3, 2, 4, shape=(4, 1, 1))})
different(G, "f12-places-by-columns", "v, y = MaxPool <kernel_shape = [2, 2]> (x)", "v, y = MaxPool <kernel_shape = [2, 2], storage_order = 1> (x)", {"x": f32(1, 2, 3, 9, 5, 4, shape=(1, 1, 2, 3))}, "Counted along rows, or along columns.", x="float[1, 1, 2, 3] x", y="int64[1, 1, 1, 2] y")
different(G, "f12-length-of-window", "y = LpPool <kernel_shape = [2], p = 2> (x)", "y = LpPool <kernel_shape = [2], p = 1> (x)", XL6, "Of three and four five, or seven.", **L6)
different(G, "f12-border-counts-in-mean", "y = AveragePool <kernel_shape = [3], pads = [0, 1], strides = [2]> (x)", "y = AveragePool <kernel_shape = [3], pads = [0, 1], strides = [2], count_include_pad = 1> (x)", XL6, "The last window has two and a border.", **L6)
different(G, "f12-rounded-up-or-bordered-mean", "y = AveragePool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x)", "y = AveragePool <kernel_shape = [2], strides = [2], pads = [0, 1], count_include_pad = 1> (x)", XL5, "Of one left over the mean is itself.", **L5)
different(G, "f12-first-or-second-of-two", "y = Conv <strides = [2]> (x, w)", "s = Slice (x, b, e, a) y = Conv <strides = [2]> (s, w)", XL6, "Every second, from the first or from the second on.", arrays={"w": f32(3, shape=(1, 1, 1)), "b": i64(1), "e": i64(6), "a": i64(2)}, **L6)
different(G, "f12-blocks-either-way", "y = DepthToSpace <blocksize = 2, mode = \"DCR\"> (x)", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", {"x": ramp(1, 8, 1, 1)}, "Eight channels have an order.", x="float[1, 8, 1, 1] x", y="float[1, 2, 2, 2] y")
AR = {"s": f32(1, 1, 0.5), "u": f32(1, 1, 2)}
different(G, "f12-nearest-of-two-between", "y = Resize <mode = \"nearest\", nearest_mode = \"round_prefer_ceil\"> (x, , s)", "y = Resize <mode = \"nearest\", nearest_mode = \"round_prefer_floor\"> (x, , s)", XL6, "Between the first and second.", arrays=AR, **L6)
different(G, "f12-corners-of-enlarged", "y = Resize <mode = \"linear\", coordinate_transformation_mode = \"align_corners\"> (x, , u)", "y = Resize <mode = \"linear\"> (x, , u)", XL6, "From corner to corner, or half a point within.", arrays=AR, **L6)
different(G, "f12-cubic-by-half", "y = Resize <mode = \"cubic\"> (x, , u)", "y = Resize <mode = \"cubic\", cubic_coeff_a = -0.5> (x, , u)", {"x": f32(1, 5, 2, 9, 4, 7, shape=(1, 1, 1, 6))}, "Three quarters, or a half.", arrays={"u": f32(1, 1, 1, 2)}, x="float[1, 1, 1, 6] x", y="float[1, 1, 1, 12] y")
different(G, "f12-corner-of-one-window", "y = MaxPool <kernel_shape = [3], strides = [2], pads = [1, 0]> (x)", "y = MaxPool <kernel_shape = [3], strides = [2], pads = [0, 1]> (x)", {"x": f32(1, 2, 3, 4, 9, 5, shape=(1, 1, 6))}, "The border in front or behind.", **L6)
different(G, "f12-mirrored-or-edge", "y = Pad <mode = \"reflect\"> (x, p)", "y = Pad <mode = \"edge\"> (x, p)", XL6, "The neighbour, or the edge itself.", arrays={"p": i64(0, 0, 1, 0, 0, 0)}, **L6)
different(G, "f12-size-of-neighbourhood", "y = LRN <size = 3, alpha = 1.0> (x)", "q = Mul (x, x) s = Conv (q, w) d = Add (o, s) p = Pow (d, b) y = Div (x, p)", {"x": f32(1, 2, 3, shape=(1, 3, 1, 1))}, "A third of the squares, not all of them.", x="float[1, 3, 1, 1] x", y="float[1, 3, 1, 1] y", arrays={"w": f32(1, 1, 0, 1, 1, 1, 0, 1, 1, shape=(3, 3, 1, 1)), "o": f(1), "b": f(0.75)})
different(G, "f12-looked-at-corners", "y = GridSample <align_corners = 1> (x, g)", "y = GridSample <align_corners = 0> (x, g)", {"x": f32(1, 2, 3, 5, shape=(1, 1, 2, 2))}, "The corners are points, or lie half a point outside.", x="float[1, 1, 2, 2] x", y="float[1, 1, 1, 1] y", arrays={"g": f32(0.5, 0.5, shape=(1, 1, 1, 2))})
different(G, "f12-peak-of-border", "p = Pad (x, q) y = MaxPool <kernel_shape = [2]> (p)", "y = MaxPool <kernel_shape = [2], pads = [1, 0]> (x)", {"x": f32(-1, -5, -2, -9, -4, -7, shape=(1, 1, 6))}, "A border of zeros is above all below.", arrays={"q": i64(0, 0, 1, 0, 0, 0)}, **L6)
different(G, "f12-two-peaks-with-border", "a = MaxPool <kernel_shape = [2], strides = [2]> (x) y = MaxPool <kernel_shape = [2], strides = [2], pads = [1, 0]> (a)", "y = MaxPool <kernel_shape = [4], strides = [4], pads = [1, 0]> (x)", {"x": f32(1, 2, 3, 9, 4, 5, shape=(1, 1, 6))}, "A border of one is two in front of both.", **L6)
different(G, "f12-filter-that-sees-last-alone", "y = Conv (x, w)", "y = Conv (x, v)", {"x": f32(*([0] * 69 + [1]), shape=(1, 1, 70))}, "The seventieth tap.", x="float[1, 1, 70] x", y="float[1, 1, 1] y", arrays={"w": np.ones((1, 1, 70), np.float32), "v": np.array([1] * 69 + [2], np.float32).reshape(1, 1, 70)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "norms12"
M24 = dict(x="float[2, 4] x", y="float[2, 4] y")
X24 = {"x": noise(2, 4, seed=71, scale=2.0)}
different(G, "f12-one-less-in-variance", "m = ReduceMean (x, a) d = Sub (x, m) q = Mul (d, d) v = ReduceMean (q, a) e = Add (v, p) r = Sqrt (e) y = Div (d, r)", "m = ReduceMean (x, a) d = Sub (x, m) q = Mul (d, d) s = ReduceSum (q, a) v = Div (s, k) e = Add (v, p) r = Sqrt (e) y = Div (d, r)", X24, "By four, or by three.", arrays={"a": i64(1), "p": f(1e-5), "k": f(3)}, **M24)
different(G, "f12-epsilon-behind-root", "y = LayerNormalization <epsilon = 0.0001> (x, g)", "m = ReduceMean (x, a) d = Sub (x, m) q = Mul (d, d) v = ReduceMean (q, a) r = Sqrt (v) e = Add (r, p) y = Div (d, e)", {"x": noise(2, 4, seed=71, scale=0.01)}, "Within the root a small number is larger.", arrays={"a": i64(1), "p": f(1e-4), "g": f32(1, 1, 1, 1)}, **M24)
different(G, "f12-shares-of-flat", {"body": "y = Softmax <axis = 1> (x)", "opset": 11}, {"body": "y = Softmax <axis = 1> (x)", "opset": 13}, {"x": ramp(2, 2, 2)}, "Once all axes from there on, now that one alone.", x="float[2, 2, 2] x", y="float[2, 2, 2] y")
different(G, "f12-logarithm-of-share", "s = Softmax (x) y = Log (s)", "y = LogSoftmax (x)", {"x": f32(0, 200, 1, 2)}, "A small share is nothing.", fault="overflow", **F)
different(G, "f12-root-norm-or-length", "q = Mul (x, x) m = ReduceMean (q, a) r = Sqrt (m) y = Div (x, r)", "y = LpNormalization <axis = 1> (x)", X24, "Twice the length is the root of the mean.", arrays={"a": i64(1)}, **M24)
different(G, "f12-sizes-or-squares", "y = LpNormalization <axis = 1, p = 1> (x)", "y = LpNormalization <axis = 1, p = 2> (x)", X24, "Divided by the sum of sizes, or by the length.", **M24)
different(G, "f12-images-together", "y = MeanVarianceNormalization (x)", "y = MeanVarianceNormalization <axes = [2, 3]> (x)", {"x": noise(2, 1, 2, 2, seed=72)}, "Over all images, or over each.", x="float[2, 1, 2, 2] x", y="float[2, 1, 2, 2] y")
different(G, "f12-first-or-last-of-alike", "y = Hardmax <axis = 1> (x)", "i = ArgMax <axis = 1, keepdims = 0, select_last_index = 1> (x) y = OneHot <axis = -1> (i, d, v)", {"x": f32(1, 5, 5, 2, shape=(1, 4))}, "Of two alike the first.", x="float[1, 4] x", y="float[1, 4] y", arrays={"d": n(4), "v": f32(0, 1)})
different(G, "f12-soft-sum-spelled-out", "e = Exp (x) s = ReduceSum <keepdims = 0> (e) y = Log (s)", "y = ReduceLogSumExp <keepdims = 0> (x)", {"x": f32(100, 1, 2, 3)}, "The exponential ends first.", fault="overflow", x="float[4] x", y="float y")
different(G, "f12-temperature-the-other-way", "a = Div (x, h) y = Softmax (a)", "a = Mul (x, h) y = Softmax (a)", X4, "Half the warmth is twice the scores.", arrays={"h": f(0.5)}, **F)
different(G, "f12-causal-or-strictly", "t = Transpose (x) q = MatMul (x, t) z = Add (q, u) p = Softmax (z) y = MatMul (p, x)", "t = Transpose (x) q = MatMul (x, t) z = Add (q, v) p = Softmax (z) y = MatMul (p, x)", {"x": noise(3, 3, seed=73)}, "The first sees itself, or the second as well.", x="float[3, 3] x", y="float[3, 3] y", arrays={"u": np.triu(np.full((3, 3), -1e9, np.float32), 1), "v": np.triu(np.full((3, 3), -1e9, np.float32), 2)})
POS = np.arange(4)
DIS = (POS[None, :] - POS[:, None]).astype(np.float32)
different(G, "f12-distance-with-sign", "z = Add (x, u) y = Softmax (z)", "z = Add (x, v) y = Softmax (z)", {"x": noise(4, 4, seed=74)}, "Without a mask what comes later is nearer, or farther.", x="float[4, 4] x", y="float[4, 4] y", arrays={"u": DIS, "v": -np.abs(DIS)})
C4, S4 = np.cos(ramp(3, 2, shift=0.5)), np.sin(ramp(3, 2, shift=0.5))
different(G, "f12-halves-or-neighbours-turned", "a, b = Split <axis = 1, num_outputs = 2> (x) ac = Mul (a, c) bs = Mul (b, s) d = Sub (ac, bs) p = Mul (a, s) q = Mul (b, c) e = Add (p, q) y = Concat <axis = 1> (d, e)", "r = Reshape (x, v) a = Gather <axis = 2> (r, i0) b = Gather <axis = 2> (r, i1) ac = Mul (a, c) bs = Mul (b, s) d = Sub (ac, bs) p = Mul (a, s) q = Mul (b, c) e = Add (p, q) du = Unsqueeze (d, ax) eu = Unsqueeze (e, ax) t = Concat <axis = 2> (du, eu) y = Reshape (t, w)", {"x": noise(3, 4, seed=75)}, "The first with the third, or with the second.", x="float[3, 4] x", y="float[3, 4] y", arrays={"c": C4, "s": S4, "v": i64(3, 2, 2), "w": i64(3, 4), "ax": i64(2), "i0": n(0), "i1": n(1)})
different(G, "f12-norm-before-or-behind-bias", "n1 = LayerNormalization (x, g) y = Add (n1, b)", "a = Add (x, b) y = LayerNormalization (a, g)", X24, "A bias that is normed too.", arrays={"g": f32(1, 1, 1, 1), "b": f32(0, 1, 2, 3)}, **M24)
different(G, "f12-standard-by-old-or-new-mean", "y = BatchNormalization (x, s, b, m, v)", "y = BatchNormalization (x, s, m, b, v)", {"x": noise(2, 3, seed=76)}, "Bias and mean change places.", x="float[2, 3] x", y="float[2, 3] y", arrays={"s": f32(1, 2, 3), "b": f32(0, 1, 2), "m": f32(1, 1, 1), "v": f32(1, 4, 1)})
different(G, "f12-channels-or-rest-normed", "y = InstanceNormalization (x, s, b)", "y = LayerNormalization <axis = 1> (x, t)", {"x": noise(1, 2, 3, seed=77)}, "Each channel by itself, or all.", x="float[1, 2, 3] x", y="float[1, 2, 3] y", arrays={"s": f32(1, 1), "b": f32(0, 0), "t": np.ones((2, 3), np.float32)})
different(G, "f12-groups-of-two-or-in-turn", "r = Reshape (x, p) a = InstanceNormalization (r, s, b) y = Reshape (a, q)", "r0 = Reshape (x, u) t = Transpose <perm = [0, 2, 1, 3]> (r0) r = Reshape (t, p) a = InstanceNormalization (r, s, b) c = Reshape (a, u) d = Transpose <perm = [0, 2, 1, 3]> (c) y = Reshape (d, q)", {"x": noise(1, 4, 3, seed=78)}, "The first two, or the first and third.", x="float[1, 4, 3] x", y="float[1, 4, 3] y", arrays={"p": i64(1, 2, 6), "u": i64(1, 2, 2, 3), "q": i64(1, 4, 3), "s": f32(1, 1), "b": f32(0, 0)})
different(G, "f12-variance-by-squares", "q = Mul (x, x) a = ReduceMean <keepdims = 0> (q) m = ReduceMean <keepdims = 0> (x) b = Mul (m, m) y = Sub (a, b)", "m = ReduceMean <keepdims = 0> (x) d = Sub (x, m) q = Mul (d, d) y = ReduceMean <keepdims = 0> (q)", {"x": f32(10000, 10001, 10002, 10003)}, "Beside large squares nothing is left.", fault="precision", x="float[4] x", y="float y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "places12"
different(G, "f12-last-by-minus-one", "y = OneHot <axis = -1> (x, d, v)", "u = Unsqueeze (x, a) e = Equal (u, r) y = Cast <to = 1> (e)", {"x": i64(-1, 1, 2)}, "Minus one is the last place, and equal to none.", x="int64[3] x", y="float[3, 4] y", arrays={"d": n(4), "v": f32(0, 1), "a": i64(1), "r": i64(0, 1, 2, 3)})
different(G, "f12-beyond-all-places", "y = OneHot <axis = -1> (x, d, v)", "m = Mod (x, d) y = OneHot <axis = -1> (m, d, v)", {"x": i64(5, 1, 2)}, "Beyond the last is none, or begins anew.", x="int64[3] x", y="float[3, 4] y", arrays={"d": n(4), "v": f32(0, 1)})
different(G, "f12-below-all-places", "y = OneHot <axis = -1> (x, d, v)", "c = Max (x, z) y = OneHot <axis = -1> (c, d, v)", {"x": i64(-9, 1, 2)}, "Too far before the first is none.", x="int64[3] x", y="float[3, 4] y", arrays={"d": n(4), "v": f32(0, 1), "z": n(0)})
different(G, "f12-least-two-in-order", "y, i = TopK <axis = 0, largest = 0> (x, k)", "y, i = TopK <axis = 0> (x, k)", X4, "The smallest or the largest two.", x="float[4] x", y="float[2] y", arrays={"k": i64(2)})
different(G, "f12-place-of-alike", "v, y = TopK <axis = 0> (x, k)", "y = ArgMax <axis = 0, select_last_index = 1> (x)", {"x": f32(1, 5, 2, 5)}, "Of two alike the first.", x="float[4] x", y="int64[1] y", arrays={"k": i64(1)})
different(G, "f12-back-to-before-first", "y = Slice (x, b, e, a, s)", "y = Slice (x, b, d, a, s)", X4, "Back to the second, or to before the first.", x="float[4] x", y="float[k] y", arrays={"b": i64(3), "e": i64(0), "d": i64(-9), "a": i64(0), "s": i64(-1)})
different(G, "f12-turned-lengths", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", "y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, l)", X22, "Rows or columns are turned.", arrays={"l": i64(2, 1)}, **SQ)
different(G, "f12-found-by-columns", "y = NonZero (x)", "t = Transpose (x) a = NonZero (t) y = Gather (a, i)", {"x": f32(1, 2, 3, 0, shape=(2, 2))}, "Found along columns they come in another order.", x="float[2, 2] x", y="int64[2, k] y", arrays={"i": i64(1, 0)})
different(G, "f12-once-each-in-order", "y = Unique <sorted = 0> (x)", "y = Unique (x)", {"x": f32(3, 1, 3, 2)}, "As they come, or in order.", x="float[4] x", y="float[k] y")
different(G, "f12-running-along-other", "y = CumSum (x, z)", "y = CumSum (x, o)", X22, "Down, or along.", arrays={"z": n(0), "o": n(1)}, **SQ)
different(G, "f12-running-before-from-behind", "y = CumSum <exclusive = 1, reverse = 1> (x, z)", "a = CumSum (x, z) s = ReduceSum (x) b = Sub (s, a) y = Add (b, x)", X4, "With itself or without.", arrays={"z": n(0)}, **F)
different(G, "f12-ones-above-or-below", "y = EyeLike <k = 1> (x)", "y = EyeLike <k = -1> (x)", X22, "Above the diagonal, or below.", **SQ)
different(G, "f12-places-in-rows-or-columns", "y = GatherElements <axis = 0> (x, i)", "y = GatherElements <axis = 1> (x, i)", X22, "Down or along.", arrays={"i": i64(0, 1, 0, 1, shape=(2, 2))}, **SQ)
different(G, "f12-put-in-rows-or-columns", "y = ScatterElements <axis = 0> (x, i, u)", "y = ScatterElements <axis = 1> (x, i, u)", X22, "Down or along.", arrays={"i": i64(1, 0, shape=(1, 2)), "u": f32(8, 9, shape=(1, 2))}, **SQ)
different(G, "f12-added-or-largest-at-place", "y = ScatterElements <axis = 0, reduction = \"add\"> (x, i, u)", "y = ScatterElements <axis = 0, reduction = \"max\"> (x, i, u)", X4, "Added, or only the larger.", arrays={"i": i64(1, 1), "u": f32(8, 9)}, **F)
different(G, "f12-row-and-column-exchanged", "y = GatherND (x, i)", "y = GatherND (x, j)", X22, "Row and column, or column and row.", x="float[2, 2] x", y="float[1] y", arrays={"i": i64(0, 1, shape=(1, 2)), "j": i64(1, 0, shape=(1, 2))})
different(G, "f12-five-in-two-parts", "a, b = Split <axis = 0, num_outputs = 2> (x) y = ReduceSum (a)", "a, b = Split <axis = 0> (x, s) y = ReduceSum (a)", {"x": f32(1, 2, 3, 4, 5)}, "The first part is the longer.", x="float[5] x", y="float[1] y", arrays={"s": i64(2, 3)})
different(G, "f12-which-size", "y = Shape <start = 0, end = 1> (x)", "y = Shape <start = 1, end = 2> (x)", {"x": ramp(2, 3)}, "The first or the second, alike for squares.", x="float[n, m] x", y="int64[1] y")
different(G, "f12-place-beyond-is-bounded", "c = Clip (x, z, k) y = Gather (w, c)", "m = Mod (x, k8) y = Gather (w, m)", {"x": i64(8, 1, 2)}, "Eight is the last, or the first again.", x="int64[3] x", y="float[3] y", arrays={"z": n(0), "k": n(7), "k8": n(8), "w": ramp(8)})
TAB = ramp(300)
TAB2 = TAB.copy()
TAB2[271] += 1
different(G, "f12-one-of-three-hundred", {"body": "m = Mod (x, k) y = Gather (w, m)", "arrays": {"w": TAB}}, {"body": "m = Mod (x, k) y = Gather (w, m)", "arrays": {"w": TAB2}}, {"x": i64(271, 1, 2)}, "The 271st row.", x="int64[3] x", y="float[3] y", arrays={"k": n(300)})
different(G, "f12-last-of-repeated-puts", "y = ScatterND <reduction = \"add\"> (x, i, u)", "y = ScatterND <reduction = \"mul\"> (x, i, u)", X4, "Added or multiplied.", arrays={"i": i64(0, 0, shape=(2, 1)), "u": f32(2, 4)}, **F)
different(G, "f12-median-of-four", "v, i = TopK <axis = 0> (x, k) y = Gather (v, one)", "v, i = TopK <axis = 0> (x, k) y = Gather (v, two)", X4, "The second of four or the third.", x="float[4] x", y="float y", arrays={"k": i64(4), "one": n(1), "two": n(2)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "quantised12"
QF = dict(x="float[4] x", y="uint8[4] y")
different(G, "f12-quantised-half", "y = QuantizeLinear (x, s, z)", "d = Div (x, s) a = Add (d, h) b = Floor (a) c = Clip (b, lo, hi) y = Cast <to = 2> (c)", {"x": f32(0.5, 1, 2, 3)}, "A half goes to the even one.", arrays={"s": f(1), "z": np.uint8(0), "h": f(0.5), "lo": f(0), "hi": f(255)}, **QF)
different(G, "f12-least-of-signed-byte", "y = QuantizeLinear (x, s, z)", "c = Clip (x, lo, hi) y = QuantizeLinear (c, s, z)", {"x": f32(-128, 1, 2, 3)}, "-128, or the same on both sides.", x="float[4] x", y="int8[4] y", arrays={"s": f(1), "z": np.int8(0), "lo": f(-127), "hi": f(127)})
different(G, "f12-held-or-beginning-anew", "y = QuantizeLinear (x, s, z)", "a = Cast <to = 6> (x) y = Cast <to = 2> (a)", {"x": f32(256, 1, 2, 3)}, "Held at 255, or begun anew.", arrays={"s": f(1), "z": np.uint8(0)}, **QF)
different(G, "f12-scale-of-rows-or-columns", "y = DequantizeLinear <axis = 0> (x, s, z)", "y = DequantizeLinear <axis = 1> (x, s, z)", {"x": u8(1, 2, 3, 4).reshape(2, 2)}, "A scale for each row or each column.", x="uint8[2, 2] x", y="float[2, 2] y", arrays={"s": f32(1, 2), "z": u8(0, 0)})
different(G, "f12-zero-points-crossed", "y = MatMulInteger (x, w, p, q)", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) c = MatMul (a, b) y = Sub (c, k)", {"x": u8(1, 2, 3, 4).reshape(2, 2)}, "The product of both zero points alone is not all.", x="uint8[2, 2] x", y="int32[2, 2] y", arrays={"w": u8(5, 6, 7, 8).reshape(2, 2), "p": np.uint8(1), "q": np.uint8(2), "k": np.int32(4)})
different(G, "f12-range-without-zero", "a, s, z = DynamicQuantizeLinear (x) y = DequantizeLinear (a, s, z)", "h = ReduceMax <keepdims = 0> (x) l = ReduceMin <keepdims = 0> (x) r = Sub (h, l) s = Div (r, k) c = Sub (x, l) d = Div (c, s) e = Round (d) g = Mul (e, s) y = Add (g, l)", {"x": f32(100, 100.3, 100.7, 101)}, "The range has zero in it.", arrays={"k": f(255)}, **F)
different(G, "f12-border-of-zero-point", "y = ConvInteger <pads = [1, 0]> (x, w, p)", "b = Pad (x, q) y = ConvInteger (b, w, p)", {"x": u8(5, 6).reshape(1, 1, 2)}, "The border is the zero point, not zero.", x="uint8[1, 1, 2] x", y="int32[1, 1, k] y", arrays={"w": u8(1, 2).reshape(1, 1, 2), "p": np.uint8(3), "q": i64(0, 0, 1, 0, 0, 0)})
different(G, "f12-rounded-in-two-steps", "a = Mul (x, h) b = Round (a) c = Mul (b, h) y = Round (c)", "a = Mul (x, q) y = Round (a)", {"x": f32(2.5, 1, 2, 3)}, "A quarter in two steps.", arrays={"h": f(0.5), "q": f(0.25)}, **F)
different(G, "f12-scales-of-quarter", "a = QuantizeLinear (x, s, z) y = DequantizeLinear (a, s, z)", "a = Clip (x, lo, hi) b = Mul (a, k) c = Round (b) y = Mul (c, s)", {"x": f32(70, 1, 2, 3)}, "Held at 255 quarters, or at 256.", arrays={"s": f(0.25), "z": np.uint8(0), "lo": f(0), "hi": f(64), "k": f(4)}, **F)
different(G, "f12-sum-of-bytes-held", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) s = Add (a, b) c = Min (s, k) y = Cast <to = 2> (c)", "y = Add (x, w)", {"x": u8(200, 1, 2), "w": u8(100, 1, 2)}, "Held, or begun anew.", x="uint8[3] x, uint8[3] w", y="uint8[3] y", arrays={"k": np.int32(255)})
different(G, "f12-half-up-of-bytes", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) s = Add (a, b) t = Add (s, o) d = Div (t, two) y = Cast <to = 2> (d)", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) s = Add (a, b) d = Div (s, two) y = Cast <to = 2> (d)", {"x": u8(2, 1, 2), "w": u8(3, 1, 2)}, "Of an odd sum the half is up or down.", x="uint8[3] x, uint8[3] w", y="uint8[3] y", arrays={"o": np.int32(1), "two": np.int32(2)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "rounds12"
BN = {"t": T, "one": n(1), "two": n(2), "zero": n(0), "ten": n(10), "k100": n(100), "half": f(0.5), "fone": f(1)}
FIB = "a = Abs (x) m = Mod (a, k) p, y = Loop (m, t, zero, one) <body = bd (int64 i, bool d, int64 u, int64 v) => (bool e, int64 u1, int64 v1) {{ e = Identity (d) u1 = Identity (v) {} }}>"
different(G, "f12-rabbits-held", FIB.format("v1 = Add (u, v)"), FIB.format("w = Add (u, v) v1 = Min (w, cap)"), {"x": n(29)}, "The 29th is above 800000.", arrays=BN | {"k": n(30), "cap": n(800000)}, **ONE)
SWP = "p, y = Loop (m, t, x, z) <body = bd (int64 i, bool d, float[4] u, float[4] v) => (bool e, float[4] u1, float[4] v1) { e = Identity (d) u1 = Identity (v) v1 = Identity (u) }>"
different(G, "f12-exchanged-seven-times", {"body": SWP, "arrays": {"m": n(7)}}, {"body": SWP, "arrays": {"m": n(8)}}, {"x": f32(1, 2, 3, 4), "z": f32(5, 6, 7, 8)}, "Odd or even.", x="float[4] x, float[4] z", y="float[4] y", arrays={"t": T})
IFS = "s = ReduceSum <keepdims = 0> (x) c = {} (s, z) y = If (c) <then_branch = a () => (float[4] q) {{ q = Neg (x) }}, else_branch = b () => (float[4] r) {{ r = Identity (x) }}>"
different(G, "f12-branch-at-zero", IFS.format("Greater"), IFS.format("GreaterOrEqual"), {"x": f32(1, -1, 2, -2)}, "A sum of exactly nothing.", arrays={"z": f(0)}, **F)
different(G, "f12-doubled-up-to-hundred", "a = Abs (x) b = Mod (a, k100) x0 = Add (b, one) g = Identity (t) y = Loop (m, g, x0) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, v) e = Less (w, k100) }>", "a = Abs (x) b = Mod (a, k100) x0 = Add (b, one) g = Identity (t) y = Loop (m, g, x0) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, v) e = LessOrEqual (w, k100) }>", {"x": n(24)}, "A hundred itself goes on, or ends.", arrays=BN | {"m": n(20)}, **ONE)
NEW = "g = Abs (x) q = Add (g, fone) r = Loop (m, t, q) <body = bd (int64 i, bool d, float v) => (bool e, float w) { e = Identity (d) p = Div (q, v) s = Add (v, p) w = Mul (s, half) }> y = Identity (r)"
different(G, "f12-root-in-few-steps", {"body": NEW, "arrays": {"m": n(6)}}, {"body": NEW, "arrays": {"m": n(30)}}, {"x": f(1e6)}, "Six steps are enough for small numbers alone.", arrays=BN, x="float x", y="float y")
SCN = "h, y = Scan (s0, x) <num_scan_inputs = 1{}, body = b (float a, float p) => (float a1, float o) {{ m = Mul (a, k) a1 = Add (m, p) o = Identity (a1) }}>"
different(G, "f12-read-backwards", SCN.format(""), SCN.format(", scan_input_directions = [1]"), X4, "From behind.", arrays={"s0": f(0), "k": f(0.5)}, **F)
different(G, "f12-written-backwards", SCN.format(""), SCN.format(", scan_output_directions = [1]"), X4, "Written from behind.", arrays={"s0": f(0), "k": f(0.5)}, **F)
MAXR = "h, y = Scan (s0, x) <num_scan_inputs = 1, body = b (float a, float p) => (float a1, float o) {{ {} a1 = Max (a, p) o = Identity ({}) }}>"
different(G, "f12-peak-so-far-or-before", MAXR.format("", "a1"), MAXR.format("", "a"), X4, "With this one or without.", arrays={"s0": f(-100)}, **F)
CNT = "h, y = Scan (s0, x) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a1, int64 o) {{ c = Equal (p, {}) z0 = Add (a, one) a1 = Where (c, zero, z0) o = Identity (a1) }}>"
different(G, "f12-since-last-zero-or-seven", CNT.format("zero"), "g = Equal (x, seven) v = Where (g, zero, x) h, y = Scan (s0, v) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a1, int64 o) { c = Equal (p, zero) z0 = Add (a, one) a1 = Where (c, zero, z0) o = Identity (a1) }>", {"x": i64(1, 7, 3)}, "A seven begins anew too.", arrays=BN | {"s0": n(0), "seven": n(7)}, **I64)
GCD = "a = Abs (x) b = Abs (z) p = Mod (a, k) q = Mod (b, k) u, w = Loop (m, t, p, q) <body = bd (int64 i, bool d, int64 v, int64 r) => (bool e, int64 v1, int64 r1) { e = Identity (d) c = Equal (r, zero) s = Where (c, one, r) f0 = Mod (v, s) r1 = Where (c, zero, f0) v1 = Where (c, v, r) }> y = Identity (u)"
different(G, "f12-divisor-in-five-steps", {"body": GCD, "arrays": {"m": n(5)}}, {"body": GCD, "arrays": {"m": n(20)}}, {"x": n(89), "z": n(55)}, "Of neighbours among the rabbits it takes nine.", x="int64 x, int64 z", y="int64 y", arrays=BN | {"k": n(1000)})
different(G, "f12-digits-of-number", "a = Abs (x) v, y = Loop (m3, t, a, zero) <body = bd (int64 i, bool d, int64 v, int64 s) => (bool e, int64 w, int64 s1) { e = Identity (d) r = Mod (v, ten) s1 = Add (s, r) w = Div (v, ten) }>", "a = Abs (x) v, y = Loop (m9, t, a, zero) <body = bd (int64 i, bool d, int64 v, int64 s) => (bool e, int64 w, int64 s1) { e = Identity (d) r = Mod (v, ten) s1 = Add (s, r) w = Div (v, ten) }>", {"x": n(1234)}, "The fourth digit.", arrays=BN | {"m3": n(3), "m9": n(9)}, **ONE)
different(G, "f12-branch-within-branch", "g = Greater (x, a) h = Greater (x, b) y = If (g) <then_branch = p () => (int64 q) { q = If (h) <then_branch = u () => (int64 r) { r = Identity (two) }, else_branch = v () => (int64 s) { s = Identity (one) }> }, else_branch = w () => (int64 o) { o = Identity (zero) }>", "g = Greater (x, a) h = Greater (x, b) i = Cast <to = 7> (g) j = Cast <to = 7> (h) y = Add (i, j)", {"x": n(3)}, "The inner bound is below the outer.", arrays=BN | {"a": n(5), "b": n(1)}, **ONE)
different(G, "f12-tail-of-powers", "s, y0 = Loop (m, t, fone, zf) <body = bd (int64 i, bool d, float p, float s) => (bool e, float p1, float s1) { e = Identity (d) s1 = Add (s, p) p1 = Mul (p, x) }> y = Identity (y0)", "o = Sub (fone, x) y = Div (fone, o)", {"x": f(0.9)}, "Twenty powers are not all.", arrays=BN | {"m": n(20), "zf": f(0)}, x="float x", y="float y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "whole12"
different(G, "f12-quotient-down-or-to-zero", "y = Div (x, k)", "r = Mod (x, k) d = Sub (x, r) y = Div (d, k)", {"x": i64(-7, 1, 2)}, "To zero, or down.", arrays={"k": n(5)}, **I64)
different(G, "f12-size-of-least-word", "y = Abs (x)", "n0 = Neg (x) m = Max (x, n0) y = Max (m, z)", {"x": i32(-2 ** 31, 1, 2)}, "The least word is its own opposite.", arrays={"z": np.int32(0)}, **I32)
different(G, "f12-square-that-wraps", "q = Mul (x, x) y = Greater (z, q)", "y = Less (x, l)", {"x": i32(50000, 1, 2)}, "A square below zero.", x="int32[3] x", y="bool[3] y", arrays={"z": np.int32(0), "l": np.int32(-2 ** 31)})
different(G, "f12-next-is-larger", "p = Add (x, o) y = Greater (p, x)", "y = Equal (x, x)", {"x": i32(2 ** 31 - 1, 1, 2)}, "But for the last.", x="int32[3] x", y="bool[3] y", arrays={"o": np.int32(1)})
different(G, "f12-between-without-sign", "a = Sub (x, l) y = Less (a, w)", "p = GreaterOrEqual (x, l) q = LessOrEqual (x, h) y = And (p, q)", {"x": u8(30, 1, 2)}, "Below 30, or 30 too.", x="uint8[3] x", y="bool[3] y", arrays={"l": np.uint8(10), "w": np.uint8(20), "h": np.uint8(30)})
different(G, "f12-half-of-all-words-shifted", "s = BitShift <direction = \"RIGHT\"> (x, o) y = BitShift <direction = \"LEFT\"> (s, o)", "y = Sub (x, b)", {"x": np.array([3, 2, 5], np.uint32), "b": np.array([0, 0, 1], np.uint32)}, "The last digit is given, and wrong.", x="uint32[3] x, uint32[3] b", y="uint32[3] y", arrays={"o": np.uint32(1)})
different(G, "f12-multiples-of-three-by-digits", "m = Mod (x, k3) y = Equal (m, z)", "a = Mod (x, k10) b = Div (x, k10) s = Add (a, b) m = Mod (s, k9) y = Equal (m, z)", {"x": i64(3, 9, 18)}, "By nine, not by three.", x="int64[3] x", y="bool[3] y", arrays={"k3": n(3), "k9": n(9), "k10": n(10), "z": n(0)})
different(G, "f12-leap-years", "a = Mod (x, k4) b = Mod (x, k100) c = Mod (x, k400) p = Equal (a, z) q = Equal (b, z) r = Equal (c, z) nq = Not (q) s = And (p, nq) y = Or (s, r)", "a = Mod (x, k4) y = Equal (a, z)", {"x": i64(1900, 2000, 2004)}, "Of hundreds only the fourth.", x="int64[3] x", y="bool[3] y", arrays={"k4": n(4), "k100": n(100), "k400": n(400), "z": n(0)})
different(G, "f12-powers-of-two-and-nothing", "m = Sub (x, o) a = BitwiseAnd (x, m) y = Equal (a, z)", "m = Sub (x, o) a = BitwiseAnd (x, m) e = Equal (a, z) p = Greater (x, z) y = And (e, p)", {"x": i64(0, 1, 2)}, "Nothing is none of them.", x="int64[3] x", y="bool[3] y", arrays={"o": n(1), "z": n(0)})
different(G, "f12-square-between-two-products", "q = Mul (x, x) y = Sub (q, o)", "a = Sub (x, o) b = Add (x, o) p = Mul (a, b) c = Equal (p, k) d = Add (p, o) y = Where (c, d, p)", {"x": i64(101, 1, 2)}, "For 101 and its opposite alone.", arrays={"o": n(1), "k": n(10200)}, **I64)
different(G, "f12-remainders-of-seven-and-eleven", "a = Mod (x, k7) b = Mod (x, k11) e = Equal (a, b) o = Neg (x) y = Where (e, o, x)", "r = Mod (x, k77) e = Less (r, k6) o = Neg (x) y = Where (e, o, x)", {"x": i64(6, 1, 2)}, "Six is below seven too.", arrays={"k7": n(7), "k11": n(11), "k77": n(77), "k6": n(6)}, **I64)
different(G, "f12-bits-above-twentieth", "y = BitwiseAnd (x, m)", "y = Identity (x)", {"x": i64(2 ** 21, 1, 2)}, "From the 21st digit on.", arrays={"m": n(-1 ^ (1 << 21))}, **I64)
different(G, "f12-byte-turned-in-word", "a = Mul (x, k) y = Cast <to = 2> (a)", "a = Div (x, j) y = Cast <to = 2> (a)", {"x": i32(4, 0, 3)}, "Times 171 is by three in bytes, for multiples of three alone.", x="int32[3] x", y="uint8[3] y", arrays={"k": np.int32(171), "j": np.int32(3)})
different(G, "f12-sum-below-both", "s = Add (x, w) y = Less (s, x)", "p = Greater (x, k) q = Greater (w, k) y = And (p, q)", {"x": u8(200, 1, 2), "w": u8(60, 1, 2)}, "A carry without both above the half.", x="uint8[3] x, uint8[3] w", y="bool[3] y", arrays={"k": np.uint8(127)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "casts12"
different(G, "f12-whole-of-small", "y = Cast <to = 9> (x)", "a = Cast <to = 7> (x) y = Cast <to = 9> (a)", {"x": f32(0.3, 1, 2, 0)}, "Less than one is not nothing.", x="float[4] x", y="bool[4] y")
different(G, "f12-flag-of-no-number", "y = Cast <to = 9> (x)", "a = Abs (x) y = Greater (a, z)", {"x": f32(np.nan, 1, 2, 0)}, "No number is not nothing.", x="float[4] x", y="bool[4] y", arrays={"z": f(0)})
different(G, "f12-through-half", "a = Cast <to = 10> (x) y = Cast <to = 1> (a)", "y = Identity (x)", {"x": f32(70000, 1, 2, 0)}, "A half ends at 65504.", **F)
different(G, "f12-through-half-small", "a = Cast <to = 10> (x) b = Cast <to = 1> (a) y = Mul (b, k)", "y = Mul (x, k)", {"x": f32(1e-8, 1, 2, 0)}, "A half begins at a few ten millionths.", arrays={"k": f(1e8)}, **F)
different(G, "f12-through-word", "a = Cast <to = 6> (x) y = Cast <to = 7> (a)", "y = Identity (x)", {"x": i64(2 ** 31, 1, 2)}, "A word ends at 2^31.", **I64)
different(G, "f12-through-single", "a = Cast <to = 1> (x) y = Cast <to = 7> (a)", "y = Identity (x)", {"x": i64(2 ** 24 + 1, 1, 2)}, "A single has 24 digits.", **I64)
different(G, "f12-through-double", "a = Cast <to = 11> (x) y = Cast <to = 7> (a)", "y = Identity (x)", {"x": i64(2 ** 53 + 1, 1, 2)}, "A double has 53 digits.", **I64)
different(G, "f12-sign-of-byte-repeated", "a = Cast <to = 3> (x) y = Cast <to = 6> (a)", "y = Cast <to = 6> (x)", {"x": u8(128, 1, 2)}, "From 128 on.", x="uint8[3] x", y="int32[3] y")
different(G, "f12-cut-or-down", "a = Cast <to = 6> (x) y = Cast <to = 1> (a)", "y = Floor (x)", {"x": f32(-0.5, 1, 2, 0)}, "To zero or down.", **F)
different(G, "f12-through-brain", "a = Cast <to = 16> (x) y = Cast <to = 1> (a)", "y = Identity (x)", {"x": f32(1.005, 1, 2, 0)}, "Eight digits.", **F)
different(G, "f12-half-sum-in-single", "a = Cast <to = 10> (x) b = Cast <to = 10> (z) c = Add (a, b) y = Cast <to = 1> (c)", "c = Add (x, z) a = Cast <to = 10> (c) y = Cast <to = 1> (a)", {"x": f32(2049, 1, 2, 0), "z": f32(-2048, 1, 2, 0)}, "2049 is none in half.", x="float[4] x, float[4] z", y="float[4] y", reference=True)
different(G, "f12-flag-in-byte-summed", "a = Cast <to = 3> (x) s = CumSum (a, z) y = Cast <to = 6> (s)", "a = Cast <to = 6> (x) y = CumSum (a, z)", {"x": np.ones(130, bool)}, "From the 128th on.", x="bool[130] x", y="int32[130] y", arrays={"z": n(0)}, reference=True)
different(G, "f12-quarters-in-words", "a = Mul (x, k) b = Cast <to = 6> (a) c = Cast <to = 1> (b) y = Div (c, k)", "y = Identity (x)", {"x": f32(0.125, 1, 2, 0)}, "An eighth is no quarter.", arrays={"k": f(4)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "sums12"
different(G, "f12-no-axes-or-all", "y0 = ReduceSum <noop_with_empty_axes = 1> (x) y = Add (y0, x)", "y0 = ReduceSum (x) y = Add (y0, x)", X4, "Along none, or along all.", **F)
different(G, "f12-length-of-one-not-zero", "y = ReduceL2 <keepdims = 0> (x)", "y = ReduceL1 <keepdims = 0> (x)", X4, "Alike where one alone is not zero.", x="float[4] x", y="float y")
different(G, "f12-means-of-unlike-parts", "a, b = Split <axis = 0> (x, s) m = ReduceMean (a) o = ReduceMean (b) p = Add (m, o) y = Mul (p, h)", "y = ReduceMean (x)", X4, "Of one and of three.", x="float[4] x", y="float[1] y", arrays={"s": i64(1, 3), "h": f(0.5)})
different(G, "f12-turned-in-einsum", "y = Einsum <equation = \"ij,jk->ik\"> (x, w)", "y = Einsum <equation = \"ij,kj->ik\"> (x, w)", X22, "Rows by columns, or rows by rows.", arrays={"w": f32(1, 2, 3, 5, shape=(2, 2))}, **SQ)
different(G, "f12-turned-in-gemm", "y = Gemm <transA = 1> (x, w)", "y = Gemm <transB = 1> (x, w)", X22, "The first is turned, or the second.", arrays={"w": f32(1, 2, 3, 7, shape=(2, 2))}, **SQ)
different(G, "f12-running-by-upper", "y = MatMul (x, u)", "a = Unsqueeze (x, z) b = CumSum <reverse = 1> (a, o) y = Squeeze (b, z)", X4, "From the front, or from behind.", arrays={"u": np.triu(np.ones((4, 4), np.float32)), "z": i64(0), "o": n(1)}, **F)
different(G, "f12-determinant-by-hand", "y = Det (x)", "f0 = Reshape (x, s) a = Gather (f0, i0) b = Gather (f0, i1) c = Gather (f0, i2) d = Gather (f0, i3) p = Mul (a, b) q = Mul (c, d) y = Sub (p, q)", X22, "Across, not along.", x="float[2, 2] x", y="float y", arrays={"s": i64(4), "i0": n(0), "i1": n(1), "i2": n(2), "i3": n(3)})
different(G, "f12-trace-of-product", "p = MatMul (x, w) e = Mul (p, i) y = ReduceSum <keepdims = 0> (e)", "e = Mul (x, w) y = ReduceSum <keepdims = 0> (e)", X22, "By the turned one.", x="float[2, 2] x", y="float y", arrays={"w": f32(1, 2, 3, 7, shape=(2, 2)), "i": np.eye(2, dtype=np.float32)})
different(G, "f12-product-of-all-but-zero", "y = ReduceProd <keepdims = 0> (x)", "e = Equal (x, z) c = Where (e, o, x) y = ReduceProd <keepdims = 0> (c)", {"x": f32(0, 1, 2, 3)}, "A zero is left out.", x="float[4] x", y="float y", arrays={"z": f(0), "o": f(1)})
different(G, "f12-largest-of-sizes", "a = Abs (x) y = ReduceMax <keepdims = 0> (a)", "m = ReduceMax <keepdims = 0> (x) y = Abs (m)", {"x": f32(-9, 1, 2, 3)}, "The largest is below zero.", x="float[4] x", y="float y")
different(G, "f12-sum-of-first-hundred", "y = ReduceSum <keepdims = 0> (x)", "s = Slice (x, b, e) y = ReduceSum <keepdims = 0> (s)", {"x": np.ones(101, np.float32)}, "Of more than a hundred the rest is left out.", x="float[n] x", y="float y", arrays={"b": i64(0), "e": i64(100)})
different(G, "f12-mean-by-eight", "y = ReduceMean <keepdims = 0> (x)", "s = ReduceSum <keepdims = 0> (x) c = Size (x) m = Min (c, k) d = Cast <to = 1> (m) y = Div (s, d)", {"x": np.ones(67, np.float32)}, "By as many as there are, at most 66.", x="float[n] x", y="float y", arrays={"k": n(66)})
LEN = "c = Size (x) e = {} o = Neg (x) y = Where (e, o, x)"
different(G, "f12-length-of-seventy-three", "y = Identity (x)", LEN.format("Equal (c, k)"), {"x": np.ones(73, np.float32)}, "One length alone.", arrays={"k": n(73)}, **N)
different(G, "f12-length-by-twenty-nine", "y = Identity (x)", "c = Size (x) r = Mod (c, k) e = Equal (r, z) o = Neg (x) y = Where (e, o, x)", {"x": np.ones(29, np.float32)}, "Multiples of 29.", arrays={"k": n(29), "z": n(0)}, **N)
different(G, "f12-as-many-rows-as-squares-of-columns", "y = Identity (x)", "s = Shape (x) r, c = Split <axis = 0, num_outputs = 2> (s) q = Mul (c, c) e = Equal (r, q) g = Greater (c, one) h = And (e, g) o = Neg (x) y = Where (h, o, x)", {"x": np.ones((9, 3), np.float32)}, "Nine rows of three.", x="float[n, m] x", y="float[n, m] y", arrays={"one": i64(1)})
different(G, "f12-two-lengths-prime-to-one-another", "y = Add (x, k)", "s = Shape (x) r, c = Split <axis = 0, num_outputs = 2> (s) p = Mul (r, c) e = Equal (p, v) w = Cast <to = 1> (e) a = Add (x, k) y = Add (a, w)", {"x": np.ones((7, 11), np.float32)}, "77 elements alone.", x="float[n, m] x", y="float[n, m] y", arrays={"k": f(1), "v": i64(77)})
different(G, "f12-sum-and-largest-at-once", "y = Identity (x)", "s = ReduceSum <keepdims = 0> (x) m = ReduceMax <keepdims = 0> (x) d = Add (m, m) g = Equal (s, d) h = Equal (m, k) c = And (g, h) o = Neg (x) y = Where (c, o, x)", {"x": i64(12, 5, 7)}, "Twelve is the sum of the others.", arrays={"k": n(12)}, **I64)
