// Evaluating came to its deadline. Thrown, since what it ends is deep within loops; whoever set the deadline
// asks through eval/outcome.h, which catches it, and makes a result of that.
#pragma once

#include <exception>

namespace isomer::eval {

class EvaluationCut final : public std::exception {
 public:
  const char* what() const noexcept override { return "not evaluated to its end in time"; }
};

}  // namespace isomer::eval
