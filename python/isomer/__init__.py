"""Isomer: a superoptimizer for tensor programs.

    import isomer
    result = isomer.optimize("model.onnx", "faster.onnx", time_limit=30)
    print(result.speedup, result.verified)

    result = isomer.optimize(onnx_model)      # an onnx.ModelProto in, result.model out
    model = isomer.compile("faster.onnx")     # machine code of its own: y, = model(x)
"""

import os as _os
import sys as _sys

from .solver import load_solver as _load_solver

_load_solver()

# The installed package carries the worker programs; they run in this very Python, which has their runtimes.
_workers = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "workers")
if _os.path.isdir(_workers):
    _os.environ.setdefault("ISOMER_WORKERS", _workers)
_rules = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "rules")
if _os.path.isdir(_rules):
    _os.environ.setdefault("ISOMER_RULES", _rules)
if _sys.executable:
    _os.environ.setdefault("ISOMER_PYTHON", _sys.executable)

from ._isomer import Comparison, Result, __version__  # noqa: E402
from .errors import (  # noqa: E402
    Error, InputError, Interrupted, MissingRuntimeError, UsageError, VerificationError)
from .native import CompiledModel, compile  # noqa: E402
from .optimize import compare, optimize, option_help  # noqa: E402

__all__ = ["Comparison", "CompiledModel", "Error", "InputError", "Interrupted", "MissingRuntimeError", "Result", "UsageError",
           "VerificationError", "__version__", "compare", "compile", "optimize", "option_help"]
