"""python -m isomer.cluster hlo collect SET --commands FILE --results FOLDER [-- flags of `isomer hlo collect`]: a task a command.

    python bench/hlo_packages.py --python ENV/bin/python --print-commands > commands.jsonl
    python -m isomer.cluster hlo collect set --commands commands.jsonl --results collected --ray head:6379 -- --time-limit 600s

FILE has a JSON object a line: `command` (a list of words), and if they are known `package`, `version`, `licence`. A task runs
`isomer hlo collect` for one of them, into a data set of its own, which is in the column `module` of its result (a ZIP archive); on a
cluster nodes need the program and what the commands call, and share no file. In the end the modules of all of them are added to SET,
each graph once, whose manifest says where they are from. What a task refused (texts that are no modules) stays in its archive.

FOLDER, and what becomes of a task that is lost, are as of the other commands (`hlo --help`), but that a result is named by the
command, its origin and flags alone: to collect again after a change of Isomer, begin a new folder. A command that `--time-limit` ended
is not done: what it gave by then is in SET, it is named at the end, and the next run has it again, after all that have not run yet
(a longer limit is no other task). One that ended with another status than 0 is named too, and run again with --again only. Commands
have XLA_FLAGS set, to which they may add.
"""

import argparse
import hashlib
import io
import json
import os
import tempfile
import zipfile

from .cluster import find_program, printed, require_pyarrow
from .cluster_hlo import ORIGIN, Tasks, add_task_flags, do, results_of, settle, split
from .cluster_hlo_bench import without_limit
from .errors import InputError

SET = "\0set"  #: stands for the task's data set in its command; no word of a real one
FLAGS = ("--package", "--package-version", "--licence")


def entries(file):
    """(command, origin) of each line."""
    try:
        with open(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    entry = json.loads(line)
                    command = [str(word) for word in entry["command"]] if isinstance(entry["command"], list) else []
                except (KeyError, TypeError, ValueError):
                    command = []
                if not command:
                    raise InputError(f'{file}:{number}: expected {{"command": ["WORD", ...], ...}}')
                yield command, {k: str(entry.get(k, "")) for k in ORIGIN}
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error


class Collections(Tasks):
    """A task a command. Those that a time limit ended come last."""

    def about(self, commands):
        return [json.dumps(without_limit(command[1:])).encode() for command in commands]

    def those_to_do(self):
        [(collect, about)] = self.commands
        late = []
        for command, origin in self.modules:
            key = hashlib.sha256(about + json.dumps([command, origin]).encode()).hexdigest()[:32]
            if key in self.keys:
                continue
            self.keys[key] = " ".join(command), 0
            if self.is_done(key):
                self.done_before += 1
                continue
            of = [word for flag, value in zip(FLAGS, origin.values(), strict=True) if value for word in (flag, value)]
            task = {"key": key, "file": " ".join(command), "command": [*collect, SET, *of, "--", *command], "text": None, "ending": "",
                    "tries": 0, **origin}
            if self.results.has(key):
                late.append(task)
            else:
                yield task
        yield from late

    def is_done(self, key):
        if not self.results.has(key):
            return False
        row = self.results.row(key, ["status", "result"])
        late = row["status"] == 0 and json.loads(row["result"])["timed_out"]
        return not late and not (self.again and (row["status"] or self.lacks(row["result"])))

    def lacks(self, result):
        ended = json.loads(result)
        if ended["timed_out"]:
            return "ended by its time limit"
        return f"the command ended with status {ended['command_status']}" if ended["command_status"] else ""


def add(program, row, to):
    """The modules of a result to the data set."""
    with tempfile.TemporaryDirectory(prefix="isomer-collected-") as folder:
        zipfile.ZipFile(io.BytesIO(row["module"])).extractall(folder)
        if not os.path.exists(os.path.join(folder, "manifest.jsonl")):
            return  # it gave nothing
        printed(program, "-q", "hlo", "dataset", "filter", folder, "-o", to)


def collect(argv):
    own, flags = split(argv)
    parser = argparse.ArgumentParser(prog="python -m isomer.cluster hlo collect", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", metavar="SET", help="the data set; it is made, or added to")
    parser.add_argument("--commands", required=True, metavar="FILE", help="JSON lines")
    add_task_flags(parser)
    arguments = parser.parse_args(own)
    settle(arguments, timed=False)
    require_pyarrow("hlo")
    program = find_program(arguments.program)
    listed = list(entries(arguments.commands))
    with results_of(arguments) as results:
        tasks = Collections(iter(listed), [[program, "-q", "hlo", "collect", *flags, "--json"]], SET, results, arguments.again)
        failed = do(arguments, tasks, "commands")
    for row in tasks.results.rows(tasks.keys):
        if row["status"] == 0 and row["module"]:
            add(program, row, arguments.set)
    return failed
