"""Equal pairs that look different."""
import numpy as np

from pair_models import equal, f32, i64, noise

INF = 2 ** 31 - 1
F = dict(x="float[4] x", y="float[4] y")

G = "sizes-alike5"
equal(G, "f5-flat-or-folded", "y = Flatten <axis = -1> (x)", "y = Reshape (x, s)", "Of three axes the first two together.", x="float[2, 3, 4] x", y="float[6, 4] y", arrays={"s": i64(-1, 4)})
equal(G, "f5-repeated-or-spread", "y = Tile (x, k)", "y = Expand (x, s)", "A row of one is repeated.", x="float[1, 4] x", y="float[3, 4] y", arrays={"k": i64(3, 1), "s": i64(3, 1)})
equal(G, "f5-halves-joined", "a, b = Split <axis = 0, num_outputs = 2> (x) y = Concat <axis = 0> (a, b)", "y = Identity (x)", "However long the halves are.", x="float[5] x", y="float[5] y")
equal(G, "f5-reversed-by-index", "y = Slice (x, b, e, a, t)", "s = Shape (x) n = Squeeze (s) m = Sub (n, o) r = Range (m, o2, t2) y = Gather (x, r)", "From the last to the first.", x="float[n] x", y="float[n] y", arrays={"b": i64(-1), "e": i64(-INF), "a": i64(0), "t": i64(-1), "o": np.int64(1), "o2": np.int64(-1), "t2": np.int64(-1)})
equal(G, "f5-turned-by-turns", "a = Transpose <perm = [1, 2, 0]> (x) b = Transpose <perm = [1, 2, 0]> (a) y = Transpose <perm = [1, 2, 0]> (b)", "y = Identity (x)", "Three thirds of a turn.", x="float[2, 3, 4] x", y="float[2, 3, 4] y")
equal(G, "f5-blocks-of-one-channel", "y = DepthToSpace <blocksize = 2, mode = \"DCR\"> (x)", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", "One channel is innermost and outermost.", x="float[1, 4, 2, 3] x", y="float[1, 1, 4, 6] y")
equal(G, "f5-diagonal-twice", "a = Trilu <upper = 1> (x) y = Trilu <upper = 0> (a)", "a = Trilu <upper = 0> (x) y = Trilu <upper = 1> (a)", "What both leave is the diagonal.", x="float[3, 4] x", y="float[3, 4] y")
equal(G, "f5-chosen-or-cut", "y = Compress <axis = 0> (x, c)", "y = Slice (x, b, e)", "What is not asked is not taken.", x="float[5, 2] x", y="float[2, 2] y", arrays={"c": np.array([False, True, True]), "b": i64(1), "e": i64(3)})

G = "integers-alike5"
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "f5-either-by-sum", "y = BitwiseOr (x, z)", "a = Add (x, z) b = BitwiseAnd (x, z) y = Sub (a, b)", "Both together less what is in both; both wrap alike.", x="int32[4] x, int32[4] z", y="int32[4] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1), "z": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "f5-undone-factor", "a = Mul (x, k) y = Mul (a, l)", "y = Identity (x)", "3 times its inverse in the ring of 2^32.", arrays={"k": np.int32(3), "l": np.int32(-1431655765)}, **I32)
equal(G, "f5-negative-by-complement", "a = BitwiseNot (x) y = Add (a, o)", "y = Neg (x)", "The complement and one.", arrays={"o": np.int32(1)}, **I32)
equal(G, "f5-size-by-larger", "n = Neg (x) y = Max (x, n)", "y = Abs (x)", "The least is its own negative on both sides.", **I32)
equal(G, "f5-never-even-square", "a = Mul (x, x) b = Add (a, x) c = Mod (b, t) d = Cast <to = 9> (c) y = Where (d, z, x)", "y = Identity (x)", "x (x + 1) is even, wrapped or not.", arrays={"t": np.int32(2), "z": np.int32(0)}, **I32)
equal(G, "f5-never-that-remainder", "a = Mul (x, x) c = BitwiseAnd (a, t) d = Equal (c, l) y = Where (d, z, x)", "y = Identity (x)", "No square leaves 3 in the two lowest bits.", arrays={"t": np.int32(3), "l": np.int32(3), "z": np.int32(0)}, **I32)
equal(G, "f5-sums-from-behind", "y = CumSum <reverse = 1> (x, a)", "t = ReduceSum (x, k) c = CumSum <exclusive = 1> (x, a) y = Sub (t, c)", "All less those before.", arrays={"a": np.int64(0), "k": i64(0)}, x="int32[4] x", y="int32[4] y")
equal(G, "f5-largest-first", "v, i = TopK (x, k) y = Squeeze (i)", "y = ArgMax <keepdims = 0> (x)", "Of equal ones the first.", x="int32[6] x", y="int64 y", arrays={"k": i64(1)}, ranges={"x": (-2, 2)})
equal(G, "f5-counted-trues", "a = Cast <to = 7> (x) y = ReduceSum <keepdims = 0> (a)", "n = NonZero (x) s = Shape (n) y = Gather (s, k)", "As many as there are places.", x="bool[6] x", y="int64 y", arrays={"k": np.int64(1)})

G = "floats-alike5"
equal(G, "f5-both-sides-of-gate", {"body": "n = Neg (x) a = Gelu (x) b = Gelu (n) y = Sub (a, b)", "opset": 20, "ir": 9}, {"body": "y = Identity (x)", "opset": 20, "ir": 9}, "What one side keeps back the other gives.", finite=True, **F)
equal(G, "f5-both-sides-of-swish", "n = Neg (x) a = HardSwish (x) b = HardSwish (n) y = Sub (a, b)", "y = Identity (x)", "What one side keeps back the other gives.", finite=True, **F)
equal(G, "f5-sine-and-cosine", "s = Sin (x) c = Cos (x) a = Mul (s, s) b = Mul (c, c) d = Add (a, b) y = Mul (d, x)", "y = Identity (x)", "One.", finite=True, **F)
equal(G, "f5-larger-and-lesser", "a = Max (x, z) b = Min (x, z) y = Add (a, b)", "y = Add (z, x)", "Both are there once.", x="float[4] x, float[4] z", y="float[4] y")
equal(G, "f5-never-above", "s = Sigmoid (x) c = Greater (s, k) y = Where (c, z, x)", "y = Identity (x)", "No sigmoid is above 1.", arrays={"k": np.float32(1), "z": np.float32(0)}, **F)
equal(G, "f5-elu-or-celu", "y = Elu (x)", "y = Celu (x)", "With a factor of 1.", finite=True, **F)
equal(G, "f5-safe-root", "a = Abs (x) y = Sqrt (a)", "c = Less (x, z) n = Neg (x) w = Where (c, n, x) y = Sqrt (w)", "Of the size.", arrays={"z": np.float32(0)}, finite=True, **F)
equal(G, "f5-largest-by-hand", "y = LogSoftmax <axis = 0> (x)", "m = ReduceMax (x) s = Sub (x, m) e = Exp (s) t = ReduceSum (e) l = Log (t) y = Sub (s, l)", "Less the largest.", finite=True, **F)
equal(G, "f5-norms-of-groups", "y = InstanceNormalization (x, s, b)", "a = Reshape (x, h) m = ReduceMean (a, k) c = Sub (a, m) q = Mul (c, c) v = ReduceMean (q, k) w = Add (v, e) d = Sqrt (w) n = Div (c, d) g = Mul (n, t) o = Add (g, u) y = Reshape (o, i)", "Each channel by itself.", x="float[1, 2, 4] x", y="float[1, 2, 4] y", arrays={"s": f32(2, 3), "b": f32(1, -1), "h": i64(2, 4), "k": i64(1), "e": np.float32(1e-5), "t": f32(2, 3, shape=(2, 1)), "u": f32(1, -1, shape=(2, 1)), "i": i64(1, 2, 4)}, finite=True)

G = "windows-alike5"
X = dict(x="float[1, 4, 5] x", finite=True)
WG = noise(4, 2, 3, seed=8)
WB = np.zeros((4, 4, 3), np.float32)
WB[:2, :2], WB[2:, 2:] = WG[:2], WG[2:]
equal(G, "f5-groups-as-blocks", {"arrays": {"w": WG}, "body": "y = Conv <group = 2> (x, w)"}, {"arrays": {"w": WB}, "body": "y = Conv (x, w)"}, "Zeros between the groups.", y="float[1, 4, 3] y", **X)
equal(G, "f5-same-odd-window", "y = Conv <auto_pad = \"SAME_UPPER\"> (x, w)", "y = Conv <auto_pad = \"SAME_LOWER\"> (x, w)", "An odd window has the same on both sides.", y="float[1, 4, 5] y", arrays={"w": noise(4, 4, 3, seed=9)}, **X)
equal(G, "f5-strided-or-picked", "y = Conv <strides = [2]> (x, w)", "a = Conv (x, w) y = Slice (a, b, e, k, t)", "Every other one.", y="float[1, 4, 2] y", arrays={"w": noise(4, 4, 3, seed=9), "b": i64(0), "e": i64(INF), "k": i64(2), "t": i64(2)}, **X)
equal(G, "f5-doubled-either-way", "y = Resize <coordinate_transformation_mode = \"half_pixel\", mode = \"nearest\"> (x, , s)", "y = Resize <coordinate_transformation_mode = \"asymmetric\", mode = \"nearest\", nearest_mode = \"floor\"> (x, , s)", "Each twice.", x="float[1, 1, 5] x", y="float[1, 1, 10] y", arrays={"s": f32(1, 1, 2)})
equal(G, "f5-mean-as-filter", "y = AveragePool <kernel_shape = [3], pads = [1, 1], count_include_pad = 1> (x)", "y = Conv <group = 4, pads = [1, 1]> (x, w)", "A third each.", y="float[1, 4, 5] y", arrays={"w": np.full((4, 1, 3), 1 / 3, np.float32)}, **X)
equal(G, "f5-all-of-channels", "y = GlobalMaxPool (x)", "y = MaxPool <kernel_shape = [5]> (x)", "One window.", y="float[1, 4, 1] y", **X)
equal(G, "f5-transposed-as-padded", "y = ConvTranspose (x, w)", "y = Conv <pads = [2, 2]> (x, v)", "Turned about, with zeros on both sides.", x="float[1, 1, 5] x", y="float[1, 1, 7] y", arrays={"w": f32(1, 2, 3, shape=(1, 1, 3)), "v": f32(3, 2, 1, shape=(1, 1, 3))}, finite=True)

G = "steps-alike5"
equal(G, "f5-gate-at-first", "y = GRU <hidden_size = 2> (x, w, r)", "y = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r)", "From zero there is nothing to gate.", x="float[1, 2, 2] x", y="float[1, 1, 2, 2] y", arrays={"w": noise(1, 6, 2, seed=2), "r": noise(1, 6, 2, seed=3)}, finite=True)
REV = "Slice ({}, b, e, k, t)"
equal(G, "f5-reversed-recurrence", "y = LSTM <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "a = " + REV.format("x") + " c = LSTM <hidden_size = 2> (a, w, r) y = " + REV.format("c"), "From the last one.", x="float[3, 1, 2] x", y="float[3, 1, 1, 2] y", arrays={"w": noise(1, 8, 2, seed=2), "r": noise(1, 8, 2, seed=3), "b": i64(-1), "e": i64(-INF), "k": i64(0), "t": i64(-1)}, finite=True)
equal(G, "f5-sums-by-scan", "h, y = Scan (z, x) <num_scan_inputs = 1, body = b (int64[2] a, int64[2] v) => (int64[2] p, int64[2] q) { p = Add (a, v) q = Identity (p) }>", "y = CumSum (x, k)", "Sums so far.", x="int64[3, 2] x", y="int64[3, 2] y", arrays={"z": i64(0, 0), "k": np.int64(0)})
equal(G, "f5-doubled-in-rounds", "y = Loop (m, c, x) <body = b (int64 i, bool d, int32[4] v) => (bool e, int32[4] w) { e = Identity (d) w = Add (v, v) }>", "y = Mul (x, k)", "Five times twice.", arrays={"m": np.int64(5), "c": np.bool_(True), "k": np.int32(32)}, **I32)
equal(G, "f5-same-branches", "s = ReduceSum <keepdims = 0> (x) c = Greater (s, z) y = If (c) <then_branch = g1 () => (float[4] p) { p = Add (x, x) }, else_branch = g2 () => (float[4] q) { q = Mul (x, t) }>", "y = Mul (x, t)", "Twice it is in both.", arrays={"z": np.float32(0), "t": np.float32(2)}, **F)
equal(G, "f5-parts-as-sequence", "a = SplitToSequence <axis = 0, keepdims = 1> (x) y = ConcatFromSequence <axis = 0> (a)", "y = Identity (x)", "Taken apart and joined.", x="float[4, 2] x", y="float[4, 2] y")

G = "products-alike5"
equal(G, "f5-opposites-summed", "y = Einsum <equation = \"ij,ji->\"> (x, w)", "m = MatMul (x, w) e = Mul (m, i) y = ReduceSum <keepdims = 0> (e)", "The trace of the product.", x="float[3, 3] x, float[3, 3] w", y="float y", arrays={"i": np.eye(3, dtype=np.float32)}, finite=True)
equal(G, "f5-letters-sorted", "y = Einsum <equation = \"ba\"> (x)", "y = Transpose (x)", "Without an arrow the letters are sorted.", x="float[2, 3] x", y="float[3, 2] y")
equal(G, "f5-bytes-multiplied", "y = MatMulInteger (x, w, z)", "a = Cast <to = 6> (x) b = Sub (a, l) y = MatMul (b, v)", "Less the zero point.", x="uint8[2, 3] x", y="int32[2, 2] y", arrays={"w": np.array([[1, 2], [3, 4], [5, 6]], np.uint8), "v": np.array([[1, 2], [3, 4], [5, 6]], np.int32), "z": np.uint8(128), "l": np.int32(128)}, ranges={"x": (0, 255)})
equal(G, "f5-quantised-by-hand", "y = QuantizeLinear (x, s, z)", "a = Div (x, s) r = Round (a) b = Add (r, o) c = Clip (b, l, u) y = Cast <to = 2> (c)", "Rounded, moved and held.", x="float[6] x", y="uint8[6] y", arrays={"s": np.float32(0.5), "z": np.uint8(10), "o": np.float32(10), "l": np.float32(0), "u": np.float32(255)}, finite=True)
equal(G, "f5-hot-times-table", "i = Mod (x, d) h = OneHot (i, d, v) y = MatMul (h, t)", "i = Mod (x, d) y = Gather (t, i)", "A row of the identity takes a row.", x="int64[3] x", y="float[3, 2] y", arrays={"d": np.int64(4), "v": f32(0, 1), "t": noise(4, 2, seed=11)})
