"""Pairs that differ by an attribute, its default, or how two of them meet."""
import numpy as np

from pair_models import different, f32, i64, noise, ramp

NAN, INF = np.float32("nan"), np.float32("inf")

G = "windows"
I5 = {"x": ramp(1, 1, 5)}
I44 = {"x": ramp(1, 1, 4, 4)}
different(G, "s2-auto-pad-side", "y = Conv <auto_pad = \"SAME_UPPER\"> (x, w)", "y = Conv <auto_pad = \"SAME_LOWER\"> (x, w)", I5,
          "An even kernel leaves one pad, at the end or at the begin.", x="float[1, 1, 5] x", y="float[1, 1, 5] y", arrays={"w": f32(1, 2, shape=(1, 1, 2))})
different(G, "s2-mean-counts-pads", "y = AveragePool <kernel_shape = [3], pads = [1, 1]> (x)",
          "y = AveragePool <kernel_shape = [3], pads = [1, 1], count_include_pad = 1> (x)", {"x": ramp(1, 1, 5, shift=1)},
          "The default does not count pads.", x="float[1, 1, 5] x", y="float[1, 1, 5] y")
different(G, "s2-output-padding-or-pads", "y = ConvTranspose <strides = [2], pads = [1, 0]> (x, w)",
          "y = ConvTranspose <strides = [2], pads = [0, 1]> (x, w)", {"x": ramp(1, 1, 3, shift=1)}, "What is taken off lies at the begin or at the end.",
          x="float[1, 1, 3] x", y="float[1, 1, 6] y", arrays={"w": f32(1, 2, 3, shape=(1, 1, 3))})
different(G, "s2-output-padding-zero", "y = ConvTranspose <strides = [3], output_padding = [1]> (x, w)",
          "z = ConvTranspose <strides = [3]> (x, w) y = Pad (z, p, v)", {"x": ramp(1, 1, 3, shift=1)},
          "Output padding is computed, with the bias; here the pad is 0.5.", x="float[1, 1, 3] x", y="float[1, 1, 9] y",
          arrays={"w": f32(1, 2, shape=(1, 1, 2)), "p": i64(0, 0, 0, 0, 0, 1), "v": np.float32(0.5)})
different(G, "s2-output-padding-bias", "y = ConvTranspose <strides = [2], output_padding = [1]> (x, w, b)",
          "z = ConvTranspose <strides = [2]> (x, w, b) y = Pad (z, p)", {"x": ramp(1, 1, 3, shift=1)}, "The padded output has the bias too.",
          x="float[1, 1, 3] x", y="float[1, 1, 6] y", arrays={"w": f32(2, shape=(1, 1, 1)), "b": f32(3), "p": i64(0, 0, 0, 0, 0, 1)})
different(G, "s2-dilation-under-stride", "y = Conv <strides = [4], dilations = [2]> (x, w)", "y = Conv <strides = [4]> (x, w)", {"x": ramp(1, 1, 7, shift=1) ** 2},
          "7 elements give two positions either way.", x="float[1, 1, 7] x", y="float[1, 1, 2] y", arrays={"w": f32(1, 2, shape=(1, 1, 2))})
different(G, "s2-indices-by-columns", "z, y = MaxPool <kernel_shape = [2, 2]> (x)", "z, y = MaxPool <kernel_shape = [2, 2], storage_order = 1> (x)", I44,
          "Indices count rows or columns first.", x="float[1, 1, 4, 4] x", y="int64[1, 1, 3, 3] y")
different(G, "s2-ceil-mean", "y = AveragePool <kernel_shape = [3], strides = [2], ceil_mode = 1> (x)",
          "z = Pad (x, p) y = AveragePool <kernel_shape = [3], strides = [2]> (z)", {"x": ramp(1, 1, 6, shift=1)},
          "The last window has two elements, or two and a zero.", x="float[1, 1, 6] x", y="float[1, 1, 3] y", arrays={"p": i64(0, 0, 0, 0, 0, 1)})
different(G, "s2-group-order", "y = Conv <group = 2> (x, w)", "z = Conv <group = 2> (x, v) y = Gather <axis = 1> (z, k)", {"x": ramp(1, 4, 2, shift=1)},
          "The first two outputs of each group are exchanged, and only the groups are put back.", x="float[1, 4, 2] x", y="float[1, 4, 2] y",
          arrays={"w": noise(4, 2, 1, seed=1), "v": noise(4, 2, 1, seed=1)[[1, 0, 3, 2]], "k": i64(2, 3, 0, 1)})
different(G, "s2-grouped-as-dense", "y = Conv <group = 2> (x, w)", "y = Conv (x, v)", {"x": ramp(1, 4, 2, shift=1)},
          "The dense kernel has the second group's weights in the first one's channels.", x="float[1, 4, 2] x", y="float[1, 2, 2] y",
          arrays={"w": noise(2, 2, 1, seed=2), "v": np.concatenate([noise(2, 2, 1, seed=2), 0 * noise(2, 2, 1)], 1)})
different(G, "s2-lp-pool-order", "y = LpPool <kernel_shape = [2]> (x)", "y = LpPool <kernel_shape = [2], p = 3> (x)", {"x": ramp(1, 1, 4, shift=1)}, "p is 2 by default.",
          x="float[1, 1, 4] x", y="float[1, 1, 3] y")
different(G, "s2-global-lp", "y = GlobalLpPool (x)", "y = GlobalLpPool <p = 1> (x)", {"x": ramp(1, 1, 4, shift=1)}, "p is 2 by default.", x="float[1, 1, 4] x", y="float[1, 1, 1] y")
RES = dict(x="float[1, 1, 4] x", y="float[1, 1, 8] y", arrays={"s": f32(1, 1, 2)})
different(G, "s2-resize-corners", "y = Resize <mode = \"linear\", coordinate_transformation_mode = \"align_corners\"> (x, , s)",
          "y = Resize <mode = \"linear\"> (x, , s)", {"x": ramp(1, 1, 4)}, "Corners or half pixels.", **RES)
different(G, "s2-resize-rounding", "y = Resize <coordinate_transformation_mode = \"asymmetric\"> (x, , s)",
          "y = Resize <coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"ceil\"> (x, , s)", {"x": ramp(1, 1, 4)}, "Halves go up or down.", **RES)
different(G, "s2-resize-cubic", "y = Resize <mode = \"cubic\"> (x, , s)", "y = Resize <mode = \"cubic\", cubic_coeff_a = -0.5> (x, , s)",
          {"x": ramp(1, 1, 4, 4) ** 2}, "-0.75 is the default.",
          x="float[1, 1, 4, 4] x", y="float[1, 1, 4, 8] y", arrays={"s": f32(1, 1, 1, 2)})
different(G, "s2-resize-antialias", "y = Resize <mode = \"linear\"> (x, , s)", "y = Resize <mode = \"linear\", antialias = 1> (x, , s)",
          {"x": f32(0, 4, 0, 8, shape=(1, 1, 1, 4))}, "Antialiasing matters when a size shrinks.", x="float[1, 1, 1, 4] x", y="float[1, 1, 1, 2] y", arrays={"s": f32(1, 1, 1, 0.5)})
different(G, "s2-lrn-size", "y = LRN <size = 1, alpha = 0.5> (x)", "y = LRN <size = 3, alpha = 1.5> (x)", {"x": ramp(1, 3, 1, 1, shift=1)},
          "alpha over size is equal, the windows are not.", x="float[1, 3, 1, 1] x", y="float[1, 3, 1, 1] y")
different(G, "s2-blocks-mode", "y = DepthToSpace <blocksize = 2> (x)", "y = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)", {"x": ramp(1, 8, 1, 1)},
          "With one channel left they would agree.", x="float[1, 8, 1, 1] x", y="float[1, 2, 2, 2] y")
different(G, "s2-blocks-there-and-back", "z = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x) y = SpaceToDepth <blocksize = 2> (z)", "y = Identity (x)", {"x": ramp(1, 8, 1, 1)},
          "SpaceToDepth undoes DCR only.", x="float[1, 8, 1, 1] x", y="float[1, 8, 1, 1] y")
different(G, "s2-grid-corners", "y = GridSample (x, g)", "y = GridSample <align_corners = 1> (x, g)", {"x": ramp(1, 1, 3, 3), "g": f32(0.5, 0.25, shape=(1, 1, 1, 2))},
          "-1 and 1 are the borders or the centres of the last pixels.", x="float[1, 1, 3, 3] x, float[1, 1, 1, 2] g", y="float[1, 1, 1, 1] y", opset=16)
different(G, "s2-grid-padding", "y = GridSample <align_corners = 1> (x, g)", "y = GridSample <align_corners = 1, padding_mode = \"border\"> (x, g)",
          {"x": ramp(1, 1, 3, 3, shift=1), "g": f32(1.5, 0.25, shape=(1, 1, 1, 2))}, "Beyond the border: zero or the border.",
          x="float[1, 1, 3, 3] x, float[1, 1, 1, 2] g", y="float[1, 1, 1, 1] y", opset=16)

G = "defaults"
ACT = {"x": f32(-2, -0.5, 0.5, 2)}
for name, a, b, why in (
        ("hard-sigmoid", "y = HardSigmoid (x)", "y = HardSigmoid <alpha = 0.16666667> (x)", "0.2 is the default."),
        ("leaky", "y = LeakyRelu (x)", "y = LeakyRelu <alpha = 0.1> (x)", "0.01 is the default."),
        ("selu", "y = Selu (x)", "y = Selu <gamma = 1.0> (x)", "1.0507 is the default."),
        ("celu", "y = Celu <alpha = 2.0> (x)", "y = Elu <alpha = 2.0> (x)", "They agree for alpha 1."),
        ("gelu", "y = Gelu (x)", "y = Gelu <approximate = \"tanh\"> (x)", "Far from zero the ratio tells."),
        ("thresholded", "y = ThresholdedRelu (x)", "y = ThresholdedRelu <alpha = 0.4> (x)", "1 is the default."),
        ("shrink", "y = Shrink (x)", "y = Shrink <bias = 0.25> (x)", "0 is the default."),
        ("shrink-lambda", "y = Shrink <lambd = 0.4> (x)", "y = Shrink <lambd = 0.6> (x)", "Between 0.4 and 0.6."),
        ("hard-swish", "y = HardSwish (x)", "z = Sigmoid (x) y = Mul (x, z)", "An approximation.")):
    different(G, f"s2-{name}", a, b, {"x": f32(-4, -0.5, 0.5, 2)} if name == "gelu" else ACT, why, opset=20)
different(G, "s2-softmax-of-old", {"body": "y = Softmax (x)", "opset": 11}, {"body": "y = Softmax (x)", "opset": 13}, {"x": ramp(2, 2, 3)},
          "Until opset 12 all axes from the first on are one.", x="float[2, 2, 3] x", y="float[2, 2, 3] y")
different(G, "s2-hardmax-of-old", {"body": "y = Hardmax (x)", "opset": 11}, {"body": "y = Hardmax (x)", "opset": 13}, {"x": ramp(2, 2, 3)},
          "Until opset 12 all axes from the first on are one.", x="float[2, 2, 3] x", y="float[2, 2, 3] y")
different(G, "s2-transpose-default", "y = Transpose (x)", "y = Transpose <perm = [1, 2, 0]> (x)", {"x": ramp(2, 2, 2)}, "The default turns all axes around.",
          x="float[2, 2, 2] x", y="float[2, 2, 2] y")
different(G, "s2-no-axes-of-squares", "y = ReduceSum <noop_with_empty_axes = 0> (x, e)", "z = ReduceSum <noop_with_empty_axes = 1> (x, e) y = ReduceMax (z)",
          {"x": ramp(2, 2, shift=1)}, "No axes are all, or none.", x="float[2, 2] x", y="float[1, 1] y", arrays={"e": np.zeros(0, np.int64)})
different(G, "s2-argmax-ties", "y = ArgMax <axis = 0, keepdims = 0> (x)", "y = ArgMax <axis = 0, keepdims = 0, select_last_index = 1> (x)", {"x": f32(1, 3, 3, 0)},
          "Of equal ones the first or the last.", y="int64 y")
different(G, "s2-argmin-of-negative", "z = Neg (x) y = ArgMax <axis = 0, select_last_index = 1> (z)", "y = ArgMin <axis = 0> (x)", {"x": f32(1, 0, 0, 3)},
          "Of equal ones the last or the first.", y="int64[1] y")
different(G, "s2-top-k-least", "v, y = TopK <axis = 0> (x, k)", "z = Neg (x) v, y = TopK <axis = 0> (z, k)", {"x": f32(1, 3, 2, 0)}, "The largest are not the least.",
          y="int64[2] y", arrays={"k": i64(2)})
different(G, "s2-cumsum-exclusive", "y = CumSum (x, k)", "y = CumSum <exclusive = 1> (x, k)", {"x": f32(1, 2, 3, 4)}, "With or without itself.", arrays={"k": np.int64(0)})
different(G, "s2-cumsum-reverse", "y = CumSum <reverse = 1> (x, k)", "t = ReduceSum (x) z = CumSum (x, k) y = Sub (t, z)", {"x": f32(1, 2, 3, 4)}, "The sum from here on includes this one.", arrays={"k": np.int64(0)})
different(G, "s2-isinf-one-side", "y = IsInf (x)", "y = IsInf <detect_negative = 0> (x)", {"x": f32(1, -INF, 0, INF)}, "Only one of the infinities.", y="bool[4] y")
different(G, "s2-batch-norm-epsilon", "y = BatchNormalization (x, s, s, m, v)", "y = BatchNormalization <epsilon = 0.001> (x, s, s, m, v)", {"x": ramp(1, 2, 2)},
          "A small variance.", x="float[1, 2, 2] x", y="float[1, 2, 2] y", arrays={"s": f32(1, 1), "m": f32(0, 0), "v": f32(0.001, 1)})
different(G, "s2-mvn-axes", "y = MeanVarianceNormalization (x)", "y = MeanVarianceNormalization <axes = [1, 2, 3]> (x)", {"x": ramp(2, 1, 2, 2)},
          "By default also over the batch.", x="float[2, 1, 2, 2] x", y="float[2, 1, 2, 2] y")
different(G, "s2-trilu-default", "y = Trilu (x)", "y = Trilu <upper = 0> (x)", {"x": ramp(2, 2, shift=1)}, "Upper by default.", x="float[2, 2] x", y="float[2, 2] y")
different(G, "s2-clip-order", "z = Max (x, h) y = Min (z, l)", "z = Min (x, l) y = Max (z, h)", {"x": f32(0, 1, 2, 9)}, "The bounds are crossed.",
          arrays={"l": np.float32(1), "h": np.float32(2)})
different(G, "s2-nll-ignored", "y = NegativeLogLikelihoodLoss (x, t)", "y = NegativeLogLikelihoodLoss <ignore_index = 1> (x, t)", {"x": ramp(3, 2), "t": i64(0, 1, 1)},
          "Class 1 is left out of the mean.", x="float[3, 2] x, int64[3] t", y="float y")
different(G, "s2-loss-of-sum", "y = SoftmaxCrossEntropyLoss (x, t)", "y = SoftmaxCrossEntropyLoss <reduction = \"sum\"> (x, t)", {"x": ramp(3, 2), "t": i64(0, 1, 1)},
          "A mean by default.", x="float[3, 2] x, int64[3] t", y="float y")
different(G, "s2-one-hot-axis", "y = OneHot (x, d, v)", "y = OneHot <axis = 0> (x, d, v)", {"x": i64(0, 2, 1)[[0, 1, 0]]}, "The new axis last or first; of a square one the types agree.",
          x="int64[3] x", y="float[3, 3] y", arrays={"d": np.int64(3), "v": f32(0, 1)})
different(G, "s2-gather-elements-axis", "y = GatherElements (x, k)", "y = GatherElements <axis = 1> (x, k)", {"x": ramp(2, 2), "k": i64(1, 0, 0, 0, shape=(2, 2))},
          "Rows or columns.", x="float[2, 2] x, int64[2, 2] k", y="float[2, 2] y")
different(G, "s2-scatter-twice", "y = ScatterElements <axis = 0, reduction = \"add\"> (x, k, u)", "y = ScatterElements <axis = 0, reduction = \"max\"> (x, k, u)",
          {"x": f32(0, 0, 0, 0), "k": i64(1, 1)}, "Two updates of one element.", x="float[4] x, int64[2] k", arrays={"u": f32(1, 2)})
different(G, "s2-reverse-axes", "y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, n)", "y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, n)",
          {"x": ramp(2, 2), "n": i64(1, 2)}, "Time and batch exchanged.", x="float[2, 2] x, int64[2] n", y="float[2, 2] y")
different(G, "s2-quantize-rounding", "y = QuantizeLinear (x, s, z)", "q = Div (x, s) r = Add (q, h) f = Floor (r) y = Cast <to = 3> (f)", {"x": f32(0.5, 1.5, 2.5, -0.5)},
          "Halves go to the even one, or up.", y="int8[4] y", arrays={"s": np.float32(1), "z": np.int8(0), "h": np.float32(0.5)})
different(G, "s2-dequantize-axis", "y = DequantizeLinear (x, s, z)", "y = DequantizeLinear <axis = 0> (x, s, z)", {"x": np.ones((2, 2), np.int8)}, "Scales of columns or of rows.",
          x="int8[2, 2] x", y="float[2, 2] y", arrays={"s": f32(1, 2), "z": np.zeros(2, np.int8)})
different(G, "s2-dequantize-zero", "y = DequantizeLinear (x, s, z)", "y = DequantizeLinear (x, s)", {"x": np.array([0, 1, 128, 255], np.uint8)}, "Without a zero point it is 0.",
          x="uint8[4] x", arrays={"s": np.float32(0.5), "z": np.uint8(128)})
different(G, "s2-einsum-turned", "y = Einsum <equation = \"ij,jk->ik\"> (x, w)", "y = Einsum <equation = \"ij,kj->ik\"> (x, w)", {"x": ramp(2, 2)}, "A square weight turned.",
          x="float[2, 2] x", y="float[2, 2] y", arrays={"w": f32(1, 2, 3, 5, shape=(2, 2))})
different(G, "s2-einsum-implicit", "y = Einsum <equation = \"ba\"> (x)", "y = Identity (x)", {"x": ramp(2, 2)}, "Without an arrow the letters come out sorted.",
          x="float[2, 2] x", y="float[2, 2] y")
different(G, "s2-split-uneven", "a, b = Split <axis = 0, num_outputs = 2> (x) y = ReduceSum (b)", "a, b = Split <axis = 0> (x, s) y = ReduceSum (b)", {"x": f32(1, 2, 3, 4, 5)},
          "Of five the last part has two, not three.", x="float[5] x", y="float[1] y", arrays={"s": i64(2, 3)})
different(G, "s2-flatten-axis", "z = Flatten <axis = 2> (x) y = ReduceSum (z, o)", "z = Flatten (x) y = ReduceSum (z, o)", {"x": ramp(2, 2, 2)}, "Sums of other rows.",
          x="float[2, 2, 2] x", y="float[n, 1] y", arrays={"o": i64(1)})
different(G, "s2-eye-diagonal", "y = EyeLike (x)", "y = EyeLike <k = 1> (x)", {"x": ramp(2, 2)}, "One to the right.", x="float[2, 2] x", y="float[2, 2] y")
different(G, "s2-shape-start", "y = Shape <start = 1> (x)", "y = Shape <end = -1> (x)", {"x": np.zeros((2, 3), np.float32)}, "The last or the first size.", x="float[a, b] x", y="int64[1] y")
different(G, "s2-dropout-mask", "y, m = Dropout (x, r, t)", "z, m = Dropout (x, r, t) y = Cast <to = 1> (m)", {"x": f32(1, 2, 3, 4)}, "The mask is no result.",
          arrays={"r": np.float32(0.5), "t": np.bool_(False)})
different(G, "s2-reduce-log", "y = ReduceLogSum <keepdims = 0> (x)", "y = ReduceLogSumExp <keepdims = 0> (x)", {"x": f32(1, 2, 3, 4)}, "With and without exponentials.", y="float y")
different(G, "s2-unique-order", "y = Unique (x)", "y = Unique <sorted = 0> (x)", {"x": f32(3, 1, 3, 2)}, "Sorted, or in order of appearance.", y="float[n] y")
different(G, "s2-pad-mode", "y = Pad <mode = \"reflect\"> (x, p)", "y = Pad <mode = \"edge\"> (x, p)", {"x": f32(1, 2, 3, 4)}, "With or without the last one itself.", y="float[6] y", arrays={"p": i64(1, 1)})
different(G, "s2-pad-value", "y = Pad (x, p)", "y = Pad (x, p, v)", {"x": f32(1, 2, 3, 4)}, "0 by default.", y="float[6] y", arrays={"p": i64(1, 1), "v": np.float32(0.01)})
different(G, "s2-roi-half-pixel", "y = RoiAlign <output_height = 1, output_width = 1> (x, r, b)",
          "y = RoiAlign <output_height = 1, output_width = 1, coordinate_transformation_mode = \"output_half_pixel\"> (x, r, b)",
          {"x": ramp(1, 1, 4, 4), "r": f32(0.5, 0.5, 2.5, 2.5, shape=(1, 4))}, "Half a pixel.", x="float[1, 1, 4, 4] x, float[1, 4] r", y="float[1, 1, 1, 1] y", arrays={"b": i64(0)})
