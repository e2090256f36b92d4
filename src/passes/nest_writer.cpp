#include "passes/nest_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "hlo/window.h"
#include "ir/scalar_table.h"

namespace isomer::passes {
namespace {

using ir::Combiner;
using ir::ScalarOp;
using meaning::CompiledRead;
using meaning::ScalarProgram;
using meaning::Sort;

/// Of what a reduction combines, written out: beyond that many elements it is refused.
constexpr int64_t kMostCombined = int64_t{1} << 28;

Opcode opcode_of(Combiner combiner) {
  switch (combiner) {
    case Combiner::kProduct: return Opcode::kMultiply;
    case Combiner::kMax: return Opcode::kMaximum;
    case Combiner::kMin: return Opcode::kMinimum;
    default: return Opcode::kAdd;
  }
}

/// Whether integers may be computed in the type of the reads: a step either follows, modulo a power of two,
/// from what its operands are, or its operands are what was read. What was accumulated is neither.
bool stays_narrow(const ScalarProgram& program) {
  const auto is_leaf = [&](int32_t reg) {
    if (reg < 0) return true;
    const ScalarOp op = program.code[static_cast<size_t>(reg)].op;
    return ir::operand_count(op) == 0 && op != ScalarOp::kAcc;
  };
  return std::ranges::all_of(program.code, [&](const ScalarProgram::Instr& in) {
    if (in.op == ScalarOp::kVar) return false;
    const bool takes_integers = in.sort == Sort::kInteger || in.op == ScalarOp::kToNumber;
    if (!takes_integers || ir::operand_count(in.op) == 0 || in.op == ScalarOp::kSelect) return true;
    return ir::row(in.op).modular || (is_leaf(in.a) && is_leaf(in.b) && is_leaf(in.c));
  });
}

/// What a maximum or minimum is taken of: no step may have wrapped.
bool is_read_alone(const ScalarProgram& program) {
  return std::ranges::all_of(program.code, [](const ScalarProgram::Instr& in) {
    return in.op == ScalarOp::kRead || in.op == ScalarOp::kIntConst || in.op == ScalarOp::kValid ||
           in.op == ScalarOp::kSelect;
  });
}

/// One step whose result is rounded to the nearest number, so that the type does not matter to it.
bool rounds_once(const ScalarProgram& program) {
  const auto is_leaf = [](const ScalarProgram::Instr& in) { return ir::operand_count(in.op) == 0; };
  const auto steps = std::ranges::count_if(program.code, std::not_fn(is_leaf));
  return steps <= 1 && std::ranges::all_of(program.code, [&](const ScalarProgram::Instr& in) {
           return is_leaf(in) || ir::row(in.op).rounding != ir::Rounding::kApproximates;
         });
}

bool is_constant_within(const ScalarProgram& program, Primitive type) {
  const int bits = hlo::row(type).bits - (hlo::row(type).kind == hlo::PrimitiveKind::kSigned ? 1 : 0);
  return std::ranges::all_of(program.code, [&](const ScalarProgram::Instr& in) {
    return in.op != ScalarOp::kIntConst ||
           (in.integer >= 0 && (bits >= 63 || in.integer < int64_t{1} << bits));
  });
}

bool is_half(Primitive type) { return type == Primitive::kF16 || type == Primitive::kBF16; }

}  // namespace

NestWriter::NestWriter(Writer& writer, const meaning::CompiledNest& nest,
                       std::span<const InstructionId> operands)
    : w_(writer), nest_(nest), reads_(writer, nest, operands), types_(types_of_nest()) {}

InstructionId NestWriter::refuse(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  return {};
}

/// Numbers in float32, or double where one is; a step on halves alone in their type. Integers in 64 bits, or
/// in their type where that comes to the same.
ScalarTypes NestWriter::types_of_nest() const {
  std::vector<Primitive> numbers, wholes;
  const auto note = [&](Primitive type) {
    if (hlo::is_float(type)) numbers.push_back(type);
    if (hlo::is_integer(type)) wholes.push_back(type);
  };
  for (int n = 0; n < static_cast<int>(nest_.reads.size()); ++n)
    note(element_of(w_.module(), reads_.operand(n)));
  if (const auto out = primitive_of(nest_.dtype)) note(*out);
  const auto are_all = [](const std::vector<Primitive>& types, auto&& what) {
    return !types.empty() && std::ranges::all_of(types, what);
  };
  ScalarTypes out;
  if (std::ranges::find(numbers, Primitive::kF64) != numbers.end()) out.number = Primitive::kF64;
  const bool same_halves = are_all(numbers, [&](Primitive p) { return is_half(p) && p == numbers[0]; });
  if (same_halves && nest_.bodies.empty() && rounds_once(nest_.result)) out.number = numbers[0];
  bool narrow = are_all(
      wholes, [&](Primitive p) { return p == wholes[0] && p != Primitive::kU64 && hlo::row(p).bits >= 8; });
  const auto fits = [&](const ScalarProgram& p) {
    return p.code.empty() || (stays_narrow(p) && is_constant_within(p, wholes[0]));
  };
  narrow = narrow && fits(nest_.result) && std::ranges::all_of(nest_.bodies, fits) &&
           std::ranges::all_of(nest_.initials, fits);
  for (size_t i = 0; i < nest_.bodies.size(); ++i) {
    const bool ordered = nest_.combiners[i] == Combiner::kMax || nest_.combiners[i] == Combiner::kMin;
    narrow = narrow && (!ordered || is_read_alone(nest_.bodies[i]));
  }
  if (narrow) out.whole = wholes[0];
  return out;
}

InstructionId NestWriter::program(const ScalarProgram& program, const Frame& frame) {
  const ScalarLeaves leaves = {
      .dims = frame.dims,
      .read = [&](int n) { return reads_.element(n, frame); },
      .valid = [&](int n) { return reads_.valid(n, frame); },
      .acc = [&](int n) { return accumulators_[static_cast<size_t>(n)]; },
      .var = [&](int n) { return converted(w_, reads_.place(n, frame), types_.whole); }};
  ScalarWriter writer(w_, types_, leaves);
  const InstructionId out = writer.run(program);
  return out.valid() ? out : refuse(writer.why());
}

InstructionId NestWriter::run() {
  const std::optional<Primitive> type = primitive_of(nest_.dtype);
  if (!type) return refuse(fmt::format("XLA has no element type {}", ir::name(nest_.dtype)));
  for (size_t i = 0; i < nest_.bodies.size(); ++i) {
    accumulators_.push_back(accumulator(i));
    if (!accumulators_.back().valid()) return {};
  }
  InstructionId out = program(nest_.result, reads_.outputs());
  if (!out.valid()) return {};
  out = converted(w_, out, *type);
  return nest_.shape == nest_.space ? out : w_.reshape(out, nest_.shape);
}

InstructionId NestWriter::accumulator(size_t i) {
  const InstructionId out = reduced(i);
  return out.valid() && !nest_.initials[i].code.empty() ? begun(i, out) : out;
}

/// With what it began with.
InstructionId NestWriter::begun(size_t i, InstructionId reduced) {
  const InstructionId initial = program(nest_.initials[i], reads_.outputs());
  if (!initial.valid()) return {};
  const Primitive type = element_of(w_.module(), reduced);
  return w_.binary(opcode_of(nest_.combiners[i]), converted(w_, initial, type), reduced);
}

InstructionId NestWriter::reduced(size_t i) {
  if (nest_.scan.up_to < 0) {
    if (nest_.combiners[i] == Combiner::kSum)
      if (const auto out = as_dot(nest_.bodies[i])) return *out;
    if (const auto out = under_windows(i)) return *out;
  }
  return reduce_all(i);
}

/// Of a scan: what lies beyond counts as nothing.
InstructionId NestWriter::within_scan(InstructionId body, InstructionId neutral, const Frame& frame) {
  const InstructionId at = reads_.place(static_cast<int>(rank()), frame);
  InstructionId most = reads_.place(nest_.scan.up_to, frame);
  if (nest_.scan.mirrored) {
    const int64_t extent = nest_.extents[static_cast<size_t>(nest_.scan.up_to)];
    const InstructionId last = whole(w_, Primitive::kS64, extent - 1);
    most = w_.binary(Opcode::kSubtract, filled(w_, last, frame.dims), most);
  }
  const InstructionId counts = w_.compare(hlo::Direction::kLe, at, most);
  return w_.select(counts, body, filled(w_, neutral, frame.dims));
}

InstructionId NestWriter::reduce_all(size_t i) {
  if (nest_.outputs > 0 && nest_.reductions > kMostCombined / nest_.outputs)
    return refuse(fmt::format("it would be written as an array of {} times {} elements", nest_.outputs,
                              nest_.reductions));
  Frame frame = reads_.combined();
  InstructionId body = program(nest_.bodies[i], frame);
  if (!body.valid()) return {};
  body = converted(w_, body, nest_.bodies[i].sort == Sort::kNumber ? types_.number : types_.whole);
  const Primitive type = element_of(w_.module(), body);
  const InstructionId none = neutral(w_, nest_.combiners[i], type);
  if (nest_.scan.up_to >= 0) body = within_scan(body, none, frame);
  const size_t kept = frame.rank() - nest_.reduce.size();
  Dims axes(nest_.reduce.size());
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(kept));
  if (!axes.empty()) body = w_.reduce(body, none, axes, w_.combiner(opcode_of(nest_.combiners[i]), type));
  frame.vars.resize(kept);
  return reads_.spread({body, frame.vars}, reads_.outputs());
}

/// Batch: what both go by and the output too; contracted: what both go by and the output does not.
std::optional<InstructionId> NestWriter::as_dot(const ScalarProgram& body) {
  if (body.code.size() != 3 || body.code[0].op != ScalarOp::kRead || body.code[1].op != ScalarOp::kRead ||
      body.code[2].op != ScalarOp::kMul || nest_.reduce.empty())
    return std::nullopt;
  const auto a = reads_.plain(body.code[0].index), b = reads_.plain(body.code[1].index);
  if (!a || !b) return std::nullopt;
  const Primitive type = element_of(w_.module(), a->array);
  if (type != element_of(w_.module(), b->array)) return std::nullopt;
  DotDims dims;
  std::vector<int> batch, left, right;
  size_t contracted = 0;
  const auto place = [](const std::vector<int>& vars, int v) {
    const auto at = std::ranges::find(vars, v);
    return at == vars.end() ? int64_t{-1} : at - vars.begin();
  };
  for (int v = 0; v < static_cast<int>(nest_.extents.size()); ++v) {
    const int64_t in_a = place(a->vars, v), in_b = place(b->vars, v);
    if (v >= static_cast<int>(rank())) {
      if (in_a < 0 || in_b < 0) return std::nullopt;
      dims.left_contracting.push_back(in_a);
      dims.right_contracting.push_back(in_b);
      ++contracted;
    } else if (in_a >= 0 && in_b >= 0) {
      dims.left_batch.push_back(in_a);
      dims.right_batch.push_back(in_b);
      batch.push_back(v);
    } else if (in_a >= 0 || in_b >= 0) {
      (in_a >= 0 ? left : right).push_back(v);
    }
  }
  if (contracted == 0) return std::nullopt;
  const Primitive wanted = hlo::is_float(type) && !is_half(type) ? types_.number : type;
  const Primitive computed = hlo::is_float(type) ? wanted : types_.whole;
  const auto in_type = [&](InstructionId x) { return converted(w_, x, computed); };
  const InstructionId product = w_.dot(in_type(a->array), in_type(b->array), dims, computed);
  std::vector<int> vars = batch;
  vars.insert(vars.end(), left.begin(), left.end());
  vars.insert(vars.end(), right.begin(), right.end());
  return reads_.spread({product, std::move(vars)}, reads_.outputs());
}

namespace {

/// Dimensions of an operand under a window: of each which variables of the output and of the reduction it
/// goes by.
struct WindowedRead {
  std::vector<hlo::WindowDim> dims;
  std::vector<int> space;  ///< -1: none
  Dims padding, kept;
};

/// Nothing where a dimension goes by more, or backwards, or a variable by several.
std::optional<WindowedRead> windows_of(const CompiledRead& read, const meaning::CompiledNest& nest) {
  WindowedRead out;
  std::vector<int> seen;
  for (size_t i = 0; i < read.dims.size(); ++i) {
    hlo::WindowDim window;
    int space = -1, reduce = -1;
    for (const auto& [var, factor] : read.dims[i].terms) {
      int& slot = var < static_cast<int>(nest.space.size()) ? space : reduce;
      if (slot >= 0 || factor <= 0 || std::ranges::find(seen, var) != seen.end()) return std::nullopt;
      seen.push_back(slot = var);
      (&slot == &space ? window.stride : window.window_dilation) = factor;
    }
    const int64_t count = space < 0 ? 1 : nest.extents[static_cast<size_t>(space)];
    window.size = reduce < 0 ? 1 : nest.extents[static_cast<size_t>(reduce)];
    const int64_t reach = (count - 1) * window.stride + (window.size - 1) * window.window_dilation + 1;
    const int64_t before = -read.dims[i].constant;
    out.padding.insert(out.padding.end(), {before, reach - before - read.extents[i], 0});
    out.dims.push_back(window);
    out.space.push_back(space);
    if (space >= 0) out.kept.push_back(count);
  }
  const auto reductions =
      std::ranges::count_if(seen, [&](int v) { return v >= static_cast<int>(nest.space.size()); });
  if (static_cast<size_t>(reductions) != nest.reduce.size()) return std::nullopt;
  return out;
}

bool reads_alike(const CompiledRead& a, const CompiledRead& b) {
  return a.input == b.input && a.affine && b.affine && a.fill == b.fill &&
         std::ranges::equal(a.dims, b.dims, [](const meaning::Affine& x, const meaning::Affine& y) {
           return x.constant == y.constant && x.terms == y.terms;
         });
}

}  // namespace

/// What is combined is computed of the padded operand, once for each of its elements.
std::optional<InstructionId> NestWriter::under_windows(size_t i) {
  const ScalarProgram& body = nest_.bodies[i];
  const bool has_places =
      std::ranges::any_of(body.code, [](const ScalarProgram::Instr& in) { return in.op == ScalarOp::kVar; });
  if (body.reads.empty() || has_places || nest_.outputs == 0 || nest_.reductions == 0) return std::nullopt;
  const CompiledRead& read = reads_.read(body.reads[0]);
  for (const int n : body.reads)
    if (!reads_alike(read, reads_.read(n))) return std::nullopt;
  const bool is_window = std::ranges::any_of(read.dims, [](const auto& dim) { return dim.terms.size() > 1; });
  if (!is_window || (!read.in_bounds && !read.guarded)) return std::nullopt;
  const auto windows = windows_of(read, nest_);
  if (!windows) return std::nullopt;

  const auto within = [&](InstructionId x, InstructionId fill) {
    return padded(w_, x, fill, windows->padding);
  };
  const int first = body.reads[0];
  const InstructionId operand = reads_.operand(first);
  const InstructionId x = within(operand, reads_.fill(first));
  const ScalarLeaves leaves = {.dims = dims_of(w_.module(), x),
                               .read = [&](int) { return x; },
                               .valid =
                                   [&](int) {
                                     const Dims of = dims_of(w_.module(), operand);
                                     return within(filled(w_, w_.constant(Primitive::kPred, 1), of),
                                                   w_.constant(Primitive::kPred, 0));
                                   },
                               .acc = [](int) { return InstructionId(); },
                               .var = [](int) { return InstructionId(); }};
  ScalarWriter writer(w_, types_, leaves);
  InstructionId combined = writer.run(body);
  if (!combined.valid()) return refuse(writer.why());
  combined = converted(w_, combined, body.sort == Sort::kNumber ? types_.number : types_.whole);
  const Primitive type = element_of(w_.module(), combined);
  Dims out;
  for (size_t d = 0; d < windows->dims.size(); ++d)
    out.push_back(windows->space[d] < 0 ? 1 : nest_.extents[static_cast<size_t>(windows->space[d])]);
  const Opcode opcode = opcode_of(nest_.combiners[i]);
  InstructionId result =
      w_.add(Opcode::kReduceWindow, w_.array(type, out), {combined, neutral(w_, nest_.combiners[i], type)},
             {{AttributeName::kToApply, {int64_t{w_.combiner(opcode, type).v}}},
              {AttributeName::kWindow, hlo::window_numbers(windows->dims)}});
  std::vector<int> vars;
  for (const int v : windows->space)
    if (v >= 0) vars.push_back(v);
  if (vars.size() != out.size()) result = w_.reshape(result, windows->kept);
  return reads_.spread({result, std::move(vars)}, reads_.outputs());
}

}  // namespace isomer::passes
