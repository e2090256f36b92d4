#include "verify/random_leaves.h"

namespace isomer::verify {

std::vector<int64_t> probe_places(int64_t count) {
  std::vector<int64_t> out;
  if (count <= 32) {
    for (int64_t i = 0; i < count; ++i) out.push_back(i);
    return out;
  }
  for (uint64_t i = 0; i < 16; ++i)
    out.push_back(
        static_cast<int64_t>(hash_combine(static_cast<uint64_t>(count), i) % static_cast<uint64_t>(count)));
  return out;
}

}  // namespace isomer::verify
