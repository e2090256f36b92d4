#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "ir/graph_copy.h"
#include "ir/op_table.h"
#include "ir/shorthand.h"
#include "mugraph/restate.h"

namespace isomer::mugraph {
namespace {

using ir::Sizes;
using ir::ValueId;

class Grouping {
 public:
  explicit Grouping(const ir::Graph& graph)
      : g_(graph), b_(graph.context(), graph.title()), copy_(b_, graph), grouped_(graph.size()) {}

  ir::Graph run() {
    copy_.inputs();
    for (size_t i = 0; i < g_.size(); ++i) {
      const ValueId v(i);
      if (copy_[v].valid() || product(v) || elementwise(v) || along_rows(v)) continue;
      for (const ValueId o : g_.operands(v)) plain(o);
      copy_.add(v);
    }
    std::vector<ValueId> outputs;
    for (const ValueId o : g_.outputs()) outputs.push_back(plain(o));
    b_.donate_as(g_);
    return ir::prune(b_.finish(std::move(outputs)));
  }

 private:
  /// A stack of matrices with one leading dimension; so many matrices of the model are the rows of one.
  struct Form {
    ValueId value;
    int64_t together = 1;
  };

  bool is_stack(ValueId v) const { return g_.type(v).is_static_tensor() && g_.type(v).shape.size() >= 3; }
  Sizes sizes(ValueId v) const { return ir::sizes(g_.type(v).shape); }
  ir::OpInstance instance(ValueId v, std::vector<ir::TypeId>& types) const {
    for (const ValueId o : g_.operands(v)) types.push_back(g_.type_id(o));
    return {g_.context(), g_.def(v), g_.attrs(v), types, g_.type_id(v)};
  }

  static std::span<const int64_t> leading(const Sizes& s) { return std::span(s).first(s.size() - 2); }
  static int64_t product_of(std::span<const int64_t> s) {
    return std::accumulate(s.begin(), s.end(), int64_t{1}, std::multiplies<>());
  }
  static Sizes stack_of(const Sizes& s, int64_t together) {
    return {product_of(leading(s)) / together, together * s[s.size() - 2], s.back()};
  }
  static Sizes aligned(Sizes s, size_t rank) {
    s.insert(s.begin(), rank - s.size(), 1);
    return s;
  }

  /// As the model has it.
  ValueId plain(ValueId v) {
    if (!copy_[v].valid()) {
      copy_[v] = ir::reshape(b_, grouped_[v.index()]->value, sizes(v));
      copy_.name(v);
    }
    return copy_[v];
  }

  ValueId grouped(ValueId v, int64_t together) {
    if (const auto& form = grouped_[v.index()]; form && form->together == together) return form->value;
    const Sizes wanted = stack_of(sizes(v), together);
    if (g_.def(v).is(ir::Core::kBroadcast)) {  // a mask of all heads stays one
      const ValueId from = g_.operands(v)[0];
      const Sizes s = aligned(sizes(from), sizes(v).size());
      const int64_t rows = s[s.size() - 2];
      if (product_of(leading(s)) == 1 && (rows == 1 || together == 1))
        return ir::broadcast(b_, ir::reshape(b_, plain(from), {1, rows, s.back()}), wanted);
    }
    return ir::reshape(b_, plain(v), wanted);
  }

  void note(ValueId v, ir::ValueId value, int64_t together) { grouped_[v.index()] = Form{value, together}; }
  ir::TypeId stack_type(ValueId v, int64_t together) const {
    return g_.context().tensor_type(g_.type(v).dtype, ir::static_shape(stack_of(sizes(v), together)));
  }

  /// What a broadcast repeats, if it does that with all matrices of a group and nothing else.
  std::optional<Form> repeated(ValueId v) {
    if (!g_.def(v).is(ir::Core::kBroadcast) || !is_stack(v)) return std::nullopt;
    const ValueId from = g_.operands(v)[0];
    const Sizes is = sizes(v);
    Sizes was = aligned(sizes(from), is.size());
    const size_t group = is.size() - 3;
    const Sizes before = was;
    if (was[group] != 1 || is[group] <= 1) return std::nullopt;
    was[group] = is[group];
    if (was != is) return std::nullopt;
    return Form{ir::reshape(b_, plain(from), stack_of(before, 1)), is[group]};
  }

  /// The stack without its repetitions, if it has any: from a broadcast, below what joins the two dimensions
  /// and transposes the matrices.
  std::optional<Form> without_repetitions(ValueId v) {
    if (!is_stack(v)) return std::nullopt;
    const ir::OpDef& def = g_.def(v);
    const Sizes s = sizes(v);
    if (def.has_role(ir::AttrRole::kPermutation)) {
      std::vector<int64_t> swapped(s.size());
      std::iota(swapped.begin(), swapped.end(), int64_t{0});
      std::swap(swapped[s.size() - 1], swapped[s.size() - 2]);
      std::vector<ir::TypeId> types;
      if (instance(v, types).ints("perm") != swapped) return std::nullopt;
      const std::optional<Form> below = without_repetitions(g_.operands(v)[0]);
      if (!below) return std::nullopt;
      return Form{ir::transpose(b_, below->value, {0, 2, 1}), below->together};
    }
    if (def.moves != ir::Moves::kReshapes) return repeated(v);
    const ValueId from = g_.operands(v)[0];
    if (!is_stack(from)) return std::nullopt;
    Sizes joined = sizes(from);
    if (joined.size() != s.size() + 1) return std::nullopt;
    joined[s.size() - 3] *= joined[s.size() - 2];
    joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(s.size()) - 2);
    return joined == s ? repeated(from) : std::nullopt;
  }

  bool product(ValueId v) {
    if (!g_.def(v).is_matrix_product() || !is_stack(v)) return false;
    const ValueId left = g_.operands(v)[0], right = g_.operands(v)[1];
    if (!is_stack(left) || !is_stack(right)) return false;
    const Sizes s = sizes(v), l = sizes(left), r = sizes(right);
    if (!std::ranges::equal(leading(s), leading(l)) || !std::ranges::equal(leading(s), leading(r)))
      return false;
    const std::optional<Form> once = without_repetitions(right);
    const auto larger = std::ranges::count_if(leading(s), [](int64_t n) { return n > 1; });
    if (!once && larger < 2) return false;
    const int64_t together = once ? once->together : 1;
    const ValueId operands[] = {grouped(left, together), once ? once->value : grouped(right, 1)};
    note(v, b_.add_typed(g_.op(v), g_.payload(v), operands, stack_type(v, together)), together);
    return true;
  }

  /// Of a grouped operand; of several, as the first is.
  const Form* form_of_operands(ValueId v) const {
    for (const ValueId o : g_.operands(v))
      if (grouped_[o.index()]) return &*grouped_[o.index()];
    return nullptr;
  }

  bool elementwise(ValueId v) {
    const Form* form = form_of_operands(v);
    if (form == nullptr || g_.def(v).kind != ir::MeaningKind::kPointwise || !is_stack(v)) return false;
    const auto as_large = [&](ValueId o) { return is_stack(o) && sizes(o) == sizes(v); };
    if (!std::ranges::all_of(g_.operands(v), as_large)) return false;
    const int64_t together = form->together;
    std::vector<ValueId> operands;
    for (const ValueId o : g_.operands(v)) operands.push_back(grouped(o, together));
    note(v, b_.add_typed(g_.op(v), g_.payload(v), operands, stack_type(v, together)), together);
    return true;
  }

  /// A softmax or a sum along the last dimension, or what repeats along it.
  bool along_rows(ValueId v) {
    const Form* form = form_of_operands(v);
    if (form == nullptr || g_.operands(v).size() != 1 || !is_stack(v)) return false;
    const ir::OpDef& def = g_.def(v);
    const Sizes is = sizes(v), was = sizes(g_.operands(v)[0]);
    if (is.size() != was.size() || !std::equal(is.begin(), is.end() - 1, was.begin())) return false;
    const int64_t together = form->together;
    const auto last = static_cast<int64_t>(is.size()) - 1;
    std::vector<ir::TypeId> types;
    const ir::OpInstance op = instance(v, types);
    if (def.is(ir::Core::kBroadcast)) {
      note(v, ir::broadcast(b_, form->value, stack_of(is, together)), together);
    } else if (def.any_maximum && def.has_role(ir::AttrRole::kAxis) && op.i("axis") == last) {
      note(v, b_.add(def.name, {form->value}, {{"axis", int64_t{2}}}), together);
    } else if (def.kind == ir::MeaningKind::kContraction && def.has_role(ir::AttrRole::kAxes) &&
               op.ints("axes") == std::vector{last}) {
      note(v, ir::reduce(b_, def.name, form->value, {2}, true), together);
    } else {
      return false;
    }
    return true;
  }

  const ir::Graph& g_;
  ir::Builder b_;
  ir::GraphCopy copy_;
  std::vector<std::optional<Form>> grouped_;
};

}  // namespace

ir::Graph restated(const ir::Graph& graph) {
  const ir::Graph defined = with_definitions(graph);
  return Grouping(defined).run();
}

}  // namespace isomer::mugraph
