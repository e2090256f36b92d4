#include "mugraph/subprograms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "eval/interpreter.h"
#include "ir/attempt.h"
#include "ir/constant_data.h"
#include "ir/dag_hash.h"
#include "meaning/flatten.h"
#include "mugraph/lax.h"
#include "mugraph/search.h"
#include "support/hash.h"

namespace isomer::mugraph {
namespace {

using ir::ValueId;

/// How a node of a graph is stated again.
enum class Kind : uint8_t { kElementwise, kSquare, kProduct, kReduction, kSoftmax, kBroadcast, kReshape };

constexpr bool moves(Kind k) { return k == Kind::kBroadcast || k == Kind::kReshape; }

struct Step {
  Kind kind = Kind::kElementwise;
  std::string op;
  std::vector<size_t> operands;  ///< inputs of the program first, then steps
  bool mean = false;             ///< of a reduction
  bool safe = false;             ///< softmax: with its maximum
  int64_t axis = 0;              ///< of reductions and softmax, counted from the last dimension
  Sizes sizes;                   ///< of the result
  std::vector<std::string> dims;
};

/// Of what adds up or divides by a sum; all else is elementwise, or refused later.
Kind by_meaning(const ir::OpDef& def) {
  const ir::RangeKind range = def.range_kind();
  if (def.is_matrix_product()) return Kind::kProduct;
  if (def.kind == ir::MeaningKind::kContraction && def.has_role(ir::AttrRole::kAxes) &&
      (range == ir::RangeKind::kSum || range == ir::RangeKind::kMean))
    return Kind::kReduction;
  const bool shares = def.kind == ir::MeaningKind::kComposite && range == ir::RangeKind::kUnit &&
                      def.has_role(ir::AttrRole::kAxis);  // of a sum along it: softmax
  return shares ? Kind::kSoftmax : Kind::kElementwise;
}

Sizes without_ones(Sizes sizes) {
  std::erase(sizes, 1);
  return sizes;
}

/// One step, which makes `wanted`, of values whose ranks are equal.
ValueId state(ir::Builder& b, std::span<const ValueId> values, const Step& s, const Sizes& wanted) {
  const ValueId x = values[s.operands[0]];
  const auto axis = static_cast<int64_t>(sizes_of(b, x).size()) - 1 - s.axis;
  switch (s.kind) {
    case Kind::kElementwise: {
      std::vector<ValueId> in;
      for (size_t o : s.operands) in.push_back(broadcast(b, values[o], wanted));
      return b.add(s.op, in);
    }
    case Kind::kSquare: return b.add("mul", {x, x});
    case Kind::kProduct: return b.add("matmul", {x, values[s.operands[1]]});
    case Kind::kReduction: return reduce(b, s.op, x, {axis}, true);
    case Kind::kSoftmax: {
      const ValueId least =
          s.safe ? b.add("sub", {x, broadcast(b, reduce(b, "reduce_max", x, {axis}, true), sizes_of(b, x))})
                 : x;
      const ValueId e = b.add("exp", {least}), sum = reduce(b, "reduce_sum", e, {axis}, true);
      return b.add("div", {e, broadcast(b, sum, sizes_of(b, e))});
    }
    case Kind::kBroadcast: return broadcast(b, x, wanted);
    case Kind::kReshape: break;
  }
  return reshape(b, x, wanted);
}

/// Which dimensions of a graph's values are one: those that loop nests read at one variable.
class Dimensions {
 public:
  explicit Dimensions(const ir::Graph& flat) : g_(flat) {
    for (size_t i = 0; i < g_.size(); ++i) {
      first_.push_back(parent_.size());
      add(ir::sizes(g_.type(ValueId(i)).shape).size());
    }
    for (size_t i = 0; i < g_.size(); ++i) join(ValueId(i));
  }

  size_t of(ValueId v, size_t dim) { return find(first_[v.index()] + dim); }

 private:
  void add(size_t n) {
    for (; n > 0; --n) parent_.push_back(parent_.size());
  }
  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(size_t a, size_t b) { parent_[find(b)] = find(a); }

  void join(ValueId v) {
    const ir::OpDef& def = g_.def(v);
    if (def.moves == ir::Moves::kReshapes) {  // dimensions of 1 come and go
      const ValueId from = g_.operands(v)[0];
      const Sizes is = ir::sizes(g_.type(v).shape), was = ir::sizes(g_.type(from).shape);
      for (size_t i = 0, w = 0; i < is.size(); ++i) {
        if (is[i] == 1) continue;
        while (was[w] == 1) ++w;
        unite(first_[v.index()] + i, first_[from.index()] + w++);
      }
      return;
    }
    if (def.nests == nullptr) return;
    std::vector<ir::TypeId> types;
    for (ValueId o : g_.operands(v)) types.push_back(g_.type_id(o));
    const ir::OpInstance instance(g_.context(), def, g_.attrs(v), types, g_.type_id(v));
    for (const ir::LoopNest& nest : def.nests(instance)) {
      const size_t reductions = parent_.size();
      add(nest.reduce.size());
      for (const ir::Read& read : nest.reads) {
        const ValueId from = g_.operands(v)[static_cast<size_t>(read.input)];
        for (size_t d = 0; d < read.index.size(); ++d) {
          if (read.index[d].kind() != ir::IndexExpr::Kind::kVar) continue;
          const auto var = static_cast<size_t>(read.index[d].value());
          const size_t space = nest.space.size();
          unite(var < space ? first_[v.index()] + var : reductions + var - space, first_[from.index()] + d);
        }
      }
    }
  }

  const ir::Graph& g_;
  std::vector<size_t> first_, parent_;
};

class Cutting {
 public:
  Cutting(const ir::Graph& graph, std::string name, SoftmaxForm softmax)
      : g_(graph),
        name_(std::move(name)),
        softmax_(softmax),
        part_(graph.size(), SIZE_MAX),
        kind_(graph.size()) {}

  Subprograms run() {
    const LaxPartition lax = partition_lax(g_);
    for (size_t p = 0; p < lax.parts.size(); ++p)
      for (ValueId v : lax.parts[p].nodes) part_[v.index()] = p;
    for (const auto& o : lax.outside) ++out_.ended[fmt::format("{}: {}", g_.def(o.node).name, o.reason)];
    for (size_t i = 0; i < g_.size(); ++i) {
      if (part_[i] == SIZE_MAX) continue;
      std::string why;
      kind_[i] = kind_of(ValueId(i), why);
      if (!kind_[i]) ++out_.ended[fmt::format("{}: {}", g_.def(ValueId(i)).name, why)];
    }
    for (const auto& [root, nodes] : cones()) piece(root, nodes);
    return std::move(out_);
  }

 private:
  Sizes sizes(ValueId v) const { return ir::sizes(g_.type(v).shape); }
  int64_t axis_of(ValueId v) const {
    std::vector<ir::TypeId> types;
    for (ValueId o : g_.operands(v)) types.push_back(g_.type_id(o));
    return ir::OpInstance(g_.context(), g_.def(v), g_.attrs(v), types, g_.type_id(v)).i("axis");
  }

  std::optional<Kind> kind_of(ValueId v, std::string& why) const {
    const ir::OpDef& def = g_.def(v);
    const auto tensor = [&](ValueId x) {
      return g_.type(x).is_static_tensor() && ir::is_float(g_.type(x).dtype);
    };
    if (!tensor(v) || !std::ranges::all_of(g_.operands(v), tensor)) {
      why = "not of floating-point tensors of known sizes";
      return std::nullopt;
    }
    if (def.is(ir::Core::kBroadcast)) return Kind::kBroadcast;
    if (def.moves == ir::Moves::kReshapes) {
      if (without_ones(sizes(v)) == without_ones(sizes(g_.operands(v)[0]))) return Kind::kReshape;
      why = "it regroups dimensions";
      return std::nullopt;
    }
    const Kind kind = by_meaning(def);
    if (kind == Kind::kProduct) {
      if (sizes(g_.operands(v)[0]).size() >= 2 && sizes(g_.operands(v)[1]).size() >= 2) return Kind::kProduct;
      why = "a product with a vector";
      return std::nullopt;
    }
    if (kind == Kind::kSoftmax) return kind;
    if (kind == Kind::kReduction) {
      if (sizes(v).size() == sizes(g_.operands(v)[0]).size() && axes_of(v).size() == 1)
        return Kind::kReduction;
      why = "it drops dimensions, or reduces several";
      return std::nullopt;
    }
    if (def.element == ir::ScalarOp::kPow) {
      if (is_two(g_.operands(v)[1])) return Kind::kSquare;
      why = "a power other than the square";
      return std::nullopt;
    }
    if (def.stands_at(ir::kGraphLevel) && def.stands_at(ir::kThreadLevel)) return Kind::kElementwise;
    why = "muGraphs are searched without it";
    return std::nullopt;
  }

  /// The dimensions that a reduction leaves at 1.
  std::vector<int64_t> axes_of(ValueId v) const {
    const Sizes is = sizes(v), was = sizes(g_.operands(v)[0]);
    std::vector<int64_t> out;
    for (size_t d = 0; d < is.size() && d < was.size(); ++d)
      if (is[d] != was[d]) out.push_back(static_cast<int64_t>(d));
    return out;
  }

  bool is_two(ValueId v) const {
    while (g_.def(v).is(ir::Core::kBroadcast)) v = g_.operands(v)[0];
    if (!g_.def(v).is(ir::Core::kConstant) || ir::element_count(g_.type(v).shape) != 1) return false;
    return ir::load_number(g_.type(v).dtype, eval::constant_of(g_, v).bytes(), 0) == 2;
  }

  /// Nodes by the node that they are only needed for; in the order of the graph.
  std::map<ValueId, std::vector<ValueId>> cones() const {
    constexpr size_t kMany = SIZE_MAX;
    std::vector<std::optional<size_t>> user(g_.size());  // the root of all users so far
    const auto use = [&](ValueId v, size_t by) {
      auto& known = user[v.index()];
      known = !known || *known == by ? by : kMany;
    };
    for (ValueId o : g_.outputs()) use(o, kMany);
    std::map<ValueId, std::vector<ValueId>> out;
    for (size_t i = g_.size(); i-- > 0;) {
      const ValueId v(i);
      size_t root = kMany;
      if (kind_[i]) {
        const bool inside = user[i] && *user[i] != kMany && part_[*user[i]] == part_[i];
        root = inside ? *user[i] : i;
        out[ValueId(root)].push_back(v);
      }
      for (ValueId o : operands(v)) use(o, root);
    }
    for (auto& [root, nodes] : out) std::ranges::reverse(nodes);
    return out;
  }

  /// With as many leading dimensions of 1 as make `rank`, or without.
  static Sizes aligned(Sizes s, size_t rank) {
    while (s.size() > rank) s.erase(s.begin());
    s.insert(s.begin(), rank - s.size(), 1);
    return s;
  }

  /// The operands that a statement of the node has.
  std::span<const ValueId> operands(ValueId v) const {
    return kind_[v.index()] == Kind::kSquare ? g_.operands(v).first(1) : g_.operands(v);
  }

  void piece(ValueId root, const std::vector<ValueId>& cone) {
    Subprogram out;
    SubprogramPlace& place = out.places.emplace_back();
    place.output = root;
    out.part = part_[root.index()];
    const auto operators = static_cast<size_t>(
        std::ranges::count_if(cone, [&](ValueId v) { return !moves(*kind_[v.index()]); }));
    if (operators < 2) return;
    // What only moves elements is stated again wherever it is read: it may be shared by many pieces.
    std::set<ValueId> inside(cone.begin(), cone.end());
    std::vector<ValueId> todo = cone;
    while (!todo.empty()) {
      const ValueId v = todo.back();
      todo.pop_back();
      for (ValueId o : operands(v))
        if (kind_[o.index()] && moves(*kind_[o.index()]) && inside.insert(o).second) todo.push_back(o);
    }
    const std::vector<ValueId>& nodes = place.nodes = {inside.begin(), inside.end()};
    for (ValueId v : nodes)
      for (ValueId o : operands(v))
        if (!inside.contains(o) && std::ranges::find(place.inputs, o) == place.inputs.end())
          place.inputs.push_back(o);
    std::ranges::sort(place.inputs);
    size_t rank = 2;
    const auto widen = [&](ValueId v) {
      const Sizes s = sizes(v);
      size_t ones = 0;
      while (ones < s.size() && s[ones] == 1) ++ones;
      rank = std::max(rank, s.size() - ones);
    };
    for (ValueId v : nodes) widen(v);
    for (ValueId v : place.inputs) widen(v);

    std::map<ValueId, size_t> number;
    for (ValueId v : place.inputs) number.emplace(v, number.size());
    auto steps = std::make_shared<std::vector<Step>>();
    for (ValueId v : nodes) {
      Step s;
      s.kind = *kind_[v.index()];
      s.op = g_.def(v).name;
      s.mean = s.kind == Kind::kReduction && g_.def(v).range_kind() == ir::RangeKind::kMean;
      for (ValueId o : operands(v)) s.operands.push_back(number.at(o));
      if (s.kind == Kind::kReduction) s.axis = static_cast<int64_t>(sizes(v).size()) - 1 - axes_of(v)[0];
      if (s.kind == Kind::kSoftmax) {
        s.safe = softmax_ == SoftmaxForm::kSafe;
        const int64_t axis = axis_of(v);
        s.axis = axis < 0 ? -1 - axis : static_cast<int64_t>(sizes(v).size()) - 1 - axis;
      }
      s.sizes = aligned(sizes(v), rank);
      number.emplace(v, number.size());
      steps->push_back(std::move(s));
    }
    if (!name_dimensions(out, *steps, rank)) return;
    finish(out, steps, operators);
  }

  /// Names of the dimensions of inputs and steps; false (and counted) where the program cannot be stated.
  bool name_dimensions(Subprogram& out, std::vector<Step>& steps, size_t rank) {
    const SubprogramPlace& place = out.places[0];
    const auto refuse = [&](const std::string& why) {
      ++out_.ended[fmt::format("piece of {}: {}", g_.def(place.output).name, why)];
      return false;
    };
    ir::Builder b(g_.context());
    std::vector<ValueId> inputs;
    for (ValueId v : place.inputs)
      inputs.push_back(
          b.input("", g_.context().tensor_type(ir::DType::kF32, ir::static_shape(aligned(sizes(v), rank)))));
    std::vector<ValueId> values = inputs;
    const ir::Attempt attempt(b);
    for (const Step& s : steps) {
      values.push_back(state(b, values, s, s.sizes));
      if (!attempt || sizes_of(b, values.back()) != s.sizes) return refuse("its ranks cannot be made equal");
    }
    const ir::Graph graph = b.finish(values);
    const meaning::Flat flat = meaning::flatten(graph);
    Dimensions dimensions(flat.graph);
    std::map<size_t, std::string> names;
    Program& p = out.program;
    const auto names_of = [&](ValueId v, bool fresh) {
      std::vector<std::string> dims;
      const Sizes s = ir::sizes(flat.graph.type(v).shape);
      for (size_t d = 0; d < s.size(); ++d) {
        if (s[d] == 1) {
          dims.emplace_back("1");
          p.extents["1"] = 1;
          continue;
        }
        const size_t of = dimensions.of(v, d);
        if (!names.contains(of) && fresh) {
          names[of] = names.size() < 26 ? std::string(1, static_cast<char>('a' + names.size()))
                                        : fmt::format("d{}", names.size());
          p.extents[names[of]] = s[d];
        }
        if (!names.contains(of)) return std::vector<std::string>{};
        dims.push_back(names[of]);
      }
      return dims;
    };
    std::set<std::string> taken;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::string name = g_.name(place.inputs[i]);
      if (name.empty() || !taken.insert(name).second) name = fmt::format("v{}", place.inputs[i].index());
      p.inputs.push_back({name, names_of(flat.graph.inputs()[i], true)});
    }
    std::set<std::string> batch;
    for (size_t n = 0; n < steps.size(); ++n) {
      steps[n].dims = names_of(flat.graph.outputs()[inputs.size() + n], false);
      if (steps[n].dims.size() != rank) return refuse("a dimension that no input has");
      for (size_t d = 0; d + 2 < rank && steps[n].kind == Kind::kProduct; ++d)
        if (steps[n].sizes[d] > 1) batch.insert(steps[n].dims[d]);
    }
    if (batch.size() > 1) return refuse("products with two batch dimensions");
    p.batch.assign(batch.begin(), batch.end());
    return true;
  }

  void finish(Subprogram& out, const std::shared_ptr<const std::vector<Step>>& steps, size_t operators) {
    Program& p = out.program;
    p.body = [steps, inputs = p.inputs](ir::Builder& b, std::span<const ValueId> in) {
      Extents extents;
      for (size_t i = 0; i < inputs.size(); ++i) {
        const Sizes s = sizes_of(b, in[i]);
        for (size_t d = 0; d < s.size(); ++d) extents[inputs[i].dims[d]] = s[d];
      }
      extents["1"] = 1;
      std::vector<ValueId> values(in.begin(), in.end());
      for (const Step& s : *steps) {
        Sizes wanted;
        for (const std::string& dim : s.dims) wanted.push_back(extents.at(dim));
        values.push_back(state(b, values, s, wanted));
      }
      return values.back();
    };
    p.block_kernels = p.batch.empty() ? 1 : 2;
    // An accumulator for each sum.
    size_t sums = 0;
    const SearchOptions usual;
    const auto extra = [&](const std::string& op) {
      if (std::ranges::find(usual.block_ops, op) == usual.block_ops.end() &&
          std::ranges::find(p.extra_ops, op) == p.extra_ops.end())
        p.extra_ops.push_back(op);
    };
    if (!p.batch.empty()) extra("accumulate_sum_to_x");
    std::map<std::string, size_t> counts;
    for (const Step& s : *steps) {
      if (moves(s.kind)) continue;
      ++counts[s.op];
      sums += s.kind == Kind::kReduction || s.kind == Kind::kSoftmax || s.kind == Kind::kProduct;
      if (s.kind == Kind::kElementwise) extra(s.op);
      if (s.mean) extra("accumulate_mean");
      if (s.safe)
        for (const char* op : {"sub", "running_max", "accumulate_rescale", "accumulate_sum_rescale"})
          extra(op);
    }
    p.block_ops = std::clamp(static_cast<int>(p.inputs.size() + operators + sums), 9, kMostBlockOps);
    for (const auto& [op, n] : counts)
      p.doc += fmt::format("{}{}{}", p.doc.empty() ? "" : ", ", op, n > 1 ? fmt::format(" x{}", n) : "");
    uint64_t key = ir::dag_hash(p.graph(g_.context(), p.extents));
    for (const Program::Input& in : p.inputs)
      key = hash_combine(key, hash_string(fmt::format("{}", fmt::join(in.dims, ","))));
    // It is stated in single precision, whatever the graph holds.
    for (const auto& values : {out.places[0].inputs, out.places[0].nodes})
      for (const ValueId v : values) key = hash_combine(key, static_cast<uint64_t>(g_.type(v).dtype));
    const auto [known, fresh] = known_.emplace(key, out_.found.size());
    if (!fresh) {
      out_.found[known->second].places.push_back(std::move(out.places[0]));
      return;
    }
    p.name = fmt::format("program {} of {}", out_.found.size(), name_);
    out_.found.push_back(std::move(out));
  }

  static constexpr int kMostBlockOps = 12;

  const ir::Graph& g_;
  std::string name_;
  SoftmaxForm softmax_;
  std::vector<size_t> part_;  // of each node
  std::vector<std::optional<Kind>> kind_;
  std::map<uint64_t, size_t> known_;  // by program
  Subprograms out_;
};

}  // namespace

Subprograms subprograms_of(const ir::Graph& graph, const std::string& name, SoftmaxForm softmax) {
  return Cutting(graph, name, softmax).run();
}

std::string print(const Subprograms& subprograms) {
  std::string out;
  for (size_t i = 0; i < subprograms.found.size(); ++i) {
    const Subprogram& s = subprograms.found[i];
    std::string inputs, sizes;
    for (const auto& in : s.program.inputs)
      inputs += fmt::format(" {}[{}]", in.name, fmt::join(in.dims, ","));
    for (const auto& [name, size] : s.program.extents)
      if (size > 1) sizes += fmt::format(" {}={}", name, size);
    out += fmt::format("{:>3}  {}: {} of{};{}\n", i,
                       s.places.size() > 1 ? fmt::format("{} times", s.places.size()) : "once", s.program.doc,
                       inputs, sizes);
  }
  if (subprograms.found.empty()) out += "no piece of two operators that muGraphs can state\n";
  for (const auto& [why, times] : subprograms.ended)
    out += fmt::format("ends at {} ({} times)\n", why, times);
  return out;
}

}  // namespace isomer::mugraph
