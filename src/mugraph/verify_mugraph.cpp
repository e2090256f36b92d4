#include "mugraph/verify_mugraph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "eval/flatten.h"
#include "eval/nest.h"
#include "eval/sampler.h"
#include "ir/op_table.h"
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

using ir::ScalarOp;

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

constexpr double kLongWork = 1e9;  ///< of a whole run, from which one test has to do

constexpr int kMostUndefined = 50;  ///< of so many draws to one, with a zero denominator, nothing is said

constexpr const char* kStopped = "stopped";

constexpr uint64_t bit(ScalarOp op) { return uint64_t{1} << static_cast<int>(op); }

class Verifier {
 public:
  Verifier(const MuGraph& graph, const Program& program, const MuVerifyOptions& options,
           const StopToken& stop)
      : graph_(graph), program_(program), options_(options), stop_(stop) {}

  MuVerdict run() {
    out_.verdict.method = "specification";
    if (auto bad = check_spec(graph_); !bad.empty()) return refuted(bad);
    const auto extents = program_.match(std::span(graph_.values).first(graph_.inputs));
    if (!extents) return refuted(other_inputs());
    out_.extents = *extents;
    const ir::Graph full = program_.graph(ctx_, *extents);
    if (!same_outputs(full)) return out_;
    out_.fields = options_.fields;
    if (options_.fields == Fields::kMirageCode) return ramp(eval::flatten(full).graph);
    for (const ShrinkParts& parts : shrinkings()) {
      if (parts.wider && out_.tests > 0) continue;
      const auto small = shrink(graph_, program_, *extents, parts);
      if (small && !field_agrees(*small, out_.tests == 0)) return out_;
    }
    if (out_.tests == 0) out_.verdict.note = "no small sizes at which all tiles stay above 1";
    if (options_.floats && !floats_agree(full)) return out_;
    if (out_.tests == 0) {
      if (!out_.verdict.on_floats) return out_;
      out_.verdict.kind = verify::VerdictKind::kTested;
      return out_;
    }
    // Exponentials and roots keep their laws in the field.
    constexpr uint64_t kLawful = bit(ScalarOp::kExp) | bit(ScalarOp::kSqrt);
    out_.verdict.uninterpreted = verify::function_names(inexact_ & ~kLawful);
    const bool bound = out_.verdict.log2_error < 0;
    out_.verdict.kind = bound ? verify::VerdictKind::kProved : verify::VerdictKind::kTested;
    if (!bound)
      note(vacuous());
    else if (out_.verdict.log2_error > options_.log2_error)
      note(fmt::format("the bound is 2^{:.1f} after {} tests", out_.verdict.log2_error, out_.tests));
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

  std::string other_inputs() const {
    std::string is, should;
    for (size_t i = 0; i < graph_.inputs; ++i)
      is += fmt::format("{}[{}]", i == 0 ? "" : " ", fmt::join(graph_.values[i], ","));
    for (const Program::Input& input : program_.inputs)
      should += fmt::format(" {}[{}]", input.name, fmt::join(input.dims, ","));
    return fmt::format("inputs {}, which are not those of {}:{}", is, program_.name, should);
  }

  void note(const std::string& text) {
    std::string& note = out_.verdict.note;
    note += (note.empty() ? "" : "; ") + text;
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
    const auto [p, q] = primes_of(options_.fields);
    out_.verdict.method =
        options_.fields == Fields::kSafe ? "field" : fmt::format("fields of {} and {}", p, q);
    const ir::Graph wanted = eval::flatten(program_.graph(ctx_, small.extents)).graph;
    const ir::Graph plain = eval::flatten(lower(ctx_, small.graph)).graph;
    const int tests = first ? tests_of(wanted, plain) : 3;
    if (first) out_.reduced = small.extents;
    const auto sizes = program_.input_sizes(small.extents);
    for (int t = 0, drawn = 0; t < tests; ++drawn) {
      if (stop_.requested()) return stopped();
      if (drawn > kMostUndefined * (t + 1)) {
        out_.verdict.note = fmt::format("{} of {} draws divide by zero", drawn - t, drawn);
        return false;
      }
      const uint64_t seed =
          hash_combine(hash_combine(options_.seed, first ? 0 : 1), static_cast<uint64_t>(drawn));
      // By grid and loop first; from then on as a plain graph, which is quicker. Both must agree.
      const FieldTest test =
          test_over(options_.fields, wanted, plain, t == 0 ? &small.graph : nullptr, sizes, seed);
      if (test.undefined) continue;
      inexact_ |= test.inexact;
      out_.verdict.elements_compared += test.elements;
      if (test.difference)
        return differs(*test.difference, program_.graph(ctx_, small.extents), small.extents);
      ++t;
      ++out_.tests;
    }
    return true;
  }

  /// How many tests give the bound that is asked for; sets the bound.
  int tests_of(const ir::Graph& wanted, const ir::Graph& plain) {
    // What a test may overlook is the difference of the two.
    Facts facts = facts_of(wanted);
    const Facts of_graph = facts_of(plain);
    facts.exponentials = facts.exponentials || of_graph.exponentials;
    facts.terms = std::max(facts.terms, of_graph.terms);
    log2_degree_ = std::max(verify::analyse(wanted).log2_degree, verify::analyse(plain).log2_degree) + 1 +
                   2 * facts.square_roots;
    out_.exponential_terms = facts.exponentials ? facts.terms : 0;
    const double each = log2_test_error(log2_degree_, out_.exponential_terms, options_.fields);
    int tests = options_.max_tests;
    if (options_.tests > 0)
      tests = options_.tests;
    else if (each < 0)
      tests = static_cast<int>(
          std::clamp(std::ceil(options_.log2_error / each), 2.0, static_cast<double>(options_.max_tests)));
    out_.verdict.log2_error = std::min(0.0, tests * each);
    return tests;
  }

  bool stopped() {
    out_.verdict.note = kStopped;
    return false;
  }

  bool differs(const FieldTest::Difference& at, const ir::Graph& program, const Extents& extents) {
    std::vector<std::string> sizes;
    for (const auto& [name, size] : extents) sizes.push_back(fmt::format("{}={}", name, size));
    refuted(fmt::format("output {} differs at {} over the field ({})", at.output,
                        place(ir::sizes(program.type(program.outputs()[at.output]).shape), at.element),
                        fmt::join(sizes, " ")));
    return false;
  }

  /// Why the field's bound says nothing.
  std::string vacuous() const {
    const auto [p, q] = primes_of(options_.fields);
    const double k = out_.exponential_terms;
    if (k <= 0) return fmt::format("no bound: a degree of up to 2^{:.0f} over {}", log2_degree_, p);
    return fmt::format(
        "no bound, however many tests: with k = {} exponentials in a sum and a degree d of up to 2^{:.0f}, "
        "8 d k^4 / q is 2^{:.0f} (q = {})",
        k, log2_degree_, 3 + log2_degree_ + 4 * std::log2(k) - std::log2(static_cast<double>(q)), q);
  }

  /// The public code's only test.
  MuVerdict ramp(const ir::Graph& wanted) {
    const auto [p, q] = primes_of(options_.fields);
    verify::Verdict& v = out_.verdict;
    v.method = fmt::format("fields of {} and {}, a ramp for inputs", p, q);
    try {
      const FieldTest test =
          ramp_test(graph_, wanted, 16 * options_.samples, options_.sample_work, options_.seed, stop_);
      out_.tests = 1;
      v.elements_compared = test.elements;
      for (uint32_t o : graph_.outputs) v.elements_total += element_count(graph_.values[o]);
      if (test.difference)
        differs(*test.difference, program_.graph(ctx_, out_.extents), out_.extents);
      else
        v.kind = verify::VerdictKind::kSampled;
      v.note = "no bound: inputs are not random";
    } catch (const eval::SampleBudgetSpent& e) {
      v.note = stop_.requested() ? kStopped : e.what();
    }
    return out_;
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
      note("full shape not run: " + floats.note);
      return true;
    }
    agrees_on_floats(floats.max_relative_error);
    return true;
  }

  void agrees_on_floats(double error) {
    verify::Verdict& v = out_.verdict;
    v.on_floats = true;
    v.max_relative_error = error;
    v.method = out_.tests == 0 ? "floats" : v.method + ", floats";
  }

  /// Signed inputs, then positive ones.
  bool sampled_floats_agree(const ir::Graph& flat, int tests) {
    verify::Verdict& v = out_.verdict;
    double worst = 0;
    bool finite = false;
    try {
      for (int test = 0; test < tests; ++test) {
        const bool positive = test == 1;
        const verify::Draw draw{hash_combine(options_.seed, positive ? 12 : 11),
                                positive ? verify::Floats::kPositive : verify::Floats::kSigned};
        const auto input = [&](size_t i, int64_t at) {
          if (stop_.requested()) throw eval::SampleBudgetSpent();
          double x = 0;
          draw.number(flat.type(flat.inputs()[i]).dtype, verify::input_leaf(i), 0, at, x);
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
      if (stop_.requested()) return stopped();
      if (!finite) {
        note(std::string("full shape not run: ") + e.what());
        return true;
      }
    }
    if (!finite) {
      note("full shape: no finite element to compare");
      return true;
    }
    agrees_on_floats(worst);
    return true;
  }

  const MuGraph& graph_;
  const Program& program_;
  const MuVerifyOptions& options_;
  StopToken stop_;
  ir::Context ctx_{ir::standard_ops()};
  MuVerdict out_;
  uint64_t inexact_ = 0;    ///< what the program's values went through
  double log2_degree_ = 0;  ///< times 4 for each square root, whose conjugates multiply it
};

}  // namespace

double log2_test_error(double degree, double k, Fields fields) {
  const auto [p, q] = primes_of(fields);
  const double log2_p = std::log2(static_cast<double>(p)), log2_q = std::log2(static_cast<double>(q));
  if (k <= 0) return degree - log2_p;
  const double first = 3 + degree + 4 * std::log2(k) - log2_q, second = -log2_q / (k * k);
  return std::log2(std::exp2(first) + std::exp2(second));
}

std::string summary(const MuVerdict& v) {
  std::string out = verify::summary(v.verdict);
  if (v.fields == Fields::kSafe || v.tests == 0) return out;
  return out + fmt::format("; {} test{}", v.tests, v.tests == 1 ? "" : "s");
}

MuVerdict verify_mugraph(const MuGraph& graph, const Program& program, const MuVerifyOptions& options,
                         const StopToken& stop) {
  return Verifier(graph, program, options, stop).run();
}

}  // namespace isomer::mugraph
