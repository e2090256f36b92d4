"""Element types: our name, ONNX Runtime's name of tensors, numpy's type. The names and widths are those of the table
in src/ir/dtype.cpp (tests/runtime/test_element_types.py holds them together); numpy has no type for some."""

import numpy as np

ROWS = (
    ("f32", "float", np.float32), ("f64", "double", np.float64), ("f16", "float16", np.float16),
    ("bf16", "bfloat16", None), ("bool", "bool", np.bool_), ("string", "string", None),
    ("i8", "int8", np.int8), ("i16", "int16", np.int16), ("i32", "int32", np.int32), ("i64", "int64", np.int64),
    ("u8", "uint8", np.uint8), ("u16", "uint16", np.uint16), ("u32", "uint32", np.uint32), ("u64", "uint64", np.uint64),
    ("c64", "complex64", np.complex64), ("c128", "complex128", np.complex128),
    ("f8e4m3fn", "float8e4m3fn", None), ("f8e4m3fnuz", "float8e4m3fnuz", None),
    ("f8e5m2", "float8e5m2", None), ("f8e5m2fnuz", "float8e5m2fnuz", None), ("i4", "int4", None), ("u4", "uint4", None),
)
NUMPY_OF = {ours: kind for ours, _, kind in ROWS if kind is not None}
NAME_OF = {np.dtype(kind): ours for ours, kind in NUMPY_OF.items()}
OF_RUNTIME = {theirs: ours for ours, theirs, _ in ROWS}
