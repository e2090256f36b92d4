#!/usr/bin/env python3
"""Random pipelines of HLO passes and random decisions on them, held to what they were made of.

    python3 bench/hlo_fuzz.py [PATH...] [--seconds 600] [--seed 0] [--most-instructions 200] [--no-xla] [--keep FOLDER]

A trial takes a module (folders or files; those of the tests), up to six times one to three passes drawn from all there are, and for each of
their choices at random what stands there, the first way or any. What comes out is printed, read again as the same graph, and its types are
checked; with jax, real XLA runs it beside the module on the same inputs, with its fusions written out: XLA fuses itself, and fusions that
are there already can take it down (docs/hlo.md). Passes that call libraries which XLA's processors do not have are left out there. A difference ends the program with status 1; the two modules, and
what was done, are in the folder of `--keep`. A seed does the same on every machine that gets as far. A trial under way is not cut short.

`fuzz/hlo_fuzz.cpp` does the same for the text itself.
"""

import argparse
import importlib.util
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("ISOMER_PROGRAM", ROOT / "build/release/isomer")
#: Calls of libraries that XLA's processors do not have.
LIBRARY = {"cublas-gemm-broadcast-folding-rewriter", "cublas-gemm-rewriter", "cudnn_vectorize_convolutions"}
#: Of trials on one module, how many go to XLA together.
TOGETHER = 4
#: Of outputs, as a part of the largest element: sums are taken in another order, and one module of the tests comes to 1.1e-4.
TOLERANCE = 1e-3


def texts(paths):
    for path in paths:
        yield from sorted(p for p in path.rglob("*") if p.suffix in (".txt", ".hlo")) if path.is_dir() else [path]


def decisions(graph, rng):
    """One for each choice: as it is, the first way, or any."""
    style = rng.choice(["first", "any", "some"])
    return [1 if style == "first" else rng.randrange(0 if style == "any" or rng.random() < 0.5 else 1, n) for n in graph.options.tolist()]


def go(env, passes, rng):
    """Changes the module at random; what was done."""
    done = []
    for _ in range(rng.randint(1, 6)):
        chosen = rng.sample(passes, rng.randint(1, 3))
        if rng.random() < 0.2:
            env.run(chosen)
            done.append({"run": chosen})
            continue
        taken = decisions(env.dry_run(chosen), rng)
        refused = env.apply(taken)
        done.append({"dry": chosen, "decisions": taken, "refused": len(refused)})
    return done


def fault(env):
    """What is wrong with the module itself, or nothing."""
    import isomer

    try:
        again = isomer.HloEnv(env.text)
    except isomer.InputError as error:
        return f"what was printed is refused: {error}"
    return "" if again.hash == env.hash else "what was printed is another graph"


def written_out(env):
    """Without fusions."""
    plain = env.clone()
    plain.run(["defuser"])
    return plain


def apart(start, env, folder):
    """What real XLA says of two modules of which one seemed to compute something else; nothing where that was no more than a time."""
    files = [str(folder / name) for name in ("start.hlo", "changed.hlo")]
    start.save(files[0])
    env.save(files[1])
    command = [PROGRAM, "-q", "hlo", "run", files[0], "--compare", files[1], "--tolerance", str(TOLERANCE), "--rounds", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1, 4):
        return done.stderr.strip() or f"hlo run: status {done.returncode}"
    answer = json.loads(done.stdout)
    return "" if answer["outputs_agree"] else json.dumps({k: answer[k] for k in ("difference", "modules")})


class Trials:
    """Counts of what was tried, and what was wrong."""

    def __init__(self, keep):
        self.keep, self.counts, self.wrong = keep, {"trials": 0, "changed": 0, "by_xla": 0}, []

    def add(self, path, start, trials, evaluator):
        """Of one module: (changed module, what was done)."""
        changed = [(env, done) for env, done in trials if env.hash != start.hash]
        self.counts["trials"] += len(trials)
        self.counts["changed"] += len(changed)
        for env, done in trials:
            if said := fault(env):
                self.tell(path, env, done, said)
        if evaluator is None or not changed:
            return
        cost = evaluator.costs([start])[0]
        plain = [written_out(env) for env, _ in changed]
        for (env, done), one, of in zip(changed, plain, evaluator.costs(plain), strict=True):
            self.counts["by_xla"] += 1
            if of >= 50 * cost and (said := apart(start, one, self.keep)):
                self.tell(path, env, done, said)

    def tell(self, path, env, done, said):
        print(f"{path}: {said}", file=sys.stderr, flush=True)
        number = len(self.wrong)
        (self.keep / f"wrong_{number}.hlo").write_text(env.text)
        (self.keep / f"wrong_{number}.json").write_text(json.dumps({"module": str(path), "fault": said, "done": done}))
        self.wrong.append(said)


def evaluator_of(start, pool):
    """Of XLA; none where there is none, or it refuses the module itself."""
    import isomer
    from isomer.hlo import HloEvaluator

    if pool is None:
        return None
    try:
        evaluator = HloEvaluator(start, "xla", pool=pool, rounds=1, tolerance=TOLERANCE)
        evaluator.costs([start])
        return evaluator
    except isomer.Error:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "tests/hlo/corpus"])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most-instructions", type=int, default=200)
    parser.add_argument("--no-xla", action="store_true")
    parser.add_argument("--keep", type=Path, default=Path("build/hlo_fuzz"))
    arguments = parser.parse_args()
    import isomer
    from isomer.hlo import PASSES, XlaPool

    pool = XlaPool() if not arguments.no_xla and importlib.util.find_spec("jax") else None
    passes = [p for p in PASSES if not (pool and p in LIBRARY)]
    arguments.keep.mkdir(parents=True, exist_ok=True)
    rng, modules, trials = random.Random(arguments.seed), list(texts(arguments.paths)), Trials(arguments.keep)
    end = time.monotonic() + arguments.seconds
    while time.monotonic() < end:
        path = rng.choice(modules)
        start = isomer.HloEnv(path)
        if start.instructions > arguments.most_instructions:
            continue
        these = [(env := start.clone(), go(env, passes, rng)) for _ in range(TOGETHER)]
        trials.add(path, start, these, evaluator_of(start, pool))
    print(json.dumps({**trials.counts, "wrong": len(trials.wrong), "modules": len(modules), "xla": pool is not None}))
    return 1 if trials.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
