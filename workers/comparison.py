"""How far two results of one model are apart: the numbers that a verdict is made of, not the verdict."""

import sys

import numpy as np

from element_types import NAME_OF

LARGEST = sys.float_info.max  # frames hold no infinities


def describe(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return type(value).__name__


def bits(array):
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


class OutputComparison:
    """Gathers the differences of one output over many samples; `report` is what the client gets."""

    def __init__(self, name):
        self.name = name
        self.same_type = True
        self.same_shape = True
        self.nan_agree = True
        self.inf_agree = True
        self.bit_equal = True
        self.exact_equal = True  # what is no float: values; floats: types and shapes only
        self.is_float = False
        self.dtype = ""
        self.max_abs_error = 0.0
        self.max_abs_value = 0.0
        self.max_relative_error = 0.0
        self.note = ""

    def add(self, a, b):
        """One sample: arrays, or the lists and dicts that sequence and map outputs come as."""
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            if len(a) != len(b):
                return self._differ("same_shape", f"{len(a)} and {len(b)} elements")
            for x, y in zip(a, b):
                self.add(x, y)
            return None
        if isinstance(a, dict) and isinstance(b, dict):
            if list(a) != list(b):
                return self._differ("same_shape", "keys differ")
            for key in a:
                self.add(np.asarray(a[key]), np.asarray(b[key]))
            return None
        if a is None or b is None:
            return None if a is b else self._differ("same_type", f"{describe(a)} and {describe(b)}")
        a, b = np.asarray(a), np.asarray(b)
        self.dtype = NAME_OF.get(a.dtype, a.dtype.name)
        if a.dtype != b.dtype:
            return self._differ("same_type", f"{describe(a)} and {describe(b)}")
        if a.shape != b.shape:
            return self._differ("same_shape", f"{describe(a)} and {describe(b)}")
        if a.dtype.kind not in "fc":
            if not np.array_equal(a, b):
                self.bit_equal = self.exact_equal = False
                if a.dtype.kind in "iub":
                    gap = np.abs(a.astype(np.float64) - b.astype(np.float64))
                    self.max_abs_error = max(self.max_abs_error, float(gap.max()))
            return None
        self._add_floats(a, b)
        return None

    def add_choice(self, a, b, data, axis, keepdims):
        """Indices along `axis` of `data`: a and b agree as far as the numbers there do."""
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape or np.array_equal(a, b):
            return self.add(a, b)
        self.dtype = NAME_OF.get(a.dtype, a.dtype.name)
        self.bit_equal = False
        if not keepdims:
            a, b = np.expand_dims(a, axis), np.expand_dims(b, axis)
        size = data.shape[axis]
        if a.min() < -size or a.max() >= size or b.min() < -size or b.max() >= size:
            return self._differ("exact_equal", "indices out of range")
        left, right = np.take_along_axis(data, a, axis), np.take_along_axis(data, b, axis)
        if data.dtype.kind == "f":
            self.note = self.note or "other indices, compared by the numbers there"
            return self._add_floats(left, right)
        if not np.array_equal(left, right):
            self.exact_equal = False
        return None

    def _differ(self, flag, note):
        setattr(self, flag, False)
        self.bit_equal = self.exact_equal = False
        self.note = self.note or note

    def _add_floats(self, a, b):
        self.is_float = True
        if not np.array_equal(bits(a), bits(b)):
            self.bit_equal = False
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        x, y = a.astype(wide).ravel(), b.astype(wide).ravel()
        if not np.array_equal(np.isnan(x), np.isnan(y)):
            self.nan_agree = False
            self.note = self.note or "NaN at different places"
        infinite = np.isinf(x) | np.isinf(y)
        if not np.array_equal(x[infinite], y[infinite]):
            self.inf_agree = False
            self.note = self.note or "infinities at different places"
        usable = np.isfinite(x) & np.isfinite(y)
        if usable.any():
            with np.errstate(over="ignore"):
                gap = min(float(np.abs(x[usable] - y[usable]).max()), LARGEST)
            largest = float(np.abs(x[usable]).max())
            self.max_abs_error = max(self.max_abs_error, gap)
            self.max_abs_value = max(self.max_abs_value, largest)
            if gap > 0:
                # All outputs 0 on one side: there is no scale, so any difference counts in full.
                relative = min(gap / largest, LARGEST) if largest > 0 else 1.0
                self.max_relative_error = max(self.max_relative_error, relative)

    def report(self):
        return dict(vars(self))
