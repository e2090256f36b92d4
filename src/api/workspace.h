// What programs of one file share, and e-graphs of them: the tables of types and attributes, and what is
// worth keeping between calls. One thread at a time: whoever reads or writes holds the lock. It is recursive,
// because a cost function that is asked meanwhile may ask back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ir/context.h"
#include "ir/op_table.h"
#include "problems/rule_matcher.h"
#include "recipes/cost_choice.h"

namespace isomer::api {

class Workspace {
 public:
  using Lock = std::unique_lock<std::recursive_mutex>;
  Lock lock() { return Lock(mutex_); }

  ir::Context& context() { return ctx_; }
  /// An analytic model by its name. Throws UsageError for one that measures, and for unknown names.
  cost::CostModel& cost_model(const std::string& name);
  /// The last few that were asked for are kept.
  std::shared_ptr<problems::RuleMatcher> matcher(const std::shared_ptr<const rewrite::RuleSet>& rules);

 private:
  ir::Context ctx_{ir::standard_ops()};
  std::recursive_mutex mutex_;
  std::map<std::string, recipes::CostChoice> costs_;
  std::deque<std::pair<std::shared_ptr<const rewrite::RuleSet>, std::shared_ptr<problems::RuleMatcher>>>
      matchers_;
};

}  // namespace isomer::api
