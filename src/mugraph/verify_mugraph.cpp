#include "mugraph/verify_mugraph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "eval/field.h"
#include "eval/flatten.h"
#include "eval/interpreter.h"
#include "eval/nest.h"
#include "eval/sampler.h"
#include "ir/op_table.h"
#include "mugraph/interpret.h"
#include "mugraph/lower.h"
#include "mugraph/sampled_run.h"
#include "mugraph/shrink.h"
#include "mugraph/spec.h"
#include "support/errors.h"
#include "support/hash.h"
#include "verify/degree.h"
#include "verify/equivalence.h"
#include "verify/function_names.h"
#include "verify/random_leaves.h"

namespace isomer::mugraph {
namespace {

using eval::FieldValue;
using eval::PrimeField;
using ir::ScalarOp;

using Tensor = eval::Tensor<FieldValue>;

std::vector<Tensor> random_inputs(const std::vector<Sizes>& sizes, uint64_t seed) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Tensor t{ir::DType::kF32, sizes[i], {}, {}};
    t.numbers.resize(static_cast<size_t>(t.count()));
    for (size_t n = 0; n < t.numbers.size(); ++n)
      t.numbers[n] = PrimeField::from_hash(hash_combine(hash_combine(seed, i), n));
    out.push_back(std::move(t));
  }
  return out;
}

std::vector<Tensor> run(PrimeField& field, const ir::Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<eval::Value<FieldValue>> in;
  for (const Tensor& t : inputs) in.push_back(eval::make_value(t));
  std::vector<Tensor> out;
  for (const auto& v : eval::evaluate<PrimeField>(field, graph, in)) out.push_back(*v.tensor);
  return out;
}

std::string place(const Sizes& sizes, size_t linear) {
  std::vector<size_t> at(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    at[d] = linear % static_cast<size_t>(sizes[d]);
    linear /= static_cast<size_t>(sizes[d]);
  }
  return fmt::format("[{}]", fmt::join(at, ","));
}

/// Which scalar operators a program uses, and how many exponentials meet in one sum.
struct Facts {
  bool exponentials = false;
  double terms = 1;  ///< largest reduction over something with exponentials
  double square_roots = 0;
};

Facts facts_of(const ir::Graph& flat) {
  Facts out;
  std::vector<bool> has(flat.size());
  for (size_t i = 0; i < flat.size(); ++i) {
    const ir::ValueId v(i);
    std::vector<ir::TypeId> types;
    for (ir::ValueId o : flat.operands(v)) {
      types.push_back(flat.type_id(o));
      has[i] = has[i] || has[o.index()];
    }
    if (flat.def(v).nests == nullptr) continue;
    const ir::OpInstance instance(flat.context(), flat.def(v), flat.attrs(v), types, flat.type_id(v));
    for (const auto& nest : eval::compile_nests(instance, eval::describe(flat, v))) {
      for (const auto& in : nest.result.code) {
        if (in.op == ScalarOp::kExp) has[i] = out.exponentials = true;
        if (in.op == ScalarOp::kSqrt) out.square_roots += static_cast<double>(nest.outputs);
      }
      if (has[i]) out.terms = std::max({out.terms, static_cast<double>(nest.reductions), 2.0});
    }
  }
  return out;
}

/// An element that is sampled takes about as long as so many steps of a product of tiles.
constexpr double kStepsOfASample = 40;
constexpr double kLongWork = 1e9;  ///< of a whole run, from which one test has to do

constexpr uint64_t bit(ScalarOp op) { return uint64_t{1} << static_cast<int>(op); }

class Verifier {
 public:
  Verifier(const MuGraph& graph, const Program& program, const MuVerifyOptions& options)
      : graph_(graph), program_(program), options_(options) {}

  MuVerdict run() {
    out_.verdict.method = "specification";
    if (auto bad = check_spec(graph_); !bad.empty()) return refuted(bad);
    const auto extents = program_.match(std::span(graph_.values).first(graph_.inputs));
    if (!extents) return refuted(fmt::format("inputs of other shapes than program {} has", program_.name));
    out_.extents = *extents;
    const ir::Graph full = program_.graph(ctx_, *extents);
    if (!same_outputs(full)) return out_;
    for (const ShrinkParts& parts : shrinkings()) {
      if (parts.wider && out_.tests > 0) continue;
      const auto small = shrink(graph_, program_, *extents, parts);
      if (small && !field_agrees(*small, out_.tests == 0)) return out_;
    }
    if (out_.tests == 0) out_.verdict.note = "no small sizes at which all tiles stay above 1";
    if (options_.floats && !floats_agree(full)) return out_;
    if (out_.tests == 0) {
      if (!out_.verdict.method.starts_with("floats")) return out_;
      out_.verdict.kind = verify::VerdictKind::kTested;
      return out_;
    }
    if (out_.verdict.log2_error > options_.log2_error)
      out_.verdict.note =
          fmt::format("the bound is 2^{:.1f} after {} tests", out_.verdict.log2_error, out_.tests);
    // Exponentials and roots keep their laws in the field.
    constexpr uint64_t kLawful = bit(ScalarOp::kExp) | bit(ScalarOp::kSqrt);
    out_.verdict.uninterpreted = verify::function_names(inexact_ & ~kLawful);
    out_.verdict.kind = verify::VerdictKind::kProved;
    return out_;
  }

 private:
  /// Where a later kernel cuts what the blocks of an earlier one wrote side by side, two blocks are too few:
  /// then one grid dimension has four.
  std::vector<ShrinkParts> shrinkings() const {
    std::vector<ShrinkParts> out = {{2, 2, {}}};
    for (size_t k = 0; k < graph_.nodes.size(); ++k)
      for (size_t d = 0; graph_.nodes[k].block && d < 3; ++d)
        if (graph_.nodes[k].block->grid[d] > 2) out.push_back({2, 2, std::pair{k, d}});
    out.push_back({3, 2, {}});
    out.push_back({2, 3, {}});
    return out;
  }

  MuVerdict refuted(std::string why) {
    out_.verdict.kind = verify::VerdictKind::kRefuted;
    out_.verdict.counterexample = std::move(why);
    return out_;
  }

  bool same_outputs(const ir::Graph& full) {
    if (graph_.outputs.size() != full.outputs().size()) {
      refuted(fmt::format("{} outputs, the program has {}", graph_.outputs.size(), full.outputs().size()));
      return false;
    }
    for (size_t o = 0; o < graph_.outputs.size(); ++o) {
      const Sizes is = graph_.values[graph_.outputs[o]],
                  should = ir::sizes(full.type(full.outputs()[o]).shape);
      if (is == should) continue;
      refuted(fmt::format("output {}: [{}], the program has [{}]", o, fmt::join(is, ","),
                          fmt::join(should, ",")));
      return false;
    }
    return true;
  }

  /// All tests at one reduced shape; of the further shapes three are enough, the bound is that of the first.
  bool field_agrees(const Shrunken& small, bool first) {
    out_.verdict.method = "field";
    const ir::Graph wanted = eval::flatten(program_.graph(ctx_, small.extents)).graph;
    const ir::Graph plain = eval::flatten(lower(ctx_, small.graph)).graph;
    int tests = 3;
    if (first) {
      out_.reduced = small.extents;
      // What a test may overlook is the difference of the two.
      Facts facts = facts_of(wanted);
      const Facts of_graph = facts_of(plain);
      facts.exponentials = facts.exponentials || of_graph.exponentials;
      facts.terms = std::max(facts.terms, of_graph.terms);
      const double degree =
          std::max(verify::analyse(wanted).log2_degree, verify::analyse(plain).log2_degree) + 1;
      out_.exponential_terms = facts.exponentials ? facts.terms : 0;
      const double each = log2_test_error(degree, out_.exponential_terms, facts.square_roots);
      tests = each >= 0 ? options_.max_tests
                        : std::clamp(static_cast<int>(std::ceil(options_.log2_error / each)), 2,
                                     options_.max_tests);
      out_.verdict.log2_error = std::min(0.0, tests * each);
    }
    const auto sizes = program_.input_sizes(small.extents);
    for (int t = 0; t < tests; ++t) {
      const uint64_t seed =
          hash_combine(hash_combine(options_.seed, first ? 0 : 1), static_cast<uint64_t>(t));
      PrimeField field(seed);
      const auto inputs = random_inputs(sizes, seed);
      const auto expected = mugraph::run(field, wanted, inputs);
      inexact_ |= field.inexact();
      // By grid and loop first; from then on as a plain graph, which is quicker. Both must agree.
      if (t == 0 &&
          !equal(interpret(field, small.graph, std::span<const Tensor>(inputs)), expected, small.extents))
        return false;
      if (!equal(mugraph::run(field, plain, inputs), expected, small.extents)) return false;
      ++out_.tests;
    }
    return true;
  }

  bool equal(const std::vector<Tensor>& is, const std::vector<Tensor>& should, const Extents& at) {
    for (size_t o = 0; o < should.size(); ++o)
      for (size_t i = 0; i < should[o].numbers.size(); ++i) {
        if (is[o].numbers.size() == should[o].numbers.size() &&
            is[o].numbers[i].p == should[o].numbers[i].p) {
          ++out_.verdict.elements_compared;
          continue;
        }
        std::vector<std::string> sizes;
        for (const auto& [name, size] : at) sizes.push_back(fmt::format("{}={}", name, size));
        refuted(fmt::format("output {} differs at {} over the field ({})", o, place(should[o].sizes, i),
                            fmt::join(sizes, " ")));
        return false;
      }
    return true;
  }

  /// At full shape.
  bool floats_agree(const ir::Graph& full) {
    const ir::Graph plain = lower(ctx_, graph_), flat = eval::flatten(full).graph;
    const double work =
        std::max(verify::analyse(flat).float_work, verify::analyse(eval::flatten(plain).graph).float_work);
    if (work > options_.full_float_work) return sampled_floats_agree(flat, work > kLongWork ? 1 : 2);
    verify::EquivalenceOptions options;
    options.seed = options_.seed;
    options.field = false;
    options.float_tests = 2;
    options.tolerance = options_.tolerance;
    options.full_float_work = options_.full_float_work;
    const verify::Verdict floats = verify::check_equivalent(full, plain, options);
    verify::Verdict& v = out_.verdict;
    if (floats.kind == verify::VerdictKind::kRefuted) {
      v.method = "floats";
      refuted("full shape: " + floats.counterexample);
      return false;
    }
    if (floats.kind == verify::VerdictKind::kUnknown) {
      v.note = "full shape not run: " + floats.note;
      return true;
    }
    v.max_relative_error = floats.max_relative_error;
    v.method = out_.tests == 0 ? "floats" : "field, floats";
    return true;
  }

  /// Signed inputs, then positive ones.
  bool sampled_floats_agree(const ir::Graph& flat, int tests) {
    verify::Verdict& v = out_.verdict;
    double worst = 0;
    bool finite = false;
    try {
      for (int test = 0; test < tests; ++test) {
        const bool positive = test == 1;
        const verify::Draw draw{hash_combine(options_.seed, positive ? 12 : 11), positive};
        const auto input = [&](size_t i, int64_t at) {
          double x = 0;
          draw.number(verify::input_leaf(i), 0, at, x);
          return x;
        };
        eval::Float64 domain;
        const auto leaf = [&](ir::ValueId value, size_t, int64_t at) {
          return input(static_cast<size_t>(std::ranges::find(flat.inputs(), value) - flat.inputs().begin()),
                       at);
        };
        eval::Sampler<eval::Float64> program(domain, flat, {leaf, {}});
        program.set_budget(static_cast<uint64_t>(options_.sample_work / kStepsOfASample));
        SampledRun<eval::Float64> run(domain, graph_, input, options_.sample_work);
        for (size_t o = 0; o < graph_.outputs.size(); ++o) {
          const Sizes& sizes = graph_.values[graph_.outputs[o]];
          std::vector<double> is, should;
          const auto at = sampled_places(sizes, options_.samples, hash_combine(draw.seed, o));
          double scale = 0;
          for (int64_t place : at) {
            should.push_back(program.number(flat.outputs()[o], place));
            is.push_back(run.element(graph_.outputs[o], place));
            for (double x : {is.back(), should.back()})
              if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
          }
          for (size_t i = 0; i < at.size(); ++i) {
            if (!verify::agree(is[i], should[i], options_.tolerance, scale)) {
              v.method = "floats";
              refuted(fmt::format("full shape: output {} at {}: {} against {} (seed {}, {} inputs)", o,
                                  place(sizes, static_cast<size_t>(at[i])), should[i], is[i], draw.seed,
                                  positive ? "positive" : "signed"));
              return false;
            }
            if (!std::isfinite(is[i])) continue;
            finite = true;
            if (scale > 0) worst = std::max(worst, std::abs(is[i] - should[i]) / scale);
          }
        }
      }
    } catch (const InputError& e) {  // the budget, too
      if (!finite) {
        v.note = std::string("full shape not run: ") + e.what();
        return true;
      }
    }
    if (!finite) {
      v.note = "full shape: no finite element to compare";
      return true;
    }
    v.max_relative_error = worst;
    v.method = out_.tests == 0 ? "floats" : "field, floats";
    return true;
  }

  const MuGraph& graph_;
  const Program& program_;
  const MuVerifyOptions& options_;
  ir::Context ctx_{ir::standard_ops()};
  MuVerdict out_;
  uint64_t inexact_ = 0;  ///< what the program's values went through
};

}  // namespace

double log2_test_error(double log2_degree, double k, double square_roots) {
  constexpr double kLog2Q = 60;
  const double degree = log2_degree + 2 * square_roots;
  if (k <= 0) return degree - kLog2Q;
  const double first = 3 + degree + 4 * std::log2(k) - kLog2Q, second = -kLog2Q / (k * k);
  return std::log2(std::exp2(first) + std::exp2(second));
}

MuVerdict verify_mugraph(const MuGraph& graph, const Program& program, const MuVerifyOptions& options) {
  return Verifier(graph, program, options).run();
}

}  // namespace isomer::mugraph
