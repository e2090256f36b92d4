#include "support/temporaries.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "support/errors.h"
#include "support/hash.h"

namespace isomer {
namespace {

namespace fs = std::filesystem;

/// Empty where the machine does not say; then nothing is ever taken for abandoned.
std::string boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id.empty() ? "" : fmt::format("{:08x}", static_cast<uint32_t>(hash_string(id)));
}

std::string prefix() {
  const std::string id = boot();
  return fmt::format(".isomer-{}-", id.empty() ? "unknown" : id);
}

InputError cannot_be_written(const std::string& output) {
  return {{output, 0, 0}, fmt::format("cannot be written: {}", std::strerror(errno))};
}

struct Alive {
  std::recursive_mutex lock;  // what is renamed together makes and ends temporaries of its own
  std::set<std::string> paths;
};
/// Never destroyed: the thread that ends the program may come late.
Alive& alive() {
  static auto* const all = new Alive;
  return *all;
}

/// It gets the name by which others may take it for abandoned once it is locked.
Temporary lock_and_name(const std::string& made, int descriptor, const std::string& output) {
  OpenFile file(descriptor);
  const fs::path path(made);
  const std::string letters = made.substr(made.size() - 6);
  const fs::path named = path.parent_path() / fmt::format("{}{}", prefix(), letters);
  const bool locked = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (descriptor >= 0 && !locked) return {made, std::move(file)};  // no locks here: it keeps its first name
  if (descriptor < 0 || std::rename(made.c_str(), named.c_str()) != 0) {
    const InputError error = cannot_be_written(output);
    std::error_code ignored;
    fs::remove(path, ignored);
    throw error;
  }
  return {named.string(), std::move(file)};
}

std::string pattern_in(const std::string& folder) {
  return (fs::path(folder) / ".isomer-new-XXXXXX").string();
}

/// As mkostemp, but with the permissions that the umask leaves: to ask for that and to change them afterwards
/// would set it, for the whole process, for a moment.
int open_new(std::string& pattern) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::random_device random;
  int descriptor = -1;
  errno = EEXIST;
  for (int attempt = 0; attempt < 100 && descriptor < 0 && errno == EEXIST; ++attempt) {
    for (size_t i = pattern.size() - 6; i < pattern.size(); ++i)
      pattern[i] = kLetters[random() % kLetters.size()];
    descriptor = open(pattern.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return descriptor;
}

bool remove_if_abandoned(const fs::path& path) {
  struct stat named{}, opened{};
  if (lstat(path.c_str(), &named) != 0 || named.st_uid != geteuid()) return false;
  if (!S_ISREG(named.st_mode) && !S_ISDIR(named.st_mode)) return false;
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.descriptor() < 0 || fstat(file.descriptor(), &opened) != 0) return false;
  if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino) return false;
  if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) return false;
  std::error_code error;
  return fs::remove_all(path, error) > 0 && !error;
}

}  // namespace

Temporary::Temporary(std::string made, OpenFile held) : path(std::move(made)), file(std::move(held)) {
  const std::scoped_lock locked(alive().lock);
  alive().paths.insert(path);
}
Temporary::Temporary(Temporary&& other) noexcept
    : path(std::exchange(other.path, {})), file(std::move(other.file)) {}
Temporary::~Temporary() {
  const std::scoped_lock locked(alive().lock);
  alive().paths.erase(path);
}

KeepTemporaries::KeepTemporaries() : held_(alive().lock) {}

void drop_temporaries() noexcept {
  const std::scoped_lock locked(alive().lock);
  std::error_code ignored;
  for (const std::string& path : alive().paths) fs::remove_all(path, ignored);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(made_.path, ignored);
}

int remove_abandoned(const std::string& folder) {
  if (boot().empty()) return 0;
  const std::string ours = prefix();
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(ours)) found.push_back(it->path());
  int removed = 0;
  for (const fs::path& path : found) removed += remove_if_abandoned(path);
  return removed;
}

Temporary make_temporary_file(const std::string& folder, const std::string& output) {
  remove_abandoned(folder);
  const KeepTemporaries held;  // dropped before it is made, or after it is known
  std::string made = pattern_in(folder);
  const int descriptor = open_new(made);
  if (descriptor < 0) throw cannot_be_written(output);
  return lock_and_name(made, descriptor, output);
}

Temporary make_temporary_folder(const std::string& folder, const std::string& output) {
  remove_abandoned(folder);
  const KeepTemporaries held;
  std::string made = pattern_in(folder);
  if (mkdtemp(made.data()) == nullptr) throw cannot_be_written(output);
  return lock_and_name(made, open(made.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), output);
}

}  // namespace isomer
