// Abstract expressions (Mirage, section on pruning): what a tensor is, with its layout forgotten. All
// elements of an input are one variable, and a reduction over k elements is sum(k, .), whichever dimension it
// took.
//
// Ours are derived from the meanings of operators, not declared again: a walk over a graph, over its nests'
// scalar programs. Terms are numbers of the engine's table of terms, so that a search compares and remembers
// integers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/symbols.h"
#include "egraph/term_table.h"
#include "ir/graph.h"

namespace isomer::mugraph {

using TermId = uint32_t;

inline constexpr std::string_view kSum = "sum";

/// A symbol over terms. `symbol` is one of +, *, /, sum, or a function's name; leaves have names of their
/// own.
struct Term {
  std::string_view symbol;
  int64_t degree = 0;  ///< of sum
  std::vector<TermId> children;
  bool is_sum() const { return symbol == kSum; }
};

/// egraph::TermTable, with what symbols and degrees are called and hashes of the content beside.
class Terms {
 public:
  Terms() = default;
  Terms(const Terms&) = delete;  // its symbols are found by views of themselves
  Terms& operator=(const Terms&) = delete;
  /// Commuted products and sums are one term from the start.
  TermId add(Term term);
  TermId variable(size_t number) { return add({"x" + std::to_string(number), 0, {}}); }
  /// sum(k, x); x itself for k = 1.
  TermId sum(int64_t degree, TermId x) { return degree == 1 ? x : add({kSum, degree, {x}}); }
  /// Its symbol is good as long as the table is.
  Term get(TermId id) const;
  size_t size() const { return table_.size(); }
  /// By content: the same in any table.
  uint64_t hash(TermId id) const { return hashes_[id]; }

 private:
  /// An order by content: leaves first, then by symbol, children and degree.
  bool before(TermId a, TermId b) const;
  std::string_view symbol(TermId id) const { return symbols_.name(table_.op(id)); }
  int64_t degree(TermId id) const { return degrees_[table_.payload(id)]; }
  uint32_t number_of_degree(int64_t degree);

  egraph::TermTable<TermId> table_;
  egraph::SymbolTable symbols_;
  std::vector<int64_t> degrees_ = {0};  ///< by number: few are distinct
  std::vector<uint64_t> hashes_;
};

/// The terms of a graph's outputs, given those of its inputs; none where an operator has no abstract form
/// (several operands that are moved into one, several accumulators, ...).
std::optional<std::vector<TermId>> abstract(Terms& terms, const ir::Graph& graph,
                                            std::span<const TermId> inputs);

/// "sum(4, *(x0, x1))".
std::string print(const Terms& terms, TermId id);

}  // namespace isomer::mugraph
