#include "meaning/flatten.h"

#include <fmt/format.h>

#include <optional>

#include "ir/op_table.h"
#include "ir/schedule.h"
#include "meaning/expansion.h"
#include "support/errors.h"

namespace isomer::meaning {
namespace {

using ir::ValueId;

class Flattener {
 public:
  Flattener(const ir::Graph& graph, Kernels kernels)
      : original_(graph), kernels_(kernels), builder_(graph.context(), graph.title()) {}

  Flat run() {
    std::vector<ValueId> map(original_.size());
    for (ValueId i : original_.inputs()) {
      map[i.index()] = builder_.input(original_.name(i), original_.type_id(i));
      origin_.push_back(i);
    }
    for (size_t i = 0; i < original_.size(); ++i) {
      current_ = ValueId(i);
      if (!map[i].valid()) map[i] = add(original_, current_, map, 0);
    }
    std::vector<ValueId> outputs;
    for (ValueId o : original_.outputs()) outputs.push_back(map[o.index()]);
    builder_.donate_as(original_);
    return {builder_.finish(std::move(outputs)), std::move(origin_)};
  }

 private:
  ValueId add(const ir::Graph& graph, ValueId v, std::span<const ValueId> map, int depth) {
    std::vector<ValueId> operands;
    for (ValueId o : graph.operands(v)) operands.push_back(map[o.index()]);
    const bool kept = kernels_ == Kernels::kKept && ir::has_schedule(graph.def(v));
    if (graph.def(v).kind == ir::MeaningKind::kComposite && !kept && depth < 64)
      if (const auto body = expansion(graph, v)) return inline_body(*body, operands, depth + 1);
    const ValueId out = builder_.add_typed(graph.op(v), graph.payload(v), operands, graph.type_id(v));
    builder_.set_name(out, original_.name(current_));
    origin_.push_back(current_);
    return out;
  }

  std::shared_ptr<const ir::Graph> expansion(const ir::Graph& graph, ValueId v) {
    std::vector<ir::TypeId> types;
    for (ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
    const ir::OpInstance op(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v));
    std::shared_ptr<const ir::Graph> body = expand(op);
    if (body) {
      const ir::TypeId given = body->type_id(body->outputs()[0]);
      REQUIRE(given == op.output,
              fmt::format("{}: the definition gives {}, the type rule {}", describe(original_, current_),
                          ir::print(op.ctx, given), ir::print(op.ctx, op.output)));
    }
    return body;
  }

  ValueId inline_body(const ir::Graph& body, std::span<const ValueId> operands, int depth) {
    std::vector<ValueId> map(body.size());
    for (size_t i = 0; i < operands.size(); ++i) map[body.inputs()[i].index()] = operands[i];
    for (size_t i = 0; i < body.size(); ++i)
      if (!map[i].valid()) map[i] = add(body, ValueId(i), map, depth);
    return map[body.outputs()[0].index()];
  }

  const ir::Graph& original_;
  Kernels kernels_;
  ir::Builder builder_;
  std::vector<ValueId> origin_;
  ValueId current_;
};

}  // namespace

Flat flatten(const ir::Graph& graph, Kernels kernels) { return Flattener(graph, kernels).run(); }

std::string describe(const ir::Graph& graph, ValueId v) {
  if (graph.name(v).empty()) return fmt::format("node %{} ({})", v.v, graph.def(v).name);
  return fmt::format("node '{}' ({})", graph.name(v), graph.def(v).name);
}

}  // namespace isomer::meaning
