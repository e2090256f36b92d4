"""Texts of HLO modules, for hlo_cases.py: shapes, computations of two scalars, the module around instructions."""

SMALL_FLOATS = ("f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz")  # only converted to
FLOATS, INTEGERS = ("f32", "f64"), ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
REGIONS = {
    "sum": "add(x, y)", "product": "multiply(x, y)", "largest": "maximum(x, y)", "smallest": "minimum(x, y)",
    "odd": "xor(x, y)", "at_least": "compare(x, y), direction=GE", "below": "compare(x, y), direction=LT",
    "above": "compare(x, y), direction=GT", "below_in_total": "compare(x, y), direction=LT, type=TOTALORDER",
    "bounded": "maximum(s, y)"}
FIRST = {"bounded": "add(x, y)"}  # s, of combiners of two operators
SECOND = "second {\n  x = f32[] parameter(0)\n  ROOT y = f32[] parameter(1)\n}\n\n"


def array(kind, sizes):
    return f"{kind}[{','.join(map(str, sizes))}]"


def braces(numbers):
    return "{" + ",".join(map(str, numbers)) + "}"


def drawn_sizes(r, rank, low=1, high=5):
    return [r.randint(low, high) for _ in range(rank)]


def region(name, kind):
    gives = "pred" if "compare" in REGIONS[name] else kind
    return (f"{name} {{\n  x = {kind}[] parameter(0)\n  y = {kind}[] parameter(1)\n"
            + (f"  s = {kind}[] {FIRST[name]}\n" if name in FIRST else "") + f"  ROOT r = {gives}[] {REGIONS[name]}\n}}\n\n")


def module(lines, regions=""):
    return f"HloModule m\n\n{regions}ENTRY main {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
