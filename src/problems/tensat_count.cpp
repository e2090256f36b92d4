#include "problems/tensat_count.h"

#include "ir/taso_words.h"

namespace isomer::problems {

using egraph::NodeId;

TensatCount::TensatCount(ir::Context& ctx) : ctx_(ctx), spelling_(ctx.ops().size()) {
  one_ = ctx.intern(ir::AttrValue(int64_t{1})).v;
  for (uint32_t op = 0; op < ctx.ops().size(); ++op)
    spelling_[op].is_leaf = ctx.ops().get(ir::OpId(op)).kind == ir::MeaningKind::kLeaf;
  for (const ir::TasoWord& w : ir::taso_words()) {
    const ir::OpId op = ctx.ops().find(w.op);
    if (!op.valid()) continue;
    Spelling& s = spelling_[op.v];
    s.slots.clear();
    for (const ir::TasoChild& child : w.children) {
      if (child.kind == ir::TasoChildKind::kIgnored) s.ignores = true;
      if (!child.attr.empty())
        s.slots.push_back({static_cast<uint32_t>(ctx.ops().get(op).attr_index(child.attr)),
                           child.kind == ir::TasoChildKind::kName});
    }
  }
}

size_t TensatCount::operator()(const rewrite::EGraph& g) {
  ++round_;
  size_t count = g.live_nodes();
  const auto first_time = [&](std::vector<uint32_t>& seen, uint32_t id) {
    if (seen.size() <= id) seen.resize(id + 1, 0);
    if (seen[id] == round_) return false;
    seen[id] = round_;
    return true;
  };
  for (uint32_t i = 0; i < g.slots(); ++i) {
    const NodeId n(i);
    if (g.dead(n)) continue;
    const uint32_t op = g.op(n), payload = g.payload(n);
    const Spelling& s = spelling_[op];
    count += s.is_leaf;
    if (payload_seen_.size() <= payload) payload_seen_.resize(payload + 1, {0, 0});
    if (payload_seen_[payload] == std::pair(round_, op)) continue;
    payload_seen_[payload] = {round_, op};
    if (s.ignores) count += first_time(literal_seen_, one_);
    const auto attrs = ctx_.get(ir::PayloadId(payload));
    for (const auto& [slot, is_name] : s.slots)
      if (attrs[slot].valid()) count += first_time(is_name ? name_seen_ : literal_seen_, attrs[slot].v);
  }
  return count;
}

}  // namespace isomer::problems
