#include "passes/collectives.h"

#include <algorithm>

#include "passes/copies.h"
#include "passes/rule_pass.h"

namespace isomer::passes {

bool is_plain_collective(const Module& m, InstructionId id) {
  if (m[id].operands.count != 1 || m[id].opcode != m[id].wrapped || !may_be_replaced(m, id)) return false;
  const auto is_array = [&](InstructionId a) {
    return m.shapes[m.shape(a)].kind == hlo::ShapeKind::kArray && is_static(m, m.shape(a));
  };
  if (!is_array(id) || !is_array(m.operands(id)[0])) return false;
  return std::ranges::none_of(
      std::initializer_list<AttributeName>{AttributeName::kConstrainLayout, AttributeName::kMode,
                                           AttributeName::kBackendConfig, AttributeName::kFrontendAttributes},
      [&](AttributeName name) { return m.find(id, name).has_value(); });
}

bool has_channel(const Module& m, InstructionId id) {
  return m.find(id, AttributeName::kChannelId).has_value();
}

bool lists_all_members(const Site& s, InstructionId id) {
  return !has_channel(s.m, id) || s.number(id, AttributeName::kUseGlobalDeviceIds) != 0;
}

std::vector<AttributeValue> channel_beside(const Site& s, InstructionId id) {
  if (!has_channel(s.m, id)) return {};
  int64_t last = 0;
  for (const hlo::Attribute& a : s.m.attributes)
    if (a.name == AttributeName::kChannelId) last = std::max(last, s.m.value(a)[0]);
  return {{AttributeName::kChannelId, {last + 1}}};
}

std::optional<std::vector<Dims>> replica_groups(const Site& s, InstructionId id) {
  const Dims numbers = s.list(id, AttributeName::kReplicaGroups);
  if (numbers.size() < 2 || numbers[0] != 0) return std::nullopt;
  std::vector<Dims> out;
  for (size_t i = 1; i < numbers.size();) {
    const auto first = numbers.begin() + static_cast<ptrdiff_t>(i) + 1;
    out.emplace_back(first, first + numbers[i]);
    i += 1 + static_cast<size_t>(numbers[i]);
  }
  return out;
}

bool same_collective(const Site& s, InstructionId a, InstructionId b) {
  if (s.op(a) != s.op(b) || s.element(a) != s.element(b)) return false;
  if (has_channel(s.m, a) != has_channel(s.m, b)) return false;
  if (lists_all_members(s, a) != lists_all_members(s, b)) return false;
  for (const AttributeName name : {AttributeName::kReplicaGroups, AttributeName::kDimensions})
    if (s.list(a, name) != s.list(b, name)) return false;
  if (!s.m.find(a, AttributeName::kToApply)) return true;
  return s.combiner(a) && s.combiner(a) == s.combiner(b);
}

}  // namespace isomer::passes
