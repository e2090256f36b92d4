"""What `isomer rules check` and `isomer verify` make of the adversary's rules and pairs.

    python score.py [--set second] [--isomer PATH] [--rules] [--pairs] [--only WORD] [--truth true] [--instances N] [--seed N]
                    [--jobs N] [--names] [--json FILE]

Prints by class how many wrong rules were refuted, named (accepted with a class that names their fault), left undecided and
accepted, how many true ones were refuted and undecided, and the same of pairs. Exit status 0 only if nothing wrong was
accepted, nothing true refuted, no different pair called equal and no equal one different.
"""
import argparse
import collections
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETS = {"first": HERE, **{path.name: path for path in sorted(HERE.iterdir()) if (path / "rules").is_dir() or list(path.glob("pairs_*.py"))}}
TIMEOUT = 1200
TRUTHS = ("wrong", "true")
# Where a verdict's class stands, and the words that name a fault that is none of the real numbers.
CLASS_KEYS = ("arithmetic", "class", "classes", "exceptions", "stability_reason")
FAULT_WORDS = {"special": ("inf", "nan", "finite", "-0", "negative zero"), "overflow": ("overflow", "inf", "finite"),
               "precision": ("precision", "cancel", "error"), "rounding": ("round", "precision", "overflow", "finite")}
STABILITY = ("exact", "reassociates", "unstable")


def run(command):
    """(JSON object or None, what was said on standard error, seconds)."""
    begin = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return None, "no answer in time", time.time() - begin
    try:
        return json.loads(done.stdout), done.stderr, time.time() - begin
    except json.JSONDecodeError:
        return None, done.stderr.strip() or f"exit status {done.returncode}", time.time() - begin


def overstated(verdict):
    stated, measured = verdict.get("stability"), verdict.get("measured_stability")
    return stated in STABILITY and measured in STABILITY and STABILITY.index(measured) > STABILITY.index(stated)


def outcome_of(verdict, expected):
    """refuted, undecided, named or accepted."""
    if verdict is None or verdict["verdict"] in ("unknown", "undecided"):
        return "undecided"
    if verdict["verdict"] == "refuted":
        return "refuted"
    if expected["truth"] == "wrong" and expected["fault"] in FAULT_WORDS:
        text = " ".join(json.dumps(verdict[k]) for k in CLASS_KEYS if k in verdict).lower()
        if overstated(verdict) or any(word in text for word in FAULT_WORDS[expected["fault"]]):
            return "named"
    return "accepted"


def judge_rules(isomer, only, jobs, which="first", truths=TRUTHS, options=()):
    """(expectation, outcome) of every rule, and seconds."""
    files = [p for truth in truths for p in sorted((SETS[which] / "rules" / truth).glob("*.rules")) if only in p.stem]
    out, seconds = [], 0.0
    with ThreadPoolExecutor(jobs) as pool:
        answers = list(pool.map(lambda p: run([isomer, "rules", "check", "--json", *options, str(p)]), files))
    for path, (answer, said, took) in zip(files, answers):
        seconds += took
        if answer is None:
            print(f"{path.relative_to(HERE)}: {said}", file=sys.stderr)
        verdicts = {v["rule"]: v for v in (answer or {}).get("list", [])}
        for expected in json.loads(path.with_suffix(".expect.json").read_text()):
            out.append((expected, outcome_of(verdicts.get(expected["rule"]), expected)))
    return out, seconds


def judge_pairs(isomer, only, jobs, which="first"):
    """(pair, outcome) of every pair, outcome equal, different, named (equal but for the pair's fault) or undecided; and seconds."""
    import pairs
    chosen = [p for p in pairs.of_set(which) if only in f"{p.group} {p.name}"]
    with tempfile.TemporaryDirectory() as folder:
        paths = [pairs.write(p, folder) for p in chosen]
        with ThreadPoolExecutor(jobs) as pool:
            answers = list(pool.map(lambda two: run([isomer, "verify", "--json", *two]), paths))
    words = {True: "equal", False: "different"}

    def outcome(pair, answer):
        """A pair that is equal for finite numbers only does differ at others: no fault, where that is what is said."""
        special = any(f"({way} inputs" in answer.get("detail", "") for way in ("special", "lone")) if answer else False
        if answer and pair.within and answer.get("equivalent"):
            return "within"  # what verify grants to rounding, as it says
        if answer and pair.fault and answer.get("equivalent") and answer.get("except") == pair.fault:
            return "named"
        return "at specials" if pair.finite and special else words.get(answer.get("equivalent"), "undecided") if answer else "undecided"

    outcomes = [outcome(pair, answer) for pair, (answer, _, _) in zip(chosen, answers)]
    return list(zip(chosen, outcomes)), sum(took for _, _, took in answers)


def table(title, columns, rows):
    """Prints counts by class and in all."""
    print(f"\n{title}")
    print(f"{'':24}" + "".join(f"{c:>12}" for c in ("all", *columns)))
    total = collections.Counter()
    for name, counts in sorted(rows.items()):
        total += counts
        print(f"{name:24}" + "".join(f"{v:12}" for v in (sum(counts.values()), *(counts[c] for c in columns))))
    print(f"{'in all':24}" + "".join(f"{v:12}" for v in (sum(total.values()), *(total[c] for c in columns))))
    return total


def counted(items):
    rows = collections.defaultdict(collections.Counter)
    for name, outcome in items:
        rows[name][outcome] += 1
    return rows


def listed(title, names, shown):
    if names and shown:
        print(f"\n{title}: " + ", ".join(sorted(names)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="first", choices=SETS)
    parser.add_argument("--isomer", default=str(HERE.parent.parent / "build/release/isomer"))
    parser.add_argument("--rules", action="store_true", help="rules only")
    parser.add_argument("--pairs", action="store_true", help="pairs only")
    parser.add_argument("--only", default="", help="classes of rules, or pairs, in whose name this word occurs")
    parser.add_argument("--truth", choices=TRUTHS, help="of the rules these only")
    parser.add_argument("--instances", type=int, default=512, help="types and attributes that each rule is checked at")
    parser.add_argument("--seed", type=int, default=1, help="of the instances")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--names", action="store_true", help="also name what went wrong")
    parser.add_argument("--json", metavar="FILE", help="write every outcome there")
    args = parser.parse_args()
    both = args.rules == args.pairs
    faults, record = 0, {}
    if args.rules or both:
        truths = (args.truth,) if args.truth else TRUTHS
        options = ("--instances", str(args.instances), "--seed", str(args.seed))
        judged, seconds = judge_rules(args.isomer, args.only, args.jobs, args.set, truths, options)
        record["rules"] = {e["rule"]: [e["truth"], e["class"], o] for e, o in judged}
        for truth in truths:
            here = [(e, o) for e, o in judged if e["truth"] == truth]
            columns = ("refuted", "named", "undecided", "accepted") if truth == "wrong" else ("accepted", "undecided", "refuted")
            total = table(f"{truth} rules", columns, counted((e["class"], o) for e, o in here))
            bad = "accepted" if truth == "wrong" else "refuted"
            faults += total[bad]
            listed(f"{truth} rules {bad}", [e["rule"] for e, o in here if o == bad], args.names)
            listed(f"{truth} rules undecided", [e["rule"] for e, o in here if o == "undecided"], args.names)
        print(f"{len(judged)} rules in {seconds:.0f} s")
    if args.pairs or both:
        judged, seconds = judge_pairs(args.isomer, args.only, args.jobs, args.set)
        record["pairs"] = {p.name: ["different" if p.different else "equal", p.group, o] for p, o in judged}
        for truth, bad in ((True, "equal"), (False, "different")):
            here = [(p, o) for p, o in judged if p.different == truth]
            title = "different" if truth else "equal"
            total = table(f"{title} pairs, called", ("different", "named", "undecided", "equal", "at specials", "within"), counted((p.group, o) for p, o in here))
            faults += total[bad]
            listed(f"{title} pairs called {bad}", [p.name for p, o in here if o == bad], args.names)
            listed(f"{title} pairs undecided", [p.name for p, o in here if o == "undecided"], args.names)
        print(f"{len(judged)} pairs in {seconds:.0f} s")
    if args.json:
        Path(args.json).write_text(json.dumps(record, indent=1) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
