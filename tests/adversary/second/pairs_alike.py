"""Equal pairs that look different."""
import numpy as np

from pair_models import equal, f32, i64, noise, ramp

G = "integers-alike"
I4 = dict(x="int32[4] x, int32[4] z", y="int32[4] y")
equal(G, "s2-sum-without-carry", "y = Add (x, z)", "a = BitwiseXor (x, z) b = BitwiseAnd (x, z) c = Mul (b, k) y = Add (a, c)", "Sum without carry and twice the carry.", arrays={"k": np.int32(2)}, **I4)
equal(G, "s2-either-and-both", "y = Add (x, z)", "a = BitwiseOr (x, z) b = BitwiseAnd (x, z) y = Add (a, b)", "Either and both.", **I4)
equal(G, "s2-odd-factor", "y = Equal (x, z)", "a = Mul (x, k) b = Mul (z, k) y = Equal (a, b)", "5 can be undone, wherever it wraps.", x="int32[4] x, int32[4] z", y="bool[4] y", arrays={"k": np.int32(5)},
      ranges={"x": (-2, 2), "z": (-2, 2)})
equal(G, "s2-squares", "a = Add (x, z) b = Sub (x, z) y = Mul (a, b)", "a = Mul (x, x) b = Mul (z, z) y = Sub (a, b)", "Integers wrap alike.", ranges={"x": (-2 ** 31, 2 ** 31 - 1), "z": (-2 ** 31, 2 ** 31 - 1)}, **I4)
equal(G, "s2-complement", "y = BitwiseNot (x)", "n = Neg (x) y = Sub (n, o)", "-x - 1.", x="int32[4] x", y="int32[4] y", arrays={"o": np.int32(1)}, ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "s2-sign-and-size", "s = Sign (x) a = Abs (x) y = Mul (s, a)", "y = Identity (x)", "Also at the least integer.", x="int32[4] x", y="int32[4] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "s2-extremes", "a = Max (x, z) b = Min (x, z) y = Add (a, b)", "y = Add (z, x)", "Which is larger does not matter.", **I4)
equal(G, "s2-order-turned", "a = BitwiseNot (x) b = BitwiseNot (z) c = Max (a, b) y = BitwiseNot (c)", "y = Min (x, z)", "The complement turns the order.", ranges={"x": (-2 ** 31, 2 ** 31 - 1)}, **I4)
equal(G, "s2-mod-by-mask", "y = Mod (x, k)", "y = BitwiseAnd (x, m)", "Of a power of two, below zero too.", x="int32[4] x", y="int32[4] y", arrays={"k": np.int32(16), "m": np.int32(15)})
equal(G, "s2-floor-by-truncation", "t = Mod (x, k) d = Sub (x, t) y = Div (d, k)", "t = Div (x, k) m = Mod <fmod = 1> (x, k) c = Less (m, e) n = Cast <to = 6> (c) y = Sub (t, n)",
      "Two ways to divide down; 4 divides the least integer.", x="int32[4] x", y="int32[4] y", arrays={"k": np.int32(4), "e": np.int32(0)})
equal(G, "s2-narrowed-before", "a = Add (x, z) y = Cast <to = 3> (a)", "a = Cast <to = 3> (x) b = Cast <to = 3> (z) c = Add (a, b) y = Cast <to = 3> (c)", "The low bits of a sum.", x="int32[4] x, int32[4] z", y="int8[4] y", reference=True)
equal(G, "s2-byte-through-half", "y = Cast <to = 6> (x)", "a = Cast <to = 10> (x) y = Cast <to = 6> (a)", "Half precision holds a byte.", x="uint8[8] x", y="int32[8] y", ranges={"x": (0, 255)})
equal(G, "s2-int32-through-double", "y = Cast <to = 7> (x)", "a = Cast <to = 11> (x) y = Cast <to = 7> (a)", "A double holds 32 bits.", x="int32[8] x", y="int64[8] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "s2-not-less", "a = Less (x, z) y = Not (a)", "a = Greater (x, z) b = Equal (x, z) y = Or (a, b)", "Integers have no NaN.", x="int32[4] x, int32[4] z", y="bool[4] y", ranges={"x": (-2, 2), "z": (-2, 2)})
equal(G, "s2-integer-product", "y = MatMulInteger (x, w)", "a = Cast <to = 6> (x) b = Cast <to = 6> (w) y = MatMul (a, b)", "The same in 32 bits.", x="uint8[2, 3] x", y="int32[2, 2] y",
      arrays={"w": np.arange(6, dtype=np.uint8).reshape(3, 2)}, ranges={"x": (0, 255)})
equal(G, "s2-cumsum-from-behind", "y = CumSum <reverse = 1> (x, k)", "a = CumSum (x, k) t = Gather (a, l) c = CumSum <exclusive = 1> (x, k) y = Sub (t, c)", "All less those before.", x="int64[6] x", y="int64[6] y", arrays={"k": np.int64(0), "l": i64(-1)})
equal(G, "s2-unsigned-shift", "y = BitShift <direction = \"LEFT\"> (x, k)", "y = Mul (x, m)", "Both lose the top bits.", x="uint32[4] x", y="uint32[4] y", arrays={"k": np.full(4, 3, np.uint32), "m": np.uint32(8)}, ranges={"x": (0, 2 ** 32 - 1)})

G = "positions-alike"
REV = {"b": i64(-1), "e": i64(-1000), "t": i64(-1), "a": i64(0)}
equal(G, "s2-index-complement", "n = BitwiseNot (i) y = Gather (x, n)", "r = Slice (x, b, e, a, t) y = Gather (r, i)", "-1 - i from the other end.", x="float[4, 2] x, int64[3] i", y="float[3, 2] y", arrays=REV,
      ranges={"i": (-4, 3)})
equal(G, "s2-join-reversed", "c = Concat <axis = 0> (x, z) y = Slice (c, b, e, a, t)", "p = Slice (x, b, e, a, t) q = Slice (z, b, e, a, t) y = Concat <axis = 0> (q, p)", "The second comes first.",
      x="float[3] x, float[2] z", y="float[5] y", arrays=REV)
equal(G, "s2-second-copy", "u = Resize <coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, , s) y = Slice (u, b, e, a, t)", "y = Identity (x)", "Of two copies the second.",
      x="float[1, 1, 5] x", y="float[1, 1, 5] y", arrays={"s": f32(1, 1, 2), "b": i64(1), "e": i64(100), "a": i64(2), "t": i64(2)})
equal(G, "s2-copy-of-three", "u = Tile (x, r) y = Slice (u, b, e)", "y = Identity (x)", "The second copy.", x="float[4] x", arrays={"r": i64(3), "b": i64(4), "e": i64(8)})
equal(G, "s2-gathers-joined", "p = Gather (x, i) y = Gather (p, j)", "k = Gather (i, j) y = Gather (x, k)", "Indices of indices; each of them is used.", x="float[4] x, int64[3] i", y="float[5] y",
      arrays={"j": i64(2, 0, -2, -1, 0)}, ranges={"i": (-4, 3)})
equal(G, "s2-pad-as-join", "y = Pad (x, p, v)", "y = Concat <axis = 0> (c, x, c)", "A constant before and behind.", y="float[6] y", arrays={"p": i64(1, 1), "v": np.float32(2.5), "c": f32(2.5)})
equal(G, "s2-crop-by-pad", "y = Pad (x, p)", "y = Slice (x, b, e)", "A negative pad.", y="float[2] y", arrays={"p": i64(-1, -1), "b": i64(1), "e": i64(3)})
equal(G, "s2-wrap-as-join", "y = Pad <mode = \"wrap\"> (x, p)", "l = Gather (x, i) f = Gather (x, j) y = Concat <axis = 0> (l, x, f)", "The last before the first.", y="float[6] y",
      arrays={"p": i64(1, 1), "i": i64(-1), "j": i64(0)}, opset=19)
equal(G, "s2-reflect-as-gather", "y = Pad <mode = \"reflect\"> (x, p)", "y = Gather (x, i)", "Without the last one itself.", y="float[7] y", arrays={"p": i64(2, 1), "i": i64(2, 1, 0, 1, 2, 3, 2)})
equal(G, "s2-blocks-by-hand", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", "r = Reshape (x, s) t = Transpose <perm = [0, 1, 4, 2, 5, 3]> (r) y = Reshape (t, o)", "The definition.",
      x="float[1, 8, 2, 3] x", y="float[1, 2, 4, 6] y", arrays={"s": i64(1, 2, 2, 2, 2, 3), "o": i64(1, 2, 4, 6)})
equal(G, "s2-blocks-undone", "d = DepthToSpace <blocksize = 2> (x) y = SpaceToDepth <blocksize = 2> (d)", "y = Identity (x)", "DCR is undone.", x="float[1, 8, 2, 3] x", y="float[1, 8, 2, 3] y")
equal(G, "s2-triangle-turned", "t = Transpose (x) y = Trilu <upper = 0> (t, k)", "u = Trilu (x, m) y = Transpose (u)", "The diagonal turns too.", x="float[3, 4] x", y="float[4, 3] y", arrays={"k": np.int64(1), "m": np.int64(-1)})
equal(G, "s2-reshape-zero", "y = Reshape (x, s)", "y = Reshape (x, t)", "0 keeps a size, -1 is what is left.", x="float[2, 3, 4] x", y="float[2, 12] y", arrays={"s": i64(0, -1), "t": i64(2, 12)})
equal(G, "s2-compress-as-gather", "y = Compress <axis = 1> (x, c)", "y = Gather <axis = 1> (x, i)", "Columns 0 and 2.", x="float[2, 3] x", y="float[2, 2] y", arrays={"c": np.array([True, False, True]), "i": i64(0, 2)})
equal(G, "s2-split-and-turned", "a, b = Split <axis = 1> (x, s) y = Concat <axis = 1> (b, a)", "y = Gather <axis = 1> (x, i)", "Columns moved around.", x="float[2, 5] x", y="float[2, 5] y",
      arrays={"s": i64(2, 3), "i": i64(2, 3, 4, 0, 1)})
equal(G, "s2-last-size", "y = Shape <start = -1> (x)", "s = Shape (x) y = Gather (s, i)", "The last size.", x="float[a, b] x", y="int64[1] y", arrays={"i": i64(1)})

G = "windows-alike"
W2 = noise(3, 2, 3, seed=1)
equal(G, "s2-even-positions", "c = Conv <pads = [1, 0]> (x, w) y = Slice (c, b, e, a, t)", "y = Conv <pads = [1, 0], strides = [2]> (x, w)", "Every other position.", x="float[1, 2, 8] x", y="float[1, 3, 4] y",
      arrays={"w": W2, "b": i64(0), "e": i64(100), "a": i64(2), "t": i64(2)})
equal(G, "s2-windows-strided", "p = MaxPool <kernel_shape = [3], strides = [2]> (x) y = MaxPool <kernel_shape = [3], strides = [2]> (p)", "y = MaxPool <kernel_shape = [7], strides = [4]> (x)", "They see 7 by 4.",
      x="float[1, 2, 11] x", y="float[1, 2, 2] y", finite=True)
equal(G, "s2-transposed-as-conv", {"body": "y = ConvTranspose <pads = [1, 0]> (x, w)", "arrays": {"w": W2.transpose(1, 0, 2).copy()}},
      {"body": "y = Conv <pads = [1, 2]> (x, w)", "arrays": {"w": W2[:, :, ::-1].copy()}}, "The kernel reversed, and the pads filled up.", x="float[1, 2, 5] x", y="float[1, 3, 6] y", finite=True)
equal(G, "s2-output-padding-off", "y = ConvTranspose <strides = [2], pads = [0, 1], output_padding = [1]> (x, w)", "y = ConvTranspose <strides = [2]> (x, w)", "Padded and taken off at the end.",
      x="float[1, 3, 4] x", y="float[1, 2, 9] y", arrays={"w": W2})
equal(G, "s2-groups-parted", {"body": "y = Conv <group = 2> (x, w)", "arrays": {"w": noise(4, 2, 2, seed=2)}},
      {"body": "a, b = Split <axis = 1, num_outputs = 2> (x) c = Conv (a, u) d = Conv (b, v) y = Concat <axis = 1> (c, d)", "arrays": {"u": noise(4, 2, 2, seed=2)[:2], "v": noise(4, 2, 2, seed=2)[2:]}},
      "Two groups are two convolutions.", x="float[1, 4, 5] x", y="float[1, 4, 4] y")
equal(G, "s2-zero-tap", {"body": "y = Conv (x, w)", "arrays": {"w": W2}}, {"body": "y = Conv <pads = [0, 1]> (x, w)", "arrays": {"w": np.pad(W2, [(0, 0), (0, 0), (0, 1)])}}, "A tap of zero behind the others.",
      x="float[1, 2, 6] x", y="float[1, 3, 4] y", finite=True)
equal(G, "s2-dilation-by-zeros", {"body": "y = Conv <dilations = [2]> (x, w)", "arrays": {"w": W2}}, {"body": "y = Conv (x, w)", "arrays": {"w": np.stack([W2, 0 * W2], 3).reshape(3, 2, 6)[:, :, :5].copy()}},
      "Zeros between the taps.", x="float[1, 2, 7] x", y="float[1, 3, 3] y", finite=True)
equal(G, "s2-mean-as-conv", "y = AveragePool <kernel_shape = [2], count_include_pad = 1, pads = [1, 0]> (x)", "y = Conv <group = 2, pads = [1, 0]> (x, w)", "A kernel of halves.", x="float[1, 2, 5] x", y="float[1, 2, 5] y",
      arrays={"w": np.full((2, 1, 2), 0.5, np.float32)})
equal(G, "s2-same-as-pads", "y = Conv <auto_pad = \"SAME_LOWER\", strides = [2]> (x, w)", "y = Conv <pads = [1, 0], strides = [2]> (x, w)", "One pad, at the begin.", x="float[1, 2, 6] x", y="float[1, 3, 3] y", arrays={"w": W2})
equal(G, "s2-conv-as-product", {"body": "y = Conv (x, w)", "arrays": {"w": noise(3, 2, 1, seed=3)}},
      {"body": "t = Transpose <perm = [0, 2, 1]> (x) m = MatMul (t, w) y = Transpose <perm = [0, 2, 1]> (m)", "arrays": {"w": noise(3, 2, 1, seed=3)[:, :, 0].T.copy()}}, "A kernel of 1 is a matrix.",
      x="float[1, 2, 5] x", y="float[1, 3, 5] y")
equal(G, "s2-permuted-channels", {"body": "a = Conv (x, w) b = Relu (a) y = Conv (b, v)", "arrays": {"w": noise(4, 2, 1, seed=4), "v": noise(2, 4, 1, seed=5)}},
      {"body": "a = Conv (x, w) b = Relu (a) y = Conv (b, v)", "arrays": {"w": noise(4, 2, 1, seed=4)[[2, 0, 3, 1]], "v": noise(2, 4, 1, seed=5)[:, [2, 0, 3, 1]]}}, "The inner channels in another order.",
      x="float[1, 2, 5] x", y="float[1, 2, 5] y", finite=True)
equal(G, "s2-scaled-through-relu", {"body": "a = MatMul (x, w) b = Relu (a) y = MatMul (b, v)", "arrays": {"w": noise(3, 4, seed=4), "v": noise(4, 2, seed=5)}},
      {"body": "a = MatMul (x, w) b = Relu (a) y = MatMul (b, v)", "arrays": {"w": noise(3, 4, seed=4) * f32(2, 4, 0.5, 8), "v": noise(4, 2, seed=5) / f32(2, 4, 0.5, 8, shape=(4, 1))}}, "Positive factors pass a relu.",
      x="float[2, 3] x", y="float[2, 2] y", finite=True)
equal(G, "s2-batch-norm-folded", {"body": "a = Conv (x, w) y = BatchNormalization (a, s, b, m, v)", "arrays": {"w": W2, "s": f32(1, 2, -1), "b": f32(0, 1, 2), "m": f32(1, 0, -1), "v": f32(1, 4, 0.25)}},
      {"body": "y = Conv (x, w, b)", "arrays": {"w": W2 * (f32(1, 2, -1) / np.sqrt(f32(1, 4, 0.25) + 1e-5)).reshape(3, 1, 1).astype(np.float32),
                                               "b": (f32(0, 1, 2) - f32(1, 0, -1) * f32(1, 2, -1) / np.sqrt(f32(1, 4, 0.25) + 1e-5)).astype(np.float32)}},
      "Into the weights.", x="float[1, 2, 6] x", y="float[1, 3, 4] y", finite=True)

G = "numbers-alike"
equal(G, "s2-median", "a = Min (x, z) b = Min (z, w) c = Min (x, w) y = Max (a, b, c)", "a = Max (x, z) b = Max (z, w) c = Max (x, w) y = Min (a, b, c)", "The median two ways.", x="float[4] x, float[4] z, float[4] w", finite=True)
equal(G, "s2-gelu-odd-part", "a = Gelu (x) n = Neg (x) b = Gelu (n) y = Sub (a, b)", "y = Identity (x)", "x Phi(x) + x Phi(-x).", opset=20, finite=True)
equal(G, "s2-silu-odd-part", "s = Sigmoid (x) a = Mul (x, s) n = Neg (x) t = Sigmoid (n) b = Mul (x, t) y = Add (a, b)", "y = Identity (x)", "The sigmoids sum to 1.", finite=True)
equal(G, "s2-hard-swish-alike", "y = HardSwish (x)", "a = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x) y = Mul (x, a)", "Its definition.", finite=True, opset=14)
equal(G, "s2-relus-apart", "a = Relu (x) n = Neg (x) b = Relu (n) y = Sub (a, b)", "y = Identity (x)", "The part above zero less the one below.", finite=True)
equal(G, "s2-clips-apart", "a = Clip (x, c, d) y = Clip (a, e, f)", "y = Clip (x, c, f)", "Inner range 1 to 5, outer -2 to 0.5: always 0.5." , arrays={"c": np.float32(1), "d": np.float32(5), "e": np.float32(-2), "f": np.float32(0.5)}, finite=True)
equal(G, "s2-leaky-by-max", "y = LeakyRelu <alpha = 0.25> (x)", "s = Mul (x, k) y = Max (x, s)", "A slope below 1.", arrays={"k": np.float32(0.25)}, finite=True)
equal(G, "s2-floor-mirrored", "n = Neg (x) f = Floor (n) y = Neg (f)", "y = Ceil (x)", "The ceiling.", finite=True)
equal(G, "s2-nan-of-difference", "d = Sub (x, x) y = IsNaN (d)", "a = IsNaN (x) b = IsInf (x) y = Or (a, b)", "Of itself only NaN and infinities.", y="bool[4] y")
equal(G, "s2-norm-of-negative", {"body": "n = Neg (x) y = LayerNormalization (n, s, b)", "arrays": {"s": f32(1, 2, 3, 4), "b": f32(1, 0, 1, 0)}}, {"body": "y = LayerNormalization (x, s, b)", "arrays": {"s": -f32(1, 2, 3, 4), "b": f32(1, 0, 1, 0)}},
      "The mean is negated too.", x="float[3, 4] x", y="float[3, 4] y", finite=True)
equal(G, "s2-log-softmax-twice", "a = LogSoftmax (x) y = LogSoftmax (a)", "y = LogSoftmax (x)", "Its exponentials sum to 1 already.", x="float[3, 4] x", y="float[3, 4] y", finite=True)
equal(G, "s2-prelu-of-one", "y = PRelu (x, s)", "y = LeakyRelu <alpha = 0.5> (x)", "One slope.", arrays={"s": f32(0.5)})
equal(G, "s2-softmax-of-old-alike", {"body": "y = Softmax <axis = 1> (x)", "opset": 11}, {"body": "s = Shape (x) f = Flatten (x) t = Softmax (f) y = Reshape (t, s)", "opset": 13}, "All axes from the first on.", x="float[2, 2, 3] x",
      y="float[2, 2, 3] y", finite=True)
equal(G, "s2-axes-as-attribute", {"body": "y = ReduceSum <axes = [1], keepdims = 0> (x)", "opset": 11}, {"body": "y = ReduceSum <keepdims = 0> (x, k)", "opset": 13, "arrays": {"k": i64(-1)}}, "Attribute or input, from the end.",
      x="float[2, 3] x", y="float[2] y")
equal(G, "s2-einsum-of-three", "y = Einsum <equation = \"ij,jk,kl->il\"> (x, w, v)", "a = MatMul (w, v) y = MatMul (x, a)", "The second product first.", x="float[2, 3] x", y="float[2, 2] y",
      arrays={"w": noise(3, 4, seed=6), "v": noise(4, 2, seed=7)}, finite=True)
equal(G, "s2-gemm-turned", "y = Gemm <alpha = 2.0, beta = 0.5, transB = 1> (x, w, b)", {"body": "m = MatMul (x, v) y = Add (m, c)", "arrays": {"v": 2 * noise(2, 3, seed=8).T, "c": f32(0.5, 1)}}, "The numbers in the weights.",
      x="float[4, 3] x", y="float[4, 2] y", arrays={"w": noise(2, 3, seed=8), "b": f32(1, 2)}, finite=True)
equal(G, "s2-trace", "p = MatMul (x, z) d = Mul (p, k) y = ReduceSum <keepdims = 0> (d)", "p = MatMul (z, x) d = Mul (p, k) y = ReduceSum <keepdims = 0> (d)", "The trace of a product, either way.", x="float[3, 3] x, float[3, 3] z",
      y="float y", arrays={"k": np.eye(3, dtype=np.float32)}, finite=True)
equal(G, "s2-dequantized", "y = DequantizeLinear (x, s, z)", "a = Cast <to = 1> (x) b = Sub (a, f) y = Mul (b, s)", "The definition.", x="uint8[4] x", arrays={"s": np.float32(0.25), "z": np.uint8(128), "f": np.float32(128)}, ranges={"x": (0, 255)})

G = "programs-alike"
equal(G, "s2-loop-as-power", "y = Loop (n, c, x) <body = b (int64 i, bool d, float[4] v) => (bool e, float[4] w) { e = Identity (d) w = Add (v, v) }>", "y = Mul (x, k)", "Doubled three times.",
      arrays={"n": np.int64(3), "c": np.bool_(True), "k": np.float32(8)})
equal(G, "s2-loop-stops", "y = Loop (n, c, x) <body = b (int64 i, bool d, float[4] v) => (bool e, float[4] w) { e = Less (i, o) w = Add (v, v) }>", "y = Mul (x, k)", "The condition ends it after the second round.",
      arrays={"n": np.int64(100), "c": np.bool_(True), "k": np.float32(4), "o": np.int64(1)})
equal(G, "s2-scan-as-cumsum", "l, y = Scan (h, x) <num_scan_inputs = 1, body = b (float[2] a, float[2] v) => (float[2] p, float[2] q) { p = Add (a, v) q = Identity (p) }>", "y = CumSum (x, k)", "Sums as it goes.",
      x="float[3, 2] x", y="float[3, 2] y", arrays={"h": f32(0, 0), "k": np.int64(0)})
equal(G, "s2-if-of-constant", "y = If (c) <then_branch = g1 () => (float[4] p) { p = Relu (x) }, else_branch = g2 () => (float[4] q) { q = Neg (x) }>", "y = Relu (x)", "The condition is always true.", arrays={"c": np.bool_(True)})
equal(G, "s2-branches-turned", "s = ReduceSum <keepdims = 0> (x) c = Greater (s, z) y = If (c) <then_branch = g1 () => (float[4] p) { p = Relu (x) }, else_branch = g2 () => (float[4] q) { q = Neg (x) }>",
      "s = ReduceSum <keepdims = 0> (x) c = Greater (s, z) d = Not (c) y = If (d) <then_branch = g1 () => (float[4] p) { p = Neg (x) }, else_branch = g2 () => (float[4] q) { q = Relu (x) }>",
      "The other condition, and the branches exchanged.", arrays={"z": np.float32(0)})
equal(G, "s2-gru-turned", "y = GRU <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "v = Slice (x, b, e, a, t) g = GRU <hidden_size = 2> (v, w, r) y = Slice (g, b, e, a, t)", "Backwards, or the operand turned.", x="float[3, 1, 2] x",
      y="float[3, 1, 1, 2] y", arrays=REV | {"w": noise(1, 6, 2, seed=6), "r": noise(1, 6, 2, seed=7)}, finite=True)
equal(G, "s2-lstm-spelled-out", "y = LSTM <hidden_size = 2> (x, w, r)", "y = LSTM <hidden_size = 2, activations = [\"Sigmoid\", \"Tanh\", \"Tanh\"], direction = \"forward\"> (x, w, r, b)", "The defaults, and a bias of zeros.",
      x="float[3, 1, 2] x", y="float[3, 1, 1, 2] y", arrays={"w": noise(1, 8, 2, seed=6), "r": noise(1, 8, 2, seed=7), "b": np.zeros((1, 16), np.float32)}, finite=True)
equal(G, "s2-function-inlined", {"body": "y = local.f <slope = 0.25> (x)", "functions": '<domain: "local", opset_import: ["" : 18]> f <slope> (p) => (q) { a = LeakyRelu <alpha: float = @slope> (p) q = Neg (a) }', "domains": {"local": 1}},
      {"body": "a = LeakyRelu <alpha = 0.25> (x) y = Neg (a)"}, "The function written out.")
equal(G, "s2-shape-walk", "s = Shape (x) p = ReduceProd (s, o) f = Reshape <allowzero = 1> (x, p) y = Reshape <allowzero = 1> (f, s)", "y = Identity (x)", "Flat and back by its own shape.", x="float[a, b] x", y="float[a, b] y", arrays={"o": i64(0)})
equal(G, "s2-mean-by-size", "z = Concat <axis = 1> (x, h) y = ReduceMean (z, k)", "z = Concat <axis = 1> (x, h) s = ReduceSum (z, k) d = Shape <start = 1> (z) f = Cast <to = 1> (d) y = Div (s, f)", "The count is asked for, and is not 0.", x="float[2, n] x", y="float[2, 1] y", arrays={"k": i64(1), "h": f32(1, 2, shape=(2, 1))}, finite=True)

G = "never-taken"
WHERE = " y = Where (c, e, x)"
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "s2-square-of-three", "q = Mul (x, x) c = Equal (q, k)" + WHERE, "y = Identity (x)", "No square is 3, wrapping or not: squares are 0, 1 or 4 by 8.", arrays={"k": np.int32(3), "e": np.int32(7)}, **I32)
equal(G, "s2-two-in-a-row", "n = Add (x, o) q = Mul (x, n) m = BitwiseAnd (q, o) c = Equal (m, o)" + WHERE, "y = Identity (x)", "One of x and x + 1 is even, and wrapping keeps that.", arrays={"o": np.int32(1), "e": np.int32(7)}, **I32)
equal(G, "s2-cube-less-itself", "q = Mul (x, x) r = Mul (q, x) d = Sub (r, x) m = BitwiseAnd (d, o) c = Equal (m, o)" + WHERE, "y = Identity (x)", "x^3 - x is even.", arrays={"o": np.int32(1), "e": np.int32(7)}, **I32)
equal(G, "s2-even-product", "q = Mul (x, k) c = Equal (q, m)" + WHERE, "y = Identity (x)", "No multiple of 4 is 6, wrapping or not.", arrays={"k": np.int32(4), "m": np.int32(6), "e": np.int32(7)}, **I32)
equal(G, "s2-and-beyond-mask", "q = BitwiseAnd (x, k) c = Greater (q, k)" + WHERE, "y = Identity (x)", "Masked by 12 nothing is above 12.", arrays={"k": np.int32(12), "e": np.int32(7)}, **I32)
equal(G, "s2-remainder-of-five", "q = Mod (x, k) c = Equal (q, k)" + WHERE, "y = Identity (x)", "No remainder by 5 is 5.", arrays={"k": np.int32(5), "e": np.int32(7)}, **I32)
equal(G, "s2-square-below-zero", "q = Mul (x, x) c = Less (q, z)" + WHERE, "y = Identity (x)", "Of floats no square is below zero.", arrays={"z": np.float32(0), "e": np.float32(7)})
equal(G, "s2-tanh-above-one", "q = Tanh (x) c = Greater (q, z)" + WHERE, "y = Identity (x)", "tanh ends at 1.", arrays={"z": np.float32(1.5), "e": np.float32(7)})
equal(G, "s2-probability-above-one", "q = Softmax (x) c = Greater (q, z)" + WHERE, "y = Identity (x)", "No probability is above 1.5.", arrays={"z": np.float32(1.5), "e": np.float32(7)})
equal(G, "s2-relu-below-zero", "q = Relu (x) c = Less (q, z)" + WHERE, "y = Identity (x)", "Nothing is below zero after a relu.", arrays={"z": np.float32(0), "e": np.float32(7)})
equal(G, "s2-above-and-below", "a = Greater (x, z) b = Less (x, w) c = And (a, b)" + WHERE, "y = Identity (x)", "Above 2 and below 1.", arrays={"z": np.float32(2), "w": np.float32(1), "e": np.float32(7)})
equal(G, "s2-floor-above", "q = Floor (x) c = Greater (q, x)" + WHERE, "y = Identity (x)", "No floor is above its number.", arrays={"e": np.float32(7)})
equal(G, "s2-size-of-square", "s = Shape (x) q = Mul (s, s) m = Mod (q, k) t = Equal (m, l) c = Expand (t, s)" + WHERE, "y = Identity (x)", "No square is 2 by 4.", x="float[n] x", y="float[n] y",
      arrays={"k": i64(4), "l": i64(2), "e": np.float32(7)})
equal(G, "s2-byte-above-255", "q = Cast <to = 6> (x) d = Greater (q, k) c = And (d, d) y = Where (c, e, x)", "y = Identity (x)", "No byte is above 255.", x="uint8[4] x", y="uint8[4] y", arrays={"k": np.int32(255), "e": np.uint8(7)}, ranges={"x": (0, 255)})
equal(G, "s2-sum-of-bytes", "q = Cast <to = 6> (x) s = ReduceSum (q) d = Greater (s, k) y = Where (d, e, x)", "y = Identity (x)", "Four bytes sum to 1020 at most.", x="uint8[4] x", y="uint8[4] y", arrays={"k": np.int32(1020), "e": np.uint8(7)}, ranges={"x": (0, 255)})
