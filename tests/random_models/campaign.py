"""Random small models (draw.py) through `isomer optimize`, each result compared with its model (compare.py).

    campaign.py [--count 2000] [--first 0] [--jobs N] [--keep FOLDER] [--program PATH]

By seed: model N of one run is model N of another. A fault is: an exit status that is not 0, a model that ONNX's checker
refuses or whose interface has changed, results apart beyond what computing in another order costs, or what was finite
and no longer is. What was infinite or NaN and is something else is counted apart; where a runtime departs from ONNX (departures.py) that
is told, and no fault. Ends with 1 if there was a fault."""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).parent))
from compare import Comparison  # noqa: E402
from draw import draw  # noqa: E402

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
FLAGS = ["--json", "--no-measure", "--no-report", "--cost", "roofline:cpu", "--time-limit", "8s", "--node-limit", "3000", "--iterations", "8"]
AT_ONCE = 10  # seeds of a process
HUNG = 300    # seconds after which a process that runs them is taken for hung
SIZES = ({"N": 5, "M": 7}, {"N": 3, "M": 2}, {"N": 1, "M": 1})


def interface(model):
    return [(v.name, v.type.tensor_type.elem_type) for v in (*model.graph.input, *model.graph.output)]


def sizes_of(model):
    dynamic = any(d.dim_param for v in model.graph.input for d in v.type.tensor_type.shape.dim)
    return SIZES if dynamic else SIZES[:1]


def one(seed, program=PROGRAM, keep=None):
    """What became of a seed: {"seed", "faults", "changed", "compared", "specials", "operators"}; no faults: []."""
    out = {"seed": seed, "faults": [], "changed": False, "compared": 0, "specials": 0, "operators": []}
    model = draw(seed)
    if model is None:
        return out | {"none": True}
    out["operators"] = sorted({n.op_type for n in model.graph.node})
    with tempfile.TemporaryDirectory() as folder:
        path, written = Path(folder, "m.onnx"), Path(folder, "o.onnx")
        onnx.save(model, path)
        try:
            done = subprocess.run([program, "-q", "optimize", path, "-o", written, *FLAGS], capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            out["faults"].append("not done in 120 s")
            return out
        try:
            result = json.loads(done.stdout)
        except json.JSONDecodeError:
            result = {}
        out["decision"] = result.get("decision")
        out["rules"] = sorted(result.get("rules_applied", {}))
        if done.returncode != 0:
            words = (done.stderr.strip() or str(result.get("failure") or result.get("verification"))).replace(folder + "/", "")
            out["faults"].append(f"status {done.returncode}: {words[-400:]}")
        else:
            out["changed"] = bool(result["changed"])
            out["faults"] += [f"the runtime refuses what was written: {r['message'][:200]}" for r in result["refused_by_runtime"]]
            second = onnx.load(written)
            try:
                onnx.checker.check_model(second, full_check=False)
            except Exception as error:
                out["faults"].append(f"the checker refuses the result: {str(error)[:200]}")
            if interface(second) != interface(model):
                out["faults"].append("the interface has changed")
            elif out["changed"]:
                comparison = Comparison(model, second)
                out["faults"] += comparison.faults(seed, sizes_of(model))
                out["compared"], out["specials"], out["told"] = comparison.compared, comparison.specials, sorted(comparison.told)
            if keep and out["faults"]:
                onnx.save(second, Path(keep, f"{seed}.written.onnx"))
        if keep and out["faults"]:
            onnx.save(model, Path(keep, f"{seed}.onnx"))
            Path(keep, f"{seed}.json").write_text(json.dumps(out, indent=1))
    return out


def child(first, count, program, keep):
    """Seeds one after the other, a line before and a line after each: a runtime that takes the process down is seen."""
    for seed in range(first, first + count):
        print(json.dumps({"begins": seed}), flush=True)
        print(json.dumps(one(seed, program, keep)), flush=True)


def results(first, count, program, keep):
    """What became of these seeds; where the process died, that."""
    end = first + count
    while first < end:
        words = [sys.executable, __file__, "--child", "--first", str(first), "--count", str(end - first), "--program", program]
        status, said = "none: it hung", b""
        try:
            done = subprocess.run(words + (["--keep", keep] if keep else []), stdout=subprocess.PIPE, timeout=HUNG)
            status, said = done.returncode, done.stdout
        except subprocess.TimeoutExpired as hung:
            said = hung.stdout or b""
        lines = [json.loads(line) for line in said.decode().splitlines() if line.endswith("}")]
        yield from (r for r in lines if "begins" not in r)
        if status == 0:
            return
        if not lines or "begins" not in lines[-1]:
            raise RuntimeError(f"a process for the seeds from {first} ended with status {status}")
        first = lines[-1]["begins"] + 1
        yield {"seed": first - 1, "faults": [], "changed": False, "compared": 0, "specials": 0, "operators": [], "died": True}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or os.cpu_count() or 1))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no more after this time")
    parser.add_argument("--keep", help="models with faults are written to this folder")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.first, args.count, args.program, args.keep)
        return 0
    if args.keep:
        Path(args.keep).mkdir(parents=True, exist_ok=True)
    begin, faulty, operators, rules = time.monotonic(), 0, set(), collections.Counter()
    totals = collections.Counter()
    end = args.first + args.count

    def some(first):
        if time.monotonic() - begin > args.seconds:
            return []
        return list(results(first, min(AT_ONCE, end - first), args.program, args.keep))

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for batch in pool.map(some, range(args.first, end, AT_ONCE)):
            for r in batch:
                totals["none"] += bool(r.get("none"))
                totals["died"] += bool(r.get("died"))
                totals["models"] += not r.get("none") and not r.get("died")
                totals["changed"] += r["changed"]
                totals["compared"] += r["compared"]
                totals["special"] += r["specials"] > 0
                totals["departs"] += bool(r.get("told"))
                operators.update(r["operators"])
                rules.update(r.get("rules", []))
                for told in r.get("told", []):
                    print(f"model {r['seed']}, no fault: {told}", flush=True)
                if r["faults"]:
                    faulty += 1
                    print(f"model {r['seed']} ({', '.join(r['operators'])}; {', '.join(r.get('rules', []))}):", *r["faults"][:3],
                          sep="\n  ", flush=True)
    print(f"{totals['models']} models of {len(operators)} operators ({totals['none']} seeds lead to none, {totals['died']} took a runtime "
          f"down): {totals['changed']} rewritten by {len(rules)} rules, {totals['compared']} pairs of runs; {totals['special']} with "
          f"infinite or NaN elements that changed; {totals['departs']} of which a runtime departs from ONNX; {faulty} with faults")
    if path := os.environ.get("ISOMER_CASES"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(json.dumps({"passed": totals["models"] - faulty, "failed": faulty, "skipped": []}))
    return 1 if faulty or totals["changed"] < totals["models"] / 5 else 0


if __name__ == "__main__":
    sys.exit(main())
