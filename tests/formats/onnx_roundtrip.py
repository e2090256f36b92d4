"""Reads and writes ONNX models without optimisation and holds the copies to the originals: the full checker with strict
shape inference accepts them where it accepts the original, inputs and outputs keep names, order and types, and ONNX
Runtime computes the same bits with its optimisations off and on.

    onnx_roundtrip.py COPY_PROGRAM MODEL_OR_FOLDER ...      (COPY_PROGRAM: onnx_copy)
    onnx_roundtrip.py COPY_PROGRAM --node-tests             the node models of ONNX's own backend tests
    onnx_roundtrip.py COPY_PROGRAM --light                  the whole networks that the onnx package carries

Random inputs are made from a fixed seed; models that ONNX Runtime cannot load or run are only checked, and counted."""
import argparse
import collections
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime as ort

ort.set_default_logger_severity(4)
warnings.filterwarnings("ignore")
NEWEST_IR = 13  # that ONNX Runtime loads


def load(path):
    model = onnx.load(path, load_external_data=False)
    return model


def check(path):
    """None, or why the checker refuses."""
    try:
        onnx.checker.check_model(path, full_check=True)
        return None
    except Exception as error:  # the checker raises many types
        return str(error)


def session(path, level, scratch):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    model = load(path)
    if model.ir_version > NEWEST_IR:
        model.ir_version = NEWEST_IR
        path = os.path.join(scratch, "capped.onnx")
        onnx.save(model, path)
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


KINDS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int64)": np.int64,
         "tensor(int32)": np.int32, "tensor(int16)": np.int16, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8,
         "tensor(uint16)": np.uint16, "tensor(uint32)": np.uint32, "tensor(uint64)": np.uint64, "tensor(bool)": np.bool_,
         "tensor(string)": np.str_}


def random_inputs(s, rng, size=2):
    """One value an input, or None when a type is not a plain tensor."""
    feed = {}
    for i in s.get_inputs():
        if i.type not in KINDS:
            return None
        kind = KINDS[i.type]
        shape = [d if isinstance(d, int) and d >= 0 else size for d in i.shape]
        if np.issubdtype(kind, np.floating):
            feed[i.name] = (rng.standard_normal(shape) * 0.5).astype(kind)
        elif kind == np.str_:
            feed[i.name] = np.full(shape, "a", dtype=object)
        elif kind == np.bool_:
            feed[i.name] = rng.integers(0, 2, shape).astype(bool)
        else:
            feed[i.name] = rng.integers(0, 2, shape).astype(kind)
    return feed


def given_inputs(path):
    beside = os.path.join(os.path.dirname(path), "in.npz")
    if os.path.basename(path) == "model.onnx" and os.path.exists(beside):
        with np.load(beside) as data:
            return {k: (v.astype(object) if v.dtype.kind == "U" else v) for k, v in data.items()}
    return None


def same(a, b):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    return a == b or (a != a and b != b)


def signature(model):
    constants = {t.name for t in model.graph.initializer} if model.ir_version < 4 else set()
    fields = [i.SerializeToString(deterministic=True) for i in model.graph.input if i.name not in constants]
    fields += [o.SerializeToString(deterministic=True) for o in model.graph.output]
    fields += sorted(p.SerializeToString(deterministic=True) for p in model.metadata_props)
    fields += [model.producer_name, model.doc_string, model.graph.name]
    return fields + [sorted((o.domain, o.version) for o in model.opset_import)]


def compare(original, copy, scratch):
    """A verdict: "same", "checked only: ..." or "FAIL ..."."""
    before, after = check(original), check(copy)
    if before is None and after is not None:
        return "FAIL the checker refuses the copy: " + after[:300]
    if signature(load(original)) != signature(load(copy)):
        return "FAIL inputs, outputs or metadata differ"
    verdict = "same"
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        try:
            first = session(original, level, scratch)
        except Exception as error:
            return "checked only: not loaded: " + str(error)[:80].replace("\n", " ")
        try:
            second = session(copy, level, scratch)
        except Exception as error:
            return "FAIL the copy is not loaded: " + str(error)[:300]
        names = lambda s: ([i.name for i in s.get_inputs()], [o.name for o in s.get_outputs()])
        if names(first) != names(second):
            return "FAIL inputs or outputs differ"
        feed = given_inputs(original)
        if feed is None:
            feed = random_inputs(first, np.random.default_rng(1))
        if feed is None:
            return "checked only: inputs are no tensors"
        try:
            a, again = first.run(None, feed), first.run(None, feed)
        except Exception as error:
            return "checked only: not run: " + str(error)[:80].replace("\n", " ")
        if not same(a, again):
            return "checked only: random"
        b = second.run(None, feed)
        if not same(a, b):
            worst = max((float(np.max(np.abs(x.astype(np.float64) - y.astype(np.float64)))) for x, y in zip(a, b)
                         if isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size and x.shape == y.shape), default=float("nan"))
            return f"FAIL outputs differ by {worst} with optimisation {level}"
    return verdict


def write_node_tests(folder):
    from onnx.backend.test.case.node import collect_testcases
    paths = []
    for case in collect_testcases(None):
        if case.model is None:
            continue
        place = os.path.join(folder, case.name)
        os.makedirs(place, exist_ok=True)
        paths.append(os.path.join(place, "model.onnx"))
        onnx.save(case.model, paths[-1])
        values = case.data_sets[0][0] if case.data_sets else []
        arrays = {i.name: np.asarray(v) for i, v in zip(case.model.graph.input, values) if isinstance(v, (np.ndarray, np.generic))}
        plain = all(a.dtype.kind in "fiub" or a.dtype.kind == "O" for a in arrays.values())
        if len(arrays) == len(case.model.graph.input) and plain and values:
            np.savez(os.path.join(place, "in.npz"), **{k: v.astype(str) if v.dtype.kind == "O" else v for k, v in arrays.items()})
    return paths


def light_models():
    folder = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
    return sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".onnx"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--node-tests", action="store_true")
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        paths = []
        for m in options.models:
            if os.path.isdir(m):
                paths += sorted(os.path.join(d, f) for d, _, files in os.walk(m) for f in files if f.endswith(".onnx"))
            else:
                paths.append(m)
        paths += write_node_tests(os.path.join(scratch, "nodes")) if options.node_tests else []
        paths += light_models() if options.light else []
        if not paths:
            parser.error("no models")
        copies = [os.path.join(scratch, f"copy{i}.onnx") for i in range(len(paths))]
        listing = os.path.join(scratch, "list")
        with open(listing, "w") as f:
            f.writelines(f"{a}\t{b}\n" for a, b in zip(paths, copies))
        said = subprocess.run([options.program, "--list", listing], capture_output=True, text=True)
        answers = {line.split("\t")[1]: line.split("\t") for line in said.stdout.splitlines() if "\t" in line}
        verdicts, opaque = collections.Counter(), 0
        for path, copy in zip(paths, copies):
            answer = answers.get(path, ["crash"])
            if answer[0] == "ok":
                opaque += int(answer[3].split()[0])
                verdict = compare(path, copy, scratch)
            elif answer[0].startswith("error") and check(path) is not None:
                verdict = "refused, as by the checker"
            else:
                verdict = "FAIL " + " ".join(answer)
            verdicts[verdict.split(":")[0] if not verdict.startswith("FAIL") else "FAIL"] += 1
            if verdict.startswith("FAIL") or options.verbose:
                name = os.path.basename(os.path.dirname(path)) if path.endswith("/model.onnx") else os.path.basename(path)
                print(f"{name}: {verdict}")
        print(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())), f"; {opaque} opaque operators")
        return 1 if verdicts["FAIL"] or said.returncode not in (0, 3) else 0


if __name__ == "__main__":
    sys.exit(main())
