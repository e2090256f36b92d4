// Modules in files of each form, with a worker in XLA's place (tests/data/runtime/fake_xla_worker.py).
#include "runtime/hlo_files.h"

#include "hlo/dag_hash.h"
#include "hlo/print.h"
#include "runtime/fake_xla.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::runtime {
namespace {

using HloFiles = FakeXla;

constexpr const char* kHlo = R"(HloModule m

ENTRY main {
  x = f32[3]{0} parameter(0)
  ROOT r = f32[3]{0} negate(x)
}
)";

std::string error_of(const std::string& contents, const std::string& name) {
  try {
    hlo_file(contents, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_F(HloFiles, EachFormIsReadAsItIsWritten) {
  const HloFile file = hlo_file(kHlo, "m.hlo");
  EXPECT_EQ(file.stablehlo, "");
  EXPECT_EQ(file.text_for_xla(), hlo::print(file.module, hlo::Dialect::kShort));
  for (const char* name : {"m.hlo", "m.mlir", "m.mlirbc"}) {
    SCOPED_TRACE(name);
    const std::string path = folder_ / name;
    write_hlo(path, file.module);
    const HloFile again = read_hlo(path);
    EXPECT_EQ(hlo::dag_hash(again.module), hlo::dag_hash(file.module));
    EXPECT_EQ(again.stablehlo.empty(), std::string(name) == "m.hlo");
    EXPECT_EQ(again.contents, read_file(path));
  }
  EXPECT_TRUE(read_file(folder_ / "m.mlir").starts_with("module"));
  EXPECT_TRUE(read_file(folder_ / "m.mlirbc").starts_with("ML\xefR"));
}

TEST_F(HloFiles, WhatIsUnchangedKeepsItsBytesInItsForm) {
  const std::string text = "// a remark\n" + in_form(hlo_file(kHlo, "m").module, HloForm::kStableHlo);
  const HloFile file = hlo_file(text, "m.mlir");
  EXPECT_EQ(file.text_for_xla(), text);
  write_unchanged(folder_ / "same.mlir", file);
  EXPECT_EQ(read_file(folder_ / "same.mlir"), text);
  write_unchanged(folder_ / "other.hlo", file);
  EXPECT_EQ(read_file(folder_ / "other.hlo"), hlo::print(file.module, hlo::Dialect::kShort));
}

TEST_F(HloFiles, WhatIsNoStableHloIsSaidWithItsPlace) {
  EXPECT_EQ(error_of("module {\n\n  %0 = stablehlo.frobnicate\n}\n", "f.mlir"),
            "f.mlir:3:10: custom op 'stablehlo.frobnicate' is unknown");
  // Positions in what a conversion made are those of its text.
  EXPECT_EQ(error_of("module {}\n// as HLO\n// HloModule m\n// nonsense\n", "f.mlir").substr(0, 22),
            "f.mlir (as HLO):3:1: e");
  EXPECT_NE(error_of("nonsense", "f").find("expected HloModule"), std::string::npos);
}

TEST_F(HloFiles, WithoutJaxItIsSaidWhatIsMissing) {
  setenv("FAKE_XLA_MISSING", "1", 1);
  EXPECT_THROW(hlo_file("module {}", "f.mlir"), MissingRuntimeError);
  EXPECT_NO_THROW(hlo_file(kHlo, "m.hlo"));
}

}  // namespace
}  // namespace isomer::runtime
