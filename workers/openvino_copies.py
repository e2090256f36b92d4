"""Models of copies of one operator in OpenVINO (operator_costs.py). It merges equal copies, so that each of those has inputs of its own, which
read the same memory. Weights come as inputs too, and become constants here: those are what it packs."""

import base64

import numpy as np
import openvino as ov
from openvino import op

from operator_costs import Copies, activation_of, result_of


def wrap(array):
    return ov.Tensor(array, shared_memory=True)


class RequestCopies(Copies):
    def __init__(self, core, properties, described, side, pool, made, shared):
        model = core.read_model(base64.b64decode(side["model"]))
        weights = {weight["name"]: weight for weight in side["weights"]}
        self.kept = []
        for parameter in model.get_parameters():
            weight = weights.get(described(parameter.output(0))["name"])
            if weight is None:
                continue
            self.kept.append(np.ascontiguousarray(pool.take(weight["dtype"], tuple(weight["shape"]))))
            constant = op.Constant(self.kept[-1], shared_memory=True)
            for reader in parameter.output(0).get_target_inputs():
                reader.replace_source_output(constant.output(0))
            model.remove_parameter(parameter)
        compiled = core.compile_model(model, "CPU", properties)
        self.request = compiled.create_infer_request()
        for number, about in enumerate(map(described, compiled.inputs)):
            value = activation_of(about["name"], about["dtype"], about["shape"], made, wrap)
            self.kept.append(value)
            self.request.set_input_tensor(number, value)
        for number, about in enumerate(map(described, compiled.outputs)):
            value = result_of(about["dtype"], about["shape"], number, shared, wrap)
            self.kept.append(value)
            self.request.set_output_tensor(number, value)

    def run(self):
        self.request.infer()
