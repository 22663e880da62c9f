#pragma once

#include <optional>
#include <span>
#include <string>

namespace a3sim {

// The command line to type today for one that earlier versions took: {"whatif", "ep8"} gives
// "a3sim explain ep8 --whatif". nullopt if the words begin with no earlier command.
std::optional<std::string> moved_command(std::span<const std::string> words);

}  // namespace a3sim
