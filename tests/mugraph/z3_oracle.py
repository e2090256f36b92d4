"""What the search prunes, Z3 must not prove to be a part of the program.

Z3 has the paper's axioms A_eq and A_sub over an uninterpreted sort, as Mirage's first versions had; the
program's search writes every abstract expression that it met and whether it kept it. A sample of what was
pruned is asked; some of what was kept is asked as well, so that the question is known to be a real one.
Status 77 (skipped) without z3-solver.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
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
        tokens = re.findall(r"[^\s(),]+|[(),]", text)
        at = 0

        def read():
            nonlocal at
            head = tokens[at]
            at += 1
            if at == len(tokens) or tokens[at] != "(":
                return z3.Const(head, self.sort)
            at += 1
            if head == "sum":
                degree = int(tokens[at])
                at += 2
                body = read()
                at += 1
                return self.total(z3.IntVal(degree), body)
            children = [read()]
            while tokens[at] == ",":
                at += 1
                children.append(read())
            at += 1
            if len(children) == 1:
                return self.unary(head)(children[0])
            return self.functions[self.names[head]](*children)

        return read()

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isomer", default="build/release/isomer")
    parser.add_argument("--sample", type=int, default=25)
    parser.add_argument("--resources", type=int, default=400_000)
    args = parser.parse_args()
    faults = 0
    for name in ("rmsnorm", "gated_mlp", "lora", "mlp"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "terms.json"
            subprocess.run([args.isomer, "-q", "mugraph", "search", name, "--max-block-ops", "7", "--no-floats",
                            "--terms", path, "--json"], check=True, stdout=subprocess.DEVNULL)
            data = json.loads(path.read_text())
        rng = random.Random(name)
        pruned = [t for t, kept in data["terms"] if not kept and len(t) < 90]
        kept = [t for t, kept in data["terms"] if kept and len(t) < 40]
        theory = Theory()
        target = theory.term(data["target"])
        wrong = [t for t in rng.sample(pruned, min(args.sample, len(pruned)))
                 if proves(theory, target, t, args.resources)]
        sample = rng.sample(kept, min(10, len(kept)))
        confirmed = sum(proves(theory, target, t, args.resources) for t in sample)
        print(f"{name}: {len(pruned)} pruned, {len(kept)} kept; wrong {wrong}; Z3 proves {confirmed} of {len(sample)} kept",
              flush=True)
        faults += bool(wrong) or confirmed == 0
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
