"""HLO modules of XLA as an environment (HloEnv): passes propose, you decide.

    env = isomer.HloEnv("module.txt", passes=["algsimp"])
    graph = env.dry_run()                          # what the passes propose, as arrays; nothing is changed
    env.apply([1] * len(graph))                    # take the first way of each choice
    env.evaluate("roofline:cpu"), env.hash         # or evaluate("xla"): a call, timed by real XLA

    better, about = env.search("mcts", evaluator="xla", time_limit=60)

    faster, report = isomer.hlo.optimize("f.mlir")  # the main job: what XLA runs faster beyond doubt, or the same module
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _isomer
from .errors import UsageError
from .optimize import interruptible


@dataclass(frozen=True)
class AlternativeGraph:
    """A module and what passes propose in it. Nodes are instructions: those of the module, then those that only
    alternatives have. Choice d stands at node `targets[d]`; its ways are ways[first_way[d]:first_way[d + 1]], the nodes
    whose value would be taken, each by a rule. A decision is 0 (as it is) or 1 + the number of a way."""

    opcodes: np.ndarray        # int32, by node: index in isomer.hlo.OPCODES
    computations: np.ndarray   # int32: the computation that it stands in; -1: an alternative's
    element_types: np.ndarray  # int32: index in isomer.hlo.ELEMENT_TYPES
    sizes: np.ndarray          # int64: elements of the result
    flops: np.ndarray          # float64
    bytes: np.ndarray          # float64: read and written
    edges: np.ndarray          # int64, (n, 2): operand, user
    targets: np.ndarray        # int64, by choice
    first_way: np.ndarray      # int64, by choice, and one more
    ways: np.ndarray           # int64, by way
    rules: list[str]           # by way

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def options(self) -> np.ndarray:
        """How many decisions each choice has, 0 among them."""
        return np.diff(self.first_way) + 1


#: a path, or the module itself: HLO text, or StableHLO as MLIR text or in bytes
Source = str | bytes | os.PathLike[str]


def _contents(source: Source) -> bytes | None:
    """Of what is no path."""
    if isinstance(source, str) and "\n" in source:
        return source.encode()
    return source if isinstance(source, bytes) else None


class HloEnv:
    """A module of XLA: HLO, or StableHLO as jax exports it (which needs jax)."""

    def __init__(self, source: Source | _isomer.HloEnv, passes: Iterable[str] = ("algsimp",)) -> None:
        if isinstance(source, _isomer.HloEnv):
            self._env = source
        elif (contents := _contents(source)) is not None:
            self._env = _isomer.HloEnv._parse(contents, "module")
        else:
            self._env = _isomer.HloEnv._load(os.fspath(source))
        self.passes = list(passes)

    def clone(self) -> HloEnv:
        """A copy that is changed apart from this one."""
        return HloEnv(self._env.clone(), self.passes)

    @property
    def text(self) -> str:
        """The module as HLO text."""
        return self._env.text()

    @property
    def hash(self) -> int:
        """Of the graph, 64 bits: names and the order of instructions do not matter."""
        return self._env.hash

    @property
    def instructions(self) -> int:
        """How many there are in all computations."""
        return self._env.instructions

    @property
    def stablehlo(self) -> str:
        """As MLIR text (needs jax)."""
        return self._env._stablehlo(False).decode()

    @property
    def portable_artifact(self) -> bytes:
        """As StableHLO that other versions of jax read too (needs jax)."""
        return self._env._stablehlo(True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """As HLO text; where the path ends with .mlir or .mlirbc as StableHLO, text or portable artifact."""
        self._env._save(os.fspath(path))

    def cost_analysis(self) -> dict[str, Any]:
        """flops, transcendentals, bytes: what a run does, as XLA's own analysis counts it."""
        return self._env._counts()

    def dry_run(self, passes: Iterable[str] | None = None) -> AlternativeGraph:
        """What the passes (default: this environment's) propose together."""
        self._env._dry_run(list(self.passes if passes is None else passes))
        return self.proposals

    @property
    def proposals(self) -> AlternativeGraph:
        """What the last dry run found."""
        return AlternativeGraph(**self._env._arrays())

    def apply(self, decisions: Iterable[int]) -> list[tuple[int, str]]:
        """A decision for each choice of the last dry run. What would have closed a cycle is refused: (choice, reason)."""
        return self._env._apply([int(d) for d in decisions])

    def run(self, passes: Iterable[str] | None = None, *, pipeline: str | os.PathLike[str] | None = None) -> int:
        """The passes as ordinary ones: the first proposal is taken, until there is none. How many were. `pipeline`, in their place:
        a file of stages, or the name of one of ours (`isomer hlo passes --help`)."""
        if pipeline is not None:
            return self._env._run_pipeline(os.fspath(pipeline))
        return self._env._run(list(self.passes if passes is None else passes))

    def evaluate(self, evaluator: str = "xla", *, threads: int = 1, rounds: int = 10, seed: int = 0,
                 disabled: Iterable[str] = ()) -> float:
        """Seconds of a call: "xla" (real, the passes `disabled` left out), or "roofline:DEVICE" (computed)."""
        timing = HloEvaluator(self, evaluator, threads=threads, rounds=rounds, seed=seed, disabled=disabled)
        return float(timing.costs([self])[0])

    def search(self, search: str = "mcts", *, evaluator: str = "xla", time_limit: float = 60.0, simulations: int = 400,
               steps: int = 1000, evaluations: int | None = None, seed: int = 0, threads: int = 1,
               disabled: Iterable[str] = (), prior: Callable[[HloEnv], Sequence[Sequence[float]]] | None = None,
               value: Callable[[HloEnv], float] | None = None,
               pipeline: str | os.PathLike[str] | None = None) -> tuple[HloEnv, dict[str, Any]]:
        """The cheapest module that a search over decisions met, and a dict about it; `evaluations` ends it after so many
        different modules. With a `pipeline` (see `run`) its dry stage is decided, and the others run before and after it. An agent steers "mcts" by functions of a module (an HloEnv that has been dry run; `proposals` are there):

        prior   for each choice the probabilities of its decisions, 0 (as it is) among them; default: uniform
        value   by how much the module can still become cheaper, as a share of the start's cost; default: five random
                rollouts, each of which costs evaluations
        """
        if search != "mcts" and (prior is not None or value is not None):
            raise UsageError(f"search {search!r}: expected 'mcts', which alone asks for a prior and a value")
        found, about = self._env._search(self.passes, search, evaluator, time_limit, simulations, steps,
                                         2**64 - 1 if evaluations is None else evaluations, seed, threads, list(disabled),
                                         self._asked(prior, lambda of: [[float(p) for p in row] for row in of]),
                                         self._asked(value, float), "" if pipeline is None else os.fspath(pipeline))
        return HloEnv(found, self.passes), about

    def _asked(self, function: Callable[[HloEnv], Any] | None, plain: Callable[[Any], Any]) -> Callable[[_isomer.HloEnv], Any] | None:
        return None if function is None else lambda env: plain(function(HloEnv(env, self.passes)))

    def __repr__(self) -> str:
        return f"<isomer.HloEnv: {self.instructions} instructions, hash {self.hash:016x}>"


@dataclass(frozen=True)
class HloReport:
    """What came of `optimize`. Times are of calls in microseconds, by real XLA."""

    changed: bool
    why: str                              # it was changed, or was not
    made_by: str                          # the rules behind the result
    speedup: tuple[float, float, float]   # of the best candidate over the original: median, and its 95 % interval
    evaluations: int                      # paired, behind that interval
    runtime_before_us: float
    runtime_after_us: float
    difference: float                     # of outputs, as a part of the largest element
    verification: str | None              # the result, held to the original by its meaning; None where it is that
    xla: str                              # its version
    candidates: list[dict[str, Any]]
    seconds: float


def _why(about: dict[str, Any]) -> str:
    if about["changed"]:
        median, low, high = about["speedup"]
        return (f"{median:.3f} times as fast as XLA's program of the original ({low:.3f} to {high:.3f}, "
                f"{about['evaluations']} evaluations), by: {about['made_by']}")
    candidates = about["candidates"][1:]
    if not candidates:
        return "no rewrite applies"
    timed = [c["dropped"] for c in candidates if c["runtime_us"]]
    if not timed:
        return candidates[0]["dropped"]
    return next(filter(None, timed), "no candidate was faster")  # that of the best one, which was timed again


def optimize(source: Source, output: str | os.PathLike[str] | None = None, *, passes: Iterable[str] = (), search: str = "rules",
             threads: int = 1, time_limit: float = 60.0, tolerance: float = 1e-4, seed: int = 0) -> tuple[HloEnv, HloReport]:
    """`isomer hlo optimize`: an equal module that XLA runs faster beyond doubt, or the same one. Needs jax.

    source      a path, HLO or StableHLO
    output      a file to write as HloEnv.save does
    passes      whose proposals are tried; default: those of the command
    search      "rules", or one of SEARCHES
    threads     of XLA
    tolerance   of outputs, as a part of the largest element
    seed        of the inputs
    """
    contents = _contents(source)
    name = "module"
    if contents is None:
        name = os.fspath(source)
        with open(name, "rb") as file:
            contents = file.read()
    found, about = interruptible(lambda: _isomer.hlo_optimize(contents, name, list(passes), search, threads, time_limit, tolerance, seed))
    env = HloEnv(found)
    if output is not None and not about["changed"] and pathlib.Path(name).suffix == pathlib.Path(output).suffix:
        pathlib.Path(output).write_bytes(contents)  # as it came, byte for byte
    elif output is not None:
        env.save(output)
    return env, HloReport(why=_why(about), **about)


class XlaPool:
    """Processes of XLA that time modules at once, each on as many cores of its own as it has threads (`workers` is lowered to
    what there is room for); evaluators of so many threads may share them."""

    def __init__(self, workers=1, threads=1):
        if workers < 1 or threads < 1:
            raise ValueError(f"workers, threads: expected at least 1, found {workers} and {threads}")
        self._pool = _isomer.xla_pool(workers, threads)

    @property
    def workers(self):
        """Processes that evaluate modules."""
        return self._pool.workers

    @property
    def threads(self):
        """Of each process."""
        return self._pool.threads


class HloEvaluator:
    """What modules cost that were made of `module` (an HloEnv), in seconds: "roofline:DEVICE" is computed, "xla" times each
    beside `module`, whose first time counts; one that XLA refuses, or that computes something else, costs 100 times as much.

    pool       an XlaPool; else one process of its own
    keep       between runs too (`isomer cache`): what was timed once on this processor is not timed again
    """

    def __init__(self, module, evaluator="xla", *, pool=None, threads=1, rounds=10, seed=0, disabled=(), tolerance=1e-4,
                 keep=False):
        self._evaluator = _isomer.HloEvaluator(module._env, evaluator, pool._pool if pool else None, threads, rounds, seed,
                                               list(disabled), tolerance, keep)

    @property
    def name(self):
        """As `isomer hlo search --evaluator` has it."""
        return self._evaluator.name

    def costs(self, modules):
        """One for each HloEnv, as an array; they are timed together, as many at once as the pool has processes."""
        return np.array(self._evaluator.costs([module._env for module in modules]))


OPCODES = _isomer.hlo_opcode_names()
ELEMENT_TYPES = _isomer.hlo_element_names()
PASSES = _isomer.hlo_pass_names()
SEARCHES = _isomer.hlo_search_names()
