#include "verify/rounded.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "eval/evaluation_cut.h"
#include "eval/flatten.h"
#include "eval/float64.h"
#include "eval/interpreter.h"
#include "eval/sampler.h"
#include "support/errors.h"
#include "verify/degree.h"
#include "verify/random_leaves.h"

namespace isomer::verify {
namespace {

using Values = std::vector<eval::Value<double>>;

constexpr int kTests = 48;
constexpr double kOfItself = 0.25, kOfUsual = 0.05;

bool coarse(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::Type& type = graph.type(ir::ValueId(i));
    if (type.is_tensor() && (type.dtype == ir::DType::kF16 || type.dtype == ir::DType::kBF16)) return true;
  }
  return false;
}

class Rounded {
 public:
  Rounded(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options)
      : a_(eval::flatten(a).graph),
        b_(eval::flatten(b).graph),
        options_(options),
        thresholds_(thresholds_of(a, b)),
        ranges_(index_ranges(a)) {}

  std::string run() {
    if (std::max(analyse(a_).float_work, analyse(b_).float_work) * kTests > options_.full_float_work)
      return {};
    for (int test = 0; test < kTests; ++test) {
      const Floats how = test % 2 == 1 ? Floats::kLarge : floats_of(test / 2);
      const Draw draw{hash_combine(hash_combine(options_.seed, 3), static_cast<uint64_t>(test)),
                      how,
                      0,
                      2,
                      Integers::kRange,
                      ranges_,
                      thresholds_};
      const Values inputs = drawn(draw);
      const Values x = evaluated(a_, inputs), y = evaluated(b_, inputs);
      for (size_t o = 0; o < x.size(); ++o) {
        if (!x[o].tensor || !y[o].tensor || x[o].tensor->numbers.size() != y[o].tensor->numbers.size())
          continue;
        if (std::string what = compare(x[o].tensor->numbers, y[o].tensor->numbers, o, how); !what.empty())
          return fmt::format("output {}{} ({} inputs)", o, what, name_of(how));
      }
    }
    return {};
  }

 private:
  Values drawn(const Draw& draw) const {
    Values out;
    for (size_t i = 0; i < a_.inputs().size(); ++i) {
      const ir::Type& type = a_.type(a_.inputs()[i]);
      if (!type.is_static_tensor()) throw InputError("not static");
      eval::Tensor<double> tensor{type.dtype, ir::sizes(type.shape), {}, {}};
      const int64_t count = tensor.count();
      for (int64_t e = 0; e < count; ++e) {
        if (eval::sort_of(type.dtype) == eval::Sort::kInteger) {
          tensor.integers.push_back(draw.integer(type.dtype, input_leaf(i), 0, e));
        } else {
          double x = 0;
          draw.number(type.dtype, input_leaf(i), 0, e, x);
          tensor.numbers.push_back(x);
        }
      }
      out.push_back(eval::make_value(std::move(tensor)));
    }
    return out;
  }

  Values evaluated(const ir::Graph& graph, const Values& inputs) const {
    eval::Float64 domain;
    eval::EvalOptions<eval::Float64> options;
    options.round_results = true;
    options.until = options_.until;
    return eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs), options);
  }

  std::string compare(const std::vector<double>& x, const std::vector<double>& y, size_t output, Floats how) {
    const bool ordinary = how == Floats::kSigned || how == Floats::kPositive || how == Floats::kCoarse;
    usual_.resize(std::max(usual_.size(), output + 1));
    if (ordinary)
      for (double v : x)
        if (std::isfinite(v)) usual_[output] = std::max(usual_[output], std::abs(v));
    for (size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i])) continue;
      const double gap = std::abs(x[i] - y[i]);
      const bool lost = !std::isfinite(y[i]);
      const bool off = ordinary && gap > kOfItself * std::max(std::abs(x[i]), std::abs(y[i])) &&
                       gap > kOfUsual * usual_[output];
      if (lost || off) return fmt::format(" at element {}: {} against {}", i, x[i], y[i]);
    }
    return {};
  }

  ir::Graph a_, b_;
  const EquivalenceOptions& options_;
  std::vector<double> thresholds_;
  std::vector<LeafRange> ranges_;
  std::vector<double> usual_;  // of each output, on ordinary inputs
};

}  // namespace

std::string difference_when_rounded(const ir::Graph& a, const ir::Graph& b,
                                    const EquivalenceOptions& options) {
  if (!coarse(a) && !coarse(b)) return {};
  try {
    return Rounded(a, b, options).run();
  } catch (const InputError&) {  // no meaning, no static shape, an index out of range
    return {};
  } catch (const eval::EvaluationCut&) {
    return {};
  }
}

}  // namespace isomer::verify
