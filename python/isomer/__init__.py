"""Isomer: a superoptimizer for tensor programs.

    import isomer
    result = isomer.optimize("model.onnx", "faster.onnx", time_limit=30)
    print(result.speedup, result.verified)

    result = isomer.optimize(onnx_model)      # an onnx.ModelProto in, result.model out
    model = isomer.compile("faster.onnx")     # machine code of its own: y, = model(x)

    egraph = isomer.EGraph(isomer.Graph.load("model.onnx"))   # the engine itself: docs/researchers.md
    egraph.run(isomer.RuleSet.shipped("default"))
    egraph.extract("roofline:cpu").graph.save("cheaper.onnx")
"""

import os as _os
import sys as _sys

from typing import TYPE_CHECKING as _TYPE_CHECKING

# Workers run in this very Python, which has their runtimes.
if _sys.executable:
    _os.environ.setdefault("ISOMER_PYTHON", _sys.executable)

from ._isomer import (  # noqa: E402
    Choice, Comparison, EClass, EGraph, ENode, Equivalence, Extraction, ExtractionProblem, Graph, Growth, Match, Matches, Node,
    Operator, Result, Rule, RuleSet, RuleVerdict, Type, __version__, operator_names)
from .errors import (  # noqa: E402
    Error, InputError, Interrupted, MissingRuntimeError, UsageError, VerificationError)
from .native import CompiledModel, compile  # noqa: E402
from .optimize import compare, optimize, option_help  # noqa: E402

__all__ = ["Choice", "Comparison", "CompiledModel", "EClass", "EGraph", "ENode", "Equivalence", "Error", "Extraction",
           "ExtractionProblem", "Graph", "Growth", "HloEnv", "InputError", "Interrupted", "Match", "Matches", "MissingRuntimeError",
           "Node", "Operator", "Result", "Rule", "RuleSet", "RuleVerdict", "Type", "UsageError", "VerificationError", "__version__",
           "compare", "compile", "get_include", "operator_names", "optimize", "option_help"]


def get_include() -> str:
    """The folder of the headers: isomer/model.h for programs that load a compiled model."""
    return _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "include")


if _TYPE_CHECKING:
    from .hlo import HloEnv


def __getattr__(name: str) -> object:
    # Needs numpy, which the rest does not.
    if name == "HloEnv":
        from .hlo import HloEnv

        return HloEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
