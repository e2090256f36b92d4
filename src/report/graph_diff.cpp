#include "report/graph_diff.h"

#include <fmt/format.h>

#include <unordered_set>

#include "ir/dag_hash.h"
#include "ir/print.h"

namespace isomer::report {
namespace {

std::string line(char sign, const ir::Graph& graph, ir::ValueId v) {
  std::string operands;
  for (ir::ValueId o : graph.operands(v)) operands += fmt::format("{}%{}", operands.empty() ? "" : ", ", o.v);
  return fmt::format("{} %{} = {}({}) : {}{}\n", sign, v.v, graph.def(v).name, operands,
                     ir::print(graph.context(), graph.type_id(v)),
                     graph.name(v).empty() ? "" : "  # " + graph.name(v));
}

}  // namespace

GraphDiff diff(const ir::Graph& a, const ir::Graph& b) {
  const std::vector<uint64_t> hash_a = ir::term_hashes(a), hash_b = ir::term_hashes(b);
  const std::unordered_set<uint64_t> set_a(hash_a.begin(), hash_a.end()), set_b(hash_b.begin(), hash_b.end());
  GraphDiff d;
  for (size_t i = 0; i < a.size(); ++i)
    if (!set_b.contains(hash_a[i])) d.only_a.emplace_back(i);
  for (size_t i = 0; i < b.size(); ++i)
    if (!set_a.contains(hash_b[i])) d.only_b.emplace_back(i);
  for (uint64_t h : set_a) d.common += set_b.contains(h);
  d.same = ir::dag_hash(a) == ir::dag_hash(b);
  return d;
}

std::string print(const ir::Graph& a, const ir::Graph& b, const GraphDiff& d) {
  std::string out =
      fmt::format("{} terms in common, {} only in the first, {} only in the second{}\n", d.common,
                  d.only_a.size(), d.only_b.size(), d.same ? ": the programs are the same" : "");
  for (ir::ValueId v : d.only_a) out += line('-', a, v);
  for (ir::ValueId v : d.only_b) out += line('+', b, v);
  return out;
}

}  // namespace isomer::report
