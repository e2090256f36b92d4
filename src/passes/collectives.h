// What rules about collectives ask. Only those of replicas: what has a channel stands for devices of other
// partitions, and numbers of channels are given once.
#pragma once

#include <optional>
#include <vector>

#include "passes/site.h"

namespace isomer::passes {

/// One array in, one out, over replicas, nothing that ties it to its place.
bool is_plain_collective(const Module& module, InstructionId id);
/// Replicas of each group; nothing where they are not listed one by one.
std::optional<std::vector<Dims>> replica_groups(const Site& s, InstructionId id);
/// Equal attributes but for the computation, of which the operator must be the same.
bool same_collective(const Site& s, InstructionId a, InstructionId b);

}  // namespace isomer::passes
