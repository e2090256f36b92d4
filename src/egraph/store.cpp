#include "egraph/store.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

namespace isomer::egraph {
namespace {

/// Children by the ids that their classes have now.
class Canonical {
 public:
  template <class Find>
  Canonical(std::span<const ClassId> children, Find&& find) : size_(children.size()) {
    if (size_ > few_.size()) many_.resize(size_);
    ClassId* const out = many_.empty() ? few_.data() : many_.data();
    for (size_t i = 0; i < size_; ++i) out[i] = find(children[i]);
  }
  std::span<const ClassId> classes() const { return {many_.empty() ? few_.data() : many_.data(), size_}; }

 private:
  std::array<ClassId, 8> few_;
  std::vector<ClassId> many_;
  size_t size_;
};

}  // namespace

size_t Store::memory_bytes() const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return bytes(nodes_) + bytes(flags_) + bytes(union_find_) + bytes(child_) + bytes(by_class_) +
         bytes(class_begin_) + bytes(queue_) + bytes(learnt_) + bytes(analyse_) + bytes(group_) +
         table_.memory_bytes();
}

void Store::trim() {
  const auto fit = [](auto& v) {
    if (v.capacity() > v.size() + v.size() / 16) v.shrink_to_fit();
  };
  // The dead need no children: nobody looks at them, and derivations keep their own.
  uint32_t kept = 0;
  for (uint32_t n = 0; n < slots(); ++n) {
    const uint32_t first = nodes_[n].first, end = nodes_[n + 1].first;
    nodes_[n].first = kept;
    if ((flags_[n] & kDead) != 0) continue;
    for (uint32_t e = first; e < end; ++e) child_[kept++] = child_[e];
  }
  nodes_.back().first = kept;
  child_.resize(kept);
  fit(nodes_);
  fit(flags_);
  fit(union_find_);
  fit(child_);
  fit(by_class_);
  fit(class_begin_);
  if (table_.spare_bytes() > table_.memory_bytes() / 4) rehash(table_.size());
  queue_ = decltype(queue_)();  // an empty list would leave the capacity
  learnt_ = decltype(learnt_)();
  analyse_ = decltype(analyse_)();
}

std::vector<ClassId> Store::compact() {
  assert(clean_ && !derivation_);
  // Nodes keep their order; the first one of each class gives it its name.
  std::vector<uint32_t> name(slots());
  std::vector<ClassId> home(slots());
  uint32_t kept = 0;
  for (uint32_t n = 0; n < slots(); ++n) {
    if ((flags_[n] & kDead) != 0) continue;
    name[n] = kept++;
    ClassId& of_class = home[union_find_[n]];
    if (!of_class.valid()) of_class = ClassId(name[n]);
  }
  std::vector<ClassId> called(slots());
  for (uint32_t n = 0; n < slots(); ++n) called[n] = home[union_find_[n]];
  uint32_t edges = 0;
  for (uint32_t n = 0; n < slots(); ++n) {
    const uint32_t first = nodes_[n].first, end = nodes_[n + 1].first;
    if ((flags_[n] & kDead) != 0) continue;
    const uint32_t to = name[n];  // not after n: what is overwritten has been read
    const uint32_t op = nodes_[n].op, payload = nodes_[n].payload, begin = edges;
    for (uint32_t e = first; e < end; ++e) child_[edges++] = called[child_[e].index()];
    nodes_[to] = {op, payload, begin};
    flags_[to] = flags_[n];
    union_find_[to] = called[n].v;
  }
  nodes_.resize(kept + 1);
  nodes_.back() = {0, 0, edges};
  flags_.resize(kept);
  union_find_.resize(kept);
  child_.resize(edges);
  rehash(kept);
  finish_rebuild();
  trim();
  return called;
}

void Store::reserve(size_t nodes) {
  nodes_.reserve(nodes + 1);
  flags_.reserve(nodes);
  union_find_.reserve(nodes);
  child_.reserve(nodes * 5 / 2);
  if (nodes > table_.size()) rehash(nodes);
}

NodeId Store::lookup(uint32_t op, uint32_t payload, std::span<const ClassId> children) const {
  const Canonical key(children, [this](ClassId c) { return find(c); });
  return lookup_canonical(op, payload, key.classes());
}

std::span<const NodeId> Store::nodes_in(ClassId c, uint32_t op) const {
  const std::span<const NodeId> all = nodes_in(c);
  size_t lo = 0;
  size_t hi = all.size();
  // Most classes are small: walking beats bisection up to a few nodes.
  if (hi > 8) {
    const auto less = [this](NodeId n, uint32_t wanted) { return this->op(n) < wanted; };
    const auto more = [this](uint32_t wanted, NodeId n) { return wanted < this->op(n); };
    const auto from = std::lower_bound(all.begin(), all.end(), op, less);
    return {from, std::upper_bound(from, all.end(), op, more)};
  }
  while (lo < hi && this->op(all[lo]) < op) ++lo;
  for (hi = lo; hi < all.size() && this->op(all[hi]) == op;) ++hi;
  return all.subspan(lo, hi - lo);
}

std::vector<NodeId> Store::nodes_with_op(uint32_t op) const {
  std::vector<NodeId> out;
  std::ranges::copy_if(by_class_, std::back_inserter(out), [&](NodeId n) { return this->op(n) == op; });
  return out;
}

void Store::filter(NodeId n) {
  if (!usable(n)) return;
  flags_[n.index()] |= kFiltered;
  ++filtered_;
}

void Store::unfilter(NodeId n) {
  if (!filtered(n) || dead(n)) return;
  flags_[n.index()] &= static_cast<uint8_t>(~kFiltered);
  flags_[n.index()] |= kFresh;  // what it makes match is new again
  --filtered_;
}

void Store::clear_fresh() {
  for (uint8_t& f : flags_) f &= static_cast<uint8_t>(~kFresh);
}

void Store::record_derivation() {
  assert(slots() == 0);
  derivation_.emplace();
}

void Store::rehash(size_t entries) {
  table_.reset(entries);
  for (uint32_t n = 0; n < slots(); ++n) {
    if ((flags_[n] & kDead) == 0) table_.insert(stored_hash(NodeId(n)), NodeId(n));
  }
}

Store::Inserted Store::insert(uint32_t op, uint32_t payload, std::span<const ClassId> children,
                              ClassId home) {
  const Canonical canonical(children, [this](ClassId c) { return find_compress(c); });
  const std::span<const ClassId> key = canonical.classes();
  const uint64_t hash = Hashcons::hash(op, payload, key);
  const NodeId known = table_.find(hash, [&](NodeId n) { return stored_as(n, op, payload, key); });
  if (known.valid()) return {known, false};

  const NodeId n(slots());
  if (table_.full()) rehash(table_.size() + table_.size() * 3 / 4 + 1);
  nodes_.back().op = op;
  nodes_.back().payload = payload;
  child_.insert(child_.end(), key.begin(), key.end());
  nodes_.push_back({0, 0, static_cast<uint32_t>(child_.size())});
  flags_.push_back(kFresh);
  union_find_.push_back(home.valid() ? find_compress(home).v : n.v);
  table_.insert(hash, n);
  if (derivation_) derivation_->add_node(this->children(n));
  classes_ += !home.valid();
  if (track_members_) {
    group_.push_back(n.v);
    if (home.valid()) std::swap(group_[n.index()], group_[union_find_.back()]);
  }
  clean_ = false;
  return {n, true};
}

Store::Link Store::order(ClassId a, ClassId b) const {
  const auto size = [this](ClassId c) {
    return c.index() + 1 < class_begin_.size() ? class_begin_[c.index() + 1] - class_begin_[c.index()] : 0;
  };
  const uint32_t in_a = size(a);
  const uint32_t in_b = size(b);
  const bool a_wins = in_a > in_b || (in_a == in_b && a < b);
  return a_wins ? Link{a, b} : Link{b, a};
}

void Store::touch(ClassId clean_class) {
  if (clean_class.index() + 1 >= class_begin_.size()) return;  // it is new, and so are all its nodes
  for (NodeId n : nodes_in(clean_class)) flags_[n.index()] |= kFresh;
}

void Store::link(Link classes) {
  const uint32_t winner = classes.winner.v;
  const uint32_t loser = classes.loser.v;
  // What had been merged into the loser before was touched then.
  touch(classes.loser);
  if (parents_) {
    queue_parents(classes.loser, queue_, kQueued);
  } else {
    merged_ = true;
  }
  if (!group_.empty()) std::swap(group_[winner], group_[loser]);
  union_find_[loser] = winner;
  --classes_;
  clean_ = false;
}

void Store::queue_parents(ClassId c, std::vector<NodeId>& queue, Flags flag) {
  uint32_t member = c.v;
  do {
    for (NodeId n : parents_->parents(ClassId(member))) {
      if ((flags_[n.index()] & (kDead | flag)) != 0) continue;
      flags_[n.index()] |= flag;
      queue.push_back(n);
    }
    member = group_[member];
  } while (member != c.v);
}

void Store::queue_by_scan() {
  merged_ = false;
  const uint32_t* const parent = union_find_.data();
  const ClassId* const child = child_.data();
  const auto end = static_cast<uint32_t>(child_.size());
  uint32_t n = 0;
  for (uint32_t e = 0; e < end; ++e) {
    if (parent[child[e].v] == child[e].v) continue;
    while (nodes_[n + 1].first <= e) ++n;
    if ((flags_[n] & (kDead | kQueued)) == 0) {
      flags_[n] |= kQueued;
      queue_.push_back(NodeId(n));
    }
    e = nodes_[n + 1].first - 1;
  }
}

void Store::build_parents() {
  for (uint32_t c = 0; c < slots(); ++c) union_find_[c] = find_compress(ClassId(c)).v;
  parents_.emplace(*this);  // reads classes by clean_class_of()
  // Groups that members are tracked by only grow: ids merged before have no parents of their own.
  if (!track_members_) reset_groups();
}

void Store::reset_groups() {
  group_.resize(slots());
  std::iota(group_.begin(), group_.end(), 0u);
}

void Store::track_members(bool on) {
  assert(clean_);
  track_members_ = on;
  group_ = decltype(group_)();
  if (on) reset_groups();
}

Store::Congruent Store::repair() {
  for (;;) {
    if (queue_.empty()) {
      if (!merged_) return {};
      queue_by_scan();
      if (++scans_ == 4) build_parents();  // from here on the parents of what is merged are queued at once
      if (queue_.empty()) return {};
    }
    const NodeId n = queue_.back();
    queue_.pop_back();
    flags_[n.index()] &= static_cast<uint8_t>(~kQueued);
    if (dead(n)) continue;
    const std::span<ClassId> kids(child_.data() + nodes_[n.index()].first, children(n).size());
    if (std::ranges::all_of(kids, [this](ClassId c) { return is_canonical(c); })) continue;
    flags_[n.index()] |= kFresh;
    table_.erase(stored_hash(n), n);
    for (ClassId& c : kids) c = find_compress(c);
    const uint64_t hash = stored_hash(n);
    const NodeId twin = table_.find(hash, [&](NodeId m) { return stored_as(m, op(n), payload(n), kids); });
    if (!twin.valid()) {
      if (table_.full()) {
        flags_[n.index()] |= kDead;  // it is not in the table just now
        rehash(table_.size() + table_.size() / 8 + 8);
        flags_[n.index()] &= static_cast<uint8_t>(~kDead);
      }
      table_.insert(hash, n);
      continue;
    }
    // The older node stays, so that the nodes of the start program live for ever.
    const Congruent pair = n < twin ? Congruent{n, twin} : Congruent{twin, n};
    if (pair.kept == n) table_.replace(hash, twin, n);
    flags_[pair.kept.index()] |= flags_[pair.died.index()] & kFresh;
    if (filtered(pair.kept) && !filtered(pair.died)) {
      unfilter(pair.kept);
    } else if (filtered(pair.died)) {
      --filtered_;
    }
    flags_[pair.died.index()] |= kDead;
    return pair;
  }
}

void Store::note_learnt(ClassId c) {
  clean_ = false;
  touch(c);
  if (parents_) {
    queue_parents(c, analyse_, kAnalysisQueued);
  } else {
    learnt_.push_back(c);
  }
}

NodeId Store::next_to_analyse() {
  if (!learnt_.empty()) {
    build_parents();
    for (ClassId c : learnt_) queue_parents(find(c), analyse_, kAnalysisQueued);
    learnt_.clear();
  }
  while (!analyse_.empty()) {
    const NodeId n = analyse_.back();
    analyse_.pop_back();
    flags_[n.index()] &= static_cast<uint8_t>(~kAnalysisQueued);
    if (dead(n)) continue;
    flags_[n.index()] |= kFresh;  // a condition may hold now that did not
    return n;
  }
  return {};
}

void Store::end_repair() {
  parents_.reset();
  if (!track_members_) group_ = decltype(group_)();
  scans_ = 0;
}

void Store::finish_rebuild() {
  assert(queue_.empty() && analyse_.empty() && learnt_.empty() && !merged_);
  const uint32_t count = static_cast<uint32_t>(slots());
  // A counting sort by class, counted two places on: after the sums class_begin_[c + 1] is where class c is
  // filled from.
  class_begin_.assign(count + 2, 0);
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t c = union_find_[n] = find_compress(ClassId(n)).v;
    class_begin_[c + 2] += (flags_[n] & kDead) == 0;
  }
  for (uint32_t c = 2; c < count + 2; ++c) class_begin_[c] += class_begin_[c - 1];
  by_class_.resize(live_nodes());
  for (uint32_t n = 0; n < count; ++n)
    if ((flags_[n] & kDead) == 0) by_class_[class_begin_[union_find_[n] + 1]++] = NodeId(n);
  class_begin_.pop_back();
  // Within a class by operator; most have a node or two.
  for (uint32_t c = 0; c < count; ++c) {
    const std::span<NodeId> nodes(by_class_.data() + class_begin_[c], class_begin_[c + 1] - class_begin_[c]);
    if (nodes.size() > 16) {
      std::ranges::sort(nodes, {}, [this](NodeId n) { return std::pair(op(n), n); });
      continue;
    }
    for (size_t i = 1; i < nodes.size(); ++i) {
      const NodeId n = nodes[i];
      size_t at = i;
      for (; at > 0 && op(nodes[at - 1]) > op(n); --at) nodes[at] = nodes[at - 1];
      nodes[at] = n;
    }
  }
  if (track_members_) reset_groups();
  clean_ = true;
}

std::string Store::check_invariants() const {
  if (!clean_) return "the store is not clean";
  size_t live = 0;
  size_t classes = 0;
  size_t filtered_live = 0;
  std::vector<uint32_t> members(slots(), 0);
  for (uint32_t i = 0; i < slots(); ++i) {
    const NodeId n(i);
    if (union_find_[union_find_[i]] != union_find_[i]) return fmt::format("union-find path of {} is long", i);
    classes += is_canonical(ClassId(i));
    if (dead(n)) {
      if (nodes_in(class_of(n)).empty()) return fmt::format("nobody stands for dead node {}", i);
      continue;
    }
    ++live;
    filtered_live += filtered(n);
    ++members[class_of(n).index()];
    for (ClassId c : children(n)) {
      if (!is_canonical(c)) return fmt::format("node {} has a child {} that is not canonical", i, c.v);
    }
    if (lookup(op(n), payload(n), children(n)) != n) return fmt::format("node {} is not in the hashcons", i);
  }
  if (live != table_.size()) return fmt::format("{} live nodes, {} in the hashcons", live, table_.size());
  if (classes != classes_) return fmt::format("{} classes, counted {}", classes, classes_);
  if (filtered_live != filtered_)
    return fmt::format("{} filtered nodes, counted {}", filtered_live, filtered_);
  if (by_class_.size() != live) return "the index is incomplete";
  std::string broken;
  for_each_class([&](ClassId c) {
    const auto listed = nodes_in(c);
    if (listed.size() != members[c.index()] || listed.empty()) {
      broken = fmt::format("class {} indexes {} nodes, has {}", c.v, listed.size(), members[c.index()]);
    }
    for (NodeId n : listed) {
      if (dead(n) || class_of(n) != c) broken = fmt::format("node {} is listed in class {}", n.v, c.v);
    }
    if (!std::ranges::is_sorted(listed, {}, [this](NodeId n) { return std::pair(op(n), n); })) {
      broken = fmt::format("nodes of class {} are out of order", c.v);
    }
  });
  return broken;
}

}  // namespace isomer::egraph
