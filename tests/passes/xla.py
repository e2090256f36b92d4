"""XLA for tests, through workers/xla_worker.py: a module that takes XLA down is an answer, and the worker is started anew."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("ISOMER_PYTHON", sys.executable)
# XLA assigns layouts within no fusion but its own, and then takes them for granted: what it leaves out where fusions are ours.
LEFT_OUT_FOR_FUSIONS = ["fusion", "layout-assignment"]


def has_xla():
    return subprocess.run([PYTHON, "-c", "import jax"], capture_output=True).returncode == 0


class Worker:
    """workers/xla_worker.py, started anew when XLA has taken it down."""

    def __init__(self):
        self.process = None

    def ask(self, **request):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([PYTHON, ROOT / "workers/xla_worker.py"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        body = json.dumps({"id": 1, **request}).encode()
        self.process.stdin.write(struct.pack("<I", len(body)) + body)
        self.process.stdin.flush()
        while True:
            head = self.process.stdout.read(4)
            if len(head) < 4:
                self.process.wait()
                return {"ok": False, "error": "the process was lost"}
            answer = json.loads(self.process.stdout.read(struct.unpack("<I", head)[0]))
            if "progress" not in answer:
                return answer

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()


@unittest.skipUnless(has_xla(), "jax is not installed")
class XlaTest(unittest.TestCase):
    """A folder of its own, and a worker."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.worker = Worker()
        self.addCleanup(self.worker.end)
