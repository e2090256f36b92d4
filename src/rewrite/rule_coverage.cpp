#include "rewrite/rule_coverage.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "rewrite/rule_draws.h"
#include "rewrite/rule_expr.h"
#include "support/hash.h"

namespace isomer::rewrite {
namespace {

class Features {
 public:
  Features(const ir::Context& ctx, const RuleHints& hints) : ctx_(ctx), hints_(hints) {}

  void tensor(uint64_t which, const TensorFacts& facts) {
    which_ = hash_combine(1, which);
    const ir::Type& type = ctx_.get(facts.type);
    if (type.is_static_tensor()) {
      add("floats", ir::is_float(type.dtype));
      add("rank", type.shape.size());
      std::vector<int64_t> sizes = ir::sizes(type.shape);
      const auto largest = sizes.empty() ? 1 : *std::ranges::max_element(sizes);
      add("largest", static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(largest))));
      for (const int64_t named : hints_.sizes)
        for (size_t axis = 0; axis < sizes.size(); ++axis)
          if (sizes[axis] >= named)
            add(sizes[axis] > named ? "beyond" : "as named",
                hash_combine(static_cast<uint64_t>(named), axis));
      for (size_t axis = 0; axis < sizes.size(); ++axis)
        if (sizes[axis] == 0) add("empty", axis);
      add("ones", std::ranges::find(sizes, 1) != sizes.end());
      add("at", static_cast<uint64_t>(std::ranges::find(sizes, largest) - sizes.begin()));
      std::ranges::sort(sizes);
      add("apart", std::ranges::adjacent_find(sizes) == sizes.end());
    }
    add("weight", facts.is_weight);
    if (facts.splat.valid()) number("splat", std::get<double>(ctx_.get(facts.splat)));
  }

  void dtype(const TensorFacts& facts) {
    which_ = 0;
    const ir::Type& type = ctx_.get(facts.type);
    if (!type.is_tensor()) return;
    if (std::ranges::find(kKeptTypes, type.dtype) == std::end(kKeptTypes))
      add("dtype", static_cast<uint64_t>(type.dtype));
    else  // of the many that are only kept some integers and some floats are enough
      add("kept", ir::is_float(type.dtype));
  }

  void attribute(uint64_t which, ir::AttrId id) {
    which_ = hash_combine(2, which);
    if (!id.valid()) return add("absent", 1);
    const ir::AttrValue& value = ctx_.get(id);
    if (const auto* i = std::get_if<int64_t>(&value)) add("int", static_cast<uint64_t>(*i));
    if (const auto* d = std::get_if<double>(&value)) number("float", *d);
    if (const auto* s = std::get_if<std::string>(&value)) add("string", hash_string(*s));
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) integers(*list);
    if (const auto* shape = std::get_if<ir::Shape>(&value)) {
      add("rank", shape->size());
      add("of nothing",
          std::ranges::any_of(*shape, [](ir::Dim d) { return d.is_static() && d.size() == 0; }));
      for (size_t axis = 0; axis < shape->size(); ++axis)
        if (const ir::Dim d = (*shape)[axis]; d.is_static() && d.size() > 1) add("beyond one", axis);
    }
  }

  /// How the shapes of two variables stand to each other.
  void pair(uint64_t which, const TensorFacts& a, const TensorFacts& b) {
    which_ = hash_combine(3, which);
    const ir::Type &x = ctx_.get(a.type), &y = ctx_.get(b.type);
    if (!x.is_static_tensor() || !y.is_static_tensor() || x.shape.size() != y.shape.size()) return;
    for (size_t axis = 0; axis < x.shape.size(); ++axis)
      if (x.shape[axis].size() != y.shape[axis].size()) add("other size", axis);
  }

  /// Where a comparison turns rules are wrong that are right elsewhere (boundary values).
  void condition(const Expr& e, const ExprScope& scope) {
    using enum Function;
    if (e.kind != Expr::Kind::kCall) return;
    if (e.function == kAnd || e.function == kOr || e.function == kNot)
      for (const Expr& arg : e.args) condition(arg, scope);
    if (e.function < kEqual || e.function > kAtLeast) return;
    which_ = hash_combine(4, comparisons_++);
    const auto left = evaluate(e.args[0], scope), right = evaluate(e.args[1], scope);
    const auto* x = left ? std::get_if<int64_t>(&*left) : nullptr;
    const auto* y = right ? std::get_if<int64_t>(&*right) : nullptr;
    if (x == nullptr || y == nullptr) return;
    const auto [low, high] = std::minmax(*x, *y);
    const uint64_t apart = low == high ? 0 : low == high - 1 ? 1 : 2;
    add(*x < *y ? "below" : "from", apart);
  }

  std::vector<uint64_t> take() { return std::move(out_); }

 private:
  void add(std::string_view what, uint64_t value) {
    out_.push_back(hash_combine(hash_combine(which_, hash_string(what)), value));
  }

  void number(std::string_view what, double x) {
    constexpr uint64_t kMiddle = 8;
    const int magnitude = x == 0 || !std::isfinite(x) ? 0 : std::clamp(std::ilogb(x) / 3, -4, 4);
    const uint64_t sign = x < 0 ? 0 : x > 0 ? 2 : 1;
    add(what, hash_combine(sign, kMiddle + static_cast<uint64_t>(magnitude)));
    add("one", x == 1);
  }

  void integers(const std::vector<int64_t>& list) {
    const auto n = list.size();
    add("length", n);
    const auto among = [&](auto&& f) { return static_cast<uint64_t>(std::ranges::any_of(list, f)); };
    add("negative", among([](int64_t i) { return i < 0; }));
    add("two", among([](int64_t i) { return i >= 2; }));
    add("three", among([](int64_t i) { return i >= 3; }));
    add("far", among([](int64_t i) { return i > 20 || i < -20; }));
    if (n == 0) return;
    add("axes apart", among([&](int64_t i) { return i != list[0]; }));
    add("falling", !std::ranges::is_sorted(list));
    const auto half = static_cast<std::ptrdiff_t>(n / 2);
    if (n % 2 == 0) add("ends apart", !std::equal(list.begin(), list.begin() + half, list.begin() + half));
    add("first", static_cast<uint64_t>(list[0]));
    if (constexpr size_t kFew = 4; n <= kFew)  // which of them a rule confuses
      for (size_t i = 1; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
          if (list[i] != list[j]) add("two apart", i * kFew + j);
    permutation(list);
  }

  /// Identity, its own inverse, or neither; and whether it keeps the first and the last.
  void permutation(const std::vector<int64_t>& list) {
    std::vector<int64_t> sorted = list;
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != static_cast<int64_t>(i)) return;
    bool inverse = true;
    int order = 1;
    for (size_t i = 0; i < list.size(); ++i) {
      inverse &= list[static_cast<size_t>(list[i])] == static_cast<int64_t>(i);
      int cycle = 1;
      for (auto at = static_cast<size_t>(list[i]); at != i; at = static_cast<size_t>(list[at])) ++cycle;
      order = std::max(order, cycle);
    }
    add("identity", std::ranges::is_sorted(list));
    add("own inverse", inverse);
    add("longest cycle", static_cast<uint64_t>(order));
    add("keeps the ends", list.front() == 0 && list.back() == static_cast<int64_t>(list.size()) - 1);
  }

  const ir::Context& ctx_;
  const RuleHints& hints_;
  uint64_t which_ = 0, comparisons_ = 0;
  std::vector<uint64_t> out_;
};

/// Which hashes have been seen, by some of their bits: of a million one in thirty is taken for another, which
/// costs a little coverage; a set of the hashes takes ten times as long.
class Seen {
 public:
  bool contains(uint64_t hash) const { return (words_[word(hash)] >> bit(hash) & 1) != 0; }
  void insert(uint64_t hash) { words_[word(hash)] |= uint64_t{1} << bit(hash); }

 private:
  static constexpr int kBits = 25;
  static size_t word(uint64_t hash) { return hash >> (64 - kBits + 6); }
  static int bit(uint64_t hash) { return static_cast<int>(hash & 63); }
  std::vector<uint64_t> words_ = std::vector<uint64_t>(size_t{1} << (kBits - 6));
};

}  // namespace

std::vector<uint64_t> features(ir::Context& ctx, const Rule& rule, const RuleHints& hints,
                               const Instance& instance) {
  Features out(ctx, hints);
  for (size_t i = 0; i < instance.tensors.size(); ++i) out.tensor(i, instance.tensors[i]);
  if (!instance.tensors.empty()) out.dtype(instance.tensors[0]);
  for (size_t i = 1; i < instance.tensors.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      out.pair(i * instance.tensors.size() + j, instance.tensors[i], instance.tensors[j]);
  for (size_t i = 0; i < instance.attributes.size(); ++i) out.attribute(i, instance.attributes[i]);
  for (size_t i = 0; i < instance.roots.size(); ++i)
    out.tensor(instance.tensors.size() + i, instance.roots[i]);
  for (const Expr& condition : rule.conditions)
    out.condition(condition, {ctx, instance.attributes, instance.tensors, instance.roots});
  return out.take();
}

std::vector<size_t> choose_instances(ir::Context& ctx, const Rule& rule,
                                     const std::vector<Instance>& candidates, size_t most) {
  const RuleHints hints = hints_of(rule, ctx.ops());
  std::vector<std::vector<uint64_t>> all;
  for (const Instance& c : candidates) all.push_back(features(ctx, rule, hints, c));
  Seen seen;
  const auto for_all = [&](const std::vector<uint64_t>& of, auto&& f) {
    for (size_t i = 0; i < of.size(); ++i) {
      f(of[i], 16);
      for (size_t j = 0; j < i; ++j) f(hash_combine(of[j], of[i]), 1);
    }
  };
  // What is new only shrinks while others are chosen, so that an old count is a bound: most are never counted
  // again (Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978).
  const auto fresh = [&](size_t c) {
    int out = 0;
    for_all(all[c], [&](uint64_t feature, int weight) { out += seen.contains(feature) ? 0 : weight; });
    return out;
  };
  using Entry = std::pair<int, size_t>;  // count, candidate from the end: the first one of equals
  std::priority_queue<Entry> queue;
  for (size_t c = 0; c < candidates.size(); ++c) queue.emplace(fresh(c), candidates.size() - c);
  std::vector<size_t> chosen;
  while (chosen.size() < most && !queue.empty()) {
    const size_t from_end = queue.top().second;
    queue.pop();
    const size_t c = candidates.size() - from_end;
    if (const Entry now{fresh(c), from_end}; !queue.empty() && now < queue.top()) {
      queue.push(now);
      continue;
    }
    chosen.push_back(c);
    for_all(all[c], [&](uint64_t feature, int) { seen.insert(feature); });
  }
  return chosen;
}

}  // namespace isomer::rewrite
