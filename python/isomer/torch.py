"""isomer.torch.optimize: a PyTorch module, exported, made faster, and called with tensors as before.

    import isomer.torch

    fast = isomer.torch.optimize(module, (x,))      # x: an example of what it is called with
    y = fast(x)                                     # computed by ONNX Runtime; other shapes: by the module itself
    print(fast)                                     # what was gained, and who runs it

Export is PyTorch's own (torch.onnx, torch.export). For inference on the CPU.
"""

from __future__ import annotations

import contextlib
import os
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from . import optimize as optimize_model
from .errors import Error, MissingRuntimeError, UsageError, VerificationError

try:
    import torch
    from torch.utils import _pytree as pytree
except ImportError as error:
    raise MissingRuntimeError(f"isomer.torch needs PyTorch and its exporter (pip install torch onnxscript): {error}") from error

if TYPE_CHECKING:
    from ._isomer import Result
    from .optimize import Options, Path

TOLERANCE = 1e-3  # of the largest element of an output: eager kernels and the runtime's sum in other orders
DTYPES = (torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
SECONDS = 1.0  # of timing module and result beside each other
LEAST_ROUNDS, MOST_ROUNDS = 5, 200


def optimize(module: torch.nn.Module, args: Sequence[Any] | torch.Tensor, kwargs: Mapping[str, Any] | None = None, *,
             dynamic_shapes: Any = None, output: Path | None = None, **options: Unpack[Options]) -> OptimizedModule:
    """Exports the module to ONNX, optimises that (isomer.optimize), and returns what is called like the module.

    module          evaluated as after module.eval(), on the CPU, with the weights that it has now
    args, kwargs    an example of what it is called with; a tensor alone is one argument
    dynamic_shapes  which sizes are left open, as torch.export takes it. Default: none, and calls with other shapes go to
                    the module itself
    output          where the optimised ONNX model is kept. Default: nothing is kept on disk
    options         of isomer.optimize; threads, also those that it runs with, are torch.get_num_threads() by default

    The result computes what the module computes (to 1e-3 of the largest element of each output, on the example: else
    VerificationError) and is not slower on it: where the module itself is faster, it runs that. Raises isomer.Error or one
    of its classes, and what PyTorch's exporter raises.
    """
    example = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    named = dict(kwargs or {})
    leaves = tensors_of((example, named))
    if any(t.device.type != "cpu" for t in (*leaves, *module.parameters(), *module.buffers())):
        raise UsageError("isomer.torch is for modules and tensors on the CPU")
    if any(t.dtype not in DTYPES for t in leaves):
        raise UsageError(f"isomer.torch takes tensors of {', '.join(str(t) for t in DTYPES)}")
    if options.get("provider"):
        raise UsageError("isomer.torch runs what it makes by ONNX Runtime's CPUExecutionProvider: provider is a keyword of isomer.optimize alone")
    options.setdefault("threads", torch.get_num_threads())
    with torch.no_grad(), evaluated(module), tempfile.TemporaryDirectory(prefix="isomer-") as folder:
        expected = unchanging(module, example, named)
        source = os.path.join(folder, "module.onnx")
        torch.onnx.export(module, example, source, kwargs=named, dynamo=True, dynamic_shapes=dynamic_shapes, verbose=False)
        target = os.fspath(output) if output is not None else os.path.join(folder, "result.onnx")
        result = optimize_model(source, target, **options)
        optimised = OptimizedModule(module, target, options["threads"], (example, named), expected, result)
        optimised._check(leaves, expected)
        optimised._choose(example, named)
    return optimised


@contextlib.contextmanager
def evaluated(module: torch.nn.Module) -> Iterator[None]:
    """As after module.eval(); every part is put back."""
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for part, training in modes.items():
            part.training = training


def unchanging(module: torch.nn.Module, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What it returns; UsageError where a call changes its buffers or arguments, which an export would not."""
    state = [*module.buffers(), *module.parameters(), *tensors_of((args, kwargs))]
    before = [t._version for t in state]
    out = module(*args, **kwargs)
    if [t._version for t in state] != before:
        raise UsageError("the module changes buffers or arguments when it is called: what is exported would not")
    return out


class OptimizedModule(torch.nn.Module):
    """What isomer.torch.optimize returns. `result` is isomer.optimize's, `seconds` the median times of a call on the
    example by "onnxruntime" and by "torch", `runs` the one that calls go to."""

    result: Result
    seconds: dict[str, float]
    runs: str

    def __init__(self, module: torch.nn.Module, path: str, threads: int, called: tuple, returned: Any, result: Result) -> None:
        super().__init__()
        self.original = module
        self.result, self.runs, self.seconds = result, "onnxruntime", {}
        self._session = session_of(path, threads)
        self._inputs = self._session.get_inputs()
        self._called = constants_of(called)
        leaves, self._spec = pytree.tree_flatten(returned)
        self._is_tensor = [isinstance(leaf, torch.Tensor) for leaf in leaves]
        self._others = [None if tensor else leaf for tensor, leaf in zip(self._is_tensor, leaves)]
        if sum(self._is_tensor) != len(self._session.get_outputs()):
            raise UsageError(f"the module returns {sum(self._is_tensor)} tensors, its export {len(self._session.get_outputs())}")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        tensors = tensors_of((args, kwargs))
        if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
            raise RuntimeError("an optimised module computes no gradients: call it under torch.no_grad(), or its `original`")
        if self.runs == "onnxruntime" and self._fits(tensors) and constants_of((args, kwargs)) == self._called:
            try:
                return self._run(tensors)
            except Exception as refused:  # noqa: BLE001: the runtime throws many types
                # Exporters fix sizes that a trace took for constants, dynamic or not.
                warnings.warn(f"the exported module does not run here, the module itself does: {str(refused)[:200]}", stacklevel=2)
        with torch.no_grad(), evaluated(self.original):
            return self.original(*args, **kwargs)

    def _fits(self, tensors: list[torch.Tensor]) -> bool:
        """Sizes that are open are 2 or more, as torch.export takes for granted, and one name is one size."""
        if len(tensors) != len(self._inputs):
            return False
        named: dict[str, int] = {}
        for t, i in zip(tensors, self._inputs):
            if t.device.type != "cpu" or len(t.shape) != len(i.shape):
                return False
            for size, wanted in zip(t.shape, i.shape):
                if size != wanted if isinstance(wanted, int) else size < 2 or named.setdefault(wanted, size) != size:
                    return False
        return True

    def _run(self, tensors: list[torch.Tensor]) -> Any:
        feed = {i.name: t.detach().contiguous().numpy() for i, t in zip(self._inputs, tensors)}
        made = iter(self._session.run(None, feed))
        return pytree.tree_unflatten([torch.from_numpy(next(made)) if tensor else other
                                      for tensor, other in zip(self._is_tensor, self._others)], self._spec)

    def _check(self, tensors: list[torch.Tensor], expected: Any) -> None:
        if len(tensors) != len(self._inputs):
            raise UsageError(f"the module takes {len(tensors)} tensors, its export {len(self._inputs)}: what decides nothing is not exported")
        try:
            found = self._run(tensors)
        except Exception as refused:  # noqa: BLE001: the runtime throws many types
            raise Error(f"the runtime does not run what was exported: {refused}") from refused
        for number, (one, other) in enumerate(zip(tensors_of(expected), tensors_of(found))):
            if difference(one, other) > TOLERANCE:
                raise VerificationError(f"output {number} of the exported and optimised module is not what the module computes: it "
                                        f"differs by {difference(one, other):.2g} of the largest element")

    def _choose(self, args: tuple, kwargs: dict[str, Any]) -> None:
        """Who is faster on the example; whole calls, timed in turn."""
        def through(who: str) -> Callable[[], Any]:
            def call() -> Any:
                self.runs = who
                return self(*args, **kwargs)
            return call
        self.seconds = timed({who: through(who) for who in ("onnxruntime", "torch")})
        self.runs = min(self.seconds, key=self.seconds.__getitem__)

    def extra_repr(self) -> str:
        times = ", ".join(f"{who} {seconds * 1e3:.3g} ms" for who, seconds in self.seconds.items())
        return f"runs by {self.runs} ({times} a call); optimised: {self.result.decision}"


def tensors_of(tree: Any) -> list[torch.Tensor]:
    """Its tensors, in the order of torch's trees."""
    return [leaf for leaf in pytree.tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def constants_of(tree: Any) -> tuple:
    """What a trace takes for constant: how the tree is made, and its leaves that are no tensors."""
    leaves, spec = pytree.tree_flatten(tree)
    return str(spec), [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


def difference(wanted: torch.Tensor, found: torch.Tensor) -> float:
    """Of the largest element; infinite where type or shape differ, or what is not finite."""
    if wanted.dtype != found.dtype or wanted.shape != found.shape:
        return float("inf")
    if not wanted.dtype.is_floating_point:
        return 0.0 if torch.equal(wanted, found) else float("inf")
    finite = wanted.isfinite()
    if not torch.equal(finite, found.isfinite()) or not torch.equal(wanted[~finite].nan_to_num(), found[~finite].nan_to_num()):
        return float("inf")
    wanted, found = wanted[finite].double(), found[finite].double()
    return float((wanted - found).abs().max() / wanted.abs().max().clamp(min=1e-12)) if wanted.numel() else 0.0


def timed(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Median seconds of each, called in turn."""
    for call in calls.values():
        call()
    samples: dict[str, list[float]] = {name: [] for name in calls}
    begin = time.perf_counter()
    for done in range(MOST_ROUNDS):
        if done >= LEAST_ROUNDS and time.perf_counter() - begin > SECONDS:
            break
        for name, call in random.sample(list(calls.items()), len(calls)):
            start = time.perf_counter()
            call()
            samples[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in samples.items()}


def session_of(path: str, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as missing:
        raise MissingRuntimeError("isomer.torch runs models by ONNX Runtime: pip install onnxruntime") from missing
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # it would take cores from what runs next
    options.log_severity_level = 4  # what it refuses is told as a warning
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
