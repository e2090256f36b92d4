#include "ir/attempt.h"

#include <utility>

namespace isomer::ir {
namespace {

thread_local const Attempt* innermost = nullptr;

}  // namespace

Attempt::Attempt(Builder& builder) : builder_(builder), outer_(std::exchange(innermost, this)) {}
Attempt::~Attempt() { innermost = outer_; }

const Attempt* Attempt::of(const Builder& builder) {
  for (const Attempt* a = innermost; a != nullptr; a = a->outer_)
    if (&a->builder_ == &builder) return a;
  return nullptr;
}

void Attempt::note(std::string refusal) const {
  if (!std::exchange(failed_, true)) refusal_ = std::move(refusal);
}

TypeId Attempt::type_of_stand_in() const {
  constexpr size_t kManyDimensions = 16;
  return builder_.context().tensor_type(DType::kF32, Shape(kManyDimensions, Dim(1)));
}

}  // namespace isomer::ir
