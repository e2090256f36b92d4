#include "recipes/deciders.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "eval/interpreter.h"
#include "formats/onnx_bodies.h"
#include "formats/onnx_opaque.h"
#include "ir/constant_data.h"

namespace isomer::recipes {
namespace {

using ir::ScalarOp;

constexpr size_t kMostValues = 8, kMostRuns = 8;
constexpr int64_t kMost = int64_t{1} << 53;  // up to there a double is every integer

bool is_one_number(const ir::Type& type) {
  return type.is_static_tensor() && ir::is_integer(type.dtype) && ir::element_count(type.shape) == 1;
}

/// Its first operand is the condition. Another domain's operator of that name may have none.
bool is_if(const ir::Graph& graph, ir::ValueId v) {
  if (graph.operands(v).empty()) return false;
  return graph.def(v).has_role(ir::AttrRole::kOtherwise) ||
         (formats::is_control(graph, v) && formats::view_opaque(graph, v).op == "If");
}

class Search {
 public:
  explicit Search(const ir::Graph& graph) : graph_(graph) {}

  std::vector<Decider> run() {
    for (size_t i = 0; i < graph_.size(); ++i)
      if (const ir::ValueId v(i); is_if(graph_, v)) follow(graph_.operands(v)[0]);
    std::erase_if(out_, [](const Decider& d) { return d.values.empty(); });
    return std::move(out_);
  }

 private:
  /// What the value is moved from, unchanged: of one element.
  ir::ValueId source(ir::ValueId v) const {
    while (graph_.def(v).moves == ir::Moves::kReshapes || graph_.def(v).moves == ir::Moves::kSelects)
      v = graph_.operands(v)[0];
    return v;
  }

  void follow(ir::ValueId condition) {
    const ir::ValueId v = source(condition);
    if (!seen_.insert(v.index()).second) return;
    const ir::OpDef& def = graph_.def(v);
    if (def.is(ir::Core::kInput)) {
      if (is_one_number(graph_.type(v)) && graph_.type(v).dtype == ir::DType::kBool) add(v, {0, 1}, false);
      return;
    }
    const auto asks = def.element ? def.element : def.mirrored;
    if (asks == ScalarOp::kNot || asks == ScalarOp::kAnd || asks == ScalarOp::kOr)
      for (const ir::ValueId operand : graph_.operands(v)) follow(operand);
    if (asks == ScalarOp::kEqual || asks == ScalarOp::kLess || asks == ScalarOp::kLessEqual)
      for (const size_t i : {size_t{0}, size_t{1}})
        compared(source(graph_.operands(v)[i]), source(graph_.operands(v)[1 - i]), asks == ScalarOp::kEqual);
  }

  void compared(ir::ValueId input, ir::ValueId constant, bool equal) {
    if (!graph_.def(input).is(ir::Core::kInput) || !graph_.def(constant).is(ir::Core::kConstant)) return;
    const ir::DType dtype = graph_.type(input).dtype;
    if (!is_one_number(graph_.type(input)) || !is_one_number(graph_.type(constant)) ||
        dtype == ir::DType::kBool)
      return;
    const int64_t number =
        ir::load_integer(dtype, eval::constant_of(graph_, constant).bytes(), 0);  // of the input's type
    if (number <= -kMost || number >= kMost) return;
    const auto at = static_cast<double>(number);
    if (equal)
      add(input, {at, at + 1}, true);
    else
      add(input, {at - 1, at, at + 1}, false);
  }

  /// Numbers that equalities ask for before those beside them.
  void add(ir::ValueId input, const std::vector<double>& values, bool usual) {
    const std::string& name = graph_.name(input);
    const ir::DType dtype = graph_.type(input).dtype;
    auto it = std::ranges::find(out_, name, &Decider::input);
    if (it == out_.end()) it = out_.insert(out_.end(), Decider{name, {}, false});
    auto& own = it->values;
    for (const double value : values) {
      const auto integer = static_cast<int64_t>(value);
      const bool first = usual && !it->has_usual && value == values.front();
      if (first) std::erase(own, value);
      const bool known = std::ranges::find(own, value) != own.end();
      if (known || own.size() == kMostValues || ir::wrap_to(dtype, integer) != integer) continue;
      own.insert(first ? own.begin() : own.end(), value);
      it->has_usual |= first;
    }
  }

  const ir::Graph& graph_;
  std::unordered_set<size_t> seen_;
  std::vector<Decider> out_;
};

runtime::Bounds only(double value) { return {value, value + 1, {value}}; }

}  // namespace

std::vector<Decider> deciders_of(const ir::Graph& graph) { return Search(graph).run(); }

std::vector<Decider> joined(std::vector<Decider> deciders, const std::vector<Decider>& more) {
  for (const Decider& d : more) {
    const auto own = std::ranges::find(deciders, d.input, &Decider::input);
    if (own == deciders.end()) {
      deciders.push_back(d);
      continue;
    }
    for (const double value : d.values)
      if (std::ranges::find(own->values, value) == own->values.end()) own->values.push_back(value);
  }
  return deciders;
}

InputBounds with_usual(InputBounds bounds, const std::vector<Decider>& deciders) {
  for (const Decider& d : deciders)
    if (d.has_usual) bounds.try_emplace(d.input, only(d.values.front()));
  return bounds;
}

InputBounds without_usual(InputBounds bounds, const std::vector<Decider>& deciders) {
  for (const Decider& d : deciders) {
    const auto it = bounds.find(d.input);
    if (d.has_usual && it != bounds.end() && it->second.values == only(d.values.front()).values)
      bounds.erase(it);
  }
  return bounds;
}

std::vector<InputBounds> other_branches(const std::vector<Decider>& deciders) {
  std::vector<InputBounds> out;
  for (const Decider& d : deciders)
    for (size_t i = d.has_usual; i < d.values.size() && out.size() < kMostRuns; ++i)
      out.push_back({{d.input, only(d.values[i])}});
  return out;
}

}  // namespace isomer::recipes
