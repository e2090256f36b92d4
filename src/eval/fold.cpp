// A node can be folded when all it reads can. Walking from the outputs, the first such node on each way is a
// root: it becomes a constant. Where the result would be too large, the root that costs most stays, and its
// operands are asked. What the roots need is then computed in order; values are held as handles to bytes
// while only movement has touched them, as doubles after that, and released after their last use.
#include "eval/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/movement_bits.h"
#include "eval/outcome.h"
#include "ir/constant_data.h"
#include "ir/dag_hash.h"
#include "ir/graph_copy.h"
#include "ir/scalar_table.h"
#include "meaning/nest.h"

namespace isomer::eval {
namespace {

using ir::ValueId;

/// A computed value: handles (one, or one an element of a tuple), or doubles and integers.
struct Held {
  std::vector<ir::Constant> bits;
  Value<double> value;
};

int64_t bytes_of(const ir::Graph& graph, ValueId v) {
  const ir::Type& type = graph.type(v);
  return ir::byte_size(type.dtype, ir::element_count(type.shape));
}

class Folder {
 public:
  Folder(const ir::Graph& graph, const FoldOptions& options)
      : graph_(graph), options_(options), blocked_(graph.size()) {
    evaluation_.checked_samples = options.checked_samples;
    evaluation_.until = options.until;
    evaluation_.round_results = options.exact;
  }

  Folded run() {
    const auto computed = outcome_of<Ended::kTime>([&] {
      while (true) {
        plan();
        if (const auto failed = compute())
          blocked_[failed->index()] = true;  // out of bounds, or too large: keep the node
        else
          break;
      }
    });
    return computed ? rebuild() : unfinished();
  }

  FoldPlan planned_only() {
    plan();
    FoldPlan out{std::vector<bool>(graph_.size()), planned().bytes};
    for (size_t i = 0; i < graph_.size(); ++i)
      out.stays[i] = needed_[i] && !roots_[i] && !is_constant(ValueId(i));
    return out;
  }

 private:
  bool is_constant(ValueId v) const { return graph_.def(v).is(ir::Core::kConstant); }

  bool foldable_op(ValueId v) const {
    const ir::OpDef& def = graph_.def(v);
    if (blocked_[v.index()] || def.kind == ir::MeaningKind::kLeaf) return false;
    if (def.decodes) return false;  // kernels of runtimes take a constant as it is stored
    if (def.kind == ir::MeaningKind::kTuple) return true;
    if (options_.exact && !correctly_rounded(v)) return false;
    return can_evaluate(graph_, v) || (def.kind == ir::MeaningKind::kMovement && copies_bits(v));
  }

  bool correctly_rounded(ValueId v) const {
    const ir::OpDef& def = graph_.def(v);
    if (def.kind == ir::MeaningKind::kMovement || ir::is_integer(graph_.type(v).dtype)) return true;
    if (def.kind != ir::MeaningKind::kPointwise || !graph_.type(v).is_static_tensor()) return false;
    std::vector<ir::TypeId> types;
    for (ValueId o : graph_.operands(v)) types.push_back(graph_.type_id(o));
    return rounds_once(
        def.nests(ir::OpInstance(graph_.context(), def, graph_.attrs(v), types, graph_.type_id(v)))[0].result,
        graph_.type(v).dtype);
  }

  /// One operator at most that IEEE 754 rounds, and else such as give numbers of the type.
  static bool rounds_once(const ir::ScalarExpr& element, ir::DType dtype) {
    int rounded = 0;
    for (const ir::ScalarExpr::Instr& i : element.code()) {
      const ir::Rounding rounding = ir::row(i.op).rounding;
      if (rounding == ir::Rounding::kApproximates) return false;
      if (i.op == ir::ScalarOp::kConst && ir::round_to(dtype, i.value) != i.value) return false;
      rounded += rounding == ir::Rounding::kRounds;
    }
    return rounded <= 1;
  }

  bool copies_bits(ValueId v) const {
    const auto sized = [&](ir::TypeId id) {
      const ir::Type& t = graph_.context().get(id);
      return t.is_static_tensor() && ir::bit_width(t.dtype) > 0;
    };
    const ir::Type& type = graph_.type(v);
    const bool out = type.kind == ir::TypeKind::kTuple ? std::ranges::all_of(type.elements, sized)
                                                       : sized(graph_.type_id(v));
    return out &&
           std::ranges::all_of(graph_.operands(v), [&](ValueId o) { return sized(graph_.type_id(o)); });
  }

  void plan() {
    const size_t n = graph_.size();
    foldable_.assign(n, false);
    for (size_t i = 0; i < n; ++i) {
      const ValueId v(i);
      if (is_constant(v))
        foldable_[i] = true;
      else if (graph_.def(v).moves == ir::Moves::kAsksShape && foldable_op(v))
        foldable_[i] = true;  // reads no element
      else if (foldable_op(v))
        foldable_[i] =
            std::ranges::all_of(graph_.operands(v), [&](ValueId o) { return foldable_[o.index()]; });
    }
    declined_.assign(n, false);
    place_roots();
    if (options_.max_growth_bytes == std::numeric_limits<int64_t>::max()) return;
    // Too large: the fold that costs most is taken back, what lies below it is folded instead, and again.
    const int64_t most = constant_bytes(ir::prune(graph_)) + options_.max_growth_bytes;
    for (Kept kept = planned(); kept.bytes > most; kept = planned()) {
      int64_t best = 0;
      size_t dearest = n;
      for (size_t i = 0; i < n; ++i)
        if (roots_[i])
          if (const int64_t saved = bytes_of(graph_, ValueId(i)) - bytes_below(ValueId(i), kept);
              saved > best) {
            best = saved;
            dearest = i;
          }
      if (dearest == n) return;
      declined_[dearest] = true;
      place_roots();
    }
  }

  void place_roots() {
    const size_t n = graph_.size();
    roots_.assign(n, false);
    needed_.assign(n, false);
    for (ValueId o : graph_.outputs()) needed_[o.index()] = true;
    for (size_t i = n; i-- > 0;) {
      const ValueId v(i);
      if (!needed_[i]) continue;
      roots_[i] = foldable_[i] && !is_constant(v) && !declined_[i] && graph_.type(v).is_static_tensor() &&
                  !graph_.def(v).is(ir::Core::kBroadcast);
      if (!roots_[i])
        for (ValueId o : graph_.operands(v)) needed_[o.index()] = true;
    }
  }

  /// The constants that stay, and the bytes of all, new ones included.
  struct Kept {
    std::unordered_set<uint32_t> constants;
    int64_t bytes = 0;
  };
  Kept planned() const {
    Kept out;
    for (size_t i = 0; i < graph_.size(); ++i) {
      const ValueId v(i);
      if (!needed_[i]) continue;
      if (roots_[i])
        out.bytes += bytes_of(graph_, v);
      else if (is_constant(v) && out.constants.insert(constant_id(graph_, v).v).second)
        out.bytes += static_cast<int64_t>(constant_of(graph_, v).length);
    }
    return out;
  }

  /// Of the constants that would stay too if this root were not folded.
  int64_t bytes_below(ValueId root, const Kept& kept) const {
    std::unordered_set<uint32_t> seen, constants;
    std::vector<ValueId> stack{root};
    int64_t bytes = 0;
    while (!stack.empty()) {
      const ValueId v = stack.back();
      stack.pop_back();
      if (!seen.insert(v.v).second || !foldable_[v.index()]) continue;
      if (is_constant(v)) {
        const ir::ConstantId id = constant_id(graph_, v);
        if (!kept.constants.contains(id.v) && constants.insert(id.v).second)
          bytes += static_cast<int64_t>(graph_.context().get(id).length);
      }
      for (ValueId o : graph_.operands(v)) stack.push_back(o);
    }
    return bytes;
  }

  /// Fills results_; the node that could not be computed, if one.
  std::optional<ValueId> compute() {
    const size_t n = graph_.size();
    results_.assign(n, {});
    std::vector<uint32_t> uses(n);
    std::vector<bool> computed(roots_);
    const std::vector<uint64_t> hashes = options_.memo ? ir::term_hashes(graph_) : std::vector<uint64_t>();
    if (options_.memo)
      for (size_t i = 0; i < n; ++i)
        if (const auto known = options_.memo->find(hashes[i]); roots_[i] && known != options_.memo->end()) {
          results_[i] = known->second;
          computed[i] = false;
        }
    for (size_t i = n; i-- > 0;) {
      if (uses[i] > 0 && !is_constant(ValueId(i))) computed[i] = true;
      if (computed[i] && graph_.def(ValueId(i)).moves != ir::Moves::kAsksShape)
        for (ValueId o : graph_.operands(ValueId(i))) ++uses[o.index()];
    }
    held_.assign(n, {});
    for (size_t i = 0; i < n; ++i) {
      if (!computed[i]) continue;
      const ValueId v(i);
      if (options_.until.passed()) throw EvaluationCut();
      if (!has_room(v)) return v;
      auto held = outcome_of<Ended::kOutOfBounds, Ended::kNoMeaning>([&] { return compute_node(v); });
      if (!held) return v;
      held_[i] = *std::move(held.value);
      if (roots_[i] && options_.finite && !stays_finite(v)) {
        not_finite_.push_back(v);
        return v;
      }
      if (roots_[i]) {
        results_[i] = graph_.context().add(as_constant(v));
        if (options_.memo) options_.memo->emplace(hashes[i], results_[i]);
      }
      if (uses[i] == 0) held_[i] = {};
      if (graph_.def(v).moves == ir::Moves::kAsksShape) continue;
      for (ValueId o : graph_.operands(v))
        if (--uses[o.index()] == 0) held_[o.index()] = {};
    }
    nodes_folded_ = static_cast<size_t>(std::ranges::count(computed, true));
    return std::nullopt;
  }

  /// Whether the value, as computed, is one that its type holds. What its constants have already is theirs.
  bool stays_finite(ValueId v) const {
    const Held& held = held_[v.index()];
    const ir::DType dtype = graph_.type(v).dtype;
    if (!held.bits.empty() || !ir::is_float(dtype)) return true;
    double most = 0;
    bool nan = false;
    for (double x : held.value.tensor->numbers) {
      most = std::max(most, std::abs(x));
      nan = nan || std::isnan(x);
    }
    const double stored = ir::round_to(dtype, most);
    if (nan || !std::isfinite(stored)) return !finite_below(v);
    return most == 0 || stored > 0;
  }

  /// All constants that the value is computed from.
  bool finite_below(ValueId v) const {
    std::unordered_set<uint32_t> seen;
    std::vector<ValueId> stack{v};
    while (!stack.empty()) {
      const ValueId at = stack.back();
      stack.pop_back();
      if (!seen.insert(at.v).second) continue;
      const ir::DType dtype = graph_.type(at).dtype;
      if (is_constant(at) && ir::is_float(dtype)) {
        const ir::Constant& c = constant_of(graph_, at);
        for (int64_t i = 0, n = ir::element_count(graph_.type(at).shape); i < n; ++i)
          if (!std::isfinite(ir::load_number(dtype, c.bytes(), i))) return false;
      }
      for (ValueId o : graph_.operands(at)) stack.push_back(o);
    }
    return true;
  }

  /// Small operators take neither time nor room that is worth a thought, until there are many.
  static constexpr int64_t kLarge = 1 << 20;
  bool is_small(int64_t elements) {
    small_ += elements;
    if (small_ < kLarge) return true;
    small_ = 0;
    return false;
  }

  /// Whether what `v` needs beside what is held fits under the memory limit. EvaluationCut where the operator
  /// cannot be done in the time that is left: its operands are not even converted then.
  bool has_room(ValueId v) {
    if (!can_evaluate(graph_, v)) return true;
    if (graph_.def(v).kind == ir::MeaningKind::kMovement) return has_room_to_move(v);
    int64_t elements = elements_of(graph_.type_id(v));
    for (ValueId o : graph_.operands(v))
      if (held_[o.index()].value.tensor == nullptr) elements += elements_of(graph_.type_id(o));
    if (is_small(elements)) return true;
    constexpr double kMostStepsPerSecond = 2.5e11;  // no processor does more
    if (steps_of(v) / kMostStepsPerSecond > options_.until.remaining()) throw EvaluationCut();
    if (options_.memory_bytes == std::numeric_limits<uint64_t>::max()) return true;
    const auto bytes = static_cast<uint64_t>(elements) * (sizeof(double) + sizeof(float));
    return resident_bytes() + bytes <= options_.memory_bytes;
  }

  /// Of what keeps its bytes: none where they are shared.
  bool has_room_to_move(ValueId v) {
    const int64_t elements = elements_of(graph_.type_id(v));
    const bool computed = std::ranges::any_of(
        graph_.operands(v), [&](ValueId o) { return held_[o.index()].value.tensor != nullptr; });
    if ((graph_.def(v).moves == ir::Moves::kReshapes && !computed) || is_small(elements)) return true;
    constexpr double kMovedPerSecond = 5e8;
    if (static_cast<double>(elements) / kMovedPerSecond > options_.until.remaining()) throw EvaluationCut();
    if (options_.memory_bytes == std::numeric_limits<uint64_t>::max()) return true;
    constexpr uint64_t kMostBytes = 16;  // of an element
    const ir::Type& type = graph_.type(v);
    const uint64_t bytes = !type.is_tensor() ? kMostBytes
                           : computed        ? sizeof(double) + sizeof(float)  // held, then stored
                                             : static_cast<uint64_t>(ir::byte_size(type.dtype, 1));
    return resident_bytes() + static_cast<uint64_t>(elements) * bytes <= options_.memory_bytes;
  }

  int64_t elements_of(ir::TypeId id) const {
    const ir::Type& type = graph_.context().get(id);
    if (type.kind != ir::TypeKind::kTuple) return ir::element_count(type.shape);
    int64_t sum = 0;
    for (ir::TypeId element : type.elements) sum += elements_of(element);
    return sum;
  }

  /// Iterations of the loop nests; 0 for composites, whose parts are cut one by one.
  double steps_of(ValueId v) const {
    if (graph_.def(v).nests == nullptr) return 0;
    std::vector<ir::TypeId> types;
    for (ValueId o : graph_.operands(v)) types.push_back(graph_.type_id(o));
    const ir::OpInstance instance(graph_.context(), graph_.def(v), graph_.attrs(v), types, graph_.type_id(v));
    double steps = 0;
    for (const meaning::CompiledNest& nest : meaning::compile_nests(instance, graph_.def(v).name))
      steps += static_cast<double>(nest.outputs) * static_cast<double>(nest.reductions);
    return steps;
  }

  Held compute_node(ValueId v) {
    const ir::OpDef& def = graph_.def(v);
    const auto operands = graph_.operands(v);
    std::vector<Held> in;
    const bool reads = def.moves != ir::Moves::kAsksShape;
    for (ValueId o : operands) in.push_back(reads ? operand(o) : Held{});
    const bool bits = reads && std::ranges::all_of(in, [](const Held& h) { return !h.bits.empty(); });
    if (def.kind == ir::MeaningKind::kTuple && bits) {
      if (!def.is(ir::Core::kTuple))
        return {
            {in[0].bits[static_cast<size_t>(std::get<int64_t>(graph_.context().get(graph_.attrs(v)[0])))]},
            {}};
      Held out;
      for (const Held& h : in) out.bits.push_back(h.bits[0]);
      return out;
    }
    if (def.kind == ir::MeaningKind::kMovement && bits) {
      std::vector<ir::Constant> constants;
      for (const Held& h : in) constants.push_back(h.bits[0]);
      return {move_bits(graph_, v, constants, options_.until), {}};
    }
    std::vector<Value<double>> values;
    for (size_t i = 0; i < in.size(); ++i)
      values.push_back(reads ? as_value(std::move(in[i]), graph_.type_id(operands[i]))
                             : shape_only(operands[i]));
    return {{}, apply(domain_, graph_, v, values, evaluation_)};
  }

  Held operand(ValueId v) {
    if (is_constant(v)) return {{constant_of(graph_, v)}, {}};
    return held_[v.index()];
  }

  Value<double> shape_only(ValueId v) const {
    return make_value(Tensor<double>{graph_.type(v).dtype, ir::sizes(graph_.type(v).shape), {}, {}});
  }

  Value<double> as_value(Held held, ir::TypeId type) {
    if (held.bits.empty()) return std::move(held.value);
    const bool tuple = graph_.context().get(type).kind == ir::TypeKind::kTuple;
    std::vector<Value<double>> elements;
    for (const ir::Constant& c : held.bits) elements.push_back(constant_value(domain_, graph_.context(), c));
    return tuple ? Value<double>{nullptr, std::move(elements)} : std::move(elements[0]);
  }

  ir::Constant as_constant(ValueId v) {
    Held& held = held_[v.index()];
    if (!held.bits.empty()) return held.bits[0];
    const Tensor<double>& t = *held.value.tensor;
    const ir::DType dtype = graph_.type(v).dtype;
    const int64_t count = t.count();
    std::vector<std::byte> bytes(static_cast<size_t>(ir::byte_size(dtype, count)));
    if (ir::is_integer(dtype))
      for (int64_t i = 0; i < count; ++i) {
        if (i % kLarge == 0 && options_.until.passed()) throw EvaluationCut();
        ir::store_integer(dtype, bytes, i, t.integers[static_cast<size_t>(i)]);
      }
    else
      ir::store_numbers(dtype, bytes, t.numbers);
    const size_t length = bytes.size();
    return {graph_.type_id(v), ir::make_buffer(std::move(bytes)), 0, length};
  }

  static int64_t constant_bytes(const ir::Graph& graph) {
    std::unordered_set<uint32_t> seen;
    int64_t bytes = 0;
    for (size_t i = 0; i < graph.size(); ++i)
      if (graph.def(ValueId(i)).is(ir::Core::kConstant) &&
          seen.insert(constant_id(graph, ValueId(i)).v).second)
        bytes += static_cast<int64_t>(constant_of(graph, ValueId(i)).length);
    return bytes;
  }

  Folded unfinished() const {
    Folded out{ir::prune(graph_), {}, {}};
    out.statistics.bytes_before = out.statistics.bytes_after = constant_bytes(out.graph);
    const StopReason reason = options_.until.reason();  // a time limit that was only foreseen is one too
    out.stop_reason = reason == StopReason::kRunning ? StopReason::kTimeLimit : reason;
    return out;
  }

  Folded rebuild() {
    ir::Builder builder(graph_.context(), graph_.title());
    ir::GraphCopy copy(builder, graph_);
    copy.inputs();
    size_t added = 0;
    for (size_t i = 0; i < graph_.size(); ++i) {
      const ValueId v(i);
      if (copy[v].valid()) continue;
      if (!results_[i].valid()) {
        copy.add(v);
        continue;
      }
      copy[v] = builder.constant(results_[i]);
      copy.name(v);
      ++added;
    }
    builder.donate_as(graph_);
    Folded out{ir::prune(builder.finish(copy.outputs())), {}, {}};
    for (size_t i = 0; i < graph_.size(); ++i)
      if (results_[i].valid()) out.constants.emplace_back(ValueId(i), results_[i]);
    out.not_finite = not_finite_;
    out.statistics = {nodes_folded_, added, constant_bytes(ir::prune(graph_)), constant_bytes(out.graph)};
    return out;
  }

  const ir::Graph& graph_;
  const FoldOptions& options_;
  Float64 domain_;
  EvalOptions<Float64> evaluation_;
  std::vector<bool> blocked_;
  std::vector<bool> foldable_;
  std::vector<bool> roots_;
  std::vector<Held> held_;
  std::vector<ir::ConstantId> results_;
  std::vector<bool> declined_;
  std::vector<bool> needed_;
  std::vector<ValueId> not_finite_;
  size_t nodes_folded_ = 0;
  int64_t small_ = 0;  ///< elements of small operators since room was last looked at
};

}  // namespace

Folded fold(const ir::Graph& graph, const FoldOptions& options) { return Folder(graph, options).run(); }

FoldPlan plan_fold(const ir::Graph& graph, const FoldOptions& options) {
  return Folder(graph, options).planned_only();
}

}  // namespace isomer::eval
