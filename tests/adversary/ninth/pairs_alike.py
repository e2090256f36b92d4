"""Equal pairs that look different: operators of later sets by hand, learnt tables, number theory, graphs, algebra, bodies, stores."""
import numpy as np
from onnx import TensorProto, helper

from pair_models import PAIRS, Pair, equal, f32, i64, model, noise

WIDE = (-2 ** 31, 2 ** 31 - 1)
FAR = (-2 ** 62, 2 ** 62)
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": WIDE})
F = dict(x="float[4] x", y="float[4] y")
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)


def i32(*values):
    return np.array(values, np.int32)


# ---------------------------------------------------------------------------------------------------------------------------
G = "later-alike9"
LATER = {"opset": 23, "ir": 10, "finite": True}
QKV = dict(x="float[1, 2, 3, 4] q, float[1, 2, 5, 4] k, float[1, 2, 5, 4] v", y="float[1, 2, 3, 4] y")
HAND = "kt = Transpose <perm = [0, 1, 3, 2]> (k) s = MatMul (q, kt) s1 = Mul (s, sc) {} p = Softmax <axis = -1> (s2) y = MatMul (p, v)"
equal(G, "f9-attention-by-hand", "y = Attention (q, k, v)", HAND.format("s2 = Identity (s1)"), "A half of the products, the largest part of each.", arrays={"sc": np.float32(0.5)}, **LATER, **QKV)
equal(G, "f9-attention-causal-by-mask", "y = Attention <is_causal = 1> (q, k, v)", HAND.format("s2 = Where (m, s1, ninf)"), "As many keys as queries, each up to its own.", x="float[1, 2, 4, 4] q, float[1, 2, 4, 4] k, float[1, 2, 4, 4] v", y="float[1, 2, 4, 4] y", arrays={"sc": np.float32(0.5), "m": np.tril(np.ones((4, 4), bool)), "ninf": np.float32(-np.inf)}, **LATER)
equal(G, "f9-attention-mask-as-number", "y = Attention (q, k, v, m)", "y = Attention (q, k, v, f)", "Hidden, or minus infinity added.", arrays={"m": np.array([[1, 1, 0, 1, 1], [1, 0, 0, 1, 1], [1, 1, 1, 1, 0]], bool), "f": np.where(np.array([[1, 1, 0, 1, 1], [1, 0, 0, 1, 1], [1, 1, 1, 1, 0]], bool), 0, -np.inf).astype(np.float32)}, **LATER, **QKV)
equal(G, "f9-attention-of-shared-keys-spread", "y = Attention (q, k, v)", "a = Unsqueeze (k, two) b = Expand (a, e) kk = Reshape (b, s) c = Unsqueeze (v, two) d = Expand (c, e) vv = Reshape (d, s) y = Attention (q, kk, vv)", "Neighbours share a key.", x="float[1, 4, 3, 4] q, float[1, 2, 5, 4] k, float[1, 2, 5, 4] v", y="float[1, 4, 3, 4] y", arrays={"two": i64(2), "e": i64(1, 2, 2, 5, 4), "s": i64(1, 4, 5, 4)}, **LATER)
equal(G, "f9-attention-scale-in-query", "y = Attention (q, k, v)", "h = Mul (q, sc) y = Attention <scale = 1.0> (h, k, v)", "The factor before.", arrays={"sc": np.float32(0.5)}, **LATER, **QKV)
ANG = np.outer(np.arange(5), [1, 0.1]).astype(np.float32)
RC = {"c": np.cos(ANG), "s": np.sin(ANG), "p": i64(0, 1, 2, shape=(1, 3)), "cc": np.cos(ANG)[None, None, :3].copy(), "ss": np.sin(ANG)[None, None, :3].copy()}
equal(G, "f9-rotary-by-hand", "y = RotaryEmbedding (x, c, s, p)", "a, b = Split <axis = 3, num_outputs = 2> (x) ac = Mul (a, cc) bs = Mul (b, ss) as = Mul (a, ss) bc = Mul (b, cc) u = Sub (ac, bs) v = Add (as, bc) y = Concat <axis = 3> (u, v)", "Each pair of halves turned.", x="float[1, 2, 3, 4] x", y="float[1, 2, 3, 4] y", arrays=RC, **LATER)
equal(G, "f9-rotary-interleaved-turned", "y = RotaryEmbedding <interleaved = 1> (x, c, s, p)", "g = Gather <axis = 3> (x, i) r = RotaryEmbedding (g, c, s, p) y = Gather <axis = 3> (r, j)", "Neighbours put apart, and back.", x="float[1, 2, 3, 4] x", y="float[1, 2, 3, 4] y", arrays=RC | {"i": i64(0, 2, 1, 3), "j": i64(0, 2, 1, 3)}, **LATER)
equal(G, "f9-root-mean-square-by-hand", "y = RMSNormalization (x, w)", "q = Mul (x, x) m = ReduceMean (q, k) a = Add (m, e) r = Sqrt (a) n = Div (x, r) y = Mul (n, w)", "With 1e-5 before the root.", arrays={"w": f32(1, 2, 1, 1), "k": i64(0), "e": np.float32(1e-5)}, **LATER, **F)
equal(G, "f9-swish-doubled", "y = Swish <alpha = 2.0> (x)", "a = Add (x, x) s = Swish (a) y = Mul (s, h)", "Twice as steep is half of the double.", opset=24, ir=10, finite=True, arrays={"h": np.float32(0.5)}, **F)
equal(G, "f9-cache-by-elements", "y = TensorScatter (p, u, w)", "y = ScatterElements <axis = 1> (p, i, u)", "Two rows from the second on.", x="float[1, 4, 2] p, float[1, 2, 2] u", y="float[1, 4, 2] y", opset=24, ir=10, arrays={"w": i64(1), "i": i64(1, 1, 2, 2, shape=(1, 2, 2))})
equal(G, "f9-columns-back-in-place", "y = Col2Im <strides = [2, 2]> (x, s, k)", "r = Reshape (x, s1) t = Transpose <perm = [0, 3, 1, 4, 2]> (r) y = Reshape (t, s2)", "Blocks that do not overlap.", x="float[1, 4, 4] x", y="float[1, 1, 4, 4] y", arrays={"s": i64(4, 4), "k": i64(2, 2), "s1": i64(1, 2, 2, 2, 2), "s2": i64(1, 1, 4, 4)})
equal(G, "f9-columns-by-taps", "y = Col2Im (x, s, k)", "r = Reshape (x, s1) a, b, c, d = Split <axis = 0, num_outputs = 4> (r) pa = Pad (a, p0) pb = Pad (b, p1) pc = Pad (c, p2) pd = Pad (d, p3) y0 = Sum (pa, pb, pc, pd) y = Unsqueeze (y0, k0)", "Four pictures, each shifted, summed.", x="float[1, 4, 4] x", y="float[1, 1, 3, 3] y", finite=True, arrays={"s": i64(3, 3), "k": i64(2, 2), "s1": i64(4, 2, 2), "p0": i64(0, 0, 0, 0, 1, 1), "p1": i64(0, 0, 1, 0, 1, 0), "p2": i64(0, 1, 0, 0, 0, 1), "p3": i64(0, 1, 1, 0, 0, 0), "k0": i64(1)})
equal(G, "f9-unpooled-by-place", "v, i = MaxPool <kernel_shape = [2], strides = [2]> (x) y = MaxUnpool <kernel_shape = [2], strides = [2]> (v, i)", "v, i = MaxPool <kernel_shape = [2], strides = [2]> (x) f = Reshape (v, m1) g = Reshape (i, m1) z = ScatterElements (o, g, f) y = Reshape (z, s)", "To where each was.", x="float[1, 1, 6] x", y="float[1, 1, 6] y", finite=True, arrays={"m1": i64(-1), "o": np.zeros(6, np.float32), "s": i64(1, 1, 6)})
equal(G, "f9-upsampled-as-repeated", {"body": "y = Upsample <mode = \"nearest\"> (x, s)", "opset": 9, "ir": 4}, {"body": "a = Unsqueeze (x, k) b = Expand (a, e) y = Reshape (b, r)", "opset": 13, "ir": 7}, "Each one three times.", x="float[1, 1, 2, 3] x", y="float[1, 1, 2, 9] y", arrays={"s": f32(1, 1, 1, 3), "k": i64(4), "e": i64(1, 1, 2, 3, 3), "r": i64(1, 1, 2, 9)})
equal(G, "f9-windows-of-cosines", "w = HammingWindow (n) y = Mul (x, w)", "a = HannWindow (n) b = Mul (a, g) c = Add (b, l) y = Mul (x, c)", "Lifted from zero by 0.087: 25 and 21 parts of 46.", x="float[8] x", y="float[8] y", finite=True, arrays={"n": np.int64(8), "g": np.float32(42 / 46), "l": np.float32(4 / 46)})
equal(G, "f9-sinh-by-two", "y = Sinh (x)", "e = Exp (x) n = Neg (x) g = Exp (n) d = Sub (e, g) y = Mul (d, h)", "Half of the difference.", finite=True, arrays={"h": np.float32(0.5)}, ranges={"x": (1, 3)}, **F)
equal(G, "f9-cosh-of-double", "a = Add (x, x) y = Cosh (a)", "s = Sinh (x) q = Mul (s, s) d = Add (q, q) y = Add (d, one)", "1 + 2 sinh^2.", finite=True, arrays={"one": np.float32(1)}, **F)
equal(G, "f9-arc-sine-and-cosine", "t = Tanh (x) a = Asin (t) b = Acos (t) y = Add (a, b)", "z = Sub (x, x) y = Add (z, h)", "Together a quarter of a turn.", finite=True, arrays={"h": np.float32(np.pi / 2)}, **F)
equal(G, "f9-area-of-tangent", "t = Tanh (x) h = Mul (t, k) y = Atanh (h)", "t = Tanh (x) h = Mul (t, k) a = Add (h, one) b = Sub (one, h) q = Div (a, b) l = Log (q) y = Mul (l, k)", "Half a logarithm.", finite=True, arrays={"k": np.float32(0.5), "one": np.float32(1)}, **F)
equal(G, "f9-sine-undone-inside", "c = Clip (x, l, h) t = Mul (c, k) s = Sin (t) y = Asin (s)", "c = Clip (x, l, h) y = Mul (c, k)", "Never beyond a quarter of a turn.", finite=True, tolerance=2e-3, arrays={"l": np.float32(-4), "h": np.float32(4), "k": np.float32(0.35)}, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "learnt-alike9"
ML = {"domains": {"ai.onnx.ml": 3}}
X14 = dict(x="float[1, 4] x", y="float[1, 4] y")
equal(G, "f9-binary-by-order", "y = ai.onnx.ml.Binarizer <threshold = 0.5> (x)", "c = Greater (x, t) y = Cast <to = 1> (c)", "Above the threshold.", arrays={"t": np.float32(0.5)}, finite=True, **ML, **X14)
equal(G, "f9-normed-by-largest-positive", "e = Exp (x) y = ai.onnx.ml.Normalizer <norm = \"MAX\"> (e)", "e = Exp (x) m = ReduceMax (e, k) y = Div (e, m)", "Of positive ones the largest is the largest size.", arrays={"k": i64(1)}, finite=True, **ML, **X14)
equal(G, "f9-scaler-as-affine", "y = ai.onnx.ml.Scaler <offset = [1.0, 0.0, 2.0, 0.0], scale = [2.0, 1.0, 3.0, 1.0]> (x)", "m = Mul (x, s) y = Sub (m, o)", "The offset times the scale.", arrays={"s": f32(2, 1, 3, 1), "o": f32(2, 0, 6, 0)}, finite=True, **ML, **X14)
TREE = ("y = ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4], nodes_featureids = [{0}], "
        "nodes_values = [{1}], nodes_modes = [{2}], nodes_truenodeids = [1, 0, 3, 0, 0], nodes_falsenodeids = [2, 0, 4, 0, 0], "
        "target_treeids = [0, 0, 0], target_nodeids = [1, 3, 4], target_ids = [0, 0, 0], target_weights = [{3}]> (x)")
TX = dict(x="float[2, 2] x", y="float[2, 1] y")
LEQ = "\"BRANCH_LEQ\", \"LEAF\", \"BRANCH_LEQ\", \"LEAF\", \"LEAF\""
equal(G, "f9-tree-as-choice", TREE.format("0, 0, 1, 0, 0", "0.5, 0.0, 1.5, 0.0, 0.0", LEQ, "1.0, 2.0, 4.0"), "a = Gather <axis = 1> (x, k0) b = Gather <axis = 1> (x, k1) c = LessOrEqual (a, h) d = LessOrEqual (b, g) e = Where (d, two, four) y = Where (c, one, e)", "Two questions.", arrays={"k0": i64(0), "k1": i64(1), "h": np.float32(0.5), "g": np.float32(1.5), "one": np.float32(1), "two": np.float32(2), "four": np.float32(4)}, finite=True, **ML, **TX)
equal(G, "f9-tree-that-asks-twice", TREE.format("0, 0, 0, 0, 0", "0.5, 0.0, 0.25, 0.0, 0.0", LEQ, "1.0, 9.0, 4.0"), "a = Gather <axis = 1> (x, k0) c = LessOrEqual (a, h) y = Where (c, one, four)", "What is above 0.5 is above 0.25.", arrays={"k0": i64(0), "h": np.float32(0.5), "one": np.float32(1), "four": np.float32(4)}, finite=True, **ML, **TX)
equal(G, "f9-linear-as-product", "y = ai.onnx.ml.LinearRegressor <coefficients = [1.0, 2.0], intercepts = [0.5]> (x)", "m = MatMul (x, w) y = Add (m, b)", "A product and a sum.", arrays={"w": f32(1, 2, shape=(2, 1)), "b": f32(0.5)}, finite=True, **ML, **TX)
SVM = "y = ai.onnx.ml.SVMRegressor <coefficients = [1.0, -1.0], kernel_type = \"LINEAR\", kernel_params = [0.5, 0.0, 3.0], n_supports = 2, rho = [0.25], support_vectors = [1.0, 0.0, 0.0, 1.0]> (x)"
equal(G, "f9-vectors-that-support-as-line", SVM, "a, b = Split <axis = 1, num_outputs = 2> (x) d = Sub (a, b) y = Add (d, r)", "A linear kernel is a line.", arrays={"r": np.float32(0.25)}, finite=True, **ML, **TX)
equal(G, "f9-label-as-table", "m = Mod (x, three) y = ai.onnx.ml.LabelEncoder <keys_int64s = [2, 0, 1], values_int64s = [30, 10, 20], default_int64 = -1> (m)", "m = Mod (x, three) n = Add (m, one) y = Mul (n, ten)", "None is ever without a label.", x="int64[4] x", y="int64[4] y", arrays={"three": np.int64(3), "one": np.int64(1), "ten": np.int64(10)}, **ML)
equal(G, "f9-features-as-columns", "y = ai.onnx.ml.ArrayFeatureExtractor (x, i)", "y = Gather <axis = 1> (x, i)", "Of the last axis.", x="float[2, 3] x", y="float[2, 2] y", arrays={"i": i64(2, 0)}, **ML)
equal(G, "f9-hot-by-classes", "m = Mod (x, three) y = ai.onnx.ml.OneHotEncoder <cats_int64s = [0, 1, 2], zeros = 0> (m)", "m = Mod (x, three) y = OneHot (m, three, v)", "Each is a class.", x="int64[4] x", y="float[4, 3] y", arrays={"three": np.int64(3), "v": f32(0, 1)}, **ML)

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers-alike9"


def loop(rounds, body, start="x", out="y"):
    return f"{out} = Loop ({rounds}, t, {start}) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w) {{ e = Identity (d) {body} }}> "


COLL = "o = BitwiseAnd (v, one) od = Cast <to = 9> (o) h = Div (v, two) tr = Mul (v, three) tp = Add (tr, one) n0 = Where (od, tp, h) st = LessOrEqual (v, one) w = Where (st, v, n0)"
HUNDRED = "a0 = Abs (x) a1 = Mod (a0, hund) a = Add (a1, one) "
CN = {"t": T, "one": np.int64(1), "two": np.int64(2), "three": np.int64(3), "hund": np.int64(99)}
equal(G, "f9-always-comes-to-one", HUNDRED + loop("r1", COLL, "a"), "z = Sub (x, x) y = Add (z, one)", "Halved or tripled, every number below 100 comes to 1 within 118 rounds.", arrays=CN | {"r1": np.int64(118)}, ranges={"x": (0, 98)}, **ONE)
POWM = "p = Mul (v, two) w = Mod (p, n)"
BELOW = "a0 = Abs (x) a1 = Mod (a0, k) a2 = Mul (a1, two) n = Add (a2, three) "
FERMAT = BELOW + "m1 = Sub (n, one) " + loop("m1", POWM, "one", "f") + "g = Equal (f, one) y = Cast <to = 7> (g)"
TRIAL = BELOW + "m = Mod (n, dv) z = Equal (m, zero) ls = Less (dv, n) c = And (z, ls) ci = Cast <to = 7> (c) s = ReduceMax <keepdims = 0> (ci) y = Sub (one, s)"
equal(G, "f9-prime-by-power-below-341", FERMAT, TRIAL, "Of odd numbers below 341 none is taken for a prime.", arrays=CN | {"k": np.int64(169), "zero": np.int64(0), "dv": i64(3, 5, 7, 11, 13, 17)}, ranges={"x": (0, 400)}, **ONE)
CAR = "p = Mul (v, b) w = Mod (p, n)"
equal(G, "f9-power-of-carmichael", "b0 = Abs (x) b = Mod (b0, n) " + loop("n", CAR, "one", "y"), "b0 = Abs (x) y = Mod (b0, n)", "The 561st power is the number itself, modulo 561.", arrays=CN | {"n": np.int64(561)}, ranges={"x": (0, 10 ** 9)}, **ONE)
equal(G, "f9-last-digit-of-fifth-power", "a = Cast <to = 7> (x) b = Mul (a, a) c = Mul (b, b) d = Mul (c, a) y = Mod (d, ten)", "a = Cast <to = 7> (x) y = Mod (a, ten)", "It is the last digit.", x="uint8[4] x", y="int64[4] y", ranges={"x": (0, 255)}, arrays={"ten": np.int64(10)})
NEWT = "p{1} = Mul (u, v{0}) q{1} = Sub (two, p{1}) v{1} = Mul (v{0}, q{1}) "
INV = "ev = Mul (x, two) u = Add (ev, one) v0 = Identity (u) " + NEWT.format(0, 1) + NEWT.format(1, 2) + NEWT.format(2, 3)
IN = {"two": np.int32(2), "one": np.int32(1), "m24": np.int32(2 ** 24 - 1)}
equal(G, "f9-inverse-in-24-bits-held", INV + "y = BitwiseAnd (v3, m24)", INV + NEWT.format(3, 4) + "y = BitwiseAnd (v4, m24)", "Three steps give 24 bits of the inverse.", arrays=IN, **I32)
equal(G, "f9-inverse-times-itself", INV + NEWT.format(3, 4) + "y = Mul (v4, u)", "z = Sub (x, x) y = Add (z, one)", "Modulo 2^32 it is 1.", arrays=IN, **I32)
CH = dict(x="int32[2, 2] x", y="int32[2, 2] y", ranges={"x": WIDE})
equal(G, "f9-square-by-trace", "y = MatMul (x, x)", "f = Reshape (x, m1) p = Gather (f, i0) q = Gather (f, i1) r = Gather (f, i2) s = Gather (f, i3) tr = Add (p, s) ps = Mul (p, s) qr = Mul (q, r) det = Sub (ps, qr) u = Mul (x, tr) v = Mul (eye, det) y = Sub (u, v)", "A matrix fulfils its own equation, wrapped too.", arrays={"eye": np.eye(2, dtype=np.int32), "m1": i64(-1)} | {f"i{k}": np.int64(k) for k in range(4)}, **CH)
FOUR = dict(x="int32[3] a, int32[3] b, int32[3] c, int32[3] d", y="int32[3] y", ranges={k: WIDE for k in "abcd"})
SQS = "aa = Mul (a, a) bb = Mul (b, b) cc = Mul (c, c) dd = Mul (d, d) "
equal(G, "f9-product-of-sums-of-squares", SQS + "p = Add (aa, bb) q = Add (cc, dd) y = Mul (p, q)", "ac = Mul (a, c) bd = Mul (b, d) ad = Mul (a, d) bc = Mul (b, c) e = Sub (ac, bd) f = Add (ad, bc) ee = Mul (e, e) ff = Mul (f, f) y = Add (ee, ff)", "Is a sum of two squares.", **FOUR)
equal(G, "f9-fourth-powers-in-factors", "aa = Mul (a, a) bb = Mul (b, b) p = Mul (aa, aa) q = Mul (bb, bb) r = Mul (q, four) y = Add (p, r)", "aa = Mul (a, a) bb = Mul (b, b) ab = Mul (a, b) b2 = Add (bb, bb) a2 = Add (ab, ab) s = Add (aa, b2) u = Add (s, a2) v = Sub (s, a2) y = Mul (u, v)", "a^4 + 4 b^4, as Sophie Germain saw.", x="int32[3] a, int32[3] b", y="int32[3] y", ranges={"a": WIDE, "b": WIDE}, arrays={"four": np.int32(4)})
equal(G, "f9-cubes-and-triangle", "s = Shape (x) n = Squeeze (s) m = Add (n, one) r = Range (one, m, one) q = Mul (r, r) c = Mul (q, r) y = ReduceSum <keepdims = 0> (c)", "s = Shape (x) n = Squeeze (s) m = Add (n, one) p = Mul (n, m) h = Div (p, two) y = Mul (h, h)", "The sum of cubes is the square of the sum.", x="float[n] x", y="int64 y", arrays={"one": np.int64(1), "two": np.int64(2)})
equal(G, "f9-differences-of-powers", "a = Sub (x, z) b = Mul (x, x) c = Mul (x, z) d = Mul (z, z) e = Add (b, c) f = Add (e, d) y = Mul (a, f)", "b = Mul (x, x) c = Mul (b, x) d = Mul (z, z) e = Mul (d, z) y = Sub (c, e)", "Of cubes.", x="int32[4] x, int32[4] z", y="int32[4] y", ranges={"x": WIDE, "z": WIDE})
BYTE = "a = Cast <to = 7> (x) "
REV = BYTE + "".join(f"b{k} = BitwiseAnd (a, c{k}) d{k} = {'Mul' if k < 4 else 'Div'} (b{k}, s{k}) " for k in range(8)) + "y = Sum8"
SUMS = "e1 = Add (d0, d1) e2 = Add (e1, d2) e3 = Add (e2, d3) e4 = Add (e3, d4) e5 = Add (e4, d5) e6 = Add (e5, d6) y = Add (e6, d7)"
equal(G, "f9-byte-turned-by-products", BYTE + "p = Mul (a, u) p1 = BitwiseAnd (p, um) q = Mul (a, v) q1 = BitwiseAnd (q, vm) r = BitwiseOr (p1, q1) s = Mul (r, w) g = Div (s, sh) y = BitwiseAnd (g, ff)", REV.replace("y = Sum8", SUMS), "Three multiplications and two masks turn eight bits.", x="uint8[6] x", y="int64[6] y", ranges={"x": (0, 255)}, arrays={"u": np.int64(0x0802), "um": np.int64(0x22110), "v": np.int64(0x8020), "vm": np.int64(0x88440), "w": np.int64(0x10101), "sh": np.int64(65536), "ff": np.int64(255)} | {f"c{k}": np.int64(2 ** k) for k in range(8)} | {f"s{k}": np.int64(2 ** abs(7 - 2 * k)) for k in range(8)})
XR = "q = Mod (b, four) e0 = Equal (q, zero) e1 = Equal (q, one) e2 = Equal (q, two) b1 = Add (b, one) w2 = Where (e2, b1, zero) w1 = Where (e1, one, w2) y = Where (e0, b, w1)"
equal(G, "f9-exclusive-or-of-all-before", "b0 = Abs (x) b = Mod (b0, hund) m = Add (b, one) " + loop("m", "w = BitwiseXor (v, i)", "zero"), "b0 = Abs (x) b = Mod (b0, hund) " + XR, "It hangs on the remainder by four.", arrays=CN | {"four": np.int64(4), "zero": np.int64(0)}, ranges={"x": (0, 1000)}, **ONE)
ADD4 = "".join(f"p{k} = BitwiseAnd (x, c{k}) q{k} = BitwiseAnd (z, c{k}) h{k} = BitwiseXor (p{k}, q{k}) s{k} = BitwiseXor (h{k}, k{k}) g{k} = BitwiseAnd (p{k}, q{k}) t{k} = BitwiseAnd (h{k}, k{k}) o{k} = BitwiseOr (g{k}, t{k}) k{k + 1} = Add (o{k}, o{k}) " for k in range(8))
equal(G, "f9-sum-by-gates", ADD4 + "a1 = BitwiseOr (s0, s1) a2 = BitwiseOr (a1, s2) a3 = BitwiseOr (a2, s3) a4 = BitwiseOr (a3, s4) a5 = BitwiseOr (a4, s5) a6 = BitwiseOr (a5, s6) y = BitwiseOr (a6, s7)", "y = Add (x, z)", "Eight full adders; the last carry is lost.", x="uint8[5] x, uint8[5] z", y="uint8[5] y", ranges={"x": (0, 255), "z": (0, 255)}, arrays={f"c{k}": np.uint8(2 ** k) for k in range(8)} | {"k0": np.uint8(0)})
equal(G, "f9-digit-of-card", "a0 = Abs (x) d = Mod (a0, ten) e = Mul (d, two) c = Greater (e, nine) f = Sub (e, nine) y = Where (c, f, e)", "a0 = Abs (x) d = Mod (a0, ten) y = Gather (tb, d)", "Twice a digit, and its digits added.", x="int64[4] x", y="int64[4] y", arrays={"ten": np.int64(10), "two": np.int64(2), "nine": np.int64(9), "tb": i64(0, 2, 4, 6, 8, 1, 3, 5, 7, 9)})
equal(G, "f9-stamps-that-wrap", "d = Sub (x, z) y = Add (d, z)", "y = Identity (x)", "What wraps comes back.", x="int32[4] x, int32[4] z", y="int32[4] y", ranges={"x": WIDE, "z": WIDE})
