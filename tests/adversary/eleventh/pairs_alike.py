"""Equal pairs that look different: exporters' ways, state machines, fixed point, casts, picks, filters, lengths, rare floats, files."""
import numpy as np
import onnx
from onnx import TensorProto

from pair_models import equal, equal_models, f32, i64, model, noise, ramp

WIDE = (-2 ** 31, 2 ** 31 - 1)
FAR = (-2 ** 62, 2 ** 62)
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": WIDE})
I64 = dict(x="int64[4] x", y="int64[4] y", ranges={"x": FAR})
U8 = dict(x="uint8[4] x", ranges={"x": (0, 255)})
F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
ONE = dict(x="int64 x", y="int64 y", ranges={"x": FAR})
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
G = "exported-alike11"
equal(G, "f11-heads-by-parts", "r = Reshape (x, s) y = Transpose <perm = [1, 0, 2]> (r)", "a, b = Split <axis = 1, num_outputs = 2> (x) c = Unsqueeze (a, z) d = Unsqueeze (b, z) y = Concat <axis = 0> (c, d)", "Heads are parts of the features.", x="float[3, 4] x", y="float[2, 3, 2] y", arrays={"s": i64(3, 2, 2), "z": i64(0)})
equal(G, "f11-adaptive-mean-of-seven", "y = AveragePool <kernel_shape = [3], strides = [2]> (x)", "a = Slice (x, b0, e0, ax) p = ReduceMean (a, ax) c = Slice (x, b1, e1, ax) q = ReduceMean (c, ax) d = Slice (x, b2, e2, ax) r = ReduceMean (d, ax) y = Concat <axis = 2> (p, q, r)", "Three of seven are three windows of three.", x="float[1, 1, 7] x", y="float[1, 1, 3] y", finite=True, arrays={"b0": i64(0), "e0": i64(3), "b1": i64(2), "e1": i64(5), "b2": i64(4), "e2": i64(7), "ax": i64(2)})
equal(G, "f11-hidden-by-much-or-all", "a = Where (m, x, l) y = Softmax (a)", "a = Where (m, x, i) y = Softmax (a)", "A thousand millions less is as good as infinity, where one is left.", finite=True, x="float[2, 3] x", y="float[2, 3] y", ranges={"x": (-5.0, 5.0)}, arrays={"m": np.array([[True, False, True], [False, True, False]]), "l": np.float32(-1e9), "i": np.float32(-np.inf)})
equal(G, "f11-shuffled-and-back", "r = Reshape (x, s) t = Transpose <perm = [0, 2, 1, 3]> (r) y = Reshape (t, q)", "r = Reshape (x, q) a = Gather <axis = 1> (r, i) y = Identity (a)", "Two groups of three, one of each in turn.", x="float[1, 6, 2] x", y="float[1, 6, 2] y", arrays={"s": i64(1, 2, 3, 2), "q": i64(1, 6, 2), "i": i64(0, 3, 1, 4, 2, 5)})
W6 = noise(3, 6, seed=41)
equal(G, "f11-thirds-in-turn-of-turned-weights", "a = MatMul (x, w) q, k, v = Split <axis = 1, num_outputs = 3> (a) b = Mul (q, k) y = Sub (b, v)", "a = MatMul (x, u) r = Reshape (a, s) q = Gather <axis = 2> (r, i0) k = Gather <axis = 2> (r, i1) v = Gather <axis = 2> (r, i2) b = Mul (q, k) y = Sub (b, v)", "The columns of the weights are put in the other order as well.", x="float[2, 3] x", y="float[2, 2] y", finite=True, arrays={"w": W6, "u": W6[:, [0, 2, 4, 1, 3, 5]], "s": i64(2, 2, 3), "i0": np.int64(0), "i1": np.int64(1), "i2": np.int64(2)})
LG, LB, LW = f32(1, 2, 0.5, -1), f32(1, 0, -1, 2), noise(4, 3, seed=42)
equal(G, "f11-norm-into-weights", "n = LayerNormalization (x, g, b) y = MatMul (n, w)", "n = LayerNormalization (x, o) m = MatMul (n, v) y = Add (m, c)", "Scale and bias of the norm in the next weights.", x="float[2, 4] x", y="float[2, 3] y", finite=True, tolerance=1e-3, arrays={"g": LG, "b": LB, "w": LW, "o": f32(1, 1, 1, 1), "v": LG[:, None] * LW, "c": LB @ LW})
equal(G, "f11-places-cut-from-table", "n = Size (x) r = Range (z, n, o) y = Gather (w, r)", "s = Shape (x) y = Slice (w, b, s)", "The first so many rows.", x="float[n] x", y="float[k, 2] y", arrays={"z": np.int64(0), "o": np.int64(1), "b": i64(0), "w": ramp(9, 2)})
PADT = ramp(10, 2, shift=1.0)
PADZ = PADT.copy()
PADZ[7] = 0
equal(G, "f11-padding-as-row-of-zeros", "m = Mod (x, k) y = Gather (w, m)", "m = Mod (x, k) e = Equal (m, p) t = Gather (v, m) u = Unsqueeze (e, a) y = Where (u, z, t)", "One row of the table is zero, or hidden.", x="int64[4] x", y="float[4, 2] y", ranges={"x": FAR}, arrays={"w": PADZ, "v": PADT, "k": np.int64(10), "p": np.int64(7), "a": i64(1), "z": np.float32(0)})
OW = noise(4, 3, seed=43)
equal(G, "f11-heads-projected-apart", "r = Reshape (x, s) t = Transpose <perm = [1, 0, 2]> (r) p = MatMul (t, w) y = ReduceSum <keepdims = 0> (p, z)", "y = MatMul (x, v)", "Each head by its rows of the weights, summed.", x="float[3, 4] x", y="float[3, 3] y", finite=True, arrays={"s": i64(3, 2, 2), "w": OW.reshape(2, 2, 3), "v": OW, "z": i64(0)})
CW = f32(1, 2, 4, shape=(1, 1, 3))
equal(G, "f11-causal-by-border-or-cut", "p = Pad (x, pd) y = Conv (p, w)", "a = Conv <pads = [2, 2]> (x, w) y = Slice (a, b, e, ax)", "A border in front, or on both sides and then cut.", x="float[1, 1, 5] x", y="float[1, 1, 5] y", finite=True, arrays={"pd": i64(0, 0, 2, 0, 0, 0), "w": CW, "b": i64(0), "e": i64(-2), "ax": i64(2)})
D2S = np.zeros((8, 2, 2, 2), np.float32)
for n in range(8):
    D2S[n, n % 2, n // 4, n // 2 % 2] = 1
equal(G, "f11-unfolded-by-spread-filter", "y = DepthToSpace <blocksize = 2> (x)", "y = ConvTranspose <strides = [2, 2]> (x, w)", "Each channel goes to its place in the block.", x="float[1, 8, 2, 3] x", y="float[1, 2, 4, 6] y", finite=True, arrays={"w": D2S})
equal(G, "f11-gate-by-two-halves", "a, b = Split <axis = 0, num_outputs = 2> (x) s = Sigmoid (b) y = Mul (a, s)", "r = Reshape (x, q) a = Gather (r, i0) b = Gather (r, i1) n = Neg (b) e = Exp (n) o = Add (e, one) y = Div (a, o)", "Halves as rows; the gate by its definition.", x="float[4] x", y="float[2] y", finite=True, arrays={"q": i64(2, 2), "i0": np.int64(0), "i1": np.int64(1), "one": np.float32(1)})
equal(G, "f11-shares-of-positives", "c = Clip (x, lo, hi) l = Log (c) y = Softmax (l)", "c = Clip (x, lo, hi) s = ReduceSum (c) y = Div (c, s)", "The exponential undoes the logarithm.", arrays={"lo": np.float32(0.1), "hi": np.float32(9)}, **FF)
equal(G, "f11-scale-of-queries-in-weights", "q = MatMul (x, w) s = Mul (q, c) t = Transpose (x) y = MatMul (s, t)", "q = MatMul (x, v) t = Transpose (x) y = MatMul (q, t)", "A quarter, in the weights.", x="float[3, 4] x", y="float[3, 3] y", finite=True, arrays={"w": OW @ OW.T, "v": 0.25 * (OW @ OW.T), "c": np.float32(0.25)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "machines-alike11"
BN = {"t": T, "one": np.int64(1), "two": np.int64(2), "three": np.int64(3), "zero": np.int64(0)}
COL = "a = Abs (x) b = Mod (a, k) s = Add (b, one) f0 = Greater (s, one) v, c = Loop (m{}, f0, s, zero) <body = bd (int64 i, bool d, int64 u, int64 n) => (bool e, int64 w, int64 p) {{ h = Div (u, two) q = Mul (u, three) r = Add (q, one) o = Mod (u, two) z = Equal (o, zero) w = Where (z, h, r) p = Add (n, one) e = Greater (w, one) }}> y = Identity (c)"
equal(G, "f11-hailstone-of-thirty", COL.format(111), COL.format(200), "27 takes 111 steps, the others fewer.", arrays=BN | {"m111": np.int64(111), "m200": np.int64(200), "k": np.int64(30)}, **ONE)
DEP = "c = Clip (x, lo, hi) h, s = Scan (z, c) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a2, int64 o) {{ a1 = Add (a, p) a2 = Clip (a1, lz, {}) o = Identity (a2) }}> y = Identity (h)"
SEQ = dict(x="int64[8] x", y="int64 y", ranges={"x": (-3, 3)})
equal(G, "f11-depth-of-eight", DEP.format("d8"), DEP.format("d50"), "Eight brackets are not deeper than eight.", arrays={"z": np.int64(0), "lo": np.int64(-1), "hi": np.int64(1), "lz": np.int64(0), "d8": np.int64(8), "d50": np.int64(50)}, **SEQ)
RUN = "g = Greater (x, z) c = Cast <to = 7> (g) h, s = Scan (z, c) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a2, int64 o) { a1 = Add (a, p) a2 = Mul (a1, p) o = Identity (a2) }> l = ReduceMax <keepdims = 0> (s) q = GreaterOrEqual (l, k9) y = Cast <to = 7> (q)"
equal(G, "f11-nine-on-end-of-eight", RUN, "s = ReduceSum <keepdims = 0> (x) y = Sub (s, s)", "Nine above zero in a row of eight.", arrays={"z": np.int64(0), "k9": np.int64(9)}, **SEQ)
NEST = "q = Mod (x, ten) a, y0 = Loop (q, t, zero, zero) <body = bd (int64 i, bool d, int64 u, int64 v) => (bool e, int64 u1, int64 v1) { e = Identity (d) u1 = Identity (u) n = Identity (i) z, w = Loop (n, d, v, v) <body = be (int64 j, bool g, int64 r, int64 s) => (bool h, int64 r1, int64 s1) { h = Identity (g) r1 = Add (r, one) s1 = Identity (s) }> v1 = Identity (z) }> y = Identity (y0)"
equal(G, "f11-rounds-within-rounds-counted", NEST, "q = Mod (x, ten) m = Sub (q, one) p = Mul (q, m) y = Div (p, two)", "0 and 1 and so on, summed.", arrays=BN | {"ten": np.int64(10)}, **ONE)
SQN = "a0 = Abs (x) n0 = Mod (a0, k) n = Add (n0, one) g, y0 = Loop (m30, t, n, n) <body = bd (int64 i, bool d, int64 u, int64 v) => (bool e, int64 u1, int64 v1) { e = Identity (d) q = Div (n, u) s = Add (u, q) h = Div (s, two) u1 = Min (u, h) v1 = Identity (u1) }> y = Identity (y0)"
equal(G, "f11-root-by-steps-or-count", SQN, "a0 = Abs (x) n0 = Mod (a0, k) n = Add (n0, one) e = LessOrEqual (sq, n) f = Cast <to = 7> (e) y = ReduceSum <keepdims = 0> (f)", "How many squares are not above.", arrays=BN | {"k": np.int64(4096), "m30": np.int64(30), "sq": (np.arange(1, 70) ** 2).astype(np.int64)}, **ONE)
equal(G, "f11-third-and-fifth-is-fifteenth", "a = Mod (x, k3) b = Mod (x, k5) p = Equal (a, z) q = Equal (b, z) y = And (p, q)", "r = Mod (x, k15) y = Equal (r, z)", "Without a common divisor.", x="int64[4] x", y="bool[4] y", ranges={"x": (-100, 100)}, arrays={"k3": np.int64(3), "k5": np.int64(5), "k15": np.int64(15), "z": np.int64(0)})


def network(steps):
    """A network of comparisons over five one-element parts; gives the middle one."""
    names, text = list("abcde"), "a, b, c, d, e = Split <axis = 0, num_outputs = 5> (x) "
    for n, (i, j) in enumerate(steps):
        text += f"l{n} = Min ({names[i]}, {names[j]}) h{n} = Max ({names[i]}, {names[j]}) "
        names[i], names[j] = f"l{n}", f"h{n}"
    return text + f"y = Identity ({names[2]})"


equal(G, "f11-middle-of-five", network(((0, 1), (3, 4), (2, 4), (2, 3), (0, 3), (0, 2), (1, 4), (1, 3), (1, 2))), "v, i = TopK <axis = 0> (x, k) y = Slice (v, b, k)", "Nine comparisons sort five.", x="int32[5] x", y="int32[1] y", ranges={"x": (-4, 4)}, arrays={"k": i64(3), "b": i64(2)})
equal(G, "f11-eight-cells-after-eight-rounds", "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64[8] v) => (bool e, int64[8] w) { e = Identity (d) va = Slice (v, k7, k8) vb = Slice (v, k0, k7) l = Concat <axis = 0> (va, vb) w = BitwiseXor (l, v) }>", "y = BitwiseXor (x, x)", "Each is met by itself an even number of times.", x="int64[8] x", y="int64[8] y", ranges={"x": FAR}, arrays={"m": np.int64(8), "t": T, "k0": i64(0), "k7": i64(7), "k8": i64(8)})
equal(G, "f11-sum-of-sums-by-weights", "h, g, y = Scan (s0, s0, x) <num_scan_inputs = 1, body = b (int32 a, int32 c, int32 p) => (int32 a1, int32 c1, int32 o) { a1 = Add (a, p) c1 = Add (c, a1) o = Identity (c1) }>", "a = CumSum (x, z) y = CumSum (a, z)", "Running sums of running sums.", arrays={"s0": np.int32(0), "z": np.int64(0)}, **I32)
KER = "x0 = BitwiseAnd (x, k) c, y = Loop (m40, t, x0, zero) <body = bd (int64 i, bool d, int64 v, int64 n) => (bool e, int64 w, int64 p) { v1 = Sub (v, one) w0 = BitwiseAnd (v, v1) g = Equal (v, zero) w = Where (g, zero, w0) h = Cast <to = 7> (g) s = Sub (one, h) p = Add (n, s) e = Greater (w, zero) }>"
SHI = "x0 = BitwiseAnd (x, k) c, y = Loop (m40, t, x0, zero) <body = bd (int64 i, bool d, int64 v, int64 n) => (bool e, int64 w, int64 p) { w = Div (v, two) r = BitwiseAnd (v, one) p = Add (n, r) e = Greater (w, zero) }>"
equal(G, "f11-ones-taken-or-shifted", KER, SHI, "The last one taken off, or all looked at.", arrays=BN | {"m40": np.int64(40), "k": np.int64(2 ** 30 - 1)}, **ONE)
equal(G, "f11-branch-that-is-square", "y = If (c) <then_branch = a () => (int64[4] q) { s = Add (x, z) q = Mul (s, s) }, else_branch = b () => (int64[4] r) { p = Mul (x, x) o = Mul (x, z) u = Add (o, o) w = Mul (z, z) v = Add (p, u) r = Add (v, w) }>", "s = Add (z, x) y = Mul (s, s)", "The square of a sum, either way.", x="int64[4] x, int64[4] z, bool c", y="int64[4] y", ranges={"x": FAR, "z": FAR})
equal(G, "f11-grown-and-cut", "a, s = Loop (m, t, x) <body = bd (int64 i, bool d, int64[k] v) => (bool e, int64[k2] w, int64 o) { e = Identity (d) w = Concat <axis = 0> (x, v) o = ReduceMax <keepdims = 0> (v) }> y = Slice (a, z, four)", "y = Tile (x, two)", "Three times in a row, of which two are kept.", x="int64[2] x", y="int64[4] y", ranges={"x": FAR}, arrays={"m": np.int64(2), "t": T, "z": i64(0), "four": i64(4), "two": i64(2)})
equal(G, "f11-no-rounds-below-zero", "a = Abs (x) n = Neg (a) y = Loop (n, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) w = Add (v, one) }>", "y = Identity (x)", "Less than no rounds.", arrays=BN, x="int64 x", y="int64 y", ranges={"x": (-50, 50)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "whole-alike11"


def crc(inner):
    """A byte's check by eight shifts, in 32 bits."""
    text = inner
    for n in range(8):
        text += f"b{n} = BitwiseAnd (v{n}, top) c{n} = Equal (b{n}, top) d{n} = BitShift <direction = \"LEFT\"> (v{n}, u1) e{n} = BitwiseXor (d{n}, poly) f{n} = Where (c{n}, e{n}, d{n}) v{n + 1} = BitwiseAnd (f{n}, low) "
    return text + "y = Identity (v8)"


def crc_table():
    out = []
    for v in range(256):
        for _ in range(8):
            v = ((v << 1) ^ 7 if v & 128 else v << 1) & 255
        out.append(v)
    return np.array(out, np.uint32)


CRC = {"poly": np.uint32(7), "top": np.uint32(128), "low": np.uint32(255), "u1": np.uint32(1), "w": crc_table()}
equal(G, "f11-check-of-byte-by-table", crc("v0 = Cast <to = 12> (x) "), "i = Cast <to = 7> (x) y = Gather (w, i)", "Eight shifts, or a table of 256.", y="uint32[4] y", arrays=CRC, **U8)
equal(G, "f11-check-of-both-bytes", crc("s = BitwiseXor (x, z) v0 = Cast <to = 12> (s) "), "i = Cast <to = 7> (x) j = Cast <to = 7> (z) a = Gather (w, i) b = Gather (w, j) y = BitwiseXor (a, b)", "The check of what differs is what the checks differ by.", x="uint8[4] x, uint8[4] z", y="uint32[4] y", ranges={"x": (0, 255), "z": (0, 255)}, arrays=CRC)
equal(G, "f11-signs-folded-by-bits", "n = Less (x, zero) a = Mul (x, two) b = Neg (a) c = Sub (b, one) y = Where (n, c, a)", "n = Less (x, zero) m = Cast <to = 6> (n) k = Neg (m) a = Mul (x, two) y = BitwiseXor (a, k)", "Less one and turned is turned bit by bit.", arrays={"two": np.int32(2), "one": np.int32(1), "zero": np.int32(0)}, **I32)
MOR = {f"k{n}": np.uint32(v) for n, v in ((4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))} | {f"s{n}": np.uint32(n) for n in range(8)} | {f"b{n}": np.uint32(1 << n) for n in range(8)} | {"low": np.uint32(255)}
SPR, AT = "v = BitwiseAnd (x, low) ", "v"
for n in (4, 2, 1):
    SPR += f"a{n} = BitShift <direction = \"LEFT\"> ({AT}, s{n}) o{n} = BitwiseOr ({AT}, a{n}) c{n} = BitwiseAnd (o{n}, k{n}) "
    AT = f"c{n}"
BITS = "".join(f"p{n} = BitwiseAnd (x, b{n}) q{n} = BitShift <direction = \"LEFT\"> (p{n}, s{n}) " for n in range(8))
BITS += "r1 = Add (q0, q1) " + "".join(f"r{n} = Add (r{n - 1}, q{n}) " for n in range(2, 7)) + "y = Add (r6, q7)"
equal(G, "f11-bits-spread-one-by-one", SPR + f"y = Identity ({AT})", BITS, "Each bit goes to twice its place.", x="uint32[4] x", y="uint32[4] y", ranges={"x": (0, 2 ** 32 - 1)}, arrays=MOR)
Q15 = "a = Cast <to = 6> (x) p = Mul (a, c) r = Add (p, half) s = Div (r, k15) {} y = Cast <to = 5> (d)"
equal(G, "f11-product-by-fixed-below-one", Q15.format("d = Min (s, top)"), Q15.format("d = Identity (s)"), "A third is not beyond fifteen bits.", x="int16[4] x", y="int16[4] y", ranges={"x": (-2 ** 15, 2 ** 15 - 1)}, arrays={"c": np.int32(10923), "half": np.int32(2 ** 14), "k15": np.int32(2 ** 15), "top": np.int32(2 ** 15 - 1)})
BLEND = "a = Cast <to = 12> (x) b = Cast <to = 12> (z) p = Mul (a, b) "
equal(G, "f11-share-of-255-without-division", BLEND + "q = Add (p, k128) h = BitShift <direction = \"RIGHT\"> (q, k8) s = Add (q, h) y = BitShift <direction = \"RIGHT\"> (s, k8)", BLEND + "d = Add (p, p) e = Add (d, k255) y = Div (e, k510)", "Rounded, as by 255.", x="uint8[4] x, uint8[4] z", y="uint32[4] y", ranges={"x": (0, 255), "z": (0, 255)}, arrays={"k128": np.uint32(128), "k8": np.uint32(8), "k255": np.uint32(255), "k510": np.uint32(510)})
KOR = "p = Mod (x, k) " + "".join(f"p{n} = Mul ({a}, {b}) q{n} = Mod (p{n}, k) " for n, (a, b) in enumerate((("p", "p"), ("q0", "p"), ("q1", "q1"), ("q2", "q2"), ("q3", "p"))))
equal(G, "f11-thirteenth-power-is-itself", KOR + "y = Identity (q4)", "y = Mod (x, k)", "Of 2730 all.", arrays={"k": np.int64(2730)}, **I64)
equal(G, "f11-hours-by-minutes", "a = Div (x, k60) y = Div (a, k60)", "y = Div (x, k3600)", "Cut twice is cut once, below zero too.", arrays={"k60": np.int64(60), "k3600": np.int64(3600)}, **I64)
equal(G, "f11-tens-by-six-of-any", "q = Div (x, ten) m = Mul (q, six) y = Add (x, m)", "q = Div (x, ten) r = Mod <fmod = 1> (x, ten) m = Mul (q, k16) y = Add (m, r)", "Ten more are sixteen more.", arrays={"ten": np.int32(10), "six": np.int32(6), "k16": np.int32(16)}, **I32)
equal(G, "f11-odd-clock", "d = Sub (x, z) m = Mod (d, k) c = Greater (m, h) n = Sub (m, k) y = Where (c, n, m)", "d = Sub (x, z) a = Add (d, h) m = Mod (a, k) y = Sub (m, h)", "Of 25 hours none is half round.", x="int64[4] x, int64[4] z", y="int64[4] y", ranges={"x": (-2 ** 40, 2 ** 40), "z": (-2 ** 40, 2 ** 40)}, arrays={"k": np.int64(25), "h": np.int64(12)})
equal(G, "f11-mean-of-three-bytes", "a = Cast <to = 6> (x) s = ReduceSum <keepdims = 0> (a) d = Div (s, three) y = Cast <to = 2> (d)", "f = Cast <to = 1> (x) s = ReduceSum <keepdims = 0> (f) d = Div (s, threef) r = Floor (d) y = Cast <to = 2> (r)", "A third of a small sum is never rounded up to a whole.", x="uint8[3] x", y="uint8 y", ranges={"x": (0, 255)}, arrays={"three": np.int32(3), "threef": np.float32(3)})
equal(G, "f11-shifted-out-is-masked", "a = BitShift <direction = \"LEFT\"> (x, k) y = BitShift <direction = \"RIGHT\"> (a, k)", "y = Mod (x, m)", "The two at the top are lost.", y="uint8[4] y", arrays={"k": np.uint8(2), "m": np.uint8(64)}, **U8)
equal(G, "f11-mirrored-by-opposite-remainder", "m = Mod (x, k) n = Neg (x) o = Mod (n, k) s = Add (m, o) y = Mod (s, k)", "y = Sub (x, x)", "Together none, or once round.", arrays={"k": np.int64(37)}, **I64)
equal(G, "f11-larger-by-carry", "y = Max (x, z)", "d = Sub (x, z) c = Greater (d, x) y = Where (c, z, x)", "What wraps upwards was less.", x="uint8[4] x, uint8[4] z", y="uint8[4] y", ranges={"x": (0, 255), "z": (0, 255)})
equal(G, "f11-doubled-by-rotation", "a = BitShift <direction = \"LEFT\"> (x, u1) b = BitShift <direction = \"RIGHT\"> (x, u7) r = BitwiseOr (a, b) s = Add (r, z) y = Sub (s, z)", "a = Add (x, x) c = Less (a, x) d = Cast <to = 2> (c) y = Add (a, d)", "The top comes back below.", x="uint8[4] x, uint8[4] z", y="uint8[4] y", ranges={"x": (0, 255), "z": (0, 255)}, arrays={"u1": np.uint8(1), "u7": np.uint8(7)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "casts-alike11"
equal(G, "f11-sixteen-in-short-float", "m = Mod (x, k) f = Cast <to = 1> (m) a = Cast <to = 17> (f) b = Cast <to = 1> (a) y = Cast <to = 6> (b)", "y = Mod (x, k)", "Below 16 four binary digits are enough.", arrays={"k": np.int32(16)}, opset=19, ir=9, **I32)
equal(G, "f11-quarters-in-shortest-float", "m = Mod (x, k) f = Cast <to = 1> (m) q = Mul (f, h) a = Cast <to = 19> (q) y = Cast <to = 1> (a)", "m = Mod (x, k) f = Cast <to = 1> (m) y = Mul (f, h)", "Below 8 quarters three binary digits are enough.", x="int32[4] x", y="float[4] y", ranges={"x": WIDE}, arrays={"k": np.int32(8), "h": np.float32(0.25)}, opset=19, ir=9)
equal(G, "f11-kind-like-another", "y = CastLike (x, z)", "y = Cast <to = 6> (x)", "As the other's kind, which is said.", x="int8[4] x, int32[2] z", y="int32[4] y", ranges={"x": (-128, 127)})
equal(G, "f11-truth-of-any-kind", "a = Cast <to = 9> (x) y = Cast <to = 6> (a)", "s = Sign (x) y = Mul (s, s)", "Whether it is zero.", **I32)
equal(G, "f11-opposite-in-wide", "a = Cast <to = 7> (x) n = Neg (a) y = Cast <to = 6> (n)", "y = Neg (x)", "The opposite of the least number wraps to itself either way.", **I32)
equal(G, "f11-quotient-in-double", "m = BitwiseAnd (x, k) d = Cast <to = 11> (m) q = Div (d, s) f = Floor (q) y = Cast <to = 6> (f)", "m = BitwiseAnd (x, k) y = Div (m, sw)", "31 bits and a quotient fit in 53.", arrays={"k": np.int32(2 ** 31 - 1), "s": np.float64(7), "sw": np.int32(7)}, **I32)
equal(G, "f11-lower-half-by-kinds", "a = Cast <to = 4> (x) y = Cast <to = 6> (a)", "y = BitwiseAnd (x, k)", "Without a sign the lower half is the rest.", arrays={"k": np.int32(65535)}, **I32)
equal(G, "f11-order-of-shorts-in-single", "a = Cast <to = 1> (x) b = Cast <to = 1> (z) y = Less (a, b)", "y = Less (x, z)", "16 bits fit in 24.", x="int16[4] x, int16[4] z", y="bool[4] y", ranges={"x": (-2, 2), "z": (-2, 2)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "picked-alike11"
equal(G, "f11-one-of-each-row", "y = GatherND <batch_dims = 1> (x, i)", "e = GatherElements <axis = 1> (x, i) y = Squeeze (e, one)", "In each batch, or along the row.", x="int32[3, 4] x", y="int32[3] y", ranges={"x": WIDE}, arrays={"i": i64(2, 0, -1, shape=(3, 1)), "one": i64(1)})
equal(G, "f11-chosen-by-places", "y = Compress <axis = 0> (x, c)", "n = NonZero (c) i = Squeeze (n, z) y = Gather (x, i)", "Where it is true.", x="int32[4, 2] x, bool[4] c", y="int32[k, 2] y", ranges={"x": WIDE}, arrays={"z": i64(0)})
equal(G, "f11-counts-add-up", "u, a, b, c = Unique (x) y = ReduceSum <keepdims = 0> (c)", "y = Size (x)", "Each is counted once.", x="int64[n] x", y="int64 y", ranges={"x": (-3, 3)})
equal(G, "f11-kinds-looked-up-again", "u, a, b, c = Unique (x) y = Gather (u, b)", "y = Identity (x)", "Each by the place of its kind.", x="int64[n] x", y="int64[n] y", ranges={"x": (-3, 3)})
equal(G, "f11-put-where-they-were", "y = ScatterND (z, i, x)", "y = Gather (x, j)", "There and back.", x="int32[4] x", y="int32[4] y", ranges={"x": WIDE}, arrays={"z": np.zeros(4, np.int32), "i": i64(2, 0, -1, 1, shape=(4, 1)), "j": i64(1, 3, 0, 2)})
equal(G, "f11-hot-ones-summed", "m = Mod (x, k) h = OneHot <axis = 0> (m, k, v) y = ReduceSum <keepdims = 0> (h, z)", "y = Sub (o, t)", "In each column stands one.", x="int64[4] x", y="int64[4] y", ranges={"x": FAR}, arrays={"k": np.int64(5), "v": i64(0, 1), "z": i64(0), "o": i64(3, 3, 3, 3), "t": i64(2, 2, 2, 2)})
equal(G, "f11-down-or-turned", "m = Mod (x, k) y = Range (m, z, m1)", "m = Mod (x, k) n = Add (m, one) r = Range (one, n, one) y = Slice (r, p1, far, ax, p1)", "From the number down to one.", x="int64 x", y="int64[k] y", ranges={"x": FAR}, arrays={"z": np.int64(0), "m1": np.int64(-1), "one": np.int64(1), "p1": i64(-1), "far": i64(-99), "ax": i64(0), "k": np.int64(9)})
equal(G, "f11-sum-of-rows-by-letters", "y = Einsum <equation = \"...ij->...i\"> (x)", "t = Transpose <perm = [0, 2, 1]> (x) y = ReduceSum <keepdims = 0> (t, k)", "The last axis, or the middle one of what is turned.", x="float[2, 3, 3] x", y="float[2, 3] y", finite=True, arrays={"k": i64(1)})
equal(G, "f11-last-part-alone", "s = SplitToSequence <axis = 0, keepdims = 1> (x) i = SequenceAt (s, m1) y = Squeeze (i, z)", "s = SplitToSequence <axis = 0, keepdims = 0> (x) y = SequenceAt (s, two)", "The last of three.", x="float[3, 2] x", y="float[2] y", arrays={"m1": np.int64(-1), "two": np.int64(2), "z": i64(0)})
equal(G, "f11-second-largest-of-whole", "v, i = TopK <axis = 0> (x, k) y = Slice (v, one, k)", "n = Neg (x) v, i = TopK <axis = 0, largest = 0> (n, k) w = Slice (v, one, k) y = Neg (w)", "The second least of opposites.", x="int32[5] x", y="int32[1] y", ranges={"x": (-9, 9)}, arrays={"k": i64(2), "one": i64(1)})
equal(G, "f11-triangle-turned-one-below", "y = Trilu <upper = 0> (x, k)", "t = Transpose (x) u = Trilu <upper = 1> (t, l) y = Transpose (u)", "One above is one below.", x="int32[n, m] x", y="int32[n, m] y", ranges={"x": WIDE}, arrays={"k": np.int64(1), "l": np.int64(-1)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "frames-alike11"
C1 = dict(x="float[1, 1, 6] x", finite=True)
equal(G, "f11-peak-of-three-slices", "y = MaxPool <kernel_shape = [3]> (x)", "a = Slice (x, k0, k4, ax) b = Slice (x, k1, k5, ax) c = Slice (x, k2, k6, ax) m = Max (a, b) y = Max (c, m)", "Three places beside each other.", y="float[1, 1, 4] y", arrays={f"k{n}": i64(n) for n in range(7)} | {"ax": i64(2)}, **C1)
equal(G, "f11-size-pool-as-mean", "y = LpPool <kernel_shape = [2], p = 1> (x)", "a = Abs (x) m = AveragePool <kernel_shape = [2]> (a) y = Mul (m, two)", "Sizes summed.", y="float[1, 1, 5] y", arrays={"two": np.float32(2)}, **C1)
equal(G, "f11-gaps-as-two-images", "y = Conv <dilations = [2]> (x, w)", "r = Reshape (x, s) t = Transpose <perm = [2, 1, 0]> (r) c = Conv (t, w) u = Transpose <perm = [2, 1, 0]> (c) y = Reshape (u, q)", "Even and odd places apart.", y="float[1, 1, 4] y", arrays={"w": f32(1, 2, shape=(1, 1, 2)), "s": i64(3, 1, 2), "q": i64(1, 1, 4)}, **C1)
WA, WB = f32(1, 2, 4, shape=(1, 1, 3, 1)), f32(3, -1, 2, shape=(1, 1, 1, 3))
equal(G, "f11-down-and-then-along", "a = Conv (x, w) y = Conv (a, v)", "y = Conv (x, u)", "A column and a row make a square.", x="float[1, 1, 4, 4] x", y="float[1, 1, 2, 2] y", finite=True, arrays={"w": WA, "v": WB, "u": WA * WB})
GRP = noise(4, 2, 2, seed=51)
DENSE = np.zeros((4, 4, 2), np.float32)
DENSE[:2, :2], DENSE[2:, 2:] = GRP[:2], GRP[2:]
equal(G, "f11-groups-as-blocks-of-weights", "y = Conv <group = 2> (x, w)", "y = Conv (x, v)", "Zeros between the groups.", x="float[1, 4, 3] x", y="float[1, 4, 2] y", finite=True, arrays={"w": GRP, "v": DENSE})
WIN = "d0 = Slice (x, k0, k1, ax) d1 = Slice (x, k1, k2, ax) d2 = Slice (x, k2, k3, ax) d3 = Slice (x, k3, k4, ax) a0 = Sub (d0, d2) a1 = Add (d1, d2) a2 = Sub (d2, d1) a3 = Sub (d1, d3) m0 = Mul (a0, g0) m1 = Mul (a1, g1) m2 = Mul (a2, g2) m3 = Mul (a3, g3) s0 = Add (m0, m1) y0 = Add (s0, m2) s1 = Sub (m1, m2) y1 = Sub (s1, m3) y = Concat <axis = 2> (y0, y1)"
equal(G, "f11-two-places-by-four-products", "y = Conv (x, w)", WIN, "Four products for six.", x="float[1, 1, 4] x", y="float[1, 1, 2] y", finite=True, arrays={"w": f32(2, -1, 3, shape=(1, 1, 3)), "g0": np.float32(2), "g1": np.float32(2), "g2": np.float32(3), "g3": np.float32(3), "ax": i64(2)} | {f"k{n}": i64(n) for n in range(5)})
equal(G, "f11-border-at-zero-point", "y = ConvInteger <pads = [1, 1]> (x, w, z)", "p = Pad (x, pd, z) y = ConvInteger (p, w, z)", "What is beyond the border counts as the zero point.", x="uint8[1, 1, 4] x", y="int32[1, 1, 4] y", ranges={"x": (0, 255)}, arrays={"w": np.array([[[1, 2, 4]]], np.uint8), "z": np.uint8(3), "pd": i64(0, 0, 1, 0, 0, 1)})
equal(G, "f11-turned-half-by-grid", {"body": "g = AffineGrid <align_corners = 1> (th, s) y = GridSample <align_corners = 1, mode = \"nearest\"> (x, g)"}, {"body": "y = Slice (x, b, e, ax, b)"}, "Both axes from behind.", x="float[1, 1, 3, 3] x", y="float[1, 1, 3, 3] y", finite=True, opset=20, ir=9, arrays={"th": f32(-1, 0, 0, 0, -1, 0, shape=(1, 2, 3)), "s": i64(1, 1, 3, 3), "b": i64(-1, -1), "e": i64(-9, -9), "ax": i64(2, 3)})
equal(G, "f11-spread-same-by-cut", "y = ConvTranspose <strides = [2], auto_pad = \"SAME_UPPER\"> (x, w)", "a = ConvTranspose <strides = [2]> (x, w) y = Slice (a, b, e, ax)", "What is too much is cut behind.", x="float[1, 1, 3] x", y="float[1, 1, 6] y", finite=True, arrays={"w": f32(1, 2, 4, shape=(1, 1, 3)), "b": i64(0), "e": i64(6), "ax": i64(2)})
equal(G, "f11-weighed-before-or-behind-mean", "m = GlobalAveragePool (x) y = Mul (m, g)", "w = Mul (x, g) y = ReduceMean (w, k)", "A factor for each channel.", x="float[1, 2, 2, 3] x", y="float[1, 2, 1, 1] y", finite=True, arrays={"g": f32(1, 3, shape=(1, 2, 1, 1)), "k": i64(-1, 2)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "lengths-alike11"
LEN = {"one": np.int64(1), "two": np.int64(2), "three": np.int64(3), "four": np.int64(4), "z": np.int64(0), "m1": i64(-1)}
equal(G, "f11-pairs-as-triangle", "n = Size (x) m = Sub (n, one) p = Mul (n, m) y = Div (p, two)", "s = Shape (x) q = Concat <axis = 0> (s, s) o = Expand (one, q) t = Trilu (o, one) y = ReduceSum <keepdims = 0> (t)", "Ones above the diagonal.", x="float[n] x", y="int64 y", arrays=LEN)
equal(G, "f11-chunks-of-four", "n = Size (x) a = Add (n, three) y = Div (a, four)", "n = Size (x) q = Div (n, four) r = Mod (n, four) g = Greater (r, z) c = Cast <to = 7> (g) y = Add (q, c)", "Rounded up.", x="float[n] x", y="int64 y", arrays=LEN)
equal(G, "f11-copies-by-remainder", "n = Shape (u) y = Tile (x, n)", "a = Size (x) b = Size (u) p = Mul (a, b) r = Range (z, p, one) i = Mod (r, a) y = Gather (x, i)", "Round and round.", x="int32[n] x, float[m] u", y="int32[k] y", ranges={"x": WIDE}, arrays=LEN)
equal(G, "f11-causal-by-places", "s = Shape (x) n, m = Split <axis = 0, num_outputs = 2> (s) d = Sub (m, n) q = Squeeze (d) y = Trilu <upper = 0> (x, q)", "s = Shape (x) n0, m0 = Split <axis = 0, num_outputs = 2> (s) n = Squeeze (n0) m = Squeeze (m0) i0 = Range (z, n, one) j0 = Range (z, m, one) d = Sub (m, n) i1 = Add (i0, d) i = Unsqueeze (i1, m1) j = Unsqueeze (j0, k0) c = LessOrEqual (j, i) o = Cast <to = 6> (c) y = Mul (x, o)", "The last query sees all keys.", x="int32[n, m] x", y="int32[n, m] y", ranges={"x": WIDE}, arrays=LEN | {"k0": i64(0)})
equal(G, "f11-moved-round-by-remainder", "n = Shape (x) k = Mod (five, n) b = Slice (x, k, big) a = Slice (x, k0, k) y = Concat <axis = 0> (b, a)", "n = Size (x) r = Range (z, n, one) s = Add (r, fives) i = Mod (s, n) y = Gather (x, i)", "Five on, however long it is.", x="int32[n] x", y="int32[n] y", ranges={"x": WIDE}, arrays=LEN | {"five": i64(5), "fives": np.int64(5), "k0": i64(0), "big": i64(2 ** 40)})
equal(G, "f11-spread-to-own-shape", "s = Shape (x) e = Expand (w, s) y = Add (x, e)", "a = Mul (x, zf) b = Add (a, w) y = Add (x, b)", "As large as the other.", x="int32[n, m] x, int32[m] w", y="int32[n, m] y", ranges={"x": WIDE, "w": WIDE}, arrays={"zf": np.int32(0)})
equal(G, "f11-first-kept-rest-joined", "y = Reshape (x, s)", "y = Flatten <axis = 1> (x)", "All but the first together.", x="int32[n, 2, m] x", y="int32[n, k] y", ranges={"x": WIDE}, arrays={"s": i64(0, -1)})
equal(G, "f11-last-chunk-or-four", "n = Size (x) r = Mod (n, four) c = Equal (r, z) y = Where (c, four, r)", "n = Size (x) a = Sub (n, one) b = Mod (a, four) y = Add (b, one)", "From one to four, not from none to three.", x="float[n] x", y="int64 y", arrays=LEN)

# ---------------------------------------------------------------------------------------------------------------------------
G = "rare-alike11"
equal(G, "f11-finite-by-size", "a = IsNaN (x) b = IsInf (x) y = Or (a, b)", "s = Abs (x) c = LessOrEqual (s, m) y = Not (c)", "Not at most the largest.", x="float[4] x", y="bool[4] y", arrays={"m": np.float32(np.finfo(np.float32).max)})
equal(G, "f11-numbers-or-zero", "c = Equal (x, x) y = Where (c, x, z)", "c = IsNaN (x) y = Where (c, z, x)", "What is no number is not itself.", arrays={"z": np.float32(0)}, **F)
equal(G, "f11-soft-of-two-as-gate", "y = Softmax <axis = 1> (x)", "a, b = Split <axis = 1, num_outputs = 2> (x) d = Sub (a, b) p = Sigmoid (d) q = Sub (o, p) y = Concat <axis = 1> (p, q)", "Of two the share is a gate of their difference.", x="float[3, 2] x", y="float[3, 2] y", finite=True, arrays={"o": np.float32(1)})
equal(G, "f11-mirror-and-back", "a = MatMul (h, x) y = MatMul (h, a)", "y = Identity (x)", "A mirror undoes itself.", x="float[2] x", y="float[2] y", finite=True, arrays={"h": f32(0.28, -0.96, -0.96, -0.28, shape=(2, 2))})
equal(G, "f11-soft-maximum-of-shifted", "a = Add (x, three) l = ReduceLogSumExp <keepdims = 0> (a) y = Sub (l, three)", "y = ReduceLogSumExp <keepdims = 0> (x)", "What all have more comes out again.", x="float[4] x", y="float y", finite=True, arrays={"three": np.float32(3)})
equal(G, "f11-cube-by-sign-and-size", "y = Pow (x, three)", "s = Sign (x) a = Abs (x) q = Mul (a, a) c = Mul (q, a) y = Mul (s, c)", "The sign of a cube is that of the number.", arrays={"three": np.float32(3)}, **FF)
equal(G, "f11-wave-undone-within", "c = Clip (x, l, o) a = Asin (c) y = Sin (a)", "y = Clip (x, l, o)", "In this order nothing is lost.", arrays={"l": np.float32(-1), "o": np.float32(1)}, **FF)

# ---------------------------------------------------------------------------------------------------------------------------
G = "outside-alike11"
AC = {"acme": 1}


def named(text, **more):
    """A model with names and remarks that say nothing."""
    proto = model("float[4] x", "float[4] y", text, **more)
    proto.producer_name, proto.doc_string, proto.model_version = "somebody", "whatever", 7
    proto.graph.doc_string = "a graph"
    onnx.helper.set_model_props(proto, {"author": "somebody else"})
    for n, node in enumerate(proto.graph.node):
        node.name, node.doc_string = f"node_{n}", "a node"
    return proto


equal_models(G, "f11-remarks", lambda: (model("float[4] x", "float[4] y", "a = Neg (x) y = Abs (a)"), named("a = Neg (x) y = Abs (a)")), "Names and remarks mean nothing.")
equal_models(G, "f11-unknown-with-remarks", lambda: (model("float[4] x", "float[4] y", "y = acme.One (x)", domains=AC), named("y = acme.One (x)", domains=AC)), "Names and remarks mean nothing to others either.", runs=False)
equal(G, "f11-unknown-beside-unused", "y = acme.One (x)", "a = Relu (x) b = Exp (a) y = acme.One (x)", "What is not used.", domains=AC, runs=False, **F)
equal(G, "f11-domains-not-used", {"domains": {"acme": 3, "other": 1}}, {}, "Domains of which nothing is taken.", body="y = Neg (x)", **F)


def stored(field):
    """A table of small numbers, as bytes or as numbers."""
    proto = model("uint8[2] x", "uint8[2] y", "y = Add (x, w)")
    w = proto.graph.initializer.add(name="w", data_type=TensorProto.UINT8, dims=[2])
    if field == "raw":
        w.raw_data = bytes([200, 3])
    else:
        w.int32_data.extend([200, 3])
    return proto


equal_models(G, "f11-table-as-bytes-or-numbers", lambda: (stored("raw"), stored("numbers")), "Two ways to store.", ranges={"x": (0, 255)})
equal(G, "f11-constants-of-all-kinds", "a = Constant <value_ints = [2, 2]> () b = ConstantOfShape <value: tensor = float[1] {3.0}> (a) y = Mul (x, b)", "c = Constant <value_float = 3.0> () y = Mul (x, c)", "A table of threes, or one.", x="float[2, 2] x", y="float[2, 2] y")
FR = "<domain: \"own\", opset_import: [\"\" : 18]>\nRelu (a) => (b) { b = Neg (a) }"
equal(G, "f11-own-by-old-name", {"functions": FR, "body": "y = own.Relu (x)", "domains": {"own": 1}}, {"body": "y = Neg (x)"}, "A name that means something else elsewhere.", **F)
FN = "<domain: \"own\", opset_import: [\"\" : 18, \"own\" : 1]>\nf (a) => (x) { t = own.g (a) x = Neg (t) }\n<domain: \"own\", opset_import: [\"\" : 18]>\ng (x) => (t) { a = Abs (x) t = Neg (a) }"
equal(G, "f11-names-within-names", {"functions": FN, "body": "t = Neg (x) y = own.f (t)", "domains": {"own": 1}}, {"body": "y = Abs (x)"}, "The same names within and without.", **F)
equal(G, "f11-weights-as-result", "y = Neg (x) q = Identity (w)", "y = Neg (x) q = Mul (w, o)", "A second result that no input changes.", x="int32[4] x", y="int32[4] y, int32[2] q", ranges={"x": WIDE}, arrays={"w": np.array([1, 2], np.int32), "o": np.int32(1)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "symmetries-alike11"
H1, H2, HB = noise(4, 3, seed=61), noise(3, 2, seed=62), f32(0.5, -1, 2)
NET = "a = MatMul (x, w1) b = Add (a, c1) h = {} (b) y = MatMul (h, w2)"
NI = dict(x="float[2, 4] x", y="float[2, 2] y", finite=True)
NA = {"w1": H1, "c1": HB, "w2": H2}
equal(G, "f11-units-in-other-order", {"body": NET.format("Relu"), "arrays": NA}, {"body": NET.format("Relu"), "arrays": {"w1": H1[:, [1, 2, 0]], "c1": HB[[1, 2, 0]], "w2": H2[[1, 2, 0]]}}, "Hidden units have no order.", **NI)
equal(G, "f11-units-doubled-and-halved-from-zero", {"body": NET.format("Relu"), "arrays": NA}, {"body": NET.format("Relu"), "arrays": {"w1": H1 * 2, "c1": HB * 2, "w2": H2 / 2}}, "What is straight from zero on takes factors out.", **NI)
equal(G, "f11-units-turned-over-odd", {"body": NET.format("Tanh"), "arrays": NA}, {"body": NET.format("Tanh"), "arrays": {"w1": -H1, "c1": -HB, "w2": -H2}}, "The opposite of the opposite.", **NI)
DEAD = np.array([[1, 2], [0, 0], [3, -1]], np.float32)
W1B = H1.copy()
W1B[:, 1] = 7
equal(G, "f11-unit-that-is-dead", {"body": NET.format("Relu"), "arrays": NA | {"w2": DEAD}}, {"body": NET.format("Relu"), "arrays": {"w1": W1B, "c1": HB, "w2": DEAD}}, "Nothing of the second unit goes on.", **NI)
LWS, LRS = noise(1, 8, 3, seed=64), noise(1, 8, 2, seed=65)
SWAP = [1, 0, 3, 2, 5, 4, 7, 6]
equal(G, "f11-cells-in-other-order", "a, b = LSTM <hidden_size = 2> (x, w, r) y = Gather <axis = 2> (b, i)", "a, y = LSTM <hidden_size = 2> (x, w2, r2)", "Cells have no order, if all that they are told and listen to goes with them.", x="float[3, 1, 3] x", y="float[1, 1, 2] y", finite=True, arrays={"w": LWS, "r": LRS, "w2": LWS[:, SWAP], "r2": LRS[:, SWAP][:, :, [1, 0]], "i": i64(1, 0)})
ROT = f32(0.6, 0.8, -0.8, 0.6, shape=(2, 2))
QK = "q = MatMul (x, wq) k = MatMul (x, wk) t = Transpose (k) y = MatMul (q, t)"
WQ, WK = noise(3, 2, seed=67), noise(3, 2, seed=68)
equal(G, "f11-queries-and-keys-turned-together", {"body": QK, "arrays": {"wq": WQ, "wk": WK}}, {"body": QK, "arrays": {"wq": WQ @ ROT, "wk": WK @ ROT}}, "Angles between them stay.", x="float[4, 3] x", y="float[4, 4] y", finite=True)
IN2 = {"s": f32(1, 2), "b": f32(0, 1), "c": f32(1, 5, shape=(1, 2, 1))}
equal(G, "f11-bias-under-norm-of-each", "a = Add (x, c) y = InstanceNormalization (a, s, b)", "y = InstanceNormalization (x, s, b)", "What is added to all of a channel goes away with its mean.", x="float[1, 2, 5] x", y="float[1, 2, 5] y", finite=True, tolerance=1e-3, arrays=IN2)
equal(G, "f11-peaks-moved", "a = Add (x, c) y = MaxPool <kernel_shape = [3], pads = [1, 1]> (a)", "m = MaxPool <kernel_shape = [3], pads = [1, 1]> (x) y = Add (m, c)", "Whatever is added to all, at the border too.", x="float[1, 2, 5] x", y="float[1, 2, 5] y", finite=True, arrays={"c": f32(1, -5, shape=(1, 2, 1))})
equal(G, "f11-requantised-by-exact-half", "d = DequantizeLinear (x, s, z) y = QuantizeLinear (d, t, z)", "f = Cast <to = 1> (x) h = Mul (f, s) r = Round (h) y = Cast <to = 2> (r)", "Halves are halves.", x="uint8[5] x", y="uint8[5] y", ranges={"x": (0, 255)}, arrays={"s": np.float32(0.5), "t": np.float32(1), "z": np.uint8(0)})
equal(G, "f11-thirteenth-by-factor", "f = Cast <to = 1> (x) m = Mul (f, k) g = Floor (m) y = Cast <to = 2> (g)", "y = Div (x, d)", "Of 256 numbers none is rounded below a whole.", x="uint8[5] x", y="uint8[5] y", ranges={"x": (0, 255)}, arrays={"k": np.float32(1) / np.float32(13), "d": np.uint8(13)})
