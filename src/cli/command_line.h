// What stands between the words that somebody typed and the commands: a model alone means the main job, and a
// command or an option that does not exist is answered with the one that may have been meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace isomer::cli {

/// The words with "optimize" before them where they name no command: "model.onnx", "--time-limit 5s m.onnx".
/// What the program itself is told ("-q") may stand anywhere; "help WORDS" is "WORDS --help".
std::vector<std::string> with_command(const CLI::App& app, std::vector<std::string> words);

/// After a parse that ended with `error`: what is wrong, of a word that nothing takes also what may have been
/// meant.
std::string wrong_in(const CLI::App& app, const CLI::ParseError& error);

}  // namespace isomer::cli
