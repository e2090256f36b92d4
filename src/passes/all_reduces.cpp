// All-reduces of replicas. XLA's AllReduceFolder: one after another is one, where the groups of the second
// have one replica of each of some groups of the first. XLA's AllReduceReassociate: a sum of two sums over
// replicas is the sum over replicas of a sum. Both round otherwise than what they stand for, as XLA's do.
// Where a channel's groups stand for all partitions of their replicas, two sums would count each as often as
// there are partitions: those are not folded. XLA's reassociation of several operands is not here.
#include <algorithm>
#include <map>

#include "passes/collectives.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

/// Of each replica what it gets a sum over, by two steps; nothing where some would count twice or not at all.
std::optional<std::vector<Dims>> folded(const std::vector<Dims>& first, const std::vector<Dims>& second) {
  std::map<int64_t, size_t> group;
  for (size_t g = 0; g < first.size(); ++g)
    for (const int64_t replica : first[g])
      if (!group.emplace(replica, g).second) return std::nullopt;
  std::map<int64_t, Dims> sums;
  for (const Dims& members : second) {
    Dims sum;
    std::vector<size_t> seen;
    for (const int64_t replica : members) {
      const auto at = group.find(replica);
      if (at == group.end() || std::ranges::count(seen, at->second) > 0) return std::nullopt;
      seen.push_back(at->second);
      sum.insert(sum.end(), first[at->second].begin(), first[at->second].end());
    }
    std::ranges::sort(sum);
    for (const int64_t replica : members)
      if (!sums.emplace(replica, sum).second) return std::nullopt;
  }
  if (sums.size() != group.size()) return std::nullopt;
  std::vector<Dims> out;
  for (const auto& [replica, sum] : sums) {
    // All that are in the sum get the same one.
    if (std::ranges::any_of(sum, [&](int64_t other) { return sums.at(other) != sum; })) return std::nullopt;
    if (sum[0] == replica) out.push_back(sum);
  }
  return out;
}

InstructionId one_after_another(const Site& s) {
  const InstructionId first = s.in(0);
  if (!is_plain_collective(s.m, s.at) || !s.is(first, Opcode::kAllReduce) || !s.has_one_user(first))
    return {};
  if (!is_plain_collective(s.m, first) || !s.combiner(first) || s.combiner(first) != s.combiner(s.at))
    return {};
  if (has_channel(s.m, first) != has_channel(s.m, s.at)) return {};
  if (!lists_all_members(s, first) || !lists_all_members(s, s.at)) return {};
  const auto before = replica_groups(s, first), after = replica_groups(s, s.at);
  if (!before || !after) return {};
  const auto groups = folded(*before, *after);
  if (!groups) return {};
  Dims numbers = {0};
  for (const Dims& group : *groups) {
    numbers.push_back(static_cast<int64_t>(group.size()));
    numbers.insert(numbers.end(), group.begin(), group.end());
  }
  const AttributeValue instead[] = {{AttributeName::kReplicaGroups, numbers}};
  return s.w.again(s.at, s.m.shape(s.at), {s.in(first, 0)}, instead);
}

InstructionId sum_of_sums(const Site& s) {
  const InstructionId a = s.in(0), b = s.in(1);
  if (a == b || !s.is(a, Opcode::kAllReduce) || !s.is(b, Opcode::kAllReduce)) return {};
  if (!s.has_one_user(a) || !s.has_one_user(b)) return {};
  if (!is_plain_collective(s.m, a) || !is_plain_collective(s.m, b) || !same_collective(s, a, b)) return {};
  if (s.combiner(a) != s.op(s.at)) return {};
  const InstructionId sum = s.w.again(s.at, s.m.shape(s.at), {s.in(a, 0), s.in(b, 0)});
  return s.w.again(a, s.m.shape(s.at), {sum});
}

constexpr Rule kFolder[] = {{Opcode::kAllReduce, "all-reduce-twice", one_after_another}};
constexpr Rule kReassociate[] = {
    {Opcode::kAdd, "sum-of-all-reduces", sum_of_sums},
    {Opcode::kMultiply, "product-of-all-reduces", sum_of_sums},
    {Opcode::kMaximum, "maximum-of-all-reduces", sum_of_sums},
    {Opcode::kMinimum, "minimum-of-all-reduces", sum_of_sums},
    {Opcode::kAnd, "and-of-all-reduces", sum_of_sums},
    {Opcode::kOr, "or-of-all-reduces", sum_of_sums},
};

}  // namespace

std::shared_ptr<const Pass> all_reduce_folder() {
  static const auto kPass = std::make_shared<const RulePass>("all-reduce-folder", kFolder);
  return kPass;
}

std::shared_ptr<const Pass> all_reduce_reassociate() {
  static const auto kPass = std::make_shared<const RulePass>("all-reduce-reassociate", kReassociate);
  return kPass;
}

}  // namespace isomer::passes
