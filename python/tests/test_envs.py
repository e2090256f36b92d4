"""isomer/EGraph-v0 on TENSAT's start graphs."""

import pathlib
import pickle
import subprocess
import sys
import unittest

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import isomer
import isomer.envs

DAG = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "tensat" / "models" / "dag"
MODEL = DAG / "squeezenet.dag"


def make(**options):
    return gymnasium.make("isomer/EGraph-v0", model=MODEL, **options)


def vector(count, **options):
    return gymnasium.make_vec("isomer/EGraph-v0", num_envs=count, vectorization_mode="vector_entry_point", model=MODEL,
                              **options)


def walk(env, actions):
    observation, info = env.reset(seed=1)
    seen = [(observation, 0.0, False, False, info)]
    for action in actions:
        seen.append(env.step(action))
    return seen


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return np.array_equal(a, b)


def open_actions(env, seed, steps):
    """A random walk among rules that may be applied, up to the end of the episode."""
    rng = np.random.default_rng(seed)
    _, info = env.reset()
    taken = []
    for _ in range(steps):
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        taken.append(action)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    return taken


class Single(unittest.TestCase):
    def test_passes_the_checker(self):
        for options in ({}, {"graph": True, "node_limit": 400}, {"rules": "isomer", "extraction": "tree"}, {"regions": 3}):
            check_env(make(**options, disable_env_checker=True).unwrapped, skip_render_check=False)

    def test_actions_have_the_papers_numbers(self):
        env = make().unwrapped
        self.assertEqual(env.action_space.n, 139)
        self.assertEqual(len(set(env.rule_names)), 139)
        # What only a multi-pattern rule does: two convolutions of one input become one.
        _, info = env.reset()
        self.assertTrue(info["action_mask"][124:].any())

    def test_regions_are_parts_of_rules(self):
        whole, parts = make().unwrapped, make(regions=24).unwrapped
        self.assertEqual(parts.action_space.n, 24 * 139)
        self.assertEqual(parts.rule_names[139], f"{whole.rule_names[0]}, part 2 of 24")
        _, info = parts.reset()
        mask = info["action_mask"].reshape(24, 139)
        self.assertTrue(np.array_equal(mask.any(axis=0), whole.reset()[1]["action_mask"].astype(bool)))
        self.assertLess(mask.sum(), 24 * mask.any(axis=0).sum())  # not every rule has a match in every part
        grown = 0
        for action in np.flatnonzero(info["action_mask"]):
            whole.reset()
            most = whole.step(int(action % 139))[0]["egraph"][1]
            parts.reset()
            nodes = parts.step(int(action))[0]["egraph"][1]
            self.assertLessEqual(nodes, most)
            grown += nodes < most
        self.assertGreater(grown, 0)
        with self.assertRaisesRegex(isomer.UsageError, "regions"):
            make(regions=0)

    def test_rewards_sum_up_to_what_was_gained_and_extraction_agrees(self):
        env = make().unwrapped
        actions = open_actions(env, 3, 60)
        seen = walk(env, actions)
        start, last = seen[0][4], seen[-1][4]
        self.assertAlmostEqual(sum(s[1] for s in seen), 1 - last["best_cost"] / start["cost"], places=12)
        self.assertTrue(all(s[1] >= 0 for s in seen))
        self.assertLess(last["best_cost"], start["cost"])
        exact = env.extract()
        self.assertTrue(exact["optimal"])
        self.assertLessEqual(exact["cost"], last["best_cost"] * (1 + 1e-9))
        # From the start graph nothing can be chosen: greedy and exact agree.
        env.reset()
        self.assertAlmostEqual(env.extract()["cost"], start["cost"], places=9)

    def test_masked_actions_change_nothing_and_others_are_never_illegal(self):
        env = make().unwrapped
        before, info = env.reset()
        closed = np.flatnonzero(info["action_mask"] == 0)
        for action in closed[::20]:
            after, reward, terminated, truncated, info = env.step(int(action))
            self.assertEqual((reward, terminated, truncated), (0.0, False, False))
            self.assertTrue(np.array_equal(before["rules"], after["rules"]))
            self.assertTrue(np.array_equal(before["egraph"][:4], after["egraph"][:4]))
        changed = 0
        for action in np.flatnonzero(info["action_mask"]):
            first, _ = env.reset()
            after, _, _, _, info = env.step(int(action))
            grew = after["egraph"][1] != first["egraph"][1] or after["cost"][0] != first["cost"][0]
            changed += grew
            if after["rules"][action, 2] > 0:  # in vain: known from then on
                self.assertFalse(grew)
                self.assertEqual(info["action_mask"][action], 0)
        self.assertGreater(changed, 0)

    def test_ends_at_the_limit_and_after_max_steps(self):
        env = make(node_limit=300)
        open_actions(env, 1, 1000)
        self.assertGreaterEqual(env.unwrapped._episodes.nodes(0), 300)
        with self.assertRaises(gymnasium.error.ResetNeeded):
            env.step(0)
        env = make(max_steps=3)
        _, info = env.reset()
        action = int(np.flatnonzero(info["action_mask"] == 0)[0])
        self.assertEqual([env.step(action)[3] for _ in range(3)], [False, False, True])

    def test_the_graph_is_the_e_graph(self):
        env = make(graph=True, node_limit=400).unwrapped
        for action in [None, *open_actions(env, 5, 2)]:
            if action is None:
                observation, _ = env.reset()
            else:
                observation = env.step(action)[0]
            graph = observation["graph"]
            nodes, edges = graph["sizes"]
            live = graph["nodes"][:nodes]
            self.assertTrue((graph["nodes"][nodes:] == -1).all())
            self.assertEqual(nodes, round(float(observation["egraph"][1] - observation["egraph"][3]) * 400))
            self.assertEqual(len(np.unique(live[:, 1])), round(float(observation["egraph"][2]) * 400))
            self.assertLessEqual(live[:, 0].max(), len(env.operator_names) - 1)
            pairs = graph["edges"][:edges]
            self.assertLess(pairs[:, 0].max(), nodes)
            self.assertLessEqual(pairs[:, 1].max(), live[:, 1].max())
            # Each class has one picked node, and a program of picked nodes costs what the observation says.
            picked = live[:, 2] == 1
            self.assertEqual(len(np.unique(live[picked, 1])), picked.sum())
            children = {}
            for n, c in pairs:
                children.setdefault(n, []).append(c)
            by_class = {c: n for n, c in enumerate(live[:, 1]) if picked[n]}
            roots = set(by_class) - {c for _, c in pairs}
            reached, todo = set(), list(roots)
            while todo:
                c = todo.pop()
                if c not in reached:
                    reached.add(c)
                    todo += children.get(by_class[c], [])
            if action is None:
                total = graph["prices"][[by_class[c] for c in reached]].sum()
                self.assertAlmostEqual(float(total), 1.0, places=4)

    def test_wrong_arguments_are_said(self):
        with self.assertRaisesRegex(isomer.UsageError, "node_limit"):
            make(node_limit=50)
        with self.assertRaisesRegex(isomer.UsageError, "at least 1"):
            vector(2, threads=0)
        with self.assertRaisesRegex(isomer.UsageError, "tensat or isomer"):
            make(rules="mine")
        with self.assertRaisesRegex(isomer.UsageError, "cost"):
            make(cost="abacus")
        with self.assertRaises(isomer.InputError):
            gymnasium.make("isomer/EGraph-v0", model="no/such.onnx")
        env = make()
        env.reset()
        with self.assertRaisesRegex(ValueError, "139"):
            env.unwrapped.step(139)

    def test_without_gymnasium_the_message_says_what_to_install(self):
        program = "import sys; sys.modules['gymnasium'] = None\nimport isomer\nimport isomer.envs"
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn("pip install gymnasium", run.stderr)


class Vector(unittest.TestCase):
    def test_is_as_many_single_ones(self):
        for options in ({}, {"cache_megabytes": 0, "threads": 1}, {"cache_megabytes": 1}, {"threads": 1}, {"threads": 3}):
            envs, single = vector(3, node_limit=500, **options), make(node_limit=500)
            taken = [open_actions(single, seed, 12) for seed in range(3)]
            length = min(map(len, taken))
            alone = [walk(single, actions[:length]) for actions in taken]
            envs.reset()
            for t in range(length):
                observation, reward, terminated, truncated, info = envs.step([a[t] for a in taken])
                for e in range(3):
                    mine = ({k: v[e] for k, v in observation.items()}, reward[e], terminated[e], truncated[e])
                    for a, b in zip(mine, alone[e][t + 1]):
                        self.assertTrue(same(a, b), f"step {t} of episode {e}")
                    self.assertTrue(np.array_equal(info["action_mask"][e], alone[e][t + 1][4]["action_mask"]))

    def test_begins_anew_by_itself(self):
        envs = vector(2, max_steps=2)
        first, info = envs.reset()
        closed = np.array([int(np.flatnonzero(m == 0)[0]) for m in info["action_mask"]])
        opened = np.array([int(np.flatnonzero(m)[0]) for m in info["action_mask"]])
        envs.step(opened)
        self.assertTrue(envs.step(closed)[3].all())
        observation, reward, terminated, truncated, _ = envs.step(opened)
        self.assertTrue(same(observation, first))
        self.assertFalse(reward.any() or terminated.any() or truncated.any())

    def test_spaces_hold_what_is_seen(self):
        envs = vector(2, graph=True, node_limit=300)
        observation, info = envs.reset(seed=3)
        self.assertTrue(envs.observation_space.contains(observation))
        envs.action_space.seed(3)
        observation = envs.step(envs.action_space.sample())[0]
        self.assertTrue(envs.observation_space.contains(observation))
        with self.assertRaisesRegex(ValueError, "expected 2 numbers"):
            envs.step([0, 139])

    def test_gymnasiums_own_vectors_work_too(self):
        envs = gymnasium.make_vec("isomer/EGraph-v0", num_envs=2, vectorization_mode="sync", model=MODEL)
        envs.reset(seed=1)
        self.assertEqual(envs.step([130, 0])[1].shape, (2,))
        pickle.dumps(envs.get_attr("rule_names"))


if __name__ == "__main__":
    unittest.main()
