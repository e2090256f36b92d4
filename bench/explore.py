#!/usr/bin/env python3
"""explore.py [--k 2 ...] [--cycles MODE ...] [--rules published] [--rounds N] [MODEL ...]: exploration beside TENSAT's published counts.

TENSAT's start graphs and rules, 15 iterations, 50,000 e-nodes by its counting, one thread, CPU seconds,
best of the rounds. TENSAT's seconds (analytic cost, kernel timing taken out, one thread) are brought to this machine's
speed: times this run's egg on "all nine graphs, simple scheduler, 50,000 nodes" / 0.139 s. Needs cargo for egg and
build/release/explore_bench (tools/build release explore_bench). --cycles all prints the cycle filters side by side.
Its counts are of rules without the conditions that keep grouped convolutions right: --rules published; nasneta's e-graphs then
hold wrong programs.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
DAGS = ROOT / "tests/data/tensat/models/dag"
EGG = ROOT / "bench/peers/egg"
MODES = ("none", "efficient", "online", "vanilla-multi", "vanilla")
# model, k -> e-nodes, e-classes, iterations, CPU seconds of TENSAT with the efficient filter.
TENSAT = {
    ("bert", 0): (656, 312, 6, 0.032), ("bert", 1): (1569, 625, 8, 0.122), ("bert", 2): (20244, 7315, 15, 1.26),
    ("nasrnn", 0): (490, 450, 2, 0.0026), ("nasrnn", 1): (1990, 1345, 3, 0.021), ("nasrnn", 2): (33060, 19965, 4, 0.50),
    ("nasneta", 0): (5034, 2675, 15, 0.278), ("nasneta", 1): (7215, 4067, 15, 0.287),
    ("nasneta", 2): (57027, 34940, 13, 2.25),
    ("inceptionv3", 0): (334, 334, 1, 0.0016), ("inceptionv3", 1): (670, 558, 2, 0.010),
    ("inceptionv3", 2): (4294, 2974, 3, 0.065),
    ("resnext50", 0): (358, 278, 6, 0.0047), ("resnext50", 1): (371, 287, 6, 0.0078), ("resnext50", 2): (431, 327, 6, 0.013),
    ("squeezenet", 0): (168, 135, 2, 0.0025), ("squeezenet", 1): (288, 199, 2, 0.011), ("squeezenet", 2): (672, 431, 3, 0.035),
    ("vgg", 0): (112, 96, 2, 0.0011), ("vgg", 1): (112, 96, 2, 0.0039), ("vgg", 2): (112, 96, 2, 0.0081),
    ("resnet50", 0): (193, 193, 1, 0.0008), ("resnet50", 1): (206, 202, 2, 0.0045), ("resnet50", 2): (266, 242, 3, 0.0089),
    ("mobilenetv2", 0): (2383, 1465, 9, 0.091), ("mobilenetv2", 1): (2383, 1465, 9, 0.110),
    ("mobilenetv2", 2): (2949, 1728, 10, 0.162),
}
TARGETS = {"bert": 0.06, "nasrnn": 0.03, "nasneta": 0.12, "inceptionv3": 0.004}  # k = 2, on TENSAT's machine


def machine_factor() -> float:
    """Egg's time here over its time where TENSAT was measured (which counted up to its node limit)."""
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=EGG, check=True)
    words = [EGG / "target/release/egg-peer", ROOT / "rules/taso_single.txt", "9", "simple", "20", *sorted(DAGS.glob("*.dag"))]
    out = json.loads(subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True,
                                    env={"EGG_NODE_LIMIT": "50000"}).stdout)
    return min(out["cpu_seconds"]) / 0.139


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, nargs="*", default=[2])
    parser.add_argument("--cycles", nargs="*", default=["efficient"])
    parser.add_argument("--rules", choices=("tensat", "published"), default="tensat")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("models", nargs="*", default=sorted({m for m, _ in TENSAT}))
    args = parser.parse_args()
    factor = machine_factor()
    print(f"machine: {factor:.2f} times TENSAT's seconds; rules: {args.rules}\n")
    print("| model | k | cycles | e-nodes | e-classes | iterations, stop | filtered | s | TENSAT: nodes, classes, iterations | its s, here | ratio | target s, here |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    missed = False
    for model in args.models:
        for k in args.k:
            for mode in MODES if args.cycles == ["all"] else args.cycles:
                words = [ROOT / "build/release/explore_bench", DAGS / f"{model}.dag", ROOT / "rules", k, mode, args.rounds, args.rules]
                r = json.loads(subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout)
                best = min(r["cpu_seconds"])
                row = f"| {model} | {k} | {mode} | {r['tensat_nodes']} | {r['tensat_classes']} | {r['iterations']}, {r['stop']} | {r['filtered']} | {best:.4f} |"
                peer = TENSAT.get((model, k)) if mode == "efficient" and args.rules == "published" else None
                row += f" {peer[0]}, {peer[1]}, {peer[2]} | {peer[3] * factor:.4f} | {peer[3] * factor / best:.1f} |" if peer else " | | |"
                target = TARGETS.get(model) if k == 2 and mode == "efficient" else None
                missed = missed or (target is not None and best > target * factor)
                print(row + (f" {target * factor:.4f} |" if target else " |"), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
