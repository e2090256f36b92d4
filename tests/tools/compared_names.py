"""compared_names.py ROOT: reads what `isomer operators --json` prints, and names each place of src/ outside ir/ops that asks
for an operator's name, with its reason. Who asks for a name asks for what the declaration should say: few places may.

Asked for is a name that is compared (== or !=), looked up (`at`, `find`, `contains`), one that a name is said to begin with
(`starts_with`), a name with a dot anywhere, each in braces that hold nothing but such names, and three or more in one file,
which are a table. Names are those of the operators and how muGraphs spell them, ours and Mirage's. The name in a call that adds
the operator is not. Words that mean something else, and files that only make operators, are told below by their file; a place
without a reason is printed as one, and so is a reason without its place.
"""

import json
import re
import sys
from pathlib import Path

ASKS = {
    "cost/anchor.cpp": "the cost of TENSAT's results: a formula for each operator of its language, none for others",
    "cost/runtime_fusion.cpp": "what runtimes compute together was seen of them, and follows from no meaning",
    "formats/sexpr/taso_nodes.cpp": "words of TASO's language that take their children otherwise",
    "ir/taso_words.cpp": "TENSAT's words for our operators, both ways: a spelling",
    "mugraph/mu_op.cpp": "the order in which a search tries operators, and so of what it finds",
    "mugraph/programs.cpp": "programs that have a name say what a search of theirs tries besides",
    "mugraph/search.h": "the operators that a search tries, as Mirage's; options name others",
    "mugraph/steps.cpp": "the same of programs that are pieces of models, as their steps need it",
    "recipes/taso.cpp": "TASO takes a concatenation that it makes for free",
    "recipes/taso_language.cpp": "which programs are TASO's already: their operators' names begin with its own",
    "rewrite/grouping.cpp": "a family is a rule for an operator, written as rules are",
    "rewrite/rule_parser.cpp": "TASO's rules of joined channels leave out a condition on groups",
    "rewrite/term_parser.cpp": "as TASO's language: its pair is two patterns",
}
MAKES = {"cost/layout_cost.cpp", "formats/hlo_elements.cpp", "formats/hlo_indexed.cpp", "formats/hlo_reductions.cpp",
         "formats/onnx_broadcast.cpp", "formats/onnx_defined_further.cpp",
         "formats/onnx_opaque.cpp", "mugraph/mirage_json.cpp", "mugraph/thread_graphs.cpp", "published/mirage_figures.cpp",
         "rewrite/axiom_check.cpp", "rewrite/term_enumeration.cpp"}
OTHERWISE = {
    "attributes and their choices": {"formats/onnx_defined_sampling.cpp", "formats/onnx_spell_movement.cpp",
                                     "formats/onnx_spell_resize.cpp", "formats/onnx_spell_shape.cpp",
                                     "hlo/read_attributes.cpp"},
    "LLVM's words": {"codegen/llvm_lanes.h", "codegen/llvm_math.cpp", "codegen/llvm_scalar.cpp"},
    "words of texts and drawings": {"codegen/loop_program.cpp", "ir/parse.cpp", "ir/size_formula.cpp", "mugraph/page.cpp",
                                    "report/run_comparison.cpp", "rewrite/rule_function.h", "mugraph/subexpression.cpp", "rewrite/taso_rules.cpp"},
    "scalar operators": {"ir/scalar_table.cpp"},
    "ONNX's names beside ours": {"formats/onnx_spell_fusion.cpp", "formats/onnx_spell_alike.cpp"},
    "functions of libm and libc": {"native/shared_object.cpp"},
    "a worker's words": {"runtime/onnxruntime.cpp", "runtime/xla.cpp"},
}
CALLS = re.compile(r"\b(add\w*|call|both|with|reduce|node|extra|convert|writes\w*|functions?|input|place)\((?:[^()\"]*, ?)?$")
COMPARED = re.compile(r"[=!]=\s*$")
LOOKED_UP = re.compile(r"\b(at|find|contains)\((?:[^()\"]*\?)?(?:\s*\"[^\"]*\"\s*:)?\s*$")
BEGINS = re.compile(r"\bstarts_with\(\s*$")
LIST = re.compile(r'\{\s*("[\w.]+"(?:\s*,\s*"[\w.]+")*)\s*\}')
TABLE, SHORTEST_BEGINNING = 3, 3


def begins_a_name(text: str, names: set[str]) -> bool:
    """Of an operator; or a word made of one, as TASO's split_0."""
    text = text.lstrip("(")
    return len(text) >= SHORTEST_BEGINNING and (text.rstrip("_.") in names or any(n.startswith(text) for n in names))


def asked_in(text: str, names: set[str]) -> list[str]:
    """Names of operators that the file asks for."""
    lines = [re.sub(r"(^|\s)//.*", "", line) for line in text.split("\n")]
    lists = [re.findall(r'"([^"]*)"', said[1]) for said in LIST.finditer("\n".join(lines))]
    asked, listed = [name for said in lists if names.issuperset(said) for name in said], []
    for code in lines:
        for said in re.finditer(r'"((?:[^"\\]|\\.)*)"', code):
            name, before = said[1], code[:said.start()]
            if BEGINS.search(before) and begins_a_name(name, names):
                asked.append(name)
            if name not in names or CALLS.search(before):
                continue
            compared = COMPARED.search(before) or re.match(r"\s*[=!]=", code[said.end():])
            (asked if compared or LOOKED_UP.search(before) or "." in name else listed).append(name)
    return asked + (listed if len(listed) >= TABLE else [])


def main() -> int:
    source = Path(sys.argv[1]) / "src"
    operators = json.load(sys.stdin)["operators"]
    names = {o["operator"] for o in operators}
    names |= {f["name"] for o in operators for f in o["formats"] if f["format"] in ("mugraph", "mirage")}
    apart = MAKES.union(*OTHERWISE.values())
    seen = set()
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        place = path.relative_to(source).as_posix()
        asked = [] if place.startswith("ir/ops/") else asked_in(path.read_text(), names)
        if not asked:
            continue
        seen.add(place)
        if place not in apart:
            print(f"{place}: {' '.join(sorted(set(asked)))}: {ASKS.get(place, 'NO REASON')}")
    for place in sorted((apart | set(ASKS)) - seen):
        print(f"{place}: asks for none")
    print(f"{len(ASKS)} places ask for an operator's name")
    return 0


if __name__ == "__main__":
    sys.exit(main())
