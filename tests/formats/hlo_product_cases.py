"""Modules drawn for opcodes of matrices: products, convolutions, factors and systems (hlo_cases.py)."""

from hlo_texts import FLOATS, array, braces, drawn_sizes, module


def dot(r):
    names = {name: r.randint(1, 4) for name in "bcdmn"}
    left, right = ["b", "c", "d", "m"], ["b", "c", "d", "n"]
    r.shuffle(left)
    r.shuffle(right)
    attributes = [f"{side}_{what}_dims={braces([own.index(n) for n in dims])}"
                  for side, own in (("lhs", left), ("rhs", right)) for what, dims in (("batch", "b"), ("contracting", "cd"))]
    kind, gives = r.choice([("f32", "f32"), ("f64", "f64"), ("s32", "s32"), ("f16", "f32"), ("bf16", "f32")])
    return module([f"a = {array(kind, [names[n] for n in left])} parameter(0)",
                   f"b = {array(kind, [names[n] for n in right])} parameter(1)",
                   f"ROOT r = {array(gives, [names[n] for n in 'bmn'])} dot(a, b), {', '.join(attributes)}"])


def shuffled(r, names, sizes):
    order = list(names)
    r.shuffle(order)
    return "".join(order), [sizes[n] for n in order]


def convolution(groups_of):
    """`groups_of`: nothing, channels or the batch."""
    def draw(r):
        spatial = r.randint(1, 2)
        groups = r.randint(2, 3) if groups_of else 1
        batch, channels, outputs = r.randint(1, 2), r.randint(1, 2), groups * r.randint(1, 2)
        if groups_of == "batch":
            batch *= groups
        places = "01"[:spatial]
        dims, taps = drawn_sizes(r, spatial, 3, 6), drawn_sizes(r, spatial, 1, 3)
        fields, out = [[], [], [], [], []], []
        for n, k in zip(dims, taps, strict=True):
            s, b, t = r.randint(1, 2), r.choice([1, 1, 2]), r.choice([1, 1, 2])
            extent, wide = (k - 1) * t + 1, (n - 1) * b + 1
            low = r.randint(-1, 2)
            high = max(r.randint(-1, 2), extent - wide - low)
            out.append((wide + low + high - extent) // s + 1)
            for to, value in zip(fields, (s, f"{low}_{high}", b, t, r.choice([0, 0, 1])), strict=True):
                to.append(str(value))
        window = " ".join(f"{name}={'x'.join(values)}" for name, values in
                          zip(("size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"),
                              ([str(k) for k in taps], *fields), strict=True))
        of_image = channels * (groups if groups_of == "channels" else 1)
        image, x = shuffled(r, "bf" + places, {"b": batch, "f": of_image, **dict(zip(places, dims, strict=True))})
        kernel, w = shuffled(r, "oi" + places, {"o": outputs, "i": channels, **dict(zip(places, taps, strict=True))})
        of_result = batch // groups if groups_of == "batch" else batch
        result, y = shuffled(r, "bf" + places, {"b": of_result, "f": outputs, **dict(zip(places, out, strict=True))})
        more = {"channels": f", feature_group_count={groups}", "batch": f", batch_group_count={groups}"}.get(groups_of, "")
        return module([f"a = {array('f32', x)} parameter(0)", f"w = {array('f32', w)} parameter(1)",
                       f"ROOT r = {array('f32', y)} convolution(a, w), window={{{window}}}, "
                       f"dim_labels={image}_{kernel}->{result}{more}"])
    return draw


def triangle(shape, rank, direction):
    """Where a row's number lies so to its column's."""
    return [f"i = {shape} iota(), iota_dimension={rank - 2}", f"j = {shape} iota(), iota_dimension={rank - 1}",
            f"t = {shape.replace('s32', 'pred')} compare(i, j), direction={direction}"]


def cholesky(r):
    """Of a product with its transpose, and more on the diagonal; compared is the triangle that has a meaning."""
    batch, n, kind = drawn_sizes(r, r.randint(0, 1)), r.randint(1, 6), r.choice(FLOATS)
    sizes, rank = [*batch, n, n], len(batch) + 2
    shape, lower = array(kind, sizes), r.random() < 0.5
    dims = "".join(f"{side}_batch_dims={braces(range(len(batch)))}, " for side in ("lhs", "rhs")) if batch else ""
    return module([f"m = {shape} parameter(0)",
                   f"p = {shape} dot(m, m), {dims}lhs_contracting_dims={{{rank - 1}}}, rhs_contracting_dims={{{rank - 1}}}",
                   *triangle(array("s32", sizes), rank, "EQ"), f"k = {kind}[] constant(2)", f"z = {kind}[] constant(0)",
                   f"ks = {shape} broadcast(k), dimensions={{}}", f"zs = {shape} broadcast(z), dimensions={{}}",
                   f"d = {shape} select(t, ks, zs)", f"a = {shape} add(p, d)",
                   f"c = {shape} cholesky(a), lower={str(lower).lower()}",
                   f"u = {array('pred', sizes)} compare(i, j), direction={'GE' if lower else 'LE'}",
                   f"ROOT r = {shape} select(u, c, zs)"])


def triangular_solve(r):
    """The diagonal lies away from 0; the other triangle holds numbers that nobody may read."""
    batch, n, m, kind = drawn_sizes(r, r.randint(0, 1)), r.randint(1, 6), r.randint(1, 4), r.choice(FLOATS)
    sizes, rank, left = [*batch, n, n], len(batch) + 2, r.random() < 0.5
    shape, of_b = array(kind, sizes), array(kind, [*batch, *((n, m) if left else (m, n))])
    flags = ", ".join(f"{name}={r.choice(['true', 'false'])}" for name in ("lower", "unit_diagonal"))
    return module([f"p = {shape} parameter(0)", f"b = {of_b} parameter(1)", *triangle(array("s32", sizes), rank, "EQ"),
                   f"k = {kind}[] constant(5)", f"z = {kind}[] constant(0)", f"ks = {shape} broadcast(k), dimensions={{}}",
                   f"zs = {shape} broadcast(z), dimensions={{}}", f"d = {shape} select(t, ks, zs)", f"a = {shape} add(p, d)",
                   f"ROOT r = {of_b} triangular-solve(a, b), left_side={str(left).lower()}, {flags}, "
                   f"transpose_a={r.choice(['NO_TRANSPOSE', 'TRANSPOSE', 'ADJOINT'])}"])
