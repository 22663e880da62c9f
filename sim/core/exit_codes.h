#pragma once

#include <string_view>

namespace a3sim {

// The program's exit codes. Users' scripts rely on them.
enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kInternal = 3,
  kPartly = 4,
  kInterrupted = 130
};

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};

// The text of --help about the exit codes.
inline constexpr ExitCodeMeaning kExitCodes[] = {
    {ExitCode::kOk, "done"},
    {ExitCode::kFailed, "a simulation failed, a check found something, or a file could not be written"},
    {ExitCode::kUsage, "wrong input or usage; nothing was written"},
    {ExitCode::kInternal, "a mistake in a3sim itself: please report it with the command"},
    {ExitCode::kPartly, "some points of a sweep failed; the others are kept"},
    {ExitCode::kInterrupted, "interrupted (Ctrl-C); files are whole or not there"}};

}  // namespace a3sim
