"""Equal pairs that look different: places from behind, shapes that are computed, rounds that come to one formula, quantised numbers, integers that wrap alike."""
import numpy as np

from pair_models import equal, f, f32, i64, n

F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
N = dict(x="float[n] x", y="float[n] y")
CUT = dict(x="float[n] x", y="float[k] y")
WIDE = (-2 ** 62, 2 ** 62)
ONE = dict(x="int64 x", y="int64 y", ranges={"x": WIDE})
TWO = dict(x="int64 x, int64 w", y="int64 y", ranges={"x": WIDE, "w": WIDE})
LINE = dict(x="float[1, 1, 7] x", y="float[1, 1, k] y", finite=True)
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
G = "places-alike15"
PICK = dict(x="float[6] x, int64[3] i", y="float[3] y")
equal(G, "f15-every-second-by-place-of-six", "h = Mod <fmod = 1> (i, three) p = Slice (x, s, e, z, t) y = Gather (p, h)", "h = Mod <fmod = 1> (i, three) d = Mul (h, two) j = Add (d, s0) y = Gather (x, j)", "Of six the last of the second ones is the last of all.", ranges={"i": (-99, 99)}, arrays={"three": n(3), "s": i64(1), "s0": n(1), "e": i64(2 ** 62), "z": i64(0), "t": i64(2), "two": n(2)}, **PICK)
equal(G, "f15-places-by-either-remainder", "m = Mod <fmod = 1> (i, k) y = Gather (x, m)", "m = Mod (i, k) y = Gather (x, m)", "What is below 0 is counted from behind.", ranges={"i": (-99, 99)}, arrays={"k": n(6)}, **PICK)
equal(G, "f15-place-in-two-copies", "d = Concat <axis = 0> (x, x) m = Mod <fmod = 1> (i, k) y = Gather (d, m)", "m = Mod (i, k) y = Gather (x, m)", "The second copy ends as the first.", ranges={"i": (-99, 99)}, arrays={"k": n(6)}, **PICK)
equal(G, "f15-largest-written-back", "v, p = TopK (x, k) y = ScatterElements (x, p, v)", "y = Identity (x)", "Each is put where it came from.", arrays={"k": i64(3)}, **FF)
equal(G, "f15-ranks-of-ranks", "v, p = TopK <largest = 0> (x, k) a, q = TopK <largest = 0> (p, k) b, r = TopK <largest = 0> (q, k) y = Cast <to = 1> (r)", "v, p = TopK <largest = 0> (x, k) y = Cast <to = 1> (p)", "An order turned round twice.", arrays={"k": i64(4)}, **FF)
equal(G, "f15-turned-and-first-is-last", "r = Slice (x, m1, far, z, m1) i = ArgMax <axis = 0, keepdims = 0, select_last_index = 1> (r) y = Sub (three, i)", "y = ArgMax <axis = 0, keepdims = 0> (x)", "From behind the last is the first.", x="float[4] x", y="int64 y", finite=True, arrays={"m1": i64(-1), "far": i64(-9), "z": i64(0), "three": n(3)})
equal(G, "f15-read-with-guard-and-without", "l = Less (i, six) g = GreaterOrEqual (i, z) b = And (l, g) h = Clip (i, z, five) p = Gather (x, h) y = Where (b, p, zero)", "h = Clip (i, m1, six) s = Add (h, one) e = Pad (x, pads) y = Gather (e, s)", "A border of zeros in place of a condition.", ranges={"i": (-9, 15)}, arrays={"six": n(6), "five": n(5), "z": n(0), "m1": n(-1), "one": n(1), "zero": f(0), "pads": i64(1, 1)}, **PICK)
equal(G, "f15-diagonal-by-places", "l = Reshape (x, all) y = Gather (l, p)", "m = Mul (x, e) y = ReduceSum <keepdims = 0> (m, one)", "Every fourth of nine.", x="float[3, 3] x", y="float[3] y", finite=True, arrays={"all": i64(-1), "p": i64(0, 4, 8), "e": np.eye(3, dtype=np.float32), "one": i64(1)})
equal(G, "f15-histogram-by-marks", "b = Mod (x, k) o = Expand (one, s) y = ScatterElements <reduction = \"add\"> (zeros, b, o)", "b = Mod (x, k) h = OneHot <axis = 0> (b, kk, v) y = ReduceSum <keepdims = 0> (h, ax)", "Each adds one where it belongs.", x="int64[5] x", y="float[4] y", ranges={"x": (-50, 50)}, arrays={"k": n(4), "kk": n(4), "one": f(1), "s": i64(5), "zeros": f32(0, 0, 0, 0), "v": f32(0, 1), "ax": i64(1)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "shapes-alike15"
equal(G, "f15-roll-by-one-less", "a = Slice (x, one, e) b = Slice (x, z, one) y = Concat <axis = 0> (a, b)", "s = Shape (x) l = Squeeze (s) r = Range (zero, l, step) q = Add (r, step) i = Mod (q, s) y = Gather (x, i)", "The first behind the last.", arrays={"one": i64(1), "e": i64(2 ** 62), "z": i64(0), "zero": n(0), "step": n(1)}, **CUT)
equal(G, "f15-shape-turned-is-shape-of-turned", "s = Shape (x) r = Slice (s, m1, far, z, m1) y = Cast <to = 1> (r)", "t = Transpose (x) s = Shape (t) y = Cast <to = 1> (s)", "Sizes in the other order.", x="float[n, m, k] x", y="float[3] y", arrays={"m1": i64(-1), "far": i64(-9), "z": i64(0)})
equal(G, "f15-half-and-half-of-any-length", "s = Shape (x) h = Div (s, two) a = Slice (x, z, h) b = Slice (x, h, s) y = Concat <axis = 0> (a, b)", "y = Identity (x)", "Wherever it is cut.", x="float[n] x", y="float[n] y", arrays={"two": i64(2), "z": i64(0)})
equal(G, "f15-repeat-by-places", "s = Shape (x) d = Mul (s, two) l = Squeeze (d) r = Range (zero, l, step) i = Div (r, two) y = Gather (x, i)", "u = Unsqueeze (x, ax) v = Concat <axis = 1> (u, u) y = Reshape (v, all)", "Each twice, by half of its place.", x="float[n] x", y="float[k] y", arrays={"two": i64(2), "zero": n(0), "step": n(1), "ax": i64(1), "all": i64(-1)})
equal(G, "f15-length-never-leaves-two-of-square", "s = Shape (x) q = Mul (s, s) r = Mod (q, three) e = Equal (r, two) m = Neg (x) y = Where (e, m, x)", "y = Identity (x)", "No square leaves 2 of 3.", arrays={"three": i64(3), "two": i64(2)}, **N)
equal(G, "f15-first-rows-of-many", "y = Slice (x, z, far)", "s = Shape (x) e = Min (s, far) y = Slice (x, z, e)", "An end beyond the end is the end.", x="float[n] x", y="float[k] y", arrays={"z": i64(0), "far": i64(5)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "rounds-alike15"
LOOP = "y = Loop (k, t, x) <body = b (int64 i, bool c, int64 s) => (bool d, int64 r) {{ {} }}>"
equal(G, "f15-sum-of-round-numbers", LOOP.format("d = Identity (c) r = Add (s, i)"), "y = Add (x, v)", "0 and 1 and so on to 9 is 45.", arrays={"k": n(10), "t": T, "v": n(45)}, **ONE)
equal(G, "f15-affine-four-times", LOOP.format("d = Identity (c) m = Mul (s, three) r = Add (m, one)"), "m = Mul (x, v) y = Add (m, w)", "Three times and one more, four times: also where it wraps.", arrays={"k": n(4), "t": T, "three": n(3), "one": n(1), "v": n(81), "w": n(40)}, **ONE)
equal(G, "f15-exchanged-an-even-number-of-times", "a, b0 = Loop (k, t, x, w) <body = b (int64 i, bool c, int64 p, int64 q) => (bool d, int64 u, int64 v) { d = Identity (c) u = Identity (q) v = Identity (p) }> y = Sub (a, b0)", "y = Sub (x, w)", "Six exchanges are none.", arrays={"k": n(6), "t": T}, **TWO)
equal(G, "f15-branch-within-branch", "c = Less (x, z) y = If (c) <then_branch = a () => (int64 q) { q = Neg (x) }, else_branch = b () => (int64 r) { e = Equal (x, z) r = If (e) <then_branch = a2 () => (int64 q2) { q2 = Identity (z) }, else_branch = b2 () => (int64 r2) { r2 = Identity (x) }> }>", "y = Abs (x)", "0 in a branch of its own.", arrays={"z": n(0)}, **ONE)
equal(G, "f15-largest-so-far-last", "s, o = Scan <num_scan_inputs = 1, body = bd (float a, float v) => (float w, float q) { w = Max (a, v) q = Identity (w) }> (low, x) y = Identity (s)", "m = ReduceMax <keepdims = 0> (x) y = Max (m, low)", "The last of the largest so far.", x="float[4] x", y="float y", finite=True, arrays={"low": f(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers-alike15"
equal(G, "f15-average-by-bits", "a = BitwiseAnd (x, w) b = BitwiseXor (x, w) c = BitShift <direction = \"RIGHT\"> (b, one) y = Add (a, c)", "p = Cast <to = 6> (x) q = Cast <to = 6> (w) s = Add (p, q) h = Div (s, two) y = Cast <to = 2> (h)", "Without a carry, or in a wider type.", x="uint8[4] x, uint8[4] w", y="uint8[4] y", ranges={"x": (0, 255), "w": (0, 255)}, arrays={"one": np.uint8(1), "two": np.int32(2)})
equal(G, "f15-quotient-below", "v = Cast <to = 7> (x) q = Div (v, k) m = Mul (q, k) r = Sub (v, m) l = Less (r, z) c = Cast <to = 7> (l) y = Sub (q, c)", "v = Cast <to = 7> (x) r = Mod (v, k) d = Sub (v, r) y = Div (d, k)", "One less where something is left below 0.", x="int32[3] x", y="int64[3] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)}, arrays={"k": n(7), "z": n(0)})
equal(G, "f15-square-of-sum", "a = Add (x, w) y = Mul (a, a)", "a = Mul (x, x) b = Mul (w, w) c = Mul (x, w) d = Add (c, c) e = Add (a, b) y = Add (e, d)", "It wraps alike.", **TWO)
equal(G, "f15-odd-factor-tells-apart", "a = Mul (x, k) b = Mul (w, k) e = Equal (a, b) y = Cast <to = 7> (e)", "e = Equal (x, w) y = Cast <to = 7> (e)", "An odd factor has an inverse where numbers wrap.", arrays={"k": n(12345)}, **TWO)
equal(G, "f15-thirteenths-of-bytes", "i = Cast <to = 6> (x) m = Mul (i, k) s = Div (m, p) y = Cast <to = 2> (s)", "y = Div (x, d)", "79 of 1024 is a thirteenth for all bytes.", x="uint8[4] x", y="uint8[4] y", ranges={"x": (0, 255)}, arrays={"k": np.int32(79), "p": np.int32(1024), "d": np.uint8(13)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "quantised-alike15"
equal(G, "f15-zero-point-into-sum", "y = MatMulInteger (x, w, a)", "xi = Cast <to = 6> (x) wi = Cast <to = 6> (w) ai = Cast <to = 6> (a) d = Sub (xi, ai) y = MatMul (d, wi)", "Taken off before the product, in wide numbers.", x="uint8[2, 2] x", y="int32[2, 2] y", ranges={"x": (0, 255)}, arrays={"w": np.array([[1, 200], [30, 4]], np.uint8), "a": np.uint8(128)})
equal(G, "f15-relu-in-bytes-of-zero-point", "r = Relu (x) y = QuantizeLinear (r, s, z)", "q = QuantizeLinear (x, s, z) y = Max (q, z)", "0 is the zero point.", x="float[4] x", y="uint8[4] y", finite=True, ranges={"x": (-100.0, 100.0)}, arrays={"s": f(0.5), "z": np.uint8(10)})
equal(G, "f15-place-of-largest-of-bytes", "d = DequantizeLinear (x, s, z) y = ArgMax <axis = 0, keepdims = 0> (d)", "i = Cast <to = 6> (x) y = ArgMax <axis = 0, keepdims = 0> (i)", "A positive scale keeps the order.", x="uint8[4] x", y="int64 y", ranges={"x": (0, 9)}, arrays={"s": f(0.1), "z": np.uint8(100)})
equal(G, "f15-negative-scale-turns-order", "d = DequantizeLinear (x, s) y = ArgMax <axis = 0, keepdims = 0> (d)", "i = Cast <to = 6> (x) y = ArgMin <axis = 0, keepdims = 0> (i)", "The least is the largest.", x="uint8[4] x", y="int64 y", ranges={"x": (0, 9)}, arrays={"s": f(-0.5)})
equal(G, "f15-table-of-bytes", "i = Cast <to = 6> (x) y = Gather (table, i)", "d = DequantizeLinear (x, s, z) y = Mul (d, d)", "Two hundred and fifty-six squares.", x="uint8[4] x", y="float[4] y", ranges={"x": (0, 255)}, arrays={"s": f(0.5), "z": np.uint8(128), "table": ((np.arange(256, dtype=np.float32) - 128) * np.float32(0.5)) ** 2})
equal(G, "f15-peak-of-bytes-before-scale", "d = DequantizeLinear (x, s, z) y = MaxPool <kernel_shape = [2], pads = [1, 0]> (d)", "p = MaxPool <kernel_shape = [2], pads = [1, 0]> (x) y = DequantizeLinear (p, s, z)", "The border is the least of bytes, and never the largest.", x="uint8[1, 1, 5] x", y="float[1, 1, 5] y", ranges={"x": (0, 255)}, arrays={"s": f(0.25), "z": np.uint8(3)})
