"""workers/conditions.py and workers/steering.py: inputs that turn a condition, and conditions that none turns. Equal pairs, which take
longer: test_steering_long.py."""

import sys
import time
import unittest
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import onnx
    import onnxruntime
    from onnx import parser
except ImportError:
    onnx = None

from conditions import Watch, look_at  # noqa: E402
from steering import Steering, plan_of, solved, steer  # noqa: E402


class Computed:
    """A model whose values are functions of its inputs."""

    def __init__(self, **functions):
        self.functions, self.runs = functions, 0

    def run(self, feed, names):
        self.runs += 1
        with np.errstate(all="ignore"):
            return [np.asarray(self.functions[name](**feed)) if name in self.functions else feed[name] for name in names]


def condition(name, op, *operands, can=(True, True)):
    return {"name": name, "op": op, "operands": list(operands), "can": list(can)}


def constant(value):
    return lambda **feed: value


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


class Turned(unittest.TestCase):
    def steered(self, conditions, functions, feed, seconds=5.0):
        """The watch and the inputs that were tried."""
        watch = Watch(conditions, lambda names: Computed(**functions))
        watch.look(feed)
        tried = []
        steer([watch], [feed], seconds, lambda some, generic: tried.append((some, generic)))
        return watch, tried

    def equal(self, feed, constant_value, value):
        watch, tried = self.steered([condition("c", "Equal", "v", "k")],
                                    {"v": value, "k": constant(constant_value), "c": lambda **f: value(**f) == constant_value}, feed)
        return watch.unmet(), [some for some, _ in tried]

    def test_a_multiple_of_an_integer(self):
        unmet, tried = self.equal({"x": i32(1, 2)}, np.int32(222222), lambda x: x * np.int32(3))
        self.assertEqual(unmet, [])
        found = {int(v) for feed in tried for v in feed["x"]}
        self.assertLessEqual({74073, 74074, 74075}, found)  # those beside it, too
        self.assertTrue(all(feed["x"].dtype == np.int32 for feed in tried))

    def test_integers_beyond_what_a_double_holds(self):
        k = np.int64(3 * (2 ** 60 + 12345))
        self.assertEqual(self.equal({"x": i64(1, 2)}, k, lambda x: x * 3)[0], [])

    def test_bits_and_products_that_wrap(self):
        self.assertEqual(self.equal({"x": i32(1, 2)}, np.int32(0x1234), lambda x: x ^ np.int32(0x5A5A))[0], [])
        self.assertEqual(self.equal({"x": i32(1, 2)}, np.int32(12345), lambda x: x * np.int32(1640531527))[0], [])
        self.assertEqual(self.equal({"x": np.array([1, 2], np.uint32)}, np.uint32(12345), lambda x: x >> np.uint32(7))[0], [])

    def test_a_count_of_bools(self):
        code = np.random.default_rng(5).integers(0, 2, 40).astype(bool)
        unmet, tried = self.equal({"x": np.zeros(40, bool)}, np.int64(0), lambda x: np.sum(x ^ code))
        self.assertEqual(unmet, [])
        self.assertTrue(any(np.array_equal(feed["x"], code) for feed in tried))

    def test_a_sum_of_many_distances(self):
        key = np.random.default_rng(6).integers(-5000, 5000, 9)
        unmet, _ = self.equal({"x": np.zeros(9, np.int64)}, np.int64(0), lambda x: np.sum(np.abs(x - key)))
        self.assertEqual(unmet, [])

    def test_floats_of_one_element_among_many(self):
        feed = {"x": np.random.default_rng(1).standard_normal(300).astype(np.float32)}
        self.assertEqual(self.equal(feed, np.float32(567.25), lambda x: x.sum())[0], [])
        root = np.float32(23.1)
        self.assertEqual(self.equal({"x": f32(1, 2)}, root * root * root, lambda x: x * x * x)[0], [])

    def test_what_cannot_be_stays_unmet(self):
        self.assertEqual(self.equal({"x": i32(1, 2)}, np.int32(6), lambda x: x * np.int32(4))[0], [("c", True)])

    def test_two_equalities_at_once(self):
        functions = {"a": lambda x, w: x + w, "b": lambda x, w: x - w, "k": constant(np.int64(77777)), "l": constant(np.int64(11111)),
                     "c": lambda x, w: x + w == 77777, "d": lambda x, w: x - w == 11111,
                     "e": lambda x, w: (x + w == 77777) & (x - w == 11111)}
        conditions = [condition("c", "Equal", "a", "k"), condition("d", "Equal", "b", "l"), condition("e", "And", "c", "d")]
        feed = {"x": i64(0, 1), "w": i64(1, 0)}
        watch, _ = self.steered(conditions, functions, feed)
        self.assertEqual(watch.unmet(), [])
        _, tried = self.steered(conditions[:2], functions, feed)  # nothing joins them
        self.assertTrue(any(((f["x"] == 44444) & (f["w"] == 33333)).any() for f, _ in tried))

    def test_between_two_thresholds(self):
        functions = {"s": lambda x: x.sum(), "k": constant(np.float32(100)), "l": constant(np.float32(101)),
                     "a": lambda x: x.sum() > 100, "b": lambda x: x.sum() < 101, "e": lambda x: 100 < x.sum() < 101}
        conditions = [condition("a", "Greater", "s", "k"), condition("b", "Less", "s", "l"), condition("e", "And", "a", "b")]
        watch, tried = self.steered(conditions, functions, {"x": f32(1, 2, 3, 4)})
        self.assertEqual(watch.unmet(), [])
        self.assertTrue(all(generic for _, generic in tried))  # rounding may decide which side of a threshold it is
        watch = Watch(conditions[:2], lambda names: Computed(**functions))
        feeds = [{"x": f32(1, 2, 3, 4)}, {"x": f32(1, 200, 3, 4)}]
        look_at([watch], feeds, 1)
        tried = []
        steer([watch], feeds, 5.0, lambda some, generic: tried.append(some))
        self.assertTrue(any(100 < f["x"].sum() < 101 for f in tried))

    def test_nothing_is_tried_after_a_difference(self):
        functions = {"s": lambda x: x.astype(np.int64) * 3, "k": constant(i64(222222)), "c": lambda x: x.astype(np.int64) * 3 == 222222,
                     "d": lambda x: x == 5, "five": constant(i32(5))}
        watch = Watch([condition("c", "Equal", "s", "k"), condition("d", "Equal", "x", "five")], lambda names: Computed(**functions))
        tried = []
        steer([watch], [{"x": i32(1, 2)}], 5.0, lambda some, generic: tried.append(some) or True)
        self.assertEqual(len(tried), 1)

    def test_what_is_far_from_linear(self):
        w = np.random.default_rng(3).standard_normal((4, 4))

        def largest(x):
            u = np.exp(np.tanh(x @ w) @ w)
            return (u / u.sum()).max()
        reach = max(largest(10 * np.linalg.solve(w.T, t)) for t in np.array(np.meshgrid(*[(-1, 1)] * 4)).T.reshape(-1, 4))
        k = np.float64(0.97 * reach)
        watch, _ = self.steered([condition("c", "Greater", "v", "k")],
                                {"v": lambda x: largest(x), "k": constant(k), "c": lambda x: largest(x) > k}, {"x": np.zeros(4)})
        self.assertEqual(watch.unmet(), [])

    def test_it_keeps_to_its_time(self):
        def slow(x):  # the time that it computes for counts (workers/effort.py)
            until = time.process_time() + 0.01
            while time.process_time() < until:
                pass
            return x * x
        begin = time.process_time()
        functions = {"v": slow, "k": constant(3), "c": lambda x: slow(x) == 3}
        self.steered([condition("c", "Equal", "v", "k")], functions, {"x": i64(*range(64))}, seconds=0.5)
        self.assertLess(time.process_time() - begin, 3)


class Watched(unittest.TestCase):
    def test_both_ways_in_some_element(self):
        watch = Watch([condition("c", "Less", "x", "k")], lambda names: Computed(c=lambda x: x < 0))
        self.assertEqual(watch.unmet(), [("c", True), ("c", False)])
        watch.look({"x": f32(1, 2)})
        self.assertEqual(watch.unmet(), [("c", True)])
        watch.look({"x": f32(-1, 2)})
        self.assertEqual(watch.unmet(), [])
        runs = watch.runner.runs
        look_at([watch], [{"x": f32(1)}] * 50, 1)  # nothing is unmet: nothing is run
        self.assertEqual(watch.runner.runs, runs)

    def test_what_cannot_be_is_not_asked(self):
        self.assertEqual(Watch([condition("c", "Less", "x", "k", can=(False, True))], None).unmet(), [("c", False)])

    def test_a_model_that_cannot_be_opened_says_nothing(self):
        watch = Watch([condition("c", "Less", "x", "k")], lambda names: None)
        watch.look({"x": f32(1)})
        self.assertEqual(watch.looked, 0)

    def test_unequal_by_rounding_only(self):
        watch = Watch([condition("c", "Equal", "x", "k")], lambda names: Computed(k=constant(np.float32(0.3))))
        self.assertTrue(watch.tied({"x": f32(1, 0.1) + f32(0, 0.2000001)}))
        self.assertFalse(watch.tied({"x": f32(0.3, 0.301)}))

    def test_goals(self):
        watch = Watch([condition("a", "Less", "x", "k"), condition("b", "Equal", "x", "l"), condition("n", "Not", "b"),
                       condition("c", "And", "a", "n"), condition("d", "Or", "a", "n")], None)
        self.assertEqual(watch.goals("c", True), [[("x", "k", "<"), ("x", "l", "!")]])
        self.assertEqual(watch.goals("c", False), [[("x", "k", ">=")], [("x", "l", "=")]])
        self.assertEqual(watch.goals("d", True), [[("x", "k", "<")], [("x", "l", "!")]])
        self.assertNotIn("n", [name for name, _ in watch.unmet()])
        self.assertEqual(plan_of(watch, [])[1], [])

    def test_what_is_counted_is_left_as_it_is(self):
        watch = Watch([condition("a", "Less", "x", "k"), condition("b", "Cast", "count"), condition("c", "And", "a", "b")], None)
        self.assertEqual(watch.goals("c", True), [[("x", "k", "<")]])
        self.assertIn(("b", True), watch.unmet())
        self.assertEqual([name for name, _, _ in plan_of(watch, [])[0]], ["a", "a", "c", "c"])

    def test_an_exact_solution(self):
        self.assertEqual(solved([[0, 2], [1, 1]], [6, 10 ** 20]), [Fraction(10 ** 20 - 3), Fraction(3)])
        self.assertIsNone(solved([[1, 1], [2, 2]], [1, 2]))

    def test_values_stay_within_the_type(self):
        steering = Steering(Watch([], None), {"x": np.zeros(1, np.uint8), "y": np.zeros(1, np.float16)}, [], 0, lambda: 1, None)
        self.assertEqual([steering.fits("x", v) for v in (-3, 2.6, 300)], [0, 3, 255])
        self.assertEqual(steering.fits("y", Fraction(10 ** 400)), float(np.finfo(np.float16).max))


class PairReports(unittest.TestCase):
    def report(self, body, other, conditions, interface="(int32[2] x) => (int32[2] y)", seconds=20, sizes=(), asked=None, **numbers):
        import tempfile

        import onnxruntime_worker as worker
        worker.channel.asked_to_cancel = lambda: False
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in (("a", body), ("b", other)):
                model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\ng {interface} {{ {text} }}')
                model.graph.initializer.extend(onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in numbers.items())
                paths.append(f"{folder}/{name}.onnx")
                onnx.save(model, paths[-1])
            request = {"model_a": paths[0], "model_b": paths[1], "optimisation": "off", "conditions_a": conditions, "seconds": seconds, "sizes": list(sizes), **(asked or {}),
                       "integers": [int(v) for k in numbers.values() if k.dtype.kind == "i" for v in k.ravel()]}
            return worker.try_pair(request, lambda **what: None)

    NUMBERS = {"k": np.int32(222222), "m": np.int32(3), "z": np.int32(0)}


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class Pairs(PairReports):
    def test_a_difference_behind_a_product(self):
        equal = [condition("c", "Equal", "a", "k")]
        report = self.report("a = Mul (x, m) c = Equal (a, k) y = Where (c, z, x)", "y = Identity (x)", equal, **self.NUMBERS)
        self.assertEqual(report["found"]["way"], "steered")

    def test_sizes_of_none_are_left_out_where_that_is_asked_alone(self):
        for asked in ({}, {"tame": True}, {"tame": True, "without_empty": True}):
            report = self.report("y = Relu (x)", "y = Relu (x)", [], "(float[n] x) => (float[n] y)", seconds=4, asked=asked)
            self.assertEqual({"n": 0} in report["sizes"], "without_empty" not in asked, report["sizes"])

    def test_without_large_integers_a_difference_at_length_0_is_seen_beside_what_ends_the_runtime(self):
        interface = "(int32[n] x) => (int32[n] d, int64[1] s)"  # the least integer by -1 ends the process
        report = self.report("d = Div (x, k) h = Shape (x) s = Min (h, one)", "d = Div (x, k) s = Identity (one)", [], interface, seconds=10,
                             asked={"tame": True}, k=np.int32(-1), one=np.array([1]))
        self.assertEqual(report["found"]["sizes"], {"n": 0})


if __name__ == "__main__":
    unittest.main()
