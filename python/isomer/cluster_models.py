"""python -m isomer.cluster bench models MODELS... [flags of `isomer bench models`] --record FILE: a task for each cell of the table.

    python -m isomer.cluster bench models zoo --search saturation,mcts --record zoo.jsonl                       # this machine
    python -m isomer.cluster bench models zoo --cost onnxruntime,roofline:cpu --record zoo.jsonl --ray head:6379 --cores 16

A cell is a model by a search, a cost and a target. What it came to goes to the record as soon as it has ended, failures too (--again
runs these again); the same line goes on with a run that was killed. In the end `isomer bench models` prints the table and writes
the page (-o, else the record's name with .html) of what the record holds.

Cells time models: on one machine one at a time (--jobs 1), on a cluster --cores gives a task so many cores, all of a node for one
task a node. Each node needs the program and the files of the models, by the same paths.
"""

import argparse
import subprocess

from .cluster import add_record_flags, find_program, plan, require_pyarrow, run, say_unless, way_of, write_parquet
from .errors import UsageError

KEY = ("model", "search", "cost", "target", "settings", "inputs", "version")
PRINTS = {"--json", "--plan", "--no-run"}


def parse(argv):
    """The arguments, and the words that go to `isomer bench models`."""
    parser = argparse.ArgumentParser(prog="python -m isomer.cluster bench models", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_record_flags(parser)
    parser.add_argument("-o", "--output", metavar="PAGE", help="the page, HTML")
    parser.add_argument("--cores", type=int, default=1, metavar="N", help="cores that a Ray task takes")
    parser.set_defaults(jobs=1)
    arguments, words = parser.parse_known_args(argv)
    if named := PRINTS.intersection(words):
        raise UsageError(f"{', '.join(sorted(named))}: isomer bench models has these")
    if arguments.cores < 1:
        raise UsageError("--cores: expected a number from 1 on")
    return arguments, ["bench", "models", *words]


def models(argv):
    """Returns what failed."""
    arguments, words = parse(argv)
    results = way_of(arguments, cores=arguments.cores)
    if arguments.parquet:
        require_pyarrow("--parquet")
    say = say_unless(arguments.quiet)
    program = find_program(arguments.program)
    tasks = plan(program, words, arguments.record)
    say(f"{len(tasks)} tasks")
    failed = run(tasks, program, arguments.record, results, say, KEY)
    if arguments.parquet:
        write_parquet(arguments.record, arguments.parquet)
    page = ["--output", arguments.output] if arguments.output else []
    done = subprocess.run([program, "-q", *words, "--record", arguments.record, "--no-run", *page])
    named = [(" ".join(task["words"]), why) for task, why in failed]
    if done.returncode and not named:  # of what failed before
        named.append(("bench models", f"exit status {done.returncode}"))
    return named
