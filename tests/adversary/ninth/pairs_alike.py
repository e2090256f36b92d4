"""Equal pairs that look different: operators of later sets by hand, learnt tables, number theory, graphs, algebra, bodies, stores."""
import numpy as np
from onnx import TensorProto, helper

from pair_models import equal, equal_models, f32, i64, model

WIDE = (-2 ** 31, 2 ** 31 - 1)
FAR = (-2 ** 62, 2 ** 62)
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": WIDE})
F = dict(x="float[4] x", y="float[4] y")
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)

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

# ---------------------------------------------------------------------------------------------------------------------------
G = "graphs-alike9"
REACH = "f = Cast <to = 1> (x) a0 = Add (f, eye) a1 = Clip (a0, z, one) "
STEP = "m{1} = MatMul (a{0}, a1) a{1} = Clip (m{1}, z, one) "
GR = {"eye": np.eye(5, dtype=np.float32), "z": np.float32(0), "one": np.float32(1)}
equal(G, "f9-reached-in-four-or-eight", REACH + STEP.format(1, 2) + STEP.format(2, 3) + STEP.format(3, 4) + "y = Identity (a4)", REACH + "b2 = MatMul (a1, a1) c2 = Clip (b2, z, one) b4 = MatMul (c2, c2) c4 = Clip (b4, z, one) b8 = MatMul (c4, c4) y = Clip (b8, z, one)", "No path of five needs more than four steps.", x="bool[5, 5] x", y="float[5, 5] y", arrays=GR)
VIA = "c{0} = Gather <axis = 1> ({1}, k{0}) r{0} = Gather <axis = 0> ({1}, k{0}) s{0} = Add (c{0}, r{0}) d{0} = Min ({1}, s{0}) "
FW = {f"k{i}": i64(i) for i in range(3)}
equal(G, "f9-ways-through-any-order", "p = Cast <to = 6> (x) " + VIA.format(0, "p") + VIA.format(1, "d0") + VIA.format(2, "d1") + "y = Identity (d2)", "p = Cast <to = 6> (x) " + VIA.format(2, "p") + VIA.format(0, "d2") + VIA.format(1, "d0") + "y = Identity (d1)", "Shortest ways do not hang on the order.", x="uint8[3, 3] x", y="int32[3, 3] y", ranges={"x": (0, 255)}, arrays=FW)
TROP = "u{0} = Unsqueeze ({1}, ax2) v{0} = Unsqueeze ({2}, ax0) w{0} = Add (u{0}, v{0}) {0} = ReduceMin <keepdims = 0> (w{0}, ax1) "
equal(G, "f9-least-sums-nested", "a = Cast <to = 6> (x) b = Cast <to = 6> (z) c = Cast <to = 6> (w) " + TROP.format("p", "a", "b") + TROP.format("y", "p", "c"), "a = Cast <to = 6> (x) b = Cast <to = 6> (z) c = Cast <to = 6> (w) " + TROP.format("p", "b", "c") + TROP.format("y", "a", "p"), "Products of least sums may be nested either way.", x="int8[2, 3] x, int8[3, 4] z, int8[4, 2] w", y="int32[2, 2] y", ranges={k: (-128, 127) for k in "xzw"}, arrays={"ax0": i64(0), "ax1": i64(1), "ax2": i64(2)})
LIFE = "f = Cast <to = 1> (x) "
LW = np.full((1, 1, 3, 3), 2, np.float32)
LW[0, 0, 1, 1] = 1
LN = np.ones((1, 1, 3, 3), np.float32)
LN[0, 0, 1, 1] = 0
equal(G, "f9-life-by-one-number", LIFE + "c = Conv <pads = [1, 1, 1, 1]> (f, w) a = Greater (c, four) b = Less (c, eight) y = And (a, b)", LIFE + "c = Conv <pads = [1, 1, 1, 1]> (f, n) a = Equal (c, three) b = Equal (c, two) d = And (b, x) y = Or (a, d)", "Twice the neighbours and itself, from five to seven.", x="bool[1, 1, 5, 5] x", y="bool[1, 1, 5, 5] y", arrays={"w": LW, "n": LN, "four": np.float32(4), "eight": np.float32(8), "three": np.float32(3), "two": np.float32(2)})
BUB = "".join(f"a{k} = Gather (x{k}, l{i}) b{k} = Gather (x{k}, l{i + 1}) n{k} = Min (a{k}, b{k}) m{k} = Max (a{k}, b{k}) c{k} = Concat <axis = 0> (n{k}, m{k}) x{k + 1} = ScatterElements (x{k}, e{i}, c{k}) " for k, i in enumerate((0, 1, 2, 3, 0, 1, 2, 0, 1, 0)))
BB = {f"l{i}": i64(i) for i in range(5)} | {f"e{i}": i64(i, i + 1) for i in range(4)}
equal(G, "f9-bubbles", "x0 = Identity (x) " + BUB + "y = Identity (x10)", "y, i = TopK <largest = 0> (x, k)", "Ten exchanges of neighbours put five in order.", x="int32[5] x", y="int32[5] y", arrays=BB | {"k": i64(5)}, ranges={"x": (-4, 4)})
VIT = "a{0} = Add ({1}, tr) m{0} = ReduceMax (a{0}, ax0) e{0} = Gather (x, i{0}) s{0} = Add (m{0}, e{0}) st{0} = Reshape (s{0}, col) "
VA = {"tr": f32(0, -3, -0.5, 0, shape=(2, 2)), "ax0": i64(0), "i0": i64(0), "i1": i64(1), "i2": i64(2), "col": i64(2, 1)}
PATHS = [(a, b, c) for a in range(2) for b in range(2) for c in range(2)]
ALL = np.zeros((8, 6), np.float32)
COST = np.zeros(8, np.float32)
for _k, (_a, _b, _c) in enumerate(PATHS):
    ALL[_k, [_a, 2 + _b, 4 + _c]] = 1
    COST[_k] = VA["tr"][_a, _b] + VA["tr"][_b, _c]
equal(G, "f9-best-of-all-paths", "f = Gather (x, i0) f0 = Reshape (f, col) " + VIT.format(1, "f0") + VIT.format(2, "st1") + "y = ReduceMax <keepdims = 0> (st2)", "f = Reshape (x, m1) s = MatMul (all, f) t = Add (s, cost) y = ReduceMax <keepdims = 0> (t)", "Step by step, or of all eight.", x="float[3, 2] x", y="float y", finite=True, arrays=VA | {"all": ALL, "cost": COST, "m1": i64(-1)})
KAD = "m0, y0 = Scan (z, x) <num_scan_inputs = 1, body = b (int32 a, int32 v) => (int32 p, int32 q) { s = Add (a, v) p = Max (s, z) q = Identity (p) }> y = ReduceMax <keepdims = 0> (y0)"
SEG = np.array([[1 if i <= k <= j else 0 for k in range(5)] for i in range(5) for j in range(i, 5)] + [[0] * 5], np.int32)
equal(G, "f9-best-stretch", "x1 = Cast <to = 6> (x) " + KAD.replace("(z, x)", "(z, x1)"), "x1 = Cast <to = 6> (x) s = MatMul (seg, x1) y = ReduceMax <keepdims = 0> (s)", "The largest sum of neighbours: running, or of all fifteen.", x="int8[5] x", y="int32 y", ranges={"x": (-128, 127)}, arrays={"z": np.int32(0), "seg": SEG})
DIL = "MaxPool <kernel_shape = [3], pads = [1, 1]>"
OPEN = "n{0} = Neg ({1}) e{0} = " + DIL + " (n{0}) g{0} = Neg (e{0}) {0} = " + DIL + " (g{0}) "
equal(G, "f9-opened-twice", OPEN.format("o", "x") + OPEN.format("y", "o"), OPEN.format("y", "x"), "What is opened is open.", x="float[1, 1, 9] x", y="float[1, 1, 9] y", finite=True)
equal(G, "f9-inversions-counted", "a = Unsqueeze (x, ax1) b = Unsqueeze (x, ax0) g = Greater (a, b) h = And (g, up) i = Cast <to = 7> (h) y = ReduceSum <keepdims = 0> (i)", "a = Unsqueeze (x, ax0) b = Unsqueeze (x, ax1) l = Greater (b, a) i = Cast <to = 7> (l) t = Trilu <upper = 1> (i, k1) y = ReduceSum <keepdims = 0> (t)", "Pairs out of order, by a mask or a triangle.", x="int32[5] x", y="int64 y", ranges={"x": (-3, 3)}, arrays={"ax0": i64(0), "ax1": i64(1), "up": np.triu(np.ones((5, 5), bool), 1), "k1": np.int64(1)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "algebra-alike9"
equal(G, "f9-rows-and-columns-by-squares", "k = Einsum <equation = \"ij,kl->ikjl\"> (a, b) m = Reshape (k, s) f = Reshape (x, col) p = MatMul (m, f) y = Reshape (p, o)", "t = Transpose (b) p = MatMul (a, x) y = MatMul (p, t)", "The large product of two small ones.", x="float[2, 3] a, float[4, 5] b, float[3, 5] x", y="float[2, 4] y", finite=True, arrays={"s": i64(8, 15), "col": i64(15, 1), "o": i64(2, 4)})
QM = "w, i, j, k = Split <axis = 0, num_outputs = 4> (q) ww = Mul (w, w) ii = Mul (i, i) jj = Mul (j, j) kk = Mul (k, k) ij = Mul (i, j) wk = Mul (w, k) ik = Mul (i, k) wj = Mul (w, j) jk = Mul (j, k) wi = Mul (w, i) a0 = Sub (ww, jj) a1 = Add (ii, a0) a = Sub (a1, kk) b0 = Sub (ij, wk) b = Add (b0, b0) c0 = Add (ik, wj) c = Add (c0, c0) d0 = Add (ij, wk) d = Add (d0, d0) e0 = Sub (ww, ii) e1 = Add (e0, jj) e = Sub (e1, kk) f0 = Sub (jk, wi) f = Add (f0, f0) g0 = Sub (ik, wj) g = Add (g0, g0) h0 = Add (jk, wi) h = Add (h0, h0) l0 = Sub (ww, ii) l1 = Sub (l0, jj) l = Add (l1, kk) m0 = Concat <axis = 0> (a, b, c, d, e, f, g, h, l) m = Reshape (m0, s) y = MatMul (m, x)"
equal(G, "f9-turned-by-opposite", "q = Identity (x4) " + QM, "q = Neg (x4) " + QM, "A quaternion and its opposite turn alike.", x="float[4] x4, float[3] x", y="float[3] y", finite=True, arrays={"s": i64(3, 3)})
HAM = "p, r = Split <axis = 0> (x4, sp) w2 = Mul (p, p) rr = ReduceSumSquare (r) dw = Sub (w2, rr) first = Mul (x, dw) rx = Mul (r, x) dot = ReduceSum (rx) dot2 = Add (dot, dot) second = Mul (r, dot2) ra = Gather (r, i120) xb = Gather (x, i201) rb = Gather (r, i201) xa = Gather (x, i120) u = Mul (ra, xb) v = Mul (rb, xa) cr = Sub (u, v) p2 = Add (p, p) third = Mul (cr, p2) y = Sum (first, second, third)"
equal(G, "f9-turned-by-matrix-or-vector", "q = Identity (x4) " + QM, HAM, "Its matrix, or a dot and a cross product.", x="float[4] x4, float[3] x", y="float[3] y", finite=True, arrays={"s": i64(3, 3), "sp": i64(1, 3), "i120": i64(1, 2, 0), "i201": i64(2, 0, 1)})
equal(G, "f9-one-and-product-of-vectors", "a = Unsqueeze (u, ax1) b = Unsqueeze (v, ax0) m = Mul (a, b) n = Add (m, eye) y = Det (n)", "p = Mul (u, v) s = ReduceSum <keepdims = 0> (p) y = Add (s, one)", "The determinant of one and a product of two vectors.", x="float[3] u, float[3] v", y="float y", finite=True, arrays={"ax0": i64(0), "ax1": i64(1), "eye": np.eye(3, dtype=np.float32), "one": np.float32(1)})
equal(G, "f9-product-as-filter", "r = Reshape (x, s) w0 = Reshape (z, s) w = Slice (w0, b, e, k, b) p = Conv <pads = [2, 2]> (r, w) y = Reshape (p, m1)", "u = Unsqueeze (x, ax1) v = Unsqueeze (z, ax0) m = Mul (u, v) p = Pad (m, pd) f = Reshape (p, m1) t = Slice (f, o, l) g = Reshape (t, sk) y = ReduceSum <keepdims = 0> (g, ax0)", "Of two polynomials: a filter turned about, or sums along the slant.", x="float[4] x, float[3] z", y="float[6] y", finite=True, arrays={"s": i64(1, 1, -1), "b": i64(-1), "e": i64(-2 ** 31), "k": i64(2), "m1": i64(-1), "ax0": i64(0), "ax1": i64(1), "pd": i64(0, 0, 0, 4), "o": i64(0), "l": i64(24), "sk": i64(4, 6)})
POLY = {f"c{k}": np.float32(c) for k, c in enumerate((1, -2, 0.5, 3))}
equal(G, "f9-polynomial-in-pairs", "a = Mul (x, c3) b = Add (a, c2) c = Mul (b, x) d = Add (c, c1) e = Mul (d, x) y = Add (e, c0)", "q = Mul (x, x) a = Mul (x, c3) b = Add (a, c2) d = Mul (x, c1) e = Add (d, c0) f = Mul (b, q) y = Add (e, f)", "From inside, or in pairs.", finite=True, arrays=POLY, **F)
equal(G, "f9-cosine-of-fourfold", "x1 = Clip (x, lo, hi) a = Mul (x1, four) y = Cos (a)", "x1 = Clip (x, lo, hi) c = Cos (x1) q = Mul (c, c) r = Mul (q, q) e = Mul (r, eight) f = Mul (q, eight) g = Sub (e, f) y = Add (g, one)", "8 c^4 - 8 c^2 + 1.", finite=True, arrays={"lo": np.float32(-4), "hi": np.float32(4), "four": np.float32(4), "eight": np.float32(8), "one": np.float32(1)}, **F)
equal(G, "f9-power-of-spectrum", {"body": "u = Unsqueeze (x, kx) d = DFT (u, , ax) y0 = ReduceSumSquare <keepdims = 0> (d) y = Div (y0, n)"}, {"body": "y = ReduceSumSquare <keepdims = 0> (x)"}, "The same as of the signal, eight times.", x="float[1, 8] x", y="float y", opset=20, ir=9, finite=True, arrays={"kx": i64(2), "ax": np.int64(1), "n": np.float32(8)})
equal(G, "f9-sums-in-window", "c = CumSum (x, a) p = Pad (c, pd) h = Slice (p, three, end) l = Slice (p, zero, m3) y = Sub (h, l)", "a0 = Slice (x, zero, m2) a1 = Slice (x, one, m1) a2 = Slice (x, two, end) b = Add (a0, a1) y = Add (b, a2)", "Differences of running sums.", x="int64[8] x", y="int64[6] y", arrays={"a": np.int64(0), "pd": i64(1, 0), "three": i64(3), "end": i64(99), "zero": i64(0), "m3": i64(-3), "m2": i64(-2), "m1": i64(-1), "one": i64(1), "two": i64(2)})
equal(G, "f9-no-overlap-clipped-later", "a = Max (p, r) b = Min (q, s) d = Sub (b, a) c = Relu (d) y = ReduceProd <keepdims = 0> (c)", "a = Max (p, r) b = Min (q, s) g = Greater (b, a) gi = Cast <to = 1> (g) all = ReduceMin <keepdims = 0> (gi) d = Sub (b, a) m = ReduceProd <keepdims = 0> (d) y = Mul (m, all)", "Only where both are positive.", x="float[2] p, float[2] q, float[2] r, float[2] s", y="float y", finite=True)
equal(G, "f9-loss-in-two-pieces", "a = Abs (x) q = Mul (x, x) h = Mul (q, half) c = Less (a, one) l = Sub (a, half) y = Where (c, h, l)", "a = Abs (x) m = Min (a, one) mm = Mul (m, m) h = Mul (mm, half) r = Sub (a, m) y = Add (h, r)", "The inner part and what is beyond it.", finite=True, arrays={"half": np.float32(0.5), "one": np.float32(1)}, **F)
equal(G, "f9-hue-of-grey-steps", "a = Sub (x, z) b = Max (a, o) c = Sub (z, x) d = Max (c, o) y = Add (b, d)", "h = Max (x, z) l = Min (x, z) y = Sub (h, l)", "One of both is nothing.", x="float[4] x, float[4] z", y="float[4] y", finite=True, arrays={"o": np.float32(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "bodies-alike9"
BN = {"t": T, "n": np.int64(3), "three": np.int64(3), "one": np.int64(1), "two": np.int64(2), "zero": np.int64(0)}
TRIL = "y = Loop (n, t, x) <body = b1 (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) m = Add (i, one) w = Loop (m, t, v) <body = b2 (int64 j, bool d2, int64 v2) => (bool e2, int64 w2) { e2 = Identity (d2) p = Mul (v2, three) w2 = Add (p, j) }> }>"


def nested(x=0):
    for i in range(3):
        for j in range(i + 1):
            x = 3 * x + j
    return x


equal(G, "f9-triangle-of-rounds", TRIL, "p = Mul (x, k) y = Add (p, c)", "Six rounds of an affine step.", arrays=BN | {"k": np.int64(729), "c": np.int64(nested())}, **ONE)
SWAP = "a, b = Loop (n, t, x, z) <body = bd (int64 i, bool d, int64 p, int64 q) => (bool e, int64 p1, int64 q1) {{ e = Identity (d) {} }}> y = Sub (a, b)"
equal(G, "f9-exchanged-three-times", SWAP.format("p1 = Identity (q) q1 = Identity (p)"), "y = Sub (z, x)", "Three times is once.", x="int64 x, int64 z", y="int64 y", arrays=BN, ranges={"x": FAR, "z": FAR})
equal(G, "f9-rounds-by-held-input", "m = BitwiseAnd (x, seven) y = Loop (m, t, o) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) w = Add (v, i) }>", "m = BitwiseAnd (x, seven) n = Sub (m, one) p = Mul (m, n) y = Div (p, two)", "Less than no rounds there are not.", arrays=BN | {"o": np.int64(0), "seven": np.int64(7)}, **ONE)
SCN = "h, y0 = Scan (s0, {}) <num_scan_inputs = 2{}, body = b (float a, float p, float q) => (float a1, float o) {{ m = Mul (p, q) a1 = Add (a, m) o = Identity (a1) }}> y = Identity (h)"
equal(G, "f9-scan-both-backwards", SCN.format("x, z", ""), SCN.format("x, z", ", scan_input_directions = [1, 1]"), "A sum does not hang on the order.", x="float[4] x, float[4] z", y="float y", finite=True, arrays={"s0": np.float32(0)})
equal(G, "f9-scan-once-turned", "h, y = Scan (s0, x) <num_scan_inputs = 1, scan_output_directions = [1], body = b (float a, float p) => (float a1, float o) { o = Mul (p, p) a1 = Add (a, o) }>", "q = Mul (x, x) y = Slice (q, m1, far, k0, m1)", "Put before, each time.", finite=True, arrays={"s0": np.float32(0), "m1": i64(-1), "far": i64(-99), "k0": i64(0)}, **F)
NIF = "m = ReduceMax <keepdims = 0> (x) c = Greater (m, five) y = If (c) <then_branch = a () => (float[4] p) { l = ReduceMin <keepdims = 0> (x) d = Greater (l, five) p = If (d) <then_branch = a1 () => (float[4] p1) { p1 = Relu (x) }, else_branch = a2 () => (float[4] p2) { p2 = Abs (x) }> }, else_branch = bb () => (float[4] q) { q = Abs (x) }>"
equal(G, "f9-branch-where-all-are-above", NIF, "y = Abs (x)", "Above 5 there is nothing below 0.", finite=True, arrays={"five": np.float32(5)}, **F)
equal(G, "f9-branch-of-either-length", "m = ReduceMax <keepdims = 0> (x) c = Greater (m, three) z = If (c) <then_branch = a () => (float[n] p) { p = Slice (x, b, e) }, else_branch = bb () => (float[n] q) { q = Slice (x, o, b) }> s = Size (z) f = Cast <to = 1> (s) y = Mul (x, f)", "m = ReduceMax <keepdims = 0> (x) c = Greater (m, three) f = Where (c, fthree, fone) y = Mul (x, f)", "Three or one are left.", finite=True, arrays={"three": np.float32(3), "b": i64(1), "e": i64(9), "o": i64(0), "fthree": np.float32(3), "fone": np.float32(1)}, **F)
equal(G, "f9-each-by-first", "s = SplitToSequence <axis = 0> (x, one) f = SequenceAt (s, zero) q = SequenceMap (s, f) <body = b (float[k] a, float[k] c) => (float[k] r) { r = Mul (a, c) }> y = ConcatFromSequence <axis = 0> (q)", "f = Gather (x, zz) y = Mul (x, f)", "A function of each part.", finite=True, arrays={"one": np.int64(1), "zero": np.int64(0), "zz": i64(0)}, **F)
equal(G, "f9-parts-rounded-up", "s = SplitToSequence <axis = 0> (x, three) y = SequenceLength (s)", "n = Size (x) m = Add (n, two) y = Div (m, three)", "The rest is a part.", x="float[n] x", y="int64 y", arrays=BN)
NEST = "<domain: \"own\", opset_import: [\"\" : 18, \"own\" : 1]>\nf <k> (a) => (b) {{ c = own.g <k: int = @k> (a) b = own.g <k: int = {}> (c) }}\n<domain: \"own\", opset_import: [\"\" : 18]>\ng <k> (a) => (b) {{ b = Softmax <axis: int = @k> (a) }}"
equal(G, "f9-attribute-handed-on-or-written", {"body": "y = own.f <k = 1> (x)", "domains": {"own": 1}, "functions": NEST.format("@k")}, {"body": "a = Softmax <axis = 1> (x) y = Softmax <axis = -1> (a)"}, "Twice along the second axis.", x="float[3, 3] x", y="float[3, 3] y", finite=True)
equal(G, "f9-trained-without-loss", "y = Dropout (x, r, t)", "y = Identity (x)", "In training, of none.", finite=True, arrays={"r": np.float32(0), "t": T}, **F)
equal(G, "f9-text-of-integer", "s = Cast <to = 8> (x) y = Cast <to = 7> (s)", "y = Identity (x)", "Digits and back.", x="int64[4] x", y="int64[4] y", ranges={"x": FAR})

# ---------------------------------------------------------------------------------------------------------------------------
G = "wrapped-alike9"
XZ = dict(x="int32[4] x, int32[4] z", y="bool[4] y", ranges={"x": (-3, 3), "z": (-3, 3)})
XB = dict(x="int32[4] x", y="bool[4] y", ranges={"x": (-3, 3)})
CW = {"one": np.int32(1), "mone": np.int32(-1), "two": np.int32(2), "zero": np.int32(0), "three": np.int32(3), "four": np.int32(4), "eight": np.int32(8)}
equal(G, "f9-product-with-next", "a = Add (x, one) p = Mul (x, a) y = Equal (p, zero)", "a = Equal (x, zero) b = Equal (x, mone) y = Or (a, b)", "One of both is odd, so that the other is 0, wrapped too.", arrays=CW, **XB)
equal(G, "f9-thrice-the-same", "a = Mul (x, three) b = Mul (z, three) y = Equal (a, b)", "y = Equal (x, z)", "An odd factor loses nothing.", arrays=CW, **XZ)
equal(G, "f9-odd-cubes-the-same", "".join(f"d{k} = Mul ({k}, two) o{k} = Add (d{k}, one) q{k} = Mul (o{k}, o{k}) c{k} = Mul (q{k}, o{k}) " for k in "xz") + "y = Equal (cx, cz)", "dx = Mul (x, two) dz = Mul (z, two) y = Equal (dx, dz)", "Cubes of odd numbers lose nothing.", arrays=CW, **XZ)
equal(G, "f9-remainder-of-multiple", "a = BitwiseAnd (x, pos) m = Mod (a, mio) y = Mod (m, k)", "a = BitwiseAnd (x, pos) y = Mod (a, k)", "A thousand divides a million.", arrays={"pos": np.int32(2 ** 31 - 1), "mio": np.int32(1000000), "k": np.int32(1000)}, **I32)
equal(G, "f9-remainder-of-double-by-eight", "d = Mul (x, two) y = Mod (d, eight)", "m = Mod (x, four) y = Mul (m, two)", "Eight divides 2^32.", arrays=CW, **I32)
equal(G, "f9-divided-twice", "a = Div (x, three) y = Div (a, five)", "y = Div (x, fifteen)", "Cut off twice or once.", arrays={"three": np.int32(3), "five": np.int32(5), "fifteen": np.int32(15)}, **I32)
equal(G, "f9-byte-of-integer", "c = Cast <to = 3> (x) y = Cast <to = 6> (c)", "a = BitwiseAnd (x, ff) b = BitwiseXor (a, h) y = Sub (b, h)", "The low byte with its sign.", arrays={"ff": np.int32(255), "h": np.int32(128)}, **I32)
THROUGH = "c = Cast <to = {}> (a) f = Cast <to = 1> (c) y = Cast <to = 6> (f)"
equal(G, "f9-four-bits-through-eighth", "a0 = BitwiseAnd (x, m) a = Cast <to = 1> (a0) " + THROUGH.format(17), "y = BitwiseAnd (x, m)", "Four digits.", arrays={"m": np.int32(15)}, opset=19, ir=9, **I32)
equal(G, "f9-byte-through-brain", "a = Cast <to = 1> (x) " + THROUGH.format(16), "y = Cast <to = 6> (x)", "Eight digits.", x="uint8[5] x", y="int32[5] y", ranges={"x": (0, 255)})
equal(G, "f9-determinant-wrapped-twice", "a, b, c, d = Split <axis = 0, num_outputs = 4> (x) p = Mul (a, d) q = Mul (b, c) y = Sub (p, q)", "w = Cast <to = 7> (x) a, b, c, d = Split <axis = 0, num_outputs = 4> (w) p = Mul (a, d) q = Mul (b, c) r = Sub (p, q) s = BitwiseAnd (r, low) t = BitwiseXor (s, top) u = Sub (t, top) y = Cast <to = 6> (u)", "The low half of the wide one.", x="int32[4] x", y="int32[1] y", ranges={"x": WIDE}, arrays={"low": np.int64(2 ** 32 - 1), "top": np.int64(2 ** 31)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "further-alike9"


def with_sparse(values, indices, dims=(3, 4)):
    values, indices = np.asarray(values, np.float32), np.asarray(indices, np.int64)
    proto = model("float[2, 3] x", "float[2, 4] y", "y = MatMul (x, w)", opset=18)
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(helper.make_tensor("w", TensorProto.FLOAT, values.shape, values.tolist()), helper.make_tensor("w_i", TensorProto.INT64, indices.shape, indices.reshape(-1).tolist()), list(dims)))
    return proto


def with_dense(array):
    proto = model("float[2, 3] x", "float[2, 4] y", "y = MatMul (x, w)", opset=18)
    proto.graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, array.shape, array.reshape(-1).tolist()))
    return proto


DENSE = np.zeros((3, 4), np.float32)
DENSE[0, 1], DENSE[2, 3] = 1, 2
equal_models(G, "f9-sparse-as-dense", lambda: (with_sparse([1, 2], [[0, 1], [2, 3]]), with_dense(DENSE)), "Ten zeros not stored.", finite=True)
equal_models(G, "f9-sparse-flat-as-by-axes", lambda: (with_sparse([1, 2], [1, 11]), with_sparse([1, 2], [[0, 1], [2, 3]])), "11 is row 2, place 3.", finite=True)


def nibbles(kind, values):
    proto = model("float[3] x", "float[3] y", "f = Cast <to = 1> (w) y = Mul (x, f)", opset=21, ir=10)
    proto.graph.initializer.append(helper.make_tensor("w", kind, [3], values))
    return proto


equal_models(G, "f9-nibbles-below-eight", lambda: (nibbles(TensorProto.INT4, [1, 0, 7]), nibbles(TensorProto.UINT4, [1, 0, 7])), "With a sign that none has.", finite=True)
equal(G, "f9-constant-in-node", "c = Constant <value_floats = [1.0, 2.0, 3.0, 4.0]> () y = Mul (x, c)", "y = Mul (x, w)", "Written in the node or stored.", finite=True, arrays={"w": f32(1, 2, 3, 4)}, **F)
equal(G, "f9-mean-of-norm", "a, y = LayerNormalization (x, s)", "y = ReduceMean (x, k)", "Its second result.", x="float[2, 3] x", y="float[2, 1] y", finite=True, arrays={"s": f32(1, 1, 1), "k": i64(1)})
equal(G, "f9-deviation-of-norm", "a, m, y = LayerNormalization <epsilon = 0.01> (x, s)", "m = ReduceMean (x, k) c = Sub (x, m) q = Mul (c, c) v = ReduceMean (q, k) w = Add (v, e) d = Sqrt (w) y = Reciprocal (d)", "Its third result.", x="float[2, 3] x", y="float[2, 1] y", finite=True, arrays={"s": f32(1, 1, 1), "k": i64(1), "e": np.float32(0.01)})
equal(G, "f9-third-of-length-up", "y, b, c = Split <axis = 0, num_outputs = 3> (x)", "s = Shape (x) t = Add (s, two) k = Div (t, three) y = Slice (x, z, k)", "Parts are as long as a third, rounded up.", x="float[7] x", y="float[3] y", arrays={"two": i64(2), "three": i64(3), "z": i64(0)})
equal(G, "f9-quantised-filter-in-order", "y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz)", "t = Gather <axis = 0> (w, i) u = QLinearConv (x, xs, xz, t, wt, wz, ys, yz) y = Gather <axis = 1> (u, i)", "Filters exchanged with their scales, and back.", x="uint8[1, 1, 6] x", y="uint8[1, 2, 4] y", ranges={"x": (0, 255)}, arrays={"xs": np.float32(0.5), "xz": np.uint8(128), "w": np.array([[[1, 2, -1]], [[3, 0, 1]]], np.int8), "ws": f32(0.25, 0.125), "wt": f32(0.125, 0.25), "wz": np.array([0, 0], np.int8), "ys": np.float32(0.5), "yz": np.uint8(128), "i": i64(1, 0)})
equal(G, "f9-added-in-quantised-held", "a = DequantizeLinear (x, s, z) b = DequantizeLinear (w, s, z) c = Add (a, b) y = QuantizeLinear (c, s, z)", "p = Cast <to = 6> (x) q = Cast <to = 6> (w) r = Add (p, q) r2 = Sub (r, zi) r3 = Clip (r2, lo, hi) y = Cast <to = 2> (r3)", "Sums of halves are halves.", x="uint8[5] x, uint8[5] w", y="uint8[5] y", ranges={"x": (0, 255), "w": (0, 255)}, arrays={"s": np.float32(0.5), "z": np.uint8(100), "zi": np.int32(100), "lo": np.int32(0), "hi": np.int32(255)})
equal(G, "f9-largest-of-pooled-places", "v, i = MaxPool <kernel_shape = [6]> (x) y = Squeeze (i)", "i = ArgMax <axis = 2, keepdims = 0> (x) y = Squeeze (i)", "A window of all.", x="float[1, 1, 6] x", y="int64 y", finite=True)
equal(G, "f9-spread-by-two-ways", "a = ConstantOfShape <value = float[1] {1.0}> (s) y = Mul (a, x)", "y = Expand (x, s)", "Ones times.", x="float[3] x", y="float[2, 3] y", arrays={"s": i64(2, 3)}, finite=True)
equal(G, "f9-offsets-of-whole-steps", "y = DeformConv (x, w, o)", "p = Pad (x, pd) y = Slice (p, b, e, ax)", "Each place from one further.", x="float[1, 1, 4, 4] x", y="float[1, 1, 4, 4] y", opset=19, ir=9, reference=True, finite=True, arrays={"w": f32(1, shape=(1, 1, 1, 1)), "o": np.stack([np.zeros((4, 4)), np.ones((4, 4))])[None].astype(np.float32), "pd": i64(0, 0, 0, 0, 0, 0, 0, 1), "b": i64(1), "e": i64(5), "ax": i64(3)})
equal(G, "f9-spectrum-of-windows-by-frames", "y = STFT (x, st, , fl)", "a = Slice (x, b0, e0, ax) b = Slice (x, b1, e1, ax) c = Slice (x, b2, e2, ax) ua = Unsqueeze (a, ax) ub = Unsqueeze (b, ax) uc = Unsqueeze (c, ax) f = Concat <axis = 1> (ua, ub, uc) y = DFT <axis = 2, onesided = 1> (f)", "Three frames, each by itself.", x="float[1, 8, 1] x", y="float[1, 3, 3, 2] y", finite=True, arrays={"st": np.int64(2), "fl": np.int64(4), "ax": i64(1)} | {f"b{k}": i64(2 * k) for k in range(3)} | {f"e{k}": i64(2 * k + 4) for k in range(3)})
