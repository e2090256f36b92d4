#include "recipes/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>

#include "formats/onnx_nodes.h"
#include "support/possible.h"

namespace isomer::recipes {
namespace {

constexpr const char* kTemporaryPlace = "the written model";

/// Without the folder that it was tried in, which says nothing and is gone by then.
std::string without_path(std::string message, const std::string& path) {
  if (const std::string prefix = path + ": "; message.starts_with(prefix)) message.erase(0, prefix.size());
  for (size_t at = message.find(path); at != std::string::npos; at = message.find(path))
    message.replace(at, path.size(), kTemporaryPlace);
  return message;
}

/// Whether the message holds the text with a border on both sides: such a character, or an end.
bool holds(const std::string& message, const std::string& text, const std::function<bool(char)>& border) {
  for (size_t at = message.find(text); at != std::string::npos; at = message.find(text, at + 1)) {
    const size_t end = at + text.size();
    if ((at == 0 || border(message[at - 1])) && (end == message.size() || border(message[end]))) return true;
  }
  return false;
}

/// Names may be words of any language; runtimes put them in quotes or brackets.
bool quotes(const std::string& message, const std::string& name) {
  return !name.empty() && holds(message, name, [](char c) {
    return std::string_view("'\"()").find(c) != std::string_view::npos;
  });
}

bool has_word(const std::string& message, const std::string& word) {
  return holds(message, word,
               [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; });
}

/// The node that the message speaks of: by its name, else by a value that it makes, else by its operator.
std::string named_node(const std::string& model, const std::string& message) {
  const auto list = possible([&] { return formats::list_onnx_nodes(model); });
  if (!list) return {};
  for (const formats::OnnxNode& node : list->nodes)
    if (quotes(message, node.name)) return fmt::format("{} '{}'", node.op, node.name);
  for (const formats::OnnxNode& node : list->nodes)
    for (const std::string& output : node.outputs)
      if (quotes(message, output)) return fmt::format("{} that makes '{}'", node.op, output);
  for (const formats::OnnxNode& node : list->nodes)
    if (has_word(message, node.op)) return node.op;
  return {};
}

}  // namespace

RuntimeRefusal refusal(const std::string& candidate, const std::string& model, const std::string& message) {
  std::string text = without_path(message, model);
  std::string node = named_node(model, text);
  return {candidate, std::move(node), std::move(text)};
}

std::string describe(const RuntimeRefusal& refusal, const std::string& runtime) {
  const std::string what = refusal.candidate == kOriginalAsWritten
                               ? "the copy of the input that isomer wrote"
                               : fmt::format("the candidate \"{}\" that isomer wrote", refusal.candidate);
  return fmt::format(
      "a fault of isomer, not of the model: {} takes the input, but not {}: {}{}; please report it with the "
      "model",
      runtime, what, refusal.message,
      refusal.node.empty() ? "" : fmt::format(" (operator: {})", refusal.node));
}

std::vector<RuntimeRefusal> drop_refused(Trial& trial, const std::string& original,
                                         std::vector<Entrant>& entrants, const Deadline& until) {
  std::vector<RuntimeRefusal> out;
  if (trial.refuses(original, until)) return out;
  std::erase_if(entrants, [&](const Entrant& entrant) {
    const auto message = trial.refuses(entrant.staged.model(), until);
    if (message) out.push_back(refusal(entrant.candidate.how, entrant.staged.model(), *message));
    return message.has_value();
  });
  return out;
}

}  // namespace isomer::recipes
