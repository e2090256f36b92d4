#include "ir/same_structure.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/constant.h"
#include "ir/needed.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

constexpr size_t kLarge = 1 << 20;  // not kept in memory only because it was looked at

using Written = std::vector<int64_t>;  // operator, type, attributes, operands' numbers

/// Numbers of terms: equal for equal terms, of whichever graph. Nobody asks what a term was made of, and
/// names of sizes are numbered on the way: no table of terms that are walked again (egraph/term_table.h).
class Terms {
 public:
  Terms(const Context& ctx, Identities identities) : ctx_(ctx), identities_(identities) {}

  /// By value.
  std::vector<int64_t> number(const Graph& graph) {
    appeared_.clear();
    invented_.clear();
    types_.clear();
    const std::vector<bool> needed = needed_values(graph);
    std::vector<int64_t> out(graph.size(), -1);
    if (identities_ == Identities::kRenamed) find_invented(graph, needed);
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      const ValueId v = graph.inputs()[i];
      out[v.index()] = number({kInput, static_cast<int64_t>(i), type(graph.type_id(v))});
    }
    for (size_t i = 0; i < graph.size(); ++i) {
      if (out[i] >= 0 || !needed[i]) continue;
      const ValueId v(i);
      Written term = {graph.op(v).v, type(graph.type_id(v))};
      const auto attrs = graph.attrs(v);
      for (size_t a = 0; a < attrs.size(); ++a) term.push_back(attribute(graph.def(v), a, attrs[a]));
      for (ValueId o : graph.operands(v)) term.push_back(out[o.index()]);
      out[i] = number(std::move(term));
    }
    return out;
  }

 private:
  static constexpr int64_t kInput = -1, kAbsent = -1;
  enum Part : int64_t { kAsNamed, kInvented, kShapeOnly, kTensorType, kTupleType, kOtherType };

  /// A size that no input has and an operator without a meaning here returns was named after its result, on
  /// reading. All that mention it hang on that operator, whose term both graphs must have.
  void find_invented(const Graph& graph, const std::vector<bool>& needed) {
    std::unordered_set<uint32_t> named;
    for (ValueId v : graph.inputs())
      for_each_symbol(graph.type(v), [&](SymbolId symbol) { named.insert(symbol.v); });
    for (size_t i = 0; i < graph.size(); ++i)
      if (needed[i] && graph.def(ValueId(i)).kind == MeaningKind::kOpaque)
        for_each_symbol(graph.type(ValueId(i)), [&](SymbolId symbol) {
          if (!named.contains(symbol.v)) invented_.try_emplace(symbol.v, invented_.size());
        });
  }

  void for_each_symbol(const Type& type, const auto& use) {
    for (Dim d : type.shape)
      if (d.is_symbol()) use(d.symbol());
    for (TypeId element : type.elements) for_each_symbol(ctx_.get(element), use);
  }

  void append(Written& term, Dim d) {
    if (const auto it = d.is_symbol() ? invented_.find(d.symbol().v) : invented_.end(); it != invented_.end())
      term.insert(term.end(), {kInvented, static_cast<int64_t>(it->second)});
    else
      term.insert(term.end(), {kAsNamed, d.raw()});
  }

  int64_t shape(const Shape& shape) {
    Written term = {kShapeOnly};
    for (Dim d : shape) append(term, d);
    return shapes_.try_emplace(std::move(term), static_cast<int64_t>(shapes_.size())).first->second;
  }

  int64_t type(TypeId id) {
    if (identities_ == Identities::kEqual) return id.v;
    if (const auto known = types_.find(id.v); known != types_.end()) return known->second;
    const Type& t = ctx_.get(id);
    Written term;
    if (t.is_ranked_tensor())
      term = {kTensorType, static_cast<int64_t>(t.dtype), shape(t.shape)};
    else if (t.kind == TypeKind::kTuple) {
      term = {kTupleType};
      for (TypeId element : t.elements) term.push_back(type(element));
    } else
      term = {kOtherType, id.v};
    const int64_t number =
        shapes_.try_emplace(std::move(term), static_cast<int64_t>(shapes_.size())).first->second;
    return types_[id.v] = number;
  }

  int64_t number(Written term) {
    return numbers_.try_emplace(std::move(term), static_cast<int64_t>(numbers_.size())).first->second;
  }

  /// Attributes are interned, regions too; only what stands for contents or identity needs a look.
  int64_t attribute(const OpDef& def, size_t i, AttrId id) {
    if (!id.valid()) return kAbsent;
    const AttrRole reference = def.attrs[i].role;
    if (reference == AttrRole::kConstant) return constant(std::get<int64_t>(ctx_.get(id)));
    if (reference == AttrRole::kType)
      return type(TypeId(static_cast<uint32_t>(std::get<int64_t>(ctx_.get(id)))));
    if (reference == AttrRole::kIdentity && identities_ == Identities::kRenamed)
      return static_cast<int64_t>(appeared_.try_emplace(id.v, appeared_.size()).first->second);
    if (identities_ == Identities::kRenamed && kind_of(ctx_.get(id)) == AttrKind::kShape)
      return shape(std::get<Shape>(ctx_.get(id)));
    return id.v;
  }

  /// The first constant of the same type and contents.
  int64_t constant(int64_t id) {
    const auto known = constants_.find(id);
    if (known != constants_.end()) return known->second;
    const Constant& c = ctx_.get(ConstantId(static_cast<uint32_t>(id)));
    const auto same = [&](int64_t other) {
      const Constant& o = ctx_.get(ConstantId(static_cast<uint32_t>(other)));
      const auto left = o.bytes(), right = c.bytes();
      const bool equal = o.type == c.type && left.size() == right.size() &&
                         (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
      if (left.size() >= kLarge) o.release();
      if (right.size() >= kLarge) c.release();
      return equal;
    };
    std::vector<int64_t>& alike = by_hash_[ctx_.content_hash(ConstantId(static_cast<uint32_t>(id)))];
    const auto first = std::ranges::find_if(alike, same);
    if (first != alike.end()) return constants_[id] = *first;
    alike.push_back(id);
    return constants_[id] = id;
  }

  const Context& ctx_;
  Identities identities_;
  std::map<Written, int64_t> numbers_;
  std::map<Written, int64_t> shapes_;              // and types
  std::unordered_map<uint32_t, size_t> appeared_;  // identities of the graph at hand
  std::unordered_map<uint32_t, size_t> invented_;  // symbols that were
  std::unordered_map<uint32_t, int64_t> types_;    // by TypeId
  std::unordered_map<int64_t, int64_t> constants_;
  std::unordered_map<uint64_t, std::vector<int64_t>> by_hash_;
};

/// What a graph computes: its interface.
std::vector<int64_t> meaning(const Graph& graph, const std::vector<int64_t>& numbers) {
  std::vector<int64_t> out;
  for (ValueId v : graph.inputs()) out.push_back(numbers[v.index()]);
  out.push_back(-1);
  for (ValueId v : graph.outputs()) out.push_back(numbers[v.index()]);
  return out;
}

}  // namespace

bool same_structure(const Graph& a, const Graph& b, Identities identities) {
  REQUIRE(&a.context() == &b.context(), "graphs of two contexts");
  Terms terms(a.context(), identities);
  const std::vector<int64_t> left = terms.number(a), right = terms.number(b);
  return meaning(a, left) == meaning(b, right);
}

}  // namespace isomer::ir
