#include "eval/fold_check.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <unordered_map>

#include "eval/float_domain.h"
#include "eval/outcome.h"
#include "eval/sampler.h"
#include "ir/constant_data.h"
#include "meaning/flatten.h"
#include "support/rng.h"

namespace isomer::eval {
namespace {

using ir::ValueId;

/// What the value needs, with it as output. Takes as long as that is large, not as the graph is.
ir::Graph only(const ir::Graph& graph, ValueId wanted) {
  std::set<uint32_t> needed;
  std::vector<ValueId> open{wanted};
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    if (!needed.insert(v.v).second) continue;
    for (ValueId o : graph.operands(v)) open.push_back(o);
  }
  ir::Builder builder(graph.context(), graph.title());
  std::unordered_map<uint32_t, ValueId> map;
  std::vector<ValueId> operands;
  for (uint32_t i : needed) {  // operands come first
    const ValueId v(i);
    if (graph.def(v).is(ir::Core::kInput)) {
      map[i] = builder.input(graph.name(v), graph.type_id(v));
      continue;
    }
    operands.clear();
    for (ValueId o : graph.operands(v)) operands.push_back(map.at(o.v));
    map[i] = builder.add_typed(graph.op(v), graph.payload(v), operands, graph.type_id(v));
    builder.set_name(map[i], graph.name(v));
  }
  return builder.finish({map.at(wanted.v)});
}

double rounding_of(ir::DType dtype) { return std::min(2 * ir::spacing_at_one(dtype), 0.25); }

/// The difference in words; empty when they agree. `scale`: the largest sampled element.
std::string difference(ir::DType dtype, double expected, double found, double scale) {
  expected = ir::round_to(dtype, expected);
  if (std::isnan(expected) && std::isnan(found)) return {};
  if (expected == found) return {};
  // Sums in another order: far below the rounding of float32, and relative to the terms, not to a sum that
  // cancels.
  const double allowed = 2 * rounding_of(dtype) * std::abs(expected) + 1e-7 * scale;
  if (std::abs(expected - found) <= allowed) return {};
  return fmt::format("{} instead of {}", found, expected);
}

class Checker {
 public:
  explicit Checker(const FoldCheckOptions& options) : options_(options), rng_(options.seed) {}

  /// False when the budget or the domain ends first.
  bool check(const ir::Graph& before, ValueId root, const ir::Constant& constant, std::string& wrong) {
    const ir::Graph flat = meaning::flatten(only(before, root)).graph;
    const ValueId output = flat.outputs()[0];
    const ir::Type& type = flat.type(output);
    const int64_t count = ir::element_count(type.shape);
    if (count == 0) return true;
    const auto refuse = [&](ValueId v) { throw InputError(meaning::describe(flat, v) + ": not a constant"); };
    Float64 domain;
    Sampler<Float64> sampler(domain, flat,
                             {[&](ValueId v, size_t, int64_t) -> double {
                                refuse(v);
                                return 0;
                              },
                              [&](ValueId v, size_t, int64_t) -> int64_t {
                                refuse(v);
                                return 0;
                              }});
    sampler.set_budget(options_.budget);
    std::vector<int64_t> places{0, count - 1};
    while (places.size() < static_cast<size_t>(options_.samples))
      places.push_back(static_cast<int64_t>(rng_.below(static_cast<uint64_t>(count))));
    return bool(outcome_of<Ended::kOutOfBounds, Ended::kBudget, Ended::kNoMeaning>([&] {
      std::vector<double> expected, found;
      double scale = 0;
      for (int64_t at : places) {
        if (ir::is_integer(type.dtype)) {
          const int64_t want = ir::wrap_to(type.dtype, sampler.integer(output, at));
          const int64_t have = ir::load_integer(type.dtype, constant.bytes(), at);
          if (want != have) wrong = fmt::format("element {}: {} instead of {}", at, have, want);
          continue;
        }
        expected.push_back(sampler.number(output, at));
        found.push_back(ir::load_number(type.dtype, constant.bytes(), at));
        if (std::isfinite(expected.back())) scale = std::max(scale, std::abs(expected.back()));
      }
      for (size_t i = 0; i < expected.size() && wrong.empty(); ++i)
        if (const std::string d = difference(type.dtype, expected[i], found[i], scale); !d.empty())
          wrong = fmt::format("element {}: {}", places[i], d);
    }));
  }

 private:
  const FoldCheckOptions& options_;
  Rng rng_;
};

}  // namespace

FoldCheck check_fold(const ir::Graph& before, const Folded& after, const FoldCheckOptions& options) {
  FoldCheck out;
  Checker checker(options);
  for (const auto& [root, id] : after.constants) {
    std::string wrong;
    if (options.until.passed() || !checker.check(before, root, before.context().get(id), wrong)) {
      ++out.unchecked;
      continue;
    }
    ++out.checked;
    if (!wrong.empty()) {
      out.wrong = fmt::format("{}: {}", meaning::describe(before, root), wrong);
      break;
    }
  }
  return out;
}

}  // namespace isomer::eval
