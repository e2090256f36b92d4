#include "recipes/staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "ir/constant.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::recipes {
namespace fs = std::filesystem;
namespace {

std::atomic<bool> forbidden{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// A link may lead to another folder; what reads a model through the link looks for its weights beside the
/// link.
fs::path place_of(const std::string& output) {
  require_replaceable(output);
  fs::path place = followed(output);
  if (!fs::is_symlink(fs::symlink_status(output))) return place;
  if (fs::is_symlink(fs::symlink_status(place)))
    throw InputError({output, 0, 0}, "cannot be written: too many levels of symbolic links");
  std::error_code ignored;
  if (!fs::equivalent(folder_of(output), folder_of(place.string()), ignored))
    throw InputError({output, 0, 0},
                     fmt::format("is a link into another folder, where a model's weights would not be found "
                                 "beside it; expected the name of the file itself: {}",
                                 place.string()));
  return place;
}

bool equal_bytes(const fs::path& a, const fs::path& b) {
  const auto x = ir::map_file(a.string()), y = ir::map_file(b.string());
  return std::ranges::equal(x->bytes(), y->bytes());
}

}  // namespace

Staging::Staging(const std::string& output)
    : output_(place_of(output)), folder_(make_temporary_folder(folder_of(output_.string()), output)) {}

Staging::~Staging() {
  std::error_code ignored;
  fs::remove_all(folder_.path, ignored);
}

void Staging::forbid() noexcept { forbidden = true; }

void Staging::publish(std::span<const std::string> kept) {
  const fs::path parent = folder_of(output_.string());
  try {
    std::vector<fs::path> data;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path)) {
      sync_file(entry.path().string());
      if (entry.path().filename() != output_.filename()) data.push_back(entry.path());
    }
    const KeepTemporaries held;
    if (forbidden) throw Error(ExitStatus::kInterrupted, "interrupted before anything was written");
    for (const fs::path& file : data) move(file, parent / file.filename(), kept);
    move(model(), output_, kept);
  } catch (const fs::filesystem_error& error) {
    throw InputError({output_.string(), 0, 0}, fmt::format("cannot be written: {}", error.code().message()));
  }
}

void Staging::move(const fs::path& from, const fs::path& to, std::span<const std::string> kept) const {
  require_replaceable(to.string());
  const bool needed =
      std::ranges::any_of(kept, [&](const std::string& file) { return same_file(file, to.string()); });
  if (!needed) return fs::rename(from, to);
  // Weights are named by their contents: what has the name usually is the same.
  if (!equal_bytes(from, to))
    throw InputError({to.string(), 0, 0}, "cannot be written: the model that is read has its weights there");
}

}  // namespace isomer::recipes
