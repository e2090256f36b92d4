// Contents of constants: the elements of an array, the first dimension slowest, an element in as many bytes
// as its type takes (types below 8 bits take one); of a tuple its arrays one after another. Bits are kept:
// payloads and signs of NaN, the sign of zero. An array that the text leaves out, `{...}`, has no elements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/shape.h"

namespace isomer::hlo {

struct Literal {
  ShapeId shape;
  std::vector<std::byte> bytes;
  bool elided = false;  ///< it, or an array of a tuple, was `{...}`; then `bytes` is empty
};

/// As XLA prints it: the fewest digits of two tries that read back as the same number; a NaN with its payload
/// unless that is the quiet bit alone. -0 is printed with a point: XLA reads "-0" as 0.
void print_literal(const ShapeTable& shapes, const Literal& literal, std::string& out);

/// One element, of a type that is no float and not complex; of 64 unsigned bits the same bits.
int64_t whole_value(Primitive type, const std::byte* bytes);
/// One element as a double; a NaN for complex numbers.
double real_value(Primitive type, const std::byte* bytes);

/// One element.
void print_element(Primitive type, const std::byte* bytes, bool in_array, std::string& out);

}  // namespace isomer::hlo
