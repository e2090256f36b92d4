// The engine alone, on symbols: what bench/peers/egg does, with the same arguments and the same JSON, so that
// bench/engine.py can run both in turn.
//
//   engine_bench RULES ITERATIONS SCHEDULER REPEATS DAG...
//   engine_bench prove AXIOMS EQUATIONS NODES FIRST_ITERATIONS REPEATS
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "egraph/equations.h"
#include "egraph/symbols.h"
#include "support/errors.h"

namespace {

using namespace isomer;
using namespace isomer::egraph;

std::string read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError({path, 0, 0}, "cannot be opened");
  return {std::istreambuf_iterator<char>(in), {}};
}

int explore(const std::vector<std::string>& args) {
  SymbolTable symbols;
  const std::vector<Rewrite> rules = parse_rules(read(args[0]), symbols, args[0]);
  RunOptions options;
  options.limits.iterations = std::stoul(args[1]);
  options.scheduler.kind = args[2] == "simple" ? SchedulerKind::kSimple : SchedulerKind::kBackoff;
  const size_t repeats = std::stoul(args[3]);
  NoAnalysis none;
  EGraph<NoAnalysis> start(none);
  std::vector<ClassId> roots;
  for (size_t i = 4; i < args.size(); ++i)
    roots.push_back(add_dag(start, parse_dag(read(args[i]), symbols, args[i])));
  start.rebuild();
  std::vector<double> seconds;
  RunReport report;
  size_t bytes = 0, children = 0;
  double copy_seconds = 1e9;
  for (size_t i = 0; i < repeats; ++i) {
    EGraph<NoAnalysis> g = start;
    std::vector<ClassId> held = roots;
    options.held = &held;
    const double begin = thread_cpu_seconds();
    report = run(g, rules, options);
    seconds.push_back(thread_cpu_seconds() - begin);
    bytes = g.memory_bytes();
    children = 0;
    for (uint32_t n = 0; n < g.slots(); ++n)
      if (!g.dead(NodeId(n))) children += g.children(NodeId(n)).size();
    const double before = thread_cpu_seconds();
    const EGraph<NoAnalysis> copy = g;
    copy_seconds = std::min(copy_seconds, thread_cpu_seconds() - before);
  }
  fmt::print(
      "{{\"e_nodes\": {}, \"e_classes\": {}, \"hashcons_size\": {}, \"iterations\": {}, \"stop\": \"{}\", "
      "\"cpu_seconds\": {}, \"search_seconds\": {}, \"apply_seconds\": {}, \"rebuild_seconds\": {}, "
      "\"matches\": {}, \"terms_created\": {}, \"bytes\": {}, \"children\": {}, \"bytes_per_e_node\": "
      "{:.1f}, \"copy_seconds\": "
      "{:.7f}}}\n",
      report.e_nodes, report.e_classes, report.hashcons_size, report.iterations,
      to_string(report.stop_reason), seconds, report.search_seconds, report.apply_seconds,
      report.rebuild_seconds, report.matches, report.terms_created, bytes, children,
      (static_cast<double>(bytes) - 4.0 * static_cast<double>(children)) /
          static_cast<double>(report.e_nodes),
      copy_seconds);
  return 0;
}

int prove_all(const std::vector<std::string>& args) {
  SymbolTable symbols;
  const std::vector<Rewrite> axioms = parse_rules(read(args[0]), symbols, args[0]);
  const std::vector<Equation> equations = parse_equations(read(args[1]), symbols, args[1]);
  ProveOptions options;
  options.nodes = std::stoul(args[2]);
  options.first_iterations = std::stoul(args[3]);
  std::vector<double> seconds;
  Proofs proofs;
  for (size_t i = 0; i < std::stoul(args[4]); ++i) {
    proofs = prove(equations, axioms, options);
    seconds.push_back(proofs.cpu_seconds);
  }
  std::vector<uint64_t> iterations, nodes, open;
  for (const RunReport& r : proofs.runs) {
    iterations.push_back(r.iterations);
    nodes.push_back(r.e_nodes);
  }
  for (size_t i = 0; i < equations.size(); ++i)
    if (!proofs.proved[i]) open.push_back(i + 1);
  fmt::print(
      "{{\"equations\": {}, \"proved\": {}, \"iterations\": {}, \"e_nodes\": {}, "
      "\"open\": {}, \"cpu_seconds\": {}}}\n",
      equations.size(), proofs.count(), iterations, nodes, open, seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 5) {
    std::fputs(
        "usage: engine_bench RULES ITERATIONS SCHEDULER REPEATS DAG...\n"
        "       engine_bench prove AXIOMS EQUATIONS NODES FIRST_ITERATIONS REPEATS\n",
        stderr);
    return 2;
  }
  try {
    return args[0] == "prove" ? prove_all({args.begin() + 1, args.end()}) : explore(args);
  } catch (const std::exception& error) {
    fmt::print(stderr, "engine_bench: {}\n", error.what());
    return 3;
  }
}
