// Reductions. Axes are an attribute up to opset 17 (12 for sums), an input afterwards; none means all.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "formats/onnx_spell.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

struct Reduction {
  const char* op;
  const char* node;
  int64_t last_attr;  ///< last opset with axes as an attribute
};

constexpr std::array<Reduction, 10> kReductions = {{
    {"reduce_sum", "ReduceSum", 12},
    {"reduce_mean", "ReduceMean", 17},
    {"reduce_max", "ReduceMax", 17},
    {"reduce_min", "ReduceMin", 17},
    {"reduce_prod", "ReduceProd", 17},
    {"reduce_l1", "ReduceL1", 17},
    {"reduce_l2", "ReduceL2", 17},
    {"reduce_sum_square", "ReduceSumSquare", 17},
    {"reduce_log_sum", "ReduceLogSum", 17},
    {"reduce_log_sum_exp", "ReduceLogSumExp", 17},
}};

template <size_t kIndex>
ValueId read_reduction(NodeReader& r) {
  const Reduction& row = kReductions[kIndex];
  std::vector<int64_t> axes = r.ints_attr_or_input("axes", 1, row.last_attr).value_or(std::vector<int64_t>());
  const int64_t keepdims = r.i("keepdims", 1) != 0;
  const int64_t rank = r.rank(0);
  if (axes.empty() && r.i("noop_with_empty_axes", 0) != 0) return r.fail("it does nothing");
  r.i("noop_with_empty_axes", 0);
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (int64_t& a : axes) a = r.axis(a, rank);
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) return r.fail("an axis comes twice");
  return r.add(row.op, {r.in(0)}, {{"axes", axes}, {"keepdims", keepdims}});
}

template <size_t kIndex>
void write_reduction(NodeWriter& w) {
  onnx::NodeProto& node = w.node(kReductions[kIndex].node, w.ins());
  w.ints_attr_or_input(node, "axes", w.op().ints("axes"), kReductions[kIndex].last_attr);
  set(node, "keepdims", w.op().i("keepdims"));
}

/// Without axes ONNX reduces over all of them.
bool can_reduce(const ir::OpInstance& op, int64_t) {
  return !op.ints("axes").empty() || (op.type(0).is_ranked_tensor() && op.in_shape(0).empty());
}

template <size_t... kIndex>
void enter(Spellings& t, std::index_sequence<kIndex...>) {
  (t.reads(kReductions[kIndex].node, read_reduction<kIndex>), ...);
  (t.writes(kReductions[kIndex].op, {write_reduction<kIndex>, can_reduce}), ...);
}

}  // namespace

void spell_reduction(Spellings& t) { enter(t, std::make_index_sequence<kReductions.size()>()); }

}  // namespace isomer::formats
