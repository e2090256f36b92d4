#include "extract/problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/errors.h"

namespace isomer::extract {

double Problem::least_possible() const {
  double sum = 0;
  for (uint32_t c = 0; c < classes(); ++c) {
    double least = 0;
    for (NodeId n : nodes_of(ClassId(c))) least = std::min(least, cost(n));
    sum += least;
  }
  return sum;
}

ClassId ProblemBuilder::add_class() { return ClassId(classes_++); }

NodeId ProblemBuilder::add_node(ClassId c, double cost, std::span<const ClassId> children) {
  REQUIRE(c.index() < classes_, "a node's class must have been added");
  REQUIRE(std::isfinite(cost), "costs must be finite");
  for (ClassId child : children) REQUIRE(child.index() < classes_, "a child class must have been added");
  problem_.class_of_.push_back(c);
  problem_.cost_.push_back(cost);
  problem_.child_.insert(problem_.child_.end(), children.begin(), children.end());
  problem_.child_first_.push_back(static_cast<uint32_t>(problem_.child_.size()));
  return NodeId(problem_.cost_.size() - 1);
}

void ProblemBuilder::add_root(ClassId c) {
  REQUIRE(c.index() < classes_, "a root class must have been added");
  if (std::ranges::find(problem_.roots_, c) == problem_.roots_.end()) problem_.roots_.push_back(c);
}

Problem ProblemBuilder::build() {
  problem_.class_first_.assign(classes_ + 1, 0);
  for (ClassId c : problem_.class_of_) ++problem_.class_first_[c.index() + 1];
  for (uint32_t c = 0; c < classes_; ++c) problem_.class_first_[c + 1] += problem_.class_first_[c];
  problem_.class_nodes_.resize(problem_.nodes());
  std::vector<uint32_t> at(problem_.class_first_.begin(), problem_.class_first_.end());
  for (uint32_t n = 0; n < problem_.nodes(); ++n) {
    problem_.class_nodes_[at[problem_.class_of_[n].index()]++] = NodeId(n);
  }
  classes_ = 0;
  return std::exchange(problem_, Problem());
}

}  // namespace isomer::extract
