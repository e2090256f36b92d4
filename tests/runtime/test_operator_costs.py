"""workers/operator_costs.py with runs of which the test says what they take, and what the machine's caches are."""

import base64
import gc
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import unittest
import weakref
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2] / "workers"))
import memory
import processor

try:
    import numpy as np
    import operator_costs as costs
    import tiny_onnx
except ModuleNotFoundError:
    costs = None

MS = 1_000_000


def resident():
    """Bytes of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class FakeCopies:
    """Takes as long as the next of its samples says, the last one again and again. `about` is what a signature says of a model."""

    def __init__(self, about, pool, made, shared):
        self.samples = list(about)

    def run(self):
        pass

    def sample(self, clock, repeats, warm=True):
        return self.samples.pop(0) if len(self.samples) > 1 else self.samples[0]


def cost(short, long, fewer=1, more=2, over=lambda: False):
    """Milliseconds, of models whose samples take so many."""
    signature = {"short": [MS * ms for ms in short], "long": [MS * ms for ms in long], "fewer": fewer, "copies": more - fewer}
    return costs.cost_of(signature, FakeCopies, None, lambda: 0, 0.0, over)


@unittest.skipIf(costs is None, "no ONNX Runtime")
class Costs(unittest.TestCase):
    def test_are_the_least_of_all_samples_where_runs_are_short(self):
        self.assertAlmostEqual(cost([0.9, 0.3, 0.2], [1.5, 0.8, 0.5]), 0.3)
        self.assertAlmostEqual(cost([3, 9, 9, 3], [9, 9, 6], fewer=2, more=4), 1.5)

    def test_of_slow_operators_are_not_what_one_sample_says(self):
        self.assertAlmostEqual(cost([50], [90, 100]), 40, msg="the least of two")
        self.assertAlmostEqual(cost([95, 50], [100]), 50, msg="a disturbed short model: nothing was left for the copy")
        self.assertAlmostEqual(cost([50], [400, 350, 100]), 50, msg="a disturbed long one")
        self.assertAlmostEqual(cost([90, 30], [100], fewer=2, more=6), 17.5)

    def test_of_very_slow_ones_are_where_it_is_plausible(self):
        self.assertAlmostEqual(cost([300, 250], [550, 500]), 250, msg="one sample of each")
        self.assertAlmostEqual(cost([500, 250], [520, 500]), 250)

    def test_that_stay_implausible_have_an_end(self):
        self.assertEqual(cost([50], [40]), 0)
        self.assertAlmostEqual(cost([50], [500]), 450)

    def test_of_one_model_are_its_least(self):
        def alone(*samples):
            signature = {"long": [MS * ms for ms in samples], "copies": 1}
            return costs.cost_of(signature, FakeCopies, None, lambda: 0, 0.0, lambda: False)
        self.assertAlmostEqual(alone(30, 20, 25), 20)
        self.assertAlmostEqual(alone(30, 28, 26, 20), 20, msg="it went on falling")
        self.assertAlmostEqual(alone(9, 8, 7, 6, 5, 4, 3), 4, msg="to an end")
        signature = {"long": [MS], "copies": 1}
        self.assertRaises(costs.OutOfTime, costs.cost_of, signature, FakeCopies, None, lambda: 0, 0.0, lambda: True)

    def test_are_not_blamed_for_what_all_sessions_share(self):
        """Where that cannot be made, the request fails: no operator is refused for it."""
        def no_arena(options):
            raise RuntimeError("no arena")

        import onnxruntime_worker as worker
        request = {"signatures": [{"short": {"weights": []}, "long": {"weights": []}}], "clock": "cpu_ms"}
        with mock.patch.object(worker.arena, "share", no_arena), self.assertRaisesRegex(RuntimeError, "no arena"):
            worker.operator_costs(request, None)

    def test_are_none_where_the_time_is_over(self):
        self.assertRaises(costs.OutOfTime, cost, [50], [90], over=lambda: True)


BLOCKS = """
import ctypes, sys
sys.path[:0] = sys.argv[1:]
import memory
from test_operator_costs import resident
library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes, library.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]

def held(large=1 << 21, small=1 << 16):
    before = resident()
    blocks = [library.malloc(large if i % 2 else small) for i in range(128)]
    for i, block in enumerate(blocks):
        ctypes.memset(block, 1, large if i % 2 else small)
    for block in blocks[1::2]:
        library.free(block)
    return (resident() - before) >> 20

library.free(library.malloc(31 << 20))
print(held())
memory.large_blocks_apart()
print(held())
"""


@unittest.skipIf(costs is None or platform.libc_ver()[0] != "glibc", "no numpy, or no GNU library")
class Blocks(unittest.TestCase):
    def test_that_are_large_go_back_at_once(self):
        """64 of 2 MiB between small ones."""
        here = Path(__file__).resolve().parent
        done = subprocess.run([sys.executable, "-c", BLOCKS, here, here.parents[1] / "workers"], check=True, capture_output=True, text=True)
        before, since = map(int, done.stdout.split())
        self.assertGreater(before, 100, "MiB that the heap keeps")
        self.assertLess(since, 16)


@unittest.skipIf(costs is None, "no ONNX Runtime")
class Options(unittest.TestCase):
    def test_say_what_memory_a_session_has(self):
        import onnxruntime_worker as worker
        made = [worker.session_options(settings) for settings in ({}, {"arena": False}, {"patterns": False})]
        self.assertEqual([(o.enable_cpu_mem_arena, o.enable_mem_pattern) for o in made], [(True, True), (False, True), (True, False)])
        import onnxruntime_copies
        with mock.patch.object(costs, "operator_costs") as asked, mock.patch.object(onnxruntime_copies, "SessionCopies") as opened:
            worker.operator_costs({"signatures": []}, None)
            asked.call_args.args[1]("about", "pool", "made", "shared")
        options = opened.call_args.args[0]
        self.assertFalse(options.enable_mem_pattern)
        self.assertEqual(options.get_session_config_entry("session.use_env_allocators"), "1")

    def test_let_sessions_share_what_they_compute_in(self):
        """Two of them hold what one does, and nothing once it is given back."""
        import onnxruntime_worker as worker
        side, mib = 1 << 11, 1 << 20  # 16 MiB a tensor
        nodes = [("Tanh", ["x"], ["a"]), ("Neg", ["a"], ["b"]), ("Tanh", ["b"], ["c"]), ("Neg", ["c"], ["d"]), ("ReduceMax", ["d"], ["y"])]
        model = tiny_onnx.model(nodes, {"x": [side, side]}, {"y": [1, 1]})
        given = {"x": np.ones((side, side), np.float32)}
        held = []
        sessions = [worker.Model(model, {"shared_arena": True, "patterns": False, "optimisation": "off"}) for _ in range(2)]
        for session in sessions:
            session.run(given)
            held.append(resident())
        self.assertLess(held[1] - held[0], 8 * mib)
        sessions.clear()
        del session
        gc.collect()
        worker.arena.empty()
        self.assertLess(resident(), held[0] - 8 * mib)


class Room(unittest.TestCase):
    def test_is_made_of_what_only_cycles_held(self):
        class Cycle:
            def __init__(self):
                self.itself = self

        seen, held = [], weakref.ref(Cycle())
        self.assertIsNotNone(held())
        with mock.patch.object(memory, "droppers", [lambda: seen.append(held())]):
            memory.make_room()
        self.assertEqual(seen, [None])


@unittest.skipIf(costs is None, "no ONNX Runtime")
class Results(unittest.TestCase):
    def test_share_a_place_where_no_cache_keeps_them(self):
        def place(shape, number):
            return costs.result_of("f32", shape, number, shared, lambda array: array)

        shared = {}
        with mock.patch.object(costs, "SHARED_BYTES", 64):
            self.assertIs(place([4, 4], 0), place([4, 4], 1))
            self.assertIsNot(place([4, 4], 0), place([2, 8], 0))
            self.assertIsNot(place([4, 3], 0), place([4, 3], 1))
            self.assertIs(place([4, 3], 0), place([4, 3], 0), "of both models")

    def test_are_large_beside_the_last_cache(self):
        self.assertEqual(costs.SHARED_BYTES, 2 * processor.last_cache_bytes())


class Activations(unittest.TestCase):
    def test_of_all_copies_are_one(self):
        made = {}
        first, again, other = (costs.activation_of(name, "f32", [2, 3], made, lambda array: array) for name in ("x0.0", "x0.1", "x1.0"))
        self.assertIs(first, again)
        self.assertIsNot(first, other)


@unittest.skipIf(costs is None, "no ONNX Runtime")
class Weights(unittest.TestCase):
    def distinct(self, dtype, shape, count):
        """Of so many weights; one period of the drawn numbers is 512 by 512."""
        weights = {"weights": [{"name": "w", "dtype": dtype, "shape": shape}] * count}
        pool = costs.Pool([{"short": {"weights": []}, "long": weights}])
        return len({pool.take(dtype, tuple(shape)).tobytes() for _ in range(count)})

    def test_are_no_two_alike(self):
        for dtype in ("f32", "f16", "f64", "i8", "u8"):
            self.assertEqual(self.distinct(dtype, [256, 256], 90), 90, dtype)
        self.assertEqual(self.distinct("f32", [512, 512], 8), 8)

    def test_are_no_two_alike_beyond_the_pool(self):
        self.addCleanup(costs.drop_pool)
        costs.drop_pool()
        with mock.patch.object(costs, "POOL_BYTES", 1 << 20):
            self.assertEqual(self.distinct("f32", [256, 256], 50), 50, "the pool holds four")
            self.assertEqual(self.distinct("f32", [1 << 19], 5), 5, "none")

    def test_that_may_be_indices_are_0(self):
        self.assertEqual(self.distinct("i64", [4], 3), 1)
        self.assertEqual(costs.Pool([]).take("i32", (2,)).tolist(), [0, 0])


@unittest.skipIf(importlib.util.find_spec("openvino") is None, "no OpenVINO")
class OpenVino(unittest.TestCase):
    """Its worker, on models of copies as src/runtime/micro_model.cpp makes them."""

    def asked(self, *signatures):
        import openvino_worker as worker
        with mock.patch.object(worker.channel, "asked_to_cancel", lambda: False):
            return worker.operator_costs({"signatures": signatures, "threads": 1, "clock": "cpu_ms"}, lambda **what: None)["costs"]

    def side(self, op, copies, weights=False):
        side = 256
        ins = [[f"x0.{i}", *([f"w1_{i}"] if weights else [])] for i in range(copies)]
        model = tiny_onnx.model([(op, names, [f"y{i}"]) for i, names in enumerate(ins)], {n: [side, side] for names in ins for n in names},
                                {f"y{i}": [side, side] for i in range(copies)})
        return {"model": base64.b64encode(model).decode(),
                "weights": [{"name": f"w1_{i}", "dtype": "f32", "shape": [side, side]} for i in range(copies if weights else 0)]}

    def signature(self, op, weights=False):
        return {"short": self.side(op, 2, weights), "long": self.side(op, 6, weights), "fewer": 2, "copies": 4}

    def test_each_copy_is_computed(self):
        """Were they merged, further ones would cost nothing."""
        product, softmax, unknown = self.asked(self.signature("MatMul", True), self.signature("Softmax"), self.signature("NoSuchThing"))
        self.assertGreater(softmax, 256 * 256 * 1e-8, "65,536 exponentials, a tenth of a nanosecond for each at the very least")
        self.assertGreater(product, 2 * 256 ** 3 / 1e9, "a thousand GFLOP/s")
        self.assertIn("NoSuchThing", unknown)

    def test_each_convolution_is_computed(self):
        """They read one input and are summed up: what differs is their weights, of any type."""
        import openvino_worker as worker
        from openvino_copies import RequestCopies
        channels, copies = 512, 6
        for dtype, kind in (("f32", 1), ("f16", 10)):
            names = [f"w1_{i}" for i in range(copies)]
            sums = ["c0", *(f"s{i}" for i in range(1, copies - 1)), "y"]
            nodes = [("Conv", ["x0", name], [f"c{i}"]) for i, name in enumerate(names)]
            nodes += [("Add", [sums[i - 1], f"c{i}"], [sums[i]]) for i in range(1, copies)]
            image, filters = [1, channels, 1, 1], [channels, channels, 1, 1]
            with mock.patch.object(tiny_onnx, "FLOAT", kind):
                model = tiny_onnx.model(nodes, {"x0": image, **dict.fromkeys(names, filters)}, {"y": image})
            side = {"model": base64.b64encode(model).decode(), "weights": [{"name": n, "dtype": dtype, "shape": filters} for n in names]}
            pool = costs.Pool([{"short": {"weights": []}, "long": side}])
            run = RequestCopies(worker.the_core(), worker.properties({}), worker.described, side, pool, {}, {})
            ops = [node.get_rt_info()["layerType"].astype(str) for node in run.request.get_compiled_model().get_runtime_model().get_ops()]
            self.assertEqual(ops.count("Convolution"), copies, (dtype, ops))

    def test_weights_become_constants(self):
        import openvino_worker as worker
        from openvino_copies import RequestCopies
        pool = costs.Pool([self.signature("MatMul", True)])
        copies = RequestCopies(worker.the_core(), worker.properties({}), worker.described, self.side("MatMul", 2, True), pool, {}, {})
        self.assertEqual(len(copies.request.input_tensors), 2)
        copies.run()
        self.assertTrue(np.abs(copies.request.output_tensors[1].data).max() > 0)


class Caches(unittest.TestCase):
    def test_the_largest_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(processor.last_cache_bytes(folder), 1 << 25, "nothing is said")
            for number, size in enumerate(["32K", "1024K", "36M\n", "nonsense"]):
                (Path(folder) / f"index{number}").mkdir()
                (Path(folder) / f"index{number}/size").write_text(size)
            self.assertEqual(processor.last_cache_bytes(folder), 36 << 20)


if __name__ == "__main__":
    unittest.main()
