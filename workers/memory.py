"""One process serves many requests. What one of them held for those like it, and what the C library keeps of freed memory, goes back to
the machine before a request of another kind, so that the most that the process holds is what its largest request needs."""

import ctypes
import gc

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
LARGE_BLOCK, KEPT = 1 << 20, 1 << 24  # bytes

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


def large_blocks_apart():
    """From now on a large block has pages of its own, which go back to the machine as soon as it is freed; GNU's library puts blocks of up to 32 MiB
    into its heap once one as large was freed. While a runtime loads a model it copies the weights several times, and what one copy leaves
    in the heap the next one need not fit. Loading takes longer, since pages come anew. Runs are as fast: they take memory from the runtime's arena."""
    try:
        library = ctypes.CDLL(None)
        library.mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)
        library.mallopt(M_TRIM_THRESHOLD, KEPT)
    except (OSError, AttributeError):
        pass  # another C library than GNU's
