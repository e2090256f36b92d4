#!/usr/bin/env python3
"""optimisation_time.py [--size ci|paper] [--models FOLDER] [NAME ...] [-- FLAG ...]: how long the main job takes.

Each network is optimised twice with a store of its own: first empty (cold), then with the measured costs in it (warm).
Printed are wall and CPU seconds without the timing of whole programs (the steps `measure`), verification included; the
dearest steps of the warm run; the largest resident size up to writing; and what the program decided. One JSON line
a network goes to build/bench/optimisation_time.SIZE.jsonl.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "bench/models")]

TIMING = {"measure"}


def run(program, model, folder, flags):
    record = Path(folder, "record.json")
    environment = {**os.environ, "ISOMER_CACHE": str(Path(folder, "cache"))}
    done = subprocess.run([program, "-q", "optimize", model, "-o", Path(folder, "out.onnx"), "--json", "--record", record,
                           *flags], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["?"])[-1])
    whole = json.loads(record.read_text())
    phases = {p["name"]: p["wall_seconds"] for p in whole["phases"]}
    cpu = sum(p["cpu_seconds"] for p in whole["phases"] if p["name"] not in TIMING)
    for file in Path(folder).glob("out*"):
        file.unlink()
    return {**whole["result"], "seconds": sum(s for name, s in phases.items() if name not in TIMING), "cpu_seconds": cpu,
            "phases": phases, "numbers": whole["numbers"], "texts": whole["texts"]}


def main():
    own, _, flags = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--models", type=Path, help="a folder that has NAME.SIZE.onnx already")
    parser.add_argument("names", nargs="*", help="only these networks")
    args = parser.parse_args(own.split())
    from make_models import MODELS
    out = ROOT / "build/bench"
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    print("| network | cold s | warm s | warm CPU s | dearest steps, warm | peak GiB | model GiB | speed-up (95 %) | verified |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name in args.names or MODELS:
        with tempfile.TemporaryDirectory(prefix="isomer-time-") as folder:
            models = args.models or Path(folder)
            if not args.models:
                subprocess.run([sys.executable, ROOT / "bench/models/make_models.py", folder, "--size", args.size, "--only",
                                name], check=True, stdout=subprocess.DEVNULL)
            model = models / f"{name}.{args.size}.onnx"
            size = sum(f.stat().st_size for f in models.glob(model.name + "*")) / 2 ** 30
            chosen = flags.split() or ["--cost", "onnxruntime"]
            try:
                cold = run(args.program, model, folder, chosen)
                warm = run(args.program, model, folder, chosen)
            except RuntimeError as error:
                failed += 1
                print(f"| {name} | {error} | | | | | | | |", flush=True)
                continue
        with open(out / f"optimisation_time.{args.size}.jsonl", "a") as log:
            log.write(json.dumps({"network": name, "size": args.size, "flags": chosen, "cold": cold, "warm": warm}) + "\n")
        steps = sorted(((s, n) for n, s in warm["phases"].items() if n not in TIMING), reverse=True)[:3]
        peak = warm["numbers"].get("peak_bytes_before_writing", 0) / 2 ** 30
        speed = (f"{warm['speedup']:.3f} ({warm['speedup_low']:.3f} to {warm['speedup_high']:.3f})"
                 if None not in (warm.get(key) for key in ("speedup", "speedup_low", "speedup_high")) else "-")
        print(f"| {name} | {cold['seconds']:.1f} | {warm['seconds']:.1f} | {warm['cpu_seconds']:.1f} | "
              f"{', '.join(f'{n} {s:.1f}' for s, n in steps)} | {peak:.2f} | {size:.2f} | {speed} | {'yes' if cold['verified'] and warm['verified'] else 'no'} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
