"""Where ONNX Runtime or ONNX's reference evaluator does with a model what ONNX does not say: a value has another shape there than by
ONNX's own inference at these sizes. Two such departures are known to make one model look like two, and no other is told:

- The evaluator has another shape where ONNX Runtime has the one that is inferred (a MaxPool with `ceil_mode` and pads on one side).
- ONNX Runtime computes another shape than is inferred (the slope of a PRelu broadcast against ONNX, at a size at which the model is
  none) and runs one of two models: it plans by the inferred shapes which results share memory, and says so where they do not fit."""

import onnx
from onnx import helper

PLANNED = "Shape mismatch attempting to re-use buffer"  # ONNX Runtime's words


def inferred_shapes(model, sizes):
    """Shapes by name at these sizes, of what ONNX's inference knows to the last dimension."""
    sized = onnx.ModelProto()
    sized.CopyFrom(model)
    for value in sized.graph.input:
        for d in value.type.tensor_type.shape.dim:
            if d.dim_param:
                d.dim_value = sizes[d.dim_param]
    known = onnx.shape_inference.infer_shapes(sized, data_prop=True).graph
    out = {}
    for value in (*known.value_info, *known.output):
        shape = value.type.tensor_type.shape
        if value.type.tensor_type.HasField("shape") and all(d.HasField("dim_value") for d in shape.dim):
            out[value.name] = tuple(d.dim_value for d in shape.dim)
    return out


def alone(model, node, values):
    """The node as a model of its own, and what to feed it."""
    fed = {name: values[name] for name in dict.fromkeys(node.input) if name}
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for name, v in fed.items()]
    graph = helper.make_graph([node], "alone", inputs, [helper.make_empty_tensor_value_info(name) for name in node.output if name])
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version), fed


class Departures:
    """Of one model. `runtime`: makes something that runs a model, in the reference evaluator or not (compare.Runtime)."""

    def __init__(self, model, runtime):
        self.model, self.runtime, self.runs = model, runtime, None

    def all_values(self, who, fed):
        """By name, of the main graph in that runtime; none where it does not run the model so."""
        if self.runs is None:
            whole = onnx.ModelProto()
            whole.CopyFrom(self.model)
            del whole.graph.output[:]
            self.names = [name for node in self.model.graph.node for name in node.output if name]
            whole.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in self.names)
            self.runs = {"reference": self.runtime(whole, True), "ONNX Runtime": self.runtime(whole, False)}
        values = self.runs[who].run(fed)
        return None if values is None else dict(zip(self.names, values)) | fed | {
            i.name: onnx.numpy_helper.to_array(i) for i in self.model.graph.initializer}

    def in_runtime(self, node, name, values):
        """The shape that ONNX Runtime has of this node's output, by itself; None where it does not run it."""
        model, fed = alone(self.model, node, values)
        made = self.runtime(model, False).run(fed)
        return None if made is None else dict(zip([o for o in node.output if o], made))[name].shape

    def find(self, who, fed, sizes, wanted, refusal):
        """The first departure among the values `wanted`, in words, or "". `refusal`: why the other model does not run, or ""."""
        if who == "ONNX Runtime" and PLANNED not in refusal:
            return ""
        inferred, values = inferred_shapes(self.model, sizes), self.all_values(who, fed)
        for node in self.model.graph.node if values else ():
            for name in node.output:
                if name not in wanted or name not in inferred or values[name].shape == inferred[name]:
                    continue
                if who == "ONNX Runtime" or self.in_runtime(node, name, values) == inferred[name]:
                    return f"{who} makes {list(values[name].shape)} of {node.op_type}, by ONNX it is {list(inferred[name])}"
        return ""
