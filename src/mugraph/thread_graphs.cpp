#include "mugraph/thread_graphs.h"

#include <algorithm>
#include <map>
#include <optional>

#include "mugraph/block_plan.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

int64_t largest_divisor(int64_t of, int64_t most) {
  int64_t out = std::min(of, std::max<int64_t>(most, 1));
  while (of % out != 0) --out;
  return out;
}

class Fusion {
 public:
  Fusion(const MuOpTable& ops, const std::vector<bool>& elementwise, const BlockGraph& block)
      : ops_(ops), elementwise_(elementwise), b_(block), users_(block.values()), root_(block.values()) {
    for (uint32_t v = inputs(); v < b_.values(); ++v)
      for (uint32_t o : node(v).operands) users_[o].push_back(v);
    for (const BlockOutput& o : b_.outputs) users_[o.value].push_back(UINT32_MAX);
  }

  std::shared_ptr<const BlockGraph> run() {
    // Users before what they use: each value belongs to the last operator that takes it in.
    for (auto v = static_cast<uint32_t>(b_.values()); v-- > inputs();) {
      root_[v] = v;
      if (users_[v].size() == 1 && users_[v][0] != UINT32_MAX && fuses(v) && fuses(users_[v][0]) &&
          b_.after_accum(v) == b_.after_accum(users_[v][0]))
        root_[v] = root_[users_[v][0]];
    }
    auto out = std::make_shared<BlockGraph>(b_);
    out->nodes.clear();
    std::vector<uint32_t> place(b_.values());
    for (uint32_t v = 0; v < inputs(); ++v) place[v] = v;
    for (uint32_t v = inputs(); v < b_.values(); ++v) {
      if (root_[v] != v) continue;
      std::vector<uint32_t> members;
      for (uint32_t m = inputs(); m <= v; ++m)
        if (root_[m] == v) members.push_back(m);
      BlockNode n = members.size() > 1 ? threads(members) : node(v);
      for (uint32_t& o : n.operands) o = place[o];
      place[v] = static_cast<uint32_t>(out->values());
      out->nodes.push_back(std::move(n));
    }
    for (BlockOutput& o : out->outputs) o.value = place[o.value];
    return out;
  }

 private:
  uint32_t inputs() const { return static_cast<uint32_t>(b_.inputs.size()); }
  const BlockNode& node(uint32_t v) const { return b_.node(v); }

  /// Elementwise, of one operand or of two whose sizes are those of the result or 1.
  bool fuses(uint32_t v) const {
    const BlockNode& n = node(v);
    if (n.thread || runs_max(ops_, n) || accumulates(ops_, n)) return false;
    return elementwise_[n.op] || (ops_.get(n.op).in_threads && ops_.get(n.op).broadcasts);
  }

  /// The node that does what `members` do; the last of them is the result.
  BlockNode threads(const std::vector<uint32_t>& members) const {
    const uint32_t result = members.back();
    const Sizes& sizes = b_.sizes(result);
    BlockGraph t;
    t.reduce_to = b_.reduce_to;
    int64_t left = parts_of(b_.threads);
    const int last = static_cast<int>(sizes.size()) - 1;
    BlockOutput saved;
    for (int d = 0; d < 3 && d <= last; ++d) {
      t.grid[static_cast<size_t>(d)] = largest_divisor(sizes[static_cast<size_t>(last - d)], left);
      left /= t.grid[static_cast<size_t>(d)];
      if (t.grid[static_cast<size_t>(d)] > 1) saved.omap[static_cast<size_t>(d)] = last - d;
    }
    t.loops = {sizes.back() / t.grid[0]};
    BlockNode out;
    out.after_accum = node(result).after_accum;
    out.sizes = sizes;
    std::map<uint32_t, uint32_t> place;  // of the block's values in the thread graph
    for (uint32_t m : members)
      for (uint32_t o : node(m).operands)
        if ((o < inputs() || root_[o] != result) && place.try_emplace(o, out.operands.size()).second) {
          out.operands.push_back(o);
          t.inputs.push_back(share_of(b_.sizes(o), sizes, saved));
        }
    for (uint32_t m : members) {
      BlockNode n = node(m);
      n.after_accum = false;
      for (uint32_t& o : n.operands) o = place.at(o);
      place[m] = static_cast<uint32_t>(t.inputs.size() + t.nodes.size());
      t.nodes.push_back(std::move(n));
    }
    BlockNode joined;
    joined.op = ops_.at(t.loops[0] > 1 ? "accumulate_concat" : "accumulate");
    joined.axis = t.loops[0] > 1 ? last : -1;
    joined.operands = {place.at(result)};
    t.nodes.push_back(std::move(joined));
    saved.value = static_cast<uint32_t>(t.values() - 1);
    t.outputs = {saved};
    out.thread = std::make_shared<BlockGraph>(std::move(t));
    return out;
  }

  /// An operand is cut as the result is, but where it has one element for all of them.
  static BlockInput share_of(const Sizes& operand, const Sizes& result, const BlockOutput& saved) {
    BlockInput in;
    const auto whole = [&](int dim) {
      return operand[static_cast<size_t>(dim)] != result[static_cast<size_t>(dim)];
    };
    for (size_t d = 0; d < 3; ++d)
      if (saved.omap[d] != kWhole && !whole(saved.omap[d])) in.imap[d] = saved.omap[d];
    const int last = static_cast<int>(result.size()) - 1;
    in.fmap = {whole(last) ? kWhole : last};
    return in;
  }

  const MuOpTable& ops_;
  const std::vector<bool>& elementwise_;
  const BlockGraph& b_;
  std::vector<std::vector<uint32_t>> users_;
  std::vector<uint32_t> root_;
};

}  // namespace

MuGraph with_thread_graphs(const MuGraph& graph) {
  const std::vector<bool> elementwise = elementwise_ops(*graph.ops);
  MuGraph out = graph;
  for (KernelNode& n : out.nodes)
    if (n.block) n.block = Fusion(*graph.ops, elementwise, *n.block).run();
  const std::string bad = infer_sizes(out);
  REQUIRE(bad.empty(), bad);
  return out;
}

}  // namespace isomer::mugraph
