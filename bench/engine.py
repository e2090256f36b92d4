#!/usr/bin/env python3
"""engine.py [--repeats N] [--rounds N]: the engine alone against egg 0.11, on TENSAT's 120 single-pattern rules.

Symbols without shapes, simple scheduler, no node limit, fixed numbers of iterations. Both programs run in turn, round
by round; each run is timed in CPU seconds of its thread, without reading and building the start. Live e-nodes and
e-classes must be equal and ours hold at most 40 bytes a live e-node, else the exit status is 1. Bytes are those of all
arrays by their capacity after the run and its last rebuild, dead e-nodes and table included, less 4 for each child. Last, the 931 equations of TASO's verifier are proved by our operator
axioms (rules/taso_axioms.txt) on both, once in one run and once in a short one followed by longer ones of what is still open; all must be
proved by both. Needs cargo for egg (bench/peers/egg), built on first use, and
build/release/engine_bench (tools/build release engine_bench).
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
DATA = ROOT / "tests/data/tensat"
DAGS, RULES = DATA / "models/dag", DATA / "rules/single_converted.txt"
EGG = ROOT / "bench/peers/egg"
NAMES = ("bert", "inceptionv3", "mobilenetv2", "nasneta", "nasrnn", "resnet50", "resnext50", "squeezenet", "vgg")


def chain(op: str, leaves: int) -> str:
    """acc = x0, then (ewadd xi acc), or (matmul 0 acc ai)."""
    lines = ["0"] if op == "matmul" else []
    lines.append("x0")
    acc = len(lines) - 1
    for i in range(1, leaves):
        lines.append(f"x{i}")
        leaf = len(lines) - 1
        lines.append(f"matmul 0 {acc} {leaf}" if op == "matmul" else f"ewadd {leaf} {acc}")
        acc = len(lines) - 1
    return "\n".join(lines) + "\n"


def workloads_in(folder: Path) -> list[tuple[str, int, list[Path]]]:
    """Name, iterations, start graphs; the chains are written to the folder."""
    made = {}
    for op, leaves in (("ewadd", 10), ("ewadd", 12), ("matmul", 20), ("matmul", 40)):
        made[op, leaves] = folder / f"{op}_{leaves}.dag"
        made[op, leaves].write_text(chain(op, leaves))
    return [
        ("all nine graphs", 9, [DAGS / f"{n}.dag" for n in NAMES]),
        ("squeezenet", 9, [DAGS / "squeezenet.dag"]),
        ("ewadd chain of 10", 6, [made["ewadd", 10]]),
        ("ewadd chain of 12", 6, [made["ewadd", 12]]),
        ("matmul chain of 20", 7, [made["matmul", 20]]),
        ("matmul chain of 40", 5, [made["matmul", 40]]),
        ("bert (saturates)", 100, [DAGS / "bert.dag"]),
        ("nasrnn (saturates)", 100, [DAGS / "nasrnn.dag"]),
    ]


def prove(program: Path, first_iterations: int, repeats: int) -> dict:
    words = [program, "prove", ROOT / "rules/taso_axioms.txt", DATA / "rules/taso_rules.txt", 10_000, first_iterations,
             repeats]
    return json.loads(subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout)


def run(program: Path, rules: Path, iterations: int, repeats: int, files: list[Path]) -> dict:
    words = [str(w) for w in (program, rules, iterations, "simple", repeats, *files)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="runs within one process")
    parser.add_argument("--rounds", type=int, default=5, help="processes of each, in turn")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/engine_bench")
    args = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=EGG, check=True)
    egg = EGG / "target/release/egg-peer"
    with tempfile.TemporaryDirectory() as folder:
        workloads = workloads_in(Path(folder))
        print("| workload | e-nodes | e-classes | iterations | egg s | ours s | ratio | bytes/e-node | copy µs |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        equal, sums = True, [0.0, 0.0]
        for name, iterations, files in workloads:
            times: tuple[list, list] = ([], [])
            for _ in range(args.rounds):
                theirs = run(egg, RULES, iterations, args.repeats, files)
                ours = run(args.program, RULES, iterations, args.repeats, files)
                times[0].extend(theirs["cpu_seconds"])
                times[1].extend(ours["cpu_seconds"])
            same = all(theirs[k] == ours[k] for k in ("e_nodes", "e_classes", "iterations"))
            equal = equal and same and ours["bytes_per_e_node"] <= 40
            a, b = (statistics.median(t) for t in times)
            if "saturates" not in name:
                sums[0] += a
                sums[1] += b
            counts = f"{ours['e_nodes']} | {ours['e_classes']} | {ours['iterations']}"
            if not same:
                counts += f" (egg: {theirs['e_nodes']}, {theirs['e_classes']}, {theirs['iterations']})"
            print(f"| {name} | {counts} | {a:.4f} | {b:.4f} | {a / b:.2f} | {ours['bytes_per_e_node']:.1f} | "
                  f"{ours['copy_seconds'] * 1e6:.1f} |", flush=True)
        print(f"| sum of the first six | | | | {sums[0]:.4f} | {sums[1]:.4f} | {sums[0] / sums[1]:.2f} | | |")
    print("\n| equations by axioms | proved | egg: iterations | egg s | ours: iterations | ours s | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, first in (("one run", 30), ("3 iterations, then the rest alone", 3)):
        times = ([], [])
        for _ in range(args.rounds):
            theirs, ours = prove(egg, first, args.repeats), prove(args.program, first, args.repeats)
            times[0].extend(theirs["cpu_seconds"])
            times[1].extend(ours["cpu_seconds"])
        equal = equal and theirs["proved"] == ours["proved"] == ours["equations"]
        a, b = (statistics.median(t) for t in times)
        print(f"| {name} | {ours['proved']} | {theirs['iterations']} | {a:.4f} | {ours['iterations']} | {b:.4f} | "
              f"{a / b:.2f} |", flush=True)
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
