"""XLA computes the same of what is extracted from the e-graph of a module's alternatives (isomer hlo search --search extraction)."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
from xla import LEFT_OUT_FOR_FUSIONS, ROOT, XlaTest

PROGRAM = os.environ.get("ISOMER_PROGRAM", str(ROOT / "build/release/isomer"))
CORPUS = FOLDER.parent / "hlo/corpus"
TOLERANCE = 1e-5  # of the largest element
MODULES = ("jax/attention_causal_fwd", "jax/layernorm_fwd", "jax/lstm_cell", "jax/lstm_scan", "jax/softmax_xent_grad", "jax/moe_top2", "hloenv/hlo_test")
# XLA without its own fusions and layouts takes these; docs/hlo.md says what it does to the others.
FUSED = ("jax/adam_update", "jax/layernorm_fwd", "jax/lstm_cell", "jax/softmax_xent_grad")
CLEANING = "algsimp,cse,tuple-simplifier,reshape-mover"


class Extraction(XlaTest):
    def compare(self, name, passes, disabled=()):
        """XLA's difference to the input, None where XLA refuses the input; and whether anything was changed."""
        before, after = CORPUS / f"{name}.txt", Path(self.scratch.name) / "after.hlo"
        done = subprocess.run([PROGRAM, "-q", "hlo", "search", before, "--search", "extraction", "--passes", passes, "--evaluator", "roofline:cpu",
                               "--evaluations", "30", "--time-limit", "60s", "-o", after, "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertLessEqual(said["cost_after"], said["cost_before"])
        answer = self.worker.ask(op="race", modules=[before.read_text(), after.read_text()], rounds=1, disabled=list(disabled))
        self.assertTrue(answer["ok"], answer)
        first, then = answer["modules"]
        if "error" in first:
            return None, said["cost_after"] < said["cost_before"]
        self.assertNotIn("error", then)
        return then["difference"], said["cost_after"] < said["cost_before"]

    def agree(self, names, passes, disabled=()):
        """How many of them became cheaper; all compute the same."""
        cheaper = 0
        for name in names:
            with self.subTest(module=name, passes=passes):
                difference, changed = self.compare(name, passes, disabled)
                self.assertIsNotNone(difference)
                self.assertLessEqual(difference, TOLERANCE)
                cheaper += changed
        return cheaper

    def test_what_was_extracted_computes_the_same(self):
        for passes in ("algsimp", CLEANING):
            self.assertGreaterEqual(self.agree(MODULES, passes), 5, passes)

    def test_so_it_does_with_our_fusions(self):
        self.assertEqual(self.agree(FUSED, "general-fusion", LEFT_OUT_FOR_FUSIONS), len(FUSED))


if __name__ == "__main__":
    unittest.main()
