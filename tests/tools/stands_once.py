"""stands_once.py ROOT: what the engine has one of, and each file of src/ that has it, or uses its parts, with the reason.

Graphics processors are described, threads started, e-graphs saturated, patterns matched, terms stored and programs flattened at one place each (docs/architecture.md, "What is said
once"); and who decides by what a reason says in words. A second one begins with a file that is not listed here: it is printed without a reason, and so is a reason without its file.
"""

import re
import sys
from pathlib import Path

ONE = "the one place"
THINGS = {
    "a graphics processor is named": (r'"(?:roofline:)?(?:a100|h100|p100|t4|sm_\d+\w*)"', {
        "cli/bench_command.cpp": "the devices of a paper's tables",
        "cli/mugraph_run_commands.cpp": "what a graphics processor that is not named is taken for",
        "evaluation/priors_bench.h": "a bench's default",
        "machine/device.cpp": ONE,
        "machine/gpu.cpp": "of what LLVM names",
        "mugraph/target.cpp": "which devices kernels are searched for, with the choices of schedules there",
        "mugraph/target.h": "the same",
        "published/mcts.cpp": "tables of a paper",
        "published/mcts.h": "the same",
        "recipes/learning.h": "an environment's default",
        "recipes/mcts.h": "a search's default",
        "recipes/mirage_compile.cpp": "what a graphics processor that is not named is taken for",
    }),
    "threads are started": (r"\bstd::j?thread\b(?!::)|\bpthread_create\(", {
        "api/session.h": "watches a flag that a signal handler may set",
        "cli/main.cpp": "removes files after a second Ctrl-C, and ends the program",
        "native/runtime/runtime.cpp": "linked into compiled models, which have nothing else of ours",
        "runtime/xla_pool.cpp": "each owns a worker process, which ends with it",
        "runtime/xla_pool.h": "the same",
        "support/crew.h": ONE,
    }),
    "an e-graph is saturated": (r"\bSaturationWork\b|\bsaturate\(work\b", {
        "egraph/run.h": "what the loop does for symbols",
        "egraph/saturation_loop.h": ONE,
        "rewrite/saturate.cpp": "what the loop does for tensors",
    }),
    "an e-graph is rebuilt": (r"(?:\.|->)rebuild\(\)", {
        "api/egraph.cpp": "nodes of a caller are added",
        "egraph/run.h": "an iteration of the loop",
        "problems/build_egraph.cpp": "an action of a search: one rule is applied",
        "problems/module_egraph.cpp": "alternatives of HLO passes are added, once",
        "recipes/egraph_file.cpp": "an e-graph is read",
        "recipes/rewriting.cpp": "bodies that were rewritten by themselves are added",
        "rewrite/saturate.cpp": "an iteration of the loop",
        "rewrite/tensor_egraph.cpp": "a program is added",
    }),
    "patterns are matched": (r"\b(?:CodeTree|TreeWalk)\b|\bmatch\w*\([^;{}]*\bPattern&", {
        "egraph/code_tree.cpp": ONE,
        "egraph/code_tree.h": ONE,
        "egraph/ematch.cpp": "over whole e-graphs, in ranges",
        "egraph/ematch.h": "the same",
        "egraph/multipattern.h": "patterns of a rule that share variables",
        "egraph/rule_plan.h": "the rules of a run, as one tree",
        "problems/rule_matcher.cpp": "from chosen nodes",
        "problems/rule_matcher.h": "the same",
        "rewrite/term_dag.cpp": "programs of terms: one way for each node, so nothing is to be chosen",
        "rewrite/term_dag.h": "the same",
    }),
    "terms are stored": (r"\b(?:class|struct) \w*(?:Terms|TermTable|TermDag|TermBank|TermStore)(?: : [^;{]*)? \{", {
        "egraph/term_table.h": ONE,
        "ir/same_structure.cpp": "of two programs that are compared, once: numbers without a way back",
        "meaning/element_terms.h": "of elements over sizes, once: numbers without a way back",
        "mugraph/abstract_expr.h": "a search's, in the table",
        "rewrite/term_dag.h": "programs that a search rewrites, in the table",
    }),
    "a function is called flatten": (r"(?m)^ *(?!return)[\w:<>]+ (?:\w+::)?flatten\w*\(", {
        "meaning/flatten.cpp": ONE,
        "meaning/flatten.h": ONE + ": a program without composites",
    }),
    "a reason in words is read": (r"\b(?:decision|runtime|why|why_\w+|verification|failure|warnings?)"
                                       r"\.(?:starts_with|ends_with|find|contains|substr)\(", {
        "mugraph/mu_op.cpp": "the operator's name before a type rule's message, which goes",
        "recipes/hlo_check.cpp": "the file's name before a message, for which another stands",
    }),
}


def main() -> None:
    root = Path(sys.argv[1]) / "src"
    texts = {path.relative_to(root).as_posix(): re.sub(r"//.*|#include.*", "", path.read_text())
             for path in sorted(root.rglob("*")) if path.suffix in (".cpp", ".h")}
    for thing, (pattern, reasons) in THINGS.items():
        print(f"{thing}:")
        found = {place for place, text in texts.items() if re.search(pattern, text)}
        for place in sorted(found | reasons.keys()):
            print(f"  {place}: {reasons.get(place, 'NO REASON') if place in found else 'not there'}")


main()
