// A member that who fills a struct must give: it has no default, so that a row which leaves it out does not
// compile.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace isomer {

template <class T>
class Stated {
 public:
  template <std::convertible_to<T> U>
    requires(!std::same_as<std::remove_cvref_t<U>, Stated>)
  Stated(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT(google-explicit-constructor)

  operator const T&() const { return value_; }  // NOLINT(google-explicit-constructor)
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_;
};

}  // namespace isomer
