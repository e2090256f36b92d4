// A `while` as passes see it: a state of several parts, what the body makes of each, what is known of them.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "passes/copies.h"
#include "passes/evaluate.h"
#include "passes/site.h"

namespace isomer::passes {

/// A loop whose state is a tuple that the body puts together at its end, and of which nothing but parts is
/// used; it may be written again beside itself.
struct Loop {
  InstructionId at, initial, condition_parameter, body_parameter;
  ComputationId condition, body;
  std::vector<InstructionId> next;  ///< what the body makes of each part

  size_t parts() const { return next.size(); }
  static std::optional<Loop> of(const Site& s);
};

/// Each `while` of the module that is such a loop, and may be replaced.
void each_loop(AlternativeGraph& graph, const std::function<void(const Site&, const Loop&)>& propose);

/// The part of the state that an instruction of the condition or the body is.
std::optional<size_t> part_of_state(const Site& s, const Loop& loop, InstructionId id);
/// Whether each turn leaves the part as it is.
bool passes_through(const Site& s, const Loop& loop, size_t part);
/// What the part begins with.
InstructionId initial_part(const Site& s, const Loop& loop, size_t part);

/// What some instructions of a computation of one parameter are where that is known in part. Only few
/// elements are computed with.
class Known {
 public:
  using State = std::vector<std::optional<Bytes>>;  ///< of a tuple its parts, else the array

  Known(const Module& module, ComputationId computation, const State& state);
  std::optional<Bytes> of(InstructionId id) const;
  /// What an instruction is as a state.
  State state(InstructionId id) const;

 private:
  std::optional<Bytes> compute(InstructionId id) const;

  const Module& m_;
  const State& state_;
  std::unordered_map<uint32_t, Bytes> known_;
};

/// Of an instruction outside: constants, parts of tuples of them.
Known::State known_state(const Module& module, InstructionId id);

}  // namespace isomer::passes
