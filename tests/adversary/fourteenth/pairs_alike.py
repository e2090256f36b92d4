"""Equal pairs that look different: attributes that do nothing here, sizes of one, formulas of calendars and digits, rounds that are none, recurrences of one step."""
import numpy as np

from pair_models import equal, f, f32, i64, n, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
I64 = dict(x="int64[3] x", y="int64[3] y", ranges={"x": (-2 ** 62, 2 ** 62)})
ONE = dict(x="int64 x", y="int64 y", ranges={"x": (-2 ** 62, 2 ** 62)})
U8 = dict(x="uint8[4] x", y="uint8[4] y", ranges={"x": (0, 255)})
IMAGE = dict(x="float[1, 1, 4, 4] x", y="float[1, 1, k, l] y", finite=True)
LINE = dict(x="float[1, 1, 7] x", y="float[1, 1, k] y", finite=True)
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
G = "defaults-alike14"
equal(G, "f14-shares-of-matrix-in-older-set", {"body": "y = Softmax (x)", "opset": 12}, {"body": "y = Softmax (x)", "opset": 13}, "Of a matrix the second axis is the last.", x="float[n, m] x", y="float[n, m] y", finite=True)
equal(G, "f14-largest-of-larger-image-with-antialias", "y = Resize <mode = \"linear\", antialias = 1> (x, , , k)", "y = Resize <mode = \"linear\"> (x, , , k)", "There is nothing to smooth where pixels become more.", arrays={"k": i64(1, 1, 7, 9)}, **IMAGE)
equal(G, "f14-cubic-factor-of-linear", "y = Resize <mode = \"linear\", cubic_coeff_a = -0.5> (x, , , k)", "y = Resize <mode = \"linear\"> (x, , , k)", "What is not cubic has no such factor.", arrays={"k": i64(1, 1, 3, 9)}, **IMAGE)
equal(G, "f14-doubled-by-corners", "y = Resize <mode = \"nearest\", coordinate_transformation_mode = \"align_corners\"> (x, , , k)", "y = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, , , k)", "Half of a place is never reached.", arrays={"k": i64(1, 1, 8, 8)}, **IMAGE)
equal(G, "f14-lower-same-of-odd", "y = MaxPool <kernel_shape = [3], strides = [2], auto_pad = \"SAME_UPPER\"> (x)", "y = MaxPool <kernel_shape = [3], strides = [2], auto_pad = \"SAME_LOWER\"> (x)", "An even border is the same on both sides.", **LINE)
equal(G, "f14-dilation-of-one-place", "y = Conv <kernel_shape = [1], dilations = [3]> (x, w)", "y = Conv (x, w)", "A kernel of one place has no gaps.", arrays={"w": f32(2, shape=(1, 1, 1))}, **LINE)
equal(G, "f14-counted-border-of-none", "y = AveragePool <kernel_shape = [2], strides = [2], count_include_pad = 1> (x)", "y = AveragePool <kernel_shape = [2], strides = [2]> (x)", "There is no border to count.", **LINE)
equal(G, "f14-labels-in-order", "y = Einsum <equation = \"ij\"> (x)", "y = Einsum <equation = \"ba->ba\"> (x)", "Without an arrow letters are put in order, as they are.", x="float[n, m] x", y="float[n, m] y", finite=True)
equal(G, "f14-weight-of-only-channel", "y = PRelu (x, w)", "v = Unsqueeze (w, ax) y = PRelu (x, v)", "Of one row and one channel it is one slope.", x="float[1, 1, 1] x", y="float[1, 1, 1] y", finite=True, arrays={"w": f32(0.1), "ax": i64(1)})
equal(G, "f14-dropped-in-training-of-others", "d, m = Dropout (x, r, tr) y = Mul (d, two)", "y = Add (x, x)", "Nothing is dropped but in training.", arrays={"r": f(0.9), "tr": np.bool_(False), "two": f(2)}, **FF)
equal(G, "f14-no-axes-no-sum", "e = Shape <start = 1> (v) y = ReduceSum <noop_with_empty_axes = 1> (x, q)", "y = Identity (x)", "An empty list of axes that is nothing to do.", arrays={"q": np.zeros(0, np.int64), "v": f32(1)}, **FF)
OVER = dict(x="float[4] x, float[4] w", y="float[4] y", finite=True)
equal(G, "f14-default-that-may-be-given", {"body": "a = Add (x, w) y = Add (a, x)", "arrays": {"w": f32(1, 2, 3, 4)}}, {"body": "a = Add (x, x) y = Add (w, a)", "arrays": {"w": f32(1, 2, 3, 4)}}, "Given or not, it is added once.", **OVER)
equal(G, "f14-second-input-for-nothing", "q = Mul (w, w) r = ReduceSum (q) y = Neg (x)", "y = Sub (o, x)", "What is made of the second goes nowhere.", arrays={"o": f(0)}, **OVER)

# ---------------------------------------------------------------------------------------------------------------------------
G = "one-step-alike14"
STEP = dict(x="float[1, 2, 3] x", y="float[1, 1, 2, 2] y", finite=True, arrays={"w": noise(1, 6, 3, seed=1), "r": noise(1, 6, 2, seed=2), "wl": noise(1, 8, 3, seed=3), "rl": noise(1, 8, 2, seed=4), "wr": noise(1, 2, 3, seed=5), "rr": noise(1, 2, 2, seed=6)})
equal(G, "f14-gate-before-or-behind-once", "y, h = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r)", "y, h = GRU <hidden_size = 2> (x, w, r)", "The first step has nothing to reset.", **STEP)
equal(G, "f14-memory-of-one-from-behind", "y, h, c = LSTM <hidden_size = 2, direction = \"reverse\"> (x, wl, rl)", "y, h, c = LSTM <hidden_size = 2> (x, wl, rl)", "One step is the first and the last.", **STEP)
equal(G, "f14-step-without-past", "y, h = RNN <hidden_size = 2> (x, wr, rr)", "v = Squeeze (wr, a0) t = Transpose (v) m = MatMul (x, t) u = Tanh (m) y = Unsqueeze (u, a1)", "The first step has no past.", **(STEP | {"arrays": STEP["arrays"] | {"a0": i64(0), "a1": i64(1)}}))
equal(G, "f14-gate-before-or-behind-of-one-unit", "y, h = GRU <hidden_size = 1, linear_before_reset = 1> (x, w, r)", "y, h = GRU <hidden_size = 1> (x, w, r)", "One unit is reset by a factor on either side.", x="float[n, 1, 2] x", y="float[n, 1, 1, 1] y", finite=True, arrays={"w": noise(1, 3, 2, seed=1), "r": noise(1, 3, 1, seed=2)})
equal(G, "f14-two-directions-of-one-step", "y, h = RNN <hidden_size = 2, direction = \"bidirectional\"> (x, w2, r2)", "a, h1 = RNN <hidden_size = 2> (x, wr, rr) y = Concat <axis = 1> (a, a)", "Both directions with the same weights.", **(STEP | {"y": "float[1, 2, 2, 2] y", "arrays": STEP["arrays"] | {"w2": np.repeat(noise(1, 2, 3, seed=5), 2, axis=0), "r2": np.repeat(noise(1, 2, 2, seed=6), 2, axis=0)}}))
equal(G, "f14-last-round-or-none", {"body": "c = Mod (x, k) y = Loop (c, t, z) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Identity (i) e = Identity (d) }>"}, {"body": "c = Mod (x, k) s = Sub (c, one) y = Max (s, z)"}, "Without a round it stays 0.", arrays={"t": T, "z": n(0), "one": n(1), "k": n(12)}, **ONE)
equal(G, "f14-no-round-at-all", "y = Loop (z, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Mul (v, v) e = Identity (d) }>", "y = Identity (x)", "Of no rounds none changes anything.", arrays={"t": T, "z": n(0)}, **ONE)
equal(G, "f14-stopped-after-first", "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Neg (v) e = Not (t) }>", "y = Neg (x)", "The first round says that it is the last.", arrays={"t": T, "m": n(9)}, **ONE)
RUNNING = "s0, y = Scan <num_scan_inputs = 1, body = bd (float s, float v) => (float w, float o) {{ w = Add (s, v) o = Identity (w) }}{}> (z, x)"
equal(G, "f14-sums-from-behind-laid-back", RUNNING.format(", scan_input_directions = [1], scan_output_directions = [1]"), "y = CumSum <reverse = 1> (x, ax)", "From behind, and back in place.", arrays={"z": f(0), "ax": n(0)}, **FF)
equal(G, "f14-branches-with-one-meaning", "s = ReduceSum <keepdims = 0> (x) c = Greater (s, o) y = If (c) <then_branch = a () => (float[4] q) { m = Neg (x) q = Max (x, m) }, else_branch = b () => (float[4] r) { g = Sign (x) r = Mul (x, g) }>", "y = Abs (x)", "The size of numbers in two ways.", arrays={"o": f(0)}, **FF)

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers-alike14"
equal(G, "f14-below-tenth-in-double", "y = Less (x, k)", "d = Cast <to = 11> (x) y = LessOrEqual (d, kd)", "No single lies between both tenths.", x="float[4] x", y="bool[4] y", arrays={"k": f(0.1), "kd": np.float64(0.1)})
equal(G, "f14-at-most-seven-tenths-in-double", "y = LessOrEqual (x, k)", "d = Cast <to = 11> (x) y = Less (d, kd)", "The single is below the double.", x="float[4] x", y="bool[4] y", arrays={"k": f(0.7), "kd": np.float64(0.7)})
equal(G, "f14-bytes-through-brain", "a = Cast <to = 16> (x) b = Cast <to = 1> (a) y = Cast <to = 2> (b)", "y = Identity (x)", "Eight digits hold a byte.", **U8)
equal(G, "f14-product-of-bytes-in-half", "a = Cast <to = 10> (x) b = BitwiseAnd (x, seven) c = Cast <to = 10> (b) p = Mul (a, c) y = Cast <to = 7> (p)", "a = Cast <to = 7> (x) b = BitwiseAnd (x, seven) c = Cast <to = 7> (b) y = Mul (a, c)", "7 times 255 is below 2048.", x="uint8[4] x", y="int64[4] y", ranges={"x": (0, 255)}, arrays={"seven": np.uint8(7)})
equal(G, "f14-days-of-week", "a = Abs (x) b = Mod (a, k7) s = Sub (b, three) y = Mod (s, k7)", "a = Abs (x) b = Mod (a, k7000) s = Add (b, four) y = Mod (s, k7)", "Three days back is four days on.", arrays={"k7": n(7), "k7000": n(7000), "three": n(3), "four": n(4)}, **ONE)
equal(G, "f14-digits-turned-twice", "a = Abs (x) b = Mod (a, k) u = Mod (b, ten) r = Div (b, ten) v = Mod (r, ten) w = Div (r, ten) u2 = Mul (u, h) v2 = Mul (v, ten) s = Add (u2, v2) t0 = Add (s, w) p = Mod (t0, ten) q0 = Div (t0, ten) q = Mod (q0, ten) o = Div (q0, ten) p2 = Mul (p, h) q2 = Mul (q, ten) z0 = Add (p2, q2) y = Add (z0, o)", "a = Abs (x) y = Mod (a, k)", "Three digits from behind, and again.", arrays={"k": n(1000), "ten": n(10), "h": n(100)}, **ONE)
equal(G, "f14-sum-of-odds-is-square", "a = Abs (x) b = Mod (a, k) y = Loop (b, t, z) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { j = Add (i, i) o = Add (j, one) w = Add (v, o) e = Identity (d) }>", "a = Abs (x) b = Mod (a, k) y = Mul (b, b)", "The first odd numbers add up to a square.", arrays={"k": n(30), "t": T, "z": n(0), "one": n(1)}, **ONE)
equal(G, "f14-cubes-by-triangle", "a = Abs (x) b = Mod (a, k) y = Loop (b, t, z) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { j = Add (i, one) q = Mul (j, j) c = Mul (q, j) w = Add (v, c) e = Identity (d) }>", "a = Abs (x) b = Mod (a, k) c = Add (b, one) p = Mul (b, c) h = Div (p, two) y = Mul (h, h)", "The first cubes add up to the square of their numbers' sum.", arrays={"k": n(30), "t": T, "z": n(0), "one": n(1), "two": n(2)}, **ONE)
equal(G, "f14-quantised-by-hand", "y = QuantizeLinear (x, s)", "d = Div (x, s) r = Round (d) c = Clip (r, lo, hi) y = Cast <to = 2> (c)", "Without a zero point, bytes from 0.", x="float[4] x", y="uint8[4] y", finite=True, ranges={"x": (-50.0, 200.0)}, arrays={"s": f(0.5), "lo": f(0), "hi": f(255)})
equal(G, "f14-swap-by-bits-of-bytes", "h = BitShift <direction = \"LEFT\"> (x, four) l = BitShift <direction = \"RIGHT\"> (x, four) y = BitwiseOr (h, l)", "l = BitwiseAnd (x, low) m = Mul (l, k16) r = Div (x, k16) y = Add (m, r)", "Both halves of a byte change places.", arrays={"four": np.uint8(4), "low": np.uint8(15), "k16": np.uint8(16)}, **U8)
equal(G, "f14-ends-of-order", "v, i = TopK (x, one) y = Squeeze (i, ax)", "y = ArgMax <axis = 0, keepdims = 0> (x)", "Of equal ones the first, either way.", x="float[4] x", y="int64 y", finite=True, arrays={"one": i64(1), "ax": i64(0)})
equal(G, "f14-second-by-hiding-first", "v, i = TopK (x, two) y = Slice (v, one, two)", "i = ArgMax <axis = 0> (x) h = ScatterElements <axis = 0> (x, i, low) y = ReduceMax (h, ax)", "The largest, hidden where it first is.", x="float[4] x", y="float[1] y", finite=True, arrays={"two": i64(2), "one": i64(1), "ax": i64(0), "low": f32(-np.inf)})
equal(G, "f14-mirrored-index", "r = Slice (x, s, e, ax, st) c = Clip (i, lo, hi) y = Gather (r, c)", "c = Clip (i, lo, hi) m = BitwiseNot (c) y = Gather (x, m)", "-1 - i is as far from the other end.", x="float[5] x, int64[3] i", y="float[3] y", finite=True, ranges={"i": (-9, 9)}, arrays={"s": i64(-1), "e": i64(-2 ** 63), "ax": i64(0), "st": i64(-1), "lo": n(-5), "hi": n(4)})
equal(G, "f14-stretched-in-dim", "u = Unsqueeze (x, a1) e = Expand (u, s) y = Reshape (e, r)", "y = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, , , r)", "Each one three times.", x="float[4] x", y="float[12] y", finite=True, arrays={"a1": i64(1), "s": i64(4, 3), "r": i64(12)})
equal(G, "f14-trace-in-turn", "p = MatMul (a, b) q = MatMul (p, c) y = Einsum <equation = \"ii->\"> (q)", "p = MatMul (c, a) q = MatMul (p, b) y = Einsum <equation = \"ii->\"> (q)", "The last factor may be the first.", x="float[2, 3] a, float[3, 4] b, float[4, 2] c", y="float y", finite=True)
equal(G, "f14-spread-kernel", "y = Conv <dilations = [2]> (x, w)", "y = Conv (x, v)", "Zeros between the kernel's places.", arrays={"w": f32(1, 2, 3, shape=(1, 1, 3)), "v": f32(1, 0, 2, 0, 3, shape=(1, 1, 5))}, **LINE)
equal(G, "f14-stride-and-dilation-of-every-second", "y = Conv <dilations = [2], strides = [2], pads = [2, 2]> (x, w)", "h = Slice (x, s, e, ax, st) y = Conv <pads = [1, 1]> (h, w)", "Every second place is looked at.", arrays={"w": f32(1, 2, 3, shape=(1, 1, 3)), "s": i64(0), "e": i64(99), "ax": i64(2), "st": i64(2)}, **LINE)
equal(G, "f14-gelu-of-both", "g = Gelu (x) m = Neg (x) h = Gelu (m) y = Sub (g, h)", {"body": "y = Identity (x)"}, "x times the share, and x times the rest.", opset=20, **(FF | {"ranges": {"x": (-3.0, 3.0)}}))
equal(G, "f14-largest-by-least-of-opposites", "v, i = TopK (x, two) y = Cast <to = 1> (i)", "m = Neg (x) v, i = TopK <largest = 0> (m, two) y = Cast <to = 1> (i)", "Of equal ones the first come first on either side.", x="float[4] x", y="float[2] y", finite=True, arrays={"two": i64(2)})
equal(G, "f14-element-at-place-of-largest", "i = ArgMax <axis = 1, select_last_index = 1> (x) y = GatherElements <axis = 1> (x, i)", "y = ReduceMax (x, ax)", "Whichever of equal ones it is.", x="float[n, 3] x", y="float[n, 1] y", finite=True, arrays={"ax": i64(1)})
equal(G, "f14-bounds-in-order", "l = Min (a, b) h = Max (a, b) y = Clip (x, l, h)", "l = Min (a, b) h = Max (a, b) m = Min (x, h) y = Max (m, l)", "Where the bounds are not crossed either may be first.", x="float[4] x, float a, float b", y="float[4] y", finite=True)
