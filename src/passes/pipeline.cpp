#include "passes/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "hlo/dag_hash.h"
#include "support/errors.h"
#include "support/lexer.h"
#include "support/unknown_word.h"

namespace isomer::passes {
namespace {

/// Groups within groups.
constexpr int kDeepest = 16;

constexpr isomer::Choice<StageMode> kModes[] = {
    {"on", StageMode::kOn}, {"off", StageMode::kOff}, {"dry", StageMode::kDry}};

class PipelineReader {
 public:
  PipelineReader(std::string_view text, const std::string& file, const QuotedPass& quoted)
      : in_(text, file), quoted_(quoted) {}

  Pipeline run() {
    Pipeline out;
    while (!in_.at_end()) {
      if (in_.take_symbol("without"))
        append(out.without, names("the name of a pass of XLA"));
      else
        out.stages.push_back(stage(0));
    }
    return out;
  }

 private:
  static void append(std::vector<std::string>& to, std::vector<Token> tokens) {
    for (Token& token : tokens) to.push_back(std::move(token.text));
  }

  /// With commas between them and a semicolon at the end.
  std::vector<Token> names(std::string_view what) {
    std::vector<Token> out;
    do {
      const bool is_quoted = quoted_ && in_.peek().kind == TokenKind::kString;
      out.push_back(is_quoted ? in_.next() : in_.expect(TokenKind::kSymbol, what));
    } while (in_.take(","));
    in_.expect(";");
    return out;
  }

  Stage stage(int depth) {
    Stage out;
    for (const auto& [word, mode] : kModes)
      if (in_.peek().is_symbol(word)) {
        const Token token = in_.next();
        if (mode == StageMode::kDry && is_decided_around_)
          in_.fail(token, "expected no dry stage within one that is off or dry");
        out.mode = mode;
        break;
      }
    if (!in_.peek().is("{")) {
      for (const Token& token : names("a pass, on, off, dry, without or {"))
        out.passes.push_back(pass(token));
      return out;
    }
    const Token open = in_.next();
    if (depth == kDeepest) in_.fail(open, fmt::format("expected groups at most {} deep", kDeepest));
    const bool around = std::exchange(is_decided_around_, is_decided_around_ || out.mode != StageMode::kOn);
    while (!in_.take("}")) {
      if (in_.at_end()) in_.fail_expected("a stage or }");
      out.group.push_back(stage(depth + 1));
    }
    is_decided_around_ = around;
    if (out.group.empty()) in_.fail(open, "expected a stage in the group");
    return out;
  }

  std::shared_ptr<const Pass> pass(const Token& token) const {
    if (token.kind == TokenKind::kString) return quoted_(token.text);
    std::vector<std::string> known;
    for (const auto& pass : all_passes()) {
      if (pass->name() == token.text) return pass;
      known.emplace_back(pass->name());
    }
    in_.fail(token,
             fmt::format("expected a pass, found '{}'{}", token.text, did_you_mean(token.text, known)));
  }

  TokenReader in_;
  const QuotedPass& quoted_;
  bool is_decided_around_ = false;
};

constexpr Preset kPresets[] = {
    {"hloenv-algsimp",
     "the third of five simplifiers is decided, the others are off, here and in XLA (HloEnv's "
     "AlgebraicSimplifier experiments)",
     "without algsimp;\n"
     "off algsimp;\n"
     "off algsimp;\n"
     "dry algsimp;\n"
     "off algsimp;\n"
     "off algsimp;\n"},
    {"hloenv-fusion",
     "general fusion is decided, in the place of XLA's pipeline of fusions (HloEnv's GeneralFusion "
     "experiments)",
     "without fusion, layout-assignment;\n"
     "dry general-fusion;\n"
     "off fusion;\n"},
};

bool has_dry(const Stage& stage) {
  return stage.mode == StageMode::kDry || std::ranges::any_of(stage.group, has_dry);
}

void run_stage(const Stage& stage, LimitWatch* watch, size_t most_sweeps, RunResult& out) {
  if (stage.mode == StageMode::kOff) return;
  if (!stage.passes.empty()) {
    RunResult next = run_to_end(std::move(out.module), stage.passes, most_sweeps, {}, watch);
    out.module = std::move(next.module);
    out.sweeps += next.sweeps;
    out.taken += next.taken;
    out.at_rest = out.at_rest && next.at_rest;
    return;
  }
  for (size_t round = 0; round < kMostSweeps; ++round) {
    const uint64_t before = hlo::dag_hash(out.module);
    for (const Stage& inner : stage.group) run_stage(inner, watch, most_sweeps, out);
    if (hlo::dag_hash(out.module) == before) return;  // also where the watch has ended them, not at rest
  }
  out.at_rest = false;
}

}  // namespace

Pipeline parse_pipeline(std::string_view text, const std::string& file, const QuotedPass& quoted) {
  return PipelineReader(text, file, quoted).run();
}

Pipeline only(std::vector<std::shared_ptr<const Pass>> passes) {
  return {.stages = {{.mode = StageMode::kDry, .passes = std::move(passes), .group = {}}}, .without = {}};
}

std::span<const Preset> presets() { return kPresets; }

std::vector<std::shared_ptr<const Pass>> passes_of(std::span<const Stage> stages) {
  std::vector<std::shared_ptr<const Pass>> out;
  for (const Stage& stage : stages) {
    if (stage.mode == StageMode::kOff) continue;
    out.insert(out.end(), stage.passes.begin(), stage.passes.end());
    const auto inner = passes_of(stage.group);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

Decided decided(const Pipeline& pipeline) {
  const auto count = std::ranges::count_if(pipeline.stages, has_dry);
  const auto at = std::ranges::find(pipeline.stages, StageMode::kDry, &Stage::mode);
  if (count != 1 || at == pipeline.stages.end())
    throw UsageError(fmt::format("pipeline: expected one dry stage that stands in no group, found {}",
                                 count == 0  ? "none"
                                 : count > 1 ? fmt::format("{}", count)
                                             : "one in a group"));
  Decided out;
  out.before.assign(pipeline.stages.begin(), at);
  out.after.assign(at + 1, pipeline.stages.end());
  out.passes = passes_of(std::span(&*at, 1));
  return out;
}

RunResult run(Module module, std::span<const Stage> stages, LimitWatch* watch, size_t most_sweeps) {
  RunResult out;
  out.module = std::move(module);
  out.at_rest = true;
  for (const Stage& stage : stages) run_stage(stage, watch, most_sweeps, out);
  return out;
}

}  // namespace isomer::passes
