// Single elements on demand: an output element asks for the elements that it reads, these for theirs, each
// computed once. So two programs can be compared on a few random elements at their full shapes without
// holding any tensor. Leaves are functions of the element's number: a program input of a billion elements
// costs nothing.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "eval/nest_run.h"
#include "meaning/flatten.h"
#include "meaning/nest.h"
#include "support/errors.h"

namespace isomer::eval {

/// A sampler was asked for more elements than its budget allows.
class SampleBudgetSpent : public InputError {
 public:
  SampleBudgetSpent() : InputError("more elements than the budget for sampling allows are needed") {}
};

template <class D>
class Sampler {
 public:
  using Number = typename D::Number;

  /// Elements of what has no meaning here: inputs, weights, opaque and procedural operators. `element` is the
  /// tuple element asked for (0 for tensors).
  struct Leaves {
    std::function<Number(ir::ValueId v, size_t element, int64_t linear)> number;
    std::function<int64_t(ir::ValueId v, size_t element, int64_t linear)> integer;
  };

  /// `flat` (of flatten()) must outlive the sampler.
  Sampler(D& domain, const ir::Graph& flat, Leaves leaves);
  ~Sampler();

  Number number(ir::ValueId v, int64_t linear, size_t element = 0);
  int64_t integer(ir::ValueId v, int64_t linear, size_t element = 0);
  /// Elements asked for so far, leaves and known ones included: the work that was done.
  uint64_t computed() const { return computed_; }
  /// SampleBudgetSpent is thrown when more elements than this are asked for. After any error a sampler is of
  /// no use.
  void set_budget(uint64_t elements) { budget_ = elements; }

 private:
  struct Node;
  struct Source;
  Node& node(ir::ValueId v, size_t element);

  D& domain_;
  const ir::Graph& graph_;
  Leaves leaves_;
  std::vector<std::vector<std::unique_ptr<Node>>> nodes_;  // by value, by tuple element
  uint64_t computed_ = 0;
  uint64_t budget_ = ~uint64_t{0};
  int depth_ = 0;
};

}  // namespace isomer::eval
