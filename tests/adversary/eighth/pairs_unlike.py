"""Pairs that differ: attention, normalisation, magic numbers, rare inputs, sizes, samples, windows, indices, steps, defaults."""
import numpy as np

from pair_models import different, f32, i32, i64, noise, ramp, u8

INF = 2 ** 31 - 1
I32 = dict(x="int32[3] x", y="int32[3] y")
F = dict(x="float[4] x", y="float[4] y")
SQ = dict(x="float[n, n] x", y="float[n, n] y")


# ---------------------------------------------------------------------------------------------------------------------------
G = "attention8"
WQ, WK, WV = noise(4, 4, seed=1), noise(4, 4, seed=2), noise(4, 4, seed=3)
PROJ = "q = MatMul (x, wq) k = MatMul (x, wk) v = MatMul (x, wv) "
PLACES = "sh = Shape (x) nn = Gather (sh, i0) r = Range (i0, nn, i1) ra = Unsqueeze (r, ax1) rb = Unsqueeze (r, ax0) d = Sub (ra, rb) "
HEAD = PROJ + "kt = Transpose (k) s0 = MatMul (q, kt) s1 = Mul (s0, sc) " + PLACES
TAIL = " s2 = Where (ok, s1, ninf) p = Softmax <axis = -1> (s2) y = MatMul (p, v)"
AT = {"wq": WQ, "wk": WK, "wv": WV, "sc": np.float32(0.5), "i0": np.int64(0), "i1": np.int64(1), "ax0": i64(0), "ax1": i64(1), "ninf": np.float32(-np.inf)}
SEQ = dict(x="float[n, 4] x", y="float[n, 4] y")
CAUSAL = "ok = GreaterOrEqual (d, i0)"
different(G, "f8-window-of-six", HEAD + CAUSAL + TAIL, HEAD + "o1 = GreaterOrEqual (d, i0) o2 = Less (d, w6) ok = And (o1, o2)" + TAIL, {"x": noise(9, 4, seed=4)}, "The seventh before is seen only where there are seven.", arrays=AT | {"w6": np.int64(6)}, **SEQ)
different(G, "f8-causal-shifted", HEAD + CAUSAL + TAIL, HEAD + "ok = GreaterOrEqual (d, m1)" + TAIL, {"x": noise(3, 4, seed=4)}, "The next one is seen.", arrays=AT | {"m1": np.int64(-1)}, **SEQ)
different(G, "f8-first-is-sink", HEAD + "o1 = GreaterOrEqual (d, i0) o2 = Less (d, w4) ok = And (o1, o2)" + TAIL, HEAD + "o1 = GreaterOrEqual (d, i0) o2 = Less (d, w4) o3 = Less (rb, i1) o4 = Or (o2, o3) ok = And (o1, o4)" + TAIL, {"x": noise(6, 4, seed=4)}, "The first is kept beyond the window of four.", arrays=AT | {"w4": np.int64(4)}, **SEQ)
MASKED = "s = MatMul (x, w) mm = Unsqueeze (m, ax0) t = Where (mm, s, {}) y = Softmax <axis = -1> (t)"
different(G, "f8-masked-altogether", MASKED.format("far"), MASKED.format("ninf"), {"x": noise(2, 3, seed=4), "m": np.zeros(3, bool)}, "Where all is masked, all the same or no number.", x="float[2, 3] x, bool[3] m", y="float[2, 3] y", arrays={"w": noise(3, 3, seed=5), "ax0": i64(0), "far": np.float32(-1e30), "ninf": np.float32(-np.inf)})
different(G, "f8-mask-of-queries", "mm = Unsqueeze (m, a) t = Where (mm, x, f) y = Softmax <axis = -1> (t)", "mm = Unsqueeze (m, b) t = Where (mm, x, f) y = Softmax <axis = -1> (t)", {"x": noise(3, 3, seed=4), "m": np.array([True, True, False])}, "As many queries as keys.", x="float[n, n] x, bool[n] m", y="float[n, n] y", arrays={"a": i64(0), "b": i64(1), "f": np.float32(-1e9)})
different(G, "f8-heads-shared", "a = Unsqueeze (k, ax) b = Expand (a, e) c = Reshape (b, s) y = MatMul (x, c)", "c = Tile (k, t) y = MatMul (x, c)", {"x": noise(4, 2, 3, seed=4), "k": noise(2, 3, 2, seed=5)}, "0 0 1 1 or 0 1 0 1.", x="float[4, 2, 3] x, float[2, 3, 2] k", y="float[4, 2, 2] y", arrays={"ax": i64(1), "e": i64(2, 2, 3, 2), "s": i64(4, 3, 2), "t": i64(2, 1, 1)})
COS, SIN = np.cos(np.outer(np.arange(3), [1, 0.1])).astype(np.float32), np.sin(np.outer(np.arange(3), [1, 0.1])).astype(np.float32)
HALVES = "a, b = Split <axis = 1, num_outputs = 2> (x) n = Neg (b) r = Concat <axis = 1> (n, a) "
PAIRED = "x3 = Reshape (x, s3) a, b = Split <axis = 2, num_outputs = 2> (x3) n = Neg (b) r3 = Concat <axis = 2> (n, a) r = Reshape (r3, s2) "
TURN = "p = Mul (x, c) q = Mul (r, s) y = Add (p, q)"
different(G, "f8-turned-by-halves-or-pairs", {"body": HALVES + TURN, "arrays": {"c": np.tile(COS, 2), "s": np.tile(SIN, 2)}}, {"body": PAIRED + TURN, "arrays": {"c": np.repeat(COS, 2, 1), "s": np.repeat(SIN, 2, 1), "s3": i64(3, 2, 2), "s2": i64(3, 4)}}, {"x": noise(3, 4, seed=4)}, "Two layouts of the rotary embedding.", x="float[3, 4] x", y="float[3, 4] y")
ROT = "a{0}, b{0} = Split <axis = 1, num_outputs = 2> ({0}) n{0} = Neg (b{0}) r{0} = Concat <axis = 1> (n{0}, a{0}) p{0} = Mul ({0}, {1}) q{0} = Mul (r{0}, {2}) t{0} = Add (p{0}, q{0}) "
ANG = np.tile(np.outer(np.arange(4), [1, 0.1]), 2)
ROPE = {"c": np.cos(ANG[:3]).astype(np.float32), "s": np.sin(ANG[:3]).astype(np.float32), "c1": np.cos(ANG[1:]).astype(np.float32), "s1": np.sin(ANG[1:]).astype(np.float32)}
different(G, "f8-keys-one-place-on", ROT.format("x", "c", "s") + ROT.format("z", "c", "s") + "u = Transpose (tz) y = MatMul (tx, u)", ROT.format("x", "c", "s") + ROT.format("z", "c1", "s1") + "u = Transpose (tz) y = MatMul (tx, u)", {"x": noise(3, 4, seed=4), "z": noise(3, 4, seed=5)}, "Only the keys begin at 1.", x="float[3, 4] x, float[3, 4] z", y="float[3, 3] y", arrays=ROPE)
CACHE = "kk = Concat <axis = 0> ({}) vv = Concat <axis = 0> ({}) kt = Transpose (kk) s = MatMul (x, kt) p = Softmax <axis = -1> (s) y = MatMul (p, vv)"
KV = dict(x="float[1, 4] x, float[n, 4] k0, float[n, 4] v0, float[1, 4] k, float[1, 4] v", y="float[1, 4] y")
different(G, "f8-cache-out-of-step", CACHE.format("k0, k", "v0, v"), CACHE.format("k, k0", "v0, v"), {"x": noise(1, 4, seed=4), "k0": noise(2, 4, seed=5), "v0": noise(2, 4, seed=6), "k": noise(1, 4, seed=7), "v": noise(1, 4, seed=8)}, "The new key before, the new value behind.", **KV)
different(G, "f8-penalty-of-negative", "d = Div (x, p) m = Mul (x, p) c = Less (x, z) y = Where (c, m, d)", "y = Div (x, p)", {"x": f32(-1, 1, 2, 3)}, "A penalty makes negative logits larger.", arrays={"p": np.float32(1.3), "z": np.float32(0)}, **F)
NUC = "s, i = TopK (x, k) p = Softmax <axis = 0> (s) c = CumSum {} (p, a0) o = {} (c, t) y = Where (o, p, z)"
different(G, "f8-nucleus-with-its-edge", NUC.format("<exclusive = 1>", "Less"), NUC.format("", "Less"), {"x": f32(2, 1, 0, -1)}, "The one that crosses the border stays.", arrays={"k": i64(4), "a0": np.int64(0), "t": np.float32(0.8), "z": np.float32(0)}, **F)
different(G, "f8-renormalised-experts", "p = Softmax <axis = 0> (x) y, i = TopK (p, k)", "v, i = TopK (x, k) y = Softmax <axis = 0> (v)", {"x": f32(2, 1, 0, -1)}, "Two of four do not sum to 1.", x="float[4] x", y="float[2] y", arrays={"k": i64(2)})
ONLINE = "a, b = Split <axis = 0, num_outputs = 2> (x) ma = ReduceMax (a) mb = ReduceMax (b) {} sa = Sub (a, {}) sb = Sub (b, m) ea = Exp (sa) eb = Exp (sb) e = Concat <axis = 0> (ea, eb) t = ReduceSum (e) y = Div (e, t)"
different(G, "f8-second-block-larger", ONLINE.format("m = Max (ma, mb)", "m"), ONLINE.format("m = Max (ma, mb)", "ma"), {"x": f32(1, 0, 2, -1)}, "The first block keeps its own maximum.", **F)
different(G, "f8-softened-cap", "a = Div (x, c) t = Tanh (a) y = Mul (t, c)", "y = Clip (x, l, c)", {"x": f32(40, 1, 2, 3)}, "Softly or hard at 50.", arrays={"c": np.float32(50), "l": np.float32(-50)}, **F)
MEANPOOL = "f = Cast <to = 1> (m) u = Unsqueeze (f, ax) w = Mul (x, u) s = ReduceSum <keepdims = 0> (w, a0) n = ReduceSum <keepdims = 0> (f, a0) d = Max (n, {}) y = Div (s, d)"
different(G, "f8-mean-of-none", MEANPOOL.format("one"), MEANPOOL.format("zero"), {"x": noise(3, 2, seed=4), "m": np.zeros(3, bool)}, "Of none it is zero or no number.", x="float[3, 2] x, bool[3] m", y="float[2] y", arrays={"ax": i64(1), "a0": i64(0), "one": np.float32(1), "zero": np.float32(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "norms8"
VAR = "m = ReduceMean <keepdims = 1> (x, k) c = Sub (x, m) q = Mul (c, c) v = ReduceMean <keepdims = 1> (q, k) "
ROWS = dict(x="float[2, 4] x", y="float[2, 4] y")
NK = {"k": i64(1), "e": np.float32(1e-3)}
TINY = f32(1e-3, 2e-3, 3e-3, 5e-3, 1, 2, 3, 4, shape=(2, 4))
different(G, "f8-epsilon-behind-root", VAR + "w = Add (v, e) d = Sqrt (w) y = Div (c, d)", VAR + "d0 = Sqrt (v) d = Add (d0, e) y = Div (c, d)", {"x": TINY}, "Before the root or behind it.", arrays=NK, **ROWS)
different(G, "f8-epsilon-as-floor", VAR + "w = Add (v, e) d = Sqrt (w) y = Div (c, d)", VAR + "w = Max (v, e) d = Sqrt (w) y = Div (c, d)", {"x": f32(0.01, 0.05, 0.09, 0.03, 1, 2, 3, 4, shape=(2, 4))}, "Added, or the least.", arrays=NK, **ROWS)
RANGE = "h = ReduceMax (x) l = ReduceMin (x) r = Sub (h, l) c = Sub (x, l) "
different(G, "f8-constant-stretched", RANGE + "y = Div (c, r)", RANGE + "o = Equal (r, z) d = Where (o, one, r) y = Div (c, d)", {"x": f32(2, 2, 2, 2)}, "Only where all are equal it is 0 / 0.", arrays={"z": np.float32(0), "one": np.float32(1)}, **F)
different(G, "f8-norm-from-first-axis", "y = LayerNormalization <axis = 1> (x, s3)", "y = LayerNormalization <axis = 2> (x, s1)", {"x": noise(1, 2, 3, seed=4)}, "Each row by itself or both together.", x="float[1, 2, 3] x", y="float[1, 2, 3] y", arrays={"s3": np.ones((2, 3), np.float32), "s1": np.ones(3, np.float32)})
BN = {"g": f32(2, 0.5), "b": f32(0.25, -1), "mu": f32(0.5, -0.5), "va": f32(4, 1)}
W2 = noise(3, 2, 3, seed=6)
SC = BN["g"] / np.sqrt(BN["va"] + 1e-5)
SHIFT = BN["b"] - BN["mu"] * SC
FOLDED = {"w2": (W2 * SC[None, :, None]).astype(np.float32), "b2": np.einsum("oik,i->o", W2, SHIFT).astype(np.float32)}
different(G, "f8-norm-folded-before-border", "a = BatchNormalization (x, g, b, mu, va) y = Conv <pads = [1, 1]> (a, w)", "y = Conv <pads = [1, 1]> (x, w2, b2)", {"x": noise(1, 2, 5, seed=7)}, "At the border the shift is not there.", x="float[1, 2, 5] x", y="float[1, 3, 5] y", arrays=BN | FOLDED | {"w": W2})
different(G, "f8-small-variance-of-batch", "y = BatchNormalization (x, g, b, mu, va)", "y = BatchNormalization <epsilon = 0.001> (x, g, b, mu, va)", {"x": noise(1, 2, 3, seed=7)}, "Beside a variance of 0.01 it counts.", x="float[1, 2, 3] x", y="float[1, 2, 3] y", arrays=BN | {"va": f32(0.01, 1)})
different(G, "f8-even-neighbours", "y = LRN <size = 2, alpha = 1.0, beta = 0.5, bias = 1.0> (x)", "q = Mul (x, x) p = Pad (q, pd) h = Slice (p, b, e, c) s = Add (q, h) t = Mul (s, half) u = Add (t, one) r = Sqrt (u) y = Div (x, r)", {"x": noise(1, 3, 1, 2, seed=4)}, "The one behind or the one before.", x="float[1, 3, 1, 2] x", y="float[1, 3, 1, 2] y", arrays={"pd": i64(0, 1, 0, 0, 0, 0, 0, 0), "b": i64(0), "e": i64(3), "c": i64(1), "half": np.float32(0.5), "one": np.float32(1)}, reference=True)
different(G, "f8-mean-over-batch-too", "y = MeanVarianceNormalization (x)", "y = MeanVarianceNormalization <axes = [2, 3]> (x)", {"x": noise(2, 1, 2, 2, seed=4)}, "Over the batch too, unless it is said.", x="float[n, 1, 2, 2] x", y="float[n, 1, 2, 2] y")
different(G, "f8-cosine-held", "p = Mul (x, z) d = ReduceSum <keepdims = 0> (p) a = ReduceL2 <keepdims = 0> (x) b = ReduceL2 <keepdims = 0> (z) n = Mul (a, b) m = Max (n, e) y = Div (d, m)", "p = Mul (x, z) d = ReduceSum <keepdims = 0> (p) a = ReduceL2 <keepdims = 0> (x) b = ReduceL2 <keepdims = 0> (z) a1 = Max (a, e) b1 = Max (b, e) m = Mul (a1, b1) y = Div (d, m)", {"x": f32(1e-3, 0, 0, 0), "z": f32(1, 1, 2, 3)}, "The product or each factor is held above 0.01.", x="float[4] x, float[4] z", y="float y", arrays={"e": np.float32(0.01)})
different(G, "f8-merged-without-shift", "m = ReduceMean <keepdims = 0> (x) c = Sub (x, m) q = Mul (c, c) y = ReduceMean <keepdims = 0> (q)", "a, b = Split <axis = 0, num_outputs = 2> (x) ma = ReduceMean (a) mb = ReduceMean (b) ca = Sub (a, ma) cb = Sub (b, mb) c = Concat <axis = 0> (ca, cb) q = Mul (c, c) y = ReduceMean <keepdims = 0> (q)", {"x": f32(1, 2, 5, 7)}, "Between the means there is a difference too.", x="float[4] x", y="float y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "magic8"
U16 = dict(x="uint16[3] x", y="int32[3] y")
different(G, "f8-seventh-by-shift", "a = Cast <to = 13> (x) b = Div (a, d) y = Cast <to = 6> (b)", "a = Cast <to = 13> (x) m = Mul (a, k) b = BitShift <direction = \"RIGHT\"> (m, s) y = Cast <to = 6> (b)", {"x": np.array([43693, 5, 700], np.uint16)}, "18725 / 2^17 is a little more; from 43693 on it is seen.", arrays={"d": np.uint64(7), "k": np.uint64(18725), "s": np.uint64(17)}, **U16)
different(G, "f8-tenth-of-byte", "a = Cast <to = 6> (x) y = Div (a, d)", "a = Cast <to = 6> (x) m = Mul (a, k) y = Div (m, s)", {"x": u8(179, 5, 70)}, "103 / 1024: at 179, 189 and so on.", x="uint8[3] x", y="int32[3] y", arrays={"d": np.int32(10), "k": np.int32(103), "s": np.int32(1024)})
BLEND = "a = Cast <to = 6> (x) b = Cast <to = 6> (z) p = Mul (a, b) "
UU = dict(x="uint8[3] x, uint8[3] z", y="int32[3] y")
MG = {"h": np.int32(128), "f": np.int32(256), "n": np.int32(127), "d": np.int32(255)}
different(G, "f8-blend-by-shift", BLEND + "q = Add (p, n) y = Div (q, d)", BLEND + "q = Add (p, h) y = Div (q, f)", {"x": u8(255, 5, 9), "z": u8(255, 3, 2)}, "255 is not 256.", arrays=MG, **UU)
different(G, "f8-blocks-of-none", "a = Add (x, t) y = Div (a, f)", "a = Sub (x, o) b = Div (a, f) y = Add (b, o)", {"x": i32(0, 5, 9)}, "Blocks of four: of 0 there is one or none.", arrays={"t": np.int32(3), "f": np.int32(4), "o": np.int32(1)}, **I32)
different(G, "f8-aligned-below-zero", "a = Add (x, s) b = Div (a, e) y = Mul (b, e)", "a = Add (x, s) y = BitwiseAnd (a, m)", {"x": i32(-9, 5, 9)}, "Below -7 towards zero or down.", arrays={"s": np.int32(7), "e": np.int32(8), "m": np.int32(-8)}, **I32)
YEAR = "a = Mod (x, four) b = Equal (a, zero) c = Mod (x, cent) d = Equal (c, zero) e = Not (d) "
YA = {"four": np.int32(4), "cent": np.int32(100), "zero": np.int32(0), "fh": np.int32(400)}
different(G, "f8-year-2000", YEAR + "f = Mod (x, fh) g = Equal (f, zero) h = And (b, e) y = Or (h, g)", YEAR + "y = And (b, e)", {"x": i32(2000, 1999, 1900)}, "Every 400 years.", x="int32[3] x", y="bool[3] y", arrays=YA)
different(G, "f8-least-number-remainder", "a = Abs (x) y = Mod <fmod = 0> (a, k)", "a = Abs (x) y = Mod <fmod = 1> (a, k)", {"x": i32(-2 ** 31, -7, 7)}, "Only the least number stays negative.", arrays={"k": np.int32(5)}, **I32)
different(G, "f8-least-number-is-smallest", "v, i = TopK <largest = 0, axis = 0> (x, k) y = Identity (v)", "n = Neg (x) v, i = TopK <largest = 1, axis = 0> (n, k) y = Neg (v)", {"x": np.array([-2 ** 63, 5, 7], np.int64)}, "It is its own opposite.", x="int64[3] x", y="int64[2] y", arrays={"k": i64(2)})
different(G, "f8-least-of-opposites", "y = ArgMin <keepdims = 0, axis = 0> (x)", "n = Neg (x) y = ArgMax <keepdims = 0, axis = 0> (n)", {"x": i32(5, -2 ** 31, 7)}, "It is its own opposite.", x="int32[3] x", y="int64 y")
different(G, "f8-held-in-byte", "s = Add (x, z) c = Less (s, x) y = Where (c, m, s)", "s = Add (x, z) c = LessOrEqual (s, x) y = Where (c, m, s)", {"x": u8(9, 200, 7), "z": u8(0, 100, 5)}, "Where nothing is added it is taken for a carry.", x="uint8[3] x, uint8[3] z", y="uint8[3] y", arrays={"m": np.uint8(255)})
different(G, "f8-added-then-clipped", "a = Cast <to = 6> (x) b = Cast <to = 6> (z) s = Add (a, b) c = Clip (s, lo, hi) y = Cast <to = 3> (c)", "y = Add (x, z)", {"x": np.array([100, 1], np.int8), "z": np.array([100, 1], np.int8)}, "Held, or wrapped.", x="int8[2] x, int8[2] z", y="int8[2] y", arrays={"lo": np.int32(-128), "hi": np.int32(127)})
BIT = "b{0} = BitwiseAnd (x, c{0}) e{0} = Equal (b{0}, c{0}) s{0} = Mul (z, c{0}) t{0} = Where (e{0}, s{0}, c) "
SEVEN = "".join(BIT.format(2 ** i) for i in range(7)) + "a1 = Add (t1, t2) a2 = Add (a1, t4) a3 = Add (a2, t8) a4 = Add (a3, t16) a5 = Add (a4, t32) y = Add (a5, t64)"
different(G, "f8-product-of-seven-bits", "m = BitwiseAnd (x, low) y = Mul (m, z)", SEVEN, {"x": i32(128, 3, 5), "z": i32(1, 2, 3)}, "The eighth bit is forgotten.", x="int32[3] x, int32[3] z", y="int32[3] y", arrays={"low": np.int32(255), "c": np.int32(0)} | {f"c{2 ** i}": np.int32(2 ** i) for i in range(7)})
POP = np.array([bin(i).count("1") for i in range(256)], np.int32)
POP2 = POP.copy()
POP2[0xDB] -= 1
SWAR = "a = Cast <to = 6> (x) h = Div (a, two) h1 = BitwiseAnd (h, m5) b = Sub (a, h1) c = BitwiseAnd (b, m3) d = Div (b, four) e = BitwiseAnd (d, m3) f = Add (c, e) g = Div (f, sixteen) i = Add (f, g) y = BitwiseAnd (i, mf)"
SW = {"two": np.int32(2), "four": np.int32(4), "sixteen": np.int32(16), "m5": np.int32(0x55), "m3": np.int32(0x33), "mf": np.int32(0xF)}
different(G, "f8-ones-of-one-byte", SWAR, "i = Cast <to = 7> (x) y = Gather (t, i)", {"x": u8(0xDB, 3, 5)}, "One entry of the table counts one less.", x="uint8[3] x", y="int32[3] y", arrays=SW | {"t": POP2})
different(G, "f8-root-in-single", "a = Cast <to = 11> (x) b = Sqrt (a) c = Floor (b) y = Cast <to = 6> (c)", "a = Cast <to = 1> (x) b = Sqrt (a) c = Floor (b) y = Cast <to = 6> (c)", {"x": i32(4097 ** 2 - 1, 4, 9)}, "Just below a square the single rounds up.", **I32)
different(G, "f8-far-index-in-double", "a = Cast <to = 11> (x) y = Cast <to = 7> (a)", "y = Identity (x)", {"x": i64(2 ** 53 + 1, 1)}, "2^53 + 1 is no double.", x="int64[2] x", y="int64[2] y")
GREY = "a = Cast <to = 6> (x) m = MatMul (a, w) {} y = Div (s, f)"
different(G, "f8-grey-rounded", GREY.format("s = Identity (m)"), GREY.format("s = Add (m, h)"), {"x": u8(4, 2, 3).reshape(1, 3)}, "Down or to the nearest.", x="uint8[1, 3] x", y="int32[1] y", arrays={"w": i32(77, 150, 29), "f": np.int32(256), "h": np.int32(128)})
SORT = "a0 = Gather (x, k0) a1 = Gather (x, k1) a2 = Gather (x, k2) a3 = Gather (x, k3) b0 = Min (a0, a1) b1 = Max (a0, a1) b2 = Min (a2, a3) b3 = Max (a2, a3) c0 = Min (b0, b2) c2 = Max (b0, b2) c1 = Min (b1, b3) c3 = Max (b1, b3) "
SORTK = {f"k{i}": i64(i) for i in range(4)}
different(G, "f8-one-comparison-short", SORT + "d1 = Min (c1, c2) d2 = Max (c1, c2) y = Concat <axis = 0> (c0, d1, d2, c3)", SORT + "y = Concat <axis = 0> (c0, c2, c1, c3)", {"x": i64(1, 2, 3, 4)}, "Of four, two orders in three are right without the last one.", x="int64[4] x", y="int64[4] y", arrays=SORTK)
different(G, "f8-middle-of-three", "a = Min (x, z) b = Max (x, z) c = Min (b, w) y = Max (a, c)", "b = Max (x, z) y = Min (b, w)", {"x": f32(3, 1, 2, 3), "z": f32(4, 1, 2, 3), "w": f32(1, 1, 2, 3)}, "Where the third is below both.", x="float[4] x, float[4] z, float[4] w", y="float[4] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "rare8"
Z = {"z": np.float32(0)}
different(G, "f8-whole-and-large", "f = Floor (x) c = Equal (f, x) a = Abs (x) d = Greater (a, k) e = And (c, d) y = Where (e, z, x)", "y = Identity (x)", {"x": f32(6, 1, 2.5, 3)}, "Whole numbers above 5.", arrays=Z | {"k": np.float32(5)}, **F)
different(G, "f8-same-read-backwards", "r = Slice (x, b, e, a, t) c = Equal (x, r) i = Cast <to = 6> (c) m = ReduceMin <keepdims = 0> (i) o = Cast <to = 9> (m) n = Neg (x) y = Where (o, n, x)", "y = Identity (x)", {"x": f32(1, 2, 2, 1)}, "Where it is a palindrome.", arrays={"b": i64(-1), "e": i64(-INF), "a": i64(0), "t": i64(-1)}, **F)
different(G, "f8-eight-in-order", "a = Slice (x, b0, e0) b = Slice (x, b1, e1) c = Less (a, b) i = Cast <to = 6> (c) m = ReduceMin <keepdims = 0> (i) o = Cast <to = 9> (m) n = Neg (x) y = Where (o, n, x)", "y = Identity (x)", {"x": ramp(8)}, "Where they rise all the way.", x="float[8] x", y="float[8] y", arrays={"b0": i64(0), "e0": i64(7), "b1": i64(1), "e1": i64(8)})
different(G, "f8-symmetric-matrix", "t = Transpose (x) d = Sub (x, t) a = Abs (d) m = ReduceMax <keepdims = 0> (a) c = Greater (m, z) y = Where (c, x, t2)", "y = Identity (x)", {"x": f32(1, 2, 3, 2, 5, 6, 3, 6, 9, shape=(3, 3))}, "A symmetric one becomes zero.", x="float[3, 3] x", y="float[3, 3] y", arrays=Z | {"t2": np.zeros((3, 3), np.float32)})
different(G, "f8-threshold-itself", "y = ThresholdedRelu <alpha = 1.0> (x)", "c = GreaterOrEqual (x, k) y = Where (c, x, z)", {"x": f32(1, 0, 2, -1)}, "At 1 itself.", arrays=Z | {"k": np.float32(1)}, **F)
different(G, "f8-shrunk-at-edge", "y = Shrink <lambd = 0.5, bias = 0.0> (x)", "a = Abs (x) c = GreaterOrEqual (a, k) y = Where (c, x, z)", {"x": f32(-0.5, 0, 2, -1)}, "At a half itself.", arrays=Z | {"k": np.float32(0.5)}, **F)
BUCKET = "u = Unsqueeze (x, ax) c = {} (u, t) i = Cast <to = 7> (c) y = ReduceSum <keepdims = 0> (i, ax)"
different(G, "f8-bucket-of-border", BUCKET.format("Greater"), BUCKET.format("GreaterOrEqual"), {"x": f32(10, 0, 2, 31)}, "At 10, 20 and 30.", x="float[4] x", y="int64[4] y", arrays={"ax": i64(1), "t": f32(10, 20, 30)})
different(G, "f8-least-above-largest", "a = Max (x, l) y = Min (a, h)", "a = Min (x, h) y = Max (a, l)", {"x": f32(1, 0, 2, 3), "l": np.float32(2), "h": np.float32(1)}, "Only where the least is above the largest.", x="float[4] x, float l, float h", y="float[4] y")
different(G, "f8-steep-slope", "y = PRelu (x, s)", "m = Mul (x, s) y = Max (x, m)", {"x": f32(1, -1, 2, 3), "s": f32(1.5, 1.5, 0.5, 0.5)}, "Only slopes up to 1 are the larger one.", x="float[4] x, float[4] s", y="float[4] y")
different(G, "f8-fraction-as-truth", "y = Cast <to = 9> (x)", "a = Cast <to = 6> (x) y = Cast <to = 9> (a)", {"x": f32(0.5, 1, 0, 2)}, "Between -1 and 1 there is something too.", x="float[4] x", y="bool[4] y")
different(G, "f8-not-number-is-not-less", "c = Less (x, z) y = Not (c)", "y = GreaterOrEqual (x, z)", {"x": f32(np.nan, 1, 0, 2)}, "Only what is no number.", x="float[4] x", y="bool[4] y", arrays=Z)
different(G, "f8-ignored-class", "y = SoftmaxCrossEntropyLoss <ignore_index = 2, reduction = \"sum\"> (x, t)", "y = SoftmaxCrossEntropyLoss <reduction = \"sum\"> (x, t)", {"x": noise(2, 3, seed=4), "t": i64(2, 0)}, "Only where the label is 2.", x="float[2, 3] x, int64[2] t", y="float y")
different(G, "f8-mean-of-weighted", "y = NegativeLogLikelihoodLoss <reduction = \"mean\"> (x, t, w)", "a = NegativeLogLikelihoodLoss <reduction = \"none\"> (x, t, w) y = ReduceMean <keepdims = 0> (a)", {"x": noise(2, 3, seed=4), "t": i64(2, 0)}, "Where the weights do not sum to the number.", x="float[2, 3] x, int64[2] t", y="float y", arrays={"w": f32(1, 1, 3)})
different(G, "f8-both-largest-at-once", "i = ArgMax <keepdims = 0, axis = 0> (x) j = ArgMax <keepdims = 0, axis = 0> (w) c = Equal (i, j) d = Equal (i, k) e = And (c, d) y = Where (e, w, x)", "y = Identity (x)", {"x": f32(1, 0, 2, 5), "w": f32(0, 0, 2, 3)}, "Both are largest at the last place.", x="float[4] x, float[4] w", y="float[4] y", arrays={"k": np.int64(3)})
different(G, "f8-sum-leaves-none", "s = ReduceSum <keepdims = 0> (x) m = Mod (s, p) c = Equal (m, o) n = Neg (x) y = Where (c, n, x)", "y = Identity (x)", {"x": i64(50, 40, 6, 1)}, "One sum in 97.", x="int64[4] x", y="int64[4] y", arrays={"p": np.int64(97), "o": np.int64(0)})
different(G, "f8-singular", "d = Det (x) c = Equal (d, z) y = Where (c, i, x)", "y = Identity (x)", {"x": f32(1, 2, 2, 4, shape=(2, 2))}, "Where the rows are multiples.", x="float[2, 2] x", y="float[2, 2] y", arrays=Z | {"i": np.eye(2, dtype=np.float32)})
TREE = "y = ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, nodes_falsenodeids = [2, 0, 0], nodes_featureids = [0, 0, 0], nodes_modes = [\"{}\", \"LEAF\", \"LEAF\"], nodes_nodeids = [0, 1, 2], nodes_treeids = [0, 0, 0], nodes_truenodeids = [1, 0, 0], nodes_values = [0.5, 0.0, 0.0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [3.0, 7.0]> (x)"
different(G, "f8-tree-at-border", TREE.format("BRANCH_LEQ"), TREE.format("BRANCH_LT"), {"x": f32(0.5, 1, shape=(1, 2))}, "At a half itself.", x="float[1, 2] x", y="float[1, 1] y", domains={"ai.onnx.ml": 3})
different(G, "f8-far-angle", "a = Div (z, x) y = Atan (a)", "a = Div (z, x) b = Atan (a) c = Less (x, o) d = Greater (z, k) e = And (c, d) f = Add (b, pi) y = Where (e, f, b)", {"x": f32(-1, 1, 2, 3), "z": f32(11, 1, 2, 3)}, "On the left and above 10 it is half a turn on.", x="float[4] x, float[4] z", y="float[4] y", arrays={"o": np.float32(0), "k": np.float32(10), "pi": np.float32(np.pi)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "lengths8"
V1 = dict(x="float[1, 1, n] x", y="float[1, 1, m] y")
different(G, "f8-stride-at-even", "y = MaxPool <kernel_shape = [3], strides = [2], auto_pad = \"SAME_UPPER\"> (x)", "y = MaxPool <kernel_shape = [3], strides = [2], auto_pad = \"SAME_LOWER\"> (x)", {"x": f32(1, 2, 9, 3, shape=(1, 1, 4))}, "Of an odd number the border is even.", **V1)
different(G, "f8-stride-as-one-and-one", "y = AveragePool <kernel_shape = [3], strides = [2], auto_pad = \"SAME_UPPER\"> (x)", "y = AveragePool <kernel_shape = [3], strides = [2], pads = [1, 1]> (x)", {"x": f32(1, 5, 2, 7, shape=(1, 1, 4))}, "Of an odd number it is one and one.", **V1)
different(G, "f8-last-odd-one", "y = MaxPool <kernel_shape = [2], strides = [2]> (x)", "y = MaxPool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x)", {"x": f32(1, 5, 2, shape=(1, 1, 3))}, "The last one of an odd number.", **V1)
different(G, "f8-half-of-two-or-three", "y = Resize <coordinate_transformation_mode = \"half_pixel\", mode = \"linear\"> (x, , s)", "y = Resize <coordinate_transformation_mode = \"pytorch_half_pixel\", mode = \"linear\"> (x, , s)", {"x": f32(1, 5, 2, shape=(1, 1, 3))}, "Where one is left.", arrays={"s": f32(1, 1, 0.5)}, **V1)
different(G, "f8-mirrored-or-turned", {"body": "y = Pad <mode = \"reflect\"> (x, p)", "opset": 19}, {"body": "y = Pad <mode = \"wrap\"> (x, p)", "opset": 19}, {"x": f32(1, 5, 2)}, "Of two numbers it is the same.", x="float[n] x", y="float[m] y", arrays={"p": i64(1, 1)})
different(G, "f8-all-but-none", "n = Neg (k) y = Slice (x, b, n)", "s = Shape (x) e = Sub (s, k) y = Slice (x, b, e)", {"x": f32(1, 5, 2), "k": i64(0)}, "All but the last 0: -0 is the beginning.", x="float[n] x, int64[1] k", y="float[m] y", arrays={"b": i64(0)})
different(G, "f8-thirds-of-seven", "a, b, c = Split <num_outputs = 3> (x) y = Concat <axis = 0> (c, b, a)", "s = Shape (x) t = Div (s, three) t2 = Add (t, t) c = Slice (x, t2, e) b = Slice (x, t, t2) a = Slice (x, o, t) y = Concat <axis = 0> (c, b, a)", {"x": ramp(7)}, "3 3 1 or 2 2 3; multiples of three are the same.", x="float[n] x", y="float[n] y", arrays={"three": i64(3), "o": i64(0), "e": i64(INF)})
different(G, "f8-last-by-number", "y = Gather (x, a)", "y = Gather (x, b)", {"x": ramp(6)}, "The fifth is the last only of five.", x="float[n] x", y="float y", arrays={"a": np.int64(4), "b": np.int64(-1)})
SIZED = "s = Shape (x) n = Gather (s, o) m = Mod (n, k) c = Equal (m, o) y = If (c) <then_branch = g1 () => (float[n] p) { p = {} (x) }, else_branch = g2 () => (float[n] q) { q = Abs (x) }>"
different(G, "f8-multiples-of-sixteen", SIZED.replace("{} (x)", "Identity (x)"), SIZED.replace("{} (x)", "Abs (x)"), {"x": -ramp(16, shift=1)}, "At 16, 32 and so on another branch.", x="float[n] x", y="float[n] y", arrays={"o": np.int64(0), "k": np.int64(16)})
different(G, "f8-more-than-thirty-two", "y = Softmax <axis = -1> (x)", "s = Shape (x) n = Gather (s, o) c = Greater (n, k) d = Cast <to = 1> (c) e = Mul (d, t) f = Add (e, one) g = Mul (x, f) y = Softmax <axis = -1> (g)", {"x": noise(1, 40, seed=4)}, "Long rows are sharper.", x="float[1, n] x", y="float[1, n] y", arrays={"o": np.int64(1), "k": np.int64(32), "t": np.float32(0.5), "one": np.float32(1)})
different(G, "f8-bias-down-or-along", "y = Add (x, b)", "u = Unsqueeze (b, a) y = Add (x, u)", {"x": ramp(3, 3), "b": f32(1, 2, 4)}, "As many rows as columns.", x="float[n, n] x, float[n] b", y="float[n, n] y", arrays={"a": i64(1)})
different(G, "f8-lengths-all-full", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", "y = Slice (x, b, e, a, t)", {"x": ramp(2, 3), "l": i64(3, 2)}, "Where a row is shorter.", x="float[2, n] x, int64[2] l", y="float[2, n] y", arrays={"b": i64(-1), "e": i64(-INF), "a": i64(1), "t": i64(-1)})
different(G, "f8-batch-and-time", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", "y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, l)", {"x": ramp(3, 3), "l": i64(3, 2, 1)}, "As many steps as sequences.", x="float[n, n] x, int64[n] l", y="float[n, n] y")
different(G, "f8-window-full-turn", "y = HannWindow <periodic = 1> (n)", "y = HannWindow <periodic = 0> (n)", {"n": np.int64(8)}, "Over the size or one less.", x="int64 n", y="float[m] y")
different(G, "f8-nothing-to-sum-over", "y = ReduceSum <noop_with_empty_axes = 1, keepdims = 1> (x, a)", "y = ReduceSum <noop_with_empty_axes = 0, keepdims = 1> (x, a)", {"x": ramp(2, 3), "a": np.zeros(0, np.int64)}, "Only where no axis is named.", x="float[2, 3] x, int64[k] a", y="float[p, q] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "samples8"
different(G, "f8-every-third", "y = Resize <coordinate_transformation_mode = \"half_pixel\", mode = \"nearest\"> (x, , s)", "y = Resize <coordinate_transformation_mode = \"asymmetric\", mode = \"nearest\", nearest_mode = \"floor\"> (x, , s)", {"x": ramp(1, 1, 6)}, "The middle one or the first.", x="float[1, 1, 6] x", y="float[1, 1, 2] y", arrays={"s": f32(1, 1, 1 / 3)})
RL = "y = Resize <coordinate_transformation_mode = \"{}\", mode = \"linear\"{}> (x, , s)"
different(G, "f8-shrunk-with-filter", RL.format("half_pixel", ", antialias = 1"), RL.format("half_pixel", ""), {"x": noise(1, 1, 8, 8, seed=4)}, "Over a wider window.", x="float[1, 1, 8, 8] x", y="float[1, 1, 2, 2] y", arrays={"s": f32(1, 1, 0.25, 0.25)})
RC = "y = Resize <coordinate_transformation_mode = \"half_pixel\", mode = \"cubic\"{}> (x, , s)"
different(G, "f8-cubic-at-border", RC.format(", exclude_outside = 1"), RC.format(""), {"x": noise(1, 1, 6, 6, seed=4)}, "At the border only.", x="float[1, 1, 6, 6] x", y="float[1, 1, 12, 12] y", arrays={"s": f32(1, 1, 2, 2)})
GS = {"opset": 20, "ir": 9}
different(G, "f8-corners-of-grid", {"body": "y = GridSample <align_corners = 1> (x, g)"} | GS, {"body": "y = GridSample <align_corners = 0> (x, g)"} | GS, {"x": ramp(1, 1, 3, 3, shift=1), "g": f32(-1, -1, 0, 0, shape=(1, 1, 2, 2))}, "The middle is the same.", x="float[1, 1, 3, 3] x, float[1, 1, 2, 2] g", y="float[1, 1, 1, 2] y")
different(G, "f8-regions-half-a-pixel", {"body": "y = RoiAlign <output_height = 2, output_width = 2, sampling_ratio = 1> (x, r, b)", "opset": 10, "ir": 5}, {"body": "y = RoiAlign <output_height = 2, output_width = 2, sampling_ratio = 1> (x, r, b)", "opset": 16}, {"x": noise(1, 1, 6, 6, seed=4), "r": f32(1, 1, 4, 4, shape=(1, 4)), "b": i64(0)}, "A later version moves them by half a pixel.", x="float[1, 1, 6, 6] x, float[1, 4] r, int64[1] b", y="float[1, 1, 2, 2] y")
NMS = "y = NonMaxSuppression <center_point_box = {}> (b, s, k, t)"
different(G, "f8-boxes-by-centre", NMS.format(0), NMS.format(1), {"b": f32(1, 1, 2, 2, 2, 2, 3, 3, shape=(1, 2, 4)), "s": f32(0.9, 0.8, shape=(1, 1, 2))}, "Corners, or centre and size.", x="float[1, 2, 4] b, float[1, 1, 2] s", y="int64[m, 3] y", arrays={"k": i64(3), "t": f32(0.1)})
different(G, "f8-two-borders-crossed", "y = Conv <pads = [0, 1, 1, 0]> (x, w)", "y = Conv <pads = [1, 0, 0, 1]> (x, w)", {"x": ramp(1, 1, 3, 3, shift=1)}, "Left and below, or above and right.", x="float[1, 1, 3, 3] x", y="float[1, 1, 3, 3] y", arrays={"w": f32(1, 2, 3, 5, shape=(1, 1, 2, 2))})
different(G, "f8-border-of-zeros", "y = MaxPool <kernel_shape = [3], pads = [1, 1]> (x)", "p = Pad (x, pd) y = MaxPool <kernel_shape = [3]> (p)", {"x": f32(-1, -2, 3, 4, shape=(1, 1, 4))}, "Only where the ends are below zero.", x="float[1, 1, 4] x", y="float[1, 1, 4] y", arrays={"pd": i64(0, 0, 1, 0, 0, 1)})
different(G, "f8-averages-of-averages", "a = AveragePool <kernel_shape = [3], pads = [1, 1]> (x) y = AveragePool <kernel_shape = [3], pads = [1, 1]> (a)", "a = AveragePool <kernel_shape = [3], pads = [1, 1], count_include_pad = 1> (x) y = AveragePool <kernel_shape = [3], pads = [1, 1], count_include_pad = 1> (a)", {"x": f32(1, 2, 3, 4, 5, 6, shape=(1, 1, 6))}, "Near the ends.", x="float[1, 1, 6] x", y="float[1, 1, 6] y")
different(G, "f8-sizes-without-sign", "y = LpPool <kernel_shape = [2], p = 1> (x)", "a = AveragePool <kernel_shape = [2]> (x) y = Mul (a, t)", {"x": f32(-1, 2, 3, 4, shape=(1, 1, 4))}, "Only below zero.", x="float[1, 1, 4] x", y="float[1, 1, 3] y", arrays={"t": np.float32(2)})
WT = noise(2, 2, 3, seed=8)
different(G, "f8-in-and-out-exchanged", {"arrays": {"w": WT}}, {"arrays": {"w": WT.transpose(1, 0, 2).copy()}}, {"x": ramp(1, 2, 4)}, "As many channels in as out.", x="float[1, 2, 4] x", y="float[1, 2, 6] y", body="y = ConvTranspose (x, w)")
different(G, "f8-kernel-not-turned", {"arrays": {"w": f32(1, 2, 3, shape=(1, 1, 3))}, "body": "y = ConvTranspose <pads = [1, 1]> (x, w)"}, {"arrays": {"w": f32(1, 2, 3, shape=(1, 1, 3))}, "body": "y = Conv <pads = [1, 1]> (x, w)"}, {"x": ramp(1, 1, 4)}, "The other way round.", x="float[1, 1, 4] x", y="float[1, 1, 4] y")
different(G, "f8-shuffled-channels", "a = Reshape (x, s1) b = Transpose <perm = [0, 2, 1, 3]> (a) y = Reshape (b, o)", "a = Reshape (x, s2) b = Transpose <perm = [0, 2, 1, 3]> (a) y = Reshape (b, o)", {"x": ramp(1, 6, 2)}, "Two groups of three or three of two.", x="float[1, 6, 2] x", y="float[1, 6, 2] y", arrays={"s1": i64(1, 2, 3, 2), "s2": i64(1, 3, 2, 2), "o": i64(1, 6, 2)})
different(G, "f8-back-by-other-blocks", "a = SpaceToDepth <blocksize = 2> (x) y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (a)", "y = Identity (x)", {"x": ramp(1, 2, 2, 2)}, "Of more channels than one.", x="float[1, 2, 2, 2] x", y="float[1, 2, 2, 2] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "places8"
different(G, "f8-rows-of-batches", "y = GatherND <batch_dims = 1> (x, i)", "j = Concat <axis = 1> (i, r) y = GatherND (x, j)", {"x": ramp(2, 2, 3), "i": i64(1, 1, shape=(2, 1))}, "The batch before the index or behind it.", x="float[2, 2, 3] x, int64[2, 1] i", y="float[2, 3] y", arrays={"r": i64(0, 1, shape=(2, 1))})
different(G, "f8-largest-of-scattered", "y = ScatterElements <reduction = \"max\"> (x, i, u)", "y = ScatterElements (x, i, u)", {"x": f32(0, 9, 0), "i": i64(1, 2), "u": f32(5, 7)}, "Where what is there is larger.", x="float[3] x, int64[2] i, float[2] u", y="float[3] y")
different(G, "f8-twice-into-one-row", "y = ScatterND <reduction = \"add\"> (z, i, u)", "y = ScatterND (z, i, u)", {"i": i64(1, 1, shape=(2, 1)), "u": ramp(2, 2)}, "Where a row is met twice.", x="int64[2, 1] i, float[2, 2] u", y="float[3, 2] y", arrays={"z": np.zeros((3, 2), np.float32)})
different(G, "f8-sums-without-self", "y = CumSum <exclusive = 1, reverse = 1> (x, a)", "c = CumSum <exclusive = 1> (x, a) t = ReduceSum (x, k) y = Sub (t, c)", {"x": f32(1, 2, 3, 4)}, "Its own is in one of them.", arrays={"a": np.int64(0), "k": i64(0)}, **F)
different(G, "f8-sums-down-or-along", "y = CumSum (x, a)", "t = Transpose (x) y = CumSum (t, a)", {"x": f32(1, 2, 5, 4, shape=(2, 2))}, "As many rows as columns.", arrays={"a": np.int64(1)}, **SQ)
different(G, "f8-inverse-or-first", "a, b, y, d = Unique (x)", "a, y0, c, d = Unique (x) y = Gather (y0, c)", {"x": i64(5, 3, 5, 1)}, "Which unique one, or where it was first.", x="int64[n] x", y="int64[m] y")
different(G, "f8-bias-of-column", "y = Gemm (x, w, c)", "y = Gemm (x, w, d)", {"x": ramp(3, 2)}, "A row or a column of three.", x="float[3, 2] x", y="float[3, 3] y", arrays={"w": noise(2, 3, seed=4), "c": f32(1, 2, 3, shape=(1, 3)), "d": f32(1, 2, 3, shape=(3, 1))})
different(G, "f8-factor-of-bias", "y = Gemm <alpha = 0.5, beta = 0.5> (x, w, c)", "y = Gemm <alpha = 0.5> (x, w, c)", {"x": ramp(3, 2)}, "The bias is halved too.", x="float[3, 2] x", y="float[3, 3] y", arrays={"w": noise(2, 3, seed=4), "c": f32(1, 2, 3)})
different(G, "f8-vector-from-left", "y = MatMul (x, w)", "y = MatMul (w, x)", {"x": f32(1, 2, 3), "w": ramp(3, 3)}, "From the left or the right of a square.", x="float[3] x, float[3, 3] w", y="float[3] y")
different(G, "f8-flat-channels-last", "f = Flatten (x) y = MatMul (f, w)", "t = Transpose <perm = [0, 2, 3, 1]> (x) f = Flatten (t) y = MatMul (f, w)", {"x": ramp(1, 4, 2, 2)}, "Sixteen either way.", x="float[1, 4, 2, 2] x", y="float[1, 3] y", arrays={"w": noise(16, 3, seed=4)})
different(G, "f8-mean-of-image", "y = GlobalAveragePool (x)", "y = ReduceMean <keepdims = 1> (x, a)", {"x": ramp(1, 1, 2, 2)}, "The batch and the channel are one.", x="float[1, 1, 2, 2] x", y="float[1, 1, a, b] y", arrays={"a": i64(0, 1)})
different(G, "f8-from-second-element", "s = Slice (x, b, e, a, t) y = ReduceSum <keepdims = 0> (s)", "y = ReduceSum <keepdims = 0> (x)", {"x": f32(5, 0, 1, 2)}, "Backwards to 0, without it.", x="float[n] x", y="float y", arrays={"b": i64(-1), "e": i64(0), "a": i64(0), "t": i64(-1)})
different(G, "f8-shared-letter", "y = Einsum <equation = \"bij,bjk->bik\"> (x, w)", "y = Einsum <equation = \"bij,bkj->bik\"> (x, w)", {"x": ramp(1, 2, 2), "w": f32(1, 5, 2, 7, shape=(1, 2, 2))}, "Turned or not.", x="float[b, n, n] x, float[b, n, n] w", y="float[b, n, n] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "steps8"
LW, LR = noise(1, 8, 3, seed=2), noise(1, 8, 2, seed=3)
PERM = np.r_[0:2, 4:6, 6:8, 2:4]
LX = dict(x="float[3, 2, 3] x", y="float[3, 1, 2, 2] y")
XS = noise(3, 2, 3, seed=5)
different(G, "f8-gates-in-other-order", {"arrays": {"w": LW, "r": LR}}, {"arrays": {"w": LW[:, PERM].copy(), "r": LR[:, PERM].copy()}}, {"x": XS}, "As another framework orders them.", body="y = LSTM <hidden_size = 2> (x, w, r)", **LX)
different(G, "f8-state-or-cell", "a, y, c = LSTM <hidden_size = 2> (x, w, r)", "a, h, y = LSTM <hidden_size = 2> (x, w, r)", {"x": XS}, "Both have the same shape.", x="float[3, 2, 3] x", y="float[1, 2, 2] y", arrays={"w": LW, "r": LR})
different(G, "f8-forget-with-input", "y = LSTM <hidden_size = 2> (x, w, r)", "y = LSTM <hidden_size = 2, input_forget = 1> (x, w, r)", {"x": XS}, "What is not taken in is kept.", arrays={"w": LW, "r": LR}, **LX)
different(G, "f8-clipped-gates", "y = RNN <hidden_size = 2> (x, w, r)", "y = RNN <hidden_size = 2, clip = 2.0> (x, w, r)", {"x": XS * 20}, "Only beyond 2.", arrays={"w": noise(1, 2, 3, seed=2), "r": noise(1, 2, 2, seed=3)}, **LX)
different(G, "f8-shorter-sequence", "a, y = RNN <hidden_size = 2> (x, w, r, , l)", "a, y = RNN <hidden_size = 2> (x, w, r)", {"x": XS, "l": i32(3, 2)}, "Where a sequence is shorter.", x="float[3, 2, 3] x, int32[2] l", y="float[1, 2, 2] y", arrays={"w": noise(1, 2, 3, seed=2), "r": noise(1, 2, 2, seed=3)})
BI = "a, h = GRU <hidden_size = 2, direction = \"bidirectional\"> (x, w, r) "
different(G, "f8-back-before-forth", BI + "t = Transpose <perm = [1, 0, 2]> (h) y = Reshape (t, s)", BI + "t0 = Slice (h, b, e, k, m) t = Transpose <perm = [1, 0, 2]> (t0) y = Reshape (t, s)", {"x": XS}, "Which direction comes first.", x="float[3, 2, 3] x", y="float[2, 4] y", arrays={"w": noise(2, 6, 3, seed=2), "r": noise(2, 6, 2, seed=3), "s": i64(2, 4), "b": i64(-1), "e": i64(-INF), "k": i64(0), "m": i64(-1)})
GIVEN = "y = Loop (m, c, x) <body = b (int64 i, bool d, int64[2] v) => (bool e, int64[2] w) { e = Identity (d) w = {} }>"
different(G, "f8-rounds-not-begun", GIVEN.replace("{}", "Add (v, k)"), "mk = Mul (m, k) y = Add (x, mk)", {"x": i64(1, 2), "m": np.int64(4), "c": np.bool_(False)}, "Where the condition does not hold at first.", x="int64[2] x, int64 m, bool c", y="int64[2] y", arrays={"k": np.int64(3)})
different(G, "f8-counted-from-one", GIVEN.replace("{}", "Add (v, i)"), "m1 = Add (m, o) p = Mul (m, m1) q = Div (p, t) y = Add (x, q)", {"x": i64(1, 2)}, "0 + 1 + 2 + 3 + 4, not 1 + ... + 5.", x="int64[2] x", y="int64[2] y", arrays={"m": np.int64(5), "c": np.bool_(True), "o": np.int64(1), "t": np.int64(2)})
different(G, "f8-default-or-constant", {"body": "y = Mul (x, w)", "inputs": "float[4] x, float w"}, {"body": "u = Identity (w) y = Mul (x, v)", "inputs": "float[4] x, float w"}, {"x": f32(1, 2, 3, 4), "w": np.float32(7)}, "What has a default may be given.", arrays={"w": np.float32(2), "v": np.float32(2)})
different(G, "f8-own-relu", {"body": "y = own.Relu (x)", "domains": {"own": 1}, "functions": "<domain: \"own\", opset_import: [\"\" : 18]>\nRelu (a) => (b) { b = LeakyRelu (a) }"}, {"body": "y = Relu (x)", "domains": {"own": 1}}, {"x": f32(1, -2, 3, 4)}, "The same name in another domain.", **F)
different(G, "f8-put-before-last", "s = SequenceConstruct (x, w) t = SequenceInsert (s, v, m) y = ConcatFromSequence <axis = 0> (t)", "s = SequenceConstruct (x, w) t = SequenceInsert (s, v) y = ConcatFromSequence <axis = 0> (t)", {"x": f32(1, 2), "w": f32(3, 4), "v": f32(5, 6)}, "At -1 is before the last one.", x="float[2] x, float[2] w, float[2] v", y="float[6] y", arrays={"m": np.int64(-1)})
different(G, "f8-branch-of-outer-name", "t = Mul (x, k) s = ReduceSum <keepdims = 0> (x) c = Greater (s, z) y = If (c) <then_branch = g1 () => (float[4] p) { p = Add (x, t) }, else_branch = g2 () => (float[4] q) { q = Sub (x, t) }>", "t = Mul (x, k) s = ReduceSum <keepdims = 0> (x) c = Greater (s, z) y = If (c) <then_branch = g1 () => (float[4] p) { p = Add (x, t) }, else_branch = g2 () => (float[4] q) { t2 = Abs (t) q = Sub (x, t2) }>", {"x": f32(-1, 2, -3, -4)}, "Only in the other branch.", arrays={"k": np.float32(2), "z": np.float32(0)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "quantised8"
QD = {"s": np.float32(0.5), "z": np.uint8(10)}
different(G, "f8-back-by-other-scale", "d = DequantizeLinear (x, s1) y = QuantizeLinear (d, s, z)", "y = Identity (x)", {"x": u8(253, 3, 255)}, "Only 251 to 254 come back as another.", x="uint8[3] x", y="uint8[3] y", arrays={"s1": np.float32(0.1002), "s": np.float32(0.1), "z": np.uint8(0)})
different(G, "f8-narrow-range", "q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)", "q0 = QuantizeLinear (x, s, z) c = Cast <to = 6> (q0) m = Max (c, l) q = Cast <to = 3> (m) y = DequantizeLinear (q, s, z)", {"x": f32(-200, 1, 2, 3)}, "Down to -128 or -127.", arrays={"s": np.float32(1), "z": np.int8(0), "l": np.int32(-127)}, **F)
different(G, "f8-relu-below-zero-point", "d = DequantizeLinear (x, s, z) r = Relu (d) y = QuantizeLinear (r, s, z)", "y = Identity (x)", {"x": u8(3, 200, 10)}, "Below the zero point.", x="uint8[3] x", y="uint8[3] y", arrays=QD)
different(G, "f8-border-of-zero-point", "y = ConvInteger <pads = [1, 1]> (x, w, z)", "p = Pad (x, pd, o) y = ConvInteger (p, w, z)", {"x": u8(1, 2, 3).reshape(1, 1, 3)}, "The border is the zero point, not 0.", x="uint8[1, 1, 3] x", y="int32[1, 1, 3] y", arrays={"w": u8(1, 2, 3).reshape(1, 1, 3), "z": np.uint8(10), "pd": i64(0, 0, 1, 0, 0, 1), "o": np.uint8(0)})
different(G, "f8-range-without-zero", "y, s, z = DynamicQuantizeLinear (x)", "h = ReduceMax <keepdims = 0> (x) l = ReduceMin <keepdims = 0> (x) r = Sub (h, l) sc = Div (r, m) a = Sub (x, l) b = Div (a, sc) c = Round (b) y = Cast <to = 2> (c)", {"x": f32(1, 2, 3, 4)}, "Zero is always in the range.", x="float[4] x", y="uint8[4] y", arrays={"m": np.float32(255)})
different(G, "f8-scales-down-or-along", {"body": "y = DequantizeLinear <axis = 0, block_size = 2> (x, s)"}, {"body": "y = DequantizeLinear <axis = 1, block_size = 2> (x, t)"}, {"x": np.array([[1, 2], [3, 4]], np.int8)}, "Blocks of two columns or rows.", x="int8[2, 2] x", y="float[2, 2] y", arrays={"s": f32(1, 2, shape=(1, 2)), "t": f32(1, 2, shape=(2, 1))}, opset=21, ir=10)
HALF = {"body": "h = Cast <to = 10> (x) q = Mul (h, h) f = Cast <to = 1> (q) m = ReduceMean <keepdims = 0> (f) y = Sqrt (m)"}
different(G, "f8-squares-in-half", HALF, {"body": "q = Mul (x, x) h = Cast <to = 10> (x) f = Cast <to = 1> (h) g = Mul (f, f) m = ReduceMean <keepdims = 0> (g) y = Sqrt (m)"}, {"x": f32(300, 1, 2, 3)}, "300^2 is beyond what a half holds.", x="float[4] x", y="float y", reference=True)
different(G, "f8-half-overflows", "h = Cast <to = 10> (x) y = Cast <to = 1> (h)", "c = Clip (x, l, u) h = Cast <to = 10> (c) y = Cast <to = 1> (h)", {"x": f32(70000, 1, 2, 3)}, "Infinite or the largest.", arrays={"l": np.float32(-65504), "u": np.float32(65504)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "defaults8"
R3 = dict(x="float[2, 3, 4] x", y="float[2, 3, 4] y")
X3 = noise(2, 3, 4, seed=9)
OLD = {"opset": 11, "ir": 6}
NEW = {"opset": 13, "ir": 7}
different(G, "f8-softmax-of-merged", {"body": "y = Softmax (x)"} | OLD, {"body": "y = Softmax (x)"} | NEW, {"x": X3}, "From axis 1 on, or the last.", **R3)
different(G, "f8-softmax-of-named", {"body": "y = LogSoftmax <axis = 1> (x)"} | OLD, {"body": "y = LogSoftmax <axis = 1> (x)"} | NEW, {"x": X3}, "From axis 1 on, or axis 1.", **R3)
different(G, "f8-hardmax-of-merged", {"body": "y = Hardmax (x)"} | OLD, {"body": "y = Hardmax (x)"} | NEW, {"x": X3}, "One of twelve or one of four.", **R3)
different(G, "f8-resize-of-ten", {"body": "y = Resize <mode = \"linear\"> (x, s)", "opset": 10, "ir": 5}, {"body": "y = Resize <mode = \"linear\"> (x, e, s)"} | OLD, {"x": ramp(1, 1, 4, 4)}, "From the corner, or from the middle.", x="float[1, 1, 4, 4] x", y="float[1, 1, 8, 8] y", arrays={"s": f32(1, 1, 2, 2), "e": np.zeros(0, np.float32)})
different(G, "f8-hard-sigmoid-of-fifth", "y = HardSigmoid (x)", "a = Add (x, three) b = Clip (a, o, six) y = Div (b, six)", {"x": f32(1, -1, 2, 3)}, "A fifth, not a sixth.", arrays={"three": np.float32(3), "o": np.float32(0), "six": np.float32(6)}, **F)
different(G, "f8-leaky-by-default", "y = LeakyRelu (x)", "y = LeakyRelu <alpha = 0.1> (x)", {"x": f32(1, -1, 2, 3)}, "A hundredth.", **F)
different(G, "f8-gelu-by-logistic", {"body": "y = Gelu (x)"}, {"body": "a = Mul (x, k) s = Sigmoid (a) y = Mul (x, s)"}, {"x": f32(1, -1, 2, 3)}, "Close only.", arrays={"k": np.float32(1.702)}, opset=20, ir=9, **F)
different(G, "f8-power-of-size", "y = Pow (x, k)", "a = Abs (x) y = Pow (a, k)", {"x": f32(1, -2, 2, 3)}, "An odd power keeps the sign.", arrays={"k": np.float32(3)}, **F)
different(G, "f8-remainder-with-sign", "y = Mod <fmod = 1> (x, k)", "d = Div (x, k) f = Floor (d) m = Mul (f, k) y = Sub (x, m)", {"x": f32(1, -2, 2.5, 4)}, "Below zero.", arrays={"k": np.float32(3)}, **F)
different(G, "f8-three-products-sign", "y0 = Mul (a, c) y1 = Mul (b, d) re = Sub (y0, y1) z0 = Mul (a, d) z1 = Mul (b, c) im = Add (z0, z1) y = Concat <axis = 0> (re, im)", "s = Add (a, b) t = Add (c, d) k1 = Mul (a, c) k2 = Mul (b, d) k3 = Mul (s, t) re = Sub (k1, k2) i0 = Sub (k3, k1) im = Add (i0, k2) y = Concat <axis = 0> (re, im)", {"a": f32(1), "b": f32(2), "c": f32(3), "d": f32(4)}, "The last sign of Karatsuba's.", x="float[1] a, float[1] b, float[1] c, float[1] d", y="float[2] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "further8"
DOT = "a = Cast <to = 6> (x) p = Mul (a, w) q = Reshape (p, s) r = ReduceSum <keepdims = 0> (q, k) "
different(G, "f8-pairs-held-in-16-bits", DOT + "y = ReduceSum <keepdims = 0> (r)", DOT + "h = Clip (r, lo, hi) y = ReduceSum <keepdims = 0> (h)", {"x": u8(1, 2, 255, 250, 3, 4)}, "As a machine sums two products of bytes: 255 * 66 + 250 * 66 is too many.", x="uint8[6] x", y="int32 y", arrays={"w": i32(64, 60, 66, 66, 63, -64), "s": i64(3, 2), "k": i64(1), "lo": np.int32(-32768), "hi": np.int32(32767)})
different(G, "f8-infinite-one-way", "y = IsInf (x)", "y = IsInf <detect_negative = 0> (x)", {"x": f32(-np.inf, 1, 2, np.inf)}, "Only minus infinity.", x="float[4] x", y="bool[4] y")
different(G, "f8-middle-of-odd", "y = CenterCropPad <axes = [0]> (x, k)", "s = Shape (x) d = Sub (s, k) d1 = Add (d, o) h = Div (d1, k) e = Add (h, k) y = Slice (x, h, e)", {"x": ramp(5)}, "Of an odd number one more before or behind.", x="float[n] x", y="float[m] y", arrays={"k": i64(2), "o": i64(1)})
different(G, "f8-turned-factor", "y = Gemm <transA = 1> (x, x)", "y = Gemm <transB = 1> (x, x)", {"x": f32(1, 2, 3, 5, shape=(2, 2))}, "From the left or from the right; of symmetric ones it is the same.", **SQ)
different(G, "f8-sorted-down-or-along", "y, i = TopK <axis = 0> (x, k)", "y, i = TopK <axis = 1> (x, k)", {"x": f32(1, 2, 3, 5, shape=(2, 2))}, "Columns or rows.", x="float[2, 2] x", y="float[2, 2] y", arrays={"k": i64(2)})
different(G, "f8-shifted-or-rolled", "y = Pad (x, p)", "a = Slice (x, b, e) c = Slice (x, o, b) y = Concat <axis = 0> (a, c)", {"x": f32(1, 2, 3, 4)}, "The last one is lost, or comes first.", arrays={"p": i64(1, -1), "b": i64(-1), "e": i64(INF), "o": i64(0)}, **F)
different(G, "f8-grid-of-centres", {"body": "g = AffineGrid <align_corners = 0> (t, s) y = GridSample <align_corners = 1> (x, g)"}, {"body": "y = Identity (x)"}, {"x": ramp(1, 1, 3, 5)}, "Centres are taken for corners.", x="float[1, 1, 3, 5] x", y="float[1, 1, 3, 5] y", arrays={"t": f32(1, 0, 0, 0, 1, 0, shape=(1, 2, 3)), "s": i64(1, 1, 3, 5)}, opset=20, ir=9)
different(G, "f8-kinds-of-equal-sum", "s = ReduceSum <keepdims = 0> (x) u = Unique (x) t = ReduceSum <keepdims = 0> (u) y = Sub (s, t)", "y = Sub (z, z)", {"x": i64(5, 3, 5, 1), "z": np.int64(0)}, "Where a number is there twice.", x="int64[4] x, int64 z", y="int64 y")
