"""hlo_pairs.py FOLDER [--most N]: pairs of modules before and after XLA's own algebraic simplifier, of jax programs that are
written here, and how many of them `isomer hlo passes --only algsimp` takes to the same module, or to a smaller one.

XLA runs its pipeline "simplification" with the simplifier alone, again until nothing changes, and dumps the module after each pass
that changed it: the dump before the first "algsimp" and the one after the last are a pair. Both sides are compared without equal subexpressions and without what nobody needs. Needs jax.
"""

import argparse
import collections
import json
import re
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy
from jax._src.lib import _jax, xla_client

OTHERS = ["simplify-sorts", "tree_reduction_rewriter", "zero_sized_hlo_elimination", "while-loop-invariant-code-motion",
          "tuple-simplifier", "while-loop-constant-sinking", "simplify-while-loops", "reshape-mover", "constant_folding",
          "simplify-conditional", "dce"]
ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/release/isomer"


def normalised(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def attention(q, k, v):
    weights = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / jnp.sqrt(q.shape[-1]), axis=-1)
    return weights @ v


UNARY = {
    "softmax": lambda x: jax.nn.softmax(x, axis=-1), "log_softmax": lambda x: jax.nn.log_softmax(x, axis=0),
    "logsumexp": lambda x: jax.nn.logsumexp(x, axis=-1), "gelu": jax.nn.gelu, "silu": jax.nn.silu, "elu": jax.nn.elu,
    "softplus": jax.nn.softplus, "relu6": jax.nn.relu6, "sigmoid": jax.nn.sigmoid, "normalised": normalised,
    "var": lambda x: jnp.var(x, axis=0), "std": lambda x: jnp.std(x), "mean": lambda x: jnp.mean(x, axis=(0, -1)),
    "median": lambda x: jnp.median(x), "cumsum": lambda x: jnp.cumsum(x, axis=-1), "argmax": lambda x: jnp.argmax(x, axis=-1),
    "one_hot": lambda x: jax.nn.one_hot(jnp.argmax(x, -1), 7), "tril": lambda x: jnp.tril(x), "triu": lambda x: jnp.triu(x, 1),
    "roll": lambda x: jnp.roll(x, 2, axis=-1), "flip": lambda x: jnp.flip(x, -1), "pad": lambda x: jnp.pad(x, 1),
    "diag": lambda x: jnp.diagonal(x, axis1=-2, axis2=-1), "trace": lambda x: jnp.trace(x, axis1=-2, axis2=-1),
    "outer": lambda x: jnp.outer(x, x), "gram": lambda x: x @ jnp.swapaxes(x, -1, -2), "square": lambda x: x ** 2,
    "cube": lambda x: x ** 3, "inverse": lambda x: x ** -1.0, "root": lambda x: jnp.abs(x) ** 0.5,
    "repeat": lambda x: jnp.repeat(x, 2, axis=0), "tile": lambda x: jnp.tile(x, (2, 1)), "stack": lambda x: jnp.stack([x, x * 2]),
    "split": lambda x: jnp.split(x, 2, axis=0)[1], "half": lambda x: x[: x.shape[0] // 2], "every": lambda x: x[::2, ..., 1:],
    "take": lambda x: jnp.take(x, jnp.array([0, 1]), axis=0), "where": lambda x: jnp.where(x > 0, x, 0.1 * x),
    "clip": lambda x: jnp.clip(x, -1, 1), "linspace": lambda x: x * jnp.linspace(0, 1, x.shape[-1]),
    "positions": lambda x: x + jnp.sin(jnp.arange(x.shape[-1]) / 10), "norm": lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True),
    "l2": lambda x: jnp.sqrt(jnp.sum(x * x)), "minmax": lambda x: (x - x.min()) / (x.max() - x.min()),
    "huber": lambda x: jnp.where(jnp.abs(x) < 1, 0.5 * x * x, jnp.abs(x) - 0.5).mean(), "sinc": jnp.sinc, "tanh": lambda x: jnp.tanh(x) * 2 - 1,
    "exp2": jnp.exp2, "log1p": lambda x: jnp.log1p(jnp.abs(x)), "hypot": lambda x: jnp.hypot(x, x + 1), "sign": lambda x: jnp.sign(x) * 0 + 1,
    "floor_divide": lambda x: x // 2.0, "mod": lambda x: jnp.mod(x, 3.0), "round": lambda x: jnp.round(x, 2), "isclose": lambda x: jnp.isclose(x, 0.1),
    "average": lambda x: jnp.average(x, axis=0, weights=jnp.arange(x.shape[0]) + 1.0), "sort": lambda x: jnp.sort(x, axis=-1),
    "top_k": lambda x: jax.lax.top_k(x, 2)[0], "histogram": lambda x: jnp.digitize(x, jnp.array([-1.0, 0.0, 1.0])),
    "reshape": lambda x: x.reshape(-1)[None].reshape(x.shape) + 0, "expand": lambda x: jnp.broadcast_to(x[None], (3, *x.shape)).sum(0),
    "squeeze": lambda x: x[:, None].squeeze(1) * 1.0, "transpose": lambda x: x.T.T.T + x.T, "scan": lambda x: jax.lax.scan(lambda c, r: (c * 0.9 + r, c), x[0], x)[1],
    "kron": lambda x: jnp.kron(x, jnp.eye(2)), "vander": lambda x: jnp.vander(x.reshape(-1)[:4]), "gradient": lambda x: jnp.gradient(x, axis=0),
    "diff": lambda x: jnp.diff(x, axis=-1), "interp": lambda x: jnp.interp(x, jnp.arange(4.0), jnp.arange(4.0) ** 2),
    "convolve": lambda x: jnp.convolve(x.reshape(-1), jnp.ones(3) / 3), "polyval": lambda x: jnp.polyval(jnp.array([1.0, 0.0, 2.0]), x),
    "rsqrt": lambda x: x / jnp.sqrt(jnp.abs(x) + 1), "entropy": lambda x: -jnp.sum(jax.nn.softmax(x) * jax.nn.log_softmax(x), axis=-1),
    "rotary": lambda x: jnp.concatenate([-x[..., x.shape[-1] // 2:], x[..., : x.shape[-1] // 2]], -1) * jnp.cos(jnp.arange(x.shape[-1])),
    "uniform": lambda x: x + jax.random.uniform(jax.random.key(0), x.shape), "normal": lambda x: x * jax.random.normal(jax.random.key(1), x.shape),
    "dropout": lambda x: jnp.where(jax.random.bernoulli(jax.random.key(2), 0.9, x.shape), x / 0.9, 0),
}
BINARY = {
    "matmul": lambda x, y: x @ y.T, "distance": lambda x, y: jnp.sum((x[:, None] - y[None]) ** 2, -1), "dense": lambda x, y: jax.nn.relu(x @ y.T + y.mean()),
    "cosine": lambda x, y: jnp.sum(x * y) / (jnp.linalg.norm(x) * jnp.linalg.norm(y)), "bilinear": lambda x, y: jnp.einsum("ij,kj->ik", x, y),
    "vector": lambda x, y: x @ y[0], "rowwise": lambda x, y: jnp.einsum("ij,ij->i", x, y), "hadamard": lambda x, y: (x * 2) * (y * 3),
    "attend": lambda x, y: attention(x, y, y), "cross_entropy": lambda x, y: -jnp.mean(jnp.sum(jax.nn.softmax(y) * jax.nn.log_softmax(x), -1)),
    "rbf": lambda x, y: jnp.exp(-jnp.sum((x[:, None] - y[None]) ** 2, -1) / 2), "ratio": lambda x, y: x / (1 + jnp.exp(-y)), "momentum": lambda x, y: 0.9 * x + 0.1 * y,
    "adam": lambda x, y: x - 0.001 * (y / (1 - 0.9)) / (jnp.sqrt(y * y / (1 - 0.999)) + 1e-8), "mix": lambda x, y: jnp.where(x > y, x, y).sum(0),
    "concat": lambda x, y: jnp.concatenate([x, y], 0).mean(0), "outer": lambda x, y: jnp.outer(x[0], y[0]), "power": lambda x, y: jnp.abs(x) ** y,
}
SHAPES = [(6, 8), (4, 1), (1, 5), (16, 16)]


def programs(shapes):
    """Name, function, example arguments."""
    def scalar(f):
        return lambda *a: jnp.sum(f(*a) * 1.0)
    for shape in shapes:
        x = jnp.ones(shape)
        for table, arguments in ((UNARY, (x,)), (BINARY, (x, x + 1))):
            for name, f in table.items():
                yield f"{name}_{'x'.join(map(str, shape))}", f, arguments
                yield f"grad_{name}_{'x'.join(map(str, shape))}", jax.grad(scalar(f)), arguments


def compile_with_dumps(text, folder, flags):
    """XLA compiles an HLO text for processors and dumps the module after each pass that changed it."""
    proto = xla_client.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    options = _jax.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = _jax.DeviceAssignment.create(numpy.zeros((1, 1), dtype=int))
    options.env_option_overrides = [("xla_dump_to", str(folder)), ("xla_dump_hlo_pass_re", ".*"), ("xla_dump_hlo_as_text", True),
                                    ("xla_dump_large_constants", True), ("xla_dump_disable_metadata", True), *flags]
    device = jax.devices("cpu")[0]
    device.client.compile_and_load(_jax.mlir.hlo_to_stablehlo(proto), _jax.DeviceList((device,)), options)


def dumps_in_order(folder):
    """Those that passes left."""
    number = re.compile(r"\.(\d{4})\.[A-Za-z]")
    return sorted((f for f in folder.glob("*.txt") if number.search(f.name)), key=lambda f: int(number.search(f.name)[1]))


def dump(function, arguments, folder):
    """The pair's two texts; nothing where the pass changed nothing."""
    text = jax.jit(function).lower(*arguments).compiler_ir("hlo").as_hlo_text(True)
    compile_with_dumps(text, folder, [("xla_disable_hlo_passes", ",".join(OTHERS))])
    files = dumps_in_order(folder)
    places = [i for i, file in enumerate(files) if ".simplification.after_algsimp." in file.name]
    if not places or places[0] == 0:
        return None
    return files[places[0] - 1].read_text(), files[places[-1]].read_text()


def isomer(path, passes, out, *more):
    done = subprocess.run([PROGRAM, "hlo", "passes", path, "--only", passes, "-o", out, "--json", *more], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def judge(folder):
    """same, fewer, more, different or what went wrong."""
    ours = isomer(folder / "before.txt", "algsimp", folder / "ours.hlo")
    if isinstance(ours, str):
        return ours
    both = [isomer(folder / "ours.hlo", "cse", folder / "ours.cse.hlo"), isomer(folder / "after.txt", "cse", folder / "after.cse.hlo")]
    for one in both:
        if isinstance(one, str):
            return one
    if both[0]["dag_hash"] == both[1]["dag_hash"]:
        return "same"
    a, b = both[0]["instructions_after"], both[1]["instructions_after"]
    return "fewer" if a < b else "more" if a > b else "different"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--shapes", help="2x4x6,5x2x3: other arguments than the usual ones")
    arguments = parser.parse_args()
    shapes = [tuple(map(int, one.split("x"))) for one in arguments.shapes.split(",")] if arguments.shapes else SHAPES
    counts, seen = collections.Counter(), set()
    for name, function, examples in programs(shapes):
        if sum(counts.values()) >= arguments.most:
            break
        folder = arguments.folder / name
        if not (folder / "after.txt").exists():
            (folder / "dump").mkdir(parents=True, exist_ok=True)
            try:
                pair = dump(function, examples, folder / "dump")
            except Exception as error:  # noqa: BLE001: a program that jax or XLA refuses is none
                print(f"{name}: {str(error).splitlines()[0][:100]}", file=sys.stderr)
                continue
            if pair is None:
                continue
            (folder / "before.txt").write_text(pair[0])
            (folder / "after.txt").write_text(pair[1])
        answer = isomer(folder / "before.txt", "cse", folder / "before.cse.hlo")
        if isinstance(answer, dict) and answer["dag_hash"] in seen:
            continue
        if isinstance(answer, dict):
            seen.add(answer["dag_hash"])
        verdict = judge(folder)
        counts[verdict if verdict in ("same", "fewer", "more", "different") else "error"] += 1
        if verdict not in ("same", "fewer"):
            print(f"{name}: {verdict}", file=sys.stderr)
    print(json.dumps({"pairs": sum(counts.values()), **counts}))


if __name__ == "__main__":
    main()
