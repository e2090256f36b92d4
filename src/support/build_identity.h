// Which build of Isomer this is: what may be remembered of its answers between runs holds for it alone.
#pragma once

#include <cstdint>

namespace isomer {

/// A hash of the code and the read-only data of the program (or shared library) that Isomer is linked into,
/// as they are loaded: equal for two runs of one build, other for builds that can answer otherwise. 0 where
/// that cannot be found out.
uint64_t build_identity();

}  // namespace isomer
