#include "api/graph.h"

#include <fmt/format.h>

#include "cost/cost_model.h"
#include "formats/onnx.h"
#include "ir/print.h"
#include "recipes/fold_checked.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "verify/equivalence.h"

namespace isomer::api {
namespace {

std::vector<uint32_t> numbers(std::span<const ir::ValueId> values) {
  std::vector<uint32_t> out;
  for (ir::ValueId v : values) out.push_back(v.v);
  return out;
}

}  // namespace

Graph::Graph(std::shared_ptr<Workspace> workspace, recipes::Program program)
    : workspace_(std::move(workspace)),
      program_(std::make_shared<const recipes::Program>(std::move(program))) {}

Graph Graph::load(const std::string& path, const std::map<std::string, int64_t>& dims) {
  auto workspace = std::make_shared<Workspace>();
  recipes::Program program = recipes::load_program(workspace->context(), path, dims);
  return {std::move(workspace), std::move(program)};
}

Graph Graph::parse(const std::string& text, const Graph* beside) {
  auto workspace = beside != nullptr ? beside->workspace_ : std::make_shared<Workspace>();
  const auto lock = workspace->lock();
  recipes::Program program{ir::parse_graph(workspace->context(), text), nullptr};
  return {workspace, std::move(program)};
}

Graph Graph::with(ir::Graph graph) const {
  recipes::Program program = *program_;
  program.graph = std::move(graph);
  return {workspace_, std::move(program)};
}

Node Graph::node(uint32_t id) const {
  const auto lock = workspace_->lock();
  if (id >= size()) throw UsageError(fmt::format("there are {} nodes, no number {}", size(), id));
  const ir::ValueId v(id);
  ir::Context& ctx = workspace_->context();
  std::vector<ir::TypeId> types;
  for (ir::ValueId o : ir().operands(v)) types.push_back(ir().type_id(o));
  return {describe(ir::OpInstance(ctx, ir().def(v), ir().attrs(v), types, ir().type_id(v))), id, ir().name(v),
          numbers(ir().operands(v)), ir::print(ctx, ir().op(v), ir().payload(v))};
}

std::vector<Node> Graph::nodes() const {
  std::vector<Node> out;
  for (uint32_t i = 0; i < size(); ++i) out.push_back(node(i));
  return out;
}

std::vector<uint32_t> Graph::inputs() const { return numbers(ir().inputs()); }
std::vector<uint32_t> Graph::outputs() const { return numbers(ir().outputs()); }

std::string Graph::text() const {
  const auto lock = workspace_->lock();
  return ir::print(ir());
}

std::map<std::string, size_t> Graph::operators() const {
  std::map<std::string, size_t> out;
  for (uint32_t i = 0; i < size(); ++i) ++out[ir().def(ir::ValueId(i)).name];
  return out;
}

double Graph::cost(const std::string& model) const {
  const auto lock = workspace_->lock();
  return cost::graph_cost(workspace_->cost_model(model), ir());
}

void Graph::save(const std::string& path) const {
  const auto lock = workspace_->lock();
  if (path.ends_with(".graph")) {
    write_file(path, ir::print(ir()));
    return;
  }
  if (!path.ends_with(".onnx")) throw UsageError(path + ": expected a name that ends in .onnx or .graph");
  const ir::Graph folded = recipes::fold_checked(ir());
  const auto envelope = program_->envelope ? program_->envelope : formats::OnnxEnvelope::plain(folded);
  formats::OnnxWriteOptions options;
  options.contrib = program_->contrib;
  const formats::Dialect dialect = formats::dialect_of(folded, *envelope, options.contrib);
  if (const std::string bad = formats::unspellable(folded, dialect); !bad.empty())
    throw InputError("cannot be written as ONNX: " + bad);
  formats::write_onnx(folded, *envelope, path, options);
}

verify::Verdict Graph::equivalent(const Graph& other, double seconds, const StopToken& stop) const {
  if (workspace_ != other.workspace_)
    throw UsageError("graphs that were read apart: save both, and compare the files");
  const auto lock = workspace_->lock();
  verify::EquivalenceOptions options;
  options.until = Deadline(seconds, steady_clock(), stop);
  return verify::check_equivalent(ir(), other.ir(), options);
}

}  // namespace isomer::api
