#include "extract/tree_width.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <unordered_map>
#include <vector>

#include "extract/check.h"
#include "extract/components.h"
#include "support/hash.h"

namespace isomer::extract {

namespace {

constexpr uint32_t kNone = 0xFFFFFFFFu;
constexpr size_t kWidestAcyclic = 32;  // classes of a bag: two bits each in a word
constexpr size_t kWidestCyclic = 16;   // a 16 by 16 matrix says which leads to which

// What the classes of a scope, by position, have seen so far.
enum Status : uint64_t { kUntouched = 0, kRequired = 1, kSatisfied = 2 };

struct State {
  uint64_t status = 0;
  std::array<uint64_t, 4> reach{};  // 16 rows of 16 bits; transitively closed

  bool operator==(const State&) const = default;
  Status at(size_t i) const { return static_cast<Status>(status >> (2 * i) & 3); }
  void set(size_t i, Status s) { status = (status & ~(uint64_t{3} << (2 * i))) | (uint64_t{s} << (2 * i)); }
  uint64_t row(size_t i) const { return reach[i / 4] >> (16 * (i % 4)) & 0xFFFF; }
  void add_row(size_t i, uint64_t bits) { reach[i / 4] |= bits << (16 * (i % 4)); }
  void clear_row(size_t i) { reach[i / 4] &= ~(uint64_t{0xFFFF} << (16 * (i % 4))); }

  // False if something leads to itself.
  bool close(size_t count) {
    for (size_t k = 0; k < count; ++k) {
      const uint64_t through = row(k);
      if (through == 0) continue;
      for (size_t i = 0; i < count; ++i) {
        if ((row(i) >> k & 1) != 0) add_row(i, through);
      }
    }
    for (size_t i = 0; i < count; ++i) {
      if ((row(i) >> i & 1) != 0) return false;
    }
    return true;
  }
};

struct StateHash {
  size_t operator()(const State& s) const {
    uint64_t h = mix64(s.status);
    for (uint64_t word : s.reach) h = mix64(h ^ word);
    return h;
  }
};

struct Value {
  double cost = 0;
  uint32_t story = kNone;  // how it came about
};
using Table = std::unordered_map<State, Value, StateHash>;

// A node picked on top of a story, or two stories together.
struct Story {
  uint32_t first = kNone, second = kNone;
  NodeId node;
};

struct Message {
  std::vector<uint32_t> scope;
  Table table;
};

class TreeWidth {
 public:
  TreeWidth(const Problem& problem, const Deadline& deadline, size_t most_states)
      : problem_(problem),
        deadline_(deadline),
        most_states_(most_states),
        parts_(strong_components(choices_of(problem))),
        is_root_(problem.classes(), false) {
    for (ClassId root : problem.roots()) is_root_[root.index()] = true;
    for (uint32_t size : parts_.size) cyclic_ = cyclic_ || size > 1;
  }

  TreeWidthOutcome run() {
    TreeWidthOutcome outcome;
    for (uint32_t n = 0; n < problem_.nodes(); ++n) {
      if (problem_.cost(NodeId(n)) < 0) return outcome;
    }
    const bool narrow = order(outcome.width);
    if (narrow && eliminate(outcome)) {
      outcome.solved = true;
      outcome.selection = Selection(problem_.classes());
      tell(whole_.story, outcome.selection);
      outcome.cost = check(problem_, outcome.selection).dag_cost;
    }
    outcome.states = states_;
    return outcome;
  }

 private:
  bool same_component(uint32_t a, uint32_t b) const {
    return parts_.of[a] == parts_.of[b] && parts_.size[parts_.of[a]] > 1;
  }

  // Least degree first, ties by number; false if a bag is too wide.
  bool order(size_t& width) {
    const size_t count = problem_.classes();
    const size_t widest = cyclic_ ? kWidestCyclic : kWidestAcyclic;
    std::vector<std::set<uint32_t>> near(count);
    for (uint32_t n = 0; n < problem_.nodes(); ++n) {
      std::vector<uint32_t> scope = scope_of(NodeId(n));
      if (scope.size() > widest) {
        width = std::max(width, scope.size() - 1);
        return false;
      }
      for (uint32_t a : scope) {
        for (uint32_t b : scope) {
          if (a != b) near[a].insert(b);
        }
      }
    }
    std::set<std::pair<size_t, uint32_t>> queue;
    for (uint32_t c = 0; c < count; ++c) queue.emplace(near[c].size(), c);
    position_.assign(count, 0);
    while (!queue.empty()) {
      const auto [degree, c] = *queue.begin();
      queue.erase(queue.begin());
      width = std::max(width, degree);
      if (degree + 1 > widest) return false;
      position_[c] = static_cast<uint32_t>(order_.size());
      order_.push_back(c);
      for (uint32_t a : near[c]) queue.erase({near[a].size(), a});
      for (uint32_t a : near[c]) {
        near[a].erase(c);
        for (uint32_t b : near[c]) {
          if (a != b) near[a].insert(b);
        }
      }
      for (uint32_t a : near[c]) queue.emplace(near[a].size(), a);
      bags_.emplace_back(near[c].begin(), near[c].end());
      bags_.back().push_back(c);
      std::ranges::sort(bags_.back());
      near[c].clear();
    }
    return true;
  }

  std::vector<uint32_t> scope_of(NodeId n) const {
    std::vector<uint32_t> scope{problem_.class_of(n).v};
    for (ClassId m : problem_.children(n)) scope.push_back(m.v);
    std::ranges::sort(scope);
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    return scope;
  }
  uint32_t first_eliminated(const std::vector<uint32_t>& scope) const {
    return std::ranges::min(scope, {}, [&](uint32_t c) { return position_[c]; });
  }

  bool eliminate(TreeWidthOutcome&) {
    std::vector<std::vector<NodeId>> nodes(problem_.classes());
    for (uint32_t n = 0; n < problem_.nodes(); ++n)
      nodes[first_eliminated(scope_of(NodeId(n)))].push_back(NodeId(n));
    std::vector<std::vector<Message>> inbox(problem_.classes());
    for (size_t i = 0; i < order_.size(); ++i) {
      const uint32_t c = order_[i];
      Message bag{bags_[i], {}};
      State start;
      if (is_root_[c]) start.set(place(bag.scope, c), kRequired);
      bag.table.emplace(start, Value());
      for (const Message& message : inbox[c]) {
        if (!join(bag, message)) return false;
      }
      inbox[c].clear();
      for (NodeId n : nodes[c]) {
        if (!pick(bag, n)) return false;
      }
      Message rest = forget(bag, c);
      if (rest.table.empty()) return false;
      if (rest.scope.empty()) {
        // A component of the graph of classes ends here.
        const Value& value = rest.table.begin()->second;
        whole_ = {whole_.cost + value.cost, together(whole_.story, value.story)};
        continue;
      }
      const uint32_t next = first_eliminated(rest.scope);
      inbox[next].push_back(std::move(rest));
    }
    return true;
  }

  static size_t place(const std::vector<uint32_t>& scope, uint32_t c) {
    return static_cast<size_t>(std::ranges::lower_bound(scope, c) - scope.begin());
  }

  bool join(Message& bag, const Message& message) {
    std::vector<size_t> to(message.scope.size());
    for (size_t i = 0; i < to.size(); ++i) to[i] = place(bag.scope, message.scope[i]);
    // The message once in the bag's positions.
    std::vector<std::pair<State, Value>> other;
    for (const auto& [state, value] : message.table) {
      State moved;
      for (size_t i = 0; i < to.size(); ++i) {
        moved.set(to[i], state.at(i));
        for (size_t k = 0; cyclic_ && k < to.size(); ++k) {
          if ((state.row(i) >> k & 1) != 0) moved.add_row(to[i], uint64_t{1} << to[k]);
        }
      }
      other.emplace_back(moved, value);
    }
    Table result;
    for (const auto& [mine, value] : bag.table) {
      if (deadline_.over()) return false;
      for (const auto& [theirs, more] : other) {
        State both = mine;
        for (size_t i : to) {
          both.set(i, std::max(mine.at(i), theirs.at(i)));
        }
        if (cyclic_) {
          for (size_t w = 0; w < both.reach.size(); ++w) both.reach[w] |= theirs.reach[w];
          if (both.reach != mine.reach && !both.close(bag.scope.size())) continue;
        }
        offer(result, both, value.cost + more.cost, [&] { return together(value.story, more.story); });
      }
      if (too_many(result)) return false;
    }
    bag.table = std::move(result);
    return true;
  }

  bool pick(Message& bag, NodeId n) {
    const uint32_t c = problem_.class_of(n).v;
    const size_t own = place(bag.scope, c);
    std::vector<std::pair<State, Value>> added;
    for (const auto& [state, value] : bag.table) {
      if (state.at(own) == kSatisfied) continue;
      State next = state;
      next.set(own, kSatisfied);
      bool arcs = false;
      for (ClassId m : problem_.children(n)) {
        const size_t child = place(bag.scope, m.v);
        if (next.at(child) == kUntouched) next.set(child, kRequired);
        if (!same_component(c, m.v)) continue;
        next.add_row(own, uint64_t{1} << child);
        arcs = true;
      }
      if (arcs && !next.close(bag.scope.size())) continue;
      added.emplace_back(next, Value{value.cost + problem_.cost(n), value.story});
    }
    for (const auto& [state, value] : added) {
      offer(bag.table, state, value.cost, [&] {
        stories_.push_back({value.story, kNone, n});
        return static_cast<uint32_t>(stories_.size() - 1);
      });
    }
    return !deadline_.over() && !too_many(bag.table);
  }

  Message forget(const Message& bag, uint32_t c) {
    Message rest{bag.scope, {}};
    const size_t gone = place(bag.scope, c);
    rest.scope.erase(rest.scope.begin() + static_cast<std::ptrdiff_t>(gone));
    for (const auto& [state, value] : bag.table) {
      if (state.at(gone) == kRequired) continue;
      State next;
      for (size_t i = 0, k = 0; i < bag.scope.size(); ++i) {
        if (i == gone) continue;
        next.set(k, state.at(i));
        if (cyclic_) {
          const uint64_t row = state.row(i);
          const uint64_t low = row & ((uint64_t{1} << gone) - 1);
          next.add_row(k, low | (row >> (gone + 1) << gone));
        }
        ++k;
      }
      offer(rest.table, next, value.cost, [&] { return value.story; });
    }
    states_ += rest.table.size();
    return rest;
  }

  static void offer(Table& table, const State& state, double cost, auto&& story) {
    const auto [at, is_new] = table.try_emplace(state, Value{cost, kNone});
    if (!is_new && at->second.cost <= cost) return;
    at->second = {cost, story()};
  }
  uint32_t together(uint32_t a, uint32_t b) {
    if (a == kNone || b == kNone) return a == kNone ? b : a;
    stories_.push_back({a, b, NodeId()});
    return static_cast<uint32_t>(stories_.size() - 1);
  }
  bool too_many(const Table& table) const {
    return table.size() > most_states_ / 8 || states_ > most_states_ || stories_.size() > 4 * most_states_;
  }

  void tell(uint32_t story, Selection& selection) const {
    std::vector<uint32_t> open{story};
    while (!open.empty()) {
      const uint32_t s = open.back();
      open.pop_back();
      if (s == kNone) continue;
      const Story& told = stories_[s];
      if (told.node.valid()) selection.pick(problem_.class_of(told.node), told.node);
      open.push_back(told.first);
      open.push_back(told.second);
    }
  }

  const Problem& problem_;
  const Deadline& deadline_;
  size_t most_states_;
  Components parts_;
  std::vector<bool> is_root_;
  bool cyclic_ = false;
  std::vector<uint32_t> order_;              // classes as they are eliminated
  std::vector<uint32_t> position_;           // by class, in order_
  std::vector<std::vector<uint32_t>> bags_;  // by position, sorted
  std::vector<Story> stories_;
  size_t states_ = 0;
  Value whole_;
};

}  // namespace

TreeWidthOutcome tree_width(const Problem& problem, const Deadline& deadline, size_t most_states) {
  return TreeWidth(problem, deadline, most_states).run();
}

}  // namespace isomer::extract
