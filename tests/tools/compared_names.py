"""compared_names.py ROOT: reads what `isomer operators --json` prints, and names each place of src/ outside ir/ops that asks
for an operator's name, with its reason. Who asks for a name asks for what the declaration should say: few places may.

Asked for is a name that is compared (== or !=, or by a function `is`), looked up (`at`, `find`, `contains`), one that a name is said to begin with
(`starts_with`), a name with a dot anywhere, each in braces that hold nothing but such names, and three or more in one file,
which are a table. Names are those of the operators and how muGraphs spell them, ours and Mirage's; and, told apart from these,
ONNX's. The name in a call that adds the operator is not. Words that mean something else, and files that only make operators, are told below by their file; a place
without a reason is printed as one, and so is a reason without its place.
"""

import json
import re
import sys
from pathlib import Path

import onnx.defs

ASKS = {
    "cost/anchor.cpp": "the cost of TENSAT's results: a formula for each operator of its language, none for others",
    "cost/runtime_fusion.cpp": "what runtimes compute together was seen of them, and follows from no meaning",
    "formats/sexpr/taso_nodes.cpp": "words of TASO's language that take their children otherwise",
    "ir/taso_words.cpp": "TENSAT's words for our operators, both ways: a spelling",
    "mugraph/search.h": "the operators that a search tries, as Mirage's; options name others",
    "mugraph/searched_ops.h": "in which order a search tries operators, and which some programs need besides: what it finds",
    "passes/stepwise_writer.cpp": "what HLO has an opcode for where a meaning is an evaluator, which does not show what it does",
    "recipes/taso_language.cpp": "which programs are TASO's already: their operators' names begin with its own; and which of them it takes for free",
    "rewrite/grouping.cpp": "a family is a rule for an operator, written as rules are",
    "rewrite/rule_parser.cpp": "TASO's rules of joined channels leave out a condition on groups",
}
ONNX_ASKS = {
    "formats/onnx_bodies.cpp": "whose attributes are graphs, of nodes that stay opaque too, and what their inputs are there",
    "formats/onnx_computed_shapes.cpp": "opaque nodes: shapes by elements of which some are known, where a declaration wants all",
    "formats/onnx_control.cpp": "control flow is read by its bodies, not by rows",
    "formats/onnx_nodes.cpp": "what a file's node means before it is read as an operator: a place, a round, a name for the same",
    "formats/onnx_random.cpp": "operators that draw, which no declaration has",
    "formats/onnx_read.cpp": "nodes that are no operator: names for what there is, and a condition that is known",
    "formats/onnx_result_types.cpp": "opaque nodes: results of what a declaration does not say, each group with its reason",
    "formats/onnx_save.cpp": "the branches of an If, as files have them, into which constants are moved",
    "formats/onnx_spell_rows.cpp": "operators on sequences and optional values, of which it is said what they work on",
    "formats/onnx_tensor.cpp": "a node that is a constant",
    "formats/onnx_types.cpp": "opaque nodes whose results are as long as their elements say",
    "recipes/agreement.cpp": "what is judged by what stands before it, in the file as it is written",
    "recipes/conditions.cpp": "files as they are, unread: which operands' elements count, and which only their sizes",
    "recipes/deciders.cpp": "an opaque If, whose condition may name an input's usual number",
    "recipes/value_ranges.cpp": "an opaque Scan, whose rounds are followed",
    "verify/input_ranges.cpp": "opaque nodes: what their indices may be, which a declaration says as a wish",
}
ONNX_SPELLS = {"formats/onnx_defined_further.cpp", "formats/onnx_defined_sampling.cpp", "formats/onnx_defined_training.cpp",
               "formats/onnx_run_time_sizes.cpp", "formats/onnx_spell_alike.cpp", "formats/onnx_spell_fusion.cpp",
               "formats/onnx_spell_movement.cpp", "formats/onnx_spell_shape.cpp"}
MAKES = {"cost/layout_cost.cpp", "formats/hlo_elements.cpp", "formats/hlo_indexed.cpp", "formats/hlo_reductions.cpp",
         "formats/onnx_broadcast.cpp", "formats/onnx_defined_further.cpp",
         "formats/onnx_opaque.cpp", "mugraph/mirage_json.cpp", "mugraph/thread_graphs.cpp", "published/mirage_figures.cpp",
         "rewrite/axiom_check.cpp", "rewrite/term_enumeration.cpp"}
OTHERWISE = {
    "attributes and their choices": {"formats/onnx_defined_sampling.cpp", "formats/onnx_spell_movement.cpp",
                                     "formats/onnx_spell_resize.cpp", "formats/onnx_spell_shape.cpp",
                                     "hlo/read_attributes.cpp"},
    "LLVM's words": {"codegen/llvm_lanes.h", "codegen/llvm_math.cpp", "codegen/llvm_scalar.cpp"},
    "words of texts and drawings": {"cli/hlo_searches_table.cpp", "codegen/loop_program.cpp", "ir/parse.cpp", "ir/size_formula.cpp", "mugraph/page.cpp",
                                    "report/run_comparison.cpp", "rewrite/rule_function.h", "mugraph/subexpression.cpp", "rewrite/taso_rules.cpp"},
    "scalar operators": {"ir/scalar_table.cpp", "passes/scalar_writer.cpp"},
    "ONNX's names beside ours": {"formats/onnx_spell_fusion.cpp", "formats/onnx_spell_alike.cpp"},
    "a worker's words": {"runtime/onnxruntime.cpp", "runtime/xla.cpp"},
}
CALLS = re.compile(r"\b(add\w*|call|both|with|reduce|node|extra|convert|writes\w*|functions?|input|place)\((?:[^()\"]*, ?)?$")
COMPARED = re.compile(r"([=!]=|\bis\w*\([^()\"]*,)\s*$")
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


def told(source: Path, names: set[str], asks: dict[str, str], apart: set[str]) -> None:
    """Prints the places that ask for one of the names."""
    seen = set()
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        place = path.relative_to(source).as_posix()
        asked = [] if place.startswith("ir/ops/") else asked_in(path.read_text(), names)
        if not asked:
            continue
        seen.add(place)
        if place not in apart:
            print(f"{place}: {' '.join(sorted(set(asked)))}: {asks.get(place, 'NO REASON')}")
    for place in sorted((apart | set(asks)) - seen):
        print(f"{place}: asks for none")


def main() -> int:
    source = Path(sys.argv[1]) / "src"
    operators = json.load(sys.stdin)["operators"]
    names = {o["operator"] for o in operators}
    names |= {f["name"] for o in operators for f in o["formats"] if f["format"] in ("mugraph", "mirage")}
    told(source, names, ASKS, MAKES.union(*OTHERWISE.values()))
    print(f"{len(ASKS)} places ask for an operator's name")
    told(source, {schema.name for schema in onnx.defs.get_all_schemas()}, ONNX_ASKS, ONNX_SPELLS)
    print(f"{len(ONNX_ASKS)} places ask for one of ONNX's, {len(ONNX_SPELLS)} spell or define its nodes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
