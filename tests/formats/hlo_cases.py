"""HLO modules drawn for single opcodes: what hlo_opcodes.py evaluates and runs in XLA.

A draw is a function from a random generator to the text of a module, under its opcode's name in CASES. Parameters hold
small numbers (hlo_values.py), integers from 0 to 4: starts and indices are moved below 0 and beyond the end.
"""

from hlo_complex_cases import complex_numbers, folded, fourier, sort_of_complex
from hlo_product_cases import cholesky, convolution, dot, triangular_solve
from hlo_texts import FLOATS, INTEGERS, REGIONS, SECOND, SMALL_FLOATS, array, braces, drawn_sizes, module, region


def plain(opcode, operands, kinds, gives=None):
    """Of one shape, element by element."""
    def draw(r):
        kind = r.choice(kinds)
        shape = array(kind, drawn_sizes(r, r.randint(0, 3)))
        names = "abc"[:operands]
        out = shape if gives is None else shape.replace(kind, gives)
        return module([f"{n} = {shape} parameter({i})" for i, n in enumerate(names)] +
                      [f"ROOT r = {out} {opcode}({', '.join(names)})"])
    return draw


def divided(opcode):
    """The divisor of integers is never 0: what is made of that is the machine's."""
    def draw(r):
        kind = r.choice(FLOATS + INTEGERS)
        shape = array(kind, drawn_sizes(r, 2))
        return module([f"a = {shape} parameter(0)", f"b = {shape} parameter(1)", f"one = {kind}[] constant(1)",
                       f"ones = {shape} broadcast(one), dimensions={{}}", f"c = {shape} add(b, ones)",
                       f"ROOT r = {shape} {opcode}(a, c)"])
    return draw


def shift(opcode):
    def draw(r):
        kind = r.choice(INTEGERS)
        shape = array(kind, drawn_sizes(r, 2))
        by = [r.randint(1, 100), r.choice([1, 3, 17, -1, -9] if kind[0] == "s" else [1, 3, 17])]
        return module([f"a = {shape} parameter(0)", f"b = {shape} parameter(1)", f"f = {kind}[] constant({by[0]})",
                       f"g = {kind}[] constant({by[1]})", f"many = {shape} broadcast(f), dimensions={{}}",
                       f"more = {shape} broadcast(g), dimensions={{}}", f"c = {shape} multiply(a, many)",
                       f"d = {shape} multiply(b, more)", f"n = {shape} not(c)",
                       f"x = {shape} {opcode}(c, d)", f"y = {shape} {opcode}(n, d)",
                       f"ROOT r = ({shape}, {shape}) tuple(x, y)"])
    return draw


def compare(r):
    kind = r.choice(FLOATS + INTEGERS + ("pred",))
    shape = array(kind, drawn_sizes(r, 2))
    total = kind in FLOATS and r.random() < 0.5
    # The sign of a NaN that an operation makes is the machine's: there is none of those.
    sign = [f"m = {shape} abs(a)", f"s = {shape} log(m)", f"t = {shape} negate(b)"] if total else [f"s = {shape} copy(a)", f"t = {shape} copy(b)"]
    left, right = "s", "t"
    if total and r.random() < 0.5:
        where = shape.replace(kind, "pred")
        sign += [f"k = {kind}[] constant(nan)", f"n = {shape} broadcast(k), dimensions={{}}",
                 f"e = {where} compare(a, b), direction={r.choice(['EQ', 'GE'])}", f"f = {where} compare(a, b), direction=LE",
                 f"u = {shape} select(e, n, s)", f"v = {shape} select(f, n, t)"]
        left, right = r.choice([("u", "t"), ("s", "v"), ("u", "v")])
    return module([f"a = {shape} parameter(0)", f"b = {shape} parameter(1)", *sign,
                   f"ROOT r = {shape.replace(kind, 'pred')} compare({left}, {right}), direction={r.choice('EQ NE GE GT LE LT'.split())}"
                   + (", type=TOTALORDER" if total else "")])


def convert(r):
    a, b = r.choice(FLOATS + ("f16", "bf16") + INTEGERS + ("pred",)), r.choice(FLOATS + ("f16", "bf16") + INTEGERS + ("pred",))
    if a in (*FLOATS, "f16", "bf16") and b[0] == "u":
        b = "s" + b[1:]
    sizes = drawn_sizes(r, 2)
    if r.random() < 0.3:  # some too large
        a, b = r.choice(FLOATS + ("f16", "bf16", "s16", "s32")), r.choice(SMALL_FLOATS)
        shape = array(a, sizes)
        return module([f"p = {shape} parameter(0)", f"f = {a}[] constant({r.choice([1, 17, 300, 8000])})",
                       f"g = {shape} broadcast(f), dimensions={{}}", f"a = {shape} multiply(p, g)",
                       f"ROOT r = {array(b, sizes)} convert(a)"])
    return module([f"a = {array(a, sizes)} parameter(0)", f"ROOT r = {array(b, sizes)} convert(a)"])


def bitcast_convert(r):
    sizes = drawn_sizes(r, 2)
    if r.random() < 0.5:
        a, b = r.choice([("f32", "u32"), ("f32", "s32"), ("f16", "u16"), ("bf16", "s16")])
        shape, size = array(a, sizes), r.choice([1, 3] + ([2.0**-10] if a == "f16" else [2.0**-110, 3 * 2.0**100]))
        return module([f"a = {shape} parameter(0)", f"f = {a}[] constant({size})",
                       f"g = {shape} broadcast(f), dimensions={{}}", f"m = {shape} multiply(a, g)",
                       f"ROOT r = {array(b, sizes)} bitcast-convert(m)"])
    a, b, most = r.choice([("u32", "f32", 2**31), ("s32", "f32", 2**29), ("u64", "f64", 2**62), ("u16", "f16", 2**12)])
    shape = array(a, sizes)
    return module([f"a = {shape} parameter(0)", f"f = {a}[] constant({r.randint(1, most // 4)})",
                   f"g = {shape} broadcast(f), dimensions={{}}", f"m = {shape} multiply(a, g)",
                   f"ROOT r = {array(b, sizes)} bitcast-convert(m)"])


def reduce_precision(r):
    kind = r.choice(FLOATS)
    shape = array(kind, drawn_sizes(r, 2))
    exponent, mantissa = r.choice([(5, 10), (8, 7), (8, 23)])
    least = 2.0 ** (2 - 2 ** (exponent - 1)) if kind == "f64" or exponent == 5 else 1.0
    size = r.choice([1.0, least, least * (1 - 2.0 ** (-mantissa - 1)), least * (1 - 2.0 ** (-mantissa - 2)), 7 * least])
    return module([f"p = {shape} parameter(0)", f"f = {kind}[] constant({size!r})", f"g = {shape} broadcast(f), dimensions={{}}",
                   f"a = {shape} multiply(p, g)",
                   f"ROOT r = {shape} reduce-precision(a), exponent_bits={exponent}, mantissa_bits={mantissa}"])


def map_by(r):
    kind, by = by_region(r)
    shape, more = array(kind, drawn_sizes(r, r.randint(1, 3))), ""
    if r.random() < 0.5:
        by = "chosen"
        more = (f"chosen {{\n  x = {kind}[] parameter(0)\n  y = {kind}[] parameter(1)\n  k = {kind}[] constant({r.randint(0, 3)})\n"
                f"  p = pred[] compare(x, k), direction={r.choice(['LT', 'GE', 'EQ'])}\n  s = {kind}[] select(p, y, x)\n"
                f"  h = {kind}[] constant(3)\n  c = {kind}[] clamp(k, s, h)\n  ROOT r = {kind}[] add(c, y)\n}}\n\n")
    rank = shape.count(",") + 1
    return module([f"a = {shape} parameter(0)", f"b = {shape} parameter(1)",
                   f"ROOT r = {shape} map(a, b), dimensions={braces(range(rank))}, to_apply={by}"], more or region(by, kind))


def select(r):
    sizes, kind = drawn_sizes(r, 2), r.choice(FLOATS + INTEGERS)
    mask = sizes if r.random() < 0.5 else []
    shape = array(kind, sizes)
    return module([f"p = {array('pred', mask)} parameter(0)", f"a = {shape} parameter(1)", f"b = {shape} parameter(2)",
                   f"ROOT r = {shape} select(p, a, b)"])


def clamp(r):
    kind = r.choice(FLOATS + INTEGERS)
    shape = array(kind, drawn_sizes(r, 2))
    return module([f"l = {kind}[] constant(1)", f"h = {kind}[] constant(3)", f"a = {shape} parameter(0)",
                   f"ROOT r = {shape} clamp(l, a, h)"])


def broadcast(r):
    out = drawn_sizes(r, 3)
    dims = sorted(r.sample(range(3), r.randint(0, 3)))
    return module([f"a = {array('f32', [out[d] for d in dims])} parameter(0)",
                   f"ROOT r = {array('f32', out)} broadcast(a), dimensions={braces(dims)}"])


def reshape(r):
    sizes = drawn_sizes(r, 3)
    return module([f"a = {array('s32', sizes)} parameter(0)",
                   f"ROOT r = {array('s32', [sizes[0] * sizes[1], 1, sizes[2]])} reshape(a)"])


def transpose(r):
    sizes, order = drawn_sizes(r, 4), r.sample(range(4), 4)
    return module([f"a = {array('f32', sizes)} parameter(0)",
                   f"ROOT r = {array('f32', [sizes[d] for d in order])} transpose(a), dimensions={braces(order)}"])


def reverse(r):
    shape = array("f32", drawn_sizes(r, 3))
    return module([f"a = {shape} parameter(0)",
                   f"ROOT r = {shape} reverse(a), dimensions={braces(sorted(r.sample(range(3), r.randint(1, 3))))}"])


def slices(r):
    sizes, parts, out = drawn_sizes(r, 3, 2, 8), [], []
    for n in sizes:
        low = r.randint(0, n - 1)
        high, step = r.randint(low + 1, n), r.randint(1, 3)
        parts.append(f"[{low}:{high}:{step}]")
        out.append(-(-(high - low) // step))
    return module([f"a = {array('f32', sizes)} parameter(0)",
                   f"ROOT r = {array('f32', out)} slice(a), slice={{{','.join(parts)}}}"])


def pad(r):
    sizes, parts, out = drawn_sizes(r, 3, 2, 5), [], []
    most = r.choice([0, 2])
    for n in sizes:
        interior = r.randint(0, most)
        wide = (n - 1) * (interior + 1) + 1
        low = r.randint(-1, 2)
        high = r.randint(max(-2, -wide - low), 3)
        parts.append(f"{low}_{high}_{interior}")
        out.append(wide + low + high)
    kind, value = r.choice([("f32", "parameter(1)"), ("f32", "constant(0.1)"), ("s8", "constant(-7)"),
                            ("u64", f"constant({2**64 - 1})"), ("s64", f"constant({-2**60 - 1})")])
    return module([f"a = {array(kind, sizes)} parameter(0)", f"v = {kind}[] {value}",
                   f"ROOT r = {array(kind, out)} pad(a, v), padding={'x'.join(parts)}"])


def concatenate(r):
    sizes, d = drawn_sizes(r, 3), r.randrange(3)
    other = [r.randint(1, 5) if i == d else n for i, n in enumerate(sizes)]
    out = [n + other[i] if i == d else n for i, n in enumerate(sizes)]
    return module([f"a = {array('f32', sizes)} parameter(0)", f"b = {array('f32', other)} parameter(1)",
                   f"ROOT r = {array('f32', out)} concatenate(a, b), dimensions={{{d}}}"])


def iota(r):
    sizes = drawn_sizes(r, 3)
    return module([f"ROOT r = {array(r.choice(FLOATS + INTEGERS), sizes)} iota(), iota_dimension={r.randrange(3)}"])


def moved_starts(r, kind, count):
    """Lines and names of scalars, some below 0, some beyond."""
    lines, names = [], []
    for i in range(count):
        lines += [f"p{i} = {kind}[] parameter({i})", f"q{i} = {kind}[] constant({r.randint(-4, 4)})",
                  f"at{i} = {kind}[] add(p{i}, q{i})"]
        names.append(f"at{i}")
    return lines, ", ".join(names)


def dynamic_slice(r):
    sizes = drawn_sizes(r, r.randint(1, 3))
    taken = [r.randint(1, n) for n in sizes]
    lines, starts = moved_starts(r, r.choice(["s32", "s64"]), len(sizes))
    return module([*lines, f"a = {array('f32', sizes)} parameter({len(sizes)})",
                   f"ROOT r = {array('f32', taken)} dynamic-slice(a, {starts}), dynamic_slice_sizes={braces(taken)}"])


def dynamic_update_slice(r):
    sizes = drawn_sizes(r, r.randint(1, 3))
    put, n = [r.randint(1, n) for n in sizes], len(sizes)
    lines, starts = moved_starts(r, r.choice(["s32", "s64"]), n)
    return module([*lines, f"a = {array('f32', sizes)} parameter({n})", f"u = {array('f32', put)} parameter({n + 1})",
                   f"ROOT r = {array('f32', sizes)} dynamic-update-slice(a, u, {starts})"])


def index_of_largest():
    """Two arrays at once: an element and its place."""
    return ("pair {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n  j = s32[] parameter(3)\n"
            "  p = pred[] compare(a, b), direction=GE\n  v = f32[] select(p, a, b)\n  k = s32[] select(p, i, j)\n"
            "  ROOT r = (f32[], s32[]) tuple(v, k)\n}\n\n")


def by_region(r):
    kind = r.choice(FLOATS + ("s32", "u32"))
    by = r.choice(["sum", "product", "largest", "smallest"] + (["odd"] if kind[0] != "f" else []))
    return kind, by


def reduce(r):
    sizes = drawn_sizes(r, 3, 2)  # of a dimension of size 1 XLA drops what the reduction begins with
    axes = r.sample(range(3), r.randint(1, 3))
    out = [n for i, n in enumerate(sizes) if i not in axes]
    if r.random() < 0.3:
        return module([f"a = {array('f32', sizes)} parameter(0)", f"i = {array('s32', sizes)} iota(), iota_dimension={axes[0]}",
                       "z = f32[] constant(-inf)", "k = s32[] constant(-1)",
                       f"ROOT r = ({array('f32', out)}, {array('s32', out)}) reduce(a, i, z, k), "
                       f"dimensions={braces(axes)}, to_apply=pair"], index_of_largest())
    kind, by = ("s8", "bounded") if r.random() < 0.2 else by_region(r)
    first = r.randint(0, 2) + (120 if by == "bounded" else 0)  # its sums wrap
    return module([f"a = {array(kind, sizes)} parameter(0)", f"z = {kind}[] constant({first})",
                   f"ROOT r = {array(kind, out)} reduce(a, z), dimensions={braces(axes)}, to_apply={by}"], region(by, kind))


def drawn_window(r, sizes, gaps=True):
    """The text of a window over these sizes, and how often it fits along each."""
    size, stride, pads, base, taps, out = [], [], [], [], [], []
    for n in sizes:
        while True:
            k, s, low, high = r.randint(1, 3), r.randint(1, 2), r.randint(0, 2), r.randint(0, 2)
            b, t = (r.randint(1, 2), r.randint(1, 2)) if gaps else (1, 1)
            free = (n - 1) * b + 1 + low + high - ((k - 1) * t + 1)
            if free >= 0:
                break
        for to, value in ((size, k), (stride, s), (pads, f"{low}_{high}"), (base, b), (taps, t), (out, free // s + 1)):
            to.append(value)
    fields = [("size", size), ("stride", stride), ("pad", pads), ("lhs_dilate", base), ("rhs_dilate", taps)]
    return " ".join(f"{name}={'x'.join(map(str, values))}" for name, values in fields), out


def reduce_window(r):
    sizes = drawn_sizes(r, r.choice([2, 4]), 1, 6)
    window, out = drawn_window(r, sizes)
    if r.random() < 0.2:
        return module([f"a = {array('f32', sizes)} parameter(0)", f"i = {array('s32', sizes)} iota(), iota_dimension=1",
                       "z = f32[] constant(-inf)", "k = s32[] constant(-1)",
                       f"ROOT r = ({array('f32', out)}, {array('s32', out)}) reduce-window(a, i, z, k), "
                       f"window={{{window}}}, to_apply=pair"], index_of_largest())
    kind, by = by_region(r)
    first = "-inf" if by == "largest" and kind[0] == "f" else "1" if by == "product" else "0"
    if r.random() < 0.3:  # as pooling and sums so far have it
        n, window, out = sizes[1], "size=" + "x".join("1" if i != 1 else "%d" % sizes[1] for i in range(len(sizes))), sizes
        window += " pad=" + "x".join("0_0" if i != 1 else f"{n - 1}_0" for i in range(len(sizes)))
    return module([f"a = {array(kind, sizes)} parameter(0)", f"z = {kind}[] constant({first})",
                   f"ROOT r = {array(kind, out)} reduce-window(a, z), window={{{window}}}, to_apply={by}"], region(by, kind))


def select_and_scatter(r):
    """Elements differ, since which of equal ones XLA's compiler for processors selects is its own choice."""
    sizes = drawn_sizes(r, 3, 2, 6)
    window, out = drawn_window(r, sizes, gaps=False)
    window, shape = window.split(" lhs_dilate")[0], array("f32", sizes)
    return module([f"a = {shape} parameter(0)", f"s = {array('f32', out)} parameter(1)", "z = f32[] constant(0.5)",
                   f"i = f32[{sizes[0] * sizes[1] * sizes[2]}] iota(), iota_dimension=0", f"j = {shape} reshape(i)",
                   "h = f32[] constant(0.0001)", f"k = {shape} broadcast(h), dimensions={{}}", f"l = {shape} multiply(j, k)",
                   f"b = {shape} add(a, l)",
                   f"ROOT r = {shape} select-and-scatter(b, s, z), window={{{window}}}, select=at_least, "
                   "scatter=sum"], region("at_least", "f32") + region("sum", "f32"))


def drawn_places(r, sizes):
    """What gather and scatter share: which dimensions indices tell, which windows lack, sizes of windows, batching."""
    rank = len(sizes)
    batching = r.sample(range(rank), 1) if rank > 2 and r.random() < 0.3 else []
    free = [d for d in range(rank) if d not in batching]
    told = r.sample(free, r.randint(1, len(free)))
    window = [1 if d in batching else r.randint(1, n) for d, n in enumerate(sizes)]
    gone = sorted(d for d in free if window[d] == 1 and r.random() < 0.8)
    batch = drawn_sizes(r, r.randint(1, 2), 1, 4)
    of_indices = []
    if batching:
        of_indices = [r.randrange(len(batch))]
        batch[of_indices[0]] = sizes[batching[0]]
    vector = len(batch) if len(told) > 1 or r.random() < 0.7 else len(batch) + 1
    place = r.randint(0, len(batch)) if vector == len(batch) else len(batch)
    shape = list(batch)
    if vector == len(batch):
        shape.insert(place, len(told))
    of_indices = [d + (vector == len(batch) and d >= place) for d in of_indices]
    return told, gone, window, batch, batching, of_indices, shape, place


def moved_indices(r, shape):
    kind = r.choice(["s32", "s64"])
    return [f"j = {array(kind, shape)} parameter(1)", f"o = {kind}[] constant({r.choice([0, -1, -2, 1])})",
            f"p = {array(kind, shape)} broadcast(o), dimensions={{}}", f"i = {array(kind, shape)} add(j, p)"]


def in_places(window, batch, where):
    window, batch = iter(window), iter(batch)
    return [next(window) if here else next(batch) for here in where]


def gather(r):
    sizes = drawn_sizes(r, r.randint(1, 4))
    told, gone, window, batch, batching, of_indices, shape, place = drawn_places(r, sizes)
    kept = [n for d, n in enumerate(window) if d not in gone and d not in batching]
    rank = len(kept) + len(batch)
    offset = sorted(r.sample(range(rank), len(kept)))
    out = in_places(kept, batch, [d in offset for d in range(rank)])
    return module([f"a = {array('f32', sizes)} parameter(0)", *moved_indices(r, shape),
                   f"ROOT r = {array('f32', out)} gather(a, i), offset_dims={braces(offset)}, "
                   f"collapsed_slice_dims={braces(gone)}, start_index_map={braces(told)}, "
                   f"operand_batching_dims={braces(batching)}, start_indices_batching_dims={braces(of_indices)}, "
                   f"index_vector_dim={place}, slice_sizes={braces(window)}"])


def drawn_scatter(r):
    sizes = drawn_sizes(r, r.randint(1, 4))
    told, gone, window, batch, batching, of_indices, shape, place = drawn_places(r, sizes)
    kept = [n for d, n in enumerate(window) if d not in gone and d not in batching]
    rank = len(kept) + len(batch)
    of_window = sorted(r.sample(range(rank), len(kept)))
    updates = in_places(kept, batch, [d in of_window for d in range(rank)])
    by = r.choice(["sum", "product", "largest", "smallest", "second"])
    how = (f"update_window_dims={braces(of_window)}, inserted_window_dims={braces(gone)}, "
           f"scatter_dims_to_operand_dims={braces(told)}, input_batching_dims={braces(batching)}, "
           f"scatter_indices_batching_dims={braces(of_indices)}, index_vector_dim={place}")
    return sizes, updates, moved_indices(r, shape), by, how


def scatter(r):
    sizes, updates, indices, by, how = drawn_scatter(r)
    return module([f"a = {array('f32', sizes)} parameter(0)", *indices, f"u = {array('f32', updates)} parameter(2)",
                   f"ROOT r = {array('f32', sizes)} scatter(a, i, u), {how}, to_apply={by}"],
                  SECOND if by == "second" else region(by, "f32"))


def scatter_of_complex(r):
    sizes, updates, indices, by, how = drawn_scatter(r)
    by = "second" if by == "second" else "sum"
    real, whole = array("f32", sizes), array("c64", sizes)
    parts, all_parts = array("f32", updates), array("c64", updates)
    return module([f"a = {real} parameter(0)", *indices, f"u = {parts} parameter(2)", f"b = {real} cosine(a)", f"v = {parts} cosine(u)",
                   f"c = {whole} complex(a, b)", f"w = {all_parts} complex(u, v)", f"r = {whole} scatter(c, i, w), {how}, to_apply={by}",
                   f"x = {real} real(r)", f"y = {real} imag(r)", f"ROOT t = ({real}, {real}) tuple(x, y)"],
                  SECOND.replace("f32", "c64") if by == "second" else region(by, "c64"))


def sort(r):
    sizes, axis = drawn_sizes(r, 2, 1, 9), r.randrange(2)
    kind = r.choice(["f32", "s32", "u32"])
    by = r.choice(["below", "above"] + (["below_in_total"] if kind == "f32" else []))
    keys, values = array(kind, sizes), array("s32", sizes)
    if r.random() < 0.4:
        return module([f"a = {keys} parameter(0)", f"ROOT r = {keys} sort(a), dimensions={{{axis}}}, to_apply={by}"],
                      region(by, kind))
    lines = REGIONS[by]
    pairs = (f"{by} {{\n  x = {kind}[] parameter(0)\n  y = {kind}[] parameter(1)\n  i = s32[] parameter(2)\n"
             f"  j = s32[] parameter(3)\n  ROOT r = pred[] {lines}\n}}\n\n")
    return module([f"a = {keys} parameter(0)", f"i = {values} iota(), iota_dimension={axis}",
                   f"ROOT r = ({keys}, {values}) sort(a, i), dimensions={{{axis}}}, is_stable=true, to_apply={by}"], pairs)


def top_k(r):
    sizes = drawn_sizes(r, 2, 2, 9)
    k = r.randint(1, sizes[1])
    out = [sizes[0], k]
    return module([f"a = {array('f32', sizes)} parameter(0)",
                   f"ROOT r = ({array('f32', out)}, {array('s32', out)}) topk(a), k={k}, largest=true"])


def random_bits(r):
    """The state may be at the end of what a word counts to. Integers with a sign are compared by their bits: on its way
    through StableHLO jaxlib's XLA takes them for integers without one."""
    algorithm, words = r.choice([("rng_three_fry", 2), ("rng_philox", 2), ("rng_philox", 3), ("rng_default", 2), ("rng_default", 3)])
    sizes, kind = drawn_sizes(r, r.randint(0, 3)), r.choice(INTEGERS)
    state = ", ".join(str(r.choice([r.getrandbits(64), 2**64 - 1, 2**32 - 1, 7])) for _ in range(words))
    types = f"(u64[{words}], {array(kind, sizes)})"
    lines = [f"a = u64[{words}] parameter(0)", f"s = u64[{words}] constant({{{state}}})", f"b = u64[{words}] add(a, s)"]
    bits = f"{types} rng-bit-generator(b), algorithm={algorithm}"
    if kind[0] == "u":
        return module([*lines, f"ROOT r = {bits}"])
    return module([*lines, f"t = {bits}", f"n = {array(kind, sizes)} get-tuple-element(t), index=1",
                   f"ROOT r = {array('u' + kind[1:], sizes)} bitcast-convert(n)"])


def loop(r):
    shape = array("f32", drawn_sizes(r, 2))
    state = f"(s32[], {shape})"
    parts = (f"  t = {state} parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n")
    condition = (f"goes_on {{\n{parts}  n = s32[] constant({r.randint(0, 6)})\n"
                 "  ROOT p = pred[] compare(i, n), direction=LT\n}\n\n")
    body = (f"round {{\n{parts}  x = {shape} get-tuple-element(t), index=1\n  one = s32[] constant(1)\n"
            f"  j = s32[] add(i, one)\n  y = {shape} {r.choice(['tanh', 'cosine', 'negate'])}(x)\n"
            f"  z = {shape} add(x, y)\n  ROOT u = {state} tuple(j, z)\n}}\n\n")
    return module([f"i = s32[] parameter(0)", f"a = {shape} parameter(1)", f"t = {state} tuple(i, a)",
                   f"ROOT r = {state} while(t), condition=goes_on, body=round"], condition + body)


def conditional(r):
    shape = array("f32", drawn_sizes(r, 2))
    count = r.randint(1, 4)
    by_pred = r.random() < 0.4
    count = 2 if by_pred else count
    opcodes = ["negate", "tanh", "cosine", "floor"]
    branches = "".join(f"b{i} {{\n  x = {shape} parameter(0)\n  ROOT y = {shape} {opcodes[i]}(x)\n}}\n\n" for i in range(count))
    operands = ", ".join(f"a{i}" for i in range(count))
    lines = [f"a{i} = {shape} parameter({i})" for i in range(count)]
    if by_pred:
        lines += [f"c = pred[] parameter({count})", f"ROOT r = {shape} conditional(c, {operands}), "
                  "true_computation=b0, false_computation=b1"]
    else:
        lines += [f"p = s32[] parameter({count})", f"q = s32[] constant({r.randint(-3, 2)})", "c = s32[] add(p, q)",
                  f"ROOT r = {shape} conditional(c, {operands}), branch_computations={braces(f'b{i}' for i in range(count))}"]
    return module(lines, branches)


def call(r):
    return module(["a = f32[] parameter(0)", "b = f32[] parameter(1)", "ROOT r = f32[] call(a, b), to_apply=sum"],
                  region("sum", "f32"))


def tuples(r):
    shape = array("f32", drawn_sizes(r, 1))
    return module([f"a = {shape} parameter(0)", "b = s32[] parameter(1)", f"t = ({shape}, s32[]) tuple(a, b)",
                   f"u = {shape} get-tuple-element(t), index=0", f"c = {shape} copy(u)",
                   f"ROOT r = ({shape}, s32[]) tuple(c, b)"])


UNARY = {name: plain(name, 1, FLOATS) for name in (
    "cbrt ceil cosine erf exponential exponential-minus-one floor log log-plus-one logistic round-nearest-afz "
    "round-nearest-even rsqrt sine sqrt tan tanh").split()}
FOLDED = {name: folded(name, low, high) for name, low, high in (
    ("acos", -1, 1), ("acosh", 1, 9), ("asin", -1, 1), ("asinh", -9, 9), ("atanh", -0.99, 0.99), ("cosh", -4, 4), ("sinh", -4, 4))}
CASES = {
    **UNARY, **FOLDED, "atan2 of complex numbers": folded("atan2", 0, 1),
    "abs": plain("abs", 1, FLOATS + ("s8", "s32", "s64")), "negate": plain("negate", 1, FLOATS + INTEGERS),
    "sign": plain("sign", 1, FLOATS + ("s8", "s32", "s64")), "is-finite": plain("is-finite", 1, FLOATS, "pred"),
    "not": plain("not", 1, INTEGERS + ("pred",)), "popcnt": plain("popcnt", 1, INTEGERS),
    "count-leading-zeros": plain("count-leading-zeros", 1, INTEGERS),
    "add": plain("add", 2, FLOATS + INTEGERS), "subtract": plain("subtract", 2, FLOATS + INTEGERS),
    "multiply": plain("multiply", 2, FLOATS + INTEGERS + ("pred",)), "divide": divided("divide"),
    "remainder": divided("remainder"), "maximum": plain("maximum", 2, FLOATS + INTEGERS + ("pred",)),
    "minimum": plain("minimum", 2, FLOATS + INTEGERS + ("pred",)), "power": plain("power", 2, FLOATS + ("s32", "s64")),
    "atan2": plain("atan2", 2, FLOATS), "and": plain("and", 2, INTEGERS + ("pred",)), "or": plain("or", 2, INTEGERS + ("pred",)),
    "xor": plain("xor", 2, INTEGERS + ("pred",)), "shift-left": shift("shift-left"),
    "shift-right-arithmetic": shift("shift-right-arithmetic"), "shift-right-logical": shift("shift-right-logical"),
    "compare": compare, "convert": convert, "bitcast-convert": bitcast_convert, "reduce-precision": reduce_precision,
    "select": select, "clamp": clamp, "broadcast": broadcast, "reshape": reshape, "transpose": transpose, "reverse": reverse,
    "slice": slices, "pad": pad, "concatenate": concatenate, "iota": iota, "dynamic-slice": dynamic_slice,
    "dynamic-update-slice": dynamic_update_slice, "reduce": reduce, "reduce-window": reduce_window,
    "map": map_by, "cholesky": cholesky, "triangular-solve": triangular_solve, "select-and-scatter": select_and_scatter, "gather": gather, "scatter": scatter, "sort": sort,
    "scatter of complex numbers": scatter_of_complex, "sort of complex numbers": sort_of_complex,
    "complex, real, imag": complex_numbers, "fft": fourier, "topk": top_k, "dot": dot,
    "convolution": convolution(""), "convolution, groups of channels": convolution("channels"),
    "convolution, groups of the batch": convolution("batch"), "rng-bit-generator": random_bits, "while": loop, "conditional": conditional, "call": call,
    "tuple, get-tuple-element, copy": tuples}
