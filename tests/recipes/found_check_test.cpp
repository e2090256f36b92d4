// Programs found, held to what they were found from: the same, the same in other words, another one, and one
// that is too large for the interpreter.
#include "recipes/found_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

struct Programs {
  ir::Context ctx{ir::standard_ops()};
  ir::Graph parse(const std::string& lines, const std::string& result, const std::string& size = "4") {
    const std::string x = fmt::format("f32[{0},{0}]", size);
    return ir::parse_graph(
        ctx, fmt::format("graph g {{\n%0 = input{{name=\"x\"}} : {0}\n%1 = weight{{name=\"a\"}} : {0}\n"
                         "%2 = weight{{name=\"b\"}} : {0}\n{1}\nreturn {2}\n}}",
                         x, lines, result));
  }
  ir::Graph parted(const std::string& size = "4") {
    return parse(fmt::format("%3 = matmul(%0, %1) : f32[{0},{0}]\n%4 = matmul(%0, %2) : f32[{0},{0}]\n"
                             "%5 = add(%3, %4) : f32[{0},{0}]",
                             size),
                 "%5", size);
  }
  ir::Graph joined(const std::string& op, const std::string& size = "4") {
    return parse(fmt::format("%3 = {1}(%1, %2) : f32[{0},{0}]\n%4 = matmul(%0, %3) : f32[{0},{0}]", size, op),
                 "%4", size);
  }
};

TEST(FoundCheck, SaysWhatIsKnown) {
  Programs p;
  EXPECT_EQ(check_found(p.parted(), p.parted()).words(), "the same program");
  const FoundCheck same = check_found(p.parted(), p.joined("add"));
  EXPECT_TRUE(same.holds());
  EXPECT_EQ(same.field.kind, verify::VerdictKind::kProved);
  EXPECT_EQ(same.floats.kind, verify::VerdictKind::kTested);
  EXPECT_TRUE(same.words().starts_with("field; floats")) << same.words();
}

TEST(FoundCheck, SaysThatAnotherProgramDiffers) {
  Programs p;
  const FoundCheck other = check_found(p.parted(), p.joined("mul"));
  EXPECT_TRUE(other.differs());
  EXPECT_FALSE(other.holds());
  EXPECT_TRUE(other.words().starts_with("DIFFERS: ")) << other.words();
  EXPECT_EQ(other.words().find_first_of("\n|"), std::string::npos);
}

TEST(FoundCheck, TheWorseOfTwoIsKept) {
  Programs p;
  FoundCheck both = check_found(p.parted(), p.joined("add"));
  both.keep_worse(check_found(p.parted(), p.joined("mul")));
  EXPECT_TRUE(both.differs());
  both.keep_worse(check_found(p.parted(), p.joined("add")));
  EXPECT_TRUE(both.differs());
}

}  // namespace
}  // namespace isomer::recipes
