// What a procedural meaning is written in: an evaluator that has no algebra (sorting, choosing by values,
// loops whose length values decide). It is written once, over no domain in particular: numbers may be ordered
// and moved, integers read and made, regions applied. Whoever evaluates (over doubles, over a field) brings
// the tensors. Mirage, TASO and TENSAT have no such operators; XLA and StableHLO give theirs an interpreter
// of C++ over one kind of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ir/context.h"

namespace isomer::ir {

class OpInstance;

/// The tensors of one evaluation. Elements are counted row-major.
class Workspace {
 public:
  using Handle = size_t;
  virtual ~Workspace() = default;

  /// A strict order of the elements of one tensor, NaN above all; over a field any order, always the same.
  virtual bool less(Handle x, int64_t i, int64_t j) const = 0;
  /// An element of integers or bools.
  virtual int64_t integer(Handle x, int64_t at) const = 0;
  /// The elements of `from` at these places, as a tensor of that (static) type.
  virtual Handle picked(Handle from, std::span<const int64_t> places, TypeId type) = 0;
  /// A tensor of integers or bools.
  virtual Handle integers(std::vector<int64_t> elements, TypeId type) = 0;
  /// The region's outputs, of operands of its inputs' types.
  virtual std::vector<Handle> apply(RegionId region, std::span<const Handle> operands) = 0;
  /// Nothing but these will be asked for any more.
  virtual void keep_only(std::span<const Handle> values) = 0;
  /// To be called now and then: throws when the time for the evaluation is over.
  virtual void check_time() const = 0;
};

/// Results, one for each tensor of the operator's type, of operands given in order. Throws InputError for
/// what has no value.
using Procedure = std::function<std::vector<Workspace::Handle>(Workspace&, const OpInstance&,
                                                               std::span<const Workspace::Handle>)>;

}  // namespace isomer::ir
