"""Inputs that turn a condition (conditions.py).

Two models that are told apart by `x * 3 == 222222` agree on all inputs that anybody draws. So the comparisons of both, and
what joins them (And, Or, Not), are watched: each should be seen true and seen false (so are numbers that are cast to bools,
which nothing is steered to). For one that was not, the operands
are looked at, and inputs are steered to where it turns: which elements move the operands is found by halving, how far they
have to go by Newton's steps over exact fractions, which hit at once where all is linear, integers included. Where integers
are not (bits, products that wrap), bits are flipped as long as more of the two operands agree.
"""

import itertools
from fractions import Fraction

import numpy as np

from effort import spent as clock

SECONDS, SHARE = 5.0, 3  # for steering, and which part of what is left it may take
STEPS = 24               # of Newton's
CLIMB, MOST_SIZE = 300, 1e3  # random steps; how large numbers become by them
ONE_BY_ONE = 512         # integers and bools that are moved one after the other
STRIDES = (1 << 20, 1 << 16, 1 << 12, 256, 64, 16, 4, 2, 1)
BANDS, PAIRS = 8, 10     # between two thresholds; two equalities at once
AT_ONCE = 8              # comparisons that are solved together
HITS = 2                 # inputs that turn a condition, from one to begin with
HOLDS = {"=": lambda g: g == 0, "!": lambda g: g != 0, "<": lambda g: g < 0, ">": lambda g: g > 0, "<=": lambda g: g <= 0,
         ">=": lambda g: g >= 0}
MARGINS = (1e-2, 1e-1, 1e-3, 1e-5, 1)  # how far beyond a border, of it


class Steering:
    """Of one watch, from one set of inputs, at one place of what is compared. `held`: inputs that are not changed."""

    def __init__(self, watch, feed, goal, place, left, rng, held=()):
        self.watch, self.feed, self.goal, self.place, self.left, self.rng = watch, feed, goal, place, left, rng
        self.names = [name for leaf in goal for name in leaf[:2]]
        self.inputs = [k for k, v in feed.items() if v.dtype.kind in "iuf" and v.size and k not in held]
        self.movable = [k for k, v in feed.items() if v.dtype.kind in "biu" and v.size and k not in held]

    def with_values(self, variables, values):
        feed = dict(self.feed)
        for (name, index), value in zip(variables, values):
            if feed[name] is self.feed[name]:
                feed[name] = feed[name].copy()
            feed[name].flat[index] = value
        return feed

    def operands(self, feed):
        """[(left, right)] of each comparison at the place; None where they cannot be had."""
        if self.left() <= 0:
            return None
        with np.errstate(all="ignore"):
            values = self.watch.values(feed, self.names)
        if values is None:
            return None
        try:
            shape = np.broadcast_shapes(*(v.shape for v in values.values()))
            at = np.unravel_index(self.place, shape)
            out = [tuple(np.broadcast_to(values[name], shape)[at].item() for name in leaf[:2]) for leaf in self.goal]
        except (ValueError, AttributeError, IndexError):
            return None
        fine = all(isinstance(x, (int, float)) and abs(x) < np.inf for two in out for x in two)
        return out if fine else None

    def gaps(self, feed):
        two = self.operands(feed)
        return None if two is None else [Fraction(a) - Fraction(b) for a, b in two]

    def met(self, gaps):
        return all(HOLDS[leaf[2]](g) for leaf, g in zip(self.goal, gaps))

    def fits(self, name, value):
        """The value as the input's type has it, within its range."""
        kind = self.feed[name].dtype
        if kind.kind == "f":
            info = np.finfo(kind)
            return float(kind.type(min(max(value, float(info.min)), float(info.max))))
        info = np.iinfo(kind)
        return min(max(int(round(value)), int(info.min)), int(info.max))

    def value(self, name, index):
        return self.feed[name].flat[index].item()

    # Which elements move the operands

    def moved(self, name, indices, scale, base):
        """Of each comparison, whether its operands part otherwise with these elements changed."""
        if self.left() <= 0:
            return [False] * len(base)
        feed, array = dict(self.feed), self.feed[name].copy()
        values, kind = array.flat[indices], array.dtype
        with np.errstate(all="ignore"):
            if kind.kind == "f":
                by = scale * np.maximum(1.0, np.abs(values.astype(np.float64))) * self.rng.uniform(0.5, 1, len(values))
                top = float(np.finfo(kind).max)
                new = np.clip(values + by, -top, top).astype(kind)
                array.flat[indices] = np.where(new != values, new, np.clip(values - by, -top, top).astype(kind))
            else:  # may wrap: it is another number all the same
                array.flat[indices] = values + (scale * self.rng.integers(1, 3, len(values))).astype(kind)
        feed[name] = array
        gaps = self.gaps(feed)
        return [False] * len(base) if gaps is None else [a != b for a, b in zip(gaps, base)]

    def one_of(self, name, indices, scale, base, leaf):
        """An element among these that moves it."""
        while len(indices) > 1:
            half = len(indices) // 2
            indices = next((part for part in (indices[:half], indices[half:]) if self.moved(name, part, scale, base)[leaf]), None)
            if indices is None:
                return None
        return int(indices[0])

    def variables(self, base):
        out = []
        for name in self.inputs:
            size = self.feed[name].size
            scales = (1e-2, 1.0, 100.0) if self.feed[name].dtype.kind == "f" else (1, 32, 4096)
            if self.left() <= 0:
                break
            for leaf in range(len(base)):
                indices = list(range(size))
                scale = next((s for s in scales if self.moved(name, indices, s, base)[leaf]), None)
                if scale is None:
                    continue
                for _ in range(2):
                    found = self.place if self.place in indices and self.moved(name, [self.place], scale, base)[leaf] else None
                    if found is None and self.moved(name, indices, scale, base)[leaf]:
                        found = self.one_of(name, indices, scale, base, leaf)
                    if found is None:
                        break
                    indices.remove(found)
                    if (name, found) not in out:
                        out.append((name, found))
        return out

    # How far they have to go

    def slopes(self, variables, values, gaps, number):
        """How each comparison moves with each variable, or None where one moves none."""
        columns = []
        for j, (name, _) in enumerate(variables):
            kind = self.feed[name].dtype.kind
            step = max(1.0, abs(values[j])) * (1e-2 if number == 0 else 1e-3) if kind == "f" else 1
            for factor in (1, 64, 4096):
                new = self.fits(name, values[j] + step * factor)
                new = new if new != values[j] else self.fits(name, values[j] - step * factor)
                other = self.gaps(self.with_values(variables, [*values[:j], new, *values[j + 1:]]))
                if other is not None and other != gaps and new != values[j]:
                    columns.append([(b - a) / (Fraction(new) - Fraction(values[j])) for a, b in zip(gaps, other)])
                    break
            else:
                return None
        return columns

    def beyond(self, border, margin, up, strict, whole):
        """A number on that side of the border."""
        if whole:
            return Fraction((border.__floor__() + 1 if strict else border.__ceil__()) if up
                            else (border.__ceil__() - 1 if strict else border.__floor__()))
        return border + (1 if up else -1) * Fraction(margin) * max(1, abs(border))

    def along_one(self, value, gaps, slopes, number, whole):
        """Where one variable has to be for all comparisons."""
        low = high = None
        free = None
        for (_, _, relation), gap, slope in zip(self.goal, gaps, slopes):
            if slope == 0:
                if not HOLDS[relation](gap):
                    return None
                continue
            border = Fraction(value) - gap / slope
            if relation == "=":
                return border
            up = (relation[0] != "<") == (slope > 0)
            free = self.beyond(border, MARGINS[number % len(MARGINS)], up, len(relation) == 1, whole)
            if up:
                low = border if low is None else max(low, border)
            else:
                high = border if high is None else min(high, border)
        return (low + high) / 2 if low is not None and high is not None else free

    def newton(self, variables):
        """Inputs that do it, and the values of the variables there; or None."""
        values = [self.value(*v) for v in variables]
        for number in range(STEPS):
            feed = self.with_values(variables, values)
            gaps = self.gaps(feed)
            if gaps is None:
                return None
            if self.met(gaps):
                return feed
            slopes = self.slopes(variables, values, gaps, number)
            if slopes is None:
                return None
            if len(variables) == 1:
                whole = self.feed[variables[0][0]].dtype.kind != "f"
                to = self.along_one(values[0], gaps, slopes[0], number, whole)
                to = None if to is None else [to]
            else:
                margin = Fraction(MARGINS[number % len(MARGINS)])
                aims = [0 if r == "=" else g if HOLDS[r](g) else (-1 if r[0] == "<" else 1) * margin * max(1, abs(g))
                        for (_, _, r), g in zip(self.goal, gaps)]
                by = solved(zip(*slopes), [t - g for t, g in zip(aims, gaps)])
                to = None if by is None else [Fraction(v) + d for v, d in zip(values, by)]
            if to is None:
                return None
            new = [self.fits(name, v) for (name, _), v in zip(variables, to)]
            if new == values:
                return self.beside(variables, values)
            values = new
        return self.beside(variables, values)

    def beside(self, variables, values):
        """Rounding may have put a step just beside: the next numbers."""
        for j, (name, _) in enumerate(variables):
            kind = self.feed[name].dtype
            for by in (-2, -1, 1, 2):
                new = values[j] + by
                if kind.kind == "f":
                    new = kind.type(values[j])
                    for _ in range(abs(by)):
                        new = np.nextafter(new, kind.type(np.inf if by > 0 else -np.inf))
                feed = self.with_values(variables, [*values[:j], self.fits(name, float(new) if kind.kind == "f" else new), *values[j + 1:]])
                gaps = self.gaps(feed)
                if gaps is not None and self.met(gaps):
                    return feed
        return None

    # Bits

    def bits(self, variables, score):
        """Bits are flipped, the lowest first, as long as that lessens the score."""
        values = [self.value(*v) for v in variables]
        two = self.operands(self.with_values(variables, values))
        best = None if two is None else score(two)
        for _ in range(3):
            before = best
            for bit in range(max(8 * self.feed[name].dtype.itemsize for name, _ in variables)):
                for j, (name, _) in enumerate(variables):
                    kind = self.feed[name].dtype
                    if bit >= 8 * kind.itemsize or best is None:
                        continue
                    flipped = np.array(values[j], kind)
                    flipped = (flipped.view(f"u{kind.itemsize}") ^ np.array(1 << bit, f"u{kind.itemsize}")).view(kind).item()
                    feed = self.with_values(variables, [*values[:j], flipped, *values[j + 1:]])
                    two = self.operands(feed)
                    if two is None:
                        continue
                    if all(a == b for a, b in two):
                        return feed
                    if score(two) < best:
                        best, values[j] = score(two), flipped
            if best == before:
                return None
        return None

    # Anything

    def short(self, gaps):
        """By how much the comparisons are missed."""
        return sum(abs(float(g)) for (_, _, relation), g in zip(self.goal, gaps) if not HOLDS[relation](g))

    def steps(self, kind):
        """By how much an element may move: a bool to its other value, an integer far, then less far."""
        return (None,) if kind.kind == "b" else (sign * stride for stride in STRIDES for sign in (1, -1))

    def stepped(self, name, index, step):
        """Inputs with this element a step further; None beyond its type."""
        value, kind = self.value(name, index), self.feed[name].dtype
        if step is None:
            return self.with_values([(name, index)], [not value])
        fits = np.iinfo(kind).min <= value + step <= np.iinfo(kind).max
        return self.with_values([(name, index)], [value + step]) if fits else None

    def descend(self, base):
        """Bools and integers one after the other, as long as that lessens what is missing: for a count of many of them."""
        places = [(name, i) for name in self.movable for i in range(self.feed[name].size)]
        places = [places[i] for i in self.rng.permutation(len(places))[:ONE_BY_ONE]]
        best, begin = self.short(base), self.feed
        for _ in range(3):
            before = best
            for (name, index), step in ((place, step) for place in places for step in self.steps(self.feed[place[0]].dtype)):
                feed = self.stepped(name, index, step)
                while feed is not None:  # as often as it helps
                    gaps = self.gaps(feed)
                    if gaps is not None and self.met(gaps):
                        return feed
                    if gaps is None or self.short(gaps) >= best:
                        break
                    self.feed, best = feed, self.short(gaps)
                    feed = self.stepped(name, index, step) if step is not None else None
                if self.left() <= 0:
                    break
            if best == before or self.left() <= 0:
                break
        self.feed = begin
        return None

    def climb(self, base):
        """Random steps of all floats, larger after a good one; for what steps along one element do not reach."""
        floats = [k for k in self.inputs if self.feed[k].dtype.kind == "f"]
        best, size = self.short(base), 1.0
        for _ in range(CLIMB if floats else 0):
            if self.left() <= 0:
                return None
            feed = dict(self.feed)
            for name in floats:
                array = self.feed[name]
                change = self.rng.standard_normal(array.shape) * (self.rng.random(array.shape) < 0.5)
                feed[name] = np.clip(array + size * change, -MOST_SIZE, MOST_SIZE).astype(array.dtype)
            gaps = self.gaps(feed)
            if gaps is not None and self.met(gaps):
                return feed
            if gaps is not None and self.short(gaps) < best:
                self.feed, best, size = feed, self.short(gaps), min(2 * size, 100.0)
            else:
                size = max(0.95 * size, 0.01)
        return None

    def search(self):
        """Inputs that do it, one after the other, by other elements each."""
        base = self.gaps(self.feed)
        if base is None:
            return
        variables, none = self.variables(base), True
        for number in dict.fromkeys((1, len(base) if len(base) <= AT_ONCE else 1)):
            for some in itertools.islice(itertools.combinations(variables, number), 12):
                found = self.newton(some)
                if found is not None:
                    none = False
                    yield found, some
        whole = [v for v in variables if self.feed[v[0]].dtype.kind in "iu"][:4]
        if whole and all(relation == "=" for _, _, relation in self.goal):
            for score in (unequal_bits, lowest_unequal):
                found = self.bits(whole, score)
                if found is not None:
                    yield found, whole
                    return
        if none and self.movable:
            found = self.descend(base)
            if found is not None:
                yield found, ()
                return
        if none and variables and all(relation[0] in "<>" for _, _, relation in self.goal):
            found = self.climb(base)
            if found is not None:
                yield found, ()


def unequal_bits(two):
    return sum(((int(a) ^ int(b)) & (1 << 64) - 1).bit_count() for a, b in two)


def lowest_unequal(two):
    """Of sums and products the lower bits depend on lower bits only."""
    rests = [(int(a) ^ int(b)) & (1 << 64) - 1 for a, b in two]
    return -sum((r & -r).bit_length() if r else 65 for r in rests)


def solved(rows, right):
    """x of rows x = right, exactly; None where there is not one."""
    rows = [[Fraction(x) for x in (*row, t)] for row, t in zip(rows, right)]
    n = len(rows)
    for column in range(n):
        pivot = next((r for r in range(column, n) if rows[r][column] != 0), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [x / rows[column][column] for x in rows[column]]
        for r in range(n):
            if r != column and rows[r][column] != 0:
                rows[r] = [x - rows[r][column] * y for x, y in zip(rows[r], rows[column])]
    return [row[n] for row in rows]


def neighbours(feed, variables):
    """Inputs beside these: each of the elements a little off, and everywhere the same."""
    for name, index in variables:
        array = feed[name]
        value = array.flat[index].item()
        for by in (1, -1) if array.dtype.kind in "iu" else (1e-3, -1e-3, 0.5, -0.5, 1, -1):
            moved = value + by
            if array.dtype.kind in "iu" and not np.iinfo(array.dtype).min <= moved <= np.iinfo(array.dtype).max:
                continue
            out = array.copy()
            out.flat[index] = moved
            yield {**feed, name: out}
        if array.size > 1:
            yield {**feed, name: np.full_like(array, value)}


def plan_of(watch, feeds):
    """What to look for: [(name or None, what it is to be, goal)]; what is unmet first, then what no condition says itself."""
    movable = watch.movable()
    unmet = [(name, way) for name, way in watch.unmet() if name in movable]
    plan = [(name, way, goal) for name, way in unmet for goal in watch.goals(name, way) if goal]
    first = [name for name, way in unmet if movable[name]["op"] == "Equal"]
    equal = dict.fromkeys(first + [name for name, c in movable.items() if c["op"] == "Equal" and c["can"][0]])
    pairs = [watch.goals(one, True)[0] + watch.goals(two, True)[0] for one, two in itertools.combinations(equal, 2)]
    bands = itertools.islice(watch.bands(feeds), BANDS) if len(feeds) > 1 else ()
    return plan, [(None, True, goal) for goal in (*pairs[:PAIRS], *bands)]


def steer(watches, bases, seconds, attempt, seed=0, held=(), cancelled=lambda: False):
    """Looks for inputs that turn what is unmet. `bases`: inputs to begin with; `attempt(feed, generic)`: both models are run
    on these, whether that is enough. What none of the conditions asks by itself, two equalities at once and numbers
    between two thresholds, is looked for as well, for less time."""
    rng = np.random.default_rng([seed, 43])
    plans = [(watch, *plan_of(watch, bases[:2])) for watch in watches if watch.conditions]
    asked = [(watch, *what) for watch, asked, _ in plans for what in asked]
    further = [(watch, *what) for watch, _, further in plans for what in further]
    for plan, share in ((asked, 0.8 * seconds), (further, 0.2 * seconds)):
        until = clock() + share
        for number, (watch, name, way, goal) in enumerate(plan):
            begin = clock()
            end = min(until, begin + max(0.2, 2 * (until - begin) / (len(plan) - number)))
            if begin > until:
                break

            def left(end=end):
                return 0 if cancelled() else end - clock()
            if steered(watch, watches, bases, (name, way, goal), left, attempt, rng, held):
                return


def steered(watch, watches, bases, aim, left, attempt, rng, held):
    """Whether the attempts were enough."""
    name, way, goal = aim
    # Where rounding decides a comparison of floats, both may be right; an equality is asked exactly, and elsewhere only
    # where the first inputs, whose sums are exact, do not lead to it.
    generic, hits = all(relation != "=" for _, _, relation in goal), 0
    for number, base in enumerate(bases):
        if hits and (number > 1 or not generic and any(v.dtype.kind == "f" for v in base.values())):
            break
        here = 0
        for place in (0, 1, -1):
            count = compared(watch, base, goal) if here < HITS and left() > 0 else 0
            if count <= max(place, 0) or (place < 0 and count <= 2):
                continue
            for feed, variables in Steering(watch, base, goal, place % count, left, rng, held).search():
                if name is not None and not watch.shows(feed, name, way):
                    continue
                if any(attempt(some, generic) for some in itertools.chain((feed,), neighbours(feed, variables)) if left() > 0):
                    return True
                for w in watches:
                    w.look(feed)
                here += 1
                if here >= HITS or left() <= 0:
                    break
        hits += here
    return False


def compared(watch, feed, goal):
    """How many elements the comparisons of a goal have."""
    values = watch.values(feed, [x for leaf in goal for x in leaf[:2]])
    try:
        return int(np.prod(np.broadcast_shapes(*(v.shape for v in values.values())))) if values else 0
    except (ValueError, AttributeError):
        return 0
