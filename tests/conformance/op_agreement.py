"""Holds the interpreter to ONNX Runtime, operator by operator: random attributes, shapes, element types and operator
sets (op_agreement.cpp makes the cases and computes what the interpreter says).

    op_agreement.py PROGRAM [--cases N] [--seed N] [--op NAME] [--keep FOLDER]

Integers, bools, NaN and infinities must agree exactly, floats within a few roundings of their element type, relative
to the element and, since sums cancel, to a tenth of the largest element. Cases that ONNX Runtime has no kernel for (an
element type, mostly) are given to ONNX's own reference evaluator; those that neither runs are counted, and an operator
of which nothing could be run counts as a failure. Every model must pass ONNX's full checker and read back as the same
function. The last line is one count."""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from onnx.reference import ReferenceEvaluator

ort.set_default_logger_severity(4)
warnings.filterwarnings("ignore")
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i16": np.int16, "i32": np.int32,
          "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_,
          "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
ROUNDINGS = {"f32": 2e-5, "f64": 1e-10, "f16": 1e-2, "f8e4m3fn": 1e-6, "f8e5m2": 1e-6}  # allowed relative error, sums and vectorised functions included
# Faults of the other side. ONNX Runtime takes constants of these in single precision whatever the element type, and
# computes 1 + erf(x) by that sum, and refuses a Clip of old operator sets whose bounds are the wrong way round. The
# reference evaluator reduces the wrong axes (GlobalMaxPool), takes the batch for the channels (LRN), and returns what
# numpy promotes to (ReduceSumSquare). Before operator set 22 ONNX's shape inference counts a last window that lies
# beyond the input, which ONNX Runtime leaves out.
SINGLE_PRECISION = {"gelu", "hard_swish"}
# Sums of few terms that may cancel: errors are relative to 1 there.
CANCELS = {"bias_gelu", "gelu", "causal_conv", "rnn"}
REFERENCE_IS_WRONG = {"global_max_pool", "lrn", "reduce_sum_square"}
EXPECTED_REFUSALS = ("NOT_IMPLEMENTED", "INVALID_GRAPH", "not a registered", "min_ <= max_", "ValidateOpsetForDomain",
                     "No corresponding Numpy type")
# Where a number lies halfway between two integers, either is right.
HALFWAY = {"quantize_linear", "dynamic_quantize_linear", "qlinear_matmul", "qlinear_conv"}


def is_known_fault_of_checker(case, words):
    return (case["opset"] < 22 and case["op"] in ("max_pool", "avg_pool") and "ceil_mode=1" in case["text"]
            and "Inferred shape and existing shape differ" in words)


def array(data, spec, dtype):
    count = int(np.prod(spec["sizes"], dtype=np.int64))
    return np.frombuffer(data, dtype, count, spec["offset"]).reshape(spec["sizes"])


def run_runtime(model, inputs):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def difference(got, spec, data, rounding, least_scale, apart=0):
    """None, or in words how the result differs from what the interpreter says. Integers may be `apart`."""
    dtype = spec["dtype"]
    if got.dtype == np.uint8 and dtype.startswith("f8"):  # as ONNX Runtime hands them over
        got = got.view(DTYPES[dtype])
    if got.dtype != DTYPES[dtype]:
        return f"element type {got.dtype}, expected {dtype}"
    if list(got.shape) != spec["sizes"]:
        return f"shape {list(got.shape)}, expected {spec['sizes']}"
    if dtype not in ROUNDINGS:
        expected = array(data, spec, np.int64)
        wrong = np.argwhere(np.abs(got.astype(np.int64) - expected) > apart)
    else:
        expected = array(data, spec, np.float64)
        with np.errstate(all="ignore"):
            rounded = expected.astype(DTYPES[dtype]).astype(np.float64)
            got = got.astype(np.float64)
            finite = np.isfinite(rounded)
            scale = np.abs(rounded[finite]).max() if finite.any() else 0.0
            allowed = rounding * (np.abs(rounded) + 0.1 * max(scale, least_scale) + 1e-30)
            good = np.where(finite, np.abs(got - rounded) <= allowed, (got == rounded) | (np.isnan(got) & np.isnan(rounded)))
        wrong = np.argwhere(~good)
    if len(wrong) == 0:
        return None
    at = tuple(wrong[0])
    return f"{len(wrong)} of {got.size} elements, first at {list(map(int, at))}: {got[at]}, expected {expected[at]}"


def judge(case, folder, data):
    """(verdict, words): agree, reference, neither or fail."""
    path = os.path.join(folder, f"{case['number']}.onnx")
    faults = [case["reread"]] if case["reread"] else []
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as error:  # the checker raises many types
        words = " ".join(str(error).split())
        if not is_known_fault_of_checker(case, words):
            faults.append(f"the checker refuses: {words[:300]}")
    model = onnx.load(path)
    inputs = {s["name"]: array(data, s, DTYPES[s["dtype"]]) for s in case["inputs"]}
    verdict, who = "agree", "ONNX Runtime"
    results = []
    try:
        results = run_runtime(model, inputs)
    except Exception as error:
        refusal = str(error).splitlines()[0]
        if not any(words in refusal for words in EXPECTED_REFUSALS):
            faults.append(f"ONNX Runtime refuses: {refusal}")
        verdict, who = "neither", "reference evaluator"
        if case["op"] not in REFERENCE_IS_WRONG:
            try:
                results = ReferenceEvaluator(model).run(None, inputs)
                verdict = "reference"
            except Exception:  # it has no such operator or element type either
                pass
    if verdict != "neither":
        for spec, got in zip(case["outputs"], results, strict=True):
            rounding = ROUNDINGS.get(spec["dtype"], 0)
            if who != "ONNX Runtime" or case["op"] in SINGLE_PRECISION:
                rounding = max(rounding, ROUNDINGS["f32"])
            least_scale = 1.0 if case["op"] in CANCELS else 0.0
            words = difference(np.asarray(got), spec, data, rounding, least_scale, int(case["op"] in HALFWAY))
            if words:
                faults.append(f"{who}: {words}")
    return ("fail", "; ".join(faults)) if faults else (verdict, "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--op", default="")
    parser.add_argument("--keep", help="keep models and data in this folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or scratch
        made = subprocess.run([args.program, folder, str(args.cases), str(args.seed)] + ([args.op] if args.op else []))
        if made.returncode not in (0, 1):
            sys.exit(f"{args.program} ended with status {made.returncode}")
        with open(os.path.join(folder, "index.json")) as f:
            cases = json.load(f)
        with open(os.path.join(folder, "data.bin"), "rb") as f:
            data = f.read()
        counts = collections.defaultdict(collections.Counter)
        for case in cases:
            verdict, words = judge(case, folder, data)
            counts[case["op"]][verdict] += 1
            if verdict == "fail":
                print(f"case {case['number']} (seed {args.seed}, opset {case['opset']}): {words}\n{case['text']}")
    total = sum(counts.values(), collections.Counter())
    never = [op for op, count in counts.items() if count["agree"] + count["reference"] + count["fail"] == 0]
    for op in never:
        print(f"{op}: none of its cases could be run")
    print(f"{len(counts)} operators, {len(cases)} cases: {total['agree']} agree with ONNX Runtime {ort.__version__}, "
          f"{total['reference']} with the reference evaluator, {total['neither']} run by neither, {total['fail']} failed")
    sys.exit(0 if cases and not total["fail"] and not never and made.returncode == 0 else 1)


if __name__ == "__main__":
    main()
