#include "codegen/llvm_scalar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "codegen/llvm_math.h"
#include "codegen/small_floats.h"
#include "ir/dtype.h"
#include "meaning/combiner.h"
#include "meaning/nest.h"
#include "support/errors.h"

namespace isomer::codegen {

using ir::DType;
using ir::ScalarOp;
using meaning::Sort;

namespace {

bool is_zero(double x) { return std::bit_cast<uint64_t>(x) == 0; }

}  // namespace

std::string stored_type(DType dtype) {
  switch (dtype) {
    case DType::kBool: return "i8";
    case DType::kF16: return "half";
    case DType::kBF16: return "bfloat";
    case DType::kF32: return "float";
    case DType::kF64: return "double";
    case DType::kI8:
    case DType::kU8:
    case DType::kI16:
    case DType::kU16:
    case DType::kI32:
    case DType::kU32:
    case DType::kI64:
    case DType::kU64: return fmt::format("i{}", ir::bit_width(dtype));
    default:
      if (is_small_float(dtype)) return fmt::format("i{}", ir::bit_width(dtype));
      throw InputError(fmt::format("no code is generated for elements of type {} yet", ir::name(dtype)));
  }
}

std::set<std::string> ScalarText::declarations() const {
  std::set<std::string> out;
  for (const auto& [name, text] : declared_) out.insert(text);
  return out;
}

std::string ScalarText::value(const std::string& instruction) {
  std::string out = fresh();
  line(out + " = " + instruction);
  return out;
}

std::string ScalarText::vector(const std::string& type, int lanes) {
  return lanes == 1 ? type : fmt::format("<{} x {}>", lanes, type);
}
std::string ScalarText::type(Sort sort, int lanes) const {
  return vector(sort == Sort::kNumber ? number_ : "i64", lanes);
}

std::string ScalarText::number(double value, int lanes) const {
  const double held = is_double() ? value : static_cast<double>(static_cast<float>(value));
  const std::string one = fmt::format("0x{:016X}", std::bit_cast<uint64_t>(held));
  if (lanes == 1) return one;
  if (is_zero(held)) return "zeroinitializer";
  return fmt::format(
      "<{}>", fmt::join(std::vector<std::string>(static_cast<size_t>(lanes), number_ + " " + one), ", "));
}
std::string ScalarText::integer(int64_t value, int lanes) const {
  const std::string one = std::to_string(value);
  if (lanes == 1) return one;
  return fmt::format("<{}>",
                     fmt::join(std::vector<std::string>(static_cast<size_t>(lanes), "i64 " + one), ", "));
}

Scalar ScalarText::loaded(DType dtype, const std::string& address, int lanes, int64_t aligned) {
  const std::string stored = vector(stored_type(dtype), lanes);
  const int64_t bytes = std::max(aligned, ir::byte_size(dtype, 1));
  const std::string raw = value(fmt::format("load {}, ptr {}, align {}", stored, address, bytes));
  if (meaning::sort_of(dtype) == Sort::kInteger) {
    if (ir::bit_width(dtype) == 64) return {raw, lanes, Sort::kInteger};
    const char* widen = ir::has_sign(dtype) ? "sext" : "zext";
    return {value(fmt::format("{} {} {} to {}", widen, stored, raw, type(Sort::kInteger, lanes))), lanes,
            Sort::kInteger};
  }
  if (is_small_float(dtype)) return decoded(*this, dtype, raw, lanes, is_double());
  const std::string wanted = type(Sort::kNumber, lanes);
  if (stored == wanted) return {raw, lanes};
  const bool wider = ir::bit_width(dtype) < (is_double() ? 64 : 32);
  return {value(fmt::format("{} {} {} to {}", wider ? "fpext" : "fptrunc", stored, raw, wanted)), lanes};
}

void ScalarText::store(DType dtype, const std::string& address, const Scalar& v, int64_t aligned) {
  const std::string stored = vector(stored_type(dtype), v.lanes), held = type(v.sort, v.lanes);
  std::string raw = v.text;
  if (dtype == DType::kBool)
    raw = value(fmt::format("zext {} {} to {}", vector("i1", v.lanes), bit_of(v), stored));
  else if (v.sort == Sort::kInteger && ir::bit_width(dtype) < 64)
    raw = value(fmt::format("trunc {} {} to {}", held, raw, stored));
  else if (is_small_float(dtype))
    raw = encoded(*this, dtype, v, is_double(), false);
  else if (v.sort == Sort::kNumber && stored != held)
    raw = value(
        fmt::format("{} {} {} to {}", ir::bit_width(dtype) == 64 ? "fpext" : "fptrunc", held, raw, stored));
  line(fmt::format("store {} {}, ptr {}, align {}", stored, raw, address,
                   std::max(aligned, ir::byte_size(dtype, 1))));
}

Scalar ScalarText::splat(const Scalar& v, int lanes) {
  const std::string one = type(v.sort, 1), all = type(v.sort, lanes);
  const std::string first = value(fmt::format("insertelement {} poison, {} {}, i64 0", all, one, v.text));
  return {value(fmt::format("shufflevector {} {}, {} poison, <{} x i32> zeroinitializer", all, first, all,
                            lanes)),
          lanes, v.sort};
}
Scalar ScalarText::joined(std::span<const Scalar> lanes, Sort sort) {
  const auto n = static_cast<int>(lanes.size());
  std::string out = "poison";
  for (int l = 0; l < n; ++l)
    out = value(fmt::format("insertelement {} {}, {} {}, i64 {}", type(sort, n), out, type(sort, 1),
                            lanes[static_cast<size_t>(l)].text, l));
  return {out, n, sort};
}
std::vector<Scalar> ScalarText::apart(const Scalar& v) {
  if (v.lanes == 1) return {v};
  std::vector<Scalar> out;
  for (int l = 0; l < v.lanes; ++l)
    out.push_back(
        {value(fmt::format("extractelement {} {}, i64 {}", type(v.sort, v.lanes), v.text, l)), 1, v.sort});
  return out;
}

Scalar ScalarText::shuffled(const Scalar& a, const Scalar& b, std::span<const int> places) {
  std::vector<std::string> mask;
  for (const int p : places) mask.push_back(fmt::format("i32 {}", p));
  const std::string of = type(a.sort, a.lanes);
  return {value(fmt::format("shufflevector {} {}, {} {}, <{} x i32> <{}>", of, a.text, of, b.text,
                            mask.size(), fmt::join(mask, ", "))),
          static_cast<int>(mask.size()), a.sort};
}

Scalar ScalarText::from_bit(const std::string& bit, int lanes) {
  return {value(fmt::format("zext {} {} to {}", vector("i1", lanes), bit, type(Sort::kInteger, lanes))),
          lanes, Sort::kInteger, bit};
}
std::string ScalarText::bit_of(const Scalar& v) {
  if (!v.bit.empty()) return v.bit;
  return value(fmt::format("icmp ne {} {}, {}", type(v.sort, v.lanes), v.text, integer(0, v.lanes)));
}

Scalar ScalarText::binary(const char* op, const Scalar& a, const Scalar& b) {
  return {value(fmt::format("{} {} {}, {}", op, type(a.sort, a.lanes), a.text, b.text)), a.lanes, a.sort};
}
Scalar ScalarText::choose(const std::string& bit, const Scalar& a, const Scalar& b) {
  const std::string of = type(a.sort, a.lanes);
  return {
      value(fmt::format("select {} {}, {} {}, {} {}", vector("i1", a.lanes), bit, of, a.text, of, b.text)),
      a.lanes, a.sort};
}
Scalar ScalarText::compared(const char* how, const Scalar& a, const Scalar& b) {
  const char* word = a.sort == Sort::kNumber ? "fcmp" : "icmp";
  return from_bit(value(fmt::format("{} {} {} {}, {}", word, how, type(a.sort, a.lanes), a.text, b.text)),
                  a.lanes);
}

namespace {

/// Whether the text is a constant, one that is a number.
bool is_number(const std::string& text) {
  if (text == "zeroinitializer") return true;
  const size_t at = text.find("0x");
  if (text[0] == '%' || at == std::string::npos) return false;
  constexpr size_t kDigits = 16;
  return !std::isnan(std::bit_cast<double>(std::stoull(text.substr(at + 2, kDigits), nullptr, 16)));
}

}  // namespace

/// NaN wins, as in ONNX. Beside a constant it does so by the order of operands, which is one instruction.
Scalar ScalarText::extremum(const Scalar& a, const Scalar& b, bool largest) {
  const std::string of = type(a.sort, a.lanes), bits = vector("i1", a.lanes);
  if (a.sort == Sort::kInteger)
    return choose(value(fmt::format("icmp {} {} {}, {}", largest ? "sgt" : "slt", of, a.text, b.text)), a, b);
  if (on_gpu_ && !is_double() && a.lanes == 1) {
    const Scalar both[] = {a, b};
    return intrinsic(largest ? "maximum" : "minimum", both);
  }
  if (is_number(b.text))
    return choose(value(fmt::format("fcmp {} {} {}, {}", largest ? "ogt" : "olt", of, b.text, a.text)), b, a);
  const std::string beyond =
      value(fmt::format("fcmp {} {} {}, {}", largest ? "ogt" : "olt", of, a.text, b.text));
  const std::string nan = value(fmt::format("fcmp uno {} {}, {}", of, a.text, a.text));
  return choose(value(fmt::format("or {} {}, {}", bits, beyond, nan)), a, b);
}

Scalar ScalarText::intrinsic(const std::string& name, std::span<const Scalar> args) {
  const int lanes = args[0].lanes;
  const std::string short_type = is_double() ? "f64" : "f32", of = type(Sort::kNumber, lanes);
  const std::string full = lanes == 1 ? fmt::format("llvm.{}.{}", name, short_type)
                                      : fmt::format("llvm.{}.v{}{}", name, lanes, short_type);
  std::vector<std::string> types(args.size(), of), given;
  for (const Scalar& a : args) given.push_back(of + " " + a.text);
  declared_[full] = fmt::format("declare {} @{}({})", of, full, fmt::join(types, ", "));
  return {value(fmt::format("call {} @{}({})", of, full, fmt::join(given, ", "))), lanes};
}

std::string ScalarText::gpu_instruction(const char* name, std::span<const std::string> args) {
  const std::string full = fmt::format("llvm.nvvm.{}.f", name);
  const std::vector<std::string> types(args.size(), "float");
  std::vector<std::string> given;
  for (const std::string& a : args) given.push_back("float " + a);
  declare(full, fmt::format("declare float @{}({})", full, fmt::join(types, ", ")));
  return value(fmt::format("call float @{}({})", full, fmt::join(given, ", ")));
}

Scalar ScalarText::called(const std::string& name, std::span<const Scalar> args) {
  const std::string full = is_double() ? name : name + "f";
  std::vector<std::string> types(args.size(), number_);
  declared_[full] = fmt::format("declare {} @{}({})", number_, full, fmt::join(types, ", "));
  std::vector<std::vector<Scalar>> of;
  for (const Scalar& a : args) of.push_back(apart(a));
  std::vector<Scalar> results;
  for (size_t l = 0; l < of[0].size(); ++l) {
    std::vector<std::string> given;
    for (const auto& lanes : of) given.push_back(number_ + " " + lanes[l].text);
    results.push_back({value(fmt::format("call {} @{}({})", number_, full, fmt::join(given, ", ")))});
  }
  return results.size() == 1 ? results[0] : joined(results, Sort::kNumber);
}

Scalar ScalarText::function(ScalarOp op, std::span<const Scalar> args) {
  if (!is_double())
    if (const auto generated = vector_math(*this, op, args)) return *generated;
  return called(ir::row(op).name, args);
}

Scalar ScalarText::power(const Scalar& base, const Scalar& exponent) {
  if (exponent.known == 1) return base;
  if (exponent.known == -1) return binary("fdiv", {number(1, base.lanes), base.lanes}, base);
  if (exponent.known == 2) return binary("fmul", base, base);
  if (exponent.known == 3) return binary("fmul", binary("fmul", base, base), base);
  const Scalar both[] = {base, exponent};
  return function(ScalarOp::kPow, both);
}

Scalar ScalarText::expression(const ir::ScalarRow& row, std::span<const Scalar> args) {
  const std::vector<Sort> numbers(args.size(), Sort::kNumber);
  const meaning::ScalarProgram program = meaning::compile(row.code.expression(), numbers, {}, row.name);
  std::vector<Scalar> of;
  for (const auto& in : program.code)
    of.push_back(in.op == ScalarOp::kRead ? args[static_cast<size_t>(in.index)]
                                          : apply(in, of, args[0].lanes));
  return of.back();
}

/// The generator's own, in which an operator that has none is a fault of its row.
Scalar ScalarText::generated(ScalarOp op, std::span<const Scalar> args) {
  const Scalar& a = args[0];
  const auto constant = [&](double x) { return Scalar{number(x, a.lanes), a.lanes}; };
  switch (op) {
    case ScalarOp::kAdd: return binary("fadd contract", a, args[1]);
    case ScalarOp::kSub: return binary("fsub contract", a, args[1]);
    case ScalarOp::kMul: return binary("fmul contract", a, args[1]);
    case ScalarOp::kDiv: return binary("fdiv", a, args[1]);
    case ScalarOp::kMax: return extremum(a, args[1], true);
    case ScalarOp::kMin: return extremum(a, args[1], false);
    case ScalarOp::kNeg:
      return {value(fmt::format("fneg {} {}", type(Sort::kNumber, a.lanes), a.text)), a.lanes};
    case ScalarOp::kSign: {  // NaN and zeros stay what they are
      const Scalar below = choose(bit_of(compared("olt", a, constant(0))), constant(-1), a);
      return choose(bit_of(compared("ogt", a, constant(0))), constant(1), below);
    }
    case ScalarOp::kLess: return compared("olt", a, args[1]);
    case ScalarOp::kLessEqual: return compared("ole", a, args[1]);
    case ScalarOp::kEqual: return compared("oeq", a, args[1]);
    case ScalarOp::kIsNan: return compared("uno", a, a);
    case ScalarOp::kIsInf:
      return compared("oeq", intrinsic("fabs", args.first(1)),
                      constant(std::numeric_limits<double>::infinity()));
    case ScalarOp::kAbs: return intrinsic("fabs", args);
    case ScalarOp::kSqrt: return intrinsic("sqrt", args);
    case ScalarOp::kFloor: return intrinsic("floor", args);
    case ScalarOp::kCeil: return intrinsic("ceil", args);
    case ScalarOp::kRound: return intrinsic("roundeven", args);
    case ScalarOp::kMod: {
      const Scalar r = called("fmod", args), zero = constant(0);
      const std::string bits = vector("i1", a.lanes);
      const std::string some =
          value(fmt::format("fcmp une {} {}, {}", type(Sort::kNumber, a.lanes), r.text, zero.text));
      const std::string other = value(fmt::format("xor {} {}, {}", bits, bit_of(compared("olt", r, zero)),
                                                  bit_of(compared("olt", args[1], zero))));
      return choose(value(fmt::format("and {} {}, {}", bits, some, other)), binary("fadd", r, args[1]), r);
    }
    default: throw MisuseError("no machine code of " + ir::row(op).name);
  }
}

Scalar ScalarText::number_op(ScalarOp op, std::span<const Scalar> args) {
  const ir::ScalarRow& row = ir::row(op);
  switch (row.code.kind()) {
    case ir::CodeKind::kGenerator: return generated(op, args);
    case ir::CodeKind::kLibrary: return op == ScalarOp::kPow ? power(args[0], args[1]) : function(op, args);
    case ir::CodeKind::kExpression: return expression(row, args);
    case ir::CodeKind::kNone: break;
  }
  throw InputError(fmt::format("no code is generated for the function {} yet", row.name));
}

/// Of a division by zero 0, by -1 the negative (which wraps); remainders of both are 0.
Scalar ScalarText::quotient(ScalarOp op, const Scalar& a, const Scalar& b) {
  const auto whole = [&](int64_t x) { return Scalar{integer(x, a.lanes), a.lanes, Sort::kInteger}; };
  const std::string bits = vector("i1", a.lanes);
  const std::string by_zero = bit_of(compared("eq", b, whole(0))),
                    by_minus = bit_of(compared("eq", b, whole(-1)));
  const std::string special = value(fmt::format("or {} {}, {}", bits, by_zero, by_minus));
  const Scalar safe = choose(special, whole(1), b);
  if (op == ScalarOp::kDiv)
    return choose(by_zero, whole(0), choose(by_minus, binary("sub", whole(0), a), binary("sdiv", a, safe)));
  const Scalar r = choose(special, whole(0), binary("srem", a, safe));
  if (op == ScalarOp::kFMod) return r;
  const std::string some = bit_of(compared("ne", r, whole(0)));
  const std::string other = value(fmt::format("xor {} {}, {}", bits, bit_of(compared("slt", r, whole(0))),
                                              bit_of(compared("slt", b, whole(0)))));
  return choose(value(fmt::format("and {} {}, {}", bits, some, other)), binary("add", r, b), r);
}

Scalar ScalarText::integer_op(ScalarOp op, std::span<const Scalar> args) {
  const Scalar& a = args[0];
  const auto whole = [&](int64_t x) { return Scalar{integer(x, a.lanes), a.lanes, Sort::kInteger}; };
  const auto shifted = [&](const char* word) {
    const std::string fits = bit_of(compared("ult", args[1], whole(64)));
    return choose(fits, binary(word, a, choose(fits, args[1], whole(0))), whole(0));
  };
  switch (op) {
    case ScalarOp::kAdd: return binary("add", a, args[1]);
    case ScalarOp::kSub: return binary("sub", a, args[1]);
    case ScalarOp::kMul: return binary("mul", a, args[1]);
    case ScalarOp::kDiv:
    case ScalarOp::kMod:
    case ScalarOp::kFMod: return quotient(op, a, args[1]);
    case ScalarOp::kNeg: return binary("sub", whole(0), a);
    case ScalarOp::kMax: return extremum(a, args[1], true);
    case ScalarOp::kMin: return extremum(a, args[1], false);
    case ScalarOp::kAbs: return choose(bit_of(compared("slt", a, whole(0))), binary("sub", whole(0), a), a);
    case ScalarOp::kSign: return binary("sub", compared("sgt", a, whole(0)), compared("slt", a, whole(0)));
    case ScalarOp::kLess: return compared("slt", a, args[1]);
    case ScalarOp::kLessEqual: return compared("sle", a, args[1]);
    case ScalarOp::kEqual: return compared("eq", a, args[1]);
    case ScalarOp::kAnd: return binary("and", a, args[1]);
    case ScalarOp::kOr: return binary("or", a, args[1]);
    case ScalarOp::kXor: return binary("xor", a, args[1]);
    case ScalarOp::kNot: return compared("eq", a, whole(0));
    case ScalarOp::kBitNot: return binary("xor", a, whole(-1));
    case ScalarOp::kShiftLeft: return shifted("shl");
    case ScalarOp::kShiftRight: return shifted("lshr");
    default: throw InputError(fmt::format("no code is generated for {} of integers yet", ir::row(op).name));
  }
}

Scalar ScalarText::wrapped(DType to, const Scalar& v) {
  if (to == DType::kBool) return from_bit(bit_of(v), v.lanes);
  if (ir::bit_width(to) >= 64) return v;
  const std::string wide = type(Sort::kInteger, v.lanes), narrow = vector(stored_type(to), v.lanes);
  const std::string cut = value(fmt::format("trunc {} {} to {}", wide, v.text, narrow));
  return {value(fmt::format("{} {} {} to {}", ir::has_sign(to) ? "sext" : "zext", narrow, cut, wide)),
          v.lanes, Sort::kInteger};
}

Scalar ScalarText::cast(DType to, const Scalar& v) {
  if (v.sort == Sort::kInteger) return ir::is_integer(to) ? wrapped(to, v) : v;
  if (!ir::is_float(to)) return v;
  const std::string held = type(Sort::kNumber, v.lanes), rounded = vector(stored_type(to), v.lanes);
  if (held == rounded || to == DType::kF64) return v;
  if (is_small_float(to))
    return decoded(*this, to, encoded(*this, to, v, is_double(), true), v.lanes, is_double());
  const std::string cut = value(fmt::format("fptrunc {} {} to {}", held, v.text, rounded));
  return {value(fmt::format("fpext {} {} to {}", rounded, cut, held)), v.lanes};
}

Scalar ScalarText::apply(const meaning::ScalarProgram::Instr& in, std::span<const Scalar> of, int lanes) {
  std::vector<Scalar> args;
  for (const int32_t r : {in.a, in.b, in.c})
    if (r >= 0) args.push_back(of[static_cast<size_t>(r)]);
  switch (in.op) {
    case ScalarOp::kConst: return {number(in.value, lanes), lanes, Sort::kNumber, {}, in.value};
    case ScalarOp::kIntConst: return {integer(in.integer, lanes), lanes, Sort::kInteger};
    case ScalarOp::kSelect: return choose(bit_of(args[0]), args[1], args[2]);
    case ScalarOp::kToNumber:
      return {value(fmt::format("sitofp {} {} to {}", type(Sort::kInteger, lanes), args[0].text,
                                type(Sort::kNumber, lanes))),
              lanes};
    case ScalarOp::kToInteger: {  // saturates; NaN gives 0
      const std::string from = type(Sort::kNumber, lanes), to = type(Sort::kInteger, lanes);
      const auto mangled = [&](const char* one) {
        return lanes == 1 ? std::string(one) : fmt::format("v{}{}", lanes, one);
      };
      const std::string name =
          fmt::format("llvm.fptosi.sat.{}.{}", mangled("i64"), mangled(is_double() ? "f64" : "f32"));
      declared_[name] = fmt::format("declare {} @{}({})", to, name, from);
      return {value(fmt::format("call {} @{}({} {})", to, name, from, args[0].text)), lanes, Sort::kInteger};
    }
    case ScalarOp::kCast: return cast(in.dtype, args[0]);
    default: break;
  }
  return args[0].sort == Sort::kNumber ? number_op(in.op, args) : integer_op(in.op, args);
}

Scalar ScalarText::combined(ir::Combiner combiner, const Scalar& a, const Scalar& b) {
  const ScalarOp op = meaning::operator_of(combiner);
  const Scalar both[] = {a, b};
  return a.sort == Sort::kNumber ? number_op(op, both) : integer_op(op, both);
}

}  // namespace isomer::codegen
