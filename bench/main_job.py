#!/usr/bin/env python3
"""main_job.py FOLDER [--also FILE]... [--only NAME]... [--table]: what the main job, with defaults, takes on the models of zoo.py: seconds,
CPU seconds of all its processes, and the largest resident size of one of them.

Each model is done twice: with an empty store of costs and verdicts, and again with what the first time left there. A line of JSON a
model goes to FOLDER/main_job.jsonl, with seconds by step, and what stands there is not done again. `--table` prints what stands there.
CPU seconds say more than seconds where a machine is shared; what is timed until there is enough evidence takes more of both there.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from zoo import ROOT, fetched, zoo

# A small process in between: what this one holds when it starts another would count as the other's.
MEASURED = """
import resource, subprocess, sys, time
begin = time.monotonic()
status = subprocess.run(sys.argv[1:]).returncode
seconds, used = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
sys.exit(status)
"""
ALLOWED = (3, 300)  # times the model, and MB


def once(program: Path, model: Path, scratch: str) -> dict:
    record = Path(scratch, "record.json")
    done = subprocess.run([sys.executable, "-c", MEASURED, program, "-q", "optimize", model, "-o", Path(scratch, "out.onnx"), "--json",
                           "--record", record], capture_output=True, text=True, env={**os.environ, "ISOMER_CACHE": f"{scratch}/store"})
    *said, measured = done.stderr.strip().splitlines()
    out = dict(zip(("seconds", "cpu", "megabytes"), map(float, measured.split())), status=done.returncode, load=os.getloadavg()[0])
    if done.returncode:
        return {**out, "failed": " ".join(said)[-300:]}
    result, steps = json.loads(done.stdout), json.loads(record.read_text())["phases"]
    keep = ("changed", "decision", "speedup", "speedup_low", "speedup_high", "nodes_before", "opaque_operators", "sizes", "latency_before_ms",
            "verified")
    return {**out, **{key: result[key] for key in keep}, "steps": {step["name"]: round(step["wall_seconds"], 3) for step in steps}}


def one_model(name: str, model: Path, program: Path) -> dict:
    with tempfile.TemporaryDirectory(prefix="isomer-main-job-") as scratch:
        runs = [once(program, model, scratch) for _ in ("empty", "kept")]
    return {"model": name, "bytes": model.stat().st_size, "runs": runs}


def opaque(run: dict) -> str:
    counts = run["opaque_operators"]
    return ", ".join(f"{n} {op}" for op, n in counts.items()) if isinstance(counts, dict) else str(counts or "")


def result_of(run: dict) -> str:
    if run["status"]:
        return f"status {run['status']}"
    return "{speedup:.3f} ({speedup_low:.3f} to {speedup_high:.3f})".format(**run) if run["changed"] else "as it was"


def print_table(rows: list) -> None:
    print("| model | MB | operators | opaque | a run, ms | written | s, CPU s, empty store | s, CPU s, kept | MB used |\n" + "| --- " * 9 + "|")
    for r in rows:
        first, again = r["runs"]
        most = max(run["megabytes"] for run in r["runs"])
        beyond = most > ALLOWED[0] * r["bytes"] / 1e6 + ALLOWED[1]
        print(f"| {r['model']} | {r['bytes'] / 1e6:.1f} | {first.get('nodes_before', '')} | {opaque(first) if not first['status'] else ''} | "
              f"{first.get('latency_before_ms') or 0:.2f} | {result_of(first)}; {result_of(again)} | "
              f"{first['seconds']:.1f}, {first['cpu']:.1f} | {again['seconds']:.1f}, {again['cpu']:.1f} | {most:.0f}{' (beyond)' if beyond else ''} |")
    for number, store in enumerate(("empty", "kept")):
        runs = [r["runs"][number] for r in rows]
        print(f"\n{store} store: {len(runs)} models, status 0 of {sum(not run['status'] for run in runs)}, "
              f"written as faster {sum(bool(run.get('changed')) for run in runs)}; "
              + "; ".join(f"{what}: median {statistics.median(run[what] for run in runs):.2f}, most {max(run[what] for run in runs):.1f}"
                          for what in ("seconds", "cpu", "megabytes", "load")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--also", action="append", default=[], type=Path, metavar="FILE")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--table", action="store_true", help="only print what was recorded")
    args = parser.parse_args()
    record = args.folder / "main_job.jsonl"
    rows = {r["model"]: r for r in map(json.loads, record.read_text().splitlines())} if record.exists() else {}
    for name, model in zoo(args.also).items():
        if args.table or name in rows or (args.only and name not in args.only):
            continue
        rows[name] = one_model(name, fetched(model, args.folder), args.program)
        print(name, [{k: run.get(k) for k in ("status", "seconds", "cpu", "megabytes", "changed")} for run in rows[name]["runs"]], flush=True)
        with open(record, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(rows[name]) + "\n")
    print_table(list(rows.values()))
    return 0 if all(run["status"] == 0 for r in rows.values() for run in r["runs"]) else 1


if __name__ == "__main__":
    sys.exit(main())
