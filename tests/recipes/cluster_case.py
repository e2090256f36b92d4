"""A folder of HLO modules, and `python -m isomer.cluster hlo` on it: what the tests of its commands share."""

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import pyarrow.parquet
except ImportError:
    pyarrow = None
try:
    import ray
except ImportError:
    ray = None

PROGRAM = os.path.abspath(os.environ.get("ISOMER_PROGRAM", "build/release/isomer"))
OPCODES = ("negate", "abs", "exponential", "tanh", "sine", "cosine", "sqrt", "rsqrt", "log", "floor", "ceil", "sign")


def text(opcode):
    return f"HloModule {opcode}\n\nENTRY e {{\n  x = f32[4]{{0}} parameter(0)\n  ROOT r = f32[4]{{0}} {opcode}(x)\n}}\n"


@contextlib.contextmanager
def two_nodes():
    """A cluster of Ray, and its nodes."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        yield cluster, [cluster.add_node(num_cpus=1) for _ in range(2)]
    finally:
        cluster.shutdown()


class Case(unittest.TestCase):
    """A folder of modules, and commands on it."""

    TEXTS = {opcode: text(opcode) for opcode in OPCODES}

    def setUp(self):
        if pyarrow is None:
            self.skipTest("pyarrow is not installed (it is optional)")
        folder = tempfile.TemporaryDirectory(prefix="isomer-cluster-hlo-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.set, self.results, self.record = (self.path / name for name in ("set", "results", "record.jsonl"))
        self.set.mkdir()
        for name, module in self.TEXTS.items():
            (self.set / f"{name}.hlo").write_text(module)

    def program(self, script):
        """A program that does something before it is isomer; `$file` is the text that it is given."""
        program = self.path / "isomer"
        program.write_text(f'#!/bin/bash\nfor file; do [[ $file == *.hlo ]] && break; done\n{script}\nexec {PROGRAM} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    def start(self, *flags, command="hash", sets=None, words=(), program=PROGRAM):
        argv = [sys.executable, "-m", "isomer.cluster", "hlo", command, *(sets or [self.set]), "--results", self.results, *flags, "--", *words]
        return subprocess.Popen([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                env={**os.environ, "ISOMER_PROGRAM": str(program)})

    def run_tasks(self, *flags, **more):
        process = self.start(*flags, **more)
        _, err = process.communicate(timeout=300)
        return process.returncode, err

    def rows(self):
        return pyarrow.parquet.read_table(self.results).to_pylist() if any(self.results.glob("*.parquet")) else []

    def wait_for_rows(self, process, many):
        deadline = time.time() + 240
        while len(list(self.results.glob("*.parquet"))) < many:
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "it ended too early")
            time.sleep(0.01)
