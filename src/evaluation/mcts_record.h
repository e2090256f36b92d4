// The record of `bench mcts` (record_file.h): what was run with the same settings is read, not run again.
#pragma once

#include <map>
#include <set>
#include <string>

#include "evaluation/mcts_bench.h"
#include "evaluation/record_file.h"

namespace isomer::evaluation {

std::string line_of(const MctsBenchFirst& first);
std::string line_of(const MctsBenchRun& run);
std::string line_of(const MctsBenchTask& task);

/// What the files that a run keeps are named after, and its line's "kept".
std::string stem_of(const MctsBenchKey& key);
/// Writes them, if it kept anything: STEM.input.graph, STEM.output.graph, STEM.search.json
/// (report/search_json.h).
void keep(const MctsBenchRun& run, const std::string& folder);

class MctsRecord {
 public:
  MctsRecord() = default;
  /// Reads what is there; a last line that was cut short is taken off. Throws InputError.
  void open(const std::string& path);

  struct Kept {
    MctsBenchRun run;  ///< what the tables need of it
    std::string line;
  };
  /// A run of before, or null.
  const Kept* find(const MctsBenchKey& key) const;
  void add(const MctsBenchRun& run);
  void add(const MctsBenchFirst& first);

 private:
  std::map<MctsBenchKey, Kept> runs_;
  std::set<std::string> firsts_;
  RecordFile file_;
};

}  // namespace isomer::evaluation
