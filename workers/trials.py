"""Two models on many inputs, of many kinds and sizes; judging.py judges what they give.

What proves nothing is counted, too: outputs of no elements and outputs that were never finite.
"""

import time

import numpy as np

from conditions import ENOUGH, Kept, TooLong, Watch, look_at
from conjunctions import hold_and_break
from definition import LEAST, MOST
from doubts import doubts_of
from draws import NONFINITE, ORDINARY, WAYS, WIDE, Candidates, Drawer, size_sets
from effort import LATE, LOADED
from effort import spent as clock
from first_sizes import first_sizes
from grids import Grids
from judging import Judge, comparable, identical, largest
from last_digits import beyond_noise, roundings
from rounds import Rounds
from steering import SECONDS, SHARE, steer
from sweeps import Sweep, larger_sizes

MOST_ELEMENTS = 1 << 22  # of an input at further sizes
MOST_PAIRS = 1 << 17     # of all inputs, where these are to hold all pairs of bytes
DIRECTIONS = 2           # in which inputs are nudged
FARTHER = 64             # a second share, by which a jump looks small
# Seconds for all combinations of integers (or a fifth of the limit), for all pairs, and where they do not suffice.
WHOLE, PAIRS, PART = 12.0, 5.0, 2.0
GRIDS = {"counted": 4.0, "between": 1.5, "few": 1.5, "halves": 1.0, "beside": 1.0, "magnitudes": 1.5}  # the same of numbers one after the other
PACE = 32                # runs by which that is told
ROUNDS = 20.0            # seconds for numbers of rounds that no other way met
DENIALS = 32             # differences that ONNX does not see, after which no more are looked for
HOLD, LIKE = 3.0, 32     # seconds for many comparisons at once; inputs among which some may meet them
MORE = 64                # beyond the ordinary draws


class Campaign:
    def __init__(self, first, second, sampler, arguments, kinds, request, cancelled):
        self.a, self.b, self.sampler, self.arguments, self.kinds = first, second, sampler, arguments, kinds
        self.tolerance = float(request.get("tolerance", 1e-4))
        self.candidates = Candidates(request.get("thresholds") or [], request.get("integers") or [], request.get("texts") or [],
                                     request.get("stored") or [], request.get("deciders"))
        self.pointwise = bool(request.get("pointwise"))  # infinity or NaN is what their functions are there
        self.overflow_differs = bool(request.get("overflow_differs"))  # what the first alone makes infinite
        self.loops = bool(request.get("loops"))  # what it does hangs on how often it goes round
        self.optional = request.get("optional") or []
        self.skip = set(request.get("skip") or [])
        self.seconds = float(request.get("seconds", 20))
        self.until, self.at_last = clock() + self.seconds, time.monotonic() + min(LOADED * self.seconds, self.seconds + LATE)
        self.cancelled = cancelled
        self.outputs = [o["name"] for o in first.model.outputs]
        self.tolerances = list(request.get("tolerances") or []) or [self.tolerance] * len(self.outputs)
        self.tolerances += [self.tolerance] * (len(self.outputs) - len(self.tolerances))
        self.runs, self.ran = 0, 0
        self.finite = [False] * len(self.outputs)   # a comparable element was seen
        self.elements = [False] * len(self.outputs)
        self.values = [set() for _ in self.outputs]  # two, of as many as each output of the first model had
        self.ways, self.sizes, self.worst = {}, [], 0.0
        self.notes = {}
        self.denies, self.denials = lambda seen, others: False, 0  # whether ONNX itself has the same outputs of both
        self.doubts, self.more = doubts_of(request), lambda number: None  # more: further ordinary inputs
        self.inner, self.expose = None, lambda: []  # runners of the models with all their values as outputs
        self.found, self.tried_all = None, False  # tried_all: all that inputs of these sizes may be
        self.too_long = 0
        self.without_empty = bool(request.get("without_empty"))  # a process that ran these models ended, of tame integers too
        self.symbols, self.larger_runs = [], None   # whether a run of many pairs is known to be possible
        self.watches = [Watch(request.get(key) or [], lambda names: None) for key in ("conditions_a", "conditions_b")]
        self.rounds = [Rounds(request.get(key) or [], lambda names: None) for key in ("rounds_a", "rounds_b")]
        self.kept = Kept()
        self.held = 0.0
        if any(w.movable() and w.unmet() for w in self.watches) and not sampler.given:
            self.held = min(SECONDS, self.left() / 8)  # for steering; ordinary ways leave it
        self.all_inputs = None  # of all inputs that there are: how many, and whether all gave the same bits

    def judges(self):
        return [Judge(t, self.doubts.nothing if number in self.doubts.shares else 0.0) for number, t in enumerate(self.tolerances)]

    def over(self):
        """Whether it is to end, whatever is left of what it may compute for."""
        return self.cancelled() or time.monotonic() > self.at_last

    def left(self):
        return 0 if self.over() else self.until - self.held - clock()

    def others(self, feed):
        """What both make of other inputs that were run."""
        feeds, runs = [kept for kept in self.kept.feeds if kept is not feed], []
        feeds += [more for more in map(self.more, range(LEAST - len(feeds))) if more]
        for kept in feeds[::max(1, len(feeds) // MOST)][:MOST]:
            try:
                runs.append((kept, self.a.run(kept), self.b.run(kept)))
            except TooLong:  # as it may have been when it was tried
                continue
        return [run for run in runs if not any(isinstance(out, str) for out in run[1:])]

    def denied(self, what, sizes, feed):
        """The runtime alone tells the models apart here; elsewhere they may differ all the same."""
        self.doubts.add(None, what, sizes, feed)
        self.denials += 1
        if self.denials == DENIALS:
            self.until, self.doubts.left_out = 0, what

    def never_seen(self):
        """What the conditions of both never were, for the report; none where all inputs were run, or few were looked at."""
        if self.tried_all and not self.symbols:
            return []
        return [{"in_first": not number, "name": name, "never": way, "of_sizes": name in watch.of_sizes()}
                for number, watch in enumerate(self.watches) for name, way in watch.unmet()
                if watch.looked >= ENOUGH or name in watch.of_sizes()]

    def few_rounds(self):
        """Loops of which not all numbers of rounds were run, for the report."""
        if self.sampler.given or (self.tried_all and not self.symbols):
            return []
        return [row for number, rounds in enumerate(self.rounds) for row in rounds.report(not number)]

    def did_run(self, feed):
        self.ran += 1
        for rounds in self.rounds:
            rounds.add(feed)

    def nudger(self, feed, number, least=None):
        """The output `number` of the first model on inputs moved by a known share (a twentieth of the tolerance, or `least`);
        None where no input is a float."""
        floats = [k for k, v in feed.items() if k in self.a.names and v.dtype.kind == "f"]
        if not floats:
            return None
        kept = []

        def nudged():
            if not kept:
                shares = [self.tolerance / 20 if least is None else least] + [4 * float(np.finfo(feed[k].dtype).eps) for k in floats]
                for i, share in ((i, max(shares) * times) for i in range(DIRECTIONS) for times in (1, FARTHER)):
                    rng = np.random.default_rng([5, i])
                    with np.errstate(all="ignore"):
                        # By shares that are apart: large numbers that cancel would move together.
                        moved = {k: (v.astype(np.float64) * (1 + share * rng.choice((-1.0, 1.0), v.shape) * rng.uniform(0.5, 1, v.shape)))
                                 .astype(v.dtype) if k in floats else v for k, v in feed.items()}
                    outputs = self.a.run(moved)
                    if not isinstance(outputs, str):
                        kept.append((outputs, share, i))
            return [(outputs[number], share, i) for outputs, share, i in kept]
        return nudged

    def magnitude(self, feed):
        """The largest finite value on the way to either model's outputs; infinite where it cannot be seen."""
        if self.inner is None:
            self.inner = self.expose()
        largest = 0.0
        for runner in self.inner:
            values = runner.run(feed)
            if isinstance(values, str):
                return np.inf
            for value in values:
                if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
                    with np.errstate(all="ignore"):
                        largest = max(largest, float(np.max(np.where(np.isfinite(value), np.abs(value.astype(np.float64)), 0))))
        return largest if self.inner else np.inf

    def without_last_digits(self, feed, number, x, y, way):
        """The second model's output `number` with the first one's elements where the inputs' last digits account for how the
        two differ; as it is where that would take too long to find out."""
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or (number in self.doubts.shares and way != "magnitudes"):
            return y
        try:
            with np.errstate(all="ignore"):
                gap = np.abs(x.astype(np.float64) - y)
            most = np.inf if way == "magnitudes" else roundings(self.magnitude(feed), x.dtype)
            return np.where(beyond_noise((self.a, self.b), feed, number, gap, most, self.over), y, x)
        except TooLong:
            return y

    def saw(self, number, x, y):
        """Counts what proves something: elements, and finite ones, of an output of both models."""
        if isinstance(x, np.ndarray):
            if len(self.values[number]) < 2:
                self.values[number].update(np.unique(x.ravel())[:2].tolist())
            self.elements[number] |= x.size > 0
            self.finite[number] |= x.size > 0 and (x.dtype.kind != "f" or comparable(x, y))
        else:
            self.elements[number] = self.finite[number] = True

    def attempt(self, feed, judges, way, regime, generic, sizes, learn=False, empty=False, ran=None):
        """Whether the first model ran. Sets `found` where they differ. `ran`: what both made of the feed, if they have been run."""
        self.runs += 1
        if way != "steered":
            self.kept.add(feed, regime == NONFINITE)
        one, two = ran or (self.a.run(feed), self.b.run(feed))
        if isinstance(one, str) or isinstance(two, str):
            if isinstance(one, str) != isinstance(two, str) and not empty:
                side, text = ("first", one) if isinstance(one, str) else ("second", two)
                undefined = "division by zero" in text  # for which ONNX has no number: who guards against it is another program
                if regime != NONFINITE and not self.skip and not undefined and self.denies((feed, one, two), self.others(feed)):
                    self.denied(f"only the {side} fails: {text[:300]}", sizes, feed)
                    return True
                self.found = {"output": -1, "kind": "error", "way": way, "sizes": sizes, "regime": regime,
                              "what": f"only the {side} fails: {text[:300]}", "feed": feed,
                              "a": None if isinstance(one, str) else one, "b": None if isinstance(two, str) else two}
            return not isinstance(one, str)
        self.did_run(feed)
        if learn:
            for judge, value in zip(judges, one):
                judge.learn(value)
        scale = largest(feed) if way in ("halves", "magnitudes") else 0.0
        for number, (x, y) in enumerate(zip(one, two)):
            if number in self.skip:
                continue
            magnitude = (lambda: self.magnitude(feed)) if way == "tiny" else None
            nudger = self.nudger(feed, number, 0.0 if way == "near" else None)  # by digits that such numbers share
            said = judges[number].difference(x, y, regime, generic, nudger, magnitude, scale)
            if said and said[0] == "values" and (held := self.without_last_digits(feed, number, x, y, way)) is not y:
                said = judges[number].difference(x, held, regime, generic, nudger, magnitude, scale)
            if said and said[0] == "values" and not judges[number].difference(x, self.doubts.believes(number, x, y), regime, generic, nudger, magnitude, scale):
                self.doubts.add(number, f"output {self.outputs[number]} {said[1]} ({way} inputs)", sizes, feed)
                said = None
            self.worst = max(self.worst, judges[number].worst)
            self.saw(number, x, y)
            if not said:
                continue
            kind, what = said
            if kind == "values" and regime == WIDE and "overflow" in self.notes:
                kind = "beyond"  # the first leaves the range of its type hereabouts
            if self.overflow_differs:
                kind = {"overflow": "finite", "beyond": "values"}.get(kind, kind)
            if kind == "kinds" and regime == NONFINITE and self.pointwise:
                kind = "values"
            if kind in ("kinds", "overflow", "beyond"):
                self.notes.setdefault(kind, f"output {self.outputs[number]} {what} ({way})")
                continue
            if kind == "values" and regime != NONFINITE and not self.skip and self.denies((feed, one, two), self.others(feed)):
                self.denied(f"output {self.outputs[number]} {what} ({way} inputs)", sizes, feed)
                return True
            self.found = {"output": number, "kind": kind, "way": way, "sizes": sizes, "regime": regime, "what": what, "feed": feed, "a": one, "b": two}
            return True
        self.ways[way] = self.ways.get(way, 0) + 1
        return True

    def feeds_of(self, drawer, way, number):
        feed = drawer.feed(way, number)
        if number % 2 == 0:  # inputs with defaults are left out
            for a in self.optional:
                feed.pop(a["name"], None)
        return feed

    def at(self, sizes, main):
        """All ways at one set of sizes; at further ones a few of each. Whether the first model runs there."""
        self.sampler.dims = {**self.sampler.dims, **sizes}
        drawer = Drawer(self.sampler, self.arguments + self.optional, self.candidates, self.kinds)
        drawer.tame = self.too_long >= 2
        if sum(int(np.prod(drawer.shape(a))) for a in self.arguments) > MOST_ELEMENTS and not main:
            return False
        self.kept, self.tried_all = Kept(), False
        self.more = lambda number: self.feeds_of(drawer, "normal", MORE + number)
        empty = any(0 in drawer.shape(a) for a in self.arguments)
        if empty and self.without_empty:  # a recurrence over no steps ends ONNX Runtime
            return False
        judges = self.judges()
        runs = self.drawn(drawer, judges, sizes, main, empty)
        if self.found or runs is None:
            return bool(runs)
        if main and not drawer.sampler.given and self.left() > 0:
            self.deal(drawer, judges, sizes)
            if not self.found and self.too_long < 2:
                self.sweep(drawer, judges, sizes)
            if not self.found and self.too_long < 2 and not self.tried_all:
                self.along_grids(drawer, judges, sizes)
            if not self.found and self.too_long < 2 and not self.tried_all:
                self.go_round(drawer, judges, sizes)
        if runs and not self.found and not drawer.sampler.given:
            self.turn(drawer, judges, sizes, main)
        return runs

    def drawn(self, drawer, judges, sizes, main, empty):
        """All ways of drawing. Whether the first model ran; None where it does not run at such sizes."""
        runs, begin = False, clock()
        for name, regime, generic, most in WAYS:
            count = drawer.draws(name, most if main else min(most, 3 if name == "normal" else 2))
            for number in range(count):
                if self.left() <= 0:
                    return runs
                try:
                    with np.errstate(all="ignore"):
                        ran = self.attempt(self.feeds_of(drawer, name, number), judges, name, regime, generic, sizes, learn=regime == ORDINARY and generic, empty=empty)
                except TooLong:
                    self.too_long += 1
                    break
                runs |= ran
                if name == "normal" and number == 0:
                    self.a.seconds = self.b.seconds = max(0.3, 20 * (clock() - begin))
                if self.found:
                    if name != "normal" or runs:
                        return True
                    self.found = None  # the first does not run at such sizes, whatever the second does
            if name == "normal" and not runs and self.symbols:
                return None  # where sizes are fixed it is integers that do not fit: others may
        return runs

    def turn(self, drawer, judges, sizes, main):
        """Conditions that were not seen both ways: are they, on what was run? If not, inputs are steered there."""
        self.held = 0.0
        feeds, special = self.kept.feeds, self.kept.special
        for runner in [w.open() for w in self.watches if w.unmet()]:
            if runner:
                runner.seconds = self.a.seconds
        look_at(self.watches, feeds if main else feeds[:8], max(0.5, self.left() / 8), self.sampler.seed)
        if main and self.too_long < 2 and not self.tried_all:
            # Of coarse numbers sums are exact in any order: an equality that holds there holds for both.
            bases = [self.feeds_of(drawer, *way) for way in (("coarse", 1), ("normal", 1), ("normal", 0))]
            shapes = {k: v.shape for k, v in bases[0].items()}
            like = [feed for feed in feeds if {k: v.shape for k, v in feed.items()} == shapes]
            bases += like[-1:]
            asked = self.sampler.bounds  # of a mask nothing else is meant
            held = [a["name"] for a in drawer.arguments if not drawer.varied(a) or (asked.get(a["name"]) or {}).get("values")]

            def attempt(feed, generic):
                if self.found or self.left() <= 0:
                    return True
                try:
                    with np.errstate(all="ignore"):
                        self.attempt(feed, judges, "steered", WIDE, generic, sizes)
                except TooLong:
                    self.too_long += 1
                    return self.too_long > 8
                if self.found and any(watch.tied(feed) for watch in self.watches):
                    self.found = None  # equal in one, in the other but for rounding
                return self.found is not None
            steer(self.watches, bases, min(SECONDS, self.left() / SHARE), attempt, self.sampler.seed, held, self.over)
            bases += like[::len(like) // LIKE + 1]
            hold_and_break(self.watches, bases, lambda feed: attempt(feed, False), min(HOLD, self.left() / SHARE), held, self.over)
        look_at(self.watches, special, 0.5, self.sampler.seed)

    def deal(self, drawer, judges, sizes):
        seconds = min(self.left(), 20.0)
        until = clock() + seconds
        for feed in drawer.dealt(lambda: min(self.left(), until - clock())):
            try:
                with np.errstate(all="ignore"):
                    self.attempt(feed, judges, "integers", ORDINARY, False, sizes)
            except TooLong:
                self.too_long += 1
                if self.too_long >= 2 and not drawer.tame:
                    drawer.tame = True
                    return self.deal(drawer, judges, sizes) if not self.found else None
                if self.too_long > 8:
                    return None
            if self.found:
                return None
        return None

    def sweep(self, drawer, judges, sizes):
        """All combinations of integers of few values, else every two of them."""
        sweep = Sweep(drawer)
        combinations = sweep.combinations(1 << 16) if self.symbols else sweep.combinations()
        if combinations:
            decks, count, whole = combinations
            done, exact = self.swept(sweep.every(decks, count), count, judges, "every", sizes, max(WHOLE, self.seconds / 5))
            self.tried_all = done == count
            if done == count and not self.symbols:
                if whole and not self.optional and not self.skip:
                    self.all_inputs = {"count": count, "exact": exact}
                return
        for count, feeds in sweep.alone():
            if not self.found:
                self.swept(feeds, count, judges, "values", sizes, PAIRS)
        if self.found or not sweep.bytes() or (self.symbols and self.sweep_larger()):
            return
        for count, feeds in (sweep.beside(), sweep.across()):
            if count and not self.found:
                self.swept(feeds, count, judges, "pairs", sizes, PAIRS)

    def sweep_larger(self):
        """At sizes at which a run covers many pairs, once; whether the first model runs at any."""
        if self.larger_runs is None:
            self.larger_runs, dims = False, self.sampler.dims
            try:
                self.larger_runs = any(self.sweep_at(sizes, dims) for sizes in larger_sizes(self.symbols))
            except TooLong:
                self.too_long += 1
            self.sampler.dims = dims
        return self.larger_runs

    def sweep_at(self, sizes, dims):
        self.sampler.dims = {**dims, **sizes}
        drawer = Drawer(self.sampler, self.arguments + self.optional, self.candidates, self.kinds)
        if sum(int(np.prod(drawer.shape(a))) for a in drawer.arguments) > MOST_PAIRS:
            return False
        judges = self.judges()
        for number in range(2):
            with np.errstate(all="ignore"):
                ran = self.attempt(self.feeds_of(drawer, "normal", number), judges, "normal", ORDINARY, True, sizes, learn=True)
            if not ran:
                self.found = None  # the first does not run at such sizes, whatever the second does
                return False
        self.sizes.append(sizes)
        count, feeds = Sweep(drawer).beside()
        if not self.found:
            self.swept(feeds, count, judges, "pairs", sizes, PAIRS)
        return True

    def along_grids(self, drawer, judges, sizes):
        """Small integers, vectors of few values, all orders, floats of every size."""
        grids = Grids(drawer)
        for way, regime, generic in (("counted", ORDINARY, False), ("between", ORDINARY, False), ("few", ORDINARY, False), ("halves", ORDINARY, False),
                                     ("beside", WIDE, False), ("magnitudes", WIDE, True)):
            # Where sums are taken, what cancels at such sizes leaves nothing that tells.
            parts = getattr(grids, way)() if way != "magnitudes" or self.pointwise else []
            for count, feeds in parts:
                if self.found:
                    return
                patient = self.loops and way == "counted"
                seconds = max(GRIDS[way], self.seconds / 3) if patient else GRIDS[way] / (len(parts) if way in ("between", "magnitudes") else 1)
                self.swept(feeds, count, judges, way, sizes, seconds, regime, generic, patient)

    def go_round(self, drawer, judges, sizes):
        """Loops as often as they were not run yet, mostly the least often first."""
        until = clock() + min(max(ROUNDS, self.seconds / 3), self.left() / 2)
        for feed in (feed for _, feeds in Grids(drawer).counted() for feed in feeds):
            if self.found or self.too_long > 8 or clock() > until or self.left() <= 0 or not any(r.missing() for r in self.rounds):
                return
            try:
                if any(rounds.fresh(feed) for rounds in self.rounds):
                    with np.errstate(all="ignore"):
                        self.attempt(feed, judges, "rounds", ORDINARY, False, sizes)
            except TooLong:
                self.too_long += 1
                return

    def swept(self, feeds, count, judges, way, sizes, seconds, regime=ORDINARY, generic=False, patient=False):
        """How many of the feeds were run, and whether all of these gave the same bits on both sides. Less time is taken
        where these seconds do not suffice for all, unless it is to be patient."""
        begin, done, exact = clock(), 0, True
        seconds = min(seconds, self.left() / 2)
        for feed in feeds:
            spent = clock() - begin
            if not patient and done == PACE and spent / done * count > seconds:
                seconds = min(PART, seconds)
            if spent > seconds or self.left() <= 0 or self.too_long > 8:
                break
            if done % 256 == 0:
                self.kept.add(feed, False)
            try:
                ran = self.a.run(feed), self.b.run(feed)
                if not self.same(feed, *ran, way):
                    exact = False
                    with np.errstate(all="ignore"):
                        self.attempt(feed, judges, way, regime, generic, sizes, ran=ran)
            except TooLong:
                self.too_long += 1
                exact = False
            done += 1
            if self.found:
                break
        return done, exact

    def same(self, feed, one, two, way):
        """Whether both ran to the same bits, or neither did. Counted only where it is so."""
        if isinstance(one, str) or isinstance(two, str):
            alike = isinstance(one, str) and isinstance(two, str)
            self.runs += alike
            return alike
        if not all(number in self.skip or identical(x, y) for number, (x, y) in enumerate(zip(one, two))):
            return False
        self.runs += 1
        self.did_run(feed)
        self.ways[way] = self.ways.get(way, 0) + 1
        if not all(self.finite) or any(len(v) < 2 for v in self.values):
            for number, x in enumerate(one):
                self.saw(number, x, x)
        return True

    def run(self, symbols, bases, constants):
        self.symbols = symbols
        if not symbols or self.sampler.given:
            self.run_at([bases[0] if bases else {}], max(1, len(bases)))
            return self
        turns, named = first_sizes(self, symbols, bases, constants, MOST_ELEMENTS)
        self.run_at(turns, 0, self.seconds / 4)
        self.run_at(named, 0, self.seconds / 8)
        plan = size_sets(symbols, bases, constants, self.sampler.seed)
        self.run_at([sizes for sizes in plan if sizes in bases or sizes not in turns + named], max(1, len(bases)))
        return self

    def run_at(self, plan, many, seconds=float("inf")):
        """At these sets of sizes, on many inputs at the first so many, of which one has to run."""
        mains, end = 0, clock() + seconds
        for number, sizes in enumerate(plan):
            if self.left() <= 0 or self.found or clock() > end:
                break
            begin = clock()
            main = number < many or (many > 0 and mains == 0)
            if self.at(sizes, main):
                mains += main
                if self.symbols:
                    self.sizes.append(sizes)
            if clock() - begin > self.left() and not self.found:
                break
