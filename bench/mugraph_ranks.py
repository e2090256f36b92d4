#!/usr/bin/env python3
"""mugraph_ranks.py [--count 100] [--rounds 8] [--threads N] [PROGRAM ...]: does the estimate of loops rank muGraphs as the machine does?

For each program of `isomer mugraph programs`: all muGraphs that a search finds for this processor, so many of them drawn by chance, compiled, held to
evaluation and timed in interleaved rounds, a process for each time (`isomer mugraph bench --draw`); the least time of each against its estimate. A structure at
another grid or with other loops is another muGraph: machine code and times differ. Where a search at its usual grids and loops finds
fewer than are asked for, grids by every power of two and loops of any length count as well ("finer"); where there are fewer still, all of them are timed.

Printed are structures, schedules, how many were drawn and ran, by how much their times spread, Spearman's rank correlation, and last which programs are below
0.8 or had fewer than --count. One JSON line a program goes to build/bench/mugraph_ranks.jsonl; `--table` prints the last line of each program that
was run with the same --count, --rounds and --threads, with its commit, and runs nothing.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
sys.path[:0] = [str(ROOT / "bench")]

LEAST = 0.8
RECORD = ROOT / "build/bench/mugraph_ranks.jsonl"


def program_names(isomer: Path) -> list[str]:
    listed = subprocess.run([isomer, "mugraph", "programs"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines() if line.strip()]


def one_program(name: str, args) -> dict:
    done = subprocess.run([args.program, "-q", "mugraph", "bench", name, "--draw", "--best", str(args.count), "--rounds", str(args.rounds),
                           "--threads", str(args.threads), "--time-limit", args.time_limit, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
    return {"threads": args.threads, "rounds": args.rounds, "asked": args.count, **json.loads(done.stdout)}


def times_of(row: dict) -> list[float]:
    return [k["seconds"] for k in row["tried"] if k["seconds"] is not None]


def recorded(args) -> dict:
    """The last row of each program that was run so."""
    if not RECORD.exists():
        sys.exit(f"{RECORD.relative_to(ROOT)}: nothing is recorded yet")
    rows = {}
    for row in map(json.loads, RECORD.read_text().splitlines()):
        if (row["asked"], row["rounds"], row["threads"]) == (args.count, args.rounds, args.threads) and row["program"] in (args.names or [row["program"]]):
            rows[row["program"]] = row
    if not rows:
        sys.exit(f"{RECORD.relative_to(ROOT)}: no such run is recorded with --count {args.count} --rounds {args.rounds} --threads {args.threads}")
    return rows


def show(row: dict) -> None:
    times, ranks = times_of(row), row["rank_correlation"]
    spread = f"{max(times) / min(times):.1f}" if times else "-"
    print(f"| {row['program']} | {row['structures']} | {row['schedules']}{' (finer)' if row['finer_schedules'] else ''} | {len(row['tried'])} | "
          f"{len(times)} | {spread} | {'-' if ranks is None else format(ranks, '.2f')} | {row['commit']} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/isomer")
    parser.add_argument("--count", type=int, default=100, help="muGraphs of a program that are drawn")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--time-limit", default="3600s", help="of a program's search and compilations")
    parser.add_argument("--table", action="store_true", help="print what is recorded; of all programs unless named")
    parser.add_argument("names", nargs="*", help="only these programs")
    args = parser.parse_args()
    from run import machine

    here, failed, rows = machine(), 0, recorded(args) if args.table else {}
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, commit {here['commit']}, {args.threads} threads\n" * (not args.table)
          + "| program | structures | schedules | drawn | ran | slowest over fastest | rank correlation | commit |\n| --- | --: | --: | --: | --: | --: | --: | --- |")
    for row in rows.values():
        show(row)
    for name in () if args.table else args.names or program_names(args.program):
        try:
            rows[name] = {**here, **one_program(name, args)}
        except RuntimeError as error:
            print(f"| {name} | {error} | | | | | | |", flush=True)
            failed += 1
            continue
        RECORD.parent.mkdir(parents=True, exist_ok=True)
        with RECORD.open("a", encoding="utf-8") as record:
            record.write(json.dumps(rows[name]) + "\n")
        show(rows[name])
    worse = [name for name, row in rows.items() if (row["rank_correlation"] or 0) < LEAST]
    fewer = [name for name, row in rows.items() if len(times_of(row)) < row["asked"]]
    print(f"\nbelow {LEAST}: {', '.join(worse) or 'none'}; fewer than asked for: {', '.join(fewer) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
