#include "recipes/variants.h"

#include <cmath>
#include <filesystem>
#include <numbers>
#include <unordered_set>

#include "eval/fold.h"
#include "formats/onnx.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "recipes/cost_choice.h"
#include "recipes/load.h"
#include "recipes/pricing.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/rng.h"

namespace isomer::recipes {
namespace {

/// Another model's costs, each times exp(spread * a normal number that depends on the operator and the seed).
class Disturbed final : public cost::CostModel {
 public:
  Disturbed(cost::CostModel& model, double spread, uint64_t seed)
      : model_(model), spread_(spread), seed_(seed) {}
  std::string name() const override { return "disturbed"; }
  double cost(const cost::NodeCostQuery& query) override {
    uint64_t hash = hash_combine(seed_, hash_string(query.op.op.name));
    for (ir::AttrId a : query.op.attrs) hash = hash_combine(hash, a.v);
    for (ir::TypeId t : query.op.inputs) hash = hash_combine(hash, t.v);
    Rng rng(hash);
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * rng.uniform());
    return model_.cost(query) * std::exp(spread_ * normal);
  }

 private:
  cost::CostModel& model_;
  double spread_;
  uint64_t seed_;
};

constexpr double kLeastSpread = 0.1, kMostSpread = 2;
constexpr size_t kTriesEach = 6;  ///< before the e-graph is taken to have no more programs
constexpr double kMeasuringSeconds = 60;

}  // namespace

std::vector<Variant> write_variants(const VariantOptions& options, const StopToken& stop,
                                    ProgressSink& progress) {
  ir::Context ctx(ir::standard_ops());
  const Program program = load_program(ctx, options.input);
  REQUIRE(program.envelope != nullptr, "variants are written as ONNX, so they are made of ONNX");
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
  Rewriting rewriting(program.graph, optimize, spine, program.envelope->opset());
  OptimizeResult result;
  rewriting.explore(result);
  const CostChoice costs =
      choose_cost(options.cost, options.threads, program.envelope->opset(), stop, progress);
  if (costs.measured) price_lazily(rewriting, *costs.measured, stop, progress);

  std::vector<ir::Graph> graphs = {program.graph};
  std::unordered_set<uint64_t> seen = {ir::dag_hash(program.graph)};
  const size_t tries = kTriesEach * options.count;
  for (size_t i = 0; i < tries && graphs.size() < options.count && !stop.requested(); ++i) {
    const double share = static_cast<double>(i % options.count) / static_cast<double>(options.count);
    Disturbed disturbed(*costs.model, kLeastSpread * std::pow(kMostSpread / kLeastSpread, share),
                        hash_combine(options.seed, i));
    const rewrite::TensorExtraction picked = rewriting.pick(disturbed, {true, kMeasuringSeconds, {}});
    if (picked.found && seen.insert(ir::dag_hash(picked.graph)).second &&
        formats::unspellable(picked.graph, program.envelope->opset()).empty())
      graphs.push_back(picked.graph);
  }
  if (costs.measured) {
    for (const ir::Graph& graph : graphs)
      cost::for_each_query(
          graph, [&](ir::ValueId, const cost::NodeCostQuery& query) { costs.measured->want(query); });
    runtime::Wait wait;
    wait.stop = stop;
    costs.measured->measure(kMeasuringSeconds, wait);
  }
  std::filesystem::create_directories(options.folder);
  std::vector<Variant> out;
  for (const ir::Graph& graph : graphs) {
    const std::string file =
        (std::filesystem::path(options.folder) / (std::to_string(out.size()) + ".onnx")).string();
    formats::write_onnx(eval::fold(graph).graph, *program.envelope, file);
    out.push_back({file, cost::graph_cost(*costs.model, graph)});
  }
  return out;
}

}  // namespace isomer::recipes
