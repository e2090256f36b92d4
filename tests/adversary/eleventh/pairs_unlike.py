"""Pairs that differ: exporters' slips, shapes worked out, state machines, fixed point, casts, scattered and picked, filters, unknown operators."""
import numpy as np

from pair_models import different, different_models, f32, i32, i64, model, noise, ramp, u32, u8

F = dict(x="float[4] x", y="float[4] y")
I64 = dict(x="int64[3] x", y="int64[3] y")
I32 = dict(x="int32[3] x", y="int32[3] y")
N = dict(x="float[n] x", y="float[n] y")
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)
X4 = {"x": f32(1, 2, 3, 5)}


# ---------------------------------------------------------------------------------------------------------------------------
G = "exported11"
different(G, "f11-heads-by-view", "r = Reshape (x, s) t = Transpose <perm = [1, 0, 2]> (r) y = Softmax <axis = 1> (t)", "t = Reshape (x, q) y = Softmax <axis = 1> (t)", {"x": ramp(3, 4)}, "Heads are behind places, not before them.", x="float[3, 4] x", y="float[2, 3, 2] y", arrays={"s": i64(3, 2, 2), "q": i64(2, 3, 2)})
ATT = "k = Transpose <perm = [0, 2, 1]> (x) s0 = MatMul (x, k) s = Mul (s0, c) p = Softmax <axis = {}> (s) y = MatMul (p, x)"
different(G, "f11-shares-of-queries", ATT.format(-1), ATT.format(-2), {"x": noise(1, 3, 4, seed=21)}, "Each query shares over keys, or each key over queries.", x="float[1, 3, 4] x", y="float[1, 3, 4] y", arrays={"c": np.float32(0.5)})
different(G, "f11-shares-over-heads", ATT.format(-1), ATT.format(0), {"x": noise(3, 3, 4, seed=21)}, "As many batches as places.", x="float[3, 3, 4] x", y="float[3, 3, 4] y", arrays={"c": np.float32(0.5)})
PRE = "n = LayerNormalization <axis = -1> (x, g) m = MatMul (n, w) y = Add (m, {})"
different(G, "f11-rest-before-or-behind-norm", PRE.format("x"), PRE.format("n"), {"x": noise(2, 4, seed=22, scale=3.0)}, "What is added is what came in, not what was normed.", x="float[2, 4] x", y="float[2, 4] y", arrays={"g": f32(1, 1, 1, 1), "w": noise(4, 4, seed=23)})
different(G, "f11-thirds-in-turn", "q, k, v = Split <axis = 1, num_outputs = 3> (x) a = Mul (q, k) y = Sub (a, v)", "r = Reshape (x, s) q = Gather <axis = 2> (r, i0) k = Gather <axis = 2> (r, i1) v = Gather <axis = 2> (r, i2) a = Mul (q, k) y = Sub (a, v)", {"x": ramp(2, 6)}, "Three parts, or each third number.", x="float[2, 6] x", y="float[2, 2] y", arrays={"s": i64(2, 2, 3), "i0": np.int64(0), "i1": np.int64(1), "i2": np.int64(2)})
different(G, "f11-adaptive-mean-of-five", "y = AveragePool <kernel_shape = [3]> (x)", "a = Slice (x, b0, e0, ax) p = ReduceMean (a, ax) c = Slice (x, b1, e1, ax) q = ReduceMean (c, ax) d = Slice (x, b2, e2, ax) r = ReduceMean (d, ax) y = Concat <axis = 2> (p, q, r)", {"x": f32(1, 5, 2, 9, 4, shape=(1, 1, 5))}, "Three of five: two, three, two.", x="float[1, 1, 5] x", y="float[1, 1, 3] y", arrays={"b0": i64(0), "e0": i64(2), "b1": i64(1), "e1": i64(4), "b2": i64(3), "e2": i64(5), "ax": i64(2)})
different(G, "f11-last-but-by-end", "y = Slice (x, b, e)", "y = Slice (x, b, m)", {"x": f32(1, 2, 3)}, "An end of -1 leaves the last out, an end of the largest number does not.", x="float[3] x", y="float[k] y", arrays={"b": i64(1), "e": i64(2 ** 63 - 1), "m": i64(-1)})
different(G, "f11-mask-over-keys-and-padding", "a = Where (m, x, l) p = Softmax <axis = -1> (a) y = Where (m, p, z)", "a = Where (m, x, l) y = Softmax <axis = -1> (a)", {"x": f32(1, 2, 3, 4, shape=(2, 2)), "m": np.array([[True, False], [False, False]])}, "A row of padding alone still shares.", x="float[2, 2] x, bool[2, 2] m", y="float[2, 2] y", arrays={"l": np.float32(-1e9), "z": np.float32(0)})
different(G, "f11-mask-of-half-range", "b = Mul (m, l) a = Add (x, b) y = Softmax <axis = -1> (a)", "b = Mul (m, h) a = Add (x, b) y = Softmax <axis = -1> (a)", {"x": f32(0, 20000, 0, 1), "m": f32(0, 1, 0, 0)}, "-10000 does not hide a score of 20000.", x="float[4] x, float[4] m", y="float[4] y", arrays={"l": np.float32(-1e9), "h": np.float32(-1e4)})
CHK = "r = Reshape (x, s) {} y = Reshape (t, q)"
different(G, "f11-channels-shuffled-back", CHK.format("t = Transpose <perm = [0, 2, 1, 3]> (r)"), "r = Reshape (x, p) t = Transpose <perm = [0, 2, 1, 3]> (r) y = Reshape (t, q)", {"x": ramp(1, 6, 1)}, "Two groups of three, or three of two: one undoes the other.", x="float[1, 6, 1] x", y="float[1, 6, 1] y", arrays={"s": i64(1, 2, 3, 1), "p": i64(1, 3, 2, 1), "q": i64(1, 6, 1)})
different(G, "f11-weights-of-norm-along-rows", "m = ReduceMean <keepdims = 1> (x, a) d = Sub (x, m) y = Mul (d, g)", "m = ReduceMean <keepdims = 1> (x, a) d = Sub (x, m) u = Unsqueeze (g, a) y = Mul (d, u)", {"x": noise(3, 3, seed=24)}, "A weight for each feature, or for each row.", x="float[3, 3] x", y="float[3, 3] y", arrays={"a": i64(1), "g": f32(1, 2, 3)})
different(G, "f11-positions-from-one", "n = Size (x) r = Range (z, n, o) c = Min (r, k) y = Gather (w, c)", "n = Size (x) n1 = Add (n, o) r = Range (o, n1, o) c = Min (r, k) y = Gather (w, c)", {"x": i64(1, 2)}, "Places count from 0.", x="int64[n] x", y="float[n] y", arrays={"z": np.int64(0), "o": np.int64(1), "k": np.int64(7), "w": ramp(8)})
different(G, "f11-places-held-at-sixteen", "n = Size (x) r = Range (z, n, o) f = Cast <to = 1> (r) y = Add (x, f)", "n = Size (x) r = Range (z, n, o) c = Min (r, k) f = Cast <to = 1> (c) y = Add (x, f)", {"x": ramp(18)}, "Beyond the seventeenth place nothing more is added.", arrays={"z": np.int64(0), "o": np.int64(1), "k": np.int64(16)}, **N)
different(G, "f11-token-of-padding", "y = Gather (w, x)", "e = Equal (x, p) t = Gather (w, x) u = Unsqueeze (e, a) y = Where (u, z, t)", {"x": i64(1, 93, 2)}, "Of the padding all are zero; in the table they are not.", x="int64[3] x", y="float[3, 2] y", arrays={"w": ramp(100, 2, shift=1.0), "p": np.int64(93), "a": i64(1), "z": np.float32(0)})
different(G, "f11-residual-of-scaled", "a = Relu (x) b = Mul (a, k) y = Add (b, x)", "a = Mul (x, k) b = Relu (a) y = Add (b, x)", X4, "A factor below zero behind or before.", arrays={"k": np.float32(-0.5)}, **F)
different(G, "f11-gated-by-other-half", "a, b = Split <axis = 0, num_outputs = 2> (x) s = Sigmoid (b) y = Mul (a, s)", "a, b = Split <axis = 0, num_outputs = 2> (x) s = Sigmoid (a) y = Mul (b, s)", X4, "The gate is the second half.", x="float[4] x", y="float[2] y")
different(G, "f11-scale-of-root-or-size", "t = Transpose (x) s = MatMul (x, t) d = Div (s, k) y = Softmax (d)", "t = Transpose (x) s = MatMul (x, t) d = Div (s, h) y = Softmax (d)", {"x": noise(3, 4, seed=25)}, "By the root of four, or by four.", x="float[3, 4] x", y="float[3, 3] y", arrays={"k": np.float32(2), "h": np.float32(4)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "machines11"
BN = {"t": T, "one": np.int64(1), "two": np.int64(2), "three": np.int64(3), "zero": np.int64(0)}
COL = "a = Abs (x) b = Mod (a, k) s = Add (b, one) f0 = Greater (s, one) v, c = Loop (m{}, f0, s, zero) <body = bd (int64 i, bool d, int64 u, int64 n) => (bool e, int64 w, int64 p) {{ h = Div (u, two) q = Mul (u, three) r = Add (q, one) o = Mod (u, two) z = Equal (o, zero) w = Where (z, h, r) p = Add (n, one) e = Greater (w, one) }}> y = Identity (c)"
different(G, "f11-hailstone-of-27", COL.format(100), COL.format(120), {"x": np.int64(26)}, "27 alone comes to 1 after more than a hundred steps.", arrays=BN | {"m100": np.int64(100), "m120": np.int64(120), "k": np.int64(30)}, **ONE)
DEP = "c = Clip (x, lo, hi) h, s = Scan (z, c) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a2, int64 o) {{ a1 = Add (a, p) a2 = Clip (a1, lz, {}) o = Identity (a2) }}> y = Identity (h)"
SEQ = dict(x="int64[8] x", y="int64 y")
different(G, "f11-depth-of-brackets", DEP.format("d3"), DEP.format("d5"), {"x": i64(1, 1, 1, 1, -1, -1, -1, 1)}, "Nested more than three deep.", arrays={"z": np.int64(0), "lo": np.int64(-1), "hi": np.int64(1), "lz": np.int64(0), "d3": np.int64(3), "d5": np.int64(5)}, **SEQ)
RUN = "g = Greater (x, z) c = Cast <to = 7> (g) h, s = Scan (z, c) <num_scan_inputs = 1, body = b (int64 a, int64 p) => (int64 a2, int64 o) {{ a1 = Add (a, p) a2 = Mul (a1, p) o = Identity (a2) }}> l = ReduceMax <keepdims = 0> (s) q = GreaterOrEqual (l, {}) y = Cast <to = 7> (q)"
different(G, "f11-six-or-seven-on-end", RUN.format("k6"), RUN.format("k7"), {"x": i64(1, 1, 1, 1, 1, 1, 0, 1)}, "Six above zero in a row.", arrays={"z": np.int64(0), "k6": np.int64(6), "k7": np.int64(7)}, **SEQ)
CNT = "r, y0 = Loop (m, t, x, zero) <body = bd (int64 i, bool d, float u, float v) => (bool e, float w, float p) {{ w = Mul (u, half) p = Add (v, one) {} }}> y = Identity (y0)"
CN = dict(x="float x", y="float y", arrays={"m": np.int64(20), "t": T, "half": np.float32(0.5), "one": np.float32(1), "k": np.float32(0.1), "zero": np.float32(0)})
different(G, "f11-no-number-goes-on", CNT.format("e = Greater (w, k)"), CNT.format("f = LessOrEqual (w, k) e = Not (f)"), {"x": np.float32(np.nan)}, "What is no number is not above and not below.", **CN)
different(G, "f11-halved-by-old-or-new", CNT.format("e = Greater (w, k)"), CNT.format("e = Greater (u, k)"), {"x": np.float32(1)}, "Asked before it is halved.", **CN)
NEST = "q = Mod (x, ten) a, y0 = Loop (q, t, zero, zero) <body = bd (int64 i, bool d, int64 u, int64 v) => (bool e, int64 u1, int64 v1) {{ e = Identity (d) u1 = Identity (u) {} z, w = Loop (n, d, v, v) <body = be (int64 j, bool g, int64 r, int64 s) => (bool h, int64 r1, int64 s1) {{ h = Identity (g) r1 = Add (r, one) s1 = Identity (s) }}> v1 = Identity (z) }}> y = Identity (y0)"
different(G, "f11-rounds-within-rounds", NEST.format("n = Identity (i)"), NEST.format("n = Add (i, one)"), {"x": np.int64(5)}, "Below the number of the outer round, or up to it.", arrays=BN | {"ten": np.int64(10)}, **ONE)
SQN = "a0 = Abs (x) n0 = Mod (a0, k) n = Add (n0, one) g, y0 = Loop (m{}, t, n, n) <body = bd (int64 i, bool d, int64 u, int64 v) => (bool e, int64 u1, int64 v1) {{ e = Identity (d) q = Div (n, u) s = Add (u, q) h = Div (s, two) u1 = Min (u, h) v1 = Identity (u1) }}> y = Identity (y0)"
different(G, "f11-root-in-eight-steps", SQN.format(8), SQN.format(30), {"x": np.int64(65535)}, "From the number itself down to its root takes twelve.", arrays=BN | {"k": np.int64(65536), "m8": np.int64(8), "m30": np.int64(30)}, **ONE)
FIZ = "a = Mod (x, k3) b = Mod (x, k5) p = Equal (a, z) q = Equal (b, z) r = Mod (x, {}) s = Equal (r, z) u = Cast <to = 7> (p) v = Cast <to = 7> (q) w = Cast <to = 7> (s) c = Add (u, v) y = Add (c, w)"
different(G, "f11-third-and-fifth", FIZ.format("k15"), FIZ.format("k30"), {"x": i64(15, 1, 2)}, "Odd multiples of fifteen.", arrays={"k3": np.int64(3), "k5": np.int64(5), "k15": np.int64(15), "k30": np.int64(30), "z": np.int64(0)}, **I64)
MED = "a, b, c, d, e = Split <axis = 0, num_outputs = 5> (x) "


def network(steps):
    """A network of comparisons over five one-element parts; gives the middle one."""
    names, text = list("abcde"), MED
    for n, (i, j) in enumerate(steps):
        text += f"l{n} = Min ({names[i]}, {names[j]}) h{n} = Max ({names[i]}, {names[j]}) "
        names[i], names[j] = f"l{n}", f"h{n}"
    return text + f"y = Identity ({names[2]})"


FULL = ((0, 1), (3, 4), (2, 4), (2, 3), (0, 3), (0, 2), (1, 4), (1, 3), (1, 2))
different(G, "f11-middle-of-five-one-short", network(FULL), network(FULL[:8]), {"x": f32(4, 5, 1, 2, 3)}, "One comparison is missing.", x="float[5] x", y="float[1] y")
SHD = "p = Mul (x, two) y = If (c) <then_branch = a () => (int64[3] q) {{ {} }}, else_branch = b () => (int64[3] r) {{ r = Neg (p) }}>"
different(G, "f11-branch-of-doubled", SHD.format("q = Add (p, x)"), SHD.format("q = Add (x, x)"), {"x": i64(1, 2, 3), "c": T}, "Thrice or twice.", x="int64[3] x, bool c", y="int64[3] y", arrays={"two": np.int64(2)})
GROW = "a, s = Loop (m, t, x) <body = bd (int64 i, bool d, float[k] v) => (bool e, float[k2] w, float o) {{ e = Identity (d) u = {} (x) w = Concat <axis = 0> ({}) o = ReduceMax <keepdims = 0> (v) }}> y = Slice (a, z, four)"
different(G, "f11-grown-in-front-or-behind", GROW.format("Identity", "v, u"), GROW.format("Neg", "u, v"), {"x": f32(1, 2)}, "What is put in front is the opposite.", x="float[2] x", y="float[4] y", arrays={"m": np.int64(2), "t": T, "z": i64(0), "four": i64(4)})
BAT = "h, y = Scan (s0, x, z) <num_scan_inputs = 2, body = b (float a, float p, float q) => (float a1, float o) {{ m = Mul (a, {}) a1 = Add (m, {}) o = Identity (a1) }}>"
different(G, "f11-factor-or-summand", BAT.format("p", "q"), BAT.format("q", "p"), {"x": f32(1, 2, 3, 4), "z": f32(1, 2, 3, 5)}, "By x and plus z, or by z and plus x.", x="float[4] x, float[4] z", y="float[4] y", arrays={"s0": np.float32(1)})
TWOS = "h, g, y = Scan (s0, s1, x) <num_scan_inputs = 1, body = b (float a, float c, float p) => (float a1, float c1, float o) {{ a1 = Add (a, p) c1 = Add (c, {}) o = Identity (c1) }}>"
different(G, "f11-sum-of-sums", TWOS.format("a1"), TWOS.format("a"), X4, "Of the sums up to here, or up to the one before.", arrays={"s0": np.float32(0), "s1": np.float32(0)}, **F)
LIFE = "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64[8] v) => (bool e, int64[8] w) {{ e = Identity (d) va = Slice (v, k7, k8) vb = Slice (v, k0, k7) l = Concat <axis = 0> (va, vb) w = BitwiseXor (l, v) }}>"
different(G, "f11-eight-cells-for-eight-rounds", LIFE.format(), "y = BitwiseXor (x, x)", {"x": i64(1, 0, 0, 0, 0, 0, 0, 0), "m": np.int64(7)}, "After eight rounds nothing is left, after seven all.", x="int64[8] x, int64 m", y="int64[8] y", arrays={"t": T, "k0": i64(0), "k7": i64(7), "k8": i64(8)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "whole11"
Q15 = "a = Cast <to = 6> (x) b = Cast <to = 6> (z) p = Mul (a, b) r = Add (p, half) s = Div (r, k15) {} y = Cast <to = 5> (c)"
S2 = dict(x="int16[3] x, int16[3] z", y="int16[3] y")
different(G, "f11-product-of-lowest", Q15.format("c = Min (s, top)"), Q15.format("c = Identity (s)"), {"x": np.array([-2 ** 15, 1, 2], np.int16), "z": np.array([-2 ** 15, 5, 6], np.int16)}, "Minus one times minus one is beyond fifteen bits.", arrays={"half": np.int32(2 ** 14), "k15": np.int32(2 ** 15), "top": np.int32(2 ** 15 - 1)}, **S2)
BLEND = "a = Cast <to = 6> (x) b = Cast <to = 6> (z) p = Mul (a, b) {} y = Cast <to = 2> (c)"
B2 = dict(x="uint8[3] x, uint8[3] z", y="uint8[3] y")
BK = {"k128": np.int32(128), "k256": np.int32(256), "k255": np.int32(255), "k127": np.int32(127), "k257": np.int32(257), "one": np.int32(1)}
different(G, "f11-share-of-255-rounded", BLEND.format("q = Add (p, k127) c = Div (q, k255)"), BLEND.format("q = Add (p, k255) c = Div (q, k256)"), {"x": u8(200, 1, 2), "z": u8(100, 5, 6)}, "By 256 with something added is not by 255.", arrays=BK, **B2)
different(G, "f11-share-of-255-cut", BLEND.format("c = Div (p, k255)"), BLEND.format("r = Div (p, k256) s = Add (p, r) c = Div (s, k256)"), {"x": u8(255, 1, 2), "z": u8(255, 5, 6)}, "All of all is 254 without the one that is added.", arrays=BK, **B2)


def crc(seed, taps):
    """A byte's check by eight shifts, in 32 bits."""
    text = "a = Cast <to = 12> (x) v0 = BitwiseXor (a, seed) "
    for n in range(8):
        text += f"b{n} = BitwiseAnd (v{n}, top) c{n} = Equal (b{n}, top) d{n} = BitShift <direction = \"LEFT\"> (v{n}, u1) e{n} = BitwiseXor (d{n}, poly) f{n} = Where (c{n}, e{n}, d{n}) v{n + 1} = BitwiseAnd (f{n}, low) "
    return {"body": text + "y = Identity (v8)", "arrays": {"seed": np.uint32(seed), "poly": np.uint32(taps), "top": np.uint32(128), "low": np.uint32(255), "u1": np.uint32(1)}}


def crc_table(seed, taps):
    out = []
    for v in range(256):
        v ^= seed
        for _ in range(8):
            v = ((v << 1) ^ taps if v & 128 else v << 1) & 255
        out.append(v)
    return np.array(out, np.uint32)


TAB = crc_table(0, 7)
TAB[133] ^= 16
different(G, "f11-check-of-byte-one-wrong", crc(0, 7), {"body": "i = Cast <to = 7> (x) y = Gather (w, i)", "arrays": {"w": TAB}}, {"x": u8(133, 1, 2)}, "One of 256 in the table.", x="uint8[3] x", y="uint32[3] y")
different(G, "f11-check-of-byte-begun", crc(0, 7), crc(255, 7), {"x": u8(133, 1, 2)}, "Begun with ones.", x="uint8[3] x", y="uint32[3] y")
ZIG = {"two": np.int32(2), "one": np.int32(1), "zero": np.int32(0)}
different(G, "f11-signs-folded", "n = Less (x, zero) a = Mul (x, two) b = Neg (a) c = Sub (b, one) y = Where (n, c, a)", "s = Abs (x) a = Mul (s, two) n = Less (x, zero) b = Sub (a, one) y = Where (n, a, b)", {"x": i32(-1, 1, 2)}, "Odd ones for those below zero, or above.", arrays=ZIG, **I32)
MOR = {f"k{n}": np.uint32(v) for n, v in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))} | {f"s{n}": np.uint32(n) for n in (1, 2, 4, 8)} | {"low": np.uint32(0xFFFF)}


def spread(shifts):
    text, at = "v = BitwiseAnd (x, low) ", "v"
    for s in shifts:
        text += f"a{s} = BitShift <direction = \"LEFT\"> ({at}, s{s}) b{s} = BitwiseOr ({at}, a{s}) c{s} = BitwiseAnd (b{s}, k{s}) "
        at = f"c{s}"
    return text + f"y = Identity ({at})"


different(G, "f11-bits-spread-of-byte", spread((8, 4, 2, 1)), spread((4, 2, 1)), {"x": u32(256, 1, 2)}, "From the ninth bit on.", x="uint32[3] x", y="uint32[3] y", arrays=MOR)
KOR = "p = Mod (x, k) " + "".join(f"p{n} = Mul ({a}, {b}) q{n} = Mod (p{n}, k) " for n, (a, b) in enumerate((("p", "p"), ("q0", "p"), ("q1", "q1"), ("q2", "q2"), ("q3", "p")))) + "y = Equal (q4, p)"
different(G, "f11-thirteenth-power", {"arrays": {"k": np.int64(2730)}}, {"arrays": {"k": np.int64(5460)}}, {"x": i64(2, 1, 0)}, "Of 5460 not all even ones.", x="int64[3] x", y="bool[3] y", body=KOR)
TIM = {"k60": np.int64(60), "k3600": np.int64(3600)}
different(G, "f11-hours-below-zero", "y = Div (x, k3600)", "r = Mod (x, k3600) d = Sub (x, r) y = Div (d, k3600)", {"x": i64(-1, 1, 2)}, "A second before is the hour before, or none.", arrays=TIM, **I64)
different(G, "f11-upper-half-of-unsigned", "y = Div (x, k)", "a = Cast <to = 7> (x) b = Cast <to = 7> (k) c = Div (a, b) y = Cast <to = 13> (c)", {"x": np.array([2 ** 63 + 9, 1, 2], np.uint64)}, "From 2^63 on.", x="uint64[3] x", y="uint64[3] y", arrays={"k": np.uint64(7)})
TRI = "p = Mod (x, k) a = Cast <to = {}> (p) b = Mul (a, e) c = Add (b, o) r = Sqrt (c) s = Sub (r, o) h = Mul (s, f) g = Floor (h) y = Cast <to = 7> (g)"
different(G, "f11-triangle-root-in-single", {"body": TRI.format(1), "arrays": {"e": np.float32(8), "o": np.float32(1), "f": np.float32(0.5)}}, {"body": TRI.format(11), "arrays": {"e": np.float64(8), "o": np.float64(1), "f": np.float64(0.5)}}, {"x": i64(5792 * 5793 // 2 - 1, 1, 2)}, "One below the 5792nd triangle.", arrays={"k": np.int64(2 ** 25)}, **I64)
different(G, "f11-tens-by-six", "q = Div (x, ten) m = Mul (q, six) y = Add (x, m)", "q = Div (x, ten) r = Mod (x, ten) m = Mul (q, six2) y = Add (m, r)", {"x": i32(-15, 1, 2)}, "The rest is never below zero.", arrays={"ten": np.int32(10), "six": np.int32(6), "six2": np.int32(16)}, **I32)
KER = "c, y0 = Loop (m{}, t, x1, zero) <body = bd (int64 i, bool d, int64 v, int64 n) => (bool e, int64 w, int64 p) {{ v1 = Sub (v, one) w0 = BitwiseAnd (v, v1) g = Equal (v, zero) w = Where (g, zero, w0) h = Cast <to = 7> (g) s = Sub (one, h) p = Add (n, s) e = Greater (w, zero) }}> y = Identity (y0)"
different(G, "f11-ones-of-number-up-to-twenty", "x0 = Abs (x) x1 = Mod (x0, k) " + KER.format(20), "x0 = Abs (x) x1 = Mod (x0, k) " + KER.format(40), {"x": np.int64(2 ** 22 - 1)}, "More than twenty ones.", arrays=BN | {"m20": np.int64(20), "m40": np.int64(40), "k": np.int64(2 ** 30)}, **ONE)
different(G, "f11-average-of-three-bytes", "a = Cast <to = 6> (x) s = ReduceSum <keepdims = 0> (a) d = Div (s, three) y = Cast <to = 2> (d)", "f = Cast <to = 1> (x) m = ReduceMean <keepdims = 0> (f) r = Round (m) y = Cast <to = 2> (r)", {"x": u8(1, 2, 2)}, "Cut, or rounded.", x="uint8[3] x", y="uint8 y", arrays={"three": np.int32(3)})
different(G, "f11-shifted-out-of-byte", "a = BitShift <direction = \"LEFT\"> (x, k) y = BitShift <direction = \"RIGHT\"> (a, k)", "c = Cast <to = 12> (x) a = BitShift <direction = \"LEFT\"> (c, l) b = BitShift <direction = \"RIGHT\"> (a, l) y = Cast <to = 2> (b)", {"x": u8(65, 1, 2)}, "In a byte the top is lost.", x="uint8[3] x", y="uint8[3] y", arrays={"k": np.uint8(2), "l": np.uint32(2)})
different(G, "f11-clock-behind-or-before", "d = Sub (x, z) m = Mod (d, k) c = Greater (m, h) n = Sub (m, k) y = Where (c, n, m)", "d = Sub (x, z) a = Add (d, h) m = Mod (a, k) y = Sub (m, h)", {"x": i64(12, 1, 2), "z": i64(0, 5, 6)}, "Half round is twelve before or twelve behind.", x="int64[3] x, int64[3] z", y="int64[3] y", arrays={"k": np.int64(24), "h": np.int64(12)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "casts11"
different(G, "f11-short-float-without-end", "a = Cast <to = 17> (x) y = Cast <to = 1> (a)", "a = Cast <to = 17, saturate = 0> (x) y = Cast <to = 1> (a)", {"x": f32(1000, 1, 2, 3)}, "Held at the largest, or no number.", opset=19, ir=9, **F)
different(G, "f11-three-or-two-digits-of-short-float", "a = Cast <to = 17> (x) y = Cast <to = 1> (a)", "a = Cast <to = 19> (x) y = Cast <to = 1> (a)", {"x": f32(1.125, 1, 2, 3)}, "1.125 has four binary digits.", opset=19, ir=9, **F)
different(G, "f11-short-floats-of-two-makers", "a = Cast <to = 17> (x) y = Cast <to = 1> (a)", "a = Cast <to = 18> (x) y = Cast <to = 1> (a)", {"x": f32(300, 1, 2, 3)}, "One ends at 448, the other at 240.", opset=19, ir=9, **F)
different(G, "f11-order-kept-in-half", "a = Cast <to = 10> (x) b = Cast <to = 10> (z) y = Equal (a, b)", "y = Equal (x, z)", {"x": f32(1.0001, 1, 2, 3), "z": f32(1, 1, 2, 4)}, "What differs by less than a half tells.", x="float[4] x, float[4] z", y="bool[4] y", reference=True)
different(G, "f11-fraction-through-double", "a = Cast <to = 11> (x) b = Mul (a, k) c = Floor (b) y = Cast <to = 7> (c)", "b = Mul (x, l) c = Floor (b) y = Cast <to = 7> (c)", {"x": f32(0.29, 1, 2, 3)}, "29 hundredths of a single are a little less than 29 hundredths.", x="float[4] x", y="int64[4] y", arrays={"k": np.float64(100), "l": np.float32(100)})
different(G, "f11-truth-of-whole-part", "y = Cast <to = 9> (x)", "a = Cast <to = 7> (x) y = Cast <to = 9> (a)", {"x": f32(0.5, 1, 2, 3)}, "A half is true, its whole part is not.", x="float[4] x", y="bool[4] y")
different(G, "f11-opposite-of-byte-widened", "a = Neg (x) y = Cast <to = 6> (a)", "a = Cast <to = 6> (x) y = Neg (a)", {"x": np.array([-128, 1, 2], np.int8)}, "-128 has no opposite in a byte.", x="int8[3] x", y="int32[3] y")
different(G, "f11-size-in-byte", "y = Size (x)", "a = Size (x) b = Cast <to = 2> (a) y = Cast <to = 7> (b)", {"x": ramp(300)}, "Of more than 255 elements.", x="float[n] x", y="int64 y")
different(G, "f11-brain-of-sum", "a = Cast <to = 16> (x) b = Cast <to = 1> (a) y = ReduceSum <keepdims = 0> (b)", "s = ReduceSum <keepdims = 0> (x) a = Cast <to = 16> (s) y = Cast <to = 1> (a)", {"x": f32(256, 1, 1, 1)}, "256 and 3 are 260 in eight digits.", x="float[4] x", y="float y")
different(G, "f11-index-as-single", "m = Mod (x, k) f = Cast <to = 1> (m) h = Mul (f, half) g = Floor (h) i = Cast <to = 7> (g) y = Add (i, m)", "m = Mod (x, k) i = Div (m, two) y = Add (i, m)", {"x": i64(2 ** 24 + 2 ** 23 + 3, 1, 2)}, "Beyond 2^24 a single skips odd numbers.", arrays={"k": np.int64(2 ** 26), "half": np.float32(0.5), "two": np.int64(2)}, **I64)

# ---------------------------------------------------------------------------------------------------------------------------
G = "picked11"
different(G, "f11-picked-in-each-batch", "y = GatherND <batch_dims = 1> (x, i)", "r = Reshape (i, s) g = Gather <axis = 0> (x, r) y = ReduceMax <keepdims = 0> (g, one)", {"x": ramp(2, 2)}, "One of each row, or a row of each.", x="float[2, 2] x", y="float[2] y", arrays={"i": i64(1, 0, shape=(2, 1)), "s": i64(2), "one": i64(1)})
different(G, "f11-rows-or-numbers-chosen", "a = Compress <axis = 0> (x, c) y = ReduceSum <keepdims = 0> (a)", "a = Compress (x, c) y = ReduceSum <keepdims = 0> (a)", {"x": ramp(2, 2, shift=1.0)}, "A row, or one number.", x="float[2, 2] x", y="float y", arrays={"c": np.array([False, True])})
different(G, "f11-put-in-twice-of-pairs", "y = ScatterND <reduction = \"add\"> (z, i, x)", "y = ScatterND <reduction = \"max\"> (z, i, x)", {"x": f32(1, 2, 3)}, "Two of three go to one place.", x="float[3] x", y="float[2, 2] y", arrays={"z": np.zeros((2, 2), np.float32), "i": i64(0, 1, 1, 0, 0, 1, shape=(3, 2))})
different(G, "f11-put-in-from-behind", "y = ScatterND (x, i, u)", "y = ScatterND (x, j, u)", X4, "-2 is the third of four.", arrays={"i": i64(-2, shape=(1, 1)), "j": i64(1, shape=(1, 1)), "u": f32(9)}, **F)
different(G, "f11-kinds-of-rows", "y, a, b, c = Unique <axis = 0> (x)", "t = Transpose (x) u, a, b, c = Unique <axis = 0> (t) y = Transpose (u)", {"x": f32(2, 2, 1, 1, shape=(2, 2))}, "Rows, or columns that are the same.", x="float[2, 2] x", y="float[a, b] y")
different(G, "f11-where-each-kind-came-first", "u, y, b, c = Unique <sorted = 1> (x)", "u, y, b, c = Unique <sorted = 0> (x)", {"x": i64(3, 1, 3)}, "In the order of kinds, or as they came.", x="int64[3] x", y="int64[k] y")
different(G, "f11-down-by-steps", "y = Range (x, z, m1)", "a = Range (z, x, one) b = Slice (a, p1, far, ax, p1n) y = Identity (b)", {"x": np.int64(3)}, "From x down to one, or from x less one down to none.", x="int64 x", y="int64[k] y", arrays={"z": np.int64(0), "m1": np.int64(-1), "one": np.int64(1), "p1": i64(-1), "far": i64(-99), "ax": i64(0), "p1n": i64(-1)})
different(G, "f11-letters-summed-or-kept", "y = Einsum <equation = \"...ij->...i\"> (x)", "y = Einsum <equation = \"...ij->...j\"> (x)", {"x": ramp(2, 3, 3)}, "Sums of rows or of columns.", x="float[2, 3, 3] x", y="float[2, 3] y")
different(G, "f11-second-of-largest-two", "v, i = TopK <axis = 0, sorted = 1> (x, k) y = Gather (v, one)", "m = ReduceMax <keepdims = 0> (x) c = Equal (x, m) w = Where (c, l, x) y = ReduceMax <keepdims = 0> (w)", {"x": f32(3, 3, 1, 2)}, "Of two largest the second is as large.", x="float[4] x", y="float y", arrays={"k": i64(2), "one": np.int64(1), "l": np.float32(-np.inf)})
different(G, "f11-largest-of-row-then-of-all", "i = ArgMax <axis = 1, keepdims = 0> (x) m = ReduceMax <keepdims = 0> (x, one) j = ArgMax <axis = 0, keepdims = 0> (m) y = Gather (i, j)", "c = ReduceMax <keepdims = 0> (x, zero) y = ArgMax <axis = 0, keepdims = 0> (c)", {"x": f32(1, 9, 9, 2, shape=(2, 2))}, "Of equal ones the first row, or the first column.", x="float[2, 2] x", y="int64 y", arrays={"one": i64(1), "zero": i64(0)})
different(G, "f11-parts-without-axis", "s = SplitToSequence <axis = 0, keepdims = 1> (x) i = SequenceAt (s, m1) y = ReduceSum <keepdims = 0> (i, zero)", "s = SplitToSequence <axis = 0, keepdims = 0> (x) i = SequenceAt (s, m2) y = Identity (i)", {"x": ramp(3, 2)}, "The last, or the last but one.", x="float[3, 2] x", y="float[2] y", arrays={"m1": np.int64(-1), "m2": np.int64(-2), "zero": i64(0)})
different(G, "f11-hot-along-which", "m = Mod (x, d) y = OneHot <axis = 0> (m, d, v)", "m = Mod (x, d) y = OneHot <axis = 1> (m, d, v)", {"x": i64(0, 0, 1)}, "As many places as kinds.", x="int64[3] x", y="float[3, 3] y", arrays={"d": np.int64(3), "v": f32(0, 1)})
different(G, "f11-triangle-of-rows-turned", "y = Trilu <upper = 0> (x, k)", "t = Transpose (x) u = Trilu <upper = 1> (t, k) y = Transpose (u)", {"x": ramp(3, 3, shift=1.0)}, "Turned, one above is one below.", x="float[3, 3] x", y="float[3, 3] y", arrays={"k": np.int64(1)})
# ---------------------------------------------------------------------------------------------------------------------------
G = "frames11"
C1 = dict(x="float[1, 1, 5] x")
C5 = {"x": f32(1, 5, 2, 9, 4, shape=(1, 1, 5))}
IM = dict(x="float[1, 1, 4, 4] x")
X44 = noise(1, 1, 4, 4, seed=31)
different(G, "f11-border-into-filter-one-side", "p = Pad (x, pd) y = Conv (p, w)", "y = Conv <pads = [1, 1]> (x, w)", C5, "Two in front, or one on each side.", y="float[1, 1, 5] y", arrays={"pd": i64(0, 0, 2, 0, 0, 0), "w": f32(1, 2, 4, shape=(1, 1, 3))}, **C1)
different(G, "f11-causal-with-gaps", "p = Pad (x, pd) y = Conv <dilations = [2]> (p, w)", "p = Pad (x, pe) y = Conv <dilations = [2]> (p, w)", C5, "A filter of two with gaps of one looks two back.", y="float[1, 1, 5] y", arrays={"pd": i64(0, 0, 2, 0, 0, 0), "pe": i64(0, 0, 1, 0, 0, 1), "w": f32(1, 2, shape=(1, 1, 2))}, **C1)
GW4 = noise(4, 1, 2, seed=32)
different(G, "f11-two-filters-of-each-channel", "y = Conv <group = 2> (x, w)", "a = Conv <group = 2> (x, w) y = Gather <axis = 1> (a, i)", {"x": noise(1, 2, 3, seed=33)}, "First both of the first channel, or the first of both.", x="float[1, 2, 3] x", y="float[1, 4, 2] y", arrays={"w": GW4, "i": i64(0, 2, 1, 3)})
different(G, "f11-kernel-turned-half", "y = Conv (x, w)", "y = Conv (x, v)", {"x": X44}, "Turned about its middle; along one axis it is symmetric.", y="float[1, 1, 3, 3] y", arrays={"w": f32(1, 1, 2, 3, shape=(1, 1, 2, 2)), "v": f32(3, 2, 1, 1, shape=(1, 1, 2, 2))}, **IM)
different(G, "f11-means-by-channel-weights", "m = GlobalAveragePool (x) y = Mul (m, g)", "w = Mul (x, h) y = GlobalAveragePool (w)", {"x": noise(1, 2, 2, 2, seed=34)}, "A factor for each channel, or for each column.", x="float[1, 2, 2, 2] x", y="float[1, 2, 1, 1] y", arrays={"g": f32(1, 3, shape=(1, 2, 1, 1)), "h": f32(1, 3)})
different(G, "f11-peak-of-border", "y = MaxPool <kernel_shape = [3], pads = [1, 1]> (x)", "p = Pad (x, pd) y = MaxPool <kernel_shape = [3]> (p)", {"x": f32(-1, -5, 2, -9, -4, shape=(1, 1, 5))}, "A border of nothing, or of zeros.", y="float[1, 1, 5] y", arrays={"pd": i64(0, 0, 1, 0, 0, 1)}, **C1)
different(G, "f11-length-pool-of-three", "y = LpPool <kernel_shape = [2], p = 3> (x)", "y = LpPool <kernel_shape = [2], p = 2> (x)", C5, "Of cubes or of squares.", y="float[1, 1, 4] y", **C1)
different(G, "f11-largest-length-of-region", "y = MaxRoiPool <pooled_shape = [1, 1], spatial_scale = 1.0> (x, r)", "y = MaxRoiPool <pooled_shape = [1, 1], spatial_scale = 0.5> (x, r)", {"x": ramp(1, 1, 4, 4)}, "The same region at half the scale.", y="float[1, 1, 1, 1] y", arrays={"r": f32(0, 1, 1, 3, 3, shape=(1, 5))}, **IM)
different(G, "f11-spread-with-gaps", "y = ConvTranspose <dilations = [2]> (x, w)", "y = ConvTranspose (x, v)", {"x": f32(1, 5, 2, shape=(1, 1, 3))}, "Zeros between the taps, not in front.", x="float[1, 1, 3] x", y="float[1, 1, 5] y", arrays={"w": f32(1, 2, shape=(1, 1, 2)), "v": f32(0, 1, 2, shape=(1, 1, 3))})
different(G, "f11-spread-same-above", "y = ConvTranspose <strides = [2], auto_pad = \"SAME_UPPER\"> (x, w)", "y = ConvTranspose <strides = [2], auto_pad = \"SAME_LOWER\"> (x, w)", {"x": f32(1, 5, 2, shape=(1, 1, 3))}, "What is too much is cut behind or in front.", x="float[1, 1, 3] x", y="float[1, 1, 6] y", arrays={"w": f32(1, 2, 4, shape=(1, 1, 3))})
different(G, "f11-blocks-in-and-out-by-mode", "a = SpaceToDepth <blocksize = 2> (x) y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (a)", "y = Identity (x)", {"x": noise(1, 2, 2, 2, seed=35)}, "Of one channel both modes are the same.", x="float[1, 2, 2, 2] x", y="float[1, 2, 2, 2] y")
different(G, "f11-mean-of-rest-with-border", "y = AveragePool <kernel_shape = [3], strides = [3], pads = [1, 1], ceil_mode = 1, count_include_pad = 1> (x)", "p = Pad (x, pd) y = AveragePool <kernel_shape = [3], strides = [3]> (p)", {"x": f32(1, 5, 2, 9, 4, 6, shape=(1, 1, 6))}, "The last window reaches beyond the border, and that does not count.", x="float[1, 1, 6] x", y="float[1, 1, 3] y", arrays={"pd": i64(0, 0, 1, 0, 0, 2)}, opset=19, ir=9)
different(G, "f11-kernel-shape-by-weights", "y = Conv <kernel_shape = [3], auto_pad = \"SAME_UPPER\"> (x, w)", "p = Pad (x, pd) y = Conv <auto_pad = \"VALID\"> (p, w)", C5, "One on each side, or two behind.", y="float[1, 1, 5] y", arrays={"w": f32(1, 2, 4, shape=(1, 1, 3)), "pd": i64(0, 0, 0, 0, 0, 2)}, **C1)
different(G, "f11-whole-numbers-filtered", "y = ConvInteger <pads = [1, 1]> (x, w, z)", "a = Cast <to = 6> (x) c = Cast <to = 1> (a) v = Cast <to = 1> (w) r0 = Conv <pads = [1, 1]> (c, v) s = ReduceSum (v) t = Mul (s, zf) r = Sub (r0, t) y = Cast <to = 6> (r)", {"x": u8(1, 5, 2).reshape(1, 1, 3)}, "At the border the zero point is not taken off nothing.", x="uint8[1, 1, 3] x", y="int32[1, 1, 3] y", arrays={"w": u8(1, 2, 4).reshape(1, 1, 3), "z": np.uint8(3), "zf": np.float32(3)})
different(G, "f11-affine-grid-of-corners", {"body": "g = AffineGrid <align_corners = 1> (x, s) y = Identity (g)"}, {"body": "g = AffineGrid (x, s) y = Identity (g)"}, {"x": f32(1, 0, 0, 0, 1, 0, shape=(1, 2, 3))}, "From corner to corner, or from middle to middle.", x="float[1, 2, 3] x", y="float[1, 2, 2, 2] y", opset=20, ir=9, arrays={"s": i64(1, 1, 2, 2)})
different(G, "f11-resized-along-one-axis", "y = Resize <mode = \"linear\", axes = [2]> (x, , s)", "y = Resize <mode = \"linear\", axes = [3]> (x, , s)", {"x": ramp(1, 1, 2, 2)}, "Down or along; as long either way after the other is repeated.", x="float[1, 1, 2, 2] x", y="float[1, 1, a, b] y", arrays={"s": f32(2)})
different(G, "f11-nearest-of-three-to-two", "y = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, , , s)", "y = Resize <mode = \"nearest\", coordinate_transformation_mode = \"align_corners\", nearest_mode = \"floor\"> (x, , , s)", {"x": f32(1, 5, 2, shape=(1, 1, 3))}, "The second is the second, or the last.", x="float[1, 1, 3] x", y="float[1, 1, 2] y", arrays={"s": i64(1, 1, 2)})
different(G, "f11-pitch-scale-from-six-hundred", {"arrays": {"lo": np.float32(0)}}, {"arrays": {"lo": np.float32(600)}}, {"x": noise(1, 9, seed=36)}, "The lowest frequency is 0 or 600.", x="float[1, 9] x", y="float[1, 4] y", body="m = MelWeightMatrix (nb, nd, sr, lo, hi) y = MatMul (x, m)", arrays={"nb": np.int64(4), "nd": np.int64(16), "sr": np.int64(4000), "hi": np.float32(2000)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "lengths11"
different(G, "f11-powers-of-two-beyond-eight", "n = Size (x) m = Sub (n, one) a = BitwiseAnd (n, m) c = Equal (a, z) g = Greater (n, k) h = And (c, g) o = Neg (x) y = Where (h, o, x)", "y = Identity (x)", {"x": ramp(16, shift=1.0)}, "Where the length is 16, 32 and so on.", arrays={"one": np.int64(1), "z": np.int64(0), "k": np.int64(8)}, **N)
different(G, "f11-pairs-among-all", "n = Size (x) m = Sub (n, one) p = Mul (n, m) y = Div (p, two)", "n = Size (x) h = Div (n, two) m = Sub (n, one) y = Mul (h, m)", {"x": f32(1, 2, 3)}, "Of an odd length half is cut.", x="float[n] x", y="int64 y", arrays={"one": np.int64(1), "two": np.int64(2)})
different(G, "f11-frames-of-three", "n = Size (x) a = Sub (n, three) b = Div (a, two) y = Add (b, one)", "n = Size (x) a = Sub (n, one) y = Div (a, two)", {"x": f32(1, 2)}, "Three in two do not fit: -1 by two is cut to 0, and one is added.", x="float[n] x", y="int64 y", arrays={"one": np.int64(1), "two": np.int64(2), "three": np.int64(3)})
different(G, "f11-two-rows-beside-shape", "s = Shape (x) r = Concat <axis = 0> (s, one) a = Reshape (x, r) y = ReduceSum <keepdims = 0> (a, k)", "a = ReduceSum <keepdims = 0> (x, m) y = Unsqueeze (a, one)", {"x": ramp(2, 3)}, "The last but one axis of three is the last of two.", x="float[n, m] x", y="float[k, 1] y", arrays={"one": i64(1), "k": i64(-2), "m": i64(-2)})
different(G, "f11-causal-of-longer-keys", "s = Shape (x) n, m = Split <axis = 0, num_outputs = 2> (s) d = Sub (m, n) q = Squeeze (d) y = Trilu <upper = 0> (x, q)", "y = Trilu <upper = 0> (x)", {"x": ramp(2, 3, shift=1.0)}, "The last query sees all keys, or as many as queries.", x="float[n, m] x", y="float[n, m] y")
different(G, "f11-flat-of-batch-or-rest", "y = Flatten <axis = 1> (x)", "y = Flatten <axis = -1> (x)", {"x": ramp(2, 2, 2)}, "The first axis alone, or all but the last.", x="float[n, m, 2] x", y="float[a, b] y")
different(G, "f11-cycled-over-length", "n = Size (x) r = Range (z, n, o) m = Mod (r, k) f = Cast <to = 1> (m) y = Add (x, f)", "n = Size (x) r = Range (z, n, o) f = Cast <to = 1> (r) y = Add (x, f)", {"x": ramp(13)}, "From the thirteenth place on it begins anew.", arrays={"z": np.int64(0), "o": np.int64(1), "k": np.int64(12)}, **N)
different(G, "f11-reshape-to-unknown", "y = Reshape (x, s)", "q = Shape (x) n, m = Split <axis = 0, num_outputs = 2> (q) r = Concat <axis = 0> (m, m1) y = Reshape (x, r)", {"x": ramp(2, 3)}, "The first size is kept, or the second.", x="float[n, m] x", y="float[a, b] y", arrays={"s": i64(0, -1), "m1": i64(-1)})
different(G, "f11-copies-to-length", "n = Shape (z) y = Tile (x, n)", "n = Shape (z) u = Unsqueeze (x, o) s = Shape (x) e0 = Concat <axis = 0> (s, n) e = Expand (u, e0) y = Reshape (e, m1)", {"x": f32(1, 2), "z": f32(0, 0)}, "Round and round, or each by itself.", x="float[n] x, float[m] z", y="float[k] y", arrays={"o": i64(1), "m1": i64(-1)})
different(G, "f11-rest-of-last-chunk", "n = Size (x) r = Mod (n, k) c = Equal (r, z) d = Where (c, k, r) y = Identity (d)", "n = Size (x) y = Mod (n, k)", {"x": ramp(8)}, "A full last chunk has four, not none.", x="float[n] x", y="int64 y", arrays={"k": np.int64(4), "z": np.int64(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "rare11"
different(G, "f11-gone-below-smallest", "q = Mul (x, x) n = Neg (q) e = Exp (n) y = Equal (e, z)", "y = IsInf (x)", {"x": f32(12, 1, 2, 3)}, "From eleven on the bell is nothing.", x="float[4] x", y="bool[4] y", arrays={"z": np.float32(0)})
different(G, "f11-length-of-nothing", "y = LpNormalization <axis = 0> (x)", "a = ReduceL2 (x) y = Div (x, a)", {"x": f32(0, 0, 0, 0)}, "Nothing has no direction, or no number.", **F)
different(G, "f11-relu-by-comparison-of-none", "c = Greater (x, z) y = Where (c, x, z)", "y = Max (x, z)", {"x": f32(np.nan, 1, 2, 3)}, "What is no number is not above zero.", arrays={"z": np.float32(0)}, **F)
different(G, "f11-infinite-share", "s = ReduceSum (x) y = Div (x, s)", "l = Log (x) y = Softmax (l)", {"x": f32(-1, 3, 2, 1)}, "A share below zero has no logarithm.", **F)
different(G, "f11-zero-sign-by-power", "a = Pow (x, three) y = Reciprocal (a)", "a = Mul (x, x) b = Abs (x) c = Mul (a, b) y = Reciprocal (c)", {"x": f32(-2, 1, 2, 3)}, "A cube keeps the sign.", arrays={"three": np.float32(3)}, **F)
different(G, "f11-round-trip-of-angle", "s = Sin (x) y = Asin (s)", "y = Identity (x)", {"x": f32(2, 1, 0, -1)}, "Beyond a quarter it comes back.", **F)
different(G, "f11-soft-step-steep", "a = Mul (x, k) y = Sigmoid (a)", "g = Greater (x, z) y = Cast <to = 1> (g)", {"x": f32(0, 1, 2, 3)}, "At zero itself a half.", arrays={"k": np.float32(1e4), "z": np.float32(0)}, **F)
different(G, "f11-between-roots", "a = Sub (x, p) b = Sub (x, q) m = Mul (a, b) r = Neg (m) c = Relu (r) y = Add (x, c)", "y = Identity (x)", {"x": f32(41.5, 1, 2, 3)}, "Between 41 and 42 alone.", arrays={"p": np.float32(41), "q": np.float32(42)}, **F)
different(G, "f11-sums-agree-products-differ", "p = ReduceProd <keepdims = 0> (x) q = ReduceProd <keepdims = 0> (z) a = Equal (p, q) s = ReduceSum <keepdims = 0> (x) u = ReduceSum <keepdims = 0> (z) b = Equal (s, u) c = And (a, b) d = Equal (x, z) e = Cast <to = 6> (d) f = ReduceMin <keepdims = 0> (e) g = Cast <to = 9> (f) h = Not (g) y = And (c, h)", "a = Less (x, x) d = Cast <to = 6> (a) f = ReduceMin <keepdims = 0> (d) y = Cast <to = 9> (f)", {"x": i64(6, 6, 1), "z": i64(9, 2, 2)}, "Sums and products of three may agree: 6, 6, 1 and 9, 2, 2.", x="int64[3] x, int64[3] z", y="bool y")
different(G, "f11-long-division-in-single", "a = Div (x, k) b = Floor (a) c = Mul (b, k) y = Sub (x, c)", "y = Mod <fmod = 1> (x, k)", {"x": f32(-7, 1, 2, 3)}, "Below zero the rest is above.", arrays={"k": np.float32(3)}, **F)
different(G, "f11-norm-that-is-clipped", "m = ReduceMax <keepdims = 0> (x) d = Div (x, m) y = Clip (d, l, o)", "m = ReduceMax <keepdims = 0> (x) y = Div (x, m)", {"x": f32(-1, -2, -3, -5)}, "Where all are below zero none is at most one.", arrays={"l": np.float32(-1e9), "o": np.float32(1)}, **F)
different(G, "f11-second-difference", "a = Slice (x, one, end) b = Slice (x, z, m1) d = Sub (a, b) c = Sign (d) y = ReduceSum <keepdims = 0> (c)", "a = Slice (x, m1, end) b = Slice (x, z, one) d = Sub (a, b) c0 = Sign (d) y0 = ReduceSum <keepdims = 0> (c0) y = Mul (y0, three)", {"x": f32(1, 3, 2, 5)}, "Not all steps go the way that the ends do.", x="float[4] x", y="float y", arrays={"one": i64(1), "end": i64(99), "z": i64(0), "m1": i64(-1), "three": np.float32(3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "unknown11"
AC = {"acme": 1}
XZO = dict(x="float[4] x, float[4] z", y="float[4] y", domains=AC)
different(G, "f11-unknown-list-in-order", "y = acme.One <k = [1, 2]> (x)", "y = acme.One <k = [2, 1]> (x)", "operators", "A list has an order.", domains=AC, **F)
different(G, "f11-unknown-word-in-capitals", "y = acme.One <k = \"Fast\"> (x)", "y = acme.One <k = \"fast\"> (x)", "operators", "Nobody knows that letters are alike.", domains=AC, **F)
different(G, "f11-unknown-before-or-behind-relu", "a = Relu (x) y = acme.One (a)", "a = acme.One (x) y = Relu (a)", "operators", "Before or behind.", domains=AC, **F)
different(G, "f11-unknown-of-exchanged-halves", "a, b = Split <axis = 0, num_outputs = 2> (x) y = acme.Join (a, b)", "a, b = Split <axis = 0, num_outputs = 2> (x) y = acme.Join (b, a)", "operators", "The first half first, or the second.", domains=AC, **F)
different(G, "f11-unknown-third-of-three", "a, b, y = acme.Parts (x)", "a, y, b = acme.Parts (x)", "operators", "The third or the second.", domains=AC, **F)
different(G, "f11-unknown-table", "y = acme.One <k: tensor = float[2] {1.0, 2.0}> (x)", "y = acme.One <k: tensor = float[2] {1.0, 2.5}> (x)", "operators", "One number of a table in an attribute.", domains=AC, **F)
different(G, "f11-unknown-without-numbers", "y = acme.One <k: ints = []> (x)", "y = acme.One (x)", "operators", "An empty list, or none.", domains=AC, **F)
different(G, "f11-unknown-of-sum-or-sum-of", "a = Add (x, z) y = acme.One (a)", "a = acme.One (x) b = acme.One (z) y = Add (a, b)", "operators", "Nobody says that it is linear.", **XZO)
different(G, "f11-unknown-twice-on-end", "a = acme.One (x) y = acme.One (a)", "y = acme.One (x)", "operators", "Nobody says that once is enough.", domains=AC, **F)
different(G, "f11-unknown-one-more-operand", "y = acme.Blend (x, z)", "y = acme.Blend (x, z, x)", "operators", "A third operand.", **XZO)
different(G, "f11-unknown-of-other-place", "y = acme.One (x)", "y = other.One (x)", "operators", "Of another domain.", x="float[4] x", y="float[4] y", domains=AC | {"other": 1})

# ---------------------------------------------------------------------------------------------------------------------------
G = "outside11"
different_models(G, "f11-taken-as-whole", lambda: (model("float[4] x", "float[4] y", "y = Relu (x)"), model("double[4] x", "double[4] y", "y = Relu (x)")), "interface", "Of 32 or 64 bits.")
different_models(G, "f11-length-said-or-not", lambda: (model("float[n] x", "float[n] y", "y = Relu (x)"), model("float[3] x", "float[3] y", "y = Relu (x)")), "interface", "Any length, or three.")
different_models(G, "f11-same-length-twice", lambda: (model("float[n, n] x", "float[n, n] y", "y = Relu (x)"), model("float[n, m] x", "float[n, m] y", "y = Relu (x)")), "interface", "A square, or any.")
different_models(G, "f11-second-result-twice", lambda: (model("float[4] x", "float[4] p, float[4] q", "p = Relu (x) q = Identity (p)"), model("float[4] x", "float[4] p", "p = Relu (x)")), "interface", "The same again.")
different_models(G, "f11-words-or-numbers", lambda: (model("string[2] x", "string[2] y", "y = Identity (x)"), model("int64[2] x", "int64[2] y", "y = Identity (x)")), "interface", "Texts or numbers.")
different_models(G, "f11-given-or-by-default", lambda: (model("float[4] x, float[1] w", "float[4] y", "y = Mul (x, w)"), model("float[4] x, float[1] w", "float[4] y", "y = Mul (x, w)", "float[1] w = {2.0}")), "interface", "What has to be given, or may be.")
different(G, "f11-constant-result", "y = Neg (x) q = Identity (w)", "y = Neg (x) q = Identity (v)", X4, "A second result that no input changes.", x="float[4] x", y="float[4] y, float[2] q", arrays={"w": f32(1, 2), "v": f32(1, 3)})
different(G, "f11-input-as-result", "p = Identity (x) y = Relu (x)", "p = Relu (x) y = Relu (x)", {"x": f32(-1, 2, 3, 4)}, "Given back as it came, or cut.", x="float[4] x", y="float[4] p, float[4] y")
FN = "<domain: \"own\", opset_import: [\"\" : 18, \"own\" : 1]>\nf <k: float = {}> (a) => (b) {{ c = Elu <alpha: float = @k> (a) b = own.g <k: float = {}> (c) }}\n<domain: \"own\", opset_import: [\"\" : 18]>\ng <k: float = 2.0> (a) => (b) {{ b = LeakyRelu <alpha: float = @k> (a) }}"
different(G, "f11-attribute-within-function", {"functions": FN.format(0.5, 0.25)}, {"functions": FN.format(0.5, 0.5)}, {"x": f32(-1, 2, 3, 4)}, "What the inner call is given.", body="y = own.f (x)", domains={"own": 1}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "symmetries11"
H1, H2, HB = noise(4, 3, seed=61), noise(3, 2, seed=62), f32(0.5, -1, 2)
NET = "a = MatMul (x, w1) b = Add (a, c1) h = {} (b) y = MatMul (h, w2)"
NI = dict(x="float[2, 4] x", y="float[2, 2] y")
X24 = {"x": noise(2, 4, seed=63)}
NA = {"w1": H1, "c1": HB, "w2": H2}
different(G, "f11-units-exchanged-but-biases", {"body": NET.format("Relu"), "arrays": NA}, {"body": NET.format("Relu"), "arrays": {"w1": H1[:, [1, 0, 2]], "c1": HB, "w2": H2[[1, 0, 2]]}}, X24, "Two units exchange weights on both sides, but not their biases.", **NI)
different(G, "f11-units-doubled-and-halved", {"body": NET.format("Softplus"), "arrays": NA}, {"body": NET.format("Softplus"), "arrays": {"w1": H1 * 2, "c1": HB * 2, "w2": H2 / 2}}, X24, "Only what is straight from zero on takes factors out.", **NI)
different(G, "f11-units-turned-over", {"body": NET.format("Sigmoid"), "arrays": NA}, {"body": NET.format("Sigmoid"), "arrays": {"w1": -H1, "c1": -HB, "w2": -H2}}, X24, "A gate of the opposite is one less the gate.", **NI)
DEAD = np.array([[1, 2], [0, 0], [3, -1]], np.float32)
ALIVE = DEAD.copy()
ALIVE[1, 1] = 0.01
W1B = H1.copy()
W1B[:, 1] = 7
different(G, "f11-unit-nearly-dead", {"body": NET.format("Relu"), "arrays": NA | {"w2": ALIVE}}, {"body": NET.format("Relu"), "arrays": {"w1": W1B, "c1": HB, "w2": ALIVE}}, {"x": np.ones((2, 4), np.float32)}, "A unit of which a hundredth goes on.", **NI)
LWS, LRS = noise(1, 8, 3, seed=64), noise(1, 8, 2, seed=65)
SWAP = [1, 0, 3, 2, 5, 4, 7, 6]
different(G, "f11-cells-exchanged-half", "a, b = LSTM <hidden_size = 2> (x, w, r) y = Gather <axis = 2> (b, i)", "a, y = LSTM <hidden_size = 2> (x, w2, r2)", {"x": noise(3, 1, 3, seed=66)}, "Cells exchange what they are told, but not whom they listen to.", x="float[3, 1, 3] x", y="float[1, 1, 2] y", arrays={"w": LWS, "r": LRS, "w2": LWS[:, SWAP], "r2": LRS[:, SWAP], "i": i64(1, 0)})
ROT = f32(0.6, 0.8, -0.8, 0.6, shape=(2, 2))
QK = "q = MatMul (x, wq) k = MatMul (x, wk) t = Transpose (k) y = MatMul (q, t)"
WQ, WK = noise(3, 2, seed=67), noise(3, 2, seed=68)
different(G, "f11-queries-and-keys-turned", {"body": QK, "arrays": {"wq": WQ, "wk": WK}}, {"body": QK, "arrays": {"wq": WQ @ ROT, "wk": WK @ ROT.T}}, {"x": noise(4, 3, seed=69)}, "Turned one way and the other.", x="float[4, 3] x", y="float[4, 4] y")
different(G, "f11-shifted-before-root-norm", "m = ReduceMean <keepdims = 1> (x, a) c = Sub (x, m) q = Mul (c, c) v = ReduceMean <keepdims = 1> (q, a) r = Sqrt (v) e = Add (r, one) y = Div (c, e)", "q = Mul (x, x) v = ReduceMean <keepdims = 1> (q, a) r = Sqrt (v) e = Add (r, one) y = Div (x, e)", X24, "With a mean that is not zero.", x="float[2, 4] x", y="float[2, 4] y", arrays={"a": i64(1), "one": np.float32(1)})
GNB = {"s": f32(1, 1, 1, 1), "b": f32(0, 0, 0, 0), "c": f32(1, 5, 2, 0, shape=(1, 4, 1)), "r": i64(1, 2, 6), "q": i64(1, 4, 3), "s2": f32(1, 1), "b2": f32(0, 0)}
different(G, "f11-bias-under-norm-of-groups", "a = Add (x, c) g = Reshape (a, r) n = InstanceNormalization (g, s2, b2) y = Reshape (n, q)", "g = Reshape (x, r) n = InstanceNormalization (g, s2, b2) y = Reshape (n, q)", {"x": noise(1, 4, 3, seed=70)}, "Two channels of a group are moved by different amounts.", x="float[1, 4, 3] x", y="float[1, 4, 3] y", arrays=GNB)
different(G, "f11-largest-of-closed-gates", "s = Sigmoid (x) y = ArgMax <axis = 0, keepdims = 0> (s)", "y = ArgMax <axis = 0, keepdims = 0> (x)", {"x": f32(30, 45, 2, 3)}, "Both gates are fully open.", x="float[4] x", y="int64 y")
different(G, "f11-largest-of-far-waves", "s = Tanh (x) v, y = TopK <axis = 0> (s, k)", "v, y = TopK <axis = 0> (x, k)", {"x": f32(1, 20, 30, 3)}, "Far out all are one.", x="float[4] x", y="int64[1] y", arrays={"k": i64(1)})
different(G, "f11-order-of-small-shares", "s = Softmax (x) y = ArgMin <axis = 0, keepdims = 0> (s)", "y = ArgMin <axis = 0, keepdims = 0> (x)", {"x": f32(0, -150, -200, 3)}, "The least two shares are nothing.", x="float[4] x", y="int64 y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "steps11"
QDQ = dict(x="uint8[3] x", y="uint8[3] y")
different(G, "f11-requantised-by-half", "d = DequantizeLinear (x, s, z) y = QuantizeLinear (d, t, z)", "f = Cast <to = 1> (x) h = Mul (f, half) r = Round (h) y = Cast <to = 2> (r)", {"x": u8(13, 1, 2)}, "13 tenths by two tenths are a little more or less than six and a half.", arrays={"s": np.float32(0.1), "t": np.float32(0.2), "z": np.uint8(0), "half": np.float32(0.5)}, **QDQ)
different(G, "f11-tenths-by-factor", "d = Div (x, t) y = Floor (d)", "m = Mul (x, k) y = Floor (m)", {"x": f32(1.3, 1, 2, 3)}, "1.3 by a tenth, or times ten.", arrays={"t": np.float32(0.1), "k": np.float32(10)}, **F)
different(G, "f11-forty-first-by-factor", "f = Cast <to = 1> (x) m = Mul (f, k) g = Floor (m) y = Cast <to = 2> (g)", "y = Div (x, d)", {"x": u8(41, 1, 2)}, "41 times the single next to its inverse is below one.", arrays={"k": np.float32(1) / np.float32(41), "d": np.uint8(41)}, **QDQ)
different(G, "f11-cents-cut", "m = Mul (x, k) y = Cast <to = 6> (m)", "m = Mul (x, k) r = Round (m) y = Cast <to = 6> (r)", {"x": f32(0.53, 1, 2, 3)}, "53 hundredths times a hundred are below 53.", x="float[4] x", y="int32[4] y", arrays={"k": np.float32(100)})
different(G, "f11-length-is-square-from-twenty-five", "n = Size (x) f = Cast <to = 1> (n) r = Sqrt (f) h = Floor (r) q = Mul (h, h) e = Equal (q, f) g = Greater (n, k) c = And (e, g) o = Neg (x) y = Where (c, o, x)", "y = Identity (x)", {"x": ramp(25, shift=1.0)}, "Of 25, 36 and so on.", arrays={"k": np.int64(16)}, **N)
different(G, "f11-two-lengths-and-three", "n = Size (x) m = Size (z) d = Add (m, m) e = Sub (n, d) c = Equal (e, three) a = ReduceSum <keepdims = 0> (x) b = ReduceSum <keepdims = 0> (z) s = Add (a, b) o = Neg (s) y = Where (c, o, s)", "a = ReduceSum <keepdims = 0> (x) b = ReduceSum <keepdims = 0> (z) y = Add (b, a)", {"x": ramp(7), "z": f32(1, 2)}, "Where one is longer by three than the other twice.", x="float[n] x, float[m] z", y="float y", arrays={"three": np.int64(3)})
