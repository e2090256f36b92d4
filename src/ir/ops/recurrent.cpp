// Recurrent networks: a step that is applied along a sequence (LSTM: Hochreiter, Schmidhuber 1997; with
// peepholes Gers, Schmidhuber 2000; GRU: Cho et al. 2014). The step is a region of ordinary operators; that
// it is repeated makes the operator procedural: no rule looks into it, and sequences may be long.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <utility>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"
#include "ir/ops/given.h"

namespace isomer::ir::ops {
namespace {

using Handle = Workspace::Handle;
using Handles = std::vector<Handle>;

enum Input : int64_t { kX, kW, kR, kBias, kLengths, kFirstHidden, kFirstCell, kPeepholes };
enum class Cell : uint8_t { kLstm, kGru, kRnn };

int64_t gates(Cell cell) { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }

bool both_ways(const OpInstance& op) { return op.s("direction") == "bidirectional"; }

/// Sizes of the sequence, with batches and steps told apart by the layout.
struct Sizes {
  Dim steps, batch, width, hidden;
  int64_t directions;

  explicit Sizes(const OpInstance& op)
      : steps(op.in_shape(0)[op.i("layout") == 0 ? 0 : 1]),
        batch(op.in_shape(0)[op.i("layout") == 0 ? 1 : 0]),
        width(op.in_shape(0)[2]),
        hidden(op.i("hidden")),
        directions(both_ways(op) ? 2 : 1) {}
};

int64_t last_input(Cell cell) { return cell == Cell::kLstm ? kPeepholes : kFirstHidden; }

std::string check_parts(const OpInstance& op, Cell cell) {
  const Sizes sizes(op);
  const Dim directions(sizes.directions), all(gates(cell) * op.i("hidden"));
  const Shape state = op.i("layout") == 0 ? Shape{directions, sizes.batch, sizes.hidden}
                                          : Shape{sizes.batch, directions, sizes.hidden};
  const std::vector<Shape> expected = {{},
                                       {directions, all, sizes.width},
                                       {directions, all, sizes.hidden},
                                       {directions, Dim(2 * gates(cell) * op.i("hidden"))},
                                       {sizes.batch},
                                       state,
                                       state,
                                       {directions, Dim(3 * op.i("hidden"))}};
  for (int64_t input = kW; input <= kPeepholes; ++input) {
    const int at = operand_of(op, input);
    if (at < 0) continue;
    if (auto bad = check_shape(op, static_cast<size_t>(at), expected[static_cast<size_t>(input)]);
        !bad.empty())
      return bad;
    const DType dtype = input == kLengths ? DType::kI32 : op.in_dtype(0);
    if (op.in_dtype(static_cast<size_t>(at)) != dtype)
      return fmt::format("operand {}: expected {}", at, name(dtype));
  }
  return {};
}

Inferred recurrent_type(const OpInstance& op, Cell cell) {
  if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (auto bad = check_operand(op, i, Takes::kNumbers); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_rank(op, 0, 3); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_given(op, 3, last_input(cell)); !bad.empty()) return Inferred::fail(bad);
  constexpr int64_t kMostHidden = 1 << 20;
  if (op.i("hidden") < 1 || op.i("hidden") > kMostHidden)
    return Inferred::fail(
        fmt::format("expected a hidden size of 1 to {}, got {}", kMostHidden, op.i("hidden")));
  if (op.i("layout") != 0 && op.i("layout") != 1)
    return Inferred::fail(fmt::format("expected layout 0 or 1, got {}", op.i("layout")));
  if (auto bad = check_parts(op, cell); !bad.empty()) return Inferred::fail(bad);
  const Sizes sizes(op);
  const Dim directions(sizes.directions);
  const bool batches_first = op.i("layout") != 0;
  const Shape all = batches_first ? Shape{sizes.batch, sizes.steps, directions, sizes.hidden}
                                  : Shape{sizes.steps, directions, sizes.batch, sizes.hidden};
  const Shape state = batches_first ? Shape{sizes.batch, directions, sizes.hidden}
                                    : Shape{directions, sizes.batch, sizes.hidden};
  std::vector<TypeId> types = {op.ctx.tensor_type(op.in_dtype(0), all),
                               op.ctx.tensor_type(op.in_dtype(0), state)};
  if (cell == Cell::kLstm) types.push_back(types[1]);
  return Inferred::ok(op.ctx.intern(Type::tuple(std::move(types))));
}

/// One step in one direction, as a region of x [N, I], the operands but the first, h [N, H], c [N, H] (LSTM)
/// and, where there are lengths, whether each batch still goes on [N, 1]: the next h and c, and the output.
class Step {
 public:
  Step(const OpInstance& op, Cell cell, int64_t direction)
      : op_(op), cell_(cell), direction_(direction), b_(op.ctx), c_(b_) {}

  RegionId region(TypeId x, TypeId state, TypeId alive) {
    const ValueId input = b_.input("", x);
    for (size_t i = 1; i < op_.inputs.size(); ++i) operands_.push_back(b_.input("", op_.inputs[i]));
    h_ = b_.input("", state);
    if (cell_ == Cell::kLstm) cell_state_ = b_.input("", state);
    ValueId goes_on;
    if (alive.valid()) goes_on = b_.input("", alive);
    project(input);
    std::vector<ValueId> out =
        cell_ == Cell::kLstm ? lstm() : std::vector<ValueId>{cell_ == Cell::kGru ? gru() : rnn()};
    ValueId shown = out[0];
    if (goes_on.valid()) {
      shown = c_.where(goes_on, shown, filled(b_, c_.dtype(h_), 0, {}));
      out[0] = c_.where(goes_on, out[0], h_);
      if (out.size() > 1) out[1] = c_.where(goes_on, out[1], cell_state_);
    }
    out.push_back(shown);
    return op_.ctx.add(std::make_shared<const Graph>(b_.finish(std::move(out))));
  }

 private:
  /// What the operand of that input holds for this direction.
  ValueId part(int64_t input) {
    const int at = operand_of(op_, input);
    if (at < 1) return {};
    return c_.squeeze(c_.slice(operands_[static_cast<size_t>(at - 1)], 0, direction_, direction_ + 1), {0});
  }
  /// Gate number n of v along its last dimension.
  ValueId gate(ValueId v, int64_t n) {
    const int64_t hidden = op_.i("hidden");
    return c_.slice(v, c_.rank(v) - 1, n * hidden, (n + 1) * hidden);
  }

  /// x W' + its bias, h R' and its bias, all gates side by side.
  void project(ValueId x) {
    from_x_ = c_.call("matmul", {x, c_.transpose(part(kW), {1, 0})});
    recurrence_ = c_.transpose(part(kR), {1, 0});
    const ValueId bias = part(kBias);
    const int64_t all = gates(cell_) * op_.i("hidden");
    if (!bias.valid()) return;
    from_x_ = c_.both("add", from_x_, c_.slice(bias, 0, 0, all));
    bias_ = c_.slice(bias, 0, all, 2 * all);
  }
  /// What h gives for gate number n.
  ValueId from_hidden(ValueId h, int64_t n) {
    const ValueId product = c_.call("matmul", {h, gate(recurrence_, n)});
    return bias_.valid() ? c_.both("add", product, gate(bias_, n)) : product;
  }
  ValueId sum(int64_t n) { return c_.call("add", {gate(from_x_, n), from_hidden(h_, n)}); }

  ValueId activated(ValueId v, size_t n) {
    if (op_.has("clip")) v = c_.call("clip", {v}, {{"min", -op_.f("clip")}, {"max", op_.f("clip")}});
    return c_.call(activation_of(op_, cell_, direction_, n), {v});
  }

  ValueId rnn() { return activated(sum(0), 0); }

  ValueId gru() {
    const ValueId update = activated(sum(0), 0), reset = activated(sum(1), 0);
    const ValueId fresh = op_.i("linear_before_reset") != 0 ? c_.call("mul", {reset, from_hidden(h_, 2)})
                                                            : from_hidden(c_.call("mul", {reset, h_}), 2);
    const ValueId candidate = activated(c_.call("add", {gate(from_x_, 2), fresh}), 1);
    const ValueId one = filled(b_, c_.dtype(h_), 1, c_.shape(h_));
    return c_.call(
        "add", {c_.call("mul", {c_.call("sub", {one, update}), candidate}), c_.call("mul", {update, h_})});
  }

  /// Gates in the order input, output, forget, cell; peepholes input, output, forget.
  std::vector<ValueId> lstm() {
    const ValueId peepholes = part(kPeepholes);
    const auto peeped = [&](ValueId v, int64_t n, ValueId state) {
      return peepholes.valid() ? c_.call("add", {v, c_.both("mul", state, gate(peepholes, n))}) : v;
    };
    const ValueId input = activated(peeped(sum(0), 0, cell_state_), 0);
    const ValueId one = filled(b_, c_.dtype(h_), 1, c_.shape(h_));
    const ValueId forget = op_.i("input_forget") != 0 ? c_.call("sub", {one, input})
                                                      : activated(peeped(sum(2), 2, cell_state_), 0);
    const ValueId candidate = activated(sum(3), 1);
    const ValueId next =
        c_.call("add", {c_.call("mul", {forget, cell_state_}), c_.call("mul", {input, candidate})});
    const ValueId output = activated(peeped(sum(1), 1, next), 0);
    return {c_.call("mul", {output, c_.call(activation_of(op_, cell_, direction_, 2), {next})}), next};
  }

  static std::string activation_of(const OpInstance& op, Cell cell, int64_t direction, size_t n);

  const OpInstance& op_;
  Cell cell_;
  int64_t direction_;
  Builder b_;
  Compose c_;
  std::vector<ValueId> operands_;
  ValueId h_, cell_state_, from_x_, recurrence_, bias_;
};

std::string lowered(std::string word) {
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

size_t activations_each(Cell cell) { return cell == Cell::kLstm ? 3 : cell == Cell::kGru ? 2 : 1; }

/// Where none are given, those that networks mostly have.
std::string Step::activation_of(const OpInstance& op, Cell cell, int64_t direction, size_t n) {
  const std::vector<std::string>& words = op.strings("activations");
  if (words.empty()) return cell == Cell::kRnn || n > 0 ? "tanh" : "sigmoid";
  return lowered(words.at(static_cast<size_t>(direction) * activations_each(cell) + n));
}

std::string check_activations(const OpInstance& op, Cell cell) {
  const std::vector<std::string>& words = op.strings("activations");
  for (const std::string& word : words)
    if (word != "Sigmoid" && word != "Tanh" && word != "Relu")
      return fmt::format("expected Sigmoid, Tanh or Relu as activation, got {}", word);
  const size_t expected = activations_each(cell) * (both_ways(op) ? 2 : 1);
  if (words.empty() || words.size() == expected) return {};
  return fmt::format("expected {} activations, got {}", expected, words.size());
}

/// The whole sequence.
class Sequence {
 public:
  Sequence(Workspace& work, const OpInstance& op, Cell cell, std::span<const Handle> in)
      : work_(work),
        op_(op),
        cell_(cell),
        in_(in),
        sizes_(op),
        batch_(sizes_.batch.size()),
        steps_(sizes_.steps.size()) {
    const DType dtype = op.in_dtype(0);
    state_ = op.ctx.tensor_type(dtype, {sizes_.batch, sizes_.hidden});
    x_ = op.ctx.tensor_type(dtype, {sizes_.batch, sizes_.width});
    if (operand_of(op, kLengths) >= 0) alive_ = op.ctx.tensor_type(DType::kBool, {sizes_.batch, Dim(1)});
  }

  Handles run() {
    const auto directions = static_cast<size_t>(sizes_.directions);
    std::vector<Handles> shown(static_cast<size_t>(steps_), Handles(directions));
    Handles hidden, cells;
    for (size_t d = 0; d < directions; ++d) {
      const bool backward = op_.s("direction") == "reverse" || d == 1;
      const RegionId step = Step(op_, cell_, static_cast<int64_t>(d)).region(x_, state_, alive_);
      Handle h = first(kFirstHidden, static_cast<int64_t>(d)), c = first(kFirstCell, static_cast<int64_t>(d));
      for (int64_t n = 0; n < steps_; ++n) {
        work_.check_time();
        const int64_t t = backward ? steps_ - 1 - n : n;
        Handles operands = {at_step(t)};
        operands.insert(operands.end(), in_.begin() + 1, in_.end());
        operands.push_back(h);
        if (cell_ == Cell::kLstm) operands.push_back(c);
        if (alive_.valid()) operands.push_back(alive_at(t));
        const Handles next = work_.apply(step, operands);
        h = next[0];
        if (cell_ == Cell::kLstm) c = next[1];
        shown[static_cast<size_t>(t)][d] = next.back();
      }
      hidden.push_back(if_any(h));
      cells.push_back(cell_ == Cell::kLstm ? if_any(c) : c);
    }
    Handles all;
    for (const Handles& at : shown) all.insert(all.end(), at.begin(), at.end());
    Handles out = {stacked(all, steps_), stacked(hidden, 0)};
    if (cell_ == Cell::kLstm) out.push_back(stacked(cells, 0));
    return out;
  }

 private:
  Handle at_step(int64_t t) {
    std::vector<int64_t> places;
    const int64_t width = sizes_.width.size();
    for (int64_t n = 0; n < batch_; ++n)
      for (int64_t i = 0; i < width; ++i)
        places.push_back((op_.i("layout") == 0 ? t * batch_ + n : n * steps_ + t) * width + i);
    return work_.picked(in_[0], places, x_);
  }
  Handle alive_at(int64_t t) {
    std::vector<int64_t> out;
    for (int64_t n = 0; n < batch_; ++n)
      out.push_back(work_.integer(in_[static_cast<size_t>(operand_of(op_, kLengths))], n) > t ? 1 : 0);
    return work_.integers(std::move(out), alive_);
  }
  /// The last state; 0 where a sequence has no step, whatever it began with, as ONNX Runtime has it.
  Handle if_any(Handle state) {
    if (!alive_.valid()) return state;
    Builder b(op_.ctx);
    Compose c(b);
    const ValueId any = b.input("", alive_), last = b.input("", state_);
    const ValueId zero = filled(b, op_.in_dtype(0), 0, {});
    Graph chosen = b.finish({c.where(any, last, zero)});
    const Handles operands = {alive_at(0), state};
    return work_.apply(op_.ctx.add(std::make_shared<const Graph>(std::move(chosen))), operands)[0];
  }
  /// The state before the first step.
  Handle first(int64_t input, int64_t direction) {
    const int at = operand_of(op_, input);
    if (at < 0) {
      Builder b(op_.ctx);
      const ValueId zero = filled(b, op_.in_dtype(0), 0, {sizes_.batch, sizes_.hidden});
      return work_.apply(op_.ctx.add(std::make_shared<const Graph>(b.finish({zero}))), {})[0];
    }
    std::vector<int64_t> places;
    const int64_t hidden = op_.i("hidden");
    for (int64_t n = 0; n < batch_; ++n)
      for (int64_t i = 0; i < hidden; ++i)
        places.push_back(
            (op_.i("layout") == 0 ? direction * batch_ + n : n * sizes_.directions + direction) * hidden + i);
    return work_.picked(in_[static_cast<size_t>(at)], places, state_);
  }
  /// States [N, H] as one tensor: of so many steps and directions, or of directions alone.
  Handle stacked(const Handles& parts, int64_t steps) {
    Builder b(op_.ctx);
    Compose c(b);
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < parts.size(); ++i) inputs.push_back(c.unsqueeze(b.input("", state_), {0}));
    ValueId all = c.concat(inputs, 0);
    const Dim directions(sizes_.directions);
    if (steps > 0) all = c.reshape(all, {Dim(steps), directions, sizes_.batch, sizes_.hidden});
    if (op_.i("layout") != 0)
      all = c.transpose(all, steps > 0 ? std::vector<int64_t>{2, 0, 1, 3} : std::vector<int64_t>{1, 0, 2});
    return work_.apply(op_.ctx.add(std::make_shared<const Graph>(b.finish({all}))), parts)[0];
  }

  Workspace& work_;
  const OpInstance& op_;
  Cell cell_;
  std::span<const Handle> in_;
  Sizes sizes_;
  int64_t batch_, steps_;
  TypeId state_, x_, alive_;
};

AttrSpec activations_attr() {
  return {.name = "activations", .kind = AttrKind::kStrings, .fallback = std::vector<std::string>()};
}

OpDef recurrent(const char* name, Cell cell, const char* onnx_name, std::string doc) {
  OpDef def = operation(name, MeaningKind::kProcedural, 3, 8, std::move(doc),
                        {ints_attr("given"), int_attr("hidden"),
                         string_attr("direction", "forward", {"forward", "reverse", "bidirectional"}),
                         activations_attr(), optional_float_attr("clip"), int_attr("layout", 0)});
  std::vector<AttrSpelling> rows = {{.ours = "given", .rule = Unsaid::kPresent},
                                    {.ours = "hidden", .name = "hidden_size"},
                                    {.ours = "direction"},
                                    {.ours = "activations", .quiet = true},
                                    {.ours = "clip"},
                                    {.ours = "layout", .since = 14, .quiet = true}};
  if (cell == Cell::kLstm) def.attrs.push_back(int_attr("input_forget", 0));
  if (cell == Cell::kGru) def.attrs.push_back(int_attr("linear_before_reset", 0));
  def.infer = [cell](const OpInstance& op) {
    if (auto bad = check_activations(op, cell); !bad.empty()) return Inferred::fail(bad);
    return recurrent_type(op, cell);
  };
  def.procedure = [cell](Workspace& work, const OpInstance& op, std::span<const Handle> in) {
    return Sequence(work, op, cell, in).run();
  };
  def.steps = [cell](const OpInstance& op) {
    double out = 2 * static_cast<double>(gates(cell) * op.i("hidden")) * (both_ways(op) ? 2 : 1);
    const std::vector<int64_t> x = op.in_sizes(0);
    out *= static_cast<double>(x[0]) * static_cast<double>(x[1]);
    return out * static_cast<double>(x[2] + op.i("hidden"));
  };
  Spelling spelling = said(typed(onnx(onnx_name, 7), floats_bfloat_since(22)), std::move(rows));
  spelling.results = cell == Cell::kLstm ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1};
  def.spellings = {std::move(spelling)};
  return def;
}

}  // namespace

void register_recurrent(OpTable& table) {
  const std::string rest =
      " Operands as ONNX has them: x, w, r, bias, lengths, first states; `given`: which of them there are. "
      "`activations` are names of ONNX.";
  table.add(recurrent("lstm", Cell::kLstm, "LSTM",
                      "A triple: all outputs, the last of them and the last cells of an LSTM." + rest));
  table.add(recurrent("gru", Cell::kGru, "GRU",
                      "A pair: all outputs and the last of them of gated recurrent units." + rest));
  table.add(recurrent("rnn", Cell::kRnn, "RNN",
                      "A pair: all outputs and the last of them of an Elman network." + rest));
}

}  // namespace isomer::ir::ops
