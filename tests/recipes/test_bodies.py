"""Bodies of If, Loop and Scan are optimised: what is written has fewer nodes within, loads, and computes the same as ONNX
Runtime and ONNX's reference evaluator do of the original; what must stay is said."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
W = np.random.default_rng(3).standard_normal((8, 8)).astype(np.float32)


def value(name, kind=FLOAT, shape=(4, 8)):
    return helper.make_tensor_value_info(name, kind, shape)


def roundabout(of, result, stem):
    """result = of * 6 @ W, in five nodes where one does."""
    steps = [("Neg", of), ("Neg",), ("Mul", "two"), ("Mul", "three"), ("MatMul", "weight")]
    nodes, last = [], None
    for number, (op, *more) in enumerate(steps):
        name = result if number == len(steps) - 1 else f"{stem}_{number}"
        nodes.append(helper.make_node(op, ([last] if last else []) + more, [name]))
        last = name
    return nodes


def branch(name, nodes, results):
    return helper.make_graph(nodes, name, [], [value(r, FLOAT, None) for r in results])


def an_if(condition, result, then, otherwise):
    return helper.make_node("If", [condition], [result], then_branch=branch("then", then, [then[-1].output[0]]),
                            else_branch=branch("else", otherwise, [otherwise[-1].output[0]]))


def a_loop(nodes, state, result):
    body = helper.make_graph(
        [helper.make_node("Identity", ["goes_on"], ["goes_on_then"]), *nodes], "body",
        [value("round", INT64, ()), value("goes_on", BOOL, ()), value(state)],
        [value("goes_on_then", BOOL, ()), value(nodes[-1].output[0])])
    return helper.make_node("Loop", ["rounds", "always", "x"], [result], body=body)


def a_scan(nodes, result):
    """y[i] = state after row i; the state is the sum so far, the rows are scaled."""
    body = helper.make_graph(nodes, "body", [value("sum", FLOAT, (8,)), value("row", FLOAT, (8,))],
                             [value("sum_then", FLOAT, (8,)), value("out", FLOAT, (8,))])
    return helper.make_node("Scan", ["start", "x"], ["last", result], body=body, num_scan_inputs=1)


SCANNED = [helper.make_node("Neg", ["row"], ["n"]), helper.make_node("Neg", ["n"], ["p"]),
           helper.make_node("Mul", ["p", "two"], ["q"]), helper.make_node("Mul", ["q", "three"], ["r"]),
           helper.make_node("Add", ["sum", "r"], ["sum_then"]), helper.make_node("Identity", ["sum_then"], ["out"])]
CASES = {
    "if": [an_if("c", "y", roundabout("x", "t", "a"), [helper.make_node("Relu", ["x"], ["e"])])],
    "both branches": [an_if("c", "y", roundabout("x", "t", "a"), roundabout("x", "e", "b"))],
    "loop": [a_loop(roundabout("s", "s_then", "l"), "s", "y")],
    "scan": [a_scan(SCANNED, "y")],
    "an if within a loop": [a_loop([an_if("c", "s_then", roundabout("s", "t", "a"), roundabout("s", "e", "b"))], "s", "y")],
    "an if within an if": [an_if("c", "y", [an_if("d", "t", roundabout("x", "tt", "a"), roundabout("x", "te", "b"))],
                                 [helper.make_node("Relu", ["x"], ["e"])])],
}


def model(nodes, sizes=(4, 8)):
    constants = {"two": np.float32(2), "three": np.float32(3), "weight": W, "rounds": np.int64(3), "always": np.bool_(True),
                 "start": np.zeros(8, np.float32)}
    graph = helper.make_graph(nodes, "g", [value("x", FLOAT, sizes), value("c", BOOL, ()), value("d", BOOL, ())],
                              [value("y", FLOAT, sizes)], [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def bodies(nodes):
    for node in nodes:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield attribute.g
                yield from bodies(attribute.g.node)


class Bodies(unittest.TestCase):
    def optimize(self, original, folder, *flags, cost="roofline:cpu"):
        path, out = Path(folder) / "m.onnx", Path(folder) / "o.onnx"
        onnx.save(original, path)
        done = subprocess.run([PROGRAM, "-q", "optimize", path, "-o", out, "--json", "--no-measure", "--cost", cost, *flags],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        if "--dry-run" in flags:
            return result, None
        self.assertTrue(result["verified"])
        return result, onnx.load(out)

    def check(self, original, written, rows=4):
        onnx.checker.check_model(written, full_check=True)
        sessions = [ort.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"]) for m in (original, written)]
        x = np.random.default_rng(1).standard_normal((rows, 8)).astype(np.float32)
        for c in (False, True):
            for d in (False, True):
                feed = {"x": x, "c": np.array(c), "d": np.array(d)}
                expected, got = (s.run(["y"], {i.name: feed[i.name] for i in s.get_inputs()})[0] for s in sessions)
                np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
                np.testing.assert_allclose(ReferenceEvaluator(written).run(["y"], feed)[0], expected, rtol=1e-4, atol=1e-4)

    def test_bodies_have_fewer_nodes(self):
        for name, nodes in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                original = model(nodes)
                result, written = self.optimize(original, folder)
                self.assertIn("better-body", result["rules_applied"])
                before, after = (sum(len(g.node) for g in bodies(m.graph.node)) for m in (original, written))
                self.assertLess(after, before)
                self.check(original, written)

    def test_named_sizes(self):
        """Such an If has no meaning here; its bodies are programs all the same."""
        with tempfile.TemporaryDirectory() as folder:
            original = model(CASES["both branches"], ("rows", 8))
            result, written = self.optimize(original, folder)
            self.assertEqual(result["opaque_operators"], {"If": 1})
            self.assertIn("better-body", result["rules_applied"])
            for rows in (1, 4, 7):
                self.check(original, written, rows)

    def test_a_branch_that_is_not_timed_stays(self):
        """Timing runs one branch; by costs that are not measured the other one may be slower."""
        never = [helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0), helper.make_node("Greater", ["most", "far"], ["is_far"])]
        stays = "x bodies stay as they are: it is not known to run where the program is timed"
        nested = an_if("d", "t", roundabout("x", "tt", "a"), roundabout("x", "te", "b"))
        looped = a_loop(roundabout("s", "s_then", "l"), "s", "t")
        for name, nodes, kept in (("computed", [*never, an_if("is_far", "y", roundabout("x", "t", "a"), roundabout("x", "e", "b"))], 1),
                                  ("an input", CASES["both branches"], 1),
                                  ("within a branch", [*never, an_if("is_far", "y", [helper.make_node("Relu", ["x"], ["e"])], [nested])], 2),
                                  ("a loop within it", [*never, an_if("is_far", "y", [looped], [helper.make_node("Relu", ["x"], ["e"])])], 1)):
            with self.subTest(name):
                warnings = self.warnings_of(nodes, "roofline:cpu")
                self.assertTrue(any(w.startswith(f"{kept} {stays}") for w in warnings), warnings)

    def warnings_of(self, nodes, cost):
        """Of a run on the nodes, which know a number that is `far`."""
        with tempfile.TemporaryDirectory() as folder:
            original = model(nodes)
            original.graph.initializer.append(numpy_helper.from_array(np.float32(1e9), "far"))
            path = Path(folder) / "m.onnx"
            onnx.save(original, path)
            done = subprocess.run([PROGRAM, "-q", "optimize", path, "-o", Path(folder) / "o.onnx", "--json", "--pairs", "6", "--cost", cost],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["warnings"]

    def test_what_is_not_measured_elsewhere_keeps_no_branch(self):
        """Costs are sure of a branch whose operators are all measured; another has an If within, of which no cost is."""
        nested = an_if("d", "t", [helper.make_node("Abs", ["x"], ["tt"])], [helper.make_node("Relu", ["x"], ["te"])])
        nodes = [helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0), helper.make_node("Greater", ["most", "far"], ["is_far"]),
                 an_if("is_far", "i", [nested], [helper.make_node("Relu", ["x"], ["o"])]),
                 an_if("is_far", "j", roundabout("x", "u", "a"), [helper.make_node("Abs", ["x"], ["v"])]), helper.make_node("Add", ["i", "j"], ["y"])]
        warnings = self.warnings_of(nodes, "onnxruntime")
        self.assertFalse(any("bodies stay as they are" in w for w in warnings), warnings)

    def test_what_is_captured_is_not_copied(self):
        with tempfile.TemporaryDirectory() as folder:
            then = [*roundabout("x", "t", "a"), helper.make_node("Relu", ["t"], ["r"]),
                    helper.make_node("MatMul", ["r", "weight"], ["u"])]
            _, written = self.optimize(model([an_if("c", "y", then, [helper.make_node("MatMul", ["x", "weight"], ["e"])])]), folder)
            stored = [t.name for g in bodies(written.graph.node) for t in g.initializer]
            self.assertNotIn("weight", stored)
            captured = {i for g in bodies(written.graph.node) for n in g.node for i in n.input}
            self.assertIn("weight", captured)

    def test_what_one_branch_alone_reads_is_put_into_it(self):
        then = [*roundabout("x", "t", "a"), helper.make_node("Relu", ["t"], ["r"]), helper.make_node("MatMul", ["r", "weight"], ["u"])]
        for outside in (False, True):
            with self.subTest(outside=outside), tempfile.TemporaryDirectory() as folder:
                nodes = [an_if("c", "i", then, [helper.make_node("Relu", ["x"], ["e"])]),
                         *([helper.make_node("MatMul", ["i", "weight"], ["y"])] if outside else [helper.make_node("Abs", ["i"], ["y"])])]
                original = model(nodes)
                _, written = self.optimize(original, folder)
                stored = [t.name for g in bodies(written.graph.node) for t in g.initializer]
                self.assertEqual("weight" in stored, not outside)
                self.assertEqual("weight" in [t.name for t in written.graph.initializer], outside)
                self.check(original, written)

    def test_names_do_not_hide_others(self):
        """What was written is optimised once more: its own new names are the program's by then."""
        with tempfile.TemporaryDirectory() as folder:
            original = model(CASES["an if within a loop"])
            _, once = self.optimize(original, folder)
            _, twice = self.optimize(once, folder)
            self.check(original, twice)

    def test_the_report_draws_what_bodies_cost(self):
        """Nodes add up to the cost of the program that has them, in both drawings."""
        for name in ("both branches", "loop", "scan"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                page = Path(folder) / "page.html"
                result, _ = self.optimize(model(CASES[name]), folder, "--report", page)
                found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
                graphs = json.loads(found.group(1))["graphs"]
                for side, cost in (("before", result["cost_before"]), ("after", result["cost_after"])):
                    drawn = sum(n["cost"] or 0 for n in graphs[side]["nodes"])
                    self.assertAlmostEqual(drawn, cost, delta=1e-6 * cost, msg=side)

    def test_a_name_as_rules_have_one(self):
        for flags in (["--disable-rule", "better-body"], ["--disable-rule", "better-body", "--disable-rule", "neg-neg"]):
            with self.subTest(flags), tempfile.TemporaryDirectory() as folder:
                result, _ = self.optimize(model(CASES["both branches"]), folder, *flags)
                self.assertNotIn("better-body", result["rules_applied"])
                self.assertIn("better-body", result["rules_left_out"]["--disable-rule"])

    def test_costs_and_operators_of_the_runtime(self):
        for flags in ({"cost": "onnxruntime"}, {"target": "onnxruntime"}, {"cost": "onnxruntime", "target": "onnxruntime"}):
            for name in ("both branches", "loop", "scan", "an if within a loop"):
                with self.subTest(name, **flags), tempfile.TemporaryDirectory() as folder:
                    original = model(CASES[name])
                    target = ["--target", flags["target"]] if "target" in flags else []
                    result, written = self.optimize(original, folder, *target, cost=flags.get("cost", "roofline:cpu"))
                    self.assertIn("better-body", result["rules_applied"])
                    self.assertLess(result["cost_after"], result["cost_before"])
                    self.check(original, written)

    def test_a_scan_that_captures(self):
        scaled = [helper.make_node("Neg", ["row"], ["n"]), helper.make_node("Neg", ["n"], ["p"]),
                  helper.make_node("Mul", ["p", "first"], ["r"]), helper.make_node("Add", ["sum", "r"], ["sum_then"]),
                  helper.make_node("Identity", ["sum_then"], ["out"])]
        first = [helper.make_node("Slice", ["x", "zero", "one", "zero"], ["row_0"]), helper.make_node("Squeeze", ["row_0", "zero"], ["first"])]
        for sizes, rows in (((4, 8), (4,)), (("rows", 8), (1, 5))):
            with self.subTest(sizes), tempfile.TemporaryDirectory() as folder:
                original = model([*first, a_scan(scaled, "y")], sizes)
                original.graph.initializer.extend([numpy_helper.from_array(np.array([n], np.int64), name)
                                                   for name, n in (("zero", 0), ("one", 1))])
                result, written = self.optimize(original, folder)
                self.assertIn("better-body", result["rules_applied"])
                for count in rows:
                    self.check(original, written, count)

    def test_equal_bodies_of_other_rounds_have_prices_of_their_own(self):
        def loops(*rounds):
            nodes = []
            for number, count in enumerate(rounds):
                loop = a_loop(roundabout("s", "s_then", "l"), "s", f"y{number}")
                loop.input[0] = f"rounds{number}"
                nodes.append(loop)
            original = model([*nodes, helper.make_node("Sum", [f"y{n}" for n in range(len(rounds))], ["y"])])
            original.graph.initializer.extend([numpy_helper.from_array(np.int64(c), f"rounds{n}") for n, c in enumerate(rounds)])
            return original
        costs = {}
        for rounds in ((2, 3), (2, 300), (300, 2), (300, 301)):
            with tempfile.TemporaryDirectory() as folder:
                costs[rounds] = self.optimize(loops(*rounds), folder, "--dry-run")[0]["cost_before"]
        self.assertAlmostEqual(costs[2, 300], costs[300, 2], delta=1e-6 * costs[300, 2])
        self.assertLess(10 * costs[2, 3], costs[2, 300])
        self.assertLess(1.5 * costs[2, 300], costs[300, 301])

    def test_no_time(self):
        with tempfile.TemporaryDirectory() as folder:
            original = model(CASES["an if within a loop"])
            _, written = self.optimize(original, folder, "--time-limit", "1ms")
            self.check(original, written)

    def test_random_numbers_stay(self):
        drawn = [helper.make_node("RandomUniformLike", ["x"], ["u"]), helper.make_node("Neg", ["u"], ["n"]),
                 helper.make_node("Neg", ["n"], ["t"])]
        with tempfile.TemporaryDirectory() as folder:
            result, written = self.optimize(model([an_if("c", "y", drawn, roundabout("x", "e", "b"))]), folder)
            self.assertNotIn("better-body", result["rules_applied"])
            self.assertTrue(any("bodies stay as they are: it may have effects" in w for w in result["warnings"]), result["warnings"])
            self.assertEqual([len(g.node) for g in bodies(written.graph.node)], [5, 3])

    def test_a_state_that_grows(self):
        grows = [helper.make_node("Concat", ["s", "x"], ["s_then"], axis=0)]
        body = helper.make_graph([helper.make_node("Identity", ["goes_on"], ["goes_on_then"]), *grows], "body",
                                 [value("round", INT64, ()), value("goes_on", BOOL, ()), value("s", FLOAT, (None, 8))],
                                 [value("goes_on_then", BOOL, ()), value("s_then", FLOAT, (None, 8))])
        loop = helper.make_node("Loop", ["rounds", "always", "x"], ["all"], body=body)
        with tempfile.TemporaryDirectory() as folder:
            nodes = [loop, helper.make_node("Slice", ["all", "zero", "four"], ["y"])]
            original = model(nodes)
            original.graph.initializer.extend([numpy_helper.from_array(np.array([0], np.int64), "zero"),
                                               numpy_helper.from_array(np.array([4], np.int64), "four")])
            result, written = self.optimize(original, folder)
            self.assertTrue(any("changes its size from round to round" in w for w in result["warnings"]), result["warnings"])
            self.check(original, written)


if __name__ == "__main__":
    unittest.main()
