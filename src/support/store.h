// What Isomer remembers between runs (measured costs, device profiles): one SQLite file, names and values in
// namespaces. Any number of processes may use it at once, and any of them may be killed at any time: a put
// that has returned is kept, one that has not is there whole or not at all. It is a cache: where it cannot be
// used, work is done again, and nothing else is lost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

struct sqlite3;

namespace isomer {

/// $ISOMER_CACHE, else $XDG_CACHE_HOME/isomer, else ~/.cache/isomer; nothing when no home is known.
std::optional<std::filesystem::path> user_cache_folder();

/// One connection. Not thread-safe: a connection for each thread.
class Store {
 public:
  /// The store of this user: "store.sqlite" in user_cache_folder(). Where that cannot be used (no home, no
  /// right to write, made by a newer version) the store is kept in memory and problem() says why.
  static Store of_user();
  /// Opens or creates `file` and its folder. A file that is no store, or is damaged, is put aside as
  /// "<file>.damaged". Throws InputError when it cannot be used.
  explicit Store(const std::filesystem::path& file);
  ~Store();
  Store(Store&& other) noexcept;
  Store& operator=(Store&&) = delete;

  using Entry = std::pair<std::string, std::string>;

  std::optional<std::string> get(std::string_view space, std::string_view key);
  /// All entries of a namespace whose names begin so, by name.
  std::vector<Entry> all(std::string_view space, std::string_view prefix = {});
  /// Those of them that are finite numbers, by what follows the prefix in their names.
  std::unordered_map<std::string, double> numbers(std::string_view space, std::string_view prefix);
  /// Adds or replaces. False when it could not be kept: disk full, or locked for more than 10 seconds.
  bool put(std::string_view space, std::string_view key, std::string_view value);
  /// All of them, or none.
  bool put(std::string_view space, std::span<const Entry> entries);

  struct Space {
    std::string name;
    uint64_t entries = 0;
    uint64_t bytes = 0;  ///< of names and values
  };
  std::vector<Space> spaces();
  /// Removes a namespace, or everything when it is empty; the number of entries that went.
  uint64_t clear(std::string_view space = {});

  /// Empty for a store in memory.
  const std::filesystem::path& file() const { return file_; }
  /// Why of_user() keeps nothing; empty when it does.
  const std::string& problem() const { return problem_; }

 private:
  Store() = default;
  void open();
  std::string prepare();

  std::filesystem::path file_;
  std::string problem_;
  sqlite3* db_ = nullptr;
};

}  // namespace isomer
