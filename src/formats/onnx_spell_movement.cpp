#include "formats/onnx_spell.h"

namespace isomer::formats {
void spell_movement(Spellings&) {}
}  // namespace isomer::formats
