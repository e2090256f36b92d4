#include "evaluation/record_file.h"

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::evaluation {

uint64_t hash_read(const nlohmann::ordered_json& text) {
  return std::stoull(text.get<std::string>(), nullptr, 16);
}

std::string file_stem(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '_';
  return name;
}

void RecordFile::open(const std::string& path, const std::string& bench, const Take& take) {
  path_ = path;
  require_replaceable(path);
  const auto not_ours = [&](int number) {
    return InputError({path, number, 0}, "not a line of a record of `" + bench + "`");
  };
  constexpr std::string_view kBegin = R"({"record":)";
  size_t whole = 0;
  if (std::ifstream in(path); in) {
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (in.eof()) {  // cut short: no line end
        if (!line.starts_with(kBegin) && !kBegin.starts_with(line)) throw not_ours(number);
        break;
      }
      whole += line.size() + 1;
      if (line.empty()) continue;
      try {
        take(nlohmann::ordered_json::parse(line), line);
      } catch (const std::exception&) {
        throw not_ours(number);
      }
    }
    in.close();
    if (std::filesystem::file_size(path) > whole) std::filesystem::resize_file(path, whole);
  }
  file_.open(path, std::ios::app);
  if (!file_) throw InputError({path, 0, 0}, "cannot be written");
}

void RecordFile::write(const std::string& line) {
  if (!file_.is_open()) return;
  file_ << line << std::endl;
  if (!file_) throw InputError({path_, 0, 0}, "cannot be written");
}

}  // namespace isomer::evaluation
