// Compiled nests of operator instances, each compiled once: of programs that are run again and again, on
// other inputs or after a small change, nearly all of the time would go into compiling what was compiled
// before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "meaning/nest.h"

namespace isomer::meaning {

/// For one thread. The contexts of what it is asked for must outlive it.
class KnownNests {
 public:
  /// compile_nests(op, what); good as long as this is.
  const std::vector<CompiledNest>& of(const ir::OpInstance& op, const std::string& what);
  size_t size() const { return known_.size(); }

 private:
  std::map<std::vector<uint64_t>, std::vector<CompiledNest>> known_;  ///< by context and instance_key
};

}  // namespace isomer::meaning
