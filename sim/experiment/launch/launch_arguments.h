#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/value.h"
#include "sim/core/enum_names.h"

namespace a3sim {

// Says how an argument of a launch script is used.
enum class ArgumentFate : std::uint8_t {
  kUsed,           // it gives values of the configuration
  kDoesNotMatter,  // it changes no time and no memory: logs, data, checkpoints, the optimizer's numbers
  kNotModelled,    // it may change the answer, and is not simulated
  kUnknown
};
constexpr auto names_of(ArgumentFate) {
  return std::to_array<std::string_view>({"used", "does not matter", "not modelled", "unknown"});
}

struct LaunchArgument {
  struct Value {
    std::string text;
    Mark mark;
    std::string unknown;  // why it is not known; empty if it is
  };
  std::string name;  // with its dashes: "--num-layers"; of a YAML file its path
  Mark mark;
  std::vector<Value> values;
  ArgumentFate fate = ArgumentFate::kUnknown;
  std::string what;  // what it is, or why it may matter
};

// A launch script of Megatron's kind, as a configuration.
struct LaunchScript {
  std::unique_ptr<ConfigValue>
      config;  // the blocks model, parallel and step; nullptr if it could not be read
  std::vector<LaunchArgument> arguments;
  std::vector<std::pair<Mark, std::string>> gaps;  // what is not followed
};

struct KnownArgument {
  std::string_view name;  // without dashes
  ArgumentFate fate{};
  std::string_view what;
};
// Returns nullptr for an unknown argument.
const KnownArgument* known_argument(std::string_view name);

}  // namespace a3sim
