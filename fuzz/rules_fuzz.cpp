// Any bytes are either a rule file (ours, or one of TENSAT's) or an InputError; rules that were read can be
// compiled.
#include <cstdint>
#include <string_view>

#include "ir/op_table.h"
#include "rewrite/rule_apply.h"
#include "rewrite/rule_parser.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ir::Context ctx(ir::standard_ops());
  const auto compile_all = [&](const rewrite::RuleSet& set) {
    for (const rewrite::Rule& rule : set.rules) rewrite::compile(ctx, rule, 0);
  };
  try {
    compile_all(rewrite::parse_rules(ctx.ops(), text, "fuzz.rules"));
  } catch (const InputError&) {
  }
  try {
    compile_all(rewrite::parse_tensat_multi(ctx.ops(), text, "fuzz.txt"));
  } catch (const InputError&) {
  }
  return 0;
}
