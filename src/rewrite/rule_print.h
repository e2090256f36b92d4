// Rules for people: both sides drawn as trees side by side, conditions written out; and as a graph for dot.
#pragma once

#include <string>

#include "ir/op_table.h"
#include "rewrite/rule.h"

namespace isomer::rewrite {

/// An expression as rule files write it.
std::string print(const Rule& rule, const Expr& expr);

/// Several lines: name, origin, where it stands, the two sides, conditions.
std::string draw(const ir::OpTable& ops, const Rule& rule);
/// The same as a dot graph: left and right side as clusters, variables shared.
std::string to_dot(const ir::OpTable& ops, const Rule& rule);

}  // namespace isomer::rewrite
