// Steps 1 to 4 of the main job: what is read, grown, priced and extracted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "formats/onnx_external.h"
#include "recipes/check_files.h"
#include "recipes/optimize_steps.h"
#include "recipes/rule_choice.h"
#include "recipes/run_memory.h"
#include "recipes/searching_on.h"
#include "support/errors.h"

namespace isomer::recipes::steps {
namespace {

/// Of the time for searching that is left, so that extracting has some too, and in seconds.
constexpr double kPriceShare = 0.7, kPriceSeconds = 60;

/// Why nothing is searched beyond saturation; empty where something is.
std::string no_search(const Job& job, const Growth& growth) {
  if (job.options.no_rewrite) return job.no_rewrite();
  if (job.ways.search == SearchKind::kSaturation) return "--search saturation";
  return job.ways.search == SearchKind::kPortfolio && growth.saturated() ? "saturation came to its end" : "";
}

bool is_of(const runtime::RuntimeKind& kind, const runtime::OnnxRuntime& runtime) {
  return &kind == &runtime.kind();
}

/// The target or what prices, if that is needed whatever the model.
bool needs(const Job& job, const runtime::OnnxRuntime& runtime) {
  const OptimizeOptions& options = job.options;
  const CostSource& cost = job.ways.cost;
  const bool prices = !options.no_rewrite && cost.kind != CostKind::kModel &&
                      is_of(cost.priced_on(job.target->kind()), runtime);
  return prices || (!options.dry_run && &runtime == job.target.get());
}

/// Where a model of another kind goes, by the ending of its file.
std::string_view way_to_onnx(std::string_view ending) {
  constexpr std::string_view kTorch =
      "; torch.onnx.export makes one of a PyTorch module, and isomer.torch.optimize takes the module";
  constexpr std::string_view kTensorFlow = "; tf2onnx makes one of TensorFlow's";
  constexpr std::string_view kXla = "; isomer hlo optimize takes modules of XLA";
  constexpr std::pair<std::string_view, std::string_view> kWays[] = {
      {".pt", kTorch},          {".pth", kTorch},     {".pt2", kTorch},     {".ckpt", kTorch},
      {".safetensors", kTorch}, {".pb", kTensorFlow}, {".h5", kTensorFlow}, {".keras", kTensorFlow},
      {".tflite", kTensorFlow}, {".hlo", kXla},       {".mlir", kXla},      {".mlirbc", kXla}};
  const auto* const found =
      std::ranges::find(kWays, ending, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kWays) ? "" : found->second;
}

std::unique_ptr<Rewriting> fresh(const Job& job, const ReadModel& read, const BodyRewrites& bodies) {
  auto out =
      std::make_unique<Rewriting>(read.original(), job.options, job.ways, job.spine, read.program.dialect());
  out->offer(bodies);
  return out;
}

/// Nothing is timed.
bool by_cost_alone(const Job& job) { return job.options.no_measure || job.options.dry_run; }

/// What measured costs make unlikely is not timed where they are of the runtime that times: timing decides.
bool costs_forecast(const Job& job) {
  return !by_cost_alone(job) && is_of(job.ways.cost.priced_on(job.target->kind()), *job.target);
}

/// Whether pricing sees all that there will be, and is only to say what is worth timing.
bool may_end_early(const Job& job, const ReadModel& read, const Growth& growth) {
  return costs_forecast(job) && !has_bodies(read.original()) && !no_search(job, growth).empty();
}

/// Nothing where nothing will be timed.
std::optional<SeenConditions> conditions_when_timed(const Job& job, const ReadModel& read,
                                                    const ProgramSizes& sizes, const Deadline& until) {
  if (by_cost_alone(job)) return std::nullopt;
  try {
    return conditions_on(read.original(), job.options.input, *job.runtime, timed_inputs(job, sizes), until);
  } catch (const MissingRuntimeError&) {  // another target times all the same
    return job.ways.target == Target::kOnnxRuntime ? std::nullopt : std::optional(SeenConditions{});
  }
}

PricingReport measured_prices(const Job& job, const Rewriting& rewriting, runtime::MeasuredCost& model,
                              bool ends_early) {
  const Deadline until = job.time.search().part(kPriceShare, kPriceSeconds);
  PricingReport report = price_lazily(rewriting, model, until, job.spine.progress(), ends_early);
  record_prices(report, model, job.spine.record());
  return report;
}

}  // namespace

ReadModel read(const Job& job, ir::Context& ctx) {
  const OptimizeOptions& options = job.options;
  if ((job.ways.target == Target::kOpenVino && !options.dry_run) || !options.provider.empty())
    job.target->info();  // what is missing is said before the work
  std::optional<ReadModel> out;
  job.spine.step("read", "", [&] {
    if (const std::string ending = std::filesystem::path(options.input).extension(); ending != ".onnx")
      throw UsageError(
          fmt::format("optimize takes an ONNX model (.onnx), not {}{}", options.input, way_to_onnx(ending)));
    for (const auto& runtime : {job.runtime, job.target})
      if (needs(job, *runtime)) runtime->begin();
    Program program = load_program(ctx, options.input, parse_dims(options.dims),
                                   job.ways.target == Target::kOnnxRuntime, job.time.search());
    const ProgramSize size = size_of(program.graph);
    Counts opaque = opaque_operators(program.graph);
    out.emplace(ReadModel{std::move(program), {}, size, std::move(opaque)});
    job.time.allow_for(size.weight_bytes);
    return fmt::format("{} operators", size.operators);
  });
  out->weight_files = formats::data_files(*out->program.envelope);
  check_files(options, out->weight_files);
  check_inputs(options.inputs, std::array<const Program*, 1>{&out->program}, job.time.search());
  return *std::move(out);
}

ProgramSizes choose_sizes(const Job& job, const ReadModel& read) {
  ProgramSizes out;
  job.spine.step("size", "", [&] {
    out = size_program(read.program, job.options, *job.runtime, job.time.search(), job.spine.progress());
    return out.chosen.first.empty() ? "every dimension is fixed" : out.text();
  });
  return out;
}

Explored explore(const Job& job, const ReadModel& read) {
  Explored out;
  job.spine.step("explore", job.no_rewrite(), [&] {
    const double started = wall_seconds();
    Rewriting& rewriting = *(out.grown.rewriting = fresh(job, read, {}));
    out.rules_used = rewriting.rules_used();
    out.rules_left_out = rewriting.rules_left_out();
    out.grown.growth = rewriting.explore();
    rewriting.file_growth();
    out.seconds = wall_seconds() - started;
    const Growth& growth = out.grown.growth;
    return growth.wrong.empty() ? std::string(to_string(growth.stop_reason)) : "failed: " + growth.wrong;
  });
  return out;
}

Priced price(const Job& job, const ReadModel& read, const ProgramSizes& sizes, const Grown& grown) {
  Priced out;
  job.spine.step("price", job.no_rewrite(), [&] {
    CostChoice& costs = out.costs;
    const bool in_target = is_of(job.ways.cost.priced_on(job.target->kind()), *job.target);
    costs = choose_cost(job.ways.cost, job.options.threads, read.program.dialect(), read.size.weight_bytes,
                        job.time.search(), job.spine.progress(), sizes.first.symbols,
                        in_target ? job.target : job.runtime);
    std::string outcome;
    if (costs.measured) {
      out.report =
          measured_prices(job, *grown.rewriting, *costs.measured, may_end_early(job, read, grown.growth));
      const runtime::MeasuredCount count = costs.measured->count();
      outcome = fmt::format("{} known; {}", count.known, out.report->outcome());
      if (count.shared > 0)
        outcome += fmt::format("; {} that every program has are not measured", count.shared);
      if (count.large > 0) outcome += fmt::format("; {} too large to be measured alone", count.large);
      job.spine.record().numbers["price.shared"] = static_cast<double>(count.shared);
    }
    out.original = cost::graph_cost(*costs.model, read.original());
    job.spine.improved("original", out.original);
    return outcome;
  });
  return out;
}

runtime::InputSpec timed_inputs(const Job& job, const ProgramSizes& sizes) {
  runtime::InputSpec out;
  out.seed = job.options.seed;
  out.npz = job.options.inputs;
  out.dims = sizes.dims();
  out.bounds = sizes.first.bounds;
  return out;
}

LookedInto look_into_bodies(const Job& job, const ReadModel& read, const ProgramSizes& sizes,
                            const CostChoice& costs, Grown grown) {
  LookedInto out{{{}, costs}, std::move(grown)};
  const bool disabled = std::ranges::count(job.options.disable_rules, kBodyRewrite) > 0;
  const char* const kept = disabled ? "--disable-rule" : job.no_rewrite();
  job.spine.step("bodies", has_bodies(read.original()) ? kept : "no If, Loop or Scan", [&] {
    constexpr double kShare = 0.4;  // of the time for searching that is left
    const Deadline until = job.time.search().part(kShare);
    out.found =
        optimise_bodies(read.program, {job.options, job.ways, costs, job.spine.limits(), until,
                                       job.spine.progress(), conditions_when_timed(job, read, sizes, until)});
    const OptimisedBodies& bodies = out.found.bodies;
    out.grown.rewriting->offer(bodies.rewrites);
    return fmt::format("{} of {} are cheaper", bodies.better, bodies.looked_at);
  });
  return out;
}

Searched search(const Job& job, const ReadModel& read, const BodiesAndCosts& known, Grown grown,
                double seconds) {
  const CostChoice& costs = known.costs;
  Searched out;
  out.grown = std::move(grown);
  job.spine.step("search", no_search(job, out.grown.growth), [&] {
    SearchingOn how{[&] { return fresh(job, read, known.bodies.rewrites); },
                    seconds,
                    job.ways.search == SearchKind::kMcts,
                    {},
                    job.stop};
    if (costs.measured)
      how.price = [&](const Rewriting& rewriting) {
        return measured_prices(job, rewriting, *costs.measured, false).measured;
      };
    SearchedOn searched =
        search_on(std::move(out.grown.rewriting), *costs.model, how, job.spine, out.grown.growth);
    out.grown = {std::move(searched.rewriting), searched.growth};
    job.spine.record().texts["search"] = searched.of;
    out.best = std::move(searched.best);
    return searched.outcome;
  });
  // Measuring goes on while bodies are optimised and e-graphs are grown.
  if (costs.model) out.original = cost::graph_cost(*costs.model, read.original());
  return out;
}

Candidates extract(const Job& job, const ReadModel& read, const CostChoice& costs,
                   const std::optional<PricingReport>& report, const Rewriting* rewriting, double original,
                   std::optional<rewrite::TensorExtraction> best) {
  Candidates out;
  job.spine.step("extract", job.no_rewrite(), [&] {
    const double about_ms = costs.measured ? original : 0;
    if (report && report->hopeless()) {
      out.why_none = original_since(fmt::format(
          "all that could be rewritten may save {:.2f} % at most, which is too little to be shown",
          100 * report->most_gain));
      return out.why_none.words;
    }
    const uint64_t weights = memory_of_run(read.original(), {}).weight_bytes;
    const size_t most = by_cost_alone(job) ? 1 : most_candidates(about_ms, weights);
    // To show a small gain of a slow program takes long, and it is ended where it seems to be none (Trial).
    const bool clearly = costs_forecast(job) && about_ms > runtime::kSlowMs;
    out = find_candidates(*rewriting, costs, {most, original, clearly}, std::move(best));
    if (out.list.empty()) return out.why_none.words;
    job.spine.improved("extracted", out.cheapest->cost);
    return fmt::format("{} candidate{}", out.list.size(), out.list.size() == 1 ? "" : "s");
  });
  return out;
}

}  // namespace isomer::recipes::steps
