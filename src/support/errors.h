// Three kinds of failure, three mechanisms (habit taken from Halide): a bad input throws InputError, a
// misuse of the API throws MisuseError through REQUIRE, a bug of ours is an assert. Running out of time,
// memory or nodes is no error: see limits.h.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace isomer {

/// Exit statuses that scripts rely on (docs/architecture.md, contracts).
enum class ExitStatus : int {
  kDone = 0,
  kUsage = 2,
  kBadInput = 3,
  kVerificationFailed = 4,
  kRuntimeMissing = 5,
  kInterrupted = 130,
};

/// Any failure that a command reports to its user, with the exit status that belongs to it.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// Where in an input something is wrong. Line and column count from 1; 0 means "not known" (binary files
/// name a node in the message instead).
struct InputPosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// A file or value from outside is not what it should be. The message says what was expected.
class InputError : public Error {
 public:
  InputError(const InputPosition& where, const std::string& message);
  explicit InputError(const std::string& message) : Error(ExitStatus::kBadInput, message) {}
};

/// A command line or an API call asks for something that does not exist.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitStatus::kUsage, message) {}
};

/// A result could not be shown to be equivalent to its input; nothing was written.
class VerificationError : public Error {
 public:
  explicit VerificationError(const std::string& message) : Error(ExitStatus::kVerificationFailed, message) {}
};

/// An optional library, runtime or device is not on this machine.
class MissingRuntimeError : public Error {
 public:
  explicit MissingRuntimeError(const std::string& message) : Error(ExitStatus::kRuntimeMissing, message) {}
};

/// A function was called against its contract.
class MisuseError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_requirement(const char* condition, const std::string& message,
                                   const std::source_location& where);

}  // namespace isomer

/// Checks the contract of a public function in every build; names the function that was misused.
#define REQUIRE(condition, message)                                                       \
  do {                                                                                    \
    if (!(condition)) [[unlikely]]                                                        \
      ::isomer::fail_requirement(#condition, (message), std::source_location::current()); \
  } while (false)
