#!/usr/bin/env python3
"""searches.py RECORD [--models FOLDER] [--size paper] [--time-limit 60s] [--cost C,...] [--search S,...] [--verify] [NAME ...]

`isomer optimize --dry-run` on the networks of bench/models by saturation, by Monte Carlo tree search and by a portfolio,
under seven cost models: which program each finds, by cost alone; nothing is timed or written. With `--verify` what is found is written
all the same, held to the network in ONNX Runtime and removed, which takes of the time limit; the table has how many were shown to be it. A JSON line a run goes
to RECORD as it ends; runs that are there are not run again (--table: none are), so that a killed comparison goes on.
Then the tables: where a search was behind saturation, where ahead, and the worst.

Measured costs are of operators, kept in the user's store: those that are new cost time the first time. So each network
is searched once by the last search that was asked for, unrecorded, before its first run under such costs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
COSTS = ["onnxruntime", "roofline:local", "roofline:cpu", "roofline:a100", "roofline:p100", "roofline:t4", "ast-size"]
SEARCHES = ["saturation", "portfolio", "mcts"]
KEPT = ("cost_before", "cost_found", "bound", "optimal", "e_nodes", "iterations", "stop_reason", "seconds")
LEAST = 1e-9  # smaller relative differences are rounding


def run(program: Path, model: Path, cost: str, search: str, limit: str, verify: bool) -> dict:
    started = time.time()
    with tempfile.TemporaryDirectory(prefix="isomer-searches-") as folder:
        how = ["--no-measure", "--no-report", "-o", Path(folder, "found.onnx")] if verify else ["--dry-run"]
        done = subprocess.run([program, "-q", "optimize", model, *how, "--cost", cost, "--search", search, "--time-limit", limit,
                               "--json", "--record", "/dev/stderr"], capture_output=True, text=True)
    if done.returncode != 0:
        return {"failure": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}
    result, record = json.loads(done.stdout), json.loads(done.stderr)
    phases = {p["name"]: p for p in record["phases"]}
    return {k: result[k] for k in KEPT} | {"verified": result["verified"] if verify else None} | {
        "of": (record["texts"] or {}).get("search", "saturation"), "how": phases["search"]["outcome"],
        "wall_seconds": {n: round(p["wall_seconds"], 3) for n, p in phases.items()}, "process_seconds": round(time.time() - started, 2)}


def read(path: Path) -> list:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def verified(pairs: dict) -> str:
    said = [r.get("verified") for both in pairs.values() for r in both]
    asked = [one for one in said if one is not None]
    return f"{sum(asked)} of {len(said)}" if asked else "not asked"


def table(runs: list) -> None:
    by = {}
    for r in runs:
        if "failure" not in r:
            by.setdefault((r["cost"], r["limit"]), {}).setdefault(r["network"], {})[r["search"]] = r
    print("| costs | limit | networks | saturation: ended, proved | search | behind | equal | ahead | worst | best | longest s | verified |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    notes = []
    for (cost, limit), networks in by.items():
        base = [of["saturation"] for of in networks.values() if "saturation" in of]
        ended = f"{sum(r['stop_reason'] == 'saturated' for r in base)}, {sum(r['optimal'] for r in base)}"
        for search in SEARCHES[1:]:
            pairs = {n: (of[search], of["saturation"]) for n, of in networks.items() if search in of and "saturation" in of}
            if not pairs:
                continue
            gain = {n: 1 - a["cost_found"] / b["cost_found"] for n, (a, b) in pairs.items()}
            behind, ahead = [n for n, g in gain.items() if g < -LEAST], [n for n, g in gain.items() if g > LEAST]
            worst, best = min(gain, key=gain.get), max(gain, key=gain.get)
            word = lambda n: f"{n} {100 * gain[n]:+.3f} %" if abs(gain[n]) > LEAST else "–"
            print(f"| {cost} | {limit} | {len(pairs)} | {ended} | {search} | {len(behind)} | {len(pairs) - len(behind) - len(ahead)} | {len(ahead)} | "
                  f"{word(worst)} | {word(best)} | {max(a['seconds'] for a, _ in pairs.values()):.1f} | {verified(pairs)} |")
            notes += [f"- {cost}, {search}, {n}: {100 * gain[n]:+.4f} % ({pairs[n][0]['how']})" for n in behind + ahead]
    print("\n" + "\n".join(notes) if notes else "\nNo difference anywhere.")
    for r in runs:
        if "failure" in r:
            print(f"- {r['network']}, {r['cost']}, {r['search']}: failed: {r['failure']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path)
    parser.add_argument("names", nargs="*", help="only these networks")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--models", type=Path, help="folder with NAME.SIZE.onnx (default: made in build/models)")
    parser.add_argument("--size", choices=("ci", "paper"), default="paper")
    parser.add_argument("--time-limit", default="60s")
    parser.add_argument("--cost", default=",".join(COSTS))
    parser.add_argument("--search", default=",".join(SEARCHES))
    parser.add_argument("--verify", action="store_true", help="hold what is found to the network")
    parser.add_argument("--table", action="store_true", help="run nothing, print what is there")
    args = parser.parse_intermixed_args()
    if not args.table:
        sys.path.insert(0, str(ROOT / "bench/models"))
        from make_models import MODELS

        folder = args.models or ROOT / "build/models"
        searches = args.search.split(",")
        known = {(r["network"], r["size"], r["cost"], r["search"], r["limit"]) for r in read(args.record)}
        for cost in args.cost.split(","):
            for name in args.names or MODELS:
                wanted = [s for s in searches if (name, args.size, cost, s, args.time_limit) not in known]
                if not wanted:
                    continue
                model = folder / f"{name}.{args.size}.onnx"
                if not model.exists():
                    folder.mkdir(parents=True, exist_ok=True)
                    subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", args.size, "--only", name],
                                   check=True, stdout=subprocess.DEVNULL)
                if cost == "onnxruntime" and len(wanted) == len(searches):
                    run(args.program, model, cost, searches[-1], args.time_limit, args.verify)
                for search in wanted:
                    line = {"network": name, "size": args.size, "cost": cost, "search": search, "limit": args.time_limit}
                    line |= run(args.program, model, cost, search, args.time_limit, args.verify)
                    with open(args.record, "a") as record:
                        record.write(json.dumps(line) + "\n")
    table(read(args.record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
