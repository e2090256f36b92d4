// A data set of HLO modules: a folder in which every module is there once, by the hash of its graph (HloEnv,
// appendix A.1), with a manifest that says of each where it comes from. Texts are kept as they came.
//
//   FOLDER/manifest.jsonl      a line a module: file, hash, sizes, origin
//   FOLDER/modules/HASH.hlo
//   FOLDER/refused.jsonl       what the reader or the types refuse, a line each, with the reason
//   FOLDER/refused/HASH.hlo    its text, named by the hash of the text
//
// A module is written before its line, and a line at once, so that a killed run leaves a data set behind. Any
// number of processes may add to one: each takes what the others have added into account, under a lock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "hlo/module.h"
#include "support/files.h"

namespace isomer::recipes {

/// Where a module comes from, as far as somebody says so.
struct HloOrigin {
  std::string command, package, version, licence;
  std::string part_of;  ///< of a sub-graph: the hash of its module
};

enum class HloAdded : uint8_t { kNew, kKnown, kRefused };

class HloDataset {
 public:
  /// The folder is made if it is not there. Throws InputError.
  explicit HloDataset(const std::string& folder);

  /// `name` is that of the text in messages. What is no module whose types fit is refused, and kept apart.
  HloAdded add(const std::string& text, const std::string& name, const HloOrigin& origin);
  /// The same of a module that was read from this text; its types fit.
  HloAdded add(const hlo::Module& module, const std::string& text, const HloOrigin& origin);
  /// `text` may be empty: of what is too large to be read, only the line is kept.
  void refuse(const std::string& text, const std::string& name, const std::string& reason,
              const HloOrigin& origin);
  size_t size() const { return known_.size(); }

 private:
  /// Takes in what others have added. Under the lock.
  void catch_up();
  void append(const char* file, const std::string& line) const;

  std::string folder_;
  OpenFile lock_;
  uint64_t read_ = 0, refusals_read_ = 0;  ///< bytes of the manifest, of the refusals
  std::unordered_set<uint64_t> known_, refused_;
};

/// A module of a data set, or a file by itself.
struct HloSource {
  std::string path;
  HloOrigin origin;
};

/// Of files, data sets and other folders (all .txt and .hlo below them, sorted), in this order. Throws
/// InputError where there is no such file.
std::vector<HloSource> hlo_sources(const std::vector<std::string>& paths);

struct HloStatistics {
  struct Package {
    size_t modules = 0, instructions = 0;
    std::string version, licence;
  };
  std::vector<size_t> instructions;                      ///< of each module, ascending
  std::map<std::string, size_t> opcodes, element_types;  ///< instructions of each
  std::map<std::string, Package> packages;
  size_t with_elided = 0;  ///< modules in which contents of constants are left out
  size_t refused = 0;      ///< files that are no modules
};

/// One module at a time is in memory.
HloStatistics hlo_statistics(const std::vector<std::string>& paths);

}  // namespace isomer::recipes
