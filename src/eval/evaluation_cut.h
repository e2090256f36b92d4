// Evaluating came to its deadline. Thrown, since what it ends is deep within loops; whoever set the deadline
// catches it, and makes a result of it (eval/fold.h).
#pragma once

#include <exception>

namespace isomer::eval {

class EvaluationCut final : public std::exception {
 public:
  const char* what() const noexcept override { return "not evaluated to its end in time"; }
};

}  // namespace isomer::eval
