#include "verify/where.h"

#include <algorithm>
#include <unordered_map>

#include "eval/float_domain.h"
#include "eval/outcome.h"
#include "ir/dag_hash.h"
#include "ir/graph_copy.h"
#include "meaning/flatten.h"
#include "verify/degree.h"
#include "verify/parting.h"
#include "verify/program_outputs.h"

namespace isomer::verify {
namespace {

using ir::ValueId;

/// The same graph with other outputs.
ir::Graph with_outputs(const ir::Graph& graph, const std::vector<ValueId>& wanted) {
  ir::Builder builder(graph.context(), graph.title());
  ir::GraphCopy copy(builder, graph);
  copy.inputs();
  copy.rest();
  std::vector<ValueId> outputs;
  for (ValueId v : wanted) outputs.push_back(copy[v]);
  return ir::prune(builder.finish(std::move(outputs)));
}

/// Largest difference, relative to the largest element; infinite for what is not comparable.
double distance(const OutputElements<double>& a, const OutputElements<double>& b) {
  if (a.integers != b.integers) return 1;
  double scale = 0, gap = 0;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    const double x = a.numbers[i], y = b.numbers[i];
    if (std::isnan(x) != std::isnan(y) || std::isinf(x) != std::isinf(y)) return 1;
    if (!std::isfinite(x)) continue;
    scale = std::max({scale, std::abs(x), std::abs(y)});
    gap = std::max(gap, std::abs(x - y));
  }
  return scale > 0 ? gap / scale : 0;
}

/// The largest distance between each of `ask_a` in `a` and its partner in `ask_b` over the float tests, the
/// integers drawn from ever smaller ranges until no example is refused; nothing where they cannot be
/// computed.
std::optional<std::vector<double>> errors_of(const ir::Graph& a, const std::vector<ValueId>& ask_a,
                                             const ir::Graph& b, const std::vector<ValueId>& ask_b,
                                             const EquivalenceOptions& options) {
  const ir::Graph flat_a = meaning::flatten(with_outputs(a, ask_a)).graph;
  const ir::Graph flat_b = meaning::flatten(with_outputs(b, ask_b)).graph;
  const double work = std::max(analyse(flat_a).float_work, analyse(flat_b).float_work);
  OutputRequest request{.whole = work <= options.full_float_work,
                        .samples = options.samples,
                        .sample_seed = options.seed,
                        .budget = options.sample_budget,
                        .until = options.until};
  std::vector<double> errors(ask_a.size());
  const std::vector<double> thresholds = thresholds_of(a, b);
  constexpr int64_t kWide = 1 << 20;
  for (const auto& [low, high] :
       {std::pair{-kWide, kWide}, {int64_t{0}, int64_t{8}}, {0, 3}, {0, 2}, {0, 1}}) {
    const auto all = eval::outcome_of([&] {
      for (int test = 0; test < options.float_tests; ++test) {
        // The draws of check_equivalent.
        const Draw draw{hash_combine(hash_combine(options.seed, 2), static_cast<uint64_t>(test)),
                        floats_of(test),
                        low,
                        high,
                        Integers::kRange,
                        {},
                        thresholds};
        eval::Float64 domain;
        TestLeaves<double> leaves;
        const auto x = program_outputs(domain, flat_a, draw, leaves, request);
        const auto y = program_outputs(domain, flat_b, draw, leaves, request);
        for (size_t i = 0; i < errors.size(); ++i) errors[i] = std::max(errors[i], distance(x[i], y[i]));
      }
    });
    if (all) return errors;
    if (all.ended == eval::Ended::kTime) return std::nullopt;
    std::ranges::fill(errors, 0.0);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Place> where_apart(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options) {
  std::vector<Standing> standing(a.size(), Standing::kUnpaired);
  std::vector<ValueId> partner(a.size());
  const auto left = ir::term_hashes(a), right = ir::term_hashes(b);
  std::unordered_map<uint64_t, ValueId> terms;
  std::unordered_map<std::string, ValueId> names;
  for (size_t i = 0; i < b.size(); ++i) {
    terms.emplace(right[i], ValueId(i));
    if (!b.name(ValueId(i)).empty()) names.emplace(b.name(ValueId(i)), ValueId(i));
  }
  std::vector<ValueId> ask_a, ask_b;
  std::vector<bool> asked(a.size());
  const auto ask = [&](ValueId v, ValueId w) {
    if (asked[v.index()] || a.type_id(v) != b.type_id(w) || !a.type(v).is_static_tensor()) return;
    asked[v.index()] = true;
    partner[v.index()] = w;
    ask_a.push_back(v);
    ask_b.push_back(w);
  };
  for (size_t o = 0; o < std::min(a.outputs().size(), b.outputs().size()); ++o)
    ask(a.outputs()[o], b.outputs()[o]);
  for (size_t i = 0; i < a.size(); ++i) {
    const ValueId v(i);
    if (a.operands(v).empty() || terms.contains(left[i]))
      standing[i] = Standing::kEqual;
    else if (const auto it = names.find(a.name(v)); it != names.end() && !a.name(v).empty())
      ask(v, it->second);
  }
  const auto found = errors_of(a, ask_a, b, ask_b, options);
  if (!found) return std::nullopt;
  std::vector<double> errors(a.size());
  for (size_t k = 0; k < ask_a.size(); ++k) {
    errors[ask_a[k].index()] = (*found)[k];
    standing[ask_a[k].index()] = (*found)[k] > options.tolerance ? Standing::kDiffers : Standing::kEqual;
  }

  std::vector<std::vector<uint32_t>> operands(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    for (ValueId o : a.operands(ValueId(i))) operands[i].push_back(o.v);
  for (ValueId o : a.outputs()) {
    const auto parting = find_parting(operands, standing, o.v);
    if (!parting) continue;
    Place place{ValueId(size_t{parting->value}), partner[parting->value], errors[parting->value], {}};
    for (uint32_t v : parting->from)
      if (!a.def(ValueId(size_t{v})).is(ir::Core::kConstant)) place.from.emplace_back(size_t{v});
    return place;
  }
  return std::nullopt;
}

}  // namespace isomer::verify
