#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "support/unknown_word.h"

namespace isomer::cli {
namespace {

constexpr const char* kMainJob = "optimize";

/// Also those that were not chosen.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* c : commands) names.push_back(c->get_name());
  return names;
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* c : commands_of(app))
    if (c->get_name() == name) return c;
  return nullptr;
}

/// "--name", "-n", of "--name=value" the name.
std::string name_of(const std::string& option) { return option.substr(0, option.find('=')); }

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool has_option(const CLI::App& command, const std::string& word) {
  return command.get_option_no_throw(name_of(word)) != nullptr;
}

/// A folder's name or an ending makes it one, whether it is there or not: what is missing is said by name.
bool is_like_a_file(const std::string& word) {
  return word.find_first_of("./") != std::string::npos || std::filesystem::is_regular_file(word);
}

/// The command that the words led to.
const CLI::App& deepest(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest(*chosen.front());
}

/// "isomer rules check".
std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : path_of(*parent) + " ") + command.get_name();
}

/// Of one-letter options nothing is near.
std::string meant(const std::string& option, const CLI::App& command) {
  return option.size() > 2 ? did_you_mean(option, options_of(command)) : "";
}

/// What is said to the program as a whole goes before the command, wherever it was typed. (--help is every
/// command's own.)
void bring_to_front(const CLI::App& app, std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  std::stable_partition(words.begin(), end, [&](const std::string& word) {
    return is_option(word) && has_option(app, word) && app.get_option_no_throw(word) != app.get_help_ptr();
  });
}

/// What many programs have as commands, "help optimize" and "version", are options here.
void read_common_commands(const CLI::App& app, std::vector<std::string>& words) {
  if (words.empty() || command_named(app, words[0]) || std::filesystem::is_regular_file(words[0])) return;
  if (words[0] == "version") words[0] = "--version";
  if (words[0] != "help") return;
  words.erase(words.begin());
  words.emplace_back("--help");
}

std::string nothing_takes(const CLI::App& command, const std::vector<std::string>& words) {
  const bool output = words.size() == 1 && is_like_a_file(words[0]) && has_option(command, "-o");
  return fmt::format("{}: nothing takes {}{}", path_of(command), fmt::join(words, " "),
                     output ? fmt::format("; did you mean -o {}?", words[0]) : "");
}

/// In words, what stands after an option. The argument library says it as "TEXT", "UINT:INT in [1 - 1024]",
/// "TEXT:{f32,f16}" or "FLOAT:POSITIVE".
std::string value_of(const CLI::Option& option) {
  const std::string said = option.get_type_name();
  const size_t colon = said.find(':');
  const std::string type = said.substr(0, colon);
  const std::string limits = colon == std::string::npos ? "" : said.substr(colon + 1);
  if (limits.starts_with('{')) {
    const std::string words = limits.substr(1, limits.rfind('}') - 1);
    const size_t last = words.rfind(',');
    const std::string others = CLI::detail::find_and_replace(words.substr(0, last), ",", ", ");
    return last == std::string::npos ? words : fmt::format("{} or {}", others, words.substr(last + 1));
  }
  const std::string value = type == "TEXT"                    ? "a value"
                            : type == "INT" || type == "UINT" ? "a whole number"
                            : type == "FLOAT"                 ? "a number"
                                                              : "a " + type;
  if (limits == "POSITIVE") return value + " above 0";
  const size_t first = limits.find('['), dash = limits.find(" - ");
  if (first == std::string::npos || dash == std::string::npos) return value;
  return fmt::format("{} from {} to {}", value, limits.substr(first + 1, dash - first - 1),
                     limits.substr(dash + 3, limits.rfind(']') - dash - 3));
}

bool has_name(const CLI::Option& option) {
  return !option.get_lnames().empty() || !option.get_snames().empty();
}

std::string instead_of(const CLI::Option& option, const std::string& value) {
  return fmt::format("expected {} {} {}, got {}", value_of(option), has_name(option) ? "after" : "as",
                     option.get_name(), value);
}

/// Whether the argument library so refuses a value that is beyond a range, or in no set.
bool is_beyond(const std::string& said, const std::string& value) {
  return said == value || said.starts_with(value + " not in {") ||
         said.starts_with("Value " + value + " not in range ");
}

/// "isomer compile model --output OUTPUT": what must be there, in brackets what else has a place. Where words
/// of the user's choice follow a file, "--" lets them begin with a dash.
std::string usage_of(const CLI::App& command) {
  std::string places, named, words;
  for (const CLI::Option* option : command.get_options()) {
    if (has_name(*option)) {
      std::string value = option->get_single_name();
      std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::toupper(c); });
      if (option->get_required()) named += fmt::format(" {} {}", option->get_name(), value);
      continue;
    }
    const bool many = option->get_items_expected_max() > 1;
    const std::string name = option->get_name(true) + (many ? "..." : "");
    std::string& where = many && !places.empty() ? words : places;
    where += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return path_of(command) + places + named + (words.empty() ? "" : " --" + words);
}

/// "expected b: what it is", with the order of what has no name; of an option that has no value, or one of
/// another kind, too. Empty: the error is another one.
std::string expected_in(const CLI::App& command, const CLI::ParseError& error) {
  const std::string said = error.what();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (said == name + " is required")
      return fmt::format("expected {}: {}{}", name, option->get_description(),
                         has_name(*option) ? "" : "; usage: " + usage_of(command));
    if (const std::string begin = "Could not convert: " + name + " = "; said.starts_with(begin))
      return instead_of(*option, said.substr(begin.size()));
    if (said.starts_with(name + ": ") && said.ends_with(" missing"))
      return fmt::format("expected {} after {}: {}", value_of(*option), name, option->get_description());
    for (const std::string& value : option->results())
      if (said.starts_with(name + ": ") && is_beyond(said.substr(name.size() + 2), value))
        return instead_of(*option, value);
  }
  return {};
}

}  // namespace

std::vector<std::string> with_command(const CLI::App& app, std::vector<std::string> words) {
  read_common_commands(app, words);
  bring_to_front(app, words);
  const auto first = std::ranges::find_if(
      words, [&](const std::string& word) { return !is_option(word) || !has_option(app, word); });
  const CLI::App* main_job = command_named(app, kMainJob);
  if (first == words.end() || main_job == nullptr) return words;
  const bool main_jobs = is_option(*first) ? has_option(*main_job, *first)
                                           : command_named(app, *first) == nullptr && is_like_a_file(*first);
  if (main_jobs) words.insert(first, kMainJob);
  return words;
}

std::string wrong_in(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = deepest(app);
  const std::string said = fmt::format("{}: {}", path_of(command), error.what());
  const auto* missing = dynamic_cast<const CLI::RequiredError*>(&error);
  const std::string expected = expected_in(command, error);
  if (missing == nullptr && dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr)
    return expected.empty() ? said : fmt::format("{}: {}", path_of(command), expected);
  const std::vector<const CLI::App*> others = commands_of(command);
  const std::vector<std::string> left = command.remaining();
  const bool wants_command = !others.empty() && command.get_subcommands().empty();
  for (const std::string& word : left) {
    if (is_option(word)) {
      const std::string name = name_of(word);
      return fmt::format("{}: there is no option {}{}", path_of(command), name, meant(name, command));
    }
    if (wants_command && is_like_a_file(word) && command_named(command, "show"))
      return fmt::format("{}: expected one of {}; did you mean {} show {}?", path_of(command),
                         fmt::join(names_of(others), ", "), path_of(command), word);
    if (wants_command)
      return fmt::format("{}: there is no command {}{} (there are {})", path_of(command), word,
                         did_you_mean(word, names_of(others)), fmt::join(names_of(others), ", "));
  }
  if (!left.empty()) return nothing_takes(command, left);
  if (wants_command)
    return fmt::format("{}: expected {}one of {}", path_of(command),
                       command.get_parent() == nullptr ? "a model, or " : "",
                       fmt::join(names_of(others), ", "));
  return expected.empty() ? said : fmt::format("{}: {}", path_of(command), expected);
}

}  // namespace isomer::cli
