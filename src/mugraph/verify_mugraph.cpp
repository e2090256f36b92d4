#include "mugraph/verify_mugraph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "eval/outcome.h"
#include "ir/op_table.h"
#include "meaning/flatten.h"
#include "mugraph/full_sizes.h"
#include "mugraph/lower.h"
#include "mugraph/shrink.h"
#include "mugraph/spec.h"
#include "support/errors.h"
#include "support/hash.h"
#include "verify/degree.h"
#include "verify/function_names.h"

namespace isomer::mugraph {
namespace {

using ir::ScalarOp;

constexpr int kMostUndefined = 50;  ///< of so many draws to one, with a zero denominator, nothing is said

constexpr const char* kStopped = "stopped";

constexpr uint64_t bit(ScalarOp op) { return uint64_t{1} << static_cast<int>(op); }
/// Exponentials and roots keep their laws in the field.
constexpr uint64_t kLawful = bit(ScalarOp::kExp) | bit(ScalarOp::kSqrt);

/// The element of the full output that lies where `element` does in a small one: corners are corners.
int64_t same_place(const Sizes& small, const Sizes& full, int64_t element) {
  std::vector<int64_t> at(small.size());
  for (size_t d = small.size(); d-- > 0; element /= small[d]) {
    const int64_t i = element % small[d];
    at[d] = i == small[d] - 1 ? full[d] - 1 : i * full[d] / small[d];
  }
  int64_t out = 0;
  for (size_t d = 0; d < full.size(); ++d) out = out * full[d] + at[d];
  return out;
}

std::string print(const Extents& extents) {
  std::vector<std::string> sizes;
  for (const auto& [name, size] : extents) sizes.push_back(fmt::format("{}={}", name, size));
  return fmt::format("{}", fmt::join(sizes, " "));
}

class Verifier {
 public:
  Verifier(const MuGraph& graph, const Program& program, const MuVerifyOptions& options,
           const StopToken& stop, VerifyMemory& memory)
      : graph_(graph),
        program_(program),
        options_(options),
        stop_(stop),
        ctx_(memory.ctx),
        nests_(memory.nests) {}

  MuVerdict run() {
    out_.verdict.method = "specification";
    if (auto bad = check_spec(graph_); !bad.empty()) return refuted(bad);
    const auto extents = program_.match(std::span(graph_.values).first(graph_.inputs));
    if (!extents) return refuted(other_inputs());
    out_.extents = *extents;
    const ir::Graph full = program_.graph(ctx_, *extents);
    if (!same_outputs(full)) return out_;
    out_.fields = options_.fields;
    if (options_.fields == Fields::kMirageCode) return ramp(meaning::flatten(full).graph);
    for (const ShrinkParts& parts : shrinkings()) {
      if (parts.wider && out_.tests > 0) continue;
      const auto small = shrink(graph_, program_, *extents, parts);
      if (!small || (out_.tests > 0 && parts.apart && small->extents == out_.reduced)) continue;
      const Agreement agreement = field_agrees(*small, out_.tests == 0);
      if (agreement == Agreement::kNothing) return out_;
      if (agreement == Agreement::kYes) continue;
      if (!agrees_all_the_same(*small, full)) return out_;
      break;
    }
    if (out_.tests == 0) {
      if (full_field_agrees(full) == Agreement::kNo && !agrees_all_the_same(whole(), full)) return out_;
      if (out_.tests == 0) out_.verdict.note = "no small sizes at which all tiles stay above 1";
    }
    if (options_.floats && !floats_agree(full)) return out_;
    if (out_.tests == 0) {
      if (!out_.verdict.on_floats) return out_;
      out_.verdict.kind = verify::VerdictKind::kTested;
      return out_;
    }
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
    if (options_.sizes_apart) out.push_back({2, 2, {}, true});
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

  MuVerdict refuted(const std::string& why) {
    out_.verdict.kind = verify::VerdictKind::kRefuted;
    out_.verdict.counterexample = why;
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

  /// kNothing: the verdict is there.
  enum class Agreement { kYes, kNo, kNothing };

  /// All tests at one reduced shape; of the further shapes three are enough, the bound is that of the first.
  Agreement field_agrees(const Shrunken& small, bool first) {
    const auto [p, q] = primes_of(options_.fields);
    out_.verdict.method =
        options_.fields == Fields::kSafe ? "field" : fmt::format("fields of {} and {}", p, q);
    const ir::Graph wanted = meaning::flatten(program_.graph(ctx_, small.extents)).graph;
    const ir::Graph plain = meaning::flatten(lower(ctx_, small.graph)).graph;
    const int tests = first ? tests_of(wanted, plain) : 3;
    if (first) out_.reduced = small.extents;
    const auto sizes = program_.input_sizes(small.extents);
    for (int t = 0, drawn = 0; t < tests; ++drawn) {
      if (stop_.requested()) return stopped();
      if (drawn > kMostUndefined * (t + 1)) {
        out_.verdict.note = fmt::format("{} of {} draws divide by zero", drawn - t, drawn);
        return Agreement::kNothing;
      }
      const uint64_t seed =
          hash_combine(hash_combine(options_.seed, first ? 0 : 1), static_cast<uint64_t>(drawn));
      // By grid and loop first; from then on as a plain graph, which is quicker. Both must agree.
      const FieldTest test =
          test_over(options_.fields, wanted, plain, t == 0 ? &small.graph : nullptr, sizes, seed, nests_);
      if (test.undefined) continue;
      inexact_ |= test.inexact;
      out_.verdict.elements_compared += test.elements;
      if (test.difference) {
        difference_ = *test.difference;
        return Agreement::kNo;
      }
      ++t;
      ++out_.tests;
    }
    return Agreement::kYes;
  }

  /// After a difference at reduced sizes, which may be due to the reduction: looks at the full ones. False
  /// where the verdict is there: refuted, or unknown.
  bool agrees_all_the_same(const Shrunken& small, const ir::Graph& full) {
    const std::string where = differing(small);
    if (lawful() && mugraph::print(small.graph) == mugraph::print(graph_)) return refuted(where), false;
    std::string known;  // what was seen at the full sizes
    if (options_.confirm_work > 0) {
      FullSizesOptions how = confirming(small), first = how;
      first.samples = 0;
      first.tests = 1;
      FullSizes seen = in_floats(graph_, full, first, stop_);
      if (seen.outcome == FullSizes::Outcome::kAgrees && !seen.whole)
        seen = in_floats(graph_, full, how, stop_);
      if (settles(seen, where, "floats", known)) return false;
      if (settles(in_field(graph_, full, how, stop_), where, "field at full sizes", known)) return false;
    }
    out_.tests = 0;
    inexact_ = 0;
    switch (full_field_agrees(full)) {
      case Agreement::kYes: return true;
      case Agreement::kNo:
        if (lawful()) return refuted(differing(whole())), false;
        break;
      case Agreement::kNothing: break;
    }
    note(fmt::format("undecided: a difference at reduced sizes only: {}{}", where, known));
    return false;
  }

  /// Whether a look at the full sizes ends it; else `known` has what it saw.
  bool settles(const FullSizes& seen, const std::string& where, const char* method, std::string& known) {
    switch (seen.outcome) {
      case FullSizes::Outcome::kStopped: stopped(); return true;
      case FullSizes::Outcome::kDiffers:
        out_.verdict.method += fmt::format(", {}", method);
        refuted(fmt::format("{}; {}", where, seen.text));
        return true;
      case FullSizes::Outcome::kNothing: known += "; " + seen.text; return false;
      case FullSizes::Outcome::kAgrees: break;
    }
    known += fmt::format("; none at the full sizes, at {}{} elements ({})", seen.whole ? "all " : "",
                         seen.elements, method);
    return false;
  }

  /// Whether what the field says is so of numbers: no function was taken as any function.
  bool lawful() const { return (inexact_ & ~kLawful) == 0; }

  Shrunken whole() const { return {graph_, out_.extents}; }

  /// Where that is not much work, the full sizes take the place of the reduced ones.
  Agreement full_field_agrees(const ir::Graph& full) {
    const ir::Graph plain = lower(ctx_, graph_);
    const int tests = tests_of(meaning::flatten(full).graph, meaning::flatten(plain).graph);
    if (whole_work(graph_, full) * tests <= options_.full_field_work) return field_agrees(whole(), true);
    out_.verdict.log2_error = 0;
    return Agreement::kNothing;
  }

  FullSizesOptions full_sizes() const {
    return {.seed = options_.seed,
            .tolerance = options_.tolerance,
            .whole_work = options_.full_float_work,
            .samples = options_.samples,
            .work = options_.sample_work};
  }
  FullSizesOptions confirming(const Shrunken& small) const {
    FullSizesOptions out = full_sizes();
    out.work = std::min(out.work, options_.confirm_work);
    out.places.resize(graph_.outputs.size());
    const uint32_t output = graph_.outputs[difference_.output];
    const Sizes& sizes = graph_.values[output];
    const int64_t at =
        same_place(small.graph.values[output], sizes, static_cast<int64_t>(difference_.element));
    // With the last one of its row, for the scale.
    out.places[difference_.output] = {at};
    if (const int64_t last = at - at % sizes.back() + sizes.back() - 1; last != at)
      out.places[difference_.output].push_back(last);
    return out;
  }

  /// How many tests give the bound that is asked for; sets the bound.
  int tests_of(const ir::Graph& wanted, const ir::Graph& plain) {
    // What a test may overlook is the difference of the two.
    ExponentialFacts facts = facts_of(wanted);
    const ExponentialFacts of_graph = facts_of(plain);
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

  Agreement stopped() {
    out_.verdict.note = kStopped;
    return Agreement::kNothing;
  }

  std::string differing(const Shrunken& at) const {
    return fmt::format("output {} differs at {} over the field ({})", difference_.output,
                       place(at.graph.values[at.graph.outputs[difference_.output]],
                             static_cast<int64_t>(difference_.element)),
                       print(at.extents));
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
    const auto test = eval::outcome_of<eval::Ended::kBudget>([&] {
      return ramp_test(graph_, wanted, 16 * options_.samples, options_.sample_work, options_.seed, stop_);
    });
    if (!test) {
      v.note = stop_.requested() ? kStopped : test.why;
      return out_;
    }
    out_.tests = 1;
    v.elements_compared = test->elements;
    for (uint32_t o : graph_.outputs) v.elements_total += element_count(graph_.values[o]);
    if (test->difference) {
      difference_ = *test->difference;
      refuted(differing({graph_, out_.extents}));
    } else {
      v.kind = verify::VerdictKind::kSampled;
    }
    v.note = "no bound: inputs are not random";
    return out_;
  }

  /// At full shape.
  bool floats_agree(const ir::Graph& full) {
    verify::Verdict& v = out_.verdict;
    const FullSizes seen = in_floats(graph_, full, full_sizes(), stop_);
    switch (seen.outcome) {
      case FullSizes::Outcome::kStopped: stopped(); return false;
      case FullSizes::Outcome::kDiffers:
        v.method = "floats";
        refuted(seen.text);
        return false;
      case FullSizes::Outcome::kNothing: note(seen.text); return true;
      case FullSizes::Outcome::kAgrees: break;
    }
    v.on_floats = true;
    v.max_relative_error = seen.max_relative_error;
    v.method = out_.tests == 0 ? "floats" : v.method + ", floats";
    return true;
  }

  const MuGraph& graph_;
  const Program& program_;
  const MuVerifyOptions& options_;
  StopToken stop_;
  ir::Context& ctx_;
  meaning::KnownNests& nests_;
  MuVerdict out_;
  FieldTest::Difference difference_;  ///< of the last test that found one
  uint64_t inexact_ = 0;              ///< what the program's values went through
  double log2_degree_ = 0;            ///< times 4 for each square root, whose conjugates multiply it
};

}  // namespace

std::string summary(const MuVerdict& v) {
  std::string out = verify::summary(v.verdict);
  if (v.fields == Fields::kSafe || v.tests == 0) return out;
  return out + fmt::format("; {} test{}", v.tests, v.tests == 1 ? "" : "s");
}

MuVerdict verify_mugraph(const MuGraph& graph, const Program& program, const MuVerifyOptions& options,
                         const StopToken& stop) {
  VerifyMemory memory(graph.ops->declarations());
  return verify_mugraph(graph, program, options, stop, memory);
}

MuVerdict verify_mugraph(const MuGraph& graph, const Program& program, const MuVerifyOptions& options,
                         const StopToken& stop, VerifyMemory& memory) {
  REQUIRE(&memory.ctx.ops() == &graph.ops->declarations(), "a memory of other operators");
  return Verifier(graph, program, options, stop, memory).run();
}

}  // namespace isomer::mugraph
