"""What a runtime reaches on this machine: best times of a product, of an addition of 16 MiB tensors, and of one node in a chain of tiny
ones."""

import tiny_onnx
from protocol import Refused
from sampling import numbers
from timing import Amounts, Target, time_targets

SIDE, LENGTH, SHORT, LONG = 512, 1 << 22, 8, 40


def chain(link, length):
    names = ["x", *(f"t{i}" for i in range(1, length)), "y"]
    return tiny_onnx.model([(link, [a], [b]) for a, b in zip(names, names[1:])], {"x": [8]}, {"y": [8]})


def calibrate(request, open_model, link, cancelled, progress):
    """open_model(bytes) loads a model as serving.py has it. `link`: an operator of which the runtime computes each by itself."""
    models = [
        tiny_onnx.model([("MatMul", ["a", "b"], ["y"])], {"a": [SIDE, SIDE], "b": [SIDE, SIDE]}, {"y": [SIDE, SIDE]}),
        tiny_onnx.model([("Add", ["a", "b"], ["y"])], {"a": [LENGTH], "b": [LENGTH]}, {"y": [LENGTH]}),
        chain(link, SHORT), chain(link, LONG)]

    def opener(data):
        def open_target():
            model = open_model(data)
            return model.caller({i["name"]: numbers(i["shape"]) for i in model.inputs}), None
        return open_target

    amounts = Amounts(loads=1, min_rounds=5, max_rounds=1000, max_seconds=float(request.get("seconds", 1.5)), min_sample_ms=0.5)
    report = time_targets([Target(opener(data)) for data in models], amounts, cancelled=cancelled, progress=progress)
    if not report["rounds"]:
        raise Refused("stopped before anything was measured")
    # On a busy machine even the best wall time of one thread may be several times what it works for.
    clock = "cpu_ms" if request["threads"] == 1 else "wall_ms"
    best = [min(target[clock]) for target in report["targets"]]
    node = (best[3] - best[2]) / (LONG - SHORT)
    if node <= 0:  # a busy machine: the whole chain is a bound from above
        node = best[3] / LONG
    return {"product_ms": best[0], "product_flops": 2 * SIDE ** 3, "addition_ms": best[1],
            "addition_bytes": 3 * 4 * LENGTH, "node_ms": node}
