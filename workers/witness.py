"""Inputs that tell two models apart, as a file."""

import numpy as np


def write_witness(path, found, names):
    """Inputs under their names, what the models made of them as a/NAME and b/NAME."""
    arrays = {name: value for name, value in found["feed"].items() if isinstance(value, np.ndarray) and value.dtype != object}
    for side in "ab":
        for name, value in zip(names, found[side] or []):
            if isinstance(value, np.ndarray) and value.dtype != object:
                arrays[f"{side}/{name}"] = value
    np.savez(path, **arrays)
