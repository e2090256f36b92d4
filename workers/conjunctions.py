"""Inputs at which many comparisons hold at once, and inputs beside these.

That two dozen numbers rise, or are all below others, no draw meets: half a chance for each makes one in millions. Two models of
which one forgets the last of them then agree on all inputs that are drawn. So one comparison after the other is made to hold, or
not to: elements of inputs are changed one by one (to what they are compared with and beside it, to their opposites, to beside their
neighbour, with one another), and a change stays where more comparisons are as they should be. From where all are, each element is
changed by itself, so that each comparison alone is not. (To begin with an input that meets a condition and to break it at one
place after the other is what masking MC/DC asks of tests: Chilenski and Miller, "Applicability of modified condition/decision
coverage to software testing", 1994. Ours has elements for conditions, and finds the input itself.)
"""

import numpy as np

from conditions import WANTED
from effort import spent as clock

MOST, PLACES, SWAPPED = 256, 64, 24  # compared elements; elements of inputs that are changed; of one that are swapped
PASSES, CONDITIONS = 4, 16
FAR = 8.0


class Conjunction:
    """Of one comparison of a watch. `held`: inputs that are not changed."""

    def __init__(self, watch, condition, held, left):
        self.watch, self.name, self.operands, self.held, self.left = watch, condition["name"], condition["operands"], held, left

    def counted(self, feed, way):
        """(how many elements are so, of how many)."""
        values = self.watch.values(feed, [self.name]) if self.left() > 0 else None
        value = None if values is None else values[self.name]
        return (0, 0) if value is None or not 0 < value.size <= MOST else (int(np.sum(value == way)), value.size)

    def places(self, feed):
        """Elements of inputs that may be changed: all of few, else some from both ends."""
        out = [(name, i) for name, v in feed.items() if v.dtype.kind in "iufb" and v.size and name not in self.held for i in range(v.size)]
        return out if len(out) <= PLACES else [out[int(i)] for i in np.unique(np.linspace(0, len(out) - 1, PLACES))]

    def others(self, feed):
        """Numbers that elements are compared with, by their place."""
        values = self.watch.values(feed, self.operands)
        return [] if values is None else [v.ravel() for v in values.values() if v.dtype.kind in "iuf" and v.size]

    def changes(self, feed, name, index, beside):
        """What the element may be instead."""
        array = feed[name]
        kind, value = array.dtype, array.flat[index].item()
        if kind.kind == "b":
            wanted = [not value]
        else:
            wanted = [-value, value + FAR, value - FAR]
            for k in (index - 1, index + 1):
                if 0 <= k < array.size:
                    wanted += [array.flat[k].item() + d for d in (1, -1)]
            for other in beside:
                if index < other.size or other.size == 1:
                    near = other[index if index < other.size else 0].item()
                    wanted += [near, near + 1, near - 1]
        limits = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind) if kind.kind == "f" else None
        for new in dict.fromkeys(wanted):
            if new == value or new != new or (limits is not None and not limits.min <= new <= limits.max):
                continue
            changed = array.copy()
            changed.flat[index] = new
            yield {**feed, name: changed}

    def swaps(self, feed):
        for name, v in feed.items():
            if name in self.held or v.dtype.kind not in "iuf" or not 1 < v.size <= SWAPPED:
                continue
            for i in range(v.size):
                for k in range(i + 1, v.size):
                    swapped = v.copy()
                    swapped.flat[i], swapped.flat[k] = v.flat[k], v.flat[i]
                    yield {**feed, name: swapped}

    def met(self, feed, way):
        """Inputs at which all comparisons are so; None where none were found."""
        best, of = self.counted(feed, way)
        for _ in range(PASSES):
            before = best
            for ways in (lambda: (f for name, i in self.places(feed) for f in self.changes(feed, name, i, beside)), lambda: self.swaps(feed)):
                beside, going = self.others(feed), True
                while going and best < of:
                    going = False
                    for changed in ways():
                        if self.left() <= 0:
                            return None
                        count, size = self.counted(changed, way)
                        if size == of and count > best:
                            feed, best, going = changed, count, True
                            break
            if best == of or best == before:
                break
        return feed if of and best == of else None

    def beside(self, feed):
        """One element after the other changed, and neighbours swapped."""
        beside = self.others(feed)
        for name, index in self.places(feed):
            yield from self.changes(feed, name, index, beside)
        yield from self.swaps(feed)


def hold_and_break(watches, feeds, attempt, seconds, held, cancelled=lambda: False):
    """Runs inputs at which all elements of a comparison are true, or false, and those beside. `feeds`: some that were run;
    `attempt(feed)`: runs both models; whether that is enough."""
    asked = [(w, c, way) for w in watches for c in w.movable().values() if (c["op"], True) in WANTED for number, way in enumerate((True, False)) if c["can"][number]]
    until = clock() + seconds
    for number, (watch, condition, way) in enumerate(asked[:CONDITIONS]):
        begin = clock()
        end = begin + (until - begin) / (min(len(asked), CONDITIONS) - number)

        def left(end=end):
            return 0 if cancelled() else end - clock()
        own = Conjunction(watch, condition, held, left)
        if not own.counted(feeds[0], way)[1]:
            continue
        whole = [feed for feed in feeds if (so := own.counted(feed, way))[1] and so[0] == so[1]]
        found = whole[0] if whole else next((f for f in (own.met(feed, way) for feed in feeds[:2]) if f is not None), None)
        if found is None:
            continue
        if attempt(found) or any(attempt(feed) for feed in own.beside(found) if left() > 0):
            return
        for w in watches:
            w.look(found)
