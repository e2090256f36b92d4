"""Equal pairs that look different: layers of networks written in another way, windows and borders that come out the same, places and counts found twice."""
import numpy as np

from pair_models import equal, f32, i64, noise, ramp, u8

F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
NM = dict(x="float[n, m] x", y="float[n, m] y", finite=True)
LINE = dict(x="float[1, 1, n] x", y="float[1, 1, k] y", finite=True)
IMAGE = dict(x="float[1, 2, 4, 4] x", y="float[1, k, l, m] y", finite=True)
T = np.bool_(True)


def f(value):
    return np.float32(value)


def n(value):
    return np.int64(value)


# ---------------------------------------------------------------------------------------------------------------------------
G = "windows-alike17"
equal(G, "f17-border-that-is-added-behind", "y = ConvTranspose <strides = [2], pads = [1, 1], output_padding = [1]> (x, w)", "y = ConvTranspose <strides = [2], pads = [1, 0]> (x, w)", "What is added behind makes up for the border behind.", arrays={"w": f32(1, 2, 5, shape=(1, 1, 3))}, **LINE)
W4 = noise(2, 3, 2, 2, seed=3)
equal(G, "f17-pixels-by-turned-kernel", "y = ConvTranspose <strides = [2, 2]> (x, w)", "c = Conv (x, v) y = DepthToSpace <blocksize = 2> (c)", "A kernel as long as its step sees one pixel.", arrays={"w": W4, "v": np.ascontiguousarray(W4.transpose(2, 3, 1, 0).reshape(12, 2, 1, 1))}, **IMAGE)
equal(G, "f17-last-pair-or-one", "y = MaxPool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x)", "y = MaxPool <kernel_shape = [2], strides = [2], pads = [0, 1]> (x)", "A border behind an even line is never reached.", sizes=(2, 3, 4, 5, 8), **LINE)
equal(G, "f17-gaps-as-zeros", "y = Conv <dilations = [2, 3], pads = [1, 0, 2, 3]> (x, w)", "y = Conv <pads = [1, 0, 2, 3]> (x, v)", "A gap is a weight of nothing.", arrays={"w": noise(1, 2, 2, 2, seed=5), "v": (lambda v, w: (v.__setitem__((slice(None), slice(None), slice(None, None, 2), slice(None, None, 3)), w), v)[1])(np.zeros((1, 2, 3, 4), np.float32), noise(1, 2, 2, 2, seed=5))}, **IMAGE)
equal(G, "f17-border-of-zero-point-taken-off", "y = ConvInteger <pads = [1, 1]> (x, w, z)", "c = Cast <to = 6> (x) d = Sub (c, q) g = Cast <to = 1> (d) h = Conv <pads = [1, 1]> (g, v) y = Cast <to = 6> (h)", "A border is of the zero point.", x="uint8[1, 1, 4] x", y="int32[1, 1, 4] y", arrays={"w": u8(1, 2, 3).reshape(1, 1, 3), "v": f32(1, 2, 3, shape=(1, 1, 3)), "z": np.uint8(3), "q": np.int32(3)}, ranges={"x": (0, 255)})
equal(G, "f17-three-shuffles-of-eight", "r1 = Reshape (x, a) t1 = Transpose (r1) v1 = Reshape (t1, f) r2 = Reshape (v1, a) t2 = Transpose (r2) v2 = Reshape (t2, f) r3 = Reshape (v2, a) t3 = Transpose (r3) y = Reshape (t3, f)", "y = Identity (x)", "Twice two is four, and twice four is one, of seven.", x="float[8] x", y="float[8] y", arrays={"a": i64(2, -1), "f": i64(-1)})
equal(G, "f17-pixels-of-one-image", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", "y = DepthToSpace <blocksize = 2, mode = \"DCR\"> (x)", "Of one image the channels' parts are in one order.", x="float[n, 4, 2, 3] x", y="float[n, 1, 4, 6] y")
equal(G, "f17-each-channel-by-itself", "y = Conv <group = 2> (x, w, b)", "m = Mul (x, v) y = Add (m, c)", "One weight for each channel.", arrays={"w": f32(2, 3, shape=(2, 1, 1, 1)), "v": f32(2, 3, shape=(2, 1, 1)), "b": f32(1, 5), "c": f32(1, 5, shape=(1, 2, 1, 1))}, **IMAGE)
equal(G, "f17-twice-by-copies", "y = Resize <mode = \"nearest\"> (x, , s)", "u = Unsqueeze (x, a) e = Expand (u, r) h = Shape (x) d = Mul (h, t) y = Reshape (e, d)", "Each element twice.", arrays={"s": f32(1, 1, 2), "a": i64(3), "r": i64(1, 1, 1, 2), "t": i64(1, 1, 2)}, **LINE)
equal(G, "f17-groups-of-norm-as-images", "r = Reshape (x, s) i = InstanceNormalization (r, o, z) h = Shape (x) v = Reshape (i, h) m = Mul (v, g) y = Add (m, b)", "r = Reshape (x, s3) a = ReduceMean (r, ax) d = Sub (r, a) q = Mul (d, d) v = ReduceMean (q, ax) e = Add (v, eps) t = Sqrt (e) u = Div (d, t) w = Reshape (u, s4) m = Mul (w, g) y = Add (m, b)", "Two groups are two images.", x="float[1, 4, 2, 3] x", y="float[1, 4, 2, 3] y", finite=True, arrays={"s": i64(0, 2, -1), "o": f32(1, 1), "z": f32(0, 0), "s3": i64(1, 2, 12), "s4": i64(1, 4, 2, 3), "ax": i64(2), "eps": f(1e-5), "g": f32(1, 2, 3, 4, shape=(1, 4, 1, 1)), "b": f32(4, 3, 2, 1, shape=(1, 4, 1, 1))})

# ---------------------------------------------------------------------------------------------------------------------------
G = "layers-alike17"
QKV = dict(x="float[2, 3, 4] q, float[2, 5, 4] k, float[2, 5, 2] v", y="float[2, 3, 2] y", finite=True)
equal(G, "f17-scale-of-questions-or-scores", "t = Transpose <perm = [0, 2, 1]> (k) s = MatMul (q, t) h = Mul (s, half) p = Softmax (h) y = MatMul (p, v)", "g = Mul (q, half) s = Einsum <equation = \"bqd,bkd->bqk\"> (g, k) p = Softmax (s) y = Einsum <equation = \"bqk,bkd->bqd\"> (p, v)", "A factor of the scores is one of the questions.", arrays={"half": f(0.5)}, **QKV)
equal(G, "f17-keys-from-behind", "t = Transpose <perm = [0, 2, 1]> (k) s = MatMul (q, t) p = Softmax (s) y = MatMul (p, v)", "kr = Slice (k, b, e, a, m) vr = Slice (v, b, e, a, m) t = Transpose <perm = [0, 2, 1]> (kr) s = MatMul (q, t) p = Softmax (s) y = MatMul (p, vr)", "Keys and values in another order.", arrays={"b": i64(-1), "e": i64(-99), "a": i64(1), "m": i64(-1)}, **QKV)
equal(G, "f17-lower-part-by-places", "y = Trilu <upper = 0> (x, k)", "h = Shape (x) a, b = Split <axis = 0, num_outputs = 2> (h) a0 = Squeeze (a) b0 = Squeeze (b) i = Range (z, a0, o) j = Range (z, b0, o) u = Unsqueeze (i, ax) v = Add (u, k) m = LessOrEqual (j, v) y = Where (m, x, zero)", "What is not further on than the diagonal and one.", arrays={"k": n(1), "z": n(0), "o": n(1), "ax": i64(1), "zero": f(0)}, **{**NM, "finite": False})
NORM = dict(x="float[n, 4] x", y="float[n, 4] y", finite=True)
equal(G, "f17-norm-by-shares-of-variance", "y = LayerNormalization (x, w, b)", "a = ReduceMean (x, ax) d = Sub (x, a) q = ReduceSumSquare (d, ax) v = Div (q, four) e = Add (v, eps) t = Sqrt (e) r = Reciprocal (t) u = Mul (d, r) m = Mul (u, w) y = Add (b, m)", "The mean of squares as a share of their sum.", arrays={"w": f32(1, 2, 3, 4), "b": f32(4, 3, 2, 1), "ax": i64(-1), "four": f(4), "eps": f(1e-5)}, **NORM)
equal(G, "f17-recurrence-from-nothing", "y, h = GRU <hidden_size = 2> (x, w, r)", "y, h = GRU <hidden_size = 2> (x, w, r, b, , s)", "What is not said is 0.", x="float[3, 1, 2] x", y="float[3, 1, 1, 2] y", finite=True, arrays={"w": noise(1, 6, 2, seed=1), "r": noise(1, 6, 2, seed=2), "b": np.zeros((1, 12), np.float32), "s": np.zeros((1, 1, 2), np.float32)})
equal(G, "f17-reverse-by-turning-twice", "y, h, c = LSTM <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "t = Slice (x, b, e, a, m) u, h, c = LSTM <hidden_size = 2> (t, w, r) y = Slice (u, b, e, a, m)", "From behind, and turned.", x="float[n, 1, 2] x", y="float[n, 1, 1, 2] y", finite=True, arrays={"w": noise(1, 8, 2, seed=1), "r": noise(1, 8, 2, seed=2), "b": i64(-1), "e": i64(-2 ** 62), "a": i64(0), "m": i64(-1)})
equal(G, "f17-both-ways-joined", "y, h = RNN <hidden_size = 2, direction = \"bidirectional\"> (x, w, r)", "wa, wb = Split <axis = 0, num_outputs = 2> (w) ra, rb = Split <axis = 0, num_outputs = 2> (r) u, h = RNN <hidden_size = 2> (x, wa, ra) v, g = RNN <hidden_size = 2, direction = \"reverse\"> (x, wb, rb) y = Concat <axis = 1> (u, v)", "Both ways are two recurrences.", x="float[3, 1, 2] x", y="float[3, 2, 1, 2] y", finite=True, arrays={"w": noise(2, 2, 2, seed=1), "r": noise(2, 2, 2, seed=2)})
equal(G, "f17-slow-swish", "y = HardSwish (x)", "a = Add (x, three) c = Clip (a, zero, six) d = Div (c, six) y = Mul (x, d)", "A sixth of x and three, held.", arrays={"three": f(3), "zero": f(0), "six": f(6)}, **FF)
equal(G, "f17-sum-beside-folded-norm", "c = Conv (x, w) y = BatchNormalization <epsilon = 0.0> (c, g, b, m, v)", "y = Conv (x, u, t)", "A norm of weights.", arrays={"w": f32(1, 2, 3, 4, shape=(2, 2, 1, 1)), "g": f32(2, 3), "b": f32(1, 5), "m": f32(1, 2), "v": f32(4, 9), "u": f32(1, 2, 3, 4, shape=(2, 2, 1, 1)), "t": f32(0, 3)}, **IMAGE)

# ---------------------------------------------------------------------------------------------------------------------------
G = "places-alike17"
equal(G, "f17-first-of-largest-by-row", "f = Reshape (x, e) y = ArgMax <axis = 0, keepdims = 0> (f)", "h = Shape <start = 1> (x) m = Squeeze (h) c = ReduceMax <keepdims = 0> (x, z) i = ArgMax <axis = 0, keepdims = 0> (c) v = Gather <axis = 0> (x, i) j = ArgMax <axis = 0, keepdims = 0> (v) t = Mul (i, m) y = Add (t, j)", "The first row with a largest, and the first in it.", x="float[n, m] x", y="int64 y", finite=True, arrays={"e": i64(-1), "z": i64(1)})
equal(G, "f17-chosen-rows", "y = Compress <axis = 0> (x, m)", "g = NonZero (m) i = Squeeze (g, z) y = Gather <axis = 0> (x, i)", "The places of what is true.", x="float[4, 2] x, bool[4] m", y="float[k, 2] y", arrays={"z": i64(0)})
equal(G, "f17-sums-from-behind", "y = CumSum <exclusive = 1, reverse = 1> (x, z)", "c = CumSum <reverse = 1> (x, z) y = Sub (c, x)", "Without the element itself; integers go round alike.", x="int32[n] x", y="int32[n] y", arrays={"z": n(0)}, ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "f17-hot-by-equal-places", "i = Cast <to = 7> (q) y = OneHot (i, d, v)", "i = Cast <to = 7> (q) r = Range (z, d, o) u = Unsqueeze (i, a) e = Equal (u, r) y = Cast <to = 1> (e)", "A place beyond is none.", x="uint8[3] q", y="float[3, 5] y", arrays={"d": n(5), "v": f32(0, 1), "z": n(0), "o": n(1), "a": i64(-1)}, ranges={"q": (0, 255)})
equal(G, "f17-smallest-by-opposites", "y, i = TopK <largest = 0> (x, k)", "o = Neg (x) v, i = TopK (o, k) y = Neg (v)", "The largest of opposites, ties too.", x="float[5] x", y="float[3] y, int64[3] i", finite=True, arrays={"k": i64(3)})
equal(G, "f17-largest-size-of-floats", "a = Abs (x) y = ReduceMax <keepdims = 0> (a)", "h = ReduceMax <keepdims = 0> (x) l = ReduceMin <keepdims = 0> (x) o = Neg (l) y = Max (h, o)", "A float has an opposite.", x="float[3] x", y="float y", finite=True)
equal(G, "f17-rest-by-bits", "y = Mod (x, e)", "y = BitwiseAnd (x, s)", "Eight is a power of two, and what is below 0 is floored.", x="int64[4] x", y="int64[4] y", arrays={"e": n(8), "s": n(7)}, ranges={"x": (-2 ** 62, 2 ** 62)})
equal(G, "f17-grey-by-parts-of-256", "c = Cast <to = 6> (x) p = Mul (c, k) t = ReduceSum (p, a) s = Div (t, d) y = Cast <to = 2> (s)", "c = Cast <to = 1> (x) v = MatMul (c, w) g = Floor (v) y = Cast <to = 2> (g)", "Parts of 256 are exact in floats.", x="uint8[2, 3] x", y="uint8[2, 1] y", arrays={"k": np.array([77, 150, 29], np.int32), "d": np.int32(256), "a": i64(1), "w": f32(77 / 256, 150 / 256, 29 / 256, shape=(3, 1))}, ranges={"x": (0, 255)})
equal(G, "f17-zero-point-of-columns", "y = MatMulInteger (x, w, z)", "y0 = MatMulInteger (x, w) c = Cast <to = 6> (w) s = ReduceSum <keepdims = 0> (c, a) p = Mul (s, q) y = Sub (y0, p)", "What the zero point takes off is of columns.", x="uint8[2, 2] x", y="int32[2, 2] y", arrays={"w": u8(1, 2, 3, 4).reshape(2, 2), "z": np.uint8(3), "q": np.int32(3), "a": i64(0)}, ranges={"x": (0, 255)})
equal(G, "f17-rows-from-any-place", "y = Reshape (x, s)", "a = Flatten <axis = 2> (x) h = Shape <end = 1> (x) u = Concat <axis = 0> (h, m, o) b = Reshape (a, u) y = Transpose <perm = [0, 1, 2]> (b)", "0 keeps what is there.", x="float[n, 2, 3] x", y="float[n, 6, 1] y", arrays={"s": i64(0, 6, 1), "m": i64(6), "o": i64(1)})
equal(G, "f17-sum-of-rounds", "y = Loop (k, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { j = Mul (i, three) w = Add (v, j) e = Identity (d) }>", "y = Add (x, c)", "Seven rounds add 0 to 18.", x="int64 x", y="int64 y", arrays={"k": n(7), "t": T, "three": n(3), "c": n(63)}, ranges={"x": (-2 ** 62, 2 ** 62)})
