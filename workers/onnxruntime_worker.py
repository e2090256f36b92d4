"""ONNX Runtime behind the worker protocol (protocol.py): hello, load, unload, archive, probe, given_shapes, run, fed_run,
compare, try, digest, time, calibrate, operator_costs, stop."""

import gc
import os
import platform
import re
import shutil
import sys
import tempfile
from pathlib import Path

import protocol

channel = protocol.Channel()

try:
    import numpy as np
    import onnxruntime as ort
    MISSING = None
except ImportError as error:
    MISSING = str(error)

import tiny_onnx  # noqa: E402
from comparison import OutputComparison  # noqa: E402
from element_types import NUMPY_OF, OF_RUNTIME  # noqa: E402
from exposure import digest, exposing  # noqa: E402
from processor import cpu_name  # noqa: E402
from protocol import Missing, Refused, write_tensor  # noqa: E402
from sampling import Sampler, archived, numbers  # noqa: E402
from timing import Target, time_targets  # noqa: E402

LEVELS = {"off": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED",
          "all": "ORT_ENABLE_ALL"}


def compared_prefix():
    """Of folders; the worker's process follows. Containers that share a folder count their processes apart."""
    try:
        return f"isomer-compare-{os.stat('/proc/self/ns/pid').st_ino}-"
    except OSError:
        return "isomer-compare-"


def remove_what_dead_ones_left():
    """A model may take the runtime, and this program with it, down while results lie in a folder."""
    prefix = compared_prefix()
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        worker = folder.name[len(prefix):].split("-")[0]
        try:
            os.kill(int(worker), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except (ValueError, OSError, OverflowError):
            pass  # another program's, or another user's


def node_argument(arg):
    """Name, element type (or the runtime's name of a sequence, map, ...) and shape of an input or output."""
    match = re.fullmatch(r"tensor\((.*)\)", arg.type)
    dtype = OF_RUNTIME.get(match.group(1), arg.type) if match else arg.type
    return {"name": arg.name, "dtype": dtype, "shape": [d if d is not None else "" for d in arg.shape or []]}


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
        providers = settings.get("providers") or ["CPUExecutionProvider"]
        absent = [p for p in providers if p not in ort.get_available_providers()]
        if absent:
            raise Missing(f"this ONNX Runtime has no {', '.join(absent)}")
        self.path = path if isinstance(path, str) else "<calibration>"
        source = path
        if expose:
            source, entries = exposing(path, expose)
            for key, value in entries.items():
                options.add_session_config_entry(key, value)
        try:
            self.session = ort.InferenceSession(source, options, providers=providers)
        except Exception as error:  # noqa: BLE001: the runtime throws many types, all of them its verdict
            raise Refused(f"{self.path}: {error}") from error
        self.inputs = [node_argument(a) for a in self.session.get_inputs()]
        self.outputs = [node_argument(a) for a in self.session.get_outputs()]
        self.place = {about["name"]: number for number, about in enumerate(self.outputs)}
        self.own_outputs = [o["name"] for o in self.outputs if o["name"] not in expose]

    def feed(self, sampler, sample):
        return {i["name"]: sampler.tensor(i["name"], i["dtype"], i["shape"], sample) for i in self.inputs}

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


sessions = {}
next_session = 1


def need_runtime():
    if MISSING:
        raise Missing(MISSING)


def session_of(request, key):
    if request[key] not in sessions:
        raise Refused(f"no session {request[key]}")
    return sessions[request[key]]


def hello(request, progress):
    need_runtime()
    return {"runtime": "onnxruntime", "version": ort.__version__, "providers": ort.get_available_providers(),
            "numpy": np.__version__, "python": platform.python_version(), "cpu": cpu_name(),
            "cores": len(os.sched_getaffinity(0)), "pid": os.getpid()}


def load(request, progress):
    global next_session
    need_runtime()
    model = Model(request["model"], request)
    sessions[next_session] = model
    next_session += 1
    return {"session": next_session - 1, "inputs": model.inputs, "outputs": model.outputs}


def unload(request, progress):
    session_of(request, "session")
    del sessions[request["session"]]
    gc.collect()
    return {}


def archive(request, progress):
    return {"tensors": archived(request["npz"])}


def probe(request, progress):
    """Whether the model runs on such inputs: it is run once, what it computes is dropped."""
    model = session_of(request, "session")
    model.run(model.feed(Sampler(request.get("inputs") or {}), 0))
    return {}


def given_shapes(request, progress):
    """Shapes of the inputs that the specification gives."""
    need_runtime()
    given = Sampler(request.get("inputs") or {}).given
    return {"shapes": {name: list(array.shape) for name, array in given.items()}}


def run(request, progress):
    """Outputs are written as raw files into request["folder"]."""
    model = session_of(request, "session")
    outputs = model.run(model.feed(Sampler(request.get("inputs") or {}), int(request.get("sample", 0))))
    return {"outputs": written(request["folder"], "output", model.outputs, outputs)}


def fed_run(request, progress):
    """One run of {"model": PATH}: its inputs and its outputs are written as raw files into request["folder"]."""
    need_runtime()
    model = Model(request["model"], request)
    feed = model.feed(Sampler(request.get("inputs") or {}), int(request.get("sample", 0)))
    outputs = model.run(feed)
    return {"inputs": written(request["folder"], "input", model.inputs, [feed[i["name"]] for i in model.inputs]),
            "outputs": written(request["folder"], "output", model.outputs, outputs)}


def written(folder, word, arguments, values):
    """References to these tensors, which lie in files of the folder."""
    references = []
    for number, (about, value) in enumerate(zip(arguments, values)):
        if not isinstance(value, np.ndarray):
            raise Refused(f"{word} {about['name']} is of type {about['dtype']}, not a tensor")
        reference = write_tensor(value, os.path.join(folder, f"{word}_{number}.raw"))
        references.append({"name": about["name"], **reference})
    return references


def compare(request, progress):
    """Both models on the same inputs: {"a": session, "b": session} or {"model_a": path, "model_b": path}, the
    latter one after the other, so that only one of them is in memory. With paths, "pairs": [[a, b], ...] are inner
    values (no outputs) that are compared like outputs, after those, and "choices": [{"output": number, "data": value of
    the first model, "inner": true unless that is an output, "axis": 1, "keepdims": 1}] are outputs that hold indices
    into `data`: other indices of equal numbers agree."""
    need_runtime()
    sampler = Sampler(request.get("inputs") or {})
    samples = int(request.get("samples", 1))
    pairs, choices = request.get("pairs") or [], request.get("choices") or []
    data_of = {choice["output"]: choice for choice in choices}
    inner_a = list(dict.fromkeys([a for a, _ in pairs] + [c["data"] for c in choices if c["inner"]]))
    inner_b = list(dict.fromkeys(b for _, b in pairs))
    remove_what_dead_ones_left()
    with tempfile.TemporaryDirectory(prefix=f"{compared_prefix()}{os.getpid()}-") as folder:
        first = opened(request, "model_a", "a", inner_a)
        names = first.own_outputs
        needed = {i["name"] for i in first.inputs}
        feed_of = [first.feed(sampler, s) for s in range(samples)] if samples <= 4 else None
        kept = []
        for sample in range(samples):
            kept.append(park(first.run(feed_of[sample] if feed_of else first.feed(sampler, sample)), folder, sample))
            progress(done=sample + 1, of=2 * samples)
        places_a = [first.place[name] for name in names] + [first.place[a] for a, _ in pairs]
        data_place = {number: first.place[choice["data"]] for number, choice in data_of.items()}
        arguments, first = first.inputs, None  # a model that was loaded for this request goes before the next one comes
        gc.collect()
        second = opened(request, "model_b", "b", inner_b)
        result = {"same_input_names": needed == {i["name"] for i in second.inputs},
                  "same_output_names": names == second.own_outputs}
        strange = sorted({i["name"] for i in second.inputs} - needed)
        if strange:
            raise Refused(f"{second.path}: inputs that the first model does not have: {', '.join(strange)}")
        if len(second.own_outputs) != len(names):
            raise Refused(f"{second.path}: {len(second.own_outputs)} outputs, the first model has {len(names)}")
        places_b = [second.place[name] for name in second.own_outputs] + [second.place[b] for _, b in pairs]
        wanted = {i["name"] for i in second.inputs}
        comparisons = [OutputComparison(name) for name in names + [a for a, _ in pairs]]
        for sample in range(samples):
            feed = feed_of[sample] if feed_of else {
                a["name"]: sampler.tensor(a["name"], a["dtype"], a["shape"], sample) for a in arguments}
            outputs = second.run({name: value for name, value in feed.items() if name in wanted})
            for number, comparison in enumerate(comparisons):
                old, new = recall(kept[sample][places_a[number]]), outputs[places_b[number]]
                if number in data_of:
                    choice = data_of[number]
                    comparison.add_choice(old, new, recall(kept[sample][data_place[number]]), int(choice["axis"]),
                                          bool(choice["keepdims"]))
                else:
                    comparison.add(old, new)
            kept[sample] = None
            progress(done=samples + sample + 1, of=2 * samples)
    return {**result, "samples": samples, "outputs": [c.report() for c in comparisons]}


def evaluated_model(path):
    from evaluated import Evaluated  # noqa: PLC0415: where the runtime has no kernels, seldom
    try:
        return Evaluated(path)
    except Exception as error:  # noqa: BLE001: whatever it does not know
        raise Refused(f"{path}: {error}") from error


def try_pair(request, progress):
    """Both models on inputs of many kinds (trials.py): {"model_a": PATH, "model_b": PATH, "inputs": SPECIFICATION, "sizes":
    [dims, ...] at which the first one runs, "thresholds": [floats], "integers": [constants], "tolerance", "seconds",
    "skip": [outputs that are not compared], "witness": PATH?, "tame": true for no large integers, "inner_a", "inner_b": names
    of inner values, where these are few, "conditions_a", "conditions_b": [{"name", "op", "operands", "can": [be true, be false]}]
    (steering.py), "shares": {"outputs", "nothing"} (doubts.py, whose inputs are written into "folder"), "only_casts": nothing but
    casts rounds, "loops": some go round, "rounds_a", "rounds_b": [{"name", "of"}] (rounds.py), "evaluated": in ONNX's reference evaluator}."""
    need_runtime()
    import resource  # noqa: PLC0415: POSIX only, as this request is
    from definition import denies  # noqa: PLC0415: needs numpy
    from runner import Runner  # noqa: PLC0415
    from trials import Campaign, write_witness  # noqa: PLC0415: needs numpy
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
            "finite": campaign.finite, "all_inputs": campaign.all_inputs, "unmet": campaign.never_seen(),
            "few_rounds": campaign.few_rounds(), **campaign.doubts.report(request.get("folder"), written),
            "found": {k: v for k, v in found.items() if k not in ("feed", "a", "b")} if found else None}


def opened(request, path_key, session_key, inner):
    return Model(request[path_key], request, inner) if path_key in request else session_of(request, session_key)


def digests(request, progress):
    """What identifies the inner values `names` of {"model": path} on the inputs of sample 0."""
    need_runtime()
    model = Model(request["model"], request, request["names"])
    outputs = model.run(model.feed(Sampler(request.get("inputs") or {}), 0))
    return {"digests": [digest(outputs[model.place[name]]) for name in request["names"]]}


def park(outputs, folder, sample):
    """Large outputs wait in files, small or irregular ones in memory."""
    parked = []
    for number, value in enumerate(outputs):
        if isinstance(value, np.ndarray) and value.dtype != object and value.nbytes > 1 << 26:
            path = os.path.join(folder, f"{sample}_{number}.npy")
            np.save(path, value)
            parked.append(path)
        else:
            parked.append((value,))
    return parked


def recall(item):
    return np.load(item) if isinstance(item, str) else item[0]


def time_models(request, progress):
    """targets: [{"session": 1} or {"model": PATH}]; paths are loaded for the request only."""
    need_runtime()
    sampler = Sampler(request.get("inputs") or {})

    def opener(target):
        def open_target():
            model = session_of(target, "session") if "session" in target else Model(target["model"], request)
            call = model.caller(model.feed(sampler, 0))
            try:
                call()
            except Exception as error:  # noqa: BLE001
                raise Refused(f"{model.path}: {error}") from error
            return call, gc.collect if "model" in target else None
        return open_target

    return time_targets(
        [Target(opener(target)) for target in request["targets"]], loads=int(request.get("loads", 12)),
        warmups=int(request.get("warmups", 3)), min_rounds=int(request.get("min_rounds", 10)),
        max_rounds=int(request.get("max_rounds", 100000)), max_seconds=float(request.get("max_seconds", 2.0)),
        min_sample_ms=float(request.get("min_sample_ms", 0.0)), seed=int(request.get("seed", 0)),
        one_at_a_time=bool(request.get("one_at_a_time", False)), deadline_seconds=request.get("deadline_seconds"),
        settle=request.get("settle"), cancelled=channel.asked_to_cancel, progress=progress)


def calibrate(request, progress):
    """Best time of a product, of an addition of 16 MiB tensors, and of one node in a chain of tiny ones."""
    need_runtime()
    side, length, short, long = 512, 1 << 22, 8, 40
    chain = {n: tiny_onnx.model([("Tanh", [f"t{i}" if i else "x"], [f"t{i + 1}" if i + 1 < n else "y"])
                                 for i in range(n)], {"x": [8]}, {"y": [8]}) for n in (short, long)}
    models = [
        tiny_onnx.model([("MatMul", ["a", "b"], ["y"])], {"a": [side, side], "b": [side, side]}, {"y": [side, side]}),
        tiny_onnx.model([("Add", ["a", "b"], ["y"])], {"a": [length], "b": [length]}, {"y": [length]}),
        chain[short], chain[long]]

    def opener(data):
        def open_target():
            model = Model(data, request)
            return model.caller({i["name"]: numbers(i["shape"]) for i in model.inputs}), None
        return open_target

    report = time_targets([Target(opener(data)) for data in models], loads=1, warmups=3, min_rounds=5,
                          max_rounds=1000, max_seconds=float(request.get("seconds", 1.5)), min_sample_ms=0.5, seed=0,
                          one_at_a_time=False, cancelled=channel.asked_to_cancel, progress=progress)
    if not report["rounds"]:
        raise Refused("stopped before anything was measured")
    # On a busy machine even the best wall time of one thread may be several times what it works for.
    clock = "cpu_ms" if request["threads"] == 1 else "wall_ms"
    best = [min(target[clock]) for target in report["targets"]]
    node = (best[3] - best[2]) / (long - short)
    if node <= 0:  # a busy machine: the whole chain is a bound from above
        node = best[3] / long
    return {"product_ms": best[0], "product_flops": 2 * side ** 3, "addition_ms": best[1],
            "addition_bytes": 3 * 4 * length, "node_ms": node}


def operator_costs(request, progress):
    need_runtime()
    import operator_costs as costs  # needs the runtime
    return costs.operator_costs(request, lambda: session_options(request), channel.asked_to_cancel, progress)


if __name__ == "__main__":
    protocol.serve(channel, {"hello": hello, "load": load, "unload": unload, "archive": archive, "probe": probe,
                             "given_shapes": given_shapes, "run": run, "fed_run": fed_run, "compare": compare,
                             "try": try_pair, "digest": digests, "time": time_models, "calibrate": calibrate,
                             "operator_costs": operator_costs})
    sys.stderr.flush()
    os._exit(0)  # the runtime's own clean-up can hang or crash; nothing is left to lose
