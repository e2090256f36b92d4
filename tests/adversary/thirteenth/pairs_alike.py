"""Equal pairs that look different: steps in whole numbers, networks that sort, windows, recurrences, attention in parts, rounds."""
import numpy as np

from pair_models import equal, f, f32, i64, n, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
SMALL = FF | {"ranges": {"x": (-3.0, 3.0)}}
FAR = (-2 ** 62, 2 ** 62)
I64 = dict(x="int64[4] x", y="int64[4] y", ranges={"x": FAR})
ONE = dict(x="int64 x", y="int64 y", ranges={"x": FAR})
U8 = dict(x="uint8[4] x", y="uint8[4] y", ranges={"x": (0, 255)})
TWO8 = dict(x="uint8[4] x, uint8[4] w", y="uint8[4] y", ranges={"x": (0, 255), "w": (0, 255)})
TWO64 = dict(x="int64[4] x, int64[4] w", y="int64[4] y", ranges={"x": FAR, "w": FAR})
B64 = dict(x="int64[3] x", y="bool y", ranges={"x": (-2, 2)})
SQ = dict(x="float[3, 3] x", y="float[3, 3] y", finite=True)
L6 = dict(x="float[1, 1, 6] x", y="float[1, 1, k] y", finite=True)
LN = dict(x="float[1, 1, n] x", y="float[1, 1, k] y", finite=True, sizes=(2, 3, 4, 7, 8))
T = np.bool_(True)


def line(*values):
    return f32(*values, shape=(1, 1, len(values)))


# ---------------------------------------------------------------------------------------------------------------------------
G = "whole-alike13"
equal(G, "f13-sum-by-bits-either-way", "a = BitwiseOr (x, w) b = BitwiseAnd (x, w) y = Add (a, b)", "y = Add (x, w)", "All digits and common ones.", **TWO64)
equal(G, "f13-difference-by-complement", "m = BitwiseNot (x) a = Add (m, w) y = BitwiseNot (a)", "y = Sub (x, w)", "Opposites by complement.", **TWO64)
equal(G, "f13-larger-by-masks", "l = Less (x, w) c = Cast <to = 7> (l) m = Neg (c) a = BitwiseXor (x, w) b = BitwiseAnd (a, m) y = BitwiseXor (x, b)", "y = Max (x, w)", "Exchanged where the second is larger.", **TWO64)
equal(G, "f13-exchanged-without-a-third", "a = BitwiseXor (x, w) b = BitwiseXor (a, w) c = BitwiseXor (a, b) y = Sub (b, c)", "y = Sub (x, w)", "Three times.", **TWO64)
equal(G, "f13-lowest-digit-two-ways", "m = Neg (x) y = BitwiseAnd (x, m)", "a = Sub (x, o) b = BitwiseNot (a) y = BitwiseAnd (x, b)", "The lowest one that is set.", arrays={"o": n(1)}, **I64)
equal(G, "f13-neither-nor", "a = BitwiseNot (x) b = BitwiseNot (w) y = BitwiseAnd (a, b)", "a = BitwiseOr (x, w) y = BitwiseNot (a)", "Neither is both not.", **TWO64)
equal(G, "f13-third-of-bytes-by-product", "a = Cast <to = 12> (x) m = Mul (a, k) s = BitShift <direction = \"RIGHT\"> (m, j) y = Cast <to = 2> (s)", "y = Div (x, t)", "171 by 512 is near enough to a third.", arrays={"k": np.uint32(171), "j": np.uint32(9), "t": np.uint8(3)}, **U8)
equal(G, "f13-tenth-of-bytes-by-product", "a = Cast <to = 12> (x) m = Mul (a, k) s = BitShift <direction = \"RIGHT\"> (m, j) y = Cast <to = 2> (s)", "y = Div (x, t)", "6554 by 65536 is near enough to a tenth.", arrays={"k": np.uint32(6554), "j": np.uint32(16), "t": np.uint8(10)}, **U8)
GRAY = "s1 = BitShift <direction = \"RIGHT\"> (x, o) g = BitwiseXor (x, s1) "
equal(G, "f13-code-of-neighbours-and-back", GRAY + "a1 = BitShift <direction = \"RIGHT\"> (g, o) a = BitwiseXor (g, a1) b1 = BitShift <direction = \"RIGHT\"> (a, t2) b = BitwiseXor (a, b1) c1 = BitShift <direction = \"RIGHT\"> (b, t4) y = BitwiseXor (b, c1)", "y = Identity (x)", "Sums of digits from above.", arrays={"o": np.uint8(1), "t2": np.uint8(2), "t4": np.uint8(4)}, **U8)
equal(G, "f13-gap-of-bytes-by-two-held", "h = Max (x, w) a = Sub (h, w) l = Max (w, x) b = Sub (l, x) y = BitwiseOr (a, b)", "h = Max (x, w) l = Min (x, w) y = Sub (h, l)", "One of both is nothing.", **TWO8)
equal(G, "f13-parity-by-folding", "a1 = BitShift <direction = \"RIGHT\"> (x, t4) a = BitwiseXor (x, a1) b1 = BitShift <direction = \"RIGHT\"> (a, t2) b = BitwiseXor (a, b1) c1 = BitShift <direction = \"RIGHT\"> (b, o) c = BitwiseXor (b, c1) y = BitwiseAnd (c, o)", "i = Cast <to = 7> (x) y = Gather (w, i)", "Of 256 bytes.", arrays={"o": np.uint8(1), "t2": np.uint8(2), "t4": np.uint8(4), "w": np.array([bin(i).count("1") % 2 for i in range(256)], np.uint8)}, **U8)
equal(G, "f13-all-alike-by-ends", "h = ReduceMax <keepdims = 0> (x) l = ReduceMin <keepdims = 0> (x) d = Sub (h, l) y = Equal (d, z)", "a, b, c = Split <axis = 0, num_outputs = 3> (x) p = Equal (a, b) q = Equal (b, c) r = And (p, q) y = Squeeze (r, ax)", "A difference that wraps is not nothing.", arrays={"z": n(0), "ax": i64(0)}, **B64)
equal(G, "f13-unlike-by-neither-order", "a = Less (x, w) b = Less (w, x) y = Or (a, b)", "d = Sub (x, w) e = Equal (d, z) y = Not (e)", "A difference that wraps is not nothing.", x="int64[4] x, int64[4] w", y="bool[4] y", ranges={"x": (-2, 2), "w": (-2, 2)}, arrays={"z": n(0)})
equal(G, "f13-length-of-months", "a = Abs (x) m = Mod (a, k12) p = Add (m, o) q = Div (p, k8) s = Add (p, q) r = Mod (s, t) d = Add (r, k30) e = Equal (p, t) y = Where (e, k28, d)", "a = Abs (x) m = Mod (a, k12) b = Add (m, k12) c = Mod (b, k12) y = Gather (w, c)", "30 and one for odd ones, and from August for even ones.", arrays={"k12": n(12), "o": n(1), "k8": n(8), "t": n(2), "k30": n(30), "k28": n(28), "w": i64(31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)}, **ONE)
equal(G, "f13-days-before-year", "a = Abs (x) m = Mod (a, k) b = Mul (m, k365) c = Div (m, k4) d = Div (m, k100) e = Div (m, k400) p = Add (b, c) q = Sub (p, d) y = Add (q, e)", "a = Abs (x) m = Mod (a, k) c = Div (m, k100) r = Mod (m, k100) e = Div (c, k4) s = Mod (c, k4) p = Mul (e, k146097) q = Mul (s, k36524) u = Mul (r, k365) v = Div (r, k4) w = Add (p, q) z = Add (w, u) y = Add (z, v)", "By four hundreds, hundreds and years.", arrays={"k": n(10000), "k365": n(365), "k4": n(4), "k100": n(100), "k400": n(400), "k146097": n(146097), "k36524": n(36524)}, **ONE)
equal(G, "f13-remainder-of-nine-by-digits", "a = Abs (x) b = Mod (a, k) p = Div (b, k100) q = Mod (b, k100) r = Div (q, ten) s = Mod (b, ten) u = Add (p, r) v = Add (u, s) y = Mod (v, nine)", "a = Abs (x) b = Mod (a, k) y = Mod (b, nine)", "Tens and hundreds leave one.", arrays={"k": n(1000), "k100": n(100), "ten": n(10), "nine": n(9)}, **ONE)
equal(G, "f13-power-by-negatives", "m = Neg (x) a = Mul (m, m) b = Mul (a, m) y = Neg (b)", "a = Mul (x, x) y = Mul (a, x)", "Three signs and one.", **I64)
equal(G, "f13-shift-is-power", "c = BitwiseAnd (w, seven) a = BitShift <direction = \"LEFT\"> (x, c) y = Identity (a)", "c = BitwiseAnd (w, seven) i = Cast <to = 7> (c) p = Gather (t, i) y = Mul (x, p)", "By powers of two.", arrays={"seven": np.uint8(7), "t": np.array([1, 2, 4, 8, 16, 32, 64, 128], np.uint8)}, **TWO8)

# ---------------------------------------------------------------------------------------------------------------------------
G = "sorted-alike13"
HEADS = "a, b, c, d = Split <axis = 0, num_outputs = 4> (x) "
FOUR = HEADS + "a1 = Min (a, b) b1 = Max (a, b) c1 = Min (c, d) d1 = Max (c, d) a2 = Min (a1, c1) c2 = Max (a1, c1) b2 = Min (b1, d1) d2 = Max (b1, d1) b3 = Min (b2, c2) c3 = Max (b2, c2) "
I4 = dict(x="int64[4] x", y="int64[4] y", ranges={"x": (-4, 4)})
equal(G, "f13-four-in-five-comparisons", FOUR + "y = Concat <axis = 0> (a2, b3, c3, d2)", "y, i = TopK <largest = 0> (x, k)", "A network that sorts.", arrays={"k": i64(4)}, **I4)


def transpositions(count, rounds):
    """Odd-even transposition: a body that sorts."""
    text = ", ".join(f"s{i}_0" for i in range(count)) + f" = Split <axis = 0, num_outputs = {count}> (x) "
    names = [f"s{i}_0" for i in range(count)]
    for r in range(rounds):
        for i in range(r % 2, count - 1, 2):
            low, high = f"l{r}_{i}", f"h{r}_{i}"
            text += f"{low} = Min ({names[i]}, {names[i + 1]}) {high} = Max ({names[i]}, {names[i + 1]}) "
            names[i], names[i + 1] = low, high
    return text + f"y = Concat <axis = 0> ({', '.join(names)})"


equal(G, "f13-five-in-five-rounds", transpositions(5, 5), "y, i = TopK <largest = 0> (x, k)", "As many rounds as elements.", x="int64[5] x", y="int64[5] y", ranges={"x": (-4, 4)}, arrays={"k": i64(5)})
equal(G, "f13-one-round-more", transpositions(4, 4), transpositions(4, 5), "In order after four.", **I4)
RA = {"a0": i64(0), "a1": i64(1), "low": np.tril(np.ones((4, 4), bool), -1)}
RANK = "u = Unsqueeze (x, a1) v = Unsqueeze (x, a0) l = Less (v, u) e = Equal (v, u) t = And (e, low) r = Or (l, t) c = Cast <to = 7> (r) y0 = ReduceSum <keepdims = 0> (c, a1) "
equal(G, "f13-rank-by-counting", RANK + "y = Identity (y0)", "s, p = TopK <largest = 0> (x, k) q, y = TopK <largest = 0> (p, k)", "The order of the order.", arrays=RA | {"k": i64(4)}, **I4)
equal(G, "f13-put-in-order-by-rank", RANK + "y = ScatterElements (x, y0, x)", "y, i = TopK <largest = 0> (x, k)", "Each where it belongs.", arrays=RA | {"k": i64(4)}, **I4)
equal(G, "f13-how-many-unlike", "u = Unsqueeze (x, a1) v = Unsqueeze (x, a0) e = Equal (u, v) t = And (e, low) c = Cast <to = 7> (t) r = ReduceMax <keepdims = 0> (c, a1) s = ReduceSum <keepdims = 0> (r) y = Sub (four, s)", "q = Unique (x) y = Size (q)", "Those that were not met before.", x="int64[4] x", y="int64 y", ranges={"x": (-2, 2)}, arrays=RA | {"four": n(4)})
equal(G, "f13-counts-by-flags-or-places", "m = Mod (x, k) o = OneHot <axis = 0> (m, k, v) y = ReduceSum <keepdims = 0> (o, a1)", "m = Mod (x, k) y = ScatterElements <reduction = \"add\"> (z, m, w)", "A count for each remainder.", x="int64[4] x", y="int64[5] y", ranges={"x": FAR}, arrays={"k": n(5), "v": i64(0, 1), "a1": i64(1), "z": i64(0, 0, 0, 0, 0), "w": i64(1, 1, 1, 1)})
equal(G, "f13-steps-by-comparisons", "u = Unsqueeze (x, a1) g = GreaterOrEqual (u, t) c = Cast <to = 7> (g) y = ReduceSum <keepdims = 0> (c, a1)", "g1 = GreaterOrEqual (x, t1) g2 = GreaterOrEqual (x, t2) g3 = GreaterOrEqual (x, t3) p = Where (g3, k3, k2) q = Where (g2, p, k1) y = Where (g1, q, k0)", "Bounds in order.", x="float[4] x", y="int64[4] y", arrays={"a1": i64(1), "t": f32(-1, 0, 2.5), "t1": f(-1), "t2": f(0), "t3": f(2.5), "k0": n(0), "k1": n(1), "k2": n(2), "k3": n(3)})
equal(G, "f13-largest-two-added", "v, i = TopK (x, two) y = ReduceSum <keepdims = 0> (v)", FOUR + "s = Add (c3, d2) y = Squeeze (s, z)", "The last two of those in order.", x="int64[4] x", y="int64 y", ranges={"x": (-4, 4)}, arrays={"two": i64(2), "z": i64(0)})
equal(G, "f13-inverse-of-order", "s, p = TopK (x, k) r = ScatterElements (z, p, j) y = Gather (s, r)", "y = Identity (x)", "Put back where it was.", arrays={"k": i64(4), "z": i64(0, 0, 0, 0), "j": i64(0, 1, 2, 3)}, **I4)
equal(G, "f13-median-of-alike-ends", "h = Concat <axis = 0> (x, lo, hi) v, i = TopK (h, k) y = Slice (v, b, e)", "v, i = TopK (x, four) y = Slice (v, o, t3)", "The least and the largest of all numbers are at the ends.", x="int64[4] x", y="int64[2] y", ranges={"x": FAR}, arrays={"lo": i64(-2 ** 63), "hi": i64(2 ** 63 - 1), "k": i64(6), "four": i64(4), "b": i64(2), "e": i64(4), "o": i64(1), "t3": i64(3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "windows-alike13"
equal(G, "f13-odd-border-of-odd", "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2]> (x, w)", "y = Conv <auto_pad = \"SAME_LOWER\", strides = [2]> (x, w)", "Of an odd length the border is as wide on both sides.", x="float[1, 1, 7] x", y="float[1, 1, 4] y", finite=True, arrays={"w": line(1, 2, 4)})
equal(G, "f13-pairs-with-rest", "y = MaxPool <auto_pad = \"SAME_UPPER\", kernel_shape = [2], strides = [2]> (x)", "y = MaxPool <ceil_mode = 1, kernel_shape = [2], strides = [2]> (x)", "Of an odd length one is left over.", **LN)
equal(G, "f13-filter-of-filter", "a = Conv (x, w) y = Conv (a, v)", "y = Conv (x, u)", "Products of both.", arrays={"w": line(1, 2, 4), "v": line(3, 1, 2), "u": line(*np.convolve([1, 2, 4], [3, 1, 2]))}, **L6)
equal(G, "f13-means-of-neighbours-twice", "a = AveragePool <kernel_shape = [2]> (x) y = AveragePool <kernel_shape = [2]> (a)", "y = Conv (x, w)", "A quarter, a half, a quarter.", arrays={"w": line(0.25, 0.5, 0.25)}, **L6)
equal(G, "f13-gaps-by-every-second", "y = Conv <dilations = [2]> (x, w)", "r = Reshape (x, s) t = Transpose <perm = [2, 1, 0]> (r) c = Conv (t, w) u = Transpose <perm = [2, 1, 0]> (c) y = Reshape (u, q)", "Even and odd ones by themselves.", x="float[1, 1, 6] x", y="float[1, 1, 4] y", finite=True, arrays={"w": line(1, 2), "s": i64(3, 1, 2), "q": i64(1, 1, 4)})
equal(G, "f13-double-by-old-and-new-resize", {"body": "y = Resize <mode = \"nearest\"> (x, s)", "opset": 10}, {"body": "y = Resize <mode = \"nearest\"> (x, , s)", "opset": 13}, "Each twice, however it is said.", x="float[1, 1, 4] x", y="float[1, 1, 8] y", arrays={"s": f32(1, 1, 2)})
equal(G, "f13-means-by-running-sums", "y = AveragePool <kernel_shape = [3]> (x)", "p = Pad (x, q) c = CumSum (p, ax) a = Slice (c, z, m, a2) b = Slice (c, t3, e, a2) d = Sub (b, a) y = Div (d, k)", "A sum up to here less one up to there.", x="float[1, 1, 6] x", y="float[1, 1, 4] y", finite=True, ranges={"x": (-3.0, 3.0)}, arrays={"q": i64(0, 0, 1, 0, 0, 0), "ax": n(2), "z": i64(0), "m": i64(4), "a2": i64(2), "t3": i64(3), "e": i64(7), "k": f(3)})
equal(G, "f13-windows-as-columns", "y = Conv (x, w)", "u = Gather <axis = 2> (x, i) t = Transpose <perm = [0, 2, 1, 3]> (u) r = Reshape (t, s) m = MatMul (r, v) y = Transpose <perm = [0, 2, 1]> (m)", "Each window is a row.", x="float[1, 2, 5] x", y="float[1, 3, 4] y", finite=True, arrays={"w": noise(3, 2, 2, seed=141), "v": noise(3, 2, 2, seed=141).reshape(3, 4).T, "i": i64(0, 1, 1, 2, 2, 3, 3, 4, shape=(4, 2)), "s": i64(1, 4, 4)})
equal(G, "f13-depth-wise-then-points", "a = Conv <group = 2> (x, w) y = Conv (a, v)", "y = Conv (x, u)", "One filter for each pair of channels.", x="float[1, 2, 5] x", y="float[1, 3, 4] y", finite=True, arrays={"w": noise(2, 1, 2, seed=142), "v": noise(3, 2, 1, seed=143), "u": noise(3, 2, 1, seed=143) * noise(2, 1, 2, seed=142).reshape(1, 2, 2)})
equal(G, "f13-wave-window-without-last", "a = HannWindow <periodic = 1> (k) y = Mul (x, a)", "a = HannWindow <periodic = 0> (k1) b = Slice (a, z, e) y = Mul (x, b)", "One more, and the last left out.", arrays={"k": n(4), "k1": n(5), "z": i64(0), "e": i64(4)}, **FF)
equal(G, "f13-spectrum-and-back", "u = Unsqueeze (x, a0) v = Unsqueeze (u, a2) d = DFT (v, , ax) e = DFT <inverse = 1> (d, , ax) g = Gather <axis = 2> (e, z) y = Squeeze (g, a0)", "y = Identity (x)", "There and back.", arrays={"a0": i64(0), "a2": i64(2), "ax": n(1), "z": n(0)}, opset=20, ir=9, tolerance=1e-3, **SMALL)
equal(G, "f13-power-of-signal-and-spectrum", "u = Unsqueeze (x, a0) v = Unsqueeze (u, a2) d = DFT (v, , ax) s = ReduceSumSquare <keepdims = 0> (d) y = Div (s, four)", "y = ReduceSumSquare <keepdims = 0> (x)", "Parseval's.", x="float[4] x", y="float y", finite=True, ranges={"x": (-3.0, 3.0)}, arrays={"a0": i64(0), "a2": i64(2), "ax": n(1), "four": f(4)}, opset=20, ir=9)
equal(G, "f13-blocks-there-and-back", "a = SpaceToDepth <blocksize = 2> (x) y = DepthToSpace <blocksize = 2> (a)", "y = Identity (x)", "There and back.", x="float[1, 2, 4, 2] x", y="float[1, 2, 4, 2] y")
equal(G, "f13-round-by-joins", "y = Pad <mode = \"wrap\"> (x, p)", "a = Slice (x, m, e) b = Slice (x, z, o) y = Concat <axis = 0> (a, x, b)", "The last two in front, the first behind.", x="float[4] x", y="float[7] y", opset=19, ir=9, arrays={"p": i64(2, 1), "m": i64(-2), "e": i64(9), "z": i64(0), "o": i64(1)})
equal(G, "f13-image-in-sums", "c = CumSum (x, n0) d = CumSum (c, n1) y = Gather (d, i)", "t = MatMul (low, x) u = Transpose (low) v = MatMul (t, u) y = Gather (v, i)", "Sums along both axes by triangles.", x="float[3, 3] x", y="float[3] y", finite=True, arrays={"n0": n(0), "n1": n(1), "low": np.tril(np.ones((3, 3), np.float32)), "i": n(2)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "recurrent-alike13"
W1, R1 = noise(1, 3, 2, seed=144), noise(1, 3, 1, seed=145)
S3 = dict(x="float[3, 1, 2] x", y="float[3, 1, 1, 1] y", finite=True, ranges={"x": (-3.0, 3.0)})
equal(G, "f13-reset-of-one-cell", "y, h = GRU <hidden_size = 1> (x, w, r)", "y, h = GRU <hidden_size = 1, linear_before_reset = 1> (x, w, r)", "Of one cell without a bias factors may change places.", arrays={"w": W1, "r": R1}, **S3)
equal(G, "f13-reset-of-first-step", "y, h = GRU <hidden_size = 2> (x, w, r)", "y, h = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r)", "In the first step there is nothing to reset.", x="float[1, 1, 2] x", y="float[1, 1, 1, 2] y", finite=True, ranges={"x": (-3.0, 3.0)}, arrays={"w": noise(1, 6, 2, seed=146), "r": noise(1, 6, 2, seed=147)})
equal(G, "f13-one-step-either-way", "y, h = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "y, h = RNN <hidden_size = 2> (x, w, r)", "Of one step the direction does not matter.", x="float[1, 1, 2] x", y="float[1, 1, 1, 2] y", finite=True, ranges={"x": (-3.0, 3.0)}, arrays={"w": noise(1, 2, 2, seed=148), "r": noise(1, 2, 2, seed=149)})
equal(G, "f13-backwards-of-backwards", "y, h = RNN <hidden_size = 1, direction = \"reverse\"> (x, w, r)", "a = Slice (x, m, e, z, m) b, h = RNN <hidden_size = 1> (a, w, r) y = Slice (b, m, e, z, m)", "Turned before and behind.", arrays={"w": W1[:, :1], "r": R1[:, :1], "m": i64(-1), "e": i64(-9), "z": i64(0)}, **S3)
equal(G, "f13-full-lengths-and-no-state", "y, h = RNN <hidden_size = 1> (x, w, r, b, l, s)", "y, h = RNN <hidden_size = 1> (x, w, r)", "What is left out is that.", arrays={"w": W1[:, :1], "r": R1[:, :1], "b": np.zeros((1, 2), np.float32), "l": np.array([3], np.int32), "s": np.zeros((1, 1, 1), np.float32)}, **S3)
LW, LR = noise(1, 4, 2, seed=150), noise(1, 4, 1, seed=151)
equal(G, "f13-two-biases-as-one", "y, h, c = LSTM <hidden_size = 1> (x, w, r, b)", "y, h, c = LSTM <hidden_size = 1> (x, w, r, d)", "Both are added.", arrays={"w": LW, "r": LR, "b": f32(1, 2, 3, 4, 0.5, -1, 0, 2, shape=(1, 8)), "d": f32(1.5, 1, 3, 6, 0, 0, 0, 0, shape=(1, 8))}, **S3)
equal(G, "f13-last-of-sequence", "y, h = RNN <hidden_size = 1> (x, w, r) z = Gather (y, m) q = Sub (h, z)", "y, h = RNN <hidden_size = 1> (x, w, r) q = Sub (h, h)", "The last state is the last of all.", x="float[3, 1, 2] x", y="float[3, 1, 1, 1] y, float[1, 1, 1] q", finite=True, ranges={"x": (-3.0, 3.0)}, arrays={"w": W1[:, :1], "r": R1[:, :1], "m": n(-1)})
equal(G, "f13-states-by-scan", "y0, h = RNN <hidden_size = 1> (x, w, r) y = Reshape (y0, q)", "p = MatMul (x, wt) s = Reshape (p, q) g, y = Scan (s0, s) <num_scan_inputs = 1, body = b (float a, float u) => (float a1, float o) { m = Mul (a, k) v = Add (m, u) a1 = Tanh (v) o = Identity (a1) }>", "One cell, step by step.", x="float[3, 1, 2] x", y="float[3] y", finite=True, ranges={"x": (-3.0, 3.0)}, arrays={"w": W1[:, :1], "r": R1[:, :1], "wt": W1[0, :1].T, "s0": f(0), "k": R1[0, 0, 0], "q": i64(3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "attention-alike13"
A3 = dict(x="float[3, 3] x", y="float[3, 3] y", finite=True, ranges={"x": (-2.0, 2.0)})
W3, V3 = noise(3, 3, seed=152), noise(3, 3, seed=153)
LOW = np.triu(np.full((3, 3), -np.inf, np.float32), 1)
CAUSAL = "k = MatMul (x, w) kt = Transpose (k) s = MatMul (x, kt) m = Add (s, u) p = Softmax (m) o = MatMul (p, x) "
equal(G, "f13-last-query-alone", CAUSAL + "y = Slice (o, b, e)", "l = Slice (x, b, e) k = MatMul (x, w) kt = Transpose (k) s = MatMul (l, kt) p = Softmax (s) y = MatMul (p, x)", "The last one sees all.", x="float[3, 3] x", y="float[1, 3] y", finite=True, ranges={"x": (-2.0, 2.0)}, arrays={"w": W3, "u": LOW, "b": i64(2), "e": i64(3)})
equal(G, "f13-first-query-sees-itself", CAUSAL + "y = Slice (o, b, e)", "y = Slice (x, b, e)", "The first one sees one.", x="float[3, 3] x", y="float[1, 3] y", finite=True, ranges={"x": (-2.0, 2.0)}, arrays={"w": W3, "u": LOW, "b": i64(0), "e": i64(1)})
equal(G, "f13-scores-or-features-first", "t = Transpose (x) s = MatMul (x, t) y = MatMul (s, w)", "t = Transpose (x) q = MatMul (t, w) y = MatMul (x, q)", "Without shares it does not matter.", arrays={"w": W3}, **A3)
equal(G, "f13-running-states-by-mask", "t = Transpose (x) s = MatMul (x, t) m = Trilu <upper = 0> (s) y = MatMul (m, x)", "a, b, c = Split <axis = 0, num_outputs = 3> (x) at = Transpose (a) bt = Transpose (b) ct = Transpose (c) p = MatMul (at, a) q0 = MatMul (bt, b) q = Add (p, q0) r0 = MatMul (ct, c) r = Add (q, r0) ya = MatMul (a, p) yb = MatMul (b, q) yc = MatMul (c, r) y = Concat <axis = 0> (ya, yb, yc)", "A state that grows by one at each step.", **A3)
equal(G, "f13-low-rank-beside-or-within", "p = MatMul (x, w) a = MatMul (x, u) b = MatMul (a, v) c = Mul (b, k) y = Add (p, c)", "y = MatMul (x, m)", "Added beforehand.", arrays={"w": W3, "u": V3[:, :1], "v": W3[1:2], "k": f(0.5), "m": W3 + 0.5 * V3[:, :1] @ W3[1:2]}, **A3)
equal(G, "f13-looked-up-then-projected", "m = Mod (x, k) e = Gather (w, m) y = MatMul (e, v)", "m = Mod (x, k) y = Gather (u, m)", "A table of products.", x="int64[4] x", y="float[4, 3] y", ranges={"x": FAR}, arrays={"k": n(3), "w": W3, "v": V3, "u": W3 @ V3})
equal(G, "f13-flags-times-table", "m = Mod (x, k) o = OneHot <axis = -1> (m, k, v01) y = MatMul (o, w)", "m = Mod (x, k) y = Gather (w, m)", "One row of each.", x="int64[4] x", y="float[4, 3] y", ranges={"x": FAR}, arrays={"k": n(3), "w": W3, "v01": f32(0, 1)})
equal(G, "f13-shares-of-repeated-keys", "t = Transpose (x) s = MatMul (x, t) p = Softmax (s) y = MatMul (p, x)", "d = Concat <axis = 0> (x, x) t = Transpose (d) s = MatMul (x, t) p = Softmax (s) y = MatMul (p, d)", "All keys twice weigh the same.", **A3)
equal(G, "f13-key-that-is-never-seen", "t = Transpose (x) s = MatMul (x, t) p = Softmax (s) y = MatMul (p, x)", "d = Concat <axis = 0> (x, k) t = Transpose (d) s = MatMul (x, t) m = Add (s, u) p = Softmax (m) y = MatMul (p, d)", "Hidden by minus infinity.", arrays={"k": f32(1, 2, 3, shape=(1, 3)), "u": f32(0, 0, 0, -np.inf)}, **A3)
equal(G, "f13-keys-of-all-heads", "r = Reshape (x, s) h = Transpose <perm = [1, 0, 2]> (r) k = Expand (w, e) kt = Transpose <perm = [0, 2, 1]> (k) y = MatMul (h, kt)", "r = Reshape (x, s) h = Transpose <perm = [1, 0, 2]> (r) kt = Transpose <perm = [0, 2, 1]> (w) y = MatMul (h, kt)", "Keys that heads share.", x="float[3, 4] x", y="float[2, 3, 3] y", finite=True, arrays={"s": i64(3, 2, 2), "w": noise(1, 3, 2, seed=154), "e": i64(2, 3, 2)})
equal(G, "f13-norm-by-images-of-rows", "y = LayerNormalization <epsilon = 0.001> (x, g, b)", "r = Reshape (x, s) i = InstanceNormalization <epsilon = 0.001> (r, o, z) q = Reshape (i, t) m = Mul (q, g) y = Add (m, b)", "Each row is a channel.", x="float[2, 4] x", y="float[2, 4] y", finite=True, arrays={"g": f32(1, 2, 0.5, -1), "b": f32(0, 1, 2, 3), "s": i64(1, 2, 4), "t": i64(2, 4), "o": f32(1, 1), "z": f32(0, 0)})
equal(G, "f13-soft-sum-of-two", "m = Max (x, z) d = Sub (x, z) a = Abs (d) e = Neg (a) s = Softplus (e) y = Add (m, s)", "u = Unsqueeze (x, ax) v = Unsqueeze (z, ax) c = Concat <axis = 1> (u, v) y = ReduceLogSumExp <keepdims = 0> (c, ax)", "The larger, and a little more.", x="float[4] x, float[4] z", y="float[4] y", finite=True, arrays={"ax": i64(1)})
equal(G, "f13-determinant-of-three-by-rows", "y = Det (x)", "a, b, c = Split <axis = 0, num_outputs = 3> (x) b1 = Gather <axis = 1> (b, i1) c2 = Gather <axis = 1> (c, i2) b2 = Gather <axis = 1> (b, i2) c1 = Gather <axis = 1> (c, i1) p = Mul (b1, c2) q = Mul (b2, c1) d = Sub (p, q) e = Mul (a, d) y = ReduceSum <keepdims = 0> (e)", "A product with what is at right angles to the others.", x="float[3, 3] x", y="float y", finite=True, ranges={"x": (-2.0, 2.0)}, arrays={"i1": i64(1, 2, 0), "i2": i64(2, 0, 1)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers-alike13"
equal(G, "f13-round-by-large-number", "c = Clip (x, lo, hi) a = Add (c, k) y = Sub (a, k)", "c = Clip (x, lo, hi) y = Round (c)", "Beside 2^23 no fraction is left, and halves go to even ones.", arrays={"lo": f(0), "hi": f(1000), "k": f(2 ** 23)}, **FF)
equal(G, "f13-third-of-angle", "c = Clip (x, lo, hi) a = Acos (c) b = Mul (a, k) y = Cos (b)", "c = Clip (x, lo, hi) q = Mul (c, c) p = Mul (q, c) a = Mul (p, k4) b = Mul (c, k) y = Sub (a, b)", "Chebyshev's third.", arrays={"lo": f(-1), "hi": f(1), "k": f(3), "k4": f(4)}, **FF)
equal(G, "f13-square-of-sine-and-of-cosine", "s = Sin (x) c = Cos (x) p = Mul (s, s) q = Mul (c, c) d = Sub (q, p) y = Add (d, o)", "c = Cos (x) q = Mul (c, c) y = Add (q, q)", "Together they are one.", arrays={"o": f(1)}, **SMALL)
equal(G, "f13-slope-of-gate", "g = Sigmoid (x) d = Sub (o, g) y = Mul (g, d)", "g = Sigmoid (x) m = Neg (x) h = Sigmoid (m) y = Mul (g, h)", "The rest is the gate of the opposite.", arrays={"o": f(1)}, **SMALL)
equal(G, "f13-between-two-by-share", "d = Sub (z, x) p = Mul (d, t) y = Add (x, p)", "r = Sub (o, t) a = Mul (x, r) b = Mul (z, t) y = Add (a, b)", "A part of the way.", x="float[4] x, float[4] z", y="float[4] y", finite=True, arrays={"t": f(0.25), "o": f(1)})
equal(G, "f13-larger-of-sums", "a = Add (x, w) b = Add (z, w) y = Max (a, b)", "m = Max (x, z) y = Add (m, w)", "Added to the larger.", x="float[4] x, float[4] z, float[4] w", y="float[4] y", finite=True)
equal(G, "f13-fraction-in-half", "a = Cast <to = 10> (x) b = Cast <to = 1> (a) c = Cast <to = 10> (b) y = Cast <to = 1> (c)", "a = Cast <to = 10> (x) y = Cast <to = 1> (a)", "Rounded once is rounded twice.", **F)
equal(G, "f13-brain-through-double", "a = Cast <to = 16> (x) b = Cast <to = 11> (a) c = Cast <to = 16> (b) y = Cast <to = 1> (c)", "a = Cast <to = 16> (x) y = Cast <to = 1> (a)", "A double holds it.", **F)
equal(G, "f13-ramp-in-half", "a = Cast <to = 10> (x) b = Relu (a) y = Cast <to = 1> (b)", "b = Relu (x) a = Cast <to = 10> (b) y = Cast <to = 1> (a)", "Rounding keeps the sign.", reference=True, **FF)
equal(G, "f13-held-in-eighth", "a = Cast <to = 17> (x) y = Cast <to = 1> (a)", "c = Clip (x, lo, hi) a = Cast <to = 17> (c) y = Cast <to = 1> (a)", "Held at 448 anyway.", opset=19, ir=9, arrays={"lo": f(-448), "hi": f(448)}, **FF)
equal(G, "f13-function-with-default", {"body": "y = local.Gate (x)", "functions": "<domain: \"local\", opset_import: [\"\" : 18]>\nGate <alpha: float = 0.5> (a) => (b) { b = LeakyRelu <alpha: float = @alpha> (a) }", "domains": {"local": 1}}, {"body": "y = LeakyRelu <alpha = 0.5> (x)", "domains": {"local": 1}}, "What a function has of its own.", **FF)
equal(G, "f13-joined-from-parts", "s = SplitToSequence <axis = 0> (x, k) y = ConcatFromSequence <axis = 0> (s)", "y = Identity (x)", "Parts in order.", x="float[5] x", y="float[5] y", arrays={"k": n(2)})
equal(G, "f13-turned-by-sequence", "s = SplitToSequence <axis = 0> (x, o) a = SequenceAt (s, i2) b = SequenceAt (s, i1) c = SequenceAt (s, i0) y = Concat <axis = 0> (a, b, c)", "y = Slice (x, m, e, z, m)", "Last first.", x="float[3] x", y="float[3] y", arrays={"o": n(1), "i0": n(0), "i1": n(1), "i2": n(-1), "m": i64(-1), "e": i64(-9), "z": i64(0)})
equal(G, "f13-doubled-at-least-once", "g = Identity (t) y = Loop (m, g, s) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, v) e = Less (w, s) }> u = Identity (x)", "y = Add (s, s) u = Identity (x)", "Asked behind: already enough.", x="int64 x", y="int64 y, int64 u", ranges={"x": FAR}, arrays={"t": T, "m": n(70), "s": n(100)})
SMALLN = "a = Abs (x) b = Mod (a, k) "
BN = {"t": T, "one": n(1), "two": n(2), "three": n(3), "zero": n(0), "ten": n(10)}
COLLATZ = SMALLN + "s = Add (b, one) y = Loop (m, t, s) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { r = Mod (v, two) o = Equal (r, one) h = Div (v, two) p = Mul (v, three) q = Add (p, one) u = Where (o, q, h) f0 = Equal (v, one) w = Where (f0, v, u) e = Identity (d) }>"
equal(G, "f13-all-come-to-one", {"body": COLLATZ, "arrays": {"m": n(111)}}, {"body": SMALLN + "s = Add (b, one) y = Div (s, s)"}, "Of numbers up to thirty all.", arrays=BN | {"k": n(30)}, **ONE)
PRIME = SMALLN + "s = Max (b, three) c = Loop (m, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { j = Add (i, two) r = Mod (s, j) f0 = Equal (r, zero) l = Less (j, s) g = And (f0, l) h = Cast <to = 7> (g) w = Add (v, h) e = Identity (d) }> y = Equal (c, zero)"
FERMAT = SMALLN + "s = Max (b, three) m1 = Sub (s, one) p = Loop (m1, t, one) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { q = Add (v, v) w = Mod (q, s) e = Identity (d) }> y = Equal (p, one)"
equal(G, "f13-primes-below-341", {"body": FERMAT}, {"body": PRIME, "arrays": {"m": n(20)}}, "Below 341 who leaves 1 is a prime.", x="int64 x", y="bool y", ranges={"x": FAR}, arrays=BN | {"k": n(341)})
equal(G, "f13-sum-of-cubes-is-square", SMALLN + "y = Loop (b, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { j = Add (i, one) q = Mul (j, j) c = Mul (q, j) w = Add (v, c) e = Identity (d) }>", SMALLN + "p = Add (b, one) q = Mul (b, p) r = Div (q, two) y = Mul (r, r)", "Of the sum.", arrays=BN | {"k": n(50)}, **ONE)
SUMS = "x0 = Clip (x, l9, h9) h, o = Scan (s0, x0) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a1, int64 o1) { q = Add (a, p) a1 = Max (q, zero) o1 = Identity (a1) }> y = ReduceMax <keepdims = 0> (o)"
equal(G, "f13-largest-part-by-running-sums", SUMS, "x0 = Clip (x, l9, h9) p = Pad (x0, pd) c = CumSum (p, z0) u = Unsqueeze (c, k1) v = Unsqueeze (c, k0) d = Sub (v, u) w = Where (up, d, zero) y = ReduceMax <keepdims = 0> (w)", "The largest rise of running sums.", x="int64[3] x", y="int64 y", ranges={"x": (-9, 9)}, arrays=BN | {"s0": n(0), "l9": n(-9), "h9": n(9), "pd": i64(1, 0), "z0": n(0), "k1": i64(1), "k0": i64(0), "up": np.triu(np.ones((4, 4), bool))})
equal(G, "f13-size-of-steps", "m = Mod <fmod = 1> (x, k) r = Range (zero, m, three) y = Size (r)", "m = Mod <fmod = 1> (x, k) c = Max (m, zero) p = Add (c, two) y = Div (p, three)", "Back there are none.", arrays=BN | {"k": n(100)}, **ONE)

# ---------------------------------------------------------------------------------------------------------------------------
G = "further-alike13"
equal(G, "f13-lengths-of-nothing-and-one", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, m)", "Turning none or one changes nothing.", x="float[2, 3] x", y="float[2, 3] y", arrays={"l": i64(0, 3), "m": i64(1, 3)})
equal(G, "f13-within-bounds-without-sign", "a = GreaterOrEqual (x, z) b = Less (x, k) y = And (a, b)", "u = Cast <to = 13> (x) y = Less (u, v)", "Below nothing is far beyond.", x="int64[4] x", y="bool[4] y", ranges={"x": (-9, 9)}, arrays={"z": n(0), "k": n(5), "v": np.uint64(5)}, reference=True)
equal(G, "f13-fives-by-floats-or-wholes", "c = Clip (x, z, k) a = Cast <to = 1> (c) d = Div (a, five) r = Round (d) m = Mul (r, five) y = Cast <to = 7> (m)", "c = Clip (x, z, k) a = Add (c, two) d = Div (a, five64) y = Mul (d, five64)", "No number is in the middle of two multiples of five.", arrays={"z": n(0), "k": n(1000), "five": f(5), "two": n(2), "five64": n(5)}, **I64)
equal(G, "f13-pair-in-one-number-and-back", "a = Clip (x, z, k) b = Clip (w, z, k) s = Add (a, b) s1 = Add (s, o) p = Mul (s, s1) h = Div (p, t) c = Add (h, b) e = Mul (c, k8) g = Add (e, o) d = Cast <to = 11> (g) r = Sqrt (d) q = Sub (r, od) i = Mul (q, hd) j = Floor (i) v = Cast <to = 7> (j) v1 = Add (v, o) u = Mul (v, v1) l = Div (u, t) y = Sub (c, l)", "y = Clip (w, z, k)", "Cantor's count of pairs, undone.", arrays={"z": n(0), "k": n(1000), "o": n(1), "t": n(2), "k8": n(8), "od": np.float64(1), "hd": np.float64(0.5)}, **TWO64)
equal(G, "f13-all-so-far-mixed", SMALLN + "y = Loop (b, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { j = Add (i, one) w = BitwiseXor (v, j) e = Identity (d) }>", SMALLN + "r = Mod (b, four) e0 = Equal (r, zero) e1 = Equal (r, one) e2 = Equal (r, two) p = Add (b, one) u = Where (e2, p, zero) v = Where (e1, one, u) y = Where (e0, b, v)", "By remainders of four.", arrays=BN | {"k": n(64), "four": n(4)}, **ONE)
equal(G, "f13-ones-of-byte-side-by-side", "a1 = BitShift <direction = \"RIGHT\"> (x, o) a2 = BitwiseAnd (a1, m5) a = Sub (x, a2) b1 = BitShift <direction = \"RIGHT\"> (a, t2) b2 = BitwiseAnd (b1, m3) b3 = BitwiseAnd (a, m3) b = Add (b2, b3) c1 = BitShift <direction = \"RIGHT\"> (b, t4) c = Add (b, c1) y = BitwiseAnd (c, mf)", "i = Cast <to = 7> (x) y = Gather (w, i)", "Twos, fours and eights.", arrays={"o": np.uint8(1), "t2": np.uint8(2), "t4": np.uint8(4), "m5": np.uint8(0x55), "m3": np.uint8(0x33), "mf": np.uint8(0x0F), "w": np.array([bin(i).count("1") for i in range(256)], np.uint8)}, **U8)
equal(G, "f13-root-by-odd-numbers", SMALLN + "v, y = Loop (m, t, b, zero) <body = bd (int64 i, bool d, int64 v, int64 s) => (bool e, int64 w, int64 s1) { j = Add (i, i) k1 = Add (j, one) w = Sub (v, k1) g = GreaterOrEqual (w, zero) h = Cast <to = 7> (g) s1 = Add (s, h) e = Identity (d) }>", SMALLN + "a1 = Cast <to = 11> (b) r = Sqrt (a1) q = Floor (r) y = Cast <to = 7> (q)", "As often as odd numbers can be taken off.", arrays=BN | {"k": n(500), "m": n(25)}, **ONE)
equal(G, "f13-same-order-through-third", "a = Less (x, w) b = Less (w, z) c = And (a, b) d = Less (x, z) y = And (c, d)", "a = Less (x, w) b = Less (w, z) y = And (a, b)", "What is below the second is below the third.", x="float[4] x, float[4] w, float[4] z", y="bool[4] y")
equal(G, "f13-cut-by-shape-or-borders", "y = ConvTranspose <strides = [2], output_padding = [1], pads = [0, 1]> (x, w)", "y = ConvTranspose <strides = [2]> (x, w)", "One more behind, and cut again.", x="float[1, 1, 3] x", y="float[1, 1, 7] y", finite=True, arrays={"w": line(1, 2, 4)})
equal(G, "f13-shares-without-shift-of-row", "s = ReduceMean <keepdims = 1> (x, a) d = Sub (x, s) y = Softmax (d)", "y = Softmax (x)", "The mean of all is taken off.", x="float[2, 4] x", y="float[2, 4] y", finite=True, ranges={"x": (-9.0, 9.0)}, arrays={"a": i64(1)})
equal(G, "f13-loss-by-hand", "m = Mod (t, k) y = SoftmaxCrossEntropyLoss <reduction = \"sum\"> (x, m)", "m = Mod (t, k) l = LogSoftmax <axis = 1> (x) u = Unsqueeze (m, a) g = GatherElements <axis = 1> (l, u) s = ReduceSum <keepdims = 0> (g) y = Neg (s)", "The logarithm at each target.", x="float[3, 4] x, int64[3] t", y="float y", finite=True, ranges={"x": (-3.0, 3.0), "t": FAR}, arrays={"k": n(4), "a": i64(1)})
equal(G, "f13-heads-repeated-in-blocks", "r = Gather <axis = 0> (w, i) y = MatMul (x, r)", "a = Unsqueeze (w, o) e = Expand (a, s) r = Reshape (e, q) y = MatMul (x, r)", "Each twice in a row.", x="float[4, 2, 3] x", y="float[4, 2, 2] y", finite=True, arrays={"w": noise(2, 3, 2, seed=155), "i": i64(0, 0, 1, 1), "o": i64(1), "s": i64(2, 2, 3, 2), "q": i64(4, 3, 2)})
