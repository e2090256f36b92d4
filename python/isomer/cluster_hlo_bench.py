"""What the command `bench` of cluster_hlo.py has beside the others: when a task is done, the record of all tasks, and the table of it."""

import json
import os
import subprocess

from .cluster import printed
from .errors import MissingRuntimeError


class Bench:
    """`isomer bench hlo` on this machine, where nothing is computed: whatever it does is over at once. `nothing` is a folder
    without modules."""

    def __init__(self, program, flags, record, nothing):
        self.command = [program, "-q", "bench", "hlo", *without_limit(flags), "--time-limit", "0s"]
        self.record = record
        if record:
            self.command += ["--record", record]
        # Says XLA's version, and looks at the record: a last line that was cut short is taken off.
        self.xla = json.loads(printed(*self.command, nothing, "--json"))["xla"]
        if self.xla is None and "--no-xla" not in flags and not is_of_searches(flags):
            raise MissingRuntimeError("bench: there is no XLA on this machine, whose version that of all tasks has to be; -- --no-xla leaves it out")

    def lacks(self, result):
        """Why what a task printed is not all that it was to do, or nothing."""
        if result.get("stop_reason") != "saturated":
            return f"not all of it ended ({result.get('stop_reason')})"
        if result["xla"] != self.xla:
            return f"XLA {result['xla'] or 'was not there'}, on this machine {self.xla}"
        return ""

    def add(self, rows):
        """Appends to the record what these tasks came to and it lacks, a line for each `key`. What was lost
        there is replaced, for the last line counts."""
        with open(self.record, "rb") as file:
            lost = {key(entry): has_lost(entry) for entry in entries(file.read())}
        fresh = {}
        for row in rows:
            for entry in entries(row["module"] or b""):
                of = key(entry)
                if of not in lost or (lost[of] and not has_lost(entry)):
                    entry["file"] = row["file"]  # the task's own is gone
                    lost[of] = has_lost(entry)
                    fresh[of] = json.dumps(entry, separators=(",", ":"), ensure_ascii=False)
        with open(self.record, "a", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in fresh.values()))
            file.flush()
            os.fsync(file.fileno())

    def print_table(self, paths):
        """Of what the record has. Returns the exit status."""
        return subprocess.run([*self.command, *paths]).returncode


def is_of_searches(flags):
    """Whether these print table 2, which asks XLA for nothing but times."""
    return " --table 2 " in f" {' '.join(flags)} ".replace("--table=", "--table ")


def without_limit(flags):
    """The flags but for --time-limit."""
    kept, rest = [], iter(flags)
    for flag in rest:
        if flag == "--time-limit":
            next(rest, None)
        elif not flag.startswith("--time-limit="):
            kept.append(flag)
    return kept


def entries(text):
    """The lines of a record that are whole."""
    *whole, _ = text.split(b"\n")  # not splitlines: names may hold what it takes for an end
    return [json.loads(line) for line in whole if line]


def key(entry):
    """Of table 1 a side, of table 2 a pass stands first."""
    return entry.get("side") or entry["pass"], entry["module"], entry["settings"]


def has_lost(entry):
    """XLA's process ended or was too slow: what is run again, of table 1."""
    return any("lost" in end for end in (entry.get("whole", {}), *entry.get("without", {}).values()))
