"""Pairs that differ at some sizes of dynamic dimensions only: 1, primes, equal or different ones, large ones, none at all."""
import numpy as np

from pair_models import different, f32, i64, ramp

G = "sizes"
X, Y = "float[N] x", "float[N] y"
ARRAYS = {"zero": i64(0), "one": i64(1), "two": i64(2), "k": i64(64), "last": i64(2 ** 31 - 1), "minus": i64(-1), "first": i64(-2 ** 31),
          "f0": f32(0), "f1": f32(1), "sixth": f32(1 / 6), "seven": i64(7), "thousand": i64(1000), "s0": np.int64(0), "s1": np.int64(1)}


def dynamic(name, a, b, size, why, **common):
    """The witness is a ramp of that size from 1 on."""
    size = size if isinstance(size, tuple) else (size,)
    different(G, name, a, b, {"x": ramp(*size, shift=1)}, why, **({"x": X, "y": Y, "arrays": ARRAYS} | common))


SHAPE = "n = Shape (x) "
dynamic("size-one-doubled", "y = Identity (x)", SHAPE + "e = Equal (n, one) t = Add (x, x) y = Where (e, t, x)", 1, "At size 1 it is doubled.")
dynamic("size-two-doubled", "y = Identity (x)", SHAPE + "e = Equal (n, two) t = Add (x, x) y = Where (e, t, x)", 2, "At size 2 it is doubled.")
dynamic("size-beyond-64", "y = Identity (x)", SHAPE + "e = Greater (n, k) t = Add (x, x) y = Where (e, t, x)", 65, "From 65 on it is doubled.")
dynamic("size-beyond-1000", "y = Identity (x)", SHAPE + "e = Greater (n, thousand) t = Add (x, x) y = Where (e, t, x)", 1009, "From 1001 on it is doubled.")
dynamic("size-odd", "y = Identity (x)", SHAPE + "m = Mod (n, two) e = Equal (m, one) i = Greater (n, one) b = And (e, i) t = Add (x, x) y = Where (b, t, x)", 7,
        "At odd sizes beyond 1 it is doubled.")
dynamic("size-multiple-of-seven", "y = Identity (x)", SHAPE + "m = Mod (n, seven) e = Equal (m, zero) t = Add (x, x) y = Where (e, t, x)", 14, "At multiples of 7 it is doubled.")
dynamic("prefix-of-64", "y = ReduceSum <keepdims = 1> (x)", "s = Slice (x, zero, k) y = ReduceSum <keepdims = 1> (s)", 100, "Elements from 64 on are left out.", y="float[1] y")
dynamic("maximum-of-64", "y = ReduceMax <keepdims = 1> (x)", "s = Slice (x, zero, k) y = ReduceMax <keepdims = 1> (s)", 100, "Elements from 64 on are left out.", y="float[1] y", opset=17)
dynamic("mean-by-six", "y = ReduceMean <keepdims = 1, axes = [0]> (x)", "s = ReduceSum <keepdims = 1> (x) y = Mul (s, sixth)", 7, "A mean of six elements.", y="float[1] y", opset=17)
dynamic("squeeze-all", "y = Squeeze (x, zero)", "y = Squeeze (x)", (1, 1), "Without axes every 1 goes.", x="float[1, N] x", y="float[M] y") 
dynamic("softmax-axis", "y = Softmax <axis = 1> (x)", "y = Softmax <axis = 0> (x)", (2, 3), "The axes.", x="float[N, M] x", y="float[N, M] y")
dynamic("triangle-of-64", "y = Identity (x)", "y = Trilu <upper = 0> (x, s)", (2, 70), "Beyond the diagonal 63 it is 0.", x="float[N, M] x", y="float[N, M] y",
        arrays={"s": np.int64(63)})
dynamic("reversed-at-size", "y = Slice (x, minus, first, zero, minus)", "y = Identity (x)", 3, "At size 1 a reversal is no change.")
dynamic("top-of-all", "v, i = TopK (x, one) y = Identity (v)", "y = Slice (x, zero, one)", 3, "The first is not the largest.", y="float[1] y")
dynamic("cumulative-sum", "y = CumSum (x, s0)", "y = CumSum <exclusive = 1> (x, s0)", 1, "Exclusive at size 1 is 0.")
dynamic("cumulative-of-64", "y = CumSum (x, s0)", "a = Slice (x, zero, k) b = CumSum (a, s0) c = Slice (x, k, last) d = CumSum (c, s0) y = Concat <axis = 0> (b, d)", 70,
        "It begins anew at 64.")
dynamic("variance-unbiased", "m = ReduceMean <axes = [0], keepdims = 1> (x) d = Sub (x, m) s = Mul (d, d) y = ReduceMean <axes = [0], keepdims = 1> (s)",
        "m = ReduceMean <axes = [0], keepdims = 1> (x) d = Sub (x, m) s = Mul (d, d) t = ReduceSum <keepdims = 1> (s) n = Shape (x) l = Sub (n, one) f = Cast <to = 1> (l) y = Div (t, f)", 3,
        "Divided by n - 1.", y="float[1] y", opset=17)
dynamic("position-modulo-64", "n = Size (x) r = Range (s0, n, s1) y = Gather (x, r)", "n = Size (x) r = Range (s0, n, s1) m = Mod (r, k) y = Gather (x, m)", 70,
        "Positions from 64 on begin again.")
dynamic("expanded-ones", "y = Identity (x)", "n = Shape (x) h = Slice (x, zero, one) y = Expand (h, n)", 5, "Only the first element is repeated; at size 1 that is all.")
dynamic("window-of-nine", "y = MaxPool <kernel_shape = [17], pads = [8, 8]> (x)", "y = MaxPool <kernel_shape = [15], pads = [7, 7]> (x)", (1, 1, 11), "From nine elements on the wider window sees more.",
        x="float[1, 1, N] x", y="float[1, 1, N] y")
dynamic("edge-pad", "p = Pad <mode = \"edge\"> (x, pads) y = Identity (p)", "p = Pad <mode = \"reflect\"> (x, pads) y = Identity (p)", 4, "The mirror image is the edge only where all is alike.",
        y="float[M] y", arrays={"pads": i64(1, 1)})
dynamic("reshape-as-transpose", "y = Transpose <perm = [1, 0]> (x)", "s = Shape (x) a, b = Split <axis = 0, num_outputs = 2> (s) t = Concat <axis = 0> (b, a) y = Reshape (x, t)", (2, 3),
        "At a size of 1 a transpose is a reshape.", x="float[N, M] x", y="float[M, N] y")
dynamic("lrn-window", "y = LRN <size = 13, alpha = 1.3, beta = 1.0, bias = 1.0> (x)", "y = LRN <size = 11, alpha = 1.1, beta = 1.0, bias = 1.0> (x)", (1, 9, 1, 1),
        "From seven channels on the wider window sees more.", x="float[1, C, 1, 1] x", y="float[1, C, 1, 1] y")

G2 = "symbols"
TWO, OUT = "float[N] x, float[M] z", "float[K] y"


def two_symbols(name, a, b, n, m, why, **common):
    different(G2, name, a, b, {"x": ramp(n, shift=1), "z": ramp(m, shift=2)}, why, **({"x": TWO, "y": OUT, "arrays": ARRAYS} | common))


two_symbols("size-of-the-other", "y = Shape (x)", "y = Shape (z)", 2, 3, "The sizes of two inputs.", y="int64[1] y")
two_symbols("mean-by-the-other", "s = ReduceSum <keepdims = 1> (x) n = Shape (x) f = Cast <to = 1> (n) y = Div (s, f)",
            "s = ReduceSum <keepdims = 1> (x) n = Shape (z) f = Cast <to = 1> (n) y = Div (s, f)", 2, 3, "Divided by the other size.", y="float[1] y")
two_symbols("cut-to-the-other", "a = Concat <axis = 0> (x, z) n = Shape (x) y = Slice (a, zero, n)", "a = Concat <axis = 0> (x, z) n = Shape (z) y = Slice (a, zero, n)", 2, 3,
            "As many as x has, or as z has.")
two_symbols("when-they-differ", "y = Identity (x)", "n = Shape (x) m = Shape (z) e = Equal (n, m) t = Neg (x) y = Where (e, x, t)", 2, 3, "Negated where the sizes differ.", y="float[N] y")
two_symbols("when-they-are-equal", "y = Identity (x)", "n = Shape (x) m = Shape (z) e = Equal (n, m) t = Neg (x) y = Where (e, t, x)", 3, 3, "Negated where the sizes agree.", y="float[N] y")
two_symbols("when-the-first-is-larger", "y = Identity (x)", "n = Shape (x) m = Shape (z) e = Greater (n, m) t = Neg (x) y = Where (e, t, x)", 5, 3, "Negated where N exceeds M.", y="float[N] y")
two_symbols("joined-order", "y = Concat <axis = 0> (x, z)", "y = Concat <axis = 0> (z, x)", 2, 3, "The order of the parts.")
two_symbols("product-beyond-100", "y = Identity (x)", "n = Shape (x) m = Shape (z) p = Mul (n, m) e = Greater (p, c) t = Neg (x) y = Where (e, t, x)", 11, 13, "Negated where N M exceeds 100.",
            y="float[N] y", arrays=ARRAYS | {"c": i64(100)})
different(G2, "broadcast-of-one", "y = Add (x, z)", "n = Shape (x) s = Slice (z, zero, one) e = Expand (s, n) y = Add (x, e)", {"x": ramp(3), "z": ramp(3, shift=1)},
          "Right where z has one element.", x="float[N] x, float[M] z", y="float[K] y", arrays=ARRAYS)
different(G2, "square-only", "y = MatMul (x, z)", "t = Transpose <perm = [1, 0]> (z) y = MatMul (x, t)", {"x": ramp(2, 2), "z": ramp(2, 2)},
          "Where z is square both run.", x="float[N, M] x, float[M, K] z", y="float[N, K] y")
different(G2, "bias-of-rows", "y = Add (x, z)", "n = Unsqueeze (z, a) y = Add (x, n)", {"x": ramp(3, 3), "z": ramp(3)}, "Where x is square both run.",
          x="float[N, M] x, float[M] z", y="float[N, M] y", arrays={"a": i64(1)})

# Nothing at all: empty reductions, empty outputs, outputs of NaN alone
G3 = "empty"
EMPTY = np.zeros(0, np.float32)
different(G3, "product-of-none", "y = ReduceProd <keepdims = 1> (x)", "n = Size (x) z = Equal (n, s0) s = ReduceSum <keepdims = 1> (x) p = ReduceProd <keepdims = 1> (x) y = Where (z, s, p)",
          {"x": EMPTY}, "The product of none is 1, the sum 0.", x=X, y="float[1] y", opset=17, arrays=ARRAYS)
different(G3, "any-of-none", "s = ReduceSum <keepdims = 1> (x) y = Greater (s, f0)", "s = ReduceSum <keepdims = 1> (x) n = Shape (x) e = Equal (n, zero) g = Greater (s, f0) y = Or (e, g)",
          {"x": EMPTY}, "Of none the second says true.", x=X, y="bool[1] y", arrays=ARRAYS)
different(G3, "shape-of-none", "n = Shape (x) y = Identity (n)", "n = Shape (x) y = Max (n, one)", {"x": EMPTY}, "A size of 0 is called 1.", x=X, y="int64[1] y", arrays=ARRAYS)
different(G3, "pad-of-none", "y = Pad (x, p, v)", "y = Pad (x, p, w)", {"x": EMPTY}, "One element of padding.", x=X, y="float[M] y",
          arrays={"p": i64(0, 1), "v": np.float32(0), "w": np.float32(1)})
different(G3, "empty-axes", "y = ReduceSum <noop_with_empty_axes = 0, keepdims = 1> (x, a)", "y = ReduceSum <noop_with_empty_axes = 1, keepdims = 1> (x, a)", {"x": ramp(3, shift=2)},
          "No axes: all, or none.", x="float[3] x", y="float[M] y", arrays={"a": np.zeros(0, np.int64)})
different(G3, "empty-output-rank", {"body": "y = Slice (x, zero, zero)", "outputs": "float[0] y"}, {"body": "a = Slice (x, zero, zero) y = Unsqueeze (a, zero)", "outputs": "float[1, 0] y"},
          {"x": ramp(3)}, "No elements, but other ranks.", x="float[3] x", arrays=ARRAYS)
different(G3, "empty-output-type", {"body": "y = Slice (x, zero, zero)", "outputs": "float[0] y"}, {"body": "a = Slice (x, zero, zero) y = Cast <to = 11> (a)", "outputs": "double[0] y"},
          {"x": ramp(3)}, "No elements, but other types.", x="float[3] x", arrays=ARRAYS)
different(G3, "empty-until-large", "g = Greater (x, h) n = Compress (x, g) y = Identity (n)", "g = Greater (x, h) n = Compress (x, g) y = Neg (n)", {"x": f32(1, 2, 200)},
          "Nothing is let through below 100.", x="float[3] x", y="float[M] y", arrays={"h": f32(100)})
different(G3, "non-zero-positions", "y = NonZero (x)", "a = Abs (x) g = Greater (a, e) f = Cast <to = 1> (g) y = NonZero (f)", {"x": f32(0.001, 0, 2)}, "Small ones are not 0.", x="float[3] x", y="int64[1, M] y",
          arrays={"e": f32(0.01)})
NANS = "s = Mul (x, x) t = Add (s, k) n = Neg (t) r = Sqrt (n) "
different(G3, "nan-hides-all", "l = Log (x) y = Add (l, a)", "l = Log (x) y = Add (l, b)", {"x": f32(1, 2, 3)}, "Negative inputs give NaN on both sides, the others do not.", x="float[3] x", y="float[3] y",
          arrays={"a": f32(0), "b": f32(1)})
different(G3, "nan-below-fifty", "d = Sub (x, k) r = Sqrt (d) y = Add (r, a)", "d = Sub (x, k) r = Sqrt (d) y = Sub (r, a)", {"x": f32(60, 70, 51)}, "NaN for all x below 50.", x="float[3] x", y="float[3] y",
          arrays={"k": f32(50), "a": f32(1)})
different(G3, "one-nan-output", "d = Sub (x, k) r = Sqrt (d) y = Identity (x) w = Add (r, a)", "d = Sub (x, k) r = Sqrt (d) y = Identity (x) w = Sub (r, a)", {"x": f32(60, 70, 51)},
          "The second output is NaN below 50.", x="float[3] x", y="float[3] y, float[3] w", arrays={"k": f32(50), "a": f32(1)})
different(G3, "infinite-both", "e = Exp (x) p = Mul (e, h) y = Add (p, a)", "e = Exp (x) p = Mul (e, h) y = Add (p, b)", {"x": f32(-200, 1, 2)}, "Infinite for all x above -80.", x="float[3] x", y="float[3] y",
          arrays={"h": f32(3e38), "a": f32(0), "b": f32(1)})
