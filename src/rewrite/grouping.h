// Operators of one kind that share an operand, as one operator on their other operands joined: all of them at
// once, where pairs of a multi-pattern rule would make every subset. A recurrent network's input products of
// all steps become one product on stacked rows (the weight is read once); queries, keys and values become one
// product with a wide weight. The idea is TASO's and TENSAT's (merged operators); groups instead of pairs,
// and sharing the weight rather than the input, are ours.
//
// Members of a group must not depend on each other, for the joined operator needs the operands of all before
// it gives any result: no member's operand may reach another member's result, by any e-node.
//
// What a group may become is stated as a rule with one left side for each member, so that it is typed,
// recorded and verified as every rule is.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "rewrite/rule.h"
#include "rewrite/tensor_egraph.h"

namespace isomer::rewrite {

enum class GroupKind : uint8_t {
  kStackRows,    ///< x_i w, w of rank 2: rows stacked
  kStackBatch,   ///< the same along the first dimension of x_i
  kJoinColumns,  ///< x w_i, constant w_i of rank 2
  kJoinKernels,  ///< conv(x, w_i), constant w_i, one group
  kJoinKernelsBias,
  kConvBatch,  ///< conv(x_i, w): batches stacked
  kConvBatchBias,
};
inline constexpr size_t kGroupKinds = 7;

/// The rule for `members` of a kind, named after both: "stack-rows-5". Class variables in the order of
/// Group::operands; attribute variables are the operator's (then those of lets).
Rule group_rule(const ir::OpTable& ops, GroupKind kind, size_t members);

/// Operators to be joined, in order of their classes.
struct Group {
  GroupKind kind = GroupKind::kStackRows;
  egraph::ClassId shared;  ///< the first operand that all have
  std::vector<egraph::ClassId> roots;
  std::vector<uint32_t> bindings;  ///< of the rule's class variables, then of its matched attributes
};

struct GroupOptions {
  size_t most_members = 32;
  /// Inputs whose constant weights were joined before: what rules made of these weights since (scaled ones)
  /// is no reason to join them again.
  std::set<std::pair<GroupKind, uint32_t>> joined;
};

/// The groups in an e-graph, which must be clean: largest possible, each operator in at most one of a kind.
/// Operators on constants alone are left out, since they are folded.
std::vector<Group> find_groups(TensorEGraph& program, const GroupOptions& options = {});

}  // namespace isomer::rewrite
