#!/usr/bin/env python3
"""native.py [--size ci|paper] [--threads N] [NAME ...]: machine code of our own against ONNX Runtime.

For each network of bench/models, the papers' and the deployed ones: `isomer compile` writes a shared object; it must compute what ONNX Runtime computes, to
1e-4 of the largest element of an output; then both are timed together, interleaved in random order, loaded anew several
times (workers/timing.py says why): with one thread by CPU time, with more by wall time. ONNX Runtime is at level *all*.

The speed-up is the median over the loads of a load's median ratio, with its 95 % interval. One JSON line a network, with
all samples, goes to build/bench/native.SIZE.jsonl.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench/models"), str(ROOT / "bench"), str(ROOT / "build/release/python")]

from peers import TOLERANCE, each_network, error_of, feed_of, median_interval  # noqa: E402


def session_of(path: Path, threads: int):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def split(report: dict, target: dict, clock: str) -> list[list[float]]:
    of_load: dict = {}
    for load, sample in zip(report["loads"], target[clock]):
        of_load.setdefault(load, []).append(sample)
    return list(of_load.values())


def one_network(name: str, args, folder: Path) -> dict:
    from isomer import CompiledModel
    from timing import Target, time_targets

    subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", args.size, "--only", name],
                   check=True, stdout=subprocess.DEVNULL)
    entry = json.loads((folder / "manifest.json").read_text())[f"{name}.{args.size}"]
    original, compiled = folder / entry["file"], folder / "model.so"
    ranges = {i["name"]: i["range"] for i in entry["inputs"] if i.get("range")}
    done = subprocess.run([args.program, "compile", original, "-o", compiled, "--threads", str(args.threads), "--json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
    made = json.loads(done.stdout)
    session = session_of(original, args.threads)
    feed = feed_of(session, ranges)
    error = error_of(session.run(None, feed), list(CompiledModel(compiled, threads=args.threads)(**feed)))
    if not error <= TOLERANCE:
        raise RuntimeError(f"wrong: {error:.1e} of the largest element")
    del session

    def runtime():
        session = session_of(original, args.threads)
        return (lambda: session.run(None, feed)), None

    def native():
        model = CompiledModel(compiled, threads=args.threads)
        return (lambda: model(**feed)), None

    pairs = args.pairs or (200 if made["run_seconds"] < 0.01 else 30)
    report = time_targets([Target(runtime), Target(native)], loads=args.loads, warmups=3, min_rounds=pairs,
                          max_rounds=pairs, max_seconds=1e9, min_sample_ms=0.0, seed=random.Random(0).randrange(1 << 30),
                          one_at_a_time=False, cancelled=lambda: False, progress=lambda **_: None)
    clock = "cpu_ms" if args.threads == 1 else "wall_ms"
    before, after = (split(report, t, clock) for t in report["targets"])
    speed = median_interval([statistics.median(x / y for x, y in zip(p, q)) for p, q in zip(before, after)])
    return {"network": name, "size": args.size, "threads": args.threads, "clock": clock, "speedup": speed, "error": error,
            "onnxruntime_ms": before, "native_ms": after, "compiled": made}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0, help="rounds in all (default 30; 200 for networks under 10 ms)")
    parser.add_argument("--loads", type=int, default=6, help="how often both are loaded anew; from 6 on there is an interval")
    parser.add_argument("names", nargs="*", help="only these networks")
    args = parser.parse_args()
    from make_models import DEPLOYED, MODELS
    from run import machine

    here, failed = machine(), 0
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}, {args.threads} threads\n")
    print("| network | ONNX Runtime ms | native ms | faster (95 %) | error | kernels | compiled s |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for row in each_network(args.names or MODELS | DEPLOYED, ROOT / f"build/bench/native.{args.size}.jsonl", here,
                            lambda name, folder: one_network(name, args, folder)):
        if row is None:
            failed += 1
            continue
        times = [statistics.median(s for load in row[k] for s in load) for k in ("onnxruntime_ms", "native_ms")]
        middle, low, high = row["speedup"]
        print(f"| {row['network']} | {times[0]:.3f} | {times[1]:.3f} | {middle:.2f} ({low:.2f} to {high:.2f}) | {row['error']:.0e} | "
              f"{row['compiled']['kernels']} | {row['compiled']['compile_seconds']:.2f} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
