// Whether something can be made of an input, as a value. Readers and generators unwind by InputError from
// wherever they find a fault, which is right where the input is the user's own: that ends the command. Where
// it is a question (a body of a node, a program at sizes of our choosing, one file of many), the fault is an
// answer, and becomes one here; failures of runtimes, of verification and of ours go on.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "support/errors.h"

namespace isomer {

template <class T>
struct Possible {
  std::optional<T> value;
  std::string why_not;  ///< where there is none

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
};

/// What `make` returns, unless its input is bad or names what is not there.
template <class F>
Possible<std::invoke_result_t<F>> possible(F&& make) {
  try {
    return {std::forward<F>(make)(), {}};
  } catch (const InputError& error) {
    return {std::nullopt, error.what()};
  } catch (const UsageError& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace isomer
