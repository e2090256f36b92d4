"""workers/trials.py and workers/draws.py: what tells two models apart, and what does not."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import onnx
    import onnxruntime
    from onnx import parser
except ImportError:
    onnx = None

from doubts import MOST_BYTES, MOST_FEEDS, Doubts  # noqa: E402
from draws import NONFINITE, ORDINARY, WAYS, WIDE, Candidates, Drawer, size_sets  # noqa: E402
from judging import Judge  # noqa: E402
from element_types import NUMPY_OF  # noqa: E402
from sampling import Sampler  # noqa: E402
from trials import DENIALS, Campaign  # noqa: E402


def f32(*values):
    return np.array(values, np.float32)


class Elements(unittest.TestCase):
    def judge(self, a, b, usual=None, regime=ORDINARY, generic=True, nudged=None):
        judge = Judge(1e-4)
        if usual is not None:
            judge.learn(usual)
        found = judge.difference(a, b, regime, generic, nudged)
        return found[0] if found else ""

    def test_a_small_element_is_held_to_its_own_size(self):
        usual = f32(1e9, 1)
        still = lambda: [(f32(1e9, 1), 1e-5, 0)]  # noqa: E731: nothing moves
        self.assertEqual(self.judge(f32(1e9, 1), f32(1e9, 1.01), usual, nudged=still), "values")
        self.assertEqual(self.judge(f32(1e9, 1), f32(1e9, 1.00001), usual, nudged=still), "")

    def test_what_large_numbers_cancelled_to_may_be_off_by_their_rounding(self):
        moved = lambda: [(f32(1.1), 1e-4, 0)]  # noqa: E731: a share of 1e-4 moves it by 0.1, so its operands were of size 1000
        self.assertEqual(self.judge(f32(1), f32(1.02), nudged=moved, usual=f32(1000)), "")
        self.assertEqual(self.judge(f32(1), f32(1.02), nudged=lambda: [(f32(1), 1e-4, 0)], usual=f32(1)), "values")

    def test_beside_large_inputs_a_runtime_is_off_by_a_share_of_them(self):
        still = lambda: [(f32(2.5e-6), 1e-5, 0)]  # noqa: E731
        judge = Judge(1e-4)
        judge.learn(f32(1))
        self.assertEqual(judge.difference(f32(2.5e-6), f32(4.7e-6), ORDINARY, False, still)[0], "values")
        self.assertIsNone(judge.difference(f32(2.5e-6), f32(4.7e-6), ORDINARY, False, still, scale=40.0))
        self.assertEqual(judge.difference(f32(1), f32(1.001), ORDINARY, False, still, scale=40.0)[0], "values")

    def test_a_jump_excuses_nothing_where_ties_are_meant(self):
        jump = lambda: [(f32(1), 1e-5, 0), (f32(1), 64e-5, 0)]  # noqa: E731
        self.assertEqual(self.judge(f32(0), f32(1), f32(2), generic=False, nudged=jump), "values")
        self.assertEqual(self.judge(f32(0), f32(1), f32(2), generic=True, nudged=jump), "")

    def test_without_a_float_input_the_usual_size_decides(self):
        self.assertEqual(self.judge(f32(1e-6), f32(2e-6), f32(1)), "")
        self.assertEqual(self.judge(f32(1e-6), f32(2e-6), f32(1e-6)), "values")

    def test_what_is_not_finite(self):
        nan, inf = np.nan, np.inf
        for regime in (ORDINARY, WIDE, NONFINITE):
            self.assertEqual(self.judge(f32(1), f32(nan), regime=regime), "finite")
            self.assertEqual(self.judge(f32(inf, nan), f32(inf, nan), regime=regime), "")
        self.assertEqual(self.judge(f32(inf), f32(1), regime=WIDE), "overflow")
        self.assertEqual(self.judge(f32(nan), f32(1)), "finite")
        self.assertEqual(self.judge(f32(inf), f32(-inf)), "values")
        self.assertEqual(self.judge(f32(inf), f32(nan), regime=WIDE), "kinds")

    def test_types_and_shapes(self):
        self.assertEqual(self.judge(np.zeros(0, np.float32), np.zeros(0, np.float64)), "types")
        self.assertEqual(self.judge(np.zeros((1, 0), np.float32), np.zeros(0, np.float32)), "shapes")
        self.assertEqual(self.judge(np.array([1, 2]), np.array([1, 3])), "values")


class Nudges(unittest.TestCase):
    def test_large_numbers_that_cancel_move_apart(self):
        from types import SimpleNamespace
        runner = SimpleNamespace(names={"x"}, run=lambda feed: [feed["x"].sum()])
        for seed in range(16):
            x = np.random.default_rng(seed).permutation(np.array([1e30, -1e30, 1e30, -1e30], np.float32))
            nudged = Campaign.nudger(SimpleNamespace(a=runner, tolerance=1e-4), {"x": x}, 0)
            self.assertTrue(all(abs(total) > 1e22 for total, _, _ in nudged()), seed)


class Budgets(unittest.TestCase):
    def campaign(self, seconds):
        from types import SimpleNamespace
        model = SimpleNamespace(model=SimpleNamespace(outputs=[]))
        return Campaign(model, model, SimpleNamespace(given={}), [], {}, {"seconds": seconds}, lambda: False)

    def test_time_that_others_take_is_not_counted(self):
        import time
        campaign = self.campaign(10)
        time.sleep(0.3)
        self.assertGreater(campaign.left(), 9.9)
        begin = time.process_time()
        while time.process_time() - begin < 0.3:
            pass
        self.assertLess(campaign.left(), 9.8)

    def test_the_clock_on_the_wall_ends_it_at_last(self):
        import time
        campaign = self.campaign(0.05)
        time.sleep(0.25)
        self.assertEqual(campaign.left(), 0)

    def test_what_onnx_does_not_see_is_noted_and_ends_the_search_in_time(self):
        campaign = self.campaign(1000)
        for number in range(DENIALS):
            self.assertEqual(campaign.doubts.left_out, "")
            self.assertGreater(campaign.left(), 0)
            campaign.denied(f"place {number}", {}, {"x": f32(number)})
        self.assertEqual([d["what"] for d in campaign.doubts.kept][:2], ["place 0", "place 1"])
        self.assertEqual(campaign.doubts.left_out, f"place {DENIALS - 1}", "what was not looked for is left in doubt")
        self.assertLessEqual(campaign.left(), 0)


class Draws(unittest.TestCase):
    def drawer(self, arguments, bounds=None, thresholds=(), integers=()):
        return Drawer(Sampler({"bounds": bounds or {}}), arguments, Candidates(list(thresholds), list(integers)), NUMPY_OF)

    def seen(self, drawer, name):
        return {int(v) for feed in drawer.dealt(lambda: 1) for v in feed[name].ravel()}

    def test_every_row_of_a_table_from_both_ends_and_beyond(self):
        ids = [{"name": "x", "dtype": "i64", "shape": [2]}]
        seen = self.seen(self.drawer(ids, {"x": {"low": 0, "high": 100}}), "x")
        self.assertLessEqual(set(range(-100, 100)), seen)
        self.assertTrue(min(seen) < -100 and max(seen) >= 100)

    def test_integers_of_which_nothing_is_known(self):
        seen = self.seen(self.drawer([{"name": "x", "dtype": "i64", "shape": [1]}], integers=[1000]), "x")
        self.assertLessEqual({999, 1000, 1001, -1000, 0, -1, 2 ** 31, 2 ** 63 - 1, -2 ** 63}, seen)
        self.assertEqual(self.seen(self.drawer([{"name": "x", "dtype": "u8", "shape": []}]), "x"), set(range(256)))

    def test_a_mask_stays_one(self):
        self.assertEqual(self.seen(self.drawer([{"name": "x", "dtype": "i64", "shape": [3]}], {"x": {"low": 0, "high": 0, "values": [0, 1]}}), "x"), {0, 1})

    def test_floats_near_thresholds_zeros_and_specials(self):
        drawer = self.drawer([{"name": "x", "dtype": "f32", "shape": [64]}], thresholds=[1e4])
        draw = lambda way: np.concatenate([drawer.feed(way, n)["x"] for n in range(8)])  # noqa: E731
        self.assertTrue((draw("thresholds") > 1e4).any() and (draw("thresholds") < -1e4).any() and (draw("thresholds") == 1e4).any())
        self.assertTrue((np.signbit(draw("coarse")) & (draw("coarse") == 0)).any())
        self.assertTrue(np.isnan(draw("special")).any() and np.isinf(draw("special")).any())
        self.assertTrue((np.abs(draw("huge")) > 1e29).any())

    def test_what_has_no_axes_is_an_array_all_the_same(self):
        for dtype in ("f32", "f16", "i64", "u8", "bool", "string"):
            drawer = self.drawer([{"name": "x", "dtype": dtype, "shape": []}], thresholds=[2.0])
            for way, *_ in WAYS:
                for number in range(2):
                    value = drawer.feed(way, number)["x"]
                    self.assertIsInstance(value, np.ndarray, (dtype, way))
                    self.assertEqual(value.shape, (), (dtype, way))

    def test_numbers_of_one_size(self):
        drawer = self.drawer([{"name": "x", "dtype": "f32", "shape": []}, {"name": "h", "dtype": "f16", "shape": [2]}])
        sizes = [float(np.abs(drawer.feed("decades", number)["x"])) for number in range(6)]
        self.assertTrue(all(size / 2 <= x <= size for x, size in zip(sizes, (1e2, 1e3, 1e4, 1e6, 1e-3, 1e-6))))
        self.assertTrue(all(np.isfinite(drawer.feed("decades", number)["h"]).all() for number in range(12)))

    def test_one_element_at_a_time_is_not_zero(self):
        drawer = self.drawer([{"name": "x", "dtype": "f32", "shape": [2, 3]}])
        rows = [drawer.feed("basis", number)["x"].ravel() for number in range(drawer.draws("basis", 16))]
        np.testing.assert_array_equal(rows, np.eye(6, dtype=np.float32))

    def test_numbers_that_share_their_first_digits(self):
        drawer = self.drawer([{"name": "x", "dtype": "f32", "shape": [64]}, {"name": "z", "dtype": "f32", "shape": [64]}])
        feeds = [drawer.feed("near", number) for number in range(12)]
        apart = [np.abs(f["x"] - f["z"]) / np.abs(f["x"]) for f in feeds]
        self.assertTrue(all((a > 0).any() for a in apart) and any((a == 0).any() for a in apart))
        self.assertLess(apart[6].max(), 1e-3)
        self.assertLess(np.ptp(feeds[7]["x"]) / np.abs(feeds[7]["x"]).max(), 1e-3)  # and within one

    def test_tensors_of_the_programs_themselves(self):
        drawer = Drawer(Sampler({}), [{"name": "x", "dtype": "bool", "shape": [3]}, {"name": "z", "dtype": "i64", "shape": [2]}],
                        Candidates([], [], stored=[{"dtype": "bool", "values": [1, 0, 0]}, {"dtype": "i64", "values": [7, 2 ** 62]}]), NUMPY_OF)
        feeds = [drawer.feed("stored", number) for number in range(drawer.draws("stored", 32))]
        self.assertEqual([f["x"].tolist() for f in feeds], [[True, False, False], [False, True, True]])
        self.assertEqual([f["z"].tolist() for f in feeds], [[7, 2 ** 62], [-7, -2 ** 62]])
        self.assertEqual(self.drawer([{"name": "x", "dtype": "bool", "shape": [3]}]).draws("stored", 32), 0)

    def test_what_decides_branches_is_each_of_its_values_in_some_draw_of_a_way(self):
        drawer = Drawer(Sampler({}), [{"name": "r", "dtype": "i64", "shape": []}, {"name": "f", "dtype": "bool", "shape": [1]}],
                        Candidates([], [], deciders={"r": [16000, 16001], "f": [0, 1]}), NUMPY_OF)
        for way in ("normal", "coarse", "thresholds", "special", "large", "filled"):
            feeds = [drawer.feed(way, number) for number in range(6)]
            rates = [int(f["r"]) for f in feeds]
            self.assertEqual(rates[0], 16000, way)
            self.assertEqual({r for r in rates if r in (16000, 16001)}, {16000, 16001}, way)
            self.assertFalse(set(rates) <= {16000, 16001}, way)
            self.assertEqual({bool(f["f"][0]) for f in feeds}, {False, True}, way)

    def test_sizes(self):
        sets = size_sets(["n", "m"], [{"n": 4, "m": 6}], [64], 0)
        self.assertEqual(sets[0], {"n": 4, "m": 6})
        self.assertIn({"n": 1, "m": 1}, sets)
        self.assertIn({"n": 0, "m": 0}, sets)
        self.assertTrue(any(s["n"] > 64 for s in sets) and any(s["m"] > 64 for s in sets))
        self.assertTrue(any(s["n"] > s["m"] for s in sets) and any(s["n"] < s["m"] for s in sets))
        self.assertEqual(size_sets([], [], [64], 0), [])
        one = {s["n"] for s in size_sets(["n"], [{"n": 4}], [], 0)}
        self.assertLessEqual({*range(73), 2049}, one)  # squares, multiples, what a narrow type counts
        two = {(s["n"], s["m"]) for s in sets}
        self.assertLessEqual({(n, m) for n in range(1, 11) for m in range(1, 11)}, two)


def worker_refusal():
    import onnxruntime_worker
    return onnxruntime_worker.Refused


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class Pairs(unittest.TestCase):
    def found(self, a, b, inputs="float[4] x", outputs="float[4] y", spec=None, **request):
        import tempfile

        import onnxruntime_worker as worker
        worker.channel.asked_to_cancel = lambda: False
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, body in (("a", a), ("b", b)):
                text = f'<ir_version: 8, opset_import: ["" : 18]>\ng ({inputs}) => ({outputs}) {{ {body} }}'
                paths.append(f"{folder}/{name}.onnx")
                onnx.save(parser.parse_model(text), paths[-1])
            witness = f"{folder}/w.npz"
            report = worker.try_pair({"model_a": paths[0], "model_b": paths[1], "optimisation": "off", "witness": witness, "inputs": spec or {},
                                      "folder": folder, **request},
                                     lambda **what: None)
            if report["found"]:
                with np.load(witness) as archive:
                    report["witness"] = {k: archive[k] for k in archive.files}
            return report

    def test_a_witness_shows_it(self):
        report = self.found("y = Relu (x)", "k = Constant <value_float = 5000.0> () r = Relu (x) y = Min (r, k)", thresholds=[5000.0])
        witness = report["witness"]
        self.assertEqual(report["found"]["kind"], "values")
        np.testing.assert_array_equal(witness["a/y"], np.maximum(witness["x"], 0))
        np.testing.assert_array_equal(witness["b/y"], np.minimum(witness["a/y"], 5000))

    def test_few_steps_are_enough_for_small_numbers_alone(self):
        root = ('one = Constant <value_float = 1.0> () half = Constant <value_float = 0.5> () m = Constant <value_int = %d> () '
                't = Cast <to = 9> (one) a = Abs (x) q = Add (a, one) y = Loop (m, t, q) <body = b (int64 i, bool d, float v) => (bool e, float w) '
                '{ e = Identity (d) p = Div (q, v) s = Add (v, p) w = Mul (s, half) }>')
        self.assertEqual(self.found(root % 6, root % 30, "float x", "float y")["found"]["way"], "decades")

    def test_the_least_number_is_its_own_opposite_among_small_ones(self):
        report = self.found("a = Abs (x) y = ReduceMax <keepdims = 0> (a)", "h = ReduceMax <keepdims = 0> (x) l = ReduceMin <keepdims = 0> (x) o = Neg (l) y = Max (h, o)",
                            "int32[3] x", "int32 y")
        self.assertEqual(report["found"]["way"], "end")

    def test_what_saturates_is_told_apart_no_more(self):
        for body in ("s = Sigmoid (x) y = ArgMax <axis = 0, keepdims = 0> (s)", "s = Tanh (x) y = ArgMax <axis = 0, keepdims = 0> (s)"):
            for seed in range(3):
                report = self.found(body, "y = ArgMax <axis = 0, keepdims = 0> (x)", outputs="int64 y", spec={"seed": seed})
                self.assertEqual(report["found"]["kind"], "values")

    def test_shares_that_are_next_to_nothing_are_left_in_doubt(self):
        # ONNX Runtime's sigmoid has digits of 1, not of 1e-8.
        number = "k = Constant <value_float = 18.0> () o = Constant <value_float = 1.0> () "
        one = number + "d = Sub (x, k) y = Sigmoid (d)"
        other = number + "d = Sub (k, x) e = Exp (d) s = Add (e, o) y = Reciprocal (s)"
        self.assertEqual(self.found(one, other)["found"]["kind"], "values")
        report = self.found(one, other, shares={"outputs": [0], "nothing": 1e-6})
        self.assertIsNone(report["found"])
        self.assertTrue(report["doubts"])
        for doubt in report["doubts"]:
            self.assertEqual((doubt["output"], doubt["sizes"], doubt["inputs"][0]["name"]), (0, {}, "x"))
        much = number + "d = Sub (x, k) s = Sigmoid (d) y = Relu (d)"
        self.assertEqual(self.found(one, much, shares={"outputs": [0], "nothing": 1e-6})["found"]["kind"], "values")

    def test_what_the_runtime_has_no_kernel_for_the_reference_evaluator_runs(self):
        whole = {"inputs": "int32[6] x", "outputs": "int32[6] y"}
        there = "u, i, v, c = Unique (x) y = Gather (u, v)"
        report = self.found(there, "y = Identity (x)", evaluated=True, seconds=1, **whole)
        self.assertIsNone(report["found"])
        self.assertGreater(report["ran"], 16)
        self.assertEqual(self.found("u, i, v, c = Unique (x) y = Gather (u, c)", "y = Identity (x)", evaluated=True, seconds=3, **whole)["found"]["kind"], "error")
        with self.assertRaises(worker_refusal()):
            self.found("y = com.none.Strange (x)", "y = Identity (x)", evaluated=True)

    def test_the_evaluator_is_held_to_the_operators_that_the_runtime_has(self):
        kept = "u, i, v, c = Unique (x) g = Gather (u, v) "
        whole = {"inputs": "int32[6] x", "outputs": "int32[6] y", "evaluated": True, "seconds": 1}
        report = self.found(kept + "y = Neg (g)", "y = Neg (x)", **whole)
        self.assertIsNone(report["found"])
        self.assertEqual(report["confirmed"], 3, "of Gather and both Neg; Unique has no kernel")
        # Where the sizes round up the evaluator has another shape than ONNX infers.
        pools = "float[1,7,3] x"
        pool = "p = MaxPool <ceil_mode = 1, kernel_shape = [3], pads = [0, 1], strides = [1]> (x) y = ReduceSum (p)"
        for body in (pool, pool.replace("y = ReduceSum (p)", "s = ReduceSum (p) y = Identity (s)")):
            with self.assertRaisesRegex(worker_refusal(), "departs from ONNX Runtime at MaxPool that makes p"):
                self.found(body, pool, pools, "float[1,1,1] y", evaluated=True, seconds=1)

    def test_where_a_kernels_number_alone_makes_one_fail_that_is_in_doubt(self):
        # Of 2^31 + 1, held to 6, ONNX Runtime makes 2^31 + 1, which is no place in a table.
        numbers = "".join(f"n{v} = Constant <value_int = {v}> () " for v in (0, 5, 6)) + "n1 = Constant <value_int = -1> () one = Constant <value_int = 1> () "
        guard = "l = Less (i, n6) g = GreaterOrEqual (i, n0) b = And (l, g) h = Clip (i, n0, n5) p = Gather (x, h) zero = Constant <value_float = 0.0> () y = Where (b, p, zero)"
        padded = "h = Clip (i, n1, n6) s = Add (h, one) q = Constant <value_ints = [1, 1]> () e = Pad (x, q) y = Gather (e, s)"
        report = self.found(numbers + guard, numbers + padded, "float[6] x, int64[5] i", "float[5] y", integers=[0, 5, 6, -1], seconds=10)
        self.assertIsNone(report["found"])
        self.assertTrue(any("only the second fails" in doubt["what"] for doubt in report["doubts"]), report["doubts"])
        beyond = padded.replace("[1, 1]", "[1, 0]")  # by ONNX, too
        self.assertEqual(self.found(numbers + guard, numbers + beyond, "float[6] x, int64[5] i", "float[5] y", integers=[0, 5, 6, -1], seconds=10)["found"]["kind"], "error")

    def test_of_too_many_doubts_some_are_left_out(self):
        doubts = Doubts([0], 1e-6)
        for number in range(MOST_FEEDS + 2):
            doubts.add(0, f"place {number}", {}, {"x": f32(number)})
        self.assertEqual((len(doubts.kept), doubts.left_out), (MOST_FEEDS, f"place {MOST_FEEDS}"))
        doubts = Doubts([0], 1e-6)
        doubts.add(0, "place", {}, {"x": np.zeros(MOST_BYTES, np.float32)})
        self.assertEqual((len(doubts.kept), doubts.left_out), (0, "place"))

    def test_what_casts_alone_make_infinite_is_meant(self):
        half, single = "h = Cast <to = 10> (x) y = Cast <to = 1> (h)", "b = Cast <to = 16> (x) y = Cast <to = 1> (b)"
        self.assertEqual(self.found(half, single, overflow_differs=True, tolerance=0.05)["found"]["kind"], "finite")
        report = self.found(half, single, tolerance=0.05)
        self.assertIsNone(report["found"])
        self.assertIn("overflow", report["notes"])

    def test_rounding_is_no_difference(self):
        report = self.found("a = Add (x, x) b = Add (a, x) y = Add (b, z)", "c = Add (x, z) d = Add (c, x) y = Add (d, x)", "float[N] x, float[N] z", "float[N] y",
                            sizes=[{"N": 5}])
        self.assertIsNone(report["found"])
        self.assertGreater(len(report["sizes"]), 8)

    def test_what_cancels_may_lose_all_its_digits(self):
        sums = "float[1] x, float[1] z, float[1] w"
        report = self.found("a = Add (x, z) y = Add (a, w)", "a = Add (z, w) y = Add (x, a)", sums, "float[1] y", thresholds=[1e20, 1.0])
        self.assertIsNone(report["found"])

    def test_a_loop_without_end_is_ended(self):
        loop = ('c = Constant <value_int = 1> () t = Cast <to = 9> (c) y = Loop (n, t, x) <body = b (int64 i, bool ci, float[4] v) => '
                '(bool co, float[4] w) { co = Identity (ci) w = %s (v) }>')
        inputs = "int64 n, float[4] x"
        self.assertIsNone(self.found(loop % "Neg", loop % "Neg", inputs)["found"])
        self.assertIsNotNone(self.found(loop % "Neg", "y = Neg (x)", inputs)["found"])

    def test_what_was_never_seen_is_counted(self):
        report = self.found("y = Slice (x, o, o) z = Log (m)", "y = Slice (x, o, o) z = Log (m)", "float[4] x, int64[1] o, float[1] m", "float[M] y, float[1] z",
                            bounds={"m": {"low": -2, "high": -1}, "o": {"low": 0, "high": 1}}, seconds=1)
        self.assertIsNone(report["found"])
        self.assertTrue(report["ran"] > 0)
        self.assertEqual(report["empty"], [True, False])


if __name__ == "__main__":
    unittest.main()
