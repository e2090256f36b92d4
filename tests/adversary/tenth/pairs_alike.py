"""Equal pairs that look different: versions, bodies, sizes, bits, whole numbers, floats, windows, resizing, places, recurrences, stores."""
import numpy as np
from onnx import TensorProto

from pair_models import equal, equal_models, f32, i64, model, noise

WIDE = (-2 ** 31, 2 ** 31 - 1)
FAR = (-2 ** 62, 2 ** 62)
I32 = dict(x="int32[4] x", y="int32[4] y", ranges={"x": WIDE})
I64 = dict(x="int64[4] x", y="int64[4] y", ranges={"x": FAR})
F = dict(x="float[4] x", y="float[4] y")
FF = F | {"finite": True}
N = dict(x="float[n] x", y="float[n] y")
ONE = dict(x="int64 x", y="int64 y")
T = np.bool_(True)


# ---------------------------------------------------------------------------------------------------------------------------
G = "interfaces-alike10"
equal(G, "f10-default-handed-on", "y = Add (x, w)", "u = Identity (w) s = Sum (u, x) y = Identity (s)", "What may be given is used either way.", x="float[4] x, float[4] w", y="float[4] y", arrays={"w": f32(1, 2, 3, 4)})
equal(G, "f10-default-not-read", "m = Mul (w, o) y = Neg (x)", "s = Size (w) y = Neg (x)", "What may be given is not used.", x="float[4] x, float[4] w", y="float[4] y", arrays={"w": f32(1, 2, 3, 4), "o": np.float32(0)})
equal(G, "f10-letter-of-length", {"inputs": "float[n] x", "outputs": "float[n] y"}, {"inputs": "float[k] x", "outputs": "float[k] y"}, "What a length is called.", body="y = Relu (x)", finite=True)
equal(G, "f10-results-by-choice", "p = Max (x, z) q = Min (x, z)", "c = Less (x, z) p = Where (c, z, x) q = Where (c, x, z)", "The larger and the smaller.", x="int32[4] x, int32[4] z", y="int32[4] p, int32[4] q", ranges={"x": WIDE, "z": WIDE})
equal(G, "f10-result-in-branch", "p = Neg (x) q = Neg (p)", "q = Identity (x) p = Neg (x)", "The second is the input.", x="int32[4] x", y="int32[4] p, int32[4] q", ranges={"x": WIDE})

# ---------------------------------------------------------------------------------------------------------------------------
G = "versions-alike10"
GN = dict(x="float[1, 4, 3] x", y="float[1, 4, 3] y", finite=True)
GB = "y = GroupNormalization <num_groups = 2> (x, s, b)"
equal(G, "f10-groups-scaled-by-channel", {"body": GB, "opset": 18, "ir": 8, "arrays": {"s": f32(1, 2), "b": f32(0, 1)}}, {"body": GB, "opset": 21, "ir": 10, "arrays": {"s": f32(1, 1, 2, 2), "b": f32(0, 0, 1, 1)}}, "A number for each group, or for each channel.", **GN)
GRID = dict(x="float[1, 1, 3, 3] x, float[1, 2, 2, 2] g", y="float[1, 1, 2, 2] y", finite=True)
equal(G, "f10-grid-mode-renamed", {"body": "y = GridSample <mode = \"bilinear\"> (x, g)", "opset": 16, "ir": 8}, {"body": "y = GridSample <mode = \"linear\"> (x, g)", "opset": 20, "ir": 9}, "The same under another name.", **GRID)
equal(G, "f10-spectrum-by-attribute-or-operand", {"body": "y = DFT <axis = 1> (x)", "opset": 17, "ir": 8}, {"body": "y = DFT (x, , a)", "opset": 20, "ir": 9, "arrays": {"a": np.int64(-2)}}, "The axis said in one or the other way.", x="float[1, 6, 1] x", y="float[1, 6, 2] y", finite=True)
equal(G, "f10-sum-axes-by-attribute", {"body": "y = ReduceSum <axes = [-1], keepdims = 0> (x)", "opset": 11, "ir": 6}, {"body": "y = ReduceSum <keepdims = 0> (x, k)", "opset": 18, "ir": 8, "arrays": {"k": i64(1)}}, "Axes as an attribute or as an operand.", x="float[2, 3] x", y="float[2] y", finite=True)
equal(G, "f10-softmax-of-two-axes", {"body": "y = Softmax (x)", "opset": 11, "ir": 6}, {"body": "y = Softmax (x)", "opset": 13, "ir": 7}, "Of two axes axis 1 is the last.", x="float[2, 3] x", y="float[2, 3] y", finite=True)
equal(G, "f10-held-by-attribute", {"body": "y = Clip <min = -1.0, max = 2.0> (x)", "opset": 6, "ir": 4}, {"body": "a = Max (x, l) y = Min (a, h)", "opset": 18, "ir": 8, "arrays": {"l": np.float32(-1), "h": np.float32(2)}}, "Held between two.", **FF)
equal(G, "f10-dropout-of-old", {"body": "y = Dropout <ratio = 0.5> (x)", "opset": 10, "ir": 5}, {"body": "y = Dropout (x, r)", "opset": 13, "ir": 7, "arrays": {"r": np.float32(0.25)}}, "Nothing is dropped where nothing is trained.", **F)
equal(G, "f10-power-by-half-step", {"body": "y = Pow (x, k)", "opset": 7, "ir": 4, "arrays": {"k": np.float32(2)}}, {"body": "y = Pow (x, k)", "opset": 15, "ir": 8, "arrays": {"k": np.int64(2)}}, "A whole exponent of another kind.", **FF)
equal(G, "f10-any-by-counting", {"body": "y = ReduceMax <keepdims = 0> (x)"}, {"body": "c = Cast <to = 6> (x) s = ReduceSum <keepdims = 0> (c) y = Cast <to = 9> (s)"}, "Whether any is true.", x="bool[7] x", y="bool y", opset=20, ir=9)
FD = "<domain: \"own\", opset_import: [\"\" : 18]>\nf <k: float = {}> (a) => (b) {{ b = LeakyRelu <alpha: float = @k> (a) }}"
equal(G, "f10-said-or-by-default", {"functions": FD.format(0.25), "body": "y = own.f (x)"}, {"functions": FD.format(0.75), "body": "y = own.f <k = 0.25> (x)"}, "What one says the other takes by default.", domains={"own": 1}, **FF)
FA = "<domain: \"own\", opset_import: [\"\" : 18]>\nf (a, b) => (c, d) { c = Add (a, b) d = Sub (a, b) }"
equal(G, "f10-second-result-of-function", {"functions": FA, "body": "p, q = own.f (x, z) y = Mul (p, q)", "domains": {"own": 1}}, {"body": "a = Mul (x, x) b = Mul (z, z) y = Sub (a, b)"}, "The difference of squares, wrapped too.", x="int32[4] x, int32[4] z", y="int32[4] y", ranges={"x": WIDE, "z": WIDE})

# ---------------------------------------------------------------------------------------------------------------------------
G = "bodies-alike10"
BN = {"t": T, "one": np.int64(1), "two": np.int64(2), "three": np.int64(3), "zero": np.int64(0)}
PAIRL = "p, q = Loop (n, t, x, z) <body = bd (int64 i, bool d, int64 a, int64 b) => (bool e, int64 a1, int64 b1) {{ e = Identity (d) {} }}> y = Identity (q)"
XZ1 = dict(x="int64 x, int64 z", y="int64 y", ranges={"x": FAR, "z": FAR})
equal(G, "f10-sums-of-last-two", PAIRL.format("a1 = Identity (b) b1 = Add (a, b)"), "a = Mul (x, k5) b = Mul (z, k8) y = Add (a, b)", "Five rounds of it: 5 and 8 times.", arrays=BN | {"n": np.int64(5), "k5": np.int64(5), "k8": np.int64(8)}, **XZ1)
DBL = "a0 = Mod (x, hund) s = Add (a0, one) y = Loop (m{}, t, s) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) {{ w = Add (v, v) e = Less (w, lim) }}>"
equal(G, "f10-rounds-enough", DBL.format(10), DBL.format(99), "Doubled to a thousand: ten rounds are enough.", arrays=BN | {"m10": np.int64(10), "m99": np.int64(99), "hund": np.int64(100), "lim": np.int64(1000)}, **ONE)
PROD = "y0 = Loop (m, t, one) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) f = Sub (x, i) w = Mul (v, f) }> y = Add (x, y0)"
equal(G, "f10-sixty-six-in-row", PROD, "y = Identity (x)", "66 in a row have 64 factors of two.", arrays=BN | {"m": np.int64(66)}, ranges={"x": FAR}, **ONE)
IFC = "c = {0} (x, z) y = If (c) <then_branch = a () => (int64 p) {{ p = {1} (x, z) }}, else_branch = b () => (int64 q) {{ q = {2} (x, z) }}>"
equal(G, "f10-branches-turned-with-question", IFC.format("Less", "Add", "Mul"), IFC.format("GreaterOrEqual", "Mul", "Add"), "Of whole numbers one of both holds.", **XZ1)
equal(G, "f10-branches-same-at-border", IFC.format("Less", "Sub", "BitwiseXor").replace("BitwiseXor", "Sub"), "y = Sub (x, z)", "Both branches are the same.", **XZ1)
IFM = "c = {0} (x, z) y = If (c) <then_branch = a () => (int64 p) {{ p = Sub (z, x) }}, else_branch = b () => (int64 q) {{ q = Sub (x, z) }}>"
equal(G, "f10-border-in-either-branch", IFM.format("Less"), IFM.format("LessOrEqual"), "At the border the difference is 0 either way.", **XZ1)
SCAN = "h, y = Scan (s0, {}) <num_scan_inputs = 1{}, body = b (float a, float p) => (float a1, float o) {{ m = Mul (a, k) a1 = Add (m, p) o = Identity (a1) }}>"
SA = {"s0": np.float32(0), "k": np.float32(0.5), "m1": i64(-1), "far": i64(-99), "ax": i64(0)}
equal(G, "f10-turned-by-hand-or-by-scan", SCAN.format("x", ", scan_input_directions = [1], scan_output_directions = [1]"), "r = Slice (x, m1, far, ax, m1) h, y0 = " + SCAN.format("r", "")[7:] + " y = Slice (y0, m1, far, ax, m1)", "From behind.", arrays=SA, **F)
equal(G, "f10-decaying-sum-by-matrix", SCAN.format("x", ""), "y = MatMul (w, x)", "A triangle of powers of one half.", arrays=SA | {"w": np.array([[0.5 ** (i - j) if j <= i else 0 for j in range(4)] for i in range(4)], np.float32)}, **FF)
AXS = "h, y = Scan (s0, {}) <num_scan_inputs = 1{}, body = b (int32[3] a, int32[3] p) => (int32[3] a1, int32[3] o) {{ a1 = Add (a, p) o = Identity (a1) }}>"
M33 = dict(x="int32[3, 3] x", y="int32[3, 3] y", ranges={"x": WIDE})
equal(G, "f10-columns-by-turning", AXS.format("x", ", scan_input_axes = [1], scan_output_axes = [1]"), "r = Transpose (x) h, y0 = " + AXS.format("r", "")[7:] + " y = Transpose (y0)", "Along, or down what is turned.", arrays={"s0": np.zeros(3, np.int32)}, **M33)
equal(G, "f10-sums-along-by-scan", AXS.format("x", ", scan_input_axes = [-1], scan_output_axes = [-1]"), "y = CumSum (x, a)", "Running sums of rows.", arrays={"s0": np.zeros(3, np.int32), "a": np.int64(1)}, **M33)
equal(G, "f10-places-collected", "n = Size (x) a, y = Loop (n, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w, int64 o) { e = Identity (d) w = Add (v, one) o = Mul (i, i) }>", "n = Size (x) r = Range (zero, n, one) y = Mul (r, r)", "The squares of the places.", x="float[n] x", y="int64[m] y", arrays=BN)
equal(G, "f10-question-that-goes-on", "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, i) e = Less (i, big) }>", "y = Add (x, k)", "Counted to ten: 0 to 9, and whether to go on is always yes.", arrays=BN | {"m": np.int64(10), "k": np.int64(45), "big": np.int64(50)}, ranges={"x": FAR}, **ONE)
equal(G, "f10-stopped-at-first", "y = Loop (m, t, x) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w) { w = Add (v, one) e = Less (i, zero) }>", "y = Add (x, one)", "One round, and no more.", arrays=BN | {"m": np.int64(10)}, ranges={"x": FAR}, **ONE)
DIVS = "a0 = Abs (x) a1 = Mod (a0, k) n = Add (a1, one) c, f = Loop (n, t, zero) <body = bd (int64 i, bool d, int64 v) => (bool e, int64 w, int64 o) { e = Identity (d) j = Add (i, one) r = Mod (n, j) g = Equal (r, zero) o = Cast <to = 7> (g) w = Add (v, o) }> "
equal(G, "f10-odd-count-of-divisors", DIVS + "y = Mod (c, two)", "a0 = Abs (x) a1 = Mod (a0, k) n = Add (a1, one) m = Unsqueeze (n, zz) e = Equal (m, sq) f = Cast <to = 7> (e) y = ReduceMax <keepdims = 0> (f)", "Squares alone have an odd number of divisors.", arrays=BN | {"k": np.int64(200), "sq": np.arange(1, 15, dtype=np.int64) ** 2, "zz": i64(0)}, ranges={"x": (0, 300)}, **ONE)
equal(G, "f10-branch-by-length", "n = Size (x) c = Greater (n, zero) y = If (c) <then_branch = a () => (float p) { p = ReduceSum <keepdims = 0> (x) }, else_branch = b () => (float q) { q = Constant <value_float = 0.0> () }>", "y = ReduceSum <keepdims = 0> (x)", "The sum of none is 0.", x="float[n] x", y="float y", arrays=BN, sizes=(0, 1, 3), finite=True)

# ---------------------------------------------------------------------------------------------------------------------------
G = "sizes-alike10"
SZ = {"m1": i64(-1), "m3": i64(-3), "far": i64(-2 ** 40), "ax": i64(0), "m2": i64(-2), "z": i64(0), "end": i64(2 ** 40), "p2": i64(2), "p1": i64(1), "three": i64(3)}
equal(G, "f10-last-three-at-most", "y = Slice (x, m3, end)", "s = Shape (x) b0 = Sub (s, three) b = Max (b0, z) y = Slice (x, b, end)", "Never before the first.", x="float[n] x", y="float[m] y", arrays=SZ)
equal(G, "f10-every-second-of-turned", "y = Slice (x, m1, far, ax, m2)", "a = Slice (x, m1, far, ax, m1) y = Slice (a, z, end, ax, p2)", "Turned first, then every second.", x="float[n] x", y="float[m] y", arrays=SZ)
equal(G, "f10-row-turned-by-shape", "s = Shape (x) n, m = Split <axis = 0, num_outputs = 2> (s) r = Concat <axis = 0> (m, n) y = Reshape <allowzero = 1> (x, r)", "y = Transpose (x)", "Of one row.", x="float[1, m] x", y="float[m, 1] y")
equal(G, "f10-spread-both-ways", "y = Add (x, z)", "s = Shape (x) q = Shape (z) u = Expand (x, q) v = Expand (z, s) y = Add (u, v)", "Each made as large as both.", x="float[n, 1] x, float[m] z", y="float[n, m] y", finite=True)
equal(G, "f10-upper-and-lower", "y = Trilu (x)", "l = Trilu <upper = 0> (x, k) y = Sub (x, l)", "What is not below is above.", x="int64[n, m] x", y="int64[n, m] y", arrays={"k": np.int64(-1)}, ranges={"x": FAR})
equal(G, "f10-same-either-side-of-odd", "y = MaxPool <kernel_shape = [3], auto_pad = \"SAME_UPPER\"> (x)", "y = MaxPool <kernel_shape = [3], auto_pad = \"SAME_LOWER\"> (x)", "Step by step the border is one on both sides.", x="float[1, 1, n] x", y="float[1, 1, n] y", finite=True)
equal(G, "f10-no-rest-in-steps-of-one", "y = MaxPool <kernel_shape = [2], ceil_mode = 1> (x)", "y = MaxPool <kernel_shape = [2]> (x)", "Steps of one leave no rest.", x="float[1, 1, n] x", y="float[1, 1, m] y", finite=True, sizes=(2, 3, 5))
equal(G, "f10-sum-of-rows-of-rest", "s = Shape (x) h = Div (s, p2) a = Slice (x, z, h) b = Slice (x, h, s) c = ReduceSum <keepdims = 0> (a) d = ReduceSum <keepdims = 0> (b) y = Add (c, d)", "y = ReduceSum <keepdims = 0> (x)", "Two halves, of which one may be empty.", x="float[n] x", y="float y", arrays=SZ, finite=True)
equal(G, "f10-mean-over-equal-blocks", "s = Reshape (x, r) a = ReduceMean (s, p1) y = ReduceMean <keepdims = 0> (a)", "y = ReduceMean <keepdims = 0> (x)", "The mean of means of blocks as long.", x="float[12] x", y="float y", arrays={"r": i64(3, 4), "p1": i64(1)}, finite=True)
equal(G, "f10-length-from-product", "a = Mul (x, o) b = Cast <to = 9> (a) c = Not (b) d = Cast <to = 7> (c) y = ReduceSum <keepdims = 0> (d)", "y = Size (x)", "As many zeros as places.", x="int64[n, m] x", y="int64 y", arrays={"o": np.int64(0)})
equal(G, "f10-flat-by-two-ways", "y = Flatten <axis = -1> (x)", "s = Shape (x) l = Slice (s, m1, end) r = Concat <axis = 0> (m1, l) y = Reshape (x, r)", "All but the last axis together.", x="float[a, b, 3] x", y="float[k, 3] y", arrays=SZ)
equal(G, "f10-repeated-by-spreading", "y = Tile (x, p2)", "u = Unsqueeze (x, z) e = Expand (u, s) y = Reshape (e, m1)", "Round again.", x="float[n] x", y="float[m] y", arrays={"p2": i64(2), "z": i64(0), "s": i64(2, 1), "m1": i64(-1)})
equal(G, "f10-split-and-joined", "a, b, c = Split <axis = 0, num_outputs = 3> (x) y = Concat <axis = 0> (a, b, c)", "y = Identity (x)", "Parts in their order.", x="float[7] x", y="float[7] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "bits-alike10"
MB = {"one": np.int32(1), "two": np.int32(2), "m31": np.int32(2 ** 31 - 1), "zero": np.int32(0)}
X2 = dict(x="int32[4] x, int32[4] z", y="int32[4] y", ranges={"x": WIDE, "z": WIDE})
B2 = dict(x="int32[4] x, int32[4] z", y="bool[4] y", ranges={"x": (-3, 3), "z": (-3, 3)})
equal(G, "f10-carries-cut-at-top", "y = Add (x, z)", "a = BitwiseXor (x, z) b0 = BitwiseAnd (x, z) b = BitwiseAnd (b0, m31) c = Mul (b, two) y = Add (a, c)", "The carry of the top is lost anyway.", arrays=MB, **X2)
equal(G, "f10-difference-by-borrows", "y = Sub (x, z)", "n = BitwiseNot (x) a = BitwiseXor (x, z) b = BitwiseAnd (n, z) c = Mul (b, two) y = Sub (a, c)", "Without carry, less twice what is borrowed.", arrays=MB, **X2)
equal(G, "f10-product-by-and-or", "y = Mul (x, z)", "a = BitwiseAnd (x, z) o = BitwiseOr (x, z) nz = BitwiseNot (z) nx = BitwiseNot (x) b = BitwiseAnd (x, nz) c = BitwiseAnd (nx, z) p = Mul (a, o) q = Mul (b, c) y = Add (p, q)", "The common bits times all, and what each has alone.", **X2)
equal(G, "f10-or-less-and", "a = BitwiseOr (x, z) b = BitwiseAnd (x, z) y = Sub (a, b)", "y = BitwiseXor (x, z)", "Bits of one alone.", **X2)
equal(G, "f10-opposite-by-complement", "n = BitwiseNot (x) y = Add (n, one)", "y = Neg (x)", "All bits turned, and one.", arrays=MB, **I32)
equal(G, "f10-next-by-two-opposites", "n = BitwiseNot (x) y = Neg (n)", "y = Add (x, one)", "The opposite of the complement.", arrays=MB, **I32)
equal(G, "f10-lowest-bit", "n = Neg (x) y = BitwiseAnd (x, n)", "p = Sub (x, one) q = BitwiseAnd (x, p) y = Sub (x, q)", "What goes away with one less.", arrays=MB, **I32)
equal(G, "f10-twice-square-and-number", "a = Mul (x, x) b = Mul (a, two) c = Add (b, x) d = Mul (z, z) e = Mul (d, two) f = Add (e, z) y = Equal (c, f)", "y = Equal (x, z)", "2 x^2 + x meets each number once.", arrays=MB, **B2)
SHR = "a{0} = BitShift <direction = \"RIGHT\"> (x, s{0}) b{0} = BitwiseXor (x, a{0}) c{0} = BitShift <direction = \"RIGHT\"> (b{0}, s{0}) y = BitwiseXor (b{0}, c{0})"
U32 = dict(x="uint32[4] x", y="uint32[4] y", ranges={"x": (0, 2 ** 32 - 1)})
equal(G, "f10-mixed-and-undone", SHR.format(16), "y = Identity (x)", "Shifted by half and mixed in, twice.", arrays={"s16": np.uint32(16)}, **U32)
INVK = pow(0x85EBCA6B, -1, 2 ** 32)
equal(G, "f10-factor-undone", "a = Mul (x, k) b = Add (a, c) d = Sub (b, c) y = Mul (d, q)", "y = Identity (x)", "An odd factor has an inverse.", arrays={"k": np.uint32(0x85EBCA6B), "q": np.uint32(INVK), "c": np.uint32(12345)}, **U32)
equal(G, "f10-turned-word", "a = BitShift <direction = \"LEFT\"> (x, s5) b = BitShift <direction = \"RIGHT\"> (x, s27) r = BitwiseOr (a, b) c = BitShift <direction = \"LEFT\"> (r, s27) d = BitShift <direction = \"RIGHT\"> (r, s5) y = BitwiseOr (c, d)", "y = Identity (x)", "Turned by 5 and by 27.", arrays={"s5": np.uint32(5), "s27": np.uint32(27)}, **U32)
equal(G, "f10-ten-bytes-in-row", "".join(f"d{i} = Sub (x, c{i}) " for i in range(10)) + "p1 = Mul (d0, d1) " + "".join(f"p{i} = Mul (p{i - 1}, d{i}) " for i in range(2, 10)) + "y = Add (x, p9)", "y = Identity (x)", "10 numbers in a row have eight factors of two.", x="uint8[4] x", y="uint8[4] y", ranges={"x": (0, 255)}, arrays={f"c{i}": np.uint8(i) for i in range(10)}, reference=True)
equal(G, "f10-exclusive-or-thrice", "a = BitwiseXor (x, z) b = BitwiseXor (a, z) y = BitwiseXor (a, b)", "y = Identity (z)", "Exchanged without a third place.", **X2)
equal(G, "f10-order-moved-by-half", "a = Cast <to = 12> (x) b = Cast <to = 12> (z) c = BitwiseXor (a, h) d = BitwiseXor (b, h) y = Less (c, d)", "y = Less (x, z)", "The sign turned, without a sign.", x="int32[4] x, int32[4] z", y="bool[4] y", ranges={"x": WIDE, "z": WIDE}, arrays={"h": np.uint32(2 ** 31)})
equal(G, "f10-middle-by-common-bits", "a = Cast <to = 6> (x) b = Cast <to = 6> (z) s = Add (a, b) d = Div (s, two) y = Cast <to = 2> (d)", "a = BitwiseAnd (x, z) b = BitwiseXor (x, z) h = BitShift <direction = \"RIGHT\"> (b, s1) y = Add (a, h)", "Of two bytes, without a ninth bit.", x="uint8[5] x, uint8[5] z", y="uint8[5] y", ranges={"x": (0, 255), "z": (0, 255)}, arrays=MB | {"s1": np.uint8(1)})
equal(G, "f10-majority-by-exclusive-or", "ab = And (a, b) bc = And (b, c) ca = And (c, a) p = Or (ab, bc) y = Or (p, ca)", "ab = Xor (a, b) cb = Xor (c, b) o = And (ab, cb) y = Xor (o, b)", "b unless both others differ from it.", x="bool[8] a, bool[8] b, bool[8] c", y="bool[8] y")
equal(G, "f10-parity-by-sum", "a = Slice (x, k0, k3) b = Slice (x, k3, k6) c = Xor (a, b) p, q, r = Split <axis = 0, num_outputs = 3> (c) s = Xor (p, q) y = Xor (s, r)", "i = Cast <to = 6> (x) s = ReduceSum (i) m = Mod (s, two) y = Cast <to = 9> (m)", "Whether an odd number is true.", x="bool[6] x", y="bool[1] y", arrays=MB | {"k0": i64(0), "k3": i64(3), "k6": i64(6)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "numbers-alike10"
CN = {"one": np.int64(1), "two": np.int64(2), "zero": np.int64(0), "three": np.int64(3), "four": np.int64(4), "six": np.int64(6), "seven": np.int64(7), "nine": np.int64(9), "ten": np.int64(10), "k": np.int64(1000), "k16": np.int64(65535)}
L = dict(x="int64[4] x", y="int64[4] y", ranges={"x": FAR})
equal(G, "f10-cubes-up-to", "n = BitwiseAnd (x, k16) m = Add (n, one) p = Mul (n, m) h = Div (p, two) y = Mul (h, h)", "n = BitwiseAnd (x, k16) m = Add (n, one) a = Mul (n, n) b = Mul (m, m) c = Mul (a, b) y = Div (c, four)", "The sum of cubes is the square of the sum.", arrays=CN | {"k16": np.int64(32767)}, **L)
equal(G, "f10-three-in-row-by-six", "n = BitwiseAnd (x, k16) a = Add (n, one) b = Add (n, two) p = Mul (n, a) q = Mul (p, b) y = Mod (q, six)", "y = Sub (x, x)", "Six divides three numbers in a row.", arrays=CN, **L)
equal(G, "f10-square-modulo-four", "q = Mul (x, x) y = BitwiseAnd (q, three)", "y = BitwiseAnd (x, one)", "0 or 1, wrapped too.", arrays=CN, **L)
equal(G, "f10-odd-square-modulo-eight", "a = BitwiseOr (x, one) q = Mul (a, a) y = BitwiseAnd (q, seven)", "o = Mul (x, zero) y = Add (o, one)", "Of an odd number it is 1.", arrays=CN, **L)
equal(G, "f10-remainder-of-nine-by-digits", "n = Mod (x, k) a = Div (n, c) r = Mod (n, c) b = Div (r, ten) d = Mod (r, ten) s = Add (a, b) t = Add (s, d) y = Mod (t, nine)", "n = Mod (x, k) y = Mod (n, nine)", "The sum of three digits.", arrays=CN | {"c": np.int64(100)}, **L)
equal(G, "f10-down-by-cut-and-sign", "m = Mod (x, four) d = Sub (x, m) y = Div (d, four)", "m = Mod <fmod = 1> (x, four) l = Less (m, zero) i = Cast <to = 6> (l) q = Div (x, four) y = Sub (q, i)", "Down, not towards zero.", arrays={"four": np.int32(4), "zero": np.int32(0)}, **I32)
equal(G, "f10-remainders-together", "a = Mod (x, three) b = Mod (x, four) c = Mul (a, four) d = Mul (b, nine) e = Add (c, d) y = Mod (e, twelve)", "y = Mod (x, twelve)", "From 3 and 4 to 12, as in China.", arrays=CN | {"twelve": np.int64(12)}, **L)
equal(G, "f10-weekday-of-year", "n = Mod (x, k) a = Div (n, four) b = Div (n, c) d = Div (n, fh) s = Add (n, a) t = Sub (s, b) u = Add (t, d) y = Mod (u, seven)", "n = Mod (x, k) r = Mod (n, fh) a = Div (r, four) b = Div (r, c) s = Add (r, a) t = Sub (s, b) y = Mod (t, seven)", "400 years are whole weeks.", arrays=CN | {"k": np.int64(9999), "c": np.int64(100), "fh": np.int64(400)}, **L)
equal(G, "f10-squares-of-four-in-row", "a = Add (x, one) b = Add (x, two) c = Add (x, three) aa = Mul (a, a) bb = Mul (b, b) cc = Mul (c, c) xx = Mul (x, x) p = Sub (xx, aa) q = Sub (cc, bb) y = Add (p, q)", "o = Mul (x, zero) y = Add (o, four)", "It is always four.", arrays=CN, **L)
equal(G, "f10-power-of-two-by-last-bit", "p = Sub (x, one) q = BitwiseAnd (x, p) a = Equal (q, zero) b = Greater (x, zero) y = And (a, b)", "u = Unsqueeze (x, ax) e = Equal (u, pw) f = Cast <to = 7> (e) s = ReduceSum <keepdims = 0> (f, ax) y = Cast <to = 9> (s)", "One of 63 numbers.", x="int64[4] x", y="bool[4] y", ranges={"x": (-4, 70)}, arrays=CN | {"ax": i64(1), "pw": 2 ** np.arange(63, dtype=np.int64)})
equal(G, "f10-digits-within-half", "m = Mod (x, k) h = Cast <to = 10> (m) y = Cast <to = 6> (h)", "y = Mod (x, k)", "Up to 2047 a half has all.", arrays={"k": np.int32(2048)}, **I32)
equal(G, "f10-digits-within-single", "m = Mod (x, k) h = Cast <to = 1> (m) y = Cast <to = 7> (h)", "y = Mod (x, k)", "Up to 2^24 a single has all.", arrays={"k": np.int64(2 ** 24 + 1)}, **L)
QZ = "f = Cast <to = 1> (x) d = Mul (f, h) "
equal(G, "f10-even-zero-point", QZ + "q = QuantizeLinear (d, s, z) y = Cast <to = 6> (q)", QZ + "a = Add (d, zf) r = Round (a) y = Cast <to = 6> (r)", "A half and 128 goes to the same even one.", x="int8[5] x", y="int32[5] y", ranges={"x": (-128, 127)}, arrays={"h": np.float32(0.5), "s": np.float32(1), "z": np.uint8(128), "zf": np.float32(128)})
equal(G, "f10-bytes-and-half-steps", QZ + "a = Round (d) n = Neg (d) b = Round (n) y = Add (a, b)", "f = Cast <to = 1> (x) y = Sub (f, f)", "Rounding to even is the same on both sides.", x="int8[5] x", y="float[5] y", ranges={"x": (-128, 127)}, arrays={"h": np.float32(0.5)})
equal(G, "f10-whole-above-by-below", "n = Neg (x) f = Floor (n) y = Neg (f)", "y = Ceil (x)", "Up is down of the opposite.", **F)
equal(G, "f10-not-itself", "c = Equal (x, x) y = Not (c)", "y = IsNaN (x)", "What is no number alone.", x="float[4] x", y="bool[4] y")
equal(G, "f10-neither-above-nor-at-or-below", "a = Greater (x, k) b = LessOrEqual (x, k) c = Or (a, b) y = Not (c)", "y = IsNaN (x)", "What is no number alone.", x="float[4] x", y="bool[4] y", arrays={"k": np.float32(2)})
equal(G, "f10-finite-by-difference", "d = Sub (x, x) y = IsNaN (d)", "a = IsNaN (x) b = IsInf (x) y = Or (a, b)", "Infinity less itself is no number.", x="float[4] x", y="bool[4] y")

# ---------------------------------------------------------------------------------------------------------------------------
G = "floats-alike10"
equal(G, "f10-soft-both-ways", "a = Softplus (x) n = Neg (x) b = Softplus (n) y = Sub (a, b)", "y = Identity (x)", "What both differ by.", **FF)
equal(G, "f10-logistic-both-ways", "a = Sigmoid (x) n = Neg (x) b = Sigmoid (n) p = Mul (a, b) y = Add (a, b)", "o = Mul (x, z) y = Add (o, one)", "Together one.", arrays={"z": np.float32(0), "one": np.float32(1)}, **FF)
equal(G, "f10-mish-by-parts", "c = Clip (x, l, h) y = Mish (c)", "c = Clip (x, l, h) e = Exp (c) o = Add (e, one) q = Mul (o, o) u = Sub (q, one) v = Add (q, one) d = Div (u, v) y = Mul (c, d)", "The hyperbolic tangent of a logarithm.", arrays={"one": np.float32(1), "l": np.float32(-4), "h": np.float32(8)}, **FF)
equal(G, "f10-celu-of-scaled", "y = Celu <alpha = 2.0> (x)", "h = Mul (x, half) e = Elu (h) y = Mul (e, two)", "Twice as wide and high.", arrays={"half": np.float32(0.5), "two": np.float32(2)}, **FF)
equal(G, "f10-selu-by-elu", "y = Selu <alpha = 1.5, gamma = 2.0> (x)", "e = Elu <alpha = 1.5> (x) y = Mul (e, g)", "A factor.", arrays={"g": np.float32(2)}, **FF)
equal(G, "f10-largest-of-shifted", "c = Clip (x, lo, hi) m = ReduceMax (c) s = Sub (c, m) e = Exp (s) t = ReduceSum (e) l = Log (t) y = Add (l, m)", "c = Clip (x, lo, hi) y = ReduceLogSumExp (c)", "The largest taken off first.", x="float[4] x", y="float[1] y", finite=True, arrays={"lo": np.float32(-20), "hi": np.float32(20)})
equal(G, "f10-shifted-along-own-axis", "a = Add (x, c) y = Softmax <axis = 1> (a)", "y = Softmax <axis = 1> (x)", "The same for all of a row.", x="float[2, 3] x", y="float[2, 3] y", finite=True, arrays={"c": f32(3, -2, shape=(2, 1))})
equal(G, "f10-slope-by-two-sides", "p = Relu (x) n = Neg (x) q = Relu (n) r = Mul (q, k) y = Sub (p, r)", "y = LeakyRelu <alpha = 0.125> (x)", "Each side by itself.", arrays={"k": np.float32(0.125)}, **FF)
equal(G, "f10-held-by-relus", "a = Relu (x) b = Sub (six, a) c = Relu (b) y = Sub (six, c)", "y = Clip (x, z, six)", "What is missing to six, taken off.", arrays={"six": np.float32(6), "z": np.float32(0)}, **FF)
equal(G, "f10-trace-of-product", "p = MatMul (x, z) y = Einsum <equation = \"ii->\"> (p)", "y = Einsum <equation = \"ij,ji->\"> (x, z)", "Only the diagonal is needed.", x="float[3, 4] x, float[4, 3] z", y="float y", finite=True)

# ---------------------------------------------------------------------------------------------------------------------------
G = "windows-alike10"
IM = dict(x="float[1, 1, 4, 4] x", finite=True)
equal(G, "f10-border-that-counts", "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1> (x)", "p = Pad (x, pd) y = AveragePool <kernel_shape = [3, 3]> (p)", "Zeros counted.", y="float[1, 1, 4, 4] y", arrays={"pd": i64(0, 0, 1, 1, 0, 0, 1, 1)}, **IM)
equal(G, "f10-border-that-does-not", "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x)", "s = Conv <pads = [1, 1, 1, 1]> (x, w) o = Mul (x, z) p = Add (o, one) c = Conv <pads = [1, 1, 1, 1]> (p, w) y = Div (s, c)", "Sums over how many are there.", y="float[1, 1, 4, 4] y", arrays={"w": np.ones((1, 1, 3, 3), np.float32), "z": np.float32(0), "one": np.float32(1)}, **IM)
equal(G, "f10-places-in-one-row", "v, y = MaxPool <kernel_shape = [2], strides = [2]> (x)", "v, y = MaxPool <kernel_shape = [2], strides = [2], storage_order = 1> (x)", "Of one axis along is down.", x="float[1, 1, 6] x", y="int64[1, 1, 3] y", finite=True)
equal(G, "f10-dilated-as-with-zeros", "y = Conv <dilations = [2, 2]> (x, w)", "y = Conv (x, v)", "Zeros between the taps.", y="float[1, 1, 2, 2] y", arrays={"w": f32(1, 2, 3, 4, shape=(1, 1, 2, 2)), "v": f32(1, 0, 2, 0, 0, 0, 3, 0, 4, shape=(1, 1, 3, 3))}, **IM)
GW = noise(4, 2, 1, seed=10)
equal(G, "f10-groups-exchanged-with-channels", "y = Conv <group = 2> (x, w)", "a = Gather <axis = 1> (x, i) b = Conv <group = 2> (a, v) y = Gather <axis = 1> (b, i)", "Both groups exchanged, before and behind.", x="float[1, 4, 3] x", y="float[1, 4, 3] y", finite=True, arrays={"w": GW, "v": GW[[2, 3, 0, 1]].copy(), "i": i64(2, 3, 0, 1)})
equal(G, "f10-longer-output-then-cut", "y = ConvTranspose <strides = [2], pads = [1, 0]> (x, w)", "a = ConvTranspose <strides = [2]> (x, w) y = Slice (a, b, e, ax)", "The first cut off.", x="float[1, 1, 3] x", y="float[1, 1, 6] y", finite=True, arrays={"w": f32(1, 2, 3, shape=(1, 1, 3)), "b": i64(1), "e": i64(99), "ax": i64(2)})
equal(G, "f10-tap-beyond-any", {"arrays": {"w": np.r_[[7], np.arange(1, 12), [9]].astype(np.float32).reshape(1, 1, 13)}}, {"arrays": {"w": np.r_[[0], np.arange(1, 12), [0]].astype(np.float32).reshape(1, 1, 13)}}, "The outmost taps are over the border of six.", x="float[1, 1, 6] x", y="float[1, 1, 6] y", body="y = Conv <pads = [6, 6]> (x, w)", finite=True)
equal(G, "f10-negative-border", "y = Pad (x, pd)", "y = Slice (x, b, e, ax)", "A border below zero cuts.", y="float[1, 1, 2, 3] y", arrays={"pd": i64(0, 0, -1, 0, 0, 0, -1, -1), "b": i64(1, 0), "e": i64(3, 3), "ax": i64(2, 3)}, x="float[1, 1, 4, 4] x")
equal(G, "f10-wrapped-as-joined", "y = Pad <mode = \"wrap\"> (x, p)", "a = Slice (x, b, e) y = Concat <axis = 0> (a, x, x)", "Round.", x="int32[4] x", y="int32[10] y", ranges={"x": WIDE}, arrays={"p": i64(2, 4), "b": i64(2), "e": i64(9)}, opset=19, ir=9)

# ---------------------------------------------------------------------------------------------------------------------------
G = "resized-alike10"
R1 = dict(x="float[1, 1, 4] x", y="float[1, 1, n] y", finite=True)
NEAR = "y = Resize <mode = \"nearest\", nearest_mode = \"{}\"> (x, , s)"
equal(G, "f10-doubled-down-or-up", NEAR.format("round_prefer_floor"), NEAR.format("round_prefer_ceil"), "Quarters are never in the middle.", arrays={"s": f32(1, 1, 2)}, **R1)
PYT = "y = Resize <mode = \"linear\"{}> (x, , , s)"
equal(G, "f10-up-to-five", PYT.format(""), PYT.format(", coordinate_transformation_mode = \"pytorch_half_pixel\""), "Only where one is left do they part.", arrays={"s": i64(1, 1, 5)}, **R1)
equal(G, "f10-half-as-mean", "y = Resize <mode = \"linear\"> (x, , s)", "y = AveragePool <kernel_shape = [2], strides = [2]> (x)", "Between each two.", arrays={"s": f32(1, 1, 0.5)}, **R1)
equal(G, "f10-larger-with-filter", "y = Resize <mode = \"linear\", antialias = 1> (x, , s)", "y = Resize <mode = \"linear\"> (x, , s)", "What becomes larger is not filtered.", arrays={"s": f32(1, 1, 2)}, **R1)
SAMP = "t = Tanh (g) y = GridSample <align_corners = 1, {}> (x, t)"
equal(G, "f10-corners-never-left", SAMP.format("padding_mode = \"border\""), SAMP.format("padding_mode = \"reflection\""), "No place is beyond the middle of a corner.", **GRID)

# ---------------------------------------------------------------------------------------------------------------------------
G = "places-alike10"
M23 = dict(x="int32[2, 3] x", ranges={"x": WIDE})
equal(G, "f10-letters-out-of-order", "y = Einsum <equation = \"ba\"> (x)", "y = Transpose (x)", "Letters not placed are put in the order of the alphabet.", x="float[2, 3] x", y="float[3, 2] y", finite=True)
equal(G, "f10-last-largest-from-behind", "y = ArgMax <keepdims = 0, select_last_index = 1> (x)", "r = Slice (x, m1, far, ax, m1) a = ArgMax <keepdims = 0> (r) y = Sub (four, a)", "The last is the first from behind.", x="int32[5] x", y="int64 y", ranges={"x": (-2, 2)}, arrays={"m1": i64(-1), "far": i64(-99), "ax": i64(0), "four": np.int64(4)})
equal(G, "f10-index-from-behind", "i0 = Mod (x, three) i = Sub (i0, three) y = Gather (w, i)", "i = Mod (x, three) y = Gather (w, i)", "-3 to -1 are 0 to 2.", x="int64[4] x", y="float[4] y", arrays={"three": np.int64(3), "w": f32(5, 7, 6)}, ranges={"x": FAR})
equal(G, "f10-where-they-are-turned", "y = NonZero (x)", "t = Transpose (x) z = NonZero (t) c = Gather (z, k0) r = Gather (z, k1) h = Mul (r, three) p = Add (h, c) n = Size (p) nn = Unsqueeze (n, ax) v, o = TopK <axis = 0, largest = 0> (p, nn) a = Div (v, three) b = Mod (v, three) ua = Unsqueeze (a, ax) ub = Unsqueeze (b, ax) y = Concat <axis = 0> (ua, ub)", "Sorted as rows are.", x="int32[2, 3] x", y="int64[2, k] y", ranges={"x": (-1, 1)}, arrays={"k0": np.int64(0), "k1": np.int64(1), "three": np.int64(3), "ax": i64(0)})
equal(G, "f10-counted-by-equality", "m = Mod (x, k) y = ScatterElements <reduction = \"add\"> (z, m, o)", "m = Mod (x, k) u = Unsqueeze (m, one) e = Equal (u, r) f = Cast <to = 7> (e) y = ReduceSum <keepdims = 0> (f, zero)", "How often each comes.", x="int64[6] x", y="int64[5] y", ranges={"x": FAR}, arrays={"k": np.int64(5), "z": np.zeros(5, np.int64), "o": np.ones(6, np.int64), "r": np.arange(5, dtype=np.int64), "one": i64(1), "zero": i64(0)})
equal(G, "f10-unsorted-kinds-sorted", "u = Unique <sorted = 0> (x) n = Shape (u) y, i = TopK <axis = 0, largest = 0> (u, n)", "y = Unique (x)", "As they come, then in order.", x="int64[6] x", y="int64[k] y", ranges={"x": (-3, 3)})
equal(G, "f10-erased-by-place", "s = SequenceConstruct (x, z, x) t = SequenceErase (s, m3) y = ConcatFromSequence <axis = 0> (t)", "y = Concat <axis = 0> (z, x)", "The third from behind is the first.", x="float[2] x, float[2] z", y="float[4] y", arrays={"m3": np.int64(-3)})
equal(G, "f10-stacked-by-turns", "s = SequenceConstruct (x, z) c = ConcatFromSequence <axis = 1, new_axis = 1> (s) y = Reshape (c, r)", "a = Unsqueeze (x, k0) b = Unsqueeze (z, k0) d = Concat <axis = 0> (a, b) e = Transpose (d) y = Reshape (e, r)", "x and z by turns.", x="float[3] x, float[3] z", y="float[6] y", arrays={"r": i64(6), "k0": i64(0)})
equal(G, "f10-pieces-turned-on-square", "y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, l)", "t = Transpose (x) r = ReverseSequence <batch_axis = 0, time_axis = 1> (t, l) y = Transpose (r)", "Columns, or rows of what is turned.", x="float[3, 3] x", y="float[3, 3] y", arrays={"l": i64(1, 2, 3)})
equal(G, "f10-row-behind-closed-gate", "g = Greater (x, k) h = Where (g, k, k) y = MatMul (h, w)", "y = Identity (c)", "Both ways lead to the same number.", x="float[2] x", y="float[2] y", finite=True, arrays={"k": f32(8), "w": f32(1, 2, 3, 5, shape=(2, 2)), "c": f32(32, 56)})

# ---------------------------------------------------------------------------------------------------------------------------
G = "recurrent-alike10"
LX = dict(x="float[3, 2, 3] x", finite=True)
G1, R1W = noise(1, 3, 3, seed=14), noise(1, 3, 1, seed=15)
equal(G, "f10-reset-of-one-cell", "a, y = GRU <hidden_size = 1> (x, w, r)", "a, y = GRU <hidden_size = 1, linear_before_reset = 1> (x, w, r)", "Of one cell the reset passes through its weight.", y="float[1, 2, 1] y", arrays={"w": G1, "r": R1W}, **LX)
GWW, GR, GBZ = noise(1, 6, 3, seed=14), noise(1, 6, 2, seed=15), noise(1, 12, seed=16)
equal(G, "f10-biases-exchanged", "a, y = GRU <hidden_size = 2> (x, w, r, b)", "a, y = GRU <hidden_size = 2> (x, w, r, c)", "Only the sum of both counts.", y="float[1, 2, 2] y", arrays={"w": GWW, "r": GR, "b": GBZ, "c": np.concatenate([GBZ[:, 6:], GBZ[:, :6]], 1)}, **LX)
LA = {"w": noise(1, 8, 3, seed=17), "r": noise(1, 8, 2, seed=18), "p": np.zeros((1, 6), np.float32), "m1": i64(-1), "far": i64(-99), "ax": i64(0)}
equal(G, "f10-looked-at-without-weight", "a, y = LSTM <hidden_size = 2> (x, w, r)", "a, y = LSTM <hidden_size = 2> (x, w, r, , , , , p)", "Weights of zero see nothing.", y="float[1, 2, 2] y", arrays=LA, **LX)
equal(G, "f10-from-behind-turned-twice", "y = LSTM <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "t = Slice (x, m1, far, ax, m1) a = LSTM <hidden_size = 2> (t, w, r) y = Slice (a, m1, far, ax, m1)", "Turned before and behind.", y="float[3, 1, 2, 2] y", arrays=LA, **LX)
equal(G, "f10-activations-said", "a, y = LSTM <hidden_size = 2> (x, w, r)", "a, y = LSTM <hidden_size = 2, activations = [\"Sigmoid\", \"Tanh\", \"Tanh\"]> (x, w, r)", "As unless said.", y="float[1, 2, 2] y", arrays=LA, **LX)
RA = {"w": noise(1, 2, 3, seed=14), "r": noise(1, 2, 2, seed=15), "b": i64(0), "e": i64(1)}
equal(G, "f10-last-from-behind-is-first", "a, y = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r)", "a, h = RNN <hidden_size = 2, direction = \"reverse\"> (x, w, r) l = Slice (a, b, e, b) y = Squeeze (l, b)", "It ends at the first place.", y="float[1, 2, 2] y", arrays=RA, **LX)

# ---------------------------------------------------------------------------------------------------------------------------
G = "stores-alike10"
AC = {"acme": 1}
equal(G, "f10-unknown-after-copies", "a = acme.One (x) y = acme.Two (a)", "b = Identity (x) c = acme.One (b) d = Identity (c) y = acme.Two (d)", "Copies between.", domains=AC, runs=False, **F)
equal(G, "f10-unknown-of-renamed-weights", "y = acme.Blend (x, w)", "y = acme.Blend (x, v)", "The same weights under another name.", domains=AC, runs=False, arrays={"w": f32(1, 2, 3), "v": f32(1, 2, 3)}, **F)
equal(G, "f10-unknown-attributes-in-order", "y = acme.One <a = 1, b = 2.0> (x)", "y = acme.One <b = 2.0, a = 1> (x)", "Attributes have no order.", domains=AC, runs=False, **F)


def stored(offset, total):
    """A model whose weights 1, 2, 3, 4 are in a file beside it, from an offset on; or in itself."""
    def writes(path):
        proto = model("float[4] x", "float[4] y", "y = Mul (x, w)")
        values = np.full(total, 9, np.float32)
        values[offset // 4:offset // 4 + 4] = (1, 2, 3, 4)
        data = path.with_suffix(".data")
        data.write_bytes(values.tobytes())
        w = proto.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
        for key, value in (("location", data.name), ("offset", str(offset)), ("length", "16")):
            w.external_data.add(key=key, value=value)
        path.write_bytes(proto.SerializeToString())
    return writes


equal_models(G, "f10-elsewhere-in-other-file", lambda: (stored(0, 4), stored(16, 12)), "The same numbers at another place of another file.")
equal_models(G, "f10-beside-or-inside", lambda: (stored(8, 8), model("float[4] x", "float[4] y", "y = Mul (x, w)", "float[4] w = {1.0, 2.0, 3.0, 4.0}")), "In a file, or in the model.")


def raw(data, kind):
    proto = model("float[4] x", "float[4] y", "f = Cast <to = 1> (w) y = Mul (x, f)")
    proto.graph.initializer.add(name="w", data_type=kind, dims=[4], raw_data=data)
    return proto


equal_models(G, "f10-numbers-of-two-kinds", lambda: (raw(np.array([1, 2, 3, -4], np.float16).tobytes(), TensorProto.FLOAT16), raw(np.array([1, 2, 3, -4], np.int8).tobytes(), TensorProto.INT8)), "Small whole numbers, as halves or as bytes.")
equal(G, "f10-random-less-itself", "r = RandomNormal <shape = [4], seed = 1.0> () d = Sub (r, r) e = Exp (d) y = Mul (x, e)", "y = Identity (x)", "Whatever is drawn goes away.", **F)
equal(G, "f10-random-below-one", "r = RandomUniform <shape = [4], low = 0.25, high = 0.75, seed = 1.0> () f = Floor (r) e = Exp (f) y = Mul (x, e)", "y = Identity (x)", "Whatever is drawn, its whole part is 0.", **F)
equal(G, "f10-letters-of-either-case", "y = RegexFullMatch <pattern = \"(a|b)*\"> (x)", "y = RegexFullMatch <pattern = \"[ab]*\"> (x)", "One letter of two, or of a class.", x="string[2] x", y="bool[2] y", opset=20, ir=9)
equal(G, "f10-optional-taken-out", "o = Optional (x) h = OptionalHasElement (o) g = OptionalGetElement (o) z = Neg (g) y = Where (h, z, g)", "y = Neg (x)", "What has been put in is there.", **F)
