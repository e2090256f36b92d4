"""Inputs that are made to break a reader (hostile.py): each reader says no, or takes them, within its time and memory. ONNX models go through
the whole program as well."""

import os
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import hostile

ROOT = Path(__file__).parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(ROOT / "build/release/isomer"))
FUZZ = Path(os.environ.get("ISOMER_BINARY_DIR", ROOT / "build/release")) / "fuzz"
FORMATS = [p.name for p in sorted((ROOT / "fuzz/corpus").iterdir())]
LEAST = 100  # of a format
SECONDS, BYTES = 30, 4 << 30  # of one input; processor seconds, and by the clock
PATIENCE = 10  # times as many, beside whatever else the machine does
STATUSES = {0, 3}  # nothing was measured, and what was found agrees
WORDS = ("--cost", "roofline:cpu", "--no-measure", "--no-report", "--time-limit", "10")


def outcome(command, seconds=SECONDS, most_bytes=BYTES, **how):
    """Status, or a word; and the end of what was said."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if most_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))

    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE * seconds, check=False, preexec_fn=limit, **how)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    return done.returncode, (done.stdout + done.stderr)[-500:].decode(errors="replace")


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-hostile-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def test_readers(self):
        for name in FORMATS:
            program, file = FUZZ / f"{name}_fuzz", self.path / f"input.{name}"
            if "asan" in str(FUZZ):
                self.skipTest("a sanitizer takes more memory than there is")
            inputs = list(hostile.models() if name == "onnx" else hostile.texts(ROOT / "fuzz/corpus" / name))
            self.assertGreaterEqual(len(inputs), LEAST, name)
            for what, data in inputs:
                with self.subTest(format=name, what=what):
                    file.write_bytes(data)
                    status, said = outcome([program, "--keep", self.path / "last", file])
                    self.assertEqual(status, 0, said)

    def test_the_program(self):
        out = self.path / "out"
        out.mkdir()
        seen = set()
        for what, data in hostile.models():
            with self.subTest(what=what):
                file = self.path / "m.onnx"
                file.write_bytes(data)
                status, said = outcome([PROGRAM, "-q", "optimize", file, "-o", out / "o.onnx", *WORDS], seconds=90, most_bytes=None, cwd=self.path)
                seen.add(status)
                self.assertIn(status, STATUSES, said)
                self.assertEqual([p.name for p in out.iterdir()], ["o.onnx"] if status == 0 else [], said)
                for written in out.iterdir():
                    written.unlink()
        self.assertEqual(seen, STATUSES)


if __name__ == "__main__":
    unittest.main()
