"""isomer.torch: where PyTorch and its exporter are installed, which `make test` does not ask for."""

import importlib.util
import unittest
import warnings

MISSING = [name for name in ("torch", "onnxscript", "onnxruntime") if importlib.util.find_spec(name) is None]

if not MISSING:
    import torch

    import isomer
    import isomer.torch

    class Twice(torch.nn.Module):
        """What folding makes smaller: two products of constant weights, and a norm of the batch after a product."""

        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(64, 512, bias=False), torch.nn.Linear(512, 64)
            self.norm = torch.nn.BatchNorm1d(64)

        def forward(self, x, *, shift=None):
            y = self.norm(self.second(self.first(x)))
            return {"y": y if shift is None else y + shift, "parts": (x, y.sum(-1))}


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class Torch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.module, self.x = Twice(), torch.randn(8, 64)
        warnings.filterwarnings("ignore")

    def test_computes_what_the_module_does_and_returns_what_it_returns(self):
        self.module.eval()
        fast = isomer.torch.optimize(self.module, self.x, time_limit=10)
        with torch.no_grad():
            expected, found = self.module(self.x), fast(self.x)
        torch.testing.assert_close(found["parts"], expected["parts"], rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(found["y"], expected["y"], rtol=1e-3, atol=1e-4)
        self.assertTrue(fast.result.verified)
        self.assertEqual(set(fast.seconds), {"onnxruntime", "torch"})
        self.assertIn(fast.runs, repr(fast))

    def test_leaves_the_mode_of_the_module(self):
        self.module.train()
        isomer.torch.optimize(self.module, (self.x,), {"shift": torch.ones(64)}, no_measure=True)
        self.assertTrue(self.module.training)

    def test_other_shapes_go_to_the_module(self):
        self.module.eval()
        fast = isomer.torch.optimize(self.module, self.x, no_measure=True)
        other = torch.randn(3, 64)
        with torch.no_grad():
            torch.testing.assert_close(fast(other)["y"], self.module(other)["y"])

    def test_sizes_may_be_left_open(self):
        fast = isomer.torch.optimize(self.module, self.x, no_measure=True, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
        fast.runs, fast.original = "onnxruntime", None
        with torch.no_grad():
            self.assertEqual(fast(torch.randn(3, 64))["y"].shape, (3, 64))

    def test_what_a_trace_takes_for_constant_goes_to_the_module(self):
        class Flagged(torch.nn.Module):
            def forward(self, x, scale=1.0, *, a=None, b=None):
                return x * scale + (0 if a is None else 3 * a) - (0 if b is None else b)

        module, x, one = Flagged(), torch.randn(4, 8), torch.ones(8)
        fast = isomer.torch.optimize(module, (x, 2.0), {"a": one, "b": 2 * one}, no_measure=True)
        for args, kwargs in (((x, 2.0), {"a": one, "b": 2 * one}), ((x, 3.0), {"a": one, "b": 2 * one}), ((x, 2.0), {"b": one, "a": 2 * one}),
                             ((x, 2.0), {"b": one})):
            torch.testing.assert_close(fast(*args, **kwargs), module(*args, **kwargs))

    def test_the_module_itself_runs_as_it_is_evaluated(self):
        self.module.train()
        fast = isomer.torch.optimize(self.module, self.x, no_measure=True)
        fast.runs, mean = "torch", self.module.norm.running_mean.clone()
        found = fast(self.x)["y"]
        self.assertTrue(torch.equal(mean, self.module.norm.running_mean))
        self.assertTrue(self.module.norm.training)
        torch.testing.assert_close(found, self.module.eval()(self.x)["y"])

    def test_what_changes_itself_is_refused(self):
        class Counting(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("calls", torch.zeros(1))

            def forward(self, x):
                self.calls += 1
                return x * 2

        with self.assertRaisesRegex(isomer.UsageError, "changes buffers"):
            isomer.torch.optimize(Counting(), self.x, no_measure=True)
        with self.assertRaisesRegex(isomer.UsageError, "takes tensors of"):
            isomer.torch.optimize(torch.nn.ReLU(), self.x.bfloat16(), no_measure=True)

    def test_computes_no_gradients(self):
        fast = isomer.torch.optimize(self.module, self.x, no_measure=True)
        with self.assertRaisesRegex(RuntimeError, "no gradients"):
            fast(self.x.clone().requires_grad_())

    def test_a_wrong_result_is_refused(self):
        fast = isomer.torch.optimize(self.module, self.x, no_measure=True)
        with torch.no_grad(), self.assertRaisesRegex(isomer.Error, "differs by"):
            wrong = self.module.eval()(self.x)
            wrong["y"] = wrong["y"] + 1
            fast._check([self.x], wrong)


if __name__ == "__main__":
    unittest.main()
