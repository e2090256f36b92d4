"""What the modules of hlo_values.py and hlo_as_onnx.py are run on."""

import numpy


def made_up(kind, shape, which):
    """Small numbers of both signs, in f16 exactly too; input `which` has others than the one before."""
    step = numpy.arange(int(numpy.prod(shape, dtype=numpy.int64)), dtype=numpy.int64) * 7 + which * 13
    kind = numpy.dtype(kind)
    values = step % 2 if kind.kind == "b" else step % 5 if kind.kind in "iu" else (step % 17) / 8 - 0.75
    return values.astype(kind).reshape(shape)
