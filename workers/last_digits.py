"""Which differences of two models their inputs' last digits account for.

What rounding leaves of large numbers that cancel on the way changes with these: the distance of a row from itself is zero, and
by products it is what rounding leaves. So two models are now so far apart, now otherwise. A step that one of them takes at a
threshold and the other beside it is no such difference: away from there both give the same. Nor is a number that was added.
(To run a program again on inputs that are moved a little is one of the ways to assess rounding that Kahan weighs in "How futile
are mindless assessments of roundoff in floating-point computation?", 2006; it is no proof. Ours moves the inputs of both models,
looks at how far these are apart instead of at either, and bounds what that may excuse by a few roundings of the largest value
on the way.)
"""

import numpy as np

NOISE = 8            # times the range of how far they are apart, that rounding may be off by
MOVES, FEW = 64, 8   # how often they are moved, at most; where nothing else bounds what that excuses
AWAY = 16, 128       # of the last digit, between which they are moved: beyond a threshold, and beyond one that is a few digits off
ROUNDINGS = 4        # of the largest value on the way, that an element may be off by


def apart(models, feed, number, shape, seed):
    """How far the models are apart in the output `number` where the inputs' last digits are moved; NaN where either has no number."""
    rng, none = np.random.default_rng([6, seed]), np.full(shape, np.nan)
    with np.errstate(all="ignore"):
        moved = {k: (v * (1 + np.finfo(v.dtype).eps * rng.choice((-1, 1), v.shape) * rng.uniform(*AWAY, v.shape))).astype(v.dtype) if v.dtype.kind == "f" else v
                 for k, v in feed.items()}
        one, two = (model.run(moved) for model in models)
        if isinstance(one, str) or isinstance(two, str) or np.shape(one[number]) != shape or np.shape(two[number]) != shape:
            return none
        gap = np.asarray(one[number], np.float64) - two[number]
        return np.where(np.isfinite(gap), gap, np.nan)


def beyond_noise(models, feed, number, gap, most, over):
    """Which of these gaps in an output last digits do not account for, or are above `most`. `over`: whether to end before all is
    tried; nothing more is granted then."""
    beyond = ~(gap <= most)
    left, lowest, highest = ~beyond, np.full(gap.shape, np.nan), np.full(gap.shape, np.nan)
    for seed in range(MOVES if np.isfinite(most) else FEW):
        if over() or not np.any(left):
            break
        here = apart(models, feed, number, gap.shape, seed)
        lowest, highest = np.fmin(lowest, here), np.fmax(highest, here)
        left &= ~(gap <= NOISE * (highest - lowest))
    return beyond | left


def roundings(largest, dtype):
    """Some of the largest value on the way; none where that is not seen (infinite)."""
    return ROUNDINGS * float(np.finfo(dtype).eps) * largest if np.isfinite(largest) else 0.0
