#include "formats/onnx_spell.h"

namespace isomer::formats {
void spell_normalisation(Spellings&) {}
}  // namespace isomer::formats
