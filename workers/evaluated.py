"""A model in ONNX's reference evaluator, with as much of the face of onnxruntime_worker.Model as trials ask for: where the
runtime has no kernel for an operator, two models are run here instead.

It is slow, and nothing ends a run before it ends by itself: a loop is given tame integers.
"""

import os

import numpy as np

from definition import MOST_BYTES
from element_types import NAME_OF


class Evaluated:
    """What onnx calls no valid model, as the runtime may have refused it, runs on no input. Fails as onnx does for what it does
    not know; ImportError where there is no onnx, ValueError for a large file."""

    def __init__(self, path):
        import onnx  # noqa: PLC0415: where it is installed
        from onnx.reference import ReferenceEvaluator  # noqa: PLC0415
        if os.path.getsize(path) > MOST_BYTES:
            raise ValueError(f"{path}: too large for the reference evaluator")
        model = onnx.load(path)
        self.evaluator, self.invalid = ReferenceEvaluator(model), ""
        try:
            onnx.checker.check_model(model, full_check=True)
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
            self.invalid = str(error).strip()
        stored = {tensor.name for tensor in model.graph.initializer}
        self.kinds = {}
        self.inputs = [self.argument(value, onnx) for value in model.graph.input if value.name not in stored]
        self.outputs = [self.argument(value, onnx) for value in model.graph.output]
        self.own_outputs = [o["name"] for o in self.outputs]
        self.session = self

    def argument(self, value, onnx):
        """Name, element type and shape, as those of the runtime's models."""
        tensor = value.type.tensor_type
        kind = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
        self.kinds[value.name] = kind
        sizes = [d.dim_value if d.HasField("dim_value") else d.dim_param for d in tensor.shape.dim]
        return {"name": value.name, "dtype": NAME_OF[kind], "shape": sizes}

    def get_overridable_initializers(self):
        return []

    def run(self, names, feed, _options):
        """What is declared counts as the type of an output: it is compared as an interface."""
        if self.invalid:
            raise ValueError(f"no valid model: {self.invalid}")
        with np.errstate(all="ignore"):
            values = self.evaluator.run(names, feed)
        return [np.asarray(value).astype(self.kinds[name]) for name, value in zip(names or self.own_outputs, values)]
