// What rules about collectives ask. Without a channel the members of a group are replicas. With one its
// numbers are those of devices, where `use_global_device_ids` says so; else they are those of replicas, and
// all partitions of each are members. The number of a channel is given once.
#pragma once

#include <optional>
#include <vector>

#include "passes/site.h"

namespace isomer::passes {

/// One array in, one out, nothing that ties it to its place.
bool is_plain_collective(const Module& module, InstructionId id);
bool has_channel(const Module& module, InstructionId id);
/// Whether all members of its groups stand in their lists.
bool lists_all_members(const Site& s, InstructionId id);
/// What its number of a channel becomes in an instruction beside it: none where it has none, else one that is
/// free.
std::vector<AttributeValue> channel_beside(const Site& s, InstructionId id);
/// Members of each group; nothing where they are not listed one by one.
std::optional<std::vector<Dims>> replica_groups(const Site& s, InstructionId id);
/// Equal attributes but for the channel's number, and for the computation, of which the operator must be the
/// same.
bool same_collective(const Site& s, InstructionId a, InstructionId b);

}  // namespace isomer::passes
