"""Pairs that differ: places and shapes that are counted, conditions on sizes, rounds and branches seldom met, defaults, integers at their ends, quantised models."""
import itertools

import numpy as np

from pair_models import different, f, f32, i64, n, ramp

F = dict(x="float[4] x", y="float[4] y")
N = dict(x="float[n] x", y="float[n] y")
CUT = dict(x="float[n] x", y="float[k] y")
NM = dict(x="float[n, m] x", y="float[n, m] y")
ONE = dict(x="int64 x", y="int64 y")
TWO = dict(x="int64 x, int64 w", y="int64 y")
I64 = dict(x="int64[3] x", y="int64[3] y")
IMAGE = dict(x="float[1, 1, 4, 4] x", y="float[1, 1, k, l] y")
LINE = dict(x="float[1, 1, n] x", y="float[1, 1, k] y")
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
G = "places15"
PICK = dict(x="float[n] x, int64[k] i", y="float[k] y")
different(G, "f15-every-second-by-place", "p = Slice (x, s, e, z, t) y = Gather (p, i)", "d = Mul (i, two) j = Add (d, s0) y = Gather (x, j)", {"x": ramp(5), "i": i64(-1)}, "Of an odd number the last of the second ones is not the last one.", arrays={"s": i64(1), "s0": n(1), "e": i64(2 ** 62), "z": i64(0), "t": i64(2), "two": n(2)}, **PICK)
different(G, "f15-row-and-column-from-behind", "l = Reshape (x, all) y = Gather (l, i)", "r = Div (i, four) c = Mod (i, four) u = Unsqueeze (r, one) v = Unsqueeze (c, one) p = Concat <axis = 1> (u, v) y = GatherND (x, p)", {"x": ramp(3, 4), "i": i64(-1)}, "A quotient is cut towards the first row.", x="float[3, 4] x, int64[k] i", y="float[k] y", arrays={"all": i64(-1), "four": n(4), "one": i64(1)})
different(G, "f15-roll-by-three", "a = Slice (x, m3, e) b = Slice (x, z, m3) y = Concat <axis = 0> (a, b)", "s = Shape (x) l = Squeeze (s) r = Range (zero, l, step) q = Sub (r, three) i = Mod (q, s) y = Gather (x, i)", {"x": ramp(2)}, "Of two the last three are both, and by remainders they are turned.", arrays={"m3": i64(-3), "e": i64(2 ** 62), "z": i64(0), "zero": n(0), "step": n(1), "three": n(3)}, x="float[n] x", y="float[k] y")
different(G, "f15-last-written-or-largest", "y = ScatterElements (x, i, u)", "y = ScatterElements <reduction = \"max\"> (x, i, v)", {"x": f32(9, 0, 0, 0), "i": i64(0, 1, 2)}, "What was there is larger.", x="float[4] x, int64[3] i", y="float[4] y", arrays={"u": f32(5, 6, 7), "v": f32(5, 6, 7)})
different(G, "f15-added-at-one-place-twice", "g = Gather (x, i) a = Add (g, one) u = Unsqueeze (i, ax) y = ScatterND (x, u, a)", "u = Unsqueeze (i, ax) h = Shape (i) o = Expand (one, h) y = ScatterND <reduction = \"add\"> (x, u, o)", {"x": f32(1, 2, 3, 4), "i": i64(-1, 3)}, "The last one from both ends.", x="float[4] x, int64[2] i", y="float[4] y", arrays={"one": f(1), "ax": i64(1)})
different(G, "f15-order-turned-back-of-three", "v, p = TopK (x, k) q, r = TopK <largest = 0> (p, k) y = Cast <to = 1> (r)", "v, p = TopK (x, k) y = Cast <to = 1> (p)", {"x": f32(2, 1, 3)}, "A circle of three turned round.", x="float[3] x", y="float[3] y", arrays={"k": i64(3)})
different(G, "f15-first-where-all-hold", "b = Cast <to = 9> (x) c = Cast <to = 7> (b) y = ArgMin <axis = 0, keepdims = 0> (c)", "b = Cast <to = 9> (x) nb = Not (b) c = Cast <to = 7> (nb) s = CumSum (c, zero) e = Equal (s, none) h = Cast <to = 7> (e) y = ReduceSum <keepdims = 0> (h)", {"x": i64(*[1] * 12)}, "Of twelve none is 0.", x="int64[12] x", y="int64 y", arrays={"zero": n(0), "none": n(0)})
different(G, "f15-one-hot-of-place-behind", "y = OneHot <axis = -1> (x, d, v)", "r = Range (zero, d, one) c = Unsqueeze (x, ax) e = Equal (c, r) y = Cast <to = 1> (e)", {"x": i64(-1, 2, 1)}, "-1 is marked as the last.", x="int64[3] x", y="float[3, 4] y", arrays={"d": n(4), "v": f32(0, 1), "zero": n(0), "one": n(1), "ax": i64(-1)})
different(G, "f15-all-but-last-counted", "l = Shape (x) b = Sub (l, w) y = Slice (x, z, b)", "b = Neg (w) y = Slice (x, z, b)", {"x": ramp(4), "w": i64(0)}, "All but none are all, and up to -0 there is none.", x="float[n] x, int64[1] w", y="float[k] y", arrays={"z": i64(0)})
different(G, "f15-turned-in-batches", "y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, l)", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", {"x": ramp(3, 3)}, "Columns or rows.", x="float[3, 3] x", y="float[3, 3] y", arrays={"l": i64(3, 2, 1)})
different(G, "f15-wrap-or-mirror-beyond", "y = Pad <mode = \"reflect\"> (x, p)", "y = Pad <mode = \"wrap\"> (x, p)", {"x": ramp(4)}, "Behind the last is the one before it, or the first.", opset=19, ir=9, arrays={"p": i64(0, 1)}, **CUT)

# ---------------------------------------------------------------------------------------------------------------------------
G = "shapes15"
different(G, "f15-shape-of-turned", "s = Shape (x) s0 = Slice (s, m1, far, z, m1) y = Reshape (x, s0)", "y = Transpose (x)", {"x": ramp(2, 3)}, "Of one shape, in another order.", x="float[n, m] x", y="float[m, n] y", arrays={"m1": i64(-1), "far": i64(-9), "z": i64(0)})
different(G, "f15-length-that-is-product", "s = Shape (x) a = Gather (s, i0) b = Gather (s, i1) p = Mul (a, b) e = Equal (p, k) c = Cast <to = 1> (e) y = Add (x, c)", "y = Identity (x)", {"x": ramp(13, 17)}, "Thirteen rows of seventeen.", arrays={"i0": n(0), "i1": n(1), "k": n(221)}, **NM)
different(G, "f15-mean-by-first-length", "t = ReduceSum <keepdims = 0> (x) s = Shape (x) d = Gather (s, z) c = Cast <to = 1> (d) q = Mul (c, c) y = Div (t, q)", "y = ReduceMean <keepdims = 0> (x)", {"x": ramp(2, 3)}, "Only of a square.", x="float[n, m] x", y="float y", arrays={"z": n(0)})
different(G, "f15-size-in-bytes", "s = Size (x) b = Cast <to = 2> (s) c = Cast <to = 1> (b) y = Add (x, c)", "s = Size (x) c = Cast <to = 1> (s) y = Add (x, c)", {"x": ramp(16, 16)}, "Of 256 a byte holds nothing.", **NM)
different(G, "f15-halves-of-odd-length", "s = Shape (x) h = Div (s, two) a = Slice (x, z, h) b = Slice (x, h, s) y = Concat <axis = 0> (b, a)", "s = Shape (x) o = Add (s, one) h = Div (o, two) a = Slice (x, z, h) b = Slice (x, h, s) y = Concat <axis = 0> (b, a)", {"x": ramp(5)}, "The middle one goes with the first or with the last.", x="float[n] x", y="float[k] y", arrays={"two": i64(2), "one": i64(1), "z": i64(0)})
different(G, "f15-tile-or-repeat-of-rows", "y = Tile (x, r)", "u = Unsqueeze (x, ax) s = Shape (x) t = Concat <axis = 0> (s, two) v = Expand (u, t) q = Mul (s, two) y = Reshape (v, q)", {"x": f32(1, 2)}, "Of one they are the same.", x="float[n] x", y="float[k] y", arrays={"r": i64(2), "two": i64(2), "ax": i64(1)})
different(G, "f15-space-to-depth-by-hand", "y = SpaceToDepth <blocksize = 2> (x)", "r = Reshape (x, a) t = Transpose <perm = [0, 1, 3, 5, 2, 4]> (r) y = Reshape (t, b)", {"x": ramp(1, 2, 2, 2)}, "Channels before the places in a block, or behind.", x="float[1, 2, 2, 2] x", y="float[1, 8, 1, 1] y", arrays={"a": i64(1, 2, 1, 2, 1, 2), "b": i64(1, 8, 1, 1)})
different(G, "f15-seven-times-as-long", "s = Shape (x) a = Gather (s, i0) b = Gather (s, i1) p = Mul (b, seven) e = Equal (a, p) g = Greater (b, three) h = And (e, g) c = Cast <to = 1> (h) y = Add (x, c)", "y = Identity (x)", {"x": ramp(28, 4)}, "Seven times as many rows as columns, which are more than three.", arrays={"i0": n(0), "i1": n(1), "seven": n(7), "three": n(3)}, **NM)
CHECK = next(d for d in itertools.product((7, 8, 9), repeat=5) if sum(v * 10 ** k for k, v in enumerate(reversed(d))) % 97 == 1)
different(G, "f15-check-digits", "p = Mul (x, weights) s = ReduceSum <keepdims = 0> (p) r = Mod (s, k) e = Equal (r, one) lo = ReduceMin <keepdims = 0> (x) hi = ReduceMax <keepdims = 0> (x) a = Greater (lo, six) b = Less (hi, ten) c0 = And (a, b) c = And (c0, e) y = Where (c, z, x)", "y = Identity (x)", {"x": i64(*CHECK)}, "Five digits from seven on that leave 1 of 97.", x="int64[5] x", y="int64[5] y", arrays={"weights": i64(10000, 1000, 100, 10, 1), "k": n(97), "one": n(1), "six": n(6), "ten": n(10), "z": i64(0, 0, 0, 0, 0)})
different(G, "f15-length-of-thirty-sevens", "s = Shape (x) q = Squeeze (s) a = Mod (q, p) e = Equal (a, z) g = Greater (q, z) b = And (e, g) m = Neg (x) y = Where (b, m, x)", "y = Identity (x)", {"x": ramp(37)}, "Lengths that 37 divides.", arrays={"p": n(37), "z": n(0)}, **N)

# ---------------------------------------------------------------------------------------------------------------------------
G = "rounds15"
LOOP = "c0 = Identity (t) y = Loop (w, t, x) <body = b (int64 i, bool c, int64 s) => (bool d, int64 r) {{ {} }}>"
different(G, "f15-times-three-or-shift", LOOP.format("d = Identity (c) a = Add (s, s) r = Add (a, s)"), LOOP.format("d = Less (s, big) a = Add (s, s) r = Add (a, s)"), {"x": n(1), "w": n(30)}, "It stops above a million millions.", arrays={"t": T, "big": n(10 ** 12)}, **TWO)
different(G, "f15-last-round-left-out", LOOP.format("d = Identity (c) m = Mul (s, two) r = Mod (m, k)"), LOOP.format("d = Identity (c) e = Equal (i, last) m0 = Mul (s, two) m = Mod (m0, k) r = Where (e, s, m)"), {"x": n(3), "w": n(52)}, "The round of number 51 does nothing.", arrays={"t": T, "two": n(2), "k": n(101), "last": n(51)}, **TWO)
different(G, "f15-greatest-common-divisor-in-six", "y0 = Abs (x) a, b = Loop (k, t, y0, w) <body = bd (int64 i, bool c, int64 p, int64 q) => (bool d, int64 u, int64 v) { z0 = Equal (q, z) d = Identity (c) m0 = Where (z0, one, q) m1 = Mod (p, m0) v = Where (z0, q, m1) u = Where (z0, p, q) }> y = Identity (a)", "y0 = Abs (x) a, b = Loop (k2, t, y0, w) <body = bd (int64 i, bool c, int64 p, int64 q) => (bool d, int64 u, int64 v) { z0 = Equal (q, z) d = Identity (c) m0 = Where (z0, one, q) m1 = Mod (p, m0) v = Where (z0, q, m1) u = Where (z0, p, q) }> y = Identity (a)", {"x": n(34), "w": n(21)}, "34 and 21 need seven steps.", arrays={"k": n(6), "k2": n(7), "t": T, "z": n(0), "one": n(1)}, **TWO)
BRANCH = "c = {} y = If (c) <then_branch = a () => (int64 q) {{ q = Neg (x) }}, else_branch = b () => (int64 r) {{ r = Identity (x) }}>"
different(G, "f15-branch-of-square", "s = Mul (x, x) " + BRANCH.format("Equal (s, k)"), "y = Identity (x)", {"x": n(1234567)}, "A root that somebody knows.", arrays={"k": n(1234567 ** 2)}, **ONE)
different(G, "f15-branch-of-wrapped-square", "s = Mul (x, x) " + BRANCH.format("Less (s, k)"), "y = Identity (x)", {"x": n(3037000500)}, "A square below 0 has wrapped.", arrays={"k": n(0)}, **ONE)
CRT = next(v for v in range(997 * 1009) if v % 997 == 123 and v % 1009 == 456)
different(G, "f15-branch-of-remainders", "a = Mod (x, p1) b0 = Mod (x, q1) e = Equal (a, r1) g = Equal (b0, s1) " + BRANCH.format("And (e, g)"), "y = Identity (x)", {"x": n(CRT)}, "Of two remainders at once.", arrays={"p1": n(997), "q1": n(1009), "r1": n(123), "s1": n(456)}, **ONE)
different(G, "f15-scan-that-forgets", "s, y = Scan <num_scan_inputs = 1, body = bd (float a, float v) => (float w, float o) { w = Max (a, v) o = Identity (w) }> (low, x)", "s, y = Scan <num_scan_inputs = 1, body = bd (float a, float v) => (float w, float o) { p = Mul (a, keep) w = Max (p, v) o = Identity (w) }> (low, x)", {"x": f32(8, 1, 1, 1)}, "The largest so far is nearly kept.", arrays={"low": f(0), "keep": f(0.99)}, **F)
different(G, "f15-stop-seen-a-round-late", "y = Loop (w, t, x) <body = b (int64 i, bool c, int64 s) => (bool d, int64 r) { d = Less (s, big) r = Add (s, s) }>", "y = Loop (w, t, x) <body = b (int64 i, bool c, int64 s) => (bool d, int64 r) { r = Add (s, s) d = Less (r, big) }>", {"x": n(600), "w": n(9)}, "It is asked before it is doubled, or behind.", arrays={"t": T, "big": n(1000)}, **TWO)

# ---------------------------------------------------------------------------------------------------------------------------
G = "defaults15"
different(G, "f15-rounds-by-default", {"body": "y = Loop (w, t, x) <body = b (int64 i, bool c, float[4] s) => (bool d, float[4] r) { d = Identity (c) r = Add (s, s) }>", "arrays": {"w": n(3), "t": T}}, {"body": "o = Sub (w, w) g = Cast <to = 1> (o) h = Add (x, g) y = Mul (h, eight)", "arrays": {"w": n(3), "eight": f(8)}}, {"x": f32(1, 2, 3, 4), "w": n(2)}, "Three rounds, or as many as are given.", x="float[4] x, int64 w", y="float[4] y")
different(G, "f15-branch-by-default", {"body": "y = If (w) <then_branch = a () => (float[4] q) { q = Neg (x) }, else_branch = b () => (float[4] r) { r = Identity (x) }>", "arrays": {"w": np.bool_(True)}}, {"body": "o = Not (w) g = And (o, w) h = Cast <to = 1> (g) q = Add (x, h) y = Neg (q)", "arrays": {"w": np.bool_(True)}}, {"x": f32(1, 2, 3, 4), "w": np.bool_(False)}, "The first branch, or the one that is asked for.", x="float[4] x, bool w", y="float[4] y")
CUBE = dict(x="float[2, 3, 2] x", y="float[k, l] y")
different(G, "f15-flatten-from-behind", "y = Flatten <axis = -1> (x)", "y = Flatten (x)", {"x": ramp(2, 3, 2)}, "Before the last axis, or behind the first.", **CUBE)
different(G, "f15-bounds-as-inputs-or-none", "y = Clip (x, lo)", "y = Clip (x, , lo)", {"x": f32(-1, 0, 1, 2)}, "A lower bound or an upper one.", arrays={"lo": f(0)}, **F)
different(G, "f15-top-of-older-set", "v, i = TopK <axis = 0> (x, k) y = Cast <to = 1> (i)", "v, i = TopK <axis = 0, largest = 0> (x, k) y = Cast <to = 1> (i)", {"x": f32(1, 2, 3, 4)}, "From the other end.", x="float[4] x", y="float[2] y", arrays={"k": i64(2)})
different(G, "f15-remainder-of-kinds", "y = Mod (x, m)", "y = Mod <fmod = 1> (x, m)", {"x": i64(-7, 7, 1)}, "The sign of what divides, or of what is divided.", arrays={"m": n(5)}, **I64)
different(G, "f15-overridable-divisor", {"body": "y = Div (x, w)", "arrays": {"w": i64(2, 2, 2)}}, {"body": "a = Div (x, w) b = Mul (a, w) c = Sub (x, b) s = Sub (c, c) d = Add (x, s) y = Div (d, v)", "arrays": {"w": i64(2, 2, 2), "v": i64(2, 2, 2)}}, {"x": i64(9, 9, 9), "w": i64(3, 3, 3)}, "What has a default may be given.", x="int64[3] x, int64[3] w", y="int64[3] y")
different(G, "f15-arg-max-without-axis", "y = ArgMax <keepdims = 0> (x)", "y = ArgMax <axis = 1, keepdims = 0> (x)", {"x": f32(1, 2, 4, 3, shape=(2, 2))}, "The axis that nobody names is the first.", x="float[2, 2] x", y="int64[2] y")
different(G, "f15-cumulated-behind-itself", "y = CumSum <reverse = 1> (x, z)", "y = CumSum <exclusive = 1, reverse = 1> (x, z)", {"x": f32(1, 2, 3, 4)}, "With itself or without.", arrays={"z": n(0)}, **F)
different(G, "f15-border-of-average-counted", "y = AveragePool <kernel_shape = [3], pads = [1, 1], count_include_pad = 1> (x)", "y = AveragePool <kernel_shape = [3], pads = [1, 1]> (x)", {"x": ramp(1, 1, 4, shift=1)}, "At both ends.", **LINE)
different(G, "f15-larger-by-size-or-factor", "y = Resize <mode = \"linear\"> (x, , s)", "y = Resize <mode = \"linear\"> (x, , , k)", {"x": ramp(1, 1, 4, 4) ** 2}, "By 1.6 of four there are six, and six of four are 1.5.", arrays={"s": f32(1, 1, 1.6, 1.6), "k": i64(1, 1, 6, 6)}, **IMAGE)

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers15"
different(G, "f15-average-that-wraps", "s = Add (x, w) y = Div (s, two)", "d = Sub (w, x) h = Div (d, two) y = Add (x, h)", {"x": n(2 ** 62), "w": n(2 ** 62)}, "Two large ones have no sum.", arrays={"two": n(2)}, **TWO)
different(G, "f15-average-rounded-to-other", "s = Add (x, w) y = Div (s, two)", "d = Sub (w, x) h = Div (d, two) y = Add (x, h)", {"x": n(3), "w": n(0)}, "A half is cut towards 0, or towards the first.", arrays={"two": n(2)}, **TWO)
different(G, "f15-bits-of-bytes-lost", "a = BitShift <direction = \"LEFT\"> (x, k) y = BitShift <direction = \"RIGHT\"> (a, k)", "y = Mod (x, m)", {"x": np.array([250, 3], np.uint8)}, "Two bits are lost, or three.", x="uint8[2] x", y="uint8[2] y", arrays={"k": np.array([2, 2], np.uint8), "m": np.array([32, 32], np.uint8)})
different(G, "f15-least-has-no-size", "a = Abs (x) y = Max (a, z)", "y = Abs (x)", {"x": i64(-2 ** 63, 1, 2)}, "The least number stays below 0.", arrays={"z": n(0)}, **I64)
different(G, "f15-order-by-difference", "c = Less (x, w) y = Cast <to = 7> (c)", "d = Sub (x, w) c = Less (d, z) y = Cast <to = 7> (c)", {"x": n(-2 ** 62 - 1), "w": n(2 ** 62)}, "A difference wraps.", arrays={"z": n(0)}, **TWO)
different(G, "f15-clock-hand", "a = Add (x, w) y = Mod (a, k)", "a = Mod (x, k) b = Mod (w, k) c = Add (a, b) d = Sub (c, k) e = GreaterOrEqual (c, k) y = Where (e, d, c)", {"x": n(2 ** 63 - 1), "w": n(1)}, "A sum that wraps points to another hour.", arrays={"k": n(12)}, **TWO)

# ---------------------------------------------------------------------------------------------------------------------------
G = "quantised15"
Q = dict(x="float[4] x", y="uint8[4] y")
different(G, "f15-zero-point-before-rounding", "y = QuantizeLinear (x, s, z)", "d = Div (x, s) a = Add (d, zf) r = Round (a) c = Clip (r, lo, hi) y = Cast <to = 2> (c)", {"x": f32(0.25, 0.75, 1.25, -0.25)}, "A half beside an odd number goes the other way.", arrays={"s": f(0.5), "z": np.uint8(7), "zf": f(7), "lo": f(0), "hi": f(255)}, **Q)
different(G, "f15-relu-in-bytes", "r = Relu (x) y = QuantizeLinear (r, s, z)", "q = QuantizeLinear (x, s, z) y = Max (q, z0)", {"x": f32(-3, 1, 2, 3)}, "0 is 10 here, and not 0.", arrays={"s": f(0.5), "z": np.uint8(10), "z0": np.uint8(0)}, **Q)
different(G, "f15-signed-byte-by-shift", "y = QuantizeLinear (x, s, z)", "a = QuantizeLinear (x, s, z2) b = Cast <to = 6> (a) c = Sub (b, k) y = Cast <to = 3> (c)", {"x": f32(63.5, 64, -64, 1)}, "Both ends are ends, but at 127 less.", x="float[4] x", y="int8[4] y", arrays={"s": f(0.5), "z": np.int8(0), "z2": np.uint8(127), "k": np.int32(127)})
different(G, "f15-product-of-bytes-without-zero", "y = MatMulInteger (x, w, a)", "y = MatMulInteger (x, w)", {"x": np.array([[1, 2], [3, 4]], np.uint8)}, "A zero point of one.", x="uint8[2, 2] x", y="int32[2, 2] y", arrays={"w": np.array([[1, 2], [3, 4]], np.uint8), "a": np.uint8(1)})
different(G, "f15-sum-of-bytes-before-scale", "a = DequantizeLinear (x, s) b = DequantizeLinear (w, s) y = Add (a, b)", "xi = Cast <to = 6> (x) wi = Cast <to = 6> (w) c = Add (xi, wi) d = Clip (c, lo, hi) e = Cast <to = 2> (d) y = DequantizeLinear (e, s)", {"x": np.array([255], np.uint8), "w": np.array([1], np.uint8)}, "A sum that is held at a byte.", x="uint8[1] x, uint8[1] w", y="float[1] y", arrays={"s": f(0.25), "lo": np.int32(0), "hi": np.int32(255)})
different(G, "f15-scale-per-row-or-column", "y = DequantizeLinear <axis = 0> (x, s)", "y = DequantizeLinear (x, s)", {"x": np.array([[1, 2], [3, 4]], np.int8)}, "The axis that nobody names is the second.", x="int8[2, 2] x", y="float[2, 2] y", arrays={"s": f32(1, 2)})
different(G, "f15-dynamic-zero-of-all-above", "q, s, z = DynamicQuantizeLinear (x) y = DequantizeLinear (q, s, z)", "q, s, z = DynamicQuantizeLinear (x) y = DequantizeLinear (q, s)", {"x": f32(-1, 1, 2, 3)}, "Without numbers below 0 it would be no difference.", **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "many-at-once15"
ENDS = dict(z=i64(0), m1=i64(-1), m2=i64(-2), one=i64(1), far=i64(2 ** 62))
ALL = "c = Cast <to = 6> (l) y = ReduceMin <keepdims = 0> (c, z)"
BOTH = dict(x="float[24] x, float[24] w", y="int32 y", arrays=ENDS)
LATE = f32(9, *[1] * 23)
different(G, "f15-rising-but-the-last", "a = Slice (x, z, m1) b = Slice (x, one, far) l = Less (a, b) " + ALL, "a = Slice (x, z, m2) b = Slice (x, one, m1) l = Less (a, b) " + ALL, {"x": f32(*range(23), 0)}, "Twenty-three rise, the last does not.", x="float[24] x", y="int32 y", arrays=ENDS)
different(G, "f15-all-below-but-the-first", "l = Less (x, w) " + ALL, "x1 = Slice (x, one, far) w1 = Slice (w, one, far) l = Less (x1, w1) " + ALL, {"x": LATE, "w": f32(*[2] * 24)}, "The first is not below, all others are.", **BOTH)
different(G, "f15-largest-below-least-but-the-first", "p = ReduceMax <keepdims = 0> (x) q = ReduceMin <keepdims = 0> (w) l = Less (p, q) y = Cast <to = 6> (l)", "x1 = Slice (x, one, far) p = ReduceMax <keepdims = 0> (x1) q = ReduceMin <keepdims = 0> (w) l = Less (p, q) y = Cast <to = 6> (l)", {"x": LATE, "w": f32(*[2] * 24)}, "The first alone is above the least of the others.", **BOTH)
different(G, "f15-all-signs-as-given", "l0 = Less (x, f0) l = Equal (l0, t) " + ALL, "l1 = Less (x, f0) l2 = Slice (l1, z, m1) t2 = Slice (t, z, m1) l = Equal (l2, t2) " + ALL, {"x": np.where(np.arange(24) % 3 == 0, -1, 1).astype(np.float32) * np.where(np.arange(24) == 23, -1, 1).astype(np.float32)}, "Every third is below 0, and the last is not to be.", x="float[24] x", y="int32 y", arrays=ENDS | {"f0": f(0), "t": np.arange(24) % 3 == 0})
different(G, "f15-order-of-twelve-named", "v, p = TopK <largest = 0> (x, k) l = Equal (p, t) " + ALL, "v, p = TopK <largest = 0> (x, k10) t2 = Slice (t, z, k10) l = Equal (p, t2) " + ALL, {"x": f32(*np.argsort([3, 1, 4, 0, 5, 9, 2, 6, 8, 7, 11, 10]))}, "The last two are in the other order.", x="float[12] x", y="int32 y", arrays=ENDS | {"k": i64(12), "k10": i64(10), "t": i64(3, 1, 4, 0, 5, 9, 2, 6, 8, 7, 10, 11)})
