"""isomer.HloEnv and its Gymnasium environment."""

import importlib.util
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError as error:
    raise unittest.SkipTest("the package numpy is not installed") from error

import isomer
from isomer.hlo import OPCODES, PASSES, SEARCHES

TEXT = """HloModule m

ENTRY e {
  x = f32[64]{0} parameter(0)
  z = f32[] constant(0)
  b = f32[64]{0} broadcast(z), dimensions={}
  a = f32[64]{0} add(x, b)
  n = f32[64]{0} negate(a)
  k = f32[64]{0} negate(n)
  ROOT r = f32[64]{0} exponential(k)
}
"""


class Environment(unittest.TestCase):
    def test_a_dry_run_changes_nothing(self):
        env = isomer.HloEnv(TEXT)
        before = env.hash
        graph = env.dry_run()
        self.assertEqual(env.hash, before)
        self.assertEqual(len(graph), len(graph.options))
        self.assertGreaterEqual(len(graph), 2)
        self.assertEqual([OPCODES[graph.opcodes[t]] for t in graph.targets], ["add", "negate"])
        self.assertEqual(graph.edges.shape[1], 2)
        self.assertTrue((graph.edges < len(graph.opcodes)).all())
        self.assertEqual(len(graph.rules), len(graph.ways))
        self.assertEqual(graph.first_way[-1], len(graph.ways))

    def test_decisions(self):
        env = isomer.HloEnv(TEXT)
        graph = env.dry_run()
        copy = env.clone()
        self.assertEqual(env.apply(np.zeros(len(graph))), [])
        self.assertEqual(env.hash, copy.hash)
        env.dry_run()
        env.apply([1] * len(graph))
        self.assertNotEqual(env.hash, copy.hash)
        self.assertEqual(env.instructions, 2)
        self.assertIn("exponential", env.text)
        # The copy is another module.
        self.assertEqual(copy.instructions, 7)
        self.assertEqual(copy.run(), 2)
        self.assertEqual(copy.hash, env.hash)

    def test_what_is_wrong_is_said(self):
        env = isomer.HloEnv(TEXT)
        with self.assertRaisesRegex(isomer.UsageError, "expected a dry run"):
            env.apply([])
        env.dry_run()
        with self.assertRaisesRegex(isomer.UsageError, "expected 2 decisions, found 1"):
            env.apply([1])
        with self.assertRaisesRegex(isomer.UsageError, "decided was 9"):
            env.apply([9, 0])
        with self.assertRaisesRegex(isomer.UsageError, "pass no such pass: expected"):
            env.dry_run(["no such pass"])
        with self.assertRaisesRegex(isomer.UsageError, "--evaluator guess: expected"):
            env.evaluate("guess")
        with self.assertRaisesRegex(isomer.InputError, "module:3:1: expected"):
            isomer.HloEnv("HloModule m\nnonsense\n")

    def test_costs_and_files(self):
        env = isomer.HloEnv(TEXT)
        self.assertEqual(env.cost_analysis(), {"flops": 192.0, "transcendentals": 64.0, "bytes": 64 * 4 * 10.0 + 4})
        self.assertGreater(env.evaluate("roofline:cpu"), 0)
        with tempfile.TemporaryDirectory() as folder:
            env.save(Path(folder) / "m.hlo")
            self.assertEqual(isomer.HloEnv(Path(folder) / "m.hlo").hash, env.hash)

    def test_searches(self):
        self.assertIn("algsimp", PASSES)
        for search in SEARCHES:
            with self.subTest(search=search):
                env = isomer.HloEnv(TEXT, ["general-fusion"])
                found, about = env.search(search, evaluator="roofline:cpu", time_limit=5)
                self.assertLess(about["cost_after"], about["cost_before"])
                self.assertLessEqual(about["cost_after"], about["cost_pick_first"])
                self.assertEqual(found.evaluate("roofline:cpu"), about["cost_after"])


@unittest.skipUnless(importlib.util.find_spec("gymnasium"), "the package gymnasium is not installed")
class Gymnasium(unittest.TestCase):
    def make(self, **options):
        import gymnasium

        import isomer.hlo_envs

        return gymnasium.make(isomer.hlo_envs.ID, module=TEXT, **options)

    def test_passes_the_checker(self):
        from gymnasium.utils.env_checker import check_env

        check_env(self.make().unwrapped, skip_render_check=False)

    def test_pick_first(self):
        env = self.make(passes=["algsimp"])
        _, info = env.reset(seed=0)
        total = 0.0
        for _ in range(10):
            action = np.zeros(64, np.int64)
            action[:info["choices"]] = 1
            _, reward, terminated, _, info = env.step(action)
            total += reward
            if terminated:
                break
        self.assertTrue(terminated)
        self.assertGreater(total, 0)
        self.assertEqual(env.unwrapped.hlo.instructions, 2)


if __name__ == "__main__":
    unittest.main()
