#include "meaning/known_nests.h"

#include "meaning/expansion.h"

namespace isomer::meaning {

const std::vector<CompiledNest>& KnownNests::of(const ir::OpInstance& op, const std::string& what) {
  std::vector<uint64_t> key = instance_key(op);
  key.push_back(reinterpret_cast<uintptr_t>(&op.ctx));
  const auto at = known_.find(key);
  return at != known_.end() ? at->second
                            : known_.emplace(std::move(key), compile_nests(op, what)).first->second;
}

}  // namespace isomer::meaning
