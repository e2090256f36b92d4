"""Equal pairs that look different."""
import numpy as np

from pair_models import equal, f32, i64, noise, ramp

G = "defaults-alike"
IF = "y = If ({}) <then_branch = g1 () => (float[2] p) {{ p = {} }}, else_branch = g2 () => (float[2] q) {{ q = {} }}>"
equal(G, "f4-either-default", IF.format("c", "Relu (x)", "Neg (x)"), "d = Not (c) " + IF.format("d", "Neg (x)", "Relu (x)"), "Asked the other way; the default stays.", x="float[2] x, bool c", y="float[2] y", initializers="bool c = {1}")
equal(G, "f4-default-of-rounds", "y = Loop (n, d, x) <body = b (int64 i, bool e, int64[2] v) => (bool f, int64[2] w) { f = Identity (e) w = Add (v, k) }>", "o = Max (n, z) m = Mul (o, k) y = Add (x, m)", "So many times the number; below zero none.", x="int64[2] x, int64 n", y="int64[2] y", initializers="int64 n = {2}", arrays={"d": np.bool_(True), "k": np.int64(5), "z": np.int64(0)}, ranges={"n": (-3, 9)})
equal(G, "f4-computed-weight", {"arrays": {"k": np.float32(6)}, "body": "y = Mul (x, k)"}, {"arrays": {"l": f32(1, 2, 3)}, "body": "m = ReduceSum <keepdims = 0> (l) y = Mul (x, m)"}, "1, 2 and 3 are 6.")
equal(G, "f4-computed-axes", "y = ReduceSum <keepdims = 0> (x, k)", "s = Shape (x) r = Shape (s) o = Div (r, r) y = ReduceSum <keepdims = 0> (x, o)", "The rank by itself is 1.", x="float[2, 3] x", y="float[2] y", arrays={"k": i64(1)}, finite=True)

G = "outputs-alike"
equal(G, "f4-unique-and-back", "u, i, v, c = Unique (x) y = Gather (u, v)", "y = Identity (x)", "Each at its place again.", x="int32[6] x", y="int32[6] y", ranges={"x": (-2, 2)})
equal(G, "f4-sorted-values", "y, i = TopK (x, k)", "v, i = TopK (x, k) y = Gather (x, i)", "What is at the places.", x="float[5] x", y="float[3] y", arrays={"k": i64(3)}, finite=True)
equal(G, "f4-norm-of-mean", "z, y, v = LayerNormalization (x, s)", "y = ReduceMean (x, a)", "A further output is the mean.", x="float[2, 4] x", y="float[2, 1] y", arrays={"s": f32(1, 2, 3, 4), "a": i64(1)}, finite=True)
equal(G, "f4-gru-last-step", "a, h = GRU <hidden_size = 2> (x, w, r) y = Squeeze (h, k)", "a = GRU <hidden_size = 2> (x, w, r) l = Gather (a, m) y = Squeeze (l, k)", "The last of all steps.", x="float[3, 1, 2] x", y="float[1, 2] y", arrays={"w": noise(1, 6, 2, seed=2), "r": noise(1, 6, 2, seed=3), "k": i64(0), "m": np.int64(-1)}, finite=True)
equal(G, "f4-places-unused", "y, i = MaxPool <kernel_shape = [2], storage_order = 1> (x)", "y = MaxPool <kernel_shape = [2]> (x)", "Nobody asks for the places.", x="float[1, 1, 5] x", y="float[1, 1, 4] y", finite=True)

G = "versions-alike"
equal(G, "f4-grid-by-name", {"body": "y = GridSample <mode = \"bilinear\"> (x, g)", "opset": 16}, {"body": "y = GridSample <mode = \"linear\"> (x, g)", "opset": 20, "ir": 9}, "Another word for it.", x="float[1, 1, 3, 3] x", y="float[1, 1, 2, 2] y", arrays={"g": f32(0.1, 0.2, -0.4, 0.9, 0.3, -1, 1, 0.5, shape=(1, 2, 2, 2))}, finite=True)
equal(G, "f4-log-softmax-of-two", {"body": "y = LogSoftmax (x)", "opset": 11}, {"body": "y = LogSoftmax (x)", "opset": 13}, "Of two axes the second is the last.", x="float[2, 3] x", y="float[2, 3] y", finite=True)
equal(G, "f4-axes-of-mean", {"body": "y = ReduceMean <axes = [-1]> (x)", "opset": 13}, {"body": "y = ReduceMean (x, a)", "opset": 18, "arrays": {"a": i64(1)}}, "An attribute or an input.", x="float[2, 3] x", y="float[2, 1] y", finite=True)
equal(G, "f4-reshape-no-zero", "y = Reshape (x, s)", "y = Reshape <allowzero = 1> (x, s)", "There is no 0 in it.", x="float[2, 3] x", y="float[3, 2] y", arrays={"s": i64(3, -1)})

G = "integers-alike"
U64 = dict(x="uint64[4] x", y="uint64[4] y", ranges={"x": (0, 2 ** 63 - 1)})
equal(G, "f4-complement-of-64", "y = BitwiseNot (x)", "y = Sub (k, x)", "All ones less x.", arrays={"k": np.uint64(2 ** 64 - 1)}, **U64)
equal(G, "f4-half-by-shift", "y = Div (x, k)", "y = BitShift <direction = \"RIGHT\"> (x, l)", "No sign, no rest.", arrays={"k": np.uint64(2), "l": np.ones(4, np.uint64)}, **U64)
equal(G, "f4-top-bit-as-sign", "a = BitwiseNot (x) b = Cast <to = 7> (a) y = Less (b, z)", "y = Less (x, k)", "The complement of the lower half is below zero.", x="uint64[4] x", y="bool[4] y", arrays={"k": np.uint64(2 ** 63), "z": np.int64(0)}, ranges={"x": (0, 2 ** 63 - 1)})
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "f4-parity-by-mask", "y = Mod (x, k)", "y = BitwiseAnd (x, o)", "0 or 1, below zero too.", arrays={"k": np.int32(2), "o": np.int32(1)}, **I32)
equal(G, "f4-seven-times", "y = Mul (x, k)", "a = Mul (x, l) y = Sub (a, x)", "Eight times less once; both wrap alike.", arrays={"k": np.int32(7), "l": np.int32(8)}, **I32)
equal(G, "f4-square-of-sum-wraps", "a = Add (x, k) y = Mul (a, a)", "a = Mul (x, x) b = Mul (x, l) c = Add (a, b) y = Add (c, m)", "As numbers, so in the ring.", arrays={"k": np.int32(5), "l": np.int32(10), "m": np.int32(25)}, **I32)
equal(G, "f4-bytes-in-wide", "a = Cast <to = 6> (x) b = Add (a, k) y = Cast <to = 2> (b)", "a = Cast <to = 7> (x) b = Sub (a, l) y = Cast <to = 2> (b)", "3 more or 253 less.", x="uint8[4] x", y="uint8[4] y", arrays={"k": np.int32(3), "l": np.int64(253)}, ranges={"x": (0, 255)})
equal(G, "f4-lowest-of-both", "y = BitwiseAnd (x, k)", "a = Mod (x, l) y = Identity (a)", "The three lowest bits, below zero too.", arrays={"k": np.int32(7), "l": np.int32(8)}, **I32)

G = "halves-alike"
H = dict(x="float16[4] x, float16[4] z", y="float16[4] y", reference=True, finite=True)
equal(G, "f4-sum-in-single", "y = Add (x, z)", "a = Cast <to = 1> (x) b = Cast <to = 1> (z) c = Add (a, b) y = Cast <to = 10> (c)", "Single precision has more than twice the digits: rounded twice is rounded once.", **H)
equal(G, "f4-product-in-double", "y = Mul (x, z)", "a = Cast <to = 11> (x) b = Cast <to = 11> (z) c = Mul (a, b) y = Cast <to = 10> (c)", "The product is exact before it is rounded.", **H)
equal(G, "f4-larger-in-single", "y = Max (x, z)", "a = Cast <to = 1> (x) b = Cast <to = 1> (z) c = Max (a, b) y = Cast <to = 10> (c)", "Nothing is rounded.", **H)
equal(G, "f4-twice-in-half", "a = Add (x, x) y = Add (a, z)", "a = Mul (x, k) y = Add (a, z)", "Twice is exact, or infinite in both.", arrays={"k": np.float16(2)}, **H)
equal(G, "f4-half-order-in-single", "y = Less (x, z)", "a = Cast <to = 1> (x) b = Cast <to = 1> (z) y = Less (a, b)", "Wider numbers keep their order.", x="float16[4] x, float16[4] z", y="bool[4] y", reference=True)

G = "tables-alike"
B8 = dict(x="uint8[8] x", ranges={"x": (0, 255)})
equal(G, "f4-table-of-xor", {"arrays": {"t": (np.arange(256) ^ 85).astype(np.uint8)}, "body": "i = Cast <to = 7> (x) y = Gather (t, i)"}, {"arrays": {"k": np.uint8(85)}, "body": "y = BitwiseXor (x, k)"}, "All 256 entries.", y="uint8[8] y", **B8)
equal(G, "f4-table-of-squares", {"arrays": {"t": (np.arange(256) ** 2).astype(np.int32)}, "body": "i = Cast <to = 7> (x) y = Gather (t, i)"}, {"body": "a = Cast <to = 6> (x) y = Mul (a, a)"}, "All 256 entries.", y="int32[8] y", **B8)
equal(G, "f4-table-turned", {"arrays": {"t": ramp(256)}, "body": "i = Cast <to = 7> (x) y = Gather (t, i)"}, {"arrays": {"t": ramp(256)[::-1].copy(), "k": np.uint8(255)}, "body": "n = Sub (k, x) i = Cast <to = 7> (n) y = Gather (t, i)"}, "From behind in a table from behind.", y="float[8] y", **B8)
equal(G, "f4-table-of-signs", {"arrays": {"t": np.r_[np.arange(128), np.arange(-128, 0)].astype(np.int32)}, "body": "i = Cast <to = 7> (x) y = Gather (t, i)"}, {"body": "a = Cast <to = 3> (x) y = Cast <to = 6> (a)"}, "The upper half is below zero.", y="int32[8] y", **B8)
equal(G, "f4-one-hot-row", {"arrays": {"d": np.int64(5), "v": f32(0, 1), "w": ramp(5, 3)}, "body": "m = Mod (x, d) o = OneHot (m, d, v) y = MatMul (o, w)"}, {"arrays": {"d": np.int64(5), "w": ramp(5, 3)}, "body": "m = Mod (x, d) y = Gather (w, m)"}, "A one picks a row.", x="int64[4] x", y="float[4, 3] y")

G = "ties-alike"
equal(G, "f4-first-largest-of-doubled", "y = ArgMax (x)", "b = Cast <to = 7> (x) a = Add (b, b) y = ArgMax (a)", "Ties stay ties, and nothing wraps.", x="int32[5] x", y="int64[1] y", ranges={"x": (-1, 1)})
equal(G, "f4-least-by-complement", "y = ArgMin (x)", "n = BitwiseNot (x) y = ArgMax (n)", "The complement turns the order, without overflow.", x="int32[5] x", y="int64[1] y", ranges={"x": (-2, 2)})
equal(G, "f4-top-of-all", "v, i = TopK (x, k) y = Gather (v, z)", "y = ReduceMax <keepdims = 0> (x)", "The first of all sorted.", x="int32[5] x", y="int32 y", arrays={"k": i64(5), "z": np.int64(0)}, ranges={"x": (-2, 2)})

G = "bodies-alike"
equal(G, "f4-scan-of-columns", "h, y = Scan (z, x) <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1], body = b (float[2] a, float[2] v) => (float[2] p, float[2] q) { p = Add (a, v) q = Identity (p) }>", "y = CumSum (x, k)", "Sums from left to right.", x="float[2, 3] x", y="float[2, 3] y", arrays={"z": f32(0, 0), "k": np.int64(1)}, finite=True)
equal(G, "f4-branches-alike-inside", "s = ReduceSum <keepdims = 0> (x) c = Greater (s, z) " + IF.format("c", "Abs (x)", "Abs (x)"), "y = Abs (x)", "The same in both.", x="float[2] x", y="float[2] y", arrays={"z": np.float32(0)})
equal(G, "f4-scan-weights", "h, y = Scan (z, x) <num_scan_inputs = 1, body = b (float[2] a, float[2] v) => (float[2] p, float[2] q) { g = Mul (a, k) p = Add (g, v) q = Identity (p) }>", {"body": "y = MatMul (w, x)", "arrays": {"w": f32(1, 0, 0, 0.5, 1, 0, 0.25, 0.5, 1, shape=(3, 3))}}, "Halved with every step.", x="float[3, 2] x", y="float[3, 2] y", arrays={"z": f32(0, 0), "k": np.float32(0.5)}, finite=True)

G = "sizes-alike"
N = dict(x="float[n] x", y="float[m] y")
equal(G, "f4-tile-of-two", "y = Tile (x, k)", "y = Concat <axis = 0> (x, x)", "Twice.", arrays={"k": i64(2)}, **N)
equal(G, "f4-mean-by-size", "v = Concat <axis = 0> (x, g) y = ReduceMean (v)", "v = Concat <axis = 0> (x, g) s = Shape (v) f = Cast <to = 1> (s) q = ReduceSum (v) y = Div (q, f)", "The sum by how many.", arrays={"g": f32(1, 2)}, finite=True, **N)
equal(G, "f4-middle-from-behind", "s = Shape (x) l = Sub (s, o) h = Div (l, t) y = Gather (x, h)", "r = Slice (x, b, e, a, b) s = Shape (x) h = Div (s, t) y = Gather (r, h)", "Of two in the middle the first, from behind the second.", arrays={"o": i64(1), "t": i64(2), "b": i64(-1), "e": i64(-2 ** 63 + 1), "a": i64(0)}, **N)
equal(G, "f4-outer-table", "a = Unsqueeze (x, o) y = Mul (a, x)", "a = Unsqueeze (x, o) b = Unsqueeze (x, z) y = MatMul (a, b)", "Each with each.", x="float[n] x", y="float[n, n] y", arrays={"o": i64(1), "z": i64(0)}, finite=True)
equal(G, "f4-windows-of-all", "s = Shape (x) y = Slice (x, z, s)", "y = Slice (x, z, k)", "Up to the end.", arrays={"z": i64(0), "k": i64(2 ** 63 - 1)}, **N)
