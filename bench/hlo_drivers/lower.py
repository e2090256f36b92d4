#!/usr/bin/env python3
"""lower.py PACKAGE [--sizes 3,4,6] [--parts training] [--forms tangent] [--most 40] [--compile]: lowers what the drivers of a package
call, for `isomer hlo collect` to keep.

Each case is lowered in five forms (as it is, its gradient, a batch of three, its forward derivative, and the gradients of each of a
batch), and written into XLA's dump folder as XLA would dump it before its first pass, under a name that says so. Compiling takes half of
the time (optax) to three quarters (numpyro) and is needed for nothing; with --compile XLA does it all the same and dumps the module by
itself (bench/hlo_lowered.py holds one to the other). A case that a package refuses is said and passed over. Drivers: the files of PARTS;
a function a package, of some packages in two of them.
"""

import argparse
import gc
import importlib
import inspect
import itertools
import os
import re
import sys
from pathlib import Path

PARTS = ("networks", "optimisers", "probability", "decisions", "science", "arrays", "training", "densities", "layers")
FORMS = ("value", "gradient", "batch", "tangent", "gradients")


def drivers(package, parts):
    """The functions of the name of the package: generators of cases, for a size."""
    found = [getattr(importlib.import_module(part), package.replace("-", "_"), None) for part in parts]
    found = [one for one in found if inspect.isgeneratorfunction(one)]
    if not found:
        raise SystemExit(f"{package}: there is no driver")
    return found


def forms(function, arguments):
    """Name, function, arguments: of FORMS those that make sense."""
    import jax
    import jax.numpy as jnp

    def is_float(leaf):
        return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)

    def total(of):
        return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(of) if is_float(leaf))

    leaves, shape = jax.tree.flatten(arguments)
    places = [i for i, leaf in enumerate(leaves) if is_float(leaf)]

    def of_floats(floats):
        whole = list(leaves)
        for place, leaf in zip(places, floats, strict=True):
            whole[place] = leaf
        return total(function(*jax.tree.unflatten(shape, whole)))

    def three_times(of):
        kinds = jax.tree.map(jax.typeof, of)
        return jax.tree.map(lambda kind: jax.ShapeDtypeStruct((3, *kind.shape), kind.dtype), kinds)

    floats = [leaves[i] for i in places]
    yield "value", function, arguments
    yield "batch", jax.vmap(function), three_times(arguments)
    if places:
        yield "gradient", jax.grad(of_floats), (floats,)
        yield "tangent", lambda x, along: jax.jvp(of_floats, (x,), (along,)), (floats, floats)
        yield "gradients", jax.vmap(jax.grad(of_floats)), (three_times(floats),)


def as_dumped(lowered):
    """The text that XLA dumps of a lowered function before its first pass: its module, as jax's options of compilation mark it."""
    from jaxlib import _hlo

    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    options.print_metadata = False
    computation = lowered.compiler_ir("hlo")
    shape = computation.program_shape()
    result = shape.result_shape()
    inputs, outputs = len(shape.parameter_shapes()), len(result.tuple_shapes()) if result.is_tuple() else 1
    marks = "".join(f", allow_spmd_sharding_propagation_to_{of}={{{','.join(['true'] * count)}}}"
                    for of, count in (("parameters", inputs), ("output", outputs)) if count)
    head, _, body = computation.as_hlo_module().to_string(options).partition("\n")
    return f"{with_default_layouts(head)}{marks}\n{body}"


def with_default_layouts(head):
    """The line of a module, with a layout from major to minor of each parameter and result: the conversion to HLO gives a result
    that of the instruction which makes it, and compiling does not ask for it."""

    def default(shape):
        rank = shape[1].count(",") + 1 if shape[1] else 0
        return f"[{shape[1]}]{{{','.join(map(str, reversed(range(rank))))}}}"

    return re.sub(r"\[([^\]]*)\]\{[\d,]*\}", default, head)


def dump_folder():
    folders = re.findall(r"--xla_dump_to=(\S+)", os.environ.get("XLA_FLAGS", ""))
    if not folders:
        raise SystemExit("XLA_FLAGS has no --xla_dump_to: isomer hlo collect sets it")
    return Path(folders[-1])


def cases(package, parts, sizes):
    """Size, name, function, arguments of each case. An error of a package ends its cases of that driver and size."""
    for size in sizes:
        for driver in drivers(package, parts):
            try:
                for case in driver(size):
                    yield size, *case
            except Exception as error:  # noqa: BLE001: what a package does not do on this jax
                print(f"{package} {size}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)


def tries(arguments):
    """Size, name, function, arguments of each form of each case that is to be lowered."""
    wanted = arguments.forms.split(",")
    for size, name, function, operands in cases(arguments.package, arguments.parts.split(","), map(int, arguments.sizes.split(","))):
        for form, f, x in forms(function, operands):
            if form in wanted:
                yield size, f"{name} {form}", f, x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package")
    parser.add_argument("--sizes", default="3,4,6")
    parser.add_argument("--parts", default=",".join(PARTS), help="files of drivers")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--most", type=int, default=sys.maxsize, help="how many are tried")
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    import jax

    # Texts have no places of the source, which lowering would look for; nothing here lives long.
    jax.config.update("jax_traceback_in_locations_limit", 0)
    gc.disable()
    folder = None if arguments.compile else dump_folder()
    lowered = refused = 0
    for size, name, f, x in itertools.islice(tries(arguments), arguments.most):
        try:
            one = jax.jit(f).lower(*x)
            if folder is None:
                one.compile()
            else:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"lowered_{lowered:05}.{size}.before_optimizations.txt").write_text(as_dumped(one), encoding="utf-8")
            lowered += 1
        except Exception as error:  # noqa: BLE001: not every function has a gradient or takes batches
            refused += 1
            print(f"{arguments.package} {name}: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}", file=sys.stderr)
    print(f"{arguments.package}: {lowered} lowered, {refused} refused", file=sys.stderr)


if __name__ == "__main__":
    main()
