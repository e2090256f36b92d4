// Copying a graph, value by value in its order, into one that is being built: what pruning, folding, cutting,
// legalising and writing out regions all do. Whoever does it says what stands for some values, and has the
// others copied.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace isomer::ir {

class GraphCopy {
 public:
  enum class Names : uint8_t { kKept, kDropped };  ///< of values; inputs keep theirs

  /// Both must outlive this. Nothing stands for any value yet.
  GraphCopy(Builder& into, const Graph& from, Names names = Names::kKept);

  /// Its inputs as inputs, in their order.
  void inputs();
  /// What stands for a value there; invalid: nothing yet.
  ValueId& operator[](ValueId v) { return map_[v.index()]; }
  /// What stands for its operands.
  const std::vector<ValueId>& operands(ValueId v);
  /// The same operator on what stands for its operands, which all must have something.
  ValueId add(ValueId v);
  /// The value has its name there too, if names are kept; nothing where what stands for it has one.
  void name(ValueId v);
  /// All that nothing stands for.
  void rest();

  /// What stands for the outputs.
  std::vector<ValueId> outputs() const;

 private:
  Builder& into_;
  const Graph& from_;
  Names names_;
  std::vector<ValueId> map_, operands_;
};

}  // namespace isomer::ir
