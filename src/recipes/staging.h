// A folder beside the output in which a result waits until it is proved: written, timed and compared there,
// then moved into place (data first, model last), or dropped. Nothing half-written is left behind.
#pragma once

#include <filesystem>
#include <string>

namespace isomer::recipes {

class Staging {
 public:
  /// Creates the folder next to `output`. Throws InputError when that cannot be done.
  explicit Staging(const std::string& output);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Where to write the result: the output's file name within the folder.
  std::string model() const { return (folder_ / output_.filename()).string(); }
  /// For a program that ends at once, without unwinding: removes the folders of all stagings that are alive.
  /// From any thread; what they hold is lost. The one list of its kind, since only the process knows that it
  /// ends.
  static void drop_all() noexcept;

  /// Brings everything to disk and renames it into the output's folder, the model last.
  void publish();

 private:
  std::filesystem::path output_, folder_;
};

}  // namespace isomer::recipes
