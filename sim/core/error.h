#pragma once

#include <stdexcept>
#include <string>

namespace a3sim {

// The exit codes of the program; users' scripts rely on them.
enum class ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2, kPartly = 4, kInterrupted = 130 };

// An error that is meant for the user: what() is the whole
// message, one or more lines without a final newline.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The input is at fault: a configuration, an order, a
// schedule file, a command line (exit 2, nothing written).
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

// The simulation could not end, or what was asked could not be done (exit 1).
class RunError : public Error {
 public:
  explicit RunError(const std::string& message) : Error(ExitCode::kFailed, message) {}
};

}  // namespace a3sim
