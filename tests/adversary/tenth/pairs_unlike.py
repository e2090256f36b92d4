"""Pairs that differ: interfaces, versions, bodies, sizes, wrap, rare numbers, windows, resizing, ties, places, recurrences, stores."""
import numpy as np
import onnx
from onnx import TensorProto, helper

from pair_models import PAIRS, Pair, different, f32, i64, model, noise, ramp

F = dict(x="float[4] x", y="float[4] y")
I64 = dict(x="int64[3] x", y="int64[3] y")
I32 = dict(x="int32[3] x", y="int32[3] y")
N = dict(x="float[n] x", y="float[n] y")
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)


def i32(*values):
    return np.array(values, np.int32)


def u8(*values):
    return np.array(values, np.uint8)


def u32(*values):
    return np.array(values, np.uint32)


def made(group, name, make, witness, why, **more):
    PAIRS.append(Pair(name, group, True, make, why, witness, **more))


# ---------------------------------------------------------------------------------------------------------------------------
G = "interfaces10"
FAR = np.ones(64, np.float32)
FAR2 = FAR.copy()
FAR2[50] = 2
different(G, "f10-default-far-away", {"arrays": {"w": FAR}}, {"arrays": {"w": FAR2}}, {"x": f32(1, 2, 3, 4)}, "What stands for an input that is not given differs at the fiftieth place.", inputs="float[4] x, float[64] w", body="s = Slice (w, b, e) y = Add (x, s)", arrays={"b": i64(48), "e": i64(52)})
different(G, "f10-shape-may-be-given", "y = Reshape (x, s)", "u = Identity (s) y = Reshape (x, c)", {"x": ramp(6), "s": i64(3, 2)}, "The shape is an input with a default.", x="float[6] x, int64[2] s", y="float[a, b] y", arrays={"s": i64(2, 3), "c": i64(2, 3)})
different(G, "f10-default-used-twice", "m = Mul (x, w) y = Add (m, w)", "m = Mul (x, w) y = Add (m, v)", {"x": f32(1, 2, 3, 4), "w": f32(3)}, "Once as given, once as it stood.", x="float[4] x, float[1] w", arrays={"w": f32(2), "v": f32(2)})
made(G, "f10-results-in-other-order", lambda: (model("float[4] x", "float[4] p, float[4] q", "p = Relu (x) q = Abs (x)"), model("float[4] x", "float[4] q, float[4] p", "p = Relu (x) q = Abs (x)")), "interface", "The same names, in another order.")
made(G, "f10-inputs-in-other-order", lambda: (model("float[4] x, float[4] z", "float[4] y", "y = Sub (x, z)"), model("float[4] z, float[4] x", "float[4] y", "y = Sub (x, z)")), "interface", "The same names, in another order.")
made(G, "f10-two-lengths-or-one", lambda: (model("float[n] x, float[n] z", "float[n] y", "y = Add (x, z)"), model("float[n] x, float[m] z", "float[n] y", "y = Add (x, z)")), "interface", "The second may have one element.")
made(G, "f10-list-of-one-or-it", lambda: (model("float[4] x", "seq(float[4]) y", "y = SequenceConstruct (x)"), model("float[4] x", "float[4] y", "y = Identity (x)")), "interface", "A sequence of one.")
made(G, "f10-half-or-brain-given", lambda: (model("float[4] x", "float16[4] y", "y = Cast <to = 10> (x)"), model("float[4] x", "bfloat16[4] y", "y = Cast <to = 16> (x)")), "interface", "Two kinds of 16 bits.")
made(G, "f10-input-not-needed", lambda: (model("float[4] x, float[4] z", "float[4] y", "m = Mul (z, o) y = Relu (x)"), model("float[4] x", "float[4] y", "y = Relu (x)")), "interface", "One more is taken.")
different(G, "f10-results-exchanged", "p = Max (x, z) q = Min (x, z)", "p = Where (c, z, x) q = Where (c, x, z) c = Less (x, z)".replace("p = Where (c, z, x) q = Where (c, x, z) c = Less (x, z)", "c = Less (x, z) p = Where (c, x, z) q = Where (c, z, x)"), {"x": f32(1, 2, 3, 4), "z": f32(1, 2, 3, 5)}, "The larger under the name of the smaller.", x="float[4] x, float[4] z", y="float[4] p, float[4] q")
different(G, "f10-name-of-result-is-order", "a, b = Split <axis = 0, num_outputs = 2> (x) p = Neg (a) q = Neg (b)", "b, a = Split <axis = 0, num_outputs = 2> (x) p = Neg (a) q = Neg (b)", {"x": f32(1, 2, 1, 3)}, "The first half is called b.", x="float[4] x", y="float[2] p, float[2] q")

# ---------------------------------------------------------------------------------------------------------------------------
G = "versions10"
different(G, "f10-no-axes-is-all", "y = ReduceSum <noop_with_empty_axes = 1, keepdims = 1> (x)", "y = ReduceSum <keepdims = 1> (x)", {"x": f32(1, 2)}, "Where no axes are said: nothing, or all; of one element the same.", x="float[n] x", y="float[m] y")
different(G, "f10-no-axes-squared", "y = ReduceSumSquare <noop_with_empty_axes = 1> (x, e)", "y = Identity (x)", {"x": f32(1, 2, 3, 4)}, "Over no axes each one is still squared.", reference=True, arrays={"e": np.zeros(0, np.int64)}, **F)
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
