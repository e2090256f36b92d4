"""A runtime that computes one operator wrongly: ONNX Runtime, but models with a Sub or Div yield garbage. Stands beside copies of
the real worker programs as onnxruntime_worker.py, the real one as real_worker.py."""

import os
import sys

import protocol
import real_worker as real

run_rightly = real.Model.run


def run(self, feed):
    outputs = run_rightly(self, feed)
    with open(self.path, "rb") as file:
        model = file.read()
    return [value + 1 for value in outputs] if b"Sub" in model or b"Div" in model else outputs


real.Model.run = run
protocol.serve(real.channel, {**real.serving.handlers(), "hello": real.hello, "calibrate": real.calibrate})
sys.stderr.flush()
os._exit(0)
