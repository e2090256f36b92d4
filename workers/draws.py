"""Ways to draw inputs that tell two models apart: ordinary numbers, ties and zeros, numbers around the programs' own
constants, all magnitudes, infinities and NaN; integers at the ends of their types, at powers of two, beyond tables.

A difference that shows only at such values is missed by numbers from one interval (boundary values: Myers, The Art of
Software Testing, chapter 4). A tensor of few elements sees few of the candidates in a run, so a way is drawn many
times: `passes` says how often, until every candidate has been dealt out.
"""

import itertools
import math

import numpy as np

from size_search import named_sizes, related_sizes

COARSE = (-2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
SPECIAL = (np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0)
HUGE = {np.dtype(np.float16): 1e4, np.dtype(np.float64): 1e200}  # else 1e30: squares overflow, sums do not

# Regimes. Ordinary: numbers up to about 4, and ties among them: both sides give the same, up to rounding. Wide: finite
# numbers of any size. Special: infinities and NaN among ordinary ones.
ORDINARY, WIDE, NONFINITE = "ordinary", "wide", "special"

WAYS = (  # name, regime, generic (no ties are meant), most draws
    ("normal", ORDINARY, True, 3), ("positive", ORDINARY, True, 1), ("coarse", ORDINARY, False, 8),
    ("thresholds", WIDE, False, 64), ("special", NONFINITE, False, 8), ("decades", WIDE, True, 12), ("large", WIDE, True, 8), ("tiny", WIDE, True, 2),
    ("small", ORDINARY, True, 2), ("unit", ORDINARY, True, 16), ("sparse", ORDINARY, False, 2), ("zeros", ORDINARY, False, 1),
    ("huge", WIDE, False, 6), ("filled", WIDE, False, 8), ("ordered", ORDINARY, False, 4), ("named", WIDE, False, 64),
    ("lone", NONFINITE, False, 8), ("basis", ORDINARY, False, 16), ("mixed", WIDE, False, 32), ("texts", WIDE, False, 0),
    ("end", WIDE, False, 8),
    ("stored", WIDE, False, 32), ("near", ORDINARY, True, 12), ("far", WIDE, False, 4))

FEW = 256    # elements of all inputs together: what must meet in two of them is drawn more often
DECADES = (1e2, 1e3, 1e4, 1e6, 1e-3, 1e-6)  # sizes of which all inputs of a draw are, and their opposites
SPREAD = 24  # draws over everything that integers can be, at least


WORDS = ["", "a", "B", "aB", "Ab c", " a", "\u00c9t\u00e9", "-1", "the", "a-b"]


def is_float(kind):
    return np.dtype(kind).kind == "f"


class Candidates:
    """Numbers, texts and tensors that are worth a try, from the constants of both programs."""

    def __init__(self, thresholds, integers, texts=(), stored=(), deciders=None):
        self.texts = list(texts)
        self.deciders = deciders or {}  # by input of one element: at each of these another branch of an If may run
        self.stored = list(stored)  # {"dtype", "values"}
        self.named = list(thresholds)
        near = [s * t + d for t in thresholds for s in (1, -1) for d in (0, 1e-3, -1e-3, 1, -1, 0.01 * t)]
        near += [s * t * f for t in thresholds for s in (1, -1) for f in (0.5, 1.5, 2, 10, 0.1)]
        near += [s * abs(t) ** 0.5 for t in thresholds for s in (1, -1)]
        self.constants = {int(t) for t in integers}
        self.own = sorted({int(t) for t in integers} | {math.isqrt(int(t)) for t in integers if int(t) > 3})
        self.floats = np.array(near if near else list(COARSE), np.float64)
        self.integers = [s * t + d for t in self.own for s in (1, -1) for d in (-1, 0, 1)]

    def of_type(self, kind, tame):
        """For an integer input of which nothing is known, all of its type."""
        info = np.iinfo(kind)
        out = list(range(-17, 18)) + [v for v in self.integers if not tame or abs(v) <= 4096]
        if info.bits == 8:
            out = list(range(info.min, info.max + 1))
        elif not tame:
            out += [s * ((1 << k) + d) for k in range(2, info.bits) for s in (1, -1) for d in (-1, 0, 1)] + [info.max, info.min]
            out += [((1 << k) + e) ** 2 + d for k in range(3, info.bits // 2) for e in (-1, 1) for d in (-1, 0)]  # roots round there
        return np.array(sorted({v for v in out if info.min <= v <= info.max}), dtype=kind)


class Drawer:
    """Draws inputs in each of the ways. `arguments`: name, dtype, shape of every input; `sampler`: sampling.Sampler, whose
    bounds hold where a way does not go beyond them on purpose."""

    def __init__(self, sampler, arguments, candidates, kinds):
        self.sampler, self.arguments, self.candidates, self.kinds = sampler, arguments, candidates, kinds
        self.tame = False  # no large integers: the program loops so often, or asks for so much memory

    def varied(self, argument):
        return argument["name"] not in self.sampler.given and argument["dtype"] in self.kinds

    def has(self, what):
        return any(self.varied(a) and what(np.dtype(self.kinds[a["dtype"]])) for a in self.arguments)

    def shape(self, argument):
        return tuple(self.sampler.size(argument["name"], axis, d) for axis, d in enumerate(argument["shape"]))

    def draws(self, way, most):
        """How many draws of the way deal out all candidates, at most `most`."""
        floats = self.has(lambda kind: kind.kind == "f")
        if way in ("filled", "ordered"):
            return most
        if way == "far":
            return most if floats else 0
        if way == "basis":
            return min(most, self.largest()) if floats else 0
        if way == "stored":
            return min(most, 2 * max((len(self.stored_for(a)) for a in self.arguments if self.varied(a)), default=0))
        if way == "texts":
            return len(self.candidates.texts) if any(a["dtype"] == "string" for a in self.arguments) else 0
        if way == "end":
            return most if self.has(lambda kind: kind.kind in "iu" and kind.itemsize <= 4) else 0
        if way == "mixed":
            return most if self.candidates.own and self.has(lambda kind: kind.kind in "iu") else 0
        if way == "named":
            if not self.candidates.own or not self.has(lambda kind: kind.kind in "iu"):
                return 0
            return max(most, min(len(self.candidates.own) ** 2, 8 * most)) if most > 2 else most
        if way == "special" and sum(int(np.prod(self.shape(a))) for a in self.arguments) <= FEW:
            return 4 * most if floats and most > 2 else most
        return most if way == "normal" or floats else 0

    def largest(self):
        """Elements of the largest float input."""
        return max((int(np.prod(self.shape(a))) for a in self.arguments
                    if self.varied(a) and np.dtype(self.kinds[a["dtype"]]).kind == "f"), default=0)

    def stored_for(self, argument):
        """Tensors of the programs that are of the input's type, as many elements as it has."""
        count = int(np.prod(self.shape(argument)))
        return [t["values"] for t in self.candidates.stored if t["dtype"] == argument["dtype"] and len(t["values"]) == count > 1]

    def feed(self, way, number):
        """Arrays: numpy makes scalars of what has no axes, which the runtime does not take."""
        return {a["name"]: np.asarray(self.tensor(a, way, number)).reshape(self.shape(a)) for a in self.arguments}

    def tensor(self, argument, way, number):
        name, shape = argument["name"], self.shape(argument)
        plain = lambda: self.sampler.tensor(name, argument["dtype"], argument["shape"], number)  # noqa: E731
        if argument["dtype"] == "string" and way == "texts":  # each at the first place once
            texts = self.candidates.texts[number:] + self.candidates.texts[:number]
            return np.resize(np.array(texts, dtype=object), shape)
        if argument["dtype"] == "string" and number % 2:  # else digits, which may be read as numbers
            words = np.random.default_rng([self.sampler.seed, number, *name.encode()]).choice(WORDS, self.shape(argument))
            return words.astype(object)
        if not self.varied(argument):
            return plain()
        kind = np.dtype(self.kinds[argument["dtype"]])
        rng = np.random.default_rng([self.sampler.seed, number, *way.encode(), *name.encode()])
        if way not in ("named", "mixed") and (decides := self.candidates.deciders.get(name)) and (turn := number % (len(decides) + 1)) < len(decides):
            return np.full(shape, decides[turn]).astype(kind)  # the usual one first; in one draw of several as it comes
        if way == "filled":
            return np.full(shape, self.filling(name, kind, number, rng), kind)
        if way == "ordered":
            return ordered(plain(), kind, number)
        if way == "far" and kind.kind == "f":
            return far(shape, kind, number)
        if way == "stored":  # one after the other, and the opposite of each
            stored = self.stored_for(argument)
            if not stored:
                return plain()
            values = np.array(stored[number // 2 % len(stored)]).astype(kind).reshape(shape)
            return values if number % 2 == 0 else ~values if kind.kind == "b" else -values
        if way == "near" and kind.kind == "f":
            return self.near(kind, shape, number, rng)
        if way == "basis" and kind.kind == "f":  # one 1 among zeros, at one place after the other
            out = np.zeros(shape, kind)
            if out.size:
                out.flat[number % out.size] = 1
            return out
        if way in ("named", "mixed") and kind.kind in "iu":
            info = np.iinfo(kind)
            own = [v for v in self.candidates.own if info.min <= v <= info.max and (not self.tame or abs(v) <= 4096)]
            own = np.array(own or [0])
            if way == "mixed":
                return rng.choice(own, shape).astype(kind)
            pair = own[[number % len(own), number // len(own) % len(own)]]  # every two of them, one after the other
            return np.resize(pair, shape).astype(kind)
        if way == "end" and kind.kind in "iu" and kind.itemsize <= 4 and not self.sampler.bounds.get(name) and int(np.prod(shape)) > 1:
            return lone_end(kind, shape, number, rng, self.tame)
        if kind.kind in "iu":
            return plain() if way == "normal" or number % 2 == 0 else self.few_integers(name, kind, shape, rng)
        if kind.kind != "f" or way == "normal":
            return plain()
        with np.errstate(all="ignore"):
            return np.asarray(self.floats(way, number, kind, shape, rng, plain)).astype(kind)

    def filling(self, name, kind, number, rng):
        """What all elements are: the ends of a type or of what is asked for, then others."""
        if kind.kind == "b":
            return number % 2 == 0
        if kind.kind == "f":
            return rng.choice(self.candidates.floats if number % 2 else np.array(COARSE))
        bounds = self.sampler.bounds.get(name)
        if bounds and bounds.get("values"):
            return bounds["values"][number % len(bounds["values"])]
        info = np.iinfo(kind)
        low, high = (int(bounds["low"]), int(bounds["high"]) - 1) if bounds else (0, 1) if self.tame else (info.min, info.max)
        return (high, low, 1, 0)[number % 4] if number < 4 else rng.choice(self.candidates.of_type(kind, self.tame))

    def floats(self, way, number, kind, shape, rng, plain):
        normal = rng.standard_normal(shape)
        if way == "positive":
            return rng.uniform(0.1, 2, shape)
        if way == "unit":
            return rng.random(shape)
        if way == "coarse":
            return rng.choice(COARSE, shape)
        if way == "decades":
            return min(DECADES[number % len(DECADES)], HUGE.get(kind, 1e30)) * (-1) ** (number // len(DECADES)) * rng.uniform(0.5, 1, shape)
        if way == "small":
            return 1e-3 * normal
        if way == "tiny":
            return normal * (1e-6 if kind == np.float16 else 1e-10)
        if way == "sparse":
            return np.where(rng.random(shape) < 0.15, normal, 0)
        if way == "zeros":
            return np.zeros(shape)
        if way == "thresholds":
            chosen = rng.choice(self.candidates.floats, shape)
            return np.where(rng.random(shape) < 0.85, chosen, rng.uniform(-2, 2, shape) * np.abs(chosen))
        if way == "large":
            top = 3.5 if kind == np.float16 else 6
            return 10 ** rng.uniform(-top, top, shape) * rng.choice((-1, 1), shape)
        if way == "huge":
            out = np.where(rng.random(shape) < 0.3, HUGE.get(kind, 1e30), normal) * rng.choice((-1, 1), shape)
            out.flat[:1] = HUGE.get(kind, 1e30)
            return out
        if way == "special":
            return np.where(rng.random(shape) < 0.5, rng.choice(SPECIAL, shape), normal)
        out = np.asarray(plain(), np.float64).copy()  # lone: one special value among ordinary ones
        if out.size:
            out.flat[rng.integers(out.size)] = rng.choice(SPECIAL[:3])
        return out

    def near(self, kind, shape, number, rng):
        """Numbers that are the same in all inputs, or in all of one, but for their last digits; a few are the same."""
        count = int(np.prod(shape))
        common = np.random.default_rng([self.sampler.seed, number, 83]).standard_normal(max(self.largest(), 1))
        base = common[:1] if number % 2 else np.resize(common, count).reshape(shape)
        apart = rng.uniform(-1, 1, shape) * (rng.random(shape) < 0.7) * 10.0 ** -(1 + number // 2 % 6)
        return (base * (1 + apart)).astype(kind)

    def few_integers(self, name, kind, shape, rng):
        bounds = self.sampler.bounds.get(name)
        if bounds and bounds.get("values"):
            return rng.choice(np.asarray(bounds["values"]), shape).astype(kind)
        if bounds:
            low = -int(bounds["high"]) if kind.kind == "i" and bounds["low"] == 0 else int(bounds["low"])
            return rng.integers(low, int(bounds["high"]), shape).astype(kind)
        return rng.integers(0 if kind.kind == "u" else -4, 6, shape).astype(kind)

    # Integers over all that they can be

    def integer_values(self, argument):
        """What is dealt out over many runs: every row of a table from both ends and some beyond, else candidates."""
        kind = np.dtype(self.kinds[argument["dtype"]])
        bounds = self.sampler.bounds.get(argument["name"])
        if bounds and bounds.get("values"):  # a mask: nothing else is meant
            return np.asarray(bounds["values"]).astype(kind)
        if not bounds:
            values = self.candidates.of_type(kind, self.tame)
            return np.random.default_rng([self.sampler.seed, *argument["name"].encode()]).permutation(values)
        info = np.iinfo(kind)
        low, high = int(bounds["low"]), int(bounds["high"])
        width = max(high - low, 1)
        inside = np.arange(low, high) if width <= 1 << 16 else np.unique(np.linspace(low, high - 1, 1 << 12).astype(np.int64))
        beyond = [low - 1, low - 2, high, high + 1, -high - 1, -2 * high, 2 * high, high + width // 4, low - width // 4, -high - width // 5]
        below = -1 - inside if kind.kind == "i" and low >= 0 else inside[:0]
        wide = self.candidates.of_type(kind, self.tame)  # bounds are what the program asks for, not what a caller may not give
        rest = np.setdiff1d(np.concatenate([below, np.array(beyond), wide.astype(np.int64)]), inside)
        rng = np.random.default_rng([self.sampler.seed, 78])
        out = np.concatenate([rng.permutation(inside), rng.permutation(rest)])  # what the program asks for first
        return out[(out >= info.min) & (out <= info.max)].astype(kind)

    def dealt(self, seconds_left):
        """Feeds that deal out the values of all integer inputs, together and then each by itself."""
        integers = [a for a in self.arguments if self.varied(a) and np.dtype(self.kinds[a["dtype"]]).kind in "iu"]
        if not integers:
            return
        rng = np.random.default_rng([self.sampler.seed, 77])
        decks = {}
        for a in integers:
            decks[a["name"]] = self.integer_values(a)
        runs = max(SPREAD, max(-(-len(decks[a["name"]]) // max(1, int(np.prod(self.shape(a))))) for a in integers))
        for number in range(runs):
            if seconds_left() <= 0:
                return
            feed = self.feed(("normal", "coarse")[number % 2], number % 8)
            for a in integers:
                deck, shape = decks[a["name"]], self.shape(a)
                count = int(np.prod(shape))
                if number >= runs - 8 and len(integers) > 1 and rng.random() < 0.5:
                    continue
                feed[a["name"]] = deck[(np.arange(count) + number * max(count, 1)) % len(deck)].reshape(shape)
            yield feed
        # Each value by itself, for tensors of several elements: one index beyond its table fails the run of all.
        for a in integers:
            deck, shape = decks[a["name"]], self.shape(a)
            if int(np.prod(shape)) <= 1 or len(deck) > 4096:
                continue
            for number, value in enumerate(deck):
                if seconds_left() <= 0:
                    return
                feed = self.feed("normal", number % 8)
                inside = feed[a["name"]]
                feed[a["name"]] = np.where(np.arange(inside.size).reshape(shape) == number % inside.size, value, inside).astype(inside.dtype)
                yield feed


def far(shape, kind, number):
    """Numbers that a sigmoid or a hyperbolic tangent no longer tells apart, from the least to the most, or the other way round."""
    flat = np.linspace(20, 60, int(np.prod(shape)))[::1 if number % 2 == 0 else -1]
    return (flat if number < 2 else -flat).astype(kind).reshape(shape)


def lone_end(kind, shape, number, rng, tame):
    """Small integers of one sign, but for an end of the type at one place: the least is its own opposite. Of 64 bits the
    runtime's kernels are not to be believed there (a remainder goes through floats)."""
    info = np.iinfo(kind)
    low, high = (max(info.min, -4096), min(info.max, 4096)) if tame else (info.min, info.max)
    out = rng.integers(1, 7, shape).astype(kind)
    if number // 2 % 2 == 0 and kind.kind == "i":
        out = -out
    out.flat[rng.integers(out.size)] = (low, high)[number % 2]
    return out


def ordered(tensor, kind, number):
    """Its elements from the smallest to the largest, or the other way round; far enough apart to stay so."""
    if kind.kind not in "iuf" or tensor.size == 0:
        return tensor
    flat = np.sort(tensor, axis=None)
    if kind.kind == "f" and number >= 2:
        flat = np.linspace(-2, 2, flat.size).astype(kind)
    return (flat if number % 2 == 0 else flat[::-1]).reshape(tensor.shape).astype(kind)


def size_sets(symbols, bases, constants, seed):
    """Sizes of dynamic dimensions beyond those given: 1, 2, primes, 0, and around the programs' own constants; equal ones and
    unequal ones. In the order in which they are worth their time."""
    if not symbols:
        return []
    near = sorted({c + d for c in constants if 2 <= c <= 4096 for d in (-1, 0, 1)} | {2 * c + 1 for c in constants if 2 <= c <= 512})
    plain = [1, 2, 3, 5, 7, 11, 13, 8, 4, 6, 17, 31, 64, 67, 101, 131]
    rng = np.random.default_rng([seed, 13])
    out = [dict(b) for b in bases]
    out += [dict.fromkeys(symbols, n) for n in (1, 3, 2)]
    base = bases[0] if bases else dict.fromkeys(symbols, 3)
    out += related_sizes(symbols, base) + named_sizes(symbols, base, constants)
    every = plain + [n for n in near if n not in plain] + [0, 257]
    for n in every:
        if len(symbols) == 1:
            out.append({symbols[0]: n})
            continue
        for symbol in symbols[:4]:  # one apart from the rest, and all apart
            out.append({**base, symbol: n})
        out.append({s: int(rng.choice((1, 2, 3, 5, 7, 11, 13))) if s != symbols[n % len(symbols)] else n for s in symbols})
    if len(symbols) > 1:
        out += [{s: int(rng.choice((2, 3, 5, 7, 11, 13, 17, 19))) for s in symbols} for _ in range(6)]
        out += [dict.fromkeys(symbols, n) for n in (67, 0)]
    # What holds at sizes that are squares, multiples, one another's neighbours: all small ones, then some large ones.
    few = {1: 72, 2: 10, 3: 4}.get(len(symbols), 0)
    small = sorted(itertools.product(range(1, few + 1), repeat=len(symbols)), key=max) if few else []
    out += [dict(zip(symbols, sizes)) for sizes in small]
    out += [{s: n for s in symbols[:1]} for n in (100, 128, 129, 255, 256, 513, 1000, 1025, 2049) if len(symbols) == 1]
    seen, unique = set(), []
    for sizes in out:
        key = tuple(sizes.get(s) for s in symbols)
        if key not in seen:
            seen.add(key)
            unique.append(sizes)
    return unique
