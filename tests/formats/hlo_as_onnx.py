"""hlo_as_onnx.py PROGRAM [--cases N] [--seed S] [--only OPCODES] [--table]: modules of single opcodes (hlo_cases.py) written as ONNX.

What is written is run by ONNX Runtime, and the module by XLA, on the same inputs. Prints, an opcode a line, how many were
drawn, written, run by both, agree, and by how much those differ at most. Not drawn are reductions by a combiner that is
not associative: what is written combines neighbours, and XLA leaves the order open. Before that the modules of hlo_edges.py are
written and held to what is known of them. Fails where one differs, or where one of MUST is
not written; ends with 77, a skip, where jaxlib (but for these) or onnxruntime is not installed.
"""

import argparse
import collections
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import hlo_cases
import hlo_edges
import hlo_opcodes
import hlo_values

# Loops, branches, what goes by a computation of the module's own, and what ONNX has only words for.
MUST = ("while", "conditional", "sort", "topk", "reduce", "reduce-window", "dynamic-slice", "dynamic-update-slice",
        "exponential-minus-one", "log-plus-one", "cbrt", "round-nearest-afz", "atan2", "atanh", "popcnt", "count-leading-zeros",
        "shift-left", "shift-right-arithmetic", "shift-right-logical", "pad", "gather", "scatter",
        "convolution", "convolution, groups of channels", "convolution, groups of the batch")


LONGEST = 20  # seconds to refuse loops within loops
DEEPEST = 24
MOST_BYTES = 1 << 20  # of the model of hlo_edges.LONG_WINDOW


def kind_of(onnx_type):
    """numpy's name of it."""
    named = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(float16)": "f2", "tensor(bool)": "?"}
    return named.get(onnx_type) or onnx_type[len("tensor("):-1]


def run(model):
    """Outputs by ONNX Runtime, or a text: why there are none."""
    import onnxruntime
    from hlo_inputs import made_up
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        if any(v.type == "tensor(bfloat16)" for v in [*session.get_inputs(), *session.get_outputs()]):
            return "NOT_IMPLEMENTED: numpy has no such numbers"
        feeds = {i.name: made_up(kind_of(i.type), i.shape, n) for n, i in enumerate(session.get_inputs())}
        return [(o.astype("i8") if o.dtype.kind == "b" else o if o.dtype.kind in "iu" else o.astype("f8")).ravel().tolist()
                for o in session.run(None, feeds)]
    except Exception as error:  # noqa: BLE001: its classes have no common base
        return str(error)


def is_as(ours, expected, text):
    """Element by element, zeros by their sign too."""
    def alike(a, b):
        if math.isnan(b) or math.isinf(b) or b == 0:
            return math.isnan(a) if math.isnan(b) else a == b and math.copysign(1, a) == math.copysign(1, b)
        return abs(a - b) <= (2e-3 if "f16" in text else 1e-5) * abs(b)
    return len(ours) == len(expected) and all(len(a) == len(b) and all(map(alike, a, b)) for a, b in zip(ours, expected, strict=True))


def at_edges(program, folder):
    """What went wrong with the modules of hlo_edges.py, which need no XLA."""
    wrong = []
    files = [str(folder / f"edge{i}.txt") for i in range(len(hlo_edges.EDGES))]
    for file, (_, text, _) in zip(files, hlo_edges.EDGES, strict=True):
        Path(file).write_text(text)
    for answer, (name, text, expected) in zip(hlo_values.evaluated_together(program, files), hlo_edges.EDGES, strict=True):
        ours = answer.get("refused") or run(answer["model"])
        if isinstance(ours, str) or not is_as(ours, expected, text):
            wrong.append(f"{name}: expected {expected}, found {ours}")
    window, loops = folder / "window.txt", folder / "loops.txt"
    window.write_text(hlo_edges.LONG_WINDOW)
    [answer] = hlo_values.evaluated_together(program, [str(window)])
    if "refused" in answer or Path(answer["model"]).stat().st_size > MOST_BYTES:
        wrong.append(f"a long window: expected a model of at most {MOST_BYTES} bytes, found {answer}")
    loops.write_text(hlo_edges.nested(DEEPEST))
    try:
        done = subprocess.run([program, str(loops)], capture_output=True, text=True, timeout=LONGEST)
        if "found neg" not in done.stdout and '"refused":"neg' not in done.stdout:
            wrong.append(f"loops within loops: expected neg refused, found {done.stdout}{done.stderr}")
    except subprocess.TimeoutExpired:
        wrong.append(f"loops within loops: not refused within {LONGEST} s")
    return wrong


def tried(program, draws, folder):
    """Rows by opcode, what went wrong, and why what was not written was not."""
    files = [str(folder / f"{i}.txt") for i in range(len(draws))]
    for file, (_, text) in zip(files, draws, strict=True):
        Path(file).write_text(text)
    answers = hlo_values.evaluated_together(program, files)
    theirs = iter(hlo_values.by_xla([answer["file"] for answer in answers if "model" in answer]))
    rows, wrong, unsaid = collections.defaultdict(hlo_opcodes.Row), [], collections.Counter()
    for answer, (name, text) in zip(answers, draws, strict=True):
        row = rows[name]
        row.drawn += 1
        if "refused" in answer:
            unsaid[f"{name}: {answer['refused'].split(' : ')[0]}"] += 1
            if name in MUST:
                wrong.append(f"{name}: not written: {answer['refused']}\n{text}")
            continue
        row.evaluated += 1
        outputs, ours = next(theirs), run(answer["model"])
        if isinstance(ours, str) and "NOT_IMPLEMENTED" in ours:
            unsaid[f"{name}: ONNX Runtime has no kernel"] += 1
            continue
        if isinstance(outputs, str) and outputs.startswith("UNIMPLEMENTED"):
            continue
        row.run += 1
        failed = next((x for x in (ours, outputs) if isinstance(x, str)), None)
        apart = failed or hlo_values.largest_difference({"outputs": ours}, outputs)
        if isinstance(apart, str) or apart > hlo_opcodes.tolerance(text):
            wrong.append(f"{name}: {apart}\n{text}")
        else:
            row.agree += 1
            row.worst = max(row.worst, apart)
    return rows, wrong, unsaid


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="opcodes, separated by semicolons")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        print("the package onnxruntime is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        wrong = at_edges(options.program, Path(folder))
    print("\n".join(wrong))
    if wrong:
        return 1
    if not hlo_values.have_jaxlib():
        print("the package jaxlib is not installed")
        return 77
    names = options.only.split(";") if options.only else list(hlo_cases.CASES)
    generators = {name: random.Random(f"{options.seed} {name}") for name in names}
    draws = [(name, hlo_cases.CASES[name](generators[name])) for name in names for _ in range(options.cases)]
    draws = [(name, text) for name, text in draws if not (name == "reduce" and "bounded" in text)]
    with tempfile.TemporaryDirectory() as folder:
        rows, wrong, unsaid = tried(options.program, draws, Path(folder))
    for name in names:
        print(rows[name].text(name, options.table))
    for why, count in sorted(unsaid.items()):
        print(f"{count:5}  {why}")
    print("\n".join(wrong[:20]))
    print(f"{len(draws)} drawn, {sum(r.evaluated for r in rows.values())} written, {sum(r.run for r in rows.values())} run by both, "
          f"{sum(r.agree for r in rows.values())} agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
