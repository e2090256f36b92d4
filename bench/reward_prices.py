#!/usr/bin/env python3
"""reward_prices.py [--profile cpu] [--seeds 3] [--json FILE] [NAME ...]: what it costs that a tree search's rewards are
priced otherwise than the extraction that follows (docs/mcts.md, "Rewards and prices").

For each network of bench/models at its small size: e-graphs that random walks and a tree search meet, priced as rewards
see them and as the extraction does, with the fusions of a runtime, on an analytic profile: figures are the same on every
machine. Prints a table of means over the seeds. `agreement`: Kendall's tau-b of the e-graphs' costs with what the extraction
says of them; `choice`: by how many per cent the e-graph that looks cheapest costs more than the best one that was met;
`search`: the same of what a tree search ends with. First by the rewards as they are, then by the same cost function with
the extraction's prices. bench/reward_prices_bench.cpp does the work
(tools/build release reward_prices_bench).
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
HOW = ("rewards", "priced")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only these networks")
    parser.add_argument("--profile", default="cpu", help="a roofline: cpu, a100, p100, t4")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="append the figures to this file, one object a line")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/reward_prices_bench")
    args = parser.parse_intermixed_args()
    sys.path.insert(0, str(ROOT / "bench/models"))
    from make_models import MODELS

    folder = ROOT / "build/models"
    folder.mkdir(parents=True, exist_ok=True)
    print("| network | e-graphs | agreement, rewards | priced | choice %, rewards | priced | search %, rewards | priced |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: |")
    for name in args.names or MODELS:
        model = folder / f"{name}.ci.onnx"
        if not model.exists():
            subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", "ci", "--only", name],
                           check=True, stdout=subprocess.DEVNULL)
        runs = []
        for seed in range(1, args.seeds + 1):
            done = subprocess.run([args.program, model, args.profile, str(seed)], check=True, capture_output=True, text=True)
            runs.append(json.loads(done.stdout))
            if args.json:
                with open(args.json, "a") as out:
                    out.write(json.dumps(runs[-1] | {"profile": args.profile, "seed": seed}) + "\n")

        def agreement(how):
            known = [r[how]["agreement"] for r in runs if r[how]["agreement"] is not None]
            return f"{statistics.fmean(known):.2f}" if known else "–"

        def percent(values):
            return f"{100 * statistics.fmean(values):.2f}"

        cells = [agreement("rewards"), agreement("priced"), *(percent(r[how]["loss"] for r in runs) for how in HOW),
                 *(percent(r[how]["found"] / r["least"] - 1 for r in runs) for how in HOW)]
        proved = "" if all(r["proved"] for r in runs) else " (not all proved)"
        print(f"| {name}{proved} | {sum(r['states'] for r in runs)} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
