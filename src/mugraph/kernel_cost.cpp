#include "mugraph/kernel_cost.h"

#include <functional>
#include <numeric>

namespace isomer::mugraph {
namespace {

constexpr double kLaunchBytes = 2e6;  // a launch costs about as much as moving this much

int64_t count(const Sizes& s) { return std::accumulate(s.begin(), s.end(), int64_t{1}, std::multiplies<>()); }

}  // namespace

int64_t elements_loaded(const BlockGraph& b) {
  int64_t out = 0;
  for (const BlockInput& input : b.inputs) {
    int64_t tiles = 1;
    for (size_t l = 0; l < b.loops.size(); ++l)
      if (input.fmap[l] != kWhole) tiles *= b.loops[l];
    out += tiles * count(input.tile);
  }
  return out;
}

double traffic_cost(const MuGraph& graph, int element_bytes) {
  double elements = 0;
  for (const KernelNode& n : graph.nodes) {
    for (uint32_t r : n.results) elements += static_cast<double>(count(graph.values[r]));
    if (n.block) {
      double blocks = 1;
      for (int64_t g : n.block->grid) blocks *= static_cast<double>(g);
      elements += blocks * static_cast<double>(elements_loaded(*n.block));
    } else {
      for (uint32_t o : n.operands) elements += static_cast<double>(count(graph.values[o]));
    }
  }
  return elements * element_bytes + kLaunchBytes * static_cast<double>(graph.nodes.size());
}

}  // namespace isomer::mugraph
