"""Deciding HLO passes as Gymnasium environments: isomer/Hlo-v0 and isomer/HloPipeline-v0, single and vectorised.

    import gymnasium, isomer.hlo_envs

    env = gymnasium.make("isomer/Hlo-v0", module="module.txt", evaluator="roofline:cpu")
    observation, info = env.reset()
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    envs = gymnasium.make_vec("isomer/Hlo-v0", num_envs=8, vectorization_mode="vector_entry_point",
                              module=["a.txt", "b.txt"], evaluator="xla", workers=4)

A step decides all choices at once (HloEnv, algorithm 1): a number for each, 0 for what stands there, k for the k-th way.
Numbers beyond a choice's ways count as 0; choices beyond `max_choices` stay as they are. The reward is by how much the
module became cheaper, as a share of the start's cost. An episode is terminated when the passes propose nothing more (by its
first step, where they propose nothing on the module), and truncated after `max_steps`. `info["mask"]` has a row for each
choice: which numbers are ways.

    env = gymnasium.make("isomer/HloPipeline-v0", module="module.txt", stages=["algsimp", "cse,tuple-simplifier", "fusion"])

In this one the agent orders the passes too, and stops (HloPipelineEnv).
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector.utils import batch_space, concatenate, create_empty_array
except ImportError as error:
    raise ImportError("isomer.hlo_envs needs the package gymnasium (1.1 or later): pip install gymnasium") from error

from .hlo import ELEMENT_TYPES, OPCODES, HloEnv, HloEvaluator, XlaPool

ID = "isomer/Hlo-v0"
PIPELINE_ID = "isomer/HloPipeline-v0"
NODE_COLUMNS = ("opcode", "element type", "only an alternative's", "target of a choice")
WORK_COLUMNS = ("log of elements", "log of flops", "log of bytes")


class _Costs:
    """Of modules that were made of one start: each is asked for once. The evaluator is there when it is first needed."""

    def __init__(self, start, evaluator, pool, evaluation):
        self._start, self._name, self._pool, self._evaluation = start, evaluator, pool, evaluation
        self._evaluator = None
        self._known = {}

    def prepare(self, modules):
        """Those that are not known yet, together."""
        fresh = {m.hash: m for m in modules if m.hash not in self._known}
        if not fresh:
            return
        if self._evaluator is None:
            self._evaluator = HloEvaluator(self._start, self._name, pool=self._pool, **self._evaluation)
        self._known.update(zip(fresh, self._evaluator.costs(list(fresh.values())).tolist(), strict=True))

    def of(self, module):
        self.prepare([module])
        return self._known[module.hash]

    def close(self):
        """Processes that nobody else uses end."""
        self._evaluator = self._pool = None


class HloDecisionEnv(gymnasium.Env):
    """module          a file, or the text
    passes          whose proposals are decided
    evaluator       "roofline:cpu", ..., or "xla" (timed, so rewards are noisy); other options are those of HloEvaluator
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
        self._costs = _Costs(self._start, evaluator, evaluation.pop("pool", None), evaluation)
        self._max_steps = max_steps
        self._room = max_choices, max_ways, max_nodes, max_edges
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
        self._steps, self._ended = 0, False
        self._first = self._now = self._costs.of(self._env)
        self._graph = self._propose()
        return self._seen(), self._info()

    def step(self, action):
        self._advance(action)
        return self._settled()

    def render(self):
        if self.render_mode != "ansi":
            return None
        return f"{self._env.instructions} instructions, cost {self._now:.6g}, at the start {self._first:.6g}\n"

    def _propose(self):
        return self._env.dry_run()

    def _over(self):
        """Nothing is left to be done."""
        return len(self._graph) == 0

    def _advance(self, action):
        """The step, but for what the module costs now."""
        if self._ended:
            raise gymnasium.error.ResetNeeded("the episode has ended: call reset()")
        if not self.action_space.contains(action):
            raise ValueError(f"action: expected a member of {self.action_space}")
        self._act(action)
        self._graph = self._propose()
        self._steps += 1

    def _act(self, numbers):
        """Decides the choices at hand, a number for each."""
        decisions = np.zeros(len(self._graph), np.int64)
        taken = min(len(decisions), len(numbers))
        decisions[:taken] = numbers[:taken]
        decisions[decisions >= self._graph.options] = 0
        self._refused = self._env.apply(decisions)

    def _settled(self):
        before, self._now = self._now, self._costs.of(self._env)
        terminated = self._over()
        truncated = not terminated and self._steps >= self._max_steps
        self._ended = terminated or truncated
        return (self._seen(), float((before - self._now) / self._first), terminated, truncated,
                {**self._info(), "refused": self._refused})

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


class HloPipelineEnv(HloDecisionEnv):
    """An agent composes a pipeline of `stages`, and stops. A stage is a pass, or several that propose together ("algsimp,cse").

    An episode begins with what the first stage proposes. The first number of an action says what comes after the choices at hand
    are decided by the others: 0 ends the episode; k has stage k propose; len(stages) + k runs stage k as an ordinary pass, which
    takes first proposals until there are none. So a stage may come at any place, any number of times, dry or run. It is truncated
    after `max_steps`. What is seen has `stage` besides, the one whose choices are at hand. The other options are those of
    HloDecisionEnv.
    """

    def __init__(self, module, *, stages, **options):
        self._stages = [stage.split(",") if isinstance(stage, str) else list(stage) for stage in stages]
        if not all(self._stages) or not self._stages:
            raise ValueError(f"stages: expected at least one, of at least one pass each, found {stages!r}")
        super().__init__(module, passes=self._stages[0], **options)
        self.action_space = spaces.MultiDiscrete(np.concatenate([[2 * len(self._stages) + 1], self.action_space.nvec]))
        self.observation_space = spaces.Dict({
            **self.observation_space, "stage": spaces.Box(1, len(self._stages), (1,), np.int32)})

    def reset(self, *, seed=None, options=None):
        self._stage, self._stopped = 1, False
        return super().reset(seed=seed, options=options)

    def _propose(self):
        return self._env.dry_run(self._stages[self._stage - 1])

    def _over(self):
        return self._stopped

    def _act(self, numbers):
        super()._act(numbers[1:])
        self._stopped = numbers[0] == 0
        if self._stopped:
            return
        run, stage = divmod(int(numbers[0]) - 1, len(self._stages))
        self._stage = 1 + stage
        if run:
            self._env.run(self._stages[stage])

    def _seen(self):
        return {**super()._seen(), "stage": np.array([self._stage], np.int32)}


class HloVectorEnv(gymnasium.vector.VectorEnv):
    """Many episodes side by side: episode i is of module i % len(module). What their modules cost is asked for together: by
    "xla" as many are timed at once as there are `workers`, each process on cores of its own, and what one episode has met
    none asks for again. An episode that has ended is begun anew by the next step, whose action is ignored.

    module      a file or a text, or a list of such
    workers     processes of XLA, where no `pool` is given; none is started for "roofline:DEVICE"
    keep        as in HloEvaluator; the other options are those of HloDecisionEnv
    """

    SINGLE = HloDecisionEnv

    metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, module, num_envs=1, *, workers=1, evaluator="roofline:cpu", **options):
        modules = [module] if isinstance(module, str) or not hasattr(module, "__len__") else list(module)
        if not modules:
            raise ValueError("module: expected at least one")
        if evaluator == "xla" and options.get("pool") is None:
            options["pool"] = XlaPool(workers, options.get("threads", 1))
        self._pooled = options.get("pool") is not None
        self.num_envs = num_envs
        self.envs = [self.SINGLE(modules[i % len(modules)], evaluator=evaluator, **options) for i in range(num_envs)]
        for i, env in enumerate(self.envs):  # of one start, one table
            env._costs = self.envs[i % len(modules)]._costs
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, bool)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        which = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, bool)), bool)
        self._prepare((env._costs, env._start) for env in np.array(self.envs, object)[which])
        results = [env.reset() if anew else (env._seen(), env._info()) for env, anew in zip(self.envs, which, strict=True)]
        self._ended[which] = False
        return self._together([seen for seen, _ in results]), self._infos([info for _, info in results])

    def step(self, actions):
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions: expected shape {self.action_space.shape}, found {actions.shape}")
        for env, action, ended in zip(self.envs, actions, self._ended, strict=True):
            if not ended:
                env._advance(action.astype(self.single_action_space.dtype))
        self._prepare((env._costs, env._start if ended else env._env) for env, ended in zip(self.envs, self._ended, strict=True))
        results = []
        for env, ended in zip(self.envs, self._ended, strict=True):
            if ended:
                seen, info = env.reset()
                results.append((seen, 0.0, False, False, info))
            else:
                results.append(env._settled())
        seen, rewards, terminated, truncated, infos = zip(*results, strict=True)
        terminated, truncated = np.array(terminated), np.array(truncated)
        self._ended = terminated | truncated
        return self._together(seen), np.array(rewards, np.float64), terminated, truncated, self._infos(infos)

    def close_extras(self, **_):
        for env in self.envs:
            env._costs.close()

    def _prepare(self, wanted):
        """Of all starts together: the pool's processes wait for none of them."""
        by_costs = {}
        for costs, module in wanted:
            by_costs.setdefault(id(costs), (costs, []))[1].append(module)
        if not self._pooled or len(by_costs) < 2:
            for costs, modules in by_costs.values():
                costs.prepare(modules)
            return
        with ThreadPoolExecutor(len(by_costs)) as threads:
            list(threads.map(lambda one: one[0].prepare(one[1]), by_costs.values()))

    def _together(self, seen):
        out = create_empty_array(self.single_observation_space, n=self.num_envs, fn=np.empty)
        return concatenate(self.single_observation_space, seen, out)

    def _infos(self, infos):
        out = {}
        for i, info in enumerate(infos):
            out = self._add_info(out, info, i)
        return out


class HloPipelineVectorEnv(HloVectorEnv):
    """The same of HloPipelineEnv."""

    SINGLE = HloPipelineEnv


gymnasium.register(id=ID, entry_point="isomer.hlo_envs:HloDecisionEnv", vector_entry_point="isomer.hlo_envs:HloVectorEnv")
gymnasium.register(id=PIPELINE_ID, entry_point="isomer.hlo_envs:HloPipelineEnv", vector_entry_point="isomer.hlo_envs:HloPipelineVectorEnv")
