#!/usr/bin/env python3
"""An agent that decides XLA's rewrites learns on some modules and is tried on others.

    python examples/hlo_agent.py DATASET [--passes algsimp] [--seeds 5] [--epochs 12] [--json FILE]

DATASET is a folder that `isomer hlo dataset` made. Modules of a fifth of its packages are kept apart. Needs NumPy and gymnasium.

The policy looks at each choice by itself: a softmax over its decisions (as it is, or a way) of a linear score of what the
environment shows: the opcodes of both, what comes with the way and what nobody needs after it. It is trained by REINFORCE (Williams, 1992) with the other
episodes of the module as baseline (Kool, van Hoof and Welling, 2019) and Adam's steps. A second linear function, fitted to the returns, says what is still to be gained.

Both steer a tree search: `env.search("mcts", prior=agent.prior, value=agent.value)`.
"""

import argparse
import json
import sys
import zlib
from pathlib import Path

import gymnasium
import isomer
import isomer.hlo_envs  # noqa: F401: registers isomer/Hlo-v0
import numpy as np
from isomer.hlo import OPCODES

EVALUATOR = "roofline:cpu"
NUMBERS = 8  # features that are no opcodes
PAIRS = 251  # of opcodes, folded into so many
FEATURES = NUMBERS + 2 * len(OPCODES) + PAIRS
FREE = [OPCODES.index(name) for name in ("parameter", "constant", "tuple", "get-tuple-element", "bitcast")]


class Seen:
    """An alternative graph, be it an observation of the environment or an isomer.AlternativeGraph."""

    def __init__(self, opcodes, work, extra, edges):
        self.opcodes, self.work, self.extra = opcodes, work, extra  # work: logarithms of elements, flops, bytes
        self.operands, self.users = {}, {}
        for operand, user in edges.tolist():
            self.operands.setdefault(user, []).append(operand)
            if not extra[user]:
                self.users.setdefault(operand, set()).add(user)

    def added(self, way):
        """Instructions that come with a way, and those of the module that it uses."""
        fresh, used, open_ = set(), set(), [way]
        while open_:
            at = open_.pop()
            if not self.extra[at]:
                used.add(at)
            elif at not in fresh:
                fresh.add(at)
                open_ += self.operands.get(at, [])
        return fresh, used

    def freed(self, target, used):
        """Instructions that nobody needs once nobody uses the target."""
        gone, open_ = {target}, [target]
        while open_:
            for operand in self.operands.get(open_.pop(), []):
                if operand not in gone and operand not in used and self.users[operand] <= gone:
                    gone.add(operand)
                    open_.append(operand)
        return gone - used

    def weight(self, nodes):
        """How many instructions that cost something, and the logarithm of the bytes that they move."""
        costly = [node for node in nodes if self.opcodes[node] not in FREE]
        return len(costly), np.log1p(np.expm1(self.work[costly, 2].astype(float)).sum()) / 10

    def rows(self, target, ways):
        """Features of each decision of a choice; those of 0, as it is, are zero."""
        out = np.zeros((1 + len(ways), FEATURES))
        for row, way in enumerate(ways, 1):
            fresh, used = self.added(way)
            more, less = self.weight(fresh), self.weight(self.freed(target, used))
            out[row, :NUMBERS] = 1, row == 1, *more, *less, more[0] - less[0], more[1] - less[1]
            one, other = self.opcodes[target], self.opcodes[way]
            for place in (one, len(OPCODES) + other, 2 * len(OPCODES) + (one * 131 + other) % PAIRS):
                out[row, NUMBERS + place] = 1
        return out


def of_observation(seen):
    """The rows of each choice."""
    many, edges, choices = seen["sizes"]
    graph = Seen(seen["nodes"][:, 0], seen["work"], seen["nodes"][:, 2], seen["edges"][:edges])
    return [graph.rows(target, [way for way in ways if 0 <= way < many]) if target < many else np.zeros((1, FEATURES))
            for target, *ways in seen["choices"][:choices].tolist()]


def of_graph(g):
    work = np.log1p(np.stack([g.sizes, g.flops, g.bytes], axis=1))
    graph = Seen(g.opcodes, work, g.computations < 0, g.edges)
    return [graph.rows(int(target), g.ways[g.first_way[d]:g.first_way[d + 1]].tolist()) for d, target in enumerate(g.targets)]


def softmax(scores):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


class Agent:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.policy = np.zeros(FEATURES)
        self.critic = np.zeros(FEATURES + 1)
        self._mean, self._square, self._steps = np.zeros(FEATURES), np.zeros(FEATURES), 0

    def decide(self, rows, greedy):
        """A decision for each choice, and the gradient of their log-probability."""
        decisions, gradient = [], np.zeros(FEATURES)
        for of in rows:
            shares = softmax(of @ self.policy)
            taken = int(shares.argmax()) if greedy else int(self.rng.choice(len(shares), p=shares))
            decisions.append(taken)
            gradient += of[taken] - shares @ of
        return decisions, gradient

    def climb(self, gradient, rate=0.05):
        self._steps += 1
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.01 * (gradient**2 - self._square)
        mean, square = self._mean / (1 - 0.9**self._steps), self._square / (1 - 0.99**self._steps)
        self.policy += rate * mean / (np.sqrt(square) + 1e-8)

    @staticmethod
    def summary(rows):
        """Of a module: what is proposed, summed up."""
        return np.append(sum((of[1:].mean(axis=0) for of in rows if len(of) > 1), np.zeros(FEATURES)), 1)

    def prior(self, env):
        return [softmax(of @ self.policy) for of in of_graph(env.proposals)]

    def value(self, env):
        return float(max(0, self.summary(of_graph(env.proposals)) @ self.critic))


def episode(env, agent, greedy=False):
    """Decides until nothing is proposed or nothing is taken. Returns the reward of each step, gradients, summaries, the last cost."""
    seen, info = env.reset()
    rewards, gradients, summaries, ended = [], [], [], info["choices"] == 0
    while not ended:
        rows = of_observation(seen)
        decisions, gradient = agent.decide(rows, greedy)
        gradients.append(gradient)
        summaries.append(agent.summary(rows))
        action = np.zeros(env.action_space.shape, env.action_space.dtype)
        action[: len(decisions)] = decisions
        seen, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        ended = terminated or truncated or not any(decisions)
    return rewards, gradients, summaries, info["cost"]


def train(agent, envs, epochs, episodes=4):
    known, returns = [], []
    for epoch in range(epochs):
        for i in agent.rng.permutation(len(envs)):
            done = [episode(envs[i], agent) for _ in range(episodes)]
            totals = np.array([sum(rewards) for rewards, *_ in done])
            others = (totals.sum() - totals) / (episodes - 1)
            agent.climb(sum((total - other) * sum(gradients, np.zeros(FEATURES))
                            for total, other, (_, gradients, *_) in zip(totals, others, done, strict=True)) / episodes)
            if epoch == epochs - 1:
                for rewards, _, summaries, _ in done:
                    known += summaries
                    returns += list(np.cumsum(rewards[::-1])[::-1])
    a = np.array(known)
    agent.critic = np.linalg.solve(a.T @ a + np.eye(a.shape[1]), a.T @ np.array(returns))


def make(path, passes):
    return gymnasium.make("isomer/Hlo-v0", module=str(path), passes=passes, evaluator=EVALUATOR, disable_env_checker=True).unwrapped


def judge(agent, path, passes, evaluations):
    """Costs over that of pick-first: the agent's own way, and tree searches with and without it."""
    env = isomer.HloEnv(path, passes)
    cost = episode(make(path, passes), agent, greedy=True)[-1]
    options = dict(evaluator=EVALUATOR, evaluations=evaluations, time_limit=20)
    first = env.search("pick-first", evaluator=EVALUATOR)[1]["cost_pick_first"]
    plain, steered = (env.search("mcts", **options, **how)[1]["cost_after"] for how in ({}, {"prior": agent.prior, "value": agent.value}))
    return {"agent": cost / first, "mcts": plain / first, "mcts with the agent": steered / first}


def split(folder):
    """Paths to train on and to be tried on: by packages, where the manifest names them, else by modules."""
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    names = {line["package"] for line in lines}
    apart = [line["package"] if len(names) > 4 else line.get("part_of", line["hash"]) for line in lines]
    drawn = {name: zlib.crc32(name.encode()) for name in apart}
    if len(drawn) < 2:
        raise SystemExit(f"{folder}: expected more than one package, or parts of more than one module: some are kept apart")
    in_order = sorted(drawn, key=drawn.get)
    trial = {name for name in drawn if drawn[name] % 5 == 0} or {in_order[0]}  # of few names none may fall into that fifth
    if len(trial) == len(drawn):
        trial.remove(in_order[-1])
    kept = [name in trial for name in apart]
    return ([folder / line["file"] for line, test in zip(lines, kept, strict=True) if not test],
            [folder / line["file"] for line, test in zip(lines, kept, strict=True) if test])


def run(folder, passes, seed, epochs, most=150, evaluations=30):
    """Trains an agent; the means of what `judge` says on the modules kept apart."""
    training, trial = split(Path(folder))
    agent = Agent(seed)
    train(agent, [make(path, passes) for path in training[:most]], epochs)
    judged = [judge(agent, path, passes, evaluations) for path in trial[:most]]
    means = {name: float(np.mean([one[name] for one in judged])) for name in judged[0]}
    return agent, {"seed": seed, "trained_on": len(training[:most]), "modules": len(judged), **means,
                   "better": sum(one["agent"] < 1 - 1e-9 for one in judged), "worse": sum(one["agent"] > 1 + 1e-9 for one in judged)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--passes", default="algsimp")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--evaluations", type=int, default=30, help="of the tree searches")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = []
    for seed in range(arguments.seeds):
        found.append(run(arguments.dataset, arguments.passes.split(","), seed, arguments.epochs, evaluations=arguments.evaluations)[1])
        print(json.dumps(found[-1]), flush=True)
    for name in ("agent", "mcts", "mcts with the agent"):
        all_ = [one[name] for one in found]
        print(f"{name}: {np.mean(all_):.4f} of pick-first's cost (seeds {min(all_):.4f} to {max(all_):.4f})", file=sys.stderr)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
