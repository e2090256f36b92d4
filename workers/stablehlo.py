"""StableHLO (what jax exports) to HLO and back, by the conversions that jaxlib has.

Read are MLIR text (`lowered.as_text()`, `exported.mlir_module()`), MLIR bytecode and portable artifacts
(`exported.mlir_module_serialized`), and what `exported.serialize()` wrote. Written are MLIR text and portable artifacts.
"""

import re

from protocol import Refused

BYTECODE = b"ML\xefR"
GIVEN_AWAY = ("tf.aliasing_output", "jax.buffer_donor")  # attributes of arguments whose memory results may take


def reason(error):
    """What is wrong, from where it is (`3:5: ...`) on; the file's name is not known here."""
    lines = str(error).strip().splitlines()
    return re.sub(r"^(?:[A-Z_]+: )?(?:-:|<unknown>:0:)?((?:\d+:)*) ?(?:error:)?", r"\1", lines[0])[:500] if lines else type(error).__name__


def module_of(contents):
    """MLIR text or bytecode."""
    if contents.startswith(BYTECODE):
        return contents
    from jax import export

    try:
        if b"\0" not in contents:
            return contents.decode()
        return export.deserialize(bytearray(contents)).mlir_module_serialized
    except Exception as error:
        raise Refused("neither MLIR nor what jax.export serialized") from error


def to_hlo(inner, contents):
    """(HLO text, the same as MLIR text of which no argument is given away)"""
    module = module_of(contents)
    try:
        computation = inner.mlir.mlir_module_to_xla_computation(module, use_tuple_args=False, return_tuple=False)
        return computation.as_hlo_text(print_large_constants=True), text_of(inner, module, keep_arguments=True)
    except Exception as error:  # noqa: BLE001: whatever MLIR or XLA refuses is its answer
        raise Refused(reason(error)) from error


def text_of(inner, module, keep_arguments=False):
    """As MLIR text with all constants, be it text, bytecode or a portable artifact."""
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir

    with mlir.make_ir_context() as context:
        if isinstance(module, bytes) and b"StableHLO" in module[:32]:
            parsed = inner.mlir.deserialize_portable_artifact(module, context)
        else:
            parsed = ir.Module.parse(module)
        if keep_arguments:
            for function in parsed.body.operations:
                take_back(ir, function)
        return str(parsed)


def take_back(ir, function):
    """Without the attributes that give arguments away: such an argument could be used once only."""
    if "arg_attrs" not in function.attributes:
        return
    kept = [{a.name: a.attr for a in ir.DictAttr(one) if a.name not in GIVEN_AWAY} for one in function.attributes["arg_attrs"]]
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(one) for one in kept])


def from_hlo(inner, hlo, text, artifact):
    """MLIR text, or the bytes of a portable artifact, which jax of the last weeks reads too (as jax.export does it)."""
    from jax._src.lib.mlir.dialects import hlo as dialect

    try:
        module = inner.mlir.hlo_to_stablehlo(hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
        if not artifact:
            return text_of(inner, module)
        target = dialect.get_version_from_compatibility_requirement(dialect.StablehloCompatibilityRequirement.WEEK_4)
        return inner.mlir.serialize_portable_artifact(module, target)
    except Exception as error:  # noqa: BLE001: fusions, for one, StableHLO cannot say
        raise Refused(reason(error)) from error
