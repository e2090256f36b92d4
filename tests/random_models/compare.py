"""Two ONNX models side by side: ONNX Runtime (nothing optimised there) and ONNX's reference evaluator run both on the same
inputs, ordinary and extreme. An element may be apart by a few roundings of its own, and by as much as the first model's
own result moves when each of its values is moved by a rounding, or loses its last two digits: that is what computing in another order costs. Where
that changes a shape, an integer, a truth value or whether a number is finite, there is nothing to compare. What was
finite must stay finite, where all that the first model computes is of the sizes that `--float finite` speaks of (docs/floats.md);
beyond those, integers and truth values may hang on a number that vanished or overflowed in one of the two. Where a runtime or
the evaluator departs from ONNX (departures.py) that is told, and is no fault.
Outputs that something infinite or NaN was met on the way to are counted where they are apart, no
more: of those only `--float strict` promises anything. Shares nothing with the program."""

import warnings

import numpy as np
import onnx
import onnxruntime as ort
from departures import Departures
from onnx import helper
from onnx.reference import ReferenceEvaluator

warnings.filterwarnings("ignore")  # overflows are what is asked for
ort.set_default_logger_severity(4)
KINDS = ("usual", "ties", "zeros", "huge", "tiny", "specials", "wide", "large")
ROUNDING = {np.float32: 2.0**-23, np.float16: 2.0**-10, np.float64: 2.0**-52}
ORDINARY = {np.float32: (2.0**-100, 2.0**100), np.float16: (2.0**-10, 2.0**12), np.float64: (2.0**-1000, 2.0**1000)}  # or zero
MOVES = 6  # runs of the first model with its values moved; as many with their last digits left out


def feeds(model, kind, seed, sizes):
    """Inputs; dynamic dimensions by name. The constants of the model may be indices, so only inputs are extreme."""
    rng = np.random.default_rng(seed)
    out = {}
    for value in model.graph.input:
        shape = [sizes[d.dim_param] if d.dim_param else d.dim_value for d in value.type.tensor_type.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type).type
        if dtype == np.bool_:
            array = rng.random(shape) < (0.5 if kind != "zeros" else 0)
        elif dtype in ROUNDING:
            limits = np.finfo(dtype)
            usual = rng.standard_normal(shape) * 2
            if kind == "ties":
                usual = np.round(usual * 2) / 2
            elif kind == "zeros":
                usual = rng.choice([0.0, -0.0], shape)
            elif kind == "huge":
                usual = rng.choice([1e-1, 1, -0.9, 1e-3, -1e-6], shape) * float(limits.max)
            elif kind == "large":  # as --float finite speaks of still
                usual = usual * ORDINARY[dtype][1] ** 0.6
            elif kind == "tiny":
                usual = rng.choice([1, -1, 3, 0.5], shape) * float(limits.tiny)
            elif kind == "specials":
                usual = np.where(rng.random(shape) < 0.3, rng.choice([np.nan, np.inf, -np.inf, 0.0], shape), usual)
            elif kind == "wide":
                usual = usual * 10.0 ** rng.integers(-4, 5, shape)
            array = np.asarray(usual).astype(dtype)
        else:
            info = np.iinfo(dtype)
            extreme = rng.choice([info.min, info.max, 0, 1, info.max - 1], shape)
            array = np.asarray(extreme if kind in ("huge", "specials") else rng.integers(
                max(info.min, -4), 5, shape) if kind != "zeros" else np.zeros(shape)).astype(dtype)
        out[value.name] = array
    return out


def session(model):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


class Runtime:
    """A model in ONNX Runtime or the reference evaluator. `run` gives outputs, or None where it refuses."""

    def __init__(self, model, reference):
        self.refusal = ""
        try:
            self.run_model = ReferenceEvaluator(model).run if reference else session(model).run
        except Exception as error:
            self.refusal, self.run_model = str(error), None

    def run(self, fed):
        if self.run_model is None:
            return None
        try:
            with np.errstate(all="ignore"):
                return [np.asarray(r) for r in self.run_model(None, fed)]
        except Exception as error:
            self.refusal = str(error)
            return None


def with_values_changed(model, types, change):
    """The model with every float value of its main graph changed: `change(name, was, dtype, constants)` gives nodes that make
    `name` of `was`. `types`: element types by name."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    del out.graph.node[:]
    constants = {}
    for node in model.graph.node:
        copy = out.graph.node.add()
        copy.CopyFrom(node)
        for i, name in enumerate(node.output):
            if (dtype := types.get(name)) in ROUNDING:
                copy.output[i] = name + "~as_it_was"
                out.graph.node.extend(change(name, copy.output[i], dtype, constants))
    out.graph.initializer.extend(onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items())
    return out


def moved(name, was, dtype, constants):
    """Times 1 + a rounding or two, drawn anew in each run; and what is not zero moved by as much of the smallest normal number:
    below that the last digit is as large, however small the number."""
    drawn, cast, one, least = name + "~drawn", name + "~cast", f"~one{np.dtype(dtype).name}", f"~least{np.dtype(dtype).name}"
    constants |= {one: np.array(1, dtype), least: np.finfo(dtype).tiny}
    step = 2 * ROUNDING[dtype]
    return [helper.make_node("RandomUniformLike", [was], [drawn], low=-step, high=step, dtype=1),
            helper.make_node("Cast", [drawn], [cast], to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype))),
            helper.make_node("Add", [cast, one], [cast + "1"]),
            helper.make_node("Mul", [was, cast + "1"], [name + "~share"]),
            helper.make_node("Sign", [was], [name + "~sign"]),
            helper.make_node("Mul", [cast, least], [name + "~digit"]),
            helper.make_node("Mul", [name + "~digit", name + "~sign"], [name + "~digits"]),
            helper.make_node("Add", [name + "~share", name + "~digits"], [name])]


def shortened(name, was, dtype, constants):
    """Without its last two digits: what a rounding alone keeps apart becomes equal, which it never does where each is moved by
    itself. (The upper part of Veltkamp's splitting; what is too large for that stays as it is.)"""
    factor, most = f"~factor{np.dtype(dtype).name}", f"~most{np.dtype(dtype).name}"
    constants |= {factor: np.array(2**2 + 1, dtype), most: np.array(np.finfo(dtype).max / 8, dtype)}
    return [helper.make_node("Mul", [was, factor], [name + "~times"]),
            helper.make_node("Sub", [name + "~times", was], [name + "~less"]),
            helper.make_node("Sub", [name + "~times", name + "~less"], [name + "~upper"]),
            helper.make_node("Abs", [was], [name + "~size"]),
            helper.make_node("Less", [name + "~size", most], [name + "~fits"]),
            helper.make_node("Where", [name + "~fits", name + "~upper", was], [name])]


def moved_feeds(fed, rng):
    return {k: np.asarray(v * (1 + 2 * ROUNDING[v.dtype.type] * rng.uniform(-1, 1, v.shape)), v.dtype) if v.dtype.type in ROUNDING else v
            for k, v in fed.items()}


def ancestors(model):
    """By output: the values of the main graph that it is computed from, itself included."""
    needs = {}
    for node in model.graph.node:
        used = set(node.input)
        for a in node.attribute:
            if a.HasField("g"):
                used |= {i for n in a.g.node for i in n.input}
        below = used.union(*(needs.get(i, set()) for i in used))
        for name in node.output:
            needs[name] = below | {name}
    return {o.name: needs.get(o.name, {o.name}) for o in model.graph.output}


def all_values(model, types):
    """The model with every float value of its main graph as an output, and their names."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    del out.graph.output[:]
    names = [n for node in model.graph.node for n in node.output if types.get(n) in ROUNDING]
    out.graph.output.extend(helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(np.dtype(types[n])), None) for n in names)
    return out, names


def element_types(model):
    inferred = onnx.shape_inference.infer_shapes(model)
    return {v.name: helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type).type
            for v in (*inferred.graph.value_info, *inferred.graph.output) if v.type.tensor_type.elem_type not in (0, 8, 16)}


def is_ordinary(a):
    low, high = ORDINARY[a.dtype.type]
    size = np.abs(a.astype(np.float64))
    return (size == 0) | ((size >= low) & (size <= high))


def apart(a, b):
    """Elements that want a closer look, before anything is known of how much results move."""
    if a.dtype.type not in ROUNDING:
        return a != b
    with np.errstate(all="ignore"):
        near = np.abs(a.astype(np.float64) - b.astype(np.float64)) <= 4 * ROUNDING[a.dtype.type] * np.abs(a.astype(np.float64))
    return ~((a == b) | (np.isnan(a) & np.isnan(b)) | near)


def judge(a, b, moved):
    """Elements apart, given the first model's moved results. What was infinite or NaN is never."""
    suspect = apart(a, b)
    moved = [m for m in moved if m.shape == a.shape]
    if a.dtype.type not in ROUNDING:
        for m in moved:
            suspect = suspect & (m == a)
        return suspect
    with np.errstate(all="ignore"):
        wide = a.astype(np.float64)
        finite = np.isfinite(a)
        spread = np.zeros(a.shape)
        for m in moved:
            finite = finite & np.isfinite(m)
            spread = np.maximum(spread, np.abs(m.astype(np.float64) - wide))
        # Functions of a library differ by more roundings than one; sums over many elements round as often.
        allowed = 40 * ROUNDING[a.dtype.type] * np.abs(wide) + 30 * spread + 8 * float(np.finfo(a.dtype).tiny)
        return suspect & finite & ~(np.abs(b.astype(np.float64) - wide) <= allowed)


class Moves:
    """What becomes of the first model of a comparison on these inputs where its values are moved; run once it is asked for."""

    def __init__(self, comparison, fed, seed):
        self.comparison, self.fed, self.seed, self.known = comparison, fed, seed, {}

    def once(self, what, make):
        if what not in self.known:
            self.known[what] = make()
        return self.known[what]

    def runs(self):
        def run():
            rng = np.random.default_rng(self.seed)
            made = [r.run(moved_feeds(self.fed, rng)) for r in (self.comparison.moved, self.comparison.shortened) for _ in range(MOVES)]
            return [m for m in made if m is not None]
        return self.once("runs", run)

    def tainted(self):
        return self.once("tainted", lambda: self.comparison.tainted(self.fed))

    def beyond(self):
        return self.once("beyond", lambda: self.comparison.tainted(self.fed, is_ordinary))


class Comparison:
    """Of a model and what was written for it."""

    def __init__(self, first, second):
        self.first = first
        self.pairs = {name: (Runtime(first, name == "reference"), Runtime(second, name == "reference"))
                      for name in ("ONNX Runtime", "reference")}
        types = element_types(first)
        self.moved, self.shortened = (Runtime(with_values_changed(first, types, change), False) for change in (moved, shortened))
        self.departures, self.told = Departures(first, Runtime), set()  # told: what a runtime does that ONNX does not say
        within, self.within_names = all_values(first, types)
        self.within, self.ancestors = Runtime(within, False), ancestors(first)
        self.second = second
        self.compared = 0   # runs in which both gave results
        self.specials = 0   # outputs apart for which infinities or NaN were met on the way

    def faults(self, seed, sizes_list, reference_kinds=("usual", "ties", "specials")):
        """In words, each with how to see it again; empty where nothing is apart."""
        out = []
        for sizes in sizes_list:
            for k, kind in enumerate(KINDS):
                fed = feeds(self.first, kind, seed * 100 + k, sizes)
                for who in self.pairs:
                    if who == "reference" and kind not in reference_kinds:
                        continue
                    seen = self.apart(who, fed, sizes, Moves(self, fed, seed))
                    out += [f"{who}, {kind}, {sizes}: {words}" for words in seen]
        return out

    def apart(self, who, fed, sizes, moves):
        """How the two models differ on these inputs, in words."""
        first, second = self.pairs[who]
        a = first.run(fed)
        if a is None:
            return []
        b = second.run(fed)
        names = [o.name for o in self.first.graph.output]
        if b is None:
            return [] if self.departs(who, fed, sizes, names, second.refusal) else [f"only the first runs: {second.refusal[:200]}"]
        self.compared += 1
        out = []
        for number, (name, x, y) in enumerate(zip(names, a, b)):
            if (words := self.output_apart(name, x, y, moves, number)) and not self.departs(who, fed, sizes, [name], ""):
                out.append(words)
        return out

    def output_apart(self, name, x, y, moves, number):
        if x.shape == y.shape and x.dtype == y.dtype and not apart(x, y).any():
            return ""
        others = [m[number] for m in moves.runs()]
        if x.dtype != y.dtype or x.shape != y.shape:
            told = x.dtype != y.dtype or all(m.shape == x.shape for m in others)
            return f"{name} is {x.dtype}{list(x.shape)}, then {y.dtype}{list(y.shape)}" if told else ""
        bad = judge(x, y, others)
        excused = np.zeros_like(bad)  # overflow or underflow, of one side
        if name in moves.beyond():
            excused = bad & (~np.isfinite(y) | (x == 0) | (y == 0) | (y.dtype.type not in ROUNDING))
        if name in moves.tainted() or excused.any():
            self.specials += 1
        bad &= ~excused
        if name in moves.tainted() or not bad.any():
            return ""
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        words = "" if others else f" (moved values cannot be run: {self.moved.refusal[:200]})"
        return f"{name}{list(at)}: {x[at]!r}, then {y[at]!r}; {int(bad.sum())} of {x.size}{words}"

    def departs(self, who, fed, sizes, outputs, refusal):
        """Whether what `who` makes of the first model is not what ONNX says, where these outputs are computed from it."""
        wanted = set().union(*(self.ancestors[o] for o in outputs))
        told = self.departures.find(who, fed, sizes, wanted, refusal)
        self.told |= {told} - {""}
        return bool(told)

    def tainted(self, fed, fine=np.isfinite):
        """Outputs for which something that is not fine (infinite, NaN) was met on the way."""
        bad = {k for k, v in fed.items() if v.dtype.type in ROUNDING and not fine(v).all()}
        bad |= {i.name for i in self.first.graph.initializer if (v := onnx.numpy_helper.to_array(i)).dtype.type in ROUNDING
                and not fine(v).all()}
        values = self.within.run(fed)
        if values is None:
            return set(self.ancestors)
        bad |= {n for n, v in zip(self.within_names, values) if not fine(v).all()}
        return {o for o, needs in self.ancestors.items() if needs & bad}
