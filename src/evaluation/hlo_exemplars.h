// The largest wins of a search over pick-first in a set of modules (HloEnv, appendix F, shows some of its
// own): what both came to, and which decisions tell them apart.
#pragma once

#include <string>
#include <vector>

#include "recipes/hlo_search.h"
#include "report/exemplar_page.h"

namespace isomer::evaluation {

/// Two results of one module, by what each costs and the decisions that led to it.
struct HloResult {
  const hlo::Module* module;
  double cost = 0;
  problems::DecisionWay way{};
};
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
  size_t won() const { return won_; }              ///< the search came to less
  size_t too_large() const { return too_large_; }  ///< of these, to be drawn

 private:
  size_t most_, most_drawn_, searched_ = 0, won_ = 0, too_large_ = 0;
  std::vector<report::Exemplar> exemplars_;
};

}  // namespace isomer::evaluation
