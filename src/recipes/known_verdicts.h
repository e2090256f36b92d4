// Verdicts on rules and on their applications, remembered between runs: equal statements, checked by the same
// build, have equal verdicts, and the layers of most networks make the same few statements. What was refuted
// is never remembered.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/op_table.h"
#include "recipes/shipped_arithmetic.h"
#include "rewrite/rule.h"
#include "support/store.h"
#include "verify/verdict.h"

namespace isomer::recipes {

class KnownVerdicts {
 public:
  /// `build`: of whoever checks (support/build_identity.h); 0: nothing is remembered.
  KnownVerdicts(Store store, uint64_t build, ShippedArithmetic shipped = {});
  /// The user's store, this build, what was shipped.
  static KnownVerdicts of_user();

  /// All that a verdict on the rule depends on: with its file's content, if it has a file. Rules that were
  /// made here have none: they are this build's.
  std::string statement(const ir::OpTable& ops, const rewrite::Rule& rule);

  /// Whether the statement was asked about before (by this object).
  bool asked(const std::string& statement) const { return asked_.contains(statement); }
  /// Kind and note of an earlier run's verdict (no more is kept), or what `check` says. The statement must
  /// say everything that the verdict depends on, but for the build.
  verify::Verdict verdict(const std::string& statement, const std::function<verify::Verdict()>& check);
  /// The class of a rule's arithmetic (rewrite::arithmetic_of), shipped, of an earlier run or measured.
  std::string arithmetic(const std::string& statement, const rewrite::Rule& rule);
  size_t remembered() const { return remembered_; }  ///< answers that came from earlier runs
  /// Files what is new. Without this it is forgotten.
  void keep();

 private:
  std::string key(const std::string& statement) const;
  uint64_t hash_of(const std::string& file);

  Store store_;
  uint64_t build_;
  ShippedArithmetic shipped_;
  std::unordered_map<std::string, uint64_t> files_;  ///< hashes of rule files
  std::unordered_set<std::string> asked_;
  std::vector<Store::Entry> fresh_, fresh_classes_;
  size_t remembered_ = 0;
};

}  // namespace isomer::recipes
