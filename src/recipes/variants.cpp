#include "recipes/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <unordered_set>
#include <utility>

#include "eval/fold.h"
#include "formats/onnx.h"
#include "formats/onnx_external.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "recipes/cost_choice.h"
#include "recipes/found_check.h"
#include "recipes/load.h"
#include "recipes/pricing.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/hash.h"
#include "support/outputs.h"
#include "support/rng.h"

namespace isomer::recipes {
namespace {

/// Another model's costs to the power of `weight`, each times exp(spread * a normal number that depends on
/// the operator and the seed). With weights from 1 to below 0 dear operators are avoided, or sought.
class Disturbed final : public cost::CostModel {
 public:
  Disturbed(cost::CostModel& model, double weight, double spread, uint64_t seed)
      : model_(model), weight_(weight), spread_(spread), seed_(seed) {}
  std::string name() const override { return "disturbed"; }
  double cost(const cost::NodeCostQuery& query) override {
    uint64_t hash = hash_combine(seed_, hash_string(query.op.op.name));
    for (ir::AttrId a : query.op.attrs) hash = hash_combine(hash, a.v);
    for (ir::TypeId t : query.op.inputs) hash = hash_combine(hash, t.v);
    Rng rng(hash);
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * rng.uniform());
    const double cost = model_.cost(query);
    return cost > 0 ? std::pow(cost, weight_) * std::exp(spread_ * normal) : cost;
  }

 private:
  cost::CostModel& model_;
  double weight_, spread_;
  uint64_t seed_;
};

constexpr double kLeastSpread = 0.2, kMostSpread = 3;
constexpr std::array kWeights = {1.0, 1.0, 0.3, -0.3};
constexpr double kLeastShare = 0.02;  ///< of the applications that a program may use
constexpr size_t kTriesEach = 8;      ///< of extracting, for each program that is wanted, in a round
constexpr size_t kRounds = 3;         ///< until there are enough
constexpr double kMeasuringSeconds = 60, kCheckSeconds = 2;

/// The first program and, of the others, those whose costs lie as evenly as possible between the least and
/// the most: programs of equal cost say nothing about a cost model.
std::vector<size_t> spread(const std::vector<std::pair<double, size_t>>& by_cost, size_t count) {
  std::vector<size_t> out = {0};
  std::vector<bool> taken(by_cost.size());
  for (size_t i = 0; i + 1 < count && i < by_cost.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(std::max<size_t>(1, count - 2));
    const double wanted = by_cost[0].first + share * (by_cost.back().first - by_cost[0].first);
    size_t best = by_cost.size();
    for (size_t j = 0; j < by_cost.size(); ++j)
      if (!taken[j] && (best == by_cost.size() ||
                        std::abs(by_cost[j].first - wanted) < std::abs(by_cost[best].first - wanted)))
        best = j;
    taken[best] = true;
    out.push_back(by_cost[best].second);
  }
  return out;
}

/// In words. Throws VerificationError. It goes on after a stop: what is written then is verified as well.
std::string held_to_model(const ir::Graph& model, const ir::Graph& variant) {
  const FoundCheck held = check_evaluated(model, variant, kCheckSeconds);
  require_right(held, "a variant");
  return held.words();
}

}  // namespace

std::vector<Variant> write_variants(const VariantOptions& options, const StopToken& stop,
                                    ProgressSink& progress) {
  ir::Context ctx(ir::standard_ops());
  const Program program = load_program(ctx, options.input, {}, false);
  REQUIRE(program.envelope != nullptr, "variants are written as ONNX, so they are made of ONNX");
  make_folder(options.folder);
  std::vector<NamedFile> read = {{"MODEL", options.input}};
  for (const std::string& file : formats::data_files(*program.envelope))
    read.push_back({"the model's weights", file});
  OptimizeOptions optimize;
  optimize.input = options.input;
  optimize.rules = options.rules;
  optimize.k_multi = options.k_multi;
  RunRecord record;
  Limits limits;
  limits.seconds = options.time_limit;
  limits.nodes = optimize.node_limit;
  limits.iterations = optimize.iterations;
  limits.stop = stop;
  Spine spine(record, progress, limits);
  Rewriting rewriting(program.graph, optimize, ways_of(optimize), spine, program.dialect());
  require_sound(rewriting.explore());
  const CostChoice costs = choose_cost(cost_source(options.cost), options.threads, program.dialect(),
                                       weight_bytes(program.graph), Deadline().with(stop), progress);
  if (costs.measured)
    price_lazily(rewriting, *costs.measured, Deadline(kMeasuringSeconds, steady_clock(), stop), progress);

  std::vector<ir::Graph> graphs = {program.graph};
  std::unordered_set<uint64_t> seen = {ir::dag_hash(program.graph)};
  const size_t tries = kTriesEach * options.count;
  for (size_t i = 0; i < kRounds * tries && !stop.requested(); ++i) {
    if (i % tries == 0 && graphs.size() >= options.count) break;
    const double share = static_cast<double>(i % tries) / static_cast<double>(tries);
    Disturbed disturbed(*costs.model, kWeights[i / 2 % kWeights.size()],
                        kLeastSpread * std::pow(kMostSpread / kLeastSpread, share),
                        hash_combine(options.seed, i));
    // Every other one may use only some applications: costs are disturbed by kind of operator, and layers
    // that are alike would all be rewritten or none.
    PickOptions pick{true, kMeasuringSeconds, {}};
    if (i % 2 == 1)
      pick.allowed = rewriting.at_random(std::pow(kLeastShare, 1 - share), hash_combine(options.seed, ~i));
    const rewrite::TensorExtraction picked = rewriting.pick(disturbed, pick);
    if (picked.found && seen.insert(ir::dag_hash(picked.graph)).second &&
        formats::unspellable(picked.graph, program.dialect()).empty())
      graphs.push_back(picked.graph);
    progress.update({.phase = "pick",
                     .fraction = static_cast<double>(i) / static_cast<double>(kRounds * tries),
                     .note = fmt::format("{} programs", graphs.size())});
  }
  if (costs.measured) {
    for (const ir::Graph& graph : graphs)
      cost::for_each_query(
          graph, [&](ir::ValueId, const cost::NodeCostQuery& query) { costs.measured->want(query); });
    runtime::Wait wait;
    wait.stop = stop;
    costs.measured->measure(kMeasuringSeconds, wait);
  }
  std::vector<std::pair<double, size_t>> by_cost;
  for (size_t i = 1; i < graphs.size(); ++i)
    by_cost.emplace_back(cost::graph_cost(*costs.model, graphs[i]), i);
  std::ranges::sort(by_cost);
  std::vector<Variant> out;
  std::vector<ir::Graph> folded;
  for (size_t number : spread(by_cost, options.count)) {
    const std::string file =
        (std::filesystem::path(options.folder) / (std::to_string(out.size()) + ".onnx")).string();
    require_apart(std::array<NamedFile, 1>{{{"--output", file}}}, read);
    folded.push_back(eval::fold(graphs[number]).graph);
    out.push_back({file, cost::graph_cost(*costs.model, graphs[number]),
                   number == 0 ? std::string() : held_to_model(program.graph, folded.back())});
  }
  for (size_t i = 0; i < out.size(); ++i) formats::write_onnx(folded[i], *program.envelope, out[i].file);
  return out;
}

}  // namespace isomer::recipes
