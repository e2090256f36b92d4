"""Whether two models' outputs on the same inputs are the same, element by element.

What an element may be off by is what rounding could do to what it was computed from. How large that was shows in the
first model itself: its largest value on ordinary inputs, and how much it moves when every input is moved by a known
share (an element that is the difference of large numbers moves far). Nothing of it lets a jump pass: a jump is no
larger for a larger share, and among ordinary numbers the output's largest element is the limit. So a small output, or
a small column beside large ones, is held to its own size.
"""

import numpy as np

from draws import ORDINARY, WIDE


def comparable(x, y):
    """Whether some element is finite on both sides."""
    return x.shape == getattr(y, "shape", None) and bool(np.any(np.isfinite(x) & np.isfinite(y)))


def identical(x, y):
    """To the bit, kinds of NaN included."""
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.dtype != object:
        return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    return False


def largest(feed):
    """The largest finite float among these inputs."""
    floats = [v[np.isfinite(v)] for v in feed.values() if v.dtype.kind == "f"]
    return max((float(np.max(np.abs(v), initial=0)) for v in floats), default=0.0)


class Judge:
    """One output at one set of sizes. Differences up to `nothing` are no error worth telling."""

    def __init__(self, tolerance, nothing=0.0):
        self.tolerance, self.nothing = tolerance, nothing
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

    def difference(self, a, b, regime, generic, nudged, magnitude=None, scale=0.0):
        """"" where they agree, else what differs: a word of "types", "shapes", "values", "finite" (only the first is),
        "kinds" (neither is), "overflow" (only the second is, at wide inputs), and the place. `nudged`: a function that gives
        the same output on nudged inputs, and by which share those were moved; or None. `magnitude`: one that gives the
        largest of all values on the way, where they are much smaller than usual. `scale`: of the inputs, where these are much
        larger: a runtime's functions are off by a share of that (a sigmoid below 1e-6 has no digit right)."""
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
        return self._floats(a, b, regime, generic, nudged, magnitude, scale)

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

    def _floats(self, a, b, regime, generic, nudged, magnitude, least):
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
        floor = np.maximum(floor, least)
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
                self.worst = max(self.worst, float(np.max(np.where(gap > self.nothing, gap / np.maximum(scale, 1e-300), 0), initial=0)))
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
