#!/usr/bin/env python3
"""gpu_mugraphs.py make FOLDER [CASE ...] | run FOLDER [--eager] [CASE ...] | saved FOLDER: the programs of Mirage's figure 7 on a graphics processor.

`make` searches the muGraphs of each case (`isomer mugraph search`), compiles the cheapest by the model, one of each structure first, for sm_90 and in f16 and
f32, and the same program by default schedules; it needs no processor. `run` needs one, and torch: what each computes is held to double precision; then
all of a case are timed, interleaved, each as a CUDA graph that is replayed, beside PyTorch, eager and compiled (attention also as
scaled_dot_product_attention). All operands are inputs on the processor. Ratios are medians over the rounds with quartiles. One JSON line a
case and type goes to FOLDER/mugraphs.jsonl. `saved` compiles muGraphs that Mirage's project has saved, `run` holds them to double precision as well.
"""

import argparse
import ctypes
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

OF_A_STRUCTURE = 10
ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "bench")]

from gpu import Ours, recorded, timed  # noqa: E402
from gpu_mugraph_cases import CASES, PROGRAMS, SAVED, TYPES  # noqa: E402


# --- here

def chosen(listed, most):
    """Numbers of the cheapest, at most a few of each structure: of what is the same but for numbers."""
    times, out = {}, []
    for index, graph in enumerate(listed):
        structure = re.sub(r"\d+", "", json.dumps(graph))
        times[structure] = times.get(structure, 0) + 1
        if times[structure] <= OF_A_STRUCTURE and len(out) < most:
            out.append(index)
    return out


def write_plain(path, program, dims, dtype):
    """The program as a model of which all operands are inputs."""
    import onnx
    from mugraphs import PROGRAMS as STATED, Statement
    element = onnx.TensorProto.FLOAT16 if dtype == "f16" else onnx.TensorProto.FLOAT
    inputs, body = STATED[program][0], STATED[program][1]
    b = Statement()
    body(b)
    b.nodes[-1].output[0] = "result"
    given = [onnx.helper.make_tensor_value_info(n.lstrip("*"), element, [dims[d] for d in shape]) for n, shape in inputs.items()]
    graph = onnx.helper.make_graph(b.nodes, "program", given, [onnx.helper.make_tensor_value_info("result", element, None)], b.extra)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9), path)


def compile_one(graph, dtype, path):
    alone = path.with_suffix(".json")  # a file of thousands takes long to read
    alone.write_text(json.dumps([graph]))
    done = subprocess.run([ROOT / "build/release/isomer", "mugraph", "compile", alone, "--gpu", "sm_90", "--float", dtype, "--no-check", "--json", "-o", path],
                          capture_output=True, text=True)
    alone.unlink()
    if done.returncode == 0 and not json.loads(done.stdout)["written_out"]:
        return True
    path.unlink(missing_ok=True)
    print(f"{path.stem}: {done.stderr.strip() or json.loads(done.stdout)['written_out']}")
    return False


def make_saved(args):
    for name in SAVED:
        file = ROOT / "tests/data/mugraphs" / f"{name}.json"
        graphs = json.loads(file.read_text())[:args.best]
        for dtype in args.types:
            made = sum(compile_one(g, dtype, args.folder / f"saved-{name}.{dtype}.{i}.so") for i, g in enumerate(graphs))
            print(f"{name} {dtype}: {made} of {len(graphs)}", flush=True)


def make_one(args, name, program, dims, folder):
    found = folder / f"{name}.json"
    isomer = ROOT / "build/release/isomer"
    if not found.exists():
        subprocess.run([isomer, "mugraph", "search", program, *(f"--dim={d}={n}" for d, n in dims.items()), "--time-limit", args.time_limit, "-o", found],
                       check=True, stdout=subprocess.DEVNULL)
    listed = json.loads(found.read_text())
    order = chosen(listed, args.best)
    for dtype in args.types:
        made = sum(compile_one(listed[i], dtype, folder / f"{name}.{dtype}.{i}.so") for i in order)
        plain = folder / f"{name}.{dtype}.onnx"
        write_plain(plain, program, dims, dtype)
        subprocess.run([isomer, "compile", plain, "--gpu", "sm_90", "--no-check", "-o", folder / f"{name}.{dtype}.plain.so"], check=True,
                       stdout=subprocess.DEVNULL)
        print(f"{name} {dtype}: {made} of {len(order)} muGraphs ({len(listed)} found)", flush=True)


# --- on the machine with the processor

def error_of(output, expected):
    return ((output.double() - expected).abs().max() / expected.abs().max()).item()


def agreed(torch, paths, inputs, expected, limit):
    """Those that compute it; why the others do not."""
    good, failed = {}, {}
    for key, path in paths.items():
        output = torch.full_like(expected, float("nan"), dtype=inputs[0].dtype)
        try:
            model = Ours(path)
            model(inputs, output, 0)
            torch.cuda.synchronize()
        except Exception as e:  # noqa: BLE001: one program's failure is its result
            failed[key] = f"{type(e).__name__}: {e}"[:200]
            continue
        error = error_of(output, expected)
        if error <= limit:
            good[key] = (model, output, error)
        else:
            failed[key] = f"wrong: {error:.2g}"
    return good, failed


def run_one(torch, name, program, dims, dtype_name, folder, compiles, rounds=15):
    import torch.nn.functional as F
    dtype = {"f32": torch.float32, "f16": torch.float16}[dtype_name]
    torch.manual_seed(1)
    shapes, compute, faster = PROGRAMS[program]
    sizes = [[dims[d] for d in s] for s in shapes]
    inputs = [((torch.rand(s) * 2 - 1) / 4).to(dtype).cuda() for s in sizes]
    expected = compute(torch, F, *[t.double() for t in inputs])
    theirs = compute(torch, F, *inputs)
    limit = max(1e-4 if dtype == torch.float32 else 5e-3, 4 * error_of(theirs, expected))
    paths = {p.name.split(".")[-2]: p for p in folder.glob(f"{name}.{dtype_name}.*.so")}
    good, failed = agreed(torch, paths, inputs, expected, limit)
    result = {"case": name, "dtype": dtype_name, "error_of_torch": error_of(theirs, expected), "errors": {k: e for k, (_, _, e) in good.items()}, "failed": failed}
    graphs = {k: recorded(torch, lambda m=m, o=o: m(inputs, o, torch.cuda.current_stream().cuda_stream)) for k, (m, o, _) in good.items()}
    others = {"eager": lambda: compute(torch, F, *inputs)}
    if faster:
        there = faster.prepared(*inputs)
        others["sdpa"] = lambda: faster.run(F, *there)
    if compiles:
        torch._dynamo.reset()
        compiled = torch.compile(lambda *t: compute(torch, F, *t))
        others["compiled"] = lambda: compiled(*inputs)
    graphs |= {key: recorded(torch, work) for key, work in others.items()}
    # All briefly, then the fastest muGraphs with the rest.
    brief = {k: min(timed(torch, g, 5) for _ in range(3)) for k, g in graphs.items()}
    ours = sorted((k for k in good if k != "plain"), key=brief.get)
    result["brief_us"] = brief
    chosen = [k for k in graphs if k not in good or k == "plain"] + ours[:2]
    samples = {k: [] for k in chosen}
    for _ in range(rounds):
        for key in chosen:
            samples[key].append(timed(torch, graphs[key], max(3, int(1000 / max(brief[key], 1)))))
    result["us"] = {k: statistics.median(s) for k, s in samples.items()}
    if ours:
        best = min(ours[:2], key=result["us"].get)
        result["best"] = best
        for key in chosen:
            if key != best:
                result[f"over_{key}"] = [round(q, 3) for q in statistics.quantiles([a / b for a, b in zip(samples[key], samples[best])], n=4)]
    return result


def check_saved(torch, folder, types):
    """How many of each file agree, and what the others do."""
    import torch.nn.functional as F
    for name, program in SAVED.items():
        for dtype_name in types:
            paths = {p.name.split(".")[-2]: p for p in folder.glob(f"saved-{name}.{dtype_name}.*.so")}
            if not paths:
                continue
            library = ctypes.CDLL(str(next(iter(paths.values()))))
            library.isomer_model_description.restype = ctypes.c_char_p
            described = json.loads(library.isomer_model_description())
            dtype = {"f32": torch.float32, "f16": torch.float16}[dtype_name]
            inputs = [((torch.rand(i["shape"]) * 2 - 1) / 4).to(dtype).cuda() for i in described["inputs"]]
            expected = PROGRAMS[program][1](torch, F, *[t.double() for t in inputs])
            limit = max(1e-4 if dtype == torch.float32 else 5e-3, 4 * error_of(PROGRAMS[program][1](torch, F, *inputs), expected))
            good, failed = agreed(torch, paths, inputs, expected, limit)
            print(json.dumps({"saved": name, "dtype": dtype_name, "agree": len(good), "largest error": max([e for _, _, e in good.values()], default=None),
                              "failed": failed}), flush=True)


def run(folder, only, types, compiles):
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    print(torch.cuda.get_device_name(0), torch.__version__)
    if not only:
        check_saved(torch, folder, types)
    with open(folder / "mugraphs.jsonl", "a") as record:
        for dtype in types:
            for name, program, dims in CASES:
                if (only and name not in only) or not list(folder.glob(f"{name}.{dtype}.*.so")):
                    continue
                try:
                    result = run_one(torch, name, program, dims, dtype, folder, compiles)
                except Exception as e:  # noqa: BLE001: one case's failure is its result
                    result = {"case": name, "dtype": dtype, "failed": f"{type(e).__name__}: {e}"[:300]}
                print(json.dumps(result), file=record, flush=True)
                print(json.dumps(result), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "saved", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*", help="only these")
    parser.add_argument("--types", nargs="+", default=list(TYPES), choices=TYPES)
    parser.add_argument("--best", type=int, default=16, help="make: muGraphs of a case that are compiled")
    parser.add_argument("--time-limit", default="120s", help="make: of a search")
    parser.add_argument("--eager", action="store_true", help="run: without torch.compile")
    args = parser.parse_args()
    if args.what == "run":
        return run(args.folder, args.cases, args.types, not args.eager)
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.what == "saved":
        return make_saved(args)
    for name, program, dims in CASES:
        if not args.cases or name in args.cases:
            make_one(args, name, program, dims, args.folder)


if __name__ == "__main__":
    main()
