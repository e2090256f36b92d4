"""A runtime that runs nothing: it tells the timings that it was told to tell, agrees with everything, and does not answer
where it is told so. Stands beside workers/protocol.py as onnxruntime_worker.py. STAND_IN is JSON: {"loads": 3, "rounds": 10
(of each), "ratio": 1.5 (of the first model's times to the others'), "mark": PATH,
"hellos": 1 (of a process; the next one is not answered), "cores": 2, "on_all_cores": 1.1 (the first model's times there),
"operator_ms": 0.5 (of any operator), "alone_ms": 7 (instead, where a signature has one model), "operators": 2 (of a request that are measured; all without it), "fault": true (the worker fails
at operators), "seen": PATH (of the file that a request for times is written to)}. A pair of models is timed without end, unless "on_all_cores" is there: the rounds are told, the file `mark` is made, and then nothing
is heard any more. More than two are answered."""

import json
import os
import sys
import time

import protocol

channel = protocol.Channel()
told = json.loads(os.environ["STAND_IN"])


def hello(request, progress):
    told["hellos"] = told.get("hellos", 1000) - 1
    while told["hellos"] < 0:
        time.sleep(1)
    return {"runtime": os.path.basename(sys.argv[0]).removesuffix("_worker.py"), "version": "stand-in", "providers": ["CPUExecutionProvider"], "numpy": "", "python": "",
            "cpu": "", "cores": told.get("cores", 1), "pid": os.getpid()}


def compare(request, progress):
    return {"samples": 1, "same_input_names": True, "same_output_names": True, "outputs": []}


def calibrate(request, progress):
    return {"product_ms": 1, "product_flops": 1e8, "addition_ms": 1, "addition_bytes": 1e7, "node_ms": 1e-3}


def operator_costs(request, progress):
    if told.get("fault"):
        raise RuntimeError("told to")
    costs = [told["operator_ms"] if "short" in s else told.get("alone_ms") for s in request["signatures"]]
    return {"costs": costs[:told.get("operators")]}


def time_models(request, progress):
    if told.get("seen"):
        with open(told["seen"], "w", encoding="utf-8") as file:
            json.dump(request, file)
    targets, loads, rounds = len(request["targets"]), told["loads"], told["rounds"]
    ratio = told["ratio"] if request["threads"] == 1 else told["on_all_cores"]

    def times(count):
        return [{key: [ratio if t == 0 else 1.0] * count for key in ("wall_ms", "cpu_ms")} for t in range(targets)]

    if "on_all_cores" in told:
        return {"rounds": loads * rounds, "loads": [load for load in range(loads) for _ in range(rounds)], "seconds": 0,
                "targets": times(loads * rounds)}
    if targets > 2:
        return {"rounds": 4, "loads": [0, 1, 2, 3], "seconds": 0, "targets": times(4)}
    for load in range(loads):
        progress(rounds=(load + 1) * rounds, seconds=0, load=load, new=times(rounds))
    if told.get("mark"):
        open(told["mark"], "w").close()
    while True:
        time.sleep(1)


protocol.serve(channel, {"hello": hello, "compare": compare, "time": time_models, "calibrate": calibrate, "operator_costs": operator_costs})
