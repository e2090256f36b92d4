"""python -m isomer.cluster bench mcts [MODELS and flags of `isomer bench mcts`] --record FILE: its runs as tasks.
python -m isomer.cluster bench models MODELS... [flags of `isomer bench models`] --record FILE: the same (cluster_models.py).
python -m isomer.cluster hlo COMMAND SET... --results FOLDER -- [flags of `isomer hlo COMMAND`]: a task a module (cluster_hlo.py),
of `collect` a task a command (cluster_hlo_collect.py).

    python -m isomer.cluster bench mcts --seeds 5 --budget 1,4,16,64 --record runs.jsonl --jobs 8
    python -m isomer.cluster bench mcts bert vit.onnx --record runs.jsonl --ray              # Ray on this machine
    python -m isomer.cluster bench mcts --record runs.jsonl --ray head:6379 --parquet runs.parquet

Each run (a model, device, approach, seed and value of each swept axis) is a task of its own: the program `isomer` says
which there are (`--plan`), and does each. What a task printed goes to the record as soon as it has ended, as the lines
that `isomer bench mcts --record FILE` writes; what is there already is not run again, so that a killed run loses the
tasks that were under way, one a worker. A task that fails is named at the end (exit status 1), and the others go on.

With --ray the tasks are Ray's: on a cluster each node needs the program (--program, by its path there, or in PATH) and
the files of the models, and with --priors the same store of what was learned; a worker that dies has its task run again
elsewhere. A task that ran on other inputs than were planned has failed.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

from .errors import Error, Interrupted, MissingRuntimeError, UsageError, of_status

KEY = ("model", "device", "approach", "seed", "settings", "inputs")
RECORDED = ("first", "run")  # kinds of lines that a record holds


def find_program(named=None):
    """The command line program: as named, ISOMER_PROGRAM, or the first in PATH."""
    program = shutil.which(named or os.environ.get("ISOMER_PROGRAM") or "isomer")
    if program is None:
        raise MissingRuntimeError(f"{named or 'isomer'}: there is no such program; --program PATH or ISOMER_PROGRAM names it")
    return os.path.abspath(program)


def printed(*command):
    """What a command prints. Where it fails, the error that its exit status stands for."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise of_status(done.returncode)(done.stderr.strip())
    return done.stdout


def plan(program, words, record):
    """The tasks that are not in the record yet, as `--plan` prints them."""
    lines = printed(program, "-q", *words, "--plan", "--record", record).splitlines()
    return [json.loads(line) for line in lines]


def _functions():
    """Functions within a function are sent to Ray's workers as they are, not by the name of their module, which they may lack."""
    import contextlib

    @contextlib.contextmanager
    def own_folder(parent, prefix):
        """A folder for as long as this lasts. It is locked: those without a lock are what killed processes left, and go."""
        import fcntl
        import os
        import shutil
        import tempfile

        def lock(path):
            """A descriptor, or None: it is somebody's, no folder, or gone."""
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            except OSError:
                return None
            try:
                if os.fstat(descriptor).st_uid == os.geteuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return descriptor
            except OSError:
                pass
            os.close(descriptor)
            return None

        for name in os.listdir(parent):
            path = os.path.join(parent, name)
            left = lock(path) if name.startswith(prefix) else None
            if left is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(left)
        # It gets the name by which others may take it for left once it is locked.
        made = tempfile.mkdtemp(prefix=f".new-{prefix}", dir=parent)
        held, path = lock(made), os.path.join(parent, prefix + made[-8:])
        os.rename(made, path)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)
            if held is not None:
                os.close(held)

    def perform(command, text=None, ending="", output=""):
        """Exit status, lines of standard output, standard error, and what was written (`output`: the flag that names it, or the
        word of the command in its place); of a folder as an archive."""
        import os
        import shutil
        import subprocess
        import tempfile

        with own_folder(tempfile.gettempdir(), "isomer-task-") as folder:
            read, written = (os.path.join(folder, name + ending) for name in ("module", "result"))
            if text is not None:
                with open(read, "wb") as file:
                    file.write(text)
                command = [*command, read]
            if output and output in command:
                command = [written if word == output else word for word in command]
            elif output:
                command = [*command, output, written]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            made = None
            if os.path.isdir(written):
                written = shutil.make_archive(written, "zip", written)
            if output and os.path.exists(written):
                with open(written, "rb") as file:
                    made = file.read()
        return done.returncode, done.stdout.splitlines(), done.stderr.strip(), made

    return own_folder, perform


#: `perform` of a command: exit status, lines that it printed, what it complained of, what it wrote. With a text, that is the
#: content of a file that it reads (on a cluster no file is shared); with `output` it writes one, which is returned.
own_folder, perform = _functions()

LOST = None  #: the exit status of a task whose worker was lost


def _in_flight(jobs, most, submit, wait):
    """Yields (number of the job, what `perform` returns) as they end. So many are under way at a time, and the next one is
    taken from the iterator `jobs` when one has ended: what they hold is in memory only meanwhile."""
    waiting, number = {}, -1
    while True:
        while len(waiting) < most() and (job := next(jobs, None)) is not None:
            number += 1
            waiting[submit(job)] = number
        if not waiting:
            return
        ended, result = wait(list(waiting))
        yield waiting.pop(ended), result


def by_processes(jobs, many):
    """The results of `perform` of each job (a tuple of its arguments), as they end; `many` at a time."""
    with concurrent.futures.ThreadPoolExecutor(many) as pool:

        def wait(futures):
            ended = next(iter(concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_COMPLETED).done))
            return ended, ended.result()

        yield from _in_flight(iter(jobs), lambda: many, lambda job: pool.submit(perform, *job), wait)


def by_ray(jobs, many, address=None, cores=1):
    """The same as Ray tasks. `many`: cores of a Ray that is started here; a task takes `cores` of them. On a cluster twice as
    many are under way as it has cores, so that none waits for this process."""
    try:
        import ray
    except ImportError as error:
        raise MissingRuntimeError("--ray needs the package ray: pip install ray") from error
    where = {"address": address} if address else {"num_cpus": many, "include_dashboard": False}
    ray.init(log_to_driver=False, **where)

    def wait(references):
        [ended], _ = ray.wait(references, num_returns=1)
        try:
            return ended, ray.get(ended)
        except ray.exceptions.RayError as error:
            return ended, (LOST, [], (str(error) or type(error).__name__).splitlines()[0], None)

    try:
        task = ray.remote(num_cpus=cores, max_retries=3)(perform)
        yield from _in_flight(iter(jobs), lambda: 2 * max(1, int(ray.cluster_resources().get("CPU", 1)) // cores),
                              lambda job: task.remote(*job), wait)
    finally:
        ray.shutdown()


def run(tasks, program, record, results, say=lambda text: None, key=KEY):
    """Does the tasks, in whatever order `results` (by_processes, by_ray, of commands) gives them, and appends what they
    print to the record, each line once; of one that failed too, if it said what it came to. `key`: what tells tasks apart.
    Returns what failed: (task, why)."""
    failed = []
    known = set(_lines(record))
    with open(record, "a", encoding="utf-8") as file:
        for number, (status, lines, complaint, _) in results([([program, "-q", *t["words"], "--json"],) for t in tasks]):
            task = tasks[number]
            runs = [o for o in map(json.loads, lines) if o.get("record") == "run"]
            if status != 0:
                said = next((o["failure"] for o in runs if o.get("failure")), complaint)
                failed.append((task, said or f"exit status {status}"))
                if not runs:
                    continue
            other = [o for o in runs if any(o[k] != task[k] for k in key)]
            if other:  # of files and priors as they are where it ran
                failed.append((task, f"what ran is not what was planned: inputs {other[0]['inputs']}, not {task['inputs']}"))
                continue
            fresh = [line for line in lines if line not in known and json.loads(line)["record"] in RECORDED]
            known.update(fresh)
            file.write("".join(line + "\n" for line in fresh))
            file.flush()
            os.fsync(file.fileno())
            say(" ".join(str(task[k]) for k in key[:5]).strip())
    return failed


def _lines(file):
    if not os.path.exists(file):
        return []
    with open(file, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def write_parquet(record, file):
    """The record's runs as a table; what came of one (`result`, of bench models) by its own columns."""
    runs = [line for line in map(json.loads, _lines(record)) if line["record"] == "run"]
    write_table([{**(run.pop("result", None) or {}), **run} for run in runs], file)


def write_table(rows, file):
    """What is nested (steps, rules, tree, published) as JSON text."""
    import pyarrow
    import pyarrow.parquet

    columns = sorted({k for row in rows for k in row})
    flat = [{k: json.dumps(v) if isinstance(v, (dict, list)) else v for k, v in row.items()} for row in rows]
    pyarrow.parquet.write_table(pyarrow.table({k: [row.get(k) for row in flat] for k in columns}), file)


def require_pyarrow(flag):
    """MissingRuntimeError, which names the flag, where the package is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingRuntimeError(f"{flag} needs the package pyarrow: pip install pyarrow") from error


def add_flags(parser):
    """Those that all kinds of tasks have."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="tasks at a time on this machine")
    parser.add_argument("--ray", nargs="?", const="", metavar="ADDRESS", help="Ray tasks: of a cluster, or on this machine")
    parser.add_argument("--program", metavar="FILE", help="isomer's (default: ISOMER_PROGRAM, or in PATH)")
    parser.add_argument("--quiet", action="store_true")


def way_of(arguments, **more):
    """by_processes or by_ray, as the flags say."""
    if arguments.jobs < 1:
        raise UsageError("--jobs: expected a number from 1 on")
    if arguments.ray is None:
        return lambda jobs: by_processes(jobs, arguments.jobs)
    return lambda jobs: by_ray(jobs, arguments.jobs, arguments.ray, **more)


def say_unless(quiet):
    """What prints lines to standard error, or nothing."""
    return (lambda text: None) if quiet else lambda text: print(text, file=sys.stderr)


def add_record_flags(parser):
    """Those of benches whose results are in a record."""
    parser.add_argument("--record", required=True, metavar="FILE", help="JSON lines; what it holds is not run again")
    parser.add_argument("--parquet", metavar="FILE", help="write the record's runs as a table too (needs pyarrow)")
    add_flags(parser)


def bench_mcts(argv):
    """`bench mcts` as tasks. Returns what failed."""
    parser = argparse.ArgumentParser(
        prog="python -m isomer.cluster", description=__doc__.split("\n\n")[0], allow_abbrev=False,
        epilog="Everything else goes to `isomer bench mcts` (its --help).", usage="%(prog)s bench mcts [options] ...")
    parser.add_argument("what", nargs=2, metavar="bench mcts")
    add_record_flags(parser)
    arguments, words = parser.parse_known_args(argv)
    if arguments.what != ["bench", "mcts"]:
        raise UsageError(f"{' '.join(arguments.what)}: expected bench mcts, bench models, or hlo")
    if "--learn" in words:
        raise UsageError("--learn: of several searches of a model the store keeps the last, and tasks end in any order; "
                         "isomer bench mcts runs in one order")
    results = way_of(arguments)
    if arguments.parquet:
        require_pyarrow("--parquet")
    say = say_unless(arguments.quiet)
    program = find_program(arguments.program)
    tasks = plan(program, [*arguments.what, *words], arguments.record)
    say(f"{len(tasks)} tasks")
    failed = run(tasks, program, arguments.record, results, say)
    if arguments.parquet:
        write_parquet(arguments.record, arguments.parquet)
    return [(" ".join(task["words"]), why) for task, why in failed]


def main(argv=None):
    """The command line; its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    try:
        if argv[:2] == ["hlo", "collect"]:
            from .cluster_hlo_collect import collect

            failed = collect(argv[2:])
        elif argv[:1] == ["hlo"]:
            from .cluster_hlo import hlo

            failed = hlo(argv[1:])
        elif argv[:2] == ["bench", "models"]:
            from .cluster_models import models

            failed = models(argv[2:])
        else:
            failed = bench_mcts(argv)
    except Error as error:
        print(f"isomer.cluster: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return Interrupted.status
    for task, why in failed:
        print(f"isomer.cluster: failed: {task}: {why}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
