"""Pairs that differ: guards of quotients, rounded halves, numbers that wrap, networks that sort nearly, windows, recurrences, lengths."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
ONE = dict(x="int64 x", y="int64 y")
I64 = dict(x="int64[3] x", y="int64[3] y")
B64 = dict(x="int64[3] x", y="bool y")
TWO = dict(x="int64 x, int64 z", y="int64 y")
N = dict(x="float[n] x", y="float[n] y")
NM = dict(x="float[n, m] x", y="float[n, m] y")
L = dict(x="float[1, 1, n] x", y="float[1, 1, k] y")
T = np.bool_(True)


def f(value):
    return np.float32(value)


def n(value):
    return np.int64(value)


def line(*values):
    return f32(*values, shape=(1, 1, len(values)))


# ---------------------------------------------------------------------------------------------------------------------------
G = "guards13"
different(G, "f13-length-above-or-beside-little", "l = ReduceL2 <keepdims = 1> (x, a) m = Max (l, e) y = Div (x, m)", "l = ReduceL2 <keepdims = 1> (x, a) m = Add (l, e) y = Div (x, m)", {"x": f32(1e-12, 0, 0, 0)}, "A length no larger than the guard.", arrays={"a": i64(0), "e": f(1e-12)}, **F)
different(G, "f13-logarithm-above-or-beside-little", "c = Abs (x) m = Max (c, e) y = Log (m)", "c = Abs (x) m = Add (c, e) y = Log (m)", {"x": f32(1e-8, 1, 2, 3)}, "At the guard the one is twice the other.", arrays={"e": f(1e-8)}, **F)
different(G, "f13-size-by-guarded-root", "q = Mul (x, x) a = Add (q, e) y = Sqrt (a)", "y = Abs (x)", {"x": f32(0, 1, 2, 3)}, "Nothing has the size of the guard's root.", arrays={"e": f(1e-4)}, **F)
different(G, "f13-mean-of-none-left", "c = Cast <to = 1> (m) p = Mul (x, c) s = ReduceSum (p) k = ReduceSum (c) g = Max (k, o) y = Div (s, g)", "c = Cast <to = 1> (m) p = Mul (x, c) s = ReduceSum (p) k = ReduceSum (c) y = Div (s, k)", {"x": f32(1, 2, 3, 4), "m": np.zeros(4, bool)}, "None is left.", x="float[4] x, bool[4] m", y="float[1] y", arrays={"o": f(1)})
different(G, "f13-nothing-left-to-attend", "w = Where (m, x, l) y = Softmax (w)", "c = Not (m) b = Cast <to = 1> (c) p = Mul (b, k) a = Add (x, p) y = Softmax (a)", {"x": f32(1, 2, 3, 4), "m": np.zeros(4, bool)}, "Where all is masked there are no shares, or all the same.", x="float[4] x, bool[4] m", y="float[4] y", arrays={"l": f(-np.inf), "k": f(-1e9)})
different(G, "f13-quotient-chosen-or-guarded", "e = Equal (z, o) s = Where (e, one, z) q = Div (x, s) y = Where (e, o, q)", "a = Add (z, g) q = Div (x, a) y = Identity (q)", {"x": f32(1, 2, 3, 4), "z": f32(0, 1, 2, 3)}, "By nothing is nothing, or very much.", x="float[4] x, float[4] z", y="float[4] y", arrays={"o": f(0), "one": f(1), "g": f(1e-12)})
different(G, "f13-angle-on-axis-below", "d = Div (z, x) a = Atan (d) l = Less (x, o) p = GreaterOrEqual (z, o) s = Where (p, pi, mi) b = Add (a, s) y = Where (l, b, a)", "d = Div (z, x) a = Atan (d) l = Less (x, o) p = Greater (z, o) s = Where (p, pi, mi) b = Add (a, s) y = Where (l, b, a)", {"x": f32(-1, 1, 2, 3), "z": f32(0, 1, 2, 3)}, "On the axis below zero, half a turn either way.", x="float[4] x, float[4] z", y="float[4] y", arrays={"o": f(0), "pi": f(np.pi), "mi": f(-np.pi)})
different(G, "f13-cube-of-angle", "a = Acos (x) b = Mul (a, k) y = Cos (b)", "q = Mul (x, x) c = Mul (q, x) a = Mul (c, k4) b = Mul (x, k) y = Sub (a, b)", {"x": f32(2, 0.5, 0, 1)}, "Beyond one there is no angle.", arrays={"k": f(3), "k4": f(4)}, **F)
different(G, "f13-nearly-half", "a = Add (x, h) y = Floor (a)", "r = Round (x) d = Floor (x) g = Sub (x, d) e = Equal (g, h) c = Ceil (x) y = Where (e, c, r)", {"x": np.array([np.nextafter(np.float32(0.5), np.float32(0)), 1, 2, 3], np.float32)}, "The number just below a half is one when a half is added.", arrays={"h": f(0.5)}, **F)
different(G, "f13-through-eight-million", "a = Add (x, k) y = Sub (a, k)", "y = Identity (x)", {"x": f32(0.25, 1, 2, 3)}, "Beside 2^23 no fraction is left.", fault="precision", arrays={"k": f(2 ** 23)}, **F)
different(G, "f13-shift-before-norm", "a = Add (x, k) y = LayerNormalization (a, g)", "y = LayerNormalization (x, g)", {"x": f32(1e-5, 2e-5, 3e-5, 5e-5, 1, 2, 3, 4, shape=(2, 4))}, "Beside 2 small numbers have few digits.", x="float[2, 4] x", y="float[2, 4] y", fault="precision", arrays={"g": f32(1, 2, 0.5, -1), "k": f(2)})
different(G, "f13-square-is-two-and-a-quarter", "y = Identity (x)", "q = Mul (x, x) e = Equal (q, k) o = Neg (x) y = Where (e, o, x)", {"x": f32(-1.5, 1, 2, 3)}, "At one and a half on either side.", arrays={"k": f(2.25)}, **F)
different(G, "f13-thousandths", "y = Identity (x)", "m = Mul (x, k) d = Floor (m) e = Equal (d, j) o = Neg (x) y = Where (e, o, x)", {"x": f32(77.7775, 1, 2, 3)}, "Between two thousandths.", arrays={"k": f(1000), "j": f(77777)}, **F)
different(G, "f13-gap-of-two-inputs", "y = Add (x, z)", "d = Sub (x, z) a = Abs (d) s = Sub (a, k) t = Abs (s) l = Less (t, e) m = Add (x, z) o = Neg (m) y = Where (l, o, m)", {"x": f32(40, 1, 2, 3), "z": f32(3, 1, 2, 3)}, "Where both are 37 apart.", x="float[4] x, float[4] z", y="float[4] y", arrays={"k": f(37), "e": f(0.01)})
different(G, "f13-smallest-above-all-negatives", "m = ReduceMin <keepdims = 0> (x) r = Relu (m) y = Add (x, r)", "y = Identity (x)", {"x": f32(3, 4, 5, 6)}, "All four are above nothing.", **F)
different(G, "f13-in-order-all-four", "y = Identity (x)", "a = Slice (x, b0, e3) b = Slice (x, b1, e4) l = Less (a, b) c = Cast <to = 6> (l) s = ReduceSum <keepdims = 0> (c) e = Equal (s, k3) o = Neg (x) y = Where (e, o, x)", {"x": f32(1, 2, 3, 4)}, "Rising throughout.", arrays={"b0": i64(0), "b1": i64(1), "e3": i64(3), "e4": i64(4), "k3": np.int32(3)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "wraps13"
different(G, "f13-size-before-remainder", "a = Abs (x) y = Mod <fmod = 1> (a, k)", "r = Mod <fmod = 1> (x, k) y = Abs (r)", {"x": i64(-2 ** 63, 1, 2)}, "The least number is its own size.", arrays={"k": n(10)}, **I64)
different(G, "f13-squares-of-nothing", "q = Mul (x, x) s = ReduceSum <keepdims = 0> (q) y = Equal (s, z)", "e = Equal (x, z) c = Cast <to = 7> (e) y0 = ReduceMin <keepdims = 0> (c) y = Cast <to = 9> (y0)", {"x": i64(2 ** 32, 0, 0)}, "A square that wraps to nothing.", arrays={"z": n(0)}, **B64)
PAIRWISE = "a, b, c = Split <axis = 0, num_outputs = 3> (x) "
different(G, "f13-all-unlike-by-product", PAIRWISE + "d = Sub (a, b) e = Sub (b, c) g = Sub (a, c) p = Mul (d, e) q = Mul (p, g) r = Equal (q, z) y0 = Not (r) y = Squeeze (y0, ax)", PAIRWISE + "d = Equal (a, b) e = Equal (b, c) g = Equal (a, c) p = Or (d, e) q = Or (p, g) y0 = Not (q) y = Squeeze (y0, ax)", {"x": i64(0, 2 ** 32, 2 ** 33)}, "A product of differences that wraps to nothing.", arrays={"z": n(0), "ax": i64(0)}, **B64)
different(G, "f13-order-by-difference", "d = Sub (x, w) y = Less (d, z)", "y = Less (x, w)", {"x": i64(-2 ** 63, 1, 2), "w": i64(1, 1, 2)}, "A difference that wraps.", x="int64[3] x, int64[3] w", y="bool[3] y", arrays={"z": n(0)})
different(G, "f13-product-of-two-primes", "y = Sub (x, z)", "p = Mul (x, z) e = Equal (p, k) g = Greater (x, o) h = Greater (z, x) c = And (e, g) d = And (c, h) s = Sub (x, z) t = Neg (s) y = Where (d, t, s)", {"x": n(101), "z": n(103)}, "101 and 103.", arrays={"k": n(10403), "o": n(1)}, **TWO)
different(G, "f13-two-cubes", "y = Add (x, z)", "a = Mul (x, x) b = Mul (a, x) c = Mul (z, z) d = Mul (c, z) s = Add (b, d) e = Equal (s, k) l = Less (x, t) g = Less (z, x) u = And (e, l) v = And (u, g) m = Add (x, z) w = Neg (m) y = Where (v, w, m)", {"x": n(10), "z": n(9)}, "1729 as ten and nine, not as twelve and one.", arrays={"k": n(1729), "t": n(11)}, **TWO)
different(G, "f13-quotient-up-of-negatives", "a = Add (x, k2) y = Div (a, k3)", "m = Neg (x) d = Div (m, k3) y = Neg (d)", {"x": i64(1, 3, 6)}, "Up, or to zero.", arrays={"k2": n(2), "k3": n(3)}, **I64)
different(G, "f13-hash-of-two", "y = Mul (x, z)", "a = Mul (x, p) b = Mul (z, q) h = BitwiseXor (a, b) e = Equal (h, k) m = Mul (x, z) o = Add (m, p) y = Where (e, o, m)", {"x": n(12345), "z": n(-678)}, "One number of two that are mixed.", arrays={"p": n(6364136223846793005), "q": n(1442695040888963407), "k": np.int64((12345 * 6364136223846793005 ^ -678 * 1442695040888963407) % 2 ** 64 - (2 ** 64 if (12345 * 6364136223846793005 ^ -678 * 1442695040888963407) % 2 ** 64 >= 2 ** 63 else 0))}, **TWO)
different(G, "f13-seven-alike-in-eight", "a = BitwiseAnd (x, m) y = Equal (a, k)", "a = BitwiseAnd (x, m2) y = Equal (a, k2)", {"x": i64(0x5A, 0x5B, 1)}, "The lowest of eight digits is looked at, or not.", x="int64[3] x", y="bool[3] y", arrays={"m": n(0xFF), "k": n(0x5A), "m2": n(0xFE), "k2": n(0x5A)})
different(G, "f13-middle-of-far-apart", "s = Add (x, w) y = Div (s, two)", "d = Sub (w, x) h = Div (d, two) y = Add (x, h)", {"x": i64(2 ** 62, 0, 1), "w": i64(2 ** 62 + 2, 2, 3)}, "A sum beyond all numbers.", x="int64[3] x, int64[3] w", y="int64[3] y", arrays={"two": n(2)})
different(G, "f13-power-of-two-by-exponential", "c = Clip (x, lo, hi) a = Cast <to = 1> (c) p = Mul (a, l) e = Exp (p) r = Round (e) y = Cast <to = 7> (r)", "c = Clip (x, lo, hi) y = Pow (two, c)", {"x": i64(30, 1, 2)}, "From about 2^20 on an exponential in single is off by some.", arrays={"lo": n(0), "hi": n(30), "l": f(np.log(2)), "two": n(2)}, **I64)
different(G, "f13-place-of-largest-bit", "c = Clip (x, lo, hi) a = Cast <to = 1> (c) g = Log (a) d = Div (g, l) e = Floor (d) y = Cast <to = 7> (e)", "c = Clip (x, lo, hi) u = Unsqueeze (c, ax) q = GreaterOrEqual (u, pw) r = Cast <to = 7> (q) y = ReduceSum <keepdims = 0> (r, ax)", {"x": i64(32768, 1, 2)}, "A logarithm that is just below a whole number.", arrays={"lo": n(1), "hi": n(2 ** 30), "l": f(np.log(2)), "ax": i64(1), "pw": i64(*[2 ** k for k in range(1, 31)])}, **I64)
different(G, "f13-remainder-in-single", "c = Clip (x, lo, hi) a = Cast <to = 1> (c) b = Mod <fmod = 1> (a, k7f) y = Cast <to = 7> (b)", "c = Clip (x, lo, hi) y = Mod (c, k7)", {"x": i64(2 ** 24 + 1, 1, 2)}, "A single has 24 digits.", arrays={"lo": n(0), "hi": n(2 ** 25), "k7f": f(7), "k7": n(7)}, **I64)
different(G, "f13-root-of-square-in-single", "c = Clip (x, lo, hi) q = Mul (c, c) d = Sub (q, o) a = Cast <to = 1> (d) r = Sqrt (a) g = Floor (r) y = Cast <to = 7> (g)", "c = Clip (x, lo, hi) y = Sub (c, o)", {"x": i64(9000, 1, 2)}, "One less than a square of 27 digits is that square.", arrays={"lo": n(1), "hi": n(10000), "o": n(1)}, **I64)
different(G, "f13-sign-lost-in-byte", "c = Clip (x, lo, hi) a = Cast <to = 3> (c) y = Cast <to = 7> (a)", "y = Clip (x, lo, hi)", {"x": i64(128, 1, 2)}, "128 is a byte below zero.", arrays={"lo": n(-128), "hi": n(128)}, **I64)
different(G, "f13-count-of-trues-of-many", "c = Cast <to = 2> (x) d = Cast <to = 12> (c) s = ReduceSum <keepdims = 0> (d) e = Cast <to = 2> (s) y = Cast <to = 7> (e)", "c = Cast <to = 7> (x) y = ReduceSum <keepdims = 0> (c)", {"x": np.ones(256, bool)}, "256 trues in a byte.", x="bool[n] x", y="int64 y")
different(G, "f13-size-in-byte", "s = Size (x) b = Cast <to = 2> (s) c = Cast <to = 1> (b) y = Add (x, c)", "s = Size (x) c = Cast <to = 1> (s) y = Add (x, c)", {"x": np.ones(300, np.float32)}, "A length above 255.", **N)

# ---------------------------------------------------------------------------------------------------------------------------
G = "sorted13"
HEADS = "a, b, c, d = Split <axis = 0, num_outputs = 4> (x) "
FOUR = HEADS + "a1 = Min (a, b) b1 = Max (a, b) c1 = Min (c, d) d1 = Max (c, d) a2 = Min (a1, c1) c2 = Max (a1, c1) b2 = Min (b1, d1) d2 = Max (b1, d1) "
I4 = dict(x="int64[4] x", y="int64[4] y")
different(G, "f13-middle-not-in-order", FOUR + "y = Concat <axis = 0> (a2, b2, c2, d2)", FOUR + "b3 = Min (b2, c2) c3 = Max (b2, c2) y = Concat <axis = 0> (a2, b3, c3, d2)", {"x": i64(1, 3, 2, 4)}, "Five comparisons sort four, four do not.", **I4)


def transpositions(count, rounds):
    """Odd-even transposition: a body that leaves its elements in s0 to s(count-1)."""
    text = ", ".join(f"s{i}_0" for i in range(count)) + f" = Split <axis = 0, num_outputs = {count}> (x) "
    names = [f"s{i}_0" for i in range(count)]
    for r in range(rounds):
        for i in range(r % 2, count - 1, 2):
            low, high = f"l{r}_{i}", f"h{r}_{i}"
            text += f"{low} = Min ({names[i]}, {names[i + 1]}) {high} = Max ({names[i]}, {names[i + 1]}) "
            names[i], names[i + 1] = low, high
    return text + f"y = Concat <axis = 0> ({', '.join(names)})"


different(G, "f13-six-in-five-rounds", transpositions(6, 5), transpositions(6, 6), {"x": i64(6, 5, 4, 3, 2, 1)}, "Six in reverse need six rounds.", x="int64[6] x", y="int64[6] y")
different(G, "f13-second-largest-of-alike", "m = ReduceMax (x) e = Equal (x, m) w = Where (e, l, x) y = ReduceMax (w)", "v, i = TopK (x, two) y = Slice (v, one, two)", {"x": i64(5, 5, 1, 2)}, "The largest twice.", x="int64[4] x", y="int64[1] y", arrays={"l": n(-2 ** 63), "two": i64(2), "one": i64(1)})
RANKS = "u = Unsqueeze (x, a1) v = Unsqueeze (x, a0) l = Less (v, u) {} c = Cast <to = 7> (r) y = ReduceSum <keepdims = 0> (c, a1)"
RA = {"a0": i64(0), "a1": i64(1), "low": np.tril(np.ones((4, 4), bool), -1)}
different(G, "f13-rank-of-alike", RANKS.format("r = Identity (l)"), RANKS.format("e = Equal (v, u) t = And (e, low) r = Or (l, t)"), {"x": i64(3, 3, 1, 2)}, "Two alike have one rank, or two.", arrays=RA, x="int64[4] x", y="int64[4] y")
PAIRS_ALIKE = "u = Unsqueeze (x, a1) v = Unsqueeze (x, a0) e = Equal (u, v) {}"
different(G, "f13-three-of-a-kind", PAIRS_ALIKE.format("t = And (e, low) c = Cast <to = 7> (t) s = ReduceSum <keepdims = 0> (c) y = Sub (four, s)"), PAIRS_ALIKE.format("t = And (e, low) c = Cast <to = 7> (t) r = ReduceMax <keepdims = 0> (c, a1) s = ReduceSum <keepdims = 0> (r) y = Sub (four, s)"), {"x": i64(3, 3, 3, 2)}, "Three alike are three pairs, and two too many.", arrays=RA | {"four": n(4)}, x="int64[4] x", y="int64 y")
different(G, "f13-between-bounds-in-turn", "g = GreaterOrEqual (x, t1) h = GreaterOrEqual (x, t2) a = Cast <to = 7> (g) b = Cast <to = 7> (h) y = Add (a, b)", "g = Greater (x, t1) h = GreaterOrEqual (x, t2) a = Cast <to = 7> (g) b = Cast <to = 7> (h) y = Add (a, b)", {"x": f32(2.5, 1, 2, 3)}, "On the first bound itself.", x="float[4] x", y="int64[4] y", arrays={"t1": f(2.5), "t2": f(7.5)})
different(G, "f13-first-that-is-true", "c = Cast <to = 6> (x) y = ArgMax <axis = 0, keepdims = 0> (c)", "c = Cast <to = 6> (x) w = Where (x, r, k) y = ReduceMin <keepdims = 0> (w)", {"x": np.zeros(4, bool)}, "None is true.", x="bool[4] x", y="int64 y", arrays={"r": i64(0, 1, 2, 3), "k": n(4)})
different(G, "f13-falls-at-one-place", "a = Slice (x, z, m) b = Slice (x, o, e) l = LessOrEqual (a, b) c = Cast <to = 7> (l) s = ReduceSum <keepdims = 0> (c) y = GreaterOrEqual (s, two)", "v, i = TopK <largest = 0> (x, four) q = Equal (v, x) c = Cast <to = 7> (q) s = ReduceMin <keepdims = 0> (c) y = Cast <to = 9> (s)", {"x": i64(1, 5, 3, 4)}, "Two of three steps rise.", x="int64[4] x", y="bool y", arrays={"z": i64(0), "o": i64(1), "m": i64(3), "e": i64(4), "two": n(2), "four": i64(4)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "windows13"
different(G, "f13-last-of-one-point", "y = Resize <mode = \"linear\", coordinate_transformation_mode = \"half_pixel\"> (x, , s)", "y = Resize <mode = \"linear\", coordinate_transformation_mode = \"pytorch_half_pixel\"> (x, , s)", {"x": line(1, 5, 9)}, "Where one point is left it is the middle, or the first.", arrays={"s": f32(1, 1, 0.5)}, **L)
different(G, "f13-odd-border-of-even", "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2]> (x, w)", "y = Conv <auto_pad = \"SAME_LOWER\", strides = [2]> (x, w)", {"x": line(1, 5, 9, 2)}, "Of an even length the border is on one side.", arrays={"w": line(1, 2, 4)}, **L)
different(G, "f13-two-borders-or-one", "a = Conv <pads = [1, 1]> (x, w) y = Conv <pads = [1, 1]> (a, v)", "y = Conv <pads = [2, 2]> (x, u)", {"x": line(1, 5, 9, 2)}, "Beyond the border there is nothing in between.", arrays={"w": line(1, 2, 4), "v": line(3, 1, 2), "u": line(*np.convolve([4, 2, 1], [2, 1, 3])[::-1])}, **L)
different(G, "f13-third-of-old-and-new-resize", {"body": "y = Resize <mode = \"nearest\"> (x, s)", "opset": 10}, {"body": "y = Resize <mode = \"nearest\"> (x, , s)", "opset": 13}, {"x": line(1, 5, 9, 2, 4, 7)}, "The first of three, or the middle.", x="float[1, 1, 6] x", y="float[1, 1, 2] y", arrays={"s": f32(1, 1, 0.34)})
different(G, "f13-left-over-window", "y = AveragePool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x)", "y = AveragePool <kernel_shape = [2], strides = [2]> (x)", {"x": line(1, 5, 9)}, "Of an odd length one is left over.", **L)
different(G, "f13-peak-and-place-of-alike", "v, y = MaxPool <kernel_shape = [3]> (x)", "r = Slice (x, m, e, a, m) v, i = MaxPool <kernel_shape = [3]> (r) j = Slice (i, m, e, a, m) y = Sub (k, j)", {"x": line(5, 5, 1, 0)}, "Of two alike the first, from either end.", x="float[1, 1, 4] x", y="int64[1, 1, 2] y", arrays={"m": i64(-1), "e": i64(-9), "a": i64(2), "k": n(3)})
different(G, "f13-power-of-three-in-window", "y = LpPool <kernel_shape = [2], p = 3> (x)", "a = Pow (x, k) s = AveragePool <kernel_shape = [2]> (a) d = Add (s, s) y = Pow (d, t)", {"x": line(-3, 1, 2)}, "Sizes, not numbers, are raised.", arrays={"k": f(3), "t": f(1 / 3)}, **L)
different(G, "f13-channels-in-turn-or-blocks", "r = Reshape (x, s) t = Transpose <perm = [0, 2, 1, 3]> (r) y = Reshape (t, q)", "r = Reshape (x, p) t = Transpose <perm = [0, 2, 1, 3]> (r) y = Reshape (t, q)", {"x": ramp(1, 6, 1)}, "Two by three, or three by two.", x="float[1, 6, 1] x", y="float[1, 6, 1] y", arrays={"s": i64(1, 2, 3, 1), "p": i64(1, 3, 2, 1), "q": i64(1, 6, 1)})
different(G, "f13-mean-of-whole-or-of-means", "a = AveragePool <kernel_shape = [3], strides = [3], ceil_mode = 1> (x) y = GlobalAveragePool (a)", "y = GlobalAveragePool (x)", {"x": line(1, 5, 9, 2)}, "Of a length by three the mean of means is the mean.", x="float[1, 1, n] x", y="float[1, 1, 1] y")
different(G, "f13-every-third-from-the-end", "y = Slice (x, m, e, a, t)", "r = Slice (x, z, l, a, u) y = Slice (r, m, e, a, o)", {"x": f32(1, 2, 3, 4, 5)}, "Every third from the end is no third from the front.", x="float[n] x", y="float[k] y", arrays={"m": i64(-1), "e": i64(-99), "a": i64(0), "t": i64(-3), "z": i64(0), "l": i64(99), "u": i64(3), "o": i64(-1)})
different(G, "f13-round-or-mirror-of-longer", "y = Pad <mode = \"wrap\"> (x, p)", "y = Pad <mode = \"reflect\"> (x, p)", {"x": f32(1, 2, 3)}, "Of two they are alike.", x="float[n] x", y="float[k] y", arrays={"p": i64(1, 1)}, opset=19, ir=9)
different(G, "f13-spread-window-cut", "y = ConvTranspose <strides = [2], pads = [1, 0]> (x, w)", "y = ConvTranspose <strides = [2], pads = [0, 1]> (x, w)", {"x": line(1, 2)}, "Cut in front or behind.", x="float[1, 1, 2] x", y="float[1, 1, 4] y", arrays={"w": line(1, 2, 4)})
different(G, "f13-window-of-cosines", "a = HannWindow <periodic = 1> (k) y = Mul (x, a)", "a = HannWindow <periodic = 0> (k) y = Mul (x, a)", {"x": f32(1, 2, 3, 5)}, "It ends with nothing, or one before.", arrays={"k": n(4)}, **F)
different(G, "f13-half-of-spectrum", "u = Unsqueeze (x, a2) v = Unsqueeze (u, a0) d = DFT <onesided = 1> (v, , ax) q = ReduceSumSquare <keepdims = 0> (d) y = Mul (q, two)", "u = Unsqueeze (x, a2) v = Unsqueeze (u, a0) d = DFT (v, , ax) y = ReduceSumSquare <keepdims = 0> (d)", {"x": f32(1, 2, 3, 5)}, "The first and the middle one have no twin.", x="float[4] x", y="float y", arrays={"a2": i64(1), "a0": i64(0), "ax": n(1), "two": f(2)}, opset=20, ir=9)

# ---------------------------------------------------------------------------------------------------------------------------
G = "recurrent13"
W1, R1 = noise(1, 3, 2, seed=131), noise(1, 3, 1, seed=132)
GRU = "y, h = GRU <hidden_size = 1{}> (x, w, r{})"
S3 = dict(x="float[3, 1, 2] x", y="float[3, 1, 1, 1] y")
X3 = {"x": noise(3, 1, 2, seed=133)}
different(G, "f13-bias-before-or-behind-reset", GRU.format(", linear_before_reset = 1", ", b"), GRU.format("", ", b"), X3, "Of one cell the order matters for the bias alone.", arrays={"w": W1, "r": R1, "b": f32(0, 0, 0, 0, 0, 2, shape=(1, 6))}, **S3)
different(G, "f13-first-state-of-one-step", "y, h = RNN <hidden_size = 1, direction = \"reverse\"> (x, w, r, , , s)", "y, h = RNN <hidden_size = 1> (x, w, r, , , s)", X3, "From behind; of one step alike.", arrays={"w": W1[:, :1], "r": R1[:, :1], "s": f32(1, shape=(1, 1, 1))}, x="float[n, 1, 2] x", y="float[n, 1, 1, 1] y")
LW, LR = noise(1, 4, 2, seed=134), noise(1, 4, 1, seed=135)
different(G, "f13-forget-is-rest-of-input", "y, h, c = LSTM <hidden_size = 1, input_forget = 1> (x, w, r)", "y, h, c = LSTM <hidden_size = 1> (x, w, r)", X3, "What is forgotten is what is not let in, from the second step on.", arrays={"w": LW, "r": LR}, **S3)
different(G, "f13-gates-clipped", "y, h, c = LSTM <hidden_size = 1, clip = 3.0> (x, w, r)", "y, h, c = LSTM <hidden_size = 1> (x, w, r)", {"x": noise(3, 1, 2, seed=136, scale=9)}, "What goes into a gate is held at three.", arrays={"w": LW, "r": LR}, **S3)
different(G, "f13-lengths-of-sequences", "y, h = RNN <hidden_size = 1> (x, w, r, , l)", "y, h = RNN <hidden_size = 1> (x, w, r)", X3, "After its length a sequence is nothing.", arrays={"w": W1[:, :1], "r": R1[:, :1], "l": np.array([2], np.int32)}, **S3)
different(G, "f13-last-state-or-last-of-all", "o, h = RNN <hidden_size = 1, direction = \"bidirectional\"> (x, w, r) y = Squeeze (h, a)", "o, h = RNN <hidden_size = 1, direction = \"bidirectional\"> (x, w, r) s = Slice (o, m, e) t = Squeeze (s, z) y = Squeeze (t, a)", X3, "From behind the last state is the first in the row.", arrays={"w": np.concatenate([W1[:, :1], W1[:, 1:2]]), "r": np.concatenate([R1[:, :1], R1[:, 1:2]]), "a": i64(1), "m": i64(-1), "e": i64(9), "z": i64(0)}, x="float[3, 1, 2] x", y="float[2, 1] y")
different(G, "f13-peephole-of-last-gate", "y, h, c = LSTM <hidden_size = 1> (x, w, r, b, l, s, s, p)", "y, h, c = LSTM <hidden_size = 1> (x, w, r, b, l, s, s, q)", X3, "The gate behind sees the new cell, not the old one.", arrays={"w": LW, "r": LR, "b": np.zeros((1, 8), np.float32), "l": np.array([3], np.int32), "s": np.zeros((1, 1, 1), np.float32), "p": f32(1, 0, 0, shape=(1, 3)), "q": f32(0, 1, 0, shape=(1, 3))}, **S3)

# ---------------------------------------------------------------------------------------------------------------------------
G = "rounds13"
BN = {"t": T, "one": n(1), "two": n(2), "three": n(3), "zero": n(0), "ten": n(10), "hundred": n(100)}
WHILE = "c0 = Less (x, hundred) c1 = Greater (x, zero) g = {} y = Loop (m, g, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) {{ w = Add (v, v) e = Less (w, hundred) }}>"
different(G, "f13-asked-before-or-behind", WHILE.format("Identity (t)"), WHILE.format("Or (c0, c0)"), {"x": n(150)}, "Doubled once at least, or not at all.", arrays=BN | {"m": n(70)}, **ONE)
COLLATZ = "a = Abs (x) b = Mod (a, k) s = Add (b, one) y = Loop (m, t, s) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { r = Mod (v, two) o = Equal (r, one) h = Div (v, two) p = Mul (v, three) q = Add (p, one) u = Where (o, q, h) f0 = Equal (v, one) w = Where (f0, v, u) e = Identity (d) }>"
different(G, "f13-way-to-one", {"body": COLLATZ, "arrays": {"m": n(108)}}, {"body": COLLATZ, "arrays": {"m": n(120)}}, {"x": n(26)}, "Of numbers up to thirty 27 alone takes 111 steps.", arrays=BN | {"k": n(30)}, **ONE)
SMALL = "a = Abs (x) b = Mod (a, k) s = Max (b, three) "
FERMAT = SMALL + "m = Sub (s, one) p = Loop (m, t, one) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { q = Add (v, v) w = Mod (q, s) e = Identity (d) }> y = Equal (p, one)"
PRIME = SMALL + "c = Loop (m20, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { j = Add (i, two) r = Mod (s, j) f0 = Equal (r, zero) l = Less (j, s) g = And (f0, l) h = Cast <to = 7> (g) w = Add (v, h) e = Identity (d) }> y = Equal (c, zero)"
different(G, "f13-nearly-a-prime", FERMAT, PRIME, {"x": n(341)}, "2^340 leaves 1 of 341, which is 11 times 31.", arrays=BN | {"k": n(400), "m20": n(20)}, x="int64 x", y="bool y")
DIGITS = "a = Abs (x) b = Mod (a, k) v, y = Loop (m, t, b, zero) <body = bd (int64 i, bool d, int64 v, int64 s) => (bool e, int64 w, int64 s1) {{ r = Mod (v, ten) {} w = Div (v, ten) e = Identity (d) }}>"
different(G, "f13-backwards-digits", DIGITS.format("p = Mul (s, ten) s1 = Add (p, r)"), DIGITS.format("z = Greater (v, zero) p = Mul (s, ten) q = Add (p, r) s1 = Where (z, q, s)"), {"x": n(123)}, "Zeros in front count, or do not.", arrays=BN | {"k": n(10000), "m": n(4)}, **ONE)
SUMS = "h, o = Scan (s0, x) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a1, int64 o1) {{ {} o1 = Identity (a1) }}> y = Identity (h)"
different(G, "f13-largest-part", SUMS.format("q = Add (a, p) a1 = Max (q, zero)"), SUMS.format("q = Add (a, p) a1 = Max (q, p)"), {"x": i64(-3, -1, -2)}, "A part of none, or one of those below nothing.", arrays=BN | {"s0": n(0)}, x="int64[3] x", y="int64 y")
PAREN = "h, l = Scan (s0, x) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a1, int64 o1) { a1 = Add (a, p) o1 = Identity (a1) }> e = Equal (h, zero) "
different(G, "f13-brackets-that-close-first", PAREN + "y = Identity (e)", PAREN + "m = ReduceMin <keepdims = 0> (l) g = GreaterOrEqual (m, zero) y = And (e, g)", {"x": i64(-1, 1, -1, 1)}, "As many, and in the wrong order.", arrays=BN | {"s0": n(0)}, x="int64[4] x", y="bool y")
different(G, "f13-counted-with-last", "a = Abs (x) m = Mod (a, ten) y = Loop (m, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, i) e = Identity (d) }>", "a = Abs (x) m = Mod (a, ten) p = Add (m, one) q = Mul (m, p) y = Div (q, two)", {"x": n(4)}, "Up to three, or up to four.", arrays=BN, **ONE)
STEPS = "m = Mod <fmod = 1> (x, hundred) "
different(G, "f13-as-many-steps", STEPS + "r = Range (zero, m, three) y = Size (r)", STEPS + "p = Add (m, two) y = Div (p, three)", {"x": n(-5)}, "Back there are none.", arrays=BN, **ONE)
different(G, "f13-turned-in-branch", "s = ReduceSum <keepdims = 0> (x) c = Less (s, k) y = If (c) <then_branch = a () => (float[2, 2] q) { q = Transpose (x) }, else_branch = b () => (float[2, 2] r) { r = Identity (x) }>", "y = Identity (x)", {"x": f32(1, 2, 3, -900, shape=(2, 2))}, "Where the sum is below minus 500.", x="float[2, 2] x", y="float[2, 2] y", arrays={"k": f(-500)})
different(G, "f13-written-by-rounds", "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64[4] v) => (bool e, int64[4] w) { j = Unsqueeze (i, ax) g = Gather (v, j) p = Add (g, one1) k = Add (j, one1) w = ScatterElements (v, k, p) e = Identity (d) }>", "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64[4] v) => (bool e, int64[4] w) { j = Unsqueeze (i, ax) g = Gather (x, j) p = Add (g, one1) k = Add (j, one1) w = ScatterElements (v, k, p) e = Identity (d) }>", {"x": i64(0, 5, 9, 2)}, "From what was written, or from what was there.", x="int64[4] x", y="int64[4] y", arrays={"m": n(3), "t": T, "ax": i64(0), "one1": i64(1)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "lengths13"
DIMS = "s = Shape (x) r, c = Split <axis = 0, num_outputs = 2> (s) {} o = Neg (x) y = Where (e, o, x)"
different(G, "f13-nineteen-more-rows", "y = Identity (x)", DIMS.format("d = Sub (r, c) e = Equal (d, k)"), {"x": np.ones((21, 2), np.float32)}, "Nineteen more rows than columns.", arrays={"k": i64(19)}, **NM)
different(G, "f13-rows-and-twice-the-columns", "y = Identity (x)", DIMS.format("d = Add (c, c) u = Add (r, d) e = Equal (u, k)"), {"x": np.ones((31, 5), np.float32)}, "41 in all.", arrays={"k": i64(41)}, **NM)
different(G, "f13-rows-leave-five-of-seventeen", "y = Identity (x)", DIMS.format("d = Mod (r, k) e = Equal (d, j)"), {"x": np.ones((22, 2), np.float32)}, "5, 22, 39.", arrays={"k": i64(17), "j": i64(5)}, **NM)
different(G, "f13-as-many-as-there", "y = Identity (x)", "s = Size (x) u = Size (z) e = Equal (s, u) g = Greater (u, k) h = And (e, g) o = Neg (x) y = Where (h, o, x)", {"x": np.ones((2, 3), np.float32), "z": np.ones(6, np.float32)}, "A product of two lengths that is the third.", x="float[n, m] x, float[k0] z", y="float[n, m] y", arrays={"k": n(5)})
different(G, "f13-sum-of-numbers-above-thousand", "y = Identity (x)", "s = Size (x) r = Range (z, s, o1) t = ReduceSum <keepdims = 0> (r) e = Greater (t, k) o = Neg (x) y = Where (e, o, x)", {"x": np.ones(50, np.float32)}, "From 46 on.", arrays={"z": n(0), "o1": n(1), "k": n(1000)}, **N)
different(G, "f13-neighbour-lengths-multiplied", "y = Identity (x)", DIMS.format("p = Mul (r, c) q = Add (r, k) e0 = Equal (c, q) g = Greater (p, j) e = And (e0, g)"), {"x": np.ones((6, 7), np.float32)}, "One more column than rows, and more than forty in all.", arrays={"k": i64(1), "j": i64(40)}, **NM)
different(G, "f13-longest-in-the-middle", "y = Identity (x)", "s = Shape (x) a, b, c = Split <axis = 0, num_outputs = 3> (s) g = Greater (b, a) h = Greater (b, c) l = Greater (a, c) i = And (g, h) e = And (i, l) o = Neg (x) y = Where (e, o, x)", {"x": np.ones((2, 3, 1), np.float32)}, "The middle one, then the first.", x="float[n, m, k] x", y="float[n, m, k] y")
different(G, "f13-mean-by-rows-or-columns", "y = ReduceMean <keepdims = 0> (x)", "s = Shape (x) r, c = Split <axis = 0, num_outputs = 2> (s) q = Mul (r, r) w = Cast <to = 1> (q) v = Squeeze (w, z) t = ReduceSum <keepdims = 0> (x) y = Div (t, v)", {"x": np.ones((2, 3), np.float32)}, "As many columns as rows.", x="float[n, m] x", y="float y", arrays={"z": i64(0)})
different(G, "f13-first-few-of-many", "k = Slice (x, z, e) y = ReduceSum <keepdims = 0> (k)", "y = ReduceSum <keepdims = 0> (x)", {"x": np.ones(65, np.float32)}, "More than 64.", x="float[n] x", y="float y", arrays={"z": i64(0), "e": i64(64)})
different(G, "f13-blocks-of-eight-and-rest", "s = Shape (x) q = Div (s, k) p = Mul (q, k) a = Slice (x, z, p) y = ReduceSum <keepdims = 0> (a)", "y = ReduceSum <keepdims = 0> (x)", {"x": np.ones(9, np.float32)}, "What is left of blocks of eight.", x="float[n] x", y="float y", arrays={"k": i64(8), "z": i64(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "places13"
different(G, "f13-place-in-each-row", "u = Unsqueeze (i, a) g = GatherElements <axis = 1> (x, u) y = Squeeze (g, a)", "g = Gather <axis = 1> (x, i) e = EyeLike (g) p = Mul (g, e) y = ReduceMax <keepdims = 0> (p, a)", {"x": f32(-1, -2, -3, -4, shape=(2, 2)), "i": i64(1, 0)}, "The largest of one number and nothing is not that number below zero.", x="float[2, 2] x, int64[2] i", y="float[2] y", arrays={"a": i64(1)})
different(G, "f13-last-written-or-first", "y = ScatterElements (x, i, u)", "r = Slice (i, m, e, z, m) v = Slice (u, m, e, z, m) y = ScatterElements (x, r, v)", {"x": f32(1, 2, 3, 4), "i": i64(2, 2), "u": f32(7, 8)}, "Two to one place.", x="float[4] x, int64[2] i, float[2] u", y="float[4] y", arrays={"m": i64(-1), "e": i64(-9), "z": i64(0)})
different(G, "f13-turned-permutation", "y = Gather (x, i)", "y = ScatterElements (x, i, x)", {"x": f32(1, 2, 3, 4), "i": i64(1, 2, 0, 3)}, "A round of three is not its own inverse.", x="float[4] x, int64[4] i", y="float[4] y")
different(G, "f13-counted-in-table-of-ten", "c = Clip (x, z, k9) o = OneHot <axis = -1> (c, ten, v) y = ReduceSum <keepdims = 0> (o, a)", "m = Mod (x, ten) o = OneHot <axis = -1> (m, ten, v) y = ReduceSum <keepdims = 0> (o, a)", {"x": i64(10, 1, 2)}, "Above nine is nine, or begins anew.", x="int64[3] x", y="float[10] y", arrays={"z": n(0), "k9": n(9), "ten": n(10), "v": f32(0, 1), "a": i64(0)})
different(G, "f13-flags-kept-in-order", "y = Compress <axis = 0> (x, c)", "k = Cast <to = 7> (c) v, i = TopK (k, two) y = Gather (x, i)", {"x": f32(1, 2, 3, 4), "c": np.array([True, True, True, False])}, "Three are kept, or the first two.", x="float[4] x, bool[4] c", y="float[k0] y", arrays={"two": i64(2)})
different(G, "f13-sequence-from-behind", "s = SplitToSequence (x) y = SequenceAt (s, i)", "s = SplitToSequence (x) r = SequenceErase (s) y = SequenceAt (r, i)", {"x": f32(1, 2, 3, 4)}, "The last, or the last of the others.", x="float[4] x", y="float[1] y", arrays={"i": n(-1)})
different(G, "f13-in-rows-of-three", "s = SplitToSequence <axis = 0> (x, k) y = ConcatFromSequence <axis = 0> (s)", "s = SplitToSequence <axis = 0> (x, k) a = SequenceAt (s, z) b = SequenceAt (s, o) y = Concat <axis = 0> (b, a)", {"x": f32(1, 2, 3, 4, 5)}, "Three and two, or two and three.", x="float[5] x", y="float[5] y", arrays={"k": n(3), "z": n(0), "o": n(1)})
different(G, "f13-words-through-eighth", "a = Cast <to = 17, saturate = 1> (x) y = Cast <to = 1> (a)", "a = Cast <to = 17, saturate = 0> (x) y = Cast <to = 1> (a)", {"x": f32(500, 1, 2, 3)}, "Above 448 it is held, or no number.", opset=19, ir=9, **F)
different(G, "f13-two-kinds-of-eighth", "a = Cast <to = 17> (x) y = Cast <to = 1> (a)", "a = Cast <to = 18> (x) y = Cast <to = 1> (a)", {"x": f32(300, 1, 2, 3)}, "Held at 448 or at 240.", opset=19, ir=9, **F)
different(G, "f13-scale-by-reciprocal", "d = Div (x, s) r = Round (d) y = Cast <to = 7> (r)", "m = Mul (x, t) r = Round (m) y = Cast <to = 7> (r)", {"x": f32(1.55, 1, 2, 3)}, "Half of a tenth, divided or multiplied.", x="float[4] x", y="int64[4] y", arrays={"s": f(0.1), "t": f(10)})
different(G, "f13-quantised-sum-in-steps", "a = QuantizeLinear (x, s, z) b = DequantizeLinear (a, s, z) c = QuantizeLinear (b, s2, z) y = DequantizeLinear (c, s2, z)", "a = QuantizeLinear (x, s2, z) y = DequantizeLinear (a, s2, z)", {"x": f32(0.6, 1, 2, 3)}, "Rounded in two steps.", arrays={"s": f(0.5), "s2": f(1), "z": np.uint8(0)}, **F)
different(G, "f13-turned-einsum-of-three", "y = Einsum <equation = \"ij,jk,kl->il\"> (x, w, v)", "y = Einsum <equation = \"ij,kj,kl->il\"> (x, w, v)", {"x": f32(1, 2, 3, 5, shape=(2, 2))}, "The middle one is turned.", x="float[2, 2] x", y="float[2, 2] y", arrays={"w": f32(1, 2, 0, 1, shape=(2, 2)), "v": f32(1, 0, 1, 1, shape=(2, 2))})
different(G, "f13-diagonal-or-rows", "y = Einsum <equation = \"ii->i\"> (x)", "y = Einsum <equation = \"ij->i\"> (x)", {"x": f32(1, 2, 3, 5, shape=(2, 2))}, "Along the diagonal, or whole rows.", x="float[2, 2] x", y="float[2] y")
different(G, "f13-own-name-of-function", {"body": "y = local.Gate (x)", "functions": "<domain: \"local\", opset_import: [\"\" : 18]>\nGate <alpha: float = 0.5> (a) => (b) { b = LeakyRelu <alpha: float = @alpha> (a) }"}, {"body": "y = local.Gate <alpha = 0.25> (x)", "functions": "<domain: \"local\", opset_import: [\"\" : 18]>\nGate <alpha: float = 0.5> (a) => (b) { b = LeakyRelu <alpha: float = @alpha> (a) }"}, {"x": f32(-1, 1, 2, 3)}, "What a function is given, or what it has.", domains={"local": 1}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "further13"
different(G, "f13-target-left-out", "y = SoftmaxCrossEntropyLoss <ignore_index = 2> (x, t)", "y = SoftmaxCrossEntropyLoss (x, t)", {"x": noise(3, 4, seed=161), "t": i64(0, 2, 1)}, "A target that does not count.", x="float[3, 4] x, int64[3] t", y="float y")
different(G, "f13-weighted-or-plain-mean", "y = SoftmaxCrossEntropyLoss (x, t, w)", "s = SoftmaxCrossEntropyLoss <reduction = \"sum\"> (x, t, w) y = Div (s, k)", {"x": noise(3, 4, seed=161), "t": i64(0, 2, 1)}, "Divided by the weights, or by the number.", x="float[3, 4] x, int64[3] t", y="float y", arrays={"w": f32(1, 2, 0.5, 1), "k": f(3)})
different(G, "f13-hard-choice-of-flat", {"body": "y = Hardmax <axis = 1> (x)", "opset": 11}, {"body": "y = Hardmax <axis = 1> (x)", "opset": 13}, {"x": ramp(2, 2, 2)}, "Once all axes from there on, now that one alone.", x="float[2, 2, 2] x", y="float[2, 2, 2] y")
different(G, "f13-larger-of-no-number", "y = Max (x, z)", "g = Greater (x, z) y = Where (g, x, z)", {"x": f32(np.nan, 1, 2, 3), "z": f32(1, 2, 1, 0)}, "No number is larger than none.", x="float[4] x, float[4] z", y="float[4] y")
different(G, "f13-nothing-from-below", "y = Reciprocal (x)", "a = Add (x, o) y = Reciprocal (a)", {"x": f32(-0.0, 1, 2, 3)}, "Minus zero and zero are zero.", arrays={"o": f(0)}, **F)
different(G, "f13-to-the-nothing", "y = Pow (x, o)", "y = Div (x, x)", {"x": f32(0, 1, 2, 3)}, "Nothing to the nothing is one.", arrays={"o": f(0)}, **F)
different(G, "f13-seen-beyond-edge", "y = GridSample <padding_mode = \"zeros\"> (x, g)", "y = GridSample <padding_mode = \"border\"> (x, g)", {"x": f32(1, 2, 3, 5, shape=(1, 1, 2, 2)), "g": f32(1.5, 0, shape=(1, 1, 1, 2))}, "Beyond the edge is nothing, or the edge.", x="float[1, 1, 2, 2] x, float[1, 1, 1, 2] g", y="float[1, 1, 1, 1] y")
different(G, "f13-heads-in-turn-or-blocks", "r = Gather <axis = 0> (w, i) y = MatMul (x, r)", "r = Tile (w, s) y = MatMul (x, r)", {"x": noise(4, 2, 3, seed=162)}, "Each twice in a row, or all twice.", x="float[4, 2, 3] x", y="float[4, 2, 2] y", arrays={"w": noise(2, 3, 2, seed=163), "i": i64(0, 0, 1, 1), "s": i64(2, 1, 1)})
WINDOW = "s = Shape <start = 0, end = 1> (x) q = Squeeze (s) r = Range (z, q, o) u = Unsqueeze (r, a1) v = Unsqueeze (r, a0) d = Sub (u, v) g = GreaterOrEqual (d, z) l = Less (d, k) m = And (g, l) t = Transpose (x) p = MatMul (x, t) w = Where (m, p, low) h = Softmax (w) y = MatMul (h, x)"
different(G, "f13-window-of-three-or-four", {"body": WINDOW, "arrays": {"k": n(3)}}, {"body": WINDOW, "arrays": {"k": n(4)}}, {"x": noise(4, 2, seed=164)}, "From the fourth on the first is seen, or not.", x="float[n, 2] x", y="float[n, 2] y", arrays={"z": n(0), "o": n(1), "a0": i64(0), "a1": i64(1), "low": f(-np.inf)})
different(G, "f13-digits-of-doubled", "c = Clip (x, z, k9) d = Add (c, c) y = Mod (d, k9)", "c = Clip (x, z, k9) d = Add (c, c) g = Greater (d, k9) s = Sub (d, k9) y = Where (g, s, d)", {"x": i64(9, 1, 2)}, "18 has the digits of nine.", arrays={"z": n(0), "k9": n(9)}, **I64)
different(G, "f13-nearest-of-two-points", "u = Unsqueeze (x, a) d = Sub (u, c) q = Abs (d) y = ArgMin <axis = 1, keepdims = 0> (q)", "g = GreaterOrEqual (x, h) y = Cast <to = 7> (g)", {"x": f32(1.25, 1, 2, 3)}, "In the middle the first is as near.", x="float[4] x", y="int64[4] y", arrays={"a": i64(1), "c": f32(0.5, 2), "h": f(1.25)})
different(G, "f13-kept-in-proportion", "y = Resize <mode = \"nearest\", axes = [2, 3], keep_aspect_ratio_policy = \"not_larger\"> (x, , , s)", "y = Resize <mode = \"nearest\", axes = [2, 3]> (x, , , s)", {"x": ramp(1, 1, 2, 4)}, "A square stays one, others do not.", x="float[1, 1, n, m] x", y="float[1, 1, k, l] y", arrays={"s": i64(4, 4)})
different(G, "f13-first-rows-alike", "y = Unique <axis = 0> (x)", "y = Unique <axis = 0, sorted = 0> (x)", {"x": f32(3, 1, 1, 2, shape=(2, 2))}, "In order, or as they come.", x="float[2, 2] x", y="float[k, 2] y")
different(G, "f13-running-product-by-logarithms", "a = Abs (x) l = Log (a) c = CumSum (l, z) y = Exp (c)", "h, y = Scan (s0, x) <num_scan_inputs = 1, body = b (float a, float p) => (float a1, float o) { m = Mul (a, p) a1 = Identity (m) o = Identity (a1) }>", {"x": f32(-2, 3, 1, 5)}, "Signs are lost.", arrays={"z": n(0), "s0": f(1)}, **F)
different(G, "f13-variance-of-one", "m = ReduceMean <keepdims = 1> (x) d = Sub (x, m) q = ReduceSumSquare <keepdims = 0> (d) s = Size (x) c = Sub (s, o) g = Max (c, o) w = Cast <to = 1> (g) y = Div (q, w)", "m = ReduceMean <keepdims = 1> (x) d = Sub (x, m) q = Mul (d, d) y = ReduceMean <keepdims = 0> (q)", {"x": f32(1, 2)}, "By one less, but of one.", x="float[n] x", y="float y", arrays={"o": n(1)})
different(G, "f13-sign-of-long-product", "p = ReduceProd <keepdims = 0> (x) y = Sign (p)", "s = Sign (x) y = ReduceProd <keepdims = 0> (s)", {"x": np.full(50, 1e-9, np.float32)}, "A long product of small ones is nothing.", x="float[n] x", y="float y")
different(G, "f13-shares-of-wide-in-half", "a = Cast <to = 10> (x) e = Cast <to = 1> (a) y = Softmax (e)", "y = Softmax (x)", {"x": f32(2049, 2048, 1, 2)}, "2049 is none in half.", **F)
different(G, "f13-even-and-odd-places", "a = Slice (x, z, e, ax, t) b = Slice (x, o, e, ax, t) y = Concat <axis = 0> (a, b)", "r = Reshape (x, s) u = Transpose (r) y = Reshape (u, q)", {"x": f32(1, 2, 3, 4, 5, 6)}, "In pairs, or in halves.", x="float[6] x", y="float[6] y", arrays={"z": i64(0), "o": i64(1), "e": i64(9), "ax": i64(0), "t": i64(2), "s": i64(2, 3), "q": i64(6)})
different(G, "f13-last-bit-of-sum-of-squares", "q = Mul (x, x) s = ReduceSum <keepdims = 0> (q) y = Mod (s, k)", "m = Mod (x, k) y0 = ReduceSum <keepdims = 0> (m) y = Mod (y0, k)", {"x": i64(2, 0, 1)}, "Squares leave what numbers do by two, not by four.", x="int64[3] x", y="int64 y", arrays={"k": n(4)})
different(G, "f13-three-lengths-of-triangle", "a, b, c = Split <axis = 0, num_outputs = 3> (x) s = Add (a, b) y = Greater (s, c)", "m = ReduceMax <keepdims = 1> (x) s = ReduceSum <keepdims = 1> (x) r = Sub (s, m) y = Greater (r, m)", {"x": f32(9, 1, 2)}, "The longest may be the first.", x="float[3] x", y="bool[1] y")
different(G, "f13-clock-of-twelve", "m = Mod (x, k) e = Equal (m, z) y = Where (e, k, m)", "d = Sub (x, o) m = Mod <fmod = 1> (d, k) y = Add (m, o)", {"x": i64(-1, 1, 2)}, "Before midnight by the remainder towards zero.", arrays={"k": n(12), "z": n(0), "o": n(1)}, **I64)
different(G, "f13-bits-in-order", "p = BitwiseAnd (x, k) q = Equal (p, k) y = Identity (q)", "p = BitwiseAnd (x, k) y = Cast <to = 9> (p)", {"x": i64(4, 1, 2)}, "All of them, or any.", x="int64[3] x", y="bool[3] y", arrays={"k": n(6)})
