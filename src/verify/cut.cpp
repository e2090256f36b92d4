#include "verify/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/dag_hash.h"
#include "ir/graph_copy.h"

namespace isomer::verify {
namespace {

using ir::ValueId;

class Side {
 public:
  explicit Side(const ir::Graph& graph)
      : graph_(graph), hashes_(ir::term_hashes(graph)), constant_(graph.size()) {
    for (size_t i = 0; i < graph.size(); ++i) {
      const auto operands = graph.operands(ValueId(i));
      constant_[i] = graph.def(ValueId(i)).is(ir::Core::kConstant) ||
                     (!operands.empty() &&
                      std::ranges::all_of(operands, [&](ValueId o) { return constant_[o.index()]; }));
    }
  }

  std::unordered_set<uint64_t> terms() const { return {hashes_.begin(), hashes_.end()}; }

  /// Values at which `shared` is first met from the outputs, by hash, in the order met; `inner` counts those
  /// that are more than an input.
  void frontier(const std::unordered_set<uint64_t>& shared, std::vector<std::pair<uint64_t, ir::TypeId>>& out,
                size_t& inner) {
    kept_.assign(graph_.size(), false);
    cut_.assign(graph_.size(), false);
    std::vector<bool> needed(graph_.size());
    for (ValueId o : graph_.outputs()) needed[o.index()] = true;
    for (size_t i = graph_.size(); i-- > 0;) {
      if (!needed[i]) continue;
      const ValueId v(i);
      const bool tensor = graph_.type(v).is_tensor();
      if (tensor && !constant_[i] && shared.contains(hashes_[i])) {
        cut_[i] = true;
        if (!graph_.def(v).is(ir::Core::kInput)) ++inner;
        out.emplace_back(hashes_[i], graph_.type_id(v));
        continue;
      }
      kept_[i] = true;
      for (ValueId o : graph_.operands(v)) needed[o.index()] = true;
    }
  }

  ir::Graph rebuild(const std::vector<std::pair<uint64_t, ir::TypeId>>& inputs) const {
    ir::Builder builder(graph_.context(), graph_.title());
    std::unordered_map<uint64_t, ValueId> by_hash;
    for (const auto& [hash, type] : inputs)
      by_hash[hash] = builder.input(fmt::format("cut_{:016x}", hash), type);
    ir::GraphCopy copy(builder, graph_);
    for (size_t i = 0; i < graph_.size(); ++i) {
      const ValueId v(i);
      if (cut_[i]) copy[v] = by_hash.at(hashes_[i]);
      if (kept_[i]) copy.add(v);
    }
    return builder.finish(copy.outputs());
  }

 private:
  const ir::Graph& graph_;
  std::vector<uint64_t> hashes_;
  std::vector<bool> constant_, kept_, cut_;
};

}  // namespace

std::optional<std::pair<ir::Graph, ir::Graph>> cut_shared(const ir::Graph& a, const ir::Graph& b) {
  Side left(a), right(b);
  std::unordered_set<uint64_t> shared;
  const auto right_terms = right.terms();
  for (uint64_t h : left.terms())
    if (right_terms.contains(h)) shared.insert(h);
  std::vector<std::pair<uint64_t, ir::TypeId>> all, inputs;
  size_t inner = 0;
  left.frontier(shared, all, inner);
  right.frontier(shared, all, inner);
  if (inner == 0) return std::nullopt;
  std::unordered_set<uint64_t> seen;
  for (const auto& input : all)
    if (seen.insert(input.first).second) inputs.push_back(input);
  return std::pair{left.rebuild(inputs), right.rebuild(inputs)};
}

}  // namespace isomer::verify
