// A bench's record: one JSON object a line, written as soon as what it says has ended, so that a killed bench
// has lost what was under way, and goes on where it stood.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace isomer::evaluation {

/// A hash, of the 16 hexadecimal digits that records have of it.
uint64_t hash_read(const nlohmann::ordered_json& text);

/// A name for files: what is no letter, digit, dash, point or underscore becomes an underscore.
std::string file_stem(std::string name);

class RecordFile {
 public:
  using Take = std::function<void(const nlohmann::ordered_json& line, const std::string& text)>;
  /// Gives each line that is there to `take`; a last line that was cut short is taken off. `bench` is named
  /// in messages: "bench mcts". Throws InputError, also where `take` throws.
  void open(const std::string& path, const std::string& bench, const Take& take);
  /// Nothing before `open`. Throws InputError.
  void write(const std::string& line);

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace isomer::evaluation
