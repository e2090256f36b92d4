#include "codegen/gpu_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <utility>

#include "codegen/accesses.h"
#include "meaning/affine.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Whether it is a multiple of the number, whatever its variables are.
bool is_multiple(const IndexExpr& e, int64_t of) {
  using Kind = IndexExpr::Kind;
  switch (e.kind()) {
    case Kind::kConst: return e.value() % of == 0;
    case Kind::kMulConst: {
      const int64_t factor = std::abs(e.size().number());
      return is_multiple(e.lhs(), of / std::gcd(of, factor));
    }
    case Kind::kAdd: return is_multiple(e.lhs(), of) && is_multiple(e.rhs(), of);
    default: return false;
  }
}

class Placing {
 public:
  explicit Placing(const LoopProgram& program) : program_(program), extents_(extents_of(program)) {}

  Places run() {
    touches_.resize(program_.buffers.size());
    visit(program_.body, {}, 1);
    widest_ = out_.threads;
    out_.threads = (out_.threads + kWarp - 1) / kWarp * kWarp;
    out_.shared_bytes = Places::kCombining;
    for (size_t b = 0; b < program_.buffers.size(); ++b) place(static_cast<int>(b));
    return std::move(out_);
  }

 private:
  struct Touch {
    const Access* access;
    std::vector<int> threads;  ///< variables, from outside
    int64_t each;              ///< of what so many threads do together: these are numbers of such groups
    bool copied;               ///< waited for by stages
    bool writes, reads;
  };

  void visit(const std::vector<Statement>& body, const std::vector<int>& threads, int64_t each,
             bool copied = false) {
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        std::vector<int> inner = threads;
        const int64_t together = loop->kind == LoopKind::kTensor      ? kWarp
                                 : loop->kind == LoopKind::kWarpgroup ? kWarpgroup
                                                                      : each;
        if (loop->kind == LoopKind::kThread) inner.push_back(loop->variable);
        if (!inner.empty()) out_.threads = std::max(out_.threads, count(inner) * together);
        visit(loop->body, inner, together, copied || loop->kind == LoopKind::kCopied);
        continue;
      }
      const auto& store = std::get<Store>(s.node);
      const auto touch = [&](const Access& a, bool writes, bool reads) {
        touches_[static_cast<size_t>(a.buffer)].push_back(
            {&a, threads, each, copied && writes, writes, reads});
      };
      touch(store.target, true, store.combine.has_value());
      for (const int r : reads_of(store)) touch(store.reads[static_cast<size_t>(r)], false, true);
    }
  }
  int64_t count(const std::vector<int>& threads) const {
    int64_t out = 1;
    for (const int t : threads) out *= extents_[static_cast<size_t>(t)];
    return out;
  }

  /// What of the elements each thread touches, if no other one touches these.
  AccessText::Own own(const Touch& t) const {
    if (t.threads.empty() || loads(*t.access)) return {};
    if (t.each > 1) return piece(t);
    const Buffer& b = program_.buffers[static_cast<size_t>(t.access->buffer)];
    const int64_t lanes = count(t.threads);
    size_t innermost = t.threads.size() - 1;  // that there are several of
    while (innermost > 0 && extents_[static_cast<size_t>(t.threads[innermost])] == 1) --innermost;
    const auto each = stride(program_, *t.access, t.threads[innermost], extents_);
    if (!each || *each < 1) return {};
    int64_t step = *each;
    for (size_t i = t.threads.size(); i-- > 0; step *= extents_[static_cast<size_t>(t.threads[i])]) {
      if (extents_[static_cast<size_t>(t.threads[i])] == 1) continue;
      const auto s = stride(program_, *t.access, t.threads[i], extents_);
      if (!s || *s != step) return {};
    }
    // What is left: multiples of what all threads have, and less than what one has.
    int64_t low = 0, high = 0;
    for (const Dimension& d : dimensions_of(b, *t.access)) {
      const IndexExpr rest = substituted(d.index, [&](int v) {
        return std::ranges::find(t.threads, v) != t.threads.end() ? IndexExpr(0) : IndexExpr::var(v);
      });
      if (d.step % (lanes * *each) == 0 || is_multiple(rest * d.step, lanes * *each)) continue;
      const auto affine = meaning::to_affine(rest, extents_);
      if (!affine) return {};
      low += affine->constant * d.step;
      high += affine->constant * d.step;
      for (const auto& [v, factor] : affine->terms) {
        if (factor * d.step % (lanes * *each) == 0) continue;
        const int64_t most = factor * d.step * (extents_[static_cast<size_t>(v)] - 1);
        (most < 0 ? low : high) += most;
      }
    }
    return low >= 0 && high < *each ? AccessText::Own{lanes, *each} : AccessText::Own{};
  }

  /// What an instruction of a warp, or of a group of warps, touches: the last dimensions are where in it the
  /// threads are.
  AccessText::Own piece(const Touch& t) const {
    const Buffer& b = program_.buffers[static_cast<size_t>(t.access->buffer)];
    size_t first = b.sizes.size();  // of these dimensions
    int64_t inside = 1;
    while (first > 0 && inside < t.each) inside *= b.sizes[--first];
    const size_t outside = t.threads.size();
    if (inside != t.each || first < outside) return {};
    for (size_t i = 0; i < outside; ++i)
      if (!is_variable(t.access->index[first - outside + i], t.threads[i])) return {};
    return {count(t.threads) * t.each, 1};
  }

  void place(int number) {
    const Buffer& b = program_.buffers[static_cast<size_t>(number)];
    const std::vector<Touch>& all = touches_[static_cast<size_t>(number)];
    AccessText::Own mine = all.empty() ? AccessText::Own{} : own(all.front());
    bool uniform = true, written = false, read = false, staged = false;
    for (const Touch& t : all) {
      if (const AccessText::Own other = own(t); other.lanes != mine.lanes || other.each != mine.each)
        mine = {};
      uniform &= std::ranges::none_of(t.threads, [&](int v) { return mentions(*t.access, v); });
      // What only some threads store only they have; what is combined all have.
      const bool some = !t.threads.empty() && count(t.threads) * t.each < widest_;
      uniform &= !(some && t.writes && !t.reads);
      written |= t.writes;
      staged |= t.copied;
      read |= t.reads;
    }
    Place place = Place::kShared;
    constexpr int64_t kFew = 16;
    if (b.memory != Memory::kPrivate)
      place = Place::kGlobal;
    else if (!staged && (mine.lanes != 0 || all.empty()))
      place = Place::kThread;
    else if (uniform && b.count() <= kFew)
      place = Place::kUniform;
    const bool alone = place == Place::kThread || place == Place::kUniform || mine.lanes != 0;
    out_.of.push_back(place);
    out_.own.push_back(place == Place::kThread ? mine : AccessText::Own{});
    out_.meet.push_back(!alone && !staged && written && (read || several_writes(all)));
    // What is copied may be swizzled, which goes by addresses.
    constexpr int64_t kAligned = 16, kSwizzled = Places::kSwizzled;
    const auto rounded = [](int64_t bytes, int64_t to) { return (bytes + to - 1) / to * to; };
    if (place == Place::kShared && staged) out_.shared_bytes = rounded(out_.shared_bytes, kSwizzled);
    out_.offsets.push_back(out_.shared_bytes);
    if (place == Place::kShared) out_.shared_bytes += rounded(ir::byte_size(b.dtype, b.count()), kAligned);
  }
  static bool several_writes(const std::vector<Touch>& all) {
    return std::ranges::count_if(all, &Touch::writes) > 1;
  }

  const LoopProgram& program_;
  std::vector<int64_t> extents_;
  std::vector<std::vector<Touch>> touches_;  // by buffer
  int64_t widest_ = 1;                       // threads that have something to do at once
  Places out_;
};

}  // namespace

namespace {

/// Whether different numbers of the variables are different elements: like digits, each counts more than all
/// lower ones together.
bool are_digits_of(const LoopProgram& program, const Access& a, const std::vector<int>& variables,
                   std::span<const int64_t> extents) {
  if (loads(a)) return false;
  std::vector<std::pair<int64_t, int64_t>> digits;  // what it counts, and how far it goes
  for (const int v : variables) {
    const auto s = stride(program, a, v, extents);
    if (!s || *s < 0) return false;
    const int64_t extent = extents[static_cast<size_t>(v)];
    if (extent > 1) digits.emplace_back(*s, extent);
  }
  std::ranges::sort(digits);
  int64_t below = 0;
  for (const auto& [counts, extent] : digits) {
    if (counts <= below) return false;
    below += counts * (extent - 1);
  }
  return true;
}

struct WritesApart {
  const LoopProgram& program;
  const std::vector<bool>& meet;
  std::span<const int64_t> extents;
  std::set<int> written = {};

  bool holds(const Loop& loop, std::vector<int> variables) {
    variables.push_back(loop.variable);
    const bool kept = loop.kind == LoopKind::kUnrolled || loop.kind == LoopKind::kThread;
    return kept && std::ranges::all_of(loop.body, [&](const Statement& s) {
             const auto* inner = std::get_if<Loop>(&s.node);
             return inner != nullptr ? holds(*inner, variables) : holds(std::get<Store>(s.node), variables);
           });
  }
  bool holds(const Store& s, const std::vector<int>& variables) {
    const auto meets = [&](const Access& a) { return meet[static_cast<size_t>(a.buffer)]; };
    if (!meets(s.target)) return true;
    return !s.combine && written.insert(s.target.buffer).second &&
           are_digits_of(program, s.target, variables, extents);
  }
};

}  // namespace

bool writes_apart(const LoopProgram& program, const Loop& loop, const std::vector<bool>& meet,
                  std::span<const int64_t> extents) {
  WritesApart apart{program, meet, extents};
  if (!apart.holds(loop, {})) return false;
  const auto uses = uses_of(loop.body);
  return std::ranges::none_of(apart.written, [&](int b) { return uses.at(b).read; });
}

PlacesOrError places_within(const LoopProgram& program, int64_t most) {
  PlacesOrError out{Placing(program).run(), {}};
  if (out.places.shared_bytes > most)
    out.error = fmt::format("a block of threads needs {} bytes of shared memory, of {} that there are",
                            out.places.shared_bytes, most);
  return out;
}

Places places_of(const LoopProgram& program) {
  PlacesOrError out = places_within(program, GpuOptions().shared_bytes);
  if (!out) throw InputError(out.error);
  return std::move(out.places);
}

}  // namespace isomer::codegen
