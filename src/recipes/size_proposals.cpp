// Proposals are few lists of numbers by role, tried one role after the other. 224 is a multiple of 7, 8, 14,
// 16 and 32, of which the windows and patches of most networks for images are; 64 tokens are few enough for
// any table of positions and a multiple of windows of 8. Dimensions that count different things get different
// numbers, so that what must be equal is found out, not assumed; a number that only equality would do for
// comes after them. Of a decoder's mask, cache and tokens the names tell the sum, or each is tried as the sum
// of others.
#include "recipes/size_proposals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>

namespace isomer::recipes {
namespace {

constexpr int64_t kBatch = 2, kOtherBatch = 3;
/// New tokens beside a cache, and what the cache holds.
constexpr int64_t kNewTokens = 16, kCached = 48, kOtherCached = 20;
/// The first of each is the usual one.
constexpr std::array<int64_t, 7> kLengths = {64, 56, 16, 112, 8, 128, 512};
constexpr std::array<int64_t, 5> kSamples = {3200, 16000, 64, 256, 8};
constexpr std::array<int64_t, 8> kSides = {224, 64, 32, 96, 384, 320, 256, 299};
constexpr std::array<int64_t, 3> kChannels = {3, 1, 4};
constexpr std::array<int64_t, 6> kOthers = {6, 64, 8, 16, 2, 128};
constexpr std::array<int64_t, 10> kEqual = {64, 32, 56, 16, 8, 7, 224, 512, 2, 1};
constexpr int64_t kOtherLength = 40, kOtherHeight = 96, kOtherWidth = 160;
/// Sums of every pair are tried up to so many dimensions.
constexpr size_t kMostInSums = 6;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<int64_t> integer(std::string_view text) {
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

size_t number_of(const DynamicDims& dims, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(dims.dims, name, &DynamicDim::name) - dims.dims.begin());
}

/// "past + 1", "past_len+seq_len", "2*batch": a sum of other dimensions by name. Nothing for other text.
std::optional<SizePlan::Rule> sum_in_name(const DynamicDims& dims, size_t own) {
  std::string_view rest = dims.dims[own].name;
  SizePlan::Rule rule{0, {}, false};
  while (!rest.empty()) {
    const size_t plus = rest.find('+');
    std::string_view term = trimmed(rest.substr(0, plus));
    rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
    int64_t factor = 1;
    if (const size_t times = term.find('*'); times != std::string_view::npos) {
      std::string_view left = trimmed(term.substr(0, times)), right = trimmed(term.substr(times + 1));
      if (!integer(left)) std::swap(left, right);
      factor = integer(left).value_or(0);
      term = right;
      if (factor < 1 || factor > 16) return std::nullopt;
    }
    if (const auto number = integer(term)) {
      rule.size += factor * *number;
      continue;
    }
    const size_t other = number_of(dims, term);
    if (other == dims.dims.size() || other == own) return std::nullopt;
    rule.sum_of.insert(rule.sum_of.end(), static_cast<size_t>(factor), other);
  }
  return rule.sum_of.empty() ? std::nullopt : std::optional(rule);
}

bool free(const SizePlan& plan, size_t i) { return !plan.rules[i].given && plan.rules[i].sum_of.empty(); }

SizePlan with_single_batch(const DynamicDims& dims, SizePlan plan) {
  for (size_t i = 0; i < dims.dims.size(); ++i)
    if (dims.dims[i].role == DimRole::kBatch && free(plan, i)) plan.rules[i].size = 1;
  return plan;
}

/// The plans, each set of sizes once.
class Proposals {
 public:
  Proposals(const DynamicDims& dims, const Sizes& given) : dims_(dims) {
    bool past = false;
    for (const DynamicDim& d : dims.dims) past = past || d.role == DimRole::kPast;
    std::array<int64_t, 8> seen{};
    for (size_t i = 0; i < dims.dims.size(); ++i) {
      const DynamicDim& d = dims.dims[i];
      if (const auto at = given.find(d.name); at != given.end()) {
        base_.rules.push_back({at->second, {}, true});
        continue;
      }
      const int64_t nth = d.named ? seen[static_cast<size_t>(d.role)]++ : 0;
      if (const auto spelled = sum_in_name(dims, i)) {
        spelled_.insert(i);
        base_.rules.push_back(*spelled);
        continue;
      }
      base_.rules.push_back({usual(d.role, past, nth, i), {}, false});
    }
    for (size_t i = 0; i < dims.dims.size(); ++i)
      if (free(base_, i) && dims.dims[i].role == DimRole::kTotal)
        base_.rules[i] = {sum_of_parts().second, sum_of_parts().first, false};
  }

  std::vector<SizePlan> run() {
    const std::vector<SizePlan> varied = variants();
    add(varied);
    add_tables(base_);
    add_sums(base_);
    last_ = true;
    for (SizePlan plan : varied) add({with_single_batch(dims_, std::move(plan))});
    add_tables(with_single_batch(dims_, base_));
    add_sums(with_single_batch(dims_, base_));
    for (int64_t size : kEqual) add({all_equal(size)});
    return std::move(plans_);
  }

 private:
  static int64_t usual(DimRole role, bool past, int64_t nth, size_t place) {
    switch (role) {
      case DimRole::kBatch: return kBatch;
      case DimRole::kSequence:
        return past ? kNewTokens + 8 * nth : std::max<int64_t>(kLengths[0] - 8 * nth, 4);
      case DimRole::kPast: return std::max<int64_t>(kCached - 8 * nth, 4);
      case DimRole::kTotal: return kLengths[0];
      case DimRole::kSamples: return kSamples[0];
      case DimRole::kSide: return kSides[0];
      case DimRole::kChannels: return kChannels[0];
      case DimRole::kOther: break;
    }
    return kOthers[0] + 2 * static_cast<int64_t>(place);
  }

  /// What a total counts: the cache, and new tokens.
  std::pair<std::vector<size_t>, int64_t> sum_of_parts() const {
    std::vector<size_t> parts;
    for (const DimRole role : {DimRole::kPast, DimRole::kSequence}) {
      const auto at = std::ranges::find(dims_.dims, role, &DynamicDim::role);
      if (at != dims_.dims.end()) parts.push_back(static_cast<size_t>(at - dims_.dims.begin()));
    }
    const bool fixed_step = parts.size() == 1 && dims_.dims[parts[0]].role == DimRole::kPast;
    if (parts.empty()) return {{}, kLengths[0]};
    return {parts, fixed_step ? dims_.step : 0};
  }

  template <size_t N>
  void vary(DimRole role, const std::array<int64_t, N>& numbers, std::vector<SizePlan>& out) const {
    for (size_t n = 1; n < N; ++n) {
      SizePlan plan = base_;
      bool changed = false;
      int64_t nth = 0;
      for (size_t i = 0; i < dims_.dims.size(); ++i) {
        if (dims_.dims[i].role != role || !free(plan, i)) continue;
        // Others that are different stay so, where that leaves something of them.
        const int64_t less = numbers[n] - 8 * nth;
        plan.rules[i].size = role == DimRole::kOther || less < 4 ? numbers[n] : less;
        nth += dims_.dims[i].named && role == DimRole::kSequence;
        changed = true;
      }
      if (changed) out.push_back(std::move(plan));
    }
  }

  /// The base, and with the numbers of one role changed.
  std::vector<SizePlan> variants() const {
    std::vector<SizePlan> out = {base_};
    for (size_t i = 0; i < dims_.dims.size(); ++i) {
      if (dims_.dims[i].role != DimRole::kTotal || base_.rules[i].sum_of.size() < 2) continue;
      SizePlan step = base_;  // tokens are counted elsewhere
      step.rules[i] = {1, {base_.rules[i].sum_of[0]}, false};
      out.push_back(step);
    }
    vary(DimRole::kSide, kSides, out);
    vary(DimRole::kSequence, kLengths, out);
    vary(DimRole::kSamples, kSamples, out);
    vary(DimRole::kOther, kOthers, out);
    vary(DimRole::kChannels, kChannels, out);
    return out;
  }

  /// A dimension as long as a table.
  void add_tables(const SizePlan& from) {
    for (const int64_t size : dims_.tables)
      for (size_t i = 0; i < dims_.dims.size(); ++i) {
        const DimRole role = dims_.dims[i].role;
        if (!free(from, i) || role == DimRole::kBatch || role == DimRole::kChannels) continue;
        SizePlan plan = from;
        plan.rules[i].size = size;
        add({std::move(plan)});
      }
  }

  SizePlan all_equal(int64_t size) const {
    SizePlan plan = base_;
    for (size_t i = 0; i < plan.rules.size(); ++i)
      if (!plan.rules[i].given && !spelled_.contains(i)) plan.rules[i] = {size, {}, false};
    return plan;
  }

  /// Each dimension as another one, as another and one more, as the sum of two others.
  void add_sums(const SizePlan& from) {
    std::vector<size_t> lengths;
    for (size_t i = 0; i < dims_.dims.size(); ++i)
      if (dims_.dims[i].role != DimRole::kBatch && dims_.dims[i].role != DimRole::kChannels)
        lengths.push_back(i);
    if (lengths.size() < 2 || lengths.size() > kMostInSums) return;
    const auto say = [&](size_t i, std::vector<size_t> sum_of, int64_t more) {
      if (from.rules[i].given || spelled_.contains(i)) return;
      SizePlan plan = from;
      plan.rules[i] = {more, std::move(sum_of), false};
      add({plan});
    };
    for (auto i = lengths.rbegin(); i != lengths.rend(); ++i)
      for (size_t j : lengths) {
        if (*i == j) continue;
        for (int64_t more : {0, 1}) say(*i, {j}, more);
      }
    for (auto i = lengths.rbegin(); i != lengths.rend(); ++i)
      for (size_t j : lengths)
        for (size_t k : lengths)
          if (j < k && *i != j && *i != k) say(*i, {j, k}, 0);
  }

  void add(const std::vector<SizePlan>& plans) {
    for (const SizePlan& plan : plans)
      if (const auto sizes = plan.sizes(dims_); sizes && seen_.insert(*sizes).second) {
        plans_.push_back(plan);
        plans_.back().last = last_;
      }
  }

  const DynamicDims& dims_;
  SizePlan base_;
  std::set<size_t> spelled_;  ///< dimensions whose names are sums
  std::set<Sizes> seen_;
  bool last_ = false;
  std::vector<SizePlan> plans_;
};

}  // namespace

std::optional<Sizes> SizePlan::sizes(const DynamicDims& dims) const {
  std::vector<int64_t> size(rules.size(), 0);  // 0: not known yet
  for (size_t round = 0; round <= rules.size(); ++round)
    for (size_t i = 0; i < rules.size(); ++i) {
      if (size[i] > 0) continue;
      int64_t sum = rules[i].size;
      const bool known = std::ranges::all_of(rules[i].sum_of, [&](size_t other) { return size[other] > 0; });
      for (size_t other : rules[i].sum_of) sum += size[other];
      if (known) size[i] = sum;
    }
  Sizes out;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (size[i] < 1) return std::nullopt;
    out[dims.dims[i].name] = size[i];
  }
  return out;
}

std::optional<SizePlan> with_batch_of_one(const DynamicDims& dims, const SizePlan& plan) {
  SizePlan single = with_single_batch(dims, plan);
  return single.rules == plan.rules ? std::nullopt : std::optional(std::move(single));
}

std::vector<SizePlan> propose_sizes(const DynamicDims& dims, const Sizes& given) {
  std::vector<SizePlan> plans = Proposals(dims, given).run();
  // Where all is given there is one; where names contradict one another (a = b + 1, b = a + 1) ones are left.
  if (plans.empty()) {
    SizePlan ones;
    for (const DynamicDim& d : dims.dims) {
      const auto at = given.find(d.name);
      ones.rules.push_back({at == given.end() ? 1 : at->second, {}, at != given.end()});
    }
    plans.push_back(ones);
  }
  return plans;
}

std::vector<SizePlan> propose_other_sizes(const DynamicDims& dims, const SizePlan& plan) {
  const auto changed = [&](auto size_of) {
    SizePlan out = plan;
    for (size_t i = 0; i < out.rules.size(); ++i)
      // A size of 1 is one that nothing else would do for.
      if (SizePlan::Rule& r = out.rules[i]; !r.given && r.sum_of.empty() && r.size > 1)
        r.size = size_of(dims.dims[i].role, r.size, i);
    return out;
  };
  int64_t side = 0;
  const auto other = [&](DimRole role, int64_t size, size_t i) -> int64_t {
    switch (role) {
      case DimRole::kBatch: return kOtherBatch;
      case DimRole::kSequence:
        return size <= kNewTokens ? std::max<int64_t>(1, size / 2 + 1)
                                  : kOtherLength - (kLengths[0] - size) / 2;
      case DimRole::kPast: return kOtherCached + static_cast<int64_t>(i);
      case DimRole::kSide: return side++ % 2 == 0 ? kOtherHeight : kOtherWidth;
      case DimRole::kChannels: return size;
      case DimRole::kSamples: return size / 2 + 1;
      case DimRole::kTotal:
      case DimRole::kOther: break;
    }
    return size + 1 + static_cast<int64_t>(i);
  };
  const auto scaled = [&](auto factor) {
    return changed([&](DimRole role, int64_t size, size_t) {
      return role == DimRole::kBatch ? kOtherBatch : role == DimRole::kChannels ? size : factor(size);
    });
  };
  const std::vector<SizePlan> tried = {
      changed(
          [&](DimRole role, int64_t size, size_t i) { return std::max<int64_t>(1, other(role, size, i)); }),
      scaled([](int64_t size) { return size % 2 == 0 ? size / 2 : size; }),
      scaled([](int64_t size) { return size * 2; }), scaled([](int64_t size) { return size; }),
      changed([&](DimRole role, int64_t size, size_t i) {
        return role == DimRole::kBatch ? size : std::max<int64_t>(1, other(role, size, i));
      })};
  const std::optional<Sizes> first = plan.sizes(dims);
  std::set<Sizes> seen;
  if (first) seen.insert(*first);
  std::vector<SizePlan> out;
  for (const SizePlan& p : tried)
    if (const auto sizes = p.sizes(dims); sizes && seen.insert(*sizes).second) out.push_back(p);
  return out;
}

}  // namespace isomer::recipes
