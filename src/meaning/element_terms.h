// What one element of a program's result is, as a term over places in its inputs: operators are unfolded
// along their loop nests, movement disappears into index arithmetic, and sizes stay named. What runs along an
// extent that reads take apart runs along its factors (places.h). Two programs whose terms are the same
// compute the same bits at every size. (The normal form that polyhedral equivalence checkers compare,
// Shashidhar, Bruynooghe, Catthoor, Janssens 2005, here over one nest an operator and symbolic extents.
// Mirage and TASO verify at fixed sizes.)
//
// Nothing is reassociated or commuted: a sum in another order is another term. What has no such form
// (gathers, whose places are values; procedures; opaque operators; integers divided, which may fail) makes
// none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/size_case.h"
#include "meaning/nest.h"
#include "meaning/places.h"

namespace isomer::meaning {

/// Terms of programs over one context, under one numbering: equal numbers are equal terms. To be used within
/// a run of ir::for_each_case.
class ElementTerms {
 public:
  using TermId = uint32_t;
  /// By extent, which is a product: its inner factor. Both may be products again.
  using Factors = std::map<std::string, ir::Size>;

  explicit ElementTerms(Factors factors = {}) : factors_(std::move(factors)) {}

  /// Of each tensor that `flat` (without composites) returns; nothing where one has no such form, or where
  /// terms become too many. Tuples are looked through.
  std::optional<std::vector<TermId>> of_outputs(const ir::Graph& flat);
  /// Extents that are better products, since reads divide what runs along them or sums run along both parts.
  Factors wanted() const;
  size_t steps() const { return steps_; }
  size_t size() const { return numbers_.size(); }

 private:
  struct Program;
  using Indices = std::vector<ir::Size>;

  std::optional<TermId> element(Program& p, ir::ValueId v, size_t of_tuple, const Indices& at);
  std::optional<TermId> of_nest(Program& p, ir::ValueId v, const ir::LoopNest& nest, ir::DType dtype,
                                const Indices& at);
  struct Frame;
  std::optional<TermId> of_scalar(Frame& frame, const ir::ScalarExpr& expr,
                                  std::span<const TermId> accumulators);
  std::optional<TermId> of_read(Frame& frame, const ir::Read& read);
  Indices places_of(Frame& frame, const ir::Read& read);
  std::optional<std::string> conditions_of(Frame& frame, const ir::Read& read, const Indices& at);
  ir::Size along(const ir::Size& extent, std::string& bound);
  TermId term(std::string key);

  std::unordered_map<std::string, TermId> numbers_;
  std::unordered_map<std::string, ir::Size> variables_;  ///< by depth and extent
  Places places_;
  Factors factors_;
  Factors summed_;    ///< products of extents that one sum runs along
  size_t depth_ = 0;  ///< variables that are bound here
  size_t steps_ = 0;
  int nested_ = 0;
};

/// Whether two graphs of one context, whose inputs correspond by position, have the same terms at every size
/// of their named dimensions. False says nothing.
bool same_elements(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::meaning
