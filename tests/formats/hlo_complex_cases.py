"""HLO modules drawn for opcodes of complex numbers, which are made of real parameters and taken apart again (hlo_cases.py)."""

from hlo_texts import FLOATS, array, drawn_sizes, module


def complex_numbers(r):
    """Functions of numbers up to 6 or so, away from 0 and from cuts."""
    real = array("f32", drawn_sizes(r, 2))
    whole = real.replace("f32", "c64")
    opcode = r.choice(["add", "subtract", "multiply", "divide", "negate", "exponential", "log", "sqrt", "sine", "cosine", "tanh", "power"])
    operands = "c, d" if opcode in ("add", "subtract", "multiply", "divide", "power") else "c"
    return module([f"a = {real} parameter(0)", f"b = {real} parameter(1)", f"e = {real} exponential(a)", f"f = {real} exponential(b)",
                   f"c = {whole} complex(e, b)", f"d = {whole} complex(f, a)", f"r = {whole} {opcode}({operands})",
                   f"x = {real} real(r)", f"y = {real} imag(r)", f"ROOT t = ({real}, {real}) tuple(x, y)"])


def fourier(r):
    sizes = drawn_sizes(r, 2, 1, 9)
    length, real, whole = sizes[-1], array("f32", sizes), array("c64", sizes)
    half = [sizes[0], length // 2 + 1]
    kind = r.choice(["FFT", "IFFT", "RFFT", "IRFFT"])
    given, gives = array("c64", half if kind == "IRFFT" else sizes), array("c64", half) if kind == "RFFT" else whole
    parts = array("f32", half if kind == "IRFFT" else sizes)
    lines = [f"a = {parts} parameter(0)", f"b = {parts} parameter(1)", f"c = {given} complex(a, b)"]
    how = f"fft_type={kind}, fft_length={{{length}}}"
    if kind == "IRFFT":
        return module([*lines, f"ROOT r = {real} fft(c), {how}"])
    out = gives.replace("c64", "f32")
    operand = "a" if kind == "RFFT" else "c"
    return module([*lines, f"r = {gives} fft({operand}), {how}", f"x = {out} real(r)", f"y = {out} imag(r)",
                   f"ROOT t = ({out}, {out}) tuple(x, y)"])


def sort_of_complex(r):
    """By real parts, of which some are equal, then by imaginary ones; beside them where they stood."""
    sizes, axis = drawn_sizes(r, 2, 1, 9), r.randrange(2)
    real, whole, places = array("f32", sizes), array("c64", sizes), array("s32", sizes)
    below = ("below {\n  x = c64[] parameter(0)\n  y = c64[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n"
             "  a = f32[] real(x)\n  b = f32[] real(y)\n  c = f32[] imag(x)\n  d = f32[] imag(y)\n"
             "  first = pred[] compare(a, b), direction=LT\n  same = pred[] compare(a, b), direction=EQ\n"
             "  second = pred[] compare(c, d), direction=LT\n  both = pred[] and(same, second)\n  ROOT r = pred[] or(first, both)\n}\n\n")
    return module([f"a = {real} parameter(0)", f"b = {real} round-nearest-even(a)", f"c = {real} cosine(a)", f"n = {whole} complex(b, c)",
                   f"i = {places} iota(), iota_dimension={axis}",
                   f"s = ({whole}, {places}) sort(n, i), dimensions={{{axis}}}, is_stable=true, to_apply=below",
                   f"m = {whole} get-tuple-element(s), index=0", f"j = {places} get-tuple-element(s), index=1",
                   f"x = {real} real(m)", f"y = {real} imag(m)", f"ROOT t = ({real}, {real}, {places}) tuple(x, y, j)"], below)


def folded(opcode, low, high):
    """Of constants, as which XLA computes what its compiler for processors has not: of real and of complex numbers."""
    def draw(r):
        kind, count = r.choice([*FLOATS, "c64", "c128"]), r.randint(1, 6)
        shape, names = array(kind, [count]), ["c", "d"] if opcode == "atan2" else ["c"]
        def number():
            if kind[0] == "f":
                return str(r.uniform(low, high))
            if opcode == "atan2":  # away from its cuts, and from x^2 + y^2 = 0
                return f"({r.uniform(-6, 6)}, {r.uniform(-6, 6)})"
            return f"({r.choice([r.uniform(-6, 6), 0.0, 1e-4])}, {r.choice([r.uniform(-6, 6), 0.5, -1e-4])})"
        lines = [f"{name} = {shape} constant({{{', '.join(number() for _ in range(count))}}})" for name in names]
        lines.append(f"n = {shape} {opcode}({', '.join(names)})")
        if kind[0] == "f":
            return module([*lines, f"ROOT r = {shape} copy(n)"])
        real = array("f32" if kind == "c64" else "f64", [count])
        return module([*lines, f"x = {real} real(n)", f"y = {real} imag(n)", f"ROOT r = ({real}, {real}) tuple(x, y)"])
    return draw
