"""Values at which a formula and what ONNX Runtime computes part easily: sequences without a step in a batch, targets that are
ignored though infinity or NaN stands there, elements that are the nearest ones only in single precision.

    special_values.py NODE_VALUES [--cases N] [--seed N] [--op NAME]

The interpreter's outputs are held to ONNX Runtime's, as in kept_nodes.py. What is kept opaque is no disagreement."""
import argparse
import os
import sys
import tempfile
import zlib

import numpy as np
from onnx import helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import node_tests  # noqa: E402
from kept_nodes import F32, Case, floats  # noqa: E402


def recurrent(op, gates):
    """Any batch, some of whose sequences may have no step."""
    def draw(rng, name):
        steps, batch, width, hidden = (int(rng.integers(1, high)) for high in (5, 4, 4, 4))
        direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
        ways = 2 if direction == "bidirectional" else 1
        inputs = {"x": floats(rng, steps, batch, width), "lengths": np.asarray(rng.integers(0, steps + 1, batch), np.int32),
                  "h": floats(rng, ways, batch, hidden)}
        constants = {"w": floats(rng, ways, gates * hidden, width), "r": floats(rng, ways, gates * hidden, hidden)}
        names, outputs = ["x", "w", "r", "", "lengths", "h"], ["all", "last"]
        if op == "LSTM":
            inputs["c"] = floats(rng, ways, batch, hidden)
            names.append("c")
            outputs.append("cell")
        node = helper.make_node(op, names, outputs, hidden_size=hidden, direction=direction)
        return Case(name, [node], inputs, dict.fromkeys(outputs, F32), constants)
    return draw


def loss(op):
    """One target is ignored, and what stands at its class is no ordinary number."""
    def draw(rng, name):
        rows, classes = 4, int(rng.integers(2, 5))
        x, targets = floats(rng, rows, classes), rng.integers(0, classes, rows).astype(np.int64)
        ignored = int(targets[0])
        x[targets == ignored, ignored] = rng.choice([-np.inf, np.inf, np.nan])
        targets[1] = (ignored + 1) % classes
        x[1] = floats(rng, classes)
        inputs, names = {"x": x, "targets": targets}, ["x", "targets"]
        if rng.random() < 0.5:
            inputs["weights"] = floats(rng, classes, low=0.1)
            names.append("weights")
        node = helper.make_node(op, names, ["y"], ignore_index=ignored, reduction=str(rng.choice(["none", "sum", "mean"])))
        return Case(name, [node], inputs, {"y": F32}, opset=13)
    return draw


def resize(rng, name):
    """By scales that are no sums of powers of two."""
    sizes = [int(rng.integers(1, 9)), int(rng.integers(2, 9))]
    scales = [1.0, 1.0, max(float(rng.choice([1 / 3, 0.4, 0.7, 1.2, 1.4, 4 / 3, 2.6])), 1.01 / sizes[0]), 2.0]
    node = helper.make_node(
        "Resize", ["x", "", "scales"], ["y"], mode="nearest", nearest_mode=str(rng.choice(
            ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])), coordinate_transformation_mode=str(rng.choice(
                ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners"])))
    return Case(name, [node], {"x": floats(rng, 1, 1, *sizes)}, {"y": F32}, {"scales": np.array(scales, np.float32)})


DRAWS = {"LSTM": recurrent("LSTM", 4), "GRU": recurrent("GRU", 3), "RNN": recurrent("RNN", 1),
         "NegativeLogLikelihoodLoss": loss("NegativeLogLikelihoodLoss"), "SoftmaxCrossEntropyLoss": loss("SoftmaxCrossEntropyLoss"),
         "Resize": resize}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--op", choices=sorted(DRAWS))
    options = parser.parse_args()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        for op, draw in DRAWS.items():
            if options.op not in (None, op):
                continue
            rng = np.random.default_rng([options.seed, zlib.crc32(op.encode())])
            cases = [draw(rng, f"{op.lower()}_{i}") for i in range(options.cases)]
            for case in cases:
                case.run()
            tests = [node_tests.Test(case, scratch) for case in cases]
            node_tests.run(tests, options.program, scratch, 1)
            bad = [t for t in tests if t.agreed_at is None and not t.opaque]
            for test in bad:
                print(f"{test.name}: {test.reason}")
            wrong += len(bad)
            count += len(tests)
    print(f"{count - wrong} of {count} agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
