#include "recipes/verification.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "formats/onnx.h"
#include "formats/onnx_dims.h"
#include "formats/onnx_external.h"
#include "formats/onnx_rounding.h"
#include "recipes/dims.h"
#include "recipes/load.h"
#include "recipes/refusals.h"
#include "recipes/staging.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "verify/rounded.h"

namespace isomer::recipes {
namespace {

/// Of the time for verifying: the rest is for whole programs.
constexpr double kRewritesShare = 0.5;

class Verification {
 public:
  Verification(const Verifying& what, const Deadline& until, Chosen chosen)
      : what_(what), program_(what.program), until_(until) {
    out_.chosen = std::move(chosen);
  }

  Verified run() {
    if (!check_rewrites()) return std::move(out_);
    if (!out_.chosen.changed && copy_the_input()) return std::move(out_);
    if (!out_.chosen.written) out_.chosen.written = stage(program_, program_.graph, what_.output);
    if (!compare_in_runtime()) return std::move(out_);
    const bool agrees = out_.in_runtime.agreement == Agreement::kAgree;
    if (!agrees || !out_.in_runtime.not_compared.empty()) go_on_without_runtime(agrees);
    return std::move(out_);
  }

 private:
  /// False: nothing more is to be done.
  bool check_rewrites() {
    if (!out_.chosen.changed) return true;
    checked_ = what_.rewriting->check_rewrites(*out_.chosen.extraction, until_.part(kRewritesShare));
    out_.arithmetic = checked_.arithmetic;
    for (const std::string& u : checked_.unknown) out_.warnings.push_back("not evaluated by itself: " + u);
    if (!checked_.wrong.empty()) return fail(checked_.wrong);
    if (checked_.unsuited) return does_not_suit(*checked_.unsuited);
    if (!checked_.all) {
      take_the_original("no time was left to check every rewrite that leads to what was found");
      out_.decision.rules_unchecked = true;
    }
    return true;
  }

  /// False: it is written anew, as it was read.
  bool copy_the_input() {
    const bool as_read = what_.rewriting == nullptr;  // --no-rewrite
    if (out_.chosen.written || as_read) return false;
    out_.chosen.written = stage_copy(program_, what_.input, what_.output);
    if (!out_.chosen.written) return false;
    out_.how = "the file is the input, byte for byte";
    out_.in_runtime = Compared();
    out_.in_runtime.agreement = Agreement::kAgree;
    out_.in_runtime.how = out_.how;
    out_.in_runtime.max_relative_error = 0;
    if (what_.trial != nullptr && !what_.trial->sizes()[0].empty())
      out_.in_runtime.sizes = what_.trial->sizes();
    return true;
  }

  /// The same as check_rewrites. Afterwards what was compared agrees, or could not be compared.
  bool compare_in_runtime() {
    compare();
    if (refused() && out_.chosen.changed) {
      file_refusal(out_.chosen.candidate);
      fall_back("the runtime does not take what was found (see the warnings)");
    }
    if (differ()) {
      const auto why = not_by_rewriting();
      if (!why) return false;
      fall_back(*why + " (see the warnings)");
      if (differ() && !not_by_rewriting()) return false;
    }
    return !refused() || refuse_the_copy();
  }

  /// Of the outputs that do not differ from run to run. The interpreter takes equal draws of random numbers
  /// for equal.
  void go_on_without_runtime(bool agrees) {
    std::string seen = agrees ? out_.how + "; " : "";
    // Types that another program inferred are believed as far as a run that compares all outputs bears them
    // out. Without one the model is written as it is read without them.
    std::optional<Program> unclaimed;
    if (program_.types_inferred > 0) {
      unclaimed =
          load_without_inference(program_.graph.context(), what_.input, program_.dims, program_.contrib);
      out_.how = "its types were inferred, and no run compared all outputs";
    }
    const Program& read = unclaimed ? *unclaimed : program_;
    const bool late = out_.in_runtime.agreement == Agreement::kNoTime;
    if (out_.chosen.changed && (unclaimed || late || !equal_in_interpreter())) {
      if (!out_.failure.empty()) return;
      take_the_original("what was found could not be compared with it: " + out_.how);
      seen.clear();
    }
    if (out_.chosen.changed) {
      out_.how = seen + out_.how;
      return;
    }
    if (copy_the_input()) return;
    if (unclaimed) out_.chosen.written.reset();
    if (!out_.chosen.written) {
      out_.chosen.written = stage(read, read.graph, what_.output);
      if (agrees) compare();
      if (differ() && !not_by_rewriting()) return;
      if (refused() && !refuse_the_copy()) return;
      seen = out_.in_runtime.agreement == Agreement::kAgree ? out_.how + "; " : "";
    }
    read_back(read, seen);
  }

  void compare() {
    out_.in_runtime = what_.trial == nullptr
                          ? Compared()
                          : what_.trial->compare(what_.input, out_.chosen.written->model(), until_);
    out_.how = out_.in_runtime.how;
  }
  bool differ() const { return out_.in_runtime.agreement == Agreement::kDiffer; }
  bool refused() const { return out_.in_runtime.agreement == Agreement::kRefused; }

  bool equal_in_interpreter() {
    const verify::Verdict verdict = what_.rewriting->check_whole(out_.chosen.written->graph, until_);
    out_.how = verify::summary(verdict);
    if (verdict.kind == verify::VerdictKind::kRefuted)
      return fail("the whole program is not equivalent: " + out_.how + "; nothing was written");
    out_.in_runtime.max_relative_error = verdict.max_relative_error;
    return verdict.equivalent();
  }

  /// The original, where no runtime can compare it in the time.
  void read_back(const Program& read, const std::string& seen) {
    if (!reads_back(read, *out_.chosen.written))
      fail("what was written reads back as another program; nothing was kept");
    else
      out_.how = seen + "the written file reads back as the very program that was read";
  }

  void take_the_original(const std::string& why) {
    out_.decision = original_since(why);
    out_.chosen.changed = false;
    out_.chosen.rejected = std::move(out_.chosen.written->graph);
    out_.chosen.written.reset();
  }
  void fall_back(const std::string& why) {
    take_the_original(why);
    if (copy_the_input()) return;
    out_.chosen.written = stage(program_, program_.graph, what_.output);
    compare();
  }

  bool does_not_suit(UnsuitedRule rule) {
    out_.how = "a rule does not suit: " + rule.why;
    out_.chosen.unsuited = std::move(rule);
    return false;
  }
  bool fail(std::string why) {
    out_.failure = std::move(why);
    return false;
  }

  void file_refusal(const std::string& candidate) {
    out_.refused.push_back(refusal(candidate, out_.chosen.written->model(), out_.how));
    out_.warnings.push_back(describe(out_.refused.back(), what_.trial->runtime()));
  }
  bool refuse_the_copy() {
    if (const auto why = refuses_these_sizes())
      throw InputError(fmt::format(
          "{}: {} does not take the model where these sizes are declared ({}), however it is written: {}; "
          "without --dim it stays dynamic, and --measure-dim says at which sizes it is timed",
          what_.input, what_.trial->runtime(), to_text(program_.dims), *why));
    file_refusal(kOriginalAsWritten);
    return fail(out_.warnings.back() + "\nnothing was written");
  }

  /// What the runtime says of the input with nothing changed but that sizes are declared: its own inference
  /// then finds fault, with a branch that is not taken, say. Nothing where it takes that.
  std::optional<std::string> refuses_these_sizes() const {
    if (program_.dims.empty() || !formats::data_files(*program_.envelope).empty()) return {};
    const Staging place(what_.output);
    write_file(place.model(), formats::with_declared_sizes(what_.input, program_.dims));
    const auto why = what_.trial->refuses(place.model(), until_);
    return why ? std::optional(refusal(kOriginalAsWritten, place.model(), *why).message) : std::nullopt;
  }

  /// The programs differ. A rule that may round otherwise, and is right in exact arithmetic, does not suit;
  /// nor does any that leads to what the runtime's own rewriting spoils (a factor that it takes into the
  /// weights of a convolution, where it overflows), or what it keeps wider than its type. Where folding alone
  /// does it, that, in words: what is folded is held to double precision (eval/fold_check.h), the runtime's
  /// own sums may be off by more. So where the runtime does not run a copy with nothing rewritten, as it does
  /// at sizes at which a value has another shape than ONNX infers: it plans its memory by these. All else is
  /// a fault.
  std::optional<std::string> not_by_rewriting() {
    Blame blame;
    if (out_.chosen.changed)
      blame = what_.rewriting->blame(
          *out_.chosen.extraction, [&](const ir::Graph& graph) { return breaks(graph); }, until_);
    std::string why = out_.how + (blame.text.empty() ? "" : "\n" + blame.text);
    for (const std::string& rule : blame.rules)
      if (what_.rewriting->may_not_suit(rule, checked_)) {
        does_not_suit({rule, why});
        return {};
      }
    if (!blame.rules.empty()) {
      const std::string own = agree_as_written() ? "it rewrites nothing itself"
                              : agree_rounded()  ? "every result is rounded to its type"
                                                 : "";
      if (!own.empty()) {
        why += fmt::format("\n{} computes the same of both where {}", what_.trial->runtime(), own);
        does_not_suit({blame.rules.front(), why});
        return {};
      }
    }
    if (blame.unrewritten && out_.in_runtime.fails) {
      file_refusal(kOriginalAsWritten);
      return "the runtime does not run it as it is written, be nothing rewritten";
    }
    if (blame.folding && blame.step == 0) {
      out_.warnings.push_back(why);
      return "its constants, folded, are not what the runtime computes";
    }
    fail(why + "\nnothing was written");
    return {};
  }

  bool agree_as_written() const {
    const std::string candidate = out_.chosen.written->model();
    return what_.trial->compare_as_written(what_.input, candidate, until_).agreement == Agreement::kAgree;
  }

  /// A runtime keeps a float16 wider where it has no kernel for it: which ones hangs on what it rewrites, and
  /// what compares or counts them shows it.
  bool agree_rounded() const {
    if (!verify::computes_in_16_bits(program_.graph)) return false;
    if (!formats::data_files(*program_.envelope).empty()) return false;
    const Staging original(what_.output), candidate(what_.output);
    write_file(original.model(), formats::with_results_rounded(what_.input));
    write_file(candidate.model(), formats::with_results_rounded(out_.chosen.written->model()));
    return what_.trial->compare_as_written(original.model(), candidate.model(), until_).agreement ==
           Agreement::kAgree;
  }

  std::optional<bool> breaks(const ir::Graph& graph) const {
    // A program on the way may hold what the format cannot say.
    if (!formats::unspellable(graph, program_.dialect()).empty()) return {};
    const StagedProgram part = stage(program_, graph, what_.output);
    switch (what_.trial->compare(what_.input, part.model(), until_).agreement) {
      case Agreement::kDiffer: return true;
      case Agreement::kAgree: return false;
      default: return {};
    }
  }

  const Verifying& what_;
  const Program& program_;
  const Deadline& until_;
  RewriteCheck checked_;
  Verified out_;
};

}  // namespace

Verified verify(const Verifying& what, const Deadline& until, Chosen chosen) {
  return Verification(what, until, std::move(chosen)).run();
}

}  // namespace isomer::recipes
