"""Equal pairs that look different."""
import numpy as np

from pair_models import equal, f32, i64, noise, ramp

N = dict(x="float[n] x", y="float[m] y")
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)})

G = "sizes-same"
equal(G, "t3-end-by-size-held", "y = Slice (x, b, e)", "s = Shape (x) f = Add (s, e) g = Max (f, b) y = Slice (x, b, g)", "n - 3, and 0 at least.", arrays={"b": i64(0), "e": i64(-3)}, **N)
equal(G, "t3-pads-to-multiple", "s = Shape (x) m = Mod (s, k) d = Sub (k, m) q = Mod (d, k) p = Concat <axis = 0> (z, q) y = Pad (x, p)", "s = Shape (x) m = Neg (s) q = Mod (m, k) p = Concat <axis = 0> (z, q) y = Pad (x, p)", "What is missing to a multiple of four.",
      arrays={"k": i64(4), "z": i64(0)}, **N)
equal(G, "t3-halves-by-size", "v = Concat <axis = 0> (x, g) y, z = Split <num_outputs = 2> (v)", "v = Concat <axis = 0> (x, g) s = Shape (v) a = Add (s, o) h = Div (a, t) y = Slice (v, b, h) z = Slice (v, h, s)", "The first half is the longer one.", x="float[n] x", y="float[a] y, float[b] z", arrays={"t": i64(2), "o": i64(1), "b": i64(0), "g": f32(1, 2)})
equal(G, "t3-even-numbers", "s = Shape (x) q = Squeeze (s) r = Range (z, q, t) y = Cast <to = 1> (r)", "s = Shape (x) q = Squeeze (s) a = Add (q, o) h = Div (a, t) r = Range (z, h, o) d = Mul (r, t) y = Cast <to = 1> (d)", "Twice the numbers below half of it, rounded up.",
      arrays={"z": np.int64(0), "t": np.int64(2), "o": np.int64(1)}, **N)
equal(G, "t3-same-of-odd", "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2]> (x, w)", "y = Conv <pads = [1, 1], strides = [2]> (x, w)", "Of an odd size one pad at either end.", x="float[1, 1, 7] x", y="float[1, 1, 4] y", arrays={"w": noise(1, 1, 3, seed=1)})
equal(G, "t3-size-by-product", "y = Size (x)", "s = Shape (x) y = ReduceProd <keepdims = 0> (s, k)", "The number of elements.", x="float[a, b] x", y="int64 y", arrays={"k": i64(0)})
equal(G, "t3-broadcast-both", "y = Add (x, z)", "s = Shape (z) t = Shape (x) u = Mul (s, t) a = Expand (x, u) b = Expand (z, u) y = Add (a, b)", "Spread to both sizes first: one of each two is 1.", x="float[a, 1] x, float[1, b] z", y="float[a, b] y")
equal(G, "t3-last-by-size", "y = Gather (x, k)", "s = Shape (x) m = Sub (s, o) y = Gather (x, m)", "The last.", x="float[n] x", y="float[1] y", arrays={"k": i64(-1), "o": i64(1)})

G = "positions-same"
equal(G, "t3-least-by-negatives", "y, i = TopK <largest = 0> (x, k)", "n = Neg (x) t, i = TopK (n, k) y = Neg (t)", "The least are the largest negatives.", x="float[6] x", y="float[2] y, int64[2] i", arrays={"k": i64(2)}, finite=True)
equal(G, "t3-hardmax-by-index", "y = Hardmax <axis = 1> (x)", "i = ArgMax <axis = 1, keepdims = 0> (x) y = OneHot (i, d, v)", "The first of the largest.", x="float[3, 4] x", y="float[3, 4] y", arrays={"d": np.int64(4), "v": f32(0, 1)}, finite=True)
REV = {"b": i64(-1), "e": i64(-1000), "t": i64(-1), "a": i64(0)}
equal(G, "t3-last-largest", "y = ArgMax <axis = 0, select_last_index = 1, keepdims = 0> (x)", "r = Slice (x, b, e, a, t) i = ArgMax <axis = 0, keepdims = 0> (r) y = Sub (k, i)", "The first from behind.", x="int32[5] x", y="int64 y", arrays=REV | {"k": np.int64(4)}, ranges={"x": (-1, 1)})
equal(G, "t3-sums-from-behind", "y = CumSum <reverse = 1> (x, k)", "r = Slice (x, b, e, a, t) c = CumSum (r, k) y = Slice (c, b, e, a, t)", "Turned twice.", x="float[6] x", y="float[6] y", arrays=REV | {"k": np.int64(0)}, finite=True)
equal(G, "t3-sums-by-triangle", "y = CumSum <exclusive = 1> (x, k)", {"body": "y = MatMul (w, x)", "arrays": {"w": np.tril(np.ones((5, 5), np.float32), -1)}}, "A triangle of ones below the diagonal.", x="float[5] x", y="float[5] y", arrays={"k": np.int64(0)}, finite=True)
equal(G, "t3-scattered-as-sum", {"body": "y = ScatterND <reduction = \"add\"> (x, i, z)", "arrays": {"i": i64(1, 3, 1, shape=(3, 1))}}, {"body": "m = MatMul (w, z) y = Add (x, m)", "arrays": {"w": f32(0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, shape=(4, 3))}}, "Two come to one place.",
      x="float[4] x, float[3] z", y="float[4] y", finite=True)
equal(G, "t3-scattered-as-choice", {"body": "y = ScatterElements (x, i, z)", "arrays": {"i": i64(2, 0)}}, {"body": "g = Gather (z, j) y = Where (c, g, x)", "arrays": {"j": i64(1, 0, 0, 0), "c": np.array([True, False, True, False])}}, "Two of four are replaced.", x="float[4] x, float[2] z", y="float[4] y")
equal(G, "t3-true-ones", "i = NonZero (c) t = Transpose (i) y = GatherND (x, t)", "y = Compress (x, c)", "What is true, in order.", x="float[4] x, bool[4] c", y="float[m] y")
equal(G, "t3-triangle-by-order", "y = Trilu <upper = 0> (x, k)", {"body": "c = GreaterOrEqual (q, r) y = Where (c, x, z)", "arrays": {"r": i64(-1, 0, 1, shape=(1, 3)), "q": i64(0, 1, 2, shape=(3, 1)), "z": np.float32(0)}}, "Columns at most one beyond the row.", x="float[3, 3] x", y="float[3, 3] y", arrays={"k": np.int64(1)})
equal(G, "t3-batch-in-einsum", "y = Einsum <equation = \"bij,bjk->ik\"> (x, z)", "m = MatMul (x, z) y = ReduceSum <keepdims = 0> (m, k)", "Summed over the batch.", x="float[2, 2, 3] x, float[2, 3, 2] z", y="float[2, 2] y", arrays={"k": i64(0)}, finite=True)
equal(G, "t3-outer-by-einsum", "y = Einsum <equation = \"i,j->ji\"> (x, z)", "a = Unsqueeze (z, k) y = Mul (a, x)", "Rows are of the second.", x="float[3] x, float[2] z", y="float[2, 3] y", arrays={"k": i64(1)})
equal(G, "t3-pooled-places", "p, i = MaxPool <kernel_shape = [2], strides = [2]> (x) y = Identity (p)", "p, i = MaxPool <kernel_shape = [2], strides = [2]> (x) f = Reshape (x, s) y = Gather (f, i)", "What is at the places of the largest.", x="float[1, 1, 6] x", y="float[1, 1, 3] y", arrays={"s": i64(-1)}, finite=True)
equal(G, "t3-grid-of-itself", {"body": "y = GridSample <align_corners = 1> (x, g)", "arrays": {"g": np.stack(np.meshgrid(f32(-1, 0, 1), f32(-1, 1)), -1)[None].astype(np.float32)}}, "y = Identity (x)", "Each at its own place.", x="float[1, 1, 2, 3] x", y="float[1, 1, 2, 3] y", finite=True)
equal(G, "t3-resized-as-expand", "y = Resize <coordinate_transformation_mode = \"asymmetric\", mode = \"nearest\", nearest_mode = \"floor\"> (x, , s)", "a = Unsqueeze (x, k) b = Expand (a, u) y = Reshape (b, v)", "Each three times.", x="float[1, 1, 4] x", y="float[1, 1, 12] y",
      arrays={"s": f32(1, 1, 3), "k": i64(3), "u": i64(1, 1, 4, 3), "v": i64(1, 1, 12)})
equal(G, "t3-halved-picture", "y = Resize <coordinate_transformation_mode = \"half_pixel\", mode = \"linear\"> (x, , s)", "y = AveragePool <kernel_shape = [2], strides = [2]> (x)", "Half way between two.", x="float[1, 2, 8] x", y="float[1, 2, 4] y", arrays={"s": f32(1, 1, 0.5)}, finite=True)

G = "windows-same"
equal(G, "t3-roots-of-means", "y = LpPool <kernel_shape = [2], p = 2> (x)", "q = Mul (x, x) a = AveragePool <kernel_shape = [2]> (q) d = Mul (a, k) y = Sqrt (d)", "The root of twice the mean of squares.", x="float[1, 1, 5] x", y="float[1, 1, 4] y", arrays={"k": np.float32(2)}, finite=True)
equal(G, "t3-groups-of-one", "y = GroupNormalization <num_groups = 3> (x, s, b)", "y = InstanceNormalization (x, s, b)", "A group for each channel.", x="float[2, 3, 4] x", y="float[2, 3, 4] y", arrays={"s": f32(1, 2, -1), "b": f32(0, 1, 2)}, opset=21, ir=10, finite=True)
equal(G, "t3-one-group", "y = GroupNormalization <num_groups = 1> (x, s, b)", "y = LayerNormalization <axis = 1> (x, t, u)", "A layer of the whole image.", x="float[2, 2, 3] x", y="float[2, 2, 3] y", arrays={"s": f32(1, 1), "b": f32(0.5, 0.5), "t": np.ones((2, 3), np.float32), "u": np.full((2, 3), 0.5, np.float32)}, opset=21, ir=10, finite=True)
equal(G, "t3-unfolded", {"body": "y = Conv (x, w)", "arrays": {"w": noise(3, 2, 2, seed=3)}}, {"body": "a = Slice (x, i0, i4, i2) b = Slice (x, i1, i5, i2) c = Concat <axis = 1> (a, b) y = Einsum <equation = \"oc,ncl->nol\"> (v, c)", "arrays": {"v": noise(3, 2, 2, seed=3).transpose(0, 2, 1).reshape(3, 4).copy()}}, "Shifted copies as channels.",
      x="float[2, 2, 5] x", y="float[2, 3, 4] y", arrays={"i0": i64(0), "i4": i64(4), "i1": i64(1), "i5": i64(5), "i2": i64(2)}, finite=True)
equal(G, "t3-mean-by-sums", "y = AveragePool <kernel_shape = [3]> (x)", "c = CumSum (x, k) p = Pad (c, q) a = Slice (c, i2, i6, i2) b = Slice (p, i0, i4, i2) d = Sub (a, b) y = Div (d, n)", "Differences of running sums.", x="float[1, 1, 6] x", y="float[1, 1, 4] y",
      arrays={"k": np.int64(2), "q": i64(0, 0, 1, 0, 0, 0), "i0": i64(0), "i2": i64(2), "i4": i64(4), "i6": i64(6), "n": np.float32(3)}, finite=True)
equal(G, "t3-cut-at-the-end", "y = ConvTranspose <strides = [2], output_shape = [4], auto_pad = \"SAME_UPPER\"> (x, w)", "y = ConvTranspose <strides = [2], pads = [0, 1]> (x, w)", "One is cut, at the end.", x="float[1, 1, 2] x", y="float[1, 1, 4] y", arrays={"w": f32(1, 2, 4, shape=(1, 1, 3))})
equal(G, "t3-padded-counts", "y = AveragePool <kernel_shape = [3], strides = [2], ceil_mode = 1, pads = [1, 0], count_include_pad = 1> (x)", "p = Pad (x, q) y = AveragePool <kernel_shape = [3], strides = [2], ceil_mode = 1> (p)", "Pads are counted, what lies beyond is not.", x="float[1, 1, 5] x", y="float[1, 1, 3] y", arrays={"q": i64(0, 0, 1, 0, 0, 0)}, finite=True)
equal(G, "t3-depthwise-as-scale", {"body": "y = Conv <group = 3> (x, w)", "arrays": {"w": f32(1, -2, 0.5, shape=(3, 1, 1))}}, {"body": "y = Mul (x, s)", "arrays": {"s": f32(1, -2, 0.5, shape=(3, 1))}}, "A number for each channel.", x="float[2, 3, 5] x", y="float[2, 3, 5] y")
equal(G, "t3-heads-permuted", {"body": "a = MatMul (x, w) r = Relu (a) b = MatMul (r, v) y = Add (b, x)", "arrays": {"w": noise(3, 6, seed=4), "v": noise(6, 3, seed=5)}}, {"body": "a = MatMul (x, w) r = Relu (a) b = MatMul (r, v) y = Add (x, b)", "arrays": {"w": noise(3, 6, seed=4)[:, ::-1].copy(), "v": noise(6, 3, seed=5)[::-1].copy()}},
      "The inner ones in reverse.", x="float[2, 3] x", y="float[2, 3] y", finite=True)

G = "numbers-same"
equal(G, "t3-largest-norm", "y = ReduceL2 (x, k)", "q = ReduceSumSquare (x, k) y = Sqrt (q)", "The root of the sum of squares.", x="float[2, 3] x", y="float[2, 1] y", arrays={"k": i64(1)}, finite=True)
equal(G, "t3-quantized-and-back", "q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)", "a = Div (x, s) b = Round (a) c = Clip (b, l, u) y = Mul (c, s)", "Rounded and cut.", arrays={"s": np.float32(0.5), "z": np.int8(0), "l": np.float32(-128), "u": np.float32(127)}, finite=True)
equal(G, "t3-determinant-of-two", "y = Det (x)", "f = Flatten <axis = 0> (x) a, b, c, d = Split <axis = 1, num_outputs = 4> (f) p = Mul (a, d) q = Mul (b, c) r = Sub (p, q) y = Squeeze (r)", "ad - bc.", x="float[2, 2] x", y="float y", finite=True)
equal(G, "t3-shrunk", "y = Shrink <lambd = 0.5, bias = 0.5> (x)", "a = Sub (x, h) b = Relu (a) n = Neg (x) c = Sub (n, h) d = Relu (c) y = Sub (b, d)", "What is beyond a half.", arrays={"h": np.float32(0.5)}, finite=True)
equal(G, "t3-float-remainder-held", "y = Mod <fmod = 1> (x, k)", "s = Sign (x) a = Abs (x) q = Div (a, k) f = Floor (q) p = Mul (f, k) r = Sub (a, p) y = Mul (s, r)", "With the sign of the dividend; 4 divides without rounding.", arrays={"k": np.float32(4)}, finite=True)
equal(G, "t3-distance-held", "a = Cast <to = 6> (x) b = Cast <to = 6> (z) d = Sub (a, b) e = Abs (d) y = Cast <to = 2> (e)", "a = Max (x, z) b = Min (x, z) y = Sub (a, b)", "Never beyond a byte.", x="uint8[8] x, uint8[8] z", y="uint8[8] y", ranges={"x": (0, 255), "z": (0, 255)}, reference=True)
equal(G, "t3-half-of-sum", "a = BitwiseAnd (x, z) b = BitwiseXor (x, z) c = BitShift <direction = \"RIGHT\"> (b, o) y = Add (a, c)", "a = Cast <to = 13> (x) b = Cast <to = 13> (z) c = Add (a, b) d = Div (c, t) y = Cast <to = 12> (d)", "The mean without overflow.", x="uint32[4] x, uint32[4] z", y="uint32[4] y",
      arrays={"o": np.full(4, 1, np.uint32), "t": np.uint64(2)}, ranges={"x": (0, 2 ** 32 - 1), "z": (0, 2 ** 32 - 1)})
equal(G, "t3-absolute-by-mask", "c = Less (x, z) m = Cast <to = 6> (c) n = Neg (m) a = BitwiseXor (x, n) y = Sub (a, n)", "y = Abs (x)", "Complement and one more where it is below zero.", arrays={"z": np.int32(0)}, **I32)
equal(G, "t3-larger-by-mask", "c = Less (x, z) m = Cast <to = 6> (c) n = Neg (m) d = BitwiseXor (x, z) e = BitwiseAnd (d, n) y = BitwiseXor (x, e)", "y = Max (x, z)", "Exchanged where it is less.", x="int32[4] x, int32[4] z", y="int32[4] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1), "z": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "t3-inverse-factor", "a = Mul (x, k) y = Mul (a, l)", "y = Identity (x)", "3 times 2863311531 is 1 in 32 bits.", x="uint32[4] x", y="uint32[4] y", arrays={"k": np.uint32(3), "l": np.uint32(2863311531)}, ranges={"x": (0, 2 ** 32 - 1)})
equal(G, "t3-attention-by-halves", "t = Transpose (x) m = MatMul (x, t) s = Mul (m, k) p = Softmax (s) y = MatMul (p, x)", "a = Mul (x, h) t = Transpose (a) m = MatMul (a, t) p = Softmax (m) y = MatMul (p, x)", "Half of either is a quarter of the product.", x="float[3, 2] x", y="float[3, 2] y", arrays={"k": np.float32(0.25), "h": np.float32(0.5)}, finite=True)
equal(G, "t3-keys-shifted", "m = MatMul (x, w) y = Softmax (m)", {"body": "m = MatMul (x, w) b = MatMul (x, v) s = Add (m, b) y = Softmax (s)", "arrays": {"v": noise(3, 1, seed=9)}}, "The same for all keys of a query.", x="float[2, 3] x", y="float[2, 4] y", arrays={"w": noise(3, 4, seed=8)}, finite=True)

G = "programs-same"
SWAP = "y, z = Loop (n, c, x, w) <body = b (int64 i, bool d, float[2] p, float[2] q) => (bool e, float[2] r, float[2] s) { e = Identity (d) r = Identity (q) s = Identity (p) }>"
equal(G, "t3-even-rounds", SWAP, "y = Identity (x) z = Identity (w)", "Exchanged four times.", x="float[2] x, float[2] w", y="float[2] y, float[2] z", arrays={"c": np.bool_(True), "n": np.int64(4)})
equal(G, "t3-fibonacci-matrix", "y, z = Loop (n, c, x, w) <body = b (int64 i, bool d, int64 p, int64 q) => (bool e, int64 r, int64 s) { e = Identity (d) r = Identity (q) s = Add (p, q) }>",
      "a = Mul (x, k5) b = Mul (w, k8) y = Add (a, b) f = Mul (x, k8) g = Mul (w, k13) z = Add (f, g)", "Six rounds are a matrix of 5, 8 and 13.", x="int64 x, int64 w", y="int64 y, int64 z", arrays={"c": np.bool_(True), "n": np.int64(6), "k5": np.int64(5), "k8": np.int64(8), "k13": np.int64(13)})
NEST = "a = Greater (s, z) b = Greater (t, z) y = If ({}) <then_branch = g1 () => (float p) {{ p = If ({}) <then_branch = g3 () => (float p1) {{ p1 = {} }}, else_branch = g4 () => (float p2) {{ p2 = {} }}> }}, else_branch = g2 () => (float q) {{ q = If ({}) <then_branch = g5 () => (float q1) {{ q1 = {} }}, else_branch = g6 () => (float q2) {{ q2 = {} }}> }}>"
equal(G, "t3-branches-nested", NEST.format("a", "b", "Add (s, t)", "Sub (s, t)", "b", "Sub (t, s)", "Neg (s)"), NEST.format("b", "a", "Add (s, t)", "Sub (t, s)", "a", "Sub (s, t)", "Neg (s)"), "The other question first.", x="float s, float t", y="float y", arrays={"z": np.float32(0)})
equal(G, "t3-collected-powers", "l, y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (bool e, float[2] w, float[2] t) { e = Identity (d) t = Identity (v) w = Add (v, v) }>", {"body": "y = Mul (k, x)", "arrays": {"k": f32(1, 2, 4, shape=(3, 1))}}, "Once, twice, four times.",
      x="float[2] x", y="float[3, 2] y", arrays={"c": np.bool_(True), "n": np.int64(3)})
equal(G, "t3-scanned-product", "y, l = Scan (h, x, z) <num_scan_inputs = 2, body = b (float[2] a, float[2] v, float[2] w) => (float[2] p, float[2] q) { m = Mul (v, w) p = Add (a, m) q = Identity (v) }>", "m = Mul (x, z) y = ReduceSum <keepdims = 0> (m, k)", "A sum of products.", x="float[3, 2] x, float[3, 2] z", y="float[2] y",
      arrays={"h": f32(0, 0), "k": i64(0)}, finite=True)
OWN = '<domain: "local", opset_import: ["" : 18]> Relu (p) => (q) { a = Neg (p) q = Neg (a) }'
equal(G, "t3-own-relu-is-none", {"body": "y = local.Relu (x)", "functions": OWN, "domains": {"local": 1}}, {"body": "y = Identity (x)"}, "A function of that name that does nothing.")
RNN = dict(x="float[3, 1, 2] x", y="float[3, 1, 1, 2] y", finite=True)
W, R = noise(1, 8, 2, seed=6), noise(1, 8, 2, seed=7)
equal(G, "t3-peephole-of-zeros", "y = LSTM <hidden_size = 2> (x, w, r, , , , , p)", "y = LSTM <hidden_size = 2> (x, w, r)", "Nothing of the cell is seen.", arrays={"w": W, "r": R, "p": np.zeros((1, 6), np.float32)}, **RNN)
equal(G, "t3-lengths-of-all", "y = LSTM <hidden_size = 2> (x, w, r, , n)", "y = LSTM <hidden_size = 2> (x, w, r)", "All three steps.", arrays={"w": W, "r": R, "n": np.array([3], np.int32)}, **RNN)
equal(G, "t3-one-of-two-directions", {"body": "a = LSTM <hidden_size = 2, direction = \"bidirectional\"> (x, w, r) y = Slice (a, b, e, k)", "arrays": {"w": np.concatenate([W, -W]), "r": np.concatenate([R, -R])}}, {"body": "y = LSTM <hidden_size = 2> (x, w, r)", "arrays": {"w": W, "r": R}}, "The one forwards.",
      arrays={"b": i64(0), "e": i64(1), "k": i64(1)}, **RNN)
equal(G, "t3-recurrence-unrolled", {"body": "y = RNN <hidden_size = 2> (x, w, r)", "arrays": {"w": noise(1, 2, 2, seed=3), "r": noise(1, 2, 2, seed=4)}},
      {"body": "a, b, c = Split <num_outputs = 3> (x) f = MatMul (a, v) h1 = Tanh (f) g = MatMul (b, v) k = MatMul (h1, u) l = Add (g, k) h2 = Tanh (l) m = MatMul (c, v) n = MatMul (h2, u) o = Add (m, n) h3 = Tanh (o) p = Concat <axis = 0> (h1, h2, h3) y = Unsqueeze (p, q)",
       "arrays": {"v": noise(1, 2, 2, seed=3)[0].T.copy(), "u": noise(1, 2, 2, seed=4)[0].T.copy(), "q": i64(1)}}, "Three steps written out.", **RNN)
equal(G, "t3-product-of-diagonals", {"body": "a = MatMul (x, w) y = MatMul (a, v)", "arrays": {"w": np.diag(f32(1, 2, 3)), "v": np.diag(f32(4, 0.5, 2))}}, {"body": "y = Mul (x, s)", "arrays": {"s": f32(4, 1, 6)}}, "Two diagonals.", x="float[2, 3] x", y="float[2, 3] y", finite=True)
equal(G, "t3-shift-by-identity", {"body": "y = MatMul (w, x)", "arrays": {"w": np.eye(4, k=1, dtype=np.float32)}}, {"body": "a = Slice (x, b, e) y = Concat <axis = 0> (a, z)", "arrays": {"b": i64(1), "e": i64(4), "z": f32(0)}}, "Ones beside the diagonal.", x="float[4] x", y="float[4] y", finite=True)

G = "never3"
TAKEN = " y = Where (c, e, x)"
equal(G, "t3-square-of-seven", "q = Mul (x, x) m = BitwiseAnd (q, l) c = Equal (m, k)" + TAKEN, "y = Identity (x)", "No square ends in 101.", arrays={"l": np.int32(7), "k": np.int32(5), "e": np.int32(7)}, **I32)
equal(G, "t3-norm-below-largest", "n = ReduceL2 (x) a = Abs (x) m = ReduceMax (a) h = Mul (m, k) p = Add (n, t) c = Less (p, h)" + TAKEN, "y = Identity (x)", "No vector is shorter than half of its largest.", arrays={"k": np.float32(0.5), "t": np.float32(0.000001), "e": np.float32(7)}, finite=True)
equal(G, "t3-mean-above-largest", "n = ReduceMean (x) m = ReduceMax (x) a = Abs (m) h = Mul (a, t) i = Add (h, k) p = Add (m, i) c = Greater (n, p)" + TAKEN, "y = Identity (x)", "No mean is above the largest.", arrays={"k": np.float32(1), "t": np.float32(0.01), "e": np.float32(7)}, ranges={"x": (-50, 50)}, finite=True)
equal(G, "t3-sum-of-two-squares", "q = Mul (x, x) a, b = Split <num_outputs = 2> (q) s = Add (a, b) m = BitwiseAnd (s, l) d = Equal (m, l) y = Where (d, e, a)", "q = Mul (x, x) y, b = Split <num_outputs = 2> (q)", "Two squares never sum to 3 by 4, wrapping or not.", x="int32[2] x", y="int32[1] y", arrays={"l": np.int32(3), "e": np.int32(7)}, ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "t3-more-than-all", "a = NonZero (x) s = Shape (a) p = Gather (s, o) t = Size (x) c = Greater (p, t)" + TAKEN, "y = Identity (x)", "Not more are non-zero than there are.", x="float[2, 3] x", y="float[2, 3] y", arrays={"o": np.int64(1), "e": np.float32(7)})
