"""HLO passes in Python: a function that looks at one instruction and says what may stand in its place.

    @isomer.hlo_passes.rewrite("double-negation")
    def double_negation(x):
        if x.opcode == "negate" and x.operands[0].opcode == "negate":
            return x.operands[0].operands[0]

From then on `double-negation` is a pass like ours: isomer.HloEnv(module, passes=["algsimp", "double-negation"]) has its
proposals, searches and agents decide them, pipelines name it. A pass proposes and never changes anything. What it proposes must
compute the same for all inputs; results are held to the module (`verification`), which finds what does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _isomer, hlo
from .errors import UsageError


@dataclass(frozen=True)
class Instruction:
    """One of the module, or one that a pass has written. Arithmetic (`a + b`, `-a`, `a * 2`) and the methods below write further
    ones; equal ones are one."""

    _graph: Any
    number: int

    @property
    def opcode(self) -> str:
        """As HLO text has it: "add", "dot", "get-tuple-element"."""
        return str(self._graph.opcode(self.number))

    @property
    def operands(self) -> list[Instruction]:
        """In their order."""
        return [self._of(i) for i in self._graph.operands(self.number)]

    @property
    def users(self) -> list[Instruction]:
        """Of the module's own instructions, those that use it."""
        return [self._of(i) for i in self._graph.users(self.number)]

    @property
    def is_root(self) -> bool:
        """Whether it is the result of its computation, which uses it."""
        return bool(self._graph.is_root(self.number))

    @property
    def element_type(self) -> str | None:
        """"f32", "s64", "pred"; None of what is no array of known sizes."""
        shape = self._graph.shape(self.number)
        return None if shape is None else str(shape[0])

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The sizes; None of what is no array of known sizes."""
        shape = self._graph.shape(self.number)
        return None if shape is None else tuple(shape[1])

    @property
    def uniform(self) -> float | None:
        """Of one of the module: the number in all of its elements, where it is a constant or a broadcast of one."""
        value = self._graph.uniform(self.number)
        return None if value is None else float(value)

    def attribute(self, name: str) -> tuple[int, ...] | None:
        """The numbers of an attribute ("dimensions", "lhs_contracting_dims"), as src/hlo/attribute.h has them; None where it is not there."""
        value = self._graph.attribute(self.number, name)
        return None if value is None else tuple(value)

    def apply(self, opcode: str, *others: Instruction | float) -> Instruction:
        """An opcode that works element by element, of this and further operands; a number stands for an array of it."""
        operands = [self.number] + [self._like(other) for other in others]
        return self._of(self._graph.elementwise(opcode, operands))

    def compare(self, direction: str, other: Instruction | float) -> Instruction:
        """EQ, NE, GE, GT, LE or LT, as IEEE has it: an array of pred."""
        return self._of(self._graph.compare(direction, self.number, self._like(other)))

    def select(self, then: Instruction, otherwise: Instruction) -> Instruction:
        """Where this (pred) holds `then`, else `otherwise`."""
        return self.apply("select", then, otherwise)

    def convert(self, element_type: str) -> Instruction:
        """In elements of another type."""
        return self._of(self._graph.convert(self.number, element_type))

    def constant(self, value: float) -> Instruction:
        """The number in each element of an array of this one's type and sizes."""
        return self._of(self._like(value))

    def broadcast(self, shape: Sequence[int], dimensions: Sequence[int]) -> Instruction:
        """To `shape`; dimension i of this one is dimensions[i] of the result."""
        return self._of(self._graph.broadcast(self.number, list(shape), list(dimensions)))

    def reshape(self, shape: Sequence[int]) -> Instruction:
        """The same elements in order."""
        return self._of(self._graph.reshape(self.number, list(shape)))

    def transpose(self, permutation: Sequence[int]) -> Instruction:
        """Dimension i of the result is permutation[i] of this one."""
        return self._of(self._graph.transpose(self.number, list(permutation)))

    def slice(self, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int] | None = None) -> Instruction:
        """From starts up to limits."""
        return self._of(self._graph.slice(self.number, list(starts), list(limits), list(strides or [1] * len(starts))))

    def reverse(self, dimensions: Sequence[int]) -> Instruction:
        """From the last to the first along these."""
        return self._of(self._graph.reverse(self.number, list(dimensions)))

    def concatenate(self, others: Iterable[Instruction], dimension: int) -> Instruction:
        """This, then the others, along a dimension."""
        return self._of(self._graph.concatenate([self.number] + [other.number for other in others], dimension))

    def dot(self, other: Instruction, contracting: tuple[Sequence[int], Sequence[int]],
            batch: tuple[Sequence[int], Sequence[int]] = ((), ())) -> Instruction:
        """The sum of products over `contracting` dimensions (of this, of the other), for each of `batch`."""
        return self._of(self._graph.dot(self.number, other.number, list(batch[0]), list(contracting[0]), list(batch[1]), list(contracting[1])))

    def reduce(self, opcode: str, dimensions: Sequence[int], initial: float) -> Instruction:
        """Over these dimensions by "add", "multiply", "maximum", "minimum", "and" or "or"."""
        begin = self._scalar(initial)
        return self._of(self._graph.reduce(opcode, self.number, begin, list(dimensions)))

    def _of(self, number: int) -> Instruction:
        return Instruction(self._graph, number)

    def _like(self, other: Instruction | float) -> int:
        if isinstance(other, Instruction):
            return other.number
        scalar = self._scalar(other)
        return int(self._graph.broadcast(scalar, list(self.shape or ()), [])) if self.shape else scalar

    def _scalar(self, value: float) -> int:
        kind = self.element_type
        if kind is None:
            raise UsageError(f"{self.opcode}: expected an array of known sizes")
        if kind[0] in "su" or kind == "pred":
            if int(value) != value:
                raise UsageError(f"constant of {kind}: it holds no {value}")
            return int(self._graph.whole(kind, int(value)))
        return int(self._graph.constant(kind, float(value)))

    def __add__(self, other: Instruction | float) -> Instruction:
        return self.apply("add", other)

    def __sub__(self, other: Instruction | float) -> Instruction:
        return self.apply("subtract", other)

    def __mul__(self, other: Instruction | float) -> Instruction:
        return self.apply("multiply", other)

    def __truediv__(self, other: Instruction | float) -> Instruction:
        return self.apply("divide", other)

    def __neg__(self) -> Instruction:
        return self.apply("negate")


# The program's table of passes refers to them, also after this module was loaded again.
_KEPT: list[Callable[[Any], None]] = globals().get("_KEPT", [])

#: what may stand in the place of an instruction: nothing, one value, or several, each a way of its own
Proposals = Instruction | Iterable[Instruction] | None


def rewrite(name: str) -> Callable[[Callable[[Instruction], Proposals]], Callable[[Instruction], Proposals]]:
    """Makes a function of an Instruction a pass of this name, for as long as the program runs. It is asked about each instruction that
    may be replaced (without effects, shardings, control-dependencies and sizes that are bounds); to be called before searches run."""

    def add(function: Callable[[Instruction], Proposals]) -> Callable[[Instruction], Proposals]:
        def propose(graph: Any) -> None:
            for target in range(graph.originals()):
                if not graph.may_be_replaced(target):
                    continue
                graph.begin(target)
                found = function(Instruction(graph, target))
                for value in [] if found is None else [found] if isinstance(found, Instruction) else found:
                    graph.propose(value.number, function.__name__.replace("_", "-"))

        _isomer.add_hlo_pass(name, propose)
        _KEPT.append(propose)
        hlo.PASSES[:] = _isomer.hlo_pass_names()
        return function

    return add
