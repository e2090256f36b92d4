// Scalar programs over any value domain: register after register. Whoever runs one says what it reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "eval/integer_arithmetic.h"
#include "ir/constant_data.h"
#include "ir/index_map.h"
#include "ir/op.h"
#include "ir/scalar_table.h"
#include "meaning/combiner.h"
#include "meaning/scalar_program.h"
#include "support/floor_div.h"

namespace isomer::eval {

/// At these loop variables; `load(n)` is the integer that read n yields.
template <class Load>
int64_t index_value(const ir::IndexExpr& e, std::span<const int64_t> vars, Load&& load) {
  using Kind = ir::IndexExpr::Kind;
  switch (e.kind()) {
    case Kind::kConst: return e.value();
    case Kind::kVar: return vars[static_cast<size_t>(e.value())];
    case Kind::kAdd: return index_value(e.lhs(), vars, load) + index_value(e.rhs(), vars, load);
    case Kind::kMulConst: return index_value(e.lhs(), vars, load) * e.size().number();
    case Kind::kMin: return std::min(index_value(e.lhs(), vars, load), index_value(e.rhs(), vars, load));
    case Kind::kMax: return std::max(index_value(e.lhs(), vars, load), index_value(e.rhs(), vars, load));
    case Kind::kFloorDiv:
    case Kind::kMod: {
      const int64_t value = index_value(e.lhs(), vars, load), divisor = e.size().number();
      return e.kind() == Kind::kMod ? floor_mod(value, divisor) : floor_div(value, divisor);
    }
    case Kind::kLoad: break;
  }
  const int64_t loaded = load(e.value());
  return loaded < 0 && e.wrap() > 0 ? loaded + e.wrap() : loaded;
}

/// Domains in which an integer may be a token, which stands for what is not known (random_interpretation.h).
template <class D>
concept HasTokens = requires(D& domain) { domain.refuse(); };
/// What decides about a place or about a course, which has to be known.
template <class D>
int64_t known(D& domain, int64_t value) {
  if constexpr (HasTokens<D>)
    if (domain.is_token(value)) {
      domain.refuse();
      return 0;
    }
  return value;
}

/// What an element of this type holds of an integer.
template <class D>
int64_t stored_as(D& domain, ir::DType dtype, int64_t value) {
  if constexpr (HasTokens<D>)
    if (domain.is_token(value)) return domain.cast(dtype, value);
  return ir::wrap_to(dtype, value);
}

/// Comparisons and tests of numbers, and what is done to tokens; false where it is an instruction like any
/// other.
template <HasTokens D>
bool run_on_tokens(D& domain, const meaning::ScalarProgram::Instr& in, size_t r, typename D::Number* numbers,
                   int64_t* integers) {
  const ir::Sorts sorts = ir::row(in.op).sorts;
  const bool of_numbers = in.sort == meaning::Sort::kNumber;
  if (sorts == ir::Sorts::kSelect) {
    if (!domain.is_token(integers[in.a])) return false;
    if (of_numbers)
      numbers[r] = domain.choose(integers[in.a], numbers[in.b], numbers[in.c]);
    else
      integers[r] = domain.choose(integers[in.a], integers[in.b], integers[in.c]);
    return true;
  }
  if (sorts == ir::Sorts::kCompare && of_numbers) {
    integers[r] = domain.compare(in.op, numbers[in.a], numbers[in.b]);
    return true;
  }
  if (sorts == ir::Sorts::kTest) {
    integers[r] = domain.test(in.op, numbers[in.a]);
    return true;
  }
  const bool of_integers =
      sorts == ir::Sorts::kSame || sorts == ir::Sorts::kIntegers || sorts == ir::Sorts::kCompare;
  if (!of_integers || of_numbers) return false;
  const int64_t a = integers[in.a], b = in.b < 0 ? 0 : integers[in.b];
  if (!domain.is_token(a) && !domain.is_token(b)) return false;
  integers[r] = in.op == ir::ScalarOp::kCast ? domain.cast(in.dtype, a) : domain.combine(in.op, a, b);
  return true;
}

/// One instruction, which writes register `r`.
template <class D, class Asked>
void run_step(D& domain, const meaning::ScalarProgram::Instr& in, size_t r,
              const typename D::Number* constants, typename D::Number* numbers, int64_t* integers,
              Asked& asked) {
  using ir::ScalarOp;
  if constexpr (HasTokens<D>)
    if (run_on_tokens(domain, in, r, numbers, integers)) return;
  const auto num = [&](int32_t reg) { return numbers[reg]; };
  const auto whole = [&](int32_t reg) { return integers[reg]; };
  const bool is_number = in.sort == meaning::Sort::kNumber;
  switch (in.op) {
    case ScalarOp::kRead:
      if (is_number)
        numbers[r] = asked.number_of(in.index);
      else
        integers[r] = asked.integer_of(in.index);
      return;
    case ScalarOp::kValid: integers[r] = asked.is_valid(in.index); return;
    case ScalarOp::kAcc:
      if (is_number)
        numbers[r] = asked.accumulated_number(in.index);
      else
        integers[r] = asked.accumulated_integer(in.index);
      return;
    case ScalarOp::kVar: integers[r] = asked.variable(in.index); return;
    case ScalarOp::kConst: numbers[r] = constants[r]; return;
    case ScalarOp::kIntConst: integers[r] = in.integer; return;
    case ScalarOp::kIsNan: integers[r] = domain.is_nan(num(in.a)); return;
    case ScalarOp::kIsInf: integers[r] = domain.is_inf(num(in.a)); return;
    case ScalarOp::kSelect:
      if (is_number)
        numbers[r] = whole(in.a) != 0 ? num(in.b) : num(in.c);
      else
        integers[r] = whole(in.a) != 0 ? whole(in.b) : whole(in.c);
      return;
    case ScalarOp::kToNumber: numbers[r] = domain.from_integer(whole(in.a)); return;
    case ScalarOp::kToInteger: integers[r] = domain.to_integer(num(in.a)); return;
    case ScalarOp::kCast:
      if (is_number)
        numbers[r] = domain.cast(in.dtype, num(in.a));
      else
        integers[r] = ir::is_integer(in.dtype) ? ir::wrap_to(in.dtype, whole(in.a)) : whole(in.a);
      if constexpr (requires { D::kCastsHaveRange; }) {
        const auto back = static_cast<std::ptrdiff_t>(in.a) - static_cast<std::ptrdiff_t>(r);
        if ((&in)[back].op == ScalarOp::kToInteger && integers[r] != whole(in.a)) ++domain.undefined;
      }
      return;
    default: break;
  }
  if (!is_number) {
    if constexpr (requires { domain.undefined; })
      if ((in.op == ScalarOp::kDiv || in.op == ScalarOp::kMod || in.op == ScalarOp::kFMod) &&
          whole(in.b) == 0)
        ++domain.undefined;
    integers[r] = apply_integer(in.op, whole(in.a), in.b < 0 ? 0 : whole(in.b));
    return;
  }
  switch (in.op) {
    case ScalarOp::kAdd: numbers[r] = domain.add(num(in.a), num(in.b)); return;
    case ScalarOp::kSub: numbers[r] = domain.sub(num(in.a), num(in.b)); return;
    case ScalarOp::kMul: numbers[r] = domain.mul(num(in.a), num(in.b)); return;
    case ScalarOp::kMax: numbers[r] = domain.max(num(in.a), num(in.b)); return;
    case ScalarOp::kMin: numbers[r] = domain.min(num(in.a), num(in.b)); return;
    case ScalarOp::kLess: integers[r] = domain.less(num(in.a), num(in.b)); return;
    case ScalarOp::kLessEqual:
      integers[r] = domain.less(num(in.a), num(in.b)) || domain.equal(num(in.a), num(in.b));
      return;
    case ScalarOp::kEqual: integers[r] = domain.equal(num(in.a), num(in.b)); return;
    default:
      numbers[r] = in.b < 0 ? domain.unary(in.op, num(in.a)) : domain.binary(in.op, num(in.a), num(in.b));
  }
}

/// `constants`: what the program's numbers (kConst) are in the domain, by instruction. Register i of either
/// sort is what instruction i has written; the last is the result. `asked` has number_of(read),
/// integer_of(read), is_valid(read), accumulated_number(n), accumulated_integer(n), variable(n).
template <class D, class Asked>
void run_scalar(D& domain, const meaning::ScalarProgram& program, const typename D::Number* constants,
                typename D::Number* numbers, int64_t* integers, Asked& asked) {
  for (size_t r = 0; r < program.code.size(); ++r)
    run_step(domain, program.code[r], r, constants, numbers, integers, asked);
}

template <class D>
typename D::Number combine_numbers(D& domain, ir::Combiner c, typename D::Number a, typename D::Number b) {
  using ir::Combiner;
  switch (c) {
    case Combiner::kSum: return domain.add(a, b);
    case Combiner::kProduct: return domain.mul(a, b);
    case Combiner::kMax: return domain.max(a, b);
    case Combiner::kMin: return domain.min(a, b);
    case Combiner::kStep: return b;
  }
  return b;
}
template <class D>
int64_t combine_integers(D& domain, ir::Combiner c, int64_t a, int64_t b) {
  if (c == ir::Combiner::kStep) return b;
  if constexpr (HasTokens<D>)
    if (domain.is_token(a) || domain.is_token(b)) return domain.combine(meaning::operator_of(c), a, b);
  return apply_integer(meaning::operator_of(c), a, b);
}

}  // namespace isomer::eval
