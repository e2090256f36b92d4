// `isomer completion bash|zsh|fish`: a script by which a shell completes commands, options and their fixed
// words. All three are made from the commands as they are declared, so that nothing is listed twice. Each
// script walks along the words typed so far to the command that they lead to, and offers what that command
// takes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "recipes/choices.h"
#include "recipes/hlo_optimize.h"
#include "support/unknown_word.h"

namespace isomer::cli {
namespace {

struct Offered {
  std::string name;  ///< "--time-limit"; of a command "optimize"
  std::string help;  ///< up to the first stop, without what shells read as marks
  bool takes_value = false;
  std::vector<std::string> words = {};  ///< that the value may be; empty: any
};

struct Place {
  std::string path;  ///< "isomer graph show"
  std::vector<Offered> commands, options;
};

std::string short_help(const std::string& help) {
  constexpr size_t kLongest = 70;
  std::string out;
  for (const char c : help.substr(0, help.find_first_of(";:(.")))
    if (std::string_view("'\"`$\\[]").find(c) == std::string_view::npos) out += c == '\n' ? ' ' : c;
  while (out.ends_with(' ')) out.pop_back();
  if (out.size() <= kLongest) return out;
  return out.substr(0, out.rfind(' ', kLongest)) + " ...";
}

/// What an option of fixed words takes; modules of XLA are searched by other searches.
std::vector<std::string> words_at(const std::string& path, const std::string& option) {
  if (!path.starts_with("isomer hlo")) return recipes::words_of(option);
  if (option != "--search") return {};
  std::vector<std::string> words = recipes::hlo_searches();
  if (path == "isomer hlo optimize") words.insert(words.begin(), std::string(recipes::kByRules));
  return words;
}

/// The command and all below it.
void collect(const CLI::App& command, const std::string& path, std::vector<Place>& out) {
  Place place{path, {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& names = option->get_lnames();
    for (const std::string& name : names)
      place.options.push_back({"--" + name, short_help(option->get_description()),
                               option->get_items_expected_max() > 0, words_at(path, "--" + name)});
  }
  const auto below = command.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* c : below) place.commands.push_back({c->get_name(), short_help(c->get_description())});
  out.push_back(std::move(place));
  for (const CLI::App* c : below) collect(*c, path + " " + c->get_name(), out);
}

std::vector<std::string> names_of(const std::vector<Offered>& offered) {
  std::vector<std::string> names;
  for (const Offered& o : offered) names.push_back(o.name);
  return names;
}

/// 'isomer graph'|'isomer graph show'|...: all but the first.
std::string known_paths(const std::vector<Place>& places, const char* between) {
  std::vector<std::string> paths;
  for (size_t i = 1; i < places.size(); ++i) paths.push_back("'" + places[i].path + "'");
  return fmt::format("{}", fmt::join(paths, between));
}

std::string bash(const std::vector<Place>& places) {
  std::string out = fmt::format(
      "# bash completion of isomer: source <(isomer completion bash)\n"
      "_isomer() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} at=isomer commands= options= words= i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$at ${{COMP_WORDS[i]}}\" in\n"
      "      {}) at=\"$at ${{COMP_WORDS[i]}}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$at\" in\n",
      known_paths(places, "|"));
  std::string words;
  for (const Place& p : places) {
    out += fmt::format("    '{}') commands='{}' options='{}' ;;\n", p.path,
                       fmt::join(names_of(p.commands), " "), fmt::join(names_of(p.options), " "));
    for (const Offered& o : p.options)
      if (!o.words.empty())
        words += fmt::format("    '{} {}') words='{}' ;;\n", p.path, o.name, fmt::join(o.words, " "));
  }
  out += "  esac\n  case \"$at ${COMP_WORDS[COMP_CWORD-1]}\" in\n" + words +
         "  esac\n"
         "  if [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  elif [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"; compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _isomer isomer\n";
  return out;
}

std::string zsh(const std::vector<Place>& places) {
  const auto described = [](const std::vector<Offered>& offered) {
    std::string list;
    for (const Offered& o : offered) list += fmt::format(" '{}:{}'", o.name, o.help);
    return list;
  };
  std::string out = fmt::format(
      "#compdef isomer\n"
      "# zsh completion of isomer: isomer completion zsh > a folder of $fpath/_isomer\n"
      "_isomer() {{\n"
      "  local at=isomer i; local -a commands options values\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n"
      "    case \"$at ${{words[i]}}\" in\n"
      "      {}) at=\"$at ${{words[i]}}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$at\" in\n",
      known_paths(places, "|"));
  std::string words;
  for (const Place& p : places) {
    out += fmt::format("    '{}') commands=({} ) options=({} ) ;;\n", p.path, described(p.commands),
                       described(p.options));
    for (const Offered& o : p.options)
      if (!o.words.empty())
        words += fmt::format("    '{} {}') values=({}) ;;\n", p.path, o.name, fmt::join(o.words, " "));
  }
  out += "  esac\n  case \"$at ${words[CURRENT-1]}\" in\n" + words +
         "  esac\n"
         "  if (( $#values )); then compadd -- $values\n"
         "  elif [[ ${words[CURRENT]} == -* ]]; then _describe option options\n"
         "  else (( $#commands )) && _describe command commands; _files\n"
         "  fi\n"
         "}\n"
         // As a file of $fpath this is what the function's first call runs.
         "if [[ ${funcstack[1]} == _isomer ]]; then _isomer \"$@\"\n"
         "elif (( $+functions[compdef] )); then compdef _isomer isomer; fi\n";
  return out;
}

std::string fish(const std::vector<Place>& places) {
  std::string out = fmt::format(
      "# fish completion of isomer: isomer completion fish > ~/.config/fish/completions/isomer.fish\n"
      "function __isomer_at\n"
      "  set -l at isomer\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$at $word\"\n"
      "      case {}\n"
      "        set at \"$at $word\"\n"
      "    end\n"
      "  end\n"
      "  test \"$at\" = \"$argv[1]\"\n"
      "end\n",
      known_paths(places, " "));
  for (const Place& p : places) {
    const std::string here = fmt::format("complete -c isomer -n \"__isomer_at '{}'\"", p.path);
    for (const Offered& c : p.commands) out += fmt::format("{} -a {} -d '{}'\n", here, c.name, c.help);
    for (const Offered& o : p.options)
      out += fmt::format("{} -l {}{}{} -d '{}'\n", here, o.name.substr(2), o.takes_value ? " -r" : "",
                         o.words.empty() ? "" : fmt::format(" -f -a '{}'", fmt::join(o.words, " ")), o.help);
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app) {
  using Script = std::string (*)(const std::vector<Place>&);
  auto script = std::make_shared<Script>(nullptr);
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script by which a shell completes commands and options: bash, zsh, fish");
  command
      ->add_option_function<std::string>(
          "shell",
          [script](const std::string& word) {
            *script = choose<Script>("shell", word, {{"bash", bash}, {"zsh", zsh}, {"fish", fish}});
          },
          "bash, zsh or fish")
      ->required();
  command->callback([script, &app] {
    std::vector<Place> places;
    collect(app, app.get_name(), places);
    fmt::print("{}", (*script)(places));
  });
}

}  // namespace isomer::cli
