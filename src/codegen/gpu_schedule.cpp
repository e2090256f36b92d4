#include "codegen/gpu_schedule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/check.h"
#include "codegen/collapse.h"
#include "codegen/fuse.h"
#include "codegen/gpu_columns.h"
#include "codegen/gpu_products.h"
#include "codegen/gpu_split_sums.h"
#include "codegen/gpu_transposes.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "codegen/schedule.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class GpuScheduling {
 public:
  GpuScheduling(LoopProgram program, const GpuOptions& options)
      : program_(std::move(program)), options_(options) {}

  LoopProgram run() {
    extents_ = extents_of(program_);
    const std::set<int> shared = touched_by_several(program_.body);
    std::vector<Statement> out;
    for (Statement& s : program_.body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr)
        out.push_back(std::move(s));
      else
        std::ranges::move(blocks(std::move(*loop), shared), std::back_inserter(out));
    }
    program_.body = std::move(out);
    return drop_untouched(std::move(program_));
  }

  std::vector<Statement> of_block(Statement s, const std::vector<Statement>& beside) {
    extents_ = extents_of(program_);
    bind(beside);
    bind(one(s));
    note_together(beside);
    least_ = threads_;
    return inside(one(std::move(s)), touched_by_several(beside));
  }
  LoopProgram take() { return std::move(program_); }

 private:
  int64_t extent(int variable) const { return extents_[static_cast<size_t>(variable)]; }
  void bind(const std::vector<Statement>& body) {
    extents_.resize(program_.variables.size(), 0);
    add_extents(body, extents_);
  }
  /// How many of the loops, each the only one in the one before, may run in any order.
  size_t parallel_loops(const Chain& chain, const std::set<int>& shared) const {
    size_t out = 0;
    while (out < chain.loops.size() && starts_at_zero(*chain.loops[out]) &&
           may_run_in_threads(program_, *chain.loops[out], shared, extents_))
      ++out;
    return out;
  }

  /// A loop of the program: its parallel loops are blocks, or groups of threads that have an element each.
  /// `whole`: if it is not a part of a sum already.
  std::vector<Statement> blocks(Loop top, const std::set<int>& shared, bool whole = true) {
    const size_t count = parallel_loops(chain_of(top), shared);
    if (count == 0) {
      std::vector<Statement> body = one({std::move(top)});
      note_together(body);
      return inside(std::move(body), shared);
    }
    std::vector<Loop> nests;
    if (whole) nests = split_sum(program_, top, count, extents_, options_);
    if (!nests.empty()) {
      std::vector<Statement> out;
      for (Loop& nest : nests) {
        bind(one({nest}));
        std::ranges::move(blocks(std::move(nest), shared, false), std::back_inserter(out));
      }
      return out;
    }
    if (auto tiles = product_in_tiles(program_, top, count, extents_, options_); !tiles.empty()) {
      bind(tiles);
      return tiles;
    }
    const Chain chain = chain_of(top);
    const Loop& last = *chain.loops[count - 1];
    if (auto turned = turned_in_squares(program_, top, count, extents_, options_); !turned.empty()) {
      bind(turned);
      return turned;
    }
    if (auto columns = columns_together(program_, top, count, extents_, options_); !columns.empty()) {
      bind(columns);
      return columns;
    }
    if (widest(last.body) < options_.warp) {
      if (auto elements = by_element(top, count); !elements.empty()) return elements;
    }
    note_together(last.body);
    int64_t rows = 1;
    for (size_t i = 0; i < count; ++i) rows *= extent(chain.loops[i]->variable);
    const bool many = rows >= options_.blocks * options_.busy / options_.warp;
    threads_ = many ? std::clamp(widest(last.body) / options_.of_row / options_.warp * options_.warp,
                                 options_.warp, options_.threads)
                    : options_.threads;
    std::vector<Statement> body = inside(last.body, shared);
    threads_ = options_.threads;
    return around(chain, count, std::move(body));
  }

  /// The most iterations of loops around each other, of those that stand in the body.
  static int64_t widest(const std::vector<Statement>& body) {
    int64_t out = 0;
    for (const Statement& s : body)
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        int64_t all = 1;
        for (const Loop* l : chain_of(*loop).loops) all *= starts_at_zero(*l) ? l->end.value() : 1;
        out = std::max(out, all);
      }
    return out;
  }

  /// The body within the first `count` loops, as parallel ones.
  static std::vector<Statement> around(const Chain& chain, size_t count, std::vector<Statement> body) {
    for (size_t i = count; i-- > 0;) {
      Loop loop;
      loop.variable = chain.loops[i]->variable;
      loop.begin = chain.loops[i]->begin;
      loop.end = chain.loops[i]->end;
      loop.kind = LoopKind::kParallel;
      loop.body = std::move(body);
      body = one({std::move(loop)});
    }
    return body;
  }

  /// As many of the innermost parallel loops as fill a block are one, whose elements have a thread each.
  std::vector<Statement> by_element(const Loop& top, size_t count) {
    const Chain chain = chain_of(top);
    size_t first = count;
    int64_t elements = 1, all = 1;
    while (first > 0 && elements < options_.threads) elements *= extent(chain.loops[--first]->variable);
    for (size_t i = 0; i < count; ++i) all *= extent(chain.loops[i]->variable);
    Loop flat = collapsed(program_, std::span(chain.loops).subspan(first, count - first), extents_);
    bind(one({flat}));
    int64_t each = together(flat);
    while (each > 1 && all / each < options_.blocks * options_.busy) each /= 2;
    if (each > 1) flat = split(flat, each);
    const int64_t threads =
        all < options_.threads * options_.blocks ? options_.threads / 4 : options_.threads;
    std::vector<Statement> body =
        push_inside(program_, flat, block_of(elements / each, threads), LoopKind::kThread, extents_);
    if (body.empty()) return {};
    for (Statement& s : body) std::get<Loop>(s.node).kind = LoopKind::kParallel;
    bind(body);
    return around(chain, first, std::move(body));
  }

  /// How many neighbouring elements make 16 bytes, where the loop goes through neighbours.
  int64_t together(const Loop& loop) const {
    constexpr int64_t kBytes = 16;
    int64_t widest = 0;
    bool found = false;
    const auto look = [&](const Access& a) {
      const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
      if (b.memory == Memory::kPrivate || loads(a) || stride(program_, a, loop.variable, extents_) != 1)
        return;
      found = true;
      widest = std::max(widest, ir::byte_size(b.dtype, 1));
    };
    for_each_store(loop.body, [&](const Store& s) { for_each_access(s, look); });
    int64_t out = found ? std::min(kBytes / widest, options_.together) : 1;
    while (loop.end.value() % out != 0) out /= 2;
    return out;
  }
  /// Loops of one length in a block take as many elements together, so that what one leaves to the next stays
  /// with its thread.
  void note_together(const std::vector<Statement>& body) {
    together_.clear();
    for (const Statement& s : body)
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        const Chain chain = chain_of(*loop);
        if (!std::ranges::all_of(chain.loops, [](const Loop* l) { return starts_at_zero(*l); })) continue;
        const Loop flat = collapsed(program_, chain.loops, extents_);
        bind(one({flat}));
        if (const int64_t each = together(flat); each > 1) {
          const auto [at, is_new] = together_.try_emplace(flat.end.value(), each);
          at->second = std::min(at->second, each);
        }
      }
  }
  /// Of that many iterations those that are threads of a block: a part without a rest, if there is one.
  int64_t block_of(int64_t count, int64_t most) const {
    if (count <= most) return count;
    for (int64_t t = most; t >= most / 2; t -= options_.warp)
      if (count % t == 0) return t;
    return most;
  }
  /// The loop over groups of so many iterations, which are unrolled.
  Loop split(const Loop& loop, int64_t each) {
    const std::string name = program_.variables[static_cast<size_t>(loop.variable)];
    Loop inner, outer;
    outer.variable = add_variable(program_, name + "1");
    inner.variable = add_variable(program_, "u");
    outer.end = loop.end.value() / each;
    inner.end = each;
    inner.kind = LoopKind::kUnrolled;
    inner.body = loop.body;
    const IndexExpr number = IndexExpr::var(outer.variable) * each + IndexExpr::var(inner.variable);
    substitute(inner.body, [&](int v) { return v == loop.variable ? number : IndexExpr::var(v); });
    outer.body = one({std::move(inner)});
    bind(one({outer}));
    return outer;
  }
  /// Within a block: loops that may run at once do so in threads.
  std::vector<Statement> inside(std::vector<Statement> body, const std::set<int>& outside) {
    std::set<int> shared = touched_by_several(body);
    shared.insert(outside.begin(), outside.end());
    std::vector<Statement> out;
    for (Statement& s : body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr)
        out.push_back(std::move(s));
      else
        std::ranges::move(in_threads(std::move(*loop), shared), std::back_inserter(out));
    }
    return out;
  }

  std::vector<Statement> in_threads(Loop loop, const std::set<int>& shared) {
    Chain chain = chain_of(loop);
    size_t count = 0;
    while (count < chain.loops.size() && starts_at_zero(*chain.loops[count])) ++count;
    // All of them as one, if what they hold is combined over all of them; else those that are parallel.
    for (; count > 0; --count) {
      const Loop flat = collapsed(program_, std::span(chain.loops).first(count), extents_);
      bind(one({flat}));
      const bool innermost = std::ranges::none_of(
          flat.body, [](const Statement& s) { return std::holds_alternative<Loop>(s.node); });
      const std::map<int, Reduced> reduced = innermost ? reductions(flat) : std::map<int, Reduced>();
      std::set<int> but;
      for (const auto& [buffer, what] : reduced) but.insert(buffer);
      if (!is_parallel(program_, flat, shared, extents_, but, true)) continue;
      if (auto out = pushed(flat, reduced); !out.empty()) return out;
    }
    loop.body = inside(std::move(loop.body), shared);
    return one({std::move(loop)});
  }

  std::vector<Statement> pushed(const Loop& whole, const std::map<int, Reduced>& reduced) {
    const auto known = together_.find(whole.end.value());
    int64_t each = known != together_.end() ? known->second : 1;
    while (each > 1 && whole.end.value() / each < least_) each /= 2;
    const Loop loop = each > 1 ? split(whole, each) : whole;
    const int64_t n = loop.end.value(), factor = block_of(n, threads_), groups = (n + factor - 1) / factor;
    std::vector<Statement> out = push_inside(program_, loop, factor, LoopKind::kThread, extents_, reduced);
    for (Statement& s : out)
      if (auto* group = std::get_if<Loop>(&s.node);
          group != nullptr && group->kind == LoopKind::kSerial && groups * each <= options_.unrolled)
        group->kind = LoopKind::kUnrolled;
    bind(out);
    return out;
  }

  LoopProgram program_;
  const GpuOptions& options_;
  std::vector<int64_t> extents_;         // by variable
  int64_t threads_ = options_.threads;   // of a block
  int64_t least_ = options_.warp;        // of them that have elements before one has several together
  std::map<int64_t, int64_t> together_;  // neighbours of a thread, by iterations of a loop in the block
};

}  // namespace

GpuOptions gpu_options_for(const std::string& gpu) {
  const machine::Gpu named = machine::gpu_named(gpu);
  GpuOptions out;
  out.shared_bytes = named.limits.block_shared_bytes;
  out.blocks = named.limits.multiprocessors;
  out.warpgroups = named.warpgroups;
  return out;
}

LoopProgram schedule_for_gpu(LoopProgram program, const GpuOptions& options) {
  return GpuScheduling(std::move(program), options).run();
}

std::vector<Statement> in_threads_of_block(LoopProgram& program, Statement s,
                                           const std::vector<Statement>& beside, const GpuOptions& options) {
  GpuScheduling scheduling(std::move(program), options);
  std::vector<Statement> out = scheduling.of_block(std::move(s), beside);
  program = scheduling.take();
  return out;
}

}  // namespace isomer::codegen
