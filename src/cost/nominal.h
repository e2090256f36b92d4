// An operator with every dimension a number, so that cost models can count: symbols are replaced by the sizes
// that they are priced at, what has none (and unknown dimensions) by a nominal size. Equal symbols become
// equal numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/op.h"

namespace isomer::cost {

/// Size that stands for symbolic and unknown dimensions of which nothing is known.
inline constexpr int64_t kNominalSize = 64;

/// The numbers that stand for dimensions that are none. By name, so that they hold in every context.
struct NominalSizes {
  // NOLINTNEXTLINE(google-explicit-constructor): one size for all is the usual case.
  NominalSizes(int64_t for_others = kNominalSize) : others(for_others) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  NominalSizes(std::map<std::string, int64_t> of_symbols) : named(std::move(of_symbols)) {}
  std::map<std::string, int64_t> named;  ///< symbol -> size
  int64_t others = kNominalSize;         ///< of other symbols, and of unknown dimensions
};

/// The type with numbers for its dimensions, tuples' elements too.
ir::TypeId nominal_type(ir::Context& ctx, ir::TypeId type, const NominalSizes& sizes);

/// Owns what its OpInstance refers to. Where nothing is symbolic the types are the given ones.
class NominalInstance {
 public:
  /// The result type is inferred again where that works, else its dimensions are replaced too.
  NominalInstance(const ir::OpInstance& op, const NominalSizes& sizes);
  NominalInstance(const NominalInstance&) = delete;
  NominalInstance& operator=(const NominalInstance&) = delete;

  const ir::OpInstance& op() const { return op_; }
  /// Something was replaced.
  bool replaced() const { return replaced_; }

 private:
  std::vector<ir::AttrId> attrs_;
  std::vector<ir::TypeId> inputs_;
  bool replaced_ = false;
  ir::OpInstance op_;
};

}  // namespace isomer::cost
