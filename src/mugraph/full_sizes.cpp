#include "mugraph/full_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "eval/field.h"
#include "eval/outcome.h"
#include "eval/sampler.h"
#include "ir/op_table.h"
#include "meaning/flatten.h"
#include "mugraph/lower.h"
#include "mugraph/sampled_run.h"
#include "support/hash.h"
#include "verify/degree.h"
#include "verify/equivalence.h"
#include "verify/random_leaves.h"

namespace isomer::mugraph {
namespace {

constexpr double kLongWork = 1e9;  ///< of a whole run, from which one test has to do

/// One random test at some elements.
template <class D>
class Elements {
 public:
  using Number = typename D::Number;
  using Input = std::function<Number(size_t input, int64_t element)>;

  Elements(D& domain, const MuGraph& graph, const ir::Graph& flat, const Input& input, double work,
           const StopToken& stop)
      : flat_(flat),
        graph_(graph),
        program_(domain, flat,
                 {[this, input, stop](ir::ValueId v, size_t, int64_t at) {
                    if (stop.requested()) throw eval::SampleBudgetSpent();
                    const auto leaf = std::ranges::find(flat_.inputs(), v) - flat_.inputs().begin();
                    return input(static_cast<size_t>(leaf), at);
                  },
                  {}}),
        run_(
            domain, graph,
            [input, stop](size_t i, int64_t at) {
              if (stop.requested()) throw eval::SampleBudgetSpent();
              return input(i, at);
            },
            work) {
    program_.set_budget(static_cast<uint64_t>(work / kStepsOfASample));
  }
  Elements(const Elements&) = delete;

  Number should(size_t output, int64_t at) { return program_.number(flat_.outputs()[output], at); }
  Number is(size_t output, int64_t at) { return run_.element(graph_.outputs[output], at); }

 private:
  const ir::Graph& flat_;
  const MuGraph& graph_;
  eval::Sampler<D> program_;
  SampledRun<D> run_;
};

std::vector<int64_t> places_of(const MuGraph& graph, size_t output, const FullSizesOptions& options,
                               uint64_t seed) {
  std::vector<int64_t> out;
  if (output < options.places.size()) out = options.places[output];
  if (options.samples == 0) return out;
  for (int64_t at :
       sampled_places(graph.values[graph.outputs[output]], options.samples, hash_combine(seed, output)))
    if (std::ranges::find(out, at) == out.end()) out.push_back(at);
  return out;
}

FullSizes whole_floats(const MuGraph& graph, const ir::Graph& program, const FullSizesOptions& options) {
  verify::EquivalenceOptions how;
  how.seed = options.seed;
  how.field = false;
  how.float_tests = 2;
  how.tolerance = options.tolerance;
  how.full_float_work = options.whole_work;
  ir::Context& ctx = program.context();
  const verify::Verdict v = verify::check_equivalent(program, lower(ctx, graph), how);
  FullSizes out;
  out.whole = true;
  out.max_relative_error = v.max_relative_error;
  if (v.kind == verify::VerdictKind::kRefuted) {
    out.outcome = FullSizes::Outcome::kDiffers;
    out.text = "full shape: " + v.counterexample;
  } else if (v.kind == verify::VerdictKind::kUnknown) {
    out.text = "full shape not run: " + v.note;
  } else {
    out.outcome = FullSizes::Outcome::kAgrees;
    for (uint32_t o : graph.outputs) out.elements += element_count(graph.values[o]);
  }
  return out;
}

/// Whether all elements of one output agree; `out` says what is known.
bool output_agrees(Elements<eval::Float64>& elements, const MuGraph& graph, size_t o,
                   const std::vector<int64_t>& at, double tolerance, const std::string& test, FullSizes& out,
                   bool& finite) {
  std::vector<double> is, should;
  double scale = 0;
  for (int64_t place : at) {
    should.push_back(elements.should(o, place));
    is.push_back(elements.is(o, place));
    for (double x : {is.back(), should.back()})
      if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
  }
  for (size_t i = 0; i < at.size(); ++i) {
    if (!verify::agree(is[i], should[i], tolerance, scale)) {
      out.outcome = FullSizes::Outcome::kDiffers;
      out.text = fmt::format("full shape: output {} at {}: {} against {} ({})", o,
                             place(graph.values[graph.outputs[o]], at[i]), should[i], is[i], test);
      return false;
    }
    ++out.elements;
    if (!std::isfinite(is[i])) continue;
    finite = true;
    if (scale > 0)
      out.max_relative_error = std::max(out.max_relative_error, std::abs(is[i] - should[i]) / scale);
  }
  return true;
}

}  // namespace

std::string place(const Sizes& sizes, int64_t element) {
  std::vector<int64_t> at(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    at[d] = element % sizes[d];
    element /= sizes[d];
  }
  return fmt::format("[{}]", fmt::join(at, ","));
}

double whole_work(const MuGraph& graph, const ir::Graph& program) {
  return verify::larger_float_work(program, lower(program.context(), graph));
}

FullSizes in_floats(const MuGraph& graph, const ir::Graph& program, const FullSizesOptions& options,
                    const StopToken& stop) {
  const double work = whole_work(graph, program);
  if (work <= options.whole_work) return whole_floats(graph, program, options);
  const ir::Graph flat = meaning::flatten(program).graph;
  FullSizes out;
  bool finite = false;
  const auto run = eval::outcome_of([&] {
    for (int test = 0; test < (work > kLongWork ? 1 : options.tests); ++test) {
      const bool positive = test == 1;
      const verify::Draw draw{hash_combine(options.seed, positive ? 12 : 11),
                              positive ? verify::Floats::kPositive : verify::Floats::kSigned};
      std::vector<verify::DrawnLeaf> leaves;
      for (size_t i = 0; i < flat.inputs().size(); ++i)
        leaves.emplace_back(draw, flat.type(flat.inputs()[i]).dtype, verify::input_leaf(i), 0);
      const auto input = [&](size_t i, int64_t at) { return leaves[i](at); };
      eval::Float64 domain;
      Elements<eval::Float64> elements(domain, graph, flat, input, options.work, stop);
      const std::string name = fmt::format("seed {}, {} inputs", draw.seed, positive ? "positive" : "signed");
      for (size_t o = 0; o < graph.outputs.size(); ++o)
        if (!output_agrees(elements, graph, o, places_of(graph, o, options, draw.seed), options.tolerance,
                           name, out, finite))
          return false;
    }
    return true;
  });
  if (run && !*run) return out;
  if (!run && stop.requested()) return {FullSizes::Outcome::kStopped, {}, 0, 0, false};
  if (!run && !finite)
    out.text = "full shape not run: " + run.why;
  else if (finite)
    out.outcome = FullSizes::Outcome::kAgrees;
  else
    out.text = "full shape: no finite element to compare";
  return out;
}

FullSizes in_field(const MuGraph& graph, const ir::Graph& program, const FullSizesOptions& options,
                   const StopToken& stop) {
  const ir::Graph flat = meaning::flatten(program).graph;
  FullSizes out;
  const uint64_t seed = hash_combine(options.seed, 13);
  eval::PrimeField field(seed);
  const auto input = [&](size_t i, int64_t at) {
    return eval::PrimeField::from_hash(hash_combine(hash_combine(seed, i), static_cast<uint64_t>(at)));
  };
  const auto run = eval::outcome_of([&] {
    Elements<eval::PrimeField> elements(field, graph, flat, input, options.work, stop);
    for (size_t o = 0; o < graph.outputs.size(); ++o)
      for (int64_t at : places_of(graph, o, options, seed)) {
        const bool same = elements.should(o, at).p == elements.is(o, at).p;
        if (field.divided_by_zero()) {
          out.text = "full shape over the field: a division by zero";
          return false;
        }
        ++out.elements;
        if (same) continue;
        out.outcome = FullSizes::Outcome::kDiffers;
        out.text = fmt::format("full shape: output {} at {} over the field", o,
                               place(graph.values[graph.outputs[o]], at));
        break;
      }
    return true;
  });
  if (run && !*run) return out;
  if (!run && stop.requested()) return {FullSizes::Outcome::kStopped, {}, 0, 0, false};
  if (!run) {
    out.text = "full shape not run over the field: " + run.why;
    return out;
  }
  constexpr auto bit = [](ir::ScalarOp op) { return uint64_t{1} << static_cast<int>(op); };
  if ((field.inexact() & ~(bit(ir::ScalarOp::kExp) | bit(ir::ScalarOp::kSqrt))) != 0) {
    out.outcome = FullSizes::Outcome::kNothing;
    out.text = "full shape not compared over the field: it has functions without a meaning there";
  } else if (out.outcome != FullSizes::Outcome::kDiffers) {
    out.outcome = FullSizes::Outcome::kAgrees;
  }
  return out;
}

}  // namespace isomer::mugraph
