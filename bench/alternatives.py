"""What native.py and mugraphs.py time beside each other: a model in ONNX Runtime, in OpenVINO, and as a shared object of ours.

Threads that wait for work do not sleep at once: ONNX Runtime's spin for a while after each run, and hold a core that the next alternative
has its second thread on. So with more threads than one each alternative has a process of its own, which is stopped (SIGSTOP) while
another one's turn is. A turn is a block of runs: some of which nothing is kept, until caches are as they leave them and all threads
are awake, then as many as fill a quarter of a second; its sample is their median. Within a block every runtime is as its users have
it. With one thread all are in this process, and a sample is one run.
"""

import atexit
import ctypes
import gc
import multiprocessing
import os
import signal
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "build/release/python")]

from timing import Amounts, Target, time_targets  # noqa: E402

BLOCK_SECONDS, FEWEST_RUNS = 0.25, 5
WARM_SECONDS = 0.05
MOST_SECONDS = 900  # that a process opens its model, or runs a block, before it counts as hanging
GONE = "a process that was timed ended"
HANGS = f"a process that was timed said nothing for {MOST_SECONDS} s"
PR_SET_PDEATHSIG = 1  # linux/prctl.h


# --- what opens an alternative: its arguments travel to the other process; what it returns runs the model once

def session_of(path: Path, threads: int):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def onnxruntime_model(path: Path, threads: int, feed: dict):
    session = session_of(path, threads)
    return lambda: session.run(None, feed)


def openvino_of(path: Path, threads: int):
    import openvino
    how = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1}
    return openvino.Core().compile_model(str(path), "CPU", how)


def openvino_model(path: Path, threads: int, feed: dict):
    request = openvino_of(path, threads).create_infer_request()
    return lambda: request.infer(feed)


def native_model(path: Path, threads: int, feed: dict | list):
    """By names, or in order."""
    from isomer import CompiledModel
    model = CompiledModel(path, threads=threads)
    return (lambda: model(**feed)) if isinstance(feed, dict) else (lambda: model(*feed))


# --- one at a time

def block(call, seconds: float, fewest: int) -> list[tuple[float, float]]:
    """Wall and CPU milliseconds of each run."""
    out, end = [], time.perf_counter() + seconds
    while len(out) < fewest or time.perf_counter() < end:
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        call()
        out.append(((time.perf_counter_ns() - wall) / 1e6, (time.process_time_ns() - cpu) / 1e6))
    return out


def end_with(parent: int):
    """This process is killed when the one that started it ends, however that ends: what is stopped would stay for ever. Linux's own."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before that was said
        os._exit(1)


def serve(connection, opener, arguments, parent: int):
    """The other process: blocks as they are asked for, as (seconds, fewest runs), until None comes."""
    end_with(parent)
    try:
        call = opener(*arguments)
    except Exception as error:  # noqa: BLE001: said by the process that asked
        connection.send(error)
        return
    connection.send([])
    gc.disable()
    while (asked := connection.recv()) is not None:
        connection.send(block(call, *asked))


class Apart(Target):
    """An alternative in a process of its own, which runs only while it is asked."""

    def __init__(self, opener, arguments):
        super().__init__(None)
        self._opener, self._arguments = opener, arguments
        self._process = None

    def open(self):
        if self._process is not None:
            return
        spawned = multiprocessing.get_context("spawn")
        self._connection, other = spawned.Pipe()
        process = spawned.Process(target=serve, args=(other, self._opener, self._arguments, os.getpid()), daemon=True)
        process.start()
        self._process = process
        # Before multiprocessing's own function there, which waits for a child that is stopped for ever.
        atexit.register(self.close)
        other.close()
        self._answer()

    def _answer(self):
        """What it says, after which it sleeps."""
        try:
            if not self._connection.poll(MOST_SECONDS):
                self._process.kill()
                raise RuntimeError(HANGS)
            out = self._connection.recv()
        except (EOFError, OSError) as error:
            raise RuntimeError(GONE) from error
        if isinstance(out, Exception):
            raise RuntimeError(f"{type(out).__name__}: {out}")
        os.kill(self._process.pid, signal.SIGSTOP)
        # Whoever joins it later shall find how it ended.
        now = os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if now.si_code != os.CLD_STOPPED:
            raise RuntimeError(GONE)
        return out

    def _ask(self, seconds, fewest):
        try:
            os.kill(self._process.pid, signal.SIGCONT)
            self._connection.send((seconds, fewest))
        except OSError as error:
            raise RuntimeError(GONE) from error
        return self._answer()

    def warm_up(self, count, most_seconds):
        return min(wall for wall, _ in self._ask(min(WARM_SECONDS, most_seconds), 1)) / 1e3

    def sample(self):
        runs = self._ask(WARM_SECONDS + BLOCK_SECONDS, FEWEST_RUNS + 2)
        past, warm = 0.0, 0
        while warm < len(runs) - FEWEST_RUNS and (warm < 2 or past < WARM_SECONDS * 1e3):
            past += runs[warm][0]
            warm += 1
        walls, cpus = zip(*runs[warm:])
        self.wall_ms.append(statistics.median(walls))
        self.cpu_ms.append(statistics.median(cpus))

    def close(self):
        if self._process is None:
            return
        atexit.unregister(self.close)
        self._connection.close()  # where it waits for the next block, it ends
        self._process.kill()  # also what is stopped
        self._process.join()
        self._process = None


def samples_by_load(targets: list[Target], clock: str, pairs: int, loads: int, one_at_a_time: bool = False) -> list[list[list[float]]]:
    """Milliseconds of each target, which are timed beside each other; `pairs`: rounds in all."""
    report = time_targets(targets, Amounts.of_rounds(pairs, loads), one_at_a_time=one_at_a_time)

    def split(samples):
        of_load: dict = {}
        for load, sample in zip(report["loads"], samples):
            of_load.setdefault(load, []).append(sample)
        return list(of_load.values())

    return [split(target[clock]) for target in report["targets"]]


def timed(alternatives: list, threads: int, seconds: float, pairs: int, loads: int) -> tuple[str, list[list[list[float]]]]:
    """The clock, and milliseconds of each alternative by load; each is (what opens it, a model, a feed). `seconds`: about what a run takes;
    `pairs`: rounds in all, 0: as many as that asks for."""
    def target(opener, path, feed):
        arguments = (path, threads, feed)
        return Target(lambda: (opener(*arguments), None)) if threads == 1 else Apart(opener, arguments)

    pairs = pairs or (200 if seconds < 0.01 and threads == 1 else 30)
    clock = "cpu_ms" if threads == 1 else "wall_ms"
    return clock, samples_by_load([target(*a) for a in alternatives], clock, pairs, loads)
