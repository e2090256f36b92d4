"""Pairs that differ, or not, in what they compute: integers, thresholds, special values, single elements, element types."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp

NAN, INF = np.float32("nan"), np.float32("inf")

# Integer inputs over their whole range
G = "integers"
TABLE = ramp(100, 3)
LATE = TABLE.copy()
LATE[50] += 1
LAST = TABLE.copy()
LAST[99, 2] += 1
different(G, "gather-row-50", {"arrays": {"t": TABLE}}, {"arrays": {"t": LATE}}, {"x": i64(50, 1)},
          "The tables differ in row 50.", x="int64[2] x", y="float[2, 3] y", body="y = Gather (t, x)")
different(G, "gather-last-row", {"arrays": {"t": TABLE}}, {"arrays": {"t": LAST}}, {"x": i64(-1, 1)},
          "The tables differ in the last row.", x="int64[2] x", y="float[2, 3] y", body="y = Gather (t, x)")
BIG = np.zeros((5000, 2), np.float32)
BIG2 = BIG.copy()
BIG2[4321] = 1
different(G, "gather-large-vocabulary", {"arrays": {"t": BIG}}, {"arrays": {"t": BIG2}}, {"x": i64(4321)},
          "One row of 5000.", x="int64[1] x", y="float[1, 2] y", body="y = Gather (t, x)")
different(G, "gather-negative", {"body": "y = Gather (t, x)"}, {"body": "z = Abs (x) y = Gather (t, z)"}, {"x": i64(-1, 1)},
          "-1 is the last row, not the second.", x="int64[2] x", y="float[2, 3] y", arrays={"t": TABLE})
different(G, "gather-clamped", {"body": "y = Gather (t, x)"}, {"body": "z = Clip (x, lo, hi) y = Gather (t, z)"},
          {"x": i64(70, 1)}, "Indices beyond 63 are clamped.", x="int64[2] x", y="float[2, 3] y",
          arrays={"t": TABLE, "lo": np.int64(-100), "hi": np.int64(63)})
different(G, "gather-error", {"arrays": {"t": TABLE}}, {"arrays": {"t": TABLE[:80]}}, {"x": i64(90, 1)},
          "The second has 80 rows only: an error beyond.", x="int64[2] x", y="float[2, 3] y", body="y = Gather (t, x)")
for name, a, b, at, why in (
        ("large-id", "z = Greater (x, k) y = Cast <to = 7> (z)", "z = Greater (x, m) y = Cast <to = 7> (z)", 1500,
         "Between 1000 and 2000 they differ."),
        ("padding-id", "y = Identity (x)", "e = Equal (x, k) y = Where (e, zero, x)", 1000, "The id 1000 is taken for padding."),
        ("negative-id", "y = Identity (x)", "e = Less (x, zero) y = Where (e, zero, x)", -5, "Negative ids become 0."),
        ("through-int8", "y = Identity (x)", "z = Cast <to = 3> (x) y = Cast <to = 7> (z)", 200, "Beyond 127 it wraps."),
        ("through-int32", "y = Identity (x)", "z = Cast <to = 6> (x) y = Cast <to = 7> (z)", 2 ** 33 + 1, "Beyond 2^31 it wraps."),
        ("through-float", "y = Identity (x)", "z = Cast <to = 1> (x) y = Cast <to = 7> (z)", 2 ** 24 + 1,
         "Beyond 2^24 floats skip integers."),
        ("square-of-bit", "y = Identity (x)", "y = Mul (x, x)", 2, "0 and 1 are their own squares."),
        ("cube-of-sign", "y = Identity (x)", "z = Mul (x, x) y = Mul (z, x)", 2, "-1, 0 and 1 are their own cubes."),
        ("clip-to-one", "y = Identity (x)", "y = Clip (x, zero, one)", 2, "Only 0 and 1 stay."),
        ("relu-of-ids", "y = Identity (x)", "y = Max (x, zero)", -3, "Negative ones are cut."),
        ("truncated-division", "y = Div (x, two)", "m = Mod (x, two) s = Sub (x, m) y = Div (s, two)", -7,
         "Towards zero against downwards."),
        ("fmod", "y = Mod <fmod = 1> (x, two)", "y = Mod (x, two)", -7, "The sign of the remainder."),
        ("bool-of-id", "z = Cast <to = 9> (x) y = Cast <to = 7> (z)", "y = Identity (x)", 9, "Any id but 0 is true."),
        ("wrapped-product", "z = Mul (x, big) y = Div (z, big)", "y = Identity (x)", 2 ** 20, "The product wraps."),
        ("equality-of-large", "z = Cast <to = 1> (x) w = Cast <to = 1> (m) e = Equal (z, w) y = Cast <to = 7> (e)",
         "e = Equal (x, m) y = Cast <to = 7> (e)", None, "")):
    if at is not None:
        different(G, name, a, b, {"x": i64(at)}, why, x="int64[1] x", y="int64[1] y",
                  arrays={"k": i64(1000), "m": i64(2000), "zero": i64(0), "one": np.int64(1) if name == "clip-to-one" else i64(1),
                          "two": i64(2), "big": i64(2 ** 44)} | ({"zero": np.int64(0)} if name == "clip-to-one" else {}))
different(G, "one-hot-negative", "y = OneHot <axis = -1> (x, d, v)", "z = Abs (x) y = OneHot <axis = -1> (z, d, v)",
          {"x": i64(-1)}, "-1 is the last class.", x="int64[1] x", y="float[1, 4] y", arrays={"d": np.int64(4), "v": f32(0, 1)})
different(G, "ids-offset", {"body": "a = Add (x, o) y = Gather (t, a)"}, {"body": "y = Gather (u, x)"}, {"x": i64(-1, 1)}, "The table moved with the ids; -1 is row 4 or the last.",
          x="int64[2] x", y="float[2, 3] y", arrays={"o": i64(5), "t": TABLE, "u": TABLE[5:]})
different(G, "ids-made-positive", {"body": "y = Gather (t, x)"}, {"body": "n = Less (x, z) a = Add (x, o) b = Where (n, a, x) y = Gather (t, b)"}, {"x": i64(-120, 1)},
          "Below -100 the first fails, the second does not.", x="int64[2] x", y="float[2, 3] y", arrays={"o": i64(100), "t": TABLE, "z": i64(0)})
different(G, "uint8-difference", "y = Sub (x, one)", "z = Cast <to = 6> (x) o = Cast <to = 6> (one) d = Sub (z, o) r = Relu (d) "
          "y = Cast <to = 2> (r)", {"x": np.array([0, 3], np.uint8)}, "0 - 1 wraps to 255.", x="uint8[2] x", y="uint8[2] y",
          arrays={"one": np.array([1], np.uint8)})
different(G, "int8-sum", "y = Add (x, x)", "z = Cast <to = 6> (x) s = Add (z, z) c = Clip (s, lo, hi) y = Cast <to = 3> (c)",
          {"x": np.array([100], np.int8)}, "One wraps, the other saturates.", x="int8[1] x", y="int8[1] y",
          arrays={"lo": np.int32(-128), "hi": np.int32(127)})
different(G, "shift-by-eight", "y = BitShift <direction = \"RIGHT\"> (x, s)", "y = Div (x, d)", {"x": np.array([65535], np.uint32)},
          "A shift by 9 is no division by 256.", x="uint32[1] x", y="uint32[1] y",
          arrays={"s": np.array([9], np.uint32), "d": np.array([256], np.uint32)})
different(G, "bitwise-and", "y = BitwiseAnd (x, k)", "y = Min (x, k)", {"x": np.array([2], np.int32)},
          "They agree on 0 and 1.", x="int32[1] x", y="int32[1] y", arrays={"k": np.array([1], np.int32)})
different(G, "position-beyond-window", "y = Identity (x)", "m = Mod (x, w) y = Identity (m)", {"x": i64(512)},
          "Positions from 512 on wrap.", x="int64[1] x", y="int64[1] y", arrays={"w": i64(512)})

# Thresholds, ties, special values
G = "specials"
THRESHOLDS = (
    ("relu-capped", "y = Relu (x)", "r = Relu (x) y = Min (r, k)", f32(2e4, 1, 0, 0), "Above 1e4 one is capped."),
    ("clip-far", "y = Identity (x)", "n = Neg (k) m = Max (x, n) y = Min (m, k)", f32(-3e4, 1, 0, 0), "Beyond 1e4."),
    ("where-far", "y = Identity (x)", "g = Greater (x, k) z = Mul (x, h) y = Where (g, z, x)", f32(2e4, 1, 0, 0), "Above 1e4 it is halved."),
    ("at-zero", "y = Sign (x)", "g = GreaterOrEqual (x, zero) y = Where (g, one, mone)", f32(0, 1, -1, 2), "The sign of 0 is 0."),
    ("only-at-zero", "y = Identity (x)", "e = Equal (x, zero) y = Where (e, one, x)", f32(0, 1, -1, 2), "0 becomes 1."),
    ("quotient-at-zero", "y = Div (x, x)", "y = Identity (one)", f32(0, 1, -1, 2), "0 / 0 is NaN."),
    ("minus-zero", "y = Reciprocal (x)", "z = Add (x, zero) y = Reciprocal (z)", f32(-0.0, 1, -1, 2), "-0 + 0 is 0: the sign of infinity."),
    ("abs-by-root", "y = Abs (x)", "z = Mul (x, x) y = Sqrt (z)", f32(1e30, 1, -1, 2), "The square of 1e30 is infinite."),
    ("exp-log", "y = Identity (x)", "z = Exp (x) y = Log (z)", f32(100, 1, -1, 2), "exp(100) is infinite in float."),
    ("softplus-textbook", "y = Softplus (x)", "e = Exp (x) s = Add (e, one) y = Log (s)", f32(100, 1, -1, 2), "exp(100) is infinite in float."),
    ("tanh-by-exp", "y = Tanh (x)", "d = Add (x, x) e = Exp (d) n = Sub (e, one) m = Add (e, one) y = Div (n, m)", f32(60, 1, -1, 2), "inf / inf."),
    ("scale-and-back", "y = Identity (x)", "z = Mul (x, huge) y = Div (z, huge)", f32(1e10, 1, -1, 2), "The product is infinite."),
    ("tiny-and-back", "y = Identity (x)", "z = Div (x, huge) y = Mul (z, huge)", f32(1e-10, 1, -1, 2), "The quotient vanishes."),
    ("nan-through-max", "y = Max (x, zero)", "g = Greater (x, zero) y = Where (g, x, zero)", f32(NAN, 1, -1, 2), "NaN wins a maximum, no comparison."),
    ("nan-through-not", "l = Less (x, zero) y = Where (l, zero, one)", "g = GreaterOrEqual (x, zero) y = Where (g, one, zero)", f32(NAN, 1, -1, 2), "With NaN neither holds."),
    ("nan-to-zero", "y = Identity (x)", "n = IsNaN (x) y = Where (n, zero, x)", f32(NAN, 1, -1, 2), "NaN becomes 0."),
    ("infinite-to-large", "y = Identity (x)", "n = IsInf (x) y = Where (n, k, x)", f32(INF, 1, -1, 2), "Infinity becomes 1e4."),
    ("minus-infinity", "i = IsInf (x) y = Where (i, one, zero)", "i = IsInf <detect_negative = 0> (x) y = Where (i, one, zero)", f32(-INF, 1, -1, 2), "-inf is infinite, too."),
    ("masked-infinity", "c = Less (x, k) y = Where (c, x, zero)", "c = Less (x, k) f = Cast <to = 1> (c) y = Mul (f, x)", f32(INF, 1, -1, 2), "0 times infinity."),
    ("difference-of-itself", "y = Sub (x, x)", "y = Mul (x, zero)", f32(NAN, 1, -1, 2), "") ,
    ("round-half", "y = Round (x)", "s = Add (x, h) y = Floor (s)", f32(0.5, 2.5, -1, 2), "Halves go to even."),
    ("ceil-whole", "y = Ceil (x)", "f = Floor (x) y = Add (f, one)", f32(1, 2, -1, 2), "Whole numbers are their own ceiling."),
    ("less-or-equal", "c = LessOrEqual (x, one) y = Where (c, x, zero)", "c = Less (x, one) y = Where (c, x, zero)", f32(1, 2, -1, 2), "A tie."),
    ("cast-towards-zero", "i = Cast <to = 6> (x) y = Cast <to = 1> (i)", "y = Floor (x)", f32(-1.5, 1, -1, 2), "Towards zero, not downwards."),
    ("hard-sigmoid-far", "y = HardSigmoid <alpha = 0.001> (x)", "z = Mul (x, milli) y = Add (z, h)", f32(900, 1, -1, 2), "Beyond 500 it is cut."),
    ("elu-far", "y = Elu (x)", "l = Less (x, mk) e = Elu (x) y = Where (l, zero, e)", f32(-3e4, 1, -1, 2), "Below -1e4 it is 0."),
    ("leaky-nearly", "y = LeakyRelu <alpha = 0.01> (x)", "r = Relu (x) n = Neg (x) m = Relu (n) c = Min (m, k) s = Mul (c, centi) y = Sub (r, s)", f32(-1e6, 1, -1, 2), "The negative part is capped at 1e4."),
    ("pow-sign", "y = Mul (x, x)", "a = Abs (x) l = Max (x, zero) c = Greater (a, k) s = Mul (x, x) t = Mul (x, l) y = Where (c, t, s)", f32(-2e4, 1, -1, 2), "Below -1e4 it is 0."),
    ("sigmoid-saturates", "s = Sigmoid (x) y = Log (s)", "n = Neg (x) p = Softplus (n) y = Neg (p)", f32(-120, 1, -1, 2), "The sigmoid vanishes."),
    ("erf-tail", "e = Erf (x) y = Sub (one, e)", "e = Erf (x) g = Greater (x, three) d = Sub (one, e) y = Where (g, zero, d)", f32(3.2, 1, -1, 2), "1 - erf(3.2) is 6e-6, not 0."),
)
for name, a, b, at, why in THRESHOLDS:
    if why:
        different(G, name, a, b, {"x": at}, why, fault="overflow" if name == "sigmoid-saturates" else "", arrays={
            "k": f32(1e4), "mk": f32(-1e4), "h": f32(0.5), "zero": f32(0, 0, 0, 0), "one": f32(1, 1, 1, 1), "mone": f32(-1, -1, -1, -1),
            "huge": f32(1e36), "milli": f32(0.001), "centi": f32(0.01), "three": f32(3)})
TIE = {"x": f32(1, 2, 2, 0)}
different(G, "argmax-tie", "y = ArgMax <axis = 0, keepdims = 0> (x)", "y = ArgMax <axis = 0, keepdims = 0, select_last_index = 1> (x)",
          TIE, "First or last of two equal ones.", y="int64 y")
different(G, "argmin-by-neg-tie", "y = ArgMin <axis = 0, keepdims = 0> (x)", "n = Neg (x) y = ArgMax <axis = 0, keepdims = 0, "
          "select_last_index = 1> (n)", {"x": f32(1, 0, 0, 2)}, "First or last of two equal ones.", y="int64 y")
different(G, "argmax-reversed-tie", "y = ArgMax <axis = 0, keepdims = 0> (x)", "r = Slice (x, a, b, c, d) m = ArgMax <axis = 0, keepdims = 0> (r) "
          "y = Sub (three, m)", TIE, "Backwards the last comes first.", y="int64 y",
          arrays={"a": i64(-1), "b": i64(-99), "c": i64(0), "d": i64(-1), "three": np.int64(3)})
different(G, "hardmax-tie", "y = Hardmax <axis = 0> (x)", "m = ReduceMax <keepdims = 1> (x) e = Equal (x, m) y = Cast <to = 1> (e)",
          TIE, "Two largest ones.", opset=17)
different(G, "max-pool-index-tie", "a, y = MaxPool <kernel_shape = [2]> (x)", "n = Slice (x, s, e, c, d) b, i = MaxPool <kernel_shape = [2]> (n) "
          "r = Slice (i, s, e, c, d) y = Sub (three, r)", {"x": f32(5, 5, 1, 1, shape=(1, 1, 4))}, "Which of two equal ones.", x="float[1, 1, 4] x",
          y="int64[1, 1, 3] y", arrays={"s": i64(-1), "e": i64(-99), "c": i64(2), "d": i64(-1), "three": i64(3)})
different(G, "top-k-tie", "v, y = TopK (x, k)", "r = Slice (x, a, b, c, d) v, i = TopK (r, k) y = Sub (three, i)", TIE,
          "Which of two equal ones.", y="int64[1] y", arrays={"k": i64(1), "a": i64(-1), "b": i64(-99), "c": i64(0), "d": i64(-1), "three": i64(3)})
different(G, "top-k-smallest", "y, i = TopK <largest = 0> (x, k)", "n = Neg (x) v, i = TopK (n, k) s = Neg (v) r = Relu (s) y = Where (c, r, s)",
          {"x": f32(-1, -2, 2, 5)}, "Negative ones are cut.", y="float[2] y", arrays={"k": i64(2), "c": np.array([True, False])})
different(G, "where-nan-both", "c = Greater (x, zero) y = Where (c, x, n)", "c = LessOrEqual (x, zero) y = Where (c, n, x)", {"x": f32(NAN, 1, -1, 2)},
          "NaN is on neither side.", arrays={"zero": f32(0), "n": f32(-7, -7, -7, -7)})
different(G, "mod-float-negative", "y = Mod <fmod = 1> (x, two)", "d = Div (x, two) f = Floor (d) m = Mul (f, two) y = Sub (x, m)",
          {"x": f32(-3, 1, 0, 5)}, "Towards zero or downwards.", arrays={"two": f32(2)})
different(G, "large-cosine", "y = Cos (x)", "m = Mod <fmod = 1> (x, p) y = Cos (m)", {"x": f32(1e6, 1, 0, 5)},
          "A period of 6.28 is not two pi.", arrays={"p": f32(6.28)})
different(G, "layer-norm-epsilon", "y = LayerNormalization <epsilon = 0.00001> (x, s)", "y = LayerNormalization <epsilon = 0.000012> (x, s)",
          {"x": f32(1e-3, 2e-3, 0, 3e-3, shape=(1, 4))}, "Small rows show the epsilon.", x="float[1, 4] x", y="float[1, 4] y", arrays={"s": f32(1, 1, 1, 1)})

# One element among large ones
G = "elements"
WEIGHT = noise(64, 64, seed=1)
ONE = WEIGHT.copy()
ONE[17, 40] += 0.01
HOT = np.zeros((1, 64), np.float32)
HOT[0, 17] = 1
X64, Y64 = "float[1, 64] x", "float[1, 64] y"
different(G, "one-weight-of-4096", {"arrays": {"w": WEIGHT}}, {"arrays": {"w": ONE}}, {"x": HOT}, "One weight is off by a hundredth.",
          x=X64, y=Y64, body="y = MatMul (x, w)")
SMALL_ROW, SMALL_ROW2 = noise(64, 64, seed=2), noise(64, 64, seed=2)
SMALL_ROW[:, 9] *= 1e-7
SMALL_ROW2[:, 9] *= 1.5e-7
different(G, "weak-column", {"arrays": {"w": SMALL_ROW}}, {"arrays": {"w": SMALL_ROW2}}, {"x": noise(1, 64, seed=3)},
          "One output of 1e-7 is off by a half.", x=X64, y=Y64, body="y = MatMul (x, w)")
SCALE = np.ones(64, np.float32)
SCALE[0] = 1e8
for name, value in (("bias", 1.0), ("tiny-bias", 1e-4)):
    BIAS = np.zeros(64, np.float32)
    BIAS[5] = value
    different(G, f"{name}-beside-1e8", {"arrays": {"b": np.zeros(64, np.float32)}}, {"arrays": {"b": BIAS}},
              {"x": np.where(np.arange(64) == 5, 0, 1).astype(np.float32).reshape(1, 64)}, "The first output is 1e8 and hides the sixth.",
              x=X64, y=Y64, body="m = Mul (x, s) y = Add (m, b)", arrays={"s": SCALE})
different(G, "sign-of-the-small", "a = Mul (x, k) y = Concat <axis = 0> (a, x)", "a = Mul (x, k) n = Neg (x) y = Concat <axis = 0> (a, n)",
          {"x": f32(1, 2, 3, 4)}, "The other half is larger by 1e9.", y="float[8] y", arrays={"k": f32(1e9)})
different(G, "dropped-small-half", "a = Mul (x, k) y = Concat <axis = 0> (a, x)", "a = Mul (x, k) n = Sub (x, x) y = Concat <axis = 0> (a, n)",
          {"x": f32(1, 2, 3, 4)}, "The other half is larger by 1e9.", y="float[8] y", arrays={"k": f32(1e9)})
for name, factor in (("softmax-tail", 1.5), ("softmax-tail-dropped", 0.0)):
    different(G, name, "s = Softmax (x) y = Mul (s, one)", {"body": "s = Softmax (x) y = Mul (s, f)", "arrays": {"f": f32(1, 1, 1, factor)}},
              {"x": f32(0, 1, 2, -20, shape=(1, 4))}, "A probability of 1e-10 is off.", x="float[1, 4] x", y="float[1, 4] y", arrays={"one": f32(1, 1, 1, 1)})
KERNEL = noise(8, 4, 3, 3, seed=4)
KERNEL2 = KERNEL.copy()
KERNEL2[7, 3, 2, 2] *= 1.2
IMAGE = np.zeros((1, 4, 5, 5), np.float32)
IMAGE[0, 3, 2, 2] = 1
different(G, "one-tap-of-a-kernel", {"arrays": {"w": KERNEL}}, {"arrays": {"w": KERNEL2}}, {"x": IMAGE}, "One tap of 288 is a fifth larger.",
          x="float[1, 4, 5, 5] x", y="float[1, 8, 3, 3] y", body="y = Conv (x, w)")
VAR = np.ones(4, np.float32)
different(G, "batch-norm-variance", {"arrays": {"v": VAR}}, {"arrays": {"v": f32(1, 1, 1, 1.05)}}, {"x": IMAGE}, "One variance of four.",
          x="float[1, 4, 5, 5] x", y="float[1, 4, 5, 5] y", body="y = BatchNormalization (x, s, b, m, v)",
          arrays={"s": VAR, "b": VAR * 0, "m": VAR * 0})
MASK = np.ones((16, 16), np.float32)
MASK2 = MASK.copy()
MASK2[3, 14] = 0
different(G, "one-of-a-mask", {"arrays": {"m": MASK}}, {"arrays": {"m": MASK2}}, {"x": np.ones((16, 16), np.float32)}, "One element is masked.",
          x="float[16, 16] x", y="float[16, 16] y", body="y = Mul (x, m)")
different(G, "mean-of-cancelling", "m = ReduceMean <axes = [0], keepdims = 1> (x) y = Sub (x, m)",
          "m = ReduceMean <axes = [0], keepdims = 1> (x) n = Mul (m, f) y = Sub (x, n)", {"x": f32(1e5, 1e5 + 1, 1e5 - 1, 1e5)},
          "A mean off by a thousandth, of numbers near each other.", opset=17, arrays={"f": f32(1.001)})

# Element types and quantised operators
G = "types"
different(G, "through-f16", "y = Identity (x)", "h = Cast <to = 10> (x) y = Cast <to = 1> (h)", {"x": f32(7e4, 1, 0, 2)}, "Beyond 65504 it is infinite.")
different(G, "through-f16-small", "y = Identity (x)", "h = Cast <to = 10> (x) y = Cast <to = 1> (h)", {"x": f32(1e-9, 1, 0, 2)}, "Below 6e-8 it is 0.")
different(G, "through-bf16", "y = Identity (x)", "h = Cast <to = 16> (x) y = Cast <to = 1> (h)", {"x": f32(1.0039, 1, 0, 2)}, "Eight bits remain.")
different(G, "f16-constants-outward", "a = Mul (x, c) b = Mul (a, x) y = Identity (b)", "a = Mul (x, x) y = Mul (a, c)",
          {"x": np.array([300], np.float16)}, "300 times 300 is infinite in f16.", reference=True, x="float16[1] x", y="float16[1] y", arrays={"c": np.array([0.01], np.float16)})
different(G, "f16-sum-order", "a = Add (x, k) y = Sub (a, k)", "y = Identity (x)", {"x": np.array([1], np.float16)}, "4096 swallows 1 in f16.", reference=True,
          x="float16[1] x", y="float16[1] y", arrays={"k": np.array([4096], np.float16)})
different(G, "f64-narrowed", "y = Identity (x)", "f = Cast <to = 1> (x) y = Cast <to = 11> (f)", {"x": np.array([1e40])}, "Beyond 3e38.", x="double[1] x", y="double[1] y")
different(G, "int32-product", "y = Mul (x, x)", "f = Cast <to = 11> (x) p = Mul (f, f) c = Min (p, k) y = Cast <to = 6> (c)", {"x": np.array([70000], np.int32)},
          "The product wraps in 32 bits.", x="int32[1] x", y="int32[1] y", arrays={"k": np.array([2147483647.0])})
Q, QY = "float[4] x", "uint8[4] y"
STEP = {"s": np.float32(0.1), "z": np.uint8(128)}
AT = {"x": f32(0.05, 0.15, 5, -30)}
different(G, "quantize-zero-point", {"arrays": {"z": np.uint8(128)}}, {"arrays": {"z": np.uint8(127)}}, AT, "The zero points differ by one.", x=Q, y=QY,
          body="y = QuantizeLinear (x, s, z)", arrays={"s": np.float32(0.1)})
different(G, "quantize-scale", {"arrays": {"s": np.float32(0.1)}}, {"arrays": {"s": np.float32(0.1004)}}, {"x": f32(12.66, 0, 0, 0)}, "The scales differ by four thousandths.",
          x=Q, y=QY, body="y = QuantizeLinear (x, s, z)", arrays={"z": np.uint8(0)})
different(G, "quantize-saturates", "y = QuantizeLinear (x, s, z)", "d = Div (x, s) r = Round (d) i = Cast <to = 6> (r) w = Cast <to = 6> (z) t = Add (i, w) y = Cast <to = 2> (t)",
          {"x": f32(20, 1, 0, 0)}, "One saturates, the other wraps.", x=Q, y=QY, arrays=STEP)
different(G, "dequantize-signed", {"arrays": {"z": np.int8(0)}}, {"arrays": {"z": np.int8(1)}}, {"x": np.array([-5, 1, 2, 3], np.int8)}, "Zero points.", x="int8[4] x", y="float[4] y",
          body="y = DequantizeLinear (x, s, z)", arrays={"s": np.float32(0.1)})
different(G, "dequantize-axis", "y = DequantizeLinear <axis = 0> (x, s)", "y = DequantizeLinear <axis = 1> (x, s)", {"x": np.array([[1, 2], [3, 4]], np.int8)},
          "Scales of rows or of columns.", x="int8[2, 2] x", y="float[2, 2] y", arrays={"s": f32(0.1, 0.2)})
different(G, "quantized-there-and-back", "y = Identity (x)", "q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)", {"x": f32(0.05, 0.14, 5, -30)},
          "Steps of a tenth.", arrays=STEP)
different(G, "matmul-integer-zero-point", "y = MatMulInteger (x, w, a)", "y = MatMulInteger (x, w)", {"x": np.array([[1, 200]], np.uint8)}, "A zero point of 1.",
          x="uint8[1, 2] x", y="int32[1, 2] y", arrays={"w": np.array([[1, 2], [3, 4]], np.uint8), "a": np.uint8(1)})
different(G, "dynamic-quantize-range", "q, s, z = DynamicQuantizeLinear (x) y = DequantizeLinear (q, s, z)", "y = Identity (x)", {"x": f32(0.01, 1000, 0, 1)},
          "Small elements vanish beside large ones.")
different(G, "qlinear-matmul-scale", {"arrays": {"ys": np.float32(1)}}, {"arrays": {"ys": np.float32(1.01)}}, {"x": np.array([[255, 255]], np.uint8)},
          "The output's scale differs by a hundredth.", x="uint8[1, 2] x", y="uint8[1, 1] y", body="y = QLinearMatMul (x, s, z, w, s, z, ys, z)",
          arrays={"w": np.array([[100], [99]], np.uint8), "s": np.float32(0.06), "z": np.uint8(0)})
different(G, "bool-or-of-sums", "a = Or (x, t) y = And (a, x)", "y = Xor (x, t)", {"x": np.array([True, False])}, "Absorption against exclusive or.", x="bool[2] x", y="bool[2] y",
          arrays={"t": np.array([True, False])})
different(G, "uint8-max-pool", "y = MaxPool <kernel_shape = [2], pads = [1, 0]> (x)", "f = Cast <to = 3> (x) m = MaxPool <kernel_shape = [2], pads = [1, 0]> (f) y = Cast <to = 2> (m)",
          {"x": np.array([[[200, 3, 4]]], np.uint8)}, "200 is negative in eight signed bits.", x="uint8[1, 1, 3] x", y="uint8[1, 1, 3] y")
