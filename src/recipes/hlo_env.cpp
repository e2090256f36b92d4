#include "recipes/hlo_env.h"

#include <algorithm>
#include <stdexcept>

#include "hlo/dag_hash.h"
#include "hlo/print.h"
#include "recipes/hlo_rule_pass.h"
#include "runtime/hlo_files.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::recipes {
std::vector<std::string> hlo_opcode_names() {
  std::vector<std::string> out;
  for (int i = 0; i < hlo::kOpcodeCount; ++i) out.emplace_back(hlo::name(static_cast<hlo::Opcode>(i)));
  return out;
}

std::vector<std::string> hlo_element_names() {
  std::vector<std::string> out;
  for (int i = 0; i < hlo::kPrimitiveCount; ++i) out.emplace_back(hlo::name(static_cast<hlo::Primitive>(i)));
  return out;
}

HloEnv HloEnv::parse(const std::string& contents, const std::string& file) {
  return HloEnv(runtime::hlo_file(contents, file).module);
}

HloEnv HloEnv::load(const std::string& path) { return parse(read_file(path), path); }

std::string HloEnv::text() const { return hlo::print(*module_, hlo::Dialect::kShort); }

uint64_t HloEnv::hash() const { return hlo::dag_hash(*module_); }

const passes::AlternativeGraph& HloEnv::graph() const {
  if (!graph_) throw UsageError("expected a dry run before: nothing was proposed on this module yet");
  return *graph_;
}

const passes::AlternativeGraph& HloEnv::dry_run(const std::vector<std::string>& passes) {
  const auto chosen = hlo_passes(passes);
  graph_ = std::make_shared<const passes::AlternativeGraph>(passes::dry_run(*module_, chosen));
  return *graph_;
}

HloGraphArrays HloEnv::arrays() const {
  const passes::AlternativeGraph& graph = this->graph();
  const hlo::Module& m = graph.module();
  const std::vector<cost::HloCounts> counts = cost::hlo_counts_of_each(m);
  HloGraphArrays out;
  const size_t nodes = m.instructions.size(), ways = graph.alternatives().size();
  const auto make_room = [](size_t count, auto&... lists) { (lists.reserve(count), ...); };
  make_room(nodes, out.opcodes, out.computations, out.elements, out.sizes, out.flops, out.bytes);
  make_room(2 * m.operand_ids.size(), out.edges);
  make_room(ways, out.ways, out.rules);
  for (uint32_t i = 0; i < nodes; ++i) {
    const hlo::InstructionId id(i);
    const hlo::Shape& shape = m.shapes[m.shape(id)];
    out.opcodes.push_back(static_cast<int32_t>(m[id].opcode));
    out.computations.push_back(i < graph.originals() ? static_cast<int32_t>(graph.computation_of(id).v) : -1);
    out.elements.push_back(static_cast<int32_t>(shape.element));
    const bool array = shape.kind == hlo::ShapeKind::kArray;
    out.sizes.push_back(array ? std::max<int64_t>(0, m.shapes.elements(m.shape(id))) : 0);
    out.flops.push_back(counts[i].flops + counts[i].transcendentals);
    out.bytes.push_back(counts[i].bytes);
    for (const hlo::InstructionId operand : m.operands(id))
      out.edges.insert(out.edges.end(), {int64_t{operand.v}, int64_t{i}});
  }
  for (const passes::Choice& choice : graph.choices()) {
    out.targets.push_back(choice.target.v);
    out.first_way.push_back(static_cast<int64_t>(out.ways.size()));
    for (const passes::Alternative& way : choice.ways) {
      out.ways.push_back(way.value.v);
      out.rules.emplace_back(graph.rule(way));
    }
  }
  out.first_way.push_back(static_cast<int64_t>(out.ways.size()));
  return out;
}

std::vector<passes::Refusal> HloEnv::apply(const std::vector<uint32_t>& decisions) {
  try {
    passes::Applied applied = graph().apply(decisions);
    module_ = std::make_shared<const hlo::Module>(std::move(applied.module));
    graph_.reset();
    return std::move(applied.refused);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

size_t HloEnv::run(const passes::Pipeline& pipeline, const StopToken& stop) {
  LimitWatch watch({.stop = stop});
  passes::RunResult result = passes::run(*module_, pipeline.stages, &watch);
  if (!result.at_rest && watch.check_now() == StopReason::kInterrupted)
    throw Error(ExitStatus::kInterrupted, "interrupted");
  module_ = std::make_shared<const hlo::Module>(std::move(result.module));
  graph_.reset();
  return result.taken;
}

}  // namespace isomer::recipes
