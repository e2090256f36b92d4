"""isomer bench hlo beside real XLA: what XLA's simplifier changes is told from what it does not, passes that jaxlib has not are
marked, what XLA refuses is counted, Ctrl-C keeps the modules that ended."""

import importlib.util
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
HEAD = "HloModule m\n\nENTRY e {\n  x = f32[64]{0} parameter(0)\n"
MODULES = {
    "plain": HEAD + "  ROOT r = f32[64]{0} negate(x)\n}\n",
    "algebra": HEAD + "  z = f32[] constant(4)\n  y = f32[64]{0} broadcast(z), dimensions={}\n  s = f32[64]{0} divide(x, y)\n"
                      "  ROOT r = f32[64]{0} negate(s)\n}\n",
    "foreign": HEAD + '  ROOT r = f32[64]{0} custom-call(x), custom_call_target="nobody_has_this"\n}\n',
}


class HloBench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-hlo-bench-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def write(self, names):
        for name in names:
            (self.path / f"{name}.hlo").write_text(MODULES[name])

    @unittest.skipIf(importlib.util.find_spec("jax") is None, "jax is not installed (it is optional)")
    def test_beside_xla(self):
        self.write(MODULES)
        done = subprocess.run([PROGRAM, "-q", "bench", "hlo", self.path, "--json"], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        rows = {row["removed"]: row for row in found["rows"]}
        self.assertEqual([found[k] for k in ("modules", "ours_ended", "xla_ended", "xla_refused")], [3, 3, 2, 1])
        self.assertEqual([rows["AlgebraicSimplifier"]["xla"][k] for k in ("modules", "changed")], [2, 1])
        self.assertEqual(rows["SortSimplifier"]["xla"]["changed"], 0)
        self.assertIsNone(rows["DotMerger"]["xla"])
        self.assertIsNone(rows["GemmRewriter"]["xla"])
        self.assertEqual([r for r in rows if rows[r]["ours"] is None], [])
        self.assertEqual([r for r in rows if rows[r]["library"]],
                         ["CudnnVectorizeConvolutions", "GemmRewriter", "GemmBroadcastFoldingRewriter"])
        self.assertEqual(rows["GemmRewriter"]["published"]["changed_percent"], 8.56)

    def test_ctrl_c_keeps_what_ended(self):
        for i in range(3000):
            (self.path / f"{i:04}.hlo").write_text(MODULES["algebra"].replace("64", str(i + 2)))
        record = self.path / "record.jsonl"
        process = subprocess.Popen([PROGRAM, "-q", "bench", "hlo", self.path, "--no-xla", "--record", record, "--json"],
                                   stdout=subprocess.PIPE, text=True)
        deadline = time.time() + 60
        while not record.exists() or record.read_bytes().count(b"\n") < 3:
            self.assertLess(time.time(), deadline)
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        found = json.loads(out)
        self.assertEqual(found["stop_reason"], "interrupted")
        self.assertLess(found["ours_ended"], 3000)
        self.assertEqual(record.read_bytes().count(b"\n"), found["ours_ended"])


if __name__ == "__main__":
    unittest.main()
