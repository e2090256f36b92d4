"""A runtime that does not take every valid model: ONNX Runtime, but without a kernel for the operators that are named in
ISOMER_TEST_REFUSES, and with --written, for anything that isomer has written; with --fails it loads that, but does not run it. Stands beside copies of the real worker programs as onnxruntime_worker.py, the real one as
real_worker.py."""

import os
import sys

import onnx
import protocol
import real_worker as real

load_all, run_all = real.Model.__init__, real.Model.run
REFUSED = os.environ["ISOMER_TEST_REFUSES"].split()


def load_some(self, path, settings, expose=()):
    if isinstance(path, str):
        for node in onnx.load(path).graph.node:
            if node.op_type in REFUSED or ("--written" in REFUSED and "/.isomer-" in path):
                raise protocol.Refused(f"{path}: [ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation "
                                       f"for {node.op_type}(14) node with name '{node.name}'")
    load_all(self, path, settings, expose)


def run_some(self, feed):
    if "--fails" in REFUSED and "/.isomer-" in self.path:
        raise protocol.Refused(f"{self.path}: [ONNXRuntimeError] : 1 : FAIL : Shape mismatch attempting to re-use buffer.")
    return run_all(self, feed)


real.Model.__init__, real.Model.run = load_some, run_some
protocol.serve(real.channel, {**real.serving.handlers(), "hello": real.hello, "calibrate": real.calibrate, "operator_costs": real.operator_costs})
sys.stderr.flush()
os._exit(0)
