#include "codegen/accesses.h"

#include <algorithm>

#include "codegen/simplify.h"
#include "codegen/target.h"
#include "meaning/affine.h"

namespace isomer::codegen {
namespace {

void add(Uses& uses, const Access& access, bool writes, bool reads) {
  if (uses.accesses.empty()) uses.written_first = writes && !reads;
  uses.accesses.push_back(&access);
  uses.written |= writes;
  uses.read |= reads;
}

void add(std::map<int, Uses>& uses, const Store& store) {
  for (const int r : reads_of(store)) {
    const Access& read = store.reads[static_cast<size_t>(r)];
    add(uses[read.buffer], read, false, true);
  }
  add(uses[store.target.buffer], store.target, true, store.combine.has_value());
}

}  // namespace

std::vector<int> reads_of(const Store& store) {
  std::vector<bool> named(store.reads.size(), false);
  const auto loads = [&](const ir::IndexExpr& e, auto&& self) -> void {
    for_each_leaf(
        e, [](int) {},
        [&](int read) {
          if (named[static_cast<size_t>(read)]) return;
          named[static_cast<size_t>(read)] = true;
          for_each_index(store.reads[static_cast<size_t>(read)],
                         [&](const ir::IndexExpr& i) { self(i, self); });
        });
  };
  const auto name = [&](size_t read) {
    named[read] = true;
    for_each_index(store.reads[read], [&](const ir::IndexExpr& i) { loads(i, loads); });
  };
  for (const auto& in : store.value.code)
    if (in.op == ir::ScalarOp::kRead || in.op == ir::ScalarOp::kValid) name(static_cast<size_t>(in.index));
  for_each_index(store.target, [&](const ir::IndexExpr& i) { loads(i, loads); });
  for (const ir::IndexExpr& place : store.places) loads(place, loads);
  std::vector<int> out;
  for (size_t r = 0; r < named.size(); ++r)
    if (named[r]) out.push_back(static_cast<int>(r));
  return out;
}

std::map<int, Uses> uses_of(const std::vector<Statement>& body) {
  std::map<int, Uses> out;
  for_each_store(body, [&](const Store& store) { add(out, store); });
  return out;
}

bool loads(const Access& access) {
  bool out = false;
  for_each_index(access,
                 [&](const ir::IndexExpr& i) { for_each_leaf(i, [](int) {}, [&](int) { out = true; }); });
  return out;
}

std::map<int, Uses> uses_of(const Statement& statement) {
  if (const auto* loop = std::get_if<Loop>(&statement.node)) return uses_of(loop->body);
  std::map<int, Uses> out;
  add(out, std::get<Store>(statement.node));
  return out;
}

bool is_repeatable(const LoopProgram& program, const std::vector<Statement>& body) {
  std::set<int> written, read;
  bool combined = false;
  for_each_store(body, [&](const Store& s) {
    for (const int r : reads_of(s)) read.insert(s.reads[static_cast<size_t>(r)].buffer);
    if (program.buffers[static_cast<size_t>(s.target.buffer)].memory == Memory::kPrivate) return;
    written.insert(s.target.buffer);
    combined = combined || s.combine.has_value();
  });
  return !combined && std::ranges::none_of(written, [&](int b) { return read.contains(b); });
}

bool is_little_more(int64_t count, int64_t of) {
  constexpr int64_t kSmall = 4096;
  return count <= 2 * of + kSmall;
}

bool is_variable(const ir::IndexExpr& e, int variable) {
  return e.kind() == ir::IndexExpr::Kind::kVar && e.value() == variable;
}

bool identical(const ir::IndexExpr& a, const ir::IndexExpr& b) {
  using Kind = ir::IndexExpr::Kind;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kConst:
    case Kind::kVar: return a.value() == b.value();
    case Kind::kLoad: return false;
    case Kind::kMulConst:
    case Kind::kFloorDiv:
    case Kind::kMod: return a.value() == b.value() && identical(a.lhs(), b.lhs());
    case Kind::kAdd:
    case Kind::kMin:
    case Kind::kMax: return identical(a.lhs(), b.lhs()) && identical(a.rhs(), b.rhs());
  }
  return false;
}

bool are_digits(const ir::IndexExpr& high, const ir::IndexExpr& low) {
  using Kind = ir::IndexExpr::Kind;
  return low.kind() == Kind::kMod && high.kind() == Kind::kFloorDiv && high.value() == low.value() &&
         identical(low.lhs(), high.lhs());
}

std::vector<Dimension> dimensions_of(const Buffer& buffer, const Access& access) {
  std::vector<Dimension> out;
  int64_t step = 1;
  for (size_t d = buffer.sizes.size(); d-- > 0;) {
    const ir::IndexExpr& i = access.index[d];
    if (d > 0 && are_digits(access.index[d - 1], i) && i.value() == buffer.sizes[d]) {
      out.push_back({i.lhs(), step, buffer.sizes[d] * buffer.sizes[d - 1]});
      step *= out.back().size;
      --d;
      continue;
    }
    out.push_back({i, step, buffer.sizes[d]});
    step *= buffer.sizes[d];
  }
  if (std::ranges::any_of(out, [](const Dimension& d) { return divides(d.index); }))
    if (const auto offset = offset_of(buffer, access)) return {{*offset, 1, step}};
  return out;
}

std::optional<int64_t> stride(const LoopProgram& program, const Access& access, int variable,
                              std::span<const int64_t> extents) {
  int64_t out = 0;
  for (const Dimension& d : dimensions_of(program.buffers[static_cast<size_t>(access.buffer)], access)) {
    if (!mentions(d.index, variable)) continue;
    const auto affine = meaning::to_affine(d.index, extents);
    if (!affine) return std::nullopt;
    out += affine->coefficient(variable) * d.step;
  }
  return out;
}

bool skips_pages(const LoopProgram& program, const Access& access, int variable,
                 std::span<const int64_t> extents) {
  const auto step = stride(program, access, variable, extents);
  const ir::DType dtype = program.buffers[static_cast<size_t>(access.buffer)].dtype;
  return step && std::abs(*step) * ir::byte_size(dtype, 1) >= kPageBytes &&
         extents[static_cast<size_t>(variable)] > kStreams;
}

int common_cut(const Uses& a, int variable_of_a, const Uses& b, int variable_of_b) {
  const size_t rank = a.accesses.front()->index.size();
  for (size_t d = 0; d < rank; ++d) {
    const auto by = [&](const Uses& uses, int variable) {
      return std::ranges::all_of(
          uses.accesses, [&](const Access* access) { return is_variable(access->index[d], variable); });
    };
    if (by(a, variable_of_a) && by(b, variable_of_b)) return static_cast<int>(d);
  }
  return -1;
}

std::set<int> touched_by_several(const std::vector<Statement>& body) {
  std::set<int> once, out;
  for (const Statement& s : body)
    for (const auto& [buffer, uses] : uses_of(s))
      if (!once.insert(buffer).second) out.insert(buffer);
  return out;
}

std::set<int> known_at_load(const LoopProgram& program) {
  struct Touched {
    std::vector<int> read, written;
  };
  std::vector<Touched> all;
  std::set<int> known;
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Memory m = program.buffers[b].memory;
    if (m != Memory::kInput && m != Memory::kOutput) known.insert(static_cast<int>(b));
  }
  for (const Statement& s : program.body) {
    Touched& t = all.emplace_back();
    for (const auto& [b, use] : uses_of(s)) (use.written ? t.written : t.read).push_back(b);
  }
  const auto is_known = [&](int b) { return known.contains(b); };
  for (bool more = true; more;) {
    more = false;
    for (const Touched& t : all) {
      if (std::ranges::all_of(t.read, is_known) && std::ranges::all_of(t.written, is_known)) continue;
      for (const int b : t.written) more |= known.erase(b) > 0;
    }
  }
  return known;
}

ir::IndexExpr simplified(const ir::IndexExpr& e, std::span<const int64_t> extents) {
  const auto affine = meaning::to_affine(e, extents);
  if (!affine) return e;
  ir::IndexExpr out = affine->constant;
  for (const auto& [variable, factor] : affine->terms) out = out + ir::IndexExpr::var(variable) * factor;
  return out;
}

std::optional<int64_t> most_of(const ir::IndexExpr& e) {
  using Kind = ir::IndexExpr::Kind;
  if (e.kind() == Kind::kConst) return e.value();
  if (e.kind() != Kind::kMin) return std::nullopt;
  const auto a = most_of(e.lhs()), b = most_of(e.rhs());
  return a && b ? std::min(a, b) : a ? a : b;
}

void add_extents(const std::vector<Statement>& body, std::vector<int64_t>& out) {
  constexpr int64_t kFar = int64_t{1} << 40;
  for (const Statement& s : body)
    if (const auto* loop = std::get_if<Loop>(&s.node)) {
      int64_t& extent = out[static_cast<size_t>(loop->variable)];
      extent = std::max(extent, most_of(loop->end).value_or(kFar));
      add_extents(loop->body, out);
    }
}

namespace {

/// Iteration i touches elements of a dimension from length * i + low to length * i + high.
struct Stretch {
  int64_t length = 0, low = 0, high = 0;            ///< length 0: they are not so
  std::vector<std::pair<int, int64_t>> fixed = {};  ///< terms that are the same for all iterations
};
/// What an expression may be at least and at most, where that is known.
std::optional<std::pair<int64_t, int64_t>> range_of(const ir::IndexExpr& e,
                                                    std::span<const int64_t> extents) {
  using Kind = ir::IndexExpr::Kind;
  if (const auto affine = meaning::to_affine(e, extents)) return affine->range(extents);
  if (e.kind() != Kind::kMod && e.kind() != Kind::kFloorDiv && e.kind() != Kind::kMulConst)
    return std::nullopt;
  const auto of = range_of(e.lhs(), extents);
  if (!of || e.value() <= 0) return std::nullopt;
  const auto [low, high] = *of;
  if (e.kind() == Kind::kMulConst) return std::pair(low * e.value(), high * e.value());
  if (low < 0) return std::nullopt;
  if (e.kind() == Kind::kFloorDiv) return std::pair(low / e.value(), high / e.value());
  return high < e.value() ? of : std::pair<int64_t, int64_t>(0, e.value() - 1);
}

/// The terms of a sum.
void add_terms(const ir::IndexExpr& e, std::vector<ir::IndexExpr>& out) {
  if (e.kind() != ir::IndexExpr::Kind::kAdd) return out.push_back(e);
  add_terms(e.lhs(), out);
  add_terms(e.rhs(), out);
}

/// Whether it names others than these.
bool names_others(const ir::IndexExpr& e, const std::set<int>& these) {
  bool out = false;
  for_each_leaf(e, [&](int v) { out |= !these.contains(v); }, [](int) {});
  return out;
}

Stretch stretch(const ir::IndexExpr& index, int variable, std::span<const int64_t> extents,
                const std::set<int>* inner) {
  if (is_variable(index, variable)) return {1, 0, 0};
  std::vector<ir::IndexExpr> terms;
  add_terms(index, terms);
  ir::IndexExpr sum = 0;
  Stretch out;
  for (const ir::IndexExpr& term : terms) {
    if (meaning::to_affine(term, extents)) {
      sum = sum + term;
      continue;
    }
    const auto range = range_of(term, extents);
    if (!range || mentions(term, variable) || (inner != nullptr && names_others(term, *inner))) return {};
    out.low += range->first;
    out.high += range->second;
  }
  const auto affine = meaning::to_affine(sum, extents);
  if (!affine) return {};
  meaning::Affine rest = *affine;
  std::erase_if(rest.terms, [&](const auto& t) { return t.first == variable; });
  if (inner != nullptr)
    std::erase_if(rest.terms, [&](const auto& t) {
      if (!inner->contains(t.first)) out.fixed.push_back(t);
      return !inner->contains(t.first);
    });
  const auto [low, high] = rest.range(extents);
  out.length = std::max<int64_t>(affine->coefficient(variable), 0);
  out.low += low;
  out.high += high;
  return out;
}

}  // namespace

std::set<int> variables_within(const std::vector<Statement>& body) {
  std::set<int> out;
  for (const Statement& s : body)
    if (const auto* loop = std::get_if<Loop>(&s.node)) {
      out.insert(loop->variable);
      out.merge(variables_within(loop->body));
    }
  return out;
}

std::vector<int64_t> extents_of(const LoopProgram& program) {
  std::vector<int64_t> out(program.variables.size(), 0);
  add_extents(program.body, out);
  return out;
}

namespace {

/// whole / divisor, or that % modulus.
struct Digit {
  ir::IndexExpr whole;
  int64_t divisor = 1, modulus = 0;
};
Digit digit_of(const ir::IndexExpr& e) {
  using Kind = ir::IndexExpr::Kind;
  if (e.kind() == Kind::kMod) {
    Digit out = digit_of(e.lhs());
    if (out.modulus != 0 && out.modulus > e.value()) return {e};
    if (out.modulus == 0) out.modulus = e.value();
    return out;
  }
  if (e.kind() != Kind::kFloorDiv) return {e};
  Digit out = digit_of(e.lhs());
  if (out.modulus != 0) return {e};
  out.divisor *= e.value();
  return out;
}

/// Numbers of which all digits, in some mixed radix, are indices of dimensions: elements of two such numbers
/// are different ones.
void add_numbers(const Access& access, std::vector<Dimension>& out) {
  std::vector<Digit> all;
  for (const ir::IndexExpr& i : access.index) all.push_back(digit_of(i));
  for (const Digit& lowest : all) {
    if (lowest.divisor != 1 || lowest.modulus == 0) continue;
    int64_t radix = lowest.modulus;
    std::vector<int64_t> digits = {&lowest - all.data(), 1, lowest.modulus};
    for (const Digit* next = &lowest; next != nullptr && next->modulus != 0;) {
      next = nullptr;
      for (const Digit& d : all)
        if (d.divisor == radix && identical(d.whole, lowest.whole)) next = &d;
      if (next == nullptr) break;
      digits.insert(digits.end(), {next - all.data(), next->divisor, next->modulus});
      if (next->modulus == 0) out.push_back({lowest.whole, 1, 0, digits});
      radix *= next->modulus;
    }
  }
}

}  // namespace

bool cut_by(const Buffer& buffer, const Uses& uses, int variable, std::span<const int64_t> extents,
            const std::set<int>* inner) {
  std::vector<std::vector<Dimension>> all;
  for (const Access* a : uses.accesses) {
    all.push_back(dimensions_of(buffer, *a));
    int64_t step = 1;
    for (size_t d = buffer.sizes.size(); d-- > 0; step *= buffer.sizes[d])
      all.back().push_back({a->index[d], step, buffer.sizes[d]});
    add_numbers(*a, all.back());
  }
  return std::ranges::any_of(all.front(), [&](const Dimension& first) {
    Stretch own = stretch(first.index, variable, extents, inner);
    return own.length > 0 && std::ranges::all_of(all, [&](const std::vector<Dimension>& dimensions) {
             return std::ranges::any_of(dimensions, [&](const Dimension& d) {
               if (d.step != first.step || d.size != first.size || d.digits != first.digits) return false;
               const Stretch other = stretch(d.index, variable, extents, inner);
               const int64_t low = std::min(own.low, other.low), high = std::max(own.high, other.high);
               if (other.length != own.length || high - low >= own.length || other.fixed != own.fixed)
                 return false;
               own.low = low;
               own.high = high;
               return true;
             });
           });
  });
}

}  // namespace isomer::codegen
