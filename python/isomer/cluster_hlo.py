"""python -m isomer.cluster hlo COMMAND SET... --results FOLDER [-- flags of `isomer hlo COMMAND`]: a task for each module.
(COMMAND `collect`: a task for each command, cluster_hlo_collect.py.)

    python -m isomer.cluster hlo search modules --results found --jobs 8 -- --passes algsimp --evaluator roofline:cpu --time-limit 10
    python -m isomer.cluster hlo search modules --results found --ray head:6379 --keep-modules -- --evaluator roofline:cpu
    python -m isomer.cluster hlo bench modules --results ends --record ends.jsonl                 # isomer bench hlo, a task a module
    python -m isomer.cluster hlo bench small --results found --record found.jsonl -- --table 2    # searches over decisions

SET: data sets (`isomer hlo collect`), folders or files. A task has the text of its module with it, so that nodes of a cluster
need the program and no files; so many tasks as keep the cores busy are under way, whatever the size of the set.

FOLDER holds the results as Parquet, a file a task, named by what the task depends on: the module's text, the command, its
flags, and the version of the program and of its passes. A file appears whole or not at all, so that any number of runs may
write to one folder, a killed one loses what was under way (the next run removes what it left), and nothing is counted
twice. `pyarrow.parquet.read_table(FOLDER)` reads them as one table: file, package, version,
licence, command, status, error, result (what `--json` printed), module (with --keep-modules: what the command wrote; of
`bench`: the JSON lines of the task's record).

A task whose worker is lost, or whose program is ended by a signal, is run again (--retries); one that ends with an error has
that as its result, and is not run again without --again. A task of `bench` that ended by its --time-limit, or where XLA was not
there or had another version than on this machine, is not done: it is named at the end, and the next run tries it again (so does
--again with modules at which XLA's process was lost). The file of --record grows; the table is printed of what it has.
"""

import argparse
import collections
import contextlib
import hashlib
import json
import os
import platform

from .cluster import LOST, add_flags, find_program, own_folder, printed, require_pyarrow, say_unless, way_of, write_table
from .cluster_hlo_bench import Bench
from .errors import InputError, Interrupted, UsageError

#: Commands of one module that print JSON. The first ones time modules: one at a time on a machine, or the tasks disturb each other.
TIMED = ("optimize", "run")
COMMANDS = (*TIMED, "bench", "check", "graph", "hash", "passes", "search", "stats")
WRITE = ("optimize", "passes", "search")  #: have -o
ENDINGS = (".hlo", ".txt", ".mlir", ".mlirbc")
ORIGIN = ("package", "version", "licence")


def sources(paths):
    """(file, origin) of each module, as `isomer hlo` finds them."""
    for path in paths:
        manifest = os.path.join(path, "manifest.jsonl")
        if os.path.isfile(manifest):
            with open(manifest, encoding="utf-8") as lines:
                for line in lines:
                    if line.endswith("}\n"):
                        entry = json.loads(line)
                        yield os.path.join(path, entry["file"]), {k: entry.get(k, "") for k in ORIGIN}
        elif os.path.isdir(path):
            found = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
            for file in sorted(f for f in found if f.endswith((".hlo", ".txt"))):
                yield file, dict.fromkeys(ORIGIN, "")
        elif os.path.isfile(path):
            yield path, dict.fromkeys(ORIGIN, "")
        else:
            raise InputError(f"{path}: there is no such file or folder")


def read(file):
    try:
        with open(file, "rb") as text:
            return text.read()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error


def version(program):
    """Of the program and of its passes, as it prints them: results of another one are other results."""
    return printed(program, "-q", "hlo", "version").strip()


class Results:
    """A folder of Parquet files, one a task. `new`: a folder in it, where they are written before they appear."""

    COLUMNS = ("key", "file", *ORIGIN, "command", "status", "error", "result", "module")

    def __init__(self, folder, new):
        self.folder, self.new = folder, new

    def path(self, key):
        return os.path.join(self.folder, f"{key}.parquet")

    def has(self, key):
        return os.path.exists(self.path(key))

    def row(self, key, columns=None):
        import pyarrow.parquet

        return pyarrow.parquet.read_table(self.path(key), columns=columns).to_pylist()[0]

    def add(self, row):
        import pyarrow
        import pyarrow.parquet

        types = {"status": pyarrow.int32(), "module": pyarrow.binary()}
        schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in self.COLUMNS])
        written = os.path.join(self.new, row["key"])
        with open(written, "wb") as file:
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row], schema), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, self.path(row["key"]))

    def rows(self, keys):
        """What is there of these."""
        return (self.row(key) for key in keys if self.has(key))

    def flat(self, keys):
        """The same without modules, `result` taken apart."""
        for row in self.rows(keys):
            row.pop("module")
            yield {**row, **json.loads(row.pop("result") or "{}")}


class Tasks:
    """The jobs of `perform`, each command on each module, made when they are asked for; one that is to be run again comes first.
    A module's text is in memory while a task of it is under way, or waits to be run again. `bench`: of that command what it has
    beside others."""

    def __init__(self, modules, commands, output, results, again, bench=None):
        self.modules, self.output = modules, output
        self.results, self.again, self.bench = results, again, bench
        self.commands = list(zip(commands, self.about(commands), strict=True))
        self.fresh = self.those_to_do()
        self.lost = collections.deque()
        self.under_way, self.numbers, self.done_before = {}, 0, 0
        self.keys = {}  # of all that were met, in their order: file, number of the command

    def about(self, commands):
        """Of each what the names of its results hold besides the module."""
        of_program = [version(commands[0][0]), *([self.bench.xla] if self.bench else [])]
        return [json.dumps([command[1:], self.output, *of_program]).encode() for command in commands]

    def __iter__(self):
        return self

    def __next__(self):
        task = self.lost.popleft() if self.lost else next(self.fresh)
        self.under_way[self.numbers] = task
        self.numbers += 1
        return task["command"], task["text"], task["ending"], self.output

    def those_to_do(self):
        for file, origin in self.modules:
            text, ending = read(file), os.path.splitext(file)[1]
            for number, (command, about) in enumerate(self.commands):
                key = hashlib.sha256(about + b"\0" + text).hexdigest()[:32]
                if key in self.keys:
                    continue
                self.keys[key] = file, number
                if self.is_done(key):
                    self.done_before += 1
                    continue
                yield {"key": key, "file": file, "command": command, "text": text, "ending": ending if ending in ENDINGS else ".hlo",
                       "tries": 0, **origin}

    def is_done(self, key):
        if not self.results.has(key):
            return False
        if not self.again and not self.bench:
            return True
        row = self.results.row(key, ["status", "result"])
        if row["status"] != 0:
            return not self.again
        return not self.lacks(row["result"]) and not (self.again and self.bench and json.loads(row["result"]).get("xla_lost"))

    def lacks(self, result):
        """Why what a task printed is not all that it was to do, or nothing."""
        return self.bench.lacks(json.loads(result or "{}")) if self.bench else ""


def run(tasks, retries, results, say):
    """Does the tasks; `results` is by_processes or by_ray. Returns what failed or was lost: (file, why)."""
    failed = []
    for number, (status, lines, complaint, made) in results(tasks):
        task = tasks.under_way.pop(number)
        if status is LOST or status < 0:
            task["tries"] += 1
            if task["tries"] <= retries:
                say(f"{task['file']}: again ({complaint or f'signal {-status}'})")
                tasks.lost.append(task)
            else:
                failed.append((task["file"], f"lost {task['tries']} times: {complaint or f'signal {-status}'}"))
            continue
        if status == Interrupted.status:
            raise KeyboardInterrupt
        row = {k: task[k] for k in ("key", "file", *ORIGIN)}
        result = lines[-1] if lines and not status else None
        tasks.results.add({**row, "command": " ".join(task["command"][2:]), "status": status, "error": complaint if status else "",
                           "result": result, "module": made})
        if status:
            failed.append((task["file"], complaint.splitlines()[-1] if complaint else f"exit status {status}"))
        elif lacks := tasks.lacks(result):
            failed.append((task["file"], lacks))
        say(f"{len(tasks.keys) - tasks.done_before - len(tasks.under_way) - len(tasks.lost)} done: {task['file']}")
    return failed


def require_apart(outputs, paths):
    """UsageError where a file that is to be written (option, file) is a module that is read, or another output."""
    outputs = [(option, file) for option, file in outputs if file]
    if len({os.path.realpath(file) for _, file in outputs}) < len(outputs):
        raise UsageError(f"{' and '.join(option for option, _ in outputs)} {outputs[0][1]} are one file; expected two")
    for option, file in outputs:
        if os.path.exists(file) and any(os.path.exists(m) and os.path.samefile(file, m) for m, _ in sources(paths)):
            raise UsageError(f"{option} {file}: this is one of the modules, which are read; expected the name of another file")


def split(argv):
    """What stands before `--`, and the flags behind it, which may not name what each task has of its own."""
    own, flags = (argv[:argv.index("--")], argv[argv.index("--") + 1:]) if "--" in argv else (argv, [])
    if {"-o", "--output", "--json", "--record", "--html"} & {flag.split("=")[0] for flag in flags}:
        raise UsageError("-o, --json, --record, --html: each task has its own; expected --keep-modules, or --record of bench, before the --")
    return own, flags


def add_paths(parser):
    parser.add_argument("paths", nargs="+", metavar="SET", help="data sets, folders, files")


def add_task_flags(parser):
    """Those of all tasks that have a store of results."""
    parser.add_argument("--results", required=True, metavar="FOLDER", help="of Parquet files; what it holds is not run again")
    parser.add_argument("--retries", type=int, default=3, metavar="N", help="of a task whose worker or program is lost (3)")
    parser.add_argument("--again", action="store_true", help="run again what ended with an error")
    parser.add_argument("--cores", type=int, default=1, metavar="N",
                        help="cores that a Ray task takes; so many as a node has: one task a node at a time")
    parser.add_argument("--parquet", metavar="FILE", help="write the results of these tasks as one table too, a column a key")
    add_flags(parser)
    parser.set_defaults(jobs=None)


def settle(arguments, timed):
    """Checks what add_task_flags added; one task at a time where they time, unless that was said."""
    if arguments.cores < 1 or arguments.retries < 0:
        raise UsageError("--cores, --retries: expected a number from 1 on, from 0 on")
    if arguments.jobs is None:
        arguments.jobs = 1 if timed else os.cpu_count() or 1


def parse(argv):
    """The arguments, and the flags of the command."""
    own, flags = split(argv)
    parser = argparse.ArgumentParser(
        prog="python -m isomer.cluster hlo", description=__doc__, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    add_paths(parser)
    parser.add_argument("--keep-modules", action="store_true", help=f"what {', '.join(WRITE)} write goes into the results")
    parser.add_argument("--record", metavar="FILE", help="of bench: the records of these tasks together, JSON lines; then the table is printed")
    add_task_flags(parser)
    arguments = parser.parse_args(own)
    if arguments.keep_modules and arguments.command not in WRITE:
        raise UsageError(f"--keep-modules: hlo {arguments.command} writes no module")
    if arguments.record and arguments.command != "bench":
        raise UsageError(f"--record: hlo {arguments.command} has none; bench has")
    by_roofline = any("roofline:" in f for f in flags)
    settle(arguments, arguments.command in TIMED or (arguments.command == "search" and not by_roofline)
           or (arguments.command == "bench" and any(f in ("xla", "--evaluator=xla") for f in flags)))
    return arguments, flags


@contextlib.contextmanager
def results_of(arguments):
    """The store of the results, for as long as this lasts."""
    os.makedirs(arguments.results, exist_ok=True)
    with own_folder(arguments.results, f".isomer-{platform.node()}-") as new:
        yield Results(arguments.results, new)


def do(arguments, tasks, what="tasks"):
    """The tasks, as the flags say. Returns what failed."""
    say = say_unless(arguments.quiet)
    failed = run(tasks, arguments.retries, way_of(arguments, cores=arguments.cores), say)
    say(f"{len(tasks.keys)} {what}, {tasks.done_before} done before, {len(failed)} failed")
    if arguments.parquet:
        write_table(list(tasks.results.flat(tasks.keys)), arguments.parquet)
    return failed


def hlo(argv):
    arguments, flags = parse(argv)
    require_pyarrow("hlo")
    require_apart([("--record", arguments.record), ("--parquet", arguments.parquet)], arguments.paths)
    program = find_program(arguments.program)
    is_bench = arguments.command == "bench"
    command = [program, "-q", *(["bench", "hlo"] if is_bench else ["hlo", arguments.command]), *flags, "--json"]
    output = "--record" if is_bench else "-o" if arguments.keep_modules else ""
    with results_of(arguments) as results:
        bench = Bench(program, flags, arguments.record, results.new) if is_bench else None
        failed = do(arguments, tasks := Tasks(sources(arguments.paths), [command], output, results, arguments.again, bench), "modules")
    if arguments.record:
        bench.add(tasks.results.rows(tasks.keys))
        if status := bench.print_table(arguments.paths):
            failed.append((f"bench hlo --record {arguments.record}", f"exit status {status}"))
    return failed
