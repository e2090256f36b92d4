"""Pairs that differ: interfaces, versions, bodies, sizes, wrap, rare numbers, windows, resizing, ties, places, recurrences, stores."""
import numpy as np
from onnx import TensorProto

from pair_models import different, different_models, f32, i32, i64, model, noise, ramp, u32, u8

F = dict(x="float[4] x", y="float[4] y")
I64 = dict(x="int64[3] x", y="int64[3] y")
I32 = dict(x="int32[3] x", y="int32[3] y")
N = dict(x="float[n] x", y="float[n] y")
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
G = "interfaces10"
FAR = np.ones(64, np.float32)
FAR2 = FAR.copy()
FAR2[50] = 2
different(G, "f10-default-far-away", {"arrays": {"w": FAR}}, {"arrays": {"w": FAR2}}, {"x": f32(1, 2, 3, 4)}, "What stands for an input that is not given differs at the fiftieth place.", inputs="float[4] x, float[64] w", body="s = Slice (w, b, e) y = Add (x, s)", arrays={"b": i64(48), "e": i64(52)})
different(G, "f10-shape-may-be-given", "y = Reshape (x, s)", "u = Identity (s) y = Reshape (x, c)", {"x": ramp(6), "s": i64(3, 2)}, "The shape is an input with a default.", x="float[6] x, int64[2] s", y="float[a, b] y", arrays={"s": i64(2, 3), "c": i64(2, 3)})
different(G, "f10-default-used-twice", "m = Mul (x, w) y = Add (m, w)", "m = Mul (x, w) y = Add (m, v)", {"x": f32(1, 2, 3, 4), "w": f32(3)}, "Once as given, once as it stood.", x="float[4] x, float[1] w", arrays={"w": f32(2), "v": f32(2)})
different_models(G, "f10-results-in-other-order", lambda: (model("float[4] x", "float[4] p, float[4] q", "p = Relu (x) q = Abs (x)"), model("float[4] x", "float[4] q, float[4] p", "p = Relu (x) q = Abs (x)")), "interface", "The same names, in another order.")
different_models(G, "f10-inputs-in-other-order", lambda: (model("float[4] x, float[4] z", "float[4] y", "y = Sub (x, z)"), model("float[4] z, float[4] x", "float[4] y", "y = Sub (x, z)")), "interface", "The same names, in another order.")
different_models(G, "f10-two-lengths-or-one", lambda: (model("float[n] x, float[n] z", "float[n] y", "y = Add (x, z)"), model("float[n] x, float[m] z", "float[n] y", "y = Add (x, z)")), "interface", "The second may have one element.")
different_models(G, "f10-list-of-one-or-it", lambda: (model("float[4] x", "seq(float[4]) y", "y = SequenceConstruct (x)"), model("float[4] x", "float[4] y", "y = Identity (x)")), "interface", "A sequence of one.")
different_models(G, "f10-half-or-brain-given", lambda: (model("float[4] x", "float16[4] y", "y = Cast <to = 10> (x)"), model("float[4] x", "bfloat16[4] y", "y = Cast <to = 16> (x)")), "interface", "Two kinds of 16 bits.")
different_models(G, "f10-input-not-needed", lambda: (model("float[4] x, float[4] z", "float[4] y", "m = Mul (z, z) y = Relu (x)"), model("float[4] x", "float[4] y", "y = Relu (x)")), "interface", "One more is taken.")
different(G, "f10-results-exchanged", "p = Max (x, z) q = Min (x, z)", "c = Less (x, z) p = Where (c, x, z) q = Where (c, z, x)", {"x": f32(1, 2, 3, 4), "z": f32(1, 2, 3, 5)}, "The larger under the name of the smaller.", x="float[4] x, float[4] z", y="float[4] p, float[4] q")
different(G, "f10-name-of-result-is-order", "a, b = Split <axis = 0, num_outputs = 2> (x) p = Neg (a) q = Neg (b)", "b, a = Split <axis = 0, num_outputs = 2> (x) p = Neg (a) q = Neg (b)", {"x": f32(1, 2, 1, 3)}, "The first half is called b.", x="float[4] x", y="float[2] p, float[2] q")

# ---------------------------------------------------------------------------------------------------------------------------
G = "versions10"
different(G, "f10-no-axes-is-all", "y = ReduceSum <noop_with_empty_axes = 1, keepdims = 1> (x)", "y = ReduceSum <keepdims = 1> (x)", {"x": f32(1, 2)}, "Where no axes are said: nothing, or all; of one element the same.", x="float[n] x", y="float[m] y")
GN = dict(x="float[1, 4, 3] x", y="float[1, 4, 3] y")
GB = "y = GroupNormalization <num_groups = 2> (x, s, b)"
different(G, "f10-groups-scaled-in-turn", {"body": GB, "opset": 18, "ir": 8, "arrays": {"s": f32(1, 2), "b": f32(0, 1)}}, {"body": GB, "opset": 21, "ir": 10, "arrays": {"s": f32(1, 2, 1, 2), "b": f32(0, 1, 0, 1)}}, {"x": noise(1, 4, 3, seed=3)}, "A number for each group is for two channels that follow one another.", **GN)
FD = "<domain: \"own\", opset_import: [\"\" : 18]>\nf <k: float = {}> (a) => (b) {{ b = LeakyRelu <alpha: float = @k> (a) }}"
different(G, "f10-default-of-attribute", {"functions": FD.format(0.25)}, {"functions": FD.format(0.5)}, {"x": f32(1, -2, 3, 4)}, "What a function takes where the call says nothing.", body="y = own.f (x)", domains={"own": 1}, **F)
different(G, "f10-one-shape-has-zero", "y = Reshape (x, s)", "y = Reshape <allowzero = 1> (x, s)", {"x": np.zeros((3, 0), np.float32)}, "A zero stands for the size there, or for zero.", x="float[n, 0] x", y="float[a, b] y", arrays={"s": i64(0, 0)})
different(G, "f10-shape-from-second", "y = Shape <start = 1> (x)", "y = Shape <start = -1> (x)", {"x": noise(2, 3, 4)}, "From the second on, or the last.", x="float[2, 3, 4] x", y="int64[k] y")
different(G, "f10-shortened-with-filter", "y = Resize <mode = \"linear\"> (x, , s)", "y = Resize <mode = \"linear\", antialias = 1> (x, , s)", {"x": f32(1, 5, 2, 9, 3, 7, 0, 1, shape=(1, 1, 8))}, "Only where it becomes smaller is anything filtered.", x="float[1, 1, 8] x", y="float[1, 1, 4] y", arrays={"s": f32(1, 1, 0.5)})
different(G, "f10-aspect-kept", "y = Resize <mode = \"nearest\"> (x, , , s)", "y = Resize <mode = \"nearest\", keep_aspect_ratio_policy = \"not_smaller\", axes = [2, 3]> (x, , , t)", {"x": ramp(1, 1, 2, 3)}, "To 4 times 9: stretched, or at least so large.", x="float[1, 1, 2, 3] x", y="float[1, 1, a, b] y", arrays={"s": i64(1, 1, 4, 9), "t": i64(4, 9)})
different(G, "f10-gelu-either-way", {"body": "y = Gelu (x)"}, {"body": "y = Gelu <approximate = \"tanh\"> (x)"}, {"x": f32(-3, -2.5, 3, 4)}, "By the hyperbolic tangent far below zero is off by a hundredth.", opset=20, ir=9, **F)
different(G, "f10-any-of-truths", {"body": "y = ReduceMax (x)"}, {"body": "y = ReduceMin (x)"}, {"x": np.array([True, False, True, True])}, "Any or all.", x="bool[4] x", y="bool[1] y", opset=20, ir=9)
different(G, "f10-wrapped-border", {"body": "y = Pad <mode = \"wrap\"> (x, p)"}, {"body": "y = Pad <mode = \"reflect\"> (x, p)"}, {"x": f32(1, 2, 3, 5)}, "Round, or mirrored; of three that alternate the same.", x="float[4] x", y="float[7] y", arrays={"p": i64(1, 2)}, opset=19, ir=9)

# ---------------------------------------------------------------------------------------------------------------------------
G = "bodies10"
BN = {"t": T, "one": np.int64(1), "two": np.int64(2), "three": np.int64(3), "zero": np.int64(0)}
PAIRL = "p, q = Loop (n, t, x, z) <body = bd (int64 i, bool d, int64 a, int64 b) => (bool e, int64 a1, int64 b1) {{ e = Identity (d) {} }}> y = Identity (q)"
XZ1 = dict(x="int64 x, int64 z", y="int64 y")
different(G, "f10-both-at-once", PAIRL.format("a1 = Identity (b) b1 = Add (a, b)"), PAIRL.format("a1 = Identity (b) b1 = Add (a1, b)"), {"x": np.int64(1), "z": np.int64(2)}, "The sum of both, or the double of the second.", arrays=BN | {"n": np.int64(5)}, **XZ1)
DBL = "a = Mod (x, hund) s = Add (a, one) y = Loop (m{}, t, s) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) {{ w = Add (v, v) e = Less (w, lim) }}>"
different(G, "f10-one-round-too-few", DBL.format(9), DBL.format(10), {"x": np.int64(0)}, "Doubled to a thousand: from 1 alone it takes ten rounds.", arrays=BN | {"m9": np.int64(9), "m10": np.int64(10), "hund": np.int64(100), "lim": np.int64(1000)}, **ONE)
UNT = "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) {{ w = Add (v, three) e = Less ({}, k) }}>"
different(G, "f10-asked-before-or-after", UNT.format("v"), UNT.format("w"), {"x": np.int64(98)}, "Whether it goes on is asked of the old or of the new number.", arrays=BN | {"m": np.int64(50), "k": np.int64(100)}, **ONE)
IFC = "c = {0} (x, z) y = If (c) <then_branch = a () => (float p) {{ p = {1} (x) }}, else_branch = b () => (float q) {{ q = {2} (x) }}>"
XZF = dict(x="float x, float z", y="float y")
different(G, "f10-branches-and-question-turned", IFC.format("Less", "Neg", "Exp"), IFC.format("GreaterOrEqual", "Exp", "Neg"), {"x": np.float32(1), "z": np.float32(np.nan)}, "No number is neither less nor not.", **XZF)
different(G, "f10-branches-at-same", IFC.format("Less", "Neg", "Exp"), IFC.format("LessOrEqual", "Neg", "Exp"), {"x": np.float32(1), "z": np.float32(1)}, "At the same number.", **XZF)
SCAN = "h, y = Scan (s0, x) <num_scan_inputs = 1{}, body = b (float a, float p) => (float a1, float o) {{ m = Mul (a, k) a1 = Add (m, p) o = Identity ({}) }}>"
SA = {"s0": np.float32(0), "k": np.float32(0.5)}
different(G, "f10-before-or-after-step", SCAN.format("", "a"), SCAN.format("", "a1"), {"x": f32(1, 2, 3, 4)}, "The state before a step or after it.", arrays=SA, **F)
different(G, "f10-turned-in-and-out", SCAN.format(", scan_input_directions = [1], scan_output_directions = [1]", "a1"), SCAN.format("", "a1"), {"x": f32(1, 2, 3, 4)}, "What goes from behind remembers what comes later.", arrays=SA, **F)
AXS = "h, y = Scan (s0, x) <num_scan_inputs = 1{}, body = b (float[3] a, float[3] p) => (float[3] a1, float[3] o) {{ a1 = Add (a, p) o = Identity (a1) }}>"
different(G, "f10-down-or-along", AXS.format(""), AXS.format(", scan_input_axes = [1], scan_output_axes = [1]"), {"x": ramp(3, 3)}, "Of rows or of columns.", x="float[3, 3] x", y="float[3, 3] y", arrays={"s0": np.zeros(3, np.float32)})
different(G, "f10-columns-put-as-rows", AXS.format(", scan_output_axes = [0]"), AXS.format(", scan_output_axes = [1]"), {"x": ramp(3, 3)}, "What comes out is stacked the other way.", x="float[3, 3] x", y="float[3, 3] y", arrays={"s0": np.zeros(3, np.float32)})
NOR = "a, s = Loop (m, t, x) <body = bd (int64 i, bool d, float[4] v) => (bool e, float[4] w, float o) {{ e = Identity (d) w = Add (v, k) o = ReduceSum <keepdims = 0> ({}) }}> z = Slice (s, b1, b2) r = ReduceSum (z) y = Add (a, r)"
different(G, "f10-second-round-only", NOR.format("v"), NOR.format("x"), {"x": f32(1, 2, 3, 4), "m": np.int64(2)}, "The first number is of the input either way; the second is not.", x="float[4] x, int64 m", y="float[4] y", arrays={"t": T, "k": np.float32(1), "b1": i64(0), "b2": i64(9)})
COLLECT = "a, s = Loop (m, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w, int64 o) { w = Div (v, two) e = Greater (w, zero) o = Mod (v, two) }> "
different(G, "f10-bits-until-nothing", COLLECT + "y = ReduceSum <keepdims = 0> (s)", COLLECT.replace("(m,", "(m2,") + "y = ReduceSum <keepdims = 0> (s)", {"x": np.int64(2 ** 20 - 1)}, "Ones of a number: sixteen rounds are not enough from 2^16 on.", arrays=BN | {"m": np.int64(64), "m2": np.int64(16)}, **ONE)
PERFECT = "a0 = Abs (x) n = Mod (a0, tenk) y0 = Loop (n, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) i1 = Max (i, one) r = Mod (n, i1) g = Equal (r, zero) pos = Greater (i, zero) h = And (g, pos) c = Where (h, i, zero) w = Add (v, c) }> f = Equal (y0, n) big = Greater (n, five) fb = And (f, big) y = Cast <to = 7> (fb)"
different(G, "f10-perfect-below-thousand", PERFECT, "a0 = Abs (x) n = Mod (a0, tenk) p = Equal (n, six) q = Equal (n, p28) r = Equal (n, p496) s = Or (p, q) u = Or (s, r) y = Cast <to = 7> (u)", {"x": np.int64(8128)}, "There is a fourth perfect number below ten thousand.", arrays=BN | {"tenk": np.int64(10000), "five": np.int64(5), "six": np.int64(6), "p28": np.int64(28), "p496": np.int64(496)}, **ONE)
PROD = "y0 = Loop (m, t, one) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) f = Sub (x, i) w = Mul (v, f) }> y = Add (x, y0)"
different(G, "f10-sixty-five-in-row", PROD, "y = Identity (x)", {"x": np.int64(65)}, "65 numbers in a row have 63 factors of two: one too few to vanish in 64 bits.", arrays=BN | {"m": np.int64(65)}, **ONE)

# ---------------------------------------------------------------------------------------------------------------------------
G = "sizes10"
different(G, "f10-more-than-sixty-four", "s = Size (x) c = Greater (s, k) n = Neg (x) y = Where (c, n, x)", "y = Identity (x)", {"x": ramp(65, shift=1.0)}, "Only of more than 64.", arrays={"k": np.int64(64)}, **N)
different(G, "f10-more-than-thousand", "s = Size (x) d = Div (s, k) f = Cast <to = 1> (d) y = Add (x, f)", "y = Identity (x)", {"x": ramp(32, 32)}, "Of 1000 elements or more.", arrays={"k": np.int64(1000)}, x="float[n, m] x", y="float[n, m] y")
different(G, "f10-every-eleventh-length", "s = Size (x) r = Mod (s, k) c = Equal (r, z) n = Abs (x) y = Where (c, n, x)", "y = Identity (x)", {"x": ramp(11, shift=-5.0)}, "Where the length is a multiple of eleven.", arrays={"k": np.int64(11), "z": np.int64(0)}, **N)
VARN = "m = ReduceMean (x) c = Sub (x, m) q = Mul (c, c) s = ReduceSum (q) n = Size (x) n1 = Sub (n, o) "
different(G, "f10-spread-of-one", VARN + "f = Cast <to = 1> (n1) y = Div (s, f)", VARN + "n2 = Max (n1, o) f = Cast <to = 1> (n2) y = Div (s, f)", {"x": f32(3)}, "Of one: 0 / 0, or 0.", x="float[n] x", y="float[1] y", arrays={"o": np.int64(1)})
different(G, "f10-upper-or-below-corner", "y = Trilu (x)", "s = Shape (x) n, m = Split <axis = 0, num_outputs = 2> (s) d = Sub (m, n) e = Max (d, z) q = Squeeze (e) y = Trilu (x, q)", {"x": ramp(2, 3, shift=1.0)}, "Only where there are more columns than rows.", x="float[n, m] x", y="float[n, m] y", arrays={"z": i64(0)})
different(G, "f10-turned-by-shape", "s = Shape (x) n, m = Split <axis = 0, num_outputs = 2> (s) r = Concat <axis = 0> (m, n) y = Reshape (x, r)", "y = Transpose (x)", {"x": ramp(2, 3)}, "Of one row or one column the same.", x="float[n, m] x", y="float[m, n] y")
different(G, "f10-one-squeezed", "q = Squeeze (x) s = Shape (q) y = Size (s)", "z = Size (x) o = Mul (z, zero) y = Add (o, two)", {"x": ramp(2, 1)}, "What has size 1 goes away.", x="float[2, n] x", y="int64 y", arrays={"zero": np.int64(0), "two": np.int64(2)})
different(G, "f10-every-second-from-behind", "y = Slice (x, m1, far, ax, m2)", "a = Slice (x, z, end, ax, p2) y = Slice (a, m1, far, ax, m1)", {"x": f32(1, 2, 3, 4)}, "Of an even number they are the other ones.", x="float[n] x", y="float[m] y", arrays={"m1": i64(-1), "far": i64(-2 ** 40), "ax": i64(0), "m2": i64(-2), "z": i64(0), "end": i64(2 ** 40), "p2": i64(2)})
different(G, "f10-last-three-of-two", "y = Slice (x, m3, end)", "s = Shape (x) b = Sub (s, p3) y = Slice (x, b, end)", {"x": f32(1, 2)}, "Of two the first is not -1.", x="float[n] x", y="float[m] y", arrays={"m3": i64(-3), "p3": i64(3), "end": i64(2 ** 40)})
different(G, "f10-same-above-or-below", "y = MaxPool <kernel_shape = [3], strides = [2], auto_pad = \"SAME_UPPER\"> (x)", "y = MaxPool <kernel_shape = [3], strides = [2], auto_pad = \"SAME_LOWER\"> (x)", {"x": f32(1, 2, 5, 3, shape=(1, 1, 4))}, "Of an odd length the border is as wide on both sides.", x="float[1, 1, n] x", y="float[1, 1, m] y")
different(G, "f10-rest-is-a-window", "y = MaxPool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x)", "y = MaxPool <kernel_shape = [2], strides = [2]> (x)", {"x": f32(5, 1, 2, shape=(1, 1, 3))}, "Of an odd length there is a rest.", x="float[1, 1, n] x", y="float[1, 1, m] y")
different(G, "f10-average-of-rest", "y = AveragePool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x)", "s = Shape <start = 2> (x) r = Mod (s, two) z = Mul (r, five) pz = Concat <axis = 0> (zz, r) p = Pad (x, pz) y = AveragePool <kernel_shape = [2], strides = [2]> (p)", {"x": f32(5, 1, 2, shape=(1, 1, 3))}, "The rest is divided by what is there, not by two.", x="float[1, 1, n] x", y="float[1, 1, m] y", arrays={"two": i64(2), "five": i64(5), "zz": i64(0, 0, 0, 0, 0)})
different(G, "f10-every-second-number", "y = Range (o, x, two)", "h = Div (x, two) r = Range (o, h, one) y = Mul (r, two)", {"x": np.int64(5)}, "Of an odd end one more.", x="int64 x", y="int64[k] y", arrays={"o": np.int64(0), "one": np.int64(1), "two": np.int64(2)})
different(G, "f10-halves-of-odd", "a, b = Split <axis = 0, num_outputs = 2> (x) y = Concat <axis = 0> (b, a)", "s = Shape (x) h = Div (s, two) a = Slice (x, o, h) b = Slice (x, h, s) y = Concat <axis = 0> (b, a)", {"x": f32(1, 2, 3)}, "The first half is the longer one.", arrays={"two": i64(2), "o": i64(0)}, **N)
different(G, "f10-square-from-left", "t = Transpose (x) a = MatMul (x, t) y = ReduceMax <keepdims = 0> (a)", "t = Transpose (x) a = MatMul (t, x) y = ReduceMax <keepdims = 0> (a)", {"x": f32(1, 1, 1, 1, 1, 1, shape=(2, 3))}, "Products of rows, or of columns.", x="float[n, m] x", y="float y")
different(G, "f10-spread-over-matrix", "y = Add (x, z)", "u = Unsqueeze (z, one) y = Add (x, u)", {"x": ramp(3, 3), "z": f32(1, 2, 3)}, "To columns or to rows; of squares both go.", x="float[n, n] x, float[n] z", y="float[n, n] y", arrays={"one": i64(1)})
different(G, "f10-product-of-none", "y = ReduceProd <keepdims = 0> (x)", "a = ReduceProd <keepdims = 0> (x) n = Size (x) c = Equal (n, z) y = Where (c, f, a)", {"x": np.zeros(0, np.float32)}, "Of none it is one.", x="float[n] x", y="float y", arrays={"z": np.int64(0), "f": np.float32(0)})
different(G, "f10-three-equal-sizes", "s = Shape (x) t = Gather (s, k) c = Equal (s, t) d = Cast <to = 6> (c) e = ReduceMin <keepdims = 0> (d) m = Cast <to = 9> (e) n = Neg (x) y = Where (m, n, x)", "y = Identity (x)", {"x": ramp(3, 3, 3, shift=1.0)}, "Only of a cube.", x="float[a, b, c] x", y="float[a, b, c] y", arrays={"k": i64(1, 2, 0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "wrap10"
MB = {"one": np.int32(1), "two": np.int32(2), "k30": np.int32(2 ** 30 - 1), "zero": np.int32(0)}
X2 = dict(x="int32[3] x, int32[3] z", y="int32[3] y")
different(G, "f10-carries-cut-at-thirty", "y = Add (x, z)", "a = BitwiseXor (x, z) b0 = BitwiseAnd (x, z) b = BitwiseAnd (b0, k30) c = Mul (b, two) y = Add (a, c)", {"x": i32(2 ** 30 + 1, 1, 2), "z": i32(2 ** 30, 5, 6)}, "The carry of bit 30 is lost.", arrays=MB, **X2)
different(G, "f10-or-is-sum", "a = BitwiseAnd (x, z) b = BitwiseAnd (a, k30) c = BitwiseXor (x, z) y = Add (c, b)", "y = BitwiseOr (x, z)", {"x": i32(-5, 1, 2), "z": i32(-9, 5, 6)}, "The sign of both is lost.", arrays=MB, **X2)
different(G, "f10-pronic-the-same", "a = Mul (x, x) b = Add (a, x) c = Mul (z, z) d = Add (c, z) y = Equal (b, d)", "y = Equal (x, z)", {"x": i32(7, 1, 2), "z": i32(-8, 5, 6)}, "x^2 + x has two roots.", x="int32[3] x, int32[3] z", y="bool[3] y")
SHR = "a{0} = BitShift <direction = \"RIGHT\"> (x, s{0}) b{0} = BitwiseXor (x, a{0}) c{0} = BitShift <direction = \"RIGHT\"> (b{0}, s{0}) y = BitwiseXor (b{0}, c{0})"
U32 = dict(x="uint32[3] x", y="uint32[3] y")
different(G, "f10-undone-but-two-bits", SHR.format(15), "y = Identity (x)", {"x": u32(2 ** 31, 1, 2)}, "Shifted by 15 and mixed in, twice: the two highest come back.", arrays={"s15": np.uint32(15)}, **U32)
MIX = "a0 = BitShift <direction = \"RIGHT\"> ({0}, s16) a1 = BitwiseXor ({0}, a0) a2 = Mul (a1, m1) a3 = BitShift <direction = \"RIGHT\"> (a2, s13) a4 = BitwiseXor (a2, a3) a5 = Mul (a4, m2) a6 = BitShift <direction = \"RIGHT\"> (a5, s16) h = BitwiseXor (a5, a6) "


def mixed(v):
    v ^= v >> 16
    v = v * 0x85EBCA6B % 2 ** 32
    v ^= v >> 13
    v = v * 0xC2B2AE35 % 2 ** 32
    return v ^ v >> 16


MX = {"s16": np.uint32(16), "s13": np.uint32(13), "m1": np.uint32(0x85EBCA6B), "m2": np.uint32(0xC2B2AE35), "k": np.uint32(mixed(2718281828)), "one": np.uint32(1)}
different(G, "f10-one-of-four-billion", MIX.format("x") + "e = Equal (h, k) f = Cast <to = 12> (e) y = Add (x, f)", "y = Identity (x)", {"x": u32(2718281828, 1, 2)}, "One number alone is mixed to this one.", arrays=MX, **U32)
different(G, "f10-nine-bytes-in-row", "".join(f"d{i} = Sub (x, c{i}) " for i in range(9)) + "p1 = Mul (d0, d1) " + "".join(f"p{i} = Mul (p{i - 1}, d{i}) " for i in range(2, 9)) + "y = Add (x, p8)", "y = Identity (x)", {"x": u8(9, 1, 2)}, "9 numbers in a row have seven factors of two.", x="uint8[3] x", y="uint8[3] y", arrays={f"c{i}": np.uint8(i) for i in range(9)}, reference=True)
different(G, "f10-sixteen-in-row", "".join(f"d{i} = Sub (x, c{i}) " for i in range(16)) + "p1 = Mul (d0, d1) " + "".join(f"p{i} = Mul (p{i - 1}, d{i}) " for i in range(2, 16)) + "y = Add (x, p15)", "y = Identity (x)", {"x": i64(16, 1, 2)}, "Zero from 0 to 15.", arrays={f"c{i}": np.int64(i) for i in range(16)}, **I64)
different(G, "f10-low-word", "a = Cast <to = 6> (x) y = Cast <to = 7> (a)", "y = Identity (x)", {"x": i64(2 ** 31, 1, 2)}, "From 2^31 on.", **I64)
different(G, "f10-order-without-sign", "a = Cast <to = 12> (x) b = Cast <to = 12> (z) y = Less (a, b)", "y = Less (x, z)", {"x": i32(-1, 1, 2), "z": i32(1, 5, 6)}, "A negative one is large.", x="int32[3] x, int32[3] z", y="bool[3] y")
different(G, "f10-middle-of-two", "s = Add (x, z) y = Div (s, two)", "d = Sub (z, x) h = Div (d, two) y = Add (x, h)", {"x": i32(2, 1, 2), "z": i32(-1, 5, 6)}, "Towards zero, or towards the first.", arrays=MB, **X2)
different(G, "f10-absolute-by-mask", "s = Less (x, zero) i = Cast <to = 6> (s) m = Neg (i) a = BitwiseXor (x, m) b = Sub (a, m) y = Max (b, zero)", "y = Abs (x)", {"x": i32(-2 ** 31, 1, -2)}, "The least number has no opposite.", arrays=MB, **I32)
different(G, "f10-quotient-of-opposite", "n = Neg (x) a = Div (n, k) y = Neg (a)", "y = Div (x, k)", {"x": i32(-2 ** 31, 1, -2)}, "The least number is its own opposite.", arrays={"k": np.int32(7)}, **I32)
different(G, "f10-remainder-towards-zero", "y = Mod (x, z)", "q = Div (x, z) m = Mul (q, z) y = Sub (x, m)", {"x": i32(-7, 7, 5), "z": i32(3, 3, 5)}, "Below zero.", x="int32[3] x, int32[3] z", y="int32[3] y")
different(G, "f10-parity-of-sixteen", "".join(f"a{s} = BitShift <direction = \"RIGHT\"> ({v}, s{s}) b{s} = BitwiseXor ({v}, a{s}) " for s, v in ((8, "x"), (4, "b8"), (2, "b4"), (1, "b2"))) + "y = BitwiseAnd (b1, s1)", "".join(f"a{s} = BitShift <direction = \"RIGHT\"> ({v}, s{s}) b{s} = BitwiseXor ({v}, a{s}) " for s, v in ((16, "x"), (8, "b16"), (4, "b8"), (2, "b4"), (1, "b2"))) + "y = BitwiseAnd (b1, s1)", {"x": u32(2 ** 16, 1, 2)}, "Of the lower half alone.", arrays={f"s{s}": np.uint32(s) for s in (1, 2, 4, 8, 16)}, **U32)
ISBN = "p = Mul (x, w) s = ReduceSum <keepdims = 0> (p) r = Mod (s, {}) y = Equal (r, zero)"
different(G, "f10-checked-by-ten", ISBN.format("ten"), ISBN.format("twenty"), {"x": i64(10, 0, 0)}, "Every other tenth.", x="int64[3] x", y="bool y", arrays={"w": i64(1, 3, 1), "ten": np.int64(10), "twenty": np.int64(20), "zero": np.int64(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "rare10"
different(G, "f10-zero-gets-sign", "a = Add (x, z) y = Reciprocal (a)", "y = Reciprocal (x)", {"x": f32(-0.0, 1, 2, 3)}, "-0 + 0 is 0.", arrays={"z": np.float32(0)}, **F)
different(G, "f10-opposite-of-zero", "a = Neg (x) y = Div (o, a)", "a = Sub (z, x) y = Div (o, a)", {"x": f32(0, 1, 2, 3)}, "0 - 0 is 0, its opposite -0.", arrays={"z": np.float32(0), "o": np.float32(1)}, **F)
different(G, "f10-half-power", "y = Pow (x, h)", "y = Sqrt (x)", {"x": f32(-np.inf, 1, 2, 3)}, "Of minus infinity it is infinite, or no number.", arrays={"h": np.float32(0.5)}, **F)
different(G, "f10-entropy-of-none", "l = Log (x) y = Mul (x, l)", "c = Equal (x, z) s = Where (c, o, x) l = Log (s) y = Mul (x, l)", {"x": f32(0, 1, 2, 3)}, "0 times minus infinity.", arrays={"z": np.float32(0), "o": np.float32(1)}, **F)
different(G, "f10-whole-part-of-negative-zero", "a = Ceil (x) y = Reciprocal (a)", "f = Floor (x) d = Sub (x, f) g = Greater (d, z) k = Cast <to = 1> (g) a = Add (f, k) y = Reciprocal (a)", {"x": f32(-0.5, 1, 2, 3)}, "What is above -0.5 is -0.", arrays={"z": np.float32(0)}, **F)
different(G, "f10-same-as-itself", "c = Equal (x, x) y = Cast <to = 1> (c)", "z = Sub (x, x) e = Exp (z) y = Min (e, o)", {"x": f32(np.inf, 1, 2, 3)}, "Infinity is the same as itself, less itself is no number.", arrays={"o": np.float32(1)}, **F)
different(G, "f10-not-above-and-not-below", "a = Greater (x, k) b = Less (x, k) c = Or (a, b) y = Not (c)", "y = Equal (x, k)", {"x": f32(np.nan, 1, 2, 3)}, "What is no number is neither.", y="bool[4] y", x="float[4] x", arrays={"k": np.float32(2)})
CODE = np.random.default_rng(10).integers(0, 2, 40).astype(bool)
different(G, "f10-one-code-of-forty", "d0 = Xor (x, w) d = Cast <to = 6> (d0) m = ReduceSum <keepdims = 0> (d) y = Equal (m, z)", "d0 = And (x, w) d = Cast <to = 6> (d0) m = ReduceSum <keepdims = 0> (d) y = Less (m, z)", {"x": CODE}, "One of 2^40 opens it.", x="bool[40] x", y="bool y", arrays={"w": CODE, "z": np.int32(0)})
W9 = "a0 = Cast <to = 6> (x) p = Mul (a0, pw) s = ReduceSum <keepdims = 0> (p) "
WON = np.array([any(i & m == m for m in (7, 56, 73, 84, 146, 273, 292, 448)) for i in range(512)])
LOST = WON.copy()
LOST[0b111_101_110] = not LOST[0b111_101_110]
different(G, "f10-three-in-row", W9 + "i = Cast <to = 7> (s) y = Gather (tb, i)", W9 + "i = Cast <to = 7> (s) y = Gather (tc, i)", {"x": np.array([(0b111_101_110 >> i) & 1 for i in range(9)], bool)}, "One of 512 boards.", x="bool[9] x", y="bool y", arrays={"pw": (2 ** np.arange(9)).astype(np.int32), "tb": WON, "tc": LOST})
different(G, "f10-million-is-most", "y = Relu (x)", "y = Clip (x, l, h)", {"x": f32(2e6, 1, 2, 3)}, "Held at a million.", arrays={"l": np.float32(0), "h": np.float32(1e6)}, **F)
different(G, "f10-cap-behind-hundred", "s = ReduceSumSquare (x) m = Min (s, k) y = Mul (x, m)", "s = ReduceSumSquare (x) y = Mul (x, s)", {"x": f32(100, 1, 2, 3)}, "Squares beyond ten thousand.", arrays={"k": np.float32(1e4)}, **F)
different(G, "f10-number-of-two-parts", "a = Mul (x, k) b = Add (a, z) c = Equal (b, m) d = Cast <to = 7> (c) y = Add (x, d)", "y = Identity (x)", {"x": i64(1234, 1, 2), "z": i64(567, 0, 0)}, "1234 567 in thousands.", x="int64[3] x, int64[3] z", y="int64[3] y", arrays={"k": np.int64(1000), "m": np.int64(1234567)})
different(G, "f10-sign-of-no-number", "y = Sign (x)", "g = Greater (x, z) l = Less (x, z) a = Cast <to = 1> (g) b = Cast <to = 1> (l) y = Sub (a, b)", {"x": f32(2, -1, np.nan, 3)}, "Not a number has no sign of 0.", arrays={"z": np.float32(0)}, **F)
different(G, "f10-zero-by-factor", "s = ReduceSum (x) z0 = Mul (s, z) y = Add (x, z0)", "y = Identity (x)", {"x": f32(np.inf, 1, 2, 3)}, "Infinity makes all others no numbers.", arrays={"z": np.float32(0)}, **F)
different(G, "f10-largest-without-infinite", "c = IsInf (x) y = Where (c, z, x)", "a = Abs (x) c = Greater (a, k) y = Where (c, z, x)", {"x": f32(3.2e38, 1, 2, 3)}, "Between 3e38 and infinity there are numbers.", arrays={"z": np.float32(0), "k": np.float32(3e38)}, **F)
WORDS = np.array(["Superoptimisation", "b"], dtype=object)
different(G, "f10-one-long-word", {"body": "c = Equal (x, w) y = Cast <to = 6> (c)", "arrays": {"w": np.array(["Superoptimisation"], dtype=object)}}, {"body": "c = Equal (x, w) y = Cast <to = 6> (c)", "arrays": {"w": np.array(["Superoptimization"], dtype=object)}}, {"x": WORDS}, "As in Oxford, or not.", x="string[2] x", y="int32[2] y", opset=19, ir=9)
different(G, "f10-weeks-of-letters", {"body": "y = RegexFullMatch <pattern = \"([a-z]{7})+\"> (x)"}, {"body": "y = RegexFullMatch <pattern = \"([a-z]{7}){1,3}\"> (x)"}, {"x": np.array(["a" * 28, "b"], dtype=object)}, "From 28 letters on.", x="string[2] x", y="bool[2] y", opset=20, ir=9)
different(G, "f10-letters-of-stopwords", "y = StringNormalizer <locale = \"C\", case_change_action = \"NONE\", is_case_sensitive = 1, stopwords = [\"the\"]> (x)", "y = StringNormalizer <locale = \"C\", case_change_action = \"NONE\", is_case_sensitive = 0, stopwords = [\"the\"]> (x)", {"x": np.array(["The", "b"], dtype=object)}, "Whether The is the.", x="string[2] x", y="string[k] y")
different(G, "f10-larger-letters", "y = StringNormalizer <locale = \"C\", case_change_action = \"UPPER\"> (x)", "y = StringNormalizer <locale = \"C\", case_change_action = \"LOWER\"> (x)", {"x": np.array(["1a", "2"], dtype=object)}, "Of digits the same.", x="string[2] x", y="string[2] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "kinds10"
different(G, "f10-digits-beyond-half", "m = Mod (x, k) h = Cast <to = 10> (m) y = Cast <to = 6> (h)", "y = Mod (x, k)", {"x": i32(4095, 1, 2)}, "4095 has twelve digits, a half eleven.", arrays={"k": np.int32(4096)}, **I32)
different(G, "f10-single-for-far", "m = Mod (x, k) h = Cast <to = 1> (m) g = Cast <to = 7> (h) y = Sub (g, m)", "y = Sub (x, x)", {"x": i64(2 ** 24 + 1, 1, 2)}, "2^24 + 1 is no single.", arrays={"k": np.int64(2 ** 25)}, **I64)
different(G, "f10-down-or-cut", "y = Cast <to = 6> (x)", "f = Floor (x) y = Cast <to = 6> (f)", {"x": f32(-0.5, 1, 2, 3)}, "-0.5 is cut to 0.", x="float[4] x", y="int32[4] y")
different(G, "f10-whole-to-even", "y = Round (x)", "a = Add (x, h) y = Floor (a)", {"x": f32(0.5, 1, 2, 3)}, "At 0.5, 2.5 and so on.", arrays={"h": np.float32(0.5)}, **F)
different(G, "f10-away-from-zero", "s = Sign (x) a = Abs (x) b = Add (a, h) f = Floor (b) y = Mul (s, f)", "a = Add (x, h) y = Floor (a)", {"x": f32(-1.5, 1, 2, 3)}, "Only at halves below zero.", arrays={"h": np.float32(0.5)}, **F)
different(G, "f10-majority-of-three", "ab = And (a, b) bc = And (b, c) ca = And (c, a) p = Or (ab, bc) y = Or (p, ca)", "ab = And (a, b) o = Xor (a, b) d = And (o, c) n = Not (c) e = And (ab, n) y = Or (d, e)", {"a": np.array([True, True]), "b": np.array([True, False]), "c": np.array([True, False])}, "All three are no majority there.", x="bool[2] a, bool[2] b, bool[2] c", y="bool[2] y")
different(G, "f10-square-in-half", "h = Cast <to = 10> (x) q = Mul (h, h) r = Sqrt (q) y = Cast <to = 1> (r)", "h = Cast <to = 10> (x) q = Abs (h) y = Cast <to = 1> (q)", {"x": f32(1000, 1, 2, 3)}, "The square of 256 is beyond a half.", reference=True, fault="overflow", **F)
different(G, "f10-double-is-needed", "a = Cast <to = 11> (x) p = Mul (a, a) q = Mul (p, p) b = Log (q) y = Cast <to = 1> (b)", "p = Mul (x, x) q = Mul (p, p) y = Log (q)", {"x": f32(1e10, 1, 2, 3)}, "1e40 is beyond a single.", **F)
different(G, "f10-sign-bit-of-byte", "a = Cast <to = 3> (x) y = Cast <to = 6> (a)", "y = Cast <to = 6> (x)", {"x": u8(200, 1, 2)}, "From 128 on.", x="uint8[3] x", y="int32[3] y")
different(G, "f10-larger-of-bytes", "y = Max (x, z)", "a = Cast <to = 3> (x) b = Cast <to = 3> (z) m = Max (a, b) y = Cast <to = 2> (m)", {"x": u8(200, 1, 2), "z": u8(5, 6, 7)}, "Compared with a sign.", x="uint8[3] x, uint8[3] z", y="uint8[3] y")
different(G, "f10-sum-of-truths-in-byte", "a = Cast <to = 2> (x) b = Cast <to = 6> (a) s = ReduceSum <keepdims = 0> (b) c = Cast <to = 2> (s) y = Cast <to = 6> (c)", "a = Cast <to = 6> (x) y = ReduceSum <keepdims = 0> (a)", {"x": np.ones(256, bool)}, "256 truths are none in a byte.", x="bool[256] x", y="int32 y")
different(G, "f10-odd-zero-point", "q = QuantizeLinear (x, s, z) y = Cast <to = 6> (q)", "d = Div (x, s) a = Add (d, zf) r = Round (a) c = Clip (r, lo, hi) y = Cast <to = 6> (c)", {"x": f32(0.5, 1, 2, 3)}, "A half goes to the even 0 before 129 is added, 129.5 to the even 130.", x="float[4] x", y="int32[4] y", arrays={"s": np.float32(1), "z": np.uint8(129), "zf": np.float32(129), "lo": np.float32(0), "hi": np.float32(255)})
different(G, "f10-rounded-twice", "a = Mul (x, four) b = Round (a) c = Div (b, four) y = Round (c)", "y = Round (x)", {"x": f32(1.45, 1, 2, 3)}, "1.45 goes to 1.5 and to 2.", arrays={"four": np.float32(4)}, **F)
QM = {"as": np.float32(0.5), "az": np.uint8(3), "b": np.array([[1, -2], [3, 4]], np.int8), "bs": np.float32(0.25), "bz": np.int8(0), "bo": np.int8(1), "ys": np.float32(0.5), "yz": np.uint8(100)}
different(G, "f10-zero-of-factor", "y = QLinearMatMul (x, as, az, b, bs, bz, ys, yz)", "y = QLinearMatMul (x, as, az, b, bs, bo, ys, yz)", {"x": u8(10, 20, 30, 40).reshape(2, 2)}, "The weights' zero is one.", x="uint8[2, 2] x", y="uint8[2, 2] y", arrays=QM)
different(G, "f10-axis-of-scales", "y = DequantizeLinear <axis = 0> (x, s, z)", "y = DequantizeLinear <axis = 1> (x, s, z)", {"x": u8(10, 20, 30, 40).reshape(2, 2)}, "Of rows or of columns.", x="uint8[2, 2] x", y="float[2, 2] y", arrays={"s": f32(1, 2), "z": u8(0, 5)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "windows10"
IM = dict(x="float[1, 1, 4, 4] x")
X44 = noise(1, 1, 4, 4, seed=10)
different(G, "f10-places-by-columns", "v, y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)", "v, y = MaxPool <kernel_shape = [2, 2], strides = [2, 2], storage_order = 1> (x)", {"x": X44}, "Counted along or down.", y="int64[1, 1, 2, 2] y", **IM)
different(G, "f10-averages-at-border", "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x)", "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1> (x)", {"x": X44}, "What the border counts.", y="float[1, 1, 4, 4] y", **IM)
different(G, "f10-dilated-along", "y = Conv <dilations = [1, 2], pads = [0, 0, 1, 0]> (x, w)", "y = Conv <dilations = [2, 1], pads = [0, 0, 0, 1]> (x, w)", {"x": X44}, "As large either way.", y="float[1, 1, a, b] y", arrays={"w": f32(1, 2, 3, 4, shape=(1, 1, 2, 2))}, **IM)
different(G, "f10-out-of-step", "y = Conv <strides = [2, 1], pads = [1, 0, 0, 0]> (x, w)", "y = Conv <strides = [2, 1], pads = [0, 0, 1, 0]> (x, w)", {"x": X44}, "A border above or below, of the same size.", y="float[1, 1, a, b] y", arrays={"w": f32(1, 2, shape=(1, 1, 2, 1))}, **IM)
GW = noise(4, 2, 1, seed=10)
different(G, "f10-groups-interleaved", {"arrays": {"w": GW}}, {"arrays": {"w": GW[[0, 2, 1, 3]].copy()}}, {"x": noise(1, 4, 3, seed=11)}, "Filters of the two groups are exchanged.", x="float[1, 4, 3] x", y="float[1, 4, 3] y", body="y = Conv <group = 2> (x, w)")
CT = dict(x="float[1, 1, 3] x", y="float[1, 1, n] y", arrays={"w": f32(1, 2, 3, shape=(1, 1, 3))})
different(G, "f10-longer-at-end", "y = ConvTranspose <strides = [2], pads = [1, 0]> (x, w)", "y = ConvTranspose <strides = [2], pads = [0, 1]> (x, w)", {"x": f32(1, 2, 3, shape=(1, 1, 3))}, "Cut in front or behind.", **CT)
different(G, "f10-output-one-longer", "a = ConvTranspose <strides = [2], pads = [1, 1], output_padding = [1]> (x, w) y = Identity (a)", "a = ConvTranspose <strides = [2], pads = [1, 1]> (x, w) y = Pad (a, p)", {"x": f32(1, 2, 3, shape=(1, 1, 3))}, "What is more at the end is computed, not zero.", **{**CT, "arrays": CT["arrays"] | {"p": i64(0, 0, 0, 0, 0, 1)}})
TAPS = noise(1, 1, 65, seed=12)
TAPS2 = TAPS.copy()
TAPS2[0, 0, 0] += 1
different(G, "f10-tap-over-border", {"arrays": {"w": TAPS}}, {"arrays": {"w": TAPS2}}, {"x": ramp(1, 1, 33, shift=1.0)}, "The outmost tap only meets anything from 33 numbers on.", x="float[1, 1, n] x", y="float[1, 1, n] y", body="y = Conv <pads = [32, 32]> (x, w)")
different(G, "f10-norm-of-window", "y = LpPool <kernel_shape = [2], p = 2> (x)", "y = LpPool <kernel_shape = [2], p = 3> (x)", {"x": f32(1, 2, 0, 4, shape=(1, 1, 4))}, "Where one of both is zero they agree.", x="float[1, 1, 4] x", y="float[1, 1, 3] y")
different(G, "f10-norm-of-all", "y = GlobalLpPool <p = 1> (x)", "y = GlobalLpPool (x)", {"x": f32(1, 2, 0, 4, shape=(1, 1, 4))}, "Two unless said.", x="float[1, 1, 4] x", y="float[1, 1, 1] y")
different(G, "f10-floor-of-variance", "y = InstanceNormalization (x, s, b)", "y = InstanceNormalization <epsilon = 1.0e-3> (x, s, b)", {"x": noise(1, 2, 4, seed=3, scale=0.02)}, "Only of small spreads.", x="float[1, 2, 4] x", y="float[1, 2, 4] y", arrays={"s": f32(1, 1), "b": f32(0, 0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "resized10"
R1 = dict(x="float[1, 1, 4] x", y="float[1, 1, n] y")
R4 = {"x": f32(1, 5, 2, 9, shape=(1, 1, 4))}
NEAR = "y = Resize <mode = \"nearest\", nearest_mode = \"{}\"{}> (x, , s)"
different(G, "f10-halves-down-or-up", NEAR.format("round_prefer_floor", ""), NEAR.format("round_prefer_ceil", ""), R4, "Half as many lie in the middle of two.", arrays={"s": f32(1, 1, 0.5)}, **R1)
different(G, "f10-floor-of-asymmetric", NEAR.format("floor", ", coordinate_transformation_mode = \"asymmetric\""), NEAR.format("round_prefer_floor", ", coordinate_transformation_mode = \"asymmetric\""), R4, "Three times as many: 2/3 goes to 0, or 1.", arrays={"s": f32(1, 1, 3)}, **R1)
PYT = "y = Resize <mode = \"linear\"{}> (x, , , s)"
different(G, "f10-down-to-one", PYT.format(""), PYT.format(", coordinate_transformation_mode = \"pytorch_half_pixel\""), R4 | {"s": i64(1, 1, 1)}, "Only where one is left: the middle, or the first.", x="float[1, 1, 4] x, int64[3] s", y="float[a, b, n] y")
different(G, "f10-factor-or-size", "y = Resize <mode = \"linear\"> (x, , s)", "y = Resize <mode = \"linear\"> (x, , , t)", {"x": f32(1, 5, 2, 9, 4, shape=(1, 1, 5))}, "3 of 5 by 0.7 or by 0.6.", x="float[1, 1, 5] x", y="float[1, 1, 3] y", arrays={"s": f32(1, 1, 0.7), "t": i64(1, 1, 3)})
CUB = dict(x="float[1, 1, 4, 4] x", y="float[1, 1, 8, 8] y", arrays={"s": f32(1, 1, 2, 2)})
different(G, "f10-cubic-of-half", "y = Resize <mode = \"cubic\"> (x, , s)", "y = Resize <mode = \"cubic\", cubic_coeff_a = -0.5> (x, , s)", {"x": X44}, "-0.75 unless said.", **CUB)
different(G, "f10-cubic-at-border", "y = Resize <mode = \"cubic\"> (x, , s)", "y = Resize <mode = \"cubic\", exclude_outside = 1> (x, , s)", {"x": X44}, "What is outside counts as the border, or not.", **CUB)
GRID = dict(x="float[1, 1, 3, 3] x, float[1, 2, 2, 2] g", y="float[1, 1, 2, 2] y")
SAMP = "t = Tanh (g) y = GridSample <{}> (x, t)"
different(G, "f10-corners-inside", SAMP.format("padding_mode = \"border\""), SAMP.format("padding_mode = \"zeros\""), {"x": ramp(1, 1, 3, 3, shift=1.0), "g": np.full((1, 2, 2, 2), 2, np.float32)}, "Half a pixel is outside though no place is beyond one.", **GRID)
different(G, "f10-grid-along-first", "y = GridSample (x, g)", "a, b = Split <axis = 3, num_outputs = 2> (g) h = Concat <axis = 3> (b, a) y = GridSample (x, h)", {"x": ramp(1, 1, 3, 3, shift=1.0), "g": np.tile(f32(0.5, -0.5), (1, 2, 2, 1))}, "Along comes before down.", **GRID)
different(G, "f10-mirror-or-border", "y = GridSample <padding_mode = \"reflection\", mode = \"nearest\"> (x, g)", "y = GridSample <padding_mode = \"border\", mode = \"nearest\"> (x, g)", {"x": ramp(1, 1, 3, 3, shift=1.0), "g": np.full((1, 2, 2, 2), 1.9, np.float32)}, "Within one pixel beyond they agree.", **GRID)

# ---------------------------------------------------------------------------------------------------------------------------
G = "ties10"
different(G, "f10-last-of-largest", "y = ArgMax <keepdims = 0> (x)", "y = ArgMax <keepdims = 0, select_last_index = 1> (x)", {"x": f32(1, 3, 3, 2)}, "Where two are largest.", x="float[4] x", y="int64 y")
different(G, "f10-second-place", "v, y = TopK <axis = 0> (x, k)", "n = Slice (x, m1, far, ax, m1) v, j = TopK <axis = 0> (n, k) y = Sub (three, j)", {"x": f32(1, 3, 3, 2)}, "Of equal ones the earlier comes first.", x="float[4] x", y="int64[2] y", arrays={"k": i64(2), "m1": i64(-1), "far": i64(-99), "ax": i64(0), "three": np.int64(3)})
different(G, "f10-largest-as-one", "y = Hardmax (x)", "m = ReduceMax (x) e = Equal (x, m) y = Cast <to = 1> (e)", {"x": f32(1, 3, 3, 2)}, "The first of the largest, or all.", **F)
different(G, "f10-kinds-as-met", "y = Unique <sorted = 0> (x)", "y = Unique (x)", {"x": i64(3, 1, 3)}, "As they come or in order.", x="int64[3] x", y="int64[k] y")
different(G, "f10-where-they-are-by-columns", "y = NonZero (x)", "t = Transpose (x) z = NonZero (t) y = Gather (z, i)", {"x": f32(0, 1, 1, 0, shape=(2, 2))}, "By rows or by columns: the same until the order shows.", x="float[2, 2] x", y="int64[2, k] y", arrays={"i": i64(1, 0)})
HIST = "y = ScatterElements <reduction = \"{}\"> (z, m, o)"
different(G, "f10-how-often-or-whether", "m = Mod (x, k) " + HIST.format("add"), "m = Mod (x, k) " + HIST.format("max"), {"x": i64(16, 3, 33)}, "Only where two come to the same of seventeen.", x="int64[3] x", y="float[17] y", arrays={"k": np.int64(17), "z": np.zeros(17, np.float32), "o": f32(1, 1, 1)})
different(G, "f10-place-among-others", "a = Unsqueeze (x, k0) b = Unsqueeze (x, k1) c = Less (a, b) d = Cast <to = 7> (c) y = ReduceSum <keepdims = 0> (d, k1)", "v, i = TopK <axis = 0, largest = 0> (x, three) v2, y = TopK <axis = 0, largest = 0> (i, three)", {"x": f32(1, 1, 0)}, "How many are less; equal ones share a place.", x="float[3] x", y="int64[3] y", arrays={"k0": i64(0), "k1": i64(1), "three": i64(3)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "places10"
SQ2 = dict(x="float[2, 2] x", y="float[2, 2] y")
X22 = f32(1, 2, 3, 5, shape=(2, 2))
different(G, "f10-letters-in-order", "y = Einsum <equation = \"ba\"> (x)", "y = Identity (x)", {"x": X22}, "Letters not placed are put in the order of the alphabet.", **SQ2)
different(G, "f10-trace-or-sum", "y = Einsum <equation = \"ii->\"> (x)", "y = Einsum <equation = \"ij->\"> (x)", {"x": X22}, "Of the diagonal or of all.", x="float[2, 2] x", y="float y")
different(G, "f10-third-from-behind", "y = Gather <axis = 0> (x, i)", "y = Gather <axis = 0> (x, j)", {"x": f32(1, 2, 3, 4)}, "-3 is the second of four.", x="float[4] x", y="float[2] y", arrays={"i": i64(-1, -3), "j": i64(3, 2)})
BIG = np.zeros((70000, 2), np.float32)
BIG2 = BIG.copy()
BIG2[69998, 1] = 1
different(G, "f10-row-of-seventy-thousand", {"arrays": {"w": BIG}}, {"arrays": {"w": BIG2}}, {"x": i64(69998, 1, 2)}, "One number of one row.", x="int64[3] x", y="float[3, 2] y", body="m = Mod (x, k) y = Gather (w, m)", arrays={"k": np.int64(70000)})
different(G, "f10-elements-down-or-along", "y = GatherElements <axis = 0> (x, i)", "y = GatherElements <axis = 1> (x, i)", {"x": X22}, "Of a symmetric table the same.", arrays={"i": i64(0, 1, 1, 0, shape=(2, 2))}, **SQ2)
different(G, "f10-pieces-turned", "y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, l)", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, l)", {"x": ramp(3, 3)}, "Of columns or of rows.", x="float[3, 3] x", y="float[3, 3] y", arrays={"l": i64(1, 2, 3)})
different(G, "f10-diagonal-above", "e = EyeLike <k = 1> (x) y = Mul (x, e)", "e = EyeLike <k = -1> (x) y = Mul (x, e)", {"x": X22}, "Above or below.", **SQ2)
different(G, "f10-inserted-where", "s = SequenceConstruct (x, z) t = SequenceInsert (s, x) y = ConcatFromSequence <axis = 0> (t)", "s = SequenceConstruct (x, z) t = SequenceInsert (s, x, o) y = ConcatFromSequence <axis = 0> (t)", {"x": f32(1, 2), "z": f32(3, 4)}, "At the end unless said; of equal ones the same.", x="float[2] x, float[2] z", y="float[6] y", arrays={"o": np.int64(0)})
different(G, "f10-last-erased", "s = SequenceConstruct (x, z, x) t = SequenceErase (s) y = ConcatFromSequence <axis = 0> (t)", "s = SequenceConstruct (x, z, x) t = SequenceErase (s, o) y = ConcatFromSequence <axis = 0> (t)", {"x": f32(1, 2), "z": f32(3, 4)}, "The last unless said.", x="float[2] x, float[2] z", y="float[4] y", arrays={"o": np.int64(0)})
different(G, "f10-stacked-or-joined", "s = SequenceConstruct (x, z) c = ConcatFromSequence <axis = 1, new_axis = 1> (s) y = Reshape (c, r)", "s = SequenceConstruct (x, z) c = ConcatFromSequence <axis = 0> (s) y = Reshape (c, r)", {"x": f32(1, 2), "z": f32(3, 4)}, "By turns, or one after the other.", x="float[2] x, float[2] z", y="float[4] y", arrays={"r": i64(4)})
different(G, "f10-shifted-along-other-axis", "a = Add (x, c) y = Softmax <axis = 1> (a)", "y = Softmax <axis = 1> (x)", {"x": X22}, "The same for all of a column, not of a row.", arrays={"c": f32(0, 1)}, **SQ2)

# ---------------------------------------------------------------------------------------------------------------------------
G = "recurrent10"
LX = dict(x="float[3, 2, 3] x")
XS = noise(3, 2, 3, seed=13)
GWW, GR, GBZ = noise(1, 6, 3, seed=14), noise(1, 6, 2, seed=15), noise(1, 12, seed=16)
GH = dict(y="float[1, 2, 2] y", arrays={"w": GWW, "r": GR, "b": GBZ, "b2": np.concatenate([GBZ[:, 6:], GBZ[:, :6]], 1)})
different(G, "f10-reset-after-product", "a, y = GRU <hidden_size = 2> (x, w, r)", "a, y = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r)", {"x": XS}, "Of two cells the reset does not pass through the weights.", **LX, **GH)
different(G, "f10-biases-exchanged-under-reset", "a, y = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r, b)", "a, y = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r, b2)", {"x": XS}, "One of them is reset, the other not.", **LX, **GH)
LWW, LRR = noise(1, 8, 3, seed=17), noise(1, 8, 2, seed=18)
LH = dict(y="float[1, 2, 2] y", arrays={"w": LWW, "r": LRR, "p": f32(0, 0, 0, 0, 0.5, 0.5, shape=(1, 6))})
different(G, "f10-looked-at-by-forget", "a, y = LSTM <hidden_size = 2> (x, w, r)", "a, y = LSTM <hidden_size = 2> (x, w, r, , , , , p)", {"x": XS}, "The forget gate sees the cell; from the second step on.", **LX, **LH)
different(G, "f10-from-behind-turned-once", "a, y = LSTM <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "a, y = LSTM <hidden_size = 2> (x, w, r)", {"x": XS}, "What is first from behind is last.", **LX, **LH)
different(G, "f10-softer-gate", "a, y = LSTM <hidden_size = 2> (x, w, r)", "a, y = LSTM <hidden_size = 2, activations = [\"Sigmoid\", \"Tanh\", \"Softsign\"]> (x, w, r)", {"x": XS}, "What the cell goes out by.", **LX, **LH)
different(G, "f10-outputs-or-last", "a, y = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "a, h = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r) l = Slice (a, m1, e, ax) y = Squeeze (l, ax)", {"x": XS}, "The last state from behind stands at the first place.", x="float[3, 2, 3] x", y="float[1, 2, 2] y", arrays={"w": noise(1, 2, 3, seed=14), "r": noise(1, 2, 2, seed=15), "m1": i64(-1), "e": i64(9), "ax": i64(0)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "opaque10"
AC = {"acme": 1}
XZO = dict(x="float[4] x, float[4] z", y="float[4] y", domains=AC)
different(G, "f10-unknown-turned", "y = acme.Blend (x, z)", "y = acme.Blend (z, x)", "operators", "Nobody says that it commutes.", **XZO)
different(G, "f10-unknown-of-weights", "y = acme.Blend (x, w)", "y = acme.Blend (x, v)", "operators", "One weight of four.", x="float[4] x", y="float[4] y", domains=AC, arrays={"w": f32(1, 2, 3, 4), "v": f32(1, 2, 3, 5)})
different(G, "f10-unknown-second-result", "y, b = acme.Part (x)", "a, y = acme.Part (x)", "operators", "The first or the second of what it gives.", domains=AC, **F)
different(G, "f10-unknown-in-turn", "a = acme.One (x) y = acme.Two (a)", "a = acme.Two (x) y = acme.One (a)", "operators", "One after the other.", domains=AC, **F)
different(G, "f10-unknown-version", {"domains": {"acme": 1}}, {"domains": {"acme": 2}}, "operators", "Of the second version.", body="y = acme.One (x)", **F)
different(G, "f10-unknown-attribute-said", "y = acme.One <k = 0> (x)", "y = acme.One (x)", "operators", "Nobody knows that it is zero unless said.", domains=AC, **F)
different(G, "f10-unknown-operand-left-out", "y = acme.Blend (x, , z)", "y = acme.Blend (x, z)", "operators", "The third, not the second.", **XZO)
different(G, "f10-unknown-whole-or-fraction", "y = acme.One <k = 1> (x)", "y = acme.One <k = 1.0> (x)", "operators", "One as a whole number or as a fraction.", domains=AC, **F)

# ---------------------------------------------------------------------------------------------------------------------------
G = "stores10"


def in_file(offset, values):
    """A model whose weights are in a file beside it, from an offset on."""
    def writes(path):
        proto = model("float[4] x", "float[4] y", "y = Mul (x, w)")
        data = path.with_suffix(".data")
        data.write_bytes(np.asarray(values, np.float32).tobytes())
        w = proto.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
        for key, value in (("location", data.name), ("offset", str(offset)), ("length", "16")):
            w.external_data.add(key=key, value=value)
        path.write_bytes(proto.SerializeToString())
    return writes


different_models(G, "f10-further-in-file", lambda: (in_file(0, range(1, 9)), in_file(16, range(1, 9))), {"x": f32(1, 2, 3, 4)}, "The same file, from its middle.")
different_models(G, "f10-other-file-of-same-length", lambda: (in_file(16, range(1, 9)), in_file(16, [1, 2, 3, 4, 5, 6, 7, 9])), {"x": f32(1, 2, 3, 4)}, "The last number of the file.")


def raw(data, kind=TensorProto.FLOAT, dims=(4,)):
    proto = model("float[4] x", "float[4] y", "f = Cast <to = 1> (w) y = Mul (x, f)")
    proto.graph.initializer.add(name="w", data_type=kind, dims=dims, raw_data=data)
    return proto


H4 = np.array([1, 2, 3, 4], np.float16).tobytes()
different_models(G, "f10-same-bytes-other-kind", lambda: (raw(H4, TensorProto.FLOAT16), raw(H4, TensorProto.INT16)), {"x": f32(1, 2, 3, 4)}, "16 bits of a half or of a whole number.")
different_models(G, "f10-brain-bytes", lambda: (raw(H4, TensorProto.FLOAT16), raw(H4, TensorProto.BFLOAT16)), {"x": f32(1, 2, 3, 4)}, "16 bits of another fraction.")
different_models(G, "f10-sign-of-stored-zero", lambda: (model("float[4] x", "float[4] y", "a = Mul (x, w) b = Abs (x) c = Add (b, o) y = Div (c, w)", "float[1] w = {0.0}, float[1] o = {1.0}"), model("float[4] x", "float[4] y", "a = Mul (x, w) b = Abs (x) c = Add (b, o) y = Div (c, w)", "float[1] w = {-0.0}, float[1] o = {1.0}")), {"x": f32(1, 2, 3, 4)}, "Divided by 0 or by -0.")
different(G, "f10-random-by-other-seed", "r = RandomNormal <shape = [4], seed = 1.0> () y = Add (x, r)", "r = RandomNormal <shape = [4], seed = 2.0> () y = Add (x, r)", {"x": f32(1, 2, 3, 4)}, "Another seed.", **F)
different(G, "f10-random-in-other-range", "r = RandomUniformLike <low = 0.0, high = 1.0, seed = 1.0> (x) y = Floor (r)", "r = RandomUniformLike <low = 1.0, high = 2.0, seed = 1.0> (x) y = Floor (r)", {"x": f32(1, 2, 3, 4)}, "Whatever is drawn, the one is 0, the other 1.", **F)
FAR4 = noise(256, 256, seed=20)
FAR5 = FAR4.copy()
FAR5[255, 200] += 8
different(G, "f10-weight-behind-zero-gate", {"arrays": {"w": FAR4}}, {"arrays": {"w": FAR5}}, {"x": np.r_[np.zeros(255), 9].astype(np.float32)}, "Only where the last number is above 8 is the last row met.", x="float[256] x", y="float[256] y", body="g = Greater (x, k) h = Where (g, x, z) y = MatMul (h, w)", arrays={"k": np.float32(8), "z": np.float32(0)})
