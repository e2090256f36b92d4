// What happened in a run: phases with times, counters, steps, messages. Every recipe fills one; the report,
// the JSON output and the benches all read the same numbers (habit taken from CaDiCaL's profile.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace isomer {

struct SearchRecord;  // support/search_record.h

struct Phase {
  std::string name;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::string outcome;  ///< "done", "skipped: no runtime", "stopped: time-limit", "failed: ..."
};

/// One improvement or decision on the way: what the cost was when.
struct Step {
  double seconds = 0;  ///< since the run began
  std::string what;
  double cost = 0;
};

/// One rule application on the way from the original to what was found, for people.
struct RewriteEntry {
  std::string rule;
  bool backward = false;            ///< the rule read from right to left
  std::vector<std::string> places;  ///< names of the values replaced, or of what they help to compute
  std::string before, after;        ///< terms as in rule files
  std::string variables;            ///< types of the rule's variables there
  double cost = 0;                  ///< of the whole program after it; NaN when it was not priced
  std::string aim = {};             ///< what its rule achieves, in words; empty: the rule does not say
};

class RunRecord {
 public:
  std::vector<Phase> phases;
  std::vector<Step> steps;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
  std::map<std::string, uint64_t> rules_applied;  ///< rule name -> applied instances in the result
  std::vector<RewriteEntry> chain;  ///< in order; each acts on the program that the one before left
  std::vector<std::string> warnings;
  std::shared_ptr<const SearchRecord> search;  ///< where a search decided how the e-graph grows

  void count(const std::string& name, double amount = 1) { numbers[name] += amount; }
};

}  // namespace isomer
