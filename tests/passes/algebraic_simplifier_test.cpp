// The algebraic simplifier beside the real one: pairs of modules before and after XLA's own pass ran alone
// (tests/passes/algsimp).
#include "passes/algebraic_simplifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/verify.h"
#include "passes/cse.h"
#include "passes/rebuild.h"
#include "support/files.h"

namespace isomer::passes {
namespace {

constexpr std::string_view kBefore = ".before.txt";

std::vector<std::string> pairs() {
  std::vector<std::string> out;
  const std::string folder = std::string(ISOMER_SOURCE_DIR) + "/tests/passes/algsimp";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (const std::string path = entry.path().string(); path.ends_with(kBefore))
      out.push_back(path.substr(0, path.size() - kBefore.size()));
  std::ranges::sort(out);
  return out;
}

hlo::Module read(const std::string& path) { return hlo::parse(read_file(path), path); }

/// Without what nobody needs, which the pass itself leaves standing.
hlo::Module needed(const std::string& path) { return rebuilt(read(path), {}); }

/// Equal subexpressions as one: ours are written once, the real pass writes them anew each time.
hlo::Module merged(hlo::Module module) {
  const std::shared_ptr<const Pass> passes[] = {common_subexpressions()};
  return run_to_end(std::move(module), passes).module;
}

/// What XLA leaves alone stays; of what it changes all ends at the same module, or at one of fewer
/// instructions, both without equal subexpressions and without what nobody needs.
TEST(AlgebraicSimplifier, EndsWhereXlaEnds) {
  const std::shared_ptr<const Pass> passes[] = {algebraic_simplifier()};
  size_t changed = 0, same = 0, fewer = 0, left_alone = 0;
  for (const std::string& pair : pairs()) {
    SCOPED_TRACE(pair);
    const hlo::Module before = needed(pair + ".before.txt"), after = needed(pair + ".after.txt");
    const RunResult ours = run_to_end(before, passes);
    EXPECT_TRUE(ours.at_rest);
    EXPECT_TRUE(hlo::verify(ours.module).empty());
    if (hlo::dag_hash(before) == hlo::dag_hash(after)) {
      ++left_alone;
      EXPECT_EQ(hlo::dag_hash(ours.module), hlo::dag_hash(after));
      continue;
    }
    ++changed;
    const hlo::Module a = merged(ours.module), b = merged(after);
    if (hlo::dag_hash(a) == hlo::dag_hash(b))
      ++same;
    else if (a.instructions.size() < b.instructions.size())
      ++fewer;
    else
      ADD_FAILURE() << before.instructions.size() << " instructions, XLA's " << b.instructions.size()
                    << ", ours " << a.instructions.size();
  }
  EXPECT_EQ(left_alone, 26U);
  EXPECT_EQ(changed, 31U);
  EXPECT_EQ(same, 30U);
  EXPECT_EQ(fewer, 1U);
}

}  // namespace
}  // namespace isomer::passes
