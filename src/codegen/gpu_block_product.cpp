#include "codegen/gpu_block_product.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/collapse.h"
#include "codegen/gpu_block_tensor.h"
#include "codegen/gpu_block_tile.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Of a thread: rows and columns; and parts of the reduction.
struct ThreadShare {
  int64_t rows = 1, columns = 1, parts = 1;
};

class ThreadProduct : BlockTile {
 public:
  using BlockTile::BlockTile;

  std::optional<BlockSteps> run(bool later) {
    const int64_t rows = iterations(product_.rows), columns = iterations(product_.columns);
    const auto share = best(rows, columns, iterations(product_.reduce));
    if (!share) return std::nullopt;
    depth_ = iterations(product_.reduce) / share->parts;
    high_ = variable("u"), low_ = variable("v");
    split_ = variable("tp");
    const int tr = variable("tr"), tc = variable("tc");
    for (const Loop* l : product_.batch) elements_.emplace_back(l->variable, l->end.value());
    elements_.insert(elements_.end(), {{high_, share->rows}, {low_, share->columns}});
    threads_ = {{split_, share->parts}, {tr, rows / share->rows}, {tc, columns / share->columns}};
    parts_ = share->parts;
    rows_there_ = rows;
    columns_there_ = columns;
    row_ = IndexExpr::var(tr) * share->rows + IndexExpr::var(high_);
    column_ = IndexExpr::var(tc) * share->columns + IndexExpr::var(low_);
    sums_ = own_buffer("sums", program_.buffers[static_cast<size_t>(product_.combine->target.buffer)].dtype,
                       elements_);
    return steps(one(multiply(*share)), later);
  }

 private:
  /// By the loads and products of a thread, and what it costs that parts meet.
  static double time_of(const ThreadShare& share, int64_t depth) {
    constexpr double kLoad = 2, kMeeting = 4;
    const int64_t steps = depth / share.parts, sums = share.rows * share.columns;
    const double each = static_cast<double>(sums) + static_cast<double>(share.rows + share.columns) * kLoad;
    const int64_t met = share.parts > 1 ? sums + share.parts : 0;
    return static_cast<double>(steps) * each + kMeeting * static_cast<double>(met);
  }
  std::optional<ThreadShare> best(int64_t rows, int64_t columns, int64_t depth) const {
    constexpr int64_t kMostRows = 8, kMostColumns = 4, kMostParts = 32, kMostSums = 64;
    const int64_t batch = iterations(product_.batch);
    std::optional<ThreadShare> out;
    double least = std::numeric_limits<double>::infinity();
    for (int64_t r = 1; r <= kMostRows; r *= 2)
      for (int64_t c = 1; c <= kMostColumns; c *= 2)
        for (int64_t p = 1; p <= kMostParts; p *= 2) {
          if (rows % r != 0 || columns % c != 0 || depth % p != 0 || batch * r * c > kMostSums) continue;
          if (rows / r * (columns / c) * p > options_.threads) continue;
          const double time = time_of({r, c, p}, depth);
          if (time >= least) continue;
          least = time;
          out = ThreadShare{r, c, p};
        }
    return out;
  }

  /// Elements of less than 32 bits are widened on the way.
  ir::DType wide(int read) const {
    const Access& a = product_.combine->reads[static_cast<size_t>(read)];
    const ir::DType is = program_.buffers[static_cast<size_t>(a.buffer)].dtype;
    return ir::is_float(is) && ir::bit_width(is) < 64 ? ir::DType::kF32 : is;
  }

  /// An operand's elements of a step, in registers.
  Statement held(int read, const Loops& elements, const IndexExpr& number, Store& product) {
    const Access& from = product_.combine->reads[static_cast<size_t>(read)];
    Store s;
    std::vector<IndexExpr> index;
    for (const Loops* loops : {&elements, &std::as_const(threads_)})
      for (const auto& [v, end] : *loops) index.push_back(IndexExpr::var(v));
    s.target = access_of(own_buffer("held", wide(read), elements), std::move(index));
    product.reads[static_cast<size_t>(read)] = s.target;
    s.reads = {from};
    s.value = read_program(meaning::sort_of(program_.buffers[static_cast<size_t>(from.buffer)].dtype), 0);
    s = at_element(std::move(s), row_, column_);
    put_digits(s, product_.reduce, number);
    return loops_around(elements, LoopKind::kUnrolled, in_threads(std::move(s)));
  }

  Statement multiply(const ThreadShare& share) {
    constexpr int64_t kUnrolled = 8;
    int64_t together = kUnrolled;
    while (depth_ % together != 0) together /= 2;
    const int step = variable("k0"), in_step = variable("k");
    const IndexExpr number =
        IndexExpr::var(split_) * depth_ + IndexExpr::var(step) * together + IndexExpr::var(in_step);
    Store product = *product_.combine;
    product.target = access_of(sums_, own_index());
    product.places.clear();  // named by nothing
    std::vector<Statement> body;
    body.push_back(held(product_.left, {{high_, share.rows}}, number, product));
    body.push_back(held(product_.right, {{low_, share.columns}}, number, product));
    const std::pair<int, int64_t> own[] = {{high_, share.rows}, {low_, share.columns}};
    body.push_back(loops_around(own, LoopKind::kUnrolled, in_threads(std::move(product))));
    body = one({make_loop(in_step, 0, together, LoopKind::kUnrolled, std::move(body))});
    Statement out{make_loop(step, 0, depth_ / together, LoopKind::kSerial, std::move(body))};
    Loops batch;
    for (const Loop* l : product_.batch) batch.emplace_back(l->variable, l->end.value());
    return loops_around(batch, LoopKind::kUnrolled, std::move(out));
  }

  int high_ = -1, low_ = -1;
  int64_t depth_ = 0;
};

}  // namespace

std::optional<BlockSteps> block_product(LoopProgram& program, const Loop& top, const std::set<int>& in_shared,
                                        bool later, const GpuOptions& options) {
  const auto product = product_of(program, top, chain_of(top).loops.size(), true);
  if (!product) return std::nullopt;
  if (auto steps = block_product_by_tensor_cores(program, *product, in_shared, later, options)) return steps;
  return ThreadProduct(program, *product, options).run(later);
}

}  // namespace isomer::codegen
