#include "support/build_identity.h"

#include <link.h>

#include <cstddef>
#include <span>

#include "support/hash.h"

namespace isomer {
namespace {

/// Segments that are not writable need no relocation, so that they are the same wherever they are loaded.
int hash_own_object(dl_phdr_info* info, size_t, void* out) {
  const auto here = reinterpret_cast<uintptr_t>(&hash_own_object);
  bool own = false;
  uint64_t hash = 1;
  for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    own = own || (here >= begin && here < begin + segment.p_memsz);
    if ((segment.p_flags & PF_W) != 0 || (segment.p_flags & PF_R) == 0) continue;
    hash = hash_combine(hash, segment.p_memsz);
  }
  if (!own) return 0;
  for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 || (segment.p_flags & PF_R) == 0) continue;
    // The loader gives addresses as numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* bytes = reinterpret_cast<const std::byte*>(info->dlpi_addr + segment.p_vaddr);
    hash = hash_bytes({bytes, segment.p_memsz}, hash);
  }
  *static_cast<uint64_t*>(out) = hash;
  return 1;
}

}  // namespace

uint64_t build_identity() {
  static const uint64_t identity = [] {
    uint64_t hash = 0;
    dl_iterate_phdr(hash_own_object, &hash);
    return hash;
  }();
  return identity;
}

}  // namespace isomer
