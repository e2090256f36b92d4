"""The loops of a model that go round as often as its inputs say: which numbers of rounds were run.

After so many rounds a loop is another program, as a model is at another size. Where the program itself bounds how many
there are (a remainder by 10,000), each number of rounds should have been run (src/recipes/conditions.h).
"""

import numpy as np

from conditions import TooLong


class Rounds:
    """Of one model. `loops`: [{"name": of a loop's number of rounds, "of": how many numbers that can be}]. `expose`: gives a runner of the model
    whose outputs the named values are too, or None."""

    def __init__(self, loops, expose):
        self.numbers = {x["name"]: int(x["of"]) for x in loops}
        self.seen = {name: set() for name in self.numbers}
        self.expose, self.runner = expose, None

    def open(self):
        if self.runner is None:
            self.runner = self.expose(list(self.numbers)) or False
        return self.runner

    def missing(self):
        return [name for name, of in self.numbers.items() if len(self.seen[name]) < of]

    def counts(self, feed):
        """Of the loops of which numbers are missing {name: how many rounds}; none where that cannot be had."""
        names = self.missing()
        runner = self.open() if names else None
        if not runner:
            return {}
        try:
            values = runner.run(feed, names)
        except TooLong:
            return {}
        if isinstance(values, str):
            return {}
        return {name: max(int(v.flat[0]), 0) for name, v in zip(names, values) if isinstance(v, np.ndarray) and v.size == 1}

    def fresh(self, feed):
        return any(count not in self.seen[name] for name, count in self.counts(feed).items())

    def add(self, feed):
        """Both models were run on it."""
        for name, count in self.counts(feed).items():
            self.seen[name].add(count)

    def report(self, in_first):
        return [{"in_first": in_first, "name": name, "seen": len(self.seen[name]), "of": self.numbers[name]} for name in self.missing()]
