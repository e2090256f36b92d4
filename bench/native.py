#!/usr/bin/env python3
"""native.py [--size ci|paper] [--threads N] [--recipe mirage] [NAME ...]: machine code of our own against ONNX Runtime.

For each network of bench/models, the papers' and the deployed ones: `isomer compile` writes a shared object; it must compute what ONNX Runtime computes, to
1e-4 of the largest element of an output; then both are timed together, interleaved in random order, loaded anew several
times (workers/timing.py says why): with one thread by CPU time, with more by wall time. ONNX Runtime is at level *all*.

With `--recipe mirage` a second shared object is made by that recipe, held to the same outputs and timed with the other two; its speed-up is
over the first, and its row says which pieces muGraphs stand for. Without one it is the same program, and is not timed.

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

from peers import TOLERANCE, each_network, error_of, feed_of, ratio  # noqa: E402


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

    subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", args.size, "--only", name,
                    *(f"--set={s}" for s in args.set)], check=True, stdout=subprocess.DEVNULL)
    entry = json.loads((folder / "manifest.json").read_text())[f"{name}.{args.size}"]
    original = folder / entry["file"]
    ranges = {i["name"]: i["range"] for i in entry["inputs"] if i.get("range")}
    made = [compiled_by(args, original, folder / "model.so")]
    if args.recipe == "mirage":
        made.append(compiled_by(args, original, folder / "mirage.so", "--recipe", "mirage", "--time-limit", args.time_limit))
        if made[1]["mugraphs"] == 0:
            made[1]["output"] = None
    paths = [m["output"] for m in made if m["output"]]
    session = session_of(original, args.threads)
    feed = feed_of(session, ranges)
    expected = session.run(None, feed)
    error = max(error_of(expected, list(CompiledModel(path, threads=args.threads)(**feed))) for path in paths)
    if not error <= TOLERANCE:
        raise RuntimeError(f"wrong: {error:.1e} of the largest element")
    del session

    def runtime():
        session = session_of(original, args.threads)
        return (lambda: session.run(None, feed)), None

    def native(path):
        def load():
            model = CompiledModel(path, threads=args.threads)
            return (lambda: model(**feed)), None
        return load

    pairs = args.pairs or (200 if made[0]["run_seconds"] < 0.01 else 30)
    report = time_targets([Target(runtime), *(Target(native(path)) for path in paths)], loads=args.loads, warmups=3, min_rounds=pairs,
                          max_rounds=pairs, max_seconds=1e9, min_sample_ms=0.0, seed=random.Random(0).randrange(1 << 30),
                          one_at_a_time=False, cancelled=lambda: False, progress=lambda **_: None)
    clock = "cpu_ms" if args.threads == 1 else "wall_ms"
    before, after, *mirage = (split(report, t, clock) for t in report["targets"])
    row = {"network": name, "size": args.size, "threads": args.threads, "clock": clock, "speedup": ratio(before, after), "error": error,
           "onnxruntime_ms": before, "native_ms": after, "compiled": made[0]}
    if args.recipe == "mirage":
        row["by_mirage"] = made[1]
    if mirage:
        row |= {"mirage_ms": mirage[0], "speedup_of_mirage": ratio(after, mirage[0])}
    return row


def compiled_by(args, model: Path, output: Path, *options: str) -> dict:
    """What `isomer compile --json` says, with the path of the shared object."""
    done = subprocess.run([args.program, "compile", model, "-o", output, "--threads", str(args.threads), "--json", *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
    return json.loads(done.stdout)


def mirage_cells(row: dict) -> str:
    """With muGraphs: milliseconds, how much faster, how many of the pieces were searched and taken."""
    made = row["by_mirage"]
    pieces = made["pieces"]
    counts = f"{sum(p['schedules'] > 0 for p in pieces)} of {len(pieces)}, {sum(p['taken'] for p in pieces)}"
    if "mirage_ms" not in row:
        return f" the same | | {counts} |"
    middle, low, high = row["speedup_of_mirage"]
    return f" {middle_of(row['mirage_ms']):.3f} | {middle:.2f} ({low:.2f} to {high:.2f}) | {counts} |"


def middle_of(loads: list[list[float]]) -> float:
    return statistics.median(s for load in loads for s in load)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0, help="rounds in all (default 30; 200 for networks under 10 ms)")
    parser.add_argument("--loads", type=int, default=6, help="how often both are loaded anew; from 6 on there is an interval")
    parser.add_argument("--recipe", choices=("default", "mirage"), default="default")
    parser.add_argument("--time-limit", default="300s", help="of searches and trials of --recipe mirage")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=INT", help="a size of the networks, for example layers=2")
    parser.add_argument("names", nargs="*", help="only these networks")
    args = parser.parse_args()
    from make_models import DEPLOYED, MODELS
    from run import machine

    here, failed = machine(), 0
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}, {args.threads} threads\n")
    more = args.recipe == "mirage"
    print("| network | ONNX Runtime ms | native ms | faster (95 %) | error | kernels | compiled s |"
          + " with muGraphs ms | faster than native (95 %) | pieces searched, taken |" * more)
    print("| --- | --: | --: | --: | --: | --: | --: |" + " --: | --: | --: |" * more)
    for row in each_network(args.names or MODELS | DEPLOYED, ROOT / f"build/bench/native.{args.size}.jsonl", here,
                            lambda name, folder: one_network(name, args, folder)):
        if row is None:
            failed += 1
            continue
        middle, low, high = row["speedup"]
        print(f"| {row['network']} | {middle_of(row['onnxruntime_ms']):.3f} | {middle_of(row['native_ms']):.3f} | "
              f"{middle:.2f} ({low:.2f} to {high:.2f}) | {row['error']:.0e} | {row['compiled']['kernels']} | "
              f"{row['compiled']['compile_seconds']:.2f} |" + (mirage_cells(row) if more else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
