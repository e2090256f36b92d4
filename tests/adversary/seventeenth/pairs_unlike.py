"""Pairs that differ: refactorings of networks that are right for nearly every size and number: lengths beyond a window, ties, indices from behind, guards, recurrences."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp, u8, u32

F = dict(x="float[4] x", y="float[4] y")
N = dict(x="float[n] x", y="float[n] y")
SQ = dict(x="float[n, n] x", y="float[n, n] y")
LINE = dict(x="float[1, 1, n] x", y="float[1, 1, k] y")
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)


def f(value):
    return np.float32(value)


def n(value):
    return np.int64(value)


# ---------------------------------------------------------------------------------------------------------------------------
G = "windows17"
IMAGE = dict(x="float[1, 4, 3, 3] x", y="float[1, k, l, m] y")
different(G, "f17-border-in-front-or-behind", "y = Conv <kernel_shape = [3], strides = [2], pads = [0, 1]> (x, w)", "y = Conv <kernel_shape = [3], strides = [2], pads = [1, 0]> (x, w)", {"x": ramp(1, 1, 4)}, "An even line needs a border on one side only.", x="float[1, 1, 4] x", y="float[1, 1, k] y", arrays={"w": f32(1, 2, 3, shape=(1, 1, 3))})
different(G, "f17-groups-joined-then-shuffled", "y = Conv <group = 2> (x, w)", "a, b = Split <axis = 1, num_outputs = 2> (x) v, u = Split <axis = 0, num_outputs = 2> (w) c = Conv (a, v) d = Conv (b, u) s = Concat <axis = 1> (c, d) r = Reshape (s, q) t = Transpose <perm = [0, 2, 1, 3, 4]> (r) y = Reshape (t, e)", {"x": ramp(1, 4, 3, 3)}, "The outputs of both groups are woven.", arrays={"w": noise(4, 2, 1, 1, seed=1), "q": i64(1, 2, 2, 3, 3), "e": i64(0, 4, 3, 3)}, **IMAGE)
different(G, "f17-turned-border-behind", "y = ConvTranspose <strides = [2], pads = [1, 1], output_padding = [1]> (x, w)", "y = ConvTranspose <strides = [2], pads = [0, 1]> (x, w)", {"x": ramp(1, 1, 3, shift=1)}, "What is added behind makes up for the border behind, not for the one in front.", x="float[1, 1, 3] x", y="float[1, 1, k] y", arrays={"w": f32(1, 2, 5, shape=(1, 1, 3))})
different(G, "f17-border-of-zero-point", "y = ConvInteger <pads = [1, 1]> (x, w, z)", "p = Pad (x, ps) y = ConvInteger (p, w, z)", {"x": u8(5, 6, 7, 8).reshape(1, 1, 4)}, "A border is of the zero point, not of zeros.", x="uint8[1, 1, 4] x", y="int32[1, 1, 4] y", arrays={"w": u8(1, 2, 3).reshape(1, 1, 3), "z": np.uint8(3), "ps": i64(0, 0, 1, 0, 0, 1)})
different(G, "f17-enlarged-by-size-or-factor", "y = Resize <mode = \"linear\"> (x, , s)", "h = Shape (x) c = Cast <to = 1> (h) m = Mul (c, s) g = Floor (m) k = Cast <to = 7> (g) y = Resize <mode = \"linear\"> (x, , , k)", {"x": ramp(1, 1, 3) ** 2}, "Of an odd length the size that is rounded down is another factor.", arrays={"s": f32(1, 1, 1.5)}, **LINE)
different(G, "f17-square-of-channels", "y = LRN <size = 3, alpha = 1.0, beta = 0.5> (x)", "q = Mul (x, x) t = Transpose <perm = [0, 2, 1]> (q) p = AveragePool <kernel_shape = [3], pads = [1, 1]> (t) v = Transpose <perm = [0, 2, 1]> (p) e = Add (v, o) r = Sqrt (e) y = Div (x, r)", {"x": ramp(1, 3, 2, shift=1)}, "At the first and the last channel a third is of nothing, or there are two.", x="float[1, 3, 2] x", y="float[1, 3, 2] y", arrays={"o": f(1)})
different(G, "f17-pixels-of-two-images", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", "r = Reshape (x, s) t = Transpose <perm = [0, 3, 4, 1, 5, 2]> (r) y = Reshape (t, e)", {"x": ramp(1, 8, 1, 1)}, "Which of the channels' parts is the image's number.", x="float[1, 8, 1, 1] x", y="float[1, 2, 2, 2] y", arrays={"s": i64(0, 2, 2, 2, 1, 1), "e": i64(1, 2, 2, 2)})
different(G, "f17-halves-of-a-line", "a, b = Split <axis = 0, num_outputs = 2> (x) y = ReduceMax <keepdims = 0> (a)", "s = Size (x) h = Div (s, two) e = Unsqueeze (h, z) a = Slice (x, z, e) y = ReduceMax <keepdims = 0> (a)", {"x": f32(1, 2, 9, 0, 3)}, "Of five the first half is three, or two.", x="float[n] x", y="float y", arrays={"two": n(2), "z": i64(0)})
different(G, "f17-mean-of-windows-that-overlap", "y = GlobalAveragePool (x)", "p = AveragePool <kernel_shape = [3], strides = [2]> (x) y = GlobalAveragePool (p)", {"x": f32(1, 0, 5, 0, 2, shape=(1, 1, 5))}, "What two windows see counts twice.", x="float[1, 1, 5] x", y="float[1, 1, 1] y")
different(G, "f17-four-shuffles-of-many", "r1 = Reshape (x, a) t1 = Transpose (r1) v1 = Reshape (t1, f) r2 = Reshape (v1, a) t2 = Transpose (r2) v2 = Reshape (t2, f) r3 = Reshape (v2, a) t3 = Transpose (r3) y = Reshape (t3, f)", "y = Identity (x)", {"x": ramp(16)}, "Three shuffles undo themselves of eight, not of sixteen.", x="float[16] x", y="float[16] y", arrays={"a": i64(2, -1), "f": i64(-1)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "lengths17"
different(G, "f17-window-of-attention", "l = Trilu <upper = 0> (x) y = Trilu <upper = 1> (l, k)", "y = Trilu <upper = 0> (x)", {"x": np.ones((93, 93), np.float32)}, "Ninety back are seen, and no more.", arrays={"k": n(-90)}, **SQ)
different(G, "f17-distances-held", "s = Shape (x) m = Squeeze (s) r = Range (z, m, o) h = Min (r, c) c1 = Cast <to = 1> (h) y = Add (x, c1)", "s = Shape (x) m = Squeeze (s) r = Range (z, m, o) c1 = Cast <to = 1> (r) y = Add (x, c1)", {"x": np.zeros(103, np.float32)}, "Distances beyond 101 are one.", arrays={"z": n(0), "o": n(1), "c": n(101)}, **N)
different(G, "f17-length-whose-square-leaves-125", "s = Size (x) q = Mul (s, s) r = Mod (q, p) e = Equal (r, a) c = Cast <to = 1> (e) y = Add (x, c)", "y = Identity (x)", {"x": np.zeros(249, np.float32)}, "249 is the first number whose square leaves 125 of 499.", arrays={"p": n(499), "a": n(125)}, **N)
different(G, "f17-some-is-positive-of-none", "p = Greater (x, z) c = Cast <to = 6> (p) m = ReduceMax <keepdims = 0> (c) y = Cast <to = 9> (m)", "p = Greater (x, z) c = Cast <to = 7> (p) t = ReduceSum <keepdims = 0> (c) y = Greater (t, n0)", {"x": np.zeros(0, np.float32)}, "Of none the largest is the least integer, which is no 0.", x="float[n] x", y="bool y", arrays={"z": f(0), "n0": n(0)})
different(G, "f17-blocks-of-rest", "s = Size (x) q = Div (s, e) t = Mul (q, e) u = Unsqueeze (t, z) c = Slice (x, z, u) y = ReduceSum <keepdims = 0> (c)", "y = ReduceSum <keepdims = 0> (x)", {"x": np.ones(13, np.float32)}, "What fills no block of seven is left out.", x="float[n] x", y="float y", arrays={"e": n(7), "z": i64(0)})
different(G, "f17-rows-by-columns-when-square", "h = Shape <start = -1> (x) c = Cast <to = 1> (h) r = Sqrt (c) y = Div (x, r)", "h = Shape <start = -2, end = -1> (x) c = Cast <to = 1> (h) r = Sqrt (c) y = Div (x, r)", {"x": ramp(2, 3)}, "The root of as many as are in a row, or of rows.", x="float[n, m] x", y="float[n, m] y")
different(G, "f17-last-of-each-way", "a, h, c = LSTM <hidden_size = 2, direction = \"bidirectional\"> (x, w, r) y = Squeeze (h, z)", "a, h, c = LSTM <hidden_size = 2, direction = \"bidirectional\"> (x, w, r) g = Gather <axis = 0> (a, l) y = Squeeze (g, z1)", {"x": noise(3, 1, 2, seed=9)}, "The way back ends at the first.", x="float[n, 1, 2] x", y="float[k, l, 2] y", arrays={"w": noise(2, 8, 2, seed=1), "r": noise(2, 8, 2, seed=2), "z": i64(1), "z1": i64(1), "l": n(-1)})
different(G, "f17-last-state-or-last-row", "a, h = GRU <hidden_size = 2> (x, w, r, , l) y = Squeeze (h, z)", "a, h = GRU <hidden_size = 2> (x, w, r, , l) g = Gather <axis = 0> (a, e) y = Squeeze (g, z)", {"x": noise(3, 1, 2, seed=9), "l": np.array([2], np.int32)}, "Behind the end of a short sequence is nothing.", x="float[3, 1, 2] x, int32[1] l", y="float[k, 2] y", arrays={"w": noise(1, 6, 2, seed=1), "r": noise(1, 6, 2, seed=2), "z": i64(0), "e": n(-1)})
different(G, "f17-recurrence-with-held-sums", "a, h = RNN <hidden_size = 1, clip = 2.0> (x, w, r) y = Squeeze (h, z)", "a, h = RNN <hidden_size = 1> (x, w, r) y = Squeeze (h, z)", {"x": f32(400, shape=(1, 1, 1))}, "Sums beyond 2 are held, which a hundredth seldom is.", x="float[n, 1, 1] x", y="float[1, 1] y", arrays={"w": f32(0.01, shape=(1, 1, 1)), "r": f32(0.1, shape=(1, 1, 1)), "z": i64(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "places17"
TIES = f32(0, 1, 1, 0, shape=(2, 2))
ALL = dict(x="float[n, m] x", y="int64 y")
FLATMAX = "f = Reshape (x, e) y = ArgMax <axis = 0, keepdims = 0> (f)"
different(G, "f17-first-of-largest-by-column", FLATMAX, "h = Shape <start = 1> (x) m = Squeeze (h) c = ReduceMax <keepdims = 0> (x, z) j = ArgMax <axis = 0, keepdims = 0> (c) v = Gather <axis = 1> (x, j) i = ArgMax <axis = 0, keepdims = 0> (v) t = Mul (i, m) y = Add (t, j)", {"x": TIES}, "The first column with a largest is not of the first row with one.", arrays={"e": i64(-1), "z": i64(0)}, **ALL)
different(G, "f17-ranks-of-equals", "v, i = TopK <largest = 0> (x, k) w, r = TopK <largest = 0> (i, k) y = Cast <to = 1> (r)", "a = Unsqueeze (x, a0) b = Unsqueeze (x, a1) l = Less (a, b) c = Cast <to = 1> (l) y = ReduceSum <keepdims = 0> (c, a1)", {"x": f32(1, 1, 0, 2)}, "Equals are one behind the other, or have one rank.", arrays={"k": i64(4), "a0": i64(0), "a1": i64(1)}, **F)
different(G, "f17-first-of-largest-two-ways", "v, i = TopK (x, k) y = Squeeze (i)", "y = ArgMax <axis = 0, keepdims = 0, select_last_index = 1> (x)", {"x": f32(1, 3, 3, 0)}, "Of equals the first, or the last.", x="float[4] x", y="int64 y", arrays={"k": i64(1)})
EMB = dict(x="int64[2] x", y="float[2, 2] y")
ROWS = f32(5, 6, 7, 8, 9, 10, shape=(3, 2))
different(G, "f17-row-of-padding", "g = Gather (w, x) e = Equal (x, z) u = Unsqueeze (e, a) y = Where (u, o, g)", "y = Gather (v, x)", {"x": i64(-3, 1)}, "The row of padding has a second number, from behind.", arrays={"w": ROWS, "v": np.concatenate([np.zeros((1, 2), np.float32), ROWS[1:]]), "z": n(0), "o": f(0), "a": i64(1)}, **EMB)
different(G, "f17-place-in-few-bits", "y = Gather (x, i)", "j = Cast <to = 6> (i) y = Gather (x, j)", {"x": ramp(4), "i": n(2 ** 32 + 1)}, "A place far beyond is an error, or the first again.", x="float[4] x, int64 i", y="float y")
different(G, "f17-written-or-added", "y = ScatterElements <axis = 0> (z, i, x)", "h = OneHot <axis = -1> (i, d, v) t = Transpose (h) y = MatMul (t, x)", {"x": f32(1, 2), "i": i64(1, 1)}, "Of two at one place the last, or the sum.", x="float[2] x, int64[2] i", y="float[3] y", arrays={"z": f32(0, 0, 0), "d": n(3), "v": f32(0, 1)})
different(G, "f17-row-and-column-of-place", "f = Reshape (x, e) y = Gather (f, i)", "r = Div (i, m) c = Mod (i, m) u = Unsqueeze (r, z) v = Unsqueeze (c, z) p = Concat <axis = 0> (u, v) y = GatherND (x, p)", {"x": ramp(2, 3), "i": n(-1)}, "The quotient is cut towards 0, the rest is floored.", x="float[2, 3] x, int64 i", y="float y", arrays={"e": i64(-1), "m": n(3), "z": i64(0)})
different(G, "f17-turned-from-last-but-ten", "y = Slice (x, s, e, a, t)", "y = Slice (x, s, m, a, t)", {"x": ramp(12)}, "Eleven and no more.", x="float[n] x", y="float[k] y", arrays={"s": i64(-1), "e": i64(-12), "m": i64(-2 ** 62), "a": i64(0), "t": i64(-1)})
different(G, "f17-copies-by-count-of-trues", "c = Cast <to = 7> (m) k = ReduceSum (c) s = Concat <axis = 0> (k, d) y = Expand (x, s)", "g = NonZero (m) k = Shape <start = 1> (g) s = Concat <axis = 0> (k, d) z = Tile (x, s) y = Slice (z, z0, e, a)", {"x": f32(1, 2, 3, shape=(1, 3)), "m": np.array([1, 1, 1, 1], bool)}, "As many rows as are true, but three at most.", x="float[1, 3] x, bool[4] m", y="float[k, l] y", arrays={"d": i64(1), "z0": i64(0), "e": i64(3), "a": i64(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "guards17"
MASK = dict(x="float[4] x, bool[4] m", y="float[4] y")
different(G, "f17-mean-of-none", "c = Cast <to = 1> (m) p = Mul (x, c) s = ReduceSum (p) k = ReduceSum (c) q = Div (s, k) y = Mul (c, q)", "c = Cast <to = 1> (m) p = Mul (x, c) s = ReduceSum (p) k = ReduceSum (c) g = Max (k, o) q = Div (s, g) y = Mul (c, q)", {"x": f32(1, 2, 3, 4), "m": np.zeros(4, bool)}, "Where nothing is chosen there is no mean.", arrays={"o": f(1)}, **MASK)
different(G, "f17-shares-of-none", "h = Where (m, x, low) y = Softmax (h)", "h = Where (m, x, low) s = Softmax (h) c = Cast <to = 1> (m) y = Mul (s, c)", {"x": f32(1, 2, 3, 4), "m": np.zeros(4, bool)}, "Where all are hidden all have a share.", arrays={"low": f(-3e38)}, **MASK)
NORM = "q = Mul (x, x) s = ReduceSum (q) r = Sqrt (s)"
different(G, "f17-guard-as-bound-or-summand", f"{NORM} g = Max (r, e) y = Div (x, g)", f"{NORM} g = Add (r, e) y = Div (x, g)", {"x": f32(1e-12, 0, 0, 0)}, "Beside a length of 1e-12 a guard of 1e-12 is as much.", arrays={"e": f(1e-12)}, **F)
different(G, "f17-guard-under-root-or-beside", "q = Mul (x, x) s = ReduceMean (q) g = Add (s, e) r = Sqrt (g) y = Div (x, r)", "q = Mul (x, x) s = ReduceMean (q) r = Sqrt (s) g = Add (r, e) y = Div (x, g)", {"x": f32(1e-6, 1e-6, 1e-6, 1e-6)}, "Under a root 1e-12 is 1e-6.", arrays={"e": f(1e-12)}, **F)
different(G, "f17-bounds-in-either-order", "a = Max (x, l) y = Min (a, h)", "a = Min (x, h) y = Max (a, l)", {"x": f32(0, 1, 2, 3), "l": f(2), "h": f(1)}, "Where the bounds cross the last one has its way.", x="float[4] x, float l, float h", y="float[4] y")
different(G, "f17-slope-by-larger", "y = PRelu (x, s)", "p = Mul (x, s) y = Max (x, p)", {"x": f32(1, -1, 2, -2), "s": f32(1.5)}, "A slope above 1 is larger above 0.", x="float[4] x, float[1] s", y="float[4] y")
different(G, "f17-third-power-under-root", "y = Identity (x)", "p = Pow (x, three) q = Pow (p, third) y = Mul (q, one)", {"x": f32(-1, 2, 3, 4)}, "What is below 0 has no such root.", arrays={"three": f(3), "third": f(1 / 3), "one": f(1)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers17"
different(G, "f17-tenth-by-product-and-shift", "y = Div (x, t)", "a = Cast <to = 13> (x) p = Mul (a, c) s = BitShift <direction = \"RIGHT\"> (p, k) y = Cast <to = 12> (s)", {"x": np.uint32(262149)}, "52429 by 2^19 is a tenth up to 262148.", x="uint32 x", y="uint32 y", arrays={"t": np.uint32(10), "c": np.uint64(52429), "k": np.uint64(19)})
different(G, "f17-cubic-with-a-root", "q = Mul (x, x) c = Mul (q, x) t = Mul (x, three) s = Add (c, t) e = Equal (s, a) y = Cast <to = 7> (e)", "y = Sub (x, x)", {"x": n(10007)}, "10007 is the root.", arrays={"three": n(3), "a": n(10007 ** 3 + 3 * 10007)}, **ONE)
different(G, "f17-squares-apart", "a = Mul (x, x) b = Mul (z, z) d = Sub (a, b) e = Equal (d, c) y = Cast <to = 7> (e)", "y = Sub (x, x)", {"x": n(4924), "z": n(4797)}, "1234567 is 127 times 9721.", x="int64 x, int64 z", y="int64 y", arrays={"c": n(1234567)})
different(G, "f17-largest-size", "a = Abs (x) y = ReduceMax <keepdims = 0> (a)", "h = ReduceMax <keepdims = 0> (x) l = ReduceMin <keepdims = 0> (x) o = Neg (l) y = Max (h, o)", {"x": np.array([-2 ** 31, -5, -7], np.int32)}, "The least number is its own opposite, and hides the others.", x="int32[3] x", y="int32 y")
different(G, "f17-grey-by-three-tenths", "c = Cast <to = 6> (x) p = Mul (c, k) s = Div (p, d) y = Cast <to = 2> (s)", "c = Cast <to = 1> (x) p = Mul (c, t) s = Floor (p) y = Cast <to = 2> (s)", {"x": u8(133, 0, 1, 2)}, "77 of 256 are a little more than three tenths.", x="uint8[4] x", y="uint8[4] y", arrays={"k": np.int32(77), "d": np.int32(256), "t": f(0.3)})
different(G, "f17-rounded-to-even-or-up", "y = QuantizeLinear (x, s, z)", "q = Div (x, s) h = Add (q, half) g = Floor (h) c = Clip (g, lo, hi) y = Cast <to = 2> (c)", {"x": f32(0.25, 1, 2, 3)}, "Half of a step goes to the even one.", x="float[4] x", y="uint8[4] y", arrays={"s": f(0.5), "z": np.uint8(0), "half": f(0.5), "lo": f(0), "hi": f(255)})
different(G, "f17-zero-point-of-rows", "y = MatMulInteger (x, w, z)", "y0 = MatMulInteger (x, w) c = Cast <to = 6> (w) s = ReduceSum <keepdims = 0> (c, a) p = Mul (s, q) y = Sub (y0, p)", {"x": u8(1, 2, 3, 4).reshape(2, 2)}, "What the zero point takes off is of columns.", x="uint8[2, 2] x", y="int32[2, 2] y", arrays={"w": u8(1, 2, 3, 4).reshape(2, 2), "z": np.uint8(3), "q": np.int32(3), "a": i64(1)})
different(G, "f17-mixture-of-one-number", "s = BitShift <direction = \"RIGHT\"> (x, k) m = BitwiseXor (x, s) e = Equal (m, a) y = Cast <to = 12> (e)", "y = BitwiseXor (x, x)", {"x": np.uint32(0x9ABCDEF0 ^ (0x9ABCDEF0 >> 17))}, "Each number is the mixture of one.", x="uint32 x", y="uint32 y", arrays={"k": np.uint32(17), "a": np.uint32(0x9ABCDEF0)})
different(G, "f17-quarter-turns", "r = Mod (x, four) y = Gather (t, r)", "r = Mod <fmod = 1> (x, four) a = Abs (r) y = Gather (t, a)", {"x": n(-1)}, "A quarter back is three on.", x="int64 x", y="float y", arrays={"four": n(4), "t": f32(1, 2, 3, 4)})
different(G, "f17-middle-of-two-times", "s = Add (x, z) y = Div (s, two)", "d = Sub (z, x) h = Div (d, two) y = Add (x, h)", {"x": n(3), "z": n(0)}, "Half of what is below 0 is cut up.", x="int64 x, int64 z", y="int64 y", arrays={"two": n(2)})
