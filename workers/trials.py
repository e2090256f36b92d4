"""Two models on many inputs, of many kinds and sizes, judged element by element.

What an element may be off by is what rounding could do to what it was computed from. How large that was shows in the
first model itself: its largest value on ordinary inputs, and how much it moves when every input is moved by a known
share (an element that is the difference of large numbers moves far). Nothing of it lets a jump pass: a jump is no
larger for a larger share, and among ordinary numbers the output's largest element is the limit. So a small output, or
a small column beside large ones, is held to its own size.

What proves nothing is counted, too: outputs of no elements and outputs that were never finite.
"""

import os
import tempfile
import threading
import time

import numpy as np

from draws import NONFINITE, ORDINARY, WAYS, WIDE, Candidates, Drawer, size_sets

MOST_ELEMENTS = 1 << 22  # of an input at further sizes
DIRECTIONS = 2           # in which inputs are nudged
FARTHER = 64             # a second share, by which a jump looks small


class TooLong(Exception):
    """A run was ended: a loop of 2^40 rounds, say."""


class Runner:
    """Runs a model, for at most `seconds` a run: a thread of its own tells the runtime to stop."""

    def __init__(self, model, ort):
        self.model, self.ort, self.seconds, self.names = model, ort, 10.0, {i["name"] for i in model.inputs}
        self.names |= {o.name for o in model.session.get_overridable_initializers()}
        self.options, self.until, self.ended = None, float("inf"), False
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while self.model is not None:
            time.sleep(0.05)
            options = self.options
            if options is not None and time.monotonic() > self.until:
                self.ended = options.terminate = True

    def close(self):
        self.model = None

    def run(self, feed):
        """Outputs, or a text that says why not."""
        options = self.ort.RunOptions()
        options.log_severity_level = 4
        self.ended, self.until = False, time.monotonic() + self.seconds
        self.options = options
        try:
            return self.model.session.run(None, {k: v for k, v in feed.items() if k in self.names}, options)
        except MemoryError:
            raise TooLong from None
        except Exception as error:  # noqa: BLE001: the runtime throws many types
            text = str(error)
            if self.ended or "terminate" in text or "alloc" in text.lower():
                raise TooLong from None
            return text
        finally:
            self.options = None


def comparable(x, y):
    """Whether some element is finite on both sides."""
    return x.shape == getattr(y, "shape", None) and bool(np.any(np.isfinite(x) & np.isfinite(y)))


class Judge:
    """One output at one set of sizes."""

    def __init__(self, tolerance):
        self.tolerance = tolerance
        self.usual = None   # of each element, the largest on ordinary inputs
        self.worst = 0.0    # largest difference of an element, relative to what it is, usually is, and was computed from

    def learn(self, value):
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
            return
        size = np.where(np.isfinite(value), np.abs(value), 0).astype(np.float64)
        if self.usual is None or self.usual.shape != size.shape:
            self.usual = size
        else:
            self.usual = np.maximum(self.usual, size)

    def difference(self, a, b, regime, generic, nudged, magnitude=None):
        """"" where they agree, else what differs: a word of "types", "shapes", "values", "finite" (only the first is),
        "kinds" (neither is), "overflow" (only the second is, at wide inputs), and the place. `nudged`: a function that gives
        the same output on nudged inputs, and by which share those were moved; or None. `magnitude`: one that gives the
        largest of all values on the way, where they are much smaller than usual."""
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            if len(a) != len(b):
                return "shapes", f"{len(a)} and {len(b)} elements"
            for x, y in zip(a, b):
                found = Judge(self.tolerance).difference(x, y, regime, generic, None)
                if found:
                    return found
            return None
        if a is None or b is None or isinstance(a, (list, tuple, dict)) or isinstance(b, (list, tuple, dict)):
            return None if a is b or (type(a) is type(b) and repr(a) == repr(b)) else ("types", f"{type(a).__name__} and {type(b).__name__}")
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype:
            return "types", f"{a.dtype} against {b.dtype}"
        if a.shape != b.shape:
            return "shapes", f"{list(a.shape)} against {list(b.shape)}"
        if a.dtype.kind == "c":
            a, b = np.stack([a.real, a.imag]), np.stack([b.real, b.imag])
        if a.dtype.kind != "f":
            return self._exact(a, b, generic, nudged)
        return self._floats(a, b, regime, generic, nudged, magnitude)

    def _exact(self, a, b, generic, nudged):
        unequal = a != b
        if not np.any(unequal):
            return None
        if generic and nudged is not None and a.dtype.kind in "iub":
            # Rounding may move a number across a step; where the first model's own result moves so, nothing is said.
            for other, *_ in nudged():
                if isinstance(other, np.ndarray) and other.shape == a.shape:
                    unequal &= other == a
        if not np.any(unequal):
            return None
        at = np.unravel_index(int(np.argmax(unequal)), a.shape) if a.shape else ()
        return "values", f"at {list(map(int, at))}: {a[at]} against {b[at]}"

    def _floats(self, a, b, regime, generic, nudged, magnitude):
        x, y = a.astype(np.float64), b.astype(np.float64)
        fx, fy = np.isfinite(x), np.isfinite(y)
        with np.errstate(all="ignore"):
            gap = np.where(fx & fy, np.abs(x - y), 0)
            size = np.where(fx, np.abs(x), 0)
        usual = self.usual if self.usual is not None and self.usual.shape == x.shape else np.zeros(x.shape)
        moves = nudged is not None
        # What was usual says nothing of an element that is far from it, as all others are.
        floor = np.minimum(usual, max(float(np.max(np.where(fy, size, 0), initial=0)), 1.0))
        if magnitude is not None and np.any(gap > self.tolerance * size):
            floor = np.minimum(floor, magnitude())
        allowed, scale = self.tolerance * (size + (1e-2 if moves else 1.0) * floor), size + usual
        if np.any(gap > allowed) and moves:
            top = max(float(np.max(size, initial=0)), float(np.max(usual, initial=0)))
            moved, jumps, ways = np.zeros(x.shape), np.zeros(x.shape), {}
            for other, share, direction in nudged():
                if not isinstance(other, np.ndarray) or other.shape != x.shape:
                    continue
                with np.errstate(all="ignore"):
                    step = np.abs(other.astype(np.float64) - x)
                step = np.where(np.isfinite(step), step, 0)
                ways[direction] = np.minimum(ways.get(direction, np.inf), step / share)
                jumps = np.maximum(jumps, step)
            for way in ways.values():
                moved = np.maximum(moved, way)
            if regime == ORDINARY:
                moved = np.minimum(moved, top)
            allowed, scale = allowed + self.tolerance * moved, scale + moved
            if generic:
                allowed = np.maximum(allowed, np.where(2 * jumps >= gap, gap, 0))
        found = gap > allowed
        if np.any(found):
            return "values", self._place(np.where(found, gap, 0), x, y)
        if regime == ORDINARY:
            with np.errstate(all="ignore"):
                self.worst = max(self.worst, float(np.max(np.where(gap > 0, gap / np.maximum(scale, 1e-300), 0), initial=0)))
        lost, made = fx & ~fy, ~fx & fy
        if np.any(lost):
            return "finite", self._place(lost, x, y)
        if np.any(made):
            return ("overflow" if regime == WIDE else "finite"), self._place(made, x, y)
        with np.errstate(all="ignore"):
            kinds = ~fx & ~((x == y) | (np.isnan(x) & np.isnan(y)))
        if np.any(kinds):
            return ("kinds" if regime != ORDINARY else "values"), self._place(kinds, x, y)
        return None

    @staticmethod
    def _place(weight, x, y):
        at = np.unravel_index(int(np.argmax(weight)), x.shape) if x.shape else ()
        return f"at {list(map(int, at))}: {x[at]:.9g} against {y[at]:.9g}"


class Campaign:
    def __init__(self, first, second, sampler, arguments, kinds, request, cancelled):
        self.a, self.b, self.sampler, self.arguments, self.kinds = first, second, sampler, arguments, kinds
        self.tolerance = float(request.get("tolerance", 1e-4))
        self.candidates = Candidates(request.get("thresholds") or [], request.get("integers") or [])
        self.optional = request.get("optional") or []
        self.skip = set(request.get("skip") or [])
        self.until = time.monotonic() + float(request.get("seconds", 20))
        self.cancelled = cancelled
        self.outputs = [o["name"] for o in first.model.outputs]
        self.tolerances = list(request.get("tolerances") or []) or [self.tolerance] * len(self.outputs)
        self.tolerances += [self.tolerance] * (len(self.outputs) - len(self.tolerances))
        self.runs, self.ran = 0, 0
        self.finite = [False] * len(self.outputs)   # a comparable element was seen
        self.elements = [False] * len(self.outputs)
        self.ways, self.sizes, self.worst = {}, [], 0.0
        self.notes = {}
        self.inner, self.expose = None, lambda: []  # runners of the models with all their values as outputs
        self.found = None
        self.too_long = 0

    def left(self):
        return 0 if self.cancelled() else self.until - time.monotonic()

    def nudger(self, feed, number):
        """The output `number` of the first model on inputs moved by a known share; None where no input is a float."""
        floats = [k for k, v in feed.items() if k in self.a.names and v.dtype.kind == "f"]
        if not floats:
            return None
        kept = []

        def nudged():
            if not kept:
                least = max([self.tolerance / 20] + [4 * float(np.finfo(feed[k].dtype).eps) for k in floats])
                for i, share in ((i, least * times) for i in range(DIRECTIONS) for times in (1, FARTHER)):
                    rng = np.random.default_rng([5, i])
                    with np.errstate(all="ignore"):
                        moved = {k: (v.astype(np.float64) * (1 + share * rng.choice((-1.0, 1.0), v.shape))).astype(v.dtype)
                                 if k in floats else v for k, v in feed.items()}
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

    def attempt(self, feed, judges, way, regime, generic, sizes, learn=False, empty=False):
        """Whether the first model ran. Sets `found` where they differ."""
        self.runs += 1
        one = self.a.run(feed)
        two = self.b.run(feed)
        if isinstance(one, str) or isinstance(two, str):
            if isinstance(one, str) != isinstance(two, str) and not empty:
                side, text = ("first", one) if isinstance(one, str) else ("second", two)
                self.found = {"output": -1, "kind": "error", "way": way, "sizes": sizes, "regime": regime,
                              "what": f"only the {side} fails: {text[:300]}", "feed": feed,
                              "a": None if isinstance(one, str) else one, "b": None if isinstance(two, str) else two}
            return not isinstance(one, str)
        self.ran += 1
        if learn:
            for judge, value in zip(judges, one):
                judge.learn(value)
        for number, (x, y) in enumerate(zip(one, two)):
            if number in self.skip:
                continue
            magnitude = (lambda: self.magnitude(feed)) if way == "tiny" else None
            said = judges[number].difference(x, y, regime, generic, self.nudger(feed, number), magnitude)
            self.worst = max(self.worst, judges[number].worst)
            if isinstance(x, np.ndarray):
                self.elements[number] |= x.size > 0
                self.finite[number] |= x.size > 0 and (x.dtype.kind != "f" or comparable(x, y))
            else:
                self.elements[number] = self.finite[number] = True
            if not said:
                continue
            kind, what = said
            if kind == "values" and regime == WIDE and "overflow" in self.notes:
                kind = "overflow"  # the first leaves the range of its type hereabouts
            if kind in ("kinds", "overflow"):
                self.notes.setdefault(kind, f"output {self.outputs[number]} {what} ({way})")
                continue
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
        empty = any(0 in drawer.shape(a) for a in self.arguments)
        judges = [Judge(t) for t in self.tolerances]
        runs = False
        begin = time.monotonic()
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
                    self.a.seconds = self.b.seconds = max(0.3, 20 * (time.monotonic() - begin))
                if self.found:
                    if name == "normal" and not runs:
                        self.found = None  # the first does not run at such sizes, whatever the second does
                        return False
                    return True
            if name == "normal" and not runs:
                return False
        if main and not drawer.sampler.given:
            self.deal(drawer, judges, sizes)
        return runs

    def deal(self, drawer, judges, sizes):
        seconds = min(self.left(), 20.0)
        until = time.monotonic() + seconds
        for feed in drawer.dealt(lambda: min(self.left(), until - time.monotonic())):
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

    def run(self, symbols, bases, constants):
        plan = size_sets(symbols, bases, constants, self.sampler.seed) if symbols and not self.sampler.given else [bases[0] if bases else {}]
        mains = 0
        for number, sizes in enumerate(plan):
            if self.left() <= 0 or self.found:
                break
            begin = time.monotonic()
            main = number < max(1, len(bases)) or mains < 1
            if self.at(sizes, main):
                mains += main
                if symbols:
                    self.sizes.append(sizes)
            if time.monotonic() - begin > self.left() and not self.found:
                break
        return self


def write_witness(path, found, names):
    """Inputs under their names, what the models made of them as a/NAME and b/NAME."""
    arrays = {name: value for name, value in found["feed"].items() if isinstance(value, np.ndarray) and value.dtype != object}
    for side in "ab":
        for name, value in zip(names, found[side] or []):
            if isinstance(value, np.ndarray) and value.dtype != object:
                arrays[f"{side}/{name}"] = value
    folder, name = os.path.split(os.path.abspath(os.path.realpath(path)))
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".isomer-witness-", delete=False) as file:
        np.savez(file, **arrays)
    os.replace(file.name, os.path.join(folder, name))
