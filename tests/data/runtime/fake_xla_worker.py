"""Stands in for xla_worker.py where jax is not needed: a module takes as long as it has instructions, and what happens to it is
said by the names of its instructions: "crash" ends the process (not while FAKE_XLA_CALM is set), "refuse" is not compiled, "differ" has other outputs,
"lucky" takes a quarter of the time when it is first run. StableHLO is a module whose HLO stands in comments below `// as HLO`."""

import base64
import os

import protocol

channel = protocol.Channel()
known = set()  # texts that were run


def hello(request, progress):
    if os.environ.get("FAKE_XLA_MISSING"):
        raise protocol.Missing("no module named jax")
    return {"program": "XLA", "version": "fake", "cpu": "none"}


def crashes(text):
    return "crash" in text and not os.environ.get("FAKE_XLA_CALM")


def optimized(request, progress):
    if crashes(request["module"]):
        os._exit(9)
    if "refuse" in request["module"]:
        raise protocol.Refused("it is refused")
    return {"module": request["module"]}


def race(request, progress):
    hello(request, progress)
    if log := os.environ.get("FAKE_XLA_LOG"):
        with open(log, "a", encoding="utf-8") as file:
            file.write("x" * len(request["modules"]))
    out = []
    for text in request["modules"]:
        if crashes(text):
            os._exit(9)
        if "refuse" in text:
            out.append({"error": "it is refused"})
            continue
        ms = 1e-3 * text.count(" = ") / (4 if "lucky" in text and text not in known else 1)
        known.add(text)
        rounds = request["rounds"]
        if rounds < 1:
            raise ValueError("there is no least of no samples")
        out.append({"difference": None if "differ" in text else 1e-6, "samples": {"wall_ms": [ms] * rounds, "cpu_ms": [ms] * rounds},
                    "outputs": [], "asynchronous_us": 1e3 * ms,
                    **({"full_us": 2e3 * ms, "compute_us": 0.5e3 * ms} if request["all_timings"] else {})})
    return {"modules": out}


def to_hlo(request, progress):
    hello(request, progress)
    text = base64.b64decode(request["contents"]).decode(errors="ignore")
    if "frobnicate" in text:
        raise protocol.Refused("3:10: custom op 'stablehlo.frobnicate' is unknown")
    return {"hlo": text.partition("// as HLO\n")[2].replace("// ", ""), "stablehlo": text}


def to_stablehlo(request, progress):
    hello(request, progress)
    text = "module {}\n// as HLO\n" + "".join(f"// {line}\n" for line in request["module"].splitlines())
    if request["artifact"]:
        return {"artifact": base64.b64encode(b"ML\xefR" + text.encode()).decode()}
    return {"text": text}


protocol.serve(channel, {"hello": hello, "race": race, "optimized": optimized, "to_hlo": to_hlo, "to_stablehlo": to_stablehlo})
