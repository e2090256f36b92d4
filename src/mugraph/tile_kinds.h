// What a search knows of a tensor or tile, as one number: abstract expression, sizes and axes; and what an
// operator makes of such numbers, computed once for each combination. A search then compares integers: more
// than 99 of 100 applications that it tries were tried before.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "mugraph/abstract_expr.h"
#include "mugraph/axes.h"
#include "mugraph/mu_op.h"
#include "mugraph/subexpression.h"
#include "support/id_table.h"
#include "support/ids.h"

namespace isomer::mugraph {

using KindId = uint32_t;

struct Kind {
  TermId term = 0;
  Sizes sizes;
  AxisList axes;
  auto operator<=>(const Kind&) const = default;
};

/// Where an operator is applied in a search.
struct KindPlace {
  bool block = false;
  int axis = -1;
  int64_t range = 1;
  int64_t reduce_to = 0;
};

class Kinds {
 public:
  Kinds(const MuOpTable& ops, Terms& terms, Axes& axes) : ops_(ops), terms_(terms), axes_(axes) {}

  KindId add(const Kind& kind);
  const Kind& get(KindId id) const { return *kinds_[id]; }
  /// By content: the same in any table.
  uint64_t hash(KindId id) const { return hashes_[id]; }
  Terms& terms() const { return terms_; }
  Axes& axes() const { return axes_; }

  /// The kind of an application; none where shapes or axes do not fit, or there is no abstract form.
  std::optional<KindId> apply(MuOpId op, std::span<const KindId> operands, const KindPlace& place);
  uint64_t applications() const { return applications_; }

 private:
  /// Whether a rescaling accumulator's maximum has the rows of what it adds up.
  bool same_rows(const MuOp& op, std::span<const KindId> operands);
  std::optional<KindId> compute(const MuOp& op, std::span<const KindId> operands, const KindPlace& place);

  const MuOpTable& ops_;
  Terms& terms_;
  Axes& axes_;
  std::map<Kind, KindId> index_;
  std::vector<const Kind*> kinds_;
  std::vector<uint64_t> hashes_;
  /// Operator and place, then up to four operands.
  using Key = std::array<uint64_t, 4>;
  struct Applied {
    Key key;
    std::optional<KindId> result;
  };
  using AppliedId = Id<Applied>;
  std::vector<Applied> applied_;
  IdTable<AppliedId> by_key_;
  uint64_t applications_ = 0;
};

}  // namespace isomer::mugraph
