// A compiled model in a process of its own: a crash or a loop without end is a result there, not the end of
// this program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace isomer::native {

struct ApartRun {
  std::string failure;   ///< empty: it ended well; else how it ended
  bool lacking = false;  ///< memory, threads or the processor that it is for
  std::vector<std::vector<std::byte>> outputs;
  double load_seconds = 0;  ///< with what is prepared from weights
  double run_seconds = 0;  ///< median of the runs: with one thread its processor time, else by the wall; of a
                           ///< graphics processor, by its clock
  int runs = 0;
};

/// Loads the shared object, runs it once, then for about `seconds` (at least `least` times) for the time it
/// takes. `output_bytes`: of each output. It is ended `limit` seconds after it began.
ApartRun run_apart(const std::string& path, std::span<const std::vector<std::byte>> inputs,
                   std::span<const size_t> output_bytes, int threads, double seconds, double limit);

}  // namespace isomer::native
