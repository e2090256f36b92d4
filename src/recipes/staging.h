// A folder beside the output in which a result waits until it is proved: written, timed and compared there,
// then moved into place (data first, model last), or dropped. Nothing half-written is left behind.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "support/temporaries.h"

namespace isomer::recipes {

class Staging {
 public:
  /// Creates the folder next to `output` (where that is a link: next to the file that it leads to). What runs
  /// that were killed left there is removed. Throws InputError when that cannot be done, when something else
  /// than a regular file stands at `output`, or a link into another folder.
  explicit Staging(const std::string& output);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Where to write the result: the output's file name within the folder.
  std::string model() const { return (folder() / output_.filename()).string(); }
  /// From now on nothing is published: `publish` ends with kInterrupted. For signal handlers.
  static void forbid() noexcept;

  /// Brings everything to disk and renames it into the output's folder, the model last. Files of `kept` are
  /// not replaced; InputError where that were needed. `drop_temporaries` waits for what is being renamed.
  void publish(std::span<const std::string> kept = {});

 private:
  std::filesystem::path folder() const { return folder_.path; }
  void move(const std::filesystem::path& from, const std::filesystem::path& to,
            std::span<const std::string> kept) const;

  std::filesystem::path output_;
  Temporary folder_;
};

}  // namespace isomer::recipes
