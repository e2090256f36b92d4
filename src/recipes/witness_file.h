// Where inputs that tell two models apart are kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "support/temporaries.h"

namespace isomer::recipes {

/// The user's file, or one that goes with this object.
class WitnessFile {
 public:
  explicit WitnessFile(const std::string& asked) : path_(asked) {
    if (!asked.empty()) return;
    own_.emplace(std::filesystem::temp_directory_path().string(), "inputs that tell the models apart");
    path_ = own_->in("witness.npz");
  }
  const std::string& path() const { return path_; }
  bool own() const { return own_.has_value(); }

 private:
  std::optional<TemporaryFolder> own_;
  std::string path_;
};

}  // namespace isomer::recipes
