// Every number on the command line counts or measures something: none is negative, none is infinite or NaN.
#pragma once

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace isomer::cli {

/// Makes that a usage error for all numeric options of a command and its subcommands.
void require_plain_numbers(CLI::App& app);

/// For an option that counts.
CLI::Validator at_least_one();

}  // namespace isomer::cli
