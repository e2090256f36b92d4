"""Equal pairs that look different: norms and shares written otherwise, caches and masks by other arithmetic, wider types on the way, choices that take no number alike."""
import numpy as np

from pair_models import equal, f, f32, i64, n, noise

F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
M = dict(x="float[n, 4] x", y="float[n, 4] y", finite=True)
B = dict(x="float[4] x", y="bool[4] y")
INF = np.float32(np.inf)


C = {"zero": f(0), "one": f(1), "two": f(2), "half": f(0.5), "quarter": f(0.25), "w": f(1.5), "none": -INF, "low": f(-0.5), "a0": i64(0), "a1": i64(1), "i0": n(0), "i1": n(1), "i8": n(8), "e": f(1e-5), "big": i64(2 ** 40)}
# ---------------------------------------------------------------------------------------------------------------------------
G = "norms-alike16"
equal(G, "f16-norm-of-centred", "y = LayerNormalization <axis = 1> (x, s, b)", "m = ReduceMean (x, a1) c = Sub (x, m) y = LayerNormalization <axis = 1> (c, s, b)", "What is centred stays so.", arrays=C | {"s": f32(1, 2, 3, 4), "b": f32(0, 1, 0, 1)}, **M)
equal(G, "f16-root-norm-by-reciprocal", "q = Mul (x, x) v = ReduceMean (q, a1) a = Add (v, e) s = Sqrt (a) y = Div (x, s)", "q = ReduceSumSquare (x, a1) v = Mul (q, quarter) a = Add (v, e) s = Sqrt (a) r = Reciprocal (s) y = Mul (r, x)", "A mean of four.", arrays=C, **M)
equal(G, "f16-groups-of-all-channels", "y = InstanceNormalization (x, s, b)", "k = Reshape (x, sh) m = ReduceMean (k, a2) c = Sub (k, m) q = Mul (c, c) v = ReduceMean (q, a2) a = Add (v, e) r = Sqrt (a) d = Div (c, r) g = Mul (d, s1) h = Add (g, b1) t = Shape (x) y = Reshape (h, t)", "Each channel for itself.", x="float[n, 2, 3, 3] x", y="float[n, 2, 3, 3] y", finite=True, arrays=C | {"a2": i64(2), "sh": i64(0, 2, 9), "s": f32(1, 2), "b": f32(0.5, 1), "s1": f32(1, 2, shape=(1, 2, 1)), "b1": f32(0.5, 1, shape=(1, 2, 1))})
equal(G, "f16-shares-of-logarithms", "a = LogSoftmax <axis = 1> (x) y = Softmax <axis = 1> (a)", "y = Softmax <axis = 1> (x)", "Shifted by one number a row.", **M)
equal(G, "f16-shares-beside-first", "h = Slice (x, a0, a1, a1) d = Sub (x, h) y = Softmax <axis = 1> (d)", "y = Softmax <axis = 1> (x)", "Shifted by the first.", arrays=C, **M)
equal(G, "f16-sums-of-exponentials-in-turn", "a = ReduceLogSumExp <keepdims = 0> (x, a1) y = ReduceLogSumExp <keepdims = 0> (a, a0)", "y = ReduceLogSumExp <keepdims = 0> (x)", "Logarithms of sums of sums.", x="float[n, 4] x", y="float y", finite=True, arrays=C)
equal(G, "f16-batch-norm-by-hand", "y = BatchNormalization (x, s, b, m, v)", "c = Sub (x, m1) d = Mul (c, k1) y = Add (d, b1)", "A factor and a summand for each channel.", x="float[n, 2, 3] x", y="float[n, 2, 3] y", finite=True, arrays={"s": f32(1, 2), "b": f32(0, 1), "m": f32(1, -1), "v": f32(4, 0.25), "m1": f32(1, -1, shape=(1, 2, 1)), "b1": f32(0, 1, shape=(1, 2, 1)), "k1": f32(1 / np.sqrt(4 + 1e-5), 2 / np.sqrt(0.25 + 1e-5), shape=(1, 2, 1))})
equal(G, "f16-largest-size-by-ends", "a = Abs (x) y = ReduceMax (a)", "h = ReduceMax (x) l = ReduceMin (x) o = Neg (l) y = Max (h, o)", "From above or from below.", x="float[n] x", y="float[1] y", finite=True)

# ---------------------------------------------------------------------------------------------------------------------------
G = "masks-alike16"
HEADS = dict(x="float[n, 4] x, float[6, 4] k, float[6, 3] v", y="float[n, 3] y", finite=True)
equal(G, "f16-attention-in-two-parts", "t = Transpose <perm = [1, 0]> (k) s = MatMul (x, t) p = Softmax <axis = 1> (s) y = MatMul (p, v)",
      "k1, k2 = Split <axis = 0, num_outputs = 2> (k) v1, v2 = Split <axis = 0, num_outputs = 2> (v) t1 = Transpose <perm = [1, 0]> (k1) t2 = Transpose <perm = [1, 0]> (k2) s1 = MatMul (x, t1) s2 = MatMul (x, t2) g1 = ReduceMax (s1, a1) g2 = ReduceMax (s2, a1) g = Max (g1, g2) "
      "d1 = Sub (s1, g) d2 = Sub (s2, g) e1 = Exp (d1) e2 = Exp (d2) l1 = ReduceSum (e1, a1) l2 = ReduceSum (e2, a1) l = Add (l1, l2) o1 = MatMul (e1, v1) o2 = MatMul (e2, v2) o = Add (o1, o2) y = Div (o, l)", "Half of the keys, and the other half.", arrays=C, **HEADS)
equal(G, "f16-lower-part-by-places", "y = Trilu <upper = 0> (x)", "h = Shape <start = 0, end = 1> (x) l = Squeeze (h) r = Range (i0, l, i1) a = Unsqueeze (r, a1) b = Unsqueeze (r, a0) k = GreaterOrEqual (a, b) y = Where (k, x, zero)", "A key before its query.", x="float[n, n] x", y="float[n, n] y", arrays=C)
equal(G, "f16-last-eight", "y = Slice (x, m8, big, a0)", "h = Shape (x) d = Sub (h, e8) s = Max (d, z1) y = Slice (x, s, h, a0)", "From the eighth from behind, or from the start.", x="float[n] x", y="float[k] y", sizes=(1, 2, 7, 8, 9, 20), arrays=C | {"m8": i64(-8), "e8": i64(8), "z1": i64(0)})
equal(G, "f16-looked-up-by-product", "c = Clip (i, i0, i3) y = Gather (w, c)", "c = Clip (i, i0, i3) o = OneHot <axis = -1> (c, d, v) y = MatMul (o, w)", "A row of ones and zeros.", x="int64[n] i", y="float[n, 3] y", ranges={"i": (0, 3)}, arrays={"i0": n(0), "i3": n(3), "w": noise(4, 3), "d": n(4), "v": f32(0, 1)})
equal(G, "f16-turned-in-halves", "a, b = Split <axis = 1, num_outputs = 2> (x) m = Neg (b) r = Concat <axis = 1> (m, a) p = Mul (x, c4) q = Mul (r, s4) y = Add (p, q)", "a, b = Split <axis = 1, num_outputs = 2> (x) ac = Mul (a, c2) bs = Mul (b, s2) u = Sub (ac, bs) as = Mul (a, s2) bc = Mul (b, c2) v = Add (bc, as) y = Concat <axis = 1> (u, v)", "Cosines of both halves are alike.", arrays={"c2": np.cos(f32(0.3, 2)), "s2": np.sin(f32(0.3, 2)), "c4": np.cos(f32(0.3, 2, 0.3, 2)), "s4": np.sin(f32(0.3, 2, 0.3, 2))}, **M)
equal(G, "f16-places-from-one", "m = Clip (x, i0, i1) c = CumSum (m, i0) d = Sub (c, i1) y = Max (d, i0)", "m = Clip (x, i0, i1) c = CumSum (m, i0) d = Max (c, i1) y = Sub (d, i1)", "One less before or after.", x="int64[5] x", y="int64[5] y", arrays=C)
equal(G, "f16-place-in-ring-again", "y = Mod (x, i8)", "q = Div (x, i8) p = Mul (q, i8) a = Sub (x, p) b = Add (a, i8) y = Mod (b, i8)", "A remainder from zero on.", x="int64[5] x", y="int64[5] y", ranges={"x": (-2 ** 62, 2 ** 62)}, arrays=C)
equal(G, "f16-hidden-have-no-share", "k = Concat <axis = 0> (t, m) s = Where (k, x, none) y = Softmax <axis = 0> (s)", "k = Concat <axis = 0> (t, m) s = Where (k, x, none) p = Softmax <axis = 0> (s) q = Where (k, p, zero) d = ReduceSum (q) y = Div (q, d)", "The first is always seen.", x="float[4] x, bool[3] m", y="float[4] y", finite=True, arrays=C | {"t": np.array([True])})
equal(G, "f16-mean-of-seen", "k = Cast <to = 1> (m) u = Unsqueeze (k, a1) p = Mul (x, u) s = ReduceSum (p, a0) c = ReduceSum (u, a0) d = Max (c, one) y = Div (s, d)", "k = Cast <to = 1> (m) u = Unsqueeze (k, a0) s = MatMul (u, x) c = ReduceSum (u, a1) d = Max (c, one) r = Reciprocal (d) y = Mul (s, r)", "A row of ones and zeros times the rows.", x="float[n, 3] x, bool[n] m", y="float[1, 3] y", finite=True, arrays=C)

# ---------------------------------------------------------------------------------------------------------------------------
G = "types-alike16"
equal(G, "f16-quotient-in-wide", "y = Div (x, z)", "a = Cast <to = 1> (x) b = Cast <to = 1> (z) d = Div (a, b) y = Cast <to = 10> (d)", "24 bits are enough.", x="float16[4] x, float16[4] z", y="float16[4] y", reference=True)
equal(G, "f16-byte-and-a-half", "a = Cast <to = 1> (x) b = Add (a, half) y = Cast <to = 2> (b)", "y = Identity (x)", "Cut off again.", x="uint8[4] x", y="uint8[4] y", ranges={"x": (0, 255)}, arrays=C)
equal(G, "f16-order-of-small-integers", "a = Cast <to = 1> (x) b = Cast <to = 1> (z) y = Less (a, b)", "a = Cast <to = 6> (x) b = Cast <to = 6> (z) y = Less (a, b)", "Bytes are floats.", x="int8[4] x, int8[4] z", y="bool[4] y", ranges={"x": (-128, 127), "z": (-128, 127)})
equal(G, "f16-quantised-twice", "q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)", "q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) r = QuantizeLinear (d, s, z) y = DequantizeLinear (r, s, z)", "What is on the grid stays.", arrays={"s": f(0.125), "z": np.uint8(3)}, **FF)

# ---------------------------------------------------------------------------------------------------------------------------
G = "choices-alike16"
equal(G, "f16-logarithm-of-some", "g = Greater (x, zero) l = Log (x) y = Where (g, l, zero)", "g = Greater (x, zero) s = Where (g, x, one) y = Log (s)", "The logarithm of one.", arrays=C, **F)
equal(G, "f16-neither-below-nor-above", "a = Less (x, z) b = Greater (x, z) c = Or (a, b) y = Not (c)", "e = Equal (x, z) p = IsNaN (x) q = IsNaN (z) r = Or (p, q) y = Or (e, r)", "Equal, or one is no number.", x="float[4] x, float[4] z", y="bool[4] y")
equal(G, "f16-no-number-of-own-difference", "d = Sub (x, x) y = IsNaN (d)", "a = IsInf (x) b = IsNaN (x) y = Or (a, b)", "Infinite less infinite.", **B)
equal(G, "f16-two-steps", "a = Less (x, low) b = Less (x, half) c = Where (b, zero, one) y = Where (a, two, c)", "a = Less (x, low) b = Less (x, half) c = Where (a, two, zero) y = Where (b, c, one)", "The lower threshold first or last.", arrays=C, **F)
equal(G, "f16-steep-below", "y = LeakyRelu <alpha = 1.5> (x)", "a = Mul (x, w) y = Min (x, a)", "Steeper than one: the smaller one.", arrays=C, **FF)
equal(G, "f16-middle-of-three", "a = Max (x, z) b = Min (x, z) c = Min (a, u) y = Max (b, c)", "a = Max (x, z) b = Min (x, z) c = Max (b, u) y = Min (a, c)", "From above or from below.", x="float[4] x, float[4] z, float[4] u", y="float[4] y", finite=True)
equal(G, "f16-shrink-by-clip", "y = Shrink <lambd = 0.5, bias = 0.5> (x)", "c = Clip (x, low, half) y = Sub (x, c)", "What is clipped off is taken off.", arrays=C, **FF)
equal(G, "f16-silu-of-both", "g = Sigmoid (x) a = Mul (x, g) m = Neg (x) h = Sigmoid (m) b = Mul (m, h) y = Add (a, b)", "k = Mul (x, half) t = Tanh (k) y = Mul (x, t)", "The difference of two gates.", arrays=C, **FF)
equal(G, "f16-swish-by-gate", "y = HardSwish (x)", "h = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x) y = Mul (h, x)", "A sixth.", **FF)
equal(G, "f16-whole-by-ceil", "a = Floor (x) y = Equal (a, x)", "a = Ceil (x) y = Equal (a, x)", "A whole number is both.", **B)
equal(G, "f16-equal-by-sign", "e = Equal (x, z) y = Cast <to = 1> (e)", "d = Sub (x, z) s = Sign (d) a = Abs (s) y = Sub (one, a)", "No sign of a difference.", x="float[4] x, float[4] z", y="float[4] y", finite=True, arrays=C)
