// How fast HLO text is read and written, modules are checked and hashed, the algebraic simplifier proposes
// (dry run), and an environment steps (dry run, all first proposals applied, hash): of all files together,
// the median of REPEATS runs, as one JSON object.
//
//   hlo_bench REPEATS FILE...
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "passes/pass.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/limits.h"

namespace {

using namespace isomer;

template <class Work>
double median_seconds(size_t repeats, Work&& work) {
  std::vector<double> seconds;
  for (size_t i = 0; i < repeats; ++i) {
    const double begin = thread_cpu_seconds();
    work();
    seconds.push_back(thread_cpu_seconds() - begin);
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

int measure(size_t repeats, const std::vector<std::string>& files) {
  std::vector<std::string> texts;
  size_t bytes = 0, instructions = 0, faults = 0;
  for (const std::string& file : files) bytes += texts.emplace_back(read_file(file)).size();
  std::vector<hlo::Module> modules;
  const double parsing = median_seconds(repeats, [&] {
    modules.clear();
    for (size_t i = 0; i < files.size(); ++i) modules.push_back(hlo::parse(texts[i], files[i]));
  });
  for (const hlo::Module& m : modules) instructions += m.instructions.size();
  size_t printed = 0;
  const double printing = median_seconds(repeats, [&] {
    printed = 0;
    for (const hlo::Module& m : modules) printed += hlo::print(m).size();
  });
  uint64_t hash = 0;
  const double hashing = median_seconds(repeats, [&] {
    for (const hlo::Module& m : modules) hash += hlo::dag_hash(m);
  });
  const double checking = median_seconds(repeats, [&] {
    faults = 0;
    for (const hlo::Module& m : modules) faults += hlo::verify(m).size();
  });
  const std::shared_ptr<const passes::Pass> simplifier[] = {passes::find_pass("algsimp")};
  size_t choices = 0;
  const double proposing = median_seconds(repeats, [&] {
    choices = 0;
    for (const hlo::Module& m : modules) choices += passes::dry_run(m, simplifier).choices().size();
  });
  const double stepping = median_seconds(repeats, [&] {
    for (const hlo::Module& m : modules) {
      const passes::AlternativeGraph graph = passes::dry_run(m, simplifier);
      hash += hlo::dag_hash(graph.apply(graph.first_of_each()).module);
    }
  });
  fmt::print(
      "{{\"files\": {}, \"bytes\": {}, \"instructions\": {}, \"faults\": {}, \"hashes\": \"{:016x}\", "
      "\"parse_mb_per_second\": {:.1f}, \"print_mb_per_second\": {:.1f}, "
      "\"hash_instructions_per_second\": {:.0f}, \"check_instructions_per_second\": {:.0f}, "
      "\"choices\": {}, \"dry_run_instructions_per_second\": {:.0f}, \"step_instructions_per_second\": "
      "{:.0f}, "
      "\"steps_per_second\": {:.0f}}}\n",
      files.size(), bytes, instructions, faults, hash, static_cast<double>(bytes) / parsing / 1e6,
      static_cast<double>(printed) / printing / 1e6, static_cast<double>(instructions) / hashing,
      static_cast<double>(instructions) / checking, choices, static_cast<double>(instructions) / proposing,
      static_cast<double>(instructions) / stepping, static_cast<double>(modules.size()) / stepping);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: hlo_bench REPEATS FILE...\n";
    return 2;
  }
  try {
    return measure(std::stoul(argv[1]), {argv + 2, argv + argc});
  } catch (const isomer::Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.status());
  }
}
