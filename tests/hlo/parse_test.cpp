#include "hlo/parse.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <set>

#include "hlo/print.h"
#include "hlo/texts.h"
#include "support/errors.h"

namespace isomer::hlo {
namespace {

TEST(HloParse, AllTextsComeBackInBothDialects) {
  const std::vector<std::string> files = all_texts();
  ASSERT_GE(files.size(), 60u);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const Module module = parse(read_file(file), file);
    for (const Dialect dialect : {Dialect::kShort, Dialect::kLong}) {
      const std::string text = print(module, dialect);
      const Module again = parse(text, "printed");
      EXPECT_EQ(difference(module, again), "");
      EXPECT_EQ(print(again, dialect), text);
    }
  }
}

/// Texts of the dialect that we write are written as XLA wrote them, character by character.
TEST(HloParse, WritesWhatXlaWrote) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(hlo_folder() + "corpus/jax")) {
    const std::string text = read_file(entry.path().string());
    std::string printed = print(parse(text, "text"));
    EXPECT_EQ(printed + "\n", text) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 12u);
}

TEST(HloParse, OurModulesHaveEveryOpcodeAndAttribute) {
  std::set<Opcode> opcodes;
  std::set<AttributeName> names;
  std::set<Primitive> elements;
  for (const std::string& file : all_texts()) {
    const Module module = parse(read_file(file), file);
    for (const Instruction& i : module.instructions) opcodes.insert(i.opcode);
    for (const Attribute& a : module.attributes) names.insert(a.name);
    for (size_t i = 0; i < module.shapes.size(); ++i) elements.insert(module.shapes[ShapeId(i)].element);
  }
  for (int i = 0; i < kOpcodeCount; ++i)
    EXPECT_TRUE(opcodes.contains(static_cast<Opcode>(i))) << name(static_cast<Opcode>(i));
  for (int i = 0; i < kAttributeCount; ++i)
    EXPECT_TRUE(names.contains(static_cast<AttributeName>(i))) << row(static_cast<AttributeName>(i)).text;
  for (int i = 0; i < kPrimitiveCount; ++i)
    EXPECT_TRUE(elements.contains(static_cast<Primitive>(i))) << name(static_cast<Primitive>(i));
}

TEST(HloParse, DialectsMayMix) {
  const Module shorter =
      parse(module_of("  a = f32[2]{0} parameter(0)\n  ROOT b = f32[2]{0} add(a, a)\n"), "short");
  const Module longer = parse(
      "HloModule m // a comment\nENTRY %main (x: f32[2]) -> f32[2] {\n%a = f32[2] {0} parameter(0)\n"
      "ROOT b = f32[2]{0} add(f32[2]{0} %a, /*index=1*/a)}",
      "long");
  EXPECT_EQ(difference(shorter, longer), "");
}

TEST(HloParse, RootAndEntryMayBeUnsaid) {
  const Module m = parse(
      "HloModule m\n f { a = f32[] parameter(0) }\n main { b = f32[] parameter(0)\n c = f32[] negate(b) }",
      "x");
  EXPECT_EQ(m.text(m[m.entry].name), "main");
  EXPECT_EQ(m.text(m[m[m.entry].root].name), "c");
}

/// Words of the language as names: XLA reads them behind a % alone.
TEST(HloParse, ReservedNamesKeepTheirMark) {
  const std::string text = module_of("  %nan = f32[] parameter(0)\n  ROOT %inf = f32[] negate(%nan)\n");
  EXPECT_EQ(print(parse(text, "x")), text);
}

std::string constant(const std::string& type, const std::string& contents) {
  const Module m = parse(module_of("  ROOT c = " + type + " constant(" + contents + ")\n"), "x");
  std::string out;
  print_literal(m.shapes, m.literals[0], out);
  return out;
}

TEST(HloLiteral, NumbersAreThoseThatXlaReads) {
  EXPECT_EQ(constant("f32[]", "0.1"), "0.1");
  EXPECT_EQ(constant("f32[]", "0.333333333333"), "0.333333343");
  EXPECT_EQ(constant("f32[]", "-0"), "0");
  EXPECT_EQ(constant("f32[]", "-0.0"), "-0.0");
  EXPECT_EQ(constant("f32[]", "1e-400"), "0");
  EXPECT_EQ(constant("f64[]", "1e-400"), "0");
  EXPECT_EQ(constant("f32[]", "16777217"), "16777216");
  EXPECT_EQ(constant("f64[]", "0.1"), "0.1");
  EXPECT_EQ(constant("f64[]", "0.33333333333333331"), "0.33333333333333331");
  EXPECT_EQ(constant("pred[]", "1"), "true");
  EXPECT_EQ(constant("pred[2]", "{true, false}"), "{1, 0}");
  EXPECT_EQ(constant("u64[]", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(constant("f16[2]", "{65504, 65519}"), "{65504, 65504}");
  EXPECT_EQ(constant("f8e5m2[]", "0.1"), "0.094");
  EXPECT_EQ(constant("s32[2,2]", "{{1,2},{3,4}}"), "{ { 1, 2 }, { 3, 4 } }");
}

TEST(HloLiteral, PayloadsAndSignsOfNanAreKept) {
  const auto bits = [](const std::string& contents) {
    const Module m = parse(module_of("  ROOT c = f32[] constant(" + contents + ")\n"), "x");
    uint32_t out = 0;
    std::memcpy(&out, m.literals[0].bytes.data(), sizeof(out));
    return out;
  };
  EXPECT_EQ(bits("nan"), 0x7FC00000u);
  EXPECT_EQ(bits("-nan"), 0xFFC00000u);
  EXPECT_EQ(bits("nan(0x1)"), 0x7F800001u);
  EXPECT_EQ(bits("-nan(0x400001)"), 0xFFC00001u);
  EXPECT_EQ(bits("-inf"), 0xFF800000u);
}

/// All patterns of the small floats: what is printed reads back as the same bits.
TEST(HloLiteral, SmallFloatsComeBackBitByBit) {
  for (int i = static_cast<int>(Primitive::kF4E2M1FN); i <= static_cast<int>(Primitive::kBF16); ++i) {
    const auto type = static_cast<Primitive>(i);
    const PrimitiveRow& r = row(type);
    for (uint32_t bits = 0; bits < 1u << r.bits; ++bits) {
      std::byte bytes[2] = {static_cast<std::byte>(bits), static_cast<std::byte>(bits >> 8)};
      std::string text;
      print_element(type, bytes, true, text);
      // A type without payloads has one NaN of each sign, of which XLA knows the quiet one.
      if (text.find("nan") != std::string::npos && r.format.specials != ir::FloatSpecials::kIeee) continue;
      double value = decode_float(r, bits);
      if (value == value) {
        EXPECT_EQ(encode_float(r, value), bits) << r.name << " " << text;
        EXPECT_EQ(encode_float(r, std::stod(text)), bits) << r.name << " " << text;
      }
    }
  }
}

TEST(HloLiteral, WhatIsTooSmallIsZeroAlsoWhereMinusZeroIsNan) {
  for (const Primitive type : {Primitive::kF8E4M3FNUZ, Primitive::kF8E5M2FNUZ, Primitive::kF8E4M3B11FNUZ})
    for (const double tiny : {1e-9, -1e-9, -0.0}) EXPECT_EQ(encode_float(row(type), tiny), 0u) << tiny;
}

TEST(HloLiteral, ContentsThatAreLeftOutAreReported) {
  const Module m = parse(module_of("  c = f32[100] constant({...})\n  ROOT d = f32[] constant(1)\n"), "x");
  EXPECT_EQ(m.elided_literals(), 1u);
  EXPECT_NE(print(m).find("f32[100] constant({...})"), std::string::npos);
}

/// Beside each NAME.hlo of tests/error/hlo lies NAME.expected, the message that it provokes.
TEST(HloParse, EachErrorIsSaid) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ISOMER_SOURCE_DIR "/tests/error/hlo")) {
    if (entry.path().extension() != ".hlo") continue;
    ++files;
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".expected");
    try {
      parse(read_file(entry.path().string()), entry.path().filename().string());
      ADD_FAILURE() << entry.path() << " was read";
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()) + "\n", read_file(expected.string())) << entry.path();
    }
  }
  EXPECT_GE(files, 40u);
}

}  // namespace
}  // namespace isomer::hlo
