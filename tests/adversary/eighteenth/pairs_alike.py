"""Equal pairs that look different: sizes, attributes, types, places, floats, interfaces, rounds and networks written in another way."""
import numpy as np

from pair_models import equal, f, f32, i32, i64, n, noise, u8

F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
ONE = dict(x="int64 x", y="int64 y", ranges={"x": (-2 ** 62, 2 ** 62)})
I32 = dict(x="int32[3] x", y="int32[3] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
BYTES = dict(x="uint8[4] x, uint8[4] w", y="uint8[4] y", ranges={"x": (0, 255), "w": (0, 255)})
IMAGE = dict(x="float[1, 4, 4, 6] x", y="float[1, c, k, l] y", finite=True)
TOKENS = dict(x="float[1, 3, 4] x", y="float[1, 3, 4] y", finite=True)
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
# Class (a): sizes beyond every number, sizes equal or apart.
G = "sizes-alike18"
equal(G, "f18-sum-of-uneven-parts", "s = Shape (x) h = Div (s, two) a = Slice (x, zero, h) b = Slice (x, h, s) sa = ReduceSum (a) sb = ReduceSum (b) y = Add (sa, sb)", "y = ReduceSum (x)", "The middle one of an odd number is in one part.", x="float[n] x", y="float[1] y", finite=True, sizes=(0, 1, 2, 3, 7), arrays={"two": i64(2), "zero": i64(0)})
equal(G, "f18-six-axes-round", "a = Transpose <perm = [1, 2, 0, 4, 5, 3]> (x) b = Transpose <perm = [1, 2, 0, 4, 5, 3]> (a) y = Transpose <perm = [1, 2, 0, 4, 5, 3]> (b)", "y = Identity (x)", "Two rings of three come round after three.", x="float[2, 3, 2, 1, 2, 3] x", y="float[2, 3, 2, 1, 2, 3] y")
equal(G, "f18-square-whatever-size", "p = Shape (x) q = ReduceProd <keepdims = 0> (p) d = Gather (p, zero) e = Mul (d, d) s = Sub (q, e) c = Cast <to = 1> (s) y = Add (x, c)", "y = Identity (x)", "A square has as many rows as columns.", x="float[n, n] x", y="float[n, n] y", finite=True, sizes=(0, 1, 2, 3, 7), arrays={"zero": n(0)})
equal(G, "f18-rolled-by-thirds", "a1 = Slice (x, k, big) a2 = Slice (x, z, k) a = Concat <axis = 0> (a1, a2) b1 = Slice (a, m, big) b2 = Slice (a, z, m) y = Concat <axis = 0> (b1, b2)", "y = Identity (x)", "By five of fifteen, and by ten.", x="float[15] x", y="float[15] y", arrays={"k": i64(5), "m": i64(-5), "z": i64(0), "big": i64(999)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (b): attributes apart on each axis, words, negative axes and k, steps, permutations.
G = "attributes-alike18"
equal(G, "f18-average-by-axes", "y = AveragePool <kernel_shape = [3, 2], strides = [2, 3], pads = [1, 0, 1, 1]> (x)", "a = AveragePool <kernel_shape = [1, 2], strides = [1, 3], pads = [0, 0, 0, 1]> (x) y = AveragePool <kernel_shape = [3, 1], strides = [2, 1], pads = [1, 0, 1, 0]> (a)", "As many places as rows times columns.", **IMAGE)
equal(G, "f18-border-in-kernel", "y = Conv <pads = [1, 0, 0, 2]> (x, w)", "p = Pad (x, q) y = Conv (p, w)", "A border of zeros beforehand.", arrays={"w": noise(2, 4, 2, 3, seed=5), "q": i64(0, 0, 1, 0, 0, 0, 0, 2)}, **IMAGE)
equal(G, "f18-gaps-by-zeros", "y = Conv <dilations = [2, 1], group = 2> (x, w)", "y = Conv <group = 2> (x, v)", "A gap is a tap of 0.", arrays={"w": noise(2, 2, 2, 1, seed=6), "v": np.stack([noise(2, 2, 2, 1, seed=6)[:, :, 0], np.zeros((2, 2, 1), np.float32), noise(2, 2, 2, 1, seed=6)[:, :, 1]], axis=2)}, **IMAGE)
equal(G, "f18-every-third-from-behind", "y = Slice (x, s, e, ax, st)", "r = Slice (x, b, low, ax, m) y = Slice (r, o, big, ax, st3)", "From the last but one, either way.", x="float[8] x", y="float[k] y", arrays={"s": i64(-2), "e": i64(-2 ** 31), "ax": i64(-1), "st": i64(-3), "b": i64(-1), "low": i64(-99), "m": i64(-1), "o": i64(1), "big": i64(2 ** 31), "st3": i64(3)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (c): element types: wrap, division, shifts, casts.
G = "types-alike18"
equal(G, "f18-middle-of-bytes-without-carry", "a = Cast <to = 4> (x) b = Cast <to = 4> (w) s = Add (a, b) h = BitShift <direction = \"RIGHT\"> (s, one2) y = Cast <to = 2> (h)", "c = BitwiseAnd (x, w) d = BitwiseXor (x, w) e = BitShift <direction = \"RIGHT\"> (d, one) y = Add (c, e)", "What both have, and half of what one has.", arrays={"one": u8(1)[0], "one2": np.uint16(1)}, **BYTES)
equal(G, "f18-sum-by-digits", "y = Add (x, w)", "c = BitwiseAnd (x, w) d = BitwiseXor (x, w) e = BitShift <direction = \"LEFT\"> (c, one) y = Add (d, e)", "Carries, and digits without.", arrays={"one": u8(1)[0]}, **BYTES)
equal(G, "f18-remainder-of-power", "y = Mod (x, k)", "y = BitwiseAnd (x, m)", "The floored remainder by 16 is the last four digits of negative numbers, too.", arrays={"k": i32(16), "m": i32(15)}, **I32)
equal(G, "f18-opposite-of-complement", "y = Neg (x)", "c = BitwiseNot (x) y = Add (c, one)", "Of the least number as well.", arrays={"one": i32(1)}, **I32)

# ---------------------------------------------------------------------------------------------------------------------------
# Class (d): ties, zeros, extremes, thresholds.
G = "elements-alike18"
equal(G, "f18-place-of-last-largest", "y = ArgMax <axis = 0, keepdims = 0, select_last_index = 1> (x)", "r = Slice (x, m, low, z, m) a = ArgMax <axis = 0, keepdims = 0> (r) y = Sub (three, a)", "The first from behind.", x="int32[4] x", y="int64 y", ranges={"x": (0, 2)}, arrays={"m": i64(-1), "low": i64(-99), "z": i64(0), "three": n(3)})
equal(G, "f18-middle-of-three", "a = Min (x, w) b = Max (x, w) c = Min (b, v) y = Max (a, c)", "s = Concat <axis = 0> (x, w, v) t = Reshape (s, sh) q, i = TopK <axis = 0> (t, two) r = Slice (q, o, tw, z) y = Squeeze (r, z)", "The second of three in order.", x="float[4] x, float[4] w, float[4] v", y="float[4] y", finite=True, arrays={"sh": i64(3, 4), "two": i64(2), "o": i64(1), "tw": i64(2), "z": i64(0)})
equal(G, "f18-threshold-by-gate", "y = ThresholdedRelu <alpha = 2.5> (x)", "g = Greater (x, k) c = Cast <to = 1> (g) y = Mul (x, c)", "Kept or not.", arrays={"k": f(2.5)}, **FF)
equal(G, "f18-all-rise-by-largest-fall", "v = Clip (x, lo, hi) a = Slice (v, o, big) b = Slice (v, z, m) g = Greater (a, b) i = Cast <to = 6> (g) s = ReduceMin <keepdims = 0> (i) y = Cast <to = 9> (s)", "v = Clip (x, lo, hi) a = Slice (v, o, big) b = Slice (v, z, m) d = Sub (b, a) l = ReduceMax <keepdims = 0> (d) y = Less (l, nil)", "Nothing falls, and nothing stays; within bounds no difference wraps.", x="int32[3] x", y="bool y", ranges={"x": (-6, 6)}, arrays={"lo": np.int32(-5), "hi": np.int32(5), "o": i64(1), "z": i64(0), "m": i64(-1), "big": i64(99), "nil": np.int32(0)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (e): indices over their whole range, scatters, out of range.
G = "places-alike18"
TABLE = dict(x="float[4] x, int64[2] i", y="float[2] y", ranges={"i": (-9, 9)})
equal(G, "f18-place-from-either-end", "c = Clip (i, lo, hi) y = Gather (x, c)", "c = Clip (i, lo, hi) j = Mod (c, k) y = Gather (x, j)", "Of all places that there are.", arrays={"k": n(4), "lo": n(-4), "hi": n(3)}, **TABLE)
equal(G, "f18-place-in-doubled", "c = Clip (i, lo, hi) y = Gather (x, c)", "c = Clip (i, lo, hi) d = Concat <axis = 0> (x, x) j = Add (c, k) y = Gather (d, j)", "Four further on there is the same.", arrays={"k": n(4), "lo": n(-4), "hi": n(3)}, **TABLE)
equal(G, "f18-put-by-rows-or-elements", "y = ScatterND (x, i, u)", "j = Expand (i, sh) y = ScatterElements <axis = 0> (x, j, u)", "A place for each of a row; of two the last stays in both.", x="float[4, 3] x, int64[2, 1] i, float[2, 3] u", y="float[4, 3] y", ranges={"i": (-4, 3)}, arrays={"sh": i64(2, 3)})
equal(G, "f18-added-by-marks", "c = Clip (i, lo, hi) o = ConstantOfShape (four) y = ScatterElements <axis = 0, reduction = \"add\"> (o, c, x)", "c = Clip (i, lo, hi) m = OneHot <axis = 0> (c, d, v) y = MatMul (m, x)", "Sums of what has the same mark.", x="float[6] x, int64[6] i", y="float[4] y", finite=True, ranges={"i": (-9, 9)}, arrays={"four": i64(4), "d": n(4), "v": f32(0, 1), "lo": n(-4), "hi": n(3)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (f): floats: reassociation, constants.
G = "floats-alike18"
equal(G, "f18-gate-by-tangent", "v = Clip (x, lo, hi) y = Sigmoid (v)", "v = Clip (x, lo, hi) h = Mul (v, half) t = Tanh (h) a = Add (t, one) y = Mul (a, half)", "Half of the tangent of the half, and a half.", arrays={"half": f(0.5), "one": f(1), "lo": f(-4), "hi": f(9)}, **FF)
equal(G, "f18-logarithm-of-gate", "v = Clip (x, lo, hi) s = Sigmoid (v) y = Log (s)", "v = Clip (x, lo, hi) m = Neg (v) p = Softplus (m) y = Neg (p)", "What is missing from 1.", arrays={"lo": f(-6), "hi": f(2)}, **FF)
equal(G, "f18-power-of-two-taken-out", "a = Mul (x, k) b = Exp (a) y = Mul (b, q)", "c = Add (x, x) d = Exp (c) e = Div (d, four) y = Identity (e)", "Powers of two lose nothing.", arrays={"k": f(2), "q": f(0.25), "four": f(4)}, **FF)
equal(G, "f18-horner", "q = Mul (x, x) c = Mul (q, x) a = Mul (c, k3) b = Mul (q, k2) d = Mul (x, k1) e = Add (a, b) g = Add (e, d) y = Add (g, k0)", "a = Mul (x, k3) b = Add (a, k2) c = Mul (b, x) d = Add (c, k1) e = Mul (d, x) y = Add (e, k0)", "A polynomial from within.", arrays={"k3": f(0.5), "k2": f(-1.5), "k1": f(2), "k0": f(3)}, **FF)

# ---------------------------------------------------------------------------------------------------------------------------
# Class (g): defaults, versions, opaque operators, sizes of 0 and 1.
G = "interfaces-alike18"
equal(G, "f18-foreign-beside-identities", "i = Identity (x) a = own.blend (i, w) y = Identity (a)", "a = own.blend (x, w) y = Identity (a)", "What has another name is the same.", x="float[4] x, float[4] w", runs=False, domains={"own": 1})
equal(G, "f18-axes-as-attribute-or-input", {"body": "y = ReduceSum <axes = [-1], keepdims = 0> (x)", "opset": 12}, {"body": "y = ReduceSum <keepdims = 0> (x, ax)", "arrays": {"ax": i64(1)}}, "Axes were attributes.", x="float[n, m] x", y="float[n] y", finite=True, sizes=(1, 2, 5))
equal(G, "f18-sum-of-perhaps-none", "a = ReduceSum <keepdims = 0> (x, ax) y = Add (a, w)", "u = Unsqueeze (w, ax) c = Concat <axis = 0> (u, x) y = ReduceSum <keepdims = 0> (c, ax)", "Added beforehand or afterwards, to no rows too.", x="float[n, 3] x, float[3] w", y="float[3] y", finite=True, sizes=(0, 1, 2, 5), arrays={"ax": i64(0)})

# ---------------------------------------------------------------------------------------------------------------------------
# Class (h): If, Loop and Scan.
G = "rounds-alike18"
equal(G, "f18-branch-that-is-never-taken", "q = Mul (x, x) r = Mod (q, k) e = Equal (r, three) i = Cast <to = 6> (e) s = ReduceMax <keepdims = 0> (i) c = Cast <to = 9> (s) y = If (c) <then_branch = a () => (int32[3] t) { t = Neg (x) }, else_branch = b () => (int32[3] u) { u = Identity (x) }>", "y = Identity (x)", "No square leaves 3 of 4, nor does what it wraps to.", arrays={"k": i32(4)[0], "three": i32(3)[0]}, **I32)
equal(G, "f18-sums-of-scan", "s, y = Scan <num_scan_inputs = 1, scan_input_directions = [1], scan_output_directions = [1], body = bd (float s0, float v) => (float w, float o) { w = Add (s0, v) o = Identity (w) }> (z, x)", "y = CumSum <reverse = 1> (x, ax)", "Sums from behind, each in its place.", arrays={"z": f(0), "ax": n(0)}, **FF)
equal(G, "f18-common-divisor-of-prime", "a = Mod (x, k) c0 = Greater (a, z) g, y = Loop (m, c0, a, k) <body = bd (int64 i, bool d, int64 p, int64 q) => (bool e, int64 r, int64 s) { r = Mod (q, p) s = Identity (p) e = Greater (r, z) }>", "a = Mod (x, k) c = Equal (a, z) y = Where (c, k, one)", "A prime has a divisor in common with its multiples alone; nine rounds are enough.", arrays={"k": n(89), "z": n(0), "m": n(9), "one": n(1)}, **ONE)
equal(G, "f18-one-round-for-each-power", "a = Abs (x) b = Mod (a, k) y = Loop (b, t, one) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, v) e = Identity (d) }>", "a = Abs (x) b = Mod (a, k) y = Pow (two, b)", "Doubled as often as is said.", arrays={"k": n(40), "t": T, "one": n(1), "two": n(2)}, **ONE)

# ---------------------------------------------------------------------------------------------------------------------------
# Class (i): whole-model refactorings.
G = "networks-alike18"
equal(G, "f18-norm-by-hand", "a = ReduceMean (x, ax) c = Sub (x, a) q = Mul (c, c) v = ReduceMean (q, ax) e = Add (v, eps) s = Sqrt (e) d = Div (c, s) g = Mul (d, w) y = Add (g, b)", "y = LayerNormalization <axis = -1, epsilon = 0.001> (x, w, b)", "Step by step.", arrays={"ax": i64(-1), "eps": f(1e-3), "w": f32(1, 2, 0.5, -1), "b": f32(0, 1, 2, 3)}, **TOKENS)
HEADS = "h = Reshape (x, sh) q = Transpose <perm = [0, 2, 1, 3]> (h) k = Transpose <perm = [0, 2, 3, 1]> (h) {} w = Softmax (m) o = MatMul (w, q) t = Transpose <perm = [0, 2, 1, 3]> (o) y = Reshape (t, back)"
MASK = np.triu(np.full((3, 3), -np.inf, np.float32), 1)
equal(G, "f18-scale-of-queries-and-mask-by-choice", HEADS.format("s = MatMul (q, k) a = Mul (s, half) m = Add (a, mask)"), HEADS.format("g = Mul (q, half) s = MatMul (g, k) m = Where (seen, s, low)"), "What is masked has no share either way.", arrays={"sh": i64(1, 3, 2, 2), "back": i64(1, 3, 4), "half": f(0.5), "mask": MASK, "seen": np.tril(np.ones((3, 3), bool)), "low": f(-np.inf)}, **TOKENS)
equal(G, "f18-bias-of-keys-cancels", HEADS.format("s = MatMul (q, k) m = Identity (s)"), HEADS.format("kb = Add (k, b) s = MatMul (q, kb) m = Identity (s)"), "The same for all keys.", arrays={"sh": i64(1, 3, 2, 2), "back": i64(1, 3, 4), "b": f32(0.5, -1, 0.25, 2, shape=(1, 2, 2, 1))}, **TOKENS)
W, R = noise(1, 2, 3, seed=7), noise(1, 2, 2, seed=8)
equal(G, "f18-recurrence-by-scan", "v, h = RNN <hidden_size = 2> (x, w, r) y = Squeeze (h, zero)", "s = Squeeze (x, one) y2, hs = Scan <num_scan_inputs = 1, body = bd (float[2] s0, float[3] v) => (float[2] s1, float[2] o) { a = MatMul (w0, v) b = MatMul (r0, s0) c = Add (a, b) s1 = Tanh (c) o = Identity (s1) }> (z, s) y = Unsqueeze (y2, zero)", "A state that each step takes on.", x="float[5, 1, 3] x", y="float[1, 2] y", finite=True, arrays={"w": W, "r": R, "w0": W[0], "r0": R[0], "z": f32(0, 0), "zero": i64(0), "one": i64(1)})
