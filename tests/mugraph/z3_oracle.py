"""What the search prunes, Z3 must not prove to be a part of the program.

Z3 has the paper's axioms A_eq and A_sub over an uninterpreted sort, as Mirage's first versions had; the
program's search writes every abstract expression that it met and whether it kept it.

PARTS are known to be parts of the programs: the search must have kept each, and Z3 must prove each; "unknown" is a
failure. A sample of what was pruned must not be proved. There Z3 says "unknown" sooner or later, the axioms having
infinite models only, so what it does not prove is held to models of the axioms in small numbers: a term that is more
than the program in one of them is certainly no part of it. What neither decides is counted as undecided, and said;
more than a quarter of a sample is a failure, since the sample then shows too little.
Status 77 (skipped) without z3-solver.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

try:
    import z3
except ImportError:
    print("z3_oracle: skipped, no z3-solver in this Python environment")
    sys.exit(77)


class Theory:
    def __init__(self):
        e, i = z3.DeclareSort("E"), z3.IntSort()
        self.sort = e
        self.functions = {name: z3.Function(name, e, e, e) for name in ("add", "mul", "div")}
        self.total = z3.Function("sum", i, e, e)
        self.part = z3.Function("part", e, e, z3.BoolSort())
        self.names = {"+": "add", "*": "mul", "/": "div"}

    def unary(self, name):
        return self.functions.setdefault(name, z3.Function(name, self.sort, self.sort))

    def term(self, text):
        return self.of(tree(text))

    def of(self, node):
        head, children = node
        if not children:
            return z3.Const(head, self.sort)
        terms = [self.of(c) for c in children]
        if isinstance(head, tuple):
            return self.total(z3.IntVal(head[1]), terms[0])
        if len(terms) == 1:
            return self.unary(head)(terms[0])
        return self.functions[self.names[head]](*terms)

    def axioms(self):
        x, y, z = z3.Consts("x y z", self.sort)
        i, j = z3.Ints("i j")
        add, mul, div = (self.functions[n] for n in ("add", "mul", "div"))
        total, part = self.total, self.part
        facts = [
            add(x, y) == add(y, x), mul(x, y) == mul(y, x),
            add(x, add(y, z)) == add(add(x, y), z), mul(x, mul(y, z)) == mul(mul(x, y), z),
            add(mul(x, z), mul(y, z)) == mul(add(x, y), z), add(div(x, z), div(y, z)) == div(add(x, y), z),
            mul(x, div(y, z)) == div(mul(x, y), z), div(div(x, y), z) == div(x, mul(y, z)),
            total(i, total(j, x)) == total(i * j, x), total(i, add(x, y)) == add(total(i, x), total(i, y)),
            total(i, mul(x, y)) == mul(total(i, x), y), total(i, div(x, y)) == div(total(i, x), y),
            part(x, x), part(x, add(x, y)), part(x, mul(x, y)), part(x, div(x, y)), part(y, div(x, y)),
            part(x, total(i, x)), z3.Implies(z3.And(part(x, y), part(y, z)), part(x, z)), total(1, x) == x,
        ]
        for name, f in self.functions.items():
            if name not in ("add", "mul", "div"):
                facts.append(part(x, f(x)))
        if "exp" in self.functions:
            exp = self.functions["exp"]
            facts.append(mul(exp(x), exp(y)) == exp(add(x, y)))
        if "sqrt" in self.functions:
            sqrt = self.functions["sqrt"]
            facts.append(mul(sqrt(x), sqrt(y)) == sqrt(mul(x, y)))

        def closed(f):
            seen, todo = [], [f]
            while todo:
                t = todo.pop()
                if any(t.eq(v) for v in (x, y, z, i, j)) and not any(t.eq(v) for v in seen):
                    seen.append(t)
                todo.extend(t.children())
            return z3.ForAll(seen, f)

        return [closed(f) for f in facts]


def proves(theory, target, text, resources):
    goal = theory.part(theory.term(text), target)
    solver = z3.Solver()
    solver.set("rlimit", resources)
    solver.add(theory.axioms())
    solver.add(z3.Not(goal))
    return solver.check() == z3.unsat


def tree(text):
    """(head, [children]); of a sum the head is ("sum", how many)."""
    tokens = re.findall(r"[^\s(),]+|[(),]", text)
    at = 0

    def read():
        nonlocal at
        head = tokens[at]
        at += 1
        if at == len(tokens) or tokens[at] != "(":
            return head, []
        at += 1
        if head == "sum":
            head = ("sum", int(tokens[at]))
            at += 2
        children = [read()]
        while tokens[at] == ",":
            at += 1
            children.append(read())
        at += 1
        return head, children

    return read()


class Occurs:
    """A model over 0 and 1: whether an operator or a tensor occurs. The axioms keep that, but for products that become
    quotients (what occurs in either is watched together) and exponentials, of which sums within become products."""

    def __init__(self, watched):
        self.watched = watched

    def value(self, node):
        head, children = node
        if head == "exp" and self.watched & {"+", "*"}:
            return 1
        return max([head in self.watched, *map(self.value, children)])

    def exceeds(self, a, b):
        return a > b


class Weighs:
    """A model over numbers: sums take the most, products and quotients add, a sum over n adds the weight of n's prime
    factors, and of a function with a law of its own (exp) nothing is known."""

    def __init__(self, rng):
        self.rng, self.weights = rng, {}

    def weight(self, name):
        return self.weights.setdefault(name, self.rng.choice((0, 0, 1, 2, 5)))

    def value(self, node):
        head, children = node
        of = [self.value(c) for c in children]
        if not of:
            return self.weight(head)
        if head == "+":
            return max(of)
        if head in ("*", "/"):
            return sum(of)
        if head == "exp":
            return float("inf")
        if head == "sqrt":
            return of[0]
        if isinstance(head, tuple):
            n, total = head[1], of[0]
            for prime in (2, 3, 5, 7):
                while n % prime == 0:
                    n //= prime
                    total += self.weight(f"sum over {prime}")
            return total
        return of[0] + self.weight(head)

    def exceeds(self, a, b):
        return a > b


class Expanded:
    """A model over sums of products, written out: a term is the multiset of its products, a product the multiset of its
    factors and the sum in its exponential, since exp(x) exp(y) = exp(x + y). Quotients count as products, roots as what
    is under them, a sum over n as a product with n's prime factors. A term is a part of another if its products are
    parts of different products there, or if it is a part of what stands in one of the exponentials."""

    MOST = 64  # products of a term

    def value(self, node):
        head, children = node
        of = [self.value(c) for c in children]
        if None in of:
            return None
        if not of:
            return (((head,), ()),)
        if head == "+":
            out = of[0] + of[1]
        elif head in ("*", "/"):
            out = tuple(self.product(a, b) for a in of[0] for b in of[1])
        elif head == "exp":
            out = (((), of[0]),)
        elif head == "sqrt":
            out = of[0]
        elif isinstance(head, tuple):
            n, factors = head[1], []
            for prime in (2, 3, 5, 7):
                while n % prime == 0:
                    n //= prime
                    factors.append(f"sum over {prime}")
            out = tuple(self.product(a, (tuple(factors), ())) for a in of[0])
        else:
            out = tuple(self.product(a, ((head,), ())) for a in of[0])
        return tuple(sorted(out)) if len(out) <= self.MOST else None

    def product(self, a, b):
        return tuple(sorted(a[0] + b[0])), tuple(sorted(a[1] + b[1]))

    def exceeds(self, a, b):
        return a is not None and b is not None and not self.within(a, b)

    def within(self, a, b):
        if any(self.within(a, exponent) for _, exponent in b if exponent):
            return True
        images = [[j for j, y in enumerate(b) if self.product_within(x, y)] for x in a]
        taken = {}

        def place(i, seen):  # a matching, augmented product by product
            for j in images[i]:
                if j not in seen:
                    seen.add(j)
                    if j not in taken or place(taken[j], seen):
                        taken[j] = i
                        return True
            return False

        return all(place(i, set()) for i in range(len(a)))

    def product_within(self, x, y):
        if not Counter(x[0]) - Counter(y[0]) and self.within(x[1], y[1]):
            return True
        return bool(y[1]) and self.within((x,), y[1])


def names(node):
    head, children = node
    return {head if isinstance(head, str) else "sum"} | set().union(*map(names, children))


def refuted(target, text, rng):
    """Whether some model says that the term is no part of the target."""
    term, target = tree(text), tree(target)
    models = [Occurs({n}) for n in names(term) if n not in ("*", "sum")] + [Occurs({"*", "/"})]
    models += [Expanded()] + [Weighs(rng) for _ in range(500)]
    return any(m.exceeds(m.value(term), m.value(target)) for m in models)


def faults_of_models(rng):
    """Axioms that a model breaks: none, or what it refutes means nothing."""
    def leaf():
        return rng.choice("abc"), []

    def term(depth):
        if depth == 0:
            return leaf()
        head = rng.choice(["+", "*", "/", "sqrt", "exp", "silu", ("sum", rng.choice((2, 3, 4)))])
        return head, [term(depth - 1) for _ in range(2 if head in ("+", "*", "/") else 1)]

    out = []
    for _ in range(3000):
        x, y, z = term(2), term(1), term(1)
        i, j = rng.choice((2, 3)), rng.choice((2, 6))
        def add(a, b): return "+", [a, b]
        def mul(a, b): return "*", [a, b]
        def div(a, b): return "/", [a, b]
        def total(n, a): return ("sum", n), [a]
        def of(f, a): return f, [a]
        equal = [(add(x, y), add(y, x)), (mul(x, y), mul(y, x)), (add(x, add(y, z)), add(add(x, y), z)),
                 (mul(x, mul(y, z)), mul(mul(x, y), z)), (add(mul(x, z), mul(y, z)), mul(add(x, y), z)),
                 (add(div(x, z), div(y, z)), div(add(x, y), z)), (mul(x, div(y, z)), div(mul(x, y), z)),
                 (div(div(x, y), z), div(x, mul(y, z))), (total(i, total(j, x)), total(i * j, x)),
                 (total(i, add(x, y)), add(total(i, x), total(i, y))), (total(i, mul(x, y)), mul(total(i, x), y)),
                 (total(i, div(x, y)), div(total(i, x), y)), (total(1, x), x),
                 (mul(of("exp", x), of("exp", y)), of("exp", add(x, y))),
                 (mul(of("sqrt", x), of("sqrt", y)), of("sqrt", mul(x, y)))]
        within = [(x, add(x, y)), (x, mul(x, y)), (x, div(x, y)), (y, div(x, y)), (x, total(i, x)), (x, of("silu", x)),
                  (x, of("exp", x)), (x, of("sqrt", x))]
        for model in (Occurs({"+"}), Occurs({"*", "/"}), Occurs({"/"}), Occurs({"a"}), Occurs({"silu"}), Weighs(rng), Expanded()):
            out += [(type(model).__name__, pair) for pair in equal if model.value(pair[0]) != model.value(pair[1])]
            out += [(type(model).__name__, pair) for pair in within if model.exceeds(*map(model.value, pair))]
    return out


# Each is a part of the program, and Z3 finds a proof in a moment.
PARTS = {
    "rmsnorm": ["sum(12, x0)", "*(x1, /(x0, sqrt(sum(3, sum(4, x0)))))", "sum(12, /(x0, sqrt(x0)))",
                "/(sum(12, x1), sqrt(sum(12, x0)))"],
    "gated_mlp": ["*(x0, x2)", "sum(3, sum(4, x1))", "silu(sum(12, *(x0, x1)))", "sum(2, sum(6, *(x0, x2)))", "sum(12, x1)"],
    "lora": ["*(x3, sum(12, sum(12, *(x0, x2))))", "sum(12, sum(3, sum(4, *(x2, x3))))", "sum(6, sum(3, sum(2, *(x2, x3))))"],
    "mlp": ["sum(2, sum(6, x2))", "sum(4, sum(3, x1))", "*(exp(*(x1, sum(12, x0))), sum(12, x2))"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isomer", default="build/release/isomer")
    parser.add_argument("--sample", type=int, default=25)
    parser.add_argument("--resources", type=int, default=400_000)
    args = parser.parse_args()
    broken = faults_of_models(random.Random(1))
    for name, pair in broken[:5]:
        print(f"{name} is no model of the axioms: {pair}")
    faults = bool(broken)
    for name, parts in PARTS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "terms.json"
            subprocess.run([args.isomer, "-q", "mugraph", "search", name, "--max-block-ops", "7", "--no-floats",
                            "--terms", path, "--json"], check=True, stdout=subprocess.DEVNULL)
            data = json.loads(path.read_text())
        rng = random.Random(name)
        kept = {t for t, is_kept in data["terms"] if is_kept}
        pruned = [t for t, is_kept in data["terms"] if not is_kept and len(t) < 90]
        theory = Theory()
        target = theory.term(data["target"])
        lost = [t for t in parts if t not in kept]
        # Ten times what a proof takes: it must be found.
        unknown = [t for t in parts if not proves(theory, target, t, 10 * args.resources)]
        refuted_parts = [t for t in parts if refuted(data["target"], t, rng)]
        sample = rng.sample(pruned, min(args.sample, len(pruned)))
        wrong = [t for t in sample if proves(theory, target, t, args.resources)]
        undecided = [t for t in sample if t not in wrong and not refuted(data["target"], t, rng)]
        print(f"{name}: {len(parts)} parts: not kept {lost}, without a proof {unknown}, refuted {refuted_parts}; "
              f"{len(sample)} of {len(pruned)} pruned: wrong {wrong}, {len(undecided)} undecided", flush=True)
        for t in undecided:
            print(f"  undecided: {t}")
        faults += bool(lost or unknown or refuted_parts or wrong or 4 * len(undecided) > len(sample))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
