"""One process serves many requests. What one of them held for those like it, and what the C library keeps of freed memory, goes back to
the machine before a request of another kind, so that the most that the process holds is what its largest request needs."""

import ctypes
import gc

droppers = []  # functions without arguments, each of which drops what a module keeps


def make_room():
    gc.collect()  # first: what only cycles hold is not given back while it is there
    for drop in droppers:
        drop()
    trim()


def trim():
    """What was freed goes back to the machine."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        pass  # another C library than GNU's
