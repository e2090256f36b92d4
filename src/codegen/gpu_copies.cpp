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
  std::vector<ir::Size> pieces(tile.begin(), tile.end());
  pieces.back() = tile.back() / together;
  int64_t count = 1;
  for (const ir::Size& n : pieces) count *= n.number();
  const auto copied = [&](int64_t first, int64_t turns, int64_t by) {
    const int turn = add_variable(program, "n"), thread = add_variable(program, "t"),
              element = add_variable(program, "u");
    const IndexExpr number = IndexExpr::var(turn) * by + IndexExpr::var(thread) + first;
    std::vector<IndexExpr> at = ir::delinearize(number, pieces);
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
