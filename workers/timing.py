"""Timing, inside the worker, so that neither pipes nor the client are in the numbers.

Targets are run in rounds; each round runs every target once, in random order, so that drift of the machine hits
all of them alike and sample i of one target can be paired with sample i of another. A sample of a short run is
the mean over as many runs as fill `min_sample_ms`, or more where two targets are to be told apart (Plan.sample_ms).
Wall time and CPU time of the whole process are both kept.

Where a model's weights and buffers happen to lie in memory makes the same model faster or slower by a per cent or
so, for as long as it stays loaded: however many rounds, two copies of one model look significantly different. So
the rounds are spread over several loads, each with all targets loaded anew in random order, and the client takes a
load, not a round, as its unit of evidence.

Complete rounds are told as they come (progress frames), so that a client that ends this process early has them all.
"""

import dataclasses
import gc
import math
import random
import statistics
import time


class Target:
    """Something to call. open() before, close() after; call() runs it once."""

    LONG_SECONDS = (0.1, 0.005)  # from which on one run, or two, are enough

    def __init__(self, open_call, second_differs=False):
        """`second_differs`: the second run takes memory as well, so that one is too few to be warm."""
        self._open = open_call
        self._second_differs = second_differs
        self._call = None
        self._close = None
        self.repeats = 1
        self.wall_ms = []
        self.cpu_ms = []

    def open(self):
        if self._call is None:
            self._call, self._close = self._open()

    def close(self):
        self._call = None  # before the cleaner, which finds what this held
        if self._close is not None:
            self._close()
        self._close = None

    def warm_up(self, count, most_seconds):
        """Runs it at least once, a long one at most twice, a very long one once; the best time in seconds."""
        best = float("inf")
        begin = time.perf_counter()
        for done in range(1, max(count, 1) + 1):
            start = time.perf_counter()
            self._call()
            best = min(best, time.perf_counter() - start)
            long = best > self.LONG_SECONDS[min(done, 2) - 1] and not (self._second_differs and done == 1)
            if long or time.perf_counter() - begin > most_seconds:
                break
        return best

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


def order_statistic(count):
    """Which of `count` numbers, from below, is the low end of the 95 % interval of their median; 0: too few (the same is in
    src/runtime/timing_statistics.cpp)."""
    below = term = 0.5**count
    at = 0
    while 0 < 2 * below <= 0.05:
        term *= (count - at) / (at + 1)
        at += 1
        below += term
    return at


class Settling:
    """Whether more loads of two targets would only say again what those so far do. A load's ratio is the median of its
    rounds' ratios, first target over second. A gain is settled only by as many loads as make an interval, all of which
    show a clear one: looking again and again then finds no gain by chance. Where the first of these show no clear one, they
    decide. That there is none is settled sooner: where so many loads show none that the interval of all loads there can
    be will not lie above 1."""

    FEWEST, FEWEST_ROUNDS = 6, 6  # loads; rounds, fewer of which make no interval
    FEWEST_SLOW = 3  # of a slow model so many rounds that show no clear gain are enough

    def __init__(self, how, targets):
        """how: None: nothing settles; or the clock ("cpu_ms", "wall_ms"), the least gain that is `clear`, and from which
        `slow_ms` of a run on a model is slow."""
        self.times = [getattr(target, how["clock"]) for target in targets] if how and len(targets) == 2 else None
        self.clear, self.slow_ms = (how["clear"], how["slow_ms"]) if how else (None, None)

    def ratios(self, load_of_round):
        of_load = {}
        for load, one, other in zip(load_of_round, *self.times):
            if one > 0 and other > 0:
                of_load.setdefault(load, []).append(one / other)
        return [statistics.median(ratios) for ratios in of_load.values()]

    def is_hopeless(self):
        """Within a load: of a slow model, a few rounds that show no gain."""
        if self.times is None or min(map(len, self.times)) < self.FEWEST_SLOW or statistics.median(self.times[0]) <= self.slow_ms:
            return False
        gain = statistics.median(one / max(other, 1e-9) for one, other in zip(*self.times))
        return gain <= 1 or (gain < self.clear and min(map(len, self.times)) >= self.FEWEST_ROUNDS)

    def is_promising(self, load_of_round):
        """A clear gain by most loads: worth more time than others, where a few say otherwise."""
        ratios = self.ratios(load_of_round) if self.times else []
        return len(ratios) > 1 and statistics.median(ratios) > self.clear

    def is_settled(self, load_of_round, most_loads):
        """most_loads: that there can be, those so far among them."""
        if self.is_hopeless():
            return True
        if self.times is None or len(load_of_round) < self.FEWEST_ROUNDS:
            return False
        ratios = self.ratios(load_of_round)
        # Of fewer loads than make an interval the rounds would make one.
        hopes = len(ratios) < self.FEWEST and statistics.median(ratios) > self.clear
        if not hopes and sum(ratio <= 1 for ratio in ratios) >= max(1, order_statistic(most_loads)):
            return True
        if len(ratios) == self.FEWEST and max(ratios) < self.clear:
            return True
        return len(ratios) >= self.FEWEST and min(ratios) > self.clear


@dataclasses.dataclass
class Amounts:
    """How much is timed: at least half of `loads` and `min_rounds` rounds; more until all loads and `max_rounds`, or
    `max_seconds`; less where `deadline_seconds` are over."""

    loads: int = 12
    warmups: int = 3
    min_rounds: int = 10
    max_rounds: int = 100000
    max_seconds: float = 2.0
    min_sample_ms: float = 0.0
    deadline_seconds: float | None = None

    @classmethod
    def of(cls, request):
        """As a request says; what it does not say is as above."""
        return cls(**{field.name: request[field.name] for field in dataclasses.fields(cls) if field.name in request})

    @classmethod
    def of_rounds(cls, rounds, loads):
        """So many, however long they take."""
        return cls(loads=loads, min_rounds=rounds, max_rounds=rounds, max_seconds=1e9)


class Plan:
    """How much to do, and when it is enough."""

    WARM_UP_SHARE = 0.02  # of the deadline: long runs are not repeated for warmth
    PATIENCE = 2.5  # times max_seconds, where there is a gain to be sure of
    SAMPLES_SHARE, LONGEST_SAMPLE_MS = 0.5, 5.0  # of what loading takes, for the samples of a load (sample_ms)
    FEWEST, ENOUGH = Settling.FEWEST, 12  # loads, or rounds, that make an interval (src/runtime/timing_statistics.h); rounds of one load

    def __init__(self, targets, amounts, cancelled, progress):
        self.targets = targets
        self.amounts = amounts
        self.loads = max(1, min(amounts.loads, amounts.max_rounds))
        self.most = amounts.max_rounds // self.loads  # rounds of a load
        self.least = min(self.most, max(1, -(-amounts.min_rounds // -(-self.loads // 2))))  # half of the loads have to do
        self.cancelled = cancelled
        self.progress = progress
        self.deadline = float("inf") if amounts.deadline_seconds is None else amounts.deadline_seconds
        self.start = self.last_told = time.perf_counter()
        self.preparing = self.round = 0.0  # seconds: of all targets in a load before its rounds, and in a round
        self.load = 0
        self.told = 0  # rounds

    def over(self):
        return time.perf_counter() - self.start >= self.deadline or self.cancelled()

    def left(self):
        return self.deadline - (time.perf_counter() - self.start)

    def seconds(self, promising):
        return self.amounts.max_seconds * (self.PATIENCE if promising else 1)

    def most_loads(self, done, promising):
        """After the first `done` of them; by the time that they took."""
        each = max((time.perf_counter() - self.start) / done, 1e-9)
        return min(self.loads, max(self.FEWEST, self.loads // 2, math.ceil(self.seconds(promising) / each)))

    def enough_loads(self, load, promising):
        late = 2 * load >= self.loads and time.perf_counter() - self.start >= self.seconds(promising)
        return late or self.left() < self.preparing + self.round or self.over()

    def know(self, preparing, a_round):
        """What the first load shows. Where the deadline is too soon for six loads, they have fewer rounds; where it is too
        soon for six rounds in several loads, all are done in one."""
        if self.load or self.deadline == float("inf"):
            return
        self.preparing, self.round = preparing, max(a_round, 1e-9)
        loads = self.deadline // (preparing + self.least * self.round)
        in_six = int((self.deadline / self.FEWEST - preparing) / self.round)  # rounds of a load
        if loads < self.FEWEST <= self.loads and in_six >= 1:
            self.least = min(self.least, in_six)
        elif loads * self.least < self.FEWEST:
            fit = int((self.deadline - preparing) / self.round)
            self.least = max(self.least, min(self.ENOUGH, fit, self.amounts.max_rounds))
            self.most = max(self.most, self.least)

    def sample_ms(self, preparing, settles):
        """Where a small difference is to be told, the samples of a load take half as long as the loading of the targets did: a
        load's ratio is as good as its samples, and what takes most of the time is loading anyhow. Samples of 0.2 ms leave
        the ratios of loads apart by 3 %, those of 5 ms by 1 %, which is the luck of the loads themselves."""
        share = 1e3 * self.SAMPLES_SHARE * preparing / max(1, self.most * len(self.targets)) if settles else 0
        return max(self.amounts.min_sample_ms, min(share, self.LONGEST_SAMPLE_MS))

    def warm_up(self, target):
        return target.warm_up(self.amounts.warmups, self.WARM_UP_SHARE * self.deadline)

    def enough_rounds(self, done, begin):
        late = done >= self.least and time.perf_counter() - begin >= self.amounts.max_seconds / self.loads
        return done >= self.most or late or self.over() or (done > 0 and self.left() < self.round)

    def tell(self, now_or_never=False):
        """Of this load the rounds that are complete: those that every target has done. At its end in any case."""
        now = time.perf_counter()
        if now - self.last_told <= 0.2 and not now_or_never:
            return
        self.last_told = now
        complete = min(len(target.wall_ms) for target in self.targets)
        new = slice(self.told, complete)
        self.progress(rounds=complete, seconds=now - self.start, load=self.load,
                      new=[{"wall_ms": t.wall_ms[new], "cpu_ms": t.cpu_ms[new]} for t in self.targets])
        self.told = max(self.told, complete)


def rounds_together(targets, plan, rng, settling):
    """One load of all targets at once; the number of complete rounds."""
    begin = time.perf_counter()
    for target in targets:
        target.open()
    times = [plan.warm_up(target) for target in targets]
    preparing, fastest = time.perf_counter() - begin, min(times)
    if not targets[0].wall_ms:
        # The first run of a sample finds colder caches than the others, so all targets need the same number.
        sample = plan.sample_ms(preparing, settling.times is not None) / 1e3
        for target in targets:
            target.repeats = max(1, min(10000, round(sample / max(fastest, 1e-7))))
    plan.know(preparing, targets[0].repeats * sum(times))
    done = 0
    while not plan.enough_rounds(done, begin):
        rng.shuffle(targets)
        for target in targets:
            target.sample()
        done += 1
        plan.tell()
        if settling.is_hopeless():
            break
    return done


def rounds_apart(targets, plan):
    """One load of each target after the other; the number of complete rounds."""
    rounds = None
    for target in targets:
        begin = time.perf_counter()
        target.open()
        fastest = plan.warm_up(target)
        if rounds is None:
            plan.know(len(targets) * (time.perf_counter() - begin), len(targets) * fastest)
        done = 0
        while not (plan.enough_rounds(done, begin) if rounds is None else done >= rounds or plan.over()):
            target.sample()
            done += 1
            plan.tell()
        target.close()
        rounds = done if rounds is None else min(rounds, done)
    return rounds


def time_targets(targets, amounts, *, seed=0, one_at_a_time=False, settle=None, cancelled=lambda: False, progress=lambda **_: None):
    """As much as `amounts` say, less where it is cancelled, or where two targets are settled as `settle` says (Settling).
    With one_at_a_time only one target is open at any time."""
    rng = random.Random(seed)
    plan, settling = Plan(targets, amounts, cancelled, progress), Settling(settle, targets)
    order = list(targets)
    load_of_round = []
    collecting = gc.isenabled()
    gc.disable()
    try:
        load = 0
        promising = False
        while load < plan.loads and len(load_of_round) < amounts.max_rounds and not plan.enough_loads(load, promising):
            plan.load = load
            rng.shuffle(order)
            done = rounds_apart(order, plan) if one_at_a_time else rounds_together(order, plan, rng, settling)
            load_of_round += [load] * done
            for target in targets:
                target.close()
                # A round that was cancelled may have left one target ahead.
                del target.wall_ms[len(load_of_round):], target.cpu_ms[len(load_of_round):]
            plan.tell(now_or_never=True)
            load += 1
            promising = settling.is_promising(load_of_round)
            if settling.is_settled(load_of_round, plan.most_loads(load, promising)):
                break
    finally:
        for target in targets:
            target.close()
        if collecting:
            gc.enable()
    return {"rounds": len(load_of_round), "loads": load_of_round, "seconds": time.perf_counter() - plan.start,
            "targets": [t.report() for t in targets]}
