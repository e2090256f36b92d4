#include "passes/sum_of_products.h"

#include <algorithm>

#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

using enum Opcode;

constexpr size_t kMostFactors = 10;
constexpr size_t kMostLooked = 1000;  // instructions: they are followed by recursion

/// Which label stands for each of those that were made one.
class Names {
 public:
  Label fresh(int64_t size) {
    sizes.push_back(size);
    same_.push_back(static_cast<Label>(same_.size()));
    return same_.back();
  }
  std::vector<Label> fresh(const Dims& dims) {
    std::vector<Label> out;
    for (const int64_t size : dims) out.push_back(fresh(size));
    return out;
  }
  Label of(Label label) const {
    while (same_[static_cast<size_t>(label)] != label) label = same_[static_cast<size_t>(label)];
    return label;
  }
  /// Both have the smaller number from now on.
  void unite(Label a, Label b) {
    const auto [low, high] = std::minmax({of(a), of(b)});
    same_[static_cast<size_t>(high)] = low;
  }

  std::vector<int64_t> sizes;

 private:
  std::vector<Label> same_;
};

bool compares(const Site& s, InstructionId id, hlo::Direction direction) {
  return s.is(id, kCompare) && s.number(id, AttributeName::kDirection) == static_cast<int64_t>(direction);
}

/// The dimension along which integers count from 0: an iota, spread out, zero added, or what jax makes of an
/// index that might be negative. Narrow ones may begin anew.
std::optional<size_t> counted(const Site& s, InstructionId id) {
  if (!s.is_integral(id) || !is_wide(s, id)) return std::nullopt;
  if (s.is(id, kIota)) return static_cast<size_t>(s.number(id, AttributeName::kIotaDimension));
  if (s.is(id, kBroadcast)) {
    const auto below = counted(s, s.in(id, 0));
    if (!below) return std::nullopt;
    return static_cast<size_t>(s.list(id, AttributeName::kDimensions)[*below]);
  }
  if (s.is(id, kAdd) && s.is_all(s.in(id, 1), 0)) return counted(s, s.in(id, 0));
  if (!s.is(id, kSelect)) return std::nullopt;
  const InstructionId negative = s.in(id, 0), otherwise = s.in(id, 2);
  const bool wraps = compares(s, negative, hlo::Direction::kLt) && s.in(negative, 0) == otherwise &&
                     s.is_all(s.in(negative, 1), 0);
  return wraps ? counted(s, otherwise) : std::nullopt;
}

/// The two dimensions on whose diagonal a truth is true.
std::optional<std::pair<size_t, size_t>> diagonal(const Site& s, InstructionId id) {
  if (!compares(s, id, hlo::Direction::kEq)) return std::nullopt;
  const auto a = counted(s, s.in(id, 0)), b = counted(s, s.in(id, 1));
  const Dims sizes = s.dims(id);
  if (!a || !b || *a == *b || sizes[*a] != sizes[*b]) return std::nullopt;
  return std::pair(*a, *b);
}

/// Whether a gather takes the diagonal of a matrix.
bool takes_diagonal(const Site& s, InstructionId id) {
  const Dims both = {0, 1};
  if (s.rank(s.in(id, 0)) != 2 || s.rank(id) != 1 || s.dims(s.in(id, 0)) != Dims(2, s.dims(id)[0]) ||
      s.list(id, AttributeName::kStartIndexMap) != both ||
      s.list(id, AttributeName::kCollapsedSliceDims) != both ||
      s.number(id, AttributeName::kIndexVectorDim) != 1)
    return false;
  const InstructionId places = s.in(id, 1);
  if (!s.is(places, kConcatenate) || s.arity(places) != 2 || s.in(places, 0) != s.in(places, 1)) return false;
  const InstructionId column = s.in(places, 0);
  return s.is(column, kReshape) && s.rank(s.in(column, 0)) == 1 && s.dims(column) == Dims{s.dims(id)[0], 1} &&
         counted(s, s.in(column, 0));
}

class Reader {
 public:
  explicit Reader(const Site& s) : s_(s) {}

  std::optional<SumOfProducts> read() {
    const std::vector<Label> result = names_.fresh(s_.dims(s_.at));
    expand(s_.at, result, false);
    if (!sound_ || out_.factors.size() < 2 || out_.factors.size() > kMostFactors ||
        names_.sizes.size() > kMostLabels)
      return std::nullopt;
    // Without a dot all was computed element by element, which no dot of less precision stands for.
    if (!has_dot_ && s_.is_floating(s_.at)) out_.precision = highest_precision();
    out_.sizes = names_.sizes;
    out_.result = one_each(result);
    for (Factor& factor : out_.factors) {
      std::erase_if(factor.labels, [&](Label l) { return size(l) == 1; });
      factor.labels = one_each(factor.labels);
    }
    return sound_ && has_all_summed() ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  int64_t size(Label label) const { return names_.sizes[static_cast<size_t>(label)]; }

  /// What is summed over and no factor has would be a number of times.
  bool has_all_summed() const {
    LabelSet known = Factor{{}, out_.result}.set();
    for (const Factor& factor : out_.factors) known |= factor.set();
    for (Label l = 0; l < static_cast<Label>(names_.sizes.size()); ++l)
      if (size(l) != 1 && (known >> names_.of(l) & 1) == 0) return false;
    return true;
  }

  /// As they are called now. A label twice is a diagonal taken of an array, which is not said here.
  std::vector<Label> one_each(std::vector<Label> labels) {
    for (Label& l : labels) l = names_.of(l);
    for (size_t i = 0; i < labels.size(); ++i)
      if (size(labels[i]) != 1 && std::count(labels.begin(), labels.end(), labels[i]) > 1) sound_ = false;
    return labels;
  }

  void loop_over(InstructionId id) { out_.cost += static_cast<double>(s_.elements(id)); }

  /// `shared`: it is computed anyway, for others as well; but what only moves elements costs nothing.
  void expand(InstructionId id, const std::vector<Label>& labels, bool shared) {
    sound_ = sound_ && out_.factors.size() <= kMostFactors && names_.sizes.size() <= kMostLabels &&
             ++looked_ <= kMostLooked;
    if (!sound_) return;
    if (const auto equal = diagonal_of_ones(id))
      return names_.unite(labels[equal->first], labels[equal->second]);
    const bool used_here_alone = !shared && (id == s_.at || s_.has_one_user(id));
    if (may_be_replaced(s_.m, id) && s_.element(id) == s_.element(s_.at)) {
      if (moved(id, labels, !used_here_alone)) return;
      if (used_here_alone && opened(id, labels)) return;
    }
    out_.factors.push_back({id, labels});
  }

  std::optional<std::pair<size_t, size_t>> diagonal_of_ones(InstructionId id) const {
    return s_.is(id, kConvert) ? diagonal(s_, s_.in(id, 0)) : std::nullopt;
  }

  bool opened(InstructionId id, const std::vector<Label>& labels) {
    switch (s_.op(id)) {
      case kDot: return dot(id, labels);
      case kReduce: return sum(id, labels);
      case kMultiply:
        loop_over(id);
        expand(s_.in(id, 0), labels, false);
        expand(s_.in(id, 1), labels, false);
        return true;
      case kSelect: return on_diagonal(id, labels);
      case kGather:
        if (!takes_diagonal(s_, id)) return false;
        loop_over(id);
        expand(s_.in(id, 0), {labels[0], labels[0]}, false);
        return true;
      default: return false;
    }
  }

  bool moved(InstructionId id, const std::vector<Label>& labels, bool shared) {
    std::vector<Label> before;
    if (s_.is(id, kBroadcast)) {
      for (const int64_t d : s_.list(id, AttributeName::kDimensions))
        before.push_back(labels[static_cast<size_t>(d)]);
    } else if (s_.is(id, kTranspose)) {
      before.resize(labels.size());
      const Dims permutation = s_.list(id, AttributeName::kDimensions);
      for (size_t i = 0; i < labels.size(); ++i) before[static_cast<size_t>(permutation[i])] = labels[i];
    } else if (!s_.is(id, kReshape) || !thinned(id, labels, before)) {
      return false;
    }
    expand(s_.in(id, 0), before, shared);
    return true;
  }

  bool dot(InstructionId id, const std::vector<Label>& labels) {
    const InstructionId a = s_.in(id, 0), b = s_.in(id, 1);
    if (s_.element(a) != s_.element(id) || s_.element(b) != s_.element(id)) return false;
    if (s_.m.find(id, AttributeName::kFrontendAttributes) || s_.m.find(id, AttributeName::kBackendConfig))
      return false;
    if (!same_precision(id)) return false;
    const DotDims d = dot_dims(s_, id);
    const Dims sizes = s_.dims(a);
    std::vector<Label> left(s_.rank(a)), right(s_.rank(b));
    size_t next = 0;
    for (size_t i = 0; i < d.left_batch.size(); ++i) {
      left[static_cast<size_t>(d.left_batch[i])] = labels[next];
      right[static_cast<size_t>(d.right_batch[i])] = labels[next++];
    }
    for (const int64_t i : free_dims(left.size(), d.left_batch, d.left_contracting))
      left[static_cast<size_t>(i)] = labels[next++];
    for (const int64_t i : free_dims(right.size(), d.right_batch, d.right_contracting))
      right[static_cast<size_t>(i)] = labels[next++];
    for (size_t i = 0; i < d.left_contracting.size(); ++i) {
      const auto place = static_cast<size_t>(d.left_contracting[i]);
      left[place] = right[static_cast<size_t>(d.right_contracting[i])] = names_.fresh(sizes[place]);
    }
    const auto elements = [&](InstructionId of) { return static_cast<double>(s_.elements(of)); };
    double products = elements(id);
    for (const int64_t i : d.left_contracting) products *= static_cast<double>(sizes[static_cast<size_t>(i)]);
    out_.cost += cost_of_dot(products, elements(a) + elements(b) + elements(id));
    expand(a, left, false);
    expand(b, right, false);
    return true;
  }

  /// As the other dots, and the same of both operands: in another order they have other places.
  bool same_precision(InstructionId id) {
    const std::vector<AttributeValue> precision = precision_of(s_, id);
    if (!equal(precision, precision_of(s_, id, true))) return false;
    if (!has_dot_) out_.precision = precision;
    has_dot_ = true;
    return equal(precision, out_.precision);
  }

  static bool equal(const std::vector<AttributeValue>& some, const std::vector<AttributeValue>& others) {
    return std::ranges::equal(some, others, [](const auto& a, const auto& b) {
      return a.name == b.name && a.numbers == b.numbers;
    });
  }

  bool sum(InstructionId id, const std::vector<Label>& labels) {
    if (s_.arity(id) != 2 || s_.combiner(id) != kAdd || !s_.is_all(s_.in(id, 1), 0)) return false;
    const Dims sizes = s_.dims(s_.in(id, 0)), summed = s_.list(id, AttributeName::kDimensions);
    std::vector<Label> before;
    for (size_t d = 0, next = 0; d < sizes.size(); ++d) {
      const bool is_summed = std::ranges::count(summed, static_cast<int64_t>(d)) > 0;
      before.push_back(is_summed ? names_.fresh(sizes[d]) : labels[next++]);
    }
    loop_over(s_.in(id, 0));
    expand(s_.in(id, 0), before, false);
    return true;
  }

  /// Of a reshape by which only sizes of 1 come or go.
  bool thinned(InstructionId id, const std::vector<Label>& labels, std::vector<Label>& inner) {
    const Dims before = s_.dims(s_.in(id, 0)), after = s_.dims(id);
    std::vector<Label> kept;
    for (size_t i = 0; i < after.size(); ++i)
      if (after[i] != 1) kept.push_back(labels[i]);
    size_t next = 0;
    for (const int64_t size : before) {
      if (size != 1 && (next == kept.size() || names_.sizes[static_cast<size_t>(kept[next])] != size))
        return false;
      inner.push_back(size == 1 ? names_.fresh(1) : kept[next++]);
    }
    return next == kept.size();
  }

  /// What is zero beside a diagonal.
  bool on_diagonal(InstructionId id, const std::vector<Label>& labels) {
    const auto equal = diagonal(s_, s_.in(id, 0));
    if (!equal || !s_.is_all(s_.in(id, 2), 0)) return false;
    loop_over(id);
    names_.unite(labels[equal->first], labels[equal->second]);
    expand(s_.in(id, 1), labels, false);
    return true;
  }

  const Site& s_;
  Names names_;
  SumOfProducts out_;
  size_t looked_ = 0;
  bool sound_ = true, has_dot_ = false;
};

}  // namespace

LabelSet Factor::set() const {
  LabelSet out = 0;
  for (const Label l : labels) out |= LabelSet{1} << l;
  return out;
}

double SumOfProducts::elements(LabelSet set) const {
  double out = 1;
  for (size_t l = 0; l < sizes.size(); ++l)
    if ((set >> l & 1) != 0) out *= static_cast<double>(sizes[l]);
  return out;
}

double cost_of_dot(double products, double elements) {
  constexpr double kAtOnce = 8, kCall = 500;
  return kCall + products / kAtOnce + elements;
}

std::optional<SumOfProducts> sum_of_products(const Site& s) {
  if (!s.is_static(s.at) || s.elements(s.at) == 0 || !is_wide(s, s.at)) return std::nullopt;
  if (!s.is_floating(s.at) && !s.is_integral(s.at)) return std::nullopt;
  return Reader(s).read();
}

}  // namespace isomer::passes
