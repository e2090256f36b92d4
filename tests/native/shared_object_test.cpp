// Shared objects: they compute what the program does, say what they are, and are there as a whole or not at
// all; and runs in a process of their own, whatever happens there.
#include "native/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "codegen/generate.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "isomer/model.h"
#include "native/apart.h"
#include "native/compiler.h"
#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::native {
namespace {

class SharedObjects : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_linker(); !why.empty()) GTEST_SKIP() << why;
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ + "/" + name; }
  SharedObject write(const std::string& to, SharedObjectOptions options = {}) {
    return write_shared_object(codegen::generate(graph_), ctx_, options, to);
  }
  /// A library that has these functions only.
  std::string library_of(const std::string& module) const {
    write_file(path("m.o"), object_of(module, {}));
    write_file(path("exported"), "{ global: isomer_model_*; local: *; };\n");
    const std::vector<std::string> inputs = {path("m.o")};
    link_shared(inputs, path("exported"), path("m.so"));
    return path("m.so");
  }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  std::string folder_ = testing::TempDir() + "isomer_shared_objects_" + std::to_string(::getpid());
  ir::Context ctx_{ir::standard_ops()};
  ir::Graph graph_ = ir::parse_graph(ctx_, R"(graph {
    %x = input{name="x"} : f32[3]
    %w = constant : f32[3] {1.5, 2.5, -1}
    %y = mul(%x, %w) : f32[3]
    return %y })");
};

TEST_F(SharedObjects, ComputeByThemselves) {
  SharedObjectOptions options;
  options.inputs = {"first"};
  options.outputs = {"last"};
  const SharedObject made = write(path("m.so"), options);
  EXPECT_EQ(made.calls, 1);
  EXPECT_EQ(files(), 1U);
  void* library = ::dlopen(path("m.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto describe =
      reinterpret_cast<decltype(&isomer_model_description)>(::dlsym(library, "isomer_model_description"));
  const auto description = nlohmann::json::parse(describe());
  EXPECT_EQ(description["inputs"][0].dump(), R"({"name":"first","shape":[3],"type":"f32"})");
  EXPECT_EQ(description["outputs"][0]["name"], "last");
  const auto make = reinterpret_cast<decltype(&isomer_model_new)>(::dlsym(library, "isomer_model_new"));
  const auto run = reinterpret_cast<decltype(&isomer_model_run)>(::dlsym(library, "isomer_model_run"));
  const auto end = reinterpret_cast<decltype(&isomer_model_delete)>(::dlsym(library, "isomer_model_delete"));
  EXPECT_EQ(::dlsym(library, "isomer_kernel_0"), nullptr);
  isomer_model* model = make(2);
  const float x[] = {2, 4, 8};
  float y[3] = {};
  const void* inputs[] = {x};
  void* outputs[] = {y};
  run(model, inputs, outputs);
  EXPECT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{3, 10, -8}));
  end(model);
  ::dlclose(library);
}

TEST_F(SharedObjects, AreNotThereIfTheirCheckFails) {
  SharedObjectOptions options;
  options.check = [](const std::string&) { throw VerificationError("wrong"); };
  EXPECT_THROW(write(path("m.so"), options), VerificationError);
  EXPECT_EQ(files(), 0U);
  EXPECT_THROW(write(path("missing/m.so")), InputError);
  EXPECT_EQ(files(), 0U);
}

TEST_F(SharedObjects, RuntimeWantsNothingButWhatIsNamedForOtherProcessors) {
  std::string library, model = "@isomer_description = constant i8 0\n@isomer_tables = constant i8 0\n";
  for (const std::string_view f : system_functions())
    library += fmt::format("define void @{}() {{ ret void }}\n", f);
  write_file(path("c.o"), object_of(library, {}));
  write_file(path("model.o"), object_of(model, {}));
  write_file(path("all"), "{ global: *; };\n");
  const std::vector<std::string> inputs = {path("model.o"), "--whole-archive", *runtime_archive(),
                                           path("c.o")};
  EXPECT_NO_THROW(link_shared(inputs, path("all"), path("m.so")));
}

constexpr const char* kGood = R"(
define ptr @isomer_model_new(i32 %threads) { ret ptr inttoptr (i64 8 to ptr) }
)";

TEST_F(SharedObjects, RunApart) {
  write(path("m.so"));
  std::vector<std::byte> x(12);
  const float values[] = {1, 2, 3};
  std::memcpy(x.data(), values, sizeof values);
  const std::vector<std::vector<std::byte>> inputs = {x};
  const size_t bytes[] = {12};
  const ApartRun run = run_apart(path("m.so"), inputs, bytes, 1, 0, 20);
  EXPECT_EQ(run.failure, "");
  EXPECT_GE(run.runs, 3);
  float y[3];
  std::memcpy(y, run.outputs.at(0).data(), sizeof y);
  EXPECT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{1.5, 5, -3}));
}

TEST_F(SharedObjects, FailuresApartAreResults) {
  EXPECT_EQ(run_apart(path("nothing.so"), {}, {}, 1, 0, 20).failure, "it cannot be loaded");
  const std::string without = library_of(kGood);
  EXPECT_EQ(run_apart(without, {}, {}, 1, 0, 20).failure, "it cannot be loaded");
  const std::string crashes =
      library_of(std::string(kGood) +
                 "define void @isomer_model_run(ptr %m, ptr %i, ptr %o) { store i32 1, ptr %m\n ret void }");
  EXPECT_EQ(run_apart(crashes, {}, {}, 1, 0, 20).failure, "it crashed: Segmentation fault");
  const std::string loops = library_of(std::string(kGood) +
                                       "define void @isomer_model_run(ptr %m, ptr %i, ptr %o) {\n br label "
                                       "%again\nagain:\n br label %again }");
  EXPECT_EQ(run_apart(loops, {}, {}, 1, 0, 1).failure, "it was ended after 1 s");
}

/// Of all operations that this machine may lack.
TEST_F(SharedObjects, NeedNothingForShortFloats) {
  for (const char* type : {"f16", "bf16"})
    for (const char* cpu : {"", "x86-64", "x86-64-v2"}) {
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = ir::parse_graph(ctx, fmt::format(R"(graph {{
        %x = input{{name="x"}} : f64[6]
        %h = cast{{to={0}}}(%x) : {0}[6]
        %s = add(%h, %h) : {0}[6]
        %y = cast{{to=f64}}(%s) : f64[6]
        return %y }})",
                                                               type));
      SharedObjectOptions options;
      options.cpu = cpu;
      write_shared_object(codegen::generate(graph), ctx, options, path("m.so"));
      const double values[] = {1.0 / 3, -1e-7, 70000, 1e-300, 2049.0 / 2048 + 1e-13, -0.0};
      std::vector<std::byte> x(sizeof values);
      std::memcpy(x.data(), values, sizeof values);
      const std::vector<std::vector<std::byte>> inputs = {x};
      const size_t bytes[] = {sizeof values};
      const ApartRun run = run_apart(path("m.so"), inputs, bytes, 1, 0, 20);
      ASSERT_EQ(run.failure, "") << type << cpu;
      double y[6];
      std::memcpy(y, run.outputs.at(0).data(), sizeof y);
      const ir::DType dtype = type == std::string("f16") ? ir::DType::kF16 : ir::DType::kBF16;
      for (int i = 0; i < 6; ++i)
        EXPECT_EQ(y[i], ir::round_to(dtype, 2 * ir::round_to(dtype, values[i]))) << type << cpu << values[i];
    }
}

}  // namespace
}  // namespace isomer::native
