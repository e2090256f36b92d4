"""isomer.compile: machine code against ONNX's reference evaluator, on models of tests/data/runtime."""

import os
import pathlib
import tempfile
import unittest

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import isomer

MODELS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "runtime"


class Compile(unittest.TestCase):
    def setUp(self):
        try:
            self.model = isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, threads=2)
        except isomer.MissingRuntimeError as missing:
            self.skipTest(str(missing))
        rng = np.random.default_rng(3)
        self.given = {i["name"]: rng.standard_normal(i["shape"]).astype(np.float32) for i in self.model.inputs}

    def test_computes_what_the_model_does(self):
        expected = ReferenceEvaluator(onnx.load(MODELS / "layer.onnx")).run(None, self.given)
        for results in (self.model(**self.given), self.model(*self.given.values())):
            self.assertEqual(len(results), len(expected))
            for is_, should in zip(results, expected):
                np.testing.assert_allclose(is_, should, rtol=1e-4, atol=1e-5)
        self.assertTrue(self.model.result.checked)
        self.assertLess(self.model.result.difference, 1e-5)
        self.assertIn("isomer.CompiledModel", repr(self.model))

    def test_a_model_in_memory_and_a_file_that_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layer.so")
            isomer.compile(onnx.load(MODELS / "layer.onnx"), path, dims={"batch": 3}, rewrite=False)
            again = isomer.CompiledModel(path)
            np.testing.assert_array_equal(again(**self.given)[0], isomer.CompiledModel(path, threads=2)(**self.given)[0])

    def test_a_path_may_be_written_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.so")
            first = isomer.compile(MODELS / "layer.onnx", path, dims={"batch": 3}, rewrite=False)
            second = isomer.compile(MODELS / "layer_shifted.onnx", path, dims={"batch": 3}, rewrite=False)
            one, other = first(**self.given)[0], second(**self.given)[0]
            self.assertFalse(np.array_equal(one, other))
            np.testing.assert_array_equal(one, self.model(**self.given)[0])

    def test_what_is_for_another_processor_is_not_run(self):
        with self.assertRaisesRegex(isomer.UsageError, "--no-check"):
            isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, cpu="x86-64-v2")
        with self.assertRaisesRegex(isomer.UsageError, "threads"):
            isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, threads=0)
        isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, cpu="x86-64-v4", check=False)

    def test_wrong_inputs_are_named(self):
        first = self.model.inputs[0]["name"]
        with self.assertRaisesRegex(TypeError, f"{first!r} is missing"):
            self.model()
        with self.assertRaisesRegex(TypeError, "no input 'nothing'"):
            self.model(nothing=1, **self.given)
        with self.assertRaisesRegex(ValueError, "has shape"):
            self.model(**{**self.given, first: np.zeros((1, 1, 1, 1, 1), np.float32)})
        with self.assertRaisesRegex(TypeError, "float64"):
            self.model(**{**self.given, first: self.given[first].astype(np.float64)})

    def test_what_cannot_be_compiled_is_an_error(self):
        with self.assertRaises(isomer.InputError):
            isomer.compile(MODELS / "does_not_exist.onnx")
        with self.assertRaisesRegex(isomer.InputError, "input 'x' is f32.batch,4.*name=value"):
            isomer.compile(MODELS / "layer.onnx")


if __name__ == "__main__":
    unittest.main()
