#!/usr/bin/env python3
"""Searches over the decisions of HLO passes beside pick-first, at equal numbers of evaluations (HloEnv, table 2).

    python3 bench/hlo_searches.py PATH... --record FILE [--passes general-fusion] [--evaluator roofline:cpu] [--evaluations 10,30,100]
                                  [--searches random,beam,mcts,exhaustive] [--seeds 3] [--seconds 30] [--disable-pass a,b] [--count 20]

`isomer bench hlo` prints the paper's table 1, this program its table 2; `isomer hlo exemplars` draws the largest wins.

PATH: data sets (`isomer hlo dataset`), folders or files. Each module, search and seed is a run of `isomer hlo search`, a line of the
record; what is there already is not run again, but for what failed. For each search and number of evaluations: the cost of the cheapest module that was met
by then over that of pick-first, the mean over modules (of the mean over seeds) with a 95 % bootstrap interval, and the least. Every
search is told of pick-first's module first, which is one of its evaluations, so that no ratio is above 1. Last: what was found, held to
the modules by their meaning.
"""

import argparse
import collections
import json
import os
import random
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("ISOMER_PROGRAM", ROOT / "build/release/isomer")
SEEDED = ("random", "mcts")
# HloEnv, table 2: mean and least run time over that of XLA's own pass, on a graphics processor.
PUBLISHED = """published, by pass and instructions, mean / least ratio to XLA: algsimp 10-20 pick-first 1.000 / 0.740, beam 0.981 / 0.383;
algsimp 20-40 pick-first 1.000 / 0.883, f-MCTS 0.995 / 0.570; general-fusion 10-20 pick-first 0.997 / 0.679, beam 0.986 / 0.430;
general-fusion 20-40 pick-first 0.989 / 0.738, f-MCTS 0.992 / 0.349"""


def texts(paths):
    for path in paths:
        yield from sorted(p for p in path.rglob("*") if p.suffix in (".txt", ".hlo")) if path.is_dir() else [path]


def key(line):
    return tuple(line[k] for k in ("module", "passes", "evaluator", "disabled", "search", "seed", "most", "seconds_limit"))


def known(record):
    if not record.exists():
        return {}
    lines = [json.loads(line) for line in record.read_text().splitlines() if line.endswith("}")]
    return {key(line): line for line in lines if "error" not in line}


def run(path, task):
    command = [PROGRAM, "-q", "hlo", "search", path, "--json", "--passes", task["passes"], "--evaluator", task["evaluator"], "--search",
               task["search"], "--seed", str(task["seed"]), "--time-limit", f"{task['seconds_limit']}s", "--steps", str(20 * task["most"] or 1000)]
    if task["most"]:
        command += ["--evaluations", str(task["most"])]
    if task["disabled"]:
        command += ["--disable-pass", task["disabled"]]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return {**task, "error": done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else f"status {done.returncode}"}
    found = json.loads(done.stdout)
    kept = ("cost_before", "cost_pick_first", "cost_after", "evaluated", "improvements", "listed_all", "stop_reason", "seconds", "verification", "held")
    return {**task, **{k: found[k] for k in kept}}


def after(line, evaluations):
    """Least cost over pick-first's when so many modules were evaluated."""
    met = [cost for number, cost in line["improvements"] if number <= evaluations]
    return min([line["cost_pick_first"], *met]) / line["cost_pick_first"]


def interval(values, draws=2000):
    rng = random.Random(0)
    means = sorted(statistics.fmean(rng.choices(values, k=len(values))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def row(name, ratios_by_module):
    means = [statistics.fmean(ratios) for ratios in ratios_by_module.values()]
    low, high = interval(means)
    return (f"| {name} | {statistics.fmean(means):.4f} | {low:.4f} to {high:.4f} | {min(min(r) for r in ratios_by_module.values()):.3f} | "
            f"{sum(mean < 0.9995 for mean in means)} of {len(means)} |")


def table(lines, budgets):
    print("| search, modules evaluated | mean | 95 % | least | modules below pick-first |\n| --- | --- | --- | --- | --- |")
    for search in dict.fromkeys(line["search"] for line in lines):
        own = [line for line in lines if line["search"] == search]
        for budget in budgets if search != "exhaustive" else [10**18]:
            ratios = {}
            for line in own:
                ratios.setdefault(line["module"], []).append(after(line, budget))
            ended = sum(line["stop_reason"] == "saturated" and line["listed_all"] for line in own)
            print(row(f"exhaustive ({ended} came to their end)" if search == "exhaustive" else f"{search}, {budget}", ratios))


def verified(lines):
    """How many of the modules found are shown to be what they were made of."""
    held = collections.Counter(line.get("held") for line in lines)
    return (f"held to their modules: {held['same']} the same over the field, {held['floats']} on floats, {held['open']} open, "
            f"{held['differs']} differ, {held[None]} not said")  # by older records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "tests/hlo/corpus/jax"])
    parser.add_argument("--record", type=Path, required=True, help="JSON lines")
    parser.add_argument("--passes", default="general-fusion")
    parser.add_argument("--evaluator", default="roofline:cpu")
    parser.add_argument("--evaluations", default="10,30,100")
    parser.add_argument("--searches", default="random,beam,mcts,exhaustive")
    parser.add_argument("--disable-pass", default="")
    parser.add_argument("--seconds", default=30, type=float, help="of a run")
    parser.add_argument("--seeds", default=3, type=int)
    parser.add_argument("--count", default=20, type=int, help="modules")
    args = parser.parse_args()
    budgets = [int(b) for b in args.evaluations.split(",")]
    have, lines = known(args.record), []
    for path in list(texts(args.paths))[:args.count]:
        for search in args.searches.split(","):
            for seed in range(args.seeds if search in SEEDED else 1):
                task = {"module": path.stem, "passes": args.passes, "evaluator": args.evaluator, "disabled": args.disable_pass,
                        "search": search, "seed": seed, "most": 0 if search == "exhaustive" else max(budgets), "seconds_limit": args.seconds}
                line = have.get(key(task))
                if line is None:
                    line = run(path, task)
                    with open(args.record, "a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")
                lines.append(line)
    failed = [line for line in lines if "error" in line]
    lines = [line for line in lines if "error" not in line]
    for line in failed:
        print(f"{line['module']} {line['search']}: {line['error']}")
    if lines:
        starts = {line["module"]: line["cost_pick_first"] / line["cost_before"] for line in lines}
        print(f"{len(starts)} modules, {args.passes}, {args.evaluator}; pick-first costs {statistics.fmean(starts.values()):.3f} of the start")
        table(lines, budgets)
        print(verified(lines))
        print(PUBLISHED)


if __name__ == "__main__":
    main()
