#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim/core/config/config.h"

namespace a3sim {

struct NewValue {
  SourcedValue stated;  // what stands in the file now
  std::string value;
};

// The text of a hardware file with new values: only their tokens change, comments and layout stay.
// Throws InputError if the file cannot be read, does not hold these values where they are said to stand, or
// would not be read back with the new ones.
std::string with_values(const std::filesystem::path& file, std::span<const NewValue> values);

}  // namespace a3sim
