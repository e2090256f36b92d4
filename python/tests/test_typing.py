"""What type checkers and notebooks are told, held to the module itself; Ctrl-C."""

import inspect
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest
from unittest import mock

import isomer
module = sys.modules["isomer.optimize"]  # `isomer.optimize` is the function

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests" / "data" / "runtime"


class Signatures(unittest.TestCase):
    def test_the_stub_is_what_the_module_says(self):
        run = subprocess.run([sys.executable, ROOT / "tools" / "stubs", "--check", isomer._isomer.__file__],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr + "\ntools/stubs writes it again")

    def test_the_package_says_that_it_is_typed(self):
        folder = pathlib.Path(isomer.__file__).parent
        for name in ("py.typed", "_isomer.pyi"):
            self.assertTrue((folder / name).exists(), name)

    def test_every_option_has_its_type(self):
        hints = typing.get_type_hints(module.Options)
        self.assertEqual(set(hints), set(isomer.option_help()))
        request = isomer._isomer.OptimizeOptions()
        for name, hint in hints.items():
            default = getattr(request, name)
            kinds = [typing.get_origin(h) or h for h in (typing.get_args(hint) if "|" in str(hint) else [hint])]
            self.assertIn(type(default), kinds, name)

    def test_public_functions_are_annotated(self):
        functions = [isomer.optimize, isomer.compare, isomer.compile, isomer.option_help, isomer.CompiledModel.__call__]
        functions += [f for _, f in inspect.getmembers(isomer.HloEnv, inspect.isfunction)]
        for function in functions:
            signature = inspect.signature(function)
            self.assertIsNot(signature.return_annotation, signature.empty, function.__qualname__)
            for name, parameter in signature.parameters.items():
                if name != "self":
                    self.assertIsNot(parameter.annotation, parameter.empty, f"{function.__qualname__}: {name}")


class Shown(unittest.TestCase):
    def test_a_result_is_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            result = isomer.optimize(MODELS / "layer.onnx", os.path.join(folder, "a<b>.onnx"), no_rewrite=True)
        page = result._repr_html_()
        self.assertIn("written as it was", page)
        self.assertIn(f"{result.nodes_before} → {result.nodes_after}", page)
        self.assertIn("a&lt;b&gt;.onnx", page, "text is no markup")
        self.assertNotIn("nan", page)
        self.assertEqual(page.count("<tr>"), page.count("</tr>"))

    def test_a_comparison_says_its_verdict(self):
        same = isomer.compare(MODELS / "ids.onnx", MODELS / "ids.onnx")
        self.assertIn(same.verdict, repr(same))
        self.assertIn("equivalent", same._repr_html_())
        other = isomer.compare(MODELS / "layer.onnx", MODELS / "layer_shifted.onnx")
        self.assertIn("different", repr(other))
        self.assertIn("not shown to be equivalent", other._repr_html_())


class Interrupted(unittest.TestCase):
    def hears(self, work):
        """Seconds until Ctrl-C after 0.3 s is a KeyboardInterrupt."""
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            work()
        return time.monotonic() - start

    def test_at_once(self):
        for name in ("compare", "compile"):
            with mock.patch.object(isomer._isomer, name, lambda *_: time.sleep(30)):
                function = getattr(isomer, name)
                given = [MODELS / "layer.onnx"] * (2 if name == "compare" else 1)
                self.assertLess(self.hears(lambda: function(*given)), 5, name)

    def test_errors_come_through(self):
        with self.assertRaises(isomer.InputError):
            isomer.compare(MODELS / "missing.onnx", MODELS / "layer.onnx")


if __name__ == "__main__":
    unittest.main()
