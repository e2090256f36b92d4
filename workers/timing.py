"""Timing, inside the worker, so that neither pipes nor the client are in the numbers.

Targets are run in rounds; each round runs every target once, in random order, so that drift of the machine hits
all of them alike and sample i of one target can be paired with sample i of another. A sample of a short run is
the mean over as many runs as fill `min_sample_ms`. Wall time and CPU time of the whole process are both kept.
"""

import gc
import random
import time


class Target:
    """Something to call. open() before, close() after; call() runs it once."""

    def __init__(self, open_call):
        self._open = open_call
        self._call = None
        self._close = None
        self.repeats = 1
        self.wall_ms = []
        self.cpu_ms = []

    def open(self):
        if self._call is None:
            self._call, self._close = self._open()

    def close(self):
        if self._close is not None:
            self._close()
        self._call = self._close = None

    def warm_up(self, count, min_sample_ms):
        best = float("inf")
        for _ in range(max(count, 1)):
            start = time.perf_counter()
            self._call()
            best = min(best, time.perf_counter() - start)
        if min_sample_ms > 0:
            self.repeats = max(1, min(10000, round(min_sample_ms / 1e3 / max(best, 1e-7))))

    def sample(self):
        call, repeats = self._call, self.repeats
        cpu = time.process_time_ns()
        wall = time.perf_counter_ns()
        for _ in range(repeats):
            call()
        wall = time.perf_counter_ns() - wall
        cpu = time.process_time_ns() - cpu
        self.wall_ms.append(wall / 1e6 / repeats)
        self.cpu_ms.append(cpu / 1e6 / repeats)

    def report(self):
        return {"wall_ms": self.wall_ms, "cpu_ms": self.cpu_ms, "repeats": self.repeats}


def time_targets(targets, *, warmups, min_rounds, max_rounds, max_seconds, min_sample_ms, seed, one_at_a_time,
                 cancelled, progress):
    """Runs at least min_rounds rounds (unless cancelled), then until max_rounds or max_seconds. With
    one_at_a_time only one target is open at any time, and is opened anew for a batch of samples."""
    order = list(range(len(targets)))
    rng = random.Random(seed)
    start = last_told = time.perf_counter()
    batch = max(1, -(-min_rounds // 4)) if one_at_a_time else 1
    rounds = 0
    collecting = gc.isenabled()
    gc.disable()
    try:
        if not one_at_a_time:
            for target in targets:
                target.open()
                target.warm_up(warmups, min_sample_ms)
            start = time.perf_counter()
        while rounds < max_rounds and not cancelled():
            if rounds >= min_rounds and time.perf_counter() - start >= max_seconds:
                break
            rng.shuffle(order)
            for index in order:
                target = targets[index]
                if one_at_a_time:
                    target.open()
                    target.warm_up(warmups, 0)
                for _ in range(batch):
                    target.sample()
                    if one_at_a_time and cancelled():
                        break
                if one_at_a_time:
                    target.close()
            rounds += batch
            now = time.perf_counter()
            if now - last_told > 0.2:
                last_told = now
                progress(rounds=rounds, seconds=now - start)
    finally:
        for target in targets:
            target.close()
        if collecting:
            gc.enable()
    # A cancelled batch may have left one target ahead: pairs need equal lengths.
    complete = min(len(target.wall_ms) for target in targets)
    for target in targets:
        del target.wall_ms[complete:], target.cpu_ms[complete:]
    return {"rounds": complete, "seconds": time.perf_counter() - start, "targets": [t.report() for t in targets]}
