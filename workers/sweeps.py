"""Integers of few values: all combinations of them where these are few, every two of them where they are not.

Drawn at random, or dealt out one input at a time, two bytes meet in 1 of 65,536 ways a run. `every` enumerates what all
elements of all inputs can be. Where that is too much, an orthogonal array of strength 2 has every two elements take every
two values in 65,536 runs (Bush, Orthogonal arrays of index unity, 1952): element c of row (u, v) is u + c v over the field
of 256 elements, in which two lines of different slope c meet once. Programs that compute element by element need that of
their inputs only, so a tensor of n elements takes n rows in a run; and of a single input, that all neighbours meet, which
they do in the sequence of de Bruijn. Of integers of 16 bits every single value is met.
"""

import math

import numpy as np

MOST = 1 << 20    # combinations
ROWS = 1 << 16    # pairs of bytes
CHUNK = 1 << 12   # rows made at a time
COLUMNS = 256     # elements that can be told apart
STRIDE = 1000003  # a prime: in which order rows are taken, so that a part of them is spread over all


def _products():
    """Of the field of 256 elements (x^8 + x^4 + x^3 + x + 1)."""
    a, b = np.meshgrid(np.arange(256, dtype=np.int64), np.arange(256, dtype=np.int64), indexing="ij")
    out = np.zeros((256, 256), np.int64)
    for bit in range(8):
        out ^= np.where(b >> bit & 1, a, 0)
        a = a << 1 ^ np.where(a & 128, 0x11B, 0)
    return out


def de_bruijn():
    """65,536 bytes, in which each follows each once."""
    out = []
    for i in range(256):
        out.append(i)
        for j in range(i + 1, 256):
            out += [i, j]
    return np.array(out)


class Sweep:
    """Of a draws.Drawer, at the sizes that it has."""

    def __init__(self, drawer):
        self.drawer = drawer
        self.counts = {a["name"]: int(np.prod(drawer.shape(a))) for a in drawer.arguments}

    def kind(self, argument):
        return np.dtype(self.drawer.kinds[argument["dtype"]]) if self.drawer.varied(argument) else None

    def whole(self, argument, bits):
        """All that the input's type holds, if that is of at most so many bits."""
        kind = self.kind(argument)
        if kind is None or kind.kind not in "biu" or (kind.kind != "b" and 8 * kind.itemsize > bits):
            return None
        return np.array([False, True]) if kind.kind == "b" else np.arange(np.iinfo(kind).min, np.iinfo(kind).max + 1).astype(kind)

    def asked(self, argument, bits=8):
        """What the program asks for, and, of indices, the same counted from the end; else all of so many bits."""
        kind, bounds = self.kind(argument), self.drawer.sampler.bounds.get(argument["name"])
        if kind is None or kind.kind not in "iu" or not bounds:
            return self.whole(argument, bits)
        if bounds.get("values"):
            return np.asarray(bounds["values"]).astype(kind)
        low, high = int(bounds["low"]), int(bounds["high"])
        if high - low > MOST:
            return None
        values = np.arange(-high if kind.kind == "i" and low == 0 else low, high)
        return values[(values >= np.iinfo(kind).min) & (values <= np.iinfo(kind).max)].astype(kind)

    def combinations(self, most=MOST):
        """(what each input's elements can be, how many combinations, whether these are all inputs there are); or None."""
        for whole, deck in ((True, lambda a: self.whole(a, 16)), (False, self.asked)):
            decks = {a["name"]: deck(a) for a in self.drawer.arguments}
            if not decks or any(d is None or not len(d) for d in decks.values()):
                continue
            count = math.prod(len(d) ** min(self.counts[name], 64) for name, d in decks.items())
            if 1 < count <= most:
                return decks, count, whole
        return None

    def every(self, decks, count):
        """All combinations, in an order in which the first ones are spread over all."""
        step = STRIDE if count % STRIDE else 1
        for first in range(0, count, CHUNK):
            rest = np.arange(first, min(first + CHUNK, count)) * step % count
            tensors = {}
            for a in self.drawer.arguments:
                deck, columns = decks[a["name"]], []
                for _ in range(self.counts[a["name"]]):
                    columns.append(deck[rest % len(deck)])
                    rest = rest // len(deck)
                columns = np.stack(columns, 1) if columns else np.zeros((len(rest), 0), deck.dtype)
                tensors[a["name"]] = columns.reshape(len(columns), *self.drawer.shape(a))
            for row in range(len(rest)):
                yield {name: tensor[row] for name, tensor in tensors.items()}

    def bytes(self):
        """Inputs of bytes and bools, if some are of bytes, and what each of them can be."""
        decks = {a["name"]: self.asked(a) for a in self.drawer.arguments if self.whole(a, 8) is not None and self.counts[a["name"]]}
        decks = {name: deck for name, deck in decks.items() if deck is not None and 1 < len(deck) <= 256}
        return decks if any(len(deck) > 2 for deck in decks.values()) else {}

    def sixteens(self):
        """Inputs of integers of 16 bits, and what each of them can be."""
        decks = {a["name"]: self.asked(a, 16) for a in self.drawer.arguments
                 if self.whole(a, 8) is None and self.whole(a, 16) is not None and self.counts[a["name"]]}
        return {name: deck for name, deck in decks.items() if deck is not None and 1 < len(deck) <= ROWS}

    def _feeds(self, rows, bytes_of, decks=None):
        """`bytes_of`: a byte (of `decks`, the place of a value) for each element of the input of that name in these rows."""
        decks = decks or self.bytes()
        shapes = {a["name"]: self.drawer.shape(a) for a in self.drawer.arguments}
        others = [self.drawer.feed(("normal", "coarse")[number % 2], number) for number in range(8)]
        chunk = max(1, CHUNK // max(self.counts[name] for name in decks))
        for first in range(0, rows, chunk):
            here = np.arange(first, min(first + chunk, rows))
            tensors = {name: deck[bytes_of(name, here) % len(deck)] for name, deck in decks.items()}
            for number, row in enumerate(here):
                yield {**others[row % 8], **{name: tensor[number].reshape(shapes[name]) for name, tensor in tensors.items()}}

    def beside(self):
        """(how many runs, feeds) in which elements of the same place in two inputs take every two bytes; of a single
        input, neighbours."""
        decks = self.bytes()
        if sum(self.counts[name] for name in decks) < 2:
            return 0, iter(())
        places = max(self.counts[name] for name in decks)
        if len(decks) == 1:
            cycle = de_bruijn()
            rows = -(-ROWS // (places - 1))
            return rows, self._feeds(rows, lambda name, here: cycle[(here[:, None] * (places - 1) + np.arange(places)) % ROWS])
        products, lanes = _products(), {name: lane % 256 for lane, name in enumerate(decks)}

        def line(name, here):
            pair = (here[:, None] * places + np.arange(self.counts[name])) * STRIDE % ROWS
            return (pair & 255) ^ products[lanes[name], pair >> 8]
        rows = -(-ROWS // places)
        return rows, self._feeds(rows, line)

    def alone(self):
        """(how many runs, feeds) in which some element of each input of 16 bits takes every value; then the same in which
        every element does, of few of them."""
        decks = self.sixteens()
        if not decks:
            return []
        places = min(self.counts[name] for name in decks)
        factors = {name: 2 * lane * 10007 + STRIDE for lane, name in enumerate(decks)}  # odd: all values, in another order

        def spread(name, here):
            return (here[:, None] * places + np.arange(self.counts[name])) * factors[name] % ROWS

        def each(name, here):
            return here[:, None] * (factors[name] + 2 * np.arange(self.counts[name])) % ROWS
        rows = -(-ROWS // places)
        out = [(rows, self._feeds(rows, spread, decks))]
        if 1 < sum(self.counts[name] for name in decks) <= COLUMNS:
            out.append((ROWS, self._feeds(ROWS, each, decks)))
        return out

    def across(self):
        """(how many runs, feeds) in which every two elements take every two bytes; none of more elements than can be told
        apart."""
        decks = self.bytes()
        if not 2 <= sum(self.counts[name] for name in decks) <= COLUMNS:
            return 0, iter(())
        products, begin, slopes = _products(), 0, {}
        for name in decks:
            slopes[name] = np.arange(begin, begin + self.counts[name])
            begin += self.counts[name]

        def line(name, here):
            pair = here[:, None] * STRIDE % ROWS
            return (pair & 255) ^ products[slopes[name][None, :], pair >> 8]
        return ROWS, self._feeds(ROWS, line)


def larger_sizes(symbols):
    """Sizes at which a run may cover many pairs."""
    return [dict.fromkeys(symbols, size) for size in (4096, 256, 64, 16)]
