#!/usr/bin/env python3
"""gpu_operators.py make FOLDER [NETWORK ...] | run FOLDER | estimate FOLDER: every operator of the networks of bench/models, alone, on a graphics processor.

`make` takes each distinct operator (attributes, types of its operands; weights are operands) of the networks at their papers' sizes, and compiles it
(`isomer compile --gpu`), here or on a machine without a processor. What only renames elements (reshape, broadcast and the like) costs nothing: it becomes
indices of what reads it. `run` needs a processor, numpy and onnxruntime: each must compute what ONNX Runtime computes, to 1e-4 of the largest
element; then it is timed by the processor's clock, without copies. FOLDER/costs.json is a table of costs, in milliseconds, that
`--cost table:FOLDER/costs.json` reads; an operator at a size that is not in it costs the median of its kind, of an unknown kind the median of all: a guess.
`estimate` compares the times with what the compiler expects of a run of the same programs (`isomer graph loops --estimate`).
"""

import argparse
import ctypes
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench"), str(ROOT / "build/release/python")]
ISOMER = ROOT / "build/release/isomer"

LEAF = re.compile(r"\s*%(\S+) = (?:input|constant)(?:\{.*?\})? : (\S+)")
NODE = re.compile(r"\s*%(\S+) = ([\w.]+)(\{.*\})?\((.*?)\) : (.*?)(?: \"[^\"]*\")?$")
RENAMED = {"reshape", "broadcast", "unsqueeze", "squeeze", "flatten", "identity"}
TOLERANCE = 1e-4


def operators_of(text):
    """By signature: how often, and a program of it alone, in the textual form."""
    types, out = {}, {}
    for line in text.splitlines():
        if leaf := LEAF.match(line):
            types[leaf[1]] = leaf[2]
        elif node := NODE.match(line):
            types[node[1]] = node[5]
            operands = [types[name.strip().lstrip("%")] for name in node[4].split(",") if name.strip()]
            attributes = node[3] or ""
            signature = f"{node[2]}{attributes}({', '.join(operands)})"
            lines = [f'%x{i} = input{{name="x{i}"}} : {t}' for i, t in enumerate(operands)]
            names = ", ".join(f"%x{i}" for i in range(len(operands)))
            program = "\n".join(["graph {", *lines, f"%y = {node[2]}{attributes}({names}) : {node[5]}", "return %y }", ""])
            count = out[signature][0] if signature in out else 0
            out[signature] = (count + 1, program)
    return out


def kind_of(signature):
    return re.match(r"[\w.]+", signature)[0]


def make_one(folder, number, program, gpu):
    """Why there is none; empty: there is."""
    import isomer
    path = folder / f"{number}.graph"
    path.write_text(program)
    isomer.Graph.parse(program).save(path.with_suffix(".onnx"))
    done = subprocess.run([ISOMER, "compile", path, "-o", path.with_suffix(".so"), "--gpu", gpu, "--no-check"], capture_output=True, text=True)
    return done.stderr.strip()[:300] if done.returncode else ""


def make(folder, names, gpu):
    folder.mkdir(parents=True, exist_ok=True)
    networks = folder / "networks"
    subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", networks, "--size", "paper", "--weights", "light",
                    *(f"--only={n}" for n in names)], check=True, stdout=subprocess.DEVNULL)
    listed = {}
    for path in sorted(networks.glob("*.onnx")):
        shown = subprocess.run([ISOMER, "graph", "show", path], capture_output=True, text=True, check=True).stdout
        for signature, (count, program) in operators_of(shown).items():
            entry = listed.setdefault(signature, {"signature": signature, "networks": {}, "program": program})
            entry["networks"][path.name.split(".")[0]] = count
    timed = [e for s, e in listed.items() if kind_of(s) not in RENAMED]
    for number, entry in enumerate(timed):
        entry["number"] = number
        if why := make_one(folder, number, entry.pop("program"), gpu):
            entry["failed"] = why
            print(f"{entry['signature']}: {why}", flush=True)
    renamed = [{"signature": s, "networks": e["networks"]} for s, e in listed.items() if kind_of(s) in RENAMED]
    (folder / "operators.json").write_text(json.dumps(timed + renamed, indent=1))
    print(f"{len(listed)} distinct operators, {len(renamed)} of which only rename elements; {sum('failed' not in e for e in timed)} compiled")


# --- on the machine with the processor

def feed_of(session, kind):
    """Numbers of a table are indices; variances and divisors are away from 0."""
    import numpy as np
    rng, feed = np.random.default_rng(7), {}
    for i, info in enumerate(session.get_inputs()):
        if "int" in info.type:
            feed[info.name] = rng.integers(0, 2, info.shape).astype("int64" if "64" in info.type else "int32")
        else:
            positive = (kind, i) in {("batch_norm", 4), ("div", 1)}
            feed[info.name] = rng.uniform(0.5 if positive else -1, 1, info.shape).astype("float32")
    return feed


def run_one(folder, entry, repeats=20):
    """The error, and the median of so many runs in milliseconds."""
    import numpy as np
    import onnxruntime
    from peers import error_of
    path = folder / f"{entry['number']}.so"
    session = onnxruntime.InferenceSession(str(path.with_suffix(".onnx")), providers=["CPUExecutionProvider"])
    feed = feed_of(session, kind_of(entry["signature"]))
    expected = session.run(None, feed)
    inputs, results = list(feed.values()), [np.full_like(e, 99) for e in expected]
    library = ctypes.CDLL(str(path))
    library.isomer_model_new.restype = ctypes.c_void_p
    library.isomer_model_error.restype = ctypes.c_char_p
    model = ctypes.c_void_p(library.isomer_model_new(1))
    at = lambda some: (ctypes.c_void_p * len(some))(*[a.ctypes.data for a in some])  # noqa: E731
    seconds = (ctypes.c_double * repeats)()
    if model:
        library.isomer_model_run(model, at(inputs), at(results))
        if not library.isomer_model_error():
            library.isomer_model_time(model, seconds, repeats)
    if why := library.isomer_model_error():
        raise RuntimeError(why.decode())
    library.isomer_model_delete(model)
    error = error_of(expected, results)
    if not error <= TOLERANCE:
        raise RuntimeError(f"differs by {error:.2g} of the largest element")
    return error, statistics.median(seconds) * 1e3


def table_of(entries):
    """Costs by signature, and for what is not there by kind."""
    costs = {e["signature"]: e["ms"] for e in entries if "ms" in e}
    kinds = {}
    for signature, ms in costs.items():
        kinds.setdefault(kind_of(signature), []).append(ms)
    table = costs | {kind: statistics.median(all_) for kind, all_ in kinds.items()}
    table |= {kind: 0 for kind in RENAMED}
    if costs:
        table["*"] = statistics.median(costs.values())
    return table


def run(folder):
    entries = json.loads((folder / "operators.json").read_text())
    failed = 0
    for entry in entries:
        if "number" not in entry or "failed" in entry:
            continue
        try:
            entry["error"], entry["ms"] = run_one(folder, entry)
        except Exception as e:  # noqa: BLE001: one operator's failure is its result
            entry["failed"] = f"{type(e).__name__}: {e}"[:300]
            failed += 1
            print(f"{entry['signature']}: {entry['failed']}", flush=True)
    timed = [e for e in entries if "ms" in e]
    (folder / "times.json").write_text(json.dumps(entries, indent=1))
    (folder / "costs.json").write_text(json.dumps(table_of(entries), indent=1))
    print(f"{len(timed)} operators agree and are timed, {failed} failed; largest error {max((e['error'] for e in timed), default=0):.2g}")
    for network in sorted({n for e in timed for n in e["networks"]}):
        total = sum(e["ms"] * e["networks"].get(network, 0) for e in timed)
        print(f"{network}: {total:.3f} ms of operators alone")


# --- here again

def estimate(folder, gpu):
    from correlation import rank_correlation
    scale, pairs = {"us": 1e-3, "ms": 1, "s": 1e3}, []
    for entry in json.loads((folder / "times.json").read_text()):
        if "ms" not in entry:
            continue
        said = subprocess.run([ISOMER, "graph", "loops", folder / f"{entry['number']}.graph", "--gpu", gpu, "--estimate"], capture_output=True, text=True, check=True)
        number, unit = re.search(r"a run of ([\d.]+) (\w+)", said.stdout).groups()
        pairs.append((entry["signature"], float(number) * scale[unit], entry["ms"]))
    (folder / "estimates.json").write_text(json.dumps(pairs, indent=1))
    ratios = sorted(e / t for _, e, t in pairs)
    at = lambda share: ratios[min(int(share * len(ratios)), len(ratios) - 1)]  # noqa: E731
    print(f"{len(pairs)} operators: rank correlation {rank_correlation([e for _, e, _ in pairs], [t for *_, t in pairs]):.3f}; "
          f"estimate over time: {at(0.1):.2f}, {at(0.5):.2f}, {at(0.9):.2f} (tenth, median, nine tenths)")
    kinds = {}
    for signature, expected, ms in pairs:
        kinds.setdefault(kind_of(signature), []).append((expected, ms))
    for kind, some in sorted(kinds.items()):
        print(f"{kind:16} {len(some):4} median ratio {statistics.median(e / t for e, t in some):.2f}" +
              (f", rank correlation {rank_correlation(*map(list, zip(*some))):.2f}" if len(some) > 3 else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "run", "estimate"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("networks", nargs="*", help="make: of these only")
    parser.add_argument("--gpu", default="sm_90")
    args = parser.parse_args()
    if args.what == "make":
        make(args.folder, args.networks, args.gpu)
    elif args.what == "run":
        run(args.folder)
    else:
        estimate(args.folder, args.gpu)


if __name__ == "__main__":
    main()
