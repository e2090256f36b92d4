#!/usr/bin/env python3
"""e2e.py [--size ci|paper] [--packages] [NAME ...]: whole models through the program, judged from outside.

Makes the 16 networks of bench/models (or takes real models out of installed packages) and runs, for each,

  isomer optimize MODEL -o OUT --no-rewrite            run node by node, outputs must be equal to the last bit
  isomer optimize MODEL -o OUT --cost roofline:local   outputs within 1e-4 of the largest one (float32)

and holds the written file to: exit status 0, one JSON object on standard output, ONNX's full checker and
strict shape inference, the inputs and outputs (names, types, shapes, order) of the original. Outputs come from
ONNX Runtime itself, used here directly, with inputs made here: nothing of Isomer takes part in the judgement.
--memory-limit holds the largest resident size of the program and its workers, summed.
"""

import argparse
import gc
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

ROOT = Path(__file__).parents[2].resolve()
TOLERANCE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-9}  # of the largest element of an output
PACKAGED = {  # package: (file inside it, inputs that its dynamic dimensions ask for)
    "silero_vad/data/silero_vad.onnx": {"input": ((1, 512), "float32"), "state": ((2, 1, 128), "float32"), "sr": 16000},
    "silero_vad/data/silero_vad_16k_op15.onnx": {"input": ((1, 512), "float32"), "state": ((2, 1, 128), "float32"), "sr": 16000},
    "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx": {"x": ((1, 3, 64, 96), "float32")},
    "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx": {"x": ((1, 3, 48, 64), "float32")},
    "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx": {"x": ((1, 3, 48, 192), "float32")},
}


class Fault(Exception):
    pass


# ---- the program under test ------------------------------------------------------------------------------------
def resident(pid: int) -> int:
    """Resident bytes of a process and all below it; pages that they share count for each."""
    total, queue = 0, [pid]
    while queue:
        at = queue.pop()
        try:
            total += int(Path(f"/proc/{at}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            for task in Path(f"/proc/{at}/task").iterdir():
                queue += map(int, (task / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            pass  # it ended while we looked
    return total


def run(command: list[str], log: Path, time_limit: float) -> tuple[str, int, float]:
    """Standard output, largest resident size of the process tree, seconds. Raises Fault unless it exits with 0."""
    start, largest, over = time.monotonic(), 0, threading.Event()
    with open(log, "wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL)

        def watch():
            nonlocal largest
            while not over.wait(0.05):
                largest = max(largest, resident(process.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            output, _ = process.communicate(timeout=time_limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Fault(f"still running after {time_limit:.0f} s: {' '.join(command)}") from None
        finally:
            over.set()
            watcher.join()
    if process.returncode != 0:
        tail = log.read_text(errors="replace").strip().splitlines()[-12:]
        raise Fault(f"exit status {process.returncode}: {' '.join(command)}\n    " + "\n    ".join(tail))
    return output.decode(), largest, time.monotonic() - start


# ---- the judge ---------------------------------------------------------------------------------------------------
def make_inputs(session: onnxruntime.InferenceSession, ranges: dict, given: dict) -> dict:
    rng = np.random.default_rng(7)
    feed = {}
    for info in session.get_inputs():
        want = given.get(info.name)
        if isinstance(want, int):
            feed[info.name] = np.array(want, np.int64)
            continue
        shape, kind = want if want else (tuple(info.shape), info.type.removeprefix("tensor(").rstrip(")"))
        kind = {"float": "float32", "double": "float64"}.get(kind, kind)
        low, high = ranges.get(info.name) or (-1, 1)
        if kind.startswith(("int", "uint")):
            feed[info.name] = rng.integers(low, high, shape).astype(kind)
        else:
            feed[info.name] = rng.uniform(low, high, shape).astype(kind)
    return feed


def outputs_of(path: Path, feed, as_written: bool) -> tuple[list[np.ndarray], dict]:
    """All outputs in ONNX Runtime on one thread, node by node as written or as it comes: its own rewrites go by the order
    and the names of nodes too, and may round otherwise. `feed`: inputs, or a function that makes them."""
    options = onnxruntime.SessionOptions()
    if as_written:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feed = feed(session) if callable(feed) else feed
    return session.run(None, feed), feed


def signature(path: Path) -> list[tuple]:
    """Names, types and shapes of inputs and outputs, in order."""
    graph = onnx.load(str(path), load_external_data=False).graph
    fixed = {value.name for value in graph.initializer}
    values = [("input", v) for v in graph.input if v.name not in fixed] + [("output", v) for v in graph.output]
    return [(kind, v.name, v.type.tensor_type.elem_type,
             [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim]) for kind, v in values]


def check_file(path: Path, original: Path) -> None:
    onnx.checker.check_model(str(path), full_check=True)
    if path.stat().st_size < 1 << 30:  # protobuf's limit; larger models keep their weights in another file
        onnx.shape_inference.infer_shapes(onnx.load(str(path), load_external_data=False), check_type=True, strict_mode=True)
    if signature(path) != signature(original):
        raise Fault(f"inputs or outputs differ:\n    {signature(original)}\n    {signature(path)}")


def compare(expected: list[np.ndarray], found: list[np.ndarray], exact: bool) -> float:
    """Largest difference, relative to the largest element of its output."""
    worst = 0.0
    for number, (a, b) in enumerate(zip(expected, found, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            raise Fault(f"output {number} is {b.dtype}{b.shape}, expected {a.dtype}{a.shape}")
        if a.tobytes() == b.tobytes():
            continue
        if exact or a.dtype.name not in TOLERANCE:
            raise Fault(f"output {number} is not bit-equal ({np.count_nonzero(a != b)} of {a.size} elements)")
        if (np.isnan(a) != np.isnan(b)).any():
            raise Fault(f"output {number}: NaN at other places")
        scale = max(float(np.nanmax(np.abs(a))), np.finfo(a.dtype).tiny)
        error = float(np.nanmax(np.abs(a.astype(np.float64) - b.astype(np.float64)))) / scale
        if not error <= TOLERANCE[a.dtype.name]:
            raise Fault(f"output {number} differs by {error:.2e} of its largest element")
        worst = max(worst, error)
    return worst


# ---- one model -----------------------------------------------------------------------------------------------------
def check_model(program: Path, model: Path, ranges: dict, given: dict, work: Path, args) -> str:
    expected, feed = outputs_of(model, lambda session: make_inputs(session, ranges, given), as_written=False)
    gc.collect()
    extra = []
    if given:
        np.savez(work / "inputs.npz", **feed)
        extra = ["--inputs", str(work / "inputs.npz")]
    figures, peak = [], 0
    for name, flags, exact in (("copy", ["--no-rewrite"], True), ("optimised", ["--cost", "roofline:local"] + args.flag, False)):
        folder = work / name
        folder.mkdir()
        target = folder / "out.onnx"
        command = [str(program), "optimize", str(model), "-o", str(target), "--json", *extra, *flags]
        output, largest, seconds = run(command, folder / "log", args.time_limit)
        try:
            report = json.loads(output)
        except json.JSONDecodeError:
            raise Fault(f"standard output is not one JSON object: {output[:200]!r}") from None
        check_file(target, model)
        error = compare(expected, outputs_of(target, feed, as_written=False)[0], False)
        gc.collect()
        if exact:
            compare(outputs_of(model, feed, as_written=True)[0], outputs_of(target, feed, as_written=True)[0], True)
            gc.collect()
        for file in folder.glob("out.onnx*"):
            file.unlink()  # the largest has 2.5 GB
        peak = max(peak, largest)
        if args.memory_limit and largest > args.memory_limit:
            raise Fault(f"{name}: {largest / 2**30:.2f} GiB resident, more than {args.memory_limit / 2**30:g}")
        figures.append(f"{seconds:6.1f} s")
        if not exact:
            if report.get("verified") is not True:
                raise Fault(f"the summary does not say that it is verified: {report.get('verified')}")
            before, after = report.get("latency_before_ms"), report.get("latency_after_ms")
            speed = f"{before / after:.3f}x" if before and after else "-"
            figures.append(f"{report['nodes_before']:5} -> {report['nodes_after']:5} nodes, {speed:>7}, error {error:.1e}")
    return f"{', '.join(figures)}, {peak / 2**30:.2f} GiB"


def packaged_models() -> list[tuple[str, Path, dict]]:
    found = []
    for name, given in PACKAGED.items():
        spec = importlib.util.find_spec(name.split("/")[0])  # only looks for it: importing may ask for torch
        path = Path(spec.submodule_search_locations[0]).parent / name if spec else None
        if not path or not path.exists():
            sys.exit(f"e2e: {name} is not installed; tools/setup --models does it")
        found.append((path.stem, path, given))
    return found


def size_in_bytes(text: str) -> int:
    return int(float(text.removesuffix("GiB")) * 2**30)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("ISOMER_PROGRAM") or ROOT / "build/release/isomer", type=Path)
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--packages", action="store_true", help="the models of requirements-models.txt instead")
    parser.add_argument("--memory-limit", type=size_in_bytes, default=0, metavar="NGiB")
    parser.add_argument("--time-limit", type=float, default=0, help="seconds for one run (default: 120 for ci, else 1800)")
    parser.add_argument("--flag", action="append", default=[], help="one more flag for the optimising run: --flag=--pairs=5")
    parser.add_argument("names", nargs="*", help="only these models")
    args = parser.parse_args()
    args.time_limit = args.time_limit or (120 if args.size == "ci" and not args.packages else 1800)
    generator = ROOT / "bench/models/make_models.py"
    sys.path.insert(0, str(generator.parent))
    from make_models import MODELS

    models = packaged_models() if args.packages else [(name, None, {}) for name in MODELS]
    if args.names:
        models = [model for model in models if model[0] in args.names]
    failed = 0
    for name, path, given in models:
        with tempfile.TemporaryDirectory(prefix="isomer-e2e-") as folder:
            work, ranges = Path(folder), {}
            if path is None:
                subprocess.run([sys.executable, generator, work, "--size", args.size, "--only", name], check=True,
                               stdout=subprocess.DEVNULL)
                entry = json.loads((work / "manifest.json").read_text())[f"{name}.{args.size}"]
                path = work / entry["file"]
                ranges = {i["name"]: i["range"] for i in entry["inputs"] if i.get("range")}
            try:
                print(f"{name:32} {check_model(args.program, path, ranges, given, work, args)}", flush=True)
            except Fault as fault:
                failed += 1
                print(f"{name:32} FAILED: {fault}", flush=True)
            except Exception as error:  # the checker, the runtime: whatever they throw is about this model
                failed += 1
                print(f"{name:32} FAILED: {type(error).__name__}: {error}", flush=True)
    print(f"{len(models)} models, {failed} failed")
    if os.environ.get("ISOMER_CASES"):  # tools/run_tests counts single cases
        Path(os.environ["ISOMER_CASES"]).parent.mkdir(parents=True, exist_ok=True)
        Path(os.environ["ISOMER_CASES"]).write_text(json.dumps({"passed": len(models) - failed, "failed": failed, "skipped": []}))
    return 1 if failed or not models else 0


if __name__ == "__main__":
    sys.exit(main())
