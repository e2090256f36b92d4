#include "runtime/hlo_files.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "runtime/base64.h"
#include "runtime/worker.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::runtime {
namespace {

constexpr std::string_view kBytecode = "ML\xefR";

bool is_binary(std::string_view contents) {
  return contents.starts_with(kBytecode) || contents.substr(0, 256).find('\0') != std::string_view::npos;
}

/// By the first word; HLO text begins with HloModule, and has no bytes that are not text.
bool is_stablehlo(std::string_view contents) {
  if (is_binary(contents)) return true;
  while (!contents.empty()) {
    if (std::isspace(static_cast<unsigned char>(contents.front())))
      contents.remove_prefix(1);
    else if (contents.starts_with("//"))
      contents.remove_prefix(std::min(contents.find('\n'), contents.size()));
    else
      break;
  }
  constexpr std::string_view kFirst[] = {"module", "builtin.module", "\"builtin.module\"", "func.func", "#"};
  return std::ranges::any_of(kFirst, [&](std::string_view word) { return contents.starts_with(word); });
}

/// Nothing of what jax.export serialized, which is not written.
std::optional<HloForm> form_of(const HloFile& file) {
  if (file.stablehlo.empty()) return HloForm::kHlo;
  if (file.contents.starts_with(kBytecode)) return HloForm::kArtifact;
  return is_binary(file.contents) ? std::nullopt : std::optional(HloForm::kStableHlo);
}

nlohmann::json converted(const std::string& op, nlohmann::json body, const std::string& name) {
  const Reply reply = Worker("xla_worker.py").request(op, std::move(body));
  if (reply.status == ReplyStatus::kMissing)
    throw MissingRuntimeError("StableHLO is read and written by the Python package jax: " + reply.error);
  if (reply) return reply.body;
  // MLIR says line and column first.
  const bool has_place = !reply.error.empty() && std::isdigit(static_cast<unsigned char>(reply.error[0]));
  throw InputError(name + (has_place ? ":" : ": ") + reply.error);
}

}  // namespace

std::string HloFile::text_for_xla() const {
  return stablehlo.empty() ? hlo::print(module, hlo::Dialect::kShort) : stablehlo;
}

HloForm form_to_write(std::string_view path) {
  if (path.ends_with(".mlir")) return HloForm::kStableHlo;
  return path.ends_with(".mlirbc") ? HloForm::kArtifact : HloForm::kHlo;
}

HloFile unchecked_hlo_file(std::string contents, const std::string& name) {
  HloFile out;
  out.contents = std::move(contents);
  if (!is_stablehlo(out.contents)) {
    out.module = hlo::parse(out.contents, name);
    return out;
  }
  const nlohmann::json both = converted("to_hlo", {{"contents", to_base64(out.contents)}}, name);
  out.module = hlo::parse(both.at("hlo").get<std::string>(), name + " (as HLO)");
  out.stablehlo = both.at("stablehlo").get<std::string>();
  return out;
}

HloFile hlo_file(std::string contents, const std::string& name) {
  HloFile out = unchecked_hlo_file(std::move(contents), name);
  hlo::require_valid(out.module);
  return out;
}

HloFile read_hlo(const std::string& path) { return hlo_file(read_file(path), path); }

std::string in_form(const hlo::Module& module, HloForm form) {
  std::string text = hlo::print(module, hlo::Dialect::kShort);
  if (form == HloForm::kHlo) return text;
  const bool artifact = form == HloForm::kArtifact;
  const nlohmann::json answer =
      converted("to_stablehlo", {{"module", std::move(text)}, {"artifact", artifact}}, "as StableHLO");
  if (!artifact) return answer.at("text").get<std::string>();
  const auto bytes = from_base64(answer.at("artifact").get<std::string>());
  if (!bytes) throw InputError("as StableHLO: the worker's answer is no base64");
  return *bytes;
}

void write_hlo(const std::string& path, const hlo::Module& module) {
  write_file(path, in_form(module, form_to_write(path)));
}

void write_unchanged(const std::string& path, const HloFile& file) {
  if (form_of(file) == form_to_write(path)) return write_file(path, file.contents);
  write_hlo(path, file.module);
}

}  // namespace isomer::runtime
