"""hlo_opcodes.py PROGRAM [--cases N] [--seed S] [--table]: single opcodes, drawn, evaluated as programs of the IR and run by XLA.

Each opcode of hlo_cases.py is drawn N times. Prints, an opcode a line, how many were drawn, evaluated, run by XLA, agree to
1e-4 of the largest element (of bfloat16 and float16 to 1e-2), and by how much those differ at most; and the opcodes
that nothing was drawn for: with --table as rows of docs/hlo.md. What is refused, or differs, is written out. Ends with
77, a skip, where jaxlib is not installed.
"""

import argparse
import collections
import dataclasses
import random
import re
import sys
import tempfile
from pathlib import Path

import hlo_cases
import hlo_values

OPCODES = Path(__file__).resolve().parents[2] / "src/hlo/opcodes.inc"


def tolerance(text: str) -> float:
    result = re.search(r"ROOT r = (\S+)", text.split("ENTRY")[1])
    return 1e-2 if result and ("bf16" in result[1] or "f16" in result[1]) else hlo_values.TOLERANCE


def undrawn() -> list[str]:
    """Opcodes without a case of their own."""
    all_of_them = re.findall(r'^HLO_OPCODE\(\w+, "([^"]+)"', OPCODES.read_text(), re.MULTILINE)
    drawn = {word for name in hlo_cases.CASES for word in name.split(", ")}
    return [name for name in all_of_them if name not in drawn]


@dataclasses.dataclass
class Row:
    """What became of one opcode's draws."""

    drawn: int = 0
    evaluated: int = 0
    run: int = 0  # by XLA, whose compiler for processors has not all opcodes
    agree: int = 0
    worst: float = 0.0

    def text(self, name: str, table: bool) -> str:
        counts = [str(count) for count in (self.drawn, self.evaluated, self.run, self.agree)]
        columns = [*counts, f"{self.worst:.1e}" if self.worst else "0"]
        return f"| `{name}` | {' | '.join(columns)} |" if table else "  ".join([name, *columns])


def tried(program: str, draws: list, folder: Path) -> tuple[dict, list]:
    """Rows by opcode, and what went wrong."""
    files = [str(folder / f"{i}.txt") for i in range(len(draws))]
    for file, (_, text) in zip(files, draws, strict=True):
        Path(file).write_text(text)
    answers = hlo_values.evaluated_together(program, files)
    theirs = iter(hlo_values.by_xla([answer["file"] for answer in answers if "outputs" in answer]))
    rows, wrong = collections.defaultdict(Row), []
    for answer, (name, text) in zip(answers, draws, strict=True):
        row = rows[name]
        row.drawn += 1
        if "refused" in answer:
            wrong.append(f"{name}: {answer['refused']}")
            continue
        row.evaluated += 1
        outputs = next(theirs)
        if isinstance(outputs, str) and outputs.startswith("UNIMPLEMENTED"):
            continue
        row.run += 1
        apart = outputs if isinstance(outputs, str) else hlo_values.largest_difference(answer, outputs)
        if isinstance(apart, str) or apart > tolerance(text):
            wrong.append(f"{name}: {apart}\n{text}")
        else:
            row.agree += 1
            row.worst = max(row.worst, apart)
    return rows, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="opcodes, separated by semicolons")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if not hlo_values.have_jaxlib():
        print("the package jaxlib is not installed")
        return 77
    names = options.only.split(";") if options.only else list(hlo_cases.CASES)
    generators = {name: random.Random(f"{options.seed} {name}") for name in names}
    draws = [(name, hlo_cases.CASES[name](generators[name])) for name in names for _ in range(options.cases)]
    with tempfile.TemporaryDirectory() as folder:
        rows, wrong = tried(options.program, draws, Path(folder))
    for name in names:
        print(rows[name].text(name, options.table))
    print("not drawn: " + ", ".join(undrawn()))
    print("\n".join(wrong[:20]))
    print(f"{len(draws)} drawn, {sum(row.agree for row in rows.values())} agree with XLA")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
