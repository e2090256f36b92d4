#include "codegen/estimate.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "codegen/accesses.h"
#include "ir/scalar_table.h"
#include "meaning/affine.h"

namespace isomer::codegen {
namespace {

// Of the cores of the 2020s (optimisation guides of AMD and Intel), beside what target.h has: stores in a
// cycle, bytes in a cycle from the second cache, from the last one and from memory; what reading at a new
// place costs beside (a page that has to be found, a stream that nobody has fetched ahead).
constexpr double kStores = 1;
constexpr double kDivision = 10, kFunction = 24;  ///< operations
constexpr double kIteration = 1.5;
constexpr double kNearBytes = 32, kFarBytes = 16, kMemoryBytes = 3, kNearPlace = 4, kFarPlace = 12,
                 kMemoryPlace = 40;
constexpr int64_t kWays = 8;  ///< of a cache
constexpr int64_t kLine = 64;
/// Pages that a core finds without a walk through tables, and what such a walk takes.
constexpr int64_t kKnownPages = 2048;
constexpr double kWalk = 30;

/// What keeps lines that were touched, or knows pages.
struct Cache {
  int64_t bytes = 0;
  int64_t line = kLine;
  auto operator<=>(const Cache&) const = default;
};
constexpr Cache kPages = {kKnownPages * kPageBytes, kPageBytes};
constexpr double kHidden = 0.25;  ///< of what is not the slowest: it is not all done meanwhile

using Path = std::vector<const Loop*>;

/// Iterations at most; 1 where nothing says how many.
int64_t trips(const Loop& loop) {
  const std::optional<int64_t> end = most_of(loop.end);
  if (loop.begin.kind() != ir::IndexExpr::Kind::kConst || !end) return 1;
  return std::max<int64_t>(0, *end - loop.begin.value());
}
bool at_once(const Loop& loop) { return loop.kind == LoopKind::kVector || loop.kind == LoopKind::kUnrolled; }

/// What an iteration does, in vectors.
struct Work {
  double sums = 0, loads = 0, stores = 0;
  bool carries = false;  ///< a sum that the next iteration waits for
  double inner = 0;      ///< cycles of loops within

  double cycles(bool in_loop) const {
    const double busy = std::max({sums / kSumsAtOnce, loads / kLoadsAtOnce, stores / kStores,
                                  (sums + loads + stores) / kIssuedAtOnce});
    return (in_loop && carries ? std::max(busy, kSumLatency) : busy) + inner;
  }
};

struct Touch {
  const Access* access;
  Path path;
};

struct Footprint {
  double bytes = 0;
  double room = 0;  ///< bytes of a cache that it takes
  double places = 0;
};

class Estimating {
 public:
  Estimating(const LoopProgram& program, const ScheduleOptions& options)
      : program_(program),
        options_(options),
        extents_(extents_of(program)),
        register_elements_(options.block) {}

  Estimate run() {
    Estimate out;
    Path path;
    out.arithmetic = walk(program_.body, path).cycles(false);
    for (const Touch& touch : touches_) {
      const Footprint near = traffic(touch, {options_.near_bytes}),
                      far = traffic(touch, {options_.far_bytes}),
                      memory = traffic(touch, {options_.last_bytes}), pages = traffic(touch, kPages);
      out.near += near.bytes / kNearBytes + near.places * kNearPlace;
      out.far += far.bytes / kFarBytes + far.places * kFarPlace;
      out.memory +=
          memory.bytes / kMemoryBytes + memory.places * kMemoryPlace + pages.bytes / kPageBytes * kWalk;
    }
    return out;
  }

 private:
  const Buffer& buffer(const Access& a) const { return program_.buffers[static_cast<size_t>(a.buffer)]; }

  /// Whether it is a variable in registers: small, and its elements are known when compiled.
  bool in_registers(const Access& a, const Path& path) const {
    const Buffer& b = buffer(a);
    if (b.memory != Memory::kPrivate || b.count() > options_.registers * register_elements_) return false;
    bool fixed = true;
    for_each_index(a, [&](const ir::IndexExpr& i) {
      for_each_leaf(
          i,
          [&](int v) {
            fixed = fixed &&
                    std::ranges::any_of(path, [&](const Loop* l) { return l->variable == v && at_once(*l); });
          },
          [&](int) { fixed = false; });
    });
    return fixed;
  }

  /// In vectors: how often an access is made by loops that run at once.
  double times(const Access& a, const Path& path) const {
    double out = 1;
    for (const Loop* l : path) {
      if (!at_once(*l) || !mentions(a, l->variable)) continue;
      const auto n = static_cast<double>(trips(*l));
      const auto s = l->kind == LoopKind::kVector ? stride(program_, a, l->variable, extents_) : std::nullopt;
      const bool together = l->kind == LoopKind::kVector && s && std::abs(*s) == 1;
      out *= together ? std::max(1.0, n / static_cast<double>(register_elements_)) : n;
    }
    return out;
  }
  static double lanes(const Path& path, int64_t each) {
    double out = 1;
    for (const Loop* l : path)
      if (at_once(*l))
        out *= l->kind == LoopKind::kVector
                   ? std::max(1.0, static_cast<double>(trips(*l)) / static_cast<double>(each))
                   : static_cast<double>(trips(*l));
    return out;
  }

  static double operations(const Store& store) {
    double out = 0;
    for (const auto& in : store.value.code) {
      using Op = ir::ScalarOp;
      if (in.op == Op::kRead || in.op == Op::kConst || in.op == Op::kIntConst || in.op == Op::kVar ||
          in.op == Op::kCast)
        continue;
      const ir::ScalarRow& row = ir::row(in.op);
      if (in.op == Op::kDiv || in.op == Op::kSqrt)
        out += kDivision;
      else
        out += row.rounding == ir::Rounding::kApproximates ? kFunction : 1;
    }
    const bool fused = store.combine == ir::Combiner::kSum && !store.value.code.empty() &&
                       store.value.code.back().op == ir::ScalarOp::kMul;
    return out + (store.combine && !fused ? 1 : 0);
  }

  void add(const Store& store, Path& path, Work& work) {
    work.sums += operations(store) * lanes(path, register_elements_);
    const auto touch = [&](const Access& a) {
      touches_.push_back({&a, path});
      return times(a, path);
    };
    for (const int r : reads_of(store)) {
      const Access& read = store.reads[static_cast<size_t>(r)];
      if (!in_registers(read, path)) work.loads += touch(read);
      work.sums += static_cast<double>(read.bounds.size()) * 2;
    }
    if (!in_registers(store.target, path)) {
      const double stored = touch(store.target);
      work.stores += stored;
      if (store.combine) work.loads += stored;
    } else if (store.combine) {
      work.carries = true;
    }
  }

  Work walk(const std::vector<Statement>& body, Path& path) {
    Work out;
    for (const Statement& s : body) {
      const auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr) {
        add(std::get<Store>(s.node), path, out);
        continue;
      }
      path.push_back(loop);
      const Work inner = walk(loop->body, path);
      path.pop_back();
      if (at_once(*loop)) {
        out.sums += inner.sums;
        out.loads += inner.loads;
        out.stores += inner.stores;
        out.carries = out.carries || inner.carries;
        out.inner += inner.inner * static_cast<double>(trips(*loop));
      } else {
        out.inner += static_cast<double>(trips(*loop)) * (inner.cycles(true) + kIteration);
      }
    }
    return out;
  }

  /// How many of the loop's iterations are new elements of a dimension; of indices that are not affine all.
  double steps(const ir::IndexExpr& index, const std::optional<meaning::Affine>& affine,
               const Loop& loop) const {
    const bool named = affine ? affine->coefficient(loop.variable) != 0 : mentions(index, loop.variable);
    return named ? static_cast<double>(trips(loop)) : 1;
  }

  /// What an access touches in all iterations of these loops together, as a cache holds it: rows
  /// that lie at the same places of it take each other's.
  Footprint footprint(const Access& a, const Path& path, size_t first, const Cache& cache) const {
    const Buffer& b = buffer(a);
    const int64_t element = ir::byte_size(b.dtype, 1);
    double run = 1, others = 1, crowded = 1;  // elements that lie together, how many such
    bool together = true;
    int64_t step = element;
    for (size_t d = b.sizes.size(); d-- > 0;) {
      const auto size = static_cast<double>(b.sizes[d]);
      const auto affine = meaning::to_affine(a.index[d], extents_);
      double span = 1, count = 1;
      int64_t least = 0;
      for (size_t l = first; l < path.size(); ++l) {
        count *= steps(a.index[d], affine, *path[l]);
        const int64_t c = affine ? std::abs(affine->coefficient(path[l]->variable)) : 0;
        span += static_cast<double>(c * (trips(*path[l]) - 1));
        if (c > 0 && (least == 0 || c < least)) least = c;
      }
      const double here = std::min({size, count, affine ? span : count});
      (together ? run : others) *= here;
      if (!together && here > 1 && cache.line < kPageBytes) {
        // Pages lie anywhere in memory: rows are at the same places of a cache as far as a page says.
        const int64_t way = std::max<int64_t>(kLine, cache.bytes / kWays), page = std::min(way, kPageBytes);
        const int64_t apart = std::max(std::gcd(step * std::max<int64_t>(least, 1), page), kLine);
        const int64_t places = kWays * (way / apart);
        crowded = std::max(crowded, here / static_cast<double>(places));
      }
      together = together && here == size;
      step *= b.sizes[d];
    }
    const auto all = static_cast<double>(ir::byte_size(b.dtype, b.count())),
               line = static_cast<double>(cache.line);
    const double bytes =
        std::min(std::max(all, line), others * std::max(static_cast<double>(element) * run, line));
    const double room = crowded > 1 ? crowded * static_cast<double>(cache.bytes) : bytes;
    return {bytes, room, places(a, path, first, bytes)};
  }

  /// How often reading begins at another place: neighbours are read on from, by one loop or by several at
  /// once.
  double places(const Access& a, const Path& path, size_t first, double bytes) const {
    const Buffer& b = buffer(a);
    auto chunk = static_cast<double>(ir::byte_size(b.dtype, 1));  // that is read in one go
    double streams = 1;
    for (size_t l = path.size(); l-- > first;) {
      if (!mentions(a, path[l]->variable)) continue;
      const auto s = stride(program_, a, path[l]->variable, extents_);
      const double step =
          s ? std::abs(static_cast<double>(*s)) * static_cast<double>(ir::byte_size(b.dtype, 1)) : 0;
      const auto n = static_cast<double>(trips(*path[l]));
      if (step > 0 && step <= chunk && streams <= static_cast<double>(kStreams))
        chunk += step * (n - 1);
      else
        streams *= n;
    }
    return bytes / std::max(chunk, static_cast<double>(kLine));
  }

  /// Bytes of all that is touched within: in one iteration of the loop, or in all of them.
  double size_of(const Loop* loop, bool all, const Cache& cache) {
    const auto [at, fresh] = sizes_.try_emplace({loop, all, cache}, 0);
    if (!fresh) return at->second;
    std::map<int, double> of;
    for (const Touch& t : touches_) {
      const auto where = std::ranges::find(t.path, loop);
      if (where == t.path.end()) continue;
      const auto first = static_cast<size_t>(where - t.path.begin()) + (all ? 0 : 1);
      double& largest = of[t.access->buffer];
      largest = std::max(largest, footprint(*t.access, t.path, first, cache).room);
    }
    double sum = 0;
    for (const auto& [b, room] : of) sum += room;
    return sizes_[{loop, all, cache}] = sum;
  }

  /// What is brought in from beyond a cache.
  Footprint traffic(const Touch& t, const Cache& cache) {
    const auto room = static_cast<double>(cache.bytes);
    size_t stays = t.path.size();  // the outermost loop all of whose data stay
    while (stays > 0 && size_of(t.path[stays - 1], true, cache) <= room) --stays;
    if (stays == 0) return {};  // what the program touches fits: it is there from the run before
    size_t from = stays;
    // Between iterations of the loop around them what it does not index stays too.
    if (size_of(t.path[stays - 1], false, cache) <= room) from = stays - 1;
    Footprint out = footprint(*t.access, t.path, from, cache);
    for (size_t l = 0; l < from; ++l) {
      const auto n = static_cast<double>(trips(*t.path[l]));
      out.bytes *= n;
      out.places *= n;
    }
    return out;
  }

  const LoopProgram& program_;
  const ScheduleOptions& options_;
  std::vector<int64_t> extents_;
  int64_t register_elements_;
  std::vector<Touch> touches_;
  std::map<std::tuple<const Loop*, bool, Cache>, double> sizes_;
};

}  // namespace

double Estimate::cycles() const {
  const double most = std::max({arithmetic, near, far, memory});
  return most + kHidden * (arithmetic + near + far + memory - most);
}

Estimate estimate(const LoopProgram& program, const ScheduleOptions& options) {
  return Estimating(program, options).run();
}

}  // namespace isomer::codegen
