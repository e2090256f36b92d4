"""Pairs that differ in values, element types, sizes, control flow, or in what goes where."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp

NAN, INF = np.float32("nan"), np.float32("inf")

G = "integers2"
different(G, "s2-floor-division", "y = Div (x, k)", "f = Cast <to = 11> (x) g = Cast <to = 11> (k) q = Div (f, g) r = Floor (q) y = Cast <to = 6> (r)",
          {"x": np.array([7, 8, -7, 1], np.int32)}, "-7 / 2 is -3 or -4.", x="int32[4] x", y="int32[4] y", arrays={"k": np.int32(2)})
different(G, "s2-mod-sign", "y = Mod (x, k)", "y = Mod <fmod = 1> (x, k)", {"x": np.array([7, 8, -7, 1], np.int32)}, "The sign of the divisor or of the dividend.",
          x="int32[4] x", y="int32[4] y", arrays={"k": np.int32(3)})
different(G, "s2-average-overflows", "s = Add (x, z) y = Div (s, k)", "d = Sub (z, x) h = Div (d, k) y = Add (x, h)", {"x": np.array([2000000000], np.int32), "z": np.array([2000000000], np.int32)},
          "The sum wraps.", x="int32[1] x, int32[1] z", y="int32[1] y", arrays={"k": np.int32(2)})
different(G, "s2-shift-or-divide", "y = BitShift <direction = \"RIGHT\"> (x, k)", "y = Div (x, m)", {"x": np.array([9, 255], np.uint8)}, "By 4, or by 5 shifted.",
          x="uint8[2] x", y="uint8[2] y", arrays={"k": np.uint8(2), "m": np.uint8(5)})
different(G, "s2-abs-of-least", "y = Abs (x)", "f = Cast <to = 6> (x) g = Abs (f) h = Clip (g, lo, hi) y = Cast <to = 3> (h)", {"x": np.array([-128], np.int8)},
          "-128 becomes itself or 127.", x="int8[1] x", y="int8[1] y", arrays={"lo": np.int32(-128), "hi": np.int32(127)})
different(G, "s2-product-in-64", "y = Mul (x, x)", "f = Cast <to = 7> (x) g = Mul (f, f) h = Min (g, m) y = Cast <to = 6> (h)", {"x": np.array([65536], np.int32)},
          "The square wraps, or stays at the largest.", x="int32[1] x", y="int32[1] y", arrays={"m": np.int64(2147483647)})
different(G, "s2-compare-unsigned", "f = Cast <to = 7> (x) g = Cast <to = 7> (z) y = Less (f, g)", "f = Cast <to = 3> (x) g = Cast <to = 3> (z) y = Less (f, g)",
          {"x": np.array([200, 3], np.uint8), "z": np.array([100, 4], np.uint8)}, "200 is -56 with a sign.", x="uint8[2] x, uint8[2] z", y="bool[2] y")
different(G, "s2-zero-point-of-product", "y = MatMulInteger (x, w, z)", "y = MatMulInteger (x, w)", {"x": np.array([[1, 2]], np.uint8)}, "The zero point of the first operand.",
          x="uint8[1, 2] x", y="int32[1, 2] y", arrays={"w": np.array([[1, 2], [3, 4]], np.uint8), "z": np.uint8(1)})
different(G, "s2-sum-of-bytes-in-float", "f = Cast <to = 1> (x) y = ReduceSum (f)", "f = Cast <to = 10> (x) g = ReduceSum (f) y = Cast <to = 1> (g)", {"x": np.full(300, 255, np.uint8)[:, None]},
          "76500 is beyond half precision.", x="uint8[n, 1] x", y="float[1, 1] y", reference=True)
different(G, "s2-index-wraps", "y = Gather (t, x)", "s = Cast <to = 3> (x) u = Cast <to = 7> (s) y = Gather (t, u)", {"x": i64(200)}, "200 becomes -56, the 56th from the end.",
          x="int64[1] x", y="float[1, 1] y", arrays={"t": ramp(300, 1)})

G = "numbers2"
different(G, "s2-half-up", "y = Round (x)", "z = Add (x, h) y = Floor (z)", {"x": f32(0.5, 1.5, 2.5, -0.5)}, "Halves.", arrays={"h": np.float32(0.5)})
different(G, "s2-ceil-by-floor", "y = Ceil (x)", "z = Floor (x) y = Add (z, o)", {"x": f32(0.5, 2, -1, -0.5)}, "At whole numbers.", arrays={"o": np.float32(1)})
different(G, "s2-sign-by-ratio", "z = Abs (x) m = Max (z, e) y = Div (x, m)", "y = Sign (x)", {"x": f32(1e-4, 1, -1, 0)}, "Between 0 and a thousandth.", arrays={"e": np.float32(1e-3)})
different(G, "s2-tie-of-where", "c = Less (x, z) y = Where (c, a, b)", "c = LessOrEqual (x, z) y = Where (c, a, b)", {"x": f32(1, 2, 3, 4), "z": f32(1, 0, 5, 4)}, "At equal ones.",
          x="float[4] x, float[4] z", arrays={"a": np.float32(1), "b": np.float32(2)})
different(G, "s2-relu-by-where", "y = Relu (x)", "c = Less (x, z) y = Where (c, e, x)", {"x": f32(-1, 0.00001, 2, 3)}, "Below 0.0001.", arrays={"z": np.float32(1e-4), "e": np.float32(0)})
different(G, "s2-saturates-late", "y = Tanh (x)", "z = Clip (x, lo, hi) y = Tanh (z)", {"x": f32(3, -3, 0, 1)}, "Beyond 2.5.", arrays={"lo": np.float32(-2.5), "hi": np.float32(2.5)})
different(G, "s2-clip-of-large", "y = Identity (x)", "y = Clip (x, lo, hi)", {"x": f32(1e7, 0, 0, 0)}, "Beyond a million.", arrays={"lo": np.float32(-1e6), "hi": np.float32(1e6)})
different(G, "s2-bump-at-half", "y = Identity (x)", "d = Sub (x, h) a = Abs (d) s = Mul (a, k) t = Sub (o, s) b = Relu (t) y = Add (x, b)", {"x": f32(0.37, 0, 1, 2)},
          "A bump of width 0.002 about 0.37.", arrays={"h": np.float32(0.37), "k": np.float32(1000), "o": np.float32(1)})
different(G, "s2-norm-epsilon", "y = LayerNormalization (x, s)", "y = LayerNormalization <epsilon = 0.000001> (x, s)", {"x": f32(0, 0.001, 0.002, 0.003, shape=(1, 4))},
          "Rows with a small variance.", x="float[1, 4] x", y="float[1, 4] y", arrays={"s": f32(1, 1, 1, 1)}, opset=17)
different(G, "s2-variance-less-one", "m = ReduceMean (x, k) d = Sub (x, m) q = Mul (d, d) y = ReduceMean (q, k)", "m = ReduceMean (x, k) d = Sub (x, m) q = Mul (d, d) s = ReduceSum (q, k) y = Div (s, n)",
          {"x": f32(1, 2, 3, 5)}, "n or n - 1.", y="float[1] y", arrays={"k": i64(0), "n": np.float32(3)})
different(G, "s2-softmax-mask", "a = Add (x, m) y = Softmax (a)", "s = Softmax (x) y = Mul (s, t)", {"x": f32(1, 2, 3, 4)}, "Masked before, the rest sums to 1.",
          arrays={"m": f32(0, 0, 0, -1e9), "t": f32(1, 1, 1, 0)})
different(G, "s2-attention-scale", "t = Transpose <perm = [1, 0]> (x) m = MatMul (x, t) s = Mul (m, k) y = Softmax (s)", "t = Transpose <perm = [1, 0]> (x) m = MatMul (x, t) z = Softmax (m) y = Mul (z, k)",
          {"x": noise(3, 2, seed=4)}, "The scale belongs into the exponent.", x="float[3, 2] x", y="float[3, 3] y", arrays={"k": np.float32(0.5)})
different(G, "s2-one-weight-of-many", {"arrays": {"w": noise(100, 100, seed=5)}}, {"arrays": {"w": noise(100, 100, seed=5) + np.eye(100, dtype=np.float32)[:, ::-1] * (np.arange(100) == 63)}},
          {"x": np.ones((1, 100), np.float32) * (np.arange(100) == 36).astype(np.float32)}, "One weight of 10,000.", x="float[1, 100] x", y="float[1, 100] y", body="y = MatMul (x, w)")
different(G, "s2-nan-kept", "y = Max (x, z)", "c = Greater (x, z) y = Where (c, x, z)", {"x": f32(NAN, 1, 2, 3), "z": f32(1, 2, 1, 3)}, "A maximum keeps NaN.", x="float[4] x, float[4] z")
different(G, "s2-zero-times-infinity", "y = Mul (x, z)", "c = Equal (x, e) p = Mul (x, z) y = Where (c, e, p)", {"x": f32(0, 1, 2, 3), "z": f32(INF, 2, 1, 3)}, "0 times infinity is NaN.",
          x="float[4] x, float[4] z", arrays={"e": np.float32(0)})
different(G, "s2-half-square", "z = Mul (x, x) s = Sqrt (z) y = Identity (s)", "y = Abs (x)", {"x": np.array([300, 1, 2, 3], np.float16)}, "The square is infinite in half precision.",
          x="float16[4] x", y="float16[4] y", reference=True, fault="overflow")
different(G, "s2-double-as-float", "y = Sub (x, k)", "f = Cast <to = 1> (x) g = Cast <to = 11> (f) y = Sub (g, k)", {"x": np.array([1 + 1e-9, 2])}, "A float has fewer bits.",
          x="double[2] x", y="double[2] y", arrays={"k": np.float64(1)})
different(G, "s2-bool-of-fraction", "y = Cast <to = 9> (x)", "z = Cast <to = 7> (x) y = Cast <to = 9> (z)", {"x": f32(0.5, 1, 0, -0.5)}, "0.5 is true, and 0 as an integer.", y="bool[4] y")

G = "sizes2"
different(G, "s2-first-hundred", "y = ReduceSum (x)", "s = Slice (x, b, e) y = ReduceSum (s)", {"x": np.ones(150, np.float32)}, "Beyond 100 elements.", x="float[n] x", y="float[1] y",
          arrays={"b": i64(0), "e": i64(100)})
different(G, "s2-mean-of-eight", "y = ReduceMean (x, k)", "s = ReduceSum (x, k) y = Div (s, n)", {"x": np.ones((2, 7), np.float32)}, "Only of eight.", x="float[2, n] x", y="float[2, 1] y",
          arrays={"k": i64(1), "n": np.float32(8)})
different(G, "s2-last-or-fourth", "y = Gather (x, k)", "y = Gather (x, l)", {"x": f32(1, 2, 3, 4, 5)}, "Of four the same.", x="float[n] x", y="float[1] y", arrays={"k": i64(-1), "l": i64(3)})
different(G, "s2-window-of-all", "y = GlobalAveragePool (x)", "z = AveragePool <kernel_shape = [4]> (x) y = ReduceMax <keepdims = 1> (z, k)", {"x": f32(1, 2, 3, 4, 9, shape=(1, 1, 5))},
          "Of four the same.", x="float[1, 1, n] x", y="float[1, 1, 1] y", arrays={"k": i64(2)})
different(G, "s2-square-only", "s = ReduceSum <keepdims = 0> (x, k) y = ReduceMax <keepdims = 0> (s)", "s = ReduceSum <keepdims = 0> (x, l) y = ReduceMax <keepdims = 0> (s)",
          {"x": ramp(2, 3)}, "Columns or rows.", x="float[a, b] x", y="float y", arrays={"k": i64(0), "l": i64(1)})
different(G, "s2-of-nothing", "y = ReduceProd <keepdims = 0> (x)", "y = ReduceSum <keepdims = 0> (x)", {"x": f32(3, 3)}, "Of one element, and only of one, the same.", x="float[n] x", y="float y")
different(G, "s2-tail-dropped", "y = ReduceMax <keepdims = 0> (x)", "p = MaxPool <kernel_shape = [2], strides = [2]> (x) y = ReduceMax <keepdims = 0> (p)", {"x": ramp(1, 1, 5)},
          "Of odd sizes the last is in no window.", x="float[1, 1, n] x", y="float y")
different(G, "s2-half-of-odd", "s = Shape (x) h = Div (s, t) z = Slice (x, o, h) y = ReduceSum (z)", "s = Shape (x) p = Add (s, u) h = Div (p, t) z = Slice (x, o, h) y = ReduceSum (z)", {"x": f32(1, 2, 3)},
          "Half of an odd size down or up.", x="float[n] x", y="float[1] y", arrays={"t": i64(2), "o": i64(0), "u": i64(1)})
different(G, "s2-step-from-end", "y = Slice (x, b, e, a, t)", "f = Slice (x, c, d, a, u) y = Slice (f, b, e, a, v)", {"x": f32(1, 2, 3, 4)}, "Every other one from the end, or the odd ones backwards.",
          y="float[2] y", arrays={"b": i64(-1), "e": i64(-100), "a": i64(0), "t": i64(-2), "c": i64(0), "d": i64(100), "u": i64(2), "v": i64(-1)})
different(G, "s2-broadcast-side", "y = Add (x, w)", "v = Transpose <perm = [1, 0]> (w) y = Add (x, v)", {"x": ramp(3, 3)}, "A row or a column.", x="float[3, 3] x", y="float[3, 3] y", arrays={"w": f32(1, 2, 3, shape=(1, 3))})

G = "programs2"
IF = "c = Greater (s, z) y = If (c) <then_branch = g1 () => (float[4] p) {{ p = {0} }}, else_branch = g2 () => (float[4] q) {{ q = {1} }}>"
different(G, "s2-branches", "s = ReduceSum <keepdims = 0> (x) " + IF.format("Relu (x)", "Neg (x)"), "s = ReduceSum <keepdims = 0> (x) " + IF.format("Neg (x)", "Relu (x)"), {"x": f32(1, 2, -3, 4)},
          "The branches are exchanged.", arrays={"z": np.float32(0)})
different(G, "s2-branch-rarely", "s = ReduceSum <keepdims = 0> (x) " + IF.format("Neg (x)", "Relu (x)"), "y = Relu (x)", {"x": f32(1000, 2, -3, 4)}, "Only for sums beyond 1000 the branch is taken.",
          arrays={"z": np.float32(1000)})
LOOP = "y = Loop (n, c, x) <body = b (int64 i, bool d, float[4] v) => (bool e, float[4] w) {{ e = Identity (d) {0} }}>"
different(G, "s2-rounds", {"arrays": {"n": np.int64(3)}}, {"arrays": {"n": np.int64(4)}}, {"x": f32(1, 2, 3, 4)}, "Three or four rounds.", body=LOOP.format("w = Add (v, v)"), arrays={"c": np.bool_(True)})
different(G, "s2-counter", LOOP.format("f = Cast <to = 1> (i) w = Add (v, f)"), LOOP.format("f = Cast <to = 1> (i) g = Add (f, o) w = Add (v, g)"), {"x": f32(1, 2, 3, 4)}, "The counter begins at 0.",
          arrays={"n": np.int64(3), "c": np.bool_(True), "o": np.float32(1)})
SCAN = "l, y = Scan (h, x) <num_scan_inputs = 1{0}, body = b (float[2] a, float[2] v) => (float[2] p, float[2] q) {{ p = Add (a, v) q = Identity (p) }}>"
different(G, "s2-scan-back", SCAN.format(""), SCAN.format(", scan_input_directions = [1]"), {"x": ramp(3, 2)}, "The sums are of the last ones.", x="float[3, 2] x", y="float[3, 2] y", arrays={"h": f32(0, 0)})
different(G, "s2-scan-out-back", SCAN.format(""), SCAN.format(", scan_output_directions = [1]"), {"x": ramp(3, 2)}, "The sums are written from the end.", x="float[3, 2] x", y="float[3, 2] y", arrays={"h": f32(0, 0)})
RNN = dict(x="float[3, 1, 2] x", y="float[3, 1, 1, 2] y", arrays={"w": noise(1, 6, 2, seed=6), "r": noise(1, 6, 2, seed=7), "b": noise(1, 12, seed=8), "u": noise(1, 8, 2, seed=6), "t": noise(1, 8, 2, seed=7)})
X3 = {"x": noise(3, 1, 2, seed=9)}
different(G, "s2-gru-reset", "y = GRU <hidden_size = 2> (x, w, r, b)", "y = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r, b)", X3, "The gate before or after the bias.", **RNN)
different(G, "s2-gru-back", "y = GRU <hidden_size = 2> (x, w, r)", "y = GRU <hidden_size = 2, direction = \"reverse\"> (x, w, r)", X3, "From the end.", **RNN)
different(G, "s2-lstm-clip", "y = LSTM <hidden_size = 2> (x, u, t)", "y = LSTM <hidden_size = 2, clip = 0.5> (x, u, t)", {"x": 4 * noise(3, 1, 2, seed=9)}, "Clipped inside.", **RNN)
different(G, "s2-lstm-state-or-cell", "a, y, c = LSTM <hidden_size = 2> (x, u, t)", "a, c, y = LSTM <hidden_size = 2> (x, u, t)", X3, "The last state or the last cell.", **(RNN | {"y": "float[1, 1, 2] y"}))
different(G, "s2-outputs-exchanged", "a = Relu (x) b = Neg (x)", "b = Relu (x) a = Neg (x)", {"x": f32(1, 2, 3, 4)}, "The results have each other's names.", y="float[4] a, float[4] b")
different(G, "s2-inputs-exchanged", "y = Sub (x, z)", "y = Sub (z, x)", {"x": f32(1, 2, 3, 4), "z": f32(0, 1, 5, 5)}, "The operands.", x="float[4] x, float[4] z")
different(G, "s2-chain-length", " ".join(f"t{i + 1} = Tanh (t{i})" for i in range(19)).replace("(t0)", "(x)") + " y = Tanh (t19)",
          " ".join(f"t{i + 1} = Tanh (t{i})" for i in range(20)).replace("(t0)", "(x)") + " y = Tanh (t20)", {"x": f32(1, 2, -1, 0.5)}, "20 or 21 times.")
different(G, "s2-late-detour", "a = Exp (x) y = Log (a)", "y = Identity (x)", {"x": f32(100, 1, 2, 3)}, "exp(100) is infinite.", fault="overflow")
different(G, "s2-function-default", {"body": "y = local.f (x)", "functions": '<domain: "local", opset_import: ["" : 18]> f (p) => (q) { q = LeakyRelu <alpha = 0.2> (p) }'},
          {"body": "y = local.f (x)", "functions": '<domain: "local", opset_import: ["" : 18]> f (p) => (q) { q = LeakyRelu <alpha = 0.3> (p) }'}, {"x": f32(-1, 2, 3, 4)},
          "The functions of one name differ.", domains={"local": 1})

G = "rarely"  # one in many inputs tells them apart
TAKEN = " y = Where (c, e, x)"
FLAT = dict(arrays={"k": np.int32(123456789), "e": np.int32(7)}, x="int32[4] x", y="int32[4] y")
different(G, "s2-one-integer", "c = Equal (x, k)" + TAKEN, "y = Identity (x)", {"x": np.array([1, 2, 3, 123456789], np.int32)}, "At 123456789.", **FLAT)
different(G, "s2-one-square", "q = Mul (x, x) c = Equal (q, k)" + TAKEN, "y = Identity (x)", {"x": np.array([1, 2, 3, 26755], np.int32)}, "At the roots of 715830025, which wrap or not.",
          **(FLAT | {"arrays": {"k": np.int32(26755 ** 2), "e": np.int32(7)}}))
different(G, "s2-many-divisors", "m = Mod (x, k) z = Equal (m, o) g = Greater (x, o) c = And (z, g)" + TAKEN, "y = Identity (x)", {"x": np.array([1, 2, 3, 30030], np.int32)}, "Multiples of 30030 above zero.",
          **(FLAT | {"arrays": {"k": np.int32(30030), "o": np.int32(0), "e": np.int32(7)}}))
different(G, "s2-two-at-once", "q = Equal (x, k) r = Cast <to = 6> (q) s = ReduceMin (r) c = Cast <to = 9> (s)" + TAKEN, "y = Identity (x)", {"x": np.array([37, -91], np.int32)}, "Only for 37 and -91 together.",
          x="int32[2] x", y="int32[2] y", arrays={"k": np.array([37, -91], np.int32), "e": np.int32(7)})
different(G, "s2-all-true", "f = Cast <to = 6> (x) y = ReduceMin (f)", "f = Cast <to = 6> (x) m = ReduceMin (f) y = Mul (m, k)",
          {"x": np.ones(24, bool)}, "Of 24 bools all must hold.", x="bool[24] x", y="int32[1] y", arrays={"k": np.int32(2)})
different(G, "s2-sorted-ones", "l = Slice (x, a, b) r = Slice (x, c, d) q = Less (l, r) f = Cast <to = 6> (q) s = ReduceMin (f) t = Cast <to = 9> (s) y = Where (t, e, x)", "y = Identity (x)", {"x": np.arange(8, dtype=np.float32)},
          "Only where all eight are in order.", x="float[8] x", y="float[8] y", arrays={"a": i64(0), "b": i64(7), "c": i64(1), "d": i64(8), "e": np.float32(9)})
different(G, "s2-two-floats-equal", "l = Gather (x, a) r = Gather (x, b) t = Equal (l, r) y = Where (t, e, x)", "y = Identity (x)", {"x": f32(0.3, 1, 0.3, 2)}, "Where the first and the third are the same.", arrays={"a": i64(0), "b": i64(2), "e": np.float32(9)})
different(G, "s2-narrow-bump", "d = Sub (x, h) a = Abs (d) t = Sub (w, a) b = Relu (t) m = Mul (b, k) y = Add (x, m)", "y = Identity (x)", {"x": f32(1234.5, 1, 2, 3)}, "Within 0.01 of 1234.5.",
          arrays={"h": np.float32(1234.5), "w": np.float32(0.01), "k": np.float32(1e5)})
different(G, "s2-huge-only", "c = Greater (x, k)" + TAKEN, "y = Identity (x)", {"x": f32(2e37, 1, 2, 3)}, "Beyond 1e37.", arrays={"k": np.float32(1e37), "e": np.float32(0)})
different(G, "s2-size-37", "s = Shape (x) t = Equal (s, k) f = Cast <to = 1> (t) y = Add (x, f)", "y = Identity (x)", {"x": np.ones(37, np.float32)}, "For 37 elements.", x="float[n] x", y="float[n] y", arrays={"k": i64(37)})
different(G, "s2-size-beyond-1000", "s = Shape (x) t = Greater (s, k) f = Cast <to = 1> (t) y = Add (x, f)", "y = Identity (x)", {"x": np.ones(1001, np.float32)}, "Beyond 1000 elements.", x="float[n] x", y="float[n] y", arrays={"k": i64(1000)})
different(G, "s2-sizes-of-sum-19", "s = Shape (x) p = ReduceSum (s, o) t = Equal (p, k) f = Cast <to = 1> (t) y = Add (x, f)", "y = Identity (x)", {"x": np.ones((7, 12), np.float32)}, "Where the two sizes sum to 19.",
          x="float[a, b] x", y="float[a, b] y", arrays={"k": i64(19), "o": i64(0)})
HASH = noise(65536, 1, seed=11)
OTHER = HASH.copy()
OTHER[200 * 256 + 17] += 1
different(G, "s2-one-of-65536", {"arrays": {"t": HASH}}, {"arrays": {"t": OTHER}}, {"x": np.array([200], np.uint8), "z": np.array([17], np.uint8)}, "One pair of bytes.",
          body="a = Cast <to = 7> (x) b = Cast <to = 7> (z) h = Mul (a, k) i = Add (h, b) y = Gather (t, i)", x="uint8[1] x, uint8[1] z", y="float[1, 1] y", arrays={"k": np.int64(256)})
different(G, "s2-late-round", "m = Min (n, k) y = Loop (m, c, x) <body = b (int64 i, bool d, float[4] v) => (bool e, float[4] w) { e = Identity (d) w = Add (v, v) }>",
          "y = Loop (n, c, x) <body = b (int64 i, bool d, float[4] v) => (bool e, float[4] w) { e = Identity (d) w = Add (v, v) }>", {"x": f32(1, 2, 3, 4), "n": np.int64(12)}, "Beyond ten rounds.",
          x="float[4] x, int64 n", arrays={"c": np.bool_(True), "k": np.int64(10)})
different(G, "s2-all-255", "q = Cast <to = 6> (x) s = ReduceSum (q) c = Equal (s, k)" + TAKEN, "y = Identity (x)", {"x": np.full(4, 255, np.uint8)}, "Four times 255 only.", x="uint8[4] x", y="uint8[4] y",
          arrays={"k": np.int32(1020), "e": np.uint8(7)})
different(G, "s2-weights-agree-on-ones", {"arrays": {"w": f32(1, 2, 3, 4)}}, {"arrays": {"w": f32(4, 3, 2, 1)}}, {"x": f32(1, 0, 0, 0)}, "On equal elements both sums are the same.", body="p = Mul (x, w) y = ReduceSum (p)", y="float[1] y")
different(G, "s2-reciprocal-of-zero", "y = Reciprocal (x)", "z = Add (x, o) y = Reciprocal (z)", {"x": f32(-0.0, 1, 2, 3)}, "Below zero, zero has another reciprocal.", arrays={"o": np.float32(0)})
different(G, "s2-softmax-unshifted", "a = Exp (x) s = ReduceSum (a, k) y = Div (a, s)", "y = Softmax (x)", {"x": f32(100, 1, 2, 3, shape=(1, 4))}, "exp(100) is infinite.", x="float[1, 4] x", y="float[1, 4] y", arrays={"k": i64(1)})
different(G, "s2-subnormals", "a = Mul (x, k) y = Mul (a, m)", "y = Identity (x)", {"x": f32(1e-10, 1, 2, 3)}, "1e-50 is zero.", arrays={"k": np.float32(2.0 ** -120), "m": np.float32(2.0 ** 120)})
different(G, "s2-gather-of-gathers", "p = Gather (x, i) y = Gather (p, j)", "k = Gather (i, j) y = Gather (x, k)", {"x": f32(1, 2, 3, 4), "i": i64(0, 9, 1), "j": i64(0)}, "An index that nobody asks for is out of range on one side only.",
          x="float[4] x, int64[3] i, int64[1] j", y="float[1] y")
different(G, "s2-third-channel", {"body": "y = Conv (x, w)", "arrays": {"w": noise(4, 3, 1, 1, seed=12)}}, {"body": "y = Conv (x, w)", "arrays": {"w": noise(4, 3, 1, 1, seed=12) * np.array([1, 1, 1.01]).reshape(1, 3, 1, 1).astype(np.float32)}},
          {"x": ramp(1, 3, 1, 1)}, "The weights of one channel are a hundredth larger.", x="float[1, 3, a, b] x", y="float[1, 4, a, b] y")
