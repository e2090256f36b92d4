"""Pairs that differ: operators of later sets, of learnt tables and texts, number theory, graphs, boxes, automata, bodies, stores."""
import numpy as np
from onnx import TensorProto, helper

from pair_models import different, different_models, f32, i32, i64, model, noise, ramp, u8

F = dict(x="float[4] x", y="float[4] y")
I64 = dict(x="int64[3] x", y="int64[3] y")
I32 = dict(x="int32[3] x", y="int32[3] y")


# ---------------------------------------------------------------------------------------------------------------------------
G = "later9"
LATER = {"opset": 23, "ir": 10}
QKV = dict(x="float[1, 2, 3, 4] q, float[1, 2, 5, 4] k, float[1, 2, 5, 4] v", y="float[1, 2, 3, 4] y")
ATT = {"q": noise(1, 2, 3, 4, seed=1), "k": noise(1, 2, 5, 4, seed=2), "v": noise(1, 2, 5, 4, seed=3)}
different(G, "f9-attention-own-scale", {"body": "y = Attention (q, k, v)"}, {"body": "y = Attention <scale = 1.0> (q, k, v)"}, ATT, "The root of the size of a head, unless said.", **LATER, **QKV)
different(G, "f9-attention-soft-cap", {"body": "y = Attention (q, k, v)"}, {"body": "y = Attention <softcap = 4.0> (q, k, v)"}, {k: a * 2 for k, a in ATT.items()}, "Only large scores are capped.", **LATER, **QKV)
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 0]], bool)
different(G, "f9-attention-one-place-hidden", {"body": "y = Attention (q, k, v)"}, {"body": "y = Attention (q, k, v, m)"}, ATT, "The last query does not see the last key.", arrays={"m": MASK}, **LATER, **QKV)
different(G, "f9-attention-mask-added-or-chosen", {"body": "f = Cast <to = 1> (m) y = Attention (q, k, v, f)"}, {"body": "y = Attention (q, k, v, m)"}, ATT | {"m": MASK}, "One is added where it is true, or all others are hidden.", x=QKV["x"] + ", bool[3, 5] m", y=QKV["y"], **LATER)
different(G, "f9-attention-of-shared-keys", {"body": "y = Attention (q, k, v)"}, {"body": "k0, k1 = Split <axis = 1, num_outputs = 2> (k) v0, v1 = Split <axis = 1, num_outputs = 2> (v) kk = Concat <axis = 1> (k0, k1, k0, k1) vv = Concat <axis = 1> (v0, v1, v0, v1) y = Attention (q, kk, vv)"}, ATT | {"q": noise(1, 4, 3, 4, seed=1)}, "Neighbours share a key, not those two apart.", x="float[1, 4, 3, 4] q, float[1, 2, 5, 4] k, float[1, 2, 5, 4] v", y="float[1, 4, 3, 4] y", **LATER)
ROPE = dict(x="float[1, 2, 3, 4] x", y="float[1, 2, 3, 4] y")
ANG = np.outer(np.arange(5), [1, 0.1]).astype(np.float32)
RC = {"c": np.cos(ANG), "s": np.sin(ANG), "p": i64(0, 1, 2, shape=(1, 3)), "p1": i64(0, 1, 3, shape=(1, 3))}
different(G, "f9-rotary-interleaved", {"body": "y = RotaryEmbedding (x, c, s, p)"}, {"body": "y = RotaryEmbedding <interleaved = 1> (x, c, s, p)"}, {"x": noise(1, 2, 3, 4, seed=4)}, "Halves or neighbours.", arrays=RC, **LATER, **ROPE)
different(G, "f9-rotary-last-place", {"body": "y = RotaryEmbedding (x, c, s, p)"}, {"body": "y = RotaryEmbedding (x, c, s, p1)"}, {"x": noise(1, 2, 3, 4, seed=4)}, "The last one stands one further.", arrays=RC, **LATER, **ROPE)
different(G, "f9-root-mean-square-floor", {"body": "y = RMSNormalization (x, w)"}, {"body": "q = Mul (x, x) m = ReduceMean (q, k) r0 = Sqrt (m) r = Max (r0, e) n = Div (x, r) y = Mul (n, w)"}, {"x": f32(1e-3, 2e-3, -1e-3, 3e-3)}, "1e-5 is added before the root.", arrays={"w": f32(1, 2, 1, 1), "k": i64(0), "e": np.float32(1e-5)}, **LATER, **F)
different(G, "f9-root-mean-square-of-which", {"body": "y = RMSNormalization <axis = 1> (x, w)"}, {"body": "y = RMSNormalization <axis = 2> (x, w1)"}, {"x": noise(2, 3, 2, seed=4)}, "Of two axes together or of the last.", x="float[2, 3, 2] x", y="float[2, 3, 2] y", arrays={"w": np.ones((3, 2), np.float32), "w1": np.ones(2, np.float32)}, **LATER)
different(G, "f9-swish-steeper", {"body": "y = Swish (x)"}, {"body": "y = Swish <alpha = 1.05> (x)"}, {"x": f32(1, -1, 2, -2)}, "Steeper by a twentieth.", opset=24, ir=10, **F)
different(G, "f9-cache-round-or-straight", {"body": "m = Min (w, two) y = TensorScatter (p, u, m)", "arrays": {"two": i64(2)}}, {"body": "y = TensorScatter <mode = \"circular\"> (p, u, w)"}, {"p": ramp(1, 4, 2), "u": noise(1, 2, 2, seed=3), "w": i64(3)}, "Only beyond the end: held back, or begun anew.", x="float[1, 4, 2] p, float[1, 2, 2] u, int64[1] w", y="float[1, 4, 2] y", opset=24, ir=10)
COL = dict(x="float[1, 4, 4] x", y="float[1, 1, 3, 3] y")
different(G, "f9-columns-overlapped", "y = Col2Im (x, s, k)", "a = Col2Im (x, s, k) o = Mul (x, z) b = Add (o, one) c = Col2Im (b, s, k) y = Div (a, c)", {"x": noise(1, 4, 4, seed=4)}, "Where windows overlap they are summed, not averaged.", arrays={"s": i64(3, 3), "k": i64(2, 2), "z": np.float32(0), "one": np.float32(1)}, reference=True, **COL)
DEF = dict(x="float[1, 1, 4, 4] x, float[1, 2, 4, 4] o", y="float[1, 1, 4, 4] y")
different(G, "f9-offsets-down-or-along", {"body": "y = DeformConv (x, w, o)"}, {"body": "a, b = Split <axis = 1, num_outputs = 2> (o) p = Concat <axis = 1> (b, a) y = DeformConv (x, w, p)"}, {"x": noise(1, 1, 4, 4, seed=4), "o": np.stack([np.full((4, 4), 0.5), np.zeros((4, 4))])[None].astype(np.float32)}, "Down comes first.", arrays={"w": f32(2, shape=(1, 1, 1, 1))}, opset=19, ir=9, reference=True, **DEF)
different(G, "f9-unpooled-elsewhere", "v, i = MaxPool <kernel_shape = [2], strides = [2]> (x) y = MaxUnpool <kernel_shape = [2], strides = [2]> (v, i)", "v, i = MaxPool <kernel_shape = [2], strides = [2]> (x) u = Unsqueeze (v, k) z = Mul (u, o) c = Concat <axis = 3> (u, z) y = Reshape (c, s)", {"x": f32(1, 2, 4, 3, 0, 1, shape=(1, 1, 6))}, "At its place, or at the first of two.", x="float[1, 1, 6] x", y="float[1, 1, 6] y", arrays={"k": i64(3), "o": np.float32(0), "s": i64(1, 1, 6)})
different(G, "f9-upsampled-by-old-rule", {"body": "y = Upsample <mode = \"linear\"> (x, s)", "opset": 9, "ir": 4}, {"body": "y = Resize <mode = \"linear\"> (x, , s)", "opset": 13, "ir": 7}, {"x": ramp(1, 1, 3, 3)}, "From corners, not from half a pixel.", x="float[1, 1, 3, 3] x", y="float[1, 1, 6, 6] y", arrays={"s": f32(1, 1, 2, 2)})
different(G, "f9-scattered-by-which-axis", {"body": "y = Scatter (x, i, u)", "opset": 9, "ir": 4}, {"body": "y = ScatterElements <axis = 1> (x, i, u)", "opset": 13, "ir": 7}, {"x": np.zeros((3, 3), np.float32)}, "Into rows unless said.", x="float[3, 3] x", y="float[3, 3] y", arrays={"i": i64(1, 0, 2, 0, 1, 2, shape=(2, 3)), "u": ramp(2, 3, shift=1.0)})
different(G, "f9-means-of-three", "y = Mean (a, b, c)", "p = Mean (a, b) y = Mean (p, c)", {"a": f32(1, 2, 3, 4), "b": f32(2, 4, 6, 8), "c": f32(0, 0, 1, 1)}, "The last one counts half.", x="float[4] a, float[4] b, float[4] c", y="float[4] y")
WIN = dict(x="float[8] x", y="float[8] y")
different(G, "f9-hamming-or-hann", "w = HammingWindow (n) y = Mul (x, w)", "w = HannWindow (n) y = Mul (x, w)", {"x": f32(1, 1, 1, 1, 1, 1, 1, 1)}, "One does not end at zero.", arrays={"n": np.int64(8)}, **WIN)
different(G, "f9-blackman-round", "w = BlackmanWindow (n) y = Mul (x, w)", "w = BlackmanWindow <periodic = 0> (n) y = Mul (x, w)", {"x": f32(1, 1, 1, 1, 1, 1, 1, 1)}, "Round or from end to end.", arrays={"n": np.int64(8)}, **WIN)
QC = {"xs": np.float32(0.5), "xz": np.uint8(128), "w": np.array([[[1, 2, -1]], [[3, 0, 1]]], np.int8), "ws": f32(0.1, 0.1), "wt": f32(0.1, 0.2), "wz": np.array([0, 0], np.int8), "ys": np.float32(0.5), "yz": np.uint8(128)}
QX = dict(x="uint8[1, 1, 6] x", y="uint8[1, 2, 4] y")
QCONV = "y = QLinearConv (x, xs, xz, w, {}, wz, ys, yz)"
different(G, "f9-scale-of-second-filter", QCONV.format("ws"), QCONV.format("wt"), {"x": u8(1, 200, 3, 99, 250, 7).reshape(1, 1, 6)}, "The second filter counts twice.", arrays=QC, **QX)
different(G, "f9-border-of-quantised", QCONV.format("ws").replace("(x,", "<pads = [1, 1]> (x,"), "p = Pad (x, pd) " + QCONV.format("ws").replace("(x,", "(p,"), {"x": u8(1, 200, 3, 99, 250, 7).reshape(1, 1, 6)}, "The border is the zero point, 128.", arrays=QC | {"pd": i64(0, 0, 1, 0, 0, 1)}, x="uint8[1, 1, 6] x", y="uint8[1, 2, 6] y")
different(G, "f9-spectrum-of-one-side", {"body": "y = STFT (x, st, , fl)"}, {"body": "a = STFT <onesided = 0> (x, st, , fl) y = Slice (a, b, e, ax)"}, {"x": noise(1, 8, 1, seed=3)}, "From the first, or from the second.", x="float[1, 8, 1] x", y="float[1, 3, c, 2] y", arrays={"st": np.int64(2), "fl": np.int64(4), "b": i64(1), "e": i64(4), "ax": i64(2)})
different(G, "f9-first-not-said", "y = ConstantOfShape <value = float[1] {1.0}> (x)", "y = ConstantOfShape (x)", {"x": i64(2, 3)}, "Of zeros unless said.", x="int64[2] x", y="float[a, b] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "learnt9"
ML = {"domains": {"ai.onnx.ml": 3}}
X14 = dict(x="float[1, 4] x", y="float[1, 4] y")
different(G, "f9-binary-at-threshold", "y = ai.onnx.ml.Binarizer <threshold = 0.5> (x)", "c = GreaterOrEqual (x, t) y = Cast <to = 1> (c)", {"x": f32(0.5, 1, 2, 0, shape=(1, 4))}, "The threshold itself is not above.", arrays={"t": np.float32(0.5)}, **ML, **X14)
different(G, "f9-normed-by-size", "y = ai.onnx.ml.Normalizer <norm = \"L1\"> (x)", "s = ReduceSum (x, k) y = Div (x, s)", {"x": f32(0.5, -1, 2, 3, shape=(1, 4))}, "By the sum of sizes; of positive ones the same.", arrays={"k": i64(1)}, **ML, **X14)
different(G, "f9-scaled-before-moved", "y = ai.onnx.ml.Scaler <offset = [1.0, 0.0, 0.0, 0.0], scale = [2.0, 1.0, 1.0, 1.0]> (x)", "m = Mul (x, s) y = Sub (m, o)", {"x": f32(0.5, -1, 2, 3, shape=(1, 4))}, "The offset is taken first.", arrays={"s": f32(2, 1, 1, 1), "o": f32(1, 0, 0, 0)}, **ML, **X14)
different(G, "f9-imputed-number", "y = ai.onnx.ml.Imputer <imputed_value_floats = [7.0], replaced_value_float = -999.0> (x)", "y = Identity (x)", {"x": f32(0.5, -999, 2, 3, shape=(1, 4))}, "-999 stands for what is not known.", **ML, **X14)
different(G, "f9-class-not-met", "y = ai.onnx.ml.OneHotEncoder <cats_int64s = [1, 2, 3], zeros = 1> (x)", "z = Sub (x, one) y = OneHot (z, d, v)", {"x": i64(0, 1, 3)}, "0 is no class, or the last one from behind.", x="int64[3] x", y="float[3, 3] y", arrays={"one": np.int64(1), "d": np.int64(3), "v": f32(0, 1)}, **ML)
TREE = ("y = ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4], nodes_featureids = [0, 0, 1, 0, 0], "
        "nodes_values = [0.5, 0.0, 1.5, 0.0, 0.0], nodes_modes = [\"{0}\", \"LEAF\", \"{1}\", \"LEAF\", \"LEAF\"], nodes_truenodeids = [1, 0, 3, 0, 0], nodes_falsenodeids = [2, 0, 4, 0, 0], "
        "target_treeids = [0, 0, 0], target_nodeids = [1, 3, 4], target_ids = [0, 0, 0], target_weights = [1.0, 2.0, {2}]{3}> (x)")
TX = dict(x="float[2, 2] x", y="float[2, 1] y")
different(G, "f9-second-node-below", TREE.format("BRANCH_LEQ", "BRANCH_LEQ", "4.0", ""), TREE.format("BRANCH_LEQ", "BRANCH_LT", "4.0", ""), {"x": f32(1, 1.5, 0, 0, shape=(2, 2))}, "1.5 itself at the second node.", **ML, **TX)
different(G, "f9-least-of-one-tree", TREE.format("BRANCH_LEQ", "BRANCH_LEQ", "4.0", ", base_values = [1.0]"), TREE.format("BRANCH_LEQ", "BRANCH_LEQ", "4.0", ""), {"x": f32(1, 2, 0, 0, shape=(2, 2))}, "What all begin with.", **ML, **TX)
different(G, "f9-last-leaf", TREE.format("BRANCH_LEQ", "BRANCH_LEQ", "4.0", ""), TREE.format("BRANCH_LEQ", "BRANCH_LEQ", "5.0", ""), {"x": f32(1, 2, 0, 0, shape=(2, 2))}, "The last of three leaves.", **ML, **TX)
different(G, "f9-linear-after-transform", "y = ai.onnx.ml.LinearRegressor <coefficients = [1.0, 2.0], intercepts = [0.5]> (x)", "m = MatMul (x, w) y = Add (m, b)", {"x": f32(1, 2, 0, 0, shape=(2, 2))}, "The second weight counts twice, not 2.01 times.", arrays={"w": f32(1, 2.01, shape=(2, 1)), "b": f32(0.5)}, **ML, **TX)
SVM = "y = ai.onnx.ml.SVMRegressor <coefficients = [1.0, -1.0], kernel_type = \"{}\", kernel_params = [0.5, {}, 3.0], n_supports = 2, rho = [0.25], support_vectors = [1.0, 0.0, 0.0, 1.0]> (x)"
different(G, "f9-kernel-constant", SVM.format("POLY", "0.0"), SVM.format("POLY", "1.0"), {"x": f32(1, 2, 0, 1, shape=(2, 2))}, "One is added before the third power.", **ML, **TX)
different(G, "f9-label-by-default", "y = ai.onnx.ml.LabelEncoder <keys_int64s = [1, 2, 3], values_int64s = [10, 20, 30], default_int64 = -1> (x)", "y = Mul (x, k)", {"x": i64(4, 1, 2)}, "Beyond three it is -1.", x="int64[3] x", y="int64[3] y", arrays={"k": np.int64(10)}, **ML)
different(G, "f9-features-picked", "y = ai.onnx.ml.ArrayFeatureExtractor (x, i)", "y = Gather <axis = 0> (x, i)", {"x": ramp(3, 3)}, "Of the last axis; of a square as large.", x="float[3, 3] x", y="float[3, 3] y", arrays={"i": i64(2, 0, 1)}, **ML)

# ---------------------------------------------------------------------------------------------------------------------------
G = "texts9"
WORDS = np.array(["ab", "c d", "e"], dtype=object)
ST = {"opset": 20, "ir": 9}
different(G, "f9-joined-in-order", {"body": "y = StringConcat (x, z)"}, {"body": "y = StringConcat (z, x)"}, {"x": WORDS, "z": np.array(["ab", "f", "e"], dtype=object)}, "Of equal ones the same.", x="string[3] x, string[3] z", y="string[3] y", **ST)
different(G, "f9-parted-at-blanks", {"body": "p, y = StringSplit (x)"}, {"body": "p, y = StringSplit <delimiter = \" \"> (x)"}, {"x": np.array(["a  b", "c d", "e"], dtype=object)}, "Two blanks part once or twice.", x="string[3] x", y="int64[3] y", **ST)
different(G, "f9-parted-at-most-once", {"body": "p, y = StringSplit <delimiter = \"-\"> (x)"}, {"body": "p, y = StringSplit <delimiter = \"-\", maxsplit = 2> (x)"}, {"x": np.array(["a-b-c-d", "c-d", "e"], dtype=object)}, "From the third on it stays together.", x="string[3] x", y="int64[3] y", **ST)
different(G, "f9-dot-is-any", {"body": "y = RegexFullMatch <pattern = \"[0-9]+.[0-9]\"> (x)"}, {"body": "y = RegexFullMatch <pattern = \"[0-9]+[.][0-9]\"> (x)"}, {"x": np.array(["12.5", "12,5", "e"], dtype=object)}, "A dot stands for any letter.", x="string[3] x", y="bool[3] y", **ST)
TF = "y = TfIdfVectorizer <max_gram_length = 2, max_skip_count = {1}, min_gram_length = 2, mode = \"{0}\", ngram_counts = [0, 2], ngram_indexes = [0, 1, 2, 3], pool_int64s = [1, 2, 1, 2, 2, 3]> (x)"
different(G, "f9-pairs-with-gap", TF.format("TF", 0), TF.format("TF", 1), {"x": i64(1, 5, 2, 9, 9)}, "With one between.", x="int64[5] x", y="float[4] y")
different(G, "f9-counted-or-met", TF.format("TF", 0), TF.format("IDF", 0), {"x": i64(1, 2, 1, 2, 9)}, "How often, or whether at all.", x="int64[5] x", y="float[4] y")
different(G, "f9-through-digits", "s = Cast <to = 8> (x) y = Cast <to = 1> (s)", "i = Cast <to = 7> (x) y = Cast <to = 1> (i)", {"x": f32(1.5, 2, 3, 4)}, "Digits keep the fraction.", **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers9"
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)


def loop(rounds, body, start="x", out="y", more=""):
    """A loop over one number."""
    return f"{more}{out} = Loop ({rounds}, t, {start}) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w) {{ e = Identity (d) {body} }}> "


COLL = "o = BitwiseAnd (v, one) od = Cast <to = 9> (o) h = Div (v, two) tr = Mul (v, three) tp = Add (tr, one) n0 = Where (od, tp, h) st = LessOrEqual (v, one) w = Where (st, v, n0)"
HUNDRED = "a0 = Abs (x) a1 = Mod (a0, hund) a = Add (a1, one) "
CN = {"t": T, "one": np.int64(1), "two": np.int64(2), "three": np.int64(3), "hund": np.int64(99)}
different(G, "f9-halved-or-tripled", HUNDRED + loop("r1", COLL, "a"), HUNDRED + loop("r2", COLL, "a"), {"x": np.int64(96)}, "Below 100 only 97 takes more than 116 rounds to come to 1.", arrays=CN | {"r1": np.int64(116), "r2": np.int64(130)}, **ONE)
POWM = "p = Mul (v, two) w = Mod (p, n)"
BELOW = "a0 = Abs (x) a1 = Mod (a0, k) a2 = Mul (a1, two) n = Add (a2, three) "
FERMAT = BELOW + "m1 = Sub (n, one) " + loop("m1", POWM, "one", "f") + "g = Equal (f, one) y = Cast <to = 7> (g)"
TRIAL = BELOW + "m = Mod (n, dv) z = Equal (m, zero) ls = Less (dv, n) c = And (z, ls) ci = Cast <to = 7> (c) s = ReduceMax <keepdims = 0> (ci) y = Sub (one, s)"
different(G, "f9-prime-by-power-of-two", FERMAT, TRIAL, {"x": np.int64(169)}, "Of odd numbers below 561 only 341 is taken for a prime.", arrays=CN | {"k": np.int64(270), "zero": np.int64(0), "dv": i64(3, 5, 7, 11, 13, 17, 19, 23)}, **ONE)
POW2 = "m = Sub (x, one) a = BitwiseAnd (x, m) z = Equal (a, zero) "
different(G, "f9-power-of-two-of-none", POW2 + "y = Cast <to = 7> (z)", POW2 + "n = Equal (x, zero) nn = Not (n) r = And (z, nn) y = Cast <to = 7> (r)", {"x": i64(0, 1, 6)}, "0 is none.", arrays={"one": np.int64(1), "zero": np.int64(0)}, **I64)
DIG = "a0 = Abs (x) d = Mod (a0, ten) e = Mul (d, two) "
different(G, "f9-digit-nine-doubled", DIG + "c = Greater (e, nine) f = Sub (e, nine) y = Where (c, f, e)", DIG + "y = Mod (e, nine)", {"x": i64(9, 1, 6)}, "Only 9 stays 9, as a card's number is checked.", arrays={"ten": np.int64(10), "two": np.int64(2), "nine": np.int64(9)}, **I64)
NEWT = "p{1} = Mul (u, v{0}) q{1} = Sub (two, p{1}) v{1} = Mul (v{0}, q{1}) "
INV = "ev = Mul (x, two) u = Add (ev, one) v0 = Identity (u) " + NEWT.format(0, 1) + NEWT.format(1, 2) + NEWT.format(2, 3)
IN = {"two": np.int32(2), "one": np.int32(1), "m25": np.int32(2 ** 25 - 1)}
different(G, "f9-inverse-in-24-bits", INV + "y = BitwiseAnd (v3, m25)", INV + NEWT.format(3, 4) + "y = BitwiseAnd (v4, m25)", {"x": i32(5, 3, 9)}, "Three steps give 24 bits of the inverse, not 25.", arrays=IN, **I32)
EUCLID = "y, rest = Loop ({}, t, a, b) <body = bd (int64 i, bool d, int64 p, int64 q) => (bool e, int64 p1, int64 q1) {{ e = Identity (d) g = Greater (q, zero) o = Max (q, one) r = Mod (p, o) p1 = Where (g, q, p) q1 = Where (g, r, q) }}>"
PAIR = "xa = Abs (x) a = Mod (xa, k) za = Abs (z) b = Mod (za, k) "
different(G, "f9-common-divisor-in-nine", PAIR + EUCLID.format("r1"), PAIR + EUCLID.format("r2"), {"x": np.int64(55), "z": np.int64(89)}, "Below 100 only 55 and 89 need ten rounds.", x="int64 x, int64 z", y="int64 y", arrays={"k": np.int64(100), "one": np.int64(1), "zero": np.int64(0), "t": T, "r1": np.int64(9), "r2": np.int64(12)})
different(G, "f9-even-square-plus-prime", "a = Abs (x) b = Mod (a, k) c = Mul (b, b) d = Add (c, b) n = Add (d, p) m = Mod (n, dv) z = Equal (m, zero) l = Less (dv, n) s = And (z, l) si = Cast <to = 7> (s) y = ReduceMax <keepdims = 0> (si)", "y = Sub (x, x)", {"x": np.int64(40)}, "n^2 + n + 41 is prime up to 39.", arrays={"k": np.int64(41), "p": np.int64(41), "zero": np.int64(0), "dv": i64(3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)}, **ONE)
MORT = "a0 = Cast <to = 6> (x) h1 = Mul (a0, s4) o1 = BitwiseOr (a0, h1) a1 = BitwiseAnd (o1, m4) h2 = Mul (a1, s2) o2 = BitwiseOr (a1, h2) a2 = BitwiseAnd (o2, {}) h3 = Mul (a2, s1) o3 = BitwiseOr (a2, h3) y = BitwiseAnd (o3, m1)"
different(G, "f9-spread-without-one-bit", MORT.format("m2"), MORT.format("m2b"), {"x": u8(128, 1, 6)}, "The highest bit is lost.", x="uint8[3] x", y="int32[3] y", arrays={"s4": np.int32(16), "s2": np.int32(4), "s1": np.int32(2), "m4": np.int32(0x0F0F), "m2": np.int32(0x3333), "m2b": np.int32(0x1333), "m1": np.int32(0x5555)})
different(G, "f9-weekday-below-zero", "a = Mod <fmod = 0> (x, seven) y = Gather (names, a)", "a = Mod <fmod = 1> (x, seven) y = Gather (names, a)", {"x": i64(-10, 1, 6)}, "From behind there are eight names.", x="int64[3] x", y="int64[3] y", arrays={"seven": np.int64(7), "names": i64(0, 1, 2, 3, 4, 5, 6, 99)})
different(G, "f9-power-of-integer-by-root", "c = Mod (x, k) y = Pow (c, h)", "c = Mod (x, k) f = Cast <to = 1> (c) p = Pow (f, h) r = Round (p) y = Cast <to = 7> (r)", {"x": i64(7, 1, 6)}, "Cut off, or rounded.", arrays={"k": np.int64(50), "h": np.float32(0.5)}, **I64)
different(G, "f9-digits-added-twice", "a0 = Abs (x) a = Mod (a0, k) t1 = Div (a, ten) u1 = Mod (a, ten) s = Add (t1, u1) t2 = Div (s, ten) u2 = Mod (s, ten) y = Add (t2, u2)", "a0 = Abs (x) a = Mod (a0, k) y = Mod (a, nine)", {"x": i64(99, 18, 6)}, "Nines come to 9, not to 0.", arrays={"k": np.int64(100), "ten": np.int64(10), "nine": np.int64(9)}, **I64)
different(G, "f9-carried-out-of-digit", "p = BitwiseAnd (x, m) q = BitwiseAnd (z, m) y = Add (p, q)", "p = BitwiseAnd (x, m) q = BitwiseAnd (z, m) y = BitwiseOr (p, q)", {"x": i32(0x10, 1, 0), "z": i32(0x10, 2, 4)}, "Where a bit is in both.", x="int32[3] x, int32[3] z", y="int32[3] y", arrays={"m": np.int32(0x10)})
different(G, "f9-distance-of-stamps", "d = Sub (x, z) y = Greater (d, o)", "y = Greater (x, z)", {"x": i32(-2 ** 31 + 5, 1, 6), "z": i32(2 ** 31 - 5, 3, 4)}, "Stamps that have wrapped are later.", x="int32[3] x, int32[3] z", y="bool[3] y", arrays={"o": np.int32(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "graphs9"
REACH = "f = Cast <to = 1> (x) a0 = Add (f, eye) a1 = Clip (a0, z, one) "
STEP = "m{1} = MatMul (a{0}, a1) a{1} = Clip (m{1}, z, one) "
PATH = np.zeros((5, 5), bool)
for _a, _b in ((3, 0), (0, 4), (4, 1), (1, 2)):
    PATH[_a, _b] = True
GR = {"eye": np.eye(5, dtype=np.float32), "z": np.float32(0), "one": np.float32(1)}
different(G, "f9-reached-in-three", REACH + STEP.format(1, 2) + STEP.format(2, 3) + "y = Identity (a3)", REACH + STEP.format(1, 2) + STEP.format(2, 3) + STEP.format(3, 4) + "y = Identity (a4)", {"x": PATH}, "Only if the five form one path that is not cut short.", x="bool[5, 5] x", y="float[5, 5] y", arrays=GR)
VIA = "c{0} = Gather <axis = 1> ({1}, k{0}) r{0} = Gather <axis = 0> ({1}, k{0}) s{0} = Add (c{0}, r{0}) d{0} = Min ({1}, s{0}) "
DIST = f32(0, 9, 9, 9, 9, 0, 9, 1, 9, 9, 0, 9, 9, 9, 1, 0, shape=(4, 4))
different(G, "f9-way-through-last", "p = Abs (x) " + VIA.format(0, "p") + VIA.format(1, "d0") + VIA.format(2, "d1") + "y = Identity (d2)", "p = Abs (x) " + VIA.format(0, "p") + VIA.format(1, "d0") + VIA.format(2, "d1") + VIA.format(3, "d2") + "y = Identity (d3)", {"x": DIST}, "Shorter through the last of four.", x="float[4, 4] x", y="float[4, 4] y", arrays={f"k{i}": i64(i) for i in range(4)})
different(G, "f9-ways-in-other-order", "p = Abs (x) q = Add (p, nd) " + VIA.format(0, "q") + VIA.format(1, "d0") + "y = Identity (d1)", "p = Abs (x) q = Add (p, nd) c0 = Gather <axis = 1> (q, k0) r0 = Gather <axis = 0> (q, k0) c1 = Gather <axis = 1> (q, k1) r1 = Gather <axis = 0> (q, k1) s0 = Add (c0, r0) s1 = Add (c1, r1) y = Min (q, s0, s1)", {"x": f32(0, 1, 9, 9, 9, 0, 9, 1, 1, 9, 0, 9, 9, 9, 9, 0, shape=(4, 4))}, "A way by both of them.", x="float[4, 4] x", y="float[4, 4] y", arrays={"k0": i64(0), "k1": i64(1), "nd": np.float32(0.5)})
LIFE = "f = Cast <to = 1> (x) c = Conv <pads = [1, 1, 1, 1]> (f, w) "
LW = np.full((1, 1, 3, 3), 2, np.float32)
LW[0, 0, 1, 1] = 1
BOARD = np.zeros((1, 1, 5, 5), bool)
BOARD[0, 0, 1, 2] = BOARD[0, 0, 3, 2] = BOARD[0, 0, 2, 1] = BOARD[0, 0, 2, 3] = True
different(G, "f9-life-with-four", LIFE + "a = Greater (c, four) b = Less (c, eight) y = And (a, b)", LIFE + "a = Greater (c, four) b = Less (c, nine) y = And (a, b)", {"x": BOARD}, "Born of four neighbours.", x="bool[1, 1, 5, 5] x", y="bool[1, 1, 5, 5] y", arrays={"w": LW, "four": np.float32(4), "eight": np.float32(8), "nine": np.float32(9)})
EDGE = np.zeros((1, 1, 5, 5), bool)
EDGE[0, 0, 1:4, 0] = True
different(G, "f9-life-on-ring", LIFE + "a = Greater (c, four) b = Less (c, eight) y = And (a, b)", "f0 = Cast <to = 1> (x) f = Pad <mode = \"wrap\"> (f0, pd) c = Conv (f, w) a = Greater (c, four) b = Less (c, eight) y = And (a, b)", {"x": EDGE}, "Over the border on the other side.", x="bool[1, 1, 5, 5] x", y="bool[1, 1, 5, 5] y", opset=19, ir=9, arrays={"w": LW, "four": np.float32(4), "eight": np.float32(8), "pd": i64(0, 0, 1, 1, 0, 0, 1, 1)})
TRI = "a = Greater (x, o) f = Cast <to = 6> (a) g = MatMul (f, f) h = MatMul (g, f) "
different(G, "f9-circle-of-two-or-three", TRI + "p = Mul (h, eye) y = ReduceSum <keepdims = 0> (p)", TRI + "k = MatMul (g, g) p = Mul (k, eye) y = ReduceSum <keepdims = 0> (p)", {"x": f32(0, 1, 0, 0, 0, 1, 1, 0, 0, shape=(3, 3))}, "Circles of three or of four steps.", x="float[3, 3] x", y="int32 y", arrays={"o": np.float32(0.5), "eye": np.eye(3, dtype=np.int32)})
BUB = "".join(f"a{k} = Gather (x{k}, l{i}) b{k} = Gather (x{k}, l{i + 1}) n{k} = Min (a{k}, b{k}) m{k} = Max (a{k}, b{k}) c{k} = Concat <axis = 0> (n{k}, m{k}) x{k + 1} = ScatterElements (x{k}, e{i}, c{k}) " for k, i in enumerate((0, 1, 2, 3, 0, 1, 2, 0, 1, 0)))
BB = {f"l{i}": i64(i) for i in range(5)} | {f"e{i}": i64(i, i + 1) for i in range(4)}
SHORT = BUB[:BUB.rindex("a9 = ")]
different(G, "f9-bubbles-without-last", "x0 = Identity (x) " + BUB + "y = Identity (x10)", "x0 = Identity (x) " + SHORT + "y = Identity (x9)", {"x": f32(2, 3, 4, 5, 1)}, "Only if the least stands last.", x="float[5] x", y="float[5] y", arrays=BB)
VIT = "a{0} = Add ({1}, tr) m{0} = ReduceMax (a{0}, ax0) e{0} = Gather (x, i{0}) s{0} = Add (m{0}, e{0}) st{0} = Reshape (s{0}, col) "
VA = {"tr": f32(0, -3, -0.5, 0, shape=(2, 2)), "ax0": i64(0), "i0": i64(0), "i1": i64(1), "i2": i64(2), "col": i64(2, 1)}
different(G, "f9-best-path-or-best-steps", "f = Gather (x, i0) f0 = Reshape (f, col) " + VIT.format(1, "f0") + VIT.format(2, "st1") + "y = ReduceMax <keepdims = 0> (st2)", "f = Gather (x, i0) fm = ReduceMax (f) f0 = Where (ge, fm, fm) b = Equal (f, fm) g = Where (b, f, low) gg = Reshape (g, col) " + VIT.format(1, "gg") + VIT.format(2, "st1") + "y = ReduceMax <keepdims = 0> (st2)", {"x": f32(1, 0.5, 0, 5, 5, 0, shape=(3, 2))}, "The better first step leads to the worse path.", x="float[3, 2] x", y="float y", arrays=VA | {"ge": T, "low": np.float32(-1e9)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "boxes9"
IOU = "a = Max (p, r) b = Min (q, s) d = Sub (b, a) "
BX = dict(x="float[2] p, float[2] q, float[2] r, float[2] s", y="float y")
APART = {"p": f32(0, 0), "q": f32(1, 1), "r": f32(2, 3), "s": f32(3, 4)}
different(G, "f9-overlap-of-two-negatives", IOU + "c = Relu (d) y = ReduceProd <keepdims = 0> (c)", IOU + "m = ReduceProd <keepdims = 0> (d) y = Relu (m)", APART, "Apart both ways the product is positive.", **BX)
HUB = "a = Abs (x) q = Mul (x, x) h = Mul (q, half) c = {} (a, one) l = {} y = Where (c, h, l)"
different(G, "f9-loss-beyond-one", HUB.format("Less", "Sub (a, half)"), HUB.format("Less", "Sub (a, half2)"), {"x": f32(2, 0.5, 0.2, 0.1)}, "Not joined at 1.", arrays={"one": np.float32(1), "half": np.float32(0.5), "half2": np.float32(0.375)}, **F)
SRGB = "l = Mul (x, k) a = Max (x, z) p = Pow (a, g) m = Mul (p, f) h = Sub (m, o) c = LessOrEqual (x, {}) y = Where (c, l, h)"
different(G, "f9-light-at-other-knee", SRGB.format("t"), SRGB.format("t2"), {"x": f32(0.02, 0.5, 0.2, 0.001)}, "Between the knee of one way and that of the other.", arrays={"k": np.float32(12.92), "z": np.float32(0), "g": np.float32(1 / 2.4), "f": np.float32(1.055), "o": np.float32(0.055), "t": np.float32(0.0031308), "t2": np.float32(0.04045)}, **F)
HUE = "r, g, b = Split <axis = 0, num_outputs = 3> (x) m = ReduceMax (x) n = ReduceMin (x) d0 = Sub (m, n) d = Max (d0, eps) gb = Sub (g, b) h1 = Div (gb, d) br = Sub (b, r) q2 = Div (br, d) h2 = Add (q2, two) rg = Sub (r, g) q3 = Div (rg, d) h3 = Add (q3, four) cr = Equal (r, m) cg = Equal (g, m) cb = Equal (b, m) "
different(G, "f9-hue-of-red-below-blue", HUE + "u = Where (cg, h2, h3) v = Where (cr, h1, u) y = Mod <fmod = 1> (v, six)", HUE + "u = Where (cg, h2, h3) v = Where (cr, h1, u) w = Add (v, six) y = Mod <fmod = 1> (w, six)", {"x": f32(1, 0, 0.5)}, "Of red with more blue than green it is negative.", x="float[3] x", y="float[1] y", arrays={"eps": np.float32(1e-6), "two": np.float32(2), "four": np.float32(4), "six": np.float32(6)})
ANG = "a = Add (x, pi) b = Div (a, tau) f = Floor (b) c = Mul (f, tau) y = Sub (x, c)"
different(G, "f9-angle-once-round", ANG, "c = Greater (x, pi) d = Sub (x, tau) e = Where (c, d, x) g = Less (x, npi) h = Add (x, tau) y = Where (g, h, e)", {"x": f32(10, 1, -2, 4)}, "Beyond three half turns once is not enough.", arrays={"pi": np.float32(np.pi), "npi": np.float32(-np.pi), "tau": np.float32(2 * np.pi)}, **F)
ASIN = "c = Clip (x, l, h) t = Mul (c, k) s = Sin (t) y = Asin (s)"
different(G, "f9-sine-undone-at-edge", ASIN, "c = Clip (x, l, h) y = Mul (c, k)", {"x": f32(4, 1, -2, 3)}, "Beyond a quarter of a turn, from 3.6 on.", arrays={"l": np.float32(-4), "h": np.float32(4), "k": np.float32(0.436)}, **F)
different(G, "f9-tangent-undone", "t = Tan (x) y = Atan (t)", "y = Identity (x)", {"x": f32(2, 1, -1, 0.5)}, "Beyond a quarter of a turn.", **F)
different(G, "f9-cosine-undone", "a = Abs (x) t = Cos (a) y = Acos (t)", "y = Abs (x)", {"x": f32(4, 1, -1, 0.5)}, "Beyond half a turn.", **F)
different(G, "f9-angle-of-third-quarter", "d = Div (x, z) y = Atan (d)", "nx = Neg (x) nz = Neg (z) d = Div (nx, nz) a = Atan (d) c = Less (z, o) q = Add (a, pi) y = Where (c, q, a)", {"x": f32(1, 1, -1, 1), "z": f32(1, 2, -1, 1)}, "Left of the middle.", x="float[4] x, float[4] z", y="float[4] y", arrays={"o": np.float32(0), "pi": np.float32(np.pi)})
SW = dict(x="float[2, 4] x", y="float[2, 2] y")
different(G, "f9-gate-first-or-last", "a, b = Split <axis = 1, num_outputs = 2> (x) s = Sigmoid (a) g = Mul (a, s) y = Mul (g, b)", "a, b = Split <axis = 1, num_outputs = 2> (x) s = Sigmoid (b) g = Mul (b, s) y = Mul (a, g)", {"x": noise(2, 4, seed=3)}, "Which half is the gate.", **SW)
DFL = "p = Softmax <axis = 1> (x) e = Mul (p, bins) y = ReduceSum <keepdims = 0> (e, ax)"
different(G, "f9-expected-or-likeliest", DFL, "i = ArgMax <axis = 1, keepdims = 0> (x) y = Cast <to = 1> (i)", {"x": noise(2, 4, seed=3)}, "Of one very likely bin the same.", x="float[2, 4] x", y="float[2] y", arrays={"bins": f32(0, 1, 2, 3), "ax": i64(1)})
BUCK = "s = Shape (x) n = Squeeze (s) r = Range (o, n, i) a = Unsqueeze (r, ax1) b = Unsqueeze (r, ax0) d0 = Sub (a, b) d = Abs (d0) m = {} k = Gather (tb, m) y = ReduceSum <keepdims = 0> (k, ax1)"
different(G, "f9-far-bucket", BUCK.format("Min (d, seven)"), BUCK.format("Where (far, ten, d7)").replace("k = Gather", "k = Gather").replace("m = Where", "far = Greater (d, nine) d7 = Min (d, seven) m = Where"), {"x": ramp(12)}, "From a distance of ten on there is another bucket.", x="float[n] x", y="float[n] y", arrays={"o": np.int64(0), "i": np.int64(1), "ax0": i64(0), "ax1": i64(1), "seven": np.int64(7), "nine": np.int64(9), "ten": np.int64(8), "tb": f32(1, 2, 4, 3, 5, 9, 7, 8, 6)})
MED = "v, i = TopK <largest = 0> (x, k) y = Gather (v, m)"
different(G, "f9-three-quarters", MED, "v, i = TopK <largest = 1> (x, k) y = Gather (v, m)", {"x": f32(1, 2, 3, 4, 9)}, "The fourth from one end or the other.", x="float[5] x", y="float y", arrays={"k": i64(5), "m": np.int64(3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "bodies9"
TRIL = "y = Loop (n, t, x) <body = b1 (int64 i, bool d, int64 v) => (bool e, int64 w) {{ e = Identity (d) m = {} w = Loop (m, t, v) <body = b2 (int64 j, bool d2, int64 v2) => (bool e2, int64 w2) {{ e2 = Identity (d2) p = Mul (v2, three) ij = Mul (i, j) w2 = Add (p, ij) }}> }}>"
BN = {"t": T, "n": np.int64(3), "three": np.int64(3), "one": np.int64(1), "two": np.int64(2), "zero": np.int64(0)}
different(G, "f9-up-to-own-number", TRIL.format("Identity (i)"), TRIL.format("Min (i, one)"), {"x": np.int64(5)}, "In the last round there are two rounds inside.", arrays=BN, **ONE)
SWAP = "a, b = Loop (n, t, x, z) <body = bd (int64 i, bool d, int64 p, int64 q) => (bool e, int64 p1, int64 q1) {{ e = Identity (d) {} }}> y = Sub (a, b)"
different(G, "f9-one-after-other", SWAP.format("p1 = Add (p, q) q1 = Add (q, p)"), SWAP.format("p1 = Add (p, q) q1 = Add (q, p1)"), {"x": np.int64(5), "z": np.int64(2)}, "With the old value or the new one.", x="int64 x, int64 z", y="int64 y", arrays=BN)
STOP = "f, y = Loop (n, t, x) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w, int64 o) {{ w = Add (v, v) e = Less (w, lim) o = Identity ({}) }}>"
different(G, "f9-collected-before-or-after", STOP.format("w"), STOP.format("v"), {"x": np.int64(5)}, "What is collected last.", x="int64 x", y="int64[k] y", arrays=BN | {"n": np.int64(9), "lim": np.int64(100)})
different(G, "f9-rounds-by-input", "y = Loop (x, t, o) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) w = Add (v, i) }>", "m = Sub (x, one) p = Mul (x, m) y = Div (p, two)", {"x": np.int64(-7)}, "Less than no rounds are none.", arrays=BN | {"o": np.int64(0)}, **ONE)
different(G, "f9-stopped-at-forty", "f, y = Loop (, t, x) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w, int64 o) { w = Add (v, one) m = Mod (w, forty) z = Equal (m, zero) e = Not (z) o = Identity (m) }> k = Shape (y) ", "f, y = Loop (th, t, x) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w, int64 o) { w = Add (v, one) m = Mod (w, forty) z = Equal (m, zero) e = Not (z) o = Identity (m) }>", {"x": np.int64(80)}, "Only from a multiple of 40 on there are forty rounds.", x="int64 x", y="int64[k] y", arrays=BN | {"forty": np.int64(40), "th": np.int64(39)})
SCN = "h, y = Scan (s0, x, x) <num_scan_inputs = 2{}, body = b (float a, float p, float q) => (float a1, float o) {{ m = Mul (p, q) a1 = Add (a, m) o = Identity (a1) }}>"
different(G, "f9-scan-one-of-two-backwards", SCN.format(""), SCN.format(", scan_input_directions = [0, 1]"), {"x": f32(1, 2, 5, 4)}, "Of what reads the same both ways it is the same.", arrays={"s0": np.float32(0)}, **F)
OLDSCAN = "h, y = Scan ({}s0, x) <num_scan_inputs = 1, body = b (float[3] a, float[3] p) => (float[3] a1, float[3] o) {{ a1 = Add (a, p) o = Identity (a1) }}>"
different(G, "f9-scan-of-batch-by-old-rule", {"body": OLDSCAN.format(", ") + "", "opset": 8, "ir": 3, "arrays": {"s0": np.zeros((2, 3), np.float32)}}, {"body": "xt = Identity (x) " + OLDSCAN.format("").replace("float[3] ", "float[2, 3] ").replace(", x)", ", xt)"), "opset": 9, "ir": 4, "arrays": {"s0": np.zeros((2, 3), np.float32)}}, {"x": noise(2, 2, 3, seed=3)}, "The batch came first; then there was none.", x="float[2, 2, 3] x", y="float[2, 2, 3] y")
NIF = "s = ReduceSum <keepdims = 0> (x) c = Greater (s, o) m = ReduceMax <keepdims = 0> (x) c2 = Greater (m, five) y = If (c) <then_branch = a () => (float[4] p) {{ p = If (c2) <then_branch = a1 () => (float[4] p1) {{ p1 = Neg (x) }}, else_branch = a2 () => (float[4] p2) {{ p2 = Abs (x) }}> }}, else_branch = bb () => (float[4] q) {{ q = {} }}>"
different(G, "f9-both-branches-beyond-five", NIF.format("Abs (x)"), NIF.format("If (c2) <then_branch = a3 () => (float[4] q1) { q1 = Neg (x) }, else_branch = a4 () => (float[4] q2) { q2 = Abs (x) }>"), {"x": f32(6, -9, 1, 1)}, "One above 5 though the sum is below 0.", arrays={"o": np.float32(0), "five": np.float32(5)}, **F)
different(G, "f9-branch-of-other-length", "m = ReduceMax <keepdims = 0> (x) c = Greater (m, three) y = If (c) <then_branch = a () => (float[n] p) { p = Slice (x, b, e) }, else_branch = bb () => (float[n] q) { q = Identity (x) }>", "y = Identity (x)", {"x": f32(1, 2, 5, 4)}, "A number above 3 takes the first one away.", x="float[4] x", y="float[n] y", arrays={"three": np.float32(3), "b": i64(1), "e": i64(9)})
different(G, "f9-each-by-own-or-first", "s = SplitToSequence <axis = 0> (x, one) q = SequenceMap (s, s) <body = b (float[k] a, float[k] c) => (float[k] r) { r = Mul (a, c) }> y = ConcatFromSequence <axis = 0> (q)", "s = SplitToSequence <axis = 0> (x, one) f = SequenceAt (s, zero) q = SequenceMap (s, f) <body = b (float[k] a, float[k] c) => (float[k] r) { r = Mul (a, c) }> y = ConcatFromSequence <axis = 0> (q)", {"x": f32(1, 2, 5, 4)}, "Each by itself, or all by the first.", arrays={"one": np.int64(1), "zero": np.int64(0)}, **F)
different(G, "f9-parts-of-remainder", "s = SplitToSequence <axis = 0> (x, three) l = SequenceLength (s) y = Identity (l)", "n = Size (x) y = Div (n, three)", {"x": ramp(7)}, "The rest is a part too.", x="float[n] x", y="int64 y", arrays={"three": np.int64(3)})
NEST = "<domain: \"own\", opset_import: [\"\" : 18, \"own\" : 1]>\nf <k> (a) => (b) {{ c = own.g <k: int = @k> (a) b = own.g <k: int = {}> (c) }}\n<domain: \"own\", opset_import: [\"\" : 18]>\ng <k> (a) => (b) {{ b = Softmax <axis: int = @k> (a) }}"
different(G, "f9-attribute-handed-on", {"functions": NEST.format("@k")}, {"functions": NEST.format("0")}, {"x": noise(3, 3, seed=3)}, "Handed on, or once another one.", x="float[3, 3] x", y="float[3, 3] y", body="y = own.f <k = 1> (x)", domains={"own": 1})
ACC = "f, y = Loop (n, t, x) <body = b (int64 i, bool d, float[4] v) => (bool e, float[4] w, float[4] o) {{ e = Identity (d) ev = BitwiseAnd (i, one) c = Equal (ev, zero) w = If (c) <then_branch = g1 () => (float[4] p) {{ p = Mul (v, k) }}, else_branch = g2 () => (float[4] q) {{ q = Sub ({}, v) }}> o = Identity (w) }}>"
different(G, "f9-outer-or-carried", ACC.format("x"), ACC.format("v2").replace("ev = Bit", "v2 = Identity (v) ev = Bit"), {"x": f32(1, 2, 5, 4)}, "A branch in a body reads what is outside of both.", x="float[4] x", y="float[3, 4] y", arrays=BN | {"k": np.float32(3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "stores9"


def sparse(values, indices, dims):
    values, indices = np.asarray(values, np.float32), np.asarray(indices, np.int64)
    return helper.make_sparse_tensor(helper.make_tensor("w", TensorProto.FLOAT, values.shape, values.tolist()),
                                     helper.make_tensor("w_i", TensorProto.INT64, indices.shape, indices.reshape(-1).tolist()), list(dims))


def with_sparse(values, indices, dims=(3, 4)):
    proto = model("float[2, 3] x", "float[2, 4] y", "y = MatMul (x, w)", opset=18)
    proto.graph.sparse_initializer.append(sparse(values, indices, dims))
    return proto


XS = noise(2, 3, seed=5)
different_models(G, "f9-sparse-one-place-on", lambda: (with_sparse([1, 2], [[0, 1], [2, 3]]), with_sparse([1, 2], [[0, 1], [2, 2]])), {"x": XS}, "One of two stored weights stands elsewhere.")
different_models(G, "f9-sparse-flat-or-by-axes", lambda: (with_sparse([1, 2], [4, 9]), with_sparse([1, 2], [[1, 0], [2, 2]])), {"x": XS}, "9 is row 2, place 1.")
different(G, "f9-constant-of-floats", "c = Constant <value_floats = [1.0, 2.0, 3.0, 4.0]> () y = Mul (x, c)", "c = Constant <value_floats = [1.0, 2.0, 3.0, 5.0]> () y = Mul (x, c)", {"x": f32(1, 2, 5, 4)}, "The last one.", **F)
different(G, "f9-weight-of-wide-table", "i = Mod (x, k) y = Gather (w, i)", "i = Mod (x, k) s = Mul (i, i) r = Mod (s, p) y = Cast <to = 1> (r)", {"x": i64(777, 3, 5)}, "One of a thousand squares modulo 97 is another.", x="int64[3] x", y="float[3] y", arrays={"k": np.int64(1000), "p": np.int64(97), "w": np.where(np.arange(1000) == 777, 5, np.arange(1000) ** 2 % 97).astype(np.float32)})


def nibbles(values, kind=TensorProto.INT4):
    proto = model("float[3] x", "float[3] y", "f = Cast <to = 1> (w) y = Mul (x, f)", opset=21, ir=10)
    proto.graph.initializer.append(helper.make_tensor("w", kind, [3], values))
    return proto


different_models(G, "f9-nibbles-with-sign", lambda: (nibbles([1, -8, 7]), nibbles([1, 8, 7], TensorProto.UINT4)), {"x": f32(1, 2, 3)}, "The same bits, with a sign or without.")
different_models(G, "f9-last-of-odd-nibbles", lambda: (nibbles([1, -8, 7]), nibbles([1, -8, 6])), {"x": f32(1, 2, 3)}, "The third of them is in another byte.")
Q4 = "q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)"


def held4(kind):
    proto = model("float[4] x", "float[4] y", Q4, opset=21, ir=10)
    proto = with_scale(proto, 1.0)
    proto.graph.initializer.append(helper.make_tensor("z", kind, [], [0]))
    return proto


def with_scale(proto, scale):
    proto.graph.initializer.append(helper.make_tensor("s", TensorProto.FLOAT, [], [scale]))
    return proto


different_models(G, "f9-held-in-nibble", lambda: (held4(TensorProto.INT4), held4(TensorProto.INT8)), {"x": f32(9, 1, -3, 2)}, "Held at 7 or not.")
different_models(G, "f9-held-in-nibble-of-none", lambda: (held4(TensorProto.INT4), held4(TensorProto.UINT4)), {"x": f32(6, 1, -3, 2)}, "Below zero or not.")
E8 = "c = Cast <to = {}> (x) y = Cast <to = 1> (c)"
different(G, "f9-three-or-two-digits", E8.format(17), E8.format(19), {"x": f32(1.125, 1, 2, 3)}, "An eighth beside one is kept by three bits.", opset=19, ir=9, **F)
different(G, "f9-held-or-lost", E8.format(17).replace("<to = 17>", "<to = 17, saturate = 1>"), E8.format(17).replace("<to = 17>", "<to = 17, saturate = 0>"), {"x": f32(500, 1, 2, 3)}, "Beyond 448 it is held, or no number.", opset=19, ir=9, **F)
different(G, "f9-zero-without-sign", E8.format(17), E8.format(18), {"x": f32(460, 1, 2, 3)}, "Held at 448 or at 240.", opset=19, ir=9, **F)
different_models(G, "f9-given-or-made", lambda: (model("float[4] x, float[4] z", "float[4] y", "y = Add (x, z)"), model("float[4] x, float[1] z", "float[4] y", "y = Add (x, z)")), "interface", "What is taken is one number.")
different_models(G, "f9-one-of-outputs-whole", lambda: (model("float[4] x", "float[4] y, int64 i", "y = Relu (x) i = ArgMax <keepdims = 0> (x)"), model("float[4] x", "float[4] y, int64[1] i", "y = Relu (x) i = ArgMax (x)")), "interface", "A number, or a list of one.")

# ---------------------------------------------------------------------------------------------------------------------------
G = "quantised9"
different(G, "f9-added-in-quantised", "a = DequantizeLinear (x, s, z) b = DequantizeLinear (w, s, z) c = Add (a, b) y = QuantizeLinear (c, s, z)", "p = Cast <to = 6> (x) q = Cast <to = 6> (w) r = Add (p, q) r2 = Sub (r, zi) y = Cast <to = 2> (r2)", {"x": u8(250, 3, 99), "w": u8(200, 140, 111)}, "Beyond 255 it is held, or wraps.", x="uint8[3] x, uint8[3] w", y="uint8[3] y", arrays={"s": np.float32(0.5), "z": np.uint8(100), "zi": np.int32(100)})
different(G, "f9-half-steps-of-wide", "q = QuantizeLinear (x, s, z) c = Cast <to = 1> (q) y = Mul (c, s)", "d = Div (x, s) a = Add (d, h) f = Floor (a) g = Clip (f, lo, hi) y = Mul (g, s)", {"x": f32(1.25, 1, 2, 3)}, "Halves go to even ones, not up: 2.5 steps.", arrays={"s": np.float32(0.5), "z": np.int8(0), "h": np.float32(0.5), "lo": np.float32(-128), "hi": np.float32(127)}, **F)
different(G, "f9-zero-point-of-columns", "y = MatMulInteger (x, w, z, zr)", "y = MatMulInteger (x, w, z, z)", {"x": u8(1, 2, 3, 4).reshape(2, 2)}, "The second column has another zero.", x="uint8[2, 2] x", y="int32[2, 2] y", arrays={"w": u8(1, 2, 3, 4).reshape(2, 2), "zr": u8(1, 2), "z": np.uint8(1)})
different(G, "f9-leaky-in-bytes", "d = DequantizeLinear (x, s, z) r = LeakyRelu <alpha = 0.25> (d) y = QuantizeLinear (r, s, z)", "f = Cast <to = 6> (x) m = Sub (f, zi) q = Div (m, four) c = Less (m, o) w = Where (c, q, m) a = Add (w, zi) y = Cast <to = 2> (a)", {"x": u8(93, 100, 200)}, "-7 quarters are -1.75, to -2 or to -1.", x="uint8[3] x", y="uint8[3] y", arrays={"s": np.float32(0.5), "z": np.uint8(100), "zi": np.int32(100), "four": np.int32(4), "o": np.int32(0)})
different(G, "f9-average-of-quantised", "d = DequantizeLinear (x, s, z) a = AveragePool <kernel_shape = [2]> (d) y = QuantizeLinear (a, s, z)", "c = Cast <to = 1> (x) a = AveragePool <kernel_shape = [2]> (c) f = Floor (a) y = Cast <to = 2> (f)", {"x": u8(3, 4, 4, 6).reshape(1, 1, 4)}, "3.5 to the even 4, or down.", x="uint8[1, 1, 4] x", y="uint8[1, 1, 3] y", arrays={"s": np.float32(0.5), "z": np.uint8(100)})
different(G, "f9-per-row-or-whole", "m = ReduceMax (a0, k) s = Div (m, q) d = Div (x, s) r = Round (d) y = Mul (r, s)".replace("m = ", "a0 = Abs (x) m = "), "a0 = Abs (x) m = ReduceMax (a0) s = Div (m, q) d = Div (x, s) r = Round (d) y = Mul (r, s)", {"x": f32(1, 0.3, 100, 30, shape=(2, 2))}, "The scale of a row or of all.", x="float[2, 2] x", y="float[2, 2] y", arrays={"k": i64(1), "q": np.float32(7)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "wrapped9"
XZ = dict(x="int32[3] x, int32[3] z", y="bool[3] y")
XB = dict(x="int32[3] x", y="bool[3] y")
CW = {"one": np.int32(1), "mone": np.int32(-1), "two": np.int32(2), "mtwo": np.int32(-2), "zero": np.int32(0), "three": np.int32(3), "six": np.int32(6)}
different(G, "f9-roots-of-one", "q = Mul (x, x) y = Equal (q, one)", "a = Equal (x, one) b = Equal (x, mone) y = Or (a, b)", {"x": i32(-2 ** 31 + 1, 1, 6)}, "Of 32 bits one has four roots.", arrays=CW, **XB)
different(G, "f9-product-with-next-but-one", "a = Add (x, two) p = Mul (x, a) y = Equal (p, zero)", "a = Equal (x, zero) b = Equal (x, mtwo) y = Or (a, b)", {"x": i32(-2 ** 31, 0, 6)}, "Of the least number too.", arrays=CW, **XB)
different(G, "f9-six-times-the-same", "a = Mul (x, six) b = Mul (z, six) y = Equal (a, b)", "y = Equal (x, z)", {"x": i32(5, 1, 6), "z": i32(5 - 2 ** 31, 1, 7)}, "2^31 apart.", arrays=CW, **XZ)
different(G, "f9-cubes-the-same", "a = Mul (x, x) b = Mul (a, x) c = Mul (z, z) d = Mul (c, z) y = Equal (b, d)", "y = Equal (x, z)", {"x": i32(2048, 1, 6), "z": i32(0, 1, 7)}, "The cube of 2048 is 0.", **XZ)
different(G, "f9-remainder-of-remainder", "a = BitwiseAnd (x, pos) m = Mod (a, mio) y = Mod (m, k)", "a = BitwiseAnd (x, pos) y = Mod (a, k)", {"x": i32(1234567, 1, 6)}, "Only from a million on.", arrays={"pos": np.int32(2 ** 31 - 1), "mio": np.int32(1000000), "k": np.int32(999)}, **I32)
different(G, "f9-fraction-not-shortened", "d = Mul (x, two) y = Div (d, six)", "y = Div (x, three)", {"x": i32(2 ** 30 + 7, 1, 6)}, "The double wraps.", arrays=CW, **I32)
different(G, "f9-remainder-of-double", "d = Mul (x, two) y = Mod (d, six)", "m = Mod (x, three) y = Mul (m, two)", {"x": i32(2 ** 30 + 7, 1, 6)}, "The double wraps.", arrays=CW, **I32)
different(G, "f9-remainder-of-negative-divisor", "o = BitwiseOr (z, one) m = Mod (x, o) y = Max (m, zero)", "o = BitwiseOr (z, one) y = Mod (x, o)", {"x": i32(5, 1, 6), "z": i32(-8, 2, 7)}, "It has the sign of the divisor.", x="int32[3] x, int32[3] z", y="int32[3] y", arrays=CW)
THROUGH = "c = Cast <to = {}> (a) f = Cast <to = 1> (c) y = Cast <to = 6> (f)"
different(G, "f9-five-bits-through-eighth", "a0 = BitwiseAnd (x, m) a = Cast <to = 1> (a0) " + THROUGH.format(17), "y = BitwiseAnd (x, m)", {"x": i32(17, 1, 6)}, "17 has five digits; above 16 only every second one is kept.", arrays={"m": np.int32(31)}, opset=19, ir=9, **I32)
different(G, "f9-sum-of-bytes-through-brain", "p = Cast <to = 6> (x) q = Cast <to = 6> (z) s = Add (p, q) a = Cast <to = 1> (s) " + THROUGH.format(16), "p = Cast <to = 6> (x) q = Cast <to = 6> (z) y = Add (p, q)", {"x": u8(200, 1, 6), "z": u8(57, 1, 7)}, "257 has nine digits.", x="uint8[3] x, uint8[3] z", y="int32[3] y")
different(G, "f9-table-of-wrapped-index", "p = Mul (x, z) i = Cast <to = 7> (p) y = Gather (w, i)", "p0 = Cast <to = 7> (x) q0 = Cast <to = 7> (z) p = Mul (p0, q0) h = Min (p, last) y = Gather (w, h)", {"x": u8(16, 1, 6), "z": u8(16, 1, 7)}, "The product of bytes wraps, or is held at the end.", x="uint8[3] x, uint8[3] z", y="float[3] y", arrays={"w": ramp(256), "last": np.int64(255)})
different(G, "f9-determinant-of-integers", "a, b, c, d = Split <axis = 0, num_outputs = 4> (x) p = Mul (a, d) q = Mul (b, c) y = Greater (p, q)", "w = Cast <to = 7> (x) a, b, c, d = Split <axis = 0, num_outputs = 4> (w) p = Mul (a, d) q = Mul (b, c) y = Greater (p, q)", {"x": i32(65536, 1, 1, 65536)}, "The products wrap in 32 bits.", x="int32[4] x", y="bool[1] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "further9"
different(G, "f9-pattern-of-one-word", {"body": "y = RegexFullMatch <pattern = \"ab[c-e]\"> (x)"}, {"body": "y = RegexFullMatch <pattern = \"ab[ce]\"> (x)"}, {"x": np.array(["abd", "c d", "e"], dtype=object)}, "Only abd.", x="string[3] x", y="bool[3] y", **ST)
different(G, "f9-pattern-of-long-words", {"body": "y = RegexFullMatch <pattern = \"[a-z]{1,12}\"> (x)"}, {"body": "y = RegexFullMatch <pattern = \"[a-z]+\"> (x)"}, {"x": np.array(["abcdefghijklm", "cd", "e"], dtype=object)}, "From thirteen letters on.", x="string[3] x", y="bool[3] y", **ST)
different(G, "f9-label-of-one-word", "y = ai.onnx.ml.LabelEncoder <keys_strings = [\"yes\", \"no\", \"maybe\"], values_int64s = [1, 0, 2], default_int64 = 0> (x)", "y = ai.onnx.ml.LabelEncoder <keys_strings = [\"yes\", \"no\"], values_int64s = [1, 0], default_int64 = 0> (x)", {"x": np.array(["yes", "maybe", "e"], dtype=object)}, "Of one word.", x="string[3] x", y="int64[3] y", **ML)
BOX = f32(0, 0, 1, 1, 0, 0, 0.5, 1, 2, 2, 3, 3, shape=(1, 3, 4))
NMS = "y = NonMaxSuppression (b, x, n{})"
different(G, "f9-boxes-without-score", NMS.format(", i, s"), NMS.format(", i"), {"x": f32(0.5, 0.4, -0.3, shape=(1, 1, 3))}, "Scores below zero are left out only if that is said.", x="float[1, 1, 3] x", y="int64[k, 3] y", arrays={"b": BOX, "n": i64(3), "i": f32(0.9), "s": f32(0)})
different(G, "f9-boxes-half-covered", NMS.format(", i"), NMS.format(", j"), {"x": f32(0.5, 0.4, 0.3, shape=(1, 1, 3))}, "One half covered is not above one half, but above 0.49.", x="float[1, 1, 3] x", y="int64[k, 3] y", arrays={"b": BOX, "n": i64(3), "i": f32(0.5), "j": f32(0.49)})
NORM3 = dict(x="float[2, 3] x", y="float[2, 1] y")
different(G, "f9-deviation-turned-over", "a, m, y = LayerNormalization <epsilon = 0.01> (x, s)", "m = ReduceMean (x, k) c = Sub (x, m) q = Mul (c, c) v = ReduceMean (q, k) d0 = Sqrt (v) d = Add (d0, e) y = Reciprocal (d)", {"x": f32(0.1, 0.2, 0.3, 1, 2, 3, shape=(2, 3))}, "0.01 before the root or behind it.", arrays={"s": f32(1, 1, 1), "k": i64(1), "e": np.float32(0.01)}, **NORM3)
different(G, "f9-cube-root-below-zero", "y = Pow (x, t)", "s = Sign (x) a = Abs (x) p = Pow (a, t) y = Mul (s, p)", {"x": f32(8, 1, -8, 27)}, "Of less than zero it is no number.", arrays={"t": np.float32(1 / 3)}, **F)
different(G, "f9-last-part-of-seven", "a, b, y = Split <axis = 0, num_outputs = 3> (x)", "s = Shape (x) k = Div (s, three) m = Neg (k) y = Slice (x, m, end)", {"x": ramp(7)}, "The last part is what is left: of 7 one, not two.", x="float[n] x", y="float[m] y", arrays={"three": i64(3), "end": i64(2 ** 31 - 1)})
different(G, "f9-scaled-to-largest-of-none", "a = Abs (x) m = ReduceMax (a) s = Max (m, e) y = Div (x, s)", "a = Abs (x) m = ReduceMax (a) s = Add (m, e) y = Div (x, s)", {"x": f32(1e-3, -2e-3, 1e-3, 0)}, "A floor, or a little more.", arrays={"e": np.float32(1e-3)}, **F)
different(G, "f9-gate-of-two-rare", "s = ReduceSum <keepdims = 0> (x) m = BitwiseAnd (s, k) r = Equal (m, k) f = Cast <to = 7> (r) y = Add (x, f)", "y = Identity (x)", {"x": i64(255, 255, 513)}, "Where ten bits of the sum are set.", arrays={"k": np.int64(1023)}, **I64)
different(G, "f9-sorted-and-even", "a, b, c, d = Split <axis = 0, num_outputs = 4> (x) ab = Less (a, b) bc = Less (b, c) cd = Less (c, d) da = Sub (d, a) e = Equal (da, three) p = And (ab, bc) q = And (cd, e) r = And (p, q) n = Neg (x) y = Where (r, n, x)", "y = Identity (x)", {"x": i64(5, 6, 7, 8)}, "Four that follow one another.", x="int64[4] x", y="int64[4] y", arrays={"three": np.int64(3)})
different(G, "f9-pythagoras", "a, b, c = Split <axis = 0, num_outputs = 3> (x) aa = Mul (a, a) bb = Mul (b, b) cc = Mul (c, c) s = Add (aa, bb) e = Equal (s, cc) z = Equal (a, o) w = Equal (b, o) zw = Or (z, w) nz = Not (zw) c3 = And (e, nz) g = Less (five, c) h = And (c3, g) f = Cast <to = 7> (h) y = Add (x, f)", "y = Identity (x)", {"x": i64(5, 12, 13)}, "Only of whole right triangles beyond 3, 4, 5.", arrays={"o": np.int64(0), "five": np.int64(5)}, **I64)
different(G, "f9-sum-of-two-cubes-twice", "s = Mul (x, x) c = Mul (s, x) t = ReduceSum <keepdims = 0> (c) e = Equal (t, taxi) f = Cast <to = 7> (e) y = Add (x, f)", "y = Identity (x)", {"x": i64(10, 9)}, "1729 is 1 and 1728, or 729 and 1000.", x="int64[2] x", y="int64[2] y", arrays={"taxi": np.int64(1729)})
