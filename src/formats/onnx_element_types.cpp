// The rows are the type constraints of ONNX's schemas, versions 7 to 28, for the types that the operator
// table computes in.
#include "formats/onnx_element_types.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace isomer::formats {
namespace {

using ir::DType;

constexpr uint32_t bit(DType dtype) { return uint32_t{1} << static_cast<int>(dtype); }
constexpr uint32_t kFloats = bit(DType::kF16) | bit(DType::kF32) | bit(DType::kF64);
constexpr uint32_t kBFloat = kFloats | bit(DType::kBF16);
constexpr uint32_t kWide = bit(DType::kI32) | bit(DType::kI64) | bit(DType::kU32) | bit(DType::kU64);
constexpr uint32_t kBytes = bit(DType::kI8) | bit(DType::kU8);
constexpr uint32_t kInts = kWide | kBytes | bit(DType::kI16) | bit(DType::kU16);
constexpr uint32_t kUnsigned = bit(DType::kU8) | bit(DType::kU16) | bit(DType::kU32) | bit(DType::kU64);
constexpr uint32_t kSigned = kInts & ~kUnsigned;
constexpr uint32_t kBool = bit(DType::kBool);
constexpr uint32_t kAll = kBFloat | kInts | kBool;
constexpr uint32_t kNarrow = ~kAll;

/// From operator set `since` on.
struct Row {
  int64_t since;
  uint32_t types;
};
using Rows = std::vector<Row>;

const std::unordered_map<std::string_view, Rows>& table() {
  static const std::unordered_map<std::string_view, Rows> rows = [] {
    std::unordered_map<std::string_view, Rows> t;
    for (const char* op : {"exp", "log", "sqrt", "tanh", "floor", "ceil", "reciprocal", "sigmoid", "is_nan",
                           "lrn", "softmax", "log_softmax"})
      t[op] = {{7, kFloats}, {13, kBFloat}};
    for (const char* op : {"round",
                           "sin",
                           "cos",
                           "tan",
                           "asin",
                           "acos",
                           "atan",
                           "sinh",
                           "cosh",
                           "asinh",
                           "acosh",
                           "atanh",
                           "softplus",
                           "softsign",
                           "mish",
                           "hard_swish",
                           "elu",
                           "selu",
                           "thresholded_relu",
                           "hard_sigmoid",
                           "conv",
                           "conv_transpose",
                           "avg_pool",
                           "global_avg_pool",
                           "global_max_pool",
                           "instance_norm"})
      t[op] = {{7, kFloats}, {22, kBFloat}};
    for (const char* op : {"silu", "gelu", "layer_norm", "rms_norm"}) t[op] = {{7, kBFloat}};
    for (const char* op : {"add", "sub", "mul", "div"})
      t[op] = {{7, kFloats | kWide}, {13, kBFloat | kWide}, {14, kBFloat | kInts}};
    for (const char* op : {"less", "greater"})
      t[op] = {{7, kFloats}, {9, kFloats | kInts}, {13, kBFloat | kInts}};
    for (const char* op : {"less_equal", "greater_equal"})
      t[op] = {{12, kFloats | kInts}, {16, kBFloat | kInts}};
    for (const char* op : {"min", "max", "clip"})
      t[op] = {{7, kFloats}, {12, kFloats | kInts}, {13, kBFloat | kInts}};
    for (const char* op : {"abs", "sign", "mod"}) t[op] = {{7, kFloats | kInts}, {13, kBFloat | kInts}};
    for (const char* op : {"matmul", "gemm"})
      t[op] = {{7, kFloats}, {9, kFloats | kWide}, {13, kBFloat | kWide}};
    for (const char* op : {"reduce_sum", "reduce_mean", "reduce_prod", "reduce_l1", "reduce_l2",
                           "reduce_sum_square", "reduce_log_sum", "reduce_log_sum_exp"})
      t[op] = {{7, kFloats | kWide}, {13, kBFloat | kWide}};
    for (const char* op : {"reduce_max", "reduce_min"})
      t[op] = {{7, kFloats | kWide}, {12, kFloats | kWide | kBytes}, {13, kBFloat | kWide | kBytes}};
    for (const char* op : {"broadcast", "concat", "split", "slice", "gather", "tile", "depth_to_space",
                           "space_to_depth", "cast"})
      t[op] = {{7, kAll & ~bit(DType::kBF16)}, {13, kAll}};
    for (const char* op : {"reshape", "squeeze", "unsqueeze", "transpose"})
      t[op] = {{7, kAll & ~bit(DType::kBF16)}, {13, kAll}, {21, kAll | kNarrow}};
    t["where"] = {{9, kAll & ~bit(DType::kBF16)}, {16, kAll}};
    t["trilu"] = {{14, kAll}};
    t["pad"] = {{7, kFloats}, {11, kFloats | kInts}, {13, kAll}};
    t["sum"] = {{7, kFloats}, {13, kBFloat}};
    t["attention"] = t["rotary_embedding"] = {{23, kBFloat}};
    t["upsample"] = {{11, kFloats | bit(DType::kI32) | bit(DType::kI8) | bit(DType::kU8)}};
    t["erf"] = {{9, kFloats}, {13, kBFloat}};
    t["neg"] = {{7, kFloats | kSigned}, {13, kBFloat | kSigned}};
    t["relu"] = {{7, kFloats}, {13, kBFloat}, {14, kBFloat | kSigned}};
    t["leaky_relu"] = {{7, kFloats}, {16, kBFloat}};
    t["prelu"] = {{7, kFloats}, {9, kFloats | kWide}, {16, kBFloat | kWide}};
    t["celu"] = {{12, bit(DType::kF32)}, {28, kBFloat}};
    t["pow"] = {{7, kFloats},
                {12, kFloats | bit(DType::kI32) | bit(DType::kI64)},
                {13, kBFloat | bit(DType::kI32) | bit(DType::kI64)}};
    t["equal"] = {
        {7, kBool | bit(DType::kI32) | bit(DType::kI64)}, {11, kAll & ~bit(DType::kBF16)}, {13, kAll}};
    t["is_inf"] = {{10, bit(DType::kF32) | bit(DType::kF64)}, {20, kBFloat}};
    t["max_pool"] = {{7, kFloats}, {12, kFloats | kBytes}, {22, kBFloat | kBytes}};
    t["batch_norm"] = {{7, kFloats}, {14, kBFloat}};
    return t;
  }();
  return rows;
}

}  // namespace

bool takes_element_type(const ir::OpInstance& op, int64_t opset) {
  const auto found = table().find(op.op.name);
  const size_t data = op.op.name == "where" ? 1 : 0;
  if (found == table().end() || op.inputs.size() <= data || !op.type(data).is_tensor()) return true;
  uint32_t types = 0;
  for (const Row& row : found->second)
    if (row.since <= opset) types = row.types;
  return (types & bit(op.in_dtype(data))) != 0;
}

}  // namespace isomer::formats
