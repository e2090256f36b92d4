#include "egraph/ground_terms.h"

#include <algorithm>

#include "support/errors.h"
#include "support/hash.h"

namespace isomer::egraph {

uint64_t CongruenceClosure::signature(uint32_t n) const {
  const TermId t = terms_[n];
  uint64_t hash = hash_combine(bank_.op(t), bank_.payload(t));
  for (TermId c : bank_.children(t)) hash = hash_combine(hash, find(local_.at(c.v)));
  return hash;
}

bool CongruenceClosure::congruent(uint32_t a, uint32_t b) const {
  const TermId s = terms_[a], t = terms_[b];
  return bank_.op(s) == bank_.op(t) && bank_.payload(s) == bank_.payload(t) &&
         std::ranges::equal(bank_.children(s), bank_.children(t),
                            [&](TermId x, TermId y) { return same(x, y); });
}

void CongruenceClosure::look_up(uint32_t n) {
  // Entries of terms whose children's classes have changed since stay under their old signature; they are
  // looked up again when that happens, so what is found here is either current or not congruent.
  const uint64_t hash = signature(n);
  const auto [begin, end] = table_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (it->second == n) return;
    if (!congruent(it->second, n)) continue;
    if (find(it->second) != find(n)) pending_.push_back({it->second, n, kCongruence});
    return;
  }
  table_.emplace(hash, n);
}

uint32_t CongruenceClosure::add(TermId t) {
  const auto n = static_cast<uint32_t>(terms_.size());
  local_.emplace(t.v, n);
  terms_.push_back(t);
  parent_.push_back(n);
  users_.emplace_back();
  size_.push_back(1);
  proof_.push_back(n);
  proof_label_.push_back(kCongruence);
  proof_backward_.push_back(false);
  for (TermId c : bank_.children(t)) users_[find(local_.at(c.v))].push_back(n);
  if (!bank_.children(t).empty()) look_up(n);
  return n;
}

void CongruenceClosure::mention(TermId t) {
  std::vector<TermId> open{t};
  while (!open.empty()) {
    const TermId top = open.back();
    const size_t before = open.size();
    if (!local_.contains(top.v))
      for (TermId c : bank_.children(top))
        if (!local_.contains(c.v)) open.push_back(c);
    if (open.size() > before) continue;
    open.pop_back();
    if (!local_.contains(top.v)) {
      add(top);
      settle();
    }
  }
}

void CongruenceClosure::equate(TermId a, TermId b, uint32_t label) {
  mention(a);
  mention(b);
  pending_.push_back({local_.at(a.v), local_.at(b.v), label});
  settle();
}

void CongruenceClosure::link(uint32_t a, uint32_t b, uint32_t label) {
  // Turn round the path above a, then hang it under b.
  uint32_t node = a, next = b, next_label = label;
  bool next_backward = false;
  for (;;) {
    const uint32_t old = proof_[node], old_label = proof_label_[node];
    const bool old_backward = proof_backward_[node];
    proof_[node] = next;
    proof_label_[node] = next_label;
    proof_backward_[node] = next_backward;
    if (old == node) return;
    next = node;
    next_label = old_label;
    next_backward = !old_backward;
    node = old;
  }
}

void CongruenceClosure::settle() {
  while (!pending_.empty()) {
    const Pending p = pending_.back();
    pending_.pop_back();
    uint32_t winner = find(p.a), loser = find(p.b);
    if (winner == loser) continue;
    link(p.a, p.b, p.label);
    if (size_[winner] < size_[loser]) std::swap(winner, loser);
    parent_[loser] = winner;
    size_[winner] += size_[loser];
    const std::vector<uint32_t> users = std::move(users_[loser]);
    for (uint32_t u : users) look_up(u);
    users_[winner].insert(users_[winner].end(), users.begin(), users.end());
  }
}

std::vector<CongruenceClosure::Edge> CongruenceClosure::explain(TermId a, TermId b) const {
  REQUIRE(mentioned(a) && mentioned(b) && same(a, b), "terms that are not known to be equal");
  const auto above = [&](uint32_t n) {
    std::vector<uint32_t> path{n};
    while (proof_[n] != n) path.push_back(n = proof_[n]);
    return path;
  };
  std::vector<uint32_t> left = above(local_.at(a.v)), right = above(local_.at(b.v));
  while (left.size() > 1 && right.size() > 1 && left[left.size() - 2] == right[right.size() - 2]) {
    left.pop_back();
    right.pop_back();
  }
  std::vector<Edge> out;
  for (size_t i = 0; i + 1 < left.size(); ++i)
    out.push_back({terms_[left[i]], terms_[left[i + 1]], proof_label_[left[i]], proof_backward_[left[i]]});
  for (size_t i = right.size() - 1; i > 0; --i)
    out.push_back(
        {terms_[right[i]], terms_[right[i - 1]], proof_label_[right[i - 1]], !proof_backward_[right[i - 1]]});
  return out;
}

}  // namespace isomer::egraph
