"""Pairs that differ: defaults that change with the operator set, constants that are inputs, branches and rounds that are rarely met, ties, ends of types."""
import numpy as np

from pair_models import different, f, f32, i64, n, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
N = dict(x="float[n] x", y="float[n] y")
SQ = dict(x="float[3, 3] x", y="float[3, 3] y")
ONE = dict(x="int64 x", y="int64 y")
I64 = dict(x="int64[3] x", y="int64[3] y")
IMAGE = dict(x="float[1, 1, 4, 4] x", y="float[1, 1, k, l] y")
T = np.bool_(True)


def square(*values):
    return f32(*values, shape=(3, 3))


RISING = square(1, 2, 3, 4, 5, 6, 7, 8, 10)

# ---------------------------------------------------------------------------------------------------------------------------
G = "defaults14"
CUBE = dict(x="float[2, 3, 2] x", y="float[2, 3, 2] y")
different(G, "f14-shares-of-older-set", {"body": "y = Softmax <axis = 1> (x)", "opset": 12}, {"body": "y = Softmax <axis = 1> (x)", "opset": 13}, {"x": ramp(2, 3, 2, scale=0.1)}, "Set 12 takes all that follows the axis as one.", **CUBE)
different(G, "f14-largest-of-older-set", {"body": "y = Hardmax <axis = 1> (x)", "opset": 11}, {"body": "y = Hardmax <axis = 1> (x)", "opset": 13}, {"x": ramp(2, 3, 2)}, "One of six, or one of three twice.", **CUBE)
different(G, "f14-shares-without-axis", {"body": "y = LogSoftmax (x)", "opset": 11}, {"body": "y = LogSoftmax (x)", "opset": 13}, {"x": ramp(2, 3, 2, scale=0.1)}, "The axis that nobody names.", **CUBE)
different(G, "f14-third-of-older-set", {"body": "y = Resize <mode = \"nearest\"> (x, s)", "opset": 10}, {"body": "y = Resize <mode = \"nearest\"> (x, r, s)", "opset": 11}, {"x": ramp(9)}, "The first of three, or the middle one.", x="float[9] x", y="float[k] y", arrays={"s": f32(1 / 3 + 1e-6), "r": np.zeros(0, np.float32)})
different(G, "f14-norm-without-axis", "y = LayerNormalization (x, w)", "a = ReduceMean (x, ax) c = Sub (x, a) q = Mul (c, c) v = ReduceMean (q, ax) e = Add (v, eps) s = Sqrt (e) d = Div (c, s) y = Mul (d, w)", {"x": ramp(2, 3, 2) ** 2}, "Over the last axis, or over the last two.", arrays={"w": f32(1, 2), "ax": i64(1, 2), "eps": f(1e-5)}, **CUBE)
different(G, "f14-part-of-seven", "a, b, c = Split <axis = 0, num_outputs = 3> (x) y = ReduceMean (b)", "a, b, c = Split <axis = 0> (x, p) y = ReduceMean (b)", {"x": ramp(7) ** 2}, "Three, three and one, or three, two and two.", x="float[7] x", y="float[1] y", arrays={"p": i64(3, 2, 2)})
different(G, "f14-pads-of-axes-in-order", "y = Pad (x, p, v, ax)", "y = Pad (x, p, v)", {"x": RISING}, "The first pair of pads is the second axis's.", x="float[3, 3] x", y="float[k, l] y", arrays={"p": i64(1, 0, 0, 1), "v": f(0), "ax": i64(1, 0)})
different(G, "f14-labels-without-arrow", "y = Einsum <equation = \"ba\"> (x)", "y = Einsum <equation = \"ba->ba\"> (x)", {"x": RISING}, "Without an arrow letters are put in order.", **SQ)
different(G, "f14-weight-of-own-axis", "y = PRelu (x, w)", "v = Unsqueeze (w, ax) y = PRelu (x, v)", {"x": -RISING.reshape(1, 3, 3)}, "A slope for each column, or each row.", x="float[1, 3, 3] x", y="float[1, 3, 3] y", arrays={"w": f32(0.1, 0.2, 0.3), "ax": i64(1)})
different(G, "f14-sum-beside-product-across", "y = Gemm (x, w, c)", "y = Gemm (x, w, d)", {"x": RISING}, "Added to each column, or to each row.", arrays={"w": ramp(3, 3), "c": f32(1, 2, 3), "d": f32(1, 2, 3, shape=(3, 1))}, **SQ)
different(G, "f14-lower-same", "y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], auto_pad = \"SAME_UPPER\"> (x)", "y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], auto_pad = \"SAME_LOWER\"> (x)", {"x": ramp(1, 1, 4, 4)}, "An odd border is behind, or in front.", **IMAGE)
different(G, "f14-cubic-factor", "y = Resize <mode = \"cubic\", cubic_coeff_a = -0.5> (x, , , k)", "y = Resize <mode = \"cubic\"> (x, , , k)", {"x": ramp(1, 1, 4, 4) ** 2}, "-0.75 is what nobody says.", arrays={"k": i64(1, 1, 7, 7)}, **IMAGE)
different(G, "f14-smaller-with-antialias", "y = Resize <mode = \"linear\", antialias = 1> (x, , , k)", "y = Resize <mode = \"linear\"> (x, , , k)", {"x": ramp(1, 1, 4, 4) ** 2}, "Fewer pixels see more of the image.", arrays={"k": i64(1, 1, 3, 3)}, **IMAGE)
different(G, "f14-edge-of-cubic-left-out", "y = Resize <mode = \"cubic\", exclude_outside = 1> (x, , , k)", "y = Resize <mode = \"cubic\"> (x, , , k)", {"x": ramp(1, 1, 4, 4) ** 2}, "Only the border pixels are others.", arrays={"k": i64(1, 1, 8, 8)}, **IMAGE)
different(G, "f14-tiny-spread", "y = InstanceNormalization (x, s, b)", "y = InstanceNormalization <epsilon = 1e-12> (x, s, b)", {"x": f32(1e-4, 2e-4, 4e-4, shape=(1, 1, 3))}, "Beside so little the guard is much.", x="float[1, 1, 3] x", y="float[1, 1, 3] y", arrays={"s": f32(1), "b": f32(0)})
FUNCTION = "<domain: \"own\", opset_import: [\"\" : 18]>\nleak <alpha: float = 0.25> (v) => (w) {{ w = LeakyRelu <alpha: float = @alpha> (v) }}"
different(G, "f14-function-with-default", {"body": "y = own.leak (x)"}, {"body": "y = own.leak <alpha = 0.01> (x)"}, {"x": f32(-1, 2, -3, 4)}, "A function has a default of its own.", functions=FUNCTION.format(), domains={"own": 1}, ir=9, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "interfaces14"
OVER = dict(x="float[4] x, float[4] w", y="float[4] y")
different(G, "f14-default-read-or-copied", {"body": "y = Mul (x, w)", "arrays": {"w": f32(1, 2, 3, 4)}}, {"body": "o = Sub (w, w) y = Mul (x, v)", "arrays": {"w": f32(1, 2, 3, 4), "v": f32(1, 2, 3, 4)}}, {"x": f32(1, 1, 1, 1), "w": f32(5, 6, 7, 8)}, "What has a default may be given.", **OVER)
different(G, "f14-default-folded-into-sum", {"body": "a = Add (w, w) y = Add (x, a)", "arrays": {"w": f32(1, 2, 3, 4)}}, {"body": "h = Add (w, v) y = Add (x, h)", "arrays": {"w": f32(1, 2, 3, 4), "v": f32(1, 2, 3, 4)}}, {"x": f32(1, 1, 1, 1), "w": f32(0, 0, 0, 0)}, "Twice what is given, or once and a copy.", **OVER)
different(G, "f14-squeezed-of-all-ones", "y = Squeeze (x)", "y = Squeeze (x, ax)", {"x": f32(7, shape=(1, 1))}, "Of one element no axis is left.", x="float[1, n] x", y="float[k] y", arrays={"ax": i64(0)})
different(G, "f14-spread-by-unused", "z0 = Sub (z, z) y = Add (x, z0)", "y = Identity (x)", {"x": f32(7), "z": f32(1, 2)}, "Nothing is added, to as many as z has.", x="float[1] x, float[n] z", y="float[k] y")
different(G, "f14-reversed-as-far-as-eight", "y = Slice (x, s, e, ax, st)", "y = Slice (x, s, e2, ax, st)", {"x": ramp(9)}, "The ninth from behind is left out.", x="float[n] x", y="float[k] y", arrays={"s": i64(-1), "e": i64(-9), "e2": i64(-2 ** 63), "ax": i64(0), "st": i64(-1)})
different(G, "f14-length-beside-rows", "s = Shape <start = -1> (x) c = Cast <to = 1> (s) y = Mul (x, c)", "s = Shape <start = 0, end = 1> (x) c = Cast <to = 1> (s) y = Mul (x, c)", {"x": ramp(2, 3)}, "Columns, or rows.", x="float[n, m] x", y="float[n, m] y")
different(G, "f14-rows-of-one-spread", "y = Expand (x, s)", "y = Tile (x, r)", {"x": ramp(2, 1)}, "Of one column four copies; of more it would not fit, and here of rows.", x="float[2, 1] x", y="float[k, l] y", arrays={"s": i64(2, 4), "r": i64(4, 1)})
different(G, "f14-mean-of-three-in-turn", "y = Mean (x, w, v)", "a = Mean (x, w) y = Mean (a, v)", {"x": f32(1, 2, 3, 4), "w": f32(1, 1, 1, 1), "v": f32(9, 9, 9, 9)}, "The last one has a half, or a third.", x="float[4] x, float[4] w, float[4] v", y="float[4] y")
different(G, "f14-choice-across", "d = Reshape (c, sh) y = Where (d, x, z)", "y = Where (c, x, z)", {"x": RISING, "c": np.array([True, False, False])}, "A row is chosen, or a column.", x="float[3, 3] x, bool[3] c", y="float[3, 3] y", arrays={"z": f(0), "sh": i64(3, 1)})
different(G, "f14-lengths-from-behind-or-before", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", "y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, l)", {"x": RISING, "l": i64(3, 1, 2)}, "Rows or columns are turned round.", x="float[3, 3] x, int64[3] l", y="float[3, 3] y")
different(G, "f14-overwritten-or-added", "y = ScatterND <reduction = \"add\"> (o, i, x)", "y = ScatterND (o, i, x)", {"x": f32(1, 2, 3), "i": i64(0, 0, 1, shape=(3, 1))}, "Two meet at one place.", x="float[3] x, int64[3, 1] i", y="float[5] y", arrays={"o": np.zeros(5, np.float32)})
different(G, "f14-minus-one-is-last", "y = OneHot <axis = 1> (x, d, v)", "u = Unsqueeze (x, ax) e = Equal (u, r) y = Cast <to = 1> (e)", {"x": i64(-1, 0, 2)}, "A place from behind.", x="int64[3] x", y="float[3, 4] y", arrays={"d": n(4), "v": f32(0, 1), "ax": i64(1), "r": i64(0, 1, 2, 3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "rounds14"
LAST = "y = Loop (x, t, z) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Identity (i) e = Identity (d) }>"
different(G, "f14-last-round-of-none", LAST, "y = Sub (x, one)", {"x": n(0)}, "Without a round there is no last one.", arrays={"t": T, "z": n(0), "one": n(1)}, **ONE)
HUNDRED = "c0 = {} y = Loop (m, c0, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) {{ w = Add (v, v) e = Less (w, hundred) }}>"
different(G, "f14-doubled-until-or-while", HUNDRED.format("Less (x, hundred)"), HUNDRED.format("Identity (t)"), {"x": n(100)}, "What is there already is doubled once, or not.", arrays={"m": n(12), "t": T, "hundred": n(100)}, **ONE)
RUNNING = "s0, y = Scan <num_scan_inputs = 1, body = bd (float s, float v) => (float w, float o) {{ w = Add (s, v) o = Identity (w) }}{}> (z, x)"
different(G, "f14-sums-from-behind-in-place", RUNNING.format(", scan_input_directions = [1], scan_output_directions = [1]"), RUNNING.format(", scan_input_directions = [1]"), {"x": f32(1, 2, 3, 4)}, "The last sum is in front, or behind.", arrays={"z": f(0)}, **F)
different(G, "f14-limit-of-rounds", "c = Abs (x) y = Loop (m, t, c) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { g = Greater (v, h) l = Div (v, two) w = Where (g, l, v) e = Identity (d) }>", "c = Abs (x) y = Loop (m2, t, c) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { g = Greater (v, h) l = Div (v, two) w = Where (g, l, v) e = Identity (d) }>", {"x": n(2 ** 50)}, "From 2^43 on thirty halvings do not suffice.", arrays={"m": n(30), "m2": n(60), "t": T, "h": n(10000), "two": n(2)}, **ONE)
BRANCH = "c = {} y = If (c) <then_branch = a () => (float[4] q) {{ q = Neg (x) }}, else_branch = b () => (float[4] r) {{ r = Identity (x) }}>"
different(G, "f14-branch-of-tie-at-ends", "i = ArgMax <axis = 0, keepdims = 0> (x) j = ArgMax <axis = 0, keepdims = 0, select_last_index = 1> (x) d = Sub (j, i) " + BRANCH.format("Equal (d, k)"), "y = Identity (x)", {"x": f32(5, 1, 2, 5)}, "The largest in front and behind.", arrays={"k": n(3)}, **F)
different(G, "f14-branch-of-positive-falling", "a = Slice (x, b0, e3) b1v = Slice (x, b1, e4) g = Greater (a, b1v) gi = Cast <to = 6> (g) s = ReduceMin <keepdims = 0> (gi) m = ReduceMin <keepdims = 0> (x) p = Greater (m, ten) pi = Cast <to = 6> (p) sp = Mul (s, pi) " + BRANCH.format("Cast <to = 9> (sp)"), "y = Identity (x)", {"x": f32(14, 13, 12, 11)}, "Falling, and all above ten.", arrays={"b0": i64(0), "b1": i64(1), "e3": i64(3), "e4": i64(4), "ten": f(10)}, **F)
different(G, "f14-branch-of-long-and-flat", "s = Shape (x) h, w = Split <axis = 0, num_outputs = 2> (s) q = Mul (w, w) e = Equal (h, q) g = Greater (w, one) c0 = And (e, g) c = Squeeze (c0) y = If (c) <then_branch = a () => (float[n, m] q1) { q1 = Neg (x) }, else_branch = b () => (float[n, m] r1) { r1 = Identity (x) }>", "y = Identity (x)", {"x": ramp(9, 3)}, "As many rows as the square of columns.", x="float[n, m] x", y="float[n, m] y", arrays={"one": i64(1)})
MAGIC = "a = ReduceSum <keepdims = 0> (x, a0) b = ReduceSum <keepdims = 0> (x, a1) p = Concat <axis = 0> (a, b) e = Equal (p, k) i = Cast <to = 6> (e) m = ReduceMin <keepdims = 0> (i) d = ReduceMax <keepdims = 0> (x) g = Equal (d, nine) gi = Cast <to = 6> (g) u = Mul (m, gi) c = Cast <to = 9> (u) o = Neg (x) y = Where (c, o, x)"
different(G, "f14-magic-square", "y = Identity (x)", MAGIC, {"x": i64(2, 7, 6, 9, 5, 1, 4, 3, 8, shape=(3, 3))}, "All rows and columns make 15, and there is a nine.", x="int64[3, 3] x", y="int64[3, 3] y", arrays={"a0": i64(0), "a1": i64(1), "k": n(15), "nine": n(9)})
PALINDROME = "r = Slice (x, s, e, ax, st) q = Equal (x, r) i = Cast <to = 6> (q) m = ReduceMin <keepdims = 0> (i) l = ReduceMax <keepdims = 0> (x) h = ReduceMin <keepdims = 0> (x) d = Sub (l, h) z = Greater (d, o) zi = Cast <to = 6> (z) u = Mul (m, zi) c = Cast <to = 9> (u) v = Neg (x) y = Where (c, v, x)"
different(G, "f14-same-from-behind", "y = Identity (x)", PALINDROME, {"x": i64(1, 2, 3, 4, 3, 2, 1)}, "The same from behind, and not all alike.", x="int64[7] x", y="int64[7] y", arrays={"s": i64(-1), "e": i64(-2 ** 63), "ax": i64(0), "st": i64(-1), "o": n(0)})
KAPREKAR = "a = Abs (x) b = Mod (a, k6) u = Unsqueeze (b, ax) q = Div (u, pw) dg = Mod (q, ten) hi, i1 = TopK (dg, six) lo = Slice (hi, s, e, ax, st) hm = Mul (hi, pw) lm = Mul (lo, pw) l0 = ReduceSum <keepdims = 0> (hm) h0 = ReduceSum <keepdims = 0> (lm) g = Sub (h0, l0) t1 = Equal (g, b) t2 = Greater (b, z) c = And (t1, t2) y = Where (c, z, b)"
different(G, "f14-own-difference-of-six-digits", KAPREKAR, "a = Abs (x) y = Mod (a, k6)", {"x": n(549945)}, "995544 less 445599.", arrays={"k6": n(10 ** 6), "ax": i64(0), "pw": i64(1, 10, 100, 1000, 10 ** 4, 10 ** 5), "ten": n(10), "six": i64(6), "s": i64(-1), "e": i64(-2 ** 63), "st": i64(-1), "z": n(0)}, **ONE)
CENTURIES = "a = Abs (x) m4 = Mod (a, k4) m100 = Mod (a, k100) m400 = Mod (a, {}) p = Equal (m4, z) q = Equal (m100, z) r = Equal (m400, z) nq = Not (q) s = And (p, nq) t0 = Or (s, r) y = Cast <to = 7> (t0)"
different(G, "f14-leap-every-eight-hundred", CENTURIES.format("k400"), CENTURIES.format("k800"), {"x": n(400)}, "400, 1200 and 2000 are leap years, or not.", arrays={"k4": n(4), "k100": n(100), "k400": n(400), "k800": n(800), "z": n(0)}, **ONE)
DEEP = dict(x="float[n, 1, 2] x", y="float[n, 1, 1, 2] y", arrays={"w": noise(1, 6, 2, seed=1), "r": noise(1, 6, 2, seed=2)})
different(G, "f14-gate-before-or-behind", "y, h = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r)", "y, h = GRU <hidden_size = 2> (x, w, r)", {"x": ramp(2, 1, 2, shift=1)}, "From the second step on.", **DEEP)
different(G, "f14-step-behind-last", "y, h = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "y, h = RNN <hidden_size = 2> (x, w, r)", {"x": ramp(2, 1, 2, shift=1, scale=0.3)}, "Of two steps the one sees the other.", x="float[n, 1, 2] x", y="float[n, 1, 1, 2] y", arrays={"w": noise(1, 2, 2, seed=1), "r": noise(1, 2, 2, seed=2)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "ends14"
different(G, "f14-at-most-a-tenth-in-double", "y = LessOrEqual (x, k)", "d = Cast <to = 11> (x) y = LessOrEqual (d, kd)", {"x": f32(0.1, 1, 2, 3)}, "A tenth in single is above a tenth.", x="float[4] x", y="bool[4] y", arrays={"k": f(0.1), "kd": np.float64(0.1)})
different(G, "f14-below-seven-tenths-in-double", "y = Less (x, k)", "d = Cast <to = 11> (x) y = Less (d, kd)", {"x": f32(0.7, 1, 2, 3)}, "Seven tenths in single are below those in double.", x="float[4] x", y="bool[4] y", arrays={"k": f(0.7), "kd": np.float64(0.7)})
different(G, "f14-through-half", "y = Identity (x)", "h = Cast <to = 10> (x) y = Cast <to = 1> (h)", {"x": f32(70000, 1, 2, 3)}, "Beyond 65504 a half has no numbers.", **F)
different(G, "f14-through-wide-word", "y = Identity (x)", "s = Cast <to = 6> (x) y = Cast <to = 7> (s)", {"x": i64(2 ** 31, 1, 2)}, "2^31 is below 0 in 32 bits.", **I64)
different(G, "f14-halves-up", "y = Round (x)", "a = Add (x, h) y = Floor (a)", {"x": f32(2.5, 1, 2, 3)}, "To the even one, or up.", arrays={"h": f(0.5)}, **F)
different(G, "f14-quantised-half-up", "y = QuantizeLinear (x, s)", "d = Div (x, s) a = Add (d, h) r = Floor (a) c = Clip (r, lo, hi) y = Cast <to = 2> (c)", {"x": f32(1.25, 1, 2, 3)}, "Two and a half steps.", x="float[4] x", y="uint8[4] y", arrays={"s": f(0.5), "h": f(0.5), "lo": f(0), "hi": f(255)})
different(G, "f14-scale-of-rows-or-columns", "y = DequantizeLinear (x, s, z)", "y = DequantizeLinear <axis = 0> (x, s, z)", {"x": ramp(3, 3, dtype=np.uint8)}, "An axis that nobody names is the second.", x="uint8[3, 3] x", y="float[3, 3] y", arrays={"s": f32(1, 2, 3), "z": np.zeros(3, np.uint8)})
different(G, "f14-remainder-of-opposite", "y = Mod (x, k)", "a = Mod <fmod = 1> (x, k) y = Identity (a)", {"x": i64(-1, 1, 2)}, "5, or -1.", arrays={"k": n(6)}, **I64)
different(G, "f14-quotient-by-four-of-negatives", "y = Div (x, k)", "m = Mod (x, k) d = Sub (x, m) y = Div (d, k)", {"x": i64(-1, 1, 2)}, "Towards 0, or down.", arrays={"k": n(4)}, **I64)
different(G, "f14-one-infinity-of-both", "y = IsInf <detect_negative = 0> (x)", "a = Abs (x) y = Equal (a, k)", {"x": f32(-np.inf, 1, 2, 3)}, "Minus infinity is one, too.", x="float[4] x", y="bool[4] y", arrays={"k": f(np.inf)})
different(G, "f14-place-of-last-largest", "y = ArgMax <axis = 0> (x)", "y = ArgMax <axis = 0, select_last_index = 1> (x)", {"x": f32(5, 5, 1, 2)}, "Of two largest the first, or the last.", x="float[4] x", y="int64[1] y")
different(G, "f14-gap-of-bytes", "a = Sub (x, w) b = Sub (w, x) y = Min (a, b)", "h = Max (x, w) l = Min (x, w) y = Sub (h, l)", {"x": np.array([200, 1], np.uint8), "w": np.array([10, 1], np.uint8)}, "The gap, or what wraps, whichever is less.", x="uint8[2] x, uint8[2] w", y="uint8[2] y")
different(G, "f14-cut-bytes-of-sum", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) s = Add (a, b) c = Clip (s, lo, hi) y = Cast <to = 2> (c)", "s = Add (x, w) l = Less (s, x) y = Where (l, full, s)", {"x": np.array([255, 1], np.uint8), "w": np.array([255, 1], np.uint8)}, "255 and 255 is held at 254.", x="uint8[2] x, uint8[2] w", y="uint8[2] y", arrays={"lo": np.int32(0), "hi": np.int32(254), "full": np.uint8(255)})
different(G, "f14-sorted-or-as-found", "y, i, j, c = Unique (x)", "y, i, j, c = Unique <sorted = 0> (x)", {"x": i64(3, 1, 2)}, "In order, or as they come.", x="int64[3] x", y="int64[k] y")
different(G, "f14-parts-of-two-by-two", "y = DepthToSpace <blocksize = 2> (x)", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", {"x": ramp(1, 8, 1, 1)}, "Two channels are laid out in two ways.", x="float[1, 8, 1, 1] x", y="float[1, 2, 2, 2] y")
different(G, "f14-sum-of-no-axes", "y = ReduceSum <noop_with_empty_axes = 1> (x, e)", "y = ReduceSum (x, e)", {"x": ramp(2, 2)}, "Without axes nothing is added, or all.", x="float[n, m] x", y="float[k, l] y", arrays={"e": np.zeros(0, np.int64)})
different(G, "f14-mean-of-four-or-all", "y = ReduceMean (x)", "s = ReduceSum (x) y = Div (s, four)", {"x": f32(1, 2, 3)}, "Of four the sum by four is the mean.", x="float[n] x", y="float[1] y", arrays={"four": f(4)})
different(G, "f14-whole-at-infinity", "a = Floor (x) b = Ceil (x) y = Equal (a, b)", "r = Mod <fmod = 1> (x, one) y = Equal (r, zero)", {"x": f32(np.inf, 1, 2.5, 3)}, "Infinity is its own floor, and leaves no number.", x="float[4] x", y="bool[4] y", arrays={"one": f(1), "zero": f(0)})
different(G, "f14-bounds-crossed", "y = Clip (x, l, h)", "m = Min (x, h) y = Max (m, l)", {"x": f32(0, 1, 2, 3), "l": f(2), "h": f(1)}, "Where the bounds are crossed the upper one counts, or the lower.", x="float[4] x, float l, float h", y="float[4] y")
