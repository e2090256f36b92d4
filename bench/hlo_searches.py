#!/usr/bin/env python3
"""Searches over the decisions of HLO passes beside pick-first, on the modules of tests/hlo/corpus (HloEnv, table 2).

    .venv/bin/python bench/hlo_searches.py [--passes general-fusion] [--evaluator roofline:cpu] [--seconds 10] [--seeds 3]
                                           [--disable-pass fusion,layout-assignment] [FOLDER or FILE ...]

For each module and search: the cost of what was found over that of pick-first, the mean over modules and seeds, the least,
and how many modules were evaluated. A search never returns more than pick-first (isomer hlo search), so means are at most 1.
"""

import argparse
import json
import math
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEARCHES = ("random", "beam", "mcts")


def texts(paths):
    for path in paths:
        yield from sorted(path.rglob("*.txt")) if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "tests/hlo/corpus/jax"])
    parser.add_argument("--passes", default="general-fusion")
    parser.add_argument("--evaluator", default="roofline:cpu")
    parser.add_argument("--disable-pass", default="")
    parser.add_argument("--seconds", default=10, type=float)
    parser.add_argument("--seeds", default=3, type=int)
    args = parser.parse_args()
    ratios, evaluated = {s: [] for s in SEARCHES}, {s: [] for s in SEARCHES}
    start = []
    for path in texts(args.paths):
        line = [path.stem[:44].ljust(44)]
        for search in SEARCHES:
            found = []
            for seed in range(args.seeds if search != "beam" else 1):
                command = [ROOT / "build/release/isomer", "hlo", "search", path, "--json", "--passes", args.passes, "--evaluator",
                           args.evaluator, "--search", search, "--seed", str(seed), "--time-limit", f"{args.seconds}s",
                           "--steps", "1000000"]
                if args.disable_pass:
                    command += ["--disable-pass", args.disable_pass]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    line.append(f"{search}: {done.stderr.strip().splitlines()[-1][:80]}")
                    break
                result = json.loads(done.stdout)
                found.append(result["cost_after"] / result["cost_pick_first"])
                evaluated[search].append(result["evaluated"])
            else:
                ratios[search] += found
                line.append(f"{search} {statistics.mean(found):.3f}")
                continue
            break
        else:
            start.append(result["cost_pick_first"] / result["cost_before"])
            line.append(f"(pick-first {start[-1]:.3f} of the start)")
        print("  ".join(line), flush=True)
    for search in SEARCHES:
        if ratios[search]:
            print(f"{search:8} over pick-first: mean {statistics.mean(ratios[search]):.3f}, least {min(ratios[search]):.3f}; "
                  f"{math.fsum(evaluated[search]) / len(evaluated[search]):.0f} modules evaluated in the mean")


if __name__ == "__main__":
    main()
