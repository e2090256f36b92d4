#include "recipes/staging.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "formats/atomic_file.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace fs = std::filesystem;
namespace {

struct Alive {
  std::mutex lock;
  std::set<fs::path> folders;
};
Alive& alive() {
  static Alive all;
  return all;
}

void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace

Staging::Staging(const std::string& output) : output_(output) {
  const fs::path parent = output_.has_parent_path() ? output_.parent_path() : fs::path(".");
  std::string pattern = (parent / ".isomer-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw InputError({output, 0, 0}, fmt::format("cannot be written: {}", std::strerror(errno)));
  folder_ = pattern;
  const std::scoped_lock held(alive().lock);
  alive().folders.insert(folder_);
}

Staging::~Staging() {
  remove_folder(folder_);
  const std::scoped_lock held(alive().lock);
  alive().folders.erase(folder_);
}

void Staging::drop_all() noexcept {
  const std::scoped_lock held(alive().lock);
  for (const fs::path& folder : alive().folders) remove_folder(folder);
}

void Staging::publish() {
  const fs::path parent = output_.has_parent_path() ? output_.parent_path() : fs::path(".");
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      formats::sync_file(entry.path().string());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      if (entry.path().filename() != output_.filename())
        fs::rename(entry.path(), parent / entry.path().filename());
    fs::rename(folder_ / output_.filename(), output_);
  } catch (const fs::filesystem_error& error) {
    throw InputError({output_.string(), 0, 0}, fmt::format("cannot be written: {}", error.code().message()));
  }
}

}  // namespace isomer::recipes
