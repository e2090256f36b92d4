#include "codegen/gpu_block_tensor.h"

#include <algorithm>
#include <span>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/collapse.h"
#include "codegen/gpu_block_tile.h"
#include "codegen/gpu_fragments.h"
#include "codegen/make_loops.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

constexpr int64_t kRows = kFragmentRows, kColumns = kFragmentColumns, kSteps = kFragmentSteps;

int64_t pieces(const std::vector<const Loop*>& loops, int64_t each) {
  return (iterations(loops) + each - 1) / each;
}

/// Whether neighbours of the loops, else of the reduction, lie together in rows of 16 bytes.
enum class Lie : uint8_t { kNot, kAlong, kInStep };

class TensorProduct : BlockTile {
 public:
  using BlockTile::BlockTile;

  std::optional<BlockSteps> run(bool later) {
    const Lie left = lie(product_.left, product_.rows), right = lie(product_.right, product_.columns);
    if (left == Lie::kNot || right == Lie::kNot || iterations(product_.reduce) % kSteps != 0)
      return std::nullopt;
    const int64_t rows = pieces(product_.rows, kRows), columns = pieces(product_.columns, kColumns);
    // What is beyond the end cannot be filled up in the middle of a row.
    if (left == Lie::kAlong && rows * kRows != iterations(product_.rows)) return std::nullopt;
    if (right == Lie::kAlong && columns * kColumns != iterations(product_.columns)) return std::nullopt;
    if (!share(rows, columns, later)) return std::nullopt;
    // Pieces are loaded by four: two columns of them, or where there is one only, two steps.
    two_steps_ = right == Lie::kAlong && each_columns_ % 2 != 0;
    if (two_steps_ && each_steps_ % 2 != 0) return std::nullopt;
    name(rows, columns);
    return steps(one(multiply()), later);
  }

 private:
  Lie lie(int read, const std::vector<const Loop*>& axis) const {
    const Access& a = product_.combine->reads[static_cast<size_t>(read)];
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    if (!a.bounds.empty() || b.sizes.empty()) return Lie::kNot;
    const std::vector<int64_t> extents = extents_of_product();
    Lie out = Lie::kNot;
    if (stride(program_, a, product_.reduce.back()->variable, extents) == 1 && product_.reduce.size() == 1)
      out = Lie::kInStep;
    else if (axis.size() == 1 && stride(program_, a, axis.back()->variable, extents) == 1)
      out = Lie::kAlong;
    if (out == Lie::kNot || b.sizes.back() % kSquare != 0) return Lie::kNot;
    // Nothing else is added to where a row begins.
    const IndexExpr& last = a.index.back();
    return is_variable(last, (out == Lie::kInStep ? product_.reduce : axis).back()->variable) ? out
                                                                                              : Lie::kNot;
  }
  std::vector<int64_t> extents_of_product() const {
    std::vector<int64_t> out(program_.variables.size(), 0);
    for (const auto* loops : {&product_.batch, &product_.rows, &product_.columns, &product_.reduce})
      for (const Loop* l : *loops) out[static_cast<size_t>(l->variable)] = l->end.value();
    return out;
  }

  /// Warps, by rows, columns and parts of the reduction; pieces of each. Parts only where they meet once.
  bool share(int64_t rows, int64_t columns, bool later) {
    const int64_t most = options_.threads / kWarp, depth = iterations(product_.reduce) / kSteps;
    const auto halved = [](int64_t n, int64_t of) { return n % (of * 2) == 0; };
    while (warp_rows_ * 2 <= most && halved(rows, warp_rows_)) warp_rows_ *= 2;
    while (warp_rows_ * warp_columns_ * 2 <= most && halved(columns, warp_columns_)) warp_columns_ *= 2;
    const bool odd = columns / warp_columns_ % 2 != 0;
    while (later && warp_rows_ * warp_columns_ * parts_ * 2 <= most && halved(depth, parts_ * (odd ? 2 : 1)))
      parts_ *= 2;
    each_rows_ = rows / warp_rows_;
    each_columns_ = columns / warp_columns_;
    each_steps_ = depth / parts_;
    constexpr int64_t kMostSums = 128, kSumsOfPiece = 4;
    return iterations(product_.batch) * each_rows_ * each_columns_ * kSumsOfPiece <= kMostSums;
  }

  void name(int64_t rows, int64_t columns) {
    split_ = variable("wk"), wr_ = variable("wr"), wc_ = variable("wc");
    lr_ = variable("lr"), lc_ = variable("lc");
    mi_ = variable("m"), ni_ = variable("n");
    const int high = variable("e"), low = variable("e");
    for (const Loop* l : product_.batch) batch_.emplace_back(l->variable, l->end.value());
    elements_ = batch_;
    elements_.insert(elements_.end(), {{mi_, each_rows_}, {high, 2}, {ni_, each_columns_}, {low, 2}});
    threads_ = {
        {split_, parts_}, {wr_, warp_rows_}, {wc_, warp_columns_}, {lr_, kLaneRows}, {lc_, kLaneColumns}};
    rows_there_ = rows * kRows;
    columns_there_ = columns * kColumns;
    row_ = row(IndexExpr::var(mi_), row_of_sum(IndexExpr::var(high), IndexExpr::var(lr_)));
    column_ = column(IndexExpr::var(ni_), column_of_sum(IndexExpr::var(low), IndexExpr::var(lc_)));
    sums_ = own_buffer("sums", ir::DType::kF32, elements_);
  }
  IndexExpr row(const IndexExpr& piece, const IndexExpr& in_piece) const {
    return (IndexExpr::var(wr_) * each_rows_ + piece) * kRows + in_piece;
  }
  IndexExpr column(const IndexExpr& piece, const IndexExpr& in_piece) const {
    return (IndexExpr::var(wc_) * each_columns_ + piece) * kColumns + in_piece;
  }

  /// Three loops of what warps do together.
  Statement by_warps(std::span<const std::pair<int, int64_t>> together, Store s) const {
    const std::pair<int, int64_t> warps[] = {{split_, parts_}, {wr_, warp_rows_}, {wc_, warp_columns_}};
    return loops_around(warps, LoopKind::kThread, loops_around(together, LoopKind::kTensor, {std::move(s)}));
  }
  std::vector<IndexExpr> with_threads(std::vector<IndexExpr> index, const Fragment& f) const {
    for (const int v : {split_, wr_, wc_}) index.push_back(IndexExpr::var(v));
    index.push_back(f.lane_row);
    index.push_back(f.lane_column);
    return index;
  }
  Access of_left(int held, const Fragment& f) const {
    return access_of(held, with_threads({IndexExpr::var(mi_), f.step_half, f.row_half, f.of_pair}, f));
  }
  /// `half`: of the squares along the steps.
  Access of_right(int held, const IndexExpr& piece, const IndexExpr& half, const Fragment& f) const {
    return access_of(held, with_threads({piece, half, f.of_pair}, f));
  }

  /// Four squares of an operand, whose element is that of these numbers.
  Statement load(int read, Access held, const std::vector<const Loop*>& axis, IndexExpr number,
                 const IndexExpr& in_step, std::span<const std::pair<int, int64_t>> moved) const {
    const int64_t count = iterations(axis);
    const bool in_pairs = read == product_.right && !two_steps_ && each_columns_ % 2 != 0;
    const bool beyond = (read == product_.left ? rows_there_ : columns_there_) != count || in_pairs;
    if (beyond) number = min(number, count - 1);
    Store s;
    s.target = std::move(held);
    s.reads = {product_.combine->reads[static_cast<size_t>(read)]};
    s.value = read_program(meaning::Sort::kNumber, 0);
    put_digits(s, axis, number);
    put_digits(s, product_.reduce, in_step);
    return by_warps(moved, std::move(s));
  }

  Statement load_left(int held, const IndexExpr& begin) {
    const FourSquares s = four_squares(program_);
    const IndexExpr in_piece = s.square.mod(2) * kSquare + s.row,
                    step = s.square.floor_div(2) * kSquare + s.column;
    Statement moved = load(product_.left, of_left(held, left_fragment(in_piece, step)), product_.rows,
                           row(IndexExpr::var(mi_), in_piece), begin + step, s.loops);
    return {make_loop(mi_, 0, each_rows_, LoopKind::kUnrolled, one(std::move(moved)))};
  }
  /// Two columns of squares at a time, of an odd number the last one twice; or one column of two steps.
  Statement load_right(int held, const IndexExpr& begin) {
    const int number = variable("n");
    const FourSquares s = four_squares(program_);
    const IndexExpr v = IndexExpr::var(number), n = two_steps_ ? v : v * 2 + s.square.floor_div(2),
                    half = two_steps_ ? s.square : s.square.mod(2);
    Statement moved = load(product_.right, of_right(held, n, half, right_fragment(s.row, s.column)),
                           product_.columns, column(n, s.row), begin + half * kSquare + s.column, s.loops);
    const int64_t count = two_steps_ ? each_columns_ : (each_columns_ + 1) / 2;
    return {make_loop(number, 0, count, LoopKind::kUnrolled, one(std::move(moved)))};
  }

  /// One instruction's product, of what is held; `half`: which of the steps that are.
  Store product(int left, int right, const IndexExpr& half, std::span<const int> variables) const {
    const IndexExpr vm = IndexExpr::var(variables[0]), vn = IndexExpr::var(variables[1]),
                    vk = IndexExpr::var(variables[2]);
    Store s = *product_.combine;
    s.places.clear();  // named by nothing
    std::vector<IndexExpr> sum;
    for (const auto& [v, end] : batch_) sum.push_back(IndexExpr::var(v));
    const Fragment f = sum_fragment(vm, vn), of_step = right_fragment(vn, vk);
    for (const IndexExpr& i : {IndexExpr::var(mi_), f.row_half, IndexExpr::var(ni_), f.of_pair})
      sum.push_back(i);
    s.target = access_of(sums_, with_threads(std::move(sum), f));
    s.reads[static_cast<size_t>(product_.left)] = of_left(left, left_fragment(vm, vk));
    s.reads[static_cast<size_t>(product_.right)] =
        of_right(right, IndexExpr::var(ni_), half * 2 + of_step.step_half, of_step);
    return s;
  }

  Statement multiply() {
    const Access& left = product_.combine->reads[static_cast<size_t>(product_.left)];
    const ir::DType dtype = program_.buffers[static_cast<size_t>(left.buffer)].dtype;
    const int64_t columns = two_steps_ ? each_columns_ : (each_columns_ + 1) / 2 * 2,
                  together = two_steps_ ? 2 : 1;
    const int left_held = own_buffer("held", dtype, {{0, each_rows_}, {0, 2}, {0, 2}, {0, 2}}),
              right_held = own_buffer("held", dtype, {{0, columns}, {0, 2 * together}, {0, 2}});
    const int step = variable("k"), half = variable("h");
    const int piece[] = {variable("i"), variable("j"), variable("l")};
    const std::pair<int, int64_t> instruction[] = {
        {piece[0], kRows}, {piece[1], kColumns}, {piece[2], kSteps}};
    const std::pair<int, int64_t> all[] = {{mi_, each_rows_}, {ni_, each_columns_}};
    const IndexExpr begin = (IndexExpr::var(split_) * each_steps_ + IndexExpr::var(step) * together) * kSteps;
    std::vector<Statement> body;
    body.push_back(load_left(left_held, begin + IndexExpr::var(half) * kSteps));
    body.push_back(
        loops_around(all, LoopKind::kUnrolled,
                     by_warps(instruction, product(left_held, right_held, IndexExpr::var(half), piece))));
    std::vector<Statement> steps = one(load_right(right_held, begin));
    steps.push_back({make_loop(half, 0, together, LoopKind::kUnrolled, std::move(body))});
    return loops_around(batch_, LoopKind::kUnrolled,
                        {make_loop(step, 0, each_steps_ / together, LoopKind::kUnrolled, std::move(steps))});
  }

  Loops batch_;
  int64_t warp_rows_ = 1, warp_columns_ = 1, each_rows_ = 0, each_columns_ = 0, each_steps_ = 0;
  bool two_steps_ = false;
  int wr_ = -1, wc_ = -1, lr_ = -1, lc_ = -1, mi_ = -1, ni_ = -1;
};

/// Rows for columns.
Product turned(Product p) {
  std::swap(p.rows, p.columns);
  std::swap(p.left, p.right);
  return p;
}

/// What instructions multiply, with what is filled up.
int64_t filled(const Product& p) {
  return pieces(p.rows, kRows) * kRows * pieces(p.columns, kColumns) * kColumns;
}

}  // namespace

std::optional<BlockSteps> block_product_by_tensor_cores(LoopProgram& program, const Product& product,
                                                        const std::set<int>& in_shared, bool later,
                                                        const GpuOptions& options) {
  const Store& s = *product.combine;
  for (const int r : {product.left, product.right}) {
    const int b = s.reads[static_cast<size_t>(r)].buffer;
    const Buffer& buffer = program.buffers[static_cast<size_t>(b)];
    if (!in_shared.contains(b) && buffer.memory != Memory::kScratch) return std::nullopt;
  }
  if (!options.tensor_cores || !is_of_halves(program, product)) return std::nullopt;
  // What a scratch tile needs to be read in rows of 16 bytes costs nothing where it is not.
  const LoopProgram as_it_was = program;
  for (const int r : {product.left, product.right}) {
    Buffer& b = program.buffers[static_cast<size_t>(s.reads[static_cast<size_t>(r)].buffer)];
    if (b.memory == Memory::kScratch) b.sizes = spread_over_banks(b.sizes, b.dtype);
  }
  Product first = product, second = turned(product);
  if (filled(second) < filled(first)) std::swap(first, second);
  for (const Product* p : {&first, &second})
    if (auto steps = TensorProduct(program, *p, options).run(later)) return steps;
  program = as_it_was;
  return std::nullopt;
}

}  // namespace isomer::codegen
