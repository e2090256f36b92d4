"""Pairs of ONNX models: different ones that look equal, and equal ones that look different.

    python pairs.py [--set second] --check [--only WORD] [--verbose]    show by ONNX Runtime (or ONNX's reference evaluator) what is stated
    python pairs.py [--set second] --write FOLDER                       NAME.a.onnx and NAME.b.onnx of each pair

The tables are pairs_*.py. Deterministic; the program under test is not used.
"""
import argparse
import importlib
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

import pairs_equal  # noqa: F401
import pairs_numbers  # noqa: F401
import pairs_programs  # noqa: F401
import pairs_shapes  # noqa: F401
from pair_models import PAIRS

HERE = Path(__file__).resolve().parent
SET_NAMES = ["first", *sorted({path.parent.name for path in HERE.glob("*/pairs_*.py")})]
SETS = {"first": list(PAIRS)}  # further ones are tables in folders of their names


def of_set(which):
    """The pairs of a set."""
    if which not in SETS:
        known = len(PAIRS)
        for path in sorted((HERE / which).glob("pairs_*.py")):
            importlib.import_module(f"{which}.{path.stem}")
        SETS[which] = PAIRS[known:]
        del PAIRS[known:]
    return SETS[which]

APART = 1e-3
GRANTED = {"float16": 1e-2, "bfloat16": 5e-2}  # docs/verify.md: what an element may be off by
ROUNDS = 8  # of random inputs, for an equal pair
SPECIALS = (np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, -1e30, 1e4, -1e4, 0.5, 1.5)


class Runner:
    """A model in ONNX Runtime without its optimisations; in the reference evaluator where that has no kernel."""

    def __init__(self, path, reference=False):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        proto = onnx.load(path)
        self.names = [o.name for o in proto.graph.output]
        if reference:
            self.session = ReferenceEvaluator(proto)
            return
        try:
            self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001
            if "NOT_IMPLEMENTED" not in str(error) and "Type Error" not in str(error):
                raise
            self.session = ReferenceEvaluator(proto)

    def run(self, inputs):
        """Outputs by name, or the word for a failure."""
        try:
            with np.errstate(all="ignore"):
                return dict(zip(self.names, self.session.run(None, {k: np.asarray(v) for k, v in inputs.items()})))
        except Exception as error:  # noqa: BLE001
            return f"failed: {type(error).__name__}"


def as_number(array):
    return array.astype(np.float64) if array.dtype.kind == "f" or "float" in array.dtype.name else array


def element_error(a, b):
    """The largest difference of an element to its own size; infinite for what is not comparable."""
    if isinstance(a, list) != isinstance(b, list):
        return np.inf
    if isinstance(a, list):
        return max((element_error(x, y) for x, y in zip(a, b)), default=0.0) if len(a) == len(b) else np.inf
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return np.inf
    x, y = as_number(a), as_number(b)
    if x.dtype != np.float64:
        return np.inf if np.any(x != y) else 0.0
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if np.all(same):
        return 0.0
    with np.errstate(all="ignore"):
        error = np.abs(x - y) / np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-300)
    return float(np.max(np.where(same, 0, np.where(np.isfinite(x) & np.isfinite(y), error, np.inf))))


def largest_error(a, b):
    """The largest difference to the largest finite element; infinite for what is not comparable."""
    if isinstance(a, list) or np.asarray(a).dtype != np.asarray(b).dtype or np.shape(a) != np.shape(b):
        return element_error(a, b)
    x, y = as_number(np.asarray(a)), as_number(np.asarray(b))
    if x.dtype != np.float64 or not x.size:
        return element_error(a, b)
    if np.any(np.isnan(x) != np.isnan(y)) or np.any(np.where(np.isinf(x) | np.isinf(y), x != y, False) & ~np.isnan(x)):
        return np.inf
    finite = np.isfinite(x)
    if not np.any(finite):
        return 0.0
    return float(np.max(np.abs(x[finite] - y[finite])) / max(np.max(np.abs(x[finite])), 1e-300))


def over_outputs(one, two, measure):
    if isinstance(one, str) or isinstance(two, str):
        return 0.0 if isinstance(one, str) and isinstance(two, str) else np.inf
    if list(one) != list(two):
        return np.inf
    return max((measure(one[k], two[k]) for k in one), default=0.0)


# What models take and give

def interface(proto):
    defaults = {t.name: (t.data_type, tuple(t.dims), onnx.numpy_helper.to_array(t).tobytes())
                for t in proto.graph.initializer}
    symbols = {}

    def typed(value):
        tensor = value.type.tensor_type
        if not value.type.HasField("tensor_type"):
            return value.type.SerializeToString()
        dims = [d.dim_value if d.HasField("dim_value") else symbols.setdefault(d.dim_param or id(d), len(symbols) - 99)
                for d in tensor.shape.dim]
        return tensor.elem_type, tuple(dims)
    return ([(v.name, typed(v), defaults.get(v.name)) for v in proto.graph.input],
            [(v.name, typed(v)) for v in proto.graph.output])


def operators(proto):
    """Operators of foreign domains, with versions, attributes and where their operands come from."""
    versions, sources, out = {s.domain: s.version for s in proto.opset_import}, {}, []
    for value in proto.graph.input:
        sources[value.name] = value.name
    for tensor in proto.graph.initializer:
        sources[tensor.name] = onnx.numpy_helper.to_array(tensor).tobytes()
    for node in proto.graph.node:
        if node.op_type == "Identity":
            sources[node.output[0]] = sources[node.input[0]]
            continue
        attributes = sorted((a.name, a.SerializeToString()) for a in node.attribute)
        what = (node.domain, versions.get(node.domain), node.op_type, attributes,
                [sources.get(i, "") for i in node.input])
        for k, name in enumerate(node.output):
            sources[name] = (what, k)
        if node.domain not in ("", "ai.onnx.ml"):
            out.append(what)
    return out, [sources[o.name] for o in proto.graph.output]


# Checks

def write(pair, folder):
    paths = []
    for side, proto in zip("ab", pair.make()):
        path = Path(folder) / f"{pair.name}.{side}.onnx"
        if callable(proto):  # writes its files itself
            proto(path)
        else:
            onnx.save(proto, path)
        paths.append(str(path))
    return paths


def random_inputs(proto, pair, rng, specials):
    sizes, out = {}, {}
    fixed = {t.name for t in proto.graph.initializer}
    for value in proto.graph.input:
        if value.name in fixed and rng.random() < 0.5:
            continue
        tensor = value.type.tensor_type
        shape = [d.dim_value if d.HasField("dim_value") else sizes.setdefault(d.dim_param, int(rng.choice(pair.sizes)))
                 for d in tensor.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        if dtype == np.bool_:
            data = rng.integers(0, 2, shape)
        elif np.dtype(dtype).kind in "iu":
            low, high = pair.ranges.get(value.name, (max(-100, np.iinfo(dtype).min), 100))
            data = rng.integers(low, high, shape, endpoint=True)
        else:
            data = rng.normal(size=shape)
            if value.name in pair.ranges:
                data = rng.uniform(*pair.ranges[value.name], shape)
            elif specials and not pair.finite:
                data = np.where(rng.random(shape) < 0.3, rng.choice(np.array(SPECIALS), shape), data)
        with np.errstate(all="ignore"):
            out[value.name] = np.asarray(data).astype(dtype)
    return out


def overflows_alone(one, two):
    """Whether they differ only where the first is infinite or NaN, and the second is not."""
    for x, y in zip(one.values(), two.values()):
        apart = ~np.isclose(x, y, rtol=APART, equal_nan=True)
        if np.any(np.isfinite(x[apart])) or not np.all(np.isfinite(y[apart])):
            return False
    return True


def check_different(pair, paths):
    a, b = (onnx.load(path) for path in paths)
    if pair.witness == "interface":
        return "" if interface(a) != interface(b) else "the interfaces agree"
    if pair.witness == "operators":
        return "" if operators(a) != operators(b) else "the operators agree"
    one, two = (Runner(path, pair.reference).run(pair.witness) for path in paths)
    if isinstance(one, str) and isinstance(two, str):
        return f"both {one}"
    error = over_outputs(one, two, element_error)
    if pair.fault == "overflow" and not overflows_alone(one, two):
        return "they differ where both are finite, or the second is not"
    if pair.within and (isinstance(one, str) or error > min((GRANTED.get(str(np.asarray(v).dtype), 1e-4) for v in one.values()), default=0)):
        return f"they are apart by {error:.2g}, which no rounding is granted"
    return "" if error > APART else f"they agree at the witness to {error:.2g}"


def check_equal(pair, paths):
    a, b = (onnx.load(path) for path in paths)
    if interface(a) != interface(b):
        return "the interfaces differ"
    if not pair.runs:
        return "" if operators(a) == operators(b) else "the operators differ"
    rng, runners, ran = np.random.default_rng(zlib.crc32(pair.name.encode())), [Runner(p, pair.reference) for p in paths], 0
    for attempt in range(ROUNDS):
        inputs = random_inputs(a, pair, rng, attempt % 2 == 1)
        one, two = (r.run(inputs) for r in runners)
        ran += not isinstance(one, str)
        error = over_outputs(one, two, largest_error)
        if error > pair.tolerance:
            return f"they differ by {error:.2g} on inputs {attempt}"
    return "" if ran else f"they never ran: {one}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="first", choices=SET_NAMES)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", metavar="FOLDER")
    parser.add_argument("--only", default="", help="pairs or groups in whose name this word occurs")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    chosen = [p for p in of_set(args.set) if args.only in f"{p.group} {p.name}"]
    names = [p.name for p in of_set(args.set)]
    twice = sorted({n for n in names if names.count(n) > 1})
    failures = len(twice)
    if twice:
        print(f"names given twice: {twice}")
    begin = time.time()
    with tempfile.TemporaryDirectory() as scratch:
        for pair in chosen:
            paths = write(pair, args.write or scratch)
            if not args.check:
                continue
            try:
                bad = (check_different if pair.different else check_equal)(pair, paths)
            except Exception as error:  # noqa: BLE001
                bad = f"not a model that runs: {str(error)[:300]}"
            failures += bool(bad)
            if bad or args.verbose:
                print(f"{'different' if pair.different else 'equal'} {pair.group} {pair.name}: {bad or 'as stated'}")
    unlike = sum(p.different for p in chosen)
    print(f"{unlike} different and {len(chosen) - unlike} equal pairs, {failures} not as stated, "
          f"{time.time() - begin:.1f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
