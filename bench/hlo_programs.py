"""hlo_programs.py [NAME ...] [--time-limit 60] [--passes P,...] [--record RESULTS.json]: what `isomer hlo optimize` gains over XLA's
own pipeline on the jax programs of jax_programs.py, a table.

A gain counts where 100 interleaved evaluations in ten processes confirm it and all outputs agree; everything else counts as 1,
for XLA's program is kept. Nothing else is timed, so that a busy machine widens intervals but makes no gains. Needs jax.
"""

import argparse
import json
import math
import subprocess
import tempfile
from pathlib import Path

import jax_programs

PROGRAM = Path(__file__).resolve().parents[1] / "build/release/isomer"


def optimized(name, options, folder):
    path = Path(folder) / f"{name}.mlir"
    path.write_text(jax_programs.exported(name))
    command = [PROGRAM, "hlo", "optimize", path, "--json", "--time-limit", f"{options.time_limit}s"]
    if options.passes:
        command += ["--passes", options.passes]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout)


def row(name, result):
    group = jax_programs.PROGRAMS[name][0]
    if "error" in result:
        return f"| {group} | {name} | | | {result['error']} |"
    if result["changed"]:
        s = result["speedup"]
        gain = f"{s['median']:.3f} ({s['low']:.3f} to {s['high']:.3f})"
        why = f"{result['made_by']}; {result.get('verification', 'not asked')}"
    else:
        others = result["candidates"][1:]
        gain, why = "1", "no rewrite applies" if not others else next(
            (c["dropped"] for c in others if c["runtime_us"] and c["dropped"]), "not faster")
    return f"| {group} | {name} | {result['runtime_before_us']:.1f} | {gain} | {why} |"


def summary(results):
    """The geometric mean of all that ran, what is unchanged as 1; and its lower bound, of the lower bounds."""
    ran = [r for r in results.values() if "error" not in r]
    mean = {which: math.exp(sum(math.log(r["speedup"][which]) for r in ran if r["changed"]) / max(1, len(ran)))
            for which in ("median", "low")}
    changed = sum(r["changed"] for r in ran)
    return f"{len(ran)} programs, {changed} of them faster: mean {mean['median']:.3f}, of the intervals' lower ends {mean['low']:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--time-limit", type=float, default=60, help="of each, in seconds")
    parser.add_argument("--passes", help="default: those of the command")
    parser.add_argument("--record", type=Path, help="a file that keeps all results; what is there is not done again")
    options = parser.parse_args()
    results = json.loads(options.record.read_text()) if options.record and options.record.exists() else {}
    print("| group | program | XLA, us | gain | by, or why not |\n| --- | --- | ---: | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or sorted(jax_programs.PROGRAMS):
            if name not in results:
                results[name] = optimized(name, options, folder)
                if options.record:
                    options.record.write_text(json.dumps(results, indent=1) + "\n")
            print(row(name, results[name]), flush=True)
    print(f"\n{summary(results)}")


if __name__ == "__main__":
    main()
