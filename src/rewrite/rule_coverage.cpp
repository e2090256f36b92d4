#include "rewrite/rule_coverage.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "support/hash.h"

namespace isomer::rewrite {
namespace {

class Features {
 public:
  explicit Features(const ir::Context& ctx) : ctx_(ctx) {}

  void tensor(uint64_t which, const TensorFacts& facts) {
    which_ = hash_combine(1, which);
    const ir::Type& type = ctx_.get(facts.type);
    if (type.is_static_tensor()) {
      add("dtype", static_cast<uint64_t>(type.dtype));
      add("rank", type.shape.size());
      std::vector<int64_t> sizes = ir::sizes(type.shape);
      const auto largest = sizes.empty() ? 1 : *std::ranges::max_element(sizes);
      add("largest", static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(largest))));
      add("empty", std::ranges::find(sizes, 0) != sizes.end());
      add("ones", std::ranges::find(sizes, 1) != sizes.end());
      std::ranges::sort(sizes);
      add("apart", std::ranges::adjacent_find(sizes) == sizes.end());
    }
    add("weight", facts.is_weight);
    if (facts.splat.valid()) number("splat", std::get<double>(ctx_.get(facts.splat)));
  }

  void attribute(uint64_t which, ir::AttrId id) {
    which_ = hash_combine(2, which);
    if (!id.valid()) return add("absent", 1);
    const ir::AttrValue& value = ctx_.get(id);
    if (const auto* i = std::get_if<int64_t>(&value)) add("int", static_cast<uint64_t>(*i));
    if (const auto* d = std::get_if<double>(&value)) number("float", *d);
    if (const auto* s = std::get_if<std::string>(&value)) add("string", hash_string(*s));
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) integers(*list);
    if (const auto* shape = std::get_if<ir::Shape>(&value)) add("rank", shape->size());
  }

  std::vector<uint64_t> take() { return std::move(out_); }

 private:
  void add(std::string_view what, uint64_t value) {
    out_.push_back(hash_combine(hash_combine(which_, hash_string(what)), value));
  }

  void number(std::string_view what, double x) {
    const int magnitude = x == 0 || !std::isfinite(x) ? 0 : std::clamp(std::ilogb(x) / 3, -4, 4);
    add(what, hash_combine(static_cast<uint64_t>(x < 0   ? 0
                                                 : x > 0 ? 2
                                                         : 1),
                           static_cast<uint64_t>(magnitude + 8)));
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
  uint64_t which_ = 0;
  std::vector<uint64_t> out_;
};

}  // namespace

std::vector<uint64_t> features(const ir::Context& ctx, const RuleInstance& instance) {
  Features out(ctx);
  for (size_t i = 0; i < instance.tensors.size(); ++i) out.tensor(i, instance.tensors[i]);
  for (size_t i = 0; i < instance.attributes.size(); ++i) out.attribute(i, instance.attributes[i]);
  return out.take();
}

std::vector<size_t> choose_instances(const ir::Context& ctx, const std::vector<RuleInstance>& candidates,
                                     size_t most) {
  std::vector<std::vector<uint64_t>> all;
  for (const RuleInstance& c : candidates) all.push_back(features(ctx, c));
  std::unordered_set<uint64_t> seen;
  const auto for_all = [&](const std::vector<uint64_t>& of, auto&& f) {
    for (size_t i = 0; i < of.size(); ++i) {
      f(of[i], 16);
      for (size_t j = 0; j < i; ++j) f(hash_combine(of[j], of[i]), 1);
    }
  };
  std::vector<size_t> chosen;
  std::vector<bool> taken(candidates.size(), false);
  while (chosen.size() < std::min(most, candidates.size())) {
    size_t best = candidates.size();
    int most_new = -1;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (taken[c]) continue;
      int fresh = 0;
      for_all(all[c], [&](uint64_t feature, int weight) { fresh += seen.contains(feature) ? 0 : weight; });
      if (fresh > most_new) best = c, most_new = fresh;
    }
    chosen.push_back(best);
    taken[best] = true;
    for_all(all[best], [&](uint64_t feature, int) { seen.insert(feature); });
  }
  return chosen;
}

}  // namespace isomer::rewrite
