// A dot of one turn's row of an array and of something that no turn changes, computed for all rows before the
// loop: what a recurrent network makes of its inputs, as a product of two matrices instead of many of a
// vector. That all time steps' inputs can be multiplied at once is how Appleyard, Kocisky and Blunsom (2016)
// and cuDNN compute recurrent layers written by hand; here it is read off any loop that slices an array by
// whatever place (jax's scan does it by its counter). XLA moves out of loops what is the same in each turn
// alone. A loop that ends early has computed rows for nothing; what that costs is decided elsewhere.
#include <algorithm>

#include "passes/dots.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"
#include "passes/wider_loop.h"

namespace isomer::passes {
namespace {

using enum Opcode;

/// A dot in a body: which operand is a row, and what that is a row of.
struct RowDot {
  InstructionId dot, slice;
  size_t side = 0;
};

class RowDots {
 public:
  RowDots(const Site& s, const Loop& loop) : s_(s), loop_(loop), invariant_(invariants(s, loop)) {}

  void propose() {
    std::vector<RowDot> found;
    const hlo::Range all = s_.m[loop_.body].instructions;
    for (uint32_t i = 0; i < all.count; ++i) {
      const InstructionId id(all.first + i);
      if (!s_.is(id, kDot) || !may_be_replaced(s_.m, id) || !dot_dims(s_, id).left_batch.empty()) continue;
      for (const size_t side : {size_t{0}, size_t{1}}) {
        if (!is_invariant(s_.in(id, 1 - side)) || !is_row(s_.in(id, side)) ||
            is_too_large(id, s_.in(id, side)))
          continue;
        found.push_back({id, s_.in(s_.in(id, side), 0), side});
        break;
      }
    }
    if (found.empty()) return;
    Copies before = copies_before(s_, loop_);
    std::vector<Moved> moved;
    for (const RowDot& one : found) moved.push_back(for_all_rows(one, before));
    s_.graph.propose(loop_.at, wider_loop(s_, loop_, moved), "for-all-rows-before-the-loop");
  }

 private:
  bool is_invariant(InstructionId id) const { return invariant_[id.v - s_.m[loop_.body].instructions.first]; }

  /// The loop may take few of the rows: what is computed for all of them is to be no burden then.
  bool is_too_large(InstructionId dot, InstructionId row) const {
    constexpr double kTimes = 4, kSmall = 1 << 20;  // elements of all rows
    const InstructionId from = s_.in(s_.in(row, 0), 0);
    const double all = static_cast<double>(s_.dims(from)[0]) * static_cast<double>(s_.elements(dot));
    return all > std::max(kTimes * static_cast<double>(s_.elements(from)), kSmall);
  }

  /// A reshape that takes the first size, 1, off a slice of one whole row.
  bool is_row(InstructionId id) const {
    if (!s_.is(id, kReshape) || !s_.is(s_.in(id, 0), kDynamicSlice)) return false;
    const InstructionId slice = s_.in(id, 0), from = s_.in(slice, 0);
    Dims dims = s_.dims(from);
    if (s_.arity(slice) != 1 + dims.size()) return false;  // of the older form: starts in one array
    if (dims.size() < 2 || dims[0] < 2 || !is_invariant(from) || is_invariant(slice)) return false;
    for (size_t d = 1; d < dims.size(); ++d)
      if (!s_.is_all(s_.in(slice, 1 + d), 0)) return false;
    dims[0] = 1;
    if (s_.dims(slice) != dims) return false;
    dims.erase(dims.begin());
    return s_.dims(id) == dims;
  }

  Moved for_all_rows(const RowDot& one, Copies& before) {
    DotDims d = dot_dims(s_, one.dot);
    if (one.side == 1) std::swap(d.left_contracting, d.right_contracting);
    for (int64_t& dim : d.left_contracting) ++dim;
    const Primitive type = s_.element(one.dot);
    const auto precision = precision_of(s_, one.dot, one.side == 1);
    const InstructionId rows = before.of(s_.in(one.slice, 0)),
                        other = before.of(s_.in(one.dot, 1 - one.side));
    const InstructionId all = s_.w.dot(rows, other, d, type, precision);
    const auto use = [this, one, all](InstructionId part, Copies& body) {
      Dims sizes = s_.dims(all);
      sizes[0] = 1;
      std::vector<InstructionId> operands = {part, body.of(s_.in(one.slice, 1))};
      operands.resize(1 + sizes.size(), s_.w.constant(s_.element(operands[1]), 0));
      const InstructionId slice = s_.w.add(kDynamicSlice, s_.w.array(s_.element(all), sizes), operands,
                                           {{AttributeName::kDynamicSliceSizes, sizes}});
      return turned(one, s_.w.reshape(slice, DimsView(sizes).subspan(1)));
    };
    return {one.dot, all, use};
  }

  /// The row's dimensions came first; where it was the right operand they are last.
  InstructionId turned(const RowDot& one, InstructionId result) {
    const auto rows = static_cast<int64_t>(s_.rank(s_.in(one.dot, one.side)) -
                                           dot_dims(s_, one.dot).left_contracting.size());
    const auto rank = static_cast<int64_t>(s_.rank(result));
    if (one.side == 0 || rows == 0 || rows == rank) return result;
    Dims permutation;
    for (int64_t i = 0; i < rank; ++i) permutation.push_back((i + rows) % rank);
    return s_.w.transpose(result, permutation);
  }

  const Site& s_;
  const Loop& loop_;
  std::vector<bool> invariant_;
};

class DotsOfScans : public Pass {
 public:
  std::string_view name() const override { return "dots-of-scans"; }

  void propose(AlternativeGraph& graph) const override {
    each_loop(graph, [](const Site& s, const Loop& loop) { RowDots(s, loop).propose(); });
  }
};

}  // namespace

std::shared_ptr<const Pass> dots_of_scans() {
  static const auto kPass = std::make_shared<const DotsOfScans>();
  return kPass;
}

}  // namespace isomer::passes
