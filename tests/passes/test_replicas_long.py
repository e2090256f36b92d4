"""XLA computes the same on several replicas before and after the passes about collectives (pairs/all-*). A reduce-scatter of
several arrays cannot be said in StableHLO, by which XLA takes modules; an all-reduce of several with a channel is refused by jaxlib 0.10.2."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(ROOT / "build/release/isomer"))
TOLERANCE = 1e-5
REDUCERS = "".join(f"{name} {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] {opcode}(a, b)\n}}\n\n"
                   for name, opcode in (("sum", "add"), ("most", "maximum")))
MOST_REPLICAS = 8

os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={MOST_REPLICAS}"
os.environ["JAX_PLATFORMS"] = "cpu"
try:
    import jax
    import numpy
    from jax._src.lib import _jax, xla_client
except ImportError:
    jax = None


def replicas_of(text):
    """As many as its groups and its gathered sizes name."""
    numbers = [int(n) for group in re.findall(r"replica_groups=\{(.*?)\}\}", text) for n in re.findall(r"\d+", group)]
    return max(numbers) + 1 if numbers else 2


def outputs(text, replicas, draw):
    proto = xla_client.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    options = _jax.CompileOptions()
    options.num_replicas, options.num_partitions = replicas, 1
    options.device_assignment = _jax.DeviceAssignment.create(numpy.arange(replicas).reshape(replicas, 1))
    devices = jax.devices("cpu")[:replicas]
    program = devices[0].client.compile_and_load(_jax.mlir.hlo_to_stablehlo(proto), _jax.DeviceList(tuple(devices)), options)
    mesh = jax.sharding.Mesh(numpy.array(devices), ("replica",))
    arguments = []
    for shape in xla_client.hlo.XlaComputation(proto).program_shape().parameter_shapes():
        parts = [draw.standard_normal(shape.dimensions()).astype("f4") for _ in devices]
        placed = [jax.device_put(part, device) for part, device in zip(parts, devices)]
        # Rows of one array, a part a replica, which XLA is handed; a scalar has no rows.
        dims, axes = shape.dimensions(), ("replica",) if shape.dimensions() else ()
        whole = (replicas * dims[0], *dims[1:]) if dims else ()
        sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))
        arguments.append(jax.make_array_from_single_device_arrays(whole, sharding, placed))
    results = program.execute_sharded(arguments).disassemble_into_single_device_arrays()
    return [[numpy.asarray(one) for one in arrays] for arrays in results]


@unittest.skipUnless(jax, "jax is not installed")
class Replicas(unittest.TestCase):
    def test_pairs(self):
        ran = 0
        for file in sorted((FOLDER / "pairs").glob("all-*.txt")):
            for case in re.split(r"^== ", file.read_text(), flags=re.M)[1:]:
                about, text = case.split("\n", 1)
                before, arrow, _ = text.partition("\n=>\n")
                if not arrow or "(not asked of XLA" in about:
                    continue
                with self.subTest(of=file.stem, about=about), tempfile.TemporaryDirectory() as folder:
                    path, after = Path(folder) / "before.hlo", Path(folder) / "after.hlo"
                    path.write_text(f"HloModule m\n\n{REDUCERS}ENTRY main {{\n{before}\n}}\n")
                    subprocess.run([PROGRAM, "hlo", "passes", path, "--only", file.stem, "-o", after], check=True, capture_output=True)
                    replicas = replicas_of(before)
                    ours, theirs = (outputs(one.read_text(), replicas, numpy.random.default_rng(3)) for one in (after, path))
                    self.assertEqual(len(ours), len(theirs))
                    for a, b in zip(ours, theirs):
                        numpy.testing.assert_allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
                    ran += 1
        self.assertGreaterEqual(ran, 8)


if __name__ == "__main__":
    unittest.main()
