#include "ir/index_map.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::ir {

struct IndexExpr::Node {
  Kind kind = Kind::kConst;
  int64_t value = 0;
  int64_t wrap = 0;
  IndexExpr lhs = nullptr_expr();
  IndexExpr rhs = nullptr_expr();

  static IndexExpr nullptr_expr() { return IndexExpr(std::shared_ptr<const Node>()); }
};

namespace {

int64_t floor_div_int(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

}  // namespace

IndexExpr::IndexExpr(int64_t constant) {
  Node n;
  n.value = constant;
  node_ = std::make_shared<const Node>(std::move(n));
}

IndexExpr IndexExpr::var(int number) {
  Node n;
  n.kind = Kind::kVar;
  n.value = number;
  return IndexExpr(std::make_shared<const Node>(std::move(n)));
}

IndexExpr IndexExpr::load(int read, int64_t wrap) {
  Node n;
  n.kind = Kind::kLoad;
  n.value = read;
  n.wrap = wrap;
  return IndexExpr(std::make_shared<const Node>(std::move(n)));
}

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b) {
  using Kind = IndexExpr::Kind;
  if (a.kind() == Kind::kConst && b.kind() == Kind::kConst) return {a.value() + b.value()};
  if (a.kind() == Kind::kConst && a.value() == 0) return b;
  if (b.kind() == Kind::kConst && b.value() == 0) return a;
  IndexExpr::Node n;
  n.kind = Kind::kAdd;
  n.lhs = a;
  n.rhs = b;
  return IndexExpr(std::make_shared<const IndexExpr::Node>(std::move(n)));
}

IndexExpr operator*(const IndexExpr& a, int64_t factor) {
  using Kind = IndexExpr::Kind;
  if (a.kind() == Kind::kConst) return {a.value() * factor};
  if (factor == 1) return a;
  if (factor == 0) return {0};
  IndexExpr::Node n;
  n.kind = Kind::kMulConst;
  n.value = factor;
  n.lhs = a;
  return IndexExpr(std::make_shared<const IndexExpr::Node>(std::move(n)));
}

IndexExpr IndexExpr::floor_div(int64_t divisor) const {
  REQUIRE(divisor > 0, "division of an index by a number that is not positive");
  if (divisor == 1) return *this;
  if (kind() == Kind::kConst) return {floor_div_int(value(), divisor)};
  Node n;
  n.kind = Kind::kFloorDiv;
  n.value = divisor;
  n.lhs = *this;
  return IndexExpr(std::make_shared<const Node>(std::move(n)));
}

IndexExpr IndexExpr::mod(int64_t divisor) const {
  REQUIRE(divisor > 0, "remainder of an index by a number that is not positive");
  if (divisor == 1) return {0};
  if (kind() == Kind::kConst) return {value() - floor_div_int(value(), divisor) * divisor};
  Node n;
  n.kind = Kind::kMod;
  n.value = divisor;
  n.lhs = *this;
  return IndexExpr(std::make_shared<const Node>(std::move(n)));
}

IndexExpr min(const IndexExpr& a, const IndexExpr& b) {
  IndexExpr::Node n;
  n.kind = IndexExpr::Kind::kMin;
  n.lhs = a;
  n.rhs = b;
  return IndexExpr(std::make_shared<const IndexExpr::Node>(std::move(n)));
}

IndexExpr max(const IndexExpr& a, const IndexExpr& b) {
  IndexExpr::Node n;
  n.kind = IndexExpr::Kind::kMax;
  n.lhs = a;
  n.rhs = b;
  return IndexExpr(std::make_shared<const IndexExpr::Node>(std::move(n)));
}

IndexExpr::Kind IndexExpr::kind() const { return node_->kind; }
int64_t IndexExpr::value() const { return node_->value; }
int64_t IndexExpr::wrap() const { return node_->wrap; }
const IndexExpr& IndexExpr::lhs() const { return node_->lhs; }
const IndexExpr& IndexExpr::rhs() const { return node_->rhs; }

std::vector<IndexExpr> index_vars(int first, int count) {
  std::vector<IndexExpr> out;
  for (int i = 0; i < count; ++i) out.push_back(IndexExpr::var(first + i));
  return out;
}

IndexExpr linearize(std::span<const IndexExpr> index, std::span<const int64_t> extents) {
  IndexExpr out = 0;
  for (size_t i = 0; i < extents.size(); ++i) out = out * extents[i] + index[i];
  return out;
}

std::vector<IndexExpr> delinearize(const IndexExpr& linear, std::span<const int64_t> extents) {
  std::vector<IndexExpr> out(extents.size());
  IndexExpr rest = linear;
  for (size_t i = extents.size(); i-- > 0;) {
    const int64_t extent = std::max<int64_t>(extents[i], 1);
    out[i] = i == 0 ? rest : rest.mod(extent);
    if (i > 0) rest = rest.floor_div(extent);
  }
  return out;
}

}  // namespace isomer::ir
