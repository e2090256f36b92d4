// The table of element types (ir/dtype.h) in standard types: who has names of its own for them derives them
// here.
#pragma once

#include <string>
#include <vector>

namespace isomer::api {

struct ElementType {
  std::string name;       ///< "f32"
  std::string kind;       ///< "float", "integer", "bool", "other"
  int bits = 0;           ///< of an element as stored; 0: not so stored
  bool sign = false;      ///< of integers
  bool computed = false;  ///< operators compute in it
  int onnx = 0;           ///< its number there; 0: it has none
  std::string numpy;      ///< numpy's name of it; empty: it has none
};

/// All of the table, in its order.
std::vector<ElementType> element_types();

}  // namespace isomer::api
