// Where inputs that tell two models apart are kept.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace isomer::recipes {

/// A file in which inputs that tell the models apart are kept, the user's or one that goes with this object.
class WitnessFile {
 public:
  explicit WitnessFile(const std::string& asked) : path_(asked), own_(asked.empty()) {
    if (own_)
      path_ =
          (std::filesystem::temp_directory_path() / fmt::format("isomer-witness-{}.npz", getpid())).string();
  }
  ~WitnessFile() {
    std::error_code ignored;
    if (own_) std::filesystem::remove(path_, ignored);
  }
  WitnessFile(const WitnessFile&) = delete;
  WitnessFile& operator=(const WitnessFile&) = delete;
  const std::string& path() const { return path_; }
  bool own() const { return own_; }

 private:
  std::string path_;
  bool own_;
};

}  // namespace isomer::recipes
