"""isomer.jax.optimize: a jax function in, an equal one out whose XLA program is ours, and faster.

    import isomer.jax

    fast = isomer.jax.optimize(f, params, x)      # example arguments: pytrees of arrays, or of jax.ShapeDtypeStruct
    y = fast(params, x)                           # under the caller's jit, grad and vmap too
    print(fast.report.why)

The function is exported (jax.export), rewritten as StableHLO, timed and compared by `isomer hlo optimize`, and comes back by
jax's own way of calling what was exported. The idea of a compiler of jax's programs that only rewrites them is that of
Enzyme-JAX (OOPSLA 2025), which replaces XLA's input always; ours keeps the original function unless the gain was confirmed.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable
from typing import Any

from . import hlo
from .errors import InputError, MissingRuntimeError

try:
    import jax
    import jax.custom_batching
    from jax import export
except ImportError as error:
    raise MissingRuntimeError(f"isomer.jax needs the package jax (pip install jax): {error}") from error


class Optimized:
    """Call it as the function that it was made of.

    report      what was found and how it was confirmed; `report.why` in words
    function    what a call calls: a jitted function, or `original` itself where nothing was gained
    original    the function as it was
    """

    def __init__(self, original: Callable[..., Any], function: Callable[..., Any], report: hlo.HloReport) -> None:
        self.original, self.function, self.report = original, function, report
        self.__name__ = getattr(original, "__name__", "optimized")

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.function(*args, **named)

    def __repr__(self) -> str:
        return f"<isomer.jax.Optimized {self.__name__}: {self.report.why}>"


def optimize(f: Callable[..., Any], *example_args: Any, time_limit: float = 60.0, passes: Iterable[str] = (),
             search: str = "rules", threads: int | None = None, tolerance: float = 1e-4, seed: int = 0) -> Optimized:
    """An equal function whose XLA program is faster beyond doubt on this machine's CPU, or `f` itself.

    f             a function of jax, jitted or not; static arguments are bound before (functools.partial)
    example_args  positional arguments: the result is made for their shapes and types. Others go to `f`
    threads       of XLA while it is timed; default: all cores that this process may use, as jax has them
    the others    as in isomer.hlo.optimize
    """
    try:
        exported = export.export(jax.jit(f), platforms=["cpu"])(*example_args)
    except Exception as error:
        raise InputError(f"jax cannot export the function: {error}") from error
    if threads is None:
        threads = len(os.sched_getaffinity(0))
    found, report = hlo.optimize(exported.mlir_module_serialized, passes=passes, search=search, threads=threads,
                                 time_limit=time_limit, tolerance=tolerance, seed=seed)
    if not report.changed:
        return Optimized(f, f, report)
    if any(_is_weak(leaf) for leaf in jax.tree.leaves(jax.eval_shape(f, *example_args))):
        return Optimized(f, f, _given_up(report, "a result is of a weak type, which exported functions do not keep"))
    ours = dataclasses.replace(exported, mlir_module_serialized=found.portable_artifact)
    function = jax.jit(_instead(f, ours.call, example_args))
    if apart := _difference(f, function, example_args, tolerance):
        return Optimized(f, f, _given_up(report, f"on the example arguments {apart}"))
    return Optimized(f, function, report)


def _given_up(report: hlo.HloReport, why: str) -> hlo.HloReport:
    return dataclasses.replace(report, changed=False, why=why, runtime_after_us=report.runtime_before_us)


def _is_weak(leaf: Any) -> bool:
    return bool(getattr(leaf, "weak_type", False))


def _signature(args: Any) -> Any:
    """What a program is made for."""
    leaves, tree = jax.tree.flatten(args)
    return tree, [(jax.numpy.shape(x), jax.dtypes.result_type(x), isinstance(x, (bool, int, float, complex)) or _is_weak(x)) for x in leaves]


def _instead(f: Callable[..., Any], ours: Callable[..., Any], example_args: Any) -> Callable[..., Any]:
    """`ours` where arguments are as the example's, else `f`. Derivatives, and what a batch computes, are those of `f`."""
    wanted = _signature(example_args)

    @jax.custom_batching.custom_vmap
    def computed(*args):
        return ours(*args)

    @computed.def_vmap
    def batched(axis_size, in_batched, *args):
        axes = jax.tree.map(lambda is_batched: 0 if is_batched else None, tuple(in_batched))
        out = jax.vmap(f, in_axes=axes, axis_size=axis_size)(*args)
        return out, jax.tree.map(lambda _: True, out)

    differentiable = jax.custom_jvp(lambda *args: computed(*args))
    differentiable.defjvp(lambda primals, tangents: jax.jvp(f, primals, tangents))

    def chosen(*args, **named):
        if named or jax.default_backend() != "cpu" or _signature(args) != wanted:
            return f(*args, **named)
        return differentiable(*args)

    return chosen


def _difference(f: Callable[..., Any], function: Callable[..., Any], args: Any, tolerance: float) -> str:
    """How results differ on these arguments; nothing where they agree, or where arguments are types only."""
    if any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in jax.tree.leaves(args)):
        return ""
    (ours, tree), (reference, wanted) = jax.tree.flatten(function(*args)), jax.tree.flatten(jax.jit(f)(*args))
    if tree != wanted:
        return f"results are {tree}, expected {wanted}"
    ours, reference = ([_plain(leaf) for leaf in leaves] for leaves in (ours, reference))
    apart = [place for place, (a, b) in enumerate(zip(ours, reference, strict=True)) if not _agree(a, b, tolerance)]
    return f"result {apart[0]} differs" if apart else ""


def _plain(leaf: Any) -> Any:
    """Numbers; of a key of random numbers its own."""
    is_key = hasattr(leaf, "dtype") and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else leaf


def _agree(ours: Any, reference: Any, tolerance: float) -> bool:
    """Up to a part of the largest element; integers, and what is not finite, exactly."""
    np, a, b = hlo.np, hlo.np.asarray(ours), hlo.np.asarray(reference)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biu":
        return np.array_equal(a, b)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64  # bfloat16, for one, has no arithmetic of its own
    a, b = a.astype(wide), b.astype(wide)
    return np.allclose(a, b, rtol=0, atol=tolerance * np.abs(b[np.isfinite(b)]).max(initial=0), equal_nan=True)
