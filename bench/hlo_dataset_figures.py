#!/usr/bin/env python3
"""Figures of a data set of HLO modules: how large they are, by package, and which opcodes they have (HloEnv, figures 3 and 4).

    python3 bench/hlo_dataset_figures.py SET -o FILE.png

SET is a folder that `isomer hlo collect` or `isomer hlo dataset` made. Needs matplotlib.
"""

import json
import os
import subprocess
from pathlib import Path

import one_figure

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("ISOMER_PROGRAM", ROOT / "build/release/isomer")
MOST_OPCODES = 30


def sizes(axis, lines):
    """A line a package, and all together."""
    of = {}
    for line in lines:
        of.setdefault(line["package"], []).append(line["instructions"])
    for counts in of.values():
        counts.sort()
        axis.plot(counts, [(i + 1) / len(counts) for i in range(len(counts))], color="0.75", linewidth=0.7)
    together = sorted(line["instructions"] for line in lines)
    axis.plot(together, [(i + 1) / len(together) for i in range(len(together))], color="C0", linewidth=2,
              label=f"all {len(together)} modules of {len(of)} packages")
    axis.set_xscale("log")
    axis.set_xlabel("instructions of a module")
    axis.set_ylabel("share of modules with at most so many")
    axis.legend(loc="lower right")


def opcodes(axis, counts):
    first = list(counts.items())[:MOST_OPCODES]
    axis.barh([name for name, _ in first], [count for _, count in first], color="C0")
    axis.invert_yaxis()
    axis.set_xscale("log")
    axis.set_xlabel("instructions")
    axis.tick_params(axis="y", labelsize=7)


def draw_set(plt, folder):
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    done = subprocess.run([PROGRAM, "hlo", "dataset", "stats", folder, "--json"], capture_output=True, text=True, check=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    sizes(left, lines)
    opcodes(right, json.loads(done.stdout)["opcodes"])
    return figure


if __name__ == "__main__":
    one_figure.main(__doc__, "SET", draw_set)
