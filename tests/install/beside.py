"""Programs that import isomer and other packages into one process, in some order, and have each do something then.

Several of these packages bring LLVM, protobuf, OpenBLAS or HiGHS of their own. Copies that met would show at the second
import, or at the first use after it."""

import itertools
from pathlib import Path

# Each does something with what it brought, after all were imported. `model`: a path.
WORK = {
    "numpy": "import numpy as m; a = m.ones((99, 99)); assert (a @ a)[0, 0] == 99",
    "scipy": "import scipy.optimize as m; assert m.milp([1], integrality=[1], bounds=m.Bounds(0.5, 3)).x[0] == 1",
    "onnx": "import onnx as m; m.checker.check_model(m.load(model))",
    "onnxruntime": "import onnxruntime as m; m.InferenceSession(model, providers=['CPUExecutionProvider'])",
    "numba": "import numba as m; assert m.njit(lambda x: x + 1)(1) == 2",
    "jax": "import jax as m; assert m.jit(lambda x: x * 2)(3.0) == 6; a = m.numpy.ones((99, 99)); assert (a @ a)[0, 0] == 99",
    "torch": "import torch as m; a = m.ones(99, 99); assert (a @ a)[0, 0] == 99",
    "isomer": """import isomer as m, numpy as n
m.optimize(model, 'beside.onnx', no_measure=True, no_report=True, cost='roofline:cpu', time_limit=5)
kernel = m.compile(model)
assert all(n.isfinite(y).all() for y in kernel(*[n.ones(i['shape'], m.native.TYPES[i['type']]) for i in kernel.inputs]))""",
}
# Those with a code generator of their own, as isomer has: of these every order is tried.
GENERATORS = ("torch", "jax", "numba")


def orders(generators: list[str], others: list[str]) -> list[list[str]]:
    """Every order of isomer and the generators; isomer at each place among all, forwards and backwards."""
    tried = [list(order) for order in itertools.permutations(["isomer", *generators])]
    for some in ([*others, *generators], [*generators[::-1], *others[::-1]]) if others else ():
        tried += [[*some[:place], "isomer", *some[place:]] for place in range(len(some) + 1)]
    return tried


def program(order: list[str], model: Path) -> str:
    """Imports in this order; then each works in turn, twice: a second time beside what the others' first time left."""
    lines = [f"import {name}" for name in order] + [f"model = {str(model)!r}"]
    return "\n".join(lines + 2 * [WORK[name] for name in order] + ["print('done')"])
