#!/usr/bin/env python3
"""Does a network end at the same cost however it is spelled?

Each network is written as its exporter would, with normalisations and softmax in basic operators (--primitive), with
batch norm folded (--fold-bn), and with the operands of sums and products swapped; each file is optimised by the cost
model alone and verified by the program, and the costs found are compared. Exit status 1 when they lie further apart than --tolerance.

    bench/spelling.py                         the small sizes of some networks
    bench/spelling.py --size paper vit_base
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

HERE = Path(__file__).resolve().parent
NETWORKS = ["bert_base", "vit_base", "transformer_transducer", "resnet50", "mobilenet_v2", "inception_v3", "nasrnn_shared"]


def swap_operands(source, target):
    model = onnx.load(source, load_external_data=False)
    for node in model.graph.node:
        if node.op_type in ("Add", "Mul"):
            a, b = node.input
            node.input[:] = [b, a]
    onnx.save(model, target)


def cost_of(program, model, cost):
    command = [program, "-q", "optimize", str(model), "-o", str(model) + ".out.onnx", "--cost", cost, "--no-measure", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["cost_before"], min(report["cost_found"], report["cost_before"]), "yes" if report["verified"] else "no"


def default_program():
    built = str(HERE.parent / "build" / "release" / "isomer")
    return os.environ.get("ISOMER_PROGRAM") or shutil.which("isomer") or built


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--size", choices=["ci", "paper"], default="ci")
    parser.add_argument("--cost", default="roofline:a100")
    parser.add_argument("--tolerance", type=float, default=0.02, help="largest spread of the costs found, relative")
    parser.add_argument("--program", default=default_program())
    options = parser.parse_args()
    worst = 0.0
    print(f"{'network':<24} {'spelling':<12} {'before':>12} {'found':>12} verified")
    for network in options.networks or NETWORKS:
        found = []
        with tempfile.TemporaryDirectory() as folder:
            for spelling, flags in [("exported", []), ("primitive", ["--primitive"]), ("fold-bn", ["--fold-bn"])]:
                place = Path(folder) / spelling
                generator = [sys.executable, str(HERE / "models" / "make_models.py"), str(place), "--only", network]
                subprocess.run(generator + ["--size", options.size] + flags, check=True, stdout=subprocess.DEVNULL)
            model = f"{network}.{options.size}.onnx"
            swapped = Path(folder) / "exported" / ("swapped." + model)
            swap_operands(Path(folder) / "exported" / model, swapped)
            files = [(s, Path(folder) / s / model) for s in ("exported", "primitive", "fold-bn")] + [("swapped", swapped)]
            for spelling, path in files:
                before, after, verified = cost_of(options.program, path, options.cost)
                found.append(after)
                print(f"{network:<24} {spelling:<12} {before:12.6f} {after:12.6f} {verified}", flush=True)
        spread = max(found) / min(found) - 1
        worst = max(worst, spread)
        print(f"{network:<24} {'spread':<12} {'':>12} {100 * spread:11.2f}%", flush=True)
    print(f"worst spread {100 * worst:.2f}%, tolerance {100 * options.tolerance:.0f}%")
    return 1 if worst > options.tolerance else 0


if __name__ == "__main__":
    sys.exit(main())
