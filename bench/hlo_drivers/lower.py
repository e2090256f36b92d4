#!/usr/bin/env python3
"""lower.py PACKAGE [--sizes 3,4,6] [--compile]: lowers what the driver of a package calls, for `isomer hlo collect` to keep.

Each case is lowered as it is, as its gradient and as a batch of three, and written into XLA's dump folder as XLA would dump it before its
first pass, under a name that says so. Compiling takes half of the time (optax) to three quarters (numpyro) and is needed for nothing; with
--compile XLA does it all the same and dumps the module by itself. A case that a package refuses is said and passed over. Drivers:
networks.py, optimisers.py, probability.py, decisions.py, science.py; a function a package.
"""

import argparse
import importlib
import os
import re
import sys
from pathlib import Path

PARTS = ("networks", "optimisers", "probability", "decisions", "science")


def driver(package):
    for part in PARTS:
        module = importlib.import_module(part)
        found = getattr(module, package.replace("-", "_"), None)
        if found is not None:
            return found
    raise SystemExit(f"{package}: there is no driver")


def forms(function, arguments):
    """Name, function, arguments."""
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

    yield "value", function, arguments
    if places:
        yield "gradient", jax.grad(of_floats), ([leaves[i] for i in places],)
    yield "batch", jax.vmap(function), jax.tree.map(lambda x: jnp.stack([x] * 3), arguments)


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
    return f"{head}{marks}\n{body}"


def dump_folder():
    folders = re.findall(r"--xla_dump_to=(\S+)", os.environ.get("XLA_FLAGS", ""))
    if not folders:
        raise SystemExit("XLA_FLAGS has no --xla_dump_to: isomer hlo collect sets it")
    return Path(folders[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package")
    parser.add_argument("--sizes", default="3,4,6")
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    import jax

    folder = None if arguments.compile else dump_folder()
    lowered = refused = 0
    for size in map(int, arguments.sizes.split(",")):
        cases = driver(arguments.package)(size)
        while True:
            try:
                name, function, operands = next(cases)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001: what a package does not do on this jax ends its cases of this size
                print(f"{arguments.package} {size}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
                refused += 1
                break
            for form, f, x in forms(function, operands):
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
                    print(f"{arguments.package} {name} {form}: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}", file=sys.stderr)
    print(f"{arguments.package}: {lowered} lowered, {refused} refused", file=sys.stderr)


if __name__ == "__main__":
    main()
