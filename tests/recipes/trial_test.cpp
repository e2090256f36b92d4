// What a timing asks of the runtime.
#include "recipes/trial.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/stand_in.h"

namespace isomer::recipes {
namespace {

/// The request of a timing of two models.
nlohmann::json asked(const RunMemory& memory, double about_ms) {
  const runtime::StandInWorkers workers;
  const std::filesystem::path seen = workers.folder() / "request.json";
  const nlohmann::json told = {
      {"loads", 6}, {"rounds", 2}, {"ratio", 1.5}, {"on_all_cores", 1}, {"seen", seen}};
  workers.tell(told.dump());
  TrialOptions options;
  options.memory = memory;
  options.about_ms = about_ms;
  const Deadline until(60, steady_clock());
  Trial trial(std::make_shared<runtime::OnnxRuntime>(), options, until, silent_progress());
  EXPECT_TRUE(trial.time("a.onnx", "b.onnx", until).faster);
  std::ifstream file(seen);
  return nlohmann::json::parse(file);
}

TEST(Trial, ModelsComputeInOneMemoryWhereTheyComputeOrWeighMuch) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  for (const auto& [memory, about_ms, much] : {std::tuple{RunMemory{kMiB, kMiB}, 1.0, false},
                                               {RunMemory{kMiB, kMiB}, 20.0, true},
                                               {RunMemory{kMiB, 40 * kMiB}, 1.0, true},
                                               {RunMemory{2048 * kMiB, kMiB}, 1.0, true}}) {
    const nlohmann::json request = asked(memory, about_ms);
    EXPECT_EQ(request["one_at_a_time"], memory.weight_bytes > kVeryLarge);
    EXPECT_EQ(request.value("shared_arena", false), much);
    EXPECT_EQ(request.value("patterns", true), !much);
  }
}

}  // namespace
}  // namespace isomer::recipes
