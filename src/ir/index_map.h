// Index expressions: how a loop nest addresses its operands. Quasi-affine (sums, factors, floor division and
// remainder by sizes, which may be only named), with min and max for clamping and with loads of integer
// operands for data-dependent movement (gather). The same idea as the polyhedral access maps of Halide and
// MLIR.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ir/size.h"

namespace isomer::ir {

class IndexExpr {
 public:
  enum class Kind : uint8_t { kConst, kVar, kAdd, kMulConst, kFloorDiv, kMod, kMin, kMax, kLoad };

  IndexExpr(int64_t constant = 0);  // NOLINT(google-explicit-constructor): 3 + v reads as written
  IndexExpr(const Size& constant);  // NOLINT(google-explicit-constructor)
  /// Loop variable: 0 .. rank-1 walk the output, the following ones the reduction.
  static IndexExpr var(int number);
  /// The integer element that read number `read` of the nest yields. A negative value counts from the end
  /// when `wrap` > 0 (wrap is then the extent).
  static IndexExpr load(int read, const Size& wrap = 0);

  friend IndexExpr operator+(const IndexExpr& a, const IndexExpr& b);
  friend IndexExpr operator-(const IndexExpr& a, const IndexExpr& b) { return a + b * -1; }
  friend IndexExpr operator*(const IndexExpr& a, const Size& factor);
  /// Rounds towards minus infinity; divisor > 0.
  IndexExpr floor_div(const Size& divisor) const;
  /// In [0, divisor).
  IndexExpr mod(const Size& divisor) const;
  friend IndexExpr min(const IndexExpr& a, const IndexExpr& b);
  friend IndexExpr max(const IndexExpr& a, const IndexExpr& b);

  Kind kind() const;
  int64_t value() const;     ///< number of a variable or read; else size(), which is a number then
  const Size& size() const;  ///< constant, factor, divisor; of loads: what wraps
  int64_t wrap() const { return size().number(); }
  const IndexExpr& lhs() const;
  const IndexExpr& rhs() const;
  /// Whether it takes elements of operands.
  bool loads() const;

  struct Node;

 private:
  explicit IndexExpr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// With other expressions for variables, `variable(n)` says which, and for loads, `load(e)`.
IndexExpr substituted(const IndexExpr& e, const std::function<IndexExpr(int)>& variable,
                      const std::function<IndexExpr(const IndexExpr&)>& load = {});

/// An extent that indices are divided by: of none at all nothing is computed, so that 1 does.
Size divisor_of(const Size& extent);
/// Variables first .. first + count - 1.
std::vector<IndexExpr> index_vars(int first, int count);
/// Row-major number of `index` within `extents`.
IndexExpr linearize(std::span<const IndexExpr> index, std::span<const Size> extents);
/// The inverse: digits of `linear` in the mixed radix `extents`.
std::vector<IndexExpr> delinearize(const IndexExpr& linear, std::span<const Size> extents);

}  // namespace isomer::ir
