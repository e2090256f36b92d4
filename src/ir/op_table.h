// The registry of operators: ask by id, by name, or by a format's spelling.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/op.h"

namespace isomer::ir {

class OpTable {
 public:
  /// Throws MisuseError when the name is taken or the declaration is incomplete for its kind.
  OpId add(OpDef def);

  const OpDef& get(OpId id) const { return ops_[id.index()]; }
  size_t size() const { return ops_.size(); }
  /// Invalid id when there is no such operator.
  OpId find(std::string_view name) const;
  /// REQUIREs that it exists.
  OpId at(std::string_view name) const;

  struct Spelled {
    OpId op;
    const Spelling* spelling;
  };
  /// Operators that `format` spells so, in the order of declaration.
  std::span<const Spelled> spelled(std::string_view format, std::string_view domain,
                                   std::string_view name) const;

 private:
  std::deque<OpDef> ops_;
  std::unordered_map<std::string, OpId> by_name_;
  std::unordered_map<std::string, std::vector<Spelled>> by_spelling_;
};

/// All operators of ir/ops/, into a table that has none of them: one to which others are added.
void add_standard_ops(OpTable& table);
/// A table of them alone, made once.
const OpTable& standard_ops();

/// Type of an operator's result. `attrs` in schema order.
Inferred infer(Context& ctx, OpId op, std::span<const AttrId> attrs, std::span<const TypeId> inputs);

}  // namespace isomer::ir
