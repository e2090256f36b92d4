#!/usr/bin/env python3
"""peers.py [--size ci|paper] [--also COST]... [NAME ...] [-- FLAG ...]: what we and others make of the same networks.

For each network of bench/models: `isomer optimize` with FLAGS, onnxsim, onnxslim and onnxoptimizer each write their
version (a process each, so that a crash is only a blank cell); every version must compute what the original computes,
to 1e-4 of the largest element of an output; then the original and all versions are timed together in ONNX Runtime at
level *all*: interleaved in random order, one thread, CPU time, loaded anew several times (workers/timing.py says why).

A speed-up is the median over the loads of a load's median ratio, original over version, with its 95 % interval.
Ours counts as 1 where the original was written unchanged. `--also roofline:local` adds a column of ours under that cost
model, judged like a peer. The last column names every peer that is faster than ours
beyond the interval of their paired ratio. One JSON line a network goes to build/bench/peers.SIZE.jsonl.

Needs requirements-bench.txt (`tools/setup --bench`). Peers of one protobuf message fail above 2 GB and are left blank.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench/models"), str(ROOT / "bench")]

PEERS = {
    "onnxsim": "import onnx, onnxsim; m, ok = onnxsim.simplify(onnx.load(src)); assert ok; onnx.save(m, dst)",
    "onnxslim": "import onnx, onnxslim; onnx.save(onnxslim.slim(onnx.load(src)), dst)",
    "onnxoptimizer": "import onnx, onnxoptimizer as o; "
                     "p = o.get_fuse_and_elimination_passes(); onnx.save(o.optimize(onnx.load(src), p), dst)",
}
TOLERANCE = 1e-4


def median_interval(values: list[float]) -> tuple[float, float, float]:
    """Median and its two-sided 95 % order-statistics interval; infinite below six values."""
    ordered, n = sorted(values), len(values)
    k, tail = 0, 0.0
    while 2 * (tail := tail + math.comb(n, k) / 2**n) <= 0.05:
        k += 1
    low, high = (ordered[k - 1], ordered[n - k]) if k else (0.0, math.inf)
    return statistics.median(ordered), low, high


def session_of(path: Path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def feed_of(session, ranges: dict) -> dict:
    import numpy
    feed = {}
    for info in session.get_inputs():
        rng = numpy.random.default_rng([7, zlib.crc32(info.name.encode())])
        low, high = ranges.get(info.name) or (-1, 1)
        if "int" in info.type:
            kind = info.type.removeprefix("tensor(").rstrip(")")
            feed[info.name] = rng.integers(low, high, info.shape).astype(kind)
        else:
            feed[info.name] = rng.uniform(low, high, info.shape).astype("float32")
    return feed


def outputs_of(path: Path, ranges: dict) -> list:
    session = session_of(path)
    return session.run(None, feed_of(session, ranges))


def error_of(expected: list, found: list) -> float:
    """Of the largest element of an output; infinite where they are not finite in different ways."""
    import numpy as np
    worst = 0.0
    for a, b in zip(expected, found, strict=True):
        x, y = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(invalid="ignore"):
            gap = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0, np.abs(x - y))
        if not np.all(np.isfinite(gap)):
            return math.inf
        scale = np.max(np.abs(x), initial=0, where=np.isfinite(x))
        worst = max(worst, float(np.max(gap, initial=0)) / max(float(scale), 1e-30))
    return worst


def timed_by(opener, versions: dict[str, Path], pairs: int, loads: int, apart: bool) -> dict:
    """CPU milliseconds of each version, by load: {name: [[sample, ...], ...]}. opener(path): what opens a version."""
    from alternatives import samples_by_load
    from timing import Target

    targets = [Target(opener(path)) for path in versions.values()]
    return dict(zip(versions, samples_by_load(targets, "cpu_ms", pairs, loads, apart)))


def timed(versions: dict[str, Path], ranges: dict, pairs: int, loads: int, apart: bool) -> dict:
    """As timed_by; inputs by their ranges."""
    def opener(path):
        def open_version():
            session = session_of(path)
            feed = feed_of(session, ranges)
            return (lambda: session.run(None, feed)), None
        return open_version

    return timed_by(opener, versions, pairs, loads, apart)


def ratio(a: list[list[float]], b: list[list[float]]) -> tuple[float, float, float]:
    """How many times b is faster than a."""
    return median_interval([statistics.median(x / y for x, y in zip(p, q)) for p, q in zip(a, b)])


def one_network(name: str, args, flags: list[str], folder: Path) -> dict:
    subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", args.size, "--only", name],
                   check=True, stdout=subprocess.DEVNULL)
    entry = json.loads((folder / "manifest.json").read_text())[f"{name}.{args.size}"]
    original = folder / entry["file"]
    ranges = {i["name"]: i["range"] for i in entry["inputs"] if i.get("range")}

    def optimise(target: Path, *more: str) -> dict:
        done = subprocess.run([args.program, "optimize", original, "-o", target, "--json", *flags, *more],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"isomer: status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
        return json.loads(done.stdout)

    report = optimise(folder / "ours.onnx")
    versions, notes = {"original": original}, {}
    if report["changed"]:
        versions["isomer"] = folder / "ours.onnx"
    for cost in args.also:
        target = folder / f"{cost.replace(':', '-')}.onnx"
        if optimise(target, "--cost", cost)["changed"]:
            versions[cost] = target
    for peer, script in PEERS.items():
        target = folder / f"{peer}.onnx"
        try:
            subprocess.run([sys.executable, "-c", f"src, dst = {str(original)!r}, {str(target)!r}; {script}"], check=True,
                           capture_output=True, timeout=600)
            versions[peer] = target
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            notes[peer] = (getattr(error, "stderr", b"") or b"").decode(errors="replace").strip().splitlines()[-1:] or ["stopped"]
    expected = outputs_of(original, ranges)
    for version in list(versions)[1:]:
        error = error_of(expected, outputs_of(versions[version], ranges))
        if not error <= TOLERANCE:
            notes[version] = f"wrong: {error:.1e} of the largest element"
            del versions[version]
    pairs = args.pairs or (500 if (report.get("latency_before_ms") or 0) < 10 else 60)
    samples = timed(versions, ranges, pairs, args.loads, report["weight_bytes_before"] > 1 << 29)
    speed = {v: ratio(samples["original"], samples[v]) for v in versions if v != "original"}
    mine = "isomer" if "isomer" in samples else "original"
    ahead = [p for p in (*PEERS, *args.also) if p in samples and ratio(samples[mine], samples[p])[1] > 1]
    return {"network": name, "size": args.size, "flags": flags, "pairs": pairs, "loads": args.loads,
            "milliseconds": statistics.median(s for load in samples["original"] for s in load),
            "macs_before": report["macs_before"], "macs_after": report["macs_after"], "speedup": speed,
            "changed": report["changed"], "decision": report.get("decision"), "ahead": ahead, "notes": notes,
            "optimise_seconds": report["seconds"]}


def each_network(names, log: Path, here: dict, one):
    """Rows of `one` for each name, which is given a folder of its own; each is a JSON line of the log. One that fails is
    a row that says why, and None."""
    log.parent.mkdir(parents=True, exist_ok=True)
    for name in names:
        with tempfile.TemporaryDirectory(prefix="isomer-bench-") as folder:
            try:
                row = one(name, Path(folder))
            except Exception as error:  # noqa: BLE001: on to the next network
                print(f"| {name} | {error} |", flush=True)
                yield None
                continue
        with open(log, "a", encoding="utf-8") as lines:
            lines.write(json.dumps({**here, **row}) + "\n")
        yield row


def main() -> int:
    own, _, flags = "\0".join(sys.argv[1:]).partition("\0--\0")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--pairs", type=int, default=0, help="rounds in all (default 60; 500 for networks under 10 ms)")
    parser.add_argument("--loads", type=int, default=10, help="how often everything is loaded anew; from 6 on there is an interval")
    parser.add_argument("--also", action="append", default=[], metavar="COST", help="ours under this cost model as well")
    parser.add_argument("names", nargs="*", help="only these networks")
    args = parser.parse_args([word for word in own.split("\0") if word])
    from make_models import MODELS
    from run import machine

    here, others = machine(), (*PEERS, *args.also)
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}\n")
    print("| network | ms | GMAC | after | isomer (95 %) | " + " | ".join(others) + " | ahead of us |")
    print("| --- | --- | --- | --- | --- | " + "--- | " * len(others) + "--- |")
    failed = 0
    given = flags.split("\0") if flags else []
    for row in each_network(args.names or MODELS, ROOT / f"build/bench/peers.{args.size}.jsonl", here,
                            lambda name, folder: one_network(name, args, given, folder)):
        if row is None:
            failed += 1
            continue

        def cell(version, row=row):
            if version in row["speedup"]:
                middle, low, high = row["speedup"][version]
                return f"{middle:.3f} ({low:.3f} to {high:.3f})"
            if version in row["notes"]:
                return str(row["notes"][version])[:40]
            return "1 (unchanged)"

        print(f"| {row['network']} | {row['milliseconds']:.3f} | {row['macs_before'] / 1e9:.3f} | {row['macs_after'] / 1e9:.3f} | "
              f"{cell('isomer')} | " + " | ".join(map(cell, others)) + f" | {', '.join(row['ahead']) or '-'} |", flush=True)
        failed += bool(row["ahead"]) or ("isomer" in row["speedup"] and row["speedup"]["isomer"][2] < 0.98)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
