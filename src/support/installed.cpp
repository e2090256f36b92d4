#include "support/installed.h"

#include <cstdlib>
#include <filesystem>

namespace isomer {
namespace fs = std::filesystem;

std::optional<std::string> find_installed(const InstalledFile& file) {
  if (const char* named = std::getenv(file.variable); named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty())
    if (const fs::path installed = program.parent_path().parent_path() / file.below_prefix;
        fs::exists(installed, ignored))
      return installed.string();
  if (*file.in_tree != '\0' && fs::exists(file.in_tree, ignored)) return file.in_tree;
  return std::nullopt;
}

}  // namespace isomer
