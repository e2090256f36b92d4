"""Pairs that differ: operators of later sets, of learnt tables and texts, number theory, graphs, boxes, automata, bodies, stores."""
import numpy as np
from onnx import TensorProto, helper

from pair_models import PAIRS, Pair, different, f32, i64, model, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
I64 = dict(x="int64[3] x", y="int64[3] y")
I32 = dict(x="int32[3] x", y="int32[3] y")


def i32(*values):
    return np.array(values, np.int32)


def u8(*values):
    return np.array(values, np.uint8)


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
S2 = dict(x="string[3] x", y="string[3] y")
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
