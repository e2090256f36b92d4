"""isomer.HloEnv and its Gymnasium environment."""

import importlib.util
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest
import unittest.mock
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


OTHER = """HloModule n

ENTRY e {
  x = f32[8]{0} parameter(0)
  n = f32[8]{0} negate(x)
  k = f32[8]{0} negate(n)
  ROOT r = f32[8]{0} tanh(k)
}
"""


def negations(many):
    """Each of the one before: fusions of them grow for as many sweeps as there are."""
    lines = [f"  n{i} = f32[8]{{0}} negate(n{i - 1})\n" for i in range(1, many)]
    return "HloModule m\n\nENTRY e {\n  n0 = f32[8]{0} parameter(0)\n" + "".join(lines) + f"  ROOT r = f32[8]{{0}} negate(n{many - 1})\n}}\n"


class Interrupts(unittest.TestCase):
    def interrupted(self, work):
        """Seconds until Ctrl-C after 0.3 s is a KeyboardInterrupt."""
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                work()
        return time.monotonic() - started

    def test_a_run_ends_and_the_module_is_what_it_was(self):
        start = isomer.HloEnv(negations(3000), passes=["general-fusion"])
        env = start.clone()
        self.assertLess(self.interrupted(env.run), 10)
        self.assertEqual(env.hash, start.hash)
        self.assertGreater(len(env.dry_run()), 0)

    def test_a_pipeline_and_a_search_too(self):
        env = isomer.HloEnv(negations(1000), passes=["general-fusion"])
        self.assertLess(self.interrupted(lambda: env.clone().run(pipeline="hloenv-fusion")), 10)
        self.assertLess(self.interrupted(lambda: env.search("random", evaluator="roofline:cpu", time_limit=100)), 20)

    def test_an_agent_that_runs_passes_within_a_search_whose_evaluations_are_spent(self):
        def value(env):
            clone = env.clone()
            clone.run()
            return 0.1 * clone.instructions

        _, about = isomer.HloEnv(TEXT).search("mcts", evaluator="roofline:cpu", evaluations=2, value=value)
        self.assertGreaterEqual(about["evaluated"], 2)


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

    def test_an_agent_steers_the_tree_search(self):
        env = isomer.HloEnv(TEXT)
        asked = []

        def prior(at):
            asked.append(at.hash)
            return [np.eye(n, dtype=np.float32)[1] for n in at.proposals.options]  # always the first way

        better, about = env.search("mcts", evaluator="roofline:cpu", prior=prior, value=lambda at: 0, seed=3)
        self.assertEqual(about["cost_after"], about["cost_pick_first"])
        self.assertEqual(better.instructions, 2)
        self.assertIn(env.hash, asked)
        self.assertEqual(about["improvements"][0], (1, about["cost_before"]))
        self.assertRegex(about["verification"], "^(field|the same program)")
        self.assertEqual(about["improvements"][-1][1], about["cost_after"])

    def test_a_search_ends_after_so_many_evaluations(self):
        env = isomer.HloEnv(TEXT)
        whole = env.search("random", evaluator="roofline:cpu", steps=200)[1]
        self.assertEqual(whole["evaluated"], 4)
        few = env.search("random", evaluator="roofline:cpu", steps=200, evaluations=3)[1]
        self.assertEqual((few["evaluated"], few["stop_reason"]), (3, "iteration-limit"))

    def test_what_an_agent_says_wrong_is_said(self):
        env = isomer.HloEnv(TEXT)
        options = {"evaluator": "roofline:cpu"}
        with self.assertRaisesRegex(isomer.UsageError, "prior: expected 2 choices, found 1"):
            env.search("mcts", prior=lambda at: [[1.0]], **options)
        with self.assertRaisesRegex(isomer.UsageError, "prior: expected 2 probabilities of choice 0, found 1"):
            env.search("mcts", prior=lambda at: [[1.0], [1.0]], **options)
        with self.assertRaises(ZeroDivisionError):
            env.search("mcts", value=lambda at: 1 / 0, **options)
        with self.assertRaisesRegex(isomer.UsageError, "expected 'mcts', which alone asks"):
            env.search("beam", value=lambda at: 0, **options)

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

    def vector(self, count, module=TEXT, **options):
        import gymnasium

        import isomer.hlo_envs

        return gymnasium.make_vec(isomer.hlo_envs.ID, num_envs=count, vectorization_mode="vector_entry_point", module=module,
                                  max_nodes=32, max_edges=64, max_choices=8, **options)

    def test_a_vector_is_as_many_single_ones(self):
        """Step by step the same as Gymnasium's own vector of single environments, ends and beginnings included."""
        import gymnasium
        from gymnasium.utils.env_checker import data_equivalence

        import isomer.hlo_envs

        modules = [TEXT, OTHER]
        ours = self.vector(5, modules, passes=["algsimp", "general-fusion"], max_steps=3)
        theirs = gymnasium.vector.SyncVectorEnv([
            lambda i=i: isomer.hlo_envs.HloDecisionEnv(modules[i % 2], passes=["algsimp", "general-fusion"], max_steps=3, max_nodes=32,
                                                       max_edges=64, max_choices=8) for i in range(5)])
        self.assertEqual(ours.metadata["autoreset_mode"], theirs.metadata["autoreset_mode"])
        self.assertEqual((ours.observation_space, ours.action_space), (theirs.observation_space, theirs.action_space))
        self.assertTrue(data_equivalence(ours.reset(seed=1), theirs.reset(seed=1)))
        rng, ends = np.random.default_rng(0), 0
        for _ in range(30):
            actions = rng.integers(0, 3, ours.action_space.shape)
            seen = ours.step(actions)
            self.assertTrue(data_equivalence(seen[:4], theirs.step(actions)[:4]))
            self.assertIn(seen[0], ours.observation_space)
            self.assertEqual(seen[4]["mask"].shape, (5, 8, 5))
            ends += (seen[2] | seen[3]).sum()
        self.assertGreater(ends, 10)

    def pipeline(self, stages=("algsimp", "general-fusion,cse"), **options):
        import gymnasium

        import isomer.hlo_envs

        return gymnasium.make(isomer.hlo_envs.PIPELINE_ID, module=TEXT, stages=stages, max_choices=8, **options)

    def test_an_agent_orders_passes_and_stops(self):
        from gymnasium.error import ResetNeeded
        from gymnasium.utils.env_checker import check_env

        check_env(self.pipeline().unwrapped, skip_render_check=False)
        env = self.pipeline()

        def episode(*firsts, decisions=0):
            """The module that it ends with, by steps of which the first numbers are these."""
            seen, info = env.reset()
            self.assertEqual((seen["stage"], info["choices"]), (1, 2))
            for first in firsts:
                seen, _, terminated, truncated, info = env.step(np.array([first] + 8 * [decisions]))
                self.assertEqual((terminated, truncated), (first == 0, False))
            return env.unwrapped.hlo

        def ordinary(*runs):
            module = isomer.HloEnv(TEXT)
            for passes in runs:
                module.run(passes)
            return module.hash

        first, second = ["algsimp"], ["general-fusion", "cse"]
        self.assertEqual(episode(0).hash, ordinary())
        self.assertEqual(episode(3, 4, 0).hash, ordinary(first, second))
        self.assertEqual(episode(4, 3, 0).hash, ordinary(second, first))
        self.assertNotEqual(ordinary(first, second), ordinary(second, first))
        self.assertEqual(episode(2, 1, 0).hash, ordinary())  # dry, and nothing taken
        self.assertEqual(episode(0, decisions=1).hash, ordinary(first))  # decided, and then stopped
        with self.assertRaises(ResetNeeded):
            env.unwrapped.step(np.zeros(9, np.int64))
        with self.assertRaisesRegex(ValueError, "stages: expected at least one"):
            self.pipeline(stages=[])

    def test_the_stage_at_hand_is_the_one_that_was_asked_for(self):
        env = self.pipeline(max_steps=3)
        env.reset()
        for first, stage in ((2, 2), (3, 1)):
            seen, _, _, truncated, info = env.step(np.array([first] + 8 * [0]))
            proposed = env.unwrapped.hlo.clone().dry_run([["algsimp"], ["general-fusion", "cse"]][stage - 1])
            self.assertEqual((seen["stage"], info["choices"], truncated), (stage, len(proposed), False))
        self.assertTrue(env.step(np.array([2] + 8 * [0]))[3])

    def test_a_vector_of_pipelines(self):
        import gymnasium
        from gymnasium.utils.env_checker import data_equivalence

        import isomer.hlo_envs

        options = {"stages": ["algsimp", "general-fusion"], "max_steps": 4, "max_nodes": 32, "max_edges": 64, "max_choices": 8}
        ours = gymnasium.make_vec(isomer.hlo_envs.PIPELINE_ID, num_envs=3, vectorization_mode="vector_entry_point", module=TEXT, **options)
        theirs = gymnasium.vector.SyncVectorEnv(3 * [lambda: isomer.hlo_envs.HloPipelineEnv(TEXT, **options)])
        self.assertTrue(data_equivalence(ours.reset(seed=1), theirs.reset(seed=1)))
        rng = np.random.default_rng(0)
        for _ in range(20):
            actions = rng.integers(0, 3, ours.action_space.shape)
            self.assertTrue(data_equivalence(ours.step(actions)[:4], theirs.step(actions)[:4]))

    def test_where_nothing_is_proposed_the_first_step_ends_the_episode(self):
        from gymnasium.error import ResetNeeded

        idle = "HloModule i\n\nENTRY e {\n  x = f32[8]{0} parameter(0)\n  ROOT r = f32[8]{0} tanh(x)\n}\n"
        envs = self.vector(2, [idle, TEXT])
        envs.reset()
        _, rewards, terminated, _, _ = envs.step(np.ones(envs.action_space.shape, np.int64))
        self.assertEqual((rewards[0], terminated.tolist()), (0, [True, True]))
        with self.assertRaises(ResetNeeded):
            envs.envs[0].step(np.zeros(8, np.int64))

    def test_some_of_a_vector_begin_anew(self):
        envs = self.vector(3)
        envs.reset()
        envs.step(np.ones(envs.action_space.shape, np.int64))
        self.assertEqual([env.hlo.instructions for env in envs.envs], [2, 2, 2])
        envs.reset(options={"reset_mask": np.array([True, False, True])})
        self.assertEqual([env.hlo.instructions for env in envs.envs], [7, 2, 7])
        with self.assertRaisesRegex(ValueError, "actions: expected shape"):
            envs.step(np.zeros((2, 8), np.int64))

    def test_a_pool_times_what_no_episode_has_met(self):
        """With a worker in XLA's place, to which a module takes as long as it has instructions."""
        source = Path(__file__).resolve().parents[2]
        with tempfile.TemporaryDirectory() as folder:
            for file in ("protocol.py", "element_types.py"):
                shutil.copy(source / "workers" / file, folder)
            shutil.copy(source / "tests/data/runtime/fake_xla_worker.py", Path(folder) / "xla_worker.py")
            log = Path(folder) / "log"
            with unittest.mock.patch.dict(os.environ, {"ISOMER_WORKERS": folder, "FAKE_XLA_LOG": str(log)}):
                envs = self.vector(6, [TEXT, OTHER], evaluator="xla", workers=2)
                envs.reset()
                timed = log.stat().st_size  # both starts, each beside itself
                self.assertEqual(timed, 4)
                _, rewards, terminated, _, info = envs.step(np.ones(envs.action_space.shape, np.int64))
                np.testing.assert_allclose(rewards, [5 / 7, 2 / 4] * 3)
                self.assertTrue(terminated.all())
                self.assertEqual(log.stat().st_size - timed, 4)  # one new module of each start, beside it
                envs.step(np.ones(envs.action_space.shape, np.int64))
                self.assertEqual(log.stat().st_size - timed, 4)


if __name__ == "__main__":
    unittest.main()
