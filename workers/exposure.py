"""Inner values of a model as outputs, and what identifies a value by its contents.

A graph's outputs are a repeated field of a message that occurs once, and protobuf merges two occurrences of such a
message: a model followed by a few bytes that say `graph { output { name: ... } }` is the model with those outputs.
Nothing is parsed, weights stay as they are, and the runtime infers the types.
"""

import os

import numpy as np

from tiny_onnx import message

GRAPH, OUTPUT, NAME = 7, 12, 1  # fields of ModelProto, GraphProto, ValueInfoProto
FOLDER_KEY = "session.model_external_initializers_file_folder_path"


def exposing(path, names):
    """The model's bytes with `names` among its outputs, and session settings that find its external data."""
    with open(path, "rb") as file:
        data = file.read()
    outputs = b"".join(message(OUTPUT, message(NAME, name)) for name in names)
    return data + message(GRAPH, outputs), {FOLDER_KEY: os.path.dirname(os.path.abspath(path))}


def digest(value):
    """Numbers by which equal tensors can be told, whatever their names and shapes: count, norm, sum, samples."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub" or value.size == 0:
        return None
    flat = value.astype(np.float64).ravel()
    if not np.isfinite(flat).all():
        return None
    places = np.linspace(0, flat.size - 1, 16).astype(np.int64)
    return {"count": int(flat.size), "norm": float(np.linalg.norm(flat)), "sum": float(flat.sum()),
            "samples": [float(x) for x in flat[places]]}
