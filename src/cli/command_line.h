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
std::vector<std::string> with_command(const CLI::App& app, std::vector<std::string> words);

/// After a parse that ended with `error`: the first word that nothing takes, and what it may have meant.
/// Empty where that is not what is wrong.
std::string unknown_in(const CLI::App& app, const CLI::ParseError& error);

}  // namespace isomer::cli
