#!/usr/bin/env python3
"""run.py [--size ci|paper] [NAME ...] [-- FLAG ...]: the main job on the networks of bench/models, as a table.

Each network is made, given to `isomer optimize --json FLAGS`, and removed. One JSON line a network goes to
build/bench/SIZE.jsonl, with the machine and the commit; the table (Markdown) goes to standard output. Latencies
are the program's own (interleaved pairs in the target runtime); run it on a quiet machine. The last column: what is written,
held to the network, is off by so much of an output's largest element.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()


def machine() -> dict:
    cpu = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return {"cpu": cpu, "cores": os.cpu_count(), "load": os.getloadavg()[0], "commit": commit}


def number(value, form: str) -> str:
    return "-" if value is None else format(value, form)


def main() -> int:
    own, _, flags = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("names", nargs="*", help="only these networks")
    args = parser.parse_args(own.split())
    generator = ROOT / "bench/models/make_models.py"
    sys.path.insert(0, str(generator.parent))
    from make_models import MODELS

    here = machine()
    results = ROOT / "build/bench"
    results.mkdir(parents=True, exist_ok=True)
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}\n")
    print("| network | nodes | after | cost | latency ms | after | speed-up (95 %) | seconds | stopped | verified |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    failed = 0
    with open(results / f"{args.size}.jsonl", "a") as log:
        for name in args.names or MODELS:
            with tempfile.TemporaryDirectory(prefix="isomer-bench-") as folder:
                subprocess.run([sys.executable, generator, folder, "--size", args.size, "--only", name], check=True,
                               stdout=subprocess.DEVNULL)
                model = Path(folder, f"{name}.{args.size}.onnx")
                done = subprocess.run([args.program, "optimize", model, "-o", Path(folder, "out.onnx"), "--json", *flags.split()],
                                      capture_output=True, text=True)
            if done.returncode != 0:
                failed += 1
                reason = (done.stderr.strip().splitlines() or [""])[-1]
                print(f"| {name} | status {done.returncode}: {reason} | | | | | | | | |", flush=True)
                continue
            r = json.loads(done.stdout)
            log.write(json.dumps({"network": name, "size": args.size, "flags": flags, **here, **r}) + "\n")
            log.flush()
            before, after = r.get("cost_before"), r.get("cost_after")
            ratio = before / after if before and after else None
            speed = f"{number(r.get('speedup'), '.3f')} ({number(r.get('speedup_low'), '.3f')} to {number(r.get('speedup_high'), '.3f')})"
            print(f"| {name} | {r['nodes_before']} | {r['nodes_after']} | {number(ratio, '.3f')}x | "
                  f"{number(r.get('latency_before_ms'), '.3f')} | {number(r.get('latency_after_ms'), '.3f')} | {speed} | "
                  f"{r['seconds']:.1f} | {r['stop_reason']} | {number(r['max_relative_error'], '.1e') if r['verified'] else 'no'} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
