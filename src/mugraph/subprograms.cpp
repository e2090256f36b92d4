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
#include "mugraph/dimensions.h"
#include "mugraph/lax.h"
#include "mugraph/steps.h"
#include "support/hash.h"

namespace isomer::mugraph {
namespace {

using ir::ValueId;

/// Of what adds up or divides by a sum; all else is elementwise, or refused later.
StepKind by_meaning(const ir::OpDef& def) {
  const ir::RangeKind range = def.range_kind();
  if (def.is_matrix_product()) return StepKind::kProduct;
  if (def.kind == ir::MeaningKind::kContraction && def.has_role(ir::AttrRole::kAxes) &&
      (range == ir::RangeKind::kSum || range == ir::RangeKind::kMean))
    return StepKind::kReduction;
  return is_softmax(def) ? StepKind::kSoftmax : StepKind::kElementwise;
}

Sizes without_ones(Sizes sizes) {
  std::erase(sizes, 1);
  return sizes;
}

class Cutting {
 public:
  Cutting(const ir::Graph& graph, std::string name, Maxima maxima)
      : g_(graph),
        name_(std::move(name)),
        maxima_(maxima),
        part_(graph.size(), SIZE_MAX),
        kind_(graph.size()) {}

  Subprograms run() {
    LaxPartition lax =
        partition_lax(g_, maxima_ == Maxima::kWith ? Rectifiers::kInside : Rectifiers::kOutside);
    exponentials_ = std::move(lax.exponentials);
    for (size_t p = 0; p < lax.parts.size(); ++p)
      for (ValueId v : lax.parts[p].nodes) part_[v.index()] = p;
    for (const auto& o : lax.outside) ++out_.ended[fmt::format("{}: {}", g_.def(o.node).name, o.reason)];
    for (size_t i = 0; i < g_.size(); ++i) {
      if (part_[i] == SIZE_MAX) continue;
      std::string why;
      kind_[i] = kind_of(ValueId(i), why);
      if (!kind_[i]) ++out_.ended[fmt::format("{}: {}", g_.def(ValueId(i)).name, why)];
    }
    for (const auto& [root, nodes] : cones()) pieces(root, nodes);
    return std::move(out_);
  }

 private:
  Sizes sizes(ValueId v) const { return ir::sizes(g_.type(v).shape); }
  int64_t axis_of(ValueId v) const {
    std::vector<ir::TypeId> types;
    for (ValueId o : g_.operands(v)) types.push_back(g_.type_id(o));
    return ir::OpInstance(g_.context(), g_.def(v), g_.attrs(v), types, g_.type_id(v)).i("axis");
  }

  std::optional<StepKind> kind_of(ValueId v, std::string& why) const {
    const ir::OpDef& def = g_.def(v);
    const auto tensor = [&](ValueId x) {
      return g_.type(x).is_static_tensor() && ir::is_float(g_.type(x).dtype);
    };
    if (!tensor(v) || !std::ranges::all_of(g_.operands(v), tensor)) {
      why = "not of floating-point tensors of known sizes";
      return std::nullopt;
    }
    if (def.is(ir::Core::kBroadcast)) return StepKind::kBroadcast;
    if (def.moves == ir::Moves::kReshapes) {
      if (without_ones(sizes(v)) == without_ones(sizes(g_.operands(v)[0]))) return StepKind::kReshape;
      why = "it regroups dimensions";
      return std::nullopt;
    }
    const StepKind kind = by_meaning(def);
    if (kind == StepKind::kProduct) {
      if (sizes(g_.operands(v)[0]).size() >= 2 && sizes(g_.operands(v)[1]).size() >= 2)
        return StepKind::kProduct;
      why = "a product with a vector";
      return std::nullopt;
    }
    if (kind == StepKind::kSoftmax) return kind;
    if (kind == StepKind::kReduction) {
      if (sizes(v).size() == sizes(g_.operands(v)[0]).size() && axes_of(v).size() == 1)
        return StepKind::kReduction;
      why = "it drops dimensions, or reduces several";
      return std::nullopt;
    }
    if (def.element == ir::ScalarOp::kPow) {
      if (is_two(g_.operands(v)[1])) return StepKind::kSquare;
      why = "a power other than the square";
      return std::nullopt;
    }
    if (def.stands_at(ir::kGraphLevel) && def.stands_at(ir::kThreadLevel)) return StepKind::kElementwise;
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

  /// Nodes by the node that they are only needed for, with one exponential on a path at most; in the order of
  /// the graph.
  std::map<ValueId, std::vector<ValueId>> cones() const {
    constexpr size_t kMany = SIZE_MAX;
    std::vector<std::optional<size_t>> user(g_.size());  // the root of all users so far
    std::vector<int> above(g_.size());                   // exponentials on a path to that root
    const auto use = [&](ValueId v, size_t by, int exponentials) {
      auto& known = user[v.index()];
      known = !known || *known == by ? by : kMany;
      above[v.index()] = std::max(above[v.index()], exponentials);
    };
    for (ValueId o : g_.outputs()) use(o, kMany, 0);
    std::map<ValueId, std::vector<ValueId>> out;
    for (size_t i = g_.size(); i-- > 0;) {
      const ValueId v(i);
      size_t root = kMany;
      int exponentials = exponentials_[i];
      if (kind_[i]) {
        const bool inside = user[i] && *user[i] != kMany && above[i] + exponentials <= 1;
        root = inside ? *user[i] : i;
        exponentials += inside ? above[i] : 0;
        out[ValueId(root)].push_back(v);
      }
      for (ValueId o : operands(v)) use(o, root, exponentials);
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
    return kind_[v.index()] == StepKind::kSquare ? g_.operands(v).first(1) : g_.operands(v);
  }

  bool adds_up(ValueId v) const {
    const StepKind kind = *kind_[v.index()];
    return kind == StepKind::kReduction || kind == StepKind::kSoftmax || kind == StepKind::kProduct;
  }

  /// Without what is elementwise before the first sum: that is computed once for all blocks, outside.
  std::vector<ValueId> without_prologue(const std::vector<ValueId>& cone) const {
    std::set<ValueId> rest;
    for (ValueId v : cone) {
      const auto in_rest = [&](ValueId o) { return rest.contains(o); };
      if (adds_up(v) || std::ranges::any_of(operands(v), in_rest)) rest.insert(v);
    }
    return {rest.begin(), rest.end()};
  }

  /// Operators of a block that a search of the cone would need.
  size_t operators_for(ValueId root, const std::vector<ValueId>& cone) const {
    size_t out = inputs_of(root, with_moves(cone)).size();
    for (ValueId v : cone) out += (moves(*kind_[v.index()]) ? 0 : 1) + (adds_up(v) ? 1 : 0);
    return out;
  }

  /// Of the cone what is made of products.
  std::set<ValueId> made_of_products(const std::vector<ValueId>& cone) const {
    std::set<ValueId> out;
    for (ValueId v : cone) {
      const auto is_made = [&](ValueId o) { return out.contains(o); };
      if (kind_[v.index()] == StepKind::kProduct || std::ranges::any_of(operands(v), is_made)) out.insert(v);
    }
    return out;
  }

  /// The nodes of the cone that `root` needs. With `before` a product takes nothing that is `made` of
  /// another: that is added there instead.
  std::vector<ValueId> needed(ValueId root, const std::vector<ValueId>& cone, const std::set<ValueId>& made,
                              std::vector<ValueId>* before) const {
    std::set<ValueId> out;
    std::vector<ValueId> todo = {root};
    while (!todo.empty()) {
      const ValueId v = todo.back();
      todo.pop_back();
      if (!std::ranges::binary_search(cone, v) || !out.insert(v).second) continue;
      for (ValueId o : operands(v)) {
        const bool ends = before != nullptr && kind_[v.index()] == StepKind::kProduct && made.contains(o);
        (ends ? *before : todo).push_back(o);
      }
    }
    return {out.begin(), out.end()};
  }

  /// What a norm is taken of, if the cone has it: the last value that several operators read and no sum of
  /// the cone is in. (That of a softmax which is written out is an exponential.)
  std::optional<ValueId> before_norm(ValueId root, const std::vector<ValueId>& cone) const {
    std::map<ValueId, int> readers;
    std::set<ValueId> of_sums;
    for (const ValueId v : cone)
      for (const ValueId o : operands(v)) ++readers[o];
    std::optional<ValueId> out;
    for (const ValueId v : cone) {
      const auto is_of_sums = [&](ValueId o) { return of_sums.contains(o); };
      if (kind_[v.index()] == StepKind::kReduction || std::ranges::any_of(operands(v), is_of_sums))
        of_sums.insert(v);
      else if (v != root && readers[v] > 1 && exponentials_[v.index()] == 0 && !moves(*kind_[v.index()]))
        out = v;
    }
    return out;
  }

  /// Pieces of a cone: itself if a search covers that, else what begins at products.
  void pieces(ValueId root, std::vector<ValueId> cone) {
    if (!roots_.insert(root).second) return;
    const auto count = [&](StepKind kind) {
      return std::ranges::count_if(cone, [&](ValueId v) { return kind_[v.index()] == kind; });
    };
    const auto large = [&] { return operators_for(root, cone) > static_cast<size_t>(kMostBlockOps); };
    const auto products = count(StepKind::kProduct);
    const bool softmax = count(StepKind::kSoftmax) > 0, norm = count(StepKind::kReduction) > 0;
    if (softmax || (products > 0 && !norm && large())) cone = without_prologue(cone);
    if (const std::optional<ValueId> from = norm && large() ? before_norm(root, cone) : std::nullopt) {
      pieces(*from, needed(*from, cone, {}, nullptr));
      std::erase(cone, *from);
      return piece(root, needed(root, cone, {}, nullptr));
    }
    if (softmax || products <= 2 || !large()) return piece(root, cone);
    const std::set<ValueId> made = made_of_products(cone);
    std::vector<ValueId> before;
    const std::vector<ValueId> last = needed(root, cone, made, &before);
    for (ValueId v : before) pieces(v, needed(v, cone, made, nullptr));
    piece(root, last);
  }

  /// With what only moves elements before them: that is stated again wherever it is read, and may be shared
  /// by many pieces.
  std::set<ValueId> with_moves(const std::vector<ValueId>& cone) const {
    std::set<ValueId> inside(cone.begin(), cone.end());
    std::vector<ValueId> todo = cone;
    while (!todo.empty()) {
      const ValueId v = todo.back();
      todo.pop_back();
      for (ValueId o : operands(v))
        if (kind_[o.index()] && moves(*kind_[o.index()]) && inside.insert(o).second) todo.push_back(o);
    }
    return inside;
  }

  /// What nodes read of others, in the order of a walk from the root: that of equal pieces is equal.
  std::vector<ValueId> inputs_of(ValueId root, const std::set<ValueId>& inside) const {
    std::vector<ValueId> out, todo = {root};
    std::set<ValueId> seen;
    while (!todo.empty()) {
      const ValueId v = todo.back();
      todo.pop_back();
      if (!seen.insert(v).second) continue;
      if (!inside.contains(v)) {
        out.push_back(v);
        continue;
      }
      const auto of = operands(v);
      todo.insert(todo.end(), of.rbegin(), of.rend());
    }
    return out;
  }

  void piece(ValueId root, const std::vector<ValueId>& cone) {
    Subprogram out;
    SubprogramPlace& place = out.places.emplace_back();
    place.output = root;
    out.part = part_[root.index()];
    const auto operators = static_cast<size_t>(
        std::ranges::count_if(cone, [&](ValueId v) { return !moves(*kind_[v.index()]); }));
    if (operators < 2) return;
    const std::set<ValueId> inside = with_moves(cone);
    const std::vector<ValueId>& nodes = place.nodes = {inside.begin(), inside.end()};
    place.inputs = inputs_of(root, inside);
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
    auto steps = std::make_shared<std::vector<ProgramStep>>();
    for (ValueId v : nodes) {
      ProgramStep s;
      s.kind = *kind_[v.index()];
      s.op = g_.def(v).name;
      s.mean = s.kind == StepKind::kReduction && g_.def(v).range_kind() == ir::RangeKind::kMean;
      for (ValueId o : operands(v)) s.operands.push_back(number.at(o));
      if (s.kind == StepKind::kReduction) s.axis = static_cast<int64_t>(sizes(v).size()) - 1 - axes_of(v)[0];
      if (s.kind == StepKind::kSoftmax) {
        s.safe = maxima_ == Maxima::kWith;
        const int64_t axis = axis_of(v);
        s.axis = axis < 0 ? -1 - axis : static_cast<int64_t>(sizes(v).size()) - 1 - axis;
      }
      s.sizes = aligned(sizes(v), rank);
      number.emplace(v, number.size());
      steps->push_back(std::move(s));
    }
    if (!name_dimensions(out, *steps, rank)) return;
    finish(out, steps);
  }

  /// Names of the dimensions of inputs and steps; false (and counted) where the program cannot be stated.
  bool name_dimensions(Subprogram& out, std::vector<ProgramStep>& steps, size_t rank) {
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
    for (const ProgramStep& s : steps) {
      values.push_back(add_step(b, values, s, s.sizes));
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
      for (size_t d = 0; d + 2 < rank && steps[n].kind == StepKind::kProduct; ++d)
        if (steps[n].sizes[d] > 1) batch.insert(steps[n].dims[d]);
    }
    if (batch.size() > 1) return refuse("products with two batch dimensions");
    p.batch.assign(batch.begin(), batch.end());
    return true;
  }

  void finish(Subprogram& out, const std::shared_ptr<const std::vector<ProgramStep>>& steps) {
    Program& p = out.program;
    complete_program(p, steps);
    out.aside = set_aside(p, *steps);
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

  const ir::Graph& g_;
  std::string name_;
  Maxima maxima_;
  std::vector<size_t> part_;       // of each node
  std::vector<int> exponentials_;  // the same
  std::vector<std::optional<StepKind>> kind_;
  std::map<uint64_t, size_t> known_;  // by program
  std::set<ValueId> roots_;           // of pieces so far
  Subprograms out_;
};

}  // namespace

bool is_softmax(const ir::OpDef& def) {
  return def.kind == ir::MeaningKind::kComposite && def.range_kind() == ir::RangeKind::kUnit &&
         def.has_role(ir::AttrRole::kAxis);
}

Subprograms subprograms_of(const ir::Graph& graph, const std::string& name, Maxima maxima) {
  return Cutting(graph, name, maxima).run();
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
