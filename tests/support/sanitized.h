// Programs under sanitizers run eight times as slowly, and are there for faults of memory and arithmetic, not
// for one more draw: tests that sweep take fewer of them there. The release build's tests take all.
#pragma once

namespace isomer {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Of `usual` draws, the part that a sanitized program takes.
constexpr int draws(int usual) { return kSanitized ? (usual + 7) / 8 : usual; }

}  // namespace isomer
