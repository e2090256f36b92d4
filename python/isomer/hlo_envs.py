"""isomer/Hlo-v0: deciding HLO passes as a Gymnasium environment.

    import gymnasium, isomer.hlo_envs

    env = gymnasium.make("isomer/Hlo-v0", module="module.txt", evaluator="roofline:cpu")
    observation, info = env.reset()
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

A step decides all choices at once (HloEnv, algorithm 1): a number for each, 0 for what stands there, k for the k-th way.
Numbers beyond a choice's ways count as 0; choices beyond `max_choices` stay as they are. The reward is by how much the
module became cheaper, as a share of the start's cost. An episode is terminated when the passes propose nothing more, and
truncated after `max_steps`. `info["mask"]` has a row for each choice: which numbers are ways.
"""

import numpy as np

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise ImportError("isomer.hlo_envs needs the package gymnasium (1.1 or later): pip install gymnasium") from error

from .hlo import ELEMENT_TYPES, OPCODES, HloEnv

ID = "isomer/Hlo-v0"
NODE_COLUMNS = ("opcode", "element type", "only an alternative's", "target of a choice")
WORK_COLUMNS = ("log of elements", "log of flops", "log of bytes")


class HloDecisionEnv(gymnasium.Env):
    """module          a file, or the text
    passes          whose proposals are decided
    evaluator       "roofline:cpu", ..., or "xla" (timed, so rewards are noisy)
    max_steps       of an episode
    max_choices, max_ways, max_nodes, max_edges   what an observation and an action have room for; the rest is cut off
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, module, *, passes=("algsimp",), evaluator="roofline:cpu", max_steps=20, max_choices=64, max_ways=4,
                 max_nodes=1024, max_edges=4096, render_mode=None, **evaluation):
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r}: expected None or 'ansi'")
        self.render_mode = render_mode
        self._start = HloEnv(module, passes)
        self._evaluator, self._evaluation = evaluator, evaluation
        self._max_steps = max_steps
        self._room = max_choices, max_ways, max_nodes, max_edges
        self._costs = {}
        self.action_space = spaces.MultiDiscrete(np.full(max_choices, max_ways + 1))
        self.observation_space = spaces.Dict({
            "nodes": spaces.Box(0, max(len(OPCODES), len(ELEMENT_TYPES)), (max_nodes, len(NODE_COLUMNS)), np.int32),
            "work": spaces.Box(0, 100, (max_nodes, len(WORK_COLUMNS)), np.float32),
            "edges": spaces.Box(0, max_nodes, (max_edges, 2), np.int32),
            "choices": spaces.Box(-1, max_nodes, (max_choices, 1 + max_ways), np.int32),
            "sizes": spaces.Box(0, np.iinfo(np.int32).max, (3,), np.int32)})

    @property
    def hlo(self):
        """The module as it is now."""
        return self._env

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._env = self._start.clone()
        self._steps = 0
        self._first = self._now = self._cost()
        self._graph = self._env.dry_run()
        return self._seen(), self._info()

    def step(self, action):
        if len(self._graph) == 0 or self._steps >= self._max_steps:
            raise gymnasium.error.ResetNeeded("the episode has ended: call reset()")
        if not self.action_space.contains(action):
            raise ValueError(f"action: expected a member of {self.action_space}")
        decisions = np.zeros(len(self._graph), np.int64)
        taken = min(len(decisions), len(action))
        decisions[:taken] = action[:taken]
        decisions[decisions >= self._graph.options] = 0
        refused = self._env.apply(decisions)
        self._graph = self._env.dry_run()
        self._steps += 1
        before, self._now = self._now, self._cost()
        terminated = len(self._graph) == 0
        return (self._seen(), float((before - self._now) / self._first), terminated,
                not terminated and self._steps >= self._max_steps, {**self._info(), "refused": refused})

    def render(self):
        if self.render_mode != "ansi":
            return None
        return f"{self._env.instructions} instructions, cost {self._now:.6g}, at the start {self._first:.6g}\n"

    def _cost(self):
        key = self._env.hash
        if key not in self._costs:
            self._costs[key] = self._env.evaluate(self._evaluator, **self._evaluation)
        return self._costs[key]

    def _seen(self):
        g = self._graph
        max_choices, max_ways, max_nodes, max_edges = self._room
        nodes = np.zeros((max_nodes, len(NODE_COLUMNS)), np.int32)
        work = np.zeros((max_nodes, len(WORK_COLUMNS)), np.float32)
        edges = np.zeros((max_edges, 2), np.int32)
        choices = np.full((max_choices, 1 + max_ways), -1, np.int32)
        n = min(max_nodes, len(g.opcodes))
        nodes[:n, 0], nodes[:n, 1], nodes[:n, 2] = g.opcodes[:n], g.element_types[:n], g.computations[:n] < 0
        nodes[g.targets[g.targets < n], 3] = 1
        for column, of in enumerate((g.sizes, g.flops, g.bytes)):
            work[:n, column] = np.log1p(of[:n])
        inside = g.edges[(g.edges < n).all(axis=1)][:max_edges]
        edges[:len(inside)] = inside
        for d in range(min(max_choices, len(g))):
            ways = g.ways[g.first_way[d]:g.first_way[d + 1]][:max_ways]
            choices[d, 0] = min(g.targets[d], max_nodes)
            choices[d, 1:1 + len(ways)] = np.minimum(ways, max_nodes)
        return {"nodes": nodes, "work": work, "edges": edges, "choices": choices,
                "sizes": np.array([n, len(inside), min(max_choices, len(g))], np.int32)}

    def _info(self):
        max_choices, max_ways = self._room[:2]
        mask = np.zeros((max_choices, max_ways + 1), bool)
        mask[:, 0] = True
        for d, options in enumerate(self._graph.options[:max_choices]):
            mask[d, :options] = True
        return {"mask": mask, "cost": self._now, "choices": len(self._graph)}


gymnasium.register(id=ID, entry_point="isomer.hlo_envs:HloDecisionEnv")
