#include "report/graph_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "ir/dag_hash.h"
#include "ir/print.h"
#include "support/hash.h"

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

Correspondence correspond(const ir::Graph& a, const ir::Graph& b) {
  Correspondence c;
  c.of_a.resize(a.size());
  c.of_b.resize(b.size());
  const auto join = [&](ir::ValueId x, ir::ValueId y) {
    c.of_a[x.index()] = y;
    c.of_b[y.index()] = x;
  };
  const std::vector<uint64_t> hash_a = ir::term_hashes(a), hash_b = ir::term_hashes(b);
  std::unordered_map<uint64_t, ir::ValueId> by_hash;
  std::unordered_map<std::string, ir::ValueId> by_name;
  for (size_t i = a.size(); i-- > 0;) by_hash.insert_or_assign(hash_a[i], ir::ValueId(i));
  for (size_t i = 0; i < b.size(); ++i)
    if (const auto it = by_hash.find(hash_b[i]); it != by_hash.end() && !c.of_a[it->second.index()].valid())
      join(it->second, ir::ValueId(i));
  for (size_t i = 0; i < a.size(); ++i)
    if (!a.name(ir::ValueId(i)).empty() && !c.of_a[i].valid())
      by_name.emplace(a.name(ir::ValueId(i)), ir::ValueId(i));
  for (size_t i = 0; i < b.size(); ++i) {
    if (c.of_b[i].valid()) continue;
    const auto it = by_name.find(b.name(ir::ValueId(i)));
    if (it != by_name.end() && !c.of_a[it->second.index()].valid() &&
        a.type_id(it->second) == b.type_id(ir::ValueId(i)))
      join(it->second, ir::ValueId(i));
  }

  const auto equal = [&](ir::ValueId x, ir::ValueId y) {
    if (a.op(x) != b.op(y) || a.payload(x) != b.payload(y) || a.operands(x).size() != b.operands(y).size())
      return false;
    for (size_t k = 0; k < a.operands(x).size(); ++k)
      if (c.of_a[a.operands(x)[k].index()] != b.operands(y)[k]) return false;
    return true;
  };
  // Values without a name: found again as the same operator on operands that are.
  const auto key_of = [](ir::OpId op, ir::PayloadId payload, std::span<const ir::ValueId> operands) {
    uint64_t key = hash_combine(op.v, payload.v);
    for (ir::ValueId o : operands) key = hash_combine(key, o.v);
    return key;
  };
  std::unordered_multimap<uint64_t, ir::ValueId> alike;  // a's unmatched values
  for (size_t i = 0; i < a.size(); ++i)
    if (const ir::ValueId x(i); !c.of_a[i].valid() && !a.operands(x).empty())
      alike.emplace(key_of(a.op(x), a.payload(x), a.operands(x)), x);
  std::vector<ir::ValueId> operands;
  for (size_t i = 0; i < b.size(); ++i) {
    const ir::ValueId y(i);
    if (c.of_b[i].valid() || b.operands(y).empty()) continue;
    operands.clear();
    for (ir::ValueId o : b.operands(y)) operands.push_back(c.of_b[o.index()]);
    if (!std::ranges::all_of(operands, &ir::ValueId::valid)) continue;
    const auto [begin, end] = alike.equal_range(key_of(b.op(y), b.payload(y), operands));
    for (auto it = begin; it != end; ++it)
      if (!c.of_a[it->second.index()].valid() && equal(it->second, y)) {
        join(it->second, y);
        break;
      }
  }

  using State = Correspondence::State;
  c.a.assign(a.size(), State::kAlone);
  c.b.assign(b.size(), State::kAlone);
  for (size_t i = 0; i < a.size(); ++i) {
    const ir::ValueId x(i), y = c.of_a[i];
    if (!y.valid()) continue;
    const bool kept = a.operands(x).empty() ? hash_a[i] == hash_b[y.index()] : equal(x, y);
    c.a[i] = c.b[y.index()] = kept ? State::kKept : State::kChanged;
  }
  return c;
}

}  // namespace isomer::report
