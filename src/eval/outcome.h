// How an evaluation ended, as a value. What ends one lies deep within loops and recursions, which unwind by
// exceptions: an index out of bounds, a budget or a deadline that is met, an operator without a meaning.
// Here these become an answer (support/possible.h makes one of an input that is bad before anything is
// evaluated); any other exception is a failure and goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "eval/evaluation_cut.h"
#include "eval/nest_run.h"
#include "eval/sampler.h"
#include "support/errors.h"

namespace isomer::eval {

enum class Ended : uint8_t {
  kDone,
  kOutOfBounds,  ///< ReadOutOfBounds
  kBudget,       ///< SampleBudgetSpent
  kTime,         ///< EvaluationCut
  kNoMeaning,    ///< any other InputError: no meaning, no static shape
};

template <class T>
struct Outcome {
  std::optional<T> value;  ///< with kDone alone
  Ended ended = Ended::kDone;
  std::string why;  ///< it ended otherwise

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
};

/// What `evaluate` gives, if it comes to that. `kAnswered`: the endings that are an answer here, all without
/// any; the others go on as the exceptions that they are.
template <Ended... kAnswered, class F>
auto outcome_of(F&& evaluate) {
  using Result = std::invoke_result_t<F>;
  using T = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;
  Outcome<T> out;
  const auto answer = [&](Ended how, const char* why) {
    if (sizeof...(kAnswered) > 0 && !(false || ... || (how == kAnswered))) throw;
    out.ended = how;
    out.why = why;
  };
  try {
    if constexpr (std::is_void_v<Result>) {
      std::forward<F>(evaluate)();
      out.value.emplace();
    } else {
      out.value.emplace(std::forward<F>(evaluate)());
    }
  } catch (const ReadOutOfBounds& e) {
    answer(Ended::kOutOfBounds, e.what());
  } catch (const SampleBudgetSpent& e) {
    answer(Ended::kBudget, e.what());
  } catch (const EvaluationCut& e) {
    answer(Ended::kTime, e.what());
  } catch (const InputError& e) {
    answer(Ended::kNoMeaning, e.what());
  }
  return out;
}

}  // namespace isomer::eval
