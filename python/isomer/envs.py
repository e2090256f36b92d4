"""isomer/EGraph-v0: growing an e-graph as a Gymnasium environment.

    import gymnasium, isomer.envs

    env = gymnasium.make("isomer/EGraph-v0", model="model.onnx")
    observation, info = env.reset()
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

    envs = gymnasium.make_vec("isomer/EGraph-v0", num_envs=64, vectorization_mode="vector_entry_point", model=...)

An action applies one rule wherever it matches (with `regions`: in one part of the program). The reward is by how much the cheapest program that the episode has met
became cheaper, as a share of the start's cost. An episode is terminated when the e-graph has reached its limit of nodes
or no rule changes anything any more, and truncated after `max_steps`. Nothing is random.

`info["action_mask"]` says which rules are represented and not known to change nothing; any other action changes nothing
and counts as a step.
"""

import os

import numpy as np

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError("isomer.envs needs the package gymnasium (1.1 or later): pip install gymnasium") from error

from . import _isomer

ID = "isomer/EGraph-v0"
# Columns of observation["rules"], ["egraph"], ["cost"], ["graph"]["nodes"].
RULE_COLUMNS = ("may be applied", "steps it changed something in", "steps in vain", "nodes added", "cost saved")
EGRAPH_COLUMNS = ("nodes as the limit counts", "e-nodes", "e-classes", "filtered e-nodes", "e-nodes of the last step",
                  "rules that may be applied", "steps")
COST_COLUMNS = ("cost", "least cost", "saved by the last step")
NODE_COLUMNS = ("operator", "class", "picked")


def _episodes(count, model, *, dims=None, cost="roofline:a100", rules="tensat", extraction="corrected",
              node_limit=2000, max_steps=200, regions=1, graph=False, cache_megabytes=256, threads=None):
    nodes = 2 * node_limit if graph else 0
    if threads is None:
        threads = min(count, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    return _isomer.Episodes(os.fspath(model), count, dict(dims or {}), cost, rules, extraction, node_limit, max_steps,
                            cache_megabytes << 20, nodes, 4 * nodes, threads, regions)


def _observation_space(arrays):
    def box(name, low, high):
        shape, dtype = arrays[name].shape[1:], arrays[name].dtype
        return spaces.Box(*(np.broadcast_to(np.asarray(bound, dtype), shape).copy() for bound in (low, high)),
                          dtype=dtype)

    most = np.finfo(np.float32).max
    inside = {"rules": box("rules", [0, 0, 0, 0, -most], [1, 1, 1, most, most]), "egraph": box("egraph", 0, most),
              "cost": box("cost", [0, 0, -most], most)}
    if "nodes" in arrays:
        largest = np.iinfo(np.int32).max
        inside["graph"] = spaces.Dict({
            "nodes": box("nodes", -1, largest), "prices": box("prices", -1, most),
            "edges": box("edges", -1, largest), "sizes": box("sizes", 0, largest)})
    return spaces.Dict(inside)


def _observe(arrays, of):
    seen = {name: of(arrays[name]) for name in ("rules", "egraph", "cost")}
    if "nodes" in arrays:
        seen["graph"] = {name: of(arrays[name]) for name in ("nodes", "prices", "edges", "sizes")}
    return seen


class EGraphEnv(gymnasium.Env):
    """One episode at a time.

    model            a file (.onnx, .dag, .model, .graph), or the name of one of TENSAT's start graphs ("squeezenet",
                     where the source tree has them)
    dims             symbolic dimension -> size
    cost             an analytic cost model: roofline:a100, roofline:cpu, ast-size, ...
    rules            "tensat" (TASO's rules; action = the number in Hartmann, He and Yoneki, 2024) or "isomer"
    extraction       how the cost is found: corrected, published, tree (greedy), exact
    node_limit       an e-graph as large has ended; the step that goes beyond it counts
    max_steps        of an episode
    regions          an action is a rule in one of so many consecutive parts of the program: part * rules + rule
    graph            observe the e-graph too: observation["graph"] holds `nodes` (operator, class, whether the extraction
                     picks it), `prices` (as a share of the start's cost; -1: none), `edges` (node, class of a child) and
                     `sizes` (of both; what goes beyond 2 * node_limit nodes, or four times as many edges, is cut off)
    cache_megabytes  for states that earlier episodes met
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, model, *, render_mode=None, **options):
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r}: expected None or 'ansi'")
        self.render_mode = render_mode
        self._episodes = _episodes(1, model, **options)
        self._arrays = self._episodes.arrays()
        self.observation_space = _observation_space(self._arrays)
        self.action_space = spaces.Discrete(self._arrays["mask"].shape[1])
        self.rule_names = self._episodes.rule_names
        self.operator_names = self._episodes.operator_names

    def reset(self, *, seed=None, options=None):
        """A new episode: the program alone. Observation and information, as Gymnasium has them."""
        super().reset(seed=seed)
        self._episodes.reset(0)
        return self._seen(), self._info()

    def step(self, action):
        """Applies a rule by its number: observation, reward, terminated, truncated, information. ValueError for a wrong
        number, ResetNeeded after the end."""
        if self._arrays["terminated"][0] or self._arrays["truncated"][0]:
            raise gymnasium.error.ResetNeeded("the episode has ended: call reset()")
        if not self.action_space.contains(action):
            raise ValueError(f"action {action!r}: expected a number below {self.action_space.n}")
        self._episodes.step(np.array([action], np.int64))
        a = self._arrays
        return self._seen(), float(a["reward"][0]), bool(a["terminated"][0]), bool(a["truncated"][0]), self._info()

    def action_masks(self):
        """The mask as MaskablePPO of sb3-contrib asks for it."""
        return self._arrays["mask"][0].astype(bool)

    def extract(self, seconds=10.0):
        """Cost, bound and whether it is proved, of the cheapest program in the e-graph: the exact extraction."""
        return self._episodes.extract(0, seconds)

    def render(self):
        """What was done so far in a line, with render_mode "ansi"; else nothing."""
        if self.render_mode != "ansi":
            return None
        e = self._episodes
        steps = ", ".join(self.rule_names[a] for a in e.taken(0)) or "none yet"
        return (f"{e.nodes(0)} nodes, cost {e.cost(0):.6g}, least {e.best(0):.6g}, at the start {e.start_cost:.6g}\n"
                f"rules: {steps}\n")

    def _seen(self):
        return _observe(self._arrays, lambda a: a[0].copy())

    def _info(self):
        e = self._episodes
        return {"action_mask": self._arrays["mask"][0].copy(), "cost": e.cost(0), "best_cost": e.best(0)}


class EGraphVectorEnv(gymnasium.vector.VectorEnv):
    """Many episodes side by side, stepped in one call; the arguments are those of EGraphEnv. They are dealt out to
    `threads` threads (default: one for each core that this process may use), of which each shares among its episodes what
    has been worked out, and nothing with the others: what an episode shows does not depend on their number. (A process
    that is to be forked needs `threads=1`.) An episode that has ended is begun anew by the next step, whose action is
    ignored."""

    metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, model, num_envs=1, *, copy=True, **options):
        self.num_envs = num_envs
        self.copy = copy  #: else observations are the same arrays at each step, overwritten
        self._episodes = _episodes(num_envs, model, **options)
        self._arrays = self._episodes.arrays()
        self.single_observation_space = _observation_space(self._arrays)
        self.single_action_space = spaces.Discrete(self._arrays["mask"].shape[1])
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.rule_names = self._episodes.rule_names
        self.operator_names = self._episodes.operator_names
        self._all = np.ones(num_envs, bool)

    def reset(self, *, seed=None, options=None):
        """New episodes: of all, or of those that options["reset_mask"] has True for."""
        super().reset(seed=seed)
        which = (options or {}).get("reset_mask", self._all)
        for e in np.flatnonzero(which):
            self._episodes.reset(int(e))
        return self._seen(), self._info()

    def step(self, actions):
        """A rule's number for each environment: arrays with one entry each. ValueError for wrong numbers."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.min() < 0 or actions.max() >= self.single_action_space.n:
            raise ValueError(f"actions: expected {self.num_envs} numbers below {self.single_action_space.n}")
        self._episodes.step(np.ascontiguousarray(actions, np.int64))
        a = self._arrays
        return (self._seen(), a["reward"].copy(), a["terminated"].astype(bool), a["truncated"].astype(bool),
                self._info())

    def action_masks(self):
        """Whether each action changes anything: bool, [environment, action]."""
        return self._arrays["mask"].astype(bool)

    def statistics(self):
        """Steps, how many of them were looked up, and what is kept for that."""
        return self._episodes.statistics()

    def _seen(self):
        return _observe(self._arrays, (lambda a: a.copy()) if self.copy else (lambda a: a))

    def _info(self):
        cost = self._arrays["cost"] * self._episodes.start_cost
        return {"action_mask": self._arrays["mask"].copy(), "_action_mask": self._all,
                "cost": cost[:, 0], "_cost": self._all, "best_cost": cost[:, 1], "_best_cost": self._all}


gymnasium.register(ID, entry_point="isomer.envs:EGraphEnv", vector_entry_point="isomer.envs:EGraphVectorEnv",
                   nondeterministic=False)
