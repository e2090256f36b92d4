#!/usr/bin/env python3
"""contractions.py [--size ci|paper] [--limit N] [--onednn] [NAME ...]: single convolutions and products against ONNX Runtime
and oneDNN.

Every distinct Conv, MatMul and Gemm of the networks of bench/models (shapes, strides, groups; weights where the network
has weights) as a model of its own: `isomer compile` writes a shared object, which must compute what ONNX Runtime (level
*all*) computes, to 1e-4 of the largest element; then both are timed together, interleaved in random order, one thread,
CPU time. Images come and go as ONNX has them, so that all pay for their own layouts. `--onednn` times oneDNN with them,
its weights in its own layout beforehand (peers/onednn).

For each: median of the ratios to the faster peer (over 1: ours is faster) with the quartiles, milliseconds, share of the measured
peak of multiply-adds (native_bench peak). Then the geometric mean and the worst. One JSON line each goes to
build/bench/contractions.SIZE.jsonl.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "workers"), str(ROOT / "bench/models"), str(ROOT / "bench"), str(ROOT / "build/release/python")]

from alternatives import session_of  # noqa: E402
from peers import TOLERANCE, error_of, feed_of  # noqa: E402

KINDS = ("Conv", "MatMul", "Gemm")


def shapes_of(model) -> dict:
    import onnx
    inferred = onnx.shape_inference.infer_shapes(model)
    out = {i.name: tuple(i.dims) for i in model.graph.initializer}
    for v in (*inferred.graph.value_info, *inferred.graph.input, *inferred.graph.output):
        out[v.name] = tuple(d.dim_value for d in v.type.tensor_type.shape.dim)
    return out


def contractions_of(path: Path) -> dict:
    """By what distinguishes them: (operator, attributes, shapes, which operands are weights), with the multiply-adds."""
    import onnx
    model = onnx.load(path, load_external_data=False)
    shapes, out = shapes_of(model), {}
    weights = {i.name for i in model.graph.initializer}
    weights |= {n.output[0] for n in model.graph.node if n.op_type in ("Constant", "ConstantOfShape")}
    for node in model.graph.node:
        if node.op_type not in KINDS or any(name not in shapes for name in node.input):
            continue
        if all(name in weights for name in node.input):  # worked out before anything runs
            continue
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        given = [shapes[name] for name in node.input]
        result = shapes[node.output[0]]
        if any(0 in s for s in (*given, result)):
            continue
        if node.op_type == "Conv":
            steps = math.prod(given[1][1:])
        else:
            steps = given[0][-2 if attributes.get("transA") else -1]
        key = (node.op_type, json.dumps(attributes), tuple(given), tuple(name in weights for name in node.input), result)
        out[key] = math.prod(result) * steps
    return out


def write(key, path: Path) -> None:
    import numpy
    from onnx import TensorProto, helper, numpy_helper, save
    kind, attributes, shapes, constant, result = key
    rng = numpy.random.default_rng(7)
    names = [f"x{i}" for i in range(len(shapes))]
    inputs, weights = [], []
    for name, shape, fixed in zip(names, shapes, constant):
        if fixed:
            weights.append(numpy_helper.from_array(rng.uniform(-1, 1, shape).astype("float32"), name))
        else:
            inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    node = helper.make_node(kind, names, ["y"], **json.loads(attributes))
    graph = helper.make_graph([node], "one", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)], weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def interleaved(runs: dict, seconds: float) -> dict:
    """CPU milliseconds, interleaved in random order; a sample is as many runs as fill a fifth of a millisecond."""
    repeats = {}
    for name, run in runs.items():
        run()
        begin = time.process_time()
        run()
        repeats[name] = max(1, int(2e-4 / max(time.process_time() - begin, 1e-7)))
    samples, begin = {name: [] for name in runs}, time.process_time()
    while time.process_time() - begin < seconds * len(runs) / 2 or min(map(len, samples.values())) < 9:
        for name in random.sample(list(runs), len(runs)):
            start = time.process_time_ns()
            for _ in range(repeats[name]):
                runs[name]()
            samples[name].append((time.process_time_ns() - start) / 1e6 / repeats[name])
    return samples


def onednn_of(key, path: Path, feed: dict):
    """A call without arguments, and its result."""
    import numpy
    import onnx
    from onednn_peer import Contraction
    kind, attributes, shapes, constant, result = key
    weights = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    known = {i: numpy.ascontiguousarray(weights[f"x{i}"]) for i in range(len(shapes)) if constant[i]}
    given = {i: numpy.ascontiguousarray(feed[f"x{i}"]) for i in range(len(shapes)) if not constant[i]}
    contraction = Contraction(kind, json.loads(attributes), shapes, result, known)
    return lambda: contraction(given)


def one(key, args, folder: Path) -> dict:
    from isomer import CompiledModel
    path, compiled = folder / "one.onnx", folder / f"{random.randrange(1 << 60)}.so"
    write(key, path)
    done = subprocess.run([args.program, "compile", path, "-o", compiled, "--no-check"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
    session = session_of(path, 1)
    feed = feed_of(session, {})
    model = CompiledModel(compiled)
    runs = {"onnxruntime": lambda: session.run(None, feed), "native": lambda: list(model(**feed))}
    if args.onednn:
        peer = onednn_of(key, path, feed)
        runs["onednn"] = lambda: [peer()]
    errors = {name: error_of(runs["onnxruntime"](), run()) for name, run in runs.items() if name != "onnxruntime"}
    for name, error in errors.items():
        if not error <= TOLERANCE:
            raise RuntimeError(f"{name} is wrong: {error:.1e} of the largest element")
    return {"error": errors, "ms": interleaved(runs, args.seconds)}


def ratios_to_the_better_peer(ms: dict) -> list[float]:
    """To the one that we gain least on, in order."""
    return min((sorted(a / b for a, b in zip(ms[peer], ms["native"])) for peer in ms if peer != "native"), key=statistics.median)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--seconds", type=float, default=0.3, help="of CPU for each")
    parser.add_argument("--limit", type=int, default=0, help="so many only, drawn at random")
    parser.add_argument("--onednn", action="store_true", help="oneDNN too (tools/setup --bench)")
    parser.add_argument("names", nargs="*", help="of these networks only")
    args = parser.parse_args()
    from make_models import MODELS
    from run import machine

    peak = float(subprocess.run([args.program.parent / "native_bench", "peak"], capture_output=True, text=True, check=True).stdout)
    here, found, ratios, failed = machine(), {}, {}, 0
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}, peak {peak:.0f} GFLOP/s\n")
    with tempfile.TemporaryDirectory(prefix="isomer-bench-") as name:
        folder = Path(name)
        for network in args.names or MODELS:
            subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", args.size, "--only", network,
                            "--weights", "light"], check=True, stdout=subprocess.DEVNULL)
            found |= contractions_of(folder / f"{network}.{args.size}.onnx")
            (folder / f"{network}.{args.size}.onnx").unlink()
        keys = sorted(found, key=str)
        if args.limit:
            keys = random.Random(0).sample(keys, min(args.limit, len(keys)))
        log = ROOT / f"build/bench/contractions.{args.size}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        peers = ("onnxruntime", "onednn") if args.onednn else ("onnxruntime",)
        print(f"| operator | shapes | ratio (quartiles) | {' | '.join(f'{p} ms' for p in peers)} | native ms | of peak |")
        print("| --- | --- | --: | --: | --: | --: |" + " --: |" * (len(peers) - 1))
        for key in keys:
            said = f"| {key[0]} | {' x '.join(str(list(s)) for s in key[2][:2])} {said_of(key)}"
            try:
                row = one(key, args, folder)
            except Exception as problem:  # noqa: BLE001: on to the next
                failed += 1
                print(f"{said} | {problem} |", flush=True)
                continue
            each = ratios_to_the_better_peer(row["ms"])
            middle, ms = statistics.median(each), statistics.median(row["ms"]["native"])
            ratios[key] = middle
            share = 2e-6 * found[key] / ms / peak
            theirs = " | ".join(f"{statistics.median(row['ms'][p]):.4f}" for p in peers)
            print(f"{said} | {middle:.2f} ({each[len(each) // 4]:.2f} to {each[-len(each) // 4]:.2f}) | {theirs} | {ms:.4f} | "
                  f"{share:.0%} |", flush=True)
            with open(log, "a", encoding="utf-8") as lines:
                lines.write(json.dumps({**here, "contraction": key, "peak": peak, **row}) + "\n")
    if ratios:
        worst = min(ratios, key=ratios.get)
        mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
        print(f"\ngeometric mean {mean:.3f} of {len(ratios)}, worst {ratios[worst]:.2f} ({worst[0]} {list(worst[2])}), "
              f"{sum(r < 0.9 for r in ratios.values())} below 0.9")
    return 1 if failed else 0


def said_of(key) -> str:
    attributes = json.loads(key[1])
    words = [f"{name} {attributes[name][0]}" for name in ("strides", "pads") if attributes.get(name)]
    return " ".join(words + ([f"group {attributes['group']}"] if attributes.get("group", 1) > 1 else []))


if __name__ == "__main__":
    sys.exit(main())
