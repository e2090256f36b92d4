#include "formats/onnx_spell.h"

namespace isomer::formats {
void spell_reduction(Spellings&) {}
}  // namespace isomer::formats
