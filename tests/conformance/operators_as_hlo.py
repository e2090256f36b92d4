"""operators_as_hlo.py PROGRAM [DRAWS [SEED]]: every operator of the IR as a module of XLA (PROGRAM), run there and held to evaluation;
and ONNX models of nodes that have bodies (kept_nodes.py), written by `isomer graph hlo` and held to ONNX Runtime.

Prints how many modules there were, which operators HLO cannot say and why, and the tables of what disagrees. Ends with 77, a
skip, where jaxlib is not installed (ISOMER_JAXLIB_PYTHON names a Python that has it).
"""

import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy

import kept_nodes

PROGRAM = os.environ.get("ISOMER_PROGRAM", "isomer")
PYTHON = os.environ.get("ISOMER_JAXLIB_PYTHON", sys.executable)
TOLERANCE = {"f16": 1e-2, "bf16": 6e-2}  # of the largest element; all other floats:
OTHER = 1e-4
ROUNDED = {"dynamic_quantize_linear"}  # floats become integers there: a difference of rounding is one of 1
LEAST_OPERATORS = 170

# In a process of its own: a failed check of XLA ends the process that it is in.
XLA = """
import json, sys
import jax, numpy, ml_dtypes
jax.config.update("jax_enable_x64", True)
from jax._src.lib import xla_client, _jax
device = jax.devices("cpu")[0]

def array(given, shape):
    values = [float(x) if isinstance(x, str) else x for x in given["values"]]
    kind = numpy.dtype(shape.element_type())
    whole = numpy.uint64 if given["type"] == "u64" else numpy.int64 if kind.kind in "iub" else numpy.float64
    return numpy.asarray(values, whole).astype(kind).reshape(shape.dimensions())

def run(case):
    proto = xla_client.hlo.hlo_module_from_text(case["hlo"]).as_serialized_hlo_module_proto()
    options = _jax.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = _jax.DeviceAssignment.create(numpy.zeros((1, 1), dtype=int))
    program = device.client.compile_and_load(_jax.mlir.hlo_to_stablehlo(proto), _jax.DeviceList((device,)), options)
    shapes = xla_client.hlo.XlaComputation(proto).program_shape().parameter_shapes()
    arguments = [jax.device_put(array(x, s)) for x, s in zip(case["inputs"], shapes, strict=True)]
    out = program.execute_sharded(arguments).disassemble_into_single_device_arrays()
    arrays = [numpy.asarray(o[0]) for o in out]
    return [(a.astype(numpy.int64) if a.dtype.kind in "iub" else a.astype(numpy.float64)).ravel().tolist() for a in arrays]

for line in sys.stdin:
    try:
        print(json.dumps(run(json.loads(line))), flush=True)
    except Exception as error:
        print(json.dumps(str(error)[:500]), flush=True)
"""


def apart(ours: dict, theirs: list, least: int, given: float) -> float:
    """The largest difference: of floats as a part of the largest finite element, or of a hundredth of what was `given`, where
    what is large cancels; of integers any above `least`."""
    mine = [float(x) if isinstance(x, str) else x for x in ours["values"]]
    if len(mine) != len(theirs):
        return math.inf
    if ours["type"][0] in "iu" or ours["type"] == "bool":
        return 0.0 if all(abs(a - b) <= least or (a - b) % (1 << 64) == 0 for a, b in zip(mine, theirs, strict=True)) else math.inf
    scale = max([1e-30, given / 100] + [abs(x) for x in theirs if math.isfinite(x)])
    worst = 0.0
    for a, b in zip(mine, theirs, strict=True):
        if (math.isnan(a) and math.isnan(b)) or a == b:
            continue
        worst = max(worst, abs(a - b) / scale if math.isfinite(a) and math.isfinite(b) else math.inf)
    return worst


def answers(cases: list) -> list:
    """Of XLA, one for each case; a case that takes the process down is an answer, and the rest goes on without it."""
    out = []
    while len(out) < len(cases):
        rest = "".join(json.dumps(case) + "\n" for case in cases[len(out):])
        worker = subprocess.run([PYTHON, "-c", XLA], input=rest, capture_output=True, text=True)
        out += [json.loads(line) for line in worker.stdout.splitlines()]
        if len(out) < len(cases):
            out.append("XLA ended: " + worker.stderr.strip()[-300:])
    return out


def as_json(array) -> dict:
    kind = {"float32": "f32", "int64": "i64", "bool": "bool"}[array.dtype.name]
    return {"type": kind, "values": [x if math.isfinite(x) else str(x) for x in array.ravel().tolist()]}


def kept(draws: int, seed: int) -> list:
    """Of each node with bodies: lines as the program's."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        model, module = f"{folder}/model.onnx", f"{folder}/module.hlo"
        for op, draw in kept_nodes.DRAWS.items():
            for i in range(draws):
                case = draw(numpy.random.default_rng([seed, i, len(op), ord(op[0])]), op)
                case.run()
                kept_nodes.onnx.save(case.model, model)
                line = {"op": op, "program": f"{op}, draw {i}"}
                done = subprocess.run([PROGRAM, "graph", "hlo", model, "-o", module], capture_output=True, text=True)
                if done.returncode == 3:
                    line["refused"] = re.sub(r"^isomer: (\S+: )?", "", done.stderr.strip())
                elif done.returncode != 0:
                    raise SystemExit(f"{op}: {done.stderr}")
                else:
                    inputs, outputs = case.data_sets[0]
                    line |= {"hlo": open(module).read(), "inputs": [as_json(x) for x in inputs], "outputs": [as_json(y) for y in outputs]}
                out.append(line)
    return out


def main() -> int:
    if subprocess.run([PYTHON, "-c", "import jax._src.lib"], capture_output=True).returncode != 0:
        print("the package jaxlib is not installed")
        return 77
    given = sys.argv[1:]
    program, draws, seed = given + ["3", "1"][len(given) - 1:]
    done = subprocess.run([program, draws, seed], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr.strip())
        return 1
    lines = [json.loads(line) for line in done.stdout.splitlines()] + kept(int(draws), int(seed))
    said = [line for line in lines if "hlo" in line]
    refused = collections.defaultdict(set)
    for line in lines:
        if "refused" in line:
            refused[re.sub(r"^node '[^']*' \(\S+\): ", "", line["refused"])].add(line["op"])
    bad = 0
    for case, theirs in zip(said, answers(said), strict=True):
        if isinstance(theirs, str):
            fault = theirs
        else:
            limit = [TOLERANCE.get(y["type"], OTHER) for y in case["outputs"]]
            given = max([abs(v) for x in case["inputs"] for v in x["values"] if not isinstance(v, str)], default=0)
            worst = [apart(y, z, int(case["op"] in ROUNDED), given) for y, z in zip(case["outputs"], theirs, strict=True)]
            if all(w <= most for w, most in zip(worst, limit, strict=True)):
                continue
            fault = f"apart by {worst}"
        bad += 1
        print(f"{case['op']}: {fault}\n{case['program']}")
    operators = {case["op"] for case in said}
    print(f"{len(said)} modules of {len(operators)} operators, {len(said) - bad} agree with XLA")
    for reason, names in sorted(refused.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4} operators: {reason} ({', '.join(sorted(names))})")
    return 0 if bad == 0 and len(operators) >= LEAST_OPERATORS else 1


if __name__ == "__main__":
    sys.exit(main())
