#!/usr/bin/env python3
"""gpu.py make FOLDER [NAME ...] | run FOLDER [--eager] [NAME ...]: kernels of our own on a graphics processor against PyTorch.

`make` writes models (ONNX) and compiles them (`isomer compile --gpu`), here or on a machine without a processor; `run`
needs one, numpy and torch. Each model must agree with the same computation in double precision (torch, on the host).
Then both are timed, interleaved: ours and torch, eager and (without --eager) compiled, each as a CUDA graph that is replayed, by the
processor's clock, on tensors that are there already. Ratios are medians over the rounds, with the quartiles; over 1 ours
is faster. One JSON line a model goes to FOLDER/gpu.jsonl.
"""

import argparse
import ctypes
import json
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent.resolve()


# --- the models: what ONNX says, and the same in torch

def bert_layer(torch, F, x, wq, wk, wv, wo, w1, w2, bq, bk, bv, bo, b1, b2, g1, h1, g2, h2):
    """A layer of 8 sequences of 128 words, 12 heads of 64."""
    heads = lambda t: t.view(8, 128, 12, 64).transpose(1, 2)  # noqa: E731
    a = F.scaled_dot_product_attention(heads(x @ wq + bq), heads(x @ wk + bk), heads(x @ wv + bv))
    y = F.layer_norm(x + (a.transpose(1, 2).reshape(1024, 768) @ wo + bo), (768,), g1, h1)
    return F.layer_norm(y + (F.gelu(y @ w1 + b1) @ w2 + b2), (768,), g2, h2)


def bert_nodes():
    out = []

    def node(op, *names, **attributes):
        out.append((op, list(names), attributes))
        return f"t{len(out) - 1}"

    def dense(x, w, b):
        return node("Add", node("MatMul", x, w), b)

    def heads(x, perm=(0, 2, 1, 3)):
        return node("Transpose", node("Reshape", x, "s0"), perm=list(perm))

    x, (wq, wk, wv, wo, w1, w2), biases = "x0", [f"x{i}" for i in range(1, 7)], [f"x{i}" for i in range(7, 13)]
    bq, bk, bv, bo, b1, b2 = biases
    q, k, v = heads(dense(x, wq, bq)), heads(dense(x, wk, bk), (0, 2, 3, 1)), heads(dense(x, wv, bv))
    scores = node("Softmax", node("Mul", node("MatMul", q, k), "c0"), axis=-1)
    joined = node("Reshape", node("Transpose", node("MatMul", scores, v), perm=[0, 2, 1, 3]), "s1")
    y = node("LayerNormalization", node("Add", x, dense(joined, wo, bo)), "x13", "x14", axis=-1)
    inner = dense(node("Gelu", dense(y, w1, b1)), w2, b2)
    node("LayerNormalization", node("Add", y, inner), "x15", "x16", axis=-1)
    return out


BERT_SHAPES = [[1024, 768], *[[768, 768]] * 4, [768, 3072], [3072, 768], *[[768]] * 4, [3072], [768], *[[768]] * 4]
FUNCTIONS = {"bert_layer": bert_layer}

def case(name, inputs, nodes, torch_text, *, weights=(), dtype="f32", work=None):
    return {"name": name, "inputs": inputs, "nodes": nodes, "torch": torch_text, "weights": dict(weights), "dtype": dtype,
            "work": work}


def cases():
    """`torch`: an expression of x0, x1, ... (inputs), w0, ... (weights), F, torch. `work`: bytes or flops at least."""
    gib = 1e9
    out = []
    for dtype, size in (("f32", 4), ("f16", 2)):
        out += [
            case(f"gelu_{dtype}", [[8192, 3072]], [("Gelu", ["x0"], {})], "F.gelu(x0)", dtype=dtype,
                 work=("GB", 2 * 8192 * 3072 * size / gib)),
            case(f"softmax_{dtype}", [[16384, 1024]], [("Softmax", ["x0"], {"axis": -1})], "torch.softmax(x0, -1)",
                 dtype=dtype, work=("GB", 2 * 16384 * 1024 * size / gib)),
            case(f"layernorm_{dtype}", [[16384, 768]], [("LayerNormalization", ["x0", "w0", "w1"], {"axis": -1})],
                 "F.layer_norm(x0, (768,), w0, w1)", weights={"w0": [768], "w1": [768]}, dtype=dtype,
                 work=("GB", 2 * 16384 * 768 * size / gib)),
            case(f"bias_gelu_residual_{dtype}", [[8192, 3072], [8192, 3072]],
                 [("Add", ["x0", "w0"], {}), ("Gelu", ["t0"], {}), ("Add", ["t1", "x1"], {})],
                 "F.gelu(x0 + w0) + x1", weights={"w0": [3072]}, dtype=dtype,
                 work=("GB", 3 * 8192 * 3072 * size / gib)),
            case(f"residual_layernorm_{dtype}", [[16384, 768], [16384, 768]],
                 [("Add", ["x0", "x1"], {}), ("LayerNormalization", ["t0", "w0", "w1"], {"axis": -1})],
                 "F.layer_norm(x0 + x1, (768,), w0, w1)", weights={"w0": [768], "w1": [768]}, dtype=dtype,
                 work=("GB", 3 * 16384 * 768 * size / gib)),
            case(f"transpose_{dtype}", [[4096, 8192]], [("Transpose", ["x0"], {"perm": [1, 0]})],
                 "x0.t().contiguous()", dtype=dtype, work=("GB", 2 * 4096 * 8192 * size / gib)),
            case(f"matmul_2048_{dtype}", [[2048, 2048], [2048, 2048]], [("MatMul", ["x0", "x1"], {})], "x0 @ x1",
                 dtype=dtype, work=("TFLOP", 2 * 2048**3 / 1e12)),
            case(f"matmul_bert_{dtype}", [[512, 768], [768, 3072]], [("MatMul", ["x0", "x1"], {})], "x0 @ x1",
                 dtype=dtype, work=("TFLOP", 2 * 512 * 768 * 3072 / 1e12)),
            *(case(f"matmul_{m}x{k}x{n}_{dtype}", [[m, k], [k, n]], [("MatMul", ["x0", "x1"], {})], "x0 @ x1", dtype=dtype,
                   work=("GB", (m * k + k * n + m * n) * size / gib))
              for m, k, n in ((1, 2048, 32000), (8, 768, 3072), (16, 4096, 4096), (64, 4096, 4096), (1024, 768, 768), (1024, 768, 3072),
                              (1024, 3072, 768))),
        ]
    attention = [("MatMul", ["x0", "x1"], {}), ("Mul", ["t0", "w0"], {}), ("Softmax", ["t1"], {"axis": -1}),
                 ("MatMul", ["t2", "x2"], {})]
    for dtype, size in (("f32", 4), ("f16", 2)):
        out += [
            case(f"vector_{dtype}", [[1, 4096], [4096, 4096]], [("MatMul", ["x0", "x1"], {})], "x0 @ x1", dtype=dtype,
                 work=("GB", 4096 * 4096 * size / gib)),
            case(f"vector_turned_{dtype}", [[1, 4096], [4096, 4096]], [("Gemm", ["x0", "x1"], {"transB": 1})],
                 "x0 @ x1.t()", dtype=dtype, work=("GB", 4096 * 4096 * size / gib)),
            case(f"bert_layer_{dtype}", BERT_SHAPES, bert_nodes(),
                 f"bert_layer(torch, F, {', '.join(f'x{i}' for i in range(17))})", dtype=dtype,
                 work=("TFLOP", 2 * 1024 * (4 * 768 * 768 + 2 * 768 * 3072 + 2 * 128 * 768) / 1e12)),
        ]
    out += [
        case("columns_f32", [[16384, 1024]], [("ReduceSum", ["x0", "a0"], {"keepdims": 0})], "x0.sum(0)",
             work=("GB", 16384 * 1024 * 4 / gib)),
        case("attention_f32", [[8, 12, 256, 64], [8, 12, 64, 256], [8, 12, 256, 64]], attention,
             "torch.softmax((x0 @ x1) * w0, -1) @ x2", weights={"w0": []},
             work=("TFLOP", 4 * 8 * 12 * 256 * 256 * 64 / 1e12)),
        case("conv_f32", [[16, 64, 56, 56]],
             [("Conv", ["x0", "w0"], {"pads": [1, 1, 1, 1]}), ("Relu", ["t0"], {})],
             "torch.relu(F.conv2d(x0, w0, padding=1))", weights={"w0": [64, 64, 3, 3]},
             work=("TFLOP", 2 * 16 * 64 * 64 * 9 * 56 * 56 / 1e12)),
        case("ragged_f32", [[3, 197, 333], [333, 150]], [("MatMul", ["x0", "x1"], {}), ("Tanh", ["t0"], {})],
             "torch.tanh(x0 @ x1)"),
        case("ragged_rows_f32", [[37, 1777]], [("Softmax", ["x0"], {"axis": -1})], "torch.softmax(x0, -1)"),
    ]
    return out


def weights_of(one):
    rng = np.random.default_rng(7)
    dtype = np.float16 if one["dtype"] == "f16" else np.float32
    scale = lambda shape: 1 / np.sqrt(max(1, np.prod(shape[1:])))  # noqa: E731
    return {n: np.asarray(rng.normal(size=s) * scale(s) + (0.5 if len(s) < 2 else 0), dtype)
            for n, s in one["weights"].items()}


def model_of(one):
    import onnx
    from onnx import helper, numpy_helper
    element = onnx.TensorProto.FLOAT16 if one["dtype"] == "f16" else onnx.TensorProto.FLOAT
    nodes, last = [], len(one["nodes"]) - 1
    for i, (op, names, attributes) in enumerate(one["nodes"]):
        nodes.append(helper.make_node(op, names, ["y" if i == last else f"t{i}"], **attributes))
    values = [numpy_helper.from_array(w, n) for n, w in weights_of(one).items()]
    values.append(numpy_helper.from_array(np.array([0], np.int64), "a0"))
    values.append(numpy_helper.from_array(np.array([8, 128, 12, 64], np.int64), "s0"))
    values.append(numpy_helper.from_array(np.array([1024, 768], np.int64), "s1"))
    values.append(numpy_helper.from_array(np.array(0.125, np.float16 if one["dtype"] == "f16" else np.float32), "c0"))
    inputs = [helper.make_tensor_value_info(f"x{i}", element, s) for i, s in enumerate(one["inputs"])]
    output = helper.make_tensor_value_info("y", element, None)
    graph = helper.make_graph(nodes, one["name"], inputs, [output], values)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return onnx.shape_inference.infer_shapes(model)


def make(folder, only, gpu, isomer):
    import onnx
    folder.mkdir(parents=True, exist_ok=True)
    for one in cases():
        if only and one["name"] not in only:
            continue
        path = folder / f"{one['name']}.onnx"
        onnx.save(model_of(one), path)
        done = subprocess.run([isomer, "compile", path, "-o", path.with_suffix(".so"), "--gpu", gpu, "--no-check"],
                              capture_output=True, text=True)
        print(done.stdout.split("\n")[0] or done.stderr.strip())


# --- on the machine with the processor

class Ours:
    """A compiled model on tensors of torch."""

    def __init__(self, path):
        self.code = library = ctypes.CDLL(str(path))
        library.isomer_model_new.restype = ctypes.c_void_p
        library.isomer_model_error.restype = ctypes.c_char_p
        self.model = ctypes.c_void_p(library.isomer_model_new(1))
        if not self.model:
            raise RuntimeError(library.isomer_model_error().decode())

    def __call__(self, inputs, output, stream):
        at = lambda some: (ctypes.c_void_p * len(some))(*[t.data_ptr() for t in some])  # noqa: E731
        self.code.isomer_model_enqueue(self.model, at(inputs), at([output]), ctypes.c_void_p(stream))
        if why := self.code.isomer_model_error():
            raise RuntimeError(why.decode())


def recorded(torch, work):
    """As a graph that is replayed."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        work()
    return graph


def timed(torch, graph, repeats):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(repeats):
        graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / repeats * 1e3  # us


def run_one(torch, one, folder, compiles, rounds=15):
    import torch.nn.functional as F
    dtype = torch.float16 if one["dtype"] == "f16" else torch.float32
    torch.manual_seed(1)
    scale = lambda s: 1 / s[0]**0.5 if len(s) == 2 and one["name"].startswith("bert") else 1  # noqa: E731
    inputs = [(torch.randn(s) * (scale(s) if i > 0 else 1)).to(dtype) for i, s in enumerate(one["inputs"])]
    weights = {n: torch.from_numpy(w) for n, w in weights_of(one).items()}
    names = [f"x{i}" for i in range(len(inputs))] + list(weights)
    text = f"lambda {', '.join(names)}: {one['torch']}"
    compute = eval(text, {"torch": torch, "F": F, **FUNCTIONS})  # noqa: S307: our own text, above
    on_gpu = [t.cuda() for t in [*inputs, *weights.values()]]
    wide = [t.double() for t in on_gpu]
    expected = compute(*wide)
    output = torch.empty_like(expected, dtype=dtype)
    model = Ours(folder / f"{one['name']}.so")
    model(on_gpu[:len(inputs)], output, 0)
    torch.cuda.synchronize()
    error = ((output.double() - expected).abs().max() / expected.abs().max()).item()
    theirs = ((compute(*on_gpu).double() - expected).abs().max() / expected.abs().max()).item()
    result = {"name": one["name"], "error": error, "error_of_torch": theirs}
    if not error <= max(1e-4 if dtype == torch.float32 else 5e-3, 4 * theirs):
        return {**result, "wrong": True}
    # Graphs on a stream of their own.
    targets = {"ours": recorded(torch, lambda: model(on_gpu[:len(inputs)], output, torch.cuda.current_stream().cuda_stream)),
               "eager": recorded(torch, lambda: compute(*on_gpu))}
    if compiles:
        torch._dynamo.reset()
        compiled = torch.compile(compute)
        targets["compiled"] = recorded(torch, lambda: compiled(*on_gpu))
    repeats = max(3, int(2000 / max(timed(torch, targets["ours"], 3), 1)))
    samples = {n: [] for n in targets}
    for _ in range(rounds):
        for name, graph in targets.items():
            samples[name].append(timed(torch, graph, repeats))
    for name in targets:
        result[f"{name}_us"] = statistics.median(samples[name])
        if name != "ours":
            ratios = [a / b for a, b in zip(samples[name], samples["ours"])]
            result[f"over_{name}"] = [round(q, 3) for q in statistics.quantiles(ratios, n=4)]
    if one["work"]:
        unit, amount = one["work"]
        result[f"{unit}/s"] = round(amount / (result["ours_us"] * 1e-6), 2)
    return result


def run(folder, only, compiles):
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    print(torch.cuda.get_device_name(0), torch.__version__)
    with open(folder / "gpu.jsonl", "a") as record:
        for one in cases():
            if (only and one["name"] not in only) or not (folder / f"{one['name']}.so").exists():
                continue
            try:
                result = run_one(torch, one, folder, compiles)
            except Exception as e:  # noqa: BLE001: one model's failure is its result
                result = {"name": one["name"], "failed": f"{type(e).__name__}: {e}"[:300]}
            print(json.dumps(result), file=record, flush=True)
            print(result, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="only these models")
    parser.add_argument("--gpu", default="sm_90a", help="make: for this processor")
    parser.add_argument("--isomer", type=Path, default=ROOT / "build/release/isomer", help="make: this program")
    parser.add_argument("--eager", action="store_true", help="run: without torch.compile")
    args = parser.parse_args()
    if args.what == "make":
        make(args.folder, args.names, args.gpu, args.isomer)
    else:
        run(args.folder, args.names, not args.eager)


if __name__ == "__main__":
    main()
