"""OpenVINO behind the worker protocol (protocol.py): hello, calibrate, operator_costs, stop, and what serving.py has. Models run on the processor, in single
precision, for latency."""

import functools
import os
import sys

import protocol

channel = protocol.Channel()

try:
    import numpy as np
    import openvino as ov
    MISSING = None
except ImportError as error:
    MISSING = str(error)

from element_types import NAME_OF  # noqa: E402
from protocol import Refused  # noqa: E402
from serving import Serving, hello_from  # noqa: E402


@functools.cache
def the_core():
    """One of all models."""
    return ov.Core()


def one_name(port, wanted=()):
    """Of the names that a tensor has: one of those that are wanted, else always the same."""
    names = sorted(port.get_names())
    return next((n for n in names if n in wanted), names[0] if names else "")


def described(port, wanted=()):
    """Name, element type and shape. Names of dimensions are not kept by OpenVINO: they have none here."""
    kind = port.get_element_type()
    dtype = "string" if kind == ov.Type.string else NAME_OF.get(np.dtype(kind.to_dtype()), str(kind))
    shape = port.get_partial_shape()
    sizes = [int(d.get_length()) if d.is_static else "" for d in shape] if shape.rank.is_static else []
    return {"name": one_name(port, wanted), "dtype": dtype, "shape": sizes}


def properties(settings):
    out = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if settings.get("threads", 1):
        out["INFERENCE_NUM_THREADS"] = int(settings.get("threads", 1))
    return out


class Model:
    """As serving.py asks for it. Of `settings` the number of threads counts; what OpenVINO rewrites itself is not set."""

    def __init__(self, path, settings, expose=()):
        self.path = path if isinstance(path, str) else "<calibration>"
        try:
            core = the_core()
            model = core.read_model(path)
            own = len(model.outputs)
            if expose:
                model.add_outputs(list(expose))
            self.compiled = core.compile_model(model, "CPU", properties(settings))
            self.request = self.compiled.create_infer_request()
            self.inputs = [described(port) for port in model.inputs]
            self.outputs = [described(port, expose if number >= own else ()) for number, port in enumerate(model.outputs)]
        except RuntimeError as error:  # all of them its verdict
            raise Refused(f"{self.path}: {error}") from error
        self.place = {about["name"]: number for number, about in enumerate(self.outputs)}
        self.own_outputs = [about["name"] for about in self.outputs[:own]]

    def feed(self, sampler, sample):
        return sampler.feed(self.inputs, sample)

    def give(self, feed):
        for number, about in enumerate(self.inputs):
            self.request.set_input_tensor(number, ov.Tensor(np.ascontiguousarray(feed[about["name"]])))

    def run(self, feed):
        try:
            self.give(feed)
            self.request.infer()
            return [np.array(self.request.get_output_tensor(number).data) for number in range(len(self.outputs))]
        except RuntimeError as error:
            raise Refused(f"{self.path}: {error}") from error

    def caller(self, feed):
        self.give(feed)
        return self.request.infer


serving = Serving(Model, MISSING, channel)


def hello(request, progress):
    serving.need_runtime()
    return hello_from(runtime="openvino", version=ov.__version__.split("-")[0], providers=["CPU"])


def calibrate(request, progress):
    """A chain of activations would be one kernel, of softmaxes it is not."""
    serving.need_runtime()
    import calibration  # noqa: PLC0415: needs numpy
    return calibration.calibrate(request, lambda data: Model(data, request), "Softmax", channel.asked_to_cancel, progress)


def operator_costs(request, progress):
    serving.need_runtime()
    import operator_costs as costs  # noqa: PLC0415: needs numpy
    from openvino_copies import RequestCopies  # noqa: PLC0415: needs the runtime
    core = the_core()
    return costs.operator_costs(request, lambda *about: RequestCopies(core, properties(request), described, *about), lambda: None,
                                channel.asked_to_cancel, progress)


if __name__ == "__main__":
    protocol.serve(channel, {**serving.handlers(), "hello": hello, "calibrate": calibrate, "operator_costs": operator_costs})
    sys.stderr.flush()
    os._exit(0)  # nothing is left to lose
