// Cases of named sizes. A meaning that asks "is this dimension 1?" has another loop nest where it is; over
// named sizes both are right, each in its case. So a declaration is run once for each way in which its
// questions can come out (symbolic execution, King 1976, of a few comparisons), and each run is told what its
// case takes for granted. Names are sizes: at least 0, and below 2^31, as no dimension is larger.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/size.h"

namespace isomer::ir {

/// Signs that a number may have.
using Signs = uint8_t;
constexpr Signs kNegative = 1, kZero = 2, kPositive = 4;
constexpr Signs kNotNegative = kZero | kPositive;

/// What is taken for granted of named sizes.
class SizeFacts {
 public:
  /// The signs that `size` may have.
  Signs signs(const Size& size) const;
  /// Whether it has one of these at every size of what is named, or at none; nothing where that differs, or
  /// may.
  std::optional<bool> decide(const Size& size, Signs which) const;
  /// That it has one of these.
  void add(const Size& size, Signs signs);
  /// With what names are known to be equal to in their place, where that is a size.
  Size normal(const Size& size) const;
  /// What was added, in order.
  const std::vector<std::pair<Size, Signs>>& given() const { return given_; }

 private:
  struct Bounds {
    int64_t low = 0, high = (int64_t{1} << 31) - 1;
  };
  struct Range;
  Range range(const Size& size) const;
  Range range(const Size::Atom& atom) const;
  Bounds bounds(SymbolId name) const;
  Signs signs(const Size& asked, Signs which, int splits) const;
  Signs signs_by_minimum(const Size& size, const Size::Atom& least, Signs which, int splits) const;
  bool put_in_place(const Size& zero);
  void narrow(const Size& size, Signs signs);

  std::vector<std::pair<Size, Signs>> given_;
  std::map<SymbolId, Size> equal_to_;
  std::map<SymbolId, Bounds> bounds_;
};

/// "N=1", "N-M>0, M>=1": for people.
std::string print(const Context& ctx, const SizeFacts& facts);

/// Runs `run` once for each case that its comparisons of sizes tell apart within `given`; what each run took
/// for granted, in order. Nothing where there are more than `most`.
std::optional<std::vector<SizeFacts>> for_each_case(const std::function<void()>& run,
                                                    const SizeFacts& given = {}, size_t most = 64);

/// What the run at hand takes for granted so far; nothing outside of one.
const SizeFacts& facts_at_hand();
/// The run at hand may take this for granted as well: of names that it made itself (places in a tensor).
void suppose(const Size& size, Signs signs);

}  // namespace isomer::ir
