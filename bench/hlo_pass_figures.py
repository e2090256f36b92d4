#!/usr/bin/env python3
"""Figures of what passes do, beside HloEnv's: how far timings of equal modules lie apart (its figure 5), and a module that runs faster
without a pass (its figure 6: without HloConstantFolding 0.51 of XLA's time).

    isomer hlo noise M.hlo... --json > noise.json
    python3 bench/hlo_pass_figures.py noise noise.json -o FILE.png

    isomer bench hlo SET --record record.jsonl
    python3 bench/hlo_pass_figures.py removed record.jsonl -o FILE.png [--pass HloConstantFolding]

`removed` takes the module of the record whose XLA's program costs least without the pass, as a share of its cost with it (by the roofline
of the record), and draws what XLA makes of it both ways: dots are the entry's instructions, by how many stand before them and how
they are connected; in colour those whose opcode and type one side has more often. Both are timed beside each other. Needs matplotlib, jax and the package isomer.
"""

import argparse
import collections
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: HloEnv, appendix D.3 and figure 6.
PUBLISHED_BOUNDS, PUBLISHED_RATIO = (0.94, 1.06), 0.51
#: Names of table 1, and those that XLA's disable list has.
XLA_NAMES = {"HloConstantFolding": "constant_folding", "AlgebraicSimplifier": "algsimp", "WhileLoopSimplifier": "simplify-while-loops",
             "TransposeFolding": "transpose-folding", "TupleSimplifier": "tuple-simplifier", "Fusion Pipeline": "fusion"}


def draw_noise(plt, found):
    figure, axis = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for module in found["modules"]:
        ratios = sorted(module["all_ratios"])
        axis.plot(ratios, [(i + 1) / len(ratios) for i in range(len(ratios))], linewidth=1,
                  label=f"{Path(module['file']).stem[:32]}, {module['runtime_us']:.0f} us")
    together = found["together"]
    for bound in together["bounds_99_9"]:
        axis.axvline(bound, color="C0", linewidth=1.5)
    for bound in PUBLISHED_BOUNDS:
        axis.axvline(bound, color="0.4", linestyle=":", linewidth=1.5)
    low, high = together["bounds_99_9"]
    within = "99.9 % within" if together["bounds_observed"] else "all within"
    axis.set_xlim(min(0.85, low - 0.02), max(1.15, high + 0.02))
    axis.set_title(f"{together['ratios']} ratios, {within} {low:.3f} to {high:.3f} (blue); HloEnv {PUBLISHED_BOUNDS[0]} to {PUBLISHED_BOUNDS[1]} (dotted)",
                   fontsize=9)
    axis.set_xlabel("ratio of two times of one module")
    axis.set_ylabel("share of ratios at most so large")
    axis.legend(fontsize=6, loc="lower right")
    return figure


def least(record, name):
    """(ratio, file) of the module that costs least without the pass."""
    found = []
    for line in record.read_text().splitlines():
        entry = json.loads(line)
        without = entry["without"].get(name, {})
        if entry["side"] == "xla" and without.get("hash") not in (None, entry["whole"].get("hash")) and entry["whole"]["seconds"] > 0:
            found.append((without["seconds"] / entry["whole"]["seconds"], entry["file"]))
    if not found:
        raise SystemExit(f"{record}: no module that XLA's {name} changes")
    return min(found)


def entry_graph(text):
    """Of the entry computation: (label, number of instructions before it on the longest way, operands), in order."""
    import isomer
    from isomer.hlo import ELEMENT_TYPES, OPCODES

    graph = isomer.HloEnv(text).dry_run([])
    entry = graph.computations.max()  # callees stand before callers
    nodes = [i for i, home in enumerate(graph.computations) if home == entry]
    place = {node: i for i, node in enumerate(nodes)}
    operands = [[] for _ in nodes]
    for operand, user in graph.edges:
        if operand in place and user in place:
            operands[place[user]].append(place[operand])
    depth = []
    for of in operands:
        depth.append(1 + max((depth[o] for o in of), default=-1))
    labels = [(OPCODES[graph.opcodes[n]], ELEMENT_TYPES[graph.element_types[n]], int(graph.sizes[n])) for n in nodes]
    return labels, depth, operands


def draw_graph(axis, graph, other, title):
    labels, depth, operands = graph
    rest = collections.Counter(other[0])
    rows = collections.Counter()
    place = []
    for d in depth:
        place.append((rows[d], -d))
        rows[d] += 1
    place = [(x - rows[d] / 2, y) for (x, y), d in zip(place, depth, strict=True)]
    for i, of in enumerate(operands):
        for o in of:
            axis.plot((place[o][0], place[i][0]), (place[o][1], place[i][1]), color="0.8", linewidth=0.5, zorder=1)
    colours = []
    for label in labels:
        rest[label] -= 1
        colours.append("C1" if rest[label] < 0 else "0.35")
    axis.scatter(*zip(*place, strict=True), s=14, c=colours, zorder=2)
    axis.set_title(title, fontsize=9)
    axis.axis("off")


def timed(texts, seconds):
    """Microseconds of a call of each: the least of rounds that go over all programs in turn."""
    import time

    sys.path.insert(0, str(ROOT / "workers"))
    from xla_worker import Xla, call, wait

    xla = Xla(1, 0)
    programs = [xla.compile(text, disabled)[0] for text, disabled in texts]
    optimised = [p.hlo_modules()[0].to_string(xla.hlo.HloPrintOptions.short_parsable()) for p in programs]
    shapes = xla.compile(*texts[0])[1]
    host = xla.inputs(shapes, 0)
    arguments = [xla.jax.device_put(one, xla.device) for one in host]
    best, end = [float("inf")] * len(programs), time.monotonic() + seconds
    while time.monotonic() < end:
        for i, program in enumerate(programs):
            begin = time.perf_counter()
            wait(call(program, arguments))
            best[i] = min(best[i], time.perf_counter() - begin)
    return optimised, [1e6 * one for one in best]


def draw_removed(plt, record, name):
    ratio, file = least(record, name)
    text = Path(file).read_text()
    (without, with_it), us = timed([(text, [XLA_NAMES[name]]), (text, [])], 5)
    graphs = entry_graph(without), entry_graph(with_it)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    draw_graph(axes[0], graphs[0], graphs[1], f"XLA's program without {name}: {len(graphs[0][0])} instructions, {us[0]:.1f} us")
    draw_graph(axes[1], graphs[1], graphs[0], f"with it: {len(graphs[1][0])} instructions, {us[1]:.1f} us")
    published = f"; HloEnv's largest: {PUBLISHED_RATIO}" if name == "HloConstantFolding" else ""
    figure.suptitle(f"{Path(file).stem[:70]}: without / with {us[0] / us[1]:.2f} of the time, {ratio:.2f} by the roofline{published}", fontsize=9)
    print(json.dumps({"file": file, "by_roofline": ratio, "us_without": us[0], "us_with": us[1]}))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=("noise", "removed"))
    parser.add_argument("source", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--pass", dest="name", default="HloConstantFolding", choices=XLA_NAMES)
    arguments = parser.parse_args()
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    if arguments.figure == "noise":
        figure = draw_noise(plt, json.loads(arguments.source.read_text()))
    else:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        figure = draw_removed(plt, arguments.source, arguments.name)
    figure.savefig(arguments.output, dpi=80)


if __name__ == "__main__":
    main()
