#include "cost/anchor.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace isomer::cost {
namespace {

constexpr double kStart = 0.005;
constexpr double kFlopsPerMs = 8e9;
constexpr double kBytesPerMs = 3e8;

double time(double flops, double bytes) {
  return kStart + std::max(flops / kFlopsPerMs, bytes / kBytesPerMs);
}

double elements(const ir::Type& type) { return static_cast<double>(ir::element_count(type.shape)); }

double operand_elements(const ir::OpInstance& op) {
  double sum = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) sum += elements(op.type(i));
  return sum;
}

double size(const ir::Shape& shape, size_t axis) { return static_cast<double>(shape[axis].size()); }

using Formula = double (*)(const NodeCostQuery&);

double convolution(const NodeCostQuery& q) {
  const ir::Shape& w = q.op.in_shape(1);  // [out channels, channels per group, kh, kw]
  const double outputs = elements(q.op.out_type());
  return time(2 * outputs * size(w, 1) * size(w, 2) * size(w, 3), 4 * (operand_elements(q.op) + outputs));
}
double matmul(const NodeCostQuery& q) {
  const double outputs = elements(q.op.out_type());
  const ir::Shape& a = q.op.in_shape(0);
  return time(2 * outputs * size(a, a.size() - 1), 4 * (operand_elements(q.op) + outputs));
}
double pool(const NodeCostQuery& q) {
  const double outputs = elements(q.op.out_type());
  const double kernel = static_cast<double>(q.op.i("kernel_h") * q.op.i("kernel_w"));
  return time(outputs * kernel, 4 * (operand_elements(q.op) + outputs));
}
double binary(const NodeCostQuery& q) {
  const double outputs = elements(q.op.out_type());
  return time(outputs, 4 * (operand_elements(q.op) + outputs));
}
double unary(const NodeCostQuery& q) {
  const double outputs = elements(q.op.out_type());
  return time(outputs, 8 * outputs);
}
double batch_norm(const NodeCostQuery& q) {
  const double outputs = elements(q.op.out_type());
  return time(2 * outputs, 8 * outputs);
}
double enlarge(const NodeCostQuery& q) {
  return time(0, 4 * (elements(q.op.type(0)) + elements(q.op.out_type())));
}
double concat(const NodeCostQuery& q) {
  return q.operands_are_weights ? 0 : kStart + 8 * operand_elements(q.op) / kBytesPerMs;
}

Formula formula_of(std::string_view op) {
  static const std::unordered_map<std::string_view, Formula> kFormulas = {
      {"taso.conv2d", convolution},
      {"taso.matmul", matmul},
      {"taso.poolmax", pool},
      {"taso.poolavg", pool},
      {"add", binary},
      {"mul", binary},
      {"relu", unary},
      {"sigmoid", unary},
      {"tanh", unary},
      {"batch_norm", batch_norm},
      {"taso.enlarge", enlarge},
      {"taso.concat", concat},
  };
  const auto found = kFormulas.find(op);
  return found == kFormulas.end() ? nullptr : found->second;
}

}  // namespace

double AnchorCost::cost(const NodeCostQuery& query) {
  if (fold_weights_ && query.operands_are_weights) return 0;
  const Formula formula = formula_of(query.op.op.name);
  return formula ? formula(query) : 0;
}

}  // namespace isomer::cost
