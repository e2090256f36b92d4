// The rules that a bench of Monte Carlo tree search runs with, as its command line names them.
#pragma once

#include <cstdint>
#include <string>

namespace isomer::evaluation {

struct BenchRules {
  enum class Kind : uint8_t {
    kSound,     ///< TENSAT's
    kSingle,    ///< of these, the ones of one output
    kAsTensat,  ///< TENSAT's own, without conditions: programs with grouped convolutions may come out wrong
    kFile,
  };
  Kind kind = Kind::kSound;
  std::string file = {};  ///< kFile

  bool operator==(const BenchRules&) const = default;
  /// tensat, single, published, or the file's name: what `bench_rules` reads.
  std::string word() const;
};

BenchRules bench_rules(const std::string& word);

}  // namespace isomer::evaluation
