"""python -m isomer.cluster hlo searches SET... --results FOLDER [-- flags of `isomer hlo search`]: searches over the decisions of passes
beside pick-first, at equal numbers of evaluations (HloEnv, table 2).

    python -m isomer.cluster hlo searches small --results found --passes algsimp --passes general-fusion --seeds 3
    python -m isomer.cluster hlo searches small --results found --evaluator xla --ray head:6379 -- --disable-pass fusion,layout-assignment

A task is a run of `isomer hlo search` on one module, by one evaluator, search and seed; SET (`isomer hlo dataset subgraphs` makes
them), FOLDER, and what becomes of a task that is lost are those of the other commands (`hlo --help`). In the end a table is printed
for all that is there of each passes and evaluator: for each search and number of evaluations the cost of the cheapest module that was
met by then over that of pick-first, the mean over modules (of the mean over seeds) with a 95 % bootstrap interval, and the least.
Every search is told of pick-first's module first, which is one of its evaluations, so that no ratio is above 1. Then what was
found, held to the modules by their meaning. `exhaustive` has no number of evaluations: it goes on until its end or its time limit.

HloEnv's ratios are to XLA's own pass, of run times on a graphics processor; ours are to pick-first, by the evaluator.
"""

import argparse
import collections
import itertools
import json
import random
import statistics

from .cluster import find_program, require_pyarrow
from .cluster_hlo import Tasks, add_paths, add_task_flags, do, require_apart, results_of, settle, sources, split
from .errors import UsageError

SEEDED = ("random", "mcts")
#: Flags that the tasks tell apart.
OWN = ("--passes", "--evaluator", "--search", "--seed", "--evaluations", "--steps", "--time-limit")
# HloEnv, table 2: mean and least run time over that of XLA's own pass, on a graphics processor.
PUBLISHED = """published, by pass and instructions, mean / least ratio to XLA: algsimp 10-20 pick-first 1.000 / 0.740, beam 0.981 / 0.383;
algsimp 20-40 pick-first 1.000 / 0.883, f-MCTS 0.995 / 0.570; general-fusion 10-20 pick-first 0.997 / 0.679, beam 0.986 / 0.430;
general-fusion 20-40 pick-first 0.989 / 0.738, f-MCTS 0.992 / 0.349"""


def grid(arguments):
    """(passes, evaluator, search, seed) of the tasks of a module."""
    for passes, evaluator, search in itertools.product(arguments.passes, arguments.evaluator, arguments.searches):
        for seed in range(arguments.seeds if search in SEEDED else 1):
            yield passes, evaluator, search, seed


def words(of, arguments):
    """The flags of such a task."""
    passes, evaluator, search, seed = of
    most = 0 if search == "exhaustive" else max(arguments.evaluations)
    return ["--passes", passes, "--evaluator", evaluator, "--search", search, "--seed", str(seed), "--time-limit", arguments.time_limit,
            *(["--evaluations", str(most), "--steps", str(20 * most)] if most else [])]


def after(result, evaluations):
    """Least cost over pick-first's when so many modules were evaluated."""
    met = [cost for number, cost in result["improvements"] if number <= evaluations]
    return min([result["cost_pick_first"], *met]) / result["cost_pick_first"]


def interval(values, draws=2000):
    """95 % of the means of as many values drawn from these."""
    rng = random.Random(0)
    means = sorted(statistics.fmean(rng.choices(values, k=len(values))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def row(name, ratios_by_module):
    means = [statistics.fmean(ratios) for _, ratios in sorted(ratios_by_module.items())]
    low, high = interval(means)
    return (f"| {name} | {statistics.fmean(means):.4f} | {low:.4f} to {high:.4f} | {min(min(r) for r in ratios_by_module.values()):.3f} | "
            f"{sum(mean < 0.9995 for mean in means)} of {len(means)} |")


def rows_of(search, found, budgets):
    """The lines of a search; `found`: (file, result)."""
    ended = sum(result["stop_reason"] == "saturated" and result["listed_all"] for _, result in found)
    named = [(f"{search}, {budget}", budget) for budget in budgets]
    for name, budget in [(f"exhaustive ({ended} came to their end)", float("inf"))] if search == "exhaustive" else named:
        ratios = {}
        for file, result in found:
            ratios.setdefault(file, []).append(after(result, budget))
        yield row(name, ratios)


def verified(results):
    """How many of the modules found are shown to be what they were made of."""
    held = collections.Counter(result["held"] for result in results)
    return (f"held to their modules: {held['same']} the same over the field, {held['floats']} on floats, {held['open']} open, "
            f"{held['differs']} differ")


def table(passes, evaluator, found, budgets):
    """The table of these passes and evaluator, as lines; `found`: by search, (file, result)."""
    starts = {file: result["cost_pick_first"] / result["cost_before"] for of in found.values() for file, result in of}
    yield f"{len(starts)} modules, {passes}, {evaluator}; pick-first costs {statistics.fmean(starts.values()):.3f} of the start"
    yield "| search, modules evaluated | mean | 95 % | least | modules below pick-first |\n| --- | --- | --- | --- | --- |"
    for search, of in found.items():
        yield from rows_of(search, of, budgets)
    yield verified([result for of in found.values() for _, result in of])


def tables(tasks, kinds, budgets):
    """All tables of what ended without an error."""
    found = {}
    for key, (file, number) in tasks.keys.items():
        for ended in tasks.results.rows([key]):
            if ended["status"] == 0:
                passes, evaluator, search, _ = kinds[number]
                found.setdefault((passes, evaluator), {}).setdefault(search, []).append((file, json.loads(ended["result"])))
    for (passes, evaluator), by_search in found.items():
        yield from table(passes, evaluator, by_search, budgets)
    if found:
        yield PUBLISHED


def parse(argv):
    """The arguments, and further flags of `isomer hlo search`."""
    own, flags = split(argv)
    if at := set(OWN) & {flag.split("=")[0] for flag in flags}:
        raise UsageError(f"{', '.join(sorted(at))}: expected before the --")
    parser = argparse.ArgumentParser(prog="python -m isomer.cluster hlo searches", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_paths(parser)
    parser.add_argument("--passes", action="append", metavar="P,...", help="whose proposals are decided (general-fusion); given again: others")
    parser.add_argument("--evaluator", action="append", metavar="E", help="xla or roofline:DEVICE (roofline:cpu); given again: others")
    parser.add_argument("--searches", default="random,beam,mcts,exhaustive", metavar="S,...")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help=f"of {' and '.join(SEEDED)}")
    parser.add_argument("--evaluations", default="10,30,100", metavar="N,...")
    parser.add_argument("--time-limit", default="30s", metavar="TIME", help="of a task")
    add_task_flags(parser)
    arguments = parser.parse_args(own)
    arguments.passes = arguments.passes or ["general-fusion"]
    arguments.evaluator = arguments.evaluator or ["roofline:cpu"]
    arguments.searches = arguments.searches.split(",")
    try:
        arguments.evaluations = sorted(int(n) for n in arguments.evaluations.split(","))
    except ValueError:
        arguments.evaluations = [0]
    if arguments.seeds < 1 or arguments.evaluations[0] < 1:
        raise UsageError("--seeds, --evaluations: expected numbers from 1 on")
    settle(arguments, "xla" in arguments.evaluator)
    return arguments, flags


def searches(argv):
    arguments, flags = parse(argv)
    require_pyarrow("hlo")
    require_apart([("--parquet", arguments.parquet)], arguments.paths)
    program = find_program(arguments.program)
    kinds = list(grid(arguments))
    commands = [[program, "-q", "hlo", "search", *words(of, arguments), *flags, "--json"] for of in kinds]
    with results_of(arguments) as results:
        failed = do(arguments, tasks := Tasks(sources(arguments.paths), commands, "", results, arguments.again))
    for line in tables(tasks, kinds, arguments.evaluations):
        print(line)
    return failed
