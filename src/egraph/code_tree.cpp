#include "egraph/code_tree.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::egraph {

uint32_t CodeTree::add(const Pattern& pattern, uint32_t class_variables, uint32_t attr_variables) {
  const auto number = static_cast<uint32_t>(programs_.size());
  programs_.push_back(compile(pattern, ground_, class_variables, attr_variables));
  const Program& program = programs_.back();
  registers_ = std::max(registers_, program.registers);
  attr_registers_ = std::max(attr_registers_, program.attr_registers);
  ground_of_.emplace_back();
  for (const Instruction& in : program.code) {
    REQUIRE(in.kind != Instruction::Kind::kLookup || in.arity <= 16, "patterns have at most 16 operands");
    if (in.kind == Instruction::Kind::kCompareGround) ground_of_.back().push_back(in.other);
  }
  if (program.code.empty() || program.code[0].kind != Instruction::Kind::kBind) {
    bare_.push_back(number);
    return number;
  }

  const uint32_t op = program.code[0].op;
  if (first_by_op_.size() <= op) first_by_op_.resize(op + 1, kNone);
  uint32_t parent = kNone;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& in = program.code[i];
    const uint32_t head = parent == kNone ? first_by_op_[op] : steps_[parent].child;
    uint32_t t = head, last = kNone;
    while (t != kNone && !steps_[t].in.same_work(in)) {
      last = t;
      t = steps_[t].next;
    }
    if (t == kNone) {
      t = static_cast<uint32_t>(steps_.size());
      steps_.push_back({kNone, kNone, 0, in, {}, {}});
      if (in.kind == Instruction::Kind::kBind && parent != kNone) {
        if (bit_of_op_.size() <= in.op) bit_of_op_.resize(in.op + 1, 0);
        uint64_t& bit = bit_of_op_[in.op];
        if (bit == 0) bit = uint64_t{1} << (bits_++ % 64);
        steps_[t].needs = bit;
      }
      if (last != kNone) {
        steps_[last].next = t;
      } else if (parent == kNone) {
        first_by_op_[op] = t;
      } else {
        steps_[parent].child = t;
      }
    }
    steps_[t].in.depth = std::max(steps_[t].in.depth, in.depth);
    // Terms of later instructions whose class is in a register by now.
    const uint32_t assigned = [&] {
      uint32_t end = 1;
      for (size_t k = 0; k <= i; ++k)
        if (program.code[k].kind == Instruction::Kind::kBind)
          end = program.code[k].other + program.code[k].arity;
      return end;
    }();
    for (size_t k = i + 1; k < program.code.size(); ++k) {
      const Instruction& later = program.code[k];
      if (later.depth == 0 || later.reg >= assigned) continue;
      auto& pending = steps_[t].pending;
      const auto known = std::ranges::find(pending, later.reg, &Pending::reg);
      if (known == pending.end())
        pending.push_back({later.reg, later.depth});
      else
        known->depth = std::max(known->depth, later.depth);
    }
    parent = t;
  }
  steps_[parent].yields.push_back(number);
  return number;
}

Search::Search(const Store& store, const Language* language, const CodeTree& tree,
               std::vector<SearchMode> modes, bool whole)
    : language_(language), tree_(tree), asked_(std::move(modes)), whole_(whole) {
  REQUIRE(asked_.size() == tree.size(), "one search mode for each pattern");
  REQUIRE(
      language != nullptr || std::ranges::none_of(tree.steps_, [](const auto& s) { return s.in.has_attrs; }),
      "attribute patterns need a language");
  look_at(store);
}

void Search::look_at(const Store& store) {
  REQUIRE(store.clean(), "rebuild before matching");
  store_ = &store;
  modes_ = asked_;
  ground_.clear();
  distance_.clear();
  operators_.clear();
  std::vector<ClassId> children;
  std::vector<bool> fresh;
  for (const GroundTerm& term : tree_.ground_) {
    children.clear();
    bool is_fresh = false;
    for (uint32_t c : term.children) {
      children.push_back(ground_[c]);
      is_fresh = is_fresh || fresh[c];
    }
    const bool known = std::ranges::all_of(children, [](ClassId c) { return c.valid(); });
    const NodeId n = known ? store.lookup_canonical(term.op, term.payload, children) : NodeId();
    const bool usable = n.valid() && !store.filtered(n);
    ground_.push_back(usable ? store.clean_class_of(n) : ClassId());
    fresh.push_back(is_fresh || (usable && store.fresh(n)));
  }
  uint32_t depth = 0;
  for (size_t p = 0; p < modes_.size(); ++p) {
    if (modes_[p] == SearchMode::kOff) continue;
    for (uint32_t g : tree_.ground_of_[p]) {
      if (fresh[g]) modes_[p] = SearchMode::kFull;  // its class may have come to stand where it did not
      if (!ground_[g].valid()) modes_[p] = SearchMode::kOff;
      if (modes_[p] == SearchMode::kOff) break;
    }
    if (modes_[p] == SearchMode::kFresh) depth = std::max(depth, tree_.programs_[p].depth);
  }
  // Children come after their parents in steps_.
  step_mode_.assign(tree_.steps_.size(), SearchMode::kOff);
  for (size_t t = tree_.steps_.size(); t-- > 0;) {
    const CodeTree::Step& step = tree_.steps_[t];
    SearchMode& mode = step_mode_[t];
    for (uint32_t p : step.yields) mode = std::max(mode, modes_[p]);
    for (uint32_t c = step.child; c != CodeTree::kNone; c = tree_.steps_[c].next)
      mode = std::max(mode, step_mode_[c]);
  }
  if (!whole_) return;
  if (depth > 0) measure_distances(depth);
  collect_operators();
}

void Search::collect_operators() {
  if (tree_.bits_ == 0) return;
  operators_.assign(store_->slots(), 0);
  for (uint32_t n = 0; n < store_->slots(); ++n) {
    if (store_->usable(NodeId(n)))
      operators_[store_->clean_class_of(NodeId(n)).index()] |= tree_.bit(store_->op(NodeId(n)));
  }
}

void Search::measure_distances(uint32_t depth) {
  constexpr uint8_t kFar = 0xFF;
  const auto slots = static_cast<uint32_t>(store_->slots());
  size_t fresh = 0;
  for (uint32_t n = 0; n < slots; ++n) fresh += !store_->dead(NodeId(n)) && store_->fresh(NodeId(n));
  if (fresh * 4 > store_->live_nodes()) return;  // most roots are near one: not worth the passes
  distance_.assign(slots, kFar);
  for (uint32_t n = 0; n < slots; ++n) {
    if (!store_->dead(NodeId(n)) && store_->fresh(NodeId(n)))
      distance_[store_->clean_class_of(NodeId(n)).index()] = 0;
  }
  for (uint32_t pass = 1; pass < depth && fresh > 0; ++pass) {
    for (uint32_t n = 0; n < slots; ++n) {
      uint8_t& mine = distance_[store_->clean_class_of(NodeId(n)).index()];
      if (mine < pass || !store_->usable(NodeId(n))) continue;
      for (ClassId c : store_->children(NodeId(n)))
        mine = std::min(mine, static_cast<uint8_t>(std::min<uint32_t>(distance_[c.index()] + 1u, kFar)));
    }
  }
}

}  // namespace isomer::egraph
