// Any bytes are equations (TASO's functional notation) and, read again, axioms of the symbol language, or an
// InputError; what was read can be proved or not within a small limit.
#include <cstdint>
#include <string_view>

#include "egraph/equations.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer::egraph;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  SymbolTable symbols;
  std::vector<Rewrite> axioms =
      parse_rules("(f ?x ?y)=>(f ?y ?x)\n(f ?x (f ?y ?z))<=>(f (f ?x ?y) ?z)", symbols);
  try {
    for (Rewrite& r : parse_rules(text, symbols, "fuzz.txt")) axioms.push_back(std::move(r));
  } catch (const isomer::InputError&) {
  }
  std::vector<Equation> equations;
  try {
    equations = parse_equations(text, symbols, "fuzz.eq");
  } catch (const isomer::InputError&) {
    equations = parse_equations("f(a,f(b,c))==f(f(c,b),a)", symbols);
  }
  ProveOptions options;
  options.nodes = 500;
  options.iterations = 4;
  prove(equations, axioms, options);
  return 0;
}
