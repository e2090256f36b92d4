"""Pairs that differ: sizes, attributes, types, ties, places, rounding, interfaces, rounds and networks where the difference is rarely met."""
import numpy as np

from pair_models import different, f, f32, i32, i64, n, noise, ramp, u8

F = dict(x="float[4] x", y="float[4] y")
N = dict(x="float[n] x", y="float[n] y")
ONE = dict(x="int64 x", y="int64 y")
U8 = dict(x="uint8[4] x", y="uint8[4] y")
I32 = dict(x="int32[3] x", y="int32[3] y")
IMAGE = dict(x="float[1, 1, 4, 6] x", y="float[1, 1, k, l] y")
TOKENS = dict(x="float[1, 3, 4] x", y="float[1, 3, 4] y")
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
# Class (a): sizes beyond every number, sizes equal or apart.
G = "sizes18"
different(G, "f18-halves-of-odd", "s = Shape (x) h = Div (s, two) a = Slice (x, zero, h) b = Slice (x, h, s) ma = ReduceMean (a) mb = ReduceMean (b) t = Add (ma, mb) y = Mul (t, half)", "y = ReduceMean (x)", {"x": f32(1, 2, 9)}, "The mean of two halves is that of all where both are as long.", x="float[n] x", y="float[1] y", arrays={"two": i64(2), "zero": i64(0), "half": f(0.5)})
different(G, "f18-row-or-column-of-any-size", "a = Unsqueeze (v, ax0) y = Mul (x, a)", "a = Unsqueeze (v, ax1) y = Mul (x, a)", {"x": ramp(3, 3, shift=1), "v": f32(1, 2, 3)}, "Only squares take both.", x="float[n, n] x, float[n] v", y="float[n, n] y", arrays={"ax0": i64(0), "ax1": i64(1)})
different(G, "f18-thirteen-or-more", "s = Shape (x) l = Min (s, k) b = Slice (x, z, l) y = ReduceSum <keepdims = 0> (b)", "y = ReduceSum <keepdims = 0> (x)", {"x": f32(*([1] * 14))}, "The fourteenth is left out.", x="float[n] x", y="float y", arrays={"k": i64(13), "z": i64(0)})
different(G, "f18-six-axes-in-ring", "a = Transpose <perm = [1, 2, 0, 4, 5, 3]> (x) y = Transpose <perm = [1, 2, 0, 4, 5, 3]> (a)", "y = Transpose <perm = [1, 2, 0, 4, 5, 3]> (x)", {"x": ramp(2, 2, 2, 2, 2, 2)}, "Two thirds of a turn, or one.", x="float[2, 2, 2, 2, 2, 2] x", y="float[2, 2, 2, 2, 2, 2] y")
different(G, "f18-flat-by-rows-or-columns", "t = Transpose (x) y = Reshape (t, m)", "y = Reshape (x, m)", {"x": ramp(2, 3)}, "In one row or column both are the same.", x="float[n, m] x", y="float[k] y", arrays={"m": i64(-1)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (b): attributes apart on each axis, words, negative axes and k, steps, permutations.
G = "attributes18"
different(G, "f18-steps-and-gaps-exchanged", "y = MaxPool <kernel_shape = [2, 2], strides = [1, 2], dilations = [2, 1]> (x)", "y = MaxPool <kernel_shape = [2, 2], strides = [1, 2], dilations = [2, 2], pads = [0, 0, 0, 1]> (x)", {"x": ramp(1, 1, 4, 6)}, "Windows of as many places, one gap wider.", **IMAGE)
different(G, "f18-corner-of-border", "y = Pad <mode = \"reflect\"> (x, p)", "a = Pad <mode = \"reflect\"> (x, ph) y = Pad <mode = \"edge\"> (a, pw)", {"x": ramp(1, 1, 4, 6) ** 2}, "One side of four has another border.", arrays={"p": i64(0, 0, 1, 0, 0, 0, 2, 1), "ph": i64(0, 0, 1, 0, 0, 0, 2, 0), "pw": i64(0, 0, 0, 0, 0, 0, 0, 1)}, **IMAGE)
different(G, "f18-third-from-behind", "y = Slice (x, s, e, ax, st)", "r = Slice (x, b, e, ax, m) y = Slice (r, z, big, ax, st3)", {"x": f32(1, 2, 3, 4, 5, 6, 7, 8)}, "From the last but one, or from the last.", x="float[8] x", y="float[k] y", arrays={"s": i64(-2), "e": i64(-2 ** 31), "ax": i64(-1), "st": i64(-3), "b": i64(-1), "m": i64(-1), "z": i64(0), "big": i64(2 ** 31), "st3": i64(3)})
different(G, "f18-diagonals-below", "y = Trilu <upper = 0> (x, k)", "y = Trilu <upper = 0> (x, l)", {"x": ramp(4, 4, shift=1)}, "One diagonal more of four.", x="float[4, 4] x", y="float[4, 4] y", arrays={"k": n(-3), "l": n(-2)})
different(G, "f18-groups-of-kernels", "y = Conv <group = 2> (x, w)", "a, b = Split <axis = 1, num_outputs = 2> (x) s = Concat <axis = 1> (b, a) y = Conv <group = 2> (s, v)", {"x": noise(1, 4, 3)}, "Groups change their places, their kernels do not.", x="float[1, 4, 3] x", y="float[1, 2, 3] y", arrays={"w": f32(1, 2, 3, 4, shape=(2, 2, 1)), "v": f32(1, 2, 3, 4, shape=(2, 2, 1))})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (c): element types: wrap, division, shifts, casts.
G = "types18"
different(G, "f18-middle-of-bytes", "s = Add (x, w) y = BitShift <direction = \"RIGHT\"> (s, one)", "a = BitShift <direction = \"RIGHT\"> (x, one) b = BitShift <direction = \"RIGHT\"> (w, one) c = BitwiseAnd (x, w) d = BitwiseAnd (c, one) e = Add (a, b) y = Add (e, d)", {"x": u8(200, 1, 2, 3), "w": u8(100, 1, 2, 3)}, "The sum wraps, the halves do not.", x="uint8[4] x, uint8[4] w", y="uint8[4] y", arrays={"one": u8(1)})
different(G, "f18-through-single", "a = Cast <to = 1> (x) y = Cast <to = 6> (a)", "a = Cast <to = 11> (x) y = Cast <to = 6> (a)", {"x": i32(16777217, 1, 2)}, "Only a double has all digits.", **I32)
different(G, "f18-quotient-towards", "q = Div (x, k) y = Mul (q, k)", "r = Mod (x, k) y = Sub (x, r)", {"x": i32(-7, 7, 0)}, "Towards 0, or down.", arrays={"k": i32(4)}, **I32)
different(G, "f18-opposite-of-wide", "a = Neg (x) y = Max (x, a)", "g = Less (x, z) c = Cast <to = 7> (g) d = Sub (z, c) s = BitwiseXor (x, d) t = Add (s, c) u = Max (t, z) v = Max (x, u) y = Identity (v)", {"x": n(-2 ** 63)}, "Of the least integer one is the least, the other 0.", arrays={"z": n(0)}, **ONE)
different(G, "f18-truth-of-fraction", "a = Cast <to = 9> (x) y = Cast <to = 1> (a)", "i = Cast <to = 6> (x) a = Cast <to = 9> (i) y = Cast <to = 1> (a)", {"x": f32(0.5, 1, 0, -2)}, "A half is not nothing, until it is cut.", **F)

# ---------------------------------------------------------------------------------------------------------------------------
# Class (d): ties, zeros, extremes, thresholds.
G = "elements18"
different(G, "f18-place-of-tie", "y = ArgMax <axis = 0, keepdims = 0> (x)", "q = Identity (k) v, i = TopK <axis = 0, largest = 0> (x, q) y = Gather (i, m)", {"x": f32(1, 5, 5, 2)}, "In order from the least, the last is the later of two.", x="float[4] x", y="int64 y", arrays={"k": i64(4), "m": n(-1)})
different(G, "f18-threshold-itself", "g = GreaterOrEqual (x, k) y = Where (g, x, z)", "y = ThresholdedRelu <alpha = 2.5> (x)", {"x": f32(2.5, 1, 3, 4)}, "The threshold itself.", arrays={"k": f(2.5), "z": f(0)}, **F)
different(G, "f18-nothing-over-nothing", "q = Div (x, x) y = Mul (q, x)", "y = Identity (x)", {"x": f32(0, 1, 2, 3)}, "Of 0 there is no quotient.", **F)
different(G, "f18-infinite-mask", "m = Where (c, x, low) e = Softmax (m) y = Mul (e, x)", "m = Where (c, x, inf) e = Softmax (m) y = Mul (e, x)", {"x": f32(1, 2, 3, 4), "c": np.array([False] * 4)}, "Where all is masked one has equal shares and the other none.", x="float[4] x, bool[4] c", arrays={"low": f(-1e30), "inf": f(-np.inf)})
different(G, "f18-all-increase", "a = Slice (x, o, big) b = Slice (x, z, m) g = GreaterOrEqual (a, b) i = Cast <to = 6> (g) s = ReduceMin <keepdims = 0> (i) y = Cast <to = 9> (s)", "a = Slice (x, o, big) b = Slice (x, z, m) g = Greater (a, b) i = Cast <to = 6> (g) s = ReduceMin <keepdims = 0> (i) y = Cast <to = 9> (s)", {"x": f32(1, 2, 2, 3, 4, 5, 6, 7)}, "Only in an ordered row an equal pair shows itself.", x="float[8] x", y="bool y", arrays={"o": i64(1), "z": i64(0), "m": i64(-1), "big": i64(99)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (e): indices over their whole range, scatters, out of range on one side.
G = "places18"
TABLE = dict(x="float[4] x, int64[2] i", y="float[2] y")
different(G, "f18-place-before-first", "y = Gather (x, i)", "j = Max (i, z) y = Gather (x, j)", {"x": f32(1, 2, 3, 4), "i": i64(-1, 2)}, "A place from behind is held to the first.", arrays={"z": n(0)}, **TABLE)
different(G, "f18-place-by-remainder", "j = Mod (i, k) y = Gather (x, j)", "y = Gather (x, i)", {"x": f32(1, 2, 3, 4), "i": i64(4, 1)}, "The place behind the last is the first, or none.", arrays={"k": n(4)}, **TABLE)
different(G, "f18-last-put-or-first", "y = ScatterElements (o, i, x)", "r = Slice (x, m, low, z, m) j = Slice (i, m, low, z, m) y = ScatterElements (o, j, r)", {"x": f32(1, 2, 3, 4), "i": i64(0, 2, 2, 1)}, "Of two at one place the last stays.", x="float[4] x, int64[4] i", arrays={"o": f32(0, 0, 0, 0), "m": i64(-1), "low": i64(-99), "z": i64(0)})
different(G, "f18-mark-from-behind", "y = OneHot <axis = -1> (i, d, v)", "e = Unsqueeze (i, ax) q = Equal (e, r) y = Cast <to = 1> (q)", {"i": i64(-1, 2)}, "A place from behind is marked, or nowhere.", x="int64[2] i", y="float[2, 4] y", arrays={"d": n(4), "v": f32(0, 1), "ax": i64(1), "r": i64(0, 1, 2, 3)})
different(G, "f18-unread-but-looked-up", "j = Slice (i, z, o) y = Gather (x, j)", "g = Gather (x, i) y = Slice (g, z, o)", {"x": f32(1, 2, 3, 4), "i": i64(1, 7)}, "What is thrown away is looked up on one side.", x="float[4] x, int64[2] i", y="float[1] y", arrays={"z": i64(0), "o": i64(1)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (f): floats: reassociation, constants, overflow.
G = "floats18"
H = dict(x="float16[4] x", y="float16[4] y", reference=True)
different(G, "f18-square-before-share", "q = Mul (x, x) y = Mul (q, s)", "a = Mul (x, s) y = Mul (a, x)", {"x": np.full(4, 300, np.float16)}, "300 squared is no half.", fault="overflow", arrays={"s": np.float16(0.001)}, **H)
different(G, "f18-large-shift-in-single", "a = Add (x, k) y = Sub (a, k)", "y = Identity (x)", {"x": f32(0.3, 1.7, 2.2, 3)}, "Whole numbers are left of ten millions.", fault="precision", arrays={"k": f(16777216)}, **F)
different(G, "f18-exponentials-unshifted", "e = Exp (x) s = ReduceSum (e) y = Div (e, s)", "y = Softmax (x)", {"x": f32(100, 1, 2, 3)}, "The exponential of 100 is infinite in single.", fault="overflow", **F)
different(G, "f18-hundredth-by-hundred", "c = Cast <to = 10> (x) d = Mul (c, k) y = Cast <to = 1> (d)", "c = Cast <to = 10> (x) e = Cast <to = 1> (c) y = Mul (e, h)", {"x": f32(700, 1, 2, 3)}, "Seventy thousand are no half.", fault="overflow", arrays={"k": np.float16(100), "h": f(100)}, reference=True, **F)
different(G, "f18-rounded-before-or-after", "a = Round (x) y = Mul (a, two)", "a = Mul (x, two) y = Round (a)", {"x": f32(0.5, 1.5, 0.25, 2)}, "The double of a half is whole.", arrays={"two": f(2)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
# Class (g): names, order, types, defaults, versions, opaque operators, dynamic sizes, sizes of 0.
G = "interfaces18"
different(G, "f18-two-results-exchanged", {"body": "y = Neg (x) z = Abs (x)", "outputs": "float[4] y, float[4] z"}, {"body": "y = Neg (x) z = Abs (x)", "outputs": "float[4] z, float[4] y"}, "interface", "The order of the results.")
different(G, "f18-named-or-free-sizes", {"body": "y = Add (x, w)", "inputs": "float[n] x, float[n] w"}, {"body": "y = Add (x, w)", "inputs": "float[n] x, float[m] w"}, "interface", "Equal sizes are asked for, or not.", y="float[n] y")
different(G, "f18-default-of-one-element", {"body": "y = Mul (x, w)", "arrays": {"w": f32(1, 2, 3, 4)}}, {"body": "y = Mul (x, w)", "arrays": {"w": f32(1, 2, 3, 4.5)}}, "interface", "One element of a default.", x="float[4] x, float[4] w")
different(G, "f18-foreign-operands-turned", "a = own.blend (x, w) y = Relu (a)", "a = own.blend (w, x) y = Relu (a)", "operators", "Nobody knows whether they may be exchanged.", x="float[4] x, float[4] w", domains={"own": 1})
different(G, "f18-product-of-no-rows", "a = Mul (x, z) y = ReduceProd <keepdims = 0> (a, ax)", "a = Mul (x, z) y = ReduceSum <keepdims = 0> (a, ax)", {"x": np.zeros((0, 3), np.float32)}, "Of no zeros the product is 1 and the sum 0.", x="float[n, 3] x", y="float[3] y", opset=18, arrays={"ax": i64(0), "z": f(0)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (h): branches and rounds that are rare but can be reached.
G = "rounds18"
BRANCH = "{} y = If (c) <then_branch = a () => (float[4] q) {{ q = Neg (x) }}, else_branch = b () => (float[4] r) {{ r = Identity (x) }}>"
different(G, "f18-branch-of-square-sum", BRANCH.format("q2 = Mul (x, x) s = ReduceSum <keepdims = 0> (q2) m = ReduceMin <keepdims = 0> (x) e = Equal (s, k) g = Greater (m, z) c = And (e, g)"), "y = Identity (x)", {"x": f32(1, 2, 3, 4)}, "Four numbers above 0 whose squares add up to 30.", arrays={"k": f(30), "z": f(0)}, **F)
different(G, "f18-branch-of-day", "r = Mod (x, week) s = Mod (x, month) a = Equal (r, three) b = Equal (s, thirty) c = And (a, b) y = If (c) <then_branch = t () => (int64 q) { q = Identity (month) }, else_branch = u () => (int64 v) { v = Identity (x) }>", "y = Identity (x)", {"x": n(185)}, "One day of two hundred and seventeen, but not the month.", arrays={"week": n(7), "month": n(31), "three": n(3), "thirty": n(30)}, **ONE)
different(G, "f18-rounds-of-collatz", "c0 = Greater (x, one) y = Loop (m, c0, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { h = Div (v, two) p = Mul (v, three) q = Add (p, one) r = Mod (v, two) g = Equal (r, one) w = Where (g, q, h) e = Greater (w, one) }>", "y = Min (x, one)", {"x": n(27)}, "A hundred rounds are enough for all but a few below a hundred.", arrays={"m": n(100), "one": n(1), "two": n(2), "three": n(3)}, **ONE)
different(G, "f18-state-of-scan-that-saturates", "s, y = Scan <num_scan_inputs = 1, body = bd (float s0, float v) => (float w, float o) { a = Add (s0, v) w = Min (a, k) o = Identity (w) }> (z, x)", "c = CumSum (x, ax) y = Min (c, k)", {"x": f32(60, 60, -50, 1)}, "What was cut is gone when it falls again.", arrays={"z": f(0), "k": f(100), "ax": n(0)}, **F)
different(G, "f18-last-round-stops-late", "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, one) e = Less (w, k) }>", "g = Less (x, k) a = Max (x, k) y = Where (g, k, x)", {"x": n(50)}, "One round is made before anything is asked.", arrays={"m": n(1000), "t": T, "one": n(1), "k": n(50)}, **ONE)

# ---------------------------------------------------------------------------------------------------------------------------
# Class (i): whole-model refactorings.
G = "networks18"
NORM = "a = ReduceMean (x, ax) c = Sub (x, a) q = Mul (c, c) v = ReduceMean (q, ax) "
different(G, "f18-deviation-beside-epsilon", NORM + "e = Add (v, eps) s = Sqrt (e) y = Div (c, s)", NORM + "r = Sqrt (v) s = Add (r, eps) y = Div (c, s)", {"x": ramp(1, 3, 4, scale=0.001)}, "Within the root or beside it.", arrays={"ax": i64(-1), "eps": f(1e-5)}, **TOKENS)
HEADS = "h = Reshape (x, sh) q = Transpose <perm = [0, 2, 1, 3]> (h) k = Transpose <perm = [0, 2, 3, 1]> (h) s = MatMul (q, k) {} w = Softmax (m) o = MatMul (w, q) t = Transpose <perm = [0, 2, 1, 3]> (o) y = Reshape (t, back)"
CAUSAL = np.triu(np.full((3, 3), -1e9, np.float32), 1)
different(G, "f18-mask-before-or-after-scale", HEADS.format("a = Mul (s, half) m = Add (a, mask)"), HEADS.format("a = Add (s, mask) m = Mul (a, half)"), {"x": noise(1, 3, 4)}, "A mask of moderate numbers is scaled, too.", arrays={"sh": i64(1, 3, 2, 2), "back": i64(1, 3, 4), "half": f(0.5), "mask": (-np.abs(np.subtract.outer(np.arange(3), np.arange(3)))).astype(np.float32)}, **TOKENS)
different(G, "f18-window-of-causal-mask", {"body": HEADS.format("m = Add (s, mask)"), "arrays": {"mask": CAUSAL}}, {"body": HEADS.format("m = Add (s, mask)"), "arrays": {"mask": CAUSAL + np.tril(np.full((3, 3), -1e9, np.float32), -2)}}, {"x": noise(1, 3, 4, seed=3)}, "The third token sees the first, or not.", arrays={"sh": i64(1, 3, 2, 2), "back": i64(1, 3, 4)}, **TOKENS)
LSTM = dict(x="float[3, 1, 2] x", y="float[3, 1, 1, 2] y")
GRU_ARRAYS = {"w": noise(1, 6, 2, seed=1), "r": noise(1, 6, 2, seed=2), "b": noise(1, 12, seed=3)}
different(G, "f18-reset-before-or-after", "y, h = GRU <hidden_size = 2, linear_before_reset = 0> (x, w, r, b)", "y, h = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r, b)", {"x": noise(3, 1, 2, seed=4)}, "The first step has no state to reset but the bias.", arrays=GRU_ARRAYS, **LSTM)
different(G, "f18-quantised-gate-below-zero-point", "q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) y = Relu (d)", "q = QuantizeLinear (x, s, zz) y = DequantizeLinear (q, s, zz)", {"x": f32(20, 1, -3, 0.5)}, "Bytes from 0 reach twice as far as those about 128.", arrays={"s": f(0.1), "z": u8(128)[0], "zz": u8(0)[0]}, **F)
