"""Which differences of two models their inputs' last digits account for.

What is left of large numbers that cancel on the way moves with these, whatever its inputs' share in it: the distance of a row
from itself is zero, and by products it is what rounding leaves. (To run a program again on inputs that are moved a little is one
of the ways to assess rounding that Kahan weighs in "How futile are mindless assessments of roundoff in floating-point
computation?", 2006; it is no proof. Ours moves the inputs of both models, by their last digits, and bounds what that may
excuse by a few roundings of the largest value on the way.)
"""

import numpy as np

NOISE = 8            # times what last digits move, that rounding may be off by
MOVES, FEW = 32, 4   # how often they are moved, at most; where nothing else bounds what that excuses
ROUNDINGS = 4        # of the largest value on the way, that an element may be off by


def noise(models, still, feed, number, seed):
    """By how much the output `number` of either model moves with its inputs' last digits. `still`: of both, where nothing is moved."""
    rng, out = np.random.default_rng([6, seed]), 0.0
    with np.errstate(all="ignore"):
        moved = {k: (v * (1 + np.finfo(v.dtype).eps * rng.choice((-2, -1, 1, 2), v.shape))).astype(v.dtype) if v.dtype.kind == "f" else v
                 for k, v in feed.items()}
        for model, here in zip(models, still):
            there = model.run(moved)
            if not isinstance(here, str) and not isinstance(there, str) and np.shape(here[number]) == np.shape(there[number]):
                gap = np.abs(np.asarray(here[number], np.float64) - there[number])
                out = np.maximum(out, np.where(np.isfinite(gap), gap, 0))
    return out


def beyond_noise(models, feed, number, gap, most):
    """Which of these gaps in an output last digits do not account for, or are above `most`."""
    beyond = ~(gap <= most)
    left = ~beyond
    still = [model.run(feed) for model in models] if np.any(left) else []
    for seed in range(MOVES if np.isfinite(most) else FEW):
        if not np.any(left):
            break
        left &= gap > NOISE * noise(models, still, feed, number, seed)
    return beyond | left


def roundings(largest, dtype):
    """Some of the largest value on the way; none where that is not seen (infinite)."""
    return ROUNDINGS * float(np.finfo(dtype).eps) * largest if np.isfinite(largest) else 0.0
