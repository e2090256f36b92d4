#include "cost/table.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "ir/print.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::cost {

std::string signature(const ir::OpInstance& op) {
  std::string out = op.op.name;
  std::string attrs;
  for (size_t i = 0; i < op.attrs.size(); ++i)
    if (op.attrs[i].valid())
      attrs += (attrs.empty() ? "" : ",") + op.op.attrs[i].name + "=" + ir::print(op.ctx, op.attrs[i]);
  if (!attrs.empty()) out += "{" + attrs + "}";
  out += "(";
  for (size_t i = 0; i < op.inputs.size(); ++i) out += (i ? ", " : "") + ir::print(op.ctx, op.inputs[i]);
  return out + ")";
}

TableCost::TableCost(std::unordered_map<std::string, double> entries, std::string source)
    : entries_(std::move(entries)), source_(std::move(source)) {
  for (const auto& [key, value] : entries_)
    REQUIRE(std::isfinite(value) && value >= 0, "the cost of " + key + " is not a number of at least 0");
}

TableCost TableCost::read(const std::string& path) {
  std::unordered_map<std::string, double> entries;
  const nlohmann::json table = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!table.is_object())
    throw InputError({path}, "expected a JSON object that maps operators to milliseconds");
  for (const auto& [key, value] : table.items()) {
    if (!value.is_number() || value.get<double>() < 0)
      throw InputError({path}, "\"" + key + "\": expected a number of milliseconds, at least 0");
    entries[key] = value.get<double>();
  }
  return TableCost(std::move(entries), "table:" + path);
}

double TableCost::cost(const NodeCostQuery& query) {
  for (const std::string& key : {signature(query.op), query.op.op.name})
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  const ir::MeaningKind kind = query.op.op.kind;
  if (kind == ir::MeaningKind::kLeaf || kind == ir::MeaningKind::kTuple) return 0;
  if (const auto found = entries_.find("*"); found != entries_.end()) return found->second;
  throw InputError(source_ + ": no cost for " + signature(query.op) + "; expected an entry for it, for \"" +
                   query.op.op.name + "\" or for \"*\"");
}

}  // namespace isomer::cost
