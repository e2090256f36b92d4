#include "formats/onnx_spell.h"

namespace isomer::formats {
void spell_contraction(Spellings&) {}
}  // namespace isomer::formats
