#!/usr/bin/env python3
"""correlation.py [--size ci|medium|paper] [--count 50] [--plot FILE] [NAME ...]: does the cost model rank programs as the
machine does?

For each network, `isomer variants` writes many equivalent programs, extracted under disturbed costs; their predicted
cost (the sum over their operators, measured one by one) is set against the time of the whole program in ONNX Runtime at
level *all*: one thread, CPU time, the least of the runs over several loads, relative to the original, which is timed
between them. Each must compute what the original computes, to 1e-3 of the largest element of an output: the largest error is a
column, and what differs by more ends the run. Printed is Spearman's rank correlation, and how much predicted and measured times spread. One JSON line a
network, with all points, goes to build/bench/correlation.jsonl; --plot draws them (needs matplotlib).
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench/models"), str(ROOT / "bench")]

from peers import error_of  # noqa: E402

# Operators as large as those that matter at the papers' sizes, in networks of which 50 fit a disk.
MEDIUM = {
    "bert_base": dict(layers=2, hidden=384, heads=6, seq=96, vocab=512),
    "bert_taso": dict(layers=3, hidden=384, heads=6, seq=64),
    "inception_v3": dict(image=139, div=2, classes=10),
    "nasnet_a": dict(image=64, channels=32),
    "nasrnn": dict(steps=4, hidden=256),
    "nasrnn_shared": dict(steps=5, hidden=512),
    "transformer_transducer": dict(layers=2, hidden=256, heads=4, frames=96, labels=8),
    "vit_base": dict(layers=2, hidden=384, heads=6, image=160, patch=16),
}
TOGETHER = 10  # variants in memory at any time
DIFFERENT = 1e-3  # of the largest element: no rounding
LEAST_SAMPLE_NS = 300_000


def ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in order[first:last + 1]:
            out[i] = (first + last) / 2 + 1
        first = last + 1
    return out


def rank_correlation(a, b):
    ra, rb = ranks(a), ranks(b)
    return statistics.correlation(ra, rb) if len(set(ra)) > 1 and len(set(rb)) > 1 else float("nan")


def opened(path):
    import numpy as np
    import onnxruntime as ort
    from onnxruntime_worker import node_argument, session_options
    from sampling import Sampler
    session = ort.InferenceSession(path, session_options({"threads": 1}), providers=["CPUExecutionProvider"])
    sampler = Sampler({"seed": 0})
    feed = {}
    for argument in map(node_argument, session.get_inputs()):
        array = sampler.tensor(argument["name"], argument["dtype"], argument["shape"], 0)
        feed[argument["name"]] = ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
    names = [o.name for o in session.get_outputs()]
    return lambda: session.run_with_ort_values(names, feed)


def least_times(paths, loads, rounds):
    """Least CPU time of each, in ms, interleaved; and the largest error of those beside the first."""
    import random
    import time
    rng = random.Random(0)
    least = [float("inf")] * len(paths)
    repeats, worst = 0, 0.0
    for _ in range(loads):
        calls = [opened(path) for path in paths]
        expected = [v.numpy() for v in calls[0]()]
        for path, call in zip(paths[1:], calls[1:]):
            worst = max(worst, off := error_of(expected, [v.numpy() for v in call()]))
            if off > DIFFERENT:
                sys.exit(f"{path}: a variant differs by {off:.2g} of the largest element")
        if not repeats:
            start = time.process_time_ns()
            calls[0]()
            repeats = max(1, min(200, LEAST_SAMPLE_NS // max(1000, time.process_time_ns() - start)))
        order = list(range(len(paths)))
        for _ in range(rounds):
            rng.shuffle(order)
            for i in order:
                calls[i]()  # its own weights are in the caches then, not those of the one before
                start = time.process_time_ns()
                for _ in range(repeats):
                    calls[i]()
                least[i] = min(least[i], (time.process_time_ns() - start) / repeats / 1e6)
        del calls
    return least, worst


def measured(files, loads, rounds):
    """Each file's time over the first one's, the first one's, and the largest error."""
    out, worst = [1.0], 0.0
    absolute = None
    for begin in range(1, len(files), TOGETHER):
        times, off = least_times([files[0]] + files[begin:begin + TOGETHER], loads, rounds)
        absolute = times[0] if absolute is None else min(absolute, times[0])
        out += [t / times[0] for t in times[1:]]
        worst = max(worst, off)
    return out, absolute, worst


def draw(results, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    columns = 4
    rows = -(-len(results) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(3.2 * columns, 3 * rows), squeeze=False)
    for axis in axes.flat[len(results):]:
        axis.axis("off")
    for axis, r in zip(axes.flat, results):
        predicted = [p / r["predicted"][0] for p in r["predicted"]]
        axis.plot(predicted, r["measured"], "o", markersize=3.5, color="#33658a", alpha=0.7)
        axis.plot([1], [1], "o", markersize=6, color="#d1495b")
        ends = [min(predicted + r["measured"]), max(predicted + r["measured"])]
        axis.plot(ends, ends, linewidth=0.8, color="#888888")
        axis.set_title(f"{r['network']} ({r['size']}): {r['correlation']:.2f}", fontsize=10)
        axis.tick_params(labelsize=8)
    figure.supxlabel("predicted cost, original = 1 (red)", fontsize=10)
    figure.supylabel("measured time", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "medium", "paper"), default="medium")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--cost", default="onnxruntime")
    parser.add_argument("--loads", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--from", dest="earlier", type=Path, help="only draw and print what an earlier run wrote")
    parser.add_argument("names", nargs="*", help=f"networks (default: {' '.join(MEDIUM)})")
    args = parser.parse_args()
    results = []
    if args.earlier:
        latest = {}
        for line in args.earlier.read_text().splitlines():
            r = json.loads(line)
            latest[r["network"], r["size"]] = r
        results = list(latest.values())
    print("| network | size | variants | rank correlation | predicted, most over least | measured | largest error |\n| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name in [] if args.earlier else args.names or MEDIUM:
        with tempfile.TemporaryDirectory(prefix="isomer-correlation-") as folder:
            base = "paper" if args.size == "paper" else "ci"
            sizes = MEDIUM.get(name, {}) if args.size == "medium" else {}
            subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", base, "--only", name,
                            *(f"--set={key}={value}" for key, value in sizes.items())], check=True,
                           stdout=subprocess.DEVNULL)
            done = subprocess.run([args.program, "-q", "variants", Path(folder, f"{name}.{base}.onnx"), "-o",
                                   Path(folder, "variants"), "--count", str(args.count), "--cost", args.cost],
                                  check=True, capture_output=True, text=True)
            variants = json.loads(done.stdout)["variants"]
            times, absolute, worst = measured([v["file"] for v in variants], args.loads, args.rounds)
        predicted = [v["cost"] for v in variants]
        results.append({"network": name, "size": args.size, "cost_model": args.cost, "predicted": predicted,
                        "measured": times, "original_ms": absolute, "error": worst,
                        "correlation": rank_correlation(predicted, times)})
        out = ROOT / "build/bench"
        out.mkdir(parents=True, exist_ok=True)
        with open(out / "correlation.jsonl", "a") as log:
            log.write(json.dumps(results[-1]) + "\n")
        show(results[-1])
    if args.earlier:
        for r in results:
            show(r)
    print(f"\nmean rank correlation {statistics.fmean(r['correlation'] for r in results):.3f} over {len(results)} networks")
    if args.plot:
        draw(results, args.plot)


def show(r):
    spread = lambda values: f"{max(values) / min(values):.2f}"
    print(f"| {r['network']} | {r['size']} | {len(r['predicted'])} | {r['correlation']:.3f} | {spread(r['predicted'])} | "
          f"{spread(r['measured'])} | {format(r['error'], '.1e') if 'error' in r else 'not asked'} |", flush=True)


if __name__ == "__main__":
    main()
