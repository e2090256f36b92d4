"""What a runtime reaches on this machine: best times of a product, of an addition of 16 MiB tensors, and of one node in a chain of tiny
ones."""

import tiny_onnx
from protocol import Refused
from sampling import numbers
from timing import Amounts, Target, time_targets

SIDE, LENGTH, SHORT, LONG = 512, 1 << 22, 8, 40
FEWEST, STANDS = 8, 0.98  # rounds; what is faster by less is no better time


class Stood:
    """Whether all best times have stood for as many rounds as it took to find them."""

    def __init__(self):
        self.best, self.seen, self.found = {}, 0, 0

    def __call__(self, samples):
        """`samples`: of each target all by now."""
        while self.seen < min(map(len, samples)):
            self.seen += 1
            for number, times in enumerate(samples):
                if times[self.seen - 1] < STANDS * self.best.get(number, float("inf")):
                    self.found = self.seen
                self.best[number] = min(self.best.get(number, float("inf")), times[self.seen - 1])
        return self.seen >= max(FEWEST, 2 * self.found)


def chain(link, length):
    names = ["x", *(f"t{i}" for i in range(1, length)), "y"]
    return tiny_onnx.model([(link, [a], [b]) for a, b in zip(names, names[1:])], {"x": [8]}, {"y": [8]})


def calibrate(request, open_model, link, cancelled, progress):
    """open_model(bytes) loads a model as serving.py has it. `link`: an operator of which the runtime computes each by itself."""
    clock = request["clock"]
    seconds = float(request.get("seconds", 1.5)) / 2

    def opener(data):
        def open_target():
            model = open_model(data)
            return model.caller({i["name"]: numbers(i["shape"]) for i in model.inputs}), None
        return open_target

    def best_of(*models):
        """Of those that run about as long: all targets of one timing are repeated as often as the shortest needs."""
        amounts = Amounts(loads=1, min_rounds=FEWEST, max_rounds=1000, max_seconds=seconds, min_sample_ms=0.5)
        targets, stood = [Target(opener(data)) for data in models], Stood()

        def enough():
            return stood([getattr(target, clock) for target in targets])
        report = time_targets(targets, amounts, progress=progress, cancelled=lambda: cancelled() or enough())
        if not report["rounds"] or (cancelled() and not enough()):  # few rounds' best would be kept as what the machine reaches
            raise Refused("stopped before enough was measured")
        return [min(target[clock]) for target in report["targets"]]

    product, addition = best_of(
        tiny_onnx.model([("MatMul", ["a", "b"], ["y"])], {"a": [SIDE, SIDE], "b": [SIDE, SIDE]}, {"y": [SIDE, SIDE]}),
        tiny_onnx.model([("Add", ["a", "b"], ["y"])], {"a": [LENGTH], "b": [LENGTH]}, {"y": [LENGTH]}))
    short, long = best_of(chain(link, SHORT), chain(link, LONG))
    node = (long - short) / (LONG - SHORT)
    if node <= 0:  # a busy machine: the whole chain is a bound from above
        node = long / LONG
    return {"product_ms": product, "product_flops": 2 * SIDE ** 3, "addition_ms": addition,
            "addition_bytes": 3 * 4 * LENGTH, "node_ms": node}
