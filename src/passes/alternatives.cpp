#include "passes/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "passes/rebuild.h"

namespace isomer::passes {

AlternativeGraph::AlternativeGraph(Module module)
    : module_(std::make_unique<Module>(std::move(module))),
      originals_(static_cast<uint32_t>(module_->instructions.size())),
      writer_(*module_) {
  find_users();
}

void AlternativeGraph::find_users() {
  first_user_.assign(originals_ + 1, 0);
  roots_.assign(originals_, false);
  homes_.resize(originals_);
  last_way_.assign(originals_, kNone);
  for (uint32_t c = 0; c < module_->computations.size(); ++c) {
    const hlo::Computation& of = module_->computations[c];
    roots_[of.root.v] = true;
    std::fill_n(homes_.begin() + of.instructions.first, of.instructions.count, ComputationId(c));
  }
  for (uint32_t i = 0; i < originals_; ++i)
    for (const InstructionId operand : module_->operands(InstructionId(i))) ++first_user_[operand.v + 1];
  for (uint32_t i = 0; i < originals_; ++i) first_user_[i + 1] += first_user_[i];
  users_.resize(first_user_[originals_]);
  std::vector<uint32_t> at(first_user_.begin(), first_user_.end() - 1);
  for (uint32_t i = 0; i < originals_; ++i)
    for (const InstructionId operand : module_->operands(InstructionId(i)))
      users_[at[operand.v]++] = InstructionId(i);
}

void AlternativeGraph::propose(InstructionId target, InstructionId value, std::string_view rule) {
  if (target == value) return;
  if (!module_->shapes.compatible(module_->shape(target), module_->shape(value)))
    throw std::logic_error(
        fmt::format("{}: proposes {} for {} of {}", rule, module_->shapes.print(module_->shape(value)),
                    module_->text((*module_)[target].name), module_->shapes.print(module_->shape(target))));
  for (uint32_t i = last_way_[target.v]; i != kNone; i = way_before_[i])
    if (alternatives_[i].value == value) return;
  auto at = std::ranges::find(rules_, rule);
  if (at == rules_.end()) at = rules_.insert(rules_.end(), std::string(rule));
  way_before_.push_back(last_way_[target.v]);
  last_way_[target.v] = static_cast<uint32_t>(alternatives_.size());
  alternatives_.push_back({target, value, static_cast<uint32_t>(at - rules_.begin())});
  fresh_ = false;
}

const std::vector<Choice>& AlternativeGraph::choices() const {
  if (fresh_) return choices_;
  sorted_ = alternatives_;
  std::ranges::stable_sort(sorted_, {}, &Alternative::target);
  choices_.clear();
  for (size_t i = 0; i < sorted_.size();) {
    size_t end = i;
    while (end < sorted_.size() && sorted_[end].target == sorted_[i].target) ++end;
    choices_.push_back({sorted_[i].target, std::span(sorted_).subspan(i, end - i)});
    i = end;
  }
  fresh_ = true;
  return choices_;
}

std::vector<uint32_t> AlternativeGraph::factors() const {
  std::vector<uint32_t> out;
  for (const Choice& choice : choices()) out.push_back(static_cast<uint32_t>(choice.ways.size()) + 1);
  return out;
}

std::vector<uint32_t> AlternativeGraph::first_of_each(
    const std::function<bool(std::string_view)>& taken) const {
  std::vector<uint32_t> out;
  for (const Choice& choice : choices()) {
    uint32_t way = 0;
    while (taken && way < choice.ways.size() && !taken(rule(choice.ways[way]))) ++way;
    out.push_back(way < choice.ways.size() ? way + 1 : 0);
  }
  return out;
}

Applied AlternativeGraph::apply(std::span<const uint32_t> decisions) const {
  const auto& all = choices();
  if (decisions.size() != all.size())
    throw std::invalid_argument(fmt::format("expected {} decisions, found {}", all.size(), decisions.size()));
  std::vector<InstructionId> instead(originals_);
  std::vector<uint32_t> taken(decisions.begin(), decisions.end());
  for (size_t i = 0; i < all.size(); ++i) {
    if (taken[i] > all[i].ways.size())
      throw std::invalid_argument(
          fmt::format("choice {} has {} ways, decided was {}", i, all[i].ways.size() + 1, taken[i]));
    if (taken[i] > 0) instead[all[i].target.v] = all[i].ways[taken[i] - 1].value;
  }
  Applied out;
  for (;;) {
    const std::vector<InstructionId> cycle = find_cycle(*module_, instead);
    if (cycle.empty()) break;
    // The last decision on the cycle gives way.
    size_t last = all.size();
    for (size_t i = 0; i < all.size(); ++i)
      if (taken[i] > 0 && std::ranges::find(cycle, all[i].target) != cycle.end()) last = i;
    if (last == all.size()) throw std::logic_error("a module with a cycle of its own");
    const Alternative& way = all[last].ways[taken[last] - 1];
    out.refused.push_back(
        {static_cast<uint32_t>(last), fmt::format("{} for {} would need its own result", rule(way),
                                                  module_->text((*module_)[way.target].name))});
    taken[last] = 0;
    instead[all[last].target.v] = {};
  }
  out.module = rebuilt(*module_, instead);
  return out;
}

}  // namespace isomer::passes
