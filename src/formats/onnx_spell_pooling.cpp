#include "formats/onnx_spell.h"

namespace isomer::formats {
void spell_pooling(Spellings&) {}
}  // namespace isomer::formats
