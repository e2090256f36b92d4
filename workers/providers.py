"""ONNX Runtime's providers: the one that the worker was started for computes what it takes of a model, CPU's the rest. The runtime itself
falls back to CPU's in silence where a provider does not start; here that is no session."""

import json
import os
import tempfile

import onnxruntime as ort

import tiny_onnx
from protocol import Missing

CPU = "CPUExecutionProvider"
NAMED = None  # the worker sets it as it starts
# Where a provider does not take the session's number of threads, its option for that.
THREADS = {"OpenVINOExecutionProvider": "num_of_threads", "XnnpackExecutionProvider": "intra_op_num_threads"}


def open_session(model, options, **more):
    """`model`: a path, or bytes."""
    providers = [CPU]
    if NAMED not in (None, CPU):
        threads = {THREADS[NAMED]: str(options.intra_op_num_threads)} if NAMED in THREADS and options.intra_op_num_threads else {}
        providers = [(NAMED, threads), CPU]
    session = ort.InferenceSession(model, options, providers=providers, enable_fallback=0, **more)
    if NAMED and NAMED not in session.get_providers():
        raise Missing(f"{NAMED} does not start")
    return session


def unusable():
    """Why the provider that is named cannot be used, as a part of a sentence that its name ends; None where it can."""
    if NAMED is None:
        return None
    if NAMED not in ort.get_available_providers():
        return "has no provider"
    options = ort.SessionOptions()
    options.log_severity_level = 4
    try:
        open_session(tiny_onnx.model([("Tanh", ["x"], ["y"])], {"x": [1]}, {"y": [1]}), options)
    except Exception as error:  # noqa: BLE001: the runtime throws many types, all of them its verdict
        return f"cannot start ({error}) its provider"
    return None


def placement(open_model, run):
    """Provider -> operators that it computed, as the runtime joined them: of a run whose profile is read. open_model(prefix) loads the
    model so that its profile is written there, run(model) runs it."""
    with tempfile.TemporaryDirectory() as folder:
        model = open_model(os.path.join(folder, "profile"))
        run(model)
        with open(model.session.end_profiling(), encoding="utf-8") as file:
            events = json.load(file)
    seen = {(about["provider"], event["name"]) for event in events
            if event.get("cat") == "Node" and (about := event.get("args", {})).get("provider")}
    providers = [provider for provider, _ in seen]
    return {provider: providers.count(provider) for provider in sorted(set(providers))}
