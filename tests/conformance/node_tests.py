"""Holds reading, writing and meanings to the node tests of ONNX's own backend tests: models with inputs and the outputs
that ONNX expects, all that the onnx package carries (its generators make them; those of training, of strings, sequences,
optionals and of ai.onnx.ml included).

    node_tests.py NODE_VALUES [--match TEXT] [--least PERCENT] [--list] [--jobs N]

Of each model is asked:
  round trip   its copy passes the checker where it does, keeps names and types, and computes the same bits, in ONNX
               Runtime or, where that does not run it, in ONNX's reference evaluator
  meaning      no operator of it is opaque
  agreement    the interpreter's outputs are the expected ones, within the tolerances of the test or a rounding of
               the largest of them (what is added up in another order ends so), element types and shapes exactly
Node tests hand over as inputs what real files have as constants (axes, shapes, counts, pads). A model of which something
stays opaque, or has no shape, is therefore tried again with constants in the place of its inputs: first all but the first,
then all. Which of these it took is counted apart. `--list` prints each test that does not agree, with its reason."""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "formats"))
import onnx_roundtrip  # noqa: E402

warnings.filterwarnings("ignore")
STAGES = ("as given", "all inputs but the first as constants", "all inputs as constants")
NAMES = {"FLOAT": "f32", "DOUBLE": "f64", "FLOAT16": "f16", "BFLOAT16": "bf16", "BOOL": "bool", "INT2": "i2", "INT4": "i4",
         "INT8": "i8", "INT16": "i16", "INT32": "i32", "INT64": "i64", "UINT2": "u2", "UINT4": "u4", "UINT8": "u8",
         "UINT16": "u16", "UINT32": "u32", "UINT64": "u64", "FLOAT8E4M3FN": "f8e4m3fn", "FLOAT8E4M3FNUZ": "f8e4m3fnuz",
         "FLOAT8E5M2": "f8e5m2", "FLOAT8E5M2FNUZ": "f8e5m2fnuz", "FLOAT4E2M1": "f4e2m1", "FLOAT8E8M0": "f8e8m0"}


ROUNDINGS = {"f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


class Test:
    def __init__(self, case, folder):
        self.name, self.rtol, self.atol = case.name, case.rtol, case.atol
        self.model = case.model
        inputs, self.expected = case.data_sets[0]
        self.inputs = dict(zip((i.name for i in case.model.graph.input), map(as_array, inputs)))
        self.path = os.path.join(folder, f"{case.name}.onnx")
        self.copy = self.path[:-5] + ".copy.onnx"
        self.agreed_at = None
        self.reason = ""
        self.opaque = []
        self.round_trip = ""
        self.read = False

    def operators(self):
        return sorted({(n.domain + "." if n.domain else "") + n.op_type for n in self.model.graph.node})

    def staged(self, stage):
        """The model with constants in the place of its first, or second, input and those after it."""
        if stage == 0:
            return self.model
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        kept = []
        for at, info in enumerate(self.model.graph.input):
            array = self.inputs.get(info.name)
            if array is None or not isinstance(array, np.ndarray) or (stage == 1 and at == 0):
                kept.append(info)
            else:
                model.graph.initializer.append(numpy_helper.from_array(array, info.name))
        del model.graph.input[:]
        model.graph.input.extend(kept)
        for info in model.graph.input:  # of the sizes that are given
            array = self.inputs.get(info.name)
            if isinstance(array, np.ndarray) and info.type.HasField("tensor_type"):
                del info.type.tensor_type.shape.dim[:]
                for size in array.shape:
                    info.type.tensor_type.shape.dim.add().dim_value = size
                info.type.tensor_type.shape.SetInParent()
        return model


def as_array(value):
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, (np.ndarray, np.generic, int, float)) else value


def elements(array):
    """As node_values takes them: doubles, or integers of 64 bits; nothing of what is no number."""
    if not isinstance(array, np.ndarray) or array.dtype.kind in "OUSc":
        return None
    name = array.dtype.name
    if array.dtype.kind == "f" or name.startswith(("bfloat", "float")):
        return array.astype(np.float64)
    return array.astype(np.uint64).view(np.int64) if name == "uint64" else array.astype(np.int64)


def evaluate(program, tests, stage, scratch, part):
    """The answers of node_values, with arrays as "outputs"."""
    data, listing = bytearray(), []
    place = os.path.join(scratch, f"{stage}.{part}")
    for test in tests:
        path = test.path if stage == 0 else f"{test.path[:-5]}.{stage}.onnx"
        onnx.save(test.staged(stage), path)
        offsets = {}
        for name, array in test.inputs.items():
            numbers = elements(array)
            if numbers is not None:
                offsets[name] = len(data)
                data += numbers.tobytes()
        listing.append(json.dumps({"model": path, "copy": test.copy if stage == 0 else "", "inputs": offsets}))
    with open(place + ".list", "w") as f:
        f.write("\n".join(listing) + "\n")
    with open(place + ".data", "wb") as f:
        f.write(data)
    said = subprocess.run([program, place + ".list", place + ".data", place + ".results"], capture_output=True, text=True)
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    answers += [{"bug": "it crashed: " + said.stderr[-200:]}] * (len(tests) - len(answers))
    with open(place + ".results", "rb") as f:
        results = f.read()
    for answer in answers:
        for out in answer.get("outputs", []):
            kind = np.float64 if out["dtype"].startswith(("f", "bf")) else np.int64
            count = int(np.prod(out["sizes"], dtype=np.int64))
            out["array"] = np.frombuffer(results, kind, count, out["offset"]).reshape(out["sizes"])
    return answers


def difference(test, outputs):
    """Empty, or how the outputs differ from the expected ones."""
    for info, out, expected in zip(test.model.graph.output, outputs, test.expected, strict=True):
        expected = as_array(expected)
        numbers = elements(expected)
        if numbers is None:
            return f"{info.name}: no tensor of numbers is expected"
        dtype = NAMES.get(onnx.TensorProto.DataType.Name(info.type.tensor_type.elem_type))
        if out["dtype"] != dtype:
            return f"{info.name}: elements are {out['dtype']}, expected {dtype}"
        if out["array"].shape != numbers.shape:
            return f"{info.name}: shape {list(out['array'].shape)}, expected {list(numbers.shape)}"
        with np.errstate(all="ignore"):
            largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=0)
            atol = max(test.atol, ROUNDINGS.get(dtype, 0) * largest)
            good = np.isclose(out["array"], numbers, rtol=test.rtol, atol=atol, equal_nan=True)
        if not good.all():
            at = tuple(np.argwhere(~good)[0])
            return (f"{info.name}: {int((~good).sum())} of {good.size} elements differ, first at {list(map(int, at))}: "
                    f"{out['array'][at]}, expected {numbers[at]}")
    return ""


def judge(test, answer, stage):
    """Whether the test is done with."""
    if "bug" in answer:
        test.reason = "bug: " + answer["bug"]
    elif "error" in answer:
        test.reason = "not read: " + answer["error"]
    elif answer["opaque"]:
        test.opaque = answer["opaque"]
        test.reason = "opaque: " + "; ".join(answer["notes"] or answer["opaque"])
    elif "unknown" in answer:
        test.reason = "not evaluated: " + answer["unknown"]
    else:
        test.reason = difference(test, answer["outputs"])
        if not test.reason:
            test.agreed_at = stage
        test.opaque = []
        return True
    return False


def same_in_reference(test):
    """Whether the copy computes the same bits in ONNX's reference evaluator; None where that does not run it."""
    try:
        evaluators = [ReferenceEvaluator(onnx.load(path)) for path in (test.path, test.copy)]
        feed = {k: v for k, v in test.inputs.items() if v is not None}
        first, again = evaluators[0].run(None, feed), evaluators[0].run(None, feed)
    except Exception:  # it raises many types
        return None
    if not onnx_roundtrip.same(first, again):
        return None
    return onnx_roundtrip.same(first, evaluators[1].run(None, feed))


def round_trip(test, scratch):
    if not test.read:
        return "not read"
    with open(test.path, "rb") as a, open(test.copy, "rb") as b:
        if a.read() == b.read():
            return "the same bytes"
    values = {k: v.astype(str) if v.dtype.kind == "O" else v for k, v in test.inputs.items() if isinstance(v, np.ndarray)}
    folder = os.path.join(scratch, "at", test.name)
    os.makedirs(folder, exist_ok=True)
    original = os.path.join(folder, "model.onnx")
    onnx.save(test.model, original)
    if len(values) == len(test.model.graph.input) and all(v.dtype.isbuiltin == 1 or v.dtype.kind == "U" for v in values.values()):
        np.savez(os.path.join(folder, "in.npz"), **values)
    verdict = onnx_roundtrip.compare(original, test.copy, folder)
    if verdict == "same":
        return "the same bits in ONNX Runtime"
    if verdict.startswith("FAIL"):
        return verdict
    same = same_in_reference(test)
    if same is None:
        return "checked only"
    return "the same bits in the reference evaluator" if same else "FAIL the reference evaluator gives other bits"


def in_parts(items, count):
    return [items[i::count] for i in range(count)]


def run(tests, program, scratch, jobs):
    left = tests
    for stage in range(len(STAGES)):
        parts = in_parts(left, jobs)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            answered = list(pool.map(lambda p: evaluate(program, parts[p], stage, scratch, p), range(len(parts))))
        left = []
        for part, answers in zip(parts, answered):
            for test, answer in zip(part, answers):
                if stage == 0:
                    test.read = "error" not in answer and "bug" not in answer
                if not judge(test, answer, stage):
                    left.append(test)


def report(tests, trips, options):
    total = len(tests)
    agreed = [t for t in tests if t.agreed_at is not None]
    if options.list:
        for t in sorted(tests, key=lambda t: t.name):
            if t.agreed_at is None:
                print(f"{t.name}\t{' '.join(t.operators())}\t{t.reason}")
    lacking = collections.Counter(op for t in tests for op in set(t.opaque))
    if lacking:
        print("without a meaning, by number of tests: " + ", ".join(f"{op} {n}" for op, n in lacking.most_common()))
    print("round trips: " + ", ".join(f"{n} {verdict}" for verdict, n in trips.most_common()))
    for stage, words in enumerate(STAGES):
        print(f"agree {words}: {sum(t.agreed_at == stage for t in tests)}")
    print(f"{total} node tests: {sum(not t.opaque and t.read for t in tests)} without opaque operators, "
          f"{len(agreed)} agree ({100 * len(agreed) / max(total, 1):.1f} %)")
    return 100 * len(agreed) >= options.least * total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--match", default="")
    parser.add_argument("--least", type=float, default=0, help="percent of the tests that must agree")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-round-trip", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    from onnx.backend.test.case.node import collect_testcases
    with tempfile.TemporaryDirectory() as scratch:
        cases = [c for c in collect_testcases(None) if c.model is not None and options.match in c.name]
        if not cases:
            parser.error("no tests")
        tests = [Test(case, scratch) for case in cases]
        run(tests, options.program, scratch, options.jobs)
        trips = collections.Counter()
        for test in [] if options.no_round_trip else tests:
            verdict = round_trip(test, scratch)
            if verdict.startswith("FAIL") or verdict == "not read":
                print(f"{test.name}: round trip: {verdict}: {test.reason}")
            trips[verdict.split(":")[0] if not verdict.startswith("FAIL") else "FAIL"] += 1
        enough = report(tests, trips, options)
    return 0 if enough and not trips["FAIL"] else 1


if __name__ == "__main__":
    sys.exit(main())
