"""The engine's parts as Python has them, on small programs whose answers are known."""

import json
import math
import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

import isomer

MODELS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "runtime"
RATIO = """
graph ratio {
  %0 = input{name="a"} : f32[2,3]
  %1 = input{name="b"} : f32[2,3]
  %2 = exp(%0) : f32[2,3]
  %3 = exp(%1) : f32[2,3]
  %4 = div(%2, %3) : f32[2,3]
  return %4
}
"""
RULE = "rule quotient { (div (exp ?x) (exp ?y)) => (exp (sub ?x ?y)); }"
CHAIN = """
graph chain {
  %0 = input{name="x"} : f32[3,8]
  %1 = weight{name="a"} : f32[8,4]
  %2 = weight{name="b"} : f32[4,2]
  %3 = matmul(%0, %1) : f32[3,4]
  %4 = matmul(%3, %2) : f32[3,2]
  return %4
}
"""
ASSOCIATES = "rule associates { (matmul (matmul ?x ?a) ?b) => (matmul ?x (matmul ?a ?b)); }"


class Graphs(unittest.TestCase):
    def test_nodes_say_what_they_are(self):
        graph = isomer.Graph.parse(RATIO)
        self.assertEqual(graph.operators, {"input": 2, "exp": 2, "div": 1})
        self.assertEqual([node.op for node in graph.nodes], ["input", "input", "exp", "exp", "div"])
        last = graph.node(4)
        self.assertEqual((last.type.dtype, last.type.shape, last.inputs), ("f32", [2, 3], [2, 3]))
        self.assertEqual(graph.outputs, [4])
        self.assertEqual(graph.node(0).attributes["name"], "a")
        self.assertEqual(str(isomer.Graph.parse(str(graph))), str(graph))
        with self.assertRaises(isomer.UsageError):
            graph.node(5)

    def test_models_are_read_and_written(self):
        graph = isomer.Graph.load(MODELS / "layer.onnx")
        self.assertEqual(graph.node(graph.inputs[0]).type.shape, ["batch", 4])
        self.assertEqual(isomer.Graph.load(MODELS / "layer.onnx", dims={"batch": 2}).node(0).type.shape, [2, 4])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "copy.onnx"
            graph.save(path)
            self.assertTrue(isomer.compare(MODELS / "layer.onnx", path))
            with self.assertRaises(isomer.UsageError):
                graph.save(pathlib.Path(folder) / "copy.txt")

    def test_equivalence(self):
        graph = isomer.Graph.parse(RATIO)
        self.assertTrue(graph.equivalent(isomer.Graph.parse(RATIO, beside=graph)))
        self.assertFalse(graph.equivalent(isomer.Graph.parse(RATIO.replace("div(%2, %3)", "div(%3, %2)"), beside=graph)))
        with self.assertRaises(isomer.UsageError):
            graph.equivalent(isomer.Graph.parse(RATIO))


class Rules(unittest.TestCase):
    def test_sets(self):
        rules = isomer.RuleSet.parse(RULE + ASSOCIATES)
        self.assertEqual(rules.names, ["quotient", "associates"])
        self.assertEqual([rule.name for rule in rules], rules.names)
        self.assertEqual(rules["associates"].name, rules[1].name)
        self.assertEqual(rules.filter(lambda rule: "quo" in rule.name).names, ["quotient"])
        self.assertEqual(rules.filter(["associates"]).names, ["associates"])
        self.assertEqual(len(rules + rules.filter(["quotient"])), 3)
        self.assertIn("div", str(rules[0]))
        with self.assertRaises(isomer.UsageError):
            rules["quotients"]
        with self.assertRaises(IndexError):
            rules[2]

    def test_shipped(self):
        for name in isomer.RuleSet.shipped_names():
            self.assertGreater(len(isomer.RuleSet.shipped(name)), 0, name)
        with self.assertRaisesRegex(isomer.UsageError, "did you mean algebra"):
            isomer.RuleSet.shipped("algebre")

    def test_verdicts(self):
        wrong = "rule wrong { (sub ?x ?y) => (sub ?y ?x); }"
        right, slip = isomer.RuleSet.parse(RULE + wrong).check(instances=8)
        self.assertTrue(right)
        self.assertFalse(slip)
        self.assertEqual((right.rule, slip.verdict), ("quotient", "refuted"))

    def test_what_no_time_is_left_for_is_unknown(self):
        (verdict,) = isomer.RuleSet.parse(RULE).check(time_limit=0)
        self.assertEqual((verdict.rule, verdict.verdict, bool(verdict)), ("quotient", "unknown", False))
        self.assertIn("no time was left", verdict.summary)

    def test_a_fault_says_where(self):
        with self.assertRaisesRegex(isomer.InputError, "mine:1"):
            isomer.RuleSet.parse("rule x { (nothing ?x) => ?x; }", "mine")


class EGraphs(unittest.TestCase):
    def setUp(self):
        self.graph = isomer.Graph.parse(RATIO)
        self.egraph = isomer.EGraph(self.graph)
        self.rules = isomer.RuleSet.parse(RULE)

    def test_run(self):
        growth = self.egraph.run(self.rules)
        self.assertEqual((growth.stop_reason, growth.rules, growth.e_nodes), ("saturated", {"quotient": 1}, 7))
        self.assertEqual(self.egraph.check_invariants(), "")
        result = self.egraph.eclass(self.egraph.roots[0])
        self.assertEqual({self.egraph.enode(n).op for n in result.nodes}, {"div", "exp"})
        made = [self.egraph.enode(n) for n in result.nodes if self.egraph.enode(n).op == "exp"][0]
        self.assertEqual(made.rule, "quotient")
        self.assertEqual(made.eclass, result.id)

    def test_match_by_match(self):
        before = self.egraph.clone()
        matches = self.egraph.matches(self.rules)
        self.assertEqual(len(matches), 1)
        match = matches[0]
        self.assertEqual((match.rule, match.roots), ("quotient", self.egraph.roots))
        self.assertEqual(match.tensors, {"x": self.egraph.class_of(0), "y": self.egraph.class_of(1)})
        self.assertTrue(self.egraph.apply(match))
        self.assertFalse(self.egraph.apply(match), "it is there")
        self.assertEqual(len(self.egraph.matches(self.rules)), 0)
        self.assertEqual(len(self.egraph.matches(self.rules, only_new=False)), 1)
        self.assertEqual((len(before), len(self.egraph)), (5, 7))
        self.assertEqual(before.apply_all(matches, [0]), 1, "matches hold in copies")
        with self.assertRaises(isomer.UsageError):
            isomer.EGraph(isomer.Graph.parse(RATIO)).apply(match)
        with self.assertRaisesRegex(isomer.UsageError, "another e-graph"):
            isomer.EGraph(self.graph).apply(match)

    def test_matches_of_a_copy_that_grew_apart(self):
        one, other = self.egraph.clone(), self.egraph.clone()
        more = isomer.RuleSet.parse("rule more { (exp ?x) => (exp (neg (neg ?x))); }")
        old = one.matches(more)
        one.apply(old[0])
        new = one.matches(self.rules)
        with self.assertRaisesRegex(isomer.UsageError, "grew apart"):
            other.apply_all(new, range(len(new)))
        self.assertEqual(other.apply_all(old, range(len(old))), len(old), "these are of what both once were")
        self.assertGreater(one.clone().apply_all(new, [0]), 0)

    def test_wrong_numbers_change_nothing(self):
        matches = self.egraph.matches(self.rules)
        with self.assertRaisesRegex(isomer.UsageError, "no number 9"):
            self.egraph.apply_all(matches, [0, 9])
        self.assertEqual((len(self.egraph), self.egraph.check_invariants()), (5, ""))
        self.assertEqual(self.egraph.apply_all(matches, [0]), 1)

    def test_matches_outlive_their_rules(self):
        matches = self.egraph.matches(isomer.RuleSet.parse(RULE))
        for i in range(40):
            self.egraph.matches(isomer.RuleSet.parse(RULE.replace("quotient", f"other{i}")))
        self.assertEqual(matches[0].rule, "quotient")
        self.assertTrue(self.egraph.apply(matches[0]))

    def test_attributes_of_a_match(self):
        egraph = isomer.EGraph(isomer.Graph.parse(RATIO.replace("%4 = div(%2, %3) : f32[2,3]", "%4 = cast{to=f64}(%3) : f64[2,3]")))
        rules = isomer.RuleSet.parse("rule early { (cast{to=?t} (exp ?x)) => (exp (cast{to=?t} ?x)); }")
        self.assertEqual(egraph.matches(rules)[0].attributes, {"t": "f64"})

    def test_equality(self):
        other = isomer.Graph.parse("""graph other {
            %0 = input{name="a"} : f32[2,3]
            %1 = input{name="b"} : f32[2,3]
            %2 = sub(%0, %1) : f32[2,3]
            %3 = exp(%2) : f32[2,3]
            return %3
          }""", beside=self.graph)
        (added,), (root,) = self.egraph.add(other), self.egraph.roots
        self.assertFalse(self.egraph.equal(added, root))
        self.egraph.run(self.rules)
        self.assertTrue(self.egraph.equal(added, root))

    def test_arrays(self):
        arrays = self.egraph.arrays()
        names = isomer.operator_names()
        self.assertEqual(sorted(names[op] for op in arrays["op"]), ["div", "exp", "exp", "input", "input"])
        self.assertEqual(len(arrays["first_child"]), len(arrays["node"]) + 1)
        self.assertEqual(len(arrays["children"]), 4)
        self.assertEqual(arrays["op"].dtype, np.uint32)

    def test_words_that_do_not_exist(self):
        with self.assertRaises(isomer.Error):
            self.egraph.run(self.rules, scheduler="none")
        with self.assertRaises(isomer.UsageError):
            self.egraph.run(self.rules, cycles="bi")


class Extractions(unittest.TestCase):
    def setUp(self):
        self.graph = isomer.Graph.parse(CHAIN)
        self.egraph = isomer.EGraph(self.graph)
        self.egraph.run(isomer.RuleSet.parse(ASSOCIATES))

    def test_by_name(self):
        for extractor in ("auto", "greedy", "dag-greedy", "ilp"):
            found = self.egraph.extract("ast-size", extractor)
            self.assertEqual((found.cost, found.rules), (1, {"associates": 2}), extractor)
            self.assertTrue(found.graph.equivalent(self.graph))
        self.assertEqual(self.egraph.cost("ast-size"), 1)
        self.assertEqual(self.egraph.extract("ast-size", weights_free=False).cost, 2)
        with self.assertRaisesRegex(isomer.UsageError, "only programs are measured"):
            self.egraph.extract("onnxruntime")

    def test_a_cost_that_is_a_function(self):
        seen = []

        def cost(operator):
            seen.append((operator.op, [t.shape for t in operator.operands], operator.flops))
            return 1.0

        self.assertEqual(self.egraph.extract(cost).cost, 1)
        self.assertIn(("matmul", [[3, 8], [8, 4]], 2.0 * 3 * 8 * 4), seen)
        self.assertEqual(len(seen), len(set(map(str, seen))), "asked once of operators that are alike")
        never = self.egraph.extract(lambda operator: math.inf if operator.operands[0].shape == [3, 8] and
                                    operator.operands[1].shape == [8, 2] else 1.0)
        self.assertEqual(never.cost, 2)

    def test_a_cost_that_is_none(self):
        with self.assertRaisesRegex(isomer.UsageError, "at least 0"):
            self.egraph.extract(lambda operator: -1.0)
        for extractor in ("auto", "greedy"):
            with self.assertRaisesRegex(isomer.UsageError, "at most 1e\\+290"):
                self.egraph.extract(lambda operator: 1e308, extractor)
            self.assertEqual(self.egraph.extract(lambda operator: 1e290, extractor).cost, 1e290)
        with self.assertRaises(ZeroDivisionError):
            self.egraph.extract(lambda operator: 1 / 0)
        with self.assertRaisesRegex(isomer.UsageError, "cannot change it"):
            self.egraph.extract(lambda operator: self.egraph.run(isomer.RuleSet.parse(ASSOCIATES)) and 1.0)
        self.assertEqual(self.egraph.extract(lambda operator: self.egraph.cost("ast-size")).cost, 1, "it may be asked")

    def test_a_function_that_gives_something_else(self):
        for cost in (None, "a", []):
            with self.assertRaisesRegex(isomer.UsageError, "expected a number"):
                self.egraph.extract(lambda operator: cost)
        for picks in (None, [2**70], "ab"):
            with self.assertRaisesRegex(isomer.UsageError, "expected a node or -1"):
                self.egraph.extract("ast-size", lambda problem: picks)
        with self.assertRaisesRegex(isomer.UsageError, "expected a node or -1"):
            self.egraph.extract("ast-size", lambda problem: problem.solve("ilp"))

    def test_a_cost_may_ask_for_long_work(self):
        def cost(operator):
            self.assertTrue(self.graph.equivalent(self.graph))
            return self.egraph.extract("ast-size").cost

        self.assertEqual(self.egraph.cost(cost), 1)
        self.assertEqual(self.egraph.problem(cost).solve().cost, 1)
        with tempfile.TemporaryDirectory() as folder:
            self.egraph.save(pathlib.Path(folder) / "egraph.json", cost)

    def test_an_extractor_that_is_a_function(self):
        found = self.egraph.extract("ast-size", lambda problem: problem.solve("ilp").picks.tolist())
        self.assertEqual(found.cost, 1)
        with self.assertRaisesRegex(isomer.UsageError, "no selection"):
            self.egraph.extract("ast-size", lambda problem: [-1] * problem.class_count)
        with self.assertRaisesRegex(isomer.UsageError, "for each of the"):
            self.egraph.extract("ast-size", lambda problem: [0])

    def test_cycles_are_found(self):
        text = """{"nodes": {
            "a": {"op": "f", "children": ["b"], "eclass": "A"}, "a2": {"op": "x", "children": [], "eclass": "A", "cost": 9},
            "b": {"op": "g", "children": ["a"], "eclass": "B"}}, "root_eclasses": ["A"]}"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cycle.json"
            path.write_text(text)
            problem = isomer.ExtractionProblem.load(path)
        self.assertEqual(problem.solve().cost, 9)
        self.assertEqual(problem.check([1, -1]).cost, 9)
        with self.assertRaisesRegex(isomer.UsageError, "no selection"):
            problem.check([0, 2])


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "egraph.json"

    def test_there_and_back(self):
        graph = isomer.Graph.load(MODELS / "square_40.onnx")
        egraph = isomer.EGraph(graph)
        egraph.run(isomer.RuleSet.shipped("default"), iterations=2, node_limit=500)
        egraph.save(self.path, "roofline:a100")
        again = isomer.EGraph.load(self.path, graph)
        self.assertEqual(again.check_invariants(), "")
        self.assertEqual(len(again), len(egraph))
        self.assertEqual(again.extract("roofline:a100").cost, egraph.extract("roofline:a100").cost)
        self.assertEqual(isomer.ExtractionProblem.load(self.path).solve().cost, egraph.extract("roofline:a100").cost)
        nodes = json.loads(self.path.read_text())["nodes"]
        self.assertTrue(all({"op", "children", "eclass", "cost"} <= set(node) for node in nodes.values()))

    def test_another_program(self):
        isomer.EGraph(isomer.Graph.parse(CHAIN)).save(self.path)
        with self.assertRaisesRegex(isomer.InputError, "another one's"):
            isomer.EGraph.load(self.path, isomer.Graph.parse(RATIO))

    def test_the_same_program_in_another_order(self):
        isomer.EGraph(isomer.Graph.parse(RATIO)).save(self.path)
        swapped = RATIO.replace("%2 = exp(%0)", "%2 = exp(%1)").replace("%3 = exp(%1)", "%3 = exp(%0)")
        with self.assertRaisesRegex(isomer.InputError, "another one's"):
            isomer.EGraph.load(self.path, isomer.Graph.parse(swapped.replace("div(%2, %3)", "div(%3, %2)")))

    def test_of_others(self):
        self.path.write_text('{"nodes": {"a": {"op": "x", "eclass": "A"}}, "root_eclasses": ["A"]}')
        with self.assertRaisesRegex(isomer.InputError, "operators it does not say"):
            isomer.EGraph.load(self.path, isomer.Graph.parse(RATIO))

    def test_page(self):
        egraph = isomer.EGraph(isomer.Graph.parse(RATIO.replace("graph ratio", 'graph "a<b"')))
        egraph.run(isomer.RuleSet.parse(RULE))
        page = pathlib.Path(self.folder.name) / "page.html"
        egraph.to_html(page)
        text = page.read_text()
        self.assertIn("a&lt;b", text)
        self.assertIn('"rule":"quotient"', text)


class Interrupts(unittest.TestCase):
    def test_a_run_ends_at_once_and_the_e_graph_stays_good(self):
        egraph = isomer.EGraph(isomer.Graph.load(MODELS.parent / "tensat" / "models" / "dag" / "bert.dag"), "fast")
        rules = isomer.RuleSet.shipped("tensat")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                egraph.clone().run(rules, multi_steps=3, iterations=10**6, node_limit=10**6, time_limit=30, scheduler="simple")
        self.assertEqual(egraph.check_invariants(), "")
        self.assertGreater(egraph.cost("ast-size"), 0)

    def test_a_function_of_python_ends_too(self):
        egraph = isomer.EGraph(isomer.Graph.parse(CHAIN))
        started = time.monotonic()

        def forever(problem):
            while time.monotonic() - started < 60:
                pass

        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            egraph.extract("ast-size", forever)
        self.assertLess(time.monotonic() - started, 30)
        self.assertEqual(egraph.cost("ast-size"), 2)


class Threads(unittest.TestCase):
    def test_who_looks_while_another_thread_works_waits(self):
        egraph = isomer.EGraph(isomer.Graph.load(MODELS.parent / "tensat" / "models" / "dag" / "nasrnn.dag"), "fast")
        worker = threading.Thread(target=egraph.run, args=(isomer.RuleSet.shipped("tensat"),),
                                  kwargs={"multi_steps": 2, "node_limit": 20_000, "time_limit": 20})
        worker.start()
        while worker.is_alive():
            looked = [len(egraph), egraph.roots, egraph.class_of(egraph.source.outputs[0]), egraph.find(1),
                      egraph.eclass(1).nodes, egraph.enode(0).op, len(egraph.class_ids), len(egraph.node_ids),
                      len(egraph.arrays()["op"]), repr(egraph), egraph.check_invariants()]
            self.assertEqual(looked[-1], "")
        worker.join()


if __name__ == "__main__":
    unittest.main()
