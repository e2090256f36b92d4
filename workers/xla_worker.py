"""XLA's CPU compiler and runtime, through jaxlib, behind the worker protocol (protocol.py): hello, race, optimized,
to_hlo, to_stablehlo, stop. A module is HLO text or StableHLO as MLIR text, which is compiled as jax does it.

The evaluator is HloEnv's (section 4): inputs of one seed, normally distributed for floats and constant otherwise;
warm-ups, then the least of some samples; all outputs compared. Ours times several modules in turn, so that each sample
of one has one of the others beside it. Three times are reported, of one call in microseconds:

    full          inputs copied to the device, the call, outputs fetched to the host
    asynchronous  the call, until its outputs are there
    compute       calls that are waited for together, so that what a call itself costs overlaps with the one before

XLA gets as many cores as the first request's `threads` (affinity; its pool has as many threads): the first ones, or those
that follow the cores of `place` other workers, so that several time modules at once without sharing cores.
"""

import base64
import os
import re
import sys
import time

import protocol
import stablehlo
from processor import cpu_name
from protocol import Missing, Refused

channel = protocol.Channel()
LEAST_SAMPLE = 0.5e-3  # seconds
WARM_UPS = 3


class Xla:
    """jax, imported when it is first needed: the number of threads is settled then."""

    def __init__(self, threads, place):
        cores = sorted(os.sched_getaffinity(0))
        first = place * threads % len(cores)
        os.sched_setaffinity(0, set((cores[first:] + cores)[:threads]))
        os.environ["JAX_PLATFORMS"] = "cpu"
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        try:
            import jax
            import numpy
            from jax._src.lib import _jax, lapack, xla_client
        except ImportError as error:
            raise Missing(str(error)) from error
        jax.config.update("jax_enable_x64", True)
        lapack._lapack.initialize()  # jax does it when it lowers such a call; until then its functions are null
        self.jax, self.numpy, self.inner, self.hlo = jax, numpy, _jax, xla_client.hlo
        self.device = jax.devices("cpu")[0]

    def compile(self, text, disabled, flags=()):
        """The program, and the shapes of its parameters (tuples taken apart)."""
        if is_hlo(text):
            # An input that is given away could be used once only.
            for name in ("input_output_alias", "buffer_donor"):
                text = without(text, name)
            proto = self.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
            computation, module = self.hlo.XlaComputation(proto), self.inner.mlir.hlo_to_stablehlo(proto)
        else:
            computation, module = self.inner.mlir.mlir_module_to_xla_computation(
                text, use_tuple_args=False, return_tuple=False), text
        options = self.inner.CompileOptions()
        options.num_replicas = options.num_partitions = 1
        options.device_assignment = self.inner.DeviceAssignment.create(self.numpy.zeros((1, 1), dtype=int))
        left_out = [("xla_disable_hlo_passes", ",".join(disabled))] if disabled else []
        options.env_option_overrides = [*flags, *left_out]
        program = self.device.client.compile_and_load(module, self.inner.DeviceList((self.device,)), options)
        shapes = computation.program_shape().parameter_shapes()
        return program, [leaf for shape in shapes for leaf in leaves(shape)]

    def inputs(self, shapes, seed):
        """Floats are drawn from N(0, 1); integers are 1, truths true."""
        draw = self.numpy.random.default_rng(seed)
        out = []
        for shape in shapes:
            kind = self.numpy.dtype(shape.element_type())
            if kind.kind == "c":
                values = draw.standard_normal(shape.dimensions()) + 1j * draw.standard_normal(shape.dimensions())
            elif kind.kind in "biu" or self.jax.dtypes.issubdtype(kind, self.numpy.integer):
                values = self.numpy.ones(shape.dimensions())
            else:
                values = draw.standard_normal(shape.dimensions())
            out.append(values.astype(kind))
        return out


def is_hlo(text):
    return text.lstrip().startswith("HloModule")


def without(text, name):
    """Without the attribute `, name={...}` of the module's header."""
    header, newline, rest = text.partition("\n")
    start = header.find(f", {name}={{")
    if start < 0:
        return text
    depth = 0
    for end in range(header.index("{", start), len(header)):
        depth += {"{": 1, "}": -1}.get(header[end], 0)
        if depth == 0:
            return header[:start] + header[end + 1:] + newline + rest
    return text


def leaves(shape):
    return [leaf for part in shape.tuple_shapes() for leaf in leaves(part)] if shape.is_tuple() else [shape]


def call(program, arguments):
    return program.execute_sharded(arguments).disassemble_into_single_device_arrays()


def wait(out):
    for arrays in out:
        arrays[0].block_until_ready()


def difference(numpy, ours, reference):
    """The largest difference as a part of the largest finite element; infinite where types, sizes, integers or what is
    not finite differ."""
    if len(ours) != len(reference):
        return float("inf")
    worst = 0.0
    for a, b in zip(ours, reference):
        if a.dtype != b.dtype or a.shape != b.shape:
            return float("inf")
        if a.dtype.kind in "biu":
            if not numpy.array_equal(a, b):
                return float("inf")
            continue
        wide = numpy.complex128 if a.dtype.kind == "c" else numpy.float64
        a, b = a.astype(wide).ravel(), b.astype(wide).ravel()
        finite = numpy.isfinite(b)
        if not numpy.array_equal(a[~finite], b[~finite], equal_nan=True) or not numpy.isfinite(a[finite]).all():
            return float("inf")
        if finite.any():
            largest = numpy.abs(b[finite]).max()
            apart = numpy.abs(a[finite] - b[finite]).max()
            if apart > 0:
                worst = max(worst, float(apart / largest) if largest > 0 else float("inf"))
    return worst


def complaint(error):
    return str(error).splitlines()[0][:500] if str(error) else type(error).__name__


class Racer:
    """One compiled module."""

    def __init__(self, xla, text, disabled):
        self.xla, self.error, self.samples = xla, None, {"wall_ms": [], "cpu_ms": []}
        if is_hlo(text) and "{...}" in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
            raise Refused("expected constants with their contents, found {...}")
        try:
            self.program, self.shapes = xla.compile(text, disabled)
        except Exception as error:  # noqa: BLE001: whatever XLA refuses is its answer
            self.error = complaint(error)

    def prepare(self, host):
        self.host = host
        self.arguments = [self.xla.jax.device_put(a) for a in host]
        self.outputs = self.fetch(call(self.program, self.arguments))
        for _ in range(WARM_UPS):
            wait(call(self.program, self.arguments))
        self.calls = max(1, min(1000, int(LEAST_SAMPLE / max(self.one("asynchronous", 1), 1e-7))))

    def fetch(self, out):
        return [self.xla.numpy.asarray(arrays[0]) for arrays in out]

    def one(self, which, calls):
        """Seconds a call."""
        start = time.perf_counter()
        if which == "full":
            for _ in range(calls):
                self.fetch(call(self.program, [self.xla.jax.device_put(a) for a in self.host]))
        elif which == "asynchronous":
            for _ in range(calls):
                wait(call(self.program, self.arguments))
        else:
            # Results are held until all are waited for.
            held = [call(self.program, self.arguments) for _ in range(calls)]
            for out in held:
                wait(out)
        return (time.perf_counter() - start) / calls

    def sample(self):
        cpu = time.process_time()
        self.samples["wall_ms"].append(1e3 * self.one("asynchronous", self.calls))
        self.samples["cpu_ms"].append(1e3 * (time.process_time() - cpu) / self.calls)

    def result(self, reference, all_timings):
        if self.error:
            return {"error": self.error}
        apart = difference(self.xla.numpy, self.outputs, reference.outputs) if reference else 0.0
        # They take several times what the samples do.
        least = {f"{which}_us": 1e6 * min(self.one(which, min(self.calls, 20)) for _ in range(10))
                 for which in (("full", "compute") if all_timings else ())}
        return {"difference": apart if apart != float("inf") else None, "samples": self.samples,
                "outputs": [[str(o.dtype), list(o.shape)] for o in self.outputs],
                "asynchronous_us": 1e3 * min(self.samples["wall_ms"]), **least}


xla = None


def runtime(request):
    global xla
    if xla is None:
        xla = Xla(int(request.get("threads", 1)), int(request.get("place", 0)))
    return xla


def hello(request, progress):
    return {"program": "XLA (jaxlib)", "version": runtime(request).jax.lib.__version__, "cpu": cpu_name()}


def race(request, progress):
    """All modules on the inputs of the first, in turn: rounds of one sample each, in changing order."""
    own = runtime(request)
    disabled = request.get("disabled", [])
    racers = [Racer(own, text, disabled) for text in request["modules"]]
    running = [r for r in racers if r.error is None]
    if running:
        host = own.inputs(running[0].shapes, request.get("seed", 0))
        for r in running:
            if [str(s) for s in r.shapes] != [str(s) for s in running[0].shapes]:
                raise Refused("expected modules of the same parameters")
            r.prepare(host)
    until = time.monotonic() + request.get("seconds", 60)
    for number in range(request.get("rounds", 10)):
        shift = number % max(1, len(running))
        for r in running[shift:] + running[:shift]:
            r.sample()
        progress(round=number + 1)
        if channel.asked_to_cancel() or time.monotonic() > until:
            break
    return {"modules": [r.result(running[0] if running else None, request.get("all_timings", False)) for r in racers]}


def optimized(request, progress):
    """What XLA's passes make of a module. Machine code comes after them, so that no effort goes into it."""
    own = runtime(request)
    try:
        program, _ = own.compile(request["module"], request.get("disabled", []), [("xla_backend_optimization_level", "0")])
    except Exception as error:  # noqa: BLE001: whatever XLA refuses is its answer
        raise Refused(complaint(error)) from error
    return {"module": program.hlo_modules()[0].to_string(own.hlo.HloPrintOptions.short_parsable())}


def to_hlo(request, progress):
    hlo, text = stablehlo.to_hlo(runtime(request).inner, base64.b64decode(request["contents"]))
    return {"hlo": hlo, "stablehlo": text}


def to_stablehlo(request, progress):
    own = runtime(request)
    if request["artifact"]:
        return {"artifact": base64.b64encode(stablehlo.from_hlo(own.inner, own.hlo, request["module"], True)).decode()}
    return {"text": stablehlo.from_hlo(own.inner, own.hlo, request["module"], False)}


if __name__ == "__main__":
    protocol.serve(channel, {"hello": hello, "race": race, "optimized": optimized, "to_hlo": to_hlo, "to_stablehlo": to_stablehlo})
    sys.stderr.flush()
    os._exit(0)
