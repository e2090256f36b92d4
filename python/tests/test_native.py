"""isomer.compile: machine code against ONNX's reference evaluator, on models of tests/data/runtime."""

import os
import pathlib
import signal
import tempfile
import threading
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

    def test_arrays_may_be_read_only_or_in_another_order(self):
        expected = self.model(**self.given)
        for change in (lambda a: np.asfortranarray(a), lambda a: np.repeat(a, 2, axis=-1)[..., ::2], self._read_only):
            given = {name: change(a) for name, a in self.given.items()}
            for is_, should in zip(self.model(**given), expected):
                np.testing.assert_array_equal(is_, should)

    @staticmethod
    def _read_only(array):
        out = array.copy()
        out.flags.writeable = False
        return out

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

    def test_limits_are_numbers(self):
        for limit in (float("nan"), -5.0, -float("inf")):
            with self.subTest(limit), self.assertRaisesRegex(isomer.UsageError, "expected seconds, at least 0"):
                isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, time_limit=limit)

    def test_an_interrupt_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.so")
            timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                isomer.compile(MODELS / "layer.onnx", path, dims={"batch": 3})
            for thread in threading.enumerate():
                if thread is not threading.current_thread():
                    thread.join(60)
            self.assertEqual(os.listdir(folder), [])

    def test_by_mirage_says_what_became_of_each_piece(self):
        with self.assertRaisesRegex(isomer.UsageError, "expected default or mirage"):
            isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, recipe="mirag")
        self.assertEqual(self.model.result.pieces, [])
        sizes = {"x": (4, 64), "w": (64, 8), "v": (8, 64)}
        given = {name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, s) for name, s in sizes.items()}
        y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, (4, 64))
        nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["z"]), onnx.helper.make_node("MatMul", ["z", "v"], ["y"])]
        graph = onnx.helper.make_graph(nodes, "narrow", list(given.values()), [y])
        proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
        model = isomer.compile(proto, recipe="mirage", time_limit=10)
        rng = np.random.default_rng(3)
        x, w, v = (rng.standard_normal(s).astype(np.float32) for s in sizes.values())
        np.testing.assert_allclose(model(x, w, v)[0], x @ w @ v, rtol=1e-3, atol=1e-4)
        self.assertTrue(model.result.checked)
        self.assertEqual([piece.what for piece in model.result.pieces], ["matmul x2"])
        self.assertGreater(model.result.pieces[0].schedules, 0)
        for piece in model.result.pieces:
            self.assertEqual(piece.taken, piece.reason == "", piece.what)
        self.assertEqual(model.result.mugraphs > 0, model.result.gain.median > 1)

    def test_what_is_for_another_processor_is_not_run(self):
        with self.assertRaisesRegex(isomer.UsageError, "--no-check"):
            isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, cpu="x86-64-v2")
        with self.assertRaisesRegex(isomer.UsageError, "threads"):
            isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, threads=0)
        isomer.compile(MODELS / "layer.onnx", dims={"batch": 3}, cpu="x86-64-v4", check=False)

    def test_types_that_numpy_lacks_are_their_bits(self):
        """1.5 in each type: what is read and what is written."""
        def model(source, target):
            value = lambda name, kind: onnx.helper.make_tensor_value_info(name, kind, [2])  # noqa: E731
            graph = onnx.helper.make_graph([onnx.helper.make_node("Cast", ["x"], ["y"], to=target)], "g", [value("x", source)],
                                           [value("y", target)])
            return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)], ir_version=9)

        single = onnx.TensorProto.FLOAT
        bits = {"FLOAT8E4M3FN": (np.uint8, 0x3C), "FLOAT8E5M2": (np.uint8, 0x3E), "FLOAT8E4M3FNUZ": (np.uint8, 0x44),
                "FLOAT8E5M2FNUZ": (np.uint8, 0x42), "BFLOAT16": (np.uint16, 0x3FC0)}
        for name, (kind, pattern) in bits.items():
            other = getattr(onnx.TensorProto, name)
            read, written = (isomer.compile(model(*pair), rewrite=False, check=False) for pair in ((other, single), (single, other)))
            np.testing.assert_array_equal(read(np.full(2, pattern, kind))[0], np.full(2, 1.5, np.float32), name)
            np.testing.assert_array_equal(written(np.full(2, 1.5, np.float32))[0], np.full(2, pattern, kind), name)

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
