#include "meaning/element_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ir/op_table.h"
#include "ir/scalar_table.h"
#include "ir/size_sums.h"
#include "meaning/flatten.h"

namespace isomer::meaning {

using ir::Size;
using ir::ValueId;

namespace {

constexpr size_t kMostTerms = 200'000, kMostSteps = 1'000'000;
constexpr size_t kMostVariables = 64;  // bound at once
constexpr int kDeepest = 1500;         // of recursion over a program

std::string key_of(const Size& size) {
  if (size.is_number()) return std::to_string(size.number());
  std::string out;
  for (const Size::Term& t : size.terms()) {
    out += fmt::format("{:+}", t.factor);
    for (const auto& atom : t.atoms) {
      if (atom->kind == Size::Atom::Kind::kName)
        out += fmt::format("*n{}", atom->name.v);
      else
        out += fmt::format("*{}({},{})", static_cast<int>(atom->kind), key_of(atom->a), key_of(atom->b));
    }
  }
  return out;
}

std::string key_of(std::span<const Size> sizes) {
  std::string out = "[";
  for (const Size& s : sizes) (out += key_of(s)) += ';';
  return out + "]";
}

/// Operators whose result may be an error, which the other program need not have, or not be one value.
bool may_fail(ir::ScalarOp op, bool integers) {
  using ir::ScalarOp;
  const bool of_integers = op == ScalarOp::kPow || op == ScalarOp::kDiv || op == ScalarOp::kMod ||
                           op == ScalarOp::kFMod || op == ScalarOp::kShiftLeft || op == ScalarOp::kShiftRight;
  return op == ScalarOp::kToInteger || (integers && of_integers);
}

/// Elements of the operands as they are, chosen by where they lie.
bool moves(const ir::ScalarExpr& result) {
  using ir::ScalarOp;
  return std::ranges::all_of(result.code(), [](const auto& in) {
    return in.op == ScalarOp::kRead || in.op == ScalarOp::kValid || in.op == ScalarOp::kSelect;
  });
}

bool reads_integers(const ir::Graph& g, ValueId v) {
  return std::ranges::any_of(g.operands(v), [&](ValueId o) { return ir::is_integer(g.type(o).dtype); });
}

}  // namespace

struct ElementTerms::Program {
  const ir::Graph& graph;
  std::unordered_map<std::string, TermId> known;  ///< by value and places
};

/// One element of one operator's result.
struct ElementTerms::Frame {
  Program& program;
  ValueId value;
  const ir::LoopNest& nest;
  Indices vars;
};

ElementTerms::TermId ElementTerms::term(std::string key) {
  return numbers_.try_emplace(std::move(key), static_cast<TermId>(numbers_.size())).first->second;
}

/// Places along an extent, as factors of it where it has some; `bound` gets names and extents.
Size ElementTerms::along(const Size& extent, std::string& bound) {
  if (certainly(extent - 1, ir::kZero)) return 0;  // its one place
  const std::string named = key_of(extent);
  if (const auto factor = factors_.find(named); factor != factors_.end()) {
    const Size outer = along(*ir::exact_quotient(extent, factor->second), bound) * factor->second;
    return outer + along(factor->second, bound);
  }
  // One name for one depth and extent, so that what is known of a name holds wherever it occurs.
  const auto [it, added] = variables_.try_emplace(fmt::format("{} {}", depth_++, named));
  if (added) it->second = places_.variable(extent);
  bound += fmt::format(" {}<{}", key_of(it->second), named);
  return it->second;
}

ElementTerms::Factors ElementTerms::wanted() const {
  Factors out;
  for (const Places::Split& split : places_.wanted())
    out.emplace(key_of(places_.extent(split.variable)), split.inner);
  out.insert(summed_.begin(), summed_.end());
  return out;
}

/// Where an element is read, within the bounds or not.
ElementTerms::Indices ElementTerms::places_of(Frame& frame, const ir::Read& read) {
  Indices at;
  for (const ir::IndexExpr& e : read.index) at.push_back(places_.at(e, frame.vars));
  return at;
}

std::optional<ElementTerms::TermId> ElementTerms::of_read(Frame& frame, const ir::Read& read) {
  Program& p = frame.program;
  const ValueId from = p.graph.operands(frame.value)[static_cast<size_t>(read.input)];
  if (std::ranges::any_of(read.index, &ir::IndexExpr::loads)) return std::nullopt;
  const Indices at = places_of(frame, read);
  if (!read.guarded) return element(p, from, 0, at);
  const std::optional<std::string> conditions = conditions_of(frame, read, at);
  if (!conditions) return term(fmt::format("fill {}", read.fill));
  const auto inside = element(p, from, 0, at);
  if (!inside || conditions->empty()) return inside;
  return term(fmt::format("where {} t{} else {}", *conditions, *inside, read.fill));
}

/// What must be at least 0, or exactly 0, for a guarded read at these places to be valid, without what is
/// certain; nothing where it never is.
std::optional<std::string> ElementTerms::conditions_of(Frame& frame, const ir::Read& read,
                                                       const Indices& at) {
  const ir::Graph& g = frame.program.graph;
  const ValueId from = g.operands(frame.value)[static_cast<size_t>(read.input)];
  std::string conditions;
  const std::vector<Size> extents = ir::sizes_of(g.context(), g.type(from).shape);
  for (size_t d = 0; d < at.size(); ++d) {
    const Size within = ir::facts_at_hand().normal(extents[d]) - 1 - at[d];
    for (const Size& condition : {at[d], within}) {
      if (certainly(places_.extreme(condition, false), ir::kZero | ir::kPositive)) continue;
      if (certainly(places_.extreme(condition, true), ir::kNegative)) return std::nullopt;
      conditions += ">=" + key_of(condition) + ";";
    }
  }
  for (const ir::IndexExpr& e : read.zero) {
    const Size zero = places_.at(e, frame.vars);
    if (!certainly(zero, ir::kZero)) conditions += "=" + key_of(zero) + ";";
  }
  return conditions;
}

std::optional<ElementTerms::TermId> ElementTerms::of_scalar(Frame& frame, const ir::ScalarExpr& expr,
                                                            std::span<const TermId> accumulators) {
  using ir::ScalarOp;
  const bool integers = reads_integers(frame.program.graph, frame.value);
  std::vector<TermId> stack;
  for (const ir::ScalarExpr::Instr& in : expr.code()) {
    switch (in.op) {
      case ScalarOp::kRead: {
        const auto read = of_read(frame, frame.nest.reads[static_cast<size_t>(in.index)]);
        if (!read) return std::nullopt;
        stack.push_back(*read);
        continue;
      }
      case ScalarOp::kAcc: stack.push_back(accumulators[static_cast<size_t>(in.index)]); continue;
      case ScalarOp::kVar:
        stack.push_back(term("place " + key_of(frame.vars[static_cast<size_t>(in.index)])));
        continue;
      case ScalarOp::kConst:
        stack.push_back(term(fmt::format("number {:x}", std::bit_cast<uint64_t>(in.value))));
        continue;
      case ScalarOp::kIntConst: stack.push_back(term(fmt::format("place {}", in.integer))); continue;
      case ScalarOp::kSize:
        stack.push_back(term("place " + key_of(ir::facts_at_hand().normal(in.size))));
        continue;
      case ScalarOp::kValid: {
        const ir::Read& read = frame.nest.reads[static_cast<size_t>(in.index)];
        const auto conditions = conditions_of(frame, read, places_of(frame, read));
        stack.push_back(!conditions           ? term("place 0")
                        : conditions->empty() ? term("place 1")
                                              : term("valid " + *conditions));
        continue;
      }
      case ScalarOp::kSelect: {
        const TermId condition = stack[stack.size() - 3];
        const bool yes = condition == term("place 1"), no = condition == term("place 0");
        if (!yes && !no) break;
        const TermId chosen = stack[stack.size() - (yes ? 2 : 1)];
        stack.resize(stack.size() - 3);
        stack.push_back(chosen);
        continue;
      }
      default: break;
    }
    if (may_fail(in.op, integers)) return std::nullopt;
    const auto count = static_cast<size_t>(ir::operand_count(in.op));
    std::string key = fmt::format("op{} {}", static_cast<int>(in.op), static_cast<int>(in.dtype));
    for (size_t i = stack.size() - count; i < stack.size(); ++i) key += fmt::format(" t{}", stack[i]);
    stack.resize(stack.size() - count);
    stack.push_back(term(std::move(key)));
  }
  return stack.back();
}

std::optional<ElementTerms::TermId> ElementTerms::of_nest(Program& p, ValueId v, const ir::LoopNest& nest,
                                                          ir::DType dtype, const Indices& at) {
  if (nest.scan.up_to >= 0 || nest.ordered || !nest.further.empty()) return std::nullopt;
  Frame frame{p, v, nest, at};
  const size_t before = depth_;
  std::string bound;
  Size before_it = 1;
  for (const Size& declared : nest.reduce) {
    if (depth_ >= kMostVariables) return std::nullopt;
    const Size extent = ir::facts_at_hand().normal(declared);
    frame.vars.push_back(along(extent, bound));
    // The other program may have both as one.
    if (are_factors(before_it, extent))
      summed_.emplace(key_of(ir::facts_at_hand().normal(before_it * extent)), extent);
    before_it = extent;
  }
  std::vector<TermId> accumulators;
  bool known = true;
  for (const ir::Accumulator& a : nest.accumulators) {
    if (!a.initial.empty() || a.dtype != ir::DType::kUndefined) known = false;
    const auto body = known ? of_scalar(frame, a.body, {}) : std::nullopt;
    known = known && body;
    if (!known) break;
    accumulators.push_back(term(fmt::format("reduce{}{} t{}", static_cast<int>(a.combine), bound, *body)));
  }
  depth_ = before;
  frame.vars = at;
  const auto result = known ? of_scalar(frame, nest.result, accumulators) : std::nullopt;
  if (!result) return std::nullopt;
  // Moved elements are the same; what computes rounds to its type, and counts as one step.
  return moves(nest.result) ? *result : term(fmt::format("as{} t{}", static_cast<int>(dtype), *result));
}

std::optional<ElementTerms::TermId> ElementTerms::element(Program& p, ValueId v, size_t of_tuple,
                                                          const Indices& at) {
  const ir::Graph& g = p.graph;
  const std::string place = key_of(at);
  std::string key = fmt::format("{}.{} {}", v.v, of_tuple, place);
  if (const auto it = p.known.find(key); it != p.known.end()) return it->second;
  if (numbers_.size() > kMostTerms || ++steps_ > kMostSteps || nested_ >= kDeepest) return std::nullopt;
  ++nested_;
  const ir::OpDef& def = g.def(v);
  std::optional<TermId> out;
  if (def.is(ir::Core::kInput)) {
    const auto number = std::ranges::find(g.inputs(), v) - g.inputs().begin();
    out = term(fmt::format("input{} {}", number, place));
  } else if (def.is(ir::Core::kConstant)) {
    out = term(fmt::format("constant{} {}", std::get<int64_t>(g.context().get(g.attrs(v)[0])), place));
  } else if (def.is(ir::Core::kGet)) {
    const auto index = static_cast<size_t>(std::get<int64_t>(g.context().get(g.attrs(v)[0])));
    const ValueId tuple = g.operands(v)[0];
    out = g.def(tuple).is(ir::Core::kTuple) ? element(p, g.operands(tuple)[index], 0, at)
                                            : element(p, tuple, index, at);
  } else if (def.nests != nullptr) {
    std::vector<ir::TypeId> types;
    for (ValueId o : g.operands(v)) types.push_back(g.type_id(o));
    const ir::OpInstance op(g.context(), def, g.attrs(v), types, g.type_id(v));
    const std::vector<ir::LoopNest> nests = def.nests(op);
    if (of_tuple < nests.size()) out = of_nest(p, v, nests[of_tuple], op.out_type(of_tuple).dtype, at);
  }
  --nested_;
  if (out) p.known.emplace(std::move(key), *out);
  return out;
}

std::optional<std::vector<ElementTerms::TermId>> ElementTerms::of_outputs(const ir::Graph& flat) {
  Program p{flat, {}};
  std::vector<TermId> out;
  for (ValueId o : flat.outputs()) {
    const ir::Type& type = flat.type(o);
    if (!type.is_ranked_tensor() || type.shape.size() > kMostVariables) return std::nullopt;
    if (std::ranges::any_of(type.shape, [](ir::Dim d) { return d.is_unknown(); })) return std::nullopt;
    depth_ = 0;
    Indices at;
    std::string space = fmt::format("{}", static_cast<int>(type.dtype)), bound;
    for (const Size& extent : ir::sizes_of(flat.context(), type.shape)) {
      const Size normal = ir::facts_at_hand().normal(extent);
      at.push_back(along(normal, bound));
      space += "," + key_of(normal);
    }
    const auto result = element(p, o, 0, at);
    if (!result) return std::nullopt;
    out.push_back(term(fmt::format("output {} t{}", space, *result)));
  }
  return out;
}

bool same_elements(const ir::Graph& a, const ir::Graph& b) {
  const ir::Graph left = flatten(a).graph, right = flatten(b).graph;
  const auto evaluable = [](const ir::Graph& g) {
    for (size_t i = 0; i < g.size(); ++i) {
      const ir::OpDef& def = g.def(ValueId(i));
      const bool known = def.nests != nullptr || def.kind == ir::MeaningKind::kTuple ||
                         def.is(ir::Core::kInput) || def.is(ir::Core::kConstant);
      if (!known) return false;
      for (ir::Dim d : g.type(ValueId(i)).shape)
        if (d.is_unknown()) return false;
    }
    return true;
  };
  if (!evaluable(left) || !evaluable(right) || left.outputs().size() != right.outputs().size() ||
      left.inputs().size() != right.inputs().size())
    return false;
  bool same = true;
  const auto compare = [&] {
    constexpr int kMostRounds = 8;  // of factors of factors
    ElementTerms::Factors factors;
    size_t steps = 0;
    for (int round = 0; round < kMostRounds && steps < kMostSteps; ++round) {
      ElementTerms terms(factors);
      const auto x = terms.of_outputs(left), y = terms.of_outputs(right);
      steps += terms.steps();
      same = x && y && *x == *y;
      if (same || !x || !y) return;
      const size_t known = factors.size();
      factors.merge(terms.wanted());
      if (factors.size() == known) return;
    }
  };
  // What a case takes for granted is known in full only once it has been run through.
  constexpr size_t kMostCases = 32;
  const auto cases = ir::for_each_case(compare, {}, kMostCases);
  if (!cases) return false;
  for (const ir::SizeFacts& facts : *cases) {
    const auto again = ir::for_each_case(compare, facts, 1);
    if (!again || !same) return false;
  }
  return true;
}

}  // namespace isomer::meaning
