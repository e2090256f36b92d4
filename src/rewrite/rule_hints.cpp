#include "rewrite/rule_hints.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rewrite/rule_solutions.h"

namespace isomer::rewrite {
namespace {

template <class T>
void add_new(std::vector<T>& out, T x) {
  if (std::ranges::find(out, x) == out.end()) out.push_back(x);
}

/// The integers among an expression's literals.
void integers_in(const Expr& e, std::vector<int64_t>& out) {
  if (e.kind == Expr::Kind::kLiteral) {
    if (const auto* i = std::get_if<int64_t>(&e.value)) out.push_back(*i);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&e.value))
      out.insert(out.end(), list->begin(), list->end());
  }
  for (const Expr& arg : e.args) integers_in(arg, out);
}

/// Where a rank is computed with: two beyond the largest number that stands beside it.
int64_t rank_beyond(const Expr& e) {
  int64_t out = 0;
  for (const Expr& arg : e.args) out = std::max(out, rank_beyond(arg));
  const auto is_rank = [](const Expr& arg) {
    return arg.kind == Expr::Kind::kCall && arg.function == Function::kRank;
  };
  if (std::ranges::any_of(e.args, is_rank))
    for (const Expr& arg : e.args)
      if (const auto* i = arg.kind == Expr::Kind::kLiteral ? std::get_if<int64_t>(&arg.value) : nullptr)
        out = std::max(out, *i + 2);
  return out;
}

/// Class variables under `function`, attribute variables, and numbers of one condition.
struct Named {
  std::vector<uint32_t> splats, typed, attributes;
  std::vector<double> numbers;

  void collect(const Expr& e) {
    if (e.kind == Expr::Kind::kCall && !e.args.empty() && e.args[0].kind == Expr::Kind::kTensor) {
      if (e.function == Function::kSplat) splats.push_back(e.args[0].index);
      if (e.function == Function::kDtype) typed.push_back(e.args[0].index);
    }
    if (e.kind == Expr::Kind::kAttr) attributes.push_back(e.index);
    if (e.kind == Expr::Kind::kLiteral) {
      if (const auto* d = std::get_if<double>(&e.value)) numbers.push_back(*d);
      if (const auto* i = std::get_if<int64_t>(&e.value)) numbers.push_back(static_cast<double>(*i));
      if (const auto* list = std::get_if<std::vector<int64_t>>(&e.value))
        numbers.insert(numbers.end(), list->begin(), list->end());
    }
    for (const Expr& arg : e.args) collect(arg);
  }
};

/// Both sides of every number, and what lies between two of them. Beside zero also what has no reciprocal in
/// float16.
void add_around(std::vector<double>& numbers) {
  std::vector<double> named = numbers;
  std::ranges::sort(named);
  if (std::ranges::find(named, 0.0) != named.end())
    for (const double x : {0x1p-17, -0x1p-17}) add_new(numbers, x);
  for (const double n : named)
    // The last two are n itself in 16 bits.
    for (const double x :
         {n - 1, n + 1, 0.75 * n, 1.25 * n, 0.99 * n, 1.01 * n, -n, 2 * n, n - 5, 0.9999 * n, 1.0001 * n})
      add_new(numbers, x);
  for (size_t i = 1; i < named.size(); ++i) {
    add_new(numbers, named[i - 1] + 0.25 * (named[i] - named[i - 1]));
    add_new(numbers, named[i - 1] + 0.75 * (named[i] - named[i - 1]));
  }
}

/// `length(?a) == 6`, wherever it stands in the condition.
void find_lengths(const Expr& e, std::vector<std::vector<size_t>>& out) {
  for (const Expr& arg : e.args) find_lengths(arg, out);
  if (e.kind != Expr::Kind::kCall || e.function != Function::kEqual) return;
  for (const auto& [call, number] : {std::pair{&e.args[0], &e.args[1]}, std::pair{&e.args[1], &e.args[0]}}) {
    const auto* i = number->kind == Expr::Kind::kLiteral ? std::get_if<int64_t>(&number->value) : nullptr;
    if (i == nullptr || *i < 1 || call->kind != Expr::Kind::kCall || call->function != Function::kLength)
      continue;
    if (call->args[0].kind == Expr::Kind::kAttr) add_new(out[call->args[0].index], static_cast<size_t>(*i));
  }
}

/// `elements(?a) == elements(?b)`, wherever it stands in the condition.
void find_as_many(const Expr& e, std::vector<std::vector<uint32_t>>& out) {
  for (const Expr& arg : e.args) find_as_many(arg, out);
  const auto counts = [](const Expr& arg) {
    return arg.kind == Expr::Kind::kCall && arg.function == Function::kElements &&
           arg.args[0].kind == Expr::Kind::kTensor;
  };
  if (e.kind != Expr::Kind::kCall || e.function != Function::kEqual || !std::ranges::all_of(e.args, counts))
    return;
  const uint32_t a = e.args[0].args[0].index, b = e.args[1].args[0].index;
  add_new(out[a], b);
  add_new(out[b], a);
}

/// A shape that is transposed by a list which is written out has as many dimensions.
void find_lengths(const Term& term, const ir::OpTable& ops, RuleHints& out) {
  for (const TermNode& n : term.nodes) {
    if (n.is_variable) continue;
    const ir::OpDef& def = ops.get(n.op);
    for (size_t a = 0; a < n.attrs.size(); ++a) {
      const Expr& e = n.attrs[a];
      if (def.moves == ir::Moves::kReshapes && e.kind == Expr::Kind::kAttr &&
          def.attrs[a].kind == ir::AttrKind::kShape)
        out.regroups = true;
      const auto* list =
          e.kind == Expr::Kind::kLiteral ? std::get_if<std::vector<int64_t>>(&e.value) : nullptr;
      if (list == nullptr || def.attrs[a].role != ir::AttrRole::kPermutation) continue;
      const TermNode& below = term.nodes[n.children[0]];
      for (size_t b = 0; b < below.attrs.size(); ++b)
        if (below.attrs[b].kind == Expr::Kind::kAttr &&
            ops.get(below.op).attrs[b].kind == ir::AttrKind::kShape)
          add_new(out.lengths[below.attrs[b].index], list->size());
    }
  }
}

/// `splat(?t) == lowest(?u)` or highest.
void find_extremes(const Expr& e, RuleHints& out) {
  if (e.kind != Expr::Kind::kCall || e.function != Function::kEqual) return;
  for (const auto& [splat, by] : {std::pair{&e.args[0], &e.args[1]}, std::pair{&e.args[1], &e.args[0]}}) {
    if (splat->kind != Expr::Kind::kCall || splat->function != Function::kSplat ||
        splat->args[0].kind != Expr::Kind::kTensor || by->kind != Expr::Kind::kCall)
      continue;
    if (by->function == Function::kLowest || by->function == Function::kHighest)
      out.highest[splat->args[0].index] = by->function == Function::kHighest;
  }
}

/// Attributes from `matched` on are those of lets.
void find_mentions(const Expr& e, size_t matched, Mentions& out) {
  if (e.kind == Expr::Kind::kTensor) out.tensors.push_back(e.index);
  if (e.kind == Expr::Kind::kAttr) out.attributes.push_back(e.index);
  out.whole = out.whole || e.kind == Expr::Kind::kRoot || (e.kind == Expr::Kind::kAttr && e.index >= matched);
  for (const Expr& arg : e.args) find_mentions(arg, matched, out);
}

/// What is written out is met by other ways of drawing.
void find_definitions(const Expr& e, size_t matched, RuleHints& out) {
  if (e.kind != Expr::Kind::kCall || e.function != Function::kEqual) return;
  for (const auto& [what, by] : {std::pair{&e.args[0], &e.args[1]}, std::pair{&e.args[1], &e.args[0]}}) {
    if (what->kind != Expr::Kind::kAttr || what->index >= matched) continue;
    const bool number = by->kind == Expr::Kind::kLiteral && std::holds_alternative<int64_t>(by->value);
    if (!number && (by->kind != Expr::Kind::kCall || by->function == Function::kList)) continue;
    Definition definition{by, {}};
    find_mentions(*by, matched, definition.mentions);
    if (!definition.mentions.whole) out.defined[what->index].push_back(std::move(definition));
  }
}

void find_mentions(const Rule& rule, const ir::OpTable& ops, RuleHints& out) {
  const size_t matched = rule.attributes.size() - rule.lets.size();
  for (const Expr& condition : rule.conditions)
    find_mentions(condition, matched, out.conditions.emplace_back());
  for (const Term& term : rule.right)
    for (const TermNode& n : term.nodes)
      for (const Expr& e : n.attrs) find_mentions(e, matched, out.right);
  for (const Term& term : rule.left)
    for (const TermNode& n : term.nodes)
      out.stepped = out.stepped || (!n.is_variable && ops.get(n.op).has_role(ir::AttrRole::kSteps));
}

bool makes_bytes(const ir::AttrSpec& spec, const Expr& e) {
  if (e.kind == Expr::Kind::kAttr) return spec.role == ir::AttrRole::kDType;  // of any type
  const auto* i = e.kind == Expr::Kind::kLiteral ? std::get_if<int64_t>(&e.value) : nullptr;
  return spec.role == ir::AttrRole::kDType && i &&
         (*i == static_cast<int64_t>(ir::DType::kU8) || *i == static_cast<int64_t>(ir::DType::kI8));
}

}  // namespace

RuleHints hints_of(const Rule& rule, const ir::OpTable& ops) {
  RuleHints out;
  out.splats.resize(rule.tensors.size());
  out.dtypes.resize(rule.tensors.size());
  out.highest.resize(rule.tensors.size());
  out.defined.resize(rule.attributes.size());
  out.numbers.resize(rule.attributes.size());
  out.solutions.resize(rule.attributes.size());
  out.lengths.resize(rule.attributes.size());
  out.as_many.resize(rule.tensors.size());
  std::vector<int64_t> integers;
  constexpr int64_t kMostAxes = 8;
  const auto see_ranks = [&](const Expr& e) {
    out.most_axes = std::max(out.most_axes, std::min(rank_beyond(e), kMostAxes));
  };
  for (const Expr& condition : rule.conditions) {
    see_ranks(condition);
    integers_in(condition, integers);
    find_lengths(condition, out.lengths);
    find_as_many(condition, out.as_many);
    find_extremes(condition, out);
    find_definitions(condition, rule.attributes.size() - rule.lets.size(), out);
    Named named;
    named.collect(condition);
    for (const uint32_t t : named.splats)
      for (const double n : named.numbers) add_new(out.splats[t], n);
    for (const uint32_t a : named.attributes)
      for (const double n : named.numbers) add_new(out.numbers[a], n);
    for (const uint32_t t : named.typed)
      for (const double n : named.numbers)
        if (n > 0 && n < 256 && ir::name(static_cast<ir::DType>(static_cast<int>(n))) != "?")
          add_new(out.dtypes[t], static_cast<ir::DType>(static_cast<int>(n)));
  }
  for (auto* lists : {&out.splats, &out.numbers})
    for (std::vector<double>& numbers : *lists)
      if (!numbers.empty()) add_around(numbers);
  Solutions solved = solutions_of(rule);
  for (const auto& [tensor, numbers] : solved.splats)
    for (const double x : numbers) add_new(out.splats[tensor], x);
  for (auto& [attribute, numbers] : solved.attributes) {
    for (const double x : numbers)
      if (std::floor(x) == x && std::abs(x) <= 4096) integers.push_back(static_cast<int64_t>(x));
    out.solutions[attribute] = std::move(numbers);
  }
  for (const Rule::Let& let : rule.lets) {
    see_ranks(let.value);
    integers_in(let.value, integers);
  }
  for (const Term& term : rule.left) find_lengths(term, ops, out);
  find_mentions(rule, ops, out);
  for (const auto& [terms, right] : {std::pair{&rule.left, false}, std::pair{&rule.right, true}})
    for (const Term& term : *terms)
      for (const TermNode& n : term.nodes)
        for (size_t a = 0; a < n.attrs.size(); ++a) {
          const Expr& e = n.attrs[a];
          see_ranks(e);
          integers_in(e, integers);
          if (makes_bytes(ops.get(n.op).attrs[a], e)) integers.push_back(256);
          const auto* i = e.kind == Expr::Kind::kLiteral ? std::get_if<int64_t>(&e.value) : nullptr;
          if (right && i && *i > 4 && *i <= 64) out.factors.push_back(*i);
        }
  for (const int64_t i : integers) {
    const int64_t size = i < 0 ? -i : i;
    if (size > 1 && size <= 4096) add_new(out.sizes, size);
  }
  return out;
}

}  // namespace isomer::rewrite
