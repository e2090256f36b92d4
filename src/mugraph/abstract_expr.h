// Abstract expressions (Mirage, section on pruning): what a tensor is, with its layout forgotten. All
// elements of an input are one variable, and a reduction over k elements is sum(k, .), whichever dimension it
// took.
//
// Ours are derived from the meanings of operators, not declared again: a walk over a graph, over its nests'
// scalar programs. Terms are hash-consed numbers, so that a search compares and remembers integers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "support/id_table.h"
#include "support/ids.h"

namespace isomer::mugraph {

using TermId = uint32_t;

inline constexpr std::string_view kSum = "sum";

/// A symbol over terms. `symbol` is one of +, *, /, sum, or a function's name; leaves have names of their
/// own.
struct Term {
  std::string symbol;
  int64_t degree = 0;  ///< of sum
  std::vector<TermId> children;
  bool is_sum() const { return symbol == kSum; }
  bool operator==(const Term&) const = default;
};

class Terms {
 public:
  TermId add(Term term);
  TermId variable(size_t number) { return add({"x" + std::to_string(number), 0, {}}); }
  /// sum(k, x); x itself for k = 1.
  TermId sum(int64_t degree, TermId x) { return degree == 1 ? x : add({std::string(kSum), degree, {x}}); }
  const Term& get(TermId id) const { return terms_[id]; }
  size_t size() const { return terms_.size(); }
  /// By content: the same in any table.
  uint64_t hash(TermId id) const { return hashes_[id]; }

 private:
  /// An order by content: leaves first, then by symbol, children and degree.
  bool before(TermId a, TermId b) const;
  using Row = Id<struct AbstractTermTag>;
  std::deque<Term> terms_;  ///< stay where they are
  std::vector<uint64_t> hashes_;
  IdTable<Row> index_;  ///< by these
};

/// The terms of a graph's outputs, given those of its inputs; none where an operator has no abstract form
/// (several operands that are moved into one, several accumulators, ...).
std::optional<std::vector<TermId>> abstract(Terms& terms, const ir::Graph& graph,
                                            std::span<const TermId> inputs);

/// "sum(4, *(x0, x1))".
std::string print(const Terms& terms, TermId id);

}  // namespace isomer::mugraph
