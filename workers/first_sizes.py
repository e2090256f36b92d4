"""Sizes at which two models are run before much else is (trials.Campaign): those at which a condition that sizes decide turns, and,
of small inputs, those that the programs name (size_search.py)."""

import math

import numpy as np

from draws import Drawer
from size_search import all_sizes, named_sizes, turning

TURNING, SHARE = 4.0, 8       # seconds for the first, and which part of what is left they may take
SMALL, MOST_NAMED = 4096, 64  # elements of inputs up to which named sizes come first; how many


def zeros_at(campaign, sizes, most):
    """Inputs of zeros at these sizes; None where there are more elements, or of types that numpy has not."""
    dims, campaign.sampler.dims = campaign.sampler.dims, {**campaign.sampler.dims, **sizes}
    drawer = Drawer(campaign.sampler, campaign.arguments, campaign.candidates, campaign.kinds)
    shapes = {a["name"]: (a["dtype"], drawer.shape(a)) for a in campaign.arguments}
    campaign.sampler.dims = dims
    unknown = any(dtype != "string" and dtype not in campaign.kinds for dtype, _ in shapes.values())
    if unknown or sum(math.prod(shape) for _, shape in shapes.values()) > most:
        return None
    return {name: np.full(shape, "", object) if dtype == "string" else np.zeros(shape, campaign.kinds[dtype])
            for name, (dtype, shape) in shapes.items()}


def first_sizes(campaign, symbols, bases, constants, most):
    """Those of either kind, without `bases`. `most`: elements of all inputs."""
    base = bases[0] if bases else dict.fromkeys(symbols, 3)
    seconds = min(TURNING, campaign.left() / SHARE)
    turns = turning(campaign.watches, all_sizes(symbols, base, constants), lambda sizes: zeros_at(campaign, sizes, most), seconds)
    small = [sizes for sizes in named_sizes(symbols, base, constants) if zeros_at(campaign, sizes, SMALL) is not None]
    return [sizes for sizes in turns if sizes not in bases], [sizes for sizes in small[:MOST_NAMED] if sizes not in turns + bases]
