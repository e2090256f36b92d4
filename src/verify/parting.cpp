#include "verify/parting.h"

#include <algorithm>

namespace isomer::verify {
namespace {

/// What `from` depends on, up to and including the values where `stop` holds, ascending.
template <class Stop>
std::vector<uint32_t> ancestors(const std::vector<std::vector<uint32_t>>& operands, uint32_t from,
                                Stop stop) {
  std::vector<bool> seen(operands.size());
  std::vector<uint32_t> stack(operands[from].begin(), operands[from].end()), out;
  while (!stack.empty()) {
    const uint32_t v = stack.back();
    stack.pop_back();
    if (seen[v]) continue;
    seen[v] = true;
    out.push_back(v);
    if (!stop(v)) stack.insert(stack.end(), operands[v].begin(), operands[v].end());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::optional<Parting> find_parting(const std::vector<std::vector<uint32_t>>& operands,
                                    std::span<const Standing> standing, uint32_t output) {
  if (standing[output] != Standing::kDiffers) return std::nullopt;
  const auto equal = [&](uint32_t v) { return standing[v] == Standing::kEqual; };
  Parting out;
  out.value = output;
  for (uint32_t v : ancestors(operands, output, equal))
    if (standing[v] == Standing::kDiffers) {
      out.value = v;  // numbered in order: none of its own ancestors differs
      break;
    }
  for (uint32_t v : ancestors(operands, out.value, equal))
    (equal(v) || operands[v].empty() ? out.from : out.between).push_back(v);
  return out;
}

}  // namespace isomer::verify
