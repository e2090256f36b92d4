// XLA's AllGatherBroadcastReorder: what was broadcast is gathered before it is broadcast, which is less to
// send. Along a dimension of what is broadcast it is gathered there; along a dimension that the broadcast
// makes it is gathered along a new one, of as many as there are replicas.
#include <algorithm>

#include "passes/collectives.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

InstructionId gathered(const Site& s, InstructionId a, size_t along, int64_t replicas) {
  Dims sizes = s.dims(a);
  sizes[along] *= replicas;
  const AttributeValue instead[] = {{AttributeName::kDimensions, {static_cast<int64_t>(along)}}};
  return s.w.again(s.at, s.w.array(s.element(a), sizes), {a}, instead);
}

InstructionId gather_of_broadcast(const Site& s) {
  const InstructionId wide = s.in(0);
  if (!is_plain_collective(s.m, s.at) || !s.is(wide, Opcode::kBroadcast) || !may_be_replaced(s.m, wide))
    return {};
  const Dims result = s.dims(s.at), local = s.dims(wide);
  const auto along = static_cast<size_t>(s.list(s.at, AttributeName::kDimensions)[0]);
  if (s.elements(wide) <= 0) return {};
  const int64_t replicas = result[along] / local[along];
  const InstructionId narrow = s.in(wide, 0);
  Dims places = s.list(wide, AttributeName::kDimensions);
  if (s.elements(narrow) == s.elements(wide)) return {};
  const auto at = std::ranges::find(places, static_cast<int64_t>(along));
  if (at != places.end()) {
    const auto d = static_cast<size_t>(at - places.begin());
    return s.w.broadcast(gathered(s, narrow, d, replicas), result, places);
  }
  // Replicas are a dimension of their own until the end.
  Dims one = s.dims(narrow), apart = local;
  one.insert(one.begin(), 1);
  apart.insert(apart.begin() + static_cast<ptrdiff_t>(along), replicas);
  for (int64_t& place : places)
    if (place > static_cast<int64_t>(along)) ++place;
  places.insert(places.begin(), static_cast<int64_t>(along));
  const InstructionId all = gathered(s, s.w.reshape(narrow, one), 0, replicas);
  return s.w.reshape(s.w.broadcast(all, apart, places), result);
}

constexpr Rule kAllGatherOfBroadcastRules[] = {
    {Opcode::kAllGather, "gather-before-broadcast", gather_of_broadcast}};

}  // namespace

std::shared_ptr<const Pass> all_gather_of_broadcast() {
  static const auto kPass =
      std::make_shared<const RulePass>("all-gather-bcast-reorder", kAllGatherOfBroadcastRules);
  return kPass;
}

}  // namespace isomer::passes
