#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/core/error.h"

namespace a3sim {

// Returns an error that says what the JSON library found wrong with a file: "FILE:LINE:COLUMN: ..." if the
// place is known, without the library's own name for the error.
InputError json_error(const std::string& file, const nlohmann::detail::exception& error);

}  // namespace a3sim
