#!/usr/bin/env python3
"""extraction_gym.py DATA [SET ...]: our extractors on the e-graphs of the extraction gym, its own extractors' results beside.

DATA holds one folder of e-graphs a set (babble/*.json, ...) and reference_results.csv, the peers' results (columns:
dataset, file, extractor, dag_cost, micros, timed_out). Each e-graph is given to `isomer extract` for every extractor
asked for; one JSON line a run goes to the output file, and what is in there already is not run again. Seconds are CPU
time of the extracting thread, without reading the file; the time limit counts them as well.
"""

import argparse
import collections
import csv
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()


def peers(data: Path) -> dict:
    """(set, file) -> its rows by extractor."""
    rows = collections.defaultdict(dict)
    with open(data / "reference_results.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["dataset"], row["file"]][row["extractor"]] = row
    return rows


def run(program: Path, path: Path, extractor: str, seconds: float) -> dict:
    done = subprocess.run([program, "extract", path, "--extractor", extractor, "--time-limit", f"{seconds}s", "--clock", "cpu",
                           "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip() or f"status {done.returncode}"}
    return json.loads(done.stdout)


def best_peer(rows: dict) -> float:
    return min((float(r["dag_cost"]) for r in rows.values() if r["dag_cost"]), default=float("inf"))


def proved_by_peers(rows: dict) -> bool:
    return any("ilp" in name and r["timed_out"] == "0" and r["dag_cost"] for name, r in rows.items())


def total(values) -> str:
    values = list(values)
    return "-" if any(v is None for v in values) else f"{sum(values):.8g}"


def worse(cost: float, than: float) -> bool:
    return cost > than + 1e-9 * max(1.0, abs(than))


def report(results: dict, reference: dict, extractors: list) -> int:
    sets = sorted({key[0] for key in results})
    print("| set | graphs | best peer | " + " | ".join(f"{e} | s" for e in extractors) + " | proved (peers) |")
    print("| --- | --: | --: |" + " --: | --: |" * len(extractors) + " --: |")
    for name in sets:
        keys = [k for k in results if k[0] == name]
        cells = []
        for extractor in extractors:
            runs = [results[k].get(extractor, {}) for k in keys]
            cells += [total(r.get("dag_cost") for r in runs), total(r.get("cpu_seconds") for r in runs)]
        proved = sum(bool(results[k].get("auto", {}).get("optimal")) for k in keys)
        print(f"| {name} | {len(keys)} | {sum(best_peer(reference[k]) for k in keys):.8g} | " + " | ".join(cells) +
              f" | {proved} ({sum(proved_by_peers(reference[k]) for k in keys)}) |")
    for extractor in extractors:
        seconds = [r[extractor].get("cpu_seconds", 0) for r in results.values() if extractor in r]
        print(f"\n{extractor}: {sum(seconds):.4g} CPU seconds in all, {max(seconds, default=0):.3g} at most")
    behind = 0
    auto = {k: r["auto"] for k, r in results.items() if "dag_cost" in r.get("auto", {})}
    open_there = [k for k in auto if not proved_by_peers(reference[k])]
    if open_there:
        print("\nNot proved by any peer:\n\n| e-graph | best peer | auto | bound | proved | s |\n| --- | --: | --: | --: | --- | --: |")
        for k in open_there:
            r = auto[k]
            print(f"| {k[0]}/{k[1].removesuffix('.json')} | {best_peer(reference[k]):.8g} | {r['dag_cost']:.8g} | "
                  f"{r['bound']:.8g} | {'yes' if r['optimal'] else ''} | {r['cpu_seconds']:.3g} |")
        print(f"\n{sum(auto[k]['optimal'] for k in open_there)} of {len(open_there)} of these are proved now")
    for k, r in auto.items():
        if worse(r["dag_cost"], best_peer(reference[k])):
            behind += 1
            print(f"behind the peers: {k[0]}/{k[1]}: {r['dag_cost']:.8g} against {best_peer(reference[k]):.8g}")
    print(f"\nauto is behind the best peer on {behind} of {len(auto)} e-graphs, ahead on "
          f"{sum(worse(best_peer(reference[k]), r['dag_cost']) for k, r in auto.items())}")
    closed = [k for k in results if results[k].get("tree-width", {}).get("optimal")]
    if any("tree-width" in r for r in results.values()):
        alone = [k for k in closed if not proved_by_peers(reference[k]) or
                 any("optimal" in results[k].get(e, {}) and not results[k][e]["optimal"] for e in extractors if e.startswith("ilp"))]
        print(f"\ntree-width proves {len(closed)} e-graphs; of these no peer's ILP, or not ours, proves {len(alone)}:")
        for k in alone:
            print(f"  {k[0]}/{k[1]} (width {results[k]['tree-width'].get('tree_width', 0)})")
    return 1 if behind else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("sets", nargs="*", help="only these sets, or SET/FILE")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--extractors", default="auto,heuristic,faster-greedy-dag", help="separated by commas")
    parser.add_argument("--seconds", type=float, default=10, help="a graph, for extractors that take a limit")
    parser.add_argument("--output", type=Path, default=ROOT / "build/bench/extraction_gym.jsonl")
    args = parser.parse_intermixed_args()
    program = args.program.resolve()
    extractors = args.extractors.split(",")
    reference = peers(args.data)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    results = collections.defaultdict(dict)
    if args.output.exists():
        for line in args.output.read_text(encoding="utf-8").splitlines():
            r = json.loads(line)
            results[r["set"], r["file"]][r["extractor"]] = r
    wanted = [k for k in sorted(reference) if not args.sets or k[0] in args.sets or "/".join(k).removesuffix(".json") in args.sets]
    with open(args.output, "a", encoding="utf-8") as out:
        for k in wanted:
            for extractor in extractors:
                if extractor in results[k]:
                    continue
                r = run(program, args.data / k[0] / k[1], extractor, args.seconds)
                r.update(set=k[0], file=k[1], extractor=extractor)
                results[k][extractor] = r
                out.write(json.dumps(r) + "\n")
                out.flush()
                if "error" in r:
                    print(f"{k[0]}/{k[1]}: {extractor}: {r['error']}", file=sys.stderr)
    return report({k: results[k] for k in wanted}, reference, extractors)


if __name__ == "__main__":
    sys.exit(main())
