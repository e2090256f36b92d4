// `isomer operators`: the operators as they are declared (ir/op.h), for readers and for the reference of the
// documentation, which is made from --json. Nothing is listed here that a declaration does not say.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "ir/op_table.h"
#include "support/unknown_word.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_of(const ir::AttrSpec& attr) {
  if (attr.role == ir::AttrRole::kDType) return "dtype";
  if (ir::is_region(attr.role)) return "region";
  constexpr std::array<std::string_view, 7> kKinds = {"int",    "float", "str",  "ints",
                                                      "floats", "strs",  "shape"};
  return kKinds[static_cast<size_t>(attr.kind)];
}

std::vector<std::string_view> levels_of(const ir::OpDef& op) {
  constexpr std::array<std::pair<ir::Levels, std::string_view>, 4> kNames = {{{ir::kGraphLevel, "program"},
                                                                              {ir::kKernelLevel, "kernel"},
                                                                              {ir::kBlockLevel, "block"},
                                                                              {ir::kThreadLevel, "thread"}}};
  std::vector<std::string_view> levels;
  for (const auto& [level, name] : kNames)
    if (op.stands_at(level)) levels.push_back(name);
  return levels;
}

/// "Conv", of a domain "com.microsoft.FusedConv".
std::string name_of(const ir::Spelling& spelling) {
  return spelling.domain.empty() ? spelling.name : spelling.domain + "." + spelling.name;
}

Json described(const ir::OpDef& op) {
  Json out = {{"operator", op.name}, {"meaning", ir::to_string(op.kind)}, {"doc", op.doc}};
  out["attributes"] = Json::array();
  for (const ir::AttrSpec& attr : op.attrs)
    out["attributes"].push_back({{"name", attr.name},
                                 {"kind", kind_of(attr)},
                                 {"optional", attr.optional},
                                 {"choices", attr.choices}});
  out["least_operands"] = op.min_inputs;
  out["most_operands"] = op.max_inputs < 0 ? Json() : Json(op.max_inputs);
  out["levels"] = levels_of(op);
  out["formats"] = Json::array();
  for (const ir::Spelling& s : op.spellings)
    out["formats"].push_back({{"format", s.format}, {"name", name_of(s)}, {"since", s.since}});
  return out;
}

void print_text(const Json& op) {
  std::vector<std::string> attributes, formats;
  for (const Json& a : op["attributes"])
    attributes.push_back(fmt::format("{}:{}{}", a["name"].get<std::string>(), a["kind"].get<std::string>(),
                                     a["optional"].get<bool>() ? "?" : ""));
  for (const Json& f : op["formats"])
    formats.push_back(fmt::format("{} {}", f["format"].get<std::string>(), f["name"].get<std::string>()));
  fmt::print("{}{{{}}}  {}\n", op["operator"].get<std::string>(), fmt::join(attributes, ","),
             op["meaning"].get<std::string>());
  fmt::print("  {}\n", op["doc"].get<std::string>());
  if (!formats.empty()) fmt::print("  {}\n", fmt::join(formats, ", "));
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (size_t i = 0; i < ir::standard_ops().size(); ++i)
    names.push_back(ir::standard_ops().get(ir::OpId(i)).name);
  return names;
}

void list_operators(const std::vector<std::string>& wanted, bool json) {
  const std::vector<std::string> known = all_names();
  Json list = Json::array();
  for (const std::string& name : wanted.empty() ? known : wanted) {
    const ir::OpId op = ir::standard_ops().find(name);
    if (!op.valid())
      throw UsageError(fmt::format("operator {}: there is none{}", name, did_you_mean(name, known)));
    list.push_back(described(ir::standard_ops().get(op)));
  }
  if (json) return print_json({{"operators", std::move(list)}});
  for (const Json& op : list) print_text(op);
}

}  // namespace

void add_operators(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("operators", "The operators of programs: attributes, meaning, names in formats");
  auto names = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  command->add_option("names", *names, "only these (default: all)");
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([names, json] { list_operators(*names, *json); });
}

}  // namespace isomer::cli
