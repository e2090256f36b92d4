// What declarations of operators with regions share.
#pragma once

#include "ir/ops/declare.h"

namespace isomer::ir::ops {

std::vector<TypeId> types_of(const Graph& graph, std::span<const ValueId> values);
/// One result, or a tuple of several: its type; the value.
Inferred several(const OpInstance& op, std::vector<TypeId> types);
ValueId several(Builder& b, std::vector<ValueId> values);
/// "the WHAT gives one bool[]" where it does not; empty where it does.
std::string check_gives_truth(const OpInstance& op, const Graph& region, std::string_view what);

}  // namespace isomer::ir::ops
