"""Element types: our name, ONNX Runtime's name of tensors, numpy's type; numpy has no type for some. Written by tools/stubs
from the table in src/ir/dtype.cpp: change that, and run it again."""

import numpy as np

ROWS = (
    ("bool", "bool", np.bool_),
    ("i2", "int2", None),
    ("i4", "int4", None),
    ("i8", "int8", np.int8),
    ("i16", "int16", np.int16),
    ("i32", "int32", np.int32),
    ("i64", "int64", np.int64),
    ("u2", "uint2", None),
    ("u4", "uint4", None),
    ("u8", "uint8", np.uint8),
    ("u16", "uint16", np.uint16),
    ("u32", "uint32", np.uint32),
    ("u64", "uint64", np.uint64),
    ("f4e2m1", "float4e2m1", None),
    ("f8e4m3fn", "float8e4m3fn", None),
    ("f8e4m3fnuz", "float8e4m3fnuz", None),
    ("f8e5m2", "float8e5m2", None),
    ("f8e5m2fnuz", "float8e5m2fnuz", None),
    ("f8e8m0", "float8e8m0", None),
    ("f16", "float16", np.float16),
    ("bf16", "bfloat16", None),
    ("f32", "float", np.float32),
    ("f64", "double", np.float64),
    ("c64", "complex64", np.complex64),
    ("c128", "complex128", np.complex128),
    ("string", "string", None),
)
NUMPY_OF = {ours: kind for ours, _, kind in ROWS if kind is not None}
NAME_OF = {np.dtype(kind): ours for ours, kind in NUMPY_OF.items()}
OF_RUNTIME = {theirs: ours for ours, theirs, _ in ROWS}
