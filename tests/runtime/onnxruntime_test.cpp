#include "runtime/onnxruntime.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/onnxruntime_json.h"
#include "runtime/worker.h"
#include "support/errors.h"

namespace isomer::runtime {
namespace {

std::string model(const std::string& name) {
  return ISOMER_SOURCE_DIR "/tests/data/runtime/" + name + ".onnx";
}

NamedTensor floats(std::string name, std::vector<int64_t> shape, std::vector<float> values) {
  NamedTensor out{std::move(name), ir::DType::kF32, std::move(shape), {}, {}};
  out.bytes.resize(values.size() * sizeof(float));
  std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
  return out;
}

std::vector<float> as_floats(const NamedTensor& tensor) {
  std::vector<float> out(tensor.bytes.size() / sizeof(float));
  std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
  return out;
}

/// One runtime for all tests: starting it takes longest. A machine without it skips, visibly.
class Ort : public testing::Test {
 protected:
  static void SetUpTestSuite() { runtime_ = new OnnxRuntime; }
  static void TearDownTestSuite() {
    delete runtime_;
    runtime_ = nullptr;
  }
  void SetUp() override {
    try {
      runtime_->info();
    } catch (const MissingRuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static OnnxRuntime* runtime_;
};
OnnxRuntime* Ort::runtime_ = nullptr;

TEST_F(Ort, TellsWhatItIs) {
  const RuntimeInfo info = runtime_->info();
  EXPECT_EQ(info.runtime, "onnxruntime");
  EXPECT_FALSE(info.version.empty());
  EXPECT_GE(info.cores, 1);
  EXPECT_NE(std::find(info.providers.begin(), info.providers.end(), "CPUExecutionProvider"),
            info.providers.end());
}

TEST_F(Ort, AProviderThatIsNotThereIsAnErrorThatNamesThoseThatAre) {
  OnnxRuntime absent(kOnnxRuntime, "NoSuchExecutionProvider");
  try {
    absent.info();
    FAIL() << "it was said to be there";
  } catch (const MissingRuntimeError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("has no provider NoSuchExecutionProvider; it has "), std::string::npos) << text;
    for (const std::string& there : runtime_->info().providers)
      EXPECT_NE(text.find(there), std::string::npos) << text;
  }
}

TEST_F(Ort, WithAProviderItsNameHoldsThatAndWallTimeCounts) {
  OnnxRuntime named(kOnnxRuntime, "CPUExecutionProvider");
  EXPECT_EQ(named.info().name(), runtime_->info().name() + " with CPUExecutionProvider");
  EXPECT_FALSE(named.counts_cpu_time(1));
  EXPECT_TRUE(runtime_->counts_cpu_time(1));
  InputSpec spec;
  spec.dims = {{"batch", 2}};
  const auto placed = named.placement(model("layer"), spec);
  ASSERT_TRUE(placed) << placed.failure().message;
  ASSERT_EQ(placed->size(), 1u);
  EXPECT_EQ(placed->begin()->first, "CPUExecutionProvider");
  EXPECT_GE(placed->begin()->second, 1u);
}

TEST_F(Ort, LoadsAndRuns) {
  const auto session = runtime_->load(model("layer"));
  ASSERT_TRUE(session) << session.failure().message;
  ASSERT_EQ(session->inputs.size(), 1u);
  EXPECT_EQ(session->inputs[0].name, "x");
  EXPECT_EQ(session->inputs[0].dtype, "f32");
  EXPECT_EQ(std::get<std::string>(session->inputs[0].shape[0]), "batch");
  EXPECT_EQ(std::get<int64_t>(session->inputs[0].shape[1]), 4);
  const auto out = runtime_->run(*session, {floats("x", {2, 4}, {1, 0, 0, 0, 0, 0, 0, 8})});
  ASSERT_TRUE(out) << out.failure().message;
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ((*out)[0].name, "y");
  EXPECT_EQ((*out)[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(as_floats((*out)[0]), (std::vector<float>{0, 0, 0, 3, 4, 5}));
  runtime_->unload(*session);
  EXPECT_FALSE(runtime_->run(*session, {}));
}

TEST_F(Ort, GeneratedInputsDependOnTheSeedOnly) {
  const auto session = runtime_->load(model("layer"));
  ASSERT_TRUE(session);
  InputSpec spec{.seed = 5, .npz = {}, .dims = {{"batch", 3}}, .default_dim = 1, .bounds = {}};
  const auto a = runtime_->run(*session, {}, spec);
  const auto b = runtime_->run(*session, {}, spec);
  spec.seed = 6;
  const auto c = runtime_->run(*session, {}, spec);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ((*a)[0].shape, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ((*a)[0].bytes, (*b)[0].bytes);
  EXPECT_NE((*a)[0].bytes, (*c)[0].bytes);
}

TEST_F(Ort, RangesOfIntegersAreKept) {
  const auto session = runtime_->load(model("ids"));
  ASSERT_TRUE(session);
  InputSpec spec;
  spec.bounds["ids"] = {7, 10};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    spec.seed = seed;
    const auto out = runtime_->run(*session, {}, spec);
    ASSERT_TRUE(out);
    for (float row : as_floats((*out)[2])) EXPECT_GE(row, 14);
  }
  spec.bounds["ids"] = {10, 11};  // outside of the table
  const auto out = runtime_->run(*session, {}, spec);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.failure().kind, FailureKind::kRefused);
}

TEST_F(Ort, StringsTravel) {
  const auto session = runtime_->load(model("echo"));
  ASSERT_TRUE(session);
  const auto out = runtime_->run(*session, {{"text", ir::DType::kString, {2}, {}, {"a", "b\u00fc"}}});
  ASSERT_TRUE(out) << out.failure().message;
  EXPECT_EQ((*out)[0].strings, (std::vector<std::string>{"a", "b\u00fc"}));
}

TEST_F(Ort, BadModelsAreRefused) {
  const auto missing = runtime_->load(model("no_such_model"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.failure().kind, FailureKind::kRefused);
  const auto path = std::filesystem::temp_directory_path() / "isomer_truncated.onnx";
  std::ofstream(path, std::ios::binary) << "not a model";
  EXPECT_EQ(runtime_->load(path.string()).failure().kind, FailureKind::kRefused);
  std::filesystem::remove(path);
}

TEST_F(Ort, EqualModelsCompareBitEqual) {
  for (const char* name : {"layer", "ids", "log", "echo"}) {
    const auto same = runtime_->compare(model(name), model(name), {}, 3);
    ASSERT_TRUE(same) << same.failure().message;
    EXPECT_TRUE(same->bit_equal()) << name;
    EXPECT_TRUE(same->agrees(0)) << name;
    EXPECT_TRUE(same->same_input_names && same->same_output_names);
    EXPECT_EQ(same->samples, 3);
  }
}

TEST_F(Ort, AShiftIsMeasured) {
  InputSpec spec;
  spec.dims["batch"] = 50;
  const auto shifted = runtime_->compare(model("layer"), model("layer_shifted"), spec);
  ASSERT_TRUE(shifted) << shifted.failure().message;
  const OutputDifference& y = shifted->outputs[0];
  EXPECT_NEAR(y.max_abs_error, 0.125, 1e-6);
  EXPECT_GT(y.max_abs_value, 1);
  EXPECT_NEAR(y.max_relative_error, 0.125 / y.max_abs_value, 1e-7);
  EXPECT_FALSE(shifted->bit_equal());
  EXPECT_FALSE(shifted->agrees(0.9 * y.max_relative_error));
  EXPECT_TRUE(shifted->agrees(1.1 * y.max_relative_error));
}

TEST_F(Ort, IntegersMustBeExact) {
  const auto wrong = runtime_->compare(model("ids"), model("ids_wrong"), {});
  ASSERT_TRUE(wrong);
  EXPECT_FALSE(wrong->outputs[0].exact_equal);
  EXPECT_TRUE(wrong->outputs[1].exact_equal);
  EXPECT_FALSE(wrong->agrees(1e9));
}

TEST_F(Ort, NansMustStandAtTheSamePlaces) {
  const auto wrong = runtime_->compare(model("log"), model("log_abs"), {});
  ASSERT_TRUE(wrong) << wrong.failure().message;
  EXPECT_FALSE(wrong->outputs[0].nan_agree);
  EXPECT_FALSE(wrong->agrees(1e9));
}

TEST_F(Ort, OtherShapesAndOutputsAreToldApart) {
  const auto other = runtime_->compare(model("square_1"), model("rows"), {});
  ASSERT_TRUE(other) << other.failure().message;
  EXPECT_FALSE(other->outputs[0].same_shape);
  EXPECT_FALSE(other->agrees(1e9));
  const auto inputs = runtime_->compare(model("layer"), model("ids"), {});
  ASSERT_FALSE(inputs);
  EXPECT_NE(inputs.failure().message.find("ids"), std::string::npos);
}

TEST_F(Ort, InputsFromAFile) {
  const std::string npz = ISOMER_SOURCE_DIR "/tests/data/runtime/layer_inputs.npz";
  InputSpec spec;
  spec.npz = npz;
  const auto shifted = runtime_->compare(model("layer"), model("layer_shifted"), spec);
  ASSERT_TRUE(shifted) << shifted.failure().message;
  EXPECT_DOUBLE_EQ(shifted->outputs[0].max_abs_value, 5);  // the file holds one row: 0 0 0 8
  spec.npz += ".missing";
  EXPECT_EQ(runtime_->compare(model("layer"), model("layer"), spec).failure().kind, FailureKind::kRefused);
}

TEST_F(Ort, InnerValuesAreComparedLikeOutputs) {
  CompareExtras extras;
  extras.pairs = {{"xw", "xw"}, {"r", "xw"}};
  InputSpec spec;
  spec.dims["batch"] = 3;
  const auto pairs = runtime_->compare(model("layer"), model("layer_shifted"), spec, 2, {}, {}, extras);
  ASSERT_TRUE(pairs) << pairs.failure().message;
  ASSERT_EQ(pairs->outputs.size(), 3u);
  EXPECT_FALSE(pairs->outputs[0].agrees(1e-4)) << "the shift is what differs";
  EXPECT_TRUE(pairs->outputs[1].bit_equal);
  EXPECT_EQ(pairs->outputs[1].name, "xw");
  EXPECT_EQ(pairs->outputs[1].dtype, "f32");
  EXPECT_FALSE(pairs->outputs[2].agrees(1e-4)) << "after and before the rectifier";
  extras.pairs = {{"nothing of that name", "xw"}};
  EXPECT_EQ(runtime_->compare(model("layer"), model("layer"), spec, 1, {}, {}, extras).failure().kind,
            FailureKind::kRefused);
}

TEST_F(Ort, DigestsTellValuesApart) {
  InputSpec spec;
  spec.dims["batch"] = 3;
  const auto a = runtime_->digests(model("layer"), {"xw", "r"}, spec);
  const auto b = runtime_->digests(model("layer_shifted"), {"xw"}, spec);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->size(), 2u);
  EXPECT_EQ((*a)[0].count, 9);
  EXPECT_EQ((*a)[0].samples, (*b)[0].samples);
  EXPECT_EQ((*a)[0].norm, (*b)[0].norm);
  EXPECT_NE((*a)[1].norm, (*b)[0].norm);
}

TEST_F(Ort, OneOfTheGivenValues) {
  const auto session = runtime_->load(model("ids"));
  ASSERT_TRUE(session);
  InputSpec spec;
  spec.bounds["ids"].values = {3, 8};
  const auto out = runtime_->run(*session, {}, spec);
  ASSERT_TRUE(out) << out.failure().message;
  const std::vector<float> rows = as_floats((*out)[2]);
  for (size_t i = 0; i < rows.size(); i += 2) EXPECT_TRUE(rows[i] == 6 || rows[i] == 16) << rows[i];
}

TEST_F(Ort, TimesInRounds) {
  TimingOptions options;
  options.max_seconds = 0.2;
  options.min_rounds = 12;
  const auto times = runtime_->time({model("square_1"), model("square_40"), model("square_1")}, options);
  ASSERT_TRUE(times) << times.failure().message;
  ASSERT_EQ(times->size(), 3u);
  for (const Samples& s : *times) {
    EXPECT_GE(s.wall_ms.size(), 12u);
    EXPECT_EQ(s.wall_ms.size(), (*times)[0].wall_ms.size());
    EXPECT_EQ(s.cpu_ms.size(), s.wall_ms.size());
    EXPECT_EQ(s.load.size(), s.wall_ms.size());
    EXPECT_GE(s.load.back(), 5);
    for (double t : s.wall_ms) EXPECT_GT(t, 0);
  }
}

TEST_F(Ort, RunsWithoutArenaAndPatternsAlike) {
  LoadOptions lean;
  lean.arena = lean.patterns = false;
  EXPECT_EQ(to_json(lean)["arena"], false);
  EXPECT_EQ(to_json(lean)["patterns"], false);
  EXPECT_FALSE(to_json(LoadOptions()).contains("arena") || to_json(LoadOptions()).contains("patterns"));
  EXPECT_FALSE(to_json(LoadOptions()).contains("shared_arena"));
  LoadOptions shared;
  shared.shared_arena = true;
  EXPECT_EQ(to_json(shared)["shared_arena"], true);
  const auto session = runtime_->load(model("layer"), lean);
  ASSERT_TRUE(session) << session.failure().message;
  const auto out = runtime_->run(*session, {floats("x", {1, 4}, {0, 0, 0, 8})});
  ASSERT_TRUE(out) << out.failure().message;
  EXPECT_EQ(as_floats((*out)[0]), (std::vector<float>{3, 4, 5}));
  runtime_->unload(*session);
}

TEST_F(Ort, FortyProductsTakeLongerThanOne) {
  TimingOptions options;
  options.max_seconds = 0.3;
  for (bool one_at_a_time : {false, true}) {
    options.one_at_a_time = one_at_a_time;
    const auto pair = runtime_->time_pair(model("square_40"), model("square_1"), options);
    ASSERT_TRUE(pair) << pair.failure().message;
    EXPECT_GT(pair->cpu_ratio.median, 1);
    EXPECT_GE(pair->rounds, options.min_rounds);
    EXPECT_LE(pair->wall_ratio.low, pair->wall_ratio.median);
    EXPECT_LE(pair->wall_ratio.median, pair->wall_ratio.high);
    EXPECT_GE(pair->original.median_wall_ms, pair->original.min_wall_ms);
  }
}

TEST_F(Ort, TimingStopsWithWhatThereIs) {
  TimingOptions options;
  options.max_seconds = 1000;
  options.max_rounds = 100000000;
  Wait wait;
  wait.progress = [&](double, const std::string& what) {
    EXPECT_NE(what.find("round"), std::string::npos);
    wait.stop.request();
  };
  const auto times = runtime_->time({model("square_1")}, options, wait);
  ASSERT_TRUE(times) << times.failure().message;
  EXPECT_GE((*times)[0].wall_ms.size(), 1u);
}

TEST_F(Ort, TimingComesToItsEndAtTheDeadline) {
  TimingOptions options;
  options.max_seconds = 1000;
  options.max_rounds = options.min_rounds = 100000000;
  options.deadline_seconds = 0.3;
  Wait wait;
  wait.timeout_seconds = 60;
  const uint64_t process = runtime_->worker().generation();
  const auto times = runtime_->time({model("square_1"), model("square_1")}, options, wait);
  ASSERT_TRUE(times) << times.failure().message;
  EXPECT_GE((*times)[0].wall_ms.size(), 1u);
  EXPECT_GT(runtime_->worker().pid(), 0);
  EXPECT_EQ(runtime_->worker().generation(), process) << "by itself: the process was not ended for it";
}

TEST_F(Ort, EndlessModelsAreCut) {
  const auto session = runtime_->load(model("endless"));
  ASSERT_TRUE(session) << session.failure().message;
  Wait wait;
  wait.timeout_seconds = 0.3;
  const auto out = runtime_->run(*session, {}, {}, wait);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.failure().kind, FailureKind::kTimedOut);
  const auto again = runtime_->run(*session, {});
  ASSERT_FALSE(again) << "the session went with its process";
  EXPECT_EQ(again.failure().kind, FailureKind::kCrashed);
  EXPECT_TRUE(runtime_->load(model("layer")));
}

TEST_F(Ort, ACrashWhileRunningIsAResult) {
  const auto session = runtime_->load(model("endless"));
  ASSERT_TRUE(session);
  std::thread killer([pid = runtime_->worker().pid()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(pid, SIGSEGV);
  });
  const auto out = runtime_->run(*session, {});
  killer.join();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.failure().kind, FailureKind::kCrashed);
  EXPECT_NE(out.failure().message.find("signal 11"), std::string::npos) << out.failure().message;
}

TEST(OrtMissing, IsThrownWithWhatToInstall) {
  // A Python that sees no packages.
  const auto wrapper =
      std::filesystem::temp_directory_path() / ("isomer_bare_python_" + std::to_string(getpid()));
  std::ofstream(wrapper) << "#!/bin/sh\nexec '" << find_python() << "' -S -E \"$@\"\n";
  std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
  setenv("ISOMER_PYTHON", wrapper.c_str(), 1);
  OnnxRuntime runtime;
  try {
    runtime.info();
    ADD_FAILURE() << "found a runtime where there is none";
  } catch (const MissingRuntimeError& error) {
    EXPECT_NE(std::string(error.what()).find("pip install onnxruntime"), std::string::npos) << error.what();
    EXPECT_EQ(error.status(), ExitStatus::kRuntimeMissing);
  }
  unsetenv("ISOMER_PYTHON");
  std::filesystem::remove(wrapper);
}

}  // namespace
}  // namespace isomer::runtime
