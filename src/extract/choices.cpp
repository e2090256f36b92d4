#include "extract/choices.h"

namespace isomer::extract {

Choices choices_of(const Problem& problem) {
  Choices choices;
  for (uint32_t c = 0; c < problem.classes(); ++c) {
    for (NodeId n : problem.nodes_of(ClassId(c))) {
      for (ClassId m : problem.children(n)) choices.child.push_back(m.v);
      choices.close_node();
    }
    choices.close_class();
  }
  return choices;
}

}  // namespace isomer::extract
