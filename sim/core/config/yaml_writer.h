#pragma once

#include <string>

#include "sim/core/config/value.h"

namespace a3sim {

// Returns a mapping as YAML that read_yaml reads back to the same tree. A value with a source is on one line.
std::string write_yaml(const ConfigValue& map);

// Returns a value in YAML's flow style, without a final newline.
std::string write_yaml_line(const ConfigValue& value);

}  // namespace a3sim
