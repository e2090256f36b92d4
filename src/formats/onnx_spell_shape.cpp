#include "formats/onnx_spell.h"

namespace isomer::formats {
void spell_shape(Spellings&) {}
}  // namespace isomer::formats
