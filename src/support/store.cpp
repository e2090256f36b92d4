// SQLite in write-ahead mode: readers do not wait for writers, a writer that was killed leaves at most an
// unfinished tail in the log, which the next one to open it drops. `synchronous=NORMAL` keeps what was
// committed when a process dies; only a power cut can take the last commits back, never half of one.
#include "support/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "support/errors.h"
#include "support/limits.h"
#include "support/possible.h"

namespace isomer {
namespace {

namespace fs = std::filesystem;

constexpr int kSchema = 1;  ///< of the table; what a namespace holds has versions of its own, in its name
constexpr int kApplication = 0x49534F4D;  // "ISOM"
constexpr int kBusyMs = 10000;

/// A prepared statement that is finalised with its scope.
class Statement {
 public:
  Statement(sqlite3* db, const char* sql) {
    if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  explicit operator bool() const { return statement_ != nullptr; }
  void bind(int column, std::string_view text) {
    // A null pointer would be NULL, not the empty text.
    sqlite3_bind_blob64(statement_, column, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT);
  }
  int step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  void reset() { sqlite3_reset(statement_); }
  std::string text(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return data == nullptr ? std::string()
                           : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
  }
  int64_t number(int column) { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

bool run(sqlite3* db, const char* sql) {
  return sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::optional<int64_t> number_of(sqlite3* db, const char* sql) {
  Statement statement(db, sql);
  if (statement.step() != SQLITE_ROW) return std::nullopt;
  return statement.number(0);
}

bool is_damage(int code) { return code == SQLITE_NOTADB || code == SQLITE_CORRUPT; }

}  // namespace

std::optional<fs::path> user_cache_folder() {
  if (const char* own = std::getenv("ISOMER_CACHE"); own && *own) return fs::path(own);
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "isomer";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "isomer";
  return std::nullopt;
}

Store::Store(const fs::path& file) : file_(file) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  open();
  std::string wrong = prepare();
  if (!wrong.empty() && is_damage(sqlite3_errcode(db_))) {
    sqlite3_close(db_);
    // Of several processes that find it so one moves it away; the others' renames fail, and they open its new
    // one.
    fs::rename(file, file.string() + ".damaged", ignored);
    for (const char* tail : {"-wal", "-shm"}) fs::remove(file.string() + tail, ignored);
    open();
    wrong = prepare();
  }
  if (!wrong.empty()) {
    sqlite3_close(db_);
    throw InputError({file.string(), 0, 0}, "cannot be used as a store: " + wrong);
  }
}

Store::~Store() { sqlite3_close(db_); }

Store::Store(Store&& other) noexcept
    : file_(std::move(other.file_)),
      problem_(std::move(other.problem_)),
      db_(std::exchange(other.db_, nullptr)) {}

Store Store::of_user() {
  std::string problem = "no home folder is known";
  if (const std::optional<fs::path> folder = user_cache_folder()) {
    auto of_user = possible([&] { return Store(*folder / "store.sqlite"); });
    if (of_user) return *std::move(of_user.value);
    problem = of_user.why_not;
  }
  Store memory;
  memory.problem_ = problem;
  memory.open();
  if (const std::string wrong = memory.prepare(); !wrong.empty())
    throw InputError("no store in memory: " + wrong);
  return memory;
}

void Store::open() {
  const std::string name = file_.empty() ? ":memory:" : file_.string();
  db_ = nullptr;
  if (sqlite3_open_v2(name.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      nullptr) != SQLITE_OK) {
    const std::string why = db_ == nullptr ? "out of memory" : sqlite3_errmsg(db_);
    sqlite3_close(db_);
    throw InputError({name, 0, 0}, "cannot be opened: " + why);
  }
  sqlite3_busy_timeout(db_, kBusyMs);
}

/// The schema, made where there is none; empty, or what is wrong.
std::string Store::prepare() {
  // Changing to the log is refused, without waiting, while another process does the same.
  const double begin = wall_seconds();
  while (!run(db_, "PRAGMA journal_mode=WAL") && sqlite3_errcode(db_) == SQLITE_BUSY &&
         wall_seconds() - begin < kBusyMs * 1e-3)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  run(db_, "PRAGMA synchronous=NORMAL");
  const auto is_ours = [&] {
    return number_of(db_, "PRAGMA application_id") == kApplication &&
           number_of(db_, "PRAGMA user_version") == kSchema;
  };
  if (is_ours()) return "";
  // Looked at again under the lock: another process may just have made the table.
  if (!run(db_, "BEGIN IMMEDIATE")) return sqlite3_errmsg(db_);
  std::string wrong;
  if (!is_ours()) {
    const int64_t application = number_of(db_, "PRAGMA application_id").value_or(0);
    const int64_t version = number_of(db_, "PRAGMA user_version").value_or(0);
    const int64_t tables = number_of(db_, "SELECT count(*) FROM sqlite_master").value_or(0);
    if (application != kApplication && (application != 0 || version != 0 || tables != 0))
      wrong = "it belongs to another program";
    else if (version > kSchema)
      wrong = fmt::format("it was made by a newer version (schema {})", version);
    else if (!run(db_, fmt::format("DROP TABLE IF EXISTS entries;"
                                   "CREATE TABLE entries(space BLOB, name BLOB, value BLOB, "
                                   "PRIMARY KEY(space, name)) WITHOUT ROWID;"
                                   "PRAGMA application_id={}; PRAGMA user_version={};",
                                   kApplication, kSchema)
                           .c_str()))
      wrong = sqlite3_errmsg(db_);
  }
  if (wrong.empty() && !run(db_, "COMMIT")) wrong = sqlite3_errmsg(db_);
  if (!wrong.empty()) run(db_, "ROLLBACK");
  return wrong;
}

std::optional<std::string> Store::get(std::string_view space, std::string_view key) {
  Statement statement(db_, "SELECT value FROM entries WHERE space=?1 AND name=?2");
  if (!statement) return std::nullopt;
  statement.bind(1, space);
  statement.bind(2, key);
  if (statement.step() != SQLITE_ROW) return std::nullopt;
  return statement.text(0);
}

std::vector<Store::Entry> Store::all(std::string_view space, std::string_view prefix) {
  std::vector<Entry> out;
  Statement statement(db_, "SELECT name, value FROM entries WHERE space=?1 AND name>=?2 ORDER BY name");
  if (!statement) return out;
  statement.bind(1, space);
  statement.bind(2, prefix);
  while (statement.step() == SQLITE_ROW) {
    std::string name = statement.text(0);
    if (!name.starts_with(prefix)) break;
    out.emplace_back(std::move(name), statement.text(1));
  }
  return out;
}

std::unordered_map<std::string, double> Store::numbers(std::string_view space, std::string_view prefix) {
  std::unordered_map<std::string, double> out;
  for (const auto& [name, value] : all(space, prefix)) {
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (end != value.c_str() && std::isfinite(number)) out[name.substr(prefix.size())] = number;
  }
  return out;
}

bool Store::put(std::string_view space, std::string_view key, std::string_view value) {
  const Entry entry{std::string(key), std::string(value)};
  return put(space, std::span(&entry, 1));
}

bool Store::put(std::string_view space, std::span<const Entry> entries) {
  if (!run(db_, "BEGIN IMMEDIATE")) return false;
  bool kept = true;
  {
    Statement statement(db_, "INSERT OR REPLACE INTO entries VALUES(?1, ?2, ?3)");
    for (const auto& [name, value] : entries) {
      if (!statement) kept = false;
      if (!kept) break;
      statement.bind(1, space);
      statement.bind(2, name);
      statement.bind(3, value);
      kept = statement.step() == SQLITE_DONE;
      statement.reset();
    }
  }
  if (kept && run(db_, "COMMIT")) return true;
  run(db_, "ROLLBACK");
  return false;
}

std::vector<Store::Space> Store::spaces() {
  std::vector<Space> out;
  Statement statement(db_,
                      "SELECT space, count(*), sum(length(name)+length(value)) FROM entries GROUP BY space "
                      "ORDER BY space");
  while (statement.step() == SQLITE_ROW)
    out.push_back({statement.text(0), static_cast<uint64_t>(statement.number(1)),
                   static_cast<uint64_t>(statement.number(2))});
  return out;
}

uint64_t Store::clear(std::string_view space) {
  Statement statement(db_, space.empty() ? "DELETE FROM entries" : "DELETE FROM entries WHERE space=?1");
  if (!statement) return 0;
  if (!space.empty()) statement.bind(1, space);
  const int64_t before = number_of(db_, "SELECT count(*) FROM entries").value_or(0);
  if (statement.step() != SQLITE_DONE) return 0;
  const int64_t after = number_of(db_, "SELECT count(*) FROM entries").value_or(0);
  run(db_, "VACUUM");
  return static_cast<uint64_t>(std::max<int64_t>(0, before - after));
}

}  // namespace isomer
