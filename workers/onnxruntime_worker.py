"""ONNX Runtime behind the worker protocol (protocol.py): hello, placement, try, calibrate, operator_costs, stop, and what serving.py has. Its
one argument, if there is any, names the provider (providers.py)."""

import os
import re
import sys

import protocol

channel = protocol.Channel()

try:
    import numpy as np
    import onnxruntime as ort
    import providers
    MISSING = None
except ImportError as error:
    MISSING = str(error)

import memory  # noqa: E402
import tiny_onnx  # noqa: E402
from element_types import NUMPY_OF, OF_RUNTIME  # noqa: E402
from exposure import exposing  # noqa: E402
from protocol import Missing, Refused  # noqa: E402
from sampling import Sampler  # noqa: E402
from serving import Serving, hello_from, written  # noqa: E402

VERY_LARGE_FILE = 1 << 26  # bytes
LEVELS = {"off": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED",
          "all": "ORT_ENABLE_ALL"}


def node_argument(arg):
    """Name, element type (or the runtime's name of a sequence, map, ...) and shape of an input or output."""
    match = re.fullmatch(r"tensor\((.*)\)", arg.type)
    dtype = OF_RUNTIME.get(match.group(1), arg.type) if match else arg.type
    return {"name": arg.name, "dtype": dtype, "shape": [d if d is not None else "" for d in arg.shape or []]}


class Arena:
    """One arena for all sessions that ask for it. They run one after the other, so what one computes lies where another's lay:
    two sessions hold hardly more than one. It is never larger than what was asked of it, and is given back by empty()."""

    registered, emptying = False, None

    def share(self, options):
        if not self.registered:
            same_as_requested = {"arena_extend_strategy": 1, "max_mem": 0, "initial_chunk_size_bytes": -1, "max_dead_bytes_per_chunk": -1}
            where = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
            ort.create_and_register_allocator(where, ort.OrtArenaCfg(same_as_requested))
            self.registered = True
        options.add_session_config_entry("session.use_env_allocators", "1")

    def empty(self):
        """What nobody holds goes back to the machine: a session of its own, after whose run the runtime does that."""
        if not self.registered:
            return
        if self.emptying is None:
            options = session_options({"shared_arena": True})
            model = tiny_onnx.model([("Tanh", ["x"], ["y"])], {"x": [1]}, {"y": [1]})
            self.emptying = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        how = ort.RunOptions()
        how.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        self.emptying.run(None, {"x": np.zeros(1, np.float32)}, how)


arena = Arena()
memory.droppers.append(arena.empty)


def session_options(settings):
    """Threads, level and configuration as in the load request."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    level = settings.get("optimisation", "all")
    if level not in LEVELS:
        raise Refused(f"no optimisation level {level!r}; there are {', '.join(LEVELS)}")
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[level])
    options.intra_op_num_threads = int(settings.get("threads", 1))
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = bool(settings.get("arena", True))
    options.enable_mem_pattern = bool(settings.get("patterns", True))
    if settings.get("shared_arena"):
        arena.share(options)
    # Waiting threads that spin would be counted as CPU time, and disturb their neighbours.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    for key, value in (settings.get("config") or {}).items():
        options.add_session_config_entry(key, str(value))
    return options


class Model:
    """A loaded model, from a path or from bytes. `settings` as in the load request; `expose`: names of inner values
    that become outputs, after the model's own."""

    def __init__(self, path, settings, expose=()):
        options = session_options(settings)
        if settings.get("write_optimised"):
            options.optimized_model_filepath = settings["write_optimised"]
        if settings.get("profile"):
            options.enable_profiling = True
            options.profile_file_prefix = settings["profile"]
        self.path = path if isinstance(path, str) else "<calibration>"
        source = path
        if isinstance(path, str) and os.path.isfile(path) and os.path.getsize(path) > VERY_LARGE_FILE:
            memory.large_blocks_apart()
        if expose:
            source, entries = exposing(path, expose)
            for key, value in entries.items():
                options.add_session_config_entry(key, value)
        try:
            self.session = providers.open_session(source, options)
        except Missing:
            raise
        except Exception as error:  # noqa: BLE001: the runtime throws many types, all of them its verdict
            raise Refused(f"{self.path}: {error}") from error
        self.inputs = [node_argument(a) for a in self.session.get_inputs()]
        self.outputs = [node_argument(a) for a in self.session.get_outputs()]
        self.place = {about["name"]: number for number, about in enumerate(self.outputs)}
        self.own_outputs = [o["name"] for o in self.outputs if o["name"] not in expose]

    def feed(self, sampler, sample):
        return sampler.feed(self.inputs, sample)

    def run(self, feed):
        try:
            return self.session.run(None, feed)
        except Exception as error:  # noqa: BLE001
            raise Refused(f"{self.path}: {error}") from error

    def caller(self, feed):
        """A function without arguments that runs the model once on tensors prepared beforehand."""
        session = self.session
        if any(array.dtype == object for array in feed.values()) or any(
                o["dtype"].startswith(("seq(", "map(", "optional(")) for o in self.outputs):
            return lambda: session.run(None, feed)
        values = {name: ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(a)) for name, a in feed.items()}
        names = [o["name"] for o in self.outputs]
        return lambda: session.run_with_ort_values(names, values)


serving = Serving(Model, MISSING, channel)


def hello(request, progress):
    serving.need_runtime()
    return hello_from(runtime="onnxruntime", version=ort.__version__, providers=ort.get_available_providers(),
                      unusable=providers.unusable() or "")


def placement(request, progress):
    """{"model": PATH, "inputs": SPECIFICATION}: which provider computes how many of its operators."""
    serving.need_runtime()
    sampler = Sampler(request.get("inputs") or {})
    return {"operators": providers.placement(lambda prefix: Model(request["model"], {**request, "profile": prefix}),
                                             lambda model: model.run(model.feed(sampler, 0)))}


def evaluated_model(path):
    from evaluated import Evaluated  # noqa: PLC0415: where the runtime has no kernels, seldom
    try:
        return Evaluated(path)
    except Exception as error:  # noqa: BLE001: whatever it does not know
        raise Refused(f"{path}: {error}") from error


def confirmed(request, campaign):
    """On how many operators the runtime bears the evaluator out, on a few small inputs. Refused where it does not."""
    from draws import Drawer  # noqa: PLC0415: needs numpy
    from evaluated import held_to_runtime  # noqa: PLC0415
    sampler = Sampler({**(request.get("inputs") or {}), "dims": (request.get("sizes") or [{}])[0]})
    drawer, count = Drawer(sampler, campaign.arguments, campaign.candidates, campaign.kinds), 0
    for key in ("model_a", "model_b"):
        agreed, departs = held_to_runtime(request[key], [drawer.feed("normal", 0), drawer.feed("coarse", 1)], lambda data: Model(data, request))
        if departs:
            raise Refused(f"{request[key]}: ONNX's reference evaluator departs from ONNX Runtime at {departs}")
        count += agreed
    return count


def try_pair(request, progress):
    """Both models on inputs of many kinds (trials.py): {"model_a": PATH, "model_b": PATH, "inputs": SPECIFICATION, "sizes":
    [dims, ...] at which the first one runs, "thresholds": [floats], "integers": [constants], "tolerance", "seconds",
    "skip": [outputs that are not compared], "witness": PATH?, "tame": true for no large integers, "without_empty": true for no sizes of 0, "inner_a", "inner_b": names
    of inner values, where these are few, "conditions_a", "conditions_b": [{"name", "op", "operands", "can": [be true, be false]}]
    (steering.py), "shares": {"outputs", "nothing"} (doubts.py, whose inputs are written into "folder"), "overflow_differs": so
    does what the first alone makes infinite, "loops": some go round, "rounds_a", "rounds_b": [{"name", "of"}] (rounds.py), "evaluated": in ONNX's reference evaluator,
    "deciders": {name: [numbers]} of inputs by which branches run}."""
    serving.need_runtime()
    import resource  # noqa: PLC0415: POSIX only, as this request is
    from definition import denies  # noqa: PLC0415: needs numpy
    from runner import Runner  # noqa: PLC0415
    from trials import Campaign  # noqa: PLC0415: needs numpy
    from witness import write_witness  # noqa: PLC0415: needs numpy
    evaluated = bool(request.get("evaluated"))
    first, second = (Runner(evaluated_model(request[key]) if evaluated else Model(request[key], request), ort) for key in ("model_a", "model_b"))
    sampler = Sampler(request.get("inputs") or {})
    request["optional"] = [node_argument(o) for o in first.model.session.get_overridable_initializers()]
    if any(a["dtype"] == "string" for a in first.model.inputs):
        from texts import texts_of  # noqa: PLC0415: seldom
        request["texts"] = texts_of([request["model_a"], request["model_b"]])
    symbols = []
    for a in first.model.inputs:
        for axis, d in enumerate(a["shape"]):
            name = f"{a['name']}:{axis}" if d == "" else d
            if not isinstance(d, int) and name not in symbols:
                symbols.append(name)
    campaign = Campaign(first, second, sampler, first.model.inputs, NUMPY_OF, request, channel.asked_to_cancel)

    borne_out = confirmed(request, campaign) if evaluated else 0

    def with_inner_values():
        try:
            return [Runner(Model(request[key], request, request.get(names) or []), ort)
                    for key, names in (("model_a", "inner_a"), ("model_b", "inner_b"))]
        except Refused:
            return []
    if not evaluated:
        campaign.expose = with_inner_values
        campaign.denies = lambda seen, others: denies((request["model_a"], request["model_b"]), seen, others, campaign.tolerances)

    def exposing_of(key):
        def opened_with(names):
            try:
                if evaluated:
                    return None
                own = (first if key == "model_a" else second).model.own_outputs
                return Runner(Model(request[key], request, [n for n in names if n not in own]), ort)
            except (Refused, MemoryError):
                return None
        return opened_with
    for watch, rounds, key in zip(campaign.watches, campaign.rounds, ("model_a", "model_b")):
        watch.expose = rounds.expose = exposing_of(key)
    if request.get("tame") or (evaluated and request.get("loops")):
        campaign.too_long = 3
    limits = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    try:
        # An integer that asks for 2^40 elements gets an answer, not the machine.
        resource.setrlimit(resource.RLIMIT_AS, (used + int(request.get("bytes", 4 << 30)), limits[1]))
        campaign.run(symbols, request.get("sizes") or [], request.get("integers") or [])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
        for runner in [first, second, *(campaign.inner or []), *(w.runner for w in campaign.watches + campaign.rounds if w.runner)]:
            runner.close()
    found = campaign.found
    if found and evaluated:
        campaign.doubts.only(found["what"], found["sizes"], found["feed"])  # nobody else has seen it
    if found and request.get("witness"):
        write_witness(request["witness"], found, campaign.outputs)
    return {"runs": campaign.runs, "ran": campaign.ran, "ways": campaign.ways, "sizes": campaign.sizes, "worst": campaign.worst,
            "notes": campaign.notes, "outputs": campaign.outputs, "empty": [not e for e in campaign.elements],
            "finite": campaign.finite, "still": [len(v) == 1 for v in campaign.values], "all_inputs": campaign.all_inputs, "unmet": campaign.never_seen(),
            "few_rounds": campaign.few_rounds(), "confirmed": borne_out, **campaign.doubts.report(request.get("folder"), written),
            "found": {k: v for k, v in found.items() if k not in ("feed", "a", "b")} if found else None}


def calibrate(request, progress):
    serving.need_runtime()
    import calibration  # noqa: PLC0415: needs numpy
    # Others than CPU's make one kernel of a chain of activations.
    return calibration.calibrate(request, lambda data: Model(data, request), "Softmax" if providers.NAMED else "Tanh", channel.asked_to_cancel,
                                 progress)


def operator_costs(request, progress):
    serving.need_runtime()
    import operator_costs as costs  # noqa: PLC0415: needs numpy
    from onnxruntime_copies import SessionCopies  # noqa: PLC0415: needs the runtime
    # A block for all that a run computes is of no use to equal copies, which share what they read.
    settings = {**request, "patterns": False, "shared_arena": True}
    session_options(settings)  # what all sessions share is made here: where it cannot be, no operator is to blame
    return costs.operator_costs(request, lambda *about: SessionCopies(session_options(settings), *about), arena.empty,
                                channel.asked_to_cancel, progress)


if __name__ == "__main__":
    if not MISSING and len(sys.argv) > 1:
        providers.NAMED = sys.argv[1]
    protocol.serve(channel, {**serving.handlers(), "hello": hello, "placement": placement, "try": try_pair, "calibrate": calibrate,
                             "operator_costs": operator_costs})
    sys.stderr.flush()
    os._exit(0)  # the runtime's own clean-up can hang or crash; nothing is left to lose
