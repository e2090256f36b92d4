#include "recipes/size_refusals.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace isomer::recipes {
namespace {

constexpr int64_t kLargest = 8192;
constexpr double kMostGrowth = 24;
/// Of a message; sums and products with a size stay within 64 bits.
constexpr int64_t kLargestSaid = int64_t{1} << 40;

bool belongs_to_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/' || c == '.' || c == ':' ||
         c == '\'';
}

/// Of a shape, "2,64,32}": how many elements it has, and each of the first.
void add_products(std::string_view shape, std::vector<int64_t>& out) {
  int64_t first = 0, rest = 1;
  while (!shape.empty()) {
    int64_t value = 0;
    const auto read = std::from_chars(shape.data(), shape.data() + shape.size(), value);
    if (read.ec != std::errc()) return;
    shape.remove_prefix(static_cast<size_t>(read.ptr - shape.data()));
    if (first == 0)
      first = std::max<int64_t>(value, 1);
    else if (value > 0 && rest <= kLargestSaid / value)
      rest *= value;
    if (shape.empty() || shape.front() != ',') break;
    shape.remove_prefix(1);
  }
  if (first > (int64_t{1} << 20)) return;
  for (const int64_t product : {rest, first * rest})
    if (product > 1 && std::ranges::find(out, product) == out.end()) out.push_back(product);
}

class Plans {
 public:
  Plans(const DynamicDims& dims, const SizePlan& tried) : dims_(dims), tried_(tried) {}

  void one(size_t i, int64_t size) {
    if (!free(i) || size < 2) return;
    SizePlan plan = tried_;
    plan.rules[i].size = size;
    add(plan);
  }
  /// Height and width by one factor, of which this is the square.
  void sides(int64_t up, int64_t down) {
    SizePlan plan = tried_;
    for (size_t i = 0; i < plan.rules.size(); ++i) {
      if (dims_.dims[i].role != DimRole::kSide || !free(i)) continue;
      const double exact = static_cast<double>(plan.rules[i].size) *
                           std::sqrt(static_cast<double>(up) / static_cast<double>(down));
      plan.rules[i].size = std::llround(exact);
      if (std::abs(static_cast<double>(plan.rules[i].size) - exact) > 1e-9) return;
    }
    add(plan);
  }
  bool free(size_t i) const { return !tried_.rules[i].given && tried_.rules[i].sum_of.empty(); }
  /// Batches and channels last, the smaller ones first.
  std::vector<SizePlan> take() {
    std::ranges::stable_sort(plans_, {}, [&](const SizePlan& plan) {
      int64_t key = 0;
      for (size_t i = 0; i < plan.rules.size(); ++i) {
        const DimRole role = dims_.dims[i].role;
        if ((role == DimRole::kBatch || role == DimRole::kChannels) && plan.rules[i] != tried_.rules[i])
          key += plan.rules[i].size;
      }
      return key;
    });
    return std::move(plans_);
  }

 private:
  void add(const SizePlan& plan) {
    for (const SizePlan::Rule& r : plan.rules)
      if (!r.given && (r.size < 0 || r.size > kLargest || (r.sum_of.empty() && r.size < 1))) return;
    if (plan.rules == tried_.rules || elements(plan) > kMostGrowth * elements(tried_)) return;
    if (std::ranges::find(plans_, plan.rules, &SizePlan::rules) == plans_.end()) plans_.push_back(plan);
  }

  /// Of a tensor of all dimensions.
  static double elements(const SizePlan& plan) {
    double out = 1;
    for (const SizePlan::Rule& r : plan.rules) out *= static_cast<double>(std::max<int64_t>(r.size, 1));
    return out;
  }

  const DynamicDims& dims_;
  const SizePlan& tried_;
  std::vector<SizePlan> plans_;
};

}  // namespace

std::vector<int64_t> numbers_said(std::string_view message) {
  constexpr size_t kMost = 16;
  std::vector<int64_t> out;
  // Before it stand the names of the model and of the node.
  if (const size_t status = message.find("Status Message:"); status != std::string_view::npos)
    message.remove_prefix(status + std::string_view("Status Message:").size());
  for (size_t i = 0; i < message.size() && out.size() < kMost;) {
    if (std::isdigit(static_cast<unsigned char>(message[i])) == 0) {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < message.size() && std::isdigit(static_cast<unsigned char>(message[i])) != 0) ++i;
    const bool named = (begin > 0 && belongs_to_a_name(message[begin - 1])) ||
                       (i < message.size() && belongs_to_a_name(message[i]) && message[i] != '.');
    if (begin > 0 && message[begin - 1] == '{') add_products(message.substr(begin), out);
    int64_t value = 0;
    const auto read = std::from_chars(message.data() + begin, message.data() + i, value);
    if (!named && read.ec == std::errc() && value > 1 && value <= kLargestSaid &&
        std::ranges::find(out, value) == out.end())
      out.push_back(value);
  }
  return out;
}

std::vector<SizePlan> plans_after(const DynamicDims& dims, const SizePlan& tried, std::string_view message,
                                  bool likely) {
  const std::vector<int64_t> numbers = numbers_said(message);
  Plans plans(dims, tried);
  const size_t n = dims.dims.size();
  const auto pairs = [&](const auto& each) {
    for (const int64_t a : numbers)
      for (const int64_t b : numbers)
        if (a != b) each(a, b);
  };
  // Something that counts on from the dimension is too large or too small by so much.
  for (size_t i = 0; i < n; ++i)
    pairs([&](int64_t a, int64_t b) {
      if (a >= tried.rules[i].size && a - tried.rules[i].size <= 16 && (!likely || 2 * b >= a))
        plans.one(i, tried.rules[i].size + b - a);
    });
  for (const int64_t beside : {0, 1})  // a token of its own
    pairs([&](int64_t a, int64_t b) { plans.sides(b - beside, a - beside); });
  if (likely) return plans.take();
  for (size_t i = 0; i < n; ++i)
    pairs([&](int64_t a, int64_t b) {
      const int64_t size = tried.rules[i].size;
      if (size > 0 && size <= kLargest && b <= (int64_t{1} << 32) && size * b % a == 0)
        plans.one(i, size * b / a);
    });
  for (size_t i = 0; i < n; ++i)  // a multiple of a window
    for (const int64_t a : numbers)
      if (tried.rules[i].size > a) plans.one(i, tried.rules[i].size / a * a);
  for (size_t i = 0; i < n; ++i)
    for (const int64_t a : numbers) {
      plans.one(i, a);
      if (a <= kLargest) plans.one(i, tried.rules[i].size * a);
    }
  for (size_t i = 0; i < n; ++i)  // heads times their size
    for (size_t k = 1; k < numbers.size(); ++k)
      if (numbers[k] <= kLargest && numbers[k - 1] <= kLargest) plans.one(i, numbers[k] * numbers[k - 1]);
  for (size_t i = 0; i < n; ++i)
    for (const int64_t size : dims.factors) {
      plans.one(i, size);
      for (const int64_t a : numbers)
        if (a <= kLargest) plans.one(i, a * size);
    }
  return plans.take();
}

}  // namespace isomer::recipes
