#pragma once

#include <optional>
#include <span>
#include <string>

namespace a3sim {

// Returns today's form of a command line that earlier versions took: {"whatif", "ep8"} gives "a3sim explain
// ep8 --whatif". Returns nullopt if the words do not begin with an earlier command.
std::optional<std::string> moved_command(std::span<const std::string> words);

}  // namespace a3sim
