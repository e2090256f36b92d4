"""workers/providers.py: a provider that is named computes, or there is no session."""

import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import providers
    from protocol import Missing
except ImportError:
    providers = None


class Session:
    """As the runtime makes it: what does not start is left out in silence."""

    asked = None

    def __init__(self, model, options, providers, enable_fallback):
        Session.asked = providers
        self.starts = [p if isinstance(p, str) else p[0] for p in providers if p[0] != "BrokenExecutionProvider"]

    def get_providers(self):
        return self.starts


@unittest.skipIf(providers is None, "no ONNX Runtime")
class Providers(unittest.TestCase):
    def opened(self, named, threads=1):
        options = mock.Mock(intra_op_num_threads=threads)
        with mock.patch.object(providers, "NAMED", named), mock.patch.object(providers.ort, "InferenceSession", Session):
            providers.open_session(b"", options)
        return Session.asked

    def test_compute_before_the_processor(self):
        self.assertEqual(self.opened(None), [providers.CPU])
        self.assertEqual(self.opened(providers.CPU), [providers.CPU])
        self.assertEqual(self.opened("SomeExecutionProvider"), [("SomeExecutionProvider", {}), providers.CPU])

    def test_are_told_the_threads_where_they_do_not_take_the_sessions(self):
        self.assertEqual(self.opened("OpenVINOExecutionProvider", 2)[0], ("OpenVINOExecutionProvider", {"num_of_threads": "2"}))
        self.assertEqual(self.opened("OpenVINOExecutionProvider", 0)[0], ("OpenVINOExecutionProvider", {}))

    def test_that_do_not_start_are_no_session(self):
        self.assertRaisesRegex(Missing, "BrokenExecutionProvider does not start", self.opened, "BrokenExecutionProvider")

    def test_that_cannot_be_used_say_why(self):
        for named, why in ((None, None), (providers.CPU, None), ("NoSuchExecutionProvider", "has no provider")):
            with self.subTest(named), mock.patch.object(providers, "NAMED", named):
                self.assertEqual(providers.unusable(), why)
        with mock.patch.object(providers, "NAMED", "BrokenExecutionProvider"), mock.patch.object(providers.ort, "InferenceSession", Session), \
                mock.patch.object(providers.ort, "get_available_providers", lambda: ["BrokenExecutionProvider", providers.CPU]):
            self.assertIn("does not start", providers.unusable())


if __name__ == "__main__":
    unittest.main()
