#pragma once

#include <string>

#include "sim/core/config/value.h"

namespace a3sim {

// A mapping as YAML that read_yaml reads back to the same tree; values with a source stand on one line.
std::string write_yaml(const ConfigValue& map);

// A value in YAML's flow style, without the end of a line.
std::string write_yaml_line(const ConfigValue& value);

}  // namespace a3sim
