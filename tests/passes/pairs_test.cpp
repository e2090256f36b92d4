// What each pass makes of modules, run by itself to the end: pairs of before and after, and modules that it
// must leave alone (tests/passes/pairs/PASS.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "passes/pass.h"
#include "passes/rebuild.h"
#include "passes/reducers.h"
#include "support/files.h"

namespace isomer::passes {
namespace {

struct Pair {
  std::string pass, about, before, after;  ///< `after` is empty where the pass proposes nothing
};

/// Instructions of an entry computation, or computations.
std::string text_of_module(const std::string& text) {
  return kReducers + (text.find("ENTRY ") == std::string::npos ? "ENTRY main {\n" + text + "\n}\n" : text);
}

/// A file is cases: `== WHAT`, a module, and behind `=>` what becomes of it.
void read(const std::filesystem::path& path, std::vector<Pair>& out) {
  const std::string text = read_file(path.string());
  for (size_t at = text.find("\n== "); at != std::string::npos;) {
    const size_t line = text.find('\n', at + 1), next = text.find("\n== ", line);
    const std::string body = text.substr(line + 1, next - line - 1);
    const size_t arrow = body.find("\n=>\n");
    out.push_back({path.stem().string(), text.substr(at + 4, line - at - 4),
                   text_of_module(body.substr(0, arrow)),
                   arrow == std::string::npos ? "" : text_of_module(body.substr(arrow + 4))});
    at = next;
  }
}

std::vector<Pair> noted_pairs() {
  std::vector<Pair> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ISOMER_SOURCE_DIR) + "/tests/passes/pairs"))
    read(entry.path(), out);
  return out;
}

Module read_module(const std::string& text) {
  Module out = hlo::parse(text, "");
  const auto faults = hlo::verify(out);
  EXPECT_TRUE(faults.empty()) << faults[0].message;
  return out;
}

std::string printed(const Module& module) { return hlo::print(module, hlo::Dialect::kShort); }

void expect_whole(const Module& module) {
  const auto faults = hlo::verify(module);
  ASSERT_TRUE(faults.empty()) << faults[0].message << "\n" << printed(module);
  ASSERT_EQ(hlo::difference(hlo::parse(printed(module), ""), module), "");
}

TEST(Pairs, APassEndsWhereItIsSaidTo) {
  for (const Pair& pair : noted_pairs()) {
    SCOPED_TRACE(pair.pass + ": " + pair.about + "\n" + pair.before);
    const std::shared_ptr<const Pass> passes[] = {find_pass(pair.pass)};
    const Module before = read_module(pair.before);
    const AlternativeGraph graph = dry_run(before, passes);
    EXPECT_EQ(graph.choices().empty(), pair.after.empty());
    if (pair.after.empty()) continue;
    const RunResult result = run_to_end(before, passes);
    EXPECT_TRUE(result.at_rest);
    expect_whole(result.module);
    EXPECT_EQ(hlo::dag_hash(result.module), hlo::dag_hash(rebuilt(read_module(pair.after), {})))
        << printed(result.module);
  }
}

TEST(Pairs, EachPassHasSome) {
  const std::vector<Pair> all = noted_pairs();
  for (const auto& pass : all_passes()) {
    if (pass->name() == "algsimp" || pass->name() == "cse") continue;
    const auto of = [&](bool changes) {
      return std::ranges::count_if(
          all, [&](const Pair& pair) { return pair.pass == pass->name() && pair.after.empty() != changes; });
    };
    EXPECT_GT(of(true), 0) << pass->name();
    EXPECT_GT(of(false), 0) << pass->name();
  }
}

/// Any decision over what all passes propose together gives a module whose types fit. Two that would need
/// each other's results may be refused.
TEST(Pairs, AnyDecisionGivesAModule) {
  std::mt19937 random(11);
  for (const Pair& pair : noted_pairs()) {
    SCOPED_TRACE(pair.pass + ": " + pair.about + "\n" + pair.before);
    Module module = read_module(pair.before);
    for (int step = 0; step < 4; ++step) {
      const AlternativeGraph graph = dry_run(module, all_passes());
      std::vector<uint32_t> decisions;
      for (const Choice& choice : graph.choices())
        decisions.push_back(static_cast<uint32_t>(random() % (choice.ways.size() + 1)));
      module = std::move(graph.apply(decisions).module);
      ASSERT_NO_FATAL_FAILURE(expect_whole(module));
    }
  }
}

}  // namespace
}  // namespace isomer::passes
