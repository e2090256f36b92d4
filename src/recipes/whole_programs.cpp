#include "recipes/whole_programs.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "eval/fold.h"
#include "formats/onnx.h"
#include "ir/constant_data.h"
#include "ir/graph_copy.h"
#include "recipes/staging.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/rng.h"

namespace isomer::recipes {
namespace {

using ir::ValueId;

/// Operands that one element of a product or convolution by this weight sums up.
int64_t summed(const std::vector<int64_t>& shape) {
  if (shape.size() == 2) return shape[0];
  int64_t out = 1;
  for (size_t i = 1; i < shape.size(); ++i) out *= shape[i];
  return out;
}

ir::ConstantId make_up(ir::Context& ctx, const std::string& name, const ir::Type& type) {
  REQUIRE(type.is_static_tensor() && type.dtype == ir::DType::kF32,
          "weights must be float32, of known shape");
  const std::vector<int64_t> shape = ir::sizes(type.shape);
  std::vector<double> values(static_cast<size_t>(ir::element_count(type.shape)));
  Rng rng(hash_string(name));
  const bool flat = shape.size() < 2;
  const double half = flat ? 0.5 : std::sqrt(3.0 / static_cast<double>(std::max<int64_t>(summed(shape), 1)));
  for (double& x : values) x = (flat ? 1 : 0) + half * (2 * rng.uniform() - 1);
  return ir::add_constant(ctx, type.dtype, shape, values);
}

std::string failure_text(const runtime::Failure& failure) {
  return fmt::format("{}: {}", runtime::to_string(failure.kind), failure.message);
}

/// `made`: constants that other programs of the context hold already, by name and type.
ir::Graph made_up(const ir::Graph& program,
                  std::map<std::pair<std::string, ir::TypeId>, ir::ConstantId>& made) {
  const ir::Graph graph = without_tuples(program);
  ir::Context& ctx = graph.context();
  ir::Builder b(ctx, graph.title());
  ir::GraphCopy copy(b, graph, ir::GraphCopy::Names::kDropped);
  copy.inputs();
  for (size_t i = 0; i < graph.size(); ++i) {
    const ValueId v(i);
    if (copy[v].valid()) continue;
    if (!graph.def(v).is(ir::Core::kWeight)) {
      copy.add(v);
      continue;
    }
    const auto name = static_cast<size_t>(graph.def(v).attr_index("name"));
    const auto [at, fresh] =
        made.try_emplace({std::get<std::string>(ctx.get(graph.attrs(v)[name])), graph.type_id(v)});
    if (fresh) at->second = make_up(ctx, at->first.first, graph.type(v));
    copy[v] = b.constant(at->second);
  }
  return eval::fold(ir::prune(b.finish(copy.outputs()))).graph;
}

/// Programs as files, with weights that they share.
struct MadeUpModels {
  std::vector<std::unique_ptr<Staging>> places;
  std::vector<std::string> paths;
  std::vector<size_t> numbers;  ///< of the programs that there is a file of
  std::map<std::pair<std::string, ir::TypeId>, ir::ConstantId> made;

  /// Why it cannot be written; empty where it was.
  std::string write(const ir::Graph& program, size_t number) {
    const ir::Graph graph = made_up(program, made);
    const auto envelope = formats::OnnxEnvelope::plain(graph);
    std::string why = formats::unspellable(graph, formats::dialect_of(graph, *envelope, false));
    if (!why.empty()) return why;
    places.push_back(
        std::make_unique<Staging>((std::filesystem::temp_directory_path() / "program.onnx").string()));
    formats::OnnxWriteOptions write;
    write.durable = false;
    formats::write_onnx(graph, *envelope, places.back()->model(), write);
    paths.push_back(places.back()->model());
    numbers.push_back(number);
    return why;
  }
};

}  // namespace

ir::Graph without_tuples(const ir::Graph& graph) {
  ir::Builder b(graph.context(), graph.title());
  ir::GraphCopy copy(b, graph, ir::GraphCopy::Names::kDropped);
  copy.inputs();
  copy.rest();
  std::vector<ValueId> outputs;
  const auto give = [&](const auto& self, ValueId o) -> void {
    if (!graph.def(o).is(ir::Core::kTuple)) return outputs.push_back(copy[o]);
    for (ValueId part : graph.operands(o)) self(self, part);
  };
  for (ValueId o : graph.outputs()) give(give, o);
  return ir::prune(b.finish(std::move(outputs)));
}

ir::Graph with_made_up_weights(const ir::Graph& graph) {
  std::map<std::pair<std::string, ir::TypeId>, ir::ConstantId> made;
  return made_up(graph, made);
}

std::vector<WholeProgram> run_whole(std::span<const ir::Graph> programs, const WholeProgramOptions& options) {
  std::vector<WholeProgram> out(programs.size());
  runtime::OnnxRuntime runtime;
  MadeUpModels models;
  for (size_t i = 0; i < programs.size(); ++i) out[i].failure = models.write(programs[i], i);
  const std::vector<std::string>& paths = models.paths;
  const std::vector<size_t>& numbers = models.numbers;
  runtime::Wait wait;
  wait.stop = options.stop;
  runtime::TimingOptions timing;
  timing.load.threads = options.threads;
  timing.loads = options.loads;
  timing.max_seconds = options.seconds;
  const auto samples = runtime.time(paths, timing, wait);
  for (size_t i = 0; i < numbers.size(); ++i) {
    WholeProgram& result = out[numbers[i]];
    if (!samples) {
      result.failure = failure_text(samples.failure());
      continue;
    }
    const runtime::PairedTiming pair = runtime::pair_up((*samples)[0], (*samples)[i]);
    result.gain = pair.cpu_ratio;
    result.milliseconds = pair.candidate.median_cpu_ms;
    const auto compared = runtime.compare(paths[0], paths[i], timing.inputs, 1, timing.load, wait);
    if (compared)
      result.error = compared->max_relative_error();
    else
      result.failure = failure_text(compared.failure());
  }
  return out;
}

WholeProgram compare_whole(const ir::Graph& first, const ir::Graph& second, const StopToken& stop) {
  WholeProgram out;
  runtime::OnnxRuntime runtime;
  MadeUpModels models;
  for (const ir::Graph* program : {&first, &second})
    if (out.failure.empty()) out.failure = models.write(*program, models.paths.size());
  if (!out.failure.empty()) return out;
  runtime::Wait wait;
  wait.stop = stop;
  const runtime::TimingOptions usual;
  const auto compared = runtime.compare(models.paths[0], models.paths[1], usual.inputs, 1, usual.load, wait);
  if (compared)
    out.error = compared->max_relative_error();
  else
    out.failure = failure_text(compared.failure());
  return out;
}

}  // namespace isomer::recipes
