// Building what may turn out not to be: a definition written out at types that it does not fit, parts put
// together that may make no whole. Whoever builds with Builder::add takes for granted that there is a type,
// and reads it; an attempt lets such code run to its end and then says whether it may be believed. The first
// operator of the builder's that has no type is noted instead of refused as a misuse; in its place, and in
// that of all that is added after it, stands a value of no meaning, of ones in many dimensions, so that what
// reads its shape reads something.
#pragma once

#include <string>

#include "ir/graph.h"

namespace isomer::ir {

/// Of one builder, on the thread that made it; within another attempt the inner one is asked first.
class Attempt {
 public:
  explicit Attempt(Builder& builder);
  ~Attempt();
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  /// Whether all that was added has a type. If not, nothing of what was built may be used.
  explicit operator bool() const { return !failed_; }
  /// Empty, or why the first that has none does not: the error of its type rule.
  const std::string& refusal() const { return refusal_; }

 private:
  friend class Builder;
  /// The attempt that a builder is part of, if any.
  static const Attempt* of(const Builder& builder);
  void note(std::string refusal) const;
  TypeId type_of_stand_in() const;

  Builder& builder_;
  const Attempt* outer_;
  // Mutable: the builder notes through a pointer to const, and whoever makes an attempt declares it const.
  mutable bool failed_ = false;
  mutable std::string refusal_;
};

}  // namespace isomer::ir
