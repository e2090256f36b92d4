"""StableHLO and isomer.jax, by real jax."""

import functools
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

if importlib.util.find_spec("jax") is None:
    raise unittest.SkipTest("the package jax is not installed")

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

import isomer
import isomer.hlo
import isomer.jax


def chain(weights, x):
    """A product of matrices before a vector: contraction-order turns it round."""
    return {"y": weights["a"] @ weights["b"] @ x, "n": weights["n"] + 1}, x


WEIGHTS = {"a": jax.random.normal(jax.random.key(0), (60, 70)), "b": jax.random.normal(jax.random.key(1), (70, 80)), "n": jnp.int32(3)}
X = jax.random.normal(jax.random.key(2), (80,))


def exported(f, *args, **options):
    return export.export(jax.jit(f, **options), platforms=["cpu"])(*args)


class StableHlo(unittest.TestCase):
    def test_all_that_jax_exports_is_one_module(self):
        module = exported(chain, WEIGHTS, X)
        text = isomer.HloEnv(module.mlir_module())
        self.assertEqual(isomer.HloEnv(module.mlir_module_serialized).hash, text.hash)
        self.assertEqual(isomer.HloEnv(bytes(module.serialize())).hash, text.hash)
        self.assertEqual(isomer.HloEnv(jax.jit(chain).lower(WEIGHTS, X).as_text()).hash, text.hash)
        self.assertEqual(isomer.HloEnv(text.stablehlo).hash, text.hash)
        self.assertEqual(isomer.HloEnv(text.portable_artifact).hash, text.hash)

    def test_files(self):
        env = isomer.HloEnv(exported(chain, WEIGHTS, X).mlir_module())
        with tempfile.TemporaryDirectory() as folder:
            for name, first in (("f.mlir", b"module"), ("f.mlirbc", b"ML\xefR"), ("f.hlo", b"HloModule")):
                env.save(Path(folder) / name)
                self.assertTrue((Path(folder) / name).read_bytes().startswith(first), name)
                self.assertEqual(isomer.HloEnv(Path(folder) / name).hash, env.hash)

    def test_control_flow_constants_and_memory_that_is_given_away(self):
        table = np.arange(5000, dtype=np.float32)  # more than XLA prints without being asked

        def f(x):
            return jax.lax.fori_loop(0, 3, lambda i, y: jnp.tanh(y + table), x)

        env = isomer.HloEnv(exported(f, jnp.ones(5000), donate_argnums=0).mlir_module())
        self.assertIn("input_output_alias", env.text)
        again = isomer.HloEnv(env.portable_artifact)
        self.assertNotIn("{...}", again.text)
        self.assertGreater(env.evaluate(rounds=1), 0)

    def test_what_is_none_is_refused_with_its_place(self):
        with self.assertRaisesRegex(isomer.InputError, "module:2:3: custom op 'stablehlo.frobnicate' is unknown"):
            isomer.HloEnv("module {\n  stablehlo.frobnicate\n}\n")
        with self.assertRaisesRegex(isomer.InputError, "module: neither MLIR nor what jax.export serialized"):
            isomer.HloEnv(b"\0\1\2\3" * 20)


def rewritten(source, **_):
    """In isomer.hlo.optimize's place: contraction-order, taken as faster."""
    env = isomer.HloEnv(source)
    taken = env.run(["call-inliner", "contraction-order"])
    return env, isomer.hlo.HloReport(changed=taken > 0, why="for a test", made_by="contraction-order", verification="field; floats 0", speedup=(2.0, 1.9, 2.1), evaluations=100,
                                     runtime_before_us=2.0, runtime_after_us=1.0, difference=0.0, xla="", candidates=[], seconds=0.0)


class FrontDoor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with mock.patch.object(isomer.hlo, "optimize", rewritten):
            cls.fast = staticmethod(isomer.jax.optimize(chain, WEIGHTS, X))

    def agree(self, ours, reference):
        jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-3), ours, reference)

    def test_its_program_is_the_rewritten_one(self):
        self.assertTrue(self.fast.report.changed)
        self.assertIn("for a test", repr(self.fast))
        lowered = jax.jit(self.fast).lower(WEIGHTS, X).as_text()
        self.assertNotIn("tensor<60x80xf32>", lowered)
        self.assertIn("tensor<60x80xf32>", jax.jit(chain).lower(WEIGHTS, X).as_text())
        self.agree(self.fast(WEIGHTS, X), chain(WEIGHTS, X))

    def test_in_the_callers_own(self):
        both = lambda f: lambda w, x: f(w, 2 * x)[0]["y"].sum()  # noqa: E731
        self.agree(jax.jit(both(self.fast))(WEIGHTS, X), both(chain)(WEIGHTS, X))
        self.agree(jax.grad(both(self.fast), 1)(WEIGHTS, X), jax.grad(both(chain), 1)(WEIGHTS, X))
        self.agree(jax.jvp(lambda x: both(self.fast)(WEIGHTS, x), (X,), (X,)), jax.jvp(lambda x: both(chain)(WEIGHTS, x), (X,), (X,)))
        many = jnp.stack([X, 2 * X])
        self.agree(jax.vmap(self.fast, (None, 0))(WEIGHTS, many), jax.vmap(chain, (None, 0))(WEIGHTS, many))

    def test_other_arguments_go_to_the_function_itself(self):
        wide = jnp.stack([X, X], 1)
        self.agree(self.fast(WEIGHTS, wide), chain(WEIGHTS, wide))
        self.agree(self.fast(WEIGHTS, x=X), chain(WEIGHTS, X))

    def test_what_differs_is_not_taken(self):
        def other(source, **_):
            return isomer.HloEnv(exported(lambda w, x: ({"y": 2 * chain(w, x)[0]["y"], "n": w["n"] + 1}, x), WEIGHTS, X).mlir_module()), rewritten(source)[1]

        with mock.patch.object(isomer.hlo, "optimize", other):
            kept = isomer.jax.optimize(chain, WEIGHTS, X)
        self.assertIs(kept.function, chain)
        self.assertRegex(kept.report.why, "on the example arguments result 1 differs")

    def test_where_nothing_is_gained_the_function_comes_back(self):
        f = jax.jit(lambda x: jnp.tanh(x))
        kept = isomer.jax.optimize(f, jax.ShapeDtypeStruct((8,), jnp.float32), time_limit=5)
        self.assertIs(kept.function, f)
        self.assertEqual(kept.report.why, "no rewrite applies")
        self.assertGreater(kept.report.runtime_before_us, 0)

    def test_what_jax_cannot_export_is_said(self):
        with self.assertRaisesRegex(isomer.InputError, "jax cannot export the function"):
            isomer.jax.optimize(lambda x: 1 if x > 0 else 2, X[0])

    def test_isomer_itself_imports_no_jax(self):
        subprocess.run([sys.executable, "-c", "import isomer, isomer.hlo, sys; assert 'jax' not in sys.modules"], check=True)


if __name__ == "__main__":
    unittest.main()
