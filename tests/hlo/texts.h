// The HLO texts that tests read: those of other projects (corpus/) and our own (modules/).
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/files.h"

namespace isomer::hlo {

inline std::string hlo_folder() { return std::string(ISOMER_SOURCE_DIR) + "/tests/hlo/"; }

/// Paths of all texts, in order.
inline std::vector<std::string> all_texts() {
  std::vector<std::string> out;
  for (const char* folder : {"corpus", "modules"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(hlo_folder() + folder)) {
      const auto extension = entry.path().extension();
      if (extension == ".txt" || extension == ".hlo") out.push_back(entry.path().string());
    }
  std::ranges::sort(out);
  return out;
}

/// A module of one computation of these instructions.
inline std::string module_of(const std::string& instructions, const std::string& before = "") {
  return "HloModule m\n\n" + before + "ENTRY main {\n" + instructions + "}\n";
}

}  // namespace isomer::hlo
