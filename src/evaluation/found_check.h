// A program that a search or a bench has found, held to the one that it began with: over the prime field and,
// apart from that, on floats. Every table of programs found has a column that says what came of it.
#pragma once

#include <optional>
#include <string>

#include "cost/cost_model.h"
#include "rewrite/tensor_egraph.h"
#include "support/limits.h"
#include "verify/equivalence.h"

namespace isomer::evaluation {

struct FoundCheck {
  verify::Verdict field;   ///< over the field, or, where there is no identity, on floats
  verify::Verdict floats;  ///< on floats, whatever the field says

  bool differs() const;
  /// Both say that it is the same program.
  bool holds() const;
  /// "field; floats 3e-07", "field open (why); floats, ONNX Runtime 3e-07", "DIFFERS: where". Fit for a
  /// table.
  std::string words() const;
  /// Of two programs of one line: the one of which less is known.
  void keep_worse(const FoundCheck& other);
};

/// Both graphs of one context. At most so many seconds for each of the two.
FoundCheck check_found(const ir::Graph& start, const ir::Graph& found, double seconds = 60,
                       const StopToken& stop = {});

/// The cheapest program of an e-graph that has grown from `start`; nothing where none was found in time.
std::optional<ir::Graph> cheapest_program(const ir::Graph& start, const rewrite::EGraph& grown,
                                          cost::CostModel& model, const Limits& limits);

}  // namespace isomer::evaluation
