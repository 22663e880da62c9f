#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "sim/core/exit_codes.h"

namespace a3sim {

// An error for the user. what() is the whole message: one or more lines without a final newline.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The input is wrong: a configuration, an order, a schedule file, a command line (exit 2, nothing written).
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

// The simulation could not finish, or a request could not be carried out (exit 1).
class RunError : public Error {
 public:
  explicit RunError(const std::string& message) : Error(ExitCode::kFailed, message) {}
};

// Turns an exception into an error for the user: an Error stays as it is, lack of memory and file system
// errors become a RunError, and anything else an internal error.
Error error_of(const std::exception_ptr& thrown);

}  // namespace a3sim
