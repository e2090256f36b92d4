"""Random small models (tests/random_models/draw.py) compiled: each must compute what evaluation does, or be refused in words.

`isomer compile` itself holds the shared object to evaluation (status 4: it differs). A model with an operator that no code
is generated for is refused with status 3 and counted.

    random_models.py FIRST COUNT"""

import collections
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
sys.path.insert(0, str(ROOT / "tests/random_models"))
from draw import draw  # noqa: E402

# Right models, that are refused since single precision keeps no digit of what they compute.
LOST = {534: "a mean of what has the mean 0", 774: "a norm of numbers of 1e30, whose squares are infinite", 852: "a remainder by 1e-7, which is computed by a quotient"}
REWRITTEN = 10  # every so many: faster programs are sought, which takes seconds
SIZES = ({"N": 5, "M": 7}, {"N": 1, "M": 16})


def one(seed, folder):
    """'none', 'compiled', 'refused', 'lost' (LOST), or what is wrong; 'missing' where nothing can be compiled."""
    model = draw(seed)
    if model is None:
        return "none"
    path = Path(folder, f"{seed}.onnx")
    onnx.save(model, path)
    sizes = SIZES[seed % len(SIZES)]
    dynamic = {d.dim_param for v in model.graph.input for d in v.type.tensor_type.shape.dim if d.dim_param}
    dims = [word for name in sorted(dynamic) for word in ("--dim", f"{name}={sizes.get(name, 4)}")]
    done = subprocess.run([PROGRAM, "-q", "compile", path, "-o", Path(folder, f"{seed}.so"), "--threads", str(1 + seed % 2), *dims,
                           *([] if seed % REWRITTEN == 0 else ["--no-rewrite"])],
                          capture_output=True, text=True, timeout=300)
    words = (done.stderr.strip().splitlines() or [""])[-1].replace(str(folder) + "/", "")
    kinds = {0: "compiled", 3: "refused", 5: "missing"} | ({4: "lost"} if seed in LOST else {})
    return kinds.get(done.returncode) or f"seed {seed}, status {done.returncode}: {words[-300:]}"


def campaign(first, count):
    """Counts by kind, and what is wrong."""
    counts, faults = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="isomer-native-") as folder:
        for seed in range(first, first + count):
            kind = one(seed, folder)
            if kind in ("none", "compiled", "refused", "lost", "missing"):
                counts[kind] += 1
            else:
                faults.append(kind)
            for path in Path(folder).iterdir():
                path.unlink()
    return counts, faults


if __name__ == "__main__":
    found, wrong = campaign(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(found), *wrong, sep="\n")
    if found["missing"]:
        print("nothing is compiled here: there is no LLVM")
        sys.exit(77)
    sys.exit(1 if wrong or not found["compiled"] else 0)
