"""caught.py ROOT: each file of src/ that catches exceptions, what it catches, at how many places, and why there.

An exception is for what ends a command. What is an answer is a value: support/possible.h makes one of a bad input, and
eval/outcome.h of an evaluation that ends early. Whatever else catches stands at a border: of the program, of a process, of a
library that throws, of one job of many. A place without a reason is printed as one, and so is a reason without its place.
"""

import re
import sys
from collections import Counter
from pathlib import Path

REASONS = {
    "api/isomer.cpp": "the report is of a failure, too, which goes on",
    "cli/hlo_exemplars_command.cpp": "one job of many: a module that fails is said, and the others count",
    "cli/main.cpp": "the program's border: a message and a status",
    "cli/mugraph_run_commands.cpp": "a search that is interrupted: what was found before stands",
    "eval/outcome.h": "how an evaluation ended, as a value",
    "evaluation/hlo_bench.cpp": "a runtime that is not there",
    "evaluation/models_bench.cpp": "one job of many: its failure is what is recorded",
    "evaluation/record_file.cpp": "a library of JSON that throws, and who takes a line: said with the line",
    "formats/hlo_graph.cpp": "what cannot be said of a module is an input",
    "formats/onnx_read.cpp": "what another program inferred made a model impossible: it is read without",
    "hlo/rules_contraction.cpp": "either of two operands may be the other factor",
    "hlo/verify.cpp": "the border of rules of types: what is wrong, as a value",
    "mugraph/checkpoint.cpp": "a library of JSON that throws, on what another build may have kept",
    "mugraph/found_store.cpp": "a library of JSON that throws, and what another build may have kept",
    "mugraph/mirage_json.cpp": "a library of JSON that throws",
    "recipes/check_files.cpp": "a runtime that is not there",
    "recipes/compare.cpp": "a runtime that is not there",
    "recipes/compare_interpreted.cpp": "a file that cannot be written: said, and the answer stands",
    "recipes/cost_choice.cpp": "a runtime that is not there, or has no time",
    "recipes/decide_steps.cpp": "a runtime that is not there",
    "recipes/find_steps.cpp": "a runtime that is not there",
    "recipes/found_check.cpp": "a runtime that is not there",
    "recipes/hlo_env.cpp": "what callers of another language give",
    "recipes/mirage_compile.cpp": "a device that is not there: said with what to do, and goes on",
    "recipes/optimize.cpp": "the result is of a failure, too, which goes on",
    "recipes/rule_priors.cpp": "a library of JSON that throws",
    "recipes/shipped_arithmetic.cpp": "a folder of rules that is not there",
    "recipes/sizes.cpp": "a runtime that is not there",
    "recipes/spine.cpp": "a step that fails is recorded as one, and the failure goes on",
    "recipes/staging.cpp": "a library of files that throws",
    "runtime/worker.cpp": "the border of a process: one that does not start, or says what is no frame",
    "runtime/xla_pool.cpp": "threads that were started are joined where the next one cannot be, and the failure goes on",
    "support/crew.cpp": "threads: what one throws is thrown where they are joined, and the system may give fewer",
    "support/possible.h": "whether something can be made of an input, as a value",
}


def main():
    root = Path(sys.argv[1]) / "src"
    caught = {}
    for path in sorted(root.rglob("*")):
        if path.suffix in (".cpp", ".h"):
            types = re.findall(r"\bcatch \((?:const )?([\w:.]+)", path.read_text())
            if types:
                times = Counter(t.split("::")[-1] for t in types)
                caught[path.relative_to(root).as_posix()] = [t if n == 1 else f"{t} x{n}" for t, n in sorted(times.items())]
    for place in sorted(caught.keys() | REASONS.keys()):
        types = " ".join(caught[place]) if place in caught else "nothing any more"
        print(f"{place}: {types}: {REASONS.get(place, 'no reason')}")


main()
