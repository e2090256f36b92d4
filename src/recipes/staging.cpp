#include "recipes/staging.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "support/errors.h"

namespace isomer::recipes {
namespace fs = std::filesystem;

Staging::Staging(const std::string& output) : output_(output) {
  const fs::path parent = output_.has_parent_path() ? output_.parent_path() : fs::path(".");
  std::string pattern = (parent / ".isomer-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw InputError({output, 0, 0}, fmt::format("cannot be written: {}", std::strerror(errno)));
  folder_ = pattern;
}

Staging::~Staging() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Staging::publish() {
  const fs::path parent = output_.has_parent_path() ? output_.parent_path() : fs::path(".");
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      if (entry.path().filename() != output_.filename())
        fs::rename(entry.path(), parent / entry.path().filename());
    fs::rename(folder_ / output_.filename(), output_);
  } catch (const fs::filesystem_error& error) {
    throw InputError({output_.string(), 0, 0}, fmt::format("cannot be written: {}", error.code().message()));
  }
}

}  // namespace isomer::recipes
