"""`isomer hlo stats` counts what XLA's own cost analysis counts."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(FOLDER.parents[1] / "build/release/isomer"))
PYTHON = os.environ.get("ISOMER_JAXLIB_PYTHON", sys.executable)

ASK = """
import json, sys
import jax
from jax._src.lib import _jax, xla_client
client = jax.devices("cpu")[0].client
out = []
for text in json.load(sys.stdin):
    counts = _jax.hlo_module_cost_analysis(client, xla_client.hlo.hlo_module_from_text(text))
    out.append([counts.get(name, 0) for name in ("flops", "transcendentals", "bytes accessed")])
json.dump(out, sys.stdout)
"""

HEAD = """HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

body {
  p = f32[8,16]{1,0} parameter(0)
  q = f32[8,16]{1,0} tanh(p)
  ROOT s = f32[8,16]{1,0} multiply(q, p)
}

ENTRY e {
  x = f32[8,16]{1,0} parameter(0)
  y = f32[3,16]{1,0} parameter(1)
  i = s32[3,1]{1,0} parameter(2)
  z = f32[] constant(0)
  o = s32[] constant(0)
  k = f32[3,3,4,8]{3,2,1,0} parameter(3)
  n = f32[2,9,9,4]{3,2,1,0} parameter(4)
  m = f32[2,8,16]{2,1,0} parameter(5)
  w = f32[2,16,32]{2,1,0} parameter(6)
  """

INSTRUCTIONS = (
    "ROOT r = f32[16,8]{1,0} reshape(x)",
    "ROOT r = f32[16,8]{1,0} transpose(x), dimensions={1,0}",
    "ROOT r = f32[8,16,4]{2,1,0} broadcast(x), dimensions={0,1}",
    "ROOT r = f32[8,16]{1,0} log-plus-one(x)",
    "ROOT r = f32[8,16]{1,0} power(x, x)",
    "ROOT r = f32[8,16]{1,0} sign(x)",
    "ROOT r = f32[8,16]{1,0} copy(x)",
    "ROOT r = pred[8,16]{1,0} is-finite(x)",
    "ROOT r = s32[8,16]{1,0} convert(x)",
    "ROOT r = s32[8,16]{1,0} bitcast-convert(x)",
    "ROOT r = f32[8,16]{1,0} clamp(x, x, x)",
    "ROOT r = f32[4,16]{1,0} slice(x), slice={[0:4], [0:16]}",
    "ROOT r = f32[11,16]{1,0} concatenate(x, y), dimensions={0}",
    "ROOT r = f32[8,16]{1,0} reverse(x), dimensions={0}",
    "ROOT r = f32[10,16]{1,0} pad(x, z), padding=1_1x0_0",
    "ROOT r = f32[8]{0} reduce(x, z), dimensions={1}, to_apply=add",
    "ROOT r = f32[4,8]{1,0} reduce-window(x, z), window={size=2x2 stride=2x2}, to_apply=add",
    "ROOT r = f32[2,16]{1,0} dynamic-slice(x, o, o), dynamic_slice_sizes={2,16}",
    "ROOT r = f32[8,16]{1,0} dynamic-update-slice(x, y, o, o)",
    "ROOT r = f32[3,16]{1,0} gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
    "index_vector_dim=1, slice_sizes={1,16}",
    "ROOT r = f32[8,16]{1,0} scatter(x, i, y), update_window_dims={1}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
    "ROOT r = f32[8,16]{1,0} iota(), iota_dimension=0",
    "ROOT r = f32[2,8,32]{2,1,0} dot(m, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
    "rhs_contracting_dims={1}",
    "ROOT r = f32[2,5,5,8]{3,2,1,0} convolution(n, k), window={size=3x3 stride=2x2 pad=1_1x1_1}, "
    "dim_labels=b01f_01io->b01f",
    "ROOT r = f32[2,17,17,8]{3,2,1,0} convolution(n, k), window={size=3x3 pad=1_1x1_1 lhs_dilate=2x2}, "
    "dim_labels=b01f_01io->b01f",
    "ROOT r = f32[8,16]{1,0} fusion(x), kind=kLoop, calls=body",
)


@unittest.skipUnless(subprocess.run([PYTHON, "-c", "import jax"], capture_output=True).returncode == 0,
                     "the package jax is not installed")
class CountsAsXlaDoes(unittest.TestCase):
    def test_instructions(self):
        texts = [HEAD + instruction + "\n}\n" for instruction in INSTRUCTIONS]
        done = subprocess.run([PYTHON, "-c", ASK], input=json.dumps(texts), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        for text, theirs in zip(texts, json.loads(done.stdout), strict=True):
            with self.subTest(instruction=text.splitlines()[-2]), tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
                file.write(text)
                file.flush()
                stats = json.loads(subprocess.run([PROGRAM, "hlo", "stats", "--json", file.name], capture_output=True,
                                                  text=True, check=True).stdout)
                self.assertEqual([stats["flops"], stats["transcendentals"], stats["bytes"]], theirs)


if __name__ == "__main__":
    unittest.main()
