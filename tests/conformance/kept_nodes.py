"""Nodes that are kept as they are and have a meaning all the same (Loop, Scan, If; what a graph defines), at random
attributes and inputs: the interpreter's outputs are held to ONNX Runtime's.

    kept_nodes.py NODE_VALUES [--cases N] [--seed N] [--op NAME]

Each case must be read without opaque operators and its copy must compute the same bits. The last line is one count."""
import argparse
import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import node_tests  # noqa: E402

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


class Case:
    """What node_tests takes for a test of ONNX's: a model, inputs, and what ONNX Runtime makes of them."""

    def __init__(self, name, nodes, inputs, outputs, constants=None, opset=20):
        self.name, self.rtol, self.atol = name, 1e-4, 1e-5
        graph = helper.make_graph(
            nodes, "case", [value(k, v) for k, v in inputs.items()],
            [helper.make_tensor_value_info(k, t, None) for k, t in outputs.items()],
            [numpy_helper.from_array(v, k) for k, v in (constants or {}).items()])
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        self.inputs = list(inputs.values())

    def run(self):
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = ort.InferenceSession(self.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        outputs = session.run(None, {i.name: v for i, v in zip(self.model.graph.input, self.inputs)})
        for info, out in zip(self.model.graph.output, outputs):  # dimensions, for the checker
            info.CopyFrom(value(info.name, out))
        self.data_sets = [(self.inputs, outputs)]


def value(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def untyped(name, kind):
    return helper.make_tensor_value_info(name, kind, None)


def scalar(name, kind):
    return helper.make_tensor_value_info(name, kind, [])


def floats(rng, *shape, low=-2.0, high=2.0):
    return np.asarray(rng.uniform(low, high, shape), np.float32)


def loop(rng, name):
    """A state and what is stacked; the condition always holds, or ends a loop that stacks nothing."""
    rounds, width, ends = int(rng.integers(0, 5)), int(rng.integers(1, 4)), bool(rng.random() < 0.5)
    body = [helper.make_node("Cast", ["i"], ["at"], to=F32), helper.make_node("Mul", ["state", "factor"], ["scaled"]),
            helper.make_node("Add", ["scaled", "at"], ["next"])]
    results = [untyped("goes_on", BOOL), untyped("next", F32)]
    if ends:
        body += [helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
                 helper.make_node("Less", ["sum", "bound"], ["goes_on"])]
    else:
        body += [helper.make_node("Identity", ["given"], ["goes_on"]), helper.make_node("Neg", ["next"], ["shown"])]
        results.append(untyped("shown", F32))
    graph = helper.make_graph(body, "body", [scalar("i", I64), scalar("given", BOOL), untyped("state", F32)], results,
                              [numpy_helper.from_array(np.float32(6), "bound")])
    outputs = {"last": F32} if ends else {"last": F32, "all": F32}
    node = helper.make_node("Loop", ["rounds", "begins", "x"], list(outputs), body=graph)
    return Case(name, [node], {"x": floats(rng, width), "factor": floats(rng, width)}, outputs,
                {"rounds": np.int64(rounds), "begins": np.bool_(True)})


def scan(rng, name):
    """Two states, along any axis, in either direction."""
    sizes = [int(rng.integers(1, 4)) for _ in range(3)]
    axis, out_axis = int(rng.integers(0, 3)), int(rng.integers(0, 3))
    each = [s for i, s in enumerate(sizes) if i != axis]
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "e"], ["s1"]), helper.make_node("Mul", ["t", "outer"], ["t1"]),
         helper.make_node("Sub", ["s1", "t1"], ["shown"])], "body",
        [untyped(n, F32) for n in ("s", "t", "e")], [untyped(n, F32) for n in ("s1", "t1", "shown")])
    node = helper.make_node("Scan", ["a", "b", "x"], ["last_s", "last_t", "all"], body=body, num_scan_inputs=1,
                            scan_input_axes=[axis], scan_input_directions=[int(rng.integers(0, 2))],
                            scan_output_axes=[out_axis - 3 if rng.random() < 0.5 else out_axis],
                            scan_output_directions=[int(rng.integers(0, 2))])
    inputs = {"a": floats(rng, *each), "b": floats(rng, *each), "x": floats(rng, *sizes), "outer": floats(rng, *each)}
    return Case(name, [node], inputs, dict.fromkeys(("last_s", "last_t", "all"), F32))


def branch(rng, name):
    """By a condition that is an input, or that follows from a shape."""
    known = rng.random() < 0.5
    one = helper.make_graph([helper.make_node("Mul", ["x", "y"], ["r"])], "then", [], [untyped("r", F32)])
    other = helper.make_graph([helper.make_node("Sub", ["x", "y"], ["q"])], "else", [], [untyped("q", F32)])
    nodes = [helper.make_node("If", ["c"], ["out"], then_branch=one, else_branch=other)]
    inputs = {"x": floats(rng, 2, 3), "y": floats(rng, 2, 3)}
    if known:
        nodes[:0] = [helper.make_node("Size", ["x"], ["n"]), helper.make_node("Equal", ["n", "six"], ["c"])]
    else:
        inputs["c"] = np.bool_(rng.random() < 0.5)[...]
    return Case(name, nodes, inputs, {"out": F32}, {"six": np.int64(rng.integers(5, 7))} if known else {})


def det(rng, name):
    n = int(rng.integers(1, 5))
    return Case(name, [helper.make_node("Det", ["x"], ["y"])], {"x": floats(rng, 2, n, n)}, {"y": F32})


def stft(rng, name):
    length, size = int(rng.integers(8, 20)), int(rng.integers(2, 8))
    node = helper.make_node("STFT", ["x", "step", "window" if rng.random() < 0.5 else "", "length"], ["y"],
                            onesided=int(rng.integers(0, 2)))
    return Case(name, [node], {"x": floats(rng, 2, length, 1)}, {"y": F32},
                {"step": np.int64(rng.integers(1, 4)), "length": np.int64(size), "window": floats(rng, size)}, opset=17)


def mel_weight_matrix(rng, name):
    node = helper.make_node("MelWeightMatrix", ["bands", "length", "rate", "low", "high"], ["y"])
    constants = {"bands": np.int32(rng.integers(2, 8)), "length": np.int32(rng.integers(16, 64)), "rate": np.int32(8192),
                 "low": np.float32(0), "high": np.float32(rng.integers(2000, 4096))}
    add = helper.make_node("Add", ["y", "x"], ["z"])
    return Case(name, [node, add], {"x": floats(rng, 1, 1)}, {"z": F32}, constants)


def roi_align(rng, name):
    boxes = int(rng.integers(1, 4))
    corners = rng.uniform(-1, 4, (boxes, 2))
    rois = np.concatenate([corners, corners + rng.uniform(1, 4, (boxes, 2))], 1).astype(np.float32)
    node = helper.make_node(
        "RoiAlign", ["x", "rois", "batch"], ["y"], mode=str(rng.choice(["avg", "max"])), sampling_ratio=int(rng.integers(1, 4)),
        coordinate_transformation_mode=str(rng.choice(["half_pixel", "output_half_pixel"])),
        output_height=int(rng.integers(1, 4)), output_width=int(rng.integers(1, 4)), spatial_scale=0.75)
    return Case(name, [node], {"x": floats(rng, 2, 3, 5, 6, low=0.0), "rois": rois,
                               "batch": np.asarray(rng.integers(0, 2, boxes), np.int64)}, {"y": F32})


def deform_conv(rng, name):
    group, spread = (1, 1) if rng.random() < 0.5 else (2, 2)
    kernel, stride = [int(rng.integers(1, 3)), int(rng.integers(1, 4))], int(rng.integers(1, 3))
    pads, pace = [int(rng.integers(0, 2)) for _ in range(4)], int(rng.integers(1, 3))
    sizes = [(5 + pads[i] + pads[i + 2] - (kernel[i] - 1) * pace - 1) // stride + 1 for i in (0, 1)]
    taps = kernel[0] * kernel[1]
    inputs = {"x": floats(rng, 1, 4, 5, 5), "w": floats(rng, 2, 4 // group, *kernel),
              "offset": floats(rng, 1, spread * taps * 2, *sizes)}
    names = ["x", "w", "offset"]
    if rng.random() < 0.5:
        inputs |= {"b": floats(rng, 2), "mask": floats(rng, 1, spread * taps, *sizes)}
        names += ["b", "mask"]
    node = helper.make_node("DeformConv", names, ["y"], group=group, offset_group=spread, kernel_shape=kernel,
                            strides=[stride] * 2, dilations=[pace] * 2, pads=pads)
    return Case(name, [node], inputs, {"y": F32}, opset=22)


def max_pool(rng, name):
    rank = int(rng.integers(1, 3))
    pads = [int(rng.integers(0, 2)) for _ in range(2 * rank)]
    node = helper.make_node("MaxPool", ["x"], ["y", "places"], kernel_shape=[2] * rank, pads=pads,
                            strides=[int(rng.integers(1, 3))] * rank, dilations=[int(rng.integers(1, 3))] * rank,
                            storage_order=int(rng.integers(0, 2)))
    return Case(name, [node], {"x": floats(rng, 2, 2, *([6] * rank))}, {"y": F32, "places": I64})


def max_unpool(rng, name):
    height, width = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    places = rng.permutation(4 * height * width)[: height * width].reshape(1, 1, height, width).astype(np.int64)
    shape = np.array([1, 1, 2 * height, 2 * width], np.int64)
    node = helper.make_node("MaxUnpool", ["x", "places"] + (["shape"] if rng.random() < 0.5 else []), ["y"],
                            kernel_shape=[2, 2], strides=[2, 2])
    return Case(name, [node], {"x": floats(rng, 1, 1, height, width), "places": places}, {"y": F32}, {"shape": shape})


def tf_idf(rng, name):
    node = helper.make_node(
        "TfIdfVectorizer", ["x"], ["y"], mode=str(rng.choice(["TF", "IDF", "TFIDF"])), min_gram_length=int(rng.integers(1, 3)),
        max_gram_length=int(rng.integers(2, 4)), max_skip_count=int(rng.integers(0, 4)), ngram_counts=[0, 3, 7],
        ngram_indexes=[0, 1, 2, 3, 4, 5], pool_int64s=[1, 2, 3, 1, 2, 2, 3, 1, 2, 3], weights=[1.0, 0.5, 2.0, 1.5, 1.0, 3.0])
    shape = (2, 7) if rng.random() < 0.5 else (9,)
    return Case(name, [node], {"x": np.asarray(rng.integers(0, 5, shape), np.int64)}, {"y": F32})


DRAWS = {"Loop": loop, "Scan": scan, "If": branch, "Det": det, "STFT": stft, "MelWeightMatrix": mel_weight_matrix,
         "RoiAlign": roi_align, "DeformConv": deform_conv, "MaxPool": max_pool, "MaxUnpool": max_unpool,
         "TfIdfVectorizer": tf_idf}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--op", choices=sorted(DRAWS))
    options = parser.parse_args()
    ort.set_default_logger_severity(4)
    drawn = {}
    for op in [options.op] if options.op else DRAWS:
        for i in range(options.cases):
            case = DRAWS[op](np.random.default_rng([options.seed, i, len(op), ord(op[0])]), f"{op}_{i}")
            case.run()
            drawn[case.name] = case
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        tests = [node_tests.Test(case, scratch) for case in drawn.values()]
        answers = node_tests.evaluate(options.program, tests, 0, scratch, 0)
        for test, answer in zip(tests, answers, strict=True):
            test.read = "error" not in answer and "bug" not in answer
            agrees = node_tests.judge(test, answer, 0) and test.agreed_at is not None
            trip = node_tests.round_trip(test, scratch) if test.read else "not read"
            if not agrees or trip.startswith("FAIL"):
                failures += 1
                print(f"{test.name}: {test.reason if not agrees else trip}")
    print(f"{len(tests)} cases of {len(tests) // options.cases} operators, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
