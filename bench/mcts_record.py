"""Records of `isomer bench mcts --record FILE`: reading them, and runs by device, model, approach and budget."""

import json
import re
import statistics
from collections import defaultdict
from pathlib import Path

USUAL_BUDGET = 128

SWEPT = re.compile(r"--budget (\d+) ?")

# What is only recorded of a run makes it no other run.
RECORDED = re.compile(r" ?--tree \d+")


def read(files, kind="run"):
    lines = [json.loads(line or "{}") for file in files for line in Path(file).read_text().splitlines()]
    chosen = [line for line in lines if line.get("record") == kind]
    if kind != "run":
        return chosen
    for r in chosen:
        r["settings"] = RECORDED.sub("", r.get("settings", "")).strip()
    # A run that was repeated because a file or the rules changed takes the place of the one before.
    last = {tuple(r.get(k) for k in ("model", "device", "approach", "seed", "settings")): r for r in chosen}
    return list(last.values())


def grouped(runs):
    """device -> model -> approach -> runs, in the order of the file. Runs of another than the usual budget belong to a
    sweep (`sweeps`), other settings make another approach."""
    out = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for r in runs:
        settings = r.get("settings", "")
        if SWEPT.search(settings):
            continue
        out[r["device"]][r["model"]][f"{r['approach']} {settings}".strip()].append(r)
    return out


def sweeps(runs):
    """(device, model, approach) -> budget -> runs; where there are several budgets."""
    out = defaultdict(lambda: defaultdict(list))
    for r in runs:
        settings = r.get("settings", "")
        swept = SWEPT.search(settings)
        if swept or r["rollouts"] > 0:
            approach = f"{r['approach']} {SWEPT.sub('', settings)}".strip()
            out[r["device"], r["model"], approach][int(swept[1]) if swept else USUAL_BUDGET].append(r)
    return {key: dict(sorted(of.items())) for key, of in out.items() if len(of) > 1}


def mean(values):
    return statistics.fmean(values)


def spread(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def seconds(run):
    return run["search_cpu_seconds"] + run["final_cpu_seconds"]


def first_seed(runs):
    return min(runs, key=lambda r: r["seed"])


def approaches_of(models):
    return list(dict.fromkeys(a for of in models.values() for a in of))
