"""Figures of what `isomer bench mcts` recorded and kept, by matplotlib; bench/mcts_figures.py --draw."""

import json
import math
from collections import defaultdict

from mcts_record import approaches_of, first_seed, grouped, mean, seconds, spread, sweeps

FORMATS = ["svg"]

LOWEST_SHOWN = -30  # speed-up, %


def save(figure, folder, name):
    for ending in FORMATS:
        figure.savefig(folder / f"{name}.{ending}", bbox_inches="tight", dpi=150)
        print(folder / f"{name}.{ending}")


def draw_sweeps(plt, swept, devices, folder):
    if not swept:
        return
    figure, axes = plt.subplots(1, len(swept), squeeze=False, figsize=(4.5 * len(swept), 3.5), layout="constrained")
    for at, ((device, model, approach), of) in zip(axes[0], swept.items()):
        x = [mean([seconds(r) for r in runs]) for runs in of.values()]
        gains = [[r["speedup_percent"] for r in runs] for runs in of.values()]
        at.errorbar(x, [mean(g) for g in gains], [spread(g) for g in gains], fmt="o-", markersize=4, label=approach)
        for i, budget in enumerate(of):
            at.annotate(str(budget), (x[i], mean(gains[i])), (2, 4), textcoords="offset points", fontsize=7)
        for run in devices[device][model].get("tensat", [])[:1]:
            at.plot([seconds(run)], [run["speedup_percent"]], "kx", label="TENSAT")
        at.set_xscale("log")
        at.set_xlabel("CPU seconds")
        at.set_ylabel("speed-up, %")
        at.set_title(f"{model}, {device}", fontsize=9)
        at.legend(fontsize=7)
    save(figure, folder, "budget")
    plt.close(figure)


def draw_rules(plt, device, models, folder):
    """Models by rules; the shade is the logarithm of how often: in how many steps of a search, to how many matches by
    saturation, whose steps apply all rules."""
    approaches = approaches_of(models)
    rules = sorted({int(rule) for of in models.values() for runs in of.values() for rule in first_seed(runs)["rules"]})
    if not rules:
        return
    names = list(models)
    figure, axes = plt.subplots(len(approaches), 1, squeeze=False,
                                figsize=(2 + 0.2 * len(rules), 1 + len(approaches) * (0.8 + 0.22 * len(names))),
                                layout="constrained")
    for at, approach in zip(axes[:, 0], approaches):
        cells = [[math.log10(1 + first_seed(models[m][approach])["rules"].get(str(r), 0)) if approach in models[m]
                  else math.nan for r in rules] for m in names]
        used = sum(any(row[i] > 0 for row in cells) for i in range(len(rules)))
        image = at.imshow(cells, aspect="auto", cmap="Blues", vmin=0)
        at.set_title(f"{approach}: {used} rules")
        at.set_xticks(range(len(rules)), rules, rotation=90, fontsize=7)
        at.set_yticks(range(len(names)), names, fontsize=8)
        counted = "matches" if approach.split()[0] in ("tensat", "larger") else "steps"
        figure.colorbar(image, ax=at, label=f"log10(1 + {counted})")
    figure.suptitle(f"{device}: how often each rule was applied (by TENSAT's recipe: to how many matches)", fontsize=10)
    save(figure, folder, f"rules_{device}")
    plt.close(figure)


def draw_curves(plt, device, models, folder):
    """The cost by the search's own extraction after each step, against what the e-graph and the search had come to."""
    columns = [("e_nodes", "e-nodes, as TENSAT counts")]
    if any("cpu_seconds" in s for of in models.values() for runs in of.values() for r in runs for s in r["steps"]):
        columns.append(("cpu_seconds", "CPU seconds"))
    names = [m for m, of in models.items() if any(first_seed(runs)["steps"] for runs in of.values())]
    if not names:
        return
    figure, axes = plt.subplots(len(names), len(columns), squeeze=False, layout="constrained",
                                figsize=(5 * len(columns), 2.6 * len(names)))
    for row, model in zip(axes, names):
        for at, (key, label) in zip(row, columns):
            for i, (approach, runs) in enumerate(models[model].items()):
                run = first_seed(runs)
                steps = [s for s in run["steps"] if key in s]
                colour = f"C{i % 10}"
                begins = [n for n, s in enumerate(steps) if n == 0 or s["e_nodes"] < steps[n - 1]["e_nodes"]]
                for first, end in zip(begins, [*begins[1:], len(steps)]):  # a search from what the one before found
                    part = steps[first:end]
                    before = steps[first - 1]["cost"] if first else run["start_cost"]
                    at.step([s[key] for s in [part[0], *part]], [before, *(s["cost"] for s in part)], where="post", color=colour,
                            linestyle="--" if first else "-", label=None if first else approach)
                x = run["e_nodes"] if key == "e_nodes" else seconds(run)
                at.plot([x], [run["cost"]], "o" if steps else "x", color=colour, label=None if steps else approach)
            at.axhline(next(iter(models[model].values()))[0]["start_cost"], color="grey", linewidth=0.7, linestyle=":")
            at.set_title(model, fontsize=9)
            at.set_xlabel(label)
            at.set_ylabel("cost, ms")
            if key == "cpu_seconds":
                at.set_xscale("log")
    figure.legend(*axes[0][0].get_legend_handles_labels(), fontsize=7, ncol=5, loc="outside upper center",
                  title=f"{device}: cost after each step, by the search's own extraction (dashed: a further search, from the program "
                  "found); dots and crosses: the program extracted", title_fontsize=8)
    save(figure, folder, f"cost_{device}")
    plt.close(figure)


def draw_tree(plt, run, folder):
    """The tree before the first step: area by visits, shade by worth; hollow where a rule led to nothing new."""
    tree = run["tree"]
    children = defaultdict(list)
    for number, node in enumerate(tree[1:], 1):
        children[node["parent"]].append(number)
    place, depth, width = {}, {0: 0}, 0
    for number, node in enumerate(tree[1:], 1):
        depth[number] = depth[node["parent"]] + 1
    todo = [(0, False)]
    while todo:  # leaves from left to right, parents over the middle of their children
        number, below_done = todo.pop()
        below = children[number]
        if below and not below_done:
            todo += [(number, True), *((c, False) for c in reversed(below))]
            continue
        place[number] = (place[below[0]] + place[below[-1]]) / 2 if below else width
        width += not below
    figure, at = plt.subplots(figsize=(max(5, 0.16 * width), 1.5 + 1.1 * max(depth.values())), layout="constrained")
    for number, node in enumerate(tree[1:], 1):
        parent = node["parent"]
        at.plot([place[parent], place[number]], [-depth[parent], -depth[number]], color="grey", linewidth=0.4, zorder=1)
        at.annotate(str(node["rule"]), (place[number], -depth[number]), (0, -8), textcoords="offset points", fontsize=5,
                    ha="center", va="top")
    for hollow in (False, True):
        some = [n for n in range(len(tree)) if tree[n]["saturated"] == hollow]
        area = [8 + 150 * tree[n]["visits"] / max(tree[0]["visits"], 1) for n in some]
        xy = ([place[n] for n in some], [-depth[n] for n in some])
        if hollow:
            at.scatter(*xy, area, facecolors="white", edgecolors="grey", linewidths=0.6, zorder=2)
        elif some:
            shades = at.scatter(*xy, area, [tree[n]["worth"] for n in some], cmap="viridis", zorder=2)
            figure.colorbar(shades, ax=at, label="worth (mean or best reward, ms)")
    at.set_title(f"{run['model']}, {run['approach']}: rules of the first step's search tree ({len(tree)} nodes)", fontsize=9)
    at.set_axis_off()
    save(figure, folder, f"tree_{run['device']}_{run['model']}_{run['approach'].replace('/', '_')}")
    plt.close(figure)


def draw_egraph(plt, egraph, title, folder, name):
    """As the program laid it out (src/report/egraph_layout.h), in cells of one e-node; y grows downwards."""
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.patches import Rectangle

    boxes, nodes, operators = egraph["boxes"], egraph["nodes"], egraph["operators"]
    members = defaultdict(list)
    for node in nodes:
        members[node[0]].append(node)
    left, right = min(b[0] for b in boxes), max(b[0] + b[2] for b in boxes)
    bottom = max(b[1] + b[3] for b in boxes)
    figure, at = plt.subplots(figsize=(min(40, max(6, 0.11 * (right - left))), min(40, max(3, 0.11 * bottom))), layout="constrained")
    counts = defaultdict(int)
    for node in nodes:
        counts[node[1]] += 1
    colours = {op: f"C{i}" if i < 10 else "#8b95a3" for i, op in enumerate(sorted(counts, key=counts.get, reverse=True))}
    lines, cells, picked = [], [], []
    for c, inside in members.items():
        x, y, columns, _ = boxes[c]
        for i, (_, op, taken, *children) in enumerate(inside):
            corner = (x + i % columns + 0.1, y + i // columns + 0.1)
            cells.append(Rectangle(corner, 0.8, 0.8, facecolor=colours[op], alpha=1 if taken else 0.45,
                                   edgecolor="black" if taken else "none", linewidth=0.8))
            for child in children:
                to = boxes[child]
                (picked if taken else lines).append(((corner[0] + 0.4, corner[1] + 0.4), (to[0] + to[2] / 2, to[1])))
    at.add_collection(LineCollection(lines, colors="grey", linewidths=0.2, alpha=0.4))
    at.add_collection(PatchCollection([Rectangle((b[0] - 0.1, b[1] - 0.1), b[2] + 0.2, b[3] + 0.2) for b in boxes],
                                      facecolor="white", edgecolor="grey", linewidth=0.4))
    at.add_collection(LineCollection(picked, colors="black", linewidths=0.6, alpha=0.8))
    at.add_collection(PatchCollection(cells, match_original=True))
    at.set_xlim(left - 1, right + 1)
    at.set_ylim(bottom + 1, -1)
    at.set_aspect("equal")
    at.set_axis_off()
    names = {colours[op]: operators[op] for op in sorted(counts, key=counts.get) if not colours[op].startswith("#")}
    at.legend([Rectangle((0, 0), 1, 1, color=c) for c in reversed(names)], list(reversed(names.values())), fontsize=6,
              ncol=5, loc="upper center", bbox_to_anchor=(0.5, 0), frameon=False)
    at.set_title(f"{title}: {len(nodes)} e-nodes, {len(boxes)} classes"
                 + (f", {egraph['left_out']} nodes left out" if egraph["left_out"] else ""), fontsize=9)
    save(figure, folder, name)
    plt.close(figure)


def draw_kept(plt, kept, folder):
    for file in sorted(kept.glob("*.search.json")):
        search, stem = json.loads(file.read_text()), file.name.removesuffix(".search.json")
        for which in ("first", "last"):
            if search[which]["boxes"]:
                draw_egraph(plt, search[which], f"{stem}, {which} e-graph", folder, f"egraph_{stem}_{which}")


def draw_speedups(plt, device, models, folder):
    approaches, names = approaches_of(models), list(models)
    width = 0.8 / len(approaches)
    figure, at = plt.subplots(figsize=(2 + 1.2 * len(names), 4), layout="constrained")
    for i, approach in enumerate(approaches):
        there = [(n + (i - (len(approaches) - 1) / 2) * width, models[m][approach]) for n, m in enumerate(names)
                 if approach in models[m]]
        gains = [[r["speedup_percent"] for r in runs] for _, runs in there]
        at.bar([x for x, _ in there], [mean(g) for g in gains], width, yerr=[spread(g) for g in gains], color=f"C{i % 10}",
               label=approach)
        known = [(x, runs[0]["published"]) for x, runs in there if "published" in runs[0]]
        at.errorbar([x for x, _ in known], [p["speedup_percent"] for _, p in known],
                    [p["speedup_deviation"] for _, p in known], fmt="o", mfc="none", color="black", markersize=4, linewidth=0.7,
                    label="published" if i == 0 else None)
        for x, p in known:  # one outlier would flatten all others
            if p["speedup_percent"] < LOWEST_SHOWN:
                at.annotate(f"published {p['speedup_percent']:.0f} %", (x, LOWEST_SHOWN), (4, 4), textcoords="offset points",
                            fontsize=7)
    at.axhline(0, color="black", linewidth=0.5)
    at.set_ylim(bottom=max(at.get_ylim()[0], LOWEST_SHOWN))
    at.set_xticks(range(len(names)), names)
    at.set_ylabel("speed-up, % (analytic; published: measured)")
    at.set_title(device, fontsize=10)
    at.legend(fontsize=8, ncol=8, loc="upper center", bbox_to_anchor=(0.5, -0.08), frameon=False)
    save(figure, folder, f"speedup_{device}")
    plt.close(figure)


def draw_pairs(plt, device, models, folder):
    """Mean speed-up and mean seconds of each pair of extractions over the models that all pairs were run on; times only of
    models as published, not of variants."""
    approaches = [a for a in approaches_of(models) if any("published" in of[a][0] for of in models.values() if a in of)]
    common = [of for of in models.values() if all(a in of and "published" in of[a][0] for a in approaches)]
    if not common:
        return
    timed = [of for of in common if all("seconds" in of[a][0]["published"] for a in approaches)]
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    panels = [(axes[0], common, lambda r: r["speedup_percent"], "speedup_percent", "speed-up, %"),
              (axes[1], timed, seconds, "seconds", "search and extraction, seconds")]
    for at, over, value, key, label in panels:
        if not over:
            continue
        ours = [mean([mean([value(r) for r in of[a]]) for of in over]) for a in approaches]
        theirs = [mean([of[a][0]["published"][key] for of in over]) for a in approaches]
        places = range(len(approaches))
        at.bar([p - 0.2 for p in places], ours, 0.4, label=f"here, {len(over)} models")
        at.bar([p + 0.2 for p in places], theirs, 0.4, fill=False, label="published, the same models")
        at.set_xticks(places, approaches, rotation=20)
        at.set_ylabel(label)
        at.legend(fontsize=8, ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False)
    axes[1].set_yscale("log")
    figure.suptitle(f"{device}: mean over models (published speed-ups are of measured kernels)", fontsize=10)
    save(figure, folder, f"pairs_{device}")
    plt.close(figure)


def figures(runs, folder, kept=None):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    devices = grouped(runs)
    for device, models in devices.items():
        for draw in (draw_rules, draw_curves, draw_pairs, draw_speedups):
            draw(plt, device, models, folder)
        for of in models.values():
            for some in of.values():
                if first_seed(some).get("tree"):
                    draw_tree(plt, first_seed(some), folder)
    draw_sweeps(plt, sweeps(runs), devices, folder)
    if kept:
        draw_kept(plt, kept, folder)
