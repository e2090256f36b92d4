#include "hlo/opcode.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "hlo/rules.h"
#include "hlo/word_table.h"

namespace isomer::hlo {
namespace {

template <class... Names>
constexpr AttributeSet set(Names... names) {
  AttributeSet out;
  (out.add(names), ...);
  return out;
}

using enum AttributeName;

constexpr std::array<OpcodeRow, kOpcodeCount> kOpcodeRows = {{
#define SET(...) set(__VA_ARGS__)
#define HLO_OPCODE(name, text, arity, rule, required, optional) \
  {text, arity, rules::rule, required, kOfEveryInstruction.with(required).with(optional)},
#include "hlo/opcodes.inc"
#undef HLO_OPCODE
#undef SET
}};

WordTable opcode_words() {
  std::vector<std::string_view> texts;
  for (const OpcodeRow& r : kOpcodeRows) texts.push_back(r.text);
  return WordTable(texts);
}

}  // namespace

const OpcodeRow& row(Opcode opcode) { return kOpcodeRows[static_cast<size_t>(opcode)]; }

bool is_control_flow(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

bool is_elementwise(Opcode opcode) {
  using namespace rules;
  constexpr void (*kRules[])(const Checked&) = {abs,
                                                arithmetic,
                                                arithmetic_or_pred,
                                                arithmetic_unary,
                                                bitwise,
                                                bitwise_unary,
                                                clamp,
                                                compare,
                                                complex,
                                                convert,
                                                float_unary,
                                                inexact_binary,
                                                inexact_unary,
                                                integer_binary,
                                                integer_unary,
                                                is_finite,
                                                part_of_complex,
                                                reduce_precision,
                                                select};
  return std::ranges::find(kRules, row(opcode).rule) != std::end(kRules);
}

bool is_transcendental(Opcode opcode) {
  const auto rule = row(opcode).rule;
  return opcode == Opcode::kPower || rule == rules::inexact_unary || rule == rules::inexact_binary;
}

std::optional<Opcode> parse_opcode(std::string_view text) {
  static const WordTable table = opcode_words();
  const int found = table.find(text);
  return found < 0 ? std::nullopt : std::optional(static_cast<Opcode>(found));
}

}  // namespace isomer::hlo
