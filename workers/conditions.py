"""The conditions of a model: which of them were seen true and false on the inputs that were run.

A condition is a comparison of the main graph, what joins some (And, Or, Not), or a number that is cast to a bool, that the
elements of inputs decide, or sizes of dynamic dimensions alone (src/recipes/conditions.h).
"""

import itertools

import numpy as np

from effort import spent as clock

MOST_BYTES, MOST_FEEDS = 1 << 28, 400  # of feeds that are kept to be looked at
ROUNDINGS, FEWER = 64, 4  # of sums in another order; of 16 bits
ENOUGH = 16              # feeds that were looked at, before it is said what was not seen
WANTED = {("Equal", True): "=", ("Equal", False): "!", ("Less", True): "<", ("Less", False): ">=", ("LessOrEqual", True): "<=",
          ("LessOrEqual", False): ">", ("Greater", True): ">", ("Greater", False): "<=", ("GreaterOrEqual", True): ">=",
          ("GreaterOrEqual", False): "<"}


class TooLong(Exception):
    """A run was ended: a loop of 2^40 rounds, say."""


class Watch:
    """The conditions of one model. `expose`: gives a runner of the model whose outputs the named values are too, or None."""

    def __init__(self, conditions, expose):
        self.conditions = {c["name"]: c for c in conditions}
        self.seen = {name: {True: False, False: False} for name in self.conditions}
        self.expose, self.runner, self.looked = expose, None, 0
        self.known_goals = {}

    def open(self):
        if self.runner is None:
            names = dict.fromkeys(name for c in self.conditions.values() for name in (c["name"], *c["operands"]))
            self.runner = self.expose(list(names)) or self.expose(list(self.conditions)) or False
        return self.runner

    def values(self, feed, names):
        """These values on the inputs, or None."""
        runner = self.open()
        if not runner:
            return None
        names = list(dict.fromkeys(names))
        try:
            values = runner.run(feed, names)
        except TooLong:
            return None
        return None if isinstance(values, str) else dict(zip(names, values))

    def unmet(self):
        """[(name, what it never was)]; what a Not never was its operand tells."""
        return [(name, way) for name, c in self.conditions.items() if c["op"] != "Not" for number, way in enumerate((True, False))
                if c["can"][number] and not self.seen[name][way]]

    def of_sizes(self):
        """Names of those that sizes alone decide: no elements move them."""
        return [name for name, c in self.conditions.items() if c.get("of_sizes")]

    def movable(self):
        """Those that elements decide."""
        return {name: c for name, c in self.conditions.items() if not c.get("of_sizes")}

    def look(self, feed):
        names = list(dict.fromkeys(name for name, _ in self.unmet()))
        values = self.values(feed, names) if names else None
        if values is None:
            return
        self.looked += 1
        for name, value in values.items():
            if isinstance(value, np.ndarray) and value.size:
                self.seen[name][True] |= bool(value.any())
                self.seen[name][False] |= not value.all()

    def shows(self, feed, name, way):
        """Whether the condition is so in some element."""
        values = self.values(feed, [name])
        return values is not None and bool(np.any(values[name] == way))

    def tied(self, feed):
        """Whether floats are compared that are unequal by a few roundings only."""
        two = [c["operands"] for c in self.conditions.values() if len(c["operands"]) == 2 and c["op"] not in ("And", "Or")]
        values = self.values(feed, [x for operands in two for x in operands]) if two else None
        # What cancels is off by a share of what it was computed from.
        floats = [v for v in feed.values() if v.dtype.kind == "f" and v.size]
        least = max((float(np.max(np.abs(v), initial=0, where=np.isfinite(v))) for v in floats), default=0.0)
        for a, b in ([values[x] for x in operands] for operands in two) if values else ():
            if a.dtype.kind != "f" or a.dtype != b.dtype:
                continue
            share = (ROUNDINGS if a.dtype.itemsize > 2 else FEWER) * float(np.finfo(a.dtype).eps)
            with np.errstate(all="ignore"):
                gap = np.abs(a.astype(np.float64) - b)
                if np.any((gap > 0) & (gap <= share * np.maximum(np.maximum(np.abs(a), np.abs(b)), least))):
                    return True
        return False

    def goals(self, name, way, most=4):
        """Sets of [(left, right, relation)] any of which makes the condition so."""
        if (name, way) not in self.known_goals:
            self.known_goals[name, way] = self.find_goals(name, way, most)
        return self.known_goals[name, way]

    def find_goals(self, name, way, most):
        c = self.movable().get(name)
        if c is None or c["op"] == "Cast":
            return [[]]  # some bool, what sizes decide, or what is counted: left as it is
        if c["op"] == "Not":
            return self.goals(c["operands"][0], not way, most)
        if (c["op"], way) in WANTED:
            return [[(*c["operands"], WANTED[c["op"], way])]]
        of_each = [self.goals(x, way, most) for x in c["operands"]]
        if (c["op"] == "And") == way:  # all of them
            return [sum(some, []) for some in itertools.islice(itertools.product(*of_each), most)]
        return [goal for goals in of_each for goal in goals if goal][:most]

    def bands(self, feeds):
        """Between two thresholds of one value, whatever guards what."""
        borders = {}
        ordered = [c for c in self.movable().values() if c["op"] != "Equal" and c["op"] in {op for op, _ in WANTED}]
        names = [x for c in ordered for x in c["operands"]]
        values = [self.values(feed, names) for feed in feeds] if names else []
        if not values or any(v is None for v in values):
            return
        for c in ordered:
            for number, name in enumerate(c["operands"]):
                seen = [v[name] for v in values]
                if seen[0].size == 1 and seen[0].dtype.kind in "iuf" and all(np.array_equal(v, seen[0]) for v in seen):
                    borders.setdefault(c["operands"][1 - number], {})[seen[0].item()] = name
        for value, names in borders.items():
            for low, high in itertools.pairwise(sorted(names)):
                yield [(value, names[low], ">"), (value, names[high], "<")]


class Kept:
    """Inputs that were run, a few of them, to be looked at: those of infinities and NaN apart."""

    def __init__(self):
        self.feeds, self.special, self.bytes = [], [], 0

    def add(self, feed, special):
        size = sum(v.nbytes for v in feed.values() if isinstance(v, np.ndarray))
        if len(self.feeds) + len(self.special) < MOST_FEEDS and (self.bytes + size <= MOST_BYTES or len(self.feeds) < 3):
            self.bytes += size
            (self.special if special else self.feeds).append(feed)


def look_at(watches, feeds, seconds, seed=0):
    """Until all conditions were seen both ways, or the time is over; a few at least."""
    until = clock() + seconds
    order = np.random.default_rng([seed, 41]).permutation(len(feeds))
    for number, place in enumerate(order):
        if not any(w.unmet() for w in watches) or (number >= 4 and clock() > until):
            break
        for watch in watches:
            watch.look(feeds[place])
