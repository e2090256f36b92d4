"""Models of copies of one operator in ONNX Runtime (operator_costs.py): results go where they were before, equal copies stay apart."""

import base64

import onnxruntime as ort

from element_types import OF_RUNTIME
from operator_costs import Copies, activation_of, result_of
from providers import open_session

wrap = ort.OrtValue.ortvalue_from_numpy


def kind_of(argument):
    """Element type and shape; a size that is not known is one."""
    return OF_RUNTIME[argument.type[7:-1]], [size if isinstance(size, int) else 1 for size in argument.shape]


class SessionCopies(Copies):
    def __init__(self, options, about, pool, made, shared):
        names, values, self.kept = [], [], []
        for weight in about["weights"]:
            array = pool.take(weight["dtype"], tuple(weight["shape"]))
            self.kept.append(array)
            names.append(weight["name"])
            values.append(wrap(array))
        if names:
            options.add_external_initializers(names, values)
        self.kept += values
        self.session = open_session(base64.b64decode(about["model"]), options, disabled_optimizers=["CommonSubexpressionElimination"])
        self.binding = self.session.io_binding()
        for argument in self.session.get_inputs():
            value = activation_of(argument.name, *kind_of(argument), made, wrap)
            self.kept.append(value)
            self.binding.bind_ortvalue_input(argument.name, value)
        for number, argument in enumerate(self.session.get_outputs()):
            value = result_of(*kind_of(argument), number, shared, wrap)
            self.kept.append(value)
            self.binding.bind_ortvalue_output(argument.name, value)

    def run(self):
        self.session.run_with_iobinding(self.binding)
