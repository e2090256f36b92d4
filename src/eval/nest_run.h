// Runs a compiled loop nest for one output element, over any value domain; the slow reference that defines
// what operators mean. `Source` yields elements of operands: number(input, linear) and integer(input,
// linear).
#pragma once

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/evaluation_cut.h"
#include "eval/integer_arithmetic.h"
#include "ir/constant_data.h"
#include "meaning/nest.h"
#include "support/deadline.h"
#include "support/errors.h"

namespace isomer::eval {

/// A program asks for an element that its operand does not have (an index out of range).
class ReadOutOfBounds : public InputError {
 public:
  using InputError::InputError;
};

/// Throws ReadOutOfBounds that names the node and the index.
[[noreturn]] void fail_out_of_bounds(const meaning::CompiledNest& nest, const meaning::CompiledRead& read,
                                     std::span<const int64_t> index);

template <class D, class Source>
class NestRunner {
 public:
  using Number = typename D::Number;

  /// `until`, if any, is looked at every so many steps; EvaluationCut once it has passed.
  NestRunner(D& domain, const meaning::CompiledNest& nest, Source& source, const Deadline* until = nullptr)
      : domain_(domain), nest_(nest), source_(source), until_(until), vars_(nest.extents.size()) {
    size_t registers = nest.result.code.size();
    for (const meaning::ScalarProgram& p : nest.bodies) registers = std::max(registers, p.code.size());
    for (const meaning::ScalarProgram& p : nest.initials) registers = std::max(registers, p.code.size());
    numbers_.resize(registers);
    integers_.resize(registers);
    acc_numbers_.resize(nest.bodies.size());
    acc_integers_.resize(nest.bodies.size());
    for (const meaning::CompiledRead& read : nest.reads) fills_.push_back(domain.constant(read.fill));
    for (const ir::Combiner c : nest.combiners) identities_.push_back(domain.constant(identity(c)));
    add_constants(nest.result);
    for (const meaning::ScalarProgram& p : nest.bodies) add_constants(p);
    for (const meaning::ScalarProgram& p : nest.initials) add_constants(p);
  }

  /// Output element by row-major number.
  Number number(int64_t linear) {
    evaluate(linear);
    return numbers_[nest_.result.code.size() - 1];
  }
  int64_t integer(int64_t linear) {
    evaluate(linear);
    return ir::wrap_to(nest_.dtype, integers_[nest_.result.code.size() - 1]);
  }

  /// Only the last step, for accumulators (one number) that somebody else computed.
  Number finish(int64_t linear, Number accumulator) {
    set_output(linear);
    acc_numbers_[0] = accumulator;
    run(nest_.result, 0);
    return numbers_[nest_.result.code.size() - 1];
  }

  /// Offset of a read at these loop variables, or -1 where it is out of bounds and guarded.
  int64_t locate(const meaning::CompiledRead& read, std::span<const int64_t> vars) {
    if (read.in_bounds) return read.linear.at(vars);
    for (const ir::IndexExpr& zero : read.zero)
      if (index(zero) != 0) return -1;
    int64_t linear = 0;
    for (size_t d = 0; d < read.extents.size(); ++d) {
      const int64_t i = read.affine ? read.dims[d].at(vars) : index(read.index[d]);
      if (i < 0 || i >= read.extents[d]) {
        if (!read.guarded) out_of_bounds(read);
        return -1;
      }
      linear = linear * read.extents[d] + i;
    }
    return linear;
  }

 private:
  /// Constants are converted to the domain once (program 0: the result).
  void add_constants(const meaning::ScalarProgram& program) {
    first_constant_.push_back(constants_.size());
    for (const auto& in : program.code)
      constants_.push_back(in.op == ir::ScalarOp::kConst ? domain_.constant(in.value) : Number{});
  }

  void set_output(int64_t linear) {
    for (size_t i = nest_.space.size(); i-- > 0;) {
      vars_[i] = linear % nest_.space[i];
      linear /= nest_.space[i];
    }
  }

  void look_at_the_clock() {
    constexpr uint32_t kBetween = 1 << 15;  // milliseconds
    if (until_ == nullptr || ++steps_ % kBetween != 0) return;
    if (until_->passed()) throw EvaluationCut();
  }

  void evaluate(int64_t linear) {
    look_at_the_clock();
    set_output(linear);
    if (!nest_.bodies.empty()) reduce();
    run(nest_.result, 0);
  }

  void reduce() {
    const size_t rank = nest_.space.size();
    for (size_t i = rank; i < vars_.size(); ++i) vars_[i] = 0;
    for (size_t a = 0; a < nest_.bodies.size(); ++a) start(a);
    const int64_t steps = steps_here();
    for (int64_t r = 0; r < steps; ++r) {
      look_at_the_clock();
      if (nest_.plain) {
        for (size_t a = 0; a < nest_.bodies.size(); ++a) {
          run(nest_.bodies[a], a + 1);
          combine(a, nest_.bodies[a].code.size() - 1);
        }
      } else {
        step_all();
      }
      for (size_t i = vars_.size(); i-- > rank;) {
        if (++vars_[i] < nest_.extents[i]) break;
        vars_[i] = 0;
      }
    }
  }

  /// Of the whole reduction domain, or up to the output's place in it.
  int64_t steps_here() const {
    if (nest_.scan.up_to < 0) return nest_.reductions;
    const int64_t extent = nest_.reduce[0], each = nest_.reductions / std::max<int64_t>(extent, 1);
    const int64_t place = vars_[static_cast<size_t>(nest_.scan.up_to)];
    return std::clamp<int64_t>(nest_.scan.mirrored ? extent - place : place + 1, 0, extent) * each;
  }

  /// All accumulators take a step at once: each sees the others as they were.
  void step_all() {
    next_numbers_ = acc_numbers_;
    next_integers_ = acc_integers_;
    for (size_t a = 0; a < nest_.bodies.size(); ++a) {
      run(nest_.bodies[a], a + 1);
      const size_t reg = nest_.bodies[a].code.size() - 1;
      if (nest_.combiners[a] == ir::Combiner::kStep) {
        next_numbers_[a] = numbers_[reg];
        next_integers_[a] = integers_[reg];
      } else {
        std::swap(acc_numbers_[a], next_numbers_[a]);
        std::swap(acc_integers_[a], next_integers_[a]);
        const auto number = next_numbers_[a];
        const auto whole = next_integers_[a];
        combine(a, reg);
        next_numbers_[a] = std::exchange(acc_numbers_[a], number);
        next_integers_[a] = std::exchange(acc_integers_[a], whole);
      }
      if (nest_.kept_as[a] == ir::DType::kUndefined) continue;
      if (nest_.bodies[a].sort == meaning::Sort::kNumber)
        next_numbers_[a] = domain_.cast(nest_.kept_as[a], next_numbers_[a]);
      else
        next_integers_[a] = ir::wrap_to(nest_.kept_as[a], next_integers_[a]);
    }
    acc_numbers_.swap(next_numbers_);
    acc_integers_.swap(next_integers_);
  }

  static double identity(ir::Combiner c) {
    using ir::Combiner;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (c) {
      case Combiner::kSum: return 0;
      case Combiner::kProduct: return 1;
      case Combiner::kMax: return -kInfinity;
      case Combiner::kMin: return kInfinity;
      case Combiner::kStep: return 0;  // begins with what the nest says
    }
    return 0;
  }

  void start(size_t a) {
    using ir::Combiner;
    if (const meaning::ScalarProgram& initial = nest_.initials[a]; !initial.code.empty()) {
      run(initial, 1 + nest_.bodies.size() + a);
      acc_numbers_[a] = numbers_[initial.code.size() - 1];
      acc_integers_[a] = integers_[initial.code.size() - 1];
      return;
    }
    const Combiner c = nest_.combiners[a];
    acc_numbers_[a] = identities_[a];
    acc_integers_[a] = c == Combiner::kSum       ? 0
                       : c == Combiner::kProduct ? 1
                       : c == Combiner::kMax     ? std::numeric_limits<int64_t>::min()
                                                 : std::numeric_limits<int64_t>::max();
  }

  void combine(size_t a, size_t reg) {
    using ir::Combiner;
    if (nest_.bodies[a].sort == meaning::Sort::kInteger) {
      static constexpr ir::ScalarOp kOps[] = {ir::ScalarOp::kAdd, ir::ScalarOp::kMul, ir::ScalarOp::kMax,
                                              ir::ScalarOp::kMin};
      acc_integers_[a] =
          apply_integer(kOps[static_cast<size_t>(nest_.combiners[a])], acc_integers_[a], integers_[reg]);
      return;
    }
    Number& acc = acc_numbers_[a];
    switch (nest_.combiners[a]) {
      case Combiner::kSum: acc = domain_.add(acc, numbers_[reg]); break;
      case Combiner::kProduct: acc = domain_.mul(acc, numbers_[reg]); break;
      case Combiner::kMax: acc = domain_.max(acc, numbers_[reg]); break;
      case Combiner::kMin: acc = domain_.min(acc, numbers_[reg]); break;
      case Combiner::kStep: acc = numbers_[reg]; break;
    }
  }

  int64_t index(const ir::IndexExpr& e) {
    using Kind = ir::IndexExpr::Kind;
    switch (e.kind()) {
      case Kind::kConst: return e.value();
      case Kind::kVar: return vars_[static_cast<size_t>(e.value())];
      case Kind::kAdd: return index(e.lhs()) + index(e.rhs());
      case Kind::kMulConst: return index(e.lhs()) * e.value();
      case Kind::kMin: return std::min(index(e.lhs()), index(e.rhs()));
      case Kind::kMax: return std::max(index(e.lhs()), index(e.rhs()));
      case Kind::kFloorDiv:
      case Kind::kMod: {
        const int64_t value = index(e.lhs());
        const int64_t rest = value % e.value();
        const int64_t mod = rest < 0 ? rest + e.value() : rest;
        return e.kind() == Kind::kMod ? mod : (value - mod) / e.value();
      }
      case Kind::kLoad: break;
    }
    const int64_t loaded = read_integer(nest_.reads[static_cast<size_t>(e.value())]);
    return loaded < 0 && e.wrap() > 0 ? loaded + e.wrap() : loaded;
  }

  Number read_number(const meaning::CompiledRead& read, Number fill) {
    const int64_t at = locate(read, vars_);
    return at < 0 ? fill : source_.number(read.input, at);
  }
  int64_t read_integer(const meaning::CompiledRead& read) {
    const int64_t at = locate(read, vars_);
    return at < 0 ? static_cast<int64_t>(read.fill) : source_.integer(read.input, at);
  }

  [[noreturn]] void out_of_bounds(const meaning::CompiledRead& read) {
    std::vector<int64_t> at;
    for (size_t d = 0; d < read.extents.size(); ++d)
      at.push_back(read.affine ? read.dims[d].at(vars_) : index(read.index[d]));
    fail_out_of_bounds(nest_, read, at);
  }

  void run(const meaning::ScalarProgram& program, size_t which) {
    const Number* constants = constants_.data() + first_constant_[which];
    for (size_t r = 0; r < program.code.size(); ++r) step(program.code[r], r, constants);
  }

  void step(const meaning::ScalarProgram::Instr& in, size_t r, const Number* constants) {
    using ir::ScalarOp;
    const auto num = [&](int32_t reg) { return numbers_[static_cast<size_t>(reg)]; };
    const auto whole = [&](int32_t reg) { return integers_[static_cast<size_t>(reg)]; };
    const bool is_number = in.sort == meaning::Sort::kNumber;
    switch (in.op) {
      case ScalarOp::kRead: {
        const meaning::CompiledRead& read = nest_.reads[static_cast<size_t>(in.index)];
        if (is_number)
          numbers_[r] = read_number(read, fills_[static_cast<size_t>(in.index)]);
        else
          integers_[r] = read_integer(read);
        return;
      }
      case ScalarOp::kValid:
        integers_[r] = locate(nest_.reads[static_cast<size_t>(in.index)], vars_) >= 0;
        return;
      case ScalarOp::kAcc:
        if (is_number)
          numbers_[r] = acc_numbers_[static_cast<size_t>(in.index)];
        else
          integers_[r] = acc_integers_[static_cast<size_t>(in.index)];
        return;
      case ScalarOp::kVar: integers_[r] = vars_[static_cast<size_t>(in.index)]; return;
      case ScalarOp::kConst: numbers_[r] = constants[r]; return;
      case ScalarOp::kIntConst: integers_[r] = in.integer; return;
      case ScalarOp::kIsNan: integers_[r] = domain_.is_nan(num(in.a)); return;
      case ScalarOp::kIsInf: integers_[r] = domain_.is_inf(num(in.a)); return;
      case ScalarOp::kSelect:
        if (is_number)
          numbers_[r] = whole(in.a) != 0 ? num(in.b) : num(in.c);
        else
          integers_[r] = whole(in.a) != 0 ? whole(in.b) : whole(in.c);
        return;
      case ScalarOp::kToNumber: numbers_[r] = domain_.from_integer(whole(in.a)); return;
      case ScalarOp::kToInteger: integers_[r] = domain_.to_integer(num(in.a)); return;
      case ScalarOp::kCast:
        if (is_number)
          numbers_[r] = domain_.cast(in.dtype, num(in.a));
        else
          integers_[r] = ir::is_integer(in.dtype) ? ir::wrap_to(in.dtype, whole(in.a)) : whole(in.a);
        if constexpr (requires { D::kCastsHaveRange; }) {
          const auto back = static_cast<std::ptrdiff_t>(in.a) - static_cast<std::ptrdiff_t>(r);
          if ((&in)[back].op == ScalarOp::kToInteger && integers_[r] != whole(in.a)) ++domain_.undefined;
        }
        return;
      default: break;
    }
    if (!is_number) {
      if constexpr (requires { domain_.undefined; })
        if ((in.op == ScalarOp::kDiv || in.op == ScalarOp::kMod || in.op == ScalarOp::kFMod) &&
            whole(in.b) == 0)
          ++domain_.undefined;
      integers_[r] = apply_integer(in.op, whole(in.a), in.b < 0 ? 0 : whole(in.b));
      return;
    }
    switch (in.op) {
      case ScalarOp::kAdd: numbers_[r] = domain_.add(num(in.a), num(in.b)); return;
      case ScalarOp::kSub: numbers_[r] = domain_.sub(num(in.a), num(in.b)); return;
      case ScalarOp::kMul: numbers_[r] = domain_.mul(num(in.a), num(in.b)); return;
      case ScalarOp::kMax: numbers_[r] = domain_.max(num(in.a), num(in.b)); return;
      case ScalarOp::kMin: numbers_[r] = domain_.min(num(in.a), num(in.b)); return;
      case ScalarOp::kLess: integers_[r] = domain_.less(num(in.a), num(in.b)); return;
      case ScalarOp::kLessEqual:
        integers_[r] = domain_.less(num(in.a), num(in.b)) || domain_.equal(num(in.a), num(in.b));
        return;
      case ScalarOp::kEqual: integers_[r] = domain_.equal(num(in.a), num(in.b)); return;
      default:
        numbers_[r] =
            in.b < 0 ? domain_.unary(in.op, num(in.a)) : domain_.binary(in.op, num(in.a), num(in.b));
    }
  }

  D& domain_;
  const meaning::CompiledNest& nest_;
  Source& source_;
  const Deadline* until_;
  uint32_t steps_ = 0;
  std::vector<int64_t> vars_;
  std::vector<Number> constants_;
  std::vector<size_t> first_constant_;
  std::vector<Number> fills_;
  std::vector<Number> identities_;
  std::vector<Number> numbers_;
  std::vector<int64_t> integers_;
  std::vector<Number> acc_numbers_;
  std::vector<int64_t> acc_integers_;
  std::vector<Number> next_numbers_;  // while accumulators take a step together
  std::vector<int64_t> next_integers_;
};

}  // namespace isomer::eval
