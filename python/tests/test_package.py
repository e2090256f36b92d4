"""The Python package over the real engine, on models of tests/data/runtime."""

import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import onnx

import isomer

MODELS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "runtime"


class Optimize(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "out.onnx")

    def test_path_in_path_out(self):
        lines = []
        result = isomer.optimize(MODELS / "layer.onnx", self.out, cost="roofline:a100", time_limit=5,
                                 message=lines.append)
        self.assertTrue(os.path.exists(self.out))
        onnx.checker.check_model(self.out, full_check=True)
        self.assertEqual(result.output, self.out)
        self.assertGreater(result.nodes_before, 0)
        self.assertTrue(isomer.compare(MODELS / "layer.onnx", self.out))
        self.assertEqual(set(result.as_dict()), set(isomer._isomer.RESULT_FIELDS))
        self.assertIn("nodes", repr(result))

    def test_without_rewriting_outputs_are_bit_equal(self):
        isomer.optimize(MODELS / "layer.onnx", self.out, no_rewrite=True)
        same = isomer.compare(MODELS / "layer.onnx", self.out, tolerance=0)
        self.assertTrue(same.equivalent, same.detail)
        self.assertEqual(same.max_relative_error, 0)

    def test_model_in_model_out(self):
        model = onnx.load(MODELS / "layer.onnx")
        before = model.SerializeToString(deterministic=True)
        result = isomer.optimize(model, no_rewrite=True)
        self.assertEqual(model.SerializeToString(deterministic=True), before, "the given model is left alone")
        self.assertIsInstance(result.model, onnx.ModelProto)
        onnx.checker.check_model(result.model)
        self.assertTrue(isomer.compare(model, result.model, tolerance=0))

    def test_dims_as_dictionary(self):
        isomer.optimize(MODELS / "layer.onnx", self.out, no_rewrite=True, dims={"batch": 3})
        shape = onnx.load(self.out).graph.input[0].type.tensor_type.shape
        self.assertEqual([d.dim_value for d in shape.dim], [3, 4])

    def test_sizes_at_which_it_is_measured(self):
        result = isomer.optimize(MODELS / "layer.onnx", self.out, no_rewrite=True, measure_dims={"batch": 5})
        self.assertEqual(result.sizes, {"batch": 5})
        shape = onnx.load(self.out).graph.input[0].type.tensor_type.shape
        self.assertEqual(shape.dim[0].dim_param, "batch")
        self.assertGreater(isomer.optimize(MODELS / "layer.onnx", self.out, no_rewrite=True).sizes["batch"], 1)

    def test_errors_are_classes(self):
        with self.assertRaises(isomer.InputError) as caught:
            isomer.optimize(os.path.join(self.folder.name, "missing.onnx"), self.out)
        self.assertEqual(caught.exception.status, 3)
        self.assertFalse(os.path.exists(self.out))
        with self.assertRaises(isomer.UsageError):
            isomer.optimize(MODELS / "layer.onnx", self.out, cost="abacus")
        with self.assertRaisesRegex(TypeError, "time_limit"):
            isomer.optimize(MODELS / "layer.onnx", self.out, time_limmit=3)
        with self.assertRaisesRegex(TypeError, "seed"):
            isomer.optimize(MODELS / "layer.onnx", self.out, seed="three")
        with self.assertRaisesRegex(TypeError, "ModelProto"):
            isomer.optimize(np.zeros(3), self.out)

    def test_an_exit_status_names_the_class(self):
        for kind in (isomer.UsageError, isomer.InputError, isomer.VerificationError, isomer.MissingRuntimeError, isomer.Interrupted):
            self.assertIs(isomer.errors.of_status(kind.status), kind)
        self.assertIs(isomer.errors.of_status(1), isomer.Error)
        self.assertIs(isomer.errors.of_status(-9), isomer.Error, "ended by a signal")

    def test_works_off_the_main_thread(self):
        results = []
        thread = threading.Thread(target=lambda: results.append(
            isomer.optimize(MODELS / "layer.onnx", self.out, no_rewrite=True)))
        thread.start()
        thread.join()
        self.assertEqual(results[0].output, self.out)

    def test_a_callback_that_raises_is_heard(self):
        def fail(line):
            raise RuntimeError("from the callback")

        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            isomer.optimize(MODELS / "layer.onnx", self.out, cost="roofline:a100", message=fail,
                            progress=lambda *_: fail(""))

    def test_interrupt_ends_the_search_not_the_program(self):
        program = (
            "import isomer, os, signal, sys, threading\n"
            "def interrupt(*_):\n"
            "    if not seen: seen.append(os.kill(os.getpid(), signal.SIGINT))\n"
            "seen = []\n"
            f"r = isomer.optimize({str(MODELS / 'layer.onnx')!r}, {self.out!r}, cost='roofline:a100',\n"
            "                    time_limit=1e4, progress=interrupt)\n"
            "print(r.stop_reason)\n")
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(os.path.exists(self.out))


class Compare(unittest.TestCase):
    def test_tells_models_apart(self):
        self.assertTrue(isomer.compare(MODELS / "ids.onnx", MODELS / "ids.onnx"))
        other = isomer.compare(MODELS / "layer.onnx", MODELS / "layer_shifted.onnx")
        self.assertFalse(other)
        self.assertGreater(other.max_relative_error, 1e-3)
        self.assertTrue(math.isnan(other.error_probability), "a test on floats proves nothing")
        self.assertGreater(other.inputs_tried, 0)
        self.assertTrue(other.first_difference.value_a)
        self.assertEqual((other.verdict, other.except_, other.witness), ("different", "", ""))

    def test_a_stop_ends_a_comparison(self):
        stop = isomer._isomer.StopFlag()
        stop.set()
        seen = isomer.compare(MODELS / "ids.onnx", MODELS / "ids.onnx", stop=stop)
        self.assertTrue(seen.interrupted)
        self.assertEqual(seen.verdict, "undecided")

    def test_inputs_from_a_file(self):
        given = isomer.compare(MODELS / "layer.onnx", MODELS / "layer_shifted.onnx",
                               inputs=MODELS / "layer_inputs.npz")
        self.assertAlmostEqual(given.max_relative_error, 0.125 / 5, places=6)


class Options(unittest.TestCase):
    def test_every_option_has_a_meaning_and_a_default(self):
        request = isomer._isomer.OptimizeOptions()
        for name, text in isomer.option_help().items():
            self.assertTrue(text, name)
            self.assertTrue(hasattr(request, name), name)

    def test_version(self):
        version = (MODELS.parents[2] / "VERSION").read_text().strip()
        self.assertEqual(isomer.__version__, version)


if __name__ == "__main__":
    unittest.main()
