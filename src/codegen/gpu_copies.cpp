#include "codegen/gpu_copies.h"

#include <algorithm>

#include "codegen/make_loops.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

constexpr int64_t kPieceBytes = 16;

int64_t in_a_piece(ir::DType dtype) { return kPieceBytes / ir::byte_size(dtype, 1); }

}  // namespace

bool in_pieces(std::span<const int64_t> tile, ir::DType dtype) {
  const int64_t bytes = tile.empty() ? 0 : ir::byte_size(dtype, 1);
  return bytes > 0 && bytes <= kPieceBytes && tile.back() * bytes % kPieceBytes == 0;
}

std::vector<Statement> copies_of_tile(LoopProgram& program, const Access& from, const Access& to,
                                      std::span<const int64_t> tile, int64_t threads) {
  const ir::DType dtype = program.buffers[static_cast<size_t>(from.buffer)].dtype;
  const int64_t together = in_a_piece(dtype);
  // Dimensions of more than one piece.
  std::vector<size_t> dimensions;
  std::vector<ir::Size> pieces;
  int64_t count = 1;
  for (size_t d = 0; d < tile.size(); ++d) {
    const int64_t n = d + 1 == tile.size() ? tile[d] / together : tile[d];
    if (n == 1) continue;
    dimensions.push_back(d);
    pieces.emplace_back(n);
    count *= n;
  }
  const auto copied = [&](int64_t first, int64_t turns, int64_t by) {
    const int turn = add_variable(program, "n"), thread = add_variable(program, "t"),
              element = add_variable(program, "u");
    const IndexExpr number = IndexExpr::var(turn) * by + IndexExpr::var(thread) + first;
    const std::vector<IndexExpr> digits = ir::delinearize(number, pieces);
    std::vector<IndexExpr> at(tile.size(), IndexExpr(0));
    for (size_t i = 0; i < dimensions.size(); ++i) at[dimensions[i]] = digits[i];
    at.back() = at.back() * together + IndexExpr::var(element);
    Store s;
    s.target = to;
    s.reads = {from};
    s.value = read_program(meaning::sort_of(dtype), 0);
    for (size_t d = 0; d < at.size(); ++d) {
      s.target.index[d + 1] = s.target.index[d + 1] + at[d];
      s.reads[0].index[d] = s.reads[0].index[d] + at[d];
    }
    Statement piece{make_loop(element, 0, together, LoopKind::kCopied, one({std::move(s)}))};
    piece = {make_loop(thread, 0, by, LoopKind::kThread, one(std::move(piece)))};
    return Statement{make_loop(turn, 0, turns, LoopKind::kUnrolled, one(std::move(piece)))};
  };
  std::vector<Statement> out;
  const int64_t turns = count / threads;
  if (turns > 0) out.push_back(copied(0, turns, threads));
  if (count % threads != 0) out.push_back(copied(turns * threads, 1, count % threads));
  return out;
}

}  // namespace isomer::codegen
