"""A model in ONNX's reference evaluator, with as much of the face of onnxruntime_worker.Model as trials ask for: where the
runtime has no kernel for an operator, two models are run here instead.

It is slow, and nothing ends a run before it ends by itself: a loop is given tame integers. And it has faults of its own. So on a few
small inputs each operator that the runtime has a kernel for is run there by itself, on what the evaluator has of its operands: where
the two have other values, the evaluator is not believed. (That is McKeeman's differential testing, "Differential testing for
software", 1998, of single steps: a whole model the runtime refuses.)
"""

import os
import time

import numpy as np

from definition import MOST_BYTES, alike
from element_types import NAME_OF

MOST_ELEMENTS, MOST_NODES, SECONDS = 1 << 16, 128, 5.0  # of a value, of a model, and for all of them
LEEWAY = {"float16": 1e-2, "bfloat16": 5e-2}            # of a value's largest element, else 1e-4
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Dropout"}


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


def by_itself(model, node, values, onnx):
    """A model of this node alone; what to feed it; and what the evaluator has of its outputs."""
    fed = {name: values[name] for name in dict.fromkeys(node.input) if name}
    names = [name for name in node.output if name]
    helper = onnx.helper
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for name, v in fed.items()]
    graph = helper.make_graph([node], "by_itself", inputs, [helper.make_empty_tensor_value_info(name) for name in names])
    whole = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    return whole.SerializeToString(), fed, [values[name] for name in names]


def is_small(value):
    return isinstance(value, np.ndarray) and value.dtype != object and value.size <= MOST_ELEMENTS


def total_of(fed):
    """Of the floats that an operator reads, if all were as large as the largest: sums of them may cancel to their rounding."""
    floats = [v for v in fed.values() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    return max((v.size * float(np.max(np.abs(v[np.isfinite(v)]), initial=0)) for v in floats), default=0)


def held_to_runtime(path, feeds, opened):
    """(how many operators the runtime computes as the evaluator does on these inputs, in words the first that it does not).
    `opened`: makes of a model's bytes something that runs it, as onnxruntime_worker.Model does; fails where it is refused."""
    import onnx  # noqa: PLC0415: where it is installed
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415
    model = onnx.load(path)
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    names = [name for node in model.graph.node for name in node.output if name]
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    del shown.graph.output[:]
    shown.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
    evaluator, until, agreed, failed = ReferenceEvaluator(shown), time.monotonic() + SECONDS, set(), []
    for feed in feeds:
        try:
            with np.errstate(all="ignore"):
                values = {**stored, **feed, **dict(zip(names, map(np.asarray, evaluator.run(None, feed))))}
        except Exception as error:  # noqa: BLE001: what does not run on these inputs is not held to anything
            failed.append(str(error).splitlines()[0] if str(error) else type(error).__name__)
            continue
        for number, node in enumerate(model.graph.node[:MOST_NODES]):
            outer = any(a.HasField("g") for a in node.attribute)
            if outer or node.op_type in RANDOM or not all(is_small(values.get(x)) for x in (*node.input, *node.output) if x):
                continue
            if time.monotonic() > until:
                return len(agreed), ""
            data, fed, defined = by_itself(model, node, values, onnx)
            try:
                ran = opened(data).run(fed)
            except Exception:  # noqa: BLE001: no kernel, or no value there
                continue
            if not all(isinstance(r, np.ndarray) for r in ran):
                continue
            defined = [d.astype(r.dtype) if d.shape == r.shape else d for d, r in zip(defined, ran)]
            if not alike(ran, defined, [LEEWAY.get(r.dtype.name, 1e-4) for r in ran], total_of(fed)):
                return len(agreed), f"{node.op_type} that makes {node.output[0]}"
            agreed.add(number)
    return len(agreed), f"all that it is asked ({failed[0]})" if failed and len(failed) == len(feeds) else ""
