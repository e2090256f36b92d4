// Any bytes are either TASO's substitutions or an InputError; rules that were read can be compiled.
#include <cstdint>
#include <string_view>

#include "ir/op_table.h"
#include "rewrite/rule_apply.h"
#include "rewrite/rule_parser.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  ir::Context ctx(ir::standard_ops());
  try {
    const rewrite::RuleSet set =
        rewrite::parse_taso(ctx.ops(), {reinterpret_cast<const char*>(data), size}, "fuzz.pb");
    for (const rewrite::Rule& rule : set.rules) rewrite::compile(ctx, rule, 0);
  } catch (const InputError&) {
  }
  return 0;
}
