"""HLO passes in Python, and pipelines of passes."""

import tempfile
import unittest
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest("the package numpy is not installed") from error

import isomer
from isomer import hlo_passes
from isomer.errors import InputError, UsageError, VerificationError
from isomer.hlo import PASSES

SQUARES = """HloModule m

ENTRY e {
  x = f32[6,4]{1,0} parameter(0)
  s = f32[6,4]{1,0} sine(x)
  c = f32[6,4]{1,0} cosine(x)
  q = f32[6,4]{1,0} multiply(s, s)
  r = f32[6,4]{1,0} multiply(c, c)
  ROOT t = f32[6,4]{1,0} add(q, r)
}
"""


@hlo_passes.rewrite("pythagoras")
def squares_of_sine_and_cosine(x):
    if x.opcode != "add":
        return None
    a, b = x.operands
    if all(y.opcode == "multiply" and y.operands[0] == y.operands[1] for y in (a, b)):
        a, b = a.operands[0], b.operands[0]
        if (a.opcode, b.opcode) == ("sine", "cosine") and a.operands == b.operands:
            return x.constant(1)
    return None


def env_of(name, function, text=SQUARES):
    """With a pass of this one use."""
    hlo_passes.rewrite(name)(function)
    return isomer.HloEnv(text, passes=[name])


class Passes(unittest.TestCase):
    def test_is_a_pass_like_ours(self):
        self.assertIn("pythagoras", PASSES)
        env = isomer.HloEnv(SQUARES, passes=["pythagoras"])
        graph = env.dry_run()
        self.assertEqual((len(graph), graph.rules), (1, ["squares-of-sine-and-cosine"]))
        better, about = env.search("exhaustive", evaluator="roofline:cpu", time_limit=20)
        self.assertLess(about["cost_after"], about["cost_before"])
        self.assertEqual(better.instructions, 3)  # the parameter stays
        self.assertNotIn("sine", better.text)

    def test_what_is_false_is_found(self):
        env = env_of("doubles", lambda x: x.operands[0] if x.opcode == "sine" else None)
        with self.assertRaises(VerificationError) as raised:
            env.search("pick-first", evaluator="roofline:cpu", time_limit=20)
        self.assertIn("pick-first", str(raised.exception))

    def test_what_can_be_written(self):
        def ways(x):
            if not x.is_root:
                return []
            zero = x.constant(0)
            flat = x.reshape([24]).reverse([0]).reverse([0]).reshape([6, 4])
            halves = x.slice([0, 0], [3, 4]).concatenate([x.slice([3, 0], [6, 4])], 0)
            turned = x.transpose([1, 0]).transpose([1, 0])
            chosen = (x + zero).compare("GE", 0).select(x / 1, -(-x) * 1)
            wide = x.convert("f64").convert("f32") - zero
            sums = x.reduce("add", [1], 0).broadcast([6, 4], [0])
            eye = x.dot(x, ([1], [1])).dot(x, ([1], [0]))
            return [flat, halves, turned, chosen, wide, sums, eye]

        env = env_of("ways", ways)
        graph = env.dry_run()
        self.assertEqual(list(graph.options), [8])

    def test_what_is_seen(self):
        seen = {}

        def look(x):
            seen[x.opcode] = (x.element_type, x.shape, len(x.users), x.is_root, x.attribute("dimensions"), x.uniform)

        env_of("looks", look, SQUARES.replace("ROOT t", "t").replace(
            "(q, r)", "(q, r)\n  k = f32[] constant(3)\n  b = f32[6,4]{1,0} broadcast(k), dimensions={}\n  ROOT u = f32[6,4]{1,0} add(t, b)")).dry_run()
        self.assertEqual(seen["sine"], ("f32", (6, 4), 2, False, None, None))
        self.assertEqual(seen["broadcast"], ("f32", (6, 4), 1, False, (), 3.0))
        self.assertTrue(seen["add"][3])

    def test_types_are_checked_as_they_are_written(self):
        def refused(name, function, words):
            with self.assertRaises(UsageError) as raised:
                env_of(name, lambda x: function(x) if x.is_root else None).dry_run()
            self.assertIn(words, str(raised.exception))

        refused("other-sizes", lambda x: x.reshape([4, 6]), "rule <lambda>: expected f32[6,4] in the place of add, found f32[4,6]")
        refused("too-few", lambda x: x.reshape([5]), "expected")
        refused("sum-of-two-sizes", lambda x: x + x.reshape([24]), "expected")
        refused("no-opcode", lambda x: x.apply("ad", x), "opcode 'ad'")
        refused("no-dimension", lambda x: x.transpose([0, 2]), "expected dimensions below 2, found 2")

    def test_numbers_are_of_the_type(self):
        def refused(name, function, words):
            with self.assertRaises(UsageError) as raised:
                env_of(name, lambda x: function(x.convert("u8")) if x.is_root else None).dry_run()
            self.assertIn(words, str(raised.exception))

        refused("below-zero", lambda x: x * -1, "constant of u8: it holds no -1")
        refused("too-large", lambda x: x + 256, "constant of u8: it holds no 256")
        refused("in-between", lambda x: x + 0.5, "constant of u8: it holds no 0.5")
        refused("select-of-one", lambda x: x.apply("select"), "expected 3 operands, found 1")
        refused("no-combiner", lambda x: x.reduce("negate", [0], 0), "reduce by 'negate'")
        whole = env_of("whole", lambda x: x.convert("s64").constant(2**53 + 1).convert("f32") if x.is_root else None)
        self.assertEqual(len(whole.dry_run()), 1)

    def test_each_computation_has_values_of_its_own(self):
        text = """HloModule m

body {
  p = f32[4]{0} parameter(0)
  n = f32[4]{0} negate(p)
  ROOT k = f32[4]{0} negate(n)
}

ENTRY e {
  x = f32[4]{0} parameter(0)
  n.1 = f32[4]{0} negate(x)
  k.1 = f32[4]{0} negate(n.1)
  ROOT c = f32[4]{0} call(k.1), to_apply=body
}
"""
        env = env_of("doubles-by-two", lambda x: x.operands[0].operands[0] * 2 / 2
                     if x.opcode == "negate" and x.operands[0].opcode == "negate" else None, text)
        self.assertEqual(env.run(), 2)
        again = isomer.HloEnv(env.text)  # each computation names what it uses
        self.assertEqual(again.hash, env.hash)
        other = []

        def mixed(x):
            other.append(x)
            return other[0] if x.opcode == "negate" else None

        with self.assertRaises(UsageError) as raised:
            env_of("mixes", mixed, text).dry_run()
        self.assertIn("computation", str(raised.exception))

    def test_once_it_has_ended(self):
        kept = []
        env_of("keeps", lambda x: kept.append(x)).dry_run()
        with self.assertRaises(UsageError):
            kept[0].opcode  # noqa: B018

    def test_a_name_is_taken_once(self):
        with self.assertRaises(UsageError):
            hlo_passes.rewrite("algsimp")(lambda x: None)


class Pipelines(unittest.TestCase):
    def test_stages(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "p.pipeline"
            path.write_text("off pythagoras; cse;")
            env = isomer.HloEnv(SQUARES)
            self.assertEqual(env.run(pipeline=path), 0)
            path.write_text("dry pythagoras; { cse; algsimp; }")
            found, about = env.search("pick-first", evaluator="roofline:cpu", time_limit=20, pipeline=path)
            self.assertEqual(found.instructions, 3)
            self.assertGreater(env.run(pipeline=path), 0)
            self.assertEqual(env.hash, found.hash)
            path.write_text("dry nothing;")
            with self.assertRaises(InputError):
                env.run(pipeline=path)

    def test_presets(self):
        env = isomer.HloEnv(SQUARES.replace("cosine(x)", "sine(x)"))
        self.assertEqual(env.run(pipeline="hloenv-algsimp"), 0)  # nothing to simplify


if __name__ == "__main__":
    unittest.main()
