"""ONNX's shape inference behind the worker protocol (protocol.py): hello, infer, stop.

infer: {"model": base64 of a ModelProto of one node, its operands as typed inputs or initializers}
       -> {"types": [base64 of a TypeProto, or "" where nothing is known, for each output of the node]}"""

import base64
import os
import sys

import protocol
from protocol import Missing, Refused

channel = protocol.Channel()

try:
    import onnx
    from onnx import shape_inference
    MISSING = None
except ImportError as error:
    MISSING = str(error)


def need_onnx():
    if MISSING:
        raise Missing(MISSING)


def hello(request, progress):
    need_onnx()
    return {"program": "onnx", "version": onnx.__version__}


def infer(request, progress):
    need_onnx()
    try:
        model = onnx.load_from_string(base64.b64decode(request["model"]))
        known = shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:  # noqa: BLE001: whatever it cannot do with the node is its answer
        raise Refused(str(error)) from error
    if len(known.graph.node) != 1:
        raise Refused(f"expected a model of one node, got {len(known.graph.node)}")
    types = {info.name: info.type for info in known.graph.value_info}
    return {"types": [base64.b64encode(types[name].SerializeToString()).decode() if name in types else ""
                      for name in known.graph.node[0].output]}


if __name__ == "__main__":
    protocol.serve(channel, {"hello": hello, "infer": infer})
    sys.stderr.flush()
    os._exit(0)
