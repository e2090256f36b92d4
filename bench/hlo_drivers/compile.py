#!/usr/bin/env python3
"""compile.py PACKAGE [--sizes 3,4,6]: compiles what the driver of a package calls, for `isomer hlo collect` to keep.

Each case is compiled as it is, as its gradient and as a batch of three, but not run. A case that a package refuses is said and
passed over. Drivers: networks.py, optimisers.py, probability.py, decisions.py, science.py; a function a package.
"""

import argparse
import importlib
import sys

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package")
    parser.add_argument("--sizes", default="3,4,6")
    arguments = parser.parse_args()
    import jax

    compiled = refused = 0
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
                    jax.jit(f).lower(*x).compile()
                    compiled += 1
                except Exception as error:  # noqa: BLE001: not every function has a gradient or takes batches
                    refused += 1
                    print(f"{arguments.package} {name} {form}: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}", file=sys.stderr)
    print(f"{arguments.package}: {compiled} compiled, {refused} refused", file=sys.stderr)


if __name__ == "__main__":
    main()
