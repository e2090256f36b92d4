#include "egraph/derivation.h"

namespace isomer::egraph {

void Derivation::add_node(std::span<const ClassId> children) {
  children_.insert(children_.end(), children.begin(), children.end());
  first_.push_back(static_cast<uint32_t>(children_.size()));
}

uint32_t Derivation::bind(std::span<const uint32_t> bindings) {
  bindings_.insert(bindings_.end(), bindings.begin(), bindings.end());
  record_.push_back(static_cast<uint32_t>(bindings_.size()));
  return static_cast<uint32_t>(record_.size() - 2);
}

}  // namespace isomer::egraph
