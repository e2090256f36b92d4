#!/usr/bin/env python3
"""tensat_plots.py RESULT.json FOLDER: figures 4 to 7 of TENSAT's paper from what `isomer bench tensat -o RESULT.json` wrote.

Draws what the file has: figure4.svg (speed-ups), figure5.svg (optimisation times), figure6.svg (speed-up over time on
Inception-v3), figure7.svg (k_multi). The paper's own numbers are drawn where they are known, hollow. Needs matplotlib
(`tools/setup --bench`).
"""

import argparse
import json
import sys
from pathlib import Path

try:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:  # said when something is to be drawn
    plt = None


def save(figure, folder: Path, name: str) -> None:
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg")
    plt.close(figure)
    print(folder / f"{name}.svg")


def bars(result: dict, folder: Path) -> None:
    """Figures 4 and 5: one group a model."""
    plain = [r for r in result["tensat"] if not r["weights_free"]]
    taso = {r["model"]: r for r in result["taso"] if r["alpha"] == 1 and r["budget"] == 100 and not r["weights_free"]}
    published = {p["model"]: p for p in result.get("published", [])}
    names = [f"{r['model']}\nk = {r['k_multi']}" for r in plain]
    places = range(len(plain))
    for name, label, ours, peer, theirs in (
        ("figure4", "speed-up, %", lambda r: (r["speedup_percent"], 0), lambda r: (r["speedup_percent"], 0),
         ("tensat_speedup_percent", "taso_speedup_percent")),
        ("figure5", "optimisation time, s", lambda r: (r["seconds"]["mean"], r["seconds"]["standard_error"]),
         lambda r: (r["seconds"]["mean"], r["seconds"]["standard_error"]), ("tensat_seconds", "taso_seconds")),
    ):
        figure, axes = plt.subplots(figsize=(10, 4))
        for shift, colour, label_of, values, key in (
            (-0.2, "tab:orange", "TASO", [peer(taso[r["model"]]) for r in plain], theirs[1]),
            (0.2, "tab:blue", "TENSAT", [ours(r) for r in plain], theirs[0]),
        ):
            at = [p + shift for p in places]
            axes.bar(at, [v for v, _ in values], 0.38, yerr=[e for _, e in values], color=colour, label=label_of)
            known = [(x, published[r["model"]][key]) for x, r in zip(at, plain)
                     if r["model"] in published and published[r["model"]]["k_multi"] == r["k_multi"]]
            axes.plot([x for x, _ in known], [y for _, y in known], "o", mfc="white", color="black", mec=colour, mew=2,
                      zorder=3, label=f"{label_of}, paper")
        if name == "figure5":
            best = [taso[r["model"]]["seconds_to_best"]["mean"] for r in plain]
            axes.plot([p - 0.2 for p in places], best, "_", color="black", markersize=14, label="TASO, to its best")
            axes.set_yscale("log")
        axes.set_xticks(list(places), names)
        axes.set_ylabel(label)
        axes.legend()
        save(figure, folder, name)


def curves(result: dict, folder: Path) -> None:
    figure, axes = plt.subplots(figsize=(6, 4))
    for name, points in result["curves"].items():
        axes.step([x for x, _ in points], [y for _, y in points], where="post", marker=".", label=name.upper())
    axes.set_xscale("log")
    axes.set_xlabel("optimisation time, s")
    axes.set_ylabel("speed-up, %")
    axes.legend()
    save(figure, folder, "figure6")


def multi(result: dict, folder: Path) -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4))
    for model in dict.fromkeys(r["model"] for r in result["k_multi"]):
        rows = [r for r in result["k_multi"] if r["model"] == model]
        k = [r["k_multi"] for r in rows]
        for axes, values in ((left, [r["speedup_percent"] for r in rows]), (middle, [r["seconds"]["mean"] for r in rows]),
                             (right, [r["e_nodes"] for r in rows])):
            axes.plot(k, values, marker="o", label=model)
            late = [(a, b) for a, b, r in zip(k, values, rows) if not r["optimal"]]
            axes.plot([a for a, _ in late], [b for _, b in late], "kx")
    for axes, label in ((left, "speed-up, %"), (middle, "time, s"), (right, "e-nodes")):
        axes.set_xlabel("k_multi (x: extraction out of time)")
        axes.set_ylabel(label)
        axes.set_xticks(range(4))
    middle.set_yscale("log")
    right.set_yscale("log")
    right.legend(fontsize="small", loc="lower right", ncols=2)
    save(figure, folder, "figure7")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path, metavar="RESULT.json")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    if plt is None:
        parser.error("matplotlib is not installed; tools/setup --bench does it")
    result = json.loads(args.result.read_text())
    folder = args.folder
    folder.mkdir(parents=True, exist_ok=True)
    if "tensat" in result:
        bars(result, folder)
    if "curves" in result:
        curves(result, folder)
    if "k_multi" in result:
        multi(result, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
