"""hlo_as_onnx.py PROGRAM [--cases N] [--seed S] [--only OPCODES] [--table]: modules of single opcodes (hlo_cases.py) written as ONNX.

What is written is run by ONNX Runtime, and the module by XLA, on the same inputs. Prints, an opcode a line, how many were
drawn, written, run by both, agree, and by how much those differ at most. Not drawn are reductions by a combiner that is
not associative: what is written combines neighbours, and XLA leaves the order open. Fails where one differs, or where one of MUST is
not written; ends with 77, a skip, where jaxlib or onnxruntime is not installed.
"""

import argparse
import collections
import random
import sys
import tempfile
from pathlib import Path

import hlo_cases
import hlo_opcodes
import hlo_values

# Loops, branches, and what goes by a computation of the module's own.
MUST = ("while", "conditional", "sort", "topk", "reduce", "reduce-window", "dynamic-slice", "dynamic-update-slice")


def made_up(onnx_type, shape, which):
    """As hlo_values.py makes them."""
    import numpy
    kind = numpy.dtype({"tensor(float)": "f4", "tensor(double)": "f8", "tensor(float16)": "f2", "tensor(bool)": "?"}.get(onnx_type)
                       or onnx_type[len("tensor("):-1])
    step = numpy.arange(int(numpy.prod(shape, dtype=numpy.int64)), dtype=numpy.int64) * 7 + which * 13
    values = step % 2 if kind.kind == "b" else step % 5 if kind.kind in "iu" else (step % 17) / 8 - 0.75
    return values.astype(kind).reshape(shape)


def run(model):
    """Outputs by ONNX Runtime, or a text: why there are none."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        if any(v.type == "tensor(bfloat16)" for v in [*session.get_inputs(), *session.get_outputs()]):
            return "NOT_IMPLEMENTED: numpy has no such numbers"
        feeds = {i.name: made_up(i.type, i.shape, n) for n, i in enumerate(session.get_inputs())}
        return [(o.astype("i8") if o.dtype.kind == "b" else o if o.dtype.kind in "iu" else o.astype("f8")).ravel().tolist()
                for o in session.run(None, feeds)]
    except Exception as error:  # noqa: BLE001: its classes have no common base
        return str(error)


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
