"""Sizes of dynamic dimensions that are worth a try, and sizes at which a condition that sizes alone decide turns.

A model may compute something else where it has 77 elements, or as many rows as squares of columns. No input leads there, and
no set of sizes that is drawn. What such a condition compares is a small part of the model, which runs on zeros in no time:
so it is asked at thousands of sizes, and both models are run where it comes out otherwise than before. (Boundary values, as
in draws.py, of sizes; what a solver would do with formulas is done by trying, which needs none.)
"""

import itertools
import math

import numpy as np

from effort import spent as clock

NAMED, FAR, ROOTS = 4096, 1 << 22, 64  # the largest named size that is drawn at, and asked about; sizes whose squares are
ALL = {1: 1 << 14, 2: 256, 3: 40}  # up to which all sizes of so many dimensions are asked about
HITS = 2                 # sizes for each way that a condition goes


def named_sizes(symbols, base, constants, largest=NAMED):
    """At numbers that the programs name: one dimension of that size, then every two whose product it is."""
    named = sorted({c for c in constants if 2 <= c <= largest})
    out = [{**base, s: n} for n in named for s in symbols[:4]]
    parts = [(d, n // d) for n in named for d in range(2, math.isqrt(n) + 1) if n % d == 0]
    for first, second in itertools.permutations(symbols[:4], 2):
        out += [{**base, first: one, second: other} for one, other in parts]
    return out


def related_sizes(symbols, base, largest=4):
    """Two dimensions of which one is the square of the other, twice it, or one more; the smallest first."""
    twos = list(itertools.permutations(symbols[:4], 2))
    return [{**base, first: n, second: of} for n in range(2, largest) for of in (n * n, 2 * n, n + 1) for first, second in twos]


def all_sizes(symbols, base, constants):
    """In the order in which they are asked about; made one by one, as mostly none is."""
    named = named_sizes(symbols, base, constants, FAR)
    yield from (dict(base), *named)
    yield from ({**sizes, s: sizes[s] + by} for sizes in named for s in symbols[:4] for by in (-1, 1))
    few = ALL.get(len(symbols), 0)
    small = sorted(itertools.product(range(1, few + 1), repeat=len(symbols)), key=max) if few else []
    yield from (dict(zip(symbols, sizes)) for sizes in small)
    yield from related_sizes(symbols, base, ROOTS)
    yield from (dict.fromkeys(symbols, n) for n in range(1, ROOTS))


def turning(watches, sizes, feed_at, seconds):
    """Those of these sizes at which a condition that sizes decide is true, and at which it is false; a few of each."""
    until, hits, out = clock() + seconds, {}, []
    asked = [(number, watch, names) for number, watch in enumerate(watches) if (names := watch.of_sizes())]
    for at in sizes if asked else ():
        wanted = [(number, name, way) for number, watch, _ in asked for name, way in watch.unmet()
                  if name in watch.of_sizes() and hits.get((number, name, way), 0) < HITS]
        if not wanted or clock() > until:
            break
        feed = feed_at(at)
        values = {number: watch.values(feed, names) for number, watch, names in asked} if feed is not None else {}
        met = [(number, name, way) for number, name, way in wanted if values.get(number) and np.any(values[number][name] == way)]
        for what in met:
            hits[what] = hits.get(what, 0) + 1
        if met and at not in out:
            out.append(at)
    return out
