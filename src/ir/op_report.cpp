#include "ir/op_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace isomer::ir {
namespace {

std::string label(const Graph& graph, ValueId v) {
  const OpDef& def = graph.def(v);
  if (def.kind != MeaningKind::kOpaque) return def.name;
  const auto text = [&](std::string_view attr) -> std::string {
    const int i = def.attr_index(attr);
    if (i < 0 || !graph.attrs(v)[static_cast<size_t>(i)].valid()) return "?";
    const auto* value =
        std::get_if<std::string>(&graph.context().get(graph.attrs(v)[static_cast<size_t>(i)]));
    return value ? *value : "?";
  };
  return fmt::format("{} {}:{}", def.name, text("format"), text("op"));
}

}  // namespace

OpReport::OpReport(const OpTable& table) {
  for (size_t i = 0; i < table.size(); ++i) ++declared_[static_cast<size_t>(table.get(OpId(i)).kind)];
}

void OpReport::add(const Graph& graph) {
  ++graphs_;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ValueId v(i);
    const MeaningKind kind = graph.def(v).kind;
    const std::string name = label(graph, v);
    ++counted_[static_cast<size_t>(kind)];
    ++rows_.try_emplace(name, Row{name, kind, 0}).first->second.count;
  }
}

std::vector<OpReport::Row> OpReport::rows() const {
  std::vector<Row> out;
  for (const auto& [name, row] : rows_) out.push_back(row);
  std::stable_sort(out.begin(), out.end(), [](const Row& a, const Row& b) { return a.count > b.count; });
  return out;
}

int64_t OpReport::nodes() const { return std::accumulate(counted_.begin(), counted_.end(), int64_t{0}); }

std::string OpReport::text() const {
  std::string out = fmt::format("{:<12} {:>9} {:>9}\n", "meaning", "declared", "nodes");
  for (size_t k = 0; k < kKinds; ++k)
    out += fmt::format("{:<12} {:>9} {:>9}\n", to_string(static_cast<MeaningKind>(k)), declared_[k],
                       counted_[k]);
  out += fmt::format("{:<12} {:>9} {:>9}\n\n", "all",
                     std::accumulate(declared_.begin(), declared_.end(), int64_t{0}), nodes());
  size_t width = 8;
  for (const auto& [name, row] : rows_) width = std::max(width, name.size());
  out += fmt::format("{:<{}} {:<12} {:>9}\n", "operator", width, "meaning", "nodes");
  for (const Row& row : rows())
    out += fmt::format("{:<{}} {:<12} {:>9}\n", row.op, width, to_string(row.kind), row.count);
  return out;
}

std::string OpReport::json() const {
  nlohmann::ordered_json out = {{"graphs", graphs_}, {"nodes", nodes()}};
  for (size_t k = 0; k < kKinds; ++k)
    out["kinds"][std::string(to_string(static_cast<MeaningKind>(k)))] = {{"declared", declared_[k]},
                                                                         {"nodes", counted_[k]}};
  out["operators"] = nlohmann::ordered_json::array();
  for (const Row& row : rows())
    out["operators"].push_back(
        {{"op", row.op}, {"kind", std::string(to_string(row.kind))}, {"count", row.count}});
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace isomer::ir
