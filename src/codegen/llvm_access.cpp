#include "codegen/llvm_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "codegen/accesses.h"
#include "support/floor_div.h"

namespace isomer::codegen {

using ir::DType;
using ir::IndexExpr;
using meaning::Sort;

namespace {

// Ends of ranges, which loads make very far.
int64_t sum(int64_t a, int64_t b) {
  int64_t out = 0;
  if (!__builtin_add_overflow(a, b, &out)) return out;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}
int64_t product(int64_t a, int64_t b) {
  int64_t out = 0;
  if (!__builtin_mul_overflow(a, b, &out)) return out;
  return (a < 0) != (b < 0) ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace

Index constant_index(int64_t value) { return {std::to_string(value), value, value, std::abs(value)}; }

AccessText::AccessText(const LoopProgram& program, int index_bits)
    : vars(program.variables.size()), program_(program), type_(fmt::format("i{}", index_bits)) {}

std::string AccessText::value(const std::string& instruction) {
  std::string typed;
  for (const char c : instruction) c == '$' ? typed += type_ : typed += c;
  return scalar.value(typed);
}

Index AccessText::add(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return constant_index(a.low + b.low);
  if (a.is_constant() && a.low == 0) return b;
  if (b.is_constant() && b.low == 0) return a;
  return {value(fmt::format("add nsw $ {}, {}", a.text, b.text)), sum(a.low, b.low), sum(a.high, b.high),
          std::gcd(a.multiple, b.multiple)};
}
Index AccessText::times(const Index& a, int64_t factor) {
  if (a.is_constant()) return constant_index(a.low * factor);
  if (factor == 1) return a;
  if (factor == 0) return constant_index(0);
  return {value(fmt::format("mul nsw $ {}, {}", a.text, factor)),
          std::min(product(a.low, factor), product(a.high, factor)),
          std::max(product(a.low, factor), product(a.high, factor)), product(a.multiple, std::abs(factor))};
}
Index AccessText::divided(const Index& a, int64_t by, bool rest) {
  if (by == 1) return rest ? constant_index(0) : a;
  if (a.is_constant()) return constant_index(rest ? floor_mod(a.low, by) : floor_div(a.low, by));
  const std::pair<int64_t, int64_t> range =
      rest ? std::pair<int64_t, int64_t>(0, by - 1) : std::pair(floor_div(a.low, by), floor_div(a.high, by));
  const int64_t multiple = rest ? std::gcd(a.multiple, by) : a.multiple % by == 0 ? a.multiple / by : 1;
  if (a.low >= 0)
    return {value(fmt::format("{} $ {}, {}", rest ? "urem" : "udiv", a.text, by)), range.first, range.second,
            multiple};
  const std::string r = value(fmt::format("srem $ {}, {}", a.text, by));
  const std::string low = value(fmt::format("icmp slt $ {}, 0", r));
  const std::string up = value(fmt::format("add $ {}, {}", r, by));
  const std::string mod = value(fmt::format("select i1 {}, $ {}, $ {}", low, up, r));
  if (rest) return {mod, range.first, range.second, multiple};
  const std::string whole = value(fmt::format("sub $ {}, {}", a.text, mod));
  return {value(fmt::format("sdiv $ {}, {}", whole, by)), range.first, range.second, multiple};
}
Index AccessText::extremum(const Index& a, const Index& b, bool least) {
  if (a.is_constant() && b.is_constant())
    return constant_index(least ? std::min(a.low, b.low) : std::max(a.low, b.low));
  const std::string c = value(fmt::format("icmp {} $ {}, {}", least ? "slt" : "sgt", a.text, b.text));
  Index out;
  out.text = value(fmt::format("select i1 {}, $ {}, $ {}", c, a.text, b.text));
  out.low = least ? std::min(a.low, b.low) : std::max(a.low, b.low);
  out.high = least ? std::min(a.high, b.high) : std::max(a.high, b.high);
  return out;
}

Index AccessText::index(const IndexExpr& e, const Store* store) {
  using Kind = IndexExpr::Kind;
  switch (e.kind()) {
    case Kind::kConst: return constant_index(e.value());
    case Kind::kVar: return vars[static_cast<size_t>(e.value())];
    case Kind::kAdd: return add(index(e.lhs(), store), index(e.rhs(), store));
    case Kind::kMulConst: return times(index(e.lhs(), store), e.size().number());
    case Kind::kFloorDiv: return divided(index(e.lhs(), store), e.size().number(), false);
    case Kind::kMod: return divided(index(e.lhs(), store), e.size().number(), true);
    case Kind::kMin: return extremum(index(e.lhs(), store), index(e.rhs(), store), true);
    case Kind::kMax: return extremum(index(e.lhs(), store), index(e.rhs(), store), false);
    case Kind::kLoad: break;
  }
  return loaded_index(e, *store);
}

Index AccessText::loaded_index(const IndexExpr& e, const Store& store) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 4;
  std::string loaded = read_one(store, static_cast<int>(e.value()), Sort::kInteger).text;
  if (e.wrap() > 0) {
    const std::string low = scalar.value(fmt::format("icmp slt i64 {}, 0", loaded));
    const std::string up = scalar.value(fmt::format("add i64 {}, {}", loaded, e.wrap()));
    loaded = scalar.value(fmt::format("select i1 {}, i64 {}, i64 {}", low, up, loaded));
  }
  if (type_ == "i64") return {loaded, -kFar, kFar};
  // What lies beyond all buffers stays so.
  constexpr int64_t kBeyond = int64_t{1} << 30;
  const auto clamped = [&](const char* how, int64_t end) {
    const std::string far = scalar.value(fmt::format("icmp {} i64 {}, {}", how, loaded, end));
    loaded = scalar.value(fmt::format("select i1 {}, i64 {}, i64 {}", far, end, loaded));
  };
  clamped("sgt", kBeyond);
  clamped("slt", -kBeyond);
  return {scalar.value(fmt::format("trunc i64 {} to {}", loaded, type_)), -kBeyond, kBeyond};
}

Index AccessText::linear(const Access& a, const Store* store) {
  const Own mine = own.empty() ? Own{} : own[static_cast<size_t>(a.buffer)];
  const int64_t lanes = mine.lanes;
  const std::vector<Index> before = lanes > 0 ? vars : std::vector<Index>();
  if (lanes > 0)
    for (const int t : threads) vars[static_cast<size_t>(t)] = constant_index(0);
  Index out = constant_index(0);
  for (const Dimension& d : dimensions_of(program_.buffers[static_cast<size_t>(a.buffer)], a)) {
    Index at = index(d.index, store);
    bool loaded = false;
    for_each_leaf(d.index, [](int) {}, [&](int) { loaded = true; });
    if (loaded) at = extremum(extremum(at, constant_index(0), false), constant_index(d.size - 1), true);
    out = add(out, times(at, d.step));
  }
  if (lanes > 0) {
    vars = before;
    const Index group = divided(out, lanes * mine.each, false);
    out = mine.each == 1 ? group : add(times(group, mine.each), divided(out, mine.each, true));
  }
  return out;
}

std::pair<Index, int64_t> AccessText::in_parts(const IndexExpr& e, const Store* store) {
  using Kind = IndexExpr::Kind;
  if (e.kind() == Kind::kAdd) {
    const auto [a, plus_a] = in_parts(e.lhs(), store);
    const auto [b, plus_b] = in_parts(e.rhs(), store);
    return {add(a, b), plus_a + plus_b};
  }
  if (e.kind() == Kind::kMulConst) {
    const auto [a, plus] = in_parts(e.lhs(), store);
    return {times(a, e.size().number()), plus * e.size().number()};
  }
  const Index all = index(e, store);
  return all.is_constant() ? std::pair(constant_index(0), all.low) : std::pair(all, int64_t{0});
}
Index AccessText::linear_but(const Access& a, const Store* store, int64_t& plus) {
  plus = 0;
  const bool is_own = !own.empty() && own[static_cast<size_t>(a.buffer)].lanes > 0;
  if (!constants_apart || is_own || loads(a)) return linear(a, store);
  Index out = constant_index(0);
  for (const Dimension& d : dimensions_of(program_.buffers[static_cast<size_t>(a.buffer)], a)) {
    const auto [varies, constant] = in_parts(d.index, store);
    out = add(out, times(varies, d.step));
    plus += constant * d.step;
  }
  return out;
}

std::string AccessText::address(int buffer, const Index& at, int64_t plus) {
  const std::string type = stored_type(program_.buffers[static_cast<size_t>(buffer)].dtype);
  const std::string& first = pointers[static_cast<size_t>(buffer)];
  if (plus == 0) return value(fmt::format("getelementptr inbounds {}, ptr {}, $ {}", type, first, at.text));
  // Without the constant it may lie outside of the buffer.
  const std::string near = value(fmt::format("getelementptr {}, ptr {}, $ {}", type, first, at.text));
  return value(fmt::format("getelementptr {}, ptr {}, $ {}", type, near, plus));
}

std::string AccessText::holds(const Access& a, const Store* store) {
  std::string out = "true";
  for (const Bound& b : a.bounds) {
    const Index at = index(b.value, store);
    if (at.low >= 0 && at.high < b.below) continue;
    const std::string one = value(fmt::format("icmp ult $ {}, {}", at.text, b.below));
    out = out == "true" ? one : scalar.value(fmt::format("and i1 {}, {}", out, one));
  }
  return out;
}

Scalar AccessText::read_one(const Store& store, int number, Sort sort) {
  const Access& a = store.reads[static_cast<size_t>(number)];
  const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
  const std::string there = holds(a, &store);
  const std::string fill =
      sort == Sort::kNumber ? scalar.number(a.fill, 1) : std::to_string(static_cast<int64_t>(a.fill));
  if (b.count() == 0) return {fill, 1, sort};
  if (there == "true") {
    int64_t plus = 0;
    const Index at = linear_but(a, &store, plus);
    return loaded(a.buffer, at, 1, plus);
  }
  Index at = linear(a, &store);
  at.text = value(fmt::format("select i1 {}, $ {}, $ 0", there, at.text));
  const Scalar loaded = this->loaded(a.buffer, at);
  const std::string type = scalar.type(sort, 1);
  return {scalar.value(fmt::format("select i1 {}, {} {}, {} {}", there, type, loaded.text, type, fill)), 1,
          sort};
}

Scalar AccessText::place(const Store& store, int number) {
  const Index at = index(store.places[static_cast<size_t>(number)], &store);
  if (type_ == "i64" || at.is_constant()) return {at.text, 1, Sort::kInteger};
  return {scalar.value(fmt::format("sext {} {} to i64", type_, at.text)), 1, Sort::kInteger};
}

int64_t AccessText::aligned(int number, const Index& at, int64_t plus) const {
  const int64_t bytes = ir::byte_size(buffer(number).dtype, 1);
  return alignment == 0 ? bytes : std::max(bytes, std::gcd(alignment, std::gcd(at.multiple, plus) * bytes));
}
Scalar AccessText::loaded(int number, const Index& at, int lanes, int64_t plus) {
  return scalar.loaded(buffer(number).dtype, address(number, at, plus), lanes, aligned(number, at, plus));
}
void AccessText::store(int number, const Index& at, const Scalar& v, int64_t plus) {
  scalar.store(buffer(number).dtype, address(number, at, plus), v, aligned(number, at, plus));
}

bool AccessText::in_double(const Store& store) const {
  bool out = program_.buffers[static_cast<size_t>(store.target.buffer)].dtype == DType::kF64;
  for (const int r : reads_of(store))
    out |= program_.buffers[static_cast<size_t>(store.reads[static_cast<size_t>(r)].buffer)].dtype ==
           DType::kF64;
  for (const auto& in : store.value.code) out |= in.op == ir::ScalarOp::kCast && in.dtype == DType::kF64;
  return out;
}

}  // namespace isomer::codegen
