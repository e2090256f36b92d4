#!/usr/bin/env python3
"""beside.py TREE [--rounds N] [--what engine explore search environment]: this tree's speed beside that of another commit.

TREE is a checkout of the other commit, built: `git worktree add TREE COMMIT`, a link to this tree's .venv in it, then there
`tools/build release isomer _isomer engine_bench explore_bench` (here too). Both run in turn, round by round, each timed in CPU
seconds of its own; what they find must be equal, else the row says so and the exit status is 1. A ratio is the median over all rounds, with
those between which half of the rounds lie; above 1: this tree is faster.
Only runs on a machine that does nothing else say something.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import engine

ROOT = Path(__file__).parent.parent.resolve()
Run = Callable[[Path], tuple[list[float], object]]  # of a tree: CPU seconds, and what was found


def read(words: list, **env: str) -> str:
    done = subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True, env={**os.environ, **env})
    return done.stdout


def of_engine(folder: Path) -> Iterator[tuple[str, Run]]:
    def run(tree: Path, iterations: int, files: list[Path]):
        out = engine.run(tree / "build/release/engine_bench", engine.RULES, iterations, 3, files)
        return out["cpu_seconds"], [out[k] for k in ("e_nodes", "e_classes", "iterations")]

    for name, iterations, files in engine.workloads_in(folder):
        yield f"engine: {name}", lambda tree, i=iterations, f=files: run(tree, i, f)


def of_explore(_: Path) -> Iterator[tuple[str, Run]]:
    def run(tree: Path, name: str):
        words = [tree / "build/release/explore_bench", engine.DAGS / f"{name}.dag", tree / "rules", 2, "efficient", 3]
        out = json.loads(read(words))
        return out["cpu_seconds"], [out[k] for k in ("e_nodes", "e_classes", "iterations")]

    for name in engine.NAMES:
        yield f"explore: {name}, k 2", lambda tree, n=name: run(tree, n)


def of_search(folder: Path) -> Iterator[tuple[str, Run]]:
    def run(tree: Path, name: str):
        words = [tree / "build/release/isomer", "mugraph", "search", name, "--fresh", "--threads", 1, "--json"]
        out = json.loads(read(words, ISOMER_CACHE=str(folder / "cache")))
        return [out["cpu_seconds"]], [out[k] for k in ("states", "verified", "unique")]

    listed = read([ROOT / "build/release/isomer", "mugraph", "programs"])
    for name in (line.split()[0] for line in listed.splitlines() if line):
        yield f"search: {name}", lambda tree, n=name: run(tree, n)


def of_environment(_: Path) -> Iterator[tuple[str, Run]]:
    """Seconds of a thousand steps, by the table that the tree's own bench prints."""
    def run(tree: Path, drawn: str):
        words = [ROOT / ".venv/bin/python", tree / "bench/environment.py", "--draw", drawn, "--runs", 1]
        table = read(words, PYTHONPATH=str(tree / "build/release/python"))
        rows = [line.split("|") for line in table.splitlines() if line.startswith("|")][2:]
        return [1000 / float(row[4].split()[0].replace(",", "")) for row in rows], None

    for drawn in ("all", "allowed"):
        yield f"environment: actions drawn from {drawn}", lambda tree, d=drawn: run(tree, d)


KINDS = {"engine": of_engine, "explore": of_explore, "search": of_search, "environment": of_environment}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=5, help="at least 2")
    parser.add_argument("--what", nargs="*", choices=KINDS, default=list(KINDS))
    args = parser.parse_args()
    if args.rounds < 2:
        parser.error("--rounds: at least 2")
    other, equal = args.tree.resolve(), True
    print("| what | there s | here s | ratio (half of the rounds) | found |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for kind in args.what:
            for name, run in KINDS[kind](Path(folder)):
                rounds: list[tuple[float, float]] = []
                try:
                    for _ in range(args.rounds):
                        (theirs, found_there), (ours, found_here) = run(other), run(ROOT)
                        rounds.append((statistics.median(theirs), statistics.median(ours)))
                except subprocess.CalledProcessError as error:
                    print(f"| {name} | | | | not run: {error.stderr.strip().splitlines()[-1:]} |", flush=True)
                    continue
                same = found_there == found_here
                equal &= same
                there, here = map(statistics.median, zip(*rounds, strict=True))
                low, ratio, high = statistics.quantiles((t / h for t, h in rounds), n=4, method="inclusive")
                said = "equal" if same else f"{found_there} there, {found_here} here"
                print(f"| {name} | {there:.4f} | {here:.4f} | {ratio:.3f} ({low:.3f} to {high:.3f}) | {said} |", flush=True)
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
