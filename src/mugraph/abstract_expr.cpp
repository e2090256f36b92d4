#include "mugraph/abstract_expr.h"

#include <fmt/format.h>

#include <algorithm>

#include "eval/interpreter.h"
#include "ir/constant_data.h"
#include "ir/scalar_table.h"
#include "meaning/flatten.h"
#include "meaning/nest.h"
#include "support/hash.h"

namespace isomer::mugraph {
namespace {

using ir::ScalarOp;
using ir::ValueId;

std::string function_name(ScalarOp op) {
  const std::string& symbol = ir::row(op).symbol;
  return symbol.empty() ? fmt::format("f{}", static_cast<int>(op)) : symbol;
}

class Abstraction {
 public:
  Abstraction(Terms& terms, const ir::Graph& graph) : terms_(terms), graph_(graph) {}

  std::optional<std::vector<TermId>> run(std::span<const TermId> inputs) {
    std::vector<std::optional<TermId>> values(graph_.size());
    for (size_t i = 0; i < inputs.size(); ++i) values[graph_.inputs()[i].index()] = inputs[i];
    for (size_t i = 0; i < graph_.size(); ++i) {
      const ValueId v(i);
      if (graph_.def(v).is(ir::Core::kInput)) continue;
      std::vector<TermId> operands;
      for (ValueId o : graph_.operands(v)) {
        if (!values[o.index()]) return std::nullopt;
        operands.push_back(*values[o.index()]);
      }
      values[i] = of_node(v, operands);
      if (!values[i]) return std::nullopt;
    }
    std::vector<TermId> out;
    for (ValueId o : graph_.outputs()) out.push_back(*values[o.index()]);
    return out;
  }

 private:
  std::optional<TermId> of_node(ValueId v, std::span<const TermId> operands) {
    const ir::OpDef& def = graph_.def(v);
    if (def.is(ir::Core::kConstant)) return of_constant(v);
    // A function of one operand stays one symbol, whatever it is made of: as silu in Mirage.
    const bool pointwise = def.kind == ir::MeaningKind::kPointwise || def.kind == ir::MeaningKind::kComposite;
    if (pointwise && operands.size() == 1 && graph_.type_id(v) == graph_.type_id(graph_.operands(v)[0]))
      return terms_.add({def.name, 0, {operands[0]}});
    if (def.nests == nullptr) return std::nullopt;
    std::vector<ir::TypeId> types;
    for (ValueId o : graph_.operands(v)) types.push_back(graph_.type_id(o));
    const ir::OpInstance instance(graph_.context(), def, graph_.attrs(v), types, graph_.type_id(v));
    const auto nests =
        meaning::compile_nests(instance, meaning::describe(graph_, v), meaning::Variables::kAsDeclared);
    if (nests.size() != 1 || nests[0].bodies.size() > 1 || !nests[0].plain) return std::nullopt;
    const meaning::CompiledNest& nest = nests[0];
    for (const auto& read : nest.reads)
      if (read.guarded) return std::nullopt;
    std::optional<TermId> accumulator;
    if (!nest.bodies.empty()) {
      accumulator = of_program(nest, nest.bodies[0], operands, std::nullopt);
      if (!accumulator) return std::nullopt;
      if (nest.combiners[0] == ir::Combiner::kSum)
        accumulator = terms_.sum(nest.reductions, *accumulator);
      else
        accumulator =
            terms_.add({fmt::format("reduce{}", static_cast<int>(nest.combiners[0])), 0, {*accumulator}});
    }
    return of_program(nest, nest.result, operands, accumulator);
  }

  TermId number(double value) { return terms_.add({fmt::format("#{}", value), 0, {}}); }

  std::optional<TermId> of_constant(ValueId v) {
    const ir::Constant& c = eval::constant_of(graph_, v);
    const ir::Type& type = graph_.type(v);
    if (!ir::is_float(type.dtype) || ir::element_count(type.shape) != 1) return std::nullopt;
    return number(ir::load_number(type.dtype, c.bytes(), 0));
  }

  std::optional<TermId> of_program(const meaning::CompiledNest& nest, const meaning::ScalarProgram& program,
                                   std::span<const TermId> operands, std::optional<TermId> accumulator) {
    std::vector<TermId> regs;
    for (const auto& in : program.code) {
      const auto reg = [&](int32_t r) { return regs[static_cast<size_t>(r)]; };
      switch (in.op) {
        case ScalarOp::kRead:
          regs.push_back(operands[static_cast<size_t>(nest.reads[static_cast<size_t>(in.index)].input)]);
          break;
        case ScalarOp::kAcc: regs.push_back(*accumulator); break;
        case ScalarOp::kConst: regs.push_back(number(in.value)); break;
        default: {
          const int count = ir::operand_count(in.op);
          if (count < 1 || count > 2) return std::nullopt;
          std::vector<TermId> children = {reg(in.a)};
          if (count == 2) children.push_back(reg(in.b));
          regs.push_back(terms_.add({function_name(in.op), 0, std::move(children)}));
        }
      }
    }
    return regs.back();
  }

  Terms& terms_;
  const ir::Graph& graph_;
};

}  // namespace

uint32_t Terms::number_of_degree(int64_t degree) {
  const auto at = std::ranges::find(degrees_, degree);
  const auto number = static_cast<uint32_t>(at - degrees_.begin());
  if (at == degrees_.end()) degrees_.push_back(degree);
  return number;
}

TermId Terms::add(Term term) {
  if (term.symbol == "+" || term.symbol == "*")
    std::ranges::sort(term.children, [&](TermId a, TermId b) { return before(a, b); });
  const TermId id = table_.term(symbols_.intern(term.symbol), number_of_degree(term.degree), term.children);
  if (id < hashes_.size()) return id;
  uint64_t h = hash_combine(hash_string(term.symbol), static_cast<uint64_t>(term.degree));
  for (TermId c : term.children) h = hash_combine(h, hashes_[c]);
  hashes_.push_back(h);
  return id;
}

Term Terms::get(TermId id) const {
  const auto children = table_.children(id);
  return {symbol(id), degree(id), {children.begin(), children.end()}};
}

bool Terms::before(TermId a, TermId b) const {
  if (a == b) return false;
  const auto x = table_.children(a), y = table_.children(b);
  if (x.empty() != y.empty()) return x.empty();
  if (table_.op(a) != table_.op(b)) return symbol(a) < symbol(b);
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (x[i] != y[i]) return before(x[i], y[i]);
  return x.size() != y.size() ? x.size() < y.size() : degree(a) < degree(b);
}

std::optional<std::vector<TermId>> abstract(Terms& terms, const ir::Graph& graph,
                                            std::span<const TermId> inputs) {
  return Abstraction(terms, graph).run(inputs);
}

std::string print(const Terms& terms, TermId id) {
  const Term t = terms.get(id);
  std::string out(t.symbol);
  if (t.children.empty()) return out;
  out += "(";
  if (t.is_sum()) out += fmt::format("{}, ", t.degree);
  for (size_t i = 0; i < t.children.size(); ++i) out += (i > 0 ? ", " : "") + print(terms, t.children[i]);
  return out + ")";
}

}  // namespace isomer::mugraph
