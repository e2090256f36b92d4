#!/usr/bin/env python3
"""native.py [--size ci|paper] [--threads N] [--openvino] [--recipe mirage] [NAME ...] [-- FLAG ...]: machine code of our
own against ONNX Runtime.

For each network of bench/models, the papers' and the deployed ones: `isomer compile FLAGS` writes a shared object of the program that it finds to be fastest; it must compute what ONNX Runtime computes, to
1e-4 of the largest element of an output; then both are timed together, interleaved in random order, loaded anew several
times (workers/timing.py says why): with one thread by CPU time, with more by wall time, each then in a process of its own that is
stopped while the other's turn is (alternatives.py says why). ONNX Runtime is at level *all*.

A speed-up is the median over the loads of a load's median ratio, with its 95 % interval. "Found" is how many times faster
the program that was compiled runs than the one that was read, as `isomer compile` timed them. The roof is the time that the
multiply-adds of the network as it is read take at the peak of one core (`native_bench peak`), or the weights of
products at the bandwidth (`native_bench bandwidth`), whichever is longer; the share is that, on so many threads, over ours. Where the
program that was found computes less, it may be above 1. `--openvino` times OpenVINO (single precision, for latency) in the
same rounds. `--recipe mirage` makes a second shared object by that recipe, which is held to the same outputs and timed with
the others; its speed-up is over the first (both begin at the rewritten program). One JSON line a network, with all samples, goes to build/bench/native.SIZE.jsonl.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench/models"), str(ROOT / "bench"), str(ROOT / "build/release/python")]

from alternatives import native_model, onnxruntime_model, openvino_model, openvino_of, session_of, timed  # noqa: E402
from peers import TOLERANCE, each_network, error_of, feed_of, ratio  # noqa: E402


def measured(args, what: str) -> float:
    """native_bench beside the program."""
    return float(subprocess.run([args.program.parent / "native_bench", what], capture_output=True, text=True, check=True).stdout)


def bytes_of_products(path: Path) -> int:
    """Of the weights that products and convolutions read; tables are read row by row."""
    import onnx
    graph = onnx.load(str(path), load_external_data=False).graph
    weights = {t.name: 4 * math.prod(t.dims) for t in graph.initializer}
    read = {name for node in graph.node if node.op_type in ("MatMul", "Gemm", "Conv") for name in node.input}
    return sum(size for name, size in weights.items() if name in read)


def roof_ms(entry: dict, path: Path, args) -> float:
    """Bandwidth is that of one thread, whatever there are."""
    return max(entry["macs"] / (args.peak / 2 * 1e6) / args.threads, bytes_of_products(path) / (args.bandwidth * 1e6))


def one_network(name: str, args, folder: Path) -> dict:
    from isomer import CompiledModel

    subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", args.size, "--only", name,
                    *(f"--set={s}" for s in args.set)], check=True, stdout=subprocess.DEVNULL)
    entry = json.loads((folder / "manifest.json").read_text())[f"{name}.{args.size}"]
    original = folder / entry["file"]
    ranges = {i["name"]: i["range"] for i in entry["inputs"] if i.get("range")}
    made = compiled_by(args, original, folder / "model.so")
    by_mirage = (compiled_by(args, original, folder / "mirage.so", "--recipe", "mirage", "--time-limit", args.time_limit)
                 if args.recipe == "mirage" else None)
    paths = [made["output"]] + ([by_mirage["output"]] if by_mirage and by_mirage["mugraphs"] else [])
    session = session_of(original, args.threads)
    feed = feed_of(session, ranges)
    outputs = [o.name for o in session.get_outputs()]
    expected = session.run(None, feed)
    error = max(error_of(expected, list(CompiledModel(path, threads=args.threads)(**feed))) for path in paths)
    if not error <= TOLERANCE:
        raise RuntimeError(f"wrong: {error:.1e} of the largest element")
    if args.openvino:
        found = openvino_of(original, args.threads)(feed)
        if not error_of(expected, [found[name] for name in outputs]) <= TOLERANCE:
            raise RuntimeError("OpenVINO computes something else")
        del found
    del session, expected

    alternatives = [(onnxruntime_model, original, feed), *((native_model, path, feed) for path in paths)]
    if args.openvino:
        alternatives.append((openvino_model, original, feed))
    clock, times = timed(alternatives, args.threads, made["run_seconds"], args.pairs, args.loads)
    before, after, *others = times
    over = {"speedup": ratio(before, after)}
    if args.openvino:
        over |= {"over_openvino": ratio(others[-1], after), "openvino_ms": others[-1]}
    if by_mirage:
        over["by_mirage"] = by_mirage
    if len(paths) > 1:
        over |= {"mirage_ms": others[0], "speedup_of_mirage": ratio(after, others[0])}
    return {"network": name, "size": args.size, "threads": args.threads, "clock": clock, **over, "error": error,
            "roof": roof_ms(entry, original, args) / middle_of(after), "onnxruntime_ms": before, "native_ms": after, "compiled": made}


def compiled_by(args, model: Path, output: Path, *options: str) -> dict:
    """What `isomer compile --json` says, with the path of the shared object."""
    done = subprocess.run([args.program, "compile", model, "-o", output, "--threads", str(args.threads), "--json", *options,
                           *args.flags], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
    return json.loads(done.stdout)


def mirage_cells(row: dict) -> str:
    """With muGraphs: milliseconds, how much faster, how many of the pieces were searched and taken."""
    pieces = row["by_mirage"]["pieces"]
    counts = f"{sum(p['schedules'] > 0 for p in pieces)} of {len(pieces)}, {sum(p['taken'] for p in pieces)}"
    if "mirage_ms" not in row:
        return f" no muGraph | | {counts} |"
    middle, low, high = row["speedup_of_mirage"]
    return f" {middle_of(row['mirage_ms']):.3f} | {middle:.2f} ({low:.2f} to {high:.2f}) | {counts} |"


def middle_of(loads: list[list[float]]) -> float:
    return statistics.median(s for load in loads for s in load)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0, help="rounds in all (default 30; with one thread 200 for networks under 10 ms)")
    parser.add_argument("--loads", type=int, default=6, help="how often both are loaded anew; from 6 on there is an interval")
    parser.add_argument("--openvino", action="store_true", help="beside OpenVINO as well (requirements-bench.txt)")
    parser.add_argument("--recipe", choices=("default", "mirage"), default="default")
    parser.add_argument("--time-limit", default="300s", help="of searches and trials of --recipe mirage")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=INT", help="a size of the networks, for example layers=2")
    parser.add_argument("names", nargs="*", help="only these networks")
    own, _, flags = "\0".join(["", *sys.argv[1:]]).partition("\0--\0")
    args = parser.parse_args([word for word in own.split("\0") if word])
    args.flags = [word for word in flags.split("\0") if word]
    args.peak, args.bandwidth = measured(args, "peak"), measured(args, "bandwidth")
    from make_models import DEPLOYED, MODELS
    from run import machine

    here, failed, more = machine(), 0, args.recipe == "mirage"
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}, {args.threads} threads, peak "
          f"{args.peak:.1f} GFLOP/s, {args.bandwidth:.1f} GB/s\n")
    print("| network | ONNX Runtime ms | native ms | over ONNX Runtime (95 %) | over OpenVINO | found | of the roof | error | compiled s |"
          + " with muGraphs ms | faster than native (95 %) | pieces searched, taken |" * more)
    print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |" + " --: | --: | --: |" * more)
    for row in each_network(args.names or MODELS | DEPLOYED, ROOT / f"build/bench/native.{args.size}.jsonl", here,
                            lambda name, folder: one_network(name, args, folder)):
        if row is None:
            failed += 1
            continue
        times = [middle_of(row[k]) for k in ("onnxruntime_ms", "native_ms")]
        middle, low, high = row["speedup"]
        beside = "{:.2f} ({:.2f} to {:.2f})".format(*row["over_openvino"]) if "over_openvino" in row else "-"
        made = row["compiled"]
        found = f"{made['rewrite_gain']['median']:.2f}" if made["rewritten"] else "-"
        print(f"| {row['network']} | {times[0]:.3f} | {times[1]:.3f} | {middle:.2f} ({low:.2f} to {high:.2f}) | {beside} | {found} | "
              f"{row['roof']:.2f} | {row['error']:.0e} | {made['rewrite_seconds'] + made['compile_seconds']:.1f} |" + (mirage_cells(row) if more else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
