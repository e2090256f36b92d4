"""Modules of HLO at numbers where a formula may fail, with what their models must give (hlo_as_onnx.py).

Numbers are constants of the modules. A comparator that is no strict weak order has no order to hold to: what is asked is that no
element is lost, numbers stand in order, and elements that it does not tell apart keep theirs.
"""

INF, NAN = float("inf"), float("nan")


def text_of(values):
    return "{" + ", ".join(str(v).lower() for v in values) + "}"


def function(opcode, kind, given, expected):
    n = len(given[0])
    operands = [f"  x{i} = {kind}[{n}] constant({text_of(v)})" for i, v in enumerate(given)]
    names = ", ".join(f"x{i}" for i in range(len(given)))
    lines = "\n".join([*operands, f"  ROOT r = {kind}[{n}] {opcode}({names})"])
    return f"{opcode} of {kind}", f"HloModule m\nENTRY e {{\n{lines}\n}}\n", [expected]


def area_tangent(given, real, imaginary):
    n = len(given)
    numbers = ", ".join(f"({a}, {b})" for a, b in given)
    return "atanh of c64", f"""HloModule m
ENTRY e {{
  x = c64[{n}] constant({{{numbers}}})
  y = c64[{n}] atanh(x)
  re = f32[{n}] real(y)
  im = f32[{n}] imag(y)
  ROOT t = (f32[{n}], f32[{n}]) tuple(re, im)
}}
""", [real, imaginary]


def sort(name, comparator, kind, values, order):
    """Where each element of the result was."""
    n = len(values)
    return f"sort of {kind}, {name}", f"""HloModule m
c {{
  a = {kind}[] parameter(0)
  b = {kind}[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
{comparator}
}}
ENTRY e {{
  x = {kind}[{n}] constant({text_of(values)})
  p = s32[{n}] iota(), iota_dimension=0
  s = ({kind}[{n}], s32[{n}]) sort(x, p), dimensions={{0}}, is_stable=true, to_apply=c
  ROOT q = s32[{n}] get-tuple-element(s), index=1
}}
""", [order]


def by(direction, a="a", b="b"):
    return f"  ROOT r = pred[] compare({a}, {b}), direction={direction}"


NEGATED = "  na = f32[] negate(a)\n  nb = f32[] negate(b)\n"
LEXICOGRAPHIC = "\n".join(["  l = pred[] compare(a, b), direction=LT", "  e = pred[] compare(a, b), direction=EQ",
                           "  g = pred[] compare(i, j), direction=GT", "  h = pred[] and(e, g)", "  ROOT r = pred[] or(l, h)"])
BESIDE_NAN = [3, NAN, 2, 1, NAN, 0, -0.0, 5, 3]
UNSIGNED = [3, 2**63 + 1, 2, 1, 2**64 - 1, 0]

EDGES = [
    function("exponential-minus-one", "f32", [[85, 88, 88.7, -100, 1e-8, -0.0, INF, -INF, NAN]],
             [8.22301e36, 1.651636e38, 3.325977e38, -1, 1e-8, -0.0, INF, -1, NAN]),
    function("exponential-minus-one", "f64", [[705, -0.0]], [1.505253833063194e306, -0.0]),
    function("exponential-minus-one", "f16", [[10.5, -0.0, 0.0009765625, 12]], [36320, -0.0, 0.000977, INF]),
    function("log-plus-one", "f32", [[1e37, 3e38, 1e38, INF, -1, -2, -INF, -0.0, 1e-8]],
             [85.19565, 88.59684, 87.49823, INF, -INF, NAN, NAN, -0.0, 1e-8]),
    function("log-plus-one", "f64", [[1e307]], [706.8936235517392]),
    function("log-plus-one", "f16", [[60000, -0.0]], [11.0, -0.0]),
    function("cbrt", "f32", [[-8, -0.0, INF]], [-2, -0.0, INF]),
    function("round-nearest-afz", "f32", [[-0.5, -0.25, -0.0, 2.5]], [-1, -0.0, -0.0, 3]),
    function("atan2", "f32", [[-0.0, -0.0, 0.0, INF], [1, -1, -0.0, -INF]], [-0.0, -3.1415927, 3.1415927, 2.3561945]),
    function("atan2", "f16", [[-0.0, 1, INF], [1, 1, INF]], [-0.0, 0.7854, 0.7854]),
    area_tangent([("1e20", 0), (1, "1e-20"), (0, "3e38"), ("-2e38", "2e38"), (0.5, 0.25), ("1e-30", 0), (0.5, "-0.0")],
                 [1e-20, 23.372424, 0, -2.5e-39, 0.50037, 1e-30, 0.54930614],
                 [1.5707964, 0.78539816, 1.5707964, 1.5707964, 0.31439815, 0, -0.0]),
    sort("less, beside NaN", by("LT"), "f32", BESIDE_NAN, [5, 6, 3, 2, 0, 8, 7, 1, 4]),
    sort("greater, beside NaN", by("GT"), "f32", BESIDE_NAN, [1, 4, 7, 0, 8, 2, 3, 5, 6]),
    sort("less, beside NaN", by("LT"), "f16", BESIDE_NAN, [5, 6, 3, 2, 0, 8, 7, 1, 4]),
    sort("less, beside NaN", by("LT"), "bf16", BESIDE_NAN, [5, 6, 3, 2, 0, 8, 7, 1, 4]),
    sort("less of negated, beside NaN", NEGATED + by("LT", "na", "nb"), "f32", [1, NAN, 2, 0, NAN, 5], [1, 4, 5, 2, 0, 3]),
    sort("less, then by place, beside NaN", LEXICOGRAPHIC, "f32", [2, NAN, 1, NAN, 0], [1, 3, 4, 2, 0]),
    sort("at most", by("LE"), "f32", [3, 1, 2, 1], [1, 3, 2, 0]),
    sort("at least", by("GE"), "s32", [3, 1, 2, 1], [0, 2, 1, 3]),
    sort("at most, of one", by("LE"), "f32", [7], [0]),
    sort("unequal", by("NE"), "f32", [1, 3, 2, 1, 2], [0, 1, 2, 3, 4]),
    sort("always", "  ROOT r = pred[] constant(true)", "f32", [1, 3, 2], [0, 1, 2]),
    sort("less", by("LT"), "u64", UNSIGNED, [5, 3, 2, 0, 1, 4]),
    sort("greater", by("GT"), "u64", UNSIGNED, [4, 1, 0, 2, 3, 5]),
]

# A window whose places at the border are many: told by slices, not by a mask of the result for each.
LONG_WINDOW = """HloModule m
c {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  s = f32[] add(a, b)
  m = f32[] constant(9)
  ROOT r = f32[] minimum(s, m)
}
ENTRY e {
  x = f32[100000] parameter(0)
  i = f32[] constant(0)
  ROOT r = f32[100000] reduce-window(x, i), window={size=512 pad=511_0}, to_apply=c
}
"""


def nested(depth):
    """Loops within loops, of which the innermost computes what ONNX cannot say."""
    out, state = "HloModule m\n", "(s32[], u8[2])"
    for i in range(depth):
        step = f"""  z = s32[] constant(0)
  u = {state} tuple(z, x)
  w = {state} while(u), condition=c{i - 1}, body=b{i - 1}
  y = u8[2] get-tuple-element(w), index=1""" if i else "  y = u8[2] negate(x)"
        out += f"""c{i} {{
  t = {state} parameter(0)
  n = s32[] get-tuple-element(t), index=0
  k = s32[] constant(2)
  ROOT p = pred[] compare(n, k), direction=LT
}}
b{i} {{
  t = {state} parameter(0)
  n = s32[] get-tuple-element(t), index=0
  x = u8[2] get-tuple-element(t), index=1
{step}
  one = s32[] constant(1)
  more = s32[] add(n, one)
  ROOT r = {state} tuple(more, y)
}}
"""
    return out + f"""ENTRY e {{
  n = s32[] parameter(0)
  x = u8[2] parameter(1)
  t = {state} tuple(n, x)
  ROOT w = {state} while(t), condition=c{depth - 1}, body=b{depth - 1}
}}
"""
