#!/usr/bin/env python3
"""main_job.py FOLDER [--also FILE]... [--only NAME]... [--table]: what the main job, with defaults, takes on the models of zoo.py: seconds,
CPU seconds of all its processes, and the largest resident size of one of them.

Each model is done twice: with an empty store of costs and verdicts, and again with what the first time left there. A line of JSON a
model goes to FOLDER/main_job.jsonl, with seconds by step, and what stands there is not done again. `--table` prints what stands there.
CPU seconds say more than seconds where a machine is shared; what is timed until there is enough evidence takes more of both there.
"""

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from zoo import fetched, parser_of, rows_of, run_isomer, through_the_zoo

ALLOWED = (3, 300)  # times the model, and MB


def once(program: Path, model: Path, scratch: str) -> dict:
    record = Path(scratch, "record.json")
    run = run_isomer(program, model, Path(scratch, "out.onnx"), f"{scratch}/store", ["--record", record])
    out = {**{key: run[key] for key in ("seconds", "cpu", "megabytes", "status")}, "load": os.getloadavg()[0]}
    if run["status"]:
        return {**out, "failed": run["said"][-300:]}
    steps = json.loads(record.read_text())["phases"]
    keep = ("changed", "decision", "speedup", "speedup_low", "speedup_high", "nodes_before", "opaque_operators", "sizes", "latency_before_ms",
            "verified")
    return {**out, **{key: run["result"][key] for key in keep}, "steps": {step["name"]: round(step["wall_seconds"], 3) for step in steps}}


def one_model(model: Path, program: Path) -> dict:
    with tempfile.TemporaryDirectory(prefix="isomer-main-job-") as scratch:
        runs = [once(program, model, scratch) for _ in ("empty", "kept")]
    return {"bytes": model.stat().st_size, "runs": runs}


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
        if "failed" in r:
            print(f"| {r['model']} | {r['failed']} |")
            continue
        first, again = r["runs"]
        most = max(run["megabytes"] for run in r["runs"])
        beyond = most > ALLOWED[0] * r["bytes"] / 1e6 + ALLOWED[1]
        print(f"| {r['model']} | {r['bytes'] / 1e6:.1f} | {first.get('nodes_before', '')} | {opaque(first) if not first['status'] else ''} | "
              f"{first.get('latency_before_ms') or 0:.2f} | {result_of(first)}; {result_of(again)} | "
              f"{first['seconds']:.1f}, {first['cpu']:.1f} | {again['seconds']:.1f}, {again['cpu']:.1f} | {most:.0f}{' (beyond)' if beyond else ''} |")
    good = [r for r in rows if "failed" not in r]
    for number, store in enumerate(("empty", "kept") if good else ()):
        runs = [r["runs"][number] for r in good]
        print(f"\n{store} store: {len(runs)} models, status 0 of {sum(not run['status'] for run in runs)}, "
              f"written as faster {sum(bool(run.get('changed')) for run in runs)}; "
              + "; ".join(f"{what}: median {statistics.median(run[what] for run in runs):.2f}, most {max(run[what] for run in runs):.1f}"
                          for what in ("seconds", "cpu", "megabytes", "load")))


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--table", action="store_true", help="only print what was recorded")
    args = parser.parse_args()
    record = args.folder / "main_job.jsonl"
    rows = list(rows_of(record).values()) if args.table else through_the_zoo(
        args, record, lambda _, model: one_model(fetched(model, args.folder), args.program),
        lambda row: [{k: run.get(k) for k in ("status", "seconds", "cpu", "megabytes", "changed")} for run in row["runs"]])
    print_table(rows)
    return 0 if all("failed" not in r and all(run["status"] == 0 for run in r["runs"]) for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
