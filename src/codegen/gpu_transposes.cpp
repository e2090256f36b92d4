#include "codegen/gpu_transposes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/collapse.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// A read that neighbours of the loop `along` share a line of memory in.
struct Turned {
  int read = -1;
  const Loop* along = nullptr;
};

class Squares {
 public:
  Squares(LoopProgram& program, const Chain& chain, Store store, std::span<const int64_t> extents,
          const GpuOptions& options)
      : program_(program), chain_(chain), store_(std::move(store)), extents_(extents), options_(options) {}

  std::vector<Statement> run() {
    const Loop& across = *chain_.loops.back();
    if (distance(store_.target, across) != 1 || loads(store_.target)) return {};
    std::vector<Turned> all;
    for (const int r : reads_of(store_))
      if (const Loop* along = line_of(store_.reads[static_cast<size_t>(r)])) all.push_back({r, along});
    // One square at a time: of all reads that lie along one loop.
    if (all.empty() || std::ranges::any_of(all, [&](const Turned& t) { return t.along != all[0].along; }))
      return {};
    const Loop& along = *all[0].along;
    if (across.end.value() < side_ / 2 || along.end.value() < side_ / 2) return {};
    return squares(across, along, all);
  }

 private:
  std::optional<int64_t> distance(const Access& a, const Loop& loop) const {
    return stride(program_, a, loop.variable, extents_);
  }
  /// Null where its neighbours are those of the innermost loop, or of none.
  const Loop* line_of(const Access& a) const {
    if (loads(a) || program_.buffers[static_cast<size_t>(a.buffer)].memory == Memory::kPrivate)
      return nullptr;
    const auto own = distance(a, *chain_.loops.back());
    if (!own || *own == 0 || *own == 1) return nullptr;
    for (const Loop* l : chain_.loops)
      if (l != chain_.loops.back() && distance(a, *l) == 1) return l;
    return nullptr;
  }

  int variable(const char* name) { return add_variable(program_, name); }
  /// The store at these numbers of the two loops, where they are some.
  Store at(Store s, const Loop& across, const IndexExpr& a, const Loop& along, const IndexExpr& b,
           bool guards_target) const {
    for (const auto& [number, loop] : {std::pair(&a, &across), std::pair(&b, &along)})
      put_digits(s, std::array<const Loop*, 1>{loop}, *number);
    for (const auto& [number, loop] : {std::pair(&a, &across), std::pair(&b, &along)}) {
      const int64_t end = loop->end.value();
      if (end % side_ == 0) continue;
      if (guards_target) s.target.bounds.push_back({*number, end});
      for (const int r : reads_of(s))
        if (Access& read = s.reads[static_cast<size_t>(r)];
            program_.buffers[static_cast<size_t>(read.buffer)].memory != Memory::kPrivate)
          read.bounds.push_back({*number, end});
    }
    return s;
  }

  std::vector<Statement> squares(const Loop& across, const Loop& along, const std::vector<Turned>& all) {
    int64_t height = std::max<int64_t>(1, std::min(options_.threads / side_, side_));
    while (side_ % height != 0) --height;
    const int64_t turns = side_ / height;
    const int a0 = variable("a0"), b0 = variable("b0"), turn = variable("n"), high = variable("t"),
              low = variable("t");
    const IndexExpr first = IndexExpr::var(a0) * side_, second = IndexExpr::var(b0) * side_;
    const IndexExpr row = IndexExpr::var(turn) * height + IndexExpr::var(high), column = IndexExpr::var(low);
    const auto over = [&](Store s) {
      std::vector<Statement> body = one({std::move(s)});
      body = one({make_loop(low, 0, side_, LoopKind::kThread, std::move(body))});
      body = one({make_loop(high, 0, height, LoopKind::kThread, std::move(body))});
      return Statement{make_loop(turn, 0, turns, LoopKind::kUnrolled, std::move(body))};
    };
    std::vector<Statement> body;
    Store last = store_;
    for (const Turned& t : all) {
      const Access& read = store_.reads[static_cast<size_t>(t.read)];
      const ir::DType dtype = program_.buffers[static_cast<size_t>(read.buffer)].dtype;
      Store load;
      load.target.buffer = add_private(program_, "square", dtype, {side_, side_ + 1});
      load.target.index = {row, column};
      load.reads = {read};
      load.value = read_program(meaning::sort_of(dtype), 0);
      Access& from = last.reads[static_cast<size_t>(t.read)];
      from = load.target;
      from.index = {column, row};
      body.push_back(over(at(std::move(load), across, first + row, along, second + column, false)));
    }
    body.push_back(over(at(std::move(last), across, first + column, along, second + row, true)));
    const auto blocks = [&](int variable, int64_t count) {
      body = one({make_loop(variable, 0, count, LoopKind::kParallel, std::move(body))});
    };
    blocks(a0, (across.end.value() + side_ - 1) / side_);
    blocks(b0, (along.end.value() + side_ - 1) / side_);
    for (size_t i = chain_.loops.size() - 1; i-- > 0;)
      if (const Loop& l = *chain_.loops[i]; &l != &along) blocks(l.variable, l.end.value());
    return body;
  }

  LoopProgram& program_;
  const Chain& chain_;
  const Store store_;
  const std::span<const int64_t> extents_;
  const GpuOptions& options_;
  const int64_t side_ = std::min<int64_t>(options_.warp, kWarp);
};

}  // namespace

std::vector<Statement> turned_in_squares(LoopProgram& program, const Loop& top, size_t parallel,
                                         std::span<const int64_t> extents, const GpuOptions& options) {
  const Chain chain = chain_of(top);
  if (chain.loops.size() != parallel || chain.inner().size() != 1) return {};
  const auto* store = std::get_if<Store>(&chain.inner()[0].node);
  if (store == nullptr || store->combine) return {};
  if (!std::ranges::all_of(chain.loops, [](const Loop* l) { return starts_at_zero(*l); })) return {};
  return Squares(program, chain, *store, extents, options).run();
}

}  // namespace isomer::codegen
