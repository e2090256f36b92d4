// How muGraphs are stated by hand, kernel by kernel: for those of the papers, and for tests.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mugraph/mugraph.h"
#include "mugraph/programs.h"
#include "support/errors.h"

namespace isomer::mugraph {

/// Writes down a muGraph kernel by kernel.
class Draft {
 public:
  using Map = std::array<int, 3>;

  Draft(const Program& of, const Extents& extents) {
    graph_.values = of.input_sizes(extents);
    graph_.inputs = graph_.values.size();
  }
  Draft(const char* program_name, const Extents& extents) : Draft(program(program_name), extents) {}

  /// What follows is of this kernel, up to end().
  void kernel(std::array<int64_t, 3> grid, int64_t range) { kernel(grid, std::vector{range}); }
  void kernel(std::array<int64_t, 3> grid, std::vector<int64_t> loops) {
    block_ = {};
    block_.grid = grid;
    block_.loops = std::move(loops);
    operands_.clear();
  }
  uint32_t load(uint32_t tensor, Map imap, int fmap = kWhole) {
    return load(tensor, imap, std::vector<int>(block_.loops.size(), fmap));
  }
  uint32_t load(uint32_t tensor, Map imap, std::vector<int> fmap) {
    REQUIRE(block_.nodes.empty(), "inputs before operators");
    operands_.push_back(tensor);
    block_.inputs.push_back({imap, std::move(fmap), {}});
    return static_cast<uint32_t>(block_.inputs.size() - 1);
  }
  uint32_t op(const char* name, std::vector<uint32_t> operands, int axis = -1) {
    block_.nodes.push_back(node(name, std::move(operands), axis));
    return static_cast<uint32_t>(block_.values() - 1);
  }
  /// An operator of a block or thread graph.
  BlockNode node(const char* name, std::vector<uint32_t> operands, int axis = -1) const {
    BlockNode n;
    n.op = graph_.ops->at(name);
    n.axis = axis;
    n.operands = std::move(operands);
    return n;
  }
  /// The first of the values that a thread graph makes.
  uint32_t threads(const BlockGraph& graph, std::vector<uint32_t> operands) {
    BlockNode n;
    n.operands = std::move(operands);
    n.thread = std::make_shared<BlockGraph>(graph);
    for (; n.output < graph.outputs.size(); ++n.output) block_.nodes.push_back(n);
    return static_cast<uint32_t>(block_.values() - graph.outputs.size());
  }
  void width(int64_t reduce_to) { block_.reduce_to = reduce_to; }
  /// The number of the tensor that blocks write.
  uint32_t save(uint32_t tile, Map omap) {
    block_.outputs.push_back({tile, omap});
    graph_.values.emplace_back();
    return static_cast<uint32_t>(graph_.values.size() - 1);
  }
  void end() {
    KernelNode n;
    n.operands = operands_;
    for (size_t o = graph_.values.size() - block_.outputs.size(); o < graph_.values.size(); ++o)
      n.results.push_back(static_cast<uint32_t>(o));
    n.block = std::make_shared<BlockGraph>(block_);
    graph_.nodes.push_back(std::move(n));
  }
  /// A kernel of one operator.
  uint32_t whole(const char* name, std::vector<uint32_t> operands, int axis = -1) {
    graph_.values.emplace_back();
    const auto result = static_cast<uint32_t>(graph_.values.size() - 1);
    graph_.nodes.push_back({graph_.ops->at(name), axis, nullptr, std::move(operands), {result}});
    return result;
  }
  /// The last tensor is the output. Shapes must fit.
  MuGraph finish() {
    graph_.outputs = {static_cast<uint32_t>(graph_.values.size() - 1)};
    const std::string bad = infer_sizes(graph_);
    REQUIRE(bad.empty(), bad);
    return graph_;
  }

 private:
  MuGraph graph_;
  BlockGraph block_;
  std::vector<uint32_t> operands_;
};

}  // namespace isomer::mugraph
