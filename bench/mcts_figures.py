#!/usr/bin/env python3
"""mcts_figures.py RECORD... [--draw FOLDER] [--kept FOLDER] [--format svg,png]: what `isomer bench mcts --record` wrote.

Prints the tables: start graphs by each extraction, speed-up by pair of extractions; for each device, what search gained
beside TENSAT and the least cost that any approach found or that the bounds of TENSAT's and the larger e-graph leave room
for; optimisation times beside the published ones; the distinct rules that were used; what the budgets of a sweep buy.

With --draw: which rule was applied how often (the paper's figures 7, 8, 10), cost against e-graph size and CPU time
(figure 2), mean speed-up and time of each pair of extractions (figures 5, 13), speed-ups by model with the published ones as
hollow marks (figures 6, 14), what was gained at which budget (`--budget 1,2,4,...`) with TENSAT's point, and search trees that
were recorded (`--tree N`). With --kept (what the bench's `--keep FOLDER` wrote) also the first and the last e-graph of each
run: classes as boxes, e-nodes as squares coloured by operator, the extracted program dark. Drawing needs matplotlib (`tools/setup --bench`).
"""

import argparse
import math
from collections import defaultdict
from pathlib import Path

from mcts_record import approaches_of, first_seed, grouped, mean, read, seconds, spread, sweeps

# TENSAT's recipe with the same limit is what search is held against; a gap below this share of its cost is none.
LEAST_GAP = 0.005


def print_first(firsts):
    """Tables 1 and 3: the start graphs by each extraction, the paper's measured numbers in brackets."""
    for device in dict.fromkeys(f["device"] for f in firsts):
        print(f"\n{device}: the start graphs by each extraction, ms (published in brackets)\n")
        print("| model | exact | default (tree) | Algorithm 2 | corrected |\n| --- | --- | --- | --- | --- |")
        for f in {f["model"]: f for f in firsts if f["device"] == device}.values():
            beside = {k: f" ({v:.4g})" for k, v in f.get("paper", {}).items()}
            print(f"| {f['model']} | {f['exact']:.6g}{beside.get('exact', '')} | {f['tree']:.4g}{beside.get('tree', '')} | "
                  f"{f['published']:.6g}{beside.get('sharing', '')} | {f['corrected']:.6g} |")


def print_pairs(device, models):
    """Tables 2 and 4: speed-up in % of each pair and TENSAT, mean and deviation over the seeds, published below."""
    approaches = approaches_of(models)
    print(f"\n{device}: speed-up in %, mean and deviation over the seeds (published in brackets)\n")
    print(f"| model | start, ms | {' | '.join(approaches)} |\n| --- | --- |{' --- |' * len(approaches)}")
    for model, of in models.items():
        cells = []
        for approach in approaches:
            runs = of.get(approach, [])
            gains = [r["speedup_percent"] for r in runs]
            p = runs[0].get("published") if runs else None
            cells.append("" if not runs else f"{mean(gains):.2f}" + (f" ± {spread(gains):.2f}" if spread(gains) >= 0.005 else "")
                         + (f" ({p['speedup_percent']:.2f})" if p else ""))
        print(f"| {model} | {next(iter(of.values()))[0]['start_cost']:.4g} | {' | '.join(cells)} |")


def quality(models, approach):
    """Rows: model, start, TENSAT, mean, deviation and worst of the approach, the larger e-graph's run (None without one),
    least of all costs and bounds, share of the gap between TENSAT and that which the mean closes."""
    for model, of in models.items():
        if "tensat" not in of or approach not in of:
            continue
        start, tensat = of["tensat"][0]["start_cost"], of["tensat"][0]["cost"]
        costs = [r["cost"] for r in of[approach]]
        # A bound holds for one e-graph: TENSAT's and the larger one are filled by other steps, and neither holds the other.
        # What any approach reached may lie below both.
        bounds = [of[a][0]["bound"] or 0 for a in ("tensat", "larger") if a in of]
        least = min(bounds + [r["cost"] for runs in of.values() for r in runs])
        closed = (tensat - mean(costs)) / (tensat - least) if tensat - least >= LEAST_GAP * tensat else None
        yield model, start, tensat, mean(costs), spread(costs), max(costs), of.get("larger", [None])[0], least, closed


def print_quality(device, models, approach):
    rows = list(quality(models, approach))
    if not rows:
        return
    print(f"\n{device}, {approach} against TENSAT's recipe at the same limit, ms\n")
    print("| model | start | TENSAT | mean | deviation | worst seed against TENSAT % | larger e-graph (e-nodes) | its bound | "
          "least cost or bound | gap closed |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for model, start, tensat, cost, deviation, worst, larger, least, closed in rows:
        more = f"{larger['cost']:.4g} ({larger['e_nodes']:,}) | {larger['bound'] or 0:.4g}" if larger else " | "
        print(f"| {model} | {start:.4g} | {tensat:.4g} | {cost:.4g} | {deviation if deviation > 1e-12 * cost else 0:.2g} | "
              f"{100 * (worst / tensat - 1):+.2f} | {more} | {least:.4g} | "
              f"{'no gap' if closed is None else f'{100 * closed:.0f} %'} |")


def print_times(device, models):
    approaches = sorted({a for of in models.values() for a in of if any("published" in r for r in of[a])})
    for approach in approaches:
        # Variants ("vit_large-4layers") are smaller programs than the published ones, and have no published times.
        rows = [(m, of[approach]) for m, of in models.items()
                if approach in of and "seconds" in of[approach][0].get("published", {})]
        if not rows:
            continue
        print(f"\n{device}, {approach}: CPU seconds, search and final extraction\n")
        print("| model | speed-up % | published | seconds | published | times faster | rollouts/s |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        ratios = []
        for model, runs in rows:
            p = runs[0]["published"]
            took = mean([seconds(r) for r in runs])
            gains = [r["speedup_percent"] for r in runs]
            rate = mean([r["rollouts"] / max(r["search_cpu_seconds"], 1e-9) for r in runs])
            print(f"| {model} | {mean(gains):.2f} ± {spread(gains):.2f} | {p['speedup_percent']:.2f} ± "
                  f"{p['speedup_deviation']:.2f} | {took:.3f} | {p['seconds']:.4g} | {p['seconds'] / took:.0f} | {rate:.0f} |")
            if p["seconds"] >= 10:
                ratios.append(p["seconds"] / took)
        if ratios:
            print(f"\nPublished times of 10 s or more: {math.exp(mean([math.log(r) for r in ratios])):.0f} times faster "
                  f"(geometric mean of {len(ratios)}), least {min(ratios):.0f}.")


def print_sweeps(swept, devices):
    for (device, model, approach), of in swept.items():
        print(f"\n{device}, {model}, {approach}: what a budget buys (CPU seconds of search and extraction)\n")
        print("| rollouts a step | seeds | cost, ms | speed-up % | seconds |\n| --- | --- | --- | --- | --- |")
        tensat = devices[device][model].get("tensat", [])
        for label, runs in [*of.items(), *([("TENSAT", tensat)] if tensat else [])]:
            gains = [r["speedup_percent"] for r in runs]
            print(f"| {label} | {len(runs)} | {mean([r['cost'] for r in runs]):.4g} | {mean(gains):.2f} ± {spread(gains):.2f} | "
                  f"{mean([seconds(r) for r in runs]):.3f} |")


def print_rules(device, models):
    used = defaultdict(set)
    for of in models.values():
        for approach, runs in of.items():
            used[approach] |= {int(rule) for rule in first_seed(runs)["rules"]}
    print(f"\n{device}: distinct rules used, first seed (paper: tensat 38, ilp/ilp 32, ours/ilp 33)\n")
    print("| approach | models | rules | of several outputs |\n| --- | --- | --- | --- |")
    for approach, rules in used.items():
        count = sum(approach in of for of in models.values())
        print(f"| {approach} | {count} | {len(rules)} | {sum(r >= 124 for r in rules)} |")


def tables(runs, firsts=()):
    devices = grouped(runs)
    print_first(firsts)
    for device, models in devices.items():
        print_pairs(device, models)
        for approach in approaches_of(models):
            if approach.split()[0] not in ("tensat", "larger"):
                print_quality(device, models, approach)
        print_times(device, models)
        print_rules(device, models)
    print_sweeps(sweeps(runs), devices)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="+", help="files of `isomer bench mcts --record`")
    parser.add_argument("--draw", type=Path, metavar="FOLDER", help="draw the figures there")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="what `--keep` wrote: its e-graphs are drawn too")
    parser.add_argument("--format", default="svg", help="of figures: svg, png, or both with a comma")
    arguments = parser.parse_args()
    runs = read(arguments.records)
    tables(runs, read(arguments.records, "first"))
    if arguments.draw:
        import mcts_drawings

        mcts_drawings.FORMATS[:] = arguments.format.split(",")
        mcts_drawings.figures(runs, arguments.draw, arguments.kept)


if __name__ == "__main__":
    main()
