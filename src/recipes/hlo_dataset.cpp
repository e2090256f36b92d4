#include "recipes/hlo_dataset.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/verify.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/possible.h"

namespace isomer::recipes {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kManifest = "manifest.jsonl";
constexpr const char* kRefusals = "refused.jsonl";

std::string hex(uint64_t hash) { return fmt::format("{:016x}", hash); }

class Locked {
 public:
  explicit Locked(const OpenFile& file) : file_(file) {
    while (flock(file_.descriptor(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Locked() { flock(file_.descriptor(), LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  const OpenFile& file_;
};

OpenFile lock_of(const std::string& folder) {
  for (const char* part : {"modules", "refused"}) make_folder((fs::path(folder) / part).string());
  const std::string path = (fs::path(folder) / kManifest).string();
  OpenFile out(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (out.descriptor() < 0)
    throw InputError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  return out;
}

int64_t elements(const hlo::Module& m) {
  int64_t out = 0;
  for (const hlo::Instruction& i : m.instructions)
    if (m.shapes[i.shape].kind == hlo::ShapeKind::kArray)
      out += std::max<int64_t>(0, m.shapes.elements(i.shape));
  return out;
}

void say_origin(ordered_json& line, const HloOrigin& origin) {
  line["command"] = origin.command;
  line["package"] = origin.package;
  line["version"] = origin.version;
  line["licence"] = origin.licence;
  if (!origin.part_of.empty()) line["part_of"] = origin.part_of;
}

HloOrigin origin_of(const json& line) {
  return {line.value("command", ""), line.value("package", ""), line.value("version", ""),
          line.value("licence", ""), line.value("part_of", "")};
}

/// Lines from a place on that are whole; what a killed run left of one is passed over.
template <class Take>
void each_line(const std::string& text, Take&& take) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const json line = json::parse(text.substr(begin, end - begin), nullptr, false);
    if (line.is_object()) take(line);
    begin = end + 1;
  }
}

std::string rest_of(const std::string& path, uint64_t from) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(from));
  return {std::istreambuf_iterator<char>(file), {}};
}

void sources_of(const std::string& path, std::vector<HloSource>& out) {
  if (kind_of(path) != FileKind::kDirectory) {
    open_for_reading(path);
    out.push_back({path, {}});
    return;
  }
  const fs::path manifest = fs::path(path) / kManifest;
  if (kind_of(manifest.string()) == FileKind::kRegular)
    return each_line(read_file(manifest.string()), [&](const json& line) {
      out.push_back({(fs::path(path) / line.at("file").get<std::string>()).string(), origin_of(line)});
    });
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path))
    if (const auto end = entry.path().extension(); end == ".txt" || end == ".hlo")
      if (entry.is_regular_file()) found.push_back(entry.path().string());
  std::ranges::sort(found);
  for (std::string& file : found) out.push_back({std::move(file), {}});
}

}  // namespace

HloDataset::HloDataset(const std::string& folder) : folder_(folder), lock_(lock_of(folder)) {
  const Locked locked(lock_);
  // A line that a killed run left without its end gets one.
  const off_t size = lseek(lock_.descriptor(), 0, SEEK_END);
  if (char last = '\n'; size > 0 && pread(lock_.descriptor(), &last, 1, size - 1) == 1 && last != '\n')
    append(kManifest, "");
  catch_up();
}

void HloDataset::catch_up() {
  const auto take = [&](const char* file, const char* key, uint64_t& read, auto& hashes) {
    const std::string fresh = rest_of((fs::path(folder_) / file).string(), read);
    read += fresh.size();
    each_line(fresh, [&](const json& line) {
      hashes.insert(std::strtoull(line.value(key, "").c_str(), nullptr, 16));
    });
  };
  take(kManifest, "hash", read_, known_);
  take(kRefusals, "text_hash", refusals_read_, refused_);
}

void HloDataset::append(const char* file, const std::string& line) const {
  const std::string path = (fs::path(folder_) / file).string(), text = line + "\n";
  const OpenFile out(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (out.descriptor() < 0 ||
      ::write(out.descriptor(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw InputError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

HloAdded HloDataset::add(const std::string& text, const std::string& name, const HloOrigin& origin) {
  const auto module = possible([&] { return hlo::parse_valid(text, name); });
  if (module) return add(*module, text, origin);
  refuse(text, name, module.why_not, origin);
  return HloAdded::kRefused;
}

HloAdded HloDataset::add(const hlo::Module& module, const std::string& text, const HloOrigin& origin) {
  const uint64_t hash = hlo::dag_hash(module);
  const Locked locked(lock_);
  catch_up();
  if (!known_.insert(hash).second) return HloAdded::kKnown;
  const std::string file = fmt::format("modules/{}.hlo", hex(hash));
  AtomicFile written((fs::path(folder_) / file).string());
  written.write(text);
  written.commit((fs::path(folder_) / file).string(), false);
  ordered_json line = {{"file", file},
                       {"hash", hex(hash)},
                       {"module", module.text(module.name)},
                       {"instructions", module.instructions.size()},
                       {"entry_instructions", module[module.entry].instructions.count},
                       {"elements", elements(module)},
                       {"elided_constants", module.elided_literals()},
                       {"bytes", text.size()}};
  say_origin(line, origin);
  append(kManifest, line.dump());
  return HloAdded::kNew;
}

void HloDataset::refuse(const std::string& text, const std::string& name, const std::string& reason,
                        const HloOrigin& origin) {
  const uint64_t hash = hash_string(text.empty() ? name : text);
  const Locked locked(lock_);
  catch_up();
  if (!refused_.insert(hash).second) return;
  ordered_json line = {{"file", nullptr}, {"text_hash", hex(hash)}, {"name", name}, {"reason", reason}};
  if (!text.empty()) {
    const std::string file = fmt::format("refused/{}.hlo", hex(hash));
    write_file((fs::path(folder_) / file).string(), text);
    line["file"] = file;
  }
  say_origin(line, origin);
  append(kRefusals, line.dump());
}

std::vector<HloSource> hlo_sources(const std::vector<std::string>& paths) {
  std::vector<HloSource> out;
  for (const std::string& path : paths) sources_of(path, out);
  return out;
}

HloStatistics hlo_statistics(const std::vector<std::string>& paths) {
  HloStatistics out;
  for (const HloSource& source : hlo_sources(paths)) {
    const auto read = possible([&] { return hlo::parse(read_file(source.path), source.path); });
    if (!read) {
      ++out.refused;
      continue;
    }
    const hlo::Module& m = *read;
    out.instructions.push_back(m.instructions.size());
    for (const hlo::Instruction& i : m.instructions) {
      ++out.opcodes[std::string(hlo::name(i.opcode))];
      const hlo::Shape& shape = m.shapes[i.shape];
      ++out.element_types[shape.kind == hlo::ShapeKind::kArray ? std::string(hlo::name(shape.element))
                                                               : "no array"];
    }
    out.with_elided += m.elided_literals() > 0;
    HloStatistics::Package& package = out.packages[source.origin.package];
    ++package.modules;
    package.instructions += m.instructions.size();
    package.version = source.origin.version;
    package.licence = source.origin.licence;
  }
  std::ranges::sort(out.instructions);
  return out;
}

}  // namespace isomer::recipes
