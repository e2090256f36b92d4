// What memory the machine has.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace isomer {

/// Bytes; 0 where the system does not say.
inline uint64_t physical_bytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : 0;
}

}  // namespace isomer
