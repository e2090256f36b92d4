"""Numbers one after the other: small integers, all of them and all combinations of few; all vectors of few values and all
orders of few floats; floats of every size.

What is drawn at random misses a number that no constant names: a composite that looks like a prime, two numbers for which
Euclid takes longest, one order of five that a network of comparisons does not sort (that it sorts all vectors of zeros and
ones shows that it sorts all: Knuth, The Art of Computer Programming, volume 3, 5.3.4). Such are small, mostly, so that the
smallest are taken first.
"""

import itertools

import numpy as np

COMBINED = 1 << 16   # combinations of integers
TOGETHER = 16        # integers that are combined
INPUTS = 4           # inputs whose elements of one place are combined
VECTORS = 1 << 12    # vectors of few values
NEAR, MOST_BETWEEN = 16, 8  # how far apart two numbers are that hold others between them; so many of the nearest
ORDERS = 6           # floats of which all orders are taken
STEPS = 64           # sizes between a power of two and the next
CHUNK = 1 << 12      # feeds that are made at a time
EACH = 64            # elements of inputs, up to which each takes every size


def by_size(count, least, signed):
    """So many integers from `least` up; a quarter of them negative where they may be; the smallest first."""
    negative = count // 4 if signed and least <= 0 else 0
    values = sorted([*range(least, least + count - negative), *range(-negative, 0)], key=lambda v: (abs(v), v < 0))
    return np.array(values, np.int64)


class Grids:
    """Of a draws.Drawer, at the sizes that it has."""

    def __init__(self, drawer):
        self.drawer = drawer
        self.shapes = {a["name"]: drawer.shape(a) for a in drawer.arguments}
        self.counts = {name: int(np.prod(shape)) for name, shape in self.shapes.items()}
        self.kinds = {a["name"]: np.dtype(drawer.kinds[a["dtype"]]) for a in drawer.arguments if drawer.varied(a)}

    def named(self, kinds):
        return [name for name, kind in self.kinds.items() if kind.kind in kinds and self.counts[name]]

    # Integers

    def deck(self, name, count):
        """At most so many values of the input, the smallest first, within what its type holds and the program asks for."""
        kind, bounds = self.kinds[name], self.drawer.sampler.bounds.get(name)
        info = np.iinfo(kind)
        if bounds and bounds.get("values"):
            return np.asarray(bounds["values"]).astype(kind)[:count]
        low, high = (max(int(bounds["low"]), int(info.min)), min(int(bounds["high"]) - 1, int(info.max))) if bounds else (int(info.min), int(info.max))
        values = by_size(count, max(low, 0), kind.kind == "i")
        values = values[(values >= low) & (values <= high)]
        return values.astype(kind) if len(values) else np.array([low]).astype(kind)

    def counted(self):
        """[(how many runs, feeds)]: all combinations of small integers, where these are few elements; and of the elements of
        one place of all inputs, many places in a run."""
        names = [name for name in self.named("iu") if self.kinds[name].itemsize > 1]
        total, out = sum(self.counts[name] for name in names), []
        if 0 < total <= TOGETHER:
            each = int(round(COMBINED ** (1 / total) - 0.4999))
            out.append(self.combined(names, [name for name in names for _ in range(self.counts[name])], each))
        if 0 < len(names) <= INPUTS and total > len(names):
            out.append(self.at_one_place(names, int(round(COMBINED ** (1 / len(names)) - 0.4999))))
        return out

    def between(self):
        """[(how many runs, feeds)]: of few integers all combinations of those between two that the programs name, these
        included where that is not too much: of five digits from 7 to 9 there are 243, beside other things that are asked."""
        names = [name for name in self.named("iu") if self.kinds[name].itemsize > 1]
        total, named = sum(self.counts[name] for name in names), sorted(self.drawer.candidates.constants)
        if not 1 < total <= TOGETHER:
            return []
        ends = sorted(((high - low, low, high) for low, high in itertools.combinations(named, 2) if 1 < high - low <= NEAR))
        decks = [np.arange(low + without, high + 1 - without) for _, low, high in ends for without in (0, 1)]
        tables = []
        for deck in decks:
            if 1 < len(deck) and len(deck) ** total <= VECTORS and not any(set(deck) <= set(t) for t in tables):
                tables = [t for t in tables if not set(t) <= set(deck)] + [deck]
        return [self.vectors(names, deck[combinations([len(deck)] * total)]) for deck in tables[:MOST_BETWEEN]]

    def combined(self, names, elements, each):
        table = combinations([len(self.deck(name, each)) for name in elements])

        def of(name, rows):
            columns = [c for c, element in enumerate(elements) if element == name]
            return self.deck(name, each)[table[rows][:, columns]]
        return len(table), self.feeds(len(table), names, of)

    def at_one_place(self, names, each):
        table = combinations([len(self.deck(name, each)) for name in names])
        places = max(self.counts[name] for name in names)
        rows = -(-len(table) // places)

        def of(name, here):
            at = (here[:, None] * places + np.arange(self.counts[name])) % len(table)
            return self.deck(name, each)[table[at, names.index(name)]]
        return rows, self.feeds(rows, names, of)

    # Floats

    def few(self):
        """[(how many runs, feeds)]: all vectors of two or three values, and all orders, of floats that are few."""
        names = self.named("f")
        groups = [names] if sum(self.counts[name] for name in names) <= 12 else [[name] for name in names if self.counts[name] <= 12]
        out = []
        for group in groups:
            total = sum(self.counts[name] for name in group)
            if total < 2:
                continue
            for values in ((-1.0, 0.0, 1.0), (0.0, 1.0)):
                if len(values) ** total <= VECTORS:
                    out.append(self.vectors(group, np.array(values)[combinations([len(values)] * total)]))
                    break
            if total <= ORDERS:
                out.append(self.vectors(group, np.array(list(itertools.permutations(np.arange(1.0, total + 1))))))
        return out

    def vectors(self, names, table):
        ends = np.cumsum([0] + [self.counts[name] for name in names])

        def of(name, rows):
            at = names.index(name)
            return table[rows, ends[at]:ends[at + 1]].astype(self.kinds[name])
        return len(table), self.feeds(len(table), names, of)

    def halves(self):
        """[(how many runs, feeds)]: multiples of a half up to 5, and of an eighth up to 1: where numbers are rounded."""
        return self.dealt(lambda kind: np.unique(np.concatenate([np.arange(-10, 11) / 2, np.arange(-8, 9) / 8])))

    def beside(self):
        """[(how many runs, feeds)]: floats just below and just above those that the programs name, and multiples of a half up to 5:
        a half added to the number below a half makes one."""
        named = np.asarray(self.drawer.candidates.named, np.float64)
        steps = np.concatenate([np.arange(1, 11) / 2, np.abs(named[named != 0])])
        return self.dealt(lambda kind: neighbours(kind, np.concatenate([steps, -steps])))

    def magnitudes(self):
        """[(how many runs, feeds)]: floats of every size from 1e-6 to 1e6, 64 of them to each power of two. All inputs of a run
        are of one size: what a small one is off by beside large ones is the runtime's affair."""
        rng = np.random.default_rng([self.drawer.sampler.seed, 79])

        def sizes(kind):
            top = 11 if kind == np.float16 else 20
            inside = 1 + (np.arange(STEPS) + rng.random(STEPS)) / STEPS
            return [rng.permutation(np.concatenate([inside, -inside])) * 2.0 ** power for power in rng.permutation(np.arange(-top, top))]
        names = self.named("f")
        if not names:
            return []
        narrow = min((self.kinds[name] for name in names), key=lambda kind: kind.itemsize)
        return [of_one for deck in sizes(narrow) for of_one in self.dealt(lambda kind: deck)]  # noqa: B023: used at once

    def dealt(self, values_of):
        """All these values of each float input: at every element, where these are few, else at some."""
        names = self.named("f")
        if not names:
            return []
        rng = np.random.default_rng([self.drawer.sampler.seed, 80])
        decks = {name: rng.permutation(values_of(self.kinds[name])).astype(self.kinds[name]) for name in names}
        longest = max(len(deck) for deck in decks.values())
        each = sum(self.counts[name] for name in names) <= EACH
        rows = longest if each else -(-longest // min(self.counts[name] for name in names))

        def of(name, here):
            deck, places = decks[name], np.arange(self.counts[name])
            step = 1 if each else self.counts[name]  # each element its own part of the deck, or all one after the other
            apart = places * (len(deck) // self.counts[name] + 1) if each else places
            return deck[(here[:, None] * step + apart) % len(deck)]
        return [(rows, self.feeds(rows, names, of))]

    def feeds(self, rows, names, of):
        """`of`: the elements of the input of that name in these rows; the other inputs are drawn."""
        others = [self.drawer.feed(("normal", "coarse")[number % 2], number) for number in range(8)]
        chunk = max(1, CHUNK // max(self.counts[name] for name in names))
        for first in range(0, rows, chunk):
            here = np.arange(first, min(first + chunk, rows))
            tensors = {name: of(name, here) for name in names}
            for number, row in enumerate(here):
                yield {**others[row % 8], **{name: tensor[number].reshape(self.shapes[name]) for name, tensor in tensors.items()}}


def neighbours(kind, values):
    """The numbers of that kind just below and just above these."""
    with np.errstate(all="ignore"):
        held = values.astype(kind)
        out = np.unique(np.concatenate([np.nextafter(held, kind.type(way)) for way in (-np.inf, np.inf)]))
    return out[np.isfinite(out)]


def combinations(lengths):
    """All combinations of places in lists of these lengths, those of small places first."""
    table = np.stack([axis.ravel() for axis in np.meshgrid(*map(np.arange, lengths), indexing="ij")], 1)
    return table[np.argsort(table.max(axis=1), kind="stable")]
