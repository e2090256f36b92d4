"""Inputs at which the runtime tells two models apart, and is not to be believed.

Two kinds. A share (a sigmoid, a softmax) that is next to nothing: a runtime computes it to so many digits of 1, not of
itself. And what ONNX's reference evaluator does not see (definition.py). The inputs are kept and handed to the client, whose
interpreter says whether the models are apart at just these (src/recipes/doubts.h).
"""

import numpy as np

MOST_FEEDS, MOST_BYTES = 1024, 1 << 24


class Doubts:
    """Of one pair of models. `shares`: the outputs that hold shares; `nothing`: which of those are told from 0 by nobody."""

    def __init__(self, shares, nothing):
        self.shares, self.nothing = set(shares), nothing
        self.kept, self.bytes, self.left_out = [], 0, ""  # left_out: the first for which there was no room

    def believes(self, number, x, y):
        """The second model's output `number` with the first one's elements where the two differ by next to nothing."""
        if number not in self.shares or not isinstance(x, np.ndarray) or x.dtype.kind != "f":
            return y
        with np.errstate(all="ignore"):
            return np.where(np.abs(x.astype(np.float64) - y) <= self.nothing, x, y)

    def add(self, number, what, sizes, feed):
        """What differs at output `number`, in words; `number` None: something that ONNX does not see."""
        size = sum(v.nbytes for v in feed.values())
        if len(self.kept) >= MOST_FEEDS or self.bytes + size > MOST_BYTES:
            self.left_out = self.left_out or what
            return
        self.bytes += size
        self.kept.append({"output": number, "what": what, "sizes": sizes, "feed": feed})

    def only(self, what, sizes, feed):
        """A difference that ONNX's reference evaluator alone has seen: nothing else is asked."""
        self.kept, self.bytes = [], 0
        self.add(None, what, sizes, feed)

    def report(self, folder, written):
        """For the client: the inputs lie in files of the folder, as `written` writes them."""
        rows = []
        for number, doubt in enumerate(self.kept):
            feed = doubt["feed"]
            tensors = written(folder, f"doubt_{number}", [{"name": name} for name in feed], list(feed.values()))
            rows.append({"output": -1 if doubt["output"] is None else doubt["output"], "what": doubt["what"],
                         "sizes": doubt["sizes"], "inputs": tensors})
        return {"doubts": rows, "doubt_left_out": self.left_out}


def doubts_of(request):
    about = request.get("shares") or {}
    return Doubts(about.get("outputs") or [], float(about.get("nothing", 0)))
