#include "mugraph/lax.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "eval/field.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/graph_copy.h"
#include "ir/scalar_table.h"
#include "meaning/flatten.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

using ir::Combiner;
using ir::ScalarOp;
using ir::ValueId;

/// Why a scalar operator is outside; empty if it is not.
std::string_view outside(const ir::ScalarExpr::Instr& i) {
  if (i.op == ScalarOp::kCast)
    return ir::is_float(i.dtype) && !ir::keeps_all(ir::DType::kF32, i.dtype) ? "a rounding to fewer bits"
                                                                             : "";
  return *ir::row(i.op).outside_lax;
}

/// What of one node matters: exponentials on a path to it.
struct Reach {
  int exponentials = 0;
  std::string reason;  ///< why it is outside
};

/// Exponentials on the deepest path to the expression's value.
int depth_of(const ir::ScalarExpr& e, const std::vector<int>& reads, const std::vector<int>& accumulators) {
  std::vector<int> stack;
  for (const auto& i : e.code()) {
    int depth = 0;
    for (int n = ir::operand_count(i.op); n > 0; --n) {
      depth = std::max(depth, stack.back());
      stack.pop_back();
    }
    if (i.op == ScalarOp::kRead) depth = reads[static_cast<size_t>(i.index)];
    if (i.op == ScalarOp::kAcc) depth = accumulators[static_cast<size_t>(i.index)];
    stack.push_back(depth + (i.op == ScalarOp::kExp));
  }
  return stack.empty() ? 0 : stack.back();
}

class Partitioning {
 public:
  Partitioning(const ir::Graph& graph, Rectifiers rectifiers)
      : g_(graph),
        rectifiers_(rectifiers),
        flat_(meaning::flatten(graph)),
        pieces_(graph.size()),
        level_(graph.size()),
        depth_(graph.size()),
        inside_(graph.size()),
        root_(graph.size()) {
    for (size_t i = 0; i < flat_.graph.size(); ++i) pieces_[flat_.origin[i].index()].push_back(ValueId(i));
    flat_depth_.resize(flat_.graph.size());
    std::iota(root_.begin(), root_.end(), size_t{0});
    out_.exponentials.resize(graph.size());
  }

  LaxPartition run() {
    for (size_t i = 0; i < g_.size(); ++i)
      if (g_.def(ValueId(i)).kind != ir::MeaningKind::kLeaf) place(ValueId(i));
    collect();
    return std::move(out_);
  }

 private:
  bool leaf(ValueId v) const { return g_.def(v).kind == ir::MeaningKind::kLeaf; }

  /// Parts have a level: that of the deepest part before them, plus one. What is outside has the level of
  /// what it reads, so that paths through it rise, and nodes of one level that are connected are one part.
  void place(ValueId v) {
    const size_t at = v.index();
    int level = 0;
    for (ValueId o : g_.operands(v))
      if (!leaf(o)) level = std::max(level, level_[o.index()] + (inside_[o.index()] ? 0 : 1));
    Reach reach = look(v, level);
    if (reach.reason.empty() && reach.exponentials > 1) reach = look(v, ++level);
    if (reach.reason.empty() && reach.exponentials > 1) reach.reason = "an exponential of an exponential";
    constexpr int kAlone = std::numeric_limits<int>::max();
    out_.exponentials[at] = look(v, kAlone).exponentials;
    inside_[at] = reach.reason.empty();
    if (inside_[at]) {
      level_[at] = level;
      depth_[at] = reach.exponentials;
      for (ValueId o : g_.operands(v))
        if (!leaf(o) && inside_[o.index()] && level_[o.index()] == level) root_[find(o.index())] = find(at);
      return;
    }
    level = 0;
    for (ValueId o : g_.operands(v))
      if (!leaf(o)) level = std::max(level, level_[o.index()]);
    level_[at] = level;
    out_.outside.push_back({v, reach.reason});
  }

  /// `v` as a node of a part of this level.
  Reach look(ValueId v, int level) {
    Reach out;
    for (ValueId f : pieces_[v.index()]) {
      const ir::OpDef& def = flat_.graph.def(f);
      std::vector<int> operands;
      std::vector<ir::TypeId> types;
      for (ValueId o : flat_.graph.operands(f)) {
        const ValueId origin = flat_.origin[o.index()];
        const bool same = origin == v || (inside_[origin.index()] && level_[origin.index()] == level);
        operands.push_back(!same ? 0 : origin == v ? flat_depth_[o.index()] : depth_[origin.index()]);
        types.push_back(flat_.graph.type_id(o));
      }
      int& depth = flat_depth_[f.index()];
      depth = operands.empty() ? 0 : *std::ranges::max_element(operands);
      out.exponentials = std::max(out.exponentials, depth);
      if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple) continue;
      if (def.nests == nullptr) {
        out.reason = "its meaning is not a loop nest";
        return out;
      }
      const ir::OpInstance instance(g_.context(), def, flat_.graph.attrs(f), types, flat_.graph.type_id(f));
      if (!fixed(f)) {
        out.reason = "its sizes are not known";
        return out;
      }
      const bool power = g_.def(v).element == ir::ScalarOp::kPow && lawful_power(g_.operands(v)[1]);
      if (rectifiers_ == Rectifiers::kInside && g_.def(v).range_kind() == ir::RangeKind::kRelu) continue;
      for (const ir::LoopNest& nest : def.nests(instance)) {
        std::vector<int> reads, accumulators;
        if (nest.scan.up_to >= 0 || !nest.further.empty())
          out.reason = "a scan, or several results of one loop nest";
        for (const ir::Read& r : nest.reads) reads.push_back(operands[static_cast<size_t>(r.input)]);
        for (const ir::Accumulator& a : nest.accumulators) {
          accumulators.push_back(depth_of(a.body, reads, {}));
          if (a.combine != Combiner::kSum && !(a.combine == Combiner::kMax && g_.def(v).any_maximum))
            out.reason = a.combine == Combiner::kProduct ? "a product over a dimension"
                         : a.combine == Combiner::kStep  ? "steps in an order"
                                                         : "a maximum or minimum";
          refuse(a.body, power, out);
        }
        refuse(nest.result, power, out);
        depth = std::max(depth, depth_of(nest.result, reads, accumulators));
      }
      out.exponentials = std::max(out.exponentials, depth);
      if (!out.reason.empty()) return out;
    }
    return out;
  }

  static void refuse(const ir::ScalarExpr& e, bool power, Reach& out) {
    for (const auto& i : e.code())
      if (const auto why = outside(i);
          !why.empty() && !(power && i.op == ScalarOp::kPow) && out.reason.empty())
        out.reason = why;
  }

  /// Whether all exponents are constants that have powers in the field.
  bool lawful_power(ValueId exponent) const {
    while (g_.def(exponent).is(ir::Core::kBroadcast) || g_.def(exponent).moves == ir::Moves::kReshapes)
      exponent = g_.operands(exponent)[0];
    const ir::Type& type = g_.type(exponent);
    if (!g_.def(exponent).is(ir::Core::kConstant) || !ir::is_float(type.dtype)) return false;
    const ir::Constant& constant = eval::constant_of(g_, exponent);
    if (constant.storage == nullptr) return false;
    eval::Float64 domain;
    const auto values = eval::constant_value(domain, g_.context(), constant);
    return std::ranges::all_of(values.tensor->numbers, eval::PrimeField::lawful_exponent);
  }

  bool fixed(ValueId f) const {
    const auto known = [&](ir::TypeId id) {
      const ir::Type& type = g_.context().get(id);
      return type.kind != ir::TypeKind::kTensor || ir::is_static(type.shape);
    };
    return known(flat_.graph.type_id(f)) && std::ranges::all_of(flat_.graph.operands(f), [&](ValueId o) {
             return known(flat_.graph.type_id(o));
           });
  }

  size_t find(size_t i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }

  void collect() {
    std::map<size_t, size_t> part_of;  // by root
    std::vector<size_t> part(g_.size(), SIZE_MAX);
    std::vector<int> levels;
    for (size_t i = 0; i < g_.size(); ++i) {
      if (leaf(ValueId(i)) || !inside_[i]) continue;
      const auto [at, is_new] = part_of.try_emplace(find(i), out_.parts.size());
      if (is_new) {
        out_.parts.emplace_back();
        levels.push_back(level_[i]);
      }
      part[i] = at->second;
      out_.parts[part[i]].nodes.emplace_back(i);
    }
    std::set<ValueId> read;
    for (size_t i = 0; i < g_.size(); ++i)
      for (ValueId o : g_.operands(ValueId(i)))
        if (part[o.index()] != part[i]) read.insert(o);
    read.insert(g_.outputs().begin(), g_.outputs().end());
    for (LaxPart& p : out_.parts) {
      std::set<ValueId> seen;
      for (ValueId v : p.nodes) {
        if (read.contains(v)) p.outputs.push_back(v);
        for (ValueId o : g_.operands(v))
          if (part[o.index()] != part[v.index()] && seen.insert(o).second) p.inputs.push_back(o);
      }
    }
    for (const auto& o : out_.outside) levels.push_back(level_[o.node.index()]);
    out_.order.resize(levels.size());
    std::iota(out_.order.begin(), out_.order.end(), size_t{0});
    // Parts of a level before what is outside on it, which is in the graph's order.
    std::ranges::stable_sort(out_.order, {}, [&](size_t i) { return levels[i]; });
  }

  const ir::Graph& g_;
  Rectifiers rectifiers_;
  meaning::Flat flat_;
  std::vector<std::vector<ValueId>> pieces_;  // of each node
  std::vector<int> flat_depth_, level_, depth_;
  std::vector<char> inside_;
  std::vector<size_t> root_;
  LaxPartition out_;
};

}  // namespace

LaxPartition partition_lax(const ir::Graph& graph, Rectifiers rectifiers) {
  return Partitioning(graph, rectifiers).run();
}

ir::Graph subprogram(const ir::Graph& graph, const LaxPart& part) {
  ir::Builder b(graph.context());
  ir::GraphCopy copy(b, graph);
  for (ValueId v : part.inputs) {
    const std::string& name = graph.name(v);
    copy[v] = b.input(name.empty() ? fmt::format("v{}", v.index()) : name, graph.type_id(v));
  }
  for (ValueId v : part.nodes) copy.add(v);
  std::vector<ValueId> outputs;
  for (ValueId v : part.outputs) outputs.push_back(copy[v]);
  return b.finish(std::move(outputs));
}

std::string print(const LaxPartition& p, const ir::Graph& graph) {
  std::string out;
  for (const auto& o : p.outside)
    out += fmt::format("outside: {}: {}\n", meaning::describe(graph, o.node), o.reason);
  for (size_t i = 0; i < p.parts.size(); ++i) {
    std::map<std::string, int> operators;
    for (ValueId v : p.parts[i].nodes) ++operators[graph.def(v).name];
    std::string names;
    for (const auto& [name, n] : operators)
      names += fmt::format("{}{}{}", names.empty() ? "" : ", ", name, n > 1 ? fmt::format(" x{}", n) : "");
    out += fmt::format("part {}: {} inputs, {} outputs: {}\n", i, p.parts[i].inputs.size(),
                       p.parts[i].outputs.size(), names);
  }
  return out +
         (p.outside.empty() && p.parts.size() < 2
              ? std::string("inside LAX\n")
              : fmt::format("{} parts inside LAX, {} operators outside\n", p.parts.size(), p.outside.size()));
}

}  // namespace isomer::mugraph
