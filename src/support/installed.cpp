#include "support/installed.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace isomer {
namespace fs = std::filesystem;

namespace {

/// The file that holds this code: the shared library, or a program that it is linked into.
fs::path own_file() {
  std::error_code ignored;
  Dl_info info{};
  // Of a program the linker tells what it was called by, which need not be a path.
  if (::dladdr(reinterpret_cast<void*>(&own_file), &info) != 0)
    if (const fs::path library = info.dli_fname; library.filename().string().starts_with("lib"))
      return fs::canonical(library, ignored);
  return fs::read_symlink("/proc/self/exe", ignored);
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path way = file.lexically_relative(folder);
  return !way.empty() && *way.begin() != "..";
}

}  // namespace

std::optional<std::string> find_installed(const InstalledFile& file) {
  if (const char* named = std::getenv(file.variable); named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  const fs::path own = own_file();
  if (is_below(own, fs::canonical(ISOMER_BINARY_DIR, ignored))) {
    const fs::path in_tree = fs::path(ISOMER_SOURCE_DIR) / file.in_tree;
    if (*file.in_tree == '\0' || !fs::exists(in_tree, ignored)) return std::nullopt;
    return in_tree.string();
  }
  constexpr int kDeepest = 3;  // PREFIX/lib/ARCHITECTURE/libisomer.so
  fs::path folder = own.parent_path();
  for (int depth = 1; depth <= kDeepest && folder.has_relative_path(); ++depth) {
    folder = folder.parent_path();
    if (const fs::path installed = folder / file.below_prefix; fs::exists(installed, ignored))
      return installed.string();
  }
  return std::nullopt;
}

}  // namespace isomer
