// The largest wins of a search over pick-first in a set of modules (HloEnv, appendix F, shows some of its
// own): what both came to, and which decisions tell them apart. A pair of results of anything else is drawn
// in the same way (`bench hlo`, of the removal of a pass).
#pragma once

#include <string>
#include <vector>

#include "recipes/hlo_search.h"
#include "report/exemplar_page.h"

namespace isomer::evaluation {

/// A result of a module, what it costs, and the decisions that led to it: none of a whole pipeline.
struct HloResult {
  const hlo::Module* module;
  double cost = 0;
  problems::DecisionWay way{};
};
/// Two results of one module beside each other: `found` is the cheaper one. Drawn are the entry computations;
/// what both compute is told by the hashes of terms, whatever the names.
report::Exemplar hlo_exemplar(const std::string& name, double start_cost, const HloResult& ordinary,
                              const HloResult& found);

/// Told of one search after another; only what may be shown is in memory.
class HloExemplars {
 public:
  /// So many exemplars, of at most so many boxes a graph.
  HloExemplars(size_t most, size_t most_drawn) : most_(most), most_drawn_(most_drawn) {}

  /// Of a search that kept its ways.
  void add(const std::string& name, const recipes::HloSearchResult& result);

  const std::vector<report::Exemplar>& exemplars() const { return exemplars_; }  ///< the largest win first
  size_t searched() const { return searched_; }
  size_t won() const { return won_; }                  ///< the search came to less
  size_t too_large() const { return too_large_; }      ///< of these, to be drawn
  size_t unconfirmed() const { return unconfirmed_; }  ///< of those searched; counted as no wins

 private:
  size_t most_, most_drawn_, searched_ = 0, won_ = 0, too_large_ = 0, unconfirmed_ = 0;
  std::vector<report::Exemplar> exemplars_;
};

}  // namespace isomer::evaluation
