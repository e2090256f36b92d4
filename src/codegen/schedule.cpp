#include "codegen/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "codegen/accesses.h"
#include "codegen/check.h"
#include "codegen/fuse.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "codegen/products.h"
#include "codegen/simplify.h"
#include "codegen/tile_plan.h"
#include "codegen/transposes.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

std::optional<std::pair<int64_t, int64_t>> constant_bounds(const Loop& loop) {
  if (loop.begin.kind() != IndexExpr::Kind::kConst || loop.end.kind() != IndexExpr::Kind::kConst)
    return std::nullopt;
  return std::pair(loop.begin.value(), loop.end.value());
}

/// Private buffers that each iteration has for itself; `fixed`: while the loops around stand still.
std::set<int> own_of(const LoopProgram& program, const Loop& loop, std::span<const int64_t> extents,
                     bool fixed) {
  std::set<int> out;
  const std::set<int> inner = variables_within(loop.body);
  for (const auto& [buffer, uses] : uses_of(loop.body))
    if (program.buffers[static_cast<size_t>(buffer)].memory == Memory::kPrivate && uses.written &&
        !cut_by(program.buffers[static_cast<size_t>(buffer)], uses, loop.variable, extents,
                fixed ? &inner : nullptr))
      out.insert(buffer);
  return out;
}

/// Each leaf (a store, or a vector loop) within a loop of the lanes of its own.
bool distribute(std::vector<Statement>& body, int lane, const IndexExpr& end, LoopKind kind) {
  std::vector<Statement> out;
  for (Statement& s : body) {
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop != nullptr && loop->kind != LoopKind::kVector && loop->kind != LoopKind::kThread) {
      if (mentions(loop->begin, lane) || mentions(loop->end, lane)) return false;
      if (!distribute(loop->body, lane, end, kind)) return false;
      out.push_back(std::move(s));
      continue;
    }
    std::vector<Statement> leaf;
    leaf.push_back(std::move(s));
    out.push_back({make_loop(lane, 0, end, kind, std::move(leaf))});
  }
  body = std::move(out);
  return true;
}

/// Loop variables for loop variables in bodies that are copied: each loop binds its own.
void rename_loops(LoopProgram& program, std::vector<Statement>& body) {
  for (Statement& s : body) {
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr) continue;
    const int old = loop->variable;
    loop->variable = add_variable(program, program.variables[static_cast<size_t>(old)]);
    substitute(loop->body, [&](int v) { return IndexExpr::var(v == old ? loop->variable : v); });
    rename_loops(program, loop->body);
  }
}

/// A dimension that private buffers get: of vectors the last, so that a vector is together in memory.
struct LaneDimension {
  int variable = 0;
  int64_t count = 0;
  bool last = false;
};

/// Buffers of a copied body that are private to it, copied as well: the copies have other sizes.
void own_private(LoopProgram& program, std::vector<Statement>& body, const std::set<int>& buffers,
                 const std::optional<LaneDimension>& lanes) {
  for (const int b : buffers) {
    Buffer copy = program.buffers[static_cast<size_t>(b)];
    copy.name += fmt::format("_{}", program.buffers.size());
    if (lanes) copy.sizes.insert(lanes->last ? copy.sizes.end() : copy.sizes.begin(), lanes->count);
    const auto to = static_cast<int>(program.buffers.size());
    program.buffers.push_back(std::move(copy));
    for_each_store(body, [&](Store& store) {
      const auto move = [&](Access& a) {
        if (a.buffer != b) return;
        a.buffer = to;
        if (lanes)
          a.index.insert(lanes->last ? a.index.end() : a.index.begin(), IndexExpr::var(lanes->variable));
      };
      const std::vector<int> used = reads_of(store);
      move(store.target);
      for (const int r : used) move(store.reads[static_cast<size_t>(r)]);
    });
  }
}

/// One number for each lane of what is reduced: before the loop, and after it. Its stores go there.
class Partials {
 public:
  Partials(LoopProgram& program, int64_t factor, LoopKind kind)
      : program_(program), factor_(factor), kind_(kind) {}

  void add(std::vector<Statement>& body, int lane, int buffer, const Reduced& what) {
    Buffer partial;
    partial.name = fmt::format("lanes{}", program_.buffers.size());
    partial.dtype = program_.buffers[static_cast<size_t>(buffer)].dtype;
    partial.sizes = {factor_};
    partial.memory = Memory::kPrivate;
    const auto number = static_cast<int>(program_.buffers.size());
    program_.buffers.push_back(std::move(partial));
    for_each_store(body, [&](Store& store) {
      if (store.target.buffer == buffer) store.target = at(number, lane);
    });
    const int first = add_variable(program_, "v"), end = add_variable(program_, "v");
    Store start;
    start.target = at(number, first);
    start.value = identity_program(what.sort, what.combine);
    before.push_back({lanes(first, std::move(start))});
    Store finish;
    finish.target = what.target;
    finish.combine = what.combine;
    finish.reads = {at(number, end)};
    finish.value = read_program(what.sort, 0);
    after.push_back({lanes(end, std::move(finish))});
  }

  std::vector<Statement> before, after;

 private:
  static Access at(int buffer, int lane) {
    Access a;
    a.buffer = buffer;
    a.index = {IndexExpr::var(lane)};
    return a;
  }
  Loop lanes(int lane, Store store) const {
    std::vector<Statement> body;
    body.push_back({std::move(store)});
    return make_loop(lane, 0, factor_, kind_, std::move(body));
  }

  LoopProgram& program_;
  int64_t factor_;
  LoopKind kind_;
};

class Scheduling {
 public:
  Scheduling(LoopProgram program, const ScheduleOptions& options, bool overlaps)
      : program_(std::move(program)), options_(options), overlaps_(overlaps) {}

  LoopProgram run() {
    program_ = tile_products(std::move(program_), options_);
    extents_ = extents_of(program_);
    program_.body = vectorised(std::move(program_.body), {});
    program_.body = without_single(std::move(program_.body));
    extents_ = extents_of(program_);
    const std::set<int> shared = touched_by_several(program_.body);
    for (Statement& s : program_.body)
      if (auto* loop = std::get_if<Loop>(&s.node))
        if (loop->kind == LoopKind::kSerial && may_run_in_threads(program_, *loop, shared, extents_))
          loop->kind = LoopKind::kParallel;
    return drop_untouched(std::move(program_));
  }

 private:
  /// Loops of one iteration disappear: what they hold may then run in threads.
  static std::vector<Statement> without_single(std::vector<Statement> body) {
    std::vector<Statement> out;
    for (Statement& s : body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop != nullptr) loop->body = without_single(std::move(loop->body));
      const auto bounds = loop != nullptr ? constant_bounds(*loop) : std::nullopt;
      if (!bounds || loop->kind != LoopKind::kSerial || bounds->second - bounds->first != 1) {
        out.push_back(std::move(s));
        continue;
      }
      substitute(loop->body, [&](int v) { return v == loop->variable ? bounds->first : IndexExpr::var(v); });
      std::ranges::move(loop->body, std::back_inserter(out));
    }
    return out;
  }

  std::vector<Statement> vectorised(std::vector<Statement> body, const std::set<int>& outside) {
    std::set<int> shared = touched_by_several(body);
    shared.insert(outside.begin(), outside.end());
    std::vector<Statement> out;
    for (Statement& s : body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr || holds_lanes(*loop))
        out.push_back(std::move(s));
      else
        for (Statement& part : vectorised(std::move(*loop), shared)) out.push_back(std::move(part));
    }
    return out;
  }

  bool fits_lanes(const Loop& loop) const {
    if (lanes_for(loop) == 0) return false;
    bool fits = true;
    for_each_store(loop.body, [&](const Store& store) {
      constexpr int64_t kFarthestRead = 2;
      fits = fits && neighbours(store.target, loop.variable, 1);
      for (const int r : reads_of(store))
        fits = fits && neighbours(store.reads[static_cast<size_t>(r)], loop.variable, kFarthestRead);
    });
    return fits;
  }
  /// As many lanes as it fills once; 0: too few.
  int64_t lanes_for(const Loop& loop) const {
    const auto bounds = constant_bounds(loop);
    int64_t lanes = options_.lanes;
    while (bounds && lanes > bounds->second - bounds->first) lanes /= 2;
    return bounds && lanes >= std::min(kShortestOverlap, options_.lanes) ? lanes : 0;
  }
  /// Whether iterations touch one element, or elements at most so far apart, without asking whether they are
  /// there.
  bool neighbours(const Access& a, int variable, int64_t most) const {
    const auto s = stride(program_, a, variable, extents_);
    return s && *s >= 0 && *s <= most &&
           std::ranges::none_of(a.bounds, [&](const Bound& b) { return mentions(b.value, variable); });
  }
  /// Whether it has been scheduled already.
  static bool holds_lanes(const Loop& loop) {
    return loop.kind == LoopKind::kVector || std::ranges::any_of(loop.body, [](const Statement& s) {
             const auto* inner = std::get_if<Loop>(&s.node);
             return inner != nullptr && holds_lanes(*inner);
           });
  }
  static bool holds_loops(const Loop& loop) {
    return std::ranges::any_of(loop.body,
                               [](const Statement& s) { return std::holds_alternative<Loop>(s.node); });
  }

  /// The loop in lanes, or what is within it.
  std::vector<Statement> vectorised(Loop loop, const std::set<int>& outside) {
    if (auto squares = in_squares(program_, loop, options_.block, extents_); !squares.empty()) return squares;
    if (fits_lanes(loop)) {
      const std::map<int, Reduced> reduced = holds_loops(loop) ? std::map<int, Reduced>() : reductions(loop);
      std::set<int> but;
      for (const auto& [buffer, what] : reduced) but.insert(buffer);
      if (is_parallel(program_, loop, outside, extents_, but, true))  // lanes stand at one place outside
        if (auto out = taken_apart(loop, lanes_for(loop), LoopKind::kVector, reduced); !out.empty())
          return out;
    }
    loop.body = vectorised(std::move(loop.body), outside);
    if (options_.rows > 1 && holds_lanes(loop) && is_tile(loop) &&
        is_parallel(program_, loop, outside, extents_))
      if (auto out = taken_apart(loop, options_.rows, LoopKind::kUnrolled); !out.empty()) return out;
    std::vector<Statement> out;
    out.push_back({std::move(loop)});
    return out;
  }

  /// What is left over in lanes half as many, and so on.
  std::vector<Statement> taken_apart(const Loop& loop, int64_t factor, LoopKind kind,
                                     const std::map<int, Reduced>& reduced = {}) {
    std::vector<Statement> out = push_inside(program_, loop, factor, kind, extents_, reduced);
    bind(out);
    auto* rest = out.empty() ? nullptr : std::get_if<Loop>(&out.back().node);
    if (kind != LoopKind::kVector || rest == nullptr || rest->variable != loop.variable) return out;
    Loop left = std::move(*rest);
    out.pop_back();
    std::vector<Statement> smaller;
    if (overlaps_ && reduced.empty()) smaller = overlapping(loop, left, factor);
    for (int64_t lanes = factor / 2; lanes >= kShortestOverlap && smaller.empty(); lanes /= 2)
      smaller = taken_apart(left, lanes, kind, reduced);
    if (smaller.empty()) smaller.push_back({left});
    std::ranges::move(smaller, std::back_inserter(out));
    return out;
  }
  /// What is left over in one vector that begins earlier: some elements are computed twice. Nothing where
  /// they may not be, or where a vector is as long.
  std::vector<Statement> overlapping(const Loop& whole, const Loop& left, int64_t factor) {
    const int64_t begin = left.begin.value(), end = left.end.value(), width = shortest_vector(end - begin);
    if (width == end - begin || width > factor || end - width < whole.begin.value() ||
        !is_repeatable(program_, left.body))
      return {};
    Loop earlier = left;
    earlier.begin = end - width;
    return taken_apart(earlier, width, LoopKind::kVector);
  }
  /// Takes note of the variables of new loops.
  void bind(const std::vector<Statement>& body) {
    extents_.resize(program_.variables.size(), 0);
    add_extents(body, extents_);
  }

  /// Whether the loop holds a product in lanes: something of memory that does not depend on this loop's
  /// variable is read while it is combined, so that several iterations share it.
  bool is_tile(const Loop& loop) const {
    bool found = false;
    for_each_store(loop.body, [&](const Store& store) {
      if (!store.combine) return;
      for (const int r : operands_of(program_, store))
        found |= !mentions(store.reads[static_cast<size_t>(r)], loop.variable);
    });
    return found;
  }

  LoopProgram program_;
  const ScheduleOptions& options_;
  bool overlaps_;
  std::vector<int64_t> extents_;  // by variable
};

}  // namespace

std::map<int, Reduced> reductions(const Loop& loop) {
  std::map<int, Reduced> out;
  std::set<int> otherwise;
  for (const Statement& s : loop.body) {
    const auto& store = std::get<Store>(s.node);
    for (const int r : reads_of(store)) otherwise.insert(store.reads[static_cast<size_t>(r)].buffer);
    if (!store.combine || loads(store.target) || mentions(store.target, loop.variable) ||
        !out.try_emplace(store.target.buffer, Reduced{*store.combine, store.target, store.value.sort}).second)
      otherwise.insert(store.target.buffer);
  }
  for (const int b : otherwise) out.erase(b);
  return out;
}

std::vector<Statement> push_inside(LoopProgram& program, const Loop& loop, int64_t factor, LoopKind kind,
                                   std::span<const int64_t> extents, const std::map<int, Reduced>& reduced) {
  const auto bounds = constant_bounds(loop);
  if (!bounds || bounds->second - bounds->first < factor) return {};
  const bool in_lanes = kind != LoopKind::kUnrolled, ragged = kind == LoopKind::kThread;
  const int64_t count = bounds->second - bounds->first, groups = (count + (ragged ? factor - 1 : 0)) / factor;
  std::set<int> own = own_of(program, loop, extents, !ragged);
  for (const auto& [buffer, what] : reduced) own.erase(buffer);
  constexpr int64_t kOnStack = 64 << 10;  // what an iteration has for itself, for all that run together
  int64_t bytes = 0;
  for (const int b : own) {
    const Buffer& buffer = program.buffers[static_cast<size_t>(b)];
    bytes += factor * ir::byte_size(buffer.dtype, buffer.count());
  }
  if (bytes > kOnStack && kind != LoopKind::kThread) return {};
  const std::string name = program.variables[static_cast<size_t>(loop.variable)];
  const int group = add_variable(program, name + "0");
  const int lane = add_variable(program, kind == LoopKind::kThread ? "t" : in_lanes ? "v" : "u");
  std::vector<Statement> body = loop.body;
  const IndexExpr by = IndexExpr::var(group) * factor + IndexExpr::var(lane) + bounds->first;
  substitute(body, [&](int v) { return v == loop.variable ? by : IndexExpr::var(v); });
  std::vector<int64_t> all(extents.begin(), extents.end());
  all.resize(program.variables.size(), 0);
  all[static_cast<size_t>(group)] = groups;
  all[static_cast<size_t>(lane)] = factor;
  for_each_store(body, [&](Store& s) {
    const auto simplify = [&](Access& a) {
      Access simple = a;
      for_each_index(simple, [&](IndexExpr& i) { i = simplified(i, all); });
      // All digits of a number say more (cut_by of accesses.h) than some of them.
      if (!ragged || std::ranges::none_of(simple.index, [](const IndexExpr& i) { return divides(i); }))
        a = std::move(simple);
    };
    simplify(s.target);
    for (Access& read : s.reads) simplify(read);
    for (IndexExpr& place : s.places) place = simplified(place, all);
  });
  const IndexExpr left = IndexExpr(count) - IndexExpr::var(group) * factor;
  const IndexExpr end = ragged && count % factor != 0 ? min(factor, left) : IndexExpr(factor);
  if (!distribute(body, lane, end, kind)) return {};
  Partials partials(program, factor, kind);
  for (const auto& [buffer, what] : reduced) partials.add(body, lane, buffer, what);
  own_private(program, body, own, LaneDimension{lane, factor, in_lanes});
  std::vector<Statement> out = std::move(partials.before);
  out.push_back({make_loop(group, 0, groups, loop.kind, std::move(body))});
  for (Statement& s : partials.after) out.push_back(std::move(s));
  if (groups * factor < count) {
    Loop rest = loop;
    rest.begin = bounds->first + groups * factor;
    rename_loops(program, rest.body);
    own_private(program, rest.body, own, std::nullopt);
    out.push_back({std::move(rest)});
  }
  return out;
}

LoopProgram schedule(LoopProgram program, const ScheduleOptions& options) {
  return Scheduling(std::move(program), options, true).run();
}
LoopProgram schedule_tiles(LoopProgram program, const ScheduleOptions& options) {
  return Scheduling(std::move(program), options, false).run();
}

}  // namespace isomer::codegen
