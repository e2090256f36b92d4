"""Pairs that differ in what they take and give, in several outputs, in control flow, in operators without a meaning."""
import numpy as np
import onnx

from pair_models import PAIRS, Pair, different, f32, i64, model, noise, ramp, weights

# Interfaces
G = "interface"
different(G, "output-renamed", {"outputs": "float[4] y", "body": "y = Relu (x)"}, {"outputs": "float[4] z", "body": "z = Relu (x)"}, "interface", "The output has another name.")
different(G, "input-renamed", {"inputs": "float[4] x", "body": "y = Relu (x)"}, {"inputs": "float[4] input", "body": "y = Relu (input)"}, "interface", "The input has another name.")
TWO_IN, TWO_OUT = "float[4] a, float[4] b", "float[4] y, float[4] z"
different(G, "inputs-in-another-order", {"inputs": TWO_IN}, {"inputs": "float[4] b, float[4] a"}, "interface", "A call by position gives other operands.", body="y = Sub (a, b)")
different(G, "input-names-exchanged", {"inputs": TWO_IN, "body": "y = Sub (a, b)"}, {"inputs": "float[4] b, float[4] a", "body": "y = Sub (b, a)"}, "interface",
          "Equal by position, different by name.")
different(G, "outputs-in-another-order", {"outputs": TWO_OUT}, {"outputs": "float[4] z, float[4] y"}, "interface", "Outputs change places.", body="y = Relu (x) z = Neg (x)")
different(G, "output-names-exchanged", {"outputs": TWO_OUT, "body": "y = Relu (x) z = Neg (x)"}, {"outputs": TWO_OUT, "body": "z = Relu (x) y = Neg (x)"},
          {"x": f32(1, -2, 3, -4)}, "Each output has the other's values.")
different(G, "output-left-out", {"outputs": TWO_OUT}, {"outputs": "float[4] y"}, "interface", "One output is gone.", body="y = Relu (x) z = Neg (x)")
different(G, "output-twice", {"outputs": "float[4] y", "body": "y = Relu (x)"}, {"outputs": TWO_OUT, "body": "y = Relu (x) z = Identity (y)"}, "interface", "An output more, of the same values.")
different(G, "unused-input", {"inputs": "float[4] x"}, {"inputs": "float[4] x, float[4] unused"}, "interface", "An input that nothing reads must be given.", body="y = Relu (x)")
different(G, "input-type", {"inputs": "float[4] x", "body": "y = Relu (x)"}, {"inputs": "double[4] x", "body": "f = Cast <to = 1> (x) y = Relu (f)"}, "interface", "double is no float.")
different(G, "output-type", {"outputs": "float[4] y", "body": "y = Relu (x)"}, {"outputs": "double[4] y", "body": "f = Relu (x) y = Cast <to = 11> (f)"}, "interface", "double is no float.")
different(G, "id-width", {"inputs": "int64[2] x", "body": "y = Gather (t, x)"}, {"inputs": "int32[2] x", "body": "y = Gather (t, x)"}, "interface", "Ids of 64 or 32 bits.", y="float[2] y",
          arrays={"t": ramp(9)})
different(G, "input-size", {"inputs": "float[4] x", "outputs": "float[4] y"}, {"inputs": "float[5] x", "outputs": "float[5] y"}, "interface", "Four or five elements.", body="y = Relu (x)")
different(G, "input-rank", {"inputs": "float[4] x", "body": "y = Relu (x)"}, {"inputs": "float[1, 4] x", "body": "r = Relu (x) y = Squeeze (r, a)"}, "interface", "A dimension of 1 more.", arrays={"a": i64(0)})
different(G, "fixed-for-dynamic", {"inputs": "float[N] x", "outputs": "float[N] y"}, {"inputs": "float[4] x", "outputs": "float[4] y"}, "interface", "The second takes one size only.", body="y = Relu (x)")
different(G, "symbols-identified", {"inputs": "float[N] a, float[M] b"}, {"inputs": "float[N] a, float[N] b"}, "interface", "The second asks for equal sizes.", y="float[K] y",
          body="y = Concat <axis = 0> (a, b)")
OVER = "float[4] x, float[4] w"
different(G, "default-value", {"arrays": {"w": f32(1, 2, 3, 4)}}, {"arrays": {"w": f32(1, 2, 3, 5)}}, {"x": f32(1, 1, 1, 1)}, "The default of an input that may be left out.", x=OVER, body="y = Mul (x, w)")
different(G, "default-or-required", {"arrays": {"w": f32(1, 2, 3, 4)}}, {"inputs": OVER}, "interface", "Without a default the input must be given.", x=OVER, body="y = Mul (x, w)")
different(G, "default-or-constant", {"inputs": OVER}, {"inputs": "float[4] x"}, "interface", "A constant cannot be given another value.", body="y = Mul (x, w)", arrays={"w": f32(1, 2, 3, 4)})
different(G, "default-ignored", {"body": "y = Mul (x, w)", "arrays": {"w": f32(1, 2, 3, 4)}}, {"body": "y = Mul (x, c)", "arrays": {"c": f32(1, 2, 3, 4)}, "inputs": OVER},
          {"x": f32(1, 1, 1, 1), "w": f32(9, 9, 9, 9)}, "One reads the input, the other its default.", x=OVER)
different(G, "softmax-of-two-opsets", {"opset": 12}, {"opset": 13}, {"x": ramp(2, 3, 4)}, "Before opset 13 softmax flattens.", x="float[2, 3, 4] x", y="float[2, 3, 4] y", body="y = Softmax <axis = 1> (x)")
different(G, "batch-norm-opset", {"opset": 8, "body": "p = Pad <pads = [0, 1]> (x) y = Identity (p)"}, {"opset": 8, "body": "p = Pad <pads = [1, 0]> (x) y = Identity (p)"}, {"x": ramp(3, shift=1)},
          "Pads before and after.", x="float[3] x", y="float[4] y")
different(G, "sequence-or-tensor", {"outputs": "seq(float[4]) y", "body": "y = SequenceConstruct (x)"}, {"outputs": "float[4] y", "body": "y = Identity (x)"}, "interface", "A sequence of one is no tensor.")

# Several outputs
G = "outputs"
BIG = {"k": f32(1e9), "e": f32(1e-6), "f": f32(1.5e-6)}
different(G, "small-second", "y = Mul (x, k) z = Mul (x, e)", "y = Mul (x, k) z = Mul (x, f)", {"x": f32(1, 2, 3, 4)}, "The second output is small and off by a half.", y=TWO_OUT, arrays=BIG)
different(G, "small-second-negated", "y = Mul (x, k) z = Mul (x, e)", "y = Mul (x, k) t = Mul (x, e) z = Neg (t)", {"x": f32(1, 2, 3, 4)}, "The second output is small and negative.", y=TWO_OUT, arrays=BIG)
different(G, "tiny-dropped", "z = Mul (x, e) y = Mul (z, e)", "y = Sub (x, x)", {"x": f32(1, 2, 3, 4)}, "All is of size 1e-12.", arrays=BIG)
different(G, "third-integer", "y = Relu (x) z = Neg (x) i = ArgMax <axis = 0> (x)", "y = Relu (x) z = Neg (x) i = ArgMax <axis = 0> (z)", {"x": f32(1, 2, 3, 4)}, "The third output is another index.",
          y="float[4] y, float[4] z, int64[1] i")
different(G, "bool-second", "y = Relu (x) z = Greater (x, k)", "y = Relu (x) z = GreaterOrEqual (x, k)", {"x": f32(1e9, 2, 3, 4)}, "A tie at 1e9.", y="float[4] y, bool[4] z", arrays=BIG)
different(G, "constant-output", "y = Relu (x) z = Identity (e)", "y = Relu (x) z = Identity (f)", {"x": f32(1, 2, 3, 4)}, "An output that depends on nothing.", y="float[4] y, float[1] z", arrays=BIG)
different(G, "empty-and-small", "y = Slice (x, o, o) z = Mul (x, e)", "y = Slice (x, o, o) z = Mul (x, f)", {"x": f32(1, 2, 3, 4)}, "The first output is empty.", y="float[0] y, float[4] z",
          arrays=BIG | {"o": i64(0)})
different(G, "nan-and-small", "n = Sqrt (m) y = Add (x, n) z = Mul (x, e)", "n = Sqrt (m) y = Add (x, n) z = Mul (x, f)", {"x": f32(1, 2, 3, 4)}, "The first output is NaN always.", y=TWO_OUT,
          arrays=BIG | {"m": f32(-1)})
different(G, "sequence-order", "s = SequenceConstruct (a, x) y = SequenceAt (s, o)", "s = SequenceConstruct (x, a) y = SequenceAt (s, o)", {"x": f32(1, 2, 3, 4)}, "The first of a sequence.",
          arrays={"a": f32(0, 0, 0, 0), "o": np.int64(0)})

# Control flow
G = "control"


def branches(then, otherwise, condition="c"):
    return (f"y = If ({condition}) <then_branch = t () => (float[4] r) {{ r = {then} }}, "
            f"else_branch = e () => (float[4] q) {{ q = {otherwise} }}>")


CX, KC = "bool c, float[4] x", {"k": f32(1e4), "two": f32(2), "zero": f32(0)}
XS = f32(1, -2, 3, -4)
different(G, "then-branch", branches("Relu (x)", "Neg (x)"), branches("Abs (x)", "Neg (x)"), {"c": np.bool_(True), "x": XS}, "Another then branch.", x=CX)
different(G, "else-branch", branches("Relu (x)", "Neg (x)"), branches("Relu (x)", "Identity (x)"), {"c": np.bool_(False), "x": XS}, "Another else branch.", x=CX)
different(G, "branches-exchanged", branches("Relu (x)", "Neg (x)"), branches("Neg (x)", "Relu (x)"), {"c": np.bool_(False), "x": XS}, "The branches are exchanged.", x=CX)
different(G, "condition-denied", branches("Relu (x)", "Neg (x)"), "n = Not (c) " + branches("Relu (x)", "Neg (x)", "n"), {"c": np.bool_(False), "x": XS}, "The condition is denied.", x=CX)
different(G, "branch-rarely-taken", "m = ReduceMax <keepdims = 0> (x) c = Greater (m, kk) " + branches("Neg (x)", "Relu (x)"), "y = Relu (x)", {"x": f32(2e4, 1, 2, 3)}, "The then branch is taken above 1e4.",
          opset=17, arrays={"kk": np.float32(1e4)})
different(G, "branch-at-empty-sum", "m = ReduceSum <keepdims = 0> (x) c = Equal (m, kk) " + branches("Neg (x)", "Relu (x)"), "y = Relu (x)", {"x": f32(1, -1, 2, -2)}, "The then branch is taken where the sum is 0.",
          arrays={"kk": np.float32(0)})
different(G, "captured-value", "a = Relu (x) b = Neg (x) " + branches("Identity (a)", "Identity (b)"), "a = Relu (x) b = Neg (x) " + branches("Identity (b)", "Identity (b)"), {"c": np.bool_(True), "x": XS},
          "The branch refers to another outer value.", x=CX)
different(G, "constant-in-branch", branches("Constant <value_floats = [1.0, 2.0, 3.0, 4.0]> ()", "Neg (x)"), branches("Constant <value_floats = [1.0, 2.0, 3.0, 4.5]> ()", "Neg (x)"), {"c": np.bool_(True), "x": XS},
          "A constant within a branch.", x=CX)
different(G, "nested-branch", branches("If (d) <then_branch = u () => (float[4] v) { v = Relu (x) }, else_branch = w () => (float[4] z) { z = Abs (x) }>", "Neg (x)"),
          branches("If (d) <then_branch = u () => (float[4] v) { v = Relu (x) }, else_branch = w () => (float[4] z) { z = Exp (x) }>", "Neg (x)"),
          {"c": np.bool_(True), "d": np.bool_(False), "x": XS}, "A branch within a branch.", x="bool c, bool d, float[4] x")


def loop(step, count="n", inner="Identity (ci)"):
    return (f"y = Loop ({count}, t, x) <body = b (int64 i, bool ci, float[4] v) => (bool co, float[4] w) {{ co = {inner} w = {step} }}>")


LOOP = {"t": np.bool_(True), "three": np.int64(3), "four": np.int64(4), "two": f32(2), "half": f32(0.5)}
LX = "int64 n, float[4] x"
different(G, "loop-body", loop("Add (v, two)"), loop("Mul (v, two)"), {"n": np.int64(3), "x": XS}, "Another body.", x=LX, arrays=LOOP)
different(G, "loop-body-once", loop("Mul (v, two)"), "y = Mul (x, two)", {"n": np.int64(3), "x": XS}, "The loop runs n times, not once.", x=LX, arrays=LOOP)
different(G, "loop-not-at-all", loop("Mul (v, two)"), "y = Identity (x)", {"n": np.int64(3), "x": XS}, "The loop runs n times, not never.", x=LX, arrays=LOOP)
different(G, "loop-count", loop("Mul (v, two)", "three"), loop("Mul (v, two)", "four"), {"x": XS}, "Three times or four times.", arrays=LOOP)
different(G, "loop-counter", loop("Mul (v, two)"), "m = Min (n, three) " + loop("Mul (v, two)", "m"), {"n": np.int64(5), "x": XS}, "At most three times.", x=LX, arrays=LOOP)
different(G, "loop-order", loop("Add (v, two)", "three").replace("y = Loop", "u = Loop") + " y = Mul (u, half)", "z = Mul (x, half) " + loop("Add (v, two)", "three").replace("t, x)", "t, z)"), {"x": XS},
          "Halved before or after.", arrays=LOOP)
SCAN = "f, y = Scan (s, x) <num_scan_inputs = 1, body = b (float a, float v) => (float c, float o) {{ c = Add (a, v) o = {} }}>"
different(G, "scan-body", SCAN.format("Identity (c)"), SCAN.format("Identity (a)"), {"x": XS}, "Inclusive or exclusive.", arrays={"s": np.float32(0)})
different(G, "scan-backwards", SCAN.format("Identity (c)"), SCAN.format("Identity (c)").replace("num_scan_inputs = 1", "num_scan_inputs = 1, scan_input_directions = [1]"), {"x": XS}, "From the end.",
          arrays={"s": np.float32(0)})
FUNCTION = '<domain: "local", opset_import: ["" : 18]>\nF (a) => (r) {{ r = {} (a) }}'
different(G, "function-body", {"functions": FUNCTION.format("Relu")}, {"functions": FUNCTION.format("Abs")}, {"x": XS}, "A function's body.", body="y = local.F (x)", domains={"local": 1})

# Operators without a meaning, random ones
G = "opaque"
OWN = {"domains": {"own.domain": 1}, "witness": "operators"}
different(G, "operator-name", "y = own.domain.Alpha (x)", "y = own.domain.Beta (x)", why="Another operator.", **OWN)
different(G, "attribute", "y = own.domain.Alpha <size = 3> (x)", "y = own.domain.Alpha <size = 4> (x)", why="Another attribute.", **OWN)
different(G, "string-attribute", "y = own.domain.Alpha <mode = \"left\"> (x)", "y = own.domain.Alpha <mode = \"right\"> (x)", why="Another string.", **OWN)
different(G, "attribute-left-out", "y = own.domain.Alpha <size = 3> (x)", "y = own.domain.Alpha (x)", why="A default that nobody knows.", **OWN)
different(G, "attribute-kind", "y = own.domain.Alpha <size = 3> (x)", "y = own.domain.Alpha <size = 3.0> (x)", why="An integer or a float.", **OWN)
different(G, "operands-exchanged", "a = Relu (x) b = Neg (x) y = own.domain.Alpha (a, b)", "a = Relu (x) b = Neg (x) y = own.domain.Alpha (b, a)", why="The operands change places.", **OWN)
different(G, "operand", "a = Relu (x) y = own.domain.Alpha (a)", "a = LeakyRelu <alpha = 0.000001> (x) y = own.domain.Alpha (a)", why="The operand is another value, near as it is.", **OWN)
different(G, "operand-beyond-threshold", "a = Relu (x) y = own.domain.Alpha (a)", "a = Clip (x, lo, hi) y = own.domain.Alpha (a)", why="The operand differs above 1e4.", arrays={"lo": np.float32(0), "hi": np.float32(1e4)}, **OWN)
different(G, "weight-of-operand", {"arrays": {"w": f32(1, 2, 3, 4)}}, {"arrays": {"w": f32(1, 2, 3, 4.001)}}, body="y = own.domain.Alpha (x, w)", why="A weight given to it.", **OWN)
different(G, "second-output", "y, z = own.domain.Alpha (x)", "z, y = own.domain.Alpha (x)", why="The outputs change places.", **OWN)
different(G, "applied-twice", "y = own.domain.Alpha (x)", "a = own.domain.Alpha (x) y = own.domain.Alpha (a)", why="Once or twice.", **OWN)
different(G, "domain", {"body": "y = own.domain.Alpha (x)", "domains": {"own.domain": 1}}, {"body": "y = other.domain.Alpha (x)", "domains": {"other.domain": 1}}, "operators", "Another domain.")
different(G, "version", {"domains": {"own.domain": 1}}, {"domains": {"own.domain": 2}}, "operators", "Another version of the operator set.", body="y = own.domain.Alpha (x)")
different(G, "assumed-linear", "d = Add (x, x) y = own.domain.Alpha (d)", "a = own.domain.Alpha (x) y = Add (a, a)", why="Nothing says that it is linear.", **OWN)
different(G, "assumed-commutative", "y = own.domain.Alpha (x, w)", "y = own.domain.Alpha (w, x)", why="Nothing says that it commutes.", arrays={"w": f32(1, 2, 3, 4)}, **OWN)
different(G, "outputs-mixed", "a = own.domain.Alpha (x) b = own.domain.Beta (x) y = Sub (a, b)", "a = own.domain.Alpha (x) b = own.domain.Beta (x) y = Sub (b, a)", why="The difference is turned.", **OWN)
different(G, "random-once", "a = RandomNormal <shape = [4]> () y = Sub (a, a)", "a = RandomNormal <shape = [4]> () b = RandomNormal <shape = [4]> () y = Sub (a, b)", {"x": XS}, "One draw or two.")
different(G, "random-like-once", "a = RandomUniformLike (x) d = Sub (a, a) y = Add (d, x)", "a = RandomUniformLike (x) b = RandomUniformLike (x) d = Sub (a, b) y = Add (d, x)", {"x": XS}, "One draw or two.")
different(G, "random-scale", "y = RandomNormal <shape = [4], seed = 1.0, scale = 1.0> ()", "y = RandomNormal <shape = [4], seed = 1.0, scale = 100.0> ()", {"x": XS}, "Another deviation.")
different(G, "random-mean", "y = RandomNormal <shape = [4], seed = 1.0, mean = 0.0> ()", "y = RandomNormal <shape = [4], seed = 1.0, mean = 50.0> ()", {"x": XS}, "Another mean.")
different(G, "random-seed", "y = RandomNormal <shape = [4], seed = 1.0> ()", "y = RandomNormal <shape = [4], seed = 2.0> ()", {"x": XS}, "Another seed.")
different(G, "bernoulli-probability", "p = Mul (x, a) y = Bernoulli <seed = 1.0> (p)", "p = Mul (x, b) y = Bernoulli <seed = 1.0> (p)", {"x": f32(1, 1, 1, 1)}, "Never, or always.", arrays={"a": f32(0), "b": f32(1)})
different(G, "dropout-training", "y = Dropout (x)", "y, m = Dropout <seed = 1> (x, r, t)", {"x": np.ones(64, np.float32)}, "In training it drops.", x="float[64] x", y="float[64] y",
          arrays={"r": np.float32(0.5), "t": np.bool_(True)})
different(G, "label-encoder", "y = ai.onnx.ml.LabelEncoder <keys_int64s = [1, 900], values_int64s = [5, 6]> (x)", "y = ai.onnx.ml.LabelEncoder <keys_int64s = [1, 900], values_int64s = [5, 7]> (x)",
          {"x": i64(1, 900)}, "The label of a rare class.", x="int64[2] x", y="int64[2] y", domains={"ai.onnx.ml": 2})
different(G, "unique-order", "y = Unique <sorted = 1> (x)", "y = Unique <sorted = 0> (x)", {"x": f32(3, 1, 2, 1)}, "Sorted, or as they come.", y="float[M] y")
different(G, "scatter-reduction", "y = ScatterElements <axis = 0, reduction = \"add\"> (x, i, u)", "y = ScatterElements <axis = 0, reduction = \"max\"> (x, i, u)", {"x": XS}, "Sum or maximum.",
          arrays={"i": i64(1, 1), "u": f32(5, 7)})
different(G, "resize-rounding", "y = Resize <mode = \"nearest\", nearest_mode = \"floor\"> (x, , k)", "y = Resize <mode = \"nearest\", nearest_mode = \"ceil\"> (x, , k)", {"x": ramp(1, 1, 4)}, "Which neighbour.",
          x="float[1, 1, 4] x", y="float[1, 1, 7] y", arrays={"k": f32(1, 1, 1.75)})
different(G, "lstm-direction", {"body": "a, h, y = LSTM <hidden_size = 2> (x, w, r)"}, {"body": "a, h, y = LSTM <hidden_size = 2, direction = \"reverse\"> (x, w, r)"}, {"x": noise(3, 1, 2, seed=7)},
          "Forwards or backwards.", x="float[3, 1, 2] x", y="float[1, 1, 2] y", arrays={"w": noise(1, 8, 2, seed=5), "r": noise(1, 8, 2, seed=6)})
different(G, "nms-threshold", {"arrays": {"t": f32(0.5)}}, {"arrays": {"t": f32(0.3)}}, {"x": f32(0, 0, 1, 1, 0, 0.5, 1, 1.5, shape=(1, 2, 4))}, "Boxes that overlap by a third.", x="float[1, 2, 4] x", y="int64[M, 3] y",
          body="y = NonMaxSuppression (x, s, n, t)", arrays={"s": f32(0.9, 0.8, shape=(1, 1, 2)), "n": i64(9)})
different(G, "einsum-equation", "y = Einsum <equation = \"ij,jk->ik\"> (x, w)", "y = Einsum <equation = \"ij,kj->ik\"> (x, w)", {"x": ramp(2, 2)}, "The second operand is transposed.", x="float[2, 2] x", y="float[2, 2] y",
          arrays={"w": ramp(2, 2)})

# External data: two files of one name and length
G = "external"


def _external(values, offset):
    """A model whose weight lies in a file beside it; `offset`: where in that file."""
    def make(path):
        proto = weights(model("float[4] x", "float[4] y", "y = Mul (x, w)"), w=np.asarray(values[offset], np.float32))
        tensor = proto.graph.initializer[0]
        data = path.with_suffix(".data")
        data.write_bytes(b"".join(np.asarray(v, np.float32).tobytes() for v in values))
        onnx.external_data_helper.set_external_data(tensor, data.name, offset=16 * offset, length=16)
        tensor.ClearField("raw_data")
        path.write_bytes(proto.SerializeToString())
    return make


def external(name, one, two, why, witness):
    PAIRS.append(Pair(name, G, True, lambda: (one, two), why, witness))


A, B = [1, 2, 3, 4], [1, 2, 3, 5]
external("external-content", _external([A, B], 0), _external([B, A], 0), "The files differ in one number.", {"x": f32(1, 1, 1, 1)})
external("external-offset", _external([A, B], 0), _external([A, B], 1), "The same file, read at another place.", {"x": f32(1, 1, 1, 1)})
external("external-late", _external([A, A, A, B], 3), _external([A, A, A, [1, 2, 3, 6]], 3), "The last number of the file.", {"x": f32(1, 1, 1, 1)})
