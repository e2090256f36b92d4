"""compared_names.py ROOT: reads what `isomer operators --json` prints, and names each place of src/ outside ir/ops that asks
for an operator's name, with its reason. Who asks for a name asks for what the declaration should say: ten places may.

Asked for is a name that is compared (== or !=), looked up (`at`, `find`, `contains`), a name with a dot anywhere, and three
or more in one file, which are a table. The name in a call that adds the operator is not. Words that mean something else, and
files that only make operators, are told below by their file; a place without a reason is printed as one, and so is a reason
without its place.
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
    "mugraph/search.h": "the operators that a search tries, as Mirage's; options name others",
    "recipes/taso.cpp": "TASO takes a concatenation that it makes for free",
    "rewrite/grouping.cpp": "a family is a rule for an operator, written as rules are",
    "rewrite/rule_parser.cpp": "TASO's rules of joined channels leave out a condition on groups",
    "rewrite/term_parser.cpp": "as TASO's language: its pair is two patterns",
}
MAKES = {"cost/layout_cost.cpp", "formats/hlo_graph.cpp", "formats/onnx_broadcast.cpp", "formats/onnx_defined_further.cpp",
         "formats/onnx_opaque.cpp", "published/mirage_figures.cpp", "rewrite/axiom_check.cpp", "rewrite/term_enumeration.cpp"}
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
LOOKED_UP = re.compile(r"\b(at|find|contains)\(\s*$")
TABLE = 3


def asked_in(text: str, names: set[str]) -> list[str]:
    """Names of operators that the file asks for."""
    asked, listed = [], []
    for line in text.split("\n"):
        code = re.sub(r"(^|\s)//.*", "", line)
        for said in re.finditer(r'"((?:[^"\\]|\\.)*)"', code):
            name, before = said[1], code[:said.start()]
            if name not in names or CALLS.search(before):
                continue
            compared = COMPARED.search(before) or re.match(r"\s*[=!]=", code[said.end():])
            (asked if compared or LOOKED_UP.search(before) or "." in name else listed).append(name)
    return asked + (listed if len(listed) >= TABLE else [])


def main() -> int:
    source = Path(sys.argv[1]) / "src"
    names = {o["operator"] for o in json.load(sys.stdin)["operators"]}
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
