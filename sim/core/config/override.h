#pragma once

#include <string_view>

#include "sim/core/config/value.h"

namespace a3sim {

// Applies `path.to.key=value`, the `number`-th of the command
// line (from 1). Notes what is wrong and returns false then.
bool apply_override(ConfigValue& root, std::string_view override, std::uint32_t number,
                    Diagnostics& diagnostics);

}  // namespace a3sim
