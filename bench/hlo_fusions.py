"""hlo_fusions.py FOLDER MODULE...: modules before and after XLA's own pass "fusion", and how many of them `isomer hlo passes --only fusion`
fuses alike. A MODULE is a file, or a folder with `*.txt` and `*.hlo`. Needs jax.

XLA compiles each module for processors with all of its passes and dumps it after each pass that changed it: the dump after "fusion" and the
one before are a pair, in FOLDER. Compared are both sides' graphs without equal subexpressions, and how many fusions were made. Ours
goes over the module once, as XLA's does. What XLA refuses, and what it leaves alone, is counted apart.
"""

import argparse
import collections
import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

from hlo_fuzz import texts
from hlo_pairs import PROGRAM, compile_with_dumps, dumps_in_order, isomer


def pair(module, folder):
    """The pair's two files, made where they are not there; None where XLA's pass changed nothing."""
    before, after = folder / "before.txt", folder / "after.txt"
    if not before.exists():
        dump = folder / "dump"
        dump.mkdir(parents=True, exist_ok=True)
        # Code generation comes after the pass; its lowest level makes it short.
        compile_with_dumps(module.read_text(), dump, [("xla_backend_optimization_level", "0")])
        files = dumps_in_order(dump)
        places = [i for i, file in enumerate(files) if ".after_fusion." in file.name]
        if not places or places[0] == 0:
            return None
        after.write_text(files[places[0]].read_text())
        before.write_text(files[places[0] - 1].read_text())
    return before, after


def fusions(file):
    done = subprocess.run([PROGRAM, "hlo", "stats", file, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["opcodes"].get("fusion", 0)


def judge(before, after):
    """same, or as many fusions, or other; or what went wrong."""
    folder = before.parent
    ours, hashes = folder / "ours.hlo", []
    for source, passes, out, *more in ((before, "fusion", ours, "--sweeps", "1"), (ours, "cse", folder / "ours.cse.hlo"), (after, "cse", folder / "after.cse.hlo")):
        answer = isomer(source, passes, out, *more)
        if isinstance(answer, str):
            return answer
        hashes.append(answer["dag_hash"])
    if hashes[1] == hashes[2]:
        return "same"
    return "as many fusions" if fusions(folder / "ours.cse.hlo") == fusions(folder / "after.cse.hlo") else "other"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--most", type=int, help="so many modules, drawn with seed 1")
    arguments = parser.parse_args()
    modules = list(texts(map(Path, arguments.modules)))
    if arguments.most:
        modules = random.Random(1).sample(modules, min(arguments.most, len(modules)))
    counts = collections.Counter()
    for module in modules:
        try:
            found = pair(module, arguments.folder / f"{module.parent.name}-{module.stem}-{hashlib.sha256(module.read_bytes()).hexdigest()[:12]}")
        except Exception as error:  # noqa: BLE001: what XLA refuses is no pair
            counts["refused by XLA"] += 1
            print(f"{module}: {str(error).splitlines()[0][:100]}", file=sys.stderr)
            continue
        verdict = judge(*found) if found else "left alone by XLA"
        counts[verdict if verdict in ("same", "as many fusions", "other", "left alone by XLA") else "error"] += 1
        if verdict not in ("same", "left alone by XLA"):
            print(f"{module}: {verdict}", file=sys.stderr)
    print(json.dumps({"modules": len(modules), **counts}))


if __name__ == "__main__":
    main()
