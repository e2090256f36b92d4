// The chain of rewrites from the original to what was found, for people: equal applications (one rule, equal
// types and attributes) at several places are told once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/run_record.h"

namespace isomer::report {

struct ChainGroup {
  std::vector<size_t> steps;        ///< indices into the chain, ascending
  std::vector<std::string> places;  ///< of all its steps, each once
};

/// In the order of their first steps.
std::vector<ChainGroup> group(const std::vector<RewriteEntry>& chain);
/// A paragraph a group; empty for an empty chain.
std::string chain_text(const std::vector<RewriteEntry>& chain);

}  // namespace isomer::report
