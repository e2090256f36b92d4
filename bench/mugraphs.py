#!/usr/bin/env python3
"""mugraphs.py [--batch 1|8] [--threads N] [--best N] [CASE ...]: the programs of Mirage's figure 7, on this processor.

For each: `isomer mugraph bench` searches it, compiles the most promising muGraphs and writes the fastest as a shared object; the same program is stated
as an ONNX model here (weights are initializers, attention also with ONNX's Softmax), `isomer compile` makes one of that by default schedules, and ONNX Runtime
(level *all*) runs it; for both of them the faster statement counts. muGraphs are searched without the softmax's maximum. All compute the same to 1e-4 of the largest element. Then the three are timed together, interleaved in
random order, loaded anew several times: with one thread by CPU time, with more as alternatives.py says. A muGraph gets its weights as inputs, the other two have them laid out ahead.

Speed-ups are medians over the loads of a load's median ratio, with 95 % intervals. One JSON line a case goes to build/bench/mugraphs.jsonl.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench"), str(ROOT / "build/release/python")]

from alternatives import native_model, onnxruntime_model, session_of, timed  # noqa: E402
from peers import TOLERANCE, error_of, median_interval  # noqa: E402


def attention(b, softmax):
    scores = b.add("MatMul", "q", "k")
    if softmax:
        return b.add("MatMul", b.add("Softmax", scores, axis=-1), "v")
    e = b.add("Exp", scores)
    return b.add("MatMul", b.add("Div", e, b.sum(e)), "v")


def rms(b, x):
    return b.add("Div", x, b.add("Sqrt", b.add("ReduceMean", b.add("Mul", x, x), b.axes(), keepdims=1)))


def silu(b, x):
    return b.add("Mul", x, b.add("Sigmoid", x))


# By program: inputs with their dimensions (* before weights), what it computes; twice for attention.
ATTENTION = ({"q": "hsd", "k": "hdn", "v": "hnd"}, lambda b: attention(b, False), lambda b: attention(b, True))
PROGRAMS = {
    "mha": ATTENTION, "gqa": ATTENTION, "mqa": ATTENTION,
    "rmsnorm": ({"x": "mk", "*w": "kn"}, lambda b: b.add("MatMul", rms(b, "x"), "w")),
    "gated_mlp": ({"x": "mk", "*w1": "kn", "*w2": "kn"},
                  lambda b: b.add("Mul", silu(b, b.add("MatMul", "x", "w1")), b.add("MatMul", "x", "w2"))),
    "lora": ({"x": "mk", "*w": "kn", "*a": "kr", "*b": "rn"},
             lambda b: b.add("Add", b.add("MatMul", "x", "w"), b.add("MatMul", b.add("MatMul", "x", "a"), "b"))),
    "mlp": ({"x": "mk", "*w1": "kr", "*w2": "rn", "y": "mn"},
            lambda b: b.add("Add", b.add("MatMul", b.add("Exp", b.add("MatMul", "x", "w1")), "w2"), "y")),
    "ntrans": ({"h": "mk", "x": "mk", "*alpha": "mk"},
               lambda b: rms(b, b.add("Add", "x", b.add("Mul", "alpha", b.add("Add", rms(b, "h"), "x"))))),
}
# Name, program, dimensions at batch 1; which one the batch multiplies.
CASES = [(f"{name}, {q} {'query' if q == 1 else 'queries'}", program, {"h": h, "s": s * q, "d": 64, "n": 4096}, "h")
         for q in (1, 32, 512) for name, program, h, s in (("MHA", "mha", 32, 1), ("GQA", "gqa", 2, 8), ("MQA", "mqa", 1, 32))]
CASES += [("MLP", "mlp", {"m": 1, "k": 4096, "r": 16, "n": 4096}, "m"), ("LoRA", "lora", {"m": 16, "k": 256, "r": 16, "n": 4096}, "m"),
          ("RMSNorm", "rmsnorm", {"m": 2, "k": 4096, "n": 6144}, "m"), ("GatedMLP", "gated_mlp", {"m": 8, "k": 4096, "n": 4096}, "m"),
          ("nTrans", "ntrans", {"m": 8, "k": 4096}, "m")]


class Statement:
    def __init__(self):
        self.nodes, self.extra = [], []

    def add(self, op, *inputs, **attributes):
        import onnx
        out = f"t{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(op, list(inputs), [out], **attributes))
        return out

    def axes(self):
        import onnx
        if not self.extra:
            self.extra.append(onnx.numpy_helper.from_array(numpy.array([-1], numpy.int64), "last"))
        return "last"

    def sum(self, x):
        return self.add("ReduceSum", x, self.axes(), keepdims=1)


def write_model(path, inputs, data, body):
    import onnx
    b = Statement()
    result = body(b)
    b.nodes[-1].output[0] = "result"
    assert result == f"t{len(b.nodes) - 1}"
    given = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, data[n].shape) for n in inputs if not n.startswith("*")]
    weights = [onnx.numpy_helper.from_array(data[n[1:]], n[1:]) for n in inputs if n.startswith("*")]
    out = onnx.helper.make_tensor_value_info("result", onnx.TensorProto.FLOAT, None)
    graph = onnx.helper.make_graph(b.nodes, "program", given, [out], weights + b.extra)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9), path)


def one_case(args, name, program, dims, folder):
    from isomer import CompiledModel

    inputs, *bodies = PROGRAMS[program]
    random = numpy.random.default_rng(0)
    data = {n.lstrip("*"): (random.uniform(-1, 1, [dims[d] for d in shape]) / 4).astype(numpy.float32) for n, shape in inputs.items()}
    feed = {n: data[n] for n in inputs if not n.startswith("*")}
    found = subprocess.run([args.program, "mugraph", "bench", program, *(f"--dim={d}={n}" for d, n in dims.items()), "--best", str(args.best),
                            "--threads", str(args.threads), "--time-limit", args.time_limit, "-o", folder / "mugraph.so", "--json"],
                           capture_output=True, text=True)
    if found.returncode != 0:
        raise RuntimeError(f"mugraph bench: status {found.returncode}: {(found.stderr.strip().splitlines() or [''])[-1]}")
    made = json.loads(found.stdout)
    models = [folder / f"{k}.onnx" for k in range(len(bodies))]
    for path, body in zip(models, bodies):
        write_model(path, inputs, data, body)
    plain = [path.with_suffix(".so") for path in models]
    for path, compiled in zip(models, plain):
        subprocess.run([args.program, "compile", path, "-o", compiled, "--threads", str(args.threads), "--json"], check=True, capture_output=True)
    expected = session_of(models[0], args.threads).run(None, feed)
    every = [data[n.lstrip("*")] for n in inputs]
    errors = [error_of(expected, list(CompiledModel(folder / "mugraph.so", threads=args.threads)(*every))),
              *(error_of(expected, list(CompiledModel(path, threads=args.threads)(**feed))) for path in plain)]
    if not max(errors) <= TOLERANCE:
        raise RuntimeError(f"wrong: {errors} of the largest element")

    alternatives = [*((onnxruntime_model, m, feed) for m in models), *((native_model, path, feed) for path in plain),
                    (native_model, folder / "mugraph.so", every)]
    _, times = timed(alternatives, args.threads, made["plain_seconds"], 0, args.loads)
    middle = [statistics.median(s for load in t for s in load) for t in times]
    peer, own = (min(range(first, first + len(models)), key=lambda k: middle[k]) for first in (0, len(models)))

    def over(mine):
        return median_interval([statistics.median(x / y for x, y in zip(p, q)) for p, q in zip(times[peer], times[mine])])

    best = made["tried"][made["best"]]
    return {"case": name, "batch": args.batch, "threads": args.threads, "onnxruntime_ms": middle[peer], "plain_ms": middle[own], "mugraph_ms": middle[-1],
            "plain_speedup": over(own), "mugraph_speedup": over(-1), "schedule": best["schedule"], "rank_correlation": made["rank_correlation"],
            "tried": len(made["tried"]), "schedules": made["schedules"], "errors": errors, "samples": times, "found": made["tried"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--best", type=int, default=24, help="muGraphs of a case that are compiled and timed")
    parser.add_argument("--loads", type=int, default=6, help="how often all are loaded anew; from 6 on there is an interval")
    parser.add_argument("--time-limit", default="300s", help="of a case's search and trials")
    parser.add_argument("cases", nargs="*", help="only cases whose names begin so")
    args = parser.parse_args()
    from run import machine

    here, failed = machine(), 0
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}, batch {args.batch}, {args.threads} threads\n")
    print("| program | ONNX Runtime ms | default ms | muGraph ms | default over ONNX Runtime | muGraph over ONNX Runtime | its blocks/loops | rank correlation |")
    print("| --- | --: | --: | --: | --: | --: | --- | --: |")
    record = ROOT / "build/bench/mugraphs.jsonl"
    record.parent.mkdir(parents=True, exist_ok=True)
    for name, program, dims, batched in CASES:
        if args.cases and not any(name.startswith(c) for c in args.cases):
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                row = one_case(args, name, program, {**dims, batched: dims[batched] * args.batch}, Path(folder))
        except (RuntimeError, subprocess.CalledProcessError) as e:
            print(f"| {name} | {e} | | | | | | |", flush=True)
            failed += 1
            continue
        with record.open("a") as file:
            file.write(json.dumps({"machine": here, **row}) + "\n")
        text = [f"{m:.2f} ({low:.2f} to {high:.2f})" for m, low, high in (row["plain_speedup"], row["mugraph_speedup"])]
        correlation = row["rank_correlation"]
        print(f"| {name} | {row['onnxruntime_ms']:.3f} | {row['plain_ms']:.3f} | {row['mugraph_ms']:.3f} | {text[0]} | {text[1]} | {row['schedule']} | "
              f"{'' if correlation is None else format(correlation, '.2f')} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
