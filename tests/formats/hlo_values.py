"""hlo_values.py PROGRAM [FILE ...]: HLO modules evaluated as programs of the IR (PROGRAM) and compiled and run by XLA.

Prints how many modules were evaluated, how many agree, and what kept the others out. Without files it is a test of our
texts and of the corpus, of which SAID must be said and nearly all of these evaluated. Ends with 77, a skip, where jaxlib
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
SAID = 54  # of the 57 of the corpus; the others call linear algebra of GPUs
LEAST_EVALUATED = 47  # of these; some have millions of elements, and time is short on a busy machine
SECONDS = 30  # to evaluate a module
NO_GPU = "NOT_FOUND: No registered implementation"  # how XLA refuses what is called on GPUs alone
TOO_LONG = f"evaluation would take more than {SECONDS} s"

# In a process of its own: a failed check of XLA ends the process that it is in.
XLA = """
import json, sys
import jax, numpy
jax.config.update("jax_enable_x64", True)
from jax._src.lib import xla_client, _jax
sys.path.insert(0, sys.argv[1])
from hlo_inputs import made_up
device = jax.devices("cpu")[0]

def spread(flat, most=1 << 16):
    return flat if len(flat) <= most else flat[numpy.arange(most, dtype=numpy.int64) * len(flat) // most]

def plain(array):
    if array.dtype.kind not in "iu":
        array = array.astype(numpy.int64 if array.dtype.kind == "b" else numpy.float64)
    return array.tolist()

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
    return [plain(spread(numpy.asarray(o[0]).ravel())) for o in out]

for line in sys.stdin:
    try:
        print(json.dumps(run(line.strip())), flush=True)
    except Exception as error:
        print(json.dumps(str(error)), flush=True)
"""


def difference(ours: list, theirs: list) -> float:
    """The largest difference, as a part of the largest finite element; of integers any is infinite."""
    if len(ours) != len(theirs):
        return math.inf
    if all(isinstance(x, int) for x in theirs):
        return 0.0 if ours == theirs else math.inf
    ours = [float(x) for x in ours]
    scale = max([1e-30] + [abs(x) for x in theirs if math.isfinite(x)])
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if math.isnan(a) and math.isnan(b) or a == b:
            continue
        worst = max(worst, abs(a - b) / scale if math.isfinite(a) and math.isfinite(b) else math.inf)
    return worst


def have_jaxlib() -> bool:
    return subprocess.run([PYTHON, "-c", "import jax._src.lib"], capture_output=True).returncode == 0


def evaluated(program: str, file: str) -> dict:
    """What the program says of the file: outputs, or why there are none."""
    try:
        done = subprocess.run([program, file], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"file": file, "refused": TOO_LONG}
    if done.returncode != 0:
        raise RuntimeError(f"{file}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def evaluated_together(program: str, files: list) -> list:
    """The same of several small ones."""
    done = subprocess.run([program, *files], capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) < len(files):
        raise RuntimeError(f"{files[len(answers)]}: {done.stderr.strip()}")
    return answers


def by_xla(files: list) -> list:
    """Outputs of each, or a text that says why there are none; XLA starts again after a module that ends its process."""
    answers: list = []
    while len(answers) < len(files):
        rest = files[len(answers):]
        worker = subprocess.run([PYTHON, "-c", XLA, str(Path(__file__).resolve().parent)], input="".join(file + "\n" for file in rest), capture_output=True, text=True)
        answers += [json.loads(line) for line in worker.stdout.splitlines()]
        if len(answers) < len(files):
            answers.append(f"XLA ended: {worker.stderr[-300:]}")
    return answers


def largest_difference(answer: dict, outputs: list) -> float:
    return max((difference(a, b) for a, b in zip(answer["outputs"], outputs, strict=True)), default=0)


def main() -> int:
    if not have_jaxlib():
        print("the package jaxlib is not installed")
        return 77
    program, *given = sys.argv[1:]
    ours = [] if given else [str(path) for path in sorted(OURS.glob("*.txt"))]
    files = given or ours + [str(path) for path in sorted(CORPUS.rglob("*.txt"))]
    answers = [evaluated(program, file) for file in files]
    said = [answer for answer in answers if "outputs" in answer]
    wrong = [f"{a['file']}: {a['refused']}" for a in answers if a["file"] in ours and "refused" in a]
    agree = unrun = 0
    for answer, outputs in zip(said, by_xla([answer["file"] for answer in said]), strict=True):
        if isinstance(outputs, str) and outputs.startswith(NO_GPU):
            unrun += 1
        elif isinstance(outputs, str):
            wrong.append(f"{answer['file']}: XLA: {outputs[:300]}")
        elif (apart := largest_difference(answer, outputs)) > TOLERANCE:
            wrong.append(f"{answer['file']}: outputs are apart by {apart:.3g}")
        else:
            agree += 1
    print("\n".join(wrong))
    print(f"{len(files)} modules, {len(said)} evaluated, {agree} agree with XLA, {unrun} are for GPUs, where it was not asked")
    unsaid = [a["refused"] for a in answers if "refused" in a]
    for reason, count in collections.Counter(re.sub(r"^.*?:\d+:\d+: ", "", why) for why in unsaid).most_common():
        print(f"{count:5}  {reason}")
    late = unsaid.count(TOO_LONG)
    enough = given or (len(said) - len(ours) >= LEAST_EVALUATED and len(said) - len(ours) + late >= SAID)
    return 0 if enough and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
