// Standard output as a file that may not take what is printed: closed, on a full disk, a pipe that nobody
// reads any more.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace isomer::cli {

/// Makes it a usage error to name standard output as a file beside --json, of any subcommand: that promises
/// one object there.
void keep_standard_output_for_json(CLI::App& app);

/// Where a standard stream is closed something stands in its place that cannot be written to: else the next
/// file that is opened would get its number, and with it what is printed.
void hold_standard_streams();

/// A line on standard error; where that cannot be written it is lost.
void note(const std::string& line);

/// Writes out what was printed. Empty, or why it could not be written.
std::string finish_standard_output();

}  // namespace isomer::cli
