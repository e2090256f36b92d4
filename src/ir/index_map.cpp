#include "ir/index_map.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::ir {

struct IndexExpr::Node {
  Kind kind = Kind::kConst;
  int64_t number = 0;
  Size size = 0;
  IndexExpr lhs = nullptr_expr();
  IndexExpr rhs = nullptr_expr();

  static IndexExpr nullptr_expr() { return IndexExpr(std::shared_ptr<const Node>()); }
};

IndexExpr::IndexExpr(int64_t constant) : IndexExpr(Size(constant)) {}

IndexExpr::IndexExpr(const Size& constant) {
  Node n;
  n.size = constant;
  node_ = std::make_shared<const Node>(std::move(n));
}

IndexExpr IndexExpr::var(int number) {
  Node n;
  n.kind = Kind::kVar;
  n.number = number;
  return IndexExpr(std::make_shared<const Node>(std::move(n)));
}

IndexExpr IndexExpr::load(int read, const Size& wrap) {
  Node n;
  n.kind = Kind::kLoad;
  n.number = read;
  n.size = wrap;
  return IndexExpr(std::make_shared<const Node>(std::move(n)));
}

namespace {
bool is(const Size& size, int64_t number) { return size.is_number() && size.number() == number; }
}  // namespace

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b) {
  using Kind = IndexExpr::Kind;
  if (a.kind() == Kind::kConst && b.kind() == Kind::kConst) return {a.size() + b.size()};
  if (a.kind() == Kind::kConst && is(a.size(), 0)) return b;
  if (b.kind() == Kind::kConst && is(b.size(), 0)) return a;
  IndexExpr::Node n;
  n.kind = Kind::kAdd;
  n.lhs = a;
  n.rhs = b;
  return IndexExpr(std::make_shared<const IndexExpr::Node>(std::move(n)));
}

IndexExpr operator*(const IndexExpr& a, const Size& factor) {
  using Kind = IndexExpr::Kind;
  if (a.kind() == Kind::kConst) return {a.size() * factor};
  if (is(factor, 1)) return a;
  if (is(factor, 0)) return {0};
  IndexExpr::Node n;
  n.kind = Kind::kMulConst;
  n.size = factor;
  n.lhs = a;
  return IndexExpr(std::make_shared<const IndexExpr::Node>(std::move(n)));
}

IndexExpr IndexExpr::floor_div(const Size& divisor) const {
  REQUIRE(!divisor.is_number() || divisor.number() > 0,
          "division of an index by a number that is not positive");
  if (is(divisor, 1)) return *this;
  if (kind() == Kind::kConst) return {size().floor_div(divisor)};
  Node n;
  n.kind = Kind::kFloorDiv;
  n.size = divisor;
  n.lhs = *this;
  return IndexExpr(std::make_shared<const Node>(std::move(n)));
}

IndexExpr IndexExpr::mod(const Size& divisor) const {
  REQUIRE(!divisor.is_number() || divisor.number() > 0,
          "remainder of an index by a number that is not positive");
  if (is(divisor, 1)) return {0};
  if (kind() == Kind::kConst) return {size().mod(divisor)};
  Node n;
  n.kind = Kind::kMod;
  n.size = divisor;
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
int64_t IndexExpr::value() const {
  return node_->kind == Kind::kVar || node_->kind == Kind::kLoad ? node_->number : node_->size.number();
}
const Size& IndexExpr::size() const { return node_->size; }
const IndexExpr& IndexExpr::lhs() const { return node_->lhs; }
const IndexExpr& IndexExpr::rhs() const { return node_->rhs; }

bool IndexExpr::loads() const {
  switch (kind()) {
    case Kind::kConst:
    case Kind::kVar: return false;
    case Kind::kLoad: return true;
    case Kind::kAdd:
    case Kind::kMin:
    case Kind::kMax: return lhs().loads() || rhs().loads();
    default: return lhs().loads();
  }
}

IndexExpr substituted(const IndexExpr& e, const std::function<IndexExpr(int)>& variable,
                      const std::function<IndexExpr(const IndexExpr&)>& load) {
  using Kind = IndexExpr::Kind;
  const auto of = [&](const IndexExpr& part) { return substituted(part, variable, load); };
  switch (e.kind()) {
    case Kind::kConst: return e;
    case Kind::kVar: return variable(static_cast<int>(e.value()));
    case Kind::kAdd: return of(e.lhs()) + of(e.rhs());
    case Kind::kMulConst: return of(e.lhs()) * e.size();
    case Kind::kFloorDiv: return of(e.lhs()).floor_div(e.size());
    case Kind::kMod: return of(e.lhs()).mod(e.size());
    case Kind::kMin: return min(of(e.lhs()), of(e.rhs()));
    case Kind::kMax: return max(of(e.lhs()), of(e.rhs()));
    case Kind::kLoad: return load ? load(e) : e;
  }
  return e;
}

Size divisor_of(const Size& extent) { return extent.is_number() ? max(extent, 1) : extent; }

std::vector<IndexExpr> index_vars(int first, int count) {
  std::vector<IndexExpr> out;
  for (int i = 0; i < count; ++i) out.push_back(IndexExpr::var(first + i));
  return out;
}

IndexExpr linearize(std::span<const IndexExpr> index, std::span<const Size> extents) {
  IndexExpr out = 0;
  for (size_t i = 0; i < extents.size(); ++i) out = out * extents[i] + index[i];
  return out;
}

std::vector<IndexExpr> delinearize(const IndexExpr& linear, std::span<const Size> extents) {
  std::vector<IndexExpr> out(extents.size());
  IndexExpr rest = linear;
  for (size_t i = extents.size(); i-- > 0;) {
    const Size extent = divisor_of(extents[i]);
    out[i] = i == 0 ? rest : rest.mod(extent);
    if (i > 0) rest = rest.floor_div(extent);
  }
  return out;
}

}  // namespace isomer::ir
