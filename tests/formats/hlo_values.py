"""hlo_values.py PROGRAM [FILE ...]: HLO modules evaluated as programs of the IR (PROGRAM) and compiled and run by XLA.

Prints how many modules could be said, how many agree, and what kept the others out. Ends with 77, a skip, where jaxlib
is not installed (ISOMER_JAXLIB_PYTHON names a Python that has it).
"""

import collections
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "hlo/corpus"
OURS = Path(__file__).resolve().parent / "hlo_said"  # all of them can be said
PYTHON = os.environ.get("ISOMER_JAXLIB_PYTHON", sys.executable)
TOLERANCE = 1e-4  # of the largest element
LEAST_SAID = 20
SECONDS = 5  # to evaluate a module

# In a process of its own: a failed check of XLA ends the process that it is in.
XLA = """
import json, sys
import jax, numpy
jax.config.update("jax_enable_x64", True)
from jax._src.lib import xla_client, _jax
device = jax.devices("cpu")[0]

def made_up(kind, shape, which):
    step = numpy.arange(int(numpy.prod(shape, dtype=numpy.int64)), dtype=numpy.int64) * 7 + which * 13
    kind = numpy.dtype(kind)
    values = step % 2 if kind.kind == "b" else step % 5 if kind.kind in "iu" else (step % 17) / 8 - 0.75
    return values.astype(kind).reshape(shape)

def leaves(shape):
    return [leaf for part in shape.tuple_shapes() for leaf in leaves(part)] if shape.is_tuple() else [shape]

def run(path):
    proto = xla_client.hlo.hlo_module_from_text(open(path).read()).as_serialized_hlo_module_proto()
    options = _jax.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = _jax.DeviceAssignment.create(numpy.zeros((1, 1), dtype=int))
    program = device.client.compile_and_load(_jax.mlir.hlo_to_stablehlo(proto), _jax.DeviceList((device,)), options)
    shapes = [leaf for shape in xla_client.hlo.XlaComputation(proto).program_shape().parameter_shapes() for leaf in leaves(shape)]
    arguments = [jax.device_put(made_up(s.element_type(), s.dimensions(), i)) for i, s in enumerate(shapes)]
    out = program.execute_sharded(arguments).disassemble_into_single_device_arrays()
    return [numpy.asarray(o[0]).astype(numpy.float64).ravel().tolist() for o in out]

for line in sys.stdin:
    try:
        print(json.dumps(run(line.strip())), flush=True)
    except Exception as error:
        print(json.dumps(str(error)), flush=True)
"""


def difference(ours: list, theirs: list) -> float:
    """The largest difference, as a part of the largest finite element."""
    ours = [float(x) for x in ours]
    if len(ours) != len(theirs):
        return math.inf
    scale = max([1e-30] + [abs(x) for x in theirs if math.isfinite(x)])
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if math.isnan(a) and math.isnan(b) or a == b:
            continue
        worst = max(worst, abs(a - b) / scale if math.isfinite(a) and math.isfinite(b) else math.inf)
    return worst


def main() -> int:
    if subprocess.run([PYTHON, "-c", "import jax._src.lib"], capture_output=True).returncode != 0:
        print("the package jaxlib is not installed")
        return 77
    program, *files = sys.argv[1:]
    ours = [] if files else [str(path) for path in sorted(OURS.glob("*.txt"))]
    files = files or ours + [str(path) for path in sorted(CORPUS.rglob("*.txt"))]
    said, reasons = [], collections.Counter()
    for file in files:
        try:
            done = subprocess.run([program, file], capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            reasons[f"evaluation would take more than {SECONDS} s"] += 1
            continue
        if done.returncode != 0:
            print(f"{file}: {done.stderr.strip()}")
            return 1
        answer = json.loads(done.stdout)
        if "outputs" in answer:
            said.append(answer)
        elif file in ours:
            print(f"{file}: {answer['refused']}")
            return 1
        else:
            reasons[re.sub(r"^.*?:\d+:\d+: ", "", answer["refused"])] += 1
    worker = subprocess.run([PYTHON, "-c", XLA], input="".join(a["file"] + "\n" for a in said), capture_output=True, text=True)
    theirs = [json.loads(line) for line in worker.stdout.splitlines()]
    if len(theirs) != len(said):
        print(f"XLA ended at {said[len(theirs)]['file']}: {worker.stderr[-1000:]}")
        return 1
    agree = 0
    for answer, outputs in zip(said, theirs, strict=True):
        if isinstance(outputs, str):
            print(f"{answer['file']}: XLA: {outputs[:300]}")
            continue
        apart = [difference(a, b) for a, b in zip(answer["outputs"], outputs, strict=True)]
        if max(apart, default=0) <= TOLERANCE:
            agree += 1
        else:
            print(f"{answer['file']}: outputs are apart by {apart}")
    print(f"{len(files)} modules, {len(said)} said, {agree} agree with XLA")
    for reason, count in reasons.most_common():
        print(f"{count:5}  {reason}")
    return 0 if agree == len(said) >= (LEAST_SAID if len(sys.argv) == 2 else 0) else 1


if __name__ == "__main__":
    sys.exit(main())
