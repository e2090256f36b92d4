"""Equal pairs that look different: curves, windows, norms, places, steps in whole numbers, rounds, casts and sums."""
import numpy as np

from pair_models import equal, f, f32, i64, n, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
SMALL = FF | {"ranges": {"x": (-3.0, 3.0)}}
WIDE = (-2 ** 31, 2 ** 31 - 1)
FAR = (-2 ** 62, 2 ** 62)
I64 = dict(x="int64[4] x", y="int64[4] y", ranges={"x": FAR})
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": WIDE})
B64 = dict(x="int64[4] x", y="bool[4] y", ranges={"x": FAR})
U8 = dict(x="uint8[4] x", y="uint8[4] y", ranges={"x": (0, 255)})
TWO8 = dict(x="uint8[4] x, uint8[4] w", y="uint8[4] y", ranges={"x": (0, 255), "w": (0, 255)})
ONE = dict(x="int64 x", y="int64 y", ranges={"x": FAR})
SQ = dict(x="float[3, 3] x", y="float[3, 3] y", finite=True)
M24 = dict(x="float[2, 4] x", y="float[2, 4] y", finite=True)
L6 = dict(x="float[1, 1, 6] x", y="float[1, 1, k] y", finite=True)
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
G = "curves-alike12"
equal(G, "f12-hard-swish-by-gate", "y = HardSwish (x)", "a = Add (x, three) c = Clip (a, z, six) m = Mul (x, c) y = Div (m, six)", "A ramp of six, by six.", arrays={"three": f(3), "six": f(6), "z": f(0)}, **FF)
equal(G, "f12-sign-by-two-flags", "y = Sign (x)", "g = Greater (x, z) l = Less (x, z) a = Cast <to = 1> (g) b = Cast <to = 1> (l) y = Sub (a, b)", "Above less below.", arrays={"z": f(0)}, **FF)
equal(G, "f12-wave-by-gate", "y = Tanh (x)", "a = Add (x, x) s = Sigmoid (a) d = Add (s, s) y = Sub (d, o)", "A gate twice as steep.", arrays={"o": f(1)}, **FF)
equal(G, "f12-bounds-in-either-order", "a = Max (x, l) y = Min (a, h)", "a = Min (x, h) y = Max (a, l)", "Zero is below six.", arrays={"l": f(0), "h": f(6)}, **F)
equal(G, "f12-soft-ramps-of-opposites", "a = Softplus (x) m = Neg (x) b = Softplus (m) y = Sub (a, b)", "y = Identity (x)", "What is above less what is below.", **SMALL)
equal(G, "f12-elu-by-parts", "y = Elu <alpha = 1.5> (x)", "r = Relu (x) m = Min (x, z) e = Exp (m) d = Sub (e, o) c = Mul (d, k) y = Add (r, c)", "Below zero and above.", arrays={"z": f(0), "o": f(1), "k": f(1.5)}, **SMALL)
equal(G, "f12-bell-ramp-spelled-out", "y = Gelu (x)", "a = Mul (x, r) e = Erf (a) p = Add (e, o) m = Mul (x, p) y = Mul (m, h)", "By the error function.", opset=20, ir=9, arrays={"r": f(np.sqrt(0.5)), "o": f(1), "h": f(0.5)}, **SMALL)
equal(G, "f12-slopes-by-ramps", "y = PRelu (x, s)", "p = Relu (x) m = Neg (x) q = Relu (m) t = Mul (q, s) y = Sub (p, t)", "Two ramps.", arrays={"s": f32(0.5, 2, -1, 0)}, **FF)
equal(G, "f12-size-as-larger", "y = Abs (x)", "m = Neg (x) y = Max (x, m)", "The larger of both.", **F)
equal(G, "f12-up-is-down-turned", "y = Ceil (x)", "m = Neg (x) d = Floor (m) y = Neg (d)", "Turned over twice.", **F)
equal(G, "f12-quarter-later", "y = Cos (x)", "a = Add (x, q) y = Sin (a)", "A quarter later.", arrays={"q": f(np.pi / 2)}, **SMALL)
equal(G, "f12-threshold-by-choice", "y = ThresholdedRelu <alpha = 0.5> (x)", "l = LessOrEqual (x, h) y = Where (l, z, x)", "At the threshold nothing.", arrays={"h": f(0.5), "z": f(0)}, **FF)
equal(G, "f12-shrunk-by-ramps", "y = Shrink <lambd = 0.5, bias = 0.5> (x)", "c = Clip (x, l, h) y = Sub (x, c)", "What is left of what is held.", arrays={"l": f(-0.5), "h": f(0.5)}, **FF)
equal(G, "f12-leaky-as-larger", "y = LeakyRelu <alpha = 0.25> (x)", "q = Mul (x, k) y = Max (x, q)", "A quarter is smaller above and larger below.", arrays={"k": f(0.25)}, **F)
equal(G, "f12-cube-by-products", "y = Pow (x, three)", "q = Mul (x, x) y = Mul (q, x)", "Three times.", arrays={"three": f(3)}, **SMALL)
equal(G, "f12-logarithms-added", "c = Clip (x, l, h) d = Clip (z, l, h) a = Log (c) b = Log (d) y = Add (a, b)", "c = Clip (x, l, h) d = Clip (z, l, h) p = Mul (c, d) y = Log (p)", "Of the product.", x="float[4] x, float[4] z", y="float[4] y", finite=True, arrays={"l": f(0.5), "h": f(9)})
equal(G, "f12-gates-add-to-one", "a = Sigmoid (x) m = Neg (x) b = Sigmoid (m) p = Mul (a, z) q = Mul (b, w) y = Add (p, q)", "a = Sigmoid (x) d = Sub (z, w) m = Mul (a, d) y = Add (w, m)", "One gate is enough.", x="float[4] x, float[4] z, float[4] w", y="float[4] y", finite=True)
equal(G, "f12-polynomial-by-horner", "q = Mul (x, x) c = Mul (q, x) a = Mul (c, k2) b = Mul (q, k3) d = Mul (x, k5) s = Add (a, b) y = Add (s, d)", "a = Mul (x, k2) b = Add (a, k3) c = Mul (b, x) d = Add (c, k5) y = Mul (d, x)", "From the highest down.", arrays={"k2": f(2), "k3": f(3), "k5": f(5)}, **SMALL)
equal(G, "f12-nothing-is-left-of-ramps", "a = Relu (x) m = Neg (x) b = Relu (m) y = Mul (a, b)", "y = Sub (x, x)", "One of both is nothing.", **FF)

# ---------------------------------------------------------------------------------------------------------------------------
G = "windows-alike12"
CW = noise(3, 2, 1, seed=81)
equal(G, "f12-points-as-product", "y = Conv (x, w)", "t = Transpose <perm = [0, 2, 1]> (x) m = MatMul (t, v) y = Transpose <perm = [0, 2, 1]> (m)", "Points see channels alone.", x="float[1, 2, 5] x", y="float[1, 3, 5] y", finite=True, arrays={"w": CW, "v": CW[:, :, 0].T})
equal(G, "f12-steps-before-points", "y = Conv <strides = [2]> (x, w)", "s = Slice (x, b, e, a, t) y = Conv (s, w)", "Every second is looked at.", arrays={"w": f32(3, shape=(1, 1, 1)), "b": i64(0), "e": i64(6), "a": i64(2), "t": i64(2)}, **L6)
equal(G, "f12-mean-as-filter", "y = AveragePool <kernel_shape = [3]> (x)", "y = Conv (x, w)", "A third of each.", arrays={"w": np.full((1, 1, 3), 1 / 3, np.float32)}, **L6)
equal(G, "f12-peak-by-shifts", "y = MaxPool <kernel_shape = [2]> (x)", "a = Slice (x, z, m, t) b = Slice (x, o, l, t) y = Max (a, b)", "One against the next.", arrays={"z": i64(0), "o": i64(1), "m": i64(5), "l": i64(6), "t": i64(2)}, **L6)
equal(G, "f12-same-by-hand", "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2]> (x, w)", "y = Conv <pads = [0, 1], strides = [2]> (x, w)", "The odd one is behind.", arrays={"w": f32(1, 2, 4, shape=(1, 1, 3))}, **L6)
equal(G, "f12-gap-as-zero", "y = Conv <dilations = [2]> (x, w)", "y = Conv (x, v)", "A gap weighs nothing.", arrays={"w": f32(1, 2, shape=(1, 1, 2)), "v": f32(1, 0, 2, shape=(1, 1, 3))}, **L6)
GW = noise(4, 1, 2, seed=82)
equal(G, "f12-groups-apart", "y = Conv <group = 2> (x, w)", "a, b = Split <axis = 1, num_outputs = 2> (x) c = Conv (a, u) d = Conv (b, v) y = Concat <axis = 1> (c, d)", "Each group by itself.", x="float[1, 2, 5] x", y="float[1, 4, 4] y", finite=True, arrays={"w": GW, "u": GW[:2], "v": GW[2:]})
equal(G, "f12-groups-as-zeros", "y = Conv <group = 2> (x, w)", "y = Conv (x, v)", "The other group weighs nothing.", x="float[1, 2, 5] x", y="float[1, 4, 4] y", finite=True, arrays={"w": GW, "v": np.concatenate([np.concatenate([GW[:2], 0 * GW[:2]], 1), np.concatenate([0 * GW[2:], GW[2:]], 1)], 0)})
equal(G, "f12-depth-by-reshape", "y = DepthToSpace <blocksize = 2> (x)", "r = Reshape (x, s) t = Transpose <perm = [0, 3, 4, 1, 5, 2]> (r) y = Reshape (t, q)", "Blocks are axes.", x="float[1, 8, 2, 3] x", y="float[1, 2, 4, 6] y", arrays={"s": i64(1, 2, 2, 2, 2, 3), "q": i64(1, 2, 4, 6)})
equal(G, "f12-three-by-two-twos", "y = MaxPool <kernel_shape = [3]> (x)", "a = MaxPool <kernel_shape = [2]> (x) y = MaxPool <kernel_shape = [2]> (a)", "Two and two see three.", **L6)
equal(G, "f12-doubled-by-copies", "y = Resize <mode = \"nearest\"> (x, , u)", "a = Unsqueeze (x, t) b = Expand (a, e) y = Reshape (b, s)", "Each twice.", x="float[1, 1, 6] x", y="float[1, 1, 12] y", arrays={"u": f32(1, 1, 2), "t": i64(3), "e": i64(1, 1, 6, 2), "s": i64(1, 1, 12)})
equal(G, "f12-mirror-by-slices", "y = Pad <mode = \"reflect\"> (x, p)", "a = Slice (x, two, z, t, m) b = Concat <axis = 2> (a, x) y = Identity (b)", "The second and third in front, turned about.", x="float[1, 1, 6] x", y="float[1, 1, 8] y", arrays={"p": i64(0, 0, 2, 0, 0, 0), "two": i64(2), "z": i64(0), "t": i64(2), "m": i64(-1)})
equal(G, "f12-mean-with-border-counted", "y = AveragePool <kernel_shape = [3], pads = [1, 1], count_include_pad = 1> (x)", "p = Pad (x, q) y = AveragePool <kernel_shape = [3]> (p)", "A border is zeros.", arrays={"q": i64(0, 0, 1, 0, 0, 1)}, **L6)
equal(G, "f12-peak-rounded-up", "y = MaxPool <kernel_shape = [4], strides = [4], ceil_mode = 1> (x)", "y = MaxPool <kernel_shape = [4], strides = [4], pads = [0, 2]> (x)", "What is missing is never the largest.", **L6)
equal(G, "f12-sizes-in-window", "y = LpPool <kernel_shape = [2], p = 1> (x)", "a = Abs (x) m = AveragePool <kernel_shape = [2]> (a) y = Add (m, m)", "Twice the mean of two.", **L6)
equal(G, "f12-middle-of-enlarged", "y = Resize <mode = \"linear\", coordinate_transformation_mode = \"align_corners\"> (x, , , s)", "a, b = Split <axis = 2, num_outputs = 2> (x) c = Add (a, b) m = Mul (c, h) y = Concat <axis = 2> (a, m, b)", "Between both their mean.", x="float[1, 1, 2] x", y="float[1, 1, 3] y", finite=True, arrays={"s": i64(1, 1, 3), "h": f(0.5)})
equal(G, "f12-spread-out-with-zeros", "y = ConvTranspose <strides = [2]> (x, w)", "u = Unsqueeze (x, t) p = Pad (u, q) r = Reshape (p, s) y = Conv <pads = [2, 1]> (r, v)", "Zeros between, the filter turned.", x="float[1, 1, 3] x", y="float[1, 1, 7] y", finite=True, arrays={"w": f32(1, 2, 4, shape=(1, 1, 3)), "v": f32(4, 2, 1, shape=(1, 1, 3)), "t": i64(3), "q": i64(0, 0, 0, 0, 0, 0, 0, 1), "s": i64(1, 1, 6)})
equal(G, "f12-norm-into-filter", "c = Conv (x, w) y = BatchNormalization <epsilon = 0.0> (c, s, b, m, v)", "y = Conv (x, w2, b2)", "Factor and shift of each filter.", x="float[1, 2, 5] x", y="float[1, 3, 5] y", finite=True, arrays={"w": CW, "s": f32(1, 2, 3), "b": f32(0, 1, 2), "m": f32(1, 0, 2), "v": f32(4, 1, 0.25), "w2": CW * f32(0.5, 2, 6, shape=(3, 1, 1)), "b2": f32(-0.5, 1, -10)})
equal(G, "f12-filters-added", "a = Conv (x, w) b = Conv (x, v) y = Add (a, b)", "y = Conv (x, u)", "One filter of both.", x="float[1, 2, 5] x", y="float[1, 3, 5] y", finite=True, arrays={"w": CW, "v": CW[::-1].copy(), "u": CW + CW[::-1]})

# ---------------------------------------------------------------------------------------------------------------------------
G = "norms-alike12"
equal(G, "f12-norm-by-hand", "y = LayerNormalization <epsilon = 0.01> (x, g)", "m = ReduceMean (x, a) d = Sub (x, m) q = Mul (d, d) v = ReduceMean (q, a) e = Add (v, p) r = Sqrt (e) s = Div (d, r) y = Mul (s, g)", "As it is defined.", arrays={"g": f32(1, 2, 0.5, -1), "a": i64(1), "p": f(0.01)}, **M24)
equal(G, "f12-channels-as-rows", "y = InstanceNormalization (x, s, b)", "y = LayerNormalization <axis = -1> (x, t)", "Each channel is a row.", x="float[1, 2, 3] x", y="float[1, 2, 3] y", finite=True, arrays={"s": f32(1, 1), "b": f32(0, 0), "t": f32(1, 1, 1)})
equal(G, "f12-share-less-smallest", "y = Softmax (x)", "m = ReduceMin (x) d = Sub (x, m) e = Exp (d) s = ReduceSum (e) y = Div (e, s)", "Whatever is taken off.", **SMALL)
equal(G, "f12-logarithm-of-share-by-sum", "y = LogSoftmax (x)", "s = ReduceLogSumExp (x) y = Sub (x, s)", "Less the soft maximum.", **FF)
equal(G, "f12-two-shares-by-gate", "y = Softmax (x)", "a, b = Split <axis = 1, num_outputs = 2> (x) d = Sub (a, b) p = Sigmoid (d) m = Neg (d) q = Sigmoid (m) y = Concat <axis = 1> (p, q)", "Of two the share is a gate.", x="float[3, 2] x", y="float[3, 2] y", finite=True)
equal(G, "f12-length-by-root", "y = LpNormalization <axis = 1> (x)", "q = ReduceSumSquare (x, a) r = Sqrt (q) y = Div (x, r)", "Divided by the length.", arrays={"a": i64(1)}, **M24)
equal(G, "f12-root-norm-by-length", "q = Mul (x, x) m = ReduceMean (q, a) r = Sqrt (m) y = Div (x, r)", "u = LpNormalization <axis = 1> (x) y = Add (u, u)", "Of four the root is half the length.", arrays={"a": i64(1)}, **M24)
equal(G, "f12-first-largest-as-flags", "y = Hardmax <axis = 1> (x)", "i = ArgMax <axis = 1, keepdims = 0> (x) y = OneHot <axis = -1> (i, d, v)", "The place of the first.", arrays={"d": n(4), "v": f32(0, 1)}, **M24)
DIS = (np.arange(4)[None, :] - np.arange(4)[:, None]).astype(np.float32)
LOW = np.triu(np.full((4, 4), -1e9, np.float32), 1)
equal(G, "f12-distance-under-mask", "z = Add (x, u) m = Add (z, l) y = Softmax (m)", "z = Sub (x, v) m = Add (z, l) y = Softmax (m)", "Under the mask all is before.", x="float[4, 4] x", y="float[4, 4] y", finite=True, arrays={"u": DIS, "v": np.abs(DIS), "l": LOW})
equal(G, "f12-distance-by-place-of-key", "z = Add (x, u) y = Softmax (z)", "z = Add (x, k) y = Softmax (z)", "The place of the query is the same for all keys.", x="float[4, 4] x", y="float[4, 4] y", finite=True, arrays={"u": DIS, "k": f32(0, 1, 2, 3)})
equal(G, "f12-shares-in-two-parts", "p = Softmax (x) y = MatMul (p, w)", "a, b = Split <axis = 1, num_outputs = 2> (x) wa, wb = Split <axis = 0, num_outputs = 2> (w) ea = Exp (a) eb = Exp (b) sa = ReduceSum (ea, one) sb = ReduceSum (eb, one) va = MatMul (ea, wa) vb = MatMul (eb, wb) v = Add (va, vb) s = Add (sa, sb) y = Div (v, s)", "Sums of both parts.", x="float[2, 4] x", y="float[2, 3] y", finite=True, ranges={"x": (-3.0, 3.0)}, arrays={"w": noise(4, 3, seed=83), "one": i64(1)})
C1, S1 = np.cos(ramp(3, 2, shift=0.5)), np.sin(ramp(3, 2, shift=0.5))
ROT = "a, b = Split <axis = 1, num_outputs = 2> (x) ac = Mul (a, c{0}) bs = Mul (b, s{0}) d = Sub (ac, bs) p = Mul (a, s{0}) q = Mul (b, c{0}) e = Add (p, q) "
equal(G, "f12-turned-twice-or-by-double", ROT.format("") + "dc = Mul (d, c) es = Mul (e, s) d2 = Sub (dc, es) ds = Mul (d, s) ec = Mul (e, c) e2 = Add (ds, ec) y = Concat <axis = 1> (d2, e2)", ROT.format("2") + "y = Concat <axis = 1> (d, e)", "Angles add.", x="float[3, 4] x", y="float[3, 4] y", finite=True, arrays={"c": C1, "s": S1, "c2": C1 * C1 - S1 * S1, "s2": 2 * S1 * C1})
equal(G, "f12-neighbours-by-filter", "y = LRN <size = 3, alpha = 3.0, beta = 1.0> (x)", "q = Mul (x, x) s = Conv (q, w) d = Add (s, o) y = Div (x, d)", "Sums over neighbouring channels.", x="float[1, 3, 2, 1] x", y="float[1, 3, 2, 1] y", finite=True, arrays={"w": f32(1, 1, 0, 1, 1, 1, 0, 1, 1, shape=(3, 3, 1, 1)), "o": f(1)})
equal(G, "f12-standard-by-factor", "y = BatchNormalization <epsilon = 0.0> (x, s, b, m, v)", "a = Mul (x, k) y = Add (a, c)", "A factor and a shift for each.", x="float[2, 3] x", y="float[2, 3] y", finite=True, arrays={"s": f32(1, 2, 3), "b": f32(0, 1, 2), "m": f32(1, 0, 2), "v": f32(4, 1, 0.25), "k": f32(0.5, 2, 6), "c": f32(-0.5, 1, -10)})
equal(G, "f12-centred-norm-again", "m = ReduceMean (x, a) d = Sub (x, m) y = LayerNormalization (d, g)", "y = LayerNormalization (x, g)", "It centres anyway.", arrays={"g": f32(1, 2, 0.5, -1), "a": i64(1)}, **M24)
equal(G, "f12-scaled-keys-or-queries", "k = Mul (x, c) t = Transpose (k) s = MatMul (x, t) y = Softmax (s)", "q = Mul (x, c) t = Transpose (x) s = MatMul (q, t) y = Softmax (s)", "Each feature is weighed once.", arrays={"c": f32(0.5, 2, -1)}, **SQ)

# ---------------------------------------------------------------------------------------------------------------------------
G = "places-alike12"
equal(G, "f12-flags-by-comparison", "y = OneHot <axis = -1> (x, d, v)", "u = Unsqueeze (x, a) e = Equal (u, r) y = Cast <to = 1> (e)", "From the front.", x="int64[4] x", y="float[4, 5] y", ranges={"x": (0, 9)}, arrays={"d": n(5), "v": f32(0, 1), "a": i64(1), "r": i64(0, 1, 2, 3, 4)})
TAB = ramp(5, 2, shift=1.0)
equal(G, "f12-row-by-product", "m = Mod (x, k) y = Gather (w, m)", "m = Mod (x, k) o = OneHot <axis = -1> (m, k, v) y = MatMul (o, w)", "A row of flags picks one.", x="int64[4] x", y="float[4, 2] y", ranges={"x": FAR}, arrays={"k": n(5), "v": f32(0, 1), "w": TAB})
equal(G, "f12-in-order-from-either-end", "y, i = TopK <axis = 0> (x, k)", "a, i = TopK <axis = 0, largest = 0> (x, k) y = Slice (a, b, e, z, m)", "Turned about.", x="int32[4] x", y="int32[4] y", ranges={"x": (-3, 3)}, arrays={"k": i64(4), "b": i64(3), "e": i64(-9), "z": i64(0), "m": i64(-1)})
equal(G, "f12-running-from-behind", "y = CumSum <reverse = 1> (x, z)", "s = ReduceSum (x) a = CumSum <exclusive = 1> (x, z) y = Sub (s, a)", "All less what comes before.", arrays={"z": n(0)}, x="int64[4] x", y="int64[4] y", ranges={"x": (-2 ** 40, 2 ** 40)})
equal(G, "f12-running-by-triangle", "y = CumSum (x, z)", "y = MatMul (x, u)", "All up to here.", arrays={"z": n(0), "u": np.triu(np.ones((4, 4), np.float32))}, **FF)
equal(G, "f12-running-before-by-shift", "y = CumSum <exclusive = 1> (x, z)", "a = CumSum (x, z) b = Slice (a, s, e) c = Sub (b, b) d = Slice (c, s, o) y = Concat <axis = 0> (d, b)", "One further.", arrays={"z": n(0), "s": i64(0), "e": i64(3), "o": i64(1)}, **I64)
equal(G, "f12-place-from-behind", "m = Mod (x, k) d = Sub (m, k) y = Gather (w, d)", "m = Mod (x, k) y = Gather (w, m)", "From behind it is the same.", x="int64[4] x", y="float[4, 2] y", ranges={"x": FAR}, arrays={"k": n(5), "w": TAB})
equal(G, "f12-added-by-product", "m = Mod (x, k) y = ScatterElements <reduction = \"add\"> (z, m, u)", "m = Mod (x, k) o = OneHot <axis = 0> (m, k, v) p = Mul (o, u) y = ReduceSum <keepdims = 0> (p, a)", "Each place sums what is meant for it.", x="int64[4] x", y="float[5] y", ranges={"x": FAR}, arrays={"k": n(5), "z": f32(0, 0, 0, 0, 0), "u": f32(1, 2, 4, 8), "v": f32(0, 1), "a": i64(1)})
equal(G, "f12-once-each-and-back", "u, f0, i, c = Unique (x) y = Gather (u, i)", "y = Identity (x)", "Each knows which it is.", x="int64[4] x", y="int64[4] y", ranges={"x": (-2, 2)})
equal(G, "f12-diagonal-by-places", "e = EyeLike (x) y = Mul (e, x)", "a = Trilu <upper = 1> (x) y = Trilu <upper = 0> (a)", "What is in both triangles.", **SQ)
equal(G, "f12-triangles-and-diagonal", "a = Trilu <upper = 1> (x) b = Trilu <upper = 0> (x) s = Add (a, b) y = Sub (s, x)", "e = EyeLike (x) y = Mul (e, x)", "The diagonal is in both.", **SQ)
equal(G, "f12-found-where-true", "c = Greater (x, z) y = Compress (x, c)", "c = Greater (x, z) i = NonZero (c) s = Squeeze (i, a) y = Gather (x, s)", "Their places.", x="int64[4] x", y="int64[k] y", ranges={"x": (-3, 3)}, arrays={"z": n(0), "a": i64(0)})
equal(G, "f12-first-place-of-largest", "y = ArgMax <axis = 0, keepdims = 0> (x)", "m = ReduceMax (x) e = Equal (x, m) p = Where (e, r, k) y = ReduceMin <keepdims = 0> (p)", "The least of their places.", x="int32[4] x", y="int64 y", ranges={"x": (-2, 2)}, arrays={"r": i64(0, 1, 2, 3), "k": i64(9)})
equal(G, "f12-middle-of-three", "v, i = TopK <axis = 0> (x, k) y = Slice (v, o, k)", "a, b, c = Split <axis = 0, num_outputs = 3> (x) l = Min (a, b) h = Max (a, b) m = Min (h, c) y = Max (l, m)", "Above the lesser, below the larger.", x="int32[3] x", y="int32[1] y", ranges={"x": (-4, 4)}, arrays={"k": i64(2), "o": i64(1)})
equal(G, "f12-round-by-one", "a = Slice (x, o, l) b = Slice (x, z, o) y = Concat <axis = 0> (a, b)", "y = Gather (x, i)", "The first behind the last.", x="float[4] x", y="float[4] y", arrays={"z": i64(0), "o": i64(1), "l": i64(9), "i": i64(1, 2, 3, 0)})
equal(G, "f12-turned-by-lengths", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", "s = Slice (x, m, e, a, m) y = Identity (s)", "Of full length all are turned.", x="float[2, 4] x", y="float[2, 4] y", arrays={"l": i64(4, 4), "m": i64(-1), "e": i64(-9), "a": i64(1)})
equal(G, "f12-rows-by-pairs-of-places", "y = GatherElements <axis = 0> (x, i)", "y = GatherND (x, j)", "Rows and their columns.", x="float[3, 2] x", y="float[2, 2] y", arrays={"i": i64(2, 0, 1, 1, shape=(2, 2)), "j": i64(2, 0, 0, 1, 1, 0, 1, 1, shape=(2, 2, 2))})
equal(G, "f12-split-as-slices", "a, b = Split <axis = 0, num_outputs = 2> (x) y = Concat <axis = 0> (b, a)", "b = Slice (x, k3, k5) a = Slice (x, k0, k3) y = Concat <axis = 0> (b, a)", "Three and two.", x="float[5] x", y="float[5] y", arrays={"k0": i64(0), "k3": i64(3), "k5": i64(5)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "whole-alike12"
equal(G, "f12-quantised-by-hand", "y = QuantizeLinear (x, s, z)", "m = Mul (x, two) r = Round (m) a = Add (r, k) c = Clip (a, lo, hi) y = Cast <to = 2> (c)", "Twice, rounded, shifted, held.", x="float[4] x", y="uint8[4] y", finite=True, arrays={"s": f(0.5), "z": np.uint8(7), "two": f(2), "k": f(7), "lo": f(0), "hi": f(255)})
equal(G, "f12-zero-points-multiplied-out", "y = MatMulInteger (x, w, p, q)", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) c = Sub (a, p32) d = Sub (b, q32) y = MatMul (c, d)", "Taken off before.", x="uint8[2, 3] x", y="int32[2, 2] y", ranges={"x": (0, 255)}, arrays={"w": np.arange(6, dtype=np.uint8).reshape(3, 2) * 40, "p": np.uint8(9), "q": np.uint8(100), "p32": np.int32(9), "q32": np.int32(100)})
equal(G, "f12-zero-point-around", "y = ConvInteger <pads = [1, 0]> (x, w, p)", "b = Pad (x, q, p) y = ConvInteger (b, w, p)", "The border is the zero point.", x="uint8[1, 1, 4] x", y="int32[1, 1, 4] y", ranges={"x": (0, 255)}, arrays={"w": np.array([1, 2], np.uint8).reshape(1, 1, 2), "p": np.uint8(3), "q": i64(0, 0, 1, 0, 0, 0)}, reference=True)
equal(G, "f12-mean-without-carry", "a = BitwiseAnd (x, w) b = BitwiseXor (x, w) c = BitShift <direction = \"RIGHT\"> (b, o) y = Add (a, c)", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) s = Add (a, b) d = Div (s, two) y = Cast <to = 2> (d)", "Common digits and half of the others.", arrays={"o": np.uint8(1), "two": np.int32(2)}, **TWO8)
equal(G, "f12-held-sum-of-bytes", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) s = Add (a, b) c = Min (s, k) y = Cast <to = 2> (c)", "r = Sub (top, x) m = Min (w, r) y = Add (x, m)", "No more than there is room for.", arrays={"k": np.int32(255), "top": np.uint8(255)}, **TWO8)
equal(G, "f12-gap-of-bytes", "h = Max (x, w) l = Min (x, w) y = Sub (h, l)", "g = Greater (x, w) a = Sub (x, w) b = Sub (w, x) y = Where (g, a, b)", "The larger less the smaller.", **TWO8)
equal(G, "f12-quotient-down", "q = Div (x, k) m = Mul (q, k) r = Sub (x, m) l = Less (r, z) c = Cast <to = 7> (l) y = Sub (q, c)", "r = Mod (x, k) d = Sub (x, r) y = Div (d, k)", "To zero, and one less below.", arrays={"k": n(5), "z": n(0)}, **I64)
equal(G, "f12-digits-in-sum", "s = Add (x, k) y = Sub (s, x)", "a = BitwiseXor (x, k) b = BitwiseAnd (x, k) c = Add (b, b) s = Add (a, c) y = Sub (s, x)", "Digits that differ, and carries.", arrays={"k": n(123456789)}, **I64)
equal(G, "f12-size-by-mask", "y = Abs (x)", "l = Less (x, z) c = Cast <to = 6> (l) m = Neg (c) a = BitwiseXor (x, m) y = Sub (a, m)", "All ones below zero.", arrays={"z": np.int32(0)}, **I32)
equal(G, "f12-neighbours-are-even", "p = Add (x, o) m = Mul (x, p) y = BitwiseAnd (m, o)", "y = Sub (x, x)", "One of two neighbours is even.", arrays={"o": n(1)}, **I64)
equal(G, "f12-leap-years-two-ways", "a = Mod (x, k4) b = Mod (x, k100) c = Mod (x, k400) p = Equal (a, z) q = Equal (b, z) r = Equal (c, z) nq = Not (q) s = And (p, nq) y = Or (s, r)", "b = Mod (x, k100) q = Equal (b, z) k = Where (q, k400, k4) m = Mod (x, k) y = Equal (m, z)", "Hundreds by four hundred, others by four.", arrays={"k4": n(4), "k100": n(100), "k400": n(400), "z": n(0)}, x="int64[4] x", y="bool[4] y", ranges={"x": (0, 4000)})
equal(G, "f12-third-by-inverse", "m = Mul (x, three) y = Mul (m, k)", "y = Identity (x)", "171 undoes three in bytes.", arrays={"three": np.uint8(3), "k": np.uint8(171)}, **U8)
equal(G, "f12-half-range-further-in-order", "a = Add (x, k) b = Add (w, k) y = Less (a, b)", "c = Cast <to = 3> (x) d = Cast <to = 3> (w) y = Less (c, d)", "Half of all bytes further is with a sign.", arrays={"k": np.uint8(128)}, x="uint8[4] x, uint8[4] w", y="bool[4] y", ranges={"x": (0, 255), "w": (0, 255)})
equal(G, "f12-difference-of-squares", "a = Add (x, k) b = Sub (x, k) y = Mul (a, b)", "q = Mul (x, x) y = Sub (q, k2)", "Although both wrap.", arrays={"k": n(101), "k2": n(10201)}, **I64)
equal(G, "f12-third-and-sevenths", "a = Mod (x, k3) b = Mod (x, k7) e = Mul (a, k7) g = Mul (b, k15) s = Add (e, g) y = Mod (s, k21)", "y = Mod (x, k21)", "Remainders put together.", arrays={"k3": n(3), "k7": n(7), "k15": n(15), "k21": n(21)}, **I64)

# ---------------------------------------------------------------------------------------------------------------------------
G = "rounds-alike12"
BN = {"t": T, "one": n(1), "two": n(2), "zero": n(0), "ten": n(10)}
FIBS = [0, 1]
while len(FIBS) < 12:
    FIBS.append(FIBS[-1] + FIBS[-2])
equal(G, "f12-rabbits-by-table", "a = Abs (x) m = Mod (a, ten) y, p = Loop (m, t, zero, one) <body = bd (int64 i, bool d, int64 u, int64 v) => (bool e, int64 u1, int64 v1) { e = Identity (d) u1 = Identity (v) v1 = Add (u, v) }>", "a = Abs (x) m = Mod (a, ten) y = Gather (w, m)", "Ten of them.", arrays=BN | {"w": i64(*FIBS)}, **ONE)
SWP = "y, p = Loop (m, t, x, z) <body = bd (int64 i, bool d, float[4] u, float[4] v) => (bool e, float[4] u1, float[4] v1) { e = Identity (d) u1 = Identity (v) v1 = Identity (u) }>"
equal(G, "f12-exchanged-eight-times", {"body": SWP, "arrays": {"m": n(8)}}, {"body": "y = Identity (x)"}, "An even number of times.", x="float[4] x, float[4] z", y="float[4] y", arrays={"t": T})
SCN = "h, o = Scan (s0, {}) <num_scan_inputs = 1{}, body = b (float a, float p) => (float a1, float o1) {{ m = Mul (a, k) a1 = Add (m, p) o1 = Identity (a1) }}>"
equal(G, "f12-backwards-in-and-out", SCN.format("x", ", scan_input_directions = [1], scan_output_directions = [1]") + " y = Identity (o)", "r = Slice (x, m1, m9, z0, m1) " + SCN.format("r", "") + " y = Slice (o, m1, m9, z0, m1)", "Turned before and behind.", arrays={"s0": f(0), "k": f(0.5), "m1": i64(-1), "m9": i64(-9), "z0": i64(0)}, **FF)
equal(G, "f12-scan-by-powers", SCN.format("x", "") + " y = Identity (o)", "y = MatMul (x, u)", "Each by a half for every step.", arrays={"s0": f(0), "k": f(0.5), "u": np.array([[0.5 ** (j - i) if j >= i else 0 for j in range(4)] for i in range(4)], np.float32)}, **FF)
equal(G, "f12-power-by-squares", "p = Loop (m, t, one) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) w = Mul (v, x) }> y = Identity (p)", "a = Mul (x, x) b = Mul (a, a) c = Mul (b, b) d = Mul (c, b) y = Mul (d, x)", "Thirteen is eight and four and one.", arrays=BN | {"m": n(13)}, **ONE)
GCD = "a = Abs (x) b = Abs (z) p = Mod (a, k) q = Mod (b, k) u, w = Loop (m, t, p, q) <body = bd (int64 i, bool d, int64 v, int64 r) => (bool e, int64 v1, int64 r1) { e = Identity (d) c = Equal (r, zero) s = Where (c, one, r) f0 = Mod (v, s) r1 = Where (c, zero, f0) v1 = Where (c, v, r) }> y = Identity (u)"
equal(G, "f12-divisor-of-small", {"body": GCD, "arrays": {"m": n(8)}}, {"body": GCD, "arrays": {"m": n(30)}}, "Below thirty eight steps are enough.", x="int64 x, int64 z", y="int64 y", ranges={"x": FAR, "z": FAR}, arrays=BN | {"k": n(30)})
equal(G, "f12-ones-of-small-by-table", "a = Abs (x) b = Mod (a, k) v, y = Loop (m, t, b, zero) <body = bd (int64 i, bool d, int64 v, int64 s) => (bool e, int64 w, int64 s1) { e = Identity (d) r = Mod (v, two) s1 = Add (s, r) w = Div (v, two) }>", "a = Abs (x) b = Mod (a, k) y = Gather (tab, b)", "Of numbers below 64.", arrays=BN | {"k": n(64), "m": n(6), "tab": i64(*[bin(i).count("1") for i in range(64)])}, **ONE)
equal(G, "f12-branches-alike", "y = If (c) <then_branch = a () => (int64[4] q) { s = Sub (x, k) q = Neg (s) }, else_branch = b () => (int64[4] r) { r = Sub (k, x) }>", "y = Sub (k, x)", "Either way.", arrays={"k": n(9)}, x="int64[4] x, bool c", y="int64[4] y", ranges={"x": FAR})
equal(G, "f12-counts-its-rounds", "a = Abs (x) m = Mod (a, ten) y = Loop (m, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) j = Add (i, i) k = Add (j, one) w = Add (v, k) }>", "a = Abs (x) m = Mod (a, ten) y = Mul (m, m)", "Odd numbers add to squares.", arrays=BN, **ONE)
equal(G, "f12-peak-so-far-by-columns", "h, y = Scan (s0, x) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a1, int64 o) { a1 = Max (a, p) o = Identity (a1) }>", "p = Unsqueeze (x, k1) c = Where (u, p, low) y = ReduceMax <keepdims = 0> (c, k0)", "The largest of all up to here.", arrays={"s0": n(-2 ** 63), "low": n(-2 ** 63), "u": np.triu(np.ones((4, 4), bool)), "k1": i64(1), "k0": i64(0)}, **I64)
equal(G, "f12-doubling-until-above", "a = Abs (x) b = Mod (a, ten) c = Add (b, one) g = Identity (t) y = Loop (m, g, c) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, v) e = Less (w, k) }>", "a = Abs (x) b = Mod (a, ten) y = Gather (tab, b)", "Ten starts, ten ends.", arrays=BN | {"m": n(20), "k": n(100), "tab": i64(128, 128, 192, 128, 160, 192, 112, 128, 144, 160)}, **ONE)

# ---------------------------------------------------------------------------------------------------------------------------
G = "sums-alike12"
equal(G, "f12-byte-through-half", "a = Cast <to = 10> (x) y = Cast <to = 2> (a)", "y = Identity (x)", "A half holds all bytes.", **U8)
equal(G, "f12-single-through-double", "a = Cast <to = 11> (x) b = Neg (a) y = Cast <to = 1> (b)", "y = Neg (x)", "A double holds all singles.", **F)
equal(G, "f12-sign-of-byte-twice", "a = Cast <to = 3> (x) b = Cast <to = 5> (a) y = Cast <to = 2> (b)", "y = Identity (x)", "The last eight digits stay.", **U8)
equal(G, "f12-odd-one-out-of-flags", "y = Xor (x, z)", "a = Cast <to = 6> (x) b = Cast <to = 6> (z) s = Add (a, b) y = Equal (s, o)", "One of two.", x="bool[4] x, bool[4] z", y="bool[4] y", arrays={"o": np.int32(1)})
equal(G, "f12-most-of-three-flags", "a = And (x, z) b = Or (x, z) c = And (b, w) y = Or (a, c)", "p = Cast <to = 6> (x) q = Cast <to = 6> (z) r = Cast <to = 6> (w) s = Add (p, q) u = Add (s, r) y = Greater (u, o)", "Two or three.", x="bool[4] x, bool[4] z, bool[4] w", y="bool[4] y", arrays={"o": np.int32(1)})
W3 = noise(3, 3, seed=84)
equal(G, "f12-einsum-turned", "y = Einsum <equation = \"ij,kj->ik\"> (x, w)", "t = Transpose (w) y = MatMul (x, t)", "Rows by rows.", arrays={"w": W3}, **SQ)
equal(G, "f12-trace-two-ways", "p = MatMul (x, w) e = Mul (p, i) y = ReduceSum <keepdims = 0> (e)", "t = Transpose (w) e = Mul (x, t) y = ReduceSum <keepdims = 0> (e)", "Diagonal of a product.", x="float[3, 3] x", y="float y", finite=True, arrays={"w": W3, "i": np.eye(3, dtype=np.float32)})
equal(G, "f12-determinant-along", "y = Det (x)", "f0 = Reshape (x, s) a, b, c, d = Split <axis = 0, num_outputs = 4> (f0) p = Mul (a, d) q = Mul (b, c) r = Sub (p, q) y = Squeeze (r, z)", "Down less up.", x="float[2, 2] x", y="float y", finite=True, arrays={"s": i64(4), "z": i64(0)})
equal(G, "f12-soft-sum-of-parts", "y = ReduceLogSumExp <keepdims = 0> (x)", "a, b = Split <axis = 0, num_outputs = 2> (x) c = ReduceLogSumExp (a) d = ReduceLogSumExp (b) e = Concat <axis = 0> (c, d) y = ReduceLogSumExp <keepdims = 0> (e)", "Of soft maxima.", x="float[4] x", y="float y", finite=True)
equal(G, "f12-weighed-means", "y = ReduceMean (x)", "a, b = Split <axis = 0> (x, s) m = ReduceMean (a) o = ReduceMean (b) p = Mul (m, q1) r = Mul (o, q3) y = Add (p, r)", "A quarter and three.", x="float[4] x", y="float[1] y", finite=True, arrays={"s": i64(1, 3), "q1": f(0.25), "q3": f(0.75)})
equal(G, "f12-product-by-rows", "y = MatMul (x, w)", "a, b, c = Split <axis = 1, num_outputs = 3> (x) p = Mul (a, w0) q = Mul (b, w1) r = Mul (c, w2) s = Add (p, q) y = Add (s, r)", "Columns times rows.", arrays={"w": W3, "w0": W3[:1], "w1": W3[1:2], "w2": W3[2:]}, **SQ)
equal(G, "f12-gemm-of-turned", "y = Gemm <transA = 1, transB = 1> (x, w)", "p = MatMul (w, x) y = Transpose (p)", "Turned as a whole.", arrays={"w": W3}, **SQ)
equal(G, "f12-distances-by-products", "a = Unsqueeze (x, k1) b = Unsqueeze (x, k0) d = Sub (a, b) q = Mul (d, d) y = ReduceSum <keepdims = 0> (q, k2)", "q = Mul (x, x) r = ReduceSum (q, k1) c = Transpose (r) t = Transpose (x) p = MatMul (x, t) s = Add (r, c) p2 = Add (p, p) y = Sub (s, p2)", "Squares less twice the product.", arrays={"k0": i64(0), "k1": i64(1), "k2": i64(2)}, **SQ)
equal(G, "f12-variance-of-whole", "m = ReduceSum (x) a = Mul (x, k4) d = Sub (a, m) q = Mul (d, d) s = ReduceSum (q) y = Div (s, k4)", "q = Mul (x, x) s = ReduceSum (q) a = Mul (s, k4) m = ReduceSum (x) b = Mul (m, m) y = Sub (a, b)", "Sixteen variances in whole numbers.", x="int64[4] x", y="int64[1] y", ranges={"x": (-1000, 1000)}, arrays={"k4": n(4)})
equal(G, "f12-rows-of-ones", "y = ReduceSum (x, a)", "y = MatMul (x, o)", "A product with ones.", x="float[3, 3] x", y="float[3, 1] y", finite=True, arrays={"a": i64(1), "o": np.ones((3, 1), np.float32)})
