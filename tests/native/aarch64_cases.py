"""Holds machine code for AArch64 to evaluation, operator by operator, under qemu-user.

    aarch64_cases.py PROGRAM    makes cases (cpu_cases.cpp), compiles what runs them (run_cases.cpp), runs it

For each of CPUS: shared objects that this machine cannot run, made by it; compared as gpu_cases.py does. Emulated is that processor where
the emulator knows it, so that an instruction that it lacks ends the run; else one that has all ("max"). Needs qemu-aarch64 and
aarch64-linux-gnu-g++ (`tools/setup --aarch64`); without them, or where Isomer was built without, it is skipped: the last line
says why."""
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from native.gpu_cases import ROUNDINGS, TYPES, difference, each_case

ROOT = Path(__file__).parent.parent.parent.resolve()
CPUS = ("cortex-a53", "neoverse-n1", "neoverse-v2")  # ARMv8.0; 8.2, with half precision; 9, with bf16
COMPILER, EMULATOR, LIBRARIES = "aarch64-linux-gnu-g++", "qemu-aarch64", "/usr/aarch64-linux-gnu"
SKIPPED = 77


def emulated_as(cpu):
    """What the emulator calls this processor; one with all that it knows where it has none of that name."""
    known = subprocess.run([EMULATOR, "-cpu", "help"], capture_output=True, text=True).stdout.split()  # and status 1
    return cpu if cpu in known else "max"


def run_emulated(folder, runner, cpu):
    """How many cases, and which went wrong."""
    cases = list(each_case(folder))
    with open(folder / "cases.txt", "w") as listed, open(folder / "inputs.bin", "wb") as given:
        for case, inputs, _, _ in cases:
            sizes = [s["bytes"] for s in case["inputs"] + case["outputs"]]
            print(case["file"], len(case["inputs"]), len(case["outputs"]), *sizes, file=listed)
            for array in inputs:
                given.write(array.tobytes())
    model = emulated_as(cpu)
    done = subprocess.run([EMULATOR, "-cpu", model, "-L", LIBRARIES, runner, folder, "2"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{cpu}: status {done.returncode}: {done.stdout}{done.stderr}")
        return len(cases), len(cases)
    data, offset, wrong, shares = (folder / "outputs.bin").read_bytes(), 0, 0, {}
    for case, _, expected, sizes in cases:
        whys = []
        for spec, should, size in zip(case["outputs"], expected, sizes):
            got = np.frombuffer(data, TYPES[spec["type"]], should.size, offset)
            offset += spec["bytes"]
            why, share = difference(got, should, spec["type"], size)
            shares[spec["type"]] = max(share, shares.get(spec["type"], 0))
            whys += [why] if why else []
        if whys:
            wrong += 1
            print(f"{cpu}: {case['op']} ({case['file']}), {case['inputs']}: {whys[0]}")
    print(f"{cpu}: {len(cases)} cases run on an emulated {model}, {wrong} wrong; most of what is allowed: "
          + ", ".join(f"{t} {s:.2g}" for t, s in sorted(shares.items()) if t in ROUNDINGS))
    return len(cases), wrong


def main():
    for needed in (COMPILER, EMULATOR):
        if not shutil.which(needed):
            print(f"no {needed} here: no code for AArch64 was run")
            return SKIPPED
    if platform.machine() == "aarch64":
        print("this machine is of that kind: its own tests run such code")
        return SKIPPED
    count = wrong = 0
    with tempfile.TemporaryDirectory(prefix="isomer-") as name:
        runner = Path(name, "run_cases")
        subprocess.run([COMPILER, "-std=c++20", "-O1", f"-I{ROOT}/include", f"-I{ROOT}/tests", "-o", runner,
                        ROOT / "tests/native/run_cases.cpp", "-ldl"], check=True)
        for seed, cpu in enumerate(CPUS, 1):
            folder = Path(name, cpu)
            made = subprocess.run([sys.argv[1], folder, cpu, str(seed)], capture_output=True, text=True)
            print(f"{cpu}: {made.stdout}{made.stderr}", end="", flush=True)
            if made.returncode != 0:
                return made.returncode
            of_cpu = run_emulated(folder, runner, cpu)
            count, wrong = count + of_cpu[0], wrong + of_cpu[1]
    if report := os.environ.get("ISOMER_CASES"):
        Path(report).parent.mkdir(parents=True, exist_ok=True)
        Path(report).write_text(json.dumps({"passed": count - wrong, "failed": wrong, "skipped": []}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
