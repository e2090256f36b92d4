"""What single operators cost: models of few and of more copies, run in turn; the difference belongs to the copies that
the longer one has more. An operator with weights that no cache keeps is alone in the one model that there is: it takes milliseconds, beside
which entry and exit are nothing, and each further model would hold such weights again, as they are and as the runtime packs them.

Weights come without contents; they are given places in one pool of numbers, one after the other, so that copies read
different memory, as the layers of a network do. Activations are shared by all copies. Results go into buffers that
are made once. Costs are the least times seen: what disturbs a run only ever adds to it.
"""

import math
import time

import numpy as np

import memory
from element_types import NUMPY_OF
from processor import last_cache_bytes
from protocol import Refused
from sampling import PERIOD, Sampler, numbers

POOL_BYTES = 1 << 26
LINE_BYTES = 64  # of a cache
ROUNDS = 1 << 10  # through the pool, that begin at lines of their own
LEAST_SAMPLE_NS = 100_000
LONG_RUN_NS, SLOW_RUN_NS, VERY_SLOW_RUN_NS = 2_000_000, 20_000_000, 200_000_000
MOST_REPEATS = 200
# Samples of both models: fewest, fewest of long runs, most. A least that has stood for as long as it took stands.
FEWEST, FEWEST_LONG, MOST = 6, 3, 60
STANDS = 0.995
# Of slow runs fewest, of very slow ones, and most. Copies should cost what they do in the shorter model, within such factors.
FEWEST_SLOW, FEWEST_VERY_SLOW, MOST_SLOW = 2, 1, 6
PLAUSIBLE = (0.5, 2)
# Outputs that no cache keeps lie in one place: what a copy writes is not what the next one finds. A part of what is hardly larger than
# the last cache stays there.
SHARED_BYTES = 2 * last_cache_bytes()


def spaced(size):
    """Bytes that so many take, so that the next begin at a line of the cache."""
    return -(-size // LINE_BYTES) * LINE_BYTES


def sides_of(signature):
    """The models that there are of it."""
    return [side for side in ("short", "long") if side in signature]


class Pool:
    """Contents for weights, no two alike: a runtime may merge constants that are, and then what is computed with them. Small numbers in
    single precision from one block of memory, as large as these signatures need, up to a limit: each time round begins a line later, and
    no two periods of its numbers are of one scale. What is in another type, or larger than the block, has memory of its own, and a number
    of its own at its beginning; indices are all 0, which is a valid one."""

    block = np.empty(0, np.float32)  # of all pools

    def __init__(self, signatures):
        self.next = self.rounds = self.apart = 0
        weights = [w for s in signatures for side in sides_of(s) for w in s[side]["weights"] if w["dtype"] == "f32"]
        needed = sum(spaced(4 * math.prod(w["shape"])) for w in weights)
        needed = (needed if needed <= POOL_BYTES else POOL_BYTES + ROUNDS * LINE_BYTES) // 4
        if self.block.size < needed:
            Pool.block = numbers((needed,))
            for number, begin in enumerate(range(0, needed, PERIOD)):
                Pool.block[begin:begin + PERIOD] *= np.float32(0.02 * (1 + number / 256))

    def take(self, dtype, shape):
        kind = NUMPY_OF.get(dtype)
        if kind is None:
            raise Refused(f"weights of {dtype} cannot be made")
        kind = np.dtype(kind)
        count = int(np.prod(shape, dtype=np.int64))
        size = count * kind.itemsize
        if kind != np.float32 or size > POOL_BYTES:
            return self.one_apart(kind, shape, size)
        if self.next + size > self.block.nbytes:
            self.rounds += 1
            self.next = self.rounds % ROUNDS * LINE_BYTES
        array = self.block[self.next // 4:self.next // 4 + count].reshape(shape)
        self.next += spaced(size)
        return array

    def one_apart(self, kind, shape, size):
        if kind.kind in "iub" or size > POOL_BYTES:  # of zeros no memory is taken before they are read
            array = np.zeros(shape, kind)
        else:
            array = np.full(shape, 0.02, kind)
        if kind.kind == "b" or (kind.kind in "iu" and kind.itemsize > 1):  # conditions, and what may be an index
            return array
        self.apart += 1
        digits = array.reshape(-1)[:4]
        for place in range(digits.size):  # to base 64
            digits[place] = (self.apart >> 6 * place & 63) * (1 if kind.kind in "iu" else 2.0 ** -10)
        return array


def drop_pool():
    Pool.block = Pool.block[:0].copy()


memory.droppers.append(drop_pool)


def activation(name, dtype, shape):
    """Contents of an input; integers are 0, a valid index of whatever it indexes."""
    kind = np.dtype(NUMPY_OF.get(dtype, object))
    if kind.kind in "iu":
        return np.zeros(shape, kind)
    if kind == np.float32:
        return numbers(shape)
    return np.ascontiguousarray(Sampler({}).tensor(name, dtype, shape, 0))


def activation_of(name, dtype, shape, made, wrap):
    """What an input reads. `made` has those of before, both models' and, where each copy has inputs of its own ("x0.1" is the first one
    of copy 1), all copies': they are to read the same memory."""
    key = (name.partition(".")[0], dtype, tuple(shape))
    if key not in made:
        made[key] = wrap(activation(key[0], dtype, shape))
    return made[key]


def result_of(dtype, shape, number, shared, wrap):
    """Where an output goes, by its number; `shared` has the places of before. Both models write to the same places, one after the
    other. `wrap`: an array as the runtime takes it."""
    kind = NUMPY_OF[dtype]
    key = (kind, tuple(shape), number if math.prod(shape) * np.dtype(kind).itemsize < SHARED_BYTES else None)
    if key not in shared:
        shared[key] = wrap(np.zeros(shape, kind))
    return shared[key]


class Copies:
    """A loaded model of copies of one operator with everything in place to run, as a runtime's worker has it: run() runs it once."""

    def run(self):
        raise NotImplementedError

    def sample(self, clock, repeats, warm=True):
        """Nanoseconds of a run; `warm`: after one that brings back what others drove from the caches."""
        if warm:
            self.run()
        start = clock()
        for _ in range(repeats):
            self.run()
        return (clock() - start) / repeats


class OutOfTime(Exception):
    """Before an operator was measured."""


def least_of_slow(short, long, clock, once, signature, look):
    """Nanoseconds of both models, of few runs: more where what the copies would cost is not what they can."""
    least = [once, float("inf")]
    for samples in range(1, MOST_SLOW + 1):
        if samples > 1:
            look()
            least[0] = min(least[0], short.sample(clock, 1, warm=False))
        look()
        least[1] = min(least[1], long.sample(clock, 1, warm=False))
        likely = least[0] * signature["copies"] / signature["fewer"]
        plausible = PLAUSIBLE[0] * likely <= least[1] - least[0] <= PLAUSIBLE[1] * likely
        if plausible and samples >= (FEWEST_VERY_SLOW if once > VERY_SLOW_RUN_NS else FEWEST_SLOW):
            break
    return least


def least_of_one(copies, clock, look):
    """Nanoseconds of a model that runs for milliseconds."""
    look()
    copies.run()
    least = float("inf")
    samples = found = 0  # found: when the least was last undercut
    while samples < min(max(2 * found, FEWEST_LONG), MOST_SLOW):
        look()
        samples += 1
        seen = copies.sample(clock, 1, warm=False)
        if seen < STANDS * least:
            found = samples
        least = min(least, seen)
    return least


def cost_of(signature, open_copies, pool, clock, seconds, over):
    """Milliseconds of one operator. OutOfTime where `over` says so before there are samples enough."""
    def look():
        if over():
            raise OutOfTime

    made, shared = {}, {}
    *shorter, long = (open_copies(signature[side], pool, made, shared) for side in sides_of(signature))
    if not shorter:
        return least_of_one(long, clock, look) / signature["copies"] / 1e6
    short = shorter[0]
    begin = time.perf_counter()
    for copies in (short, long):
        look()
        copies.run()
    once = short.sample(clock, 1, warm=False)
    is_long = once > LONG_RUN_NS  # colder caches are nothing beside it
    if once > SLOW_RUN_NS:
        least = least_of_slow(short, long, clock, once, signature, look)
        return max(0.0, (least[1] - least[0]) / signature["copies"] / 1e6)
    fewest = FEWEST_LONG if is_long else FEWEST
    repeats = max(1, min(MOST_REPEATS, round(LEAST_SAMPLE_NS / max(once, 1000))))
    least = [float("inf")] * 2
    samples = found = 0  # found: when a least was last undercut
    while samples < max(2 * found, fewest):
        samples += 1
        for i, copies in enumerate((short, long)):
            look()
            seen = copies.sample(clock, repeats, warm=not is_long)
            if seen < STANDS * least[i]:
                found = samples
            least[i] = min(least[i], seen)
        if samples >= MOST or (samples >= fewest and time.perf_counter() - begin >= seconds):
            break
    return max(0.0, (least[1] - least[0]) / signature["copies"] / 1e6)


def operator_costs(request, open_copies, empty_arena, cancelled, progress):
    """{"signatures": [{"short": {"model", "weights"}, "long": ..., "fewer": copies in the short one, "copies": that the long
    one has more}, "short" and its copies missing where the long one says it all], "threads": 1, "clock": "cpu_ms", "seconds": 0.03, "deadline_seconds": 5.0};
    open_copies(about, pool, made, shared) loads one of them
    -> {"costs": [milliseconds, or the runtime's refusal as text]}; fewer when cancelled, or at the deadline."""
    begin = time.perf_counter()
    deadline = request.get("deadline_seconds")

    def over():
        return cancelled() or (deadline is not None and time.perf_counter() - begin >= deadline)

    clock = {"cpu_ms": time.process_time_ns, "wall_ms": time.perf_counter_ns}[request["clock"]]
    pool = Pool(request["signatures"])
    costs = []
    for number, signature in enumerate(request["signatures"]):
        if over():
            break
        try:
            costs.append(cost_of(signature, open_copies, pool, clock, float(request.get("seconds", 0.03)), over))
        except OutOfTime:
            break
        except Exception as error:  # noqa: BLE001: whatever the runtime throws is its verdict on this operator
            costs.append(f"{type(error).__name__}: {error}")
        if isinstance(costs[-1], str) or costs[-1] * 1e6 > LONG_RUN_NS:
            empty_arena()  # else what is large would stay beside what the next one needs
        progress(done=number + 1, of=len(request["signatures"]))
    return {"costs": costs}
