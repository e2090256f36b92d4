"""Pairs that differ: norms beside their epsilon, masks and caches, mixed types, what is no number, tiny constants, ties and rare thresholds."""
import numpy as np

from pair_models import different, f, f32, i64, n, ramp

N = dict(x="float[n] x", y="float[n] y")
F = dict(x="float[4] x", y="float[4] y")
B = dict(x="float[4] x", y="bool[4] y")
TWO = dict(x="float[4] x, float[4] z", y="float[4] y")
INF = np.float32(np.inf)
NAN = np.float32(np.nan)


# ---------------------------------------------------------------------------------------------------------------------------
G = "norms16"
CENTRE = "m = ReduceMean (x) c = Sub (x, m) q = Mul (c, c) v = ReduceMean (q) "
different(G, "f16-epsilon-outside-root", CENTRE + "a = Add (v, e) s = Sqrt (a) y = Div (c, s)", CENTRE + "s = Sqrt (v) a = Add (s, e) y = Div (c, a)", {"x": f32(1e-3, -1e-3, 1e-3, -1e-3)}, "A root of a hundred-thousandth is three thousandths.", arrays={"e": f32(1e-5)}, **F)
different(G, "f16-epsilon-as-floor", CENTRE + "a = Add (v, e) s = Sqrt (a) y = Div (c, s)", CENTRE + "a = Max (v, e) s = Sqrt (a) y = Div (c, s)", {"x": f32(1e-6, -1e-6, 1e-6, -1e-6)}, "As large as epsilon the spread counts twice.", arrays={"e": f32(1e-12)}, **F)
different(G, "f16-length-and-a-little", "l = ReduceL2 (x) d = Max (l, e) y = Div (x, d)", "l = ReduceL2 (x) d = Add (l, e) y = Div (x, d)", {"x": f32(5e-13, 5e-13, 5e-13, 5e-13)}, "A length of 1e-12.", arrays={"e": f32(1e-12)}, **N)
different(G, "f16-masked-mean-of-parts", "p = Mul (x, z) s = ReduceSum (p) c = ReduceSum (z) d = Max (c, one) y = Div (s, d)", "p = Mul (x, z) s = ReduceSum (p) c = ReduceSum (z) d = Add (c, e) y = Div (s, d)", {"x": f32(1, 1, 1, 1), "z": f32(0.5, 0, 0, 0)}, "A mask of a half is less than one.", x="float[4] x, float[4] z", y="float[1] y", arrays={"one": f32(1), "e": f32(1e-6)})
different(G, "f16-root-of-mean-in-half", "q = Mul (x, x) v = ReduceMean (q) y = Sqrt (v)", "w = Cast <to = 1> (x) q = Mul (w, w) v = ReduceMean (q) s = Sqrt (v) y = Cast <to = 10> (s)", {"x": np.full(4, 300, np.float16)}, "90,000 is infinite in float16.", x="float16[4] x", y="float16[1] y", reference=True, fault="overflow")
different(G, "f16-spread-by-squares", "q = Mul (x, x) a = ReduceMean (q) m = ReduceMean (x) b = Mul (m, m) y = Sub (a, b)", CENTRE + "y = Identity (v)", {"x": f32(10000, 10001, 10002, 10003)}, "Of a hundred million nothing is left of one.", x="float[4] x", y="float[1] y", fault="precision")
different(G, "f16-shares-without-largest", "e = Exp (x) s = ReduceSum (e) y = Div (e, s)", "y = Softmax <axis = 0> (x)", {"x": f32(100, 100, 100, 100)}, "Exponentials of a hundred.", fault="overflow", **F)
different(G, "f16-logarithm-of-share", "s = Softmax <axis = 0> (x) y = Log (s)", "y = LogSoftmax <axis = 0> (x)", {"x": f32(0, -200, 0, 0)}, "A share of nothing.", fault="overflow", **F)
different(G, "f16-sum-of-exponentials-in-half", "e = Exp (x) s = ReduceSum (e) y = Log (s)", "w = Cast <to = 1> (x) s = ReduceLogSumExp (w) y = Cast <to = 10> (s)", {"x": np.full(4, 12, np.float16)}, "The exponential of twelve is infinite in float16.", x="float16[4] x", y="float16[1] y", reference=True, fault="overflow")

# ---------------------------------------------------------------------------------------------------------------------------
G = "masks16"
MASK = dict(x="float[4] x, bool[4] m", y="float[4] y")
K = {"none": -INF, "low": f(-1e9), "few": f(-10000), "one": f(1), "cap": f(20), "zero": f(0), "eight": n(8), "seven": n(7), "nine": n(9), "ten": n(10), "i0": n(0), "i1": n(1)}
ADDED = "k = Cast <to = 1> (m) o = Sub (one, k) b = Mul (o, {}) "
different(G, "f16-hidden-by-ten-thousand", ADDED.format("few") + "s = Add (x, b) y = Softmax <axis = 0> (s)", "s = Where (m, x, none) y = Softmax <axis = 0> (s)", {"x": f32(20000, 0, 0, 0), "m": np.array([False, True, True, True])}, "A score of twenty thousand shows through.", arrays=K, **MASK)
different(G, "f16-nobody-to-look-at", "s = Where (m, x, low) y = Softmax <axis = 0> (s)", "s = Where (m, x, none) y = Softmax <axis = 0> (s)", {"x": f32(1, 2, 3, 4), "m": np.zeros(4, bool)}, "All are hidden: alike, or no number.", arrays=K, **MASK)
different(G, "f16-cap-behind-mask", "a = Div (x, cap) t = Tanh (a) c = Mul (t, cap) s = Where (m, c, low) y = Softmax <axis = 0> (s)", "w = Where (m, x, low) a = Div (w, cap) t = Tanh (a) s = Mul (t, cap) y = Softmax <axis = 0> (s)", {"x": f32(-400, -400, -400, -400), "m": np.array([True, False, False, False])}, "What is seen is as far down as the cap lets the hidden fall.", arrays=K, **MASK)
different(G, "f16-zeroed-after-shares", "s = Where (m, x, low) p = Softmax <axis = 0> (s) y = Where (m, p, zero)", "e = Softmax <axis = 0> (x) k = Where (m, e, zero) t = ReduceSum (k) y = Div (k, t)", {"x": f32(200, 0, 0, 1), "m": np.array([False, True, True, True])}, "Beside the hidden one the others have vanished.", arrays=K, **MASK)
SQUARE = dict(x="float[n, n] x", y="float[n, n] y")
PLACES = "h = Shape <start = 0, end = 1> (x) l = Squeeze (h) r = Range (i0, l, i1) a = Unsqueeze (r, i1v) b = Unsqueeze (r, i0v) d = Sub (a, b) "
KK = K | {"i0v": i64(0), "i1v": i64(1)}
different(G, "f16-window-of-nine", PLACES + "k = Less (d, nine) y = Where (k, x, zero)", PLACES + "k = LessOrEqual (d, nine) y = Where (k, x, zero)", {"x": np.ones((10, 10), np.float32)}, "Ten rows are needed to see the tenth.", arrays=KK, **SQUARE)
different(G, "f16-lower-part-beside-cache", "y = Trilu <upper = 0> (x)", "h = Shape <start = 0, end = 1> (x) w = Shape <start = 1, end = 2> (x) d = Sub (w, h) k = Squeeze (d) y = Trilu <upper = 0> (x, k)", {"x": np.ones((1, 3), np.float32)}, "One query after two that are kept sees three.", x="float[n, k] x", y="float[n, k] y")
different(G, "f16-place-in-ring", "a = Mod (p, eight) i = Unsqueeze (a, i0v) y = Gather (x, i)", "a = Min (p, seven) i = Unsqueeze (a, i0v) y = Gather (x, i)", {"x": ramp(8), "p": n(9)}, "After the eighth the first, or the last once more.", x="float[8] x, int64 p", y="float[1] y", arrays=KK)
IDS = dict(x="int64[5] x", y="int64[5] y")
different(G, "f16-places-of-hidden", "c = CumSum (x, i0) d = Mul (c, x) y = Sub (d, i1)", "c = CumSum (x, i0) d = Sub (c, i1) y = Mul (d, x)", {"x": i64(0, 1, 1, 0, 1)}, "What is hidden is at -1, or at 0.", arrays=K, **IDS)
different(G, "f16-places-from-zero", "c = CumSum (x, i0) d = Sub (c, i1) y = Max (d, i0)", "c = CumSum (x, i0) d = Sub (c, i1) e = Equal (x, i0) y = Where (e, i1, d)", {"x": i64(0, 1, 1, 1, 1)}, "Filled with one, or held at zero.", arrays=K, **IDS)
different(G, "f16-length-and-a-half", "k = Less (r, l) y = Where (k, x, zero)", "j = Sub (l, one) k = LessOrEqual (r, j) y = Where (k, x, zero)", {"x": f32(1, 1, 1, 1), "l": f(2.5)}, "Two and a half hold three, or two.", x="float[4] x, float l", y="float[4] y", arrays=K | {"r": f32(0, 1, 2, 3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "mixed16"
different(G, "f16-tenth-in-double", "y = LessOrEqual (x, t)", "w = Cast <to = 11> (x) y = LessOrEqual (w, d)", {"x": f32(0.1, 0, 0, 0)}, "The float of a tenth is above a tenth.", arrays={"t": f(0.1), "d": np.float64(0.1)}, **B)
different(G, "f16-equal-as-floats", "a = Cast <to = 1> (x) b = Cast <to = 1> (z) y = Equal (a, b)", "y = Equal (x, z)", {"x": i64(2 ** 24, 1), "z": i64(2 ** 24 + 1, 1)}, "Above 2^24 two integers are one float.", x="int64[2] x, int64[2] z", y="bool[2] y")
different(G, "f16-above-one-in-half", "h = Cast <to = 10> (x) w = Cast <to = 1> (h) y = Greater (w, one)", "y = Greater (x, one)", {"x": f32(1.0002, 0, 0, 0)}, "In float16 it is one.", arrays={"one": f(1)}, **B)
different(G, "f16-rounded-by-cast", "r = Relu (x) a = Add (r, h) y = Cast <to = 6> (a)", "r = Relu (x) a = Round (r) y = Cast <to = 6> (a)", {"x": f32(2.5, 0, 0, 0)}, "Two and a half.", x="float[4] x", y="int32[4] y", arrays={"h": f(0.5)})
different(G, "f16-true-by-floor", "a = Floor (x) y = Cast <to = 9> (a)", "y = GreaterOrEqual (x, one)", {"x": f32(-0.5, 0, 2, 1)}, "Below zero the floor is -1.", arrays={"one": f(1)}, **B)
different(G, "f16-half-of-integer", "a = Cast <to = 1> (x) b = Mul (a, h) c = Floor (b) y = Cast <to = 7> (c)", "y = Div (x, two)", {"x": i64(-3, 3, 2)}, "Of -3 it is -2, or -1.", x="int64[3] x", y="int64[3] y", arrays={"h": f(0.5), "two": n(2)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "no-number16"
C = {"zero": f(0), "one": f(1), "two": f(2), "half": f(0.5), "three": f(3), "e": f(1e-8), "big": f(1e30), "small": f(1e-20), "tiny": f(1e-10), "k": f(1000), "w": f(1.5)}
different(G, "f16-no-number-times-false", "q = Equal (x, x) y = Where (q, x, zero)", "q = Equal (x, x) c = Cast <to = 1> (q) y = Mul (x, c)", {"x": f32(NAN, 1, 2, 3)}, "Nothing times no number is none.", arrays=C, **F)
different(G, "f16-clip-by-choices", "y = Clip (x, zero, one)", "a = Greater (x, one) b = Greater (x, zero) c = Where (b, x, zero) y = Where (a, one, c)", {"x": f32(NAN, 1, 2, 3)}, "No number is above nothing.", arrays=C, **F)
different(G, "f16-quotient-or-zero", "q = Equal (x, zero) d = Div (z, x) y = Where (q, zero, d)", "q = Equal (x, zero) r = Reciprocal (x) s = Where (q, zero, r) y = Mul (z, s)", {"x": f32(0, 1, 1, 1), "z": f32(INF, 1, 1, 1)}, "Infinitely many times nothing.", arrays=C, **TWO)
different(G, "f16-root-above-zero", "a = Max (x, zero) y = Sqrt (a)", "a = Sqrt (x) y = Max (a, zero)", {"x": f32(-1, 1, 2, 3)}, "Below zero there is no root.", arrays=C, **F)
different(G, "f16-half-power-of-least", "y = Sqrt (x)", "y = Pow (x, half)", {"x": f32(-INF, 1, 2, 3)}, "Minus infinity to a half is infinite.", arrays=C, **F)
different(G, "f16-square-then-half-of-cube", "a = Pow (x, two) y = Pow (a, w)", "a = Mul (x, x) y = Mul (a, x)", {"x": f32(-1, 1, 2, 3)}, "A square has no sign.", arrays=C, **F)
different(G, "f16-mixed-by-mask", "y = Where (m, x, z)", "c = Cast <to = 1> (m) o = Sub (one, c) a = Mul (x, c) b = Mul (z, o) y = Add (a, b)", {"x": f32(1, 1, 1, 1), "z": f32(INF, 1, 1, 1), "m": np.ones(4, bool)}, "None of an infinity.", x="float[4] x, float[4] z, bool[4] m", y="float[4] y", arrays=C)
different(G, "f16-between-two", "d = Sub (z, x) p = Mul (d, t) y = Add (x, p)", "o = Sub (one, t) a = Mul (x, o) b = Mul (z, t) y = Add (a, b)", {"x": f32(1e10, 0, 0, 0), "z": f32(1, 1, 1, 1), "t": f(1)}, "At the end the beginning has taken the digits.", x="float[4] x, float[4] z, float t", y="float[4] y", arrays=C, fault="precision")

# ---------------------------------------------------------------------------------------------------------------------------
G = "tiny16"
different(G, "f16-step-by-large-factor", "a = Mul (x, big) y = Clip (a, zero, one)", "g = Greater (x, zero) y = Cast <to = 1> (g)", {"x": f32(1e-31, 1, 0, -1)}, "A tenth of the factor's reciprocal.", arrays=C, **F)
different(G, "f16-sign-by-small-summand", "a = Abs (x) d = Add (a, small) y = Div (x, d)", "y = Sign (x)", {"x": f32(1e-20, 1, 0, -1)}, "As small as the summand.", arrays=C, **F)
different(G, "f16-soft-bend", "a = Mul (x, k) s = Softplus (a) y = Div (s, k)", "y = Relu (x)", {"x": f32(0, 1, 2, 3)}, "At the bend seven ten-thousandths.", arrays=C, **F)
different(G, "f16-quotient-by-nearly-zero", "d = Add (z, e) y = Div (x, d)", "q = Equal (z, zero) s = Where (q, e, z) y = Div (x, s)", {"x": f32(1, 1, 1, 1), "z": f32(1e-8, 1, 1, 1)}, "As small as the summand.", arrays=C, **TWO)
different(G, "f16-logarithm-of-floor", "a = Add (x, tiny) y = Log (a)", "a = Max (x, tiny) y = Log (a)", {"x": f32(1e-10, 1, 2, 3)}, "Twice as much is seven tenths more.", arrays=C, **F)
different(G, "f16-swish-of-rounded-sixth", "y = HardSwish (x)", "h = HardSigmoid <alpha = 0.1667, beta = 0.5> (x) y = Mul (x, h)", {"x": f32(-2.9996, 0, 1, 2)}, "Near -3 the rounded sixth is closed.", **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "thresholds16"
S = {"zero": f(0), "one": f(1), "hundred": f(100), "half": f(0.5), "pi": f(314), "wide": f(2 ** 24), "i3": n(3), "i25": f(25), "low": f(-50), "two": f(2)}
different(G, "f16-open-gate", "g = Sigmoid (x) q = Equal (g, one) y = Where (q, zero, x)", "y = Identity (x)", {"x": f32(30, 1, 2, 3)}, "Far out the gate is one.", arrays=S, **F)
different(G, "f16-exponential-beyond", "e = Exp (x) q = IsInf (e) r = Relu (x) y = Where (q, zero, r)", "y = Relu (x)", {"x": f32(95, 1, 2, 3)}, "From 89 on.", arrays=S, **F)
different(G, "f16-half-way-exactly", "r = Round (x) d = Sub (x, r) a = Abs (d) q = Equal (a, half) p = Add (x, one) y = Where (q, p, x)", "y = Identity (x)", {"x": f32(7.5, 1, 2, 3)}, "Half-way between two whole numbers.", arrays=S, **F)
different(G, "f16-hundred-in-all", "s = ReduceSum (x) q = Equal (s, hundred) p = Add (x, one) y = Where (q, p, x)", "y = Identity (x)", {"x": f32(25, 25, 25, 25)}, "A sum of just a hundred.", arrays=S, **F)
different(G, "f16-circle-of-five", "a, b = Split <axis = 0, num_outputs = 2> (x) q = Mul (x, x) s = ReduceSum (q) e = Equal (s, i25) d = Greater (a, b) k = And (e, d) p = Add (x, one) y = Where (k, p, x)", "y = Identity (x)", {"x": f32(4, 3)}, "Four and three.", x="float[2] x", y="float[2] y", arrays=S)
different(G, "f16-first-digits-of-pi", "h = Mul (x, hundred) w = Floor (h) q = Equal (w, pi) p = Add (x, one) y = Where (q, p, x)", "y = Identity (x)", {"x": f32(3.145, 1, 2, 3)}, "A hundredth of the line.", arrays=S, **F)
different(G, "f16-three-above-hundred", "g = Greater (x, hundred) c = Cast <to = 7> (g) s = ReduceSum (c) q = Equal (s, i3) p = Neg (x) y = Where (q, p, x)", "y = Identity (x)", {"x": f32(101, 102, 103, 1)}, "Three of four.", arrays=S, **F)
different(G, "f16-all-far-below", "g = ReduceMax (x) q = Less (g, low) p = Neg (x) y = Where (q, p, x)", "y = Identity (x)", {"x": f32(-60, -70, -80, -90)}, "Not one is above -50.", arrays=S, **F)
different(G, "f16-absorbed", "a = Add (x, wide) q = Equal (a, wide) y = Where (q, zero, x)", "y = Identity (x)", {"x": f32(0.5, 10, 20, 30)}, "A half is lost beside 2^24.", arrays=S, fault="precision", **F)
different(G, "f16-on-threshold", "y = ThresholdedRelu <alpha = 1.0> (x)", "q = GreaterOrEqual (x, one) y = Where (q, x, zero)", {"x": f32(1, 2, 3, 0)}, "On the threshold.", arrays=S, **F)
different(G, "f16-on-end-of-shrink", "y = Shrink <lambd = 0.5, bias = 0.0> (x)", "a = Abs (x) q = GreaterOrEqual (a, half) y = Where (q, x, zero)", {"x": f32(-0.5, 2, 3, 0)}, "On the end.", arrays=S, **F)
different(G, "f16-ends-exchanged", "a = Max (x, l) y = Min (a, h)", "a = Min (x, h) y = Max (a, l)", {"x": f32(1, 2, 3, 0), "l": f(2), "h": f(1)}, "The lower end is above the upper one.", x="float[4] x, float l, float h", y="float[4] y")
different(G, "f16-alike-or-first", "y = Hardmax <axis = 0> (x)", "g = ReduceMax (x) q = Equal (x, g) y = Cast <to = 1> (q)", {"x": f32(1, 3, 3, 2)}, "Two are the largest.", **F)
