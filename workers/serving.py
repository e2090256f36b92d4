"""What the workers of runtimes that run ONNX files answer alike: load, unload, archive, probe, given_shapes, run, fed_run,
compare, digest, time. A runtime is a class of models, loaded as Model(path, settings, expose), `expose` being names of inner
values that become outputs after the model's own, with

    inputs, outputs      [{"name", "dtype", "shape"}]
    own_outputs, place   names of the model's own outputs; by name the number of an output
    path                 for messages
    feed(sampler, sample), run(feed) and caller(feed): inputs by name, the outputs in order, and a function that runs the
                         model once on tensors prepared beforehand
"""

import gc
import os
import platform
import shutil
import tempfile
from pathlib import Path

import numpy as np

from comparison import OutputComparison
from exposure import digest
from memory import make_room, trim
from processor import cpu_name
from protocol import Missing, Refused, write_tensor
from sampling import Sampler, archived
from timing import Amounts, Target, time_targets

LARGE_FILE = 1 << 25  # bytes


def hello_from(**runtime):
    """What `hello` says: of the runtime, and of where it runs."""
    return {**runtime, "numpy": np.__version__, "python": platform.python_version(), "cpu": cpu_name(),
            "cores": len(os.sched_getaffinity(0)), "pid": os.getpid()}


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


def written(folder, word, arguments, values):
    """References to these tensors, which lie in files of the folder."""
    references = []
    for number, (about, value) in enumerate(zip(arguments, values)):
        if not isinstance(value, np.ndarray):
            raise Refused(f"{word} {about['name']} is of type {about['dtype']}, not a tensor")
        reference = write_tensor(value, os.path.join(folder, f"{word}_{number}.raw"))
        references.append({"name": about["name"], **reference})
    return references


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


class Serving:
    """The requests, and the models that they have loaded. `missing`: why the runtime cannot be used, or None."""

    def __init__(self, model_class, missing, channel):
        self.model_class, self.missing, self.channel = model_class, missing, channel
        self.sessions, self.next_session = {}, 1

    def handlers(self):
        return {"load": self.load, "unload": self.unload, "archive": self.archive, "probe": self.probe,
                "given_shapes": self.given_shapes, "run": self.run, "fed_run": self.fed_run, "compare": self.compare,
                "digest": self.digests, "time": self.time_models}

    def need_runtime(self):
        if self.missing:
            raise Missing(self.missing)

    def session_of(self, request, key):
        if request[key] not in self.sessions:
            raise Refused(f"no session {request[key]}")
        return self.sessions[request[key]]

    def load(self, request, progress):
        self.need_runtime()
        model = self.model_class(request["model"], request)
        self.sessions[self.next_session] = model
        self.next_session += 1
        return {"session": self.next_session - 1, "inputs": model.inputs, "outputs": model.outputs}

    def unload(self, request, progress):
        self.session_of(request, "session")
        del self.sessions[request["session"]]
        gc.collect()
        return {}

    def archive(self, request, progress):
        return {"tensors": archived(request["npz"])}

    def probe(self, request, progress):
        """Whether the model runs on such inputs: it is run once, what it computes is dropped."""
        model = self.session_of(request, "session")
        model.run(model.feed(Sampler(request.get("inputs") or {}), 0))
        return {}

    def given_shapes(self, request, progress):
        """Shapes of the inputs that the specification gives."""
        self.need_runtime()
        given = Sampler(request.get("inputs") or {}).given
        return {"shapes": {name: list(array.shape) for name, array in given.items()}}

    def run(self, request, progress):
        """Outputs are written as raw files into request["folder"]."""
        model = self.session_of(request, "session")
        outputs = model.run(model.feed(Sampler(request.get("inputs") or {}), int(request.get("sample", 0))))
        return {"outputs": written(request["folder"], "output", model.outputs, outputs)}

    def fed_run(self, request, progress):
        """One run of {"model": PATH}: its inputs and its outputs are written as raw files into request["folder"]."""
        self.need_runtime()
        model = self.model_class(request["model"], request)
        feed = model.feed(Sampler(request.get("inputs") or {}), int(request.get("sample", 0)))
        outputs = model.run(feed)
        return {"inputs": written(request["folder"], "input", model.inputs, [feed[i["name"]] for i in model.inputs]),
                "outputs": written(request["folder"], "output", model.outputs, outputs)}

    def compare(self, request, progress):
        """Both models on the same inputs: {"a": session, "b": session} or {"model_a": path, "model_b": path}, the
        latter one after the other, so that only one of them is in memory. With paths, "pairs": [[a, b], ...] are inner
        values (no outputs) that are compared like outputs, after those, and "choices": [{"output": number, "data": value of
        the first model, "inner": true unless that is an output, "axis": 1, "keepdims": 1}] are outputs that hold indices
        into `data`: other indices of equal numbers agree."""
        self.need_runtime()
        make_room()
        sampler = Sampler(request.get("inputs") or {})
        samples = int(request.get("samples", 1))
        pairs, choices = request.get("pairs") or [], request.get("choices") or []
        data_of = {choice["output"]: choice for choice in choices}
        inner_a = list(dict.fromkeys([a for a, _ in pairs] + [c["data"] for c in choices if c["inner"]]))
        inner_b = list(dict.fromkeys(b for _, b in pairs))
        remove_what_dead_ones_left()
        with tempfile.TemporaryDirectory(prefix=f"{compared_prefix()}{os.getpid()}-") as folder:
            first = self.opened(request, "model_a", "a", inner_a)
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
            second = self.opened(request, "model_b", "b", inner_b)
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
                feed = feed_of[sample] if feed_of else sampler.feed(arguments, sample)
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

    def opened(self, request, path_key, session_key, inner):
        return self.model_class(request[path_key], request, inner) if path_key in request else self.session_of(request, session_key)

    def digests(self, request, progress):
        """What identifies the inner values `names` of {"model": path} on the inputs of sample 0."""
        self.need_runtime()
        model = self.model_class(request["model"], request, request["names"])
        outputs = model.run(model.feed(Sampler(request.get("inputs") or {}), 0))
        return {"digests": [digest(outputs[model.place[name]]) for name in request["names"]]}

    def time_models(self, request, progress):
        """targets: [{"session": 1} or {"model": PATH}]; paths are loaded for the request only."""
        self.need_runtime()
        make_room()
        sampler = Sampler(request.get("inputs") or {})

        def opener(target):
            def open_target():
                model = self.session_of(target, "session") if "session" in target else self.model_class(target["model"], request)
                if "model" in target and os.path.getsize(target["model"]) > LARGE_FILE:
                    trim()  # a file that is read holds its weights, which are freed before the next one is read
                call, path = model.caller(model.feed(sampler, 0)), model.path

                def run():
                    try:
                        call()
                    except Exception as error:  # noqa: BLE001: the runtime throws many types, all of them its verdict
                        raise Refused(f"{path}: {error}") from error
                return run, make_room if "model" in target else None
            return open_target

        second_differs = bool(request.get("patterns", True))  # ONNX Runtime makes the block then
        return time_targets(
            [Target(opener(target), second_differs) for target in request["targets"]], Amounts.of(request),
            seed=int(request.get("seed", 0)), one_at_a_time=bool(request.get("one_at_a_time", False)),
            settle=request.get("settle"), cancelled=self.channel.asked_to_cancel, progress=progress)
