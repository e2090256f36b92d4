#include "egraph/store.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

namespace isomer::egraph {

size_t Store::memory_bytes() const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return bytes(op_) + bytes(payload_) + bytes(first_) + bytes(flags_) + bytes(next_in_class_) +
         bytes(stamp_) + bytes(union_find_) + bytes(parents_) + bytes(parent_count_) + bytes(child_) +
         bytes(owner_) + bytes(next_parent_) + bytes(queue_) + bytes(by_op_) + bytes(op_begin_) +
         bytes(by_class_) + bytes(class_begin_) + table_.memory_bytes();
}

bool Store::stored_as(NodeId n, uint32_t op, uint32_t payload, std::span<const ClassId> children) const {
  return op_[n.index()] == op && payload_[n.index()] == payload &&
         std::ranges::equal(this->children(n), children);
}

NodeId Store::lookup(uint32_t op, uint32_t payload, std::span<const ClassId> children) const {
  std::array<ClassId, 8> few;
  std::vector<ClassId> many;
  ClassId* canonical = few.data();
  if (children.size() > few.size()) {
    many.resize(children.size());
    canonical = many.data();
  }
  for (size_t i = 0; i < children.size(); ++i) canonical[i] = find(children[i]);
  const std::span<const ClassId> key(canonical, children.size());
  return table_.find(Hashcons::hash(op, payload, key),
                     [&](NodeId n) { return stored_as(n, op, payload, key); });
}

std::span<const NodeId> Store::nodes_in(ClassId c, uint32_t op) const {
  const std::span<const NodeId> all = nodes_in(c);
  // Most classes are small: walking beats bisection up to a few dozen nodes.
  if (all.size() > 32) {
    const auto less = [this](NodeId n, uint32_t wanted) { return op_[n.index()] < wanted; };
    const auto more = [this](uint32_t wanted, NodeId n) { return wanted < op_[n.index()]; };
    const auto lo = std::lower_bound(all.begin(), all.end(), op, less);
    return {lo, std::upper_bound(lo, all.end(), op, more)};
  }
  size_t lo = 0;
  while (lo < all.size() && op_[all[lo].index()] < op) ++lo;
  size_t hi = lo;
  while (hi < all.size() && op_[all[hi].index()] == op) ++hi;
  return all.subspan(lo, hi - lo);
}

void Store::filter(NodeId n) {
  if (!usable(n)) return;
  flags_[n.index()] |= kFiltered;
  ++filtered_;
}

void Store::unfilter(NodeId n) {
  if (!filtered(n) || dead(n)) return;
  unqueue(n, kFiltered);
  --filtered_;
}

void Store::enable_proofs() {
  assert(slots() == 0);
  proofs_.emplace();
}

Store::Inserted Store::insert(uint32_t op, uint32_t payload, std::span<const ClassId> children) {
  // The canonical children are written behind the pool and stay there if the node is new. `children` may lie
  // in the pool itself, so nothing may move before they are read.
  const size_t start = child_.size();
  if (child_.capacity() < start + children.size()) {
    std::vector<ClassId> grown;
    grown.reserve(std::max(child_.capacity() * 2, start + children.size() + 64));
    grown.insert(grown.end(), child_.begin(), child_.end());
    for (ClassId c : children) grown.push_back(ClassId(find_compress(c.v)));
    child_ = std::move(grown);
  } else {
    for (ClassId c : children) child_.push_back(ClassId(find_compress(c.v)));
  }
  const std::span<const ClassId> key(child_.data() + start, child_.size() - start);
  const uint32_t hash = Hashcons::hash(op, payload, key);
  const NodeId known = table_.find(hash, [&](NodeId n) { return stored_as(n, op, payload, key); });
  if (known.valid()) {
    child_.resize(start);
    return {known, false};
  }

  const NodeId n(op_.size());
  op_.push_back(op);
  payload_.push_back(payload);
  first_.push_back(static_cast<uint32_t>(child_.size()));
  flags_.push_back(0);
  next_in_class_.push_back(n.v);
  stamp_.push_back(clock_ + 1);
  union_find_.push_back(n.v);
  parents_.push_back(kNone);
  parent_count_.push_back(0);
  for (uint32_t e = static_cast<uint32_t>(start); e < child_.size(); ++e) {
    owner_.push_back(n.v);
    const uint32_t c = child_[e].v;
    if (parents_[c] == kNone) {
      next_parent_.push_back(e);
    } else {
      next_parent_.push_back(next_parent_[parents_[c]]);
      next_parent_[parents_[c]] = e;
    }
    parents_[c] = e;
    ++parent_count_[c];
  }
  table_.insert(hash, n);
  if (proofs_) proofs_->add_node(this->children(n));
  ++classes_;
  clean_ = false;
  return {n, true};
}

Store::Link Store::order(ClassId a, ClassId b) const {
  const uint32_t parents_a = parent_count_[a.index()];
  const uint32_t parents_b = parent_count_[b.index()];
  const bool a_wins = parents_a > parents_b || (parents_a == parents_b && a < b);
  return a_wins ? Link{a, b} : Link{b, a};
}

void Store::link(Link classes) {
  const uint32_t winner = classes.winner.v;
  const uint32_t loser = classes.loser.v;
  queue_parents(classes.loser, queue_, kQueued);
  union_find_[loser] = winner;
  std::swap(next_in_class_[winner], next_in_class_[loser]);
  if (parents_[loser] != kNone) {
    if (parents_[winner] == kNone) {
      parents_[winner] = parents_[loser];
    } else {
      std::swap(next_parent_[parents_[winner]], next_parent_[parents_[loser]]);
    }
    parents_[loser] = kNone;
  }
  parent_count_[winner] += parent_count_[loser];
  stamp_[winner] = clock_ + 1;
  --classes_;
  clean_ = false;
}

void Store::queue_parents(ClassId c, std::vector<NodeId>& queue, Flags flag) {
  const uint32_t tail = parents_[c.index()];
  if (tail == kNone) return;
  // Edges of dead nodes are dropped on the way.
  uint32_t first = kNone;
  uint32_t last = kNone;
  uint32_t count = 0;
  uint32_t e = tail;
  do {
    e = next_parent_[e];
    const NodeId n(owner_[e]);
    if (dead(n)) continue;
    if ((flags_[n.index()] & flag) == 0) {
      flags_[n.index()] |= flag;
      queue.push_back(n);
    }
    if (first == kNone) {
      first = e;
    } else {
      next_parent_[last] = e;
    }
    last = e;
    ++count;
  } while (e != tail);
  if (last != kNone) next_parent_[last] = first;
  parents_[c.index()] = last;
  parent_count_[c.index()] = count;
}

Store::Congruent Store::repair() {
  while (!queue_.empty()) {
    const NodeId n = queue_.back();
    queue_.pop_back();
    unqueue(n, kQueued);
    if (dead(n)) continue;
    const std::span<ClassId> kids(child_.data() + first_[n.index()],
                                  first_[n.index() + 1] - first_[n.index()]);
    if (std::ranges::all_of(kids, [this](ClassId c) { return is_canonical(c); })) continue;
    table_.erase(Hashcons::hash(op(n), payload(n), kids), n);
    for (ClassId& c : kids) c = ClassId(find_compress(c.v));
    const uint32_t hash = Hashcons::hash(op(n), payload(n), kids);
    const NodeId twin = table_.find(hash, [&](NodeId m) { return stored_as(m, op(n), payload(n), kids); });
    if (!twin.valid()) {
      table_.insert(hash, n);
      continue;
    }
    // The older node stays, so that the nodes of the start program live for ever.
    const Congruent pair = n < twin ? Congruent{n, twin} : Congruent{twin, n};
    if (pair.kept == n) table_.replace(hash, twin, n);
    if (filtered(pair.kept) && !filtered(pair.died)) {
      unfilter(pair.kept);
    } else if (filtered(pair.died)) {
      --filtered_;
    }
    flags_[pair.died.index()] |= kDead;
    some_died_ = true;
    return pair;
  }
  return {};
}

void Store::finish_rebuild() {
  assert(queue_.empty());
  ++clock_;
  for (uint32_t c = 0; c < union_find_.size(); ++c) union_find_[c] = find_compress(c);
  build_index();
  if (some_died_) {
    // Lists keep their class's own node even when it is dead: it is where they start.
    for_each_class([this](ClassId c) {
      uint32_t last = c.v;
      for (NodeId n : nodes_in(c)) {
        if (n.v == c.v) continue;
        next_in_class_[last] = n.v;
        last = n.v;
      }
      next_in_class_[last] = c.v;
    });
    some_died_ = false;
  }
  clean_ = true;
}

void Store::build_index() {
  // Counting sorts: by operator, then stably by class (gives class, operator, id), then stably by operator
  // again (gives operator, class).
  const uint32_t count = static_cast<uint32_t>(op_.size());
  uint32_t ops = 0;
  for (uint32_t op : op_) ops = std::max(ops, op + 1);
  op_begin_.assign(ops + 1, 0);
  class_begin_.assign(count + 1, 0);
  for (uint32_t n = 0; n < count; ++n) {
    if ((flags_[n] & kDead) != 0) continue;
    ++op_begin_[op_[n] + 1];
    ++class_begin_[union_find_[n] + 1];
  }
  for (uint32_t i = 0; i < ops; ++i) op_begin_[i + 1] += op_begin_[i];
  for (uint32_t i = 0; i < count; ++i) class_begin_[i + 1] += class_begin_[i];

  by_op_.resize(live_nodes());
  by_class_.resize(live_nodes());
  std::vector<uint32_t> at(op_begin_.begin(), op_begin_.end());
  for (uint32_t n = 0; n < count; ++n) {
    if ((flags_[n] & kDead) == 0) by_op_[at[op_[n]]++] = NodeId(n);
  }
  at.assign(class_begin_.begin(), class_begin_.end());
  for (NodeId n : by_op_) by_class_[at[union_find_[n.index()]]++] = n;
  at.assign(op_begin_.begin(), op_begin_.end());
  for (NodeId n : by_class_) by_op_[at[op_[n.index()]]++] = n;
}

std::string Store::check_invariants() const {
  if (!clean_) return "the store is not clean";
  size_t live = 0;
  size_t classes = 0;
  size_t filtered_live = 0;
  std::vector<uint32_t> members(slots(), 0);
  std::vector<uint32_t> edges(slots(), 0);
  for (uint32_t i = 0; i < slots(); ++i) {
    const NodeId n(i);
    if (union_find_[union_find_[i]] != union_find_[i]) return fmt::format("union-find path of {} is long", i);
    classes += is_canonical(ClassId(i));
    if (dead(n)) {
      const NodeId twin = lookup(op(n), payload(n), children(n));
      if (!twin.valid()) return fmt::format("dead node {} has no living twin", i);
      if (class_of(twin) != class_of(n)) return fmt::format("dead node {} is not in its twin's class", i);
      continue;
    }
    ++live;
    filtered_live += filtered(n);
    ++members[class_of(n).index()];
    for (ClassId c : children(n)) {
      if (!is_canonical(c)) return fmt::format("node {} has a child {} that is not canonical", i, c.v);
      ++edges[c.index()];
    }
    if (lookup(op(n), payload(n), children(n)) != n) return fmt::format("node {} is not in the hashcons", i);
  }
  if (live != table_.size()) return fmt::format("{} live nodes, {} in the hashcons", live, table_.size());
  if (classes != classes_) return fmt::format("{} classes, counted {}", classes, classes_);
  if (filtered_live != filtered_)
    return fmt::format("{} filtered nodes, counted {}", filtered_live, filtered_);
  if (by_op_.size() != live || by_class_.size() != live) return "the index is incomplete";
  std::string broken;
  for_each_class([&](ClassId c) {
    uint32_t listed = 0;
    for_each_node(c, [&](NodeId n) {
      ++listed;
      if (class_of(n) != c) broken = fmt::format("node {} is in the list of class {}", n.v, c.v);
    });
    if (listed != members[c.index()] || nodes_in(c).size() != listed || listed == 0) {
      broken = fmt::format("class {} lists {} nodes, indexes {}, has {}", c.v, listed, nodes_in(c).size(),
                           members[c.index()]);
    }
    uint32_t parents = 0;
    for_each_parent(c, [&](NodeId n) {
      ++parents;
      if (std::ranges::find(children(n), c) == children(n).end()) {
        broken = fmt::format("node {} is a parent of class {} without having it as a child", n.v, c.v);
      }
    });
    if (parents != edges[c.index()]) {
      broken = fmt::format("class {} lists {} parents, has {}", c.v, parents, edges[c.index()]);
    }
    if (!std::ranges::is_sorted(nodes_in(c), {}, [this](NodeId n) { return std::pair(op(n), n); })) {
      broken = fmt::format("nodes of class {} are out of order", c.v);
    }
  });
  return broken;
}

}  // namespace isomer::egraph
